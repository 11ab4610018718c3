"""Dispersion: a published example, the reference, and hostile input."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import termsift as ts
from termsift._scores import dispersion as module
from termsift.reference.keyness import dispersion_of


def test_the_example_of_gries() -> None:
    # Gries 2008 and 2020: five parts of 9, 10, 10, 10 and 11 letters, with 1, 2, 3, 4 and 5 a.
    a, lengths = np.array([1, 2, 3, 4, 5]), np.array([9, 10, 10, 10, 11])
    found = ts.dispersion(np.stack([a, lengths - a], axis=1), ["text"] * 5)
    assert_allclose(found.dp[0, 0], 0.18, atol=5e-13)
    assert found.dp_norm[0, 0] == pytest.approx(0.22, abs=5e-4)
    assert found.juilland[0, 0] == pytest.approx(0.785, abs=5e-4)


@given(st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=2, max_size=12))
def test_the_reference_agrees(documents: list[list[int]]) -> None:
    X = np.array(documents)
    y = np.arange(len(X)) % 2
    found = ts.dispersion(X, y, [1, 0])
    for row, label in enumerate([1, 0]):
        part = X[y == label]
        for term in range(3):
            values = (m[row, term] for m in (found.dp, found.dp_norm, found.juilland))
            if part[:, term].sum() == 0:
                assert all(map(np.isnan, values))
                continue
            expected = dispersion_of(part[:, term].tolist(), part.sum(axis=1).tolist())
            assert_allclose(list(values), expected, rtol=1e-14, atol=4e-16)


def test_extremes() -> None:
    X = np.array([[1, 9, 0], [1, 9, 0], [1, 8, 1], [1, 9, 0]])
    found = ts.dispersion(X, [0] * 4)
    assert_allclose(found.dp[0], [0, 0.75 - 26 / 35 + 1 / 140, 0.75], atol=0.03)
    assert found.juilland[0, 0] == pytest.approx(1)
    assert found.juilland[0, 2] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    "rows",
    [
        [[1000001, 9000000], [1000000, 9000000], [1000000, 9000000]],
        [[8, 1], [10**9, 125 * 10**6 + 1]],  # its D, 1 - 4e-10, was 1 - 1e-8
        [[50001, 950000], [50000, 950000]],
        [[3, 1]] * 99 + [[3, 2]] + [[0, 9]] * 3,
    ],
)
def test_juilland_is_accurate_near_1(rows: list[list[int]]) -> None:
    X = np.array(rows)
    _, _, expected = dispersion_of(X[:, 0].tolist(), X.sum(axis=1).tolist())
    found = ts.dispersion(X, [0] * len(X)).juilland[0, 0]
    assert found == pytest.approx(expected, rel=2**-51)


def test_classes_are_chosen_and_merged() -> None:
    X = np.array([[1, 2], [3, 0], [0, 4], [2, 2]])
    y = ["a", "b", "c", "a"]
    merged = ts.dispersion(X, y, {"ab": ["a", "b"], "c": "c"})
    assert merged.classes == ["ab", "c"]
    expected = ts.dispersion(X[[0, 1, 3]], ["x"] * 3)
    assert_array_equal(merged.dp[0], expected.dp[0])
    assert repr(merged) == "<Dispersion of 2 classes x 2 terms>"
    with pytest.raises(ValueError, match="there is no class 'd', expected"):
        ts.dispersion(X, y, ["d"])


def test_a_document_of_several_classes_is_a_part_of_each() -> None:
    X = np.array([[1, 2], [3, 1], [2, 2]])
    found = ts.dispersion(X, np.array([[1, 0], [1, 1], [0, 1]]))
    assert_array_equal(found.dp[0], ts.dispersion(X[:2], [0, 0]).dp[0])
    assert_array_equal(found.dp[1], ts.dispersion(X[1:], [0, 0]).dp[0])


def test_the_size_of_the_parts_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X = sp.csr_array(rng.poisson(0.2, (300, 40)))
    y = rng.integers(0, 3, 300)
    whole = ts.dispersion(X, y)
    monkeypatch.setattr(module, "_CHUNK_ENTRIES", 17)
    parts = ts.dispersion(X, y)
    for name in ("dp", "dp_norm", "juilland"):
        assert_allclose(getattr(parts, name), getattr(whole, name), rtol=1e-12, atol=1e-12)
