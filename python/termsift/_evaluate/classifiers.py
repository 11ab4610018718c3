"""Classifiers that are trained on the first k terms of a ranking, for every k."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice, starmap
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._classify.naive_bayes import NaiveBayes
from termsift._evaluate.split import Metrics, Split, metrics_of
from termsift._scores.methods import MODELS
from termsift._util import validation
from termsift._util.extras import require
from termsift._util.faults import excluded, renaming, wrong_type, wrong_value

# The documents of a fold, and the terms in the order of a ranking made from its training documents.
Ranked: TypeAlias = tuple[Split, NDArray[np.int64]]


class Classifier(Protocol):
    """A classifier that is tested with the first k terms of rankings."""

    def metrics(self, ranked: Iterable[Ranked], ks: NDArray[np.int64]) -> Iterator[Metrics]:
        """Yield the metrics at each k, for each ranking in turn."""


def as_classifier(classifier: Any, alpha: Any, n_threads: int | None) -> Classifier:
    """Return what a user passed as the classifier: the model of naive Bayes, or an estimator."""
    threads = validation.check_n_threads(n_threads)
    if isinstance(classifier, str):
        model = validation.check_choice(classifier, MODELS, "classifier")
        return SweptNaiveBayes(model, validation.check_number(alpha, "classifier_alpha"), threads)
    if isinstance(classifier, type) or not all(
        callable(getattr(classifier, name, None)) for name in ("fit", "predict")
    ):
        raise wrong_type(
            "{classifier} must be a model of naive Bayes, {models}, or an estimator with fit and "
            "predict, such as LinearSVC(), got {given!r}",
            models=", ".join(MODELS),
            given=classifier,
        )
    if not (np.ndim(alpha) == 0 and alpha == 1.0):
        raise excluded(
            "{classifier_alpha} smooths naive Bayes, and {classifier} is an estimator with "
            "parameters of its own"
        )
    if isinstance(classifier, NaiveBayes) and _is_swept(classifier):
        alpha = validation.check_number(classifier.alpha, "alpha")
        return SweptNaiveBayes(classifier.model, alpha, threads)
    return FittedClassifier(classifier, threads)


def _is_swept(bayes: NaiveBayes) -> bool:
    """Return whether one pass over a ranking gives what the classifier predicts at every k."""
    usual = isinstance(bayes.class_prior, str) and bayes.class_prior == "empirical"
    own = type(bayes) is NaiveBayes  # a subclass may predict otherwise
    return own and bayes.terms is None and usual and bayes.model in MODELS


class SweptNaiveBayes:
    """Naive Bayes with an event model, smoothed by ``alpha``. One pass tests all k."""

    def __init__(self, model: str, alpha: float, n_threads: int) -> None:
        self.model, self.alpha, self.n_threads = model, alpha, n_threads

    def metrics(self, ranked: Iterable[Ranked], ks: NDArray[np.int64]) -> Iterator[Metrics]:
        """Yield the metrics at each k, for each ranking in turn."""
        # A loop would keep the documents of one fold until those of the next are there.
        return starmap(partial(self.sweep, ks=ks), ranked)

    def sweep(self, split: Split, indices: NDArray[np.int64], ks: NDArray[np.int64]) -> Metrics:
        """Return the metrics at each k, after training on the first k terms."""
        # For each k and class, count the correctly assigned and all assigned documents.
        naming = validation.naming_classes(split.counts.classes)
        with naming, renaming("alpha", "classifier_alpha"):
            hits, predicted = _core.classify_by_prefixes(
                split.counts.core,
                _core.EventModel.__members__[self.model],
                self.alpha,
                indices,
                ks,
                *split.test.matrix.parts,
                np.where(split.codes < split.n_classes, split.codes, -1).astype(np.int32),
                _core.TermWeight.__members__[split.counts.tf],
                self.n_threads,
            )
        return metrics_of(hits, predicted, split.support)


class FittedClassifier:
    """An estimator of scikit-learn, or with its interface, which is fitted anew for each k.

    The fits run in parallel, in as many processes as there are threads.
    """

    def __init__(self, estimator: Any, n_threads: int) -> None:
        self.estimator, self.n_threads = estimator, n_threads

    def metrics(self, ranked: Iterable[Ranked], ks: NDArray[np.int64]) -> Iterator[Metrics]:
        """Yield the metrics at each k, for each ranking in turn."""
        clone = require("sklearn.base", "sklearn", "classifier").clone
        joblib = require("joblib", "sklearn", "classifier")
        n_jobs = self.n_threads or joblib.cpu_count()
        waiting: list[Ranked] = []

        def tasks() -> Iterator[Any]:
            for split, indices in waiting:
                X, y, X_test = split.train.X, _labels(split), split.test.X
                for k in ks.tolist():
                    terms, estimator = indices[:k], clone(self.estimator)
                    yield joblib.delayed(_predictions)(estimator, X[:, terms], y, X_test[:, terms])

        def finished() -> Iterator[Metrics]:
            # joblib takes two tasks for each process at a time, so few slices are in memory.
            found = iter(joblib.Parallel(n_jobs=n_jobs)(tasks()))
            for split, _ in waiting:
                yield _metrics(split, list(islice(found, len(ks))))
            waiting.clear()

        for one in ranked:
            waiting.append(one)
            if len(waiting) * len(ks) >= 2 * n_jobs:  # enough for all processes
                yield from finished()
        yield from finished()


def _labels(split: Split) -> NDArray[Any]:
    """Return the training labels, or their numbers if they have no common type."""
    y = split.train.y
    return split.train.labels.codes if y.dtype == object else y


def _predictions(estimator: Any, X: Any, y: Any, X_test: Any) -> Any:
    try:
        return estimator.fit(X, y).predict(X_test)
    except Exception as error:
        error.add_note(
            f"termsift fitted {estimator} to {X.shape[0]:,} documents, {X.shape[1]:,} terms"
        )
        raise


def _metrics(split: Split, predictions: list[Any]) -> Metrics:
    """Return the metrics of the predictions for each k. An unknown label is an error of the fit."""
    classes = split.documents.labels.classes
    are_codes = _labels(split) is split.train.labels.codes
    code_of = {code if are_codes else label: code for code, label in enumerate(classes)}
    hits, assigned = (np.zeros((len(predictions), split.n_classes), dtype=np.int64) for _ in "ab")
    for row, labels in enumerate(predictions):
        given = np.asarray(labels).tolist()
        unknown = next((label for label in given if label not in code_of), None)
        if unknown is not None or len(given) != len(split.codes):
            raise wrong_value(
                "{classifier} must predict one of the labels for each of the {n:,} documents, got "
                "{found}",
                n=len(split.codes),
                found=f"{len(given):,}" if unknown is None else repr(unknown),
            )
        codes = np.array([code_of[label] for label in given])
        assigned[row] = np.bincount(codes, minlength=split.n_classes)
        hits[row] = np.bincount(codes[codes == split.codes], minlength=split.n_classes)
    return metrics_of(hits, assigned, split.support)
