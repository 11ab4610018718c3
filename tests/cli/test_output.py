"""Outputs: their formats, failing disks, and processes that are killed."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import termsift as ts
from private import FORMAT_OF
from signals import LIMIT

X, Y = np.array([[3, 1, 0], [0, 1, 4]]), ["ham", "spam"]
posix = pytest.mark.skipif(os.name != "posix", reason="kills of POSIX")


def run_code(code: str, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
        env={**os.environ, **environment},
    )


# ---- kills ---------------------------------------------------------------------------------------

# Writing a file takes several system calls. Before and after each call, a child process is killed.
KILLED = """
    import os, pathlib, signal, sys
    from termsift._util import files
    out = pathlib.Path("folder/out")

    def killing(usual, after):
        def call(*arguments, **options):
            global calls
            calls -= not after
            if calls < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            result = usual(*arguments, **options)
            calls -= after
            if calls < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return result
        return call

    seen = []
    for after in (False, True):
        killed, at = True, 0
        while killed:
            os.makedirs("folder")
            if sys.argv[1] == "over a file":
                out.write_text("old")
            child = os.fork()
            if child == 0:
                calls = at
                for name in ("open", "close", "replace", "chmod", "fsync", "unlink"):
                    setattr(os, name, killing(getattr(os, name), after))
                with files.replacing(out, text=True) as file:
                    file.write("new")
                os._exit(0)
            killed, at = os.waitpid(child, 0)[1] == signal.SIGKILL, at + 1
            seen.append(out.read_text() if out.exists() else None)
            os.system("rm -r folder")
    print(len(seen), *sorted(set(map(str, seen))))
"""


@pytest.mark.full(cases=1)
@posix
@pytest.mark.parametrize("kind", ["new", "over a file"])
def test_a_kill_leaves_the_old_file_or_the_new_one(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run_code(KILLED, kind)
    assert done.returncode == 0, done.stderr
    n_kills, *seen = done.stdout.split()
    assert int(n_kills) >= 8
    assert set(seen) == {"new", "old" if kind == "over a file" else "None"}


# ---- the ending of an output's name --------------------------------------------------------------


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "a.csv"
    path.write_text("label,text\n" + "ham,bacon egg\nspam,viagra egg\n" * 5)
    return path


@pytest.mark.parametrize("command", [["rank"], ["rank", "--per-class"], ["compare", "--cv", "2"]])
@pytest.mark.parametrize("ending", sorted(FORMAT_OF))
def test_the_ending_decides_the_format(
    run: Any, table: Path, tmp_path: Path, command: list[str], ending: str
) -> None:
    command = [command[0], str(table), *command[1:]]
    by_ending, by_option = tmp_path / f"x{ending.upper()}", tmp_path / "x"
    assert run(*command, "-o", by_ending).code == 0
    assert run(*command, "--format", FORMAT_OF[ending], "-o", by_option).code == 0
    assert by_ending.read_bytes() == by_option.read_bytes()


@pytest.mark.parametrize("name", ["o.xlsx", "o.csv.gz", "o.JPG", "o.csv"])
def test_an_unknown_ending_is_refused_before_the_work(run: Any, tmp_path: Path, name: str) -> None:
    complaint = run("rank", "absent.termsift", "-o", tmp_path / name).complaint
    if name == "o.csv":
        assert complaint.startswith("absent.termsift: ")
    else:
        assert complaint.startswith(f"{tmp_path / name}: unknown ending ")
        assert complaint.endswith(f", expected {' '.join(FORMAT_OF)}, no ending, or --format")
    assert list(tmp_path.iterdir()) == []


TABLES = f"expected {' '.join(FORMAT_OF)}, no ending, or --format"
COMMANDS = {  # and what their errors expect of the name of an output
    "rank": TABLES,
    "keyness ham spam": TABLES,
    "context egg": TABLES,
    "compare": TABLES,
    "classify --counts absent.termsift": TABLES,
    "report": "expected .html .htm, or no ending",
    "count": "expected the name of a file that ends in .termsift",
    "merge": "expected the name of a file that ends in .termsift",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_refuses_an_unknown_ending(
    run: Any, table: Path, tmp_path: Path, command: str
) -> None:
    name, *others = command.split()
    path = tmp_path / "o.pdf"
    complaint = run(name, table, *others, "-o", path).complaint
    assert complaint.startswith(f"{path}: ")
    assert complaint.endswith(COMMANDS[command])
    assert list(tmp_path.iterdir()) == [table]


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_a_page_on_standard_output_is_utf_8(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text("label,text\nham,größe egg\nspam,viagra egg\n", "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "termsift", "report", path, "-o", "-"],
        capture_output=True,
        timeout=LIMIT,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": encoding},
    )
    assert "größe" in done.stdout.decode("utf-8")


@pytest.mark.parametrize("name", ["o.html", "o.HTM", "o"])
def test_a_page_has_an_ending_of_pages(run: Any, table: Path, tmp_path: Path, name: str) -> None:
    assert run("report", table, "-o", tmp_path / name).code == 0
    assert "<html" in (tmp_path / name).read_text("utf-8")


# ---- inputs that are given twice -----------------------------------------------------------------


@pytest.mark.parametrize("command", ["count", "merge"])
def test_an_input_given_twice_is_refused(run: Any, tmp_path: Path, command: str) -> None:
    inputs = [tmp_path / "a.svm", tmp_path / "b.svm"]
    for path in inputs:
        path.write_text("1 1:2 2:1\n2 2:1\n")
    if command == "merge":
        inputs = [path.with_suffix(".termsift") for path in inputs]
        for path in inputs:
            ts.count(X, Y).save(path)
    one, other = inputs
    out = tmp_path / "o.termsift"
    assert run(command, one, other, "-o", out).code == 0
    out.unlink()
    again = Path(f"{tmp_path}/../{tmp_path.name}/{one.name}")
    link = tmp_path / f"l{one.suffix}"
    if os.name == "posix":
        link.symlink_to(one)
    for path in (one, again, link):
        if path.exists():
            complaint = run(command, one, other, path, "-o", out).complaint
            assert complaint == f"{path}: is given twice and would be counted twice"
    assert not out.exists()
