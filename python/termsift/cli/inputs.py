"""What commands read: a collection, or counts that were saved."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

import termsift as ts
from termsift import demo, io
from termsift.counts import TermFrequency

_log = logging.getLogger("termsift")

_COUNTS_FILE = ".termsift"


DEMO = "demo"


def read_counts(args: argparse.Namespace) -> ts.ClassCounts:
    """Read the counts that the input holds, or count the collection that it holds."""
    if holds_counts(args.input):
        return saved_counts(args)
    collection = read_documents(args)
    _log.info("counting %d documents of %d terms", *collection.X.shape)
    return count_collection(collection, args.threads, args.tf or "raw")


def holds_counts(path: str) -> bool:
    """Whether a file holds counts, by its name."""
    return Path(path).suffix.lower() == _COUNTS_FILE


def read_documents(args: argparse.Namespace) -> io.Collection:
    """Read the collection that the input holds."""
    refuse_counts(args)
    _log.info("reading %s", args.input)
    options = {name: getattr(args, name) for name in ("labels", "terms", "text", "label")}
    if args.input != DEMO:
        return io.read_collection(args.input, **options)
    for name, value in options.items():
        if value is not None:
            raise ValueError(f"{DEMO}: has labels and terms, for which --{name} means nothing")
    return demo.load()


def refuse_counts(args: argparse.Namespace) -> None:
    """Refuse an input of which the documents are needed and not there."""
    if holds_counts(args.input):
        raise ValueError(f"{args.input}: holds counts, and the documents themselves are needed")


def saved_counts(args: argparse.Namespace) -> ts.ClassCounts:
    """Load the counts that the input holds."""
    for option in ("labels", "text", "label", "tf"):
        if getattr(args, option) is not None:
            raise ValueError(f"{args.input}: holds counts, for which --{option} means nothing")
    counts = ts.load(args.input)
    if args.terms is not None:
        counts.term_names = io.read_names(args.terms)
    return counts


def count_collection(
    collection: io.Collection, n_threads: int | None, tf: TermFrequency = "raw"
) -> ts.ClassCounts:
    """Count a collection, and keep its names."""
    counts = ts.count(
        collection.X, collection.y, classes=collection.classes, tf=tf, n_threads=n_threads
    )
    counts.term_names = collection.term_names
    return counts
