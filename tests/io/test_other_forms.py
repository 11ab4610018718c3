"""A file of another form than its name says gets a cure, and the cure works."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import termsift as ts
from wording import raises, warns

TEXTS, LABELS = ["bacon, eggs", "free pills", "more eggs"], ["ham", "spam", "ham"]
ROWS = list(zip(LABELS, TEXTS, strict=True))
COUNTS = ts.count_texts(TEXTS, LABELS)


def write(path: Path, *lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def count(path: Path, **options: Any) -> ts.ClassCounts:
    return ts.count(ts.scan(path, **options))


def test_lines_of_fasttext(tmp_path: Path) -> None:
    lines = [f"__label__{label} {text}" for label, text in ROWS]
    for ending in ("txt", "csv"):
        with raises(ValueError, "the_lines_are_those_of_fasttext", at=f"c.{ending}, line 1"):
            count(write(tmp_path / f"c.{ending}", *lines))


@pytest.mark.skipif(shutil.which("perl") is None, reason="the cure is a command of perl")
def test_the_cure_of_fasttext_works(tmp_path: Path) -> None:
    path = write(tmp_path / "c.txt", *(f"__label__{label} {text}" for label, text in ROWS))
    with raises(ValueError, "the_lines_are_those_of_fasttext") as caught:
        count(path)
    command = str(caught.value).partition("'")[2].rpartition("'")[0]
    done = subprocess.run(["perl", "-pe", command, path], check=True, capture_output=True)
    assert count(write(tmp_path / "d.txt", *done.stdout.decode().splitlines())) == COUNTS


def test_lines_of_svmlight(tmp_path: Path) -> None:
    path = write(tmp_path / "c.txt", "1 1:2 3:1", "2 2:1 # a document")
    with raises(ValueError, "the_lines_are_those_of_svmlight", at="line 1"):
        count(path)
    names = write(tmp_path / "names.txt", "ant", "bee", "cat")
    with raises(ValueError, "names_of_terms_for_a_text_file", argument="term_names"):
        ts.scan(path, term_names=names)
    counts = count(path, term_names=names, input_format="svm")
    assert counts.term_frequency.toarray().tolist() == [[2, 0, 1], [0, 1, 0]]


def test_a_document_a_line(tmp_path: Path) -> None:
    path = write(tmp_path / "all/c.txt", *TEXTS)
    with raises(ValueError, "a_line_may_be_a_document", argument="label", at="c.txt, line 1"):
        count(path)
    labels = write(tmp_path / "labels.txt", *LABELS)
    assert count(path, labels=labels) == COUNTS
    with raises(ValueError, "a_line_or_a_file_may_be_a_document", at="c.txt, line 1"):
        count(tmp_path / "all" / "*.txt")
    assert count(tmp_path / "all" / "*.txt", input_format="lines").classes == ["c"]


def of_r(mark: str) -> list[str]:
    rows = [f'"{i}"{mark}"{label}"{mark}"{text}"' for i, (label, text) in enumerate(ROWS, 1)]
    return [f'"label"{mark}"text"', *rows]


def test_names_of_rows_without_a_title(tmp_path: Path) -> None:
    path = write(tmp_path / "c.tsv", *of_r("\t"))
    with raises(ValueError, "rows_have_names", argument="skip_lines", at="line 2"):
        count(path)
    assert count(path, skip_lines=1, text=3, label=2) == COUNTS
    path = write(tmp_path / "c.txt", *of_r(" "))
    with raises(ValueError, "blanks_divide_the_fields_of_r", at="line 1"):
        count(path)
    options = {"delimiter": " ", "quote": '"', "skip_lines": 1}
    assert count(path, **options, text=3, label=2) == COUNTS
    path = write(tmp_path / "c.txt", *(line.replace("text", "body") for line in of_r(" ")))
    with raises(ValueError, "blanks_divide_the_fields", argument="label", at="line 1"):
        count(path)
    path = write(tmp_path / "c.txt", '"label" "text"', '"1" "ham" "bacon" "more"')
    with raises(ValueError, "a_line_may_be_a_document", argument="label", at="line 1"):
        count(path)


def test_a_stray_comma_is_no_name_of_a_row(tmp_path: Path) -> None:
    for rows in (["ham,a,b", "spam,c,d"], ["1,a,b", "1,c,d"], ["1,a,b", "2,c"]):
        with raises(ValueError, "expected_2_fields_found_3", at="line 2"):
            count(write(tmp_path / "c.csv", "label,text", *rows))


def test_quoted_fields_in_a_text_file(tmp_path: Path) -> None:
    rows = ['ham\t"bacon, ""eggs"""', "spam\tfree pills", 'ham\t"more, eggs"']
    path = write(tmp_path / "c.txt", *rows)
    with warns(UserWarning, "quotes_seem_to_enclose_fields", at="c.txt"):
        count(path)
    assert count(path, quote='"') == COUNTS
    path = write(tmp_path / "d.txt", 'ham\t"bacon', 'eggs"', "spam\tfree pills", "ham\tmore eggs")
    with (
        warns(UserWarning, "quotes_seem_to_enclose_fields", at="d.txt"),
        raises(ValueError, "expected_2_fields_found_1", at="line 2"),
    ):
        count(path)
    assert count(path, quote='"') == COUNTS
    path = write(tmp_path / "e.txt", *(f'"{label}"\t"{text}"' for label, text in ROWS))
    with warns(UserWarning, "quotes_seem_to_enclose_fields", at="e.txt"):
        count(path)
    assert count(path, quote='"') == COUNTS


