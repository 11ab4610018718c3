"""A file of another form than its name says gets a cure, and the cure works."""

from __future__ import annotations

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
    with raises(ValueError, "a_column_in_names_of_folders"):
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
