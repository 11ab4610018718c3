"""Time and peak memory of counting more n-grams than memory holds, in one pass and with a sketch.

Words follow Zipf's law. Each shard of the texts is generated from its own seed, so the texts depend
neither on the machine nor on the number of processes that write them.

    python benchmarks/sketch.py --megabytes 20 200 --max-memory 256MB --min-df 20
    python benchmarks/sketch.py --ways "two passes" Dask Spark "Spark ML" --megabytes 100
    python benchmarks/sketch.py --merging --megabytes 100 --max-memory 256MiB --min-df 2
    python benchmarks/sketch.py --write FOLDER --megabytes 10000 --shards 16

``--ways`` chooses among several ways of counting. With the way "streamed", the texts are generated
whenever they are read, and never stored. All ways except "Spark ML" must give equal counts, and
"Spark ML" must select the terms that the other ways select.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

import termsift as ts
from termsift.cli.arguments import size

WORDS, VOCABULARY, CLASSES = 200, 2**20, "abcd"
NGRAMS = {"ngram_range": (1, 3)}


@cache
def cells_of_lines() -> list[Any]:
    """Return all words, line starts and line ends, each padded with zeros to 8 bytes."""
    parts = [f"w{n:x} " for n in range(VOCABULARY)], [f"{label}\t" for label in CLASSES], ["\n"]
    return [np.array(part, "S8").view(np.uint64) for part in parts]


def rows_of(shard: int, n_bytes: int) -> Iterator[bytes]:
    """Yield blocks of lines, each with a class, a tab and a text, until there are n_bytes.

    Words up to rank r have the share (1 - r ** -0.1) / 0.75 of all tokens, so the word of rank r
    has about the share r ** -1.1 / 7.5. Only multiplication and division are used, because they
    give the same bits on all machines.
    """
    words, first, last = cells_of_lines()
    random, n_docs = np.random.default_rng([20, shard]), 100
    cells = np.empty((n_docs, WORDS + 2), np.uint64)
    cells[:, 0] = np.resize(first, n_docs)
    cells[:, -1] = last
    while n_bytes > 0:
        square = (1 - 0.75 * random.random((n_docs, WORDS))) ** 2
        fourth = square * square
        ranks = 1 / (fourth * fourth * square)
        np.take(words, ranks.astype(np.int32) - 1, out=cells[:, 1:-1])
        lines = cells.tobytes().translate(None, b"\0")
        n_bytes -= len(lines)
        yield lines


def write(path: Path, shard: int, n_bytes: int) -> None:
    """Write the lines of a shard to a file."""
    with open(path, "wb") as file:
        file.writelines(rows_of(shard, n_bytes))


def write_all(folder: Path, n_bytes: int, n_shards: int) -> list[Path]:
    """Write all shards in as many processes as there are processors, and return their paths."""
    paths = [folder / f"{shard:03}.txt" for shard in range(n_shards)]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(write, paths, range(n_shards), [n_bytes // n_shards] * n_shards))
    return paths


class StreamedTexts:
    """The texts of some shards, which are generated again whenever they are read."""

    def __init__(self, n_bytes: int, shards: Sequence[int]) -> None:
        self._blocks = [(shard, n_bytes // len(shards)) for shard in shards]

    def __iter__(self) -> Iterator[str]:
        for shard in self._blocks:
            for lines in rows_of(*shard):
                yield from (line[2:] for line in lines.decode().splitlines())


# ---- ways to count -------------------------------------------------------------------------------


def by_scan(args: argparse.Namespace, paths: list[Path], **limits: Any) -> ts.ClassCounts:
    """Count the files by one process."""
    scan = ts.scan(paths, min_df=args.min_df, n_threads=args.threads, **limits, **NGRAMS)
    return ts.count(scan, n_threads=args.threads)


def streamed(args: argparse.Namespace, _: list[Path]) -> ts.ClassCounts:
    """Count generated texts, in two passes if needed."""
    texts = StreamedTexts(int(args.megabytes[0] * 1e6), range(args.shards))
    y = np.resize(list(CLASSES), sum(1 for _ in texts))
    limits = {"min_df": args.min_df, "max_memory": args.max_memory}
    return ts.count_texts(texts, y, n_threads=args.threads, **limits, **NGRAMS)


def read(path: Path) -> Any:
    """Return the rows of a file."""
    from pyarrow import csv

    names = csv.ReadOptions(column_names=["label", "text"])
    return csv.read_csv(path, read_options=names, parse_options=csv.ParseOptions(delimiter="\t"))


def by_dask(args: argparse.Namespace, paths: list[Path]) -> ts.ClassCounts:
    """Count the files by Dask, in two passes, with a process for each thread."""
    import dask
    from distributed import Client, LocalCluster

    limits = {"min_df": args.min_df, "max_memory": args.max_memory}
    with (
        LocalCluster(args.threads, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster),
    ):
        parts = [dask.delayed(read)(path) for path in paths]
        return ts.dask.count_texts(parts, text="text", label="label", **limits, **NGRAMS)


def frame(args: argparse.Namespace, paths: list[Path]) -> Any:
    """Return the files as a frame of Spark."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(f"local[{args.threads}]")
    options = {"spark.driver.memory": "6g", "spark.ui.showConsoleProgress": False}
    options |= {"spark.driver.maxResultSize": 0, "spark.sql.shuffle.partitions": 16}
    session = builder.config(map=options).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    rows = session.read.csv([*map(str, paths)], sep="\t", schema="label string, text string")
    return rows.coalesce(args.shards)  # Spark makes one sketch per partition


