"""The rank-sum test: whether the documents of one corpus use a term at higher rates."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termsift._scores.dispersion import documents_of, entries
from termsift._util import scipy, validation


def rank_sums(X: Any, y: Any, sides: Mapping[Any, list[Hashable]]) -> NDArray[np.float64]:
    r"""Return the z-score of the rank-sum test of each term, positive if the first side has more.

    ``X`` and ``y`` are as for `termsift.dispersion`, and ``sides`` maps two names to labels. A
    document's rate is its occurrences of the term divided by those of all terms. Documents without
    tokens take no part.

    Notes
    -----
    Documents of equal rates share the mean of their ranks. With R the ranks' sum over the n_1
    documents of the first side, n = n_1 + n_2, and t documents in each group of equal rates,

    .. math::

        z = \frac{|R - n_1 (n + 1) / 2| - 1/2}{\sqrt{n_1 n_2 / 12 \,
            (n + 1 - \sum (t^3 - t) / (n (n - 1)))}},

    but at least 0, with the sign of the difference, and 0 if all rates are equal. The documents
    without the term are one such group, so the time is O(entries log entries). Memory is two copies
    of the entries and some 400 MB.
    """
    X, lengths, groups = documents_of(X, y, sides)
    first, second = groups.values()
    docs = np.concatenate([first, second])
    part = validation.without_duplicates(X[docs].astype(np.float64))
    part.data /= np.repeat(lengths[docs], np.diff(part.indptr))
    by_term = scipy.sparse.csr_array(part.T)
    n_1, n, n_terms = len(first), len(docs), X.shape[1]
    found = np.diff(by_term.indptr).astype(np.float64)  # documents with the term
    absent = n - found
    # The ranks of the first side are those of its documents without the term, and of the others.
    with_term = np.bincount(part[:n_1].indices, minlength=n_terms)
    ranks = (n_1 - with_term) * (absent + 1) / 2
    # n^3 - n - (t^3 - t) for the t documents without the term, as a product that does not cancel
    spread = found * (n**2 + n * absent + absent**2 - 1)
    for terms, documents, rates in entries(by_term, np.arange(n_terms)):
        order = np.lexsort((rates, terms))
        rates = rates[order]
        is_new = (np.diff(terms, prepend=-1) > 0) | (np.diff(rates, prepend=-1) > 0)
        starts = np.flatnonzero(is_new)
        sizes = np.diff(starts, append=len(terms))
        group = terms[starts]
        first_of_term = np.searchsorted(terms, group)
        middle = absent[group] + starts - first_of_term + (sizes + 1) / 2
        own = np.add.reduceat(documents[order] < n_1, starts, dtype=float)
        ranks += np.bincount(group, own * middle, n_terms)
        spread -= np.bincount(group, sizes**3.0 - sizes, n_terms)
    difference = ranks - n_1 * (n + 1) / 2
    variance = n_1 * (n - n_1) / 12 * spread / (n * max(n - 1, 1))
    above = np.maximum(np.abs(difference) - 0.5, 0)
    z = np.divide(above, np.sqrt(variance), out=np.zeros(n_terms), where=variance > 0)
    return np.copysign(z, difference)
