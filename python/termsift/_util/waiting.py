"""Set how the threads of OpenMP wait. OpenMP's library reads the setting when it is loaded."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

# Environment variables with which users choose how threads wait.
_WAITING = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "KMP_LIBRARY")


@contextmanager
def threads_wait_asleep() -> Iterator[None]:
    """Make waiting threads sleep instead of spin, unless the user set a variable of `_WAITING`."""
    if any(name in os.environ for name in _WAITING):
        yield
        return
    os.environ[_WAITING[0]] = "passive"
    try:
        yield
    finally:
        del os.environ[_WAITING[0]]