def by_spark(args: argparse.Namespace, paths: list[Path]) -> ts.ClassCounts:
    """Count the files by Spark, in two passes."""
    limits = {"min_df": args.min_df, "max_memory": args.max_memory}
    return ts.spark.count_texts(frame(args, paths), **limits, **NGRAMS)


def by_spark_ml(args: argparse.Namespace, paths: list[Path]) -> list[str]:
    """Count and select the terms by Spark ML, and return the sorted vocabulary."""
    from pyspark.ml.feature import ChiSqSelector, CountVectorizer, NGram, StringIndexer, Tokenizer
    from pyspark.sql import functions

    df = frame(args, paths)
    df = Tokenizer(inputCol="text", outputCol="1").transform(df)
    for n in (2, 3):
        df = NGram(n=n, inputCol="1", outputCol=str(n)).transform(df)
    df = df.select("label", functions.concat("1", "2", "3").alias("all"))
    df = StringIndexer(inputCol="label", outputCol="y").fit(df).transform(df)
    options = {"vocabSize": 1 << 24, "minDF": args.min_df}
    vectorizer = CountVectorizer(inputCol="all", outputCol="X", **options).fit(df)
    logging.getLogger("termsift").info("counted")
    if not args.without_selector:
        ChiSqSelector(numTopFeatures=1000, featuresCol="X", labelCol="y").fit(
            vectorizer.transform(df)
        )
    return sorted(vectorizer.vocabulary)


WAYS: dict[str, Callable[[argparse.Namespace, list[Path]], Any]] = {
    "one pass": by_scan,
    "two passes": lambda args, paths: by_scan(args, paths, max_memory=args.max_memory),
    "streamed": streamed,
    "Dask": by_dask,
    "Spark": by_spark,
    "Spark ML": by_spark_ml,
}


# ---- the table -----------------------------------------------------------------------------------


class Clock(logging.Handler):
    """Log handler that notes when each pass ends, and how many terms the sketch holds."""

    def __init__(self) -> None:
        super().__init__()
        self.moments, self.n_distinct = [time.perf_counter()], ""

    def emit(self, record: logging.LogRecord) -> None:
        """Record the time of a message."""
        if record.levelno == logging.INFO:
            self.moments.append(time.perf_counter())
        if found := re.search(r"sketch holds about (\d+)", record.getMessage()):
            self.n_distinct = f"{int(found[1]):.3g}"


def look(peak: list[int], used: dict[tuple[int, float], float]) -> None:
    """Record the peak memory of this process and its children, and the processor time of each."""
    import psutil

    total, this = 0, psutil.Process()
    for process in (this, *this.children(recursive=True)):
        with suppress(psutil.Error):
            total += process.memory_info().rss
            used[process.pid, process.create_time()] = sum(process.cpu_times()[:2])
    peak[0] = max(peak[0], total)


def watch(*records: Any) -> None:
    """Record memory ten times a second, because some processes end before others."""
    while True:
        look(*records)
        time.sleep(0.1)


