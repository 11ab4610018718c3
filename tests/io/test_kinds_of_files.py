"""The same two documents in the files of some eighty tools: each is read, or gets its cure.

The files have the form in which the tools write them, by their manuals or by their own output.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

import termsift as ts
from file_kinds import zstandard
from wording import WORDING, fits, warns

TEXTS, LABELS = ["Größe, eggs", 'free "pills"'], ["ham", "spam"]
RECORDS = [{"text": t, "label": c} for t, c in zip(TEXTS, LABELS, strict=True)]
COUNTS = ts.count_texts(TEXTS, LABELS)

Content: TypeAlias = "str | bytes | Callable[[], bytes] | dict[str, Any]"


def table(*, header: bool = True, label_first: bool = False, first: str = "", **form: Any) -> str:
    """Return the documents as the csv module of Python writes them, after a first line."""
    rows = [["text", "label"]] * header + [[r["text"], r["label"]] for r in RECORDS]
    file = io.StringIO()
    file.write(first)
    options = {"lineterminator": "\n", **form}
    csv.writer(file, **options).writerows(row[::-1] if label_first else row for row in rows)
    return file.getvalue()


def frame(write: str, *arguments: Any, **options: Any) -> Callable[[], bytes]:
    """Return a function that lets pandas write the documents."""

    def written() -> bytes:
        pandas = pytest.importorskip("pandas")
        file = io.BytesIO()
        getattr(pandas.DataFrame(RECORDS), write)(file, *arguments, **options)
        return file.getvalue()

    return written


def arrow(form: str) -> Callable[[], bytes]:
    def written() -> bytes:
        pyarrow, ipc = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.ipc")
        data, file = pyarrow.table({"text": TEXTS, "label": LABELS}), io.BytesIO()
        if form == "parquet":
            pytest.importorskip("pyarrow.parquet").write_table(data, file)
        else:
            with (ipc.new_stream if form == "stream" else ipc.new_file)(file, data.schema) as out:
                out.write_table(data)
        return file.getvalue()

    return written


def zipped(**members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def lines(*rows: str, end: str = "\n") -> str:
    return "".join(row + end for row in rows)


JSON_LINES = lines(*(json.dumps(record) for record in RECORDS))
NO_HEADER: dict[str, Any] = {"text": 1, "label": 2}
SWAPPED: dict[str, Any] = {"text": 2, "label": 1}
OF_R = table(quoting=csv.QUOTE_NONNUMERIC).splitlines()
NUMBERED = [
    f"{n}{line}" for n, line in zip(('"",', '"1",', '"2",'), OF_R, strict=True)
]  # of write.csv
IN_BLANKS = [line.replace('","', '" "') for line in OF_R]
MATRIX = "%%MatrixMarket matrix coordinate integer general\n2 4 4\n1 1 1\n1 3 1\n2 2 1\n2 4 1\n"
BESIDE: dict[str, Any] = {"labels": "ham\nspam\n"}
NAMES: dict[str, Any] = {"term_names": "eggs\nfree\ngröße\npills\n"}
IDS = ['{"ImportId":"QID1"}', '{"ImportId":"QID2"}']
QUALTRICS = [["Q1", "Q2"], ["What?", "Who,\nand when?"], IDS]
PLAIN: dict[str, Any] = {"quotechar": None, "quoting": csv.QUOTE_NONE}
MONKEY = [["Respondent ID", "What?", "Who?"], ["", "Open-Ended Response", "Response"]]


def answers(above: list[list[str]], *before: str, **form: Any) -> str:
    file = io.StringIO()
    csv.writer(file, **form).writerows(
        [*above, *([*before, r["text"], r["label"]] for r in RECORDS)]
    )
    return file.getvalue()


# The name of the file, its content, and the options of scan.
READ: dict[str, tuple[str, Content, dict[str, Any]]] = {
    # ---- spreadsheets
    "Excel, CSV UTF-8": ("c.csv", ("\ufeff" + table(lineterminator="\r\n")).encode(), {}),
    "Excel, CSV of Germany": (
        "c.csv", table(delimiter=";", lineterminator="\r\n").encode("cp1252"),
        {"encoding": "cp1252"},
    ),
    "Excel, Unicode text": (
        "c.txt", table(delimiter="\t", lineterminator="\r\n").encode("utf-16"),
        {"header": True, "quote": '"'},
    ),
    "Excel, sep=": ("c.csv", table(delimiter=";", first="sep=;\n"), {}),
    "Google Sheets": ("c.csv", table(lineterminator="\r\n").rstrip(), {}),
    "Google Forms": (
        "c.csv", lines(*(f'"{i}",{line}' for i, line in enumerate(table().splitlines()))), {}
    ),
    "LibreOffice, TSV in quotes": ("c.tsv", table(delimiter="\t", quoting=csv.QUOTE_ALL), {}),
    "Numbers, semicolons": ("c.csv", table(delimiter=";", quoting=csv.QUOTE_ALL), {}),
    "blank lines at the end": ("c.csv", table() + "\n\r\n\n", {}),
    "tabs under the name .csv": ("c.csv", table(delimiter="\t"), {}),
    # ---- pandas
    "pandas, to_csv": ("c.csv", frame("to_csv"), {}),
    "pandas, without index": ("c.csv", frame("to_csv", index=False), {}),
    "pandas, bars": ("c.csv", frame("to_csv", sep="|"), {}),
    "pandas, without header": ("c.csv", frame("to_csv", index=False, header=False), NO_HEADER),
    "pandas, escapes": (
        "c.csv", frame("to_csv", quoting=csv.QUOTE_NONE, escapechar="\\"),
        {"escape": "\\", "quote": ""},
    ),
    "pandas, JSON lines": ("c.jsonl", frame("to_json", orient="records", lines=True), {}),
    "pandas, records": ("c.json", frame("to_json", orient="records"), {}),
    "pandas, records with indent": ("c.json", frame("to_json", orient="records", indent=2), {}),
    "pandas, schema and data": ("c.json", frame("to_json", orient="table"), {}),
    "pandas, Parquet": ("c.parquet", frame("to_parquet"), {}),
    "pandas, Feather": ("c.feather", frame("to_feather"), {}),
    # ---- R
    "R, write.csv": ("c.csv", lines(*NUMBERED), {}),
    "R, write.csv without names": ("c.csv", lines(*OF_R), {}),
    "R, write.csv2": ("c.csv", lines(*(line.replace('","', '";"') for line in NUMBERED)), {}),
    "R, fwrite": ("c.csv", table(), {}),
    "R, write_tsv": ("c.tsv", table(delimiter="\t"), {}),
    "R, write.table of tabs": (
        "c.txt", table(delimiter="\t", **PLAIN), {"header": True}
    ),
    # ---- databases
    "psql --csv": ("c.csv", table(), {}),
    "psql, COPY": ("c.tsv", table(delimiter="\t", **PLAIN), {"quote": ""}),
    "mysql --batch": (
        "c.tsv", table(delimiter="\t", **PLAIN), {"quote": ""}
    ),
    "MySQL, INTO OUTFILE": (
        "c.txt", table(header=False, delimiter="\t", **PLAIN),
        {"escape": "\\", **NO_HEADER},
    ),
    "sqlite3 -csv -header": ("c.csv", table(lineterminator="\r\n"), {}),
    "sqlite3, list mode": (
        "c.txt", table(delimiter="|", **PLAIN), {"header": True}
    ),
    "sqlite3 -json": ("c.json", "[" + ",\n".join(map(json.dumps, RECORDS)) + "]\n", {}),
    "mongoexport": (
        "c.json",
        lines(*(json.dumps({"_id": {"$oid": "65a"}, **record}) for record in RECORDS)), {},
    ),
    "mongoexport --jsonArray": (
        "c.json", json.dumps([{"_id": {"$oid": "65a"}, **record} for record in RECORDS]), {}
    ),
    "BigQuery": ("c.ndjson", JSON_LINES, {}),
    # ---- big data
    "Spark, CSV": (
        "c", {"_SUCCESS": "", "part-00000-a.csv": table(), ".part-00000-a.csv.crc": "x"}, {}
    ),
    "Spark, JSON": ("c", {"_SUCCESS": "", "part-00000-a.json": JSON_LINES}, {}),
    "Hive, text": (
        "c", {"000000_0": table(header=False, delimiter="\x01", **PLAIN)},
        {"input_format": "csv", "delimiter": "\x01", "quote": "", **NO_HEADER},
    ),
    "Parquet": ("c.parquet", arrow("parquet"), {}),
    "Arrow": ("c.arrow", arrow("file"), {}),
    "datasets of Hugging Face": (
        "c", {"data-00000-of-00001.arrow": arrow("stream"), "state.json": "{}",
              "dataset_info.json": "{}"}, {},
    ),
    "datasets, to_json": ("c.jsonl", JSON_LINES, {}),
    "a list under a key": ("c.json", json.dumps({"version": "1.1", "data": RECORDS}), {}),
    # ---- collections
    "SMS Spam Collection": (
        "SMSSpamCollection",
        lines(*(f"{r['label']}\t{r['text']}" for r in RECORDS)), {"input_format": "txt"},
    ),
    "AG News": (
        "c.csv", lines('"ham","Größe","eggs"', '"spam","free ""pills""",""'),
        {"text": [2, 3], "label": 1},
    ),
    "Sentiment140": (
        "c.csv", answers([], quoting=csv.QUOTE_ALL).encode("latin-1"),
        {"text": 1, "label": 2, "encoding": "latin-1"},
    ),
    "folders of classes": ("c", {"ham/1.txt": TEXTS[0], "spam/1.txt": TEXTS[1], "README": "x"}, {}),
    "20 Newsgroups": (
        "c", {"ham/51060": TEXTS[0].encode("latin-1"), "spam/51119": TEXTS[1].encode("latin-1")},
        {"encoding": "latin-1"},
    ),
    "a file for each class": (
        "c", {"ham.txt": TEXTS[0] + "\n\n", "spam.txt": TEXTS[1]}, {"input_format": "lines"}
    ),
    "a document a line": ("c.txt", lines(*TEXTS, end="\r\n"), BESIDE),
    "a label, a tab and a text": (
        "c.txt", table(header=False, delimiter="\t", **PLAIN, label_first=True), {},
    ),
    # ---- matrices
    "svmlight": ("c.svm", "ham 1:1 3:1\nspam 2:1 4:1 # a mail\n", NAMES),
    "Matrix Market": ("c.mtx", MATRIX, BESIDE | NAMES),
    # ---- survey tools, which write more than one row above the answers
    "Qualtrics": ("c.csv", answers(QUALTRICS), {"text": "Q1", "label": "Q2"}),
    "SurveyMonkey": ("c.csv", answers(MONKEY, "11"), {"text": "What?", "label": "Who?"}),
    # ---- compressed
    "gzip": ("c.csv.gz", gzip.compress(table().encode()), {}),
    "bzip2": ("c.csv.bz2", bz2.compress(table().encode()), {}),
    "xz": ("c.csv.xz", lzma.compress(table().encode()), {}),
    "zstandard": ("c.jsonl.zst", lambda: zstandard(JSON_LINES.encode()), {}),
    "Kaggle, zip": ("archive.zip", zipped(**{"c.csv": table().encode()}), {}),
    "gzip under the name .csv": ("c.csv", gzip.compress(table().encode()), {}),
}  # fmt: skip
TOLD = "Qualtrics", "SurveyMonkey"  # read with a warning

