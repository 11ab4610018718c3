"""Rules for the code that a test can check."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from private import _core

ROOT = Path(__file__).parents[2]
STUB = ROOT / "python/termsift/_core.pyi"
CPP = [path for path in (ROOT / "cpp").rglob("*") if path.suffix in (".cpp", ".hpp")]
# These files are compiled once per SIMD target.
KERNELS = [path for path in CPP if path.name.endswith(("_kernels.cpp", "_impl.hpp"))]


def files_with(pattern: str, paths: list[Path]) -> list[str]:
    return sorted(path.name for path in paths if re.search(pattern, path.read_text("utf-8")))


def test_only_one_file_uses_threads() -> None:
    # parallel.cpp is the only file that is compiled with OpenMP's flags.
    assert files_with(r"(?m)^\s*#pragma omp|\b_OPENMP\b", CPP) == ["parallel.cpp"]
    assert files_with(r"\bomp_\w+\(|std::j?thread\b(?!::hardware_concurrency)", CPP) == [
        "parallel.cpp"
    ]


def test_only_one_test_file_uses_signals() -> None:
    # signals.py installs Python's signal handlers, which tests in the background do not inherit.
    tests = (ROOT / "tests").rglob("*.py")
    calls = r"signal\.(signal|setitimer|alarm|pthread_kill)\(|signal\.SIGALRM\b"
    assert files_with(calls, list(tests)) == ["signals.py"]


def test_only_one_file_computes_logarithms() -> None:
    sources = [p for p in CPP if p.suffix == ".cpp" and p not in KERNELS]
    assert files_with(r"\blog(2|10|1p)?\(|\bln2", sources) == []
    assert files_with(r"ln2_hi", CPP) == ["logarithms.hpp"]


def test_the_core_does_not_use_python() -> None:
    core = [path for path in CPP if "bindings" not in path.parts]
    assert files_with(r"pybind11|Python\.h", core) == []
    assert files_with(r"#include <pybind11", CPP) == ["pybind11.hpp"]


def test_compilers_and_systems_are_named_in_one_place() -> None:
    # Catches, for example, a system call that Windows does not have.
    of_compilers = r"__builtin_|__attribute__|vector_size|__int128|__GNUC__|_MSC_VER"
    of_systems = (
        r"aligned_alloc|#include <(sys/|unistd|fcntl|pthread|sched|windows)|__linux__|_WIN32"
    )
    found = files_with(f"{of_compilers}|{of_systems}", CPP)
    assert found == ["portability.cpp", "portability.hpp"]


def test_kernels_use_nothing_from_outside_their_target() -> None:
    # If a kernel used an inline function of the standard library, the linker might keep only the
    # AVX-512 version of this function for all targets.
    assert len(KERNELS) > 8
    for path in KERNELS:
        text = path.read_text("utf-8") + (ROOT / "cpp/src/simd/logarithms.hpp").read_text("utf-8")
        types = r"std::(u?int\d+_t|numeric_limits|is_\w+_v|conditional_t|make_unsigned_t)\b"
        assert "std::" not in re.sub(types, "", text)


def test_no_line_of_cpp_is_longer_than_125_columns() -> None:
    tests = [path for path in (ROOT / "tests").rglob("*") if path.suffix in (".cpp", ".hpp")]
    assert files_with(r".{126}", CPP + tests) == []


@pytest.mark.parametrize("name", [n for n in dir(_core) if not n.startswith("__")])
def test_the_stub_has_every_name_of_the_extension(name: str) -> None:
    stub = STUB.read_text("utf-8")
    assert re.search(rf"^(def|class) {name}\b|^{name}:", stub, re.MULTILINE)


def stubbed(body: list[ast.stmt], owner: Any) -> list[tuple[ast.FunctionDef, Any]]:
    """Return pairs of a function in the stub and the extension's object with the same name."""
    functions = [node for node in body if isinstance(node, ast.FunctionDef)]
    called = [
        node
        for node in functions
        if not any("property" in ast.dump(d) for d in node.decorator_list)
    ]
    return [(node, getattr(owner, node.name)) for node in called]


def arguments(function: ast.FunctionDef) -> tuple[list[str], int]:
    """Return the names of a function's arguments, and how many have a default."""
    return [argument.arg for argument in function.args.args], len(function.args.defaults)


# stubtest checks the names of compiled functions, but not their arguments, which only their
# docstrings contain.
def test_the_stub_has_the_arguments_of_the_extension() -> None:
    tree = ast.parse(STUB.read_text("utf-8")).body
    (counts,) = (node for node in tree if getattr(node, "name", "") == "Counts")
    functions = [*stubbed(tree, _core), *stubbed(counts.body, _core.Counts)]
    assert len(functions) > 30
    for stub, function in functions:
        lines = re.findall(rf"(?m)^(?:\d+\. )?({stub.name}\(.*\) -> .*)$", function.__doc__)
        assert lines, stub.name
        for line in lines:
            (built,) = ast.parse(f"def {line}: ...").body
            assert arguments(built) == arguments(stub), stub.name


def test_the_reference_shares_no_code_with_the_package() -> None:
    modules = list((ROOT / "python/termsift/reference").glob("*.py"))
    assert (
        files_with(r"(?m)^\s*(from|import) (termsift(?!\.reference\b)|scipy)|_core", modules) == []
    )


def test_nothing_is_pickled_or_evaluated() -> None:
    package = list((ROOT / "python/termsift").rglob("*.py"))
    assert files_with(r"\bimport pickle\b|\beval\(|\bexec\(|allow_pickle=True", package) == []
