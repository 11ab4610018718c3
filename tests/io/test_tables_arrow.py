"""Parquet and Arrow files that violate their format."""

from __future__ import annotations

import signal
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import termsift as ts
from private import NAMED, SKIP

pyarrow = pytest.importorskip("pyarrow")
ipc = pytest.importorskip("pyarrow.ipc")
parquet = pytest.importorskip("pyarrow.parquet")

CURE = f"convert it, or {NAMED}"
OFFSETS = (0, 10, 21)


def write_offsets(path: Path, offsets: tuple[int, ...]) -> None:
    """Write an Arrow file of two texts, and replace the offsets of the texts."""
    table = pyarrow.table({"text": ["alpha beta", "gamma delta"], "label": ["aa", "bb"]})
    with ipc.new_file(path, table.schema) as file:
        file.write_table(table)
    content = path.read_bytes()
    right = struct.pack("<3i", *OFFSETS)
    assert content.count(right) == 1
    path.write_bytes(content.replace(right, struct.pack("<3i", *offsets)))


def complaint(path: Path, **options: Any) -> str:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        ts.count(ts.scan(path, **options))
    assert caught.type is ValueError
    message = str(caught.value)
    assert message.startswith(f"{path}")
    assert "\n" not in message
    return message.removeprefix(str(path)).removesuffix(f"; {SKIP}")


@pytest.mark.full(cases=1)
@pytest.mark.parametrize(
    "offsets",
    [(0, 10, 2**31 - 1), (0, 10, 4000), (0, 10, -5), (0, 2**30, 21)],
    ids=["far", "near", "negative", "decreasing"],
)
def test_wrong_offsets(tmp_path: Path, offsets: tuple[int, ...]) -> None:
    path = tmp_path / "c.arrow"
    write_offsets(path, offsets)
    read = f"import termsift as ts; ts.count(ts.scan({str(path)!r}))"
    done = subprocess.run([sys.executable, "-c", read], capture_output=True, text=True)
    # In one of 200 processes, pyarrow's threads abort at exit, after termsift's error.
    assert done.returncode in (1, -signal.SIGABRT)
    assert f"ValueError: {path}, row" in done.stderr
    assert ": damaged: " in done.stderr


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_texts_that_are_not_utf8(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"c.{ending}"
    texts = [f"text{i}".encode() for i in range(5000)]
    texts[4500] = b"\xff\xfe"
    column = pyarrow.array(texts, pyarrow.binary()).view(pyarrow.string())
    table = pyarrow.table({"text": column, "label": ["a", "b"] * 2500})
    if ending == "parquet":
        parquet.write_table(table, path)
    else:
        with ipc.new_file(path, table.schema) as file:
            file.write_table(table)
    for on_error in ("raise", "skip"):
        message = complaint(path, on_error=on_error)
        assert message.startswith(", row 4501: damaged: Invalid UTF8")


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_a_missing_text_has_its_row_in_the_file(tmp_path: Path, ending: str) -> None:
    """A table is read in batches of 2048 rows."""
    path = tmp_path / f"c.{ending}"
    texts = [None if row == 4500 else f"text{row}" for row in range(5000)]
    table = pyarrow.table({"text": texts, "label": ["a", "b"] * 2500})
    if ending == "parquet":
        parquet.write_table(table, path)
    else:
        with ipc.new_file(path, table.schema) as file:
            file.write_table(table)
    assert complaint(path) == ", row 4501: the text is missing, expected a string"
    scan = ts.scan(path, on_error="skip")
    assert ts.count(scan).n_docs == 4999
    assert [", row 4501: " in why for why in scan.skipped] == [True]


LIST = "list<element: int64>"


@pytest.mark.parametrize(
    ("column", "array", "message"),
    [
        ("text", [1, 2], f": expected strings in column 'text', found 'int64'; {CURE}"),
        ("text", [b"a", b"b"], ": expected strings in column 'text', found 'binary'; " + CURE),
        ("text", [None, None], ": expected strings in column 'text', found 'null'; " + CURE),
        ("label", [None, None],
         f": expected strings or whole numbers in column 'label', found 'null'; {CURE}"),
        ("label", [[1], [2]],
         f": expected strings or whole numbers in column 'label', found {LIST!r}; {CURE}"),
    ],
)  # fmt: skip
def test_columns_of_other_kinds(tmp_path: Path, column: str, array: Any, message: str) -> None:
    path = tmp_path / "c.parquet"
    parquet.write_table(
        pyarrow.table({"text": ["a", "b"], "label": ["x", "y"], column: array}), path
    )
    assert complaint(path) == message


def test_a_label_that_is_no_whole_number(tmp_path: Path) -> None:
    path = tmp_path / "c.parquet"
    for label in (None, 1.5):
        table = pyarrow.table({"text": ["ant", "bee", "ant"], "label": [1.0, label, 2.0]})
        parquet.write_table(table, path)
        shown = "None" if label is None else "'1.5'"
        expected = f", row 2: the label is {shown}, expected a string or a whole number"
        assert complaint(path) == expected
        counts = ts.count(ts.scan(path, on_error="skip"))
        assert (counts.classes, counts.class_docs.tolist()) == ([1, 2], [1, 1])


@pytest.mark.parametrize("kind", ["string", "large_string", "dictionary"])
@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_every_kind_of_text(tmp_path: Path, kind: str, ending: str) -> None:
    path = tmp_path / f"c.{ending}"
    texts, labels = pyarrow.array(["ant bee", "bee"]), pyarrow.array([True, False])
    texts = texts.dictionary_encode() if kind == "dictionary" else texts.cast(kind)
    table = pyarrow.table({"label": labels, "n": [1, 2], "text": texts})
    if ending == "parquet":
        parquet.write_table(table, path)
    else:
        with ipc.new_file(path, table.schema) as file:
            file.write_table(table)
    counts = ts.count(ts.scan(path))
    assert counts.classes == ["false", "true"]
    assert counts.term_frequency.toarray().tolist() == [[0, 1], [1, 1]]
    assert list(counts.term_names) == ["ant", "bee"]


def test_a_scan_says_how_a_table_was_understood(tmp_path: Path) -> None:
    table = pyarrow.table({"id": [1, 2], "body": ["alpha", "beta"], "kind": ["a", "b"]})
    parquet.write_table(table, tmp_path / "c.parquet")
    with ipc.new_file(tmp_path / "c.arrow", table.schema) as file:
        file.write_table(table)
    for form in ("Parquet", "Arrow"):
        scan = ts.scan(tmp_path / f"c.{form.lower()}", text="body", label="kind")
        assert list(scan.understood) == []  # nothing was read
        ts.count(scan)
        assert list(scan.understood) == [f"{form}, 3 columns, text in 'body', label in 'kind'"]
    scan = ts.scan(tmp_path / "c.parquet", text=["kind", "body"], label=False)
    ts.count(scan)
    assert list(scan.understood) == ["Parquet, 3 columns, text in 'kind' and 'body'"]


def test_the_names_of_classes_are_understood(tmp_path: Path) -> None:
    feature = '{"info": {"features": {"label": {"names": ["ham", "spam"], "_type": "ClassLabel"}}}}'
    table = pyarrow.table({"text": ["alpha", "beta"], "label": [0, 1]})
    table = table.replace_schema_metadata({"huggingface": feature})
    parquet.write_table(table, tmp_path / "c.parquet")
    scan = ts.scan(tmp_path / "c.parquet")
    assert ts.count(scan).classes == ["ham", "spam"]
    assert scan.understood[0].endswith("label in 'label' as numbers of 2 names")