# The name of the file, its content, and the key of the message with the cure.
REFUSED: dict[str, tuple[str, Content, str]] = {
    "pandas, JSON by columns": ("c.json", frame("to_json"), "a_table_of_pandas_by_columns"),
    "pandas, split": ("c.json", frame("to_json", orient="split"), "a_table_of_pandas_by_rows"),
    "pandas, index": ("c.json", frame("to_json", orient="index"), "a_table_of_pandas_by_rows"),
    "R, write.table": ("c.txt", lines(*IN_BLANKS), "blanks_divide_the_fields_of_r"),
    "psql": (
        "c.txt", " text | label \n------+-------\n a    | ham\n(1 row)\n", "a_table_that_is_drawn"
    ),
    "mysql": (
        "c.txt", "+------+-------+\n| text | label |\n+------+-------+\n", "a_table_that_is_drawn"
    ),
    "sqlite3 -box": (
        "c.txt", "┌──────┬───────┐\n│ text │ label │\n├──────┼───────┤\n", "a_table_that_is_drawn"
    ),
    "Markdown": ("c.csv", "| text | label |\n|---|---|\n| a | ham |\n", "a_table_that_is_drawn"),
    "Elasticsearch": (
        "c.json", json.dumps({"hits": {"hits": [{"_source": r} for r in RECORDS]}}),
        "lists_of_objects_in_json",
    ),
    "training and test data": (
        "c.json", json.dumps({"train": RECORDS, "test": RECORDS}), "lists_of_objects_in_json"
    ),
    "JSON lines under the name .csv": ("c.csv", JSON_LINES, "a_json_object_in_a_table"),
    "fastText": (
        "c.txt", lines(*(f"__label__{r['label']} {r['text']}" for r in RECORDS)),
        "the_lines_are_those_of_fasttext",
    ),
    "svmlight under the name .txt": (
        "c.txt", "1 1:2 3:1\n2 2:1\n", "the_lines_are_those_of_svmlight"
    ),
    "a text, a tab and a label": (
        "c.txt", lines(*(f"{r['text']}\t{r['label']}" for r in RECORDS)), "texts_before_labels"
    ),
    "counts of terms": ("c.csv", "doc,eggs,free\n1,1,0\n2,0,1\n", "numbers_below_terms"),
    "an error page": ("c.csv", "<!DOCTYPE html>\n<html><body>404", "a_page_of_html"),
    "a pointer of Git LFS": (
        "c.csv", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 1\n",
        "is_a_pointer_of_git_lfs",
    ),
    "Excel workbook": (
        "c.csv", zipped(**{"xl/a": b"x", "[Content_Types].xml": b"x"}), "is_an_excel_workbook",
    ),
    "old Excel": (
        "c.csv", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99), "is_an_old_office_document",
    ),
    "Mac of old": ("c.csv", table(lineterminator="\r"), "a_carriage_return_alone"),
    "UTF-16 without a mark": ("c.csv", table().encode("utf-16-le"), "wide_table"),
    "two files in an archive": (
        "c.zip", zipped(**{"a.csv": b"x", "b.csv": b"x"}), "several_files_in_an_archive",
    ),
    "WEKA": ("c.arff", "@relation mail\n", "an_unknown_ending"),
    "a header in capitals": (
        "c.csv", table().replace("text,label", "Text,LABEL"), "both_columns_in_another_case",
    ),
    "a title above": ("c.csv", "Mails of May\n" + table(), "line_2_names_the_columns"),
}  # fmt: skip


