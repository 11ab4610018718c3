"""Where commands write, and what is fit for eyes; `export` has the forms of tables."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO, cast

import termsift as ts
from termsift._util.export import FORMAT_OF
from termsift._util.extras import require
from termsift._util.files import check_replaceable, descriptor_of, replacing
from termsift._util.printable import printable

COUNTS_FILE = ".termsift"  # the ending of the name of a file of counts
PARQUET = "parquet"  # the one form that is no text
STDOUT = "-"  # as the name of an output
_LONGEST = 60  # letters of a name in a table, which the other forms have whole


def summary(counts: ts.ClassCounts) -> str:
    """Say how much was counted."""
    tokens = counts.class_tokens.sum()
    return (
        f"{counts.n_docs:,} documents, {counts.n_terms:,} terms, "
        f"{counts.n_classes:,} classes, {tokens:,} tokens"
    )


def print_written(path: str, counts: ts.ClassCounts) -> None:
    """Print what has been written; without standard output the file is enough."""
    if sys.stdout is not None:
        print(f"{printable(path)}: {summary(counts)}")


def shown(name: object) -> str:
    """Return a name fit for a table: nothing in it moves the cursor, and a long one is cut."""
    return printable(name, _LONGEST)


def write_table(out: TextIO, rows: Sequence[Sequence[str]], align: str) -> None:
    """Write rows of cells in aligned columns; ``align`` has ``<`` or ``>`` for each."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (f"{cell:{a}{w}}" for cell, a, w in zip(row, align, widths, strict=True))
        out.write("  ".join(cells).rstrip() + "\n")


def check_writable(path: str) -> None:
    """Refuse a path that cannot become a file of counts, before the work is done."""
    if path == STDOUT or descriptor_of(path) is not None or Path(path).is_fifo():
        raise ValueError(f"{path}: counts are written to a file, not to a pipe or standard output")
    check_ending(path, [COUNTS_FILE], "counts")
    check_replaceable(path)


def check_ending(path: str | None, known: Iterable[str], what: str) -> None:
    """Refuse an output whose name has an ending that is not one of the known ones."""
    ending = _ending(path)
    if ending and ending not in known:
        raise ValueError(
            f"{path}: unknown ending {ending!r} for {what}, expected {' '.join(known)} or none"
        )


def _ending(path: str | None) -> str:
    """Return the ending of a file's name; "" for devices, pipes and standard output."""
    if path is None or path == STDOUT or descriptor_of(path) is not None:
        return ""
    is_file = os.path.isfile(path) or not os.path.exists(path)
    return Path(path).suffix.lower() if is_file else ""


def standard_output() -> TextIO:
    """Return standard output, as `_fit` makes it."""
    if sys.stdout is None:  # it was closed when the process began
        raise OSError(errno.EBADF, "is closed", "standard output")
    return _fit(sys.stdout)


def _fit(file: Any) -> TextIO:
    """Return a file as it is; a terminal gets no character that moves its cursor."""
    return cast(TextIO, _Terminal(file) if file.isatty() else file)


class _Terminal:
    """A terminal that shows control characters of untrusted text as escapes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write("\n".join(map(printable, text.split("\n"))))


@contextmanager
def opened(path: str | None, *, text: bool = True) -> Iterator[Any]:
    """Open the output: standard output, or a file that appears only once it is complete."""
    if path is None or path == STDOUT:
        out = standard_output()
        yield out if text else sys.stdout.buffer
        return
    with replacing(path, text=text) as file:
        if not text and file.isatty():  # such as /dev/tty
            raise ValueError(f"{path}: is a terminal, which {PARQUET} is not for")
        yield _fit(file) if text else file


def check_format(args: argparse.Namespace) -> None:
    """Choose the format by the ending of the output's name, and refuse what cannot be written.

    With ``--format`` the name may have any ending but that of another format.
    """
    by_name = FORMAT_OF.get(_ending(args.output))
    if args.format is None:
        check_ending(args.output, FORMAT_OF, "a table without --format")
        args.format = by_name or "table"
    elif by_name not in (None, args.format):
        args.usage_error(
            f"argument --format: {args.format} contradicts the ending of {args.output}, "
            f"which stands for {by_name}"
        )
    if args.format == PARQUET:
        if args.output is None or (args.output == STDOUT and sys.stdout and sys.stdout.isatty()):
            args.usage_error(
                f"argument --format: {PARQUET} is not for a terminal, give -o FILE, "
                "or -o - in a pipe"
            )
        require("pyarrow.parquet", "arrow", f"--format {PARQUET}")


def tell(line: str) -> None:
    """Write a line to standard error; that nobody reads it is no reason to stop."""
    with suppress(OSError):
        print(f"termsift: {printable(line)}", file=sys.stderr)
