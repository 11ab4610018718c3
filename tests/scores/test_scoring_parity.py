"""The numbers of the package compared with those of established libraries."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import termsift as ts

# Term 0 is in no document, and term 1 is in all. Contingency tables of the other terms have no sum
# of 0 in any row or column.
rng = np.random.default_rng(1997)
N_CLASSES = 4
Y = np.r_[np.arange(N_CLASSES), rng.choice(N_CLASSES, 116, p=[0.4, 0.3, 0.2, 0.1])]
X = rng.poisson(rng.gamma(0.7, 1.0, (N_CLASSES, 12))[Y])
X[:, 0] = 0
X[:, 1] += 1
COUNTS = ts.count(X, Y)
USED = ts.count(X[:, 1:], Y)  # scikit-learn returns NaN for a term that never occurs
ORDINARY = [i for i in range(12) if 0 < np.count_nonzero(X[:, i]) < len(Y)]


def contingency(i: int, c: int) -> list[list[int]]:
    """Return the 2 x 2 table of documents: with and without the term, in and outside the class."""
    has, within = X[:, i] > 0, c == Y
    return [[int(np.sum(rows & columns)) for columns in (within, ~within)] for rows in (has, ~has)]


def test_chi2_counts_is_scikit_learns_chi2() -> None:
    selection = pytest.importorskip("sklearn.feature_selection")
    scores, pvalues = selection.chi2(X[:, 1:], Y)
    assert_allclose(USED.score("chi2_counts"), scores, rtol=1e-12)
    found = USED.significance("chi2_counts")
    assert_allclose(found.statistics, scores, rtol=1e-12)
    assert_allclose(found.pvalues, pvalues, rtol=1e-10)


def test_chi2_counts_per_class_is_scikit_learns_chi2_of_the_class() -> None:
    selection = pytest.importorskip("sklearn.feature_selection")
    found = USED.significance("chi2_counts", per_class=True)
    for c in range(N_CLASSES):
        scores, pvalues = selection.chi2(X[:, 1:], c == Y)
        assert_allclose(found.statistics[c], scores, rtol=1e-12)
        assert_allclose(found.pvalues[c], pvalues, rtol=1e-10)


def test_ig_is_scikit_learns_mutual_information_of_presence() -> None:
    selection = pytest.importorskip("sklearn.feature_selection")
    information = selection.mutual_info_classif(X > 0, Y, discrete_features=True)
    ours = COUNTS.score("ig")
    assert_allclose(ours, information, rtol=1e-10, atol=1e-15)


@pytest.mark.parametrize(("method", "lambda_"), [("chi2", None), ("g2", "log-likelihood")])
def test_two_by_two_tables_are_scipys(method: str, lambda_: str | None) -> None:
    values = COUNTS.class_scores(method)
    per_class = COUNTS.significance(method, per_class=True)
    assert_allclose(per_class.statistics, values, rtol=1e-15)
    for c in range(N_CLASSES):
        for i in ORDINARY:
            table = contingency(i, c)
            result = stats.chi2_contingency(table, correction=False, lambda_=lambda_)
            assert values[c, i] == pytest.approx(result.statistic, rel=1e-11, abs=1e-13)
            assert per_class.pvalues[c, i] == pytest.approx(result.pvalue, rel=1e-10)
            surplus = table[0][0] - result.expected_freq[0][0]
            assert per_class.signs[c, i] == np.sign(surplus if abs(surplus) > 1e-9 else 0)
    found = COUNTS.significance(method)
    assert_allclose(found.statistics, values.max(axis=0), rtol=1e-15)
    assert_allclose(found.pvalues, per_class.pvalues.min(axis=0), rtol=1e-12)
    rows = values.argmax(axis=0)
    assert found.chosen_by.tolist() == [COUNTS.classes[row] for row in rows]
    chosen = np.take_along_axis(per_class.signs, rows[None], axis=0)[0]
    assert_array_equal(found.signs, chosen)
    # No document has term 0, and all documents have term 1.
    assert_array_equal(found.statistics[:2], 0)
    assert_array_equal(found.pvalues[:2], 1)


@pytest.mark.parametrize("model", ["multinomial", "binary", "bernoulli"])
def test_md_of_two_classes_is_their_j_divergence(model: str) -> None:
    two = np.isin(Y, [0, 1])
    x = X[two] if model == "multinomial" else X[two] > 0
    counted = np.array([x[Y[two] == c].sum(axis=0) for c in (0, 1)])
    docs = np.array([np.sum(Y == 0), np.sum(Y == 1)])
    size = docs + 2 if model == "bernoulli" else counted.sum(axis=1) + x.shape[1]
    p, q = (counted + 1) / size[:, None]
    j = [
        stats.entropy([a, 1 - a], [b, 1 - b]) + stats.entropy([b, 1 - b], [a, 1 - a])
        for a, b in zip(p, q, strict=True)
    ]
    scores = ts.count(X[two], Y[two]).score("md", model=model)
    assert_allclose(scores, j, rtol=1e-9, atol=1e-15)
