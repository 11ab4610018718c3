"""Count, merge, subtract, save, score and choose terms for an hour. Check results and memory.

    python benchmarks/soak.py [--minutes 60] [--seed 0]

The script keeps the counts of a moving window of random chunks: it adds the newest chunk and
subtracts the oldest. The counts are compared with scipy's sums of the same chunks. Scores, chosen
terms and curves are compared with the results of one thread, and some scores with the reference.
Resident memory (``/proc/self/statm``) may exceed its peak of the first tenth of the run by at most
`SLACK`.
"""

from __future__ import annotations

import argparse
import collections
import os
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import termsift as ts

N_TERMS, N_CLASSES = 3_000, 12
WINDOW = 8  # Number of chunks in the window.
SLACK = 64 << 20  # Bytes of growth, because allocators keep the pages of finished threads.
PAGE = os.sysconf("SC_PAGE_SIZE")


def resident() -> int:
    """Return the resident memory of the process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


@dataclass
class Chunk:
    """Some documents, and their counts by class and term."""

    X: Any
    y: Any
    counts: ts.ClassCounts
    tokens: Any
    docs: Any


@dataclass
class Soak:
    """The window of chunks, and statistics of the run."""

    rng: np.random.Generator
    folder: Path
    held: ts.ClassCounts | None = None
    chunks: collections.deque[Chunk] = field(default_factory=collections.deque)
    done: collections.Counter[str] = field(default_factory=collections.Counter)

    def threads(self) -> int:
        """Draw a number of threads."""
        return int(self.rng.integers(1, 5))

    def chunk(self) -> Chunk:
        """Draw a random number of documents in a random container and dtype, and count them."""
        rng = self.rng
        n_docs = int(rng.integers(1, 4_000))
        X: Any = sp.random_array(
            (n_docs, N_TERMS),
            density=float(rng.uniform(0, 0.02)),
            rng=rng,
            format=str(rng.choice(["csr", "csc"])),
            data_sampler=lambda size: rng.integers(1, 50, size),
        ).astype(rng.choice(["int64", "int32", "uint8", "float64"]))
        y = rng.integers(0, N_CLASSES, n_docs)
        one_hot = sp.csr_array((np.ones(n_docs, int), (y, np.arange(n_docs))), (N_CLASSES, n_docs))
        whole = X.tocsr().astype(np.int64)
        counts = ts.count(X, y, classes=range(N_CLASSES), n_threads=self.threads())
        self.done["documents"] += n_docs
        return Chunk(whole, y, counts, one_hot @ whole, one_hot @ (whole > 0).astype(np.int64))

    def move(self) -> None:
        """Add a chunk, and subtract the oldest if the window is full."""
        new = self.chunk()
        self.chunks.append(new)
        if self.held is None:
            self.held = new.counts
        elif self.rng.random() < 0.5:
            self.held = self.held + new.counts
        else:
            self.held = ts.merge([new.counts, self.held])
        if len(self.chunks) > WINDOW:
            self.held = self.held - self.chunks.popleft().counts
        self.done["merges"] += 1

    def check_counts(self) -> None:
        """Compare the counts with scipy's sums, also after saving and loading."""
        assert self.held is not None
        if self.rng.random() < 0.3:
            self.held.save(self.folder / "held.termsift")
            loaded = ts.load(self.folder / "held.termsift")
            assert loaded == self.held
            self.held = loaded
            self.done["files"] += 1
        for found, parts in (
            (self.held.term_frequency, [chunk.tokens for chunk in self.chunks]),
            (self.held.document_frequency, [chunk.docs for chunk in self.chunks]),
        ):
            assert abs(found - sum(parts[1:], start=parts[0])).nnz == 0
        self.done["tables"] += 1

    def check_scores(self) -> None:
        """Compare scores on several threads with scores on one thread or with the reference."""
        assert self.held is not None
        method = str(self.rng.choice([method.name for method in ts.methods()]))
        scores = self.held.score(method, n_threads=self.threads())
        np.testing.assert_array_equal(scores, self.held.score(method, n_threads=1))
        if self.rng.random() < 0.1:
            expected = ts.reference.score(self.held, method)
            np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-12)
            self.done["references"] += 1
        self.done["scores"] += 1

    def check_choices(self) -> None:
        """Compare two selectors and a curve on several threads with those on one thread."""
        assert self.held is not None
        newest, oldest = self.chunks[-1], self.chunks[0]
        if len(np.unique(newest.y)) < 2:
            return
        for choose in (
            lambda n: self.held.greedy(20, n_threads=n),  # type: ignore[union-attr]
            lambda n: ts.conditional_gain(newest.X, newest.y, 20, n_threads=n),
        ):
            found, one = choose(self.threads()), choose(1)
            np.testing.assert_array_equal(found.indices, one.indices)
            np.testing.assert_array_equal(found.scores, one.scores)
        curves = [
            ts.selection_curve(found, newest.X, newest.y, oldest.X, oldest.y, n_threads=n)
            for n in (self.threads(), 1)
        ]
        np.testing.assert_array_equal(curves[0].accuracy, curves[1].accuracy)
        self.done["choices"] += 1

    def fail(self) -> None:
        """Pass a malformed chunk, and check that the counts do not change."""
        assert self.held is not None
        X = sp.csr_array(self.chunks[-1].X.copy())
        if X.nnz == 0:
            return
        at = int(self.rng.integers(X.nnz))
        if self.rng.random() < 0.5:
            X.indices[at] = self.rng.choice([-1, N_TERMS, np.iinfo(X.indices.dtype).max])
        else:
            X.data[at] = -1
        self.held.save(self.folder / "before.termsift")
        try:
            self.held.update(X, self.chunks[-1].y, n_threads=self.threads())
        except ValueError:
            assert self.held == ts.load(self.folder / "before.termsift")
            self.done["refusals"] += 1
        else:
            raise AssertionError("a malformed matrix was counted")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=60, help="(default: 60)")
    parser.add_argument("--seed", type=int, default=0, help="(default: 0)")
    args = parser.parse_args()
    begin, length = time.monotonic(), 60 * args.minutes
    noted, highest, told = 0, 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        soak = Soak(np.random.default_rng(args.seed), Path(scratch))
        while (passed := time.monotonic() - begin) < length:
            soak.move()
            for step in (soak.check_counts, soak.check_scores, soak.check_choices, soak.fail):
                if soak.rng.random() < 0.5:
                    step()
            now = resident()
            if passed < length / 10:
                noted = max(noted, now)
            else:
                highest = max(highest, now)
                assert highest <= noted + SLACK, f"{highest >> 20} MB after {noted >> 20} MB"
            if passed * 12 / length >= told:
                told += 1
                print(f"{passed / 60:5.1f} min, {now >> 20} MB,", dict(soak.done), flush=True)
    print(f"{args.minutes:g} minutes: {dict(soak.done)}")
    print(f"memory: {noted >> 20} MB in the first tenth, {highest >> 20} MB at most after it")


if __name__ == "__main__":
    main()
