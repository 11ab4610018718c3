"""How far scores are from sixty digits, in ulps, on 20 Newsgroups and the workloads.

    python benchmarks/errors.py [20 A B C D]

A sample of rare, middling and the most frequent terms, on every SIMD target; every class too where
there are no more than fifty.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import corpora
import termsift as ts
import workloads
from compare import newsgroups
from termsift import _core

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from exact import many_class_values, ulp_error

METHODS: dict[str, tuple[str, dict[str, str]]] = {
    "md": ("md", {}),
    "md_chi2": ("md_chi2", {}),
    "pearson": ("md_chi2", {"noncentrality": "pearson"}),
}
CLASSES_TO_SHOW = 50


def main() -> None:
    """Print the largest and the 99.9th percentile error of scores and class scores."""
    for name in sys.argv[1:] or ["20", "A", "B", "C", "D"]:
        if name == "20":
            if reason := corpora.missing("20 Newsgroups"):
                print(f"skipped: {reason}")
                continue
            work: Any = newsgroups()
        else:
            work = workloads.workload(name)
        counts = ts.count(work.X, work.y)
        print_errors(work.name, counts)


def print_errors(name: str, counts: ts.ClassCounts) -> None:
    """Print the errors of every method and target."""
    # Half a second a term for 5,000 classes.
    terms = sample(counts, max(10, min(400, 100_000 // counts.n_classes)))
    print(f"{name}: {len(terms)} of {counts.n_terms:,} terms, {counts.n_classes} classes; ulps")
    columns = counts.term_frequency.tocsc()[:, terms].toarray()
    classes = counts.class_tokens.tolist(), counts.class_docs.tolist()
    smoothing = 1.0, float(counts.n_terms)
    exact = [many_class_values(column, *classes, *smoothing) for column in columns.T.tolist()]
    for label, (method, options) in METHODS.items():
        sums = [sum(values[label], Fraction(0)) for values in exact]
        for target in _core.simd_targets():
            _core.use_simd_target(target)
            scores = counts.score(method, **options)[terms]
            errors = {"scores": [ulp_error(float(s), e) for s, e in zip(scores, sums, strict=True)]}
            if counts.n_classes <= CLASSES_TO_SHOW:
                by_class = counts.class_scores(method, **options)[:, terms]
                errors["class scores"] = [
                    ulp_error(float(by_class[c, i]), exact[i][label][c])
                    for i in range(len(terms))
                    for c in range(counts.n_classes)
                ]
            figures = "; ".join(
                f"{what}: max {max(e):.2f}, 99.9% {np.percentile(e, 99.9):.2f}"
                for what, e in errors.items()
            )
            print(f"  {label:<9}{target:<10}{figures}", flush=True)


def sample(counts: ts.ClassCounts, n: int) -> NDArray[np.int64]:
    """Give n of the most frequent terms, n of the others that occur, and n seen once or twice."""
    frequency = np.asarray(counts.term_frequency.sum(axis=0)).ravel()
    rng = np.random.default_rng(0)

    def some(of: NDArray[Any]) -> NDArray[Any]:
        return rng.choice(of, min(n, len(of)), replace=False)

    frequent = np.argsort(-frequency, kind="stable")[: 10 * n]
    rare = np.flatnonzero((frequency > 0) & (frequency <= 2))
    middling = np.flatnonzero(frequency > 2)
    return np.unique(np.r_[frequent[:n], some(frequent), some(middling), some(rare)])


if __name__ == "__main__":
    main()
