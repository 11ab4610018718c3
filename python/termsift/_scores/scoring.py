"""The first step of every score: check the arguments and prepare the counts for the core."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._scores.methods import DOCUMENTS, OCCURRENCES, CoreMeasure, EventModel, Method, Model
from termsift._scores.registry import check_model, find_method
from termsift._util import validation
from termsift._util.faults import Name, said
from termsift._util.messages import levels_to_caller

if TYPE_CHECKING:
    from termsift._counts.class_counts import ClassCounts

ClassPrior: TypeAlias = (
    Literal["empirical", "uniform"] | Sequence[float] | Mapping[Any, float] | NDArray[Any] | None
)
Alpha: TypeAlias = float | tuple[float, float]


@dataclass(frozen=True, eq=False)
class Scoring:
    """A method with checked arguments, and the core's counts for its event model."""

    counts: _core.Counts
    method: Method
    measure: CoreMeasure
    model: EventModel
    # The tuple holds b1, the pair (b2, its rounding error), and the prior.
    smoothing: tuple[float, tuple[float, float], _core.Float64s | None]
    n_threads: int

    @classmethod
    def of(
        cls,
        counts: ClassCounts,
        method_name: str,
        /,
        model: Model = "multinomial",
        alpha: Alpha = 1.0,
        class_prior: ClassPrior = None,
        n_threads: int | None = None,
        **options: str | bool,
    ) -> Self:
        """Check the arguments of `ClassCounts.class_scores` and convert the counts."""
        method = find_method(method_name)
        measure = method.measure(options)
        event = check_model(model, method)
        if OCCURRENCES in method.needs and event.reads == OCCURRENCES:
            counts._warn_if_fractional(method.name)
        b1, b2 = validation.check_smoothing(
            alpha, counts.n_terms, event.outcomes, is_rate=event.is_rate
        )
        prior = validation.check_class_prior(class_prior, counts.classes)
        threads = validation.check_n_threads(n_threads)
        if event.reads == DOCUMENTS or event.is_rate or method.needs != OCCURRENCES:
            what: Name = said("{model} {name}", name=model) if method.models else method.name
            cure: Name = "use g2_counts, log_odds or multinomial md, which count occurrences"
            counts._require_documents(what, cure)
        elif method.models and prior is None:
            cure = said("pass {class_prior='uniform'}")
            counts._require_documents(said("the empirical {class_prior}"), cure)
        if model == "binary":
            counts._require_every_term(said("{model} binary"))
        held = counts._counts
        if model != "multinomial":
            held = held.as_counted_by(_core.EventModel.__members__[model], threads)
        return cls(held, method, measure, event, (b1, b2, prior), threads)

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

    def scores(self, aggregate: _core.Aggregate | None) -> NDArray[np.float64]:
        """Return a score for each term, over the whole collection if ``aggregate`` is None."""
        if aggregate is None:
            return _core.collection_scores(self.counts, self.measure, self.n_threads)
        return _core.score(self.counts, self.measure, aggregate, *self.smoothing, self.n_threads)

    def class_scores(self) -> NDArray[np.float64]:
        """Return the class scores of all terms, one row per class."""
        return _core.class_scores(self.counts, self.measure, *self.smoothing, self.n_threads)

    def directions(self) -> NDArray[np.int8]:
        """Return the directions (1, 0 or -1) of all terms, one row per class."""
        return _core.class_directions(self.counts, self.measure, *self.smoothing, self.n_threads)

    def round_robin(self, k: int) -> tuple[_core.Int64s, _core.Float64s, _core.Int64s]:
        """Return the first k terms by round robin, with their scores and their classes."""
        return _core.round_robin(self.counts, self.measure, *self.smoothing, k, self.n_threads)

    def of_pairs(
        self, starts: NDArray[np.int64], terms: NDArray[np.int32]
    ) -> tuple[NDArray[np.int8], _core.Float64s]:
        """Return directions and scores. Class c has terms ``terms[starts[c]:starts[c + 1]]``."""
        return _core.score_pairs(
            self.counts, self.measure, *self.smoothing, self.n_threads, starts, terms
        )
