"""What a class is about: the terms that speak for it, by their scores.

A class score says how far a class and the rest are apart, not which of them has more.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from termsift import _core
from termsift._api.class_counts import ClassCounts
from termsift._util import validation

__all__ = ["ClassTerms", "distinctive_terms", "dominant_class", "largest_classes"]


@dataclass(frozen=True, eq=False)
class ClassTerms:
    """Terms of a class, best first.

    Attributes
    ----------
    label : label
        The class.
    indices : ndarray of shape (k,), int64
        The terms' columns.
    scores : ndarray of shape (k,), float64
        Their scores for the class.
    occurrences, elsewhere : ndarray of shape (k,), int64 or float64
        How often they occur in the class, and in the other classes together.
    """

    label: Hashable
    indices: NDArray[np.int64]
    scores: NDArray[np.float64]
    occurrences: NDArray[Any]
    elsewhere: NDArray[Any]

    def __len__(self) -> int:
        return len(self.indices)


def distinctive_terms(
    counts: ClassCounts,
    method: str = "md",
    k: int | None = None,
    classes: Iterable[Hashable] | None = None,
    **scoring: Any,
) -> list[ClassTerms]:
    """Return the terms that speak for each class, by their scores for it.

    A term speaks for a class if it occurs there and its direction is 1
    (`termsift.ClassCounts.class_directions`): if the class has more of it than the others have, by
    the numbers that its score compares.

    Parameters
    ----------
    counts : ClassCounts
    method : str
        A name of `termsift.methods`.
    k : int, optional
        How many terms per class; all by default. There may be fewer.
    classes : sequence of labels, optional
        The classes wanted, in this order; all by default.
    **scoring
        As for `termsift.ClassCounts.class_scores`, for example ``model`` and ``alpha``.

    Returns
    -------
    terms : list of ClassTerms
        One per class. Terms with equal scores come by index.

    Raises
    ------
    ValueError
        For an unknown method, and a label that is not among the classes.
    TypeError
        If k is not an integer, or classes hold what is no label.

    Notes
    -----
    Scores are those of `termsift.ClassCounts.class_scores`, to the last bit. They are computed for
    some terms at a time: memory is some 60 bytes for each pair of a class wanted and a term it
    contains and 64 MiB, time O(n_classes) for each term of a class wanted.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> counts = ts.count(np.array([[9, 0, 5], [1, 9, 5], [1, 9, 5]]), ["a", "b", "c"])
    >>> [terms.indices.tolist() for terms in distinctive_terms(counts)]
    [[0, 2], [1], [1]]
    """
    validation.check_kind(counts, ClassCounts, "counts")
    labels = counts.classes
    wanted = list(range(len(labels))) if classes is None else _positions(labels, classes)
    k = validation.check_k(k, counts.n_terms)
    scored = counts._class_scoring(method, **scoring)
    table = counts.term_frequency
    totals = np.asarray(table.sum(axis=0))
    rows = np.unique(np.array(wanted, dtype=np.int64))
    table = table[rows]
    terms, columns = np.unique(table.indices, return_inverse=True)
    scored = scored.of_terms(terms.astype(np.int64))
    scores = np.zeros(table.nnz)
    speaks_for = np.zeros(table.nnz, dtype=bool)
    at = (np.arange(table.nnz), columns, table.indptr)
    by_term = sp.csr_array(at, shape=(len(rows), len(terms))).tocsc()
    for first, last in scored.blocks():
        own = slice(by_term.indptr[first], by_term.indptr[last])
        place = np.repeat(np.arange(last - first), np.diff(by_term.indptr[first : last + 1]))
        cells = rows[by_term.indices[own]], place
        speaks_for[by_term.data[own]] = scored.directions(first, last)[cells] > 0
        scores[by_term.data[own]] = scored.scores(first, last)[cells]
    found = []
    for c, row in zip(wanted, np.searchsorted(rows, wanted), strict=True):
        own = table.indptr[row] + np.flatnonzero(
            speaks_for[table.indptr[row] : table.indptr[row + 1]]
        )
        own = own[_core.top_k(scores[own], min(k, len(own)))]
        indices, occurrences = table.indices[own].astype(np.int64), table.data[own]
        elsewhere = totals[indices] - occurrences
        found.append(ClassTerms(labels[c], indices, scores[own], occurrences, elsewhere))
    return found


def dominant_class(
    counts: ClassCounts, terms: NDArray[np.int64], method: str = "md", **scoring: Any
) -> NDArray[np.int64]:
    """Return the class that each term speaks for most: the one that it has the highest score for.

    Parameters
    ----------
    counts : ClassCounts
    terms : array of integers
        The terms' columns.
    method, **scoring
        As for `distinctive_terms`, which says when a term speaks for a class.

    Returns
    -------
    classes : ndarray of shape (len(terms),), int64
        Positions in ``counts.classes``; -1 for a term that speaks for no class. Of classes with
        equal scores it is the first.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> counts = ts.count(np.array([[9, 0, 5], [1, 9, 5], [1, 9, 5]]), ["a", "b", "c"])
    >>> dominant_class(counts, np.array([2, 1]))
    array([0, 1])
    """
    validation.check_kind(counts, ClassCounts, "counts")
    chosen = validation.check_indices(terms, counts.n_terms, "terms")
    distinct, place = np.unique(chosen, return_inverse=True)
    scored = counts._class_scoring(method, **scoring).of_terms(distinct)
    shape = counts.n_classes, len(distinct)
    occurs = sp.csr_array(scored.counts.term_frequency(), shape=shape).tocsc()
    found = np.full(len(distinct), -1, dtype=np.int64)
    for first, last in scored.blocks():
        speaks_for = scored.directions(first, last) > 0
        speaks_for &= occurs[:, first:last].toarray() > 0
        scores = np.where(speaks_for, scored.scores(first, last), -np.inf)
        found[first:last] = np.where(speaks_for.any(axis=0), scores.argmax(axis=0), -1)
    return found[place]


def largest_classes(counts: ClassCounts, n: int) -> list[int]:
    """Return the positions of the classes with the most documents, the largest first."""
    validation.check_kind(counts, ClassCounts, "counts")
    order = np.argsort(-np.asarray(counts.class_docs), kind="stable")
    return [int(c) for c in order[: validation.check_integer(n, "n", least=0)]]


def _positions(labels: list[Hashable], wanted: Iterable[Hashable]) -> list[int]:
    wanted = list(validation.check_iterable(wanted, "classes", "labels"))
    position = {label: c for c, label in enumerate(labels)}
    found = []
    for label in wanted:
        try:
            hash(label)
        except TypeError:
            raise TypeError(
                f"classes hold {label!r}, which is no label: it is not hashable"
            ) from None
        if label not in position:
            raise ValueError(f"class {label!r} is not among the classes")
        found.append(position[label])
    return found
