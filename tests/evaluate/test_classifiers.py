"""Any classifier in place of naive Bayes."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

import termsift as ts
from private import METRICS
from wording import raises

naive_bayes = pytest.importorskip("sklearn.naive_bayes")

RNG = np.random.default_rng(6)
Y = np.array(["ham", "news", "spam"] * 12)
X = sp.csr_array(RNG.poisson(RNG.gamma(0.4, 1.0, (3, 20))[np.arange(36) % 3]))
KS = [1, 3, 5, 20]


@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_estimator_of_naive_bayes_gives_the_curve_of_the_sweep(n_threads: int) -> None:
    for classifier, model in (
        (naive_bayes.MultinomialNB(alpha=0.5), "multinomial"),
        (naive_bayes.BernoulliNB(alpha=0.5), "bernoulli"),
    ):
        options: dict[str, Any] = {"ks": KS, "cv": 3}
        swept = ts.cross_validate(
            X, Y, ["md", "chi2"], classifier=model, classifier_alpha=0.5, **options
        )
        fitted = ts.cross_validate(
            X, Y, ["md", "chi2"], classifier=classifier, n_threads=n_threads, **options
        )
        ours = ts.cross_validate(
            X, Y, ["md", "chi2"], classifier=ts.NaiveBayes(model=model, alpha=0.5), **options
        )
        for name, curve in swept.items():
            for metric in METRICS:
                assert_allclose(fitted[name].runs[metric], curve.runs[metric], rtol=1e-12)
                assert_array_equal(ours[name].runs[metric], curve.runs[metric])


def test_a_classifier_of_terms_of_its_own_is_fitted() -> None:
    # The model "complement" and priors are not those of the sweep.
    svm = pytest.importorskip("sklearn.svm").LinearSVC()
    for classifier in (ts.NaiveBayes(model="complement"), svm):
        train, test = slice(0, 24), slice(24, 36)
        ranking = ts.count(X[train], Y[train]).rank("md")
        split = X[train], Y[train], X[test], Y[test]
        curve = ts.selection_curve(ranking, *split, KS, classifier=classifier, n_threads=1)
        terms = [ranking.indices[:k] for k in KS]
        scores = [
            np.mean(classifier.fit(split[0][:, t], split[1]).predict(split[2][:, t]) == split[3])
            for t in terms
        ]
        assert_allclose(curve.accuracy, scores)


def test_labels_reach_the_classifier_as_they_are() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    classifier = linear.LogisticRegression(class_weight={"ham": 1, "news": 2, "spam": 3})
    curve = ts.cross_validate(X, Y, ks=KS, cv=3, classifier=classifier, n_threads=1)["md"]
    assert curve.accuracy[-1] > 0.5
    numbers = [int(c) for c in np.arange(36) % 3]
    again = ts.cross_validate(
        X, numbers, ks=KS, cv=3, classifier=linear.LogisticRegression(), n_threads=1
    )
    assert len(again["md"]) == len(KS)


def test_a_class_without_training_documents_counts_as_errors() -> None:
    folds = [(range(0, 36, 3), range(36))]  # only "ham" is known, but df needs no second class
    curve = ts.cross_validate(
        X, Y, "df", KS, folds, classifier=naive_bayes.MultinomialNB(), n_threads=1
    )["df"]
    assert_allclose(curve.accuracy, 1 / 3)
    with raises(ValueError, "the_training_documents_of_a_fold_are_of_one_class", argument="cv"):
        ts.cross_validate(X, Y, "md", KS, folds)


class Broken(naive_bayes.MultinomialNB):  # type: ignore[misc]
    def fit(self, X: Any, y: Any) -> Any:
        raise ArithmeticError("no fit today")


def test_the_error_of_a_classifier_says_where() -> None:
    with raises(ArithmeticError, "no_fit_today") as caught:
        ts.cross_validate(X, Y, ks=KS, cv=3, classifier=Broken(), n_threads=1)
    assert "24 documents, 1 terms" in caught.value.__notes__[0]


class Constant(ts.NaiveBayes):
    def predict(self, X: Any) -> Any:
        return np.array(["ham"] * X.shape[0])


def test_a_subclass_predicts_for_itself() -> None:
    curve = ts.cross_validate(X, Y, ks=KS, cv=3, classifier=Constant(), n_threads=1)["md"]
    assert_allclose(curve.accuracy, 1 / 3)


def test_labels_of_any_type_reach_any_classifier() -> None:
    svm = pytest.importorskip("sklearn.svm").LinearSVC()
    expected = ts.cross_validate(X, Y, ks=KS, cv=3, classifier=svm, n_threads=1)["md"]
    for labels in ([("ham", 1), 2, "spam"], [datetime.date(2026, 1, day) for day in (1, 2, 3)]):
        y = [labels[c] for c in np.arange(36) % 3]
        curve = ts.cross_validate(X, y, ks=KS, cv=3, classifier=svm, n_threads=1)["md"]
        assert_allclose(curve.accuracy, expected.accuracy, atol=0.15)  # the folds differ


class Regression(naive_bayes.MultinomialNB):  # type: ignore[misc]
    def predict(self, X: Any) -> Any:
        return np.arange(X.shape[0] - (not self.fit_prior)) + 0.5


def test_what_is_no_prediction_is_named() -> None:
    for prior, key in ((True, "a_prediction_that_is_no_label"), (False, "too_few_predictions")):
        classifier = Regression(fit_prior=prior)
        with raises(ValueError, key, argument="classifier"):
            ts.cross_validate(X, np.arange(36) % 3, ks=KS, cv=3, classifier=classifier, n_threads=1)


@pytest.mark.parametrize(
    ("classifier", "alpha", "error", "key"),
    [
        (naive_bayes.MultinomialNB, 1.0, TypeError, "a_class_in_place_of_a_classifier"),
        (3, 1.0, TypeError, "a_number_in_place_of_a_classifier"),
        (naive_bayes.MultinomialNB(), 0.5, TypeError, "a_smoothing_for_an_estimator"),
    ],
)
def test_invalid_classifiers(classifier: Any, alpha: float, error: Any, key: str) -> None:
    with raises(error, key):
        ts.cross_validate(X, Y, cv=3, classifier=classifier, classifier_alpha=alpha)
