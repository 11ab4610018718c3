"""Errors of scores: at most 4 ulp in ordinary cases, and 1e-14 if p and q differ enough."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp

import termsift as ts
from counts_of_table import counts_of
from exact import exact_class_scores, ulp_error
from exact_scores import MEASURES, Measure, assert_exact, assert_no_target_changes_a_bit
from private import _core
from wording import raises

OF_PROBABILITIES = [
    measure for measure in MEASURES if measure.of_probabilities and measure.model == "multinomial"
]
methods = pytest.mark.parametrize("measure", OF_PROBABILITIES, ids=str)


@pytest.mark.full(cases=len(MEASURES))
@pytest.mark.parametrize("measure", MEASURES, ids=str)
@pytest.mark.parametrize("n_classes", [2, 3, 20])
def test_text_is_within_4_ulp(measure: Measure, n_classes: int) -> None:
    rng = np.random.default_rng(n_classes)
    rates = 5.0 / np.arange(1, 61) * rng.lognormal(0, 1, (n_classes, 60))
    y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, 39 * n_classes)]
    counts = ts.count(rng.poisson(rates[y]), y)
    most = 45 if measure.method == "bns" else 4  # a relative error of 45 ulp is at most 1e-14
    for alpha in (1.0, 0.01):
        assert_exact(counts, measure, alpha, most=most, error=ulp_error, near=True)
        assert_no_target_changes_a_bit(counts, measure, alpha)


RNG = np.random.default_rng(7)
BIG = 2**40
NEAR = np.array([[BIG, BIG // 3, 1], [BIG + 1, BIG // 3, 1], [BIG, BIG // 3 + 1, 1]])
# By name: a table (n_classes, n_terms), the documents of the classes, and the smoothing.
ADVERSARIAL: dict[str, tuple[Any, list[int], tuple[float, float]]] = {
    "p within 1e-12 of q": (NEAR, [3, 5, 4], (1.0, 3.0)),
    "counts from 0 to 2^40": (
        2 ** RNG.integers(0, 41, (6, 40)) * RNG.integers(0, 2, (6, 40)),
        [1, 10, 100, 1000, 10**4, 10**9],
        (1.0, 40.0),
    ),
    "one common term": (
        np.array([[10**12, 1, 0], [10**12, 2, 5], [10**11, 0, 1]]),
        [5, 5, 5],
        (1.0, 3.0),
    ),
    "almost no smoothing": (
        RNG.integers(0, 5, (4, 30)) * RNG.integers(1, 10**6, (4, 30)),
        [1, 2, 3, 4],
        (1e-10, 3e-9),
    ),
    "no smoothing, no zeros": (RNG.integers(1, 10**7, (4, 30)), [9, 2, 3, 4], (0.0, 0.0)),
    "no smoothing, zeros": (RNG.integers(0, 3, (4, 30)), [9, 2, 3, 4], (0.0, 0.0)),
    "near 2^63": (
        np.array([[2**62, 2**61 + 1, 1], [2**61 + 7, 2**62 - 5, 0]]),
        [2**40, 3],
        (1.0, 3.0),
    ),
}


@methods
@pytest.mark.parametrize("case", ADVERSARIAL)
def test_adversarial_counts_are_within_1e_14(measure: Measure, case: str) -> None:
    table, class_docs, alpha = ADVERSARIAL[case]
    counts = counts_of(table, class_docs)
    assert_exact(counts, measure, alpha)
    assert_no_target_changes_a_bit(counts, measure, alpha)


def near_tables() -> Iterator[tuple[Any, list[int]]]:
    """Yield tables whose p and q are as near as counts of their size allow, and class sizes."""
    # For the second term, p and q of the third class agree to 19 digits.
    yield np.array([[0, 0], [1, 2**40 - 225196], [2**40 + 1, 2**40 - 1]]), [1, 1, 1]
    rng = random.Random(23)
    for bits in range(20, 61, 8):
        sizes = [rng.getrandbits(bits) | 1 << bits for _ in range(50)]
        while math.gcd(*sizes[:2]) > 1 or math.gcd(2 * sizes[0], sizes[2] | 1) > 1:
            sizes[:3] = [rng.getrandbits(bits) | 1 << bits for _ in range(3)]
        # Two classes of A and B tokens with the least possible p - q, 1/(A B), and three classes of
        # which the last has nearly the mean p of the first two.
        A, B, C = sizes[0], sizes[1], sizes[2] | 1
        b = pow(A, -1, B) * -1 % B
        tables = [[[(b * A + 1) // B, A - (b * A + 1) // B], [b, B - b]]]
        c = pow(2 * A, -1, C)
        half = (2 * c * A - 1) // C
        if half <= A:
            tables.append([[0, 5], [half, A - half], [c, C - c]])
        tables.append([[2**bits - rng.randrange(3), rng.randrange(4)] for _ in range(4)])
        for n in (2, 3, 7, 50):
            share = rng.random()
            rows = [(max(0, int(share * size) + rng.randrange(-1, 2)), size) for size in sizes[:n]]
            tables.append([[x, size - x] for x, size in rows])
        for table in tables:
            docs = rng.choice([[1] * len(table), [rng.randrange(1, 10**6) for _ in table]])
            yield np.array(table), docs


@methods
@pytest.mark.parametrize("b1", [0.0, 1e-3, 0.1, 0.5, 1.0])
def test_nearly_equal_huge_counts_are_within_1e_14(measure: Measure, b1: float) -> None:
    for table, class_docs in near_tables():
        assert_exact(counts_of(table, class_docs), measure, (b1, 2 * b1))


@methods
@pytest.mark.parametrize("alpha", [0.1, 0.7, 1e-3])
def test_alpha_times_the_vocabulary_is_not_rounded(measure: Measure, alpha: float) -> None:
    # No double equals 0.7 M. If 0.7 M were rounded, p would change most in small classes.
    rng = np.random.default_rng(9)
    rates = 30.0 / np.arange(1, 101) * rng.lognormal(0, 1, (8, 100))
    text = counts_of(rng.poisson(rates), rng.integers(5, 200, 8).tolist())
    assert_exact(text, measure, alpha, most=4, error=ulp_error, near=True)
    assert_exact(counts_of(NEAR, [3, 5, 4]), measure, alpha, near=True)


@methods
@pytest.mark.parametrize("size", [1e-100, 1e-140, 1e-158, 1e-162, 1e-170, 1e-250])
def test_tiny_float_counts_are_accurate(measure: Measure, size: float) -> None:
    # The counts are so small that products of probabilities underflow.
    two, three = [[size, 1], [3 * size, 1]], [[size, 1], [3 * size, 1], [7 * size, 1]]
    for table in (two, three, [*two, [0.5, 4]]):
        counts = ts.count(np.array(table), np.arange(len(table)))
        assert_exact(counts, measure, (0.0, 0.0), most=4, error=ulp_error)


@methods
def test_no_score_of_the_smallest_counts_is_nan(measure: Measure) -> None:
    sizes = [5e-324, 1e-323, 1e-320, 1e-310, 1e-300, 1e-250]
    for a, b, c in itertools.product(sizes, repeat=3):
        counts = ts.count(np.array([[a, 1], [b, 1], [c, 2]]), [0, 1, 2])
        scores = counts.class_scores(measure.method, alpha=0, **measure.options)
        assert not np.isnan(scores).any()


def test_smoothing_too_small_for_doubles_is_refused() -> None:
    counts = ts.count(np.array([[1, 0], [0, 1]]), [0, 1])
    for alpha in ((1e-290, 1.0), (1.0, 1e290)):
        with raises(ValueError, "smoothing_too_small"):
            counts.score("md", alpha=alpha)
    with raises(ValueError, "smoothing_too_small"):
        ts.count(np.array([[1e300, 0], [0, 1e300]]), [0, 1]).score("md")
    with raises(ValueError, "the_tokens_of_a_class_and_b2", argument="alpha"):
        ts.count(np.array([[1.7e308, 1], [1, 2]]), [0, 1]).score("md", alpha=1e307)


# ---- many classes: those that have a term one by one, all others from a table --------------------


@pytest.fixture(scope="module")
def many_classes() -> ts.ClassCounts:
    """Return 300 classes of 3 to 30,000 tokens. Each permutes the terms of half of its tokens."""
    rng = np.random.default_rng(8)
    n_classes, n_terms = 300, 4000
    zipf = 1 / np.arange(3.0, n_terms - 17)  # the last 20 terms never occur
    table = np.zeros((n_classes, n_terms), int)
    for row, size in zip(table, np.geomspace(3, 30_000, n_classes), strict=True):
        own = rng.permutation(zipf)
        row[: len(zipf)] = rng.multinomial(int(size), (zipf + own) / (2 * zipf.sum()))
    return counts_of(table, rng.integers(1, 60, n_classes).tolist())


def rare_to_frequent(counts: ts.ClassCounts, n: int) -> Any:
    """Return n terms of all frequencies, from the rarest to the most frequent."""
    order = np.argsort(np.asarray(counts.term_frequency.sum(axis=0)).ravel(), kind="stable")
    return np.unique(order[np.linspace(0, counts.n_terms - 1, n).astype(int)])


def sum_errors(
    counts: ts.ClassCounts,
    terms: Any,
    alpha: tuple[float, float],
    unit: Any,
    prior: Any = "empirical",
) -> float:
    """Return the largest error of some terms' scores, over all methods and SIMD targets."""
    best = _core.simd_target()
    found = []
    for measure in OF_PROBABILITIES:
        parts = counts.term_frequency, counts.class_docs, measure.method, *alpha, prior
        exact = exact_class_scores(*parts, terms=terms, **measure.options)
        sums = [sum(values, Fraction(0)) for values in zip(*exact, strict=True)]
        for target in _core.simd_targets():
            _core.use_simd_target(target)
            how: Any = {"alpha": alpha, "class_prior": prior, **measure.options}
            scores = counts.score(measure.method, **how)[terms]
            found += [unit(float(s), e) for s, e in zip(scores, sums, strict=True)]
    _core.use_simd_target(best)
    return max(found)


