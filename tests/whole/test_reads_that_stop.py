"""A read that fails in the middle of a file is an error with its name, and counts nothing.

Guards: _util/files.py, io, _counts/file.py and cpp/src/reading/whole_files.cpp.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import termsift as ts
from file_kinds import KINDS, as_folders, random_collection, write

GONE = os.strerror(errno.EIO)


class Stopping(io.FileIO):
    """A file whose disk fails after ``most`` bytes were read."""

    most = 0

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer).cast("B")
        left = self.most - self.tell()
        if left <= 0 and self.tell() < os.fstat(self.fileno()).st_size and len(view) > 0:
            raise OSError(errno.EIO, GONE)
        return super().readinto(view[:left])

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or size < 0:
            return self.readall()
        buffer = bytearray(size)
        return bytes(buffer[: self.readinto(buffer)])

    def readall(self) -> bytes:
        parts = []
        while part := self.read(1 << 16):
            parts.append(part)
        return b"".join(parts)


def stop_reading(monkeypatch: pytest.MonkeyPatch, path: Path, most: int) -> None:
    """Let reads of a file fail after ``most`` bytes."""
    usual = builtins.open

    def opened(file: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        if isinstance(file, (str, Path)) and os.fspath(file) == str(path) and mode == "rb":
            raw = Stopping(file)
            raw.most = most
            return io.BufferedReader(raw)
        return usual(file, mode, *arguments, **options)

    monkeypatch.setattr(builtins, "open", opened)


def check_stopped(read: Callable[[], Any], path: Path) -> None:
    with pytest.raises((OSError, ValueError)) as caught:
        read()
    error = caught.value
    assert str(path) in str(error)
    # The module zipfile takes a read that fails at the end of an archive for damage.
    if "not a zip file" not in str(error):
        assert isinstance(error, OSError)
        assert error.errno == errno.EIO


@pytest.mark.full(cases=4)
@pytest.mark.parametrize("kind", KINDS)
def test_a_disk_that_fails(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, options = write(kind, tmp_path, *random_collection())
    expected = ts.count(ts.scan(path, **options))
    size = path.stat().st_size
    for most in (0, 64, size // 2, size - 1):
        with monkeypatch.context() as patch:
            stop_reading(patch, path, most)
            check_stopped(lambda: ts.count(ts.scan(path, **options)), path)
            if not options:  # a file of labels excludes skipping
                check_stopped(lambda: ts.count(ts.scan(path, on_error="skip")), path)
        assert ts.count(ts.scan(path, **options)) == expected


def test_saved_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "c.termsift"
    counts = ts.count(np.eye(3, dtype=int), ["a", "b", "b"])
    counts.save(path)
    size = path.stat().st_size
    for most in (0, 7, 50, size // 2, size - 1):
        with monkeypatch.context() as patch:
            stop_reading(patch, path, most)
            check_stopped(lambda: ts.load(path), path)
    assert ts.load(path) == counts


MEMORY = Path("/proc/self/mem")  # reading its first byte fails, and it is no device


@pytest.mark.skipif(not MEMORY.exists(), reason="no such file")
@pytest.mark.parametrize("kind", ["csv", "svm", "mtx", "npz", "parquet", "txt", "jsonl", "folder"])
def test_a_file_that_cannot_be_read(kind: str, tmp_path: Path) -> None:
    """The system refuses the first read, of Python as of the core."""
    options: dict[str, Any] = {}
    if kind == "folder":
        path = as_folders(tmp_path)
        unreadable = path / "ham" / "zero.txt"
    else:
        path, options = write(kind, tmp_path, *random_collection())
        unreadable = path
        path.unlink()
    unreadable.symlink_to(MEMORY)
    check_stopped(lambda: ts.count(ts.scan(path, **options)), unreadable)
