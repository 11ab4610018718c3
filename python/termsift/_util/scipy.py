"""Import parts of scipy when they are first used, because importing scipy takes long."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from scipy import sparse as sparse
    from scipy import special as special


def cells(matrix: Any, rows: Any, columns: Any) -> Any:
    """Return the values of cells of a CSR matrix. This is fast if the rows are short."""
    if not len(rows):  # scipy would return a matrix
        return matrix.data[:0]
    return np.asarray(matrix[rows, columns]).ravel()


def __getattr__(name: str) -> Any:
    if name not in ("sparse", "special"):
        raise AttributeError(name)
    module = globals()[name] = importlib.import_module(f"scipy.{name}")  # for later accesses
    return module
