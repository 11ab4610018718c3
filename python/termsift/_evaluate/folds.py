"""Folds of a cross-validation: which documents to train on, and which to test."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._util import validation
from termsift._util.log import levels_to_caller

USUAL_FOLDS = 10

Fold: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp]]  # rows to train on, rows to test


def folds_of(
    cv: Any,
    X: Any,
    y: Any,
    labels: validation.Labels,
    weights: _core.Count | None,
    repeats: int,
    random_state: Any,
) -> Iterator[Fold]:
    """Yield the folds that ``cv`` asks for, as `termsift.cross_validate` describes.

    Documents of weight 0 are left out, unless ``cv`` holds pairs of indices.
    """
    repeats = validation.check_integer(repeats, "repeats")
    n_docs = len(labels.codes)
    kept = np.arange(n_docs) if weights is None else np.flatnonzero(weights)
    if validation.is_integer(cv):
        yield from _dealt(int(cv), labels, kept, repeats, random_state)
        return
    if repeats != 1:
        raise ValueError("repeats needs an integer cv: other kinds of cv repeat by themselves")
    if hasattr(cv, "split") and not isinstance(cv, (str, bytes, bytearray)):
        if len(kept) < n_docs:
            X, y = X[kept], sklearn_labels(labels.classes)[labels.codes[kept]]
        pairs = cv.split(X, y)
    else:
        pairs, kept = cv, np.arange(n_docs)
    expected = "pairs (train, test) of indices, unless it is an integer or a splitter"
    number = -1
    for number, pair in enumerate(validation.check_iterable(pairs, "cv", expected)):
        try:
            train, test = pair
        except (TypeError, ValueError):
            raise TypeError(f"cv must hold pairs (train, test) of indices, got {pair!r}") from None
        part = f"part of fold {number}"
        train = validation.check_indices(train, len(kept), f"the training {part}", "document")
        test = validation.check_indices(test, len(kept), f"the test {part}", "document")
        yield kept[train], kept[test]
    if number < 0:
        raise ValueError("cv holds no folds")


def _dealt(
    n_folds: int,
    labels: validation.Labels,
    kept: NDArray[np.intp],
    repeats: int,
    random_state: Any,
) -> Iterator[Fold]:
    """Deal the documents of each class to the folds in turn, in random order."""
    codes = labels.codes[kept]
    class_docs = np.bincount(codes, minlength=len(labels.classes))
    if n_folds < 2:
        raise ValueError(f"cv must be at least 2, got {n_folds}")
    if n_folds > class_docs.max(initial=0):
        raise ValueError(
            f"cv = {n_folds} folds are more than the {class_docs.max(initial=0)} documents of the "
            "largest class; lower cv (--cv)"
        )
    smallest = int(np.argmin(np.where(class_docs > 0, class_docs, len(codes))))
    if class_docs[smallest] < n_folds:
        warnings.warn(
            f"class {labels.classes[smallest]!r} has "
            f"{validation.number_of(class_docs[smallest], 'document')}, fewer than the {n_folds} "
            "folds: some folds are without it",
            stacklevel=levels_to_caller(),
        )
    rng = np.random.default_rng(random_state)
    for _ in range(repeats):
        shuffled = rng.permutation(len(codes))
        by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
        fold_of = np.empty(len(codes), dtype=np.intp)
        fold_of[by_class] = np.arange(len(codes)) % n_folds
        for fold in range(n_folds):
            yield kept[fold_of != fold], kept[fold_of == fold]


def usual_folds(labels: validation.Labels, weights: Any) -> int:
    """Return the usual number of folds, or fewer if no class has as many documents."""
    if labels.indptr is not None:  # documents of several classes, which cross-validation refuses
        return USUAL_FOLDS
    codes = labels.codes if weights is None else labels.codes[np.asarray(weights) > 0]
    return max(2, min(USUAL_FOLDS, int(np.bincount(codes).max(initial=0))))


def sklearn_labels(classes: list[Hashable]) -> NDArray[Any]:
    """Return labels as an array that scikit-learn takes: all strings or all integers, else codes.

    An array loses the trailing zero bytes of strings, and turns integers beyond 64 bits into
    floats. Then the codes are returned too.
    """
    if {type(label) for label in classes} in ({str}, {int}, {bool}):
        names = np.array(classes)
        if names.dtype.kind in "Uiub" and names.tolist() == classes:
            return names
    return np.arange(len(classes))
