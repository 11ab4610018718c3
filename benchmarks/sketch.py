"""Time and peak memory of counting more n-grams than memory holds, in one pass and with a sketch.

The texts are generated from a seed while they are read. Words follow Zipf's law, and nearly every
n-gram of three words is new. Therefore the number of different n-grams is about twice the number of
words.

    python benchmarks/sketch.py --documents 20000 200000 --memory 256MB
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np

import termsift as ts
from termsift.cli.arguments import size

WORDS, VOCABULARY, CLASSES = 200, 2**20, 4


class ZipfTexts:
    """An iterable of texts with `WORDS` words each. Every iteration gives the same texts."""

    def __init__(self, n_docs: int, exponent: float = 1.1, seed: int = 0) -> None:
        self.n_docs, self._exponent, self._seed = n_docs, exponent, seed

    def __iter__(self) -> Iterator[str]:
        random = np.random.default_rng(self._seed)
        words = np.array([f"w{rank:x}" for rank in range(VOCABULARY)], dtype=object)
        weights = np.cumsum(np.arange(1, VOCABULARY + 1) ** -self._exponent)
        for first in range(0, self.n_docs, 1000):
            draws = random.random((min(1000, self.n_docs - first), WORDS)) * weights[-1]
            yield from map(" ".join, words[np.searchsorted(weights, draws)])


def measure(n_docs: int, way: str, memory: int, min_df: int) -> None:
    """Count in this process, and print one row."""
    texts, y = ZipfTexts(n_docs), np.arange(n_docs) % CLASSES
    rules = {"ngram_range": (1, 3)}
    begin = time.perf_counter()
    for _ in texts:
        pass
    generating = time.perf_counter() - begin
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.perf_counter()
    if way == "one pass":
        counts = ts.count_texts(texts, y, min_df=min_df, **rules)
    else:
        counts = ts.count_texts(texts, y, min_df=min_df, max_memory=memory, **rules)
    seconds = time.perf_counter() - begin
    peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e3
    total = int(counts.term_frequency.sum()), counts.n_terms
    row = f"{n_docs * WORDS / 1e6:g} M", way, f"{generating:.1f}", f"{seconds:.1f}", f"{peak:,.0f}"
    print(*("", *row, *map("{:,}".format, total), ""), sep=" | ", flush=True)


def main() -> None:
    """Measure each size and each way in a new process."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--documents", type=int, nargs="+", default=[5000, 50_000])
    parser.add_argument("--memory", type=size, default=2**28)
    parser.add_argument("--min-df", type=int, default=20)
    parser.add_argument("--one-pass-up-to", type=int, default=200_000)
    parser.add_argument("--way", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.way:
        return measure(args.documents[0], args.way, args.memory, args.min_df)
    head = "words", "way", "s to generate", "s", "MB", "occurrences", "terms"
    print(*("", *head, ""), sep=" | ")
    print("|---" * len(head) + "|", flush=True)
    for n_docs in args.documents:
        for way in ("one pass", "two passes"):
            if way == "two passes" or n_docs <= args.one_pass_up_to:
                options = f"--memory {args.memory} --min-df {args.min_df} --documents {n_docs}"
                command = [sys.executable, __file__, *options.split(), "--way", way]
                subprocess.run(command, check=True)
    return None


if __name__ == "__main__":
    main()
