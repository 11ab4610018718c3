"""``termsift rank``: the terms that tell the classes apart best."""

from __future__ import annotations

import argparse
import json
import logging
import math
import sys
from typing import Any, TextIO

import termsift as ts
from termsift import io
from termsift.choosing import rank_by
from termsift.cli.arguments import (
    INPUT_FORMATS,
    add_command,
    add_input,
    add_method,
    add_output,
    methods_help,
    positive,
    selectors_help,
)
from termsift.cli.inputs import count_collection, read_counts, read_documents
from termsift.cli.output import json_label, opened, shown, write_table
from termsift.methods import MODELS, POLICIES, find_ranker, find_selector

_log = logging.getLogger("termsift")

_AUTO = "auto"


_SCORE_MEANING = """\
what the score means:
  The higher, the better the term tells the classes apart; terms with equal scores keep the order of
  their indices. A score by 'md' is a divergence in nats between each class and the rest, and small
  because one term is a small part of a text. Compare scores of one method, on one collection, only.
  Two lists need not begin with the highest score. With --policy round_robin a score is the term's
  value in the class that gave it its place, and the places make the order. By 'greedy' it is the
  divergence in nats that a term and all before it have together; a last line of the table says from
  where on no term adds anything.
  There are no p-values here: in Python, counts.significance has those of the tests.

json output:
  {"method": ..., "policy": ..., "model": ..., "n_docs": ..., "n_terms": ..., "classes": [...],
   "informative": ..., "terms": [{"rank": 1, "index": ..., "term": ..., "score": ...}, ...]}
  "term" is null where terms have no names. JSON has no infinity: an infinite score is null.
  "informative" is there by 'greedy' alone: how many terms add something; the rest follow by index.

"""


def add(commands: Any) -> None:
    """Add the parser of the command."""
    parser = add_command(
        commands,
        "rank",
        _run,
        "list the terms that tell the classes apart best",
        methods_help() + selectors_help() + _SCORE_MEANING + INPUT_FORMATS,
    )
    add_input(parser)
    group = parser.add_argument_group("score")
    add_method(group, [*ts.methods(), *ts.selectors()])
    group.add_argument(
        "--model",
        choices=MODELS,
        default=MODELS[0],
        help=f"for {', '.join(_with_models())}: p is the term's share of the class's occurrences "
        "(multinomial), the same with documents in place of occurrences (binary), the share of the "
        "class's documents that have it (bernoulli), its occurrences a document (poisson) "
        f"(default: {MODELS[0]})",
    )
    group.add_argument(
        "--alpha",
        type=_alpha,
        default=1.0,
        metavar="A",
        help="smoothing: A occurrences more of each term, or two numbers B1,B2: B1 more of each "
        "term and B2 more in total (default: 1)",
    )
    group.add_argument(
        "--class-prior",
        choices=("empirical", "uniform"),
        default="empirical",
        help="weights of the classes: their shares of the documents, or equal (default: empirical)",
    )
    group.add_argument(
        "--policy",
        choices=POLICIES,
        default=POLICIES[0],
        help="the terms of the highest scores (top), or each class's own best terms in turns, so "
        "that each has its share (round_robin) (default: top)",
    )
    group.add_argument(
        "--aggregate",
        choices=("sum", "mean", "max"),
        help="how the classes' values make one score (default: the method's own)",
    )
    for option, (values, methods) in _method_options().items():
        group.add_argument(
            f"--{option.replace('_', '-')}",
            dest=option,
            choices=values,
            help=f"for {', '.join(methods)} only (default: {values[0]})",
        )
    group = parser.add_argument_group("output")
    group.add_argument(
        "-k",
        "--k",
        type=_k,
        default=1000,
        metavar="N",
        help="how many terms (default: 1000), or auto: as few as 10-fold cross-validation of naive "
        "Bayes finds within one standard error of the best accuracy",
    )
    add_output(group, _WRITERS)


def _run(args: argparse.Namespace) -> None:
    options = _scoring(args)
    if args.k == _AUTO:
        _check_auto(args)
    with opened(args.output) as out:  # opened first: a wrong path is told before the work
        if args.k == _AUTO or find_ranker(args.method).needs == "documents":
            collection = read_documents(args)
            counts = count_collection(collection, args.threads)
            k = _chosen_k(args, collection) if args.k == _AUTO else args.k
            X, y = collection.X, collection.y
        else:
            counts, k, X, y = read_counts(args), args.k, None, None
        _log.info("ranking %d terms of %d classes", counts.n_terms, counts.n_classes)
        ranking = rank_by(args.method, counts, X, y, k, n_threads=args.threads, **options)
        _WRITERS[args.format](out, ranking, counts)


def _with_models() -> list[str]:
    """Return the names of the methods that know several event models."""
    rankers: tuple[ts.Method | ts.Selector, ...] = (*ts.methods(), *ts.selectors())
    return [ranker.name for ranker in rankers if ranker.models]


