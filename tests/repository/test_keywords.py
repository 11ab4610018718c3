"""Keywords are declared once: signatures, type hints, checks and defaults agree."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, get_type_hints

import pytest

import termsift as ts
from private import (
    _CUTTING,
    CHECKS,
    AggregateOptions,
    CuttingRules,
    MethodOptions,
    Rules,
    scoring,
)
from public_names import public_callables
from termsift.text import TextRules
from wording import raises

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
    with raises(TypeError, "misspelt_rule", argument="lowercse"):
        public(name)(["a text"], lowercse=True)


# ---- scoring -------------------------------------------------------------------------------------

# Naive Bayes has a model and priors of its own, and curves smooth a classifier, too.
OTHERS = ("NaiveBayes", "naive_bayes", "cross_validate", "selection_curve", "uses_prior")


def declared() -> dict[str, tuple[str, Any]]:
    """Return the type, as it is written, and the default of each keyword of a score."""
    of_class = AggregateOptions.__annotations__
    defaults = inspect.signature(scoring.Scoring.of).parameters
    return {
        name: (kind.__forward_arg__, defaults[name].default if name in defaults else None)
        for name, kind in of_class.items()
    }


def test_every_signature_repeats_the_keywords_of_scores_alike() -> None:
    n_checked = 0
    for name, function in public_callables():
        if name.rpartition(".")[2] in OTHERS:
            continue
        shown = inspect.signature(function).parameters
        for keyword, (kind, default) in declared().items():
            if keyword in shown:
                assert (shown[keyword].annotation, shown[keyword].default) == (kind, default), name
                assert shown[keyword].kind is inspect.Parameter.KEYWORD_ONLY, name
                n_checked += keyword in ("model", "alpha", "class_prior")
    assert n_checked >= 3 * (len(ts.methods()) + 7)


def test_scores_by_class_have_every_keyword() -> None:
    for method in (ts.ClassCounts.class_scores, ts.ClassCounts.to_frame, ts.distinctive_terms):
        assert set(inspect.signature(method).parameters) >= declared().keys() - {"aggregate"}
    for method in (ts.ClassCounts.score, ts.ClassCounts.rank, ts.md):
        assert set(inspect.signature(method).parameters) >= declared().keys()


def test_a_misspelt_keyword_of_a_score_is_named_with_the_nearest() -> None:
    counts = ts.count([[1, 0], [0, 1]], ["a", "b"])
    for wrong, right in {"modl": "model", "agregate": "aggregate", "polcy": "policy"}.items():
        with raises(
            TypeError, "md_has_no_option", argument=wrong, at=f"'{wrong}'; did you mean '{right}'"
        ):
            counts.rank("md", **{wrong: "max"})  # type: ignore[call-arg]
    with raises(TypeError, "md_chi2_has_no_option_noncentralty_it", argument="noncentralty"):
        counts.score("md_chi2", noncentralty="pearson")  # type: ignore[call-arg]
    with raises(TypeError, "md_has_no_aggregate", argument="aggregate"):
        counts.class_scores("md", aggregate="max")  # type: ignore[call-arg]
    with raises(TypeError, "key_has_no_option_max_pvlue_did", argument="max_pvlue"):
        ts.distinctive_terms(counts, max_pvlue=0.1)  # type: ignore[call-arg]
    with raises(TypeError, "md_has_no_option_polcy", argument="polcy"):
        ts.distinctive_terms(counts, "md", polcy="top")  # type: ignore[call-arg]
    with raises(TypeError, "md_has_no_option_libary_did", argument="libary"):
        counts.to_frame("md", libary="polars")  # type: ignore[call-arg]
    with raises(TypeError, "md_has_no_option", argument="modl", at="'modl'; did you mean 'model'"):
        counts.columns("md", modl="binary")  # type: ignore[call-arg]
    with raises(TypeError, "chi2_has_no_option_sample_wieght_did", argument="sample_wieght"):
        ts.chi2([[1, 0], [0, 1]], ["a", "b"], sample_wieght=[1, 1])  # type: ignore[call-arg]


def test_the_argument_that_was_passed_comes_first(tmp_path: Path) -> None:
    counts = ts.count([[1, 0], [0, 1]], ["a", "b"])
    other, pairs = (ts.count_texts(["one two"], ["x"], ngram_range=(1, n)) for n in (1, 2))
    for first, call in {
        "aggregate": lambda: counts.rank("greedy", aggregate="max"),
        "policy": lambda: counts.rank("greedy", policy="round_robin"),
        "path": lambda: counts.rank("md").to_csv(tmp_path / "absent" / "x.csv"),
        "parts": lambda: ts.merge([other, pairs]),
    }.items():
        with pytest.raises((ValueError, TypeError, OSError)) as error:
            call()
        assert getattr(error.value, "argument", None) == first


def test_type_checkers_know_the_options_of_methods() -> None:
    registered = {
        name: bool if values == (False, True) else Literal[values]  # type: ignore[valid-type]
        for method in ts.methods()
        for name, values in method.options.items()
    }
    assert get_type_hints(MethodOptions) == registered
    assert all(f"``{name}``" in (ts.ClassCounts.score.__doc__ or "") for name in registered)


def test_a_number_of_threads_is_asked_for_alike() -> None:
    asked = [
        (name, one)
        for name, function in public_callables()
        for one in inspect.signature(function).parameters.values()
        if one.name == "n_threads"
    ]
    assert len(asked) > 40
    for name, one in asked:
        assert (one.default, one.annotation) == (None, "int | None"), name
        assert one.kind is one.KEYWORD_ONLY, name


# ---- descriptions --------------------------------------------------------------------------------


def descriptions(function: Callable[..., Any]) -> dict[str, str]:
    """Return the description of each parameter in a docstring."""
    found: dict[str, str] = {}
    doc = inspect.getdoc(function) or ""
    section = re.search(r"Parameters\n-+\n(.*?)(?=\n\n\S[^\n]*\n-+\n|\Z)", doc, re.DOTALL)
    names: list[str] = []
    for line in section[1].splitlines() if section else ():
        if line and not line.startswith(" "):
            names = [name.strip().lstrip("*") for name in line.partition(" : ")[0].split(",")]
        for name in names:
            found[name] = f"{found[name]} {line.strip()}" if name in found else ""
    return found


def test_a_parameter_is_described_here_or_in_one_other_place() -> None:
    every = {name.removeprefix("ts."): function for name, function in public_callables()}
    n_references = 0
    for name, function in every.items():
        for parameter, text in descriptions(function).items():
            if not (reference := re.match(r" As for `(?:termsift\.)?([\w.]+)`", text)):
                continue
            owner = name.rpartition(".")[0]
            place = reference[1] if reference[1] in every else f"{owner}.{reference[1]}"
            there = descriptions(every[place])
            same = there.get(parameter, there.get(re.sub("_(train|test)$", "", parameter)))
            assert same is not None, f"{place} does not describe {parameter} of {name}"
            assert not same.startswith(" As for"), f"{parameter} of {name}: see {place}, and again"
            n_references += 1
    assert n_references > 100
