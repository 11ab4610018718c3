"""Documents -> ranking: the one selector that needs the documents themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from scipy import special

from termsift import _core
from termsift._api.class_counts import ClassCounts
from termsift._api.counting import count_checked
from termsift._scores.methods import MODELS
from termsift._scores.ranking import Ranking
from termsift._scores.registry import check_model, find_ranker
from termsift._scores.scoring import Alpha
from termsift._util import validation
from termsift._util.log import logger
from termsift._util.progress import progress

# Of the shapes that are tried, and of the terms that they are tried on.
_SHAPES = np.exp(np.linspace(np.log(0.1), np.log(30), 20))
_MOST_TERMS = 4000
_MOST_WEIGHT = 1e150  # of all documents: products of two numbers of documents are finite


def conditional_gain(
    X: Any,
    y: Any,
    k: int | Literal["auto"] | None = None,
    *,
    shape: float | Literal["empirical_bayes"] = "empirical_bayes",
    temper: float = 0.15,
    step: float = 0.5,
    sample_weight: Any = None,
    n_threads: int | None = None,
) -> Ranking:
    """Choose each term for what it adds about the documents' classes, given those chosen before.

    Every score of `termsift.methods` values a term alone, and the best by it repeat one another.
    This method is termsift's own.

    Parameters
    ----------
    X, y, n_threads
        As for `termsift.count`, with one class a document. Only whether a document has a term
        counts, not how often.
    sample_weight : array of shape (n_docs,), optional
        A document of weight w counts as w documents. Scale weights to a mean of 1: weights that sum
        to 1 would count the collection as one document, which tells next to nothing.
    k : int or "auto", optional
        How many terms; all if None or more than there are. A small k takes less time, and the first
        k are the same for any larger one. "auto" asks `termsift.choose_k`, which takes the weights
        but not shape, temper and step.
    shape : float or "empirical_bayes", default "empirical_bayes"
        How much evidence it takes to believe that a class has more or less of a term than others,
        in documents: a term's lift is counted as if it had been seen and expected so many times
        more. By default what makes the collection most likely; 0.1 if no term is in two documents.
    temper : float, default 0.15
        How much the chosen terms of a document repeat each other, from 0, each is evidence of its
        own: the evidence of m terms counts 1 / (1 + temper (m - 1)).
    step : float, default 0.5
        How much of a candidate's lift is believed.

    Returns
    -------
    ranking : Ranking
        Its scores are the gains in nats, each when the term was chosen: what is taken off the sum
        of the documents' log losses. They may be negative, and one may exceed the one before.

    Raises
    ------
    ValueError
        As for `termsift.count`; if y is an indicator matrix; for a shape, temper or step that is
        not as above, or a step so large beside shape that numbers would lose their digits.
    TypeError
        As for `termsift.count`.

    Notes
    -----
    D_tc documents of class c contain term t, d_t in all; there are n_c of the class and n. The
    shrunk log lift is ``W_tc = log((D_tc + a) / (n_c d_t / n + a))``, a the shape, and W'_tc is the
    same after one document of class c has been left out. A document d of class y that contains m
    of the terms chosen so far belongs to class c with a probability P_dc in proportion to
    ``n_c / n exp(F_dc / (1 + temper (m - 1)))``, where F_dc is the sum of W_tc over these terms,
    and that of W'_ty for its own class, which must not tell what it was told by the document
    itself: a tempered naive Bayes posterior, with the document left out. If the candidate t were
    believed by the step b, it would become proportional to ``P_dc exp(b W_tc)``; what that takes
    off the log loss -log P_dy, summed over the documents that contain t, is the gain ::

        gain_t = sum_d -log( sum_{c != y} P_dc exp(b (W_tc - W'_ty)) + P_dy ).

    Terms wait by their last known gains. The first of them is looked at again unless that was done
    since the last choice; then it is chosen. Gains are compared in whole units of 2^-40 n, and
    equals come by index. (Gains may grow, so that some other term's may be the largest by then. To
    know all of them at each step takes twelve times as many, and chooses no better.)

    The shape maximises the likelihood of D_tc ~ Poisson(n_c d_t / n lambda), lambda ~ Gamma(a, a),
    over 20 values from 0.1 to 30, of at most 4,000 terms that two documents contain.

    Of more than 64 classes, 64 are in play for a document from its first chosen term t on: its own,
    and of the others those of the largest ``log(n_c / n) + W_tc``; for the rest P_dc = 0.

    Time: O(entries + n_terms * n_classes), and O(n_classes + d_t min(n_classes, 64)) for each of
    some 20 to 100 gains that a choice takes. Memory: 4 bytes for each entry, 40 for each term, 16
    for each document, and for one that has a chosen term 12 for each class, or 1 KiB where there
    are more than 64; before that what `termsift.count` takes, if the shape is to be estimated. The
    same bits for any number of threads.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> X = np.array([[1, 1, 0, 0], [1, 1, 0, 1], [0, 0, 1, 0], [0, 0, 1, 1]])
    >>> ranking = ts.conditional_gain(X, ["ham", "ham", "spam", "spam"], shape=1.0)
    >>> ranking.indices
    array([0, 2, 1, 3])
    """
    threads = validation.check_n_threads(n_threads)
    matrix = validation.check_matrix(X, threads)
    labels = validation.check_one_class(
        y, matrix.n_docs, "what a term adds is asked of a document's one class"
    )
    weights = validation.check_weights(sample_weight, matrix.n_docs)
    if isinstance(k, str) and k == "auto":
        from termsift._evaluate.evaluation import (
            choose_k,  # which ranks by this function, among others
        )

        k = choose_k(X, y, "conditional_gain", sample_weight=sample_weight, n_threads=n_threads)
    k = validation.check_k(k, matrix.n_terms)
    if isinstance(shape, str):
        if shape != "empirical_bayes":
            raise ValueError(f"shape must be a number or 'empirical_bayes', got {shape!r}")
        if weights is not None and not weights.sum(dtype=np.float64) < _MOST_WEIGHT:
            raise ValueError(
                f"sample_weight has a sum of {weights.sum(dtype=np.float64):.3g}, expected less "
                "than 1e150, as products of two sums are needed: scale the weights to a mean of 1"
            )
        a = likeliest_shape(count_checked(matrix, labels, weights, "binary", threads))
    else:
        a = validation.check_positive(shape, "shape")
    with progress("chosen", k, "terms") as report:
        indices, gains, evaluations = _core.conditional_gain(
            matrix.indptr,
            matrix.indices,
            matrix.data,
            matrix.n_terms,
            labels.codes,
            len(labels.classes),
            validation.as_float_weights(weights),
            a,
            validation.check_not_negative(temper, "temper"),
            validation.check_positive(step, "step"),
            k,
            threads,
            report,
        )
    logger.debug("chose %d terms in %d gains, shape %.3g", k, evaluations, a)
    return Ranking(indices, gains, None, "conditional_gain")


def rank_by(
    method: str,
    counts: ClassCounts,
    X: Any,
    y: Any,
    k: int | None = None,
    *,
    sample_weight: Any = None,
    alpha: Alpha = 1.0,
    n_threads: int | None = None,
    **options: Any,
) -> Ranking:
    """Rank by any method: by the counts, or by the documents (X, y) if it looks at those.

    Alpha smooths what is of counts. Of ``options``, those of `ClassCounts.rank`, a method that
    looks at documents has none.
    """
    chosen = find_ranker(method)
    if not chosen.reads_documents:
        return counts.rank(method, k, alpha=alpha, n_threads=n_threads, **options)
    check_model(options.pop("model", MODELS[0]), chosen)
    for name, value in options.items():
        if value is not None and not validation.is_one_of(value, ("top", "empirical")):
            raise ValueError(f"{method} looks at the documents and has no {name}, got {value!r}")
    ranking = conditional_gain(X, y, k, sample_weight=sample_weight, n_threads=n_threads)
    if counts.term_names is None:
        return ranking
    return replace(ranking, terms=counts.term_names[ranking.indices])


def likeliest_shape(counts: ClassCounts) -> float:
    """Give the shape of the lifts' distribution that makes the counts of documents most likely.

    With C = D_tc and E = n_c d_t / n the likelihood is, but for what does not depend on a, the
    product of Gamma(C + a) / (Gamma(C) Gamma(a)) (1 + a / E)^-C, left out where C = 0, and of
    (a / (a + E))^a over terms and classes. No logarithm of these grows like C log C, so that
    rounding does not decide between shapes for large weights. Factors of every class are summed by
    d_t: O(pairs of the terms + n_classes * distinct d_t) for each shape.
    """
    n_c = np.asarray(counts.class_docs, dtype=np.float64)
    d_t = np.asarray(counts.collection_document_frequency, dtype=np.float64)
    n = n_c.sum()
    terms = np.flatnonzero(d_t >= 2)
    if len(terms) > _MOST_TERMS:
        terms = terms[np.arange(_MOST_TERMS) * len(terms) // _MOST_TERMS]
    is_taken = np.zeros(counts.n_terms, dtype=bool)
    is_taken[terms] = True
    table = counts.document_frequency
    taken = np.flatnonzero(is_taken[table.indices])
    rows = np.searchsorted(table.indptr, taken, side="right") - 1
    C = table.data[taken].astype(np.float64)
    E = n_c[rows] * d_t[table.indices[taken]] / n
    C_values, n_C = np.unique(C, return_counts=True)
    totals, n_terms = np.unique(d_t[terms], return_counts=True)
    E_values = n_c[:, None] * totals / n

    def log_likelihood(a: float) -> float:
        gammas = -np.asarray(special.betaln(a, C_values), dtype=np.float64)
        every = a * np.log(a / (a + E_values)).sum(axis=0)
        seen = (C * np.log1p(a / E)).sum()
        return float((n_C * gammas).sum() + (n_terms * every).sum() - seen)

    return float(max(_SHAPES, key=log_likelihood))
