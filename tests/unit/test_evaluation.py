"""Naive Bayes at every k, and cross-validation, against fitting and predicting anew."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import textwrap
from collections import Counter
from fractions import Fraction
from unittest.mock import Mock

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import corpora
import termsift as ts
from strategies import csr_matrices, labels
from termsift import _core
from termsift._evaluate import evaluation
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
    """P(c, document) as a fraction, but for what all classes share and the rates' exponential."""
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


def check_predictions(found, X, codes, X_test, terms, ks, model, alpha, tally=None):
    """Compare the class of each k and document with those of fitting anew.

    Where the best two differ by less than 1e-9 of their size either will do; but of classes that
    agree exactly it must be the first.
    """
    X, X_test = dense(X), dense(X_test)
    tally = Counter() if tally is None else tally
    for step, k in enumerate(ks):
        columns = terms[:k]
        joint, classes = log_joint(X[:, columns], codes, X_test[:, columns], model, alpha)
        for d, log in enumerate(joint):
            best = log.max()
            # In units of what is added up, not of what is left of it.
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
            tally["predictions"] += 1
            if len(close) > 1 and (x % 1 == 0).all() and x.sum() <= 300:
                exact = exact_joint(X[:, columns], codes, x, model, alpha)
                equal = [c for c in close if exact[c] == exact[taken]]
                assert taken == equal[0], (k, d, exact)
                tally["ties"] += len(equal) > 1
                tally["close"] += 1


def predictions(ranking, X, y, X_test, ks, model="multinomial", alpha=1.0):
    """Codes of the classes that each document is taken for, from test sets of one document."""
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


TALLY: Counter[str] = Counter()


# Where scikit-learn is wrong by 1e-7 and says class 1; class 0 is likelier by 2e-10.
ROUNDED = (
    np.array([[0, 0], [0, 0], [0, 0], [1, 1]]),
    [0, 0, 0, 1],
    np.array([[0, 1]]),
    [1],
    [0, 1],
)


@example((*ROUNDED, [1, 2]), "bernoulli", 1e-10)
@given(problems(), st.sampled_from(MODELS), st.sampled_from(ALPHAS))
def test_every_k_is_a_fit_and_prediction_of_its_own(problem, model, alpha) -> None:
    pytest.importorskip("sklearn")
    X, y, X_test, y_test, ranking, ks = problem
    labelled = validation.check_labels(y, X.shape[0], None)
    found = predictions(ranking, X, y, X_test, ks, model, alpha)
    check_predictions(found, X, labelled.codes, X_test, ranking, ks, model, alpha, TALLY)
    curve = ts.selection_curve(
        ranking, X, y, X_test, y_test, ks, naive_bayes=model, alpha=alpha, n_threads=2
    )
    assert curve.ks.tolist() == ks
    check_metrics(curve, y_test, found, labelled.classes)


@given(problems(), st.sampled_from(MODELS), st.sampled_from(ALPHAS))
def test_the_reference_predicts_the_same(problem, model, alpha) -> None:
    X, y, X_test, y_test, ranking, ks = problem
    expected = ts.reference.selection_curve(
        ranking, X, y, X_test, y_test, ks, naive_bayes=model, alpha=alpha
    )
    classes = ts.count(X, y).classes
    found = predictions(ranking, X, y, X_test, ks, model, alpha)
    counts, X_test = ts.reference.count(X, y), dense(X_test)
    for step, k in enumerate(ks):
        for d, (code, label) in enumerate(
            zip(found[step], expected["predictions"][step], strict=True)
        ):
            if classes[code] == label:
                continue
            # Only by what rounding decides: of one or of both.
            document = dict(enumerate(X_test[d].tolist()))
            posteriors = ts.reference.log_posteriors(
                counts, document, ranking[:k], naive_bayes=model, alpha=alpha
            )
            ours, theirs = posteriors[code], posteriors[classes.index(label)]
            added = 4 * sum(document.values()) * abs(math.log(alpha))  # by the core, with l / alpha
            assert abs(ours[0] - theirs[0]) <= 2**-40 * (ours[1] + theirs[1] + added)
    curve = ts.selection_curve(ranking, X, y, X_test, y_test, ks, naive_bayes=model, alpha=alpha)
    agree = [
        [classes[code] for code in row] == labels_
        for row, labels_ in zip(found, expected["predictions"], strict=True)
    ]
    for metric in METRICS:
        ours, theirs = curve.runs[metric][0][agree], np.array(expected[metric])[agree]
        assert_allclose(ours, theirs, rtol=1e-12, atol=1e-15)