def test_quotes_of_several_texts_enclose_no_field(tmp_path: Path) -> None:
    for rows in (['ham\t"bacon', 'spam\tpills"'], ['ham\t"bacon', 'spam"\tpills']):
        assert count(write(tmp_path / "c.txt", *rows, "ham\teggs")).n_docs == 3


@pytest.mark.parametrize(
    "text", ['"free" pills', 'a ""free"" pill', '"free pills', '"free pills"', '5" free "pills"']
)
def test_quotes_that_are_text_cause_no_warning(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "c.txt", "ham\tbacon, eggs", f"spam\t{text}", "ham\tmore eggs")
    assert count(path).n_docs == 3


def test_columns_that_differ_in_case_are_named_at_once(tmp_path: Path) -> None:
    rows = [f'{label},"{text}"' for label, text in ROWS]
    path = write(tmp_path / "c.csv", "Label,Text ", *rows)
    with raises(ValueError, "both_columns_in_another_case", argument="text", at="line 1"):
        count(path)
    assert count(path, text="Text ", label="Label") == COUNTS
    path = write(tmp_path / "c.csv", "label,TEXT", *rows)
    with raises(ValueError, "a_column_in_another_case", argument="text", at="line 1"):
        count(path)


def test_columns_of_parquet_that_differ_in_case(tmp_path: Path) -> None:
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "c.parquet"
    parquet.write_table(pyarrow.table({"Label": LABELS, "Text ": TEXTS}), path)
    with raises(ValueError, "both_columns_in_another_case", argument="text"):
        count(path)


def test_a_label_in_the_name_of_a_folder(tmp_path: Path) -> None:
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pandas = pytest.importorskip("pandas")
    folder = tmp_path / "mail"
    for label, text in ROWS[:2]:
        write(folder / f"label={label}" / "0.csv", "text", f'"{text}"')
    with raises(ValueError, "a_column_in_names_of_folders_of_csv"):
        count(folder)
    folder = tmp_path / "more"
    for label, text in ROWS[:2]:
        (folder / f"label={label}").mkdir(parents=True)
        table = pyarrow.table({"text": [text]})
        parquet.write_table(table, folder / f"label={label}" / "0.parquet")
    with raises(ValueError, "a_column_in_names_of_folders"):
        count(folder)
    pandas.read_parquet(folder).to_parquet(tmp_path / "all.parquet")
    assert count(tmp_path / "all.parquet") == ts.count_texts(TEXTS[:2], LABELS[:2])


