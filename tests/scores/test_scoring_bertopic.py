"""c_tfidf equals BERTopic's own transformer, and the code of docs/topics.md runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

import termsift as ts

PAGE = Path(__file__).parents[2] / "docs/topics.md"
ClassTfidfTransformer: Any = pytest.importorskip("bertopic.vectorizers").ClassTfidfTransformer


@pytest.mark.parametrize("bm25", [False, True])
@pytest.mark.parametrize("root", [False, True])
def test_the_values_are_those_of_bertopic(bm25: bool, root: bool) -> None:
    rng = np.random.default_rng(3)
    X = rng.poisson(rng.gamma(0.3, 1.0, 500), (300, 500))
    X = X[:, X.sum(axis=0) > 0]  # BERTopic divides by 0 if a term never occurs.
    topics = rng.integers(-1, 19, 300)  # BERTopic's -1, the outliers, counts as a topic.
    counts = ts.count(X, topics)
    model = ClassTfidfTransformer(bm25_weighting=bm25, reduce_frequent_words=root)
    joined = sp.csr_matrix(counts.term_frequency)
    theirs = model.fit(joined).transform(joined)
    assert counts.term_frequency.sum() % counts.n_classes  # so the mean must be truncated
    ours = counts.class_scores("c_tfidf", variant="bm25" if bm25 else "idf", sqrt=root)
    assert_allclose(ours, theirs.toarray(), rtol=1e-12, atol=1e-16)


def test_the_code_of_the_page_runs_in_bertopic() -> None:
    sklearn_cluster = pytest.importorskip("sklearn.cluster")
    from bertopic.dimensionality import BaseDimensionalityReduction

    code = re.findall(r"(?ms)^```python\n(from bertopic.*?)^```$", PAGE.read_text("utf-8"))
    page: dict[str, Any] = {"ts": ts}
    exec("".join(code), page)
    model = page["model"]
    model.umap_model = BaseDimensionalityReduction()  # the vectors below show the clusters already
    model.hdbscan_model = sklearn_cluster.KMeans(3, n_init=1, random_state=0)
    words = [["moon", "orbit"], ["goal", "cup"], ["bread", "oven"]]
    texts = [f"the {words[i % 3][0]} and the {words[i % 3][1]} of day{i}" for i in range(60)]
    topics, _ = model.fit_transform(texts, np.eye(3)[np.arange(60) % 3])
    counts = ts.count_texts(texts, topics)
    assert_allclose(model.c_tf_idf_.toarray(), counts.class_scores("c_tfidf"), rtol=1e-12)
    for topic, ranking in ts.distinctive_terms(counts, k=model.top_n_words).items():
        assert model.get_topic(topic, full=True)["distinctive"] == list(ranking)
        assert sorted(ranking.terms[:2]) == sorted(words[topics.index(topic)])
    assert model.get_topic_info()["distinctive"].map(len).min() == model.top_n_words