@given(st.integers(2, 5), st.integers(1, 7), st.integers(0, 2**32), st.sampled_from(MODELS))
def test_collections_full_of_ties(n_classes, n_terms, seed, model) -> None:
    # Classes that are permutations of one another, of few and small counts: exact ties abound.
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(seed)
    one = rng.integers(0, 3, (2, n_terms))
    X = np.vstack([one[:, rng.permutation(n_terms)] for _ in range(n_classes)])
    y = np.repeat(np.arange(n_classes), 2)
    X_test = rng.integers(0, 2, (4, n_terms))
    ranking, ks = rng.permutation(n_terms), range(1, n_terms + 1)
    found = predictions(ranking, X, y, X_test, ks, model)
    check_predictions(found, X, y, X_test, ranking, ks, model, 1.0, TALLY)


@pytest.mark.parametrize("model", MODELS)
def test_long_sweeps_change_their_minds(model: str) -> None:
    # Got wrong: a change of class skipped between two ks. A few terms a document, hundreds of ks.
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
    check_predictions(found, X, y, X_test, ranking, ks, model, 0.1, TALLY)


@pytest.mark.parametrize("model", MODELS)
def test_a_k_does_not_depend_on_the_others(model: str) -> None:
    rng = np.random.default_rng(5)
    X, y = rng.poisson(0.4, (60, 50)), rng.integers(0, 6, 60)
    X_test, y_test = rng.poisson(0.2, (40, 50)), rng.integers(0, 8, 40)
    ranking = rng.permutation(50)
    dense_ks = ts.selection_curve(ranking, X, y, X_test, y_test, naive_bayes=model)
    assert dense_ks.ks.tolist() == list(range(1, 51))
    for k in dense_ks.ks:
        one = ts.selection_curve(ranking, X, y, X_test, y_test, [k], naive_bayes=model)
        for metric in METRICS:
            assert one.runs[metric][0, 0] == dense_ks.runs[metric][0, k - 1]


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
def test_of_classes_that_agree_exactly_the_first_is_chosen(X, document, alpha, model, swap) -> None:
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


# ------------------------------------------------------------------------------------- real data


@pytest.mark.parametrize("model", MODELS)
def test_newsgroups(model: str) -> None:
    pytest.importorskip("sklearn")
    if reason := corpora.missing("20 Newsgroups"):
        pytest.skip(reason)
    split = corpora.newsgroups()
    counts = ts.count(split.X_train, split.y_train)
    ranking = counts.rank("md", k=2000)
    ks = [*range(1, 61), 300, 2000]
    one = validation.check_matrix(split.X_test, 1)
    labelled = validation.check_labels(split.y_test, one.n_docs, counts.classes)
    hits, predicted = _core.classify_by_prefixes(
        *(counts._counts, _core.EventModel.__members__[model], 1.0, ranking.indices),
        *(np.array(ks, dtype=np.int64), one.indptr, one.indices, one.data, one.n_terms),
        *(labelled.codes, _core.TermWeight.raw, None, 2),
    )
    codes = np.searchsorted(counts.classes, split.y_train)
    for step, k in enumerate(ks):
        if k > 60 and model == "poisson":
            continue
        terms = ranking.indices[:k]
        X, X_test = (part[:, terms] for part in (split.X_train, split.X_test))
        if model == "poisson":
            X, X_test = X.toarray(), X_test.toarray()
        joint, _ = log_joint(X, codes, X_test, model, 1.0)
        best = joint.max(axis=1, keepdims=True)
        taken = (joint >= best - 1e-12 * abs(best)).argmax(axis=1)  # the first of equals
        assert_array_equal(predicted[step], np.bincount(taken, minlength=20))
        right = taken[taken == labelled.codes]
        assert_array_equal(hits[step], np.bincount(right, minlength=20))
    curve = ts.selection_curve(
        *(ranking, split.X_train, split.y_train, split.X_test, split.y_test, ks),
        naive_bayes=model,
    )
    assert_array_equal(curve.accuracy, hits.sum(axis=1) / one.n_docs)
    assert curve.name == "md"


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
            # Labels in another order; these data have no ties for it to show in.
            assert_allclose(found.f1, expected.f1, rtol=1e-13)
    assert found.name == "given"
    for n_threads in (1, 2, 3):
        again = ts.selection_curve(ranking, X, y, X_test, y_test, n_threads=n_threads)
        for metric in METRICS:
            assert_array_equal(again.runs[metric], expected.runs[metric])


