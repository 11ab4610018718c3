"""The sections of the page: leading terms of classes, a chart of two classes, and the best terms.

A script of this package draws the chart. The page contains the hash of the script, so that browsers
run no other script. An element holds the data as JSON, in which characters that could end the
element are escaped.
"""

from __future__ import annotations

import json
import math
from base64 import b64encode
from collections.abc import Hashable, Mapping, Sequence
from hashlib import sha256
from importlib import resources
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from termsift._counts.counts import Counts
from termsift._evaluate.stability import Stability
from termsift._rank import rank
from termsift._scores.class_terms import dominant_class, tokens_here_and_elsewhere
from termsift._scores.methods import MethodName
from termsift._scores.ranking import SIGNIFICANT, Ranking
from termsift._util.html import Child, clean, cut, element, name, number, table
from termsift.text._passages import Passage, Passages

BEST = 500  # The number of best terms.
_TERMS = 1200  # The number of terms in the chart.
_DISTINCTIVE = 600  # The number of distinctive terms in the chart; the other terms are frequent.
_OTHERS = "-1"  # The value of the HTML option "all other classes".


def class_cards(
    counts: Counts,
    listed: Sequence[int],
    leading: Mapping[Hashable, Ranking],
    passages: Passages,
) -> tuple[Element, str]:
    """Return a card for each of the listed classes, and a sentence about the other classes."""
    frequency, whole = counts.term_frequency[list(listed)], counts.collection_term_frequency
    # All bars have one scale, so that a long bar means a distinctive term in every card.
    scores = np.concatenate([ranking.scores for ranking in leading.values()])
    best = scores[np.isfinite(scores)].max(initial=0.0)
    tokens, made = tokens_here_and_elsewhere(counts), []
    for i, (c, (label, terms)) in enumerate(zip(listed, leading.items(), strict=True)):
        here, found = frequency[[i]].toarray()[0], passages.get(label, {})
        made.append(_card(counts, c, terms, found, here, whole, tokens[:, c], best))
    cards = element("div", *made, class_="cards")
    n_hidden = counts.n_classes - len(listed)
    if not n_hidden:
        return cards, ""
    docs = counts.class_docs.sum() - counts.class_docs[list(listed)].sum()
    hidden = f"Classes that are not listed: {number(n_hidden)}, with {number(docs)} documents."
    return cards, f"{hidden} The scores are computed from all classes."


def _card(
    counts: Counts,
    c: int,
    leading: Ranking,
    passages: Mapping[str, Sequence[Passage]],
    frequency: NDArray[Any],
    whole: NDArray[Any],
    sizes: NDArray[np.float64],
    best: float,
) -> Element:
    """Return the card of class c. ``frequency`` counts terms in c, and ``whole`` in all classes.

    ``sizes`` holds the tokens in c and elsewhere. A bar of full length stands for the score
    ``best``.
    """
    docs, share = counts.class_docs[c], counts.class_docs[c] / counts.n_docs
    size = f"documents: {number(docs)} ({share:.1%}), tokens: {number(counts.class_tokens[c])}"
    label, indices = counts.classes[c], leading.indices
    occurs = frequency[indices]
    pvalues = leading.pvalues_adj
    doubtful = np.zeros(len(indices), bool) if pvalues is None else pvalues > SIGNIFICANT
    parts = (indices, leading.scores, occurs, whole[indices] - occurs, doubtful)
    rows: list[Sequence[Child]] = []
    for i, score, *occurrences, doubt in zip(*(part.tolist() for part in parts), strict=True):
        mark = [" ", element("small", "not significant")] if doubt else []
        rates = [
            _over(number(n), _shown(1e6 * n / size))
            for n, size in zip(occurrences, sizes.tolist(), strict=True)
        ]
        rows.append((_term(counts, i, *mark, _bar(score, best)), _shown(score), *rates))
    columns: list[tuple[Child, str]] = [("term", "name"), ("score", "number")]
    columns += [(_over(where, "per million"), "number") for where in ("here", "elsewhere")]
    caption = element("span", "Leading terms of ", name(label))
    return element(
        "article",
        element("h3", name(label)),
        element("p", size, class_="soft"),
        table(caption, columns, rows) if rows else element("p", "No term is distinctive."),
        *_in_context(passages),
        class_="sheet",
    )


def _over(above: str, below: str) -> Element:
    """Return a cell of two lines."""
    return element("span", above, " ", element("small", below))


