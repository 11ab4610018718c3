"""Compare measures for describing classes, by the first ten terms of each class.

    python benchmarks/key_terms.py [DATA]

The script writes the table of key terms in docs/describing.md. `benchmarks/corpora.py` describes
the folder DATA of the corpora. Missing corpora are skipped. A random two thirds of each library's
docstrings are for training, and the rest is for the test.
"""

from __future__ import annotations

import argparse
import importlib.util
import sysconfig
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

import corpora
import termsift as ts
from compare import markdown, put_between
from describing import PAGE
from termsift.io._demo import _docstrings_of
from termsift.text._blocks import text_blocks
from termsift.text._matrices import count_blocks

MARKER = "key"
TERMS = 10
METHODS = ("key", "g2", "md", "g2_counts", "log_odds")
RULES = ts.text.TextRules(token_pattern=r"(?u)\b\w+\b")  # This includes words of one letter.
FEWEST = 10  # Smallest number of training documents of a package.


@dataclass(frozen=True)
class Cut:
    """Training and test documents, and the word of each column if the words are known."""

    split: corpora.Split
    words: Sequence[str] | None = None


# ---- collections ---------------------------------------------------------------------------------


def of_texts(texts: Sequence[str], labels: Sequence[str], is_train: Any) -> Cut:
    """Split documents into training and test. Leave out classes with few training documents."""
    X, words = count_blocks(text_blocks(texts), RULES, 0)
    X, y = sp.csr_array(X), np.array(labels)
    names, sizes = np.unique(y[is_train], return_counts=True)
    kept = np.isin(y, names[sizes >= FEWEST])
    train, test = kept & is_train, kept & ~is_train
    return Cut(corpora.Split(X[train], y[train], X[test], y[test]), words)


def of_lines(name: str) -> Cut:
    """Read a corpus of lines ``label<TAB>text`` with its official split."""
    train = corpora.FOLDER / corpora.FILES[name]
    files = [path.read_text("utf-8").splitlines() for path in (train, train.with_name("test.txt"))]
    labels, texts = zip(*(line.split("\t", 1) for lines in files for line in lines), strict=True)
    return of_texts(texts, labels, np.arange(len(texts)) < len(files[0]))


def of_newsgroups() -> Cut:
    """Read all words of 20 Newsgroups with the official split."""
    X, y = corpora.newsgroups_text("unigrams")
    path = corpora.FOLDER / corpora.FILES["unigrams"]
    is_train = np.load(path)["is_train"].astype(bool)
    split = corpora.Split(X[is_train], y[is_train], X[~is_train], y[~is_train])
    return Cut(split, path.with_suffix(".vocab.txt").read_text("utf-8").split())


def of_docstrings(folder: Path) -> Cut:
    """Read the docstrings in a folder of packages. Each package is a class."""
    found = []
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).parts
        if len(parts) > 1 and not {"tests", "test", "idle_test", "site-packages"} & set(parts):
            found += [(text, parts[0]) for text in _docstrings_of(path)]
    texts, labels = zip(*found, strict=True)
    return of_texts(texts, labels, np.random.default_rng(0).random(len(texts)) < 2 / 3)


def library(name: str) -> Path:
    """Return the folder of an installed library."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise ValueError(f"{name} is not installed")
    return Path(spec.origin).parent


def collections() -> Iterator[tuple[str, Cut]]:
    """Yield the available collections with their names."""
    corpus: dict[str, Callable[[], Cut]] = {
        "unigrams": of_newsgroups,
        "20 Newsgroups": lambda: Cut(corpora.newsgroups()),
        **{name: partial(of_lines, name) for name in ("R8", "TREC", "reviews")},
        "Reuters": lambda: Cut(corpora.reuters(30)),
    }
    shown = {"unigrams": "20 Newsgroups", "20 Newsgroups": "its stems", "Reuters": "Reuters-30"}
    for name, read in corpus.items():
        if reason := corpora.missing(name):
            print(f"skipped {name}: {reason}")
        else:
            yield shown.get(name, name), read()
    yield "standard library", of_docstrings(Path(sysconfig.get_path("stdlib")))
    yield "scikit-learn", of_docstrings(library("sklearn"))


# ---- lists and their measures --------------------------------------------------------------------


def lists(counts: ts.ClassCounts) -> dict[str, list[Any]]:
    """Return, for each measure, the indices of the best terms of each class."""
    found: dict[str, list[Any]] = {
        f"`{method}`": [r.indices for r in ts.distinctive_terms(counts, method, TERMS).values()]
        for method in METHODS
    }
    tokens, l_i = np.asarray(counts.class_tokens), counts.collection_term_frequency
    idf = np.log1p(int(tokens.mean()) / np.maximum(l_i, 1))
    rows = counts.term_frequency.toarray() / tokens[:, None] * idf
    found["c-TF-IDF"] = [np.argsort(-row, kind="stable")[:TERMS] for row in rows]
    keys = [counts.keyness(label, direction="over").table for label in counts.classes]
    joint: dict[str, Callable[[Any], Any]] = {
        "`lrc_docs`": lambda key: key["lrc_docs"],
        "root of `g2_docs` times `lrc_docs`": lambda key: np.sqrt(key["g2_docs"]) * key["lrc_docs"],
        "root of `g2_counts` times `lrc_docs`": lambda key: np.sqrt(key["g2"]) * key["lrc_docs"],
    }
    for name, strength in joint.items():
        orders = (np.argsort(-strength(key), kind="stable")[:TERMS] for key in keys)
        found[name] = [key["index"][order] for key, order in zip(keys, orders, strict=True)]
    return found


def measures(cut: Cut, of_classes: list[Any], unseen: ts.ClassCounts) -> tuple[float, float, float]:
    """Return the shares of stop words, of distinct terms, and of terms that pass the test.

    A term passes if, in the test documents, the share of documents with the term is larger in the
    class than in the other classes.
    """
    every = np.concatenate(of_classes)
    stop = np.nan
    if cut.words is not None:
        stop = np.mean([cut.words[term] in ENGLISH_STOP_WORDS for term in every])
    df, n = unseen.document_frequency.toarray(), np.asarray(unseen.class_docs)
    holds = [
        df[c, terms] / max(n[c], 1) > (df[:, terms].sum(axis=0) - df[c, terms]) / (n.sum() - n[c])
        for c, terms in enumerate(of_classes)
    ]
    return float(stop), len(np.unique(every)) / len(every), float(np.mean(np.concatenate(holds)))


def main(argv: Sequence[str] | None = None) -> None:
    """Measure the lists of each collection and write the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", nargs="?", type=Path, help="folder of the corpora")
    args = parser.parse_args(argv)
    if args.data:
        corpora.FOLDER = args.data
    found: dict[str, dict[str, tuple[float, float, float]]] = {}
    for name, cut in collections():
        counts = ts.count(cut.split.X_train, cut.split.y_train)
        unseen = ts.count(cut.split.X_test, cut.split.y_test, classes=counts.classes)
        for measure, of_classes in lists(counts).items():
            found.setdefault(measure, {})[name] = measures(cut, of_classes, unseen)
    rows = []
    for measure, values in found.items():
        mean = tuple(np.nanmean(list(values.values()), axis=0).tolist())
        cells = [
            " / ".join("-" if np.isnan(x) else f"{100 * x:.0f}" for x in row)
            for row in (*values.values(), mean)
        ]
        rows.append([measure, *cells])
    names = [*next(iter(found.values())), "mean"]
    put_between(PAGE, MARKER, markdown(["", *names], rows))
    print(f"wrote {PAGE}")


if __name__ == "__main__":
    main()
