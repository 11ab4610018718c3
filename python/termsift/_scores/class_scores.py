"""The table of each class's own best terms: their scores there, and the counts behind them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._scores.registry import CoreMeasure, find_method
from termsift._scores.significance import log_chi2_sf
from termsift._util.progress import progress

if TYPE_CHECKING:
    from termsift._api.class_counts import ClassCounts

Adjustment: TypeAlias = Literal["bh", "bonferroni"]
ADJUSTMENTS: tuple[Adjustment, ...] = get_args(Adjustment)  # the default first

_BLOCK_BYTES = 1 << 25  # of class scores at a time


@dataclass(frozen=True)
class ClassScoring:
    """How the terms of some counts are scored for each class: everything but the terms.

    Attributes
    ----------
    counts : _core.Counts
        As the event model counts them.
    arguments : tuple
        What the functions of the core take after the counts: the measure, b1, b2, the class prior
        and the number of threads.
    """

    counts: _core.Counts
    arguments: tuple[CoreMeasure, float, tuple[float, float], NDArray[np.float64] | None, int]

    def scores(self, first: int = 0, last: int | None = None) -> NDArray[np.float64]:
        """Return the class scores of the terms [first, last), one row per class."""
        return _core.class_scores(self.counts, *self.arguments, first, last)

    def directions(self, first: int = 0, last: int | None = None) -> NDArray[np.int8]:
        """Return the directions of those terms, one row per class."""
        return _core.class_directions(self.counts, *self.arguments, first, last)

    def of_terms(self, terms: NDArray[np.int64]) -> ClassScoring:
        """Return the scoring of some terms alone, given in increasing order."""
        if len(terms) == self.counts.n_terms:
            return self
        return replace(self, counts=self.counts.of_terms(terms, self.arguments[-1]))

    def blocks(self) -> Iterator[tuple[int, int]]:
        """Yield ranges of all terms whose class scores take little memory."""
        n_classes, n_terms = len(self.counts.class_docs), self.counts.n_terms
        block_terms = max(1, _BLOCK_BYTES // (8 * max(n_classes, 1)))
        with progress("scored", n_terms, "terms") as report:
            for first in range(0, n_terms, block_terms):
                last = min(first + block_terms, n_terms)
                yield first, last
                if report is not None:
                    report(last)


def best_by_class(scoring: ClassScoring, k: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the k best terms of each class, and their scores; k is at most the number of terms.

    Returns
    -------
    indices : ndarray of shape (n_classes, k), int64
        Best first, and of equal scores the lowest index first.
    scores : ndarray of that shape, float64
    """
    best = [(np.empty(0, dtype=np.int64), np.empty(0))] * len(scoring.counts.class_docs)
    for first, last in scoring.blocks():
        found = scoring.scores(first, last)
        for c, (indices, scores) in enumerate(best):
            # The best so far stand first: of equal scores the lower index still comes first.
            scores = np.concatenate([scores, found[c]])
            indices = np.concatenate([indices, np.arange(first, last)])
            order = _core.top_k(scores, min(k, len(scores)))
            best[c] = indices[order], scores[order]
        del found  # before there is another
    shape = len(best), min(k, scoring.counts.n_terms)
    indices = np.array([indices for indices, _ in best], dtype=np.int64).reshape(shape)
    return indices, np.array([scores for _, scores in best]).reshape(shape)


def directions_of(
    scoring: ClassScoring, classes: NDArray[np.int64], terms: NDArray[np.int64]
) -> NDArray[np.int8]:
    """Return the directions of pairs of a class and a term."""
    distinct, place = np.unique(terms, return_inverse=True)
    chosen = scoring.of_terms(distinct)
    found = np.zeros(len(terms), dtype=np.int8)
    by_place = np.argsort(place, kind="stable")
    ends = np.searchsorted(place[by_place], np.arange(len(distinct) + 1))
    for first, last in chosen.blocks():
        here = by_place[ends[first] : ends[last]]
        found[here] = chosen.directions(first, last)[classes[here], place[here] - first]
    return found


def class_columns(
    counts: ClassCounts,
    method: str,
    k: int,
    scoring: ClassScoring,
    adjust: Adjustment,
) -> dict[str, NDArray[Any]]:
    """Return the columns of the table, by name; classes without documents have no rows."""
    present = np.flatnonzero(np.asarray(counts.class_docs) > 0)
    best, best_scores = best_by_class(scoring, k)
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
        "sign": directions_of(scoring, rows, terms),
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
