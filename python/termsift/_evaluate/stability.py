"""`stability`: how sure a ranking is, from rankings of samples of the documents or of shards."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from termsift._counts.adding import TermFrequency
from termsift._evaluate.rankers import AnyMethod, Ranker, as_ranker, rank_by
from termsift._evaluate.samples import Documents, Part, Shards, Units, drawn, shards_of
from termsift._scores.methods import Method, Model
from termsift._scores.ranking import Ranking
from termsift._scores.registry import Policy, check_options, find_ranker
from termsift._scores.scoring import Aggregate, Alpha, ClassPrior, MethodOptions
from termsift._util import validation
from termsift._util.export import Tabular, integers_if_whole
from termsift._util.faults import blaming, concerning, excluded, named, wrong_type, wrong_value
from termsift._util.messages import progress
from termsift._util.shown import ROWS, Column, Section

_OUTSIDE = 20  # an interval leaves out one of 20 values at each end, so that it covers 90%
_SHUFFLES = 19  # the floor is then exceeded by chance in at most 1 of 19 + 1 collections


@dataclass(frozen=True, eq=False)
class Stability(Tabular):
    """How stable the first k terms of a ranking are, as `termsift.stability` measures it.

    Attributes
    ----------
    ranking : Ranking
        The first k terms of the ranking by all documents.
    probabilities : ndarray of shape (n_terms,), float64
        For each term of the collection, the share of the samples in which it is among the first k.
    rank_low, rank_high : ndarray of shape (k,), float64
        For each term of the ranking, the least and the largest rank in the middle 90% of the
        samples. A rank beyond the ``n_ranked`` terms that each sample ranks is infinite.
    overlap : float
        The share of the first k terms that two samples have in common, as the mean over all pairs
        of samples.
    overlap_interval : (float, float)
        The least and the largest share in the middle 90% of the pairs of samples.
    floor : float or None
        The largest score of a ranking of the same documents with shuffled labels, in 19 shuffles.
        Selectors, which give no score to a single term, and shards have no floor.
    n_samples : int
        The number of samples.
    n_ranked : int
        The number of terms that each sample ranks.
    ends_in_tie : bool
        Whether the next term has the same score as the last of the first k. Ties are broken by
        column, in every sample alike, so they look more stable than they are.
    """

    ranking: Ranking
    probabilities: NDArray[np.float64]
    rank_low: NDArray[np.float64]
    rank_high: NDArray[np.float64]
    overlap: float
    overlap_interval: tuple[float, float]
    floor: float | None
    n_samples: int
    n_ranked: int
    ends_in_tie: bool = False

    @property
    def probability(self) -> NDArray[np.float64]:
        """The probabilities of the terms of the ranking, in its order."""
        return self.probabilities[self.ranking.indices]

    @property
    def summary(self) -> str:
        """The overlap and the floor in words."""
        low, high = self.overlap_interval
        terms = validation.number_of(len(self.ranking), "term")
        text = (
            f"Two samples share {self.overlap:.0%} of their first {terms} "
            f"(90% of pairs: {low:.0%} to {high:.0%})."
        )
        if self.floor is not None:
            text += f"\nShuffled labels give scores up to {self.floor:.6g}."
        if self.ends_in_tie:
            text += "\nThe last term ties with the next, and columns break ties in every sample."
        return text

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name: those of the ranking, probability, rank_low and rank_high.

        The ranks are integers, unless some of them are infinite.
        """
        columns = self.ranking.columns() | {"probability": self.probability}
        ranks = {"rank_low": self.rank_low, "rank_high": self.rank_high}
        return columns | {name: integers_if_whole(values) for name, values in ranks.items()}

    def __repr__(self) -> str:
        return f"<{self._title()}>"

    def _title(self) -> str:
        ranking = repr(self.ranking).removeprefix("<Ranking of ").partition(":")[0]
        return f"Stability of {ranking}: overlap {self.overlap:.2f}, {self.n_samples:,} samples"

    def _sections(self) -> list[Section]:
        first = self.ranking[:ROWS]
        columns = [
            Column("rank", range(1, len(first) + 1), "d"),
            Column("term" if first.terms.dtype == object else "index", first.terms.tolist()),
            Column("score", first.scores.tolist(), ".6g"),
            Column("probability", self.probability[:ROWS].tolist(), ".2f"),
        ]
        for name, ranks in (("rank_low", self.rank_low), ("rank_high", self.rank_high)):
            shown = [self._shown(rank) for rank in ranks[:ROWS].tolist()]
            columns.append(Column(name, shown, right=True))
        return [Section(columns, len(self.ranking) - ROWS)]

    def _note(self) -> str:
        return self.summary

    def _shown(self, rank: float) -> str:
        return f"{rank:,.0f}" if math.isfinite(rank) else f">{self.n_ranked:,}"


