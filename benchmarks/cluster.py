"""Cost of counting on workers of Dask and Spark, and a model of the data that a cluster would move.

    python benchmarks/cluster.py [--quick] [--without-spark] [--write]

One seeded collection is counted by `ts.count` on one and two threads, by Dask on one and two worker
processes that hold its chunks, and by Spark on one and two cores from Parquet. The contenders take
turns. The tables show the least time of some rounds, and the processor time of all processes of a
contender, because others may use the machine at the same time. All counts are asserted to be equal.
Costs of partial counts are processor time of one thread, on the same collection.

The data that a cluster would move follows from the number of pairs of a class and a term in its
documents. `pairs` computes the expected number under the law of the collection, and is asserted to
be within 5% of what was counted.
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
from dataclasses import replace
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
TERMS, DOCUMENTS = 10**8, 10**10  # of the planned cluster
OF_A_CHUNK = 10**6
CLASSES = (2, 20, 100)
WORKERS = (1, 2, 4)
FANS = (2, 8, 64)  # numbers of counts that a task of the tree merges
TOLERANCE = 0.05  # the largest error of the model

Times = dict[str, tuple[float, float]]  # wall-clock and processor seconds


# ---- rates ---------------------------------------------------------------------------------------


def chunks(work: Workload) -> list[tuple[Any, Any]]:
    """Return the collection in chunks."""
    ends = np.linspace(0, len(work.y), CHUNKS + 1).astype(int).tolist()
    return [(work.X[start:stop], work.y[start:stop]) for start, stop in pairwise(ends)]


@contextmanager
def dask_counter(parts: Sequence[Any], n_workers: int) -> Iterator[Callable[[], ts.ClassCounts]]:
    """Return a function that counts the chunks that workers hold."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,  # which ts.dask uses
    ):
        yield partial(ts.dask.count, client.scatter(list(parts)))


def write_parquet(parts: Sequence[Any], folder: Path) -> None:
    """Write each chunk to a file of Spark vectors."""
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
    """Return a function that counts the files."""
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
    """Return the processor seconds of this process and all its children."""
    import psutil  # Dask's scheduler needs it too

    this = psutil.Process()
    return sum(sum(process.cpu_times()[:4]) for process in (this, *this.children(recursive=True)))


def least(runs: dict[str, Callable[[], ts.ClassCounts]], rounds: int, whole: Any) -> Times:
    """Return the least seconds of each contender, after an untimed run that is checked."""
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
    """Return the seconds of each way to count the collection."""
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
            for n in WORKERS:  # a process can have only one session at a time
                with spark_counter(Path(folder), n) as run:
                    times |= least({f"`ts.spark.count`, local[{n}]": run}, rounds, whole)
    return times


# ---- partial counts ------------------------------------------------------------------------------


def n_pairs(counts: ts.ClassCounts) -> int:
    """Return the number of pairs of a class and a term that occurs in it."""
    return int(counts.term_frequency.nnz)


def saved(counts: ts.ClassCounts) -> bytes:
    """Return the bytes that Spark moves."""
    return counts.to_bytes()


