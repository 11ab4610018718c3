"""The gate: what is refused, in which words, and that nothing has changed or crashed afterwards."""

from __future__ import annotations

import itertools
import math
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse as sp

import termsift as ts
from termsift import _core
from termsift._util import validation

NAN, INF = math.nan, math.inf
MOST = 2**63 - 1
TYPE, VALUE, OVERFLOW = TypeError, ValueError, ts.CountOverflowError

# 5 is at row 2, column 3: the last entry in either order.
DENSE = np.array([[1, 0, 2, 0], [0, 3, 0, 0], [0, 1, 0, 5]])
Y = ["ham", "spam", "ham"]
INDICATOR = np.array([[1, 0], [0, 1], [1, 1]])
SPARSE = {"csr": sp.csr_array, "csc": sp.csc_array}
FORMS = (*SPARSE, "dense")
LONG_DOUBLE = np.finfo(np.longdouble).nmant > np.finfo(np.float64).nmant
needs_long_double = pytest.mark.skipif(not LONG_DOUBLE, reason="long double is double here")


def edited(form: str = "csr", /, **arrays: Any) -> Any:
    """Give DENSE as CSR or CSC, with arrays that scipy has not seen."""
    matrix = SPARSE[form](DENSE)
    for name, array in arrays.items():
        setattr(matrix, name, array)
    return matrix


def with_last(value: Any, dtype: Any, form: str) -> Any:
    """Give DENSE in a dtype and a form, its last entry replaced."""
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
    """Give counts of the classes ham and spam that hold every sort of state."""
    if kind == "exact":
        return ts.count(DENSE, Y)
    if kind == "float":
        return ts.count(DENSE / 3, Y, sample_weight=[0.1, 2.5, 1.0])
    return ts.count(DENSE, INDICATOR, classes=["ham", "spam"])


BASES = ("exact", "float", "several labels")


def bits(counts: ts.ClassCounts) -> Any:
    """Give everything the counts hold, comparable bit for bit."""
    arrays = {
        name: (value.dtype.str, value.tobytes()) if isinstance(value, np.ndarray) else repr(value)
        for name, value in counts._counts.to_arrays().items()
    }
    names = counts.term_names
    return arrays, counts._counts.exact, counts.classes, None if names is None else names.tolist()


def complaint(error: type[Exception], function: Any, *args: Any, **options: Any) -> str:
    """Call what must fail with exactly this exception, and give its message: one line."""
    with pytest.raises(error) as caught:
        function(*args, **options)
    assert type(caught.value) is error
    assert "\n" not in str(caught.value)
    return str(caught.value)


def failed_update(
    counts: ts.ClassCounts, error: type[Exception], *args: Any, **options: Any
) -> str:
    """Do what `complaint` does to an update, which must leave the counts as they were."""
    before = bits(counts)
    message = complaint(error, counts.update, *args, **options)
    assert bits(counts) == before
    return message


def case(message: str, X: Any = DENSE, y: Any = Y, w: Any = None, error: Any = VALUE, id: str = ""):
    return pytest.param(X, y, w, error, message, id=f"{id}: {message}"[:90])


# ------------------------------------------------------------------------------------- values

COUNT = "expected a finite count that is not negative"
NUMBERS = "expected booleans, integers or floats"
NOT_FINITE = (NAN, INF, -INF, -0.5)
BAD_VALUES = [
    *itertools.product(("f2", "f4", "f8", "g", ">f8", ">f4"), NOT_FINITE),
    *itertools.product(("i1", "i2", "i4", "i8", ">i4"), (-1,)),
    *((f"i{size}", -(2 ** (8 * size - 1))) for size in (1, 2, 4, 8)),
]
VALUE_CASES = [
    *(case(f"X has {v} at row 2, column 3, {COUNT}", with_last(v, dtype, form), id=form + dtype)
      for form in FORMS for dtype, v in BAD_VALUES),
    *(case(f"X has {v} at row 2, column 3, expected a count below 2^63", with_last(v, np.uint64,
      form), error=OVERFLOW, id=form) for form in FORMS for v in (2**63, 2**64 - 1)),
    *(case(f"X has dtype {np.dtype(dtype)}, {NUMBERS}", DENSE.astype(dtype) if form == "dense" else
      edited(form, data=np.zeros(5, dtype)), error=TYPE, id=form) for form in FORMS for dtype in
      ("O", "c8", "c16", "U3", "S3", "M8[D]", "m8[s]", "V8")),
]  # fmt: skip

# --------------------------------------------------------------------------------------- form


