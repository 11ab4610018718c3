"""Time of every stage on collections so small that checks and conversions dominate.

    python benchmarks/small.py [--quick] [--write]

All stages and scikit-learn's chi2 take turns in one process. termsift's `chi2_counts` must give the
same numbers as chi2.
"""

from __future__ import annotations

import argparse
import statistics
import timeit
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from sklearn.feature_selection import chi2

import termsift as ts
from compare import ROOT, conditions, markdown, put_between

MARKER = "small"
SHAPES = ((10, 10, 2, 0.3), (1000, 1000, 10, 0.05))  # documents, terms, classes, density
ROUNDS = 15
Stage = tuple[str, Callable[[], object]]


def stages(n_docs: int, n_terms: int, n_classes: int, density: float) -> list[Stage]:
    """Check the results on a random collection, and return its stages."""
    rng = np.random.default_rng(0)
    seen = rng.random((n_docs, n_terms)) < density
    X = sp.csr_array(seen * rng.integers(1, 5, seen.shape))
    y = np.arange(n_docs) % n_classes
    counts = ts.count(X, y)
    np.testing.assert_allclose(counts.score("chi2_counts"), np.nan_to_num(chi2(X, y)[0]), rtol=1e-9)
    return [
        ("`ts.count(X, y)`", lambda: ts.count(X, y)),
        ('`counts.score("md")`', lambda: counts.score("md")),
        ('`counts.rank("md", k=10)`', lambda: counts.rank("md", k=10)),
        ('`counts.rank("chi2", k=10, policy="round_robin")`',
         lambda: counts.rank("chi2", k=10, policy="round_robin")),
        ("`ts.md(X, y)`", lambda: ts.md(X, y)),
        ("`ts.chi2_counts(X, y)`, with p-values", lambda: ts.chi2_counts(X, y)),
        ("scikit-learn's `chi2(X, y)`", lambda: chi2(X, y)),
    ]  # fmt: skip


def measure(shape: tuple[int, int, int, float], quick: bool) -> list[tuple[str, float]]:
    """Return the name of each stage and its median time in microseconds."""
    listed = stages(*shape)
    timers = [timeit.Timer(run) for _, run in listed]
    repeats = [1 if quick else max(1, int(2e-2 / timer.timeit(1))) for timer in timers]
    times: list[list[float]] = [[] for _ in timers]
    for _ in range(2 if quick else ROUNDS):
        for timer, n, seconds in zip(timers, repeats, times, strict=True):
            seconds.append(timer.timeit(n) / n)
    return [(name, 1e6 * statistics.median(t)) for (name, _), t in zip(listed, times, strict=True)]


def main() -> None:
    """Print the table, and write it with --write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two rounds, to see that it works")
    parser.add_argument("--write", action="store_true", help="write the table of the README")
    args = parser.parse_args()
    columns = [measure(shape, args.quick) for shape in SHAPES]
    header = [
        "microseconds",
        *(f"{docs:,} x {terms:,}, {c} classes" for docs, terms, c, _ in SHAPES),
    ]
    rows = [
        [cells[0][0], *(f"{us:,.3g}" for _, us in cells)] for cells in zip(*columns, strict=True)
    ]
    table = markdown(header, rows)
    print(table)
    if args.write:
        put_between(
            ROOT / "benchmarks" / "README.md", MARKER, f"Measured {conditions()}.\n\n{table}"
        )


if __name__ == "__main__":
    main()
