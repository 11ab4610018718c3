"""The columns of a frequency list: their usual names, and how to find them without names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from termsift._util.faults import Message, concerning, named, said, wrong_value
from termsift._util.messages import printable
from termsift._util.validation import check_one_column, listed, number_of

# The usual names of each column, without blanks and marks, and in lower case. Names of an earlier
# group go before those of a later one: in "N Word Freq.", the column N numbers the rows.
_USUAL: dict[str, tuple[frozenset[str], ...]] = {
    "term": (
        frozenset({"term"}),
        frozenset(
            {"terms", "word", "words", "wordform", "type", "types", "item", "items", "token"}
            | {"lemma", "ngram", "feature", "searchresult"}
        ),
        frozenset({"stopword", "stopwords"}),
    ),
    "count": (
        frozenset({"count"}),
        frozenset(
            {"counts", "freq", "freqs", "frequency", "frequencies", "rawcount", "rawfreq"}
            | {"rawfrequency", "absolutefrequency", "matchcount", "freqcount", "occurrences"}
            | {"noofoccurrences"}
        ),
        frozenset({"n", "f"}),
    ),
    "documents": (
        frozenset({"documents"}),
        frozenset(
            {"docs", "ndocs", "df", "docf", "docfreq", "documentfrequency", "range", "texts"}
            | {"nooftexts", "volumecount", "cdcount"}
        ),
    ),
    "label": (frozenset({"label"}), frozenset({"class"})),
}
_NUMBERING = frozenset({"", "rank", "no", "number", "id", "index", "n"})  # names of numbered rows
# What the names of columns of whole numbers have within them that are no counts.
_NO_COUNT = re.compile("permil|ipm|pmw|percent|relative|relfreq|zipf|length|year|rank")
_LEAST_RANKS = 3  # the number of rows that show that a list without a header is numbered
HOLDS = {
    "term": "the terms",
    "count": "the counts",
    "documents": "the numbers of documents",
    "label": "the classes",
}


def plain(name: object) -> str:
    """Return a column's name without blanks, marks and case, such as "freq" for "Freq."."""
    return re.sub(r"[\W_]", "", name.casefold()) if isinstance(name, str) else " "


def usual_column(names: Sequence[Any], parameter: str, where: str = "") -> int | None:
    """Return the position of the column that a usual name gives to a parameter, if there is one.

    Two columns of such names are an error, which begins with ``where``.
    """
    for group in _USUAL[parameter]:
        if found := [i for i, name in enumerate(names) if plain(name) in group]:
            if len(found) > 1:
                raise unclear(
                    said(
                        "{where}the columns {names} may all hold {what}",
                        where=where,
                        names=listed([names[i] for i in found]),
                        what=HOLDS[parameter],
                    ),
                    [parameter],
                )
            return found[0]
    return None


def has_usual(names: Sequence[str], parameter: str) -> bool:
    """Return whether a column has a usual name for a parameter."""
    return any(plain(name) in group for group in _USUAL[parameter] for name in names)


def unclear(why: Message, parameters: Sequence[str] = ("term", "count")) -> ValueError:
    """Return the error of columns that are not clear. Its cure names the arguments."""
    cure: Message | str = ""
    for place, parameter in enumerate(parameters):
        template = "{cure} and {name}" if place else "{cure}{name}"
        cure = said(template, cure=cure, name=named(parameter))
    message = said(
        "{why}; name the column of {what} by {cure}"
        if len(parameters) == 1
        else "{why}; name the columns of {what} by {cure}",
        why=why,
        what=" and ".join(HOLDS[parameter] for parameter in parameters),
        cure=cure,
    )
    return concerning(ValueError(message), *parameters)


# ---- the columns of a list in a file -------------------------------------------------------------

BLANKS = " \u00a0\u2009\u202f"  # between thousands, as in French
_NUMBER = re.compile(
    rf"\s*[+-]?(?:\d{{1,3}}(?:[{BLANKS}'\u2019]\d{{3}})+|\d[\d.,]*|[.,]\d+)(?:[eE][+-]?\d+)?%?\s*"
)
_WHOLE = re.compile(r"\s*\d+\s*")
_FIRST_YEAR, _LAST_YEAR = 1400, 2100


def is_number(field: str) -> bool:
    """Return whether a field looks like a number, whole or not."""
    return _NUMBER.fullmatch(field) is not None


