"""`ClassCounts.subset` keeps some of the classes, and may merge several classes into one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import termsift as ts
from wording import raises


def collection(dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    X = rng.poisson(0.4, (200, 30)).astype(dtype)
    return X, rng.choice(["a", "b", "c", "d"], 200)


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
@pytest.mark.parametrize(
    "classes",
    [["a", "b"], ["d", "a", "c"], ["b"], {"x": ["a", "c"], "y": "b"}, {"all": list("abcd")}],
)
def test_a_subset_counts_the_documents_of_its_classes(dtype: Any, classes: Any) -> None:
    X, y = collection(dtype)
    counts = ts.count(X, y)
    counts.term_names = [f"term {i}" for i in range(30)]
    groups = classes if isinstance(classes, dict) else {label: label for label in classes}
    new = {old: label for label, own in groups.items() for old in own}
    kept = np.isin(y, list(new))
    expected = ts.count(X[kept], [new[label] for label in y[kept]], classes=list(groups))
    found = counts.subset(classes)
    assert found.classes == list(groups)
    assert found.n_docs == kept.sum()
    assert found.class_docs.tolist() == expected.class_docs.tolist()
    for name in ("term_frequency", "document_frequency"):
        mine, theirs = getattr(found, name), getattr(expected, name)
        assert mine.dtype == theirs.dtype
        assert (mine.toarray() == theirs.toarray()).all()
    assert list(found.term_names) == list(counts.term_names)
    for method in ["df"] if len(groups) == 1 else ["df", "md", "chi2"]:
        assert found.score(method).tobytes() == expected.score(method).tobytes()
    assert counts.classes == ["a", "b", "c", "d"]  # they are as before


@pytest.mark.parametrize(
    ("classes", "key"),
    [
        (["a", "e"], "there_is_no_class_e_expected"),
        ([], "classes_and_each_of_its_groups"),
        ({}, "classes_and_each_of_its_groups"),
        ({"x": []}, "classes_and_each_of_its_groups"),
        (["a", "a"], "classes_hold_a_twice"),
        ({"x": ["a", "b"], "y": "b"}, "classes_hold_b_twice"),
    ],
)
def test_wrong_classes(classes: Any, key: str) -> None:
    X, y = collection(np.int64)
    with raises(ValueError, key, argument="classes"):
        ts.count(X, y).subset(classes)


def test_documents_of_several_classes() -> None:
    counts = ts.count(np.eye(3), np.array([[1, 1], [0, 1], [1, 0]]))
    with raises(ValueError, "documents_have_several_classes"):
        counts.subset([0])
