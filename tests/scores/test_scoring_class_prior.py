"""Class priors: by label, by position, and where no score uses them."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
import pytest

import termsift as ts
from gate import TYPE, VALUE, complaint
from wording import raises, warns

X = np.array([[4, 1, 0], [0, 1, 2], [1, 0, 3], [2, 2, 0]])
Y = ["ham", "spam", "news", "ham"]
COUNTS = ts.count(X, Y, term_names=["bacon", "and", "pills"])  # the classes: ham, news, spam
PRIORS = {"spam": 1, "ham": 3, "news": 0.5}
IN_ORDER = [3, 0.5, 1]


def test_a_class_with_documents_needs_a_weight() -> None:
    counts = ts.count(X, [0, 1, 0, 1], classes=[0, 1, 2])
    assert counts.score("chi2", aggregate="mean", class_prior=[1, 0, 9]).shape == (3,)
    for options in ({"method": "md"}, {"method": "chi2", "aggregate": "mean"}):
        with raises(ValueError, "class_prior_is_0_for_every_class", argument="class_prior"):
            counts.score(**options, class_prior=[0, 0, 1])


@pytest.mark.parametrize("prior", ["dict", "series"])
def test_priors_by_label_are_brought_into_the_order_of_the_classes(prior: str) -> None:
    pandas = pytest.importorskip("pandas")
    given: Any = pandas.Series(PRIORS) if prior == "series" else PRIORS
    for read in (
        lambda p: COUNTS.score("md", class_prior=p),
        lambda p: COUNTS.class_scores("md_chi2", class_prior=p),
        lambda p: COUNTS.score("chi2", aggregate="mean", class_prior=p),
        lambda p: COUNTS.rank("md", policy="round_robin", class_prior=p).scores,
        lambda p: COUNTS.greedy(class_prior=p).scores,
        lambda p: ts.distinctive_terms(COUNTS, "md", class_prior=p)["ham"].scores,
        lambda p: COUNTS.to_frame("md", class_prior=p, library="pandas")["score"],
        lambda p: COUNTS.naive_bayes(class_prior=p).predict_proba(X),
        lambda p: ts.NaiveBayes(class_prior=p).fit(X, Y).predict_proba(X),
        lambda p: ts.md(X, Y, class_prior=p),
    ):
        np.testing.assert_array_equal(read(given), read(IN_ORDER))
        assert not np.array_equal(read(given), read([1, 3, 0.5]))


def test_labels_that_are_equal_have_one_prior() -> None:
    counts = ts.count(X, [True, 0, 2.0, 1])
    expected = counts.score("md", class_prior=[1, 2, 3])
    assert counts.score("md", class_prior={1.0: 2, 2: 3, False: 1}).tolist() == expected.tolist()


def test_a_series_with_an_index_of_its_own_is_read_by_position() -> None:
    series = pytest.importorskip("pandas").Series(IN_ORDER)
    expected = COUNTS.score("md", class_prior=IN_ORDER)
    assert COUNTS.score("md", class_prior=series).tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ({"ham": 1, "spam": 2}, "class_prior lacks class 'news': give every class a prior, or 0"),
        (
            PRIORS | {"spma": 1},
            "class_prior has 'spma', which is not among the classes 'ham', 'news', 'spam'; "
            "did you mean 'spam'?",
        ),
        (
            PRIORS | {"ham": -1},
            "class_prior has -1.0 at class 'ham', expected a finite number, not negative and below "
            "2^63",
        ),
    ],
)
def test_priors_of_other_classes_are_refused(prior: Any, message: str) -> None:
    assert complaint(VALUE, COUNTS.score, "md", class_prior=prior) == message
    assert complaint(VALUE, COUNTS.naive_bayes, class_prior=prior) == message


def test_the_default_has_one_spelling() -> None:
    message = "class_prior must be 'empirical', 'uniform', an array or a dict by label, got None"
    for call in (COUNTS.score, COUNTS.rank, COUNTS.greedy, COUNTS.naive_bayes):
        assert complaint(TYPE, call, class_prior=None) == message
    empirical = dict(zip(COUNTS.classes, COUNTS.class_docs.tolist(), strict=True))
    assert COUNTS.score("md", class_prior=empirical) == pytest.approx(COUNTS.score("md"), rel=1e-14)
    for function in (
        ts.ClassCounts.score,
        ts.ClassCounts.greedy,
        ts.ClassCounts.to_frame,
        ts.NaiveBayes,
    ):
        assert inspect.signature(function).parameters["class_prior"].default == "empirical"


def test_the_reference_takes_priors_by_label() -> None:
    counts = ts.reference.count(X, Y)
    by_label = ts.reference.class_scores(counts, "md", class_prior=PRIORS)
    assert (by_label == ts.reference.class_scores(counts, "md", class_prior=IN_ORDER)).all()


def test_a_masked_prior_is_refused() -> None:
    masked = np.ma.array(IN_ORDER, mask=[1, 0, 0])
    message = "class_prior is a masked array: fill or drop the masked values"
    assert complaint(TYPE, COUNTS.score, class_prior=masked) == message
    assert complaint(TYPE, COUNTS.naive_bayes, class_prior=masked) == message


# ---- priors that no score uses -------------------------------------------------------------------


@pytest.mark.parametrize("method", [method.name for method in ts.methods()])
@pytest.mark.parametrize("aggregate", [None, "sum", "mean", "max"])
def test_a_prior_warns_exactly_where_it_changes_nothing(method: str, aggregate: Any) -> None:
    matrix = np.random.default_rng(0).poisson(1, (30, 20))
    counts = ts.count(matrix, ["ham", "spam", "ham", "news", "ham", "spam"] * 5)
    expected = counts.score(method, aggregate=aggregate)  # type: ignore[arg-type]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scores = counts.score(method, aggregate=aggregate, class_prior=PRIORS)  # type: ignore[arg-type]
    assert np.array_equal(scores, expected) == bool(caught)
    for warning in caught:
        assert str(warning.message) == (
            f"{method} does not use class_prior, which only the aggregate 'mean' and methods with "
            "event models use: leave out class_prior"
        )
        assert warning.filename == __file__


def test_every_function_warns_once() -> None:
    pytest.importorskip("pandas")
    for read in (
        lambda p: COUNTS.class_scores("chi2", class_prior=p),
        lambda p: COUNTS.rank("chi2", class_prior=p),
        lambda p: COUNTS.rank("chi2", policy="round_robin", class_prior=p),
        lambda p: ts.distinctive_terms(COUNTS, class_prior=p),
        lambda p: COUNTS.to_frame("chi2", class_prior=p, library="pandas"),
    ):
        with warns(UserWarning, "does_not_use_class_prior") as caught:
            read("uniform")
        assert len(caught) == 1
        read("empirical")
        read("empirical")


def test_a_selector_takes_a_prior_that_its_method_does_not_use() -> None:
    selection = pytest.importorskip("sklearn.model_selection")
    X = np.random.default_rng(0).poisson(1, (30, 20))
    y = ["ham", "spam", "ham", "news", "ham", "spam"] * 5
    for policy in ("top", "round_robin"):
        selector = ts.TermSelector(k=3, policy=policy, class_prior=PRIORS)
        grid = {"method": ["md", "chi2", "df"]}
        selection.GridSearchCV(selector, grid, cv=2, scoring=lambda *_: 0.0).fit(X, y)
        df = ts.TermSelector("df", k=3, class_prior=PRIORS).fit(X, y)
        assert df.scores_.tolist() == ts.count(X, y).score("df").tolist()
    means = [
        ts.TermSelector("chi2", aggregate="mean", class_prior=prior).fit(X, y).scores_
        for prior in (PRIORS, "empirical")
    ]
    assert not np.array_equal(*means)
    with raises(ValueError, "prior_lacks_class", argument="class_prior", at="class 'news'"):
        ts.TermSelector("chi2", class_prior={"ham": 1, "spam": 1}).fit(X, y)


class Label:
    """A label that counts how often labels are compared."""

    n_comparisons = 0

    def __init__(self, number: int) -> None:
        self.number = number

    def __hash__(self) -> int:
        return hash(self.number)

    def __eq__(self, other: object) -> bool:
        Label.n_comparisons += 1
        return isinstance(other, Label) and other.number == self.number


def test_labels_of_many_classes_are_looked_up_and_not_searched() -> None:
    labels = [Label(i) for i in range(300)]
    counts = ts.count(np.eye(300, dtype=int), labels)
    table = {"label": labels, "term": ["word"] * 300, "count": [1] * 300}
    by_label: Any = {Label(label.number): 1 for label in labels}
    for look_up in (
        lambda: counts.score("md", class_prior=by_label),
        lambda: ts.counts_from_table(table, class_tokens=by_label),
        lambda: counts.keyness(labels[:150]),
        lambda: counts.keyness(labels[:150], labels[150:]),
    ):
        Label.n_comparisons = 0
        look_up()
        assert Label.n_comparisons < 20 * 300