def test_texts_without_a_header_and_labels(tmp_path: Path) -> None:
    path = write(tmp_path / "c.csv", *(text.replace(",", "") for text in TEXTS))
    with raises(ValueError, "one_column_without_a_header", argument="text"):
        count(path, label=False)
    assert count(path, label=False, text=1).n_docs == 3


def test_parts_without_an_ending(tmp_path: Path) -> None:
    for i, (label, text) in enumerate(ROWS):
        write(tmp_path / "mail" / f"part-{i:05}", f"{label}\t{text}")
    with raises(ValueError, "no_folders_of_classes", argument="input_format"):
        count(tmp_path / "mail")
    assert count(tmp_path / "mail", input_format="txt") == COUNTS


# ---- tables that are drawn, and pages ------------------------------------------------------------

DRAWN = {
    "psql": (" label |    text    ", "-------+------------", " ham   | bacon eggs", "(1 row)"),
    "psql, expanded": ("-[ RECORD 1 ]-----", "label | ham", "text  | bacon eggs"),
    "mysql, vertical": (f"{'*' * 27} 1. row {'*' * 27}", "label: ham", " text: bacon eggs"),
    "mysql": ("+-------+------------+", "| label | text       |", "+-------+------------+"),
    "Markdown": ("| label | text |", "|:------|------|", "| ham | bacon eggs |"),
    "Markdown without ends": ("label | text", "--- | ---", "ham | bacon eggs"),
    "sqlite3, columns": ("label  text      ", "-----  ----------", "ham    bacon eggs"),
    "sqlite3, box": ("┌───────┬────────────┐", "│ label │    text    │"),
    "polars": ("shape: (1, 2)", "┌───────┬────────────┐", "│ label ┆ text       │"),
    "reStructuredText": ("=====  ==========", "label  text", "=====  =========="),
}


@pytest.mark.parametrize("ending", ["csv", "txt", "tsv"])
@pytest.mark.parametrize("form", DRAWN)
def test_tables_that_are_drawn(tmp_path: Path, form: str, ending: str) -> None:
    path = write(tmp_path / f"c.{ending}", *DRAWN[form])
    for columns in ({}, {"text": 2, "label": 1}, {"text": " text ", "label": " label "}):
        with raises(ValueError, "a_table_that_is_drawn", at=str(path)):
            count(path, **columns)


def test_what_is_not_drawn(tmp_path: Path) -> None:
    """Titles are underlined, and texts may be made of marks."""
    for title in (["News", "====", ""], ["# ---- | ----"], ["a - b | c", "-----"]):
        path = write(tmp_path / "c.csv", *title, "label,text", *(f'{a},"{b}"' for a, b in ROWS))
        assert count(path, skip_lines=len(title)) == COUNTS
    for text in ("-----", "--- | ---", "+---+", "=== ===", "┌──┐"):
        path = write(tmp_path / "c.txt", f"ham\t{text} bacon", f"spam\t{text}", "ham\teggs")
        assert count(path).class_docs.tolist() == [2, 1]
    for line in ("- - -", "|", "+", ":-|", ""):
        path = write(tmp_path / "c.csv", "label,text", f"ham,{line}", "spam,pills")
        assert count(path).n_docs == 2


def test_a_page_in_place_of_a_table(tmp_path: Path) -> None:
    for page in (
        ["<!DOCTYPE html>", "<html>"],
        ["", '<HTML lang="en">'],
        ["\ufeff<!doctype html>"],
    ):
        with raises(ValueError, "a_page_of_html"):
            count(write(tmp_path / "c.csv", *page))


def test_objects_of_json_in_a_table(tmp_path: Path) -> None:
    rows = [json.dumps({"text": text, "label": label}) for label, text in ROWS]
    for ending in ("csv", "tsv", "txt"):
        path = write(tmp_path / f"c.{ending}", *rows)
        for columns in ({}, {"text": 1, "label": 2}):
            with raises(ValueError, "a_json_object_in_a_table", argument="input_format"):
                count(path, **columns)
        assert count(path, input_format="jsonl") == COUNTS


