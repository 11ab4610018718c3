"""Training and test documents, and the metrics of a classifier on the test documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from termsift._counts.adding import add_documents
from termsift._counts.counts import Counts
from termsift._evaluate.curve import METRICS, Metric
from termsift._util import validation
from termsift._util.faults import concerning
from termsift._util.validation import object_array

Metrics: TypeAlias = Mapping[Metric, NDArray[np.float64]]  # The values of each metric at each k.
ONE_CLASS = "the classifier assigns each document to one class"  # The reason in error messages.


@dataclass(frozen=True)
class LabelledRows:
    """Documents with one class each, and the codes of their classes."""

    matrix: validation.Csr
    labels: validation.Labels
    n_threads: int = 0

    @cached_property
    def X(self) -> Any:
        """The matrix of the documents as scipy's csr_array."""
        return self.matrix.to_scipy()

    @property
    def y(self) -> NDArray[Any]:
        """The labels of the documents, as an array of their type if they have one type."""
        classes = self.labels.classes
        is_plain = {type(label) for label in classes} in ({str}, {int}, {float}, {bool})
        return (np.array(classes) if is_plain else object_array(classes))[self.labels.codes]

    def part(self, rows: NDArray[np.integer]) -> LabelledRows:
        """Return some of the documents, with unchanged codes of their classes."""
        labels = validation.Labels(self.labels.classes, self.labels.codes[rows], None)
        matrix = validation.check_matrix(self.X[rows], self.n_threads)
        return LabelledRows(matrix, labels, self.n_threads)

    def counts(self) -> Counts:
        core = add_documents(None, self.matrix, self.labels, None, "raw", self.n_threads)
        return Counts(core, self.labels.classes, None, "raw")


class Split:
    """Training and test documents. Classes that occur only in ``test`` have codes >= n_classes."""

    def __init__(
        self, documents: LabelledRows, rows: NDArray[np.integer] | None, test: LabelledRows
    ) -> None:
        if test.matrix.n_docs == 0:
            raise concerning(ValueError("there are no test documents"), "X_test")
        self.documents, self.rows, self.test = documents, rows, test
        code_of = {label: code for code, label in enumerate(documents.labels.classes)}
        self.n_classes = len(code_of)
        codes = [code_of.setdefault(label, len(code_of)) for label in test.labels.classes]
        self.codes = np.array(codes, dtype=np.int32)[test.labels.codes]

    @property
    def support(self) -> NDArray[np.int64]:
        """The number of test documents of each class, also of classes that occur only in test."""
        return np.bincount(self.codes, minlength=self.n_classes)

    @cached_property
    def train(self) -> LabelledRows:
        """The training documents, whose extraction takes as long as counting them."""
        return self.documents if self.rows is None else self.documents.part(self.rows)

    @cached_property
    def counts(self) -> Counts:
        """The counts of the training documents, which a caller that has them may set."""
        return self.train.counts()


def metrics_of(
    hits: NDArray[np.int64], predicted: NDArray[np.int64], support: NDArray[np.int64]
) -> dict[Metric, NDArray[np.float64]]:
    """Return every metric at each k. ``hits`` and ``predicted`` have shape (n_ks, n_classes)."""
    n_ks, n_classes = hits.shape
    n_docs = support.sum()
    support, n_untrained = support[:n_classes], np.count_nonzero(support[n_classes:])
    metrics = {metric: np.empty(n_ks) for metric in METRICS}
    metrics["accuracy"] = hits.sum(axis=1) / n_docs
    step = max(1, 2**20 // max(n_classes, 1))  # the number of rows per step, for arrays of 8 MiB
    for first in range(0, n_ks, step):
        rows = slice(first, first + step)
        H, P = hits[rows].astype(np.float64), predicted[rows].astype(np.float64)
        n_seen = ((P > 0) | (support > 0)).sum(axis=1) + n_untrained
        per_class: dict[Metric, NDArray[np.float64]] = {
            "precision": _ratio(H, P),
            "recall": _ratio(H, np.broadcast_to(support.astype(np.float64), H.shape)),
            "f1": _ratio(2 * H, P + support),
        }
        for metric, values in per_class.items():
            macro: Metric = f"macro_{metric}"  # type: ignore[assignment]
            metrics[metric][rows] = (values * (support / n_docs)).sum(axis=1)
            metrics[macro][rows] = values.sum(axis=1) / n_seen
    return metrics


def _ratio(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a / b, or 0 for b = 0."""
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)
