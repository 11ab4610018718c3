"""Time and memory of counting n-grams in buckets, and the share of the best n-grams found.

The texts are generated from a seed while they are read. Words follow Zipf's law. Nearly every
n-gram of three words is new, so there are about twice as many different n-grams as words.

    python benchmarks/buckets.py --documents 5000 20000

With `--best`, the script measures how many of the best n-grams of real texts are in the best
buckets.

    python benchmarks/buckets.py --best g2 md --corpora R8 reviews
"""

from __future__ import annotations

import argparse
import itertools
import resource
import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np

import corpora
import termsift as ts

WORDS, VOCABULARY, CLASSES, BUCKETS = 200, 2**20, 4, 2**20


class ZipfTexts:
    """An iterable of texts with `WORDS` words each. Every iteration yields the same texts."""

    def __init__(self, n_docs: int, exponent: float = 1.1, seed: int = 0) -> None:
        self.n_docs, self._exponent, self._seed = n_docs, exponent, seed

    def __iter__(self) -> Iterator[str]:
        random = np.random.default_rng(self._seed)
        words = np.array([f"w{rank:x}" for rank in range(VOCABULARY)], dtype=object)
        weights = np.cumsum(np.arange(1, VOCABULARY + 1) ** -self._exponent)
        for first in range(0, self.n_docs, 1000):
            draws = random.random((min(1000, self.n_docs - first), WORDS)) * weights[-1]
            yield from map(" ".join, words[np.searchsorted(weights, draws)])


def measure(n_docs: int, way: str) -> None:
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
        counts = ts.count_texts(texts, y, min_df=20, **rules)
    elif way == "best buckets":
        hashed = ts.count_texts(texts, y, hashing=BUCKETS, **rules)
        best = hashed.rank("g2", 2000).indices
        counts = ts.count_texts(texts, y, buckets=(BUCKETS, best), **rules)
    else:
        counts = ts.count_texts(texts, y, buckets=(8, [0]), **rules)
    seconds = time.perf_counter() - begin
    peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e3
    total = int(counts.term_frequency.sum()), counts.n_terms
    row = f"{n_docs * WORDS / 1e6:g} M", way, f"{generating:.1f}", f"{seconds:.1f}", f"{peak:,.0f}"
    print(*("", *row, *map("{:,}".format, total), ""), sep=" | ", flush=True)


def measure_best(corpus: str, method: str, k: int) -> None:
    """Print the share of the best k terms that is found, for each number of buckets.

    A term counts as found if its score is at least the k-th largest score.
    """
    lines = (corpora.FOLDER / corpora.FILES[corpus]).read_text(encoding="utf-8").splitlines()
    y, texts = zip(*(line.split("\t", 1) for line in lines), strict=True)
    rules = {"ngram_range": (1, 3)}
    whole = ts.count_texts(texts, y, **rules)
    alpha = 1.0, float(whole.n_terms)
    least = whole.rank(method, k).scores[-1]
    for n in (2**14, 2**16, 2**18, 2**20, 2**22):
        begin = time.perf_counter()
        hashed = ts.count_texts(texts, y, hashing=n, **rules)
        best = hashed.rank(method, 4 * k, alpha=alpha).indices
        found = []
        for n_best in (k, 2 * k, 4 * k):
            counts = ts.count_texts(texts, y, buckets=(n, best[:n_best]), **rules)
            top = counts.within([hashed]).rank(method, k, alpha=alpha)
            found.append(f"{np.sum(top.scores >= least) / k:.1%}")
        seconds = time.perf_counter() - begin
        row = corpus, f"{whole.n_terms:,}", method, f"2^{n.bit_length() - 1}", *found
        print(*("", *row, f"{counts.n_terms:,}", f"{seconds:.1f}", ""), sep=" | ", flush=True)


def main() -> None:
    """Measure each size and each way of counting in a new process."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--documents", type=int, nargs="+", default=[5000, 50_000])
    parser.add_argument("--way", help=argparse.SUPPRESS)
    parser.add_argument("--best", nargs="+", metavar="METHOD")
    parser.add_argument("--corpora", nargs="+", default=["R8", "reviews"])
    parser.add_argument("-k", type=int, default=1000)
    args = parser.parse_args()
    if args.best:
        head = "corpus", "terms", "method", "buckets", "k", "2k", "4k", "terms in 4k", "s"
        print(*("", *head, ""), sep=" | ")
        print("|---" * len(head) + "|", flush=True)
        for corpus, method in itertools.product(args.corpora, args.best):
            measure_best(corpus, method, args.k)
        return None
    if args.way:
        return measure(args.documents[0], args.way)
    head = "words", "way", "s to generate", "s", "MB", "occurrences", "terms"
    print(*("", *head, ""), sep=" | ")
    print("|---" * len(head) + "|", flush=True)
    for n_docs in args.documents:
        for way in ("one pass", "best buckets", "part 1 of 8"):
            command = [sys.executable, __file__, "--documents", str(n_docs), "--way", way]
            subprocess.run(command, check=True)
    return None


if __name__ == "__main__":
    main()
