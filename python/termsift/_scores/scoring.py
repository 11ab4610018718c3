"""The first step of every score: check the arguments and prepare the counts for the core."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._counts.counts import Counts
from termsift._scores.methods import (
    DOCUMENTS,
    EVENT_MODELS,
    OCCURRENCES,
    CoreMeasure,
    EventModel,
    Method,
    Model,
)
from termsift._scores.registry import check_model, find_method
from termsift._util import validation
from termsift._util.faults import Name, said, wrong_value
from termsift._util.messages import levels_to_caller

ClassPrior: TypeAlias = (
    Literal["empirical", "uniform"] | Sequence[float] | Mapping[Any, float] | NDArray[Any]
)
Alpha: TypeAlias = float | tuple[float, float]
Aggregate: TypeAlias = Literal["sum", "mean", "max"]

# The cure if a method needs unknown numbers of documents.
OCCURRENCES_SUFFICE = "use g2_counts, log_odds or multinomial md, which count occurrences"

_MODELS = {name: said("{model} {name}", name=name) for name in EVENT_MODELS}


class ScoringOptions(TypedDict, total=False):
    """The keywords of all scores by class, for type checkers. `Scoring.of` has their defaults.

    Public methods write the keywords out, because editors show defaults only then. A test compares
    all their signatures with this class.
    """

    model: Model
    alpha: Alpha
    class_prior: ClassPrior
    n_threads: int | None


class AggregateOptions(ScoringOptions, total=False):
    """The keywords of all scores by term."""

    aggregate: Aggregate | None


class MethodOptions(TypedDict, total=False):
    """The options that only some methods have, with the values that the registry allows."""

    noncentrality: Literal["jeffreys", "pearson"]
    variant: Literal["idf", "bm25"]
    sqrt: bool
    zero: Literal["epsilon", "document"]


@dataclass(frozen=True, eq=False)
class Scoring:
    """A method with checked arguments, and the core's counts for its event model."""

    given: Counts  # The counts of the caller.
    core: _core.Counts  # The counts as the event model counts them.
    method: Method
    measure: CoreMeasure
    model: EventModel
    # The tuple holds b1, the pair (b2, its rounding error), and the prior.
    smoothing: tuple[float, tuple[float, float], _core.Float64s | None]
    n_threads: int

    @classmethod
    def of(
        cls,
        counts: Counts,
        method_name: str,
        /,
        model: Model = "multinomial",
        alpha: Alpha = 1.0,
        class_prior: ClassPrior = "empirical",
        n_threads: int | None = None,
        **options: Unpack[MethodOptions],
    ) -> Self:
        """Check the arguments of `ClassCounts.class_scores` and convert the counts."""
        method = find_method(method_name)
        measure = method.measure(options)
        event = check_model(model, method)
        if OCCURRENCES in method.needs and event.reads == OCCURRENCES:
            counts.warn_if_fractional(method.name)
        b1, b2 = smoothing_of(alpha, counts.n_terms, event.outcomes, is_rate=event.is_rate)
        prior = validation.check_class_prior(class_prior, counts.classes)
        threads = validation.check_n_threads(n_threads)
        if event.reads == DOCUMENTS or event.is_rate or method.needs != OCCURRENCES:
            what: Name = _MODELS[model] if method.models else method.name
            counts.require_documents(what, OCCURRENCES_SUFFICE)
        elif method.models and prior is None:
            cure = said("pass {class_prior='uniform'}")
            counts.require_documents(said("the empirical {class_prior}"), cure)
        if model == "binary":
            counts.require_every_term(_MODELS[model])
        core = counts.core
        if model != "multinomial":
            core = core.as_counted_by(_core.EventModel.__members__[model], threads)
        return cls(counts, core, method, measure, event, (b1, b2, prior), threads)

    def warn_of_unused_prior(self, name: str, aggregate: str | None = None) -> None:
        """Warn if a prior was given that neither the method nor the aggregate uses."""
        if self.smoothing[2] is not None and not self.method.uses_prior(aggregate):
            warnings.warn(
                said(
                    "{name} does not use {class_prior}, which only the {aggregate} 'mean' and "
                    "methods with event models use: leave out {class_prior}",
                    name=name,
                ),
                stacklevel=levels_to_caller(),
            )

    def aggregate(self, name: str | None) -> _core.Aggregate | None:
        """Return how the core combines class values, or None to score the whole collection."""
        if name is not None:
            validation.check_choice(name, _core.Aggregate.__members__, "aggregate")
        how = name or self.method.default_aggregate
        if how == "mean" and self.smoothing[2] is None:  # a mean is weighted by the priors
            cure = said("pass {class_prior='uniform'}")
            self.given.require_documents(said("the empirical {class_prior}"), cure)
        self.warn_of_unused_prior(self.method.name, how)
        return None if how is None else _core.Aggregate.__members__[how]

    def scores(self, aggregate: _core.Aggregate | None) -> NDArray[np.float64]:
        """Return a score for each term, over the whole collection if ``aggregate`` is None."""
        if aggregate is None:
            return _core.collection_scores(self.core, self.measure, self.n_threads)
        with self.naming_classes():
            return _core.score(self.core, self.measure, aggregate, *self.smoothing, self.n_threads)

    def class_scores(self) -> NDArray[np.float64]:
        """Return the class scores of all terms, one row per class."""
        with self.naming_classes():
            return _core.class_scores(self.core, self.measure, *self.smoothing, self.n_threads)

    def directions(self) -> NDArray[np.int8]:
        """Return the directions (1, 0 or -1) of all terms, one row per class."""
        with self.naming_classes():
            return _core.class_directions(self.core, self.measure, *self.smoothing, self.n_threads)

    def round_robin(self, k: int) -> tuple[_core.Int64s, _core.Float64s, _core.Int64s]:
        """Return the first k terms by round robin, with their scores and their classes."""
        with self.naming_classes():
            return _core.round_robin(self.core, self.measure, *self.smoothing, k, self.n_threads)

    def of_pairs(
        self, starts: NDArray[np.int64], terms: NDArray[np.int32]
    ) -> tuple[NDArray[np.int8], _core.Float64s]:
        """Return directions and scores. Class c has terms ``terms[starts[c]:starts[c + 1]]``."""
        with self.naming_classes():
            return _core.score_pairs(
                self.core, self.measure, *self.smoothing, self.n_threads, starts, terms
            )

    def naming_classes(self) -> AbstractContextManager[None]:
        """Name classes by their labels in the core's errors."""
        return validation.naming_classes(self.given.classes)


