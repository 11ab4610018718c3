"""A ranking is a sequence of terms with scores, and prints its first terms."""

from __future__ import annotations

import numpy as np
import pytest

import termsift as ts


@pytest.fixture
def counts() -> ts.ClassCounts:
    X = np.random.default_rng(0).poisson(0.5, (60, 20))
    names = [f"term {i}" for i in range(20)]
    return ts.count(X, np.arange(60) % 12, term_names=names)


@pytest.mark.parametrize("named", [True, False])
def test_a_ranking_is_a_sequence_of_terms_and_scores(counts: ts.ClassCounts, named: bool) -> None:
    if not named:
        counts.term_names = None
    ranking = counts.rank("md")
    terms = ranking.terms
    pairs = list(zip(terms.tolist(), ranking.scores.tolist(), strict=True))
    assert list(ranking) == pairs
    assert [ranking[place] for place in range(-20, 20)] == pairs + pairs
    assert ranking[np.int64(3)] == pairs[3]
    for place in (slice(5), slice(-3, None), slice(None, None, -2), slice(4, 4)):
        part = ranking[place]
        assert isinstance(part, ts.Ranking)
        assert list(part) == pairs[place]
        assert part.method == "md"
    for place in (20, -21):
        with pytest.raises(IndexError, match="is out of bounds") as caught:
            ranking[place]
        assert f"index {place} " in str(caught.value)
    with pytest.raises(TypeError):
        ranking["md"]  # type: ignore[call-overload]


def test_a_slice_knows_how_many_of_its_terms_are_informative() -> None:
    X = np.array([[3, 0, 1, 1, 2], [0, 2, 1, 1, 2]])
    ranking = ts.count(X, [0, 1]).greedy()
    assert ranking.informative == 2
    assert [ranking[:k].informative for k in range(4)] == [0, 1, 2, 2]
    assert ranking[1:].informative == 1
    assert ranking[3:].informative == 0
    assert ranking[::-1].informative is None


def test_print_shows_the_first_terms_with_their_scores(counts: ts.ClassCounts) -> None:
    ranking = counts.rank("md")
    title, head, *lines, more = str(ranking).splitlines()
    assert title == "<Ranking of 20 terms by md>"
    assert head.split() == ["rank", "term", "score"]
    assert more == "... 10 more"
    assert [line.split()[0] for line in lines] == [str(rank) for rank in range(1, 11)]
    assert [line.split()[-1] for line in lines] == [f"{x:.6g}" for x in ranking.scores[:10]]
    assert str(ranking[:0]).splitlines() == ["<Ranking of 0 terms by md>", "rank  term  score"]
    assert len(str(ranking[:10]).splitlines()) == 12


def test_round_robin_says_which_class_chose_a_term() -> None:
    X = np.array([[4, 1, 0, 2], [0, 1, 2, 0], [0, 3, 0, 1]])
    counts = ts.count(X, ["ham", "spam", "eggs"], term_names=["bacon", "and", "pills", "free"])
    ranking = counts.rank("chi2", policy="round_robin")
    by_class = counts.class_scores("chi2")
    for index, score, label in zip(
        *map(list, (ranking.indices, ranking.scores, ranking.chosen_by)), strict=True
    ):
        assert by_class[counts.classes.index(label), index] == score
    assert list(ranking.columns()) == ["rank", "term", "index", "score", "class"]
    assert ranking[1:3].chosen_by.tolist() == ranking.chosen_by[1:3].tolist()
    line = str(ranking).splitlines()[2].split()
    assert line[1] == ranking.terms[0]
    assert line[-1] == ranking.chosen_by[0]
    assert counts.rank("chi2").chosen_by is None


def test_print_shows_pvalues_and_counts_those_that_are_not_significant() -> None:
    # "bacon" is in every document of ham alone, and "and" in 23 documents of ham and 20 of spam.
    X = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], [23, 17, 20, 20], axis=0)
    counts = ts.count(X, ["ham"] * 40 + ["spam"] * 40, term_names=["bacon", "and"])
    ranking = ts.distinctive_terms(counts, "chi2")["ham"]
    expected = counts.significance("chi2", per_class=True).pvalues_adj[0].tolist()
    _, head, *lines, note = str(ranking).splitlines()
    assert head.split() == ["rank", "term", "score", "pvalue_adj"]
    rows = [line.split() for line in lines]
    assert [(row[1], row[-1]) for row in rows] == [
        ("bacon", f"{expected[0]:.2g}"),
        ("and", f"{expected[1]:.2g}"),
    ]
    assert note == "Terms whose pvalue_adj is above 0.05, so not significant: 1."
    assert "not significant" not in str(ranking[:1])
