"""Readers of texts with their labels: tables, JSON lines, folders of class folders.

Each is a generator of (text, label) pairs that holds one document at a time, and an open file until
it is closed.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing, nullcontext
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeAlias

from termsift._files import Complain, lines, refuse, whole_text
from termsift._log import logger
from termsift._progress import progress

_LONGEST_FIELD = 2**31 - 1  # of a table, in characters; a C long on every platform

# A generator that is left half-way keeps its file open until it is closed: hence `closing`.
Pairs: TypeAlias = Generator[tuple[str, Any], None, None]


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
    with closing(_rows(path, dialect, encoding, content, complain)) as rows:
        top, first = next(rows, (1, []))
        if not first:
            return
        text_at, label_at = _positions(f"{path}, line {top}", columns, first)
        has_header = not isinstance(columns[0], int)
        for begins, fields in rows if has_header else chain([(top, first)], rows):
            if len(fields) != len(first):
                complain(
                    f"{path}, line {begins}: expected {len(first)} fields, found {len(fields)}"
                )
            elif not fields[label_at]:
                complain(f"{path}, line {begins}: the label is empty")
            else:
                yield fields[text_at], fields[label_at]


def _rows(
    path: Path,
    dialect: type[csv.Dialect],
    encoding: str,
    content: BinaryIO | None,
    complain: Complain,
) -> Generator[tuple[int, list[str]], None, None]:
    """Yield the rows that are not blank, each with the number of the line that it begins on."""
    # A document is longer than csv's 128 KB sooner or later. The limit is the whole process's:
    # it is put back.
    usual = csv.field_size_limit(_LONGEST_FIELD)
    begins = 1
    try:
        with closing(lines(path, encoding, content, complain)) as numbered:
            reader = csv.reader(numbered, dialect, strict=True)
            while True:
                try:
                    fields = next(reader, None)
                except csv.Error as exc:
                    complain(f"{path}, line {begins}: {exc}")
                    fields = []
                if fields is None:
                    break
                if fields:
                    yield begins, fields
                begins = reader.line_num + 1
    finally:
        csv.field_size_limit(usual)


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
    with closing(lines(path, encoding, content, complain)) as numbered:
        for number, line in enumerate(numbered, 1):
            if line.strip():
                try:
                    pair = _json_pair(f"{path}, line {number}", line, text_key, label_key)
                except ValueError as exc:
                    complain(str(exc))
                else:
                    yield pair


def _json_pair(where: str, line: str, text_key: str, label_key: str) -> tuple[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as exc:
        raise ValueError(f"{where}: expected a JSON object: {exc}") from None
    if not isinstance(record, dict):
        raise ValueError(f"{where}: expected a JSON object, found {type(record).__name__}")
    for key in (text_key, label_key):
        if key not in record:
            raise ValueError(f"{where}: expected a key {key!r}, found {listed(record)}")
    document, its_label = record[text_key], record[label_key]
    if not isinstance(document, str):
        raise ValueError(f"{where}: expected a string as {text_key!r}")
    if not isinstance(its_label, str | int) or its_label == "":
        raise ValueError(f"{where}: expected a label, a string or a whole number")
    if isinstance(its_label, bool):  # as JSON writes it: True would equal the label 1
        its_label = json.dumps(its_label)
    return document, its_label


def folder_of_classes(path: Path, encoding: str, *, shows: bool = True) -> Pairs:
    """Yield the (text, label) pairs of a folder whose sub-folders are the classes.

    ``shows``: its own progress, which somebody else may do.
    """
    folders = [entry for entry in _visible(path) if entry.is_dir()]
    if not folders:
        raise ValueError(f"{path}: has no sub-folders; expected one a class, of a file a document")
    listed = {folder.name: _visible(folder) for folder in folders}
    n_files = sum(map(len, listed.values()))
    read = 0
    with progress("read", n_files, "files") if shows else nullcontext() as report:
        for label, files in listed.items():
            if not files:
                logger.warning("%s: a class without documents is no class", path / label)
            for file in files:
                if not file.is_file():
                    raise ValueError(f"{file}: expected a file, a document of the class {label!r}")
                yield whole_text(file, encoding), label
                read += 1
                if report is not None:
                    report(read)


def _visible(folder: Path) -> list[Path]:
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
