"""The reference against arithmetic by hand, against exact arithmetic, and against its promises."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from small_tables import INF, METHODS, THREE, TWO, table
from strategies import CONTAINERS
from termsift import reference

THREE_MD = 2 / 3 * math.log(3 / 2) + 1 / 3 * math.log(3 / 5)
THREE_NU_J = (1 / 5 + 2 / 9) / 2


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


@pytest.mark.parametrize(("aggregate", "factor"), [("sum", 2), ("mean", 1 / 4 + 1 / 4), ("max", 1)])
def test_aggregates_by_hand(aggregate, factor):
    assert_allclose(reference.score(THREE, "md", aggregate=aggregate), [factor * THREE_MD] * 2)
    nu_j = reference.score(THREE, "md_chi2", aggregate=aggregate)
    assert_allclose(nu_j, [factor * THREE_NU_J] * 2)


def test_priors_by_hand():
    # Uniform: q_00 = (1/3 + 1/2) / 2 = 5/12, so (1/4)^2 / (35/144) = 9/35.
    uniform = reference.class_scores(
        THREE, "md_chi2", class_prior="uniform", noncentrality="pearson"
    )
    assert_allclose(uniform[:2], np.full((2, 2), 9 / 35))
    # All on classes 0 and 1: q_00 = 1/3 and, for class 2 itself, (2/3 + 1/3) / 2 = 1/2.
    pair = reference.class_scores(THREE, "md_chi2", class_prior=[1, 1, 0], noncentrality="pearson")
    assert_allclose(pair, [[1 / 2] * 2, [1 / 2] * 2, [0, 0]])  # (1/3)^2 / (2/9)
    # Only proportions matter.
    for prior in ([1, 1, 2], (0.25, 0.25, 0.5), np.array([5, 5, 10], dtype=np.uint8)):
        scores = reference.class_scores(THREE, "md", class_prior=prior)
        assert_array_equal(scores, reference.class_scores(THREE, "md"))


def test_smoothing_by_hand():
    # b1 = 1/2 and b2 = 3/2: p = (3.5, 0.5, 1.5) / 5.5; the gap 6/11, squared, over 10/121 is 36/10.
    half = reference.class_scores(TWO, "md_chi2", alpha=0.5, noncentrality="pearson")
    assert half[0, 0] == pytest.approx(3.6)
    assert_array_equal(
        reference.class_scores(TWO, "md", alpha=(0.5, 1.5)),
        reference.class_scores(TWO, "md", alpha=0.5),
    )
    # b1 = 1 and b2 = 6: p = (4, 1, 2) / 10; (3/10)^2 / (9/100).
    pair = reference.class_scores(TWO, "md_chi2", alpha=(1, 6), noncentrality="pearson")
    assert pair[0, 0] == pytest.approx(1)


def test_zero_conventions_by_hand():
    # Without smoothing, p = (1/2, 1/2) and (0, 1): x log(x/0) = inf in both columns of class 0;
    # class 1 has 0 log 0 = 0 and 1 log(1 / (1/2)).
    counts = table([[1, 1], [0, 2]], [1, 1])
    log_2 = math.log(2)
    assert_allclose(reference.class_scores(counts, "md", alpha=0), [[INF, INF], [log_2, log_2]])
    # Neyman's half has p (1-p) = 0 where Pearson's, (1/4) / (1/4), does not.
    pearson = reference.class_scores(counts, "md_chi2", alpha=0, noncentrality="pearson")
    assert_allclose(pearson, [[INF, INF], [1, 1]])
    assert_array_equal(reference.class_scores(counts, "md_chi2", alpha=0), np.full((2, 2), INF))


@pytest.mark.parametrize("method", METHODS)
def test_certain_and_impossible_terms_score_zero(method):
    # p = q = 1 and p = q = 0.
    assert_array_equal(reference.score(table([[2, 0], [5, 0]], [1, 1]), method, alpha=0), [0, 0])
    # One term under Laplace: (l + 1) / (l + 1) in every class.
    assert_array_equal(reference.score(table([[7], [0], [1]], [3, 1, 1]), method), [0])


@pytest.mark.parametrize("method", METHODS)
def test_classes_without_tokens_have_no_terms(method):
    # Without smoothing, p = 0/0 = 0, as in a class that has only other tokens.
    silent = table([[1, 1, 0], [0, 0, 0]], [1, 1])
    other = table([[1, 1, 0], [0, 0, 5]], [1, 1])
    assert_array_equal(
        reference.score(silent, method, alpha=0)[:2], reference.score(other, method, alpha=0)[:2]
    )
    assert_array_equal(reference.score(table([[0, 0], [0, 0]], [1, 1]), method, alpha=0), [0, 0])


def test_mean_ignores_classes_without_weight():
    # Class 2 alone holds term 0, hence inf; 0 times inf must not make the mean NaN.
    counts = table([[0, 1], [0, 1], [1, 1]], [1, 1, 1])
    scores = reference.score(counts, "md", alpha=0, class_prior=[1, 1, 0], aggregate="mean")
    assert_array_equal(scores, [0, 0])


@pytest.mark.parametrize("method", METHODS)
def test_sparse_and_dense_counts_score_alike(method):
    for container in CONTAINERS:
        counts = SimpleNamespace(
            term_frequency=container(THREE.term_frequency), class_docs=THREE.class_docs
        )
        assert_array_equal(reference.score(counts, method), reference.score(THREE, method))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "magic"}, "unknown method 'magic'; there are md, md_chi2"),
        ({"noncentrality": "neyman"}, "unknown noncentrality"),
        ({"aggregate": "median"}, "unknown aggregate"),
        ({"alpha": -1}, "finite and nonnegative"),
        ({"alpha": math.nan}, "finite and nonnegative"),
        ({"alpha": (2, 1)}, "b1 <= b2"),
        ({"alpha": (0, INF)}, "finite and nonnegative"),
        ({"class_prior": "flat"}, "'flat'"),
        ({"class_prior": [1, 1]}, "2 numbers for 3 classes"),
        ({"class_prior": [1, -1, 1]}, r"class_prior\[1\] is -1"),
        ({"class_prior": [1, math.nan, 1]}, r"class_prior\[1\] is nan"),
        ({"class_prior": [0, 0, 1]}, "positive for two classes"),
    ],
)
def test_senseless_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        reference.score(THREE, **options)


@pytest.mark.parametrize("class_docs", [[0, 0], [3, 0]])
def test_fewer_than_two_classes_cannot_be_compared(class_docs):
    with pytest.raises(ValueError, match="compares two or more"):
        reference.score(table([[1, 2], [3, 4]], class_docs))


# ------------------------------------------------------------------ scores: identities, precision


# --------------------------------------------------------------------------------------- ranking


@pytest.mark.parametrize(
    ("scores", "order"),
    [
        ([0.5, 2.0, 0.5, 3.0, 2.0], [3, 1, 4, 0, 2]),
        ([0.0, -0.0, 0.0], [0, 1, 2]),
        ([1.0, INF, -INF, INF], [1, 3, 0, 2]),
        ([], []),
    ],
)
def test_ties_go_to_the_lowest_index(scores, order):
    ranked = reference.rank(scores)
    assert ranked.dtype == np.int64
    assert_array_equal(ranked, order)


def test_k_cuts_the_ranking():
    assert_array_equal(reference.rank([1, 3, 2], k=2), [1, 2])
    assert_array_equal(reference.rank([1, 3, 2], k=0), [])
    assert_array_equal(reference.rank([1, 3, 2], k=9), [1, 2, 0])
    with pytest.raises(ValueError, match="negative"):
        reference.rank([1, 3, 2], k=-1)
