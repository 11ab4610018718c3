"""Tests of significance: logarithms of p-values, and their adjustment for many tests."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._counts.counts import Counts
from termsift._scores.methods import Method
from termsift._scores.registry import find_test
from termsift._scores.scoring import Scoring
from termsift._util import scipy
from termsift._util.export import Tabular
from termsift._util.shown import ROWS, Column, Section
from termsift._util.validation import check_flag, number_of, object_array


@dataclass(frozen=True, eq=False)
class Significance(Tabular):
    """Test statistics of terms and their p-values under independence of terms and classes.

    Attributes
    ----------
    method : str
        One of "chi2", "g2", "chi2_counts" and "g2_counts".
    degrees : int
        Degrees of freedom of the chi-square distribution.
    statistics : ndarray of shape (n_terms,), or (n_classes, n_terms) per class, float64
    log_pvalues : ndarray of that shape, float64
        Natural logarithms of the p-values, which do not underflow for up to two degrees of freedom.
        With more degrees of freedom, p-values below 1e-308 have the logarithm -inf.
    signs : ndarray of that shape, int8
        The sign is 1 if the class has more of the term than expected, -1 if it has less, else 0.
    classes : list of labels
        The classes of the counts, which are the rows of tests per class.
    terms : ndarray of shape (n_terms,), str objects or int64
        The names of the terms, or their columns if names are unknown.

    Notes
    -----
    A statistic x with k degrees of freedom has the p-value Q(k/2, x/2), where Q is the regularised
    upper incomplete gamma function. Up to 10,000 degrees of freedom, the relative error of the
    logarithms is at most 1e-13, or 1e-11 for p-values within 1e-16 of 1.

    Without ``per_class``, a term's p-value is the p-value of its strongest class, except for
    chi2_counts. The largest of several statistics tends to be large by chance, so test per class
    and adjust the p-values.
    """

    method: str
    degrees: int
    statistics: NDArray[np.float64]
    log_pvalues: NDArray[np.float64]
    signs: NDArray[np.int8]
    classes: list[Hashable]
    terms: NDArray[Any]
    _rows: NDArray[np.int64] | None = field(default=None, repr=False)  # the rows of `chosen_by`

    @property
    def chosen_by(self) -> NDArray[np.object_] | None:
        """The label of the class with the largest statistic of each term, or None.

        If several classes have it, it is the first. The sign belongs to this class. For tests per
        class, the value is None.
        """
        return None if self._rows is None else object_array(self.classes)[self._rows]

    def __repr__(self) -> str:
        things = ("class", "term")[-self.statistics.ndim :]
        sizes = zip(self.statistics.shape, things, strict=True)
        tests = " x ".join(number_of(size, thing) for size, thing in sizes)
        degrees = f"{number_of(self.degrees, 'degree')} of freedom"
        return f"<Significance of {tests} by {self.method}, {degrees}>"

    def _sections(self) -> list[Section]:
        # The strongest tests come first, as in a ranking.
        flat = self.log_pvalues.ravel()
        first = np.argsort(flat, kind="stable")[:ROWS]
        labels, places = self._labels_and_places(first)
        columns = [
            Column("term" if self.terms.dtype == object else "index", self.terms[places].tolist()),
            Column("class", labels.tolist()),
        ]
        columns.append(Column("sign", self.signs.ravel()[first].tolist(), "d"))
        columns.append(Column("statistic", self.statistics.ravel()[first].tolist(), ".6g"))
        columns.append(Column("pvalue", np.exp(flat[first]).tolist(), ".4g"))
        columns.append(Column("pvalue_adj", self.pvalues_adj.ravel()[first].tolist(), ".4g"))
        return [Section(columns, flat.size - len(first))]

    def _labels_and_places(
        self, tests: NDArray[np.int64]
    ) -> tuple[NDArray[np.object_], NDArray[np.int64]]:
        """Return the class and the column of some tests, which are numbered class by class."""
        if self._rows is None:
            rows, places = np.divmod(tests, len(self.terms))
        else:
            rows, places = self._rows[tests], tests
        return object_array(self.classes)[rows], places

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name, with a row for each test in the order of the statistics.

        The columns are class (the class that was tested, or ``chosen_by``), term (null if unnamed),
        index, sign, statistic, log_pvalue, pvalue and pvalue_adj.
        """
        labels, places = self._labels_and_places(np.arange(self.statistics.size))
        has_names = self.terms.dtype == object
        return {
            "class": labels,
            "term": self.terms[places] if has_names else np.full(len(places), None),
            "index": places,
            "sign": self.signs.ravel(),
            "statistic": self.statistics.ravel(),
            "log_pvalue": self.log_pvalues.ravel(),
            "pvalue": self.pvalues.ravel(),
            "pvalue_adj": self.pvalues_adj.ravel(),
        }

    @property
    def pvalues(self) -> NDArray[np.float64]:
        """The p-values. Values below 5e-324 are 0, but their logarithms still differ."""
        return np.exp(self.log_pvalues)

    @property
    def pvalues_adj(self) -> NDArray[np.float64]:
        """The p-values, adjusted for the number of tests in this object.

        The shape is that of ``statistics``. Values are at most 1, and keep the order of the
        p-values.

        Notes
        -----
        Benjamini and Hochberg's step-up procedure limits the expected share of false discoveries.
        For m p-values p(1) <= ... <= p(m), the procedure replaces p(i) by the smallest m p(j) / j
        with j >= i, but at most by 1. The tests must be independent or positively dependent.

        References
        ----------
        Benjamini and Hochberg, Controlling the False Discovery Rate, J. R. Statist. Soc. B 57(1),
        1995, procedure (1).
        """
        return np.exp(adjusted_logs(self.log_pvalues))


