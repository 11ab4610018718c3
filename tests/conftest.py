from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import settings

import termsift as ts
from private import _core, build_info
from termsift import cli
from termsift.io import Collection, load_demo

QUICK_EXAMPLES = 10  # of Hypothesis for each test of the quick tier
TESTS = Path(__file__).parent
SCRIPTS = TESTS / "scripts"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--full",
        action="store_true",
        help="run every case of every test; without it the quick tier runs: every test but those "
        "marked full, with fewer cases and fewer examples",
    )
    parser.addoption(
        "--most-cases",
        type=int,
        default=5,
        metavar="N",
        help="the largest number of cases of one test in the quick tier",
    )
    parser.addoption(
        "--passed",
        type=Path,
        metavar="REPORT",
        help="leave out of the full tier what passed in the quick tier, whose --junitxml is REPORT",
    )


def rooms_of(path: Path) -> tuple[str, ...]:
    """Return the names of the folders of a file of tests, each of which is a marker."""
    return path.relative_to(TESTS).parts[:-1]


def pytest_configure(config: pytest.Config) -> None:
    # Commands in processes of their own buffer their output, as they do for users.
    os.environ.pop("PYTHONUNBUFFERED", None)
    for room in sorted({room for path in TESTS.rglob("test_*.py") for room in rooms_of(path)}):
        config.addinivalue_line("markers", f"{room}: a test in a folder {room}/ of tests/")
    # There is no deadline, because a test must not fail on a slow machine. CI tries the same
    # examples in every run, and other runs try new ones. HYPOTHESIS_EXAMPLES sets their number.
    usual = 100 if config.getoption("--full") else QUICK_EXAMPLES
    settings.register_profile(
        "termsift",
        deadline=None,
        derandomize="CI" in os.environ,
        max_examples=int(os.environ.get("HYPOTHESIS_EXAMPLES", usual)),
    )
    settings.load_profile("termsift")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the tests of scripts outside the package, unless the command names their folder."""
    is_named = any("scripts" in Path(argument).parts for argument in config.args)
    return True if collection_path == SCRIPTS and not is_named else None


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark a test with its room, so that ``-m scores`` selects the tests of ``tests/scores``."""
    for room in rooms_of(item.path):
        item.add_marker(room)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that only the full tier runs, or those that passed before."""
    if not config.getoption("--full"):
        kept = set(quick_tests(items, config.getoption("--most-cases")))
    elif (report := config.getoption("--passed")) is not None:
        passed = passed_tests(report)
        kept = {item for item in items if has_more_examples(item) or not is_among(passed, item)}
    else:
        return
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


def quick_tests(items: list[pytest.Item], most: int) -> Iterator[pytest.Item]:
    """Return the cases of all tests that the quick tier runs."""
    cases_of: dict[str, list[pytest.Item]] = {}
    for item in items:
        cases_of.setdefault(item.nodeid.split("[")[0], []).append(item)
    for cases in cases_of.values():
        yield from quick_cases(cases, most)


def passed_tests(report: Path) -> set[tuple[str | None, str | None]]:
    """Return the modules and names of the tests that passed, by a report of ``--junitxml``."""
    cases = ElementTree.parse(report).iter("testcase")
    return {(case.get("classname"), case.get("name")) for case in cases if not len(case)}


def is_among(passed: set[tuple[str | None, str | None]], item: pytest.Item) -> bool:
    """Return whether a test passed. A name that XML cannot hold is not found, and runs again."""
    file, _, name = item.nodeid.partition("::")
    return (file.removesuffix(".py").replace("/", "."), name) in passed


def has_more_examples(item: pytest.Item) -> bool:
    """Return whether a test tries more examples in the full tier than in the quick tier."""
    test = getattr(item, "obj", None)
    is_longer = settings.default.max_examples > QUICK_EXAMPLES
    of_hypothesis = is_longer and getattr(test, "is_hypothesis_test", False)
    return of_hypothesis or "is_full" in getattr(item, "fixturenames", ())


def quick_cases(cases: list[pytest.Item], most: int) -> list[pytest.Item]:
    """Return the cases of one test that the quick tier runs.

    First, cases are chosen such that each value of each parameter occurs. Of these, evenly spaced
    cases remain: at most ``most``, or the number of ``cases`` in the marker ``full``.
    """
    mark = cases[0].get_closest_marker("full")
    most = most if mark is None else mark.kwargs.get("cases", 0)
    seen: set[tuple[str, int]] = set()
    kept = []
    for case in cases:
        values = set(case.callspec.indices.items()) if hasattr(case, "callspec") else set()
        if not values or not values <= seen:
            kept.append(case)
        seen |= values
    return kept[:: -(-len(kept) // most)] if most else []


@pytest.fixture(scope="session")
def is_full(pytestconfig: pytest.Config) -> bool:
    """Return whether a test tries all its examples."""
    return bool(pytestconfig.getoption("--full"))


def pytest_report_header() -> str:
    return "termsift: " + ", ".join(f"{name} {value}" for name, value in build_info().items())


@pytest.fixture(params=_core.simd_targets())
def simd_target(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run a test with each SIMD target of this machine."""
    before = _core.simd_target()
    _core.use_simd_target(request.param)
    yield request.param
    _core.use_simd_target(before)


# The fixture has the scope of a module, because Hypothesis runs all examples of a test within one
# call of the test function.
@pytest.fixture(scope="module", params=_core.counting_paths())
def counting_path(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run a test with each counting path that can count the collection."""
    _core.use_counting_path(request.param)
    yield request.param
    _core.use_counting_path(None)


@pytest.fixture(params=[method.name for method in ts.methods()])
def method(request: pytest.FixtureRequest) -> str:
    """Run a test with each method of the registry."""
    return str(request.param)


@pytest.fixture(scope="session")
def docstrings() -> Collection:
    """Return the demo's collection. Reading it takes seconds."""
    return load_demo()


class Result:
    """The exit code and the output of a run of the command line."""

    def __init__(self, code: object, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def complaint(self) -> str:
        """The only line on standard error of a run that failed."""
        assert self.code == 1
        assert self.err.startswith("termsift: error: ")
        assert self.err.count("\n") == 1
        return self.err.removeprefix("termsift: error: ").rstrip("\n")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Run the command line."""

    def run(*arguments: object) -> Result:
        code: object
        try:
            code = cli.main([str(argument) for argument in arguments])
        except SystemExit as exit:
            code = exit.code
        return Result(code, *capsys.readouterr())

    return run