def test_classes_unknown_to_either_side() -> None:
    X = np.array([[1, 0], [0, 1], [0, 1]])
    curve = ts.selection_curve([0, 1], X, ["a", "b", "c"], X[[0, 1, 1]], ["a", "b", "z"], [2])
    assert_array_equal(curve.accuracy, [2 / 3])  # z is an error, c nowhere
    assert_allclose(curve.macro_recall, [2 / 3])
    assert_allclose(curve.macro_precision, [(1 + 1 / 2 + 0) / 3])
    curve = ts.selection_curve([0, 1], X, ["a", "b", "c"], X, ["x", "y", "z"], [1, 2])
    for metric in METRICS:
        assert_array_equal(curve.mean(metric), [0, 0])


def test_malformed_arrays_are_seen_before_they_are_followed() -> None:
    # Got wrong: scipy slices with indices nobody has looked at, and reads what is not its own.
    X = sp.csr_array(np.eye(4, dtype=np.int64))
    bad = X.copy()
    bad.indices[2] = 2_000_000
    y = [0, 1, 0, 1]
    sklearn = pytest.importorskip("sklearn.svm")
    for estimator in (None, sklearn.LinearSVC()):
        options = {"ks": [1, 2], "estimator": estimator}
        with pytest.raises(ValueError, match="X_test has the index 2000000 in row 2"):
            ts.selection_curve([0, 1], X, y, bad, y, **options)
        with pytest.raises(ValueError, match="X_train has the index 2000000 in row 2"):
            ts.selection_curve([0, 1], bad, y, X, y, **options)
        with pytest.raises(ValueError, match="X has the index 2000000 in row 2"):
            ts.cross_validate(bad, y, cv=2, **options)
    for name, arguments in (("X_train", (-X, y, X, y)), ("X_test", (X, y, X * np.nan, y))):
        with pytest.raises(ValueError, match=f"{name} has (-1|nan) at row 0, column 0"):
            ts.selection_curve([0], *arguments)


E4, Y4 = np.eye(4, dtype=int), ["a", "b", "a", "b"]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (([0], E4, Y4, E4[:, :3], Y4), {}, ValueError, "X_test has 3 columns, X_train 4"),
        (([0, 4], E4, Y4, E4, Y4), {}, ValueError, "ranking has 4 at position 1"),
        (([1, 1], E4, Y4, E4, Y4), {}, ValueError, "ranking has 1 at positions 0 and 1"),
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
        (([0], E4, Y4, E4, Y4), {"estimator": Mock()}, ValueError, r"say which, ks=\[...\]"),
    ],
)
def test_what_selection_curve_refuses(arguments, options, error, message) -> None:
    with pytest.raises(error, match=message):
        ts.selection_curve(*arguments, **options)


def test_too_small_an_alpha_is_refused_by_rates_too() -> None:
    # Got wrong: occurrences / alpha, infinite, where only documents / alpha had been looked at.
    with pytest.raises(ValueError, match="alpha is too small beside the counts of class 0"):
        ts.selection_curve([0], E4 * 1e300, Y4, E4, Y4, naive_bayes="poisson", alpha=1e-9)


# ------------------------------------------------------------------------------------- folds


def labels_of(y):
    return validation.check_labels(y, len(y), None)


