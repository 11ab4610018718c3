"""Counting the parts of a collection on a cluster, and adding them up."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from termsift._api.class_counts import ClassCounts, value_of
from termsift._counts import file
from termsift._counts.documents import (
    check_rules_of_parts,
    counted,
    finished,
    kept_terms_only,
    sketch_within,
    without_drops,
)
from termsift._util import validation
from termsift.text import TextRules
from termsift.text._blocks import LabelledTexts
from termsift.text._sketch import TermSketch


@dataclass(frozen=True)
class CountPart:
    """Counts one part of a collection on a cluster. Rules that drop terms wait for all parts."""

    rules: TextRules
    tf: str
    classes: list[Hashable] | None
    sketch: TermSketch | None = None  # of all parts, if rare terms are left out

    def __call__(self, texts: Any, y: Any, **columns: Any) -> ClassCounts:
        documents = LabelledTexts(texts, y, classes=self.classes, **columns)
        rules = without_drops(self.rules)
        return ClassCounts._of(counted(documents, rules, self.tf, 1, sketch=self.sketch))

    def together(self, a: ClassCounts, b: ClassCounts) -> ClassCounts:
        """Return the counts of two parts, with terms matched by name."""
        return ClassCounts._of(value_of(a).united(value_of(b)))

    def nothing(self) -> ClassCounts:
        """Return the counts of no documents."""
        return self([], [])

    def load(self, data: bytes) -> ClassCounts:
        return ClassCounts._of(file.read_bytes(data, "the counts of a part"))


@dataclass(frozen=True)
class SketchPart:
    """Makes a sketch of one part of a collection on a cluster."""

    rules: TextRules
    max_memory: int

    def __call__(self, texts: Any, y: Any, text: Any = None, label: Any = None) -> TermSketch:
        return self.nothing().update(texts, text=text, n_threads=1)

    def together(self, a: TermSketch, b: TermSketch) -> TermSketch:
        return a + b

    def nothing(self) -> TermSketch:
        return sketch_within(self.max_memory, self.rules, 12)

    def load(self, data: bytes) -> TermSketch:
        return TermSketch.from_bytes(data)


def count_parts(
    total: Callable[[Any], Any],
    rules: TextRules,
    tf: str,
    classes: Iterable[Hashable] | None,
    max_memory: int | None,
) -> ClassCounts:
    """Count texts in parts on a cluster.

    ``total(of_part)`` calls ``of_part(texts, y, text=, label=)`` for each part, which is a
    `CountPart` or a `SketchPart`, and adds up the results with ``of_part.together``.
    """
    check_rules_of_parts(rules, tf)
    labels = None if classes is None else validation.check_classes(classes)
    cutting, sketch = rules, None
    if max_memory is not None:
        sketch = total(SketchPart(rules, max_memory)).cut_by(rules)
        cutting = sketch.counting_rules()
    counts = total(CountPart(cutting, tf, labels, sketch))
    return ClassCounts._of(finished(kept_terms_only(value_of(counts), rules), rules))
