"""The log-likelihood ratio of a term in two corpora, with the corrections for small counts."""

from __future__ import annotations

from math import copysign
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from termsift._util import scipy

Correction: TypeAlias = Literal["none", "yates", "williams"]
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)  # the default first

_Floats: TypeAlias = NDArray[np.float64]


def corrected_g2(
    g2: _Floats, a: NDArray[Any], b: NDArray[Any], tokens: _Floats, correction: Correction
) -> _Floats:
    """Return g2 of terms, corrected; they occur a and b times in two corpora."""
    n_1, n_2 = tokens.tolist()
    if correction == "yates":
        return _g2_of_yates(a, b, n_1, n_2)
    if correction == "williams":
        n, t = n_1 + n_2, a.astype(np.float64) + b
        others = np.where(n > t, n - t, np.inf)  # a term that is all there is has g2 = 0
        g2 /= 1 + (n / t + n / others - 1) * (n / n_1 + n / n_2 - 1) / (6 * n)
    return g2


def _g2_of_yates(a: NDArray[Any], b: NDArray[Any], n_1: float, n_2: float) -> _Floats:
    """Return g2 after each count has moved 0.5 towards its expectation, but not beyond it.

    Then all four counts differ from their expectations E by the same x, whose signs alternate, so
    that g2 = 2 sum O log(O / E) is 2 sum E h(x / E) with h(r) = (1 + r) log(1 + r) - r >= 0. This
    sum does not cancel, however large the counts are.
    """
    n_1, n_2 = (int(tokens) if tokens.is_integer() else tokens for tokens in (n_1, n_2))
    n, t = n_1 + n_2, a.astype(np.float64) + b
    # Python's integers are exact, and their quotient is rounded once: a - E = (a n_2 - b n_1) / n.
    pairs = zip(a.tolist(), b.tolist(), strict=True)
    differences = [2 * (of_a * n_2 - of_b * n_1) for of_a, of_b in pairs]
    x = np.array([copysign(max(abs(d) - n, 0) / (2 * n), d) for d in differences])
    expected = np.array([t * n_1, t * n_2, (n - t) * n_1, (n - t) * n_2]) / n
    ratio = np.zeros_like(expected)
    np.divide([x, -x, -x, x], expected, out=ratio, where=expected > 0)
    g2: _Floats = 2 * np.sum(expected * _h(np.maximum(ratio, -1)), axis=0)
    return g2


def _h(r: _Floats) -> _Floats:
    """Return (1 + r) log(1 + r) - r for r >= -1: by its series where the difference cancels."""
    series = sum((-r) ** k / (k * (k - 1)) for k in range(2, 13))
    return np.where(np.abs(r) < 0.06, series, scipy.special.xlog1py(1 + r, r) - r)
