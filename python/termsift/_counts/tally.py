"""Add up the counts of the blocks of a stream.

If possible, the core counts texts by class directly, without a matrix for each block of texts.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Protocol

import numpy as np

from termsift import _core
from termsift._counts.adding import add_block, add_documents
from termsift._counts.counts import Counts
from termsift._util import validation
from termsift.text import TextRules
from termsift.text._cutting import Bounds, Cutting
from termsift.text._documents import Columns, Counted, Documents
from termsift.text._matrices import FixedColumns, GrowingColumns, kept_columns
from termsift.text._terms import kept_terms

STRING_BYTES = 200  # The approximate number of bytes of a term as a Python string with counts.


def tally_of(
    documents: Documents, rules: TextRules, tf: str, n_threads: int, bounds: Bounds | None
) -> Tally:
    """Return what counts the rows of matrices or, by class if possible, texts.

    If there are ``bounds``, terms of texts that are too rare are left out.
    """
    if not documents.has_texts:
        return ByRow(tf, n_threads)
    if rules.hashing is not None or rules.vocabulary is not None:
        return InFixedColumns(rules, tf, n_threads)
    if tf == "log":  # logarithms are added in the order of the documents
        return InGrowingColumns(rules, tf, n_threads, bounds)
    return ByClass(rules, tf, n_threads, documents.one_label_each, bounds)


class Tally(Protocol):
    """Counts blocks of one kind. The classes of each block begin with those of the last block."""

    def add(self, content: Any, labels: validation.Labels) -> None:
        """Count the documents of a block."""

    @property
    def n_bytes(self) -> int:
        """The approximate number of bytes that the terms so far take."""

    def counts(self, classes: list[Hashable], n_docs: int) -> Counts:
        """Return the counts of all documents. ``classes`` lists the labels by class number."""


class ByRow:
    """Counts the rows of matrices."""

    n_bytes = 0

    def __init__(self, tf: str, n_threads: int) -> None:
        self._tf, self._n_threads = tf, n_threads
        self._counts = _core.GrowingCounts(Counts.nothing(tf).core)
        self._columns: list[tuple[int, int, _core.Counts]] = []  # the parts of `joined_columns`

    def add(self, content: validation.Csr | Columns, labels: validation.Labels) -> None:
        if isinstance(content, Columns):
            if not content.first:
                self._add_columns()
            threads = self._n_threads
            part = add_documents(None, content.matrix, labels, None, self._tf, threads)
            self._columns.append((content.first, content.n_terms, part))
            return
        self._add_columns()
        matrix = content.by_document(self._n_threads)
        add_block(self._counts, matrix, labels, self._tf, self._n_threads)

    def _add_columns(self) -> None:
        """Add the counts of a matrix that came by columns."""
        if self._columns:
            whole = joined_columns(self._columns)
            before = self._counts.counts(len(whole.class_docs))
            self._counts = _core.GrowingCounts(before.merge(whole, self._n_threads))
            self._columns = []

    def counts(self, classes: list[Hashable], n_docs: int) -> Counts:
        self._add_columns()
        return Counts(self._counts.counts(len(classes)), classes, None, self._tf)


def joined_columns(parts: list[tuple[int, int, _core.Counts]]) -> _core.Counts:
    """Return the counts of a matrix from the counts of its columns.

    A part has the number of the columns before, the number of all columns, and the counts.
    """
    arrays = [part.to_arrays() for _, _, part in parts]
    n_classes = len(arrays[0]["class_docs"])
    class_of = [np.repeat(np.arange(n_classes), np.diff(part["indptr"])) for part in arrays]
    terms = [part["terms"] + first for (first, _, _), part in zip(parts, arrays, strict=True)]
    order = np.argsort(np.concatenate(class_of), kind="stable")
    n_pairs = sum(np.diff(part["indptr"]) for part in arrays)
    by_name = {
        name: np.concatenate([part[name] for part in arrays])[order]
        for name in ("term_frequency", "document_frequency")
    }
    return _core.Counts.from_arrays(
        n_terms=parts[0][1],
        n_docs=arrays[0]["n_docs"],
        has_collection=False,
        class_docs=arrays[0]["class_docs"],
        indptr=np.append(0, np.cumsum(n_pairs)),
        terms=np.concatenate(terms)[order].astype(np.int32),
        **by_name,
    )


class ByClass:
    """Counts terms by class in the core, which makes no matrix of the documents.

    Attributes
    ----------
    counter : _core.TextCounter
        The counter of the core.
    reads_tables : bool
        Whether the core can read tables while it counts them.
    """

    def __init__(
        self,
        rules: TextRules,
        tf: str,
        n_threads: int,
        one_label_each: bool,
        bounds: Bounds | None,
    ) -> None:
        self._rules, self._tf, self._n_threads = rules, tf, n_threads
        self._cutting = Cutting(rules, bounds)
        self.counter = _core.TextCounter(self._cutting.native, by_class=True)
        self.reads_tables = one_label_each and self._cutting.by_core

    def add(self, content: _core.Texts, labels: validation.Labels) -> None:
        first = 0
        for piece in self._cutting.pieces(content):
            last = first + len(piece)
            part = labels if len(piece) == len(content) else labels.of(slice(first, last))
            self.counter.add(piece, part.codes, self._n_threads, part.indptr)
            first = last
            del piece  # free the terms before the next texts are cut

    @property
    def n_bytes(self) -> int:
        """The approximate number of bytes that the terms and counts so far take."""
        return self.counter.n_bytes

    def add_table(self, table: _core.Table, n_bytes: int) -> Counted:
        """Count about the next ``n_bytes`` of a table, and tell what the core has counted."""
        n_before = self.counter.n_empty
        n_docs = table.count(self.counter, n_bytes, self._n_threads)
        return Counted(n_docs, self.counter.n_empty - n_before)

    def counts(self, classes: list[Hashable], n_docs: int) -> Counts:
        """Return the counts of all documents. ``classes`` lists the labels by class number."""
        counter, threads = self.counter, self._n_threads
        counter.sort(threads)
        columns = kept_columns(self._rules, counter, n_docs, threads)
        binary = self._rules.binary or self._tf == "binary"
        counts = counter.counts(len(classes), columns, binary, threads)
        return Counts(counts, classes, counter.term_array(columns), self._tf)


class InFixedColumns:
    """Counts blocks of texts as matrices, with a column for each hash or term of a vocabulary."""

    n_bytes = 0  # the terms take no memory, because their columns are known

    def __init__(self, rules: TextRules, tf: str, n_threads: int) -> None:
        self._n_threads = n_threads
        self._blocks, self._rows = FixedColumns(rules, n_threads), ByRow(tf, n_threads)

    def add(self, content: _core.Texts, labels: validation.Labels) -> None:
        X = self._blocks.count(content)
        self._rows.add(validation.check_matrix(X, self._n_threads), labels)

    def counts(self, classes: list[Hashable], n_docs: int) -> Counts:
        """Return the counts of all documents. ``classes`` lists the labels by class number."""
        counts = self._rows.counts(classes, n_docs)
        # Without documents, only `self._blocks` knows the number of columns.
        return counts.in_columns(
            np.arange(counts.n_terms), self._blocks.n_columns, self._blocks.names
        )


class InGrowingColumns:
    """Counts blocks of texts as matrices, with a column for each term found so far."""

    def __init__(self, rules: TextRules, tf: str, n_threads: int, bounds: Bounds | None) -> None:
        self._rules, self._n_threads = rules, n_threads
        self._blocks, self._rows = GrowingColumns(rules, n_threads, bounds), ByRow(tf, n_threads)
        # For the rules that drop terms, the documents and the occurrences of each term, where a
        # document of several classes counts once.
        self._totals = np.zeros((2, 0), dtype=np.int64)

    def add(self, content: _core.Texts, labels: validation.Labels) -> None:
        X = self._blocks.count(content)
        if self._rules.drops:
            added = np.array([np.bincount(X.indices, minlength=X.shape[1]), X.sum(axis=0)])
            added[:, : self._totals.shape[1]] += self._totals
            self._totals = added
        self._rows.add(validation.check_matrix(X, self._n_threads), labels)

    @property
    def n_bytes(self) -> int:
        """The approximate number of bytes of the terms found so far, which are Python strings."""
        return STRING_BYTES * self._blocks.n_columns

    def counts(self, classes: list[Hashable], n_docs: int) -> Counts:
        """Return the counts of all documents. ``classes`` lists the labels by class number."""
        counts, names = self._rows.counts(classes, n_docs), self._blocks.names
        order = np.argsort(names, kind="stable")
        if self._rules.drops:
            documents, occurrences = self._totals[:, order]
            order = order[kept_terms(self._rules, n_docs, documents, occurrences)]
        new_column = np.full(len(names), -1)
        new_column[order] = np.arange(len(order))
        return counts.in_columns(new_column, len(order), names[order])
