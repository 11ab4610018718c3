"""Every score of the registry in exact arithmetic, and the errors of computed scores."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

import termsift as ts
from exact import (
    Exact,
    _to_float,
    exact_aggregate,
    exact_class_scores,
    exact_collection_scores,
    relative_error,
)
from exact_cells import exact_cell_scores
from private import MODELS, _core, core_of, scoring_of


def directions_of(counts: ts.ClassCounts, method: str, **options: Any) -> Any:
    """Return the column ``sign`` of `to_frame` as a dense table of classes and terms."""
    return scoring_of(counts, method, **options).directions()


def of_all_pairs(counts: ts.ClassCounts, method: str, **options: Any) -> tuple[Any, Any]:
    """Return the directions and the scores of all pairs of a class and a term."""
    shape = counts.n_classes, counts.n_terms
    starts = np.arange(counts.n_classes + 1) * counts.n_terms
    terms = np.tile(np.arange(counts.n_terms, dtype=np.int32), counts.n_classes)
    signs, scores = scoring_of(counts, method, **options).of_pairs(starts, terms)
    return signs.reshape(shape), scores.reshape(shape)


class Measure(NamedTuple):
    """A method with its event model and the values of its options."""

    method: str
    options: dict[str, Any]

    def __str__(self) -> str:
        return "-".join([self.method, *map(str, self.options.values())])

    @property
    def model(self) -> str:
        return str(self.options["model"])

    @property
    def of_probabilities(self) -> bool:
        """Whether the method compares p with q, as only methods with event models do."""
        return self.method in ("md", "md_chi2")

    @property
    def of_collection(self) -> bool:
        """Whether the method's score is by default computed from the whole collection."""
        return self.method in ("df", "tfidf")


MEASURES = [
    Measure(method.name, {"model": model, **dict(zip(method.options, values, strict=True))})
    for method in ts.methods()
    for model in method.models or MODELS[:1]
    for values in itertools.product(*method.options.values())
]


OF_CELLS = [measure for measure in MEASURES if not measure.of_probabilities]


def exact_values(
    counts: ts.ClassCounts,
    measure: Measure,
    alpha: Any = 1.0,
    class_prior: Any = "empirical",
    shift: Any = 0,
) -> list[list[Exact]]:
    """Return a table of the exact class scores, with a row for each class."""
    outcomes = {"bernoulli": 2, "poisson": 1}.get(measure.model, counts.n_terms)
    b1, b2 = alpha if isinstance(alpha, tuple) else (alpha, Fraction(alpha) * outcomes)
    options = {name: value for name, value in measure.options.items() if name != "model"}
    if measure.of_probabilities:
        return exact_class_scores(
            counted(counts, measure.model),
            counts.class_docs,
            measure.method,
            b1,
            b2,
            class_prior,
            model=measure.model,
            **options,
        )
    # If weights are fractions, n is the exact sum over the classes, because `counts.n_docs` is a
    # rounded sum in another order.
    collection, n_docs = None, sum(map(Fraction, counts.class_docs.tolist()))
    if core_of(counts).exact:
        n_docs = Fraction(counts.n_docs)
        collection = counts.collection_term_frequency, counts.collection_document_frequency
    return exact_cell_scores(
        measure.method,
        counts.term_frequency.toarray(),
        counts.document_frequency.toarray(),
        counts.class_docs,
        n_docs,
        collection,
        b1=b1,
        b2=b2,
        shift=shift,
        **options,
    )


def allowance(counts: ts.ClassCounts, measure: Measure) -> Any:
    """Return how far each value may be from the exact value, beside a few ulp.

    Only ``poisson_deviation`` has an allowance: its values may be those of a probability p that
    differs by 2^-51 (1 + l_i/n) min(p, 1 - p).
    """
    if measure.method != "poisson_deviation":
        return np.full((counts.n_classes, counts.n_terms), Fraction(0))
    exact, less, more = (
        np.array(exact_values(counts, measure, shift=shift), dtype=object)
        for shift in (0, Fraction(-1, 2**51), Fraction(1, 2**51))
    )
    finite = exact != math.inf
    gaps = np.abs(less[finite] - exact[finite]) + np.abs(more[finite] - exact[finite])
    allowed = np.full(exact.shape, Fraction(0))
    allowed[finite] = gaps
    return allowed


def error_beyond(allowed: Any, value: Any, truth: Exact, error: Any) -> float:
    """Return the error of a value, or 0 if the value is within its `allowance`."""
    value = float(value)
    if allowed and math.isfinite(value) and abs(Fraction(value) - truth) <= allowed:
        return 0.0
    return float(error(value, truth))


def counted(counts: ts.ClassCounts, model: str) -> Any:
    """Return the table of counts that the event model reads: of documents or of occurrences."""
    of_documents = model in ("binary", "bernoulli")
    return (counts.document_frequency if of_documents else counts.term_frequency).toarray()


