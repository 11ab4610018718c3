"""Select data that resembles a target, by naive Bayes of hashed n-grams and by the DSIR package.

    python benchmarks/target_data.py [DATA] [--quick]

The package `data-selection` must be installed. The target consists of 50 documents of one class.
The raw documents, from which the script selects, are all other documents of all classes. The script
writes the table of docs/target_data.md. With ``--quick`` it prints a table for generated documents
instead. `benchmarks/corpora.py` describes the folder DATA.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import corpora
import termsift as ts
from compare import ROOT, markdown, put_between

MARKER = "figures"
PAGE = ROOT / "docs" / "target_data.md"
BUCKETS, OF_TARGET = 10_000, 50
COLLECTIONS = {"R8": ("crude", "trade"), "TREC": ("LOC", "NUM"), "reviews": ("1",)}


def by_termsift(target: list[str], raw: list[str], k: int, alpha: float = 1.0) -> Any:
    """Return the k documents with the largest weights, which docs/target_data.md defines."""
    sides = ["target"] * len(target) + ["raw"] * len(raw)
    counts = ts.count_texts(target + raw, sides, ngram_range=(1, 2), hashing=BUCKETS)
    classifier = counts.naive_bayes(class_prior="uniform", alpha=alpha)
    of_raw, of_target = classifier.predict_log_proba(raw).T
    return np.argsort(of_raw - of_target, kind="stable")[:k]


def by_dsir(target: list[str], raw: list[str], k: int) -> Any:
    """Return the k documents to which the DSIR package gives the largest weights, without noise."""
    from data_selection import HashedNgramDSIR

    with TemporaryDirectory() as folder:
        paths = [Path(folder, "target"), Path(folder, "raw")]
        for path, texts in zip(paths, (target, raw), strict=True):
            path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
        of_target, of_raw = map(str, paths)
        dsir = HashedNgramDSIR([of_raw], [of_target], folder, num_buckets=BUCKETS, num_proc=1)
        dsir.fit_importance_estimator(num_tokens_to_fit="all")
        dsir.compute_importance_weights()
        weights = np.load(dsir.log_importance_weights_dir / "0.npy")
    return np.argsort(-weights, kind="stable")[:k]


WAYS: dict[str, Callable[[list[str], list[str], int], Any]] = {
    "termsift": by_termsift,
    "alpha=1e-4": partial(by_termsift, alpha=1e-4),
    "DSIR": by_dsir,
}


def row(name: str, texts: Any, labels: Any, label: str) -> list[str]:
    """Return a table row for a class: the share of chosen documents of the class, and seconds.

    The last cell is the share of documents that DSIR and termsift (with ``alpha=1e-4``) both
    choose.
    """
    rng = np.random.default_rng(0)
    is_target = np.zeros(len(texts), dtype=bool)
    is_target[rng.choice(np.flatnonzero(labels == label), OF_TARGET, replace=False)] = True
    target, raw = texts[is_target].tolist(), texts[~is_target].tolist()
    is_right = labels[~is_target] == label
    n_right, cells, chosen = int(is_right.sum()), [], []
    for choose in WAYS.values():
        begin = sum(os.times()[:4])  # processor time of this process and its children
        chosen.append(choose(target, raw, n_right))
        seconds = sum(os.times()[:4]) - begin
        cells.append(f"{is_right[chosen[-1]].mean():.2f} / {seconds:.2g}")
    agreement = len(np.intersect1d(*chosen[1:])) / n_right
    return [f"{name}, {label}", f"{len(raw):,}", f"{n_right:,}", *cells, f"{agreement:.2f}"]


def table(rows: list[list[str]]) -> str:
    """Return the table of rows."""
    return markdown(["class", "documents", "of the class", *WAYS, "chosen by both"], rows)


def main(argv: Sequence[str] | None = None) -> None:
    """Write the table, or print the table of a quick run."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", nargs="?", type=Path, default=corpora.FOLDER)
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args(argv)
    corpora.FOLDER = args.data
    if args.quick:
        texts = np.array([f"{'court' if i % 2 else 'eggs'} and number {i}" for i in range(200)])
        print(table([row("made up", texts, np.array(["eggs", "court"] * 100), "court")]))
        return
    rows = []
    for name, classes in COLLECTIONS.items():
        lines = (corpora.FOLDER / corpora.FILES[name]).read_text("utf-8").splitlines()
        labels, texts = np.array([line.split("\t", 1) for line in lines], dtype=object).T
        rows += [row(name, texts, labels, label) for label in classes]
    put_between(PAGE, MARKER, table(rows))


if __name__ == "__main__":
    main()
