"""How well a classifier does with the first k terms of a ranking, for every k."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from termsift._util.export import Library, frame_of
from termsift._util.validation import did_you_mean, is_one_of

if TYPE_CHECKING:
    import os

    from matplotlib.figure import Figure

Metric = Literal[
    "accuracy", "precision", "recall", "f1", "macro_precision", "macro_recall", "macro_f1"
]
METRICS: tuple[Metric, ...] = get_args(Metric)
_ROUNDING = 1e-12  # means of the same runs in another order differ by less
# What a table or an axis calls them: those without "macro" are weighted by the classes' shares.
TITLES: dict[Metric, str] = {
    "accuracy": "accuracy",
    "precision": "weighted precision",
    "recall": "weighted recall",
    "f1": "weighted F1",
    "macro_precision": "macro precision",
    "macro_recall": "macro recall",
    "macro_f1": "macro F1",
}


@dataclass(frozen=True, eq=False)
class Curve:
    """How well a classifier does with the first k terms of a ranking, for several k.

    Attributes
    ----------
    name : str
        What ranked the terms.
    ks : ndarray of shape (n_ks,), int64
        Numbers of terms, increasing.
    runs : dict of str to ndarray of shape (n_runs, n_ks), float64
        Each metric in each run: one for a test set, one for each fold of a cross-validation. The
        metrics are "accuracy", the share of the documents that are taken for what they are;
        "precision", "recall" and "f1", which are those of each class against the rest, weighted by
        the class's share of the documents; "macro_precision", "macro_recall" and "macro_f1", their
        plain mean over the classes that some document belongs to or is taken for.
    repeats : float
        How often a document is classified in the runs: more than once in a cross-validation that
        deals the documents to its folds several times.

    Notes
    -----
    Of a class with the documents H that are hit, P taken for it and T of it, precision is H/P,
    recall H/T and F1 2H/(P + T), each 0 where it is 0/0: scikit-learn's
    ``precision_recall_fscore_support`` with ``zero_division=0``. Weighted recall is the accuracy.
    """

    name: str
    ks: NDArray[np.int64]
    runs: Mapping[Metric, NDArray[np.float64]]
    repeats: float = 1.0

    def __repr__(self) -> str:
        if not len(self):
            return f"<Curve of {self.name}, empty>"
        span = f"k = {self.ks[0]:,} to {self.ks[-1]:,}"
        if self.n_runs == 1:  # the best k of one test set is a mistake to choose by
            return f"<Curve of {self.name}, {span}: accuracy {self._range()}>"
        return (
            f"<Curve of {self.name}, {span}, {self.n_runs} runs: accuracy {self._range()}, "
            f"most at k = {self.best_k():,}>"
        )

    def _repr_html_(self) -> str:
        from termsift.report._notebook import show_curve  # a later stage

        return show_curve(self)

    def _range(self) -> str:
        return f"{self.accuracy.min():.4f} to {self.accuracy.max():.4f}"

    def __len__(self) -> int:
        return len(self.ks)

    @property
    def n_runs(self) -> int:
        """How many runs the means are of."""
        return len(self.runs["accuracy"])

    @property
    def accuracy(self) -> NDArray[np.float64]:
        """Mean accuracy at each k, of shape (n_ks,)."""
        return self.mean("accuracy")

    @property
    def precision(self) -> NDArray[np.float64]:
        """Mean precision at each k, weighted by the classes' shares."""
        return self.mean("precision")

    @property
    def recall(self) -> NDArray[np.float64]:
        """Mean recall at each k, weighted by the classes' shares: the accuracy."""
        return self.mean("recall")

    @property
    def f1(self) -> NDArray[np.float64]:
        """Mean F1 at each k, weighted by the classes' shares."""
        return self.mean("f1")

    @property
    def macro_precision(self) -> NDArray[np.float64]:
        """Mean precision at each k, every class alike."""
        return self.mean("macro_precision")

    @property
    def macro_recall(self) -> NDArray[np.float64]:
        """Mean recall at each k, every class alike."""
        return self.mean("macro_recall")

    @property
    def macro_f1(self) -> NDArray[np.float64]:
        """Mean F1 at each k, every class alike."""
        return self.mean("macro_f1")

    def mean(self, metric: Metric) -> NDArray[np.float64]:
        """Give the metric's mean over the runs at each k."""
        means: NDArray[np.float64] = self._runs_of(metric).mean(axis=0)
        return means

    def std(self, metric: Metric) -> NDArray[np.float64]:
        """Give the metric's standard deviation over the runs at each k, with n_runs - 1 below.

        Raises
        ------
        ValueError
            If there is one run only.
        """
        runs = self._runs_of(metric)
        if len(runs) < 2:
            raise ValueError(f"one run of {self.name} has no spread: use cross_validate")
        spread: NDArray[np.float64] = runs.std(axis=0, ddof=1)
        return spread

    def standard_error(self, metric: Metric) -> NDArray[np.float64]:
        """Give the standard error of the metric's mean at each k: std / sqrt(n_runs / repeats).

        To deal the same documents again to other folds makes the mean steadier, but tells nothing
        of other documents.

        Raises
        ------
        ValueError
            If there is one run only.
        """
        return self.std(metric) / math.sqrt(self.n_runs / self.repeats)

    def best_k(self, metric: Metric = "accuracy") -> int:
        """Give the k at which the metric's mean is largest, the smallest of equals."""
        return int(self.ks[self._best(metric)])

    def smallest_k(self, metric: Metric = "accuracy") -> int:
        """Give the smallest k that is as good as the best, as far as the runs can tell.

        Its mean is at most one standard error of the best k's mean (`standard_error`) below it.

        Raises
        ------
        ValueError
            If there is one run only.

        References
        ----------
        Breiman, Friedman, Olshen and Stone, Classification and Regression Trees, 1984, Section
        3.4.3, the one-standard-error rule.
        """
        best = self._best(metric)
        error = self.standard_error(metric)[best]
        means = self.mean(metric)
        return int(self.ks[np.argmax(means >= means[best] - error - _ROUNDING)])

    def to_frame(self, library: Library = "pandas") -> Any:
        """Give the curve as a table.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"}
            Whose table.

        Returns
        -------
        frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
            Columns k and each metric's mean; of several runs also its standard deviation,
            ``accuracy_std`` and so on.

        Raises
        ------
        ValueError
            For another library.
        ImportError
            If the library is not installed.
        """
        return frame_of(self.columns(), library, "Curve.to_frame")

    def plot(
        self,
        metrics: Metric | Sequence[Metric] = ("accuracy", "f1"),
        *,
        path: str | os.PathLike[str] | None = None,
        title: str | None = None,
    ) -> Figure:
        """Draw metrics against the number of terms: see `termsift.plots.plot_curves`.

        Returns
        -------
        figure : matplotlib.figure.Figure
        """
        from termsift.plots import plot_curves  # a later stage

        return plot_curves(self, path, metrics=metrics, title=title)

    def columns(self) -> dict[str, NDArray[np.generic]]:
        """Give the columns of `to_frame` by name."""
        table: dict[str, NDArray[np.generic]] = {"k": self.ks}
        for metric in METRICS:
            table[metric] = self.mean(metric)
            if self.n_runs > 1:
                table[f"{metric}_std"] = self.std(metric)
        return table

    def _runs_of(self, metric: Metric) -> NDArray[np.float64]:
        return self.runs[check_metric(metric)]

    def _best(self, metric: Metric) -> int:
        if not len(self):
            raise ValueError(f"the curve of {self.name} has no k")
        means = self.mean(metric)
        return int(np.argmax(means >= means.max() - _ROUNDING))


