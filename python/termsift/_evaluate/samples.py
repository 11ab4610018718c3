"""Samples of a collection: what takes each document, or the counts of each shard, some times."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._api.class_counts import ClassCounts, value_of
from termsift._api.counting import merge
from termsift._counts.adding import add_documents
from termsift._counts.counts import Counts
from termsift._evaluate.rankers import Ranker
from termsift._util import validation
from termsift._util.faults import blaming, concerning, excluded, named, wrong_type, wrong_value

_FEWEST_SHARDS = 5  # fewer shards give so few different samples that no interval is trustworthy


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
        ranker: Ranker,
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
        self._reads_documents = ranker.reads_documents
        if self._reads_documents:
            why = f"{ranker.name} needs exactly one class for each document"
            self._labels = validation.check_one_class(y, n_docs, why)
            for name, given in (("tf", tf != "raw"), ("classes", classes is not None)):
                if given:
                    raise excluded(
                        "{method} reads the documents and has no {argument}",
                        method=ranker.name,
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


def shards_of(X: Any, n_threads: int | None) -> Shards:
    """Return the counts of shards that a caller passed in place of documents."""
    error = wrong_type(
        "{y} must hold a label for each document in order, got None; only {X} that holds the "
        "ClassCounts of shards needs no {y}"
    )
    if isinstance(X, (ClassCounts, str)) or not isinstance(X, Iterable):
        raise error
    shards = list[Counts]()  # each in one state, even if another thread updates the counts
    for shard in X:
        if not isinstance(shard, ClassCounts):
            raise error
        shards.append(value_of(shard))
    if not shards:
        raise concerning(ValueError("there are no shards"), "X")
    with blaming("X", instead_of="parts"):
        whole = merge([ClassCounts._of(shard) for shard in shards])
    return Shards(shards, value_of(whole), n_threads)


def drawn(units: Units, rng: np.random.Generator, n_classes: int) -> Part:
    """Return a sample that takes each unit a Poisson number of times, with mean 1.

    A sample with fewer than ``n_classes`` classes is drawn again.
    """
    while True:
        part = units.part(rng.poisson(1.0, units.size))
        if part.counts.present.sum() >= n_classes:
            return part
