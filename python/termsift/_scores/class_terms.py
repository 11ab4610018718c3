"""The terms that are over-represented in each class, best first."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace
from functools import cache, partial
from itertools import islice, pairwise
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._counts.counts import Counts
from termsift._scores.effects import certain_ratios
from termsift._scores.methods import DescriberName, Method
from termsift._scores.ranking import SIGNIFICANT, Ranking, part_of
from termsift._scores.registry import KEY, find_describer, find_test
from termsift._scores.scoring import OCCURRENCES_SUFFICE, Scoring, ScoringOptions
from termsift._scores.significance import class_statistics, log_chi2_sf, significance
from termsift._util import scipy, validation
from termsift._util.export import Tabular, integers_if_whole
from termsift._util.faults import blaming, said
from termsift._util.messages import logger, printable
from termsift._util.shown import ROWS, Column, Section

_TEST = "g2"  # The test of `key`, and of methods that are no tests.
_KEY_LEVEL = 0.95  # The confidence level of the bounds that `key` uses.
_MOST_SORTED = 1 << 24  # The largest number of p-values to sort, which needs some 0.8 GB.
_CLASSES = 50  # The largest number of classes that a printed list shows.
_LETTERS = 24  # The largest number of letters of a term in a printed list.


class ClassTerms(dict[Hashable, Ranking], Tabular):
    """The ranking of each class: a dict with the methods of a table."""

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name: class, term (null if unnamed), index, rank and score.

        If adjusted p-values are known, the last column is pvalue_adj. `ClassCounts.to_frame` has
        these columns in the same order, and more.
        """
        tables = [ranking.columns() for ranking in self.values()]
        sizes = np.array([len(ranking) for ranking in self.values()], dtype=np.int64)
        columns = {"class": np.repeat(validation.object_array(list(self)), sizes)}
        kinds: dict[str, Any] = {"term": object, "index": np.int64, "rank": np.int64}
        for name, dtype in (kinds | {"score": np.float64}).items():
            columns[name] = np.concatenate([np.empty(0, dtype), *(of[name] for of in tables)])
        if any("pvalue_adj" in of_class for of_class in tables):
            unknown = (np.full(size, np.nan) for size in sizes)
            values = (of.get("pvalue_adj", nan) for of, nan in zip(tables, unknown, strict=True))
            columns["pvalue_adj"] = np.concatenate(list(values))
        return columns

    def _title(self) -> str:
        methods = {ranking.method for ranking in self.values()}
        of = validation.number_of(len(self), "class")
        return f"Terms of {of}{''.join(f' by {method}' for method in methods)}"

    def _sections(self) -> list[Section]:
        some = self._first()
        columns = [
            Column("class", list(some)),
            Column("terms", [_in_a_line(ranking) for ranking in some.values()], longest=None),
        ]
        return [Section(columns, len(self) - len(some))]

    def _first(self) -> dict[Hashable, Ranking]:
        """Return the rankings that are shown."""
        return dict(islice(self.items(), _CLASSES))

    def _note(self) -> str:
        if not any(_doubtful(ranking[:ROWS]).any() for ranking in self._first().values()):
            return ""
        return f"Terms in parentheses are not significant: pvalue_adj is above {SIGNIFICANT}."


def _in_a_line(ranking: Ranking) -> str:
    """Return the first terms of a ranking, with parentheses around terms that may be chance."""
    first = ranking[:ROWS]
    names = [printable(term, _LETTERS) for term, _ in first]
    for place in np.flatnonzero(_doubtful(first)):
        names[place] = f"({names[place]})"
    return ", ".join([*names, *["..."] * (len(ranking) > ROWS)])


def _doubtful(ranking: Ranking) -> NDArray[np.bool_]:
    """Return which terms of a ranking are not significant."""
    values = ranking.pvalues_adj
    return np.zeros(len(ranking), bool) if values is None else values > SIGNIFICANT


def distinctive_terms(
    counts: Counts,
    method: DescriberName,
    k: int | None,
    classes: Iterable[Hashable] | None,
    *,
    max_pvalue: float | None,
    **options: Any,
) -> ClassTerms:
    """Return the over-represented terms of each class; see `termsift.distinctive_terms`."""
    labels = counts.classes
    rows = np.arange(counts.n_classes) if classes is None else rows_of(counts, classes)
    k = validation.check_k(k, counts.n_terms)
    scoring = _scoring_of(counts, method, **options)
    best = _over_represented(counts, scoring, method, rows, k, max_pvalue)
    pvalues = None
    if best.test is not None:
        pvalues = cache(
            partial(_adjusted, counts, best.test, best.statistics, best.rows, best.terms)
        )
    found, model = ClassTerms(), scoring.model.name
    for row, (start, end) in zip(rows, pairwise([0, *np.cumsum(best.sizes)]), strict=True):
        terms, scores = best.terms[start:end], best.scores[start:end]
        ranking = Ranking(terms, scores, counts.terms_at(terms), method, model=model)
        if pvalues is not None:
            ranking = replace(ranking, _pvalues=partial(part_of, pvalues, slice(start, end)))
        found[labels[row]] = ranking
    return found