def measure(args: argparse.Namespace) -> None:
    """Count in this process, and print the row of the table and digests of the result."""
    clock, log, peak = Clock(), logging.getLogger("termsift"), [0]
    used: dict[tuple[int, float], float] = {}
    log.addHandler(clock)
    log.setLevel("INFO")
    threading.Thread(target=watch, args=(peak, used), daemon=True).start()
    counts = WAYS[args.ways[0]](args, sorted(args.read.iterdir()))
    passes = np.diff([*clock.moments[:3], time.perf_counter()])
    look(peak, used)
    names = counts if isinstance(counts, list) else list(counts.term_names)
    row = [f"{passes.sum():.1f}", " + ".join(f"{seconds:.1f}" for seconds in passes)]
    row += [f"{sum([*used.values()]):.1f}", f"{peak[0] / 1e6:,.0f}"]
    row += [clock.n_distinct, f"{len(names):,}"]
    digests = [blake2b(repr(names).encode()).hexdigest()]
    if names is not counts:
        digests.append(blake2b(counts.to_bytes()).hexdigest())
    print(json.dumps([row, digests]))


def table(args: argparse.Namespace) -> None:
    """Count texts of each size in each way in a new process, and check that results are equal."""
    head = "MB", "way", "s", "s by pass", "processor s", "peak MB", "different terms", "terms kept"
    print(*("", *head, ""), sep=" | ")
    print("|---" * len(head) + "|", flush=True)
    for megabytes in args.megabytes:
        seen: list[list[str]] = []
        with tempfile.TemporaryDirectory() as folder:
            write_all(Path(folder), int(megabytes * 1e6), args.shards)
            for way in args.ways:
                if way == "one pass" and megabytes > args.one_pass_up_to:
                    continue
                options = (
                    f"--max-memory {args.max_memory} --min-df {args.min_df} --shards {args.shards}"
                )
                options += f" --threads {args.threads} --megabytes {megabytes} --read {folder}"
                options += " --without-selector" * args.without_selector
                command = [sys.executable, __file__, *options.split(), "--ways", way]
                done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
                row, digests = json.loads(done.stdout)
                print(*("", f"{megabytes:g}", way, *row, ""), sep=" | ", flush=True)
                seen.append(digests)
        for digests in zip(*seen, strict=False):
            assert len(set(digests)) == 1, "the ways differ"


def merging(args: argparse.Namespace) -> None:
    """Print the cost of sending and adding two sketches, and the counts of two shards."""
    rules = {"min_df": args.min_df, "n_bytes": args.max_memory, **NGRAMS}
    texts = [[*StreamedTexts(int(args.megabytes[0] * 1e6), [shard])] for shard in (0, 1)]
    sketches = [ts.sketch_texts(part, **rules) for part in texts]
    counts = [
        ts.count_texts(part, np.resize(list(CLASSES), len(part)), sketch=sketch)
        for part, sketch in zip(texts, sketches, strict=True)
    ]
    for name, (a, b), load, add in (
        ("sketches", sketches, ts.TermSketch.from_bytes, ts.TermSketch.__add__),
        ("counts", counts, ts.load, lambda a, b: ts.merge([a, b])),
    ):
        moments, results = [time.process_time()], [a]
        for step in (lambda: a.to_bytes(), lambda: load(results[1]), lambda: add(results[2], b)):  # noqa: B023
            results.append(step())
            moments.append(time.process_time())
        steps = dict(zip(("write", "read", "add"), np.diff(moments).round(2).tolist(), strict=True))
        about = f"{a.n_terms:,} and {b.n_terms:,} terms" if name == "counts" else "one each"
        print(f"{name}: {about}, {len(results[1]):,} bytes, {steps} s")


def main() -> None:
    """Write texts, measure one way, or print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--megabytes", type=float, nargs="+", default=[5, 50])
    parser.add_argument("--shards", type=int, default=16)
    parser.add_argument("--max-memory", type=size, default=2**28)
    parser.add_argument("--min-df", type=int, default=20)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--one-pass-up-to", type=float, default=200, metavar="MEGABYTES")
    ways = ["one pass", "two passes"]
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=ways, metavar="WAY")
    parser.add_argument("--without-selector", action="store_true", help="leave out ChiSqSelector")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write the texts, and end")
    parser.add_argument("--merging", action="store_true", help="measure merging, and end")
    parser.add_argument("--read", type=Path, metavar="FOLDER", help="measure one way of counting")
    args = parser.parse_args()
    if args.merging:
        merging(args)
    elif args.write:
        write_all(args.write, int(args.megabytes[0] * 1e6), args.shards)
    elif args.read:
        measure(args)
    else:
        table(args)


if __name__ == "__main__":
    main()