def structure_cases(form: str, line: str, other: str, good: list[int], size: int) -> Any:
    """Give CSR or CSC matrices whose arrays do not fit; ``good`` is the right indptr."""
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
            indices[good[1]] = value  # the first of line 1
            message = f"X has the index {value} in {line} 1, expected a {other} in [0, {size})"
            yield case(message, edited(form, indices=indices), id=form + dtype)

    for n in (0, 4, 6):
        for name, message in (
            ("data", f"X has 5 indices but {n} values"),
            ("indices", f"X has {n} indices but 5 values"),
        ):
            X = edited(form, **{name: np.resize(getattr(sound, name), n)})
            yield case(message, X, id=form)
    huge = np.broadcast_to(np.int8(1), 2**60)
    yield case(f"X has 5 indices but {2**60} values", edited(form, data=huge), id=form)
    for name in ("indptr", "indices", "data"):
        for shape in ((-1, 1), (1, -1)):
            array = getattr(sound, name).reshape(shape)
            message = f"X.{name} must be a vector, got shape {array.shape}"
            yield case(message, edited(form, **{name: array}), id=form)
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
TWO = "X must have two dimensions, one row per document, got shape"
SHAPE_CASES = [
    # Before 1.13, scipy made a matrix of one row of it.
    *(case(f"{TWO} (3,)", X) for X in [sp.coo_array(np.ones(3))] if X.ndim == 1),
    *(case(f"{TWO} {X.shape}", X, id=str(X.dtype)) for X in map(np.asarray, (5, [1.0] * 3,
      [[[1]]] * 3, None, "text"))),
]  # fmt: skip

# ------------------------------------------------------------------------- labels and weights

NO_INDICATOR = "expected an indicator matrix of zeros and ones"
NO_WEIGHT = "expected a finite weight that is not negative"


def indicator(value: Any) -> Any:
    """Give INDICATOR with another value at row 1, column 1."""
    y = INDICATOR.astype(type(value))
    y[1, 1] = value
    return y


LABEL_CASES = [
    *(case(f"y has {len(y)} labels for 3 documents", y=y) for y in (Y[:2], [*Y, "ham"], [],
      np.array([1, 2]))),
    *(case(f"y must hold a label for each document in order, got {y!r}", y=y, error=TYPE) for y in
      ("ham", b"ham", 5, 2.5, None, ..., np.array(1), {"ham"}, {"a": 0, "b": 1, "c": 0})),
    *(case(f"the label of document 1 is a {type(y).__name__}, expected something hashable",
      y=["ham", y, "ham"], error=TYPE) for y in (["x"], {"x": 1}, {"x"}, np.array(["x", "y"]), (1,
      ["x"]))),
    *(case(f"the label of document 1 is missing: {missing!r}", y=y, id=str(np.asarray(y).dtype))
      for missing, y in ((NAN, ["ham", NAN, "ham"]), (NAN, np.array([1.0, NAN, 1.0])), (NAN,
      np.array([1.0, NAN, 1.0], np.float32)), (NAN, np.array(["ham", NAN, None], dtype=object)),
      (NAN, [np.float64(1), np.float32(NAN), 1]), (np.datetime64("NaT"), [1, np.datetime64("NaT"),
      1]), *((np.datetime64("NaT", unit), np.array(["2020", "NaT", "2021"], f"M8[{unit}]")) for
      unit in ("D", "ns")))),
    *(case(f"y has {v} at row 1, column 1, {expected}", y=form(indicator(v)), id=form.__name__) for
      form in (np.asarray, sp.csr_array, sp.csc_array) for v in (2, 0.5, -1, NAN, INF) for expected
      in [NO_INDICATOR if form != sp.csc_array or 0 < v < INF else COUNT]),
    case(f"y has 2 at row 0, column 0, {NO_INDICATOR}", y=sp.csr_array((np.ones(3, int), [0, 0, 1],
      [0, 2, 3, 3]), shape=(3, 2)), id="duplicate",),
    *(case(f"y has shape {y.shape}, expected (3, n_classes)", y=y, id=type(y).__name__) for y in
      (INDICATOR[:2], sp.csr_array(INDICATOR[:2]), np.ones((3, 1, 1)))),
    case("y has dtype <U4, " + NUMBERS, y=[["ham", "spam"]] * 3, error=TYPE),
    case("y holds lists of different lengths, expected an array", y=[[1, 0], [1], [0, 1]]),
]  # fmt: skip
WEIGHT_CASES = [
    *(case(f"sample_weight has shape {shape}, expected (3,)", w=np.ones(shape)) for shape in ((2,),
      (4,), (), (3, 1), (1, 3), (0,))),
    *(case(f"sample_weight has {w} at row 2, {NO_WEIGHT}", w=np.array([1, 0, w], dtype), id=dtype)
      for dtype, values in (("f2", NOT_FINITE), ("f8", NOT_FINITE), ("i1", [-1]), ("i8", [-1])) for
      w in values),
    *(case(f"sample_weight has dtype {np.dtype(d)}, {NUMBERS}", w=np.zeros(3, d), error=TYPE) for d
      in ("O", "U3", "c16", "M8[D]")),
    case(f"sample_weight has nan at row 0, {NO_WEIGHT}", w=[NAN, 1, 1], id="list"),
    case(f"sample_weight has {2**63} at row 2, expected less than 2^63", w=np.array([1, 1, 2**63],
      np.uint64), error=OVERFLOW,),
]  # fmt: skip
# Its data under the mask is not what its owner means.
MASKED_CASES = [
    case(f"{name} is a masked array: fill or drop the masked values", **{key: value}, error=TYPE)
    for name, key, value in (
        ("X", "X", np.ma.array(DENSE, mask=DENSE == 1)),
        ("y", "y", np.ma.array([0, 1, 0], mask=[0, 1, 0])),
        ("sample_weight", "w", np.ma.array(np.ones(3), mask=[0, 1, 0])),
    )
]  # fmt: skip


