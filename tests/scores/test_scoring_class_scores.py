"""A score must be the aggregate of its class scores.

`score` sums most classes at once by tables and short series, and `class_scores` evaluates each
class separately, so `score` and `class_scores` share little code. The random collections have 2 to
2,000 classes of one to a million documents, and smoothing from 1e-12 to 10,000. The environment
variable TERMSIFT_COLLECTIONS sets the number of collections for each method and model.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

import termsift as ts
from exact_scores import MEASURES, Measure

# All methods are called with priors here, even methods that do not use them.
pytestmark = pytest.mark.filterwarnings("ignore:.* does not use class_prior")

N_COLLECTIONS = int(os.environ.get("TERMSIFT_COLLECTIONS", "2"))
# (classes, terms). With more than about 1,200 terms, sums over many classes come from tables.
SHAPES = [(150, 3000), (2, 70), (12, 3000), (600, 2000), (3, 700), (40, 3000), (2000, 1500)]
Prior: TypeAlias = str | list[float] | None
Alpha: TypeAlias = float | tuple[float, float]


def class_weights(rng: np.random.Generator, n_classes: int) -> NDArray[Any]:
    """Return random class sizes: all equal, between 1 and a million, or mostly tiny."""
    kind = rng.integers(5)
    if kind == 0:
        return np.full(n_classes, rng.choice([1, 2, 30, 1000]))
    if kind == 1:
        return np.ceil(10 ** rng.uniform(0, 6, n_classes)).astype(np.int64)
    if kind == 2:
        return np.where(rng.random(n_classes) < rng.random(), 1, rng.choice([200, 4000, 10**6]))
    if kind == 3:
        weights = np.ones(n_classes, dtype=np.int64)
        weights[rng.integers(n_classes)] = 10**6
        return weights
    return 10.0 ** rng.uniform(-3, 3, n_classes)  # fractions of documents


def collection(rng: np.random.Generator, n_classes: int, n_terms: int) -> ts.ClassCounts:
    """Return counts of one to three rows per class, whose weights add up to the class's size.

    Some terms occur in every class. Other terms occur in a few classes, in one, or in none.
    """
    documents = class_weights(rng, n_classes)
    rows_of_class = rng.integers(1, 4)
    y = np.repeat(np.arange(n_classes), rows_of_class)
    lengths = np.ceil(rng.choice([1, 4, 40]) * rng.exponential(size=len(y))).astype(int)
    rows = np.repeat(np.arange(len(y)), lengths)
    popularity = rng.uniform(1, 6)
    terms = (n_terms * rng.random(len(rows)) ** popularity).astype(int)
    values = np.ceil(rng.pareto(rng.choice([0.5, 2]), len(rows))).clip(1, 10**6).astype(int)
    common = rng.integers(0, 4)  # number of terms in very many documents
    for term in range(common):
        has = np.flatnonzero(rng.random(len(y)) < rng.choice([0.5, 0.98]))
        rows, terms = np.r_[rows, has], np.r_[terms, np.full(len(has), n_terms - 1 - term)]
        values = np.r_[values, rng.integers(1, rng.choice([2, 50]), len(has))]
    X = sp.coo_array((values, (rows, terms)), shape=(len(y), n_terms)).tocsr()
    share = 10 ** rng.uniform(rng.choice([-5, -1]), 0, len(y))  # of the class's documents
    share *= (documents / np.bincount(y, share))[y]
    weights = share if documents.dtype == float else np.ceil(share).astype(np.int64)
    return ts.count(X, y, sample_weight=weights)


def smoothing(rng: np.random.Generator) -> Alpha:
    if rng.random() < 0.5:
        return float(rng.choice([1.0, 0.5, 0.1, 1e-3, 1e-6, 1e-12, 10.0, 1e4]))
    b1 = float(rng.choice([1.0, 0.5, 1e-3, 1e-9, 20.0]))
    return b1, b1 * float(rng.choice([1.0, 1.0 + 2.0**-20, 2.0, 30.0, 65.0, 1e5]))


def priors(rng: np.random.Generator, n_classes: int) -> Prior:
    kind = rng.integers(5)
    if kind < 2:
        return "empirical"
    if kind == 2:
        return "uniform"
    weights = 10 ** rng.uniform(-6, 0, n_classes)
    if kind == 3:
        weights[rng.integers(n_classes)] = rng.choice([1.0, 1e3, 1e6])
    else:
        weights[rng.random(n_classes) < 0.3] = 0
        weights[rng.integers(n_classes)] = weights[rng.integers(n_classes)] = 1
        weights[0] = weights[1] = 0.5
    return weights.tolist()


def exact_sums(
    values: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return exact weighted sums of the rows, and the weighted sums of the magnitudes.

    A sum with inf and -inf counts as 0.
    """
    values = values[weights > 0]
    above, below = np.isposinf(values).any(axis=0), np.isneginf(values).any(axis=0)
    endless = above | below
    parts = np.where(endless, 0.0, values) * weights[weights > 0, None]
    sums = np.array([math.fsum(column) for column in parts.T])
    infinite = np.where(above & below, 0.0, np.where(above, np.inf, -np.inf))
    return np.where(endless, infinite, sums), np.abs(parts).sum(axis=0)


