"""Run all examples in docstrings and pages, and compare the documentation with the registry."""

from __future__ import annotations

import argparse
import contextlib
import doctest
import importlib
import importlib.util
import inspect
import pkgutil
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import termsift as ts
from private import running
from termsift import cli

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
DOCS = ROOT / "docs"
METHODS = DOCS / "methods.md"
EVALUATION = DOCS / "evaluation.md"
PAGES = sorted(page for page in DOCS.rglob("*.md") if ">>> " in page.read_text("utf-8"))
MODULES = ["termsift"] + [
    module.name
    for module in pkgutil.walk_packages(ts.__path__, "termsift.")
    # The examples of termsift.spark need a Spark session, so test_spark.py runs them.
    if module.name not in ("termsift.__main__", "termsift._core", "termsift.spark")
]


@pytest.mark.parametrize("module", MODULES)
def test_docstrings_run(module: str) -> None:
    try:
        imported = importlib.import_module(module)
    except ImportError as error:
        if "pip install" not in str(error):
            raise
        pytest.skip(str(error))
    assert doctest.testmod(imported).failed == 0


@pytest.mark.parametrize("method", [entry.name for entry in ts.methods()])
def test_score_functions_run(method: str) -> None:
    # A factory makes the score functions, so doctest does not find their examples by itself.
    function = getattr(ts, method)
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    example = parser.get_doctest(inspect.getdoc(function) or "", {}, method, None, None)
    assert example.examples
    assert runner.run(example).failed == 0


class Runner(doctest.DocTestRunner):
    """A runner that skips the test if an example needs a library that is not installed."""

    def report_unexpected_exception(self, out: Any, test: Any, example: Any, exc_info: Any) -> None:
        if isinstance(exc_info[1], ImportError):
            pytest.skip(str(exc_info[1]))
        super().report_unexpected_exception(out, test, example, exc_info)


def test_readme_runs() -> None:
    text = README.read_text("utf-8")
    result = Runner().run(doctest.DocTestParser().get_doctest(text, {}, "README", str(README), 0))
    assert result.failed == 0
    assert result.attempted > 0


def test_the_readme_is_short() -> None:
    assert README.read_text("utf-8").count("\n") <= 145


# ---- the pages -----------------------------------------------------------------------------


def examples(text: str) -> list[doctest.Example]:
    """Return a page's examples, which are Python code and shell commands with their output."""
    found = []
    for kind, block in re.findall(r"(?ms)^```(python|console)\n(.*?)^```$", text):
        if kind == "python":
            found += doctest.DocTestParser().get_examples(block)
        else:
            for line, printed in re.findall(r"(?m)^\$ termsift (.*)\n((?:(?!\$ ).*\n)*)", block):
                found.append(doctest.Example(f"_ = command({shlex.split(line)!r})", printed))
    return found


class RunsWithoutLooking(doctest.OutputChecker):
    """A checker that accepts any output but no exception.

    Another version of Python may have computed the numbers on the page."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return True


# Ray warns that its default settings are deprecated.
@pytest.mark.filterwarnings("ignore:`use_.* is deprecated:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:invalid escape sequence")  # of jieba, when it is compiled
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_pages_run(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    found = examples(text)
    assert len(found) == len(re.findall(r"(?m)^(?:>>>|\$) ", text))  # Each example is in a block.
    # The tutorial counts Python's docstrings, which differ between versions of Python.
    python = re.search(r"made with Python ([\d.]+)\.\n", text)
    elsewhere = python is not None and python[1] != sys.version.split()[0]
    runner = Runner(checker=RunsWithoutLooking() if elsewhere else None)
    test = doctest.DocTest(found, {"command": cli.main}, page.name, str(page), 0, text)
    with contextlib.chdir(tmp_path):
        result = runner.run(test)
    assert result.failed == 0
    assert result.attempted == len(found)


def test_the_reference_page_and_the_package_name_the_same() -> None:
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    listed = re.findall(r"(?m)^\.\. auto(?:function|class|exception):: (\w+)$", text)
    assert text.count("\n.. score-functions\n") == 1  # conf.py lists the methods here
    names = [*listed, *(entry.name for entry in ts.methods())]
    assert len(names) == len(set(names))
    assert {*names, "__version__"} == {*ts.__all__, "TermSelector"}
    assert all(getattr(ts, name) for name in names)
    modules = re.findall(r"(?m)^\.\. automodule:: termsift\.(\w+)$", text)
    public = [module.name for module in pkgutil.iter_modules(ts.__path__) if module.name[0] != "_"]
    assert sorted(modules) == sorted(public)


def test_every_method_is_specified() -> None:
    assert {*ts.reference.METHODS} == {entry.name for entry in ts.methods()}


def section(name: str) -> str:
    """Return the text of docs/methods.md from a method's heading to the next heading."""
    found = re.search(rf"(?ms)^### `{name}`$(.*?)(?=^##)", METHODS.read_text(encoding="utf-8"))
    assert found, f"docs/methods.md has no section '### `{name}`'"
    return found[1]


