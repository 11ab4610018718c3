"""Terms that are kept at an error rate: they are those of scikit-learn's selectors."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.feature_selection import SelectFdr, SelectFpr, SelectFwe, chi2
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

import termsift as ts
from wording import raises

THEIRS = {"fdr": SelectFdr, "fwe": SelectFwe, "fpr": SelectFpr}
TESTS = [method.name for method in ts.methods() if method.is_test]


def collection(seed: int = 0) -> tuple[Any, Any]:
    """Return a collection in which every term stands twice, so that p-values are tied."""
    rng = np.random.default_rng(seed)
    y = np.array(["ham", "news", "spam"])[np.arange(60) % 3]
    rate = np.full((60, 30), 0.3)
    for c, label in enumerate(("ham", "news", "spam")):
        rate[np.ix_(y == label, np.arange(30) % 7 == c)] = 0.7
    X = rng.poisson(rate) + (np.arange(60) == 0)[:, None]  # scikit-learn has NaN for absent terms
    return sp.csr_array(np.hstack([X, X])), y


X, y = collection()


def kept(**options: Any) -> list[int]:
    support: list[int] = ts.TermSelector(**options).fit(X, y).get_support(indices=True).tolist()
    return support


@pytest.mark.parametrize("kind", THEIRS)
@pytest.mark.parametrize("rate", [0.0, 1e-9, 0.001, 0.01, 0.05, 0.2, 0.5, 0.9])
def test_chi2_counts_keeps_the_terms_of_scikit_learn(kind: str, rate: float) -> None:
    theirs = THEIRS[kind](chi2, alpha=rate).fit(X, y)
    selector = ts.TermSelector("chi2_counts", **{kind: rate}).fit(X, y)
    np.testing.assert_array_equal(selector.get_support(), theirs.get_support())
    np.testing.assert_allclose(selector.scores_, theirs.scores_)
    by_score = ts.count(X, y).rank("chi2_counts").indices
    ours = selector.ranking_.indices
    np.testing.assert_array_equal(ours, by_score[np.isin(by_score, ours)])  # best first


def test_rates_keep_some_terms_all_or_none() -> None:
    # Otherwise, the comparisons could hold because nothing is ever kept.
    few, some, many = (len(kept(method="chi2_counts", fdr=rate)) for rate in (0.01, 0.1, 0.5))
    assert 0 < few < some < many < 60
    assert kept(method="chi2_counts", fdr=1.0) == list(range(60))
    assert kept(method="chi2_counts", fdr=0.0) == []


@pytest.mark.parametrize("kind", THEIRS)
@pytest.mark.parametrize("method", TESTS)
def test_rates_that_are_a_p_value(method: str, kind: str) -> None:
    # Each p-value is that of two terms. scikit-learn keeps both or neither at this very rate.
    pvalues = getattr(ts, method)(X, y)[1]
    tests = ts.count(X, y).significance(method)
    places = np.argsort(pvalues)[[0, 5, 12, 31, 59]]
    for place in places:
        if kind == "fdr":
            rate = float(tests.pvalues_adj[place])
            # scikit-learn rounds the product of the rate and a rank, so just this rate may differ.
            rates = [max(rate * (1 - 1e-12), 0), min(rate * (1 + 1e-12), 1)]
            support = ts.TermSelector(method, fdr=rate).fit(X, y).get_support()
            np.testing.assert_array_equal(support, tests.pvalues_adj <= rate)
            assert support[place]
        else:
            rates = [min(float(pvalues[place]) * (60 if kind == "fwe" else 1), 1)]
        for rate in rates:
            theirs = THEIRS[kind](getattr(ts, method), alpha=rate).fit(X, y).get_support()
            ours = ts.TermSelector(method, **{kind: rate}).fit(X, y).get_support()
            np.testing.assert_array_equal(ours, theirs)
            np.testing.assert_array_equal(ours[:30], ours[30:])


def test_the_rates_by_hand() -> None:
    # The statistics 20, 20/3, 500/99 and 0 have p-values of about 8e-6, 0.0098, 0.0246 and 1.
    occurs = np.zeros((20, 4), int)
    for term, n_ham, n_spam in ((0, 10, 0), (1, 5, 0), (2, 0, 0), (3, 5, 5)):
        occurs[:n_ham, term] = occurs[10 : 10 + n_spam, term] = 1
    occurs[[0, 1, 2, 3, 4, 5, 6, 10, 11], 2] = 1
    labels = ["ham"] * 10 + ["spam"] * 10
    statistics = ts.count(occurs, labels).significance("chi2").statistics
    np.testing.assert_allclose(statistics, [20, 20 / 3, 500 / 99, 0])
    for options, expected in (
        ({"fpr": 0.05}, [0, 1, 2]),
        ({"fpr": 0.02}, [0, 1]),
        ({"fdr": 0.033}, [0, 1, 2]),  # 0.0246 * 4 / 3 = 0.0328
        ({"fdr": 0.032}, [0, 1]),
        ({"fwe": 0.04}, [0, 1]),  # 0.0098 * 4 = 0.0393
        ({"fwe": 0.039}, [0]),
        ({"fwe": 1e-5}, []),
    ):
        selector = ts.TermSelector("chi2", **options).fit(occurs, labels)  # type: ignore[arg-type]
        assert selector.ranking_.indices.tolist() == expected


def test_no_term() -> None:
    selector = ts.TermSelector("g2", fwe=1e-99).fit(X, y)
    assert (len(selector.ranking_), selector.scores_.shape) == (0, (60,))
    with pytest.warns(UserWarning, match="No features were selected"):
        assert selector.transform(X).shape == (60, 0)


@pytest.mark.parametrize("options", [{}, {"policy": "round_robin"}, {"aggregate": "mean"}])
def test_the_test_decides_which_terms_and_the_policy_their_order(options: dict[str, Any]) -> None:
    counts = ts.count(X, y)
    whole, tests = counts.rank("g2", **options), counts.significance("g2")
    ranking = ts.TermSelector("g2", fdr=0.1, **options).fit(X, y).ranking_
    expected = [t for t in whole.indices.tolist() if tests.pvalues_adj[t] <= 0.1]
    assert 2 < len(expected) < 60
    assert ranking.indices.tolist() == expected
    places = np.flatnonzero(np.isin(whole.indices, expected))
    np.testing.assert_array_equal(ranking.scores, whole.scores[places])
    np.testing.assert_array_equal(ranking.pvalues_adj, tests.pvalues_adj[expected])
    if whole.chosen_by is not None:
        np.testing.assert_array_equal(ranking.chosen_by, whole.chosen_by[places])
    again = counts.rank("g2", max_pvalue=0.1, **options)
    assert again.columns().keys() == ranking.columns().keys()
    for mine, theirs in zip(again.columns().values(), ranking.columns().values(), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    first = counts.rank("g2", 2, max_pvalue=0.1, **options)
    np.testing.assert_array_equal(first.indices, ranking.indices[:2])
    np.testing.assert_array_equal(first.pvalues_adj, ranking.pvalues_adj[:2])


def test_chunks_equal_one_fit_and_the_terms_follow_the_counts() -> None:
    whole = ts.TermSelector("chi2", fdr=0.1).fit(X, y)
    parts = ts.TermSelector("chi2", fdr=0.1)
    for first in range(0, 60, 25):
        parts.partial_fit(X[first : first + 25], y[first : first + 25])
    np.testing.assert_array_equal(parts.ranking_.indices, whole.ranking_.indices)
    copy = pickle.loads(pickle.dumps(whole))
    np.testing.assert_array_equal(copy.ranking_.indices, whole.ranking_.indices)
    np.testing.assert_array_equal(copy.ranking_.pvalues_adj, whole.ranking_.pvalues_adj)
    copy.counts_.update(X, y)
    twice = copy.counts_.rank("chi2", max_pvalue=0.1)
    np.testing.assert_array_equal(copy.ranking_.indices, twice.indices)
    assert len(twice) > len(whole.ranking_)


# ---- one of k and the rates ----------------------------------------------------------------------


def test_without_a_rate_a_thousand_terms_are_kept() -> None:
    wide = sp.csr_array(np.random.default_rng(0).poisson(0.5, (20, 1200)))
    labels = ["ham", "spam"] * 10
    for selector in (ts.TermSelector(), ts.TermSelector(k=None), ts.TermSelector(k=1000)):
        assert len(selector.fit(wide, labels).ranking_) == 1000
    # A rate alone decides, also if it keeps more.
    assert len(ts.TermSelector("chi2", fdr=1.0).fit(wide, labels).ranking_) == 1200


@pytest.mark.parametrize(
    ("options", "key", "argument"),
    [
        ({"k": 1000, "fdr": 0.05}, "k_and_fdr_exclude_each_other", "k"),
        ({"k": "all", "fpr": 0.05}, "k_and_fpr_exclude_each_other", "k"),
        ({"fdr": 0.05, "fwe": 0.05}, "fdr_and_fwe_exclude_each_other", "fdr"),
        ({"fdr": "0.05"}, "fdr_is_a_number", "fdr"),
        ({"fwe": True}, "fwe_is_a_number", "fwe"),
    ],
)
def test_k_and_the_rates_exclude_each_other(
    options: dict[str, Any], key: str, argument: str
) -> None:
    with raises(TypeError, key, argument=argument):
        ts.TermSelector("chi2", **options).fit(X, y)


@pytest.mark.parametrize("kind", THEIRS)
def test_rates_are_shares(kind: str) -> None:
    for wrong in (-0.1, 1.5, np.nan, np.inf):
        with raises(ValueError, "an_error_rate_in_bounds", argument=kind):
            ts.TermSelector("chi2", **{kind: wrong}).fit(X, y)


@pytest.mark.parametrize("kind", THEIRS)
@pytest.mark.parametrize("method", ["md", "ngl", "greedy", "conditional_gain"])
def test_methods_that_are_no_tests_are_refused(kind: str, method: str) -> None:
    with raises(ValueError, "an_error_rate_needs_a_test", argument=kind):
        ts.TermSelector(method, **{kind: 0.05}).fit(X, y)  # type: ignore[arg-type]


def test_max_pvalue_of_rank_is_named() -> None:
    counts = ts.count(X, y)
    with raises(ValueError, "an_error_rate_needs_a_test", argument="max_pvalue"):
        counts.rank(max_pvalue=0.05)
    with raises(ValueError, "max_pvalue_in_bounds", argument="max_pvalue"):
        counts.rank("chi2", max_pvalue=2)
    with raises(TypeError, "max_pvalue_is_a_number", argument="max_pvalue"):
        counts.rank("chi2", max_pvalue="small")  # type: ignore[arg-type]


def test_clones_and_grids() -> None:
    selector = ts.TermSelector("chi2", fdr=0.05)
    assert clone(selector).get_params() == selector.get_params()
    assert repr(selector) == "TermSelector(fdr=0.05, method='chi2')"
    pipeline = make_pipeline(ts.TermSelector("g2"), MultinomialNB())
    grids = [{"termselector__k": [5, 50]}, {"termselector__fdr": [0.1, 0.9]}]
    search = GridSearchCV(pipeline, grids, cv=3, error_score="raise").fit(X, y)
    assert len(search.cv_results_["params"]) == 4
    both = {"termselector__k": [None], "termselector__fpr": [None, 0.3]}
    GridSearchCV(pipeline, both, cv=3, error_score="raise").fit(X, y)
