"""The reference's methods, models and p-values against exact arithmetic, and their promises."""

from __future__ import annotations

import math
from fractions import Fraction
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse, stats

from exact import (
    exact_aggregate,
    exact_class_scores,
    exact_log_pvalue,
    relative_error,
)
from exact_cells import CELL_METHODS, exact_cell_scores
from strategies import collections, csr_matrices, indicators
from termsift import reference

INF = math.inf
AGGREGATES = ("sum", "mean", "max")


def exact_cells(counts, method, alpha=1):
    """Return the values of `exact` for counts of the reference."""
    collection = None
    if counts.collection_term_frequency is not None:
        collection = counts.collection_term_frequency, counts.collection_document_frequency
    return exact_cell_scores(
        method,
        counts.term_frequency,
        counts.document_frequency,
        counts.class_docs,
        counts.n_docs,
        collection,
        b1=Fraction(alpha),
        b2=Fraction(alpha) * counts.term_frequency.shape[1],
    )


@st.composite
def small_counts(draw, n_classes=3):
    """Counts of a few small documents, which have one class each or any number."""
    X = draw(csr_matrices(shape=st.tuples(st.integers(2, 8), st.integers(1, 4)), dtypes=(np.int8,)))
    n = X.shape[0]
    one = st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n)
    y = draw(one if draw(st.booleans()) else indicators(n))
    weights = draw(st.none() | st.lists(st.integers(0, 5), min_size=n, max_size=n))
    counts = reference.count(X, y, weights)
    assume(np.count_nonzero(counts.class_docs) >= 2)
    return counts


# ------------------------------------------------------------------------------ exact arithmetic


def test_exact_values_by_hand():
    # Class a has 3 of its 4 documents with term 0, class b 1 of 4; of term 1 0 and 2.
    counts = reference.count(
        [[2, 0], [2, 0], [1, 0], [0, 0], [1, 0], [0, 3], [0, 1], [0, 0]], [0] * 4 + [1] * 4
    )
    wanted = {
        "df": [3, 0],
        "chi2": [2, Fraction(8, 3)],
        "chi2_printed": [Fraction(64, 9), INF],
        "gss": [Fraction(1, 8), Fraction(-1, 8)],
        "odds_ratio": [9, 0],
        "jlh": [Fraction(3, 8), 0],
        "chi2_counts": [Fraction(4, 3), 2],
    }
    for method, values in wanted.items():
        assert exact_cells(counts, method)[0] == values
    # The constants are from tables, of 40 digits.
    log_2 = Fraction("0.6931471805599453094172321214581765680755")
    quartile = Fraction("0.6744897501960817432022270145413071853869")
    root_2 = Fraction("1.4142135623730950488016887242096980785697")
    for method, value in (("tfidf", 5 * log_2), ("bns", 2 * quartile), ("ngl", root_2)):
        exact = exact_cells(counts, method)[0][0]
        assert abs(exact - value) < Fraction(1, 10**38)
    assert abs(exact_cells(counts, "mi")[1][0] + log_2) < Fraction(1, 10**38)
    assert exact_cells(counts, "mi")[0][1] == -INF
    # Near independence: A n / (d_i n_c) = 1 + h, whose logarithm h - h^2/2 + h^3/3 loses nothing.
    n = 10**15
    (row, _) = exact_cell_scores("mi", [[n + 1], [n]], [[n + 1], [n]], [2 * n, 2 * n], 4 * n)
    h = Fraction(2 * (n + 1), 2 * n + 1) - 1
    assert relative_error_of(row[0], h - h**2 / 2 + h**3 / 3 - h**4 / 4) < Fraction(1, 10**55)


def relative_error_of(x, y):
    return abs(x - y) / abs(y)


@given(small_counts(), st.sampled_from(CELL_METHODS), st.randoms())
def test_exact_values_of_a_sample_are_those_of_the_whole(counts, method, random):
    tables = counts.term_frequency, counts.document_frequency
    n, m = tables[0].shape
    collection = counts.collection_term_frequency, counts.collection_document_frequency
    rest = counts.class_docs, counts.n_docs, None if collection[0] is None else collection, 3
    terms = random.choices(range(m), k=3)
    whole = exact_cell_scores(method, *tables, *rest)
    for form in (np.asarray, sparse.csr_array, sparse.csc_matrix):
        sample = exact_cell_scores(method, *map(form, tables), *rest, terms=terms)
        assert sample == [[whole[c][i] for i in terms] for c in range(n)]


