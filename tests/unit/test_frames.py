"""Matrices in data frames: their columns are matched by name, and their values are exact."""

from __future__ import annotations

from collections.abc import Callable
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
        "column 0 of X is 'the', but 'bacon' in the counts: bring the columns of the frame into "
        "the same order"
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
