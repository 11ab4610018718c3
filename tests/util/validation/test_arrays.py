"""Validation: the refused matrices, labels and weights, and the messages."""

from __future__ import annotations

import itertools
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import sparse as sp

import termsift as ts
from gate import (
    BASES,
    DENSE,
    FORMS,
    INDICATOR,
    INF,
    MOST,
    NAN,
    OVERFLOW,
    SPARSE,
    TYPE,
    VALUE,
    Y,
    base,
    complaint,
    edited,
    failed_update,
    with_last,
)
from private import LEAVE_OUT, _core


def case(message: str, X: Any = DENSE, y: Any = Y, w: Any = None, error: Any = VALUE, id: str = ""):
    return pytest.param(X, y, w, error, message, id=f"{id}: {message}"[:90])


# ------------------------------------------------------------------------------------- values

COUNT = "expected a finite count that is not negative"
HASHED = f"{COUNT} (HashingVectorizer needs alternate_sign=False)"
TEXTS = (
    "expected a matrix of counts: count texts with termsift.count_texts, and add such counts to "
    "others with termsift.merge, or make a matrix with termsift.text.CountVectorizer"
)
NUMBERS = "expected booleans, integers or floats"
EXACT = (
    "expected a number that int64 or float64 holds without rounding: fill or drop missing values, "
    "round others to floats"
)
NOT_FINITE = (NAN, INF, -INF, -0.5)
BAD_VALUES = [
    *itertools.product(("f2", "f4", "f8", ">f8", ">f4"), NOT_FINITE),
    *itertools.product(("i1", "i2", "i4", "i8", ">i4"), (-1,)),
    *((f"i{size}", -(2 ** (8 * size - 1))) for size in (1, 2, 4, 8)),
]
VALUE_CASES = [
    *(case(f"X has {v} at row 2, column 3, {HASHED if -INF < v < 0 else COUNT}",
      with_last(v, dtype, form), id=form + dtype) for form in FORMS for dtype, v in BAD_VALUES),
    *(case(f"X has -1 at row 2, column 3, {HASHED}", edited(form, data=np.array([0, 0, 0, 0, -1])),
      id=f"stored zeros of {form}") for form in ("csr", "csc")),
    *(case(f"X has {v} at row 2, column 3, expected a count below 2^63", with_last(v, np.uint64,
      form), error=OVERFLOW, id=form) for form in FORMS for v in (2**63, 2**64 - 1)),
    *(case(f"X holds texts, {TEXTS}" if form == "dense" and dtype in ("U3", "S3") else
           f"X has dtype {np.dtype(dtype)}, {NUMBERS}", DENSE.astype(dtype) if form == "dense" else
      edited(form, data=np.zeros(5, dtype)), error=TYPE, id=form) for form in FORMS for dtype in
      ("O", "c8", "c16", "U3", "S3", "M8[D]", "m8[s]", "V8") if (form, dtype) != ("dense", "O")),
    *(case(f"X has {v!r} at row 1, column 2, {EXACT}", [[1, 0, 2, 0], [0, 3, v, 0], [0, 1, 0, 5]])
      for v in (None, Decimal("0.1"), Fraction(1, 3), {})),
    *(case(f"X has dtype {dtype}, expected at most 64 bits: use astype(float)", DENSE.astype(dtype),
      error=TYPE) for dtype in [np.dtype(np.longdouble)] if dtype.itemsize > 8),
    case(f"X has '{str(2**1024)[:60]}...' at row 0, column 0, {EXACT}", [[2**1024]] * 3),
    case(f"X has {2**53 + 1} at row 0, column 0, {EXACT}", [[2**53 + 1, Decimal("0.5")]] * 3),
]  # fmt: skip

# --------------------------------------------------------------------------------------- form


