"""`Curve`: the metrics of a classifier trained on the first k terms of a ranking, for every k."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from termsift._evaluate.statistics import corrected_t
from termsift._util.export import Tabular
from termsift._util.faults import wrong_value
from termsift._util.shown import ROWS, Column, Section
from termsift._util.validation import check_choice, check_number

Metric = Literal[
    "accuracy", "precision", "recall", "f1", "macro_precision", "macro_recall", "macro_f1"
]
METRICS: tuple[Metric, ...] = get_args(Metric)
# The metrics' titles in tables and figures. Without "macro", a metric is weighted by class size.
TITLES: dict[Metric, str] = {
    "accuracy": "accuracy",
    "precision": "weighted precision",
    "recall": "weighted recall",
    "f1": "weighted F1",
    "macro_precision": "macro precision",
    "macro_recall": "macro recall",
    "macro_f1": "macro F1",
}
_ROUNDING = 1e-12  # the order of summation changes a mean by less than this


@dataclass(frozen=True, eq=False)
class Curve(Tabular):
    """The metrics of a classifier trained on the first k terms of a ranking, for several k.

    Attributes
    ----------
    name : str
        The method, model and policy that ranked the terms.
    ks : ndarray of shape (n_ks,), int64
        Numbers of terms, increasing. A list becomes an array, and so do the lists in ``runs``.
    runs : dict of str to ndarray of shape (n_runs, n_ks), float64
        The values of each metric. A test set gives one run, and a cross-validation one run per
        fold. "accuracy" is the share of documents classified correctly. "precision", "recall" and
        "f1" are means over the classes, weighted by the classes' shares of the documents.
        "macro_precision", "macro_recall" and "macro_f1" are unweighted means over the classes that
        contain a document or are assigned to one.
    repeats : float
        The number of times that the runs classify each document, which exceeds 1 in a repeated
        cross-validation.
    test_to_train : float or None
        The number of test documents for each training document of a run, with which intervals and
        tests allow for shared documents. None stands for that of folds, 1 / (n_runs / repeats - 1).

    Notes
    -----
    If P documents are assigned to a class, and H of its T documents are among them, the precision
    of the class is H/P, its recall H/T and its F1 2H/(P + T), where 0/0 counts as 0. The metrics
    equal those of scikit-learn's ``precision_recall_fscore_support`` with ``zero_division=0``. The
    weighted recall equals the accuracy.
    """

    name: str
    ks: NDArray[np.int64]
    runs: Mapping[Metric, NDArray[np.float64]]
    repeats: float = 1.0
    test_to_train: float | None = None

    def __post_init__(self) -> None:
        ks = np.array(self.ks, dtype=np.int64)  # the arguments may be lists
        runs = {metric: np.array(of_run, dtype=np.float64) for metric, of_run in self.runs.items()}
        for metric, values in runs.items():
            if values.ndim != 2 or values.shape[1:] != ks.shape:
                raise wrong_value(
                    "{runs}[{metric!r}] has shape {shape}, expected one row per run and one column "
                    "for each of the {n} {ks}",
                    metric=metric,
                    shape=values.shape,
                    n=len(ks),
                )
        object.__setattr__(self, "ks", ks)
        object.__setattr__(self, "runs", runs)

    @property
    def accuracy(self) -> NDArray[np.float64]:
        """The mean accuracy over the runs at each k."""
        return self.mean("accuracy")

    def __repr__(self) -> str:
        if not len(self):
            return f"<Curve of {self.name}, empty>"
        shown = f"k = {self.ks[0]:,} to {self.ks[-1]:,}"
        shown += f", {self.n_runs} runs" if self.n_runs > 1 else ""
        low, high = self.accuracy.min(), self.accuracy.max()
        return f"<Curve of {self.name}, {shown}: accuracy {low:.4f} to {high:.4f}>"

    def _sections(self) -> list[Section]:
        # The rows are dense for small k, where a metric changes most.
        ranks = np.geomspace(1, max(len(self), 1), ROWS).round().astype(np.int64)
        rows = np.unique(ranks - 1)[: len(self)]
        columns = [Column("k", self.ks[rows].tolist(), ",")]
        for metric in ("accuracy", "f1"):
            columns.append(Column(TITLES[metric], self.mean(metric)[rows].tolist(), ".4f"))
        if self.n_runs > 1:
            errors = self.standard_error("accuracy")[rows].tolist()
            columns.insert(2, Column("standard error", errors, ".4f"))
        return [Section(columns, len(self) - len(rows))]

    def __len__(self) -> int:
        return len(self.ks)

    @property
    def n_runs(self) -> int:
        """Number of runs."""
        return len(self.runs["accuracy"])

    def mean(self, metric: Metric) -> NDArray[np.float64]:
        """Return the metric's mean over the runs at each k."""
        means: NDArray[np.float64] = self.runs[check_metric(metric)].mean(axis=0)
        return means

    def std(self, metric: Metric) -> NDArray[np.float64]:
        """Return the metric's standard deviation over the runs at each k (divisor n_runs - 1).

        If there is only one run, a ValueError is raised.
        """
        runs = self.runs[check_metric(metric)]
        if len(runs) < 2:
            raise ValueError(f"{self.name} has one run and no deviation: use cross_validate")
        spread: NDArray[np.float64] = runs.std(axis=0, ddof=1)
        return spread

    def standard_error(self, metric: Metric) -> NDArray[np.float64]:
        """Return the standard error of the metric's mean at each k: std / sqrt(n_runs / repeats).

        Repeated folds do not make the error smaller, because they test the same documents again.
        Folds share training documents, so the error is too small to compare methods (Nadeau and
        Bengio, Inference for the Generalization Error, 2003; see Evaluation in the documentation).
        """
        return self.std(metric) / math.sqrt(self.n_runs / self.repeats)

    def interval(
        self, metric: Metric = "accuracy", level: float = 0.95
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the bounds of the metric's mean at each k that hold with this confidence.

        Unlike `standard_error`, the interval allows for training documents that folds share, with
        the variance of Nadeau and Bengio 2003. If there is only one run, a ValueError is raised.

        Examples
        --------
        >>> import termsift as ts
        >>> curve = ts.Curve("md", [10], {"accuracy": [[0.8], [0.9], [0.7], [0.8]]})
        >>> [bound.round(3).tolist() for bound in curve.interval()]
        [[0.602], [0.998]]
        """
        level = check_number(level, "level", "above 0 and below 1")
        estimate = corrected_t(self._several(metric), self._ratio)
        return estimate.interval(self.n_runs, level)

    @property
    def _ratio(self) -> float:
        """`test_to_train`, or that of folds if it is unknown."""
        if self.test_to_train is not None:
            return self.test_to_train
        return 1 / max(self.n_runs / self.repeats - 1, 1)

    def best_k_interval(self, metric: Metric = "accuracy", level: float = 0.95) -> tuple[int, int]:
        """Return the smallest and the largest k that may be the best.

        They are the first and the last k whose mean is not significantly below that of `best_k`, by
        the corrected t-test of Nadeau and Bengio 2003 of the differences within runs, at 1 - level.

        Examples
        --------
        >>> import termsift as ts
        >>> runs = {"accuracy": [[0.5, 0.8, 0.9], [0.5, 0.9, 0.8], [0.6, 0.8, 0.9]]}
        >>> curve = ts.Curve("md", [10, 20, 50], runs)
        >>> curve.best_k(), curve.best_k_interval()
        (50, (20, 50))
        """
        level = check_number(level, "level", "above 0 and below 1")
        runs = self._several(metric)
        behind = corrected_t(runs - runs[:, [self._best(metric)]], self._ratio)
        (possible,) = np.nonzero((behind.pvalue > 1 - level) | (behind.mean >= 0))
        return int(self.ks[possible[0]]), int(self.ks[possible[-1]])

    def _several(self, metric: Metric) -> NDArray[np.float64]:
        """Return the runs of a metric, of which there must be several."""
        self.std(metric)  # raises an error if there is one run
        return self.runs[metric]

    def best_k(self, metric: Metric = "accuracy") -> int:
        """Return the smallest k at which the metric's mean is largest."""
        return int(self.ks[self._best(metric)])

    def smallest_k(self, metric: Metric = "accuracy") -> int:
        """Return the smallest k whose mean is within one standard error of the best mean.

        The standard error is the value of `standard_error` at the best k.

        References
        ----------
        Breiman, Friedman, Olshen and Stone, Classification and Regression Trees, 1984, Section
        3.4.3, the one-standard-error rule.
        """
        best = self._best(metric)
        error = self.standard_error(metric)[best]
        means = self.mean(metric)
        return int(self.ks[np.argmax(means >= means[best] - error - _ROUNDING)])

    def _best(self, metric: Metric) -> int:
        if not len(self):
            raise ValueError(f"the curve of {self.name} has no k")
        means = self.mean(metric)
        return int(np.argmax(means >= means.max() - _ROUNDING))

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name: k, and the mean of each metric.

        If there are several runs, ``accuracy_std`` and so on hold the standard deviations.
        """
        table: dict[str, NDArray[Any]] = {"k": self.ks}
        for metric in METRICS:
            table[metric] = self.mean(metric)
            if self.n_runs > 1:
                table[f"{metric}_std"] = self.std(metric)
        return table


def check_metric(metric: str, name: str = "metric") -> Metric:
    return check_choice(metric, METRICS, name)  # type: ignore[return-value]


def curve_of(
    name: str,
    ks: NDArray[np.int64],
    runs: Sequence[Mapping[Metric, NDArray[np.float64]]],
    repeats: float = 1.0,
    test_to_train: float | None = None,
) -> Curve:
    """Return the curve of several runs. Each run is a dict of metrics."""
    table = {metric: np.array([run[metric] for run in runs]) for metric in METRICS}
    return Curve(name, ks, table, repeats, test_to_train)
