"""Reading training and test documents, words and names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import termsift as ts
from collection_files import COUNTS, read_splits, write, write_labels
from termsift.io import read_collection, read_names, read_split
from wording import raises


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    return write_labels(tmp_path)


class TestSplit:
    def test_tables_share_the_words_of_the_first(self, tmp_path: Path) -> None:
        train = write(tmp_path / "train.csv", "label,text\na,oil ship oil\nb,ball team\n")
        test = write(tmp_path / "test.txt", "b\tteam ball team goal zoo\nc\tair\na\tship\n")
        known, new = read_splits(train, test)
        for part in (known, new):
            np.testing.assert_array_equal(part.term_names, ["ball", "oil", "ship", "team"])
        np.testing.assert_array_equal(new.X.toarray(), [[1, 0, 0, 2], [0, 0, 0, 0], [0, 0, 1, 0]])
        assert new.X.has_canonical_format
        assert (list(known.y), list(new.y)) == (["a", "b"], ["b", "c", "a"])
        assert new.source == str(test)

    @pytest.mark.parametrize(
        ("train", "test", "labels"),
        [
            ("1\n2\n", "2\n1\n", ([1, 2], [2, 1])),
            ("1\n2\n", "2\nother\n", (["1", "2"], ["2", "other"])),
            ("1\nother\n", "1\n1\n", (["1", "other"], ["1", "1"])),
        ],
    )
    def test_labels_are_of_one_kind(
        self, tmp_path: Path, train: str, test: str, labels: tuple[list[object], list[object]]
    ) -> None:
        # If all labels of a file are numbers, they become integers. The integer 1 of one file and
        # the string "1" of the other file must be the same class.
        paths = [
            write(tmp_path / name, "".join(f"{label}\tsome words\n" for label in content.split()))
            for name, content in (("train.txt", train), ("test.txt", test))
        ]
        known, new = read_splits(*paths)
        assert (known.y.tolist(), new.y.tolist()) == labels

    def test_labels_of_the_files_of_one_scan_are_of_one_kind(self, tmp_path: Path) -> None:
        numbers = write(tmp_path / "numbers.txt", "1\tsome words\n2\tsome words\n")
        words = write(tmp_path / "words.txt", "1\tsome words\nother\tsome words\n")
        both = ts.scan([numbers, words])
        assert read_collection(both).y.tolist() == ["1", "2", "1", "other"]
        assert ts.count(both).classes == ["1", "2", "other"]
        # The other collection has only numbers, which become strings in both orders.
        for scans in ((both, ts.scan(numbers)), (ts.scan(numbers), both)):
            kinds = {type(label) for part in read_split(*scans) for label in part.y.tolist()}
            assert kinds == {str}

    @pytest.mark.parametrize(
        ("train", "test", "base", "columns"),
        [
            ("1 1:1 3:5\n2 2:1\n", "1 1:7\n2 3:4 9:1\n", 1, [[7, 0, 0], [0, 0, 4]]),
            ("1 1:1 3:5\n2 2:1\n", "1 1:7\n2 3:4 9:1\n", 0, [[0, 7, 0, 0], [0, 0, 0, 4]]),
            ("1 1:1 3:5\n2 2:1\n", "1 0:7\n2 2:4\n", 0, [[7, 0, 0, 0], [0, 0, 4, 0]]),
            ("1 1:1 3:5\n2 2:1 # 0:1\n", "1 1:7\n2 10:4\n", 1, [[7, 0, 0], [0, 0, 0]]),
        ],
    )
    def test_svmlight_files_count_from_one_origin(
        self, tmp_path: Path, train: str, test: str, base: int, columns: list[list[int]]
    ) -> None:
        first, second = write(tmp_path / "train.svm", train), write(tmp_path / "test.svm.gz", test)
        known, new = read_split(*(ts.scan(path, index_base=base) for path in (first, second)))
        new.X.check_format(full_check=True)  # no index exceeds the last column
        np.testing.assert_array_equal(new.X.toarray(), columns)
        assert known.X.shape[1] == new.X.shape[1]
        assert known.X[0, -1] == 5

        names = [f"n{i}" for i in range(12)]
        terms = write(tmp_path / "terms.txt", "".join(f"{name}\n" for name in names))
        known, new = read_split(
            *(ts.scan(path, term_names=terms, index_base=base) for path in (first, second))
        )
        for part in (known, new):
            assert part.X.shape == (2, 12)
            np.testing.assert_array_equal(part.term_names, names)

    def test_matrices_have_labels_each(self, tmp_path: Path, labels: Path) -> None:
        sparse.save_npz(tmp_path / "train.npz", sparse.csr_array(COUNTS))
        sparse.save_npz(tmp_path / "test.npz", sparse.csr_array(COUNTS[:1]))
        of_test = write(tmp_path / "test.labels", "trade\n")
        files = tmp_path / "train.npz", tmp_path / "test.npz"
        scans = [
            ts.scan(path, labels=file) for path, file in zip(files, (labels, of_test), strict=True)
        ]
        _, new = read_split(*scans)
        assert list(new.y) == ["trade"]
        np.testing.assert_array_equal(new.X.toarray(), COUNTS[:1])

    @pytest.mark.parametrize(
        ("test", "content", "key", "argument"),
        [
            ("test.csv", "label,text\na,zoo air\n", "test_has_no_term_in_common", None),
            ("test.csv", "label,text\nz,oil\n", "test_has_no_label_in_common", None),
            ("test.svm", "1 1:1\n", "train_and_test_svm_expected_texts", None),
            ("absent.csv", None, "absent_no_such_file", "paths"),
        ],
    )
    def test_files_that_do_not_fit(
        self, tmp_path: Path, test: str, content: str | None, key: str, argument: str | None
    ) -> None:
        train = write(tmp_path / "train.csv", "label,text\na,oil\nb,ball\n")
        if content is not None:
            write(tmp_path / test, content)
        with raises((ValueError, FileNotFoundError), key, argument=argument):
            read_splits(train, tmp_path / test)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_lines_of_names_end_as_on_any_system(tmp_path: Path, end: str, encoding: str) -> None:
    path = tmp_path / "terms.txt"
    mark = "\ufeff" if encoding == "utf-16-le" else ""
    path.write_bytes(f"{mark}the{end}of{end}".encode(encoding))
    given = "utf-16-le" if mark else "utf-8"
    assert list(read_names(path, encoding=given)) == ["the", "of"]


def test_read_names(tmp_path: Path) -> None:
    names = read_names(write(tmp_path / "terms.txt", "new york\n tab\t\nü"))
    assert list(names) == ["new york", " tab\t", "ü"]
    assert names.dtype == object
    path = write(tmp_path / "terms.txt", "a\n\n")
    with raises(ValueError, "line_2_expected_a_term", at="line 2"):
        read_names(path)
