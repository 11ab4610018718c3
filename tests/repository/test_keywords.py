"""Keywords are declared once: signatures, type hints, checks and defaults agree."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Any, get_type_hints

import pytest

import termsift as ts
from termsift.text import TextRules
from termsift.text._rules import _CUTTING, CHECKS, CuttingRules, Rules

TAKE_RULES = ["count_texts", "scan", "find_passages", "dask.count_texts", "spark.count_texts"]


def public(name: str) -> Callable[..., Any]:
    """Return a public function by its name within the package. Skip if a library is missing."""
    found: Any = ts
    for part in name.split("."):
        if part in ("dask", "spark"):
            pytest.importorskip(f"termsift.{part}", exc_type=ImportError)
        found = getattr(found, part)
    return found


def test_rules_have_one_set_of_names_types_and_checks() -> None:
    names = [rule.name for rule in fields(TextRules)]
    assert get_type_hints(Rules) == get_type_hints(TextRules)
    assert set(CHECKS) == set(names)
    assert [*CHECKS] == names
    # Rules that cut texts come in the order of the signature; all others drop terms.
    assert list(_CUTTING) == [name for name in names if name in CuttingRules.__annotations__]


@pytest.mark.parametrize("name", TAKE_RULES)
def test_a_signature_shows_every_rule_with_its_default(name: str) -> None:
    shown = inspect.signature(public(name)).parameters
    for rule in inspect.signature(TextRules).parameters.values():
        assert shown[rule.name] == rule.replace(kind=rule.KEYWORD_ONLY)
    assert not any(one.kind is one.VAR_KEYWORD for one in shown.values())


def test_a_sketch_shows_the_rules_that_cut() -> None:
    shown = inspect.signature(ts.sketch_texts).parameters
    rules = set(CuttingRules.__annotations__)
    assert set(shown) == {"texts", "text", "min_df", "n_bytes", "n_threads"} | rules
    assert shown["min_df"].default == 20


@pytest.mark.parametrize("name", [*TAKE_RULES, "sketch_texts"])
def test_an_unknown_keyword_is_named_with_the_nearest(name: str) -> None:
    with pytest.raises(TypeError, match=r"'lowercse', expected one of .*did you mean 'lowercase'"):
        public(name)(["a text"], lowercse=True)
