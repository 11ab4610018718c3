"""`NaiveBayes` as an estimator of scikit-learn: its checks, its naive Bayes, its machinery."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

pytest.importorskip("sklearn")

import sklearn
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import termsift as ts
from wording import raises, warns

MODELS = ["multinomial", "binary", "bernoulli", "poisson", "complement"]
THEIRS: Any = {"multinomial": MultinomialNB, "bernoulli": BernoulliNB, "complement": ComplementNB}

rng = np.random.default_rng(5)
X = rng.poisson(0.6, (60, 12))
Y = rng.integers(0, 3, 60)


# MultinomialNB fails none of these checks, and none is expected to fail here.
@parametrize_with_checks([ts.NaiveBayes(model=model) for model in MODELS])
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)


# ---- scikit-learn's naive Bayes ------------------------------------------------------------------


@pytest.mark.parametrize("weights", [None, rng.integers(0, 4, 60) / 2], ids=["plain", "weights"])
@pytest.mark.parametrize("model", THEIRS)
def test_learned_numbers_are_scikit_learns(model: Any, weights: Any) -> None:
    theirs = THEIRS[model](alpha=0.3).fit(X, Y, weights)
    ours = ts.NaiveBayes(model=model, alpha=0.3).fit(X, Y, weights)
    for name in ("class_count_", "feature_count_", "class_log_prior_", "feature_log_prob_"):
        assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-13, err_msg=name)
    for method in ("predict_joint_log_proba", "predict_log_proba", "predict_proba"):
        found, expected = getattr(ours, method)(X), getattr(theirs, method)(X)
        assert_allclose(found, expected, rtol=1e-12, atol=1e-13, err_msg=method)
    assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.score(X, Y, weights) == pytest.approx(theirs.score(X, Y, weights))


def test_other_models_give_the_numbers_of_their_formulas() -> None:
    binary = ts.NaiveBayes(model="binary").fit(X, Y)
    assert_allclose(binary.feature_log_prob_, MultinomialNB().fit(X > 0, Y).feature_log_prob_)
    rates = ts.NaiveBayes(model="poisson", alpha=0.5).fit(X, Y)
    occurrences = np.array([X[c == Y].sum(axis=0) for c in range(3)])
    n_docs = np.bincount(Y)[:, np.newaxis]
    assert_array_equal(rates.feature_count_, occurrences)
    assert_allclose(rates.feature_log_prob_, np.log((occurrences + 0.5) / (n_docs + 0.5)))


@pytest.mark.parametrize("prior", [[0.2, 0.3, 0.5], [2, 3, 5]])
def test_given_priors_are_normalised(prior: list[float]) -> None:
    ours = ts.NaiveBayes(class_prior=prior).fit(X, Y)
    theirs = MultinomialNB(class_prior=[0.2, 0.3, 0.5]).fit(X, Y)
    assert_allclose(ours.class_log_prior_, theirs.class_log_prior_)
    assert_allclose(ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X))


@pytest.mark.parametrize("model", MODELS)
def test_chunks_are_fitted_as_the_whole(model: Any) -> None:
    """Also with chosen terms, new classes, weights, fractions and other formats."""
    terms = [7, 2, 3, 11]
    weights = rng.integers(1, 4, 60)
    for matrix, chosen in ((X, None), (X, terms), (X / 4, terms), (sparse.coo_array(X), None)):
        whole = ts.NaiveBayes(chosen, model=model).fit(matrix, Y, weights)
        parts = ts.NaiveBayes(chosen, model=model)
        rows = sparse.csr_array(matrix)
        for part in (slice(0, 1), slice(1, 30), slice(30, 60)):
            parts = pickle.loads(pickle.dumps(parts))
            assert parts.partial_fit(rows[part], Y[part], None, weights[part]) is parts
        assert_array_equal(parts.classes_, whole.classes_)
        assert_array_equal(parts.predict_joint_log_proba(rows), whole.predict_joint_log_proba(rows))
    theirs = THEIRS.get(model, MultinomialNB)().partial_fit(X[:9], Y[:9], classes=[0, 1, 2])
    given = ts.NaiveBayes(model=model).partial_fit(X[:9], Y[:9], classes=[0, 1, 2])
    assert_array_equal(given.class_count_, theirs.class_count_)
    with raises(ValueError, "which_is_not_in_classes", argument="y", at="document 0"):
        given.partial_fit(X[:1], [3], classes=[0, 1, 2])


def test_counts_are_extended_with_their_transformation_and_their_rules() -> None:
    counts = ts.count(X[:40], Y[:40], tf="log")
    extended = counts.naive_bayes([1, 5]).partial_fit(X[40:], Y[40:])
    whole = ts.count(X, Y, tf="log").naive_bayes([1, 5])
    assert_array_equal(extended.predict_log_proba(X), whole.predict_log_proba(X))
    assert counts == ts.count(X[:40], Y[:40], tf="log")  # the counts are unchanged
    texts = ts.count_texts(["aa bb", "cc"], ["a", "b"]).naive_bayes()
    assert texts.partial_fit([[0, 0, 5]], ["a"]).predict(["cc cc", "aa"]).tolist() == ["a", "a"]


def test_a_failed_partial_fit_changes_nothing() -> None:
    fitted = ts.NaiveBayes().fit(X, Y)
    before = fitted.predict_joint_log_proba(X)
    for wrong, key in (
        (X[:, :5], "naivebayes_expects_12_features"),
        (-X, "negative_values_passed_to_naivebayes"),
        (np.full(X.shape, np.nan), "input_x_contains_nan_in_row_0"),
    ):
        with raises(ValueError, key, argument="X"):
            fitted.partial_fit(wrong, Y)
    assert_array_equal(fitted.predict_joint_log_proba(X), before)


def test_an_entry_of_a_term_that_is_not_chosen_is_checked_too() -> None:
    fitted = ts.NaiveBayes([1, 5]).fit(X, Y)
    wrong = X.copy()
    wrong[0, 0] = -1
    with raises(ValueError, "negative_values_passed_to_naivebayes", argument="X"):
        fitted.partial_fit(wrong, Y)
    with raises(ValueError, "negative_values_passed_to_naivebayes", argument="X"):
        ts.count(X, Y).naive_bayes([1, 5]).partial_fit(wrong, Y)


# ---- its machinery -------------------------------------------------------------------------------


def test_metadata_is_routed() -> None:
    weights = np.arange(60)
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(ts.TermSelector(k=5), ts.NaiveBayes()).fit(X, Y)
        assert pipeline.score(X, Y) == pytest.approx((pipeline.predict(X) == Y).mean())
        asks = (
            ts.NaiveBayes().set_fit_request(sample_weight=True).set_score_request(sample_weight="w")
        )
        search = GridSearchCV(clone(asks), {"alpha": [0.5, 1]}, cv=2)
        search.fit(X, Y, sample_weight=weights, w=weights)
        assert_array_equal(search.best_estimator_.class_count_, np.bincount(Y, weights))
        with pytest.raises(ValueError, match="are passed but are not explicitly set"):
            GridSearchCV(ts.NaiveBayes(), {"alpha": [1]}).fit(X, Y, sample_weight=weights)
        refuses = ts.NaiveBayes().set_partial_fit_request(sample_weight=False)
        assert refuses.get_metadata_routing().partial_fit.requests == {"sample_weight": False}
        assert refuses.set_fit_request() is refuses  # asks for nothing new
        assert refuses.get_metadata_routing().fit.requests == {"sample_weight": None}
    with raises(RuntimeError, "metadata_routing_is_off"):
        ts.NaiveBayes().set_fit_request(sample_weight=True)


def test_parameters_are_those_of_the_signature() -> None:
    class Softer(ts.NaiveBayes):
        def __init__(self, softness: float = 2.0) -> None:
            super().__init__(alpha=softness)
            self.softness = softness

    assert clone(Softer(3.0)).get_params() == {"softness": 3.0}
    assert cross_val_score(Softer(), X, Y, cv=2).shape == (2,)
    with raises(ValueError, "did_you_mean_alpha", argument="alpa"):
        ts.NaiveBayes().set_params(alpa=1)


def test_a_classifier_that_is_not_fitted_says_so() -> None:
    unfitted = ts.NaiveBayes()
    for method in ("predict", "predict_proba", "predict_joint_log_proba"):
        with raises(NotFittedError, "not_fitted"):
            getattr(unfitted, method)(X)
    assert not hasattr(unfitted, "feature_log_prob_")


# ---- matrices and labels -------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["coo", "lil", "dok", "bsr", "csc", "object", "wrapped", "list"])
def test_matrices_of_every_form_are_read(kind: str) -> None:
    class Wrapped:
        def __array__(self, *args: Any, **kwargs: Any) -> Any:
            return X

    made: Any = {"object": X.astype(object), "wrapped": Wrapped(), "list": X.tolist()}
    matrix = made[kind] if kind in made else sparse.csr_array(X).asformat(kind)
    expected = ts.NaiveBayes().fit(X, Y)
    assert_array_equal(ts.NaiveBayes().fit(matrix, Y).feature_count_, expected.feature_count_)
    assert_array_equal(expected.predict_log_proba(matrix), expected.predict_log_proba(X))


def test_repeated_entries_of_narrow_integers_do_not_overflow() -> None:
    parts = sparse.coo_array((np.full(4, 100, np.int8), ([0, 0, 0, 1], [0, 0, 0, 1])), (2, 2))
    assert ts.NaiveBayes().fit(parts, ["a", "b"]).feature_count_.tolist() == [[300, 0], [0, 100]]


@pytest.mark.parametrize("numbers", [np.array([1, 0]), [1, 0], [], np.array([1.5])], ids=repr)
def test_one_document_without_its_row_is_no_text(numbers: Any) -> None:
    with raises(ValueError, "reshape_your_data", argument="X"):
        ts.NaiveBayes().fit(X, Y).predict(numbers)


def test_frames_have_the_columns_of_the_fitted_frame() -> None:
    pandas = pytest.importorskip("pandas", reason="needs termsift[pandas]")
    train = pandas.DataFrame({"bacon": [3, 0], "pills": [0, 2]})
    fitted = ts.NaiveBayes().fit(train, ["ham", "spam"])
    counted = ts.count(train, ["ham", "spam"]).naive_bayes()
    assert fitted.feature_names_in_.tolist() == ["bacon", "pills"]
    others = train[["pills", "bacon"]], train.rename(columns={"pills": "eggs"})
    for classifier, keys in (
        (fitted, ("feature_names_in_the_same_order", "feature_names_missing")),
        (counted, ("column_0_of_x_is", "column_1_of_x_is_eggs")),
    ):
        assert classifier.predict(train).tolist() == ["ham", "spam"]
        assert classifier.predict(train.to_numpy()).tolist() == ["ham", "spam"]
        for other, key in zip(others, keys, strict=True):
            for method in (classifier.predict, classifier.predict_proba):
                with raises(ValueError, key, argument="X"):
                    method(other)
            with raises(ValueError, key, argument="X"):
                classifier.partial_fit(other, ["ham", "spam"])
    chosen = ts.count(train, ["ham", "spam"]).naive_bayes(["pills"])
    with raises(ValueError, "column_1_of_x_is", argument="X", at="column 1"):
        chosen.predict(train[["pills", "bacon"]])
    assert not hasattr(fitted.fit(train.to_numpy(), ["ham", "spam"]), "feature_names_in_")
    assert fitted.predict(others[1]).tolist() == ["ham", "spam"]


def test_a_message_lists_five_columns() -> None:
    pandas = pytest.importorskip("pandas", reason="needs termsift[pandas]")
    names = ["a", "b", "c", "d", "e", "f"]
    counts = pandas.DataFrame(np.eye(6, dtype=int), columns=names)
    for n, key in ((5, "five_feature_names_unseen"), (6, "six_feature_names_unseen")):
        fitted = ts.NaiveBayes().fit(counts[names[:n]], range(6))
        with raises(ValueError, key, argument="X"):
            fitted.predict(counts[names[:n]].add_prefix("x_"))


def test_an_object_that_becomes_an_array_is_read_as_this_array() -> None:
    class Lazy:
        def __init__(self, values: Any) -> None:
            self.values = values

        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.asarray(self.values)

    assert ts.NaiveBayes().fit(Lazy([[3, 0], [0, 2]]), [0, 1]).predict(Lazy([[0, 1]])) == [1]
    with raises(ValueError, "complex_data_not_supported", argument="X"):
        ts.NaiveBayes().fit(Lazy([[3, 1j], [0, 2]]), [0, 1])


def test_a_column_of_labels_is_flattened_and_measurements_are_refused() -> None:
    with warns(DataConversionWarning, "a_column_vector_y_was_passed"):
        column = ts.NaiveBayes().fit(X, Y[:, np.newaxis])
    assert_array_equal(column.class_count_, np.bincount(Y))
    with raises(ValueError, "unknown_label_type_continuous_0", argument="y"):
        ts.NaiveBayes().fit(X, Y + 0.5)
    assert ts.NaiveBayes().fit(X, Y.astype(float)).classes_.tolist() == [0, 1, 2]
    with raises(ValueError, "requires_y_to_be_passed", argument="y"):
        ts.NaiveBayes().fit(X, None)
