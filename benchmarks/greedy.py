"""Cost of the exact greedy search, whose order must equal the order of the plain search.

    python benchmarks/greedy.py [--quick] [--write]

The tables show the evaluations and the time of `counts.greedy` on one thread, for several numbers
of terms. The collections are generated text, hard cases, and 20 Newsgroups with all its words if
`corpora.py` finds it. Each order of terms is compared with the order of the plain search
(`exhaustive=True`). If the plain search would need more than two billion evaluations, only the
first terms are compared. Each search alternates with sorting a million numbers, and times are also
given in units of that sorting time. ``--quick`` only checks that everything works. ``--write`` puts
the tables into ``benchmarks/README.md``, and a sentence into ``docs/benchmarks.md``.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import corpora
import termsift as ts
from compare import PATIENCE, ROOT, around, conditions, digits, markdown, put_between, time_in_turn
from termsift import _core
from termsift._api.class_counts import value_of

MARKER = "greedy"  # name in the HTML comments around this script's tables
ROUNDS = 5
# Limits of the evaluations by the plain search, for two classes of generated and of real text.
PLAIN_EVALUATIONS, REAL_PLAIN_EVALUATIONS = 2e9, 2e9
SORTED = np.random.default_rng(0).random(1_000_000)

Rng = np.random.Generator
Table = NDArray[np.int64]  # of shape (2, n_terms)


# ---- collections ---------------------------------------------------------------------------------


def text(rng: Rng, n_terms: int, tokens: float = 10, ratio: float = 1) -> Table:
    """Return Zipfian text: two classes with ``tokens`` and ``ratio * tokens`` tokens per term.

    Common terms differ less between the classes than rare terms. Every term occurs.
    """
    rank = np.arange(n_terms)
    spread = 0.25 + 0.75 * np.minimum(1, rank / 300)
    rates = (rank + 2.7) ** -1.07 * np.exp(spread * rng.normal(size=(2, n_terms)))
    rates *= tokens * n_terms * np.array([[1], [ratio]]) / rates.sum(axis=1, keepdims=True)
    table = rng.poisson(rates)
    unseen = np.flatnonzero(~table.any(axis=0))
    table[(rng.random(len(unseen)) * (1 + ratio) > 1).astype(int), unseen] = 1
    return table[:, rng.permutation(n_terms)]


def clusters(rng: Rng, n_terms: int) -> Table:
    """Return terms that occur twice as often in one class, with noise of one millionth."""
    shapes = np.array([[2e9, 1e9], [1e9, 2e9]])[:, np.arange(n_terms) % 2]
    return (shapes * (1 + 1e-6 * rng.normal(size=shapes.shape))).astype(np.int64)


def rays(rng: Rng, n_terms: int) -> Table:
    """Return terms whose columns are multiples of (2, 1) or of (1, 2)."""
    sizes = rng.permutation(n_terms) + 1
    return np.array([[2, 1], [1, 2]])[:, np.arange(n_terms) % 2] * sizes


CASES: dict[str, Callable[[Rng, int], Table]] = {
    "text": text,
    "long tail": lambda rng, n: text(rng, n, tokens=200),
    "text, classes 1:10,000": lambda rng, n: text(rng, n, tokens=1, ratio=10_000),
    "all pairs distinct": lambda rng, n: rng.integers(0, 2**20, (2, n)),
    "clusters": clusters,
    "rays": rays,
    "geometric": lambda rng, n: (rng.random((2, n)) * 2.0 ** rng.integers(0, 30, (2, n))).astype(
        int
    ),
}
GROWTH = ("text", "long tail", "all pairs distinct")
# Each hard case runs with these pairs: the number of terms, and how many to choose (None: all).
HARD = [(10_000, None), (100_000, None), (1_000_000, 1000)]


def case(name: str, n_terms: int) -> ts.ClassCounts:
    """Return the counts of the case in `CASES` with this name."""
    table = CASES[name](np.random.default_rng(n_terms), n_terms)
    return ts.count(sp.csr_array(table), [0, 1])


def distinct(counts: ts.ClassCounts) -> int:
    """Return the number of distinct columns, by a hash."""
    key = np.random.default_rng(1).integers(0, 2**64, (counts.n_classes, 1), dtype=np.uint64)
    return len(np.unique(counts.term_frequency.T.astype(np.uint64) @ key))


# ---- measuring -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """The cost of one greedy search."""

    name: str
    n_terms: int
    n_classes: int
    distinct: int
    chosen: int
    evaluations: int
    seconds: float
    sorting: float  # Seconds for sorting a million numbers in the same run.
    checked: int  # How many terms were compared with the plain search.
    plain_seconds: float | None  # Seconds of the plain search, or None if it chose only some terms.

    @property
    def plain_evaluations(self) -> float:
        """The number of evaluations that the plain algorithm needs."""
        return self.chosen * (self.n_terms - (self.chosen - 1) / 2)

    def cells(self) -> list[str]:
        """Return the cells of a table's row."""
        return [
            self.name,
            f"{self.n_terms:,}",
            f"{self.distinct:,}",
            f"{self.chosen:,}",
            f"{self.evaluations:,}",
            digits(self.evaluations / self.chosen),
            digits(self.evaluations / self.plain_evaluations),
            digits(self.seconds, 3, 1e3),
            digits(self.seconds / self.sorting),
            digits(self.plain_seconds, 3, 1e3),
            "all" if self.checked == self.chosen else f"first {self.checked:,}",
        ]


