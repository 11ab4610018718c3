"""Properties that every score of the registry promises, on small and unusual collections.

Other files test single methods: published values, bounds, limits and warnings.
"""

from __future__ import annotations

import pickle
import platform
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import termsift as ts
from exact import exact_aggregate, exact_class_scores, relative_error
from exact_cells import exact_cell_scores
from exact_scores import MEASURES, Measure, assert_exact, directions_of
from private import _core, core_of
from strategies import MODERATE, collections, fits_float_counts
from termsift import reference
from wording import raises

# All methods are called with priors here, even methods that do not use them.
pytestmark = pytest.mark.filterwarnings("ignore:.* does not use class_prior")

each_measure = pytest.mark.parametrize("measure", MEASURES, ids=str)
AGGREGATES: tuple[Any, ...] = ("sum", "mean", "max")
# These methods have the class score 0 if and only if a term is neither over- nor under-represented.
ZERO_WITHOUT_DIRECTION = ("md", "md_chi2", "chi2", "ngl", "gss", "g2", "ig", "mi", "log_odds")
ZERO_WITHOUT_DIRECTION += ("chi2_counts", "relevancy", "log_ratio", "g2_counts")
# The class scores of these methods are positive if a term is over-represented in the class, and
# negative if the term is under-represented.
SIGNED = ("mi", "ngl", "gss", "relevancy", "log_odds", "log_ratio")

Collection = tuple[Any, Any, dict[str, Any]]  # documents, labels, and options of ts.count
COLLECTIONS: dict[str, Collection] = {
    "one document a class": ([[3, 0, 5], [1, 4, 2]], "ab", {}),
    "an empty class": ([[3, 1, 0], [0, 1, 2], [1, 1, 7]], "abd", {"classes": [*"dcba"]}),
    "a class without tokens": ([[1, 2], [0, 2], [0, 0]], "abc", {}),
    "a term of none and one of all": ([[1, 0, 0, 2], [2, 0, 3, 2], [1, 0, 0, 9]], "abb", {}),
    "one term": ([[5], [7], [0]], "abc", {"sample_weight": [1, 2, 3]}),
    "ties": ([[4, 9, 1, 4], [8, 18, 2, 8], [4, 9, 1, 4]], "abc", {"sample_weight": [1, 1, 2]}),
    "one class is nearly all": ([[9, 5, 0, 600, 1], [3, 0, 1, 900, 0]], "ab",
                                {"sample_weight": [10**6, 1]}),
    "counts up to 2^40": ([[2**40, 1, 0], [2**20, 0, 7], [0, 2**39, 3]], "abc", {}),
    "fractions": ([[0.1, 7.3], [0.3, 1e5], [1e-9, 0.7]], "abc", {"sample_weight": [0.5, 0.3, 9.1]}),
    "far apart": ([[1, 1, 0], [3, 0, 2]], "ab", {"sample_weight": [2.0**-20, 2.0**20]}),
    "logarithms": ([[3, 0, 5], [1, 4, 2], [0, 0, 2]], "aba", {"tf": "log"}),
    "several classes and none": (
        [[1, 1], [1, 0], [0, 0], [0, 2]], [[1, 1, 0], [1, 0, 1], [0, 1, 1], [0, 0, 0]], {},
    ),
}  # fmt: skip


def counts_of(name: str) -> ts.ClassCounts:
    X, y, options = COLLECTIONS[name]
    return ts.count(np.array(X), [*y] if isinstance(y, str) else np.array(y), **options)


def arguments_of(counts: ts.ClassCounts) -> list[tuple[Any, Any]]:
    """Return pairs of smoothing and class prior. In the last pair, a class may have the prior 0."""
    present = np.asarray(counts.class_docs) > 0
    scattered = np.where(present, np.arange(counts.n_classes) + 0.1, 5.0)
    if np.count_nonzero(present) > 2:
        scattered[np.flatnonzero(present)[0]] = 0
    return [
        (1.0, "empirical"),
        (0, "empirical"),
        (0.01, "uniform"),
        ((0.5, 20.0), scattered.tolist()),
    ]


