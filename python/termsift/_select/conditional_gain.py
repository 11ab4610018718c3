"""Conditional and guided gain, selectors that read the documents and not only their counts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from termsift import _core
from termsift._scores.ranking import Ranking
from termsift._util import scipy, validation
from termsift._util.adding import add_documents, is_exact
from termsift._util.log import logger
from termsift._util.progress import progress

_SHAPES = np.exp(np.linspace(np.log(0.1), np.log(30), 20))  # those that are tried
_MOST_TERMS = 4000  # that the shapes are tried on
_MOST_WEIGHT = 1e150  # of all documents, so that the product of two such sums is finite
_EPOCHS = 3  # of the machines of guided gain; more change the chosen terms little


def conditional_gain(
    X: Any,
    y: Any,
    k: int | None = None,
    *,
    shape: float | Literal["empirical_bayes"] = "empirical_bayes",
    temper: float = 0.15,
    step: float = 0.5,
    balance: float = 0.0,
    sample_weight: Any = None,
    term_names: Iterable[str] | None = None,
    n_threads: int | None = None,
) -> Ranking:
    """Choose each term for what it adds about the documents' classes, given those chosen before.

    This method is termsift's own.

    Parameters
    ----------
    X, y, term_names, n_threads
        As for `termsift.count`, with one class per document. Only whether a document has a term
        counts, not how often.
    k : int, optional
        How many terms; all if None or more than there are. The first k are the same for any larger
        one.
    shape : float or "empirical_bayes", default "empirical_bayes"
        Number of documents added to both the observed and the expected ones of a term's lift. The
        default makes the collection most likely; it is 0.1 if no term is in two
        documents.
    temper : float, default 0.15
        How much the chosen terms of a document repeat each other: the evidence of m terms is
        divided by 1 + temper (m - 1). At 0 each term is evidence of its own.
    step : float, default 0.5
        How much of a candidate's lift is believed.
    balance : float, default 0.0
        From 0, where each document counts as much as any other, to 1, where each class does: the
        losses of a class with n_c documents count in proportion to n_c^-balance. At 0.25 small
        classes get more terms, and macro-averaged F1 of few terms rises.
    sample_weight : array of shape (n_docs,), optional
        As for `termsift.count`. Scale weights to a mean of 1: weights that sum to 1 would count the
        collection as one document, which shows next to nothing.

    Returns
    -------
    ranking : Ranking
        Its scores are the gains in nats: by how much each term lowered the sum of the documents'
        log losses when it was chosen. They may be negative, and one may exceed the one before.

    Raises
    ------
    ValueError
        As for `termsift.count`; if y is an indicator matrix; if shape, temper, step or
        balance is not as above, or the step is so large beside the shape that numbers would lose
        their digits.
    TypeError
        As for `termsift.count`.

    Notes
    -----
    A term's gain is how much it lowers the log losses of the documents that contain it. Naive Bayes
    with the terms chosen so far classifies each, leaving that document out. The page Methods of the
    documentation defines it. Gains are compared in whole units of 2^-40 n, and ties go to the lower
    index. With more than 64 classes, a document keeps only the 64 that its first chosen term makes
    most likely.

    Time: O(entries + n_terms * n_classes), and O(n_classes + d_t min(n_classes, 64)) for each of
    the 20 to 100 gains that a choice usually takes. Memory: 4 bytes for each entry, 8 for each
    class that has a term, 48 for each term, and up to 1 KiB for each document.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> X = np.array([[1, 1, 0, 0], [1, 1, 0, 1], [0, 0, 1, 0], [0, 0, 1, 1]])
    >>> ranking = ts.conditional_gain(X, ["ham", "ham", "spam", "spam"], shape=1.0)
    >>> ranking.indices
    array([0, 2, 1, 3])
    """
    rest = sample_weight, term_names, n_threads
    return _chosen("conditional_gain", X, y, k, shape, temper, step, balance, 0.0, *rest)


def guided_gain(
    X: Any,
    y: Any,
    k: int | None = None,
    *,
    cost: float = 0.3,
    shape: float | Literal["empirical_bayes"] = "empirical_bayes",
    temper: float = 0.15,
    step: float = 0.5,
    balance: float = 0.0,
    sample_weight: Any = None,
    term_names: Iterable[str] | None = None,
    n_threads: int | None = None,
) -> Ranking:
    """Choose each term for what it adds to those before it, as far as a classifier would use it.

    This method is termsift's own. It is `termsift.conditional_gain` in which a document's loss
    counts by the weight that a linear support vector machine of its class gives the term.

    Parameters
    ----------
    X, y, k
        As for `termsift.conditional_gain`. The machines see how often a document has a term.
        All else depends on whether it has it.
    cost : float, default 0.3
        C of the machines: the larger it is, the closer they follow the documents.
    shape, temper, step, balance, sample_weight, term_names, n_threads
        As for `termsift.conditional_gain`.

    Returns
    -------
    ranking : Ranking
        Its scores are the guided gains: nats, times a factor of at most 1 for each class.

    Raises
    ------
    ValueError, TypeError
        As for `termsift.conditional_gain`, and if cost is not positive.

    Notes
    -----
    One machine for each class tells its documents from all others: squared hinge loss, the vectors
    log(1 + x) of the documents scaled to length 1, three epochs of dual coordinate descent. Let
    w_tc be the weight of term t for class c. The loss of a document of class y that has term t is
    weighted by u_ty, where ::

        u_tc = max(0.1, (|w_tc| + max_k |w_tk|) / (2 max |w|))^0.75.

    The log lift of each class that has the term grows by z/2 times the difference of w_tc from the
    mean weight of t for the classes that do not have it, where z is the mean entry of the vectors.

    The machines take O(entries * n_classes) time, 8 bytes for each entry and 20 for each class that
    has a term, and for each thread 64 for each term that a document has and 68 for each document.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> X = np.array([[1, 1, 0, 0], [1, 1, 0, 1], [0, 0, 1, 0], [0, 0, 1, 1]])
    >>> ts.guided_gain(X, ["ham", "ham", "spam", "spam"], shape=1.0).indices
    array([2, 0, 1, 3])
    """
    cost = validation.check_positive(cost, "cost")
    rest = sample_weight, term_names, n_threads
    return _chosen("guided_gain", X, y, k, shape, temper, step, balance, cost, *rest)


def _chosen(
    selector: str,
    X: Any,
    y: Any,
    k: int | None,
    shape: float | str,
    temper: float,
    step: float,
    balance: float,
    cost: float,
    sample_weight: Any,
    term_names: Iterable[str] | None,
    n_threads: int | None,
) -> Ranking:
    """Choose terms by a selector; without guidance by machines the cost is 0."""
    threads = validation.check_n_threads(n_threads)
    matrix = validation.check_matrix(X, threads)
    labels = validation.check_one_class(
        y, matrix.n_docs, f"{selector} asks what a term adds about a document's one class"
    )
    weights = validation.check_weights(sample_weight, matrix.n_docs)
    names = validation.term_names_of(X, term_names, matrix.n_terms)
    if len(labels.classes) < 2:
        logger.warning("the documents have fewer than two classes, so no term adds anything")
    k = validation.check_k(k, matrix.n_terms)
    if not isinstance(shape, str):
        a = validation.check_positive(shape, "shape")
    elif shape != "empirical_bayes":
        raise ValueError(f"shape must be a number or 'empirical_bayes', got {shape!r}")
    else:
        if weights is not None and not weights.sum(dtype=np.float64) < _MOST_WEIGHT:
            raise ValueError(
                f"sample_weight has a sum of {weights.sum(dtype=np.float64):.3g}, expected less "
                "than 1e150, as products of two sums are needed: scale the weights to a mean of 1"
            )
        nothing = _core.Counts(len(labels.classes), is_exact(matrix, weights, "binary"))
        counts = add_documents(nothing, matrix, labels, weights, "binary", threads)
        a = likeliest_shape(counts)
    with progress("chosen", k, "terms") as report:
        indices, gains, evaluations = _core.conditional_gain(
            *matrix.parts,
            labels.codes,
            len(labels.classes),
            validation.as_float_weights(weights),
            a,
            validation.check_not_negative(temper, "temper"),
            validation.check_positive(step, "step"),
            k,
            threads,
            report,
            balance=validation.check_between_0_and_1(balance, "balance"),
            cost=cost,
            epochs=_EPOCHS,
        )
    logger.debug("chose %d terms in %d gains, shape %.3g", k, evaluations, a)
    return Ranking(indices, gains, None if names is None else names[indices], selector)


def likeliest_shape(counts: _core.Counts) -> float:
    """Return the shape of the distribution of lifts that makes the document counts most likely.

    With C = D_tc and E = n_c d_t / n, the likelihood is, up to factors without a, the product over
    terms and classes of (a / (a + E))^a and, where C > 0, of
    Gamma(C + a) / (Gamma(C) Gamma(a)) (1 + a / E)^-C. Factors of all classes are summed by d_t:
    O(pairs of the terms + n_classes * distinct d_t) for each shape.
    """
    n_c = np.asarray(counts.class_docs, dtype=np.float64)
    documents, occurring, _ = counts.as_one_class().document_frequency()
    d_t = np.zeros(counts.n_terms)
    d_t[occurring] = documents
    n = n_c.sum()
    terms = np.flatnonzero(d_t >= 2)
    if len(terms) > _MOST_TERMS:
        terms = terms[np.arange(_MOST_TERMS) * len(terms) // _MOST_TERMS]
    d_t = d_t[terms]
    shape = len(n_c), counts.n_terms
    table = scipy.sparse.csr_array(counts.document_frequency(), shape=shape)[:, terms].tocoo()
    C = table.data.astype(np.float64)
    E = n_c[table.row] * d_t[table.col] / n
    C_values, n_C = np.unique(C, return_counts=True)
    totals, n_terms = np.unique(d_t, return_counts=True)
    E_values = n_c[:, None] * totals / n

    def log_likelihood(a: float) -> float:
        gammas = -np.asarray(scipy.special.betaln(a, C_values), dtype=np.float64)
        every = a * np.log(a / (a + E_values)).sum(axis=0)
        seen = (C * np.log1p(a / E)).sum()
        return float((n_C * gammas).sum() + (n_terms * every).sum() - seen)

    return float(max(_SHAPES, key=log_likelihood))
