"""Show counts, rankings and curves in a notebook as short tables."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from termsift._counts.class_counts import ClassCounts
from termsift._evaluate.curve import Curve
from termsift._scores.class_terms import largest_classes
from termsift._scores.ranking import Ranking
from termsift.report._curve import curve_table
from termsift.report._html import Child, element, name, number, render, table

_ROWS = 10


def show_counts(counts: ClassCounts) -> str:
    """Return a table of the largest classes as HTML."""
    columns = {"class": "name", "documents": "number", "tokens": "number"}
    classes, docs, tokens = counts.classes, counts.class_docs, counts.class_tokens
    rows = [
        (name(classes[c]), number(docs[c]), number(tokens[c]))
        for c in largest_classes(counts, _ROWS)
    ]
    return _shown(table(_caption(counts), columns, rows), len(classes), "classes")


def show_ranking(ranking: Ranking) -> str:
    """Return a table of the first terms as HTML."""
    names = ranking.terms
    columns = {"rank": "number"} | ({} if names is None else {"term": "name"})
    columns |= {"index": "number", "score": "number"}
    columns |= {} if ranking.chosen_by is None else {"class": "name"}
    first = ranking.indices[:_ROWS].tolist(), ranking.scores[:_ROWS].tolist()
    rows: list[list[Child]] = []
    for place, (index, score) in enumerate(zip(*first, strict=True)):
        term = [] if names is None else [name(names[place])]
        label = [] if ranking.chosen_by is None else [name(ranking.chosen_by[place])]
        rows.append([str(place + 1), *term, str(index), f"{score:.6g}", *label])
    return _shown(table(_caption(ranking), columns, rows), len(ranking), "terms")


def show_curve(curve: Curve) -> str:
    """Return a table of the accuracy at some numbers of terms as HTML."""
    return _shown(curve_table(_caption(curve), curve), len(curve), "numbers of terms")


def _caption(shown: object) -> str:
    return repr(shown).strip("<>")


def _shown(made: Element, n_rows: int, what: str) -> str:
    parts = [made]
    n_shown = len(made.findall("tbody/tr"))
    if n_rows > n_shown:
        parts.append(element("p", f"{number(n_shown)} of {number(n_rows)} {what}"))
    return render(element("div", *parts))