def dominant_class(
    counts: Counts, terms: NDArray[np.int64], method: str, **scoring: Unpack[ScoringOptions]
) -> NDArray[np.int64]:
    """For each term, return the row of the class that over-represents it most, or -1."""
    distinct, place = np.unique(terms, return_inverse=True)
    whole = Scoring.of(counts, method, **scoring)
    scored = replace(whole, core=whole.core.of_terms(distinct, whole.n_threads))
    shape = counts.n_classes, len(distinct)
    occurs = scipy.sparse.csr_array(scored.core.term_frequency(), shape=shape)
    has_more = (scored.directions() > 0) & (occurs.toarray() > 0)
    scores = np.where(has_more, scored.class_scores(), -np.inf)
    return np.where(has_more.any(axis=0), scores.argmax(axis=0), -1)[place]


def largest_classes(counts: Counts, n: int) -> list[int]:
    """Return the rows of the n classes with the most documents.

    If numbers of documents are unknown, the classes with the most tokens are returned.
    """
    sizes = counts.class_tokens if not counts.has_documents else counts.class_docs
    order: list[int] = np.argsort(-np.asarray(sizes), kind="stable").tolist()
    return order[:n]


def class_columns(
    counts: Counts,
    method: DescriberName,
    k: int | None,
    classes: Iterable[Hashable] | None,
    *,
    max_pvalue: float | None,
    **options: Any,
) -> dict[str, NDArray[Any]]:
    """Return the columns of `ClassCounts.to_frame`, by name."""
    k = validation.check_k(k, counts.n_terms)
    scoring = _scoring_of(counts, method, **options)
    wanted = np.flatnonzero(counts.present) if classes is None else rows_of(counts, classes)
    best = _over_represented(counts, scoring, method, wanted, k, max_pvalue)
    terms, names, rows = best.terms, counts.term_names, best.rows
    df_class = df_rest = np.full(len(terms), None, dtype=object)  # null if unknown
    if counts.has_documents:
        df_class = integers_if_whole(best.documents)
        documents = counts.core.collection_document_frequency(scoring.n_threads)
        df_rest = integers_if_whole(documents[terms] - best.documents)
    n_rest = counts.core.collection_term_frequency(scoring.n_threads)[terms] - best.occurrences
    tokens, tokens_of_rest = (sizes[rows] for sizes in tokens_here_and_elsewhere(counts))
    columns: dict[str, NDArray[Any]] = {
        "class": validation.object_array(counts.classes)[rows],
        "term": np.full(len(terms), None, dtype=object) if names is None else names[terms],
        "index": terms,
        "rank": np.concatenate([terms[:0], *(np.arange(1, size + 1) for size in best.sizes)]),
        "score": best.scores,
        "n_class": integers_if_whole(best.occurrences),
        "n_rest": integers_if_whole(n_rest),
        "per_million_class": 1e6 * best.occurrences / tokens,
        "per_million_rest": 1e6 * n_rest / tokens_of_rest,
        "df_class": df_class,
        "df_rest": df_rest,
    }
    if best.test is not None:
        logs = log_chi2_sf(best.statistics, 1)
        adjusted = _adjusted(counts, best.test, best.statistics, rows, terms)
        columns |= {"log_pvalue": logs, "pvalue": np.exp(logs), "pvalue_adj": adjusted}
    return columns


def marking_test(method: str, max_pvalue: float | None = None) -> Method | None:
    """Return the test that says whether the terms of a method are significant, if there is one."""
    entry = find_describer(method)
    if isinstance(entry, Method) and entry.is_test:
        return entry
    return find_test(_TEST) if entry is KEY or max_pvalue is not None else None


def adjustment(n_tests: int) -> str:
    """Name the method that adjusts the p-values of the tests of all classes and terms."""
    is_sorted = n_tests <= _MOST_SORTED
    return "Benjamini and Hochberg's" if is_sorted else "Bonferroni's"


def tokens_here_and_elsewhere(counts: Counts) -> NDArray[np.float64]:
    """Return the numbers of tokens in each class, and outside each class.

    The number outside is at least 1, so that rates outside a class without rest are 0.
    """
    core = counts.core.as_one_class() if counts.core.has_collection else counts.core
    tokens = np.asarray(counts.class_tokens, dtype=np.float64)
    rest = float(core.class_tokens.sum()) - tokens
    return np.stack([tokens, np.where(rest > 0, rest, 1.0)])


def rows_of(counts: Counts, classes: Iterable[Hashable]) -> NDArray[np.int64]:
    """Return the rows of some classes, in this order."""
    groups = validation.check_groups(validation.check_classes(classes), counts.classes)
    return np.concatenate(list(groups.values()))


