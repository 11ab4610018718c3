"""Settings that OpenMP and OpenBLAS read when they are loaded: how threads wait, their stacks."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.machinery import EXTENSION_SUFFIXES

# Environment variables with which users choose how threads wait, the size of their stacks, and how
# many OpenBLAS starts.
_WAITING = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "KMP_LIBRARY")
_STACKS = ("OMP_STACKSIZE", "GOMP_STACKSIZE", "KMP_STACKSIZE")
_BLAS = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")


def threads_wait_asleep() -> AbstractContextManager[None]:
    """Make waiting threads sleep instead of spin, if OpenMP is loaded in this block."""
    return _setting(_WAITING, "passive")


def threads_have_stacks() -> AbstractContextManager[None]:
    """Give threads stacks of 1 MiB under musl, if OpenMP is loaded in this block.

    The threads of a loop may call Python, for which musl's 128 KiB are too few.
    """
    is_musl = any("musl" in suffix for suffix in EXTENSION_SUFFIXES)
    return _setting(_STACKS, "1M") if is_musl else nullcontext()


def one_blas_thread() -> AbstractContextManager[None]:
    """Keep OpenBLAS from starting threads, if numpy and scipy are loaded in this block.

    termsift gives these threads no work, but they would spin. If numpy is loaded already, the
    process is another program's, and nothing is set.
    """
    return nullcontext() if "numpy" in sys.modules else _setting(_BLAS, "1")


@contextmanager
def _setting(names: Sequence[str], value: str) -> Iterator[None]:
    """Set the first environment variable, unless the user has set one of them."""
    if any(name in os.environ for name in names):
        yield
        return
    os.environ[names[0]] = value
    try:
        yield
    finally:
        os.environ.pop(names[0], None)