HEADER = [
    "terms of two classes",
    "terms",
    "distinct",
    "chosen",
    "evaluations",
    "per chosen term",
    "/ plain",
    "ms",
    "/ sort",
    "plain ms",
    "checked",
]


def measure(
    name: str, counts: ts.ClassCounts, k: int | None = None, budget: float = PLAIN_EVALUATIONS
) -> Row:
    """Choose k terms, compare the first of them with the plain search, and return the cost."""
    k = counts.n_terms if k is None else k
    plain_evaluations = k * (counts.n_terms - (k - 1) / 2) * counts.n_classes / 2
    whole = plain_evaluations <= budget
    checked = k if whole else max(1, int(2 * budget / counts.n_classes / counts.n_terms))
    started = time.perf_counter()
    plain = counts.greedy(checked, exhaustive=True, n_threads=1)
    plain_seconds = time.perf_counter() - started

    smoothing = 1.0, (float(counts.n_terms), 0.0)
    started = time.perf_counter()
    indices, scores, _, evaluations = _core.greedy(
        value_of(counts).core, *smoothing, None, k, False, 1, None
    )
    search = [time.perf_counter() - started]
    assert np.array_equal(indices[:checked], plain.indices)
    assert scores[:checked].tobytes() == plain.scores.tobytes()
    assert (np.diff(scores) >= 0).all()
    if k == counts.n_terms:
        assert np.array_equal(np.sort(indices), np.arange(k))

    runs: list[Callable[[], object]] = [lambda: np.argsort(SORTED)]
    if search[0] < PATIENCE:
        runs.append(lambda: counts.greedy(k, n_threads=1))
    sort, *times = time_in_turn(runs, ROUNDS)
    search = times[0] if times else search
    return Row(
        name,
        counts.n_terms,
        counts.n_classes,
        distinct(counts),
        k,
        evaluations,
        statistics.median(search),
        statistics.median(sort),
        checked,
        plain_seconds if whole else None,
    )


def exponent(rows: Sequence[Row], what: Callable[[Row], float]) -> float:
    """Fit a power law of the costs in the number of terms, and return its exponent."""
    logs = np.log([[row.n_terms, what(row)] for row in rows])
    return float(np.polyfit(*logs.T, deg=1)[0])


def growth(sizes: Sequence[int], budget: float) -> Iterator[tuple[list[Row], str]]:
    """Yield, for each case of `GROWTH`, rows at several sizes and the fitted exponents."""
    for name in GROWTH:
        rows = []
        for n_terms in sizes:
            rows.append(measure(name, case(name, n_terms), budget=budget))
            print(*rows[-1].cells(), flush=True)
        evaluations = exponent(rows, lambda row: row.evaluations)
        seconds = exponent(rows, lambda row: row.seconds)
        fitted = f"{name}: evaluations grow as M^{evaluations:.2f} and time as M^{seconds:.2f}"
        yield rows, f"{fitted} (M from {sizes[0]:,} to {sizes[-1]:,})."


