"""The reference, which specifies every number, compared with manual and exact arithmetic."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import termsift as ts
from private import log_gamma_ratio
from small_tables import INF, THREE, TWO, table
from termsift import reference
from termsift.reference import scoring
from wording import raises

THREE_MD = 2 / 3 * math.log(3 / 2) + 1 / 3 * math.log(3 / 5)
THREE_NU_J = (1 / 5 + 2 / 9) / 2
# Each of two classes has one document, of one term.
TWO_OF_DOCUMENTS = reference.count(np.eye(2, dtype=int), [0, 1])


def test_counts_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        TWO_OF_DOCUMENTS.n_docs = 3  # type: ignore[misc]


def test_scores_and_class_scores_have_the_same_defaults() -> None:
    ours, theirs = (inspect.signature(f).parameters for f in (scoring.score, scoring.class_scores))
    shared = ours.keys() & theirs.keys()
    assert "sqrt" in shared
    assert {name: ours[name].default for name in shared} == {
        name: theirs[name].default for name in shared
    }


@pytest.mark.parametrize("name", ["conditional_gain", "guided_gain"])
def test_selectors_have_the_defaults_of_the_package(name: str) -> None:
    ours, theirs = (inspect.signature(getattr(f, name)).parameters for f in (reference, ts))
    shared = ours.keys() & theirs.keys() - {"X", "y"}
    assert len(shared) > 1
    assert {key: ours[key].default for key in shared} == {
        key: theirs[key].default for key in shared
    }


@pytest.mark.parametrize("degrees", [1, 2, 3, 8, 9])
@pytest.mark.parametrize("statistic", [0.5, 10.0, 40.0, 2000.0])
def test_pvalues_to_forty_digits(statistic: float, degrees: int) -> None:
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(40):
        a, z = mpmath.mpf(degrees) / 2, mpmath.mpf(statistic) / 2
        expected = float(mpmath.log(mpmath.gammainc(a, z, mpmath.inf, regularized=True)))
    assert reference.log_pvalue(statistic, degrees) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("x", [999.0, 1000.0, 5000.0])
@pytest.mark.parametrize("a", [0.25, 3.0])
def test_the_ratio_of_gamma_functions(x: float, a: float) -> None:
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(40):
        expected = float(mpmath.loggamma(mpmath.mpf(x) + a) - mpmath.loggamma(x))
    # A difference of two values of lgamma loses four digits, Stirling's series none.
    assert log_gamma_ratio(x, a) == pytest.approx(expected, rel=1e-11 if x < 1000 else 1e-15)


# ------------------------------------------------------------------------------------- scores


def test_two_classes_by_hand():
    log_2 = math.log(2)
    md = reference.class_scores(TWO, "md")
    assert_allclose(md, [[5 / 7 * log_2, 4 / 7 * log_2, 0], [4 / 7 * log_2, 5 / 7 * log_2, 0]])
    assert_allclose(reference.score(TWO, "md"), [9 / 7 * log_2, 9 / 7 * log_2, 0])
    assert_allclose(reference.class_scores(TWO, "md_chi2"), [[9 / 8, 9 / 8, 0], [9 / 8, 9 / 8, 0]])
    pearson = reference.class_scores(TWO, "md_chi2", noncentrality="pearson")
    assert_allclose(pearson, [[3 / 2, 3 / 4, 0], [3 / 4, 3 / 2, 0]])


def test_three_classes_by_hand():
    md = reference.class_scores(THREE, "md")
    assert_allclose(md, [[THREE_MD] * 2, [THREE_MD] * 2, [0, 0]], atol=1e-16)
    nu_j = reference.class_scores(THREE, "md_chi2")
    assert_allclose(nu_j, [[THREE_NU_J] * 2, [THREE_NU_J] * 2, [0, 0]], atol=1e-30)
    pearson = reference.class_scores(THREE, "md_chi2", noncentrality="pearson")
    assert_allclose(pearson, [[1 / 5] * 2, [1 / 5] * 2, [0, 0]], atol=1e-30)


def test_priors_by_hand():
    # With a uniform prior, q_00 is (1/3 + 1/2) / 2 = 5/12, and the value (1/4)^2 / (35/144) = 9/35.
    uniform = reference.class_scores(
        THREE, "md_chi2", class_prior="uniform", noncentrality="pearson"
    )
    assert_allclose(uniform[:2], np.full((2, 2), 9 / 35))
    # With the prior (1, 1, 0), q_00 is 1/3, and q of class 2 is (2/3 + 1/3) / 2 = 1/2.
    pair = reference.class_scores(THREE, "md_chi2", class_prior=[1, 1, 0], noncentrality="pearson")
    assert_allclose(pair, [[1 / 2] * 2, [1 / 2] * 2, [0, 0]])  # 1/2 is (1/3)^2 / (2/9).
    # Priors in equal proportions give equal scores.
    for prior in ([1, 1, 2], (0.25, 0.25, 0.5), np.array([5, 5, 10], dtype=np.uint8)):
        scores = reference.class_scores(THREE, "md", class_prior=prior)
        assert_array_equal(scores, reference.class_scores(THREE, "md"))


def test_smoothing_by_hand():
    # With b1 = 1/2 and b2 = 3/2, p is (3.5, 0.5, 1.5) / 5.5. The value is (6/11)^2 / (10/121).
    half = reference.class_scores(TWO, "md_chi2", alpha=0.5, noncentrality="pearson")
    assert half[0, 0] == pytest.approx(3.6)
    assert_array_equal(
        reference.class_scores(TWO, "md", alpha=(0.5, 1.5)),
        reference.class_scores(TWO, "md", alpha=0.5),
    )
    # With b1 = 1 and b2 = 6, p is (4, 1, 2) / 10, and the value is (3/10)^2 / (9/100) = 1.
    pair = reference.class_scores(TWO, "md_chi2", alpha=(1, 6), noncentrality="pearson")
    assert pair[0, 0] == pytest.approx(1)


def test_zero_conventions_by_hand():
    # Without smoothing, the classes have p = (1/2, 1/2) and (0, 1). Class 0 has x log(x/0) = inf
    # for both terms. Class 1 has 0 log 0 = 0, and 1 log(1 / (1/2)).
    counts = table([[1, 1], [0, 2]], [1, 1])
    log_2 = math.log(2)
    assert_allclose(reference.class_scores(counts, "md", alpha=0), [[INF, INF], [log_2, log_2]])
    # In Neyman's part of class 1, p (1-p) is 0. Pearson's part is (1/4) / (1/4).
    pearson = reference.class_scores(counts, "md_chi2", alpha=0, noncentrality="pearson")
    assert_allclose(pearson, [[INF, INF], [1, 1]])
    assert_array_equal(reference.class_scores(counts, "md_chi2", alpha=0), np.full((2, 2), INF))


# ---- counting ------------------------------------------------------------------------------------

# Two documents have class "a", one has "b". Document 0 stores 1 and 2 for term 0, 0 for term 2.
X_UNTIDY = sparse.csr_array((3, 3), dtype=np.int64)
X_UNTIDY.indices = np.array([2, 0, 0, 1, 2, 2])
X_UNTIDY.data = np.array([0, 1, 2, 4, 5, 6])
X_UNTIDY.indptr = np.array([0, 3, 5, 6])


def test_count_by_hand():
    counts = reference.count(X_UNTIDY, ["b", "a", "b"])
    assert counts.classes == ["a", "b"]
    assert_array_equal(counts.class_docs, [1, 2])
    assert_array_equal(counts.term_frequency, [[0, 4, 5], [3, 0, 6]])
    assert_array_equal(counts.class_tokens, [9, 9])
    assert_array_equal(counts.document_frequency, [[0, 1, 1], [1, 0, 1]])
    assert counts.n_docs == 3
    assert isinstance(counts.n_docs, int)
    assert counts.collection_term_frequency is counts.collection_document_frequency is None
    arrays = [x for x in dataclasses.astuple(counts) if isinstance(x, np.ndarray)]
    assert [x.dtype for x in arrays] == [np.int64] * 4


def test_count_with_several_labels_by_hand():
    # The first document has two classes, the second has one, and the third has no class.
    y = np.array([[1, 1], [0, 1], [0, 0]])
    for indicator in (y, y.astype(bool), y.astype(float), sparse.csc_array(y)):
        counts = reference.count(X_UNTIDY, indicator)
        assert counts.classes == [0, 1]
        assert_array_equal(counts.class_docs, [1, 2])
        assert_array_equal(counts.term_frequency, [[3, 0, 0], [3, 4, 5]])
        assert_array_equal(counts.document_frequency, [[1, 0, 0], [1, 1, 1]])
        assert counts.n_docs == 3
        assert_array_equal(counts.collection_term_frequency, [3, 4, 11])
        assert_array_equal(counts.collection_document_frequency, [1, 1, 2])
    assert reference.count(X_UNTIDY, y, classes=["u", "v"]).classes == ["u", "v"]


def test_classes_given_keep_their_order_and_may_be_empty():
    counts = reference.count(np.eye(3, dtype=int), ["b", "a", "b"], classes=["c", "b", "a"])
    assert counts.classes == ["c", "b", "a"]
    assert_array_equal(counts.class_docs, [0, 2, 1])


def test_the_collection_is_missed_where_it_is_not_the_sum_of_the_classes():
    counts = SimpleNamespace(
        class_docs=np.array([2, 2]),
        term_frequency=np.eye(2),
        document_frequency=np.eye(2),
        n_docs=3,
    )
    with raises(ValueError, "documents_of_several_labels"):
        reference.score(counts, "chi2")
    reference.score(counts, "md")  # reads no collection


def test_weights_that_vanish_in_the_sum_of_all_still_count() -> None:
    # 1e-20 + 1 + 2 is 3 in float64, so n - n_c of class "b" must not be the difference of floats.
    X, y, weights = [[0, 1], [1, 0], [1, 0]], ["a", "b", "b"], [1e-20, 1.0, 2.0]
    counts, compiled = reference.count(X, y, weights), ts.count(X, y, weights)
    for method in ("chi2", "g2", "ig", "efs", "dfs", "odds_ratio", "wllr"):
        expected = compiled.class_scores(method)  # type: ignore[arg-type]
        assert_allclose(reference.class_scores(counts, method), expected, rtol=1e-12)
    assert_allclose(reference.class_scores(counts, "chi2"), np.full((2, 2), 3))  # n: a perfect term
    # If documents have several labels, the totals are rounded too, but no value is inf or an error.
    labels = np.array([[1, 0], [0, 1], [1, 1]])
    several, compiled = reference.count(X, labels, weights), ts.count(X, labels, weights)
    for method in ("g2", "ig", "efs"):
        assert np.isfinite(reference.class_scores(several, method)).all()
    for method in ("chi2", "ngl"):  # n - n_c is rounded to 0 for class 1
        expected = compiled.class_scores(method)  # type: ignore[arg-type]
        assert_allclose(reference.class_scores(several, method), expected, rtol=1e-12)


def test_a_class_of_all_documents_by_hand() -> None:
    # Both documents are in class 0, so nothing is outside it. Class 1 has one of the two. For term
    # 1 in class 1, A = B = 1 and C = D = 0: dfs is 1/2 / (0/1 + 1/1 + 1), and efs 1/2 * 1/2 / 3/2.
    counts = reference.count([[1, 2], [0, 3]], np.array([[1, 1], [1, 0]]))
    assert_allclose(reference.class_scores(counts, "dfs"), [[0, 0], [1, 1 / 4]])
    assert_allclose(reference.class_scores(counts, "efs"), [[0, 0], [1, 1 / 6]])
    assert_allclose(reference.class_scores(counts, "gini"), [[0, 0], [1, 1 / 4]])
    compiled = ts.count([[1, 2], [0, 3]], np.array([[1, 1], [1, 0]]))
    for method in ("dfs", "efs", "gini"):
        assert_allclose(compiled.class_scores(method), reference.class_scores(counts, method))
    # Half of the documents are outside class 1: E is 1/2 and 5/2 of 1 and 5, and (l_ic - E)^2 / E
    # of both terms is multiplied by 2.
    found = reference.significance(counts, "chi2_counts", per_class=True)
    assert_allclose(found.statistics, [[0, 0], [1, 1 / 5]])


def test_values_beyond_float64_are_infinite() -> None:
    # E is 1.7e308/10 for term 0 in class "a", so (l_ic - E)^2 / E is 8.1 times 1.7e308.
    X, y = [[1.7e308, 0.0], *[[0.0, 1.0]] * 9], list("abbbbbbbbb")
    values = reference.class_scores(reference.count(X, y), "chi2_counts")
    assert_allclose(values[:, 0], [INF, 0.9 * 1.7e308])
    assert_allclose(values, ts.count(X, y).class_scores("chi2_counts"))
    assert [scoring.to_float(sign * Fraction(10) ** 400) for sign in (1, -1)] == [INF, -INF]


# ---- p-values and keyness ------------------------------------------------------------------------


def test_pvalues_at_both_ends() -> None:
    for degrees in (1, 2, 5):
        assert reference.log_pvalue(0, degrees) == reference.log_pvalue(-1e-20, degrees) == 0
        assert reference.log_pvalue(INF, degrees) == -INF


def test_keyness_without_a_difference() -> None:
    assert reference.key_of(0, 2, 10, 10) == 0  # the class lacks the term
    assert reference.key_of(3, 0, 10, 0) == 0  # the class has all documents
    assert reference.rank_sum_of([2, 2], [2]) == 0  # all rates are equal


# ---- Algorithm 1 ---------------------------------------------------------------------------------


@pytest.mark.parametrize("y", [[0, 1, 1, 1, 0], [0, 1, 2, 2, 0]])
@pytest.mark.parametrize("model", ["bernoulli", "poisson"])
def test_independent_terms_are_chosen_by_md(model: Any, y: list[int]) -> None:
    X = [[3, 0, 1, 2], [0, 3, 1, 0], [1, 1, 0, 9], [0, 0, 2, 5], [2, 0, 0, 1]]
    counts = reference.count(X, y)
    md = reference.score(counts, "md", model=model)
    indices, divergences = reference.greedy(counts, model=model)
    assert_array_equal(indices, reference.rank(md))
    assert_allclose(divergences, np.cumsum(md[indices]), rtol=1e-12)
    assert reference.divergence(counts, [2, 0], model=model) == pytest.approx(md[0] + md[2])
    chosen = ts.count(X, y).greedy(model=model)
    assert_array_equal(indices, chosen.indices)
    assert_allclose(divergences, chosen.scores, rtol=1e-12)


def test_terms_of_one_class_alone_diverge_infinitely() -> None:
    indices, divergences = reference.greedy(TWO_OF_DOCUMENTS, alpha=0, model="bernoulli")
    assert indices.tolist() == [0, 1]
    assert divergences.tolist() == [INF, INF]


@pytest.mark.parametrize("alpha", [0.1, 1e-20, math.pi * 1e-12])
def test_alpha_of_any_size_smooths(alpha: float) -> None:
    # p is (1 + a, a) / (1 + 2a) in class 0, and mirrored in class 1. No fraction with a small
    # denominator rounds to the last alpha.
    exact = 2 / (1 + 2 * alpha) * math.log((1 + alpha) / alpha)
    assert reference.divergence(TWO_OF_DOCUMENTS, [0], alpha=alpha) == pytest.approx(exact)


# ---- naive Bayes ---------------------------------------------------------------------------------


def test_complement_by_hand() -> None:
    # Class 0 has the other classes' terms (1, 4), and class 1 has (5, 3): with b1 = 1 and b2 = 2, p
    # is (2/7, 5/7) and (6/10, 4/10).
    counts = reference.count([[2, 1], [3, 2], [1, 4]], [0, 0, 1])
    posteriors = reference.log_posteriors(counts, {0: 3, 1: 1}, [0, 1], model="complement")
    expected = [-3 * math.log(2 / 7) - math.log(5 / 7), -3 * math.log(0.6) - math.log(0.4)]
    assert_allclose([log for log, _ in posteriors], expected)


def test_cross_validation_by_round_robin() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.poisson(0.6, (24, 7)), rng.permutation([0, 1, 2] * 8)
    parts = np.split(np.arange(24), 3)
    folds = [(np.concatenate([*parts[:i], *parts[i + 1 :]]), parts[i]) for i in range(3)]
    curves = reference.cross_validate(X, y.tolist(), folds, "md", [1, 3, 7], policy="round_robin")
    compiled = ts.cross_validate(X, y, ["md round_robin"], [1, 3, 7], cv=folds)["md round_robin"]
    for run, curve in enumerate(curves):
        assert_allclose(compiled.runs["accuracy"][run], curve["accuracy"], rtol=1e-12)


# ---- wrong arguments -----------------------------------------------------------------------------

X, Y = [[3, 0, 1], [0, 3, 1]], ["ham", "spam"]
HUGE = [[1e308, 0.0], [1e308, 1.0]]


def of(**options: Any) -> Any:
    """Return the scores of two documents in two classes."""
    return reference.score(reference.count(X, Y), **options)


def greedy(**options: Any) -> Any:
    return reference.greedy(reference.count(X, Y), **options)


WRONG: dict[str, Callable[[], Any]] = {
    "reference_aggregate_unknown": lambda: of(aggregate="median"),
    "reference_alpha_lets_a_class_exceed_1": lambda: greedy(alpha=(1, 2)),
    "reference_alpha_negative": lambda: of(alpha=-1),
    "reference_alpha_of_0_in_greedy": lambda: greedy(alpha=0),
    "reference_alpha_rising": lambda: of(alpha=(2, 1)),
    "reference_class_prior_lacks_a_class": lambda: of(class_prior={"ham": 1}),
    "reference_class_prior_negative": lambda: of(class_prior=[1, -1]),
    "reference_class_prior_of_one_class": lambda: of(class_prior=[1, 0]),
    "reference_class_prior_too_long": lambda: of(class_prior=[1, 1, 1]),
    "reference_class_prior_unknown": lambda: of(class_prior="flat"),
    "reference_classes_have_a_label_twice": lambda: reference.count(X, Y, classes=["a", "a"]),
    "reference_count_infinite": lambda: reference.count(HUGE, ["a", "a"]),
    "reference_degrees_of_0": lambda: reference.log_pvalue(1, 0),
    "reference_how_unknown": lambda: reference.adjusted([0.0], "holm"),
    "reference_indices_beyond_the_terms": lambda: reference.divergence(TWO_OF_DOCUMENTS, [2]),
    "reference_indices_twice": lambda: reference.divergence(TWO_OF_DOCUMENTS, [0, 0]),
    "reference_k_negative": lambda: greedy(k=-1),
    "reference_method_has_no_models": lambda: of(method="chi2", model="binary"),
    "reference_method_is_no_test": lambda: reference.significance(reference.count(X, Y), "md"),
    "reference_method_unknown": lambda: of(method="chi3"),
    "reference_model_unknown": lambda: of(model="gauss"),
    "reference_noncentrality_unknown": lambda: of(method="md_chi2", noncentrality="neyman"),
    "reference_one_class_has_documents": lambda: reference.score(reference.count(X, ["a", "a"])),
    "reference_sample_weight_negative": lambda: reference.count(X, Y, [1, -1]),
    "reference_sample_weight_too_short": lambda: reference.count(X, Y, [1]),
    "reference_tf_unknown": lambda: reference.count(X, Y, tf="idf"),
    "reference_variant_unknown": lambda: of(method="c_tfidf", variant="bm11"),
    "reference_x_in_1_dimension": lambda: reference.count([1, 2], Y),
    "reference_x_negative": lambda: reference.count([[1, 0], [0, -1]], Y),
    "reference_y_holds_2": lambda: reference.count(X, np.array([[1, 0], [0, 2]])),
    "reference_y_in_one_column": lambda: reference.count(X, np.array([[1], [0]])),
    "reference_y_is_an_indicator_matrix": lambda: reference.conditional_gain(X, np.eye(2)),
    "reference_y_is_missing": lambda: reference.count(X, ["ham", ("spam", None)]),
    "reference_y_is_not_in_classes": lambda: reference.count(X, Y, classes=["ham", "eggs"]),
    "reference_y_of_other_columns": lambda: reference.count(X, np.eye(2), classes=["a"]),
    "reference_y_too_short": lambda: reference.count(X, ["ham"]),
    "reference_zero_unknown": lambda: of(method="ndm", zero="one"),
}


@pytest.mark.parametrize("key", WRONG)
def test_wrong_arguments_are_refused(key: str) -> None:
    error = OverflowError if key == "reference_count_infinite" else ValueError
    with raises(error, key):
        WRONG[key]()