def stability(
    X: Any,
    y: Any = None,
    method: AnyMethod = "md",
    k: int = 100,
    *,
    n_samples: int = 100,
    random_state: Any = 0,
    sample_weight: Any = None,
    classes: Iterable[Hashable] | None = None,
    tf: TermFrequency = "raw",
    term_names: Iterable[str] | None = None,
    policy: Policy = "top",
    model: Model = "multinomial",
    alpha: Alpha = 1.0,
    class_prior: ClassPrior = "empirical",
    aggregate: Aggregate | None = None,
    n_threads: int | None = None,
    **options: Unpack[MethodOptions],
) -> Stability:
    """Measure how stable a ranking is: what other documents of the same kind could change in it.

    A sample takes each document a random number of times, and ranks the terms of these documents.
    The result says how often a term is among the first k terms of a sample, which ranks it has
    there, and how many of their first k terms two samples share.

    Parameters
    ----------
    X, y, sample_weight, classes, tf, term_names
        As for `termsift.count`. Or X is an iterable of `ClassCounts`, the counts of at least five
        shards of one collection, and there is no y. The shards must be random parts, such as those
        of documents dealt in turn, and a sample takes shards in place of documents.
    method : str or callable
        The name of one of `termsift.methods` or `termsift.selectors`, a function of counts, or
        either with options (see `termsift.method`). Selectors that read the documents need X and y.
    k : int, default 100
        The number of terms whose stability is measured. If there are fewer, all are measured.
    n_samples : int, default 100
        The number of samples, at least 2. A probability p has the standard error
        sqrt(p (1 - p) / n_samples), so at most 0.05 by default.
    random_state : int, numpy Generator or None, default 0
        The seed of the samples.
    policy
        As for `ClassCounts.rank`.
    model, alpha, class_prior, aggregate, n_threads, **options
        As for `ClassCounts.score`. Selectors have no policy, no aggregate and no options, and those
        that read the documents have only ``n_threads``.

    Returns
    -------
    stability : Stability
        The first k terms of the ranking by all documents, with their probabilities, ranks and so
        on. ``print`` shows a table, and ``to_frame`` returns a data frame.

    Raises
    ------
    ValueError, CountOverflowError, TypeError
        As for `termsift.count` and `ClassCounts.rank`, and if there are fewer than five shards or
        fewer than two samples, or if there are no terms. A sample may raise an error that the
        ranking of all documents does not, for example if a count exceeds int64.

    Notes
    -----
    The numbers are independent, with a Poisson distribution of mean 1, as in Oza and Russell's
    online bootstrap [1]_. They are whole, so samples of whole counts are exact. About 37% of the
    documents are left out of a sample, as in Efron's bootstrap. If a sample would have documents of
    fewer than two classes, although the collection has them of more, it is drawn again. A class of
    which a sample has no document takes no part in its ranking. The probability of being among the
    first k is the selection probability of Meinshausen and Bühlmann [2]_, for bootstrap samples.

    Each sample ranks ``n_ranked = max(4 k, k + 1000)`` terms, or all if there are fewer. The ranks
    ``rank_low`` and ``rank_high`` leave out at most 5% of the samples each. They are infinite if
    the term is not among the ranked terms.

    The overlap of two samples is ``|A & B| / k``, for their first k terms A and B [3]_. Two samples
    differ about as much as two other collections of the same size and kind would.

    The floor is the largest score in 19 rankings in which the labels of the documents are shuffled
    at random. The classes keep their numbers of documents. If the labels had nothing to do with the
    documents, the best term of the collection would score above the floor with a probability of at
    most 1/20, whatever the method. This is Barnard's Monte Carlo test of the largest score [4]_. A
    term that fills a few documents reaches high scores by chance, so the floor of methods that
    count occurrences may be high. Selectors and shards have no floor, because selectors give no
    score to a single term, and a shard does not tell which documents have a term.

    The time is that of counting and ranking n_samples + 19 times. Beside the counts of one sample,
    the memory is O(n_samples (n_samples + k) + n_docs + n_terms). The result is the same for any
    number of threads.

    References
    ----------
    .. [1] Oza and Russell, Online Bagging and Boosting, AISTATS 2001.
    .. [2] Meinshausen and Bühlmann, Stability Selection, Journal of the Royal Statistical Society
       B 72, 2010.
    .. [3] Nogueira, Sechidis and Brown, On the Stability of Feature Selection Algorithms, Journal
       of Machine Learning Research 18, 2018, review this and other measures.
    .. [4] Barnard in the discussion of Bartlett, The Spectral Analysis of Point Processes, Journal
       of the Royal Statistical Society B 25, 1963.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> X = np.array([[1, 0, 1, 0], [1, 0, 0, 0], [0, 1, 1, 0], [0, 1, 0, 1]] * 5)
    >>> y = ["ham", "ham", "spam", "spam"] * 5
    >>> found = ts.stability(X, y, k=3, term_names=["egg", "win", "the", "now"])
    >>> print(found)
    <Stability of 3 terms by md: overlap 0.99, 100 samples>
    rank  term     score  probability  rank_low  rank_high
       1  egg    1.85574         1.00         1          1
       2  win    1.10485         1.00         2          2
       3  now   0.353637         0.99         3          3
    Two samples share 99% of their first 3 terms (90% of pairs: 100% to 100%).
    Shuffled labels give scores up to 0.641771.
    """
    if isinstance(method, str):
        check_options(stability, method, options)
    ranker = as_ranker(method)
    if ranker.is_function and ranker.reads_documents:
        raise wrong_type(
            "{method} must be a function of counts, because samples weight the documents, but "
            "{name} is one of X and y",
            name=ranker.name,
        )
    units: Documents | Shards
    if y is None:
        given = {"sample_weight": sample_weight, "classes": classes, "term_names": term_names}
        given["tf"] = None if validation.is_one_of(tf, ["raw"]) else tf
        if too_many := [name for name, value in given.items() if value is not None]:
            raise excluded(
                "shards are counted already: leave out {argument}", argument=named(too_many[0])
            )
        if ranker.reads_documents:
            raise excluded("{method} reads the documents: pass {X} and {y}", method=ranker.name)
        units = shards_of(X, n_threads)
    else:
        units = Documents(X, y, ranker, sample_weight, classes, tf, term_names, n_threads)
    return _stability_of(
        units,
        ranker,
        k,
        n_samples,
        random_state,
        n_threads,
        policy=policy,
        model=model,
        alpha=alpha,
        class_prior=class_prior,
        aggregate=aggregate,
        **options,
    )


