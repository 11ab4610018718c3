"""svmlight text in blocks of any size is read as by scikit-learn, and errors name the line."""

from __future__ import annotations

import gzip
import io
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import termsift as ts
from collection_files import read_files
from private import put
from wording import raises, warns

whole_counts = st.integers(0, 2**53 - 1).map(str)
fractions = st.floats(0, 1e15).map(repr)
indices = st.lists(st.integers(0, 2**31 - 2), unique=True, max_size=8).map(sorted)
labels = st.integers(-3, 40).map(str) | st.sampled_from(["+1", "1e1", "-0.25", "7.", ".5", "1,2"])
blanks = st.sampled_from([" ", "  ", "\t", " \t"])
comments = st.sampled_from(["", "", "", " # a:1 comment", "#", "\r"])


@st.composite
def svmlight_lines(draw: st.DrawFn) -> str:
    line = draw(labels)
    if draw(st.booleans()):
        line += f"{draw(blanks)}qid:{draw(st.integers(0, 9))}"
    for index in draw(indices):
        line += f"{draw(blanks)}{index}:{draw(whole_counts | fractions)}"
    return line + draw(comments)


texts = st.lists(svmlight_lines() | st.sampled_from(["", "# comment", " \t"]), max_size=12)


@pytest.fixture(params=[1, 2, 3, 7, 64, 1 << 20])
def read(request: Any, tmp_path: Path, monkeypatch: Any) -> Any:
    """Return a function that reads svmlight text in blocks of the parameter's size."""
    put(monkeypatch, block_bytes=request.param)

    def read_text(text: bytes, ending: str = "", **options: Any) -> ts.io.Collection:
        path = tmp_path / f"f.svm{ending}"
        path.write_bytes(gzip.compress(text) if ending else text)
        return read_files(path, **options)

    return read_text


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts)
@example(["1 2:4.9e-324 4:1.5"])
@example(["1 1:9007199254740991 2:0.1", "-0 3:12345"])
def test_every_block_size_gives_the_numbers_of_scikit_learn(read: Any, lines: list[str]) -> None:
    datasets = pytest.importorskip("sklearn.datasets")
    text = ("\n".join(lines)).encode()
    X, labels_of = datasets.load_svmlight_file(io.BytesIO(text), multilabel=True, zero_based=True)
    if not labels_of:
        with raises(ValueError, "file_without_documents"):
            read(text, index_base=0)
        return
    collection = read(text, index_base=0)
    for mine, theirs in ((collection.X.indptr, X.indptr), (collection.X.indices, X.indices)):
        np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(collection.X.data.astype(float), X.data)
    if collection.classes is None:
        assert [(label,) for label in collection.y.tolist()] == labels_of
    else:
        columns = [collection.y.indices[a:b] for a, b in pairwise(collection.y.indptr)]
        found = [tuple(sorted(collection.classes[i] for i in row)) for row in columns]
        assert found == labels_of


TEXT = b"\xef\xbb\xbf1 1:2\n# c\n2,3 5:4444444444 30:1.5\r\n\n4 7:1\n5 " + b"".join(
    b" %d:1" % i for i in range(1, 40)
)


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_blocks_of_any_size_hold_the_same(read: Any, ending: str) -> None:
    collection = read(TEXT, ending)
    X = collection.X
    entries = [(X.indices[a:b] + 1, X.data[a:b]) for a, b in pairwise(X.indptr)]
    assert [[part.tolist() for part in entry] for entry in entries] == [
        [[1], [2]],
        [[5, 30], [4444444444, 1.5]],
        [[7], [1]],
        [list(range(1, 40)), [1] * 39],
    ]
    assert collection.classes == [1, 2, 3, 4, 5]
    assert collection.y.sum(axis=1).tolist() == [1, 2, 1, 1]


