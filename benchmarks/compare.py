"""Speed and memory of termsift and other libraries on the same arrays, with checked results.

    python benchmarks/compare.py [--quick] [--workloads A,B] [--write]

Contenders take turns in one process, so that slow changes of the machine affect all of them. The
table shows medians. The times of termsift include checking the matrix, encoding the labels and
converting the results. The time of a contender includes freeing its result. Peak memory is measured
in a new process, and excludes the matrix. ``--quick`` only checks on small copies that everything
works. ``--write`` puts the tables into ``docs/benchmarks.md`` and ``benchmarks/README.md``, and
draws the summary as ``docs/speed.svg``.
"""

from __future__ import annotations

import argparse
import ctypes
import datetime
import functools
import multiprocessing
import os
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import mpmath
import numpy as np
import scipy.sparse as sp
import scipy.special
import sklearn
from numpy.typing import NDArray
from sklearn.feature_selection import chi2
from sklearn.naive_bayes import MultinomialNB

import corpora
import prototype
import termsift as ts
from termsift._util.info import build_info
from workloads import SHAPES, Workload, workload

ROOT = Path(__file__).resolve().parents[1]
# The real collections by command-line name, each with the dtype of its counts.
CORPORA = {
    "newsgroups": ("20 Newsgroups", "float64"),
    "newsgroups-int64": ("20 Newsgroups", "int64"),
    "reuters": ("Reuters", "float64"),
}
PICTURE_TITLE = "Milliseconds of counting and scoring, beside other libraries"
MARKER = "compare"  # name of the comments in docs/benchmarks.md and benchmarks/README.md
ROUNDS, QUICK_ROUNDS = 15, 5
PATIENCE = 10.0  # Seconds in total, after which a contender is skipped.
MEMORY = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")  # Bytes of this machine's memory.
THREADS = sorted({1, int(build_info()["threads"])})

ONE_READ, ONE_COPY = "one read of the CSR arrays", "one copy of the CSR arrays"
OURS = "termsift count + MD"
CHI2, NAIVE_BAYES = "sklearn chi2", "sklearn MultinomialNB().fit"
CHI2_ALONE = f"{CHI2} without its p-values"
PRODUCT, PRODUCT_CSR = "scipy Y.T @ X", "scipy Y.T.tocsr() @ X"
PROTOTYPE = "prototype, no checks"


def load(name: str, quick: bool) -> Workload:
    """Return the workload with a name from the command line."""
    if name in CORPORA:
        collection, dtype = CORPORA[name]
        X, y = corpora.as_distributed(collection)
        return Workload(f"{collection}, {dtype}", X.astype(dtype, copy=False), y)
    return workload(name, quick)


@dataclass(frozen=True)
class Contender:
    """A contender and how to run it."""

    name: str
    threads: int
    run: Callable[[], object]
    dense_arrays: int = 0  # how many float64 arrays (n_classes, n_terms) exist at the same time
    has_peak: bool = True


def contenders(work: Workload) -> list[Contender]:
    """Return all contenders in the order of the table, and build scipy's indicator matrix."""
    X, y = work.X, work.y
    Y = work.indicator()
    Y_T = Y.T.tocsr()

    bits = X.data.view(f"i{X.data.itemsize}")

    def read() -> object:
        return np.bitwise_xor.reduce(bits), np.bitwise_xor.reduce(X.indices)

    copies = np.empty_like(X.data), np.empty_like(X.indices)

    def copy() -> None:
        np.copyto(copies[0], X.data)
        np.copyto(copies[1], X.indices)

    def count_and_score(n_threads: int) -> Callable[[], object]:
        return lambda: ts.md(X, y, n_threads=n_threads)

    def count(n_threads: int) -> Callable[[], object]:
        return lambda: ts.count(X, y, n_threads=n_threads)

    found = [
        Contender(ONE_READ, 1, read, has_peak=False),
        Contender(ONE_COPY, 1, copy, has_peak=False),
        *(Contender(OURS, n, count_and_score(n)) for n in THREADS),
        *(Contender("termsift count", n, count(n), has_peak=False) for n in THREADS),
        *prototypes(work),
        Contender(PRODUCT, 1, lambda: Y.T @ X),
        Contender(PRODUCT_CSR, 1, lambda: Y_T @ X),
        Contender(CHI2, 1, lambda: chi2(X, y), dense_arrays=2),
        Contender(NAIVE_BAYES, 1, lambda: MultinomialNB().fit(X, y), dense_arrays=4),
    ]
    if work.name == "D":  # on D, chi2 spends most of its time on 16.8 million p-values
        found.append(Contender(CHI2_ALONE, 1, lambda: chi2_statistic(X, y), 2, False))
    return found


