"""Scores: compute a value for every class and term, and aggregate the values of a term."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from termsift.reference.counting import total
from termsift.reference.formulas import METHODS, Method, Value
from termsift.reference.tables import (
    Alpha,
    Cells,
    ClassPrior,
    Probabilities,
    present_classes,
    priors,
)

AGGREGATES = ("sum", "mean", "max")


def class_scores(
    counts: Any,
    method: str = "md",
    *,
    alpha: Alpha = 1.0,
    class_prior: ClassPrior = "empirical",
    model: str = "multinomial",
    noncentrality: str = "jeffreys",
    variant: str = "idf",
    sqrt: bool = False,
    zero: str | None = None,
) -> npt.NDArray[np.float64]:
    r"""Score every term for every class.

    Parameters
    ----------
    counts : ReferenceCounts or similar
        Any object with ``class_docs`` and ``term_frequency``, dense or sparse. All methods except
        "md" and "md_chi2" also read ``document_frequency`` and ``n_docs``. If documents have
        several classes or none, ``collection_term_frequency`` and ``collection_document_frequency``
        are also read.
    method : str
        A name in ``formulas.METHODS``, such as "md" or "md_chi2" (see Notes).
    alpha : float or pair of floats, default 1
        The smoothing. A pair of numbers is (b1, b2). For one number, b1 = alpha and b2 = alpha * M.
        But b2 = 2 * alpha for the model "bernoulli", and b2 = alpha for "poisson". No number may be
        negative, and b1 may exceed b2 only with the model "poisson". Only "md", "md_chi2",
        "log_ratio", "cmfs" and "log_odds" are smoothed. For "log_odds" b2 is the weight of the
        prior.
    class_prior : "empirical", "uniform", sequence of N nonnegative numbers, or dict by label
        The priors pi_c, which are n_c / sum_k n_k if they are empirical. Given priors are scaled to
        sum to 1. Classes without documents are ignored: their scores are 0 and the other priors are
        scaled up. At least two classes with documents must have positive priors, because every
        class is compared with at least one other class.
    model : {"multinomial", "binary", "bernoulli", "poisson"}
        The event model, which determines the counts and totals in the formulas of "md" and
        "md_chi2" (see Notes).
    noncentrality : {"jeffreys", "pearson"}
        The noncentrality parameter that ``md_chi2`` returns (see Notes).
    variant : {"idf", "bm25"}
        How ``c_tfidf`` weights a term (see ``formulas.c_tfidf``).
    sqrt : bool
        If True, ``c_tfidf`` uses the square root of the term's share l_ic/l_c.
    zero : {"epsilon", "document"}, optional
        What replaces a document share of 0 in ``ndm``, ``mmr`` and ``wllr``: 10^-10, or the share
        of one document. The default is "document" for ``wllr``, and "epsilon" for the others.

    Returns
    -------
    ndarray of shape (N, M)
        Scores in float64, which can be infinite (for example, if p_ic > 0 and q_ic = 0), but never
        NaN. For all methods except "md" and "md_chi2", the score is 0 if no document has the term.

    Notes
    -----
    Let p = p_ic and q = q_ic.

    ``md`` is the contribution of term i to the Jeffreys-Multi-Hypothesis divergence (Algorithms 2
    and 3 of Tang, Kay and He)::

        p log(p / q) + (1 - p) log((1 - p) / (1 - q))

    ``md_chi2`` is the noncentrality parameter of the asymptotic distribution of ``md`` (eq. 20 and
    Section 4.4). The paper leaves open whether the multi-class score has both fractions or only the
    first fraction. The default is both fractions, because their sum selects better terms::

        nu_J    = 1/2 [(p - q)^2 / (q (1 - q)) + (p - q)^2 / (p (1 - p))]     "jeffreys"
        Pearson =      (p - q)^2 / (q (1 - q))                                "pearson"

    ``md`` and ``md_chi2`` compare Bernoulli variables with p = (x_ic + b1) / (X_c + b2). The model
    defines the counts x_ic and their totals X_c::

        "multinomial"   x = l_ic occurrences of X = l_c
        "binary"        x = d_ic documents of X = sum_i d_ic
        "bernoulli"     x = d_ic documents of X = n_c
        "poisson"       x = l_ic occurrences in X = n_c documents, a rate

    With the model "poisson", p and q are the rates of Poisson variables. For Poisson variables,
    ``md`` is p log(p / q) - p + q, and the denominators of ``md_chi2`` are q and p.

    Examples
    --------
    >>> from termsift.reference import count
    >>> counts = count([[1, 1], [0, 2]], [0, 1])
    >>> class_scores(counts, "chi2")
    array([[2., 0.],
           [2., 0.]])

    Without smoothing, a divergence is infinite if exactly one of p and q is 0, or exactly one is 1.
    In this example the documents of class 1 contain only term 1:

    >>> class_scores(counts, "md", alpha=0)
    array([[       inf,        inf],
           [0.69314718, 0.69314718]])
    """
    scores = np.zeros(np.shape(counts.term_frequency))
    chosen = _find(method, model)
    priors(counts, class_prior)  # a wrong prior is an error even if the method uses no prior
    table: Probabilities | Cells
    if chosen.has_models:
        table = Probabilities(counts, alpha, class_prior, model, noncentrality)
    else:
        table = Cells(counts, alpha, variant, sqrt, zero)
    for c in present_classes(counts):
        for i in range(table.n_terms):
            if not _is_unseen(table, i):
                scores[c, i] = to_float(chosen.value(table, i, c))
    return scores


def score(
    counts: Any,
    method: str = "md",
    *,
    alpha: Alpha = 1.0,
    class_prior: ClassPrior = "empirical",
    aggregate: str | None = None,
    model: str = "multinomial",
    noncentrality: str = "jeffreys",
    variant: str = "idf",
    sqrt: bool = False,
    zero: str | None = None,
) -> npt.NDArray[np.float64]:
    """Score every term: aggregate the term's class scores into one number.

    Parameters
    ----------
    counts, method, alpha, class_prior, model, noncentrality, variant, sqrt, zero
        As for `class_scores`.
    aggregate : {"sum", "mean", "max"}, optional
        The sum of the class scores, their mean weighted by pi_c, or the largest class score.
        Classes without documents are ignored, and the mean also ignores classes with a prior of 0.
        The default depends on the method (see ``formulas.METHODS``). For "df" and "tfidf" the
        default score is the value for the whole collection.

    Returns
    -------
    ndarray of shape (M,)
        Scores in float64. No score is NaN, because a sum of inf and -inf is replaced by 0.

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
        raise ValueError(f"unknown aggregate {aggregate!r}; use one of {', '.join(AGGREGATES)}")
    chosen = _find(method, model)
    options: dict[str, Any] = {"model": model, "noncentrality": noncentrality}
    options |= {"variant": variant, "sqrt": sqrt, "zero": zero}
    by_class = class_scores(counts, method, alpha=alpha, class_prior=class_prior, **options)
    scores = np.zeros(by_class.shape[1])
    if aggregate is None and chosen.of_term is not None:
        table = Cells(counts, alpha)
        for i in range(table.n_terms):
            if not _is_unseen(table, i):
                scores[i] = to_float(chosen.of_term(table, i))
        return scores

    how = aggregate or chosen.aggregate
    present = present_classes(counts)
    pi_c = priors(counts, class_prior)
    for i, of_classes in enumerate(by_class.T.tolist()):
        if how == "sum":
            scores[i] = _sum([of_classes[c] for c in present])
        elif how == "mean":
            # A class with a prior of 0 is ignored even if its value is infinite.
            scores[i] = _sum([pi_c[c] * of_classes[c] for c in present if pi_c[c] > 0])
        else:
            scores[i] = max(of_classes[c] for c in present)
    return scores


def _find(method: str, model: str) -> Method:
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}; use one of {', '.join(METHODS)}")
    if model != "multinomial" and not METHODS[method].has_models:
        have = ", ".join(name for name, entry in METHODS.items() if entry.has_models)
        raise ValueError(f"{method} has no model {model!r}; methods with models are {have}")
    return METHODS[method]


def _is_unseen(table: Probabilities | Cells, i: int) -> bool:
    """Return whether the score is 0 because no document has the term and the input is `Cells`."""
    return isinstance(table, Cells) and table.d_i[i] == 0


def to_float(value: Value) -> float:
    """Return the nearest float64, or an infinity if the value exceeds the largest float64."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _sum(values: list[float]) -> float:
    result = float(total(values))
    return 0.0 if math.isnan(result) else result  # inf - inf