def own_folds(y, n_folds, repeats=1, random_state=0):
    return list(evaluation._splits(n_folds, None, y, labels_of(y), None, repeats, random_state))


@given(st.data(), st.integers(2, 6), st.integers(1, 3), st.integers(0, 99))
def test_folds_are_even_in_all_and_of_each_class(data, n_folds, repeats, seed) -> None:
    rest = data.draw(st.lists(st.integers(0, 3), max_size=30))
    counts = np.bincount(rest, minlength=4)
    y = [*rest, *[c for c in range(4) if counts[c] for _ in range(max(0, n_folds - counts[c]))]]
    y = y or [0] * n_folds
    folds = own_folds(y, n_folds, repeats, seed)
    assert len(folds) == n_folds * repeats
    for r in range(repeats):
        parts = folds[r * n_folds : (r + 1) * n_folds]
        assert sorted(d for _, test in parts for d in test) == list(range(len(y)))
        for train, test in parts:
            assert sorted([*train, *test]) == list(range(len(y)))
        for c in (slice(None), *(np.array(y) == c for c in set(y))):
            sizes = [np.isin(test, np.arange(len(y))[c]).sum() for _, test in parts]
            assert max(sizes) - min(sizes) <= 1
    again = own_folds(y, n_folds, repeats, seed)
    for one, other in zip(folds, again, strict=True):
        assert_array_equal(one[0], other[0])
        assert_array_equal(one[1], other[1])


def test_seeds_and_repeats_deal_anew() -> None:
    y = [0, 1] * 20
    tests = [tuple(test) for _, test in own_folds(y, 4, repeats=3)]
    assert len(set(tests)) == 12
    assert tests[:4] == [tuple(test) for _, test in own_folds(y, 4)]
    assert tests[0] not in [tuple(test) for _, test in own_folds(y, 4, random_state=1)]
    rng = np.random.default_rng(3)
    assert [tuple(t) for _, t in own_folds(y, 4, random_state=rng)] == [
        tuple(t) for _, t in own_folds(y, 4, random_state=3)
    ]


def test_small_classes_are_warned_of_at_the_callers_line() -> None:
    y = ["many"] * 6 + ["few"] * 2
    with pytest.warns(UserWarning, match="class 'few' has 2 documents, fewer than the 3 f") as seen:
        ts.cross_validate(np.eye(8, dtype=int), y, cv=3, ks=[1])
    assert seen[0].filename == __file__


# ------------------------------------------------------------------------------------- validation


@pytest.fixture(scope="module")
def collection():
    rng = np.random.default_rng(42)
    rates = rng.gamma(0.5, 1.0, (4, 25))
    y = np.array([f"c{c}" for c in rng.permutation(np.arange(72) % 4)])
    X = rng.poisson(rates[[int(label[1]) for label in y]])
    return sp.csr_array(X), y


def splits_of(kind):
    selection = pytest.importorskip("sklearn.model_selection")
    if kind == "stratified":
        return selection.StratifiedKFold(5, shuffle=True, random_state=1)
    if kind == "repeated":
        return selection.RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=2)
    if kind == "shuffled":  # a third of the documents is in neither part
        return selection.StratifiedShuffleSplit(4, train_size=0.4, test_size=0.3, random_state=3)
    rng = np.random.default_rng(4)
    # Parts that overlap, in no order, and none for one class.
    return [(rng.permutation(72)[:40].tolist(), rng.permutation(72)[:30]) for _ in range(3)] + [
        (np.flatnonzero(np.arange(72) > 20), np.array([3])),
        (np.arange(72), np.arange(72)),
    ]


