"""Time of counting collections of many shapes, in nanoseconds per entry.

    python benchmarks/shapes.py [--quick] [--write]

The matrices are workload A in other dtypes, orders and formats, and collections of other shapes.
Term frequencies must equal scipy's product with the indicator matrix of the classes. Each row of
the table compares a time per entry with the time of the most similar standard workload. In dense
matrices, each cell is an entry. ``--quick`` only checks small copies, to see that everything works.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

import corpora
import termsift as ts
from compare import CORPORA, ROOT, THREADS, conditions, markdown, put_between, time_in_turn
from workloads import Shape, Workload, generate, workload

MARKER = "shapes"
ROUNDS, QUICK_ROUNDS = 7, 2
TOLERANCE = 1e-9  # relative tolerance for floats that are summed in another order
RAW: Callable[[Any], Any] = np.asarray
TF: dict[str, Callable[[Any], Any]] = {"raw": RAW, "log": np.log1p, "binary": np.sign}


@dataclass(frozen=True)
class Case:
    """A call of `termsift.count`."""

    name: str
    X: Any
    y: Any
    nearest: str | None = None  # the most similar standard workload
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def n_entries(self) -> int:
        """The number of stored entries of a sparse matrix, or of cells of a dense one."""
        return int(self.X.nnz) if sp.issparse(self.X) else int(self.X.size)

    def run(self, n_threads: int | None) -> ts.ClassCounts:
        """Count."""
        return ts.count(self.X, self.y, n_threads=n_threads, **self.options)

    def check(self) -> None:
        """Assert that the term frequencies equal those of scipy."""
        X = sp.csr_array(self.X, dtype=np.float64)
        X.data = TF[self.options.get("tf", "raw")](X.data)
        y = np.asarray(self.y)
        Y = Workload(self.name, X, y).indicator() if y.ndim == 1 else sp.csr_array(y)
        weights = self.options.get("sample_weight", np.ones(X.shape[0]))
        expected = sp.csr_array(Y.T @ sp.diags_array(np.asarray(weights, float)) @ X)
        found = self.run(None).term_frequency
        assert found.shape == expected.shape
        difference = abs(sp.csr_array(found, dtype=np.float64) - expected)
        assert difference.nnz == 0 or difference.max() <= TOLERANCE * expected.max()


def cases(quick: bool) -> Iterator[Case]:
    """Yield the standard workloads, and then the other shapes."""
    standard = [workload(name, quick) for name in "ABCD"]
    for work in standard:
        yield Case(work.name, work.X, work.y)
    a, b = standard[0], standard[1]
    X, y = a.X, a.y
    rng = np.random.default_rng(0)
    for name in dict.fromkeys(collection for collection, _ in CORPORA.values()):
        if not corpora.missing(name):
            yield Case(f"{name}, float64", *corpora.as_distributed(name), "A")
    for dtype in (np.uint8, np.int64, np.float32, np.float64):
        yield Case(f"A as {np.dtype(dtype).name}", X.astype(dtype), y, "A")
    wide = X.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    yield Case("A, int64 indices", wide, y, "A")
    yield Case("A, fractions", X * 0.37, y, "A")
    yield Case("A as CSC", X.tocsc(), y, "A")
    yield Case("A, terms of a document in any order", shuffled(X, rng), y, "A")
    by_class = np.argsort(y, kind="stable")
    yield Case("A, documents sorted by class", X[by_class], y[by_class], "A")
    names = np.array([f"talk.politics.{c}" for c in range(a.n_classes)])
    yield Case("A, labels as fixed-width strings", X, names[y], "A")
    yield Case("A, labels as a list of str", X, names[y].tolist(), "A")
    five = np.zeros((X.shape[0], max(a.n_classes, 5)), dtype=np.int8)
    five[
        np.arange(X.shape[0])[:, None],
        rng.permuted(np.tile(np.arange(five.shape[1]), (len(five), 1)), axis=1)[:, :5],
    ] = 1
    yield Case("A, 5 classes a document", X, five, "A")
    yield Case("A, integer weights", X, y, "A", {"sample_weight": rng.integers(1, 5, len(y))})
    yield Case("A, float weights", X, y, "A", {"sample_weight": rng.random(len(y))})
    for tf in ("binary", "log"):
        yield Case(f'A, tf="{tf}"', X, y, "A", {"tf": tf})
    dense = X[: X.shape[0] // 10].toarray()
    yield Case("a tenth of A, dense uint8", dense.astype(np.uint8), y[: len(dense)], "A")
    yield Case("a tenth of A, dense float64", dense.astype(np.float64), y[: len(dense)], "A")
    yield many_short_documents(20 if quick else 1)
    yield one_giant(20 if quick else 1, rng)
    yield single_entries(100_000 if quick else 2_000_000, rng)
    yield Case("B, 2 classes", b.X, b.y % 2, "B")


def shuffled(X: sp.csr_array, rng: np.random.Generator) -> sp.csr_array:
    """Return the matrix with the entries of each row in random order."""
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    order = np.lexsort((rng.random(X.nnz), row))
    return sp.csr_array((X.data[order], X.indices[order], X.indptr), X.shape)


def many_short_documents(smaller: int) -> Case:
    """Return 570 classes of 3 to 2,000 short documents, like source code in many languages."""
    sizes = np.geomspace(3, 2000, 570).astype(int)
    y = np.repeat(np.arange(570), sizes)[::smaller]
    shape = Shape(len(y), 60_000 // smaller, 570 // smaller, 30, 1.05, 0.3, 6)
    data, indices, indptr, _ = generate(shape)
    X = sp.csr_array((data, indices, indptr), (shape.n_docs, shape.n_terms))
    order = np.random.default_rng(0).permutation(len(y))
    return Case("570 classes of 3 to 2,000 short documents", X, y[order], "A")


def one_giant(smaller: int, rng: np.random.Generator) -> Case:
    """Return one document with every term, and many documents with ten terms."""
    n_terms, n_docs = 1_000_000 // smaller, 100_000 // smaller
    lengths = np.full(n_docs, 10)
    columns = (
        rng.integers(0, n_terms // 10, (n_docs, 1)) + np.arange(10) * (n_terms // 10)
    ).astype(np.int32)
    lengths[n_docs // 2] = n_terms
    half = columns[: n_docs // 2].ravel(), columns[n_docs // 2 + 1 :].ravel()
    indices = np.concatenate([half[0], np.arange(n_terms, dtype=np.int32), half[1]])
    indptr = np.r_[0, np.cumsum(lengths)].astype(np.int32)
    X = sp.csr_array((np.ones(len(indices), np.int32), indices, indptr), (n_docs, n_terms))
    return Case(
        "a document of a million terms, 100,000 of ten", X, rng.integers(0, 10, n_docs), "A"
    )


def single_entries(n_docs: int, rng: np.random.Generator) -> Case:
    """Return documents of one term, such as clicks."""
    indices = (30_000 * rng.random(n_docs) ** 3).astype(np.int32)
    X = sp.csr_array((np.ones(n_docs, np.int32), indices, np.arange(n_docs + 1)), (n_docs, 30_000))
    return Case("2 million documents of one entry", X, rng.integers(0, 50, n_docs), "A")


def measure(case: Case, quick: bool) -> list[float]:
    """Return the least nanoseconds per entry of several runs, on one and on all threads."""
    case.check()
    runs = [partial(case.run, n_threads) for n_threads in THREADS]
    times = time_in_turn(runs, QUICK_ROUNDS if quick else ROUNDS)
    return [1e9 * min(seconds) / case.n_entries for seconds in times]


def main() -> None:
    """Print the table, and write it with --write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small copies of the collections")
    parser.add_argument("--write", action="store_true", help="write the table of the README")
    args = parser.parse_args()
    standard: dict[str, float] = {}
    rows = []
    for case in cases(args.quick):
        each = measure(case, args.quick)
        if case.nearest is None:
            standard[case.name] = each[0]
        times = each[0] / standard[case.nearest] if case.nearest else 1.0
        compared = f"{times:.1f} times {case.nearest}" if case.nearest else ""
        rows.append([case.name, f"{case.n_entries:,}", *(f"{ns:.2f}" for ns in each), compared])
        print(*rows[-1], sep=" | ", flush=True)
    threads = [f"ns on {n}" for n in THREADS]
    table = markdown(["collection", "entries", *threads, "on one thread"], rows)
    if args.write:
        text = f"Measured {conditions()}.\n\n{table}"
        put_between(ROOT / "benchmarks" / "README.md", MARKER, text)


if __name__ == "__main__":
    main()
