"""`Predictions`: the predicted classes of the documents in files."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termsift._util import validation
from termsift._util.export import Tabular
from termsift._util.shown import ROWS, Column, Section


@dataclass(frozen=True, eq=False)
class Predictions(Tabular):
    """The predicted class of each document of a scan: the result of `NaiveBayes.classify`.

    Attributes
    ----------
    documents : ndarray of int64 of shape (n_docs,)
        The number of each document in its file or folder, from 0. Documents that
        ``on_error="skip"`` leaves out have numbers too.
    labels : ndarray of shape (n_docs,)
        The most probable class of each document.
    log_probabilities : ndarray of float64 of shape (n_docs,)
        The logarithm of the probability of this class.
    is_right : ndarray of bool of shape (n_docs,), or None
        Whether the class is the document's label, or one of its labels. Labels in files are text,
        so labels are compared as text. None if the scan has no labels.
    known : list of labels
        The labels of the documents, in the order of their first appearance.
    """

    documents: NDArray[np.int64]
    labels: NDArray[Any]
    log_probabilities: NDArray[np.float64]
    is_right: NDArray[np.bool_] | None
    known: list[Hashable]

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def accuracy(self) -> float | None:
        """The share of documents whose class is their label, or None without labels."""
        return None if self.is_right is None else float(self.is_right.mean())

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name: document, label, log_probability and, if known, is_right."""
        columns: dict[str, NDArray[Any]] = {"document": self.documents, "label": self.labels}
        columns["log_probability"] = self.log_probabilities
        if self.is_right is not None:
            columns["is_right"] = self.is_right
        return columns

    def _title(self) -> str:
        share = "" if self.accuracy is None else f", accuracy {self.accuracy:.4f}"
        return f"Predictions of {validation.number_of(len(self), 'document')}{share}"

    def _sections(self) -> list[Section]:
        first = {name: values[:ROWS].tolist() for name, values in self.columns().items()}
        forms = {"document": "d", "log_probability": ".4g"}
        columns = [Column(name, values, forms.get(name, "")) for name, values in first.items()]
        return [Section(columns, len(self) - ROWS)]
