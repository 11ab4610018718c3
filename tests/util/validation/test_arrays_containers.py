"""Matrices and labels in the containers that users have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse as sp

import termsift as ts
from gate import DENSE, TYPE, VALUE, Y, base, complaint
from private import put

KINDS = "expected a CSR, CSC or dense matrix"


class Annotated:
    """An object like AnnData, which has rows, and which numpy would read element by element."""

    X = sp.csr_array(DENSE)
    shape = DENSE.shape

    def __len__(self) -> int:
        return len(DENSE)

    def __getitem__(self, _: Any) -> Any:
        raise AssertionError("the matrix was read")


class Stored:
    """A dense matrix in a file, like a dataset of h5py or zarr, which must be read in slices."""

    shape, dtype = DENSE.shape, DENSE.dtype

    def __init__(self) -> None:
        self.read: list[int] = []

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("the whole matrix was read")

    def __getitem__(self, rows: slice) -> Any:
        self.read.append(len(DENSE[rows]))
        return DENSE[rows]


class Lazy(Stored):
    """A lazy collection like those of Dask, whose graph must not be made."""

    def __dask_graph__(self) -> None:
        raise AssertionError("the graph was made")


TAKERS: dict[str, Callable[[Any], Any]] = {
    "count": lambda X: ts.count(X, Y),
    "update": lambda X: base().update(X, Y),
    "md": lambda X: ts.md(X, Y),
    "keyness": lambda X: base().keyness(Y[0], dispersion=(X, Y)),
    "conditional_gain": lambda X: ts.conditional_gain(X, Y),
    "guided_gain": lambda X: ts.guided_gain(X, Y),
    "cross_validate": lambda X: ts.cross_validate(X, Y, cv=2),
}


@pytest.mark.parametrize("taker", [*TAKERS, "fit"])
def test_what_is_no_matrix_is_refused_at_once_with_its_cure(taker: str) -> None:
    if taker == "fit":
        pytest.importorskip("sklearn")
    take = TAKERS.get(taker) or (lambda X: ts.TermSelector().fit(X, Y))
    for X, message in (
        (Annotated(), f"an Annotated, {KINDS}: pass its attribute X"),
        (Lazy(), "a Dask collection: use termsift.dask.count, or compute it"),
        ("counts.npz", f"a str, {KINDS}"),
    ):
        assert complaint(TYPE, take, X) == f"X is {message}"


def test_a_dense_matrix_in_a_file_is_read_by_blocks(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(monkeypatch, block_cells=2 * DENSE.shape[1])
    X = Stored()
    assert ts.count(X, Y) == base()
    assert X.read == [3, 2, 1]  # 3 rows to look for texts, then 2 and 1
    mapped = np.memmap(tmp_path / "X", DENSE.dtype, "w+", shape=DENSE.shape)
    mapped[:] = DENSE
    assert ts.count(mapped, Y) == base()
    mapped[2, 3] = -5
    assert complaint(VALUE, ts.count, mapped, Y).startswith("X has -5 at row 2, column 3, ")


# ---- labels --------------------------------------------------------------------------------------

BINARIZE = (
    "for several labels per document pass the indicator matrix of "
    "sklearn.preprocessing.MultiLabelBinarizer, and classes=binarizer.classes_"
)


@pytest.mark.parametrize("taker", ["count", "count_texts", "conditional_gain"])
def test_several_labels_per_document_have_a_cure(taker: str) -> None:
    take = {
        "count": lambda y: ts.count(DENSE, y),
        "count_texts": lambda y: ts.count_texts(["some words"] * 3, y),
        "conditional_gain": lambda y: ts.conditional_gain(DENSE, y),
    }[taker]
    for y in ([["a", "b"], ["c"], []], [[1, 0], [1], [0, 1]], (["a"], ["b", "c"], ["a"])):
        message = f"the label of document 0 is a list, expected something hashable: {BINARIZE}"
        assert complaint(TYPE, take, y) == message
    pairs: Any
    for pairs in ([["a", "b"]] * 3, np.array([["a", "b"]] * 3, object)):
        dtype = np.asarray(pairs).dtype
        message = f"y has shape (3, 2) and dtype {dtype}, expected one label per document: "
        assert complaint(TYPE, take, pairs) == f"{message}pass a single column; {BINARIZE}"


def test_a_frame_or_relation_as_labels_is_not_printed() -> None:
    for library, make in (("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "table")):
        try:
            frame = getattr(__import__(library), make)({"a": ["x", "y", "z"], "b": ["u", "v", "w"]})
        except ImportError:
            continue
        message = complaint(TYPE, ts.count, DENSE, frame)
        assert message.startswith("y has shape (3, 2) and dtype object, expected one label ")

    class Relation:
        def __repr__(self) -> str:
            raise AssertionError("the relation was printed")

    expected = "must hold a label for each document in order, got a Relation"
    assert complaint(TYPE, ts.count, DENSE, Relation()) == f"y {expected}"
    expected = "texts must hold strings, got a Relation"
    assert complaint(TYPE, ts.count_texts, Relation(), Y) == expected
