"""``termsift keyness``: the key terms of one corpus compared with another."""

from __future__ import annotations

import argparse
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import compress
from pathlib import Path
from typing import Any, TextIO, get_args

import numpy as np

import termsift as ts
from termsift import io, typing
from termsift._util.export import json_value
from termsift._util.faults import (
    Argument,
    Message,
    carrying,
    excluded,
    message_of,
    wrong_value,
)
from termsift._util.messages import logger, printable
from termsift._util.validation import check_integer, did_you_mean, listed, naming, number_of
from termsift.cli import arguments, inputs, output

_BY_DOCUMENTS = "g2_docs", "zeta", "lrc_docs", "rank_sum"  # orders that compare documents
_LETTERS = 16  # The largest number of letters of a corpus in the title of a column.
# The options of the list, and the arguments that they set.
_COLUMNS = {f"list_{name}": name for name in ("term", "count", "documents", "label")}
_OF_LIST = _COLUMNS | {"list_tokens": "class_tokens", "list_n_docs": "class_docs"}
_UNLABELLED = "INPUT"  # what titles call texts without labels
_K_OF_TABLE = 20  # the default number of terms in each direction
_FEW = 0.01  # With so small a share of the texts' tokens in the list, a mistake is likely.
_MORE = """\
By default, REFERENCE consists of all classes that are not in TARGET. With --versus-list, the list
is the reference, and TARGET by default consists of all classes. If the list has a column of classes
(--list-label), REFERENCE names classes of the list. Separate several classes of one corpus by
commas. The terms that TARGET uses more often come first, then the terms that it uses
less often.

"""


def add(commands: Any) -> None:
    """Add the parser of the command."""
    about = "compare the terms of two corpora: effect size, significance, dispersion"
    usage = "INPUT [TARGET [REFERENCE]] [options]"
    parser = arguments.add_command(commands, "keyness", _run, about, _MORE, usage)
    arguments.add_input(parser, unlabelled=arguments.ONE_CLASS)
    several = "a class, or several as A,B,..."
    parser.add_argument("target", metavar="TARGET", nargs="?", help=several)
    others = "the classes to compare TARGET with"
    parser.add_argument("reference", metavar="REFERENCE", nargs="?", help=others)
    _add_list(parser)
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


def _add_list(parser: argparse.ArgumentParser) -> None:
    about = (
        "compare with a frequency list: a table of terms and counts. Its columns have usual names, "
        "such as word and freq, or one of two columns holds numbers. The rules for texts are "
        "applied to the terms"
    )
    usual = "column of the {} in the list: a name, or a number from 1 (default: a usual name)"
    total = "tokens of the list's corpus, if the list leaves out terms (default: sum of the counts)"
    n_docs = "documents of the list's corpus; makes use of the list's numbers of documents"
    arguments.add_values(
        parser.add_argument_group("frequency list"),
        ("--versus-list", str, "FILE", about),
        ("--list-term", str, "COL", usual.format("terms")),
        ("--list-count", str, "COL", usual.format("counts")),
        ("--list-documents", str, "COL", usual.format("numbers of documents")),
        ("--list-label", str, "COL", usual.format("classes")),
        ("--list-tokens", int, "N", total),
        ("--list-n-docs", int, "N", n_docs),
    )


def _run(args: argparse.Namespace) -> None:
    if args.versus_list is None:
        arguments.refuse(args, "there is no --versus-list", *_OF_LIST)
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
    target = counts.classes if args.target is None else inputs.labels_of(counts, args.target)
    name = Path(path).name
    if name in target:
        raise ValueError(f"{path}: is also the name of a class; rename the list")
    with _blaming_list():
        reference = _counts_of_list(args, name, counts.rules)
    # Labels that are integers would become text beside a label of text, so the list gets another.
    parts = (args.source, counts.subset(target)), (path, reference.subset({(name,): name}))
    label_of: dict[Hashable, Any] = {**{label: [label] for label in target}, name: [(name,)]}
    both = ts.merge(parts).subset(label_of)
    _warn_of_strangers(path, both, name)
    return both, target, [name]


def _warn_of_strangers(path: str, counts: ts.ClassCounts, name: str) -> None:
    """Warn if the list, whose class is ``name``, has hardly any token of the texts."""
    occurrences = counts.term_frequency
    is_list = np.array([label == name for label in counts.classes])
    is_listed = occurrences[is_list].sum(axis=0) > 0
    of_texts = occurrences[~is_list].sum(axis=0)
    known, total = of_texts[is_listed].sum(), of_texts.sum()
    if known < _FEW * total:
        logger.warning(
            "warning: %s: has %s of the %s tokens of the texts, so nearly every term is key; check "
            "that its terms are words like those of the texts, without tags such as the_NN1, in "
            "the same language",
            path,
            f"{known:,.10g}" if known else "none",
            f"{total:,.10g}",
        )


