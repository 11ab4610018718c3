"""Merging counts: classes are matched by label, terms by name or by index."""

from __future__ import annotations

from collections.abc import Iterable

from termsift._core import CountOverflowError
from termsift._counts.class_counts import ClassCounts
from termsift._counts.held import Held
from termsift._util import validation


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
    merged: Held | None = None
    by_index = validation.check_flag(by_index, "by_index")
    for number, part in enumerate(validation.check_iterable(parts, "parts", "ClassCounts")):
        if not isinstance(part, ClassCounts):
            raise TypeError(f"part {number} is {validation.a_kind(part)}, expected ClassCounts")
        try:
            held = part._state
            if merged is not None:
                a = _with_strings_for_numbers(merged, held)
                b = _with_strings_for_numbers(held, merged)
                held = a.united(b, by_index=by_index)
            merged = held
        except ValueError as error:
            kind = CountOverflowError if isinstance(error, OverflowError) else ValueError
            raise kind(f"part {number} and those before it: {error}") from None
    if merged is None:
        raise ValueError("expected at least one part to merge, got none")
    return ClassCounts._of(merged)


def _with_strings_for_numbers(counts: Held, others: Held) -> Held:
    """Convert integer labels to strings if the labels of the others are strings.

    Labels of text become integers if all are whole numbers, and a shard does not know the others.
    """
    are_numbers = all(type(label) is int for label in counts.classes)
    if others.classes and are_numbers and all(isinstance(label, str) for label in others.classes):
        return counts.renamed([str(label) for label in counts.classes])
    return counts