def resident_bytes() -> int:
    """Return the resident memory of the process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def best(run: Callable[[], Any], rounds: int) -> float:
    """Return the least processor seconds of some runs."""
    seconds = []
    for _ in range(rounds):
        started = time.process_time()
        run()
        seconds.append(time.process_time() - started)
    return min(seconds)


def partial_counts(work: Workload, rounds: int) -> dict[str, float]:
    """Measure the counts of halves of the collection: bytes per pair, seconds per million pairs."""
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
    before = resident_bytes()  # a new process has no memory left over from earlier counts
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
    """Return the seconds to merge the counts of the chunks one by one, and as a binary tree."""
    shards = [ts.count(X, y) for X, y in parts]

    def tree() -> ts.ClassCounts:
        level = shards
        while len(level) > 1:
            level = [reduce(add, level[i : i + 2]) for i in range(0, len(level), 2)]
        return level[0]

    assert tree() == reduce(add, shards)
    return best(lambda: reduce(add, shards), rounds), best(tree, rounds)


# ---- the model -----------------------------------------------------------------------------------


def pairs(shape: Shape, n_docs: float) -> float:
    """Return the expected pairs of a class and a term in n documents, by the law of `workloads`.

    The model uses three facts. A term of probability p is absent from N tokens with probability
    exp(-N p). The permutation of a class changes the rank of a term among its topical tokens. And
    0.18 of the tokens repeat an earlier one."""
    # Ranks in logarithmic bins: the number of terms in each, and the probability of one of them.
    edges = np.unique(np.floor(np.geomspace(1, shape.n_terms + 1, 4000))) - 1
    n_terms = np.diff(edges)
    offset, power = 2.7, 1 - shape.exponent
    above = (edges + 1 + offset - 1 + 1) ** power  # P(rank < r), up to a factor
    mass = np.diff(above) / (above[-1] - above[0])
    p = mass / n_terms
    law = (np.arange(shape.n_classes) + (20 if shape.n_classes > 100 else 10)) ** -0.6
    tokens = n_docs * shape.tokens * (1 - 0.18) * law / law.sum()
    total = 0.0
    for n in tokens:
        absent_as_common = np.exp(-n * (1 - shape.topic_share) * p)
        absent_as_topical = float((n_terms * np.exp(-n * shape.topic_share * p)).sum())
        absent = float((n_terms * absent_as_common).sum()) * absent_as_topical / shape.n_terms
        total += shape.n_terms - absent
    return total


def check_model(work: Workload, shape: Shape) -> list[list[str]]:
    """Return the pairs of growing numbers of documents, counted and by the model."""
    rows = []
    for n_docs in (len(work.y) // 64, len(work.y) // 8, len(work.y)):
        counts = ts.count(work.X[:n_docs], work.y[:n_docs])
        counted, expected = n_pairs(counts), pairs(shape, n_docs)
        assert abs(expected / counted - 1) < TOLERANCE, (n_docs, counted, expected)
        rows.append(
            [f"{n_docs:,}", f"{work.X[:n_docs].nnz:,}", f"{counted:,}", f"{round(expected):,}"]
        )
    return rows


def of_plan(n_classes: int, n_docs: float) -> float:
    """Return the expected pairs in some documents of the planned cluster."""
    shape = replace(SHAPE, n_terms=TERMS, n_classes=n_classes)
    return pairs(shape, min(n_docs, DOCUMENTS))


def flat_plan(n_classes: int, measured: dict[str, float]) -> list[str]:
    """Return the cost if one machine merged the counts of all chunks."""
    n_chunks = DOCUMENTS // OF_A_CHUNK
    of_a_chunk, of_all = (of_plan(n_classes, n_docs) for n_docs in (OF_A_CHUNK, DOCUMENTS))
    # Each step reads the counts of a chunk and passes over the sum so far.
    steps = np.geomspace(OF_A_CHUNK, DOCUMENTS, 60)
    sums = np.array([of_plan(n_classes, n_docs) for n_docs in steps])
    passed = float(np.trapezoid(sums, steps)) / OF_A_CHUNK
    seconds = n_chunks * of_a_chunk * (measured["read"] + measured["merge"])
    seconds += passed * measured["merge"]
    return [
        str(n_classes),
        digits(of_a_chunk * measured["serialised"] / 1e9, 2),
        digits(of_all * measured["in memory"] / 1e9, 2),
        digits(n_chunks * of_a_chunk * measured["serialised"] / 1e12, 2),
        digits(seconds / 1e6 / 3600, 2),
    ]


def tree_plan(n_classes: int, fan: int, measured: dict[str, float]) -> list[str]:
    """Return the data that a tree of machines would move, and the time of its longest path."""
    nodes, n_docs = DOCUMENTS // OF_A_CHUNK, float(OF_A_CHUNK)
    moved = seconds = into_root = 0.0
    levels = 0
    while nodes > 1:
        children = min(fan, nodes)
        sums = [of_plan(n_classes, n_docs * i) for i in range(1, children + 1)]
        moved += nodes * sums[0]
        into_root = children * sums[0]
        passed = sum(sums[:-1]) + (children - 1) * sums[0]  # one child after the other
        seconds += children * sums[0] * measured["read"] + passed * measured["merge"]
        seconds += sums[-1] * measured["write"]
        nodes, n_docs, levels = -(-nodes // fan), n_docs * fan, levels + 1
    return [
        str(n_classes),
        str(fan),
        str(levels),
        digits(moved * measured["serialised"] / 1e12, 2),
        digits(into_root * measured["serialised"] / 1e9, 2),
        digits(seconds / 1e6 / 3600, 2),
    ]


# ---- the page ------------------------------------------------------------------------------------


def tables(quick: bool, spark: bool) -> str:
    """Measure and return the text."""
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
                [name, digits(passed, 3), digits(used, 3), digits(entries / used / 1e6, 2)]
                for name, (passed, used) in times.items()
            ],
        ),
        "Counts of half of it:",
        markdown(
            ["counts", "bytes per pair"],
            [[name, digits(measured[name], 3)] for name in ("in memory", "serialised")],
        ),
        markdown(
            ["a million pairs", "ms"],
            [
                [name, digits(1e3 * measured[step], 2)]
                for name, step in (
                    ("merged, both sides together", "merge"),
                    ("serialised", "write"),
                    ("read and checked", "read"),
                )
            ],
        ),
        f"The counts of the {CHUNKS} chunks, merged one after the other: "
        f"{digits(1e3 * one_by_one, 3)} ms; as a binary tree: {digits(1e3 * as_tree, 3)} ms.",
        "Pairs of a class and a term in some documents, counted and expected by their law:",
        markdown(["documents", "entries", "pairs counted", "expected"], check_model(work, shape)),
        f"10^{math.log10(DOCUMENTS):.0f} documents over 10^{math.log10(TERMS):.0f} terms in chunks "
        f"of {OF_A_CHUNK:,}, by that law and the bytes and times above, merged on one machine:",
        markdown(
            [
                "classes",
                "GB of a chunk's counts, serialised",
                "GB of all counts, in memory",
                "TB received",
                "hours",
            ],
            [flat_plan(n, measured) for n in CLASSES],
        ),
        "As a tree:",
        markdown(
            [
                "classes",
                "parts merged per task",
                "levels",
                "TB moved in total",
                "GB received by the last task",
                "hours of the longest path",
            ],
            [tree_plan(n, fan, measured) for n in CLASSES for fan in FANS],
        ),
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
        parser.error("--write is of everything, measured in full")
    # Workers must find termsift where this process does.
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
