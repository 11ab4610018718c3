"""Counts -> ranking: Algorithm 1, which chooses terms one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from termsift import _core
from termsift._scores.methods import Model
from termsift._scores.ranking import Ranking
from termsift._scores.registry import GREEDY
from termsift._scores.scoring import Alpha, ClassPrior, Scoring
from termsift._util import validation
from termsift._util.messages import logger, progress

if TYPE_CHECKING:
    from termsift._counts.class_counts import ClassCounts


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
    """Choose terms one after another, each as the best addition to the terms before it.

    Parameters
    ----------
    k : int, optional
        The number of terms. All are chosen if k is None or if there are fewer than k. A smaller k
        takes less time.
    model, class_prior, n_threads
        As for `score`. Under "bernoulli" and "poisson" the terms are independent. They are then
        ordered by `md`, and the scores are the running sums of `md`.
    alpha : float or (b1, b2)
        As for `score`. Except under "bernoulli" and "poisson", b1 must be above 0 if a class lacks
        a term. Also, b1 * n_terms must be at most b2, so that the probabilities of a class sum to
        at most 1. Simple fractions are exact: 0.1 means 1/10.
    exhaustive : bool, default False
        Evaluate every remaining term at every step, as in the published algorithm. A full ranking
        takes n_terms^2 / 2 evaluations. By default, bounds avoid most evaluations without changing
        the ranking.

    Returns
    -------
    ranking : Ranking
        The scores are the divergences after each step, in nats. They never decrease, and only the
        first ``ranking.informative`` terms increase the divergence. The other terms are ordered by
        index. Terms with equal counts in every class are ordered by index, too.

    Raises
    ------
    ValueError
        For an invalid argument, or if fewer than two classes have documents. Also if b1 or a count
        is less than 2^-40 of the class's tokens, unless a common denominator turns the counts and
        b1 into whole numbers that sum to less than 2^52.

    Notes
    -----
    This is Algorithm 1 of Tang, Kay and He. For each remaining term i, step j evaluates j + 1
    variables: the chosen terms s, the term i, and the pool of all other terms. The probability of
    the pool is 1 - p_ic - sum_s p_sc. The step chooses the term i with the largest sum over classes
    and variables of p log(p/q). For two classes this sum is the J-divergence. For more classes, the
    paper does not define the algorithm, and termsift replaces J by JMH.

    Gains are computed from probabilities, which are exact for whole counts with simple smoothing.
    Other probabilities are rounded to 2^-52, or to 2^-42 in a class much smaller than others. Terms
    may come in either order if their gains differ only by rounding or agree in 14 digits. A gain
    that is only rounding may count in ``informative``. The relative error of scores is below 1e-12.
    The memory is O(n_terms + pairs of a class and a term in it).

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
