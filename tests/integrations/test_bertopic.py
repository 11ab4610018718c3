"""c_tfidf has the values of BERTopic's own transformer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

import termsift as ts

ClassTfidfTransformer: Any = pytest.importorskip("bertopic.vectorizers").ClassTfidfTransformer


@pytest.mark.parametrize("bm25", [False, True])
@pytest.mark.parametrize("root", [False, True])
def test_the_values_are_those_of_bertopic(bm25: bool, root: bool) -> None:
    rng = np.random.default_rng(3)
    X = rng.poisson(rng.gamma(0.3, 1.0, 500), (300, 500))
    X = X[:, X.sum(axis=0) > 0]  # BERTopic divides by 0 for a term that never occurs
    topics = rng.integers(-1, 19, 300)  # BERTopic's -1 is a topic too
    counts = ts.count(X, topics)
    model = ClassTfidfTransformer(bm25_weighting=bm25, reduce_frequent_words=root)
    joined = sp.csr_matrix(counts.term_frequency)
    theirs = model.fit(joined).transform(joined)
    assert counts.term_frequency.sum() % counts.n_classes  # so that the mean is rounded
    ours = counts.class_scores("c_tfidf", variant="bm25" if bm25 else "idf", sqrt=root)
    assert_allclose(ours, theirs.toarray(), rtol=1e-12, atol=1e-16)
