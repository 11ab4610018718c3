"""Conditional gain: choose each term by the information that it adds to earlier terms."""

from __future__ import annotations

import heapq
import math
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from termsift.reference.counting import (
    ReferenceCounts,
    as_list,
    count,
    is_indicator,
    read_documents,
)
from termsift.reference.machines import document_vectors, linear_machines
from termsift.reference.ranking import check_k

_SHAPES = [math.exp(math.log(0.1) + i / 19 * math.log(30 / 0.1)) for i in range(20)]
_MOST_TERMS = 4000  # the largest number of terms for the estimate of the shape

Floats = npt.NDArray[np.float64]


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
    classes_in_play: int = 64,
) -> tuple[npt.NDArray[np.int64], Floats]:
    r"""Choose terms one after the other, each by the information that it adds to earlier terms.

    Parameters
    ----------
    X, y, sample_weight
        As for `count`, with one label per document.
    k : int, optional
        The number of terms to choose. By default, all terms are chosen.
    shape : float or "empirical_bayes"
        The number ``a`` in the Notes. "empirical_bayes" stands for the result of `likeliest_shape`.
    temper, step : float
        The numbers rho and b in the Notes.
    balance : float
        The loss of a document of class c has a weight proportional to n_c^-balance. The weights of
        the losses are scaled so that their sum does not depend on the balance.
    classes_in_play : int
        The number of classes that can have a positive probability for a document.

    Returns
    -------
    indices : ndarray of shape (min(k, M),)
        The terms in the order in which they are chosen.
    gains : ndarray of shape (min(k, M),)
        The gain of each term when it was chosen, in nats.

    Notes
    -----
    There are n documents, of which n_c belong to class c. Term t is in d_t documents, of which D_tc
    belong to class c. W_tc is the logarithm of the ratio of D_tc to its expected value, shrunk
    towards 0 by ``a``. W'_tc is W_tc if one document of class c with term t is left out::

        W_tc  = log((D_tc + a) / (n_c d_t / n + a))
        W'_tc = log((D_tc - 1 + a) / ((n_c - 1) (d_t - 1) / (n - 1) + a))

    In W'_tc, negative differences count as 0, and 0/0 is 0. Let a document d of class y contain m
    of the chosen terms. Let P_dc be the single-precision probability that document d is in class c:

        P_dc proportional to n_c exp(F_dc / (1 + rho (m - 1))).

    In this formula, F_dc is the sum of W_tc over the m chosen terms of document d or, for c = y,
    the sum of W'_tc. If document d has no chosen term, P_dc is n_c / n. When the first term t of a
    document is chosen, the document keeps only ``classes_in_play`` classes: its own class, and the
    other classes with the largest log(n_c / n) + W_tc, rounded to multiples of 2^-30. Classes with
    equal values are ordered by index. For classes that are not kept, P_dc = 0. Suppose that term t
    multiplies the odds of class c by exp(b W_tc), or by exp(b W'_tc) if c = y. The gain of term t
    is the decrease of the losses -log P_dy, summed over documents::

        gain_t = sum over the documents d with t of
                 -log(sum over c != y of P_dc exp(b (W_tc - W'_ty)), plus P_dy)

    The candidates are kept in a queue, ordered by their last known gains. If the gain of the first
    candidate was computed after the last choice, the candidate is chosen. If the gain is older, it
    is computed again, and the candidate returns to the queue. Gains are rounded to multiples of
    2^-40 n nats before they are compared, and equal gains are ordered by index.

    Examples
    --------
    >>> X = [[1, 1, 0, 0], [1, 1, 0, 1], [0, 0, 1, 0], [0, 0, 1, 1]]
    >>> indices, gains = conditional_gain(X, ["ham", "ham", "spam", "spam"], shape=1.0)
    >>> indices
    array([0, 2, 1, 3])
    >>> gains.round(4)
    array([ 0.4748,  0.4748,  0.2233, -0.0577])
    """
    return _choose(X, y, k, shape, temper, step, balance, sample_weight, classes_in_play, None)


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
    classes_in_play: int = 64,
) -> tuple[npt.NDArray[np.int64], Floats]:
    r"""Choose terms by conditional gain and the weights of linear support vector machines.

    Parameters
    ----------
    X, y, k, shape, temper, step, balance, sample_weight, classes_in_play
        As for `conditional_gain`.
    cost : float
        The factor C of `linear_machines`.

    Returns
    -------
    indices : ndarray of shape (min(k, M),)
        The terms in the order in which they are chosen.
    gains : ndarray of shape (min(k, M),)
        The guided gain of each term when it was chosen.

    Notes
    -----
    Let w_tc be the weights of `linear_machines` after three epochs, with documents in the order of
    their classes. Let z be the mean of the nonzero entries of the documents' vectors. Let w_t* be
    the mean of w_tc over the classes without term t, or over all classes if every class has t::

        u_tc    = max(0.1, (|w_tc| + max_k |w_tk|) / (2 max |w|))^0.75
        W_tc   += z/2 (w_tc - w_t*)      for classes that have the term, and W'_tc likewise
        gain_t  = sum over the documents d with t of
                  -u_ty log(sum over c != y of P_dc exp(b (W_tc - W'_ty)), plus P_dy)

    In all other respects, `guided_gain` is defined like `conditional_gain`.

    Examples
    --------
    >>> X = [[1, 1, 0, 0], [1, 1, 0, 1], [0, 0, 1, 0], [0, 0, 1, 1]]
    >>> guided_gain(X, ["ham", "ham", "spam", "spam"], shape=1.0)[0]
    array([2, 0, 1, 3])
    """
    return _choose(X, y, k, shape, temper, step, balance, sample_weight, classes_in_play, cost)


