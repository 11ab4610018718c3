"""Which modules `import termsift` loads, and how long the import takes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

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


def test_ranking_a_table_needs_no_scipy(tmp_path: Path) -> None:
    table = tmp_path / "mail.csv"
    table.write_text("label,text\nham,bacon and eggs\nspam,free pills\n")
    loaded = modules_after(f"from termsift import cli; cli.main(['rank', {str(table)!r}])")
    assert "numpy" in loaded
    assert loaded.isdisjoint({"scipy", "sklearn", "pyarrow", "pandas", "matplotlib"})


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
