"""Texts instead of a matrix are refused with advice, and pipelines turn texts into a matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import termsift as ts
from counted_texts import vectorizers
from wording import raises

# ---- texts in place of a matrix ------------------------------------------------------------------

HOLDERS: dict[str, Callable[[list[str]], Any]] = {
    "list": list,
    "array": np.array,
    "object array": lambda texts: np.array(texts, dtype=object),
    "series": lambda texts: pytest.importorskip("pandas").Series(texts),
    "polars frame": lambda texts: pytest.importorskip("polars").DataFrame({"text": texts}),
}


@pytest.mark.parametrize("holder", HOLDERS.values(), ids=list(HOLDERS))
def test_texts_in_place_of_a_matrix_are_refused_with_the_cure(
    holder: Callable[[list[str]], Any],
) -> None:
    X, y = holder(["good eggs", "bad ham", "eggs"]), [0, 1, 0]
    calls: list[Any] = [ts.count, ts.md, ts.count(np.eye(3), y).update, ts.conditional_gain]
    for call in (*calls, ts.guided_gain, ts.cross_validate, ts.TermSelector().fit):
        with raises(TypeError, "x_holds_texts_count_texts", argument="X"):
            call(X, y)


def test_long_texts_are_refused_before_they_are_padded() -> None:
    with raises(TypeError, "x_holds_texts_count_texts", argument="X"):
        ts.count(["x" * 2**20] + ["y"] * 2**20, [0] * (2**20 + 1))  # padded: 4 TiB


# ---- texts in a pipeline -------------------------------------------------------------------------


def test_a_selector_after_a_vectorizer_of_either_library() -> None:
    from sklearn.model_selection import GridSearchCV, cross_validate
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    rng = np.random.default_rng(2)
    words = np.array([f"word{i}" for i in range(60)])
    y = rng.integers(0, 3, 90)
    texts = [" ".join(rng.choice(words[label * 10 : label * 10 + 40], 12)) for label in y]
    scores, names, predicted = [], [], []
    for library in (ts.text, vectorizers):
        model = make_pipeline(library.CountVectorizer(), ts.TermSelector(k=20), MultinomialNB())
        scores.append(cross_validate(model, texts, y, cv=4)["test_score"].tolist())
        grid = {"countvectorizer__min_df": [1, 8], "termselector__k": [2, 30]}
        searched = GridSearchCV(model, grid, cv=3).fit(texts, y)
        predicted.append([searched.best_params_, searched.predict(texts).tolist()])
        names.append(model.fit(texts, y)[:-1].get_feature_names_out().tolist())
    assert scores[0] == scores[1]
    assert predicted[0] == predicted[1]
    assert names[0] == names[1]
    ranking = ts.count_texts(texts, y).rank("md", k=20)
    assert set(names[0]) == set(ranking.terms)
    with raises(TypeError, "x_holds_texts_count_texts", argument="X"):
        make_pipeline(ts.TermSelector(k=2), MultinomialNB()).fit(texts, y)
