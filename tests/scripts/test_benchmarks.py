"""The parts of the benchmarks: seeded workloads, tables and where they are written."""

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
import prototype
import shapes
import termsift as ts
import workloads
from compare import OURS, Block, Row
from workloads import Shape, Workload, generate, workload

TINY = Shape(300, 500, 7, 20, 1.05, 0.3, seed=5)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Workload:
    monkeypatch.setattr(workloads, "CACHE", tmp_path)
    monkeypatch.setitem(workloads.SHAPES, "tiny", TINY)
    return workload("tiny")


def test_workloads_are_the_same_every_time(tiny: Workload, tmp_path: Path) -> None:
    again = workload("tiny")  # this time from the cache
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


def test_contenders_that_need_too_much_memory_are_listed(
    tiny: Workload, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compare, "physical_memory", lambda: 0)
    monkeypatch.setattr(compare, "peak_of", lambda *_: None)
    rows = compare.measure("tiny", tiny, quick=False, rounds=2).rows
    assert [row.name for row in rows if row.rounds == 0] == [
        "sklearn chi2 (not run: needs 0 GB)",
        "sklearn MultinomialNB().fit (not run: needs 0 GB)",
    ]
    assert {row.rounds for row in rows} == {0, 2}


def test_runs_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    runs = [lambda: order.append("a"), lambda: order.append("b")]
    assert [len(seconds) for seconds in compare.time_in_turn(runs, 3)] == [3, 3]
    assert order == ["a", "b"] * 4  # a warm-up and three rounds
    monkeypatch.setattr(compare, "PATIENCE", 0.0)
    with pytest.raises(ZeroDivisionError):
        compare.time_in_turn([lambda: 1 / 0], 1)


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="peaks are read from /proc")
def test_peaks_are_of_one_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TERMSIFT_CACHE", str(tmp_path))
    peak = compare.peak_of("A", quick=True, index=1)
    assert peak is not None
    assert 0 < peak < 2**27


@pytest.fixture
def block(monkeypatch: pytest.MonkeyPatch) -> Block:
    """Return made-up figures on two threads: a faster peer, a slower one, and one not run."""
    monkeypatch.setattr(compare, "THREADS", [1, 2])
    rows = [
        Row(compare.ONE_READ, 1, 0.002, 15, None),
        *(Row(OURS, n, 0.020 / n, 15, 123_456_789) for n in (1, 2)),
        *(Row(compare.PROTOTYPE, n, 0.016, 15, None) for n in (1, 2)),
        Row(compare.PRODUCT, 1, 0.005, 15, 4_000_000),
        Row(compare.PRODUCT_CSR, 1, 0.006, 15, 4_000_000),
        Row(compare.CHI2, 1, 1.234, 8, 0),
        Row("sklearn MultinomialNB().fit (not run: needs 32 GB)", 1, None, 0, None),
    ]
    return Block("X", 1000, 2000, 3, 40_000, rows)


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_full_table(block: Block) -> None:
    title, _, header, rule, *rows = compare.full_table(block).splitlines()
    assert title == "X: 1,000 documents, 2,000 terms, 3 classes, 40,000 entries"
    assert len({len(line) for line in (header, rule, *rows)}) == 1  # the columns are aligned
    found = {tuple(cells(row)[:2]): cells(row)[2:] for row in rows}
    assert found[OURS, "2"] == ["10.0", "5.0", "0.50", "1.0", "123", "15"]
    assert found["scipy Y.T @ X", "1"] == [
        "5.00",
        "2.5",
        "0.25",
        "0.50",
        "4.0",
        "15",
    ]  # the peer is faster
    assert found["sklearn chi2", "1"] == ["1,234", "617", "62", "123", "0.0", "8"]
    not_run = found["sklearn MultinomialNB().fit (not run: needs 32 GB)", "1"]
    assert not_run == ["-", "-", "-", "-", "-", "0"]