def are_promised(
    counts: ts.ClassCounts, measure: Measure, alpha: Any, class_prior: Any = "empirical"
) -> list[list[bool]]:
    """Return whether each value must be accurate: p and q are equal, or differ enough."""
    gap = Measure("relative", {"model": measure.model})
    outcomes = {"bernoulli": 2, "poisson": 1}.get(measure.model, counts.n_terms)
    b1, b2 = alpha if isinstance(alpha, tuple) else (alpha, Fraction(alpha) * outcomes)
    gaps = exact_class_scores(
        counted(counts, gap.model),
        counts.class_docs,
        "relative",
        b1,
        b2,
        class_prior,
        model=gap.model,
    )
    enough = Fraction(counts.n_classes**2, 2**50)
    return [[value == 0 or value >= enough for value in row] for row in gaps]


def assert_exact(
    counts: ts.ClassCounts,
    measure: Measure,
    alpha: Any = 1.0,
    class_prior: Any = "empirical",
    most: float = 1e-14,
    error: Any = relative_error,
    near: bool = False,
) -> None:
    """Check the class scores, the scores of pairs and all aggregates against exact arithmetic.

    The error of a sum is compared with the sum of magnitudes, because the parts may cancel. Values
    whose p and q nearly agree are checked only if `near` is true.
    """
    arguments = {**measure.options, "alpha": alpha, "class_prior": class_prior}
    exact = exact_values(counts, measure, alpha, class_prior)
    promised = [[True] * counts.n_terms] * counts.n_classes
    if measure.of_probabilities and not near:
        promised = are_promised(counts, measure, alpha, class_prior)
    values = counts.class_scores(measure.method, **arguments)
    signs, of_pairs = of_all_pairs(counts, measure.method, **arguments)
    where, allowed = (str(measure), alpha, class_prior), allowance(counts, measure)
    for c, i in itertools.product(range(counts.n_classes), range(counts.n_terms)):
        if promised[c][i]:
            truth, may = exact[c][i], allowed[c, i]
            assert error_beyond(may, values[c, i], truth, error) <= most, (*where, c, i)
            assert error_beyond(may, of_pairs[c, i], truth, error) <= most, (*where, c, i, "pair")
    assert np.array_equal(signs, directions_of(counts, measure.method, **arguments)), where
    sizes = [[abs(value) for value in row] for row in exact]
    for aggregate in ("sum", "mean", "max"):
        scores = counts.score(measure.method, aggregate=aggregate, **arguments)  # type: ignore[arg-type]
        rule = (aggregate, counts.class_docs, class_prior)
        wanted = exact_aggregate(exact, *rule)
        size = map(abs, wanted) if aggregate == "max" else exact_aggregate(sizes, *rule)
        for i, (score, truth, whole) in enumerate(zip(scores.tolist(), wanted, size, strict=True)):
            is_infinite = any(math.isinf(_to_float(x)) for x in (truth, whole))
            if is_infinite or not math.isfinite(score):
                # A class value beyond float64 is infinite, and so are its sum and mean.
                is_beyond = any(math.isinf(_to_float(row[i])) for row in exact)
                is_right = score == _to_float(truth) or (is_beyond and score == math.inf)
                assert is_right, (*where, aggregate, i)
            elif all(row[i] for row in promised):
                gap = abs(Fraction(score) - Fraction(truth)) - sum(allowed[:, i])
                assert gap <= Fraction(2, 10**14) * Fraction(whole), (*where, aggregate, i)
    if measure.of_collection:
        scores = counts.score(measure.method, **arguments)
        l_i, d_i = counts.collection_term_frequency, counts.collection_document_frequency
        whole = exact_collection_scores(measure.method, l_i, d_i, counts.n_docs)
        for score, truth in zip(scores.tolist(), whole, strict=True):
            assert relative_error(score, truth) <= most, where


def assert_no_target_changes_a_bit(
    counts: ts.ClassCounts, measure: Measure, alpha: Any = 1.0
) -> None:
    """Check that the scores of the best SIMD target, which may be exact, are those of each."""
    arguments = {**measure.options, "alpha": alpha}
    best = _core.simd_target()
    expected: dict[Any, bytes] = {}
    try:
        for target in _core.simd_targets():
            _core.use_simd_target(target)
            signs, of_pairs = of_all_pairs(counts, measure.method, **arguments)
            by_class = counts.class_scores(measure.method, **arguments)
            arrays: dict[str, Any] = {"signs": signs, "pairs": of_pairs, "by class": by_class}
            for aggregate in ("sum", "mean", "max"):
                arrays[aggregate] = counts.score(measure.method, aggregate=aggregate, **arguments)  # type: ignore[arg-type]
            for name, array in arrays.items():
                bits = expected.setdefault(name, array.tobytes())
                assert array.tobytes() == bits, (str(measure), alpha, name, target)
    finally:
        _core.use_simd_target(best)
