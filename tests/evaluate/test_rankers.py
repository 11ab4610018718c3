"""Methods with options and functions of the user's own, in place of names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

import termsift as ts
from private import METRICS, rankers_of
from wording import raises, warns

RNG = np.random.default_rng(5)
Y = np.array(["ham", "news", "spam"] * 12)
X = sp.csr_array(RNG.poisson(RNG.gamma(0.4, 1.0, (3, 20))[np.arange(36) % 3]))
KS = [1, 5, 20]


def dfs(counts: ts.ClassCounts) -> Any:
    """Return the distinguishing feature selector, written by hand."""
    A = counts.document_frequency.toarray()
    n_c, d, n = (
        counts.class_docs[:, np.newaxis],
        counts.collection_document_frequency,
        counts.n_docs,
    )
    with np.errstate(invalid="ignore"):
        values = A / d / ((n_c - A) / n_c + (d - A) / (n - n_c) + 1)
    return np.nan_to_num(values).sum(axis=0)


def documents_of_most(X: Any, y: Any) -> Any:
    """Return the largest number of documents of a class that have the term."""
    present = X.toarray() > 0
    return np.max([present[y == label].sum(axis=0) for label in np.unique(y)], axis=0)


def test_a_function_gets_the_numbers_of_the_registry() -> None:
    counts = ts.count(X, Y)
    assert_allclose(dfs(counts), counts.score("dfs"), rtol=1e-14)
    curves = ts.cross_validate(X, Y, {"mine": dfs, "theirs": "dfs"}, KS, cv=4)
    for metric in METRICS:
        assert_array_equal(curves["mine"].runs[metric], curves["theirs"].runs[metric])


def test_functions_of_documents_get_matrix_and_labels() -> None:
    seen = []

    def method(X: Any, y: Any) -> Any:
        seen.append((type(X), X.shape, y.tolist()))
        return documents_of_most(X, y)

    mine = ts.cross_validate(X, Y, method, KS, cv=[(range(30), range(30, 36))])["method"]
    assert seen == [(sp.csr_array, (30, 20), Y[:30].tolist())]
    df = ts.method("df", aggregate="max")
    other = ts.cross_validate(X, Y, df, KS, cv=[(range(30), range(30, 36))])["df max"]
    assert_array_equal(mine.accuracy, other.accuracy)


def test_functions_of_scikit_learn_are_methods() -> None:
    selection = pytest.importorskip("sklearn.feature_selection")
    curves = ts.cross_validate(X, Y, [selection.chi2, "chi2_counts"], KS, cv=3)
    assert list(curves) == ["chi2", "chi2_counts"]
    assert_allclose(curves["chi2"].accuracy, curves["chi2_counts"].accuracy)


OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("chi2", {"aggregate": "mean"}),
    ("md", {"alpha": (0.5, 40.0), "model": "binary", "policy": "round_robin"}),
    ("md_chi2", {"noncentrality": "pearson", "class_prior": "uniform"}),
    ("ndm", {"zero": "document"}),
    ("greedy", {"model": "bernoulli"}),
]


@pytest.mark.parametrize(("name", "options"), OPTIONS)
@pytest.mark.filterwarnings("ignore:.* does not use class_prior")
def test_options_reach_the_method(name: Any, options: dict[str, Any]) -> None:
    counts = ts.count(X, Y)
    ranker = ts.method(name, **options)
    expected = counts.rank(name, 7, **options).indices
    assert_array_equal(ts.TermSelector(ranker, k=7).fit(X, Y).ranking_.indices, expected)
    by_hand = ts.cross_validate(X, Y, lambda c: c.rank(name, **options), KS, cv=3)["<lambda>"]
    assert_array_equal(
        ts.cross_validate(X, Y, ranker, KS, cv=3)[ranker.name].accuracy, by_hand.accuracy
    )


def test_selectors_of_documents_have_options_too() -> None:
    ranker = ts.method("conditional_gain", shape=1.0)
    found = ts.TermSelector(ranker, k=5).fit(X, Y).ranking_
    assert_array_equal(found.indices, ts.conditional_gain(X, Y, 5, shape=1.0).indices)
    assert ranker.name == "conditional_gain shape=1"


def test_names() -> None:
    assert ts.method("md", model="binary", policy="round_robin").name == "md binary round_robin"
    assert ts.method("c_tfidf", sqrt=True).name == "c_tfidf sqrt=True"
    assert ts.method("md", class_prior=[1, 2, 3]).name == "md class_prior=1:2:3"
    assert ts.method(dfs, name="DFS").name == "DFS"
    assert repr(ts.method(dfs)) == "<Ranker dfs>"
    names = list(rankers_of({"a": "md", "b": dfs}, ["multinomial", "binary"], ["top"]))
    assert names == ["a", "a binary", "b"]
    with raises(ValueError, "two_methods_of_one_name", argument="methods"):
        rankers_of([dfs, ts.method(documents_of_most, name="dfs")], "multinomial", "top")


@pytest.mark.parametrize(
    "name",
    [
        *("md binary round_robin", "chi2 mean", "ndm document", "md uniform"),
        *("c_tfidf bm25 sqrt=True", "md alpha=0.5:40", "md round_robin class_prior=1:2:3"),
    ],
)
def test_the_name_of_a_ranker_is_a_method(name: Any) -> None:
    ranker = ts.method(name)
    assert ranker.name == name
    assert ts.method(ranker.method, **ranker.options).name == name
    curves = ts.cross_validate(X, Y, {"own": ranker, "named": name}, KS, cv=3)
    assert_array_equal(curves["own"].accuracy, curves["named"].accuracy)
    assert list(ts.cross_validate(X, Y, [name], KS, cv=3, models=["binary"])) == [name]
    ts.TermSelector(name, k=3).fit(X, Y)


def test_a_function_of_documents_gets_its_own_documents() -> None:
    seen = []

    def method(X: Any, y: Any) -> Any:
        seen.append((type(X), type(y), y.dtype.kind))
        scores = np.asarray(X[y == "ham"].sum(axis=0)).ravel()
        X.data[:] = 0
        return scores

    before = X.copy()
    expected = np.argsort(-X[Y == "ham"].sum(axis=0), kind="stable")[:5]
    for documents in (X, X.toarray(), X.tocsc()):
        for labels in (Y, Y.tolist()):
            found = ts.TermSelector(method, k=5).fit(documents, labels).ranking_
            assert_array_equal(found.indices, expected)
    assert set(seen) == {(sp.csr_array, np.ndarray, "U")}
    assert_array_equal(X.data, before.data)


def test_scores_in_the_order_of_a_frame_are_those_of_the_terms() -> None:
    pandas = pytest.importorskip("pandas")
    counts = ts.count(X, Y, term_names=[f"t{i}" for i in range(20)])

    def in_order(counts: ts.ClassCounts) -> Any:
        return pandas.Series(counts.score("md"), index=counts.term_names)

    def by_score(counts: ts.ClassCounts) -> Any:
        return pandas.Series(counts.score("md")).sort_values()

    assert counts.term_names is not None
    frame = pandas.DataFrame(X.toarray(), columns=counts.term_names)
    assert_array_equal(ts.TermSelector(in_order, k=20).fit(frame, Y).scores_, counts.score("md"))
    with raises(ValueError, "scores_in_another_order"):
        ts.TermSelector(by_score, k=3).fit(X, Y)
    with raises(TypeError, "masked_scores"):
        ts.TermSelector(lambda c: np.ma.masked_less(c.score("md"), 0.1), k=3).fit(X, Y)


def test_one_way_to_rank_has_one_name() -> None:
    assert ts.method(" md  round_robin binary ").name == "md binary round_robin"
    assert (
        ts.method("md", policy="round_robin", alpha=np.float64(2)).name == "md round_robin alpha=2"
    )
    models, policies = ["multinomial", "binary"], ["top", "round_robin"]
    given = ["md", "md binary", ts.method("md"), "md round_robin", "md"]
    names = list(rankers_of(given, models, policies))
    assert names == ["md", "md round_robin", "md binary", "md binary round_robin"]
    alphas = [ts.method("md", alpha=alpha) for alpha in np.array([1, 2])]
    assert list(rankers_of(alphas, "multinomial", "top")) == ["md alpha=1", "md alpha=2"]


def test_what_a_function_does_to_its_documents_changes_no_other_method() -> None:
    def method(X: Any, y: Any) -> Any:
        X.data[:] = 1
        y[:] = "x"
        return np.arange(20.0)

    expected = ts.cross_validate(X, Y, ["md", "conditional_gain"], KS, cv=3)
    found = ts.cross_validate(X, Y, [method, "md", "conditional_gain"], KS, cv=3)
    for name, curve in expected.items():
        assert_array_equal(found[name].accuracy, curve.accuracy)


def test_a_selector_of_terms_takes_functions() -> None:
    selector = ts.TermSelector(dfs, k=4).fit(X, Y)
    assert_array_equal(selector.scores_, dfs(ts.count(X, Y)))
    assert_array_equal(selector.ranking_.indices, np.argsort(-selector.scores_, kind="stable")[:4])
    halves = ts.TermSelector(dfs, k=4).partial_fit(X[:18], Y[:18]).partial_fit(X[18:], Y[18:])
    assert_array_equal(halves.get_support(), selector.get_support())
    of_documents = ts.TermSelector(documents_of_most, k=4).fit(X, Y)
    assert not hasattr(of_documents, "partial_fit")
    assert not hasattr(of_documents, "scores_")
    with raises(TypeError, "a_function_has_no_policy"):
        ts.TermSelector(dfs, policy="round_robin").fit(X, Y)
    with raises(TypeError, "weights_for_a_function_of_documents"):
        ts.TermSelector(documents_of_most).fit(X, Y, sample_weight=np.ones(36))
    sklearn = pytest.importorskip("sklearn.base")
    assert sklearn.clone(selector).method is dfs


WRONG = [
    (lambda counts: np.full(20, np.nan), "a_function_returned_nan", "nan_is_left_out"),
    (lambda counts: np.ones(3), "a_function_returned_another_shape", "another_shape_is_left_out"),
    (lambda counts: None, "a_function_returned_nothing", "nothing_is_left_out"),
    (lambda counts: np.arange(20), "a_function_returned_an_order", "an_order_is_left_out"),
    (lambda counts: counts.rank("md", 4), "a_function_ranked_too_few", "too_few_are_left_out"),
    (lambda counts: 1 / 0, "a_division_by_zero", "a_division_by_zero_is_left_out"),
]


@pytest.mark.parametrize(("function", "key", "left_out"), WRONG)
def test_a_function_that_fails_is_named_and_the_rest_kept(
    function: Any, key: str, left_out: str
) -> None:
    with raises((ValueError, ZeroDivisionError), key) as caught:
        ts.cross_validate(X, Y, {"mine": function}, KS, cv=3)
    assert "called mine in fold 0" in caught.value.__notes__[0]
    with warns(UserWarning, left_out) as seen:
        curves = ts.cross_validate(X, Y, {"mine": function, "md": "md"}, KS, cv=3)
    assert seen[0].filename == __file__
    alone = ts.cross_validate(X, Y, "md", KS, cv=3)
    assert_array_equal(curves["md"].accuracy, alone["md"].accuracy)
    assert list(curves) == ["md"]


def test_a_function_may_fail_in_a_later_fold() -> None:
    calls: list[int] = []

    def method(counts: ts.ClassCounts) -> Any:
        calls.append(1)
        return np.ones(20) if len(calls) < 3 else np.ones(1)

    with warns(UserWarning, "a_later_fold_is_named"):
        curves = ts.cross_validate(X, Y, [method, "md"], KS, cv=4)
    assert len(calls) == 3
    assert curves["md"].n_runs == 4


@pytest.mark.parametrize(
    ("arguments", "options", "error", "key"),
    [
        ((lambda: 0,), {}, TypeError, "a_function_of_nothing"),
        ((lambda a, b, c: 0,), {}, TypeError, "a_function_of_three"),
        (("md",), {"zero": "document"}, TypeError, "md_has_no_option_zero"),
        (("greedy",), {"policy": "top"}, TypeError, "greedy_has_no_option_policy"),
        (("ndm",), {"zero": "x"}, ValueError, "zero_must_be_epsilon"),
        (("chi2",), {"model": "binary"}, ValueError, "chi2_has_no_model_binary_only"),
        (("mdd",), {}, ValueError, "no_method_mdd"),
        ((3,), {}, TypeError, "a_method_is_a_name_or_a_function"),
        (("md binry",), {}, ValueError, "a_word_that_is_no_option"),
        (("md binary bernoulli",), {}, ValueError, "an_option_given_twice"),
        (("md alpha=-1",), {}, ValueError, "alpha_must_be_finite_and_not_2"),
        (("md alpha=one",), {}, TypeError, "alpha_must_be_a_number_or_a_pair"),
        (("md",), {"policy": "rr"}, ValueError, "policy_must_be_top_or_round_robin_rr"),
        (("chi2",), {"aggregate": "foo"}, ValueError, "aggregate_must_be_sum_mean_or_max_foo"),
    ],
)
def test_invalid_methods(arguments: Any, options: Any, error: Any, key: str) -> None:
    with raises(error, key):
        ts.method(*arguments, **options)


def test_a_function_may_have_options_and_defaults() -> None:
    def method(counts: ts.ClassCounts, b: float, c: int = 3) -> Any:
        return counts.score("md") * b * c

    assert_array_equal(
        ts.TermSelector(ts.method(method, b=2.0), k=3).fit(X, Y).ranking_.indices,
        ts.count(X, Y).rank("md", 3).indices,
    )
    assert ts.method(method, b=2.0).name == "method b=2"


def test_an_option_that_is_no_number_is_named_without_its_value() -> None:
    def method(counts: ts.ClassCounts, weights: dict[str, float]) -> Any:
        return counts.score("md") * weights["eggs"]

    assert ts.method(method, weights={"eggs": 2.0}).name == "method weights"
    prior = {"ham": 0.5, "news": 0.25, "spam": 0.25}
    assert ts.method("chi2", class_prior=prior).name == "chi2 class_prior"
