"""A checkpoint that is damaged, forged or no file is refused, and loses and doubles no document."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import termsift as ts
from private import sealed, unsealed
from wording import raises


def rows_of(path: Path, n: int = 2) -> Path:
    path.write_text("label,text\n" + "ham,egg jam\nspam,egg\n" * n)
    return path


@pytest.mark.parametrize("name", ["counts", "sketch"])
def test_no_changed_byte_of_a_checkpoint_passes(name: str, tmp_path: Path) -> None:
    """A changed number of files would count documents twice, or not at all."""
    paths = [rows_of(tmp_path / f"{number}.csv") for number in range(3)]
    job: dict[str, Any] = {"min_df": 2, "max_memory": 2**20, "checkpoint": tmp_path / "saved"}
    ts.count(ts.scan(paths, **job))
    saved = tmp_path / "saved" / name
    whole = saved.read_bytes()
    line = whole.index(b"\n")
    places = [*range(0, line + 1), *range(line + 1, len(whole), max(1, (len(whole) - line) // 40))]
    for place in places:
        saved.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with raises(ValueError, "is_no_checkpoint", at=f"{name}: "):
            ts.count(ts.scan(paths, **job))


def test_a_file_that_was_written_again_is_another_job(tmp_path: Path) -> None:
    """Its size may be the same."""
    path = rows_of(tmp_path / "a.csv")
    job: dict[str, Any] = {"min_df": 2, "max_memory": 2**20, "checkpoint": tmp_path / "saved"}
    ts.count(ts.scan(path, **job))
    before = path.stat()
    path.write_text(path.read_text().replace("jam", "ham"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1_000_000_000))
    assert path.stat().st_size == before.st_size
    with raises(ValueError, "another_job_which_differs_in_2", argument="checkpoint"):
        ts.count(ts.scan(path, **job))


def test_another_file_of_labels_is_another_job(tmp_path: Path) -> None:
    """Its size and time may be the same."""
    text = tmp_path / "lines.txt"
    text.write_text("egg\negg\njam\n")
    job: dict[str, Any] = {"min_df": 2, "max_memory": 2**20, "checkpoint": tmp_path / "saved"}
    for name, labels in (("one", "ham\nspam\nspam\n"), ("two", "spam\nham\nspam\n")):
        (tmp_path / name).write_text(labels)
        os.utime(tmp_path / name, ns=(0, 0))
    ts.count(ts.scan(text, labels=tmp_path / "one", **job))
    with raises(ValueError, "another_job_which_differs_in_2", argument="checkpoint"):
        ts.count(ts.scan(text, labels=tmp_path / "two", **job))


WRONG: dict[str, list[Any]] = {
    "n_done": [-1, 4, 2**63, 1.0, True, "1", None, math.nan, [1]],
    "skipped": [
        [-1, []],
        [0.0, []],
        [True, []],
        [0, "why"],
        [0, [1]],
        [0],
        [],
        None,
        {},
        [0, [], 1],
    ],
    "job": [None, {}, [], "files"],
}


@pytest.mark.parametrize("name", ["counts", "sketch"])
def test_a_forged_checkpoint_is_refused(name: str, tmp_path: Path) -> None:
    paths = [rows_of(tmp_path / f"{number}.csv") for number in range(3)]
    job: dict[str, Any] = {"min_df": 2, "max_memory": 2**20, "checkpoint": tmp_path / "saved"}
    counts = ts.count(ts.scan(paths, **job))
    saved = tmp_path / "saved" / name
    line, state = saved.read_bytes().split(b"\n", 1)
    about = unsealed(line)
    saved.write_bytes(sealed(about) + state)
    assert ts.count(ts.scan(paths, **job)) == counts
    deep = b"[" * 100_000
    lines = [sealed({**about, key: value}) for key, values in WRONG.items() for value in values]
    lines += [sealed({k: v for k, v in about.items() if k != key}) for key in about]
    lines += [deep + b"\n", b"0" * 64 + b" " + deep + b"\n", sealed([]), sealed({})]  # type: ignore[arg-type]
    lines += [line.partition(b" ")[2] + b"\n"]  # an earlier format, without a checksum
    for forged in lines:
        saved.write_bytes(forged + state)
        with raises(ValueError, "is_no_checkpoint", at=f"{name}: "):
            ts.count(ts.scan(paths, **job))


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
@pytest.mark.parametrize("name", ["counts", "sketch"])
def test_a_pipe_in_a_checkpoint_is_refused(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    folder.mkdir()
    os.mkfifo(folder / name)
    path = rows_of(tmp_path / "a.csv")
    with raises(ValueError, "expected_a_file_found_a", argument="path", at=f"{name}: "):
        ts.count(ts.scan(path, min_df=2, max_memory=2**20, checkpoint=folder))


def test_another_function_of_the_same_name_is_another_job(tmp_path: Path) -> None:
    """Counts and files have only the name of a function, but a checkpoint knows more."""
    path = rows_of(tmp_path / "a.csv")

    def cutter(lowers: bool) -> Callable[[str], list[str]]:
        def cut(text: str) -> list[str]:
            return (text.lower() if lowers else text).split()

        return cut

    job: dict[str, Any] = {"min_df": 2, "max_memory": 2**20, "checkpoint": tmp_path / "saved"}
    counts = ts.count(ts.scan(path, analyzer=cutter(False), **job))
    assert ts.count(ts.scan(path, analyzer=cutter(False), **job)) == counts
    for other in (cutter(True), lambda text: text.split()):
        with raises(ValueError, "a_job_of_other_functions", argument="checkpoint"):
            ts.count(ts.scan(path, analyzer=other, **job))
