"""Counts of the core with other rows or columns."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from termsift import _core

_FREQUENCIES = ("term_frequency", "document_frequency")


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
    held = counts.to_arrays()
    if held["has_collection"]:
        raise ValueError(
            "documents have several classes, and counts do not hold which of them two classes "
            "share: count the documents of these classes instead"
        )
    parts = [_of_rows(held, rows) for rows in groups]
    parts = [
        part if len(rows) == 1 else _from_parts(held, [part]).as_one_class().to_arrays()
        for part, rows in zip(parts, groups, strict=True)
    ]
    return _from_parts(held, parts)


def _of_rows(held: _core.CountArrays, rows: list[int]) -> Any:
    """Return the arrays of some classes."""
    ends = [(held["indptr"][row], held["indptr"][row + 1]) for row in rows]
    part: dict[str, Any] = {
        name: np.concatenate([held[name][a:b] for a, b in ends])  # type: ignore[literal-required]
        for name in ("terms", *_FREQUENCIES)
    }
    part["indptr"] = np.append(0, np.cumsum([b - a for a, b in ends], dtype=np.int64))
    return part | {"class_docs": held["class_docs"][rows]}


def _from_parts(held: _core.CountArrays, parts: list[Any]) -> _core.Counts:
    """Return the counts of the classes of all parts, one part after another."""
    joined: dict[str, Any] = {
        name: np.concatenate([part[name] for part in parts])
        for name in ("class_docs", "terms", *_FREQUENCIES)
    }
    sizes = np.concatenate([np.diff(part["indptr"]) for part in parts])
    joined["indptr"] = np.append(0, np.cumsum(sizes, dtype=np.int64))
    return _core.Counts.from_arrays(
        n_terms=held["n_terms"],
        n_docs=joined["class_docs"].sum().item(),
        has_collection=False,
        **joined,
    )


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
    for name in _FREQUENCIES:
        held[name] = np.ascontiguousarray(held[name][kept][order])
    return _core.Counts.from_arrays(**held)
