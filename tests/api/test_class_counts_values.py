"""What `ClassCounts` does with its value: whose lock, whose warnings, whose labels."""

from __future__ import annotations

import inspect
import operator
import re
from typing import Any

import numpy as np
import pytest

import termsift as ts
from wording import warns


def test_a_matrix_whose_reading_changes_the_same_counts() -> None:
    counts = ts.count(np.array([[2, 1]]), ["ham"])

    class Rows:
        """Rows that code of the user reads, which names the terms of the counts meanwhile."""

        shape, dtype, ndim = (1, 2), np.dtype(int), 2

        def __getitem__(self, rows: Any) -> Any:
            counts.term_names = ["egg", "tea"]
            return np.array([[0, 3]])[rows]

        def __array__(self, *_: Any, **__: Any) -> Any:
            return self[:]

    counts.update(Rows(), ["spam"])
    assert counts.term_frequency.toarray().tolist() == [[2, 1], [0, 3]]
    assert counts.term_names is not None
    assert list(counts.term_names) == ["egg", "tea"]


def test_a_sum_warns_of_fractions_that_only_one_part_has() -> None:
    whole, other = (ts.count(np.array([[2.0, 1.0]]), [label]) for label in "ab")
    (whole + other).score("md")  # floats without fractions
    part = ts.count(np.array([[0.5, 2.0]]), ["b"])
    for counts in (whole + part, ts.merge([whole, part])):
        with warns(UserWarning, "md_needs_occurrences_but_x_holds"):
            counts.score("md")
        counts.score("md")  # warns once
        counts.subset(["b", "a"]).score("md")


def test_later_documents_warn_of_fractions_that_the_first_lack() -> None:
    counts = ts.count(np.array([[2.0, 1.0], [1.0, 0.0]]), ["a", "b"])
    counts.score("md")  # floats without fractions
    counts.subset(["a", "b"]).score("md")
    counts.update(np.array([[0.5, 2.0]]), ["b"])
    with warns(UserWarning, "md_needs_occurrences_of_later"):
        counts.score("md")
    counts.score("md")  # warns once


def test_a_part_without_fractions_leaves_the_warning_to_the_whole() -> None:
    counts = ts.count(np.array([[2.0, 1.0], [1.0, 0.0], [0.5, 2.0]]), ["a", "b", "c"])
    counts.subset(["a", "b"]).score("md")
    with warns(UserWarning, "md_needs_occurrences_of_later"):
        counts.score("md")


def test_labels_of_results_are_no_labels_of_the_counts() -> None:
    counts = ts.count(np.array([[2, 1], [0, 3]]), ["ham", "spam"])
    counts.significance().classes.append("eggs")
    counts.classes.append("eggs")
    assert counts.n_classes == 2


def test_docstrings_have_headings() -> None:
    for name, member in inspect.getmembers(ts.ClassCounts):
        if not name.startswith("_"):
            assert not re.search(r"\S+ -{4,}", inspect.getdoc(member) or ""), name


def test_a_sum_and_a_difference_leave_the_answer_to_another_type() -> None:
    class Other:
        def __radd__(self, counts: Any) -> Any:
            return "sum", counts

        def __rsub__(self, counts: Any) -> Any:
            return "difference", counts

    counts = ts.count(np.array([[2, 1]]), ["ham"])
    assert counts + Other() == ("sum", counts)
    assert counts - Other() == ("difference", counts)
    for calculate in (operator.add, operator.sub):
        with pytest.raises(TypeError):
            calculate(counts, 1)
