"""Reading collections: the content of each kind of file, and the error for a faulty file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import io as scipy_io
from scipy import sparse

import termsift as ts
from collection_files import COUNTS, LABELS, complaint, read_files, read_splits, write, write_labels
from termsift.io import read_split
from wording import raises


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    return write_labels(tmp_path)


# ----------------------------------------------------------------------------------- svmlight


class TestSvmlight:
    @pytest.mark.parametrize("ending", [".svm", ".svmlight", ".libsvm", ".SVM", ".svm.gz"])
    def test_endings(self, tmp_path: Path, ending: str) -> None:
        path = write(tmp_path / f"c{ending}", "1 1:2 3:1 # a comment, with a comma\n\n-1 2:1\n")
        collection = read_files(path)
        assert isinstance(collection.X, sparse.csr_array)
        assert collection.X.dtype == np.int64
        np.testing.assert_array_equal(collection.X.toarray(), [[2, 0, 1], [0, 1, 0]])
        np.testing.assert_array_equal(collection.y, [1, -1])
        assert collection.y.dtype == np.int64
        assert collection.term_names is None
        assert collection.classes is None
        assert collection.source == str(path)

    def test_indices_count_from_0_only_if_told(self, tmp_path: Path) -> None:
        path = write(tmp_path / "c.svm", "1 1:2\n2 0:5\n")
        key = "c_svm_line_2_expected_a"
        readers = read_files, lambda path: ts.count(ts.scan(path))
        for read in (*readers, lambda path: read_splits(path, path)):
            with raises(ValueError, key, argument="index_base"):
                read(path)
        scan = ts.scan(path, index_base=0)
        for collection in (read_files(path, index_base=0), *read_split(scan, scan)):
            np.testing.assert_array_equal(collection.X.toarray(), [[0, 2], [5, 0]])
        counts = ts.count(ts.scan(path, index_base=0))
        np.testing.assert_array_equal(counts.term_frequency.toarray(), [[0, 2], [5, 0]])

    def test_a_document_without_terms(self, tmp_path: Path) -> None:
        collection = read_files(write(tmp_path / "c.svm", "1"))
        assert collection.X.shape == (1, 0)
        assert collection.y.tolist() == [1]

    def test_a_file_of_labels_is_refused(self, tmp_path: Path, labels: Path) -> None:
        path = write(tmp_path / "c.svm", "1,2 1:1\n2 1:1\n3 1:1\n")
        message = "c.svm: an svmlight file has its own labels and no texts; leave out labels"
        assert complaint(path, labels=labels) == message

    def test_names_tell_how_many_columns_there_are(self, tmp_path: Path) -> None:
        path = write(tmp_path / "c.svm", "1 1:2\n")
        terms = write(tmp_path / "terms.txt", "apple\nnew york\npear\n")
        collection = read_files(path, term_names=terms)
        assert collection.X.shape == (1, 3)
        assert collection.term_names is not None
        assert list(collection.term_names) == ["apple", "new york", "pear"]

    @pytest.mark.parametrize("content", ["", "\n", "# nothing\n"])
    def test_empty(self, tmp_path: Path, content: str) -> None:
        assert complaint(write(tmp_path / "c.svm", content)) == "c.svm: holds no documents"


# ----------------------------------------------------------------------- .npz and Matrix Market


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("make", [sparse.coo_array, sparse.coo_matrix])
def test_npz(tmp_path: Path, labels: Path, form: str, make: Any) -> None:
    path = tmp_path / "c.npz"
    sparse.save_npz(path, make(COUNTS).asformat(form))
    terms = write(tmp_path / "terms.txt.gz", "apple\r\npear\r\nplum\r\n")
    collection = read_files(path, labels=labels, term_names=terms)
    assert isinstance(collection.X, sparse.csr_array)
    assert collection.X.dtype == COUNTS.dtype
    np.testing.assert_array_equal(collection.X.toarray(), COUNTS)
    assert list(collection.y) == LABELS
    assert collection.term_names is not None
    assert list(collection.term_names) == ["apple", "pear", "plum"]


@pytest.mark.parametrize("ending", [".mtx", ".mtx.gz"])
@pytest.mark.parametrize("counts", [sparse.csr_array(COUNTS), COUNTS], ids=["sparse", "dense"])
def test_matrix_market(tmp_path: Path, labels: Path, ending: str, counts: Any) -> None:
    plain = tmp_path / "plain.mtx"
    scipy_io.mmwrite(plain, counts)
    path = write(tmp_path / f"c{ending}", plain.read_bytes())
    collection = read_files(path, labels=labels)
    assert isinstance(collection.X, sparse.csr_array)
    assert collection.X.dtype == np.int64
    np.testing.assert_array_equal(collection.X.toarray(), COUNTS)
    assert collection.term_names is None


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    path = tmp_path / "c.npz"
    sparse.save_npz(path, sparse.csr_array(COUNTS))
    return path


@pytest.mark.parametrize(
    ("content", "expected"),
    [("3\n1\n2\n", [3, 1, 2]), ("3\n1\nx\n", ["3", "1", "x"]), ("07\n1\n2", ["07", "1", "2"])],
)
def test_labels_that_are_all_whole_numbers_are_integers(
    tmp_path: Path, matrix: Path, content: str, expected: list[object]
) -> None:
    labels = write(tmp_path / "y", content)
    assert read_files(matrix, labels=labels).y.tolist() == expected


def test_matrices_need_labels(matrix: Path) -> None:
    message = "c.npz: has no labels; pass labels= with a file of one label per line"
    assert complaint(matrix) == message


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("y", "a\nb\n", "y: 2 labels for the 3 documents of c.npz"),
        ("y", "a\n\nb\n", "y, line 2: expected a label, found nothing"),
        ("y", "a\nb\n \n", "y, line 3: expected a label, found nothing"),
        (
            "y",
            b"a\n\xff\nb\n",
            "y, line 2: byte 2 is not UTF-8; pass encoding= with the encoding of the texts",
        ),
    ],
)
def test_bad_labels(
    tmp_path: Path, matrix: Path, name: str, content: str | bytes, message: str
) -> None:
    assert complaint(matrix, labels=write(tmp_path / name, content)) == message


@pytest.mark.parametrize("which", ["labels", "term_names"])
def test_missing_side_file(tmp_path: Path, matrix: Path, labels: Path, which: str) -> None:
    arguments = {"labels": labels, which: tmp_path / "absent"}
    assert complaint(matrix, **arguments) == "absent: no such file"


def test_names_of_a_matrix_must_fit(tmp_path: Path, matrix: Path, labels: Path) -> None:
    terms = write(tmp_path / "terms", "a\nb\nc\nd\n")
    message = "terms: 4 names for the 3 terms of c.npz"
    assert complaint(matrix, labels=labels, term_names=terms) == message


@pytest.mark.parametrize("content", [b"junk", b"PK\x03\x04junk", b""])
def test_npz_that_is_none(tmp_path: Path, labels: Path, content: bytes) -> None:
    path = write(tmp_path / "c.npz", content)
    assert complaint(path, labels=labels) in (
        "c.npz: expected a sparse matrix saved by scipy.sparse.save_npz",
        "c.npz: damaged or cut short: File is not a zip file",
        "c.npz: damaged or cut short: No data left in file",
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "hello\n",
            ", line 1: expected '%%MatrixMarket matrix coordinate integer general' or the ",
        ),
        (
            "{}3 3 1\n1 1 x\n",
            ", line 3: expected a whole number from 0 to below 2^63, because line 1",
        ),
        ("{}3 3 1\n4 1 1\n", ", line 3: expected a row from 1 to 3, found '4'"),
        (
            "{}3 3 1\n1 1 99999999999999999999\n",
            ", line 3: expected a whole number from 0 to below",
        ),
    ],
)
def test_bad_matrix_market(tmp_path: Path, labels: Path, content: str, message: str) -> None:
    banner = "%%MatrixMarket matrix coordinate integer general\n"
    path = write(tmp_path / "c.mtx", content.format(banner))
    assert complaint(path, labels=labels).startswith(f"c.mtx{message}")


# ------------------------------------------------------------------------------------ any file

KNOWN = ".svm .svmlight .libsvm .npz .mtx .csv .tsv .txt .jsonl .ndjson .json .parquet .arrow"
KNOWN += " .feather .ipc"


@pytest.mark.parametrize("name", ["c.xlsx", "c", "c.termsift"])
def test_unknown_kind(tmp_path: Path, name: str) -> None:
    message = f"{name}: unknown kind of file; the known endings are {KNOWN}, and .gz .zst .bz2 .xz "
    message += "or .zip after them; if the name has another ending, pass input_format, "
    message += "such as input_format='lines' if each line is a document"
    assert complaint(write(tmp_path / name, "x")) == message


@pytest.mark.parametrize("name", ["c.xlsx.zst", "c.tar.gz", "c.csv.zip"])
def test_unknown_kind_in_a_name_of_compressed_files(tmp_path: Path, name: str) -> None:
    plain, _, ending = name.rpartition(".")
    message = (
        f"{name}: is not compressed, although its name ends in .{ending}; rename it to {plain}"
    )
    (tmp_path / name).write_text("x")
    assert complaint(tmp_path / name) == message


def test_missing_file(tmp_path: Path) -> None:
    assert complaint(tmp_path / "c.csv") == "c.csv: no such file"


def test_a_folder_in_place_of_a_file(tmp_path: Path, matrix: Path) -> None:
    (tmp_path / "labels").mkdir()
    message = "labels: expected a file, found a folder, pipe or device"
    assert complaint(matrix, labels=tmp_path / "labels") == message


def test_a_matrix_and_rules_that_drop_terms_exclude_each_other(tmp_path: Path) -> None:
    path = write(tmp_path / "c.svm", "1 1:2 3:1\n")
    names = write(tmp_path / "names.txt", "a\nb\nc\n")
    with raises(TypeError, "c_svm_a_matrix_is_read", argument="min_df"):
        read_files(path, term_names=names, min_df=2)
