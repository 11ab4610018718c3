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

    ``rows`` are classes, as positions among the sorted labels. The result, of shape (len(rows),
    n_classes), has for each of them how many of its test documents are assigned to each class. The
    terms and the predictions are those of `termsift.cross_validate` with the same folds.
    """
    classifier = Classifier("multinomial", 1.0, n_threads)
    matrix = validation.check_matrix(X, classifier.n_threads)
    documents = Documents(matrix, one_class(y, matrix, "y"), None, classifier.n_threads)
    codes = documents.labels.codes
    predicted = np.zeros((len(rows), len(documents.labels.classes)), dtype=np.int64)
    for split, (train, test) in zip(
        splits_of(documents, documents.counts(), folds), folds, strict=True
    ):
        split.counts._warn_no_more()  # the curve of the same folds has led to the warnings
        ranking = split.counts.rank(method, k, n_threads=n_threads)
        ks = np.array([len(ranking)])
        for position, row in enumerate(rows):
            of_class = test[codes[test] == row]
            if len(of_class):
                part = Split(documents, train, documents.part(of_class))
                part.counts = split.counts
                predicted[position] += classifier.classified(part, ranking.indices, ks)[1][0]
    return predicted
