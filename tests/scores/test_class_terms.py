"""Distinctive terms and dominant classes, compared with manual results."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

import termsift as ts
from private import dominant_class, largest_classes, put
from termsift.reference.keyness import key_of
from wording import raises


def test_distinctive_terms_are_those_that_a_class_has_more_of() -> None:
    # Term 1 has a high score in class a because it does not occur there, so a must not list it.
    counts = ts.count(sparse.csr_array([[9, 0, 5], [1, 9, 5], [1, 9, 5]]), ["a", "b", "c"])
    rankings = ts.distinctive_terms(counts, "md")
    assert {c: found.indices.tolist() for c, found in rankings.items()} == {
        "a": [0, 2],
        "b": [1],
        "c": [1],
    }
    assert (rankings["a"].method, rankings["a"].model) == ("md", "multinomial")
    assert rankings["a"].terms.tolist() == [0, 2]
    counts.term_names = ["noon", "win", "the"]
    some = ts.distinctive_terms(counts, "md", 1, classes=["b", "a"], model="binary")
    assert {c: found.terms.tolist() for c, found in some.items()} == {"b": ["win"], "a": ["noon"]}
    assert some["a"].model == "binary"
    assert [len(found) for found in ts.distinctive_terms(counts, k=0).values()] == [0, 0, 0]
    with raises(TypeError, "classes_must_hold_labels_in", argument="classes"):
        ts.distinctive_terms(counts, classes=0)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["chi2", "g2", "ig", "bns", "md"])
def test_a_term_is_over_represented_by_what_its_method_reads(method: Any) -> None:
    # Term 0 is in most documents of class b, and nine times in one document of class a. By chi2,
    # the score of a is high because few of its documents contain the term. A bug once listed the
    # term under a, because a has the larger share of occurrences.
    X = [[9, 1], [0, 1], [0, 1], [0, 1], [1, 1], [1, 1], [1, 1], [1, 1]]
    counts = ts.count(np.array(X), list("aaaabbbb"))
    expected = "a" if method == "md" else "b"
    rankings = ts.distinctive_terms(counts, method)
    assert [label for label, found in rankings.items() if 0 in found.indices] == [expected]
    assert counts.classes[dominant_class(counts, np.array([0]), method)[0]] == expected


@given(
    arrays(np.int64, (9, 6), elements=st.integers(0, 2)),
    st.lists(st.sampled_from(["abc", "b"]), min_size=9, max_size=9),
)
def test_key_is_the_root_of_g2_times_the_certain_ratio(X: Any, labels: list[str]) -> None:
    # Each letter of a label is a class, so some documents have several classes.
    y = np.array([[letter in label for letter in "abc"] for label in labels])
    y[0], y[1], y[2] = [True, False, False], [False, True, True], [False, False, True]
    counts = ts.count(X, y)
    seen = int(np.count_nonzero(X.any(axis=0)))
    table = counts.columns("key")
    for c, i, score in zip(table["class"], table["index"], table["score"], strict=True):
        has, of_class = X[:, i] > 0, y[:, c]
        cells = [int(x.sum()) for x in (has & of_class, has & ~of_class, of_class, ~of_class)]
        assert score == pytest.approx(key_of(*cells, n_terms=seen), rel=1e-8, abs=1e-12)
    tests = counts.columns("g2")
    pairs = [list(zip(of["class"], of["index"], strict=True)) for of in (table, tests)]
    for name in ("log_pvalue", "pvalue_adj"):
        of_g2 = dict(zip(pairs[1], tests[name], strict=True))
        assert table[name].tolist() == [of_g2[pair] for pair in pairs[0]]


@pytest.fixture
def several() -> ts.ClassCounts:
    rng = np.random.default_rng(0)
    X = rng.poisson(0.4, (150, 40))
    X[:50, :5] += rng.poisson(0.9, (50, 5))
    return ts.count(X, np.repeat(["a", "b", "c"], 50))


@pytest.mark.parametrize("method", ["key", "g2", "chi2", "chi2_counts", "g2_counts"])
def test_a_ranking_knows_the_adjusted_pvalues_of_its_terms(
    several: ts.ClassCounts, method: Any
) -> None:
    test = "g2" if method == "key" else method
    expected = several.significance(test, per_class=True).pvalues_adj
    found = ts.distinctive_terms(several, method)
    several.update(np.ones((30, 40), dtype=int), ["a"] * 30)  # later than the list
    for row, ranking in enumerate(found.values()):
        values = expected[row, ranking.indices]
        assert ranking.pvalues_adj.tolist() == values.tolist()
        assert ranking[3:9:2].pvalues_adj.tolist() == values[3:9:2].tolist()
        assert ranking.columns()["pvalue_adj"].tolist() == values.tolist()
        copied = pickle.loads(pickle.dumps(ranking[1:]))
        assert copied.pvalues_adj.tolist() == values[1:].tolist()
    assert 0 < np.count_nonzero(expected < 0.05) < expected.size


def test_a_method_that_is_no_test_has_no_pvalues(several: ts.ClassCounts) -> None:
    ranking = ts.distinctive_terms(several, "md")["a"]
    assert ranking.pvalues_adj is None
    assert "pvalue_adj" not in ranking.columns()
    assert several.rank("g2").pvalues_adj is None
    assert "pvalue_adj" not in several.columns("md")


@pytest.mark.parametrize("method", ["key", "chi2", "chi2_counts", "md", "bns"])
@pytest.mark.parametrize("most_sorted", [1 << 24, 10])
def test_terms_that_are_not_significant_are_left_out(
    several: ts.ClassCounts, method: Any, most_sorted: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(monkeypatch, most_sorted=most_sorted)
    test = several.significance(method if "chi2" in method else "g2", per_class=True)
    adjusted = test.pvalues_adj if most_sorted > 10 else np.minimum(test.pvalues * 120, 1)
    found = ts.distinctive_terms(several, method, max_pvalue=0.05)
    table = several.columns(method, max_pvalue=0.05)
    for row, (label, whole) in enumerate(ts.distinctive_terms(several, method).items()):
        kept = [i for i in whole.indices if adjusted[row, i] <= 0.05]
        assert found[label].indices.tolist() == kept
        assert found[label].pvalues_adj == pytest.approx(adjusted[row, kept], rel=1e-12)
        assert table["index"][table["class"] == label].tolist() == kept
        first = ts.distinctive_terms(several, method, 2, max_pvalue=0.05)[label]
        assert first.indices.tolist() == kept[:2]  # the limit comes before k
    assert len(found["a"]) >= 2
    assert table["pvalue_adj"].max() <= 0.05


def test_wrong_limits_of_pvalues(several: ts.ClassCounts) -> None:
    for wrong in (-0.1, 1.5, float("nan")):
        with raises(ValueError, "max_pvalue_in_bounds", argument="max_pvalue"):
            ts.distinctive_terms(several, max_pvalue=wrong)
    with raises(TypeError, "max_pvalue_is_a_number", argument="max_pvalue"):
        several.to_frame(max_pvalue="small")  # type: ignore[arg-type]
    listed = ts.counts_from_table({"a": {"x": 20, "z": 5}, "b": {"x": 1, "y": 7}})
    # The p-values are those of g2, which counts documents.
    with raises(ValueError, "max_pvalue_needs_documents", argument="max_pvalue", at="class 'a'"):
        ts.distinctive_terms(listed, "log_ratio", max_pvalue=0.05)
    assert len(ts.distinctive_terms(listed, "g2_counts", max_pvalue=0.05)["a"]) == 1


def test_a_class_with_one_occurrence_and_no_document_has_its_term() -> None:
    listed = ts.counts_from_table({"a": {"x": 3, "y": 1}, "b": {"x": 1}})
    found = ts.distinctive_terms(listed, "log_odds")
    assert {label: list(terms.terms) for label, terms in found.items()} == {"a": ["y"], "b": ["x"]}
    assert listed.columns("log_odds")["class"].tolist() == ["a", "b"]


def test_a_frame_of_some_classes_has_rates(several: ts.ClassCounts) -> None:
    table = several.columns("chi2", 3, ["c", "a"])
    assert list(dict.fromkeys(table["class"])) == ["c", "a"]
    tokens = dict(zip(several.classes, several.class_tokens.tolist(), strict=True))
    for label, n, m, here, elsewhere in zip(
        *(table[name] for name in ("class", "n_class", "n_rest")),
        *(table[f"per_million_{where}"] for where in ("class", "rest")),
        strict=True,
    ):
        assert here == pytest.approx(1e6 * n / tokens[label])
        assert elsewhere == pytest.approx(1e6 * m / (sum(tokens.values()) - tokens[label]))
    # A document of two classes counts once.
    y = np.array([[1, 1], [1, 0], [0, 1]])
    both = ts.count(np.array([[3, 1], [4, 0], [0, 2]]), y).columns("md")
    first = [both[name][0] for name in ("n_class", "per_million_class", "per_million_rest")]
    assert first == pytest.approx([7, 7e6 / 8, 0])
    # No token is outside the class.
    alone = ts.count(np.array([[3, 1], [0, 0]]), ["a", "b"]).columns("jlh")
    assert alone["per_million_rest"].tolist() == [0, 0]


def test_key_is_no_method() -> None:
    counts = ts.count(np.eye(2, dtype=int), ["a", "b"])
    for ask in (counts.score, counts.rank, counts.class_scores):
        with raises(ValueError, "no_method_key_use_distinctive", argument="method"):
            ask("key")  # type: ignore[operator]
    with raises(ValueError, "no_such_method", argument="method"):
        ts.distinctive_terms(counts, np.array(["key", "g2"]))  # type: ignore[arg-type]
    for method in ts.methods()[:1]:  # a loop gives objects
        with raises(ValueError, "a_method_is_given_by", argument="method"):
            counts.score(method)  # type: ignore[arg-type]


def test_key_prefers_certain_effects_to_evidence_of_small_ones() -> None:
    # Term 0 is in all documents of class a and in half of class b. Term 1 is only in class a.
    X = np.repeat([[1, 0], [1, 1], [0, 0], [1, 0]], [550, 50, 600, 600], axis=0)
    counts = ts.count(X, np.repeat(["a", "a", "b", "b"], [550, 50, 600, 600]))
    assert ts.distinctive_terms(counts, "g2")["a"].indices.tolist() == [0, 1]
    assert ts.distinctive_terms(counts)["a"].indices.tolist() == [1, 0]
    # With four documents no effect is certain, so terms are sorted by the evidence.
    few = ts.count(np.array([[1, 1], [0, 1], [0, 0], [0, 0]]), list("aabb"))
    assert ts.distinctive_terms(few)["a"].indices.tolist() == [1, 0]


def test_no_term_is_over_represented() -> None:
    counts = ts.count(np.array([[1, 3, 0], [2, 6, 0]]), ["a", "b"])  # the same shares
    assert [len(found) for found in ts.distinctive_terms(counts, "md", alpha=0).values()] == [0, 0]
    assert dominant_class(counts, np.arange(3), "md", alpha=0).tolist() == [-1, -1, -1]
    # Smoothing changes p of a small class more, even for a term that is in no class.
    rankings = ts.distinctive_terms(counts, "md").values()
    assert [found.indices.tolist() for found in rankings] == [[0], [1]]
    assert dominant_class(counts, np.arange(3), "md").tolist() == [0, 1, -1]


def test_no_array_of_all_classes_and_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    n = 300
    X = sparse.random_array((n, 40_000), density=1e-3, random_state=rng, format="csr")
    counts = ts.count(X.astype(bool), range(n))
    for name in ("class_scores", "class_directions"):
        monkeypatch.delattr(ts._core, name)
    assert [len(found) for found in ts.distinctive_terms(counts, k=3).values()] == [3] * n
    assert len(counts.columns("ig", k=3)["index"]) == 3 * n


def test_the_largest_classes() -> None:
    counts = ts.count(np.ones((6, 1), dtype=int), list("abbccc"))
    assert largest_classes(counts, 2) == [2, 1]
    assert largest_classes(counts, 9) == [2, 1, 0]
