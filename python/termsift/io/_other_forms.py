"""Cures for tables of another form than their names say, as their first rows show."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path

from termsift._util.faults import Message, said
from termsift._util.validation import plain_name
from termsift.io._dialect import Row

_FASTTEXT = "__label__"
_TO_TABLE = r"perl -pe 's/^__label__(\S+)\s+/$1\t/'"
_SVMLIGHT = re.compile(r"\S+(?: \d+:\S+)+ *(?:#.*)?")
_ROW_OF_R = re.compile(r'"[^"]*"(?: (?:"[^"]*"|\S+))*')


def cure_of_form(lines: Sequence[Row], text: str | None, label: str | None) -> Message | None:
    """Return a cure if lines, each of one field, are of fastText, svmlight or R, else None.

    ``text`` and ``label`` are the names of the columns to find, if names are known.
    """
    lines = [line for line in lines if line.fields]  # rows with errors have none
    if not lines:
        return None
    first = lines[0].fields[0]
    if first.startswith(_FASTTEXT):
        return said(
            "the lines begin with {mark}, as those of fastText do; write a label, a tab and a text "
            "into a .txt file, as {command} does",
            mark=_FASTTEXT,
            command=_TO_TABLE,
        )
    if _SVMLIGHT.fullmatch(first):
        return said("if the lines are those of svmlight, pass {input_format='svm'}")
    if len(lines) < 2 or not all(_ROW_OF_R.fullmatch(line.fields[0]) for line in lines[:2]):
        return None
    header, row = (re.findall(r'"[^"]*"|\S+', line.fields[0]) for line in lines[:2])
    names = [field.strip('"') for field in header]
    if len(row) not in (len(header), len(header) + 1):
        return None
    more = 1 + len(row) - len(header)  # what turns a position in the header into a number
    marks = said("{delimiter=} {quote=}", delimiter=" ", quote='"')
    if text not in names or label not in names:
        return said("if blanks divide the fields, pass {marks}", marks=marks)
    return said(
        "if R's write.table wrote the file, pass {marks} {skip_lines=} {text=} {label=}",
        marks=marks,
        skip_lines=lines[1].line - 1,
        text=names.index(text) + more,
        label=names.index(label) + more,
    )


def has_row_names(rows: Sequence[Row]) -> bool:
    """Return whether rows have a number before the columns of their header, as in files of R."""
    header, *others = rows
    if {len(row.fields) - len(header.fields) for row in others} != {1}:
        return False  # rows with errors have no fields
    firsts = [row.fields[0] for row in others]
    return all(map(str.isdecimal, firsts)) and len({*firsts}) == len(firsts)


def are_quoted(rows: Sequence[Row], delimiter: str) -> bool:
    """Return whether rows that were split without quoting are clearly those of a quoted table.

    They are if quotes, as Excel sets them, hold line feeds or other quotes, and if all rows then
    have equally many fields.
    """
    lines = [delimiter.join(row.fields) for row in rows]
    if not any(f'{delimiter}"' in f"{delimiter}{line}" for line in lines):
        return False
    reader = csv.reader([f"{line}\n" for line in lines], delimiter=delimiter, strict=True)
    quoted, n_lines = list[list[str]](), 0  # the complete rows, and the lines that they take
    try:
        for fields in reader:
            quoted.append(fields)
            n_lines = reader.line_num
    except csv.Error as error:
        if "unexpected end of data" not in str(error):
            return False
    if len({len(fields) for fields in quoted}) != 1 or len(quoted[0]) < 2:
        return False
    if any(delimiter in field for fields in quoted for field in fields):
        return False  # a quote in one text seems to end with that in another
    return len(quoted) < n_lines or any('""' in line for line in lines)


def cure_of_names(wanted: dict[str, str], found: Sequence[str]) -> Message | None:
    """Return a cure if the missing columns are there in another case or with other blanks.

    ``wanted`` holds the names that ``text`` and ``label`` have. One cure names all columns.
    """
    missing = {argument: name for argument, name in wanted.items() if name not in found}
    alike = {
        argument: [other for other in found if plain_name(other) == plain_name(name)]
        for argument, name in missing.items()
    }
    if not alike or any(len(others) != 1 for others in alike.values()):
        return None
    template = " and ".join(f"{{{argument}=}}" for argument in alike)
    values = {argument: others[0] for argument, others in alike.items()}
    return said("pass {columns}", columns=said(template, **values))


def cure_of_folders(path: Path, missing: str) -> Message | None:
    """Return a cure if a column is missing that Hive has put into the name of a folder."""
    if not any(part.startswith(f"{missing}=") for part in path.parts[:-1]):
        return None
    command = "pandas.read_parquet(folder).to_parquet(file)"
    return said(
        "the values of {missing!r} in names of folders are not read; write them into the files, as "
        "{command} does",
        missing=missing,
        command=command,
    )
