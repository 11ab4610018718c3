"""Where commands write, and what is fit for eyes; `termsift._tables` has the forms of tables."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import termsift as ts
from termsift._extras import require
from termsift._files import check_replaceable, descriptor_of, replacing
from termsift._printable import printable

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
    check_replaceable(path)


@contextmanager
def opened(path: str | None, *, text: bool = True) -> Iterator[Any]:
    """Open the output: standard output, or a file that appears only once it is complete."""
    if path is None or path == STDOUT:
        yield sys.stdout if text else sys.stdout.buffer
        return
    with replacing(path, text=text) as out:
        yield out


def check_format(args: argparse.Namespace) -> None:
    """Refuse, before the work, a form in which the answer could not be written."""
    if args.format == PARQUET:
        if args.output is None or (args.output == STDOUT and sys.stdout.isatty()):
            args.usage_error(
                f"argument --format: {PARQUET} is not for a terminal, give -o FILE, "
                "or -o - in a pipe"
            )
        require("pyarrow.parquet", "arrow", f"--format {PARQUET}")
