"""Reading documents from tables and JSON lines, and the errors for faulty lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import termsift as ts
from collection_files import complaint, read_files, write, write_labels
from termsift.io import Collection, read_collection
from wording import raises


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    return write_labels(tmp_path)


ROWS = [("sport", "Ball, ball GOAL"), ("trade", "a oil ball"), ("sport", '"goal" größe_1')]
WORDS = ["ball", "goal", "größe_1", "oil"]
WORD_COUNTS = [[2, 1, 0, 0], [1, 0, 0, 1], [0, 1, 1, 0]]


def table(delimiter: str) -> str:
    quoted = [[label, '"' + text.replace('"', '""') + '"'] for label, text in ROWS]
    return "".join(delimiter.join(row) + "\n" for row in [["label", "text"], *quoted])


def json_lines(text: str = "text", label: str = "label") -> str:
    return "".join(json.dumps({"id": 1, label: y, text: document}) + "\n" for y, document in ROWS)


def json_array(**layout: Any) -> str:
    return json.dumps([{"text": document, "label": y} for y, document in ROWS], **layout)


RAW = "".join(f"{label}\t{text}\n" for label, text in ROWS)


def check(collection: Collection) -> None:
    np.testing.assert_array_equal(collection.X.toarray(), WORD_COUNTS)
    assert collection.X.dtype == np.int64
    assert collection.term_names is not None
    assert list(collection.term_names) == WORDS
    assert list(collection.y) == [label for label, _ in ROWS]


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize(
    ("ending", "content"),
    [
        (".csv", table(",")),
        (".tsv", table("\t")),
        (".txt", RAW),
        (".jsonl", json_lines()),
        (".ndjson", json_lines()),
        (".json", json_lines()),
        (".json", json_array()),
        (".json", json_array(indent=1)),
    ],
)
def test_tables(tmp_path: Path, ending: str, content: str, packed: str) -> None:
    path = write(tmp_path / f"c{ending}{packed}", content)
    collection = read_files(path)
    check(collection)
    assert collection.source == str(path)


@pytest.mark.parametrize(
    ("name", "content", "columns"),
    [
        ("c.csv", table(",").replace("text", "body", 1), {"text": "body"}),
        ("c.csv", table(",").partition("\n")[2], {"text": 2, "label": 1}),
        ("c.tsv", table("\t").partition("\n")[2], {"text": "2", "label": "1"}),
        ("c.txt", "label\ttext\n" + RAW, {"text": "text", "label": "label"}),
        ("c.txt", RAW.replace("sport", "x\tsport").replace("trade", "x\ttrade"),
         {"text": 3, "label": 2}),
        ("c.jsonl", json_lines("body", "2"), {"text": "body", "label": 2}),
    ],
)  # fmt: skip
def test_other_columns(tmp_path: Path, name: str, content: str, columns: dict[str, Any]) -> None:
    check(read_files(write(tmp_path / name, content), **columns))


def test_bytes_that_programs_add(tmp_path: Path) -> None:
    content = b"\xef\xbb\xbf" + table(",").replace("\n", "\r\n").encode() + b"\r\n"
    check(read_files(write(tmp_path / "c.csv", content)))


def test_lines_within_quotes(tmp_path: Path) -> None:
    path = write(tmp_path / "c.csv", 'label,text\na,"one\ntwo"\nb\n')
    assert complaint(path) == "c.csv, line 4: expected 2 fields, found 1"
    path = write(tmp_path / "c.csv", 'label,text\na,"one\ntwo"\nb,"two\n\ntwo"\n')
    np.testing.assert_array_equal(read_files(path).X.toarray(), [[1, 1], [0, 2]])


def test_every_escape_of_json_is_a_character(tmp_path: Path) -> None:
    escapes = {r"\b": "\b", r"\f": "\f", r"\n": "\n", r"\r": "\r", r"\t": "\t", r"\/": "/"}
    escapes |= {r"\u00e9": "é", r"\ud83d\ude00": "\U0001f600", r"\\": "\\", r"\"": '"'}
    rows = [f'{{"text": "a{code}", "label": "{i}{code}"}}\n' for i, code in enumerate(escapes)]
    path = write(tmp_path / "escapes.jsonl", "".join(rows))
    found = read_files(path, token_pattern=r"(?s)a.+")
    assert found.term_names is not None
    assert found.term_names.tolist() == sorted(f"a{c}" for c in escapes.values())
    assert list(found.y) == [f"{i}{c}" for i, c in enumerate(escapes.values())]


def test_documents_may_be_long_and_may_be_empty(tmp_path: Path) -> None:
    path = write(tmp_path / "c.csv", f"label,text\na,{'word ' * 100_000}\nb,\n")
    np.testing.assert_array_equal(read_files(path).X.toarray(), [[100_000], [0]])


NOT_UTF8 = "byte 2 is not UTF-8; pass encoding= with the encoding of the texts"
DIVIDED = "separate the fields by tabs, by commas in a .csv, or as delimiter= says"
NAMED = "name the columns by text= and label="
QUOTES = (
    "a quote within a quoted field is written twice; if quotes mean nothing in this file, pass "
    "quote=''"
)
COLUMNS = f"{NAMED}, by number if there is no header"
RETURNS = "carriage returns end the lines of this file"
LABEL = "expected a string or a whole number as 'label', found"
JSON_LINE = (
    "the JSON object does not end in this line; write each object in one line, or all in one array "
    "(.json)"
)
QUOTED = "a field with ',' in it must begin and end with a quote"


@pytest.mark.parametrize(
    ("name", "content", "columns", "message"),
    [
        ("c.csv", "id,body\n1,x\n", {},
         "c.csv, line 1: expected one column 'text', found 'id', 'body'; "
         + COLUMNS),
        ("c.csv", "\nid,text\n1,x\n", {},
         "c.csv, line 2: expected one column 'label', found 'id', 'text'; "
         + COLUMNS),
        ("c.csv", "text,text,label\n", {},
         "c.csv, line 1: expected one column 'text', found 'text', 'text', 'label'; "
         "give each column another name"),
        ("c.csv", "label,text\na,one, two\n", {},
         f"c.csv, line 2: expected 2 fields, found 3; {QUOTED}"),
        ("c.csv", "label,text\na,one\nb\n", {}, "c.csv, line 3: expected 2 fields, found 1"),
        ("c.csv", "label,text\na,one\n,two\n", {}, "c.csv, line 3: the label is empty"),
        ("c.csv", 'label,text\na,one\nb,"two\n', {},
         f"c.csv, line 3: the last quoted field is not closed; {QUOTES}"),
        ("c.csv", 'label,text\na,"one" two\n', {},
         "c.csv, line 2: expected ',' or the end of the line after a closing quote, at byte 7; "
         + QUOTES),
        ("c.tsv", 'label\ttext\na\t"one" two\n', {},
         r"c.tsv, line 2: expected '\t' or the end of the line after a closing quote, at byte 7; "
         + QUOTES),
        ("c.csv", b"label,text\na,one\nb,\xff\n", {}, f"c.csv, line 3: {NOT_UTF8}"),
        ("c.csv", "a,one\n", {"text": 2},
         f"c.csv, line 1: expected one column 'label', found 'a', 'one'; {COLUMNS}"),
        ("c.csv", "a,one\n", {"text": 3, "label": 1},
         "c.csv, line 1: expected at least 3 fields, found 2; "
         + COLUMNS),
        ("c.csv", "a,one\n", {"text": 1, "label": "0"}, "columns are numbered from 1, not 0"),
        ("c.csv", "", {},
         "c.csv: expected a header with the columns 'text' and 'label', found none"),
        ("c.csv", "label,text\n", {}, "c.csv: holds no documents"),
        ("c.csv", "label,text\na,x y z\n", {},
         "c.csv: no document has a word of two or more letters"),
        ("c.txt", "1 1:2 3:1\n", {},
         "c.txt, line 1: expected at least 2 fields, found 1; if the lines are those of svmlight, "
         "pass input_format='svm'"),
        ("c.txt", "a\tone\nb\ttwo\tthree\n", {}, "c.txt, line 2: expected 2 fields, found 3"),
        ("c.txt", "a\tone\ttwo\n", {}, "c.txt, line 1: expected 2 fields, found 3"),
        ("c.jsonl", "", {}, "c.jsonl: holds no documents"),
        ("c.jsonl", '{"label": 1, "text": "one"}\n\n{"label"\n', {},
         f"c.jsonl, line 3: {JSON_LINE}"),
        ("c.jsonl", '{"label" "x"}\n', {},
         "c.jsonl, line 1: expected a colon after a key at byte 9"),
        ("c.jsonl", "[1]\n", {},
         "c.jsonl, line 1: expected a JSON object in braces at byte 0; a file of one array needs a "
         "name that ends in .json"),
        ("c.json", '{"rows":\n[]}\n', {}, f"c.json, line 1: {JSON_LINE}"),
        ("c.json", '[{"label": 1, "text": "one"}\n', {},
         "c.json, line 2: expected a closing bracket at the end; the array is cut short"),
        ("c.json", '[\n{"label": 1, "text": 2}]\n', {},
         "c.json, line 2: expected a string as 'text', found a whole number"),
        ("c.jsonl", '{"label": 1, "body": "one"}\n', {},
         f"c.jsonl, line 1: expected a key 'text', found 'label', 'body'; {NAMED}"),
        ("c.jsonl", "{}\n", {"text": "a"},
         f"c.jsonl, line 1: expected a key 'a', found none; {NAMED}"),
        ("c.jsonl", '{"label": " ", "text": "one"}\n', {},
         "c.jsonl, line 1: the label is blank"),
        ("c.csv", "label,text\na,one\n \t,two\n", {}, "c.csv, line 3: the label is blank"),
        ("c.csv", "Label;Text\na;one\n", {},
         "c.csv, line 1: expected one column 'text', found 'Label', 'Text'; pass text='Text' and "
         "label='Label'"),
        ("c.csv", "label,Text,url\na,one,x\n", {},
         "c.csv, line 1: expected one column 'text', found 'label', 'Text', 'url'; pass "
         "text='Text'"),
        ("c.csv", "label,text\na,one\rtwo\nb,x\n", {},
         "c.csv, line 2: a carriage return without a line feed; put a field with a carriage return "
         f"in quotes, or, if {RETURNS}, replace them by line feeds"),
        ("c.csv", 'label,text\ra,"one\rtwo"\rb\r', {},
         "c.csv, line 1: a carriage return without a line feed; put a field with a carriage return "
         f"in quotes, or, if {RETURNS}, replace them by line feeds"),
        ("c.txt", "a\tone\rb\ttwo\r", {},
         f"c.txt, line 1: {RETURNS}; replace them by line feeds"),
        ("c.jsonl", '{"label": 1, "text": 2}\n', {},
         "c.jsonl, line 1: expected a string as 'text', found a whole number"),
        ("c.jsonl", '{"label": null, "text": "one"}\n', {}, f"c.jsonl, line 1: {LABEL} null"),
        ("c.jsonl", '{"label": 1.5, "text": "one"}\n', {},
         f"c.jsonl, line 1: {LABEL} a number with a fraction"),
        ("c.jsonl", '{"label": "", "text": "one"}\n', {}, "c.jsonl, line 1: the label is empty"),
    ],
)  # fmt: skip
def test_bad_tables(
    tmp_path: Path, name: str, content: str | bytes, columns: dict[str, Any], message: str
) -> None:
    assert complaint(write(tmp_path / name, content), **columns) == message


@pytest.mark.parametrize("name", ["c.csv", "c.jsonl"])
def test_tables_have_labels_and_terms_of_their_own(tmp_path: Path, labels: Path, name: str) -> None:
    message = f"{name}: texts have their own labels and terms; leave out labels and term_names"
    assert complaint(write(tmp_path / name, ""), labels=labels, term_names=labels) == message


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("name", ["c.csv", "c.tsv"])
def test_what_divides_fields_is_found_in_the_header(
    tmp_path: Path, name: str, delimiter: str
) -> None:
    path = write(tmp_path / name, "\n" + table(delimiter))
    check(read_files(path))
    check(read_files(write(path, table(delimiter) + "\n"), text="text", label="label"))


def test_other_characters_divide_no_fields(tmp_path: Path) -> None:
    path = write(tmp_path / "c.csv", table(":"))
    message = complaint(path)
    assert message == f"c.csv, line 1: expected one column 'text', found 'label:text'; {DIVIDED}"
    path = write(tmp_path / "c.txt", RAW.replace("\t", "|"))
    assert f"expected at least 2 fields, found 1; {DIVIDED}; if each line is" in complaint(path)
    path = write(tmp_path / "c.csv", "a:one\n")
    assert complaint(path, text=2, label=1).endswith(DIVIDED)


@pytest.mark.parametrize("codec", ["latin-1", "cp1252", "utf-8", "utf-16", "utf-16-le", "utf-32"])
@pytest.mark.parametrize("name", ["c.csv", "c.txt", "c.jsonl"])
def test_other_encodings(tmp_path: Path, name: str, codec: str) -> None:
    lines = {"c.csv": table(","), "c.txt": RAW, "c.jsonl": json_lines()}[name]
    lines = lines.replace("\\u00f6", "ö").replace("\\u00df", "ß")
    check(read_files(write(tmp_path / name, lines.encode(codec)), encoding=codec))


def test_bad_rows_are_left_out_and_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "c.csv", table(",") + "a,b,c\n" * 7)
    scan = ts.scan(path, on_error="skip")
    check(read_collection(scan))
    assert (scan.n_skipped, len(scan.skipped)) == (7, 5)
    assert scan.skipped[0] == f"{path}, line 5: expected 2 fields, found 3; {QUOTED}"
    path = write(tmp_path / "c.csv", "label,text\na,b,c\n")
    with raises(ValueError, "fields_too_many", argument="on_error", at="line 2"):
        read_files(path)
    with raises(ValueError, "every_line_left_out", at="line 2"):
        read_files(path, on_error="skip")


def test_bytes_of_another_encoding(tmp_path: Path) -> None:
    path = write(tmp_path / "c.csv", "label,text\na,caf\x81é\nb,two\n".encode("latin-1"))
    cure = "; pass encoding= with the encoding of the texts"
    for encoding, where in [
        ("utf8", "line 2: byte 5 is not UTF-8"),
        ("cp1252", "line 2: character 5 is not CP1252"),
    ]:
        assert complaint(path, encoding=encoding) == f"c.csv, {where}{cure}"
        scan = ts.scan(path, encoding=encoding, on_error="skip")
        ts.count(scan)
        assert scan.n_skipped == 1
    for wrong in ("utf-16", "punycode"):
        assert complaint(path, encoding=wrong).startswith(f"c.csv: is not {wrong}: ")


@pytest.mark.parametrize("first", ["", "ham\tshort\n", "ham\t" + "egg " * 500 + "\n"])
@pytest.mark.parametrize("gz", ["", ".gz"])
def test_marks_and_returns_after_the_beginning_are_text(
    tmp_path: Path, first: str, gz: str
) -> None:
    long = "tea " * 1000
    path = write(tmp_path / f"c.txt{gz}", f"\ufeff{first}ham\tx\ry {long}\n\ufeffspam\tpills\n")
    collection = read_files(path)
    assert list(collection.y)[-2:] == ["ham", "\ufeffspam"]
    path = write(tmp_path / f"c.jsonl{gz}", f'{{"label":"a",\r"text":"{long}"}}\n')
    assert read_files(path).X.sum() == 1000
    path = write(path.with_name(f"c.csv{gz}"), f'text,label\n"{long}\r{long}",\ufeffa\n')
    assert list(read_files(path).y) == ["\ufeffa"]


@pytest.mark.parametrize(
    ("columns", "argument"),
    [({"text": 5, "label": False}, "text"), ({"text": 2, "label": 7}, "label")],
    ids=["without-labels", "with-labels"],
)
def test_an_error_about_a_column_that_is_not_there_is_about_its_argument(
    tmp_path: Path, columns: dict[str, Any], argument: str
) -> None:
    path = write(tmp_path / "t.txt", "a\tone\n")
    with raises(ValueError, "expected_at_least_n_fields", argument=argument):
        ts.count(ts.scan(path, **columns))
