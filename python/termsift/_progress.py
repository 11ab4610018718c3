"""Progress of long work: a line on a terminal that renews itself, and nothing anywhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_PATIENCE = 1.0  # seconds that pass before there is a line
_EVERY = 0.1


def _is_terminal(stream: object) -> bool:
    isatty = getattr(stream, "isatty", None)
    try:
        return isatty is not None and bool(isatty())
    except ValueError:  # it is closed
        return False


@contextmanager
def progress(verb: str, total: int, unit: str) -> Iterator[Callable[[int], None] | None]:
    """Give a function of how much is done, or None where nobody would see it."""
    stream = sys.stderr
    if not _is_terminal(stream):
        yield None
        return
    due = time.monotonic() + _PATIENCE
    width = 0

    def report(done: int) -> None:
        nonlocal due, width
        if time.monotonic() >= due:
            line = f"termsift: {verb} {done:,} of {total:,} {unit}"
            width = len(line)
            stream.write(f"\r{line}")
            stream.flush()
            due = time.monotonic() + _EVERY

    try:
        yield report
    finally:
        if width:
            stream.write(f"\r{' ' * width}\r")
            stream.flush()
