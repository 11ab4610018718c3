"""``termsift demo``: what termsift does, on a collection that every Python has."""

from __future__ import annotations

import argparse
import logging
import sys
from typing import Any

import numpy as np
import numpy.typing as npt

import termsift as ts
from termsift import demo
from termsift.cli.arguments import add_command, add_method, methods_help, positive
from termsift.cli.inputs import count_collection
from termsift.cli.output import largest, summary, write_table

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
        "package that it stands in. Listed are terms that are more frequent in a package than in\n"
        "the others, by their scores for that package.\n\n" + methods_help(),
    )
    add_method(parser, ts.methods())
    parser.add_argument(
        "-k", type=positive, default=8, metavar="N", help="terms for each package (default: 8)"
    )
    parser.set_defaults(watched=True)  # the one command that may seem to hang


def _run(args: argparse.Namespace) -> None:
    _log.info("reading the docstrings of the standard library")
    collection = demo.load()
    counts = count_collection(collection, None)
    names = collection.term_names
    assert names is not None  # words are their own names
    typical = _typical_terms(counts, args.method)
    rows = [("package", "documents", f"terms that tell it apart ({args.method})")]
    for c in largest(counts, _DEMO_PACKAGES):
        terms = " ".join(names[typical[c][: args.k]])
        rows.append((str(counts.classes[c]), f"{counts.class_docs[c]:,}", terms))
    best = counts.rank(args.method, k=2 * args.k)

    out = sys.stdout
    out.write(f"From {collection.source}: {summary(counts)}.\n\n")
    write_table(out, rows, "<><")
    out.write(f"\nBest over all {counts.n_classes} packages: {' '.join(names[best.indices])}\n")


def _typical_terms(counts: ts.ClassCounts, method: str) -> list[npt.NDArray[np.int64]]:
    """Order each class's terms by its scores, those alone that it uses more than the rest do.

    A score says how far a class and the rest are apart, not which of them has more. Dense in
    classes and terms: for collections as small as the demo's.
    """
    scores = counts.class_scores(method)
    occurrences = counts.term_frequency.toarray()
    share = occurrences / np.maximum(counts.class_tokens, 1)[:, np.newaxis]
    more = share > occurrences.sum(axis=0) / counts.class_tokens.sum()
    orders = np.argsort(-scores, axis=1, kind="stable")
    return [order[more[c][order]] for c, order in enumerate(orders)]
