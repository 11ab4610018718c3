"""``termsift rank``: the terms that tell the classes apart best."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any, TextIO

import numpy as np

import termsift as ts
from termsift._api.class_counts import value_of
from termsift._api.counting import count_collection
from termsift._evaluate.rankers import rank_by
from termsift._scores.class_terms import adjustment, class_columns, marking_test
from termsift._scores.methods import MODELS
from termsift._scores.ranking import SIGNIFICANT
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
    arguments.add_values(group, ("--classes", str, "A,B", these), arguments.MAX_PVALUE)
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
    else:
        arguments.refuse(args, "there is no --per-class", "max_pvalue")
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
            counts = count_collection(collection, n_threads=args.n_threads)
            X, y = collection.X, collection.y
        else:
            counts = inputs.read_counts(args)
            if args.classes is not None:
                with naming(args.input):
                    counts = counts.subset(inputs.labels_of(counts, args.classes))
        logger.info("ranking %d terms of %d classes", counts.n_terms, counts.n_classes)
        options = arguments.given(args, "model", "alpha", "policy")
        options["n_threads"] = args.n_threads
        k = _K_OF_TABLE if args.per_class or args.format == "table" else K
        k = args.k if args.k is not None else k
        columns: Columns
        head: dict[str, Any] = {"method": method, "model": args.model or MODELS[0]}
        note = ""
        with naming(args.source):
            if args.per_class:
                columns = class_columns(
                    value_of(counts), method, k, max_pvalue=args.max_pvalue, **options
                )
                note = _about_pvalues(counts, method, columns, args.max_pvalue)
            else:
                ranking = rank_by(method, value_of(counts), X, y, k, **options)
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
_SHOWN |= {"n_class": ".10g", "per_million_class": ",.1f"}
_SHOWN |= {"n_rest": ".10g", "per_million_rest": ",.1f"}
_SHOWN |= {"df_class": ".10g", "df_rest": ".10g", "pvalue_adj": ".4g"}
# The rates stand beside the counts.
_TITLES = {"per_million_class": "per million", "per_million_rest": "per million"}


def _about_pvalues(
    counts: ts.ClassCounts, method: str, columns: Columns, max_pvalue: float | None
) -> str:
    """Say how many of the listed terms are not significant."""
    test, values = marking_test(method, max_pvalue), columns.get("pvalue_adj")
    if test is None or values is None or values.dtype == object:
        return ""
    if not (n := np.count_nonzero(values > SIGNIFICANT)):
        return ""
    by = adjustment(value_of(counts))
    how = f"p-values of {test.name}, adjusted for all classes and terms by {by}"
    return (
        f"Not significant (pvalue_adj above {SIGNIFICANT}): {n:,} of {len(values):,} terms; "
        f"{how} method. Leave them out with --max-pvalue {SIGNIFICANT}.\n"
    )


def _write_table(out: TextIO, columns: Columns, note: str) -> None:
    terms = columns["term"]
    other = "term" if len(terms) and all(term is None for term in terms) else "index"
    columns = {name: values for name, values in columns.items() if name != other}
    output.write_columns(out, columns, _SHOWN, _TITLES)
    out.write(note)
