"""Show terms: the leading terms of each class, their passages, and the best terms of all."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeAlias
from xml.etree.ElementTree import Element

import numpy as np

from termsift._counts.class_counts import ClassCounts
from termsift._scores.class_terms import dominant_class
from termsift._scores.methods import MethodName
from termsift._scores.ranking import Ranking
from termsift._util.html import element, name, number, table
from termsift.text._passages import Passage, Passages

BEST = 500

# Where the passages of a class's term stand in the page, by class and term.
Anchors: TypeAlias = "Mapping[tuple[int, int], str]"


def anchors_of(
    counts: ClassCounts,
    listed: Sequence[int],
    found: Mapping[Hashable, Ranking],
    passages: Passages,
) -> Anchors:
    """Return where the passages of the terms stand; a term without passages is left out."""
    if counts.term_names is None:
        return {}
    return {
        (c, term): f"context-{place}-{rank}"
        for place, (c, (label, ranking)) in enumerate(zip(listed, found.items(), strict=True), 1)
        for rank, term in enumerate(ranking.indices.tolist(), 1)
        if passages.get(label, {}).get(counts.term_names[term])
    }


def class_cards(
    counts: ClassCounts,
    listed: Sequence[int],
    found: Mapping[Hashable, Ranking],
    passages: Passages,
    anchors: Anchors,
) -> tuple[Element, str]:
    """Return a card for each of the listed classes, and how many others there are."""
    made = (
        _card(counts, c, ranking, passages.get(label, {}), anchors)
        for c, (label, ranking) in zip(listed, found.items(), strict=True)
    )
    cards = element("div", *made, class_="cards")
    n_hidden = counts.n_classes - len(listed)
    if not n_hidden:
        return cards, ""
    docs = counts.class_docs.sum() - counts.class_docs[list(listed)].sum()
    hidden = f"{number(n_hidden)} smaller or equal classes with {number(docs)} documents are not"
    return cards, f"{hidden} listed. All classes take part in the scores."


def _card(
    counts: ClassCounts,
    c: int,
    found: Ranking,
    passages: Mapping[str, Sequence[Passage]],
    anchors: Anchors,
) -> Element:
    docs, share = counts.class_docs[c], counts.class_docs[c] / counts.n_docs
    size = f"documents: {number(docs)} ({share:.1%}), tokens: {number(counts.class_tokens[c])}"
    best = found.scores[np.isfinite(found.scores)].max(initial=0.0)
    label, occurs = counts.classes[c], counts.term_frequency[[c]].toarray()[0, found.indices]
    rest = counts.collection_term_frequency[found.indices] - occurs
    parts = (found.indices, found.scores, occurs, rest)
    rows = [
        (
            _term(counts, i, anchors.get((c, i)), _bar(score, best)),
            _shown(score),
            number(here),
            number(elsewhere),
        )
        for i, score, here, elsewhere in zip(*(part.tolist() for part in parts), strict=True)
    ]
    columns = {"term": "name", "score": "number", "here": "number", "elsewhere": "number"}
    caption = element("span", "Leading terms of ", name(label))
    return element(
        "article",
        element("h3", name(label)),
        element("p", size, class_="soft"),
        table(caption, columns, rows) if rows else element("p", "No term is distinctive."),
        *_in_context(counts, c, found, passages, anchors),
        class_="sheet",
    )


def _in_context(
    counts: ClassCounts,
    c: int,
    found: Ranking,
    passages: Mapping[str, Sequence[Passage]],
    anchors: Anchors,
) -> list[Element]:
    """Return the passages of a class's terms; a browser opens them if a link leads there."""
    shown = []
    for term in found.indices.tolist():
        anchor, names = anchors.get((c, term)), counts.term_names
        if anchor is None or names is None:
            continue
        shown.append(element("dt", name(names[term]), id=anchor))
        for before, match, after, _ in passages[names[term]]:
            text = element("bdi", f"{before} ", element("mark", match), f" {after}")
            shown.append(element("dd", text))
    if not shown:
        return []
    return [element("details", element("summary", "In context"), element("dl", *shown))]


def _shown(score: float) -> str:
    """Return a score with three digits or more, without an exponent that a reader must expand."""
    return number(score, ",.0f" if 1000 <= abs(score) < math.inf else ".3g")


def _bar(score: float, best: float) -> Element:
    """Return the bar of a score: empty below 0, full if infinite."""
    part = 1.0 if score == math.inf else max(0.0, score / best) if best > 0 else 0.0
    return element("span", class_="bar", style=f"width:{100 * part:.1f}%")


def best_terms(
    counts: ClassCounts, method: MethodName, anchors: Anchors, n_threads: int | None
) -> Element:
    """Return a table of the best terms."""
    ranking = counts.rank(method, BEST, n_threads=n_threads)
    dominant = dominant_class(counts, ranking.indices, method, n_threads=n_threads)
    columns_of = (ranking.indices.tolist(), ranking.scores.tolist(), dominant.tolist())
    occurrences = counts.collection_term_frequency
    documents = counts.collection_document_frequency
    rows = (
        (
            number(rank),
            _term(counts, i, anchors.get((c, i))),
            _shown(score),
            number(occurrences[i]),
            number(documents[i]),
            name(counts.classes[c]) if c >= 0 else "\N{EN DASH}",
        )
        for rank, (i, score, c) in enumerate(zip(*columns_of, strict=True), start=1)
    )
    columns = {"rank": "number", "term": "name", "score": "number", "occurrences": "number"}
    columns |= {"documents": "number", "dominant class": "text"}
    return table("The best terms, by score", columns, rows)


def _term(counts: ClassCounts, index: int, anchor: str | None, *bar: Any) -> Element:
    """Return the name of a term, or its column if the names are unknown; a link to passages."""
    names = counts.term_names
    shown = name(index if names is None else names[index])
    if anchor is not None:
        shown = element("a", shown, href=f"#{anchor}")
    return element("span", shown, *bar)