# ---- rows of survey tools ------------------------------------------------------------------------

QUALTRICS = [
    ["StartDate", "Q1", "Q2"],
    ["Start Date", "What was it,\nand how?", "Which group?"],
    [f'{{"ImportId":"{name}"}}' for name in ("startDate", "QID1_TEXT", "QID2")],
]
SURVEYMONKEY = [
    ["Respondent ID", "What was it?", "Which group?"],
    ["", "Open-Ended Response", "Response"],
]


def survey(path: Path, above: list[list[str]], **options: Any) -> Path:
    rows = [*above, *([str(i), text, label] for i, (label, text) in enumerate(ROWS))]
    encoding = options.pop("encoding", "utf-8")
    with open(path, "w", newline="", encoding=encoding) as file:
        csv.writer(file, **options).writerows(rows)
    return path


@pytest.mark.parametrize("names", [True, False])
def test_rows_that_survey_tools_write_above_the_answers(tmp_path: Path, names: bool) -> None:
    for above in (QUALTRICS, SURVEYMONKEY):
        columns: dict[str, Any] = {"text": above[0][1], "label": above[0][2]}
        columns = columns if names else {"text": 2, "label": 3}
        n_lines = len(above) + (above is QUALTRICS)
        place = f"lines {1 + names} to {n_lines}"
        if 1 + names == n_lines:
            place = f"line {n_lines},"
        path = survey(tmp_path / "c.csv", above, quoting=csv.QUOTE_ALL)
        with warns(UserWarning, "what_a_survey_tool_writes", at=place):
            assert count(path, **columns) == COUNTS
        path = survey(tmp_path / "c.tsv", above, delimiter="\t", encoding="utf-16")
        with warns(UserWarning, "what_a_survey_tool_writes", at=place):
            assert count(path, **columns) == COUNTS
        first = ["sep=,", ""]
        path.with_suffix(".csv").write_text(
            "\n".join(first) + path.read_text("utf-16").replace("\t", ",")
        )
        with path.open("a", encoding="utf-16-le") as file:
            file.write("1\tfree pills\t\n")
        with (
            warns(UserWarning, "what_a_survey_tool_writes", at=place),
            raises(ValueError, "the_label_is_empty", at=f"line {n_lines + 4}"),
        ):
            count(path, **columns)
    with raises(ValueError, "holds_no_documents"), warns(UserWarning, "what_a_survey_tool_writes"):
        count(survey_without_answers(tmp_path / "c.csv"), text="Q1", label="Q2")


def survey_without_answers(path: Path) -> Path:
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(QUALTRICS)
    return path


def test_answers_that_only_look_like_those_of_a_survey(tmp_path: Path) -> None:
    path = write(tmp_path / "c.csv", "Respondent ID,text,label", "1,Response,ham", ",Response,ham")
    assert count(path).n_docs == 2
    path = write(tmp_path / "c.tsv", "a\ttext\tlabel", '1\t{"ImportId": 1}\tham')
    assert count(path, quote="").n_docs == 1
    path = write(tmp_path / "c.csv", "Respondent ID,text,label", ",eggs,ham", "1,pills,spam")
    assert count(path).n_docs == 2


# ---- the order of text and label -----------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 30])
def test_a_text_before_its_label(tmp_path: Path, n: int) -> None:
    rows = [f"a text about eggs {i}\t{'ham' if i % 2 else 'spam'}" for i in range(n)]
    counts = ts.count_texts(
        [row.split("\t")[0] for row in rows], [row.split("\t")[1] for row in rows]
    )
    path = write(tmp_path / "c.txt", *rows)
    with raises(ValueError, "texts_before_labels", argument="text"):
        count(path)
    assert count(path, text=1, label=2) == counts
    write(path, "text\tlabel", *rows)
    with raises(ValueError, "texts_before_labels", argument="text"):
        count(path)
    assert count(path, header=True) == counts
    assert count(path, header=True, text=1, label=2) == counts
    write(path, "Message\tCategory", *rows)
    with raises(ValueError, "texts_before_labels", argument="text"):
        count(path)
    assert count(path, header=True, text=1, label=2) == counts


