"""Writing files so that a failure leaves what was there."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

_BINARY = getattr(os, "O_BINARY", 0)  # Windows would rewrite line ends


@contextmanager
def replacing(path: str | os.PathLike[str], *, text: bool = False) -> Iterator[IO[Any]]:
    """Open a new file that takes the place of ``path`` when the block ends without an error.

    It is written beside ``path``, flushed to the disk and renamed, so that at every moment ``path``
    is the old file or the whole new one. Text is UTF-8 and keeps its line ends.
    """
    target = os.path.realpath(path)  # a link stays one
    partial = os.path.join(os.path.dirname(target), f".termsift-{secrets.token_hex(8)}.partial")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
    try:
        with (
            open(descriptor, "w", encoding="utf-8", newline="") if text else open(descriptor, "wb")
        ) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(target):
            shutil.copymode(target, partial)
        os.replace(partial, target)
    except BaseException:
        os.unlink(partial)
        raise
