"""Tables that the core reads: delimited fields (.csv, .tsv, .txt) and JSON objects."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator
from io import BufferedIOBase
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from termsift import _core
from termsift._util.validation import did_you_mean
from termsift.io._opening import check_encoding, opened_text
from termsift.io._source import BLOCK_BYTES, NAMED, Options, TextBlock, TextSource, listed

_COUNTED_BYTES = 1 << 26  # of a table that is counted between two reports of the progress
_DELIMITER_OF = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
_DELIMITERS = ",;\t|"  # that a header is tried with


class TableCounter(Protocol):
    """An object that counts tables in the core, so that nobody needs their texts."""

    def labels(self) -> list[str]:
        """Return the labels of the classes so far, by number."""

    def add_table(self, table: _core.Table, n_bytes: int) -> None:
        """Count about so many bytes of a table, whose classes have these numbers."""


class Table(TextSource):
    """A table of rows that the core reads."""

    @abstractmethod
    def opened(self, content: BufferedIOBase, options: dict[str, Any]) -> _core.Table:
        """Return the table of a content, with options of `_core.Table`."""

    def blocks(self, counter: TableCounter | None = None) -> Generator[TextBlock, None, None]:
        """Yield the texts in order, or count them by ``counter`` and yield empty blocks."""
        codec, nothing = check_encoding(self.options.encoding), _core.Texts.of_strings([])
        options = {
            "skip": self.options.skip,
            "encoding": "UTF-8" if codec == "utf-8-sig" else self.options.encoding.upper(),
            "labels": [] if counter is None else counter.labels(),
            "block_bytes": BLOCK_BYTES if counter is None else BLOCK_BYTES // 4,
        }
        with opened_text(self.path, self.options.encoding) as (content, raw):
            table, labels = self.opened(content, options), list[str]()
            n_skipped, complaints = 0, list[str]()
            while not table.is_done:
                texts, codes = nothing, np.empty(0, np.int32)
                if counter is not None:
                    counter.add_table(table, _COUNTED_BYTES)
                elif block := table.read():
                    texts, codes = block
                    labels += table.labels(len(labels))
                self.skipped.add(table.skipped[len(complaints) :], table.n_skipped - n_skipped)
                n_skipped, complaints = table.n_skipped, table.skipped
                yield TextBlock(texts, codes, labels, raw.tell())
                del texts, codes  # before the next ones are read
                block = None


class JsonTable(Table):
    """A file of JSON objects: one in a line (.jsonl, .ndjson), or also in an array (.json)."""

    def opened(self, content: BufferedIOBase, options: dict[str, Any]) -> _core.Table:
        """Return the table of the objects."""
        texts, label = self.columns
        options |= {"texts": texts, "label": label, "may_be_array": self.kind == ".json"}
        return _core.JsonTable(content.readinto, str(self.path), **options)


class DelimitedTable(Table):
    """A table of fields, with quoting (.csv, .tsv) or without (.txt)."""

    takes = Table.takes | {"delimiter"}

    def __init__(self, path: Path, options: Options, kind: str, labels: Path | None) -> None:
        super().__init__(path, options, kind, labels)
        text, label = options.text, options.label
        if kind == ".txt":
            text, label = text or (2,), 1 if label is None else label
        # The columns of the text, in order, and then that of the label.
        columns = (*(text or ("text",)), "label" if label is None else label)
        self._columns = [
            int(column) if isinstance(column, str) and column.isdecimal() else column
            for column in columns
        ]
        if len(set(map(type, self._columns))) > 1:
            all_ = " and ".join(map(repr, self._columns))
            raise ValueError(f"text and label are names of columns or numbers, not {all_}")
        self._has_header = isinstance(self._columns[0], str)
        usual = _DELIMITER_OF[kind]
        self._delimiters = options.delimiter or usual + _DELIMITERS * self._has_header
        # Without a header, the usual two columns are all: a text with a tab must not lose its end.
        is_usual = not self._has_header and (options.text, options.label) == (None, None)
        self._n_fields = 2 if is_usual else None

    def opened(self, content: BufferedIOBase, options: dict[str, Any]) -> _core.Table:
        """Return the table, with its columns chosen by the first row."""
        path, columns = self.path, list[Any](self._columns)
        options |= {"quoted": self.kind != ".txt"}
        table = _core.DelimitedTable(content.readinto, str(path), **options)
        rows = [(delimiter, *table.first_row(delimiter)) for delimiter in self._delimiters]
        delimiter, line, fields, fault = max(
            rows, key=lambda row: (all(row[2].count(name) == 1 for name in columns), len(row[2]))
        )  # errors show the most fields if no delimiter divides the header as expected
        if fault is not None and self._n_fields is None:
            raise ValueError(fault)
        if not fields and self._has_header:
            both = " and ".join(map(repr, columns))
            raise ValueError(f"{path}: expected a header with the columns {both}, found none")
        n_fields = self._n_fields or len(fields)
        if n_fields:
            names = fields if fault is None and fields else [""] * n_fields
            *texts, label = (_position(f"{path}, line {line}", of, names) for of in columns)
            table.choose(delimiter, texts, label, n_fields, self._has_header)
        return table


def _position(where: str, column: str | int, first: list[str]) -> int:
    """Return the position of a column, which the first row names unless it is a number."""
    cure = f"{NAMED}, by number if there is no header"
    if len(first) == 1:  # something else divides the row
        cure = "name what divides the fields by delimiter (--delimiter)"
    if isinstance(column, str):
        if first.count(column) == 1:
            return first.index(column)
        if column in first:
            cure = "give each column of the header another name"
        elif len(first) > 1:
            cure += did_you_mean(column, first)
        raise ValueError(f"{where}: expected one column {column!r}, found {listed(first)}; {cure}")
    if column < 1:
        raise ValueError(f"columns are numbered from 1, not {column}")
    if column > len(first):
        raise ValueError(f"{where}: expected at least {column} fields, found {len(first)}; {cure}")
    return column - 1