RANKERS = [
    ("md", "md", {}),
    ("md binary round_robin", "md", {"model": "binary", "policy": "round_robin"}),
    ("chi2 round_robin", "chi2", {"policy": "round_robin"}),
    ("greedy bernoulli", "greedy", {"model": "bernoulli"}),
]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", ["stratified", "repeated", "shuffled", "given", "own"])
def test_each_fold_is_counted_ranked_and_trained_on_its_own(collection, kind, model) -> None:
    X, y = collection
    ks = [1, 2, 5, 13, 25]
    if kind == "own":
        options = {"cv": 4, "repeats": 2, "random_state": 7}
        splits = own_folds(y, 4, 2, 7)
    else:
        options = {"cv": splits_of(kind)}
        splits = options["cv"] if kind == "given" else list(options["cv"].split(X, y))
    asked = {"models": MODELS[:3], "policies": ("top", "round_robin"), "naive_bayes": model}
    methods = ["md", "chi2", "greedy"]
    curves = ts.cross_validate(X, y, methods, ks, **options, **asked, alpha=0.5, n_threads=1)
    for n_threads in (2, 3):
        again = ts.cross_validate(
            X, y, methods, ks, **options, **asked, alpha=0.5, n_threads=n_threads
        )
        for name, curve in curves.items():
            for metric in METRICS:
                assert_array_equal(again[name].runs[metric], curve.runs[metric])
    for name, method, how in RANKERS:
        curve = curves[name]
        assert curve.name == name
        assert curve.n_runs == len(splits)
        for run, (train, test) in enumerate(splits):
            ranking = ts.count(X[train], y[train]).rank(method, alpha=0.5, **how)
            one = ts.selection_curve(
                *(ranking, X[train], y[train], X[test], y[test], ks),
                naive_bayes=model,
                alpha=0.5,
            )
            for metric in METRICS:
                assert_array_equal(curve.runs[metric][run], one.runs[metric][0])


def test_cross_validation_is_scikit_learns_and_the_references(collection) -> None:
    X, y = collection
    naive_bayes = pytest.importorskip("sklearn.naive_bayes")
    splitter = splits_of("stratified")
    ks = [1, 3, 10, 25]
    curve = ts.cross_validate(X, y, "md", ks, splitter)["md"]
    splits = [(a.tolist(), b.tolist()) for a, b in splitter.split(X, y)]
    reference = ts.reference.cross_validate(X, y.tolist(), splits, "md", ks)
    for run, (train, test) in enumerate(splits):
        ranking = ts.reference.rank(
            ts.reference.score(ts.reference.count(X[train], y[train]), "md")
        )
        for step, k in enumerate(ks):
            terms = ranking[:k]
            model = naive_bayes.MultinomialNB().fit(X[train][:, terms], y[train])
            accuracy = model.score(X[test][:, terms], y[test])
            assert curve.runs["accuracy"][run, step] == accuracy
        for metric in METRICS:
            assert_allclose(curve.runs[metric][run], reference[run][metric], rtol=1e-12)


def test_folds_are_not_counted_again(collection, monkeypatch) -> None:
    X, y = collection
    counted = []

    def count(matrix, *labels_and_weights, **options):
        counted.append(matrix.n_docs)
        return count_checked(matrix, *labels_and_weights, **options)

    count_checked = evaluation.count_checked
    monkeypatch.setattr(evaluation, "count_checked", count)
    ts.cross_validate(X, y, ["md", "ig"], [3], cv=6)
    assert counted == [72] + [12] * 6
    counted.clear()
    ts.cross_validate(X.astype(np.float32), y, ["md", "ig"], [3], cv=6)  # whole numbers
    assert counted == [72] + [12] * 6
    counted.clear()
    ts.cross_validate(X * 0.1, y, ["md", "ig"], [3], cv=6)
    assert counted == [72] + [60] * 6
    for weights, n_docs in (([2] * 72, 12), ([2.0] * 72, 12), ([0.3] * 72, 60)):
        counted.clear()
        ts.cross_validate(X, y, ["md", "ig"], [3], cv=6, sample_weight=weights)
        assert counted == [72] + [n_docs] * 6


def test_of_fractions_each_fold_is_counted_anew() -> None:
    # Got wrong: what is left of rounded sums, in place of the sum of the rest. Term 0 occurs 1e16
    # times in one document of each class, and a little in others: all of that is rounding.
    rng = np.random.default_rng(9)
    X = rng.random((24, 5)).round(2)
    y = np.arange(24) % 2
    X[[0, 1], 0] = 1e16
    splits = own_folds(y, 4)
    curve = ts.cross_validate(X, y, "md", cv=4)["md"]
    for run, (train, test) in enumerate(splits):
        ranking = ts.count(X[train], y[train]).rank("md")
        one = ts.selection_curve(ranking, X[train], y[train], X[test], y[test])
        for metric in METRICS:
            assert_array_equal(curve.runs[metric][run], one.runs[metric][0])


