"""The inputs of commands: collections, files of counts, standard input.

No other module of the command line opens a scan.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import termsift as ts
from termsift import io
from termsift._counts.file import MAGIC
from termsift._counts.held import Held
from termsift._counts.scan_counting import ScanCounting, finished
from termsift._util.log import logger
from termsift._util.progress import progress
from termsift._util.validation import did_you_mean
from termsift.cli.arguments import given, refuse
from termsift.cli.output import COUNTS_FILE
from termsift.io._collection import read_whole
from termsift.io._demo import scan_demo
from termsift.io._scan import holds_texts
from termsift.io._source import Skipped, TextBlock, listed
from termsift.text._passages import Blocks

DEMO = "demo"
STDIN = "-"
_COMPRESSED = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst"}  # how their content begins

FILE_OPTIONS = (
    *("labels", "terms", "index_base", "input_format"),
    *("text", "label", "delimiter", "on_error"),
)
RULES = (
    *("ngram_range", "min_df", "max_df", "max_features"),
    *("stop_words", "lowercase", "strip_accents", "analyzer", "token_pattern", "binary", "hashing"),
)
TEXT_OPTIONS = ("encoding", "preset", *RULES)


@contextmanager
def standard_input(args: argparse.Namespace) -> Iterator[None]:
    """Put a file that holds standard input in place of the input ``-``, while a command runs.

    Some formats are read twice or from their end, which a pipe does not allow.
    """
    inputs = getattr(args, "inputs", None) or [getattr(args, "input", None)]
    args.source = "standard input" if inputs == [STDIN] else inputs[0]
    if STDIN not in inputs:
        yield
        return
    if inputs.count(STDIN) > 1:
        args.usage_error(f"argument INPUT: {STDIN} can be read only once")
    if getattr(args, "input_format", None) is None:
        args.usage_error(
            "argument INPUT: standard input has no name that tells its format: pass --input-format"
        )
    refuse(args, f"not for {STDIN}, which cannot be read again", *{"checkpoint"} & {*vars(args)})
    from tempfile import TemporaryDirectory  # is needed for standard input alone

    with TemporaryDirectory(prefix="termsift-") as folder:
        start = sys.stdin.buffer.read(4)
        ending = next((end for magic, end in _COMPRESSED.items() if start.startswith(magic)), "")
        args.stdin_folder = folder  # which messages leave out
        path = Path(folder, f"standard input{ending}")
        with open(path, "wb") as file:
            file.write(start)
            shutil.copyfileobj(sys.stdin.buffer, file)
        args.input, *_ = args.inputs = [str(path) if name == STDIN else name for name in inputs]
        yield


# ---- counts --------------------------------------------------------------------------------------


def read_counts(args: argparse.Namespace) -> ts.ClassCounts:
    """Load the counts that the input holds, or count its collection."""
    if holds_counts(args.input):
        return saved_counts(args)
    scan = scan_of(args)
    counts = counted(args, scan)
    logger.info("counted %d documents of %d terms", counts.n_docs, counts.n_terms)
    tell_skipped(scan)
    return counts


def counted(
    args: argparse.Namespace,
    scan: ts.Scan,
    before: Held | None = None,
    after_input: Callable[[ScanCounting], None] | None = None,
) -> ts.ClassCounts:
    """Count the inputs that a scan has still to read, on top of the counts ``before``."""
    inputs_done = scan.inputs_done
    counting = ScanCounting(scan, args.tf or "raw", before, n_threads=args.threads)
    with (
        progress("counted", scan.n_bytes, "bytes", already=scan.bytes_done) as report,
        closing(counting.steps()) as steps,
    ):
        for _ in steps:
            if report is not None:
                report(scan.bytes_done)
            if after_input is not None and scan.inputs_done > inputs_done:
                inputs_done = scan.inputs_done
                after_input(counting)
    return finished(counting.counts(), scan)


def holds_counts(path: str) -> bool:
    """Return whether a file holds counts, by its ending, or by its first bytes if it has none."""
    ending = Path(path).suffix.lower()
    if ending or not os.path.isfile(path):
        return ending == COUNTS_FILE
    with open(path, "rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def saved_counts(args: argparse.Namespace) -> ts.ClassCounts:
    """Load the counts that the input holds."""
    options = [name for name in (*FILE_OPTIONS, *TEXT_OPTIONS) if name not in ("terms", "min_df")]
    _refuse_options(args, "holds counts", *options, "tf")
    counts = ts.load(args.input)
    if args.terms is not None:
        counts.term_names = io.read_names(args.terms)
    if isinstance(args.min_df, float):
        raise ValueError(f"{args.input}: holds counts, so --min-df must be a number of documents")
    return counts if args.min_df is None else pruned(counts, args.min_df, args.input)


def pruned(counts: ts.ClassCounts, min_df: int, name: str) -> ts.ClassCounts:
    """Return the counts without terms of fewer documents; ``name`` is what errors call them."""
    if counts.term_names is None and min_df > 1:
        raise ValueError(
            f"{name}: its terms have no names, and dropping some would change the indices of the "
            "others; leave out --min-df"
        )
    kept = counts.with_min_df(min_df)
    if counts.n_terms and not kept.n_terms:
        raise ValueError(
            f"{name}: no term is in {min_df} or more of the {counts.n_docs:,.0f} documents; lower "
            "--min-df"
        )
    return kept


def labels_of(counts: ts.ClassCounts, names: str) -> list[Hashable]:
    """Return the labels of a class, or of several with commas between them."""
    label_of = {str(label): label for label in counts.classes}
    several = [names] if names in label_of else names.split(",")
    check_classes(several, label_of)
    return [label_of[name] for name in several]


def check_classes(names: Sequence[str], classes: Collection[Any]) -> None:
    """Check that there are classes of these names; the error lists the classes if they are few."""
    for name in names:
        if name not in classes:
            few = f", expected one of {listed(sorted(classes))}" if len(classes) <= 10 else ""
            raise ValueError(f"there is no class {name!r}{few}{did_you_mean(name, classes)}")


# ---- documents -----------------------------------------------------------------------------------


def scan_of(
    args: argparse.Namespace, inputs: Sequence[str] | Mapping[str, Path] | None = None
) -> ts.Scan:
    """Open the input, or other inputs, to read them a part at a time."""
    if inputs is None:
        if holds_counts(args.input):
            raise ValueError(f"{args.input}: holds counts, expected the documents themselves")
        if args.input == DEMO:
            _refuse_options(args, "has labels and terms", *FILE_OPTIONS, *TEXT_OPTIONS)
            return scan_demo()
        inputs = [args.input]
    logger.info("reading %s", ", ".join(inputs))
    options = reading_options(args)
    if options.get("stop_words", "english") != "english":
        options["stop_words"] = io.read_names(options["stop_words"]).tolist()
    if isinstance(options.get("ngram_range"), int):
        options["ngram_range"] = (options["ngram_range"],) * 2
    return ts.scan(inputs, **options, n_threads=args.threads)


def reading_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the options of `termsift.scan` that were given."""
    return given(args, *FILE_OPTIONS, *TEXT_OPTIONS)


