"""`selection_curve` at every k, against a new fit and prediction."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import termsift as ts
from strategies import csr_matrices, labels
from termsift import _core
from termsift._evaluate.curve import METRICS
from termsift._util import validation

MODELS = ("multinomial", "binary", "bernoulli", "poisson")
ALPHAS = (1e-10, 0.01, 0.5, 1.0, 10.0)


# ------------------------------------------------------------------------------------- witnesses


def dense(X):
    """Occurrences as float64, repeated entries added up; of booleans each counts."""
    X = X.astype(np.float64) if sp.issparse(X) else np.asarray(X, dtype=np.float64)
    return X.toarray() if sp.issparse(X) else X


def log_joint(X, codes, X_test, model, alpha):
    """Log joint likelihoods of the test documents and the classes that they belong to."""
    if model != "poisson":
        naive_bayes = pytest.importorskip("sklearn.naive_bayes")
        chosen = naive_bayes.BernoulliNB if model == "bernoulli" else naive_bayes.MultinomialNB
        if model == "binary":
            X, X_test = (sp.csr_array(part) > 0 for part in (X, X_test))
        fitted = chosen(alpha=alpha, force_alpha=True).fit(X, codes)
        return fitted.predict_joint_log_proba(X_test), fitted.classes_
    present = np.unique(codes)
    joint = []
    for c in present:
        rates = (X[codes == c].sum(axis=0) + alpha) / (np.sum(codes == c) + alpha)
        prior = math.log(np.mean(codes == c))
        joint.append(prior + X_test @ np.log(rates) - rates.sum())
    return np.array(joint).T, present


def exact_joint(X, codes, x, model, alpha):
    """Return P(c, document) as a fraction, without common factors and the rates' exponential."""
    alpha = Fraction(alpha)
    joint = {}
    if model in ("binary", "bernoulli"):
        X, x = X > 0, x > 0
    for c in np.unique(codes).tolist():
        rows = X[codes == c]
        n_c = len(rows)
        l_c = [sum(map(Fraction, column.tolist()), Fraction(0)) for column in rows.T]
        size = {"bernoulli": n_c + 2 * alpha, "poisson": n_c + alpha}.get(
            model, sum(l_c, Fraction(0)) + alpha * len(l_c)
        )
        p = [(occurrences + alpha) / size for occurrences in l_c]
        product = math.prod((p_i ** int(x_i) for p_i, x_i in zip(p, x, strict=True)), start=n_c)
        if model == "bernoulli":
            product *= math.prod(1 - p_i for p_i, x_i in zip(p, x, strict=True) if not x_i)
        # Powers of e, of rational exponents, are equal only if these are.
        joint[c] = (product, sum(p, Fraction(0)) if model == "poisson" else 0)
    return joint


def check_predictions(found, X, codes, X_test, terms, ks, model, alpha):
    """Compare the class of each k and document with those of a new fit.

    Where the best two differ by less than 1e-9 of their size, either is right; of classes that
    agree exactly, only the first is.
    """
    X, X_test = dense(X), dense(X_test)
    for step, k in enumerate(ks):
        columns = terms[:k]
        joint, classes = log_joint(X[:, columns], codes, X_test[:, columns], model, alpha)
        for d, log in enumerate(joint):
            best = log.max()
            # The error is relative to the numbers that are added up, not to their sum.
            size = abs(log).max() + X_test[d, columns].sum() * abs(math.log(alpha))
            close = classes[log >= best - 1e-9 * size].tolist()
            taken = int(found[step][d])
            x = X_test[d, columns]
            if model == "bernoulli" and taken not in close:
                # scikit-learn has log(1 - p) of a p that is rounded: 1e-6 off if 1 - p is 1e-10.
                exact = exact_joint(X[:, columns], codes, x, model, alpha)
                best = max(exact.values())[0]
                close = [c for c in exact if exact[c][0] >= best * (1 - Fraction(1, 10**9))]
            assert taken in close, (k, d, log, taken)
            if len(close) > 1 and (x % 1 == 0).all() and x.sum() <= 300:
                exact = exact_joint(X[:, columns], codes, x, model, alpha)
                equal = [c for c in close if exact[c] == exact[taken]]
                assert taken == equal[0], (k, d, exact)


