"""exact.py, the witness of other tests, against arithmetic by hand."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from exact import exact_class_scores, exact_scores, relative_error, ulp_error
from small_tables import INF, LOG_2, METHODS, THREE, TWO, tables


def agrees(exact, wanted, digits):
    return abs(exact - wanted) <= abs(wanted) / 10**digits


def test_exact_scores_by_hand():
    md = exact_class_scores(TWO.term_frequency, [1, 1], "md", 1, 3)
    assert agrees(md[0][0], Fraction(5, 7) * LOG_2, digits=57)
    assert agrees(md[0][1], Fraction(4, 7) * LOG_2, digits=57)
    assert md[0][2] == 0
    arguments = (THREE.term_frequency, THREE.class_docs, "md_chi2", 1, 2)
    pearson = exact_class_scores(*arguments, noncentrality="pearson")
    assert pearson == [[Fraction(1, 5)] * 2, [Fraction(1, 5)] * 2, [0, 0]]
    nu_j = exact_class_scores(*arguments)
    assert nu_j == [[Fraction(19, 90)] * 2, [Fraction(19, 90)] * 2, [0, 0]]
    uniform = exact_class_scores(*arguments, prior="uniform", noncentrality="pearson")
    assert uniform[0] == [Fraction(9, 35)] * 2


@pytest.mark.parametrize("exponent", [3, 9, 15])
def test_exact_scores_keep_their_digits_when_p_nears_q(exponent):
    # p, q = (1 +- x) / 2 with x = 10^-exponent: J = x log((p/q)^2) = 4 x atanh x, by its series.
    half = 10**exponent
    x = Fraction(1, half)
    series = sum(x ** (2 * n + 1) / (2 * n + 1) for n in range(12))
    (j, _) = exact_scores([[half + 1, half - 1], [half - 1, half + 1]], [1, 1], "md", 0, 0)
    assert agrees(j, 4 * x * series, digits=55)


def test_exact_scores_use_the_binary_value_of_floats():
    # 0.1 is not a tenth: p = 0.1 / (0.1 + 0.3) in the binary values of both.
    a, b = Fraction(0.1), Fraction(0.3)
    p, q = a / (a + b), Fraction(1, 2)
    pearson = exact_class_scores([[0.1, 0.3], [1, 1]], [1, 1], "md_chi2", 0, 0, None, "pearson")
    assert pearson[0][0] == (p - q) ** 2 / (q * (1 - q))


def test_exact_scores_keep_the_conventions():
    counts = [[1, 1], [0, 2]]
    (first, second) = exact_class_scores(counts, [1, 1], "md", 0, 0)
    assert first == [INF, INF]
    assert agrees(second[0], LOG_2, digits=57)
    assert exact_class_scores(counts, [1, 1], "md_chi2", 0, 0) == [[INF] * 2] * 2
    assert exact_class_scores(counts, [1, 1], "md_chi2", 0, 0, None, "pearson")[1] == [1, 1]
    assert exact_scores(counts, [1, 1], "md", 0, 0) == [INF, INF]
    # First class 1 has no tokens, then it has no documents.
    assert exact_scores([[2, 0], [0, 0]], [1, 1], "md_chi2", 0, 0) == [INF, 0]
    padded = [[1, 0], [8, 9], [0, 1], [1, 1]]
    assert exact_class_scores(padded, [1, 0, 1, 2], "md_chi2", 1, 2) == [
        [Fraction(19, 90)] * 2,
        [0, 0],
        [Fraction(19, 90)] * 2,
        [0, 0],
    ]


@given(tables(), st.sampled_from(METHODS), st.randoms())
def test_exact_scores_of_a_sample_are_those_of_the_whole(counts, method, random):
    frequency, docs = counts.term_frequency, counts.class_docs
    terms = random.choices(range(frequency.shape[1]), k=3)
    whole = exact_scores(frequency, docs, method, 1, 4)
    for form in (frequency, sparse.csr_array(frequency), sparse.csc_matrix(frequency)):
        sample = exact_scores(form, docs, method, 1, 4, terms=terms)
        assert sample == [whole[i] for i in terms]


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
