"""Folds of a cross-validation: pairs of training documents and test documents."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from termsift._util import validation
from termsift._util.messages import levels_to_caller

USUAL_FOLDS = 10

Fold: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp]]  # rows to train on, rows to test


def folds_of(cv: Any, X: Any, labels: validation.Labels, random_state: Any) -> Iterator[Fold]:
    """Yield the folds that ``cv`` defines (see `termsift.cross_validate`)."""
    if validation.is_integer(cv):
        n_folds = validation.check_integer(cv, "cv", least=2)
        yield from _dealt(n_folds, labels, random_state)
        return
    has_split = hasattr(cv, "split") and not isinstance(cv, (str, bytes))
    pairs = cv.split(X, labels.codes) if has_split else cv
    expected = "pairs (train, test) of indices, unless it is an integer or a splitter"
    number = -1
    for number, (train, test) in enumerate(validation.check_iterable(pairs, "cv", expected)):
        part = f"part of fold {number}"
        n_docs = len(labels.codes)
        train = validation.check_indices(train, n_docs, f"the training {part}", "document")
        test = validation.check_indices(test, n_docs, f"the test {part}", "document")
        yield train, test
    if number < 0:
        raise ValueError("cv holds no folds")


def _dealt(n_folds: int, labels: validation.Labels, random_state: Any) -> Iterator[Fold]:
    """Shuffle the documents of each class, and assign them to the folds in turn."""
    codes = labels.codes
    class_docs = np.bincount(codes, minlength=len(labels.classes))
    if n_folds > class_docs.max(initial=0):
        raise ValueError(
            f"cv = {n_folds} makes more folds than the largest class has documents "
            f"({class_docs.max(initial=0)}); lower cv (--cv)"
        )
    smallest = int(np.argmin(np.where(class_docs > 0, class_docs, len(codes))))
    if class_docs[smallest] < n_folds:
        warnings.warn(
            f"class {labels.classes[smallest]!r} has "
            f"{validation.number_of(class_docs[smallest], 'document')}, fewer than the {n_folds} "
            "folds: some folds have no document of this class",
            stacklevel=levels_to_caller(),
        )
    with validation.naming("random_state"):
        shuffled = np.random.default_rng(random_state).permutation(len(codes))
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    fold_of = np.empty(len(codes), dtype=np.intp)
    fold_of[by_class] = np.arange(len(codes)) % n_folds
    for fold in range(n_folds):
        yield np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
