"""Helpers for tests of validation: small collections, and calls that must fail."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import sparse as sp

import termsift as ts
from private import core_of

NAN, INF = math.nan, math.inf
MOST = 2**63 - 1
TYPE, VALUE, OVERFLOW = TypeError, ValueError, ts.CountOverflowError

# The entry 5, at row 2 and column 3, is the last entry both by rows and by columns.
DENSE = np.array([[1, 0, 2, 0], [0, 3, 0, 0], [0, 1, 0, 5]])
Y = ["ham", "spam", "ham"]
INDICATOR = np.array([[1, 0], [0, 1], [1, 1]])
SPARSE = {"csr": sp.csr_array, "csc": sp.csc_array}
FORMS = (*SPARSE, "dense")


def edited(form: str = "csr", /, **arrays: Any) -> Any:
    """Return DENSE as CSR or CSC, with arrays that scipy has not checked."""
    matrix = SPARSE[form](DENSE)
    for name, array in arrays.items():
        setattr(matrix, name, array)
    return matrix


def with_last(value: Any, dtype: Any, form: str) -> Any:
    """Return DENSE in a dtype and a form, with its last entry replaced."""
    if form == "dense":
        dense = DENSE.astype(dtype)
        dense[2, 3] = value
        return dense
    data = edited(form).data.astype(dtype)
    data[-1] = value
    return edited(form, data=data)


def column(*values: Any, dtype: Any = np.int64) -> Any:
    return np.array(values, dtype).reshape(-1, 1)


def base(kind: str = "exact") -> ts.ClassCounts:
    """Return counts of the classes ham and spam: integers, floats, or with several labels."""
    if kind == "exact":
        return ts.count(DENSE, Y)
    if kind == "float":
        return ts.count(DENSE / 3, Y, sample_weight=[0.1, 2.5, 1.0])
    return ts.count(DENSE, INDICATOR, classes=["ham", "spam"])


BASES = ("exact", "float", "several labels")


def bits(counts: ts.ClassCounts) -> Any:
    """Return the contents of the counts in a form that is equal only if all bits are equal."""
    arrays = {
        name: (value.dtype.str, value.tobytes()) if isinstance(value, np.ndarray) else repr(value)
        for name, value in core_of(counts).to_arrays().items()
    }
    names = counts.term_names
    return arrays, core_of(counts).exact, counts.classes, None if names is None else names.tolist()


def complaint(error: type[Exception], function: Any, *args: Any, **options: Any) -> str:
    """Return the message of a call that must fail with exactly this exception and one line."""
    with pytest.raises(error) as caught:
        function(*args, **options)
    assert type(caught.value) is error
    assert "\n" not in str(caught.value)
    return str(caught.value)


def failed_update(
    counts: ts.ClassCounts, error: type[Exception], *args: Any, **options: Any
) -> str:
    """Return the message of an update that must fail and leave the counts as they were."""
    before = bits(counts)
    message = complaint(error, counts.update, *args, **options)
    assert bits(counts) == before
    return message
