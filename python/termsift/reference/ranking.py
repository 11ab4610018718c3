"""Rankings: from scores to the order of the terms."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def rank(scores: npt.ArrayLike, k: int | None = None) -> npt.NDArray[np.int64]:
    """Rank terms by descending score; equal scores are ordered by index.

    Parameters
    ----------
    scores : array of shape (M,)
        One score for each term.
    k : int, optional
        How many terms to return. By default, and if there are fewer, all.

    Returns
    -------
    ndarray of shape (min(k, M),)
        Indices of terms in int64, best first.

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
    """Rank terms by round robin: the classes take turns, and each names the next term of its list.

    Parameters
    ----------
    class_scores : array of shape (N, M)
        The value of each term for each class that has documents.
    k : int, optional
        How many terms to return. By default, and if there are fewer, all.

    Returns
    -------
    indices : ndarray of shape (min(k, M),)
        Terms in int64, best first.
    values : ndarray of shape (min(k, M),)
        The class values that earned the terms their places.

    Notes
    -----
    A class lists all terms by its own value, as `rank` does. A term's place is its best position
    in any list. The terms in first place come first, by index, then the terms in second place, and
    so on. A class whose term has been named already passes; it does not name its next best term
    instead. A term's value is its value in the first class that lists it at its place.

    Examples
    --------
    Both classes list term 0 first; their second terms are ordered by index.

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
    # The smallest (position, class) is the best.
    place = [min((lists[c].index(i), c) for c in range(len(lists))) for i in range(n_terms)]
    order = sorted(range(n_terms), key=lambda i: (place[i][0], i))[:k]
    values = [by_class[place[i][1]][i] for i in order]
    return np.array(order, dtype=np.int64), np.array(values, dtype=np.float64)


def check_k(k: int | None) -> None:
    """Check that a number of terms, if given, is not negative."""
    if k is not None and k < 0:
        raise ValueError(f"k must not be negative, not {k}")
