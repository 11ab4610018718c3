"""``termsift demo``: show what termsift does, on a collection that comes with Python."""

from __future__ import annotations

import argparse
from typing import Any

import termsift as ts
from termsift import io
from termsift.cli import arguments, inputs, output

_PACKAGES = 12  # The number of packages that fit on a screen.
_TERMS = 8  # The number of terms for each package.
_MORE = """\
Nothing is downloaded or imported. The class of a docstring is its package. Each package is listed
with the terms that it uses more than the other packages do, best first. Other commands read these
docstrings too: 'termsift report demo -o demo.html' writes a page about them.
"""


def add(commands: Any) -> None:
    """Add the parser of the command."""
    about = "show what termsift does on the docstrings of Python's standard library"
    arguments.add_command(commands, "demo", _run, about, _MORE, "[options]")


def _run(args: argparse.Namespace) -> None:
    collection = io.load_demo()
    counts = inputs.count_collection(collection)
    largest = output.largest_classes(counts, _PACKAGES)
    packages = [counts.classes[c] for c in largest]
    leading = ts.distinctive_terms(counts, k=_TERMS, classes=packages)
    best = counts.rank("g2", k=2 * _TERMS)
    names = collection.term_names
    assert names is not None
    rows = [("package", "documents", f"terms that tell it apart ({arguments.KEY})")]
    for c, (package, terms) in zip(largest, leading.items(), strict=True):
        rows.append((str(package), f"{counts.class_docs[c]:,}", " ".join(names[terms.indices])))

    with output.standard_output() as out:
        out.write(f"From {collection.source}: {output.summary(counts)}.\n\n")
        output.write_table(out, rows, "<><")
        best_terms = " ".join(names[best.indices])
        out.write(f"\nBest over all {counts.n_classes} packages: {best_terms}\n")
