"""`Curve`: the metrics of a classifier trained on the first k terms of a ranking, for every k."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from termsift._util.export import Tabular
from termsift._util.faults import wrong_value
from termsift._util.shown import ROWS, Column, Section
from termsift._util.validation import check_choice, number_of, object_array

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
_CURVES, _KS = 20, 6  # The numbers of curves and of ks that a table of several curves shows.
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


class Curves(dict[str, Curve], Tabular):
    """The curves of several rankings by name: a dict with the methods of a table."""

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name: ranking, the name of a curve, and the columns of the curves.

        The curves come one below the other. A standard deviation is NaN if there is one run.
        """
        sizes = np.array([len(curve) for curve in self.values()], dtype=np.int64)
        columns = {"ranking": np.repeat(object_array(list(self)), sizes)}
        tables = [curve.columns() for curve in self.values()]
        for name in max(tables, key=len, default=("k", *METRICS)):
            nothing = np.empty(0, dtype=np.int64 if name == "k" else np.float64)
            unknown = (np.full(size, np.nan) for size in sizes)
            values = (of.get(name, nan) for of, nan in zip(tables, unknown, strict=True))
            columns[name] = np.concatenate([nothing, *values])
        return columns

    def _title(self) -> str:
        return f"Accuracy of {number_of(len(self), 'ranking')}"

    def _sections(self) -> list[Section]:
        some = [*self.items()][:_CURVES]
        ks = some[0][1].ks if some else np.empty(0, dtype=np.int64)
        places = np.unique(np.linspace(0, max(len(ks) - 1, 0), _KS).round().astype(np.int64))
        at = places[: len(ks)].tolist()
        columns = [Column("ranking", [name for name, _ in some])]
        for place in at:
            values = [curve.accuracy[place] for _, curve in some]
            columns.append(Column(f"k = {ks[place]:,}", values, ".4f"))
        return [Section(columns, len(self) - len(some))]


def check_metric(metric: str, name: str = "metric") -> Metric:
    return check_choice(metric, METRICS, name)  # type: ignore[return-value]


def curve_of(
    name: str,
    ks: NDArray[np.int64],
    runs: Sequence[Mapping[Metric, NDArray[np.float64]]],
    repeats: float = 1.0,
) -> Curve:
    """Return the curve of several runs. Each run is a dict of metrics."""
    table = {metric: np.array([run[metric] for run in runs]) for metric in METRICS}
    return Curve(name, ks, table, repeats)
