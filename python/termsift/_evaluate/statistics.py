"""Tests and intervals of runs that share documents, and of several collections.

The runs of a cross-validation share most of their training documents, so their differences are more
alike than those of independent collections. All tests over runs therefore use the variance of
Nadeau and Bengio, Inference for the Generalization Error, Machine Learning 52, 2003.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from termsift._util import scipy

Floats = NDArray[np.float64]
_ROUNDING = 1e-12  # differences of means below this are those of the order of summation


class Estimate(NamedTuple):
    """A mean over runs, its corrected standard error, and the p-value of the mean 0.

    Each is an array with one number for each column of the runs.
    """

    mean: Floats
    error: Floats
    pvalue: Floats

    def interval(self, n_runs: int, level: float) -> tuple[Floats, Floats]:
        """Return the bounds of the interval that holds the mean with this confidence."""
        half = self.error * scipy.special.stdtrit(n_runs - 1, (1 + level) / 2)
        return self.mean - half, self.mean + half


def corrected_t(runs: Floats, test_to_train: float) -> Estimate:
    """Return the corrected resampled t-test of runs of shape (n_runs, ...), which has n_runs >= 2.

    With J runs of the variance s^2, and n_2 / n_1 test documents for each training document, the
    squared standard error of the mean is (1/J + n_2/n_1) s^2, and t has J - 1 degrees of freedom.
    If all runs are equal, s cannot be estimated, and the p-value is 1.
    """
    n_runs = len(runs)
    mean = runs.mean(axis=0)
    error = np.sqrt((1 / n_runs + test_to_train) * runs.var(axis=0, ddof=1))
    error = np.where(error < _ROUNDING, 0.0, error)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where((np.abs(mean) < _ROUNDING) | (error == 0), 0.0, mean / error)
    return Estimate(mean, error, 2 * scipy.special.stdtr(n_runs - 1, -np.abs(t)))


def holm(pvalues: Floats) -> Floats:
    """Return Holm's adjusted p-values, which control the error rate of the whole family."""
    order = np.argsort(pvalues, kind="stable")
    steps = pvalues[order] * np.arange(len(pvalues), 0, -1)
    adjusted = np.empty_like(pvalues)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def sign_test(wins: int, losses: int) -> float:
    """Return the two-sided p-value of wins against losses, each as likely as the other.

    Ties are left out, as in Dixon and Mood, The Statistical Sign Test, JASA 41, 1946.
    """
    n = wins + losses
    return float(min(1.0, 2 * scipy.special.bdtr(min(wins, losses), n, 0.5))) if n else 1.0


def ranks(values: Floats) -> Floats:
    """Return the rank of each value in its row, 1 for the largest. Ties share their mean rank."""
    above = (values[:, np.newaxis, :] > values[:, :, np.newaxis] + _ROUNDING).sum(axis=2)
    equal = np.abs(values[:, np.newaxis, :] - values[:, :, np.newaxis]) <= _ROUNDING
    return np.asarray(above + (equal.sum(axis=2) + 1) / 2, dtype=np.float64)


class Friedman(NamedTuple):
    """Friedman's test that all methods are equal: chi-square, and Iman and Davenport's F."""

    chi2: float
    F: float
    # That of F, or of the agreement of all collections if F is infinite. The F distribution is an
    # approximation, which for few collections and many methods gives too small p-values.
    pvalue: float


def friedman(values: Floats) -> Friedman:
    """Return Friedman's test of values of shape (n_collections, n_methods).

    With the mean ranks R_j of k methods over N collections, chi2 is 12 N / (k (k+1)) [sum R_j^2 -
    k (k+1)^2 / 4], and F = (N - 1) chi2 / (N (k - 1) - chi2) has k - 1 and (k - 1) (N - 1) degrees
    of freedom (Iman and Davenport 1980; Demsar, Statistical Comparisons of Classifiers over
    Multiple Data Sets, JMLR 7, 2006). Ties lower the denominator as in scipy's
    ``friedmanchisquare``.
    """
    n, k = values.shape
    of_rows = ranks(values)
    sizes = np.concatenate([_ties(row) for row in of_rows])
    scale = 1 - float(np.sum(sizes.astype(np.float64) ** 3 - sizes)) / (n * k * (k**2 - 1))
    if scale <= 0:
        return Friedman(0.0, 0.0, 1.0)  # all methods are equal on each collection
    means = of_rows.mean(axis=0)
    chi2 = 12 * n / (k * (k + 1)) * (np.sum(means**2) - k * (k + 1) ** 2 / 4) / scale
    rest = n * (k - 1) - chi2
    F = (n - 1) * chi2 / rest if rest > _ROUNDING else math.inf
    if math.isfinite(F):
        pvalue = float(scipy.special.fdtrc(k - 1, (k - 1) * (n - 1), F))
    else:  # All collections rank alike, which k! orders (fewer with ties) make this probable.
        log_orders = math.lgamma(k + 1) - sum(math.lgamma(size + 1) for size in _ties(of_rows[0]))
        pvalue = math.exp(-(n - 1) * log_orders)
    return Friedman(float(chi2), float(F), pvalue)


def _ties(of_row: Floats) -> NDArray[np.int64]:
    """Return the numbers of equal ranks in a row."""
    return np.unique(of_row, return_counts=True)[1]


def nemenyi_difference(n_collections: int, n_methods: int, level: float) -> float:
    """Return the least difference of two mean ranks that is significant, by Nemenyi's test.

    It is q sqrt(k (k+1) / (6 N)), where q sqrt(2) is the quantile of the studentized range of k
    values with infinitely many degrees of freedom (Demsar 2006, equation (8) and Table 5).
    """
    from scipy import stats  # takes longer to import than all of termsift

    k = n_methods
    q = float(stats.studentized_range.ppf(level, k, math.inf)) / math.sqrt(2)
    return q * math.sqrt(k * (k + 1) / (6 * n_collections))