def prototypes(work: Workload) -> list[Contender]:
    """Return the prototype as a contender, or an empty list if it cannot run on the workload."""
    if prototype.missing(work):
        return []
    run = prototype.count_and_md(work)
    return [Contender(PROTOTYPE, n, functools.partial(run, n), has_peak=False) for n in THREADS]


def chi2_statistic(X: sp.csr_array, y: NDArray[Any]) -> NDArray[np.float64]:
    """Run scikit-learn's chi2 without its p-values."""
    with mock.patch.object(scipy.special, "chdtrc", lambda _, statistic: statistic):
        statistic, in_place_of_p = chi2(X, y)
    assert in_place_of_p is statistic
    return statistic


def check(work: Workload) -> None:
    """Assert that counts equal scipy's, scores are accurate, and no bit depends on the threads."""
    X, y = work.X, work.y
    counts = ts.count(X, y)
    assert (counts.term_frequency != sp.csr_array(work.indicator().T @ X)).nnz == 0
    scores = counts.score("md")
    for n_threads in (1, 2, 3, 7):
        assert ts.count(X, y, n_threads=n_threads) == counts
        assert ts.md(X, y, n_threads=n_threads).tobytes() == scores.tobytes()

    if not prototype.missing(work):
        found = prototype.count_and_md(work)(1)
        assert np.nanmedian(abs(found / scores - 1)) < 1e-9  # a few scores of the prototype are NaN

    frequent = np.argsort(-counts.term_frequency.sum(axis=0))[:10]
    drawn = np.random.default_rng(0).choice(counts.n_terms, 10, replace=False)
    some = np.r_[frequent, drawn][:: 1 if counts.n_classes <= 100 else 5]
    np.testing.assert_allclose(scores[some], md_in_sixty_digits(counts, some), rtol=1e-14)


def md_in_sixty_digits(
    counts: ts.ClassCounts, terms: NDArray[np.integer[Any]]
) -> NDArray[np.float64]:
    """Compute MD as `termsift.reference` does, but with sixty digits."""
    mpf, log = np.frompyfunc(mpmath.mpf, 1, 1), np.frompyfunc(mpmath.log, 1, 1)
    with mpmath.workdps(60):
        l_ic = mpf(counts.term_frequency[:, terms].toarray())
        p = (l_ic + 1) / (mpf(counts.class_tokens)[:, None] + counts.n_terms)
        pi = mpf(counts.class_docs)[:, None] / mpmath.mpf(int(counts.class_docs.sum()))
        q = ((pi * p).sum(axis=0) - pi * p) / (1 - pi)
        return (p * log(p / q) + (1 - p) * log((1 - p) / (1 - q))).sum(axis=0).astype(float)


@dataclass(frozen=True)
class Row:
    """The results of a contender. A value is None if it was not measured."""

    name: str
    threads: int
    seconds: float | None
    rounds: int
    peak: int | None  # bytes


