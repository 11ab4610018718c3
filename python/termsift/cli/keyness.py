"""``termsift keyness``: the key terms of one corpus compared with another."""

from __future__ import annotations

import argparse
from collections.abc import Hashable
from functools import partial
from pathlib import Path
from typing import Any, TextIO, get_args

import numpy as np

import termsift as ts
from termsift import io, typing
from termsift._util.export import json_value
from termsift._util.messages import logger, printable
from termsift._util.validation import check_integer, naming
from termsift.cli import arguments, inputs, output

_BY_DOCUMENTS = "g2_docs", "zeta", "lrc_docs", "rank_sum"  # orders that compare documents
_LETTERS = 16  # The largest number of letters of a corpus in the title of a column.
_K_OF_TABLE = 20  # the default number of terms in each direction
_MORE = """\
By default, REFERENCE consists of all classes that are not in TARGET. With --versus-list, the list
is the reference, and TARGET by default consists of all classes. Separate several classes of one
corpus by commas. The terms that TARGET uses more often come first, then the terms that it uses
less often.

"""


def add(commands: Any) -> None:
    """Add the parser of the command."""
    about = "compare the terms of two corpora: effect size, significance, dispersion"
    usage = "INPUT [TARGET [REFERENCE]] [options]"
    parser = arguments.add_command(commands, "keyness", _run, about, _MORE, usage)
    arguments.add_input(parser)
    several = "a class, or several as A,B,..."
    parser.add_argument("target", metavar="TARGET", nargs="?", help=several)
    others = "the classes to compare TARGET with"
    parser.add_argument("reference", metavar="REFERENCE", nargs="?", help=others)
    versus = (
        "compare with a frequency list: a table with the columns term and count. A table without "
        "these columns has the terms in column 1 and the counts in column 2"
    )
    total = "tokens of the list's corpus, if the list leaves out terms (default: sum of the counts)"
    of_list = ("--versus-list", str, "FILE", versus), ("--list-tokens", int, "N", total)
    arguments.add_values(parser, *of_list)
    group = parser.add_argument_group("terms")
    arguments.add_choice(
        group, "--sort", get_args(typing.KeynessOrder), "column that orders the terms"
    )
    which = "terms that TARGET uses more often, less often, or both"
    arguments.add_choice(group, "--direction", get_args(typing.Direction), which)
    alike = "list lockwords instead: terms that both corpora surely use about equally often"
    arguments.add_flag(group, "--similar", alike)
    few = "drop terms that occur fewer than N times in the corpus that uses them more (default: 1)"
    arguments.add_values(
        group,
        ("--min-count", int, "N", few),
        ("--level", float, "P", "confidence level of the intervals and of lrc (default: 0.95)"),
    )
    evenly = "add Gries' DP, Juilland's D and the rank-sum test; these need the documents"
    arguments.add_flag(group, "--dispersion", evenly)
    how_many = f"number of terms in each direction (default: all; {_K_OF_TABLE} in a table)"
    arguments.add_values(output.add_output(parser), ("-k --k", int, "N", how_many))


def _run(args: argparse.Namespace) -> None:
    if args.versus_list is None:
        arguments.refuse(args, "there is no --versus-list", "list_tokens")
    with output.answering(args) as answer:
        documents = None
        if args.dispersion or (args.sort == "rank_sum" and args.versus_list is None):
            collection = inputs.read_documents(args)
            counts = inputs.count_collection(collection, args.tf or "raw", args.n_threads)
            documents = collection.X, collection.y
        else:
            counts = inputs.read_counts(args)
        target, reference = args.target, args.reference
        if args.versus_list is not None:
            counts, target, reference = _with_list(args, counts)
        elif target is None:
            raise ValueError("pass the class TARGET, or a list to compare with (--versus-list)")
        logger.info("comparing %d terms", counts.n_terms)
        options = arguments.given(args, "sort", "direction", "similar", "min_count", "level", "k")
        if args.format == "table":
            options.setdefault("k", _K_OF_TABLE)
        with naming(args.source):
            keyness = counts.keyness(
                inputs.labels_of(counts, target) if isinstance(target, str) else target,
                inputs.labels_of(counts, reference) if isinstance(reference, str) else reference,
                dispersion=documents,
                n_threads=args.n_threads,
                **options,
            )
        head = {
            "target": [json_value(label) for label in keyness.target],
            "reference": [json_value(label) for label in keyness.reference],
            "tokens": list(keyness.tokens),
            "n_docs": output.n_docs(counts),
            "n_terms": counts.n_terms,
        }
        sorted_by = "log_ratio_most" if args.similar else args.sort
        write = partial(_write_tables, keyness=keyness, sorted_by=sorted_by)
        answer(keyness.columns(), write, head, "terms")


