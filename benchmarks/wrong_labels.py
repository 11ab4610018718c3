"""Find wrong labels: leaving one out with naive Bayes, beside cross-validated logistic regression.

    python benchmarks/wrong_labels.py [DATA] [--quick]

Changes a share of the labels at random and ranks the documents by their suspicion. Writes the table
of docs/labels.md; ``--quick`` prints that of made-up documents instead. The collections are in
DATA, laid out as `benchmarks/corpora.py` describes; missing collections are skipped.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline

import corpora
import termsift as ts
from compare import ROOT, markdown, put_between

MARKER = "figures"
PAGE = ROOT / "docs" / "labels.md"
SHARES = (0.05, 0.1)
COLLECTIONS = {
    "R8": "R8",
    "TREC questions": "TREC",
    "movie reviews": "reviews",
    "20 Newsgroups": "unigrams",
}


def documents(corpus: str) -> tuple[Any, Any]:
    """Return the words of training documents and their labels; of 20 Newsgroups, all documents."""
    if corpus in corpora.TEXTS:
        return corpora.newsgroups_text(corpus)
    split = corpora.lines(corpus, r"(?u)\b\w\w+\b")
    return split.X_train, split.y_train


def left_out(X: Any, y: Any, model: Any) -> Any:
    """Return the log probabilities by all other documents."""
    return ts.count(X, y).naive_bayes(model=model).leave_one_out(X, y)


def cross_validated(X: Any, y: Any) -> Any:
    """Return the log probabilities by logistic regression of tf-idf, over five folds."""
    machine = make_pipeline(
        TfidfTransformer(sublinear_tf=True), LogisticRegression(C=10, max_iter=1000)
    )
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return cross_val_predict(machine, X, y, cv=folds, method="predict_log_proba")


WAYS: dict[str, tuple[Callable[[Any, Any], Any], bool]] = {  # and whether the length divides
    "multinomial": (partial(left_out, model="multinomial"), True),
    "complement": (partial(left_out, model="complement"), True),
    "logistic regression": (cross_validated, False),
}


def planted(y: Any, share: float) -> tuple[Any, Any]:
    """Return labels that are wrong for a share of the documents, and which are wrong."""
    rng = np.random.default_rng(0)
    classes, codes = np.unique(y, return_inverse=True)
    is_wrong = np.zeros(len(y), dtype=bool)
    is_wrong[rng.choice(len(y), round(share * len(y)), replace=False)] = True
    others = rng.integers(1, len(classes), len(y))
    return (codes + others * is_wrong) % len(classes), is_wrong


def suspicion(log_proba: Any, own: Any, lengths: Any) -> Any:
    """Return (best other - own) / length of each document."""
    rows = np.arange(len(own))
    of_own, others = log_proba[rows, own], log_proba.copy()
    others[rows, own] = -np.inf
    return (others.max(axis=1) - of_own) / lengths


def measured(way: str, X: Any, y: Any, share: float) -> tuple[float, float, float]:
    """Return the precision at the number of wrong labels, the area under the curve, and seconds."""
    labels, is_wrong = planted(y, share)
    predict, divides = WAYS[way]
    begin = sum(os.times()[:4])  # of this process and its children
    log_proba = predict(X, labels)
    seconds = sum(os.times()[:4]) - begin
    lengths = np.maximum(np.asarray(X.sum(axis=1)).ravel(), 1) if divides else np.ones(len(labels))
    found = suspicion(log_proba, labels, lengths)
    first = np.argsort(-found, kind="stable")[: is_wrong.sum()]
    return is_wrong[first].mean(), roc_auc_score(is_wrong, found), seconds


def table(collections: dict[str, tuple[Any, Any]]) -> str:
    """Return the figures of each collection and share of wrong labels."""
    rows = []
    for name, (X, y) in collections.items():
        for share in SHARES:
            of_ways = [measured(way, X, y, share) for way in WAYS]
            cells = [f"{p:.2f} / {a:.3f} / {s:.2g}" for p, a, s in of_ways]
            rows.append([name, f"{len(y):,}", f"{share:.0%}", *cells])
    return markdown(["", "documents", "wrong", *WAYS], rows)


def main(argv: Sequence[str] | None = None) -> None:
    """Write the table, or print a quick one."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", nargs="?", type=Path, default=corpora.FOLDER)
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args(argv)
    corpora.FOLDER = args.data
    if args.quick:
        y = np.arange(200) % 2
        X = np.random.default_rng(0).poisson(np.where(y, [[3], [1]], [[1], [3]]).T, (200, 2))
        print(table({"made up": (corpora.sp.csr_array(X), y)}))
        return
    here = {name: of for name, of in COLLECTIONS.items() if not corpora.missing(of)}
    print(f"skipped: {', '.join(COLLECTIONS.keys() - here.keys()) or 'none'}")
    put_between(PAGE, MARKER, table({name: documents(of) for name, of in here.items()}))


if __name__ == "__main__":
    main()
