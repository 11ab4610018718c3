"""Counting texts within a given memory: in one pass if all terms fit, else in two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from termsift._counts.held import Held
from termsift._counts.texts import TermsDoNotFitError, check_rules_of_parts, kept_terms_only
from termsift._util import validation
from termsift._util.log import logger
from termsift.text import TextRules
from termsift.text._sketch import TermSketch

_SHARE = 3  # of the memory: for the terms that are being counted; for the sketch; for the result


def counted_within(
    max_memory: int | None,
    rules: TextRules,
    tf: str,
    count: Callable[[TextRules, int | None], Held],
    add_to: Callable[[TermSketch], Any],
) -> Held:
    """Count texts in at most about ``max_memory`` bytes; the rules drop no term yet if it is None.

    ``count(rules, limit)`` counts them all, or raises `TermsDoNotFitError` if the counter takes
    more than ``limit`` bytes. Then ``add_to(sketch)`` adds them all to a sketch, and only terms
    that may be frequent are counted.
    """
    all_terms = replace(rules, min_df=1, max_df=1.0, max_features=None)
    if max_memory is None:
        return count(all_terms, None)
    sketch = sketch_within(max_memory, rules)
    check_rules_of_parts(rules, tf)
    try:
        return kept_terms_only(count(all_terms, max_memory // _SHARE), rules)
    except TermsDoNotFitError:
        logger.info("the terms do not fit in %d bytes: reading twice", max_memory)
    add_to(sketch)
    try:
        counts = kept_terms_only(count(sketch.counting_rules(), max_memory // _SHARE), rules)
    except TermsDoNotFitError:
        raise ValueError(
            f"the terms that may be in min_df={rules.min_df} documents do not fit in "
            f"max_memory={max_memory}: raise either"
        ) from None
    logger.info("left out all terms that are in fewer than %d documents", rules.min_df)
    return counts


def sketch_within(max_memory: int, rules: TextRules) -> TermSketch:
    """Return an empty sketch for counting in ``max_memory`` bytes by rules with ``min_df``."""
    validation.check_integer(max_memory, "max_memory", 1 << 20)
    if not (validation.is_integer(rules.min_df) and rules.min_df > 1):
        raise ValueError(
            "max_memory needs min_df, a number of documents of 2 or more, to drop rare terms by"
        )
    all_terms = replace(rules, min_df=1, max_df=1.0, max_features=None)
    return TermSketch(all_terms, int(rules.min_df), max_memory // _SHARE)