def test_names_of_curves() -> None:
    rankers = evaluation.rankers_of(
        ("md", "chi2", "greedy"), ("binary", "multinomial"), ("round_robin", "top")
    )
    # Got wrong: the order of model and policy left to the hash seed.
    assert list(rankers) == [
        "md binary round_robin",
        *("md binary", "md round_robin", "md"),
        *("chi2 round_robin", "chi2"),
        *("greedy binary", "greedy"),
    ]
    code = """
        from termsift._evaluate.evaluation import rankers_of
        print(*rankers_of("md", "binary", "round_robin"))
    """
    for seed in "02":
        found = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert found.stdout == "md binary round_robin\n"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"cv": 1}, ValueError, "cv must be at least 2, got 1"),
        ({"cv": 3}, ValueError, "cv = 3 folds are more than the 2 documents of the largest class"),
        ({"cv": []}, ValueError, "cv gives no folds"),
        (
            {"cv": None},
            TypeError,
            "cv must hold pairs of indices, or be a number or splitter, got N",
        ),
        ({"cv": True}, TypeError, "cv must hold pairs of indices, or be a number"),
        ({"cv": "10"}, TypeError, "cv must hold pairs of indices, or be a number"),
        ({"cv": [1, 2]}, TypeError, r"cv must give pairs \(train, test\) of indices, got 1"),
        ({"cv": [([0], [1], [2])]}, TypeError, r"cv must give pairs \(train, test\)"),
        ({"cv": [([0, 4], [1])]}, ValueError, "the training part of fold 0 has 4 at position 1"),
        ({"cv": [([0], [-1])]}, ValueError, "the test part of fold 0 has -1 at position 0, expec"),
        ({"cv": [([0, 0], [1])]}, ValueError, "expected each document once"),
        ({"cv": [([0, 1], [])]}, ValueError, "there are no test documents"),
        ({"cv": [([True] * 4, [1])]}, TypeError, "training part of fold 0 must hold integers"),
        ({"cv": [([0, 1, 2], [3])], "repeats": 2}, ValueError, "repeats is of cv=int"),
        ({"repeats": 0}, ValueError, "repeats must be a positive integer, got 0"),
        ({"methods": "nope"}, ValueError, "no method 'nope'"),
        ({"methods": []}, ValueError, "there is nothing to rank by: methods, models or policies"),
        ({"models": []}, ValueError, "there is nothing to rank by: methods, models or policies"),
        ({"models": ["x"]}, ValueError, "models must be of multinomial, .*, got 'x'"),
        ({"policies": "x"}, ValueError, "policy must be 'top' or 'round_robin', got 'x'"),
        ({"naive_bayes": "x"}, ValueError, "naive_bayes must be one of"),
        ({"alpha": -1}, ValueError, "alpha must be positive"),
        ({"ks": [5]}, ValueError, r"ks has 5, expected numbers in \[1, 4\]"),
        ({"y": E4}, ValueError, "y is an indicator matrix"),
    ],
)
def test_what_cross_validate_refuses(options, error, message) -> None:
    with pytest.raises(error, match=message):
        ts.cross_validate(**{"X": E4, "y": Y4, "cv": 2, **options})


def test_methods_without_the_models_are_tried_once(collection) -> None:
    X, y = collection
    curves = ts.cross_validate(
        X, y, ["md", "chi2", "greedy"], [2], 2, models="binary", policies=["top", "round_robin"]
    )
    assert list(curves) == [
        "md binary",
        "md binary round_robin",
        "chi2",
        "chi2 round_robin",
        "greedy binary",
    ]


