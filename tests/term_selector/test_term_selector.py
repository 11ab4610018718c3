"""The scikit-learn transformer: it follows scikit-learn's rules, and chooses the same terms as
the counts."""

from __future__ import annotations

import datetime
import enum
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

pytest.importorskip("sklearn")

import sklearn
from sklearn.compose import ColumnTransformer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

import termsift as ts
from wording import raises


def collection(n_docs: int = 60, n_terms: int = 40, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = np.array(["ham", "news", "spam"])[np.arange(n_docs) % 3]
    rate = np.full((n_docs, n_terms), 0.2)
    for c, label in enumerate(("ham", "news", "spam")):
        rate[np.ix_(y == label, np.arange(n_terms) % 7 == c)] = 0.9
    return sp.csr_array(rng.poisson(rate)), y


X, y = collection()


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        ts.TermSelector(),
        ts.TermSelector("chi2", policy="round_robin"),
        ts.TermSelector("greedy", k=3, model="binary"),
        ts.TermSelector("conditional_gain", k=2),
        ts.TermSelector("ig", k="all", tf="binary"),
        ts.TermSelector("g2", fdr=1.0),
    ]
)
def test_it_is_an_estimator(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize(
    ("options", "k"),
    [
        ({}, 40),
        ({"k": 7}, 7),
        ({"k": 1000}, 40),
        ({"k": "all"}, 40),
        ({"method": "ig", "k": 5, "policy": "round_robin"}, 5),
        ({"method": "md", "k": 5, "model": "poisson", "alpha": 0.5}, 5),
        ({"method": "chi2", "k": 5, "aggregate": "sum"}, 5),
        ({"method": "greedy", "k": 6}, 6),
        ({"method": "md", "k": 5, "class_prior": "uniform"}, 5),
    ],
)
def test_it_keeps_the_first_terms_of_the_ranking(options: dict[str, Any], k: int) -> None:
    selector = ts.TermSelector(**options).fit(X, y)
    given = {name: value for name, value in options.items() if name not in ("method", "k")}
    ranking = ts.count(X, y).rank(options.get("method", "md"), k, **given)
    np.testing.assert_array_equal(selector.ranking_.indices, ranking.indices)
    np.testing.assert_array_equal(selector.get_support(indices=True), np.sort(ranking.indices))
    kept = selector.transform(X)
    np.testing.assert_array_equal(kept.toarray(), X[:, np.sort(ranking.indices)].toarray())
    back = selector.inverse_transform(kept).toarray()
    np.testing.assert_array_equal(back[:, ranking.indices], X.toarray()[:, ranking.indices])
    assert np.count_nonzero(back.any(axis=0)) <= k


def test_tags() -> None:
    tags = get_tags(ts.TermSelector())
    assert tags.input_tags.sparse
    assert tags.input_tags.positive_only
    assert tags.target_tags.required


def test_attributes() -> None:
    selector = ts.TermSelector("chi2", k=3).fit(X, y)
    counts = ts.count(X, y)
    assert selector.counts_ == counts
    np.testing.assert_array_equal(selector.scores_, counts.score("chi2"))
    assert selector.n_features_in_ == 40
    for name in ("ranking_", "scores_"):
        assert not hasattr(ts.TermSelector("chi2"), name)
    with raises(AttributeError, "greedy_does_not_score_each"):
        _ = ts.TermSelector("greedy", k=3).fit(X, y).scores_


@pytest.mark.parametrize("method", ["conditional_gain", "greedy", "md"])
def test_chunks_equal_one_fit(method: str) -> None:
    whole = ts.TermSelector(method, k=8).fit(X, y)
    parts = ts.TermSelector(method, k=8)
    if method == "conditional_gain":
        assert not hasattr(parts, "partial_fit")
        with pytest.raises(AttributeError):
            parts.partial_fit(X, y)
        return
    for first in range(0, 60, 25):
        chunk = slice(first, first + 25)
        assert parts.partial_fit(X[chunk], y[chunk], classes=["spam", "news", "ham"]) is parts
    assert parts.counts_.classes == ["spam", "news", "ham"]
    np.testing.assert_array_equal(parts.get_support(), whole.get_support())
    # A chunk may have only one class, but a ranking needs two classes.
    one = ts.TermSelector(method).partial_fit(X[:1], y[:1])
    with raises(ValueError, "two_classes_with_documents"):
        _ = one.ranking_
    one.partial_fit(X, y)
    assert len(one.ranking_) == 40


def test_a_failed_chunk_changes_nothing() -> None:
    selector = ts.TermSelector(k=5).partial_fit(X, y)
    before = selector.counts_
    bad = X.astype(float).toarray()
    bad[3, 4] = -1
    with raises(ValueError, "negative_in_a_selector", at="row 3, column 4"):
        selector.partial_fit(bad, y)
    with raises(ValueError, "x_has_39_features_but_termselector", argument="X"):
        selector.partial_fit(X[:, :39], y)
    assert selector.counts_ is before


def test_later_chunks_may_add_classes() -> None:
    selector = ts.TermSelector(k=5).partial_fit(X, y, classes=["ham", "news", "spam"])
    selector.partial_fit(X, y, classes=["ham", "late", "news", "spam"])
    assert selector.counts_.classes == ["ham", "late", "news", "spam"]
    assert selector.counts_.class_docs.tolist() == [40, 0, 40, 40]
    before = selector.counts_
    with raises(ValueError, "the_label_of_document_1", argument="y", at="document 1"):
        selector.partial_fit(X, y, classes=["ham", "spam"])
    with raises(ValueError, "counts_differ_in_tf", argument="tf"):
        selector.set_params(tf="binary").partial_fit(X, y)
    assert selector.counts_ is before


def test_an_indicator_of_a_later_chunk_has_the_known_classes() -> None:
    indicator = (y[:, None] == np.array(["ham", "news", "spam"])).astype(int)
    selector = ts.TermSelector(k=5).partial_fit(X, indicator, classes=["ham", "news", "spam"])
    selector.partial_fit(X, indicator)
    assert selector.counts_ == ts.count(X, y).update(X, y)


def test_weights_count_as_copies() -> None:
    weights = np.arange(60) % 4
    weighted = ts.TermSelector(k=6).fit(X, y, sample_weight=weights)
    copied = ts.TermSelector(k=6).fit(X[np.repeat(np.arange(60), weights)], np.repeat(y, weights))
    assert weighted.counts_ == copied.counts_
    with raises(ValueError, "at_most_one_class", argument="y"):
        ts.TermSelector().fit(X, y, sample_weight=np.zeros(60))


def test_later_parameters_do_not_change_what_was_learnt() -> None:
    selector = ts.TermSelector("chi2", k=3).fit(X, y)
    before = selector.ranking_.indices, selector.scores_
    selector.set_params(method="md", k=9, model="binary")
    after = selector.ranking_.indices, selector.scores_
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one, other)
    late = ts.TermSelector(k=2).partial_fit(X, y).set_params(k=30)
    assert len(late.ranking_) == 2


