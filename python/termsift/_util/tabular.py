"""The base class of results that are tables and can become data frames."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termsift._util.export import Columns, frame_of


class Tabular(ABC):
    """Base of results that are tables. A subclass defines ``columns``."""

    @abstractmethod
    def columns(self) -> Columns:
        """Return the columns of `to_frame` by name."""

    def to_frame(self) -> Any:
        """Return the `columns` as a data frame of pandas.

        ``polars.DataFrame(self.columns())`` and ``pyarrow.table(self.columns())`` are tables of
        other libraries.

        Returns
        -------
        frame : pandas.DataFrame

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return frame_of(self.columns(), f"{type(self).__name__}.to_frame")


def object_array(values: Sequence[Any]) -> NDArray[np.object_]:
    """Return an array of Python objects. A str array would pad each string to the longest."""
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result
