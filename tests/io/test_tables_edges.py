"""Unusual tables: blocks of a few bytes, several inputs, other encodings, and long rows."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

import termsift as ts
from collection_files import read_files
from private import _core
from wording import raises, warns


def rows_of(table: _core.Table) -> int:
    n_rows = 0
    while (block := table.read()) is not None:
        n_rows += len(block[1])
    return n_rows


@pytest.mark.parametrize("block_bytes", [1, 2, 3, 4, 100])
def test_a_byte_order_mark_in_blocks_of_few_bytes(block_bytes: int) -> None:
    content = io.BytesIO(b"\xef\xbb\xbfa,x\nb,y\n")
    table = _core.DelimitedTable(content.readinto, "c", quote='"', block_bytes=block_bytes)
    assert table.first_rows(",", 1) == [(1, ["a", "x"], None)]
    table.choose(",", [0], 1, 2, False)
    assert rows_of(table) == 2
    content = io.BytesIO(b'\xef\xbb\xbf{"t": "a", "l": "x"}\n')
    options: Any = {"texts": ["t"], "label": "l", "block_bytes": block_bytes}
    assert rows_of(_core.JsonTable(content.readinto, "c", **options)) == 1


@pytest.mark.parametrize("block_bytes", [1, 2, 3, 4, 7])
def test_a_number_in_an_array_may_be_cut_by_a_block(block_bytes: int) -> None:
    content = io.BytesIO(b'[1234567, {"t": "a", "l": -0}]')
    options: Any = {"texts": ["t"], "label": "l", "block_bytes": block_bytes, "skip": True}
    table = _core.JsonTable(content.readinto, "c", may_be_array=True, **options)
    assert (rows_of(table), table.n_skipped, table.labels(0)) == (1, 1, ["0"])


def test_text_after_a_closing_quote_is_refused_at_every_byte() -> None:
    for n in range(64):  # the core reads 64 bytes at a time
        content = io.BytesIO(b"a," + b"x" * n + b'\nb,"text"more\n')
        table = _core.DelimitedTable(content.readinto, "c", quote='"')
        table.first_rows(",", 1)
        table.choose(",", [1], 0, 2, False)
        with raises(ValueError, "text_after_a_closing_quote", at="line 2"):
            rows_of(table)


def test_the_buffer_of_a_file_is_released_after_an_error() -> None:
    buffers = []

    def readinto(buffer: memoryview) -> int:
        buffers.append(buffer)
        raise OSError("the disk is gone")

    table = _core.DelimitedTable(readinto, "c", quote='"')
    with pytest.raises(OSError, match="the disk is gone"):
        table.first_rows(",", 1)
    with pytest.raises(ValueError, match="released"):
        bytes(buffers[0])


def test_labels_of_earlier_inputs_keep_their_numbers(tmp_path: Path) -> None:
    for label, text in ((" ", "alpha"), ("zz", "beta")):
        (tmp_path / "news" / label).mkdir(parents=True)
        (tmp_path / "news" / label / "1.txt").write_text(text)
    (tmp_path / "c.csv").write_text("text,label\ngamma,a\ndelta,zz\n")
    (tmp_path / "c.jsonl").write_text('{"text": "eta", "label": "c\\ud800"}\n')
    counts = ts.count(ts.scan([tmp_path / name for name in ("news", "c.jsonl", "c.csv")]))
    assert counts.classes == [" ", "a", "c\ud800", "zz"]
    assert counts.class_docs.tolist() == [1, 1, 1, 2]
    assert counts.term_names is not None
    words = [set(counts.term_names[row.indices]) for row in counts.term_frequency]
    assert words == [{"alpha"}, {"gamma"}, {"eta"}, {"beta", "delta"}]


@pytest.mark.parametrize(
    ("name", "content", "key", "argument"),
    [
        ("c.csv", 'text,label\né,"é"x\n', "c_line_2_expected_or_the", "quote"),
        ("c.json", '[{"text": "é"}, "é" 1]', "c_json_line_1_expected_a", None),
        ("c.jsonl", '{"text": "é", 1}', "c_jsonl_holds_no_documents_1", None),
    ],
)
def test_places_in_another_encoding_are_characters(
    tmp_path: Path, name: str, content: str, key: str, argument: str | None
) -> None:
    path = tmp_path / name
    path.write_text(content, "latin-1")
    with raises(ValueError, key, argument=argument):
        read_files(path, encoding="latin-1", on_error="skip")


def test_any_value_of_an_array_can_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    good = '{"text": "ham", "label": "a"}'
    path.write_text(f'[{good}, null, [1, {{}}], "x", {good}]')
    scan = ts.scan(path, on_error="skip")
    assert (ts.count(scan).n_docs, scan.n_skipped) == (2, 3)
    key = "c_json_line_1_expected_a_2"
    with raises(ValueError, key, argument="on_error"):
        read_files(path)


def test_a_first_line_without_a_header_can_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / "c.txt"
    path.write_bytes(b"ham\t\xff eggs\nspam\tpills\nham\teggs\n")
    counts = ts.count(ts.scan(path, on_error="skip"))
    assert counts == ts.count_texts(["pills", "eggs"], ["spam", "ham"])


def test_a_long_key_is_shown_cut(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text('{"' + "ü" * 100_000 + '": 1}\n')
    with raises(ValueError, "c_jsonl_line_1_expected_a", argument="text"):
        read_files(path)


def test_an_endless_header_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_bytes(b'text,"' + b"x" * (1 << 26))
    with raises(ValueError, "the_header_is_longer_than", at="line 1"):
        read_files(path)


@pytest.mark.parametrize("name", ["c.txt", "c.tsv"])
def test_a_header_that_counts_as_a_document_is_noticed(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    options: dict[str, Any] = {} if name == "c.txt" else {"text": 2, "label": 1}
    path.write_text("Label\tText\na\tham\nb\teggs\n")
    with warns(UserWarning, "the_first_row_counts", at=name):
        assert len(read_files(path, **options).y) == 3
    path.write_text("a\tham\nb\teggs\n")
    read_files(path, **options)  # warns of nothing


@pytest.mark.parametrize("name", ["c.csv", "c.jsonl"])
def test_a_column_is_named_once(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("text,label\nham,a\n")
    with raises(ValueError, "columns_named_twice", argument="text"):
        read_files(path, label="text")
    with raises(ValueError, "a_column_of_text_twice", argument="text"):
        read_files(path, text=["t", "t"])


def test_names_are_shown_cut(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("ham " * 5000 + ",a\nham,b\n")
    with raises(ValueError, "one_column_text", argument="text", at="line 1") as caught:
        read_files(path)
    assert len(str(caught.value)) < 400


def test_numbers_of_columns_are_named_once(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("ham,a\n")
    with raises(ValueError, "numbers_named_twice", argument="text"):
        read_files(path, text=1, label=1)
