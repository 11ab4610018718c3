"""Merging counts: classes are matched by label, terms by name or by index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from termsift._api.class_counts import ClassCounts
from termsift._core import CountOverflowError, Counts
from termsift._util import validation
from termsift._util.tabular import object_array


def merge(parts: Iterable[ClassCounts], *, by_index: bool = False) -> ClassCounts:
    """Merge the counts of several collections, whatever their classes and vocabularies.

    Parameters
    ----------
    parts : iterable of ClassCounts
        At least one. They are taken one at a time, so a generator of loaded files needs memory for
        the sum and one part.
    by_index : bool, default False
        Match terms without names by index even if the parts have different numbers of them, as
        ``a + b`` does. Otherwise different numbers are an error.

    Returns
    -------
    counts : ClassCounts
        Classes are matched by label. If those of one part are whole numbers and those of another
        are strings, the numbers become strings, as in a text file that holds both. If vocabularies
        with names differ, terms are matched by name: first the terms of the first part, then the
        new ones of each further part; or sorted, if the terms of every part are.

    Raises
    ------
    ValueError
        If the parts have different ``tf``, different numbers of terms without names, or names in
        one part only; or if terms are matched by name and a part has a name twice.

    Notes
    -----
    Exact counts are added exactly. Float cells are added part by part, which may round differently
    from counting all documents at once.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> a, b = ts.count(np.array([[2, 1]]), ["ham"]), ts.count(np.array([[3, 4]]), ["spam"])
    >>> a.term_names, b.term_names = ["egg", "tea"], ["jam", "tea"]
    >>> counts = ts.merge([a, b])
    >>> list(counts.term_names), counts.term_frequency.toarray().tolist()
    (['egg', 'jam', 'tea'], [[2, 0, 1], [0, 3, 4]])
    """
    merged: ClassCounts | None = None
    by_index = validation.check_flag(by_index, "by_index")
    for number, part in enumerate(validation.check_iterable(parts, "parts", "ClassCounts")):
        if not isinstance(part, ClassCounts):
            raise TypeError(f"part {number} is {validation.a_kind(part)}, expected ClassCounts")
        try:
            if merged is not None:
                a, b = (
                    _with_strings_for_numbers(merged, part),
                    _with_strings_for_numbers(part, merged),
                )
                part = united(a, b, by_index=by_index)
            merged = part
        except ValueError as error:
            kind = CountOverflowError if isinstance(error, OverflowError) else ValueError
            raise kind(f"part {number} and those before it: {error}") from None
    if merged is None:
        raise ValueError("expected at least one part to merge, got none")
    return merged


def nothing(tf: str) -> ClassCounts:
    """Return the counts of no documents, to which others can be added."""
    return ClassCounts._of(Counts(0, tf != "log"), [], None, tf)


def united(a: ClassCounts, b: ClassCounts, *, by_index: bool = False) -> ClassCounts:
    """Return the sum of two counts, with terms matched as by `merge`, and labels as they are."""
    mine, theirs = a.term_names, b.term_names
    if mine is not None and theirs is not None:
        shared = min(len(mine), len(theirs))
        if (mine[:shared] != theirs[:shared]).any():
            names = _union(mine, theirs)
            return _in_names(a, names) + _in_names(b, names)
    elif a.n_terms and b.n_terms and not by_index:
        one_has_names = (mine is None) != (theirs is None)
        if one_has_names or a.n_terms != b.n_terms:
            raise ValueError(
                f"{a.n_terms} and {b.n_terms} terms, not all with names: count them with the names "
                "of the terms, or merge them by index if index i is the same term in both"
            )
    return a + b


def _with_strings_for_numbers(counts: ClassCounts, others: ClassCounts) -> ClassCounts:
    """Convert integer labels to strings if the labels of the others are strings.

    Labels of text become integers if all are whole numbers, and a shard does not know the others.
    """
    are_numbers = all(type(label) is int for label in counts.classes)
    if others.classes and are_numbers and all(isinstance(label, str) for label in others.classes):
        return counts._with_classes_renamed([str(label) for label in counts.classes])
    return counts


def _union(mine: NDArray[np.object_], theirs: NDArray[np.object_]) -> dict[str, int]:
    """Return the column of each name in the merged vocabulary."""
    for names in (mine, theirs):
        name, n_terms = Counter(names).most_common(1)[0]
        if n_terms > 1:
            raise ValueError(f"the vocabularies differ, and {name!r} names {n_terms} terms")
    both = dict.fromkeys([*mine.tolist(), *theirs.tolist()])
    are_sorted = all((names[1:] >= names[:-1]).all() for names in (mine, theirs))
    return dict(zip(sorted(both) if are_sorted else both, range(len(both)), strict=True))


def _in_names(counts: ClassCounts, column_of: dict[str, int]) -> ClassCounts:
    """Return the counts in the columns of the merged vocabulary."""
    names = counts.term_names
    assert names is not None
    columns = np.fromiter(map(column_of.__getitem__, names.tolist()), np.int64, len(names))
    return counts._with_columns(columns, len(column_of), object_array(list(column_of)))
