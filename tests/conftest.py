from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest
from hypothesis import settings

import termsift as ts
from termsift import _core, cli
from termsift._util.info import build_info

# A slow machine must not fail a test: no deadline. CI tries the same examples every time; a run by
# hand tries new ones, and HYPOTHESIS_EXAMPLES says how many.
settings.register_profile(
    "termsift",
    deadline=None,
    derandomize="CI" in os.environ,
    max_examples=int(os.environ.get("HYPOTHESIS_EXAMPLES", "100")),
)
settings.load_profile("termsift")


def pytest_report_header() -> str:
    return "termsift: " + ", ".join(f"{name} {value}" for name, value in build_info().items())


@pytest.fixture(params=_core.simd_targets())
def simd_target(request: pytest.FixtureRequest) -> Iterator[str]:
    """Every SIMD target that this machine has, in turn."""
    before = _core.simd_target()
    _core.use_simd_target(request.param)
    yield request.param
    _core.use_simd_target(before)


# Once a module, not a function: Hypothesis runs all examples of a test within one call of it.
@pytest.fixture(scope="module", params=_core.counting_paths())
def counting_path(request: pytest.FixtureRequest) -> Iterator[str]:
    """Every way of counting in turn, wherever a collection allows it."""
    _core.use_counting_path(request.param)
    yield request.param
    _core.use_counting_path(None)


@pytest.fixture(params=[method.name for method in ts.methods()])
def method(request: pytest.FixtureRequest) -> str:
    """Every method of the registry, in turn."""
    return str(request.param)


class Result:
    """How a run of the command line ended."""

    def __init__(self, code: object, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def complaint(self) -> str:
        """The one line on standard error of a run that failed."""
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
