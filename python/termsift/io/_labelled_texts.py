"""Readers of texts with their labels: tables, JSON lines, folders of class folders.

Each is a generator of (text, label) pairs that holds one document at a time, and an open file until
it is closed. Labels are strings whatever the format, as `label_text` makes them.
"""

from __future__ import annotations

import csv
import json
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol, TypeAlias

from termsift._util.files import Complain, lines, refuse, whole_text
from termsift._util.log import logger
from termsift._util.printable import printable
from termsift._util.progress import progress

_LONGEST_FIELD = 2**31 - 1  # of a table, in characters; a C long on every platform
_LONGEST_SHOWN = 60  # characters of a value in a message
_LONGEST_TEXT = 1000  # lines of a quoted text, which are looked through for its end if it is wrong

# A generator that is left half-way keeps its file open until it is closed: hence `closing`.
Pairs: TypeAlias = Generator[tuple[str, str], None, None]


class _RawTabs(csv.excel_tab):
    """Tabs between fields, and nothing else means anything."""

    quoting = csv.QUOTE_NONE


def _delimited(
    path: Path,
    text: str | int | None,
    label: str | int | None,
    encoding: str,
    *,
    dialect: type[csv.Dialect],
    default: tuple[str | int, str | int],
    content: BinaryIO | None = None,
    complain: Complain = refuse,
) -> Pairs:
    """Yield the (text, label) pairs of a table of delimited fields."""
    columns = _column(text, default[0]), _column(label, default[1])
    has_header = not isinstance(columns[0], int)
    first, text_at, label_at, n_fields = list[str](), 0, 0, 0
    with closing(_lines(path, encoding, content)) as numbered, _long_fields():
        rows = _Rows(numbered, dialect)
        for begins, fields, fault in rows:
            if fault is None and not first:
                first = fields
                text_at, label_at = _positions(f"{path}, line {begins}", columns, first)
                # A text that holds a tab must not lose what follows it.
                n_fields = 2 if (text, label, has_header) == (None, None, False) else len(first)
                if has_header:
                    continue
            if fault is None and len(fields) != n_fields:
                fault = f"expected {n_fields} fields, found {len(fields)}"
            elif fault is None and not fields[label_at]:
                fault = "the label is empty"
            if fault is None:
                yield fields[text_at], fields[label_at]
            else:
                ends = rows.leave_out()
                where = f"line {begins}" if ends == begins else f"lines {begins} to {ends}"
                complain(f"{path}, {where}: {fault}")
    if has_header and not first:
        both = " and ".join(repr(column) for column in columns)
        raise ValueError(f"{path}: expected a header with the columns {both}, found none")


class _Line(NamedTuple):
    number: int
    text: str
    fault: str | None  # what is wrong with its bytes


def _lines(path: Path, encoding: str, content: BinaryIO | None) -> Generator[_Line, None, None]:
    """Yield the lines of a file, those that are no text with what is wrong with them."""
    faults = list[str]()
    with closing(lines(path, encoding, content, faults.append)) as texts:
        for number, text in enumerate(texts, 1):
            yield _Line(number, text, f"expected {encoding.upper()}" if faults else None)
            faults.clear()


@contextmanager
def _long_fields() -> Iterator[None]:
    """Let fields be as long as documents are: longer than csv's 128 KB sooner or later."""
    usual = csv.field_size_limit(_LONGEST_FIELD)  # that of the whole process: it is put back
    try:
        yield
    finally:
        csv.field_size_limit(usual)


class _Rows:
    """The rows of a table that are not blank: on which line each begins, and what is wrong with it.

    A row with a quote too many or too few seems to go on to the next quote of another row, or to
    end before its text does. `leave_out` finds where the rows after it begin.
    """

    def __init__(self, numbered: Iterator[_Line], dialect: type[csv.Dialect]) -> None:
        self._lines, self._dialect = numbered, dialect
        self._ahead = deque[_Line]()  # lines that have been looked at, and are still to be read
        self._row = list[_Line]()  # the lines of the last row
        self._reader = self._new_reader()

    def _new_reader(self) -> Iterator[list[str]]:
        return csv.reader(self._feed(), self._dialect, strict=True)

    def _feed(self) -> Iterator[str]:
        while line := self._ahead.popleft() if self._ahead else next(self._lines, None):
            self._row.append(line)
            yield line.text

    def __iter__(self) -> Iterator[tuple[int, list[str], str | None]]:
        while True:
            self._row.clear()
            try:
                fields, fault = next(self._reader, None), None
            except csv.Error as error:
                fields, fault = [], str(error)
            if fields is None:
                return
            begins = self._row[0].number
            for line in self._row:
                if line.fault is not None:
                    there = "" if line.number == begins else f" in line {line.number}"
                    fault = f"{line.fault}{there}"
            if fields or fault:
                yield begins, fields, fault

    def leave_out(self) -> int:
        """Leave out the last row, and give its last line, after which the next row begins.

        That is its first line, as any line may begin a row. But where a quoted text goes on to a
        line that only ends one, that is the last, lest what is text be taken for rows.
        """
        first, *rest = self._row
        self._ahead.extendleft(reversed(rest))
        self._reader = self._new_reader()
        last = first.number
        for _ in range(self._lines_of_text() if self._is_half_quoted(first) else 0):
            last = self._ahead.popleft().number
        return last

    def _lines_of_text(self) -> int:
        """Count the lines ahead up to one that ends a quoted text, if it begins none itself."""
        for n in range(_LONGEST_TEXT):
            if n == len(self._ahead):
                line = next(self._lines, None)
                if line is None:
                    break
                self._ahead.append(line)
            if self._is_half_quoted(self._ahead[n]):
                return 0 if self._begins_text(self._ahead[n]) else n + 1
        return 0

    def _is_half_quoted(self, line: _Line) -> bool:
        return self._dialect.quoting != csv.QUOTE_NONE and line.text.count('"') % 2 == 1

    def _begins_text(self, line: _Line) -> bool:
        """Whether a quoted text begins on a line, and does not end there."""
        more = iter([line.text, '"'])
        with suppress(csv.Error):
            next(csv.reader(more, self._dialect, strict=True), None)
        return next(more, None) is None  # the reader has asked for the next line


