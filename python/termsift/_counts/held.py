"""The content of `ClassCounts`: counts with their classes and names, and how to add them.

Counts that hold only some buckets of terms also record which buckets they hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._util import validation
from termsift.text import TextRules
from termsift.text._rules import check_same_rules


class PartOfTerms(NamedTuple):
    """The terms in some buckets; see the rule ``buckets`` of `TextRules`."""

    n_buckets: int
    buckets: tuple[int, ...]
    has_totals: bool = False  # Whether class_tokens includes the tokens of all terms.
    n_others: int | None = None  # The number of terms in other buckets, or None if unknown.

    @classmethod
    def of(cls, rules: TextRules) -> Self | None:
        """Return the buckets of terms that the rules keep, or None for all terms."""
        if rules.buckets is None:
            return None
        n, numbers = rules.buckets
        return None if len(numbers) == n else cls(n, tuple(numbers))

    @classmethod
    def read(cls, values: Any) -> Self:
        """Return a `PartOfTerms` from its JSON values, after checking them."""
        n, numbers, has_totals, n_others = values
        _, checked = TextRules(buckets=(n, numbers)).buckets or (n, ())
        if n_others is not None:
            validation.check_integer(n_others, "the number of other terms", 0, 2**63 - 1)
        if type(has_totals) is not bool or not (has_totals or n_others is None):
            raise ValueError("its buckets are invalid")
        return cls(n, tuple(checked), has_totals, n_others)

    def __str__(self) -> str:
        totals = ", with totals of all terms" if self.has_totals else ""
        return f"the terms of {len(self.buckets):,} of {self.n_buckets:,} buckets{totals}"

    def n_others_for(self, method: str, *, smooths: bool) -> int:
        """Return the number of terms in other buckets, or 0 if the method does not need it.

        Raise ValueError if the totals do not include all terms.
        """
        if not self.has_totals:
            raise ValueError(
                f"{method} needs the tokens of all terms, but these counts hold {self}: see "
                "ClassCounts.within"
            )
        if smooths and self.n_others is None:
            raise ValueError(
                f"{method} needs the number of all terms, which hashed counts do not have; for "
                "smoothing, pass alpha=(b1, b2)"
            )
        return (self.n_others or 0) if smooths else 0

    @staticmethod
    def of_both(a: PartOfTerms | None, b: PartOfTerms | None) -> PartOfTerms:
        """Return the union of two disjoint sets of buckets; ``n_others`` is not set."""
        if a is None or b is None or a.n_buckets != b.n_buckets:
            raise ValueError(f"cannot merge {a or 'all terms'} with {b or 'all terms'}")
        if both := set(a.buckets).intersection(b.buckets):
            raise ValueError(
                f"both counts have bucket {min(both)}: counts of different documents must have the "
                "same buckets, and counts of the same documents must have different buckets"
            )
        buckets = tuple(sorted(a.buckets + b.buckets))
        return PartOfTerms(a.n_buckets, buckets, a.has_totals and b.has_totals)


class Held(NamedTuple):
    """Immutable counts with their classes, names and rules."""

    counts: _core.Counts
    classes: list[Hashable]  # The labels of the rows of ``counts``.
    names: NDArray[np.object_] | None  # The names of the terms.
    tf: str
    rules: TextRules | None = None  # The rules that cut the texts, or None if they are unknown.
    part: PartOfTerms | None = None  # The buckets of terms, or None if all terms are present.

    @classmethod
    def nothing(cls, tf: str) -> Held:
        """Return empty counts, to which other counts can be added."""
        return cls(_core.Counts(0, tf != "log"), [], None, tf)

    def plus(self, other: Held) -> Held:
        """Return the sum of two counts, with classes matched by label and terms by index."""
        if self.part != other.part and self.classes and other.classes:
            return self._beside(other)
        self._check_no_totals()
        rules, names = self._common_rules(other), self._common_names(other)
        united, in_self, in_other = validation.unite_classes(self.classes, other.classes)
        counts = self.counts.with_classes(in_self).merge(other.counts.with_classes(in_other))
        return Held(counts, united, names, self.tf, rules, self.part or other.part)

    def minus(self, part: Held) -> Held:
        """Return these counts minus the counts of a part, and keep all classes."""
        if self.part != part.part:
            raise ValueError("cannot subtract counts that hold other buckets of terms")
        self._check_no_totals()
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
        """Return the sum of two counts, with terms matched by name if the names differ.

        If two parts hold different buckets of terms, the result holds the terms of both.
        """
        if self.part != other.part:
            return self.plus(other)
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
        counts, part = _in_columns([self.counts], [new_column], n_terms), self.part
        if part is not None and part.has_totals:  # the totals still include the dropped terms
            n_dropped = self.counts.n_terms - n_terms
            n_others = None if part.n_others is None else part.n_others + n_dropped
            part = part._replace(n_others=n_others)
            counts = _with_totals(counts, _totals(self.counts))
        rules = None if names is None else self.rules  # hashes no longer give the columns of terms
        names = validation.check_term_names(names, n_terms)
        return self._replace(counts=counts, names=names, rules=rules, part=part)

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

    def within(self, parts: Iterable[Any]) -> Held:
        """Return the counts with the totals of all terms; see `ClassCounts.within`."""
        if self.part is None:
            return self  # all terms
        totals: Any = 0
        seen: PartOfTerms | None = None
        n_terms: int | None = 0
        for number, counts in enumerate(validation.check_iterable(parts, "parts", "ClassCounts")):
            with validation.naming(f"part {number}"):
                validation.check_counts(counts)
                other: Held = counts._state
                self._check_same_documents(other)
                part = other.part
                if other.rules is not None and other.rules.hashing is not None:
                    if other.tf != "raw" or other.rules.binary:
                        raise ValueError("hashed totals need tf='raw' and binary=False")
                    part, n_terms = PartOfTerms(1, (0,)), None
                if part is None:
                    raise ValueError("expected counts of some buckets, or hashed counts")
                seen = part if seen is None else PartOfTerms.of_both(seen, part)
            totals = totals + _listed_tokens(other.counts)
            n_terms = None if n_terms is None else n_terms + other.counts.n_terms
        if seen is None or len(seen.buckets) < seen.n_buckets:
            raise ValueError(f"expected counts of all buckets, got {seen or 'none'}")
        n_others = None if n_terms is None else n_terms - self.counts.n_terms
        part = self.part._replace(has_totals=True, n_others=n_others)
        return self._replace(counts=_with_totals(self.counts, totals), part=part)

    def _beside(self, other: Held) -> Held:
        """Return the counts of the terms of both objects, which must hold different buckets."""
        part = PartOfTerms.of_both(self.part, other.part)
        self._check_same_documents(other)
        if self.names is None or other.names is None:
            raise ValueError(
                "merging different buckets needs the names of terms: these counts have none"
            )
        names = np.concatenate([self.names, other.names])
        order = np.argsort(names, kind="stable")
        columns = np.split(np.argsort(order), [len(self.names)])
        counts = _in_columns([self.counts, other.counts], columns, len(names))
        totals, n_others = _totals(self.counts), self.part and self.part.n_others
        if not part.has_totals:
            totals = _listed_tokens(counts)
        elif (totals != _totals(other.counts)).any():
            raise ValueError("the totals of all terms differ")
        elif n_others is not None:
            part = part._replace(n_others=n_others - other.counts.n_terms)
        counts = _with_totals(counts, totals)
        left_out = part.n_others or counts.unlisted_tokens.any()
        kept = part if left_out or len(part.buckets) < part.n_buckets else None
        return Held(counts, self.classes, names[order], self.tf, self.rules, kept)

    def _check_same_documents(self, other: Held) -> None:
        """Check that both counts are exact and are counts of the same documents."""
        mine, theirs = self.counts, other.counts
        if not (mine.exact and theirs.exact):
            raise ValueError("buckets of terms need exact counts: leave out tf='log'")
        a, b = (h.rules and replace(h.rules, hashing=None) for h in (self, other))
        for what, x, y in (
            ("rules", a, b),
            ("tf", self.tf, other.tf),
            ("classes", self.classes, other.classes),
            ("n_docs", mine.n_docs, theirs.n_docs),
            ("class_docs", mine.class_docs.tolist(), theirs.class_docs.tolist()),
        ):
            if x != y:
                raise ValueError(f"buckets must be of the same documents, but differ in {what}")

    def _check_no_totals(self) -> None:
        if self.part is not None and self.part.has_totals:
            raise ValueError("add and subtract documents before `within`, which fixes the totals")

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


def _listed_tokens(counts: _core.Counts) -> Any:
    """Return the number of tokens in each row of exact counts, without unlisted terms."""
    held = counts.to_arrays()
    return np.diff(np.append(0, np.cumsum(held["term_frequency"]))[held["indptr"]])


def _totals(counts: _core.Counts) -> Any:
    """Return the number of tokens in each row of exact counts, including unlisted terms."""
    return _listed_tokens(counts) + counts.to_arrays()["unlisted_tokens"]


def _with_totals(counts: _core.Counts, totals: Any) -> _core.Counts:
    """Return the counts with the given number of tokens in each row."""
    unlisted = totals - _listed_tokens(counts)
    if unlisted.min(initial=0) < 0:
        raise ValueError("a total of all terms is smaller than the total of these terms")
    held: dict[str, Any] = {**counts.to_arrays(), "unlisted_tokens": unlisted}
    return _core.Counts.from_arrays(**held)


def _in_columns(
    parts: list[_core.Counts], new_columns: list[NDArray[np.int64]], n_terms: int
) -> _core.Counts:
    """Return the counts of all parts, with their terms in new columns; -1 drops a term.

    The parts hold different terms of the same documents.
    """
    arrays: list[Any] = [part.to_arrays() for part in parts]
    held: dict[str, Any] = {**arrays[0], "n_terms": n_terms}
    columns = np.concatenate([c[a["terms"]] for a, c in zip(arrays, new_columns, strict=True)])
    kept = columns >= 0
    n_rows = len(held["indptr"]) - 1
    each = np.arange(n_rows, dtype=np.int32)
    rows = np.concatenate([np.repeat(each, np.diff(a["indptr"])) for a in arrays])[kept]
    columns = columns[kept].astype(np.int32)
    order: Any = slice(None)
    if len(parts) > 1 or (np.diff(new_columns[0][new_columns[0] >= 0]) < 0).any():
        order = np.lexsort((columns, rows))
    sizes = np.bincount(rows, minlength=n_rows)
    held["indptr"] = np.append(0, np.cumsum(sizes, dtype=np.int64))
    held["terms"] = np.ascontiguousarray(columns[order])
    for name in ("term_frequency", "document_frequency"):
        values = np.concatenate([a[name] for a in arrays])
        held[name] = np.ascontiguousarray(values[kept][order])
    return _core.Counts.from_arrays(**held)