def _in_context(passages: Mapping[str, Sequence[Passage]]) -> list[Element]:
    """Return a collapsible HTML element with the passages of a class's terms."""
    shown = []
    for term, of_term in passages.items():
        shown += [element("dt", name(term))] * bool(of_term)
        for before, match, after, _ in of_term:
            text = element("bdi", before, element("mark", match), after)
            shown.append(element("dd", text))
    if not shown:
        return []
    return [element("details", element("summary", "In context"), element("dl", *shown))]


def scatter(
    counts: Counts, listed: Sequence[int], method: MethodName, n_threads: int | None
) -> dict[str, Child]:
    """Return the parts of the chart: the choices of classes, the data and the script."""
    labels = [cut(clean(counts.classes[c])) for c in listed]
    ours, theirs = (
        [element("option", label, value=str(i)) for i, label in enumerate(labels)] for _ in "ab"
    )
    if counts.n_classes == 2:
        theirs.reverse()  # browsers select the first option
    else:
        theirs.insert(0, element("option", "all other classes", value=_OTHERS))
    names, whole, tokens = counts.term_names, counts.collection_term_frequency, counts.class_tokens
    ranking = rank(counts, method, _DISTINCTIVE, policy="round_robin", n_threads=n_threads)
    frequent = np.argsort(-whole, kind="stable")[:_TERMS]
    others = frequent[~np.isin(frequent, ranking.indices)]
    terms = np.concatenate([ranking.indices, others])[:_TERMS]
    frequency = counts.term_frequency[np.array(listed, dtype=np.int64)][:, terms].toarray()
    data = {
        "terms": [cut(clean(i if names is None else names[i])) for i in terms.tolist()],
        "classes": [
            {"name": label, "tokens": tokens[c].item(), "counts": row.tolist()}
            for c, label, row in zip(listed, labels, frequency, strict=True)
        ],
        "all": {"tokens": whole.sum().item(), "counts": whole[terms].tolist()},
    }
    text = json.dumps(data, separators=(",", ":"))
    for character in "<>&":  # these characters could end the element or begin another element
        text = text.replace(character, f"\\u{ord(character):04x}")
    script = resources.files("termsift.report").joinpath("scatter.js").read_text("utf-8")
    return {
        "ours": element("select", *ours, id="ours"),
        "theirs": element("select", *theirs, id="theirs"),
        "frequencies": element("script", text, id="frequencies", type="application/json"),
        "script": element("script", script),
        "script_hash": f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'",
    }


def best_terms(
    counts: Counts,
    ranking: Ranking,
    method: MethodName,
    stability: Stability | None,
    n_threads: int | None,
) -> Element:
    """Return a table of the best terms."""
    dominant = dominant_class(counts, ranking.indices, method, n_threads=n_threads)
    columns_of = (ranking.indices.tolist(), ranking.scores.tolist(), dominant.tolist())
    occurrences = counts.collection_term_frequency
    documents = counts.collection_document_frequency
    sure = [] if stability is None else stability.probabilities[ranking.indices].tolist()
    rows = (
        (
            number(rank),
            _term(counts, i),
            _shown(score),
            number(occurrences[i]),
            number(documents[i]),
            name(counts.classes[c]) if c >= 0 else "\N{EN DASH}",
            *(number(p, ".2f") for p in sure[rank - 1 : rank]),
        )
        for rank, (i, score, c) in enumerate(zip(*columns_of, strict=True), start=1)
    )
    columns: list[tuple[Child, str]] = [("rank", "number"), ("term", "name")]
    columns += [("score", "number"), ("occurrences", "number")]
    columns += [("documents", "number"), ("dominant class", "text")]
    columns += [("probability", "number")] * (stability is not None)
    return table("The best terms, by score", columns, rows)


def _term(counts: Counts, index: int, *bar: Any) -> Element:
    """Return the name of a term, or the index of the term if the names are unknown."""
    names = counts.term_names
    return element("span", name(index if names is None else names[index]), *bar)


def _shown(score: float) -> str:
    """Return a score with three digits. A score of 1,000 or more is rounded to an integer."""
    return number(score, ",.0f" if 1000 <= abs(score) < math.inf else ".3g")


def _bar(score: float, best: float) -> Element:
    """Return the bar of a score: empty for a score below 0, and full for an infinite score."""
    part = 1.0 if score == math.inf else max(0.0, score / best) if best > 0 else 0.0
    return element("span", class_="bar", style=f"width:{100 * part:.1f}%")