def kept_at(rate: float, kind: str, found: Significance) -> NDArray[np.bool_]:
    """Return which tests are kept at an error rate of the kind "fdr", "fwe" or "fpr".

    As in scikit-learn's SelectFdr, SelectFwe and SelectFpr, the last two rates are not reached.
    """
    if kind == "fdr":
        return found.pvalues_adj <= rate
    n_tests = max(found.log_pvalues.size, 1) if kind == "fwe" else 1
    return found.pvalues < rate / n_tests


def log_chi2_sf(statistics: NDArray[np.float64], degrees: int) -> NDArray[np.float64]:
    """Return the logarithm of the probability that a chi-square variable exceeds each statistic.

    The logarithm is log Q(degrees / 2, statistic / 2), or -inf if Q underflows for degrees > 2.
    """
    z = np.asarray(statistics, dtype=np.float64) / 2
    if degrees == 2:
        return -z + 0.0  # no -0.0
    with np.errstate(divide="ignore"):
        if degrees == 1:
            # erfc(x) = erfcx(x) exp(-x^2), and erfcx underflows only at infinity.
            root = np.sqrt(z)
            near, lower = z < 0.25, scipy.special.erf(root)
            logs = np.log(scipy.special.erfcx(root)) - z
        else:
            # Below the median (between a - 1/3 and a), the lower tail is the smaller one.
            a = degrees / 2
            near, lower = z < a, scipy.special.gammainc(a, z)
            logs = np.log(scipy.special.gammaincc(a, z))
    logs[near] = np.log1p(-lower[near])
    return logs + 0.0


def adjusted_logs(log_pvalues: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logarithms of p-values, adjusted as by `Significance.pvalues_adj`."""
    logs, m = log_pvalues.ravel(), log_pvalues.size
    order = np.argsort(logs)
    steps = logs[order] + np.log(m / np.arange(1, m + 1))
    adjusted = np.empty_like(logs)
    adjusted[order] = np.minimum.accumulate(steps[::-1])[::-1]
    return adjusted.reshape(log_pvalues.shape)


def significance(
    counts: Counts,
    method: str,
    *,
    per_class: bool = False,
    n_threads: int | None = None,
) -> Significance:
    """Test whether terms and classes are independent; see `ClassCounts.significance`."""
    scoring = Scoring.of(counts, find_test(method).name, n_threads=n_threads)
    chosen, degrees = None, 1
    if check_flag(per_class, "per_class"):
        rows = np.arange(counts.n_classes)[:, None]
        statistics = class_statistics(counts, scoring.method, scoring.class_scores(), rows)
        signs = scoring.directions()
    else:
        statistics, chosen, signs = _core.strongest_class(
            scoring.core, scoring.measure, scoring.n_threads
        )
        if scoring.method.default_aggregate == "sum":
            statistics = scoring.scores(_core.Aggregate.sum)
            degrees = int(np.count_nonzero(counts.present)) - 1
    logs = log_chi2_sf(statistics, degrees)
    found = scoring.method.name, degrees, statistics, logs, signs
    names = counts.term_names
    terms = np.arange(counts.n_terms) if names is None else names
    return Significance(*found, list(counts.classes), terms, chosen)


def class_statistics(
    counts: Counts, method: Method, scores: NDArray[np.float64], rows: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Convert scores of some rows in place to statistics with one degree of freedom."""
    if method.default_aggregate == "sum":
        rest = (1 - np.asarray(counts.class_docs, dtype=np.float64) / counts.n_docs)[rows]
        np.divide(scores, rest, out=scores, where=rest > 0)
    return scores
