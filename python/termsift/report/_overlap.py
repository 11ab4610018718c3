"""Show how classes resemble one another: the terms they share, and how often they are confused."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from termsift._counts.class_counts import ClassCounts
from termsift._util.html import Child, element, name, number, table

COMPARED = 12  # classes beside one another; more would not fit
_MISTAKES = 15


def overlap_table(counts: ClassCounts, listed: Sequence[int]) -> Element:
    """Return a table of the terms that pairs of classes share."""
    frequency = counts.term_frequency
    classes_of_term = np.bincount(frequency.indices[frequency.data > 0], minlength=counts.n_terms)
    rows = frequency[np.array(listed, dtype=np.int64)]
    occurs = (rows > 0).astype(np.int64)
    shared = (occurs @ occurs.T).toarray()
    sizes = np.diagonal(shared)
    alone = (occurs @ (classes_of_term == 1).astype(np.int64)).tolist()
    either = sizes[:, None] + sizes - shared
    overlap = np.divide(shared, either, out=np.zeros(shared.shape), where=either > 0)
    columns: dict[str, list[Child]] = {
        "terms": [number(size) for size in sizes.tolist()],
        "only here": [number(n) for n in alone],
    }
    between = overlap[~np.eye(len(listed), dtype=bool)]
    shades = overlap / (between.max(initial=0) or 1.0)
    np.fill_diagonal(shades, np.nan)
    caption = "Share of the terms of two classes that occur in both"
    return _matrix(caption, counts, listed, columns, overlap, shades)


def confusion_table(
    counts: ClassCounts, listed: Sequence[int], predicted: NDArray[np.int64]
) -> Element:
    """Return a table of what is predicted for the documents of each class.

    ``predicted``, of shape (n_listed, n_classes), holds numbers of documents.
    """
    n_docs = predicted.sum(axis=1)
    shares = predicted / np.maximum(n_docs, 1)[:, None]
    own = shares[:, list(listed)]
    columns: dict[str, list[Child]] = {"documents": [number(n) for n in n_docs.tolist()]}
    if counts.n_classes > len(listed):
        others = (n_docs - predicted[:, list(listed)].sum(axis=1)) / np.maximum(n_docs, 1)
        columns["other classes"] = [_share(x) for x in others.tolist()]
    return _matrix("Share of the documents", counts, listed, columns, own, own)


def mistakes_table(
    counts: ClassCounts, listed: Sequence[int], predicted: NDArray[np.int64]
) -> Element:
    """Return a table of the classes that are confused most often."""
    wrong = predicted.copy()
    wrong[np.arange(len(listed)), list(listed)] = 0
    most = np.argsort(-wrong, axis=None, kind="stable")[:_MISTAKES]
    rows = [
        (
            element("span", name(counts.classes[listed[row]])),
            element("span", name(counts.classes[column])),
            number(wrong[row, column]),
            f"{wrong[row, column] / predicted[row].sum():.1%}",
        )
        for row, column in zip(*np.unravel_index(most, wrong.shape), strict=True)
        if wrong[row, column]
    ]
    columns = {"class": "name", "predicted": "text", "documents": "number", "share": "number"}
    return table("The most frequent mistakes", columns, rows)


def _share(value: float) -> str:
    """Return a share as a percentage that is 0 only if the share is."""
    return "<1%" if 0 < value < 0.005 else f"{value:.0%}"


def _matrix(
    caption: str,
    counts: ClassCounts,
    listed: Sequence[int],
    columns: dict[str, list[Child]],
    values: NDArray[np.float64],
    shades: NDArray[np.float64],
) -> Element:
    """Return a table with a row for each class, and a column for each after some others.

    Where ``shades`` is NaN there is no value.
    """
    rows = []
    for i, c in enumerate(listed):
        label = element("span", name(counts.classes[c]))
        cells: list[Child] = [str(i + 1), label, *(column[i] for column in columns.values())]
        for value, shade in zip(values[i].tolist(), shades[i].tolist(), strict=True):
            is_known = shade == shade
            shown = _share(value) if is_known else "\N{EN DASH}"
            style = f"--share:{shade:.3f}" if is_known else None
            cells.append(element("span", shown, class_="shade", style=style))
        rows.append(cells)
    kinds = {"no.": "number", "class": "name"} | dict.fromkeys(columns, "number")
    kinds |= {str(i + 1): "number" for i in range(len(listed))}
    return table(caption, kinds, rows)
