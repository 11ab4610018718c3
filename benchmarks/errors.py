"""How far scores are from fifty digits, in ulps, on 20 Newsgroups.

    python benchmarks/errors.py

A random sample of terms and the most frequent ones, every class, on every SIMD target.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import numpy as np

import corpora
import termsift as ts
from compare import newsgroups
from termsift import _core

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from exact import exact_class_scores, ulp_error

RANDOM_TERMS, FREQUENT_TERMS = 2000, 200


def main() -> None:
    """Print the largest and the 99.9th percentile error of class scores and scores."""
    if reason := corpora.missing("20 Newsgroups"):
        print(f"skipped: {reason}")
        return
    work = newsgroups()
    counts = ts.count(work.X, work.y)
    frequent = np.argsort(-counts.term_frequency.sum(axis=0))[:FREQUENT_TERMS]
    drawn = np.random.default_rng(0).choice(counts.n_terms, RANDOM_TERMS, replace=False)
    terms = np.unique(np.r_[frequent, drawn])
    smoothing = 1.0, float(counts.n_terms)
    print(f"{work.name}, {len(terms)} of {counts.n_terms} terms, {counts.n_classes} classes; ulps")
    for method in ts.methods():
        exact = exact_class_scores(
            counts.term_frequency, counts.class_docs, method.name, *smoothing, terms=terms
        )
        sums = [sum((row[i] for row in exact), Fraction(0)) for i in range(len(terms))]
        for target in _core.simd_targets():
            _core.use_simd_target(target)
            ours, total = counts.class_scores(method.name), counts.score(method.name)
            by_class = [
                ulp_error(float(ours[c, term]), exact[c][i])
                for c in range(counts.n_classes)
                for i, term in enumerate(terms)
            ]
            by_term = [ulp_error(float(total[term]), sums[i]) for i, term in enumerate(terms)]
            figures = " ".join(
                f"{name}: max {max(errors):.2f}, 99.9% {np.percentile(errors, 99.9):.2f};"
                for name, errors in (("class scores", by_class), ("scores", by_term))
            )
            print(f"{method.name:<10}{target:<10}{figures}")


if __name__ == "__main__":
    main()
