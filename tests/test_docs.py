"""Examples in docstrings and README run, and the docs say what the registry says."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest

import termsift as ts

README = Path(__file__).parents[1] / "README.md"
MODULES = ["termsift"] + [
    module.name
    for module in pkgutil.walk_packages(ts.__path__, "termsift.")
    if module.name not in ("termsift.__main__", "termsift._core")
]


@pytest.mark.parametrize("module", MODULES)
def test_docstrings_run(module: str) -> None:
    assert doctest.testmod(importlib.import_module(module)).failed == 0


@pytest.mark.parametrize("method", [entry.name for entry in ts.methods()])
def test_score_functions_run(method: str) -> None:
    # Made by a factory, so that doctest does not find them by itself.
    function = getattr(ts, method)
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    example = parser.get_doctest(inspect.getdoc(function) or "", {}, method, None, None)
    assert example.examples
    assert runner.run(example).failed == 0


def test_readme_runs() -> None:
    result = doctest.testfile(str(README), module_relative=False)
    assert result.failed == 0
    assert result.attempted > 0


@pytest.mark.parametrize("method", [entry.name for entry in (*ts.methods(), *ts.selectors())])
def test_readme_names_every_method(method: str) -> None:
    assert f"`{method}`" in README.read_text(encoding="utf-8")
