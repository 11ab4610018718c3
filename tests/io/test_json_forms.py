"""One object of JSON that holds a table: its only list is read, and other forms get a cure."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import termsift as ts
from collection_files import complaint
from wording import raises

RECORDS = [
    {"text": "bacon eggs", "label": "ham"},
    {"text": "free pills\nünd [1, 2] {3}", "label": "spam", "marks": [{"at": 1}]},
]
COUNTS = ts.count_texts([r["text"] for r in RECORDS], [r["label"] for r in RECORDS])


def write(path: Path, value: Any, **options: Any) -> Path:
    path.write_text(json.dumps(value, **options), encoding="utf-8")
    return path


def count(path: Path, **options: Any) -> ts.ClassCounts:
    return ts.count(ts.scan(path, **options))


@pytest.mark.parametrize("form", [{}, {"indent": 1}, {"indent": "\t", "ensure_ascii": False}])
@pytest.mark.parametrize(
    "around",
    [
        lambda records: {"data": records},
        lambda records: {"version": "1.0", "n": 2, "rows": records, "ok": True},
        lambda records: {"of": {"a": [1, "]"]}, 'the "rows"': records, "next": None},
        lambda records: {"schema": {"fields": [{"name": "text"}]}, "data": records},
        lambda records: {"records": records, "none": [], "numbers": [1, 2]},
    ],
)
def test_the_only_list_of_records_is_the_table(
    tmp_path: Path, around: Any, form: dict[str, Any]
) -> None:
    path = write(tmp_path / "c.json", around(RECORDS), **form)
    assert count(path) == COUNTS
    content = path.read_bytes()
    path.write_bytes(b"\xef\xbb\xbf \r\n\n" + content + b"\n \n")
    assert count(path) == COUNTS
    path.write_bytes(content.decode().encode("utf-16"))
    scan = ts.scan(path)
    assert ts.count(scan) == COUNTS
    assert "JSON objects of the list in" in scan.understood[0]


def test_errors_have_the_numbers_of_lines_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(
        '{\n "n": 1,\n "data": [\n  {"text": "aa bb", "label": "x"},\n  {"text": 1}\n ]\n}'
    )
    assert complaint(path).startswith(
        "c.json, line 5: expected a string as 'text', found a whole number"
    )
    scan = ts.scan(path, on_error="skip")
    assert (ts.count(scan).n_docs, scan.n_skipped) == (1, 1)


@pytest.mark.parametrize(
    "text",
    [
        '{"text": "aa bb", "label": "x", "marks": [{"at": 1}]}',
        '{"text": "aa bb", "label": "x", "marks": [{"at": 1}]}\n' * 3,
        '\n\n{"marks": {"a": [{"at": 1}]}, "text": "aa bb", "label": "x"}\n\n' * 2,
        '{"text": "aa {bb", "label": "x"}\n{"text": "aa bb", "label": "x"}',
    ],
)
def test_an_object_in_each_line_stays_what_it_is(tmp_path: Path, text: str) -> None:
    path = tmp_path / "c.json"
    path.write_text(text)
    counts = count(path)
    path.rename(tmp_path / "c.jsonl")
    assert counts == count(tmp_path / "c.jsonl")
    assert counts.class_docs.sum() == text.count('"text"')


@pytest.mark.parametrize(
    "content",
    [
        *("{", '{"text": "a b"', '{"text": }\n', '{"text": "a b", "label"', "{}", '{"data": [}'),
        *("{\n" * 9, '{"a":' * 9999, '{"data": []}', '{"a": [{"b": 1}]}', "{\n\xff"),
        '{"text": "a\nb"}',
    ],
)
def test_broken_objects_are_errors_of_the_reader(tmp_path: Path, content: str) -> None:
    path = tmp_path / "c.json"
    path.write_bytes(content.encode("latin-1"))
    assert complaint(path).startswith("c.json")


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_single_object_in_several_lines(tmp_path: Path, mark: str) -> None:
    for i, record in enumerate(RECORDS):
        path = tmp_path / "c" / f"{i}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(mark + json.dumps(record, indent=1) + "\n", encoding="utf-8")
    assert count(tmp_path / "c") == COUNTS
    path.write_text(json.dumps({**RECORDS[0], "label": None}, indent=1))
    assert complaint(path).startswith("1.json, lines 1 to 4: expected a string or a whole number")
    path.write_text(json.dumps(RECORDS[0], indent=1) * 2)
    assert complaint(path).startswith("1.json, line 1: the JSON object does not end in this line")


def test_a_long_table_is_read_part_by_part(tmp_path: Path) -> None:
    records = [{"text": f"word{i % 7} {'x' * 50}", "label": str(i % 2)} for i in range(3000)]
    path = write(tmp_path / "c.json", records)
    counts = count(path)
    assert counts.n_docs == 3000
    assert count(write(path, {"data": records})) == counts
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert count(path) == counts


def test_tables_that_pandas_writes(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(RECORDS)[["text", "label"]]
    path, cured = tmp_path / "c.json", tmp_path / "records.jsonl"
    keys = {
        "columns": "a_table_of_pandas_by_columns",
        "index": "a_table_of_pandas_by_rows",
        "split": "a_table_of_pandas_by_rows",
    }
    for orient, key in keys.items():
        frame.to_json(path, orient=orient)
        with raises(ValueError, key, at=orient):
            count(path)
        read = pandas.read_json(path, orient=orient)
        read.to_json(cured, orient="records", lines=True)
        assert count(cured) == COUNTS
    write(path, frame.to_dict("list"))
    with raises(ValueError, "a_table_of_pandas_by_columns"):
        count(path)
    texts_of = {record["label"]: [record["text"]] for record in RECORDS}
    write(path, texts_of)
    with raises(ValueError, "texts_by_label_in_json") as caught:
        count(path)
    command = str(caught.value).partition("count by ")[2]
    assert eval(command, {"termsift": ts, "table": texts_of}) == COUNTS
    for orient in ("records", "table"):
        frame.to_json(path, orient=orient)
        assert count(path) == COUNTS


@pytest.mark.parametrize(
    "value",
    [
        {"train": RECORDS, "test": RECORDS},
        {"response": {"docs": RECORDS}},
        {"a b": {"it's": RECORDS}, "c": {"d": RECORDS}},
        {"hits": {"hits": [{"_id": "1", "_source": record} for record in RECORDS]}},
        {"rows": [{"n": 1, "row": record} for record in RECORDS]},
    ],
)
def test_several_lists_get_a_command_that_works(tmp_path: Path, value: Any) -> None:
    path = write(tmp_path / "c.json", value)
    with raises(ValueError, "lists_of_objects_in_json") as caught:
        count(path)
    if shutil.which("jq") is None:
        return
    command = str(caught.value).partition(", as ")[2].removesuffix(" does")
    subprocess.run(command, shell=True, check=True, cwd=tmp_path)
    assert count(tmp_path / "records.jsonl") == COUNTS
