"""Time and memory from texts to counts, compared with other libraries, with checked results.

    python benchmarks/text.py [--quick] [--tables "R8 x 25,Greek"] [--rounds N] [--write]

The contenders of a task take turns in one process, and the table shows medians. The texts come from
the tables of `text_tables.py`, and are in memory as a list of str. The column "as fast" shows the
time of scikit-learn's CountVectorizer with equal rules, divided by the contender's time. The peak
memory is measured in a new process, and excludes the memory of the texts. The first table measures
whole processes that read files (`text_files.py`). ``--write`` puts all tables into
``benchmarks/README.md``, the first two into ``docs/benchmarks.md``, and the first into the README.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import statistics
import subprocess
import sys
import time
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from sklearn.feature_extraction.text import CountVectorizer

import corpora
import text_tables
from compare import ROOT, around, conditions, digits, markdown, put_between, time_in_turn
from text_contenders import PEERS, TASKS, Expected, contenders, matrix_of
from text_files import summary, whole_processes
from text_tables import Table, table

MARKER = "text"
ROUNDS, QUICK_ROUNDS = 7, 2
HEADER = ["contender", "threads", "median ms", "MB/s", "as fast", "peak MB", "rounds"]


class Measured(NamedTuple):
    """A table with the name, threads, time, rate, ratio, memory and rounds of each contender."""

    title: str
    header: list[str]
    rows: list[list[str]]

    def __str__(self) -> str:
        """Return the table with its title."""
        return f"{self.title}\n\n{markdown(self.header, self.rows)}"

    def summary(self) -> str:
        """Return the times and ratios, with one row for each contender."""
        names, threads, times, _, ratios, memory, _ = range(len(self.header))
        shown = threads, times, ratios, memory
        rows = [
            [name, *(" / ".join(row[column] for row in same) for column in shown)]
            for name, group in groupby(self.rows, key=lambda row: row[names])
            for same in [list(group)]
        ]
        return markdown([self.header[column] for column in (names, *shown)], rows)


class FileTable(Measured):
    """A table with the time and memory of whole processes."""

    def summary(self) -> str:
        """Return the table with one row for each file and contender."""
        return summary(self.header, self.rows)

    def of_first_file(self) -> str:
        """Return the part of the first file, for the README."""
        rows = [row for row in self.rows if row[0] == self.rows[0][0]]
        return f"{self.title}:\n\n{summary(self.header, rows)}"


# ---- measuring -----------------------------------------------------------------------------------


def measure(task: str, whole: Table, quick: bool, rounds: int) -> Measured:
    """Return a task's table."""
    share = TASKS[task][0]
    data = whole if share == 1 or quick else whole.part(share)
    X, terms = matrix_of(CountVectorizer(**TASKS[task][1]), data.texts)
    X.sort_indices()
    expected = Expected(X, list(terms), data.labels)
    chosen = contenders(task, data)
    notes = [contender.check(contender.run(), expected) for contender in chosen]
    times = time_in_turn([contender.run for contender in chosen], rounds)
    medians = [statistics.median(seconds) for seconds in times]
    rows = []
    for i, (contender, note, seconds) in enumerate(zip(chosen, notes, times, strict=True)):
        rows.append(
            [
                contender.name + note,
                str(contender.threads),
                digits(medians[i], 3, 1e3),
                digits(data.megabytes / medians[i], 3),
                digits(medians[0] / medians[i]),
                digits(peak_of(whole.name, task, i, quick), 3),
                str(len(seconds)),
            ]
        )
    title = (
        f"{whole.name}, {task}: {len(data.texts):,} documents, {data.megabytes:,.1f} MB, "
        f"{len(terms):,} terms, {int(X.sum()):,} tokens, {len(set(data.labels))} classes"
    )
    return Measured(title, HEADER, rows)


def peak_of(name: str, task: str, index: int, quick: bool) -> float | None:
    """Return the peak memory of one run in MB, measured in a new process (only on Linux)."""
    if not Path("/proc/self/clear_refs").exists():
        return None
    command = [sys.executable, __file__, "--child", f"{name}/{task}/{index}"]
    done = subprocess.run(command + ["--quick"] * quick, check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-1])


def child(which: str, quick: bool) -> None:
    """Run one contender in this process, and print its peak memory."""
    name, task, index = which.split("/")
    share = TASKS[task][0]
    whole = table(name, quick)
    run = contenders(task, whole if share == 1 or quick else whole.part(share))[int(index)].run
    with PeakMemory() as memory:
        answer = run()
    del answer
    print(memory.megabytes)


class PeakMemory:
    """Measure the peak of resident memory in a block, minus the memory before the block."""

    megabytes = 0.0

    def __enter__(self) -> PeakMemory:
        Path("/proc/self/clear_refs").write_text("5")
        self.before = self.peak()
        return self

    def __exit__(self, *_: object) -> None:
        self.megabytes = (self.peak() - self.before) / 1e3

    @staticmethod
    def peak() -> float:
        """Return the peak in thousands of bytes."""
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(1.024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


def versions() -> str:
    """Return the versions of the installed libraries that termsift is compared with."""
    found = []
    for name in PEERS:
        with suppress(importlib.metadata.PackageNotFoundError):
            found.append(f"{name} {importlib.metadata.version(name)}")
    load = f"load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return "; ".join([*found, load])


def main() -> None:
    """Print the tables, and write them with --write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small tables and few rounds")
    parser.add_argument("--tables", default=",".join(text_tables.MAKERS), help="(%(default)s)")
    parser.add_argument("--tasks", default="|".join(TASKS), help="separated by | (%(default)s)")
    parser.add_argument("--rounds", type=int, help=f"(default: {ROUNDS}; quick: {QUICK_ROUNDS})")
    parser.add_argument("--write", action="store_true", help="write the tables of the pages")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        child(args.child, args.quick)
        return
    rounds = args.rounds or (QUICK_ROUNDS if args.quick else ROUNDS)
    names = args.tables.split(",")
    if "R8 x 25" in names and (reason := corpora.missing("R8")):
        print(f"skipped: {reason}")
        names.remove("R8 x 25")
    found: list[Measured] = []
    pages = ROOT / "README.md", ROOT / "docs" / "benchmarks.md", ROOT / "benchmarks" / "README.md"
    if args.write:  # fail now, not after an hour, if a page lacks the marker's comments
        for page in pages:
            around(page, MARKER)
    started = time.time()
    for name in names:
        whole = table(name, args.quick)
        if name == names[0] != "many words":
            found.append(FileTable(*whole_processes(whole, whole.path.parent, rounds)))
            print(f"\n{found[-1]}", flush=True)
        for task in args.tasks.split("|"):
            if name == "many words" and task != "words":
                continue  # scikit-learn would need tens of gigabytes of memory
            found.append(measure(task, whole, args.quick, rounds))
            print(f"\n{found[-1]}", flush=True)
    measured = f"Measured {conditions()}; {versions()}."
    print(f"\n{measured} It took {time.time() - started:,.0f} s.")
    if args.write:
        # The first table is about reading files and ranking terms. The second is about counting.
        shown = [f"{table.title}:\n\n{table.summary()}" for table in found[:2]]
        in_full = [measured, *map(str, found)]
        first = [found[0].of_first_file()] if isinstance(found[0], FileTable) else shown[:1]
        for page, parts in zip(pages, (first, [*shown, measured], in_full), strict=True):
            put_between(page, MARKER, "\n\n".join(parts))


if __name__ == "__main__":
    main()