@pytest.mark.parametrize("entry", ts.methods(), ids=lambda entry: entry.name)
def test_every_method_has_its_section(entry: ts.Method) -> None:
    text = section(entry.name)
    for field in ("Source", "Favours", "Fails", "Zeros", "Example"):
        assert f"\n- {field}: " in text, field
    # df and tfidf have one value per term, which is not an aggregate of class values.
    aggregate = entry.default_aggregate or "own"
    assert re.search(rf"\n- Default aggregate: {aggregate}\b", text)
    for value in (value for values in entry.options.values() for value in values[1:]):
        assert repr(value).replace("'", '"') in METHODS.read_text(encoding="utf-8")
    years = re.findall(r"\b(?:19|20)\d\d\b", entry.source)
    assert years
    assert set(years) <= set(re.findall(r"\d{4}", text))
    places = r"(?:Section|Chapter|Algorithms?|Reference) [\d.]*\d"
    assert set(re.findall(places, entry.source)) <= set(re.findall(places, " ".join(text.split())))


@pytest.mark.parametrize("entry", ts.selectors(), ids=lambda entry: entry.name)
def test_every_selector_has_its_section(entry: ts.Selector) -> None:
    text = section(entry.name)
    for field in ("Source", "Favours", "Fails", "Zeros"):
        assert f"\n- {field}: " in text, field


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_pages_link_to_their_sections(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"(?m)^##+ (.+)$", text)
    anchors = {heading.lower().replace("`", "").replace(" ", "-") for heading in headings}
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= anchors


def table(head: str) -> dict[str, list[str]]:
    """Return the rows of the table whose first column has this head, by their first cells."""
    text = METHODS.read_text(encoding="utf-8")
    found = re.search(rf"(?m)^\| {re.escape(head)} \|.*\n\|[-|]+\n((?:\|.*\n)+)", text)
    assert found, head
    cells = [[cell.strip() for cell in row.split("|")[1:-1]] for row in found[1].splitlines()]
    return {row[0]: row[1:] for row in cells}


def example() -> ts.ClassCounts:
    """Run the worked example of docs/methods.md, and return its counts."""
    values: dict[str, Any] = {}
    parser, text = doctest.DocTestParser(), METHODS.read_text(encoding="utf-8")
    for step in parser.get_examples(text)[:5]:
        eval(compile(step.source, str(METHODS), "single"), values)
    return values["counts"]


def agrees(cells: list[str], values: Any) -> None:
    """Check that cells of four digits are the rounded values."""
    got = np.array([float(cell) for cell in cells])
    np.testing.assert_allclose(got, np.asarray(values, dtype=float), rtol=5.01e-4, atol=1e-12)


SPAM, OFFER = 1, 2


@pytest.mark.parametrize("method", [entry.name for entry in ts.methods()])
def test_the_worked_example_is_right(method: str) -> None:
    rows, counts = table("method"), example()
    assert f"`{method}`" in rows, f"docs/methods.md has no row of the example for {method}"
    offer_in_spam, *scores = rows[f"`{method}`"]
    agrees([offer_in_spam], [counts.class_scores(method)[SPAM, OFFER]])
    agrees(scores, counts.score(method))


@pytest.mark.parametrize("model", ["multinomial", "binary", "bernoulli", "poisson"])
@pytest.mark.parametrize("method", ["md", "md_chi2"])
def test_the_worked_example_of_models_is_right(method: str, model: str) -> None:
    counts = example()
    offer_in_spam, *scores = table("method, model")[f"`{method}`, {model}"]
    agrees([offer_in_spam], [counts.class_scores(method, model=model)[SPAM, OFFER]])
    agrees(scores, counts.score(method, model=model))


def test_the_worked_example_of_significance_is_right() -> None:
    counts, rows = example(), list(table("term").values())
    found = counts.significance("chi2")
    agrees([row[0] for row in rows], found.statistics)
    assert found.chosen_by is not None
    assert [row[1] for row in rows] == found.chosen_by.tolist()
    assert [int(row[2]) for row in rows] == found.signs.tolist()
    agrees([row[3] for row in rows], found.pvalues)
    agrees([row[4] for row in rows], found.pvalues_adj)


# ---- the command line and the plots --------------------------------------------------------------


def test_the_page_of_the_command_line_is_made_from_the_parser(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("sphinx")
    monkeypatch.setenv("COLUMNS", "86")  # conf.py sets COLUMNS; pytest restores it after the test
    spec = importlib.util.spec_from_file_location("conf", DOCS / "conf.py")
    assert spec is not None
    assert spec.loader is not None
    conf = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(conf)
    source = [(DOCS / "commands.md").read_text("utf-8")]
    conf.list_commands(None, "commands", source)
    (text,) = source
    assert conf.COMMENT not in text
    (commands,) = (
        action.choices
        for action in running.main_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    assert len(commands) == len(running.COMMANDS)
    for command, parser in commands.items():
        own = text.split(f"\n## termsift {command}\n")[1].split("\n## ")[0]
        for option in parser._option_string_actions:
            assert re.search(rf"(?<![\w-]){option}(?![\w-])", own), (command, option)
    assert set(re.findall(r"\]\(#(.*?)\)", text)) <= {
        heading.lower().replace(" ", "-") for heading in re.findall(r"(?m)^## (.*)$", text)
    }


def test_the_gallery_shows_every_plot() -> None:
    pytest.importorskip("matplotlib")
    from termsift import plots

    page = DOCS / "gallery" / "index.md"
    text = page.read_text("utf-8")
    images = re.findall(r"!\[[^\]]+\]\((.*?)\)", text)
    assert all((page.parent / image).is_file() for image in images)
    for plot in plots.__all__:
        written = re.findall(rf"plots\.{plot}\([^!]*?\"(\w+\.svg)\"", text)
        assert written
        assert set(written) <= set(images)  # the page shows every picture that its examples write