def names_columns(fields: Sequence[str], given: Mapping[str, Any]) -> bool:
    """Return whether the fields of a line are a header that names terms and counts.

    They are if one is the name of a column in ``given``, or if both have usual names and no field
    is a number, as in ``12 word count`` among pairs of words.
    """
    names = [field.strip() for field in fields]
    if any(_number(column, names) is None and column.strip() in names for column in given.values()):
        return True
    is_named = has_usual(fields, "term") and has_usual(fields, "count")
    return is_named and not any(map(is_number, fields))


def columns_of(
    where: str, names: list[str] | None, rows: list[list[str]], given: Mapping[str, Any]
) -> tuple[dict[str, int], bool]:
    """Return the positions of the columns of a list, and whether the list has a header.

    If ``names`` is None, the first of the rows is a header if no field of it looks like a number.
    """
    if names is None and not any(map(is_number, rows[0])):
        names, rows = rows[0], rows[1:]
    first = rows[0] if names is None else names
    columns = {
        parameter: _given_column(where, first, parameter, column)
        for parameter, column in given.items()
    }
    if names is not None:
        for parameter in _USUAL:
            if parameter not in columns:
                found = usual_column(names, parameter, f"{where}: ")
                if found is None or found in columns.values():
                    continue
                if parameter == "count" and _numbers_rows(found, names, rows, columns):
                    continue
                columns[parameter] = found
    if not columns.keys() >= {"term", "count"}:
        columns = _guessed(rows, names, columns) | columns
    if not columns.keys() >= {"term", "count"}:
        shown = printable(" ".join(field.strip() or "-" for field in first), 60)
        why = said(
            "{where}: it is not clear which of {columns} hold terms and counts: {shown}",
            where=where,
            columns=number_of(len(first), "column"),
            shown=shown,
        )
        raise unclear(why, [p for p in ("term", "count") if p not in columns])
    if names is None and not given and has_usual([first[columns["term"]]], "term"):
        shown = printable(" ".join(first), 60)
        why = said(
            "{where}: may be a header or a term with its count: {shown}", where=where, shown=shown
        )
        raise unclear(why)
    if names is None:  # with numbers of columns, or with a name such as 0 for the counts
        return columns, not is_number(first[columns["count"]]) or not first[columns["term"]].strip()
    return columns, True


def _number(column: Any, names: Sequence[str]) -> int | None:
    """Return the number of a column, from 1, or None if ``column`` is a name.

    A text is a number if there is a column of this number, because it may come from a command.
    """
    if not isinstance(column, str):
        return int(column)
    is_number_here = column.strip().isdecimal() and 1 <= int(column) <= len(names)
    return int(column) if is_number_here else None


def _given_column(where: str, first: list[str], parameter: str, column: str | int) -> int:
    """Return the position of a column, given by its name or its number from 1."""
    names = [name.strip() for name in first]
    number = _number(column, names)
    if number is None:
        name = str(column).strip()
        cure = said("pass a number in {name} if there is no header", name=named(parameter))
        check_one_column(where, name, names, cure, parameter)
        return names.index(name)
    if number > len(names):
        why = said(
            "{where}: has {columns}, not {number}",
            where=where,
            columns=number_of(len(names), "column"),
            number=number,
        )
        raise unclear(why, [parameter])
    return number - 1


def _guessed(
    rows: list[list[str]], names: list[str] | None, known: Mapping[str, int]
) -> dict[str, int]:
    """Return the columns of terms and counts by the contents of rows, or {} if it is not clear.

    Empty columns, and those that number or rank the rows, are left aside. The others must be as
    many as are missing, one of numbers and one of words.
    """
    columns = list(zip(*rows, strict=True))
    if not columns:
        return {}
    left = [i for i, column in enumerate(columns) if any(field.strip() for field in column)]
    left = [i for i in left if i not in known.values()]
    if names is not None:
        left = [i for i in left if plain(names[i]) not in _NUMBERING]
        left = [i for i in left if not _NO_COUNT.search(plain(names[i]))]
    elif not known and _is_of_google(left, columns):
        return {"term": 0, "count": 2, "documents": left[-1], "label": 1}
    missing = {"term", "count"} - known.keys()
    if len(left) > len(missing):
        left = [i for i in left if not _counts_up(columns[i])]
    share = {i: sum(map(is_number, columns[i])) / len(rows) for i in left}
    for least in (1.0, 0.5):  # A count with a fault is named later.
        numeric = [i for i in left if share[i] >= least]
        words = [i for i in left if share[i] < least]
        found = {"term": words, "count": numeric}
        if all(len(found[name]) == (name in missing) for name in found):
            numbers = columns[found["count"][0]] if numeric else ()
            if names is None and not known and _are_ranks(numbers):
                return {}
            return {name: found[name][0] for name in sorted(missing)}
    if not known and len(columns) == 2 and not any(share.values()):
        return {"term": 0, "count": 1}  # the first row with a fault is named later
    return {}


