"""Counting the parts of a collection on a cluster, and adding them up."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from termsift._api.class_counts import ClassCounts, value_of
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


def united(a: ClassCounts, b: ClassCounts) -> ClassCounts:
    """Return the counts of two parts, with terms matched by name."""
    return ClassCounts._of(value_of(a).united(value_of(b)))


def count_parts(
    total: Callable[[Callable[..., Any], Callable[[Any, Any], Any]], Any],
    rules: TextRules,
    tf: str,
    classes: Iterable[Hashable] | None,
    max_memory: int | None,
) -> ClassCounts:
    """Count texts in parts on a cluster.

    ``total(count, together)`` must call ``count(texts, y, text=, label=)`` for each part, and add
    the results with ``together(a, b)``.
    """
    check_rules_of_parts(rules, tf)
    labels = None if classes is None else validation.check_classes(classes)
    cutting = rules

    def sketch_part(texts: Any, y: Any, text: Any = None, label: Any = None) -> TermSketch:
        assert max_memory is not None
        return sketch_within(max_memory, rules, 12).update(texts, text=text, n_threads=1)

    def count_part(texts: Any, y: Any, **columns: Any) -> ClassCounts:
        documents = LabelledTexts(texts, y, classes=labels, **columns)
        return ClassCounts._of(counted(documents, without_drops(cutting), tf, 1))

    if max_memory is not None:
        cutting = total(sketch_part, TermSketch.__add__).counting_rules()
    counts = total(count_part, united)
    return ClassCounts._of(finished(kept_terms_only(value_of(counts), rules), rules))