PRIORS: dict[str, tuple[Any, float]] = {  # with the largest error in ulps; 45 ulp are at most 1e-14
    "empirical": ("empirical", 4),
    "uniform": ("uniform", 4),
    "one class has 99.9999%": ([300e6] + [1.0] * 299, 45),
    "one class has none, one nearly none": ([0.0, 1e-12] + [1.0] * 298, 45),
}


@pytest.mark.full(cases=1)
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("b1", [1.0, 0.1, 1e-6])
def test_many_classes_are_within_4_ulp(many_classes: ts.ClassCounts, prior: str, b1: float) -> None:
    assert many_classes.term_frequency.nnz < 0.25 * many_classes.n_classes * many_classes.n_terms
    class_prior, limit = PRIORS[prior]
    terms = rare_to_frequent(many_classes, 12)
    assert sum_errors(many_classes, terms, (b1, b1 * 4000), ulp_error, class_prior) <= limit


@pytest.mark.full(cases=1)
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("b1", [1.0, 0.05])
def test_short_classes_are_within_4_ulp(prior: str, b1: float) -> None:
    # If classes consist mostly of smoothing, the logarithms of a term in one or two classes cancel.
    rng = np.random.default_rng(15)
    table = np.zeros((300, 5000), int)
    for row in table:
        np.add.at(row, (4900 * rng.random(rng.integers(1, 40)) ** 3).astype(int), 1)
    class_prior, limit = PRIORS[prior]
    counts = counts_of(table, rng.integers(1, 4, 300).tolist())
    terms = rare_to_frequent(counts, 12)
    assert sum_errors(counts, terms, (b1, b1 * 5000), ulp_error, class_prior) <= limit


