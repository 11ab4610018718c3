"""Imports and includes only go downward, in the order that docs/architecture.py lists."""

from __future__ import annotations

import argparse
import ast
import graphlib
import importlib
import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"
STAGES: dict[str, Any] = runpy.run_path(str(DOCS / "architecture.py"))

Graph = dict[str, set[str]]
Parts = tuple[Graph, list[list[str]], Callable[[str], str]]


@pytest.fixture(params=["package", "core"])
def parts(request: pytest.FixtureRequest) -> Parts:
    """Return the graph of imports, the order of its floors, and a function from files to stages."""
    graph, floors, stage = {
        "package": ("package_imports", "PACKAGE_FLOORS", "package_stage"),
        "core": ("core_includes", "CORE_FLOORS", "core_stage"),
    }[request.param]
    return STAGES[graph](), STAGES[floors], STAGES[stage]


def test_every_file_has_a_stage_and_every_stage_a_file(parts: Parts) -> None:
    graph, floors, stage_of = parts
    assert {stage for floor in floors for stage in floor} == {stage_of(file) for file in graph}


def test_imports_run_downward(parts: Parts) -> None:
    assert STAGES["upward"](*parts) == []


def test_there_is_no_circle(parts: Parts) -> None:
    list(graphlib.TopologicalSorter(parts[0]).static_order())  # raises CycleError


def test_only_the_command_line_imports_the_public_names() -> None:
    imports = STAGES["package_imports"]()
    importers = {STAGES["package_stage"](m) for m in imports if "termsift" in imports[m]}
    assert importers <= {"cli"}


COMMANDS = sorted((DOCS.parent / "python/termsift/cli").glob("*.py"))


def test_the_commands_use_public_names_only() -> None:
    taken = set()
    for path in COMMANDS:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                assert {alias.name for alias in node.names if "termsift." in alias.name} == set()
            elif isinstance(node, ast.ImportFrom) and node.module and "termsift" in node.module:
                place = node.module.removeprefix("termsift").removeprefix(".")
                taken |= {f"{place}.{alias.name}" for alias in node.names}
    others = {
        name.removeprefix(".") for name in taken if not name.startswith(("_util.", "cli.", ".cli"))
    }
    assert {name for name in others if not is_public(name)} == set()


def is_public(name: str) -> bool:
    """Return whether a name is one of a public module, or a public module itself."""
    place, _, last = name.rpartition(".")
    module = importlib.import_module(f"termsift.{place}" if place else "termsift")
    return "_" not in (name[0], last[0]) and last in {*module.__all__, *(dir(module) * (not place))}


def test_the_commands_read_no_private_attribute() -> None:
    of_argparse = {*dir(argparse.ArgumentParser()), *dir(argparse)}
    for path in COMMANDS:
        tree = ast.parse(path.read_text("utf-8"))
        own = {n.name for n in ast.walk(tree) if isinstance(n, ast.ClassDef | ast.FunctionDef)}
        read = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        private = {name for name in read if name.startswith("_") and not name.endswith("__")}
        assert private <= {*of_argparse, *own}, path.name


def test_the_reference_and_the_rest_do_not_import_each_other() -> None:
    for module, imported in STAGES["package_imports"]().items():
        for other in imported:
            assert ("reference" in module) == ("reference" in other), f"{module} -> {other}"


def test_the_page_draws_the_stages_in_their_order() -> None:
    pages = (DOCS / "architecture.md").read_text("utf-8")
    pictures = re.findall(r"(?ms)^```text\n(.*?)^```$", pages)
    drawn = [[re.split(" {2,}", line[:43].strip()) for line in p.splitlines()] for p in pictures]
    assert drawn == [STAGES["PACKAGE_FLOORS"][::-1], STAGES["CORE_FLOORS"][::-1]]
