"""Speed against peers, in one process, the answers asserted in the same run.

    python benchmarks/compare.py

Each contender runs in turn, round after round, and the table shows medians and ratios: machines
drift, ratios of neighbours hold. Validation and conversion from scipy are part of ours.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_selection import chi2
from sklearn.naive_bayes import MultinomialNB
from sklearn.preprocessing import LabelBinarizer

import corpora
import termsift as ts
from termsift._info import build_info

ROUNDS = 15


@dataclass(frozen=True)
class Workload:
    """A matrix of counts and a class for each document."""

    name: str
    X: sp.csr_array
    y: np.ndarray[Any, Any]


def newsgroups() -> Workload:
    """Give the training and test documents of 20 Newsgroups together."""
    split = corpora.newsgroups()
    X = sp.vstack([split.X_train, split.X_test], format="csr")
    return Workload("20 Newsgroups", X, np.r_[split.y_train, split.y_test])


def contenders(work: Workload) -> dict[str, Callable[[], Any]]:
    """Give what is timed, by the name it has in the table."""
    X, y = work.X, work.y
    Y = sp.csr_array(LabelBinarizer(sparse_output=True).fit_transform(y))
    return {
        "read X once": lambda: (X.data.sum(), np.bitwise_xor.reduce(X.indices), X.indptr[-1]),
        "termsift count + MD, 1 thread": lambda: ts.md(X, y, n_threads=1),
        "termsift count + MD": lambda: ts.md(X, y),
        "termsift count, 1 thread": lambda: ts.count(X, y, n_threads=1),
        "termsift count": lambda: ts.count(X, y),
        "scipy Y.T @ X": lambda: Y.T @ X,
        "MultinomialNB().fit": lambda: MultinomialNB().fit(X, y),
        "sklearn chi2": lambda: chi2(X, y),
    }


def check(work: Workload) -> None:
    """Assert that counts equal scipy's and scores the reference's."""
    counts = ts.count(work.X, work.y)
    Y = sp.csr_array(LabelBinarizer(sparse_output=True).fit_transform(work.y))
    assert (counts.term_frequency != sp.csr_array(Y.T @ work.X)).nnz == 0
    some = np.linspace(0, counts.n_terms - 1, 100).astype(int)
    part = counts.term_frequency[:, some].toarray()
    rest = counts.class_tokens - part.sum(axis=1)  # all other terms, as one
    table = ts.reference.ReferenceCounts(
        classes=counts.classes,
        class_docs=counts.class_docs,
        class_tokens=counts.class_tokens,
        term_frequency=np.c_[part, rest],
        document_frequency=np.zeros((counts.n_classes, 101)),
        n_docs=counts.n_docs,
    )
    expected = ts.reference.score(table, "md", alpha=(1.0, float(counts.n_terms)))[:100]
    np.testing.assert_allclose(counts.score("md")[some], expected, rtol=1e-8)


def medians(contenders: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Run all in turn, ``rounds`` times after a warm-up; give median seconds."""
    for run in contenders.values():
        run()
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, run in contenders.items():
            started = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - started)
    return {name: statistics.median(found) for name, found in times.items()}


def main() -> None:
    """Print the table."""
    print(", ".join(f"{name} {value}" for name, value in build_info().items()))
    if reason := corpora.missing("20 Newsgroups"):
        print(f"skipped: {reason}")
        return
    work = newsgroups()
    check(work)
    n_classes = len(np.unique(work.y))
    print(
        f"\n{work.name}: {work.X.shape[0]} x {work.X.shape[1]}, {work.X.nnz} entries, "
        f"{n_classes} classes; median of {ROUNDS}"
    )
    found = medians(contenders(work), ROUNDS)
    ours = found["termsift count + MD"]
    for name, seconds in found.items():
        print(f"{name:<32}{1e3 * seconds:>10.2f} ms{seconds / ours:>8.2f} x count + MD")


if __name__ == "__main__":
    main()
