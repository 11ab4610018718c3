"""Counting a folder of 100 million entries, read in parts from the disk, and in memory.

    python benchmarks/stream.py [--quick] [--runs N] [--merge]

The collection is B of `workloads`, written by `termsift.save_csr` into the cache. Both ways take
turns, each run in a new process that reports its time, its processor time and its peak memory. Both
must give the same counts. With ``--merge`` the counts of eight shards are merged instead.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

import termsift as ts
import workloads

MB = 1 << 20
SHARDS = 8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a twentieth of the collection")
    parser.add_argument("--runs", type=int, default=5, help="(default: 5)")
    parser.add_argument("--merge", action="store_true", help="merge eight shards instead")
    parser.add_argument("--child", choices=("memory", "folder"), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        child(args.child, args.folder)
    elif args.merge:
        merge(args.quick, args.runs)
    else:
        compare(args.quick, args.runs)


def compare(quick: bool, runs: int) -> None:
    """Run both ways in turn."""
    with tempfile.TemporaryDirectory(dir=workloads.CACHE) as scratch:
        folder = Path(scratch) / "csr"
        w = workloads.workload("B", quick)
        ts.save_csr(folder, w.X, w.y)
        print(f"{w.X.nnz:,} entries, {w.X.shape[0]:,} documents x {w.X.shape[1]:,} terms")
        del w
        found: dict[str, list[list[str]]] = {"memory": [], "folder": []}
        for _ in range(runs):
            for way, results in found.items():
                command = [sys.executable, __file__, "--child", way, "--folder", str(folder)]
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                results.append(done.stdout.split())
        answers = {result[0] for results in found.values() for result in results}
        assert len(answers) == 1, "the two ways disagree"
    for way, results in found.items():
        wall, cpu, peak = (min(float(result[i]) for result in results) for i in (1, 2, 3))
        peak = max(float(result[3]) for result in results)
        print(f"{way:8} {wall:6.3f} s   {cpu:6.3f} s of processors   {peak:6.0f} MB at most")


def child(way: str, folder: Path) -> None:
    """Count in one way, and print the digest, times and peak memory."""
    if way == "memory":
        [(X, y)] = load_whole(folder)
        start, cpu = time.perf_counter(), time.process_time()
        counts = ts.count(X, y)
    else:
        start, cpu = time.perf_counter(), time.process_time()
        counts = ts.count(ts.scan(folder))
    wall, cpu = time.perf_counter() - start, time.process_time() - cpu
    peak = peak_mb()  # before the digest, which needs memory itself
    print(digest(counts), wall, cpu, peak)


def peak_mb() -> float:
    """Return the peak of resident memory; rusage may report that of the parent process."""
    status = Path("/proc/self/status").read_text()
    [line] = [line for line in status.splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) * 1024 / MB


def load_whole(folder: Path) -> list[tuple[object, object]]:
    """Load the whole folder into memory."""
    from scipy import sparse

    data, indices, indptr, y = (np.load(folder / f"{part}.npy") for part in workloads.PARTS)
    n_terms = ts.scan(folder)._sources[0]._n_terms
    return [(sparse.csr_array((data, indices, indptr), shape=(len(y), n_terms)), y)]


def digest(counts: ts.ClassCounts) -> str:
    """Return a digest of all counts."""
    hashed = hashlib.blake2b(repr((counts.n_docs, counts.n_terms, counts.classes)).encode())
    for table in (counts.term_frequency, counts.document_frequency):
        for array in (table.data, table.indices, table.indptr):
            hashed.update(np.ascontiguousarray(array))
    return hashed.hexdigest()[:32]


def merge(quick: bool, runs: int) -> None:
    """Merge the counts of shards, in memory and from files."""
    w = workloads.workload("B", quick)
    whole = ts.count(w.X, w.y)
    ends = np.linspace(0, w.X.shape[0], SHARDS + 1).astype(int)
    shards = [ts.count(w.X[a:b], w.y[a:b]) for a, b in pairwise(ends)]
    pairs = sum(shard.term_frequency.nnz for shard in shards)
    shape = f"{whole.n_classes} classes x {whole.n_terms:,} terms"
    print(f"{SHARDS} shards of {shape}, {pairs:,} pairs")
    with tempfile.TemporaryDirectory(dir=workloads.CACHE) as scratch:
        paths = [Path(scratch) / f"{i}.termsift" for i in range(SHARDS)]
        for shard, path in zip(shards, paths, strict=True):
            shard.save(path)
        times: list[tuple[float, ...]] = []
        for _ in range(runs):
            begins = np.array([time.perf_counter(), time.process_time()])
            merged = ts.merge(shards)
            middles = np.array([time.perf_counter(), time.process_time()])
            loaded = ts.merge(map(ts.load, paths))
            ends = np.array([time.perf_counter(), time.process_time()])
            times.append((*(middles - begins), *(ends - middles)))
            assert merged == loaded == whole
    in_memory, its_cpu, from_files, their_cpu = (min(column) for column in zip(*times, strict=True))
    print(
        f"merged in {in_memory:.3f} s ({its_cpu:.3f} s of processors), "
        f"loaded and merged in {from_files:.3f} s ({their_cpu:.3f} s)"
    )


if __name__ == "__main__":
    main()
