"""``termsift demo``: what termsift does, on a collection that every Python has."""

from __future__ import annotations

import argparse
import logging
from typing import Any

import termsift as ts
from termsift import io
from termsift._scores.class_terms import distinctive_terms, largest_classes
from termsift.cli.arguments import add_command, add_method, methods_help, positive
from termsift.cli.inputs import count_collection
from termsift.cli.output import standard_output, summary, write_table

_log = logging.getLogger("termsift")

_DEMO_PACKAGES = 12  # how many classes a command lists: as many as are read at a glance


def add(commands: Any) -> None:
    """Add the parser of the command."""
    parser = add_command(
        commands,
        "demo",
        _run,
        "show what it does on the docstrings of Python's standard library",
        "Nothing is downloaded and nothing imported: a document is a docstring, its class the\n"
        "package that it stands in. The terms listed speak for a package, which has more of them\n"
        "than the others have; those with the highest scores for it come first.\n\n"
        + methods_help(),
    )
    add_method(parser, ts.methods())
    parser.add_argument(
        "-k", type=positive, default=8, metavar="N", help="terms for each package (default: 8)"
    )
    parser.set_defaults(watched=True)  # the one command that may seem to hang


def _run(args: argparse.Namespace) -> None:
    out = standard_output()
    _log.info("reading the docstrings of the standard library")
    collection = io.load_demo()
    counts = count_collection(collection, None)
    names = collection.term_names
    assert names is not None  # words are their own names
    listed = largest_classes(counts, _DEMO_PACKAGES)
    packages = [counts.classes[c] for c in listed]
    typical = distinctive_terms(counts, args.method, args.k, packages)
    rows = [("package", "documents", f"terms that tell it apart ({args.method})")]
    for c, found in zip(listed, typical, strict=True):
        terms = " ".join(names[found.indices])
        rows.append((str(found.label), f"{counts.class_docs[c]:,}", terms))
    best = counts.rank(args.method, k=2 * args.k)

    out.write(f"From {collection.source}: {summary(counts)}.\n\n")
    write_table(out, rows, "<><")
    out.write(f"\nBest over all {counts.n_classes} packages: {' '.join(names[best.indices])}\n")
