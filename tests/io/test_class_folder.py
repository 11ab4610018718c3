"""Texts are read from tables and folders, and counted according to the rules."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import termsift as ts
from collection_files import read_files, read_splits
from private import SKIP
from termsift.io import Collection
from wording import raises, warns


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write two classes of documents, and other files that are not documents."""
    root = tmp_path / "news"
    write(root / "sport/b.txt", "Ball, ball goal\n")
    write(root / "sport/a", "team ball")
    write(root / "trade/1", b"\xef\xbb\xbfoil price")
    write(root / "trade/2", "price of größe\r\nship")
    write(root / "README", "these are not the documents")
    write(root / ".git/config", "nor these")
    write(root / "sport/.DS_Store", b"\xff\x00")
    return root


def complaint(path: Path, **arguments: Any) -> str:
    with pytest.raises((ValueError, FileNotFoundError)) as caught:
        read_files(path, **arguments)
    return (
        str(caught.value)
        .replace(f"{path}/", "")
        .replace(str(path), path.name)
        .removesuffix(f"; {SKIP}")
    )


def words(collection: Collection) -> list[str]:
    assert collection.term_names is not None
    return list(collection.term_names)


def test_a_folder_of_class_folders(folder: Path) -> None:
    collection = read_files(folder)
    assert collection.term_names is not None
    assert list(collection.term_names) == [
        "ball",
        "goal",
        "größe",
        "of",
        "oil",
        "price",
        "ship",
        "team",
    ]
    assert list(collection.y) == ["sport", "sport", "trade", "trade"]
    assert collection.X.toarray().tolist() == [
        [1, 0, 0, 0, 0, 0, 0, 1],
        [2, 1, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 1, 1, 0, 0],
        [0, 0, 1, 1, 0, 1, 1, 0],
    ]
    assert collection.source == str(folder)


def test_classes_that_are_numbers_and_documents_that_are_compressed(tmp_path: Path) -> None:
    write(tmp_path / "c/10/a.GZ", gzip.compress(b"oil ship"))
    write(tmp_path / "c/9/a", "ball")
    collection = read_files(tmp_path / "c")
    assert collection.y.tolist() == [10, 9]
    assert collection.X.toarray().tolist() == [[0, 1, 1], [1, 0, 0]]


def test_another_encoding(folder: Path, tmp_path: Path) -> None:
    write(folder / "trade/2", "größe".encode("latin-1"))
    cure = "pass encoding= with the encoding of the texts"
    expected = f"trade/2, line 1: byte 2 is not UTF-8; {cure}"
    assert complaint(folder) == expected
    assert "größe" in words(read_files(folder, encoding="latin-1"))
    write(folder / "trade/2", "größe".encode())  # these bytes are Latin-1, too
    assert "grã" in words(read_files(folder, encoding="latin-1"))
    table = write(tmp_path / "c.csv", "label,text\na,ball\n")
    for unknown in ("latin-l", "hex", "undefined"):
        expected = f"unknown encoding {unknown!r}, expected one such as 'utf-8'"
        assert complaint(table, encoding=unknown) == expected
    for file in (f for f in folder.rglob("*") if f.parent.name in ("sport", "trade")):
        file.write_bytes("ball".encode("utf-16"))
    assert words(read_files(folder, encoding="utf-16")) == ["ball"]


def test_bad_folders(folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "none").mkdir()
    expected = "none: expected one sub-folder per class with one file per document, found none"
    assert complaint(tmp_path / "none").startswith(expected)
    (tmp_path / "none/empty").mkdir()
    assert complaint(tmp_path / "none") == "none: holds no documents"
    assert caplog.messages == [f"{tmp_path}/none/empty: a class without documents is left out"]
    (folder / "trade/deep").mkdir()
    expected = "trade/deep: expected a file with a document of the class 'trade'; "
    assert complaint(folder) == f"{expected}if it is a class, pass trade"
    labels = write(tmp_path / "labels", "a\n")
    expected = "news: a folder of class folders has its own labels and terms, and no columns; "
    assert complaint(folder, text="a", labels=labels) == expected + "leave out labels and text"
    write(folder / "sport/z.gz", gzip.compress(b"ball" * 99)[:-9])
    assert complaint(folder).startswith("sport/z.gz: damaged or cut short: ")


