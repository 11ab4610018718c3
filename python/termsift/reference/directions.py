"""On which side of the others a class is: whether it has more of a term, or less."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from termsift.reference.counting import SupportsScoring
from termsift.reference.formulas import METHODS
from termsift.reference.tables import (
    Alpha,
    Cells,
    ClassPrior,
    cells,
    events,
    present_classes,
    prior_weights,
    smoothing,
)


def class_directions(
    counts: SupportsScoring,
    method: str = "md",
    *,
    alpha: Alpha = 1.0,
    class_prior: ClassPrior = None,
    model: str = "multinomial",
) -> npt.NDArray[np.int8]:
    r"""Return the sign of what the score of each class and term compares.

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
    a_i), whose difference is (l_ic L - l_i l_c) (1 + 2 a_0 / L). ``tfidf`` compares nothing; its
    direction is that of the same occurrences.

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
    if METHODS[method].has_models:
        gaps = _gaps(counts, alpha, class_prior, model)
        for c in present_classes(counts):
            directions[c] = [_sign(gap) for gap in gaps[c]]
        return directions
    table = cells(counts, alpha)
    for c in present_classes(counts):
        directions[c] = [direction_of_cells(table, method, i, c) for i in range(table.n_terms)]
    return directions


def direction_of_cells(t: Cells, method: str, i: int, c: int) -> int:
    """Return the direction by a method that reads cells, 0 for a term that no document has."""
    if t.d_i[i] == 0:
        return 0
    if method == "chi2_counts":
        return _sign(t.l_ic[c][i] - t.expected(i, c))
    if method in ("log_odds", "tfidf"):
        return _sign(t.l_ic[c][i] * t.L - t.l_i[i] * t.l_c[c])
    return _sign(t.A(i, c) * t.D(i, c) - t.C(i, c) * t.B(i, c))


def _gaps(
    counts: SupportsScoring, alpha: Alpha, class_prior: ClassPrior, model: str
) -> dict[int, list[Fraction]]:
    """Return p_ic - q_ic of each class with documents."""
    x_ic, X_c = events(counts, model)
    n_terms = len(x_ic[0])
    b1, b2 = smoothing(alpha, n_terms, model)
    weights = prior_weights(counts, class_prior)
    present = present_classes(counts)
    w = {c: Fraction(weights[c]) for c in present}
    p = {}
    for c in present:
        L_c = Fraction(X_c[c]) + b2
        p[c] = [(Fraction(x) + b1) / L_c if L_c else Fraction(0) for x in x_ic[c]]
    gaps = {}
    for c in present:
        others = [k for k in present if k != c]
        whole = sum((w[k] for k in others), Fraction(0))
        mixtures = (sum((w[k] * p[k][i] for k in others), Fraction(0)) for i in range(n_terms))
        gaps[c] = [p[c][i] - mixture / whole for i, mixture in enumerate(mixtures)]
    return gaps


def _sign(x: Fraction) -> int:
    return (x > 0) - (x < 0)
