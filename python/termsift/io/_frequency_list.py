"""Reading frequency lists: tables of terms and their counts, as other tools write them."""

from __future__ import annotations

import os
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from termsift import _core
from termsift._util.faults import Name, blaming, concerning, named, said, wrong_value
from termsift._util.files import existing
from termsift._util.messages import levels_to_caller, logger
from termsift._util.validation import is_integer, number_of
from termsift.io._dialect import Row
from termsift.io._list_columns import (
    BLANKS,
    HOLDS,
    columns_of,
    is_heading,
    is_number,
    names_columns,
    several_words,
    word_column,
)
from termsift.io._opening import decoded_text, plain_lines
from termsift.io._other_forms import refuse_other_form
from termsift.io._source import BLOCK_BYTES

_DELIMITERS = "\t;|,"  # If two cut all rows alike, the first of them is the delimiter.
_SAMPLE_CHARACTERS, _SAMPLE_LINES = 1 << 16, 200  # the start of a list, which shows its form
_LINES_OF_FORM = 2  # the number of lines that show whether a table is drawn
_OF_TOTALS = {"total", "totals", "sum", "grand total"}  # the term of a last row with the total
_FEWEST = 2  # So few rows may have equal counts by chance.
_PREAMBLE_LINES = 30  # A header is expected within so many lines.
_QUOTED_LINES = 1000  # So many lines with quotes show whether quotes enclose fields.
# In 61.000, the point may stand between thousands.
_WHOLE = re.compile(r"([+-]?\d+)(?:\.(?!000$)0+)?")
_EXPECTED = {"count": "a term and a whole number", "documents": "a whole number of documents"}
_BAR_FIRST, _AFTER_BAR = re.compile(r"(?m)^[^\S\n]*\|"), re.compile(r"\|.*")
# How JSON begins: an object, or an array of objects, arrays or strings.
_STRING = r'"(?:[^"\\\n]|\\.)*"\s*'
_JSON = re.compile(rf"\s*(?:\{{\s*{_STRING}:|\[\s*(?:[\[{{]\s*{_STRING}[,:]|{_STRING}[,\]]))")
# A line of the third edition of Google's n-grams: an n-gram, then "year,matches,volumes" by tabs.
_ALL_YEARS = re.compile(r"[^\t]+(?:\t\d{4},\d+,\d+)+")
_QUOTED = re.compile('"(?:[^"]|"")+"')
# The term may be empty: a text with two blanks between words has a line "2" in the list of uniq -c.
_COUNT_FIRST = re.compile(r"(?m)^ *(\d+)(?: +(?=\S)| *$)")
_COUNT_LAST = re.compile(r"(?m)(?<=\S) +(\d+) *$")