def check_metric(metric: Metric) -> Metric:
    """Give the metric; an error if there is none of the name."""
    if not is_one_of(metric, METRICS):
        hint = did_you_mean(metric, METRICS)
        raise ValueError(f"no metric {metric!r}, expected one of {', '.join(METRICS)}{hint}")
    return metric


def curve_of(
    name: str,
    ks: NDArray[np.int64],
    runs: list[Mapping[Metric, NDArray[np.float64]]],
    repeats: float = 1.0,
) -> Curve:
    """Give the curve of several runs."""
    table = {metric: np.array([run[metric] for run in runs]) for metric in METRICS}
    return Curve(name, ks, table, repeats)


def metrics_of(
    hits: NDArray[np.int64], predicted: NDArray[np.int64], support: NDArray[np.int64]
) -> dict[Metric, NDArray[np.float64]]:
    """Give every metric at each k.

    Parameters
    ----------
    hits, predicted : ndarray of shape (n_ks, n_classes), int64
        Of the documents taken for one of the class, those that are, and all.
    support : ndarray of shape (n_classes or more,), int64
        Documents of the class; last those of classes that no document is taken for.

    Returns
    -------
    metrics : dict of str to ndarray of shape (n_ks,), float64
    """
    n_ks, n_classes = hits.shape
    n_docs = support.sum()
    support, n_never_taken = support[:n_classes], np.count_nonzero(support[n_classes:])
    found = {metric: np.empty(n_ks) for metric in METRICS}
    found["accuracy"] = hits.sum(axis=1) / n_docs
    step = max(1, 2**20 // max(n_classes, 1))  # some rows at a time: 8 MiB an array
    for first in range(0, n_ks, step):
        rows = slice(first, first + step)
        H, P = hits[rows].astype(np.float64), predicted[rows].astype(np.float64)
        seen = (P > 0) | (support > 0)
        per_class: dict[Metric, NDArray[np.float64]] = {
            "precision": _ratio(H, P),
            "recall": _ratio(H, np.broadcast_to(support.astype(np.float64), H.shape)),
            "f1": _ratio(2 * H, P + support),
        }
        for metric, values in per_class.items():
            found[metric][rows] = (values * (support / n_docs)).sum(axis=1)
            macro: Metric = f"macro_{metric}"  # type: ignore[assignment]
            found[macro][rows] = values.sum(axis=1) / (seen.sum(axis=1) + n_never_taken)
    return found


def _ratio(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give a / b, 0 where b is 0."""
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)
