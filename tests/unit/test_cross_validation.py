"""`cross_validate` and `choose_k`: their folds, their rankings, and estimators."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import termsift as ts
from termsift._evaluate import split
from termsift._evaluate.curve import METRICS
from termsift._evaluate.folds import folds_of
from termsift._evaluate.rankers import variants_of
from termsift._util import validation

MODELS = ("multinomial", "binary", "bernoulli", "poisson")
E4, Y4 = np.eye(4, dtype=int), ["a", "b", "a", "b"]
PAIRS = r"cv must hold pairs \(train, test\) of indices"


# ------------------------------------------------------------------------------------- folds


def labels_of(y):
    return validation.check_labels(y, len(y), None)


def own_folds(y, n_folds, repeats=1, random_state=0):
    return list(folds_of(n_folds, None, y, labels_of(y), None, repeats, random_state))


@given(st.data(), st.integers(2, 6), st.integers(1, 3), st.integers(0, 99))
def test_folds_are_even_in_total_and_within_each_class(data, n_folds, repeats, seed) -> None:
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


def test_seeds_and_repeats_deal_other_folds() -> None:
    y = [0, 1] * 20
    tests = [tuple(test) for _, test in own_folds(y, 4, repeats=3)]
    assert len(set(tests)) == 12
    assert tests[:4] == [tuple(test) for _, test in own_folds(y, 4)]
    assert tests[0] not in [tuple(test) for _, test in own_folds(y, 4, random_state=1)]
    rng = np.random.default_rng(3)
    assert [tuple(t) for _, t in own_folds(y, 4, random_state=rng)] == [
        tuple(t) for _, t in own_folds(y, 4, random_state=3)
    ]


def test_a_warning_about_small_classes_names_the_callers_line() -> None:
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
    # Parts that overlap and are not sorted, and a test part of one document.
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
def test_each_fold_is_counted_ranked_and_trained_alone(collection, kind, model) -> None:
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


def test_cross_validation_equals_scikit_learn_and_the_reference(collection) -> None:
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


def test_training_documents_are_counted_by_subtraction(collection, monkeypatch) -> None:
    X, y = collection
    counted = []

    def count(matrix, *labels_and_weights, **options):
        counted.append(matrix.n_docs)
        return count_checked(matrix, *labels_and_weights, **options)

    count_checked = split.count_checked
    monkeypatch.setattr(split, "count_checked", count)
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


def test_fractions_are_counted_anew_in_each_fold() -> None:
    # The difference of rounded sums is not the sum of the rest. Term 0 occurs 1e16 times in one
    # document of each class, and so rarely in the others that rounding loses these occurrences.
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
    rankers = variants_of(
        ("md", "chi2", "greedy"), ("binary", "multinomial"), ("round_robin", "top")
    )
    # The order of model and policy once depended on the hash seed.
    assert list(rankers) == [
        "md binary round_robin",
        *("md binary", "md round_robin", "md"),
        *("chi2 round_robin", "chi2"),
        *("greedy binary", "greedy"),
    ]
    code = """
        from termsift._evaluate.rankers import variants_of
        print(*variants_of("md", "binary", "round_robin"))
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
        ({"cv": []}, ValueError, "cv holds no folds"),
        ({"cv": None}, TypeError, PAIRS + ", unless it is an integer or a splitter, got None"),
        ({"cv": True}, TypeError, PAIRS + ", unless .*, got True"),
        ({"cv": "10"}, TypeError, PAIRS + ", unless .*, got '10'"),
        ({"cv": [1, 2]}, TypeError, PAIRS + ", got 1"),
        ({"cv": [([0], [1], [2])]}, TypeError, PAIRS + ", got "),
        ({"cv": [([0, 4], [1])]}, ValueError, "the training part of fold 0 has 4 at position 1"),
        ({"cv": [([0], [-1])]}, ValueError, "the test part of fold 0 has -1 at position 0, expec"),
        ({"cv": [([0, 0], [1])]}, ValueError, "expected each document once"),
        ({"cv": [([0, 1], [])]}, ValueError, "there are no test documents"),
        ({"cv": [([True] * 4, [1])]}, TypeError, "training part of fold 0 must hold integers"),
        ({"cv": [([0, 1, 2], [3])], "repeats": 2}, ValueError, "repeats needs an integer cv"),
        ({"repeats": 0}, ValueError, "repeats must be at least 1, got 0"),
        ({"methods": "nope"}, ValueError, "no method 'nope'"),
        ({"methods": []}, ValueError, "there is nothing to rank by: methods, models or policies"),
        ({"models": []}, ValueError, "there is nothing to rank by: methods, models or policies"),
        ({"models": ["x"]}, ValueError, "models must be one of multinomial, .*, got 'x'"),
        ({"policies": "x"}, ValueError, "policy must be 'top' or 'round_robin', got 'x'"),
        ({"naive_bayes": "x"}, ValueError, "naive_bayes must be one of"),
        ({"alpha": -1}, ValueError, "alpha must be positive"),
        ({"ks": [5]}, ValueError, r"ks has 5, expected numbers in \[1, 4\]"),
        ({"y": E4}, ValueError, "y is an indicator matrix"),
    ],
)
def test_invalid_arguments_of_cross_validate(options, error, message) -> None:
    with pytest.raises(error, match=message):
        ts.cross_validate(**{"X": E4, "y": Y4, "cv": 2, **options})


def test_methods_without_models_are_tried_once(collection) -> None:
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


def test_conditional_gain_reads_only_the_training_documents(collection) -> None:
    X, y = collection
    folds = own_folds(y, 3)
    curve = ts.cross_validate(X, y, "conditional_gain", [1, 3], folds)["conditional_gain"]
    for run, (train, test) in zip(curve.runs["accuracy"], folds, strict=True):
        ranking = ts.conditional_gain(X[train], np.asarray(y)[train], 3)
        parts = (X[train], np.asarray(y)[train], X[test], np.asarray(y)[test])
        np.testing.assert_array_equal(run, ts.selection_curve(ranking, *parts, [1, 3]).accuracy)


def test_repeats_of_a_splitter_are_counted(collection) -> None:
    X, y = collection
    selection = pytest.importorskip("sklearn.model_selection")
    cv = selection.RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=0)
    curve = ts.cross_validate(X, y, ks=[2], cv=cv)["md"]
    assert (curve.n_runs, curve.repeats) == (12, 3)


def test_repeats_do_not_lower_the_standard_error(collection) -> None:
    # Otherwise the standard error would tend to 0 with more repeats, and smallest_k to best_k.
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
    with pytest.raises(
        ValueError, match=r"metric must be one of accuracy, .*, got 'f2'; did you mean 'f1'"
    ):
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


def test_naive_bayes_equals_the_estimator_of_scikit_learn(collection) -> None:
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
    """A classifier that keeps its arguments, and predicts the labels in their order."""
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
    # Repeated entries must be added in more than eight bits, and the user's arrays must stay
    # unsorted.
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


def test_only_estimators_need_scikit_learn() -> None:
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
    cure = "pip install 'termsift[sklearn]', or pip install scikit-learn"
    assert found.stdout == f"estimator= needs scikit-learn: {cure}\n"