@pytest.mark.parametrize(
    ("options", "key", "argument"),
    [
        ({"method": "chi2", "model": "binary"}, "chi2_has_no_model_binary_only", "model"),
        ({"k": -1}, "k_must_be_a_number_of_3", "k"),
        ({"k": 0.5}, "k_must_be_a_number_of", "k"),
        ({"k": True}, "k_must_be_a_number_of_4", "k"),
        ({"k": "some"}, "k_must_be_a_number_of_2", "k"),
        ({"method": "nope"}, "no_method_nope_expected_one_of", "method"),
        (
            {"method": "conditional_gain", "model": "binary"},
            "conditional_gain_has_no_model_binary_only",
            "model",
        ),
        (
            {"method": "conditional_gain", "alpha": 2.0},
            "method_conditional_gain_takes_no_alpha_got",
            "method",
        ),
        (
            {"method": "conditional_gain", "tf": "binary"},
            "method_conditional_gain_takes_no_tf_got",
            "method",
        ),
    ],
)
def test_parameters_that_are_wrong_or_would_be_ignored_are_refused(
    options: dict[str, Any], key: str, argument: str | None
) -> None:
    with raises(ValueError, key, argument=argument):
        ts.TermSelector(**options).fit(X, y)


@pytest.mark.parametrize(
    ("options", "key", "argument"),
    [
        (
            {"method": "conditional_gain", "policy": "round_robin"},
            "conditional_gain_reads_the_documents_and_has",
            "policy",
        ),
        (
            {"method": "conditional_gain", "class_prior": "uniform"},
            "conditional_gain_reads_the_documents_and_has_2",
            "class_prior",
        ),
        (
            {"method": "conditional_gain", "class_prior": "top"},
            "conditional_gain_reads_the_documents_and_has_3",
            "class_prior",
        ),
        (
            {"method": "conditional_gain", "aggregate": "top"},
            "conditional_gain_reads_the_documents_and_has_4",
            "aggregate",
        ),
        (
            {"method": "conditional_gain", "policy": "empirical"},
            "conditional_gain_reads_the_documents_and_has_5",
            "policy",
        ),
    ],
)
def test_options_of_scores_and_selectors_of_documents_exclude_each_other(
    options: dict[str, Any], key: str, argument: str | None
) -> None:
    with raises(TypeError, key, argument=argument):
        ts.TermSelector(**options).fit(X, y)


