"""Duplicate entries of narrow dtypes: no function that sums them may wrap or round.

Guards: _util/validation/arrays.py, and all functions that sum entries.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

import termsift as ts
from private import check_matrix, dispersion
from wording import raises

Y = ["a", "a", "b"]
ROWS, COLUMNS = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 0]


def duplicated(dtype: str) -> tuple[sp.coo_array, np.ndarray]:
    """Return a matrix with duplicate entries of the dtype's largest value, and the exact sums."""
    largest = {"f4": 2**24, "?": 1}.get(dtype) or np.iinfo(dtype).max
    data = np.array([largest, 1, 1, largest, largest, 1], dtype)
    summed = np.zeros((3, 2))
    np.add.at(summed, (ROWS, COLUMNS), data.astype(float))
    return sp.coo_array((data, (ROWS, COLUMNS)), shape=(3, 2)), summed


def as_csr(X: Any) -> sp.csr_array:
    """Return the matrix as CSR, without summing duplicate entries."""
    return sp.csr_array((X.data, COLUMNS, [0, 3, 5, 6]), shape=X.shape)


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "f4"])
def test_duplicates_are_added_exactly(dtype: str, tmp_path: Path) -> None:
    X, summed = duplicated(dtype)
    expected = ts.count(summed, Y).term_frequency.toarray()
    assert_array_equal(ts.count(as_csr(X), Y).term_frequency.toarray(), expected)
    counts = ts.count(summed, Y)
    found, whole = (counts.keyness("a", dispersion=(form, Y)) for form in (as_csr(X), summed))
    for name in ("dp_target", "dp_reference", "juilland_target"):
        assert_array_equal(found.table[name], whole.table[name])
    assert as_csr(X).nnz == 6
    sp.save_npz(tmp_path / "X.npz", X)
    (tmp_path / "y").write_text("a\na\nb\n")
    scan = ts.scan(tmp_path / "X.npz", labels=tmp_path / "y")
    assert_array_equal(ts.count(scan).term_frequency.toarray(), expected)
    pytest.importorskip("sklearn")
    for form in (X, as_csr(X)):
        selector = ts.TermSelector("df", k=1).fit(form, Y)
        assert_array_equal(selector.counts_.term_frequency.toarray(), expected)


def test_the_length_of_a_document_is_added_in_float64() -> None:
    X = np.full((2, 40), 2**24 + 2, "f4")
    X[:, 0] = 1
    for value in (1, 3):
        X[1, 0] = value
        narrow, wide = (check_matrix(form, 1) for form in (X, X.astype("f8")))
        docs = [np.arange(2)]
        assert_array_equal(
            dispersion.dispersions(narrow, docs)[0], dispersion.dispersions(wide, docs)[0]
        )


@pytest.mark.parametrize(("dtype", "value"), [("?", 1), ("u1", 128), ("i1", 1)])
def test_an_indicator_with_a_duplicate_is_refused(dtype: str, value: int) -> None:
    # If duplicates were summed in uint8, 128 + 128 + 1 would be 1. In bool, True + True is True.
    data = np.array([value, value, 1][: 2 + (dtype == "u1")], dtype)
    y = sp.csr_array((data, [0] * len(data), [0, len(data)]), shape=(1, 2))
    with raises(
        ValueError, "y_is_no_indicator_matrix", argument="y", at=f"has {data.sum(dtype=int)} at"
    ):
        ts.count(np.array([[1]]), y)
    assert y.nnz == len(data)
