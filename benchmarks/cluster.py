"""Cost of counting with Dask and Spark, and cost of sending and merging partial counts.

    python benchmarks/cluster.py [--quick] [--without-spark] [--write]

One generated collection is counted in three ways. `ts.count` uses one and two threads. Dask uses
one and two worker processes, which hold the chunks. Spark reads Parquet files on one and two cores.
The contenders take turns, and all must give equal counts. The tables show the shortest time of
several rounds. The tables also show the processor time of all processes of a contender, because
other programs may use the machine meanwhile. The times of sending and merging partial counts are
processor times of one thread.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial, reduce
from itertools import pairwise
from operator import add
from pathlib import Path
from typing import Any

import numpy as np

import termsift as ts
from compare import ROOT, conditions, digits, markdown, put_between
from gain import made
from workloads import Shape, Workload

MARKER = "cluster"
SHAPE = Shape(200_000, 1_000_000, 50, 143, 1.05, 0.3, 7)
CHUNKS = 16
WORKERS = (1, 2, 4)

Times = dict[str, tuple[float, float]]  # wall-clock and processor seconds


# ---- rates ---------------------------------------------------------------------------------------


def chunks(work: Workload) -> list[tuple[Any, Any]]:
    """Return the collection in chunks."""
    ends = np.linspace(0, len(work.y), CHUNKS + 1).astype(int).tolist()
    return [(work.X[start:stop], work.y[start:stop]) for start, stop in pairwise(ends)]


@contextmanager
def dask_counter(parts: Sequence[Any], n_workers: int) -> Iterator[Callable[[], ts.ClassCounts]]:
    """Return a function that counts the chunks on the workers, which already hold them."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,  # ts.dask uses the current client
    ):
        yield partial(ts.dask.count, client.scatter(list(parts)))


def write_parquet(parts: Sequence[Any], folder: Path) -> None:
    """Write each chunk to its own Parquet file, with the documents as Spark vectors."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for number, (X, y) in enumerate(parts):
        rows = X.shape[0]
        values = X.data.astype(np.float64)
        offsets = X.indptr.astype(np.int32)
        vectors = pa.StructArray.from_arrays(
            [
                pa.array(np.zeros(rows, np.int8)),
                pa.array(np.full(rows, X.shape[1], np.int32)),
                pa.ListArray.from_arrays(offsets, X.indices.astype(np.int32)),
                pa.ListArray.from_arrays(offsets, values),
            ],
            ["type", "size", "indices", "values"],
        )
        pq.write_table(
            pa.table({"features": vectors, "label": pa.array(y.astype(np.int64))}),
            folder / f"part-{number:05}.parquet",
        )


@contextmanager
def spark_counter(folder: Path, n_cores: int) -> Iterator[Callable[[], ts.ClassCounts]]:
    """Return a function that counts the Parquet files with Spark."""
    from pyspark.ml.linalg import VectorUDT
    from pyspark.sql import SparkSession
    from pyspark.sql.types import LongType, StructField, StructType

    spark = (
        SparkSession.builder.master(f"local[{n_cores}]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", "4g")
        .config("spark.driver.maxResultSize", "0")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    schema = StructType([StructField("features", VectorUDT()), StructField("label", LongType())])
    try:
        yield partial(ts.spark.count, spark.read.schema(schema).parquet(str(folder)))
    finally:
        spark.stop()


def processor_seconds() -> float:
    """Return the processor time of this process and its children, which live until the end."""
    import psutil

    this = psutil.Process()
    return sum(sum(process.cpu_times()[:4]) for process in (this, *this.children(recursive=True)))


def least(runs: dict[str, Callable[[], ts.ClassCounts]], rounds: int, whole: Any) -> Times:
    """Return the shortest times of each contender. An untimed first run checks the result."""
    for run in runs.values():
        assert run() == whole
    times: Times = dict.fromkeys(runs, (math.inf, math.inf))
    for _ in range(rounds):
        for name, run in runs.items():
            used, started = processor_seconds(), time.perf_counter()
            run()
            took = time.perf_counter() - started, processor_seconds() - used
            times[name] = min(times[name][0], took[0]), min(times[name][1], took[1])
    return times


def rates(work: Workload, rounds: int, spark: bool) -> Times:
    """Return the times of counting with `ts.count`, Dask and Spark."""
    whole, parts = ts.count(work.X, work.y), chunks(work)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        runs: dict[str, Callable[[], ts.ClassCounts]] = {
            f"`ts.count`, n_threads={n}": partial(ts.count, work.X, work.y, n_threads=n)
            for n in (1, 2)
        }
        for n in WORKERS:
            runs[f"`ts.dask.count`, n_workers={n}"] = stack.enter_context(dask_counter(parts, n))
        times = least(runs, rounds, whole)
        stack.close()
        if spark:
            write_parquet(parts, Path(folder))
            for n in WORKERS:  # a process can have only one Spark session at a time
                with spark_counter(Path(folder), n) as run:
                    times |= least({f"`ts.spark.count`, local[{n}]": run}, rounds, whole)
    return times


# ---- partial counts ------------------------------------------------------------------------------


def n_pairs(counts: ts.ClassCounts) -> int:
    """Return the number of pairs of a class and a term that occurs in it."""
    return int(counts.term_frequency.nnz)


def saved(counts: ts.ClassCounts) -> bytes:
    """Return the counts as the bytes that Spark sends."""
    return counts.to_bytes()


def resident_bytes() -> int:
    """Return the resident memory of the process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def best(run: Callable[[], Any], rounds: int) -> float:
    """Return the smallest number of processor seconds of several runs."""
    seconds = []
    for _ in range(rounds):
        started = time.process_time()
        run()
        seconds.append(time.process_time() - started)
    return min(seconds)


