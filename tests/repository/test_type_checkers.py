"""Editors and type checkers know every public name and every keyword."""

from __future__ import annotations

import ast
import inspect
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import termsift as ts
from public_names import CLUSTERS, public_callables
from wording import raises

ROOT = Path(__file__).parents[2]
STUB = ast.parse((ROOT / "python/termsift/__init__.pyi").read_text("utf-8"))

# The start of both scripts. Values of type Any fit every argument, so only names can be wrong.
HEAD = """
from typing import Any
import termsift as ts
some: Any = None
"""
RIGHT = """
X: Any = [[1, 0], [0, 2]]
counts = ts.count(X, ["ham", "spam"], tf="log", n_threads=1)
reveal_type(ts.md(X, ["ham", "spam"], model="binary", alpha=(1.0, 2), aggregate="sum"))
reveal_type(ts.md_chi2(X, ["ham", "spam"], noncentrality="pearson", class_prior="uniform"))
reveal_type(ts.c_tfidf(X, ["ham", "spam"], variant="bm25", sqrt=True, n_threads=2))
reveal_type(ts.chi2(X, ["ham", "spam"], sample_weight=[1, 2]))
counts.score("md_chi2", alpha=0.5, noncentrality="pearson").sum()
counts.class_scores("c_tfidf", variant="idf", sqrt=True).sum()
counts.rank("md", 10, policy="round_robin").indices.tolist()
counts.to_frame("chi2", 5, library="polars", max_pvalue=0.05)
for label, ranking in ts.distinctive_terms(counts, k=3).items():
    print(label, list(ranking.terms or ()))
texts = ["Bacon and eggs", "Cheap pills"]
ts.count_texts(texts, ["ham", "spam"], ngram_range=(1, 2), min_df=0.1, stop_words=["and"])
ts.count_texts(texts, ["ham", "spam"], vocabulary=["bacon"], tokenizer=str.split, tf="binary")
ts.count_texts(texts, [1, 2], sketch=ts.sketch_texts(texts, min_df=2, lowercase=False))
ts.find_passages(texts, ["ham", "spam"], ["bacon"], strip_accents="unicode", analyzer="word")
ts.count(ts.scan("a.csv", label=False, max_features=10, hashing=None, encoding="utf-8"))
ts.dask.count_texts([(texts, ["ham", "spam"])], token_pattern="a", max_df=2)
ts.TermSelector("g2", k=3)
counts.naive_bayes(model="complement").predict(texts)
ts.io.read_collection(ts.scan("a.csv"))
print(ts.report, ts.plots, ts.text.TextRules(binary=True), ts.reference)
rules: ts.text.Rules = {"ngram_range": (1, 2), "min_df": 2}
ts.count_texts(texts, ["ham", "spam"], **rules)
"""
SCORES = r"ndarray\[.*float64"
REVEALED = (SCORES, SCORES, SCORES, rf"tuple\[.*{SCORES}.*{SCORES}.*\]")


def misspelt(word: str, known: set[str]) -> str:
    """Return a word that is near to a known word, and not known itself."""
    shorter = word[:-2] + word[-1]
    return shorter if len(word) > 2 and shorter not in known else f"{word}x"


def misspelt_calls() -> Iterator[str]:
    """Return a line for each keyword of each public function, with the keyword misspelt.

    `method` passes any keywords to functions of the user's own, and at run time it refuses those
    that a method of the registry does not have.
    """
    for name, function in public_callables():
        if name == "ts.method":
            continue
        parameters = inspect.signature(function).parameters
        keywords = [p for p in parameters.values() if p.name != "self"]
        # A method is called on its class, with the object as the first argument.
        needed = ["some" for p in parameters.values() if p.default is p.empty and p.kind < 2]
        for one in keywords:
            if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY):
                wrong = misspelt(one.name, set(parameters))
                yield f"{name}({', '.join([*needed, f'{wrong}=some'])})"


def stub_names() -> set[str]:
    """Return the public names of the stub."""
    names = set()
    for node in STUB.body:
        if isinstance(node, ast.ImportFrom):
            names |= {alias.asname for alias in node.names if alias.asname}
        elif isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign) and not ast.unparse(node.target).startswith("_S"):
            names.add(ast.unparse(node.target))
    return names


def test_the_stub_names_what_the_package_has() -> None:
    modules = {"cli", "dask", "io", "plots", "reference", "report", "spark", "text", "typing"}
    assert stub_names() == {*ts.__all__, "TermSelector"} | modules
    homes = {node.module for node in STUB.body if isinstance(node, ast.ImportFrom)}
    for node in STUB.body:
        if isinstance(node, ast.ImportFrom) and node.module in homes and node.module != "typing":
            for alias in node.names:
                if alias.asname and alias.name not in (*CLUSTERS, "TermSelector"):
                    assert getattr(ts, alias.name) is getattr(
                        import_module(str(node.module)), alias.name
                    )


