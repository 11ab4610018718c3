"""The support vector machines of guided gain compared with scikit-learn and with the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import LinearSVC

from gain_collections import collection, kinds
from private import _core, check_matrix
from termsift import reference


def train(
    X: Any,
    y: Any,
    *,
    n_classes: int | None = None,
    weights: Any = None,
    cost: float = 0.3,
    epochs: int = 3,
    n_threads: int = 1,
) -> Any:
    """Train the machines, and return weights of the shape (terms and an intercept, classes)."""
    y = np.asarray(y, dtype=np.int32)
    return _core.linear_machines(
        *check_matrix(X, 1).parts,
        y,
        int(y.max()) + 1 if n_classes is None else n_classes,
        None if weights is None else np.asarray(weights, dtype=np.float64),
        cost,
        epochs,
        n_threads,
    )


def text_like(n_docs: int, n_classes: int, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_docs)
    rates = rng.lognormal(-3, 1.5, (n_classes, 300))
    return sp.csr_array(rng.poisson(rates[y])), y


@kinds
@pytest.mark.parametrize("seed", range(30))
def test_equal_to_the_reference(kind: Any, seed: int) -> None:
    # Catches SIMD code that mixes up the classes of documents, an intercept that is scaled, a step
    # with the diagonal element of another document, and a wrong order of documents.
    X, y, options = collection(kind, seed)
    n_classes = int(y.max()) + 1
    rng = np.random.default_rng(seed)
    weights = None if options["sample_weight"] is None else rng.choice([0.1, 1, 2.25], len(y))
    for cost, epochs in ((0.3, 1), (0.3, 3), (10.0, 5)):
        ours = train(X, y, weights=weights, cost=cost, epochs=epochs)
        plain = reference.linear_machines(
            reference.document_vectors(X), y, n_classes, cost=cost, epochs=epochs, weights=weights
        )
        np.testing.assert_allclose(ours, plain, rtol=0, atol=2e-5 * max(1, np.abs(plain).max()))


@pytest.mark.parametrize("n_classes", [3, 16, 17, 40])
@pytest.mark.parametrize("cost", [0.03, 1.0])
def test_the_optimum_is_that_of_scikit_learn(n_classes: int, cost: float) -> None:
    X, y = text_like(600, n_classes)
    weights = np.random.default_rng(1).choice([0.25, 1, 3], 600) if n_classes == 3 else None
    ours = train(X, y, weights=weights, cost=cost, epochs=500)
    vectors = reference.document_vectors(X.toarray())[:, :-1]
    theirs = LinearSVC(C=cost, dual=True, tol=1e-9, max_iter=100_000).fit(vectors, y, weights)
    expected = np.vstack([theirs.coef_.T, theirs.intercept_])
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-4 * np.abs(expected).max())


def test_same_bits_for_any_threads_and_target(simd_target: str) -> None:
    X, y = text_like(3000, 70)
    expected = train(X, y)
    for n_threads in (2, 3, 7):
        assert train(X, y, n_threads=n_threads).tobytes() == expected.tobytes()
    _core.use_simd_target("baseline")  # the fixture restores it
    assert train(X, y).tobytes() == expected.tobytes()
