"""Count texts with scikit-learn and with ts.text, and compare the results."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import termsift as ts


def case_of(rules: dict[str, Any]) -> str:
    """Name a case by its rules, with sorted sets, so that all processes give the same name."""

    def shown(value: Any) -> Any:
        return sorted(value) if isinstance(value, set) else getattr(value, "__name__", value)

    return str({name: shown(value) for name, value in rules.items()})


def learned(module: Any, texts: list[str], rules: dict[str, Any], **own: Any) -> tuple[Any, Any]:
    """Learn the terms with scikit-learn or with ts.text, and return the matrix and the terms."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn warns of split stop words
        vectorizer = module.CountVectorizer(**rules, **own)
        X = vectorizer.fit_transform(texts)
    names = vectorizer.get_feature_names_out()
    assert {term: int(column) for term, column in vectorizer.vocabulary_.items()} == {
        term: column for column, term in enumerate(names)
    }
    return X, names


def assert_equal(ours: Any, theirs: Any) -> None:
    """Assert that two matrices have equal arrays and dtypes."""
    assert type(ours) is type(theirs)
    assert ours.shape == theirs.shape
    for part in ("indptr", "indices", "data"):
        found, wanted = getattr(ours, part), getattr(theirs, part)
        assert found.dtype == wanted.dtype, part
        np.testing.assert_array_equal(found, wanted, part)


def assert_equal_terms(ours: Any, theirs: Any) -> None:
    """Assert that two lists of terms are equal, and show the first different terms."""
    assert ours.dtype == theirs.dtype
    if len(ours) != len(theirs) or (ours != theirs).any():
        extra, lost = set(ours) - set(theirs), set(theirs) - set(ours)
        assert (sorted(extra)[:5], sorted(lost)[:5]) == ([], [])
        np.testing.assert_array_equal(ours, theirs)


def labels_of(texts: list[str], n_classes: int) -> np.ndarray[Any, Any]:
    """Return labels of all classes, some of them rare."""
    rng = np.random.default_rng(n_classes)
    labels = np.minimum(rng.zipf(1.3, len(texts)), n_classes) - 1
    labels[: min(n_classes, len(texts))] = np.arange(min(n_classes, len(texts)))
    return rng.permutation(labels)


def assert_same_counts(found: ts.ClassCounts, wanted: ts.ClassCounts) -> None:
    """Assert that two counts agree in all bits and in their names."""
    assert found == wanted
    assert found.term_names.tolist() == wanted.term_names.tolist()
    for part in ("term_frequency", "document_frequency"):
        assert (getattr(found, part) != getattr(wanted, part)).nnz == 0
    if found.n_classes > 1:
        np.testing.assert_array_equal(found.score("md"), wanted.score("md"))
