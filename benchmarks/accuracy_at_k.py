"""Test accuracy of multinomial naive Bayes on the first k terms of a ranking.

    python benchmarks/accuracy_at_k.py

Ranks the terms of the training documents of 20 Newsgroups and Reuters-10 by every method, trains
scikit-learn's MultinomialNB on the first k of them, and prints the accuracy on the test documents.
"""

from __future__ import annotations

from collections.abc import Sequence

from sklearn.naive_bayes import MultinomialNB

import corpora
import termsift as ts

KS = (10, 50, 100, 200, 500, 1000, 2000)
CORPORA = {"20 Newsgroups": corpora.newsgroups, "Reuters": corpora.reuters}


def accuracies(split: corpora.Split, method: str, ks: Sequence[int] = KS) -> list[float]:
    """Give the test accuracy in per cent for each number of terms."""
    ranking = ts.count(split.X_train, split.y_train).rank(method, k=max(ks))
    found = []
    for k in ks:
        terms = ranking.indices[:k]
        model = MultinomialNB().fit(split.X_train[:, terms], split.y_train)
        found.append(100 * float(model.score(split.X_test[:, terms], split.y_test)))
    return found


def main() -> None:
    """Print one table a corpus."""
    for name, load in CORPORA.items():
        if reason := corpora.missing(name):
            print(f"skipped: {reason}")
            continue
        split = load()
        documents = f"{split.X_train.shape[0]} + {split.X_test.shape[0]} documents"
        print(f"\n{name}: {documents}, {split.X_train.shape[1]} terms. Test accuracy, per cent:")
        print(f"{'k':>10}" + "".join(f"{k:>7}" for k in KS))
        for method in ts.methods():
            row = "".join(f"{value:>7.1f}" for value in accuracies(split, method.name))
            print(f"{method.name:>10}{row}")


if __name__ == "__main__":
    main()
