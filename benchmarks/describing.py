"""Write the term lists of several methods side by side, to show which method describes best.

    python benchmarks/describing.py [--quick]

The script writes the lists of docs/describing.md. With ``--quick`` it prints the first lists
instead. The collections are the docstrings and the sources of Python's standard library.
"""

from __future__ import annotations

import argparse
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import termsift as ts
from compare import ROOT, put_between
from termsift.io import load_demo

MARKER = "lists"
PAGE = ROOT / "docs" / "describing.md"
METHODS = ("md", "log_odds", "chi2", "jlh", "g2", "g2_counts", "key")
TERMS = 8  # in a list


def sources_of(folder: Path) -> ts.ClassCounts:
    """Count the source files in a folder of packages. Each package is a class."""
    texts, labels = [], []
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).parts
        if len(parts) < 2 or {"tests", "test", "idle_test", "site-packages"} & set(parts):
            continue
        texts.append(path.read_text("utf-8", "replace"))
        labels.append(parts[0])
    return ts.count_texts(texts, labels)


def collections() -> dict[str, ts.ClassCounts]:
    """Return the counts of each collection."""
    demo = load_demo()
    found = {"Docstrings of the standard library": ts.count(demo.X, demo.y)}
    found["Docstrings of the standard library"].term_names = demo.term_names
    standard = Path(sysconfig.get_path("stdlib"))
    found["Sources of the standard library"] = sources_of(standard)
    return found


def lists(counts: ts.ClassCounts, n_classes: int = 4) -> str:
    """Return each method's lists, for the largest classes and for one class with few tokens."""
    tokens = np.asarray(counts.class_tokens)
    order = np.argsort(-tokens, kind="stable")
    order = order[tokens[order] >= 1000]
    shown = [*order[: n_classes - 1], order[-1]]
    labels = [counts.classes[c] for c in shown]
    rows = []
    for method in METHODS:
        found = ts.distinctive_terms(counts, method, TERMS, labels).values()
        rows.append([f"`{method}`", *(" ".join(of.terms) for of in found)])
    header = [f"{label} ({tokens[c]:,})" for c, label in zip(shown, labels, strict=True)]
    lines = [["", *header], ["---"] * (len(header) + 1), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def main(argv: Sequence[str] | None = None) -> None:
    """Make the lists and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="print the lists of one collection")
    args = parser.parse_args(argv)
    found = collections()
    if args.quick:
        print(lists(next(iter(found.values()))))
        return
    text = "\n\n".join(f"**{name}**\n\n{lists(counts)}" for name, counts in found.items())
    put_between(PAGE, MARKER, text)
    print(f"wrote {PAGE}")


if __name__ == "__main__":
    main()
