"""Dialects of delimited tables: which characters divide, quote and escape the fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

from termsift._util import validation
from termsift._util.faults import Message, all_named, concerning, named, said, wrong_value

_Check: TypeAlias = Callable[[Any, str], Any]
DELIMITERS = ",;\t|"  # the delimiters that are tried
_MARKS = ("delimiter", "quote", "escape", "comment")
_OF_COMMENTS = "#%;!/*"  # characters that begin the lines before a header, if all begin alike


def _check_mark(mark: Any, name: str) -> None:
    validation.check_kind(mark, str, name)
    if len(mark) != 1 or not mark.isascii() or mark.isalnum() or mark in "\r\n":
        raise wrong_value(
            "{name} must be one ASCII character that is no letter, digit or end of a line, got "
            "{mark!r}",
            name=named(name),
            mark=mark,
        )


def _check_quote(mark: Any, name: str) -> None:
    if not isinstance(mark, str) or mark:  # without a character, no field is quoted
        _check_mark(mark, name)


def _optional(check: _Check) -> _Check:
    return lambda value, name: None if value is None else check(value, name)


# The check of each option by itself. `Dialect` checks which exclude each other.
CHECKS: dict[str, _Check] = {
    "delimiter": _optional(_check_mark),
    "quote": _optional(_check_quote),
    "escape": _optional(_check_mark),
    "header": _optional(validation.check_flag),
    "skip_lines": lambda n, name: validation.check_integer(n, name, 0, 2**62),
    "comment": _optional(_check_mark),
}


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """How a delimited table is written, where the caller said so; see `termsift.scan`."""

    delimiter: str | None = None
    quote: str | None = None
    escape: str | None = None
    header: bool | None = None
    skip_lines: int = 0
    comment: str | None = None

    def __post_init__(self) -> None:
        """Check each option, and that no character has two meanings."""
        for name, check in CHECKS.items():
            check(getattr(self, name), name)
        # A checkpoint stores them in JSON, which has no numbers of numpy.
        object.__setattr__(self, "skip_lines", int(self.skip_lines))
        if self.header is not None:
            object.__setattr__(self, "header", bool(self.header))
        marks = {name: getattr(self, name) for name in _MARKS} | {"quote": self.quote_in(".csv")}
        for one, other in combinations(_MARKS, 2):
            if marks[one] is not None and marks[one] == marks[other]:
                raise wrong_value(
                    "{names} must differ, got {mark!r} for both",
                    names=all_named((one, other)),
                    mark=marks[one],
                )

    @property
    def given(self) -> dict[str, Any]:
        """The options that the caller set."""
        values = {option: getattr(self, option.name) for option in fields(self)}
        return {option.name: v for option, v in values.items() if v != option.default}

    def quote_in(self, kind: str) -> str | None:
        """Return the quote in a file of a kind, or None if its fields are never quoted."""
        if self.quote is None:
            return None if kind == ".txt" else '"'
        return self.quote or None


class Row(NamedTuple):
    """A row that was split at a delimiter: its first line, its fields, and what is wrong."""

    line: int
    fields: list[str]
    fault: str | None


First: TypeAlias = Mapping[str, Sequence[Row]]  # the first rows, by the delimiter that splits them


def declared_delimiter(row: Row, taken: Sequence[str | None]) -> str | None:
    """Return the delimiter that a first line such as ``sep=;`` declares, as for Excel."""
    found = re.fullmatch("sep=(.)", row.fields[0], re.IGNORECASE) if row.fields else None
    if found is None or found[1] in taken or found[1].isalnum():
        return None
    return found[1]


def _alike(rows: Sequence[Row], least: int) -> int:
    """Return how many rows have as many fields as the first, which must have ``least``."""
    n = len(rows[0].fields)
    if n < least or rows[0].fault is not None:
        return 0
    return sum(len(row.fields) == n and row.fault is None for row in rows)


def found_delimiter(
    where: str, first: First, least: int, label: int | None, quote: str | None
) -> str:
    """Return the delimiter that splits most of the first rows alike, into ``least`` or more fields.

    If no delimiter splits the first row, return the first of the delimiters. Two delimiters that
    split the rows equally well are an error. ``label`` is the position of the label, if it is
    known.
    """
    n_alike = {mark: n for mark, rows in first.items() if (n := _alike(rows, least))}
    if not n_alike:
        return next(iter(first))
    # A mark within quotes cuts quoted fields in two, and at the ends of lines within them.
    whole = {mark: n for mark, n in n_alike.items() if not _cuts_quotes(mark, first, quote)}
    n_alike = whole or n_alike
    marks = [mark for mark in n_alike if not _is_punctuation(mark, first[mark], n_alike, label)]
    most = max(n_alike[mark] for mark in marks or n_alike)
    best = [mark for mark in marks or n_alike if n_alike[mark] == most]
    if len(best) == 1:
        return best[0]
    raise wrong_value(
        "{where}: {marks} split the first rows equally well; pass {delimiter=}, as in {example}",
        where=where,
        marks=" and ".join(map(repr, best)),
        example=said("{delimiter=}", delimiter=best[0]),
    )


def _is_punctuation(
    mark: str, rows: Sequence[Row], rivals: Collection[str], label: int | None
) -> bool:
    """Return whether a mark stands in texts, as in ``Sport;Goal, a late one``.

    It does if a blank follows it everywhere, and if every label has another delimiter in it.
    """
    others = [other for other in rivals if other != mark]
    if label is None or not all(f.startswith(" ") for row in rows for f in row.fields[1:]):
        return False
    labels = [row.fields[label] for row in rows if label < len(row.fields)]
    return any(all(other in of_row for of_row in labels) for other in others)


def _cuts_quotes(mark: str, first: First, quote: str | None) -> bool:
    """Return whether a mark cuts a field in two that another mark and a quote enclose."""
    if quote is None:
        return False
    ends = [end for other in first if other != mark for end in (other + quote, quote + other)]
    fields = (field for row in first[mark] for field in row.fields)
    return any(field.count(quote) % 2 and any(end in field for end in ends) for field in fields)


def cure_of_header(names: Sequence[str], first: First) -> Message | None:
    """Return a cure if the columns are named below the first row, or if other marks quote them."""
    for rows in filter(None, first.values()):
        for row in rows[1:]:
            if all(row.fields.count(name) == 1 for name in names):
                return said(
                    "line {line} names the columns: {cure}",
                    line=row.line,
                    cure=_cure_of_lines_before(row, rows),
                )
        if all(f"'{name}'" in rows[0].fields for name in names):
            return said("if apostrophes quote the fields of this file, pass {quote=}", quote="'")
    return None


def cure_of_first_row(first: First, least: int) -> Message | None:
    """Return a cure if no delimiter splits the first row, but one splits the rows below."""
    for rows in first.values():
        for i in range(1, len(rows)):
            if len(rows[i].fields) >= least and _alike(rows[i:], least) == len(rows) - i:
                return said(
                    "if the table begins in line {line}, {cure}",
                    line=rows[i].line,
                    cure=_cure_of_lines_before(rows[i], rows),
                )
    return None


def _cure_of_lines_before(row: Row, rows: Sequence[Row]) -> Message:
    starts = {before.fields[0][:1] for before in rows if before.line < row.line}
    if len(starts) == 1 and (mark := starts.pop()) and mark in _OF_COMMENTS:
        return said("pass {comment=}", comment=mark)
    return said("pass {skip_lines=}", skip_lines=row.line - 1)


def check_skipped(where: str, n: int, n_lines: int) -> None:
    """Check that a file has ``n`` lines to skip."""
    if n_lines < n:
        error = wrong_value(
            "{where}: has {n_lines:,} lines, so {skip_lines=} leaves none",
            where=where,
            n_lines=n_lines,
            skip_lines=n,
        )
        raise concerning(error, "skip_lines")
