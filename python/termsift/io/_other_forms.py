"""Cures for tables of another form than their names say, as their first rows show."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path

from termsift._util.faults import Message, concerning, said, wrong_value
from termsift._util.validation import plain_name
from termsift.io._dialect import Row

_FASTTEXT = "__label__"
_TO_TABLE = r"perl -pe 's/^__label__(\S+)\s+/$1\t/'"
# The patterns are compiled only where a line begins as it must.
_SVMLIGHT = r"\S+(?: \d+:\S+)+ *(?:#.*)?"
_ROW_OF_R = r'"[^"]*"(?: (?:"[^"]*"|\S+))*'
_OBJECT = r'\{\s*"(?:[^"\\]|\\.)*"\s*:.*\}'
# A line of dashes between the rows of a table that a shell or Markdown draws. One run of dashes
# alone may underline a title.
_BOX = "+|\u2500-\u257f"
_DRAWN = (
    rf" *(?=[^{_BOX}]*[{_BOX}])[-=: {_BOX}]*(?:[-=]{{2}}|[\u2500-\u257f]{{2}})[-=: {_BOX}]*"
    r"| *[-=]{2,}(?: +[-=]{2,})+ *|-\[ RECORD 1 \][-+]*|\*+ 1\. row \*+"
)
_SURELY = 0.9  # the share of rows that shows the order of two columns
_TERMS = {"term", "terms", "word", "words", "token", "feature"}  # titles of a column of terms
_LEAST_TERMS = 3  # the number of columns of a matrix
_HTML = "<!doctype html", "<html"
_IMPORT_ID = '{"ImportId":'  # begins each field of the third row of Qualtrics
_IDS_OF_SURVEYMONKEY = {"respondentid", "respondent_id"}
# What the columns of a header are often called, and texts and labels seldom.
TITLES_OF_LABELS = ("label", "labels", "class", "category", "target", "sentiment")
TITLES_OF_TEXTS = ("text", "texts", "message", "body", "content", "document", "review", "title")


def refuse_other_form(path: Path, lines: Sequence[Row]) -> None:
    """Raise an error if the first lines, each of one field, are surely no delimited table.

    They are a table that is drawn for reading, an object of JSON, or a page of HTML.
    """
    for number, line in enumerate(lines):
        text = line.fields[0] if line.fields else ""
        start = text.lstrip("\ufeff \t")
        if not number and start.lower().startswith(_HTML):
            raise wrong_value(
                "{path}: is a page of HTML, expected a table; download the file itself, such as "
                "the raw file of a repository",
                path=path,
            )
        if not number and start[:1] == "{" and re.fullmatch(_OBJECT, start.rstrip()):
            raise wrong_value(
                "{path}, line {line}: is a JSON object, expected delimited fields; pass "
                "{input_format='jsonl'}",
                path=path,
                line=line.line,
            )
        has_letters = start[:1].isalnum() or any(map(str.isalnum, start))
        if (not has_letters or start.startswith(("-[ RECORD", "***"))) and re.fullmatch(
            _DRAWN, text
        ):
            raise wrong_value(
                "{path}, line {line}: the table is drawn for reading, as psql, mysql and Markdown "
                "do; write it as CSV, which psql and sqlite3 have an option for, or as a .tsv, as "
                "mysql does in its batch mode",
                path=path,
                line=line.line,
            )


def n_of_survey(rows: Sequence[Row]) -> int:
    """Return how many of the first rows a survey tool writes above the answers, or 0.

    Qualtrics writes the names of the columns, the questions and a row of ids, and SurveyMonkey the
    questions and the kinds of answers.
    """
    for i, row in enumerate(rows[:3]):
        fields = [field.replace('""', '"').lstrip('"') for field in row.fields if field.strip()]
        is_whole = fields and len(row.fields) == len(rows[0].fields)
        if is_whole and all(field.startswith(_IMPORT_ID) for field in fields):
            return i + 1
    if len(rows) < 2 or not all(row.fields for row in rows[:2]):
        return 0
    header, kinds = rows[0].fields, rows[1].fields
    if plain_name(header[0]).replace(" ", "") not in _IDS_OF_SURVEYMONKEY or kinds[0]:
        return 0
    return 2 * any(kind in ("Response", "Open-Ended Response") for kind in kinds)


def refuse_more_columns(where: str, rows: Sequence[Row]) -> None:
    """Raise an error if all of several rows have more fields than a label and a text."""
    sizes = {len(row.fields) for row in rows}
    n = max(sizes, default=0)
    if len(rows) < 2 or len(sizes) > 1 or n < 3:
        return
    titles = [field.strip().lower() for field in rows[0].fields]
    cure = said("pass {text} and {label} with the numbers of their columns")
    if {*titles} & {*TITLES_OF_TEXTS} and {*titles} & {*TITLES_OF_LABELS}:
        names = {
            argument: next(name for name in rows[0].fields if name.strip().lower() in known)
            for argument, known in (("text", TITLES_OF_TEXTS), ("label", TITLES_OF_LABELS))
        }
        cure = said("pass {header=} {text=} {label=}", header=True, **names)
    raise wrong_value(
        "{where}: expected a label and a text, found {n} fields in each row; {cure}",
        where=where,
        n=n,
        cure=cure,
    )


def refuse_swapped(path: Path, rows: Sequence[Row]) -> None:
    """Raise an error if rows seem to hold a text and a label, in place of a label and a text.

    They do if nearly every first field has more words than the second, or if no two first fields
    are equal, but some of the second, which are not longer.
    """
    pairs = [row.fields for row in rows if len(row.fields) == 2]
    is_title = bool(pairs) and all(
        field.strip().lower() in titles
        for field, titles in zip(pairs[0], (TITLES_OF_TEXTS, TITLES_OF_LABELS), strict=True)
    )
    pairs = [pair for pair in pairs[is_title:] if all(map(str.strip, pair))]
    if len(pairs) < 2 and not is_title:
        return
    labels, texts = zip(*pairs, strict=True) if pairs else ((), ())
    n_labels, n_texts = len({*labels}), len({*texts})
    n_longer = sum(len(label.split()) > len(text.split()) for label, text in pairs)
    is_longer = n_labels >= n_texts and n_longer >= _SURELY * len(pairs)
    is_varied = n_texts < n_labels == len(pairs) and len("".join(labels)) >= len("".join(texts))
    if not (is_title or is_longer or is_varied):
        return
    text_first = said("{header=} {text=} {label=}", header=True, text=1, label=2)
    if not is_title:
        text_first = said("{text=} {label=}", text=1, label=2)
    error = wrong_value(
        "{path}: column 1 seems to hold the texts, and column 2 the labels; if so, pass "
        "{text_first}, else {label_first}",
        path=path,
        text_first=text_first,
        label_first=said("{text=} {label=}", text=2, label=1),
    )
    raise concerning(error, "text")


def cure_of_matrix(rows: Sequence[Row], delimiter: str, label: str | None) -> Message | None:
    """Return a cure if rows hold numbers below the names of terms, else None."""
    header, *others = rows
    n = len(header.fields)
    others = [row for row in others if len(row.fields) == n]
    if n < _LEAST_TERMS or not others:
        return None
    # A column without a name is the index of a data frame, even if it holds numbers.
    words = [
        i
        for i, name in enumerate(header.fields)
        if not name or not all(_is_number(row.fields[i]) for row in others)
    ]
    # A column or two at the start hold names or labels of documents, and one at the end labels.
    first = len([*takewhile(lambda i: i in words, range(n))])
    if first > 2 or n - len(words) < _LEAST_TERMS - 1 or {*words[first:]} - {n - 1}:
        return None
    names = [name or f"Unnamed: {i}" for i, name in enumerate(header.fields)]  # as in pandas
    if any(" " in names[i] for i in range(n) if i not in words):
        return None  # terms have no blanks, unlike questions
    sep = "" if delimiter == "," else f", sep={delimiter!r}"
    if first == 1 and plain_name(names[0]) in _TERMS:
        return said(
            "if each row is a term and each column a document, read frame = {frame}, and count by "
            "{command}",
            frame=f"pandas.read_csv(file, index_col=0{sep})",
            command="termsift.count(frame.T, labels)",
        )
    drop = names[:first] + [label] * (label in names[first:])
    return said(
        "if the columns are terms and the numbers their counts, read frame = {frame}, and count "
        "them by {command}",
        frame=f"pandas.read_csv(file{sep})",
        command=f"termsift.count(frame.drop(columns={drop}), "
        f"{f'frame[{label!r}]' if label in names else 'labels'})",
    )


def _is_number(field: str) -> bool:
    return re.fullmatch(r"\s*\d+(?:\.0*)?\s*", field) is not None


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
    if re.fullmatch(_SVMLIGHT, first):
        return said("if the lines are those of svmlight, pass {input_format='svm'}")
    if len(lines) < 2 or not all(re.fullmatch(_ROW_OF_R, line.fields[0]) for line in lines[:2]):
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


def have_last_field(rows: Sequence[Row]) -> bool:
    """Return whether rows have one more field than their header, which is the last and empty."""
    header, *others = rows
    return all(len(row.fields) == len(header.fields) + 1 and not row.fields[-1] for row in others)


def are_quoted(rows: Sequence[Row], delimiter: str) -> bool:
    """Return whether rows that were split without quoting are clearly those of a quoted table.

    They are if all fields of several rows are in quotes, or if quotes, as Excel sets them, hold
    line feeds or other quotes, and if all rows then have equally many fields.
    """
    of_all = [field for row in rows for field in row.fields]
    if len(rows) > 1 and all(re.fullmatch('"[^"]*"', field) for field in of_all):
        return True
    lines = [delimiter.join(row.fields) for row in rows]
    if not any(f'{delimiter}"' in f"{delimiter}{line}" for line in lines):
        return False
    import csv  # only this needs it

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
    # Of pandas' readers, only that of Parquet knows such folders.
    is_parquet = path.suffix.lower() == ".parquet"
    how = ", as pandas.read_parquet(folder).to_parquet(file) does" if is_parquet else ""
    return said(
        "the values of {missing!r} in names of folders are not read; write them into the "
        "files{how}",
        missing=missing,
        how=how,
    )
