"""Selectors, which choose terms one after another.

`greedy` reads only counts. Conditional and guided gain read the documents.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, Unpack

import numpy as np

from termsift import _core
from termsift._counts.adding import add_documents
from termsift._counts.counts import Counts
from termsift._scores.ranking import Ranking
from termsift._scores.registry import GREEDY
from termsift._scores.scoring import Scoring, ScoringOptions
from termsift._util import scipy, validation
from termsift._util.faults import wrong_value
from termsift._util.messages import logger, progress

_SHAPES = np.exp(np.linspace(np.log(0.1), np.log(30), 20))  # The shapes that are tried.
_MOST_TERMS = 4000  # The largest number of terms on which the shapes are tried.
_EPOCHS = 3  # The epochs of guided gain's classifiers; more epochs hardly change the result.


def greedy(
    counts: Counts, k: int | None, *, exhaustive: bool = False, **options: Unpack[ScoringOptions]
) -> Ranking:
    """Choose terms one after another, each as the best addition; see `ClassCounts.greedy`."""
    scoring = Scoring.of(counts, "md", **options)
    k = validation.check_k(k, counts.n_terms)
    exhaustive = validation.check_flag(exhaustive, "exhaustive")
    if scoring.model.independent:
        scores = scoring.scores(_core.Aggregate.sum)
        indices = _core.top_k(scores, k, scoring.n_threads)
        divergences = _core.running_sums(scores[indices])
        informative = int(np.count_nonzero(scores[indices]))
    else:
        counts.require_every_term("greedy")
        with progress("chosen", k, "terms") as report, scoring.naming_classes():
            indices, divergences, informative, evaluations = _core.greedy(
                scoring.core, *scoring.smoothing, k, exhaustive, scoring.n_threads, report
            )
        logger.debug("chose %d terms in %d evaluations", k, evaluations)
    terms = counts.terms_at(indices)
    return Ranking(indices, divergences, terms, GREEDY.name, informative, model=scoring.model.name)


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
    """Choose terms one after another, each by its gain given the terms chosen before it.

    The method was developed for termsift.

    Parameters
    ----------
    X, y, term_names
        As for `termsift.count`, with one class per document. A term counts once in a document,
        however often it occurs there.
    k : int, optional
        The number of terms. By default, or if there are fewer than k terms, all terms are chosen. A
        larger k chooses the same first terms.
    shape : float or "empirical_bayes", default "empirical_bayes"
        The number that is added to both the observed and the expected number of documents in a
        term's lift. The default takes the most likely of 20 values from 0.1 to 30, or 0.1 if no
        term is in two documents.
    temper : float, default 0.15
        How strongly the chosen terms in a document are assumed to repeat each other. The evidence
        of m terms is divided by 1 + temper (m - 1). A ``temper`` of 0 treats terms as independent.
    step : float, default 0.5
        The factor that multiplies a candidate's log lift in its gain.
    balance : float, default 0.0
        A number from 0 (all documents count equally) to 1 (all classes count equally). The losses
        of a class with n_c documents are weighted in proportion to n_c^-balance. A balance of 0.25
        gives small classes more terms, and raises the macro-averaged F1 if few terms are chosen.
    sample_weight : array of shape (n_docs,), optional
        As for `termsift.count`. Scale weights to a mean of 1, because weights that sum to 1 would
        count the collection as one document.
    n_threads : int, optional
        The number of threads, by default one per processor (see `termsift.count`).

    Returns
    -------
    ranking : Ranking
        The scores are the gains in nats: how much the choice of each term decreased the sum of the
        documents' log losses. Gains may be negative, and a gain may exceed the gain before it.

    Raises
    ------
    ValueError
        As for `termsift.count`, and if y is an indicator matrix, if fewer than two classes have
        documents, if ``shape``, ``temper``, ``step`` or ``balance`` is invalid, or if ``step`` is
        so large relative to ``shape`` that numbers would lose all precision.
    TypeError
        As for `termsift.count`.

    Notes
    -----
    A term's gain is the decrease in the log losses of the documents that contain it. A document's
    loss is the loss of naive Bayes with the terms chosen so far, trained without this document. The
    page Methods of the documentation gives the formula. Before gains are compared, they are rounded
    to units of 2^-40 n, where n is the total weight of the documents. Of terms with equal gains,
    the first in X is chosen. If there are more than 64 classes, each document keeps only the 64
    classes that its first chosen term makes most likely.

    The time is O(entries + n_terms * n_classes), plus O(n_classes + d_t min(n_classes, 64)) for
    each computed gain of a term t in d_t documents. To choose a term, the search usually computes
    20 to 100 gains. The memory is 4 bytes for each entry, 8 bytes for each pair of a class and a
    term in it, 48 bytes for each term, and up to 1 KiB for each document.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> X = np.array([[1, 1, 0, 0], [1, 1, 0, 1], [0, 0, 1, 0], [0, 0, 1, 1]])
    >>> ranking = ts.conditional_gain(X, ["ham", "ham", "spam", "spam"], shape=1.0)
    >>> ranking.indices
    array([0, 2, 1, 3])
    """
    return _gains(
        "conditional_gain",
        None,
        X,
        y,
        k,
        shape=shape,
        temper=temper,
        step=step,
        balance=balance,
        sample_weight=sample_weight,
        term_names=term_names,
        n_threads=n_threads,
    )


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
    """Choose terms one after another by conditional gain, guided by linear classifiers.

    The method was developed for termsift. Unlike in `termsift.conditional_gain`, a document's loss
    is weighted by the importance of the term to the support vector machine of the document's class.

    Parameters
    ----------
    X, y, sample_weight, term_names
        As for `termsift.count`, with one class per document and weights of mean 1. How often a term
        occurs in a document matters only to the support vector machines.
    cost : float, default 0.3
        The parameter C of the support vector machines. A larger C fits the documents more closely.
    k, shape, temper, step, balance, n_threads
        As for `termsift.conditional_gain`.

    Returns
    -------
    ranking : Ranking
        The scores are the guided gains, in which each document's loss, in nats, is multiplied by a
        factor of at most 1.

    Raises
    ------
    ValueError, TypeError
        As for `termsift.conditional_gain`, and if ``cost`` is not positive.

    Notes
    -----
    For each class, a linear support vector machine separates the documents of the class from all
    others. Three epochs of dual coordinate descent minimise the machine's squared hinge loss. A
    document's vector holds log(1 + x) for each count x, scaled to norm 1. Let w_tc be the weight of
    term t for class c. If a document of class y contains term t, the document's loss is multiplied
    by u_ty, where ::

        u_tc = max(0.1, (|w_tc| + max_k |w_tk|) / (2 max |w|))^0.75.

    The log lift of term t in each class c that has t grows by (w_tc - m) z / 2, where m is the mean
    weight of t over the classes without t, and z is the mean of the nonzero entries of the vectors.

    The support vector machines take O(entries * n_classes) time, and 8 bytes of memory for each
    entry and 20 bytes for each pair of a class and a term in it. Each thread also needs 64 bytes
    for each term that occurs and 68 bytes for each document.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> X = np.array([[1, 1, 0, 0], [1, 1, 0, 1], [0, 0, 1, 0], [0, 0, 1, 1]])
    >>> ts.guided_gain(X, ["ham", "ham", "spam", "spam"], shape=1.0).indices
    array([2, 0, 1, 3])
    """
    return _gains(
        "guided_gain",
        validation.check_number(cost, "cost"),
        X,
        y,
        k,
        shape=shape,
        temper=temper,
        step=step,
        balance=balance,
        sample_weight=sample_weight,
        term_names=term_names,
        n_threads=n_threads,
    )


def _gains(
    selector: str,
    cost: float | None,
    X: Any,
    y: Any,
    k: int | None,
    *,
    shape: float | str,
    temper: float,
    step: float,
    balance: float,
    sample_weight: Any,
    term_names: Iterable[str] | None,
    n_threads: int | None,
) -> Ranking:
    """Choose terms by gains, which support vector machines guide unless ``cost`` is None."""
    threads = validation.check_n_threads(n_threads)
    matrix = validation.check_matrix(X, threads)
    why = f"{selector} needs exactly one class for each document"
    labels = validation.check_one_class(y, matrix.n_docs, why)
    weights = validation.check_weights(sample_weight, matrix.n_docs)
    names = validation.term_names_of(X, term_names, matrix.n_terms)
    k = validation.check_k(k, matrix.n_terms)
    if not isinstance(shape, str):
        shape = validation.check_number(shape, "shape")
    elif shape != "empirical_bayes":
        raise wrong_value(
            "{shape} must be a number or 'empirical_bayes', got {given!r}", given=shape
        )
    else:
        counts = add_documents(None, matrix, labels, weights, "binary", threads)
        shape = likeliest_shape(counts)
    with progress("chosen", k, "terms") as report:
        indices, gains, evaluations = _core.conditional_gain(
            *matrix.parts,
            labels.codes,
            validation.as_float_weights(weights),
            shape,
            validation.check_number(temper, "temper", "not negative and finite"),
            validation.check_number(step, "step"),
            k,
            threads,
            report,
            balance=validation.check_number(balance, "balance", "between 0 and 1"),
            cost=0.0 if cost is None else cost,  # the core trains no machines for a cost of 0
            epochs=_EPOCHS,
        )
    logger.debug("chose %d terms in %d gains, shape %.3g", k, evaluations, shape)
    return Ranking(indices, gains, indices if names is None else names[indices], selector)


def likeliest_shape(counts: _core.Counts) -> float:
    """Return the most likely shape of the lifts' distribution, given the document counts.

    The likelihood is a product over terms t and classes c. With the shape a, the count C = D_tc and
    the expected count E = n_c d_t / n, each factor is (a / (a + E))^a, multiplied for C > 0 by
    Gamma(C + a) / (Gamma(C) Gamma(a)) (1 + a / E)^-C.
    """
    n_c = np.asarray(counts.class_docs, dtype=np.float64)
    d_t = np.asarray(counts.collection_document_frequency(), dtype=np.float64)
    shares = n_c / (n_c.sum() or 1.0)
    terms = np.flatnonzero(d_t >= 2)
    if len(terms) > _MOST_TERMS:
        terms = terms[np.arange(_MOST_TERMS) * len(terms) // _MOST_TERMS]
    d_t = d_t[terms]
    shape = len(n_c), counts.n_terms
    table = scipy.sparse.csr_array(counts.document_frequency(), shape=shape)[:, terms].tocoo()
    C = table.data.astype(np.float64)
    E = shares[table.row] * d_t[table.col]
    C_values, n_C = np.unique(C, return_counts=True)
    totals, n_terms = np.unique(d_t, return_counts=True)
    E_values = shares[:, None] * totals

    def log_likelihood(a: float) -> float:
        gammas = -np.asarray(scipy.special.betaln(a, C_values), dtype=np.float64)
        every = a * np.log(a / (a + E_values)).sum(axis=0)
        seen = (C * np.log1p(a / E)).sum()
        return float((n_C * gammas).sum() + (n_terms * every).sum() - seen)

    return float(max(_SHAPES, key=log_likelihood))
