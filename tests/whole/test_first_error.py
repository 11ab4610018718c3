"""Of several faults, the error names the first in document order, for any number of threads.

Guards: cpp/src/base/parallel.cpp and the readers of cpp/src/reading and cpp/src/text.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import termsift as ts
from private import _core
from termsift.text import TextRules

N = 150_000
# Documents around the border of two classes, of which the second has more documents, so that it is
# counted first; the last fault is in the first class again. The first fault is the one to name.
BORDER = 50_000
FAULTS = [BORDER - 1, BORDER, BORDER + 1, N - 1]
Y = np.ones(N, dtype=int)
Y[:BORDER] = Y[-1] = 0


def matrix(value: float, dtype: type = float) -> sp.csr_array:
    """Return a matrix of two ones a document, where the faults have another value."""
    data = np.ones((N, 2), dtype=dtype)
    data[FAULTS] = value
    return sp.csr_array(
        (data.ravel(), np.tile(np.array([0, 1], dtype=np.int32), N), np.arange(0, 2 * N + 1, 2)),
        shape=(N, 2),
    )


def of_sums(threads: int) -> Any:
    X = matrix(1.7e308)
    X.indices[1::2][FAULTS] = 0
    return ts.count(X, Y, tf="log", n_threads=threads)


def of_weighted_sums(threads: int) -> Any:
    # The first fault has the weight 0, so its document is not counted.
    X, weights = matrix(1.7e308), np.ones(N)
    X.indices[1::2][FAULTS] = 0
    X.indices[1], X.data[:2], weights[0] = 0, 1.7e308, 0
    return ts.count(X, Y, weights, tf="log", n_threads=threads)


def texts() -> list[bytes]:
    found = [b"bacon and eggs"] * N
    for fault in FAULTS:
        found[fault] = b"\xff" * (1 + fault % 3)
    return found


def of_texts_by_class(threads: int) -> Any:
    counter = _core.TextCounter(TextRules().native, by_class=True)
    return counter.add(_core.Texts.of_bytes(texts()), Y.astype(np.int32), threads)


def of_texts_by_document(threads: int) -> Any:
    counter = _core.TextCounter(TextRules().native)
    return counter.add(_core.Texts.of_bytes(texts()), None, threads)


def of_a_vocabulary(threads: int) -> Any:
    index = _core.TextIndex(TextRules().native, ["bacon"])
    return index.matrix(_core.Texts.of_bytes(texts()), threads)


def of_hashes(threads: int) -> Any:
    return _core.hashed_matrix(TextRules().native, _core.Texts.of_bytes(texts()), 8, False, threads)


def of_a_sketch(threads: int) -> Any:
    sketch = _core.TermSketch(1000)
    return sketch.add(TextRules().native, _core.Texts.of_bytes(texts()), threads)


def of_arrow(threads: int) -> Any:
    pyarrow = pytest.importorskip("pyarrow")
    lengths = np.array([len(text) for text in texts()], dtype=np.int32)
    offsets = np.append(0, np.cumsum(lengths)).astype(np.int32)
    buffers = [None, pyarrow.py_buffer(offsets), pyarrow.py_buffer(b"".join(texts()))]
    array = pyarrow.Array.from_buffers(pyarrow.string(), N, buffers)
    return ts.count_texts(array, Y, n_threads=threads)


MATRICES: dict[str, Callable[[int], Any]] = {
    "log of sums": of_sums,
    "log of weighted sums": of_weighted_sums,
    "negative": lambda n: ts.count(matrix(-1), Y, n_threads=n),
    "negative integers": lambda n: ts.count(matrix(-1, int), Y, n_threads=n),
    "binary": lambda n: ts.count(matrix(-1), Y, tf="binary", n_threads=n),
    "dense": lambda n: ts.count(matrix(-1).toarray(), Y, n_threads=n),
    "columns": lambda n: ts.count(matrix(-1, int).tocsc(), Y, n_threads=n),
    "columns of Fortran": lambda n: ts.count(
        np.asfortranarray(matrix(-1).toarray()), Y, n_threads=n
    ),
    "overflow": lambda n: ts.count(matrix(2**62, int), Y, n_threads=n),
    "float counts": lambda n: ts.count(matrix(2**53 + 1, int), Y, np.ones(N), n_threads=n),
    "a class's documents": lambda n: ts.count(
        sp.csr_array(matrix(1)), np.where(np.isin(np.arange(N), FAULTS), np.nan, Y), n_threads=n
    ),
}
TEXTS = [of_texts_by_class, of_texts_by_document, of_a_vocabulary, of_hashes, of_a_sketch, of_arrow]


def said_by(fails: Callable[[int], Any]) -> set[str]:
    said = set()
    for threads in (1, 2, 3, 7):
        for _ in range(2):
            with pytest.raises(ValueError) as error:  # noqa: PT011
                fails(threads)
            said.add(str(error.value))
    return said


@pytest.mark.full(cases=4)
@pytest.mark.parametrize("door", MATRICES)
def test_the_first_row_of_a_matrix_is_named(door: str) -> None:
    (message,) = said_by(MATRICES[door])
    assert str(BORDER - 1) in message


@pytest.mark.full(cases=3)
@pytest.mark.parametrize("door", TEXTS)
def test_the_first_text_is_named(door: Callable[[int], Any]) -> None:
    (message,) = said_by(door)
    assert str(BORDER - 1) in message


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_the_first_row_of_a_table_is_named(kind: str, tmp_path: Path) -> None:
    table = tmp_path / f"x.{kind}"
    good = {"csv": 'bacon and eggs,"a"\n', "jsonl": '{"text": "bacon and eggs", "label": "a"}\n'}[
        kind
    ]
    bad = {"csv": b"\xff\xfe,a\n", "jsonl": b'{"text": "\xff", "label": "a"}\n'}[kind]
    lines = [good.encode()] * N
    for fault in FAULTS:
        lines[fault] = bad if fault % 2 else b"[\n"
    header = [b"text,label\n"] if kind == "csv" else []
    table.write_bytes(b"".join([*header, *lines]))
    (message,) = said_by(lambda threads: ts.count(ts.scan(table, n_threads=threads)))
    assert f"line {BORDER + len(header):}" in message
