"""The terms that are over-represented in each class, best first."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._scores.effects import certain_ratios
from termsift._scores.methods import DescriberName, Model
from termsift._scores.ranking import Ranking
from termsift._scores.registry import DESCRIBING, KEY, find_describer
from termsift._scores.scoring import Alpha, ClassPrior, Scoring
from termsift._scores.significance import class_statistics, log_chi2_sf, significance
from termsift._util import scipy, validation
from termsift._util.export import integers_if_whole
from termsift._util.messages import logger

if TYPE_CHECKING:
    from termsift._counts.class_counts import ClassCounts

_KEY_LEVEL = 0.95  # The confidence level of the bounds that `key` uses.
_MOST_SORTED = 1 << 24  # The largest number of p-values to sort, which needs some 0.8 GB.


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

    A class score measures how much a class differs from the others in its use of a term, in either
    direction. A term is over-represented in a class if it occurs there and its direction is 1,
    which for most methods means that its share is larger in the class than in the other classes.

    Parameters
    ----------
    counts : ClassCounts
    method : str
        The name of one of `termsift.methods`, or "key", a measure of evidence times an effect size.
    k : int, optional
        The largest number of terms per class. By default, all terms are returned.
    classes : sequence of labels, optional
        The classes to describe, in this order. By default, all classes are described.
    model, alpha, class_prior, n_threads, **options
        As for `termsift.ClassCounts.score`.

    Returns
    -------
    rankings : dict of label to Ranking
        The terms of each class with their scores. Terms with equal scores are ordered by index.

    Raises
    ------
    ValueError, TypeError
        As for `termsift.ClassCounts.score`, and for a label that is not among the classes.

    Notes
    -----
    The memory is 32 MiB, plus some 40 bytes (160 for "key") for each pair of a requested class and
    a term that occurs in it, and the time is proportional to the number of pairs.

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
    counts = counts._snapshot()
    labels, rows = counts.classes, np.arange(counts.n_classes)
    if classes is not None:
        groups = validation.check_groups(validation.check_classes(classes), labels)
        labels, rows = list(groups), np.concatenate(list(groups.values()))
    k = validation.check_k(k, counts.n_terms)
    scoring = _scoring_of(counts, method, model, alpha, class_prior, n_threads, **options)
    best = _over_represented(counts, scoring, method, rows, k)
    ends = np.cumsum(best.sizes)[:-1]
    lists = zip(labels, np.split(best.terms, ends), np.split(best.scores, ends), strict=True)
    return {
        label: Ranking(terms, scores, counts._names_of(terms), method, model=model)
        for label, terms, scores in lists
    }


def dominant_class(
    counts: ClassCounts, terms: NDArray[np.int64], method: str, **scoring: Any
) -> NDArray[np.int64]:
    """For each term, return the row of the class that over-represents it most, or -1."""
    distinct, place = np.unique(terms, return_inverse=True)
    whole = Scoring.of(counts, method, **scoring)
    scored = replace(whole, counts=whole.counts.of_terms(distinct, whole.n_threads))
    shape = counts.n_classes, len(distinct)
    occurs = scipy.sparse.csr_array(scored.counts.term_frequency(), shape=shape)
    has_more = (scored.directions() > 0) & (occurs.toarray() > 0)
    scores = np.where(has_more, scored.class_scores(), -np.inf)
    return np.where(has_more.any(axis=0), scores.argmax(axis=0), -1)[place]


def largest_classes(counts: ClassCounts, n: int) -> list[int]:
    """Return the rows of the n classes with the most documents.

    If numbers of documents are unknown, the classes with the most tokens are returned.
    """
    sizes = counts.class_tokens if counts._counts.undocumented.any() else counts.class_docs
    order: list[int] = np.argsort(-np.asarray(sizes), kind="stable").tolist()
    return order[:n]


def class_columns(
    counts: ClassCounts, method: DescriberName = DESCRIBING, k: int | None = None, **options: Any
) -> dict[str, NDArray[Any]]:
    """Return the columns of `ClassCounts.to_frame`, by name."""
    counts = counts._snapshot()
    k = validation.check_k(k, counts.n_terms)
    scoring = _scoring_of(counts, method, **options)
    present = np.flatnonzero(counts._present)
    best = _over_represented(counts, scoring, method, present, k)
    terms, names, rows = best.terms, counts.term_names, np.repeat(present, best.sizes)
    df_class = df_rest = np.full(len(terms), None, dtype=object)  # null if unknown
    if not counts._counts.undocumented.any():
        df_class = integers_if_whole(best.documents)
        df_rest = integers_if_whole(counts.collection_document_frequency[terms] - best.documents)
    columns: dict[str, NDArray[Any]] = {
        "class": validation.object_array(counts.classes)[rows],
        "term": np.full(len(terms), None, dtype=object) if names is None else names[terms],
        "index": terms,
        "rank": np.concatenate([terms[:0], *(np.arange(1, size + 1) for size in best.sizes)]),
        "score": best.scores,
        "n_class": integers_if_whole(best.occurrences),
        "n_rest": integers_if_whole(counts.collection_term_frequency[terms] - best.occurrences),
        "df_class": df_class,
        "df_rest": df_rest,
    }
    if scoring.method.is_test:
        statistics = class_statistics(counts, scoring.method, best.statistics, rows)
        logs, n_tests = log_chi2_sf(statistics, 1), counts.n_classes * counts.n_terms
        if counts.buckets is not None:  # the p-values of terms in other buckets are unknown
            adjusted = np.full(len(logs), None, dtype=object)
        elif n_tests <= _MOST_SORTED:  # the adjustment ranks the p-values of all terms
            every = significance(counts, scoring.method.name, per_class=True)
            adjusted = every.adjusted()[rows, terms]
        else:
            what = "p-values are adjusted for %s tests by Bonferroni; sorting would take %.1f GB"
            logger.warning(what, f"{n_tests:,}", n_tests * 50e-9)
            adjusted = np.exp(np.minimum(logs + np.log(n_tests), 0))
        columns |= {"log_pvalue": logs, "pvalue": np.exp(logs), "pvalue_adj": adjusted}
    return columns


class _Best(NamedTuple):
    """The best terms of some classes, one class after the other."""

    sizes: list[int]  # the number of terms of each class
    terms: NDArray[np.int64]
    scores: NDArray[np.float64]
    statistics: NDArray[np.float64]  # The values of `g2` if `key` gives the scores.
    occurrences: NDArray[Any]  # The occurrences of the term in the class.
    documents: NDArray[Any]  # The documents of the class that contain the term.


def _over_represented(
    counts: ClassCounts, scoring: Scoring, method: str, rows: NDArray[np.int64], k: int
) -> _Best:
    """For each class in ``rows``, return the k best terms that are over-represented in it."""
    l_ic, terms, indptr = counts._counts.term_frequency()
    d_ic, *_ = counts._counts.document_frequency()
    sizes = np.diff(indptr)
    is_wanted = np.isin(np.arange(counts.n_classes), rows)
    if not is_wanted[sizes > 0].all():
        wanted = np.repeat(is_wanted, sizes)
        l_ic, terms, d_ic = l_ic[wanted], terms[wanted], d_ic[wanted]
        sizes = np.where(is_wanted, sizes, 0)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    signs, statistics = scoring.of_pairs(starts, terms.astype(np.int32, copy=False))
    more = np.flatnonzero(signs > 0)
    starts = np.searchsorted(more, starts)
    scores = statistics[more]
    if method == KEY.name:
        of_row = np.repeat(np.arange(counts.n_classes), np.diff(starts))
        scores = _key(counts, of_row, terms[more], d_ic[more], scores)
    places = []
    for row in rows.tolist():
        of_class = scores[starts[row] : starts[row + 1]]
        places.append(starts[row] + _core.top_k(of_class, min(k, len(of_class)), 1))
    of_best = np.concatenate([np.empty(0, dtype=np.int64), *places])
    at = more[of_best]
    values = scores[of_best], statistics[at], l_ic[at], d_ic[at]
    return _Best(list(map(len, places)), terms[at].astype(np.int64), *values)


def _scoring_of(counts: ClassCounts, name: str, *args: Any, **scoring: Any) -> Scoring:
    """Return the `Scoring` of a method, or the `Scoring` of `g2` if the method is `key`."""
    name = "g2" if find_describer(name) is KEY else name
    return Scoring.of(counts, name, *args, **scoring)


def _key(
    counts: ClassCounts,
    rows: NDArray[np.int64],
    terms: NDArray[Any],
    a: NDArray[Any],
    g2: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the `key` scores of pairs of a class and a term that ``a`` of its documents have."""
    of_all = counts.collection_document_frequency
    n_seen = int(np.count_nonzero(of_all))
    if (part := counts._state.part) is not None:
        n_seen += part.n_others_for(KEY.name, smooths=True)
    n_c = np.asarray(counts.class_docs, dtype=np.float64)[rows]
    docs = np.stack([n_c, counts.n_docs - n_c])
    b = (of_all[terms] - a).astype(np.float64)
    least, _ = certain_ratios(a.astype(np.float64), b, docs, _KEY_LEVEL, n_seen)
    scores: NDArray[np.float64] = np.sqrt(g2) * np.logaddexp2(0, least)
    return scores
