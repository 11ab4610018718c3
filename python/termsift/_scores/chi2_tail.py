"""The upper tail of the chi-square distribution, as logarithms."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from termsift._util import scipy


def log_chi2_sf(statistics: NDArray[np.float64], degrees: int) -> NDArray[np.float64]:
    """Return the logarithm of the probability that a chi-square variable exceeds each statistic.

    It is log Q(a, z) with a = degrees / 2 and z = statistic / 2. One and two degrees of freedom
    have the closed forms erfc(sqrt(z)) and exp(-z), whose logarithms do not underflow. With more
    degrees, the result is -inf for probabilities that a double cannot hold. Where Q is near 1,
    log1p(-P) is more accurate, where P = 1 - Q.
    """
    z = np.asarray(statistics, dtype=np.float64) / 2
    if degrees == 2:
        return -z + 0.0  # no -0.0
    with np.errstate(divide="ignore"):
        if degrees == 1:
            # erfc(x) = erfcx(x) exp(-x^2), and erfcx underflows at infinity only.
            root = np.sqrt(z)
            near, lower = z < 0.25, scipy.special.erf(root)
            logs = np.log(scipy.special.erfcx(root)) - z
        else:
            # The median lies between a - 1/3 and a. P < Q below the median, and P > Q above it.
            a = degrees / 2
            near, lower = z < a, scipy.special.gammainc(a, z)
            logs = np.log(scipy.special.gammaincc(a, z))
    logs[near] = np.log1p(-lower[near])
    return logs + 0.0
