"""Scores and rankings: the compiled path against the reference, and what users rely on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

import termsift as ts
from strategies import MODERATE, collections, fits_float_counts
from termsift import _core, reference


@given(
    collections(dtypes=MODERATE),
    st.sampled_from([entry.name for entry in ts.methods()]),
    st.sampled_from([1.0, 0.01, (0.5, 20.0), (2.0, 1e6)]),
    st.sampled_from([None, "uniform"]),
    st.sampled_from(["sum", "mean", "max", None]),
)
def test_equal_to_the_reference(
    collection: tuple[Any, Any, Any], method: str, alpha: Any, class_prior: Any, aggregate: Any
) -> None:
    X, y, sample_weight = collection
    assume(fits_float_counts(X, sample_weight) and X.shape[1] <= 40)
    counts = ts.count(X, y, sample_weight)
    arguments = {"alpha": alpha, "class_prior": class_prior}
    if np.count_nonzero(counts.class_docs) < 2:
        if method not in ("df", "tfidf"):
            with pytest.raises(ValueError, match="at least two"):
                counts.score(method, **arguments)
        return
    # Where fractions add up to n except for rounding, a cell that should be 0 may be 1e-17.
    assume(method != "chi2_printed" or counts._counts.exact)
    expected = reference.count(X, y, sample_weight)
    close = {"rtol": 1e-6, "atol": 1e-12}
    np.testing.assert_allclose(
        counts.class_scores(method, **arguments),
        reference.class_scores(expected, method, **arguments),
        **close,
    )
    np.testing.assert_allclose(
        counts.score(method, aggregate=aggregate, **arguments),
        reference.score(expected, method, aggregate=aggregate, **arguments),
        **close,
    )


@pytest.fixture(scope="module")
def counts() -> ts.ClassCounts:
    """Counts wide enough for several chunks of 4,096 terms, with common, rare and unseen terms."""
    rng = np.random.default_rng(11)
    n_terms = 9001
    rates = np.r_[40.0 / np.arange(1, 6001), np.zeros(n_terms - 6000)]
    X = sp.csr_array(rng.poisson(rates, (90, n_terms)))
    return ts.count(X, rng.integers(0, 5, 90))


@pytest.mark.parametrize("n_threads", [1, 2, 3, 7])
@pytest.mark.parametrize("aggregate", ["sum", "mean", "max"])
def test_threads_and_targets_return_the_same_bits(
    counts: ts.ClassCounts, simd_target: str, method: str, n_threads: int, aggregate: Any
) -> None:
    _core.use_simd_target("baseline")
    expected = counts.score(method, aggregate=aggregate, n_threads=1)
    by_class = counts.class_scores(method, n_threads=1)
    _core.use_simd_target(simd_target)
    ours = counts.score(method, aggregate=aggregate, n_threads=n_threads)
    assert ours.tobytes() == expected.tobytes()
    assert counts.class_scores(method, n_threads=n_threads).tobytes() == by_class.tobytes()


def added_up(values: Any, weights: Any) -> tuple[Any, Any]:
    """Return the weighted sum of the rows, and a bound for its rounding error."""
    with np.errstate(invalid="ignore"):
        products = np.where(np.isfinite(values), values * weights[:, None], values)
    exact = products.astype(np.longdouble)
    return exact.sum(axis=0), 4e-15 * np.abs(exact).sum(axis=0)


def assert_within(actual: Any, expected: Any, error: Any) -> None:
    finite = np.isfinite(expected)
    assert np.array_equal(actual[~finite], expected[~finite])
    assert (np.abs(actual[finite] - expected[finite]) <= error[finite]).all()


def test_scores_follow_from_class_scores(counts: ts.ClassCounts, method: str) -> None:
    by_class = counts.class_scores(method)
    prior = counts.class_docs / counts.class_docs.sum()
    for aggregate, weights in (("sum", np.ones(len(prior))), ("mean", prior)):
        ours = counts.score(method, aggregate=aggregate)  # type: ignore[arg-type]
        assert_within(ours, *added_up(by_class, weights))
    assert np.array_equal(counts.score(method, aggregate="max"), by_class.max(axis=0))


@pytest.mark.full(cases=2)
def test_many_classes_score_the_sum_of_their_values(method: str) -> None:
    # Float counts are tested too. Classes without documents must not change how the others are
    # summed.
    rng = np.random.default_rng(13)
    n_classes, n_terms = 300, 3000
    X = sp.random_array((n_classes, n_terms), density=0.02, random_state=rng).tocsr()
    y = np.arange(n_classes)
    for data in (X.data, 0.3 * rng.integers(1, 9, X.nnz), rng.integers(1, 9, X.nnz)):
        table = sp.csr_array((data, X.indices, X.indptr), shape=X.shape)
        counts = ts.count(table, y)
        by_class = counts.class_scores(method)
        wider = ts.count(table, y, classes=np.arange(n_classes + 200))
        shares = np.full(n_classes, 1 / n_classes)
        for aggregate, weights in (("sum", np.ones(n_classes)), ("mean", shares)):
            ours = counts.score(method, aggregate=aggregate)  # type: ignore[arg-type]
            assert_within(ours, *added_up(by_class, weights))
        largest = counts.score(method, aggregate="max")
        assert np.array_equal(largest, by_class.max(axis=0))
        assert wider.score(method).tobytes() == counts.score(method).tobytes()


def test_equal_columns_have_equal_scores(method: str) -> None:
    # A common term leaves its block's fast path; its twin in another block must as well.
    rng = np.random.default_rng(4)
    X = rng.poisson(0.1, (30, 200))
    X[:, 3] = X[:, 150] = rng.poisson(200, 30)
    X[:, 4] = X[:, 70] = X[:, 199]
    scores = ts.count(X, rng.integers(0, 3, 30)).score(method)
    assert scores[3] == scores[150]
    assert scores[4] == scores[70] == scores[199]


def test_two_classes_have_the_j_divergence() -> None:
    counts = ts.count(np.array([[3, 0, 5], [1, 4, 2]]), [0, 1])
    p, q = (counts.term_frequency.toarray() + 1) / (counts.class_tokens + 3)[:, None]
    j = (p - q) * np.log(p / q) + (q - p) * np.log((1 - p) / (1 - q))
    np.testing.assert_allclose(counts.score("md"), j, rtol=1e-13)


def test_two_classes_make_pearson_twice_nu_j() -> None:
    counts = ts.count(np.array([[3, 0, 5], [1, 4, 2]]), [0, 1])
    nu_j = counts.score("md_chi2")
    pearson = counts.score("md_chi2", noncentrality="pearson")
    np.testing.assert_allclose(pearson, nu_j, rtol=1e-15)
    one = counts.class_scores("md_chi2")
    np.testing.assert_allclose(pearson, 2 * one[0], rtol=1e-15)


def test_nothing_is_nan_without_smoothing(method: str) -> None:
    counts = ts.count(np.array([[1, 0, 0, 2], [0, 0, 3, 2], [0, 0, 0, 0]]), ["a", "b", "c"])
    for prior in (None, "uniform", [1, 0, 1], [0, 1, 1]):
        for aggregate in ("sum", "mean", "max"):
            scores = counts.score(method, alpha=0, class_prior=prior, aggregate=aggregate)  # type: ignore[arg-type]
            assert not np.isnan(scores).any()
            assert scores[1] == 0  # never seen: p = q = 0


def test_classes_without_documents_take_no_part(method: str) -> None:
    X = np.array([[3, 1, 0], [0, 1, 2]])
    with_empty = ts.count(X, ["a", "b"], classes=["a", "none", "b"])
    without = ts.count(X, ["a", "b"])
    assert np.array_equal(with_empty.score(method), without.score(method))
    assert not with_empty.class_scores(method)[1].any()


@given(st.data())
def test_rank_is_a_stable_sort(data: st.DataObject) -> None:
    n_terms = data.draw(st.integers(0, 60))
    cells = data.draw(st.lists(st.integers(0, 2), min_size=2 * n_terms, max_size=2 * n_terms))
    counts = ts.count(np.array(cells).reshape(2, n_terms), [0, 1])
    k = data.draw(st.one_of(st.none(), st.integers(0, 70)))
    scores = counts.score("md")
    ranking = counts.rank("md", k=k)
    expected = np.argsort(-scores, kind="stable")[:k]
    assert ranking.indices.dtype == np.int64
    assert np.array_equal(ranking.indices, expected)
    assert np.array_equal(ranking.indices, reference.rank(scores, k))
    assert np.array_equal(ranking.scores, scores[expected])


def test_infinite_scores_rank_first() -> None:
    counts = ts.count(np.array([[5, 1, 2], [5, 0, 2]]), [0, 1])
    ranking = counts.rank("md", alpha=0)
    assert ranking.indices[0] == 1
    assert ranking.scores[0] == np.inf


def test_names_go_with_the_ranking(tmp_path: Any) -> None:
    counts = ts.count(np.array([[4, 1, 0], [0, 1, 2]]), ["ham", "spam"])
    assert counts.rank().terms is None
    counts.term_names = ["bacon", 'a "b", c', "viagra"]
    ranking = counts.rank()
    assert ranking.terms is not None
    assert ranking.terms.tolist() == ["bacon", "viagra", 'a "b", c']
    assert repr(ranking) == '<Ranking of 3 terms by md: bacon, viagra, a "b", c>'
    assert len(ranking) == 3

    ranking.to_csv(tmp_path / "out.csv")
    pd = pytest.importorskip("pandas")
    frame = pd.read_csv(tmp_path / "out.csv")
    pd.testing.assert_frame_equal(frame, ranking.to_frame(), check_dtype=False, rtol=1e-15)


@pytest.mark.parametrize("model", ["multinomial", "binary", "bernoulli", "poisson"])
def test_a_ranking_shows_how_it_was_made(model: Any) -> None:
    counts = ts.count(np.array([[4, 1, 0], [0, 1, 2]]), ["ham", "spam"])
    by_model = "" if model == "multinomial" else f", model={model}"
    top = counts.rank("md", model=model)
    assert (top.method, top.policy, top.model) == ("md", "top", model)
    assert repr(top).startswith(f"<Ranking of 3 terms by md{by_model}: ")
    turns = counts.rank("md", policy="round_robin", model=model)
    assert (turns.method, turns.policy, turns.model) == ("md", "round_robin", model)
    assert repr(turns).startswith(f"<Ranking of 3 terms by md, policy=round_robin{by_model}: ")
    for greedy in (counts.greedy(model=model), counts.rank("greedy", model=model)):
        assert (greedy.method, greedy.policy, greedy.model) == ("greedy", "top", model)


def test_to_frame_names_the_package_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    ranking = ts.count(np.array([[1, 0], [0, 1]]), [0, 1]).rank()
    with pytest.raises(ImportError) as caught:
        ranking.to_frame()
    message = "Ranking.to_frame needs pandas: pip install 'termsift[pandas]', or pip install pandas"
    assert str(caught.value) == message


def scores_of(found: Any) -> Any:
    """Return the scores; tests of significance also return p-values."""
    return found[0] if isinstance(found, tuple) else found


def test_functions_come_from_the_registry(method: str) -> None:
    X, y = np.array([[3, 0, 5], [1, 4, 2]]), [0, 1]
    function = getattr(ts, method)
    assert function.__name__ == method
    assert method in ts.__all__
    counts = ts.count(X, y)
    found = function(X, y)
    assert np.array_equal(scores_of(found), counts.score(method))
    assert np.array_equal(
        scores_of(function(X, y, class_prior="uniform", aggregate="mean")),
        counts.score(method, class_prior="uniform", aggregate="mean"),
    )
    is_test = next(entry.is_test for entry in ts.methods() if entry.name == method)
    assert isinstance(found, tuple) == is_test
    if is_test:
        assert np.array_equal(found[1], counts.significance(method).pvalues)
    else:
        assert np.array_equal(function(X, y, alpha=0.5), counts.score(method, alpha=0.5))


def test_functions_serve_scikit_learn(method: str) -> None:
    selection = pytest.importorskip("sklearn.feature_selection")
    rng = np.random.default_rng(5)
    X, y = rng.poisson(1.0, (40, 12)), rng.integers(0, 3, 40)
    selector = selection.SelectKBest(getattr(ts, method), k=5).fit(X, y)
    ranking = ts.count(X, y).rank(method)
    chosen = np.flatnonzero(selector.get_support())
    assert sorted(selector.scores_[chosen]) == sorted(ranking.scores[:5])


def test_a_ranking_is_no_array() -> None:
    X, y = np.array([[1, 0, 2], [0, 3, 1], [2, 0, 0]]), [0, 1, 0]
    for ranking in (ts.count(X, y).rank(), ts.conditional_gain(X, y)):
        with pytest.raises(TypeError, match=r"a ranking is no array: .* use TermSelector"):
            np.asarray(ranking)
    feature_selection = pytest.importorskip("sklearn.feature_selection")
    with pytest.raises(TypeError, match="a ranking is no array"):
        feature_selection.SelectKBest(ts.guided_gain, k=2).fit(X, y)
