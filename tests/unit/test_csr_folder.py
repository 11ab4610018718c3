"""Folders of arrays: reading returns what was written, and reports what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import termsift as ts

X = sparse.csr_array([[2, 0, 1], [0, 1, 0], [0, 0, 0], [1, 1, 4]])


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int32, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_every_kind_of_array(tmp_path: Path, dtype: Any, index: Any) -> None:
    matrix = X.astype(dtype)
    matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
    y = ["a", "b", "a", "c"]
    ts.save_csr(tmp_path / "c", matrix, y)
    assert np.load(tmp_path / "c" / "indices.npy").dtype == index
    assert ts.count(ts.scan(tmp_path / "c", chunk_docs=2)) == ts.count(matrix, y)


@pytest.mark.parametrize(
    "y", [["1", "2", "1", "x"], [1.5, 2, 1.5, 2], [("a", 1), "x", True, b"b"], [-5, 2**62, 0, 0]]
)
def test_every_kind_of_label(tmp_path: Path, y: Any) -> None:
    ts.save_csr(tmp_path / "c", X, y)
    assert ts.count(ts.scan(tmp_path / "c", chunk_docs=1)) == ts.count(X, y)


def test_arrays_that_numpy_saved(tmp_path: Path) -> None:
    for name in ("indptr", "indices", "data"):
        np.save(tmp_path / f"{name}.npy", getattr(X, name))
    np.save(tmp_path / "y.npy", np.array(["x", "y", "x", "y"]))
    (tmp_path / "terms.txt").write_text("ant\nbee\ncow\n")
    counts = ts.count(ts.scan(tmp_path))
    expected = ts.count(X, ["x", "y", "x", "y"])
    expected.term_names = ["ant", "bee", "cow"]
    assert counts == expected


def test_the_folder_is_whole_or_not_there(tmp_path: Path, monkeypatch: Any) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(np, "save", full)
        with pytest.raises(OSError, match="No space"):
            ts.save_csr(tmp_path / "c", X, [0, 1, 0, 1])
    assert list(tmp_path.iterdir()) == []
    ts.save_csr(tmp_path / "c", X, [0, 1, 0, 1])
    with pytest.raises(FileExistsError, match="exists already"):
        ts.save_csr(tmp_path / "c", X, [0, 1, 0, 1])


@pytest.mark.parametrize("name", ["", "two\nlines", "cr\r", "half \ud83d"])
def test_names_that_are_no_lines(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match=r"the name of term 1 is .*, expected a line of text"):
        ts.save_csr(tmp_path / "c", X, [0, 1, 0, 1], term_names=["a", name, "c"])
    assert list(tmp_path.iterdir()) == []


WRONG: dict[str, tuple[str, Any, str]] = {
    "decreasing": ("indptr", np.array([0, 2, 1, 3, 6]), "has 1 after 2 at document 1"),
    "ends elsewhere": ("indptr", np.array([0, 2, 3, 3, 5]), "expected offsets from 0 to 6"),
    "too long": ("indptr", np.array([0, 2, 3, 3, 2**40]), "expected offsets from 0 to 6"),
    "no offsets": ("indptr", np.array([], dtype=int), "6 indices in indices.npy and 0 offsets"),
    "index outside": ("indices", np.array([0, 2, 1, 0, 1, 9]), "the index 9 in row"),
    "index below": ("indices", np.array([0, 2, 1, 0, 1, -1]), "the index -1 in row"),
    "fractions": ("indices", np.ones(6), "expected a vector of dtype kind i, found float64"),
    "objects": ("y", np.array([None] * 4), "expected an array saved by numpy.save"),
    "NaN": ("data", np.array([2, 1, 1, 1, np.nan, 4]), "nan"),
    "negative": ("data", np.array([2, 1, 1, 1, -1, 4]), "-1"),
    "shorter": ("data", np.array([2, 1]), "2 values in data.npy for 6 indices"),
    "matrix": ("data", np.ones((2, 3)), "expected a vector of dtype kind"),
    "labels": ("y", np.array([0, 1]), "2 values for the 4 documents"),
    "class": ("y", np.array([0, 1, 2, 0]), "has 2 at 2, expected a position of the 2 classes"),
    "dates": ("y", np.zeros(4, "M8[s]"), "expected a vector of dtype kind"),
}


@pytest.mark.parametrize(("part", "array", "complaint"), WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("chunk_docs", [None, 1])
def test_arrays_that_are_wrong(
    tmp_path: Path, part: str, array: Any, complaint: str, chunk_docs: Any
) -> None:
    ts.save_csr(tmp_path / "c", X, ["a", "b", "a", "b"])
    np.save(tmp_path / "c" / f"{part}.npy", array)
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        ts.count(ts.scan(tmp_path / "c", chunk_docs=chunk_docs))
    assert complaint in str(caught.value)
    assert str(tmp_path / "c") in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"text", b"\x93NUMPY\x01\x00"])
def test_files_that_are_no_arrays(tmp_path: Path, content: bytes) -> None:
    ts.save_csr(tmp_path / "c", X, [0, 1, 0, 1])
    (tmp_path / "c" / "data.npy").write_bytes(content)
    with pytest.raises(ValueError, match=r"data\.npy: expected an array saved by numpy\.save"):
        ts.scan(tmp_path / "c")


def test_arrays_that_are_cut_short(tmp_path: Path) -> None:
    ts.save_csr(tmp_path / "c", X, [0, 1, 0, 1])
    path = tmp_path / "c" / "data.npy"
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(ValueError, match=r"data\.npy: expected an array saved by numpy\.save"):
        ts.scan(tmp_path / "c")


@pytest.mark.parametrize("ends", [[0, 9, 2, 3, 4], [0, -1, 2, 3, 4], [0, 1, 2, 3, 4]])
def test_offsets_of_several_labels(tmp_path: Path, ends: list[int]) -> None:
    y = np.eye(4, dtype=int)
    ts.save_csr(tmp_path / "c", X, y, classes=["a", "b", "c", "d"])
    np.save(tmp_path / "c" / "y_indptr.npy", ends)
    scan = ts.scan(tmp_path / "c", chunk_docs=1)
    if ends == sorted(ends):
        assert ts.count(scan) == ts.count(X, y, classes=["a", "b", "c", "d"])
        return
    with pytest.raises(ValueError, match=r"y_indptr\.npy: has .* expected offsets from 0 to 4"):
        ts.count(scan)


def test_arrays_that_are_cut_short_once_they_are_opened(tmp_path: Path) -> None:
    ts.save_csr(tmp_path / "c", X, [0, 1, 0, 1])
    scan = ts.scan(tmp_path / "c")
    path = tmp_path / "c" / "indices.npy"
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(ValueError, match=r"indices\.npy: the file has changed since it was opened"):
        ts.count(scan)


def test_arrays_that_change_between_two_parts(tmp_path: Path) -> None:
    many = sparse.csr_array(np.ones((50, 3), int))
    ts.save_csr(tmp_path / "c", many, np.arange(50) % 2)
    chunks = iter(ts.scan(tmp_path / "c", chunk_docs=1))
    next(chunks)
    with open(tmp_path / "c" / "data.npy", "ab") as file:
        file.write(b"more")
    with pytest.raises(ValueError, match=r"data\.npy: the file has changed since it was opened"):
        list(chunks)


@pytest.mark.parametrize("about", ["[", "[]", '{"n_terms": -1}', '{"classes": [{"what": 1}]}'])
def test_descriptions_that_are_wrong(tmp_path: Path, about: str) -> None:
    ts.save_csr(tmp_path / "c", X, [0, 1, 0, 1])
    (tmp_path / "c" / "csr.json").write_text(about)
    with pytest.raises(ValueError, match=r"csr\.json: expected what termsift\.save_csr writes"):
        ts.scan(tmp_path / "c")


def test_folders_of_something_else(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"expected one sub-folder per class.*no indptr\.npy"):
        ts.scan(tmp_path)


def test_a_class_without_documents_is_kept(tmp_path: Path) -> None:
    ts.save_csr(tmp_path / "c", X, ["a", "b", "a", "b"], classes=["a", "b", "c"])
    assert json.loads((tmp_path / "c" / "csr.json").read_text())["classes"] == ["a", "b", "c"]
    assert ts.count(ts.scan(tmp_path / "c")).classes == ["a", "b"]
