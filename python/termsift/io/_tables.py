"""Tables of texts: delimited fields, and JSON lines.

Content is read in blocks of whole rows. A block in which everything is as expected is parsed at
once, by pyarrow if it is installed. Any other block is parsed row by row by the standard library,
which decides what is a row, and what is wrong with it and where.
"""

from __future__ import annotations

import csv
import io
import json
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from termsift._util.log import logger
from termsift._util.printable import printable
from termsift._util.validation import did_you_mean
from termsift.io import _blocks
from termsift.io._files import (
    NAME_ENCODING,
    Complain,
    Line,
    check_encoding,
    check_line_ends,
    decoded_lines,
    opened,
    with_line_feeds,
)
from termsift.io._labels import label_text
from termsift.io._source import Options
from termsift.io._texts import Part, Parts, TextSource, in_parts

_DELIMITERS = ",;\t|"  # that a header is tried with
_LONGEST_FIELD = 2**31 - 1  # in characters; fits in a C long on every platform
# What is wrong with quotes, and where a carriage return stands that ends no line.
_QUOTES = (
    "a quote within a quoted field is written twice; if quotes mean nothing in this file, let its "
    "name end in .txt and name its columns by text and label (--text, --label)"
)
_LONE_RETURN = "a carriage return without a line feed; put the field that holds it in quotes"
_LONGEST_SHOWN = 60  # characters of a value in a message

# The first and the last line of a row, its fields, and what is wrong with it.
_Row: TypeAlias = tuple[int, int, list[str], str | None]


class DelimitedTable(TextSource):
    """A table of fields, with quoting (CSV, TSV) or without (``label<TAB>text``)."""

    takes = TextSource.takes | {"delimiter"}

    def __init__(
        self,
        path: Path,
        labels: Path | None,
        options: Options,
        *,
        delimiter: str,
        quoted: bool,
        default: tuple[str | int, str | int],
    ) -> None:
        super().__init__(path, labels, options)
        self._delimiter, self._quoted = options.delimiter or delimiter, quoted
        given = options.text, options.label
        label = default[1] if options.label is None else options.label
        # The columns of the text, in order, and then that of the label.
        self._columns = [_column(column) for column in (*(options.text or default[:1]), label)]
        if len({isinstance(column, int) for column in self._columns}) > 1:
            all_ = " and ".join(repr(column) for column in self._columns)
            raise ValueError(f"text and label are names of columns or numbers, not {all_}")
        self._has_header = not isinstance(self._columns[0], int)
        # Without a header, the usual two columns are all: a text with a tab must not lose its end.
        self._n_fields = 2 if given == (None, None) and isinstance(default[0], int) else None
        self._first: tuple[str, str] | None = None  # the first row, without a header

    def parts(self, complain: Complain) -> Parts:
        """Yield the rows; the first one is the header if columns are given by name."""
        first, n_parts = None, 0  # the first row, while no other has its label
        self._first = None
        with closing(self._parts(complain)) as parts:
            for texts, labels in parts:
                names = labels if isinstance(labels, list) else labels[1]
                if n_parts == 0:
                    first = self._first  # None if it was left out
                elif first is not None and first[1] in names:
                    first = None
                n_parts += 1
                yield texts, labels
                del texts, labels  # before the next ones are read
        if first is not None and n_parts > 1 and all(name.isidentifier() for name in first):
            logger.warning(
                "%s: the first row, with the text %r and the label %r, was counted as a document; "
                "if it is a header, %s",
                printable(str(self.path)),
                *first,
                NAMED,
            )

    def _parts(self, complain: Complain) -> Parts:
        check_line_ends(self.path, self.options.encoding)
        with opened(self.path) as (content, raw), _long_fields():
            content = with_line_feeds(content, self.path)
            self.bytes_read = raw.tell
            rows = _Rows(self.path, self.options.encoding, self._delimiter, self._quoted, complain)
            first = self._first_lines(content, rows)
            line = 1
            for begin, end, fields, fault in rows.parsed(first, line):
                line = end + 1
                if fault is None:
                    where = f"{self.path}, line {begin}"
                    rows.positions = [_position(where, of, fields) for of in self._columns]
                    rows.n_fields = self._n_fields or len(fields)
                    if not self._has_header:
                        self._first = rows.checked(begin, end, fields, None)
                        if self._first is not None:
                            yield [self._first[0]], [self._first[1]]
                    break
                rows.checked(begin, end, fields, fault)
            else:
                if self._has_header:
                    both = " and ".join(repr(column) for column in self._columns)
                    raise ValueError(
                        f"{self.path}: expected a header with the columns {both}, found none"
                    )
                return
            blocks = _blocks.whole_rows(content, rows.delimiter if self._quoted else None)
            for block, is_sound in blocks:
                part = rows.at_once(block) if is_sound else None
                if part is not None:
                    yield part
                else:
                    taken = [block] if is_sound else chain([block], (block for block, _ in blocks))
                    lines = chain.from_iterable(map(io.BytesIO, taken))
                    yield from in_parts(rows.one_by_one(lines, line))
                line += block.count(b"\n")
                del block, part

    def _first_lines(self, content: BinaryIO, rows: _Rows) -> Iterator[bytes]:
        """Return the lines of the content, one at a time, and find what divides the header."""
        lines = iter(content.readline, b"")
        if not self._has_header or self.options.delimiter is not None:
            return lines
        begin = list[bytes]()
        for line in lines:
            begin.append(line)
            if line.strip():
                break
        if begin:
            header = begin[-1].decode(check_encoding(self.options.encoding), "replace")
            for delimiter in self._delimiter + _DELIMITERS:
                names = list[str]()
                with suppress(csv.Error):  # which is told where the header is parsed
                    names = next(csv.reader([header], delimiter=delimiter), [])
                if all(names.count(str(column)) == 1 for column in self._columns):
                    rows.delimiter = delimiter
                    break
        return chain(begin, lines)


