"""Algorithm 1: choose terms one after the other, with exact probabilities and sixty digits."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from termsift.reference.ranking import check_k
from termsift.reference.tables import (
    Alpha,
    ClassPrior,
    events,
    exact_outside,
    exact_priors,
    present_classes,
    smoothing,
)

_DIGITS = 60  # The number of digits of logarithms. Probabilities are exact fractions.
_TIE = Decimal(10) ** -40  # Divergences with a smaller relative difference are treated as equal.

Variable: TypeAlias = list[Fraction]  # the probability of a term or of the pool, by class

# In Bernoulli and Poisson models, every term is a separate variable. In the other models, a single
# variable has the chosen terms and the pool of all other terms as its outcomes.
INDEPENDENT = ("bernoulli", "poisson")


def divergence(
    counts: Any,
    indices: Iterable[int],
    *,
    alpha: Alpha = 1.0,
    class_prior: ClassPrior = "empirical",
    model: str = "multinomial",
) -> float:
    """Return the divergence of the classes for a set of terms, with all other terms pooled.

    Parameters
    ----------
    counts, alpha, class_prior, model
        As for `greedy`.
    indices : iterable of int
        The indices of distinct terms, in any order.

    Returns
    -------
    float
        The J-divergence of two classes, or the JMH divergence of more classes, in nats. In the
        models "bernoulli" and "poisson", the divergence is the sum of ``md`` over the terms,
        without a pool.

    Examples
    --------
    >>> from termsift.reference import count
    >>> counts = count([[3, 0, 1], [0, 3, 1]], ["sport", "trade"])
    >>> round(divergence(counts, [0]), 4)
    0.8912
    >>> round(divergence(counts, [0, 1, 2]), 4)
    1.1883
    """
    p, pi = _fractions(counts, alpha, class_prior, model)
    chosen = list(indices)
    if len(set(chosen)) != len(chosen) or not all(0 <= i < len(p) for i in chosen):
        raise ValueError(f"indices must be distinct and within [0, {len(p)}), not {chosen}")
    with localcontext(prec=_DIGITS):
        if model in INDEPENDENT:
            return float(sum((_md(p[i], pi, model) for i in chosen), Decimal(0)))
        variables = [*(p[i] for i in chosen), _pool(p, chosen)]
        return float(sum((_share(x, pi) for x in variables), Decimal(0)))


def greedy(
    counts: Any,
    k: int | None = None,
    *,
    alpha: Alpha = 1.0,
    class_prior: ClassPrior = "empirical",
    model: str = "multinomial",
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    r"""Choose terms one after the other by Algorithm 1 of Tang, Kay and He.

    Parameters
    ----------
    counts : ReferenceCounts or similar
        Any object with ``class_docs`` and the counts that the model uses, dense or sparse. The
        models "multinomial" and "poisson" use ``term_frequency``, and the other models use
        ``document_frequency``.
    k : int, optional
        The number of terms to choose. By default, all terms are chosen.
    alpha : float or pair of floats, default 1
        Smoothing, as for `class_scores`, except that 0.1 means exactly 1/10 and not the nearest
        double. Except in the models "bernoulli" and "poisson", no probability may be 0, and the
        probabilities of a class must sum to at most 1, so M * b1 <= b2.
    class_prior : "empirical", "uniform", sequence of N nonnegative numbers, or dict by label
        As for `class_scores`. The divergence of two classes does not depend on the prior.
    model : {"multinomial", "binary", "bernoulli", "poisson"}
        As for `class_scores`. With "bernoulli" and "poisson" the terms are independent, so terms
        are chosen in the order of ``md``, and the divergences are the running sums of ``md``.

    Returns
    -------
    indices : ndarray of shape (min(k, M),)
        The terms in the order in which they are chosen. Equally good terms are ordered by index.
    divergences : ndarray of shape (min(k, M),)
        The divergence after each step, in nats. Divergences never decrease (Theorem 1).

    Notes
    -----
    For every term i that is not yet chosen, step k forms k + 1 variables: the chosen terms
    :math:`s_1, \ldots, s_{k-1}`, the term i, and the pool of all other terms. The probability of
    the pool in class c is :math:`1 - p_{ic} - \sum_m p_{s_m c}`. Step k chooses the term i for
    which the distributions of the k + 1 variables in the classes diverge most. For two classes, the
    paper uses the divergence J:

        J = sum over variables of (p_1 - p_2) log(p_1 / p_2).

    The paper's Algorithm 1 covers only two classes. For more classes, this function uses the
    divergence JMH, which the paper's other algorithms maximise. For two classes, JMH equals J::

        JMH = sum over variables and classes of p_c log(p_c / q_c)

    Divergences that agree in 40 digits are treated as equal.

    Examples
    --------
    >>> from termsift.reference import count
    >>> counts = count([[3, 0, 1], [0, 3, 1]], ["sport", "trade"])
    >>> indices, divergences = greedy(counts)
    >>> indices
    array([0, 1, 2])
    >>> divergences.round(4)
    array([0.8912, 1.1883, 1.1883])
    """
    check_k(k)
    p, pi = _fractions(counts, alpha, class_prior, model)
    chosen: list[int] = []
    divergences: list[Decimal] = []
    with localcontext(prec=_DIGITS):
        share = [_md(x, pi, model) if model in INDEPENDENT else _share(x, pi) for x in p]
        while len(chosen) < (len(p) if k is None else min(k, len(p))):
            so_far = sum((share[s] for s in chosen), Decimal(0))
            by_term = {i: share[i] for i in range(len(p)) if i not in chosen}
            if model not in INDEPENDENT:
                for i in by_term:
                    by_term[i] += so_far + _share(_pool(p, [*chosen, i]), pi)
            largest = max(by_term.values())
            equal = largest if largest.is_infinite() else largest - _TIE * largest
            chosen.append(min(i for i, d in by_term.items() if d >= equal))
            divergences.append(so_far + largest if model in INDEPENDENT else largest)
    return np.array(chosen, dtype=np.int64), np.array(divergences, dtype=np.float64)


def same_first_term(
    counts: Any, *, alpha: Alpha = 1.0, class_prior: ClassPrior = "empirical"
) -> bool:
    r"""Return whether Algorithm 1 chooses the same first term with and without the pool.

    Parameters
    ----------
    counts, alpha, class_prior
        As for `greedy`.

    Returns
    -------
    bool
        True if the term that contributes most to the divergence is also the term with the largest
        sum of its contribution and the pool's contribution.

    Notes
    -----
    ``md`` is the divergence after the first step of Algorithm 1, so the ranking by ``md`` and
    Algorithm 1 always begin with the same term. The paper derives Algorithm 2 by an approximation
    that could change the first term. Because the probability p of a term is small, the
    approximation keeps the contribution of the term, own(e) = sum_c p log(p/q), and drops the
    contribution of the pool. Let :math:`e_1` be the term with the largest own(e). Algorithm 1 also
    chooses :math:`e_1` first if and only if, for every other term e:

        Delta <= own(e_1) - own(e),    Delta = pool(e) - pool(e_1).

    In this condition, pool(e) is sum_c (1-p) log((1-p)/(1-q)), the contribution of a pool without
    e. The paper states this condition only for one direction of the divergence, KL(P_1, P_2), and
    only for the second-best term.

    Examples
    --------
    >>> from termsift.reference import count
    >>> same_first_term(count([[3, 0, 1], [0, 3, 1]], ["sport", "trade"]))
    True

    If a term makes up half of a class, the pool contributes as much as the term:

    >>> counts = count([[10, 8, 28], [0, 36, 26]], [0, 1])
    >>> same_first_term(counts)
    False
    >>> greedy(counts)[0]
    array([1, 0, 2])
    """
    p, pi = _fractions(counts, alpha, class_prior, "multinomial")
    with localcontext(prec=_DIGITS):
        own = [_share(x, pi) for x in p]
        pool = [_share(_pool(p, [i]), pi) for i in range(len(p))]
        first = own.index(max(own))
        return all(
            pool[i] - pool[first] <= own[first] - own[i] + _TIE * (own[i] + pool[i])
            for i in range(len(p))
        )


def _share(x: Variable, pi: list[Fraction]) -> Decimal:
    """Return the contribution of one variable to the divergence of the classes."""
    if len(x) == 2:  # use the divergence J of the paper
        return _times_log(x[0] - x[1], x[0], x[1])
    q = exact_outside(x, pi)
    return sum((_times_log(x_c, x_c, q_c) for x_c, q_c in zip(x, q, strict=True)), Decimal(0))


def _md(x: Variable, pi: list[Fraction], model: str) -> Decimal:
    """Return the sum of ``md`` over the classes, for a model in which terms are independent."""
    divergence = Decimal(0)
    for x_c, q_c in zip(x, exact_outside(x, pi), strict=True):
        divergence += _times_log(x_c, x_c, q_c)
        if model == "poisson":
            divergence += _decimal(q_c - x_c)
        else:
            divergence += _times_log(1 - x_c, 1 - x_c, 1 - q_c)
    return divergence


def _times_log(factor: Fraction, x: Fraction, y: Fraction) -> Decimal:
    """Return factor * log(x / y), where 0 * log is 0, log(0 / 0) is 0 and log(x / 0) is inf."""
    if factor == 0 or x == y:
        return Decimal(0)
    if y == 0:
        return Decimal("inf")
    return _decimal(factor) * _decimal(x / y).ln()


def _decimal(x: Fraction) -> Decimal:
    return Decimal(x.numerator) / Decimal(x.denominator)


def _pool(p: list[Variable], chosen: list[int]) -> Variable:
    """Return the total probability, in each class, of all terms that are not chosen."""
    return [1 - sum((p[i][c] for i in chosen), Fraction(0)) for c in range(len(p[0]))]


def _simple(x: float) -> Fraction:
    """Return a simple fraction that rounds to x, such as 1/10 for 0.1, or else return x."""
    above, numerator, below, denominator, rest = 0, 1, 1, 0, Fraction(x)
    while denominator <= 2**30:
        whole = math.floor(rest)
        above, numerator = numerator, whole * numerator + above
        below, denominator = denominator, whole * denominator + below
        if numerator / denominator == x:
            return Fraction(numerator, denominator)
        rest = 1 / (rest - whole)
    return Fraction(x)


def _fractions(
    counts: Any, alpha: Alpha, class_prior: ClassPrior, model: str
) -> tuple[list[Variable], list[Fraction]]:
    """Return the probabilities of each term, and the priors, in classes with documents."""
    x_ic, X_c = events(counts, model)
    n_terms = len(x_ic[0])
    b1, b2 = smoothing(alpha, n_terms, model)
    present = present_classes(counts)
    x = [[Fraction(value) for value in x_ic[c]] for c in present]
    X = [Fraction(X_c[c]) for c in present]
    if model not in INDEPENDENT:
        b1 = _simple(float(b1))
        b2 = b1 * n_terms if np.ndim(alpha) == 0 else _simple(float(b2))
        if abs(b2 - b1 * n_terms) <= b2 / 2**45:
            b2 = b1 * n_terms
        X = [sum(row, Fraction(0)) for row in x]
        if n_terms * b1 > b2:
            raise ValueError(f"alpha = (b1, b2) must satisfy {n_terms} * b1 <= b2, got {alpha}")
        if b1 == 0 and not all(all(row) for row in x):
            raise ValueError(
                "alpha must be positive: a term that is absent from a class has probability 0"
            )
    p = [
        [(row[i] + b1) / (size + b2) for row, size in zip(x, X, strict=True)]
        for i in range(n_terms)
    ]
    return p, exact_priors(counts, class_prior)