@pytest.mark.parametrize(
    ("X", "y", "w", "error", "message"),
    VALUE_CASES + STRUCTURE_CASES + SHAPE_CASES + LABEL_CASES + WEIGHT_CASES + MASKED_CASES,
)
def test_refused(X, y, w, error, message):
    assert complaint(error, ts.count, X, y, w) == message
    for kind in BASES:
        assert failed_update(base(kind), error, X, y, w) == message


@pytest.mark.usefixtures("counting_path")
@pytest.mark.parametrize(("X", "y", "w", "error", "message"), VALUE_CASES + STRUCTURE_CASES)
@pytest.mark.parametrize("window_bytes", [1, 8])
def test_every_way_of_counting_refuses_the_same(X, y, w, error, message, window_bytes):
    options = {"window_bytes": window_bytes}
    assert complaint(error, ts.count, X, y, w, **options) == message
    assert failed_update(base(), error, X, y, w, **options) == message


@pytest.mark.parametrize(("X", "y", "w", "error", "message"), STRUCTURE_CASES)
def test_malformed_indicator_is_told_of_y(X, y, w, error, message):
    message = "y" + message.removeprefix("X")
    assert complaint(error, ts.count, DENSE, X) == message
    assert failed_update(ts.count(DENSE[:0], []), error, DENSE, X) == message


@pytest.mark.parametrize("name", ["X", "y", "sample_weight", "class_prior"])
def test_what_numpy_or_scipy_cannot_take_is_named(name):
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
def test_values_that_are_fine(form):
    counts = ts.count(with_last(-0.0, float, form), Y)
    assert counts.term_frequency.toarray().tolist() == [[1, 1, 2, 0], [0, 3, 0, 0]]
    assert not np.signbit(counts.term_frequency.data).any()
    for dtype in ("g", "u8"):
        assert ts.count(with_last(2.0**60, dtype, form), Y).term_frequency[0, 3] == 2**60


@needs_long_double
@pytest.mark.parametrize("text", ["0.1", "1e4000"])
def test_long_double_that_is_no_double(text):
    value = np.longdouble(text)
    expected = f"X has {value!s} at row 2, column 3, which float64 cannot hold exactly"
    for form in FORMS:
        assert complaint(VALUE, ts.count, with_last(value, "g", form), Y) == expected
    expected = f"sample_weight has {value!s} at row 2, which float64 cannot hold exactly"
    for call in (ts.count, base("float").update):
        assert complaint(VALUE, call, DENSE, Y, np.array([1, 1, value])) == expected
    assert ts.count(DENSE, Y, np.array([1, 1, 0.5], "g")).n_docs == 2.5


@pytest.mark.parametrize("form", SPARSE)
@pytest.mark.parametrize("index", [">i4", ">i8", "i8"])
def test_odd_but_sound_arrays_are_counted(form, index):
    good = edited(form)
    X = edited(
        form,
        indptr=good.indptr.astype("i8"),
        indices=np.repeat(good.indices.astype(index), 2)[::2],
        data=good.data.astype(">i2"),
    )
    assert ts.count(X, Y) == base()
    # Entries past the last offset belong to no row.
    more = {name: np.append(getattr(good, name), -1) for name in ("indices", "data")}
    assert ts.count(edited(form, **more), Y) == base()


@pytest.mark.parametrize("form", FORMS)
def test_many_documents_are_not_taken_for_terms(form, monkeypatch):
    # A matrix of more documents than max_terms is 16 GB of offsets.
    monkeypatch.setattr(_core, "max_terms", 2)
    X = SPARSE.get(form, np.asarray)(DENSE[:, :2])
    assert ts.count(X, Y).n_docs == 3
    assert complaint(VALUE, ts.count, DENSE, Y).startswith("X has 4 terms, more than the 2 ")


A_COLUMN = (
    "y is a single column, of shape (3, 1), expected labels in one dimension: pass y.ravel(), "
    "or np.ravel(y) of a list or a data frame"
)


