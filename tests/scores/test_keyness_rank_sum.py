"""The rank-sum test of keyness, compared with scipy's test of each term and with the reference."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.stats import mannwhitneyu

import termsift as ts
from termsift.reference.keyness import rank_sum_of
from wording import raises


def rank_sum(X: Any, y: Any, **options: Any) -> ts.Keyness:
    return ts.count(X, y).keyness("a", "b", sort="rank_sum", dispersion=(X, y), **options)


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=4, max_size=12),
    st.integers(1, 3),
)
def test_the_reference_agrees(rows: list[list[int]], n_target: int) -> None:
    X = np.array([[1, 2, 3, 4], [4, 3, 2, 1], *rows])
    y = ["a", "b", *("a" if i < n_target else "b" for i in range(len(rows)))]
    found = rank_sum(X, y).table
    rates: dict[str, list[list[Fraction]]] = {"a": [], "b": []}
    for row, label in zip(X.tolist(), y, strict=True):
        rates[label].append([Fraction(x, sum(row) or 1) for x in row])
    for row, i in enumerate(found["index"].tolist()):
        expected = rank_sum_of(*([rate[i] for rate in rates[side]] for side in "ab"))
        assert found["rank_sum"][row] == pytest.approx(expected, rel=1e-12, abs=1e-12)


# The factor 0.25 makes the values floats. With shape 3, some documents have more than 16 values.
@pytest.mark.parametrize(("shape", "factor"), [(0.3, 1), (0.3, 0.25), (3, 1)])
def test_it_is_the_test_of_scipy(shape: float, factor: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.poisson(rng.gamma(shape, 2, 40) ** (1 + (shape > 1)), (150, 40)) * factor
    X[7] = 0  # in a document without tokens, all rates are 0
    y = np.array(["a"] * 60 + ["b"] * 90)
    found = rank_sum(sparse.csr_array(X), y).table
    lengths = X.sum(axis=1)
    rates = X / np.where(lengths, lengths, 1)[:, None]
    assert len(found["index"]) > 20
    for row, i in enumerate(found["index"].tolist()):
        sides = [rates[y == side, i] for side in "ab"]
        expected = mannwhitneyu(*sides, method="asymptotic")
        assert_allclose(found["rank_sum_pvalue"][row], expected.pvalue, rtol=1e-10)
        middle = len(sides[0]) * len(sides[1]) / 2
        assert found["rank_sum"][row] * (expected.statistic - middle) >= 0


def test_a_document_without_tokens_counts_as_a_document_without_the_term() -> None:
    # Rank sums and Juilland's D left out such documents, which zeta and g2_docs count.
    X = np.array([[5, 1, 0, 0]] * 6 + [[0, 0, 0, 0]] * 6 + [[1, 1, 2, 2]] * 6)
    y = ["a"] * 6 + ["b"] * 12
    with_another_term = np.hstack([X, (X.sum(axis=1) == 0)[:, None] * 7])
    found, other = rank_sum(X, y).table, rank_sum(with_another_term, y).table
    places = [other["index"].tolist().index(i) for i in found["index"].tolist()]
    assert len(places) == 4
    for name in ("rank_sum", "rank_sum_pvalue", "juilland_target", "juilland_reference"):
        assert_allclose(found[name], other[name][places], rtol=1e-14)


def test_threads_and_the_order_of_entries_do_not_matter() -> None:
    rng = np.random.default_rng(1)
    X = sparse.csr_array(rng.poisson(rng.gamma(0.2, 4, 500), (1500, 500)))
    y = rng.choice(["a", "b"], 1500)
    assert X.nnz > 1 << 17  # enough work for two threads
    expected = rank_sum(X, y, n_threads=1).table["rank_sum"]
    np.testing.assert_array_equal(rank_sum(X, y, n_threads=2).table["rank_sum"], expected)
    doubled = np.repeat(np.arange(X.nnz), 2)[::-1]  # two halves of each entry, in reverse order
    halves = X.data[doubled] / 2, X.indices[doubled], X.nnz * 2 - 2 * X.indptr[::-1]
    found = rank_sum(sparse.csr_array(halves, shape=X.shape), y[::-1]).table["rank_sum"]
    np.testing.assert_array_equal(found, expected)


def test_one_long_document_does_not_make_a_term_key() -> None:
    # One document of a has term 0 500 times. All other documents of a and b have term 0 once.
    X = np.array([[1, 3, 9]] * 9 + [[500, 0, 0]] + [[1, 0, 12]] * 10)
    y = ["a"] * 10 + ["b"] * 10
    assert ts.count(X, y).keyness("a", "b", k=1).table["index"].tolist() == [0, 2]
    assert rank_sum(X, y, k=1).table["index"].tolist() == [1, 2]


def test_equal_rates_in_all_documents_have_no_sign() -> None:
    X, y = np.array([[1, 1], [2, 2], [3, 3]]), ["a", "a", "b"]
    found = ts.count(X, y).keyness("a", "b", similar=True, dispersion=(X, y)).table
    assert found["rank_sum"].tolist() == [0, 0]


def test_it_needs_documents() -> None:
    with raises(TypeError, "needs_the_documents_pass_dispersion", argument="sort"):
        ts.count(np.eye(2, dtype=int), ["a", "b"]).keyness("a", sort="rank_sum")


def test_stored_zeros_are_documents_without_the_term() -> None:
    rng = np.random.default_rng(3)
    X = sparse.csr_array(rng.poisson(0.4, (40, 5)) * (rng.random((40, 5)) < 0.9) * 1.0)
    y = rng.choice(["a", "b"], 40)
    with_zeros = X.copy()
    with_zeros.data[::3] = 0
    expected = rank_sum(sparse.csr_array(with_zeros.toarray()), y).table
    found = rank_sum(with_zeros, y).table
    np.testing.assert_array_equal(found["rank_sum"], expected["rank_sum"])