@pytest.mark.full(cases=1)
@pytest.mark.parametrize("b1", [1.0, 0.3, 2.0])
@pytest.mark.parametrize("prior", ["empirical", "uniform"])
def test_rare_terms_of_few_classes_are_within_4_ulp(prior: str, b1: float) -> None:
    # What all classes add by smoothing alone exceeds the score of a rare term by up to three times.
    rng = np.random.default_rng(24)
    n_classes, n_terms, n_tokens = 40, 3000, 60_000
    mass = (np.arange(n_classes) + 5.0) ** -0.6
    table = np.zeros((n_classes, n_terms), int)
    drawn = rng.choice(n_classes, n_tokens, p=mass / mass.sum())
    np.add.at(table, (drawn, (n_terms * rng.random(n_tokens) ** 6).astype(int)), 1)
    counts = counts_of(table, rng.integers(1, 40, n_classes).tolist())
    rare = np.flatnonzero((table > 0).sum(0) == 1)
    terms = np.r_[rare[:40], rare_to_frequent(counts, 12)]
    assert len(rare) > 40
    assert sum_errors(counts, terms, (b1, b1 * n_terms), ulp_error, prior) <= 4


@pytest.mark.full(cases=1)
@pytest.mark.parametrize(("seed", "skew", "term"), [(19, 1.5, 253), (22, 1.0, 70)])
def test_means_over_unequal_classes_are_within_4_ulp(seed: int, skew: float, term: int) -> None:
    # A class with most documents adds nearly all of a mean, and so the error of a single value is
    # not lost among other values. These terms once had errors of 5.8 and 5.0 ulp.
    rng = np.random.default_rng(seed)
    n_classes, n_terms, n_docs = 200, 2000, 4000
    mass = np.arange(1.0, n_classes + 1) ** -skew
    y = rng.choice(n_classes, n_docs, p=mass / mass.sum())
    y[:n_classes] = np.arange(n_classes)
    doc = np.repeat(np.arange(n_docs), rng.integers(3, 40, n_docs))
    terms_drawn = (n_terms * rng.random(len(doc)) ** 4).astype(int)
    X = sp.csr_array((np.ones(len(doc), int), (doc, terms_drawn)), shape=(n_docs, n_terms))
    counts = ts.count(X, y)
    terms = np.r_[term, rng.choice(n_terms, 10, replace=False)]
    priors = [Fraction(int(n), n_docs) for n in counts.class_docs]
    for method in ("md", "md_chi2"):
        parts = counts.term_frequency, counts.class_docs, method, 1, n_terms, "empirical"
        of_classes = exact_class_scores(*parts, terms=terms)
        for score, values in zip(
            counts.score(method, aggregate="mean")[terms],
            zip(*of_classes, strict=True),
            strict=True,
        ):
            mean = sum((pi * v for pi, v in zip(priors, values, strict=True)), Fraction(0))
            assert ulp_error(float(score), mean) <= 4


