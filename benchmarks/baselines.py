"""Accuracy and macro-F1 of naive Bayes with the scores of later articles, and with a uniform prior.

    python benchmarks/baselines.py [--quick] [--write]

Every method ranks the terms of nine collections, of which `corpora.py` finds the files. Ten-fold
cross-validation on the training documents gives the numbers: `ts.compare` runs it, and its
`agreement` has the ranks and the tests. `--write` writes the tables into docs/baselines.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

import corpora
import termsift as ts
from compare import ROOT, conditions, markdown, put_between

KS = [10, 20, 50, 100, 200, 500, 1000]
FEW = [10, 20, 50, 100, 200]  # the numbers of terms for which a uniform prior may help
BEST = "md binary round_robin"
LATER = ["dfs", "efs", "gini", "acc2", "ndm", "mmr", "wllr", "poisson_deviation", "cmfs"]
OPTIONS = [("ndm", "document"), ("mmr", "document"), ("wllr", "epsilon")]


def methods() -> dict[str, Any]:
    """Return the baselines with both policies, beside methods that termsift had before."""
    found: dict[str, Any] = {
        BEST: ts.method("md", model="binary", policy="round_robin"),
        "conditional_gain": "conditional_gain",
        "md": "md",
        "ig": "ig",
        "chi2": "chi2",
    }
    for name in LATER:
        found[name] = name
        found[f"{name} round_robin"] = ts.method(name, policy="round_robin")  # type: ignore[arg-type]
    for name, zero in OPTIONS:
        found[f"{name} {zero}"] = ts.method(name, zero=zero)  # type: ignore[arg-type]
    return found


def collections() -> dict[str, Callable[[], tuple[Any, Any]]]:
    """Return functions that read the training documents of the collections that are here."""
    readers: dict[str, tuple[str, Callable[[], Any]]] = {
        "20 Newsgroups": ("20 Newsgroups", corpora.newsgroups),
        "all words": ("unigrams", partial(corpora.newsgroups_text, "unigrams")),
        "alt-comp": ("20 Newsgroups", corpora.alt_comp),
        "Reuters-10": ("Reuters", partial(corpora.reuters, 10)),
        "Reuters-20": ("Reuters", partial(corpora.reuters, 20)),
        "Reuters-30": ("Reuters", partial(corpora.reuters, 30)),
        "R8": ("R8", corpora.r8),
        "TREC": ("TREC", corpora.trec),
        "reviews": ("reviews", corpora.reviews),
    }
    found = {}
    for name, (corpus, read) in readers.items():
        if reason := corpora.missing(corpus):
            print(f"skipped {name}: {reason}")
        else:
            found[name] = partial(training_part, read)
    return found


def training_part(read: Callable[[], Any]) -> tuple[Any, Any]:
    """Return the training documents and their labels."""
    found = read()
    return found if isinstance(found, tuple) else (found.X_train, found.y_train)


def per_cent(value: float) -> str:
    return f"{100 * value:.1f}"


def table_of_methods(found: ts.Comparison) -> str:
    """Return the table of all methods: accuracy and macro-F1, ranks, and where they win."""
    by_accuracy, by_f1 = (found.agreement(metric, to=BEST) for metric in ("accuracy", "macro_f1"))
    rows = []
    for row in np.argsort(by_accuracy.table["mean_rank"], kind="stable"):
        name = by_accuracy.rankings[row]
        gaps = by_accuracy.values[:, row] - by_accuracy.values[:, by_accuracy.rankings.index(BEST)]
        wins = [c for c, gap in zip(by_accuracy.collections, gaps, strict=True) if gap > 0]
        rows.append(
            [
                name,
                per_cent(by_accuracy.table["mean"][row]),
                per_cent(by_f1.table["mean"][row]),
                f"{by_accuracy.table['mean_rank'][row]:.1f}",
                ", ".join(wins) or "-",
                f"{by_accuracy.table['pvalue_adj'][row]:.2g}" if name != BEST else "-",
            ]
        )
    header = ["method", "accuracy", "macro-F1", "mean rank", f"ahead of {BEST} on", "p"]
    n = len(by_accuracy.collections)
    ks = ", ".join(f"{k:,}" for k in KS)
    note = (
        f"Means over k = {ks} and {n} collections. Friedman's test: p = "
        f"{by_accuracy.friedman.pvalue:.2g}. Mean ranks that differ by less than "
        f"{by_accuracy.critical_difference:.1f} are not significantly different (Nemenyi). The "
        "last column has the p-value of the sign test of the accuracies, adjusted by Holm's method."
    )
    return f"{markdown(header, rows)}\n\n{note}"


def table_of_priors(found: ts.Comparison) -> str:
    """Return the table of a uniform prior: its difference on each collection, with intervals."""
    rows = []
    for name, curves in found.items():
        cells = [name]
        for metric in ("macro_f1", "accuracy"):
            table = curves.certainty(metric, to=BEST).columns()  # type: ignore[arg-type]
            row = table["ranking"].tolist().index("uniform prior")
            low, high = (100 * table[f"difference_{end}"][row] for end in ("low", "high"))
            cells += [f"{100 * table['difference'][row]:+.1f}", f"{low:+.1f} to {high:+.1f}"]
        rows.append(cells)
    for metric, place in (("macro_f1", 1), ("accuracy", 3)):
        agreement = found.agreement(metric, to=BEST)  # type: ignore[arg-type]
        gaps = agreement.values[:, 1] - agreement.values[:, 0]
        error = gaps.std(ddof=1) / len(gaps) ** 0.5
        mean = [f"{100 * gaps.mean():+.1f}", f"± {100 * error:.1f}"]
        if place == 1:
            rows.append(["mean, standard error", *mean])
        else:
            rows[-1] += mean
    header = ["collection", "macro-F1", "95% interval", "accuracy", "95% interval"]
    return markdown(header, rows)


def evaluate(some: Mapping[str, Any], chosen: Mapping[str, Any], ks: list[int], cv: int) -> Any:
    """Return the comparison of the methods on the collections."""
    return ts.compare(some, chosen, ks, cv)


def main() -> None:
    """Print the tables, and write them with --write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="three folds of two collections")
    parser.add_argument("--write", action="store_true", help="write docs/baselines.md")
    args = parser.parse_args()
    some = collections()
    if args.quick:
        some = dict([*some.items()][-2:])
    if len(some) < 2:
        print("fewer than two collections are here: nothing to compare")
        return
    cv = 3 if args.quick else 10
    of_methods = table_of_methods(evaluate(some, methods(), KS, cv))
    print(of_methods)
    priors = {
        BEST: ts.method("md", model="binary", policy="round_robin"),
        "uniform prior": ts.method(
            "md", model="binary", policy="round_robin", class_prior="uniform"
        ),
    }
    of_priors = table_of_priors(evaluate(some, priors, FEW, cv))
    print(of_priors)
    if args.write and not args.quick:
        page = ROOT / "docs" / "baselines.md"
        put_between(page, "methods", f"{of_methods}\n\nComputed {conditions()}.")
        put_between(page, "priors", of_priors)


if __name__ == "__main__":
    main()
