"""Tests of significance: p-values that never underflow, and their adjustment for many tests."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from termsift._util.export import Library, frame_of
from termsift._util.validation import check_flag, is_one_of

# Below it gammaincc has underflowed or soon will, and the continued fraction, which is slow only
# near the mean of the distribution, needs few steps.
_SMALLEST_P = 1e-290


@dataclass(frozen=True, eq=False)
class Significance:
    """The terms' statistics, and how surprising they would be if terms and classes had no relation.

    Attributes
    ----------
    method : str
        The test: "chi2", "g2" or "chi2_counts".
    degrees : int
        Degrees of freedom of the chi-square distribution that the p-values are of.
    statistics : ndarray of shape (n_terms,), or (n_classes, n_terms) per class, float64
    log_pvalues : ndarray of that shape, float64
        Natural logarithms of the p-values. They do not underflow: a p-value of 1e-2000 has the
        logarithm -4605.17.
    signs : ndarray of that shape, int8
        1 where the class has more of the term than expected, -1 less, 0 neither.
    classes : ndarray of shape (n_terms,), int64, or None
        Row of the class of the largest value (of equals the first), whose sign is given. None per
        class.
    labels : list of labels, or None
        Those of the rows, if known.
    terms : ndarray of shape (n_terms,), str objects, or None
        Names of the terms, if known.

    Notes
    -----
    A statistic x with k degrees of freedom has the p-value Q(k/2, x/2), the regularised upper
    incomplete gamma function. Up to 10,000 degrees of freedom the logarithms are accurate to a
    relative 1e-13, those of p-values within 1e-16 of 1 to 1e-11.

    The largest of several classes' statistics is larger than any one of them by chance: a term's
    p-value is that of its strongest class alone. To account for the choice, test per class and
    adjust.

    Examples
    --------
    >>> import numpy as np
    >>> from termsift._scores.significance import significance_of
    >>> found = significance_of("chi2", np.array([3.841, 10000.0]), 1, np.array([1, -1]), None)
    >>> found.pvalues.round(3)
    array([0.05, 0.  ])
    >>> found.log_pvalues.round().tolist()
    [-3.0, -5005.0]
    >>> found.adjusted("bonferroni").round(3)
    array([0.1, 0. ])
    """

    method: str
    degrees: int
    statistics: NDArray[np.float64]
    log_pvalues: NDArray[np.float64]
    signs: NDArray[np.int8]
    classes: NDArray[np.int64] | None
    labels: list[Hashable] | None = None
    terms: NDArray[np.object_] | None = None

    def __repr__(self) -> str:
        tests = " classes x ".join(f"{size:,}" for size in self.statistics.shape)
        degrees = f"{self.degrees} degree{'s' if self.degrees > 1 else ''} of freedom"
        return f"<Significance of {tests} terms by {self.method}, {degrees}>"

    @property
    def pvalues(self) -> NDArray[np.float64]:
        """The p-values; 0 below 5e-324, where the logarithms still tell them apart."""
        return np.exp(self.log_pvalues)

    def adjusted(
        self, how: Literal["bh", "bonferroni"] = "bh", *, log: bool = False
    ) -> NDArray[np.float64]:
        """Give the p-values adjusted for the number of tests, all those of this object.

        Parameters
        ----------
        how : {"bh", "bonferroni"}
            "bh" is Benjamini and Hochberg's step-up: among the tests whose adjusted value is at
            most 0.05 at most 5 in 100 are expected to be false discoveries. "bonferroni": the
            chance of even one false discovery among them is at most 0.05.
        log : bool, default False
            Give natural logarithms, which do not underflow.

        Returns
        -------
        adjusted : ndarray of the shape of ``statistics``, float64
            At most 1 (logarithms: 0), and in the order of the p-values.

        Raises
        ------
        ValueError
            If ``how`` is something else.

        Notes
        -----
        With m tests and p(1) <= ... <= p(m), "bh" gives p(i) the smallest of m p(j) / j for j >= i,
        and "bonferroni" gives p the value m p; both clipped at 1. O(m log m). Bonferroni's holds
        whatever the dependence between the tests, Benjamini and Hochberg's where they are
        independent or positively dependent.

        References
        ----------
        Benjamini and Hochberg, Controlling the False Discovery Rate, J. R. Statist. Soc. B 57(1),
        1995, procedure (1).
        """
        if not is_one_of(how, ("bh", "bonferroni")):
            raise ValueError(f"how must be 'bh' or 'bonferroni', got {how!r}")
        m = self.log_pvalues.size
        if how == "bonferroni":
            logs: NDArray[np.float64] = self.log_pvalues + np.log(max(m, 1))
        else:
            flat = self.log_pvalues.ravel()
            order = np.argsort(flat)
            steps = flat[order] + np.log(m / np.arange(1, m + 1))
            logs = np.empty_like(flat)
            logs[order] = np.minimum.accumulate(steps[::-1])[::-1]
            logs = logs.reshape(self.log_pvalues.shape)
        np.minimum(logs, 0.0, out=logs)
        if not check_flag(log, "log"):
            np.exp(logs, out=logs)
        return logs

    def to_frame(self, library: Library = "pandas") -> Any:
        """Give the tests as a table.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"}
            Whose table.

        Returns
        -------
        frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
            One row a test, in the order of terms (per class: of classes, then terms). Columns
            class (the label, or the row of the counts if labels are not known), term (if names are
            known), index, sign, statistic, pvalue, log_pvalue.

        Raises
        ------
        ValueError
            For another library, or labels of several kinds, which pandas alone holds.
        ImportError
            If the library is not installed.
        """
        positions = np.indices(self.statistics.shape)
        classes: NDArray[Any] = (positions[0] if self.classes is None else self.classes).ravel()
        index = positions[-1].ravel()
        if self.labels is not None:
            classes = np.fromiter(self.labels, object, len(self.labels))[classes]
        named = {} if self.terms is None else {"term": self.terms[index]}
        columns = {
            "class": classes,
            **named,
            "index": index,
            "sign": self.signs.ravel(),
            "statistic": self.statistics.ravel(),
            "pvalue": self.pvalues.ravel(),
            "log_pvalue": self.log_pvalues.ravel(),
        }
        return frame_of(columns, library, "Significance.to_frame")


def significance_of(
    method: str,
    statistics: NDArray[np.float64],
    degrees: int,
    signs: NDArray[np.integer],
    classes: NDArray[np.integer] | None,
    labels: list[Hashable] | None = None,
    terms: NDArray[np.object_] | None = None,
) -> Significance:
    """Give the significance of statistics that follow a chi-square distribution by chance."""
    return Significance(
        method,
        int(degrees),
        statistics,
        log_chi2_sf(statistics, degrees),
        signs.astype(np.int8, copy=False),
        None if classes is None else classes.astype(np.int64, copy=False),
        labels,
        terms,
    )


def log_chi2_sf(statistics: NDArray[np.float64], degrees: int) -> NDArray[np.float64]:
    """Give the logarithm of the chance that a chi-square variable exceeds each statistic.

    Parameters
    ----------
    statistics : ndarray, float64
        From 0 to inf.
    degrees : int
        Degrees of freedom, at least 1.

    Returns
    -------
    logs : ndarray of the same shape, float64
        From -inf (for inf) to 0 (for 0).

    Notes
    -----
    log Q(a, z), a = degrees / 2, z = statistic / 2. Where Q is near 1 its complement P has the
    digits, and the logarithm is log1p(-P). Where Q would underflow, the logarithm is the sum of
    that of the prefactor z^a exp(-z) / Gamma(a) and that of the continued fraction. One and two
    degrees of freedom have closed forms: erfc(sqrt(z)) and exp(-z).

    References
    ----------
    NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov, 7.11.2 (one degree),
    8.2.4, 8.9.2 (whose even part is the continued fraction), 5.11.1 (Stirling's series).
    """
    if degrees < 1:
        raise ValueError(f"degrees must be at least 1, got {degrees}")
    z = np.asarray(statistics, dtype=np.float64) / 2
    if degrees == 1:
        logs = _log_erfc(z)
    elif degrees == 2:
        logs = -z
    else:
        logs = _log_upper_gamma(degrees / 2, z)
    return logs + 0.0  # no -0.0


def _log_erfc(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give log erfc(sqrt(z)) = log Q(1/2, z)."""
    root = np.sqrt(z)
    # erfc(x) = erfcx(x) exp(-x^2), and erfcx does not underflow (but at infinity).
    with np.errstate(divide="ignore"):
        tail = np.log(special.erfcx(root)) - z
    near = z < 0.25
    tail[near] = np.log1p(-special.erf(root[near]))
    return tail


def _log_upper_gamma(a: float, z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give log Q(a, z), the regularised upper incomplete gamma function."""
    logs = np.full(z.shape, -np.inf)
    # The median lies between a - 1/3 and a: below it P has the digits, above it Q.
    near = z < a
    logs[near] = np.log1p(-special.gammainc(a, z[near]))
    upper = special.gammaincc(a, z)
    middle = ~near & (upper >= _SMALLEST_P)
    logs[middle] = np.log(upper[middle])
    far = ~near & ~middle & np.isfinite(z)
    logs[far] = _log_tail(a, z[far])
    return logs


def _log_tail(a: float, z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give log Q(a, z) for z so far above a that Q underflows."""
    if a < 1000:
        log_prefactor = a * np.log(z) - z - special.gammaln(a)
    else:
        # The three terms above would be a thousand times their sum. Here Stirling's series stands
        # for log Gamma(a), whose large terms meet those of z in z - a and log(z/a).
        beyond = z - a
        stirling = (1 / 12 - 1 / (360 * a**2)) / a
        log_prefactor = a * np.log1p(beyond / a) - beyond + np.log(a / (2 * np.pi)) / 2 - stirling
    return log_prefactor - np.log(_continued_fraction(a, z))


def _continued_fraction(a: float, z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give z + 1 - a - 1 (1-a) / (z + 3 - a - 2 (2-a) / (z + 5 - a - ...)), for z well above a.

    By Lentz's method as Thompson and Barnett modified it: the numerators' and denominators' ratios
    of successive convergents, c and d, are multiplied up.
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
