"""Time of conditional and guided gain, of scoring, and of scikit-learn's selectors.

    python benchmarks/gain.py [--quick] [--write]

`ts.conditional_gain` and `ts.guided_gain` choose 2,000 terms and estimate `shape`. The collections
are 20 Newsgroups and its uni- and bigrams, if `corpora.py` finds them, and generated collections:
workloads A and C, and a collection of 570 classes. The script also measures counting with all of
the paper's scores, counting with `md`, and scikit-learn's `mutual_info_classif` on 1,000 terms. The
forward selection by `SequentialFeatureSelector` is so slow that it only chooses ten of a hundred
terms. The calls of termsift take turns in one process. The script also asserts that the number of
threads does not change the terms.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import scipy.sparse as sp
from sklearn.feature_selection import SequentialFeatureSelector, mutual_info_classif
from sklearn.naive_bayes import MultinomialNB

import corpora
import termsift as ts
from compare import ROOT, conditions, digits, markdown, put_between, time_in_turn
from workloads import Shape, Workload, generate, workload

MARKER = "gain"
K = 2000
ROUNDS = 5
_MANY = 1000  # guided gain takes many minutes with so many classes, and is not measured
# The size of a collection of source code in 570 languages.
LANGUAGES = Shape(69_000, 140_000, 570, 108, 1.02, 0.3, 5)
OF_THE_PAPER = (
    *("md", "md_chi2", "df", "tfidf", "mi", "cet", "ig", "chi2", "chi2_printed", "gss"),
    *("odds_ratio", "relevancy", "ngl"),
)
HEADER = [
    *("collection", "documents", "terms", "classes", "conditional gain, ms on 1 / all threads"),
    *(
        "guided gain",
        "count + the paper's scores",
        "count + `md`",
        "`mutual_info_classif` of 1,000",
    ),
]


def made(name: str, shape: Shape) -> Workload:
    """Generate a collection."""
    data, indices, indptr, y = generate(shape)
    X = sp.csr_array((data, indices, indptr), shape=(shape.n_docs, shape.n_terms))
    return Workload(name, X, y)


def works(quick: bool) -> Iterator[Workload]:
    """Return the collections, one at a time."""
    yield workload("A", quick)
    yield workload("C", quick)
    if quick:
        yield made("570 classes", LANGUAGES.smaller(20))
        return
    yield made("570 classes", LANGUAGES)
    if reason := corpora.missing("20 Newsgroups"):
        print(f"skipped: {reason}")
    else:
        split = corpora.newsgroups()
        yield Workload("20 Newsgroups", split.X_train, split.y_train)
    if reason := corpora.missing("uni- and bigrams"):
        print(f"skipped: {reason}")
    else:
        yield Workload("its uni- and bigrams", *corpora.newsgroups_text("uni- and bigrams"))


def paper(work: Workload, n_threads: int | None) -> None:
    """Count once and score by every method of the paper."""
    counts = ts.count(work.X, work.y, n_threads=n_threads)
    for method in OF_THE_PAPER:
        counts.score(method, n_threads=n_threads)


def measure(work: Workload, quick: bool) -> list[str]:
    """Return one row of the table."""
    k = min(K, work.X.shape[1])
    choosers = [ts.conditional_gain, ts.guided_gain]
    if work.n_classes >= _MANY:
        choosers.remove(ts.guided_gain)
    for choose in choosers:
        one, every = (choose(work.X, work.y, k, n_threads=n) for n in (1, None))
        np.testing.assert_array_equal(one.indices, every.indices)
        np.testing.assert_array_equal(one.scores, every.scores)
    runs: list[Callable[[], object]] = []
    for n_threads in (1, None):
        runs += [partial(choose, work.X, work.y, k, n_threads=n_threads) for choose in choosers]
        runs.append(partial(paper, work, n_threads))
        runs.append(partial(ts.md, work.X, work.y, n_threads=n_threads))
    times = time_in_turn(runs, 2 if quick else ROUNDS)
    ms = [1e3 * statistics.median(seconds) for seconds in times]
    some = sp.csr_array(work.X[:, :1000] > 0)
    started = time.perf_counter()
    mutual_info_classif(some, work.y, discrete_features=True)
    theirs = digits(1e3 * (time.perf_counter() - started), 3)
    documents, terms = work.X.shape
    half = len(runs) // 2
    pairs = [f"{digits(ms[i], 3)} / {digits(ms[i + half], 3)}" for i in range(half)]
    if ts.guided_gain not in choosers:
        pairs.insert(1, "")
    return [work.name, f"{documents:,}", f"{terms:,}", str(work.n_classes), *pairs, theirs]


def sequential() -> str:
    """Return a sentence with the time of scikit-learn's forward selection on a small case."""
    work = made("small", Shape(500, 100, 3, 40, 1.05, 0.3, 6))
    X = work.X.toarray()
    selector = SequentialFeatureSelector(MultinomialNB(), n_features_to_select=10, cv=5)
    ((theirs,), ours) = time_in_turn(
        [partial(selector.fit, X, work.y), partial(ts.conditional_gain, X, work.y, 10)], 1
    )
    return (
        "choosing ten of 100 terms with 500 documents takes scikit-learn's "
        f"SequentialFeatureSelector with naive Bayes {theirs:.1f} s, and conditional gain "
        f"{1e3 * ours[0]:.1f} ms"
    )


def main() -> None:
    """Print the table, and write it with --write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small collections")
    parser.add_argument("--write", action="store_true", help="write the table of the README")
    args = parser.parse_args()
    rows = []
    for work in works(args.quick):
        rows.append(measure(work, args.quick))
        print(*rows[-1], flush=True)
    told = sequential()
    table = markdown(HEADER, rows)
    print(table, told, sep="\n")
    if args.write:
        text = f"Measured {conditions()}.\n\n{table}\n\n- {told[0].upper()}{told[1:]}."
        put_between(ROOT / "benchmarks" / "README.md", MARKER, text)


if __name__ == "__main__":
    main()
