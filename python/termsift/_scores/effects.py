"""Effect sizes, which compare the frequencies of a term in a target and a reference corpus."""

from __future__ import annotations

import numpy as np

from termsift import _core
from termsift._util import scipy

_MILLION = 1e6
_ABSENT = 0.5  # the value that replaces a count of 0 in log_ratio


def effects(
    a: _core.Float64s, b: _core.Float64s, tokens: _core.Float64s, constant: float, level: float
) -> dict[str, _core.Float64s]:
    """Return the effect sizes of `termsift.Keyness` and the ends of their confidence intervals.

    A term occurs ``a`` and ``b`` times in two corpora, whose numbers of tokens are ``tokens``. The
    columns of exact intervals, ``lrc`` and ``log_ratio_most``, are NaN; see `certain_ratios`.
    """
    first, second = tokens
    z = scipy.special.ndtri(0.5 + level / 2)
    f_1, f_2 = a / first, b / second
    seen_a, seen_b = np.where(a > 0, a, _ABSENT), np.where(b > 0, b, _ABSENT)
    log_ratio = np.log2(seen_a / first) - np.log2(seen_b / second)
    half = z * np.sqrt(np.maximum(1 / seen_a - 1 / first + 1 / seen_b - 1 / second, 0))
    with np.errstate(divide="ignore", invalid="ignore"):  # counts of 0
        risk = f_1 / f_2
        odds = (a * (second - b)) / (b * (first - a))
        woolf = z * np.sqrt(1 / a + 1 / b + 1 / (first - a) + 1 / (second - b))
        katz = np.where((a > 0) & (b > 0), half, np.inf)
        ends = {}
        for name, value, of_log in (("relative_risk", risk, katz), ("odds_ratio", odds, woolf)):
            finite = np.isfinite(of_log)
            ends[f"{name}_low"] = np.where(finite, value * np.exp(-of_log), 0.0)
            ends[f"{name}_high"] = np.where(finite, value * np.exp(of_log), np.inf)
    unknown = np.full(len(a), np.nan)
    return {
        "log_ratio": log_ratio,
        "log_ratio_low": log_ratio - half / np.log(2),
        "log_ratio_high": log_ratio + half / np.log(2),
        "lrc": unknown,
        "log_ratio_most": unknown,
        "percent_diff": 100 * (risk - 1),
        "relative_risk": risk,
        "odds_ratio": odds,
        **ends,
        "simple_maths": (_MILLION * f_1 + constant) / (_MILLION * f_2 + constant),
    }


def certain_ratios(
    a: _core.Float64s, b: _core.Float64s, tokens: _core.Float64s, level: float, n_terms: int
) -> list[_core.Float64s]:
    """Return the ends of exact intervals of log2(f_1 / f_2), for ``n_terms`` terms at once."""
    alpha = (1 - level) / 2 / max(n_terms, 1)
    # Quantiles are slow and few pairs of counts are distinct, so compute each pair only once.
    # Sorting complex numbers takes five times as long as sorting real ones.
    fits = all(((x < 2**26) & (x % 1 == 0)).all() for x in (a, b))
    codes, place = np.unique(a * 2.0**26 + b if fits else a + 1j * b, return_inverse=True)
    first, second = np.divmod(codes, 2.0**26) if fits else (codes.real, codes.imag)

    def lower(own: _core.Float64s, other: _core.Float64s) -> _core.Float64s:
        share = scipy.special.betaincinv(own, other + 1, alpha)
        rest = scipy.special.betainccinv(other + 1, own, alpha)  # 1 - share would lose digits.
        with np.errstate(divide="ignore"):  # The share is 0 if there are no occurrences.
            return np.where(own > 0, np.log2(share) - np.log2(rest), -np.inf)

    with np.errstate(divide="ignore"):  # `key` passes tokens[1] = 0 if a class has all documents
        scale = np.log2(tokens[1]) - np.log2(tokens[0])
    logits = lower(first, second), -lower(second, first)
    with np.errstate(invalid="ignore"):  # for sums of infinities of opposite signs
        return [scale + of_pairs[place] for of_pairs in logits]


def nearest_to_0(low: _core.Float64s, high: _core.Float64s) -> _core.Float64s:
    """Return the point of each interval that is nearest to 0."""
    return np.where(low > 0, low, np.minimum(high, 0))
