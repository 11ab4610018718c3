"""Scans of faulty files: the error, or the rows that are left out."""

from __future__ import annotations

import bz2
import errno
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest
from scipy import sparse

import termsift as ts
from file_kinds import TEXTS, as_folders, random_collection, write
from private import SKIP
from wording import raises


def refused(path: Any, **options: Any) -> str:
    """Count a scan that must fail. Return the message without the advice about skipping rows."""
    with pytest.raises((ValueError, TypeError)) as caught:
        ts.count(ts.scan(path, **options))
    assert "\n" not in str(caught.value)
    return str(caught.value).removesuffix(f"; {SKIP}")


def test_lines_without_labels_or_with_indices_beyond_the_names_are_skipped(tmp_path: Path) -> None:
    path, terms = tmp_path / "c.svm", tmp_path / "terms"
    terms.write_text("bee\ncow\n")
    path.write_text("1 1:1\n2:5\n2 3:1\n2 1:1 0:4\n2 2:2\n")
    scan = ts.scan(path, term_names=terms, on_error="skip")
    counts = ts.count(scan)
    assert (counts.classes, counts.n_docs) == ([1, 2], 2)
    assert counts.term_frequency.toarray().tolist() == [[1, 0], [0, 2]]
    assert scan.n_skipped == 3
    assert [complaint.partition(":")[0][-1] for complaint in scan.skipped] == list("234")
    assert "from 1 to 2 before the colon, found '3:1'; term_names has 2 names" in scan.skipped[1]


def test_a_line_that_is_longer_than_a_block(tmp_path: Path) -> None:
    path = tmp_path / "c.svm"
    path.write_text("1 " + " ".join(f"{i}:1" for i in range(1, 700_000)) + "\n2 2:1\n")
    assert ts.count(ts.scan(path)).class_tokens.tolist() == [699_999, 1]


BAD_ROWS = {
    "csv": ("label,text\nx,bee\n", "x,bee,cow\n", "line 3: expected 2 fields, found 3"),
    "txt": ("x\tbee\n", "\tbee\n", "line 2: the label is empty"),
    "jsonl": ('{"label": "x", "text": "bee"}\n', "[1]\n", "line 2: expected a JSON object"),
}


def test_other_files_of_a_folder_are_skipped(tmp_path: Path) -> None:
    folder = as_folders(tmp_path)
    (folder / "ham" / "1a").mkdir()
    (folder / "ham" / "link").symlink_to(tmp_path / "nothing")
    odd = ["1a", "link"]
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "ham" / "pipe")
        odd.append("pipe")
    assert refused(folder) == (
        f"{folder}/ham/1a: expected a file with a document of the class 'ham'; if it is a class, "
        f"pass {folder}/ham"
    )
    for _ in range(2):
        scan = ts.scan(folder, on_error="skip")
        assert ts.count(scan).n_docs == len(TEXTS)
        assert [message.partition(": ")[0] for message in scan.skipped] == [
            f"{folder}/ham/{name}" for name in odd
        ]


@pytest.mark.parametrize("kind", BAD_ROWS)
def test_skipped_rows_are_reported_once(tmp_path: Path, kind: str) -> None:
    good, bad, complaint = BAD_ROWS[kind]
    path = tmp_path / f"c.{kind}"
    last = good.splitlines(keepends=True)[-1]
    path.write_text(good + bad * 2 + last * 3 + bad * 7)
    assert complaint in refused(path)
    scan = ts.scan([path, path], on_error="skip")
    for _ in range(2):  # every iteration starts again
        assert ts.count(scan).n_docs == 8
        assert (scan.n_skipped, len(scan.skipped)) == (18, 5)
        assert complaint in scan.skipped[0]


@pytest.mark.parametrize("kind", ["svm.gz", "svm.zst", "txt.gz"])
@pytest.mark.parametrize("cut", [1, 5, 20])
def test_compressed_files_that_are_cut_short(tmp_path: Path, kind: str, cut: int) -> None:
    path, _ = write(kind, tmp_path, *random_collection())
    path.write_bytes(path.read_bytes()[:-cut])
    assert refused(path).startswith(f"{path}: damaged or cut short: ")


