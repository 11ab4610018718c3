"""The reference, which specifies every number, compared with manual and exact arithmetic."""

from __future__ import annotations

import dataclasses
import math
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from small_tables import INF, THREE, TWO, table
from termsift import reference
from wording import raises

THREE_MD = 2 / 3 * math.log(3 / 2) + 1 / 3 * math.log(3 / 5)
THREE_NU_J = (1 / 5 + 2 / 9) / 2


# ------------------------------------------------------------------------------------- scores


def test_two_classes_by_hand():
    log_2 = math.log(2)
    md = reference.class_scores(TWO, "md")
    assert_allclose(md, [[5 / 7 * log_2, 4 / 7 * log_2, 0], [4 / 7 * log_2, 5 / 7 * log_2, 0]])
    assert_allclose(reference.score(TWO, "md"), [9 / 7 * log_2, 9 / 7 * log_2, 0])
    assert_allclose(reference.class_scores(TWO, "md_chi2"), [[9 / 8, 9 / 8, 0], [9 / 8, 9 / 8, 0]])
    pearson = reference.class_scores(TWO, "md_chi2", noncentrality="pearson")
    assert_allclose(pearson, [[3 / 2, 3 / 4, 0], [3 / 4, 3 / 2, 0]])


def test_three_classes_by_hand():
    md = reference.class_scores(THREE, "md")
    assert_allclose(md, [[THREE_MD] * 2, [THREE_MD] * 2, [0, 0]], atol=1e-16)
    nu_j = reference.class_scores(THREE, "md_chi2")
    assert_allclose(nu_j, [[THREE_NU_J] * 2, [THREE_NU_J] * 2, [0, 0]], atol=1e-30)
    pearson = reference.class_scores(THREE, "md_chi2", noncentrality="pearson")
    assert_allclose(pearson, [[1 / 5] * 2, [1 / 5] * 2, [0, 0]], atol=1e-30)


def test_priors_by_hand():
    # With a uniform prior, q_00 is (1/3 + 1/2) / 2 = 5/12, and the value (1/4)^2 / (35/144) = 9/35.
    uniform = reference.class_scores(
        THREE, "md_chi2", class_prior="uniform", noncentrality="pearson"
    )
    assert_allclose(uniform[:2], np.full((2, 2), 9 / 35))
    # With the prior (1, 1, 0), q_00 is 1/3, and q of class 2 is (2/3 + 1/3) / 2 = 1/2.
    pair = reference.class_scores(THREE, "md_chi2", class_prior=[1, 1, 0], noncentrality="pearson")
    assert_allclose(pair, [[1 / 2] * 2, [1 / 2] * 2, [0, 0]])  # 1/2 is (1/3)^2 / (2/9).
    # Priors in equal proportions give equal scores.
    for prior in ([1, 1, 2], (0.25, 0.25, 0.5), np.array([5, 5, 10], dtype=np.uint8)):
        scores = reference.class_scores(THREE, "md", class_prior=prior)
        assert_array_equal(scores, reference.class_scores(THREE, "md"))


def test_smoothing_by_hand():
    # With b1 = 1/2 and b2 = 3/2, p is (3.5, 0.5, 1.5) / 5.5. The value is (6/11)^2 / (10/121).
    half = reference.class_scores(TWO, "md_chi2", alpha=0.5, noncentrality="pearson")
    assert half[0, 0] == pytest.approx(3.6)
    assert_array_equal(
        reference.class_scores(TWO, "md", alpha=(0.5, 1.5)),
        reference.class_scores(TWO, "md", alpha=0.5),
    )
    # With b1 = 1 and b2 = 6, p is (4, 1, 2) / 10, and the value is (3/10)^2 / (9/100) = 1.
    pair = reference.class_scores(TWO, "md_chi2", alpha=(1, 6), noncentrality="pearson")
    assert pair[0, 0] == pytest.approx(1)


def test_zero_conventions_by_hand():
    # Without smoothing, the classes have p = (1/2, 1/2) and (0, 1). Class 0 has x log(x/0) = inf
    # for both terms. Class 1 has 0 log 0 = 0, and 1 log(1 / (1/2)).
    counts = table([[1, 1], [0, 2]], [1, 1])
    log_2 = math.log(2)
    assert_allclose(reference.class_scores(counts, "md", alpha=0), [[INF, INF], [log_2, log_2]])
    # In Neyman's part of class 1, p (1-p) is 0. Pearson's part is (1/4) / (1/4).
    pearson = reference.class_scores(counts, "md_chi2", alpha=0, noncentrality="pearson")
    assert_allclose(pearson, [[INF, INF], [1, 1]])
    assert_array_equal(reference.class_scores(counts, "md_chi2", alpha=0), np.full((2, 2), INF))


# ---- counting ------------------------------------------------------------------------------------

# Two documents have class "a", one has "b". Document 0 stores 1 and 2 for term 0, 0 for term 2.
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


def test_count_with_several_labels_by_hand():
    # The first document has two classes, the second has one, and the third has no class.
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


def test_classes_given_keep_their_order_and_may_be_empty():
    counts = reference.count(np.eye(3, dtype=int), ["b", "a", "b"], classes=["c", "b", "a"])
    assert counts.classes == ["c", "b", "a"]
    assert_array_equal(counts.class_docs, [0, 2, 1])


def test_the_collection_is_missed_where_it_is_not_the_sum_of_the_classes():
    counts = SimpleNamespace(
        class_docs=np.array([2, 2]),
        term_frequency=np.eye(2),
        document_frequency=np.eye(2),
        n_docs=3,
    )
    with raises(ValueError, "documents_of_several_labels"):
        reference.score(counts, "chi2")
    reference.score(counts, "md")  # reads no collection
