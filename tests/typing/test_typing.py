"""The types of arguments list the values that the library takes, the default first."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, get_args

import pytest

import termsift as ts
from private import FORMATS, KEYNESS_ORDERS, METRICS, MODELS
from termsift import typing

NAMES = [entry.name for entry in ts.methods()]


@pytest.mark.parametrize(
    ("kind", "function", "argument"),
    [
        (typing.Analyzer, ts.text.TextRules, "analyzer"),
        (typing.BayesModel, ts.NaiveBayes, "model"),
        (typing.Direction, ts.ClassCounts.keyness, "direction"),
        (typing.KeynessOrder, ts.ClassCounts.keyness, "sort"),
        (typing.Metric, ts.Curve.best_k, "metric"),
        (typing.Model, ts.ClassCounts.score, "model"),
        (typing.Policy, ts.ClassCounts.rank, "policy"),
        (typing.TermFrequency, ts.count, "tf"),
    ],
)
def test_the_default_comes_first(kind: Any, function: Callable[..., Any], argument: str) -> None:
    assert inspect.signature(function).parameters[argument].default == get_args(kind)[0]


def test_the_values_are_those_of_the_library() -> None:
    assert get_args(typing.Format) == FORMATS
    assert get_args(typing.KeynessOrder) == KEYNESS_ORDERS
    assert get_args(typing.Metric) == METRICS
    assert get_args(typing.Model) == MODELS
    assert get_args(typing.BayesModel) == (*MODELS, "complement")
    assert get_args(typing.MethodName) == tuple(NAMES)
    for method in NAMES:
        counts = ts.count([[3, 1], [1, 2]], ["ham", "spam"])
        assert counts.rank(method, 1).method == method


@pytest.mark.parametrize("accents", get_args(typing.Accents))
def test_accents(accents: typing.Accents) -> None:
    assert list(ts.count_texts(["Käse"], [1], strip_accents=accents).term_names) == ["kase"]


def test_every_type_has_a_name_in_all() -> None:
    assert all(get_args(getattr(typing, name)) for name in typing.__all__)
