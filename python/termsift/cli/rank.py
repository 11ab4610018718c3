"""``termsift rank``: the terms that tell the classes apart best."""

from __future__ import annotations

import argparse
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TextIO

import numpy as np
import numpy.typing as npt

import termsift as ts
from termsift import io
from termsift._scores.class_scores import ADJUSTMENTS
from termsift._scores.registry import MODELS, POLICIES, find_method, find_ranker, find_selector
from termsift._evaluate.rankers import rank_by
from termsift._util.frames import (
    json_rows,
    json_value,
    write_csv,
    write_json,
    write_json_lines,
    write_parquet,
)
from termsift._util.validation import naming
from termsift.cli.arguments import (
    FOLDS,
    INPUT_FORMATS,
    add_command,
    add_folds,
    add_input,
    add_method,
    add_output,
    folds_of,
    methods_help,
    one_of,
    positive,
    selectors_help,
)
from termsift.cli.inputs import count_collection, read_counts, read_documents
from termsift.cli.output import PARQUET, check_format, opened, shown, tell, write_table

_log = logging.getLogger("termsift")

_AUTO = "auto"
_K = 1000
_K_OF_CLASSES = 20


_SCORE_MEANING = """\
what the score means:
  The higher, the better the term tells the classes apart; terms with equal scores keep the order of
  their indices. A score by 'md' is a divergence in nats between each class and the rest, and small
  because one term is a small part of a text. Compare scores of one method, on one collection, only.
  Two lists need not begin with the highest score. With --policy round_robin a score is the term's
  value in the class that gave it its place, and the places make the order. By 'greedy' it is the
  divergence in nats that a term and all before it have together; a last line of the table says from
  where on no term adds anything. By 'conditional_gain' it is what the term took off the
  documents' log losses when it was chosen, in nats: it may exceed the one before, or be negative.

with --per-class:
  Each class has its own list, by its value alone. sign is + where the class has more of the term
  than the others and - where it has less, by the numbers that the score compares; a score may be
  large for either. n_class and n_rest are the
  term's occurrences in the class and outside it, df_class and df_rest the documents with it. Tests
  (chi2, g2, chi2_counts) have p-values, adjusted for a test of each class and term; of each term
  alone they are to be had in Python, by counts.significance.

output:
  table is for eyes; csv and parquet have a row a term (parquet needs -o and pyarrow), jsonl an
  object a line, and json is one object:
  {"method": ..., "policy": ..., "model": ..., "n_docs": ..., "n_terms": ..., "classes": [...],
   "informative": ..., "terms": [{"rank": 1, "index": ..., "term": ..., "score": ...}, ...]}
  "term" is null where terms have no names. JSON has no infinity: an infinite score is null.
  "informative" is there by 'greedy' alone: how many terms add something; the rest follow by index.
  With --per-class the terms have "class" and the other columns too, and there is no "policy".

"""


@dataclass(frozen=True)
class _Answer:
    """What is written: columns, what they are of, and a last line for eyes."""

    columns: dict[str, npt.NDArray[Any]]
    head: dict[str, Any]
    note: str | None = None

    def named(self) -> dict[str, npt.NDArray[Any]]:
        """Give the columns with one of names, null where terms have none."""
        unknown = np.full(len(self.columns["index"]), None, dtype=object)
        return {"rank": self.columns["rank"], "term": unknown} | self.columns


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
        type=one_of(MODELS),
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
        type=one_of(POLICIES),
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
        metavar="N",
        help=f"how many terms (default: {_K}, of each class {_K_OF_CLASSES}), or auto: as few as "
        "cross-validation of naive Bayes finds within one standard error of the best accuracy",
    )
    add_folds(group, f"for -k {_AUTO}: ")
    group.add_argument(
        "--per-class", action="store_true", help="list each class's own best terms; see below"
    )
    group.add_argument(
        "--adjust",
        choices=ADJUSTMENTS,
        help="how p-values of --per-class are adjusted for the number of tests (default: bh, "
        "Benjamini and Hochberg's false discovery rate)",
    )
    add_output(group, _WRITERS)


def _run(args: argparse.Namespace) -> None:
    options = _scoring(args)
    if args.k == _AUTO:
        _check_auto(args)
    else:
        for option in FOLDS:
            if getattr(args, option) is not None:
                args.usage_error(f"argument --{option.replace('_', '-')}: only with -k {_AUTO}")
    if args.per_class:
        _check_per_class(args)
    elif args.adjust is not None:
        args.usage_error("argument --adjust: only with --per-class")
    check_format(args)
    # Opened first: a wrong path is told before the work.
    with opened(args.output, text=args.format != PARQUET) as out:
        if args.k == _AUTO or find_ranker(args.method).needs == "documents":
            collection = read_documents(args)
            counts = count_collection(collection, args.threads)
            X, y = collection.X, collection.y
            k = _chosen_k(args, collection) if args.k == _AUTO else args.k
        else:
            counts, k, X, y = read_counts(args), args.k, None, None
        _log.info("ranking %d terms of %d classes", counts.n_terms, counts.n_classes)
        if args.per_class:
            answer = _of_classes(args, counts, options)
        else:
            k = _K if k is None else k
            ranking = rank_by(args.method, counts, X, y, k, n_threads=args.threads, **options)
            answer = _of_collection(ranking, counts)
        _WRITERS[args.format](out, answer)


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
    if isinstance(args.alpha, tuple) or args.alpha == 0:
        args.usage_error(f"argument --alpha: one number above 0 with -k {_AUTO}")


