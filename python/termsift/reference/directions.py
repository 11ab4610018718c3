"""Directions: whether a class has more or less of a term than the other classes."""

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
    class_prior: ClassPrior = "empirical",
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
        The value is 1 if the class has more of the term than the other classes, -1 if it has less,
        and 0 otherwise. The value is 0 for classes without documents.

    Notes
    -----
    Directions are computed exactly. ``md`` and ``md_chi2`` compare p_ic with q_ic, and
    ``chi2_counts`` compares l_ic with its expected value. ``log_ratio`` compares smoothed
    frequencies. ``log_odds`` compares the numerator and denominator of its odds ratio, (l_ic + a_i)
    (L - l_c + a_0 - l_i + l_ic - a_i) and (l_i - l_ic + a_i) (l_c + a_0 - l_ic - a_i). The
    numerator minus the denominator is (l_ic L - l_i l_c) (1 + 2 a_0 / L). ``g2_counts``, ``tfidf``,
    ``c_tfidf`` and ``cmfs`` have the same direction as ``log_odds``. All other methods compare A D
    with C B, products of cells of the contingency table.

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
    """Return a number whose sign is the direction, or 0 if no document has the term."""
    if t.d_i[i] == 0:
        return Fraction(0)
    if method == "chi2_counts":
        return t.l_ic[c][i] - t.expected(i, c)
    if method == "log_ratio":
        within, outside = t.smoothed_products(i, c)
        return within - outside
    if method in ("log_odds", "g2_counts", "tfidf", "c_tfidf", "cmfs"):
        return t.l_ic[c][i] * t.L - t.l_i[i] * t.l_c[c]
    return t.A(i, c) * t.D(i, c) - t.C(i, c) * t.B(i, c)


def _sign(x: Fraction) -> int:
    return (x > 0) - (x < 0)