def predictions(ranking, X, y, X_test, ks, model="multinomial", alpha=1.0):
    """Return the class code of each document, from test sets of one document."""
    counts = ts.count(X, y)
    found = np.empty((len(ks), X_test.shape[0]), dtype=np.int64)
    for d in range(X_test.shape[0]):
        one = validation.check_matrix(
            X_test.tocsr()[[d]] if sp.issparse(X_test) else X_test[[d]], 1
        )
        hits, predicted = _core.classify_by_prefixes(
            *(counts._counts, _core.EventModel.__members__[model], alpha),
            *(np.array(ranking, dtype=np.int64), np.array(ks, dtype=np.int64)),
            *(one.indptr, one.indices, one.data, one.n_terms),
            *(np.array([-1], dtype=np.int32), _core.TermWeight.raw, None, 1),
        )
        assert not hits.any()
        assert (predicted.sum(axis=1) == 1).all()
        found[:, d] = predicted.argmax(axis=1)
    return found


def check_metrics(curve, y_test, found, classes):
    """Compare a curve of one run with scikit-learn's metrics of the predictions."""
    metrics = pytest.importorskip("sklearn.metrics")
    y_test = y_test.tolist() if hasattr(y_test, "tolist") else list(y_test)
    every = {label: code for code, label in enumerate(dict.fromkeys([*classes, *y_test]))}
    known = [every[label] for label in y_test]
    for step in range(len(curve)):
        taken = [every[classes[code]] for code in found[step]]
        assert curve.accuracy[step] == metrics.accuracy_score(known, taken)
        for prefix, average in (("", "weighted"), ("macro_", "macro")):
            expected = metrics.precision_recall_fscore_support(
                known, taken, average=average, zero_division=0
            )
            ours = [curve.runs[prefix + m][0][step] for m in ("precision", "recall", "f1")]
            assert_allclose(ours, expected[:3], rtol=1e-12, atol=1e-15)


# ------------------------------------------------------------------------------------- random data


@st.composite
def problems(draw):
    """Training and test documents, their labels, a ranking, ks."""
    n_terms = draw(st.integers(1, 8))
    dtypes = (np.bool_, np.int8, np.int16, np.uint8, np.int32, np.float32, np.float64)
    X, X_test = (
        draw(csr_matrices((draw(st.integers(1, 9)), n_terms), dtypes=dtypes)) for _ in range(2)
    )
    y = draw(labels(X.shape[0] + X_test.shape[0]))
    ranking = draw(st.permutations(range(n_terms)))[: draw(st.integers(1, n_terms))]
    some = st.lists(st.integers(1, len(ranking)), min_size=1, unique=True).map(sorted)
    ks = draw(st.one_of(st.just(list(range(1, len(ranking) + 1))), some))
    if draw(st.booleans()):
        X, X_test = dense(X), dense(X_test)
    return X, y[: X.shape[0]], X_test, y[X.shape[0] :], ranking, ks


# Here scikit-learn is wrong by 1e-7 and predicts class 1; class 0 is likelier by 2e-10.
ROUNDED = (
    np.array([[0, 0], [0, 0], [0, 0], [1, 1]]),
    [0, 0, 0, 1],
    np.array([[0, 1]]),
    [1],
    [0, 1],
)


@example((*ROUNDED, [1, 2]), "bernoulli", 1e-10)
@given(problems(), st.sampled_from(MODELS), st.sampled_from(ALPHAS))
def test_every_k_equals_a_separate_fit_and_prediction(problem, model, alpha) -> None:
    pytest.importorskip("sklearn")
    X, y, X_test, y_test, ranking, ks = problem
    labelled = validation.check_labels(y, X.shape[0], None)
    found = predictions(ranking, X, y, X_test, ks, model, alpha)
    check_predictions(found, X, labelled.codes, X_test, ranking, ks, model, alpha)
    curve = ts.selection_curve(
        ranking, X, y, X_test, y_test, ks, naive_bayes=model, alpha=alpha, n_threads=2
    )
    assert curve.ks.tolist() == ks
    check_metrics(curve, y_test, found, labelled.classes)


