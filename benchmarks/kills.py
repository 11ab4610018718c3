"""Kill a count repeatedly, run it again, and compare its counts with those of an undisturbed run.

    python benchmarks/kills.py [--kills 20] [--seed 0]

Two jobs take turns: twenty gzipped svmlight files of whole counts, and twenty .npz files of
fractions counted with ``--tf log``, whose sums depend on the order of addition. Each job is killed
(SIGKILL) at a random moment of the time that it takes undisturbed, run again, killed again, and so
on until it ends. Every result is compared bit for bit.
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
from scipy import sparse

N_INPUTS, N_DOCS, N_TERMS, N_CLASSES = 20, 6_000, 2_000, 12


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=20, help="(default: 20)")
    parser.add_argument("--seed", type=int, default=0, help="(default: 0)")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    with tempfile.TemporaryDirectory() as scratch:
        jobs = make(Path(scratch), args.seed)
        undisturbed = [whole(job) for job in jobs]
        moments: list[float] = []
        found: Counter[str] = Counter()
        turn = 0
        while len(moments) < args.kills:
            job, (expected, seconds) = jobs[turn % 2], undisturbed[turn % 2]
            turn += 1
            while (moment := attempt(job, rng.uniform(0.05, 1) * seconds, found)) is not None:
                moments.append(moment)
            assert output(job).read_bytes() == expected, "the counts differ"
            assert not checkpoint(job).exists()
            output(job).unlink()
    print(f"{len(moments)} kills in {turn} jobs, every one with the counts of an undisturbed run")
    print(
        f"of the kills, {found['checkpoint']} came after a checkpoint, {found['none']} before one"
    )


def make(folder: Path, seed: int) -> list[list[str]]:
    """Write the inputs of both jobs, and return the arguments that count them."""
    rng = np.random.default_rng(seed)
    for number in range(N_INPUTS):
        X = sparse.random_array((N_DOCS, N_TERMS), density=0.02, rng=rng, format="csr")
        y = rng.integers(0, N_CLASSES, N_DOCS)
        path = folder / f"fractions{number}.npz"
        sparse.save_npz(path, X)
        np.savetxt(path.with_suffix(".labels"), y, fmt="%s")
        whole_counts = (X * 9 + (X > 0)).astype(np.int64)
        with gzip.open(folder / f"{number}.svm.gz", "wt", compresslevel=1) as file:
            for d in range(N_DOCS):
                part = slice(*whole_counts.indptr[d : d + 2])
                entries = zip(whole_counts.indices[part] + 1, whole_counts.data[part], strict=True)
                file.write(f"{y[d]} {' '.join(f'{index}:{n}' for index, n in entries)}\n")
    gzipped = [str(folder / f"{number}.svm.gz") for number in range(N_INPUTS)]
    fractions = [str(folder / f"fractions{number}.npz") for number in range(N_INPUTS)]
    labels = [f"--labels={path.removesuffix('.npz')}.labels" for path in fractions]
    options = ["--checkpoint"]
    return [
        [*gzipped, "-o", str(folder / "a.termsift"), *options],
        [*fractions, *labels, "-o", str(folder / "b.termsift"), "--tf", "log", *options],
    ]


def output(job: list[str]) -> Path:
    return Path(job[job.index("-o") + 1])


def checkpoint(job: list[str]) -> Path:
    return Path(f"{output(job)}.checkpoint")


def start(job: list[str]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "termsift", "count", *job]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def whole(job: list[str]) -> tuple[bytes, float]:
    """Count undisturbed, and return the file and the seconds that it took."""
    begin = time.perf_counter()
    assert start(job).wait() == 0
    content = output(job).read_bytes()
    output(job).unlink()
    return content, time.perf_counter() - begin


def attempt(job: list[str], moment: float, found: Counter[str]) -> float | None:
    """Run the job, kill it after some seconds, and return these; None if it ended before."""
    process = start(job)
    try:
        assert process.wait(moment) == 0
        return None
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
        if process.wait() == 0:  # it ended at that moment
            return None
        found["checkpoint" if checkpoint(job).exists() else "none"] += 1
        return moment


if __name__ == "__main__":
    main()
