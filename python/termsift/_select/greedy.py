"""Counts -> ranking: Algorithm 1, which chooses terms one after another."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._counts.table import CountTable, check_counts
from termsift._scores.methods import Model
from termsift._scores.ranking import Ranking
from termsift._scores.registry import GREEDY, MD
from termsift._scores.scoring import Alpha, ClassPrior, Prepared, Scoring, prepare
from termsift._util import validation
from termsift._util.log import logger
from termsift._util.progress import progress


def divergence(
    counts: CountTable,
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
    ValueError
        For an index outside the vocabulary or given twice, and as for `ClassCounts.greedy`.
    TypeError
        If the indices are not integers.

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
    check_counts(counts)
    terms = validation.check_indices(indices, counts.n_terms)
    prepared = prepare(counts, GREEDY, model, alpha, class_prior)
    if prepared.model.independent:
        return math.fsum(_md(prepared)[terms])
    return _core.divergence(prepared.counts, *prepared.smoothing, terms)


def greedy(
    counts: CountTable,
    k: int | None = None,
    *,
    model: Model = "multinomial",
    alpha: Alpha = 1.0,
    class_prior: ClassPrior = None,
    exhaustive: bool = False,
    n_threads: int | None = None,
) -> Ranking:
    """Choose terms as `ClassCounts.greedy` documents."""
    prepared = prepare(counts, GREEDY, model, alpha, class_prior, n_threads)
    k = validation.check_k(k, counts.n_terms)
    exhaustive = validation.check_flag(exhaustive, "exhaustive")
    if prepared.model.independent:
        scores = _md(prepared)
        indices = _core.top_k(scores, k)
        divergences = _core.running_sums(scores[indices])
        informative = int(np.count_nonzero(scores[indices]))
    else:
        with progress("chosen", k, "terms") as report:
            indices, divergences, informative, evaluations = _core.greedy(
                prepared.counts, *prepared.smoothing, k, exhaustive, prepared.n_threads, report
            )
        logger.debug("chose %d terms in %d evaluations", k, evaluations)
    names = counts._names_of(indices)
    return Ranking(indices, divergences, names, GREEDY.name, informative, model=model)


def _md(prepared: Prepared) -> NDArray[np.float64]:
    scoring = Scoring(**vars(prepared), method=MD, measure=MD.measure({}))
    return scoring.scores(_core.Aggregate.sum)