def partial_counts(work: Workload, rounds: int) -> dict[str, float]:
    """Measure the size of half of the collection's counts, and the times of sending and merging.

    Sizes are in bytes per pair of class and term. Times are in seconds per million pairs.
    """
    middle = len(work.y) // 2
    halves = [
        ts.count(work.X[:middle], work.y[:middle]),
        ts.count(work.X[middle:], work.y[middle:]),
    ]
    both = halves[0] + halves[1]
    assert both == ts.count(work.X, work.y)
    data = saved(halves[0])
    pairs_of_one = n_pairs(halves[0])
    copies = [ts.load(data) for _ in range(4)]
    before = resident_bytes()  # four copies first fill the free part of the resident memory
    copies += [ts.load(data) for _ in range(8)]
    in_memory = (resident_bytes() - before) / 8 / pairs_of_one
    pairs_in = n_pairs(halves[0]) + n_pairs(halves[1])
    return {
        "in memory": in_memory,
        "serialised": len(data) / pairs_of_one,
        "merge": best(lambda: halves[0] + halves[1], rounds) / pairs_in * 1e6,
        "write": best(lambda: saved(halves[0]), rounds) / pairs_of_one * 1e6,
        "read": best(lambda: ts.load(data), rounds) / pairs_of_one * 1e6,
    }


def merge_times(parts: Sequence[Any], rounds: int) -> tuple[float, float]:
    """Return the seconds of merging the chunks' counts one by one, and in a binary tree."""
    shards = [ts.count(X, y) for X, y in parts]

    def tree() -> ts.ClassCounts:
        level = shards
        while len(level) > 1:
            level = [reduce(add, level[i : i + 2]) for i in range(0, len(level), 2)]
        return level[0]

    assert tree() == reduce(add, shards)
    return best(lambda: reduce(add, shards), rounds), best(tree, rounds)


# ---- the page ------------------------------------------------------------------------------------


def tables(quick: bool, spark: bool) -> str:
    """Run the measurements and return the text of the section."""
    shape = SHAPE.smaller(20) if quick else SHAPE
    rounds = 2 if quick else 3
    work = made("cluster", shape)
    entries = work.X.nnz
    times = rates(work, rounds, spark)
    measured = partial_counts(work, rounds)
    one_by_one, as_tree = merge_times(chunks(work), rounds)
    sections = [
        f"{work.X.shape[0]:,} documents, {work.X.shape[1]:,} terms, {shape.n_classes} classes, "
        f"{entries:,} entries, in {CHUNKS} chunks:",
        markdown(
            ["counted by", "seconds", "processor seconds", "million entries per processor second"],
            [
                [
                    name,
                    digits(passed, 3),
                    digits(used, 3),
                    digits(entries / used / 1e6 if used else None, 2),
                ]
                for name, (passed, used) in times.items()
            ],
        ),
        "The counts of half of this collection take this memory and time:",
        markdown(
            ["counts", "bytes per pair"],
            [[name, digits(measured[name], 3)] for name in ("in memory", "serialised")],
        ),
        markdown(
            ["a million pairs", "ms"],
            [
                [name, digits(1e3 * measured[step], 2)]
                for name, step in (
                    ("merged, pairs of both halves", "merge"),
                    ("serialised", "write"),
                    ("read and checked", "read"),
                )
            ],
        ),
        f"Merging the counts of the {CHUNKS} chunks one after the other takes "
        f"{digits(1e3 * one_by_one, 3)} ms. As a binary tree it takes {digits(1e3 * as_tree, 3)} "
        "ms.",
    ]
    return "\n\n".join(sections)


def main() -> None:
    """Print the tables, and write them with --write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a small collection")
    parser.add_argument("--without-spark", action="store_true", help="skip Spark, which needs Java")
    parser.add_argument("--write", action="store_true", help="write the tables of README.md")
    args = parser.parse_args()
    if args.write and (args.quick or args.without_spark):
        parser.error("--write needs the full run: leave out --quick and --without-spark")
    # The workers must import the same termsift as this process.
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    text = tables(args.quick, not args.without_spark)
    print(text)
    if args.write:
        put_between(
            ROOT / "benchmarks" / "README.md", MARKER, f"Measured {conditions()}.\n\n{text}"
        )


if __name__ == "__main__":
    main()
