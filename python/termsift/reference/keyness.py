"""Keyness, dispersion and the rank-sum test of one term, computed from the equations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from statistics import NormalDist


def keyness_of(
    a: int,
    b: int,
    n_1: int,
    n_2: int,
    *,
    constant: float = 1.0,
) -> dict[str, float]:
    """Return the measures of `termsift.Keyness` for one term.

    Parameters
    ----------
    a, b : int
        The occurrences of the term in the target and in the reference, not both 0.
    n_1, n_2 : int
        The occurrences of all terms in the target and in the reference.
    constant : float
        As for `termsift.ClassCounts.keyness`.

    Returns
    -------
    measures : dict of str to float
        The values of g2 and bic, and the effect sizes with the ends of their intervals.

    Examples
    --------
    >>> found = keyness_of(10, 1, 15, 24)
    >>> round(found["g2"], 3), round(found["log_ratio"], 3)
    (18.991, 4.0)
    """
    n, t = Fraction(n_1 + n_2), a + b
    observed = [Fraction(o) for o in (a, b, n_1 - a, n_2 - b)]
    expected = [t * n_1 / n, t * n_2 / n, (n - t) * n_1 / n, (n - t) * n_2 / n]
    with localcontext() as context:
        context.prec = 120  # Many digits of the summands cancel.
        pairs = zip(observed, expected, strict=True)
        g2 = float(2 * sum(_decimal(o) * _decimal(o / e).ln() for o, e in pairs if o > 0))
    f_1, f_2 = a / n_1, b / n_2
    z = NormalDist().inv_cdf(0.975)
    log_ratio = math.log2((a or 0.5) / n_1) - math.log2((b or 0.5) / n_2)
    of_log = z * math.sqrt(1 / (a or 0.5) - 1 / n_1 + 1 / (b or 0.5) - 1 / n_2) / math.log(2)
    risk = f_1 / f_2 if b else math.inf
    above, below = a * (n_2 - b), b * (n_1 - a)
    odds = above / below if below else (math.inf if above else math.nan)
    risk_ends = odds_ends = (0.0, math.inf)
    if a and b:
        half = z * math.sqrt(1 / a - 1 / n_1 + 1 / b - 1 / n_2)
        risk_ends = risk * math.exp(-half), risk * math.exp(half)
    if a and b and a < n_1 and b < n_2:
        half = z * math.sqrt(1 / a + 1 / b + 1 / (n_1 - a) + 1 / (n_2 - b))
        odds_ends = odds * math.exp(-half), odds * math.exp(half)
    return {
        "g2": g2,
        "bic": g2 - math.log(n),
        "log_ratio": log_ratio,
        "log_ratio_low": log_ratio - of_log,
        "log_ratio_high": log_ratio + of_log,
        "percent_diff": 100 * (risk - 1),
        "relative_risk": risk,
        "relative_risk_low": risk_ends[0],
        "relative_risk_high": risk_ends[1],
        "odds_ratio": odds,
        "odds_ratio_low": odds_ends[0],
        "odds_ratio_high": odds_ends[1],
        "simple_maths": (1e6 * f_1 + constant) / (1e6 * f_2 + constant),
    }


def exact_log_ratio(
    a: int, b: int, n_1: int, n_2: int, *, level: float = 0.95, n_terms: int = 1
) -> tuple[float, float]:
    """Return the exact confidence interval of log2((a/n_1) / (b/n_2)), which ``lrc`` uses.

    Parameters
    ----------
    a, b, n_1, n_2 : int
        As for `keyness_of`.
    level : float
        The confidence level at which the intervals of all terms hold jointly.
    n_terms : int
        The number of compared terms, for Bonferroni's correction.

    Returns
    -------
    low, high : float

    Examples
    --------
    >>> [round(end, 3) for end in exact_log_ratio(7, 2, 1000, 1000)]
    [-0.586, 5.11]
    """
    alpha, n = (1 - level) / 2 / n_terms, a + b

    def chance(logit: float, counts: range) -> float:
        """Return the chance that the number of occurrences in the target is in ``counts``."""
        share, rest = 1 / (1 + 2**-logit), 1 / (1 + 2**logit)
        return math.fsum(math.comb(n, k) * share**k * rest ** (n - k) for k in counts)

    def logit(counts: range) -> float:
        """Return log2 of the odds for which the chance is alpha, found by bisection."""
        ends, grows = [-1000.0, 1000.0], counts.stop > n
        while (middle := sum(ends) / 2) not in ends:
            ends[(chance(middle, counts) > alpha) == grows] = middle
        return middle

    scale = math.log2(n_2 / n_1)
    low = logit(range(a, n + 1)) if a else -math.inf
    high = logit(range(a + 1)) if b else math.inf
    return scale + low, scale + high


def key_of(a: int, b: int, n_1: int, n_2: int, *, n_terms: int = 1) -> float:
    """Return a term's score for a class by "key", the default measure for describing classes.

    Parameters
    ----------
    a, b : int
        The numbers of documents with the term, inside and outside the class.
    n_1, n_2 : int
        The numbers of all documents inside and outside the class.
    n_terms : int
        The number of terms in the collection.

    Returns
    -------
    score : float

    Examples
    --------
    >>> round(key_of(7, 2, 10, 10), 3)
    1.696
    """
    if a == 0 or n_2 == 0:
        return 0.0
    least, _ = exact_log_ratio(a, b, n_1, n_2, n_terms=n_terms)
    return math.sqrt(keyness_of(a, b, n_1, n_2)["g2"]) * math.log2(1 + 2**least)


def _decimal(x: Fraction) -> Decimal:
    return Decimal(x.numerator) / Decimal(x.denominator)


def dispersion_of(occurrences: Sequence[int], lengths: Sequence[int]) -> tuple[float, float]:
    """Return Gries' DP and Juilland's D of a term that occurs at least once.

    Parameters
    ----------
    occurrences, lengths : sequence of int
        For each document, the occurrences of the term, and the occurrences of all terms. In a
        document without tokens, the rate of the term is 0.

    Returns
    -------
    dp, d : float
        Gries' DP and Juilland's D. Juilland's D of a single document is NaN.

    Examples
    --------
    >>> [round(x, 3) for x in dispersion_of([1, 2, 3, 4, 5], [9, 10, 10, 10, 11])]
    [0.18, 0.785]
    """
    pairs = zip(map(Fraction, occurrences), map(Fraction, lengths), strict=True)  # exact sums
    parts = list(pairs)
    l_i, total = sum(x for x, _ in parts), sum(length for _, length in parts)
    dp = sum(abs(x / l_i - length / total) for x, length in parts) / 2
    rates = [x / length if length else Fraction(0) for x, length in parts]
    m = len(rates)
    if m == 1:
        return float(dp), math.nan
    mean = sum(rates) / m
    variance = sum((rate - mean) ** 2 for rate in rates) / m
    return float(dp), 1 - math.sqrt(variance / mean**2 / (m - 1))


def rank_sum_of(target: Sequence[Fraction], reference: Sequence[Fraction]) -> float:
    """Return the z-score of the rank-sum test, with corrections for ties and for continuity.

    Parameters
    ----------
    target, reference : sequence of Fraction
        The rate of the term in each document.

    Returns
    -------
    z : float
        The z-score is positive if the rates of the target are higher, and 0 if all rates are equal.

    Examples
    --------
    >>> round(rank_sum_of([3, 4, 5], [0, 1, 0]), 3)
    1.771
    """
    rates = sorted([*target, *reference])
    n_1, n_2, n = len(target), len(reference), len(rates)
    # Equal rates get the mean of their ranks.
    rank = {rate: rates.index(rate) + Fraction(rates.count(rate) + 1, 2) for rate in set(rates)}
    difference = sum((rank[rate] for rate in target), start=-Fraction(n_1 * (n + 1), 2))
    ties = sum(rates.count(rate) ** 3 - rates.count(rate) for rate in set(rates))
    if ties == n**3 - n:
        return 0.0
    variance = Fraction(n_1 * n_2, 12) * (n + 1 - Fraction(ties, n * (n - 1)))
    above = float(max(abs(difference) - Fraction(1, 2), Fraction(0)))
    return math.copysign(above / math.sqrt(variance), difference)
