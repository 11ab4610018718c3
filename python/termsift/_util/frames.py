"""Tables out: named columns as a data frame of the user's library, or as a file."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO, Literal, TextIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from termsift._util.extras import require
from termsift._util.validation import did_you_mean, is_one_of

Library: TypeAlias = Literal["pandas", "polars", "pyarrow"]
Columns: TypeAlias = Mapping[str, NDArray[Any]]


# ---- data frames -----------------------------------------------------------------------------


def frame_of(columns: Columns, library: str, what: str) -> Any:
    """Give the columns as a table of the library, which ``what`` needs.

    Objects are labels, or names that may be None. pandas holds any; the others want those of a
    column to be of one kind, and names that are all unknown are strings there.
    """
    if not is_one_of(library, _FRAMES):
        hint = did_you_mean(library, _FRAMES)
        raise ValueError(f"library must be one of {', '.join(_FRAMES)}, got {library!r}{hint}")
    return _FRAMES[library](columns, what)


def _pandas(columns: Columns, what: str) -> Any:
    pandas = require("pandas", "pandas", what)
    # Labels that are numbers make a column of numbers.
    return pandas.DataFrame(dict(columns)).infer_objects()


def _polars(columns: Columns, what: str) -> Any:
    polars = require("polars", "polars", what)
    # Of None alone polars would make a column of no type.
    known = {name: polars.String for name, values in columns.items() if _is_unknown(values)}
    return polars.DataFrame(_of_one_kind(columns, "polars"), schema_overrides=known)


def _pyarrow(columns: Columns, what: str) -> Any:
    arrow = require("pyarrow", "arrow", what)
    return arrow.table(
        {
            name: arrow.array(values, type=arrow.string() if _is_unknown(columns[name]) else None)
            for name, values in _of_one_kind(columns, "pyarrow").items()
        }
    )


_FRAMES: dict[str, Callable[[Columns, str], Any]] = {
    "pandas": _pandas,
    "polars": _polars,
    "pyarrow": _pyarrow,
}


def _is_unknown(values: NDArray[Any]) -> bool:
    return values.dtype == object and all(value is None for value in values)


def _of_one_kind(columns: Columns, library: str) -> dict[str, Any]:
    """Give objects as lists of Python values, once they are of one kind."""
    plain: dict[str, Any] = dict(columns)
    for name, values in columns.items():
        if values.dtype == object:
            plain[name] = [_plain(value) for value in values]
            kinds = sorted({type(value).__name__ for value in plain[name] if value is not None})
            for value in plain[name]:
                check_encodable(value, name)
            if len(kinds) > 1 or not {"str", "int", "float", "bool"}.issuperset(kinds):
                raise ValueError(
                    f"the column {name!r} holds values of the kind {' and '.join(kinds)}, expected "
                    f"one of str, int, float and bool in {library}; library='pandas' holds any"
                )
    return plain


def _plain(value: Any) -> Any:
    """Give a scalar of numpy as the Python value that it stands for."""
    return value.item() if isinstance(value, np.generic) else value


# ---- files -----------------------------------------------------------------------------------

# What the ending of a file's name says of its format; "table" is aligned text for people.
FORMAT_OF: dict[str, str] = {
    ".txt": "table",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
}


def check_encodable(value: object, name: str, encoding: str = "utf-8") -> None:
    """Refuse a string that an encoding cannot write: half of a surrogate pair, say."""
    if isinstance(value, str):
        try:
            value.encode(encoding)
        except UnicodeEncodeError as error:
            raise ValueError(
                f"{encoding} cannot encode the {name} {value!r}: {error.reason} at {error.start}"
            ) from None


def rows_of(columns: Columns) -> Iterator[tuple[Any, ...]]:
    """Iterate over the rows, as Python values."""
    return zip(*(values.tolist() for values in columns.values()), strict=True)


def write_csv(file: TextIO, columns: Columns) -> None:
    """Write a header and a line a row; reading a float gives the same float again."""
    writer = csv.writer(_UnixLines(file), lineterminator="\r\n")
    writer.writerow(columns)
    for row in rows_of(columns):
        try:
            writer.writerow(repr(value) if isinstance(value, float) else value for value in row)
        except UnicodeEncodeError as error:
            for name, value in zip(columns, row, strict=True):
                check_encodable(value, name, error.encoding)
            raise


class _UnixLines:
    """Ends the lines by a line feed alone, though the writer quotes carriage returns too.

    Before Python 3.13 it quotes only what ends its own lines; a reader ends a row at either.
    """

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, row: str) -> int:
        return self._file.write(row.removesuffix("\r\n") + "\n")


def write_json_lines(file: TextIO, columns: Columns) -> None:
    """Write a JSON object a line."""
    for line in json_rows(columns):
        file.write(line + "\n")


def write_json(file: TextIO, head: Mapping[str, Any], name: str, lines: Iterator[str]) -> None:
    """Write one JSON object: a head, and under a name a list with a line for each of its values."""
    file.write(json.dumps(head)[:-1] + (", " if head else "") + json.dumps(name) + ": [")
    for number, line in enumerate(lines):
        file.write((",\n" if number else "\n") + line)
    file.write("\n]}\n")


def json_rows(columns: Columns) -> Iterator[str]:
    """Iterate over the rows as JSON objects."""
    for row in rows_of(columns):
        yield json.dumps(dict(zip(columns, map(json_value, row), strict=True)))


def json_value(value: Any) -> Any:
    """Give a value as JSON can hold it: it has no infinity, and labels of ours may be anything."""
    plain = _plain(value)
    if isinstance(plain, float):
        return plain if math.isfinite(plain) else None
    return plain if plain is None or isinstance(plain, (str, int)) else str(plain)


def write_parquet(file: BinaryIO, columns: Columns) -> None:
    """Write a Parquet file."""
    parquet = require("pyarrow.parquet", "arrow", "Parquet")
    parquet.write_table(frame_of(columns, "pyarrow", "Parquet"), file)
