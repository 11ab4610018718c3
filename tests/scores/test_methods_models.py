"""Event models: their counts and their denominators."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import termsift as ts
from exact import ulp_error
from exact_scores import MEASURES, assert_exact, assert_no_target_changes_a_bit
from private import MODELS, _core
from wording import raises

NEW = [measure for measure in MEASURES if measure.model != MODELS[0]]


# ---- accuracy ------------------------------------------------------------------------------------


def text_like(n_classes: int, n_terms: int, n_docs: int, seed: int) -> ts.ClassCounts:
    rng = np.random.default_rng(seed)
    own = 5.0 / np.arange(1, n_terms + 1) * rng.lognormal(0, 1, (n_classes, n_terms))
    y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n_docs - n_classes)]
    return ts.count(rng.poisson(own[y]), y)


RATES: dict[str, tuple[Any, Any, tuple[float, float]]] = {  # X, weights, alpha
    "far above 1": (np.array([[10**9, 5], [10**12, 0], [3, 10**6]]), None, (1.0, 1.0)),
    "near 2^63": (np.array([[2**61, 1], [2**62, 0]]), None, (1.0, 1.0)),
    "near 2^64": (np.array([[2.0**63, 1], [2.0**62, 2.0**63.5]]), None, (0.0, 0.0)),
    "tiny": (np.array([[1, 1], [3, 0]]), [10**15, 10**12], (1e-9, 1.0)),
    "equal": (np.array([[3, 1], [3, 1], [6, 1]]), [1, 2, 1], (0.0, 0.0)),
    "nearly equal": (np.array([[10**15, 1], [10**15 + 1, 1]]), None, (0.0, 0.0)),
    "b1 > b2": (np.array([[4, 1], [0, 2]]), None, (9.0, 0.25)),
    "not exact": (np.array([[2**53 + 1, 1], [2**53 + 3, 1]]), None, (1.0, 1.0)),  # not doubles
    "no smoothing": (np.array([[4, 1, 0], [0, 2, 0]]), None, (0.0, 0.0)),
    "one document a class": (np.array([[1, 0], [0, 1]]), None, (1.0, 1.0)),
    "fractions": (np.array([[0.1, 7.3], [0.3, 1e5], [1e-9, 0.7]]), [0.5, 0.3, 9.1], (0.1, 0.1)),
}


@pytest.mark.parametrize("case", RATES)
def test_rates_of_all_sizes(case: str) -> None:
    X, weights, alpha = RATES[case]
    if weights is not None and X.dtype.kind == "i":
        weights = np.array(weights)
    counts = ts.count(X, np.arange(len(X)), weights)
    for measure in (measure for measure in NEW if measure.model == "poisson"):
        assert_exact(counts, measure, alpha, near=True)
        assert_no_target_changes_a_bit(counts, measure, alpha)


def test_rates_beyond_2_to_64_are_refused() -> None:
    counts = ts.count(np.array([[1e20, 1.0], [1.0, 2.0]]), [0, 1])
    with raises(ValueError, "rate_beyond_2_to_64"):
        counts.score("md", model="poisson")
    assert counts.score("md", model="poisson", alpha=(1, 1e4)).argmax() == 0


@pytest.mark.parametrize("alpha", [0, 1.0])
def test_a_coin_that_always_falls_on_one_side(simd_target: str, alpha: Any) -> None:
    # Terms have p = 1 in one class, in all classes or in none. 1 - p must never be negative.
    X = sp.csr_array(np.array([[1, 1, 0, 1], [2, 5, 0, 0], [0, 3, 0, 0], [0, 1, 0, 4]]))
    counts = ts.count(X, [0, 0, 1, 1])
    for measure in (measure for measure in NEW if measure.model == "bernoulli"):
        assert_exact(counts, measure, alpha, most=4, error=ulp_error, near=True)
    scores = counts.score("md", model="bernoulli", alpha=alpha)
    assert scores[1] == scores[2] == 0
    assert (scores[0] == math.inf) == (alpha == 0)


def test_documents_of_float_counts_never_exceed_their_class() -> None:
    # If d_ic = n_c in the whole, rounded subtractions could make d_ic exceed n_c in the remainder.
    rng = np.random.default_rng(0)
    seen = False
    for _ in range(50):
        weights = rng.random(6) * rng.choice([1, 1e3, 1e6], 6)
        whole = ts.count(np.ones((6, 2)), [0, 0, 0, 0, 1, 1], weights)
        rest = whole - ts.count(np.ones((2, 2)), [0, 1], weights[[0, 4]] * (1 - 1e-9))
        seen |= bool((rest.document_frequency.toarray().max(axis=1) > rest.class_docs).any())
        for measure in (measure for measure in NEW if measure.model == "bernoulli"):
            for alpha in (0, 1):
                ours = rest.class_scores(measure.method, alpha=alpha, **measure.options)
                assert (ours >= 0).all()
                assert np.isfinite(ours).all()


# ---- the same bits -------------------------------------------------------------------------------


def test_binary_is_multinomial_of_ones() -> None:
    rng = np.random.default_rng(1)
    X = sp.csr_array(rng.poisson(0.4, (50, 300)))
    y, ones = rng.integers(0, 3, 50), (X > 0).astype(np.int64)
    for method in ("md", "md_chi2"):
        expected = ts.count(ones, y).score(method)
        ours = ts.count(X, y).score(method, model="binary")
        assert ours.tobytes() == expected.tobytes()
    expected_order = ts.count(ones, y).greedy()
    ours_in_order = ts.count(X, y).greedy(model="binary")
    assert np.array_equal(ours_in_order.indices, expected_order.indices)
    assert np.array_equal(ours_in_order.scores, expected_order.scores)
    assert ours_in_order.informative == expected_order.informative


def test_b1_may_exceed_b2_in_rates_alone() -> None:
    counts = text_like(3, 20, 30, 1)
    assert np.isfinite(counts.score("md", model="poisson", alpha=(2, 1))).all()
    for model in ("binary", "bernoulli"):
        with raises(ValueError, "alpha_is_rising", argument="alpha"):
            counts.score("md", model=model, alpha=(2, 1))  # type: ignore[arg-type]


# ---- the greedy order ----------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["bernoulli", "poisson"])
def test_greedy_of_independent_terms_is_the_ranking(model: Any) -> None:
    counts = text_like(5, 3000, 90, 11)
    for k in (None, 0, 1, 100):
        ranking = counts.rank("md", k, model=model)
        greedy = counts.greedy(k, model=model)
        assert greedy.method == "greedy"
        assert np.array_equal(greedy.indices, ranking.indices)
        assert (np.diff(greedy.scores) >= 0).all()
        assert greedy.informative == np.count_nonzero(ranking.scores > 0)
        exact = Fraction(0)
        for i, value in enumerate(ranking.scores):
            exact += Fraction(float(value))
            assert abs(Fraction(float(greedy.scores[i])) - exact) <= exact * Fraction(1, 10**15)
    assert counts.rank("greedy", 5, model=model).indices.tolist() == greedy.indices[:5].tolist()


@pytest.mark.parametrize("model", ["bernoulli", "poisson"])
def test_greedy_of_infinite_scores(model: Any) -> None:
    counts = ts.count(np.array([[5, 1, 2, 0], [5, 0, 0, 0]]), [0, 1])
    greedy = counts.greedy(model=model, alpha=0)
    assert greedy.scores.tolist() == [math.inf] * 4
    assert greedy.informative == 2


def test_running_sums_keep_small_values() -> None:
    values = np.r_[1.0, np.full(10**5, 1e-17), np.inf, 1.0]
    sums = _core.running_sums(values)
    assert sums[10**5] == 1 + 1e-12
    assert sums[-2:].tolist() == [np.inf, np.inf]


# ---- arguments -----------------------------------------------------------------------------------