def structure_cases(form: str, line: str, other: str, good: list[int], size: int) -> Any:
    """Return CSR or CSC matrices with inconsistent arrays; ``good`` is the correct indptr."""
    sound, last = edited(form), len(good) - 2

    def indptr(message: str, place: int, value: int, dtype: Any = np.int64) -> Any:
        array = np.array(good, dtype)
        array[place] = value
        return case(f"X.indptr {message}", edited(form, indptr=array), id=form)

    for value in (1, -1, MOST, -MOST - 1):
        yield indptr(f"starts at {value}, expected 0", 0, value)
    for value in (0, -1, -MOST - 1):
        yield indptr(f"decreases from {good[1]} to {value} at {line} 1", 2, value)
    for dtype, value in (("i4", 6), ("i4", 2**31 - 1), ("i8", 2**60), ("i8", MOST)):
        message = f"reaches {value} at {line} {last}, but 5 entries are stored"
        yield indptr(message, -1, value, dtype)
    yield indptr(f"reaches {2**60} at {line} 0, but 5 entries are stored", 1, 2**60)
    for wrong in ([], [0], good[:-1], [*good, 5]):
        message = f"X.indptr has {len(wrong)} entries, expected {len(good)}"
        yield case(message, edited(form, indptr=np.array(wrong, np.int32)), id=form)

    extremes = {"i4": (2**31 - 1, -(2**31)), "i8": (2**31, 2**32, MOST, -MOST - 1)}
    for dtype, values in extremes.items():
        for value in (-1, size, *values):
            indices = sound.indices.astype(dtype)
            indices[good[1]] = value  # the first index of line 1
            message = f"X has the index {value} in {line} 1, expected a {other} in [0, {size})"
            yield case(message, edited(form, indices=indices), id=form + dtype)

    for n in (0, 4, 6):
        for name, message in (
            ("data", f"X has 5 indices but {n} values"),
            ("indices", f"X has {n} indices but 5 values"),
        ):
            X = edited(form, **{name: np.resize(getattr(sound, name), n)})
            yield case(message, X, id=form)
    X = edited(form, data=sound.data[:, None])
    yield case("X.indptr, .indices and .data must be vectors", X, id=form)
    huge = np.broadcast_to(np.int8(1), 2**60)
    yield case(f"X has 5 indices but {2**60:,} values", edited(form, data=huge), id=form)
    for name in ("indptr", "indices"):
        for dtype in ("f8", "u4", "u8", "i2", "?", "O", "U3", "c16"):
            message = f"X.{name} has dtype {np.dtype(dtype)}, expected int32 or int64"
            X = edited(form, **{name: getattr(sound, name).astype(dtype)})
            yield case(message, X, error=TYPE, id=form)


STRUCTURE_CASES = [
    *structure_cases("csr", "row", "column", [0, 2, 3, 5], 4),
    *structure_cases("csc", "column", "row", [0, 1, 3, 4, 5], 3),
    *(case(f"X is a sparse {name.upper()} matrix, expected CSR or CSC: use tocsr()", getattr(sp,
      f"{name}_{kind}")(DENSE), error=TYPE, id=kind) for name in ("coo", "lil", "dok", "dia",
      "bsr") for kind in ("array", "matrix")),
    case(f"X has {2**31} terms, more than the {2**31 - 1} that can be counted", sp.csr_array((3,
      2**31), dtype=np.int64),),
]  # fmt: skip
ONE = ". Reshape your data: X.reshape(1, -1) is one document"
TWO = "X must have two dimensions, one row per document, got shape"
SHAPE_CASES = [
    # Before version 1.13, scipy made a sparse vector a matrix of one row.
    *(case(f"{TWO} (3,){ONE}", X) for X in [sp.coo_array(np.ones(3))] if X.ndim == 1),
    *(case(f"{TWO} {X.shape}{ONE * (X.ndim == 1)}", X, id=str(X.dtype))
      for X in map(np.asarray, (5, [1.0] * 3, [[[1]]] * 3, None, "text"))),
]  # fmt: skip

# ------------------------------------------------------------------------- labels and weights

NO_INDICATOR = "expected an indicator matrix of zeros and ones"
NO_WEIGHT = "expected a finite number, not negative and below 2^63"


def indicator(value: Any) -> Any:
    """Return INDICATOR with another value at row 1, column 1."""
    y = INDICATOR.astype(type(value))
    y[1, 1] = value
    return y


