"""Tables of columns, Parquet and Arrow files, as texts with their labels."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from termsift import _core
from termsift._util.extras import require
from termsift._util.validation import did_you_mean
from termsift.io._labels import label_text
from termsift.io._opening import COMPRESSED
from termsift.io._source import NAMED, Options, listed
from termsift.io._texts import TextBlock, TextSource, text_and_label

# The two columns of some rows, and how many bytes have been read.
_Batches: TypeAlias = Generator[tuple[list[Any], int], None, None]

_ROWS_AT_ONCE = 1 << 12
_STRINGS = ("string", "large_string", "string_view")
_INTEGERS = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
_LABELS = (*_STRINGS, *_INTEGERS, "bool")


class ArrowTable(TextSource):
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

    def blocks(self) -> Generator[TextBlock, None, None]:
        """Yield the rows, a batch at a time."""
        pyarrow = require("pyarrow", "text", f"{self.path}: reading it")
        row = 0
        try:
            with closing(self._batches(self.path, *text_and_label(self.options))) as batches:
                for columns, n_bytes in batches:
                    yield self._block(pyarrow, columns, row, n_bytes)
                    row += len(columns[0])
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            message = _one_line(error)
            raise ValueError(f"{self.path}: damaged or no such table: {message}") from None

    def _block(self, pyarrow: Any, columns: list[Any], row: int, n_bytes: int) -> TextBlock:
        """Return the good ones of some rows, which ``row`` others come before."""
        rows = list(range(row + 1, row + len(columns[0]) + 1))
        if _damage(pyarrow, columns):
            faults = [_damage(pyarrow, [c.slice(i, 1) for c in columns]) for i in range(len(rows))]
            for number, fault in zip(rows, faults, strict=True):
                if fault:
                    self.complain(f"{self.path}, row {number}: damaged: {fault}")
            sound = [i for i, fault in enumerate(faults) if not fault]
            empty = [column.slice(0, 0) for column in columns]
            columns = [
                pyarrow.concat_arrays([none, *(column.slice(i, 1) for i in sound)])
                for none, column in zip(empty, columns, strict=True)
            ]
            rows = [rows[i] for i in sound]
        *texts, labels = columns
        encoded = labels if hasattr(labels, "dictionary") else labels.dictionary_encode()
        values = encoded.dictionary.to_pylist()
        names = [label_text(value) for value in values]
        codes = np.array([-1 if code is None else code for code in encoded.indices.to_pylist()])
        is_good = np.ones(len(rows), dtype=bool)
        if labels.null_count or None in names or any(column.null_count for column in texts):
            for i, code in enumerate(codes.tolist()):
                fault = ""
                if not all(column[i].is_valid for column in texts):
                    fault = "the text is missing, expected a string"
                elif code < 0 or names[code] is None:
                    value = None if code < 0 else values[code]
                    fault = f"the label is {value!r}, expected a string or a whole number"
                if fault:
                    is_good[i] = False
                    self.complain(f"{self.path}, row {rows[i]}: {fault}")
        text = texts[0]
        if len(texts) > 1:
            # Offsets of 64 bits: the joined texts may exceed 2 GiB where no column does.
            wide = [column.cast(pyarrow.large_string()) for column in texts]
            compute = require("pyarrow.compute", "text", "joining columns of texts")
            blank = pyarrow.scalar(" ", pyarrow.large_string())
            text = compute.binary_join_element_wise(*wide, blank)
        used, codes = np.unique(codes.astype(int)[is_good], return_inverse=True)
        kept = _core.Texts.of_arrow(text).take(np.flatnonzero(is_good))
        return self.block(n_bytes, kept, codes, [str(names[code]) for code in used])


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
        kind = str(schema.field(name).type)
        if kind.startswith("dictionary<"):
            kind = str(schema.field(name).type.value_type)
        if kind not in kinds:
            found = f"in column {name!r}, found {kind!r}"
            raise ValueError(f"{path}: expected {expected} {found}; convert it, or {NAMED}")


def _damage(pyarrow: Any, columns: list[Any]) -> str:
    """Return what pyarrow finds wrong with columns, whose offsets it else follows anywhere."""
    try:
        for column in columns:
            column.validate(full=True)
    except pyarrow.ArrowInvalid as error:
        return _one_line(error)
    return ""


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
