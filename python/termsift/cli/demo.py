"""``termsift demo``: what termsift does, on a collection that comes with every Python."""

from __future__ import annotations

import argparse
import logging
from functools import partial
from typing import Any, TextIO

import termsift as ts
from termsift import io
from termsift._counts.counting import count_collection
from termsift._scores.class_terms import distinctive_terms, largest_classes
from termsift._scores.registry import DESCRIBING
from termsift.cli.arguments import add_command, add_method, add_values, positive
from termsift.cli.inputs import DEMO
from termsift.cli.output import (
    check_ending,
    opened,
    standard_output,
    summary,
    tell,
    write_table,
)
from termsift.cli.report import PAGE_ENDINGS, PASSAGES, passages_in
from termsift.io._demo import scan_demo
from termsift.report import write_report

_log = logging.getLogger("termsift")

_PACKAGES = 12  # listed; more could not be read at a glance
_ABOUT = """\
Nothing is downloaded or imported. The class of a docstring is its package. The terms of a package
are those that it has more of than the other packages, by decreasing score.

"""


def add(commands: Any) -> None:
    """Add the parser of the command."""
    about = "show what termsift does on the docstrings of Python's standard library"
    parser = add_command(commands, "demo", _run, about, _ABOUT, "[options]")
    add_method(parser, ts.methods(), DESCRIBING)
    page = f"also write the page of 'termsift report' about it, {' or '.join(PAGE_ENDINGS)}"
    add_values(
        parser,
        ("-k", positive, "N", "terms per package", 8),
        ("--report", str, "FILE", page),
    )
    parser.set_defaults(watched=True)  # the only command that is silent for seconds


def _run(args: argparse.Namespace) -> None:
    args.method = args.method or DESCRIBING
    if args.report is None:
        _show(args, standard_output())
        return
    check_ending(args.report, PAGE_ENDINGS, "a page")
    with opened(args.report) as page:  # first, so that a wrong path is reported before the work
        collection = _show(args, standard_output())
        _log.info("evaluating %s for the page", args.method)
        command = f"termsift report {DEMO} --method {args.method} -o report.html"
        find = partial(passages_in, scan_demo, PASSAGES)
        write_report(collection, page, method=args.method, passages=find, command=command)
    tell(f"wrote {args.report}, a page about these docstrings")


def _show(args: argparse.Namespace, out: TextIO) -> io.Collection:
    """Print the leading terms of the largest packages, and return the collection."""
    _log.info("reading the docstrings of the standard library")
    collection = io.load_demo()
    counts = count_collection(collection)
    names = collection.term_names
    assert names is not None
    listed = largest_classes(counts, _PACKAGES)
    packages = [counts.classes[c] for c in listed]
    rows = [("package", "documents", f"terms that tell it apart ({args.method})")]
    found = distinctive_terms(counts, args.method, args.k, packages)
    for c, of_class in zip(listed, found, strict=True):
        terms = " ".join(names[of_class.indices])
        rows.append((str(of_class.label), f"{counts.class_docs[c]:,}", terms))
    best = counts.rank(args.method, k=2 * args.k)

    out.write(f"From {collection.source}: {summary(counts)}.\n\n")
    write_table(out, rows, "<><")
    out.write(f"\nBest over all {counts.n_classes} packages: {' '.join(names[best.indices])}\n")
    return collection
