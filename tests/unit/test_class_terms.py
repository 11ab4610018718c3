"""Distinctive terms and dominant classes: by hand, and against the dense definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

import termsift as ts
from termsift._scores import scoring
from termsift._scores.class_terms import distinctive_terms, dominant_class, largest_classes


def test_distinctive_terms_are_those_that_a_class_has_more_of() -> None:
    # Term 1 has a high score in class 0 too, but because it is absent there.
    counts = ts.count(sparse.csr_array([[9, 0, 5], [1, 9, 5], [1, 9, 5]]), ["a", "b", "c"])
    first, second, _ = distinctive_terms(counts, "md")
    assert (first.label, list(first.indices)) == ("a", [0, 2])
    assert (list(first.occurrences), list(first.elsewhere)) == ([9, 5], [2, 10])
    assert (second.label, list(second.indices), second.terms) == ("b", [1], None)
    counts.term_names = ["noon", "win", "the"]
    assert [of.terms.tolist() for of in distinctive_terms(counts, "md", classes=["a", "b"])] == [
        ["noon", "the"],
        ["win"],
    ]


@pytest.mark.parametrize("method", ["chi2", "g2", "ig", "bns", "md"])
def test_a_term_is_over_represented_by_what_its_method_reads(method: str) -> None:
    # Most documents of b contain term 0. One document of a contains it, nine times. A bug once
    # listed the term under a by its share of occurrences, though chi2 is high for a because few of
    # its documents contain the term.
    X = [[9, 1], [0, 1], [0, 1], [0, 1], [1, 1], [1, 1], [1, 1], [1, 1]]
    counts = ts.count(np.array(X), list("aaaabbbb"))
    expected = "a" if method == "md" else "b"
    assert [found.label for found in distinctive_terms(counts, method) if 0 in found.indices] == [
        expected
    ]
    assert counts.classes[dominant_class(counts, np.array([0]), method)[0]] == expected


def collection(kind: str) -> ts.ClassCounts:
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.poisson(0.3, (60, 200)))
    if kind == "several labels":
        return ts.count(X, (rng.random((60, 5)) < 0.4).astype(int))
    labels = rng.integers(0, 7, 60)
    if kind == "an empty class":
        return ts.count(X, labels, classes=[9, *range(7)])
    return ts.count(X, labels, tf="log" if kind == "fractions" else "raw")


def test_some_classes_and_terms() -> None:
    counts = collection("counts")
    whole = {found.label: found for found in distinctive_terms(counts)}
    for k in (0, 1, 3):
        some = distinctive_terms(counts, k=k, classes=[5, 2])
        assert [found.label for found in some] == [5, 2]
        for found in some:
            assert len(found) == k
            np.testing.assert_array_equal(found.indices, whole[found.label].indices[:k])
            np.testing.assert_array_equal(found.scores, whole[found.label].scores[:k])
    assert distinctive_terms(counts, classes=[]) == []


def test_no_term_is_over_represented() -> None:
    counts = ts.count(np.array([[1, 3, 0], [2, 6, 0]]), ["a", "b"])  # the same shares
    assert [len(found) for found in distinctive_terms(counts, "md", alpha=0)] == [0, 0]
    assert dominant_class(counts, np.arange(3), "md", alpha=0).tolist() == [-1, -1, -1]
    # Smoothing adds more to the smaller class, even for a term that is absent from both.
    assert [found.indices.tolist() for found in distinctive_terms(counts, "md")] == [[0], [1]]
    assert dominant_class(counts, np.arange(3), "md").tolist() == [0, 1, -1]


def test_no_array_of_all_classes_and_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    n = 300
    X = sparse.random_array((n, 40_000), density=1e-3, rng=rng, format="csr")
    counts = ts.count(X.astype(bool), range(n))
    sizes = []
    scores = ts._core.class_scores

    def watched(*arguments: Any) -> Any:
        found = scores(*arguments)
        sizes.append(found.nbytes)
        return found

    monkeypatch.setattr(ts._core, "class_scores", watched)
    monkeypatch.setattr(scoring, "_BLOCK_BYTES", 2**19)
    found = distinctive_terms(counts, k=3)
    assert len(found) == n
    assert all(len(terms) == 3 for terms in found)
    assert len(sizes) > 10
    assert max(sizes) <= 2**19


def test_wrong_arguments() -> None:
    counts = collection("counts")
    with pytest.raises(ValueError, match="class 'x' is not among the classes"):
        distinctive_terms(counts, classes=["x"])
    with pytest.raises(ValueError, match="nonsense"):
        distinctive_terms(counts, "nonsense")
    with pytest.raises(TypeError, match="k must be an integer"):
        distinctive_terms(counts, k=1.5)  # type: ignore[arg-type]
    for classes in ("ab", 5):
        with pytest.raises(TypeError, match=f"classes must hold labels, got {classes!r}"):
            distinctive_terms(counts, classes=classes)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"class \['x'\] is not among the classes"):
        distinctive_terms(counts, classes=[["x"]])  # type: ignore[list-item]


def test_the_largest_classes() -> None:
    counts = ts.count(np.ones((6, 1), dtype=int), list("abbccc"))
    assert largest_classes(counts, 2) == [2, 1]
    assert largest_classes(counts, 9) == [2, 1, 0]
