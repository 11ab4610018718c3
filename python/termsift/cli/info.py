"""``termsift info``: the size of a collection or counts file, and of its classes."""

from __future__ import annotations

import argparse
from typing import Any, TextIO

import termsift as ts
from termsift._util.validation import grouped
from termsift.cli import arguments, inputs, output

_LISTED = 20


def add(commands: Any) -> None:
    """Add the parser of the command."""
    parser = arguments.add_command(commands, "info", _run, "describe a collection or a counts file")
    arguments.add_input(parser, unlabelled=arguments.ONE_CLASS)


def _run(args: argparse.Namespace) -> None:
    with output.standard_output() as out:
        counts = inputs.read_counts(args)
        _write(out, counts, args.source, getattr(args, "scan", None))


def _write(out: TextIO, counts: ts.ClassCounts, source: str, scan: ts.Scan | None) -> None:
    largest = output.largest_classes(counts, _LISTED)
    rows = [("class", "documents", "tokens")]
    for c in largest:
        of_class = counts if counts.has_documents else counts.subset([counts.classes[c]])
        documents = "unknown"
        if of_class.has_documents:
            documents = grouped(of_class.class_docs[c if of_class is counts else 0])
        rows.append((output.shown(counts.classes[c]), documents, grouped(counts.class_tokens[c])))
    out.write(f"{source}: {output.summary(counts)}\n")
    for sentence in scan.understood if scan is not None else ():
        out.write(f"read as: {sentence}\n")
    if scan is not None and scan.understood:
        n_rows = int(counts.n_docs) + scan.n_skipped
        of_rows = f"{scan.n_skipped:,} left out"
        of_rows += f", {scan.n_empty:,} with an empty text" if scan.has_texts else ""
        out.write(f"rows: {n_rows:,}, {of_rows}\n")
    if (rules := counts.rules) is not None and rules.changed:
        out.write(f"rules: {rules.shown}\n")
    if counts.encoding is not None:
        out.write(f"encoding of the texts: {counts.encoding}\n")
    out.write("\n")
    output.write_table(out, rows, "<>>")
    if counts.n_classes > len(largest):
        out.write(f"... and {counts.n_classes - len(largest):,} smaller classes\n")