ENCODING = "; pass encoding= with the encoding of the texts"
LABEL = "a label, a number below 2^53 or a word, or several with commas between them"
COUNT = "a count from 0 to below 2^53 after the colon"
INDEX = "an index from 1 to 2147483647 before the colon"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"inf 1:1", f"{LABEL}, found 'inf'"),
        (b"-NaN 1:1", f"{LABEL}, found '-NaN'"),
        (b"1e999 1:1", f"{LABEL}, found '1e999'"),
        (b"9007199254740992 1:1", f"{LABEL}, found '9007199254740992'"),
        (b"1, 1:1", f"{LABEL}, found '1,'"),
        (b",1 1:1", f"{LABEL}, found ',1'"),
        (b"\x1a", rf"{LABEL}, found '\x1a'"),
        (b"a\x00b 1:1", rf"{LABEL}, found 'a\x00b'"),
        (b"\xff 1:1", rf"{LABEL}, found '\xff'{ENCODING}"),
        (b"2:1", "a label before the first index:count, found '2:1'"),
        (b"1 2", "index:count, found '2'"),
        (b"spam and eggs", "index:count, found 'and'"),
        (b"1 1 : 2", "index:count, found '1'"),
        (b"1 :", f"{INDEX}, found ':'"),
        (b"1 0:2", f"{INDEX}, found '0:2'; if indices count from 0, pass index_base=0"),
        (b"1 -1:2", f"{INDEX}, found '-1:2'"),
        (b"1 1.0:2", f"{INDEX}, found '1.0:2'"),
        (b"1 1_0:2", f"{INDEX}, found '1_0:2'"),
        (b"1 3:1 2:1", "an index above 3, because indices rise within a line, found '2:1'"),
        (b"1 3:1 3:1", "an index above 3, because indices rise within a line, found '3:1'"),
        (b"1 2147483648:1", f"{INDEX}, found '2147483648:1'"),
        (b"1 99999999999999999999:1", f"{INDEX}, found '99999999999999999999:1'"),
        (b"1 1:", f"{COUNT}, found '1:'"),
        (b"1 1:x", f"{COUNT}, found '1:x'"),
        (b"1 1:1:1", f"{COUNT}, found '1:1:1'"),
        (b"1 1:1_0", f"{COUNT}, found '1:1_0'"),
        (b"1 1:0x1", f"{COUNT}, found '1:0x1'"),
        (b"1 1:1e", f"{COUNT}, found '1:1e'"),
        (b"1 1:.", f"{COUNT}, found '1:.'"),
        (b"1 1:nan", f"{COUNT}, found '1:nan'"),
        (b"1 1:1e309", f"{COUNT}, found '1:1e309'"),
        (b"1 1:-1", f"{COUNT}, found '1:-1'"),
        (b"1 1:9007199254740992", f"{COUNT}, found '1:9007199254740992'"),
        (b"1 qid:x 1:1", "a whole number after qid:, found 'qid:x'"),
        (b"1 1:1 qid:3", f"{INDEX}, found 'qid:3'"),
        (b"1 " + b"7" * 99, f"index:count, found '{'7' * 40}'..."),
    ],
)
def test_a_bad_line_is_named_or_skipped(
    read: Any, line: bytes, message: str, tmp_path: Path
) -> None:
    text = b"1 1:1\n# comment\n\n" + line + b"\r\n2 1:x\n3 2:1\n"
    cures = (name for name in ("index_base", "encoding") if f"{name}=" in message)
    argument = next(cures, "on_error")
    with raises(ValueError, "a_bad_line_of_svmlight", argument=argument, at="line 4") as caught:
        read(text)
    expected = f"f.svm, line 4: expected {message}; on_error='skip' leaves it out"
    assert str(caught.value).endswith(expected)
    assert read(text, on_error="skip").y.tolist() == [1, 3]
    scan = ts.scan(tmp_path / "f.svm", on_error="skip")
    assert ts.count(scan).n_docs == 2
    assert scan.n_skipped == 2
    assert message in scan.skipped[0]
    assert "line 5: " in scan.skipped[1]


def test_an_index_beyond_the_names_is_a_bad_line(read: Any, tmp_path: Path) -> None:
    names = tmp_path / "names"
    names.write_text("a\nb\n")
    key = "f_svm_line_2_expected_a"
    with raises(ValueError, key, argument="term_names"):
        read(b"1 2:1\n1 3:1\n", term_names=names)


# ---- labels --------------------------------------------------------------------------------------