def read_frequency_list(
    path: str | os.PathLike[str],
    *,
    term: str | int | None = None,
    count: str | int | None = None,
    documents: str | int | None = None,
    label: str | int | None = None,
    encoding: str = "utf-8",
) -> dict[str, list[Any]]:
    r"""Read a frequency list: a table of terms and how often each occurs in a corpus.

    Parameters
    ----------
    path : path
        A text file, which may be compressed. Its columns are separated by tabs, commas, semicolons,
        vertical bars or blanks.
    term, count : str or int, optional
        The columns of the terms and of the counts: names in the header, or numbers from 1. By
        default, columns have usual names, in any case, such as ``word`` and ``freq``. Without such
        names, a list must have two columns of which one holds numbers, besides columns that number
        or rank the rows.
    documents, label : str or int, optional
        The columns of the numbers of documents, and of the class of each row. By default, columns
        of usual names, such as ``range`` and ``class``, if there are any.
    encoding : str, default "utf-8"
        The encoding of the file. A byte order mark of UTF-16 is obeyed in any case.

    Returns
    -------
    table : dict of str to list
        The columns ``term`` and ``count``, and ``documents`` and ``label`` if the list has them.
        With a column ``label``, the dict is a table for `termsift.counts_from_table`.

    Raises
    ------
    FileNotFoundError, ValueError, TypeError
        If there is no such file, if it is not clear which columns hold the terms and the counts,
        or if a row lacks a whole number.

    Notes
    -----
    The lists of AntConc, WordSmith, CQPweb, Sketch Engine, the Leipzig corpora, COCA, Google's
    n-grams (the first two editions) and ``sort | uniq -c`` are read as these tools write them.
    Lines before a header, and lines before the rows that begin with ``#``, are left out.

    Examples
    --------
    >>> import tempfile, termsift as ts
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "news.tsv")
    ...     _ = path.write_text("Type\tRank\tFreq\nthe\t1\t61847\nminister\t2\t1289\n")
    ...     table = ts.io.read_frequency_list(path)
    >>> table
    {'term': ['the', 'minister'], 'count': [61847, 1289]}
    >>> counts = ts.counts_from_table({**table, "label": ["news", "news"]})
    """
    place = existing(path)
    given = given_of(term=term, count=count, documents=documents, label=label)
    text = plain_lines(decoded_text(place, encoding))
    _refuse_others(
        place,
        text,
        "a table of terms and counts; write it as CSV, or pass what json.load returns to "
        "termsift.counts_from_table",
    )
    text, form = _form_of(place, text, given)
    if form is None:
        return {"term": [], "count": []}
    rows = _List(place, text, form)
    table: dict[str, list[Any]] = {"term": rows.texts("term"), "count": rows.numbers("count")}
    if "documents" in form.columns:
        try:
            table["documents"] = rows.numbers("documents")
        except ValueError:
            if documents is not None:
                raise
            # A column of a usual name may hold shares of documents, which say too little.
    if "label" in form.columns:
        table["label"] = rows.texts("label")
    logger.info("read %s with %s", path, _columns_told(form, table))
    return _terms_only(place, table)


def read_words(
    path: str | os.PathLike[str], *, term: str | int | None = None, encoding: str = "utf-8"
) -> list[str]:
    r"""Read words, such as stop words: one per line, or in a column of a table.

    Parameters
    ----------
    path : path
        A text file, which may be compressed. Each line is a word, or a delimiter separates columns,
        of which one has a usual name, such as ``word``. Without such a name, there must be only one
        column besides one that numbers the rows.
    term : str or int, optional
        The column of the words: its name in the header, or its number from 1.
    encoding : str, default "utf-8"
        The encoding of the file. A byte order mark of UTF-16 is obeyed in any case.

    Returns
    -------
    words : list of str

    Raises
    ------
    FileNotFoundError, ValueError, TypeError
        If there is no such file, if it has no words, or if lines hold several words, but no name
        tells their column.

    Notes
    -----
    Blank lines are left out. So are headings and comments that begin with ``#``, with a warning. In
    a list of Snowball, which has lines that begin with ``|``, everything from this mark on is a
    comment.

    Examples
    --------
    >>> import tempfile, termsift as ts
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "stop.csv")
    ...     _ = path.write_text("Rank,Word\n1,the\n2,of\n")
    ...     ts.io.read_words(path)
    ['the', 'of']
    """
    place = existing(path)
    given = given_of(term=term)
    text = plain_lines(decoded_text(place, encoding))
    _refuse_others(place, text, "one word on each line")
    if (given or not _BAR_FIRST.search(text)) and (form := _word_form(place, text, given)):
        words = [word for word in _List(place, text, form).texts("term") if word.strip()]
    else:
        words = _words_of_lines(place, text)
    if not words:
        raise concerning(ValueError(f"{path}: has no words, expected one on each line"), "path")
    return words


def given_of(**columns: Any) -> dict[str, str | int]:
    """Return the columns that the caller named, after checking that each is a name or a number."""
    given = {name: column for name, column in columns.items() if column is not None}
    for name, column in given.items():
        if not (isinstance(column, str) or (is_integer(column) and column >= 1)):
            error = wrong_value(
                "{name} must be the name of a column, or its number from 1, got {column!r}",
                name=named(name),
                column=column,
            )
            raise concerning(error, name)
    return given