def class_scores(counts: Counts, method: str, *scoring: Any, **options: Any) -> NDArray[np.float64]:
    """Score every term for every class; see `ClassCounts.class_scores`."""
    of_method = Scoring.of(counts, method, *scoring, **options)
    of_method.warn_of_unused_prior(method)
    return of_method.class_scores()


def score(
    counts: Counts, method: str, aggregate: str | None, *scoring: Any, **options: Any
) -> NDArray[np.float64]:
    """Score every term; see `ClassCounts.score`."""
    of_method = Scoring.of(counts, method, *scoring, **options)
    return of_method.scores(of_method.aggregate(aggregate))


def smoothing_of(
    alpha: Alpha, n_terms: int, outcomes: int | None = None, *, is_rate: bool = False
) -> tuple[float, tuple[float, float]]:
    """Return b1, and b2 with its rounding error.

    ``alpha`` is (b1, b2), or one number that stands for (alpha, alpha * outcomes). By default,
    ``outcomes`` is ``n_terms``. Without the rounding error of b2, small differences of
    probabilities would be wrong. The value b1 may exceed b2 only if ``is_rate``.
    """
    b1, given = validation.check_alpha(alpha)
    if given is None:
        factor = n_terms if outcomes is None else outcomes
        b2 = b1 * factor
        if not math.isfinite(b2):
            raise wrong_value(
                "{alpha} must be less than 2^1024 / {factor:,}, got {given!r}",
                factor=factor,
                given=alpha,
            )
        rest = _rounding_error(b1, factor, b2)
    else:
        b2, rest = given, 0.0
    if is_rate:
        return b1, (b2, rest)
    if b1 > b2 and n_terms:
        raise wrong_value("{alpha} = (b1, b2) must satisfy b1 <= b2, got {given!r}", given=alpha)
    return b1, (max(b1, b2), rest)


def _rounding_error(b1: float, factor: int, b2: float) -> float:
    """Return b1 * factor - b2, rounded once."""
    (n, d), (n2, d2) = b1.as_integer_ratio(), b2.as_integer_ratio()
    return (n * factor * d2 - n2 * d) / (d * d2)
