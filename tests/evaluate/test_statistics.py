"""Tests and intervals of runs and of collections, against scipy and against printed tables."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from private import corrected_t, friedman, holm, nemenyi_difference, ranks, sign_test


def test_corrected_t_by_hand() -> None:
    # Ten folds, whose mean is 3 and whose variance is 10/9: t = 3 / sqrt((1/10 + 1/9) 10/9).
    runs = np.array([2.0, 4.0] * 5)
    found = corrected_t(runs, 1 / 9)
    error = math.sqrt((1 / 10 + 1 / 9) * 10 / 9)
    assert_allclose([found.mean, found.error], [3, error])
    assert_allclose(found.pvalue, 2 * stats.t.sf(3 / error, 9))
    half = stats.t.ppf(0.975, 9) * error
    assert_allclose(found.interval(10, 0.95), [3 - half, 3 + half])


@given(st.integers(2, 8), st.integers(0, 2**32 - 1))
def test_without_shared_documents_it_is_the_t_test(n_runs: int, seed: int) -> None:
    runs = np.random.default_rng(seed).normal(0.3, 1, (n_runs, 3))
    found = corrected_t(runs, 0.0)
    assert_allclose(found.pvalue, stats.ttest_1samp(runs, 0).pvalue, rtol=1e-9)


def test_equal_runs_do_not_tell_their_variance() -> None:
    found = corrected_t(np.array([[0.0, 0.5], [0.0, 0.5], [0.0, 0.5]]), 0.5)
    assert found.pvalue.tolist() == [1, 1]
    assert found.interval(3, 0.95)[0].tolist() == [0, 0.5]


def test_the_sign_test_is_the_binomial_test() -> None:
    for wins, losses in product(range(8), repeat=2):
        n = wins + losses
        expected = stats.binomtest(wins, n).pvalue if n else 1.0
        assert sign_test(wins, losses) == pytest.approx(expected)


def test_holm_by_hand() -> None:
    # The p-values are multiplied by 4, 3, 2 and 1 in their order, and never decrease.
    found = holm(np.array([0.04, 0.01, 0.03, 0.5]))
    assert_allclose(found, [0.09, 0.04, 0.09, 0.5])
    assert holm(np.empty(0)).tolist() == []


@pytest.mark.parametrize(("difference", "expected"), [(1e-12, [1.5, 1.5]), (2e-12, [2, 1])])
def test_values_within_rounding_share_a_rank(difference: float, expected: list[float]) -> None:
    assert ranks(np.array([[0.0, difference]])).tolist() == [expected]


@given(st.integers(2, 9), st.integers(3, 6), st.integers(0, 2**32 - 1), st.booleans())
def test_ranks_and_friedman_are_those_of_scipy(n: int, k: int, seed: int, ties: bool) -> None:
    values = np.random.default_rng(seed).random((n, k))
    if ties:
        values = np.round(values, 1)
    assert_allclose(ranks(values), stats.rankdata(-values, axis=1))
    found = friedman(values)
    with np.errstate(invalid="ignore"):
        expected = stats.friedmanchisquare(*values.T)
    if math.isnan(expected.statistic):
        assert (found.chi2, found.pvalue) == (0, 1)
        return
    assert found.chi2 == pytest.approx(expected.statistic, abs=1e-9)
    if found.chi2 < n * (k - 1) - 1e-6:
        F = (n - 1) * found.chi2 / (n * (k - 1) - found.chi2)
        assert pytest.approx(F) == found.F
        assert found.pvalue == pytest.approx(stats.f.sf(F, k - 1, (k - 1) * (n - 1)), abs=1e-12)
    else:  # all collections rank alike, with the same ties
        _, sizes = np.unique(ranks(values)[0], return_counts=True)
        orders = math.factorial(k) / math.prod(map(math.factorial, sizes.tolist()))
        assert math.inf == found.F
        assert found.pvalue == pytest.approx((1 / orders) ** (n - 1))


def test_two_collections_that_agree_are_little_evidence() -> None:
    assert friedman(np.array([[0.9, 0.8], [0.7, 0.5]])).pvalue == pytest.approx(0.5)
    assert friedman(np.array([[3.0, 2, 1], [3, 2, 1]])).pvalue == pytest.approx(1 / 6)


def test_nemenyi_is_that_of_demsar() -> None:
    # Demsar 2006, Table 5: q at 0.05 is 1.960 for 2 classifiers, 2.569 for 4 and 3.164 for 10.
    for k, q in ((2, 1.960), (4, 2.569), (10, 3.164)):
        assert nemenyi_difference(14, k, 0.95) == pytest.approx(
            q * math.sqrt(k * (k + 1) / (6 * 14)), abs=1e-3
        )
