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
from wording import raises

datasets = pytest.importorskip("sklearn.datasets")

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


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"abc 1:1", "could not convert string to float: b'abc'"),
        (b"inf 1:1", "label inf, expected a number below 2^53"),
        (b"9007199254740992 1:1", "label 9.0072e+15, expected a number below 2^53"),
        (b"1, 1:1", "could not convert string to float: b''"),
        (b"2:1", "a document has no label"),
        (b"1 2", "to unpack"),
        (b"1 0:2", "Invalid index 0"),
        (b"1 -1:2", "Invalid index -1"),
        (b"1 1.0:2", "invalid literal for int"),
        (b"1 3:1 2:1", "should be sorted and unique"),
        (b"1 2147483648:1", "value too large"),
        (b"1 99999999999999999999:1", "too large"),
        (b"1 1:x", "could not convert string to float: b'x'"),
        (b"1 1:nan", "count nan, expected a number from 0 to 2^53"),
        (b"1 1:-1", "count -1, expected a number from 0 to 2^53"),
        (b"1 1:9007199254740992", "count 9.0072e+15, expected a number from 0 to 2^53"),
    ],
)
def test_a_bad_line_is_named_or_skipped(
    read: Any, line: bytes, message: str, tmp_path: Path
) -> None:
    text = b"1 1:1\n# comment\n\n" + line + b"\r\n2 1:x\n3 2:1\n"
    with raises(ValueError, "f_svm_line_4_expected", argument="index_base", at="line 4") as caught:
        read(text)
    assert message in str(caught.value)
    assert "leaves it out" in str(caught.value)
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
