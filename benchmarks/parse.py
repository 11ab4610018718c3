"""Time of reading svmlight files, against scikit-learn's reader and one read of the bytes.

    python benchmarks/parse.py [--quick] [--write]

scikit-learn writes a seeded file of some 100 MB (1 MB with ``--quick``) once, into the folder of
`workloads.py`. All contenders take turns in one process and must return the same arrays. The table
shows the least time, the median, and processor time: if others use the machine too, only processor
time compares well.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

import termsift as ts
from compare import ROOT, conditions, put_between, time_in_turn
from termsift import _core
from termsift.io import read_collection
from workloads import CACHE, Shape, generate

MARKER = "parse"
SHAPE = Shape(120_000, 1_000_000, 50, 143, 1.05, 0.3, 7)


def text_file(quick: bool) -> Path:
    """Return the path of the file, after writing it if it is missing."""
    shape = SHAPE.smaller(100) if quick else SHAPE
    path = CACHE / f"parse-{zlib.crc32(repr(shape).encode()):08x}.svm"
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        data, indices, indptr, y = generate(shape)
        X = sp.csr_matrix((data, indices, indptr), (shape.n_docs, shape.n_terms))
        with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
            unfinished = Path(scratch) / "made"
            dump_svmlight_file(X, y, str(unfinished), zero_based=False)
            unfinished.rename(path)
    return path


def read_bytes(path: Path, into: bytearray) -> None:
    """Read the file once, into memory that is allocated already."""
    with open(path, "rb", buffering=0) as file:
        assert file.readinto(into) == len(into)


def parse(text: bytes, n_threads: int) -> _core.SvmlightBlock:
    """Parse the text in memory."""
    return _core.parse_svmlight(text, file="", first_line=1, skip=False, n_threads=n_threads)


def read(path: Path, n_threads: int) -> int:
    """Parse the file block by block, keeping none."""
    return sum(map(len, ts.scan(path, n_threads=n_threads)._blocks()))


def assert_same(path: Path, text: bytes) -> tuple[int, int]:
    """Assert that all readers agree, and return the numbers of documents and entries."""
    X, y = load_svmlight_file(str(path), zero_based=False)
    for n_threads in (1, 2, 3, 7):
        ours: dict[str, Any] = dict(parse(text, n_threads))
        np.testing.assert_array_equal(ours["indptr"], X.indptr)
        np.testing.assert_array_equal(ours["indices"], X.indices + 1)
        np.testing.assert_array_equal(ours["data"], X.data)
        np.testing.assert_array_equal(ours["labels"], y)
    collection = read_collection(path)
    assert (sp.csr_array(X) != collection.X).nnz == 0
    np.testing.assert_array_equal(collection.y, y)
    assert read(path, 1) == len(y)
    return X.shape[0], X.nnz


def measure(quick: bool) -> str:
    """Return the results: a sentence and a table."""
    path = text_file(quick)
    text = path.read_bytes()
    n_docs, n_entries = assert_same(path, text)
    n_threads = _core.effective_n_threads(0)
    theirs = "`sklearn.datasets.load_svmlight_file`"
    runs: dict[str, Callable[[], object]] = {
        "one read of the file": partial(read_bytes, path, bytearray(len(text))),
        "the core, on 1 thread": partial(parse, text, 1),
        f"the core, on {n_threads} threads": partial(parse, text, n_threads),
        "`termsift.scan`, on 1 thread": partial(read, path, 1),
        f"`termsift.scan`, on {n_threads} threads": partial(read, path, n_threads),
        "`termsift.io.read_collection`": partial(read_collection, path),
        theirs: partial(load_svmlight_file, str(path), zero_based=False),
    }
    cpu: dict[str, list[float]] = {name: [] for name in runs}

    def watched(name: str) -> None:
        started = time.process_time()
        runs[name]()
        cpu[name].append(time.process_time() - started)

    in_turn = [partial(watched, name) for name in runs]
    times = dict(zip(runs, time_in_turn(in_turn, 3 if quick else 15), strict=True))
    lines = [
        f"{len(text) / 1e6:,.0f} MB, {n_docs:,} documents, {n_entries:,} entries:",
        "",
        "| what | least ms | median ms | MB/s | processor ms | scikit-learn's / its |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name, seconds in times.items():
        least, work = min(seconds), min(cpu[name])
        lines.append(
            f"| {name} | {1e3 * least:,.1f} | {1e3 * statistics.median(seconds):,.1f} | "
            f"{len(text) / 1e6 / least:,.0f} | {1e3 * work:,.1f} | {min(cpu[theirs]) / work:,.1f} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Print the table, and write it with --write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="only check that it works")
    parser.add_argument("--write", action="store_true", help="write the table of the README")
    args = parser.parse_args()
    found = measure(args.quick)
    print(found)
    if args.write:
        load = ""
        if hasattr(os, "getloadavg"):
            load = f"; others kept the machine busy at a load of {os.getloadavg()[0]:.0f}"
        text = f"Measured {conditions()}{load}.\n\n{found}"
        put_between(ROOT / "benchmarks" / "README.md", MARKER, text)


if __name__ == "__main__":
    main()
