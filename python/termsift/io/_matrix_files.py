"""Matrices that are read whole: .npz by `scipy.sparse.save_npz`, and Matrix Market."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any

from termsift import _core
from termsift._util import scipy
from termsift._util.validation import widened
from termsift.io._labels import is_npy, read_labels
from termsift.io._opening import DAMAGE, existing, opened
from termsift.io._source import MatrixBlock, MatrixBlocks, Options, Source


class MatrixFile(Source):
    """A file of a matrix, with its labels in another file."""

    def __init__(
        self, path: Path, labels: Path | None, options: Options, read: Callable[[Path], Any]
    ) -> None:
        super().__init__(path, labels, options)
        if labels is None:
            raise ValueError(
                f"{path}: has no labels of its own; give a file with one label per line"
            )
        self._labels, self._read = existing(labels), read
        self.files = [path, self._labels]
        self.labels_are_text = not is_npy(labels)

    def blocks(self) -> MatrixBlocks:
        """Read the matrix and its labels."""
        X, names = self._read(self.path), self.options.names
        if X.ndim != 2:
            raise ValueError(f"{self.path}: expected a matrix of two dimensions, found {X.ndim}")
        y = read_labels(self._labels)
        self.check_n_labels(y.shape[0], X.shape[0])
        if names is not None and len(names) != X.shape[1]:
            raise ValueError(
                f"{self.options.terms}: {len(names)} names for the {X.shape[1]} terms of "
                f"{self.path}"
            )
        yield MatrixBlock(self.n_bytes, X=scipy.sparse.csr_array(X), y=y)


def read_npz(path: Path) -> Any:
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


def read_matrix_market(path: Path) -> Any:
    """Read a Matrix Market file."""
    with opened(path) as (file, _):
        content = file.read()
        data, rows, columns, shape = _core.parse_matrix_market(content, n_threads=0, file=str(path))
    return scipy.sparse.coo_array((data, (rows, columns)), shape=shape)
