"""`cross_validate`: its folds, its rankings, and estimators."""

from __future__ import annotations

import weakref

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import termsift as ts
from private import METRICS, LabelledRows, check_labels, evaluation, folds_of
from wording import raises, warns

ALPHAS = {"alpha": 0.5, "classifier_alpha": 0.25}  # of the methods, and of naive Bayes
MODELS = ("multinomial", "binary", "bernoulli", "poisson")
E4, Y4 = np.eye(4, dtype=int), ["a", "b", "a", "b"]


# ------------------------------------------------------------------------------------- folds


def own_folds(y, n_folds, random_state=0):
    labels = check_labels(y, len(y), None)
    return list(folds_of(n_folds, None, labels, random_state))


@given(st.data(), st.integers(2, 6), st.integers(0, 99))
def test_folds_are_even_in_total_and_within_each_class(data, n_folds, seed) -> None:
    rest = data.draw(st.lists(st.integers(0, 3), max_size=30))
    counts = np.bincount(rest, minlength=4)
    y = [*rest, *[c for c in range(4) if counts[c] for _ in range(max(0, n_folds - counts[c]))]]
    y = y or [0] * n_folds
    folds = own_folds(y, n_folds, seed)
    assert len(folds) == n_folds
    assert sorted(d for _, test in folds for d in test) == list(range(len(y)))
    for train, test in folds:
        assert sorted([*train, *test]) == list(range(len(y)))
    for c in (slice(None), *(np.array(y) == c for c in set(y))):
        sizes = [np.isin(test, np.arange(len(y))[c]).sum() for _, test in folds]
        assert max(sizes) - min(sizes) <= 1


def test_a_seed_deals_the_folds() -> None:
    y = [0, 1] * 20
    first, again, other = (
        [test.tolist() for _, test in own_folds(y, 4, seed)]
        for seed in (3, np.random.default_rng(3), 4)
    )
    assert first == again
    assert first != other


def test_a_warning_about_small_classes_names_the_callers_line() -> None:
    y = ["many"] * 6 + ["few"] * 2
    with warns(UserWarning, "class_few_has_2_documents_fewer") as seen:
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
    if kind == "shuffled":  # 3 of 10 documents are in neither part
        return selection.StratifiedShuffleSplit(4, train_size=0.4, test_size=0.3, random_state=3)
    rng = np.random.default_rng(4)
    # Training and test parts overlap and are not sorted. One test part has a single document.
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
        options = {"cv": 4, "random_state": 7}
        splits = own_folds(y, 4, 7)
    else:
        options = {"cv": splits_of(kind)}
        splits = options["cv"] if kind == "given" else list(options["cv"].split(X, y))
    asked = {"models": MODELS[:3], "policies": ("top", "round_robin"), "classifier": model}
    methods = ["md", "chi2", "greedy"]
    curves = ts.cross_validate(X, y, methods, ks, **options, **asked, **ALPHAS, n_threads=1)
    for n_threads in (2, 3):
        again = ts.cross_validate(
            X, y, methods, ks, **options, **asked, **ALPHAS, n_threads=n_threads
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
                classifier=model,
                classifier_alpha=0.25,
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


def test_fractions_are_counted_anew_in_each_fold() -> None:
    # A difference of rounded sums does not equal the sum of the remaining documents. Term 0 occurs
    # 1e16 times in one document of each class, so rounding loses the other occurrences of term 0.
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


@pytest.mark.parametrize(
    ("options", "error", "key", "argument"),
    [
        ({"cv": 1}, ValueError, "cv_must_be_at_least_2", "cv"),
        ({"cv": 3}, ValueError, "cv_3_makes_more_folds_than", "cv"),
        ({"cv": []}, ValueError, "cv_holds_no_folds", "cv"),
        ({"cv": None}, TypeError, "cv_must_hold_pairs_train_test_2", "cv"),
        ({"cv": True}, TypeError, "cv_must_hold_pairs_train_test", "cv"),
        ({"cv": "10"}, TypeError, "cv_must_hold_pairs_train_test_3", "cv"),
        ({"cv": [([0, 4], [1])]}, ValueError, "the_training_part_of_fold_0_2", "cv"),
        ({"cv": [([0], [-1])]}, ValueError, "the_test_part_of_fold_0", "cv"),
        ({"cv": [([0, 0], [1])]}, ValueError, "the_training_part_of_fold_0", "cv"),
        ({"cv": [([0, 1], [])]}, ValueError, "there_are_no_test_documents", "cv"),
        ({"cv": [([True] * 4, [1])]}, TypeError, "the_training_part_of_fold_0_3", "cv"),
        ({"methods": "nope"}, ValueError, "no_method_nope_expected_one_of", "methods"),
        ({"methods": []}, ValueError, "there_is_nothing_to_rank_by", "methods"),
        ({"models": []}, ValueError, "there_is_nothing_to_rank_by", "methods"),
        ({"models": ["x"]}, ValueError, "models_must_be_one_of_multinomial", "models"),
        ({"policies": "x"}, ValueError, "policies_must_be_top_or_round_robin", "policies"),
        ({"classifier": "x"}, ValueError, "classifier_must_be_one_of_multinomial", "classifier"),
        ({"alpha": -1}, ValueError, "alpha_must_be_finite_and_not", "alpha"),
        ({"classifier_alpha": -1}, ValueError, "classifier_alpha_must_be_positive_2", None),
        ({"ks": [5]}, ValueError, "each_of_ks_must_be_in_3", "ks"),
        ({"y": E4}, ValueError, "y_is_an_indicator_matrix_expected_2", "y"),
    ],
)
def test_invalid_arguments_of_cross_validate(options, error, key, argument) -> None:
    with raises(error, key, argument=argument):
        ts.cross_validate(**{"X": E4, "y": Y4, "cv": 2, **options})


def test_repeats_do_not_lower_the_standard_error(collection) -> None:
    # If more repeats lowered the standard error to 0, smallest_k would move to best_k.
    X, y = collection
    selection = pytest.importorskip("sklearn.model_selection")
    for repeats in (1, 9):
        cv = selection.RepeatedStratifiedKFold(n_splits=4, n_repeats=repeats, random_state=0)
        curve = ts.cross_validate(X, y, ks=[2, 4], cv=cv)["md"]
        assert (curve.n_runs, curve.repeats) == (4 * repeats, repeats)
        assert_allclose(curve.standard_error("f1"), curve.std("f1") / 2)


def test_only_one_fold_of_training_documents_is_in_memory(monkeypatch):
    rank_by, part, seen = evaluation.rank_by, LabelledRows.part, []

    def ranked(ranker, counts, X, *rest, **options):
        seen.append(weakref.ref(X))
        return rank_by(ranker, counts, X, *rest, **options)

    def extracted(self, rows):
        assert len(rows) < 15 or all(matrix() is None for matrix in seen)
        return part(self, rows)

    monkeypatch.setattr(evaluation, "rank_by", ranked)
    monkeypatch.setattr(LabelledRows, "part", extracted)
    rng = np.random.default_rng(0)
    X, y = sp.csr_array(rng.integers(0, 3, (30, 8))), np.arange(30) % 2
    ts.cross_validate(X, y, methods=["conditional_gain"], ks=[4], cv=3)
    assert len(seen) == 3
