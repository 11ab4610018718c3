"""Significance: p-values under the hypothesis that terms and classes are independent."""

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
        The degrees of freedom of the chi-square distribution.
    log_pvalues : ndarray of the same shape
        The logarithms of the p-values. Unlike p-values, their logarithms do not underflow.
    signs : ndarray of the same shape, int8
        The sign is 1 if the class has more of the term than expected, -1 if it has less, and 0
        otherwise.
    chosen_by : list of M labels, or None
        For each term, the first class with the largest value, to which ``signs`` refers. The
        attribute is None for tests per class.
    """

    statistics: npt.NDArray[np.float64]
    degrees: int
    log_pvalues: npt.NDArray[np.float64]
    signs: npt.NDArray[np.int8]
    chosen_by: list[Any] | None

    @property
    def pvalues(self) -> npt.NDArray[np.float64]:
        """The p-values."""
        return np.exp(self.log_pvalues)

    def adjusted(self, how: str = "bh", log: bool = False) -> npt.NDArray[np.float64]:
        """Return the p-values adjusted by the function `adjusted`, or their logarithms."""
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
        If True, test every term for every class against all other classes. If False, test every
        term once.

    Returns
    -------
    Significance
        The results of the tests. In tests per class, every statistic has 1 degree of freedom, and
        the p-value is 1 for classes without documents.

    Notes
    -----
    The statistic of a term is the largest of its values over the classes, and has 1 degree of
    freedom. But for ``chi2_counts`` the statistic is the sum of the values over the N classes with
    documents, and has N - 1 degrees of freedom. In tests per class, ``chi2_counts`` is (l_ic - E)^2
    / E with E = l_i n_c / n, plus the same expression for all other classes together. The sum
    equals (l_ic - E)^2 / E times 1 / (1 - n_c/n).

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
    >>> found.chosen_by, found.signs
    (['a', 'a'], array([ 1, -1], dtype=int8))
    """
    if method not in TESTS:
        raise ValueError(f"{method!r} is not a test of significance; use one of {', '.join(TESTS)}")
    by_class = class_scores(counts, method)
    signs = class_directions(counts, method)
    present = present_classes(counts)

    if per_class:
        if method == "chi2_counts":
            table = Cells(counts)
            for c in present:
                share_outside = to_float(table.outside(c) / table.n)
                if share_outside > 0:  # If class c has all documents, every value is 0.
                    by_class[c] /= share_outside
        return Significance(by_class, 1, _log_pvalues(by_class, 1), signs, None)

    # max() returns the first of several classes with equal values.
    terms = np.arange(by_class.shape[1])
    best = np.array([max(present, key=lambda c: by_class[c, i]) for i in terms], dtype=np.int64)
    statistics = score(counts, method)  # the aggregate is the default of the method
    degrees = len(present) - 1 if method == "chi2_counts" else 1
    log_pvalues = _log_pvalues(statistics, degrees)
    chosen_by = [counts.classes[c] for c in best]
    return Significance(statistics, degrees, log_pvalues, signs[best, terms], chosen_by)


def _log_pvalues(statistics: npt.NDArray[np.float64], degrees: int) -> npt.NDArray[np.float64]:
    values = [log_pvalue(x, degrees) for x in statistics.ravel().tolist()]
    return np.array(values, dtype=np.float64).reshape(statistics.shape)


def log_pvalue(statistic: float, degrees: int) -> float:
    r"""Return the logarithm of the probability that a chi-square variable exceeds the statistic.

    Parameters
    ----------
    statistic : float
        A number from 0 to inf. A negative value, which rounding may cause, counts as 0.
    degrees : int
        The degrees of freedom, at least 1.

    Returns
    -------
    float
        The logarithm, from -inf to 0.

    Notes
    -----
    The probability is Q(a, z) = Gamma(a, z) / Gamma(a) with a = degrees / 2 and z = statistic / 2.
    The recurrence Q(a + 1, z) = Q(a, z) + z^a exp(-z) / Gamma(a + 1) begins with Q(1, z) = exp(-z)
    or Q(1/2, z) = erfc(sqrt z), and has only positive terms. If z < a, the complement 1 - Q is
    computed, which is exp(-z) times the sum over k of z^(a+k) / Gamma(a + k + 1).

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
        while terms[-1] > terms[0] - 50:  # stop at terms below e^-50 times the first
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
    # For larger roots, erfc would underflow. erfc(root) is exp(-z) / sqrt(pi), divided by the
    # continued fraction root + (1/2) / (root + 1 / (root + (3/2) / (root + ...))).
    fraction = root
    for j in range(30, 0, -1):
        fraction = root + j / 2 / fraction
    return -z - math.log(math.pi) / 2 - math.log(fraction)


def _log_of_sum(logs: list[float]) -> float:
    largest = max(logs)
    return largest + math.log(math.fsum(math.exp(x - largest) for x in logs))


def adjusted(log_pvalues: Iterable[float], how: str = "bh") -> npt.NDArray[np.float64]:
    """Adjust p-values for the number of tests, and return their logarithms.

    Parameters
    ----------
    log_pvalues : sequence of m numbers
        Logarithms of p-values.
    how : {"bh", "bonferroni"}
        "bonferroni" multiplies every p-value by m. "bh" (Benjamini and Hochberg 1995) sorts the
        p-values in ascending order, and replaces the j-th p-value p_j by the smallest m p_i / i
        with i >= j. Adjusted p-values are at most 1.

    Returns
    -------
    ndarray of shape (m,)
        The logarithms of the adjusted p-values, in the order of the input.

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
        raise ValueError(f"unknown how {how!r}; use one of bh, bonferroni")
    order = sorted(range(m), key=logs.__getitem__)
    result = np.zeros(m)
    for j in range(m):
        steps = [logs[order[place]] + math.log(m / (place + 1)) for place in range(j, m)]
        result[order[j]] = min(0.0, *steps)
    return result
