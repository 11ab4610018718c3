"""What a class is about: the terms that it uses more than the rest do, by their scores for it.

A class score says how far a class and the rest are apart, not which of them has more.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from termsift import _core, _validation
from termsift._class_tables import signs
from termsift.counts import ClassCounts
from termsift.methods import MODELS, find_method

__all__ = ["ClassTerms", "class_spoken_for", "largest_classes", "typical_terms"]

_CELLS = 2**22  # of a class and a term, scored at a time: 32 MiB
_ROUNDING = 2.0**-40  # a share of a class's tokens below which the rest of a float sum is nothing


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


def typical_terms(
    counts: ClassCounts,
    method: str = "md",
    k: int | None = None,
    classes: Iterable[Hashable] | None = None,
    *,
    n_threads: int | None = None,
) -> list[ClassTerms]:
    """Give the terms that each class uses more than the rest do, by their scores for it.

    Parameters
    ----------
    counts : ClassCounts
    method : str
        A name of `termsift.methods`.
    k : int, optional
        How many terms a class; all by default. There may be fewer.
    classes : sequence of labels, optional
        The classes wanted, in this order; all by default.
    n_threads : int, optional
        As for `termsift.count`.

    Returns
    -------
    terms : list of ClassTerms
        One a class. Terms with equal scores come by index.

    Raises
    ------
    ValueError
        For a method that there is none of, and a label that is not among the classes.
    TypeError
        If k is not an integer, or classes hold what is no label.

    Notes
    -----
    A class uses a term more if its sign in ``counts.to_frame(method)`` is 1: if the term's share of
    the class's tokens is larger than that of all tokens; of its documents, for methods that count
    or divide by these. Scores are those of `termsift.ClassCounts.class_scores`, of fractions within
    rounding, taken of some terms at a time: some 100 bytes of memory for each pair of a class and a
    term it contains and 32 MiB, in time O(n_classes) for each term of a class wanted.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> counts = ts.count(np.array([[9, 0, 5], [1, 9, 5], [1, 9, 5]]), ["a", "b", "c"])
    >>> [terms.indices.tolist() for terms in typical_terms(counts)]
    [[0, 2], [1], [1]]
    """
    _validation.check_kind(counts, ClassCounts, "counts")
    labels = counts.classes
    wanted = list(range(len(labels))) if classes is None else _positions(labels, classes)
    k = _validation.check_k(k, counts.n_terms)
    is_wanted = np.zeros(len(labels), dtype=bool)
    is_wanted[wanted] = True
    pairs = _Pairs.used_more(counts, method, is_wanted, np.ones(counts.n_terms, dtype=bool))
    scores = pairs.scores(counts, method, n_threads)
    found = []
    for c in wanted:
        own = slice(*np.searchsorted(pairs.classes, [c, c + 1]))
        best = own.start + np.argsort(-scores[own], kind="stable")[:k]
        terms, occurrences = pairs.terms[best].astype(np.int64), pairs.occurrences[best]
        elsewhere = pairs.totals[terms] - occurrences
        found.append(ClassTerms(labels[c], terms, scores[best], occurrences, elsewhere))
    return found


def class_spoken_for(
    counts: ClassCounts,
    terms: NDArray[np.int64],
    method: str = "md",
    *,
    n_threads: int | None = None,
) -> NDArray[np.int64]:
    """Give for each term the class that it speaks for most: of those that use it more, the best.

    Returns
    -------
    classes : ndarray of shape (len(terms),), int64
        Positions in ``counts.classes``; -1 for a term that no class uses more than the rest.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> counts = ts.count(np.array([[9, 0, 5], [1, 9, 5], [1, 9, 5]]), ["a", "b", "c"])
    >>> class_spoken_for(counts, np.array([2, 1]))
    array([0, 1])
    """
    _validation.check_kind(counts, ClassCounts, "counts")
    terms = _validation.check_indices(terms, counts.n_terms, "terms")
    is_wanted = np.zeros(counts.n_terms, dtype=bool)
    is_wanted[terms] = True
    pairs = _Pairs.used_more(counts, method, np.ones(counts.n_classes, dtype=bool), is_wanted)
    scores = pairs.scores(counts, method, n_threads)
    spoken_for = np.full(counts.n_terms, -1, dtype=np.int64)
    worst_first = np.lexsort((-pairs.classes, scores))  # the last one written stays
    spoken_for[pairs.terms[worst_first]] = pairs.classes[worst_first]
    return spoken_for[terms]


def largest_classes(counts: ClassCounts, n: int) -> list[int]:
    """Give the positions of the classes with the most documents, the largest first."""
    _validation.check_kind(counts, ClassCounts, "counts")
    order = np.argsort(-np.asarray(counts.class_docs), kind="stable")
    return [int(c) for c in order[: _validation.check_count(n, "n", least=0)]]


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Pairs of a class and a term that it uses more than the rest do, class by class."""

    classes: NDArray[np.int64]
    terms: NDArray[np.integer]
    occurrences: NDArray[Any]
    totals: NDArray[Any]  # of every term, in all classes

    @classmethod
    def used_more(
        cls,
        counts: ClassCounts,
        method: str,
        of_classes: NDArray[np.bool_],
        of_terms: NDArray[np.bool_],
    ) -> _Pairs:
        table, documents = counts.term_frequency, counts.document_frequency  # of the same pairs
        classes = np.repeat(np.arange(counts.n_classes), np.diff(table.indptr))
        of_all = counts.collection_term_frequency, counts.collection_document_frequency
        occurrences_of, documents_of = (totals[table.indices] for totals in of_all)
        more = (
            signs(
                counts,
                method,
                MODELS[0],
                classes,
                (table.data, occurrences_of),
                (documents.data, documents_of),
            )
            > 0
        )
        chosen = np.flatnonzero(more & of_classes[classes] & of_terms[table.indices])
        totals = np.asarray(table.sum(axis=0))
        return cls(classes[chosen], table.indices[chosen], table.data[chosen], totals)

    def scores(
        self, counts: ClassCounts, method: str, n_threads: int | None
    ) -> NDArray[np.float64]:
        """Give the score of each pair, from those of some terms and all classes at a time."""
        chosen = find_method(method)
        measure = chosen.measure({})
        b1, b2 = _validation.check_smoothing(1.0, counts.n_terms)
        threads = _validation.check_n_threads(n_threads)
        scores = np.empty(len(self.terms))
        by_term = np.argsort(self.terms, kind="stable")
        terms, first = np.unique(self.terms[by_term], return_index=True)
        first = np.append(first, len(self.terms))
        step = max(1, _CELLS // max(1, counts.n_classes))
        parts = _Parts(counts, terms)
        for begin in range(0, len(terms), step):
            end = min(begin + step, len(terms))
            dense = _core.class_scores(parts.part(begin, end), measure, b1, b2, None, threads)
            pairs = by_term[first[begin] : first[end]]
            columns = np.searchsorted(terms[begin:end], self.terms[pairs])
            scores[pairs] = dense[self.classes[pairs], columns]
        return scores


class _Parts:
    """The counts of some terms, with all the others as one, so that totals are the same."""

    def __init__(self, counts: ClassCounts, terms: NDArray[np.integer]) -> None:
        whole = counts._counts.to_arrays()
        self._whole = whole
        shape = (len(whole["class_docs"]), counts.n_terms)  # and a row of the collection, if kept
        pairs = whole["terms"], whole["indptr"]
        tf = sp.csr_array((whole["term_frequency"], *pairs), shape=shape)
        df = sp.csr_array((whole["document_frequency"], *pairs), shape=shape)
        self._tokens: NDArray[Any] = np.asarray(tf.sum(axis=1))
        self._tf, self._df = tf.tocsc()[:, terms], df.tocsc()[:, terms]

    def part(self, begin: int, end: int) -> _core.Counts:
        """Give the counts of the terms from ``begin`` to ``end``, and then the rest."""
        tf, df = self._tf[:, begin:end], self._df[:, begin:end]
        rest = self._tokens - np.asarray(tf.sum(axis=1))
        rest[rest <= _ROUNDING * self._tokens] = 0
        tf = sp.hstack([tf, sp.csr_array(rest[:, None])], format="csr")
        df = sp.hstack([df, sp.csr_array((rest > 0)[:, None].astype(rest.dtype))], format="csr")
        return _core.Counts.from_arrays(
            tf.shape[1],
            self._whole["n_docs"],
            self._whole["has_collection"],
            self._whole["class_docs"],
            tf.indptr.astype(np.int64),
            tf.indices.astype(np.int32),
            tf.data,
            df.data,
        )


def _positions(labels: list[Hashable], wanted: Iterable[Hashable]) -> list[int]:
    wanted = list(_validation.check_iterable(wanted, "classes", "labels"))
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
