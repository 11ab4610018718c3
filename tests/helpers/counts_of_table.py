"""Counts with a given table of term frequencies."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

import termsift as ts


def counts_of(term_frequency: Any, class_docs: list[int]) -> ts.ClassCounts:
    """Return counts with the given table. In each class, one document has all the occurrences."""
    table = sp.csr_array(np.asarray(term_frequency))
    n_classes = len(class_docs)
    X = sp.vstack([table, sp.csr_array((n_classes, table.shape[1]), dtype=table.dtype)]).tocsr()
    weights = np.r_[np.ones(n_classes, dtype=int), np.array(class_docs) - 1]
    return ts.count(X, np.r_[:n_classes, :n_classes], sample_weight=weights)