def cases(measure: Measure) -> Iterator[tuple[int, ts.ClassCounts, dict[str, Any]]]:
    number = MEASURES.index(measure)
    for seed in range(N_COLLECTIONS):
        rng = np.random.default_rng([number, seed])
        counts = collection(rng, *SHAPES[(2 * number + seed) % len(SHAPES)])
        for _ in range(2):
            options = {"alpha": smoothing(rng), "class_prior": priors(rng, counts.n_classes)}
            yield seed, counts, options | measure.options


@pytest.mark.full(cases=8)
@pytest.mark.filterwarnings("ignore:.*needs occurrences:UserWarning")
@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_a_score_is_the_aggregate_of_its_class_scores(measure: Measure) -> None:
    for seed, counts, arguments in cases(measure):
        by_class = counts.class_scores(measure.method, **arguments)
        prior = arguments["class_prior"]
        if isinstance(prior, str) and prior == "empirical":
            weights = counts.class_docs.astype(float)
        else:
            weights = np.ones(counts.n_classes) if prior == "uniform" else np.array(prior)
        weights /= math.fsum(weights)
        ones = np.ones(counts.n_classes)
        largest = by_class.max(axis=0)
        aggregates = {
            "sum": exact_sums(by_class, ones),
            "mean": exact_sums(by_class, weights),
            "max": (largest, np.abs(largest) / 10),
        }
        for aggregate, (expected, sizes) in aggregates.items():
            scores = counts.score(measure.method, aggregate=aggregate, **arguments)
            where = f"collection {seed}, {arguments}, {aggregate}"
            finite = np.isfinite(expected)
            assert np.array_equal(scores[~finite], expected[~finite]), where
            error = np.abs(scores[finite] - expected[finite])
            assert (error <= 1e-14 * sizes[finite]).all(), where


def test_classes_of_one_document_do_not_spoil_a_score() -> None:
    # In a class of one document, even an absent term has p = 1/3. A bug once used the series for
    # p <= 1/64, with an error of 3e-8.
    documents = np.array([1, 1] + [200] * 18)
    y = np.repeat(np.arange(20), documents)
    rng = np.random.default_rng(0)
    entries = np.ones(2000, int), (rng.integers(0, len(y), 2000), np.arange(2000))
    counts = ts.count(sp.csr_array(entries, shape=(len(y), 2000)), y)
    for alpha in (1.0, 0.5, (1.0, 1.0)):
        scores = counts.score("md", model="bernoulli", alpha=alpha)
        by_class = counts.class_scores("md", model="bernoulli", alpha=alpha)
        expected, _ = exact_sums(by_class, np.ones(20))
        np.testing.assert_allclose(scores, expected, rtol=2e-15, atol=0)


def test_scores_of_more_classes_than_a_block_holds() -> None:
    # With more than 16,384 classes, a block holds fewer than 128 terms, so that Ctrl-C is heard
    # soon and 10^5 classes do not take gigabytes.
    n_classes, n_terms = 20_000, 150
    rng = np.random.default_rng(0)
    X = sp.random_array((n_classes, n_terms), density=0.02, random_state=rng, format="csr")
    X.data = rng.integers(1, 9, X.nnz).astype(np.int64)
    counts = ts.count(X, np.arange(n_classes))
    for alpha in (1.0, 0):
        values = counts.class_scores("md", alpha=alpha)
        np.testing.assert_allclose(counts.score("md", alpha=alpha), values.sum(axis=0), rtol=1e-12)
    some = [0, 17, n_terms - 1]
    x = X.toarray() + 1.0
    p = x / x.sum(axis=1, keepdims=True)
    q = (p.sum(axis=0) - p) / (n_classes - 1)
    D = p * np.log(p / q) + (1 - p) * np.log1p((q - p) / (1 - q))
    np.testing.assert_allclose(
        counts.class_scores("md")[:, some], D[:, some], rtol=1e-6, atol=1e-12
    )
