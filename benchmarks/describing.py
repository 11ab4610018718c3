"""Which method describes classes best: the lists of several methods, side by side.

    python benchmarks/describing.py [DATA] [--quick]

Writes the tables of docs/describing.md; ``--quick`` prints the first of them instead. The lists are
of the docstrings and the sources of libraries that this Python has. The measures are of the corpora
in DATA, laid out as `benchmarks/corpora.py` describes; missing corpora are skipped.
"""

from __future__ import annotations

import argparse
import importlib.util
import sysconfig
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

import corpora
import termsift as ts
from compare import ROOT, markdown, put_between
from termsift.io import load_demo
from termsift.io._demo import _docstrings_of

MARKERS = ("lists", "measures")
PAGE = ROOT / "docs" / "describing.md"
METHODS = ("md", "log_odds", "chi2", "jlh", "g2", "g2_counts", "key")
TERMS = 8  # in a list
MEASURED = 10
COMMON = 100
CORPORA: dict[str, tuple[str, Callable[[], corpora.Split]]] = {
    "20 Newsgroups": ("20 Newsgroups", corpora.newsgroups),
    "Reuters-30": ("Reuters", partial(corpora.reuters, 30)),
    "R8": ("R8", corpora.r8),
    "TREC": ("TREC", corpora.trec),
    "reviews": ("reviews", corpora.reviews),
}


# ---- lists ---------------------------------------------------------------------------------------


def packages_of(folder: Path, *, docstrings: bool) -> ts.ClassCounts:
    """Count the docstrings, or the sources, of the packages in a folder; a package is a class."""
    texts, labels = [], []
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).parts
        if len(parts) < 2 or {"tests", "test", "idle_test", "site-packages"} & set(parts):
            continue
        found = _docstrings_of(path) if docstrings else [path.read_text("utf-8", "replace")]
        for text in found:
            texts.append(text)
            labels.append(parts[0])
    return ts.count_texts(texts, labels)


def collections() -> dict[str, ts.ClassCounts]:
    """Return the counts of the collections whose lists are shown."""
    demo = load_demo()
    found = {"Docstrings of the standard library": ts.count(demo.X, demo.y)}
    found["Docstrings of the standard library"].term_names = demo.term_names
    standard = Path(sysconfig.get_path("stdlib"))
    found["Sources of the standard library"] = packages_of(standard, docstrings=False)
    for library in ("numpy", "scipy", "sklearn"):
        spec = importlib.util.find_spec(library)
        if spec is not None and spec.origin is not None:
            name = f"Docstrings of {library}"
            found[name] = packages_of(Path(spec.origin).parent, docstrings=True)
    return found


def lists(counts: ts.ClassCounts, n_classes: int = 4) -> str:
    """Return the lists of some classes by each method: the largest ones, and one of few tokens."""
    tokens = np.asarray(counts.class_tokens)
    order = np.argsort(-tokens, kind="stable")
    order = order[tokens[order] >= 1000]
    shown = [*order[: n_classes - 1], order[-1]]
    labels = [counts.classes[c] for c in shown]
    rows = []
    for method in METHODS:
        found = ts.distinctive_terms(counts, method, TERMS, labels).values()
        rows.append([f"`{method}`", *(" ".join(of.terms) for of in found if of.terms is not None)])
    header = [f"{label} ({tokens[c]:,})" for c, label in zip(shown, labels, strict=True)]
    lines = [["", *header], ["---"] * (len(header) + 1), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


# ---- measures ------------------------------------------------------------------------------------


def short_classes(split: corpora.Split, n_docs: int = 20) -> corpora.Split:
    """Return a split that keeps only some training documents of every second class."""
    rng = np.random.default_rng(0)
    keep = np.ones(len(split.y_train), dtype=bool)
    for label in np.unique(split.y_train)[::2]:
        own = rng.permutation(np.flatnonzero(split.y_train == label))
        keep[own[n_docs:]] = False
    return replace(split, X_train=split.X_train[keep], y_train=split.y_train[keep])


def measures(split: corpora.Split, method: str) -> tuple[float, float, float]:
    """Return how a method's lists fare on the test documents.

    The shares are of listed terms that are among the most common of the collection, and of those
    that the class has less of than the others in the test documents. The last value is the mean of
    the log2 ratio of relative frequencies there, with half an occurrence added to each.
    """
    counts = ts.count(split.X_train, split.y_train)
    unseen = ts.count(split.X_test, split.y_test, classes=counts.classes).term_frequency.toarray()
    common = np.argsort(-counts.collection_document_frequency, kind="stable")[:COMMON]
    is_common, ratios = [], []
    tokens = unseen.sum(axis=1)
    for c, found in enumerate(ts.distinctive_terms(counts, method, MEASURED).values()):
        is_common.append(np.isin(found.indices, common))
        own = unseen[c, found.indices]
        rest = unseen[:, found.indices].sum(axis=0) - own
        ratio = (own + 0.5) / (tokens[c] + 0.5) * (tokens.sum() - tokens[c] + 0.5) / (rest + 0.5)
        ratios.append(np.log2(ratio))
    every = np.concatenate(ratios)
    return float(np.mean(np.concatenate(is_common))), float(np.mean(every < 0)), float(every.mean())


def measured(splits: dict[str, corpora.Split]) -> str:
    """Return the measures of each method on each corpus as a table."""
    rows = []
    for name, split in splits.items():
        found = (measures(split, method) for method in METHODS)
        cells = [
            f"{100 * common:.0f} / {100 * less:.1f} / {ratio:.1f}" for common, less, ratio in found
        ]
        rows.append([name, *cells])
    return markdown(["", *(f"`{method}`" for method in METHODS)], rows)


def main(argv: Sequence[str] | None = None) -> None:
    """Make the lists and the measures and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "data",
        nargs="?",
        type=Path,
        help="folder of the corpora; default: as benchmarks/corpora.py describes",
    )
    parser.add_argument("--quick", action="store_true", help="print the lists of one collection")
    args = parser.parse_args(argv)
    if args.data:
        corpora.FOLDER = args.data
    found = collections()
    if args.quick:
        print(lists(next(iter(found.values()))))
        return
    text = "\n\n".join(f"**{name}**\n\n{lists(counts)}" for name, counts in found.items())
    put_between(PAGE, MARKERS[0], text)
    splits = {}
    for name, (corpus, load) in CORPORA.items():
        if reason := corpora.missing(corpus):
            print(f"skipped {name}: {reason}")
        else:
            splits[name] = load()
    if "20 Newsgroups" in splits:
        splits["20 Newsgroups, short classes"] = short_classes(splits["20 Newsgroups"])
    if splits:
        put_between(PAGE, MARKERS[1], measured(splits))
    print(f"wrote {PAGE}")


if __name__ == "__main__":
    main()
