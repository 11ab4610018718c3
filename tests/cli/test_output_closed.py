"""Standard output or standard error that is closed, and disks that are full."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import termsift as ts

SHOW = ["rank", "keyness", "context", "classify", "compare", "info", "report"]
FULL = "No space left on device; free some space, or write to another disk"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs the shell sh")


def arguments(command: str, table: Path, saved: Path) -> list[str]:
    """Return a command that shows its answer on standard output."""
    more = {
        "keyness": ["sport"],
        "context": ["ball"],
        "classify": ["--counts", str(saved)],
        "compare": ["--cv", "2", "--method", "df"],
        "report": ["-o", "-"],
    }
    return [command, str(table), *more.get(command, [])]


def sh(redirection: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a command with a redirection of the shell, such as ``>&-``."""
    script = f'"$0" -m termsift "$@" {redirection}'
    return subprocess.run(
        ["sh", "-c", script, sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def counted(table: Path, tmp_path: Path) -> Path:
    ts.count(ts.scan(table)).save(tmp_path / "texts.termsift")
    return tmp_path / "texts.termsift"


@pytest.mark.parametrize("command", SHOW)
def test_an_answer_needs_an_open_output(command: str, table: Path, counted: Path) -> None:
    done = sh(">&-", *arguments(command, table, counted))
    assert done.stderr == (
        "termsift: error: standard output is closed; write to a file, as in 'termsift ... > FILE'\n"
    )
    assert done.returncode == 1


def test_files_are_written_although_standard_output_is_closed(table: Path, tmp_path: Path) -> None:
    counts, merged = tmp_path / "c.termsift", tmp_path / "m.termsift"
    saved = sh(">&-", "count", table, "-o", counts)
    assert (saved.returncode, saved.stderr.split(":")[0]) == (0, str(counts))
    saved = sh(">&-", "merge", counts, "-o", merged)
    assert (saved.returncode, saved.stderr.split(":")[0]) == (0, str(merged))
    assert ts.load(merged) == ts.load(counts)
    done = sh(">&-", "rank", table, "-o", tmp_path / "top.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "top.csv").read_text().startswith("rank,")


def test_an_error_is_one_line_although_standard_output_is_closed(tmp_path: Path) -> None:
    done = sh(">&-", "rank", tmp_path / "absent.csv", "-o", tmp_path / "top.csv")
    assert done.stderr == f"termsift: error: {tmp_path / 'absent.csv'}: no such file\n"
    assert done.returncode == 1


@pytest.mark.parametrize("redirection", ["2>&-", ">&- 2>&-"])
def test_standard_error_may_be_closed(redirection: str, table: Path, tmp_path: Path) -> None:
    """The output must not get the number of standard error, to which libraries may write."""
    counts = tmp_path / "c.termsift"
    assert sh(redirection, "count", table, "-o", counts, "-v").returncode == 0
    assert ts.load(counts).n_docs == 5
    assert sh(redirection, "rank", tmp_path / "absent.csv").returncode == 1
    assert sh(redirection, "rnak").returncode == 2


def test_standard_input_is_closed() -> None:
    done = sh("<&-", "rank", "-", "--input-format", "csv")
    assert done.stderr == ("termsift: error: standard input is closed; name a file in place of -\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device")
@pytest.mark.parametrize("command", SHOW)
def test_a_full_disk(command: str, table: Path, counted: Path) -> None:
    done = sh("> /dev/full", *arguments(command, table, counted))
    lines = [line for line in done.stderr.splitlines() if "accuracy" not in line]
    assert lines == [f"termsift: error: standard output: {FULL}"]
    assert done.returncode == 1
    if command != "info":
        done = sh("", *arguments(command, table, counted), "-o", "/dev/full")
        assert done.stderr.splitlines()[-1] == f"termsift: error: /dev/full: {FULL}"