def _with_list(
    args: argparse.Namespace, counts: ts.ClassCounts
) -> tuple[ts.ClassCounts, list[Hashable], list[Hashable]]:
    """Return the counts of the target and of the list, and the labels of both."""
    path = args.versus_list
    arguments.refuse(args, f"{path}: the list has no documents", "dispersion")
    if args.sort in _BY_DOCUMENTS:
        raise ValueError(f"{path}: the list has no documents, so leave out --sort {args.sort}")
    if args.reference is not None:
        raise ValueError(f"{path}: the list is the reference, so leave out {args.reference}")
    target = counts.classes if args.target is None else inputs.labels_of(counts, args.target)
    name = Path(path).name
    if name in target:
        raise ValueError(f"{path}: is also the name of a class; rename the list")
    table = io.read_frequency_list(path)
    if not any(table["count"]):
        raise ValueError(f"{path}: the list has no tokens, so there is nothing to compare with")
    frame, total = {**table, "label": [name] * len(table["term"])}, None
    with naming(path):
        if args.list_tokens is not None:
            total = {name: check_integer(args.list_tokens, "--list-tokens", sum(table["count"]))}
        listed = ts.counts_from_table(frame, class_tokens=total)
    # Labels that are integers would become text beside a label of text, so the list gets another.
    parts = (args.source, counts.subset(target)), (path, listed.subset({(name,): name}))
    label_of: dict[Hashable, Any] = {**{label: [label] for label in target}, name: [(name,)]}
    return ts.merge(parts).subset(label_of), target, [name]


# The columns of the printed tables, with their formats. CSV and JSON output has all columns.
_SHOWN = {"term": "", "n_target": ",.10g", "per_million_target": ",.1f"}
_SHOWN |= {"n_reference": ",.10g", "per_million_reference": ",.1f", "log_ratio": ".2f"}
_SHOWN |= {"g2": ",.1f", "pvalue_adj": ".4g", "df_target": ",.10g", "df_reference": ",.10g"}
_SHOWN |= {"dp_target": ".2f", "dp_reference": ".2f"}


def _write_tables(out: TextIO, keyness: ts.Keyness, sorted_by: str | None) -> None:
    """Write one table for each list that is not empty."""
    columns = keyness.columns() | {"term": keyness.terms}
    shown = dict(_SHOWN)
    if sorted_by is not None:
        shown.setdefault(sorted_by, ".3g")
    blank = ""
    titles = _titles(keyness)
    for heading, rows in _lists(keyness):
        if rows.any():
            out.write(f"{blank}{heading}:\n")
            of_section = {name: values[rows] for name, values in columns.items()}
            output.write_columns(out, of_section, shown, titles)
            blank = "\n"


def _lists(keyness: ts.Keyness) -> list[tuple[str, Any]]:
    """Return the heading of each list, and which rows of the table it has."""
    target, reference = (
        ", ".join(map(output.shown, labels)) for labels in (keyness.target, keyness.reference)
    )
    signs = keyness.table["sign"]
    if keyness.similar:
        return [(f"alike in {target}, {reference}", np.full(len(signs), True))]
    return [(f"more in {target}", signs == 1), (f"more in {reference}", signs == -1)]


def _titles(keyness: ts.Keyness) -> dict[str, str]:
    """Return titles that name the corpora, for columns of the printed table."""
    titles = {}
    for side, labels in (("target", keyness.target), ("reference", keyness.reference)):
        name = printable(", ".join(map(str, labels)), _LETTERS)
        titles[f"n_{side}"] = f"in {name}"
        titles[f"per_million_{side}"] = "per million"
        titles[f"df_{side}"] = f"documents in {name}"
        titles[f"dp_{side}"] = f"dp in {name}"
    return titles
