"""The text and HTML forms of counts, rankings and curves."""

from __future__ import annotations

from io import StringIO

import numpy as np
import pytest

import termsift as ts
from private import html, write_csv
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
        write_csv(page, counts.columns("chi2"))
        write_csv(page, counts.keyness("a", "b").columns())
        pages.append(page.getvalue())
    assert pages[0] == pages[1] == pages[2]
    assert " 12,345,678 " in pages[0]
    halves = ts.count(X / 2, ["a", "b", "b"], sample_weight=[0.5, 1, 1])
    assert repr(halves).startswith("<ClassCounts of 2.5 documents: ")
    assert halves.columns("chi2")["n_class"].tolist() == [5000, 0.25]


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


def test_print_says_how_many_rows_it_leaves_out(counts: ts.ClassCounts) -> None:
    ranking = counts.rank("md")
    assert str(ranking[:11]).endswith("\n... 1 more")
    assert Page(ranking[:11]._repr_html_()).text().endswith("1 more")
    assert "more" not in str(ranking[:10])
