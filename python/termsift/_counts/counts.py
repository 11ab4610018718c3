"""`Counts`: the counts of a collection by class, a frozen value that all scores read."""

from __future__ import annotations

import warnings
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._counts.adding import add_documents
from termsift._util import scipy, validation
from termsift._util.faults import Name, carrying, said, wrong_value
from termsift._util.messages import levels_to_caller
from termsift.text import TextRules
from termsift.text._rules import check_same_rules


class UnknownDocumentsError(ValueError, AttributeError):
    """Numbers of documents are unknown, as for a frequency list.

    As the error of an attribute, too, it makes ``hasattr(counts, "n_docs")`` False, where any other
    error would escape. scikit-learn's NotFittedError has the same bases.
    """


class CheckedRows(NamedTuple):
    """Rows of a matrix and their weights, which need no check any more."""

    X: Any  # as the caller passed the rows, for the names of columns
    matrix: validation.Csr
    weights: _core.Count | None
    n_threads: int

    @classmethod
    def of(cls, X: Any, sample_weight: Any, n_threads: int | None) -> Self:
        """Check the arguments X and sample_weight of a function that counts."""
        threads = validation.check_n_threads(n_threads)
        matrix = validation.check_matrix(X, threads, keep_csc=True)
        return cls(X, matrix, validation.check_weights(sample_weight, matrix.n_docs), threads)


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Counts by class, with the labels of the classes and the names of the terms.

    Nothing changes a value of this type, so that every result is one of a single state. The class
    `ClassCounts` documents the properties that have the same names here.
    """

    core: _core.Counts
    classes: list[Hashable]  # The labels of the rows of ``core``, which nobody may change.
    term_names: NDArray[np.object_] | None
    tf: str
    rules: TextRules | None = None  # The rules that cut the texts, or None if they are unknown.
    encoding: str | None = None  # The encoding of the files of texts, or None for UTF-8.
    # The warnings that were given about these counts, each of which is given only once. Counts
    # that are derived from others share the set with them.
    warned: set[str] = field(default_factory=set)
    # Whether a search has found that ``core`` has no fractions. The search is not repeated.
    known_whole: bool = field(default=False, init=False)

    # ---- the counts ------------------------------------------------------------------------------

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    @property
    def n_terms(self) -> int:
        return self.core.n_terms

    @property
    def has_documents(self) -> bool:
        return not self.core.undocumented.any()

    @property
    def n_docs(self) -> int | float:
        self.require_documents("n_docs")
        return self.core.n_docs

    @property
    def class_docs(self) -> _core.Count:
        self.require_documents("class_docs")
        return self.core.class_docs

    @property
    def class_tokens(self) -> _core.Count:
        return self.core.class_tokens

    @property
    def term_frequency(self) -> Any:
        shape = self.n_classes, self.n_terms
        return scipy.sparse.csr_array(self.core.term_frequency(), shape=shape)

    @property
    def document_frequency(self) -> Any:
        self.require_documents("document_frequency")
        shape = self.n_classes, self.n_terms
        return scipy.sparse.csr_array(self.core.document_frequency(), shape=shape)

    @property
    def collection_term_frequency(self) -> NDArray[Any]:
        return self.core.collection_term_frequency()

    @property
    def collection_document_frequency(self) -> NDArray[Any]:
        self.require_documents("document_frequency")
        return self.core.collection_document_frequency()

    @property
    def present(self) -> NDArray[np.bool_]:
        """Whether each class has documents or tokens; scores ignore all other classes."""
        present: NDArray[np.bool_] = (self.core.class_docs > 0) | (self.class_tokens > 0)
        return present

    def names_of(self, terms: NDArray[np.int64]) -> NDArray[np.object_] | None:
        """Return the names of some terms, or None if terms have no names."""
        return None if self.term_names is None else self.term_names[terms]

    def terms_at(self, columns: NDArray[np.int64]) -> NDArray[Any]:
        """Return the names of the terms in some columns, or the columns if terms have no names."""
        return columns if self.term_names is None else self.term_names[columns]

    def equals(self, other: Counts) -> bool:
        """Return whether classes, names, ``tf`` and, bit for bit, counts are equal."""
        mine, theirs = self.core, other.core
        if (self.tf, self.classes, mine.exact) != (other.tf, other.classes, theirs.exact):
            return False
        if not np.array_equal(self.term_names, other.term_names):  # type: ignore[arg-type]
            return False
        return mine.equals(theirs)

    # ---- what scores require ---------------------------------------------------------------------

    def require_documents(
        self, what: Name, cure: Name = "pass documents and class_docs to counts_from_table"
    ) -> None:
        """Check that the number of documents is known for every class."""
        for c in np.flatnonzero(self.core.undocumented):
            message = said(
                "{what} needs the documents of class {label!r}, which are unknown: its table has "
                "only occurrences; {cure}, or leave out the class with subset",
                what=what,
                label=self.classes[c],
                cure=cure,
            )
            raise carrying(UnknownDocumentsError, message)

    def require_every_term(self, what: Name) -> None:
        """Check that no class comes from a frequency list that leaves out terms."""
        for c in np.flatnonzero(self.core.unlisted_tokens):
            raise wrong_value(
                "{what} needs every term of class {label!r}, but its table left out {tokens}: "
                "pass the whole table",
                what=what,
                label=self.classes[c],
                tokens=validation.number_of(self.core.unlisted_tokens[c], "token"),
            )

    def warn_if_fractional(self, method: str) -> None:
        """Warn once if a method that needs occurrences reads unweighted counts with fractions."""
        if self.core.exact or self.tf != "raw" or self.known_whole or "fractions" in self.warned:
            return
        docs = self.core.class_docs
        if np.any(docs != np.floor(docs)):  # weights cause the fractions
            return
        if (fraction := self.core.first_fraction()) is None:
            object.__setattr__(self, "known_whole", True)  # what is known changes, not the value
        else:
            self.warned.add("fractions")
            c, term, value = fraction
            warnings.warn(
                said(
                    "{method} needs occurrences, but {X} holds fractions, such as tf-idf (in class "
                    "{label!r}, term {term} occurs {value:g} times): use CountVectorizer instead "
                    "of TfidfVectorizer; {tf='log'} damps its counts",
                    method=method,
                    label=self.classes[c],
                    term=term,
                    value=value,
                ),
                stacklevel=levels_to_caller(),
            )

    # ---- adding and subtracting ------------------------------------------------------------------

    @classmethod
    def nothing(cls, tf: str) -> Counts:
        """Return empty counts, to which other counts can be added."""
        return cls(_core.Counts(0, tf != "log"), [], None, tf)

    def updated(self, rows: CheckedRows, y: Any, classes: Any) -> Counts:
        """Return the counts of these and of further documents; see `ClassCounts.update`."""
        X, matrix, weights, threads = rows
        labels = validation.check_labels(y, matrix.n_docs, classes, self.classes or None)
        names = self.term_names
        validation.check_columns(X, names)
        if names is not None and matrix.n_terms > self.n_terms:
            if validation.column_names(X) is None:
                raise wrong_value(
                    "{X} has {terms}, but only {n_terms} {have_names}: set term_names to None "
                    "first",
                    terms=validation.number_of(matrix.n_terms, "term"),
                    n_terms=self.n_terms,
                    have_names="has a name" if self.n_terms == 1 else "have names",
                )
            names = validation.term_names_of(X, None, matrix.n_terms)
        labels, in_self = validation.united_labels(self.classes, labels)
        present = self.core.with_classes(in_self)
        core = add_documents(present, matrix, labels, weights, self.tf, threads)
        return self._with(core, labels.classes, names, self.rules)

    def plus(self, other: Counts) -> Counts:
        """Return the sum of two counts, with classes matched by label and terms by index."""
        rules, names = self._common_rules(other), self._common_names(other)
        united, in_self, in_other = validation.unite_classes(self.classes, other.classes)
        core = self.core.with_classes(in_self).merge(other.core.with_classes(in_other))
        warned = self.warned & other.warned  # what was said about one part may be new about both
        return Counts(core, united, names, self.tf, rules, self._common_encoding(other), warned)

    def minus(self, part: Counts) -> Counts:
        """Return these counts minus the counts of a part, and keep all classes."""
        self._common_rules(part)
        names = self._common_names(part)
        if unknown := set(part.classes).difference(self.classes):
            label = next(label for label in part.classes if label in unknown)
            raise wrong_value(
                "cannot subtract counts that are not part of these: class {label!r} is not among "
                "the classes",
                label=label,
            )
        _, _, in_part = validation.unite_classes(self.classes, part.classes)
        with validation.naming_classes(self.classes):
            core = self.core.subtract(part.core.with_classes(in_part))
        return self._with(core, self.classes, names, self.rules)

    def united(self, other: Counts) -> Counts:
        """Return the sum of two counts, with terms matched by name if the names differ."""
        mine, theirs = self.term_names, other.term_names
        n_mine, n_theirs = self.n_terms, other.n_terms
        if mine is not None and theirs is not None:
            shared = min(len(mine), len(theirs))
            if (mine[:shared] != theirs[:shared]).any():
                in_mine, in_theirs, order = _core.unite_names(mine.tolist(), theirs.tolist())
                names = _frozen(np.concatenate([mine, theirs])[order])
                return self._moved(in_mine, names).plus(other._moved(in_theirs, names))
        elif n_mine and n_theirs and ((mine is None) != (theirs is None) or n_mine != n_theirs):
            raise wrong_value(
                "{n_mine} and {n_theirs} terms, not all with names: count with {term_names}, or "
                "add the counts (a + b) if each index means the same term in both",
                n_mine=n_mine,
                n_theirs=n_theirs,
            )
        return self.plus(other)

    def in_columns(
        self, new_column: NDArray[np.int64], n_terms: int, names: NDArray[np.object_] | None
    ) -> Counts:
        """Return the counts with term i in column ``new_column[i]``; -1 drops the term."""
        names = validation.check_term_names(names, n_terms)
        core = self.core.in_columns(np.ascontiguousarray(new_column, np.int64), n_terms)
        rules = None if names is None else self.rules  # hashes no longer give the columns of terms
        return self._with(core, self.classes, names, rules)

    def of_groups(self, groups: dict[Hashable, list[int]], n_threads: int = 0) -> Counts:
        """Return the counts of groups of classes; ``groups`` maps each new label to its rows."""
        if self.core.has_collection:
            raise ValueError(
                "documents have several classes, and counts do not record which documents two "
                "classes share: count the documents of these classes instead"
            )
        core = self.core.of_classes(list(groups.values()), n_threads)
        return self._with(core, list(groups), self.term_names, self.rules)

    def with_min_df(self, min_df: int) -> Counts:
        """Return the counts of the terms that are in at least ``min_df`` documents."""
        return self.of_terms(self.collection_document_frequency >= min_df)

    def of_terms(self, kept: NDArray[np.bool_]) -> Counts:
        """Return the counts of the terms in a mask, in columns without gaps."""
        columns = np.where(kept, np.cumsum(kept) - 1, -1)
        if self.term_names is None:
            return self.in_columns(columns, int(kept.sum()), None)
        return self._moved(columns, _frozen(self.term_names[kept]))

    def renamed(self, labels: list[Hashable]) -> Counts:
        """Return the counts with new labels for the classes, in sorted order of the labels."""
        if labels == self.classes:
            return self
        renamed = self._with(self.core, labels, self.term_names, self.rules)
        return renamed.in_order(validation.in_order(labels))

    def in_order(self, classes: list[Hashable]) -> Counts:
        """Return the counts with the same classes in another order."""
        row_of = {label: row for row, label in enumerate(self.classes)}
        core = self.core.with_classes([row_of[label] for label in classes])
        return self._with(core, classes, self.term_names, self.rules)

    def _with(
        self,
        core: _core.Counts,
        classes: list[Hashable],
        term_names: NDArray[np.object_] | None,
        rules: TextRules | None,
    ) -> Counts:
        """Return counts that are derived from these; faster than `dataclasses.replace`."""
        return Counts(core, classes, term_names, self.tf, rules, self.encoding, self.warned)

    def _common_names(self, other: Counts) -> NDArray[np.object_] | None:
        """Return the names of all terms; raise an error if ``tf`` or the common names differ."""
        if self.tf != other.tf:
            raise wrong_value(
                "the counts differ in {tf}, {mine!r} and {theirs!r}",
                mine=self.tf,
                theirs=other.tf,
            )
        mine, theirs = self.term_names, other.term_names
        if mine is None or theirs is None:
            return mine if self.n_terms >= other.n_terms else theirs
        shared = min(len(mine), len(theirs))
        if len(differ := np.flatnonzero(mine[:shared] != theirs[:shared])):
            first = differ[0]
            raise ValueError(
                f"the vocabularies differ: term {first} is {mine[first]!r} in one and "
                f"{theirs[first]!r} in the other; termsift.merge matches terms by name"
            )
        return max(mine, theirs, key=len)

    def _common_rules(self, other: Counts) -> TextRules | None:
        """Return the rules of both counts; raise an error if they are known and differ.

        The rules of a matrix or table are unknown, so the rules of the other counts remain.
        """
        if self.rules is None or other.rules is None:
            return self.rules or other.rules
        check_same_rules(self.rules, other.rules)
        return self.rules

    def _common_encoding(self, other: Counts) -> str | None:
        """Return the encoding of the texts of both counts, if it is the same.

        The counts of a matrix or table have no texts, so the encoding of the other counts remains.
        """
        if self.rules is None or other.rules is None:
            return other.encoding if self.rules is None else self.encoding
        return self.encoding if self.encoding == other.encoding else None

    def _moved(self, new_column: NDArray[np.int64], names: NDArray[np.object_]) -> Counts:
        """Return the counts in new columns, whose names need no check."""
        core = self.core.in_columns(np.ascontiguousarray(new_column, np.int64), len(names))
        return self._with(core, self.classes, names, self.rules)


def _frozen(names: NDArray[np.object_]) -> NDArray[np.object_]:
    names.setflags(write=False)  # counts and rankings share the array
    return names
