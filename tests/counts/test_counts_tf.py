"""``tf``: the weight of a term's occurrences in a document."""

from __future__ import annotations

import copy
import math
import pickle
from pathlib import Path
from typing import Any
from unittest.mock import patch

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

import termsift as ts
from private import _core
from strategies import collections, fits_float_counts, labelled, streamable_matrices
from wording import raises

TF: list[Any] = ["raw", "log", "binary"]
DAMPED = TF[1:]


def dense(X: Any) -> Any:
    """Return the matrix as a dense float64 array, with repeated entries added up."""
    result = np.zeros(X.shape)
    coo = X.tocoo(copy=True)
    np.add.at(result, (coo.row, coo.col), coo.data.astype(np.float64))
    return result


def damp(X: Any, tf: str) -> Any:
    return {"raw": X, "log": np.log1p(X), "binary": (X > 0).astype(float)}[tf]


def tables(X: Any, y: Any, weights: Any, tf: str, classes: list[Any]) -> tuple[Any, Any]:
    """Return the term and document frequencies by class, from the dense matrix."""
    x = dense(X)
    w = np.ones(len(x)) if weights is None else np.asarray(weights, float)
    if sp.issparse(y) or (isinstance(y, np.ndarray) and y.ndim == 2):
        members = np.asarray(y.todense() if sp.issparse(y) else y, float)
    else:
        members = np.array([[label == c for c in classes] for label in list(y)], float)
        members = members.reshape(len(x), len(classes))
    by_class = members.T * w
    return by_class @ damp(x, tf), by_class @ (x > 0)


def least_positive(values: Any) -> float:
    values = np.asarray(values, float)
    return float(values[values > 0].min(initial=1.0))


# ---- the same by every way of counting -----------------------------------------------------------


@pytest.mark.parametrize("tf", TF)
@given(collection=collections())
def test_equal_to_the_formulas(
    counting_path: str, tf: Any, collection: tuple[Any, Any, Any]
) -> None:
    X, y, weights = collection
    float_weights = weights is not None and weights.dtype.kind == "f"
    if tf == "raw":
        assume(X.dtype.kind not in "iu" or not float_weights or X.dtype.itemsize < 8)
    if weights is not None:  # a product that underflows to 0 is not counted
        assume(least_positive(X.data) * least_positive(weights) > 0)
    counts = ts.count(X, y, weights, tf=tf)
    assert counts.tf == tf
    frequencies, documents = tables(X, y, weights, tf, counts.classes)
    exact = not float_weights and (tf == "binary" or (tf == "raw" and X.dtype.kind in "biu"))
    assert counts.term_frequency.dtype == (np.int64 if exact else np.float64)
    if tf == "binary" and (exact or weights is None):
        assert np.array_equal(counts.term_frequency.toarray(), frequencies)
    np.testing.assert_allclose(counts.term_frequency.toarray(), frequencies, rtol=1e-13)
    np.testing.assert_allclose(counts.document_frequency.toarray(), documents, rtol=1e-13)
    for table in (counts.term_frequency, counts.document_frequency):
        assert (table.data > 0).all()


@pytest.mark.parametrize("tf", TF)
@given(
    collection=st.one_of(collections(), labelled(streamable_matrices())),
    data=st.data(),
    threads=st.sampled_from([1, 2, 7]),
    window=st.sampled_from([1, 100, _core.default_window_bytes]),
    target=st.sampled_from(_core.simd_targets()),
)
def test_ways_threads_windows_targets_and_chunks_change_no_bit(
    tf: Any,
    collection: tuple[Any, Any, Any],
    data: st.DataObject,
    threads: int,
    window: int,
    target: str,
) -> None:
    # Catches mistakes with values too large for packed entries, at the ends of windows and
    # vocabularies, and in the kernels of single SIMD targets.
    X, y, weights = collection
    assume(tf != "raw" or fits_float_counts(X, weights))
    X = X.tocsr()
    expected = ts.count(X, y, weights, tf=tf)
    best = _core.simd_target()
    for path in _core.counting_paths():
        _core.use_counting_path(path)
        _core.use_simd_target(target)
        try:
            with patch.object(_core, "default_window_bytes", window):
                counts = ts.count(X, y, weights, tf=tf, n_threads=threads)
        finally:
            _core.use_counting_path(None)
            _core.use_simd_target(best)
        assert counts == expected
        assert counts.class_tokens.tobytes() == expected.class_tokens.tobytes()
    cut = data.draw(st.integers(0, X.shape[0]))
    y = y.tocsr() if sp.issparse(y) else y
    parts = [
        (X[part], y[part], None if weights is None else weights[part])
        for part in (slice(cut), slice(cut, None))
    ]
    in_chunks = ts.count(*parts[0], expected.classes, tf=tf).update(*parts[1], n_threads=threads)
    assert in_chunks.tf == tf
    if in_chunks.class_docs.dtype == expected.class_docs.dtype:
        assert in_chunks == expected


