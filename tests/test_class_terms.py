"""What a class is about: against the dense definition, and by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

import termsift as ts
from termsift import class_terms
from termsift.class_terms import class_spoken_for, largest_classes, typical_terms


def test_typical_terms_are_those_that_a_class_uses_more() -> None:
    # Three classes; in class 0 term 1 is conspicuous only by its absence.
    counts = ts.count(sparse.csr_array([[9, 0, 5], [1, 9, 5], [1, 9, 5]]), ["a", "b", "c"])
    first, second, _ = typical_terms(counts, "md")
    assert (first.label, list(first.indices)) == ("a", [0, 2])
    assert (list(first.occurrences), list(first.elsewhere)) == ([9, 5], [2, 10])
    assert (second.label, list(second.indices)) == ("b", [1])


@pytest.mark.parametrize("method", ["chi2", "g2", "ig", "bns", "md"])
def test_a_term_speaks_for_the_class_that_its_method_says(method: str) -> None:
    # Most documents of b have term 0, the one of a that has it has it nine times. Got wrong: the
    # share of occurrences put the term under a, for which chi2 scores how rarely it has it.
    X = [[9, 1], [0, 1], [0, 1], [0, 1], [1, 1], [1, 1], [1, 1], [1, 1]]
    counts = ts.count(np.array(X), list("aaaabbbb"))
    speaks_for = "a" if method == "md" else "b"
    assert [found.label for found in typical_terms(counts, method) if 0 in found.indices] == [
        speaks_for
    ]
    assert counts.classes[class_spoken_for(counts, np.array([0]), method)[0]] == speaks_for


def collection(kind: str) -> ts.ClassCounts:
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.poisson(0.3, (60, 200)))
    if kind == "several labels":
        return ts.count(X, (rng.random((60, 5)) < 0.4).astype(int))
    labels = rng.integers(0, 7, 60)
    if kind == "an empty class":
        return ts.count(X, labels, classes=[9, *range(7)])
    return ts.count(X, labels, tf="log" if kind == "fractions" else "raw")


# All terms at a time, and a few.
@pytest.mark.parametrize("cells", [class_terms._CELLS, 256])
@pytest.mark.parametrize("kind", ["counts", "several labels", "an empty class", "fractions"])
def test_it_is_the_dense_definition(
    kind: str, cells: int, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(class_terms, "_CELLS", cells)
    counts = collection(kind)
    dense = counts.class_scores(method)
    occurrences = counts.term_frequency.toarray()
    totals = occurrences.sum(axis=0)
    # As the tables say it: by documents, for methods that count these.
    table = counts.columns(method, per_class=True)
    more = np.zeros(dense.shape, dtype=bool)
    position = {label: c for c, label in enumerate(counts.classes)}
    for label, term, sign in zip(table["class"], table["index"], table["sign"], strict=True):
        more[position[label], term] = sign > 0
    rtol = 1e-11 if kind == "fractions" and cells < 2**20 else 0
    for c, found in enumerate(typical_terms(counts, method, k=200)):
        assert found.label == counts.classes[c]
        assert set(found.indices) == set(np.flatnonzero(more[c]))
        np.testing.assert_allclose(found.scores, dense[c, found.indices], rtol=rtol)
        assert np.all(np.diff(found.scores) <= 0)
        ties = np.diff(found.scores) == 0
        assert np.all(np.diff(found.indices)[ties] > 0)
        np.testing.assert_array_equal(found.occurrences, occurrences[c, found.indices])
        np.testing.assert_array_equal(
            found.elsewhere, totals[found.indices] - occurrences[c, found.indices]
        )
    if rtol == 0:  # else a tie may be broken by rounding
        terms = np.random.default_rng(1).permutation(counts.n_terms)[:50]
        best = np.where(more, dense, -np.inf)[:, terms]
        expected = np.where(more[:, terms].any(axis=0), best.argmax(axis=0), -1)
        np.testing.assert_array_equal(class_spoken_for(counts, terms, method), expected)


def test_some_classes_and_terms() -> None:
    counts = collection("counts")
    whole = {found.label: found for found in typical_terms(counts)}
    for k in (0, 1, 3):
        some = typical_terms(counts, k=k, classes=[5, 2])
        assert [found.label for found in some] == [5, 2]
        for found in some:
            assert len(found) == k
            np.testing.assert_array_equal(found.indices, whole[found.label].indices[:k])
            np.testing.assert_array_equal(found.scores, whole[found.label].scores[:k])
    assert typical_terms(counts, classes=[]) == []


def test_no_class_uses_a_term_more() -> None:
    counts = ts.count(np.array([[1, 3, 0], [2, 6, 0]]), ["a", "b"])  # the same shares
    assert [len(found) for found in typical_terms(counts)] == [0, 0]
    assert class_spoken_for(counts, np.arange(3)).tolist() == [-1, -1, -1]


def test_no_array_of_all_classes_and_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    n = 300
    X = sparse.random_array((n, 40_000), density=1e-3, rng=rng, format="csr")
    counts = ts.count(X.astype(bool), range(n))
    sizes = []
    scores = class_terms._core.class_scores

    def watched(*arguments: Any) -> Any:
        found = scores(*arguments)
        sizes.append(found.size)
        return found

    monkeypatch.setattr(class_terms._core, "class_scores", watched)
    monkeypatch.setattr(class_terms, "_CELLS", 2**16)
    found = typical_terms(counts, k=3)
    assert len(found) == n
    assert all(len(terms) == 3 for terms in found)
    assert len(sizes) > 10
    assert max(sizes) <= 2**16 + n  # and the column of the rest


def test_wrong_arguments() -> None:
    counts = collection("counts")
    with pytest.raises(ValueError, match="class 'x' is not among the classes"):
        typical_terms(counts, classes=["x"])
    with pytest.raises(ValueError, match="nonsense"):
        typical_terms(counts, "nonsense")
    with pytest.raises(TypeError, match="k must be an integer"):
        typical_terms(counts, k=1.5)  # type: ignore[arg-type]
    for classes in ("ab", 5):
        with pytest.raises(TypeError, match=f"classes must hold labels, got {classes!r}"):
            typical_terms(counts, classes=classes)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"classes hold \['x'\], which is no label"):
        typical_terms(counts, classes=[["x"]])  # type: ignore[list-item]


def test_the_largest_classes() -> None:
    counts = ts.count(np.ones((6, 1), dtype=int), list("abbccc"))
    assert largest_classes(counts, 2) == [2, 1]
    assert largest_classes(counts, 9) == [2, 1, 0]
