"""Texts with their labels and weights, in blocks."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._util import scipy, validation
from termsift.text._blocks import check_source, labelled_blocks

OnMissing: TypeAlias = Literal["raise", "skip"]


class LabelledTexts:
    """Blocks of texts, each with the labels and weights of its documents.

    The labels are ``y``, checked as a whole, or the column ``label`` of a frame or stream. Then
    each block's classes are numbered as they appear, after those of earlier blocks.
    """

    def __init__(
        self,
        texts: Any,
        y: Any,
        *,
        text: Any = None,
        label: Any = None,
        sample_weight: Any = None,
        classes: Iterable[Hashable] | None = None,
        on_missing: OnMissing = "raise",
    ) -> None:
        self._skips = validation.check_on_missing(on_missing)
        check_source(texts, text, label)
        self._blocks = labelled_blocks(texts, text, label)
        given = None if classes is None else validation.check_classes(classes)
        self._coder = validation.LabelCoder(given)
        n_docs = _number_of(texts)
        self._whole: validation.Labels | None = None
        if (y is None) == (label is None):
            raise TypeError(
                "expected a label for each document in order: either as y, or as the name of their "
                "column in label"
            )
        if y is not None:
            y = validation.only_column(y)
            if not scipy.sparse.issparse(y):
                y = validation.as_sequence(y, "y", "a label for each document")
            if n_docs is None:  # texts of an iterator are counted on the way
                n_docs = y.shape[0] if hasattr(y, "shape") else len(y)
            self._whole = validation.check_labels(y, n_docs, given, skip_missing=self._skips)
        if sample_weight is not None and n_docs is None:
            n_docs = len(validation.as_array(sample_weight, "sample_weight"))
        self.weights = validation.check_weights(sample_weight, 0 if n_docs is None else n_docs)
        self._n_expected = n_docs
        self.n_docs = 0  # those that count so far
        self._rows = np.arange(0)  # those of the last block that count

    @property
    def one_label_each(self) -> bool:
        """Whether every document has one class."""
        return self._whole is None or self._whole.indptr is None

    @property
    def classes(self) -> list[Hashable]:
        """The classes so far, by number."""
        return self._coder.classes if self._whole is None else self._whole.classes

    @property
    def coder(self) -> validation.LabelCoder | None:
        """What has numbered the classes, unless all labels were checked together."""
        return self._coder if self._whole is None else None

    def __iter__(self) -> Iterator[tuple[_core.Texts, validation.Labels, _core.Count | None]]:
        first = 0
        for texts, column in self._blocks:
            stop = first + len(texts)
            if self._n_expected is not None and stop > self._n_expected:
                raise ValueError(f"there are {self._n_expected} labels or weights for more texts")
            labels = self._labels(first, stop, column)
            weights = None if self.weights is None else self.weights[first:stop]
            counts = self._that_count(texts, labels, first)
            self._rows = np.flatnonzero(counts) + first
            if not counts.all():
                texts, labels = texts.take(self._rows - first), _of_some(labels, counts)
                weights = None if weights is None else weights[counts]
            self.n_docs += len(texts)
            yield texts, labels, weights
            first = stop
        if self._n_expected is not None and first < self._n_expected:
            raise ValueError(f"there are {self._n_expected} labels or weights for {first} texts")

    @contextmanager
    def naming_rows(self) -> Iterator[None]:
        """Name a text of the last block that is not UTF-8 by its row among all texts."""
        try:
            yield
        except _core.BadTextError as error:
            error.document = int(self._rows[error.document])
            error.args = (f"document {error.document},{str(error).partition(',')[2]}",)
            raise

    def _labels(self, first: int, stop: int, column: Any) -> validation.Labels:
        whole = self._whole
        if whole is None:
            codes = self._coder.codes(column, first, skip_missing=self._skips)
            return validation.Labels(self._coder.classes, codes, None)
        if whole.indptr is None:
            return validation.Labels(whole.classes, whole.codes[first:stop], None)
        begin, end = whole.indptr[[first, stop]]
        indptr = whole.indptr[first : stop + 1] - begin
        return validation.Labels(whole.classes, whole.codes[begin:end], indptr)

    def _that_count(
        self, texts: _core.Texts, labels: validation.Labels, first: int
    ) -> NDArray[np.bool_]:
        """Return which documents have a text and a label; an error names the first that has not."""
        missing = texts.missing
        if len(missing) and not self._skips:
            cure = validation.SKIP_MISSING
            raise ValueError(f"the text of document {first + missing[0]} is missing: {cure}")
        counts = np.ones(len(texts), dtype=bool)
        counts[missing] = False
        if labels.indptr is None:
            counts &= labels.codes >= 0
        return counts


def _number_of(texts: Any) -> int | None:
    """Return the number of texts, if it can be told without reading them."""
    shape = getattr(texts, "shape", None)
    if isinstance(shape, tuple) and shape:
        return int(shape[0])
    return len(texts) if isinstance(texts, (list, tuple)) else None


def _of_some(labels: validation.Labels, documents: NDArray[np.bool_]) -> validation.Labels:
    """Return the labels of some of the documents."""
    if labels.indptr is None:
        return validation.Labels(labels.classes, labels.codes[documents], None)
    sizes = np.diff(labels.indptr)
    indptr = np.append(0, np.cumsum(sizes[documents]))
    return validation.Labels(labels.classes, labels.codes[np.repeat(documents, sizes)], indptr)
