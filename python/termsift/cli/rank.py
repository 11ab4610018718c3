"""``termsift rank``: the terms that tell the classes apart best."""

from __future__ import annotations

import argparse
import logging
from functools import partial
from typing import Any, TextIO

import numpy as np
import numpy.typing as npt

import termsift as ts
from termsift import _core, io
from termsift._counts.counting import count_collection
from termsift._evaluate.rankers import rank_by
from termsift._scores.class_terms import DIRECTIONS, class_columns
from termsift._scores.methods import MODELS
from termsift._scores.registry import DESCRIBING, MD, POLICIES, find_ranker
from termsift._scores.significance import ADJUSTMENTS
from termsift._util.export import json_value
from termsift._util.validation import naming
from termsift.cli.arguments import (
    add_choice,
    add_command,
    add_folds,
    add_input,
    add_method,
    add_values,
    flag,
    positive,
    refuse,
    smoothing,
    values_of,
)
from termsift.cli.inputs import labels_of, read_counts, read_documents
from termsift.cli.output import (
    Answer,
    add_output,
    answering,
    is_shown,
    shown,
    shown_pvalue,
    tell,
    write_table,
)

_log = logging.getLogger("termsift")

_AUTO = "auto"
_K = 1000
_K_ON_TERMINAL = 20  # and of each class


def add(commands: Any) -> None:
    """Add the parser of the command."""
    parser = add_command(
        commands,
        "rank",
        _run,
        "list the terms that tell the classes apart best",
    )
    add_input(parser)
    group = parser.add_argument_group("classes")
    listed = "which terms of each class: those it has more of, less of, or both"
    tests = "how p-values are adjusted for the number of tests"
    group.add_argument("--per-class", action="store_true", help="list the best terms of each class")
    add_values(group, ("--direction", DIRECTIONS, None, listed, None, "over"))
    add_values(group, ("--adjust", ADJUSTMENTS, None, tests, None, "bh up to 2^24 tests"))
    add_values(
        group,
        ("--classes", str, "A,B", "compare only these classes, as if there were no others"),
        ("--versus", str, "C,D", "compare those of --classes, as one, with these, as one"),
    )
    group = parser.add_argument_group("score")
    add_method(group, [*ts.methods(), *ts.selectors()], f"md, with --per-class {DESCRIBING}")
    add_choice(group, "--model", MODELS, f"what p is, for {', '.join(_with_models())}")
    more = "smoothing: A more occurrences of each term, or B1,B2: B1 of each and B2 in total"
    add_values(group, ("--alpha", smoothing, "A", more, 1.0))
    add_choice(group, "--class-prior", ("empirical", "uniform"), "weights of the classes")
    add_choice(group, "--policy", POLICIES, "best scores, or the classes take turns")
    to_one = "how class scores become one, by default as the method has it"
    add_values(group, ("--aggregate", tuple(_core.Aggregate.__members__), None, to_one))
    for option, (values, methods) in _method_options().items():
        add_choice(group, flag(option), values, f"only for {', '.join(methods)}")
    group = parser.add_argument_group("output")
    how_many = (
        f"number of terms (default: {_K}; {_K_ON_TERMINAL} on a terminal and per class), or auto: "
        "the fewest within one standard error of the best accuracy of naive Bayes"
    )
    add_values(group, ("-k --k", _k, "N", how_many))
    add_folds(group, f"for -k {_AUTO}: ")
    add_output(group)


def _run(args: argparse.Namespace) -> None:
    args.method = args.method or (DESCRIBING if args.per_class else MD.name)
    _check_options(args)
    with answering(args) as answer:
        X = y = None
        if args.k == _AUTO or find_ranker(args.method).reads_documents:
            collection = read_documents(args)
            counts = count_collection(collection, n_threads=args.threads)
            X, y = collection.X, collection.y
            if args.k == _AUTO:
                args.k = _chosen_k(args, collection)
        else:
            counts = _chosen_classes(args, read_counts(args))
        _check_classes(args, counts)
        _log.info("ranking %d terms of %d classes", counts.n_terms, counts.n_classes)
        if is_shown(args):
            tell(f"the best of {counts.n_terms:,} terms by {args.method}")
        own = [name for name, (_, methods) in _method_options().items() if args.method in methods]
        own += ["adjust"] if args.per_class else ["policy", "aggregate"]
        options = values_of(args, "model", "alpha", "class_prior", *own)
        options |= {"n_threads": args.threads}
        if args.per_class:
            usual = "over" if _compares_classes(args) else "both"
            options["direction"] = args.direction or usual
            columns = class_columns(counts, args.method, args.k or _K_ON_TERMINAL, **options)
            answer(_answer(args, counts, columns))
        else:
            ranking = rank_by(args.method, counts, X, y, args.k or _usual_k(args), **options)
            answer(_answer(args, counts, ranking.columns(), ranking.informative))


def _chosen_classes(args: argparse.Namespace, counts: ts.ClassCounts) -> ts.ClassCounts:
    """Return the counts of the classes that --classes and --versus name."""
    if args.classes is None:
        return counts
    with naming(args.input):
        classes = labels_of(counts, args.classes)
        if args.versus is None:
            return counts.subset(classes)
        others = labels_of(counts, args.versus)
        if shared := [label for label in classes if label in others]:
            raise ValueError(f"class {shared[0]!r} is in both --classes and --versus")
        return counts.subset({args.classes: classes, args.versus: others})


