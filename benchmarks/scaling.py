"""Measure what limits the use of more cores: serial work, additional work, and memory.

    python benchmarks/scaling.py [--quick] [--write]

The stages of workload C run on one and on two threads in turn. The stages also run on more threads
than the machine has cores, to measure the processor time of many threads. A triad, a[i] = b[i] +
c[i], measures the bandwidth of the memory. From these measurements, the script predicts the times
on machines with more cores. If this machine has enough cores, the measured speedup is also shown.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

import termsift as ts
from compare import ROOT, conditions, markdown, put_between, time_in_turn
from termsift import _core
from workloads import Workload, workload

MARKER = "scaling"
CORES = (8, 16, 64)
ROUNDS = 7
REGION = 10e-6  # Seconds for waking the threads of a parallel loop and waiting for their end.
REGIONS = 10  # Upper bound on the number of parallel loops in a call.
Stage = tuple[str, int, Callable[[int], object]]


def triad(n_threads: int, quick: bool) -> float:
    """Return the bytes per second of a triad. Writes count twice, as they also read cache lines."""
    n, rounds = (1 << 16, 1) if quick else (1 << 24, 5)
    arrays = [tuple(np.ones(n // n_threads) for _ in "abc") for _ in range(n_threads)]
    with ThreadPoolExecutor(n_threads) as pool:
        add = lambda: list(pool.map(lambda abc: np.add(abc[1], abc[2], out=abc[0]), arrays))  # noqa: E731
        (seconds,) = time_in_turn([add], rounds)
    return 4 * 8 * n / min(seconds)


def stages(work: Workload) -> list[Stage]:
    """Return each stage's name, the least number of bytes that it must move, and its call."""
    X, y = work.X, work.y
    counts = ts.count(X, y)
    scores = counts.score("md")
    some = X[:20_000]
    texts = [" ".join(f"w{t}" for t in row) for row in np.split(some.indices, some.indptr[1:-1])]
    n_letters = sum(map(len, texts))
    entries = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    pairs = 12 * counts.term_frequency.nnz  # term, term frequency and document frequency
    n_terms = 8 * counts.n_terms

    def call(name: str, *args: Any, **options: Any) -> Callable[[int], object]:
        return lambda n: getattr(counts, name)(*args, n_threads=n, **options)

    return [
        ("count", entries + pairs, lambda n: ts.count(X, y, n_threads=n)),
        ("count texts", n_letters, lambda n: ts.count_texts(texts, y[: len(texts)], n_threads=n)),
        ("score `md`", 2 * pairs + n_terms, call("score", "md")),
        ("score `chi2`", pairs + n_terms, call("score", "chi2")),
        ("score `log_odds`, sum", 2 * pairs + n_terms, call("score", "log_odds", aggregate="sum")),
        ("order of all scores", 4 * n_terms, lambda n: _core.top_k(scores, len(scores), n)),
        ("round robin of `md`", 2 * pairs, call("rank", "md", 1000, policy="round_robin")),
        ("round robin of `chi2`", 2 * pairs, call("rank", "chi2", 1000, policy="round_robin")),
    ]


def work_on(run: Callable[[int], object], n_threads: int) -> float:
    """Return the smallest processor time of three runs, in seconds, summed over the threads."""
    times = []
    for _ in range(3):
        started = time.process_time()
        run(n_threads)
        times.append(time.process_time() - started)
    return min(times)


def predicted(serial: float, work: float, n_bytes: float, speed: float, cores: int) -> float:
    """Predict the seconds on a machine with more cores and proportionally faster memory."""
    computed = work * (serial + (1 - serial) / cores)
    moved = n_bytes / (speed * cores / 2)
    return max(computed, moved) + REGIONS * REGION * np.log2(cores)


def main() -> None:
    """Print the table, and write it with --write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a small copy of the workload")
    parser.add_argument("--write", action="store_true", help="write the table of the README")
    args = parser.parse_args()
    speeds = [triad(n, args.quick) for n in (1, 2)]
    rows = []
    threads = [1, 2, *(n for n in (4, 8, 16, 32, 64) if n <= len(os.sched_getaffinity(0)))]
    cores = sorted({*threads[2:], *CORES})
    for name, n_bytes, run in stages(workload("C", args.quick)):
        runs = [partial(run, n) for n in threads]
        times = time_in_turn(runs, 1 if args.quick else ROUNDS)
        one, two, *more = map(statistics.median, times)
        work = {n: work_on(run, n) for n in (1, 2, *cores)}
        serial = float(np.clip(2 * two / work[2] - 1, 0, 1))  # by Amdahl's law
        speedups = {
            n: f" ({one / seconds:,.1f})" for n, seconds in zip(threads[2:], more, strict=True)
        }
        shown = [f"{1e3 * one:,.3g}", f"{1e3 * two:,.3g}", f"{serial:.0%}"]
        shown += [f"{work[16] / work[1]:.2f}", f"{n_bytes / two / speeds[1]:.0%}"]
        for n in cores:
            seconds = predicted(serial, work[n], n_bytes, speeds[1], n)
            shown.append(f"{one / seconds:,.1f}{speedups.get(n, '')}")
        rows.append([name, *shown])
    header = ["stage", "ms on 1", "ms on 2", "serial", "work of 16", "of memory"]
    table = markdown([*header, *(f"on {n} cores" for n in cores)], rows)
    triads = " / ".join(f"{speed / 1e9:.1f}" for speed in speeds)
    text = f"Triad on 1 / 2 threads: {triads} GB/s.\n\n{table}"
    print(text)
    if args.write:
        path = ROOT / "benchmarks" / "README.md"
        put_between(path, MARKER, f"Measured {conditions()}.\n\n{text}")


if __name__ == "__main__":
    main()
