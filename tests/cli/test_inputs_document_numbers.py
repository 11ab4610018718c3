"""The number of a document is the number of its row in the file, also if bad rows are left out."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

import termsift as ts

TEXTS: list[str | None] = ["good film", "bad thing", None, "a thing", "good thing"]
LABELS = ["a", "b", "b", "a", "b"]


def write(kind: str, folder: Path) -> Path:
    """Write `TEXTS` as a file or folder. The text None makes a bad row, or a file that is bad."""
    path = folder / f"c.{kind}"
    rows = list(zip(TEXTS, LABELS, strict=True))
    if kind in ("csv", "tsv"):
        mark = "," if kind == "csv" else "\t"
        bad = f"one{mark}field{mark}too many"
        lines = [bad if text is None else f'"{text}"{mark}{label}' for text, label in rows]
        # A blank line and a line end within quotes are no rows of their own.
        lines[0] = f'"good\nfilm"{mark}a\n'
        path.write_text("\n".join([f"text{mark}label", *lines]) + "\n")
    elif kind == "txt":
        lines = [
            "a row without a tab" if text is None else f"{label}\t{text}" for text, label in rows
        ]
        path.write_text("\n\n".join(lines))
    elif kind in ("jsonl", "json"):
        records = [json.dumps({"text": text, "label": label}) for text, label in rows]
        path.write_text("\n\n".join(records) if kind == "jsonl" else f"[{','.join(records)}]")
    elif kind in ("parquet", "arrow"):
        pyarrow = pytest.importorskip("pyarrow")
        table = pyarrow.table({"text": TEXTS, "label": LABELS})
        if kind == "parquet":
            pytest.importorskip("pyarrow.parquet").write_table(table, path, row_group_size=2)
        else:
            with pytest.importorskip("pyarrow.ipc").new_file(path, table.schema) as file:
                file.write_table(table, max_chunksize=2)
    else:
        for number, (text, label) in enumerate(rows):
            (path / label).mkdir(parents=True, exist_ok=True)
            (path / label / f"{number}.txt").write_bytes(text.encode() if text else b"\xff")
    return path


def rows_of(out: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(out)))


@pytest.mark.parametrize("kind", ["csv", "tsv", "txt", "jsonl", "json", "parquet", "arrow"])
def test_rows_that_are_left_out_count(run: Any, tmp_path: Path, kind: str) -> None:
    path, counts = write(kind, tmp_path), tmp_path / "c.termsift"
    options = "--on-error", "skip", "--format", "csv"
    run("count", path, "--on-error", "skip", "-o", counts)
    classified = run("classify", path, "--counts", counts, *options)
    assert [row["document"] for row in rows_of(classified.out)] == ["1", "2", "4", "5"]
    found = run("context", path, "thing", *options)
    assert {row["document"]: row["class"] for row in rows_of(found.out)} == {
        "2": "b",
        "4": "a",
        "5": "b",
    }


@pytest.mark.parametrize(("n_bad", "rest"), [(5, ""), (7, "termsift:   and 2 more\n")])
def test_the_first_five_rows_that_are_left_out_are_told(
    run: Any, tmp_path: Path, n_bad: int, rest: str
) -> None:
    (tmp_path / "c.csv").write_text("text,label\n" + "one,field,too many\n" * n_bad + "a film,b\n")
    out = tmp_path / "c.termsift"
    told = run("count", tmp_path / "c.csv", "--on-error", "skip", "-o", out).err
    assert f"termsift: left out {n_bad} lines, rows or files with errors:\n" in told
    assert told.count("c.csv, line ") == 5
    assert told.endswith(rest)
    assert ("more" in told) == bool(rest)


def test_files_of_a_folder_that_are_left_out_count(run: Any, tmp_path: Path) -> None:
    folder, counts = write("folder", tmp_path), tmp_path / "c.termsift"
    options = "--on-error", "skip", "--format", "csv"
    run("count", folder, "--on-error", "skip", "-o", counts)
    rows = rows_of(run("classify", folder, "--counts", counts, *options).out)
    files = sorted(map(str, folder.glob("*/*")))  # a/0 a/3 b/1 b/2 b/4, of which b/2 is bad
    assert [int(row["document"]) for row in rows] == [1, 2, 3, 5]
    assert [row["file"] for row in rows] == [files[i] for i in (0, 1, 2, 4)]
    found = rows_of(run("context", folder, "thing", *options).out)
    assert {row["document"] for row in found} == {files[i] for i in (1, 2, 4)}


def test_files_are_counted_over_the_blocks_of_a_folder(run: Any, tmp_path: Path) -> None:
    """A folder is read in blocks of files, each of which ends after 4 MiB."""
    (tmp_path / "c/a").mkdir(parents=True)
    (tmp_path / "c/a/0").write_bytes(b"\xff")  # is left out
    (tmp_path / "c/a/1").write_bytes(b"x " * 2**21)
    (tmp_path / "c/a/2").write_text("sought")
    result = run("context", tmp_path / "c", "sought", "--on-error", "skip", "--format", "csv")
    assert [row["document"] for row in rows_of(result.out)] == [str(tmp_path / "c/a/2")]


def test_documents_of_svmlight_that_are_left_out_count(run: Any, tmp_path: Path) -> None:
    ts.count([[2, 0, 1], [0, 3, 0]], [7, 8]).save(tmp_path / "c.termsift")
    # A comment is no document.
    (tmp_path / "c.svm").write_text("# made by hand\n7 1:2\n8 2:x\n\n7 2:1\nx y\n8 3:1\n")
    options = "--on-error", "skip", "--format", "csv"
    result = run("classify", tmp_path / "c.svm", "--counts", tmp_path / "c.termsift", *options)
    assert [row["document"] for row in rows_of(result.out)] == ["1", "3", "5"]


def test_rows_are_counted_over_the_blocks_of_a_file(run: Any, tmp_path: Path) -> None:
    """A table is read in blocks of 4 MiB."""
    bad = {3, 40_000, 199_999}
    lines = [
        "one,field,too many" if i in bad else f"word{i % 7} {'x' * 50},a" for i in range(200_000)
    ]
    lines[-2] = "sought,a"
    (tmp_path / "c.csv").write_text("\n".join(["text,label", *lines]))
    result = run("context", tmp_path / "c.csv", "sought", "--on-error", "skip", "--format", "csv")
    assert [row["document"] for row in rows_of(result.out)] == ["199999"]
