"""Reading tables of columns, Parquet and Arrow files, as texts with their labels."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from termsift._util.extras import require
from termsift._util.files import Complain
from termsift.io._labelled_texts import label_text, listed

_ROWS_AT_ONCE = 1 << 12
_STRINGS = ("string", "large_string", "string_view")
_INTEGERS = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))


def rows_of_columns(
    path: Path, text: str, label: str, is_parquet: bool, complain: Complain
) -> Generator[tuple[str, str, int], None, None]:
    """Yield the text and the label of every good row, and how many bytes were read by then."""
    pyarrow = require("pyarrow", "arrow", f"{path}: reading it")
    batches = (_parquet_batches if is_parquet else _arrow_batches)(path, text, label)
    row = 0
    try:
        with closing(batches):
            for columns, n_bytes in batches:
                for its_text, its_label, fault in _values(columns, pyarrow.ArrowInvalid):
                    row += 1
                    name = label_text(its_label)
                    if fault is None and not isinstance(its_text, str):
                        fault = f"the text is {type(its_text).__name__}, expected a string"
                    elif fault is None and name is None:
                        fault = f"the label is {its_label!r}, expected a string or a whole number"
                    if fault is not None or name is None:
                        complain(f"{path}, row {row}: {fault}")
                    else:
                        yield its_text, name, n_bytes
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: damaged or no such table: {_one_line(error)}") from None


def _parquet_batches(
    path: Path, text: str, label: str
) -> Generator[tuple[list[Any], int], None, None]:
    """Yield the two columns of a batch of rows, and how many bytes were read by then."""
    parquet = require("pyarrow.parquet", "arrow", f"{path}: reading it")
    with parquet.ParquetFile(str(path)) as file:
        _check_columns(path, file.schema_arrow, text, label)
        n_bytes, n_rows, row = path.stat().st_size, max(file.metadata.num_rows, 1), 0
        for batch in file.iter_batches(_ROWS_AT_ONCE, columns=[text, label]):
            row += batch.num_rows
            yield [batch.column(text), batch.column(label)], n_bytes * row // n_rows


def _arrow_batches(
    path: Path, text: str, label: str
) -> Generator[tuple[list[Any], int], None, None]:
    """Yield the two columns of a batch of rows, and how many bytes were read by then."""
    pyarrow = require("pyarrow", "arrow", f"{path}: reading it")
    ipc = require("pyarrow.ipc", "arrow", f"{path}: reading it")
    # The file is read, not mapped: a mapped file that another program cuts short ends the process.
    with pyarrow.OSFile(str(path)) as file:
        schema = ipc.open_file(file).schema
        _check_columns(path, schema, text, label)
        fields = [schema.get_field_index(text), schema.get_field_index(label)]
        reader = ipc.open_file(file, options=ipc.IpcReadOptions(included_fields=fields))
        n_bytes, n_batches = path.stat().st_size, reader.num_record_batches
        for i in range(n_batches):
            batch = reader.get_batch(i)
            for row in range(0, batch.num_rows, _ROWS_AT_ONCE):  # a batch may be the whole file
                part = batch.slice(row, _ROWS_AT_ONCE)
                done = i + (row + part.num_rows) / batch.num_rows
                yield [part.column(text), part.column(label)], int(n_bytes * done / n_batches)


def _check_columns(path: Path, schema: Any, text: str, label: str) -> None:
    """Check that the table has a column of texts and one of labels."""
    known = (text, _STRINGS, "strings"), (label, (*_STRINGS, *_INTEGERS, "bool"), "labels")
    for name, kinds, expected in known:
        if schema.names.count(name) != 1:
            names = listed(schema.names)
            raise ValueError(f"{path}: expected one column {name!r}, found {names}")
        kind = schema.field(name).type
        kind = str(getattr(kind, "value_type", kind))  # of what is encoded by a dictionary or runs
        if kind not in kinds:
            raise ValueError(f"{path}: expected {expected} in column {name!r}, found {kind!r}")


def _values(columns: list[Any], invalid: type[Exception]) -> Iterator[tuple[Any, Any, str | None]]:
    """Yield the text and the label of each row, or what is wrong with the bytes of both.

    pyarrow follows the offsets in a file wherever they lead unless it is asked to check them.
    """
    try:
        for column in columns:
            column.validate(full=True)
    except invalid as error:
        n_rows = len(columns[0])
        if n_rows == 1:
            yield None, None, f"damaged: {_one_line(error)}"
            return
        for row in range(n_rows):
            yield from _values([column.slice(row, 1) for column in columns], invalid)
    else:
        for text, label in zip(*(column.to_pylist() for column in columns), strict=True):
            yield text, label, None


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
