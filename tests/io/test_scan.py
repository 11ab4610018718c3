"""Counting files in chunks gives the counts of the whole file, for every kind of file."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import termsift as ts
from collection_files import read_files
from file_kinds import KINDS, WORDS, as_folders, as_table, random_collection, write
from private import put

BLOCK_BYTES = [4, 60, 1 << 20]


def read_in_blocks(monkeypatch: Any, n_bytes: int) -> None:
    """Make the readers of all kinds of files read blocks of this size."""
    put(monkeypatch, block_bytes=n_bytes, rows_at_once=max(n_bytes // 20, 1))


@pytest.fixture(autouse=True, params=BLOCK_BYTES)
def blocks(request: Any, monkeypatch: Any) -> None:
    read_in_blocks(monkeypatch, request.param)


@pytest.fixture(scope="module")
def collection() -> tuple[Any, list[str]]:
    return random_collection()


@pytest.fixture(params=KINDS)
def written(request: Any, tmp_path: Path, collection: Any) -> tuple[Path, dict[str, Any]]:
    return write(request.param, tmp_path, *collection)


def expected(collection: Any, path: Path) -> ts.ClassCounts:
    X, y = collection
    counts = ts.count(X, [int(label) for label in y])
    if ts.scan(path, **({"labels": path} if path.suffix in (".npz", ".mtx") else {})).has_texts:
        counts.term_names = WORDS
        counts = counts.with_min_df(1)  # words that never occur are no terms of texts
    return counts


def test_counts_are_those_of_the_whole(written: Any, collection: Any) -> None:
    path, options = written
    scan = ts.scan(path, **options)
    assert ts.count(scan) == expected(collection, path)


def test_fractions_and_logarithms_have_the_same_bits(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    X, y = rng.random((40, 9)) * rng.integers(0, 3, (40, 9)), rng.integers(0, 3, 40)
    rows = [" ".join(f"{i + 1}:{x!r}" for i, x in enumerate(row.tolist()) if x) for row in X]
    (tmp_path / "c.svm").write_text("".join(f"{y} {row}\n" for y, row in zip(y, rows, strict=True)))
    for tf in ("raw", "log"):
        assert ts.count(ts.scan(tmp_path / "c.svm"), tf=tf) == ts.count(X, y, tf=tf)


def test_several_files_in_order(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("label,text\nx,bee ant\n")
    (tmp_path / "b.jsonl").write_text('{"text": "cow bee", "label": "w"}\n')
    counts = ts.count(ts.scan([tmp_path / "a.csv", tmp_path / "b.jsonl"]))
    assert counts.classes == ["w", "x"]
    assert list(counts.term_names) == ["ant", "bee", "cow"]
    assert counts.term_frequency.toarray().tolist() == [[0, 1, 1], [1, 1, 0]]


def test_progress_goes_on_over_several_files(tmp_path: Path, monkeypatch: Any) -> None:
    reports: list[int] = []
    put(monkeypatch, progress_of_scans=lambda *_: nullcontext(reports.append))
    paths = [tmp_path / f"{number}.csv" for number in range(3)]
    for path in paths:
        path.write_text("label,text\nham,egg\n")
    scan = ts.scan(paths)
    ts.count(scan)
    assert reports == sorted(reports)
    assert reports[-1] == scan.n_bytes


def test_documents_of_several_classes(tmp_path: Path) -> None:
    path = tmp_path / "c.svm"
    path.write_text("1,3 1:2 2:1\n2 2:1\n3,1,3 3:4\n")
    X = np.array([[2, 1, 0], [0, 1, 0], [0, 0, 4]])
    Y = np.array([[1, 0, 1], [0, 1, 0], [1, 0, 1]])
    assert ts.count(ts.scan(path)) == ts.count(X, Y, classes=[1, 2, 3])


def test_classes_of_a_later_file_may_have_another_order(tmp_path: Path) -> None:
    first, second = tmp_path / "a.svm", tmp_path / "b.svm"
    first.write_text("2 1:1\n")
    second.write_text("1 1:1\n1,2 2:1\n3,2 1:3\n")
    X = np.array([[1, 0], [1, 0], [0, 1], [3, 0]])
    Y = np.array([[0, 1, 0], [1, 0, 0], [1, 1, 0], [0, 1, 1]])
    assert ts.count(ts.scan([first, second])) == ts.count(X, Y, classes=[1, 2, 3])
    read = ts.io.read_collection(ts.scan([first, second]))
    assert ts.count(read.X, read.y, classes=read.classes) == ts.count(X, Y, classes=[1, 2, 3])


def test_labels_that_text_wrote_are_settled_at_the_end(tmp_path: Path) -> None:
    numbers, words = tmp_path / "n.txt", tmp_path / "w.txt"
    numbers.write_text("10\tant\n2\tbee\n")
    words.write_text("2\tant\nsix\tbee\n")
    assert ts.count(ts.scan(numbers)).classes == [2, 10]
    assert ts.count(ts.scan([numbers, words])).classes == ["10", "2", "six"]


def test_names_of_terms(tmp_path: Path) -> None:
    (tmp_path / "c.svm").write_text("1 1:2\n2 2:1\n")
    (tmp_path / "terms").write_text("ant\nbee\ncow\n")
    counts = ts.count(ts.scan(tmp_path / "c.svm", term_names=tmp_path / "terms"))
    assert list(counts.term_names) == ["ant", "bee", "cow"]
    assert counts.n_terms == 3


# ---- how texts are cut ---------------------------------------------------------------------------

RULES: list[dict[str, Any]] = [
    {},
    {"stop_words": "english", "min_df": 2},
    {"ngram_range": (1, 2), "min_df": 2},
    {"min_df": 0.3, "max_df": 0.6},
    {"max_df": 2},
    {"max_features": 2},
    {"binary": True, "max_features": 3},
    {"vocabulary": ["eggs", "unheard", "bacon"]},
    {"tokenizer": str.split, "token_pattern": None},
    {"analyzer": "char", "ngram_range": (2, 2), "lowercase": False},
    {"stop_words": ["eggs"]},
    {"hashing": 64},
]


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("written_as", [as_table, as_folders])
def test_texts_are_cut_as_when_read_whole(tmp_path: Path, rules: Any, written_as: Any) -> None:
    path = written_as(tmp_path)
    whole = read_files(path, **rules)
    expected = ts.count(whole.X, whole.y)
    expected.term_names = whole.term_names
    assert ts.count(ts.scan(path, **rules)) == expected


def test_blocks_of_svmlight_are_stacked(tmp_path: Path) -> None:
    X, y = random_collection()
    path, _ = write("svm", tmp_path, X, y)
    whole = read_files(path)
    assert whole.X.toarray().tolist() == X.toarray().tolist()
    assert whole.y.tolist() == list(map(int, y))
    # Some blocks have documents with several labels, one has fractions, and one has an index 0.
    path.write_text("3 1:1\n1 2:2 4:1\n1,3 5:2\n7 1:1\n2.5,3 2:0.5\n7 0:1\n" + "3 1:1\n" * 20)
    whole = read_files(path, index_base=0)
    assert whole.classes == [1, 2.5, 3, 7]
    assert whole.X.shape == (26, 6)
    assert (whole.X[5, 0], whole.X[4, 2]) == (1, 0.5)
    assert whole.y[[0, 2, 4]].toarray().tolist() == [[0, 0, 1, 0], [1, 0, 1, 0], [0, 1, 1, 0]]


def test_a_scan_shows_what_it_reads(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.txt" for number in range(4)]
    for path in paths:
        path.write_text("a\toil\n")
    assert repr(ts.scan(paths[0])) == f"<Scan of {paths[0]}: texts, 6 bytes>"
    shown = ", ".join(map(str, paths[:3]))
    assert repr(ts.scan(paths[:3])) == f"<Scan of {shown}: texts, 18 bytes>"
    assert repr(ts.scan(paths)) == f"<Scan of {shown}, ...: texts, 24 bytes>"


def test_texts_without_labels_are_one_class(tmp_path: Path) -> None:
    path = tmp_path / "fruit.csv"
    path.write_text("title,text\nnew,plum pear\nold,cherry plum\n")
    options: dict[str, Any] = {"text": ["title", "text"], "label": False}
    counts = ts.count(ts.scan(path, **options))
    assert (counts.classes, counts.n_docs) == ([""], 2)
    assert counts.term_names.tolist() == ["cherry", "new", "old", "pear", "plum"]
    assert read_files(path, **options).y.tolist() == ["", ""]
    pa = pytest.importorskip("pyarrow")
    path = tmp_path / "fruit.parquet"
    table = pa.table({"title": ["new", "old"], "text": ["plum pear", "cherry plum"]})
    pytest.importorskip("pyarrow.parquet").write_table(table, path)
    assert ts.count(ts.scan(path, **options)) == counts
