"""The parts of the benchmarks: seeded workloads, and tables that are written into pages."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("mpmath")

import cluster
import compare
import curve
import gain
import greedy
import matrices
import scaling
import shapes
import sketch
import small
import termsift as ts
import workloads
from workloads import Shape, Workload, generate, workload

TINY = Shape(300, 500, 7, 20, 1.05, 0.3, seed=5)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Workload:
    monkeypatch.setattr(workloads, "CACHE", tmp_path)
    monkeypatch.setitem(workloads.SHAPES, "tiny", TINY)
    return workload("tiny")


def test_workloads_are_the_same_every_time(tiny: Workload, tmp_path: Path) -> None:
    again = workload("tiny")  # the second call reads the cache
    arrays = generate(TINY)
    for made, cached, array in zip(
        (tiny.X.data, tiny.X.indices, tiny.X.indptr, tiny.y),
        (again.X.data, again.X.indices, again.X.indptr, again.y),
        arrays,
        strict=True,
    ):
        assert made.tobytes() == cached.tobytes() == array.tobytes()
    assert len(list(tmp_path.iterdir())) == 1


def test_answers_are_checked(tiny: Workload, monkeypatch: pytest.MonkeyPatch) -> None:
    compare.check(tiny)
    monkeypatch.setattr(compare, "md_in_sixty_digits", lambda counts, terms: np.ones(len(terms)))
    with pytest.raises(AssertionError):
        compare.check(tiny)


def test_tables_are_put_between_their_markers(tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_text("before\n<!-- compare: begin -->\nold\n<!-- compare: end -->\nafter\n", "utf-8")
    for _ in range(2):
        compare.put_between(path, "compare", "new")
        assert path.read_text("utf-8") == (
            "before\n<!-- compare: begin -->\n\nnew\n\n<!-- compare: end -->\nafter\n"
        )


def test_shards_come_from_their_seeds_alone(tmp_path: Path) -> None:
    paths = sketch.write_all(tmp_path, 10**5, 2)
    shards = [b"".join(sketch.rows_of(shard, 50_000)) for shard in range(2)]
    assert [path.read_bytes() for path in paths] == shards
    assert shards[0] != shards[1]
    lines = b"".join(shards).decode().splitlines()
    assert {line[:2] for line in lines} == {"a\t", "b\t", "c\t", "d\t"}
    assert [line[2:] for line in lines] == [*sketch.StreamedTexts(10**5, range(2))]


def test_readers_of_matrices_are_measured_and_checked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(matrices, "CACHE", tmp_path)
    monkeypatch.setattr(matrices, "SHAPE", TINY)
    monkeypatch.setattr(Shape, "smaller", lambda shape, _: shape)
    assert matrices.measure(quick=True).count(" thread") == 31
    (path,) = tmp_path.glob("*/rows.mtx")
    monkeypatch.setattr(matrices, "theirs", lambda path, _: matrices.collect(path, 1).X * 2)
    with pytest.raises(AssertionError):
        matrices.check(path)


@pytest.mark.full
def test_counting_in_two_passes_is_measured_and_checked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("psutil")
    ways = "--ways", "one pass", "two passes", "streamed"
    command = ["sketch.py", "--megabytes", "0.4", "--shards", "2", "--max-memory", "16MB", *ways]
    monkeypatch.setattr(sys, "argv", command)
    sketch.main()
    assert capsys.readouterr().out.count("\n | 0.4 | ") == 3


# ---- naive Bayes at every k ----------------------------------------------------------------------


@pytest.mark.full
def test_curves_are_measured_and_checked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(workloads, "CACHE", tmp_path)
    whole, folds = curve.measure(quick=True)
    assert "k = 1 to 50" in whole
    assert "7 methods at 10 values of k" in folds
    # A result that differs from scikit-learn's must be detected.
    refitted = curve.refitted
    monkeypatch.setattr(curve, "refitted", lambda *args: refitted(*args) + 1e-3)
    with pytest.raises(AssertionError):
        curve.measure(quick=True)


# ---- every shape ---------------------------------------------------------------------------------


def test_counts_of_a_shape_are_checked(tiny: Workload, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = np.arange(TINY.n_docs)
    case = shapes.Case("a shape", tiny.X, tiny.y, "A", {"tf": "log", "sample_weight": weights})
    assert len(shapes.measure(case, quick=True)) == len(compare.THREADS)
    monkeypatch.setattr(shapes.Case, "run", lambda self, _: ts.count(self.X, self.y, tf="log"))
    with pytest.raises(AssertionError):
        case.check()


# ---- reading -------------------------------------------------------------------------------------


# ---- conditional gain ----------------------------------------------------------------------------


def test_conditional_gain_is_measured_and_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    shape = replace(gain.LANGUAGES, n_docs=300, n_terms=200, n_classes=4)
    work = gain.made("few", shape)
    assert work.X.shape == (300, 200)
    row = gain.measure(work, quick=True)
    assert row[:4] == ["few", "300", "200", "4"]
    assert len(row) == len(gain.HEADER)
    chosen = ts.conditional_gain
    monkeypatch.setattr(
        ts,
        "conditional_gain",
        lambda X, y, k, n_threads: chosen(X, y, k, step=0.5 if n_threads else 0.4),
    )
    with pytest.raises(AssertionError):  # the patched selector depends on threads
        gain.measure(work, quick=True)


# ---- the greedy order ----------------------------------------------------------------------------


def test_greedy_is_measured_and_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(greedy, "SORTED", np.arange(10.0))
    counts = greedy.case("text", 300)
    row = greedy.measure("text", counts)
    assert (row.chosen, row.checked, row.plain_evaluations) == (300, 300, 300 * 301 / 2)
    part = greedy.measure("text", counts, k=200, budget=3000)
    assert (part.chosen, part.checked, part.plain_seconds) == (200, 10, None)
    assert len(row.cells()) == len(part.cells()) == len(greedy.HEADER)
    assert (row.cells()[-1], part.cells()[-1]) == ("all", "first 10")
    monkeypatch.setattr(ts.ClassCounts, "greedy", lambda counts, k, **_: counts.rank("md", k))
    with pytest.raises(AssertionError):
        greedy.measure("text", counts)


# ---- past one machine ----------------------------------------------------------------------------


def test_partial_counts_are_measured() -> None:
    shape = replace(cluster.SHAPE, n_docs=32_000, n_terms=5000, n_classes=4)
    work = gain.made("small", shape)
    measured = cluster.partial_counts(work, rounds=1)
    assert measured["serialised"] == pytest.approx(12, rel=0.05)
    assert all(seconds > 0 for seconds in cluster.merge_times(cluster.chunks(work), rounds=1))


def test_counters_of_the_benchmark_count(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    work = gain.made("few", replace(cluster.SHAPE, n_docs=100, n_terms=50, n_classes=2))
    cluster.write_parquet(cluster.chunks(work), tmp_path)
    assert len(list(tmp_path.iterdir())) == cluster.CHUNKS
    whole = ts.count(work.X, work.y)
    assert min(cluster.least({"itself": lambda: whole}, 1, whole)["itself"]) >= 0
    with pytest.raises(AssertionError):
        cluster.least({"other": lambda: ts.count(work.X[1:], work.y[1:])}, 1, whole)


# ---- small collections, more cores ---------------------------------------------------------------


def test_small_collections_are_measured_and_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert all(microseconds > 0 for _, microseconds in small.measure(small.SHAPES[0], quick=True))
    monkeypatch.setattr(small, "chi2", lambda X, y: (np.zeros(X.shape[1]), None))
    with pytest.raises(AssertionError):
        small.measure(small.SHAPES[0], quick=True)


def test_more_cores_help_up_to_the_serial_share_and_the_memory(tiny: Workload) -> None:
    regions = 10 * 10e-6 * 3
    assert scaling.predicted(0.2, 1.0, 0, 1e9, 8) == pytest.approx(0.2 + 0.8 / 8 + regions)
    assert scaling.predicted(0.2, 1.0, 2e9, 1e9, 8) == pytest.approx(2 / 4 + regions)
    assert scaling.triad(2, quick=True) > 0
    for _, n_bytes, run in scaling.stages(tiny):
        assert n_bytes > 0
        run(2)
