"""P-values compared with forty digits, and adjusted p-values compared with plain loops."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import termsift as ts
from exact import exact_log_pvalue, relative_error
from private import adjusted_logs, log_chi2_sf

DEGREES = [1, 2, 3, 4, 5, 10, 19, 49, 100, 401, 1999, 2000, 2001, 4999, 9999]


def grid(degrees: int) -> NDArray[np.float64]:
    """Return statistics from 0 to 1e300. Many are near the mean, where the algorithm changes."""
    steps = degrees * 10.0 ** np.arange(-12, 2.6, 0.5)
    deviations = degrees + math.sqrt(2 * degrees) * np.arange(-12, 60, 3.1)
    far = [0.5, 1300, 1334, 1336, 1340, 1400, 1e4, 1e5, 1e6, 1e8, 2e8, 1e12, 1e300]
    points = np.concatenate([steps, deviations, far])
    return np.unique(points[points > 0])


def fake(
    statistics: Any, degrees: int = 1, rows: Any = None, method: str = "chi2"
) -> ts.Significance:
    """Return a ts.Significance object with the given statistics."""
    values = np.asarray(statistics, dtype=np.float64)
    rows = None if rows is None else np.array(rows)
    terms = np.arange(values.shape[-1])
    logs, signs = log_chi2_sf(values, degrees), np.where(values > 0, 1, 0).astype(np.int8)
    return ts.Significance(method, degrees, values, logs, signs, list("abc"), terms, rows)


def of_logs(log_pvalues: Any) -> ts.Significance:
    logs = np.asarray(log_pvalues, dtype=np.float64)
    signs, terms = np.ones(logs.shape, np.int8), np.arange(logs.shape[-1])
    return ts.Significance("chi2", 1, -2 * logs, logs, signs, ["a"], terms)


# ---- the logarithm of the survival function ------------------------------------------------------


@pytest.mark.full(cases=3)
@pytest.mark.parametrize("degrees", DEGREES)
def test_log_pvalues_to_forty_digits(degrees: int) -> None:
    statistics = grid(degrees)
    for statistic, got in zip(statistics, log_chi2_sf(statistics, degrees), strict=True):
        exact = exact_log_pvalue(Fraction(float(statistic)), degrees)
        if degrees > 2 and exact < -690:
            assert got <= -690
        elif exact > -1e-290:  # 1 - p underflows, so p is 1
            assert -1e-290 <= got <= 0
        else:
            # If the p-value is within 1e-16 of 1, its digits come from P = 1 - Q, for which SciPy's
            # series has an error of 3e-12.
            allowed = 1e-13 if exact < -1e-16 else 1e-11
            assert relative_error(got, exact) < allowed, (statistic, got, exact)


def test_log_pvalues_do_not_underflow() -> None:
    # With two degrees of freedom, p = exp(-x/2), so log p of the statistic 10,000 is -5000.
    assert log_chi2_sf(np.array([10_000.0, 2e8]), 2).tolist() == [-5000.0, -1e8]
    for degrees in (1, 2):
        logs = log_chi2_sf(np.array([1e5, 1e6, 1e8]), degrees)
        assert np.all(np.isfinite(logs))
        assert np.all(np.diff(logs) < 0)
        assert np.all(scipy.stats.chi2.sf([1e5, 1e6, 1e8], degrees) == 0)
    assert log_chi2_sf(np.array([1e5]), 3).tolist() == [-np.inf]


@pytest.mark.parametrize("degrees", DEGREES)
def test_the_ends(degrees: int) -> None:
    logs = log_chi2_sf(np.array([0.0, np.inf]), degrees)
    assert logs.tolist() == [0.0, -np.inf]
    assert not np.signbit(logs[0])
    assert log_chi2_sf(np.array([]), degrees).shape == (0,)


# ---- the result ----------------------------------------------------------------------------------


def test_what_a_significance_holds() -> None:
    found = fake([3.0, 0.0, 8000.0], rows=[1, 0, 2])
    assert found.pvalues.tolist() == np.exp(found.log_pvalues).tolist()
    assert found.pvalues[1] == 1
    assert found.pvalues[2] == 0
    assert found.log_pvalues[2] == pytest.approx(-4004.719, abs=1e-3)
    assert found.signs.dtype == np.int8
    assert found.signs.tolist() == [1, 0, 1]
    assert found.chosen_by is not None
    assert found.chosen_by.tolist() == ["b", "a", "c"]
    assert repr(found) == "<Significance of 3 terms by chi2, 1 degree of freedom>"
    with pytest.raises(AttributeError):
        found.degrees = 2  # type: ignore[misc]


@pytest.mark.parametrize("method", ["chi2", "g2", "chi2_counts", "g2_counts"])
@pytest.mark.parametrize("per_class", [False, True])
def test_the_reference_agrees(method: Any, per_class: bool) -> None:
    rng = np.random.default_rng(3)
    X, y = rng.poisson(0.5, (40, 12)), rng.integers(0, 4, 40)
    found = ts.count(X, y).significance(method, per_class=per_class)
    expected = ts.reference.significance(ts.reference.count(X, y), method, per_class)
    np.testing.assert_allclose(found.statistics, expected.statistics, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(found.log_pvalues, expected.log_pvalues, rtol=1e-10, atol=1e-12)
    assert np.array_equal(found.signs, expected.signs)
    assert (found.chosen_by is None) == (expected.chosen_by is None) == per_class
    assert per_class or found.chosen_by.tolist() == expected.chosen_by
    np.testing.assert_allclose(found.pvalues_adj, expected.adjusted("bh"), rtol=1e-10)


def test_a_class_without_documents_gives_no_degree_of_freedom() -> None:
    X, y = np.array([[3, 1], [0, 2], [1, 4]]), np.array([0, 1, 2])
    found = ts.count(X, np.eye(4, dtype=int)[y]).significance("chi2_counts")
    assert found.degrees == ts.count(X, y).significance("chi2_counts").degrees == 2


# ---- adjustment ----------------------------------------------------------------------------------


def naive_bh(logs: list[float]) -> list[float]:
    """Adjust logarithms of p-values in plain loops, by the definition of Benjamini and Hochberg."""
    m = len(logs)
    ranked = sorted(logs)
    adjusted = []
    for log in logs:
        rank = ranked.index(log) + 1
        later = [ranked[j - 1] + math.log(m / j) for j in range(rank, m + 1)]
        adjusted.append(min(0.0, *later))
    return adjusted


# Logarithms below -745 belong to p-values that underflow. Many logarithms are equal or 0 (p = 1).
LOGS = st.lists(
    st.one_of(st.floats(-1e8, 0), st.sampled_from([0.0, -1.0, -5000.0, -math.inf])),
    min_size=1,
    max_size=30,
)


@given(LOGS)
def test_benjamini_hochberg_is_its_definition(logs: list[float]) -> None:
    got = adjusted_logs(np.array(logs))
    np.testing.assert_allclose(got, naive_bh(logs), rtol=1e-14, atol=1e-14)


def test_adjustment_counts_all_tests_of_all_classes() -> None:
    logs = np.array([[-9.0, -1.0, -700.0], [-2.0, -1500.0, 0.0]])
    together = of_logs(logs.ravel()).pvalues_adj.reshape(2, 3)
    assert np.array_equal(of_logs(logs).pvalues_adj, together)