def assert_agrees_with_the_reference(
    counts: ts.ClassCounts, expected: Any, measure: Measure, alpha: Any, class_prior: Any
) -> None:
    """Check class scores and scores approximately, and directions exactly."""
    method, arguments = measure.method, {"alpha": alpha, "class_prior": class_prior}
    # The reference's formulas lose digits, because p, q and rates are rounded.
    largest = 1 + counts.term_frequency.toarray().max(initial=0)
    close: Any = {"rtol": 1e-11, "atol": 1e-13}
    if measure.of_probabilities:
        close = {"rtol": 1e-6, "atol": 1e-12 * float(largest if measure.model == "poisson" else 1)}
    values = counts.class_scores(method, **arguments, **measure.options)
    specified = reference.class_scores(expected, method, **arguments, **measure.options)
    assert_allclose(values, specified, **close)
    # If positive and negative class scores cancel, their sum loses digits.
    close["atol"] *= max(1.0, np.abs(specified[np.isfinite(specified)]).max(initial=0))
    for aggregate in (None, *AGGREGATES):
        options = {"aggregate": aggregate, **arguments, **measure.options}
        assert_allclose(
            counts.score(method, **options), reference.score(expected, method, **options), **close
        )
    directions = directions_of(counts, method, **arguments, **measure.options)
    exact = reference.class_directions(expected, method, model=measure.model, **arguments)
    assert_array_equal(directions, exact)
    assert_signs(counts, values, directions, measure, alpha)


def assert_signs(
    counts: ts.ClassCounts, values: Any, directions: Any, measure: Measure, alpha: Any
) -> None:
    method = measure.method
    if method == "log_odds" and alpha in (0, (0, 0)):
        return  # without smoothing, log_odds is 0 for 0/0, and infinite in classes of one term
    if method in ZERO_WITHOUT_DIRECTION:
        assert_array_equal(values == 0, directions == 0)
    if method in SIGNED:
        assert_array_equal(np.sign(values), directions)
    if method == "cet":
        present = counts.term_frequency.toarray() > 0
        assert_array_equal(np.sign(values)[present], directions[present])
    if method == "jlh":
        assert_array_equal(values > 0, directions > 0)
    if method == "odds_ratio":  # 0 for 0/0
        assert np.all(values[directions > 0] >= 1)
        assert np.all(values[directions < 0] <= 1)
    if measure.of_probabilities:
        assert (values >= 0).all()


# ---- the numbers ---------------------------------------------------------------------------------


@pytest.mark.full(cases=len(COLLECTIONS))
@pytest.mark.parametrize("name", COLLECTIONS)
def test_scores_are_exact(name: str) -> None:
    counts = counts_of(name)
    for measure in MEASURES:
        for alpha, class_prior in arguments_of(counts):
            assert_exact(counts, measure, alpha, class_prior)


# Large counts are left out, because the reference loses all digits, and so are fractions, whose
# sums are rounded in another order.
@pytest.mark.full(cases=len(COLLECTIONS))
@pytest.mark.parametrize("name", sorted({*COLLECTIONS} - {"counts up to 2^40", "fractions"}))
def test_the_reference_agrees(name: str) -> None:
    X, y, options = COLLECTIONS[name]
    counts = counts_of(name)
    labels = [*y] if isinstance(y, str) else np.array(y)
    expected = reference.count(np.array(X), labels, **options)
    for measure in MEASURES:
        for alpha, class_prior in arguments_of(counts):
            assert_agrees_with_the_reference(counts, expected, measure, alpha, class_prior)