class _Rows:
    """The rows of a table: how they are divided, and which fields are read."""

    def __init__(
        self, path: Path, encoding: str, delimiter: str, quoted: bool, complain: Complain
    ) -> None:
        self._path, self._encoding, self._complain = path, encoding, complain
        self.delimiter, self._quoted = delimiter, quoted
        self.positions, self.n_fields = list[int](), 0

    def at_once(self, block: bytes) -> Part | None:
        """Parse a block of whole rows; None if anything is not as expected."""
        codec = check_encoding(self._encoding).removesuffix("-sig")
        try:
            encoded = block if codec == "utf-8" else block.decode(codec).encode()
            part = _blocks.parsed_fields(
                encoded, self.delimiter, self.positions, self.n_fields, quoted=self._quoted
            )
            return part or self._parsed_by_csv(encoded)
        except UnicodeError:
            return None

    def _parsed_by_csv(self, block: bytes) -> Part | None:
        quoting: Any = csv.QUOTE_MINIMAL if self._quoted else csv.QUOTE_NONE
        lines = map(bytes.decode, io.BytesIO(block))
        reader = csv.reader(lines, delimiter=self.delimiter, quoting=quoting, strict=True)
        texts, labels = list[str](), list[str]()
        *columns, label = self.positions
        first = columns[0] if len(columns) == 1 else None  # the usual case, which is the faster
        try:
            for row in reader:
                if row:
                    if len(row) != self.n_fields:
                        return None
                    joined = (
                        " ".join(row[text] for text in columns) if first is None else row[first]
                    )
                    texts.append(joined)
                    labels.append(row[label])
        except csv.Error:
            return None
        return (texts, labels) if all(map(str.strip, set(labels))) else None

    def one_by_one(self, lines: Iterable[bytes], first: int) -> Iterator[tuple[str, str]]:
        """Yield the text and the label of each good row."""
        for row in self.parsed(lines, first):
            if pair := self.checked(*row):
                yield pair

    def checked(
        self, begin: int, end: int, fields: list[str], fault: str | None
    ) -> tuple[str, str] | None:
        """Return the text and the label of a row, or complain of what is wrong with it."""
        if fault is None and len(fields) != self.n_fields:
            fault = f"expected {self.n_fields} fields, found {len(fields)}"
            if self._quoted and len(fields) > self.n_fields:
                fault += f"; a field with {self.delimiter!r} in it must begin and end with a quote"
        if fault is None:
            *texts, label = (fields[position] for position in self.positions)
            if label.strip():
                return " ".join(texts), label
            fault = "the label is blank" if label else "the label is empty"
        self._complain(f"{self._path}, {_lines(begin, end)}: {fault}")
        return None

    def parsed(self, lines: Iterable[bytes], first: int) -> Iterator[_Row]:
        """Yield the rows that are not blank, as the standard library parses them."""
        decoded = decoded_lines(lines, self._encoding, first)
        return self._parsed_quoted(decoded, first) if self._quoted else self._parsed_lines(decoded)

    def _parsed_lines(self, lines: Iterable[Line]) -> Iterator[_Row]:
        for number, line, fault in lines:
            if line := line.rstrip("\r\n"):
                yield (
                    number,
                    number,
                    line.split(self.delimiter),
                    fault and fault + NAME_ENCODING,
                )

    def _parsed_quoted(self, lines: Iterable[Line], first: int) -> Iterator[_Row]:
        taken, faults = list[str](), list[str]()  # of the current row

        def remembered() -> Iterator[str]:
            for _, line, fault in lines:
                taken.append(line)
                faults.extend([] if fault is None else [fault])
                yield line

        reader = csv.reader(remembered(), delimiter=self.delimiter, strict=True)
        while True:
            taken.clear()
            faults.clear()
            begin = first + reader.line_num
            try:
                fields, fault = next(reader, None), None
            except csv.Error as error:
                fields, fault = [], str(error)
                if fault.startswith("new-line character"):
                    fault = _LONE_RETURN
                if any('"' in line for line in taken):
                    # It is unknown where the next row begins, so this is an error even with skip.
                    where = f"{self._path}, {_lines(begin, first + reader.line_num - 1)}"
                    raise ValueError(f"{where}: {fault}; {_QUOTES}") from None
            if fields is None:
                return
            fault = faults[0] + NAME_ENCODING if faults else fault
            if fields or fault:
                yield begin, first + reader.line_num - 1, fields, fault


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