def test_the_prototype_runs_where_its_source_is(
    tiny: Workload, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert prototype.missing(replace(tiny, X=tiny.X.astype(float))) is not None
    names = [c.name for c in compare.contenders(tiny)]
    assert (compare.PROTOTYPE in names) == (prototype.missing(tiny) is None)
    monkeypatch.setattr(prototype, "FOLDER", tmp_path)
    assert compare.prototypes(tiny) == []


def test_tables_are_put_between_their_markers(tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_text("before\n<!-- compare: begin -->\nold\n<!-- compare: end -->\nafter\n", "utf-8")
    for _ in range(2):
        compare.put_between(path, "compare", "new")
        assert path.read_text("utf-8") == (
            "before\n<!-- compare: begin -->\n\nnew\n\n<!-- compare: end -->\nafter\n"
        )


def test_tables_are_written(block: Block, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(compare, "ROOT", tmp_path)
    monkeypatch.setattr(compare, "load", lambda *_: None)
    monkeypatch.setattr(compare, "check", lambda _: None)
    monkeypatch.setattr(compare, "measure", lambda *_: block)
    for folder in ("benchmarks", "docs"):
        (tmp_path / folder).mkdir()
    summary, full = tmp_path / "docs" / "benchmarks.md", tmp_path / "benchmarks" / "README.md"
    for path in (summary, full):
        path.write_text("<!-- compare: begin --><!-- compare: end -->", "utf-8")
    compare.main(["--write", "--workloads", "A,B,C,D"])
    assert full.read_text("utf-8").count(compare.full_table(block)) == 4
    assert compare.summary_table([block] * 4) in summary.read_text("utf-8")
    assert "(speed.svg)" in summary.read_text("utf-8")
    assert (tmp_path / "docs" / "speed.svg").exists()


# ---- naive Bayes at every k ----------------------------------------------------------------------


@pytest.mark.full
def test_curves_are_measured_and_checked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(workloads, "CACHE", tmp_path)
    whole, folds = curve.measure(quick=True)
    assert "k = 1 to 50" in whole
    assert "7 methods at 10 values of k" in folds
    # An answer that differs from scikit-learn's must be found.
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


@pytest.mark.full
def test_every_shape_is_counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(workloads, "CACHE", tmp_path)
    found = list(shapes.cases(quick=True))
    assert [case.name for case in found[:4]] == list("ABCD")
    for case in found:
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
    with pytest.raises(AssertionError):  # the terms depend on the number of threads
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

    slow = greedy.measure("text", counts, k=100, budget=1e9)
    assert slow.checked == 100
    monkeypatch.setattr(greedy, "PATIENCE", 0.0)
    assert greedy.measure("text", counts, k=100).evaluations == slow.evaluations
    monkeypatch.setattr(ts.ClassCounts, "greedy", lambda counts, k, **_: counts.rank("md", k))
    with pytest.raises(AssertionError):
        greedy.measure("text", counts)


# ---- past one machine ----------------------------------------------------------------------------


def test_partial_counts_are_measured_and_their_law_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    shape = replace(cluster.SHAPE, n_docs=32_000, n_terms=5000, n_classes=4)
    work = gain.made("small", shape)
    measured = cluster.partial_counts(work, rounds=1)
    assert measured["serialised"] == pytest.approx(12, rel=0.05)
    assert all(seconds > 0 for seconds in cluster.merge_times(cluster.chunks(work), rounds=1))
    rows = cluster.check_model(work, shape)
    assert [row[0] for row in rows] == ["500", "4,000", "32,000"]
    law = cluster.pairs
    assert law(shape, 1e12) == pytest.approx(4 * 5000)  # every pair
    monkeypatch.setattr(cluster, "pairs", lambda *args: 1.2 * law(*args))
    with pytest.raises(AssertionError):
        cluster.check_model(work, shape)


def test_counters_of_the_benchmark_count(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    work = gain.made("few", replace(cluster.SHAPE, n_docs=100, n_terms=50, n_classes=2))
    cluster.write_parquet(cluster.chunks(work), tmp_path)
    assert len(list(tmp_path.iterdir())) == cluster.CHUNKS
    whole = ts.count(work.X, work.y)
    assert min(cluster.least({"itself": lambda: whole}, 1, whole)["itself"]) >= 0
    with pytest.raises(AssertionError):
        cluster.least({"other": lambda: ts.count(work.X[1:], work.y[1:])}, 1, whole)
