"""How the threads of libraries are started, and how they wait, which libraries read once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

# Variables of the user's that say how threads wait, and how many BLAS has.
_WAITING = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "KMP_LIBRARY")
_BLAS = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")


@contextmanager
def threads_wait_asleep() -> Iterator[None]:
    """Let threads sleep while they wait if the OpenMP runtime is loaded in this block.

    By default they spin for milliseconds. Beside another busy process this takes the core from a
    thread that has work, and a call may last four times as long. It has no effect on a runtime that
    another library has loaded before.
    """
    with _setting(_WAITING, "passive"):
        yield


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let OpenBLAS have one thread if it is loaded in this block.

    By default it starts one for each core, which spin for a while. The command line multiplies no
    matrices, so that they only take time from it.
    """
    with _setting(_BLAS, "1"):
        yield


@contextmanager
def _setting(names: Sequence[str], value: str) -> Iterator[None]:
    """Set the first of some variables in a block, unless the user has set one of them."""
    if any(name in os.environ for name in names):
        yield
        return
    os.environ[names[0]] = value
    try:
        yield
    finally:
        del os.environ[names[0]]
