"""Time of naive Bayes at every number of terms, compared with a separate fit for each number.

    python benchmarks/curve.py [--quick] [--write]

The collection is 20 Newsgroups. Without this collection, the script uses workload A, with half
of the documents for testing. The first comparison is the curve for k = 1 to 2,000, where
scikit-learn fits MultinomialNB again for each k. The second comparison is 10-fold cross-validation:
termsift evaluates seven methods at 200 values of k, and scikit-learn evaluates its `chi2` at ten
values. The contenders take turns in one process, and their accuracies are asserted to be equal.
"""

from __future__ import annotations

import argparse
import statistics
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import chi2
from sklearn.naive_bayes import MultinomialNB

import corpora
import termsift as ts
from compare import ROOT, conditions, put_between, time_in_turn
from workloads import workload

MARKER = "curve"
METHODS = ("md", "md_chi2", "df", "cet", "ig", "chi2_counts", "gss")
FOLDS = 10


def collection(quick: bool) -> tuple[str, corpora.Split]:
    """Return 20 Newsgroups, or workload A with half of its documents for testing."""
    if not quick and corpora.missing("20 Newsgroups") is None:
        return "20 Newsgroups", corpora.newsgroups()
    work = workload("A", quick)
    half = work.X.shape[0] // 2
    split = corpora.Split(work.X[:half], work.y[:half], work.X[half:], work.y[half:])
    return "workload A", split


def refitted(
    split: corpora.Split, indices: NDArray[np.int64], ks: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the test accuracy of MultinomialNB, fitted again to the first k terms for each k."""
    accuracies = []
    for k in ks:
        terms = indices[:k]
        fitted = MultinomialNB().fit(split.X_train[:, terms], split.y_train)
        accuracies.append(np.mean(fitted.predict(split.X_test[:, terms]) == split.y_test))
    return np.array(accuracies)


def folds(y: NDArray[Any]) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return the (train, test) documents of each fold."""
    fold_of = np.random.default_rng(0).permutation(len(y)) % FOLDS
    return [(np.flatnonzero(fold_of != f), np.flatnonzero(fold_of == f)) for f in range(FOLDS)]


def cross_validated_chi2(
    split: corpora.Split, cv: list[Any], ks: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the mean accuracy of MultinomialNB on the k terms with the largest `chi2`, for each k.

    `chi2` is computed once per fold.
    """
    accuracies = []
    for train, test in cv:
        X, y = split.X_train[train], split.y_train[train]
        scores, _ = chi2(X, y)
        order = np.argsort(-scores, kind="stable")
        held = corpora.Split(X, y, split.X_train[test], split.y_train[test])
        accuracies.append(refitted(held, order, ks))
    return np.mean(accuracies, axis=0)


def measure(quick: bool) -> list[str]:
    """Return one sentence for each result."""
    name, split = collection(quick)
    most = 50 if quick else 2000
    ks = np.arange(1, most + 1)
    ranking = ts.count(split.X_train, split.y_train).rank("md", k=most)

    def curve(n_threads: int | None) -> ts.Curve:
        parts = (split.X_train, split.y_train, split.X_test, split.y_test)
        return ts.selection_curve(ranking, *parts, ks, n_threads=n_threads)

    theirs: list[NDArray[np.float64]] = []
    runs = [partial(curve, 1), partial(curve, None)]
    times = time_in_turn(runs, 3 if quick else 15)
    one, every = (statistics.median(seconds) for seconds in times)
    ((refits,),) = time_in_turn([lambda: theirs.append(refitted(split, ranking.indices, ks))], 1)
    np.testing.assert_array_equal(curve(1).accuracy, theirs[0])
    documents = f"{split.X_test.shape[0]:,} test documents, {len(np.unique(split.y_train))} classes"
    found = [
        f"{name}, {documents}, k = 1 to {most:,}: termsift takes {1e3 * one:,.0f} ms on one thread "
        f"and {1e3 * every:,.0f} ms on all. scikit-learn takes {refits:,.1f} s to fit and predict, "
        f"which is {refits / one:,.0f} and {refits / every:,.0f} times as long"
    ]

    cv = folds(split.y_train)
    many, few = ks[:: most // (10 if quick else 200)], ks[:: most // 10]

    def validate(n_threads: int | None) -> dict[str, ts.Curve]:
        return ts.cross_validate(
            split.X_train, split.y_train, METHODS, many, cv, n_threads=n_threads
        )

    np.testing.assert_allclose(
        ts.cross_validate(split.X_train, split.y_train, ["chi2_counts"], few, cv)[
            "chi2_counts"
        ].accuracy,
        cross_validated_chi2(split, cv, few),
        rtol=1e-15,
    )
    one, every, once = (
        statistics.median(seconds)
        for seconds in time_in_turn(
            [
                partial(validate, 1),
                partial(validate, None),
                partial(cross_validated_chi2, split, cv, few),
            ],
            1 if quick else 5,
        )
    )
    found.append(
        f"{name}, {FOLDS} folds of {len(split.y_train):,} documents: termsift evaluates "
        f"{len(METHODS)} methods at {len(many)} values of k in {one:,.2f} s on one thread and in "
        f"{every:,.2f} s on all. scikit-learn's chi2 and MultinomialNB take {once:,.2f} s for "
        f"{len(few)} values of k"
    )
    return found


def main() -> None:
    """Print the sentences, and write them with --write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="only check that it works")
    parser.add_argument("--write", action="store_true", help="write the sentences of the README")
    args = parser.parse_args()
    found = measure(args.quick)
    print(*found, sep="\n")
    if args.write:
        text = f"Measured {conditions()}.\n\n" + "\n".join(f"- {sentence}." for sentence in found)
        put_between(ROOT / "benchmarks" / "README.md", MARKER, text)


if __name__ == "__main__":
    main()
