"""Read matrices and their labels from .npz files of scipy, Matrix Market and svmlight files.

Each line of an svmlight file is a document: ``label[,label...] [qid:number] index:count ...``.
Blank lines, and comments after ``#``, are ignored. Indices must increase within a line. The lines
are parsed by scikit-learn.
"""

from __future__ import annotations

import codecs
import os
import re
import warnings
from collections.abc import Generator, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._util import scipy
from termsift._util.export import integers_if_whole
from termsift._util.extras import require
from termsift._util.files import existing
from termsift._util.validation import object_array, widened
from termsift.io._opening import is_damage, one_per_line, opened
from termsift.io._source import BLOCK_BYTES, MatrixBlock, Options, Source

_EXACT = 2**53  # Every whole number below this number is exact in a double.
_WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")  # At most 18 digits, no leading zeros.


def read_names(path: str | os.PathLike[str]) -> NDArray[np.object_]:
    """Read term names, one per line, from a UTF-8 file that may be compressed."""
    return object_array(one_per_line(existing(path), "a term"))


def integers_if_all_whole(labels: Sequence[Any]) -> NDArray[Any]:
    """Return text labels as integers if all are whole numbers, else unchanged."""
    if all(map(_WHOLE_NUMBER.fullmatch, labels)):
        return np.array([int(label) for label in labels], dtype=np.int64)
    return object_array(labels)


class MatrixFile(Source):
    """An .npz or .mtx file, which is read as a whole. A second file holds the labels."""

    takes = frozenset({"labels", "terms"})

    def __init__(self, path: Path, options: Options, kind: str, labels: Path | None) -> None:
        super().__init__(path, options, kind, labels)
        if labels is None and options.label is not False:
            raise ValueError(
                f"{path}: has no labels; pass labels= with a file of one label per line"
            )
        self._labels = None if labels is None else existing(labels)
        self.files = [file for file in (path, self._labels) if file is not None]

    def blocks(self) -> Generator[MatrixBlock, None, None]:
        path, names = self.path, self.options.names
        X = _read_npz(path) if self.kind == ".npz" else _read_matrix_market(path)
        if X.ndim != 2:
            raise ValueError(f"{path}: expected a matrix of two dimensions, found {X.ndim}")
        n_docs, n_terms = X.shape
        labels = [""] * n_docs if self._labels is None else one_per_line(self._labels, "a label")
        if len(labels) != n_docs:
            raise ValueError(
                f"{self._labels}: {len(labels)} labels for the {n_docs} documents of {path}"
            )
        if names is not None and len(names) != n_terms:
            raise ValueError(
                f"{self.options.terms}: {len(names)} names for the {n_terms} terms of {path}"
            )
        ones = np.ones(n_docs, dtype=np.int64)
        X, rows = scipy.sparse.csr_array(X), np.arange(n_docs)
        yield MatrixBlock(X, object_array(labels), ones, rows, self.n_bytes)


def _read_npz(path: Path) -> Any:
    """Read a sparse matrix that `scipy.sparse.save_npz` wrote."""
    with opened(path) as (file, _):  # numpy would not close a damaged archive
        try:
            X = scipy.sparse.load_npz(file)
        except Exception as exc:  # reading another archive may raise any exception
            if isinstance(exc, MemoryError) or is_damage(exc):
                raise
            expected = "a sparse matrix saved by scipy.sparse.save_npz"
            raise ValueError(f"{path}: expected {expected}") from exc
    if hasattr(X, "check_format"):
        try:
            X.check_format(full_check=True)  # Later, csr_array() checks no indices.
        except (ArithmeticError, LookupError) as exc:  # for example, if blocks have no columns
            raise ValueError(f"{path}: damaged matrix: {exc}") from exc
        except (ValueError, TypeError) as exc:
            raise ValueError(f"{path}: {exc}") from exc
    return widened(X) if X.format == "coo" else X  # csr_array() would add up duplicates.