# ---- real text -----------------------------------------------------------------------------------


def newsgroups(quick: bool, budget: float) -> Iterator[tuple[Row, list[str]]]:
    """Yield the cost of the search on 20 Newsgroups, and how much its order agrees with `md`."""
    for terms in corpora.TEXTS:
        if reason := corpora.missing(terms):
            print(f"skipped: {reason}")
            continue
        X, groups = corpora.newsgroups_text(terms)
        computers = np.char.startswith(groups, "comp.")
        for classes, y in (("comp.* and the rest", computers), ("20 classes", groups)):
            counts = ts.count(X, y)
            for k in (1000,) if quick else (1000, None):
                row = measure(f"{terms}, {classes}", counts, k, budget)
                print(*row.cells(), flush=True)
                yield row, overlaps(row.name, counts, row.chosen)


def overlaps(name: str, counts: ts.ClassCounts, k: int) -> list[str]:
    """Return the share of common first terms of greedy and `md`, and where the orders diverge."""
    greedy, md = counts.greedy(k), counts.rank("md", k)
    differ = np.flatnonzero(greedy.indices != md.indices)
    shares = [
        f"{len(np.intersect1d(greedy.indices[:n], md.indices[:n])) / n:.1%}"
        for n in (10, 100, 1000)
    ]
    same = differ[0] if len(differ) else k
    return [f"{name}, {k:,} terms", *shares, f"{same:,}", f"{greedy.informative:,}"]


def summary(rows: Sequence[Row]) -> str:
    """Return the sentences about a million terms for docs/benchmarks.md."""
    row = next(row for row in rows if (row.name, row.n_terms) == ("text", 1_000_000))
    return (
        f"One thread ranks all {row.n_terms:,} terms of synthetic text in two classes in "
        f"{digits(row.seconds, 2, 1e3)} ms. This is {digits(row.seconds / row.sorting)} times\n"
        f"the time that numpy needs to sort {row.n_terms:,} numbers. The search makes "
        f"{row.evaluations:,} evaluations\ninstead of {row.plain_evaluations:,.0f}."
    )


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small collections and short checks")
    parser.add_argument("--write", action="store_true", help="write the tables of the README")
    args = parser.parse_args(argv)
    if args.write and args.quick:
        parser.error("--write needs the full run: leave out --quick")
    return args


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print the tables, and write them with --write."""
    args = arguments(argv)
    readme = ROOT / "benchmarks" / "README.md"
    if args.write:  # fail now, not at the end, if a page lacks the marker's comments
        around(readme, MARKER)
        around(ROOT / "docs" / "benchmarks.md", MARKER)
    print(conditions())
    budget = 1e7 if args.quick else PLAIN_EVALUATIONS
    sizes = [10**e for e in (range(3, 5) if args.quick else range(3, 8))]
    grown: list[Any] = list(growth(sizes, budget))
    hard = []
    for n_terms, k in [(2000, None)] if args.quick else HARD:
        for name in (name for name in CASES if name not in GROWTH):
            hard.append(measure(name, case(name, n_terms), k, budget))
            print(*hard[-1].cells(), flush=True)
    real = list(newsgroups(args.quick, budget if args.quick else REAL_PLAIN_EVALUATIONS))

    rows = [row for rows, _ in grown for row in rows]
    parts = [markdown(HEADER, [row.cells() for row in [*rows, *hard]])]
    parts.append("\n".join(f"- {fitted}" for _, fitted in grown))
    if real:
        parts.append(markdown(["20 Newsgroups", *HEADER[1:]], [row.cells() for row, _ in real]))
        header = ["greedy and md share of", "first 10", "100", "1,000", "same up to", "informative"]
        parts.append(markdown(header, [cells for _, cells in real]))
    tables = "\n\n".join(parts)
    print(f"\n{tables}")
    if args.write:
        put_between(readme, MARKER, f"Measured {conditions()}.\n\n{tables}")
        put_between(ROOT / "docs" / "benchmarks.md", MARKER, summary(rows))


if __name__ == "__main__":
    main()