def test_words_before_their_labels_are_a_tie(tmp_path: Path) -> None:
    path = write(tmp_path / "c.txt", "bacon\tham", "pills\tspam", "eggs\tham")
    with raises(ValueError, "texts_before_labels", argument="text"):
        count(path)
    assert count(path, text=1, label=2).classes == ["ham", "spam"]
    assert count(path, text=2, label=1).classes == ["bacon", "eggs", "pills"]


@pytest.mark.parametrize(
    "rows",
    [
        ["New York\tnice", "Los Angeles\ta nice place", "New York\tbad"],
        ["New York\tnice", "Los Angeles\ta nice place", "Boston\ta city"],
        ["ham\tbacon", "spam\tpills", "ham\teggs"],
        ["a\tx", "b\ty"],
        ["very good\tfine"],
        ["very good\tfine", "very good\tnice film"],
        ["ham\t", "spam\t", "spam\teggs"],
        ["not so good\tit is bad", "good\tnice"],
        ["very good\tfine", "very good\tnice", "very bad\tno", "very bad\tboring"],
        ["very good\tfine", "bad\tit is bad", "fair\tso so", "good\ta fine film"],  # one is longer
    ],
)
def test_labels_before_texts_are_read_as_they_are(tmp_path: Path, rows: list[str]) -> None:
    path = write(tmp_path / "c.txt", *rows)
    assert count(path, token_pattern=r"\w+") == count(path, text=2, label=1, token_pattern=r"\w+")


# ---- numbers below the names of terms, and the first row -----------------------------------------


@pytest.mark.parametrize("sep", [",", "\t", ";"])
@pytest.mark.parametrize("form", ["label", "name, label", "label last", "name", "names of rows"])
def test_a_matrix_in_a_table(tmp_path: Path, form: str, sep: str) -> None:
    pandas = pytest.importorskip("pandas")
    terms = {"bacon": [1, 0], "eggs": [2, 0], "pills": [0, 3]}
    labels = {"label": ["ham", "spam"]}
    first = {"label": labels, "name, label": {"doc": ["d1", "d2"], **labels}, "label last": {}}
    columns = {**first.get(form, {"doc": ["d1", "d2"]}), **terms}
    columns |= labels if form == "label last" else {}
    if form == "names of rows":
        columns.pop("doc")
    path = tmp_path / "c.csv"
    pandas.DataFrame(columns).to_csv(path, index=form == "names of rows", sep=sep)
    with raises(ValueError, "numbers_below_terms") as caught:
        count(path)
    found = re.search("read frame = (.*), and count them by (.*)", str(caught.value))
    assert found is not None
    frame = eval(found[1], {"pandas": pandas, "file": path})
    counts = eval(found[2], {"frame": frame, "termsift": ts, "labels": labels["label"]})
    assert counts == ts.count(pandas.DataFrame(terms), labels["label"])


