"""Count the terms of texts, and return the counts as a matrix with a row for each text.

The core counts the terms. This module counts the terms of texts that only Python can cut.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._util import scipy
from termsift._util.faults import wrong_type
from termsift._util.messages import printable
from termsift._util.validation import object_array
from termsift.text._terms import drops, kept_terms


def count_blocks(
    blocks: Iterable[_core.Texts], rules: Any, threads: int
) -> tuple[scipy.sparse.csr_array, NDArray[np.object_] | None]:
    """Return one matrix for all blocks, and the names of its terms (None if terms are hashed)."""
    native = rules.native
    if native is not None and rules.hashing is None and rules.vocabulary is None:
        counter, n_docs = counted(blocks, native, threads)
        kept = kept_columns(rules, counter, n_docs, threads)
        names = object_array(counter.terms(kept))
        X = csr(counter.matrix(kept, threads), len(names))
        if rules.binary:
            X.data.fill(1)
        return X, names
    by_block = BlockCounter(rules, threads)
    rows = [by_block.count(block) for block in blocks]
    parts = ((part.data, part.indices, part.indptr) for part in rows)
    X = stacked(parts, by_block.n_columns)
    names = by_block.names
    if by_block.grows:
        documents, occurrences = np.bincount(X.indices, minlength=X.shape[1]), X.sum(axis=0)
        order = by_block.kept_columns(X.shape[0], documents, np.asarray(occurrences).ravel())
        X, names = X[:, order], names[order]
    X.sort_indices()
    return X, names if rules.hashing is None else None


class BlockCounter:
    """Counts the terms of blocks of texts, one block at a time, and drops no terms."""

    def __init__(self, rules: Any, n_threads: int = 0) -> None:
        self._rules, self._threads, self._native = rules, n_threads, rules.native
        self.grows = rules.hashing is None and rules.vocabulary is None
        self._words: dict[str, int] = rules.column_of_each() or {}
        self._index: _core.TextIndex | None = None
        if self._native is None:
            self._cut, self._n_before = rules.cutter(), 0
        elif rules.vocabulary is not None:
            self._index = _core.TextIndex(self._native, self.names.tolist())

    @property
    def n_columns(self) -> int:
        """The number of columns so far."""
        return len(self._words) if self._rules.hashing is None else int(self._rules.hashing)

    @property
    def names(self) -> NDArray[np.object_]:
        """The terms in the order of their columns. The array is empty if terms are hashed."""
        return object_array(sorted(self._words, key=self._words.__getitem__))

    def kept_columns(
        self, n_docs: int, documents: NDArray[Any], occurrences: NDArray[Any]
    ) -> NDArray[np.int64]:
        """Return the columns of the terms that are kept (see `kept_terms`), sorted by term."""
        order = np.argsort(self.names, kind="stable")
        return order[kept_terms(self._rules, n_docs, documents[order], occurrences[order])]

    def count(self, texts: _core.Texts) -> scipy.sparse.csr_array:
        """Return the counts of a block. The column indices of a row may be unsorted."""
        X = self._occurrences(texts)
        if self._rules.binary:
            X.data.fill(1)
        return X

    def _occurrences(self, texts: _core.Texts) -> scipy.sparse.csr_array:
        if self._rules.hashing is not None:
            width = self._rules.hashing
            hashed = _core.hashed_matrix(self._native, texts, width, False, self._threads)
            return csr(hashed, width)
        if self._index is not None:
            return csr(self._index.matrix(texts, self._threads), self.n_columns)
        parts: tuple[NDArray[Any], ...]
        if self._native is None:
            terms, parts = _counted_in_python(map(self._cut, strings(texts)), self._n_before)
            self._n_before += len(texts)
        else:
            counter, _ = counted([texts], self._native, self._threads)
            terms, parts = counter.terms(), counter.matrix(None, self._threads)
        data, indices, indptr = parts
        if self.grows:
            for term in terms:
                self._words.setdefault(term, len(self._words))
        columns = np.fromiter((self._words.get(term, -1) for term in terms), np.int64, len(terms))
        columns = columns[indices]
        if not self.grows:  # drop terms that are not in the vocabulary
            known = columns >= 0
            data, columns = data[known], columns[known]
            indptr = np.append(0, np.cumsum(known))[indptr]
        return csr((data, columns, indptr), self.n_columns)


def counted(
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
    total = scipy.sparse.csr_array((1, 1), dtype=dtype).sum(axis=0)
    kept = kept_terms(rules, n_docs, documents, occurrences.astype(total.dtype))
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


def _counted_in_python(
    documents: Iterable[Iterable[str]], first: int
) -> tuple[list[str], tuple[NDArray[np.int64], ...]]:
    """Return the distinct terms of documents, and the CSR arrays of their counts.

    ``first`` is the number of the first document.
    """
    words: dict[str, int] = {}
    columns, occurrences, row_ends = array("q"), array("q"), array("q", [0])
    for number, document in enumerate(documents, first):
        if not isinstance(document, Iterable):
            raise _no_terms(document, number)
        # Like scikit-learn, count the keys of a mapping once each.
        for word, times in Counter(iter(document)).items():
            if not isinstance(word, str):
                raise _no_terms(word, number)
            columns.append(words.setdefault(word, len(words)))
            occurrences.append(times)
        row_ends.append(len(columns))
    names = [str(word) for word in words]  # a word of numpy becomes a str of Python
    return names, tuple(np.array(p, np.int64) for p in (occurrences, columns, row_ends))


def _no_terms(value: Any, number: int) -> TypeError:
    return wrong_type(
        "the {analyzer} or {tokenizer} returned {value} for the text of document {number}, "
        "expected an iterable of strings",
        value=printable(repr(value), 80),
        number=number,
    )


def stacked(parts: Iterable[tuple[Any, Any, Any]], n_columns: int) -> scipy.sparse.csr_array:
    """Return one matrix of all blocks of rows. A part is the (data, indices, indptr) of a block."""
    blocks = [csr(part, n_columns) for part in parts]
    if len(blocks) == 1:
        return blocks[0]
    empty = scipy.sparse.csr_array((0, n_columns), dtype=np.int64)
    return scipy.sparse.csr_array(scipy.sparse.vstack([empty, *blocks], format="csr"))
