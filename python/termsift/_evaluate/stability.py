"""How sure a ranking is: rankings of samples that take each document, or shard, some times."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._counts.adding import add_documents
from termsift._counts.counts import Counts
from termsift._evaluate.rankers import rank_by
from termsift._scores.methods import Method
from termsift._scores.ranking import Ranking
from termsift._scores.registry import find_ranker
from termsift._util import validation
from termsift._util.export import Tabular, integers_if_whole
from termsift._util.faults import blaming, concerning, excluded, named, wrong_value
from termsift._util.messages import progress
from termsift._util.shown import ROWS, Column, Section

_OUTSIDE = 20  # an interval leaves out one of 20 values at each end, so that it covers 90%
_SHUFFLES = 19  # the floor is then exceeded by chance in at most 1 of 19 + 1 collections
_FEWEST_SHARDS = 5  # fewer shards give so few different samples that no interval is trustworthy


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


class Part(NamedTuple):
    """What a ranking reads: counts or, if the method reads documents, documents with weights."""

    counts: Counts
    X: Any = None
    codes: _core.Int32s | None = None
    weights: _core.Count | None = None


class Units(Protocol):
    """What is drawn: documents, or the counts of shards."""

    argument: str  # the argument that errors of counts are about
    size: int  # the number of units

    def part(self, times: NDArray[np.int64] | None = None) -> Part:
        """Return the part that takes each unit ``times`` times, by default once."""


class Documents:
    """Documents, whose weights say how often a sample takes them."""

    argument = "y"

    def __init__(
        self,
        X: Any,
        y: Any,
        method: str,
        sample_weight: Any,
        classes: Iterable[Hashable] | None,
        tf: str,
        term_names: Any,
        n_threads: int | None,
    ) -> None:
        self._n_threads = validation.check_n_threads(n_threads)
        self._tf = validation.check_tf(tf)
        self._matrix = validation.check_matrix(X, self._n_threads)
        self.size = n_docs = self._matrix.n_docs
        self._reads_documents = find_ranker(method).reads_documents
        if self._reads_documents:
            why = f"{method} needs exactly one class for each document"
            self._labels = validation.check_one_class(y, n_docs, why)
            for name, given in (("tf", tf != "raw"), ("classes", classes is not None)):
                if given:
                    raise excluded(
                        "{method} reads the documents and has no {argument}",
                        method=method,
                        argument=named(name),
                    )
        else:
            self._labels = validation.check_labels(y, n_docs, classes)
        self._weights = validation.check_weights(sample_weight, n_docs)
        self._names = validation.term_names_of(X, term_names, self._matrix.n_terms)
        self._warned = set[str]()  # samples repeat no warning

    def part(self, times: NDArray[np.int64] | None = None) -> Part:
        weights = self._weights if times is None else self._weighted(times)
        return self._part(self._labels, weights)

    def shuffled(self, rng: np.random.Generator) -> Part:
        """Return all documents with shuffled labels."""
        # Documents of weight 0 keep their labels, so that every class keeps a document.
        order = np.arange(self.size)
        kept = order if self._weights is None else np.flatnonzero(self._weights)
        order[kept] = rng.permutation(kept)
        return self._part(self._labels.at(order), self._weights)

    def _part(self, labels: validation.Labels, weights: _core.Count | None) -> Part:
        threads = self._n_threads
        core = add_documents(None, self._matrix, labels, weights, self._tf, threads)
        counts = Counts(core, labels.classes, self._names, self._tf, warned=self._warned)
        if not self._reads_documents:
            return Part(counts)
        return Part(counts, self._matrix.to_scipy(), labels.codes, weights)

    def _weighted(self, times: NDArray[np.int64]) -> _core.Count:
        weights = self._weights
        if weights is None:
            return times
        most = int(times.max(initial=0))
        if weights.dtype.kind == "i" and int(weights.max(initial=0)) * most >= 2**63:
            error = _core.CountOverflowError(
                f"a sample takes a document up to {most} times, and its weight exceeds 2^63 - 1"
            )
            raise concerning(error, "sample_weight")
        product: _core.Count = weights * times
        return product


class Shards:
    """The counts of shards, which a sample adds some times."""

    argument = "X"

    def __init__(self, shards: Sequence[Counts], whole: Counts, n_threads: int | None) -> None:
        """Take the counts of the shards, and their sum."""
        self._n_threads = validation.check_n_threads(n_threads)
        if len(shards) < _FEWEST_SHARDS:
            raise wrong_value(
                "{X} holds the counts of {shards}, expected at least {least}, and better 20: few "
                "shards give few different samples",
                shards=validation.number_of(len(shards), "shard"),
                least=_FEWEST_SHARDS,
            )
        self.size, self._whole = len(shards), whole
        column_of = {}
        if whole.term_names is not None:
            column_of = {name: column for column, name in enumerate(whole.term_names.tolist())}
        self._cores = [_in_places_of(whole, shard, column_of) for shard in shards]
        nothing = _core.Counts(whole.n_classes, whole.core.exact)
        self._nothing = nothing.in_columns(np.empty(0, dtype=np.int64), whole.n_terms)

    def part(self, times: NDArray[np.int64] | None = None) -> Part:
        if times is None:
            return Part(self._whole)
        # Sums of two at a time take less time than adding each shard to the sum of all before it.
        sums = [core for core, n in zip(self._cores, times.tolist(), strict=True) for _ in range(n)]
        while len(sums) > 1:
            odd = sums[-1:] * (len(sums) % 2)
            pairs = zip(sums[::2], sums[1::2], strict=False)
            sums = [a.merge(b, self._n_threads) for a, b in pairs] + odd
        return Part(replace(self._whole, core=sums[0] if sums else self._nothing))


def _in_places_of(whole: Counts, shard: Counts, column_of: dict[str, int]) -> _core.Counts:
    """Return the counts of a shard, with the classes and columns of the sum of all shards."""
    labels = shard.classes
    if not set(labels) <= set(whole.classes):  # the sum has strings for integers
        labels = [str(label) for label in labels]
    row_of = {label: row for row, label in enumerate(labels)}
    core = shard.core.with_classes([row_of.get(label, -1) for label in whole.classes])
    columns, names, every = np.arange(shard.n_terms), shard.term_names, whole.term_names
    if names is not None and every is not None and not np.array_equal(names, every[: len(names)]):
        columns = np.array([column_of[name] for name in names.tolist()], dtype=np.int64)
    return core.in_columns(columns, whole.n_terms)


def stability_of(
    units: Units,
    method: str,
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
                method,
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
    ranking = ranked(whole, k)
    k, n_ranked = len(ranking), min(n_terms, max(4 * k, k + 1000))
    n_classes = min(2, int(whole.counts.present.sum()))  # a ranking may need two classes
    # Only documents have labels to shuffle, and only methods score each term by itself.
    scores_terms = isinstance(find_ranker(method), Method)
    documents = units if isinstance(units, Documents) and scores_terms else None
    n_shuffles = 0 if documents is None else _SHUFFLES
    ranks, firsts = np.empty((n_samples, k)), np.empty((n_samples, k), dtype=np.int64)
    rank_of, best = np.empty(n_terms), list[float]()
    with progress("drew", n_samples + n_shuffles, "samples") as report:
        for place in range(n_samples):
            sample = ranked(_drawn(units, rng, n_classes), n_ranked)
            rank_of.fill(np.inf)
            rank_of[sample.indices] = np.arange(1, n_ranked + 1)
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
    )


def _drawn(units: Units, rng: np.random.Generator, n_classes: int) -> Part:
    """Return a sample that takes each unit a Poisson number of times, with mean 1.

    A sample with fewer than ``n_classes`` classes is drawn again.
    """
    while True:
        part = units.part(rng.poisson(1.0, units.size))
        if part.counts.present.sum() >= n_classes:
            return part


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
