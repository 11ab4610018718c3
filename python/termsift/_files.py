"""Writing files so that a failure leaves what was there."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

_BINARY = getattr(os, "O_BINARY", 0)  # Windows would rewrite line ends


@contextmanager
def replacing(path: str | os.PathLike[str], *, text: bool = False) -> Iterator[IO[Any]]:
    """Open a new file that takes the place of ``path`` when the block ends without an error.

    It is written beside ``path``, flushed to the disk and renamed, so that at every moment ``path``
    is the old file or the whole new one. Text is UTF-8 and keeps its line ends.
    """
    mode = {"mode": "w", "encoding": "utf-8", "newline": ""} if text else {"mode": "wb"}
    target = os.path.realpath(path)  # a link stays one
    if os.path.exists(target) and not os.path.isfile(target):  # a device or pipe: nothing to keep
        with open(target, **mode) as file:  # type: ignore[call-overload]
            yield file
        return
    folder, name = os.path.split(target)
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"{folder}: no such folder, to write {name} to")
    partial = os.path.join(folder, f".termsift-{secrets.token_hex(8)}.partial")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
    try:
        with open(descriptor, **mode) as file:  # type: ignore[call-overload]
            yield file
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(target):
            shutil.copymode(target, partial)
        os.replace(partial, target)
    except BaseException as error:
        with suppress(FileNotFoundError):  # Ctrl-C just after the renaming: it must not be lost
            os.unlink(partial)
        if isinstance(error, OSError) and error.filename is None:  # a full disk names no file
            error.filename = os.fspath(path)
        raise
