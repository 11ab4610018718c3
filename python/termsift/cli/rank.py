"""``termsift rank``: the terms that tell the classes apart best."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any, TextIO

import termsift as ts
from termsift._counts.counting import count_collection
from termsift._evaluate.rankers import rank_by
from termsift._scores.class_terms import class_columns
from termsift._scores.methods import MODELS
from termsift._scores.registry import DESCRIBING, KEY, MD, POLICIES, find_ranker
from termsift._util.export import Columns, json_value
from termsift._util.messages import logger
from termsift._util.validation import naming
from termsift.cli import arguments, inputs, output

K = 1000
_K_OF_TABLE = 20  # the default number of terms in a table or per class


def add(commands: Any) -> None:
    """Add the parser of the command."""
    about = "list the terms that tell the classes apart best"
    parser = arguments.add_command(commands, "rank", _run, about)
    arguments.add_input(parser)
    group = parser.add_argument_group("classes")
    per_class = "list the terms that each class uses more than the others do"
    arguments.add_flag(group, "--per-class", per_class)
    these = "compare only these classes, and ignore all others"
    arguments.add_values(group, ("--classes", str, "A,B", these))
    group = parser.add_argument_group("score")
    rankers: list[ts.Method | ts.Selector] = [*ts.methods(), *ts.selectors(), KEY]
    names, usual = [ranker.name for ranker in rankers], f"md, or {DESCRIBING} with --per-class"
    arguments.add_choice(group, "--method", names, arguments.METHOD, usual)
    with_models = ", ".join(ranker.name for ranker in rankers if ranker.models)
    arguments.add_choice(group, "--model", MODELS, f"model of the counts, for {with_models}")
    arguments.add_values(group, arguments.ALPHA)
    arguments.add_choice(group, "--policy", POLICIES, "best terms of all, or of each class in turn")
    group = output.add_output(parser)
    how_many = f"number of terms (default: {K}; {_K_OF_TABLE} in a table or per class)"
    arguments.add_values(group, ("-k --k", int, "N", how_many))


def _run(args: argparse.Namespace) -> None:
    method = args.method or (DESCRIBING if args.per_class else MD.name)
    if args.per_class:
        arguments.refuse(args, "--per-class has a list for each class", "policy")
    if method == KEY.name and not args.per_class:
        raise ValueError("--method key orders the terms of one class, so add --per-class")
    ranker = KEY if method == KEY.name else find_ranker(method)
    if ranker.reads_documents:
        why = f"--method {method} reads the documents"
        arguments.refuse(args, why, "alpha", "tf", "per_class", "classes")
    with output.answering(args) as answer:
        X = y = None
        if ranker.reads_documents:
            collection = inputs.read_documents(args)
            counts = count_collection(collection, n_threads=args.threads)
            X, y = collection.X, collection.y
        else:
            counts = inputs.read_counts(args)
            if args.classes is not None:
                with naming(args.input):
                    counts = counts.subset(inputs.labels_of(counts, args.classes))
        logger.info("ranking %d terms of %d classes", counts.n_terms, counts.n_classes)
        options = arguments.given(args, "model", "alpha", "policy")
        options["n_threads"] = args.threads
        k = _K_OF_TABLE if args.per_class or args.format == "table" else K
        k = args.k if args.k is not None else k
        columns: Columns
        head: dict[str, Any] = {"method": method, "model": args.model or MODELS[0]}
        note = ""
        with naming(args.source):
            if args.per_class:
                columns = class_columns(counts, method, k, **options)
            else:
                ranking = rank_by(method, counts, X, y, k, **options)
                columns, informative = ranking.columns(), ranking.informative
                head["policy"] = args.policy or POLICIES[0]
                if informative is not None:
                    head["informative"] = informative
                    if informative < len(ranking):
                        note = f"The terms from rank {informative + 1} on add no information.\n"
        head |= {"n_docs": output.n_docs(counts), "n_terms": counts.n_terms}
        head["classes"] = [json_value(label) for label in counts.classes]
        write = partial(_write_table, columns=columns, note=note)
        answer(columns, write, head, "terms")


# The columns of the printed table, with their formats.
_SHOWN = {"class": "", "rank": "d", "score": ".6g", "term": "", "index": "d"}
_SHOWN |= dict.fromkeys(("n_class", "n_rest", "df_class", "df_rest"), ".10g")
_SHOWN["pvalue_adj"] = ".4g"


def _write_table(out: TextIO, columns: Columns, note: str) -> None:
    other = "term" if all(term is None for term in columns["term"]) else "index"
    columns = {name: values for name, values in columns.items() if name != other}
    output.write_columns(out, columns, _SHOWN)
    out.write(note)