def _read_matrix_market(path: Path) -> Any:
    from scipy.io import mmread

    with opened(path) as (file, _), warnings.catch_warnings():
        # Ignore the warning of scipy 1.18 that `mmread` will return another class of matrix.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            return mmread(BytesIO(file.read()))
        except (ValueError, OverflowError) as exc:  # for example, if a row index is out of bounds
            raise ValueError(f"{path}: {exc}") from None


class SvmlightFile(Source):
    """An svmlight file, which scikit-learn parses in blocks of lines."""

    takes = frozenset({"terms"})
    why = "an svmlight file has its own labels and no texts"
    labels_are_text = False

    def __init__(self, path: Path, options: Options, kind: str, labels: Path | None) -> None:
        super().__init__(path, options, kind, labels)
        datasets = require("sklearn.datasets", "sklearn", f"{path}: reading it")
        self._load = datasets.load_svmlight_file
        self._n_terms = _core.max_terms if options.names is None else len(options.names)

    def blocks(self) -> Generator[MatrixBlock, None, None]:
        first_line, row = 1, 0
        with opened(self.path) as (content, raw):
            while lines := content.readlines(BLOCK_BYTES):
                if first_line == 1:
                    lines[0] = lines[0].removeprefix(codecs.BOM_UTF8)
                for X, labels, n_labels in self._parsed(lines, first_line):
                    if X is not None:
                        rows = np.arange(row, row + len(n_labels))
                        yield MatrixBlock(X, labels, n_labels, rows, raw.tell())
                    row += len(n_labels)
                    del X  # free the block before the next block is parsed
                first_line += len(lines)

    def _parsed(self, lines: list[bytes], first_line: int) -> Iterator[tuple[Any, Any, Any]]:
        """Parse lines. After an error, halve the lines until the line with the error is found.

        A line that is skipped is yielded as a document without a matrix.
        """
        try:
            yield self._checked(b"".join(lines))
        except (ValueError, OverflowError) as error:
            if len(lines) > 1:
                half = len(lines) // 2
                yield from self._parsed(lines[:half], first_line)
                yield from self._parsed(lines[half:], first_line + half)
                return
            base, n_terms = self.options.index_base, self._n_terms
            notes = "" if self.options.names is None else f" (terms has {n_terms} names)"
            notes += " (from 0 with index_base=0)" if base == 1 else ""
            self.complain(
                f"{self.path}, line {first_line}: expected a label and index:count, with rising "
                f"indices from {base} to {base + n_terms - 1}{notes}: {error}"
            )
            yield None, None, [0]

    def _checked(self, text: bytes) -> tuple[Any, NDArray[Any], NDArray[np.int64]]:
        """Return the matrix of the lines, the labels, and the number of labels of each line."""
        one_based = self.options.index_base == 1
        X, labels_of = self._load(BytesIO(text), multilabel=True, zero_based=not one_based)
        n_labels = np.array([len(labels) for labels in labels_of], dtype=np.int64)
        if not n_labels.all():
            raise ValueError("a document has no label")
        labels = np.array([label for labels in labels_of for label in labels], dtype=np.float64)
        if wrong := labels[~(np.abs(labels) < _EXACT)].tolist():
            raise ValueError(f"label {wrong[0]:g}, expected a number below 2^53")
        if wrong := X.data[~((X.data >= 0) & (X.data < _EXACT))].tolist():
            raise ValueError(f"count {wrong[0]:g}, expected a number from 0 to 2^53")
        width = int(X.indices.max(initial=-1)) + 1
        if width > self._n_terms:
            raise ValueError(f"index {width - 1 + one_based}")
        width = width if self.options.names is None else self._n_terms
        parts = integers_if_whole(X.data), X.indices.astype(np.int32), X.indptr
        X = scipy.sparse.csr_array(parts, shape=(len(n_labels), width))
        return X, integers_if_whole(labels), n_labels