@pytest.mark.parametrize("module", ["text", "io"])
def test_the_stub_of_a_module_names_what_it_has(module: str) -> None:
    stub = ast.parse((ROOT / f"python/termsift/{module}/__init__.pyi").read_text("utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    names = {alias.asname: node.module for node in imports for alias in node.names}
    face = getattr(ts, module)
    assert sorted(map(str, names)) == dir(face)
    for name, home in names.items():
        assert getattr(face, str(name)) is getattr(import_module(str(home)), str(name))


def test_a_name_that_a_module_lacks() -> None:
    assert not hasattr(ts.io, "NoSuch")
    with raises(AttributeError, "module_termsift_text_has_no_attribute"):
        ts.text.NoSuch  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("entry", ts.methods(), ids=lambda entry: entry.name)
def test_the_stub_has_the_function_of_each_method(entry: ts.Method) -> None:
    (stub,) = (node for node in STUB.body if getattr(node, "name", "") == entry.name)
    assert isinstance(stub, ast.FunctionDef)
    shown = list(inspect.signature(getattr(ts, entry.name)).parameters)
    assert [arg.arg for arg in stub.args.args] == shown[:2]
    options = {arg.arg: arg for arg in stub.args.kwonlyargs[1:]}
    defaults = [ast.literal_eval(value) for value in stub.args.kw_defaults[1:] if value]
    assert stub.args.kwonlyargs[0].arg == shown[2]
    assert list(options) == list(entry.options)
    assert defaults == [values[0] for values in entry.options.values()]
    for name, values in entry.options.items():
        types = "bool" if values == (False, True) else f"Literal[{', '.join(map(repr, values))}]"
        assert ast.unparse(options[name].annotation or ast.Constant(0)) == types
    assert ast.unparse(stub.returns or ast.Constant(0)).endswith("Pvalues") == entry.is_test


def test_completion_shows_modules_without_importing_them() -> None:
    code = (
        "import sys, termsift as ts; before = set(sys.modules); names = dir(ts);"
        "print([n for n in ('io', 'plots', 'reference', 'report', 'text') if n not in names],"
        "[m for m in ('matplotlib', 'termsift.plots', 'termsift.report') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[]", "[]"]


def scripts(folder: Path) -> tuple[Path, Path, set[int], str]:
    """Write the script of right uses and that of wrong ones, and return the wrong lines."""
    wrong, right = folder / "wrong.py", folder / "right.py"
    names = sorted(stub_names() - {"__version__"})
    lines = [*(f"ts.{misspelt(name, set(names))}" for name in names), *misspelt_calls()]
    text = HEAD + "\n".join(lines) + "\n"
    wrong.write_text(text, "utf-8")
    right.write_text(HEAD + RIGHT, "utf-8")
    first = len(HEAD.splitlines()) + 1
    assert len(lines) > 500
    return wrong, right, set(range(first, first + len(lines))), text


@pytest.mark.full
def test_mypy_reports_every_misspelt_name(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    wrong, right, expected, text = scripts(tmp_path)
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--no-error-summary",
        "--no-pretty",
    ]
    found = subprocess.run([*command, wrong, right], cwd=ROOT, capture_output=True, text=True)
    assert not found.stderr
    of_right = [line for line in found.stdout.splitlines() if "right.py" in line]
    revealed = [line for line in of_right if "note: Revealed type" in line]
    assert of_right == revealed
    for line, pattern in zip(revealed, REVEALED, strict=True):
        assert re.search(pattern, line)
    errors = re.findall(r"wrong\.py:(\d+): error: .*\[(?:call-arg|attr-defined)\]", found.stdout)
    missed = expected - set(map(int, errors))
    assert [text.splitlines()[number - 1] for number in sorted(missed)] == []


@pytest.mark.full
def test_pyright_reports_every_misspelt_name(tmp_path: Path) -> None:
    if (pyright := shutil.which("pyright")) is None:
        pytest.skip("pyright is not installed")
    wrong, right, expected, text = scripts(tmp_path)
    config = tmp_path / "pyrightconfig.json"
    config.write_text(json.dumps({"extraPaths": [str(ROOT / "python")], "include": ["."]}))
    found = subprocess.run(
        [pyright, "--outputjson", "--pythonpath", sys.executable, "-p", str(config)],
        capture_output=True,
        text=True,
    )
    try:
        reports = json.loads(found.stdout)["generalDiagnostics"]
    except ValueError:
        pytest.skip("pyright does not run here")  # it downloads Node.js at first
    errors = {
        report["range"]["start"]["line"] + 1
        for report in reports
        if report["file"] == str(wrong)
        and report.get("rule") in ("reportCallIssue", "reportAttributeAccessIssue")
    }
    missed = expected - errors
    assert [text.splitlines()[number - 1] for number in sorted(missed)] == []
    of_right = [report["message"] for report in reports if report["file"] == str(right)]
    revealed = [message for message in of_right if message.startswith("Type of")]
    assert of_right == revealed
    for message, pattern in zip(revealed, REVEALED, strict=True):
        assert re.search(pattern, message.replace("NDArray", "ndarray"))