def columns_of_labels() -> dict[str, Any]:
    """Return labels as one column, in every container that holds one."""
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
    """Return every way to hand over labels, as functions of y."""
    ranking = ts.count(DENSE, Y).rank("md")
    return {
        "count": lambda y: ts.count(DENSE, y),
        "update": lambda y: base().update(DENSE, y),
        "update of nothing": lambda y: ts.count(DENSE[:0], []).update(DENSE, y),
        "md": lambda y: ts.md(DENSE, y),
        "chi2": lambda y: ts.chi2(DENSE, y),
        "conditional_gain": lambda y: ts.conditional_gain(DENSE, y),
        "cross_validate": lambda y: ts.cross_validate(DENSE, y, cv=2),
        "choose_k": lambda y: ts.choose_k(DENSE, y, cv=2),
        "save_csr": lambda y: ts.save_csr("never written", DENSE, y),
        "y_train": lambda y: ts.selection_curve(ranking, DENSE, y, DENSE, Y),
        "y_test": lambda y: ts.selection_curve(ranking, DENSE, Y, DENSE, y),
    }


@pytest.mark.parametrize("taker", takers_of_labels())
@pytest.mark.parametrize("form", columns_of_labels())
def test_one_column_of_labels_is_refused(taker, form):
    name = taker if taker in ("y_train", "y_test") else "y"
    message = complaint(VALUE, takers_of_labels()[taker], columns_of_labels()[form])
    assert message == re.sub(r"\by\b", name, A_COLUMN)


def test_one_column_of_a_data_frame_is_refused():
    for name in ("pandas", "polars"):
        library = pytest.importorskip(name)
        for labels in ([1, 0, 1], Y):
            frame = library.DataFrame({"y": labels})
            assert complaint(VALUE, ts.count, DENSE, frame) == A_COLUMN
            assert ts.count(DENSE, frame["y"]).n_classes == 2


def test_an_indicator_of_one_class_names_it():
    counts = ts.count(DENSE, [[1], [0], [1]], classes=["spam"])
    assert (counts.classes, counts.class_docs.tolist(), counts.n_docs) == (["spam"], [2], 3)
    assert complaint(VALUE, counts.update, DENSE, [[1], [0], [1]]) == A_COLUMN
    counts.update(DENSE, [[1], [0], [1]], classes=["spam"])
    assert counts.class_docs.tolist() == [4]


MISSING = [NAN, np.float64(NAN), np.float32(NAN), complex(NAN, 0), np.datetime64("NaT"), None]


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
    assert message == f"the label of document 1 is missing: {label!r}"
    message = complaint(VALUE, ts.count, DENSE, [(1,)] * 3, classes=[(1,), label])
    assert message.startswith(f"classes hold {label!r}, which ")


@pytest.mark.parametrize("missing", ["NA", "NaT"])
def test_a_missing_value_of_pandas_inside_a_label_is_refused(missing):
    value = getattr(pytest.importorskip("pandas"), missing)
    message = complaint(VALUE, ts.count, DENSE, [(1, "a"), (2, value), (1, "a")])
    assert message == f"the label of document 1 is missing: {(2, value)!r}"


def test_equal_labels_are_one_class():
    equal = [True, 1, 1.0, np.int8(1), np.float32(1), np.True_, 1 + 0j]
    for first in range(len(equal)):
        labels = equal[first:] + equal[:first]
        counts = ts.count(np.ones((len(equal), 1), int), labels)
        assert counts.classes == [1]
        assert type(counts.classes[0]) is type(validation.labels._plain(labels[0]))  # the first one
    assert ts.count(DENSE, [1, "1", b"1"]).n_classes == 3


def test_missing_label_of_pandas():
    pd = pytest.importorskip("pandas")
    y = pd.array(["ham", None, "ham"], dtype="string")
    message = complaint(VALUE, ts.count, DENSE, y)
    assert message == f"the label of document 1 is missing: {y[1]!r}"


