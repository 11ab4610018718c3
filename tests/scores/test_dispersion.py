"""Dispersion: a published example, the reference, and hostile input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from private import check_matrix, put
from private import dispersion as module
from termsift.reference.keyness import dispersion_of
from wording import raises


def dispersions(X: Any, y: Any, *sides: list[Any]) -> Any:
    """Return DP and Juilland's D, with a row for each group of classes in `sides`."""
    csr = check_matrix(X, 1)
    return module.dispersions(csr, module.documents_of(y, csr.n_docs, list(sides)))


def test_the_example_of_gries() -> None:
    # Gries (2008, 2020) has parts of 9, 10, 10, 10 and 11 letters, with 1, 2, 3, 4 and 5 letters a.
    a, lengths = np.array([1, 2, 3, 4, 5]), np.array([9, 10, 10, 10, 11])
    dp, juilland = dispersions(np.stack([a, lengths - a], axis=1), ["text"] * 5, ["text"])
    assert_allclose(dp[0, 0], 0.18, atol=5e-13)
    assert juilland[0, 0] == pytest.approx(0.785, abs=5e-4)


@given(st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=2, max_size=12))
def test_the_reference_agrees(documents: list[list[int]]) -> None:
    X = np.array(documents)
    y = np.arange(len(X)) % 2
    found = dispersions(X, y, [1], [0])
    for row, label in enumerate([1, 0]):
        part = X[y == label]
        for term in range(3):
            values = [measure[row, term] for measure in found]
            if part[:, term].sum() == 0:
                assert all(map(np.isnan, values))
                continue
            expected = dispersion_of(part[:, term].tolist(), part.sum(axis=1).tolist())
            assert_allclose(values, expected, rtol=1e-14, atol=4e-16)


def test_extremes() -> None:
    X = np.array([[1, 9, 0], [1, 9, 0], [1, 8, 1], [1, 9, 0]])
    dp, juilland = dispersions(X, [0] * 4, [0])
    assert_allclose(dp[0], [0, 0.75 - 26 / 35 + 1 / 140, 0.75], atol=0.03)
    assert juilland[0, 0] == pytest.approx(1)
    assert juilland[0, 2] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    "rows",
    [
        [[1000001, 9000000], [1000000, 9000000], [1000000, 9000000]],
        [[8, 1], [10**9, 125 * 10**6 + 1]],  # a bug gave D = 1 - 1e-8 for 1 - 4e-10
        [[50001, 950000], [50000, 950000]],
        [[3, 1]] * 99 + [[3, 2]] + [[0, 9]] * 3,
    ],
)
def test_juilland_is_accurate_near_1(rows: list[list[int]]) -> None:
    X = np.array(rows)
    _, expected = dispersion_of(X[:, 0].tolist(), X.sum(axis=1).tolist())
    _, juilland = dispersions(X, [0] * len(X), [0])
    assert juilland[0, 0] == pytest.approx(expected, rel=2**-51)


def test_classes_are_chosen_and_merged() -> None:
    X = np.array([[1, 2], [3, 0], [0, 4], [2, 2]])
    y = ["a", "b", "c", "a"]
    merged, _ = dispersions(X, y, ["a", "b"], ["c"])
    expected, _ = dispersions(X[[0, 1, 3]], ["x"] * 3, ["x"])
    assert_array_equal(merged[0], expected[0])
    with raises(ValueError, "there_is_no_class_d", argument="classes", at="class 'd'"):
        dispersions(X, y, ["d"])


def test_a_document_of_several_classes_is_a_part_of_each() -> None:
    X = np.array([[1, 2], [3, 1], [2, 2]])
    dp, _ = dispersions(X, np.array([[1, 0], [1, 1], [0, 1]]), [0], [1])
    assert_array_equal(dp[[0]], dispersions(X[:2], [0, 0], [0])[0])
    assert_array_equal(dp[[1]], dispersions(X[1:], [0, 0], [0])[0])


def test_the_size_of_the_parts_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X = sp.csr_array(rng.poisson(0.2, (300, 40)))
    y = rng.integers(0, 3, 300)
    whole = dispersions(X, y, [0], [1], [2])
    put(monkeypatch, entries_at_once=17)
    parts = dispersions(X, y, [0], [1], [2])
    assert_allclose(parts, whole, rtol=1e-12, atol=1e-12)
