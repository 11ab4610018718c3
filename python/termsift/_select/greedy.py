"""Counts -> ranking: Algorithm 1, which chooses terms one after another."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from termsift import _core
from termsift._scores.methods import Model
from termsift._scores.ranking import Ranking
from termsift._scores.registry import GREEDY
from termsift._scores.scoring import Alpha, ClassPrior, Scoring
from termsift._util import validation
from termsift._util.log import logger
from termsift._util.progress import progress

if TYPE_CHECKING:
    from termsift._counts.class_counts import ClassCounts


def divergence(
    counts: ClassCounts,
    indices: Any,
    *,
    model: Model = "multinomial",
    alpha: Alpha = 1.0,
    class_prior: ClassPrior = None,
) -> float:
    """Return how well some terms together discriminate the classes.

    Parameters
    ----------
    counts : ClassCounts
    indices : array of integers
        The terms' columns, each once, in any order.
    model, alpha, class_prior
        As for `ClassCounts.greedy`.

    Returns
    -------
    divergence : float
        The JMH divergence of the classes in nats; 0 for no terms.

    Raises
    ------
    ValueError, TypeError
        As for `ClassCounts.greedy`, and for indices that are not distinct columns.

    Notes
    -----
    The variables are the given terms and the pool of all others, which has the probability
    1 - sum of the terms' p. The divergence is the sum over classes and variables of p log(p/q).
    More terms never make it smaller. For a single term it is the score `md`. Under the models
    "bernoulli" and "poisson" the terms are independent, and it is the sum of their `md`.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> counts = ts.count(np.array([[4, 1, 0], [0, 1, 2]]), ["ham", "spam"])
    >>> round(ts.divergence(counts, [0]), 4)
    0.9718
    >>> round(ts.divergence(counts, [0, 2]), 4)
    1.1496
    """
    validation.check_counts(counts)
    terms = validation.check_indices(indices, counts.n_terms)
    scoring = Scoring.of(counts, "md", model, alpha, class_prior)
    if scoring.model.independent:
        return math.fsum(scoring.scores(_core.Aggregate.sum)[terms])
    counts._require_every_term("divergence")
    return _core.divergence(scoring.counts, *scoring.smoothing, terms)


def greedy(
    counts: ClassCounts,
    k: int | None = None,
    *,
    model: Model = "multinomial",
    alpha: Alpha = 1.0,
    class_prior: ClassPrior = None,
    exhaustive: bool = False,
    n_threads: int | None = None,
) -> Ranking:
    """Choose terms one after another, each the best given those chosen before it.

    Parameters
    ----------
    k : int, optional
        How many terms; all if None or more than there are. A small k takes less time.
    model, class_prior, n_threads
        As for `score`. Under "bernoulli" and "poisson" the terms are independent: the order is
        that of `md`, the scores are its running sums, and alpha is as for `score`.
    alpha : float or (b1, b2)
        As for `score`, but no term may have probability 0 in a class, and the probabilities of
        a class may not exceed 1 in sum: b1 * n_terms <= b2. Simple fractions are exact: 0.1
        means 1/10.
    exhaustive : bool, default False
        Evaluate every remaining term at every step, as the algorithm is written. That takes
        n_terms^2 / 2 evaluations. By default bounds save most of them; the ranking is the same.

    Returns
    -------
    ranking : Ranking
        Its scores are the divergences after each step, in nats, which never decrease. From
        ``ranking.informative`` on no term adds anything. These terms come in the order of their
        indices, and so do terms with equal counts in every class.

    Raises
    ------
    ValueError
        If fewer than two classes have documents, or for an invalid argument. Also if b1 or a
        count is less than 2^-40 of the class's tokens, unless counts and b1, times a common
        denominator, are whole and less than 2^52 in sum.

    Notes
    -----
    This is Algorithm 1 of Tang, Kay and He. Step k evaluates k + 1 variables for each remaining
    term i: the chosen terms, i, and the pool of all others, which has the probability
    1 - p_ic - sum_s p_sc. It chooses the i with the largest sum over classes and variables of
    p log(p/q). For two classes this is the J-divergence. For more classes the paper leaves the
    algorithm open, and JMH in place of J is ours.

    Gains are compared with probabilities that are exact for whole counts with simple smoothing,
    and else rounded to 2^-52 of their class, or to 2^-42 of a class much smaller than others.
    Gains that differ by rounding only, or that agree in 14 digits, may come in either order, and
    ``informative`` may count them. Scores are within 1e-12 of their value. Memory is
    O(n_terms + terms of each class).

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> counts = ts.count(np.array([[9, 4, 3, 0], [2, 4, 3, 9]]), ["ham", "spam"])
    >>> ranking = counts.greedy()
    >>> ranking.indices
    array([3, 0, 1, 2])
    >>> ranking.scores.round(4)
    array([1.1174, 1.3693, 1.3693, 1.3693])
    >>> ranking.informative
    2
    """
    scoring = Scoring.of(counts, "md", model, alpha, class_prior, n_threads)
    k = validation.check_k(k, counts.n_terms)
    exhaustive = validation.check_flag(exhaustive, "exhaustive")
    if scoring.model.independent:
        scores = scoring.scores(_core.Aggregate.sum)
        indices = _core.top_k(scores, k, scoring.n_threads)
        divergences = _core.running_sums(scores[indices])
        informative = int(np.count_nonzero(scores[indices]))
    else:
        counts._require_every_term("greedy")
        with progress("chosen", k, "terms") as report:
            indices, divergences, informative, evaluations = _core.greedy(
                scoring.counts, *scoring.smoothing, k, exhaustive, scoring.n_threads, report
            )
        logger.debug("chose %d terms in %d evaluations", k, evaluations)
    names = counts._names_of(indices)
    return Ranking(indices, divergences, names, GREEDY.name, informative, model=model)