def _stability_of(
    units: Units,
    ranker: Ranker,
    k: int,
    n_samples: int,
    random_state: Any,
    n_threads: int | None,
    **options: Any,
) -> Stability:
    """Return how stable a ranking is; see `termsift.stability`. ``options`` are those of `rank`."""
    k = validation.check_integer(k, "k")
    n_samples = validation.check_integer(n_samples, "n_samples", least=2)
    with validation.naming(named("random_state")):
        rng = np.random.default_rng(random_state)

    def ranked(part: Part, k: int) -> Ranking:
        with blaming(units.argument, instead_of="counts"):
            return rank_by(
                ranker,
                part.counts,
                part.X,
                part.codes,
                k,
                sample_weight=part.weights,
                n_threads=n_threads,
                **options,
            )

    whole = units.part()
    n_terms = whole.counts.n_terms
    if n_terms == 0:
        raise concerning(ValueError("there are no terms to choose from"), "X")
    more = ranked(whole, min(k + 1, n_terms))
    ranking = more[:k]
    k, n_ranked = len(ranking), min(n_terms, max(4 * k, k + 1000))
    n_classes = min(2, int(whole.counts.present.sum()))  # a ranking may need two classes
    # Only documents have labels to shuffle, and only methods score each term by itself.
    scores_terms = ranker.is_function or isinstance(find_ranker(ranker.method), Method)
    documents = units if isinstance(units, Documents) and scores_terms else None
    n_shuffles = 0 if documents is None else _SHUFFLES
    ranks, firsts = np.empty((n_samples, k)), np.empty((n_samples, k), dtype=np.int64)
    rank_of, best = np.empty(n_terms), list[float]()
    with progress("drew", n_samples + n_shuffles, "samples") as report:
        for place in range(n_samples):
            sample = ranked(drawn(units, rng, n_classes), n_ranked)
            if len(sample) < k:
                raise wrong_value(
                    "{name} ranked {n} of a sample, fewer than {k=}: let it return a score for "
                    "each term",
                    name=ranker.name,
                    n=validation.number_of(len(sample), "term"),
                    k=k,
                )
            rank_of.fill(np.inf)
            rank_of[sample.indices] = np.arange(1, len(sample) + 1)
            ranks[place], firsts[place] = rank_of[ranking.indices], sample.indices[:k]
            if report is not None:
                report(place + 1)
        while documents is not None and len(best) < n_shuffles:
            best.append(float(ranked(documents.shuffled(rng), k).scores.max()))
            if report is not None:
                report(n_samples + len(best))
    overlaps = _overlaps(firsts, n_terms)
    low, high = _middle(ranks)
    least, most = _middle(overlaps)
    return Stability(
        ranking,
        np.bincount(firsts.ravel(), minlength=n_terms) / n_samples,
        low,
        high,
        float(overlaps.mean()),
        (float(least), float(most)),
        max(best, default=None),
        n_samples,
        n_ranked,
        scores_terms and len(more) > k > 0 and bool(more.scores[k] == more.scores[k - 1]),
    )


def _overlaps(firsts: NDArray[np.int64], n_terms: int) -> NDArray[np.float64]:
    """Return the share of terms that two rankings have in common, for each pair of rankings."""
    is_in, found = np.zeros(n_terms, dtype=bool), []
    for place, terms in enumerate(firsts):
        is_in[terms] = True
        found.append(is_in[firsts[place + 1 :]].mean(axis=1))
        is_in[terms] = False
    return np.concatenate(found)


def _middle(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the least and the largest of the middle values along the first axis.

    Both are among the values, and leave out at most 5% of the values at each end.
    """
    in_order, last = np.sort(values, axis=0), len(values) - 1
    cut = last // _OUTSIDE
    return in_order[cut], in_order[last - cut]