@dataclass(frozen=True)
class Block:
    """The results of a workload."""

    name: str
    n_docs: int
    n_terms: int
    n_classes: int
    n_entries: int
    n_bytes: int  # of the values and indices
    rows: Sequence[Row]

    def seconds(self, name: str, threads: int = 1) -> float | None:
        """Return the median time of a contender, or None if it was not run."""
        return next((r.seconds for r in self.rows if (r.name, r.threads) == (name, threads)), None)

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.n_docs:,} documents, {self.n_terms:,} terms, "
            f"{self.n_classes:,} classes, {self.n_entries:,} entries"
        )


def measure(name: str, work: Workload, quick: bool, rounds: int) -> Block:
    """Return times and peak memory of all contenders that fit into memory."""
    dense_array = 8 * work.n_classes * work.X.shape[1]
    candidates = contenders(work)
    chosen = [c for c in candidates if c.dense_arrays * dense_array <= MEMORY / 2]
    times = dict(zip(map(id, chosen), time_in_turn([c.run for c in chosen], rounds), strict=True))
    rows = []
    for i, c in enumerate(candidates):
        if id(c) in times:
            peak = peak_of(name, quick, i) if c.has_peak else None
            seconds = times[id(c)]
            rows.append(Row(c.name, c.threads, statistics.median(seconds), len(seconds), peak))
        else:
            needs = f"not run: needs {c.dense_arrays * dense_array / 1e9:.0f} GB"
            rows.append(Row(f"{c.name} ({needs})", c.threads, None, 0, None))
    n_bytes = work.X.data.nbytes + work.X.indices.nbytes
    return Block(work.name, *work.X.shape, work.n_classes, work.X.nnz, n_bytes, rows)


def time_in_turn(runs: Sequence[Callable[[], object]], rounds: int) -> list[list[float]]:
    """Run all contenders in turn, and return the seconds of each run after the warm-up round.

    A contender is skipped after its runs have taken more than `PATIENCE` seconds.
    """
    for run in runs:
        run()
    times: list[list[float]] = [[] for _ in runs]
    for _ in range(rounds):
        for run, seconds in zip(runs, times, strict=True):
            if sum(seconds) < PATIENCE:
                started = time.perf_counter()
                run()
                seconds.append(time.perf_counter() - started)
    return times


def peak_of(name: str, quick: bool, index: int) -> int:
    """Return the peak memory of a contender in bytes, measured in a new process (only on Linux)."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as process:
        return process.submit(_peak_here, name, quick, index).result()


def _peak_here(name: str, quick: bool, index: int) -> int:
    run = contenders(load(name, quick))[index].run
    ctypes.CDLL(None).malloc_trim(0)  # a run that reused freed memory would seem to need less
    Path("/proc/self/clear_refs").write_text("5")
    before = _largest_resident()
    run()
    return _largest_resident() - before


def _largest_resident() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


def full_table(block: Block) -> str:
    """Return the block as an aligned Markdown table."""
    read = block.seconds(ONE_READ)
    rows = [
        [
            row.name,
            str(row.threads),
            digits(row.seconds, 3, 1e3),
            digits(ratio(block.n_bytes, row.seconds), 2, 1e-9),
            digits(ratio(row.seconds, read)),
            *(digits(ratio(row.seconds, block.seconds(OURS, n))) for n in THREADS),
            digits(row.peak, 2, 1e-6),
            str(row.rounds),
        ]
        for row in block.rows
    ]
    to_ours = [f"/ ours on {n}" for n in THREADS]
    header = [
        "contender",
        "threads",
        "median ms",
        "GB/s",
        "/ one read",
        *to_ours,
        "peak MB",
        "rounds",
    ]
    return f"{block}\n\n{markdown(header, rows)}"


def summary_table(blocks: Sequence[Block]) -> str:
    """Return a table of termsift's speed relative to the other libraries."""

    per_thread = " / ".join

    def times_as_fast_as(block: Block, *names: str) -> str:
        best = least(block, *names)
        return per_thread(digits(ratio(best, block.seconds(OURS, n))) for n in THREADS)

    def cells(block: Block) -> list[str]:
        ours = [row for row in block.rows if row.name == OURS]
        return [
            block.name,
            f"{block.n_docs:,} x {block.n_terms:,}, {block.n_classes:,}",
            f"{block.n_entries:,}",
            per_thread(digits(row.seconds, 3, 1e3) for row in ours),
            *(
                per_thread(percent(ratio(block.seconds(base), row.seconds)) for row in ours)
                for base in (ONE_READ, ONE_COPY)
            ),
            per_thread(
                digits(ratio(block.seconds(OURS, n), block.seconds(PROTOTYPE, n))) for n in THREADS
            ),
            times_as_fast_as(block, CHI2, CHI2_ALONE),
            times_as_fast_as(block, PRODUCT, PRODUCT_CSR),
            times_as_fast_as(block, NAIVE_BAYES),
            per_thread(digits(row.peak, 2, 1e-6) for row in ours),
        ]

    header = [
        "workload",
        "documents x terms, classes",
        "entries",
        f"count + MD, ms on {per_thread(map(str, THREADS))} threads",
        "speed of one read",
        "speed of one copy",
        "prototypes",
        "times as fast as `chi2`",
        "as `Y.T @ X`",
        "as `MultinomialNB().fit`",
        "peak MB",
    ]
    return markdown(header, [cells(block) for block in blocks])