def test_conditional_gain_sees_the_training_documents_alone(collection) -> None:
    X, y = collection
    folds = own_folds(y, 3)
    curve = ts.cross_validate(X, y, "conditional_gain", [1, 3], folds)["conditional_gain"]
    for run, (train, test) in zip(curve.runs["accuracy"], folds, strict=True):
        ranking = ts.conditional_gain(X[train], np.asarray(y)[train], 3)
        parts = (X[train], np.asarray(y)[train], X[test], np.asarray(y)[test])
        np.testing.assert_array_equal(run, ts.selection_curve(ranking, *parts, [1, 3]).accuracy)


def test_conditional_gain_asks_how_many(collection) -> None:
    X, y = collection
    ranking = ts.conditional_gain(X, y, "auto")
    assert len(ranking) == ts.choose_k(X, y, "conditional_gain")


def test_repeats_of_a_splitter_are_seen(collection) -> None:
    X, y = collection
    selection = pytest.importorskip("sklearn.model_selection")
    cv = selection.RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=0)
    curve = ts.cross_validate(X, y, ks=[2], cv=cv)["md"]
    assert (curve.n_runs, curve.repeats) == (12, 3)


def test_repeats_tell_nothing_of_other_documents(collection) -> None:
    # Got wrong: a standard error that goes to 0 with the repeats, and smallest_k to best_k.
    X, y = collection
    once, often = (
        ts.cross_validate(X, y, ks=[2, 4], cv=4, repeats=repeats)["md"] for repeats in (1, 9)
    )
    assert (once.repeats, often.repeats, often.n_runs) == (1, 9, 36)
    np.testing.assert_allclose(often.standard_error("f1"), often.std("f1") / 2)
    np.testing.assert_allclose(once.standard_error("f1"), once.std("f1") / 2)


def test_curves_are_named_after_their_rankings(collection) -> None:
    X, y = collection
    ranking = ts.count(X, y).rank("md", model="binary", policy="round_robin")
    assert ts.selection_curve(ranking, X, y, X, y).name == "md binary round_robin"


def test_choose_k(collection) -> None:
    X, y = collection
    options = {"cv": 5, "random_state": 3, "naive_bayes": "binary", "alpha": 0.5}
    for method, model, policy in (
        ("md", "poisson", "round_robin"),
        ("ig", "multinomial", "top"),
        ("greedy", "multinomial", "top"),
    ):
        (curve,) = ts.cross_validate(
            X, y, method, models=model, policies=policy, **options
        ).values()
        for metric in ("accuracy", "macro_f1"):
            k = ts.choose_k(X, y, method, model=model, policy=policy, metric=metric, **options)
            assert k == curve.smallest_k(metric)
            assert type(k) is int
    with pytest.raises(ValueError, match="chi2 has no model 'binary': only md, md_chi2, greedy"):
        ts.choose_k(X, y, "chi2", model="binary")
    with pytest.raises(ValueError, match="greedy has no policy 'round_robin'"):
        ts.choose_k(X, y, "greedy", policy="round_robin")
    with pytest.raises(ValueError, match="no metric 'f2'"):
        ts.choose_k(X, y, metric="f2", cv="looked at later")


# ------------------------------------------------------------------------------------- estimators

POOLS = [
    ("a", "b", "c", "d"),
    (3, -1, 2**40, 0),
    (True, False, True, False),
    ("a", "a\0", "a\0\0", "b"),  # the same to numpy
    (-1, 2**63, 2**63 + 1, 2),  # floats, two of them equal
    (2**64, 1, 2, 3),
    ((0, 1), (0,), "x", b"x"),
    (1, "1", 0.5, -2),
    (0.5, 1.5, 2.5, 3.5),
]