def write(folder: Path, name: str, content: Content) -> Path:
    path = folder / name
    if isinstance(content, dict):
        for within, of_file in content.items():
            write(path, within, of_file)
        return path
    content = content() if callable(content) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def count(folder: Path, name: str, content: Content, options: dict[str, Any]) -> ts.ClassCounts:
    path = write(folder, name, content)
    beside = {
        option: write(folder, option, options[option])
        for option in ("labels", "term_names")
        if option in options
    }
    return ts.count(ts.scan(path, **(options | beside)))


@pytest.mark.parametrize("kind", READ)
def test_files_that_are_read(tmp_path: Path, kind: str) -> None:
    if kind in TOLD:
        with warns(UserWarning, "what_a_survey_tool_writes"):
            assert count(tmp_path, *READ[kind]) == COUNTS
    else:
        counts = count(tmp_path, *READ[kind])
        assert counts.term_names is not None
        assert counts.classes == COUNTS.classes
        assert list(counts.term_names) == ["eggs", "free", "größe", "pills"]
        assert counts.term_frequency.toarray().tolist() == COUNTS.term_frequency.toarray().tolist()


@pytest.mark.parametrize("kind", REFUSED)
def test_files_that_get_a_cure(tmp_path: Path, kind: str) -> None:
    name, content, key = REFUSED[kind]
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        count(tmp_path, name, content, {})
    message = str(caught.value)
    assert fits(message, WORDING[key]), message
    assert message.startswith(str(tmp_path / name))
