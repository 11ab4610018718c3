"""The one logger, silent unless the user's program asks for it; and whom a warning names.

``logging.getLogger("termsift").setLevel("DEBUG")`` with any handler shows, among other things, in
which way a collection was counted.
"""

from __future__ import annotations

import inspect
import logging

from termsift._util.printable import printable


def _printable_record(record: logging.LogRecord) -> bool:
    """Make a message printable: it may quote the name of a file."""
    record.msg, record.args = printable(record.getMessage()), ()
    return True


logger = logging.getLogger("termsift")
logger.addFilter(_printable_record)
logger.addHandler(logging.NullHandler())


def levels_to_caller() -> int:
    """Give the stacklevel of a warning that is to name the line of whoever called the package."""
    frame, level = inspect.currentframe(), 0
    while frame is not None and frame.f_globals.get("__name__", "").startswith("termsift"):
        frame, level = frame.f_back, level + 1
    return level
