"""Time of counting once and scoring by every method.

    python benchmarks/methods.py [--quick] [--write]

For comparison, the time of scikit-learn's `chi2` is measured. termsift and `chi2` take turns in one
process, and termsift's `chi2_counts` must give the same numbers as `chi2`.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from functools import partial

import numpy as np
from sklearn.feature_selection import chi2

import termsift as ts
from compare import ROOT, conditions, markdown, put_between, time_in_turn
from workloads import Workload, workload

MARKER = "methods"
ROUNDS = 5
NO_CHI2 = ("C",)  # scikit-learn's chi2 would make dense arrays of 16 GB


def all_scores(work: Workload, n_threads: int | None) -> None:
    """Count once and score by every method."""
    counts = ts.count(work.X, work.y, n_threads=n_threads)
    for method in ts.methods():
        counts.score(method.name, n_threads=n_threads)


def measure(name: str, quick: bool) -> tuple[list[list[str]], str]:
    """Return a row of milliseconds on one and on all threads for each method, and a summary."""
    work = workload(name, quick)
    counts = ts.count(work.X, work.y)
    runs: list[Callable[[], object]] = [
        partial(all_scores, work, 1),
        partial(all_scores, work, None),
    ]
    for method in ts.methods():
        for n_threads in (1, None):
            runs.append(partial(counts.score, method.name, n_threads=n_threads))
    if name not in NO_CHI2:
        theirs, _ = chi2(work.X, work.y)
        np.testing.assert_allclose(counts.score("chi2_counts"), theirs, rtol=1e-9)
        runs.append(partial(chi2, work.X, work.y))
    medians = [
        1e3 * statistics.median(times) for times in time_in_turn(runs, 2 if quick else ROUNDS)
    ]
    one, every, *others = medians
    alone = others[2 * len(ts.methods()) :]
    told = f"{name}: counting and {len(ts.methods())} methods take {one:,.1f} / {every:,.1f} ms"
    if alone:
        told += f", and scikit-learn's chi2 alone takes {alone[0]:,.1f} ms"
    pairs = zip(others[::2], others[1::2], strict=False)
    rows = [[f"{a:,.3g}", f"{b:,.3g}"] for a, b in pairs][: len(ts.methods())]
    return rows, told


def main() -> None:
    """Print the table, and write it with --write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small copies of the workloads")
    parser.add_argument("--write", action="store_true", help="write the table of the README")
    args = parser.parse_args()
    names, columns, summaries = ("A", "B", "C"), [], []
    for name in names:
        rows, told = measure(name, args.quick)
        print(told, flush=True)
        columns.append(rows)
        summaries.append(f"- {told}.")
    header = ["ms on 1 / all threads", *names]
    rows = [
        [method.name, *(" / ".join(column[i]) for column in columns)]
        for i, method in enumerate(ts.methods())
    ]
    table = markdown(header, rows)
    print(table)
    if args.write:
        text = f"Measured {conditions()}.\n\n" + "\n".join(summaries) + f"\n\n{table}"
        put_between(ROOT / "benchmarks" / "README.md", MARKER, text)


if __name__ == "__main__":
    main()
