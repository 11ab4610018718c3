"""``termsift demo``: what termsift does, on a collection that comes with every Python."""

from __future__ import annotations

import argparse
from typing import Any

import termsift as ts
from termsift import io
from termsift._counts.counting import count_collection
from termsift._scores.class_terms import distinctive_terms, largest_classes
from termsift._scores.registry import DESCRIBING
from termsift.cli import arguments, output

_PACKAGES = 12  # listed; more could not be read at a glance
_ABOUT = """\
Nothing is downloaded or imported. The class of a docstring is its package. The terms of a package
are those that it has more of than the other packages, by decreasing score. The other commands read
these docstrings too: 'termsift report demo -o demo.html' writes a page about them.

"""


def add(commands: Any) -> None:
    """Add the parser of the command."""
    about = "show what termsift does on the docstrings of Python's standard library"
    parser = arguments.add_command(commands, "demo", _run, about, _ABOUT, "[options]")
    arguments.add_method(parser, ts.methods(), DESCRIBING)
    arguments.add_values(parser, ("-k", int, "N", "terms per package (default: 8)"))


def _run(args: argparse.Namespace) -> None:
    out, method = output.standard_output(), args.method or DESCRIBING
    k = 8 if args.k is None else args.k
    collection = io.load_demo()
    counts = count_collection(collection)
    names = collection.term_names
    assert names is not None
    largest = largest_classes(counts, _PACKAGES)
    packages = [counts.classes[c] for c in largest]
    rows = [("package", "documents", f"terms that tell it apart ({method})")]
    rankings = distinctive_terms(counts, method, k, packages)
    for c, (package, terms) in zip(largest, rankings.items(), strict=True):
        rows.append((str(package), f"{counts.class_docs[c]:,}", " ".join(names[terms.indices])))
    best = counts.rank(method, k=2 * k)

    out.write(f"From {collection.source}: {output.summary(counts)}.\n\n")
    output.write_table(out, rows, "<><")
    out.write(f"\nBest over all {counts.n_classes} packages: {' '.join(names[best.indices])}\n")