@pytest.mark.parametrize("pool", POOLS)
def test_estimators(collection, pool) -> None:
    svm = pytest.importorskip("sklearn.svm")
    X, y = collection
    codes = np.array([int(label[1]) for label in y])
    y = [pool[c] for c in codes]
    train, test = own_folds(y, 3)[0]
    ranking, ks = ts.count(X, y).rank("md"), [2, 7, 25]
    estimator = svm.LinearSVC(random_state=0)
    curve = ts.selection_curve(
        *(ranking, X[train], [y[d] for d in train], X[test], [y[d] for d in test], ks),
        estimator=estimator,
    )
    (of_folds,) = ts.cross_validate(X, y, "md", ks, [(train, test)], estimator=estimator).values()
    assert not hasattr(estimator, "coef_")  # a clone is fitted
    ordered = ts.count(X, y).classes
    position = np.array([ordered.index(label) for label in y])
    for step, k in enumerate(ks):
        terms = ranking.indices[:k]
        fitted = svm.LinearSVC(random_state=0).fit(X[train][:, terms], position[train])
        assert curve.accuracy[step] == fitted.score(X[test][:, terms], position[test])
        terms = ts.count(X[train], [y[d] for d in train]).rank("md", k).indices
        fitted = svm.LinearSVC(random_state=0).fit(X[train][:, terms], position[train])
        assert of_folds.accuracy[step] == fitted.score(X[test][:, terms], position[test])


def test_naive_bayes_is_what_scikit_learns_own_estimator_finds(collection) -> None:
    naive_bayes = pytest.importorskip("sklearn.naive_bayes")
    X, y = collection
    options = {"ks": [1, 4, 25], "cv": 4, "alpha": 0.3}
    ours = ts.cross_validate(X, y, **options)["md"]
    theirs = ts.cross_validate(X, y, estimator=naive_bayes.MultinomialNB(alpha=0.3), **options)[
        "md"
    ]
    for metric in METRICS:
        assert_array_equal(ours.runs[metric], theirs.runs[metric])


def recorder():
    """A classifier that keeps what it is given, and predicts the labels in their order."""
    base = pytest.importorskip("sklearn.base")
    given = []

    class Recorder(base.ClassifierMixin, base.BaseEstimator):
        def fit(self, X, y):
            given.append((X, y))
            self.labels_ = y
            return self

        def predict(self, X):
            return np.resize(self.labels_, X.shape[0])

    return Recorder(), given


def test_estimators_see_each_entry_once() -> None:
    # Got wrong: repeated entries, each seen on its own or added up in eight bits; the user's arrays
    # put in order.
    X = sp.csr_array((3, 2), dtype=np.int8)
    X.data = np.array([1, 1, 1, 100, 100], dtype=np.int8)
    X.indices = np.array([1, 0, 1, 0, 0], dtype=np.int32)
    X.indptr = np.array([0, 2, 3, 5], dtype=np.int32)
    estimator, given = recorder()
    for array in (X.data, X.indices, X.indptr):
        array.setflags(write=False)
    ts.selection_curve([1, 0], X, [0, 1, 1], X, [0, 1, 1], [1, 2], estimator=estimator)
    assert [part.toarray().tolist() for part, _ in given] == [
        [[1], [1], [0]],
        [[1, 1], [1, 0], [0, 200]],
    ]
    assert [part.nnz for part, _ in given] == [2, 4]
    assert X.indices.tolist() == [1, 0, 1, 0, 0]


@pytest.mark.parametrize("label", ["other", 0.5, [0, 1]])
def test_an_estimator_must_predict_labels_that_it_was_given(label) -> None:
    estimator, _ = recorder()
    type(estimator).predict = lambda self, X: np.array([label] * X.shape[0])
    with pytest.raises(ValueError, match=r"predicts .*, which is no label given to it"):
        ts.selection_curve([0], E4, Y4, E4, Y4, [1], estimator=estimator)


def test_without_scikit_learn_only_estimators_are_missing() -> None:
    code = """
        import sys
        sys.modules["sklearn"] = None
        import numpy as np, termsift as ts
        from unittest.mock import Mock
        X, y = np.eye(4, dtype=int), ["a", "b", "a", "b"]
        assert len(ts.cross_validate(X, y, cv=2)["md"]) == 4
        assert ts.choose_k(X, y, cv=2) >= 1
        try:
            ts.selection_curve([0], X, y, X, y, [1], estimator=Mock())
        except ImportError as error:
            print(error)
    """
    found = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )
    assert found.stdout == "estimator= needs scikit-learn: pip install 'termsift[sklearn]'\n"
