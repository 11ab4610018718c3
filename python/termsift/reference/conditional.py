"""Conditional gain: terms chosen one after the other for what they add to those before them."""

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
from termsift.reference.ranking import check_k

_SHAPES = [math.exp(math.log(0.1) + i / 19 * math.log(30 / 0.1)) for i in range(20)]
_MOST_TERMS = 4000  # whose likelihood is computed for each shape

Floats = npt.NDArray[np.float64]


def conditional_gain(
    X: Any,
    y: Any,
    k: int | None = None,
    *,
    shape: float | Literal["empirical_bayes"] = "empirical_bayes",
    temper: float = 0.15,
    step: float = 0.5,
    sample_weight: Any = None,
    classes_in_play: int = 64,
) -> tuple[npt.NDArray[np.int64], Floats]:
    r"""Choose terms one after the other, each for what it adds to those chosen before it.

    Parameters
    ----------
    X, y, sample_weight
        As for `count`, with one label per document.
    k : int, optional
        How many terms to choose. By default, and if there are fewer, all.
    shape : float or "empirical_bayes"
        a, or `likeliest_shape` of the counts.
    temper, step : float
        rho and b.
    classes_in_play : int
        How many classes a document keeps a probability for.

    Returns
    -------
    indices : ndarray of shape (min(k, M),)
        The terms in the order of choice.
    gains : ndarray of shape (min(k, M),)
        The gain of each when it was chosen, in nats.

    Notes
    -----
    Term t is in d_t documents, D_tc of them of class c. Class c has n_c documents, and there are n.
    W_tc is the log ratio of D_tc to its expected value, shrunk to 0 by a; W'_tc is the same after
    leaving out one document of class c that has the term::

        W_tc  = log((D_tc + a) / (n_c d_t / n + a))
        W'_tc = log((D_tc - 1 + a) / ((n_c - 1) (d_t - 1) / (n - 1) + a))

    (A difference below 0 counts as 0, and 0/0 is 0.) A document d of class y that has m of the
    chosen terms belongs to class c with a probability, kept in single precision,

        P_dc proportional to n_c exp(F_dc / (1 + rho (m - 1))),

    where F_dc is the sum of W_tc over these terms, or of W'_tc for c = y; P_dc = n_c / n for m = 0.
    At its first chosen term t a document keeps its own class and those of the others with the
    largest log(n_c / n) + W_tc, compared in integer units of 2^-30, equals by index; P_dc = 0 for
    the rest. If term t multiplied the odds of class c by exp(b W_tc), or exp(b W'_tc) for c = y,
    the losses -log P_dy would fall by the term's gain::

        gain_t = sum over the documents d with t of
                 -log(sum over c != y of P_dc exp(b (W_tc - W'_ty)), plus P_dy)

    Terms wait in the order of their last known gains. The first of them is chosen if its gain was
    computed after the last choice; otherwise its gain is computed again. Gains are compared in
    integer units of 2^-40 n nats, and equal gains are ordered by index.

    Examples
    --------
    >>> X = [[1, 1, 0, 0], [1, 1, 0, 1], [0, 0, 1, 0], [0, 0, 1, 1]]
    >>> indices, gains = conditional_gain(X, ["ham", "ham", "spam", "spam"], shape=1.0)
    >>> indices
    array([0, 2, 1, 3])
    >>> gains.round(4)
    array([ 0.4748,  0.4748,  0.2233, -0.0577])
    """
    check_k(k)
    has = _presence(X)
    counts = count(has, y, sample_weight)
    if is_indicator(y):
        raise ValueError("y is an indicator matrix, not one label per document")
    a = likeliest_shape(counts) if isinstance(shape, str) else shape

    present = np.flatnonzero(counts.class_docs > 0)
    position = {counts.classes[c]: i for i, c in enumerate(present)}
    w = np.ones(len(has)) if sample_weight is None else np.array(sample_weight, dtype=np.float64)
    own = [position.get(label, -1) for label in as_list(y)]  # -1: all its documents weigh 0
    documents = [np.flatnonzero(column & (w > 0)).tolist() for column in has.T]
    n_c = counts.class_docs[present].astype(np.float64)
    W, own_W = _log_lifts(counts.document_frequency[present].astype(np.float64), n_c, a)

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
            losses.append(-w[d] * math.log(math.fsum(ratios)))
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
    known_at = [0] * n_terms  # how many terms were chosen when the gain was computed
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

    D_tc is Poisson with mean lambda n_c d_t / n, and lambda has the distribution Gamma(a, a), so
    D_tc is negative binomial. Its likelihood is compared at twenty shapes a between 0.1 and 30, for
    the terms with d_t >= 2 or, if there are more, 4,000 of them at even spaces. The factors without
    a, Gamma(D_tc) and E^D_tc, are left out: with large weights they would leave a no digits.

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
    """Return log(Gamma(x + a) / Gamma(x)) for x > 0, by Stirling's series where x is large."""
    if x < 1000:
        return math.lgamma(x + a) - math.lgamma(x)
    tails = [1 / (12 * z) - 1 / (360 * z**3) for z in (x + a, x)]
    return a * math.log(x) + (x + a - 0.5) * math.log1p(a / x) - a + tails[0] - tails[1]


def _presence(X: Any) -> npt.NDArray[np.bool_]:
    """Return which document (rows) has which term (columns)."""
    documents, n_terms, _ = read_documents(X)
    has = np.zeros((len(documents), n_terms), dtype=np.bool_)
    for d, document in enumerate(documents):
        has[d, [i for i, _ in document]] = True
    return has


def _log_lifts(D: Floats, n_c: Floats, a: float) -> tuple[Floats, Floats]:
    """Return W_tc and W'_tc, with terms in rows."""
    n, d = float(n_c.sum()), D.sum(axis=0)
    W, own_W = np.zeros(D.T.shape), np.zeros(D.T.shape)
    for c in range(len(n_c)):
        for t in range(len(d)):
            others, rest = max(n_c[c] - 1, 0), max(d[t] - 1, 0)
            expected = others * rest / (n - 1) if others * rest > 0 else 0
            W[t, c] = math.log((D[c, t] + a) / (n_c[c] * d[t] / n + a))
            own_W[t, c] = math.log((max(D[c, t] - 1, 0) + a) / (expected + a))
    return W, own_W
