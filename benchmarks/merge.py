"""Time of merging the counts of eight shards, in memory and from files.

    python benchmarks/merge.py [--quick] [--runs N]

The collection is workload B, with 106 million entries. The merged counts must equal the counts of
the whole collection.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

import termsift as ts
import workloads

SHARDS = 8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a twentieth of the collection")
    parser.add_argument("--runs", type=int, default=5, help="(default: 5)")
    args = parser.parse_args()
    merge(args.quick, args.runs)


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
        f"merged in {in_memory:.3f} s ({its_cpu:.3f} s of CPU time), "
        f"loaded and merged in {from_files:.3f} s ({their_cpu:.3f} s of CPU time)"
    )


if __name__ == "__main__":
    main()
