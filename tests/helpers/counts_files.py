"""Counts to save, and forged files of counts with a correct checksum."""

from __future__ import annotations

import json
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse as sp

import termsift as ts
from private import counts_format

DENSE = np.array([[3, 0, 1, 0], [0, 2, 0, 0], [1, 1, 0, 4]])
Y = ["ham", "spam", "ham"]
HEADER_SIZE = 8 + 4 + 32


def named(counts: ts.ClassCounts, names: Any) -> ts.ClassCounts:
    counts.term_names = names
    return counts


COUNTS = {
    "exact": ts.count(DENSE, Y),
    "float": ts.count(DENSE / 3, Y),
    "weighted": ts.count(DENSE, Y, sample_weight=[3, 0, 2]),
    "float weights": ts.count(DENSE, Y, sample_weight=[0.1, 1e-300, 1e300]),
    "largest": ts.count(np.array([[2**63 - 2], [1]]), ["a", "b"]),
    "several labels": ts.count(DENSE, np.array([[1, 0], [1, 1], [0, 1]]), classes=["a", "b"]),
    "unlabelled documents": ts.count(DENSE, np.array([[1, 0], [0, 0], [0, 1]])),
    "float, unlabelled": ts.count(DENSE / 3, np.array([[1, 1], [0, 0], [0, 1]])),
    "one label each": ts.count(DENSE, np.array([[1, 0], [1, 0], [0, 1]])),
    "names": named(ts.count(DENSE, Y), ["a", "b", "c", "d"]),
    "odd names": named(
        ts.count(DENSE, Y), ["", "é\n\0", "\ud800\udc80 \udcff", "日本語\U0001f600"]
    ),
    "empty names": named(ts.count(DENSE, Y), [""] * 4),
    "no classes": ts.count(DENSE[:0], []),
    "empty classes": ts.count(DENSE[:0], [], classes=["b", "a"]),
    "no terms": ts.count(DENSE[:, :0], Y),
    "no terms, named": named(ts.count(DENSE[:, :0], Y), []),
    "no documents, no terms": ts.count(np.zeros((0, 0)), []),
    "no pairs": ts.count(np.zeros((3, 4), int), Y),
    # For this matrix, counting reserves 16 bytes of address space per column.
    "wide": ts.count(sp.csr_array(([1], [2**30 - 1], [0, 1]), shape=(1, 2**30)), ["a"]),
}


def small() -> ts.ClassCounts:
    return named(ts.count(np.array([[3, 1], [0, 2]]), ["a", "b"]), ["x", "yz"])


def refusal(path: Path) -> str:
    """Load a file that must be refused, and return the error message without the file's path."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (callers look at the message)
        ts.load(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    return message.removeprefix(f"{path}: ")


def sealed(path: Path, payload: bytes, version: int = 1) -> Path:
    """Write a payload with its correct checksum."""
    digest = blake2b(payload, digest_size=32).digest()
    path.write_bytes(counts_format._HEADER.pack(counts_format.MAGIC, version, digest) + payload)
    return path


ARRAYS = {
    "class_docs": np.array([1, 1]),
    "indptr": np.array([0, 2, 3]),
    "terms": np.array([0, 1, 1], np.int32),
    "term_frequency": np.array([3, 1, 2]),
    "document_frequency": np.array([1, 1, 1]),
}


def payload(arrays: Any = ARRAYS, tail: bytes = b"", without: str = "", **header: Any) -> bytes:
    """Return the payload of a forged file, by default with the counts of `small` without names."""
    held = {name: np.asarray(array) for name, array in arrays.items()}
    head = {
        "classes": ["a", "b"],
        "n_terms": 2,
        "n_docs": 2,
        "has_collection": False,
        "arrays": [[name, a.dtype.str, a.size] for name, a in held.items()],
    }
    if "listed" in header:
        header["arrays"] = header.pop("listed")
    assert header.keys() <= head.keys() | {"names", "tf", "rules", "part"}
    head |= header
    head.pop(without, None)
    return json.dumps(head).encode() + b"\n" + b"".join(a.tobytes() for a in held.values()) + tail


class Bomb:
    def __reduce__(self):
        return pytest.fail, ("unpickled",)
