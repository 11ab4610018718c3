"""``termsift report``: a page about a collection."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Hashable
from functools import partial
from io import TextIOWrapper
from typing import Any

import termsift as ts
from termsift._util.messages import logger
from termsift._util.validation import naming
from termsift.cli import arguments, inputs, output
from termsift.report import write_report

_PASSAGES = 3  # the default number of passages per term and class
_WIDTH = 50
_OVERALL = "g2"  # orders the terms of all classes, which key cannot do, in write_report too
_FIRST = 100  # the number of best terms whose stability is measured
_MORE = """\
The page is a single file that loads no other. It shows the leading terms of each class with
passages, a chart that compares two classes, and the best terms. Counts hold no texts, so a page
about counts has no passages.

"""


def add(commands: Any) -> None:
    """Add the parser of the command."""
    about = "write a page about a collection: its size, its classes and their terms"
    usage = "INPUT -o FILE [options]"
    parser = arguments.add_command(commands, "report", _run, about, _MORE, usage)
    arguments.add_input(parser)
    group = parser.add_argument_group("page")
    names = [arguments.KEY, *(method.name for method in ts.methods())]
    arguments.add_choice(group, "--method", names, arguments.METHOD)
    these = "list these classes, in this order, compared with all classes (default: the 24 largest)"
    arguments.add_values(
        group,
        ("-k --k", int, "N", "terms per class (default: 10)"),
        ("--classes", str, "A,B", these),
        arguments.MAX_PVALUE,
        ("--title", str, "TEXT", "heading of the page"),
    )
    shown = f"passages per term, or 0 for none (default: {_PASSAGES})"
    group.add_argument("--passages", dest="n_passages", type=int, metavar="N", help=shown)
    about = (
        f"rank samples of the documents, too, and say of each of the best terms how probably it is "
        f"among the first {_FIRST}"
    )
    arguments.add_stability(parser, about)
    arguments.add_output_file(group, "the page of HTML, or - for stdout")


def _run(args: argparse.Namespace) -> None:
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # The page declares this encoding.
    arguments.check_stability(args)
    output.check_ending(args.output, (".html", ".htm"), "a page", "or no ending")
    with output.opened(args.output) as out:  # Opening the output first reports errors early.
        stability = None
        if args.stability:
            collection = inputs.read_documents(args)
            counts = inputs.count_collection(collection, args.tf or "raw", args.n_threads)
        else:
            counts = inputs.read_counts(args)
        classes = None if args.classes is None else inputs.labels_of(counts, args.classes)
        with naming(args.source):
            if args.stability:
                logger.info("ranking samples of the documents")
                overall: Any = args.method or arguments.KEY
                overall = _OVERALL if overall == arguments.KEY else overall
                stability = ts.stability(
                    collection.X,
                    collection.y,
                    overall,
                    _FIRST,
                    classes=collection.classes,
                    term_names=collection.term_names,
                    n_threads=args.n_threads,
                    **arguments.given(args, "tf", "n_samples", "random_state"),
                )
            write_report(
                counts,
                out,
                classes=classes,
                passages=_passages(args),
                stability=stability,
                source=args.source,
                n_threads=args.n_threads,
                **arguments.given(args, "method", "k", "max_pvalue", "title"),
            )


def _passages(args: argparse.Namespace) -> Any:
    """Return a function that finds passages in the input, or None to show no passages."""
    if args.input != inputs.DEMO and not inputs.has_texts(args):
        if args.n_passages:
            raise ValueError(f"{args.input}: holds no texts, so leave out --passages")
        return None
    n_passages = _PASSAGES if args.n_passages is None else args.n_passages
    return partial(_find, args, n_passages) if n_passages and not args.hashing else None


def _find(
    args: argparse.Namespace, n_passages: int, queries: dict[Hashable, list[str]]
) -> dict[Hashable, dict[str, list[ts.Passage]]]:
    """Read the texts again and find passages of the terms of each class."""
    logger.info("looking for passages in the texts")
    scan = inputs.scan_of(args)
    # Labels in files are text, but the counts have integers if all labels are whole numbers.
    by_name = ts.find_passages(
        scan,
        queries={str(label): of_class for label, of_class in queries.items()},
        n_passages=n_passages,
        width=_WIDTH,
        one_per_document=True,
        n_threads=args.n_threads,
    )
    return {label: by_name[str(label)] for label in queries}
