"""Matrices in data frames: their columns are matched by name, and their values are exact."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import termsift as ts
from gate import VALUE, complaint

LIBRARIES = ["pandas", "polars", "pyarrow"]
COLUMNS = {"bacon": [3, 0, 2], "pills": [0, 2, 0], "the": [1, 1, 1]}
Y = ["ham", "spam", "ham"]


def frame_of(library: str, *names: str) -> Any:
    columns = {name: COLUMNS.get(name, [0, 0, 1]) for name in names or COLUMNS}
    module = pytest.importorskip(library)
    return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)


def names_of(counts: ts.ClassCounts) -> list[str]:
    assert counts.term_names is not None
    return list(counts.term_names)


# ---- names ---------------------------------------------------------------------------------------


def curve(ranking: Any, train: Any, test: Any) -> Any:
    return ts.selection_curve(ranking, train, Y, test, Y)


# For each door, a call with two frames, of which the second may be wrong.
DOORS: dict[str, Callable[[Any, Any], Any]] = {
    "update": lambda A, B: ts.count(A, Y).update(B, Y),
    "add": lambda A, B: ts.count(A, Y) + ts.count(B, Y),
    "subtract": lambda A, B: ts.count(A, Y) - ts.count(B, Y),
    "keyness": lambda A, B: ts.count(A, Y).keyness("ham", dispersion=(B, Y)),
    "X_test": lambda A, B: curve([0, 1], A, B),
    "ranking": lambda A, B: curve(ts.count(A, Y).rank("md"), B, B),
    "ranking, test": lambda A, B: curve(ts.count(A, Y).rank("md", 2), np.ones((3, 3), int), B),
    "term_names": lambda A, B: ts.count(B, Y, term_names=list(COLUMNS)),
    "term_names of a gain": lambda A, B: ts.conditional_gain(B, Y, term_names=list(COLUMNS)),
}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("door", DOORS)
def test_columns_in_another_order_are_refused_by_name(door: str, library: str) -> None:
    A = frame_of(library)
    DOORS[door](A, A)
    said = complaint(VALUE, DOORS[door], A, frame_of(library, "pills", "bacon", "the"))
    assert "'pills'" in said
    assert "'bacon'" in said


@pytest.mark.parametrize("library", LIBRARIES)
def test_other_columns_are_refused_by_name_too(library: str) -> None:
    A = frame_of(library)
    for door in set(DOORS) - {"term_names", "term_names of a gain"}:
        said = complaint(VALUE, DOORS[door], A, frame_of(library, "bacon", "eggs", "the"))
        assert "'eggs'" in said
        assert "'pills'" in said


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_refused_frame_changes_nothing(library: str) -> None:
    counts = ts.count(frame_of(library), Y)
    wrong = frame_of(library, "the", "bacon", "pills")
    assert complaint(VALUE, counts.update, wrong, Y) == (
        "column 0 of X is 'the', but 'bacon' in the counts: give the frame the same columns "
        "in the same order"
    )
    assert counts == ts.count(frame_of(library), Y)


@pytest.mark.parametrize("library", LIBRARIES)
def test_further_columns_of_a_frame_bring_their_names(library: str) -> None:
    counts = ts.count(frame_of(library, "bacon", "pills"), Y).update(frame_of(library), Y)
    assert names_of(counts) == list(COLUMNS)
    counts.update(frame_of(library, "bacon"), Y)
    assert counts.term_frequency.toarray().tolist() == [[15, 0, 2], [0, 4, 1]]
    counts.update(np.array([[1, 0]]), ["ham"])  # an array has no names, so it is read by position
    assert counts.term_frequency.toarray().tolist() == [[16, 0, 2], [0, 4, 1]]


def test_names_given_apart_may_rename_the_columns_of_a_frame() -> None:
    counts = ts.count(frame_of("pandas"), Y, term_names=["a", "b", "c"])
    assert names_of(counts) == ["a", "b", "c"]


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_selector_refuses_columns_in_another_order(library: str) -> None:
    pytest.importorskip("sklearn")
    selector = ts.TermSelector(k=2).fit(frame_of(library), Y)
    wrong = frame_of(library, "pills", "bacon", "the")
    with pytest.raises(ValueError, match="same order"):
        selector.transform(wrong)
    with pytest.raises(ValueError, match="same order"):
        selector.partial_fit(wrong, Y)
    assert list(selector.feature_names_in_) == list(COLUMNS)


# ---- values --------------------------------------------------------------------------------------

# Ways to hold whole numbers in a frame or in a column, none of which numpy reads as numbers.
WAYS: dict[str, Callable[[Any], Any]] = {
    "nullable": lambda frame: frame.convert_dtypes(),
    "Arrow-backed": lambda frame: frame.astype("int64[pyarrow]"),
    "Arrow-backed decimals": lambda frame: as_decimals_of_arrow(frame),
    "objects": lambda frame: frame.astype(object),
    "sparse": lambda frame: frame.astype("Sparse[int64]"),
    "polars": lambda frame: pytest.importorskip("polars").from_pandas(frame),
    "polars decimals": lambda frame: as_decimals_of_polars(frame),
    "pyarrow": lambda frame: pytest.importorskip("pyarrow").Table.from_pandas(frame),
}


def as_decimals_of_arrow(frame: Any) -> Any:
    pa = pytest.importorskip("pyarrow")
    return frame.astype(pytest.importorskip("pandas").ArrowDtype(pa.decimal128(25, 2)))


def as_decimals_of_polars(frame: Any) -> Any:
    pl = pytest.importorskip("polars")
    return pl.from_pandas(frame).cast(pl.Decimal(10, 2))


@pytest.mark.parametrize("way", WAYS)
def test_whole_numbers_in_any_frame_are_exact(way: str) -> None:
    pytest.importorskip("pyarrow")
    frame = WAYS[way](frame_of("pandas"))
    counts = ts.count(frame, Y)
    assert counts == ts.count(frame_of("pandas"), Y)
    assert counts.update(frame, Y, frame["pills"]).class_docs.tolist() == [2, 3]
    assert ts.conditional_gain(frame, Y).indices.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "dtype", ["Int64", "UInt64", "Float64", "int64[pyarrow]", "double[pyarrow]"]
)
def test_a_missing_value_of_a_frame_has_a_row_and_a_column(dtype: str) -> None:
    pytest.importorskip("pyarrow")
    frame = frame_of("pandas").astype(dtype)
    frame.loc[1, "pills"] = None
    said = complaint(VALUE, ts.count, frame, Y)
    assert said.startswith("X has ")
    assert " at row 1, column 1, expected a " in said
    said = complaint(VALUE, ts.count, np.ones((3, 1)), Y, frame["pills"])
    assert said.startswith("sample_weight has ")
    assert " at row 1, expected a " in said


def test_large_numbers_of_nullable_columns_do_not_round() -> None:
    frame = frame_of("pandas").astype("Int64")
    frame.loc[0, "bacon"] = 2**60 + 1
    assert ts.count(frame, Y).term_frequency[0, 0] == 2**60 + 3
    assert ts.count(np.ones((3, 1), int), Y, frame["bacon"]).class_docs.tolist() == [2**60 + 3, 0]


WEIGHTS: dict[str, Callable[[], Any]] = {
    "booleans": lambda: np.array([True, False, True]),
    "a list of booleans": lambda: [True, False, True],
    "objects": lambda: np.array([True, 0, 1], object),
    "decimals": lambda: [Decimal(1), Decimal(0), Decimal("1.0")],
    "fractions": lambda: [Fraction(1), Fraction(0), 1],
    "nullable booleans": lambda: series("boolean"),
    "nullable integers": lambda: series("Int8"),
    "Arrow-backed booleans": lambda: series("bool[pyarrow]"),
    "polars": lambda: pytest.importorskip("polars").Series([True, False, True]),
    "pyarrow": lambda: pytest.importorskip("pyarrow").chunked_array([[True, False], [True]]),
}


def series(dtype: str) -> Any:
    pytest.importorskip("pyarrow")
    return pytest.importorskip("pandas").Series([True, False, True]).astype(dtype)


@pytest.mark.parametrize("kind", WEIGHTS)
def test_weights_of_any_kind_count_as_the_same_integers(kind: str) -> None:
    X, weights = np.array([[3, 0], [0, 2], [1, 1]]), WEIGHTS[kind]()
    wanted = ts.count(X, Y, [1, 0, 1])
    assert ts.count(X, Y, weights) == wanted
    assert ts.count(X, Y).update(X, Y, weights) == ts.count(X, Y) + wanted
    y = ["ham", "ham", "spam"]
    gains = ts.conditional_gain(X, y, sample_weight=weights).scores
    expected = ts.conditional_gain(X, y, sample_weight=[1, 0, 1]).scores
    assert gains.tolist() == expected.tolist()
    assert wanted.class_docs.tolist() == [2, 0]


def test_halves_are_exact_as_decimals() -> None:
    X = [[Decimal("0.5"), 1], [0, Decimal(2)], [1, 1]]
    assert ts.count(X, Y) == ts.count(np.array([[0.5, 1], [0, 2], [1, 1]]), Y)
