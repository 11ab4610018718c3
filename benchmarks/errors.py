"""Errors of scores in ulps, compared with arithmetic in sixty digits.

    python benchmarks/errors.py [--workloads A,B] [--write]

The collections are the workloads and two corpora. The terms are a sample of rare, ordinary and very
frequent terms. Class scores are checked if there are at most fifty classes. The scores must have
the same bits on every SIMD target. ``--write`` puts the table into ``benchmarks/README.md``, and
the largest error into ``docs/benchmarks.md``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import corpora
import termsift as ts
from compare import CORPORA, ROOT, conditions, load, markdown, put_between
from termsift import _core
from workloads import SHAPES

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from exact import exact_class_scores, ulp_error

METHODS: dict[str, tuple[str, dict[str, str]]] = {
    "md": ("md", {}),
    "md_chi2": ("md_chi2", {}),
    "pearson": ("md_chi2", {"noncentrality": "pearson"}),
}
CLASSES_TO_SHOW = 50
MARKER = "errors"  # name of the comments in docs/benchmarks.md and benchmarks/README.md


@dataclass(frozen=True)
class Row:
    """The errors of one method's scores in one workload, in ulps."""

    workload: str
    terms: str  # the numbers of sampled terms and of all terms
    method: str
    scores: list[float]
    class_scores: list[float]  # the list is empty if there are too many classes

    def cells(self) -> list[str]:
        figures = [f(e) for e in (self.scores, self.class_scores) for f in (largest, nearly_all)]
        return [self.workload, self.terms, self.method, *figures]


def largest(errors: list[float]) -> str:
    """Return the largest error."""
    return f"{max(errors):.2f}" if errors else "-"


def nearly_all(errors: list[float]) -> str:
    """Return the 99.9th percentile."""
    return f"{np.percentile(errors, 99.9):.2f}" if errors else "-"


def errors_of(name: str, counts: ts.ClassCounts) -> Iterator[Row]:
    """Return the errors of every method."""
    # With 5,000 classes, arithmetic in sixty digits takes half a second per term. Therefore fewer
    # terms are sampled from a collection of many classes.
    terms = sample(counts, max(10, min(400, 100_000 // counts.n_classes)))
    parts = counts.term_frequency, counts.class_docs
    smoothing = 1.0, float(counts.n_terms)
    for label, (method, options) in METHODS.items():
        exact = exact_class_scores(*parts, method, *smoothing, terms=terms, **options)
        sums = [sum(values, Fraction(0)) for values in zip(*exact, strict=True)]
        scores = counts.score(method, **options)
        best, *others = _core.simd_targets()
        for target in (*others, best):
            _core.use_simd_target(target)
            assert counts.score(method, **options).tobytes() == scores.tobytes(), target
        score_errors = [ulp_error(float(s), e) for s, e in zip(scores[terms], sums, strict=True)]
        class_errors: list[float] = []
        if counts.n_classes <= CLASSES_TO_SHOW:
            by_class = counts.class_scores(method, **options)[:, terms]
            class_errors = [
                ulp_error(float(by_class[c, i]), exact[c][i])
                for i in range(len(terms))
                for c in range(counts.n_classes)
            ]
        sampled = f"{len(terms):,} of {counts.n_terms:,}"
        yield Row(name, sampled, label, score_errors, class_errors)


def sample(counts: ts.ClassCounts, n: int) -> NDArray[np.int64]:
    """Return a sample of at most 4 n terms: very frequent, less frequent, and rare ones."""
    frequency = np.asarray(counts.term_frequency.sum(axis=0)).ravel()
    rng = np.random.default_rng(0)

    def some(of: NDArray[Any]) -> NDArray[Any]:
        return rng.choice(of, min(n, len(of)), replace=False)

    frequent = np.argsort(-frequency, kind="stable")[: 10 * n]
    rare = np.flatnonzero((frequency > 0) & (frequency <= 2))
    middling = np.flatnonzero(frequency > 2)
    return np.unique(np.r_[frequent[:n], some(frequent), some(middling), some(rare)])


def main() -> None:
    """Print the largest error and the 99.9th percentile, for scores and for class scores."""
    names = [*SHAPES, *CORPORA]
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--workloads", default=",".join(names), help="default: %(default)s")
    parser.add_argument("--write", action="store_true", help="write the tables of the pages")
    args = parser.parse_args()
    rows: list[Row] = []
    for name in args.workloads.split(","):
        if name in CORPORA and (reason := corpora.missing(CORPORA[name][0])):
            print(f"skipped: {reason}")
            continue
        work = load(name, quick=False)
        for row in errors_of(work.name, ts.count(work.X, work.y)):
            print(*row.cells(), flush=True)
            rows.append(row)
    header = ["workload", "terms", "method", "scores: max", "99.9%"]
    table = markdown([*header, "class scores: max", "99.9%"], [row.cells() for row in rows])
    print(f"\n{table}")
    if args.write:
        measured = f"Measured {conditions()}."
        put_between(ROOT / "benchmarks" / "README.md", MARKER, f"{measured}\n\n{table}")
        most = max(max(row.scores) for row in rows)
        most_of_class = max(max(row.class_scores, default=0.0) for row in rows)
        words = (
            f"The largest error of `md` and `md_chi2` is {most:.1f} ulp ({most_of_class:.1f} ulp "
            "for class scores), compared with arithmetic\n"
            "in sixty digits (`benchmarks/errors.py`). Counts are exact integers."
        )
        put_between(ROOT / "docs" / "benchmarks.md", MARKER, words)


if __name__ == "__main__":
    main()
