"""Every entry of the registry has all parts that "To add a score" in CONTRIBUTING.md lists."""

from __future__ import annotations

import inspect
import itertools
import pickle
import re
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

import termsift as ts
from private import (
    EVENT_MODELS,
    MODELS,
    OCCURRENCES,
    MethodName,
    Model,
    RankerName,
    _core,
    check_model,
    find_method,
    find_ranker,
    scoring_of,
)
from termsift import reference
from wording import raises

ROOT = Path(__file__).parents[2]
METHODS = (ROOT / "docs/methods.md").read_text(encoding="utf-8")
X, Y = np.array([[4, 1, 0, 2], [0, 1, 2, 1], [1, 0, 3, 1], [0, 0, 1, 0]]), ["a", "b", "b", "c"]

every_method = pytest.mark.parametrize("entry", ts.methods(), ids=lambda entry: entry.name)


def agrees_with_the_formula(entry: ts.Method) -> bool:
    """Return whether the kernel and the reference formula have the same class scores."""
    counts, expected = ts.count(X, Y), reference.count(X, Y)
    for values in itertools.product(*entry.options.values()):
        options = dict(zip(entry.options, values, strict=True))
        for model in entry.models or MODELS[:1]:
            scoring = scoring_of(counts, entry.name, model, **options)  # type: ignore[arg-type]
            scoring = replace(scoring, method=entry, measure=entry.measure(options))
            formula = reference.class_scores(expected, entry.name, model=model, **options)
            if not np.allclose(scoring.class_scores(), formula, rtol=1e-10, atol=1e-14):
                return False
    return True


def faults_of(entry: ts.Method) -> list[str]:
    """Return the parts that are missing for an entry of the registry."""
    absent = []
    if not entry.measures and entry.name not in _core.ContingencyMeasure.__members__:
        absent.append("kernel")
    if entry.name not in reference.METHODS:
        absent.append("reference formula")
    if not absent and not agrees_with_the_formula(entry):
        absent.append("kernel that agrees with the reference formula")
    if not re.search(rf"(?m)^### `{entry.name}`$", METHODS):
        absent.append("section of docs/methods.md")
    if not re.search(rf"(?m)^\| `{entry.name}` \|", METHODS):
        absent.append("row of the example in docs/methods.md")
    if not (entry.title.endswith(".") and entry.formula and entry.source):
        absent.append("words of its own")
    return absent


@every_method
def test_an_entry_has_all_that_it_needs(entry: ts.Method) -> None:
    assert faults_of(entry) == []


def test_every_kernel_and_every_formula_has_an_entry() -> None:
    entries = ts.methods()
    assert {entry.name for entry in entries} == set(reference.METHODS)
    used = {
        entry.measure(dict(zip(entry.options, values, strict=True)))
        for entry in entries
        for values in itertools.product(*entry.options.values())
    }
    core = {*_core.Measure.__members__.values(), *_core.ContingencyMeasure.__members__.values()}
    assert used == core


def test_selectors_are_methods_of_counts_or_functions() -> None:
    for entry in ts.selectors():
        assert entry.formula
        assert entry.source
        assert entry.title.endswith(".")
        assert entry.name not in {method.name for method in ts.methods()}
        assert callable(getattr(ts if entry.reads_documents else ts.ClassCounts, entry.name))
        assert find_ranker(entry.name) is entry


def test_what_methods_read() -> None:
    needs = {entry.name: entry.needs for entry in (*ts.methods(), *ts.selectors())}
    assert needs["md"] == needs["greedy"] == "term frequency"
    assert needs["df"] == "document frequency"
    assert needs["tfidf"] == "term frequency, document frequency"
    assert needs["conditional_gain"] == "documents"
    tests = {entry.name: entry.default_aggregate for entry in ts.methods() if entry.is_test}
    assert tests == {"chi2": "max", "g2": "max", "chi2_counts": "sum", "g2_counts": "max"}


def test_event_models_are_those_of_the_core() -> None:
    assert list(EVENT_MODELS) == list(MODELS) == list(get_args(Model))
    assert list(MODELS) == list(_core.EventModel.__members__)
    assert check_model("poisson", find_method("md")) is EVENT_MODELS["poisson"]
    documented = " ".join((ts.ClassCounts.score.__doc__ or "").split())
    counts, score = ts.count(X, Y), ts.ClassCounts.score
    for model in EVENT_MODELS.values():
        assert model.formula in documented
        # If alpha is one number, b1 = alpha and b2 = alpha * outcomes.
        b1, b2 = 0.5, 0.5 * (model.outcomes or counts.n_terms)
        as_numbers = score(counts, "md", model=model.name, alpha=(b1, b2))
        assert np.array_equal(score(counts, "md", model=model.name, alpha=b1), as_numbers)
        reads = "l_ic" if model.reads == OCCURRENCES else "d_ic"
        assert model.formula.startswith(f"({reads} + b1) / (")


# ---- the functions made from the registry --------------------------------------------------------


@every_method
def test_a_function_is_like_one_that_was_written(entry: ts.Method) -> None:
    function = getattr(ts, entry.name)
    assert pickle.loads(pickle.dumps(function)) is function
    assert entry.name in ts.__all__
    assert entry.name in dir(ts)
    assert (function.__module__, function.__qualname__) == ("termsift", entry.name)
    names = list(inspect.signature(function).parameters)
    assert names[:3] == ["X", "y", "sample_weight"]
    of_score = list(inspect.signature(ts.ClassCounts.score).parameters)[2:-1]
    assert names[3:] == [*of_score, *entry.options]


@every_method
def test_a_docstring_passes_as_numpydoc(entry: ts.Method) -> None:
    validate = pytest.importorskip("numpydoc.validate").validate
    errors = dict(validate(f"termsift.{entry.name}")["errors"])
    # Accept parameters that share one line and one type, named return values, summaries that begin
    # with a name such as "Pearson's", and docstrings without an extended summary.
    accepted = {"ES01", "PR04", "RT02", "SS02", "SS05"}
    assert set(errors) <= accepted, errors


def test_type_checkers_know_every_name() -> None:
    # The type MethodName must list every method, because editors mark other names as errors.
    assert get_args(MethodName) == tuple(method.name for method in ts.methods())
    selectors = {name for part in get_args(RankerName) for name in get_args(part)}
    assert selectors - set(get_args(MethodName)) == {selector.name for selector in ts.selectors()}


@every_method
def test_alpha_has_an_effect_where_an_entry_says_so(entry: ts.Method) -> None:
    counts = ts.count(X, Y)
    by_alpha = [scoring_of(counts, entry.name, alpha=a).class_scores() for a in (0.5, 2)]
    assert np.array_equal(*by_alpha) != entry.smooths


def test_a_registry_prints_as_a_table() -> None:
    entries = ts.selectors()
    width = max(len(entry.name) for entry in entries)
    lines = repr(entries).splitlines()
    assert [line[:width].rstrip() for line in lines] == [entry.name for entry in entries]
    assert [line[width:] for line in lines] == [f"  {entry.title}" for entry in entries]


def test_an_unknown_option_of_an_entry_is_refused() -> None:
    with raises(TypeError, "c_tfidf_has_no_option_varant", argument="varant"):
        ts.methods()["c_tfidf"].measure({"varant": "idf"})
