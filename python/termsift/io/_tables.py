"""Tables of texts: delimited fields, and JSON lines."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from termsift._util.printable import printable
from termsift.io._files import Complain, decoded_lines, opened
from termsift.io._labels import label_text
from termsift.io._source import Options
from termsift.io._texts import Rows, TextSource

_LONGEST_FIELD = 2**31 - 1  # in characters; fits in a C long on every platform
_LONGEST_SHOWN = 60  # characters of a value in a message

# The first and the last line of a row, its fields, and what is wrong with it.
_Row: TypeAlias = tuple[int, int, list[str], str | None]


class DelimitedTable(TextSource):
    """A table of fields, with quoting (CSV, TSV) or without (``label<TAB>text``)."""

    def __init__(
        self,
        path: Path,
        labels: Path | None,
        options: Options,
        *,
        dialect: type[csv.Dialect] | None,
        default: tuple[str | int, str | int],
    ) -> None:
        super().__init__(path, labels, options)
        self._dialect = dialect
        given = options.text, options.label
        self._columns = [
            _column(usual if column is None else column)
            for column, usual in zip(given, default, strict=True)
        ]
        # Without a header, the usual two columns are all: a text with a tab must not lose its end.
        self._n_fields = 2 if given == (None, None) and isinstance(default[0], int) else None

    def rows(self, complain: Complain) -> Rows:
        """Yield the rows; the first one is the header if columns are given by name."""
        columns, n_fields = self._columns, self._n_fields
        has_header = not isinstance(columns[0], int)
        positions: list[int] | None = None
        with opened(self.path) as (content, raw), _long_fields():
            self.bytes_read = raw.tell
            faults = list[str]()
            lines = decoded_lines(self.path, content, self.options.encoding, faults.append)
            parse = self._unquoted if self._dialect is None else self._quoted
            for begin, end, fields, fault in parse(lines, faults):
                if fault is None and positions is None:
                    positions = _positions(f"{self.path}, line {begin}", columns, fields)
                    n_fields = n_fields or len(fields)
                    if has_header:
                        continue
                if fault is None and len(fields) != n_fields:
                    fault = f"expected {n_fields} fields, found {len(fields)}"
                if positions is not None and fault is None:
                    text, label = (fields[position] for position in positions)
                    if label:
                        yield text, label
                        continue
                    fault = "the label is empty"
                complain(f"{self.path}, {_lines(begin, end)}: {fault}")
        if has_header and positions is None:
            both = " and ".join(repr(column) for column in columns)
            raise ValueError(f"{self.path}: expected a header with the columns {both}, found none")

    def _unquoted(self, lines: Iterable[str], faults: list[str]) -> Iterator[_Row]:
        """Yield the lines that are not blank, split at their tabs."""
        for number, line in enumerate(lines, 1):
            fault = f"expected {self.options.encoding.upper()}" if faults else None
            faults.clear()
            if line := line.rstrip("\r\n"):
                yield number, number, line.split("\t"), fault

    def _quoted(self, lines: Iterable[str], faults: list[str]) -> Iterator[_Row]:
        """Yield the rows that are not blank, as csv parses them."""
        taken = list[str]()  # the lines of the current row

        def remembered() -> Iterator[str]:
            for line in lines:
                taken.append(line)
                yield line

        assert self._dialect is not None
        reader = csv.reader(remembered(), self._dialect, strict=True)
        while True:
            taken.clear()
            faults.clear()
            begin = reader.line_num + 1
            try:
                fields, fault = next(reader, None), None
            except csv.Error as error:
                fields, fault = [], str(error)
                if any('"' in line for line in taken):
                    # It is unknown where the next row begins, so this is an error even with skip.
                    where = f"{self.path}, {_lines(begin, reader.line_num)}"
                    raise ValueError(
                        f"{where}: {error}; a quote within a quoted field is written twice"
                    ) from None
            if fields is None:
                return
            fault = f"expected {self.options.encoding.upper()}" if faults else fault
            if fields or fault:
                yield begin, reader.line_num, fields, fault


def _lines(begin: int, end: int) -> str:
    return f"line {begin}" if begin == end else f"lines {begin} to {end}"


@contextmanager
def _long_fields() -> Iterator[None]:
    """Let fields be longer than the 128 KB that csv allows."""
    usual = csv.field_size_limit(_LONGEST_FIELD)  # the limit is the process's, so it is put back
    try:
        yield
    finally:
        csv.field_size_limit(usual)


def _column(column: str | int) -> str | int:
    """Return a column's number as an integer, and its name as it is."""
    return int(column) if isinstance(column, str) and column.isdecimal() else column


def _positions(where: str, columns: Sequence[str | int], first: list[str]) -> list[int]:
    """Return the positions of columns, which the first row names unless they are numbers."""
    if len({isinstance(column, int) for column in columns}) > 1:
        both = " and ".join(repr(column) for column in columns)
        raise ValueError(f"text and label are two names of columns or two numbers, not {both}")
    return [_position(where, column, first) for column in columns]


def _position(where: str, column: str | int, first: list[str]) -> int:
    if isinstance(column, str):
        if first.count(column) != 1:
            raise ValueError(f"{where}: expected one column {column!r}, found {listed(first)}")
        return first.index(column)
    if column < 1:
        raise ValueError(f"columns are numbered from 1, not {column}")
    if column > len(first):
        raise ValueError(f"{where}: expected at least {column} fields, found {len(first)}")
    return column - 1


class JsonLines(TextSource):
    """A table with a JSON object per line."""

    def rows(self, complain: Complain) -> Rows:
        """Yield the rows; blank lines are ignored."""
        text, label = self.options.text, self.options.label
        text_key = "text" if text is None else str(text)
        label_key = "label" if label is None else str(label)
        with opened(self.path) as (content, raw):
            self.bytes_read = raw.tell
            faults = list[str]()
            lines = decoded_lines(self.path, content, self.options.encoding, faults.append)
            for number, line in enumerate(lines, 1):
                if faults:
                    complain(faults.pop())
                elif line.strip():
                    try:
                        where = f"{self.path}, line {number}"
                        pair = _json_pair(where, line, text_key, label_key)
                    except ValueError as exc:
                        complain(str(exc))
                    else:
                        yield pair


def _json_pair(where: str, line: str, text_key: str, label_key: str) -> tuple[str, str]:
    """Return the text and the label of a line."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as exc:
        raise ValueError(f"{where}: expected a JSON object: {exc}") from None
    if not isinstance(record, dict):
        raise ValueError(f"{where}: expected a JSON object, found {type(record).__name__}")
    for key in (text_key, label_key):
        if key not in record:
            raise ValueError(f"{where}: expected a key {key!r}, found {listed(record)}")
    text, label = record[text_key], label_text(record[label_key])
    if not isinstance(text, str):
        found = type(text).__name__
        raise ValueError(f"{where}: expected a string as {text_key!r}, found {found}")
    if label is None:
        found = printable(repr(record[label_key]), _LONGEST_SHOWN)
        raise ValueError(f"{where}: expected a label, a string or a whole number, found {found}")
    return text, label


def listed(names: Iterable[str]) -> str:
    """Return names as a message shows them."""
    return ", ".join(repr(name) for name in names) or "none"
