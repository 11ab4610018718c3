"""The content of `ClassCounts`: counts with their classes and names, and how to add them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._util import validation
from termsift.text import TextRules
from termsift.text._rules import check_same_rules


class Held(NamedTuple):
    """Immutable counts with their classes, names and rules."""

    counts: _core.Counts
    classes: list[Hashable]  # The labels of the rows of ``counts``.
    names: NDArray[np.object_] | None  # The names of the terms.
    tf: str
    rules: TextRules | None = None  # The rules that cut the texts, or None if they are unknown.

    @classmethod
    def nothing(cls, tf: str) -> Held:
        """Return empty counts, to which other counts can be added."""
        return cls(_core.Counts(0, tf != "log"), [], None, tf)

    def plus(self, other: Held) -> Held:
        """Return the sum of two counts, with classes matched by label and terms by index."""
        rules, names = self._common_rules(other), self._common_names(other)
        united, in_self, in_other = validation.unite_classes(self.classes, other.classes)
        counts = self.counts.with_classes(in_self).merge(other.counts.with_classes(in_other))
        return Held(counts, united, names, self.tf, rules)

    def minus(self, part: Held) -> Held:
        """Return these counts minus the counts of a part, and keep all classes."""
        self._common_rules(part)
        names = self._common_names(part)
        if unknown := set(part.classes).difference(self.classes):
            label = next(label for label in part.classes if label in unknown)
            raise ValueError(
                f"cannot subtract counts that are not part of these: class {label!r} is not among "
                "the classes"
            )
        _, _, in_part = validation.unite_classes(self.classes, part.classes)
        counts = self.counts.subtract(part.counts.with_classes(in_part))
        return self._replace(counts=counts, classes=list(self.classes), names=names)

    def united(self, other: Held) -> Held:
        """Return the sum of two counts, with terms matched by name if the names differ."""
        mine, theirs = self.names, other.names
        n_mine, n_theirs = self.counts.n_terms, other.counts.n_terms
        if mine is not None and theirs is not None:
            shared = min(len(mine), len(theirs))
            if (mine[:shared] != theirs[:shared]).any():
                names = _union(mine, theirs)
                return self._in_names(names).plus(other._in_names(names))
        elif n_mine and n_theirs and ((mine is None) != (theirs is None) or n_mine != n_theirs):
            raise ValueError(
                f"{n_mine} and {n_theirs} terms, not all with names: count with term_names, or add "
                "the counts (a + b) if each index means the same term in both"
            )
        return self.plus(other)

    def in_columns(
        self, new_column: NDArray[np.int64], n_terms: int, names: NDArray[np.object_] | None
    ) -> Held:
        """Return the counts with term i in column ``new_column[i]``; -1 drops the term."""
        counts = _in_columns(self.counts, new_column, n_terms)
        rules = None if names is None else self.rules  # hashes no longer give the columns of terms
        names = validation.check_term_names(names, n_terms)
        return self._replace(counts=counts, names=names, rules=rules)

    def renamed(self, labels: list[Hashable]) -> Held:
        """Return the counts with new labels for the classes, in sorted order of the labels."""
        if labels == self.classes:
            return self
        return self._replace(classes=labels).in_order(validation.in_order(labels))

    def in_order(self, classes: list[Hashable]) -> Held:
        """Return the counts with the same classes in another order."""
        row_of = {label: row for row, label in enumerate(self.classes)}
        counts = self.counts.with_classes([row_of[label] for label in classes])
        return self._replace(counts=counts, classes=classes)

    def _common_names(self, other: Held) -> NDArray[np.object_] | None:
        """Return the names of all terms; raise an error if ``tf`` or the common names differ."""
        if self.tf != other.tf:
            raise ValueError(f"the counts differ in tf, {self.tf!r} and {other.tf!r}")
        if self.names is None or other.names is None:
            longer = self if self.counts.n_terms >= other.counts.n_terms else other
            return longer.names
        shared = min(len(self.names), len(other.names))
        if len(differ := np.flatnonzero(self.names[:shared] != other.names[:shared])):
            mine, theirs = self.names[differ[0]], other.names[differ[0]]
            raise ValueError(
                f"the vocabularies differ: term {differ[0]} is {mine!r} in one and {theirs!r} in "
                "the other; termsift.merge matches terms by name"
            )
        return max(self.names, other.names, key=len)

    def _common_rules(self, other: Held) -> TextRules | None:
        """Return the rules of both counts; raise an error if they are known and differ.

        The rules of a matrix or table are unknown, so the rules of the other counts remain.
        """
        if self.rules is None or other.rules is None:
            return self.rules or other.rules
        check_same_rules(self.rules, other.rules)
        return self.rules

    def _in_names(self, column_of: dict[str, int]) -> Held:
        """Return the counts in the columns of a merged vocabulary."""
        assert self.names is not None
        columns = np.fromiter(map(column_of.__getitem__, self.names), np.int64, len(self.names))
        return self.in_columns(columns, len(column_of), validation.object_array(list(column_of)))


def _union(mine: NDArray[np.object_], theirs: NDArray[np.object_]) -> dict[str, int]:
    """Return the column of each name in the merged vocabulary."""
    for names in (mine, theirs):
        name, n_terms = Counter(names).most_common(1)[0]
        if n_terms > 1:
            raise ValueError(f"the vocabularies differ, and {name!r} names {n_terms} terms")
    both = dict.fromkeys([*mine.tolist(), *theirs.tolist()])
    are_sorted = all((names[1:] >= names[:-1]).all() for names in (mine, theirs))
    return dict(zip(sorted(both) if are_sorted else both, range(len(both)), strict=True))


def of_collection(
    counts: _core.Counts, frequency: Literal["term_frequency", "document_frequency"]
) -> NDArray[Any]:
    """Return a frequency of each term in the collection, where each document counts once."""
    if counts.has_collection or not counts.exact:  # sums of fractions depend on their order
        counts = counts.as_one_class()
    data, terms, _ = getattr(counts, frequency)()
    dense = np.zeros(counts.n_terms, dtype=data.dtype)
    np.add.at(dense, terms, data)
    return dense


def of_classes(counts: _core.Counts, groups: list[list[int]]) -> _core.Counts:
    """Return counts with one class for each group of rows."""
    if counts.has_collection:
        raise ValueError(
            "documents have several classes, and counts do not record which documents two classes "
            "share: count the documents of these classes instead"
        )
    # First take all groups that have only one row, then add the larger groups one by one.
    result = counts.with_classes([rows[0] if len(rows) == 1 else -1 for rows in groups])
    for place, rows in enumerate(groups):
        if len(rows) > 1:
            merged = counts.with_classes(rows).as_one_class()
            in_place = [0 if i == place else -1 for i in range(len(groups))]
            result = result.merge(merged.with_classes(in_place))
    held = result.to_arrays()
    held["n_docs"] = held["class_docs"].sum().item()  # documents of other classes do not count
    return _core.Counts.from_arrays(**held)


def _in_columns(counts: _core.Counts, new_column: NDArray[np.int64], n_terms: int) -> _core.Counts:
    """Return the counts with their terms in new columns; -1 drops a term."""
    held: dict[str, Any] = {**counts.to_arrays(), "n_terms": n_terms}
    columns = new_column[held["terms"]]
    kept = columns >= 0
    n_rows = len(held["indptr"]) - 1
    rows = np.repeat(np.arange(n_rows, dtype=np.int32), np.diff(held["indptr"]))[kept]
    columns = columns[kept].astype(np.int32)
    order: Any = slice(None)
    if (np.diff(new_column[new_column >= 0]) < 0).any():
        order = np.lexsort((columns, rows))
    sizes = np.bincount(rows, minlength=n_rows)
    held["indptr"] = np.append(0, np.cumsum(sizes, dtype=np.int64))
    held["terms"] = np.ascontiguousarray(columns[order])
    for name in ("term_frequency", "document_frequency"):
        held[name] = np.ascontiguousarray(held[name][kept][order])
    return _core.Counts.from_arrays(**held)
