"""ClassCounts: compiled counting equals the reference for any input."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import termsift as ts
from private import core_of
from strategies import collections, fits_float_counts, labelled, streamable_matrices
from termsift import reference
from wording import raises

pytestmark = pytest.mark.usefixtures("counting_path")  # all tests here run on each path


def assert_equal_counts(counts: ts.ClassCounts, expected: reference.ReferenceCounts) -> None:
    """Compare counts with the reference, exactly except for sums of float cells.

    The cells are equal, because both add in the order of the documents.
    """
    assert counts.classes == expected.classes
    assert counts.n_docs == expected.n_docs
    for name in ("class_docs", "term_frequency", "document_frequency"):
        ours, theirs = getattr(counts, name), getattr(expected, name)
        ours = ours.toarray() if sp.issparse(ours) else ours
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs), name
    if counts.class_tokens.dtype == np.int64:
        assert np.array_equal(counts.class_tokens, expected.class_tokens)
    else:  # termsift rounds the sum of the cells correctly, and the reference does not
        np.testing.assert_allclose(counts.class_tokens, expected.class_tokens, rtol=1e-13)


@given(st.one_of(labelled(streamable_matrices()), collections()))
def test_equal_to_the_reference(collection: tuple[Any, Any, Any]) -> None:
    X, y, sample_weight = collection
    if not fits_float_counts(X, sample_weight):
        with raises(ValueError, "float_counts_cannot_hold_exactly"):
            ts.count(X, y, sample_weight)
        return
    counts = ts.count(X, y, sample_weight)
    assert_equal_counts(counts, reference.count(X, y, sample_weight))
    tables = counts.term_frequency, counts.document_frequency
    for table in tables:  # rows must be sorted, with distinct columns and without zeros
        assert table.has_canonical_format
        assert (table.data > 0).all()


def bits(counts: ts.ClassCounts) -> Any:
    """Return the contents of the counts in a form that is equal only if all bits are equal."""
    arrays = core_of(counts).to_arrays()
    return counts.classes, {k: v.tobytes() if isinstance(v, np.ndarray) else v
                            for k, v in arrays.items()}  # fmt: skip


def test_the_chosen_way_is_taken(counting_path: str, caplog: pytest.LogCaptureFixture) -> None:
    # If the chosen counting path were ignored, the tests would test one path several times.
    with caplog.at_level("DEBUG", logger="termsift"):
        ts.count(np.array([[1, 2], [0, 3]]), ["a", "b"])
        ts.count(np.array([[1, 2], [0, 3]]), ["a", "b"], [0.5, 1])
    ways = [message.rpartition(" ")[2] for message in caplog.messages]
    assert ways == [counting_path, "rows"]


def way(caplog: pytest.LogCaptureFixture, *args: Any, **options: Any) -> tuple[str, Any]:
    """Count, and return the counting path that was used and the counts."""
    caplog.clear()
    with caplog.at_level("DEBUG", logger="termsift"):
        counts = ts.count(*args, **options)
    return caplog.messages[0].rpartition(" ")[2], counts


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.uint64, np.float32, np.float64])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_csc_is_counted_by_columns(
    counting_path: str, caplog: pytest.LogCaptureFixture, dtype: Any, n_threads: int
) -> None:
    # More than 2^15 documents and large values overflow small counters. Terms need two blocks.
    rng = np.random.default_rng(0)
    X = sp.random_array((70_000, 9000), density=0.0001, random_state=rng, format="csr")
    X.data[:] = rng.integers(1, 9, X.nnz)
    X.data[::20] = 255 if dtype in (bool, np.uint8) else 2**20
    first = np.full((70_000, 1), 7)
    if dtype not in (bool, np.uint8):
        first[::20] = 2**23  # the sums of several classes exceed 2^32
    X = sp.hstack([first, X], format="csr").astype(dtype)
    one, several = rng.integers(0, 40, 70_000), rng.random((70_000, 9)) < 0.2
    before = ts.count(np.array([[2, 1]]), [3])
    for y in (one, several):
        for tf in ("raw", "binary"):
            taken, counts = way(caplog, X.tocsc(), y, tf=tf, n_threads=n_threads)
            assert taken == "columns"
            assert bits(counts) == bits(ts.count(X, y, tf=tf))
    updated = [copy.copy(before).update(Z, one, n_threads=n_threads) for Z in (X, X.tocsc())]
    assert bits(updated[0]) == bits(updated[1])


@pytest.mark.parametrize(
    "case", ["unsorted", "twice", "zero", "fraction", "weights", "log", "wide"]
)
def test_other_csc_is_converted(
    counting_path: str, caplog: pytest.LogCaptureFixture, case: str
) -> None:
    X = sp.csc_array(np.array([[1.0, 2], [0, 3], [4, 0], [5, 6]]))
    y, options = ["a", "b", "a", "b"], {}
    if case == "unsorted":
        X.indices[:2] = X.indices[1::-1]
        X.data[:2] = X.data[1::-1]
    elif case == "twice":
        X.indices[1] = X.indices[0]
    elif case == "weights":
        options["sample_weight"] = [0.5, 1, 2, 3]
    elif case == "log":
        options["tf"] = "log"
    elif case == "wide":
        X = sp.csc_array((X.data, X.indices, np.r_[X.indptr, [len(X.data)] * 99]), (4, 101))
    else:
        X.data[0] = {"zero": 0, "fraction": 0.25}[case]
    taken, counts = way(caplog, X, y, **options)
    assert taken != "columns"
    assert bits(counts) == bits(ts.count(X.toarray(), y, **options))


def rows_of(X: Any, rows: slice) -> Any:
    """Return rows with their stored entries. Slices by scipy may sort entries or sum duplicates."""
    X = X.tocsr() if X.format == "csc" else X
    indptr = X.indptr[rows.start : rows.stop + 1]
    part = slice(int(indptr[0]), int(indptr[-1]))
    out = sp.csr_array((rows.stop - rows.start, X.shape[1]), dtype=X.dtype)
    out.indptr, out.indices, out.data = indptr - indptr[0], X.indices[part], X.data[part]
    return out


@given(collections(), st.data())
def test_shards_add_and_folds_subtract(
    collection: tuple[Any, Any, Any], data: st.DataObject
) -> None:
    X, y, sample_weight = collection
    assume(fits_float_counts(X, sample_weight))
    whole = ts.count(X, y, sample_weight)
    assume(whole.class_docs.dtype == np.int64)  # sums of float shards may be rounded
    cut = data.draw(st.integers(0, X.shape[0]))
    a, b = (
        ts.count(
            rows_of(X, part),
            y.tocsr()[part] if sp.issparse(y) else y[part],
            None if sample_weight is None else sample_weight[part],
        )
        for part in (slice(0, cut), slice(cut, X.shape[0]))
    )
    assert a + b == whole
    rest = whole - b
    for c, label in enumerate(rest.classes):  # some classes may be empty
        if label in a.classes:
            mine = a.classes.index(label)
            for name in ("term_frequency", "document_frequency"):
                ours, theirs = getattr(rest, name).toarray(), getattr(a, name).toarray()
                assert np.array_equal(ours[c], theirs[mine])
            assert rest.class_docs[c] == a.class_docs[mine]
        else:
            assert rest.class_docs[c] == 0
            assert rest.term_frequency.toarray()[c].sum() == 0


def test_float_folds_leave_no_dust() -> None:
    # In doubles, 0.1 + 0.2 - 0.2 is not 0.1. A pair whose frequency becomes 0 must disappear.
    X = sp.csr_array(np.array([[0.1, 0.3], [0.2, 0.0], [0.7, 0.0]]))
    y = ["a", "b", "a"]
    rest = ts.count(X, y) - ts.count(X[:1], y[:1])
    assert rest.document_frequency.toarray().tolist() == [[1, 0], [1, 0]]
    np.testing.assert_allclose(rest.term_frequency.toarray(), [[0.7, 0], [0.2, 0]], rtol=1e-15)


def test_subtraction_never_returns_impossible_counts() -> None:
    # No difference of cells is negative. But the rest would have a term in more documents than
    # there are, or in more documents than the term has occurrences.
    with raises(ValueError, "not_part_of_these"):
        ts.count(np.array([[1], [1]]), ["a", "a"]) - ts.count(np.array([[1], [0]]), ["a", "a"])
    with raises(ValueError, "not_part_of_these"):
        ts.count(np.array([[2], [2], [1]]), ["a"] * 3) - ts.count(np.array([[4]]), ["a"])


def test_a_part_of_other_documents_is_named_by_its_cell() -> None:
    with raises(ValueError, "a_part_leaves_documents", at="term 0 in class 'a'"):
        ts.count(np.array([[1], [1]]), ["a"] * 2) - ts.count(np.array([[2]]), ["a"])
    with raises(ValueError, "a_part_leaves_occurrences", at="term 0 in class 'a'"):
        ts.count(np.array([[3], [0]]), ["a"] * 2) - ts.count(np.array([[1]]), ["a"])


def test_columns_of_flags_are_checked() -> None:
    X = sp.csr_array([[True, False], [True, True]])
    assert ts.count(X, ["a", "b"]).term_frequency.toarray().tolist() == [[1, 0], [1, 1]]
    X.indices[1] = 99
    with raises(ValueError, "x_has_the_index_99", argument="X", at="row 1"):
        ts.count(X, ["a", "b"])


def test_few_documents_are_not_rounding() -> None:
    # Whole numbers are subtracted exactly: 1e13 + 1 documents less 1e13 are one document.
    X, y = np.array([[1.0, 0], [0, 1], [1, 1]]), ["a", "a", "b"]
    rest = ts.count(X, y, [1e13, 1, 1]) - ts.count(X[:1], y[:1], [1e13])
    assert rest.class_docs.tolist() == [1, 1]
    united = rest + ts.count(X[:1], ["a"])
    assert united.term_frequency.toarray().tolist() == [[1, 1], [1, 1]]


def test_equal_whichever_way_the_collection_is_known() -> None:
    X = np.array([[1, 0], [2, 1], [4, 0]])
    several = np.array([[1, 1], [1, 0], [0, 1]])
    rest = ts.count(X, several) - ts.count(X[:1], several[:1])
    assert rest == ts.count(X[1:], [0, 1])
    one_hot = np.array([[1, 0], [1, 0], [0, 1]])
    assert ts.count(X.astype(float), one_hot) == ts.count(X.astype(float), [0, 0, 1])


def test_names_cannot_be_changed_behind_the_counts() -> None:
    counts = ts.count(np.array([[1, 0]]), ["a"])
    counts.term_names = ["x", "y"]
    names = (counts + counts).term_names
    assert names is not None
    with pytest.raises(ValueError, match="read-only"):
        names[0] = "z"


def test_given_classes_keep_their_order_and_late_ones_follow() -> None:
    counts = ts.count(np.array([[1], [2]]), ["a", "c"], classes=["c", "b", "a"])
    assert counts.classes == ["c", "b", "a"]
    assert counts.class_docs.tolist() == [1, 0, 1]
    assert counts.update(np.array([[1]]), ["aa"]).classes == ["c", "b", "a", "aa"]


def test_several_labels_count_a_document_once_in_the_collection() -> None:
    X = np.array([[1, 0], [2, 1], [4, 0]])
    indicator = np.array([[1, 1], [0, 1], [0, 0]])
    counts = ts.count(X, indicator, classes=["x", "y"])
    assert counts.term_frequency.toarray().tolist() == [[1, 0], [3, 1]]
    assert (counts.n_docs, counts.class_docs.tolist()) == (3, [1, 2])
    arrays = core_of(counts).to_arrays()
    assert arrays["has_collection"]
    assert arrays["document_frequency"][-2:].tolist() == [3, 1]
    # An indicator with one class per document gives the counts of labels. Both can be added.
    single = np.array([[1, 0], [0, 1], [0, 1]])
    assert ts.count(X, single, classes=["x", "y"]) == ts.count(X, ["x", "y", "y"])
    united = counts + ts.count(X, ["x", "y", "y"])
    assert core_of(united).to_arrays()["document_frequency"][-2:].tolist() == [6, 2]
    rest = united - counts
    assert rest.n_docs == 3
    assert rest.term_frequency.toarray().tolist() == [[1, 0], [6, 1]]


def test_arrays_of_other_layouts(tmp_path: Any) -> None:
    rng = np.random.default_rng(2)
    X = sp.csr_array(rng.poisson(0.5, (20, 12)))
    y = rng.integers(0, 3, 20)
    expected = ts.count(X, y)

    strided = X.copy()
    strided.data = np.repeat(X.data, 2)[::2]
    assert ts.count(strided, y) == expected

    swapped = X.copy()
    swapped.data, swapped.indices = X.data.astype(">i8"), X.indices.astype(">i4")
    assert ts.count(swapped, y) == expected

    mapped = X.copy()
    for name in ("data", "indices", "indptr"):
        np.save(tmp_path / f"{name}.npy", getattr(X, name))
        setattr(mapped, name, np.load(tmp_path / f"{name}.npy", mmap_mode="r"))
    assert ts.count(mapped, y) == expected
    del mapped

    half = sp.csr_array(X.astype(np.float64))
    half.data = half.data.astype(np.float16)
    assert np.array_equal(
        ts.count(half, y).term_frequency.toarray(), expected.term_frequency.toarray()
    )
    for dtype in (np.uint8, np.int64):
        assert ts.count(np.asfortranarray(X.toarray().astype(dtype)), y) == expected
    tall = np.asfortranarray(np.vstack([X.toarray()] * 2))
    assert ts.count(tall[: X.shape[0]], y) == expected
    assert ts.count(tall[:: 2 * X.shape[0] - 1], [0, 1]).n_docs == 2

    wide = X.copy()
    wide.indptr = wide.indptr.astype(np.int64)
    wide.indices = wide.indices.astype(np.int32)
    assert ts.count(wide, y) == expected
    wide.indptr[-1] += 1 << 32
    with raises(ValueError, "indptr_reaches_beyond_the_entries"):
        ts.count(wide, y)


def test_the_caller_s_arrays_are_left_alone() -> None:
    X = sp.csr_array((np.array([1, 0, 2]), np.array([1, 1, 0]), np.array([0, 3])), shape=(1, 2))
    before = X.data.copy(), X.indices.copy(), X.indptr.copy()
    ts.count(X, [0])
    ts.count(X.tocsc(), [0])
    assert all(
        np.array_equal(a, b) for a, b in zip(before, (X.data, X.indices, X.indptr), strict=True)
    )


@pytest.mark.parametrize(
    ("shape", "classes"), [((0, 0), []), ((0, 5), []), ((3, 0), [1]), ((1, 1), [1])]
)
def test_the_smallest_collections(shape: tuple[int, int], classes: list[int]) -> None:
    counts = ts.count(sp.csr_array(shape, dtype=np.int64), np.ones(shape[0], dtype=int))
    assert counts.classes == classes
    assert counts.n_terms == shape[1]
    assert counts.term_frequency.shape == (len(classes), shape[1])


def test_tens_of_thousands_of_classes_and_several_blocks_of_terms() -> None:
    # The parts of so many rows are made group by group, and values above 2^16 are escapes.
    rng = np.random.default_rng(1)
    n_docs, n_terms, n_classes, length = 60_000, 300_000, 40_000, 8
    terms = rng.integers(0, n_terms // length, (n_docs, length)) * length + np.arange(length)
    values = rng.integers(1, 9, n_docs * length)
    values[::1000] = 70_000
    indptr = np.arange(n_docs + 1) * length
    X = sp.csr_array((values, np.sort(terms).ravel(), indptr), shape=(n_docs, n_terms))
    y = rng.permutation(np.arange(n_docs) % n_classes)
    Y = sp.csr_array((np.ones(n_docs, int), (y, np.arange(n_docs))), shape=(n_classes, n_docs))
    counts = ts.count(X, y, n_threads=3)
    for found, of in ((counts.term_frequency, X), (counts.document_frequency, X.sign())):
        expected = (Y @ of).tocsr()
        expected.sort_indices()
        for part in ("indptr", "indices", "data"):
            assert_array_equal(getattr(found, part), getattr(expected, part))


def test_frequencies_outgrow_four_bytes_and_come_back(tmp_path: Any) -> None:
    # No operation may keep a sum of 2^32 or more in four bytes.
    X = np.array([[2**32 - 1, 1, 1, 1, 1, 1, 1, 1, 1]])
    small = ts.count(X, ["a"])
    large = copy.copy(small).update(X, ["a"])
    assert large.term_frequency.toarray().tolist() == [(2 * X[0]).tolist()]
    assert large == small + small == ts.count(np.vstack([X, X]), ["a", "a"])
    assert large - small == small
    assert bits(large - small) == bits(small)
    for counts in (small, large):
        counts.save(tmp_path / "counts.npz")
        assert bits(ts.load(tmp_path / "counts.npz")) == bits(counts)
        floats = counts + ts.count(np.zeros((1, 9)), ["a"])
        assert np.array_equal(floats.term_frequency.toarray(), counts.term_frequency.toarray())
        assert floats.class_tokens.tolist() == counts.class_tokens.tolist()
    assert small.term_frequency[0, 0] == 2**32 - 1


def test_counts_print_what_they_are() -> None:
    counts = ts.count(np.array([[1, 2]]), ["a"])
    assert repr(counts) == "<ClassCounts of 1 document: 1 class x 2 terms, 2 pairs, exact>"
    with raises(TypeError, "made_by_count_or_load"):
        ts.ClassCounts()


def test_names_of_terms() -> None:
    X = np.array([[2, 1], [0, 3]])
    counts = ts.count(X, ["a", "b"], term_names=("oil", "ship"))
    assert list(counts.term_names) == ["oil", "ship"]
    with raises(ValueError, "term_names_has_1_names", argument="term_names"):
        ts.count(X, ["a", "b"], term_names=["oil"])
    with raises(ValueError, "x_has_3_terms_but", argument="X"):
        counts.update(np.ones((1, 3), int), ["a"])
    frame = pytest.importorskip("pandas").DataFrame({"oil": [2, 0], "ship": [1, 3]})
    assert ts.count(frame, ["a", "b"]) == counts
    assert ts.count(frame, ["a", "b"], term_names=["a", "b"]) != counts
