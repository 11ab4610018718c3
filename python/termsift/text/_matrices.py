"""Count the terms of texts in a matrix with a row for each text.

The core counts them. Terms that only Python can cut are counted here, in the same columns.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from termsift import _core
from termsift._util import scipy
from termsift._util.tabular import object_array
from termsift.text._terms import drops, kept_terms

if TYPE_CHECKING:
    import numpy.typing as npt


def count_blocks(
    blocks: Iterable[_core.Texts], rules: Any, threads: int
) -> tuple[scipy.sparse.csr_array, npt.NDArray[np.object_] | None]:
    """Count the terms of blocks of texts; see `TextRules.count`."""
    columns = rules.columns()
    native = rules.native
    if native is not None and rules.hashing is None and columns is None:
        counter, n_docs = counted(blocks, native, threads)
        kept = kept_columns(rules, counter, n_docs, threads)
        names = object_array(counter.terms(kept))
        X = csr(counter.matrix(kept, threads), len(names))
        if rules.binary:
            X.data.fill(1)
    else:
        words = {} if columns is None else columns
        by_block = BlockCounter(rules, words, grows=columns is None, n_threads=threads)
        rows = [by_block.count(block) for block in blocks]
        parts = ((part.data, part.indices, part.indptr) for part in rows)
        X = stacked(parts, len(words) if rules.hashing is None else rules.hashing)
        names = object_array(sorted(words, key=words.__getitem__))
        if columns is None and rules.hashing is None:
            X, names = _sorted_and_kept(X, names, rules)
        X.sort_indices()
    return X, names if rules.hashing is None else None


class BlockCounter:
    """Counts blocks of texts in the columns of ``words``, or of their hashes.

    The rules drop no term. If it ``grows``, new terms join ``words``: those of a block are sorted
    and get the next columns. Otherwise ``words`` must not change.
    """

    def __init__(
        self, rules: Any, words: dict[str, int], *, grows: bool = True, n_threads: int = 0
    ) -> None:
        self._words, self._grows, self._threads = words, grows, n_threads
        self._hashing, self._binary, self._native = rules.hashing, rules.binary, rules.native
        self._index: _core.TextIndex | None = None
        if self._native is None:
            self._cut = rules.cutter()
        elif self._hashing is None and not grows:
            self._index = _core.TextIndex(self._native, sorted(words, key=words.__getitem__))

    def count(self, texts: _core.Texts) -> scipy.sparse.csr_array:
        """Return the counts of a block, in rows that may be unsorted."""
        X = self._occurrences(texts)
        if self._binary:
            X.data.fill(1)
        return X

    def _occurrences(self, texts: _core.Texts) -> scipy.sparse.csr_array:
        if self._native is None:
            return _count_rows(map(self._cut, strings(texts)), self._words, grows=self._grows)
        if self._hashing is not None:
            parts = _core.hashed_matrix(self._native, texts, self._hashing, False, self._threads)
            return csr(parts, self._hashing)
        if self._index is not None:
            return csr(self._index.matrix(texts, self._threads), len(self._words))
        counter, _ = counted([texts], self._native, self._threads)
        columns = _learn(counter.terms(), self._words)
        data, indices, indptr = counter.matrix(None, self._threads)
        return csr((data, columns[indices], indptr), len(self._words))


def counted(
    blocks: Iterable[_core.Texts], native: _core.TextRules, n_threads: int
) -> tuple[_core.TextCounter, int]:
    """Return a sorted counter of blocks of texts, and the number of texts."""
    counter, n_docs = _core.TextCounter(native), 0
    for block in blocks:
        counter.add(block, None, n_threads)
        n_docs += len(block)
    counter.sort(n_threads)
    return counter, n_docs


def kept_columns(
    rules: Any, counter: _core.TextCounter, n_docs: int, n_threads: int, dtype: Any = np.int64
) -> npt.NDArray[np.int32] | None:
    """Return the column of each term of a sorted counter, -1 if it is dropped; None if all stay.

    ``dtype`` is that of the matrix. In a bool matrix a term counts once in a document, and the
    ties of max_features depend on the dtype of its sums.
    """
    if not drops(rules):
        return None
    documents = counter.document_frequency(n_threads)
    once = rules.binary or rules.max_features is None or np.dtype(dtype).kind == "b"
    occurrences = documents if once else counter.term_frequency(n_threads)
    total = scipy.sparse.csr_array((1, 1), dtype=dtype).sum(axis=0)
    kept = kept_terms(rules, n_docs, documents, occurrences.astype(total.dtype))
    return np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)


# ---- parts -------------------------------------------------------------------------------------


def csr(parts: tuple[Any, Any, Any], n_columns: int) -> scipy.sparse.csr_array:
    """Return the matrix of data, indices and indptr, with indices of 32 bits if they suffice."""
    data, *others = parts
    index = np.int32 if len(data) < 2**31 else np.int64  # scipy would copy indices of two kinds
    indices, indptr = (part.astype(index, copy=False) for part in others)
    return scipy.sparse.csr_array((data, indices, indptr), shape=(len(indptr) - 1, n_columns))


def strings(texts: _core.Texts) -> Iterator[Any]:
    """Yield the texts of a block."""
    return (texts[row] for row in range(len(texts)))


def _learn(terms: list[str], words: dict[str, int]) -> npt.NDArray[np.int64]:
    """Return the column of each sorted term; new ones join ``words`` in the next columns."""
    columns = np.fromiter((words.get(term, -1) for term in terms), np.int64, len(terms))
    new = np.flatnonzero(columns < 0)
    columns[new] = np.arange(len(words), len(words) + len(new))
    words.update(zip(map(terms.__getitem__, new), count(len(words)), strict=False))
    return columns


def _count_rows(
    documents: Iterable[Iterable[str]], words: dict[str, int], *, grows: bool
) -> scipy.sparse.csr_array:
    """Count the words of documents as `BlockCounter` does."""
    new: dict[str, int] = {}  # the words that join, in order of first appearance
    n_known = len(words)
    columns, occurrences, row_ends = array("q"), array("q"), array("q", [0])
    for document in documents:
        for word, times in Counter(document).items():
            column = words.get(word)
            if column is None:
                if not grows:
                    continue
                column = new.setdefault(word, n_known + len(new))
            columns.append(column)
            occurrences.append(times)
        row_ends.append(len(columns))
    data, indices, indptr = (np.array(p, dtype=np.int64) for p in (occurrences, columns, row_ends))
    if new:
        # Reorder columns from first appearance to sorted words.
        column_of = np.arange(n_known + len(new))
        ordered = sorted(new)
        column_of[[new[word] for word in ordered]] = _learn(ordered, words)
        indices = column_of[indices]
    return csr((data, indices, indptr), len(words))


def stacked(parts: Iterable[tuple[Any, Any, Any]], n_columns: int) -> scipy.sparse.csr_array:
    """Return the matrix of the data, indices and indptr of blocks of rows."""
    blocks = [csr(part, n_columns) for part in parts]
    if len(blocks) == 1:
        return blocks[0]
    empty = scipy.sparse.csr_array((0, n_columns), dtype=np.int64)
    return scipy.sparse.csr_array(scipy.sparse.vstack([empty, *blocks], format="csr"))


def _sorted_and_kept(
    X: scipy.sparse.csr_array, names: npt.NDArray[np.object_], rules: Any
) -> tuple[scipy.sparse.csr_array, npt.NDArray[np.object_]]:
    """Return the columns of the terms that stay, sorted by term."""
    order = np.argsort(names, kind="stable")
    documents = np.bincount(X.indices, minlength=len(names))
    occurrences = np.asarray(X.sum(axis=0)).ravel()
    kept = order[kept_terms(rules, X.shape[0], documents[order], occurrences[order])]
    return X[:, kept], names[kept]
