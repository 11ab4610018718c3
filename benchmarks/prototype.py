"""Compile and run a C++ prototype of counting and MD scores, if its source is available.

The environment variable TERMSIFT_PROTOTYPES names the folder of ``e2e.cpp``, by default
``../shared/prototypes/counting`` beside the checkout. On first use, the prototype is compiled for
this machine. The prototype reads only int32 arrays, checks no input, counts no documents, and skips
terms that it cannot score. The times show how fast a program for a single purpose can be.
"""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from workloads import CACHE, Workload

FOLDER = Path(
    os.environ.get(
        "TERMSIFT_PROTOTYPES",
        Path(__file__).resolve().parents[2] / "shared" / "prototypes" / "counting",
    )
)
TERM_BLOCK = 14  # ``e2e_blocks`` processes blocks of 2^14 terms


def missing(work: Workload) -> str | None:
    """Return why the prototype cannot run on a workload, or None if it can."""
    if not (FOLDER / "e2e.cpp").exists():
        return "no e2e.cpp in TERMSIFT_PROTOTYPES"
    if shutil.which("g++") is None:
        return "no g++"
    arrays = work.X.data, work.X.indices, work.X.indptr, work.y
    if any(array.dtype != np.int32 for array in arrays):
        return "it reads int32 alone"
    return None


@functools.cache
def _library() -> ctypes.CDLL:
    CACHE.mkdir(parents=True, exist_ok=True)
    library = CACHE / "prototype.so"
    flags = ["-O3", "-march=native", "-fno-math-errno", "-fopenmp", "-shared", "-fPIC", "-w"]
    subprocess.run(["g++", *flags, str(FOLDER / "e2e.cpp"), "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


def count_and_md(work: Workload) -> Callable[[int], np.ndarray[Any, Any]]:
    """Return a function that takes the number of threads and returns the scores of all terms."""
    X, y = work.X, work.y
    (n_docs, n_terms), n_classes = X.shape, work.n_classes
    prior = np.bincount(y, minlength=n_classes) / n_docs
    scores = np.empty(n_terms)

    def pointer(array: np.ndarray[Any, Any]) -> ctypes.c_void_p:
        return ctypes.c_void_p(array.ctypes.data)

    arrays = [pointer(array) for array in (X.indptr, X.indices, X.data, y)]
    sizes = [ctypes.c_int(n_docs), ctypes.c_int64(n_terms), ctypes.c_int(n_classes)]
    block: list[Any] = []
    if n_classes <= 16 and n_terms >= 1 << 21:
        name, block = "e2e_blocks", [ctypes.c_int(TERM_BLOCK)]
    elif n_classes * n_terms > 8 * X.nnz:
        name = "e2e_sparse"
    else:
        name = "e2e_dense"
    function = getattr(_library(), name)
    function.restype = None

    def run(n_threads: int) -> np.ndarray[Any, Any]:
        function(*arrays, *sizes, pointer(prior), pointer(scores), ctypes.c_int(n_threads), *block)
        return scores

    return run