LABEL_CASES = [
    *(case(f"y has {len(y)} labels for 3 documents", y=y) for y in (Y[:2], [*Y, "ham"], [],
      np.array([1, 2]))),
    *(case(f"y must hold a label for each document in order, got {got}", y=y, error=TYPE) for got, y
      in (("'ham'", "ham"), ("b'ham'", b"ham"), ("5", 5), ("2.5", 2.5), ("None", None), ("a set",
      {"ham"}), ("an ellipsis", ...), ("a dict", dict.fromkeys(Y)))),
    *(case(f"the label of document 1 is a {type(y).__name__}, expected something hashable: for "
      "several labels per document pass the indicator matrix of "
      "sklearn.preprocessing.MultiLabelBinarizer, and classes=binarizer.classes_",
      y=["ham", y, "ham"], error=TYPE) for y in (["x"], {"x": 1}, {"x"}, np.array(["x", "y"]), (1,
      ["x"]))),
    *(case(f"the label of document 1 is missing: {missing!r}; {LEAVE_OUT}", y=y,
      id=str(np.asarray(y).dtype)) for missing, y in ((NAN, ["ham", NAN, "ham"]),
      (NAN, np.array([1.0, NAN, 1.0])), (NAN, np.array([1.0, NAN, 1.0], np.float32)),
      (NAN, np.array(["ham", NAN, None], dtype=object)), (NAN, [np.float64(1), np.float32(NAN), 1]),
      (np.datetime64("NaT", "s"), [1, np.datetime64("NaT", "s"), 1]),
      *((np.datetime64("NaT", unit), np.array(["2020", "NaT", "2021"], f"M8[{unit}]")) for unit in
      ("D", "ns")))),
    *(case(f"y has {v} at row 1, column 1, {expected}", y=form(indicator(v)), id=form.__name__) for
      form in (np.asarray, sp.csr_array, sp.csc_array) for v in (2, 0.5, -1, NAN, INF) for expected
      in [NO_INDICATOR if form != sp.csc_array or 0 < v < INF else COUNT]),
    case(f"y has 2 at row 0, column 0, {NO_INDICATOR}", y=sp.csr_array((np.ones(3, int), [0, 0, 1],
      [0, 2, 3, 3]), shape=(3, 2)), id="duplicate",),
    *(case(f"y has shape {y.shape}, expected (3, n_classes)", y=y, id=type(y).__name__) for y in
      (INDICATOR[:2], sp.csr_array(INDICATOR[:2]), np.ones((3, 1, 1)))),
]  # fmt: skip
WEIGHT_CASES = [
    *(case(f"sample_weight has shape {shape}, expected (3,)", w=np.ones(shape)) for shape in ((2,),
      (4,), (), (3, 1), (1, 3), (0,))),
    *(case(f"sample_weight has {w} at row 2, {NO_WEIGHT}", w=np.array([1, 0, w], dtype), id=dtype)
      for dtype, values in (("f2", NOT_FINITE), ("f8", NOT_FINITE), ("i1", [-1]), ("i8", [-1])) for
      w in values),
    *(case(f"sample_weight has dtype {np.dtype(d)}, {NUMBERS}", w=np.zeros(3, d), error=TYPE) for d
      in ("U3", "c16", "M8[D]")),
    *(case(f"sample_weight has {w!r} at row 1, {EXACT}", w=[1, w, 1]) for w in (None,
      Decimal("0.1"), {})),
    case(f"sample_weight has nan at row 0, {NO_WEIGHT}", w=[NAN, 1, 1], id="list"),
    case(f"sample_weight has {2**63} at row 2, {NO_WEIGHT}", w=np.array([1, 1, 2**63], np.uint64)),
]  # fmt: skip
# Masked values must not be counted, so masked arrays are refused.
MASKED_CASES = [
    case(f"{name} is a masked array: fill or drop the masked values", **{key: value}, error=TYPE)
    for name, key, value in (
        ("X", "X", np.ma.array(DENSE, mask=DENSE == 1)),
        ("y", "y", np.ma.array([0, 1, 0], mask=[0, 1, 0])),
        ("sample_weight", "w", np.ma.array(np.ones(3), mask=[0, 1, 0])),
        ("X", "X", list(np.ma.array(DENSE, mask=DENSE == 1))),
        ("sample_weight", "w", [1, np.ma.masked, 1]),
    )
]  # fmt: skip


