"""What commands write: tables in words, labels and names fit for a terminal, whole files."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO, cast

import numpy as np

import termsift as ts
from termsift._files import replacing


def summary(counts: ts.ClassCounts) -> str:
    """Say how much was counted."""
    tokens = counts.class_tokens.sum()
    return (
        f"{counts.n_docs:,} documents, {counts.n_terms:,} terms, "
        f"{counts.n_classes:,} classes, {tokens:,} tokens"
    )


def json_label(label: Any) -> str | int | float:
    """Return a label as JSON can hold it: numbers as they are, anything else in words."""
    plain = label.item() if isinstance(label, np.generic) else label
    if isinstance(plain, int) or (isinstance(plain, float) and math.isfinite(plain)):
        return plain
    return str(plain)


def shown(name: object) -> str:
    """Return a name fit for a terminal: nothing in it moves the cursor or ends the line."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(name))


def write_table(out: TextIO, rows: Sequence[Sequence[str]], align: str) -> None:
    """Write rows of cells in aligned columns; ``align`` has ``<`` or ``>`` for each."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (f"{cell:{a}{w}}" for cell, a, w in zip(row, align, widths, strict=True))
        out.write("  ".join(cells).rstrip() + "\n")


def check_writable(path: str) -> None:
    """Refuse a path that cannot become a file, before the work is done."""
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(f"{path}: is a folder, expected the name of a file")
    if not target.absolute().parent.is_dir():
        raise FileNotFoundError(f"{target.parent}: no such folder, to write {target.name} to")


@contextmanager
def opened(path: str | None) -> Iterator[TextIO]:
    """Open the output: standard output, or a file that appears only once it is complete."""
    if path is None:
        yield sys.stdout
        return
    with replacing(path, text=True) as out:
        yield cast("TextIO", out)


def largest(counts: ts.ClassCounts, n: int) -> list[int]:
    """Return the classes with the most documents, the largest first."""
    order = np.argsort(-np.asarray(counts.class_docs), kind="stable")
    return [int(c) for c in order[:n]]
