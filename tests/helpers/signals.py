"""Signals in tests: only this module sends signals, sets their handlers and limits the wait.

Processes that a shell starts in the background ignore SIGINT, and so do their children. A test that
waits for a signal must therefore set the handler itself, or it would wait forever.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

# The limit in seconds is so long that no slow test reaches it.
LIMIT = 300.0

needs_timers = pytest.mark.skipif(
    not hasattr(signal, "setitimer"), reason="this system has no interval timers"
)


@contextmanager
def interrupting(after: float) -> Iterator[None]:
    """Raise KeyboardInterrupt in the block after the given seconds, as Ctrl-C does.

    If the block takes ``LIMIT`` seconds, the process is aborted, and pytest's fault handler prints
    the stack of every thread.
    """
    is_armed = True

    def interrupt(*_: object) -> None:
        if is_armed:  # a late signal must not raise while the context manager restores the handlers
            raise KeyboardInterrupt

    watchdog = threading.Timer(LIMIT, os.abort)
    watchdog.daemon = True
    watchdog.start()
    usual = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, after)
        yield
    finally:
        is_armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, usual)
        watchdog.cancel()


def start_hearing(command: list[Any], **options: Any) -> subprocess.Popen[str]:
    """Start a process that handles SIGINT, even if this process ignores SIGINT."""
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(command, text=True, **options)
    finally:
        signal.signal(signal.SIGINT, usual)
