"""Find wrong labels by leave-one-out naive Bayes and by cross-validated logistic regression.

    python benchmarks/wrong_labels.py [DATA] [--quick]

The script changes a share of the labels at random, and ranks the documents by how suspicious their
labels are. The script writes the table of docs/labels.md. With ``--quick`` it prints a table for
generated documents instead. `benchmarks/corpora.py` describes the folder DATA.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from time import process_time
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
TEXTS = {"R8": "R8", "TREC": "TREC questions", "reviews": "movie reviews"}


def documents() -> dict[str, tuple[Any, Any]]:
    """Return each collection's word counts and labels, of texts only the training part."""
    splits = {name: corpora.lines(key, r"(?u)\b\w\w+\b") for key, name in TEXTS.items()}
    found = {name: (split.X_train, split.y_train) for name, split in splits.items()}
    return found | {"20 Newsgroups": corpora.newsgroups_text("unigrams")}


def left_out(X: Any, y: Any) -> tuple[Any, Any]:
    """Return leave-one-out log probabilities, and the lengths of the documents."""
    log_proba = ts.count(X, y).naive_bayes().leave_one_out(X, y)
    return log_proba, np.maximum(np.asarray(X.sum(axis=1)).ravel(), 1)


def cross_validated(X: Any, y: Any) -> tuple[Any, Any]:
    """Return log probabilities of logistic regression on tf-idf, by five-fold cross-validation."""
    machine = LogisticRegression(C=10, max_iter=1000)
    pipeline = make_pipeline(TfidfTransformer(sublinear_tf=True), machine)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return cross_val_predict(pipeline, X, y, cv=folds, method="predict_log_proba"), 1


WAYS = {"termsift": left_out, "logistic regression": cross_validated}


def planted(y: Any, share: float) -> tuple[Any, Any]:
    """Change a share of the labels. Return all labels, and whether each label is wrong."""
    rng = np.random.default_rng(0)
    classes, codes = np.unique(y, return_inverse=True)
    is_wrong = np.zeros(len(y), dtype=bool)
    is_wrong[rng.choice(len(y), round(share * len(y)), replace=False)] = True
    return (codes + rng.integers(1, len(classes), len(y)) * is_wrong) % len(classes), is_wrong


def suspicion(log_proba: Any, own: Any, lengths: Any) -> Any:
    """Return by how much per token another class's log probability exceeds that of the label."""
    rows = np.arange(len(own))
    of_own, others = log_proba[rows, own], log_proba.copy()
    others[rows, own] = -np.inf
    return (others.max(axis=1) - of_own) / lengths


def measured(way: str, X: Any, y: Any, share: float) -> str:
    """Return a table cell: precision at the number of wrong labels, ROC area, and seconds."""
    labels, is_wrong = planted(y, share)
    begin = process_time()
    log_proba, lengths = WAYS[way](X, labels)
    found = suspicion(log_proba, labels, lengths)
    seconds = process_time() - begin
    precision = is_wrong[np.argsort(-found, kind="stable")[: is_wrong.sum()]].mean()
    return f"{precision:.2f} / {roc_auc_score(is_wrong, found):.3f} / {seconds:.2g}"


def table(collections: dict[str, tuple[Any, Any]]) -> str:
    """Return a table with one row for each collection and share of wrong labels."""
    left_out(corpora.sp.csr_array([[1, 0], [0, 1]]), [0, 1])  # run the late imports
    rows = [
        [name, f"{len(y):,}", f"{share:.0%}", *(measured(way, X, y, share) for way in WAYS)]
        for name, (X, y) in collections.items()
        for share in SHARES
    ]
    return markdown(["", "documents", "wrong", *WAYS], rows)


def main(argv: Sequence[str] | None = None) -> None:
    """Write the table, or print the table of a quick run."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", nargs="?", type=Path, default=corpora.FOLDER)
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args(argv)
    corpora.FOLDER = args.data
    if args.quick:
        y = np.arange(200) % 2
        X = np.random.default_rng(0).poisson(np.where(y, [[3], [1]], [[1], [3]]).T, (200, 2))
        print(table({"made up": (corpora.sp.csr_array(X), y)}))
    else:
        put_between(PAGE, MARKER, table(documents()))


if __name__ == "__main__":
    main()
