"""The upper tail of the chi-square distribution, as logarithms that do not underflow."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from termsift._util import scipy

# Below this p-value gammaincc underflows or soon will. There the continued fraction needs few
# steps: it is slow only near the mean of the distribution.
_SMALLEST_P = 1e-290


def log_chi2_sf(statistics: NDArray[np.float64], degrees: int) -> NDArray[np.float64]:
    """Return the logarithm of the probability that a chi-square variable exceeds each statistic.

    The statistics are from 0 to inf, and the results from 0 down to -inf.

    Notes
    -----
    The result is log Q(a, z) with a = degrees / 2 and z = statistic / 2. Where Q is near 1, its
    complement P is more accurate, and the logarithm is log1p(-P). Where Q would underflow, the
    result is the logarithm of z^a exp(-z) / Gamma(a) minus the logarithm of a continued fraction.
    One and two degrees of freedom have closed forms: erfc(sqrt(z)) and exp(-z).

    References
    ----------
    NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov, 7.11.2 (one degree),
    8.2.4, 8.9.2 (whose even part is the continued fraction), 5.11.1 (Stirling's series).
    """
    z = np.asarray(statistics, dtype=np.float64) / 2
    if degrees == 1:
        logs = _log_erfc(z)
    elif degrees == 2:
        logs = -z
    else:
        logs = _log_upper_gamma(degrees / 2, z)
    return logs + 0.0  # no -0.0


def _log_erfc(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log erfc(sqrt(z)) = log Q(1/2, z)."""
    root = np.sqrt(z)
    # erfc(x) = erfcx(x) exp(-x^2), and erfcx underflows at infinity only.
    with np.errstate(divide="ignore"):
        tail = np.log(scipy.special.erfcx(root)) - z
    near = z < 0.25
    tail[near] = np.log1p(-scipy.special.erf(root[near]))
    return tail


def _log_upper_gamma(a: float, z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log Q(a, z), the regularised upper incomplete gamma function."""
    logs = np.full(z.shape, -np.inf)
    # The median lies between a - 1/3 and a. P < Q below the median, and P > Q above it.
    near = z < a
    logs[near] = np.log1p(-scipy.special.gammainc(a, z[near]))
    upper = scipy.special.gammaincc(a, z)
    middle = ~near & (upper >= _SMALLEST_P)
    logs[middle] = np.log(upper[middle])
    far = ~near & ~middle & np.isfinite(z)
    logs[far] = _log_tail(a, z[far])
    return logs


def _log_tail(a: float, z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log Q(a, z) for z so far above a that Q underflows."""
    if a < 1000:
        log_prefactor = a * np.log(z) - z - scipy.special.gammaln(a)
    else:
        # The three terms above would be a thousand times larger than their sum. If Stirling's
        # series replaces log Gamma(a), the large parts cancel within z - a and log(z/a).
        beyond = z - a
        stirling = (1 / 12 - 1 / (360 * a**2)) / a
        log_prefactor = a * np.log1p(beyond / a) - beyond + np.log(a / (2 * np.pi)) / 2 - stirling
    return log_prefactor - np.log(_continued_fraction(a, z))


def _continued_fraction(a: float, z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return z + 1 - a - 1 (1-a) / (z + 3 - a - 2 (2-a) / (z + 5 - a - ...)), for z well above a.

    This is Lentz's method as modified by Thompson and Barnett: c and 1/d are the ratios of the
    numerators and of the denominators of successive convergents.
    """
    b = z + 1 - a
    value = c = b
    d = np.zeros_like(z)
    for n in range(1, 1000):
        b = b + 2
        numerator = n * (a - n)
        c = b + numerator / c
        d = 1 / (b + numerator * d)
        value = value * (c * d)
        if np.all(np.abs(c * d - 1) < 2**-52):
            break
    return value
