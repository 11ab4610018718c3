"""Tables of columns, Parquet and Arrow files, as texts with their labels."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from termsift import _core
from termsift._util.extras import require
from termsift._util.validation import did_you_mean
from termsift.io._opening import COMPRESSED
from termsift.io._source import NAMED, Options, listed
from termsift.io._texts import TextBlock, TextSource

# The columns of the texts and that of the labels, for some rows, and how many bytes have been read.
_Batches: TypeAlias = Generator[tuple[list[Any], int], None, None]

_ROWS_AT_ONCE = 1 << 12
_STRINGS = ("string", "large_string", "string_view")
_INTEGERS = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
_LABELS = (*_STRINGS, *_INTEGERS, "bool")


class ArrowFile(TextSource):
    """An Arrow file with columns of texts and a column of labels."""

    def __init__(self, path: Path, labels: Path | None, options: Options) -> None:
        super().__init__(path, labels, options)
        if path.suffix.lower() in COMPRESSED:
            raise ValueError(
                f"{path}: expected the file itself, whose columns are compressed within; decompress"
                f" the {path.suffix} file first"
            )
        self._pyarrow = require("pyarrow", "text", f"{path}: reading it")

    def blocks(self) -> Generator[TextBlock, None, None]:
        """Yield the rows, a batch at a time."""
        row = 0
        try:
            with closing(self._batches(*self.columns)) as batches:
                for columns, n_bytes in batches:
                    yield self._block(columns, row, n_bytes)
                    row += len(columns[0])
        except (self._pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            message = _one_line(error)
            raise ValueError(f"{self.path}: damaged or no such table: {message}") from None

    def _block(self, columns: list[Any], row: int, n_bytes: int) -> TextBlock:
        """Return the good ones of some rows, which ``row`` others come before."""
        pyarrow = self._pyarrow
        rows = np.arange(row + 1, row + len(columns[0]) + 1)
        if self._damage(columns):
            faults = [self._damage([c.slice(i, 1) for c in columns]) for i in range(len(rows))]
            for number, fault in zip(rows, faults, strict=True):
                if fault:
                    self.complain(f"{self.path}, row {number}: damaged: {fault}")
            sound = [i for i, fault in enumerate(faults) if not fault]
            columns = [
                pyarrow.concat_arrays([c.slice(0, 0), *(c.slice(i, 1) for i in sound)])
                for c in columns
            ]
            rows = rows[sound]
        *texts, labels = columns
        encoded = labels if hasattr(labels, "dictionary") else labels.dictionary_encode()
        values = [*encoded.dictionary.to_pylist(), None]  # the last one is that of code -1
        names = [_label_text(value) for value in values]
        codes = np.array([-1 if c is None else c for c in encoded.indices.to_pylist()], dtype=int)
        has_label = np.array([name is not None for name in names])[codes]
        valid = [column.is_valid().to_numpy(zero_copy_only=False) for column in texts]
        has_text = np.all(valid, axis=0)
        for i in np.flatnonzero(~(has_text & has_label)):
            fault = f"the label is {values[codes[i]]!r}, expected a string or a whole number"
            if not has_text[i]:
                fault = "the text is missing, expected a string"
            self.complain(f"{self.path}, row {rows[i]}: {fault}")
        text = texts[0]
        if len(texts) > 1:
            # Offsets of 64 bits: the joined texts may exceed 2 GiB where no column does.
            wide = [column.cast(pyarrow.large_string()) for column in texts]
            compute = require("pyarrow.compute", "text", "joining columns of texts")
            blank = pyarrow.scalar(" ", pyarrow.large_string())
            text = compute.binary_join_element_wise(*wide, blank)
        good = np.flatnonzero(has_text & has_label)
        used, codes = np.unique(codes[good], return_inverse=True)
        labels = [str(names[code]) for code in used]
        kept = _core.Texts.of_arrow(text).take(good)
        return TextBlock(kept, codes.astype(np.int32), labels, n_bytes)

    def _damage(self, columns: list[Any]) -> str:
        """Return what pyarrow finds wrong with columns, whose offsets it else follows anywhere."""
        try:
            for column in columns:
                column.validate(full=True)
        except self._pyarrow.ArrowInvalid as error:
            return _one_line(error)
        return ""

    def _batches(self, texts: list[str], label: str) -> _Batches:
        """Yield the columns of texts and labels."""
        ipc = require("pyarrow.ipc", "text", f"{self.path}: reading it")
        # The file is not mapped: if another program cut a mapped file short, it would kill the
        # process.
        with self._pyarrow.OSFile(str(self.path)) as file:
            schema = ipc.open_file(file).schema
            _check_columns(self.path, schema, texts, label)
            fields = [schema.get_field_index(name) for name in dict.fromkeys([*texts, label])]
            reader = ipc.open_file(file, options=ipc.IpcReadOptions(included_fields=fields))
            n_batches = reader.num_record_batches
            for i in range(n_batches):
                batch = reader.get_batch(i)
                for row in range(0, batch.num_rows, _ROWS_AT_ONCE):  # a batch may be the whole file
                    part = batch.slice(row, _ROWS_AT_ONCE)
                    share = (i + (row + part.num_rows) / batch.num_rows) / n_batches
                    columns = [part.column(name) for name in (*texts, label)]
                    yield columns, int(self.n_bytes * share)


class ParquetFile(ArrowFile):
    """A Parquet file with columns of texts and a column of labels."""

    def _batches(self, texts: list[str], label: str) -> _Batches:
        parquet = require("pyarrow.parquet", "text", f"{self.path}: reading it")
        with parquet.ParquetFile(str(self.path)) as file:
            _check_columns(self.path, file.schema_arrow, texts, label)
            n_rows, row = max(file.metadata.num_rows, 1), 0
            # A column that holds texts and labels is read once.
            names = list(dict.fromkeys([*texts, label]))
            for batch in file.iter_batches(_ROWS_AT_ONCE, columns=names):
                row += batch.num_rows
                columns = [batch.column(name) for name in (*texts, label)]
                yield columns, self.n_bytes * row // n_rows


def _check_columns(path: Path, schema: Any, texts: list[str], label: str) -> None:
    """Check that a table has the columns of texts and one of labels."""
    wanted = [(text, _STRINGS, "strings") for text in texts]
    for name, kinds, expected in [*wanted, (label, _LABELS, "strings or whole numbers")]:
        if schema.names.count(name) != 1:
            cure = NAMED + did_you_mean(name, schema.names)
            if name in schema.names:
                cure = "give each column another name"
            names = listed(schema.names)
            raise ValueError(f"{path}: expected one column {name!r}, found {names}; {cure}")
        kind = str(schema.field(name).type)
        if kind.startswith("dictionary<"):
            kind = str(schema.field(name).type.value_type)
        if kind not in kinds:
            where = f"in column {name!r}, found {kind!r}"
            raise ValueError(f"{path}: expected {expected} {where}; convert it, or {NAMED}")


def _label_text(value: object) -> str | None:
    """Return a typed label as text, or None if it is neither a whole number nor a string of text.

    A label must be the same class in every format, and CSV has only text: 1 becomes "1", and true
    becomes "true", as JSON writes it.
    """
    if isinstance(value, bool):
        return json.dumps(value)
    text = str(value) if isinstance(value, (str, int)) else ""
    return text if text.strip() else None


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
