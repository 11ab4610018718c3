"""How surprising a statistic would be, had terms and classes nothing to do with each other."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from termsift.reference.counting import SupportsScoring
from termsift.reference.directions import direction_of_cells
from termsift.reference.scoring import class_scores, score, to_float
from termsift.reference.tables import cells, present_classes

TESTS = ("chi2", "g2", "chi2_counts")


@dataclass(frozen=True)
class Significance:
    """The terms' statistics, and how likely larger ones would be by chance.

    Attributes
    ----------
    statistics : ndarray of shape (M,), or (N, M) per class
    degrees : int
        Degrees of freedom of the chi-square distribution that the p-values are of.
    log_pvalues : ndarray of that shape
        Logarithms of the p-values, which do not underflow.
    signs : ndarray of that shape, int8
        1 where the class has more of the term than its share, -1 less, 0 neither.
    classes : ndarray of shape (M,), int64, or None
        The class of the largest value (of equals the first), whose sign is given. None per class.
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
        """Return the p-values adjusted for their number, or the logarithms: see `adjusted`."""
        flat = adjusted(self.log_pvalues.ravel(), how).reshape(self.log_pvalues.shape)
        return flat if log else np.exp(flat)


def significance(
    counts: SupportsScoring, method: str = "chi2", per_class: bool = False
) -> Significance:
    """Test whether terms and classes have to do with each other.

    Parameters
    ----------
    counts : ReferenceCounts or the like
        As for `class_scores`.
    method : {"chi2", "g2", "chi2_counts"}
        The statistic.
    per_class : bool, default False
        Test every term in every class against outside it; otherwise every term once.

    Returns
    -------
    Significance
        Per class all statistics have 1 degree of freedom. Classes without documents have the
        p-value 1.

    Notes
    -----
    Of a term, ``chi2`` and ``g2`` give the largest value of a class, 1 degree of freedom, and
    ``chi2_counts`` the sum of the classes' values, one degree less than classes with documents. Per
    class, ``chi2_counts`` adds to (l_ic - E)^2 / E the same of the other classes together, which
    makes it 1 / (1 - n_c/n) times as large.

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
    table = cells(counts, alpha=0)
    by_class = class_scores(counts, method)
    present = present_classes(counts)
    signs = np.zeros(by_class.shape, dtype=np.int8)
    for c in present:
        for i in range(table.n_terms):
            signs[c, i] = direction_of_cells(table, method, i, c)

    if per_class:
        statistics = by_class
        if method == "chi2_counts":
            for c in present:
                share_outside = to_float(table.outside(c) / table.n)
                if share_outside > 0:  # else every value is 0
                    statistics[c] /= share_outside
        return Significance(statistics, 1, _log_pvalues(statistics, 1), signs, None)

    # The first of the largest: max keeps the first it meets.
    best = [max(present, key=lambda c: by_class[c, i]) for i in range(table.n_terms)]
    statistics = score(counts, method)  # by each method's own aggregate
    degrees = len(present) - 1 if method == "chi2_counts" else 1
    return Significance(
        statistics,
        degrees,
        _log_pvalues(statistics, degrees),
        np.array([signs[c, i] for i, c in enumerate(best)], dtype=np.int8),
        np.array(best, dtype=np.int64),
    )


def _log_pvalues(statistics: npt.NDArray[np.float64], degrees: int) -> npt.NDArray[np.float64]:
    values = [log_pvalue(x, degrees) for x in statistics.ravel().tolist()]
    return np.array(values, dtype=np.float64).reshape(statistics.shape)


def log_pvalue(statistic: float, degrees: int) -> float:
    r"""Return the logarithm of the chance that a chi-square variable is larger.

    Parameters
    ----------
    statistic : float
        From 0 to inf; what rounding has made less than 0 counts as 0.
    degrees : int
        Degrees of freedom, at least 1.

    Returns
    -------
    float
        From -inf to 0.

    Notes
    -----
    The chance is Q(a, z) = Gamma(a, z) / Gamma(a) with a = degrees / 2 and z = statistic / 2, whose
    recurrence Q(a + 1, z) = Q(a, z) + z^a exp(-z) / Gamma(a + 1) ends at Q(1, z) = exp(-z) or
    Q(1/2, z) = erfc(sqrt z): all terms are positive. Where Q is near 1, its complement is
    summed instead, exp(-z) times the sum over k of z^(a+k) / Gamma(a + k + 1).

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
        while terms[-1] > terms[0] - 50:  # e^-50 is nothing beside it, and so is all that follows
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
    # Where erfc nears the smallest numbers: exp(-z) / sqrt(pi) over its continued fraction,
    # root + (1/2) / (root + 1 / (root + (3/2) / (root + ...))).
    fraction = root
    for j in range(30, 0, -1):
        fraction = root + j / 2 / fraction
    return -z - math.log(math.pi) / 2 - math.log(fraction)


def _log_of_sum(logs: list[float]) -> float:
    largest = max(logs)
    return largest + math.log(math.fsum(math.exp(x - largest) for x in logs))


def adjusted(log_pvalues: Iterable[float], how: str = "bh") -> npt.NDArray[np.float64]:
    """Adjust p-values for the number of them, in logarithms.

    Parameters
    ----------
    log_pvalues : sequence of m numbers
        Logarithms of p-values.
    how : {"bh", "bonferroni"}
        "bonferroni": m p. "bh", Benjamini and Hochberg 1995: the p-value in place j of their
        ascending order has the smallest of m p / place over the places from j on. Both at most 1.

    Returns
    -------
    ndarray of shape (m,)
        Logarithms, in the order given.

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
