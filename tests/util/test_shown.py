"""The text and HTML forms of counts, rankings and curves."""

from __future__ import annotations

from io import StringIO

import numpy as np
import pytest

import termsift as ts
from private import class_columns, html, write_csv
from report_pages import HOSTILE, Page


@pytest.fixture
def counts() -> ts.ClassCounts:
    X = np.random.default_rng(0).poisson(0.5, (60, 20))
    counts = ts.count(X, np.arange(60) % 12)
    counts.term_names = [*HOSTILE, *(f"term {i}" for i in range(20 - len(HOSTILE)))]
    return counts


def test_whole_counts_of_floats_are_shown_as_whole() -> None:
    X = np.array([[20_000, 1], [3, 0], [0, 12_345_678]])
    pages = []
    for dtype in (np.int64, np.float32, np.float64):
        counts = ts.count(X.astype(dtype), ["a", "b", "b"], term_names=["eggs", "pills"])
        page = StringIO(repr(counts).replace("float", "exact"))
        print(counts.keyness("a", "b"), file=page)
        write_csv(page, class_columns(counts, "chi2"))
        write_csv(page, counts.keyness("a", "b").columns())
        pages.append(page.getvalue())
    assert pages[0] == pages[1] == pages[2]
    assert " 12,345,678 " in pages[0]
    halves = ts.count(X / 2, ["a", "b", "b"], sample_weight=[0.5, 1, 1])
    assert repr(halves).startswith("<ClassCounts of 2.5 documents: ")
    assert class_columns(halves, "chi2")["n_class"].tolist() == [5000, 0.25]


def test_a_representation_is_short_and_printable(counts: ts.ClassCounts) -> None:
    counts.term_names = ["\x1b[2J", "two\nlines", "y" * 5000] * 6 + ["a", "b"]
    shown = repr(counts.rank("md"))
    assert len(shown) < 250
    assert shown.isprintable()


def test_trees_are_written_as_html() -> None:
    made = html.element("p", "a < b", html.element("br"), "&", class_="x", id=None)
    assert html.render(made) == '<p class="x">a &lt; b<br>&amp;</p>'
    quoted = html.render(html.element("p", title="\"'<&>\n"))
    assert Page(quoted).all("p") == [{"title": "\"'<&>\n"}]
    assert html.number(-1.5) == "\N{MINUS SIGN}1.50"
    assert html.number(float("-inf")) == "\N{MINUS SIGN}∞"
    assert html.number(np.int64(2**53)) == "9,007,199,254,740,992"
    with pytest.raises(ValueError, match="zip"):
        html.table("a", [("b", "text")], [["c", "d"]])


# ---- a ranking as a sequence ---------------------------------------------------------------------


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
        with pytest.raises(IndexError, match=rf"{place} is out of bounds .* 20"):
            ranking[place]
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
