"""What users see during a call: the log, warnings and progress, in text that is safe to print.

The package's only logger is silent by default. If there is a handler,
``logging.getLogger("termsift").setLevel("DEBUG")`` shows details, such as the counting algorithm.
"""

from __future__ import annotations

import inspect
import logging
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from termsift._util.notebook import Line, notebook

_PATIENCE = 1.0  # The seconds before the line of progress appears.
_EVERY = 0.1  # The seconds between updates of the line.


def printable(word: object, longest: int | None = None) -> str:
    """Return text with control characters and line ends escaped, cut to ``longest`` characters."""
    text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(word))
    return text if longest is None or len(text) <= longest else text[: longest - 1] + "…"


def aligned(rows: Sequence[Sequence[str]], align: str) -> list[str]:
    """Return rows of cells as aligned lines. ``align`` has one ``<`` or ``>`` for each column."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    forms = [f"{side}{width}" for side, width in zip(align, widths, strict=bool(rows))]
    return ["  ".join(map(format, row, forms)).rstrip() for row in rows]


def _printable_record(record: logging.LogRecord) -> bool:
    """Make a message printable, because it may contain the name of a file."""
    record.msg, record.args = printable(record.getMessage()), ()
    return True


logger = logging.getLogger("termsift")
logger.addFilter(_printable_record)
logger.addHandler(logging.NullHandler())


def levels_to_caller() -> int:
    """Return the ``stacklevel`` with which a warning shows the line that called the package.

    scikit-learn's decorators call the methods of estimators, and are passed over.
    """
    frame, level, ours = inspect.currentframe(), 0, ("termsift", "sklearn")
    while frame is not None and frame.f_globals.get("__name__", "").startswith(ours):
        frame, level = frame.f_back, level + 1
    return level


@contextmanager
def progress(verb: str, total: int, unit: str) -> Iterator[Callable[[int], None] | None]:
    """Show the progress of long work in one line on a terminal, or in a notebook.

    Yield a function that shows how much is done, or None if there is neither.
    """
    stream = sys.stderr
    out: Line | _Terminal
    if notebook() is not None:
        out = Line()
    elif not getattr(stream, "closed", True) and stream.isatty():
        out = _Terminal(stream)
    else:
        yield None
        return
    due = time.monotonic() + _PATIENCE
    is_shown = False

    def report(done: int) -> None:
        nonlocal due, is_shown
        if time.monotonic() >= due:
            out.write(f"termsift: {verb} {done:,} of {total:,} {unit}")
            is_shown = True
            due = time.monotonic() + _EVERY

    try:
        yield report
    finally:
        if is_shown:
            out.write("")


class _Terminal:
    """A line of a terminal, which changes until it is cleared."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._width = stream, 0

    def write(self, line: str) -> None:
        """Show the line in place of the last one. The line "" clears the line."""
        # Cut the line, because a line wider than the terminal would start a new line each time.
        from shutil import get_terminal_size  # The slow import of shutil comes late.

        line = line[: get_terminal_size().columns - 1]
        # Blanks overwrite the rest of a longer line.
        self._stream.write(f"\r{line.ljust(self._width)}" + "\r" * (not line))
        self._stream.flush()
        self._width = len(line)
