"""Tables of columns, Parquet and Arrow files, as texts with their labels."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from termsift._util.extras import require
from termsift._util.validation import did_you_mean
from termsift.io._labels import label_text
from termsift.io._opening import COMPRESSED, Complain
from termsift.io._source import NAMED, Options, listed
from termsift.io._texts import Part, PartedTexts, Parts, in_parts, text_and_label

# The two columns of some rows, and how many bytes have been read.
_Batches: TypeAlias = Generator[tuple[list[Any], int], None, None]

_ROWS_AT_ONCE = 1 << 12
_STRINGS = ("string", "large_string", "string_view")
_INTEGERS = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
_LABELS = (*_STRINGS, *_INTEGERS, "bool")


class ArrowTable(PartedTexts):
    """A table with a column of texts and a column of labels."""

    def __init__(
        self, path: Path, labels: Path | None, options: Options, *, is_parquet: bool
    ) -> None:
        super().__init__(path, labels, options)
        if path.suffix.lower() in COMPRESSED:
            raise ValueError(
                f"{path}: expected the file itself, whose columns are compressed within; decompress"
                f" the {path.suffix} file first"
            )
        require("pyarrow", "text", f"{path}: reading it")
        self._batches = _parquet_batches if is_parquet else _arrow_batches

    def parts(self, complain: Complain) -> Parts:
        """Yield the rows, a batch at a time."""
        pyarrow = require("pyarrow", "text", f"{self.path}: reading it")
        texts, label = text_and_label(self.options)
        row = 0
        try:
            with closing(self._batches(self.path, texts, label)) as batches:
                for columns, n_bytes in batches:
                    self.bytes_read = partial(int, n_bytes)
                    yield from self._parts_of(columns, row, complain, pyarrow.ArrowInvalid)
                    row += len(columns[0])
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise ValueError(f"{self.path}: damaged or no such table: {_one_line(error)}") from None

    def _parts_of(
        self, columns: list[Any], before: int, complain: Complain, invalid: type[Exception]
    ) -> Iterator[Part]:
        """Yield the good rows of some columns, which ``before`` rows come before.

        Unless it is asked to validate a column, pyarrow follows its offsets out of bounds.
        """
        n_rows = len(columns[0])
        try:
            for column in columns:
                column.validate(full=True)
        except invalid as error:
            if n_rows == 1:
                complain(f"{self.path}, row {before + 1}: damaged: {_one_line(error)}")
                return
            for row in range(n_rows):
                of_row = [column.slice(row, 1) for column in columns]
                yield from self._parts_of(of_row, before + row, complain, invalid)
            return
        part = _at_once(columns)
        if part is not None:
            yield part
        else:
            yield from in_parts(self._one_by_one(columns, before, complain))

    def _one_by_one(
        self, columns: list[Any], before: int, complain: Complain
    ) -> Iterator[tuple[str, str]]:
        """Yield the text and the label of each good row."""
        rows = zip(*(column.to_pylist() for column in columns), strict=True)
        for row, (*texts, label) in enumerate(rows, before + 1):
            name = label_text(label)
            wrong = [text for text in texts if not isinstance(text, str)]
            if wrong:
                found = "missing" if wrong[0] is None else type(wrong[0]).__name__
                fault = f"the text is {found}, expected a string"
            elif name is None:
                fault = f"the label is {label!r}, expected a string or a whole number"
            else:
                yield " ".join(texts), name
                continue
            complain(f"{self.path}, row {row}: {fault}")


def _parquet_batches(path: Path, texts: list[str], label: str) -> _Batches:
    """Yield the columns of a Parquet file."""
    parquet = require("pyarrow.parquet", "text", f"{path}: reading it")
    with parquet.ParquetFile(str(path)) as file:
        _check_columns(path, file.schema_arrow, texts, label)
        n_bytes, n_rows, row = path.stat().st_size, max(file.metadata.num_rows, 1), 0
        # A column that holds texts and labels is read once.
        names = list(dict.fromkeys([*texts, label]))
        for batch in file.iter_batches(_ROWS_AT_ONCE, columns=names):
            row += batch.num_rows
            yield [batch.column(name) for name in (*texts, label)], n_bytes * row // n_rows


def _arrow_batches(path: Path, texts: list[str], label: str) -> _Batches:
    """Yield the columns of an Arrow file."""
    pyarrow = require("pyarrow", "text", f"{path}: reading it")
    ipc = require("pyarrow.ipc", "text", f"{path}: reading it")
    # The file is not mapped: if another program cut a mapped file short, it would kill the process.
    with pyarrow.OSFile(str(path)) as file:
        schema = ipc.open_file(file).schema
        _check_columns(path, schema, texts, label)
        fields = [schema.get_field_index(name) for name in dict.fromkeys([*texts, label])]
        reader = ipc.open_file(file, options=ipc.IpcReadOptions(included_fields=fields))
        n_bytes, n_batches = path.stat().st_size, reader.num_record_batches
        for i in range(n_batches):
            batch = reader.get_batch(i)
            for row in range(0, batch.num_rows, _ROWS_AT_ONCE):  # a batch may be the whole file
                part = batch.slice(row, _ROWS_AT_ONCE)
                done = i + (row + part.num_rows) / batch.num_rows
                yield (
                    [part.column(name) for name in (*texts, label)],
                    int(n_bytes * done / n_batches),
                )


def _check_columns(path: Path, schema: Any, texts: list[str], label: str) -> None:
    """Check that a table has the columns of texts and one of labels."""
    known = [(text, _STRINGS, "strings") for text in texts]
    for name, kinds, expected in [*known, (label, _LABELS, "strings or whole numbers")]:
        if schema.names.count(name) != 1:
            names = listed(schema.names)
            cure = NAMED + did_you_mean(name, schema.names)
            if name in schema.names:
                cure = "give each column another name"
            raise ValueError(f"{path}: expected one column {name!r}, found {names}; {cure}")
        kind = schema.field(name).type
        kind = str(getattr(kind, "value_type", kind))  # that of encoded values
        if kind not in kinds:
            found = f"in column {name!r}, found {kind!r}"
            raise ValueError(f"{path}: expected {expected} {found}; convert it, or {NAMED}")


def _at_once(columns: list[Any]) -> Part | None:
    """Return the columns of a batch as they are; None if anything is not as expected."""
    for column in columns:
        is_encoded = str(column.type).startswith("dictionary<")
        if column.dictionary.null_count if is_encoded else str(column.type) not in _LABELS:
            return None
    return _part(columns[:-1], columns[-1])


def _part(columns: list[Any], labels: Any) -> Part | None:
    """Return columns of texts, joined, and one of labels as a part; None if a value is missing."""
    arrow = require("pyarrow", "text", "reading tables of columns")
    if labels.null_count or any(column.null_count for column in columns):
        return None
    texts = columns[0]
    if len(columns) > 1:
        # Offsets of 64 bits: the joined texts may exceed 2 GiB where no column does.
        wide = [column.cast(arrow.large_string()) for column in columns]
        compute = require("pyarrow.compute", "text", "joining columns of texts")
        texts = compute.binary_join_element_wise(*wide, arrow.scalar(" ", arrow.large_string()))
    if not arrow.types.is_dictionary(labels.type):
        labels = labels.dictionary_encode()
    if isinstance(labels, arrow.ChunkedArray):
        labels = labels.unify_dictionaries().combine_chunks()
        if isinstance(labels, arrow.ChunkedArray):  # as older versions of pyarrow return it
            if labels.num_chunks != 1:
                return None
            labels = labels.chunk(0)
    known = [label_text(value) for value in labels.dictionary.to_pylist()]
    codes = labels.indices
    # to_numpy would import pandas.
    at, dtype = codes.offset, np.dtype(str(codes.type))
    codes = np.frombuffer(codes.buffers()[1], dtype=dtype)[at : at + len(codes)]
    used, codes = np.unique(codes, return_inverse=True)
    names = [known[code] for code in used]
    # An empty label is missing too.
    return (texts, (codes.astype(np.int32), names)) if all(names) else None


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