def _adjusted(
    counts: Counts,
    test: Method,
    statistics: NDArray[np.float64],
    rows: NDArray[np.int64],
    terms: NDArray[Any],
) -> NDArray[np.float64]:
    """Return the p-values of pairs of a class and a term, adjusted for the tests of all pairs."""
    n_tests = counts.n_classes * counts.n_terms
    if n_tests <= _MOST_SORTED:  # the adjustment ranks the p-values of all terms
        every = significance(counts, test.name, per_class=True)
        adjusted: NDArray[np.float64] = every.pvalues_adj[rows, terms]
        return adjusted
    what = "p-values are adjusted for %s tests by Bonferroni; sorting would take %.1f GB"
    logger.warning(what, f"{n_tests:,}", n_tests * 50e-9)
    logs: NDArray[np.float64] = np.minimum(log_chi2_sf(statistics, 1) + np.log(n_tests), 0)
    return np.exp(logs)


class _Best(NamedTuple):
    """The best terms of some classes, one class after the other."""

    sizes: list[int]  # the number of terms of each class
    rows: NDArray[np.int64]  # the class of each term
    terms: NDArray[np.int64]
    scores: NDArray[np.float64]
    test: Method | None  # The test of the terms, if there is one.
    statistics: NDArray[np.float64]  # The statistics of the test, or else the scores.
    occurrences: NDArray[Any]  # The occurrences of the term in the class.
    documents: NDArray[Any]  # The documents of the class that contain the term.


def _over_represented(
    counts: Counts,
    scoring: Scoring,
    method: str,
    rows: NDArray[np.int64],
    k: int,
    max_pvalue: float | None,
) -> _Best:
    """For each class in ``rows``, return the k best terms that are over-represented in it."""
    if max_pvalue is not None:
        max_pvalue = validation.check_number(max_pvalue, "max_pvalue", "between 0 and 1")
    l_ic, terms, indptr = counts.core.term_frequency()
    d_ic, *_ = counts.core.document_frequency()
    sizes = np.diff(indptr)
    is_wanted = np.isin(np.arange(counts.n_classes), rows)
    if not is_wanted[sizes > 0].all():
        wanted = np.repeat(is_wanted, sizes)
        l_ic, terms, d_ic = l_ic[wanted], terms[wanted], d_ic[wanted]
        sizes = np.where(is_wanted, sizes, 0)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    pairs = starts, terms.astype(np.int32, copy=False)
    signs, values = scoring.of_pairs(*pairs)
    more = np.flatnonzero(signs > 0)
    test, statistics = marking_test(method, max_pvalue), values
    each = np.arange(counts.n_classes)
    if max_pvalue is not None:
        assert test is not None  # because of max_pvalue
        if test is not scoring.method:
            cure = said(
                "pass {method='g2_counts'}, which counts occurrences, leave out {max_pvalue}"
            )
            counts.require_documents(said("{max_pvalue}"), cure)
            by_test = Scoring.of(counts, test.name, n_threads=scoring.n_threads or None)
            _, statistics = by_test.of_pairs(*pairs)
        of_row = np.repeat(each, sizes)[more]
        of_more = class_statistics(counts, test, statistics[more], of_row)
        more = more[_adjusted(counts, test, of_more, of_row, terms[more]) <= max_pvalue]
    starts = np.searchsorted(more, starts)
    scores = values[more]
    if method == KEY.name:
        of_row = np.repeat(each, np.diff(starts))
        scores = _key(counts, of_row, terms[more], d_ic[more], scores)
    places = []
    for row in rows.tolist():
        of_class = scores[starts[row] : starts[row + 1]]
        places.append(starts[row] + _core.top_k(of_class, min(k, len(of_class)), 1))
    of_best = np.concatenate([np.empty(0, dtype=np.int64), *places])
    at = more[of_best]
    n_best = list(map(len, places))
    of_row, tested = np.repeat(rows, n_best), statistics[at]
    if test is not None:
        class_statistics(counts, test, tested, of_row)
    found = terms[at].astype(np.int64), scores[of_best], test, tested, l_ic[at], d_ic[at]
    return _Best(n_best, of_row, *found)


def _scoring_of(counts: Counts, name: str, **scoring: Any) -> Scoring:
    """Return the `Scoring` of a method, or the `Scoring` of `g2` if the method is `key`."""
    method = name
    if find_describer(name) is KEY:
        with blaming("method"):
            counts.require_documents(KEY.name, OCCURRENCES_SUFFICE)
        method = _TEST
    of_scores = Scoring.of(counts, method, **scoring)
    of_scores.warn_of_unused_prior(name)
    return of_scores


def _key(
    counts: Counts,
    rows: NDArray[np.int64],
    terms: NDArray[Any],
    a: NDArray[Any],
    g2: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the `key` scores of pairs of a class and a term that ``a`` of its documents have."""
    of_all = counts.collection_document_frequency
    n_seen = int(np.count_nonzero(of_all))
    n_c = np.asarray(counts.class_docs, dtype=np.float64)[rows]
    docs = np.stack([n_c, counts.n_docs - n_c])
    b = (of_all[terms] - a).astype(np.float64)
    least, _ = certain_ratios(a.astype(np.float64), b, docs, _KEY_LEVEL, n_seen)
    scores: NDArray[np.float64] = np.sqrt(g2) * np.logaddexp2(0, least)
    return scores
