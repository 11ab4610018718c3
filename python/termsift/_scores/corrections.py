"""The log-likelihood ratio of a term in two corpora, with the corrections for small counts."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from termsift._counts.table import CountTable
from termsift._scores.registry import find_method
from termsift._scores.scoring import Scoring
from termsift._util import scipy

Correction: TypeAlias = Literal["none", "yates", "williams"]
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)  # the default first

_Floats: TypeAlias = NDArray[np.float64]


def corrected_g2(
    pair: CountTable,
    index: NDArray[np.int64],
    a: NDArray[Any],
    b: NDArray[Any],
    tokens: _Floats,
    correction: Correction,
    n_threads: int | None,
) -> _Floats:
    """Return g2 of some terms, which occur a and b times in the two classes of ``pair``."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    n_1, n_2 = tokens.tolist()
    if correction == "yates":
        return _g2_of_yates(a, b, n_1, n_2)
    scoring = Scoring.of(pair, find_method("g2_counts"), n_threads=n_threads)
    g2: _Floats = scoring.class_scores()[0, index]
    if correction == "williams":
        n, t = n_1 + n_2, a + b
        others = np.where(n > t, n - t, np.inf)  # a term that is all there is has g2 = 0
        g2 /= 1 + (n / t + n / others - 1) * (n / n_1 + n / n_2 - 1) / (6 * n)
    return g2


def _g2_of_yates(a: _Floats, b: _Floats, n_1: float, n_2: float) -> _Floats:
    """Return g2 after each count has moved 0.5 towards its expectation, but not beyond it.

    Then all four counts differ from their expectations E by the same x, whose signs alternate, so
    that g2 = 2 sum O log(O / E) is 2 sum E h(x / E) with h(r) = (1 + r) log(1 + r) - r >= 0. This
    sum does not cancel, however large the counts are.
    """
    n, t = n_1 + n_2, a + b
    # a - E = (a n_2 - b n_1) / n. Of products that are close, the high parts have an exact
    # difference, and the low parts matter.
    (high, low), (b_high, b_low) = _product(a, n_2), _product(b, n_1)
    difference = high - b_high
    sign = np.sign(difference)
    x = sign * np.maximum(sign * difference - n / 2 + sign * (low - b_low), 0) / n
    g2 = np.zeros(len(a))
    for expected, moved in (
        (t * n_1 / n, x),
        (t * n_2 / n, -x),
        ((n - t) * n_1 / n, -x),
        ((n - t) * n_2 / n, x),
    ):
        ratio = np.divide(moved, expected, out=np.zeros(len(a)), where=expected > 0)
        g2 += 2 * expected * _h(np.maximum(ratio, -1))
    return g2


def _product(x: _Floats, y: float) -> tuple[_Floats, _Floats]:
    """Return the rounded product and its rounding error (Dekker 1971)."""
    (x_high, x_low), (y_high, y_low) = _halves(x), _halves(np.asarray(y))
    product = x * y
    error = x_high * y_high - product + x_high * y_low + x_low * y_high + x_low * y_low
    return product, error


def _halves(x: _Floats) -> tuple[_Floats, _Floats]:
    """Return two numbers of at most 26 bits whose sum is x."""
    scaled = (2.0**27 + 1) * x
    high = scaled - (scaled - x)
    return high, x - high


def _h(r: _Floats) -> _Floats:
    """Return (1 + r) log(1 + r) - r for r >= -1: by its series where the difference cancels."""
    series = sum((-r) ** k / (k * (k - 1)) for k in range(2, 13))
    return np.where(np.abs(r) < 0.06, series, scipy.special.xlog1py(1 + r, r) - r)
