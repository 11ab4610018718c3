"""From counts to scores: a formula for every class and term, then one number a term."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from termsift.reference.counting import SupportsScoring, total
from termsift.reference.formulas import METHODS, Method, Value
from termsift.reference.tables import (
    Alpha,
    Cells,
    ClassPrior,
    Probabilities,
    cells,
    present_classes,
    priors,
    probabilities,
)

AGGREGATES = ("sum", "mean", "max")


def class_scores(
    counts: SupportsScoring,
    method: str = "md",
    *,
    alpha: Alpha = 1.0,
    class_prior: ClassPrior = None,
    model: str = "multinomial",
    noncentrality: str = "jeffreys",
) -> npt.NDArray[np.float64]:
    r"""Score every term for every class.

    Parameters
    ----------
    counts : ReferenceCounts or the like
        Anything with ``class_docs`` and ``term_frequency``, the latter dense or sparse; most
        methods read more, see `SupportsScoring`.
    method : str
        The score: "md", "md_chi2", see Notes, or another name of ``formulas.METHODS``.
    alpha : float or pair of floats, default 1
        Smoothing: b1 = alpha and b2 = alpha * M (models "bernoulli": 2 alpha, "poisson": alpha); or
        (b1, b2) themselves, 0 <= b1, and b1 <= b2 unless the model is "poisson". ``log_odds`` takes
        the weight of its prior from it, b2; no other method but "md" and "md_chi2" is smoothed.
    class_prior : None, "empirical", "uniform" or sequence of N nonnegative numbers
        pi_c: by default n_c / sum_k n_k; numbers are scaled to sum to 1. Classes without documents
        take no part: their scores are 0 and the other priors are scaled up. At least two of these
        must be positive, lest a class be compared with nothing.
    model : {"multinomial", "binary", "bernoulli", "poisson"}
        What "md" and "md_chi2" count, and what they divide it by, see Notes.
    noncentrality : {"jeffreys", "pearson"}
        Which noncentrality `md_chi2` takes, see Notes.

    Returns
    -------
    ndarray of shape (N, M)
        Scores in float64; infinite for p_ic > 0 = q_ic and the like, never NaN. All methods but
        "md" and "md_chi2" give 0 to a term that no document has.

    Notes
    -----
    With p = p_ic and q = q_ic,

    ``md`` is the term's share in the Jeffreys-Multi-Hypothesis divergence (Algorithms 2 and 3 of
    Tang, Kay and He)::

        p log(p / q) + (1 - p) log((1 - p) / (1 - q))

    ``md_chi2`` is the noncentrality parameter of its asymptotic distribution (their eq. 20 and
    Section 4.4), which leaves open whether the multi-class score means all of it or its first half
    alone. All of it selects better and is the default::

        nu_J    = 1/2 [(p - q)^2 / (q (1 - q)) + (p - q)^2 / (p (1 - p))]     "jeffreys"
        Pearson =      (p - q)^2 / (q (1 - q))                                "pearson"

    Both are of two Bernoulli variables, p = (x_ic + b1) / (X_c + b2), where a model says what is
    counted::

        "multinomial"   occurrences, x = l_ic, among all of the class, X = l_c
        "binary"        documents, x = d_ic, among those of all terms, X = sum_i d_ic
        "bernoulli"     documents, x = d_ic, among those of the class, X = n_c
        "poisson"       occurrences in a document, a rate: x = l_ic, X = n_c

    By the last, p and q are the rates of two Poisson variables: ``md`` is p log(p / q) - p + q, and
    `md_chi2` has p and q in place of p (1 - p) and q (1 - q).

    Examples
    --------
    >>> from termsift.reference import count
    >>> counts = count([[1, 1], [0, 2]], [0, 1])
    >>> class_scores(counts, "chi2")
    array([[2., 0.],
           [2., 0.]])

    Without smoothing, what never occurs outside a class tells it apart without bound. Here that
    is term 0, and in place of term 1 every other term:

    >>> class_scores(counts, "md", alpha=0)
    array([[       inf,        inf],
           [0.69314718, 0.69314718]])
    """
    scores = np.zeros(np.shape(counts.term_frequency))
    chosen = _find(method, model)
    table = _table(counts, chosen, alpha, class_prior, noncentrality, model)
    for c in present_classes(counts):
        for i in range(table.n_terms):
            if not _is_unseen(table, i):
                scores[c, i] = to_float(chosen.value(table, i, c))
    return scores


def score(
    counts: SupportsScoring,
    method: str = "md",
    *,
    alpha: Alpha = 1.0,
    class_prior: ClassPrior = None,
    aggregate: str | None = None,
    model: str = "multinomial",
    noncentrality: str = "jeffreys",
) -> npt.NDArray[np.float64]:
    """Score every term: its values for the classes, in one number.

    Parameters
    ----------
    counts, method, alpha, class_prior, model, noncentrality
        As for `class_scores`.
    aggregate : {"sum", "mean", "max"}, optional
        Sum over classes; mean, weighted by pi_c; or the largest value. Classes without documents
        take no part, nor does in the mean one with a prior of 0. By default the method's own, see
        ``formulas.METHODS``; that of "df" and "tfidf" is their value in the collection as a whole.

    Returns
    -------
    ndarray of shape (M,)
        Scores in float64, never NaN: a sum of inf and -inf is 0, as 0/0 is.

    Examples
    --------
    >>> from termsift.reference import count
    >>> counts = count([[1, 1], [0, 2]], [0, 1])
    >>> score(counts, "md_chi2").round(4)
    array([0.5833, 0.5833])
    >>> score(counts, "md_chi2", aggregate="mean").round(4)
    array([0.2917, 0.2917])
    >>> score(counts, "df")
    array([1., 2.])
    """
    if aggregate is not None and aggregate not in AGGREGATES:
        raise ValueError(f"unknown aggregate {aggregate!r}; there are {', '.join(AGGREGATES)}")
    chosen = _find(method, model)
    by_class = class_scores(
        counts,
        method,
        alpha=alpha,
        class_prior=class_prior,
        model=model,
        noncentrality=noncentrality,
    ).tolist()
    present = present_classes(counts)
    pi_c = priors(counts, class_prior)
    scores = np.zeros(np.shape(counts.term_frequency)[1])
    if aggregate is None and chosen.of_term is not None:
        table = cells(counts, alpha)
        for i in range(table.n_terms):
            if not _is_unseen(table, i):
                scores[i] = to_float(chosen.of_term(table, i))
        return scores

    for i in range(len(scores)):
        values = [by_class[c][i] for c in present]
        weights = [pi_c[c] for c in present]
        how = aggregate or chosen.aggregate
        if how == "sum":
            scores[i] = _sum(values)
        elif how == "mean":
            # A prior of 0 silences even an infinite value.
            scores[i] = _sum([pi * x for pi, x in zip(weights, values, strict=True) if pi > 0])
        else:
            scores[i] = max(values)
    return scores


def _find(method: str, model: str) -> Method:
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}; there are {', '.join(METHODS)}")
    if model != "multinomial" and not METHODS[method].has_models:
        have = ", ".join(name for name, entry in METHODS.items() if entry.has_models)
        raise ValueError(f"{method} has no model {model!r}; methods with models are {have}")
    return METHODS[method]


def _table(
    counts: SupportsScoring,
    method: Method,
    alpha: Alpha,
    class_prior: ClassPrior,
    noncentrality: str,
    model: str,
) -> Probabilities | Cells:
    """Return what the method reads; the options are checked by any."""
    priors(counts, class_prior)
    if method.has_models:
        return probabilities(counts, alpha, class_prior, noncentrality, model)
    return cells(counts, alpha)


def _is_unseen(table: Probabilities | Cells, i: int) -> bool:
    """Tell whether a term has score 0 whatever the formula: no document has it."""
    return isinstance(table, Cells) and table.d_i[i] == 0


def to_float(value: Value) -> float:
    """Return the nearest float64, infinite beyond the largest."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _sum(values: list[float]) -> float:
    result = float(total(values))
    return 0.0 if math.isnan(result) else result  # inf - inf
