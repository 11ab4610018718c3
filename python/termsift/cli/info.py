"""``termsift info``: the size of a collection or counts file, and of its classes."""

from __future__ import annotations

import argparse
from typing import Any

from termsift._scores.class_terms import largest_classes
from termsift._util.printable import printable
from termsift._util.validation import grouped
from termsift.cli.arguments import add_command, add_input
from termsift.cli.inputs import STDIN, read_counts
from termsift.cli.output import shown, standard_output, summary, write_table

_LISTED = 20


def add(commands: Any) -> None:
    """Add the parser of the command."""
    parser = add_command(commands, "info", _run, "describe a collection or a counts file")
    add_input(parser)


def _run(args: argparse.Namespace) -> None:
    out = standard_output()
    counts = read_counts(args)
    listed = largest_classes(counts, _LISTED)
    hidden = counts.n_classes - len(listed)
    rows = [("class", "documents", "tokens")]
    for c in listed:
        documents, tokens = counts.class_docs[c], counts.class_tokens[c]
        rows.append((shown(counts.classes[c]), grouped(documents), grouped(tokens)))

    name = "standard input" if args.given == [STDIN] else printable(args.input)
    out.write(f"{name}: {summary(counts)};\n")
    out.write(f"{counts.term_frequency.nnz:,} pairs of a class and a term that occurs in it; ")
    out.write(f"counts are {counts.term_frequency.dtype}\n\n")
    write_table(out, rows, "<>>")
    if hidden:
        out.write(f"... and {hidden:,} smaller classes\n")
