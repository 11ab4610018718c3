"""``termsift context``: terms as they stand in the texts of each class."""

from __future__ import annotations

import argparse
import logging
import os
from collections.abc import Hashable, Iterator
from functools import partial
from typing import Any, TextIO

import numpy as np

from termsift import _core
from termsift._util.printable import printable
from termsift._util.tabular import object_array
from termsift._util.validation import naming
from termsift.cli.arguments import add_command, add_input, add_values, positive
from termsift.cli.inputs import DEMO, labelled_texts, scan_of, tell_skipped, unknown_class
from termsift.cli.output import Answer, add_output, answering, write_table
from termsift.io._class_folder import ClassFolder
from termsift.io._kinds import holds_texts
from termsift.text._passages import Passages, passages_of

_log = logging.getLogger("termsift")

_MORE = """\
A document is listed under a term if counting finds the term there, with its file, or its row: rows
count from 1, without the header and rows that are left out. Terms are cut as the texts are, so that
Lunch finds lunch. A term of several words is one argument: 'free prize'.

"""


def add(commands: Any) -> None:
    """Add the parser of the command."""
    about = "show terms as they stand in the texts of each class"
    parser = add_command(commands, "context", _run, about, _MORE, "INPUT TERM ... [options]")
    add_input(parser, counts=False)
    parser.add_argument("wanted", metavar="TERM", nargs="+", help="a term, as rank lists it")
    group = parser.add_argument_group("passages")
    own = "a class to look in; given again, several (default: all)"
    group.add_argument("--class", dest="class_", action="append", metavar="LABEL", help=own)
    add_values(
        group,
        ("-k --k", positive, "N", "passages of a term in a class", 3),
        ("--width", positive, "N", "characters before and after the term", 30),
    )
    group = parser.add_argument_group("output")
    add_output(group)


def _run(args: argparse.Namespace) -> None:
    if args.input == DEMO or not holds_texts(args.input, args.input_format):
        raise ValueError(
            f"{args.input}: expected texts, a table or a folder of them; matrices and counts hold "
            "no passages"
        )
    with answering(args) as answer:
        scan = scan_of(args)
        blocks, rules = labelled_texts(scan)
        classes: set[str] = set()

        def seen() -> Iterator[tuple[_core.Texts, list[list[Hashable]]]]:
            for texts, labels in blocks:
                classes.update(str(label) for own in labels for label in own)
                yield texts, labels

        own = args.class_
        terms = args.wanted if own is None else dict.fromkeys(own, args.wanted)
        with naming(args.input):
            found = passages_of(seen(), terms, rules, n_passages=args.k, width=args.width)
            for label in own or ():
                if label not in classes:
                    raise unknown_class(label, classes)
        scan._check_read(len(classes))
        tell_skipped(scan)
        absent = [term for term in args.wanted if not any(of[term] for of in found.values())]
        if absent:
            where = f" of {' or '.join(own)}" if own else ""
            terms = " or ".join(map(repr, absent))
            _log.warning("no document%s has %s, by these rules", where, terms)
        (source,) = scan._sources
        files = source.files_read if isinstance(source, ClassFolder) else None
        columns = _columns(found, files)
        write = partial(_write_passages, columns=columns)
        answer(Answer(columns, write, {"terms": list(args.wanted)}, "passages"))


def _columns(found: Passages, files: list[os.DirEntry[str]] | None) -> dict[str, Any]:
    rows = [
        (label, name, document + 1 if files is None else files[document].path, before, match, after)
        for label, lists in found.items()
        for name, passages in lists.items()
        for before, match, after, document in passages
    ]
    names = ("class", "term", "row" if files is None else "file", "before", "match", "after")
    columns = {name: object_array([row[i] for row in rows]) for i, name in enumerate(names)}
    if files is None:
        columns["row"] = columns["row"].astype(np.int64)
    return columns


def _write_passages(out: TextIO, columns: dict[str, Any]) -> None:
    labels = columns["class"]
    align = "<><<" if "file" in columns else ">><<"
    blank = ""
    for label in dict.fromkeys(labels.tolist()):
        cells = [column[labels == label] for column in list(columns.values())[2:]]
        rows = [[printable(cell).strip() for cell in row] for row in zip(*cells, strict=True)]
        out.write(f"{blank}{printable(label)}:\n")
        write_table(out, rows, align)
        blank = "\n"