def test_words_are_labels(read: Any, tmp_path: Path) -> None:
    text = "spam 1:2\nham,spam 2:1\ngrüße 1:1\n".encode()
    collection = read(text)
    assert collection.classes == ["grüße", "ham", "spam"]
    assert collection.y.toarray().tolist() == [[0, 0, 1], [0, 1, 1], [1, 0, 0]]
    counts = ts.count(ts.scan(tmp_path / "f.svm"))
    assert counts.classes == ["grüße", "ham", "spam"]
    assert counts.class_docs.tolist() == [1, 1, 2]


def test_numbers_beside_words_are_text(read: Any, tmp_path: Path) -> None:
    assert read(b"10 1:2\n+2.0 2:1\n0.5 1:1\n").y.tolist() == [10, 2, 0.5]
    with warns(UserWarning, "a_word_among_numbers") as caught:
        found = read(b"10 1:2\n+2.0 2:1\n\n0.5 1:1\nx\ny 1:1\n3 1:1\n").y.tolist()
    assert found == ["10", "2", "0.5", "x", "y", "3"]
    assert len(caught) == 1
    (tmp_path / "f.svm").write_bytes(b"10 1:2\n+2.0 2:1\n0.5 1:1\nx 1:1\n")
    with warns(UserWarning, "a_word_among_numbers_2"):
        counts = ts.count(ts.scan(tmp_path / "f.svm"))
    assert counts.classes == ["0.5", "10", "2", "x"]
    other = tmp_path / "t.svm"
    other.write_text("2 1:1\n")
    with warns(UserWarning, "a_word_among_numbers_2"):
        assert ts.count(ts.scan([tmp_path / "f.svm", other])).class_docs.tolist() == [1, 1, 2, 1]
    with warns(UserWarning, "a_word_among_numbers_2"):
        assert ts.count(ts.scan([other, tmp_path / "f.svm"])).classes == counts.classes


def test_labels_may_be_left_out(read: Any, tmp_path: Path) -> None:
    assert read(b"1 1:1\nx 2:1\n3,4 1:1\n", label=False).y.tolist() == [""] * 3
    counts = ts.count(ts.scan(tmp_path / "f.svm", label=False))
    assert (counts.classes, counts.n_docs) == ([""], 3)
    assert read(b"2 3 4\n0,1 1:1\n 2:1\n", label=False).y.tolist() == [""] * 2


@pytest.mark.parametrize(
    ("text", "labels", "sentence"),
    [
        ("1 1:1\n2 1:1\n", True, "svmlight, indices from 1, labels are numbers"),
        ("a 1:1\nb 1:1\n", True, "svmlight, indices from 1, labels are words"),
        ("a 1:1\nb 1:1\n", False, "svmlight, indices from 1, labels left out"),
        ("1 9 4\n3 0:1\n", True, "svmlight, indices from 0, 9 terms by line 1, labels are numbers"),
    ],
)
def test_what_was_understood(tmp_path: Path, text: str, labels: bool, sentence: str) -> None:
    path = tmp_path / "f.svm"
    path.write_text(text)
    scan = ts.scan(path, **({} if labels else {"label": False}))
    ts.count(scan)
    assert list(scan.understood) == [sentence]


def test_labels_of_two_kinds_of_files_are_the_same(tmp_path: Path) -> None:
    paths = [tmp_path / "a.svm", tmp_path / "b.mtx"]
    paths[0].write_text("3 1:1\n+12 1:1\n")
    paths[1].write_text("%%MatrixMarket matrix array integer general\n2 1\n1\n1\n")
    (tmp_path / "y").write_text("12\n3\n")
    (tmp_path / "none").write_text("")
    scan = ts.scan(paths[1], labels=tmp_path / "y")
    both = ts.scan([paths[1]], labels=[tmp_path / "y"])
    both.sources.insert(0, ts.scan(paths[0]).sources[0])
    assert ts.count(scan).classes == ts.count(both).classes == [3, 12]
    assert ts.count(both).class_docs.tolist() == [2, 2]


