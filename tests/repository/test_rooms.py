"""The tests of a file are found by its name.

The tests of ``python/termsift/<room>/<file>.py`` are ``tests/<room>/test_<file>.py`` and
``tests/<room>/test_<file>_<what>.py``, where leading underscores are left out. A module that is in
no folder is a room of its own. The exceptions are listed here. Tests of what several rooms do
together are in ``tests/whole``.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import private

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python/termsift"
TESTS = ROOT / "tests"
# Folders of tests that belong to no room of the package.
OTHERS = {"core", "helpers", "repository", "scripts", "whole"}

# The tests of modules that have no file of tests of their own.
ELSEWHERE = {
    "__init__": ["repository/test_docs.py", "repository/test_imports.py"],
    "__main__": ["cli/test_cli.py"],
    "_api/describing": ["scores/test_class_terms.py"],
    "_api/parts": ["dask/test_dask.py", "spark/test_spark_partials.py"],
    "_api/score_functions": ["scores/test_ranking.py", "repository/test_registry.py"],
    "_classify/posteriors": ["classify/test_naive_bayes.py"],
    "_counts/adding": ["counts/test_counts.py", "counts/test_counts_overflow.py"],
    "_counts/documents": ["text/test_sketch.py", "io/test_scan.py"],
    "_evaluate/curves": ["evaluate/test_curve.py", "evaluate/test_certainty.py"],
    "_evaluate/samples": ["evaluate/test_stability.py"],
    "_evaluate/latex": ["evaluate/test_comparison.py"],
    "_rank": ["scores/test_ranking.py", "cli/test_rank.py"],
    "_scores/effects": ["scores/test_keyness.py"],
    "_scores/registry": ["repository/test_registry.py", "scores/test_methods_by_hand.py"],
    "_util/estimator": ["term_selector/test_term_selector.py", "classify/test_naive_bayes.py"],
    "_util/extras": ["scores/test_class_terms_tables.py", "plots/test_plots.py"],
    "_util/html": ["util/test_shown.py"],
    "_util/info": ["whole/test_minimal.py"],
    "_util/messages": ["cli/test_output_terminal.py", "util/test_notebook.py"],
    "_util/scipy": ["repository/test_imports.py"],
    "_util/sealing": ["io/test_checkpoint.py", "text/test_sketch.py"],
    "_util/waiting": ["repository/test_imports.py", "whole/test_threads.py"],
    "cli/demo": ["cli/test_cli.py"],
    "cli/info": ["cli/test_cli.py"],
    "cli/merge": ["api/test_counting_merging.py"],
    "cli/report": ["report/test_report.py"],
    "io/_opening": ["io/test_scan_errors.py", "io/test_tables.py"],
    "io/_source": ["io/test_scan_errors.py", "io/test_collection.py"],
    "reference/choosing": ["select/test_select_greedy.py"],
    "reference/classifying": ["evaluate/test_split.py", "classify/test_naive_bayes.py"],
    "reference/conditional": ["select/test_select_conditional_gain.py"],
    "reference/counting": ["counts/test_counts.py"],
    "reference/directions": ["scores/test_scoring_directions.py"],
    "reference/formulas": ["scores/test_scoring_contract.py"],
    "reference/keyness": ["scores/test_keyness.py", "scores/test_dispersion.py"],
    "reference/machines": ["select/test_select_linear_machines.py"],
    "reference/pvalues": ["scores/test_significance.py"],
    "reference/ranking": ["scores/test_scoring_contract.py"],
    "reference/scoring": ["scores/test_scoring_contract.py"],
    "reference/tables": ["scores/test_scoring_contingency.py"],
    "report/_sections": ["report/test_report.py"],
    "text/_documents": ["whole/test_one_stream.py", "text/test_blocks.py", "io/test_scan.py"],
    "text/_english": ["text/test_rules.py"],
    "text/_terms": ["text/test_vectorizers_equality.py", "api/test_counting_merging.py"],
    "text/_character_sets": ["text/test_patterns.py"],
}


def modules() -> list[str]:
    """Return the modules of the package, as paths without an ending. Folders hold only imports."""
    paths = sorted(PACKAGE.rglob("*.py"))
    names = [path.relative_to(PACKAGE).with_suffix("").as_posix() for path in paths]
    return [name for name in names if not name.endswith("/__init__")]


def place_of(module: str) -> tuple[str, str]:
    """Return the folder of a module's tests, and how their names begin."""
    *rooms, name = [part.strip("_") for part in module.split("/")]
    return "/".join(rooms or [name]), f"test_{name}"


