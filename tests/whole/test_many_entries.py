"""Count more than 2^31 entries, which need little memory because one block is mapped many times.

Guards: cpp/src/counting and cpp/src/reading.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import termsift as ts

pytestmark = pytest.mark.skipif(
    not hasattr(os, "memfd_create"), reason="memory is mapped twice by Linux's memfd_create alone"
)

N_ENTRIES = 1 << 18  # entries in a block, which fill whole pages of memory
N_ROWS, N_TERMS = 128, 4096
N_BLOCKS = 2**31 // N_ENTRIES + 1


def end_to_end(blocks: Sequence[np.ndarray[Any, Any]], order: Sequence[int]) -> Any:
    """Return a read-only array that maps blocks[i] for each i of `order` one after the other."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    size = blocks[0].nbytes
    assert size % mmap.PAGESIZE == 0
    files = [os.memfd_create("block") for _ in blocks]
    for file, block in zip(files, blocks, strict=True):
        os.truncate(file, size)
        assert os.pwrite(file, block.tobytes(), 0) == size
    reserved = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)
    base = libc.mmap(None, size * len(order), mmap.PROT_READ, reserved, -1, 0)
    fixed = mmap.MAP_SHARED | 0x10  # 0x10 is MAP_FIXED, which Python's mmap lacks
    for place, i in enumerate(order):
        at = base + place * size
        assert libc.mmap(at, size, mmap.PROT_READ, fixed, files[i], 0) == at
    for file in files:
        os.close(file)
    memory = (ctypes.c_char * (size * len(order))).from_address(base)
    array = np.frombuffer(memory, blocks[0].dtype)
    array.flags.writeable = False
    weakref.finalize(array, libc.munmap, base, size * len(order))
    return array


def block_of(rng: np.random.Generator) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    width = N_ENTRIES // N_ROWS
    rows = [np.sort(rng.choice(N_TERMS, width, replace=False)) for _ in range(N_ROWS)]
    return np.concatenate(rows).astype(np.int64), rng.integers(1, 9, N_ENTRIES, dtype=np.int32)


def many_entries(blocks: Any, order: Sequence[int]) -> sp.csr_array:
    indptr = np.arange(0, (len(order) * N_ROWS + 1) * (N_ENTRIES // N_ROWS), N_ENTRIES // N_ROWS)
    indices = end_to_end([indices for indices, _ in blocks], order)
    data = end_to_end([data for _, data in blocks], order)
    X = sp.csr_array((data, indices, indptr), (len(indptr) - 1, N_TERMS))
    assert X.nnz > 2**31
    assert np.shares_memory(X.indices, indices)  # a copy would take 17 GB
    return X


@pytest.mark.full
def test_more_than_two_to_the_31_entries() -> None:
    block = block_of(np.random.default_rng(0))
    X = many_entries([block], [0] * N_BLOCKS)
    y = np.arange(N_ROWS) % 3
    counts = ts.count(X, np.tile(y, N_BLOCKS))
    once = ts.count(
        sp.csr_array((block[1], block[0], X.indptr[: N_ROWS + 1]), (N_ROWS, N_TERMS)), y
    )
    for found, one in (
        (counts.term_frequency, once.term_frequency),
        (counts.document_frequency, once.document_frequency),
    ):
        np.testing.assert_array_equal(found.toarray(), one.toarray() * N_BLOCKS)
    assert counts.class_docs.tolist() == (once.class_docs * N_BLOCKS).tolist()