def test_a_matrix_with_terms_in_rows(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    path = write(tmp_path / "c.csv", "term;d1;d2", "bacon;1;0", "pills;0;3")
    with raises(ValueError, "numbers_beside_terms") as caught:
        count(path)
    found = re.search("read frame = (.*), and count by (.*)", str(caught.value))
    assert found is not None
    frame = eval(found[1], {"pandas": pandas, "file": path})
    counts = eval(found[2], {"frame": frame, "termsift": ts, "labels": ["ham", "spam"]})
    assert counts.term_frequency.toarray().tolist() == [[1, 0], [0, 3]]


def test_a_table_of_numbers_that_is_no_matrix(tmp_path: Path) -> None:
    for rows in (
        ["id,body,stars", "1,nice,5"],
        ["a,b", "1,2"],
        ["a,b,c", "x,y,1"],
        ["a,b,c"],
        ["Response ID,How old?,What?", "1,77,bacon"],
        ["#,What,Who", "abc,bacon,ham"],
    ):
        with raises(ValueError, "no_column_text", argument="text"):
            count(write(tmp_path / "c.csv", *rows))


def test_a_stray_delimiter_in_the_first_row(tmp_path: Path) -> None:
    rows = ["ham,bacon,eggs", "ham,bacon", "spam,pills", "ham,eggs"]
    path = write(tmp_path / "c.csv", *rows)
    columns: dict[str, Any] = {"text": 2, "label": 1}
    with raises(ValueError, "a_stray_delimiter", at="line 1"):
        count(path, **columns)
    scan = ts.scan(path, on_error="skip", **columns)
    assert (ts.count(scan).n_docs, scan.n_skipped) == (3, 1)
    path = write(tmp_path / "c.csv", "ham,bacon", *["a stray line"] * 9)
    scan = ts.scan(path, on_error="skip", **columns)
    assert (ts.count(scan).n_docs, scan.n_skipped) == (1, 9)
    path = write(tmp_path / "c.csv", "made by X", *rows[1:])
    scan = ts.scan(path, on_error="skip", **columns)
    assert (ts.count(scan).n_docs, scan.n_skipped) == (3, 1)


# ---- columns in a text file, and fields at the ends of rows --------------------------------------


def test_more_columns_than_a_label_and_a_text(tmp_path: Path) -> None:
    rows = [f"{i}\t{text}\t{label}" for i, (label, text) in enumerate(ROWS)]
    path = write(tmp_path / "c.txt", *rows)
    with raises(ValueError, "more_columns_than_two", argument="text", at="line 1"):
        count(path)
    assert count(path, text=2, label=3) == COUNTS
    write(path, "id\tMessage\tclass", *rows)
    with raises(ValueError, "more_columns_with_a_header", argument="header", at="line 1"):
        count(path)
    assert count(path, header=True, text="Message", label="class") == COUNTS
    write(path, *(f"{label}\t{text}\t" for label, text in ROWS))
    with raises(ValueError, "more_columns_than_two", argument="text"):
        count(path)
    assert count(path, text=2, label=1) == COUNTS
    write(path, *(f"{label}\t{text}" for label, text in ROWS), "ham\tbacon\teggs")
    with raises(ValueError, "expected_2_fields_found_3_of_tabs", at="line 4"):
        count(path)


def test_rows_that_end_in_a_stray_delimiter(tmp_path: Path) -> None:
    path = write(tmp_path / "c.csv", "label,text", *(f'{a},"{b}",' for a, b in ROWS))
    with raises(ValueError, "rows_end_in_a_delimiter", argument="skip_lines", at="line 2"):
        count(path)
    assert count(path, skip_lines=1, text=2, label=1) == COUNTS
    assert count(write(path, "label,text,", *(f'{a},"{b}",' for a, b in ROWS))) == COUNTS


@pytest.mark.skipif(shutil.which("perl") is None, reason="the cure is a command of perl")
def test_a_label_and_a_blank_before_each_text(tmp_path: Path) -> None:
    for mark in (" ", ": ", "::", ", "):
        texts = [*TEXTS, *(f"{text} again" for text in TEXTS)]
        labelled = zip(LABELS * 2, texts, strict=True)
        path = write(tmp_path / "c.txt", *(f"{label}{mark}{text}" for label, text in labelled))
        if mark == "::":
            continue
        with raises(ValueError, "a_label_begins_each_line", argument="label") as caught:
            count(path)
        command = str(caught.value).partition("perl -pe '")[2].partition("'")[0]
        done = subprocess.run(["perl", "-pe", command, path], check=True, capture_output=True)
        cured = write(tmp_path / "d.txt", *done.stdout.decode().splitlines())
        assert count(cured) == ts.count_texts(texts, LABELS * 2)


def test_a_table_with_commas_under_the_name_of_a_text(tmp_path: Path) -> None:
    for mark in ",;|":
        rows = [f'{label}{mark}"{text}"' for label, text in ROWS]
        path = write(tmp_path / "c.txt", f"label{mark}text", *rows)
        with raises(ValueError, "line_1_may_name_columns"):
            count(path)
        assert count(path, input_format="csv") == COUNTS
