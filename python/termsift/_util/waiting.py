"""Set how the threads of OpenMP wait. Its library reads the setting when it is loaded."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

# Variables with which users choose how threads wait.
_WAITING = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "KMP_LIBRARY")


@contextmanager
def threads_wait_asleep() -> Iterator[None]:
    """Make waiting threads sleep instead of spinning, unless the user set a variable for it."""
    if any(name in os.environ for name in _WAITING):
        yield
        return
    os.environ[_WAITING[0]] = "passive"
    try:
        yield
    finally:
        del os.environ[_WAITING[0]]