def test_rules_apply_only_to_texts(tmp_path: Path) -> None:
    path = write(tmp_path / "c.mtx", "")
    expected = "c.mtx: a matrix holds no texts; leave out encoding"
    assert complaint(path, encoding="utf-8", min_df=2) == expected
    table = write(tmp_path / "c.csv", "label,text\na,ball\nb,oil\n")
    expected = "c.csv: no document has a term by these rules: min_df="
    assert complaint(table, min_df=2) == expected + "2"
    assert complaint(table, min_df=1.0) == expected + "1.0"
    table = write(tmp_path / "c.csv", "label,text\n")
    assert complaint(table, min_df=2) == "c.csv: holds no documents"
    with raises(TypeError, "unknown_argument_mindf", argument="mindf"):
        read_files(table, mindf=2)


def test_a_split_by_the_same_rules(folder: Path, tmp_path: Path) -> None:
    text = pytest.importorskip("sklearn.feature_extraction.text")
    train = ["the ball and the goal", "ball and goal and team", "oil price", "the oil price"]
    new = ["the goal and the ball", "ball price"]
    table = [f"{label},{document}\n" for label, document in zip("aabb", train, strict=True)]
    first = write(tmp_path / "train.csv", "label,text\n" + "".join(table))
    write(tmp_path / "test/a/1", new[0])
    write(tmp_path / "test/b/1", new[1])
    known, tested = read_splits(
        first, tmp_path / "test", stop_words="english", min_df=2, ngram_range=(1, 2)
    )
    vectorizer = text.CountVectorizer(stop_words="english", min_df=2, ngram_range=(1, 2))
    np.testing.assert_array_equal(known.X.toarray(), vectorizer.fit_transform(train).toarray())
    np.testing.assert_array_equal(tested.X.toarray(), vectorizer.transform(new).toarray())
    assert known.term_names is tested.term_names is not None
    assert list(known.term_names) == list(vectorizer.get_feature_names_out())
    known, tested = read_splits(first, tmp_path / "test", hashing=16)
    assert (known.X.shape, tested.X.shape) == ((4, 16), (2, 16))
    assert known.term_names is tested.term_names is None


def test_what_systems_add_to_folders_is_left_out(tmp_path: Path) -> None:
    for name in ("ham/1", "spam/1", "__MACOSX/ham/._1", "ham/Thumbs.db", "spam/desktop.ini"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("bacon eggs")
    counts = ts.count(ts.scan(tmp_path))
    assert (counts.classes, counts.class_docs.tolist()) == (["ham", "spam"], [1, 1])


def test_pages_and_tables_that_count_as_texts_are_told(tmp_path: Path) -> None:
    for label in ("ham", "spam"):
        (tmp_path / "pages" / label).mkdir(parents=True)
        (tmp_path / "pages" / label / "1.html").write_text("<p>bacon</p>")
        (tmp_path / "tables" / label).mkdir(parents=True)
        (tmp_path / "tables" / label / "1.csv").write_text(f"text,label\nbacon,{label}\n")
    with warns(UserWarning, "tags_count_as_words", at="2 files"):
        ts.count(ts.scan(tmp_path / "pages"))
    with warns(UserWarning, "tables_in_class_folders", at="2 files") as told:
        ts.count(ts.scan(tmp_path / "tables"))
    assert "1.csv, are each read as one text, " in str(told[0].message)
    pattern = str(told[0].message).partition("pass '")[2].partition("'")[0]
    assert ts.count(ts.scan(pattern)).n_docs == 2
    (tmp_path / "tables/spam/1.csv").rename(tmp_path / "tables/spam/1.txt")
    with warns(UserWarning, "tables_in_class_folders", at="1.csv, is read as one text, "):
        ts.count(ts.scan(tmp_path / "tables"))