def test_a_class_whose_weight_underflows_has_its_terms() -> None:
    # If the prior of class 0 underflows, the class adds nothing to the mixture, but has term 1950.
    rng = np.random.default_rng(4)
    n_classes, n_terms = 300, 2000
    table = np.zeros((n_classes, n_terms))
    for row in table:
        row[rng.choice(1900, 40, replace=False)] = 1
        row[1999] = 1e5
    table[0, 1950] = 0.1
    counts = ts.count(table, np.arange(n_classes))

    def kl(p: Any, q: Any) -> Any:
        return p * mpmath.log(p / q) + (1 - p) * mpmath.log((1 - p) / (1 - q))

    for weight in (1e-314, 1e-315, 3e-316, 1e-316, 1e-317, 1e-320, 5e-324, 0.0):
        prior = [weight] + [1.0] * (n_classes - 1)
        score = counts.score("md", alpha=(0.01, 20.0), class_prior=prior)[1950]
        with mpmath.workdps(60):
            b1, count = mpmath.mpf(0.01), mpmath.mpf(0.1)
            p, p_of_others = (count + b1) / (100_060 + count), b1 / 100_060
            q_of_others = (weight * p + 298 * p_of_others) / (weight + mpmath.mpf(298))
            exact = kl(p, p_of_others) + 299 * kl(p_of_others, q_of_others)
            assert abs(score / exact - 1) <= 1e-14