def _choose(
    X: Any,
    y: Any,
    k: int | None,
    shape: float | str,
    temper: float,
    step: float,
    balance: float,
    sample_weight: Any,
    classes_in_play: int,
    cost: float | None,
) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return the terms and gains of `conditional_gain` or, with a cost, of `guided_gain`."""
    check_k(k)
    has = _presence(X)
    counts = count(has, y, sample_weight)
    if is_indicator(y):
        raise ValueError("y is an indicator matrix, not one label per document")
    a = likeliest_shape(counts) if isinstance(shape, str) else shape

    present = np.flatnonzero(counts.class_docs > 0)
    if len(present) < 2:
        raise ValueError(f"scores need at least two classes with documents, got {len(present)}")
    position = {counts.classes[c]: i for i, c in enumerate(present)}
    w = np.ones(len(has)) if sample_weight is None else np.array(sample_weight, dtype=np.float64)
    own = [position.get(label, -1) for label in as_list(y)]  # -1 if the class has weight 0
    documents = [np.flatnonzero(column & (w > 0)).tolist() for column in has.T]
    n_c = counts.class_docs[present].astype(np.float64)
    D = counts.document_frequency[present].astype(np.float64)
    W, own_W = _log_lifts(D, n_c, a)
    u = np.ones(W.shape)
    if cost is not None:
        u, more = _guide(X, own, w, D > 0, cost)
        W, own_W = W + more, own_W + more
    u = u * n_c**-balance * n_c.sum() / (n_c ** (1 - balance)).sum()

    in_play = np.ones((len(has), len(n_c)), dtype=np.bool_)
    P = np.tile((n_c / n_c.sum()).astype(np.float32), (len(has), 1))
    F = np.zeros((len(has), len(n_c)))
    m = np.zeros(len(has), dtype=np.int64)

    def gain(t: int) -> float:
        losses = []
        for d in documents[t]:
            y_d = own[d]
            ratios = P[d].astype(np.float64) * np.exp(step * (W[t] - own_W[t, y_d]))
            ratios[y_d] = P[d, y_d]
            losses.append(-u[t, y_d] * w[d] * math.log(math.fsum(ratios)))
        return math.fsum(losses)

    def units(x: float) -> int:
        return round(math.ldexp(x / n_c.sum(), 40)) if x else 0

    def likeliest(t: int, y_d: int) -> list[bool]:
        merit = [-round(math.ldexp(x, 30)) for x in (np.log(n_c / n_c.sum()) + W[t]).tolist()]
        others = sorted((merit[c], c) for c in range(len(n_c)) if c != y_d)
        kept = {y_d, *(c for _, c in others[: classes_in_play - 1])}
        return [c in kept for c in range(len(n_c))]

    def choose(t: int) -> None:
        for d in documents[t]:
            y_d = own[d]
            if m[d] == 0:
                in_play[d] = likeliest(t, y_d)
            F[d] += [own_W[t, c] if c == y_d else W[t, c] for c in range(len(n_c))]
            m[d] += 1
            logs = np.log(n_c) + F[d] / (1 + temper * (m[d] - 1))
            logs[~in_play[d]] = -math.inf
            odds = np.exp(logs - logs.max())
            P[d] = odds / odds.sum()

    n_terms = has.shape[1]
    gains = [gain(t) for t in range(n_terms)]
    known_at = [0] * n_terms  # the number of chosen terms when the gain was computed
    waiting = [(-units(gains[t]), t) for t in range(n_terms)]
    heapq.heapify(waiting)
    chosen: list[int] = []
    while len(chosen) < (n_terms if k is None else min(k, n_terms)):
        t = heapq.heappop(waiting)[1]
        if known_at[t] < len(chosen):
            gains[t], known_at[t] = gain(t), len(chosen)
            heapq.heappush(waiting, (-units(gains[t]), t))
        else:
            choose(t)
            chosen.append(t)
    return np.array(chosen, dtype=np.int64), np.array([gains[t] for t in chosen], dtype=np.float64)


def likeliest_shape(counts: ReferenceCounts) -> float:
    """Return the shape with the largest likelihood of the document frequencies.

    Let d_t be the document frequency of term t, and let E = n_c d_t / n be its expected value for
    class c. In the model, the document frequency D_tc of term t in class c has a Poisson
    distribution with mean lambda E, where lambda has the distribution Gamma(a, a). Therefore D_tc
    has a negative binomial distribution. The likelihood of twenty values of ``a`` from 0.1 to 30 is
    computed from all terms with d_t >= 2, or from 4,000 evenly spaced terms if there are more. The
    ratios Gamma(D_tc + a) / Gamma(D_tc) and (1 + a / E)^-D_tc are each computed as a whole, because
    rounding of huge numerators would lose the other factors. The factor 1 / D_tc does not depend on
    ``a`` and is left out.

    Examples
    --------
    >>> from termsift.reference import count
    >>> round(likeliest_shape(count([[1, 1]] * 9 + [[0, 1]] * 9, [0] * 9 + [1] * 9)), 2)
    2.01
    """
    n_c = [float(docs) for docs in counts.class_docs if docs > 0]
    D = counts.document_frequency[counts.class_docs > 0].astype(np.float64)
    d = D.sum(axis=0)
    terms = np.flatnonzero(d >= 2).tolist()
    if len(terms) > _MOST_TERMS:
        terms = [terms[i * len(terms) // _MOST_TERMS] for i in range(_MOST_TERMS)]

    def log_likelihood(a: float) -> float:
        logs = []
        for t in terms:
            for c in range(len(n_c)):
                E = n_c[c] * d[t] / sum(n_c)
                logs.append(a * math.log(a / (a + E)))
                if D[c, t] > 0:
                    logs.append(_log_gamma_ratio(float(D[c, t]), a) - math.lgamma(a))
                    logs.append(-D[c, t] * math.log1p(a / E))
        return math.fsum(logs)

    return max(_SHAPES, key=log_likelihood)


def _log_gamma_ratio(x: float, a: float) -> float:
    """Return log(Gamma(x + a) / Gamma(x)) for x > 0, by Stirling's series if x is large."""
    if x < 1000:
        return math.lgamma(x + a) - math.lgamma(x)
    tails = [1 / (12 * z) - 1 / (360 * z**3) for z in (x + a, x)]
    return a * math.log(x) + (x + a - 0.5) * math.log1p(a / x) - a + tails[0] - tails[1]