def read_documents(
    args: argparse.Namespace, corpora: Mapping[str, Path] | None = None
) -> io.Collection:
    """Read the collection that the input holds, or the folders of documents of some classes."""
    if args.input == DEMO and not given(args, *FILE_OPTIONS, *TEXT_OPTIONS):
        return io.load_demo()
    collection = read_whole(scan_of(args, corpora))
    tell_skipped(collection)
    return replace(collection, source=args.source)


def labelled_texts(scan: ts.Scan) -> Blocks:
    """Yield the texts of a scan in blocks, with the labels of each text."""
    with closing(scan._blocks()) as blocks:
        for block in blocks:
            if isinstance(block, TextBlock):
                yield block.texts, [[label] for label in block.y.tolist()]


def has_texts(args: argparse.Namespace) -> bool:
    """Return whether the input is a table or folder of texts."""
    return not holds_counts(args.input) and holds_texts(args.input, args.input_format)


def refuse_repeated(paths: Sequence[str]) -> None:
    """Refuse an input that is given twice, by whatever path, since it would be counted twice."""
    seen: dict[str, str] = {}
    for path in paths:
        file = os.path.realpath(path)
        if file in seen:
            same = "" if seen[file] == path else f", the same file as {seen[file]}"
            raise ValueError(f"{path}{same}: is given twice and would be counted twice")
        seen[file] = path


def tell_skipped(read: ts.Scan | io.Collection) -> None:
    """Print how many lines, rows and documents were left out, and why the first of them."""
    if read.n_skipped:
        logger.warning("left out %s with errors:", Skipped(read.n_skipped))
        for complaint in read.skipped:
            logger.warning("  %s", complaint)
        if read.n_skipped > len(read.skipped):
            logger.warning("  and %d more", read.n_skipped - len(read.skipped))


def _refuse_options(args: argparse.Namespace, why: str, *options: str) -> None:
    for option in given(args, *options):
        raise ValueError(f"{args.input}: {why}, so leave out --{option.replace('_', '-')}")