@pytest.mark.parametrize("form", ["list", "object", "pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("labels", [["ham", None, "ham"], [(1,), None, (2,)]], ids=["str", "tuple"])
def test_missing_label_is_none(form, labels):
    if form == "list":
        y = labels
    elif form == "object":
        y = np.empty(3, dtype=object)
        y[:] = labels
    elif form == "pandas":
        y = pytest.importorskip("pandas").Series(labels, dtype=object)
    elif labels[0] != "ham":
        pytest.skip("no label of this library")
    elif form == "polars":
        y = pytest.importorskip("polars").Series(labels)
    else:
        y = pytest.importorskip("pyarrow").array(labels)
    message = complaint(VALUE, ts.count, DENSE, y)
    assert message == "the label of document 1 is missing: None"


@pytest.mark.parametrize(
    ("dtype", "y"),
    [
        *((dtype, [-100, 50, 100]) for dtype in ("i1", "i2", "i4", "i8", ">i2")),
        ("i1", [-128, 0, 127]),
        *((dtype, [-30_000, 5_000, 30_000]) for dtype in ("i2", ">i2", "i4")),
        ("i2", [-(2**15), 0, 2**15 - 1]),
        ("i4", [-(2**31), 0, 2**31 - 1]),
        *(("i8", y) for y in ([-(2**63), 0, MOST], [-(2**63), 1 - 2**63], [MOST - 9, MOST])),
        ("u1", [0, 128, 255]),
        *(("u8", y) for y in ([0, 2**63, 2**64 - 1], [2**64 - 3, 2**64 - 1], [0, 2**64 - 1])),
    ],
    ids=str,
)
def test_integer_labels_are_never_wrapped(dtype, y):
    # Differences of these labels leave the dtype, although the labels do not.
    counts = ts.count(np.eye(len(y), dtype=int), np.array(y, dtype))
    assert (counts.classes, counts.class_docs.tolist()) == (y, [1] * len(y))


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


UNHASHABLE = "classes hold a label that is a list, expected something hashable"


@pytest.mark.parametrize(
    ("classes", "error", "message"),
    [
        (["ham"], VALUE, "the label of document 1 is 'spam', which is not in classes"),
        ([], VALUE, "the label of document 0 is 'ham', which is not in classes"),
        (["ham", "spam", "ham"], VALUE, "classes hold 'ham' twice"),
        ([1, "ham", True], VALUE, "classes hold True twice"),
        (np.array([1, 2, 1]), VALUE, "classes hold 1 twice"),
        (["ham", NAN], VALUE, "classes hold nan, which equals no label"),
        (np.array([1, NAN]), VALUE, "classes hold nan, which equals no label"),
        (["ham", None], VALUE, "classes hold None, which stands for a missing label"),
        *((c, TYPE, UNHASHABLE) for c in ([["a"], ["b"]], np.array([["a", "b"]]))),
        *(
            (c, TYPE, f"classes must hold labels in order, got {c!r}")
            for c in ("ab", b"ab", 5, {"ham"})
        ),
    ],
    ids=str,
)
def test_classes(classes, error, message):
    assert complaint(error, ts.count, DENSE, Y, classes=classes) == message


def test_classes_keep_their_order():
    counts = ts.count(DENSE, Y, classes=("spam", "none", "ham"))
    assert counts.classes == ["spam", "none", "ham"]
    assert counts.class_docs.tolist() == [1, 0, 2]


# ----------------------------------------------------------------------------------- overflow


def test_overflow_error_is_both():
    assert issubclass(OVERFLOW, OverflowError)
    assert issubclass(OVERFLOW, ValueError)


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
    message = complaint(OVERFLOW, ts.count, column(MOST, 1), ["a", "a"])
    assert message.startswith("with 1 at row 1, column 0 the tokens of ")
    message = complaint(OVERFLOW, ts.count, column(0, 0), ["a", "a"], [MOST, 1])
    assert message.startswith("with document 1 of weight 1 the number of documents ")


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
    # Each step is small enough not to be looked at closely by itself.
    counts = ts.count(X, y, w)
    four = counts + counts + (counts + counts)
    for _ in range(6):
        counts.update(X, y, w)
    assert "2^63" in failed_update(counts, OVERFLOW, X, y, w)
    assert counts.n_docs >= 0
    before = bits(four)
    assert "2^63" in complaint(OVERFLOW, lambda: four + four)
    assert bits(four) == before


def test_classes_that_overflow_only_together():
    # Nothing that is kept leaves int64, so counting both and adding both agree.
    X, y = column(2**62, 2**62), ["a", "b"]
    both = ts.count(X[:1], y[:1]) + ts.count(X[1:], y[1:])
    assert both == ts.count(X, y) == ts.count(X[:1], y[:1]).update(X[1:], y[1:])
    # The collection as a whole is kept from the first document of several classes on.
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
def test_integer_that_is_no_double_in_float_counts(dtype, value, form):
    X = with_last(value, dtype, form)
    expected = f"X has {value} at row 2, column 3, which float counts cannot hold exactly"
    assert complaint(VALUE, ts.count, X, Y, [0.5, 1, 1]) == expected
    assert failed_update(base("float"), VALUE, X, Y) == expected
    assert failed_update(base(), VALUE, X, Y, [0.5, 1, 1]) == expected
    allowed = with_last(2**53 + 2, dtype, form)
    assert ts.count(allowed, Y, [1.0, 1, 1]).term_frequency[0, 3] == 2**53 + 2


def test_weight_that_is_no_double_in_float_counts():
    for weight in (2**53 + 1, MOST):
        expected = f"sample_weight has {weight} at row 2, which float64 cannot hold exactly"
        assert complaint(VALUE, ts.count, DENSE / 2, Y, [1, 1, weight]) == expected
        assert failed_update(base("float"), VALUE, DENSE, Y, [1, 1, weight]) == expected


def test_exact_counts_that_are_no_doubles_stay_exact():
    counts = ts.count(column(2**53 + 1), ["a"])
    expected = f"exact counts cannot join float counts: {2**53 + 1} is no double"
    assert failed_update(counts, VALUE, column(0.5, dtype=float), ["a"]) == expected
    half = ts.count(column(0.5, dtype=float), ["a"])
    assert complaint(VALUE, lambda: counts + half) == expected
    assert complaint(VALUE, lambda: half + counts) == expected


# ----------------------------------------------------------------------------- never a crash


def sound_table(form: str, X: Any) -> Any:
    """Give the counts as a list of rows, in plain Python; None if the arrays are unsound."""
    n_rows, n_columns = X.shape if form == "csr" else X.shape[::-1]
    indptr, indices, data = (a.tolist() for a in (X.indptr, X.indices, X.data))
    if len(indptr) != n_rows + 1 or len(indices) != len(data) or indptr[0] != 0:
        return None
    if any(b < a for a, b in itertools.pairwise(indptr)) or indptr[-1] > len(data):
        return None
    table = [[0] * X.shape[1] for _ in range(X.shape[0])]
    for line in range(n_rows):
        for entry in range(indptr[line], indptr[line + 1]):
            index, value = indices[entry], data[entry]
            if not (0 <= index < n_columns and 0 <= value < INF):
                return None
            row, term = (line, index) if form == "csr" else (index, line)
            table[row][term] += value
    return table


EXTREMES = (
    *(-(2**63), -(2**31), -(2**15), -2, -1, 0, 1, 2, 3, 4, 5, 6, 127, 255),
    *(2**31 - 1, 2**31, 2**32, 2**53 + 1, 2**60, 2**62, 2**63 - 1, 2**64 - 1),
)
FLOATS = (NAN, INF, -INF, -1.0, -0.0, 0.0, 5e-324, 0.1, 3.0, 1e4)
DTYPES = ("?", "i1", "i4", "i8", "u1", "u8", "f4", "f8", "f2", ">i4", "g")


def corrupted(rng: random.Random) -> tuple[str, Any]:
    """Give DENSE with some numbers of some of its arrays overwritten, cut or repeated."""
    form = rng.choice(["csr", "csc"])
    index = rng.choice([np.int32, np.int64])
    X = edited(form)
    X.indptr, X.indices = X.indptr.astype(index), X.indices.astype(index)
    X.data = X.data.astype(rng.choice(DTYPES))
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        name = rng.choice(["indptr", "indices", "data"])
        array = getattr(X, name)
        kind = rng.randrange(12)
        if kind == 0:
            setattr(X, name, array[: rng.randrange(len(array) + 1)])
        elif kind == 1:
            setattr(X, name, np.append(array, array))
        elif kind == 2:
            setattr(X, name, array[:: rng.choice([-1, 2])])
        elif len(array):
            place = rng.randrange(len(array))
            if array.dtype.kind == "f":
                array[place] = rng.choice(FLOATS)
            elif array.dtype.kind == "b":
                array.view(np.uint8)[place] = rng.randrange(256)
            else:
                limits = np.iinfo(array.dtype)
                array[place] = rng.choice([e for e in EXTREMES if limits.min <= e <= limits.max])
    return form, X


def hunt(seed: int, n: int) -> None:
    """Count corrupted matrices: each is refused or counted as its sound arrays say."""
    rng = random.Random(seed)
    refused = 0
    for _ in range(n):
        form, X = corrupted(rng)
        plain = edited(form, indptr=X.indptr, indices=X.indices, data=X.data)
        if X.data.dtype == bool:  # any byte but 0 is true
            plain.data = (X.data.view(np.uint8) != 0).astype(int)
        table = sound_table(form, plain)
        case = (form, X.indptr, X.indices, X.data, X.data.dtype)
        counts = base()
        before = bits(counts)
        window = rng.choice([1, 8, 16, 2**28])
        options = {"n_threads": rng.choice([1, 4]), "window_bytes": window}
        _core.use_counting_path(rng.choice([None, *_core.counting_paths()]))
        try:
            counted = ts.count(X, [0, 1, 2], classes=[0, 1, 2], **options)
        except (ValueError, TypeError) as error:
            refused += 1
            big = X.data.dtype.kind in "iu" and any(v > MOST for v in X.data.tolist())
            big = big or (table is not None and max(map(sum, table)) > MOST)
            if not (big if isinstance(error, OVERFLOW) else table is None):
                raise AssertionError(("refused", case)) from error
            try:
                counts.update(X, Y, window_bytes=window)
            except (ValueError, TypeError):
                assert bits(counts) == before, case
            else:
                raise AssertionError(("updated with what count refuses", case)) from error
        else:
            assert table is not None, case
            assert counted.term_frequency.toarray().tolist() == table, case
    assert n // 4 < refused < n


@pytest.mark.parametrize("seed", range(4))
def test_corrupted_matrices_never_crash(seed):
    run = subprocess.run(
        [sys.executable, "-W", "error", "-X", "faulthandler", Path(__file__).resolve(), str(seed)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr


# -------------------------------------------------------------------------------- parameters

SCORES = ("score", "class_scores", "rank")
FINITE_ALPHA = "alpha must be finite and not negative, got {!r}"
NUMBER_ALPHA = "alpha must be a number or a pair (b1, b2), got {!r}"
ALL_MASS = "class {} has all the prior mass; scores compare it with the other classes"


PARAMETERS = [
    ("n_threads", [0, -1, 4097, 10**30], VALUE, "n_threads must be in [1, 4096], got {!r}"),
    ("n_threads", [2.0, True, "3", [1]], TYPE, "n_threads must be an integer, got {!r}"),
    ("k", [-1], VALUE, "k must be at least 0, got -1"),
    ("k", [2.0, True, "3", NAN], TYPE, "k must be an integer, got {!r}"),
    ("alpha", [NAN, INF, -INF, -1, -5e-324, 1e308, 10**400], VALUE, FINITE_ALPHA),
    ("alpha", [(NAN, 1), (0, INF), (-1, 1), (1, NAN), (-1, -1), (1, 10**400)], VALUE, FINITE_ALPHA),
    ("alpha", ["1", None, True, 1j, (), (1,), (1, 2, 3), (1, "2")], TYPE, NUMBER_ALPHA),
    ("alpha", [(1, True), [[1], [2]], {1, 2}, (None, 1)], TYPE, NUMBER_ALPHA),
    ("alpha", [(2, 1)], VALUE, "alpha = (b1, b2) must satisfy b1 <= b2, got {!r}"),
    ("class_prior", ["flat"], VALUE,
     "class_prior must be 'empirical', 'uniform' or an array, got 'flat'"),
    *(("class_prior", [p], VALUE, f"class_prior has shape {np.shape(p)}, expected (2,)")
      for p in (1, [1], [1, 1, 1], [[1, 1]])),
    *(("class_prior", [[1, p]], VALUE,
       f"class_prior is {p} for class 1, expected a finite number, not negative")
      for p in (-1.0, NAN, INF)),
    *(("class_prior", [p], TYPE, f"class_prior must hold numbers, got dtype {np.asarray(p).dtype}")
      for p in (["a", "b"], [True, False], [1j, 1], [None, 1], [10**400, 1])),
    ("class_prior", [[1, 0]], VALUE, ALL_MASS.format(0)),
    ("class_prior", [[0, 1]], VALUE, ALL_MASS.format(1)),
    ("class_prior", [[0, 0]], VALUE, "class_prior gives no class with documents any mass"),
    ("aggregate", ["", 1, b"sum", []], VALUE, "aggregate must be one of sum, mean, max, got {!r}"),
    ("aggregate", ["SUM", "sums"], VALUE,
     "aggregate must be one of sum, mean, max, got {!r}; did you mean 'sum'?"),
    ("aggregate", ["median"], VALUE,
     "aggregate must be one of sum, mean, max, got {!r}; did you mean 'mean'?"),
    ("noncentrality", ["pearson"], TYPE,
     "md has no option 'noncentrality' (it has none of its own)"),
    ("non_centrality", ["pearson"], TYPE,
     "md_chi2 has no option 'non_centrality' (it has noncentrality)", "md_chi2"),
    ("noncentrality", [None, []], VALUE,
     "noncentrality must be 'jeffreys' or 'pearson', got {!r}", "md_chi2"),
    ("noncentrality", ["Pearson"], VALUE,
     "noncentrality must be 'jeffreys' or 'pearson', got {!r}; did you mean 'pearson'?", "md_chi2"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value", "error", "message", "method"),
    [
        pytest.param(name, value, error, text, *method or ["md"], id=f"{text} {value!r}"[:90])
        for name, values, error, message, *method in PARAMETERS
        for value in values
        for text in [message.format(value)]
    ],
)
def test_parameter(name, value, error, message, method):
    calls = {"k": ["rank"], "aggregate": ["score", "rank"]}.get(name, SCORES)
    for call in calls:
        assert complaint(error, getattr(base(), call), method, **{name: value}) == message
    if name == "n_threads":
        assert complaint(error, ts.count, DENSE, Y, n_threads=value) == message
        assert failed_update(base(), error, DENSE, Y, n_threads=value) == message


@pytest.mark.parametrize("n_threads", [None, 1, 64, np.int32(2), np.uint8(3)])
def test_n_threads_that_are_fine(n_threads):
    assert ts.count(DENSE, Y, n_threads=n_threads) == base()


@pytest.mark.parametrize(("k", "n"), [(None, 4), (0, 0), (np.int64(2), 2), (4, 4), (10**30, 4)])
def test_k_that_is_fine(k, n):
    assert len(base().rank("md", k)) == n


@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1e300, 1e308])
def test_only_the_ratio_of_priors_matters(scale):
    expected = base().score("md", class_prior="uniform")
    assert base().score("md", class_prior=[scale, scale]).tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("method", "nearest"),
    [
        *(("md_chi", "md_chi2"), ("mdchi2", "md_chi2"), ("mdd", "md"), ("MD-chi2", "md_chi2")),
        *(("zzz", None), ("", None), (None, None), (3, None), (["md"], None)),
    ],
)
def test_method(method, nearest):
    for call in SCORES:
        message = complaint(VALUE, getattr(base(), call), method)
        known = ", ".join(m.name for m in ts.methods())
        assert message.startswith(f"no method {method!r}, expected one of {known}")
        if nearest:
            assert message.endswith(f"; did you mean {nearest!r}?")


@pytest.mark.parametrize("method", ["md", "md_chi2"])
@pytest.mark.parametrize(
    ("counts", "n"),
    {
        "one": (ts.count(DENSE, ["a"] * 3), 1),
        "one and an empty": (ts.count(DENSE, ["a"] * 3, classes=["a", "b"]), 1),
        "one and a weightless": (ts.count(DENSE, Y, sample_weight=[1, 0, 1]), 1),
        "one of floats": (ts.count(DENSE / 2, ["a"] * 3), 1),
        "none": (ts.count(DENSE[:0], []), 0),
        "two empty": (ts.count(DENSE[:0], [], classes=["a", "b"]), 0),
        "no labels": (ts.count(DENSE, np.zeros((3, 2), int)), 0),
        "nothing left": (base() - base(), 0),
    }.values(),
)
def test_fewer_than_two_classes(counts, n, method):
    expected = f"scores compare classes: at least two with documents are needed, got {n}"
    for call in SCORES:
        assert complaint(VALUE, getattr(counts, call), method) == expected


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        *(
            (names, VALUE, f"term_names has {len(names)} names for 4 terms")
            for names in (["a"], list("abcde"), np.array([list("abcd")]))
        ),
        *(
            ([*"abcd"[:i], name, *"abcd"[i + 1 :]], TYPE, f"the name of term {i} is {name!r}, "
             "expected a string")
            for i, name in ((2, 3), (1, None), (1, NAN), (0, b"a"))
        ),
        *(
            (names, TYPE, f"term_names must hold a name for each term in order, got {names!r}")
            for names in ("abcd", b"abcd", 5, set("abcd"))
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, set) else str(value)[:40],
)  # fmt: skip
def test_term_names(names, error, message):
    counts = base()
    counts.term_names = ["w", "x", "y", "z"]
    before = bits(counts)
    assert complaint(error, setattr, counts, "term_names", names) == message
    assert bits(counts) == before


def test_vocabulary_with_names_cannot_grow_unnoticed():
    counts, other = base(), base()
    counts.term_names, other.term_names = list("abcd"), list("abzd")
    expected = "X has 5 terms, but only 4 have names: set term_names to None first"
    assert failed_update(counts, VALUE, np.ones((3, 5), int), Y) == expected
    expected = "the vocabularies differ: term 2 is 'c' in one and 'z' in the other"
    assert complaint(VALUE, lambda: counts + other) == expected
    assert complaint(VALUE, lambda: counts - other) == expected


def test_subtracting_what_is_no_part():
    whole, before = base(), bits(base())
    for part, message in (
        (ts.count(DENSE, ["eggs"] * 3), "class 'eggs' is not among the classes"),
        (whole + whole, "would be negative"),
        (ts.count(column(1), ["spam"]), "the count of term 0 in class 1 would be negative"),
    ):
        said = complaint(VALUE, whole.__sub__, part)
        assert said.startswith("cannot subtract counts that are not part of these: ")
        assert said.endswith(message)
    assert bits(whole) == before


@pytest.mark.parametrize("other", [1, None, "counts", DENSE], ids=["int", "None", "str", "array"])
def test_combining_with_something_else(other):
    with pytest.raises(TypeError):
        base() + other
    with pytest.raises(TypeError):
        base() - other
    assert complaint(TYPE, ts.ClassCounts) == "use termsift.count or termsift.load"


if __name__ == "__main__":
    hunt(int(sys.argv[1]), 2_000)


@pytest.mark.parametrize(
    ("call", "near"),
    [
        (lambda counts: counts.rank("chi-2"), "chi2"),
        (lambda counts: counts.score("mdchi2"), "md_chi2"),
        (lambda counts: counts.rank("gredy"), "greedy"),
        (lambda counts: counts.significance("chi"), "chi2"),
        (lambda counts: counts.rank(policy="roundrobin"), "round_robin"),
        (lambda counts: counts.rank(model="Bernouli"), "bernoulli"),
        (lambda counts: counts.score(aggregate="average"), None),
        (lambda counts: counts.score(aggregate="maxi"), "max"),
        (lambda counts: counts.score("md_chi2", noncentrality="pearsons"), "pearson"),
        (lambda _: ts.count(np.eye(2), [0, 1], tf="bin"), "binary"),
        (lambda counts: counts.to_frame(library="panda"), "pandas"),
        (lambda counts: counts.rank("xyz"), None),
    ],
)
def test_a_name_that_is_nearly_right_is_told_the_right_one(call: Any, near: str | None) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        call(ts.count(np.eye(2), [0, 1]))
    hint = str(caught.value).partition("; did you mean ")[2]
    assert hint == ("" if near is None else f"{near!r}?")