@pytest.mark.parametrize("n_labels", [3, 4_000_000])
def test_files_of_the_extreme_classification_repository(
    read: Any, tmp_path: Path, n_labels: int
) -> None:
    last = n_labels - 1
    text = f"5 7 {n_labels}\n0,{last} 0:1 3:2.5\n 1:1 4:2\n{last}\n\n0,0 6:1\n".encode()
    collection = read(text)
    assert collection.X.shape == (5, 7)
    assert collection.X.toarray()[:2].tolist() == [[1, 0, 0, 2.5, 0, 0, 0], [0, 1, 0, 0, 2, 0, 0]]
    assert collection.classes == [0, last]
    assert collection.y.toarray().tolist() == [[1, 1], [0, 0], [0, 1], [0, 0], [1, 0]]
    counts = ts.count(ts.scan(tmp_path / "f.svm"))
    assert counts == ts.count(collection.X, collection.y, classes=[0, last])
    assert (counts.n_docs, counts.class_docs.tolist()) == (5, [2, 2])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"2 3 4\n0 1:1\n", "line 3: expected the 2 documents that line 1 declares, found 1"),
        (b"1 3 4\n0 1:1\n\n1 1:1\n", "line 4: expected no more than the 1 documents that line 1"),
        (b"1 3 4\n4 1:1\n", "line 2: expected labels from 0 to 3 with commas between them, as"),
        (b"1 3 4\nspam 1:1\n", "line 2: expected labels from 0 to 3"),
        (b"1 3 4\n1 3:1\n", "line 2: expected an index from 0 to 2 before the colon, found '3:1'"),
        (b"1 9999999999 4\n1 3:1\n", "line 1: declares 9999999999 terms, more than the 2147483647"),
    ],
)
def test_numbers_that_disagree_with_the_first_line(read: Any, text: bytes, message: str) -> None:
    with raises(ValueError, "a_number_of_the_first_line", at=message):
        read(text)


def test_the_first_line_declares_no_more_terms_than_names(tmp_path: Path) -> None:
    path = tmp_path / "f.svm"
    path.write_bytes(b"1 3 4\n1 2:1\n")
    names = tmp_path / "names.txt"
    names.write_text("a\nb\nc\n")
    assert ts.count(ts.scan(path, term_names=names)).n_terms == 3
    names.write_text("a\nb\n")
    with raises(ValueError, "the_first_line_declares_more_terms_than_names"):
        ts.count(ts.scan(path, term_names=names))


def test_indices_and_numbers_of_queries_may_have_a_sign(tmp_path: Path) -> None:
    path = tmp_path / "f.svm"
    path.write_bytes(b"+1 qid:+3 +1:2 +3:+4\n-1 qid:3 2:1\n")
    collection = ts.io.read_collection(ts.scan(path))
    assert collection.X.toarray().tolist() == [[2, 0, 4], [0, 1, 0]]


def test_many_bad_lines_take_little_time(tmp_path: Path) -> None:
    path = tmp_path / "f.svm.gz"
    path.write_bytes(gzip.compress(b"1 1:1\n" + b"1 1:x\n" * 3_000_000))
    scan = ts.scan(path, on_error="skip")
    assert ts.count(scan).n_docs == 1  # took minutes, when blocks with bad lines were halved
    assert (scan.n_skipped, len(scan.skipped)) == (3_000_000, 5)


def test_labels_that_are_words_have_an_encoding(tmp_path: Path) -> None:
    path = tmp_path / "f.svm"
    text = "gr\u00fcn 1:1 # \u00fc\nrot 2:3\ngr\u00fcn,blau 1:2\n"
    path.write_text(text, encoding="utf-8")
    expected = ts.count(ts.scan(path))
    assert expected.classes == ["blau", "gr\u00fcn", "rot"]
    for encoding in ("latin-1", "cp1252", "utf-16", "utf-16-le", "utf-8", "utf-8-sig"):
        path.write_text(text, encoding=encoding)
        assert ts.count(ts.scan(path, encoding=encoding)) == expected
    path.write_text("\u732b 1:1\n", encoding="shift-jis")
    assert ts.count(ts.scan(path, encoding="shift-jis")).classes == ["\u732b"]


def test_an_encoding_that_cannot_leave_out_bytes_is_named(tmp_path: Path) -> None:
    path = tmp_path / "c.svm"
    path.write_text("1 1:1\n")
    with raises(ValueError, "a_matrix_in_idna", argument="encoding", at="c.svm: "):
        ts.count(ts.scan(path, encoding="idna"))