def test_names_frames_and_columns() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X.toarray(), columns=[f"t{t}" for t in range(40)])
    selector = ts.TermSelector(k=4).set_output(transform="pandas").fit(frame, y)
    kept = selector.transform(frame)
    assert list(kept.columns) == list(selector.get_feature_names_out())
    assert list(selector.ranking_.terms) == [f"t{t}" for t in selector.ranking_.indices]
    columns = ColumnTransformer([("some", ts.TermSelector(k=2), [f"t{t}" for t in range(10)])])
    assert columns.fit_transform(frame, y).shape == (60, 2)


def test_weights_are_routed() -> None:
    weights = np.arange(60) % 3
    with sklearn.config_context(enable_metadata_routing=True):
        selector = ts.TermSelector(k=5).set_fit_request(sample_weight=True)
        pipeline = make_pipeline(selector, MultinomialNB().set_fit_request(sample_weight=False))
        pipeline.fit(X, y, sample_weight=weights)
    alone = ts.TermSelector(k=5).fit(X, y, sample_weight=weights)
    assert pipeline[0].counts_ == alone.counts_


def test_everything_else_works_without_scikit_learn() -> None:
    code = """
import sys
sys.modules["sklearn"] = None
import termsift as ts
from termsift import *
assert "TermSelector" not in dir(ts)  # what completes names would ask for it
ts.md([[1, 0], [0, 1]], [0, 1])
try:
    ts.TermSelector
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    cure = "pip install 'termsift[sklearn]', or pip install scikit-learn"
    assert done.stdout == f"TermSelector needs scikit-learn: {cure}\n"


def test_a_failed_fit_keeps_the_fit_before() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.poisson(0.5, (60, 40)), np.arange(60) % 3
    selector = ts.TermSelector(k=3).fit(X[:, :10], y)
    kept = selector.transform(X[:, :10])
    for wrong, labels, key, argument in (
        (X, ["a"] * 60, "at_most_one_class", "y"),
        (X[:, :5], ["a"] * 60, "at_most_one_class", "y"),
        (-X, y, "negative_at_row_0_in_a_selector", "X"),
    ):
        with raises(ValueError, key, argument=argument):
            selector.fit(wrong, labels)
        assert selector.n_features_in_ == 10
        np.testing.assert_array_equal(selector.transform(X[:, :10]), kept)
        with pytest.raises(ValueError, match="features as input"):
            selector.transform(X)


# ---- labels --------------------------------------------------------------------------------------


class Kind(str, enum.Enum):  # noqa: UP042
    HAM = "h"
    HOT = "hot"


LABELS: dict[str, Any] = {
    "types": [1, "1", 2, "1"],
    "enumerations": [Kind.HAM, Kind.HOT, Kind.HAM, Kind.HOT],
    "large integers": [2**60, 2**60 + 1, 3, 2**60 + 1],
    "null characters": ["a\0", "a", "a\0", "b"],
    "objects": np.array([0, 1, 0, 1], object),
    "tuples": [("a", 1), ("b", 2)] * 2,
    "bytes": [b"a", b"b"] * 2,
    "dates": np.array(["2020-01-01", "2021-01-01"] * 2, "M8[D]"),
    "dates and times": np.array(["2020-01-01", "2021-01-01"] * 2, "M8[ns]"),
    "days of Python": [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)] * 2,
    "whole floats": np.array([1.0, 2.0, 1.0, 2.0]),
    "booleans": [True, False] * 2,
    "an indicator": np.array([[1, 0], [0, 1], [1, 1], [0, 1]]),
    "a generator": None,
    "a column": None,
}
if hasattr(np.dtypes, "StringDType"):  # since numpy 2
    of_strings: Any = np.dtypes.StringDType()
    LABELS["strings of numpy"] = np.array(["a", "b"] * 2, of_strings)
COUNTED = np.array([[5, 0], [0, 5], [1, 1], [0, 4]])


def labels_of(name: str) -> Any:
    if name == "a generator":
        return (label for label in "abab")
    if name == "a column":
        pandas = pytest.importorskip("pandas")
        return pandas.Series([2**60, 2**60 + 1, 3, 2**60 + 1], dtype="Int64")
    return LABELS[name]


@pytest.mark.parametrize("name", LABELS)
def test_labels_are_those_of_count(name: str) -> None:
    expected = ts.count(COUNTED, [*labels_of(name)] if name == "a generator" else labels_of(name))
    selector = ts.TermSelector(k=1).fit(COUNTED, labels_of(name))
    assert selector.counts_ == expected
    assert list(map(type, selector.counts_.classes)) == list(map(type, expected.classes))
    assert ts.TermSelector().partial_fit(COUNTED, labels_of(name)).counts_ == expected
    if name == "an indicator":
        return
    again = ts.TermSelector().partial_fit(COUNTED, labels_of(name), expected.classes)
    assert again.counts_ == expected
    gain = ts.TermSelector("conditional_gain", k=1).fit(COUNTED, labels_of(name))
    assert gain.counts_ == expected


@pytest.mark.parametrize("y", [[0.5, 1, 2, 1], np.array([1, 2, 3, 4.25]), [1, 2, np.inf, 1]])
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_a_target_of_a_regression_is_refused(method: str, y: Any) -> None:
    wrong = next(value for value in list(y) if value != int(min(value, 9)))
    with raises(ValueError, "unknown_label_type_continuous", argument="y", at=f"y has {wrong}, "):
        getattr(ts.TermSelector(), method)(COUNTED, y)


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_masks_are_not_dropped(method: str) -> None:
    masked = np.ma.array(COUNTED, mask=COUNTED == 5)
    fit = getattr(ts.TermSelector(k=1), method)
    for arguments in ((masked, list("abab")), (list(masked), list("abab"))):
        with raises(TypeError, "x_is_a_masked_array", argument="X"):
            fit(*arguments)
    with raises(TypeError, "y_is_a_masked_array", argument="y"):
        fit(COUNTED, np.ma.array([0, 1, 0, 1], mask=[1, 0, 0, 0]))
    with raises(TypeError, "sample_weight_is_a_masked", argument="sample_weight"):
        fit(COUNTED, list("abab"), sample_weight=np.ma.array([1, 1, 1, 1], mask=[1, 0, 0, 0]))
    selector = ts.TermSelector(k=1, class_prior=np.ma.array([1, 2], mask=[1, 0]))
    with raises(TypeError, "class_prior_is_a_masked", argument="class_prior"):
        selector.fit(COUNTED, list("abab"))
    with raises(TypeError, "x_is_a_masked_array", argument="X"):
        ts.TermSelector(k=1).fit(COUNTED, list("abab")).transform(masked)


def test_large_integers_of_a_frame_do_not_round() -> None:
    frame = pytest.importorskip("pandas").DataFrame({"a": [2**60 + 1, 0], "b": [0, 2]})
    for kind in ("Int64", "object"):
        selector = ts.TermSelector(k=1).fit(frame.astype(kind), ["ham", "spam"])
        assert selector.counts_ == ts.count(frame, ["ham", "spam"])


# ---- counts that change --------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{"method": "chi2"}, {"method": "md", "policy": "round_robin"}])
def test_the_ranking_follows_the_counts(options: dict[str, Any]) -> None:
    selector = ts.TermSelector(**options, k=2).fit(COUNTED, list("abab"))
    before = selector.ranking_
    assert selector.ranking_ is before  # it is computed once
    selector.counts_.update(np.array([[0, 9], [9, 0]]), ["a", "c"])
    expected = selector.counts_.rank(k=2, **options)
    for copy in (selector, pickle.loads(pickle.dumps(selector))):
        assert copy.ranking_.scores.tolist() == expected.scores.tolist()
        assert copy.ranking_.scores.tolist() != before.scores.tolist()
        copy.counts_.update(np.array([[0, 9], [9, 0]]), ["a", "c"])
        again = copy.counts_.rank(k=2, **options)
        assert copy.ranking_.scores.tolist() == again.scores.tolist()


def test_a_ranking_that_needs_the_documents_does_not_outlive_its_counts() -> None:
    selector = ts.TermSelector("conditional_gain", k=1).fit(COUNTED, list("abab"))
    copy = pickle.loads(pickle.dumps(selector))
    assert copy.ranking_.indices.tolist() == selector.ranking_.indices.tolist()
    copy.counts_.update(COUNTED, list("abab"))
    for changed in (copy, pickle.loads(pickle.dumps(copy))):
        with raises(ValueError, "conditional_gain_needs_the_documents"):
            _ = changed.ranking_
    assert len(selector.ranking_) == 1
