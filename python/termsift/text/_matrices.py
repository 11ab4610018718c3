"""Count the terms of texts, and return the counts as a matrix with a row for each text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._util import scipy
from termsift._util.validation import object_array
from termsift.text._cutting import TOKENS, Bounds, Cutting, unexpected
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
    if rules.stems_words:
        return _stemmed_blocks(blocks, rules, threads)
    cutting = Cutting(rules)
    pieces = chain.from_iterable(map(cutting.pieces, blocks))
    counter, n_docs = counter_of(pieces, cutting.native, threads)
    if documents is not None:
        documents.note_words(counter)
    kept = kept_columns(rules, counter, n_docs, threads)
    names = object_array(counter.terms(kept))
    X = csr(counter.matrix(kept, threads), len(names))
    if rules.binary:
        X.data.fill(1)
    return X, names


def _stemmed_blocks(
    blocks: Iterable[_core.Texts], rules: TextRules, threads: int
) -> tuple[scipy.sparse.csr_array, NDArray[np.object_]]:
    """Return one matrix of the stems in all blocks, and the stems."""
    growing = GrowingColumns(rules, threads)
    counts = [growing.count(block) for block in blocks]
    X = stacked(((x.data, x.indices, x.indptr) for x in counts), growing.n_columns)
    order = np.argsort(growing.names, kind="stable")
    if drops(rules):
        documents = np.bincount(X.indices, minlength=X.shape[1])
        occurrences = np.bincount(X.indices, X.data, X.shape[1]).astype(np.int64)
        order = order[kept_terms(rules, X.shape[0], documents[order], occurrences[order])]
    X = X[:, order]
    X.sort_indices()
    return X, growing.names[order]


class _Stemming:
    """Counts the stems of words that the core cuts, where each distinct word has one call."""

    def __init__(self, rules: TextRules, n_threads: int) -> None:
        self._cutting, self._threads = Cutting(replace(rules, stem=None)), n_threads
        self._stem = rules.cached_stem()
        self._is_gram = rules.ngram_range[1] > 1

    def _stems(self, terms: list[str]) -> Iterable[str]:
        if not self._is_gram:
            return map(self._stem, terms)
        return (" ".join(map(self._stem, term.split(" "))) for term in terms)

    def count(
        self, texts: _core.Texts, columns_of: Callable[[Iterable[str]], list[int]]
    ) -> tuple[_Arrays, NDArray[np.int32]]:
        """Return the counts of words in a block, and the column of the stem of each word."""
        counter, _ = counter_of(self._cutting.pieces(texts), self._cutting.native, self._threads)
        columns = columns_of(self._stems(counter.terms()))
        return counter.matrix(None, self._threads), np.array(columns, dtype=np.int32)


def _added(counts: _Arrays, columns: NDArray[np.int32], n_columns: int) -> scipy.sparse.csr_array:
    """Return counts in new columns. Words of the same column are added, words of -1 left out."""
    data, indices, indptr = counts
    new = columns[indices]
    if len(columns) and columns.min() < 0:
        kept = new >= 0
        ends = np.concatenate([[0], np.cumsum(kept)])
        data, new, indptr = data[kept], new[kept], ends[indptr]
    X = csr((data, new, indptr), n_columns)
    X.sum_duplicates()
    return X


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
        self._stemming = _Stemming(rules, n_threads) if rules.stems_words else None
        self._cutting = Cutting(replace(rules, stem=None) if self._stemming else rules)
        self._index: _core.TextIndex | None = None
        self.names: NDArray[np.object_] | None = None
        if (columns := rules.column_of_each()) is None:
            assert rules.hashing is not None
            self.n_columns = int(rules.hashing)
        else:
            self.n_columns = len(columns)
            self.names = object_array(sorted(columns, key=columns.__getitem__))
            self._columns = columns
            self._index = _core.TextIndex(self._cutting.native, self.names.tolist())

    def count(self, texts: _core.Texts) -> scipy.sparse.csr_array:
        """Return the counts of a block."""
        if self._stemming is not None:
            X = _added(*self._stemming.count(texts, self._columns_of), self.n_columns)
        else:
            X = stacked(map(self._counted, self._cutting.pieces(texts)), self.n_columns)
        if self._binary:
            X.data.fill(1)
        return X

    def _counted(self, texts: _core.Texts) -> _Arrays:
        if self._index is not None:
            return self._index.matrix(texts, self._threads)
        native, width = self._cutting.native, self.n_columns
        return _core.hashed_matrix(native, texts, width, False, self._threads)

    def _columns_of(self, stems: Iterable[str]) -> list[int]:
        if self.names is not None:
            return [self._columns.get(stem, -1) for stem in stems]
        texts, native = _core.Texts.of_strings(list(stems)), _core.TextRules(*TOKENS)
        lists = _core.Texts.of_tokens(texts, lambda stem: [stem], unexpected, 0, 2**62)
        _, columns, _ = _core.hashed_matrix(native, lists, self.n_columns, False, self._threads)
        return list(columns.tolist())


class GrowingColumns:
    """Counts blocks of texts in a column for each term so far, in the order of the blocks."""

    def __init__(self, rules: TextRules, n_threads: int = 0, bounds: Bounds | None = None) -> None:
        self._binary, self._threads = rules.binary, n_threads
        stems = rules.stems_words and bounds is None
        self._stemming = _Stemming(rules, n_threads) if stems else None
        self._cutting = None if stems else Cutting(rules, bounds)
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
        if self._stemming is not None:
            X = _added(*self._stemming.count(texts, self._columns_of), self.n_columns)
        else:
            assert self._cutting is not None
            pieces = self._cutting.pieces(texts)
            counter, _ = counter_of(pieces, self._cutting.native, self._threads)
            of_block = self._columns_of(counter.terms())
            data, indices, indptr = counter.matrix(None, self._threads)
            columns = np.array(of_block, dtype=np.int64)[indices]
            X = csr((data, columns, indptr), self.n_columns)
        if self._binary:
            X.data.fill(1)
        return X

    def _columns_of(self, terms: Iterable[str]) -> list[int]:
        return [self._columns.setdefault(term, len(self._columns)) for term in terms]


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
