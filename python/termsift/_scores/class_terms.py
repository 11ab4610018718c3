"""The best terms of each class, and the terms that are over-represented in it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._scores.effects import certain_ratios
from termsift._scores.methods import DescriberName, Model
from termsift._scores.ranking import Ranking
from termsift._scores.registry import DESCRIBING, KEY, find_describer
from termsift._scores.scoring import Alpha, ClassPrior, Scoring
from termsift._scores.significance import class_statistics, log_chi2_sf, significance_by
from termsift._util import scipy, validation
from termsift._util.export import integers_if_whole
from termsift._util.log import logger
from termsift._util.tabular import object_array

if TYPE_CHECKING:
    from termsift._counts.class_counts import ClassCounts

# Whether to list terms that are over-represented in a class, under-represented, or both.
Direction: TypeAlias = Literal["both", "over", "under"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)  # the default first

_KEY_LEVEL = 0.95  # the confidence level of the bounds that `key` uses
_BLOCK_BYTES = 1 << 25  # the size of a block of class scores
_MOST_SORTED = 1 << 24  # the most p-values that are sorted; this needs some 0.8 GB

# The indices of the terms of a class, best first, and the scores of these terms.
_Best: TypeAlias = tuple[NDArray[np.int64], NDArray[np.float64]]


def distinctive_terms(
    counts: ClassCounts,
    method: DescriberName = DESCRIBING,
    k: int | None = None,
    classes: Iterable[Hashable] | None = None,
    *,
    model: Model = "multinomial",
    alpha: Alpha = 1.0,
    class_prior: ClassPrior = None,
    n_threads: int | None = None,
    **options: str | bool,
) -> dict[Hashable, Ranking]:
    """Return the terms that are over-represented in each class, best first.

    A class score measures how far a class is from the others in either direction. A term is
    over-represented if it occurs in the class and has direction 1 there
    (the column ``sign`` of `termsift.ClassCounts.to_frame`).

    Parameters
    ----------
    counts : ClassCounts
    method : str
        The name of one of `termsift.methods`, or "key", the product of evidence and effect.
    k : int, optional
        The largest number of terms per class; all by default.
    classes : sequence of labels, optional
        The classes to describe, in this order; all by default.
    model, alpha, class_prior, n_threads, **options
        As for `termsift.ClassCounts.score`.

    Returns
    -------
    rankings : dict of label to Ranking
        The terms of each class with their scores for the class. Equal scores are ordered by index.

    Raises
    ------
    ValueError, TypeError
        As for `termsift.ClassCounts.score`, and for a label that is not among the classes.

    Notes
    -----
    The memory is 32 MiB, plus some 40 bytes for each pair of a requested class and a term in it.
    "key" needs another 120 bytes for each pair of any class and a term in it. The time is
    proportional to the number of these pairs. For a method with models, it is O(n_classes) for each
    term of a requested class.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> X = np.array([[9, 0, 5], [1, 9, 5], [1, 9, 5]])
    >>> counts = ts.count(X, ["ham", "spam", "news"], term_names=["noon", "win", "the"])
    >>> for label, ranking in distinctive_terms(counts, "md").items():
    ...     print(label, *ranking.terms)
    ham noon the
    news win
    spam win
    """
    validation.check_counts(counts)
    labels, rows = counts.classes, np.arange(counts.n_classes)
    if classes is not None:
        groups = validation.check_groups(validation.check_classes(classes), labels)
        labels, rows = list(groups), np.concatenate(list(groups.values()))
    k = validation.check_k(k, counts.n_terms)
    scoring = _scoring_of(counts, method, model, alpha, class_prior, n_threads, **options)
    best = _over_represented(counts, scoring, rows, k)
    return {
        label: Ranking(terms, scores, counts._names_of(terms), method, model=model)
        for label, (terms, scores) in zip(labels, best, strict=True)
    }


def dominant_class(
    counts: ClassCounts,
    terms: NDArray[np.int64],
    method: DescriberName = DESCRIBING,
    **scoring: Any,
) -> NDArray[np.int64]:
    """Return, for each term, the position of its best class with over-representation, or -1."""
    distinct, place = np.unique(terms, return_inverse=True)
    whole = _scoring_of(counts, method, **scoring)
    scored = replace(whole, counts=whole.counts.of_terms(distinct, whole.n_threads))
    shape = counts.n_classes, len(distinct)
    occurs = scipy.sparse.csr_array(scored.counts.term_frequency(), shape=shape)
    has_more = (scored.directions() > 0) & (occurs.toarray() > 0)
    scores = np.where(has_more, scored.class_scores(), -np.inf)
    return np.where(has_more.any(axis=0), scores.argmax(axis=0), -1)[place]


def largest_classes(counts: ClassCounts, n: int) -> list[int]:
    """Return the positions of the n classes with the most documents.

    If documents are unknown, the classes with the most tokens are returned.
    """
    sizes = counts.class_tokens if counts._counts.undocumented.any() else counts.class_docs
    order: list[int] = np.argsort(-np.asarray(sizes), kind="stable").tolist()
    return order[:n]


def class_columns(
    counts: ClassCounts,
    method: DescriberName = DESCRIBING,
    k: int | None = None,
    *,
    direction: Direction = "both",
    **options: Any,
) -> dict[str, NDArray[Any]]:
    """Return the columns of `ClassCounts.to_frame`, by name."""
    validation.check_choice(direction, DIRECTIONS, "direction")
    k = validation.check_k(k, counts.n_terms)
    scoring = _scoring_of(counts, method, **options)
    present = np.flatnonzero(counts._present)
    if direction == "over":
        best = _over_represented(counts, scoring, present, k)
    else:
        best = _best(scoring, present, k, under=direction == "under")
    empty = np.empty(0, np.int64), np.empty(0)
    terms, scores = map(np.concatenate, zip(empty, *best, strict=True))
    sizes = [len(of_class) for of_class, _ in best]
    rows = np.repeat(present, sizes)
    l_ic = _in_class(counts.term_frequency, present, best)
    df_class = df_rest = np.full(len(terms), None, dtype=object)  # null if unknown
    if not counts._counts.undocumented.any():
        df_class = _in_class(counts.document_frequency, present, best)
        df_rest = integers_if_whole(counts.collection_document_frequency[terms] - df_class)
        df_class = integers_if_whole(df_class)
    signs, statistics = _at_pairs(scoring, rows, terms)
    names = counts.term_names
    columns: dict[str, NDArray[Any]] = {
        "class": object_array(counts.classes)[rows],
        "term": np.full(len(terms), None, dtype=object) if names is None else names[terms],
        "index": terms,
        "rank": np.concatenate([empty[0], *(np.arange(1, size + 1) for size in sizes)]),
        "score": scores,
        "sign": signs,
        "n_class": integers_if_whole(l_ic),
        "n_rest": integers_if_whole(counts.collection_term_frequency[terms] - l_ic),
        "df_class": df_class,
        "df_rest": df_rest,
    }
    if scoring.method.is_test:
        statistics = class_statistics(counts, scoring.method, statistics, rows)
        logs, n_tests = log_chi2_sf(statistics, 1), counts.n_classes * counts.n_terms
        if counts.buckets is not None:  # the p-values of the other terms are unknown
            adjusted = np.full(len(logs), None, dtype=object)
        elif n_tests <= _MOST_SORTED:  # ranks the tests of all terms
            every = significance_by(counts, scoring.method, per_class=True)
            adjusted = every.adjusted()[rows, terms]
        else:
            what = "p-values are adjusted for %s tests by Bonferroni; sorting would take %.1f GB"
            logger.warning(what, f"{n_tests:,}", n_tests * 50e-9)
            adjusted = np.exp(np.minimum(logs + np.log(n_tests), 0))
        columns |= {"log_pvalue": logs, "pvalue": np.exp(logs), "pvalue_adj": adjusted}
    return columns


def _best(scoring: Scoring, rows: NDArray[np.int64], k: int, *, under: bool) -> list[_Best]:
    """Return the k best terms of each class in ``rows``.

    If ``under`` is true, only terms with direction -1 in the class are returned.
    """
    if not under and (found := scoring.best_of_classes(k)) is not None:
        return list(zip(*found, strict=True))
    best = [(np.empty(0, dtype=np.int64), np.empty(0))] * len(rows)
    n_terms = scoring.counts.n_terms
    step = max(1, _BLOCK_BYTES // (8 * max(len(scoring.counts.class_docs), 1)))
    for first in range(0, n_terms, step):
        last = min(first + step, n_terms)
        block, directions = scoring.class_scores(first, last), scoring.directions(first, last)
        for place, row in enumerate(rows):
            some = np.flatnonzero(directions[row] < 0) if under else np.arange(last - first)
            # Earlier terms come first, which keeps equal scores in the order of the index.
            scores = np.concatenate([best[place][1], block[row, some]])
            indices = np.concatenate([best[place][0], first + some])
            order = _core.top_k(scores, min(k, len(scores)), 1)
            best[place] = indices[order], scores[order]
        del block  # Two blocks at once would take twice the memory.
    return best


def _over_represented(
    counts: ClassCounts, scoring: Scoring, rows: NDArray[np.int64], k: int
) -> list[_Best]:
    """For each class in ``rows``, return the k best terms that occur in it with direction 1."""
    frequency = counts.term_frequency
    if len(wanted := np.unique(rows)) < counts.n_classes:
        frequency = frequency[wanted]
    starts = np.zeros(counts.n_classes + 1, dtype=np.int64)
    starts[wanted + 1] = np.diff(frequency.indptr)
    starts = np.cumsum(starts)
    terms = frequency.indices.astype(np.int32, copy=False)
    signs, scores = scoring.of_pairs(starts, terms)
    best = []
    for row in rows.tolist():
        has_more = starts[row] + np.flatnonzero(signs[starts[row] : starts[row + 1]] > 0)
        order = has_more[_core.top_k(scores[has_more], min(k, len(has_more)), 1)]
        best.append((terms[order].astype(np.int64), scores[order]))
    return best


def _at_pairs(
    scoring: Scoring, rows: NDArray[np.int64], terms: NDArray[np.int64]
) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
    """Return the directions and scores of pairs of a class and a term. `key` has those of `g2`."""
    order = np.lexsort((terms, rows))
    starts = np.searchsorted(rows[order], np.arange(len(scoring.counts.class_docs) + 1))
    signs, scores = np.empty(len(terms), dtype=np.int8), np.empty(len(terms))
    of_pairs = Scoring.of_pairs(scoring, starts, terms[order].astype(np.int32))
    signs[order], scores[order] = of_pairs
    return signs, scores


def _in_class(frequency: Any, rows: NDArray[np.int64], best: list[_Best]) -> NDArray[Any]:
    """Return how often each term listed for a class occurs in that class."""
    of_class = np.zeros(frequency.shape[1], dtype=frequency.dtype)
    values = [of_class[:0]]
    for row, (terms, _) in zip(rows, best, strict=True):
        pairs = slice(frequency.indptr[row], frequency.indptr[row + 1])
        of_class[frequency.indices[pairs]] = frequency.data[pairs]
        values.append(of_class[terms])
        of_class[frequency.indices[pairs]] = 0
    return np.concatenate(values)


def _scoring_of(counts: ClassCounts, name: str, *args: Any, **scoring: Any) -> Scoring:
    """Return the scoring of a method or of `key`. The directions of `key` are those of `g2`."""
    if find_describer(name) is not KEY:
        return Scoring.of(counts, name, *args, **scoring)
    g2 = Scoring.of(counts, "g2", *args, **scoring)
    n_seen = int(np.count_nonzero(counts.collection_document_frequency))
    if (part := counts._state.part) is not None:
        n_seen += part.n_others_for(name, smooths=True)
    return _KeyScoring(**vars(g2), n_seen=n_seen)


@dataclass(frozen=True, eq=False)
class _KeyScoring(Scoring):
    """The scoring of `g2` with the class scores of `key`.

    ``n_seen`` is the number of terms that occur in the collection.
    """

    n_seen: int

    @cached_property
    def _documents(self) -> tuple[Any, NDArray[Any]]:
        """The document frequencies of the terms in each class, and those in the collection."""
        shape = len(self.counts.class_docs), self.counts.n_terms
        of_class = scipy.sparse.csr_array(self.counts.document_frequency(), shape=shape)
        whole = self.counts.as_one_class().document_frequency()
        return of_class.tocsc(), scipy.sparse.csr_array(whole, shape=(1, shape[1])).toarray()[0]

    def class_scores(self, first: int = 0, last: int | None = None) -> NDArray[np.float64]:
        g2 = super().class_scores(first, last)
        of_class, of_all = self._documents
        cells = of_class[:, first:last].tocoo()
        rows, columns = cells.coords
        scores = np.zeros_like(g2)
        b = of_all[first:last][columns] - cells.data
        scores[rows, columns] = self._of_cells(g2[rows, columns], cells.data, b, rows)
        return scores

    def best_of_classes(self, k: int) -> None:
        """Return None, because the core cannot compute `key`."""

    def of_pairs(
        self, starts: NDArray[np.int64], terms: NDArray[np.int32]
    ) -> tuple[NDArray[np.int8], _core.Float64s]:
        signs, g2 = super().of_pairs(starts, terms)
        of_class, of_all = self._documents
        rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        a = scipy.cells(of_class.T, terms, rows)
        return signs, self._of_cells(g2, a, of_all[terms] - a, rows)

    def _of_cells(
        self, g2: NDArray[Any], a: NDArray[Any], b: NDArray[Any], rows: NDArray[Any]
    ) -> NDArray[np.float64]:
        """Return `key` of terms for the classes ``rows``.

        ``a`` counts the documents with the term in the class, and ``b`` those in other classes.
        """
        n_c = np.asarray(self.counts.class_docs, dtype=np.float64)[rows]
        docs = np.stack([n_c, self.counts.n_docs - n_c])
        a, b = a.astype(np.float64), b.astype(np.float64)
        least, _ = certain_ratios(a, b, docs, _KEY_LEVEL, self.n_seen)
        scores: NDArray[np.float64] = np.sqrt(g2) * np.logaddexp2(0, least)
        return scores
