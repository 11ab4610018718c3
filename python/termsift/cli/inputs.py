"""The inputs of commands: collections and files of counts."""

from __future__ import annotations

import argparse
import errno
import logging
import os
import shutil
import sys
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import termsift as ts
from termsift import io
from termsift._counts.file import MAGIC
from termsift._counts.held import Held
from termsift._counts.scan_counting import ScanCounting, finished
from termsift._util.progress import progress
from termsift._util.validation import did_you_mean
from termsift.cli.arguments import flag, values_of
from termsift.cli.output import COUNTS_FILE
from termsift.io._collection import read_whole
from termsift.io._demo import scan_demo
from termsift.io._source import Skipped, listed
from termsift.io._texts import TextBlock
from termsift.text import TextRules
from termsift.text._passages import Blocks

_log = logging.getLogger("termsift")

DEMO = "demo"
STDIN = "-"
_MAGIC = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst"}  # how compressed content begins

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
    args.given = list(getattr(args, "inputs", None) or [getattr(args, "input", None)])
    n_times = args.given.count(STDIN)
    if n_times == 0:
        yield
        return
    if n_times > 1:
        args.usage_error(f"argument INPUT: {STDIN} is given {n_times} times, and can be read once")
    if getattr(args, "input_format", None) is None:
        args.usage_error(
            "argument INPUT: standard input has no name that tells its format: pass --input-format"
        )
    if getattr(args, "checkpoint", False):
        args.usage_error(f"argument --checkpoint: not for {STDIN}, which cannot be read again")
    if sys.stdin is None:
        raise OSError(errno.EBADF, "is closed", "standard input")
    with TemporaryDirectory(prefix="termsift-") as folder:
        start = sys.stdin.buffer.read(4)
        ending = next((end for magic, end in _MAGIC.items() if start.startswith(magic)), "")
        args.stdin_folder = folder  # which messages leave out
        path = Path(folder, f"standard input{ending}")
        with open(path, "wb") as file:
            file.write(start)
            shutil.copyfileobj(sys.stdin.buffer, file)
        if hasattr(args, "inputs"):
            args.inputs = [str(path) if name == STDIN else name for name in args.inputs]
        else:
            args.input = str(path)
        yield


def read_counts(args: argparse.Namespace) -> ts.ClassCounts:
    """Load the counts that the input holds, or count its collection."""
    if holds_counts(args.input):
        return saved_counts(args)
    scan = scan_of(args)
    counts = counted(args, scan)
    _log.info("counted %d documents of %d terms", counts.n_docs, counts.n_terms)
    tell_skipped(scan)
    return counts


def labels_of(counts: ts.ClassCounts, names: str) -> list[Hashable]:
    """Return the labels of a class, or of several with commas between them."""
    label_of = {str(label): label for label in counts.classes}
    found = []
    for name in [names] if names in label_of else names.split(","):
        if name not in label_of:
            raise unknown_class(name, label_of)
        found.append(label_of[name])
    return found


def unknown_class(name: str, classes: Collection[str]) -> ValueError:
    """Return the error about a class that there is not; it lists the classes if they are few."""
    few = f", expected one of {listed(sorted(classes))}" if len(classes) <= 10 else ""
    return ValueError(f"there is no class {name!r}{few}{did_you_mean(name, classes)}")


def counted(
    args: argparse.Namespace,
    scan: ts.Scan,
    before: Held | None = None,
    after_input: Callable[[ScanCounting], None] | None = None,
) -> ts.ClassCounts:
    """Count what a scan has still to read, on top of the counts ``before``."""
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


def refuse_repeated(paths: Sequence[str]) -> None:
    """Refuse an input that is given twice, by whatever path, since it would be counted twice."""
    seen: dict[tuple[int, int], str] = {}
    for path in paths:
        with suppress(OSError):  # it is raised when the input is read
            status = os.stat(path)
            file = status.st_dev, status.st_ino
            if file in seen:
                same = "" if seen[file] == path else f", the same file as {seen[file]}"
                raise ValueError(f"{path}{same}: is given twice and would be counted twice")
            seen[file] = path


def holds_counts(path: str) -> bool:
    """Return whether a file holds counts, by its ending, or by its first bytes if it has none."""
    ending = Path(path).suffix.lower()
    if ending or not os.path.isfile(path):
        return ending == COUNTS_FILE
    with open(path, "rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def read_documents(args: argparse.Namespace, corpora: Sequence[Path] = ()) -> io.Collection:
    """Read the collection that the input holds, or folders of documents as its classes."""
    if args.input == DEMO:
        _refuse_reading_options(args)
        return io.load_demo()
    collection = read_whole(scan_of(args, corpora))
    tell_skipped(collection)
    return collection


def scan_of(args: argparse.Namespace, corpora: Sequence[Path] = ()) -> ts.Scan:
    """Open the input, or folders of documents as its classes, to read it a part at a time."""
    refuse_counts(args)
    _log.info("reading %s", args.input)
    if args.input == DEMO:
        _refuse_reading_options(args)
        return scan_demo()
    paths = {str(path): path for path in corpora} if corpora else args.input
    return ts.scan(paths, **reading_options(args), n_threads=args.threads)


def labelled_texts(scan: ts.Scan) -> tuple[Blocks, TextRules]:
    """Return the texts of a scan, in blocks with their labels, and the rules to cut them."""

    def blocks() -> Blocks:
        with closing(scan._blocks()) as read:
            for block in read:
                if isinstance(block, TextBlock):
                    yield block.texts, [[label] for label in block.y.tolist()]

    return blocks(), scan.rules


def reading_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the options of `termsift.scan` that were given."""
    given = values_of(args, *FILE_OPTIONS, *TEXT_OPTIONS)
    options = {name: value for name, value in given.items() if value is not None}
    if options.get("stop_words", "english") != "english":
        options["stop_words"] = io.read_names(options["stop_words"]).tolist()
    return options


def tell_skipped(read: ts.Scan | io.Collection) -> None:
    """Print how many lines, rows and documents were left out, and why the first of them."""
    if read.n_skipped:
        _log.warning("left out %s with errors:", Skipped(read.n_skipped))
        for complaint in read.skipped:
            _log.warning("  %s", complaint)
        if read.n_skipped > len(read.skipped):
            _log.warning("  and %d more", read.n_skipped - len(read.skipped))


def _refuse_reading_options(args: argparse.Namespace) -> None:
    _refuse_options(args, "has labels and terms", *FILE_OPTIONS, *TEXT_OPTIONS)


def _refuse_options(args: argparse.Namespace, why: str, *options: str) -> None:
    for option in options:
        if getattr(args, option) is not None:
            raise ValueError(f"{args.input}: {why}, so leave out {flag(option)}")


def refuse_counts(args: argparse.Namespace) -> None:
    """Refuse a file of counts where the documents are needed."""
    if holds_counts(args.input):
        raise ValueError(f"{args.input}: holds counts, expected the documents themselves")


def saved_counts(args: argparse.Namespace) -> ts.ClassCounts:
    """Load the counts that the input holds."""
    options = [option for option in TEXT_OPTIONS if option != "min_df"]
    files = [option for option in FILE_OPTIONS if option != "terms"]
    _refuse_options(args, "holds counts", *files, "tf", *options)
    counts = ts.load(args.input)
    if args.terms is not None:
        counts.term_names = io.read_names(args.terms)
    if args.min_df is None:
        return counts
    if not isinstance(args.min_df, int):
        raise ValueError(f"{args.input}: holds counts, so --min-df must be a number of documents")
    return pruned(counts, args.min_df, args.input)


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
