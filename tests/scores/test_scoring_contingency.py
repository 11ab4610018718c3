"""Scores from the table of a term and a class: accuracy, equal bits, policies and warnings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import termsift as ts
from exact import relative_error, ulp_error
from exact_scores import OF_CELLS, Measure, allowance, error_beyond, exact_values
from private import core_of
from termsift import reference
from wording import raises, warns


def collection(rng: np.random.Generator, n_docs: int, n_terms: int, n_classes: int) -> Any:
    """Return documents and classes. Terms are rare, common, or mostly of one class."""
    y = rng.integers(0, n_classes, n_docs)
    rates = rng.gamma(0.3, 1.0, n_terms) * np.exp(rng.normal(0, 1, (n_classes, n_terms)))
    return rng.poisson(rates[y]), y


def assert_accurate(counts: ts.ClassCounts, measure: Measure, alpha: float = 1.0) -> None:
    exact = exact_values(counts, measure, alpha)
    computed = counts.class_scores(measure.method, alpha=alpha, **measure.options)
    most: float = 45 if measure.method == "bns" else 4  # an error of 45 ulp is at most 1e-14
    error = ulp_error
    if not core_of(counts).exact:
        most, error = 1e-14, relative_error
    allowed = allowance(counts, measure)
    for (c, i), value in np.ndenumerate(computed):
        truth = exact[c][i]
        assert error_beyond(allowed[c, i], value, truth, error) <= most, (value, float(truth))


@pytest.mark.parametrize("measure", OF_CELLS, ids=str)
def test_large_weights_are_within_4_ulp(measure: Measure) -> None:
    # Terms and classes are nearly independent: det, a difference of two products, is 1e-9 of each.
    rng = np.random.default_rng(8)
    X, y = collection(rng, 30, 20, 3)
    # Weights on both sides of 2^26 and of 2^50. Products of integers below 2^26 are exact doubles.
    for largest in (10**3, 10**6, 10**9, 10**12, 10**15):
        weights = rng.integers(largest // 2, largest, len(y))
        assert_accurate(ts.count(X, y, sample_weight=weights), measure)


@pytest.mark.parametrize("measure", OF_CELLS, ids=str)
def test_many_occurrences_in_few_documents_are_within_4_ulp(measure: Measure) -> None:
    # There are less than 2^26 documents, but products with 2^46 occurrences need more than doubles.
    counts = ts.count([[2**20 + 1, 1], [2**20, 3]], [0, 1], sample_weight=[31_000_003, 30_999_989])
    assert_accurate(counts, measure)


def test_nothing_crashes_without_documents() -> None:
    for counts in (
        ts.count(np.zeros((0, 3), int), []),
        ts.count(np.zeros((2, 3), int), [0, 1], sample_weight=[0, 0]),
    ):
        for aggregate in (None, "sum", "mean", "max"):
            assert counts.score("df", aggregate=aggregate).tolist() == [0, 0, 0]  # type: ignore[arg-type]
        assert counts.rank("df", policy="round_robin").indices.tolist() == [0, 1, 2]
        with raises(ValueError, "two_classes_with_documents"):
            counts.rank("md", policy="round_robin")


def test_nothing_is_nan_at_the_edges() -> None:
    everywhere = np.array([[1, 0], [1, 1], [1, 1]])
    counts = ts.count(np.array([[1, 0], [1, 2], [0, 1]]), everywhere)
    found = counts.significance("chi2_counts", per_class=True)
    assert not np.isnan(found.log_pvalues).any()
    assert found.statistics[0].tolist() == [0, 0]
    assert not np.isnan(found.pvalues_adj).any()

    y = np.array([1] * 4 + [2] + [1] * 4 + [2, 0, 1, 1, 2, 2, 0, 2])
    balanced = (17 / (3 * np.bincount(y)))[y]
    in_all = ts.count(np.ones((17, 1), int), y, sample_weight=balanced)
    for method in ("chi2", "ngl"):
        assert in_all.score(method).tolist() == [0]

    counts = ts.count(np.array([[1, 0], [0, 0], [1, 2]]), [0, 1, 1])
    for aggregate in ("sum", "mean", "max"):
        scores = counts.score("log_odds", alpha=0, aggregate=aggregate)  # type: ignore[arg-type]
        assert not np.isnan(scores).any()


def test_two_classes_tie_to_the_last_bit() -> None:
    # The tables of two classes are mirror images, so the scores tie and the first class wins.
    rng = np.random.default_rng(13)
    X, y = collection(rng, 200, 500, 2)
    counts = ts.count(X, y)
    for method in ("chi2", "g2"):
        first, second = counts.class_scores(method)
        assert first.tobytes() == second.tobytes()
        assert (counts.significance(method).chosen_by == counts.classes[0]).all()


# ---- policies ------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 5, 40])
def test_round_robin_is_the_references(method: str, n_classes: int) -> None:
    rng = np.random.default_rng(n_classes)
    X, y = collection(rng, 120, 150, n_classes)
    counts = ts.count(X, y)
    for k in (None, 1, 7, 60):
        by_class = counts.class_scores(method)[counts.class_docs > 0]
        indices, values = reference.round_robin(by_class, k)
        for n_threads in (1, 3):
            ranking = counts.rank(method, k, policy="round_robin", n_threads=n_threads)
            assert ranking.indices.tolist() == indices.tolist()
            assert ranking.scores.tolist() == values.tolist()


@pytest.mark.parametrize("kind", ["counts", "fractions", "several labels", "an empty class"])
def test_lists_of_many_classes_have_the_order_of_class_scores(method: str, kind: str) -> None:
    rng = np.random.default_rng(4)
    n = 300
    X = sp.csr_array(rng.integers(1, 4, (n, 200)) * (rng.random((n, 200)) < 0.03))
    X = sp.csr_array(X * (rng.random(200) < 0.8))  # some terms are in no document
    y = (
        np.eye(n, dtype=int) | (rng.random((n, n)) < 0.002)
        if kind == "several labels"
        else range(n)
    )
    weights = rng.choice([0.25, 0.7, 1], n) if kind == "fractions" else None
    counts = ts.count(X, y, weights, range(-1, n) if kind == "an empty class" else None)
    by_class = counts.class_scores(method)[counts.class_docs > 0]
    indices, values = reference.round_robin(by_class)
    for k in (1, 30, 200):
        for n_threads in (1, 3):
            ranking = counts.rank(method, k, policy="round_robin", n_threads=n_threads)
            assert ranking.indices.tolist() == indices[:k].tolist()
            assert ranking.scores.tolist() == values[:k].tolist()


@pytest.mark.full
def test_round_robin_in_several_stretches() -> None:
    # The rankings of 20,000 terms by 700 classes do not fit in 128 MiB, so they are made in parts.
    rng = np.random.default_rng(14)
    X = sp.random_array((1400, 20_000), density=0.002, random_state=rng).tocsr()
    counts = ts.count(X, np.arange(1400) % 700)
    by_class = counts.class_scores("gss")
    places = np.empty(by_class.shape, dtype=np.int64)
    for row, values in zip(places, by_class, strict=True):
        row[np.argsort(-values, kind="stable")] = np.arange(len(values))
    expected = np.lexsort((np.arange(20_000), places.min(axis=0)))
    earned = by_class[places.argmin(axis=0), np.arange(20_000)][expected]
    for k in (3000, 20_000):
        ranking = counts.rank("gss", k, policy="round_robin")
        assert np.array_equal(ranking.indices, expected[:k])
        assert np.array_equal(ranking.scores, earned[:k])


# ---- fractions -----------------------------------------------------------------------------------


@pytest.mark.filterwarnings("error")
def test_fractions_in_place_of_counts_warn_once() -> None:
    counts = ts.count(np.array([[0.5, 0.2], [0.1, 0.7]]), ["ham", "spam"])
    assert len(counts.score("ig")) == 2  # of documents
    assert len(counts.score("md", model="binary")) == 2
    with warns(UserWarning, "md_needs_occurrences_but_x_holds_2"):
        counts.score("md")
    counts.score("md")
    shares = ts.count(np.array([[0.5, 0.5], [0.25, 0.75]]), ["ham", "spam"])  # of whole sums
    with warns(UserWarning, "log_odds_needs_occurrences_but_x_holds") as caught:
        shares.rank("log_odds")
    assert caught[0].filename == __file__
    for harmless in (
        ts.count(np.array([[1.0, 2.0], [0.0, 3.0]]), [0, 1]),
        ts.count(np.array([[1, 2], [0, 3]]), [0, 1], sample_weight=[0.5, 1.5]),
        ts.count(np.array([[1, 2], [0, 3]]), [0, 1], tf="log"),
    ):
        harmless.score("md")
