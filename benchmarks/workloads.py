"""Workloads: collections of Zipfian text, generated with fixed seeds and cached.

A has the size of 20 Newsgroups, B is large, C has 5,000 classes, and D has two classes and a hashed
vocabulary. In the other three most terms occur in few classes, as in real collections of news, of
abstracts, and of source code. Terms are drawn from a Zipf-Mandelbrot law. Each class permutes the
terms of a share of its tokens, so that the classes differ. Tokens repeat within a document as in
real text. The environment variable TERMSIFT_CACHE names the cache folder, by default
``termsift-benchmarks`` in the system's temporary folder. Workload B takes a minute to generate and
0.9 GB on disk. Delete the cache after a change to `generate`: the names of cached folders depend
only on the parameters."""

from __future__ import annotations

import os
import tempfile
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

CACHE = Path(os.environ.get("TERMSIFT_CACHE", Path(tempfile.gettempdir()) / "termsift-benchmarks"))
PARTS = ("data", "indices", "indptr", "y")
DOCS_AT_A_TIME = 1 << 14

Array: TypeAlias = NDArray[np.int32]


@dataclass(frozen=True)
class Shape:
    """The parameters of a workload."""

    n_docs: int
    n_terms: int
    n_classes: int
    tokens: float  # Mean number of tokens in a document.
    exponent: float  # Exponent of Zipf's law.
    topic_share: float  # Share of tokens whose terms each class permutes.
    seed: int
    dtype: str = "int32"  # CountVectorizer returns int64.

    def smaller(self, factor: int) -> Shape:
        """Return a shape with fewer documents and terms, and fewer classes if there are many."""
        return replace(
            self,
            n_docs=self.n_docs // factor,
            n_terms=self.n_terms // factor,
            n_classes=max(self.n_classes // factor, min(self.n_classes, 10)),
        )


SHAPES = {
    "A": Shape(18_846, 26_214, 20, 118, 1.07, 0.3, 1),
    "B": Shape(1_000_000, 1_000_000, 50, 143, 1.05, 0.3, 2),
    "C": Shape(200_000, 200_000, 5_000, 143, 1.05, 0.35, 3),
    "D": Shape(200_000, 1 << 24, 2, 125, 1.02, 0.2, 4),
    "newswire": Shape(9_394, 36_771, 30, 270, 1.35, 0.4, 5, "int64"),
    "abstracts": Shape(13_929, 30_000, 23, 110, 1.3, 0.4, 6, "int64"),
    "code": Shape(30_000, 60_000, 570, 150, 1.35, 0.4, 7, "int64"),
}


@dataclass(frozen=True)
class Workload:
    """A matrix of counts and a class for each document."""

    name: str
    X: sp.csr_array
    y: NDArray[np.integer[Any]]

    @property
    def n_classes(self) -> int:
        """The number of classes, all of which have documents."""
        return len(np.unique(self.y))

    def indicator(self) -> sp.csr_array:
        """Return the indicator matrix of documents x classes."""
        classes, column = np.unique(self.y, return_inverse=True)
        n_docs, index = (
            len(column),
            self.X.indices.dtype,
        )  # scipy copies neither matrix if their dtypes are equal
        rows = np.arange(n_docs + 1, dtype=index)
        ones = np.ones(n_docs, self.X.dtype)
        return sp.csr_array((ones, column.astype(index), rows), shape=(n_docs, len(classes)))


def workload(name: str, quick: bool = False) -> Workload:
    """Return a workload, or a small copy if ``quick``. The first call caches the workload."""
    shape = SHAPES[name].smaller(20) if quick else SHAPES[name]
    folder = CACHE / f"{name}{'-quick' if quick else ''}-{zlib.crc32(repr(shape).encode()):08x}"
    if not folder.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
            unfinished = Path(scratch) / "made"
            unfinished.mkdir()
            for part, array in zip(PARTS, generate(shape), strict=True):
                np.save(unfinished / f"{part}.npy", array)
            unfinished.rename(folder)
    data, indices, indptr, y = (np.load(folder / f"{part}.npy") for part in PARTS)
    data = data.astype(shape.dtype, copy=False)
    return Workload(name, sp.csr_array((data, indices, indptr), (shape.n_docs, shape.n_terms)), y)


def generate(shape: Shape) -> tuple[Array, Array, Array, Array]:
    """Generate the data, the indices, the indptr and the labels of a collection."""
    rng = np.random.default_rng(shape.seed)
    # A random permutation makes the index of a term independent of its rank.
    order = rng.permutation(shape.n_terms).astype(np.int32)
    multipliers = np.array([_unit(rng, shape.n_terms) for _ in range(shape.n_classes)])
    mass = (np.arange(shape.n_classes) + (20 if shape.n_classes > 100 else 10)) ** -0.6
    y = rng.choice(shape.n_classes, shape.n_docs, p=mass / mass.sum()).astype(np.int32)
    y[rng.choice(shape.n_docs, shape.n_classes, replace=False)] = np.arange(shape.n_classes)

    chunks = [
        _documents(rng, shape, y[first : first + DOCS_AT_A_TIME], multipliers, order)
        for first in range(0, shape.n_docs, DOCS_AT_A_TIME)
    ]
    data, indices, lengths = (np.concatenate(parts) for parts in zip(*chunks, strict=True))
    indptr = np.zeros(shape.n_docs + 1, np.int32)
    np.cumsum(lengths, out=indptr[1:])
    return data, indices, indptr, y


def _unit(rng: np.random.Generator, n: int) -> int:
    """Return a factor coprime to n. Multiplying by the factor modulo n permutes 0 to n - 1."""
    while True:
        candidate = int(rng.integers(1, n))
        if np.gcd(candidate, n) == 1:
            return candidate


def _documents(
    rng: np.random.Generator,
    shape: Shape,
    labels: Array,
    multipliers: NDArray[np.int64],
    order: Array,
) -> tuple[Array, Array, NDArray[np.int64]]:
    """Return the values, terms and row lengths of a matrix. Terms increase within a row."""
    lengths = np.maximum(shape.tokens * np.exp(rng.normal(-0.245, 0.7, len(labels))), 3).astype(int)
    document = np.repeat(np.arange(len(labels)), lengths)
    first = np.repeat(np.cumsum(lengths) - lengths, lengths)
    position = np.arange(len(document))
    # Ranks of a Zipf-Mandelbrot law, by inversion of P(rank > r) ~ (r + offset)^(1 - exponent).
    offset, power = 2.7, 1 - shape.exponent
    low, high = (1 + offset) ** power, (shape.n_terms + offset) ** power
    rank = (low + rng.random(len(document)) * (high - low)) ** (1 / power) - offset - 1
    term = np.clip(rank.astype(np.int64), 0, shape.n_terms - 1)
    topical = rng.random(len(document)) < shape.topic_share
    term[topical] = term[topical] * multipliers[labels[document[topical]]] % shape.n_terms
    # Burstiness: some tokens repeat an earlier token of their document.
    repeats = (rng.random(len(document)) < 0.18) & (position > first)
    earlier = first + (rng.random(len(document)) * (position - first)).astype(np.int64)
    source = np.where(repeats, earlier, position)
    while not np.array_equal(source, followed := source[source]):
        source = followed
    keys = np.sort(document << 32 | order[term[source]])
    begins = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
    values = np.diff(np.r_[begins, len(keys)]).astype(np.int32)
    kept = keys[begins]
    return (
        values,
        (kept & 0xFFFFFFFF).astype(np.int32),
        np.bincount(kept >> 32, minlength=len(labels)),
    )
