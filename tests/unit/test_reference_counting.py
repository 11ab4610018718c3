"""Counting by the reference: against values by hand, scipy and other layouts of the input."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from strategies import CONTAINERS, INTEGER_DTYPES, collections, csr_matrices, labels
from termsift import reference

# Two documents of class "a", one of "b". The first stores term 0 as 1 + 2 and term 2 as a zero.
X_UNTIDY = sparse.csr_array((3, 3), dtype=np.int64)
X_UNTIDY.indices = np.array([2, 0, 0, 1, 2, 2])
X_UNTIDY.data = np.array([0, 1, 2, 4, 5, 6])
X_UNTIDY.indptr = np.array([0, 3, 5, 6])


def test_count_by_hand():
    counts = reference.count(X_UNTIDY, ["b", "a", "b"])
    assert counts.classes == ["a", "b"]
    assert_array_equal(counts.class_docs, [1, 2])
    assert_array_equal(counts.term_frequency, [[0, 4, 5], [3, 0, 6]])
    assert_array_equal(counts.class_tokens, [9, 9])
    assert_array_equal(counts.document_frequency, [[0, 1, 1], [1, 0, 1]])
    assert counts.n_docs == 3
    assert isinstance(counts.n_docs, int)
    assert counts.collection_term_frequency is counts.collection_document_frequency is None
    arrays = [x for x in dataclasses.astuple(counts) if isinstance(x, np.ndarray)]
    assert [x.dtype for x in arrays] == [np.int64] * 4


def test_count_with_weights_by_hand():
    counts = reference.count(X_UNTIDY, ["b", "a", "b"], sample_weight=[0.5, 0, 2])
    assert_array_equal(counts.class_docs, [0, 2.5])
    assert_array_equal(counts.term_frequency, [[0, 0, 0], [1.5, 0, 12]])
    assert_array_equal(counts.document_frequency, [[0, 0, 0], [0.5, 0, 2]])
    assert_array_equal(counts.class_tokens, [0, 13.5])
    assert counts.n_docs == 2.5
    assert counts.term_frequency.dtype == counts.class_docs.dtype == np.float64


def test_count_with_several_labels_by_hand():
    # The first document has both classes, the second one, the third none.
    y = np.array([[1, 1], [0, 1], [0, 0]])
    for indicator in (y, y.astype(bool), y.astype(float), sparse.csc_array(y)):
        counts = reference.count(X_UNTIDY, indicator)
        assert counts.classes == [0, 1]
        assert_array_equal(counts.class_docs, [1, 2])
        assert_array_equal(counts.term_frequency, [[3, 0, 0], [3, 4, 5]])
        assert_array_equal(counts.document_frequency, [[1, 0, 0], [1, 1, 1]])
        assert counts.n_docs == 3
        assert_array_equal(counts.collection_term_frequency, [3, 4, 11])
        assert_array_equal(counts.collection_document_frequency, [1, 1, 2])
    assert reference.count(X_UNTIDY, y, classes=["u", "v"]).classes == ["u", "v"]


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([3, -1, 3], [-1, 3]),
        (["b", "a", "b"], ["a", "b"]),
        ([(2, 0), (1, 9), (2, 0)], [(1, 9), (2, 0)]),
        (["b", 1, (2,), -1], [-1, 1, "b", (2,)]),
        (np.array([2.5, 0.5, 2.5]), [0.5, 2.5]),
    ],
)
def test_classes_are_sorted_by_kind_if_they_must(y, classes):
    assert reference.count(np.eye(len(y)), y).classes == classes


@pytest.mark.parametrize("missing", [None, np.nan])
def test_a_missing_label_is_no_class(missing):
    with pytest.raises(ValueError, match=r"y\[1\] is .* missing"):
        reference.count(np.eye(2), ["a", missing])


def test_classes_given_keep_their_order_and_may_be_empty():
    counts = reference.count(np.eye(3, dtype=int), ["b", "a", "b"], classes=["c", "b", "a"])
    assert counts.classes == ["c", "b", "a"]
    assert_array_equal(counts.class_docs, [0, 2, 1])


def test_float_cells_are_summed_in_document_order():
    # 1 + 2^-53 rounds to 1, twice; 2^-53 + 2^-53 + 1 does not.
    tiny = 2.0**-53
    for column, total in (([1, tiny, tiny], 1.0), ([tiny, tiny, 1], 1 + 2.0**-52)):
        X = np.array(column).reshape(3, 1)
        for container in (np.asarray, *CONTAINERS):
            assert reference.count(container(X), [0, 0, 0]).term_frequency[0, 0] == total


def test_integers_beyond_float64_are_exact():
    odd = 2**62 - 1
    counts = reference.count(np.array([[odd, 0], [0, odd]]), [0, 1])
    assert counts.term_frequency.tolist() == [[odd, 0], [0, odd]]


@pytest.mark.parametrize(
    "X",
    [
        np.array([[2**62], [2**62]]),
        np.array([[2**62, 2**62], [0, 0]]),  # each cell fits, their sum does not
        np.array([[2**64 - 1], [0]], dtype=np.uint64),
        np.array([[1e308], [1e308]]),
    ],
)
def test_counts_too_large_for_their_type_are_refused(X):
    with pytest.raises(OverflowError):
        reference.count(X, [0, 0])


@pytest.mark.parametrize(
    ("X", "y", "options", "message"),
    [
        ([[1], [-2]], [0, 1], {}, r"X\[1, 0\] is -2"),
        ([[1], [math.nan]], [0, 1], {}, r"X\[1, 0\] is nan"),
        ([[1], [math.inf]], [0, 1], {}, r"X\[1, 0\] is inf"),
        ([1, 2], [0, 1], {}, "2 dimensions"),
        ([[1], [2]], [0], {}, "X has 2 documents, y has 1"),
        ([[1], [2]], [0, math.nan], {}, r"y\[1\] is nan"),
        ([[1], [2]], ["a", "b"], {"classes": ["a"]}, r"y\[1\] is 'b', which is not among"),
        ([[1], [2]], ["a", "b"], {"classes": ["a", "b", "a"]}, "twice"),
        ([[1], [2]], np.array([[0, 1], [2, 0]]), {}, r"y\[1, 0\] is 2"),
        ([[1], [2]], np.eye(2), {"classes": ["a"]}, "2 columns, classes has 1"),
        ([[1], [2]], [0, 1], {"sample_weight": [1]}, "sample_weight has shape"),
        ([[1], [2]], [0, 1], {"sample_weight": [1, -1]}, r"sample_weight\[1\] is -1"),
        ([[1], [2]], [0, 1], {"sample_weight": [1, math.nan]}, r"sample_weight\[1\] is nan"),
    ],
)
def test_senseless_collections_are_refused(X, y, options, message):
    with pytest.raises(ValueError, match=message):
        reference.count(X, y, **options)


def assert_counts_equal(a, b):
    """Compare everything but the number of documents."""
    assert a.classes == b.classes
    for name in ("class_docs", "class_tokens", "term_frequency", "document_frequency"):
        assert_array_equal(getattr(a, name), getattr(b, name))


@given(csr_matrices(dtypes=INTEGER_DTYPES), st.data())
def test_counts_are_products_of_indicator_and_matrix(X, data):
    y = data.draw(labels(X.shape[0]))
    counts = reference.count(X, y)
    Y = np.array([[label == c for label in y] for c in counts.classes], dtype=np.int64)
    Y = Y.reshape(len(counts.classes), X.shape[0])
    wide = X.astype(np.int64).toarray()  # sums duplicates, in a type that holds the sum
    assert_array_equal(counts.term_frequency, Y @ wide)
    assert_array_equal(counts.document_frequency, Y @ (wide > 0))
    assert_array_equal(counts.class_docs, Y.sum(axis=1))
    assert_array_equal(counts.class_tokens, Y @ wide.sum(axis=1))
    assert counts.n_docs == X.shape[0]


@given(collections())
def test_the_layout_of_a_matrix_is_immaterial(collection):
    X, y, w = collection
    expected = reference.count(X, y, w)
    assert_counts_equal(reference.count(X.tocsr(), y, w), expected)
    assert_counts_equal(reference.count(X.tocsc(), y, w), expected)
    if X.dtype.kind in "bui":  # float duplicates that are summed beforehand may round differently
        wide = X.astype(np.int64)
        assert_counts_equal(reference.count(wide.tocoo(), y, w), expected)
        assert_counts_equal(reference.count(wide.toarray(), y, w), expected)


@given(csr_matrices(dtypes=INTEGER_DTYPES), st.data())
def test_weights_are_repetition(X, data):
    n = X.shape[0]
    y = data.draw(labels(n))
    weights = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    weighted = reference.count(X, y, np.array(weights, dtype=np.int64))
    repeats = np.repeat(np.arange(n), weights)
    repeated = reference.count(
        X.tocsr()[repeats], [y[d] for d in repeats], classes=weighted.classes
    )
    assert_counts_equal(weighted, repeated)
    assert weighted.n_docs == repeated.n_docs == sum(weights)


@given(csr_matrices(dtypes=INTEGER_DTYPES), st.data())
def test_several_labels_are_several_documents(X, data):
    n = X.shape[0]
    row = st.lists(st.integers(0, 1), min_size=3, max_size=3)
    y = np.array(data.draw(st.lists(row, min_size=n, max_size=n))).reshape(n, 3)
    several = reference.count(X, y)
    documents, columns = np.nonzero(y)
    single = reference.count(X.tocsr()[documents], columns, classes=[0, 1, 2])
    assert_counts_equal(several, single)
    assert several.n_docs == n  # each counts once here, whatever its weight elsewhere


def test_priors_of_several_labels_sum_to_one():
    # Documents of both classes: n_c = 2, 1 of n = 2, so pi = 2/3, 1/3 and not 1, 1/2.
    X = [[1, 0, 0], [0, 2, 1]]
    y = np.array([[1, 1], [1, 0]])
    counts = reference.count(X, y)
    mean, by_class = reference.score(counts, aggregate="mean"), reference.class_scores(counts)
    assert_allclose(mean, (2 * by_class[0] + by_class[1]) / 3)
