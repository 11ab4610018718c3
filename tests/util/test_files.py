"""Outputs are written atomically, and a killed process leaves nothing for ever."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import termsift as ts
from private import check_replaceable, existing, put, replacing
from wording import raises

# This program is killed while it writes a file.
KILLED = """
import os, signal, sys
from termsift._util.files import replacing

with replacing(sys.argv[1]) as file:
    file.write(b"half of the")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""
posix = pytest.mark.skipif(os.name != "posix", reason="kills, locks and pipes of POSIX")


def kill_while_writing(path: Path) -> list[Path]:
    """Kill a process while it writes a file, and return the incomplete files in the folder."""
    subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    return sorted(path.parent.glob(".termsift-*.partial"))


@posix
def test_the_next_write_removes_what_a_killed_process_left(tmp_path: Path) -> None:
    path, other = tmp_path / "out", tmp_path / "other"
    (orphan,) = kill_while_writing(path)
    assert orphan.read_bytes() == b"half of the"
    with replacing(other) as file:  # the orphan belongs to another output
        file.write(b"whole")
    assert orphan.exists()
    check_replaceable(path)
    assert list(tmp_path.iterdir()) == [other]
    assert len(kill_while_writing(path)) == 1
    with replacing(path) as file:
        file.write(b"whole")
    assert sorted(tmp_path.iterdir()) == [other, path]


@posix
def test_a_file_that_another_process_writes_is_no_orphan(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with replacing(path) as first:
        first.write(b"first")
        with replacing(path) as second:
            second.write(b"second")
        assert len(list(tmp_path.glob("*.partial"))) == 1
        assert path.read_bytes() == b"second"
    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]


@posix
def test_only_incomplete_files_are_removed(tmp_path: Path) -> None:
    path = tmp_path / "out"
    (orphan,) = kill_while_writing(path)
    start = orphan.name[: len(".termsift-00000000-")]
    target, link = tmp_path / "target", tmp_path / f"{start}link.partial"
    target.write_text("kept")
    link.symlink_to(target)
    os.mkfifo(tmp_path / f"{start}pipe.partial")
    os.mkfifo(read := tmp_path / f"{start}read.partial")  # which can be opened
    (tmp_path / f"{start}folder.partial").mkdir()
    reader = os.open(read, os.O_RDONLY | os.O_NONBLOCK)
    try:
        check_replaceable(path)
    finally:
        os.close(reader)
    assert not orphan.exists()
    assert target.read_text() == "kept"
    assert len(list(tmp_path.iterdir())) == 5


class NoLocks:
    """The module fcntl where the file system has no locks."""

    LOCK_EX = LOCK_NB = 0

    @staticmethod
    def flock(*_: int) -> None:
        raise OSError(errno.ENOLCK, "no locks")


@posix
@pytest.mark.parametrize("locks", [None, NoLocks])
def test_without_locks_no_file_is_taken_for_an_orphan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, locks: Any
) -> None:
    path = tmp_path / "out"
    (orphan,) = kill_while_writing(path)
    put(monkeypatch, locks=locks)
    with replacing(path) as file:
        file.write(b"whole")
    assert path.read_bytes() == b"whole"
    assert sorted(tmp_path.iterdir()) == [orphan, path]


@posix
def test_a_new_file_that_was_taken_for_an_orphan_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    n_locked = count()

    class Taking:
        """Another process removes the first two new files, and still has a lock on the first."""

        LOCK_EX, LOCK_NB = fcntl.LOCK_EX, fcntl.LOCK_NB

        @staticmethod
        def flock(file: int, how: int) -> None:
            if (n := next(n_locked)) < 2:
                (new,) = tmp_path.glob("*.partial")
                new.unlink()
            if n == 0:
                raise BlockingIOError
            fcntl.flock(file, how)

    put(monkeypatch, locks=Taking)
    with replacing(tmp_path / "out") as file:
        file.write(b"whole")
    assert next(n_locked) == 3
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"whole"]


@posix
def test_a_pipe_a_device_or_a_folder_is_no_file_of_counts(tmp_path: Path) -> None:
    pipe = tmp_path / "c.termsift"
    os.mkfifo(pipe)
    for path in (pipe, "/dev/null", tmp_path):
        with raises(ValueError, "expected_a_file_found_a", argument="source"):
            ts.load(path)
        with raises(ValueError, "expected_a_file_found_a", argument="path"):
            existing(path)
