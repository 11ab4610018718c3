"""Named columns: `Tabular` results, data frames, and CSV and JSON files."""

from __future__ import annotations

import json
import math
import os
import re
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Literal, TextIO, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from termsift._util.extras import require
from termsift._util.faults import wrong_value
from termsift._util.files import text_output
from termsift._util.shown import Shown
from termsift._util.validation import check_choice

Library: TypeAlias = Literal["pandas", "polars", "pyarrow"]
Columns: TypeAlias = Mapping[str, NDArray[Any]]

# The csv module would not quote a lone "\r", so readers would end the line there.
_needs_quotes = re.compile('[,"\r\n]').search


def frame_of(columns: Columns, library: str, what: str) -> Any:
    """Return the columns as a data frame of the library. Error messages begin with ``what``."""
    check_choice(library, get_args(Library), "library")
    if library == "pandas":
        pandas = require("pandas", "pandas", what)
        # Without infer_objects, columns of numeric labels would keep the dtype object.
        return pandas.DataFrame(dict(columns)).infer_objects()
    frames = require(library, "arrow" if library == "pyarrow" else library, what)
    lists: dict[str, Any] = dict(columns)
    for name, values in columns.items():
        if values.dtype == object:
            lists[name] = [_plain(value) for value in values]
            if len({type(value) for value in lists[name] if value is not None}) > 1:
                raise wrong_value(
                    "the column {name!r} holds values of several types, but {only} allows only "
                    "one; use {library='pandas'}",
                    name=name,
                    only=library,
                )
    return frames.DataFrame(lists) if library == "polars" else frames.table(lists)


class Tabular(Shown):
    """The base class of results that are tables. A subclass defines ``columns``."""

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

    def to_csv(self, path: str | os.PathLike[str] | TextIO) -> None:
        """Write the `columns` as CSV. A number that is read back is the same float64.

        Parameters
        ----------
        path : path or text file
            If a path is given, the file is written atomically.
        """
        with text_output(path) as file:
            write_csv(file, self.columns())


# The output format for each ending of a file's name. "table" is aligned text.
FORMAT_OF: dict[str, str] = {".txt": "table", ".csv": "csv", ".json": "json"}


def write_csv(file: TextIO, columns: Columns) -> None:
    """Write a header and one line per row. Floats have enough digits to be read back exactly."""
    for row in chain([columns], _rows(columns)):
        file.write(",".join(map(_csv_field, row)) + "\n")


def _csv_field(value: Any) -> str:
    text = "" if value is None else str(value)
    return '"' + text.replace('"', '""') + '"' if _needs_quotes(text) else text


def write_json(file: TextIO, head: Mapping[str, Any], name: str, columns: Columns) -> None:
    """Write a JSON object with the members of ``head`` and the list ``name``, one row per line."""
    file.write(json.dumps(head)[:-1] + (", " if head else "") + json.dumps(name) + ": [")
    for number, row in enumerate(_rows(columns)):
        members = dict(zip(columns, map(json_value, row), strict=True))
        file.write((",\n" if number else "\n") + json.dumps(members))
    file.write("\n]}\n")


def json_value(value: Any) -> Any:
    """Return a value for JSON, with None for infinity and NaN, and a str for unknown types."""
    plain = _plain(value)
    if isinstance(plain, float):
        return plain if math.isfinite(plain) else None
    return plain if plain is None or isinstance(plain, (str, int)) else str(plain)


def integers_if_whole(counts: NDArray[Any]) -> NDArray[Any]:
    """Return numbers as integers if all are whole, so that 5.0 becomes 5."""
    with np.errstate(invalid="ignore"):
        integers = counts.astype(np.int64)
    return integers if np.array_equal(integers, counts) else counts


def _rows(columns: Columns) -> Iterator[tuple[Any, ...]]:
    """Iterate over the rows as Python values."""
    return zip(*(values.tolist() for values in columns.values()), strict=True)


def _plain(value: Any) -> Any:
    """Return a numpy scalar as a Python value."""
    return value.item() if isinstance(value, np.generic) else value
