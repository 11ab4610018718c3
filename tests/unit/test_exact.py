"""exact.py, the witness of other tests, against arithmetic by hand."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from exact import exact_class_scores, relative_error, ulp_error

INF = math.inf


def agrees(exact, wanted, digits):
    return abs(exact - wanted) <= abs(wanted) / 10**digits


@pytest.mark.parametrize("exponent", [3, 9, 15])
def test_exact_scores_keep_their_digits_when_p_nears_q(exponent):
    # p, q = (1 +- x) / 2 with x = 10^-exponent: J = x log((p/q)^2) = 4 x atanh x, by its series.
    half = 10**exponent
    x = Fraction(1, half)
    series = sum(x ** (2 * n + 1) / (2 * n + 1) for n in range(12))
    table = [[half + 1, half - 1], [half - 1, half + 1]]
    j = sum(row[0] for row in exact_class_scores(table, [1, 1], "md", 0, 0))
    assert agrees(j, 4 * x * series, digits=55)


@pytest.mark.parametrize(
    ("computed", "exact", "ulps", "relative"),
    [
        (1.0, Fraction(1), 0, 0),
        (1 + 2.0**-52, Fraction(1), 1, 2.0**-52),
        (1 - 2.0**-53, Fraction(1), 0.5, 2.0**-53),  # below a power of 2 floats lie closer
        (3.0, Fraction(3) + Fraction(1, 2**52), 0.5, 2.0**-52 / 3),
        (2.0, Fraction(1), 2**52, 1),
        (0.0, Fraction(0), 0, 0),
        (5e-324, Fraction(0), INF, INF),
        (0.0, Fraction(1, 10**330), 0, 1),  # nearest is 0, spaced by 5e-324
        (INF, INF, 0, 0),
        (1e308, INF, INF, INF),
        (INF, Fraction(1), INF, INF),
        (-INF, INF, INF, INF),
        (INF, Fraction(10) ** 400, 0, 0),  # rounds to infinity
        (math.nan, Fraction(1), INF, INF),
        (math.nan, INF, INF, INF),
    ],
)
def test_measures_of_error_by_hand(computed, exact, ulps, relative):
    assert ulp_error(computed, exact) == pytest.approx(ulps, abs=1e-5)
    assert relative_error(computed, exact) == pytest.approx(relative, rel=1e-12)
