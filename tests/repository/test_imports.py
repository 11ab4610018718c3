"""Which modules `import termsift` and the commands load, and which threads they start."""

from __future__ import annotations

import importlib
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import termsift as ts

LOADED = "\nimport sys; print(*sorted({name.partition('.')[0] for name in sys.modules}))"


def modules_after(code: str) -> set[str]:
    """Run code in a new process, and return the top-level modules that it has loaded."""
    done = subprocess.run(
        [sys.executable, "-c", code + LOADED], capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize(
    "code", ["import termsift", "from termsift import cli; cli.main(['--version'])"]
)
def test_neither_numpy_nor_scipy_is_needed_to_begin(code: str) -> None:
    assert modules_after(code).isdisjoint({"numpy", "scipy", "sklearn", "pyarrow", "pandas"})


# Runs before the core is looked for, and finds that it is missing or does not load.
FINDER = """
import sys
class Finder:
    @staticmethod
    def find_spec(name, *_):
        if name == "termsift._core":
            raise {error}
sys.meta_path.insert(0, Finder)
import termsift
"""


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            "ModuleNotFoundError(name, name=name)",
            "termsift's compiled core is missing, because the package was imported from its source "
            "folder. Run 'pip install .' in this folder, and start Python in another folder.",
        ),
        ("ImportError('libgomp.so.1: no such file', name='_core')", "libgomp.so.1: no such file"),
    ],
)
def test_a_core_that_is_missing_or_does_not_load(error: str, message: str) -> None:
    code = FINDER.format(error=error)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == f"ImportError: {message}"


def test_ranking_a_table_needs_no_scipy(tmp_path: Path) -> None:
    table = tmp_path / "mail.csv"
    table.write_text("label,text\nham,bacon and eggs\nspam,free pills\n")
    loaded = modules_after(f"from termsift import cli; cli.main(['rank', {str(table)!r}])")
    assert "numpy" in loaded
    assert loaded.isdisjoint({"scipy", "sklearn", "pyarrow", "pandas", "matplotlib"})


# The slow modules that a command may load. Each command loads numpy.
_MAY_LOAD: dict[str, set[str]] = {
    "info {table}": set(),
    "rank {table}": set(),
    "rank {table} --method greedy": set(),
    "rank {table} --stability --n-samples 2": {"scipy.sparse"},
    "rank {table} --per-class --method md": set(),
    "rank {table} --per-class": {"scipy.special"},
    "count {table} -o {folder}/c.termsift": set(),
    "merge {counts} -o {folder}/m.termsift": set(),
    "rank {counts}": set(),
    "keyness {table} ham": {"scipy.special"},
    "keyness {counts} ham --format csv": {"scipy.special"},
    "context {table} bacon": {"scipy.sparse"},
    "classify {table} --counts {counts}": {"scipy.sparse"},
    "compare {table} --cv 2 --method df": {"scipy.sparse", "scipy.special"},
    "report {table} -o {folder}/r.html": {"scipy.sparse", "scipy.special"},
    "report {table} --stability -o {folder}/r.html": {"scipy.sparse", "scipy.special"},
    "demo": {"scipy.sparse", "scipy.special"},
}
_SLOW = ["scipy.sparse", "scipy.special", "scipy.stats", "scipy.linalg", "scipy.optimize"]
_SLOW += ["sklearn", "pandas", "polars", "pyarrow", "matplotlib", "joblib"]


@pytest.mark.parametrize("command", _MAY_LOAD)
def test_a_command_loads_only_what_it_needs(tmp_path: Path, command: str) -> None:
    table, counts = tmp_path / "mail.csv", tmp_path / "mail.termsift"
    table.write_text(
        "label,text\nham,bacon and eggs\nham,more bacon\nspam,free pills\nspam,pills\n"
    )
    ts.count(ts.scan(table)).save(counts)
    arguments = command.format(table=table, counts=counts, folder=tmp_path).split()
    loaded = f"print(*(name for name in {_SLOW} if name in sys.modules))"
    code = f"import sys; from termsift.cli import main\nassert main(sys.argv[1:]) == 0\n{loaded}"
    parts = ", ".join(["sys", *sorted(_MAY_LOAD[command])])
    they_load = printed(f"import {parts}\n{loaded}")  # scipy.special 1.12 loads scipy.linalg
    assert set(printed(code, *arguments).split()) <= set(they_load.split())


# The modules of readers that a command may load, beside those of every scan of files.
_READERS: dict[str, set[str]] = {
    "rank {table}": {"_tables", "_dialect", "_other_forms"},
    "count {table} -o {folder}/c.termsift": {"_tables", "_dialect", "_other_forms"},
    "rank {folders}": {"_class_folder", "_parts", "_dialect"},
    "info {matrix}": {"_matrices", "_dialect"},
}


