"""Ctrl-C during an import that turns it into another error, as numpy's does."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from signals import start_hearing

# The interpreter raises KeyboardInterrupt in os.kill, or soon after it.
INTERRUPTED = """
import os, signal
try:
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(100_000):
        pass
except KeyboardInterrupt as error:
    raise {kind}("the library was installed wrongly") from error
"""


@pytest.mark.parametrize("kind", ["ImportError", "RuntimeError"])
@pytest.mark.parametrize("library", ["numpy", "pyarrow"])
def test_ctrl_c_during_an_import_ends_a_command(tmp_path: Path, library: str, kind: str) -> None:
    (tmp_path / f"{library}.py").write_text(INTERRUPTED.format(kind=kind))
    (tmp_path / "mail.parquet").write_bytes(b"PAR1")  # the command imports numpy, then pyarrow
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    command = [sys.executable, "-m", "termsift", "rank", str(tmp_path / "mail.parquet")]
    options = {"stdout": -1, "stderr": -1, "env": {**os.environ, "PYTHONPATH": path}}
    with start_hearing(command, **options) as process:
        assert process.communicate(timeout=60) == ("", "")
        assert process.returncode == 130


def test_an_import_that_fails_without_ctrl_c_is_reported(tmp_path: Path) -> None:
    (tmp_path / "pyarrow.py").write_text('raise ImportError("no wheel for this system")')
    (tmp_path / "mail.parquet").write_bytes(b"PAR1")
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    command = [sys.executable, "-m", "termsift", "rank", str(tmp_path / "mail.parquet")]
    options = {"stdout": -1, "stderr": -1, "env": {**os.environ, "PYTHONPATH": path}}
    with start_hearing(command, **options) as process:
        assert "termsift: error: " in process.communicate(timeout=60)[1]
        assert process.returncode == 1
