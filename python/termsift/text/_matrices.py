"""Count the terms of texts, and return the counts as a matrix with a row for each text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._util import scipy
from termsift._util.validation import object_array
from termsift.text._cutting import Bounds, Cutting
from termsift.text._terms import drops, kept_terms

if TYPE_CHECKING:
    from termsift.text._documents import Documents
    from termsift.text._rules import TextRules

_Arrays: TypeAlias = "tuple[_core.Int64s, _core.Int32s, _core.Int64s]"  # data, indices, indptr


def count_blocks(
    blocks: Iterable[_core.Texts],
    rules: TextRules,
    threads: int,
    documents: Documents | None = None,
) -> tuple[scipy.sparse.csr_array, NDArray[np.object_] | None]:
    """Return one matrix for all blocks, and the names of its terms (None if terms are hashed).

    ``documents``, of which the blocks are, are told about words that are cut at combining marks.
    """
    if rules.hashing is not None or rules.vocabulary is not None:
        fixed = FixedColumns(rules, threads)
        counts = map(fixed.count, blocks)
        parts = ((part.data, part.indices, part.indptr) for part in counts)
        return stacked(parts, fixed.n_columns), fixed.names
    cutting = Cutting(rules)
    pieces = chain.from_iterable(map(cutting.pieces, blocks))
    counter, n_docs = counter_of(pieces, cutting.native, threads)
    if documents is not None:
        documents.note_words(counter)
    kept = kept_columns(rules, counter, n_docs, threads)
    names = counter.term_array(kept)
    X = csr(counter.matrix(kept, threads), len(names))
    if rules.binary:
        X.data.fill(1)
    return X, names


class FixedColumns:
    """Counts blocks of texts in columns that are known from the start.

    The columns are the terms of a vocabulary, or the hashes of terms.

    Attributes
    ----------
    n_columns : int
        The number of columns.
    names : ndarray of str or None
        The terms in the order of their columns, or None if terms are hashed.
    """

    def __init__(self, rules: TextRules, n_threads: int = 0) -> None:
        self._binary, self._threads = rules.binary, n_threads
        self._cutting = Cutting(rules)
        self._index: _core.TextIndex | None = None
        self.names: NDArray[np.object_] | None = None
        if (columns := rules.column_of_each()) is None:
            assert rules.hashing is not None
            self.n_columns = int(rules.hashing)
        else:
            self.n_columns = len(columns)
            self.names = object_array(sorted(columns, key=columns.__getitem__))
            self._index = _core.TextIndex(self._cutting.native, self.names.tolist())

    def count(self, texts: _core.Texts) -> scipy.sparse.csr_array:
        """Return the counts of a block."""
        X = stacked(map(self._counted, self._cutting.pieces(texts)), self.n_columns)
        if self._binary:
            X.data.fill(1)
        return X

    def _counted(self, texts: _core.Texts) -> _Arrays:
        if self._index is not None:
            return self._index.matrix(texts, self._threads)
        native, width = self._cutting.native, self.n_columns
        return _core.hashed_matrix(native, texts, width, False, self._threads)


class GrowingColumns:
    """Counts blocks of texts in a column for each term so far, in the order of the blocks."""

    def __init__(self, rules: TextRules, n_threads: int = 0, bounds: Bounds | None = None) -> None:
        self._binary, self._threads = rules.binary, n_threads
        self._cutting = Cutting(rules, bounds)
        self._columns: dict[str, int] = {}

    @property
    def n_columns(self) -> int:
        """The number of terms so far."""
        return len(self._columns)

    @property
    def names(self) -> NDArray[np.object_]:
        """The terms in the order of their columns."""
        return object_array(list(self._columns))

    def count(self, texts: _core.Texts) -> scipy.sparse.csr_array:
        """Return the counts of a block. The column indices of a row may be unsorted."""
        pieces = self._cutting.pieces(texts)
        counter, _ = counter_of(pieces, self._cutting.native, self._threads)
        of_block = [self._columns.setdefault(t, len(self._columns)) for t in counter.terms()]
        data, indices, indptr = counter.matrix(None, self._threads)
        columns = np.array(of_block, dtype=np.int64)[indices]
        X = csr((data, columns, indptr), self.n_columns)
        if self._binary:
            X.data.fill(1)
        return X


def counter_of(
    blocks: Iterable[_core.Texts], native: _core.TextRules, n_threads: int
) -> tuple[_core.TextCounter, int]:
    """Count blocks of texts. Return the counter, sorted by term, and the number of texts."""
    counter, n_docs = _core.TextCounter(native), 0
    for block in blocks:
        counter.add(block, None, n_threads)
        n_docs += len(block)
    counter.sort(n_threads)
    return counter, n_docs


def kept_columns(
    rules: Any, counter: _core.TextCounter, n_docs: int, n_threads: int, dtype: Any = np.int64
) -> NDArray[np.int32] | None:
    """Return the new column of each term of a sorted counter, or -1 if the term is dropped.

    The result None means that all terms are kept. ``dtype``, the dtype of the matrix, determines
    how ties are broken.
    """
    if not drops(rules):
        return None
    documents = counter.document_frequency(n_threads)
    once = rules.binary or rules.max_features is None or np.dtype(dtype).kind == "b"
    occurrences = documents if once else counter.term_frequency(n_threads)
    of_sums = np.empty(0, dtype).sum().dtype  # as in scikit-learn, which sums a matrix of dtype
    kept = kept_terms(rules, n_docs, documents, occurrences.astype(of_sums))
    return np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)


def csr(parts: tuple[Any, Any, Any], n_columns: int) -> scipy.sparse.csr_array:
    """Return the CSR matrix of (data, indices, indptr), with 64-bit indices only if needed."""
    data, *others = parts
    index = np.int32 if len(data) < 2**31 else np.int64  # scipy copies indices of different dtypes
    indices, indptr = (part.astype(index, copy=False) for part in others)
    return scipy.sparse.csr_array((data, indices, indptr), shape=(len(indptr) - 1, n_columns))


def strings(texts: _core.Texts) -> Iterator[Any]:
    """Yield the texts of a block."""
    return (texts[row] for row in range(len(texts)))


def stacked(parts: Iterable[tuple[Any, Any, Any]], n_columns: int) -> scipy.sparse.csr_array:
    """Return one matrix of all blocks of rows. A part is the (data, indices, indptr) of a block."""
    blocks = [csr(part, n_columns) for part in parts]
    if len(blocks) == 1:
        return blocks[0]
    empty = scipy.sparse.csr_array((0, n_columns), dtype=np.int64)
    return scipy.sparse.csr_array(scipy.sparse.vstack([empty, *blocks], format="csr"))
