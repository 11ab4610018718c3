"""Show the progress of long work as one line on a terminal, and nothing anywhere else."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_PATIENCE = 1.0  # seconds before the line appears
_EVERY = 0.1  # seconds between updates
_SIZES = {"GB": 10**9, "MB": 10**6, "kB": 10**3}


def _is_terminal(stream: object) -> bool:
    isatty = getattr(stream, "isatty", None)
    try:
        return isatty is not None and bool(isatty())
    except ValueError:  # it is closed
        return False


@contextmanager
def progress(
    verb: str, total: int, unit: str, *, already: int | None = None
) -> Iterator[Callable[[int], None] | None]:
    """Yield a function that reports how much is done, or None where nobody would see it.

    If ``already``, how much was done at the start, is given, the line also shows the rate and the
    time left. Give it where every unit takes about as long as another.
    """
    stream = sys.stderr
    if not _is_terminal(stream):
        yield None
        return
    start = time.monotonic()
    due = start + _PATIENCE
    width = 0
    amount = _size if unit == "bytes" else "{:,.0f}".format

    def report(done: int) -> None:
        nonlocal due, width
        if time.monotonic() >= due:
            line = f"termsift: {verb} {amount(done)} of {amount(total)}"
            line += "" if unit == "bytes" else f" {unit}"
            if already is not None and done > already:
                rate = (done - already) / (time.monotonic() - start)
                line += f", {amount(rate)} a second, {_duration((total - done) / rate)} left"
            # A line wider than the terminal would wrap, and each update would be a new line.
            columns = shutil.get_terminal_size().columns - 1
            line = line[:columns]
            stream.write(f"\r{line.ljust(min(width, columns))}")  # blanks cover a longer line
            stream.flush()
            width = len(line)
            due = time.monotonic() + _EVERY

    try:
        yield report
    finally:
        if width:
            stream.write(f"\r{' ' * width}\r")
            stream.flush()


def _size(n_bytes: float) -> str:
    """Return a number of bytes as text: 12 bytes, 24.5 MB."""
    for name, size in _SIZES.items():
        if n_bytes >= size:
            return f"{n_bytes / size:,.1f} {name}"
    return f"{n_bytes:,.0f} bytes"


def _duration(seconds: float) -> str:
    """Return a duration as text: 45 s, 12 min, 3 h 05 min."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60:02} min"
