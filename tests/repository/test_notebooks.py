"""Run the notebooks of the documentation, and check what they hold and what they link to."""

from __future__ import annotations

import ast
import importlib
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import termsift as ts

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
IN_EACH = pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
EXTRAS = ("sklearn", "pandas", "matplotlib")


def cells(notebook: Path, kind: str) -> list[str]:
    """Return the sources of the cells of a kind."""
    found = json.loads(notebook.read_text("utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in found if cell["cell_type"] == kind]


def show(value: Any) -> None:
    """Make what a notebook shows of a value, so that its errors are found."""
    assert repr(value)
    getattr(value, "_repr_html_", str)()


@IN_EACH
def test_a_notebook_runs(
    notebook: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    for library in EXTRAS:
        pytest.importorskip(library)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "displayhook", show)
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, source in enumerate(cells(notebook, "code"), 1):
        # Code of the kind "single" hands the value of an expression to the displayhook.
        tree = ast.Interactive(ast.parse(source).body)
        exec(compile(tree, f"{notebook.name}, code cell {number}", "single"), names)
    assert not re.search(r"\bnan\b", capsys.readouterr().out)


@IN_EACH
def test_a_notebook_is_short_and_has_no_outputs(notebook: Path) -> None:
    # The outputs depend on the version of Python, and may name paths of a machine.
    found = json.loads(notebook.read_text("utf-8"))
    assert found["nbformat"] == 4
    assert len({cell["id"] for cell in found["cells"]}) == len(found["cells"])
    code = [cell for cell in found["cells"] if cell["cell_type"] == "code"]
    assert 10 <= len(code) <= 20
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    assert not re.search(r"/home/|/root|/tmp|/Users/|[A-Z]:\\\\", notebook.read_text("utf-8"))


@IN_EACH
def test_the_links_of_a_notebook_lead_somewhere(notebook: Path) -> None:
    links = re.findall(r"\]\(([^)]+)\)", "\n".join(cells(notebook, "markdown")))
    assert links
    for link in links:
        page, _, anchor = link.partition("#")
        text = (notebook.parent / page).read_text("utf-8")
        headings = re.findall(r"(?m)^##+ (.+)$", text)
        anchors = {heading.lower().replace("`", "").replace(" ", "-") for heading in headings}
        assert not anchor or anchor in anchors, link


@IN_EACH
def test_a_notebook_uses_only_public_names(notebook: Path) -> None:
    modules = {"ts": ts, "plots": importlib.import_module("termsift.plots")}
    for source in cells(notebook, "code"):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Attribute):
                assert not node.attr.startswith("_"), node.attr
                if isinstance(node.value, ast.Name) and node.value.id in modules:
                    assert node.attr in dir(modules[node.value.id]), node.attr
            elif isinstance(node, ast.ImportFrom) and node.module:
                assert "._" not in node.module, node.module


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_every_notebook_is_linked(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    linked = {(ROOT / page).parent / link for link in re.findall(r"\((\S+\.ipynb)\)", text)}
    assert linked == set(NOTEBOOKS)