@given(small_counts(), st.sampled_from(["bernoulli", "poisson"]), st.sampled_from([1, 0.25]))
def test_independent_terms_are_chosen_by_exact_md(counts, model, alpha):
    frequency = counts.document_frequency if model == "bernoulli" else counts.term_frequency
    b2 = alpha * (2 if model == "bernoulli" else 1)
    rows = exact_class_scores(frequency, counts.class_docs, "md", alpha, b2, model=model)
    own = exact_aggregate(rows, "sum", counts.class_docs)
    indices, divergences = reference.greedy(counts, model=model, alpha=alpha)
    # Numbers that agree in 40 digits count as equal.
    order = sorted(range(len(own)), key=lambda i: (-round(own[i] * 10**35), i))
    assert indices.tolist() == order
    for k, divergence in enumerate(divergences.tolist(), start=1):
        whole = sum(own[i] for i in order[:k])
        assert relative_error(divergence, whole) <= 2**-52 or whole < Fraction(1, 10**30)
        again = reference.divergence(counts, order[:k], model=model, alpha=alpha)
        assert again == pytest.approx(divergence, rel=1e-15)


# ---------------------------------------------------------------------------------------- promises


@given(
    collections(),
    st.sampled_from([*reference.METHODS]),
    st.sampled_from([0, 1, 1e-300, (0, 1), (0.5, 1e18)]),
    st.sampled_from([None, "uniform"]),
    st.sampled_from([None, *AGGREGATES]),
    st.sampled_from(["raw", "log", "binary"]),
)
def test_no_score_is_nan(collection, method, alpha, prior, aggregate, tf):
    X, y, weights = collection
    counts = reference.count(X, y, weights, tf=tf)
    assume(np.count_nonzero(counts.class_docs) >= 2)
    options = {"alpha": alpha, "class_prior": prior}
    scores = reference.score(counts, method, aggregate=aggregate, **options)
    assert scores.dtype == np.float64
    assert scores.shape == counts.term_frequency.shape[1:]
    assert not np.isnan(scores).any()
    by_class = reference.class_scores(counts, method, **options)
    assert not np.isnan(by_class).any()
    if not reference.METHODS[method].has_models:
        unseen = counts.document_frequency.sum(axis=0) == 0
        if counts.collection_document_frequency is not None:
            unseen = counts.collection_document_frequency == 0
        assert_array_equal(by_class[:, unseen], 0)


def test_the_collection_is_missed_where_it_is_not_the_sum_of_the_classes():
    counts = SimpleNamespace(
        class_docs=np.array([2, 2]),
        term_frequency=np.eye(2),
        document_frequency=np.eye(2),
        n_docs=3,
    )
    with pytest.raises(ValueError, match=r"3\.0 documents and 4\.0 in the classes.*collection_"):
        reference.score(counts, "chi2")
    reference.score(counts, "md")  # reads no collection


def test_opposite_infinities_add_up_to_zero():
    # Class a has only term 0, class b has others too, so without a prior the values are inf and
    # -inf.
    counts = reference.count([[3, 0], [1, 2]], ["a", "b"])
    assert_array_equal(reference.class_scores(counts, "log_odds", alpha=0), [[INF, 0], [-INF, 0]])
    assert_array_equal(reference.score(counts, "log_odds", alpha=0, aggregate="sum"), [0, 0])
    assert_array_equal(reference.score(counts, "log_odds", alpha=0, aggregate="mean"), [0, 0])


@given(small_counts())
def test_identities_of_the_two_by_two_table(counts):
    def values(method):
        return reference.class_scores(counts, method)

    assert_allclose(values("ngl") ** 2, values("chi2"), rtol=1e-14)
    assert_array_equal(np.sign(values("ngl")), np.sign(values("gss")))
    assert (values("chi2") <= counts.n_docs * (1 + 1e-14)).all()
    # G2 is n times the divergence of class c from the collection, plus that of the other classes,
    # so it is at least the first part.
    assert (2 * counts.n_docs * values("ig") <= values("g2") + 1e-9).all()


# ------------------------------------------------------------------------------------ transforms


@given(csr_matrices(), st.sampled_from(["log", "binary"]))
def test_tf_is_of_each_entry_of_the_tidied_matrix(X, tf):
    wide = X.astype(np.float64 if X.dtype.kind == "f" else np.int64)
    tidy = wide.toarray()
    counts = reference.count(wide, [d % 2 for d in range(X.shape[0])], classes=[0, 1], tf=tf)
    assert counts.tf == tf
    for c in (0, 1):
        rows = tidy[c::2]
        entries = np.log1p(rows) if tf == "log" else rows > 0
        assert_allclose(counts.term_frequency[c], entries.sum(axis=0), rtol=1e-13)
        assert_array_equal(counts.document_frequency[c], (rows > 0).sum(axis=0))
    assert counts.term_frequency.dtype == (np.float64 if tf == "log" else np.int64)


def test_tf_times_weight():
    X, y, w = np.array([[1.0, 0.5], [4.0, 0.0]]), ["a", "b"], [3, 0.5]
    logs = reference.count(X, y, w, tf="log").term_frequency
    assert_allclose(logs, [[3 * math.log(2), 3 * math.log(1.5)], [0.5 * math.log(5), 0]])
    binary = reference.count(X, y, w, tf="binary")
    assert_array_equal(binary.term_frequency, [[3, 3], [0.5, 0]])
    exact = reference.count(X, y, [3, 2], tf="binary")  # floats, but all 1
    assert exact.term_frequency.dtype == np.int64
    with pytest.raises(ValueError, match="unknown tf 'sqrt'; there are raw, log, binary"):
        reference.count(X, y, tf="sqrt")


