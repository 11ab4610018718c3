"""Linear support vector machines, one for each class, trained by dual coordinate descent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_64_BITS = 2**64 - 1


def document_vectors(counts: Any) -> Floats:
    """Return log(1 + x) with each row scaled to norm 1, followed by a column of ones.

    Parameters
    ----------
    counts : array of shape (n_docs, M)

    Returns
    -------
    vectors : ndarray of shape (n_docs, M + 1)

    Examples
    --------
    >>> document_vectors([[1, 1, 0], [0, 0, 0]]).round(4)
    array([[0.7071, 0.7071, 0.    , 1.    ],
           [0.    , 0.    , 0.    , 1.    ]])
    """
    z = np.log1p(np.asarray(counts, dtype=np.float64))
    lengths = np.sqrt((z**2).sum(axis=1, keepdims=True))
    z = z / np.where(lengths > 0, lengths, 1)
    return np.hstack([z, np.ones((len(z), 1))])


def linear_machines(
    vectors: Floats,
    class_of: Sequence[int],
    n_classes: int,
    *,
    cost: float = 1.0,
    epochs: int = 10,
    weights: Sequence[float] | None = None,
) -> Floats:
    r"""Return the weights of linear machines, each of which separates one class from the others.

    Parameters
    ----------
    vectors : ndarray of shape (n_docs, M + 1)
        The vectors z_d of the documents.
    class_of : sequence of int
        The class of each document, in [0, n_classes).
    n_classes : int
        The number of machines.
    cost : float
        The factor C.
    epochs : int
        The number of times that each document is visited.
    weights : sequence of float, optional
        The positive weights g_d of the documents, by default 1.

    Returns
    -------
    w : ndarray of shape (M + 1, n_classes)

    Notes
    -----
    Let s_dc be 1 for documents of class c and -1 for all other documents. Then w_c minimises ::

        |w_c|^2 / 2 + C sum_d g_d max(0, 1 - s_dc w_c.z_d)^2.

    For class c, the dual problem has one variable a_dc >= 0 per document, and w_c = sum_d a_dc s_dc
    z_d. A visit to a document sets a_dc to its best value while all other variables are fixed::

        a_dc <- max(0, a_dc - (s_dc w_c.z_d - 1 + D a_dc) / (|z_d|^2 + D)),  D = 1 / (2 C g_d)

    Examples
    --------
    >>> z = document_vectors([[1, 0], [0, 1]])
    >>> linear_machines(z, [0, 1], 2, epochs=100).round(4)
    array([[ 0.6667, -0.6667],
           [-0.6667,  0.6667],
           [ 0.    ,  0.    ]])
    """
    n = len(vectors)
    g = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
    w = np.zeros((vectors.shape[1], n_classes))
    a = np.zeros((n, n_classes))
    order = list(range(n))
    random = _random_numbers()
    for _ in range(epochs):
        for i in range(n - 1, 0, -1):
            j = next(random) % (i + 1)
            order[i], order[j] = order[j], order[i]
        for d in order:
            s = np.where(np.arange(n_classes) == class_of[d], 1.0, -1.0)
            D = 1 / (2 * cost * g[d])
            gradient = s * (vectors[d] @ w) - 1 + D * a[d]
            better = np.maximum(0, a[d] - gradient / (vectors[d] @ vectors[d] + D))
            w += np.outer(vectors[d], (better - a[d]) * s)
            a[d] = better
    return w


def _random_numbers() -> Iterator[int]:
    """Yield the numbers of the random generator SplitMix64 with the seed 0."""
    state = 0
    while True:
        state = (state + 0x9E3779B97F4A7C15) & _64_BITS
        z = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & _64_BITS
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & _64_BITS
        yield z ^ z >> 31
