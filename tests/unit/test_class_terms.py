"""Distinctive terms and dominant classes by hand; test_directions.py has the dense definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

import termsift as ts
from termsift._scores.class_terms import (
    class_columns,
    distinctive_terms,
    dominant_class,
    largest_classes,
)


def test_distinctive_terms_are_those_that_a_class_has_more_of() -> None:
    # Term 1 has a high score in class 0 too, but because it is absent there.
    counts = ts.count(sparse.csr_array([[9, 0, 5], [1, 9, 5], [1, 9, 5]]), ["a", "b", "c"])
    rankings = distinctive_terms(counts, "md")
    assert {c: found.indices.tolist() for c, found in rankings.items()} == {
        "a": [0, 2],
        "b": [1],
        "c": [1],
    }
    assert (rankings["a"].method, rankings["a"].model, rankings["a"].terms) == (
        "md",
        "multinomial",
        None,
    )
    counts.term_names = ["noon", "win", "the"]
    some = distinctive_terms(counts, "md", 1, classes=["b", "a"], model="binary")
    assert {c: found.terms.tolist() for c, found in some.items()} == {"b": ["win"], "a": ["noon"]}
    assert some["a"].model == "binary"
    assert distinctive_terms(counts, classes=[]) == {}
    assert [len(found) for found in distinctive_terms(counts, k=0).values()] == [0, 0, 0]


@pytest.mark.parametrize("method", ["chi2", "g2", "ig", "bns", "md"])
def test_a_term_is_over_represented_by_what_its_method_reads(method: Any) -> None:
    # Most documents of b contain term 0. One document of a contains it, nine times. A bug once
    # listed the term under a by its share of occurrences, though chi2 is high for a because few of
    # its documents contain the term.
    X = [[9, 1], [0, 1], [0, 1], [0, 1], [1, 1], [1, 1], [1, 1], [1, 1]]
    counts = ts.count(np.array(X), list("aaaabbbb"))
    expected = "a" if method == "md" else "b"
    rankings = distinctive_terms(counts, method)
    assert [label for label, found in rankings.items() if 0 in found.indices] == [expected]
    assert counts.classes[dominant_class(counts, np.array([0]), method)[0]] == expected


def test_no_term_is_over_represented() -> None:
    counts = ts.count(np.array([[1, 3, 0], [2, 6, 0]]), ["a", "b"])  # the same shares
    assert [len(found) for found in distinctive_terms(counts, "md", alpha=0).values()] == [0, 0]
    assert dominant_class(counts, np.arange(3), "md", alpha=0).tolist() == [-1, -1, -1]
    # Smoothing adds more to the smaller class, even for a term that is absent from both.
    rankings = distinctive_terms(counts, "md").values()
    assert [found.indices.tolist() for found in rankings] == [[0], [1]]
    assert dominant_class(counts, np.arange(3), "md").tolist() == [0, 1, -1]


def test_no_array_of_all_classes_and_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    n = 300
    X = sparse.random_array((n, 40_000), density=1e-3, rng=rng, format="csr")
    counts = ts.count(X.astype(bool), range(n))
    for name in ("class_scores", "class_directions"):
        monkeypatch.delattr(ts._core, name)
    assert [len(found) for found in distinctive_terms(counts, k=3).values()] == [3] * n
    assert len(class_columns(counts, "ig", k=3)["sign"]) == 3 * n


def test_the_largest_classes() -> None:
    counts = ts.count(np.ones((6, 1), dtype=int), list("abbccc"))
    assert largest_classes(counts, 2) == [2, 1]
    assert largest_classes(counts, 9) == [2, 1, 0]