@given(st.integers(2, 5), st.integers(1, 7), st.integers(0, 2**32), st.sampled_from(MODELS))
def test_collections_with_many_ties(n_classes, n_terms, seed, model) -> None:
    # The classes are permutations of one another with few and small counts: many ties are exact.
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(seed)
    one = rng.integers(0, 3, (2, n_terms))
    X = np.vstack([one[:, rng.permutation(n_terms)] for _ in range(n_classes)])
    y = np.repeat(np.arange(n_classes), 2)
    X_test = rng.integers(0, 2, (4, n_terms))
    ranking, ks = rng.permutation(n_terms), range(1, n_terms + 1)
    found = predictions(ranking, X, y, X_test, ks, model)
    check_predictions(found, X, y, X_test, ranking, ks, model, 1.0)


@pytest.mark.full(cases=1)
@pytest.mark.parametrize("model", MODELS)
def test_predictions_change_within_long_sweeps(model: str) -> None:
    # A change of class between two ks was skipped once: few terms per document, hundreds of ks.
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(2016)
    n_terms, n_classes = 300, 8
    rates = rng.gamma(0.3, 1.0, (n_classes, n_terms))
    y = rng.integers(0, n_classes, 160)
    X = rng.poisson(rates[y] * rng.gamma(1.0, 1.0, (160, 1)))
    X_test = rng.poisson(rates[rng.integers(0, n_classes, 25)] * 0.03)
    ranking, ks = rng.permutation(n_terms), range(1, n_terms + 1)
    found = predictions(ranking, X, y, X_test, ks, model, 0.1)
    assert (np.diff(found, axis=0) != 0).sum() > 30
    check_predictions(found, X, y, X_test, ranking, ks, model, 0.1)


