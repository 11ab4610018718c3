"""Validation: labels and classes, in every container that holds them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from scipy import sparse as sp

import termsift as ts
from gate import (
    DENSE,
    INDICATOR,
    NAN,
    SPARSE,
    TYPE,
    VALUE,
    Y,
    base,
    complaint,
    failed_update,
)
from private import LEAVE_OUT, plain_label
from wording import raises

A_COLUMN = (
    "y is a single column, of shape (3, 1), expected labels in one dimension: pass y.ravel(), "
    "or np.ravel(y) if it is a list or a data frame"
)


def columns_of_labels() -> dict[str, Any]:
    """Return the labels 1, 0, 1 as a single column, in every container that holds columns."""
    zeros_and_ones = [[1], [0], [1]]
    return {
        "list": zeros_and_ones,
        "tuple of lists": tuple(zeros_and_ones),
        **{
            dtype: np.array(zeros_and_ones, dtype)
            for dtype in ("?", "i1", "u8", "f4", "f8", "U1", "O", "M8[D]")
        },
        "words": np.array([["ham"], ["spam"], ["ham"]]),
        "other numbers": np.array([[1], [2], [1]]),
        "missing": np.array([[1], [np.nan], [1]]),
        **{form: make(np.array(zeros_and_ones)) for form, make in SPARSE.items()},
        "coo": sp.coo_array(zeros_and_ones),
    }


def takers_of_labels() -> dict[str, Any]:
    """Return functions that pass labels y to every function that takes labels."""
    ranking = ts.count(DENSE, Y).rank("md")
    return {
        "count": lambda y: ts.count(DENSE, y),
        "update": lambda y: base().update(DENSE, y),
        "update of nothing": lambda y: ts.count(DENSE[:0], []).update(DENSE, y),
        "md": lambda y: ts.md(DENSE, y),
        "chi2": lambda y: ts.chi2(DENSE, y),
        "conditional_gain": lambda y: ts.conditional_gain(DENSE, y),
        "cross_validate": lambda y: ts.cross_validate(DENSE, y, cv=2),
        "y_train": lambda y: ts.selection_curve(ranking, DENSE, y, DENSE, Y),
        "y_test": lambda y: ts.selection_curve(ranking, DENSE, Y, DENSE, y),
    }


@pytest.mark.parametrize("taker", takers_of_labels())
@pytest.mark.parametrize("form", columns_of_labels())
def test_one_column_of_labels_is_refused(taker, form):
    name = taker if taker in ("y_train", "y_test") else "y"
    message = complaint(VALUE, takers_of_labels()[taker], columns_of_labels()[form])
    assert message == re.sub(r"\by\b", name, A_COLUMN)


def test_an_indicator_of_one_class_names_it():
    counts = ts.count(DENSE, [[1], [0], [1]], classes=["spam"])
    assert (counts.classes, counts.class_docs.tolist(), counts.n_docs) == (["spam"], [2], 3)
    assert complaint(VALUE, counts.update, DENSE, [[1], [0], [1]]) == A_COLUMN
    counts.update(DENSE, [[1], [0], [1]], classes=["spam"])
    assert counts.class_docs.tolist() == [4]


MISSING = [NAN, np.float64(NAN), np.float32(NAN), complex(NAN, 0), np.datetime64("NaT", "s"), None]


@pytest.mark.parametrize("missing", MISSING, ids=repr)
@pytest.mark.parametrize(
    "wrap",
    [
        lambda value: (value, 1),
        lambda value: (1, ("a", value)),
        lambda value: frozenset([value]),
        lambda value: (frozenset([(value,)]),),
    ],
    ids=["tuple", "nested", "frozenset", "both"],
)
def test_a_missing_value_inside_a_label_is_refused(missing, wrap):
    label = wrap(missing)
    message = complaint(VALUE, ts.count, DENSE, [(1,), label, label])
    assert message == f"the label of document 1 is missing: {label!r}; {LEAVE_OUT}"
    message = complaint(VALUE, ts.count, DENSE, [(1,)] * 3, classes=[(1,), label])
    assert message.startswith(f"classes hold {label!r}, which ")


@pytest.mark.parametrize("missing", ["NA", "NaT"])
def test_a_missing_value_of_pandas_inside_a_label_is_refused(missing):
    value = getattr(pytest.importorskip("pandas"), missing)
    message = complaint(VALUE, ts.count, DENSE, [(1, "a"), (2, value), (1, "a")])
    assert message == f"the label of document 1 is missing: {(2, value)!r}; {LEAVE_OUT}"


def test_equal_labels_are_one_class():
    equal = [True, 1, 1.0, np.int8(1), np.float32(1), np.True_, 1 + 0j]
    for first in range(len(equal)):
        labels = equal[first:] + equal[:first]
        counts = ts.count(np.ones((len(equal), 1), int), labels)
        assert counts.classes == [1]
        assert type(counts.classes[0]) is type(plain_label(labels[0]))  # the first one
    assert ts.count(DENSE, [1, "1", b"1"]).classes == [b"1", 1, "1"]


@pytest.mark.parametrize("unit", ["D", "s", "ns"])
def test_dates_are_classes_of_their_own_type(unit):
    dates = np.array(["2020-01-02", "2020-01-01"], f"M8[{unit}]")
    classes = ts.count(DENSE[:2], dates).classes
    assert classes == [dates[1], dates[0]]
    assert [type(label) for label in classes] == [np.datetime64] * 2


def test_indicator_as_lists_updates_the_same_classes():
    as_array, as_lists = base("several labels"), base("several labels")
    as_array.update(DENSE, INDICATOR)
    as_lists.update(DENSE, INDICATOR.tolist())
    assert as_lists.classes == ["ham", "spam"]
    assert as_lists == as_array


@pytest.mark.parametrize("wide", [0, 3])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csc_matrix])
def test_indicator_of_other_classes(form, wide):
    y = form(np.ones((3, wide), int))
    expected = f"y has {wide} columns for 2 classes"
    assert complaint(VALUE, ts.count, DENSE, y, classes=["ham", "spam"]) == expected
    assert failed_update(base(), VALUE, DENSE, y) == expected


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_an_indicator_frame_names_its_classes(library: str) -> None:
    frames = pytest.importorskip(library)
    Y = frames.DataFrame({"spam": [1, 0, 1], "ham": [0, 1, 1]})
    other = Y[["ham", "spam"]]
    counts = ts.count(DENSE, Y)
    assert counts.classes == ["spam", "ham"]
    expected = ts.count(DENSE, Y.to_numpy(), classes=["spam", "ham"])
    assert counts == expected
    in_order = ts.count(DENSE, Y, classes=["ham", "spam"])  # the classes of the result, in order
    assert in_order == ts.count(DENSE, other.to_numpy(), classes=["ham", "spam"])
    # A second frame is matched by its names, and not by position.
    assert counts.update(DENSE, other) == expected + expected
    renamed = ts.count(DENSE, Y, classes=["x", "y"])  # other classes rename the columns
    assert renamed.classes == ["x", "y"]
    assert renamed.update(DENSE, Y).classes == ["x", "y"]
    assert ts.count_texts(["ripe plum", "plum", "kiwi"], Y).classes == ["spam", "ham"]


def test_labels_in_arrays_of_arrow_have_no_columns() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    for labels in (pyarrow.array(Y), pyarrow.chunked_array([Y])):
        assert ts.count(DENSE, labels) == ts.count(DENSE, Y)


def test_indicator_columns_of_one_name_are_numbers() -> None:
    pandas = pytest.importorskip("pandas")
    Y = pandas.DataFrame([[1, 0], [0, 1], [1, 1]], columns=["ham", "ham"])
    assert ts.count(DENSE, Y).classes == [0, 1]


UNHASHABLE = "classes hold a label that is a list, expected something hashable"


@pytest.mark.parametrize(
    ("classes", "error", "message"),
    [
        (["ham"], VALUE, "the label of document 1 is 'spam', which is not in classes"),
        ([], VALUE, "the label of document 0 is 'ham', which is not in classes"),
        (["ham", "spam", "ham"], VALUE, "classes hold 'ham' twice"),
        ([1, "ham", True], VALUE, "classes hold True twice"),
        (np.array([1, 2, 1]), VALUE, "classes hold 1 twice"),
        (["ham", NAN], VALUE, "classes hold nan, which stands for a missing label"),
        (np.array([1, NAN]), VALUE, "classes hold nan, which stands for a missing label"),
        (["ham", None], VALUE, "classes hold None, which stands for a missing label"),
        *((c, TYPE, UNHASHABLE) for c in ([["a"], ["b"]], np.array([["a", "b"]]))),
        *(
            (c, TYPE, f"classes must hold labels in order, got {got}")
            for c, got in (("ab", "'ab'"), (b"ab", "b'ab'"), (5, "5"), ({"ham"}, "a set"))
        ),
    ],
    ids=str,
)
def test_classes(classes, error, message):
    assert complaint(error, ts.count, DENSE, Y, classes=classes) == message


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_of_one_column_holds_labels(library: str) -> None:
    frames = pytest.importorskip(library)
    X = np.array([[1, 0], [0, 2], [3, 1]])
    labels = ["ham", "spam", "ham"]
    frame = frames.DataFrame({"label": labels})
    assert ts.count(X, frame) == ts.count(X, labels)
    assert ts.count(X, frame, classes=["spam", "ham"]).classes == ["spam", "ham"]
    numbers = frames.DataFrame({"label": [1, 0, 1]})
    assert ts.count(X, numbers).classes == [0, 1]
    with raises(ValueError, "document_0_is_1_which", argument="y", at="document 0"):
        ts.count(X, numbers, classes=["ham"])  # a frame's 0 and 1 are labels, no indicator
    assert ts.count_texts(["some words"] * 3, frame).class_docs.tolist() == [2, 1]
    assert (
        ts.conditional_gain(X, frame, 1).indices.tolist()
        == ts.conditional_gain(X, labels, 1).indices.tolist()
    )


@pytest.mark.parametrize("numbers", [[1, None, 1], [1.5, None, 2.5]])
def test_a_null_in_a_column_of_numbers_is_a_missing_label(numbers: list[Any]) -> None:
    columns = [
        pytest.importorskip("polars").Series(numbers),
        pytest.importorskip("pyarrow").array(numbers),
    ]
    for column in columns:
        message = complaint(VALUE, ts.count, DENSE, column)
        assert message == f"the label of document 1 is missing: None; {LEAVE_OUT}"


class Stream:
    """A column of another library, whose stream of Arrow fails."""

    shape = (3,)

    def __init__(self, texts: Any = None) -> None:
        self._texts = texts

    def __arrow_c_stream__(self, _: Any = None) -> Any:
        raise RuntimeError("no stream")

    def cast(self, kind: type) -> Any:
        """Return the texts, as polars turns categories into texts."""
        assert kind is str
        return self._texts


def test_categories_whose_stream_fails_are_cast_to_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("polars")
    texts = pytest.importorskip("pyarrow").array(Y)
    with pytest.raises(RuntimeError) as caught:
        ts.count(DENSE, Stream(texts))
    assert str(caught.value) == "no stream"
    monkeypatch.setattr(Stream, "__module__", "polars.series")  # as of polars before 1.34
    assert ts.count(DENSE, Stream(texts)) == ts.count(DENSE, Y)


def test_the_error_of_a_label_that_cannot_be_compared_is_its_own() -> None:
    class Odd:
        def __hash__(self) -> int:
            return 1

        def __eq__(self, other: object) -> bool:
            if self is other:
                return True
            raise TypeError("odd labels cannot be compared")

    labels = [Odd(), Odd(), Odd()]
    for arguments in ({"y": labels}, {"y": Y, "classes": labels}):
        with pytest.raises(TypeError) as caught:
            ts.count(DENSE, **arguments)
        assert str(caught.value) == "odd labels cannot be compared"
