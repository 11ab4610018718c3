"""Dispersion: how evenly the documents of a class share the occurrences of each term."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termsift._util import validation

_CHUNK_ENTRIES = 1 << 22  # the number of matrix entries that are processed at once


def dispersions(
    csr: validation.Csr, classes: list[NDArray[np.int64]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return Gries' DP and Juilland's D of each term, with a row for each class.

    ``classes`` lists the documents of each class. `termsift.Keyness` has the formulas. DP and D are
    NaN if the term does not occur in the class. In a document without tokens, the rate of every
    term is 0, as in the rank-sum test. The computation needs some 150 MB of memory.
    """
    X, n_terms = csr.to_scipy(), csr.n_terms
    lengths = np.zeros(csr.n_docs)
    filled = np.flatnonzero(np.diff(X.indptr))
    if len(filled):
        lengths[filled] = np.add.reduceat(X.data, X.indptr[filled], dtype=float)
    dp, juilland = np.full((2, len(classes), n_terms), np.nan)
    for row, in_class in enumerate(classes):
        docs, sizes = in_class, lengths[in_class]
        if not sizes.any():
            continue
        shares = sizes / sizes.sum()
        sizes[sizes == 0] = 1  # The rates in a document without tokens are 0.
        totals, means, moved, squares, n_docs = np.zeros((5, n_terms))
        for documents, terms, x in entries(X, docs):
            totals += np.bincount(terms, x, n_terms)
            means += np.bincount(terms, x / sizes[documents], n_terms) / len(docs)
        for documents, terms, x in entries(X, docs):
            above = x / totals[terms] - shares[documents]
            moved += np.bincount(terms, np.maximum(above, 0), n_terms)
            # Sum squared deviations, because a difference of sums would lose digits near D = 1.
            deviation = x / sizes[documents] - means[terms]
            squares += np.bincount(terms, deviation**2, n_terms)
            n_docs += np.bincount(terms, minlength=n_terms)
        seen, m = totals > 0, len(docs)
        squares += (m - n_docs) * means**2  # Add the documents without the term.
        # Shares of tokens and occurrences sum to 1, so DP is the sum of positive differences.
        dp[row, seen] = moved[seen]
        if m > 1:
            sigma = np.sqrt(squares[seen] / m)
            juilland[row, seen] = np.maximum(1 - sigma / means[seen] / np.sqrt(m - 1), 0)
    return dp, juilland


def documents_of(y: Any, n_docs: int, sides: list[list[Hashable]]) -> list[NDArray[np.int64]]:
    """For each list of labels in ``sides``, return the documents with one of the labels."""
    labels = validation.check_labels(y, n_docs, None)
    groups = validation.check_groups(dict(enumerate(sides)), labels.classes)
    rows = np.arange(n_docs)
    if labels.indptr is not None:
        rows = np.repeat(rows, np.diff(labels.indptr))
    return [np.unique(rows[np.isin(labels.codes, codes)]) for codes in groups.values()]


def entries(X: Any, docs: NDArray[np.int64]) -> Iterator[tuple[NDArray[Any], ...]]:
    """Yield the matrix entries of documents in chunks of some millions.

    Each chunk is three arrays: the positions of the documents in ``docs``, the terms, and how often
    each term occurs in its document.
    """
    ends = np.cumsum(X.indptr[docs + 1] - X.indptr[docs], dtype=np.int64)
    cuts = np.unique(np.searchsorted(ends, np.arange(0, ends[-1], _CHUNK_ENTRIES)[1:], "right"))
    for first, last in pairwise([0, *cuts.tolist(), len(docs)]):
        part = validation.without_duplicates(X[docs[first:last]].astype(np.float64))
        yield np.repeat(np.arange(first, last), np.diff(part.indptr)), part.indices, part.data
