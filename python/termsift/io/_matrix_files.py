"""Matrices that are read whole: .npz by `scipy.sparse.save_npz`, and Matrix Market."""

from __future__ import annotations

import errno
from collections.abc import Generator
from io import BytesIO
from pathlib import Path
from typing import Any

from termsift._util import scipy
from termsift._util.validation import widened
from termsift.io._labels import is_npy, read_labels
from termsift.io._opening import DAMAGE, existing, opened
from termsift.io._source import MatrixBlock, Options, Source


class MatrixFile(Source):
    """A file of a matrix, with its labels in another file."""

    takes = frozenset({"labels", "terms"})

    def __init__(self, path: Path, options: Options, kind: str, labels: Path | None) -> None:
        super().__init__(path, options, kind, labels)
        if labels is None:
            raise ValueError(
                f"{path}: has no labels of its own; give a file with one label per line"
            )
        self._labels = existing(labels)
        self.files = [path, self._labels]
        self.labels_are_text = not is_npy(labels)

    def blocks(self) -> Generator[MatrixBlock, None, None]:
        """Read the matrix and its labels."""
        path, names = self.path, self.options.names
        X = _read_npz(path) if self.kind == ".npz" else _read_matrix_market(path)
        if X.ndim != 2:
            raise ValueError(f"{path}: expected a matrix of two dimensions, found {X.ndim}")
        n_docs, n_terms = X.shape
        labels = read_labels(self._labels)
        if len(labels) != n_docs:
            raise ValueError(
                f"{self._labels}: {len(labels)} labels for the {n_docs} documents of {path}"
            )
        if names is not None and len(names) != n_terms:
            raise ValueError(
                f"{self.options.terms}: {len(names)} names for the {n_terms} terms of {path}"
            )
        yield MatrixBlock(scipy.sparse.csr_array(X), labels, None, self.n_bytes)


def _read_npz(path: Path) -> Any:
    """Read a sparse matrix that `scipy.sparse.save_npz` wrote."""
    with opened(path) as (file, _):  # numpy leaves a broken archive open
        try:
            X = scipy.sparse.load_npz(file)
        except (MemoryError, *DAMAGE):
            raise
        except Exception as exc:  # an archive of other content may raise anything
            # EINVAL comes from an archive that points before its own beginning, not from the disk.
            if isinstance(exc, OSError) and exc.errno != errno.EINVAL:
                raise
            raise ValueError(
                f"{path}: expected a sparse matrix saved by scipy.sparse.save_npz"
            ) from None
    if hasattr(X, "check_format"):
        try:
            X.check_format(full_check=True)  # conversion to CSR does not check the indices
        except ValueError as exc:
            raise ValueError(f"{path}: {exc}") from None
    return widened(X) if X.format == "coo" else X  # scipy adds duplicates as it makes CSR


def _read_matrix_market(path: Path) -> Any:
    """Read a Matrix Market file."""
    from scipy.io import mmread

    with opened(path) as (file, _):
        try:
            return mmread(BytesIO(file.read()))
        except (ValueError, OverflowError) as exc:  # such as "Line 3: Row index out of bounds"
            raise ValueError(f"{path}: {exc}") from None
