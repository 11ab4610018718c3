"""How selectors fare with fewer documents and wrong labels, and how stable their choices are.

    python benchmarks/robust.py [DATA] [--quick]

Writes the tables of docs/rivals.md; ``--quick`` prints those of one draw instead. DATA
contains the corpora, laid out as `benchmarks/corpora.py` describes; missing corpora are skipped.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone

import corpora
import termsift as ts
from compare import ROOT, markdown, put_between
from rivals import CLASSIFIERS, Choose, svm_weights
from trials import Ints

MARKER = "robust"
PAGE = ROOT / "docs" / "rivals.md"
KS = (20, 100, 500, 2000)
STABLE_KS = (20, 100, 500)
SHARES = (0.1, 1 / 3, 1.0)  # of the training documents
WRONG = (0.0, 0.1, 0.3)  # of their labels
DRAWS = 3
HALVINGS = 5
JUDGES = ("naive Bayes", "SVM")
COLLECTIONS: dict[str, tuple[str, Callable[[], corpora.Split]]] = {
    "20 Newsgroups": ("20 Newsgroups", corpora.newsgroups),
    "Reuters-30": ("Reuters", partial(corpora.reuters, 30)),
    "R8": ("R8", corpora.r8),
    "TREC": ("TREC", corpora.trec),
    "reviews": ("reviews", corpora.reviews),
}

Floats = NDArray[np.float64]
Rng = np.random.Generator


def by_md(X: sp.csr_array, y: Ints, k: int) -> Ints:
    """Return the terms of the largest MD."""
    return ts.count(X, y).rank("md", k).indices


SELECTORS: dict[str, Choose] = {
    "guided gain": lambda X, y, k: ts.guided_gain(X, y, k).indices,
    "conditional gain": lambda X, y, k: ts.conditional_gain(X, y, k).indices,
    "SVM weights": svm_weights,
    "MD": by_md,
}


# ---- what is measured ----------------------------------------------------------------------------


def accuracies(split: corpora.Split, choose: Choose) -> Floats:
    """Return the accuracy in per cent of each judge, averaged over the numbers of terms."""
    terms = choose(split.X_train, split.y_train, min(max(KS), split.X_train.shape[1]))
    found = []
    for judge in JUDGES:
        estimator, sees = CLASSIFIERS[judge]
        right = []
        for k in KS:
            few = terms[:k]
            model = clone(estimator).fit(sees(split.X_train[:, few]), split.y_train)
            predicted = model.predict(sees(split.X_test[:, few]))
            right.append(100 * np.mean(predicted == split.y_test))
        found.append(np.mean(right))
    return np.array(found)


def fewer_documents(split: corpora.Split, share: float, rng: Rng) -> corpora.Split:
    """Return the split with a random share of its training documents."""
    n = split.X_train.shape[0]
    some = np.sort(rng.choice(n, max(round(share * n), 1), replace=False))
    return corpora.Split(split.X_train[some], split.y_train[some], split.X_test, split.y_test)


def wrong_labels(split: corpora.Split, share: float, rng: Rng) -> corpora.Split:
    """Return the split with a random share of the training labels replaced by another class."""
    classes, y = np.unique(split.y_train, return_inverse=True)
    some = rng.choice(len(y), round(share * len(y)), replace=False)
    y[some] = (y[some] + rng.integers(1, len(classes), len(some))) % len(classes)
    return corpora.Split(split.X_train, classes[y], split.X_test, split.y_test)


def stability(chosen: Sequence[Ints], n_terms: int) -> float:
    """Return the measure of Nogueira, Sechidis and Brown (JMLR 18, 2018) of sets of equal size.

    It is 1 for equal sets, and 0 on average for random ones.
    """
    taken = np.zeros((len(chosen), n_terms))
    for row, terms in zip(taken, chosen, strict=True):
        row[terms] = 1
    share = taken.sum(axis=1).mean() / n_terms
    return float(1 - taken.var(axis=0, ddof=1).mean() / (share * (1 - share)))


def halves(split: corpora.Split, n: int) -> Iterator[tuple[sp.csr_array, Any]]:
    """Return both halves of the training documents, halved n times."""
    rng = np.random.default_rng(0)
    for _ in range(n):
        order = rng.permutation(split.X_train.shape[0])
        for half in np.array_split(order, 2):
            yield split.X_train[np.sort(half)], split.y_train[np.sort(half)]


# ---- the page ------------------------------------------------------------------------------------

Change = Callable[[corpora.Split, float, Rng], corpora.Split]


def changed(
    splits: Mapping[str, corpora.Split], change: Change, shares: Sequence[float], draws: int
) -> str:
    """Return a table of mean accuracies after a change to the training documents."""
    rows = []
    for name, split in splits.items():
        for share in shares:
            rngs = [np.random.default_rng(draw) for draw in range(draws)]
            drawn = [change(split, share, rng) for rng in rngs]
            cells = []
            for choose in SELECTORS.values():
                mean = np.mean([accuracies(each, choose) for each in drawn], axis=0)
                cells.append(" / ".join(f"{value:.1f}" for value in mean))
            rows.append([f"{name}, {100 * share:.0f}%", *cells])
    return markdown(["", *SELECTORS], rows)


def stabilities(splits: Mapping[str, corpora.Split], n: int) -> str:
    """Return a table of Nogueira's measure by collection and number of terms."""
    rows = []
    for name, split in splits.items():
        n_terms = split.X_train.shape[1]
        of_selector = []
        for choose in SELECTORS.values():
            chosen = [choose(X, y, max(STABLE_KS)) for X, y in halves(split, n)]
            of_selector.append(
                [stability([terms[:k] for terms in chosen], n_terms) for k in STABLE_KS]
            )
        cells = [" / ".join(f"{value:.2f}" for value in values) for values in of_selector]
        rows.append([name, *cells])
    return markdown(["", *SELECTORS], rows)


def report(splits: Mapping[str, corpora.Split], draws: int, n_halvings: int) -> str:
    """Run everything and return the text."""
    listed = ", ".join(f"{k:,}" for k in KS)
    return f"""\
The first two tables have the test accuracy of naive Bayes / SVM in per cent. It is the mean over
k = {listed} and over {draws} random draws. The first table varies the share of the training
documents that is used:

{changed(splits, fewer_documents, SHARES, draws)}

The second table varies the share of wrong training labels:

{changed(splits, wrong_labels, WRONG, draws)}

The third table has the stability of the first {" / ".join(map(str, STABLE_KS))} terms, which are
chosen on {2 * n_halvings} halves of the training documents:

{stabilities(splits, n_halvings)}"""


def main(argv: Sequence[str] | None = None) -> None:
    """Run the comparison and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "data",
        nargs="?",
        type=Path,
        help="folder of the corpora; default: as benchmarks/corpora.py describes",
    )
    parser.add_argument("--quick", action="store_true", help="one draw, printed, not written")
    args = parser.parse_args(argv)
    if args.data:
        corpora.FOLDER = args.data
    splits = {}
    for name, (corpus, load) in COLLECTIONS.items():
        if reason := corpora.missing(corpus):
            print(f"skipped {name}: {reason}")
        else:
            splits[name] = load()
    if not splits:
        return
    text = report(splits, *((1, 1) if args.quick else (DRAWS, HALVINGS)))
    if args.quick:
        print(text)
    else:
        put_between(PAGE, MARKER, text)
        print(f"wrote {PAGE}")


if __name__ == "__main__":
    main()
