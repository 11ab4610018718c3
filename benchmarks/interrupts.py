"""Interrupt every long call at random moments, and measure the time until the call stops.

    python benchmarks/interrupts.py [--rounds 5] [--seed 0] [--quick]

Each call is first timed without interruption, and then interrupted by a signal at random moments.
The table shows the longest time from the signal to KeyboardInterrupt. All times are processor times
of all threads, so that other programs do not prolong them. After an interruption, updated
counts and saved files must be either unchanged or complete.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import termsift as ts
from compare import markdown
from workloads import Workload, workload

TOO_SHORT = 0.002  # in seconds; a signal cannot interrupt a shorter call


def calls(work: Workload, many_classes: Workload, folder: Path) -> dict[str, Callable[[], object]]:
    """Return all calls that may take a long time."""
    X, y = work.X, work.y
    some, few = slice(0, X.shape[0] // 5), slice(0, X.shape[0] // 20)
    some_docs = X[some]  # scipy's slices cannot be interrupted
    # Each document is a class, so the class scores take 1.6 GB.
    n_docs = X.shape[0] // 5
    alone = ts.count(
        sp.csr_array(
            (np.ones(n_docs, int), np.arange(n_docs) % 1000, np.arange(n_docs + 1)),
            shape=(n_docs, 1000),
        ),
        np.arange(n_docs),
    )
    texts = [f"{'some words ' * 40}{n}" for n in range(n_docs)]
    counts, other = ts.count(X[some], y[some]), ts.count(X[few], y[few])
    wide = ts.count(many_classes.X, many_classes.y)
    fractions = X[few].astype(float) * 0.3
    names = [f"t{term}" for term in range(X.shape[1])]
    named = ts.count(X[some], y[some], term_names=names)
    backwards = ts.count(X[some], y[some], term_names=names[::-1])
    (folder / "some.txt").write_text(
        "".join(f"{label}\t{'some words ' * 40}{label} {n}\n" for n, label in enumerate(y[some]))
    )
    counts.save(folder / "counts.termsift")
    ranking = counts.rank("md")
    classifier = ts.NaiveBayes().fit(X[few], y[few])
    half = slice(X.shape[0] // 20, X.shape[0] // 10)
    with open(folder / "some.svm", "w") as file:
        for d in range(min(20_000, X.shape[0])):
            part = slice(X.indptr[d], X.indptr[d + 1])
            entries = zip(X.indices[part] + 1, X.data[part], strict=True)
            file.write(f"{y[d]} {' '.join(f'{i}:{n}' for i, n in entries)}\n")
    return {
        "count": lambda: ts.count(X, y),
        "count, one thread": lambda: ts.count(X, y, n_threads=1),
        "count of fractions": lambda: ts.count(fractions, y[few]),
        "count of 5,000 classes": lambda: ts.count(many_classes.X, many_classes.y),
        "count(scan) of a table": lambda: ts.count(ts.scan(folder / "some.txt")),
        "count(scan), two passes": lambda: ts.count(
            ts.scan(folder / "some.txt", min_df=20, max_memory=2**20)
        ),
        "count(scan) of svmlight": lambda: ts.count(ts.scan(folder / "some.svm")),
        "update": lambda: other.update(some_docs, y[some]),
        "merge": lambda: ts.merge([counts] * 8),
        "merge by name": lambda: ts.merge([named, backwards]),
        "subset": lambda: wide.subset({"all": wide.classes}),
        "with_min_df": lambda: wide.with_min_df(2),
        "save": lambda: counts.save(folder / "counts.termsift"),
        "load": lambda: ts.load(folder / "counts.termsift"),
        **{
            f"{method.name}": lambda name=method.name: wide.score(name)  # type: ignore[misc]
            for method in ts.methods()
        },
        "class scores of md, each document a class": lambda: alone.class_scores("md"),
        "class scores of ig, each document a class": lambda: alone.class_scores("ig"),
        "score, each document a class": lambda: alone.score("md"),
        "CountVectorizer": lambda: ts.text.CountVectorizer().fit_transform(texts),
        "predict": lambda: classifier.predict(X),
        "md, greedy": lambda: wide.greedy(10),
        "greedy, exhaustive": lambda: counts.greedy(5, exhaustive=True),
        "round robin": lambda: wide.rank("md", policy="round_robin"),
        "conditional_gain": lambda: ts.conditional_gain(X[few], y[few], 2000),
        "selection_curve": lambda: ts.selection_curve(ranking, X[few], y[few], X[half], y[half]),
        "cross_validate": lambda: ts.cross_validate(X[few], y[few], ["md", "ig"], cv=5),
    }


def measure(call: Callable[[], object], rng: random.Random, rounds: int) -> tuple[float, float]:
    """Return the seconds of a call, and the longest time from a signal to the end of the call."""
    begin = time.process_time()
    call()
    whole = time.process_time() - begin
    longest = 0.0
    for _ in range(rounds if whole > TOO_SHORT else 0):
        after = rng.uniform(0.02, 0.95) * whole
        begin = time.process_time()
        if interrupted(call, after):
            longest = max(longest, time.process_time() - begin - after)
    return whole, longest


def interrupted(call: Callable[[], object], after: float) -> bool:
    """Return whether a signal after the given seconds ended the call."""
    is_armed = True

    def interrupt(*_: object) -> None:
        if is_armed:  # a signal that comes after the end of the call is too late
            raise KeyboardInterrupt

    # A timer sends the signal, because a thread would have to wait for the GIL.
    signal.signal(signal.SIGPROF, interrupt)
    try:
        signal.setitimer(signal.ITIMER_PROF, after)
        call()
    except KeyboardInterrupt:
        return True
    finally:
        is_armed = False
        signal.setitimer(signal.ITIMER_PROF, 0)
    return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="(default: 5)")
    parser.add_argument("--seed", type=int, default=0, help="(default: 0)")
    parser.add_argument("--quick", action="store_true", help="small copies of the workloads")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        work, many_classes = workload("B", args.quick), workload("C", args.quick)
        for name, call in calls(work, many_classes, folder).items():
            whole, longest = measure(call, rng, args.rounds)
            rows.append([name, f"{1e3 * whole:,.1f}", f"{1e3 * longest:,.1f}"])
            print(*rows[-1], flush=True)
        check_that_nothing_is_left_half_done(work, rng, folder)
    print(markdown(["call", "undisturbed, ms", "longest until it ends, ms"], rows))


def check_that_nothing_is_left_half_done(work: Workload, rng: random.Random, folder: Path) -> None:
    """Interrupt updates and saves, and check that no count or file is only partly changed."""
    some, few = slice(0, work.X.shape[0] // 5), slice(0, work.X.shape[0] // 20)
    some_docs = work.X[some]
    before = ts.count(work.X[few], work.y[few])
    after = before + ts.count(some_docs, work.y[some])
    path = folder / "before.termsift"
    for _ in range(20):
        before.save(path)
        counts = ts.load(path)
        for call in (lambda: counts.update(some_docs, work.y[some]), lambda: after.save(path)):  # noqa: B023
            interrupted(call, rng.uniform(0.001, 0.3))
        assert counts in (before, after)
        assert ts.load(path) in (before, after)
        assert {name for name in os.listdir(folder) if "partial" in name} == set()
    np.testing.assert_array_equal(before.class_docs, ts.count(work.X[few], work.y[few]).class_docs)


if __name__ == "__main__":
    main()