def draw(blocks: Sequence[Block], path: Path) -> None:
    """Draw the time of each contender on each workload as a point."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    points = {
        f"{OURS}, 1 thread": ("D", "#0072b2", lambda b: b.seconds(OURS)),
        f"{OURS}, {THREADS[-1]} threads": ("o", "#0072b2", lambda b: b.seconds(OURS, THREADS[-1])),
        "scipy Y.T @ X": ("s", "#e69f00", lambda b: least(b, PRODUCT, PRODUCT_CSR)),
        NAIVE_BAYES: ("^", "#009e73", lambda b: b.seconds(NAIVE_BAYES)),
        CHI2: ("v", "#d55e00", lambda b: least(b, CHI2, CHI2_ALONE)),
    }
    with rc_context({"font.size": 9, "svg.hashsalt": "termsift"}):
        figure = Figure(figsize=(7, 0.42 * len(blocks) + 1.3), layout="constrained")
        axes = figure.add_subplot()
        for name, (marker, colour, seconds_of) in points.items():
            found = [(1e3 * s, -i) for i, b in enumerate(blocks) if (s := seconds_of(b))]
            if found:
                axes.plot(*zip(*found, strict=True), marker, color=colour, label=name, ms=6)
        axes.set_xscale("log")
        axes.set_xlabel("milliseconds, logarithmic")
        named = [f"{block.name}\n{block.n_entries:,} entries" for block in blocks]
        axes.set_yticks([-i for i in range(len(blocks))], named)
        axes.grid(axis="x", which="both", alpha=0.2)
        axes.spines[["top", "right"]].set_visible(False)
        figure.legend(loc="outside upper center", ncols=3, frameon=False)
        figure.savefig(path, metadata={"Date": None})


def least(block: Block, *names: str) -> float | None:
    """Return the smallest median time on one thread among some contenders, or None."""
    return min((s for name in names if (s := block.seconds(name)) is not None), default=None)


def ratio(value: float | None, unit: float | None) -> float | None:
    """Return value / unit, or None if one of the two numbers is None."""
    return None if value is None or unit is None else value / unit


def percent(share: float | None) -> str:
    """Return a share as a percentage with two significant digits."""
    return "-" if share is None else f"{digits(share, 2, 100)}%"


def digits(value: float | None, significant: int = 2, scale: float = 1.0) -> str:
    """Round ``value * scale`` to significant digits, but not within the integer part."""
    if value is None:
        return "-"
    _, exponent = f"{value * scale:.{significant - 1}e}".split("e")
    return f"{value * scale:,.{max(significant - 1 - int(exponent), 0)}f}"


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return an aligned Markdown table. All columns except the first are right-aligned."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        first, *others = zip(cells, widths, strict=True)
        padded = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]
        return f"| {' | '.join(padded)} |"

    rule = ["-" * widths[0], *(f"{'-' * (width - 1)}:" for width in widths[1:])]
    return "\n".join(map(line, [header, rule, *rows]))


def conditions() -> str:
    """Return a sentence with today's date, the machine and the versions."""
    info = build_info() | {"scikit-learn": sklearn.__version__}
    info["machine"] = f"{cpu_model()}, {os.cpu_count()} cores, {MEMORY / 2**30:.0f} GiB"
    described = "; ".join(f"{name} {value}" for name, value in info.items())
    return f"{datetime.date.today()}; {described}"


