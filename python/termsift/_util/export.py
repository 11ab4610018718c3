"""Export named columns: as a data frame, or to a CSV, JSON or Parquet file."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, Literal, TextIO, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from termsift._util.extras import require
from termsift._util.validation import check_choice

Library: TypeAlias = Literal["pandas", "polars", "pyarrow"]
Columns: TypeAlias = Mapping[str, NDArray[Any]]


# ---- data frames -----------------------------------------------------------------------------


def frame_of(columns: Columns, library: str, what: str) -> Any:
    """Return the columns as a data frame of the library, which ``what`` needs.

    Columns of objects hold labels, or names that may be None. pandas takes any. The other
    libraries need the values of a column to be of one type, and get strings where all are None.
    """
    check_choice(library, get_args(Library), "library")
    if library == "pandas":
        pandas = require("pandas", "pandas", what)
        # Without infer_objects, labels that are numbers would stay objects.
        return pandas.DataFrame(dict(columns)).infer_objects()
    lists: dict[str, Any] = {}
    unknown = set()
    for name, values in columns.items():
        lists[name] = values
        if values.dtype == object:
            lists[name] = [_plain(value) for value in values]
            _check_one_type(lists[name], name, library)
            if all(value is None for value in values):
                unknown.add(name)
    if library == "polars":
        polars = require("polars", "polars", what)
        return polars.DataFrame(lists, schema_overrides=dict.fromkeys(unknown, polars.String))
    arrow = require("pyarrow", "arrow", what)
    return arrow.table(
        {
            name: arrow.array(values, type=arrow.string() if name in unknown else None)
            for name, values in lists.items()
        }
    )


def _check_one_type(values: list[Any], name: str, library: str) -> None:
    for value in values:
        _check_encodable(value, name)
    types = sorted({type(value).__name__ for value in values if value is not None})
    if len(types) > 1 or not {"str", "int", "float", "bool"}.issuperset(types):
        raise ValueError(
            f"the column {name!r} holds values of type {' and '.join(types)}, expected one of "
            f"str, int, float and bool in {library}; library='pandas' holds any"
        )


# ---- files -----------------------------------------------------------------------------------

# The format that the ending of a file's name stands for; "table" is aligned text.
FORMAT_OF: dict[str, str] = {
    ".txt": "table",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
}

# Excel, LibreOffice and others take a cell that begins with one of these for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def write_csv(file: TextIO, columns: Columns) -> None:
    """Write a header and one line per row; floats are written so that they read back the same."""
    writer = csv.writer(_UnixLines(file), lineterminator="\r\n")
    writer.writerow(columns)
    for row in _rows(columns):
        try:
            writer.writerow(repr(value) if isinstance(value, float) else value for value in row)
        except UnicodeEncodeError as error:
            for name, value in zip(columns, row, strict=True):
                _check_encodable(value, name, error.encoding)
            raise


def escaped_formulas(columns: Columns) -> dict[str, NDArray[Any]]:
    """Return columns with an apostrophe before each text that a spreadsheet takes for a formula."""
    texts = {name: x.astype(object) for name, x in columns.items() if x.dtype.kind not in "biuf"}
    for values in texts.values():
        for row, text in enumerate(values):
            if isinstance(text, str) and text.startswith(_FORMULA):
                values[row] = f"'{text}"
    return {**columns, **texts}


class _UnixLines:
    r"""A file in which lines end by "\n", although the csv writer ends them by "\r\n".

    Before Python 3.13 the writer quotes only the characters that end its own lines, and a reader
    would take an unquoted "\r" for the end of a row.
    """

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, row: str) -> int:
        return self._file.write(row.removesuffix("\r\n") + "\n")


def write_json_lines(file: TextIO, columns: Columns) -> None:
    """Write one JSON object per line."""
    for line in json_rows(columns):
        file.write(line + "\n")


def write_json(file: TextIO, head: Mapping[str, Any], name: str, lines: Iterator[str]) -> None:
    """Write one JSON object: ``head`` and the list ``name``, with one value per line."""
    file.write(json.dumps(head)[:-1] + (", " if head else "") + json.dumps(name) + ": [")
    for number, line in enumerate(lines):
        file.write((",\n" if number else "\n") + line)
    file.write("\n]}\n")


def json_rows(columns: Columns) -> Iterator[str]:
    """Iterate over the rows as JSON objects."""
    for row in _rows(columns):
        yield json.dumps(dict(zip(columns, map(json_value, row), strict=True)))


def json_value(value: Any) -> Any:
    """Return a value that JSON can hold: None for what is not finite, str for other objects."""
    plain = _plain(value)
    if isinstance(plain, float):
        return plain if math.isfinite(plain) else None
    return plain if plain is None or isinstance(plain, (str, int)) else str(plain)


def write_parquet(file: BinaryIO, columns: Columns) -> None:
    """Write a Parquet file."""
    parquet = require("pyarrow.parquet", "arrow", "Parquet")
    parquet.write_table(frame_of(columns, "pyarrow", "Parquet"), file)


# ---- values ----------------------------------------------------------------------------------


def integers_if_whole(counts: NDArray[Any]) -> NDArray[Any]:
    """Return counts as integers if all are whole, so that 5.0 is shown as 5."""
    with np.errstate(invalid="ignore"):
        integers = counts.astype(np.int64)
    return integers if np.array_equal(integers, counts) else counts


def _rows(columns: Columns) -> Iterator[tuple[Any, ...]]:
    """Iterate over the rows as Python values."""
    return zip(*(values.tolist() for values in columns.values()), strict=True)


def _plain(value: Any) -> Any:
    """Return a numpy scalar as a Python value."""
    return value.item() if isinstance(value, np.generic) else value


def _check_encodable(value: object, name: str, encoding: str = "utf-8") -> None:
    """Refuse a string that the encoding cannot write, such as half of a surrogate pair."""
    if isinstance(value, str):
        try:
            value.encode(encoding)
        except UnicodeEncodeError as error:
            raise ValueError(
                f"{encoding} cannot encode the {name} {value!r}: {error.reason} at {error.start}"
            ) from None
