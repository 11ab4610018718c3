"""Set environment variables that control threads. Libraries read them when they are loaded."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

# Variables with which users choose how threads wait, and how many threads BLAS has.
_WAITING = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "KMP_LIBRARY")
_BLAS = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")


def threads_wait_asleep() -> AbstractContextManager[None]:
    """If OpenMP is loaded in this block, make waiting threads sleep, because spinning is slow."""
    return _setting(_WAITING, "passive")


def one_blas_thread() -> AbstractContextManager[None]:
    """Limit OpenBLAS to one thread if it is loaded in this block. More threads would only spin."""
    return _setting(_BLAS, "1")


@contextmanager
def _setting(names: Sequence[str], value: str) -> Iterator[None]:
    """Set the first of the variables in a block, unless the user has set any of them."""
    if any(name in os.environ for name in names):
        yield
        return
    os.environ[names[0]] = value
    try:
        yield
    finally:
        del os.environ[names[0]]