# ----------------------------------------------------------------------------------- round robin


@given(st.data())
def test_round_robin_is_taking_turns(data):
    n, m = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 7))
    value = st.sampled_from([-INF, -1.5, 0.0, 1.0, 2.0, INF])
    row = st.lists(value, min_size=m, max_size=m)
    rows = data.draw(st.lists(row, min_size=n, max_size=n))
    taken = []
    for position in range(m):
        turn: dict[int, float] = {}
        for values in rows:
            i = int(reference.rank(values)[position])
            if i not in [other for other, _ in taken]:
                turn.setdefault(i, values[i])
        taken += sorted(turn.items())
    k = data.draw(st.none() | st.integers(0, 8))
    indices, values = reference.round_robin(rows, k)
    assert list(zip(indices.tolist(), values.tolist(), strict=True)) == taken[:k]


def test_round_robin_of_one_class_is_its_ranking():
    scores = [0.5, 2.0, 0.5, 3.0]
    assert_array_equal(reference.round_robin([scores])[0], reference.rank(scores))
    with pytest.raises(ValueError, match="negative"):
        reference.round_robin([scores], k=-1)


# -------------------------------------------------------------------------------------- p-values


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 7, 20, 101, 1000])
@pytest.mark.parametrize("statistic", [1e-12, 1e-3, 0.4, 1, 2.7, 30, 790, 815, 1e4, 1e6])
def test_pvalues_agree_with_exact_arithmetic(statistic, degrees):
    exact = exact_log_pvalue(Fraction(statistic), degrees)
    if exact > -1e-300:  # the nearest floats are 0, or too few to be within a part in 10^12
        assert reference.log_pvalue(statistic, degrees) == pytest.approx(0, abs=1e-290)
    else:
        assert relative_error(reference.log_pvalue(statistic, degrees), exact) < 1e-11


@pytest.mark.parametrize("degrees", [1, 2, 3, 10, 57])
def test_pvalues_agree_with_scipy(degrees):
    statistics = np.geomspace(1e-3, 500, 40)
    logs = [reference.log_pvalue(x, degrees) for x in statistics]
    assert_allclose(np.exp(logs), stats.chi2.sf(statistics, degrees), rtol=1e-11)


def test_pvalues_at_the_ends():
    for degrees in (1, 2, 3, 8):
        assert reference.log_pvalue(0.0, degrees) == 0
        assert reference.log_pvalue(-1e-17, degrees) == 0
        assert reference.log_pvalue(INF, degrees) == -INF
    with pytest.raises(ValueError, match="at least 1"):
        reference.log_pvalue(1.0, 0)


def test_exact_pvalues_by_hand():
    # Two degrees: exp(-x/2). One: erfc(1), from a table of 30 digits.
    assert exact_log_pvalue(Fraction(7), 2) == pytest.approx(-3.5, abs=1e-50)
    with mpmath.workdps(40):
        erfc_1 = mpmath.mpf("0.157299207050285130658779364917")
        error = mpmath.log(erfc_1) - mpmath.mpf(float(exact_log_pvalue(Fraction(2), 1)))
        assert abs(error) < 1e-15


@given(st.lists(st.floats(-1e6, 0) | st.sampled_from([0.0, -1.0, -INF]), min_size=1, max_size=20))
def test_adjustments_are_monotone_and_cautious(logs):
    for how in ("bh", "bonferroni"):
        adjusted = reference.adjusted(logs, how)
        assert (adjusted >= logs).all()
        assert (adjusted <= 0).all()
        order = np.argsort(logs, kind="stable")
        assert (np.diff(adjusted[order][np.isfinite(np.array(logs)[order])]) >= 0).all()
    assert (reference.adjusted(logs) <= reference.adjusted(logs, "bonferroni") + 1e-12).all()


@pytest.mark.parametrize("method", ["md", "df", "magic"])
def test_only_tests_of_significance_have_pvalues(method):
    counts = reference.count([[1], [0]], [0, 1])
    with pytest.raises(ValueError, match="chi2, g2, chi2_counts, g2_counts"):
        reference.significance(counts, method)


def test_classes_without_documents_are_not_significant():
    X, y = [[1, 0], [1, 2], [0, 1]], ["a", "a", "c"]
    counts = reference.count(X, y, classes=["none", "a", "c"])
    for method in ("chi2", "g2", "chi2_counts"):
        per_class = reference.significance(counts, method, per_class=True)
        assert_array_equal(per_class.statistics[0], [0, 0])
        assert_array_equal(per_class.pvalues[0], [1, 1])
        assert_array_equal(per_class.signs[0], [0, 0])
        # Class c has 2/3 less of term 0 than expected, a larger deviation than that of a. All other
        # values are equal.
        found = reference.significance(counts, method)
        assert found.classes.tolist() == ([2, 1] if method == "chi2_counts" else [1, 1])
        assert found.degrees == 1
