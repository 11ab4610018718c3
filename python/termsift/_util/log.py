"""The package's only logger, which is silent by default, and the stack level of warnings.

If a handler is installed, ``logging.getLogger("termsift").setLevel("DEBUG")`` shows more messages,
such as the algorithm that counted a collection.
"""

from __future__ import annotations

import inspect
import logging

from termsift._util.printable import printable


def _printable_record(record: logging.LogRecord) -> bool:
    """Make a message printable, because it may contain the name of a file."""
    record.msg, record.args = printable(record.getMessage()), ()
    return True


logger = logging.getLogger("termsift")
logger.addFilter(_printable_record)
logger.addHandler(logging.NullHandler())


def levels_to_caller() -> int:
    """Return the stacklevel for warnings that show the line that called the package."""
    frame, level = inspect.currentframe(), 0
    while frame is not None and frame.f_globals.get("__name__", "").startswith("termsift"):
        frame, level = frame.f_back, level + 1
    return level