def _refuse_others(path: Path, text: str, expected: str) -> None:
    """Check that a text is not JSON, whose commas would separate columns, and no drawn table."""
    if _JSON.match(text):
        raise concerning(ValueError(f"{path}: is JSON, expected {expected}"), "path")
    lines = [Row(line.number + 1, [line.text], None) for line in _sample(text)[:_LINES_OF_FORM]]
    with blaming("path"):
        refuse_other_form(path, lines)


def _terms_only(path: Path, table: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Return a table without rows that have no term, and without a last row that is the total."""
    terms, counts = table["term"], table["count"]
    kept = [bool(term.strip()) for term in terms]
    told = list[str]()
    if not all(kept):
        lost = [n for n, is_kept in zip(counts, kept, strict=True) if not is_kept]
        told.append(
            f"{len(lost):,} of {len(kept):,} rows, which have no term, and {sum(lost):,} as counts"
        )
    is_named = len(terms) > _FEWEST and terms[-1].strip().lower() in _OF_TOTALS
    if is_named and counts[-1] == sum(counts[:-1]):
        kept[-1] = False
        told.append(f"the last row, {terms[-1]!r}, whose count is the sum of all others")
    if all(kept):
        return table
    warnings.warn(f"{path}: left out {'; '.join(told)}", stacklevel=levels_to_caller())
    return {
        name: [value for value, is_kept in zip(values, kept, strict=True) if is_kept]
        for name, values in table.items()
    }


def _columns_told(form: _Form, parameters: Iterable[str]) -> str:
    """Return which columns were read, for the log."""
    told = []
    for parameter in parameters:
        at = form.columns[parameter]
        name = f" ({form.names[at]!r})" if form.names and form.names[at].strip() else ""
        told.append(f"{HOLDS[parameter]} in column {at + 1}{name}")
    return ", ".join(told)


# ---- words, such as stop words ------------------------------------------------------------------


def _words_of_lines(path: Path, text: str) -> list[str]:
    """Return the words of a text that has one on each line."""
    if _BAR_FIRST.search(text):
        text = _AFTER_BAR.sub("", text)
    lines = list(map(str.strip, text.split("\n")))
    words, comments = list(filter(None, lines)), list[str]()
    if any(word.startswith("#") and " " in word for word in words):
        comments = [word for word in words if word[0] == "#" and (" " in word or word == "#")]
        words = [word for word in words if word[0] != "#" or (" " not in word and word != "#")]
        warnings.warn(
            f"{path}: left out {number_of(len(comments), 'line')} with comments, such as "
            f"{comments[0][:80]!r}",
            stacklevel=levels_to_caller(),
        )
    if all(map(_QUOTED.fullmatch, words)):
        words = [word[1:-1].replace('""', '"') for word in words]
    if words and (is_heading(words[0]) or _is_title(words[0], lines)):
        warnings.warn(
            f"{path}: the first line, {words[0]!r}, is taken as a heading and left out; if it is a "
            "word, move it to another line",
            stacklevel=levels_to_caller(),
        )
        del words[0]
    return words


def _is_title(first: str, lines: list[str]) -> bool:
    """Return whether the first line has several words, and a blank line below it."""
    return " " in first and first in lines[:-1] and not lines[lines.index(first) + 1]


def _word_form(path: Path, text: str, given: dict[str, str | int]) -> _Form | None:
    """Return how a table of words is cut, or None if each line is a word."""
    lines = _without_preamble(_sample(text)) or [_Line(0, "")]
    where = f"{path}, line {lines[0].number + 1}"
    delimiter = _delimiter(lines)
    if delimiter == " ":
        if not given:
            _check_one_word(where, lines)
            return None
        delimiter = "\t"  # a single column
    is_quoted = _is_quoted(text, delimiter)
    rows = [_cut(line.text, delimiter, is_quoted) for line in lines]
    (n_fields, _), *_ = Counter(map(len, rows[1:] or rows)).most_common(1)
    if n_fields == len(rows[0]) + 1:  # R writes no name for its first column
        rows[0] = ["", *rows[0]]
    rows = [row for row in rows if len(row) == len(rows[0])]
    at, has_header = word_column(where, rows, given)
    names = rows[0] if has_header else []
    n_before, n_fields = lines[0].number, len(rows[0])
    form = _Form(n_before, has_header, delimiter, is_quoted, n_fields, {"term": at}, names)
    logger.info("read %s with %s", path, _columns_told(form, form.columns))
    return form


def _check_one_word(where: str, lines: list[_Line]) -> None:
    """Check that blanks do not separate columns, nor many words in a single line."""
    several = [fields for line in lines if len(fields := line.text.split()) > 1]
    in_columns = [
        fields for fields in several if any(f.startswith('"') or is_number(f) for f in fields)
    ]
    is_one_line = len(lines) == 1 and any(len(fields) > 2 for fields in several)
    if is_one_line or len(in_columns) * 2 > len(lines):
        raise several_words(where, several[0])


# ---- reading the columns -------------------------------------------------------------------------


class _Form(NamedTuple):
    """How a text is cut into columns, and which of them are read."""

    n_before: int  # the number of lines before the header or the first row
    has_header: bool
    delimiter: str
    is_quoted: bool
    n_fields: int
    columns: dict[str, int]  # the positions of the columns, by parameter
    names: list[str]  # the header, if there is one


class _List:
    """A list whose form is known. The core cuts its rows, once for each column."""

    def __init__(self, path: Path, text: str, form: _Form) -> None:
        self._path, self._form = path, form
        at = 0
        for _ in range(form.n_before):
            at = text.index("\n", at) + 1
        # Blank lines in place of the lines before the rows keep the numbers of lines in errors.
        self._data = b"\n" * form.n_before + text[at:].encode("utf-8", "surrogatepass")

    def texts(self, parameter: str) -> list[str]:
        """Return a column as it is written."""
        values = list[str]()
        for block in self._blocks(parameter):
            values += _fields(block)
        # Some lists are written for reading, with blanks around every word.
        if all(value[:1].isspace() or value[-1:].isspace() for value in values):
            values = list(map(str.strip, values))
        return values

    def numbers(self, parameter: str) -> list[int]:
        """Return a column of whole numbers."""
        blocks, known = [], dict[str, int]()
        for block in self._blocks(parameter):
            codes, firsts = _core.number_labels(block)
            numbers = [known.setdefault(block[i] or "", len(known)) for i in firsts.tolist()]
            blocks.append(np.array(numbers, dtype=np.int64)[codes])
        values = self._whole(parameter, list(known))
        return [values[i] for block in blocks for i in block.tolist()]

    def _blocks(self, parameter: str) -> Iterator[_core.Texts]:
        """Yield the fields of a column, a block at a time."""
        form = self._form
        at, name = form.columns[parameter], str(self._path)
        read = BytesIO(self._data).readinto
        quote = '"' if form.is_quoted else None
        table = _core.DelimitedTable(
            read, name, quote=quote, unlabelled=True, block_bytes=BLOCK_BYTES
        )
        try:
            table.choose(form.delimiter, [at], at, form.n_fields, form.has_header)
            while not table.is_done:
                if (block := table.read()) is not None:
                    yield block[0]
        except ValueError as error:
            # The reader's remedies name arguments that lists do not have.
            raise ValueError(str(error).partition("; ")[0]) from None

    def _whole(self, parameter: str, written: list[str]) -> list[int]:
        """Return the values of distinct fields, which must be whole numbers."""
        plain = list(map(str.strip, written))
        mark, is_sure = _mark_of_thousands(plain, self._form.delimiter)
        if is_sure:
            plain = [number.replace(mark, "") for number in plain]
        found = [_WHOLE.fullmatch(number) for number in plain]
        if not all(found):
            raise self._not_whole(parameter, written[found.index(None)], mark)
        return [int(match[1]) for match in found if match is not None]

    def _not_whole(self, parameter: str, field: str, mark: str) -> ValueError:
        """Return the error of the first row with a field that is no whole number."""
        rows = (value for block in self._blocks(parameter) for value in _fields(block))
        row = next(i for i, value in enumerate(rows) if value == field) + self._form.has_header
        lines = enumerate(self._data.decode("utf-8", "surrogatepass").split("\n"), 1)
        line, found = next(islice((pair for pair in lines if pair[1].strip("\r")), row, None))
        cure: Name = said("name the column by {name}", name=named(parameter))
        if parameter == "count" and is_number(field):
            cure = "multiply relative frequencies by the number of tokens, and round the products"
            if mark:
                cure = f"if {mark!r} separates thousands, leave it out; else {cure}"
        error = wrong_value(
            "{path}, line {line}: expected {what}, found {found!r}; {cure}",
            path=self._path,
            line=line,
            what=_EXPECTED[parameter],
            found=found[:80],
            cure=cure,
        )
        return concerning(error, parameter)


def _fields(block: _core.Texts) -> list[str]:
    return [block[i] or "" for i in range(len(block))]


def _mark_of_thousands(numbers: list[str], delimiter: str) -> tuple[str, bool]:
    """Return the mark between groups of three digits, such as "," in "61,847", or "".

    Also return whether the numbers are surely no fractions. They are none if one has two marks, if
    half have none, or if commas separate the columns, too: who writes fractions with commas
    separates columns by other marks.
    """
    for mark in f",.'\u2019{BLANKS}":
        grouped = re.compile(rf"[1-9]\d{{0,2}}(?:{re.escape(mark)}\d{{3}})*|0")
        if all(map(grouped.fullmatch, numbers)):
            n_marks = [number.count(mark) for number in numbers]
            if any(n_marks):
                half_has_none = n_marks.count(0) * 2 >= len(n_marks)
                return mark, max(n_marks) > 1 or half_has_none or mark == delimiter
    return "", False


# ---- the form of a list --------------------------------------------------------------------------


class _Line(NamedTuple):
    number: int  # from 0
    text: str


def _form_of(path: Path, text: str, given: dict[str, str | int]) -> tuple[str, _Form | None]:
    """Find out how a list is cut, and which columns it has. The form is None without any row.

    In the text that is returned, tabs separate columns that blanks separated.
    """
    lines = _sample(text)
    start, delimiter = _header(lines, given)
    has_names = start is not None
    lines = lines[start:] if has_names else _without_preamble(lines)
    if not lines:
        return text, None
    if all(_ALL_YEARS.fullmatch(line.text) for line in lines):
        message = (
            f"{path}: has all years of an n-gram in one line, as the third edition of Google's "
            "n-grams; add the counts of the years, and write a line with each n-gram and its sum"
        )
        raise concerning(ValueError(message), "path")
    first = lines[0].number
    delimiter = delimiter or _delimiter(lines)
    is_by_blanks = delimiter == " "
    if is_by_blanks:
        text, delimiter = _with_tabs(text, lines), "\t"
        lines = [line for line in _sample(text) if line.number >= first]
    is_quoted = _is_quoted(text, delimiter)
    rows = [_cut(line.text, delimiter, is_quoted) for line in lines]
    names = rows.pop(0) if has_names else None
    (n_fields, _), *_ = Counter(map(len, rows or [names or []])).most_common(1)
    if names is not None:
        # R writes no name for its first column, which has the names of rows.
        names = [""] * (n_fields == len(names) + 1) + names
        n_fields = len(names)
    rows = [row for row in rows if len(row) == n_fields]
    where = f"{path}, line {first + 1}"
    columns, has_header = columns_of(where, names, rows, given)
    if is_by_blanks and names is None and is_number(rows[0][columns["count"]]):
        has_header = False  # A count without a term is a row of uniq -c.
    names = (names or rows[0]) if has_header else []
    return text, _Form(first, has_header, delimiter, is_quoted, n_fields, columns, names)


def _sample(text: str) -> list[_Line]:
    """Return the first lines that are not blank."""
    head = text[:_SAMPLE_CHARACTERS]
    if len(head) < len(text):  # the last line may be cut off
        head = head[: head.rfind("\n") + 1] or head
    lines = [_Line(i, line) for i, line in enumerate(head.split("\n")) if line.strip()]
    return lines[:_SAMPLE_LINES]


def _header(lines: list[_Line], given: dict[str, str | int]) -> tuple[int | None, str | None]:
    """Return which line is a header that names the columns, and its delimiter, if there is one."""
    for i, line in enumerate(lines[:_PREAMBLE_LINES]):
        for delimiter in (*_DELIMITERS, " "):
            names = _cut(line.text, delimiter, True)
            if not names_columns(names, given):
                continue
            # Blanks also stand between the words of a title, such as "Word frequency list".
            below = len(_cut(lines[i + 1].text, " ", False)) if i + 1 < len(lines) else len(names)
            if delimiter != " " or below in (len(names), len(names) + 1):
                return i, delimiter
    return None, None


def _without_preamble(lines: list[_Line]) -> list[_Line]:
    """Return the lines without those at the start that begin with # or sep=, and are no rows."""
    n = 0
    while n < len(lines) and lines[n].text.startswith(("#", "sep=")):
        n += 1
    if n and n < len(lines):
        delimiter = _delimiter(lines[n:])
        sizes = [len(_cut(line.text, delimiter, False)) for line in lines]
        while n and sizes[n - 1] == sizes[n]:  # a term may begin with #
            n -= 1
    return lines[n:]


def _delimiter(lines: list[_Line]) -> str:
    """Return the delimiter that cuts the lines into the same number of fields, or else most."""
    best, most = " ", len(lines) / 2
    for delimiter in _DELIMITERS:
        sizes = Counter(len(_cut(line.text, delimiter, True)) for line in lines)
        del sizes[1]
        if sizes and max(sizes.values()) > most:
            best, most = delimiter, max(sizes.values())
    return best


def _cut(line: str, delimiter: str, is_quoted: bool) -> list[str]:
    """Return the fields of a line. Any number of blanks is one delimiter."""
    if delimiter == " ":
        return line.split()
    if is_quoted and '"' in line:
        import csv  # only this needs it

        return next(csv.reader([line], delimiter=delimiter))
    return line.split(delimiter)


def _with_tabs(text: str, lines: list[_Line]) -> str:
    """Return a text with tabs in place of the blanks between its columns.

    A count at one end of every line, as ``uniq -c`` writes it, is a column. The rest of the line
    is the term, whatever blanks it has.
    """
    sizes = {len(line.text.split()) for line in lines}
    is_indented = any(line.text.startswith(" ") for line in lines)
    forms = []
    if len(sizes) > 1 or is_indented:
        forms.append((_COUNT_FIRST, "\\1\t"))
    if len(sizes) > 1 or (is_indented and sizes != {2}):
        forms.append((_COUNT_LAST, "\t\\1"))
    for pattern, replacement in forms:
        if all(pattern.search(line.text) for line in lines):
            return pattern.sub(replacement, text)
    return re.sub(" +", "\t", re.sub("(?m)^ +| +$", "", text))


def _is_quoted(text: str, delimiter: str) -> bool:
    """Return whether quotes enclose fields, and are not terms themselves."""
    if '"' not in text:
        return False
    import csv  # only this needs it

    lines = re.finditer('(?m)^.*".*$', text)
    try:
        for line in islice(lines, _QUOTED_LINES):
            next(csv.reader([line[0]], delimiter=delimiter, strict=True))
    except csv.Error:
        return False
    return True
