"""Significance: the probability of a larger statistic if terms and classes were independent."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from termsift.reference.directions import class_directions
from termsift.reference.scoring import class_scores, score, to_float
from termsift.reference.tables import Cells, present_classes

TESTS = ("chi2", "g2", "chi2_counts", "g2_counts")


@dataclass(frozen=True)
class Significance:
    """The statistics of terms and their p-values.

    Attributes
    ----------
    statistics : ndarray of shape (M,), or (N, M) per class
    degrees : int
        Degrees of freedom of the chi-square distribution.
    log_pvalues : ndarray of that shape
        Logarithms of the p-values, which do not underflow.
    signs : ndarray of that shape, int8
        1 where the class has more of the term than its share, -1 where it has less, 0 otherwise.
    classes : ndarray of shape (M,), int64, or None
        The first class with the largest value; ``signs`` refers to it. None for tests per class.
    """

    statistics: npt.NDArray[np.float64]
    degrees: int
    log_pvalues: npt.NDArray[np.float64]
    signs: npt.NDArray[np.int8]
    classes: npt.NDArray[np.int64] | None

    @property
    def pvalues(self) -> npt.NDArray[np.float64]:
        """The p-values."""
        return np.exp(self.log_pvalues)

    def adjusted(self, how: str = "bh", log: bool = False) -> npt.NDArray[np.float64]:
        """Return the p-values, or their logarithms, as the function `adjusted` adjusts them."""
        flat = adjusted(self.log_pvalues.ravel(), how).reshape(self.log_pvalues.shape)
        return flat if log else np.exp(flat)


def significance(counts: Any, method: str = "chi2", per_class: bool = False) -> Significance:
    """Test whether terms and classes are independent.

    Parameters
    ----------
    counts : ReferenceCounts or similar
        As for `class_scores`.
    method : {"chi2", "g2", "chi2_counts", "g2_counts"}
        The statistic.
    per_class : bool, default False
        Whether to test every term in every class against the other classes, or every term once.

    Returns
    -------
    Significance
        Per class every statistic has 1 degree of freedom, and classes without documents have the
        p-value 1.

    Notes
    -----
    The statistic of a term is the largest value of a class, with 1 degree of freedom. For
    ``chi2_counts`` it is the sum of the values of the N classes with documents, with N - 1 degrees.
    Per class, ``chi2_counts`` adds to (l_ic - E)^2 / E the same term for all other classes
    together: this multiplies the value by 1 / (1 - n_c/n).

    Examples
    --------
    >>> from termsift.reference import count
    >>> counts = count([[1, 1], [1, 0], [0, 1], [0, 1]], ["a", "a", "b", "b"])
    >>> found = significance(counts)
    >>> found.statistics.round(4)
    array([4.    , 1.3333])
    >>> found.pvalues.round(4)
    array([0.0455, 0.2482])
    >>> found.adjusted("bonferroni").round(4)
    array([0.091 , 0.4964])
    >>> found.classes, found.signs
    (array([0, 0]), array([ 1, -1], dtype=int8))
    """
    if method not in TESTS:
        raise ValueError(f"{method!r} is no test of significance; there are {', '.join(TESTS)}")
    by_class = class_scores(counts, method)
    signs = class_directions(counts, method)
    present = present_classes(counts)

    if per_class:
        if method == "chi2_counts":
            table = Cells(counts)
            for c in present:
                share_outside = to_float(table.outside(c) / table.n)
                if share_outside > 0:  # otherwise every value is 0
                    by_class[c] /= share_outside
        return Significance(by_class, 1, _log_pvalues(by_class, 1), signs, None)

    # max() returns the first of equal classes.
    terms = np.arange(by_class.shape[1])
    best = np.array([max(present, key=lambda c: by_class[c, i]) for i in terms], dtype=np.int64)
    statistics = score(counts, method)  # with the default aggregate of the method
    degrees = len(present) - 1 if method == "chi2_counts" else 1
    log_pvalues = _log_pvalues(statistics, degrees)
    return Significance(statistics, degrees, log_pvalues, signs[best, terms], best)


def _log_pvalues(statistics: npt.NDArray[np.float64], degrees: int) -> npt.NDArray[np.float64]:
    values = [log_pvalue(x, degrees) for x in statistics.ravel().tolist()]
    return np.array(values, dtype=np.float64).reshape(statistics.shape)


def log_pvalue(statistic: float, degrees: int) -> float:
    r"""Return the logarithm of the probability that a chi-square variable is larger.

    Parameters
    ----------
    statistic : float
        From 0 to inf; a negative value, made by rounding, counts as 0.
    degrees : int
        Degrees of freedom, at least 1.

    Returns
    -------
    float
        From -inf to 0.

    Notes
    -----
    The probability is Q(a, z) = Gamma(a, z) / Gamma(a) with a = degrees / 2 and z = statistic / 2.
    The recurrence Q(a + 1, z) = Q(a, z) + z^a exp(-z) / Gamma(a + 1) ends at Q(1, z) = exp(-z) or
    Q(1/2, z) = erfc(sqrt z), and all its terms are positive. Where Q is near 1, the complement is
    summed instead: exp(-z) times the sum over k of z^(a+k) / Gamma(a + k + 1).

    Examples
    --------
    >>> round(math.exp(log_pvalue(3.841459, 1)), 6)
    0.05
    >>> round(log_pvalue(1e4, 3), 3)
    -4995.621
    """
    if degrees < 1:
        raise ValueError(f"degrees must be at least 1, not {degrees}")
    z, a = statistic / 2, degrees / 2
    if z <= 0:
        return 0.0
    if z == math.inf:
        return -math.inf
    if z < a:
        terms = [a * math.log(z) - z - math.lgamma(a + 1)]
        while terms[-1] > terms[0] - 50:  # all later terms together are below e^-50 of the first
            terms.append(terms[-1] + math.log(z / (a + len(terms))))
        return math.log1p(-math.exp(_log_of_sum(terms)))
    first = 1.0 if degrees % 2 == 0 else 0.5
    terms = [-z if first == 1 else _log_erfc_of_root(z)]
    for j in range(round(a - first)):
        terms.append((first + j) * math.log(z) - z - math.lgamma(first + j + 1))
    return _log_of_sum(terms)


def _log_erfc_of_root(z: float) -> float:
    """Return log erfc(sqrt z)."""
    root = math.sqrt(z)
    if root < 20:
        return math.log(math.erfc(root))
    # Here erfc would underflow. It is exp(-z) / sqrt(pi) over the continued fraction
    # root + (1/2) / (root + 1 / (root + (3/2) / (root + ...))).
    fraction = root
    for j in range(30, 0, -1):
        fraction = root + j / 2 / fraction
    return -z - math.log(math.pi) / 2 - math.log(fraction)


def _log_of_sum(logs: list[float]) -> float:
    largest = max(logs)
    return largest + math.log(math.fsum(math.exp(x - largest) for x in logs))


def adjusted(log_pvalues: Iterable[float], how: str = "bh") -> npt.NDArray[np.float64]:
    """Adjust p-values for the number of tests, in logarithms.

    Parameters
    ----------
    log_pvalues : sequence of m numbers
        Logarithms of p-values.
    how : {"bh", "bonferroni"}
        "bonferroni" returns m p. "bh" (Benjamini and Hochberg 1995) sorts the p-values in ascending
        order and turns the j-th into the smallest m p_i / i with i >= j. Neither exceeds 1.

    Returns
    -------
    ndarray of shape (m,)
        Logarithms, in the order of the input.

    Examples
    --------
    >>> np.exp(adjusted(np.log([0.01, 0.04, 0.03, 0.5]))).round(4)
    array([0.04  , 0.0533, 0.0533, 0.5   ])
    """
    logs = [float(x) for x in log_pvalues]
    m = len(logs)
    if how == "bonferroni":
        return np.array([min(0.0, x + math.log(m)) for x in logs])
    if how != "bh":
        raise ValueError(f"unknown how {how!r}; there are bh, bonferroni")
    order = sorted(range(m), key=logs.__getitem__)
    result = np.zeros(m)
    for j in range(m):
        steps = [logs[order[place]] + math.log(m / (place + 1)) for place in range(j, m)]
        result[order[j]] = min(0.0, *steps)
    return result