def _counts_of_list(
    args: argparse.Namespace, name: str, rules: ts.text.TextRules | None
) -> ts.ClassCounts:
    """Return the counts of the list as one class, whose label is ``name``."""
    path, n_docs = args.versus_list, args.list_n_docs
    if n_docs is None:
        if args.list_documents is not None:
            raise excluded("{documents} needs {class_docs}, the number of documents in the corpus")
        if args.sort in _BY_DOCUMENTS:
            raise ValueError(f"{path}: the list has no documents, so leave out --sort {args.sort}")
    elif args.sort == "rank_sum":
        raise ValueError(f"{path}: holds no texts, so leave out --sort {args.sort}")
    columns = {
        _COLUMNS[option]: column for option, column in arguments.given(args, *_COLUMNS).items()
    }
    table = io.read_frequency_list(path, **columns, **arguments.given(args, "encoding"))
    if args.reference is not None:
        table = _rows_of(path, table, args.reference)
    if not any(table["count"]):
        raise ValueError(f"{path}: the list has no tokens, so there is nothing to compare with")
    if rules is not None and rules.names_functions:
        logger.warning(
            "warning: %s: its terms are not cut, since the counts keep only the names of functions "
            "among their rules: %s",
            path,
            rules.shown,
        )
        rules = None
    options: dict[str, Any] = {"rules": rules}
    with naming(path):
        if args.list_tokens is not None:
            total = check_integer(args.list_tokens, "--list-tokens", sum(table["count"]))
            options["class_tokens"] = {name: total}
        if n_docs is not None:
            if "documents" not in table:
                raise excluded("{class_docs} needs a column of documents; name it by {documents}")
            options["class_docs"] = {name: check_integer(n_docs, "--list-n-docs")}
        table["label"] = [name] * len(table["term"])
        counts = ts.counts_from_table(table, **options)
        if not counts.class_tokens.any():
            raise ValueError("the rules for texts leave out every term of the list")
    return counts


def _rows_of(path: str, table: dict[str, list[Any]], names: str) -> dict[str, list[Any]]:
    """Return the rows of some classes of a list."""
    if "label" not in table:
        raise wrong_value(
            "{path}: the list is the reference, so leave out {names}, or name the column of its "
            "classes by {label}",
            path=path,
            names=names,
        )
    known = dict.fromkeys(table["label"])
    wanted = [names] if names in known else names.split(",")
    for one in wanted:
        if one not in known:
            hint = did_you_mean(one, known)
            classes = listed(sorted(known))
            raise ValueError(f"{path}: no class {one!r}, expected one of {classes}{hint}")
    kept = [label in wanted for label in table["label"]]
    return {column: list(compress(values, kept)) for column, values in table.items()}


@contextmanager
def _blaming_list() -> Iterator[None]:
    """Let errors about the list name its options in place of arguments."""
    option_of = {argument: option for option, argument in _OF_LIST.items()}

    def renamed(message: Message) -> Message:
        parts = (
            Argument(option_of.get(part.name, part.name), part.values)
            if isinstance(part, Argument)
            else part
            for part in message.parts
        )
        return Message(*parts)

    try:
        yield
    except (ValueError, TypeError) as error:
        raise carrying(type(error), renamed(message_of(error))) from None


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
    if not blank:
        out.write(_why_empty(keyness))


def _why_empty(keyness: ts.Keyness) -> str:
    """Return a sentence that says why no table was written."""
    target, reference = _corpora(keyness)
    if keyness.similar:
        return f"no term is surely used about equally often in {target} and in {reference}\n"
    n_equal = len(keyness)
    if n_equal:
        return f"{target} and {reference} use {number_of(n_equal, 'term')} equally often\n"
    return f"no term of {target} and {reference} is left to list\n"


def _lists(keyness: ts.Keyness) -> list[tuple[str, Any]]:
    """Return the heading of each list, and which rows of the table it has."""
    target, reference = _corpora(keyness)
    signs = keyness.table["sign"]
    if keyness.similar:
        return [(f"alike in {target}, {reference}", np.full(len(signs), True))]
    return [(f"more in {target}", signs == 1), (f"more in {reference}", signs == -1)]


def _corpora(keyness: ts.Keyness) -> list[str]:
    """Return the names of the target and of the reference."""
    sides = keyness.target, keyness.reference
    return [", ".join(map(output.shown, labels)) or _UNLABELLED for labels in sides]


def _titles(keyness: ts.Keyness) -> dict[str, str]:
    """Return titles that name the corpora, for columns of the printed table."""
    titles = {}
    for side, labels in (("target", keyness.target), ("reference", keyness.reference)):
        name = printable(", ".join(map(str, labels)) or _UNLABELLED, _LETTERS)
        titles[f"n_{side}"] = f"in {name}"
        titles[f"per_million_{side}"] = "per million"
        titles[f"df_{side}"] = f"documents in {name}"
        titles[f"dp_{side}"] = f"dp in {name}"
    return titles