def _guide(
    X: Any, own: list[int], w: Floats, has: npt.NDArray[np.bool_], cost: float
) -> tuple[Floats, Floats]:
    """Return u_tc of `guided_gain` and the increase of W_tc. ``has`` marks the terms of classes."""
    some = sorted((d for d in range(len(own)) if w[d] > 0), key=lambda d: own[d])
    documents, n_terms, _ = read_documents(X)
    table = np.zeros((len(some), n_terms))
    for row, d in enumerate(some):
        for i, x in documents[d]:
            table[row, i] += x
    vectors = document_vectors(table)
    weights = linear_machines(
        vectors, [own[d] for d in some], len(has), cost=cost, epochs=3, weights=w[some].tolist()
    )[:-1]
    entries = vectors[:, :-1][table > 0]
    largest = np.abs(weights).max(initial=0)
    if largest == 0:
        return np.ones(weights.shape), np.zeros(weights.shape)
    u = (np.abs(weights) + np.abs(weights).max(axis=1, keepdims=True)) / (2 * largest)
    elsewhere = [
        weights[t, ~column].mean() if not column.all() else weights[t].mean()
        for t, column in enumerate(has.T)
    ]
    more = (weights - np.reshape(elsewhere, (-1, 1))) * has.T
    return np.maximum(u, 0.1) ** 0.75, 0.5 * entries.mean() * more


def _presence(X: Any) -> npt.NDArray[np.bool_]:
    """Return an array that marks the terms (columns) that each document (row) contains."""
    documents, n_terms, _ = read_documents(X)
    has = np.zeros((len(documents), n_terms), dtype=np.bool_)
    for d, document in enumerate(documents):
        has[d, [i for i, _ in document]] = True
    return has


def _log_lifts(D: Floats, n_c: Floats, a: float) -> tuple[Floats, Floats]:
    """Return W_tc and W'_tc of `conditional_gain`, with a row for each term."""
    n, d = float(n_c.sum()), D.sum(axis=0)
    W, own_W = np.zeros(D.T.shape), np.zeros(D.T.shape)
    for c in range(len(n_c)):
        for t in range(len(d)):
            others, rest = max(n_c[c] - 1, 0), max(d[t] - 1, 0)
            expected = others * rest / (n - 1) if others * rest > 0 else 0
            W[t, c] = math.log((D[c, t] + a) / (n_c[c] * d[t] / n + a))
            own_W[t, c] = math.log((max(D[c, t] - 1, 0) + a) / (expected + a))
    return W, own_W
