"""Rankings: compute the order of the terms from their scores."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def rank(scores: npt.ArrayLike, k: int | None = None) -> npt.NDArray[np.int64]:
    """Rank terms by descending score, and terms with equal scores by index.

    Parameters
    ----------
    scores : array of shape (M,)
        One score for each term.
    k : int, optional
        The number of terms to return. By default, all terms are returned.

    Returns
    -------
    ndarray of shape (min(k, M),)
        The indices of the terms in int64, best first.

    Examples
    --------
    >>> rank([0.5, 2.0, 0.5, 3.0])
    array([3, 1, 0, 2])
    """
    check_k(k)
    values = np.asarray(scores, dtype=np.float64).tolist()
    order = sorted(range(len(values)), key=lambda i: (-values[i], i))
    return np.array(order[:k], dtype=np.int64)


def round_robin(
    class_scores: npt.ArrayLike, k: int | None = None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Rank terms by round robin: the classes take turns to add the next term of their lists.

    Parameters
    ----------
    class_scores : array of shape (N, M)
        The value of each term for each class that has documents.
    k : int, optional
        The number of terms to return. By default, all terms are returned.

    Returns
    -------
    indices : ndarray of shape (min(k, M),)
        The indices of the terms in int64, best first.
    values : ndarray of shape (min(k, M),)
        For each term, the value for the class that determines the term's place.

    Notes
    -----
    Every class has a list of all terms, which `rank` orders by the values for the class. The place
    of a term is its best position in any list. The ranking has the terms in first place, then the
    terms in second place, and so on. Terms in the same place are ordered by index. If the ranking
    already contains the next term of a class, the class adds no term in this round. The value of a
    term is its value for the first class whose list has the term at its best position.

    Examples
    --------
    Term 0 is first in both lists. The second terms of the lists are ordered by index.

    >>> indices, values = round_robin([[9, 1, 2], [8, 7, 3]])
    >>> indices
    array([0, 1, 2])
    >>> values
    array([9., 7., 2.])
    """
    check_k(k)
    by_class = np.asarray(class_scores, dtype=np.float64).tolist()
    lists = [rank(values).tolist() for values in by_class]
    n_terms = len(by_class[0])
    # For each term, find the best position and the first class with this position.
    place = [min((lists[c].index(i), c) for c in range(len(lists))) for i in range(n_terms)]
    order = sorted(range(n_terms), key=lambda i: (place[i][0], i))[:k]
    values = [by_class[place[i][1]][i] for i in order]
    return np.array(order, dtype=np.int64), np.array(values, dtype=np.float64)


def check_k(k: int | None) -> None:
    """Check that a number of terms, if given, is not negative."""
    if k is not None and k < 0:
        raise ValueError(f"k must not be negative, got {k}")
