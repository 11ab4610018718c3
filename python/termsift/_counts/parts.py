"""Counts of the parts of a collection of texts, on a cluster."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from termsift._counts.class_counts import ClassCounts
from termsift._counts.held import Held
from termsift._counts.texts import counted, kept_terms_only, with_terms
from termsift.text import TextRules
from termsift.text._labelled_texts import LabelledTexts


def nothing(tf: str) -> ClassCounts:
    """Return the counts of no documents, to which others can be added."""
    return ClassCounts._of(Held.nothing(tf))


def count_part(texts: Any, y: Any, *, rules: TextRules, tf: str, **options: Any) -> ClassCounts:
    """Return the counts of a part of a collection, with all its terms, on one thread."""
    all_terms = replace(rules, min_df=1, max_df=1.0, max_features=None)
    return ClassCounts._of(counted(LabelledTexts(texts, y, **options), all_terms, tf, 1))


def united(a: ClassCounts, b: ClassCounts) -> ClassCounts:
    """Return the counts of two parts, with terms matched by name."""
    return ClassCounts._of(a._state.united(b._state))


def finished(counts: ClassCounts, rules: TextRules) -> ClassCounts:
    """Return the counts of all parts together, without the terms that the rules drop."""
    return ClassCounts._of(with_terms(kept_terms_only(counts._state, rules), rules))
