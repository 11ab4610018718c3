"""The private names of the package that tests need, each with a reason.

Tests call public names wherever those suffice. What a test needs beyond them is imported from here,
so that a change of the package changes one file of the tests.
"""

from __future__ import annotations

from typing import Any

from termsift import _core
from termsift._api.class_counts import ClassCounts, value_of
from termsift._counts.counts import Counts
from termsift._evaluate import rankers
from termsift._scores import class_terms, scoring

__all__ = ["Counts", "value_of"]


def core_of(counts: ClassCounts) -> _core.Counts:
    """Return the core's counts, whose arrays show every bit."""
    return value_of(counts).core


def holding(value: Counts) -> ClassCounts:
    """Return counts that hold a value, which no public function would make."""
    return ClassCounts._of(value)


def class_columns(counts: ClassCounts, *args: Any, **options: Any) -> dict[str, Any]:
    """Return the columns of `ClassCounts.to_frame`, which needs a library of data frames."""
    return class_terms.class_columns(value_of(counts), *args, **options)


def largest_classes(counts: ClassCounts, n: int) -> list[int]:
    """Return the rows of the classes that tables show."""
    return class_terms.largest_classes(value_of(counts), n)


def dominant_class(counts: ClassCounts, *args: Any, **scoring: Any) -> Any:
    """Return the rows of the classes that the report names."""
    return class_terms.dominant_class(value_of(counts), *args, **scoring)


def rank_by(method: str, counts: ClassCounts, *args: Any, **options: Any) -> Any:
    """Return a ranking as the command line and cross-validation make it."""
    return rankers.rank_by(method, value_of(counts), *args, **options)


def scoring_of(counts: ClassCounts, *args: Any, **options: Any) -> scoring.Scoring:
    """Return a method's arguments for the core."""
    return scoring.Scoring.of(value_of(counts), *args, **options)
