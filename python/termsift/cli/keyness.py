"""``termsift keyness``: the key terms of one corpus beside another."""

from __future__ import annotations

import argparse
import logging
import os
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import numpy as np

import termsift as ts
from termsift._counts.counting import count_collection
from termsift._scores.class_terms import DIRECTIONS
from termsift._scores.corrections import CORRECTIONS
from termsift._scores.keyness import KEYNESS_ORDERS
from termsift._scores.significance import ADJUSTMENTS
from termsift._util.export import json_value
from termsift._util.validation import naming
from termsift.cli.arguments import (
    above_zero,
    add_choice,
    add_command,
    add_input,
    add_values,
    positive,
    refuse,
    share,
    values_of,
)
from termsift.cli.inputs import DEMO, labels_of, read_counts, read_documents
from termsift.cli.output import (
    Answer,
    add_output,
    answering,
    is_shown,
    shown,
    shown_pvalue,
    write_table,
)
from termsift.io._class_folder import visible
from termsift.io._kinds import holds_texts

_log = logging.getLogger("termsift")

_K_ON_TERMINAL = 20  # of each direction
_MORE = """\
REFERENCE is all other classes if it is left out. Several classes of one corpus have commas between
them. First come the terms that TARGET uses more often, then those that it uses less often.

If INPUT is a folder of documents without sub-folders, it is compared with TARGET, another such
folder: 'keyness a/ b/'.

"""


def add(commands: Any) -> None:
    """Add the parser of the command."""
    about = "compare the terms of two corpora: effect size, significance, dispersion"
    usage = "INPUT TARGET [REFERENCE] [options]"
    parser = add_command(commands, "keyness", _run, about, _MORE, usage)
    add_input(parser)
    parser.add_argument("target", metavar="TARGET", help="a class, or A,B,... as one; or a folder")
    parser.add_argument("reference", metavar="REFERENCE", nargs="?", help="the same")
    group = parser.add_argument_group("terms")
    add_choice(group, "--sort", KEYNESS_ORDERS, "what orders the terms of each direction")
    add_choice(group, "--direction", DIRECTIONS, "terms that TARGET uses more, less, or both")
    add_values(
        group,
        ("--min-count", positive, "N", "only terms with N occurrences where they are more", 1),
        ("--min-share", share, "P", "only terms in this share of the documents there", 0.0),
        ("--max-dp", share, "P", "only terms of at most this DP there (with --dispersion)", 1.0),
    )
    group = parser.add_argument_group("measures")
    add_choice(group, "--correction", CORRECTIONS, "of g2, for small counts")
    add_choice(group, "--adjust", ADJUSTMENTS, "how p-values are adjusted for all terms")
    add_values(
        group,
        ("--constant", above_zero, "C", "the constant of simple_maths", 1.0),
        ("--confidence", share, "P", "the level of the confidence intervals", 0.95),
    )
    spread = "add how evenly documents share a term, Gries' DP and Juilland's D"
    group.add_argument("--dispersion", action="store_true", help=spread)
    group = parser.add_argument_group("output")
    how_many = f"terms of each direction (default: all; {_K_ON_TERMINAL} on a terminal)"
    add_values(group, ("-k --k", positive, "N", how_many))
    add_output(group)


def _run(args: argparse.Namespace) -> None:
    if not args.dispersion:
        refuse(args, "only with --dispersion", "max_dp")
    with answering(args) as answer:
        documents = None
        corpora = _corpora(args)
        if corpora:
            args.target, args.reference = map(str, corpora)
        if args.dispersion or corpora:
            collection = read_documents(args, corpora)
            counts = count_collection(collection, args.tf or "raw", args.threads)
            documents = (collection.X, collection.y) if args.dispersion else None
        else:
            counts = read_counts(args)
        _log.info("comparing %d terms", counts.n_terms)
        options = values_of(args, "sort", "direction", "min_count", "min_share", "max_dp")
        options |= values_of(args, "correction", "adjust", "constant", "confidence")
        with naming(args.input):
            found = counts.keyness(
                labels_of(counts, args.target),
                None if args.reference is None else labels_of(counts, args.reference),
                args.k or (_K_ON_TERMINAL if is_shown(args) else None),
                dispersion=documents,
                n_threads=args.threads,
                **options,
            )
        head = {
            "target": [json_value(label) for label in found.target],
            "reference": [json_value(label) for label in found.reference],
            "tokens": list(found.tokens),
            "n_docs": counts.n_docs,
            "n_terms": counts.n_terms,
        }
        answer(Answer(found.columns(), partial(_write_tables, found=found), head, "terms"))


def _corpora(args: argparse.Namespace) -> list[Path]:
    """Return INPUT and TARGET, if INPUT is a folder of documents and not of classes."""
    paths = [Path(args.input), Path(args.target)]
    are_plain = [
        os.path.isdir(path) and holds_texts(path) and not any(map(os.path.isdir, visible(path)))
        for path in paths
    ]
    if args.reference or args.input_format or args.input == DEMO or not are_plain[0]:
        return []
    if not are_plain[1]:
        expected = "expected a folder of documents without sub-folders, to compare with"
        missing = "" if paths[1].exists() else "no such folder; "
        raise ValueError(f"{args.target}: {missing}{expected} {args.input}, which has no classes")
    return paths


# The columns of the tables for people, with titles and formats. The other formats have all columns.
_SHOWN = {
    "n_target": ("target", ",.10g"),
    "n_reference": ("reference", ",.10g"),
    "log_ratio": ("log_ratio", ".2f"),
    "log_ratio_low": ("low", ".2f"),
    "log_ratio_high": ("high", ".2f"),
    "g2": ("g2", ",.1f"),
    "pvalue_adj": ("pvalue_adj", ""),
    "bic": ("bic", ",.1f"),
    "df_target": ("df_target", ",.10g"),
    "df_reference": ("df_ref", ",.10g"),
    "dp_target": ("dp_target", ".2f"),
    "dp_reference": ("dp_ref", ".2f"),
}


def _write_tables(out: TextIO, found: ts.Keyness) -> None:
    """Write a table of each direction that has terms."""
    present = {name: how for name, how in _SHOWN.items() if name in found.table}
    head = ["term", *(title for title, _ in present.values())]
    blank = ""
    for sign, labels in ((1, found.target), (-1, found.reference)):
        places = np.flatnonzero(found.table["sign"] == sign)
        if not len(places):
            continue
        columns = [[shown(name) for name in found.names[places]]]
        for name, (_, form) in present.items():
            values = found.table[name][places].tolist()
            is_pvalue = name == "pvalue_adj"
            columns.append([shown_pvalue(x) if is_pvalue else format(x, form) for x in values])
        out.write(f"{blank}more in {', '.join(map(shown, labels))}:\n")
        write_table(out, [head, *zip(*columns, strict=True)], "<" + ">" * len(present))
        blank = "\n"
