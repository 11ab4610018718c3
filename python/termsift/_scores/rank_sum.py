"""The rank-sum test: whether the documents of one corpus use a term at higher rates."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termsift._scores.dispersion import documents_of, entries
from termsift._util import scipy, validation


def rank_sums(X: Any, y: Any, sides: Mapping[Any, list[Hashable]]) -> NDArray[np.float64]:
    r"""Return the z-score of each term's rank-sum test, positive if the first side uses it more.

    ``X`` and ``y`` are as for `termsift.dispersion`, and ``sides`` maps two names to labels. The
    rate of a term in a document is its number of occurrences, divided by the document's tokens.
    Documents without tokens are left out.

    Notes
    -----
    Documents with equal rates each get the mean of their ranks. Let R be the sum of the ranks over
    the n_1 documents of the first side, n = n_1 + n_2, and t the number of documents in a group of
    equal rates. The absolute value of the score is

    .. math::

        |z| = \frac{|R - n_1 (n + 1) / 2| - 1/2}{\sqrt{n_1 n_2 / 12 \,
            (n + 1 - \sum (t^3 - t) / (n (n - 1)))}},

    or 0 if the numerator is negative or all rates are equal. The score has the sign of the
    difference in the numerator. The documents without the term are one group of equal rates, so the
    time is O(entries log entries). The memory is two copies of the entries and some 400 MB.
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
    # Begin the sum of the first side's ranks with its documents without the term.
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