@pytest.mark.parametrize("command", _READERS)
def test_a_command_loads_the_readers_of_its_files(tmp_path: Path, command: str) -> None:
    table, folders, matrix = tmp_path / "c.csv", tmp_path / "c", tmp_path / "c.svm"
    table.write_text("label,text\nham,bacon and eggs\nspam,free pills\n")
    matrix.write_text("1 1:1\n2 2:1\n")
    for label in ("ham", "spam"):
        (folders / label).mkdir(parents=True)
        (folders / label / "1.txt").write_text(f"{label} and eggs")
    paths = {"table": table, "folder": tmp_path, "folders": folders, "matrix": matrix}
    code = (
        "import sys; from termsift.cli import main\nassert main(sys.argv[1:]) == 0\n"
        "print(*(name[12:] for name in sys.modules if name.startswith('termsift.io.')))"
    )
    loaded = {*printed(code, *command.format(**paths).split()).split()}
    assert loaded - {"_scan", "_source", "_opening", "_kinds"} == _READERS[command]


def test_parts_of_scipy_load_when_they_are_used() -> None:
    code = "import sys, numpy as np, termsift as ts; counts = ts.count(np.eye(3), [0, 1, 1])\n"
    assert "scipy" in modules_after(code + "counts.term_frequency")
    assert "sklearn" not in modules_after(code + "counts.rank('md')")


@pytest.mark.parametrize("given", [None, "3"])
def test_the_number_of_blas_threads_is_put_back(
    given: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    if given is not None:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", given)
    code = "from termsift import cli; cli.main([]); import os, numpy\n"
    code += "print(os.environ.get('OPENBLAS_NUM_THREADS'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == str(given)


_OF_BLAS = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")


def printed(code: str, *arguments: object, **variables: str) -> str:
    """Run code without the user's numbers of threads, and return the last line that it prints."""
    environment = {name: value for name, value in os.environ.items() if name not in _OF_BLAS}
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
        env=environment | variables,
    )
    return done.stdout.splitlines()[-1]


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="counts the threads by /proc")
@pytest.mark.parametrize("module", ["from termsift.cli import main; main(sys.argv[1:])", None])
def test_openblas_starts_no_threads_in_the_shell(tmp_path: Path, module: str | None) -> None:
    """An OpenBLAS thread has no work in the shell, but would spin."""
    table = tmp_path / "mail.csv"
    table.write_text("label,text\nham,bacon and eggs\nspam,free pills\n")
    run = module or "import runpy; runpy.run_module('termsift', run_name='__main__')"
    code = (
        "import atexit, os, sys\n"
        "atexit.register(lambda: print(len(os.listdir('/proc/self/task'))))\n" + run
    )
    usual = printed(code, "keyness", table, "ham")
    assert usual == printed(code, "keyness", table, "ham", OPENBLAS_NUM_THREADS="1")


@pytest.mark.parametrize(
    ("before", "variables", "expected"),
    [
        ("", {}, "1"),
        ("", {"OPENBLAS_NUM_THREADS": "3"}, "3"),
        ("", {"GOTO_NUM_THREADS": "2"}, "None"),
        ("", {"OMP_NUM_THREADS": "2"}, "None"),
        ("import numpy", {}, "None"),  # a user's program, whose children must inherit nothing
    ],
)
def test_the_user_chooses_the_number_of_blas_threads(
    before: str, variables: dict[str, str], expected: str
) -> None:
    code = (
        f"{before}\nimport os\nfrom termsift._util.waiting import one_blas_thread\n"
        "with one_blas_thread(): print(os.environ.get('OPENBLAS_NUM_THREADS'))"
    )
    assert printed(code, **variables) == expected


def test_what_is_not_frozen() -> None:
    """Counts, rules and results are values, so only readers and an estimator may change."""
    found = set()
    for module in pkgutil.walk_packages(ts.__path__, "termsift."):
        if not module.name.endswith(("__main__", "spark", "dask")):
            for name, kind in vars(importlib.import_module(module.name)).items():
                if isinstance(kind, type) and kind.__module__ == module.name:
                    parameters = getattr(kind, "__dataclass_params__", None)
                    found |= {name} if parameters and not parameters.frozen else set()
    assert found == {"NaiveBayes", "Skipped", "_Reading"}


def test_messages_of_the_log_are_shown_only_if_asked_for() -> None:
    code = (
        "import logging, termsift as ts; ts.count([[1]], ['a']); "
        "logging.getLogger('termsift').warning('told')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""