@pytest.mark.parametrize(
    ("X", "y", "w", "error", "message"),
    VALUE_CASES + STRUCTURE_CASES + SHAPE_CASES + LABEL_CASES + WEIGHT_CASES + MASKED_CASES,
)
def test_invalid_input_is_refused_and_changes_nothing(X, y, w, error, message):
    assert complaint(error, ts.count, X, y, w) == message
    for kind in BASES:
        assert failed_update(base(kind), error, X, y, w) == message


@pytest.mark.usefixtures("counting_path")
@pytest.mark.parametrize(("X", "y", "w", "error", "message"), VALUE_CASES + STRUCTURE_CASES)
@pytest.mark.parametrize("window_bytes", [1, 8])
def test_every_way_of_counting_refuses_the_same(X, y, w, error, message, window_bytes, monkeypatch):
    monkeypatch.setattr(_core, "default_window_bytes", window_bytes)
    assert complaint(error, ts.count, X, y, w) == message
    assert failed_update(base(), error, X, y, w) == message


@pytest.mark.parametrize(("X", "y", "w", "error", "message"), STRUCTURE_CASES)
def test_errors_of_a_malformed_indicator_name_y(X, y, w, error, message):
    message = "y" + message.removeprefix("X")
    assert complaint(error, ts.count, DENSE, X) == message
    assert failed_update(ts.count(DENSE[:0], []), error, DENSE, X) == message


@pytest.mark.parametrize("name", ["X", "y", "sample_weight", "class_prior"])
def test_arguments_that_numpy_or_scipy_refuse_are_named(name):
    if name == "class_prior":
        message = complaint(VALUE, base().score, class_prior=[[1], [2, 3]])
    else:
        bad = {"X": [[1, 2], [3], [4]], "y": sp.coo_array(np.ones(3)), "sample_weight": [1, [2], 3]}
        with pytest.raises((TypeError, ValueError)) as caught:
            ts.count(**{"X": DENSE, "y": Y, name: bad[name]})
        message = str(caught.value)
    assert message.startswith(f"{name} ")


@pytest.mark.parametrize("n_threads", [1, 2, 8])
@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_array, sp.csr_matrix, np.asarray])
def test_the_first_of_several_is_named(form, n_threads):
    X = np.ones((20_000, 2))
    X[[9_999, 15_000, 19_999], 0] = [NAN, -1, INF]
    message = complaint(VALUE, ts.count, form(X), np.zeros(20_000), n_threads=n_threads)
    assert message.startswith("X has nan at row 9999, column 0, ")


@pytest.mark.parametrize("form", FORMS)
def test_valid_values_are_counted(form):
    counts = ts.count(with_last(-0.0, float, form), Y)
    assert counts.term_frequency.toarray().tolist() == [[1, 1, 2, 0], [0, 3, 0, 0]]
    assert not np.signbit(counts.term_frequency.data).any()
    assert ts.count(with_last(2.0**60, "u8", form), Y).term_frequency[0, 3] == 2**60


@pytest.mark.parametrize("form", SPARSE)
@pytest.mark.parametrize("index", [">i4", ">i8", "i8"])
def test_unusual_but_valid_arrays_are_counted(form, index):
    good = edited(form)
    X = edited(
        form,
        indptr=good.indptr.astype("i8"),
        indices=np.repeat(good.indices.astype(index), 2)[::2],
        data=good.data.astype(">i2"),
    )
    assert ts.count(X, Y) == base()
    # Entries after the last offset of indptr belong to no row, and are not checked.
    more = {name: np.append(getattr(good, name), -1) for name in ("indices", "data")}
    assert ts.count(edited(form, **more), Y) == base()


@pytest.mark.parametrize("form", FORMS)
def test_the_limit_of_terms_does_not_limit_documents(form, monkeypatch):
    # A matrix of more documents than max_terms would have 16 GB of offsets.
    monkeypatch.setattr(_core, "max_terms", 2)
    X = SPARSE.get(form, np.asarray)(DENSE[:, :2])
    assert ts.count(X, Y).n_docs == 3
    assert complaint(VALUE, ts.count, DENSE, Y).startswith("X has 4 terms, more than the 2 ")
