"""Guided gain compared with its definition, and the effect of its support vector machines."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import termsift as ts
from gain_collections import collection, kinds
from private import _core
from termsift import reference
from wording import raises


def assert_is_the_reference(X: Any, y: Any, in_play: int = 64, **options: Any) -> ts.Ranking:
    """Compare all indices, and gains to about four digits (the machines have single precision)."""
    with pytest.MonkeyPatch.context() as patch:
        core = functools.partial(_core.conditional_gain, classes_in_play=in_play)
        patch.setattr(_core, "conditional_gain", core)
        ranking = ts.guided_gain(X, y, **options)
    indices, gains = reference.guided_gain(X, y, classes_in_play=in_play, **options)
    if ranking.indices.tolist() != indices.tolist():
        # The order may differ for terms whose gains agree to single precision.
        np.testing.assert_allclose(ranking.scores, gains, rtol=1e-3, atol=1e-4)
    else:
        np.testing.assert_allclose(ranking.scores, gains, rtol=1e-4, atol=1e-6 * len(y))
    return ranking


@kinds
@pytest.mark.parametrize("seed", range(40))
def test_equal_to_the_reference(kind: Any, seed: int) -> None:
    # Catches usefulness that is read for a wrong class or term, lifts that are missing from W or
    # W', classes without documents that are included, and training on documents of weight 0.
    X, y, options = collection(kind, seed)
    ranking = assert_is_the_reference(X, y, **options)
    assert ranking.method == "guided_gain"
    assert np.isfinite(ranking.scores).all()
    assert len(set(ranking.indices.tolist())) == len(ranking)


@kinds
def test_equal_to_the_reference_with_few_classes_in_play(kind: Any) -> None:
    for seed in range(20):
        X, y, options = collection(kind, seed)
        assert_is_the_reference(X, y, 2, **options)


def text_like(n_docs: int, n_classes: int, n_terms: int = 500) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    y = rng.integers(0, n_classes, n_docs)
    return sp.csr_array(rng.poisson(rng.lognormal(-3, 1.5, (n_classes, n_terms))[y])), y


def test_more_than_one_block_of_machines() -> None:
    X, y = text_like(300, 40, 60)
    assert_is_the_reference(X, y, 64, shape=0.5)


def test_same_bits_for_any_threads_and_target(simd_target: str) -> None:
    X, y = text_like(2000, 35)
    expected = ts.guided_gain(X, y, 100, n_threads=1)
    for n_threads in (2, 3, 7):
        same = ts.guided_gain(X, y, 100, n_threads=n_threads)
        assert same.indices.tolist() == expected.indices.tolist()
        assert same.scores.tobytes() == expected.scores.tobytes()
    _core.use_simd_target("baseline")  # the fixture restores it
    assert ts.guided_gain(X, y, 100).scores.tobytes() == expected.scores.tobytes()


def test_it_is_conditional_gain_where_machines_learn_nothing() -> None:
    X, y = np.zeros((4, 3), dtype=int), [0, 0, 1, 1]
    guided, plain = ts.guided_gain(X, y), ts.conditional_gain(X, y)
    assert guided.indices.tolist() == plain.indices.tolist()
    assert guided.scores.tolist() == plain.scores.tolist()


def test_small_and_odd_collections() -> None:
    assert ts.guided_gain([[1, 0], [0, 0]], ["a", "b"]).indices.tolist() == [0, 1]
    assert len(ts.guided_gain(np.zeros((2, 0), dtype=int), ["a", "b"])) == 0
    own = ts.guided_gain(np.eye(5, dtype=int), list("abcde"))  # classes of one document
    assert np.isfinite(own.scores).all()
    big = ts.guided_gain(np.array([[2**40, 0], [0, 1]]), ["a", "b"], 9)
    assert sorted(big.indices.tolist()) == [0, 1]


def test_documents_of_weight_zero_take_no_part() -> None:
    X, y = text_like(200, 4, 50)
    weights = np.random.default_rng(0).choice([0, 1], 200)
    some = ts.guided_gain(X, y, sample_weight=weights)
    kept = ts.guided_gain(X[weights > 0], y[weights > 0])
    assert some.indices.tolist() == kept.indices.tolist()
    np.testing.assert_allclose(some.scores, kept.scores, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("cost", [0, -1.0, np.nan, np.inf, "1", None])
def test_a_bad_cost_is_refused(cost: Any) -> None:
    error, key = (ValueError, "cost_must_be_positive")
    if cost is None or isinstance(cost, str):
        error, key = (TypeError, "cost_must_be_a_number")
    with raises(error, key, argument="cost"):
        ts.guided_gain([[1, 0], [0, 1]], ["a", "b"], cost=cost)


@pytest.mark.parametrize(
    ("X", "y", "weights", "n"),
    [
        ([[0, 3], [0, 2]], ["a", "a"], None, 1),
        ([[1, 0], [0, 1]], ["a", "b"], [1, 0], 1),
        ([[1, 0], [0, 1]], ["a", "b"], [0, 0], 0),
        (np.zeros((0, 3)), [], None, 0),
    ],
    ids=["one class", "one class with documents", "no class with documents", "no documents"],
)
def test_fewer_than_two_classes_are_refused_by_every_selector(
    X: Any, y: Any, weights: Any, n: int
) -> None:
    # The gains ranked the columns 0, 1, ... of such collections, where every score is refused.
    counts = ts.count(X, y, weights)
    for choose in (
        lambda: ts.conditional_gain(X, y, sample_weight=weights),
        lambda: ts.guided_gain(X, y, sample_weight=weights),
        lambda: reference.conditional_gain(np.array(X), y, sample_weight=weights),
        lambda: counts.greedy(),
        lambda: counts.greedy(model="bernoulli"),
        lambda: counts.rank("md"),
        lambda: counts.rank("chi2"),
    ):
        with raises(ValueError, "two_classes_with_documents", at=f"got {n}"):
            choose()