def _column(given: str | int | None, usual: str | int) -> str | int:
    """Tell a column's number from its name."""
    column = usual if given is None else given
    return int(column) if isinstance(column, str) and column.isdecimal() else column


def _positions(where: str, columns: Sequence[str | int], first: list[str]) -> list[int]:
    """Find the columns in the first row: a header of names, unless they are given by number."""
    if len({isinstance(column, int) for column in columns}) > 1:
        both = " and ".join(repr(column) for column in columns)
        raise ValueError(f"text and label are two names of columns or two numbers, not {both}")
    return [
        _numbered(where, column, first) if isinstance(column, int) else _named(where, column, first)
        for column in columns
    ]


def _numbered(where: str, column: int, first: list[str]) -> int:
    if column < 1:
        raise ValueError(f"columns are numbered from 1, not {column}")
    if column > len(first):
        raise ValueError(f"{where}: expected at least {column} fields, found {len(first)}")
    return column - 1


def _named(where: str, column: str, header: list[str]) -> int:
    if header.count(column) != 1:
        raise ValueError(f"{where}: expected one column {column!r}, found {listed(header)}")
    return header.index(column)


def _json_lines(
    path: Path,
    text: str | int | None,
    label: str | int | None,
    encoding: str,
    content: BinaryIO | None = None,
    complain: Complain = refuse,
) -> Pairs:
    """Yield the (text, label) pairs of a JSON object a line."""
    text_key = "text" if text is None else str(text)
    label_key = "label" if label is None else str(label)
    with closing(_lines(path, encoding, content)) as numbered:
        for number, line, fault in numbered:
            if fault is not None:
                complain(f"{path}, line {number}: {fault}")
            elif line.strip():
                try:
                    pair = _json_pair(f"{path}, line {number}", line, text_key, label_key)
                except ValueError as exc:
                    complain(str(exc))
                else:
                    yield pair


def _json_pair(where: str, line: str, text_key: str, label_key: str) -> tuple[str, str]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as exc:
        raise ValueError(f"{where}: expected a JSON object: {exc}") from None
    if not isinstance(record, dict):
        raise ValueError(f"{where}: expected a JSON object, found {type(record).__name__}")
    for key in (text_key, label_key):
        if key not in record:
            raise ValueError(f"{where}: expected a key {key!r}, found {listed(record)}")
    document, its_label = record[text_key], label_text(record[label_key])
    if not isinstance(document, str):
        found = type(document).__name__
        raise ValueError(f"{where}: expected a string as {text_key!r}, found {found}")
    if its_label is None:
        found = printable(repr(record[label_key]), _LONGEST_SHOWN)
        raise ValueError(f"{where}: expected a label, a string or a whole number, found {found}")
    return document, its_label


def label_text(value: object) -> str | None:
    """Return a label of a file as text; None if it is neither a string nor a whole number.

    Formats with types write a number or a truth value that CSV has as text. The same label must be
    the same class in all of them, so 1 is "1", and true is "true" as JSON has it.
    """
    if isinstance(value, bool):
        return json.dumps(value)
    return str(value) if isinstance(value, (str, int)) and value != "" else None


def folder_of_classes(
    path: Path, encoding: str, *, shows: bool = True, complain: Complain = refuse
) -> Pairs:
    """Yield the (text, label) pairs of a folder whose sub-folders are the classes.

    ``shows``: its own progress, which somebody else may do.
    """
    folders = [entry for entry in visible(path) if entry.is_dir()]
    if not folders:
        raise ValueError(f"{path}: has no sub-folders; expected one a class, of a file a document")
    listed = {folder.name: visible(folder) for folder in folders}
    n_files = sum(map(len, listed.values()))
    read = 0
    with progress("read", n_files, "files") if shows else nullcontext() as report:
        for label, files in listed.items():
            if not files:
                logger.warning("%s: a class without documents is no class", path / label)
            for file in files:
                try:
                    if not file.is_file():  # a folder, a pipe, a link to nothing
                        raise ValueError(
                            f"{file}: expected a file, a document of the class {label!r}"
                        )
                    text = whole_text(file, encoding)
                except ValueError as error:
                    complain(str(error))
                else:
                    yield text, label
                read += 1
                if report is not None:
                    report(read)


def visible(folder: Path) -> list[Path]:
    """List a folder, sorted, without what is hidden: notes of programs, not documents."""
    return sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))


def listed(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in names) or "none"


class TableReader(Protocol):
    """Reads the texts and labels of a table."""

    def __call__(
        self,
        path: Path,
        text: str | int | None,
        label: str | int | None,
        encoding: str,
        *,
        content: BinaryIO | None = None,
        complain: Complain = refuse,
    ) -> Pairs:
        """Yield the pairs; ``content`` is the file where it is open already."""


_NAMED = ("text", "label")
TABLES: dict[str, TableReader] = {
    ".csv": partial(_delimited, dialect=csv.excel, default=_NAMED),
    ".tsv": partial(_delimited, dialect=csv.excel_tab, default=_NAMED),
    ".txt": partial(_delimited, dialect=_RawTabs, default=(2, 1)),
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
}