# ------------------------------------------------------------------------------------- exact ties


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize(
    ("X", "document", "alpha", "model"),
    [
        # The prior is 1 to 2, p of term 0 as 2 to 1.
        ([[1, 0], [0, 1], [0, 0]], [1, 0], 1.0, "multinomial"),
        # p = 3/9 and 1/9: squared, that is nine to one; two other terms at 1/9 and 3/9 undo it.
        ([[2, 0, 0, 5], [0, 2, 0, 5]], [2, 2, 0, 0], 1.0, "multinomial"),
        # 4/3 twice, against 16/9 once.
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
    X, x = np.array(X), np.array(document)
    y = np.array([0, 1, 1][: len(X)])
    y = 1 - y if swap else y
    terms = np.arange(X.shape[1])
    a, b = exact_joint(X, y, x, model, alpha).values()
    assert a == b
    assert predictions(terms, X, y, x[None], [len(terms)], model, alpha).tolist() == [[0]]
    curve = ts.selection_curve(
        terms, X, y, x[None], [0], [len(terms)], naive_bayes=model, alpha=alpha
    )
    assert curve.accuracy == 1
    expected = ts.reference.selection_curve(
        terms, X, y, x[None], [0], [len(terms)], naive_bayes=model, alpha=alpha
    )
    assert expected["predictions"] == [[0]]


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
            # Labels in another order, which could matter only for ties; these data have none.
            assert_allclose(found.mean("f1"), expected.mean("f1"), rtol=1e-13)
    assert found.name == "given"
    for n_threads in (1, 2, 3):
        again = ts.selection_curve(ranking, X, y, X_test, y_test, n_threads=n_threads)
        for metric in METRICS:
            assert_array_equal(again.runs[metric], expected.runs[metric])


def test_classes_unknown_to_either_side() -> None:
    X = np.array([[1, 0], [0, 1], [0, 1]])
    curve = ts.selection_curve([0, 1], X, ["a", "b", "c"], X[[0, 1, 1]], ["a", "b", "z"], [2])
    assert_array_equal(curve.accuracy, [2 / 3])  # z counts as an error, c nowhere
    assert_allclose(curve.mean("macro_recall"), [2 / 3])
    assert_allclose(curve.mean("macro_precision"), [(1 + 1 / 2 + 0) / 3])
    curve = ts.selection_curve([0, 1], X, ["a", "b", "c"], X, ["x", "y", "z"], [1, 2])
    for metric in METRICS:
        assert_array_equal(curve.mean(metric), [0, 0])


def test_malformed_arrays_are_refused_before_they_are_used() -> None:
    # scipy does not check indices before it slices, and would read beyond its arrays.
    X = sp.csr_array(np.eye(4, dtype=np.int64))
    bad = X.copy()
    bad.indices[2] = 2_000_000
    y = [0, 1, 0, 1]
    with pytest.raises(ValueError, match="X_test has the index 2000000 in row 2"):
        ts.selection_curve([0, 1], X, y, bad, y)
    with pytest.raises(ValueError, match="X_train has the index 2000000 in row 2"):
        ts.selection_curve([0, 1], bad, y, X, y)
    with pytest.raises(ValueError, match="X has the index 2000000 in row 2"):
        ts.cross_validate(bad, y, cv=2)
    for name, arguments in (("X_train", (-X, y, X, y)), ("X_test", (X, y, X * np.nan, y))):
        with pytest.raises(ValueError, match=f"{name} has (-1|nan) at row 0, column 0"):
            ts.selection_curve([0], *arguments)


E4, Y4 = np.eye(4, dtype=int), ["a", "b", "a", "b"]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (([0], E4, Y4, E4[:, :3], Y4), {}, ValueError, "X_test has 3 columns, X_train 4"),
        (([0, 4], E4, Y4, E4, Y4), {}, ValueError, "ranking has 4 at position 1"),
        (([1, 1], E4, Y4, E4, Y4), {}, ValueError, "ranking has 1 twice"),
        (([0.5], E4, Y4, E4, Y4), {}, TypeError, "ranking must hold integers"),
        (([0], E4, Y4, E4, Y4), {"ks": [2]}, ValueError, r"numbers in \[1, 1\]"),
        (([], E4, Y4, E4, Y4), {}, ValueError, "no terms to choose from"),
        (([0], E4, Y4, E4[:0], []), {}, ValueError, "there are no test documents"),
        (([0], E4[:0], [], E4, Y4), {}, ValueError, "a class with documents"),
        (([0], E4, Y4, E4, Y4[:3]), {}, ValueError, "3 labels for 4 documents"),
        (([0], E4, E4, E4, Y4), {}, ValueError, "y_train is an indicator matrix"),
        (([0], E4, Y4, E4, E4), {}, ValueError, "y_test is an indicator matrix"),
        (([0], E4, Y4, E4, [1, 2, 3, np.nan]), {}, ValueError, "document 3 is missing"),
        (([0], E4, Y4, E4, Y4), {"naive_bayes": "gaussian"}, ValueError, "got 'gaussian'"),
        (([0], E4, Y4, E4, Y4), {"alpha": 0}, ValueError, "alpha must be positive and finite"),
        (([0], E4, Y4, E4, Y4), {"alpha": (1, 2)}, TypeError, "alpha must be a number"),
        (([0], E4 * 1e300, Y4, E4, Y4), {"alpha": 1e-9}, ValueError, "alpha is too small"),
        (([0], E4, Y4, E4 * 1e300, Y4), {}, ValueError, "above 2\\^900"),
        (([0], E4, Y4, E4, Y4), {"n_threads": 0}, ValueError, "n_threads must be in"),
    ],
)
def test_invalid_arguments_of_selection_curve(arguments, options, error, message) -> None:
    with pytest.raises(error, match=message):
        ts.selection_curve(*arguments, **options)
