"""``termsift rank``: the terms that tell the classes apart best."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any, TextIO

import numpy as np

import termsift as ts
from termsift._util.export import Columns, json_value
from termsift._util.messages import logger
from termsift._util.validation import naming
from termsift.cli import arguments, inputs, output

K = 1000
_USUAL = "md"  # the default method
_SIGNIFICANT = 0.05  # tables mark terms with larger p-values
_OTHER_TEST = "g2"  # the test of methods that are no tests
_MOST_RANKED = 1 << 24  # the most tests whose p-values are adjusted by Benjamini and Hochberg
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
    rankers = _rankers()
    names, usual = [*rankers, arguments.KEY], f"{_USUAL}, or {arguments.KEY} with --per-class"
    arguments.add_choice(group, "--method", names, arguments.METHOD, usual)
    with_models = ", ".join(name for name, ranker in rankers.items() if ranker.models)
    arguments.add_choice(
        group, "--model", arguments.MODELS, f"model of the counts, for {with_models}"
    )
    arguments.add_values(group, arguments.ALPHA)
    policies = "best terms of all, or of each class in turn"
    arguments.add_choice(group, "--policy", arguments.POLICIES, policies)
    about = (
        "rank samples of the documents, too, and add columns: the probability of each term to be "
        "among the first k, and the range of its rank in 90%% of the samples"
    )
    arguments.add_stability(parser, about)
    group = output.add_output(parser)
    how_many = f"number of terms (default: {K}; {_K_OF_TABLE} in a table or per class)"
    arguments.add_values(group, ("-k --k", int, "N", how_many), arguments.MAX_PVALUE)


def _rankers() -> dict[str, ts.Method | ts.Selector]:
    """Return the methods and selectors by name."""
    return {ranker.name: ranker for ranker in (*ts.methods(), *ts.selectors())}


def _run(args: argparse.Namespace) -> None:
    method: Any = args.method or (arguments.KEY if args.per_class else _USUAL)
    if args.per_class:
        arguments.refuse(args, "--per-class has a list for each class", "policy")
    arguments.check_stability(args)
    if args.stability:
        arguments.refuse(
            args, "--stability ranks all documents", "per_class", "classes", "max_pvalue"
        )
    if method == arguments.KEY and not args.per_class:
        raise ValueError("--method key orders the terms of one class, so add --per-class")
    reads_documents = method != arguments.KEY and _rankers()[method].reads_documents
    if reads_documents:
        why = f"--method {method} reads the documents"
        arguments.refuse(args, why, "alpha", "tf", "per_class", "classes", "max_pvalue")
        for option, usual in (("model", arguments.MODELS[0]), ("policy", arguments.POLICIES[0])):
            if getattr(args, option) != usual:
                arguments.refuse(args, why, option)
    with output.answering(args) as answer:
        collection = None
        if reads_documents or args.stability:
            collection = inputs.read_documents(args)
            tf = args.tf or "raw"
            counts = inputs.count_collection(collection, tf, n_threads=args.n_threads)
        else:
            counts = inputs.read_counts(args)
            if args.classes is not None:
                with naming(args.input):
                    counts = counts.subset(inputs.labels_of(counts, args.classes))
        logger.info("ranking %d terms of %d classes", counts.n_terms, counts.n_classes)
        options = arguments.given(args, "model", "alpha", "policy", "max_pvalue")
        options["n_threads"] = args.n_threads
        k = _K_OF_TABLE if args.per_class or args.format == "table" else K
        k = args.k if args.k is not None else k
        columns: Columns
        head: dict[str, Any] = {"method": method, "model": args.model or arguments.MODELS[0]}
        note = ""
        with naming(args.source):
            if args.per_class:
                columns = counts.columns(method, k, **options)
                note = _about_pvalues(counts, method, columns)
            else:
                if args.stability:
                    found = _stability(args, method, k, collection, options)
                    ranking, columns, note = found.ranking, found.columns(), _about_samples(found)
                    head |= _numbers_of(found)
                elif collection is None:
                    ranking = counts.rank(method, k, **options)
                    columns = ranking.columns()
                else:
                    X, y, names = collection.X, collection.y, collection.term_names
                    choose = getattr(ts, method)
                    ranking = choose(X, y, k, term_names=names, n_threads=args.n_threads)
                    columns = ranking.columns()
                informative = ranking.informative
                head["policy"] = args.policy or arguments.POLICIES[0]
                if informative is not None:
                    head["informative"] = informative
                    if informative < len(ranking):
                        note += f"The terms from rank {informative + 1} on add no information.\n"
        head |= {"n_docs": output.n_docs(counts), "n_terms": counts.n_terms}
        head["classes"] = [json_value(label) for label in counts.classes]
        write = partial(_write_table, columns=columns, note=note)
        answer(columns, write, head, "terms")


def _stability(
    args: argparse.Namespace, method: Any, k: int, collection: Any, options: dict[str, Any]
) -> ts.Stability:
    """Return how stable the ranking of a collection is."""
    options = options | arguments.given(args, "tf", "random_state", "n_samples")
    classes, names = collection.classes, collection.term_names
    return ts.stability(
        collection.X, collection.y, method, k, classes=classes, term_names=names, **options
    )


def _about_samples(found: ts.Stability) -> str:
    """Say how much the samples agree, below the table."""
    note = f"{found.summary}\n"
    if np.isinf(found.rank_high).any():
        note += f"The rank inf is beyond the {found.n_ranked:,} terms that each sample ranks.\n"
    return note


def _numbers_of(found: ts.Stability) -> dict[str, Any]:
    """Return what JSON says of all samples."""
    low, high = found.overlap_interval
    numbers = {"n_samples": found.n_samples, "n_ranked": found.n_ranked, "overlap": found.overlap}
    return numbers | {"overlap_low": low, "overlap_high": high, "floor": json_value(found.floor)}


# The columns of the printed table, with their formats.
_SHOWN = {"class": "", "rank": "d", "score": ".6g", "term": "", "index": "d"}
_SHOWN |= {"n_class": ".10g", "per_million_class": ",.1f"}
_SHOWN |= {"n_rest": ".10g", "per_million_rest": ",.1f"}
_SHOWN |= {"df_class": ".10g", "df_rest": ".10g", "pvalue_adj": ".4g"}
_SHOWN |= {"probability": ".2f", "rank_low": ",.10g", "rank_high": ",.10g"}
# The rates stand beside the counts.
_TITLES = {"per_million_class": "per million", "per_million_rest": "per million"}


def _about_pvalues(counts: ts.ClassCounts, method: str, columns: Columns) -> str:
    """Say how many of the listed terms are not significant, if the columns have p-values."""
    values = columns.get("pvalue_adj")
    if values is None or not (n := np.count_nonzero(values > _SIGNIFICANT)):
        return ""
    tests = [entry.name for entry in ts.methods() if entry.is_test]
    test = method if method in tests else _OTHER_TEST
    is_ranked = counts.n_classes * counts.n_terms <= _MOST_RANKED
    by = "Benjamini and Hochberg's" if is_ranked else "Bonferroni's"
    how = f"p-values of {test}, adjusted for all classes and terms by {by}"
    return (
        f"Not significant (pvalue_adj above {_SIGNIFICANT}): {n:,} of {len(values):,} terms; "
        f"{how} method. Leave them out with --max-pvalue {_SIGNIFICANT}.\n"
    )


def _write_table(out: TextIO, columns: Columns, note: str) -> None:
    terms = columns["term"]
    other = "term" if len(terms) and all(term is None for term in terms) else "index"
    columns = {name: values for name, values in columns.items() if name != other}
    output.write_columns(out, columns, _SHOWN, _TITLES)
    out.write(note)