def own_tests(module: str) -> list[Path]:
    folder, start = place_of(module)
    return [path for path in (TESTS / folder).glob("test_*.py") if begins_with(path.stem, start)]


def begins_with(name: str, start: str) -> bool:
    return name == start or name.startswith(f"{start}_")


def test_every_module_has_its_tests() -> None:
    for module in modules():
        folder, start = place_of(module)
        if module in ELSEWHERE:
            assert not own_tests(module), f"{module} needs no entry in ELSEWHERE"
            missing = [name for name in ELSEWHERE[module] if not (TESTS / name).is_file()]
            assert not missing, f"ELSEWHERE[{module!r}]"
        else:
            cure = f"write tests/{folder}/{start}.py, or an entry of {module!r} in ELSEWHERE"
            assert own_tests(module), cure


def test_no_module_of_the_table_is_gone() -> None:
    assert set(ELSEWHERE) <= set(modules())


def test_every_file_of_tests_begins_with_the_name_of_its_module() -> None:
    places = [place_of(module) for module in modules()]
    places += [place_of(f"{room}/{room}") for room in ("cli", "report", "reference")]
    for path in TESTS.rglob("test_*.py"):
        folder = path.parent.relative_to(TESTS).as_posix()
        if folder not in OTHERS:
            named = [start for room, start in places if room == folder]
            assert any(begins_with(path.stem, start) for start in named), f"{folder}/{path.name}"


def test_tests_of_the_whole_name_what_they_guard() -> None:
    for path in (TESTS / "whole").glob("test_*.py"):
        assert "\nGuards: " in path.read_text("utf-8").split('"""')[1], path.name


def test_helpers_are_in_their_folder() -> None:
    assert [path.name for path in TESTS.glob("*.py")] == ["conftest.py"]


# Programs that tests run in another process import private names, because they find no helpers.
PROGRAMS = {
    "cli/test_running_options.py",  # asks the parsers for all options
    "cli/test_output.py",  # kills a process while it writes an output
    "repository/test_docs.py",  # names modules whose docstrings cannot run
    "repository/test_imports.py",  # asks a new process what it has loaded
    "text/test_sketch.py",  # kills a process between the files of a scan
    "util/test_faults.py",  # tests the private module that makes messages
    "util/test_files.py",  # kills a process while it writes a file
    "whole/test_threads.py",  # asks a new process for its number of threads
}
PRIVATE = re.compile(r"\btermsift(\.\w+)*\._|\bfrom termsift import .*_core|termsift\.cli\.\w")


def private_names(path: Path) -> list[str]:
    """Return the private names that a file imports, or that its strings name."""
    found = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            found += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append(node.value)
    # Every test may run the command line: termsift.cli.main.
    return [name for name in found if name != "termsift.cli.main" and PRIVATE.search(name)]


def test_private_names_come_from_one_module() -> None:
    # A change of the package then changes one file of the tests.
    paths = [path for path in TESTS.rglob("*.py") if private_names(path)]
    named = {path.relative_to(TESTS).as_posix() for path in paths}
    assert named - {"helpers/private.py", "repository/test_rooms.py"} == PROGRAMS


def test_tests_use_every_private_name() -> None:
    others = [path for path in TESTS.rglob("*.py") if path.name != "private.py"]
    texts = "".join(path.read_text("utf-8") for path in others)
    names = [*private.__all__, *private.PLACES]
    assert [name for name in names if not re.search(rf"\b{name}\b", texts)] == []
