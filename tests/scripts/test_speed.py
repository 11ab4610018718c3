"""Calls that must not become slower, on small copies of the benchmarks' workloads.

Each call runs once, and its result is checked. --benchmark-enable also measures times
(benchmarks/README.md).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

pytest.importorskip("pytest_benchmark")

import termsift as ts
import workloads
from workloads import SHAPES, Workload, workload

CHUNKS = 10


@pytest.fixture(scope="module", params=SHAPES)
def work(request: pytest.FixtureRequest, tmp_path_factory: Any) -> Iterator[Workload]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workloads, "CACHE", tmp_path_factory.mktemp("workloads"))
        yield workload(request.param, quick=True)


@pytest.fixture(scope="module")
def counts(work: Workload) -> ts.ClassCounts:
    return ts.count(work.X, work.y)


@pytest.fixture(scope="module")
def shards(work: Workload) -> list[tuple[sp.csr_array, Any]]:
    """Return the workload's documents and labels in parts of equal size."""
    bounds = np.linspace(0, len(work.y), CHUNKS + 1).astype(int)
    return [(work.X[a:b], work.y[a:b]) for a, b in itertools.pairwise(bounds)]


@pytest.mark.full(cases=2)
@pytest.mark.parametrize("n_threads", [1, None])
def test_count(benchmark: Any, work: Workload, n_threads: int | None) -> None:
    counts = benchmark(ts.count, work.X, work.y, n_threads=n_threads)
    assert (counts.term_frequency != sp.csr_array(work.indicator().T @ work.X)).nnz == 0


@pytest.mark.parametrize("n_threads", [1, None])
def test_count_and_score(
    benchmark: Any, work: Workload, counts: ts.ClassCounts, method: str, n_threads: int | None
) -> None:
    found = benchmark(getattr(ts, method), work.X, work.y, n_threads=n_threads)
    scores = found[0] if isinstance(found, tuple) else found  # some methods also return p-values
    frequent = np.argsort(-counts.term_frequency.sum(axis=0))[:5]
    part = counts.term_frequency[:, frequent].toarray()
    table = ts.reference.ReferenceCounts(
        classes=counts.classes,
        class_docs=counts.class_docs,
        class_tokens=counts.class_tokens,
        term_frequency=np.c_[part, counts.class_tokens - part.sum(axis=1)],  # the rest as one
        document_frequency=np.c_[
            counts.document_frequency[:, frequent].toarray(), counts.class_docs
        ],
        n_docs=counts.n_docs,
    )
    expected = ts.reference.score(table, method, alpha=(1.0, float(counts.n_terms)))[:5]
    np.testing.assert_allclose(scores[frequent], expected, rtol=1e-9, atol=1e-12)


def test_rank(benchmark: Any, counts: ts.ClassCounts) -> None:
    ranking = benchmark(counts.rank, "md", k=1000)
    best = np.argsort(-counts.score("md"), kind="stable")[:1000]
    np.testing.assert_array_equal(ranking.indices, best)


def test_update(
    benchmark: Any, counts: ts.ClassCounts, shards: list[tuple[sp.csr_array, Any]]
) -> None:
    def stream() -> ts.ClassCounts:
        (X, y), *others = shards
        streamed = ts.count(X, y)
        for X, y in others:
            streamed.update(X, y)
        return streamed

    assert benchmark(stream) == counts


def test_merge(
    benchmark: Any, counts: ts.ClassCounts, shards: list[tuple[sp.csr_array, Any]]
) -> None:
    parts = [ts.count(X, y) for X, y in shards]

    def merge() -> ts.ClassCounts:
        return sum(parts[1:], start=parts[0])

    assert benchmark(merge) == counts


def test_save_and_load(benchmark: Any, counts: ts.ClassCounts, tmp_path: Path) -> None:
    def there_and_back() -> ts.ClassCounts:
        counts.save(tmp_path / "counts.termsift")
        return ts.load(tmp_path / "counts.termsift")

    assert benchmark(there_and_back) == counts