def _method_options() -> dict[str, tuple[tuple[str, ...], list[str]]]:
    """Return the options that some methods have: their values, and the names of those methods."""
    options: dict[str, tuple[tuple[str, ...], list[str]]] = {}
    for method in ts.methods():
        for option, values in method.options.items():
            options.setdefault(option, (values, []))[1].append(method.name)
    return options


def _scoring(args: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of the ranking, once they fit the method."""
    given = {name: getattr(args, name) for name in _method_options()}
    given = {name: value for name, value in given.items() if value is not None}
    for option, (_, methods) in _method_options().items():
        if option in given and args.method not in methods:
            flag = option.replace("_", "-")
            args.usage_error(f"argument --{flag}: only for --method {' or '.join(methods)}")
    if args.aggregate is not None and find_selector(args.method):
        args.usage_error(f"argument --aggregate: not for --method {args.method}")
    if args.policy != "top" and find_selector(args.method):
        args.usage_error(f"argument --policy: not for --method {args.method}")
    if args.policy == "round_robin" and args.aggregate is not None:
        args.usage_error("argument --aggregate: not for --policy round_robin")
    if args.model != MODELS[0] and args.method not in _with_models():
        args.usage_error(f"argument --model: only for --method {' or '.join(_with_models())}")
    if find_ranker(args.method).needs == "documents":
        usual = {"alpha": 1.0, "class_prior": "empirical", "tf": None}
        for option, value in usual.items():
            if getattr(args, option) != value:
                flag = option.replace("_", "-")
                args.usage_error(f"argument --{flag}: not for --method {args.method}")
    names = ("policy", "model", "alpha", "class_prior", "aggregate")
    shared = {name: getattr(args, name) for name in names}
    return {**shared, **given}


def _check_auto(args: argparse.Namespace) -> None:
    """Refuse to choose k with what `choose_k` does not know."""
    for option in ("aggregate", "class_prior", "tf", *_method_options()):
        if getattr(args, option) not in (None, "empirical"):  # which is what it knows
            args.usage_error(f"argument --{option.replace('_', '-')}: not with -k {_AUTO}")
    if isinstance(args.alpha, tuple):
        args.usage_error(f"argument --alpha: one number with -k {_AUTO}")


def _k(text: str) -> int | str:
    return text if text == _AUTO else positive(text)


def _alpha(text: str) -> float | tuple[float, float]:
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2) or not all(0 <= number < math.inf for number in numbers):
        raise argparse.ArgumentTypeError(f"expected A or B1,B2, not negative, not {text!r}")
    return numbers[0] if len(numbers) == 1 else (numbers[0], numbers[1])


def _chosen_k(args: argparse.Namespace, collection: io.Collection) -> int:
    """Choose how many terms to list, and say so."""
    k = ts.choose_k(
        collection.X,
        collection.y,
        args.method,
        policy=args.policy,
        model=args.model,
        alpha=args.alpha,
        n_threads=args.threads,
    )
    print(
        f"termsift: k = {k}, the smallest within one standard error of the best accuracy "
        "(multinomial naive Bayes, 10-fold cross-validation)",
        file=sys.stderr,
    )
    return k


def _write_ranking_table(out: TextIO, ranking: ts.Ranking, counts: ts.ClassCounts) -> None:
    named = ranking.terms is not None
    table = [("rank", "score", "term" if named else "index")]
    for rank, term, index, score in ranking.rows():
        table.append((str(rank), f"{score:.6g}", shown(index if term is None else term)))
    write_table(out, table, ">><" if named else ">>>")
    if ranking.informative is not None and ranking.informative < len(ranking):
        out.write(f"From rank {ranking.informative + 1} on no term adds anything.\n")


def _write_ranking_csv(out: TextIO, ranking: ts.Ranking, counts: ts.ClassCounts) -> None:
    ranking.to_csv(out)


def _write_ranking_json(out: TextIO, ranking: ts.Ranking, counts: ts.ClassCounts) -> None:
    """Write one JSON object, with a line for each term."""
    head = {
        "method": ranking.method,
        "policy": ranking.policy,
        "model": ranking.model,
        "n_docs": counts.n_docs,
        "n_terms": counts.n_terms,
        "classes": [json_label(label) for label in counts.classes],
    }
    if ranking.informative is not None:
        head["informative"] = ranking.informative
    out.write(json.dumps(head)[:-1] + ', "terms": [')
    for rank, term, index, score in ranking.rows():
        finite = score if math.isfinite(score) else None
        row = {"rank": rank, "index": index, "term": term, "score": finite}
        out.write((",\n" if rank > 1 else "\n") + json.dumps(row))
    out.write("\n]}\n")


_WRITERS = {
    "table": _write_ranking_table,
    "csv": _write_ranking_csv,
    "json": _write_ranking_json,
}
