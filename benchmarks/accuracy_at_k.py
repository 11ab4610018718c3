"""Test accuracy of multinomial naive Bayes on the first k terms of a ranking.

    python benchmarks/accuracy_at_k.py [--write]

The script ranks the terms of the training documents of 20 Newsgroups and Reuters-10 by every
method, event model and policy. The script trains multinomial naive Bayes on the first k terms,
and prints the accuracy on the test documents. At the largest k, scikit-learn's MultinomialNB must
have the accuracy that termsift reports. ``--write`` puts the tables into ``benchmarks/README.md``.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.naive_bayes import MultinomialNB

import corpora
import termsift as ts
from compare import ROOT, conditions, markdown, put_between
from trials import ranked

MARKER = "accuracy"
PAGE = ROOT / "benchmarks" / "README.md"
KS = (10, 50, 100, 200, 500, 1000, 2000)
CORPORA = {"20 Newsgroups": corpora.newsgroups, "Reuters": corpora.reuters}


def accuracies(
    split: corpora.Split, method: str, ks: Sequence[int] = KS, **options: Any
) -> list[float]:
    """Return the test accuracy in per cent for each number of terms."""
    counts = ts.count(split.X_train, split.y_train)
    ranking = ranked(method, counts, split.X_train, split.y_train, max(ks), **options)
    parts = (split.X_train, split.y_train, split.X_test, split.y_test)
    curve = ts.selection_curve(ranking, *parts, ks)
    terms = ranking.indices[: ks[-1]]
    anew = MultinomialNB().fit(split.X_train[:, terms], split.y_train)
    assert curve.accuracy[-1] == np.mean(anew.predict(split.X_test[:, terms]) == split.y_test)
    return (100 * curve.accuracy).tolist()


def rankings() -> Iterator[tuple[str, dict[str, Any]]]:
    """Return every method with each of its models and policies."""
    for method in (*ts.methods(), *ts.selectors()):
        for model in method.models or ("multinomial",):
            yield method.name, {"model": model}
            if isinstance(method, ts.Method):
                yield method.name, {"model": model, "policy": "round_robin"}


def main() -> None:
    """Print one table per corpus."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the tables of README.md")
    args = parser.parse_args()
    tables = []
    for name, load in CORPORA.items():
        if reason := corpora.missing(name):
            print(f"skipped: {reason}")
            continue
        split = load()
        documents = f"{split.X_train.shape[0]:,} + {split.X_test.shape[0]:,} documents"
        rows = []
        for method, options in rankings():
            found = accuracies(split, method, **options)
            label = [method, options["model"], options.get("policy", "top")]
            rows.append([*label, *(f"{value:.1f}" for value in found)])
            print(*rows[-1], flush=True)
        table = markdown(["method", "model", "policy", *(f"k = {k:,}" for k in KS)], rows)
        tables.append(f"{name}, {documents}, {split.X_train.shape[1]:,} terms:\n\n{table}")
    if args.write:
        text = "\n\n".join([f"Measured {conditions()}.", *tables])
        put_between(PAGE, MARKER, text)


if __name__ == "__main__":
    main()