@pytest.mark.full(cases=len(MEASURES))
@each_measure
@given(
    collections(dtypes=MODERATE),
    st.sampled_from([1.0, 0.01, (0.5, 20.0), (2.0, 1e6)]),
    st.sampled_from(["empirical", "uniform"]),
)
def test_any_collection(
    measure: Measure, collection: tuple[Any, Any, Any], alpha: Any, class_prior: Any
) -> None:
    X, y, sample_weight = collection
    assume(fits_float_counts(X, sample_weight) and X.shape[1] <= 40)
    counts = ts.count(X, y, sample_weight)
    if np.count_nonzero(counts.class_docs) < 2:
        if not measure.of_collection:
            with raises(ValueError, "two_classes_with_documents"):
                counts.score(measure.method, **measure.options)
        return
    # Fractions add up to n only up to rounding, so that 1e-17 may be left instead of 0.
    assume(core_of(counts).exact)
    expected = reference.count(X, y, sample_weight)
    assert_agrees_with_the_reference(counts, expected, measure, alpha, class_prior)
    assert_exact(counts, measure, alpha, class_prior)


@st.composite
def equal_shares(draw: st.DrawFn) -> ts.ClassCounts:
    """Draw classes of very different sizes that often have equal shares of a term.

    Each class has two weighted documents, and one of the two has no terms. So a class may have a
    million documents but few tokens, or few documents but many tokens.
    """
    n_classes, n_terms = draw(st.integers(2, 12)), draw(st.integers(1, 6))
    cell = st.one_of(st.integers(0, 3), st.integers(0, 10**6))
    row = st.lists(cell, min_size=n_terms, max_size=n_terms)
    rows = draw(st.lists(row, min_size=1, max_size=n_classes))
    chosen = draw(st.lists(st.integers(0, len(rows) - 1), min_size=n_classes, max_size=n_classes))
    X = np.zeros((2 * n_classes, n_terms), dtype=np.int64)
    X[::2] = np.array(rows)[chosen]
    sizes = st.one_of(st.integers(1, 3), st.integers(1, 10**6))
    weights = np.array(draw(st.lists(sizes, min_size=len(X), max_size=len(X))))
    scale = draw(st.sampled_from([1, 1, 0.25]))  # 0.25 gives fractions with exact sums
    return ts.count(X, np.arange(len(X)) // 2, weights if scale == 1 else weights * scale)


@pytest.mark.full(cases=len(MEASURES))
@each_measure
@given(data=st.data())
def test_a_value_is_zero_or_signed_as_the_shares_are(measure: Measure, data: st.DataObject) -> None:
    counts = data.draw(equal_shares())
    b1 = data.draw(st.sampled_from([0.0, 0.1, 0.5, 1.0, 30.0]))
    alpha = data.draw(st.sampled_from([0.0, 0.01, 1.0, 2.5, (b1, b1), (b1, 100.0)]))
    n = counts.n_classes
    weights = st.lists(st.sampled_from([1, 2, 0.3, 1e-3]), min_size=n, max_size=n)
    prior = data.draw(st.one_of(st.sampled_from(["uniform", "empirical"]), weights))
    arguments: Any = {"alpha": alpha, "class_prior": prior}
    directions = directions_of(counts, measure.method, **arguments, **measure.options)
    exact = reference.class_directions(counts, measure.method, model=measure.model, **arguments)
    assert_array_equal(directions, exact)
    values = counts.class_scores(measure.method, **arguments, **measure.options)
    assert_signs(counts, values, directions, measure, alpha)


def test_five_thousand_classes(method: str) -> None:
    rng = np.random.default_rng(5)
    X = sp.random_array(
        (5000, 70),
        density=0.01,
        random_state=rng,  # scipy 1.12 has only this name
        dtype=np.int64,
        data_sampler=lambda size: rng.integers(1, 9, size),
    )
    counts, term = ts.count(X.tocsr(), np.arange(5000)), [3]
    entry = next(entry for entry in ts.methods() if entry.name == method)
    tables = counts.term_frequency, counts.document_frequency
    if entry.models:
        exact = exact_class_scores(tables[0], counts.class_docs, method, 1, 70, terms=term)
    else:
        rest = counts.class_docs, counts.n_docs, None, 70, term, 1
        exact = exact_cell_scores(method, *tables, *rest)
    aggregate: Any = entry.default_aggregate or "sum"
    wanted = exact_aggregate(exact, aggregate, counts.class_docs)
    score = counts.score(method, aggregate=aggregate)[3]
    assert relative_error(float(score), wanted[0]) <= 1e-14


# ---- the same bits -------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=[5, 300])
def counts(request: pytest.FixtureRequest) -> ts.ClassCounts:
    """Return counts of 5 classes, which are scored one by one, or of 300, scored with tables.

    With 5 classes, there are several chunks of 4,096 terms. Terms are common, rare or unseen.
    """
    rng = np.random.default_rng(11)
    n_terms, n_docs = 9001 if request.param == 5 else 2001, 4 * request.param + 70
    n_seen = n_terms * 2 // 3
    rates = np.r_[40.0 / np.arange(1, n_seen + 1), np.zeros(n_terms - n_seen)]
    X = sp.csr_array(rng.poisson(rates * rng.lognormal(0, 1, n_terms), (n_docs, n_terms)))
    return ts.count(X, np.arange(n_docs) % request.param)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.skipif(platform.machine() != "x86_64", reason="has one target")
def test_the_widest_vectors_of_the_processor_are_used() -> None:
    described = Path("/proc/cpuinfo").read_text().splitlines()
    flags = set(next(line for line in described if line.startswith("flags")).split())
    targets = ["baseline"]
    if flags >= {"xsave", "fma", "bmi1", "avx2", "bmi2"}:
        targets.insert(0, "avx2")
        if flags >= {"avx512f", "avx512dq", "avx512bw", "avx512vl"}:
            targets.insert(0, "avx512")
    assert (_core.simd_target(), _core.simd_targets()) == (targets[0], targets)


@pytest.mark.full(cases=10)
@each_measure
def test_threads_and_targets_change_no_bit(counts: ts.ClassCounts, measure: Measure) -> None:
    best = _core.simd_target()
    expected: dict[Any, bytes] = {}
    try:
        for target in ("baseline", *_core.simd_targets()):
            _core.use_simd_target(target)
            for n_threads in (1, 3, 7):
                options = {"n_threads": n_threads, **measure.options}
                by_class = counts.class_scores(measure.method, **options)
                directions = directions_of(counts, measure.method, **options)
                arrays = {"by class": by_class, "directions": directions}
                for how in (None, *AGGREGATES):
                    arrays[how] = counts.score(measure.method, aggregate=how, **options)
                for name, array in arrays.items():
                    assert array.tobytes() == expected.setdefault(name, array.tobytes()), name
    finally:
        _core.use_simd_target(best)


@pytest.mark.parametrize("aggregate", ["sum", "mean", "max"])
def test_how_counts_are_stored_changes_no_bit(aggregate: Any) -> None:
    # Rows of float counts are narrow only if streams have made them, and the scores of rare terms
    # of dozens of classes depend on whether a count may be below the smoothing.
    rng = np.random.default_rng(24)
    n_classes, n_terms, n_tokens = 40, 3000, 60_000
    table = np.zeros((n_classes + 1, n_terms), int)  # the last class has no tokens
    drawn = rng.choice(n_classes, n_tokens)
    np.add.at(table, (drawn, (n_terms * rng.random(n_tokens) ** 6).astype(int)), 1)
    y = np.arange(n_classes + 1)
    whole, fractions = ts.count(table, y), ts.count(table.astype(float), y)
    weighted = ts.count(table.astype(float), y, sample_weight=np.ones(n_classes + 1))
    for method in ("md", "md_chi2"):
        expected = whole.score(method, aggregate=aggregate).tobytes()
        for counts in (fractions, weighted, pickle.loads(pickle.dumps(fractions))):
            assert counts.score(method, aggregate=aggregate).tobytes() == expected


def test_order_and_neighbours_change_nothing(method: str) -> None:
    # Terms 3 and 350 are common and equal, but in different blocks. Their scores must be equal.
    rng = np.random.default_rng(16)
    y = rng.integers(0, 3, 300)
    X = rng.poisson(rng.gamma(0.3, 1.0, (3, 400))[y])
    X[:, ::7] += y[:, None] == 0
    X[:, 200:220] += y[:, None] > 0
    X[:, 3] = X[:, 350] = rng.poisson(200, 300)
    X[:, 4] = X[:, 70] = X[:, 199]
    columns = rng.permutation(400)
    for measure in (measure for measure in MEASURES if measure.method == method):
        for weight in (1, 10**6, 10**9):
            weights = np.full(300, weight)
            there = ts.count(X, y, weights)
            here = ts.count(X[:, columns], y, weights)
            turned = ts.count(X, (y + 1) % 3, weights)
            values = there.class_scores(method, **measure.options)
            moved = here.class_scores(method, **measure.options)
            assert values[:, columns].tobytes() == moved.tobytes()
            scores = there.score(method, **measure.options)
            assert scores[columns].tobytes() == here.score(method, **measure.options).tobytes()
            assert scores[3] == scores[350]
            assert scores[4] == scores[70] == scores[199]
            other = turned.class_scores(method, **measure.options)[[1, 2, 0]]
            assert_allclose(other, values, rtol=1e-13)


@pytest.mark.full(cases=10)
@pytest.mark.parametrize("n_classes", [2, 300])
def test_classes_without_documents_and_kinds_of_numbers_change_nothing(
    method: str, n_classes: int
) -> None:
    rng = np.random.default_rng(13)
    X = sp.random_array((n_classes, 3000), density=0.02, random_state=rng).tocsr()
    y, whole = np.arange(n_classes), rng.integers(1, 9, X.nnz)
    for data in (whole, 0.3 * whole, whole.astype(float)):
        table = sp.csr_array((data, X.indices, X.indptr), shape=X.shape)
        narrow = ts.count(table, y)
        wide = ts.count(table, y, classes=np.arange(-1, n_classes + 200))
        for measure in (measure for measure in MEASURES if measure.method == method):
            values = narrow.class_scores(method, **measure.options)
            padded = wide.class_scores(method, **measure.options)
            assert padded[1 : n_classes + 1].tobytes() == values.tobytes()
            assert not padded[0].any()
            assert not padded[n_classes + 1 :].any()
            for how in (None, *AGGREGATES):
                options: Any = {"aggregate": how, **measure.options}
                scores = narrow.score(method, **options)
                assert wide.score(method, **options).tobytes() == scores.tobytes()
            if data is not whole and data.sum() == whole.sum():
                integers = ts.count(sp.csr_array((whole, X.indices, X.indptr), shape=X.shape), y)
                assert_allclose(
                    values, integers.class_scores(method, **measure.options), rtol=2e-14
                )


def test_nothing_is_nan_without_smoothing(method: str) -> None:
    counts = ts.count(np.array([[1, 0, 0, 2], [0, 0, 3, 2], [0, 0, 0, 0]]), ["a", "b", "c"])
    tiny = ts.count(np.array([[1e-200, 0, 1e-320], [2e-200, 0, 1e-200], [1, 0, 3]]), [0, 1, 2])
    for one in (counts, tiny):
        for measure in (measure for measure in MEASURES if measure.method == method):
            for prior in ("empirical", "uniform", [1, 0, 1], [0, 1, 1]):
                for how in AGGREGATES:
                    scores = one.score(
                        method, alpha=0, class_prior=prior, aggregate=how, **measure.options
                    )
                    assert not np.isnan(scores).any()
                    assert scores[1] == 0  # term 1 never occurs, so p = q = 0
