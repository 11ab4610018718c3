"""Show counts, rankings and curves in a notebook as short tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from termsift._api.class_counts import ClassCounts
from termsift._evaluate.curve import Curve
from termsift._scores.class_terms import largest_classes
from termsift._scores.ranking import Ranking
from termsift.report._html import Child, element, name, number, render, table

_ROWS = 10


def show_counts(counts: ClassCounts) -> str:
    """Return a table of the largest classes as HTML."""
    columns = [("class", "name"), ("documents", "number"), ("tokens", "number")]
    classes, docs, tokens = counts.classes, counts.class_docs, counts.class_tokens
    rows = [
        (name(classes[c]), number(docs[c]), number(tokens[c]))
        for c in largest_classes(counts, _ROWS)
    ]
    return _shown(counts, columns, rows, len(classes), "classes")


def show_ranking(ranking: Ranking) -> str:
    """Return a table of the first terms as HTML."""
    columns = [("rank", "number"), ("index", "number"), ("score", "number")]
    first = ranking.indices[:_ROWS].tolist(), ranking.scores[:_ROWS].tolist()
    rows: list[list[Child]] = [
        [str(rank), str(index), f"{score:.6g}"]
        for rank, (index, score) in enumerate(zip(*first, strict=True), start=1)
    ]
    if ranking.terms is not None:
        columns.insert(1, ("term", "name"))
        for row, term in zip(rows, ranking.terms, strict=False):
            row.insert(1, name(term))
    return _shown(ranking, columns, rows, len(ranking), "terms")


def show_curve(curve: Curve) -> str:
    """Return a table of the accuracy at some numbers of terms as HTML."""
    columns = [("terms", "number"), ("accuracy", "number")]
    some = np.unique(np.geomspace(1, max(len(curve), 1), _ROWS).round().astype(int) - 1)
    some = some[: len(curve)]  # none of an empty one
    cells = [[number(k) for k in curve.ks[some]], [f"{x:.4f}" for x in curve.accuracy[some]]]
    if curve.n_runs > 1:
        columns.append(("standard error", "number"))
        cells.append([f"{error:.4f}" for error in curve.standard_error("accuracy")[some]])
    rows = list(zip(*cells, strict=True))
    return _shown(curve, columns, rows, len(curve), "numbers of terms")


def _shown(
    shown: object,
    columns: Sequence[tuple[str, str]],
    rows: Sequence[Sequence[Child]],
    n_rows: int,
    what: str,
) -> str:
    made = [table(repr(shown).strip("<>"), columns, rows)]
    if n_rows > len(rows):
        made.append(element("p", f"{number(len(rows))} of {number(n_rows)} {what}"))
    return render(element("div", *made))
