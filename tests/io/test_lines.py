"""A text file of one document a line, with a file of labels or with its name as the class."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

import termsift as ts
from collection_files import complaint, read_files
from private import put
from wording import raises, warns

TEXTS = ["good film", "bad film\twith a tab", "", 'a "quote, and more', "good end"]
LABELS = ["pos", "neg", "neg", "pos", "pos"]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "film.txt"
    path.write_text("".join(f"{line}\n" for line in TEXTS))
    return path


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    path = tmp_path / "film.labels"
    path.write_text("".join(f"{label}\n" for label in LABELS))
    return path


def test_line_i_of_a_second_file_is_the_label_of_line_i(text: Path, labels: Path) -> None:
    scan = ts.scan(text, labels=labels)
    assert ts.count(scan) == ts.count_texts(TEXTS, LABELS)
    assert scan.n_bytes == text.stat().st_size + labels.stat().st_size
    packed = text.with_suffix(".txt.gz")
    packed.write_bytes(gzip.compress(text.read_bytes().replace(b"\n", b"\r\n").rstrip()))
    assert ts.count(ts.scan(packed, labels=labels)) == ts.count_texts(TEXTS, LABELS)


def test_a_file_of_labels_with_a_header(text: Path, labels: Path) -> None:
    labels.write_text("stars\n" + labels.read_text())
    with raises(ValueError, "labels_with_a_header", argument="labels", at="'stars'"):
        ts.count(ts.scan(text, labels=labels))
    labels.write_text("\n".join(["Label", *LABELS]))
    text.write_text("\n".join(["Text", *TEXTS]))
    with warns(UserWarning, "the_first_label_counts", at="'Label'"):
        assert ts.count(ts.scan(text, labels=labels)).classes == ["Label", "neg", "pos"]


def test_blocks_of_lines(text: Path, labels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch, block_bytes=1)
    assert ts.count(ts.scan(text, labels=labels)) == ts.count_texts(TEXTS, LABELS)
    (labels.parent / "short").write_text("pos\n")
    assert complaint(text, labels=labels.parent / "short") == (
        "short: 1 label for the 5 documents of film.txt"
    )


def test_a_line_is_not_longer_than_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small compressed file may hold gigabytes without the end of a line."""
    put(monkeypatch, longest_line=1 << 20)
    path = tmp_path / "zeros.txt.gz"
    for n, is_read in ((1 << 19, True), (1 << 22, False)):
        path.write_bytes(gzip.compress(b"ball\n" + b"a" * n + b"\n"))
        scan = ts.scan(path, input_format="lines")
        if is_read:
            assert ts.count(scan).class_docs.tolist() == [2]
            continue
        with raises(ValueError, "a_line_is_too_long"):
            ts.count(scan)


def test_labels_that_are_whole_numbers_are_integers(tmp_path: Path, text: Path) -> None:
    (tmp_path / "stars").write_text("1\n5\n5\n1\n1\n")
    assert ts.count(ts.scan(text, labels=tmp_path / "stars")).classes == [1, 5]


@pytest.mark.parametrize("n", [1, 4, 6, 9])
def test_files_of_different_lengths_are_refused_with_both_numbers(
    tmp_path: Path, text: Path, n: int
) -> None:
    (tmp_path / "short").write_text("pos\n" * n)
    with raises(ValueError, "labels_of_another_length", argument="labels"):
        ts.count(ts.scan(text, labels=tmp_path / "short"))
    labels = "1 label" if n == 1 else f"{n} labels"
    assert complaint(text, labels=tmp_path / "short").startswith(f"short: {labels} for the 5 ")


def test_an_empty_text_file_has_no_label(tmp_path: Path, labels: Path) -> None:
    path = tmp_path / "c.txt"
    path.write_bytes(b"")
    assert complaint(path, labels=labels) == "film.labels: 5 labels for the 0 documents of c.txt"


def test_the_name_is_the_class(tmp_path: Path, text: Path) -> None:
    (tmp_path / "sport.news.txt.gz").write_bytes(gzip.compress(b"\xef\xbb\xbfball\n \n\ngoal"))
    paths = [tmp_path / "sport.news.txt.gz", text]
    counts = ts.count(ts.scan(paths, input_format="lines"))
    assert (counts.classes, counts.class_docs.tolist()) == (["film", "sport.news"], [4, 2])
    assert "ball" in counts.term_names
    unlabelled = ts.count(ts.scan(paths, input_format="lines", label=False))
    assert (unlabelled.classes, unlabelled.n_docs) == ([""], 6)


def test_the_shell(run: Any, text: Path, labels: Path) -> None:
    result = run("info", text, "--labels", labels)
    assert (result.code, result.err) == (0, "")
    assert "5 documents" in result.out
    assert "film" in run("info", text, "--input-format", "lines").out


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16"])
def test_lines_that_are_not_in_the_encoding_are_named_and_left_out(
    tmp_path: Path, labels: Path, encoding: str
) -> None:
    path = tmp_path / "c.txt"
    path.write_bytes("\n".join(["größe one", "größe two", "", "x", "end"]).encode("latin-1"))
    if encoding == "latin-1":
        assert "größe" in ts.count(ts.scan(path, labels=labels, encoding="latin-1")).term_names
        return
    if encoding == "utf-16":
        path.write_bytes("\n".join(["a one", "b two", "", "x", "end"]).encode("utf-16"))
        assert ts.count(ts.scan(path, labels=labels)).n_docs == 5
        return
    expected = "c.txt, line {}: byte 2 is not UTF-8; pass encoding= with the encoding of the texts"
    assert complaint(path, labels=labels) == expected.format(1)
    scan = ts.scan(path, labels=labels, on_error="skip")
    counts = ts.count(scan)
    assert counts.class_docs.tolist() == [1, 2]  # the labels of lines 3, 4 and 5
    assert scan.n_skipped == 2
    assert [Path(each).name for each in scan.skipped] == [expected.format(n) for n in (1, 2)]


def test_a_wrong_character_of_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "c.txt"
    path.write_bytes(b"good film\nb\xe9d\xff\n")
    expected = "c.txt, line 2: character 1 is not ASCII; pass encoding= with the encoding of the "
    assert complaint(path, input_format="lines", encoding="ascii") == f"{expected}texts"


def test_carriage_returns_that_end_lines(tmp_path: Path) -> None:
    path = tmp_path / "c.txt"
    path.write_bytes(b"one\rtwo\rthree\r")
    expected = "c.txt, line 1: carriage returns end the lines of this file; replace them by line "
    assert complaint(path, input_format="lines") == f"{expected}feeds"


def test_arguments_that_exclude_each_other(tmp_path: Path, text: Path, labels: Path) -> None:
    with raises(TypeError, "labels_and_no_labels", argument="labels"):
        ts.scan(text, labels=labels, label=False)
    no_columns = "film.txt: a text file of one document a line has no columns; leave out "
    assert complaint(text, labels=labels, label="x") == f"{no_columns}label"
    assert complaint(text, labels=labels, text=2) == f"{no_columns}text"
    (tmp_path / "c.csv").write_text("text,label\na,b\n")
    expected = "c.csv: texts have their own labels and terms; leave out labels"
    assert complaint(tmp_path / "c.csv", labels=labels) == expected


def test_numbers_of_documents_are_those_of_lines(run: Any, text: Path, labels: Path) -> None:
    result = run("context", text, "end", "--labels", labels, "--format", "csv")
    assert result.out.splitlines()[1].split(",")[2] == "5"
    assert read_files(text, labels=labels).y.tolist() == LABELS
