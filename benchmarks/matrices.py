"""Time of reading files of matrices, against scikit-learn, scipy and one read of the bytes.

    python benchmarks/matrices.py [--quick] [--write]

A seeded collection is written once as svmlight and as Matrix Market files, of some 100 MB each (1
MB with ``--quick``), into the folder of `workloads.py`. All contenders take turns in one process
and must return the same arrays. If others use the machine too, only processor time compares well.
"""

from __future__ import annotations

import argparse
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
from scipy import io as scipy_io
from scipy.io import _fast_matrix_market
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

import termsift as ts
from compare import ROOT, conditions, put_between, time_in_turn
from termsift import _core
from workloads import CACHE, Shape, generate

MARKER = "matrices"
SHAPE = Shape(120_000, 100_000, 50, 143, 1.05, 0.3, 7)
KINDS = ("svm", "rows.mtx", "columns.mtx", "real.mtx")


def files(quick: bool) -> Path:
    """Return the folder of the files, after writing them if they are missing."""
    shape = SHAPE.smaller(100) if quick else SHAPE
    folder = CACHE / f"matrices-{zlib.crc32(repr(shape).encode()):08x}"
    if not folder.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        data, indices, indptr, y = generate(shape)
        X = sp.csr_array((data.astype(np.int64), indices, indptr), (shape.n_docs, shape.n_terms))
        with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
            unfinished = Path(scratch) / "made"
            unfinished.mkdir()
            dump_svmlight_file(X, y, str(unfinished / "svm"), zero_based=False)
            scipy_io.mmwrite(unfinished / "rows.mtx", X)
            scipy_io.mmwrite(unfinished / "columns.mtx", X.tocsc())
            tf_idf = X * np.log(shape.n_docs / (1 + X.astype(bool).sum(axis=0)))
            scipy_io.mmwrite(unfinished / "real.mtx", sp.csr_array(abs(tf_idf)))
            (unfinished / "labels").write_text("".join(f"{label}\n" for label in y))
            unfinished.rename(folder)
    return folder


def read_bytes(path: Path) -> int:
    """Read the file once."""
    into, n = bytearray(1 << 24), 0
    with open(path, "rb", buffering=0) as file:
        while size := file.readinto(into):
            n += size
    return n


def parse(path: Path, n_threads: int) -> int:
    """Parse the file block by block in the core, keeping none, and return the number of entries."""
    n = 0
    with open(path, "rb", buffering=0) as file:
        if path.suffix != ".mtx":
            rows = _core.SvmlightFile(file.readinto, path.name)
            while (part := rows.read(n_threads)) is not None:
                n += len(part[0][2])
            return n
        market = _core.MarketFile(file.readinto, path.name)
        by_column = market.order(n_threads) == "columns"
        while (columns := market.read(by_column, n_threads)) is not None:
            assert columns is not False
            n += len(columns[0][2])
    return n


def scan(path: Path, n_threads: int) -> ts.Scan:
    """Return the scan of a file."""
    if path.suffix == ".mtx":
        return ts.scan(path, labels=path.with_name("labels"), n_threads=n_threads)
    return ts.scan(path, input_format="svm", n_threads=n_threads)


def count(path: Path, n_threads: int) -> object:
    """Count the file, which its reader yields in blocks."""
    return ts.count(scan(path, n_threads), n_threads=n_threads)


def collect(path: Path, n_threads: int) -> ts.io.Collection:
    """Return the whole matrix as CSR, with its labels."""
    return ts.io.read_collection(scan(path, n_threads))


def theirs(path: Path, n_threads: int) -> Any:
    """Read the file with scikit-learn, which has one thread, or with scipy."""
    if path.suffix != ".mtx":
        return load_svmlight_file(str(path), zero_based=False)[0]
    before = _fast_matrix_market.PARALLELISM
    try:
        _fast_matrix_market.PARALLELISM = n_threads
        return scipy_io.mmread(path)
    finally:
        _fast_matrix_market.PARALLELISM = before


def check(path: Path) -> int:
    """Assert that all readers agree, and return the number of entries."""
    X = sp.csr_array(theirs(path, 2))
    whole = [collect(path, n_threads) for n_threads in (1, 2, 3)]
    for collection in whole:
        for name in ("indptr", "indices", "data"):
            np.testing.assert_array_equal(getattr(collection.X, name), getattr(X, name))
    labels = path.with_name("labels").read_text().split()
    assert [str(label) for label in whole[0].y] == labels
    assert count(path, 1) == count(path, 2) == ts.count(whole[0].X, whole[0].y)
    assert parse(path, 1) == parse(path, 2) == X.nnz
    return int(X.nnz)


def measure(quick: bool) -> str:
    """Return the results: a table for each file."""
    tables = []
    for kind in KINDS:
        path = files(quick) / kind
        n_entries, size = check(path), path.stat().st_size / 1e6
        reader = "scipy.io.mmread" if kind != "svm" else "sklearn.datasets.load_svmlight_file"
        runs: dict[str, Callable[[], object]] = {"one read of the file": partial(read_bytes, path)}
        for name, run in (
            ("the core, keeping nothing", parse),
            ("`ts.count` of a scan", count),
            ("`ts.io.read_collection`", collect),
            (f"`{reader}`", theirs),
        ):
            for n_threads in (1, 2) if run is not theirs or kind != "svm" else (1,):
                runs[f"{name}, {n_threads} thread{'s'[: n_threads - 1]}"] = partial(
                    run, path, n_threads
                )
        tables.append(
            f"{kind}, {size:,.0f} MB, {n_entries:,} entries:\n\n{table(runs, size, quick)}"
        )
    return "\n\n".join(tables)


def table(runs: dict[str, Callable[[], object]], size: float, quick: bool) -> str:
    """Run all contenders in turn, the last of which is compared with all others."""
    cpu: dict[str, list[float]] = {name: [] for name in runs}

    def watched(name: str) -> None:
        started = time.process_time()
        runs[name]()
        cpu[name].append(time.process_time() - started)

    times = dict(
        zip(
            runs,
            time_in_turn([partial(watched, name) for name in runs], 3 if quick else 7),
            strict=True,
        )
    )
    last = next(name for name in reversed(runs) if name.endswith("1 thread"))
    lines = [
        "| what | least ms | median ms | MB/s | processor ms | speed by processor time |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name, seconds in times.items():
        least, work = min(seconds), min(cpu[name])
        lines.append(
            f"| {name} | {1e3 * least:,.1f} | {1e3 * statistics.median(seconds):,.1f} | "
            f"{size / least:,.0f} | {1e3 * work:,.1f} | {min(cpu[last]) / work:,.1f} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Print the tables, and write them with --write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="only check that it works")
    parser.add_argument("--write", action="store_true", help="write the tables of the README")
    args = parser.parse_args()
    found = measure(args.quick)
    print(found)
    if args.write:
        put_between(ROOT / "benchmarks" / "README.md", MARKER, f"{conditions()}\n\n{found}")


if __name__ == "__main__":
    main()
