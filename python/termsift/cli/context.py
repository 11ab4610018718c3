"""``termsift context``: show terms in their context, in the texts of each class."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any, TextIO

import termsift as ts
from termsift._util.messages import logger, printable
from termsift._util.validation import check_groups, naming, object_array
from termsift.cli import arguments, inputs, output

_MORE = """\
Each passage is shown with the file of its document or, if INPUT is a table, with the number of its
row, and if INPUT is several tables, with both. Row 1 is the first row after the header. Blank lines
do not count, but rows that --on-error leaves out do. The rules for texts also apply to the terms,
so Lunch finds lunch. Quote a term of several words: 'free prize'.

"""


def add(commands: Any) -> None:
    """Add the parser of the command."""
    about = "show terms in their context, in the texts of each class"
    usage = "INPUT TERM ... [options]"
    parser = arguments.add_command(commands, "context", _run, about, _MORE, usage)
    arguments.add_input(parser, counts=False)
    parser.add_argument("queries", metavar="TERM", nargs="+", help="a term, as rank lists it")
    group = parser.add_argument_group("passages")
    classes = "a class to search; repeat it for several (default: all)"
    group.add_argument("--class", dest="classes", action="append", metavar="LABEL", help=classes)
    about = "passages per term and class (default: 3)"
    group.add_argument("-k", "--k", dest="n_passages", type=int, metavar="N", help=about)
    width = "characters before and after the term (default: 30)"
    arguments.add_values(group, ("--width", int, "N", width))
    output.add_output(parser)


def _run(args: argparse.Namespace) -> None:
    if args.input == inputs.DEMO or not inputs.has_texts(args):
        raise ValueError(f"{args.input}: holds no texts, expected a table or a folder of texts")
    with output.answering(args) as answer:
        scan = inputs.scan_of(args)
        with naming(args.input):
            passages = ts.find_passages(
                scan,
                queries=args.queries,
                n_passages=3 if args.n_passages is None else args.n_passages,
                width=30 if args.width is None else args.width,
                n_threads=args.n_threads,
            )
            if passages and args.classes:
                chosen = check_groups(args.classes, list(passages))
                passages = ts.FoundPassages((label, passages[label]) for label in chosen)
        inputs.log_read(args, scan)
        lists = passages.values()
        absent = [query for query in args.queries if not any(of_class[query] for of_class in lists)]
        if absent:
            where = f" of {' or '.join(args.classes)}" if args.classes else ""
            none = " or ".join(map(repr, absent))
            logger.warning("with these rules, no document%s contains %s", where, none)
        columns = _columns(passages, scan)
        write = partial(_write_passages, columns=columns)
        answer(columns, write, {"queries": list(args.queries)}, "passages")


def _columns(passages: ts.FoundPassages, scan: ts.Scan) -> dict[str, Any]:
    rows = [
        (label, query, document, before, match, after)
        for label, lists in passages.items()
        for query, of_query in lists.items()
        for before, match, after, document in of_query
    ]
    names = ("class", "query", "document", "before", "match", "after")
    columns = {name: object_array([row[i] for row in rows]) for i, name in enumerate(names)}
    documents = columns["document"].tolist()
    places = scan.places(documents) or [document + 1 for document in documents]
    return {**columns, "document": object_array(places)}


def _write_passages(out: TextIO, columns: dict[str, Any]) -> None:
    labels = columns["class"]
    blank = ""
    for label in dict.fromkeys(labels.tolist()):
        cells = [column[labels == label] for column in list(columns.values())[2:]]
        rows = [[printable(cell).strip() for cell in row] for row in zip(*cells, strict=True)]
        out.write(f"{blank}{printable(label)}:\n")
        output.write_table(out, rows, "<><<")
        blank = "\n"
