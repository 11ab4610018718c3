"""A document of weight w counts as w documents, also in the choice of methods and numbers of terms.

The folds must keep the copies of a document together for that; see `termsift.cross_validate`.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

import termsift as ts

METHODS = ["md", "chi2", "g2", "greedy", "conditional_gain"]
MODELS = ["multinomial", "binary", "bernoulli", "poisson"]


@st.composite
def problems(draw: st.DrawFn) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], list[Any]]:
    """Draw documents, labels, whole weights, and folds; every fold has documents of each class and
    weight.

    Document i and its twin i + n stand in different parts of both folds, and have weights above 0
    if i is below 2, so that every training part has both classes.
    """
    n, n_terms = draw(st.integers(2, 6)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    X = rng.integers(0, 3, (2 * n, n_terms)) * rng.integers(0, 2, (2 * n, n_terms))
    y = np.tile(np.arange(n) % draw(st.integers(2, 3)), 2)
    weights = rng.integers(0, 4, 2 * n)
    weights[[0, 1, n, n + 1]] += 1
    halves = np.arange(n), np.arange(n, 2 * n)
    return X, y, weights, [halves, halves[::-1]]


def same(found: dict[str, ts.Curve], expected: dict[str, ts.Curve]) -> None:
    assert list(found) == list(expected)
    for name, curve in found.items():
        assert_array_equal(curve.ks, expected[name].ks)
        assert curve.repeats == expected[name].repeats
        for metric, runs in curve.runs.items():
            assert_array_equal(runs, expected[name].runs[metric], err_msg=f"{name} {metric}")


@given(problems(), st.sampled_from(MODELS))
def test_a_weight_counts_as_copies(problem: Any, naive_bayes: Any) -> None:
    X, y, weights, folds = problem
    copies = np.repeat(np.arange(len(y)), weights)
    places = [[np.flatnonzero(np.isin(copies, part)) for part in fold] for fold in folds]
    options = {"models": MODELS, "naive_bayes": naive_bayes}
    weighted = ts.cross_validate(X, y, METHODS, cv=folds, sample_weight=weights, **options)
    same(weighted, ts.cross_validate(X[copies], y[copies], METHODS, cv=places, **options))


@given(problems(), st.integers(2, 3), st.integers(0, 9))
def test_documents_of_weight_0_are_ignored(problem: Any, n_folds: int, random_state: int) -> None:
    X, y, weights, _ = problem
    X, y, weights = np.tile(X, (3, 1)), np.tile(y, 3), np.tile(weights, 3)
    kept = weights > 0
    options: dict[str, Any] = {"cv": n_folds, "random_state": random_state}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "class . has", UserWarning)
        weighted = ts.cross_validate(X, y, METHODS, sample_weight=weights, **options)
        without = ts.cross_validate(
            X[kept], y[kept], METHODS, sample_weight=weights[kept], **options
        )
    same(weighted, without)


def test_equal_weights_change_no_bit() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.poisson(0.6, (60, 20)), np.arange(60) % 3
    plain = ts.cross_validate(X, y, METHODS)
    same(ts.cross_validate(X, y, METHODS, sample_weight=np.ones(60, int)), plain)
    # Scores of float counts may round differently, but document frequencies do not.
    expected = {"df": ts.cross_validate(X, y, "df")["df"]}
    same(ts.cross_validate(X, y, "df", sample_weight=np.ones(60)), expected)
    same(ts.cross_validate(X, y, "df", sample_weight=np.full(60, 0.25), alpha=0.25), expected)


def test_fractions_return_the_same_bits_on_any_number_of_threads() -> None:
    rng = np.random.default_rng(4)
    X, y = rng.poisson(0.3, (2000, 30)), np.arange(2000) % 3
    weights = rng.random(2000) * 10.0 ** rng.integers(-9, 9, 2000)
    options: dict[str, Any] = {"cv": 3, "sample_weight": weights}
    one, four = (ts.cross_validate(X, y, "md", n_threads=n, **options) for n in (1, 4))
    same(one, four)
    curve = one["md"]
    assert np.all((curve.accuracy > 0) & (curve.accuracy < 1))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1] * 3, r"sample_weight has shape \(3,\), expected \(4,\)"),
        ([1, 1, 1, -1], "sample_weight has -1 at row 3"),
        ([1, 1, 0, 0], "sample_weight is 0 for all test documents"),
    ],
)
def test_invalid_weights(weights: list[int], message: str) -> None:
    X, y = np.array([[1, 0], [0, 1], [1, 0], [0, 1]]), [0, 1, 0, 1]
    with pytest.raises(ValueError, match=message):
        ts.choose_k(X, y, cv=[([0, 1], [2, 3]), ([2, 3], [0, 1])], sample_weight=weights)
