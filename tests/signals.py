"""Signals in tests: the one place that sends them, sets their handlers and limits the wait.

A shell ignores SIGINT in what it runs in the background, and processes inherit that. A test that
waits for a signal must therefore set the handler itself, or it waits for ever.
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

# A test that hangs on a slow machine must be told from a slow test.
LIMIT = 300.0  # seconds

needs_timers = pytest.mark.skipif(
    not hasattr(signal, "setitimer"), reason="this system has no interval timers"
)


@contextmanager
def interrupting(after: float) -> Iterator[None]:
    """Raise KeyboardInterrupt in the block after so many seconds, as Ctrl-C does.

    If the block goes on for ``LIMIT`` seconds, the process is aborted, and the handler of faults
    that pytest installs prints where every thread was.
    """
    is_armed = True

    def interrupt(*_: object) -> None:
        if is_armed:  # nothing is raised while the context manager tidies up
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
    """Start a process that hears SIGINT, even if this one ignores it."""
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(command, text=True, **options)
    finally:
        signal.signal(signal.SIGINT, usual)


def start_deaf(command: list[Any], **options: Any) -> subprocess.Popen[str]:
    """Start a process that ignores SIGINT, as a shell starts what runs in the background."""
    usual = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return subprocess.Popen(command, text=True, **options)
    finally:
        signal.signal(signal.SIGINT, usual)
