"""``termsift context``: terms as they stand in the texts of each class."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Hashable, Iterator
from functools import partial
from typing import Any, TextIO

import numpy as np

from termsift import _core
from termsift._api.passages import Passages, passages_of
from termsift._util.printable import printable
from termsift._util.tabular import object_array
from termsift._util.validation import did_you_mean, naming
from termsift.cli.arguments import add_command, add_input, add_values, positive
from termsift.cli.inputs import DEMO, labelled_texts
from termsift.cli.output import Answer, add_output, answering, write_table
from termsift.io._kinds import holds_texts

_log = logging.getLogger("termsift")

_MORE = """\
A document is listed under a term if counting finds the term there. Each passage is from another
document, the first ones of the class. A term of several words is one argument: 'free prize'.

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
        blocks, rules = labelled_texts(args)
        classes: set[str] = set()

        def seen() -> Iterator[tuple[_core.Texts, list[list[Hashable]]]]:
            for texts, labels in blocks:
                classes.update(str(label) for own in labels for label in own)
                yield texts, labels

        _log.info("reading %s", args.input)
        own = args.class_
        terms = args.wanted if own is None else dict.fromkeys(own, args.wanted)
        with naming(args.input):
            found = passages_of(seen(), terms, rules, n_passages=args.k, width=args.width)
            for label in own or ():
                if label not in classes:
                    raise ValueError(f"there is no class {label!r}{did_you_mean(label, classes)}")
        n_found = sum(len(passages) for lists in found.values() for passages in lists.values())
        if n_found == 0:
            shown = ", ".join(map(repr, args.wanted))
            _log.warning("no document has %s, by these rules", shown)
        columns = _columns(found)
        write = partial(_write_passages, found=found, width=args.width)
        answer(Answer(columns, write, {"terms": list(args.wanted)}, "passages"))


def _columns(found: Passages) -> dict[str, Any]:
    rows = [
        (label, name, passage.document, passage.before, passage.term, passage.after)
        for label, lists in found.items()
        for name, passages in lists.items()
        for passage in passages
    ]
    names = ("class", "term", "document", "before", "match", "after")
    columns: dict[str, Any] = {
        name: object_array([row[i] for row in rows]) for i, name in enumerate(names)
    }
    columns["document"] = np.array([row[2] for row in rows], dtype=np.int64)
    return columns


def _write_passages(out: TextIO, found: Passages, width: int) -> None:
    blank = ""
    for label, lists in found.items():
        rows = [
            (
                str(passage.document),
                *(printable(p.strip()) for p in (passage.before, passage.term, passage.after)),
            )
            for passages in lists.values()
            for passage in passages
        ]
        if rows:
            out.write(f"{blank}{printable(label)}:\n")
            write_table(out, rows, ">><<")
            blank = "\n"
