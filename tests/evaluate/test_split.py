"""`selection_curve` at every k, compared with the reference and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import termsift as ts
from private import METRICS
from strategies import csr_matrices, labels
from wording import raises

MODELS = ("multinomial", "binary", "bernoulli", "poisson")
# With a much smaller alpha, sums of two classes may differ by less than the core's rounding errors.
ALPHAS = (1e-6, 0.01, 0.5, 1.0, 10.0)


def assert_is_the_reference(ranking, X, y, X_test, y_test, ks, model, alpha=1.0):
    """Compare every metric at every k, and return the predictions of the reference."""
    options = {"classifier": model, "classifier_alpha": alpha}
    curve = ts.selection_curve(ranking, X, y, X_test, y_test, ks, **options, n_threads=2)
    options = {"classifier": model, "alpha": alpha}
    expected = ts.reference.selection_curve(ranking, X, y, X_test, y_test, ks, **options)
    assert curve.ks.tolist() == expected["k"]
    for metric in METRICS:
        assert_allclose(curve.runs[metric][0], expected[metric], rtol=1e-12, atol=1e-15)
    return expected["predictions"]


@st.composite
def problems(draw):
    """Draw training and test documents with labels, a ranking, and numbers of terms `ks`."""
    n_terms = draw(st.integers(1, 8))
    dtypes = (np.bool_, np.int8, np.int16, np.uint8, np.int32, np.float32, np.float64)
    X, X_test = (
        draw(csr_matrices((draw(st.integers(1, 9)), n_terms), dtypes=dtypes)) for _ in range(2)
    )
    # Classes of 32,764 and 32,765 occurrences, with a small alpha, differ by less than a tie may.
    X.data = np.minimum(X.data, 100).astype(X.dtype)
    y = draw(labels(X.shape[0] + X_test.shape[0]))
    ranking = draw(st.permutations(range(n_terms)))[: draw(st.integers(1, n_terms))]
    some = st.lists(st.integers(1, len(ranking)), min_size=1, unique=True).map(sorted)
    ks = draw(st.one_of(st.just(list(range(1, len(ranking) + 1))), some))
    return X, y[: X.shape[0]], X_test, y[X.shape[0] :], ranking, ks


# scikit-learn predicts class 1 because of an error of 1e-7, but class 0 is more probable by 2e-10.
ROUNDED = (
    np.array([[0, 0], [0, 0], [0, 0], [1, 1]]),
    [0, 0, 0, 1],
    np.array([[0, 1]]),
    [1],
    [0, 1],
)


@example((*ROUNDED, [1, 2]), "bernoulli", 1e-10)
@given(problems(), st.sampled_from(MODELS), st.sampled_from(ALPHAS))
def test_every_k_equals_the_reference(problem, model, alpha) -> None:
    X, y, X_test, y_test, ranking, ks = problem
    assert_is_the_reference(ranking, X, y, X_test, y_test, ks, model, alpha)


@given(st.integers(2, 5), st.integers(1, 7), st.integers(0, 2**32), st.sampled_from(MODELS))
def test_collections_with_many_ties(n_classes, n_terms, seed, model) -> None:
    # The classes have permutations of the same few small counts, so there are many exact ties.
    rng = np.random.default_rng(seed)
    one = rng.integers(0, 3, (2, n_terms))
    X = np.vstack([one[:, rng.permutation(n_terms)] for _ in range(n_classes)])
    y = np.repeat(np.arange(n_classes), 2)
    X_test = rng.integers(0, 2, (4, n_terms))
    ranking, ks = rng.permutation(n_terms), range(1, n_terms + 1)
    for label in range(n_classes):  # the accuracy shows which documents get this label
        assert_is_the_reference(ranking, X, y, X_test, [label] * 4, ks, model)


@pytest.mark.full(cases=1)
@pytest.mark.parametrize("model", MODELS)
def test_predictions_change_within_long_sweeps(model: str) -> None:
    # For documents of few terms and hundreds of numbers of terms, a bug once missed some changes of
    # the predicted class.
    rng = np.random.default_rng(2016)
    n_terms, n_classes = 300, 8
    rates = rng.gamma(0.3, 1.0, (n_classes, n_terms))
    y = rng.integers(0, n_classes, 160)
    X = rng.poisson(rates[y] * rng.gamma(1.0, 1.0, (160, 1)))
    y_test = rng.integers(0, n_classes, 12)
    X_test = rng.poisson(rates[y_test] * 0.03)
    parts = (rng.permutation(n_terms), X, y, X_test, y_test)
    whole = ts.selection_curve(*parts, classifier=model, classifier_alpha=0.1)
    some = ts.selection_curve(*parts, range(1, n_terms, 15), classifier=model, classifier_alpha=0.1)
    assert_array_equal(whole.accuracy[::15], some.accuracy)
    assert np.count_nonzero(np.diff(whole.accuracy)) > 10
    assert_is_the_reference(*parts, range(1, n_terms, 30), model, 0.1)


@pytest.mark.parametrize("model", MODELS[:3])
def test_the_metrics_are_those_of_scikit_learn(model: str) -> None:
    naive_bayes = pytest.importorskip("sklearn.naive_bayes")
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(5)
    rates, y, y_test = rng.gamma(0.5, 1.0, (4, 12)), np.arange(40) % 4, rng.integers(0, 4, 30)
    X, X_test = (rng.poisson(rates[codes]) for codes in (y, y_test))
    ranking, ks = rng.permutation(12), [1, 3, 7, 12]
    options = {"classifier": model, "classifier_alpha": 0.5}
    curve = ts.selection_curve(ranking, X, y, X_test, y_test, ks, **options)
    chosen = naive_bayes.BernoulliNB if model == "bernoulli" else naive_bayes.MultinomialNB
    if model == "binary":
        X, X_test = X > 0, X_test > 0
    for step, k in enumerate(ks):
        terms = ranking[:k]
        predicted = chosen(alpha=0.5).fit(X[:, terms], y).predict(X_test[:, terms])
        assert curve.accuracy[step] == metrics.accuracy_score(y_test, predicted)
        for prefix, average in (("", "weighted"), ("macro_", "macro")):
            expected = metrics.precision_recall_fscore_support(
                y_test, predicted, average=average, zero_division=0
            )
            ours = [curve.runs[prefix + m][0][step] for m in ("precision", "recall", "f1")]
            assert_allclose(ours, expected[:3], rtol=1e-12, atol=1e-15)


# ------------------------------------------------------------------------------------- exact ties


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize(
    ("X", "document", "alpha", "model"),
    [
        # The classes tie: the priors have the ratio 1 : 2, and p of term 0 has the ratio 2 : 1.
        ([[1, 0], [0, 1], [0, 0]], [1, 0], 1.0, "multinomial"),
        # Two occurrences of term 0 give the ratio 3^2 : 1^2 = 9 : 1, and two occurrences of
        # term 1 give the ratio 1 : 9.
        ([[2, 0, 0, 5], [0, 2, 0, 5]], [2, 2, 0, 0], 1.0, "multinomial"),
        # The document has no terms, so only the priors matter, and they are equal.
        ([[1, 1, 0, 4], [0, 0, 7, 0]], [0, 0, 0, 0], 1.0, "multinomial"),
        ([[0, 1, 0], [0, 0, 1]], [1, 0, 0], 1e-10, "multinomial"),
        ([[9, 1], [1, 3]], [1, 1], 1.0, "binary"),
        ([[1, 0], [0, 1]], [0, 0], 0.5, "bernoulli"),
        ([[1, 0], [0, 1]], [1, 1], 10.0, "bernoulli"),
        ([[3, 1], [1, 3]], [2, 2], 1.0, "poisson"),
        ([[3, 1], [1, 3]], [0, 0], 0.01, "poisson"),
    ],
)
def test_ties_go_to_the_first_class(X, document, alpha, model, swap) -> None:
    y = np.array([0, 1, 1][: len(X)])
    parts = (X, 1 - y if swap else y, [document], [0], [len(document)])
    assert assert_is_the_reference(range(len(document)), *parts, model, alpha) == [[0]]


# ------------------------------------------------------------------------------------- input


def test_any_form_of_the_matrices_and_labels() -> None:
    rng = np.random.default_rng(8)
    X, X_test = rng.poisson(0.5, (40, 12)), rng.poisson(0.5, (30, 12))
    y, y_test = rng.integers(0, 4, 40), rng.integers(0, 5, 30)
    ranking = ts.count(X, y).rank("chi2")
    expected = ts.selection_curve(ranking, X, y, X_test, y_test)
    assert expected.name == "chi2"
    names = [("a", "b", "c", "d", "e"), (1, "1", b"1", (2, 3), -7)]
    for form in (sp.csr_matrix, sp.csc_array, np.asfortranarray, lambda X: X.astype(np.float32)):
        for name in names:
            found = ts.selection_curve(
                ranking.indices.tolist(),
                *(form(X), [name[c] for c in y], form(X_test), [name[c] for c in y_test]),
            )
            # The order of the labels would only matter for ties, which these data do not have.
            assert_allclose(found.mean("f1"), expected.mean("f1"), rtol=1e-13)
    assert found.name == "given"
    for n_threads in (1, 2, 3):
        again = ts.selection_curve(ranking, X, y, X_test, y_test, n_threads=n_threads)
        for metric in METRICS:
            assert_array_equal(again.runs[metric], expected.runs[metric])


def test_classes_unknown_to_either_side() -> None:
    X = np.array([[1, 0], [0, 1], [0, 1]])
    curve = ts.selection_curve([0, 1], X, ["a", "b", "c"], X[[0, 1, 1]], ["a", "b", "z"], [2])
    assert_array_equal(curve.accuracy, [2 / 3])  # label z is an error, and c does not count
    assert_allclose(curve.mean("macro_recall"), [2 / 3])
    assert_allclose(curve.mean("macro_precision"), [(1 + 1 / 2 + 0) / 3])
    curve = ts.selection_curve([0, 1], X, ["a", "b", "c"], X, ["x", "y", "z"], [1, 2])
    for metric in METRICS:
        assert_array_equal(curve.mean(metric), [0, 0])


def test_malformed_arrays_are_refused_before_they_are_used() -> None:
    # scipy does not check indices before slicing, so a wrong index would be read out of bounds.
    X = sp.csr_array(np.eye(4, dtype=np.int64))
    bad = X.copy()
    bad.indices[2] = 2_000_000
    y = [0, 1, 0, 1]
    with raises(ValueError, "x_test_has_the_index", argument="X_test", at="row 2"):
        ts.selection_curve([0, 1], X, y, bad, y)
    with raises(ValueError, "x_train_has_the_index", argument="X_train", at="row 2"):
        ts.selection_curve([0, 1], bad, y, X, y)
    with raises(ValueError, "x_has_the_index_2000000", argument="X", at="row 2"):
        ts.cross_validate(bad, y, cv=2)
    for name, arguments in (("X_train", (-X, y, X, y)), ("X_test", (X, y, X * np.nan, y))):
        with raises(ValueError, "not_a_finite_count_at_row_0", argument=name, at=f"{name} has "):
            ts.selection_curve([0], *arguments)


E4, Y4 = np.eye(4, dtype=int), ["a", "b", "a", "b"]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "key", "argument"),
    [
        (([0], E4, Y4, E4[:, :3], Y4), {}, ValueError, "x_test_has_3_columns_x_train_4", "X_test"),
        (([0, 4], E4, Y4, E4, Y4), {}, ValueError, "ranking_has_4_at_position_1", "ranking"),
        (([1, 1], E4, Y4, E4, Y4), {}, ValueError, "ranking_has_1_twice_expected_each", "ranking"),
        (([[0, 1]], E4, Y4, E4, Y4), {}, ValueError, "ranking_has_2_dimensions", "ranking"),
        (([0.5], E4, Y4, E4, Y4), {}, TypeError, "ranking_must_hold_integers_got_dtype", "ranking"),
        (([0], E4, Y4, E4, Y4), {"ks": [2]}, ValueError, "each_of_ks_must_be_in_4", "ks"),
        (([], E4, Y4, E4, Y4), {}, ValueError, "there_are_no_terms_to", "ranking"),
        (([0], E4, Y4, E4[:0], []), {}, ValueError, "there_are_no_test_documents", "X_test"),
        (([0], E4[:0], [], E4, Y4), {}, ValueError, "naive_bayes_needs_a_class_with", "y_train"),
        (([0], E4, Y4, E4, Y4[:3]), {}, ValueError, "y_test_has_3_labels_for_4", "y_test"),
        (
            ([0], E4, E4, E4, Y4),
            {},
            ValueError,
            "y_train_is_an_indicator_matrix_expected",
            "y_train",
        ),
        (([0], E4, Y4, E4, E4), {}, ValueError, "y_test_is_an_indicator_matrix_expected", "y_test"),
        (
            ([0], E4, Y4, E4, [1, 2, 3, np.nan]),
            {},
            ValueError,
            "the_label_of_document_3_is",
            "y_test",
        ),
        (
            ([0], E4, Y4, E4, Y4),
            {"classifier": "gaussian"},
            ValueError,
            "classifier_must_be_one_of_multinomial_2",
            "classifier",
        ),
        (
            ([0], E4, Y4, E4, Y4),
            {"classifier_alpha": 0},
            ValueError,
            "classifier_alpha_must_be_positive",
            "classifier_alpha",
        ),
        (
            ([0], E4, Y4, E4, Y4),
            {"classifier_alpha": (1, 2)},
            TypeError,
            "classifier_alpha_must_be_a_number",
            "classifier_alpha",
        ),
        (
            ([0], E4 * 1e300, Y4, E4, Y4),
            {"classifier_alpha": 1e-9},
            ValueError,
            "classifier_alpha_is_too_small",
            "classifier_alpha",
        ),
        (
            ([0], E4, Y4, E4 * 1e300, Y4),
            {},
            ValueError,
            "the_documents_hold_values_above_2",
            "X_test",
        ),
        (
            ([0], E4, Y4, E4, Y4),
            {"n_threads": 0},
            ValueError,
            "n_threads_must_be_in_1_4096",
            "n_threads",
        ),
    ],
)
def test_invalid_arguments_of_selection_curve(arguments, options, error, key, argument) -> None:
    with raises(error, key, argument=argument):
        ts.selection_curve(*arguments, **options)
