"""Which classes naive Bayes confuses: what it predicts for the documents of each class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termsift._evaluate.evaluation import splits_of
from termsift._evaluate.folds import Fold
from termsift._evaluate.split import Classifier, Documents, Split, one_class
from termsift._scores.methods import MethodName
from termsift._util import validation


def count_confusions(
    X: Any,
    y: Any,
    method: MethodName,
    k: int,
    folds: Sequence[Fold],
    rows: Sequence[int],
    n_threads: int | None = None,
) -> NDArray[np.int64]:
    """Count the classes that naive Bayes with k terms predicts for test documents.

    Parameters
    ----------
    X, y
        As for `termsift.cross_validate`.
    method : str
        The method that ranks the terms of the training documents of each fold.
    k : int
        The number of terms.
    folds : sequence of (train, test)
        The documents of each fold.
    rows : sequence of int
        The classes whose documents are classified, as positions among the sorted labels.
    n_threads : int, optional

    Returns
    -------
    predicted : ndarray of shape (len(rows), n_classes), int64
        How many test documents of each of these classes are assigned to each class.

    Notes
    -----
    The terms, and the predictions, are those of `termsift.cross_validate` with the same folds.
    """
    classifier = Classifier("multinomial", 1.0, None, n_threads)
    matrix = validation.check_matrix(X, classifier.n_threads)
    documents = Documents(matrix, one_class(y, matrix, "y"), None, classifier.n_threads)
    codes = documents.labels.codes
    predicted = np.zeros((len(rows), len(documents.labels.classes)), dtype=np.int64)
    for split, (train, test) in zip(
        splits_of(documents, documents.counts(), folds), folds, strict=True
    ):
        split.counts._warn_no_more()  # the curve of the same folds has led to the warnings
        ranking = split.counts.rank(method, k, n_threads=n_threads)
        for position, row in enumerate(rows):
            own = test[codes[test] == row]
            if len(own):
                part = Split(documents, train, documents.part(own))
                part.counts = split.counts
                predicted[position] += classifier.predicted(part, ranking.indices)
    return predicted