def _check_per_class(args: argparse.Namespace) -> None:
    """Refuse what makes one list of all classes'."""
    if find_selector(args.method):
        args.usage_error(f"argument --per-class: not for --method {args.method}")
    for option, usual in (("policy", POLICIES[0]), ("aggregate", None)):
        if getattr(args, option) != usual:
            args.usage_error(f"argument --{option}: not with --per-class")
    if args.k == _AUTO:
        args.usage_error(f"argument -k: not {_AUTO} with --per-class")
    if args.adjust is not None and not find_method(args.method).is_test:
        tests = [method.name for method in ts.methods() if method.is_test]
        args.usage_error(f"argument --adjust: only for --method {' or '.join(tests)}")


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
    folds = folds_of(args)
    with naming(collection.source):
        k = ts.choose_k(
            collection.X,
            collection.y,
            args.method,
            policy=args.policy,
            model=args.model,
            alpha=args.alpha,
            n_threads=args.threads,
            cv=folds["cv"],
            random_state=folds["random_state"],
        )
    tell(
        f"k = {k}, the smallest within one standard error of the best accuracy "
        f"(multinomial naive Bayes, {folds['cv']}-fold cross-validation)"
    )
    return k


def _of_classes(
    args: argparse.Namespace, counts: ts.ClassCounts, options: dict[str, Any]
) -> _Answer:
    """Give each class's own best terms."""
    left_out = ("policy", "aggregate")  # which make one list of several
    options = {name: value for name, value in options.items() if name not in left_out}
    k = _K_OF_CLASSES if args.k is None else args.k
    columns = counts.columns(
        args.method, k, adjust=args.adjust or ADJUSTMENTS[0], n_threads=args.threads, **options
    )
    return _Answer(columns, _head(args.method, None, args.model, counts))


def _of_collection(ranking: ts.Ranking, counts: ts.ClassCounts) -> _Answer:
    """Give one list of terms."""
    head = _head(ranking.method, ranking.policy, ranking.model, counts)
    note = None
    if ranking.informative is not None:
        head["informative"] = ranking.informative
        if ranking.informative < len(ranking):
            note = f"From rank {ranking.informative + 1} on no term adds anything."
    return _Answer(ranking.columns(), head, note)


def _head(method: str, policy: str | None, model: str, counts: ts.ClassCounts) -> dict[str, Any]:
    """Say of what the terms are, as the json output does."""
    return {
        "method": method,
        **({} if policy is None else {"policy": policy}),
        "model": model,
        "n_docs": counts.n_docs,
        "n_terms": counts.n_terms,
        "classes": [json_value(label) for label in counts.classes],
    }


def _write_table(out: TextIO, answer: _Answer) -> None:
    """Write the columns that are for eyes; a term without a name is shown by its index."""
    columns = answer.named()
    which = "index" if all(term is None for term in columns["term"]) else "term"
    shapes = {"class": "<", "rank": ">", "score": ">", "sign": "^", which: _ALIGN[which]}
    shapes |= dict.fromkeys(("n_class", "n_rest", "df_class", "df_rest", "pvalue_adj"), ">")
    shapes = {name: align for name, align in shapes.items() if name in columns}
    rows = [tuple(shapes)]
    cells = [[_cell(name, value) for value in columns[name].tolist()] for name in shapes]
    rows += zip(*cells, strict=True)
    write_table(out, rows, "".join(shapes.values()))
    if answer.note is not None:
        out.write(f"{answer.note}\n")


def _cell(name: str, value: Any) -> str:
    if name == "sign":
        return "-0+"[value + 1]
    if name == "pvalue_adj" and value == 0:
        return "<5e-324"  # the smallest number there is; the logarithms still tell them apart
    if isinstance(value, float):
        return f"{value:.6g}" if name == "score" else f"{value:.4g}"
    return shown(value)


_ALIGN = {"term": "<", "index": ">"}

_WRITERS: dict[str, Callable[[Any, _Answer], None]] = {
    "table": _write_table,
    "csv": lambda out, answer: write_csv(out, answer.columns),
    "jsonl": lambda out, answer: write_json_lines(out, answer.named()),
    "json": lambda out, answer: write_json(out, answer.head, "terms", json_rows(answer.named())),
    PARQUET: lambda out, answer: write_parquet(out, answer.named()),
}
