"""Scores and rankings equal the reference, and do what the documentation promises."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import termsift as ts
from termsift import reference
from wording import raises


@given(st.data())
def test_rank_is_a_stable_sort(data: st.DataObject) -> None:
    n_terms = data.draw(st.integers(0, 60))
    cells = data.draw(st.lists(st.integers(0, 2), min_size=2 * n_terms, max_size=2 * n_terms))
    counts = ts.count(np.array(cells).reshape(2, n_terms), [0, 1])
    k = data.draw(st.one_of(st.none(), st.integers(0, 70)))
    scores = counts.score("md")
    ranking = counts.rank("md", k=k)
    expected = np.argsort(-scores, kind="stable")[:k]
    assert ranking.indices.dtype == np.int64
    assert np.array_equal(ranking.indices, expected)
    assert np.array_equal(ranking.indices, reference.rank(scores, k))
    assert np.array_equal(ranking.scores, scores[expected])


def test_names_go_with_the_ranking(tmp_path: Any) -> None:
    counts = ts.count(np.array([[4, 1, 0], [0, 1, 2]]), ["ham", "spam"])
    unnamed = counts.rank()
    assert unnamed.terms.dtype == np.int64
    assert unnamed.terms.tolist() == unnamed.indices.tolist()
    counts.term_names = ["bacon", 'a "b", c', "viagra"]
    ranking = counts.rank()
    assert ranking.terms.tolist() == ["bacon", "viagra", 'a "b", c']
    assert repr(ranking) == '<Ranking of 3 terms by md: bacon, viagra, a "b", c>'
    assert len(ranking) == 3

    ranking.to_csv(tmp_path / "out.csv")
    pd = pytest.importorskip("pandas")
    frame = pd.read_csv(tmp_path / "out.csv")
    pd.testing.assert_frame_equal(frame, ranking.to_frame(), check_dtype=False, rtol=1e-15)


@pytest.mark.parametrize("model", ["multinomial", "binary", "bernoulli", "poisson"])
def test_a_ranking_shows_how_it_was_made(model: Any) -> None:
    counts = ts.count(np.array([[4, 1, 0], [0, 1, 2]]), ["ham", "spam"])
    by_model = "" if model == "multinomial" else f", model={model}"
    top = counts.rank("md", model=model)
    assert (top.method, top.policy, top.model) == ("md", "top", model)
    assert repr(top).startswith(f"<Ranking of 3 terms by md{by_model}: ")
    turns = counts.rank("md", policy="round_robin", model=model)
    assert (turns.method, turns.policy, turns.model) == ("md", "round_robin", model)
    assert repr(turns).startswith(f"<Ranking of 3 terms by md, policy=round_robin{by_model}: ")
    for greedy in (counts.greedy(model=model), counts.rank("greedy", model=model)):
        assert (greedy.method, greedy.policy, greedy.model) == ("greedy", "top", model)


def scores_of(found: Any) -> Any:
    """Return the scores of a result, which may also contain p-values."""
    return found[0] if isinstance(found, tuple) else found


def test_functions_come_from_the_registry(method: str) -> None:
    X, y = np.array([[3, 0, 5], [1, 4, 2]]), [0, 1]
    function = getattr(ts, method)
    assert function.__name__ == method
    assert method in ts.__all__
    counts = ts.count(X, y)
    found = function(X, y)
    assert np.array_equal(scores_of(found), counts.score(method))
    assert np.array_equal(
        scores_of(function(X, y, class_prior="uniform", aggregate="mean")),
        counts.score(method, class_prior="uniform", aggregate="mean"),
    )
    is_test = next(entry.is_test for entry in ts.methods() if entry.name == method)
    assert isinstance(found, tuple) == is_test
    if is_test:
        assert np.array_equal(found[1], counts.significance(method).pvalues)
    else:
        assert np.array_equal(function(X, y, alpha=0.5), counts.score(method, alpha=0.5))


def test_a_ranking_is_no_array() -> None:
    X, y = np.array([[1, 0, 2], [0, 3, 1], [2, 0, 0]]), [0, 1, 0]
    for ranking in (ts.count(X, y).rank(), ts.conditional_gain(X, y)):
        with raises(TypeError, "a_ranking_is_not_an"):
            np.asarray(ranking)
    feature_selection = pytest.importorskip("sklearn.feature_selection")
    with raises(TypeError, "a_ranking_is_not_an"):
        feature_selection.SelectKBest(ts.guided_gain, k=2).fit(X, y)


def test_round_robin_has_no_aggregate() -> None:
    counts = ts.count(np.array([[1, 0], [0, 3]]), [0, 1])
    with raises(TypeError, "round_robin_has_no_aggregate", argument="aggregate"):
        counts.rank("md", policy="round_robin", aggregate="sum")
