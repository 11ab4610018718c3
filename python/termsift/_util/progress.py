"""Show the progress of long work in one line on a terminal. Other outputs show no progress."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_PATIENCE = 1.0  # seconds before the line appears
_EVERY = 0.1  # seconds between updates


@contextmanager
def progress(verb: str, total: int, unit: str) -> Iterator[Callable[[int], None] | None]:
    """Yield a function that shows how much is done, or None if stderr is not a terminal."""
    stream = sys.stderr
    if getattr(stream, "closed", True) or not stream.isatty():
        yield None
        return
    due = time.monotonic() + _PATIENCE
    width = 0

    def report(done: int) -> None:
        nonlocal due, width
        if time.monotonic() >= due:
            line = f"termsift: {verb} {done:,} of {total:,} {unit}"
            # Cut the line, because a line wider than the terminal would start a new line each time.
            from shutil import get_terminal_size  # imported late, because it is slow to import

            line = line[: get_terminal_size().columns - 1]
            stream.write(f"\r{line.ljust(width)}")  # blanks overwrite a longer line
            stream.flush()
            width = len(line)
            due = time.monotonic() + _EVERY

    try:
        yield report
    finally:
        if width:
            stream.write(f"\r{' ' * width}\r")
            stream.flush()
