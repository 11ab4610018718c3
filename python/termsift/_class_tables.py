"""The table of each class's own best terms: their scores there, and the counts behind them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._progress import progress
from termsift.methods import find_method
from termsift.significance import log_chi2_sf

if TYPE_CHECKING:
    from termsift.counts import ClassCounts

# The class scores of the terms from one to another, of shape (n_classes, last - first).
Scoring: TypeAlias = Callable[[int, int], NDArray[np.float64]]
Adjustment: TypeAlias = Literal["bh", "bonferroni"]
ADJUSTMENTS: tuple[Adjustment, ...] = get_args(Adjustment)  # the default first

_BLOCK_BYTES = 1 << 25  # of class scores at a time


def best_by_class(
    scoring: Scoring, n_classes: int, n_terms: int, k: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Give the k best terms of each class, and their scores; k is at most n_terms.

    Returns
    -------
    indices : ndarray of shape (n_classes, k), int64
        Best first, and of equal scores the lowest index first.
    scores : ndarray of that shape, float64
    """
    best = [(np.empty(0, dtype=np.int64), np.empty(0))] * n_classes
    block_terms = max(1, _BLOCK_BYTES // (8 * max(n_classes, 1)))
    with progress("scored", n_terms, "terms") as report:
        for first in range(0, n_terms, block_terms):
            last = min(first + block_terms, n_terms)
            found = scoring(first, last)
            for c, (indices, scores) in enumerate(best):
                # The best so far stand first: of equal scores the lower index still comes first.
                scores = np.concatenate([scores, found[c]])
                indices = np.concatenate([indices, np.arange(first, last)])
                order = _core.top_k(scores, min(k, len(scores)))
                best[c] = indices[order], scores[order]
            del found  # before there is another
            if report is not None:
                report(last)
    shape = n_classes, min(k, n_terms)
    indices = np.array([indices for indices, _ in best], dtype=np.int64).reshape(shape)
    return indices, np.array([scores for _, scores in best]).reshape(shape)


def class_columns(
    counts: ClassCounts,
    method: str,
    k: int,
    scoring: Scoring,
    model: str,
    adjust: Adjustment,
) -> dict[str, NDArray[Any]]:
    """Give the columns of the table, by name; classes without documents have no rows."""
    present = np.flatnonzero(np.asarray(counts.class_docs) > 0)
    best, best_scores = best_by_class(scoring, counts.n_classes, counts.n_terms, k)
    indices, scores = best[present], best_scores[present]
    rows, terms = np.repeat(present, k), indices.ravel()
    labels = np.fromiter(counts.classes, object, counts.n_classes)
    names = counts.term_names
    l_ic, l_i = _frequencies(
        counts.term_frequency, counts.collection_term_frequency, present, indices
    )
    d_ic, d_i = _frequencies(
        counts.document_frequency, counts.collection_document_frequency, present, indices
    )
    columns: dict[str, NDArray[Any]] = {
        "class": labels[rows],
        "term": np.full(len(terms), None, dtype=object) if names is None else names[terms],
        "index": terms,
        "rank": np.tile(np.arange(1, k + 1), len(present)),
        "score": scores.ravel(),
        "sign": signs(counts, method, model, rows, (l_ic, l_i), (d_ic, d_i)),
        "n_class": l_ic,
        "n_rest": l_i - l_ic,
        "df_class": d_ic,
        "df_rest": d_i - d_ic,
    }
    if find_method(method).is_test:
        columns |= _tests(counts, method, columns["score"], rows, terms, adjust)
    return columns


def _frequencies(
    table: Any, collection: NDArray[Any], classes: NDArray[np.int64], terms: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Give what each class has of its row of terms, and what the collection has."""
    found = np.zeros(terms.shape, dtype=table.dtype)
    for row, c in enumerate(classes):
        own = slice(table.indptr[c], table.indptr[c + 1])
        own_terms, values = table.indices[own], table.data[own]
        at = np.searchsorted(own_terms, terms[row])
        has = at < len(own_terms)
        has[has] = own_terms[at[has]] == terms[row, has]
        found[row, has] = values[at[has]]
    return found.ravel(), collection[terms.ravel()]


def signs(
    counts: ClassCounts,
    method: str,
    model: str,
    rows: NDArray[np.int64],
    occurrences: tuple[NDArray[Any], NDArray[Any]],
    documents: tuple[NDArray[Any], NDArray[Any]],
) -> NDArray[np.int8]:
    """Give 1 where the class has more of the term than its share, -1 less, 0 neither.

    What is shared is what the method counts, occurrences or documents, and a class's share is that
    of all tokens, or of the documents for methods that divide by these.
    """
    chosen = find_method(method)
    of_documents = "term frequency" not in chosen.needs or model in ("binary", "bernoulli")
    by_documents = model in ("bernoulli", "poisson") or chosen.is_test
    x, total = documents if of_documents else occurrences
    sizes: NDArray[Any]
    if by_documents or (of_documents and model != "binary"):
        sizes, whole = counts.class_docs, counts.n_docs
    elif of_documents:
        sizes = counts.document_frequency.sum(axis=1)
        whole = counts.collection_document_frequency.sum()
    else:
        sizes, whole = counts.class_tokens, counts.collection_term_frequency.sum()
    # Of whole numbers, products in floats have the sign of the exact ones below 2^53, and beyond
    # it may take a near tie for one. Of fractions a tie may be broken by rounding.
    more = x.astype(np.float64) * float(whole) - total.astype(np.float64) * sizes[rows]
    return np.sign(more).astype(np.int8)


def _tests(
    counts: ClassCounts,
    method: str,
    scores: NDArray[np.float64],
    rows: NDArray[np.int64],
    terms: NDArray[np.int64],
    adjust: Adjustment,
) -> dict[str, NDArray[Any]]:
    """Give the columns of p-values: those of `ClassCounts.significance` per class."""
    statistics = scores
    if "term frequency" in find_method(method).needs:
        # A test of one class, of the statistic that has a degree of freedom less than classes.
        rest = 1 - np.asarray(counts.class_docs, dtype=np.float64) / counts.n_docs
        rest = rest[rows]
        statistics = np.divide(scores, rest, out=scores.copy(), where=rest > 0)
    logs = log_chi2_sf(statistics, 1)
    if adjust == "bh":  # the order of all tests decides
        adjusted = counts.significance(method, per_class=True).adjusted("bh")[rows, terms]
    else:
        adjusted = np.exp(np.minimum(logs + np.log(counts.n_classes * counts.n_terms), 0))
    return {"log_pvalue": logs, "pvalue": np.exp(logs), "pvalue_adj": adjusted}