@pytest.mark.parametrize("name", ["c.csv.gz", "c.svm.bz2", "c.txt.xz", "c.jsonl.gz"])
def test_an_empty_file_is_no_compressed_file(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    assert refused(tmp_path / name) == (
        f"{tmp_path / name}: damaged or cut short: the file is empty"
    )


def test_too_little_memory_to_decompress_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A forged file may declare any size."""

    def too_large(_: Any) -> Any:
        raise MemoryError

    path = tmp_path / "c.svm.bz2"
    path.write_bytes(bz2.compress(b"1 1:1\n"))
    monkeypatch.setattr("bz2.BZ2File", too_large)
    with raises(MemoryError, "not_enough_memory_to_read", at="c.svm.bz2: "):
        ts.count(ts.scan(path))


def archive(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("c.csv", "label,text\nx,bee\n")
    return path


def test_archives_of_an_unknown_kind(tmp_path: Path) -> None:
    path = archive(tmp_path / "c.zip")
    assert ts.count(ts.scan(path)).term_names.tolist() == ["bee"]
    content = path.read_bytes()
    entry = content.index(b"PK\1\2")
    for place in (6, 10):  # the version of the format, and the number of the compression
        forged = bytearray(content)
        forged[entry + place] = 99
        path.write_bytes(forged)
        assert refused(path).startswith(f"{path}: damaged, or an archive of an unknown kind: ")


def test_a_text_that_is_named_as_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "c.zip"
    path.write_text("label,text\nx,bee\n")
    cure = "is not compressed, although its name ends in .zip; rename it to c"
    assert refused(path) == f"{path}: {cure}"


def test_a_disk_that_fails_is_no_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = archive(tmp_path / "c.zip")

    def failing(_: Any) -> Any:
        raise OSError(errno.EIO, "the disk is gone")

    monkeypatch.setattr("zipfile.ZipFile", failing)
    with raises(OSError, "an_archive_on_a_failing_disk") as caught:
        ts.scan(path)
    assert caught.value.errno == errno.EIO


@pytest.mark.parametrize("content", ["", "\n\n"])
@pytest.mark.parametrize("kind", ["csv", "tsv"])
def test_a_table_without_its_header(tmp_path: Path, kind: str, content: str) -> None:
    good, empty = tmp_path / "good.txt", tmp_path / f"c.{kind}"
    good.write_text("x\tbee\n")
    empty.write_text(content)
    message = f"{empty}: expected a header with the columns 'text' and 'label', found none"
    assert refused([good, empty]) == refused([good, empty], on_error="skip") == message
    assert ts.count(ts.scan([good, empty], text=2, label=1)).n_docs == 1


def test_errors_of_values_name_their_file(run: Any, tmp_path: Path) -> None:
    path, labels = tmp_path / "c.npz", tmp_path / "labels"
    sparse.save_npz(path, sparse.csr_array([[1j, 2]]))
    labels.write_text("1\n")
    with raises(TypeError, "x_has_dtype_complex128", argument="X") as caught:
        ts.count(ts.scan(path, labels=labels))
    assert str(caught.value).startswith(f"{path}: ")
    result = run("count", path, "--labels", labels, "-o", tmp_path / "c.termsift")
    assert result.complaint == str(caught.value)


def test_matrices_and_texts_do_not_mix(tmp_path: Path) -> None:
    (tmp_path / "a.svm").write_text("1 1:1\n")
    (tmp_path / "b.txt").write_text("1\tbee\n")
    assert "expected only texts, or only matrices" in refused(
        [tmp_path / "a.svm", tmp_path / "b.txt"]
    )


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"index_base": 2}, "index_base must be 0 or 1"),
        ({"on_error": "ignore"}, "on_error must be 'raise' or 'skip'"),
        ({"text": "body"}, "its own labels and no texts; leave out text"),
        ({"labels": ["a", "b"]}, "labels has 2 files for 1 input"),
    ],
)
def test_arguments_that_do_not_fit(tmp_path: Path, options: Any, complaint: str) -> None:
    (tmp_path / "c.svm").write_text("1 1:1\n")
    assert complaint in refused(tmp_path / "c.svm", **options)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_pipes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "c.svm").write_text("1 1:1\n")
    os.mkfifo(tmp_path / "pipe.svm")
    message = f"{tmp_path / 'pipe.svm'}: expected a file, found a folder, pipe or device"
    assert message in refused(tmp_path / "pipe.svm")
    assert message in refused(tmp_path / "c.svm", term_names=tmp_path / "pipe.svm")


def test_rules_that_a_scan_cannot_keep(tmp_path: Path) -> None:
    (tmp_path / "c.svm").write_text("1 1:1 3:2\n2 3:1\n")
    assert refused(tmp_path / "c.svm", stop_words="english").endswith("leave out stop_words")
    assert "its terms have no names" in refused(tmp_path / "c.svm", min_df=2)
    (tmp_path / "terms").write_text("egg\ntea\njam\n")
    counts = ts.count(ts.scan(tmp_path / "c.svm", term_names=tmp_path / "terms", min_df=2))
    assert list(counts.term_names) == ["jam"]
    assert counts.term_frequency.toarray().tolist() == [[2], [1]]


def test_no_path_is_refused() -> None:
    with raises(ValueError, "paths_is_empty", argument="paths"):
        ts.scan([])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_is_no_path(library: str) -> None:
    frame = pytest.importorskip(library).DataFrame({"text": ["plum"], "label": ["a"]})
    with raises(TypeError, "paths_is_a_dataframe", argument="paths"):
        ts.scan(frame)