def _counts_up(column: Sequence[str]) -> bool:
    """Return whether a column numbers its rows."""
    if len(column) < 2 or not all(map(_WHOLE.fullmatch, column)):
        return False
    return all(int(field) == int(column[0]) + i for i, field in enumerate(column))


def _are_ranks(numbers: Sequence[str]) -> bool:
    """Return whether numbers are surely those of rows, such as 1, 2, 3."""
    return len(numbers) >= _LEAST_RANKS and _counts_up(numbers) and int(numbers[0]) <= 1


def _numbers_rows(
    count: int, names: list[str], rows: list[list[str]], known: Mapping[str, int]
) -> bool:
    """Return whether the column N of counts numbers the rows, as it does before the words."""
    is_numbering = plain(names[count]) in _NUMBERING and count < known.get("term", count)
    return is_numbering and _counts_up([row[count] for row in rows])


def _is_of_google(left: list[int], columns: Sequence[Sequence[str]]) -> bool:
    """Return whether columns are those of Google's n-grams.

    They are the n-gram, the year, matches, in the first edition also pages, and volumes.
    """
    if left not in ([0, 1, 2, 3], [0, 1, 2, 3, 4]) or len(left) < len(columns):
        return False
    return all(map(_WHOLE.fullmatch, chain(*columns[2:]))) and _are_years(columns[0], columns[1])


def _are_years(terms: Sequence[str], column: Sequence[str]) -> bool:
    """Return whether a column has years, which rise while the term stays the same."""
    if not all(map(_WHOLE.fullmatch, column)):
        return False
    years = list(map(int, column))
    if not all(_FIRST_YEAR <= year <= _LAST_YEAR for year in years):
        return False
    of_one = [i for i in range(1, len(terms)) if terms[i] == terms[i - 1]]
    return bool(of_one) and all(years[i] > years[i - 1] for i in of_one)


# ---- the column of words in a list of words ------------------------------------------------------


def is_heading(line: str) -> bool:
    """Return whether a line is the usual name of a column of words."""
    return has_usual([line], "term")


def word_column(where: str, rows: list[list[str]], given: Mapping[str, Any]) -> tuple[int, bool]:
    """Return the column of words in a table, and whether its first row is a header.

    The rows have as many fields as the first one.
    """
    first = rows[0]
    if "term" in given:
        at = _given_column(where, first, "term", given["term"])
        return at, _number(given["term"], first) is None or is_heading(first[at])
    if (at_name := usual_column(first, "term", f"{where}: ")) is not None:
        return at_name, True
    columns = list(zip(*rows, strict=True))
    numbering = [i for i, column in enumerate(columns) if _is_numbering(column)]
    left = [i for i, column in enumerate(columns) if any(f.strip() for f in column)]
    left = [i for i in left if i not in numbering]
    if len(left) != 1:
        raise several_words(where, first)
    return left[0], any(not is_number(first[i]) for i in numbering)


def several_words(where: str, fields: Sequence[str]) -> ValueError:
    """Return the error of a line with several words, of which no name tells the right one."""
    error = wrong_value(
        "{where}: expected one word on each line, or a column that the header names 'word', found "
        "{found}",
        where=where,
        found=printable(listed(list(fields)), 80),
    )
    return concerning(error, "path")


def _is_numbering(column: Sequence[str]) -> bool:
    """Return whether a column numbers its rows, below a header or without one."""
    if plain(column[0]) in _NUMBERING and len(column) > 1:
        return all(map(_WHOLE.fullmatch, column[1:]))
    return _counts_up(column)