def test_entries_are_damped_before_weights_and_after_repetitions() -> None:
    X = sp.csr_array((3, 3), dtype=np.float64)
    X.indptr = np.array([0, 4, 6, 7], np.int32)
    X.indices = np.array([2, 0, 2, 1, 1, 1, 0], np.int32)
    X.data = np.array([1.0, 3.0, 2.0, 0.0, 0.25, 0.5, 7.0])
    y, weights = ["a", "b", "a"], [2.0, 0.5, 3.0]
    log = ts.count(X, y, weights, tf="log")
    expected = [
        [2 * math.log(4) + 3 * math.log(8), 0, 2 * math.log(4)],
        [0, math.log1p(0.75) / 2, 0],
    ]
    np.testing.assert_allclose(log.term_frequency.toarray(), expected, rtol=1e-15)
    binary = ts.count(X, y, weights, tf="binary")
    assert binary.term_frequency.toarray().tolist() == [[5, 0, 2], [0, 0.5, 0]]
    assert binary.document_frequency.toarray().tolist() == [[5, 0, 2], [0, 0.5, 0]]
    whole = ts.count(X, y, [2, 1, 3], tf="binary")
    assert whole.term_frequency.dtype == np.int64
    assert whole.term_frequency.toarray().tolist() == [[5, 0, 2], [0, 1, 0]]
    assert repr(whole).endswith("3 pairs, exact, tf=binary>")
    assert repr(log).endswith("3 pairs, float, tf=log>")


# ---- the logarithm -------------------------------------------------------------------------------


def hard_values() -> Any:
    rng = np.random.default_rng(6)
    near = [1.0, 2.0, 0.5, 2.0**-54, 2.0**-53, 2.0**52, 2.0**53, 2.0**900, 2.0**1023]
    return np.concatenate(
        [
            rng.random(20_000),
            1 + rng.random(5_000),
            np.arange(1.0, 3_000),
            10 ** rng.uniform(-320, 308, 20_000),
            [np.nextafter(x, to) for x in near for to in (0, x, np.inf)],
            [5e-324, 2.2e-308, np.finfo(float).max],
        ]
    )


def test_logarithms_are_accurate_on_every_target(simd_target: str) -> None:
    values = hard_values()
    counts = ts.count(values[None, :], [0], tf="log")
    ours = counts.term_frequency.data
    _core.use_simd_target("baseline")
    again = ts.count(values[None, :], [0], tf="log").term_frequency.data
    assert ours.tobytes() == again.tobytes()
    for x, y in zip(values[::7].tolist(), ours[::7].tolist(), strict=True):
        with mpmath.workprec(1200):
            exact = mpmath.log1p(mpmath.mpf(x))
            error = abs(mpmath.mpf(y) - exact) / math.ulp(y)
        assert error <= 1, x


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf])
@pytest.mark.parametrize("tf", DAMPED)
def test_impossible_values_are_refused_as_ever(counting_path: str, tf: Any, value: float) -> None:
    X = np.array([[1.0, 0.0, 2.0], [0.0, value, 0.0]])
    with raises(ValueError, "at_row_1_column_1", at="row 1, column 1"):
        ts.count(X, [0, 1], tf=tf)
    counts = ts.count(X[:1], [0], tf=tf)
    before = copy.deepcopy(counts)
    with raises(ValueError, "at_row_0_column_1", at="row 0, column 1"):
        counts.update(X[1:], [1])
    assert counts == before


def test_sums_beyond_doubles() -> None:
    X = sp.csr_array((1, 2), dtype=np.float64)
    X.indptr, X.indices = np.array([0, 2], np.int32), np.array([1, 1], np.int32)
    X.data = np.array([1e308, 1e308])
    with raises(ValueError, "entries_add_up_to_infinity", at="row 0, column 1"):
        ts.count(X, [0], tf="log")
    assert ts.count(X, [0], tf="binary").term_frequency.toarray().tolist() == [[0, 1]]


# ---- counts remember it --------------------------------------------------------------------------

X = sp.csr_array(np.array([[3, 0, 1], [0, 2, 2], [1, 0, 5], [0, 9, 0]]))
Y = ["a", "b", "b", "a"]


@pytest.mark.parametrize("tf", TF)
def test_counts_of_one_kind_add_and_subtract(tf: Any) -> None:
    whole, first = ts.count(X, Y, tf=tf), ts.count(X[:2], Y[:2], tf=tf)
    rest = ts.count(X[2:], Y[2:], tf=tf)
    for ours, expected in ((first + rest, whole), (whole - first, rest)):
        assert ours.tf == tf
        np.testing.assert_allclose(
            ours.term_frequency.toarray(), expected.term_frequency.toarray(), 1e-14, 1e-12
        )


@pytest.mark.parametrize("tf", TF)
def test_counts_of_different_kinds_do_not_mix(tf: Any) -> None:
    counts = ts.count(X, Y, tf=tf)
    for other in TF:
        if other == tf:
            continue
        others = ts.count(X, Y, tf=other)
        assert counts != others
        for operation in (lambda a, b: a + b, lambda a, b: a - b):
            with raises(
                ValueError, "the_counts_differ_in_tf", argument="tf", at=f"{tf!r} and {other!r}"
            ):
                operation(counts, others)


@pytest.mark.parametrize("tf", TF)
def test_copies_pickles_and_files_keep_it(tf: Any, tmp_path: Path) -> None:
    counts = ts.count(X, Y, [1.0, 0.5, 1.0, 2.0], tf=tf)
    path = tmp_path / "c.termsift"
    counts.save(path)
    for again in (copy.copy(counts), pickle.loads(pickle.dumps(counts)), ts.load(path)):
        assert again == counts
        assert again.tf == tf
        again.update(X, Y)
        assert again == ts.count(X, Y, [1.0, 0.5, 1.0, 2.0], tf=tf).update(X, Y)
