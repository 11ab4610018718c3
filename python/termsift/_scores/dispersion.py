"""Measures that need documents: the dispersion of terms in a class, and the rank-sum test."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._util import validation

_CHUNK_ENTRIES = 1 << 22  # the number of matrix entries that are processed at once


@dataclass(frozen=True, eq=False)
class Dispersion:
    """How evenly the documents of each class share the occurrences of each term.

    Attributes
    ----------
    classes : list of labels
        The labels of the rows.
    dp : ndarray of shape (n_classes, n_terms), float64
        Gries' deviation of proportions. It is 0 if each document has the term in proportion
        to its length. It is near 1 if one short document has all occurrences.
    dp_norm : ndarray of that shape, float64
        dp divided by its largest possible value, 1 - min_j s_j (see `termsift.dispersion`).
    juilland : ndarray of that shape, float64
        Juilland's D, which is 1 for equal rates in all documents, and 0 if only one has the term.

    Notes
    -----
    All three are NaN for a term that does not occur in the class. For a class of one document,
    juilland is NaN and dp_norm is 0.
    """

    classes: list[Hashable]
    dp: NDArray[np.float64]
    dp_norm: NDArray[np.float64]
    juilland: NDArray[np.float64]

    def __repr__(self) -> str:
        sizes = map(validation.number_of, self.dp.shape, ("class", "term"))
        return f"<Dispersion of {' x '.join(sizes)}>"


def dispersion(
    X: Any, y: Any, classes: Iterable[Hashable] | Mapping[Any, Any] | None = None
) -> Dispersion:
    r"""Measure how evenly the documents of each class share the occurrences of each term.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_docs, n_terms)
        Occurrences, as for `termsift.count`.
    y : array of shape (n_docs,)
        The label of each document, or an indicator matrix.
    classes : sequence of labels, or mapping
        The classes to measure, in this order; all by default. A mapping from new labels to a label
        or a list of labels merges classes, as in `termsift.ClassCounts.subset`.

    Returns
    -------
    dispersion : Dispersion

    Raises
    ------
    ValueError, TypeError
        As for `termsift.count`, and if a class is unknown or occurs twice.

    Notes
    -----
    Document j of the class has l_j tokens, and term i occurs in it x_ij times. Term i occurs l_i
    times in the whole class. With s_j = l_j / sum_j l_j and v_ij = x_ij / l_i,

    .. math::

        DP_i = \tfrac12 \sum_j |v_{ij} - s_j|, \qquad
        D_i = 1 - \frac{\sigma_i / \mu_i}{\sqrt{m - 1}},

    where mu_i and sigma_i are the mean and the standard deviation, with divisor m, of the rates
    x_ij / l_j over the m documents that have tokens. Documents may have any length, because the
    rates in Juilland's D take the lengths into account.

    Two passes over the entries of X take O(entries + n_classes * n_terms) time and some 150 MB.

    References
    ----------
    Gries, Dispersions and adjusted frequencies in corpora, International Journal of Corpus
    Linguistics 13(4), 2008; Lijffijt and Gries, Correction to it, 17(1), 2012 (dp_norm). Juilland
    and Chang-Rodriguez, Frequency Dictionary of Spanish Words, 1964.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> X = np.array([[1, 4, 5], [1, 0, 9], [1, 0, 9]])
    >>> found = ts.dispersion(X, ["ham"] * 3)
    >>> found.dp.round(3), found.juilland.round(3)
    (array([[0.   , 0.667, 0.116]]), array([[1.   , 0.   , 0.826]]))
    """
    csr = validation.check_matrix(X, 1)
    validation.check_entries(csr, 1, "X")
    X, n_terms = csr.to_scipy(), csr.n_terms
    groups = documents_of(y, csr.n_docs, classes)
    lengths = np.zeros(csr.n_docs)
    filled = np.flatnonzero(np.diff(X.indptr))
    if len(filled):
        lengths[filled] = np.add.reduceat(X.data, X.indptr[filled], dtype=float)
    shape = len(groups), n_terms
    dp, norm, juilland = (np.full(shape, np.nan) for _ in range(3))
    for row, in_class in enumerate(groups.values()):
        docs = in_class[lengths[in_class] > 0]
        if not len(docs):
            continue
        shares = lengths[docs] / lengths[docs].sum()
        totals, means, moved, squares, n_docs = np.zeros((5, n_terms))
        for documents, terms, x in entries(X, docs):
            totals += np.bincount(terms, x, n_terms)
            means += np.bincount(terms, x / lengths[docs[documents]], n_terms) / len(docs)
        for documents, terms, x in entries(X, docs):
            above = x / totals[terms] - shares[documents]
            moved += np.bincount(terms, np.maximum(above, 0), n_terms)
            # Sum squared deviations. A difference of sums of squares would cancel near D = 1.
            deviation = x / lengths[docs[documents]] - means[terms]
            squares += np.bincount(terms, deviation**2, n_terms)
            n_docs += np.bincount(terms, minlength=n_terms)
        seen, m = totals > 0, len(docs)
        squares += (m - n_docs) * means**2  # adds documents without the term
        # Both shares sum to 1, so half of the distance is the sum of the positive differences.
        dp[row, seen] = moved[seen]
        largest = 1 - shares.min()
        norm[row, seen] = moved[seen] / largest if largest > 0 else 0.0
        if m > 1:
            sigma = np.sqrt(squares[seen] / m)
            juilland[row, seen] = np.maximum(1 - sigma / means[seen] / np.sqrt(m - 1), 0)
    return Dispersion(list(groups), dp, norm, juilland)


def documents_of(
    y: Any, n_docs: int, classes: Iterable[Hashable] | Mapping[Any, Any] | None
) -> dict[Hashable, NDArray[np.int64]]:
    """Return the documents of each class."""
    labels = validation.check_labels(y, n_docs, None)
    groups: dict[Hashable, list[int]] = {label: [code] for code, label in enumerate(labels.classes)}
    if classes is not None:
        groups = validation.check_groups(classes, labels.classes)
    rows = np.arange(n_docs)
    if labels.indptr is not None:
        rows = np.repeat(rows, np.diff(labels.indptr))
    return {g: np.unique(rows[np.isin(labels.codes, codes)]) for g, codes in groups.items()}


def entries(X: Any, docs: NDArray[np.int64]) -> Iterator[tuple[NDArray[Any], ...]]:
    """Yield the entries of documents, some millions at a time.

    Each part has three arrays: the positions of the documents in ``docs``, the terms, and the
    numbers of occurrences.
    """
    ends = np.cumsum(X.indptr[docs + 1] - X.indptr[docs], dtype=np.int64)
    cuts = np.unique(np.searchsorted(ends, np.arange(0, ends[-1], _CHUNK_ENTRIES)[1:], "right"))
    for first, last in pairwise([0, *cuts.tolist(), len(docs)]):
        part = validation.without_duplicates(X[docs[first:last]].astype(np.float64))
        yield np.repeat(np.arange(first, last), np.diff(part.indptr)), part.indices, part.data


def rank_sums(
    X: Any, y: Any, sides: Mapping[Any, list[Hashable]], n_threads: int | None
) -> NDArray[np.float64]:
    """Return the z-score of the rank-sum test of each term.

    It is positive if the first side uses the term more. ``X`` and ``y`` are as for
    `termsift.dispersion`, and ``sides`` maps two names to labels.
    """
    threads = validation.check_n_threads(n_threads)
    csr = validation.check_matrix(X, threads)
    first, second = documents_of(y, csr.n_docs, sides).values()
    return _core.rank_sums(*csr.parts, np.concatenate([first, second]), len(first), threads)
