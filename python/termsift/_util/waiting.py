"""How the threads of OpenMP wait between two calls."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

# A variable of the user's that says how threads wait.
_USERS_CHOICE = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "KMP_LIBRARY")


@contextmanager
def threads_wait_asleep() -> Iterator[None]:
    """Let threads sleep while they wait if the OpenMP runtime is loaded in this block.

    By default they spin for milliseconds. Beside another busy process this takes the core from a
    thread that has work, and a call may last four times as long. A runtime reads the variable once,
    so it is set only within the block. It is not set if the user has chosen how threads wait, and
    it has no effect on a runtime that another library has loaded before.
    """
    if any(name in os.environ for name in _USERS_CHOICE):
        yield
        return
    os.environ["OMP_WAIT_POLICY"] = "passive"
    try:
        yield
    finally:
        del os.environ["OMP_WAIT_POLICY"]
