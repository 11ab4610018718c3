"""Collections for tests of selectors that read documents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

Rng = np.random.Generator
Documents = np.ndarray[Any, Any]


def text(rng: Rng, y: Documents, n_terms: int) -> Documents:
    """Return a collection whose classes have different rates of each term, as in text."""
    rates = rng.lognormal(-1.5, 1.5, (8, n_terms))
    return rng.poisson(rates[y])


def separable(rng: Rng, y: Documents, n_terms: int) -> Documents:
    """Return a collection in which every class has its own terms, so gains soon become small."""
    of_class = np.arange(n_terms) % 8 == y[:, None] % 8
    return (rng.random(of_class.shape) < np.where(of_class, 0.8, 0.02)).astype(int)


def duplicates(rng: Rng, y: Documents, n_terms: int) -> Documents:
    """Return a collection in which each column occurs twice."""
    half = rng.poisson(0.5, (len(y), (n_terms + 1) // 2))
    return np.hstack([half, half])[:, :n_terms]


def mirrored(rng: Rng, y: Documents, n_terms: int) -> Documents:
    """Return pairs of columns that only differ by an exchange of classes, so that terms tie."""
    y[:] = np.arange(len(y)) % max(len(y) // 4, 1)
    half = (rng.random((len(y), (n_terms + 1) // 2)) < 0.3).astype(int)
    return np.hstack([half, np.roll(half, 1, axis=0)])[:, :n_terms]


def extreme(rng: Rng, y: Documents, n_terms: int) -> Documents:
    """Return terms in every document, in one or in none, and documents without terms."""
    X = rng.poisson(0.4, (len(y), n_terms))
    X[:, 0::4] = 1
    X[:, 1::4] = 0
    X[rng.random(len(y)) < 0.2] = 0
    X[rng.integers(len(y)), 1::8] = 2
    return X


def copies(rng: Rng, y: Documents, n_terms: int) -> Documents:
    """Return a collection in which documents occur twice, in one class or in two."""
    X = rng.poisson(0.5, (len(y), n_terms))
    half = len(y) // 2
    X[half : 2 * half] = X[:half]
    return X


KINDS = [text, separable, duplicates, mirrored, extreme, copies]
kinds = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def collection(kind: Any, seed: int) -> tuple[Documents, Documents, dict[str, Any]]:
    """Return a collection of 2 to 8 classes with documents, and options."""
    rng = np.random.default_rng([KINDS.index(kind), seed])
    n_classes, n_docs = int(rng.integers(2, 9)), int(rng.integers(2, 5 if seed < 4 else 40))
    n_terms = int(rng.integers(1, 25))
    y = rng.integers(0, n_classes, n_docs)
    if seed % 5 == 4:
        y[0] = 7  # with fewer than 8 classes, class 7 has one document
    X = kind(rng, y, n_terms)
    y[-1] = (y[0] + 1) % 8  # a collection of fewer than two classes is refused
    weights: list[Any] = [
        *(None, None),
        rng.integers(0, 4, n_docs),
        rng.choice([0, 0.1, 0.5, 1, 2.25], n_docs),
    ]
    for weight in weights[2:]:
        weight[[0, -1]] = 1
    shapes: list[Any] = [1.0, 0.1, 0.37, 30, "empirical_bayes", "empirical_bayes"]
    options = {
        "shape": shapes[rng.integers(6)],
        "temper": [0.15, 0.0, 1][rng.integers(3)],
        "step": [0.5, 1, 0.1, 2.0][rng.integers(4)],
        "balance": [0.0, 0.0, 0.25, 1.0][rng.integers(4)],
        "sample_weight": weights[rng.integers(4)],
        "k": [None, n_terms, n_terms + 9, 0, n_terms // 2][rng.integers(5)],
    }
    return X, y, options
