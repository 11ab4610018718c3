"""Directions: whether a class has more of a term than the other classes, or less."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from termsift.reference.formulas import METHODS
from termsift.reference.tables import (
    Alpha,
    Cells,
    ClassPrior,
    events,
    exact_outside,
    exact_priors,
    present_classes,
    smoothing,
)


def class_directions(
    counts: Any,
    method: str = "md",
    *,
    alpha: Alpha = 1.0,
    class_prior: ClassPrior = None,
    model: str = "multinomial",
) -> npt.NDArray[np.int8]:
    r"""Return whether each class has more or less of each term than the other classes.

    Parameters
    ----------
    counts, method, alpha, class_prior, model
        As for `class_scores`.

    Returns
    -------
    ndarray of shape (N, M), int8
        1 where the class has more of the term than the others, -1 where it has less, else 0.
        Classes without documents have 0.

    Notes
    -----
    Everything is exact. ``md`` and ``md_chi2`` compare p_ic with q_ic, ``chi2_counts`` l_ic with
    its expected value, and the others A D with C B. ``log_odds`` compares the odds of occurrences,
    (l_ic + a_i) (L - l_c + a_0 - l_i + l_ic - a_i) with (l_i - l_ic + a_i) (l_c + a_0 - l_ic -
    a_i); their difference is (l_ic L - l_i l_c) (1 + 2 a_0 / L). ``log_ratio`` compares smoothed
    frequencies. ``g2_counts`` has the direction of ``log_odds``. So have ``tfidf`` and ``c_tfidf``,
    which compare nothing themselves.

    Examples
    --------
    >>> from termsift.reference import count
    >>> counts = count([[4, 1, 0], [0, 1, 2]], ["ham", "spam"])
    >>> class_directions(counts, "md")
    array([[ 1, -1, -1],
           [-1,  1,  1]], dtype=int8)
    >>> class_directions(counts, "chi2")
    array([[ 1,  0, -1],
           [-1,  0,  1]], dtype=int8)
    """
    directions = np.zeros(np.shape(counts.term_frequency), dtype=np.int8)
    present = present_classes(counts)
    if METHODS[method].has_models:
        x_ic, X_c = events(counts, model)
        b1, b2 = smoothing(alpha, len(x_ic[0]), model)
        sizes = {c: Fraction(X_c[c]) + b2 for c in present}
        pi = exact_priors(counts, class_prior)
        for i in range(len(x_ic[0])):
            p = [(Fraction(x_ic[c][i]) + b1) / (sizes[c] or 1) for c in present]  # 0/0 is 0
            for c, p_c, q_c in zip(present, p, exact_outside(p, pi), strict=True):
                directions[c, i] = _sign(p_c - q_c)
    else:
        t = Cells(counts, alpha)
        for c in present:
            directions[c] = [_sign(_gap_of_cells(t, method, i, c)) for i in range(t.n_terms)]
    return directions


def _gap_of_cells(t: Cells, method: str, i: int, c: int) -> Fraction:
    """Return a number with the sign of the direction; 0 for a term that no document has."""
    if t.d_i[i] == 0:
        return Fraction(0)
    if method == "chi2_counts":
        return t.l_ic[c][i] - t.expected(i, c)
    if method == "log_ratio":
        within, outside = t.smoothed_products(i, c)
        return within - outside
    if method in ("log_odds", "g2_counts", "tfidf", "c_tfidf"):
        return t.l_ic[c][i] * t.L - t.l_i[i] * t.l_c[c]
    return t.A(i, c) * t.D(i, c) - t.C(i, c) * t.B(i, c)


def _sign(x: Fraction) -> int:
    return (x > 0) - (x < 0)
