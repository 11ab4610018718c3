"""The base class of results that are tables and can become data frames."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termsift._util.export import Columns, Library, frame_of


class Tabular(ABC):
    """Base of results that are tables. A subclass defines ``columns``."""

    @abstractmethod
    def columns(self) -> Columns:
        """Return the columns of `to_frame` by name."""

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return the `columns` as a data frame.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"}
            The library of the data frame.

        Returns
        -------
        frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table

        Raises
        ------
        ValueError
            If the library is unknown, or if a column has labels of several types, which only
            pandas allows.
        ImportError
            If the library is not installed.
        """
        return frame_of(self.columns(), library, f"{type(self).__name__}.to_frame")


def object_array(values: Sequence[Any]) -> NDArray[np.object_]:
    """Return an array of Python objects. An array of str would pad all strings to one length."""
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result
