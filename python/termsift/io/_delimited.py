"""Tables of delimited fields: .csv and .tsv with quoting, .txt without."""

from __future__ import annotations

from io import BufferedIOBase
from pathlib import Path
from typing import Any

from termsift import _core
from termsift._util.validation import did_you_mean
from termsift.io._source import NAMED, Options, listed
from termsift.io._texts import Table

_DELIMITERS = ",;\t|"  # that a header is tried with


class DelimitedTable(Table):
    """A table of fields, with quoting (CSV, TSV) or without (``label<TAB>text``)."""

    takes = Table.takes | {"delimiter"}

    def __init__(
        self, path: Path, labels: Path | None, options: Options, *, delimiter: str, quoted: bool
    ) -> None:
        super().__init__(path, labels, options)
        self._quoted = quoted
        text, label = options.text, options.label
        if not quoted:
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
        tried = delimiter + _DELIMITERS if self._has_header else delimiter
        self._delimiters = options.delimiter or tried
        # Without a header, the usual two columns are all: a text with a tab must not lose its end.
        is_usual = not self._has_header and (options.text, options.label) == (None, None)
        self._n_fields = 2 if is_usual else None

    def opened(self, content: BufferedIOBase, options: dict[str, Any]) -> _core.Table:
        """Return the table, with its columns chosen by the first row."""
        path, columns = self.path, list[Any](self._columns)
        table = _core.DelimitedTable(content.readinto, str(path), quoted=self._quoted, **options)
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
    # One field suggests that the row is divided by something else.
    cure = "name what divides the fields by delimiter (--delimiter)"
    if len(first) > 1:
        cure = f"{NAMED}, by number if there is no header"
    if isinstance(column, str):
        if first.count(column) == 1:
            return first.index(column)
        if column in first:
            cure = "give each column of the header another name"
        elif len(first) > 1:
            cure += did_you_mean(column, first)
            parts = column.split(",")
            if len(parts) > 1 and all(first.count(part) == 1 for part in parts):
                options = " ".join(f"--text {part}" for part in parts)
                cure = f"for several columns, name each: text={parts!r}, or {options}"
        names = listed(first)
        raise ValueError(f"{where}: expected one column {column!r}, found {names}; {cure}")
    if column < 1:
        raise ValueError(f"columns are numbered from 1, not {column}")
    if column > len(first):
        raise ValueError(f"{where}: expected at least {column} fields, found {len(first)}; {cure}")
    return column - 1
