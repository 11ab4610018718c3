"""Writing files so that a failure leaves what was there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any


@contextmanager
def replacing(path: str | os.PathLike[str], *, text: bool = False) -> Iterator[IO[Any]]:
    """Open a new file that takes the place of ``path`` when the block ends without an error.

    It is written beside ``path``, flushed to the disk and renamed, so that at every moment ``path``
    is the old file or the whole new one. Text is UTF-8 and keeps its line ends.
    """
    folder, name = os.path.split(os.path.abspath(os.fspath(path)))
    descriptor, partial = tempfile.mkstemp(prefix=f".{name}.", suffix=".partial", dir=folder)
    try:
        with (
            open(descriptor, "w", encoding="utf-8", newline="") if text else open(descriptor, "wb")
        ) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(partial, _mode_of(path))
        os.replace(partial, os.path.join(folder, name))
    except BaseException:
        os.unlink(partial)
        raise


def _mode_of(path: str | os.PathLike[str]) -> int:
    """Give the permissions of ``path``, or those that a new file would get."""
    try:
        return os.stat(path).st_mode & 0o777
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask
