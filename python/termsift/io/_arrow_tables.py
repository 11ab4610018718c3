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
from termsift.io._opening import COMPRESSED
from termsift.io._source import NAMED, Options, TextBlock, TextSource, coded, listed

# The columns of the texts and that of the labels, for some rows, and how many bytes have been read.
_Batches: TypeAlias = Generator[tuple[list[Any], int], None, None]

_ROWS_AT_ONCE = 1 << 12
_STRINGS = ("string", "large_string", "string_view")
_INTEGERS = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))


class ArrowTable(TextSource):
    """A Parquet or an Arrow file with columns of texts and a column of labels."""

    def __init__(self, path: Path, options: Options, kind: str, labels: Path | None) -> None:
        super().__init__(path, options, kind, labels)
        if path.suffix.lower() in COMPRESSED:
            raise ValueError(
                f"{path}: expected the file itself, whose columns are compressed within; decompress"
                f" the {path.suffix} file first"
            )
        self._pyarrow = require("pyarrow", "text", f"{path}: reading it")

    def blocks(self) -> Generator[TextBlock, None, None]:
        """Yield the rows, a batch at a time."""
        texts, label = self.columns
        row = 0
        try:
            batches = self._of_parquet if self.kind == ".parquet" else self._of_arrow
            with closing(batches([*texts, label])) as parts:
                for columns, n_bytes in parts:
                    yield self._block(columns, row, n_bytes)
                    row += len(columns[0])
        except (self._pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            message = _one_line(error)
            raise ValueError(f"{self.path}: damaged or no such table: {message}") from None

    def _block(self, columns: list[Any], row: int, n_bytes: int) -> TextBlock:
        """Return the good ones of some rows; ``row`` others come before them."""
        pyarrow = self._pyarrow
        try:
            for column in columns:  # or the core would follow wrong offsets
                column.validate(full=True)
        except pyarrow.ArrowInvalid as error:
            rows = f"rows {row + 1} to {row + len(columns[0])}"
            raise ValueError(f"{self.path}, {rows}: damaged: {_one_line(error)}") from None
        *texts, label = columns
        text = texts[0]
        if len(texts) > 1:
            # Offsets of 64 bits: the joined texts may exceed 2 GiB where no column does.
            wide = [column.cast(pyarrow.large_string()) for column in texts]
            compute = require("pyarrow.compute", "text", "joining columns of texts")
            blank = pyarrow.scalar(" ", pyarrow.large_string())
            text = compute.binary_join_element_wise(*wide, blank)
        if hasattr(label, "dictionary"):
            label = label.dictionary_decode()
        # A label means the same in every format: 1 is "1", and true is "true", as JSON writes it.
        labels = label.cast(pyarrow.string()).to_pylist()
        kept = _core.Texts.of_arrow(text)
        has_text = np.ones(len(labels), dtype=bool)
        has_text[kept.missing] = False
        has_label = np.array([bool(label and label.strip()) for label in labels], dtype=bool)
        good = np.flatnonzero(has_text & has_label)
        if len(good) < len(labels):
            for i in np.flatnonzero(~(has_text & has_label)):
                fault = f"the label is {labels[i]!r}, expected a string or a whole number"
                if not has_text[i]:
                    fault = "the text is missing, expected a string"
                self.complain(f"{self.path}, row {row + i + 1}: {fault}")
            kept, labels = kept.take(good), [labels[i] for i in good]
        return TextBlock(kept, *coded(labels), n_bytes)

    def _of_arrow(self, names: list[str]) -> _Batches:
        """Yield the columns of an Arrow file."""
        ipc = require("pyarrow.ipc", "text", f"{self.path}: reading it")
        # The file is not mapped: if another program cut a mapped file short, it would kill the
        # process.
        with self._pyarrow.OSFile(str(self.path)) as file:
            schema = ipc.open_file(file).schema
            _check_columns(self.path, schema, names)
            fields = [schema.get_field_index(name) for name in dict.fromkeys(names)]
            reader = ipc.open_file(file, options=ipc.IpcReadOptions(included_fields=fields))
            n_batches = reader.num_record_batches
            for i in range(n_batches):
                batch = reader.get_batch(i)
                n_bytes = self.n_bytes * (i + 1) // n_batches
                for row in range(0, batch.num_rows, _ROWS_AT_ONCE):  # a batch may be the whole file
                    part = batch.slice(row, _ROWS_AT_ONCE)
                    yield [part.column(name) for name in names], n_bytes

    def _of_parquet(self, names: list[str]) -> _Batches:
        """Yield the columns of a Parquet file."""
        parquet = require("pyarrow.parquet", "text", f"{self.path}: reading it")
        with parquet.ParquetFile(str(self.path)) as file:
            _check_columns(self.path, file.schema_arrow, names)
            n_rows, row = max(file.metadata.num_rows, 1), 0
            # A column that holds texts and labels is read once.
            for batch in file.iter_batches(_ROWS_AT_ONCE, columns=list(dict.fromkeys(names))):
                row += batch.num_rows
                yield [batch.column(name) for name in names], self.n_bytes * row // n_rows


def _check_columns(path: Path, schema: Any, names: list[str]) -> None:
    """Check that a table has columns of texts and, with the last name, a column of labels."""
    for i, name in enumerate(names, 1):
        if schema.names.count(name) != 1:
            cure = NAMED + did_you_mean(name, schema.names)
            if name in schema.names:
                cure = "give each column another name"
            found = listed(schema.names)
            raise ValueError(f"{path}: expected one column {name!r}, found {found}; {cure}")
        of_column = schema.field(name).type
        is_dictionary = str(of_column).startswith("dictionary<")
        kind = str(of_column.value_type if is_dictionary else of_column)
        is_label = i == len(names)
        if kind not in _STRINGS and not (is_label and kind in (*_INTEGERS, "bool")):
            expected = "strings or whole numbers" if is_label else "strings"
            where = f"in column {name!r}, found {str(of_column)!r}"
            raise ValueError(f"{path}: expected {expected} {where}; convert it, or {NAMED}")


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
