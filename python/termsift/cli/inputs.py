"""The inputs of commands: collections, files of counts, standard input."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import termsift as ts
from termsift import io, text
from termsift._util.files import named_errors
from termsift._util.messages import logger
from termsift._util.validation import naming
from termsift.cli.arguments import given, in_options, refuse
from termsift.cli.output import COUNTS_FILE

DEMO = "demo"
STDIN = "-"

# The options of texts.
RULES = ("checkpoint", "max_memory", *(rule.name for rule in fields(text.TextRules)))
# The options of `termsift.scan`.
READING = (
    *("labels", "term_names", "index_base", "input_format", "text", "label", "on_error"),
    *("delimiter", "quote", "escape", "header", "skip_lines", "comment", "encoding", *RULES),
)


@contextmanager
def standard_input(args: argparse.Namespace) -> Iterator[None]:
    """If standard input is an input, copy it to a file, because some formats are read twice."""
    inputs = getattr(args, "inputs", None) or [getattr(args, "input", None)]
    args.source = "standard input" if inputs == [STDIN] else inputs[0]
    if STDIN not in inputs:
        yield
        return
    if getattr(args, "input_format", "") is None:
        raise ValueError("the format of standard input is unknown: pass --input-format")
    import shutil  # shutil and tempfile are needed only for standard input
    from tempfile import TemporaryDirectory

    if sys.stdin is None:
        raise ValueError(f"standard input is closed; name a file in place of {STDIN}")
    with TemporaryDirectory(prefix="termsift-") as folder:
        args.copied_to = os.path.join(folder, "")
        path = os.path.join(folder, "standard input")
        with named_errors(os.path.dirname(folder)), open(path, "wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        args.input, *_ = args.inputs = [path if name == STDIN else name for name in inputs]
        yield


def holds_counts(path: str) -> bool:
    """Return whether a path has the ending of files of counts."""
    return Path(path).suffix.lower() == COUNTS_FILE


def read_counts(args: argparse.Namespace) -> ts.ClassCounts:
    """Load the input if it is a file of counts, else count its collection."""
    if holds_counts(args.input):
        options = [name for name in (*_reading(args), "tf") if name != "term_names"]
        refuse(args, f"{args.input}: holds counts", *options)
        counts = ts.load(args.input)
        if args.term_names is not None:
            counts.term_names = io.read_names(args.term_names, **given(args, "encoding"))
        return counts
    scan = scan_of(args)
    counts = ts.count(scan, tf=args.tf or "raw", n_threads=args.n_threads)
    logger.info("counted %d documents of %d terms", counts.n_docs, counts.n_terms)
    log_read(args, scan)
    args.scan = scan
    return counts


def _reading(args: argparse.Namespace) -> list[str]:
    """Return the options of reading that the input itself takes.

    The encoding is not among them if there is another file that it applies to.
    """
    others = given(args, "term_names", "versus_list")
    return ["no_labels", *(name for name in READING if name != "encoding" or not others)]


def labels_of(counts: ts.ClassCounts, names: str) -> list[Hashable]:
    """Return the labels in ``names``, which is one label, or several separated by commas."""
    label_of = {str(label): label for label in counts.classes}
    several = [names] if names in label_of else names.split(",")
    return [label_of.get(name, name) for name in several]


def scan_of(args: argparse.Namespace, inputs: Sequence[str] | None = None) -> ts.Scan:
    """Open the input, or several inputs, to read them a part at a time."""
    for path in [args.input] if inputs is None else inputs:
        if holds_counts(path):
            cure = "; pass texts or a matrix" if inputs is None else "; merge joins files of counts"
            raise ValueError(f"{path}: holds counts, not documents{cure}")
        if inputs is not None and path == DEMO and not Path(path).exists():
            raise ValueError(f"{path}: is not a file, which count needs; rank and others read it")
    if inputs is None:
        if args.input == DEMO:
            refuse(args, f"{DEMO}: has labels and terms", *_reading(args))
            return io.scan_demo()
        inputs = [args.input]
    logger.info("reading %s", ", ".join(inputs))
    options = given(args, *READING)
    if given(args, "no_labels"):
        refuse(args, "there are no labels", "label", "labels")
        options["label"] = False
    if options.get("stop_words", "english") != "english":
        words = io.read_words(options["stop_words"], **given(args, "encoding"))
        options["stop_words"] = words
    return ts.scan(inputs, **options, n_threads=args.n_threads)


def read_documents(args: argparse.Namespace) -> io.Collection:
    """Read the collection that the input holds."""
    if args.input == DEMO and not given(args, *_reading(args)):
        return io.load_demo()
    scan = scan_of(args)
    collection = io.read_collection(scan)
    log_read(args, scan)
    return replace(collection, source=args.source)


def count_collection(
    collection: io.Collection, tf: Any = "raw", n_threads: int | None = None
) -> ts.ClassCounts:
    """Count a collection that is in memory."""
    X, y, names = collection.X, collection.y, collection.term_names
    with naming(collection.source):
        return ts.count(
            X, y, classes=collection.classes, tf=tf, term_names=names, n_threads=n_threads
        )


def has_texts(args: argparse.Namespace) -> bool:
    """Return whether the input is a table or folder of texts."""
    return not holds_counts(args.input) and scan_of(args).has_texts


def refuse_repeated(paths: Sequence[str]) -> None:
    """Raise an error if two paths lead to the same input, which would be counted twice."""
    files = [os.path.realpath(path) for path in paths]
    for place, path in enumerate(paths):
        if files[place] in files[:place]:
            raise ValueError(f"{path}: is given twice and would be counted twice")


def log_read(args: argparse.Namespace, scan: ts.Scan) -> None:
    """Log how files were understood, how much was left out, and the first few errors."""
    for sentence in scan.understood:
        logger.info("read as %s", sentence)
    if scan.n_skipped:
        logger.warning("left out %s with errors:", scan.left_out)
        for complaint in scan.skipped:
            logger.warning("  %s", in_options(complaint, args))
        if scan.n_skipped > len(scan.skipped):
            logger.warning("  and %d more", scan.n_skipped - len(scan.skipped))
