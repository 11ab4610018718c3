"""Counts of the core with other rows or columns."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from termsift import _core


def of_collection(
    counts: _core.Counts, frequency: Literal["term_frequency", "document_frequency"]
) -> NDArray[Any]:
    """Return a frequency of each term in the collection, where a document counts once."""
    data, terms, _ = getattr(counts.as_one_class(), frequency)()
    dense = np.zeros(counts.n_terms, dtype=data.dtype)
    dense[terms] = data
    return dense


def of_classes(counts: _core.Counts, groups: list[list[int]]) -> _core.Counts:
    """Return the counts of groups of classes, each of which becomes one class.

    ``groups`` has the rows of the classes of each group; no row occurs twice.
    """
    if counts.to_arrays()["has_collection"]:
        raise ValueError(
            "documents have several classes, and counts do not hold which of them two classes "
            "share: count the documents of these classes instead"
        )
    # The groups of one class at once, and then each larger group.
    result = counts.with_classes([rows[0] if len(rows) == 1 else -1 for rows in groups])
    for place, rows in enumerate(groups):
        if len(rows) > 1:
            merged = counts.with_classes(rows).as_one_class()
            in_place = [0 if i == place else -1 for i in range(len(groups))]
            result = result.merge(merged.with_classes(in_place))
    held = result.to_arrays()
    held["n_docs"] = held["class_docs"].sum().item()  # all others are left out
    return _core.Counts.from_arrays(**held)


def in_columns(counts: _core.Counts, new_column: NDArray[np.int64], n_terms: int) -> _core.Counts:
    """Return the counts with each term in its new column; -1 leaves the term out.

    Takes 40 bytes of temporary memory for each pair of a class and a term.
    """
    held: dict[str, Any] = {**counts.to_arrays(), "n_terms": n_terms}
    columns = new_column[held["terms"]]
    kept = columns >= 0
    n_rows = len(held["indptr"]) - 1
    rows = np.repeat(np.arange(n_rows, dtype=np.int32), np.diff(held["indptr"]))[kept]
    columns = columns[kept].astype(np.int32)
    order: Any = slice(None)
    if (np.diff(new_column[new_column >= 0]) < 0).any():
        order = np.lexsort((columns, rows))
    sizes = np.bincount(rows, minlength=n_rows)
    held["indptr"] = np.append(0, np.cumsum(sizes, dtype=np.int64))
    held["terms"] = np.ascontiguousarray(columns[order])
    for name in ("term_frequency", "document_frequency"):
        held[name] = np.ascontiguousarray(held[name][kept][order])
    return _core.Counts.from_arrays(**held)