def _check_classes(args: argparse.Namespace, counts: ts.ClassCounts) -> None:
    """Refuse a single class, unless the method compares none: its score is the collection's."""
    with_documents = [c for c, n in zip(counts.classes, counts.class_docs, strict=True) if n > 0]
    if len(with_documents) == 1 and _compares_classes(args):
        only = f"all documents are of the class {with_documents[0]!r}"
        cure = "at least two need documents"
        if args.classes is not None:
            only = f"--classes {args.classes} leaves one class with documents"
            cure = f"'termsift keyness INPUT {args.classes}' compares a class with all others"
        raise ValueError(f"{args.input}: {only}, and {args.method} compares classes: {cure}")


def _compares_classes(args: argparse.Namespace) -> bool:
    """Return whether the method compares classes, or scores the collection as a whole."""
    return getattr(find_ranker(args.method), "default_aggregate", "") is not None


def _check_options(args: argparse.Namespace) -> None:
    """Refuse options that mean nothing beside others."""
    ranker, own = find_ranker(args.method), _method_options()
    for option, (_, methods) in own.items():
        if args.method not in methods:
            refuse(args, f"only for --method {' or '.join(methods)}", option)
    not_for_method, is_auto = f"not for --method {args.method}", args.k == _AUTO
    tests = [method.name for method in ts.methods() if method.is_test]
    not_auto = ("aggregate", "class_prior", "tf", "per_class", "classes", "versus", *own)
    for applies, why, options in (
        (isinstance(ranker, ts.Selector), not_for_method, ("aggregate", "policy", "per_class")),
        (args.policy != POLICIES[0], f"not for --policy {args.policy}", ("aggregate",)),
        (not ranker.models, f"only for --method {' or '.join(_with_models())}", ("model",)),
        (ranker.reads_documents, not_for_method, ("alpha", "class_prior", "tf")),
        (is_auto, f"not with -k {_AUTO}", not_auto),
        (ranker.reads_documents, not_for_method, ("classes", "versus")),
        (args.classes is None, "only with --classes", ("versus",)),
        (not is_auto, f"only with -k {_AUTO}", ("cv", "random_state")),
        (args.per_class, "not with --per-class", ("policy", "aggregate")),
        (not args.per_class, "only with --per-class", ("adjust", "direction")),
        (args.method not in tests, f"only for --method {' or '.join(tests)}", ("adjust",)),
    ):
        if applies:
            refuse(args, why, *options)
    if is_auto and (isinstance(args.alpha, tuple) or args.alpha == 0):
        args.usage_error(f"argument --alpha: one number above 0 with -k {_AUTO}")


def _usual_k(args: argparse.Namespace) -> int:
    """Return how many terms are listed without -k: what a person reads, or a file holds."""
    return _K_ON_TERMINAL if is_shown(args) else _K


def _k(text: str) -> int | str:
    return text if text == _AUTO else positive(text)


def _with_models() -> list[str]:
    """Return the names of the methods that have several event models."""
    rankers: tuple[ts.Method | ts.Selector, ...] = (*ts.methods(), *ts.selectors())
    return [ranker.name for ranker in rankers if ranker.models]


def _method_options() -> dict[str, tuple[tuple[str, ...], list[str]]]:
    """Return the options that only some methods have: their values, and those methods."""
    options: dict[str, tuple[tuple[str, ...], list[str]]] = {}
    for method in ts.methods():
        for option, values in method.options.items():
            options.setdefault(option, (values, []))[1].append(method.name)
    return options


def _chosen_k(args: argparse.Namespace, collection: io.Collection) -> int:
    """Choose how many terms to list, and print the choice."""
    X, y = collection.X, collection.y
    options = values_of(args, "policy", "model", "alpha", "cv", "random_state")
    with naming(collection.source):
        k = ts.choose_k(X, y, args.method, n_threads=args.threads, **options)
    tell(
        f"k = {k}, the smallest within one standard error of the best accuracy "
        f"(multinomial naive Bayes, {args.cv}-fold cross-validation)"
    )
    return k


def _answer(
    args: argparse.Namespace,
    counts: ts.ClassCounts,
    columns: dict[str, npt.NDArray[Any]],
    informative: int | None = None,
) -> Answer:
    """Return the answer for some columns; only CSV leaves out names that are unknown."""
    head = {
        "method": args.method,
        **({} if args.per_class else {"policy": args.policy}),
        "model": args.model,
        "n_docs": counts.n_docs,
        "n_terms": counts.n_terms,
        "classes": [json_value(label) for label in counts.classes],
        **({} if informative is None else {"informative": informative}),
    }
    n_rows, note = len(columns["index"]), ""
    if informative is not None and informative < n_rows:
        note = f"From rank {informative + 1} on no term adds anything.\n"
    named = {"rank": columns["rank"], "term": np.full(n_rows, None, dtype=object)} | columns
    return Answer(named, partial(_write_table, columns=named, note=note), head, "terms", columns)


# The columns of the table and their alignment. Terms without names are shown by index.
_ALIGN = {"class": "<", "rank": ">", "score": ">", "sign": "^", "term": "<", "index": ">"}
_ALIGN |= dict.fromkeys(("n_class", "n_rest", "df_class", "df_rest", "pvalue_adj"), ">")


def _write_table(out: TextIO, columns: dict[str, npt.NDArray[Any]], note: str) -> None:
    other = "term" if all(term is None for term in columns["term"]) else "index"
    names = [name for name in _ALIGN if name in columns and name != other]
    cells = [[_cell(name, value) for value in columns[name].tolist()] for name in names]
    rows = [names, *zip(*cells, strict=True)]
    write_table(out, rows, "".join(_ALIGN[name] for name in names))
    out.write(note)


def _cell(name: str, value: Any) -> str:
    if name == "sign":
        return "-0+"[value + 1]
    if name == "pvalue_adj":
        return shown_pvalue(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    return shown(value)