NAMED = "name the columns by text and label (--text, --label)"


def _column(column: str | int) -> str | int:
    """Return a column's number as an integer, and its name as it is."""
    return int(column) if isinstance(column, str) and column.isdecimal() else column


def _position(where: str, column: str | int, first: list[str]) -> int:
    """Return the position of a column, which the first row names unless it is a number."""
    # One field suggests that the row is divided by something else.
    cure = "name what divides the fields by delimiter (--delimiter)"
    if len(first) > 1:
        cure = f"{NAMED}, by number if there is no header"
    if isinstance(column, str):
        if first.count(column) != 1:
            found = listed(first)
            if column in first:
                cure = "give each column of the header another name"
            elif len(first) > 1:
                cure += did_you_mean(column, first)
                parts = column.split(",")
                if len(parts) > 1 and all(first.count(part) == 1 for part in parts):
                    cure = f"for several columns, name each: {_each(parts)}"
            raise ValueError(f"{where}: expected one column {column!r}, found {found}; {cure}")
        return first.index(column)
    if column < 1:
        raise ValueError(f"columns are numbered from 1, not {column}")
    if column > len(first):
        raise ValueError(f"{where}: expected at least {column} fields, found {len(first)}; {cure}")
    return column - 1


def _each(columns: list[str]) -> str:
    """Show how several columns of text are named."""
    options = " ".join(f"--text {column}" for column in columns)
    return f"text={columns!r}, or {options}"


class JsonLines(TextSource):
    """A table with a JSON object per line."""

    def parts(self, complain: Complain) -> Parts:
        """Yield the rows; blank lines are ignored."""
        check_line_ends(self.path, self.options.encoding)
        self._texts, self._label = text_and_label(self.options)
        codec = check_encoding(self.options.encoding)
        with opened(self.path) as (content, raw):
            content = with_line_feeds(content, self.path)
            self.bytes_read = raw.tell
            line = 1
            for block, _ in _blocks.whole_rows(content, None):
                part = None
                with suppress(UnicodeError):
                    encoded = block if codec == "utf-8-sig" else block.decode(codec).encode()
                    encoded = encoded.removeprefix(BOM_UTF8 if line == 1 else b"")
                    part = _blocks.parsed_json(encoded, self._texts, self._label)
                if part is not None:
                    yield part
                else:
                    yield from in_parts(self._one_by_one(io.BytesIO(block), line, complain))
                line += block.count(b"\n")
                del block, part

    def _one_by_one(
        self, lines: Iterable[bytes], first: int, complain: Complain
    ) -> Iterator[tuple[str, str]]:
        """Yield the text and the label of each good line."""
        for number, line, fault in decoded_lines(lines, self.options.encoding, first):
            where = f"{self.path}, line {number}"
            if fault is not None:
                complain(f"{where}: {fault}{NAME_ENCODING}")
            elif line.strip():
                try:
                    pair = _json_pair(where, line, self._texts, self._label)
                except ValueError as exc:
                    complain(str(exc))
                else:
                    yield pair


def text_and_label(options: Options) -> tuple[list[str], str]:
    """Return the names of the columns of texts and of the labels."""
    texts = ["text"] if options.text is None else [str(name) for name in options.text]
    return texts, "label" if options.label is None else str(options.label)


def _json_pair(where: str, line: str, text_keys: list[str], label_key: str) -> tuple[str, str]:
    """Return the text and the label of a line."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as exc:
        raise ValueError(f"{where}: expected one JSON object in the line: {exc}") from None
    if not isinstance(record, dict):
        raise ValueError(f"{where}: expected one JSON object, found {type(record).__name__}")
    for key in (*text_keys, label_key):
        if key not in record:
            cure = NAMED + did_you_mean(key, record)
            raise ValueError(f"{where}: expected a key {key!r}, found {listed(record)}; {cure}")
    label = label_text(record[label_key])
    for key in text_keys:
        if not isinstance(record[key], str):
            found = "null" if record[key] is None else type(record[key]).__name__
            raise ValueError(f"{where}: expected a string as {key!r}, found {found}")
    if label is None:
        found = printable(repr(record[label_key]), _LONGEST_SHOWN)
        raise ValueError(f"{where}: expected a label, a string or a whole number, found {found}")
    return " ".join(record[key] for key in text_keys), label


def listed(names: Iterable[str]) -> str:
    """Return names as a message shows them."""
    return ", ".join(repr(name) for name in names) or "none"