def cpu_model() -> str:
    """Return the name of the processor (only on Linux)."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, "unknown")


def put_between(path: Path, marker: str, text: str) -> None:
    """Replace the text between the two comments that contain the marker in a file."""
    before, after = around(path, marker)
    path.write_text(f"{before}\n\n{text}\n\n{after}", "utf-8")


def around(path: Path, marker: str) -> tuple[str, str]:
    """Return a file's text up to the begin comment, and from the end comment on, both included."""
    begin, end = f"<!-- {marker}: begin -->", f"<!-- {marker}: end -->"
    before, found_begin, rest = path.read_text("utf-8").partition(begin)
    _, found_end, after = rest.partition(end)
    if not (found_begin and found_end):
        raise ValueError(f"{path.name}: expected {begin} and, after it, {end}")
    return before + begin, end + after


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    names = [*SHAPES, *CORPORA]
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small copies and few rounds")
    parser.add_argument("--workloads", default=",".join(names), help="default: %(default)s")
    parser.add_argument("--write", action="store_true", help="write the tables of the pages")
    args = parser.parse_args(argv)
    args.workloads = args.workloads.split(",")
    if args.write and (args.quick or not set(SHAPES) <= set(args.workloads)):
        parser.error("--write needs all workloads in full size")
    return args


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print the tables, and write them with --write."""
    args = arguments(argv)
    summary, full = ROOT / "docs" / "benchmarks.md", ROOT / "benchmarks" / "README.md"
    if args.write:  # fail now, not after ten minutes, if a page lacks the marker's comments
        around(summary, MARKER)
        around(full, MARKER)
    print(conditions())
    blocks = []
    for name in args.workloads:
        if name in CORPORA and (reason := corpora.missing(CORPORA[name][0])):
            print(f"\nskipped: {reason}")
            continue
        work = load(name, args.quick)
        check(work)
        blocks.append(measure(name, work, args.quick, QUICK_ROUNDS if args.quick else ROUNDS))
        print(f"\n{full_table(blocks[-1])}", flush=True)
    print(f"\n{summary_table(blocks)}")
    if args.write:
        measured = f"Measured {conditions()}."
        tables = "\n\n".join(map(full_table, blocks))
        put_between(full, MARKER, f"{measured}\n\n{tables}")
        legend = (
            "The two columns of speeds have the time in which one thread reads or copies the "
            "matrix, as a share of termsift's time. 'Prototypes' has termsift's time divided by "
            "that of a prototype, a program for int32 that checks no input and counts no "
            "documents. `Y.T @ X` is scipy's product, where `Y.T` is kept as it is or converted "
            "to CSR, whichever is faster. `chi2` is scikit-learn's function. On D it is timed "
            "without p-values, which take most of its time."
        )
        picture = f"![{PICTURE_TITLE}](speed.svg)"
        draw(blocks, ROOT / "docs" / "speed.svg")
        put_between(summary, MARKER, f"{picture}\n\n{summary_table(blocks)}\n\n{legend} {measured}")


if __name__ == "__main__":
    main()
