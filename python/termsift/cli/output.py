"""The output of commands: its files, its formats, and the layout of tables on a terminal."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, TextIO, cast

import termsift as ts
from termsift._util.export import FORMAT_OF, Columns, write_csv, write_json
from termsift._util.files import check_replaceable, named_errors, text_output
from termsift._util.messages import aligned, printable
from termsift._util.shown import Column, lines_of
from termsift._util.validation import number_of

COUNTS_FILE = ".termsift"  # The ending of a file of counts.
_STDOUT = (None, "-")  # The values of --output that mean standard output.
_LONGEST = 60  # The maximum length of a name in a table; other formats do not cut names.


def add_output(parser: argparse.ArgumentParser) -> Any:
    """Add the options that `answering` reads, and return their group."""
    group = parser.add_argument_group("output")
    usual = f"(default: by the ending of FILE ({' '.join(FORMAT_OF)}), or table)"
    group.add_argument("--format", choices=[*FORMAT_OF.values()], help=usual)
    about = "write FILE atomically; - is stdout (default: stdout)"
    group.add_argument("-o", "--output", metavar="FILE", help=about)
    return group


@contextmanager
def answering(args: argparse.Namespace) -> Iterator[Callable[..., None]]:
    """Open the output before the computation, and yield a function that writes to the output."""
    if args.format is None:
        ending = check_ending(args.output, FORMAT_OF, "a table", "no ending, or --format")
        args.format = FORMAT_OF.get(ending, "table")
    with opened(args.output) as out:

        def answer(
            columns: Columns,
            write_table: Callable[[TextIO], None],
            head: Mapping[str, Any],
            name: str,
        ) -> None:
            if args.format == "table":
                write_table(out)
            elif args.format == "csv":
                write_csv(out, columns)
            else:
                write_json(out, head, name, columns)

        yield answer


def opened(path: str | None) -> AbstractContextManager[TextIO]:
    """Open the output: standard output, or a file that appears only once it is complete."""
    return standard_output() if path in _STDOUT else text_output(path)


@contextmanager
def standard_output() -> Iterator[TextIO]:
    """Yield a file that writes untrusted text safely to standard output."""
    if sys.stdout is None or sys.stdout.closed:
        raise ValueError("standard output is closed; write to a file, as in 'termsift ... > FILE'")
    with named_errors("standard output"):
        yield cast(TextIO, _Terminal()) if sys.stdout.isatty() else sys.stdout
        sys.stdout.flush()


def tell(path: str, counts: ts.ClassCounts) -> None:
    """Say what was saved, on standard error if standard output is closed."""
    with named_errors("standard output"):
        print(f"{printable(path)}: {summary(counts)}", file=sys.stdout or sys.stderr, flush=True)


class _Terminal:
    """A terminal that shows the control characters of untrusted text as escapes."""

    def write(self, text: str) -> int:
        return sys.stdout.write("\n".join(map(printable, text.split("\n"))))


def check_counts_file(path: str) -> None:
    """Check, before the computation, that a file of counts can be written to a path."""
    if _ending(path) != COUNTS_FILE:
        raise ValueError(f"{path}: expected the name of a file that ends in {COUNTS_FILE}")
    check_replaceable(path)


def check_ending(path: str | None, known: Collection[str], what: str, others: str) -> str:
    """Return the ending of the name of an output, which is empty or known."""
    ending = _ending(path)
    if ending and ending not in known:
        cure = f"expected {' '.join(known)}, {others}"
        raise ValueError(f"{path}: unknown ending {ending!r} for {what}, {cure}")
    return ending


def _ending(path: str | None) -> str:
    return Path(path or "").suffix.lower()


def write_table(out: TextIO, rows: Sequence[Sequence[str]], align: str) -> None:
    """Write rows of cells in aligned columns. ``align`` has one ``<`` or ``>`` per column."""
    _write_lines(out, aligned(rows, align))


def write_columns(
    out: TextIO, columns: Columns, formats: Mapping[str, str], titles: Mapping[str, str]
) -> None:
    """Write the columns that have a format. Names have an empty format, and are cut if long.

    A column without a title in ``titles`` has its name as title.
    """
    table = [
        Column(titles.get(name, name), columns[name].tolist(), form, _LONGEST)
        for name, form in formats.items()
        if name in columns
    ]
    _write_lines(out, lines_of(table))


def _write_lines(out: TextIO, lines: list[str]) -> None:
    for line in lines:
        out.write(line + "\n")


def shown(name: object) -> str:
    """Return a name for a table: control characters are escaped, and long names are cut."""
    return printable(name, _LONGEST)


def n_docs(counts: ts.ClassCounts) -> float | None:
    """Return the number of documents, or None if it is unknown."""
    return counts.n_docs if counts.has_documents else None


def largest_classes(counts: ts.ClassCounts, n: int) -> list[int]:
    """Return the rows of the n classes with the most documents or, if unknown, tokens."""
    sizes = (counts.class_docs if counts.has_documents else counts.class_tokens).tolist()
    return sorted(range(counts.n_classes), key=sizes.__getitem__, reverse=True)[:n]


def summary(counts: ts.ClassCounts) -> str:
    """Describe in words how much was counted."""
    numbers = {
        "document": n_docs(counts),  # None if unknown
        "term": counts.n_terms,
        "class": counts.n_classes,
        "token": counts.class_tokens.sum(),
    }
    words = (
        f"unknown {thing}s" if n is None else number_of(n, thing) for thing, n in numbers.items()
    )
    return ", ".join(words)
