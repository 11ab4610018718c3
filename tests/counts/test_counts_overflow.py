"""Counts that do not fit in int64 or float64 are refused, and nothing changes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse as sp

import termsift as ts
from gate import (
    DENSE,
    FORMS,
    MOST,
    OVERFLOW,
    VALUE,
    Y,
    base,
    bits,
    column,
    complaint,
    failed_update,
    with_last,
)

NO_CLASS = np.zeros((2, 2), int)
OVERFLOWS = {
    "a cell": (column(MOST, 1), ["a", "a"], None),
    "a cell within a row": (sp.csr_array(([MOST, 1], [0, 0], [0, 2]), shape=(1, 1)), ["a"], None),
    "a class, in two cells": (np.array([[2**62, 2**62]]), ["a"], None),
    "the collection, without a class": (column(2**62, 2**62), NO_CLASS, None),
    "uint64": (column(MOST, 1, dtype=np.uint64), ["a", "a"], None),
    "value times weight": (column(2**32), ["a"], [2**31]),
    "value times weight, wrapping to 0": (column(2**32), ["a"], [2**32]),
    "weights of a class": (column(0, 0), ["a", "a"], [MOST, 1]),
    "weights of the collection": (column(0, 0), ["a", "b"], [2**62, 2**62]),
    "weights without a class": (column(0, 0), NO_CLASS, [2**62, 2**62]),
}


@pytest.mark.usefixtures("counting_path")
@pytest.mark.parametrize(("X", "y", "w"), OVERFLOWS.values(), ids=OVERFLOWS)
def test_overflow(X, y, w):
    assert "2^63" in complaint(OVERFLOW, ts.count, X, y, w)
    assert "2^63" in failed_update(
        ts.count(column(1), ["a"], classes=["a", "b"]), OVERFLOW, X, y, w
    )


def test_overflow_names_row_column_and_value():
    message = complaint(OVERFLOW, ts.count, column(0, MOST, 1), [10, 20, 20])
    assert message == "with 1 at row 2, column 0, the tokens of class 20 exceed 2^63 - 1"
    message = complaint(
        OVERFLOW, ts.count, np.array([[1, 0], [5, 3]]), [0, 1], [2**62] * 2, tf="binary"
    )
    assert message == "with 1 at row 1, column 1, the tokens of class 1 exceed 2^63 - 1"
    message = complaint(OVERFLOW, ts.count, column(0, 0), ["a", "a"], [MOST, 1])
    assert message.startswith("with document 1 of weight 1, the number of documents ")


UPDATES = {
    "a cell": (column(2**60), ["a"], None),
    "a class": (np.array([[2**59, 2**59]]), ["a"], None),
    "weights": (column(0), ["a"], [2**60]),
    "a cell without a class": (column(2**60), NO_CLASS[:1], None),
    "weights without a class": (column(0), NO_CLASS[:1], [2**60]),
    "weights and values without a class": (column(1), NO_CLASS[:1], [2**60]),
}


@pytest.mark.usefixtures("counting_path")
@pytest.mark.parametrize(("X", "y", "w"), UPDATES.values(), ids=UPDATES)
def test_overflow_after_many_updates_or_sums(X, y, w):
    # Each update is so small that the entries are not checked one by one.
    counts = ts.count(X, y, w)
    four = counts + counts + (counts + counts)
    for _ in range(6):
        counts.update(X, y, w)
    assert "2^63" in failed_update(counts, OVERFLOW, X, y, w)
    assert counts.n_docs >= 0
    before = bits(four)
    assert "2^63" in complaint(OVERFLOW, lambda: four + four)
    assert bits(four) == before


def test_classes_whose_sum_alone_overflows_are_counted():
    # Only the sum of the two classes overflows, and it is not stored. So counting must succeed.
    X, y = column(2**62, 2**62), ["a", "b"]
    both = ts.count(X[:1], y[:1]) + ts.count(X[1:], y[1:])
    assert both == ts.count(X, y) == ts.count(X[:1], y[:1]).update(X[1:], y[1:])
    # If labels are an indicator, the sums of the collection are stored, and overflow.
    one = ts.count(column(1), np.zeros((1, 2), int), classes=y)
    assert "2^63" in complaint(OVERFLOW, lambda: both + one)
    assert "2^63" in failed_update(both, OVERFLOW, column(1), np.zeros((1, 2), int))


def test_the_largest_counts_are_exact():
    counts = ts.count(column(MOST - 2, 1, 1, dtype=np.uint64), ["a", "a", "a"])
    assert counts.term_frequency[0, 0] == MOST
    assert counts.class_tokens.tolist() == [MOST]
    assert ts.count(column(0, 0), ["a", "a"], [MOST - 1, 1]).n_docs == MOST
    assert failed_update(counts, OVERFLOW, column(1), ["a"])
    assert ts.count(column(MOST), ["a"], [1]).update(column(MOST), ["a"], [0]).n_docs == 1


FLOAT_OVERFLOWS = {
    "a cell": (column(1e308, 1e308, dtype=float), None),
    "value times weight": (column(1e308, 0, dtype=float), [10.0, 1.0]),
    "documents": (column(0, 0, dtype=float), [1e308, 1e308]),
    "document frequency": (column(1e-300, 1e-300, dtype=float), [1e308, 1e308]),
}


@pytest.mark.parametrize(("X", "w"), FLOAT_OVERFLOWS.values(), ids=FLOAT_OVERFLOWS)
@pytest.mark.parametrize("y", [["a", "a"], ["a", "b"]], ids="".join)
def test_float_counts_never_become_infinite(X, w, y):
    def is_finite(c):
        tables = c.term_frequency.data, c.document_frequency.data
        return all(np.isfinite(a).all() for a in (c.n_docs, c.class_docs, c.class_tokens, *tables))

    try:
        counts = ts.count(X, y, w)
    except ValueError:
        return
    assert is_finite(counts)
    before = bits(counts)
    for add in (lambda: counts + counts, lambda: counts.update(X, y, w)):
        try:
            assert is_finite(add())
        except ValueError:
            assert bits(counts) == before


@pytest.mark.usefixtures("counting_path")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", ["i8", "u8"])
@pytest.mark.parametrize("value", [2**53 + 1, MOST])
def test_an_integer_that_no_double_holds_is_refused_in_float_counts(dtype, value, form):
    X = with_last(value, dtype, form)
    expected = f"X has {value} at row 2, column 3, which float counts cannot hold exactly"
    assert complaint(VALUE, ts.count, X, Y, [0.5, 1, 1]) == expected
    assert failed_update(base("float"), VALUE, X, Y) == expected
    assert failed_update(base(), VALUE, X, Y, [0.5, 1, 1]) == expected
    allowed = with_last(2**53 + 2, dtype, form)
    assert ts.count(allowed, Y, [1.0, 1, 1]).term_frequency[0, 3] == 2**53 + 2


def test_a_weight_that_no_double_holds_is_refused_in_float_counts():
    for weight in (2**53 + 1, MOST):
        at_most = "expected at most 2^53 because the counts are not integers"
        expected = f"sample_weight has {weight} at row 2, {at_most}"
        assert complaint(VALUE, ts.count, DENSE / 2, Y, [1, 1, weight]) == expected
        assert failed_update(base("float"), VALUE, DENSE, Y, [1, 1, weight]) == expected
    allowed = ts.count(DENSE / 2, Y, [1, 1, 2**53])
    assert allowed.term_frequency[0, 3] == 2.5 * 2**53


def test_exact_counts_that_no_double_holds_stay_exact():
    counts = ts.count(column(2**53 + 1), ["a"])
    expected = f"exact counts cannot join float counts: no double equals {2**53 + 1}"
    assert failed_update(counts, VALUE, column(0.5, dtype=float), ["a"]) == expected
    half = ts.count(column(0.5, dtype=float), ["a"])
    assert complaint(VALUE, lambda: counts + half) == expected
    assert complaint(VALUE, lambda: half + counts) == expected
