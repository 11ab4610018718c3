"""The command line: ``termsift rank``, ``compare``, ``demo`` and ``info``.

Methods, their help and their options come from the registry, :func:`termsift.methods`. Each command
is one function of the parsed arguments; :func:`main` alone turns what goes wrong into one line on
standard error and an exit code.
"""

from __future__ import annotations

import argparse
import csv
import json
import logging
import math
import os
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO, TypeAlias, cast

import numpy as np
import numpy.typing as npt

import termsift as ts
from termsift import _core, demo, io, plots
from termsift._extras import require
from termsift._files import replacing
from termsift._progress import progress
from termsift.choosing import rank_by
from termsift.counts import TermFrequency
from termsift.curve import METRICS, TITLES, Metric
from termsift.evaluation import rankers_of
from termsift.methods import MODELS, POLICIES, find_ranker, find_selector

__all__ = ["main", "main_parser"]

_log = logging.getLogger("termsift")

_COUNTS_FILE = ".termsift"
_DEMO = "demo"
_AUTO = "auto"
_COMPARED = ("md", "md_chi2", "df", "cet", "chi2", "gss")  # the methods of the paper's figures
_KS = (10, 20, 50, 100, 200, 500, 1000, 2000)
_DEMO_PACKAGES = 12  # how many classes a command lists: as many as are read at a glance
_INFO_CLASSES = 20
_HELP_WIDTH = 98

_DESCRIPTION = """\
Ranks the terms of a labelled text collection by how well they tell its classes apart.
Counts the collection once, gives every term a score by the method you choose, and lists the best.
"""

_EXAMPLES = """\
examples:
  termsift demo
  termsift rank reviews.csv --text body --label stars -k 20
  termsift rank train.svm.gz --terms vocabulary.txt --format csv -o top.csv
  termsift compare train.csv --test test.csv --method md,ig,chi2
  termsift info counts.termsift
"""

_INPUT_FORMATS = """\
input, known by the ending of its name:
  .svm .svmlight .libsvm  label index:count ... a line (needs scikit-learn); --terms names the terms
  .npz .mtx               a matrix of documents x terms (scipy sparse, Matrix Market) with --labels
  .csv .tsv               a table with header, columns 'text' and 'label' or --text and --label
  .txt                    label<TAB>text a line, without header or quoting
  .jsonl .ndjson          a JSON object a line, keys 'text' and 'label' or --text and --label
  .termsift               counts that termsift saved, but not for compare
or the word demo: what termsift demo shows, the docstrings of Python's standard library.
All but .npz and .termsift may end in .gz. Files are UTF-8. --text 2 --label 1 (numbers) count the
columns of a table without header. An svmlight file without an index 0 counts its indices from 1.
"""

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


_CURVE_MEANING = """\
what the numbers mean:
  A classifier, naive Bayes, is given the first k terms of a method's ranking and nothing else. How
  well it does with them says how good the ranking is. Documents are classified that neither the
  ranking nor the classifier has seen: those of --test, or those of each fold in turn after ranking
  and training on all others.
  accuracy     documents that are taken for what they are
  weighted F1  F1 of each class against the rest, weighted by the class's share of the documents
  s.e.         standard error of the mean over the folds
  Folds too differ by chance: of two values less than a standard error or two apart, either may be
  the better. Hence the smallest k that is within one standard error of the best.

csv and json output:
  All metrics of each method at each k, as shares of 1; over folds also their standard deviations,
  as accuracy_std and so on. csv has a line for each method and k.

"""


def main_parser() -> argparse.ArgumentParser:
    """Build the parser of the command line.

    Returns
    -------
    parser : argparse.ArgumentParser
        Parsed arguments carry the command as ``run``, a function of them.
    """
    parser = argparse.ArgumentParser(
        "termsift", description=_DESCRIPTION, epilog=_EXAMPLES, formatter_class=_AsWritten
    )
    parser.add_argument("--version", action="version", version=f"termsift {ts.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_rank(commands)
    _add_compare(commands)
    _add_demo(commands)
    _add_info(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; those of the process by default.

    Returns
    -------
    code : int
        0: done (also where the reader of the output went away); 1: the data, a file or an option
        does not fit, told in one line on standard error; 130: interrupted by Ctrl-C. Wrong usage
        exits with 2 in argparse.
    """
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # terms are of any language
    args = main_parser().parse_args(argv)
    with _logging(args), _warnings():
        try:
            args.run(args)
            sys.stdout.flush()
        except BrokenPipeError:
            _settle_stdout()
        except KeyboardInterrupt:
            return 130  # 128 + SIGINT, as a shell reports it
        except (ValueError, TypeError, ArithmeticError, OSError, ImportError, MemoryError) as exc:
            _log.debug("the error in full:", exc_info=True)
            print(f"termsift: error: {_one_line(exc)}", file=sys.stderr)
            _settle_stdout()
            return 1
    return 0


# -------------------------------------------------------------------------------------- commands


def _add_rank(commands: Any) -> None:
    parser = _add_command(
        commands,
        "rank",
        _rank,
        "list the terms that tell the classes apart best",
        _methods_help() + _selectors_help() + _SCORE_MEANING + _INPUT_FORMATS,
    )
    _add_input(parser)
    group = parser.add_argument_group("score")
    _add_method(group, [*ts.methods(), *ts.selectors()])
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
    _add_output(group, _WRITERS)


def _rank(args: argparse.Namespace) -> None:
    options = _scoring(args)
    if args.k == _AUTO:
        _check_auto(args)
    with _output(args.output) as out:  # opened first: a wrong path is told before the work
        if args.k == _AUTO or find_ranker(args.method).needs == "documents":
            collection = _documents(args)
            counts = _count(collection, args.threads)
            k = _chosen_k(args, collection) if args.k == _AUTO else args.k
            X, y = collection.X, collection.y
        else:
            counts, k, X, y = _counts(args), args.k, None, None
        _log.info("ranking %d terms of %d classes", counts.n_terms, counts.n_classes)
        ranking = rank_by(args.method, counts, X, y, k, n_threads=args.threads, **options)
        _WRITERS[args.format](out, ranking, counts)


def _add_compare(commands: Any) -> None:
    parser = _add_command(
        commands,
        "compare",
        _compare,
        "tell how well a classifier does with the first k terms of several methods",
        _CURVE_MEANING + _methods_help() + _selectors_help() + _INPUT_FORMATS,
    )
    _add_input(parser, counts=False)
    group = parser.add_argument_group(
        "rankings, each method with each model and policy that it has"
    )
    methods = [method.name for method in ts.methods()]
    methods += [selector.name for selector in ts.selectors()]
    _add_names(group, "--method", methods, _COMPARED)
    _add_names(group, "--model", MODELS, MODELS[:1])
    _add_names(group, "--policy", POLICIES, POLICIES[:1])
    group = parser.add_argument_group("evaluation")
    group.add_argument(
        "-k",
        "--k",
        dest="ks",
        type=_ks,
        metavar="N,...",
        help=f"numbers of terms (default: {','.join(map(str, _KS))}, as far as there are terms)",
    )
    group.add_argument("--cv", type=_positive, metavar="N", help="folds (default: 10)")
    group.add_argument(
        "--repeats", type=_positive, metavar="N", help="how often to deal the folds (default: 1)"
    )
    group.add_argument(
        "--random-state", type=_whole, metavar="N", help="by which they are dealt (default: 0)"
    )
    group.add_argument(
        "--test", metavar="FILE", help="documents to classify, in place of folds; read as INPUT is"
    )
    group.add_argument("--test-labels", metavar="FILE", help="their labels, as --labels")
    group.add_argument(
        "--naive-bayes",
        choices=MODELS,
        default=MODELS[0],
        help="what the classifier counts: occurrences; documents in their place (binary); a coin "
        f"(bernoulli) or a rate (poisson) for each document (default: {MODELS[0]})",
    )
    group.add_argument(
        "--alpha",
        type=_above_zero,
        default=1.0,
        metavar="A",
        help="smoothing, of the methods too: A occurrences more of each term (default: 1)",
    )
    group.add_argument(
        "--metric",
        choices=METRICS,
        default=METRICS[0],
        metavar="NAME",
        help=f"what the best k is best by: {', '.join(METRICS)} (default: {METRICS[0]})",
    )
    group = parser.add_argument_group("output")
    _add_output(group, _CURVE_WRITERS)
    group.add_argument(
        "--plot", metavar="FILE", help="draw the curves too: .png or .svg (needs matplotlib)"
    )


def _compare(args: argparse.Namespace) -> None:
    for option in ("cv", "repeats", "random_state"):
        if args.test is not None and getattr(args, option) is not None:
            args.usage_error(f"argument --{option.replace('_', '-')}: not with --test")
    if args.test is None and args.test_labels is not None:
        args.usage_error("argument --test-labels: only with --test")
    if args.test is not None and args.input == _DEMO:
        args.usage_error(f"argument --test: not with {_DEMO}")
    if args.plot is not None:
        require("matplotlib", "plot", "--plot")  # told before the work
        plots.check_path(args.plot)
    with _output(args.output) as out:
        curves, about = _cross_validated(args) if args.test is None else _tested(args)
        _CURVE_WRITERS[args.format](out, curves, about)
        if args.plot is not None:
            title = _compared(about).replace("; ", "\n")
            plots.plot_curves(curves, args.plot, metrics=_metrics(args.metric), title=title)


def _add_demo(commands: Any) -> None:
    parser = _add_command(
        commands,
        "demo",
        _demo,
        "show what it does on the docstrings of Python's standard library",
        "Nothing is downloaded and nothing imported: a document is a docstring, its class the\n"
        "package that it stands in. Listed are terms that are more frequent in a package than in\n"
        "the others, by their scores for that package.\n\n" + _methods_help(),
    )
    _add_method(parser, ts.methods())
    parser.add_argument(
        "-k", type=_positive, default=8, metavar="N", help="terms for each package (default: 8)"
    )


def _demo(args: argparse.Namespace) -> None:
    _log.info("reading the docstrings of the standard library")
    collection = demo.load()
    counts = _count(collection, None)
    names = collection.term_names
    assert names is not None  # words are their own names
    typical = _typical_terms(counts, args.method)
    rows = [("package", "documents", f"terms that tell it apart ({args.method})")]
    for c in _largest(counts, _DEMO_PACKAGES):
        terms = " ".join(names[typical[c][: args.k]])
        rows.append((str(counts.classes[c]), f"{counts.class_docs[c]:,}", terms))
    best = counts.rank(args.method, k=2 * args.k)

    out = sys.stdout
    out.write(f"From {collection.source}: {_summary(counts)}.\n\n")
    _write_table(out, rows, "<><")
    out.write(f"\nBest over all {counts.n_classes} packages: {' '.join(names[best.indices])}\n")


def _add_info(commands: Any) -> None:
    parser = _add_command(
        commands, "info", _info, "say what a file of counts or a collection holds", _INPUT_FORMATS
    )
    _add_input(parser)


def _info(args: argparse.Namespace) -> None:
    counts = _counts(args)
    shown = _largest(counts, _INFO_CLASSES)
    hidden = counts.n_classes - len(shown)
    rows = [("class", "documents", "tokens")]
    for c in shown:
        documents, tokens = counts.class_docs[c], counts.class_tokens[c]
        rows.append((_shown(counts.classes[c]), f"{documents:,}", f"{tokens:,}"))

    out = sys.stdout
    out.write(f"{args.input}: {_summary(counts)};\n")
    out.write(f"{counts.term_frequency.nnz:,} pairs of a class and a term that occurs in it; ")
    out.write(f"counts are {counts.term_frequency.dtype}\n\n")
    _write_table(out, rows, "<>>")
    if hidden:
        out.write(f"... and {hidden:,} smaller classes\n")


# ------------------------------------------------------------------------------------- arguments


class _AsWritten(argparse.RawDescriptionHelpFormatter):
    """Help whose descriptions keep their lines, in a column wide enough for our options."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28)


def _add_command(
    commands: Any,
    name: str,
    run: Callable[[argparse.Namespace], None],
    about: str,
    more: str,
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=about,
        description=f"{about[0].upper()}{about[1:]}.",
        epilog=more,
        formatter_class=_AsWritten,
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="tell what is done, and errors in full"
    )
    parser.set_defaults(run=run, usage_error=parser.error)
    return parser


def _add_input(parser: argparse.ArgumentParser, *, counts: bool = True) -> None:
    """Add what is read; ``counts``: whether nothing but its counts is needed."""
    kinds = "a collection, or counts" if counts else "a collection"
    parser.add_argument("input", metavar="INPUT", help=f"{kinds}; see below")
    group = parser.add_argument_group("input")
    group.add_argument("--labels", metavar="FILE", help="labels, one a line, or a .npy array")
    group.add_argument("--terms", metavar="FILE", help="names of the terms, one a line")
    group.add_argument("--text", metavar="COL", help="column of the text")
    group.add_argument("--label", metavar="COL", help="column of the label")
    if counts:
        group.add_argument(
            "--tf",
            choices=tuple(_core.Damping.__members__),
            help="what counts of a term's x occurrences in a document: x, log(1 + x) or 1 "
            "(default: raw)",
        )
    group.add_argument(
        "--threads", type=_positive, metavar="N", help="threads (default: as many as there are)"
    )


def _add_output(group: Any, writers: Mapping[str, object]) -> None:
    group.add_argument("--format", choices=tuple(writers), default="table", help="(default: table)")
    group.add_argument(
        "-o", "--output", metavar="FILE", help="write FILE, whole or not at all (default: stdout)"
    )


def _add_method(parser: Any, methods: Sequence[ts.Method | ts.Selector]) -> None:
    names = [method.name for method in methods]
    parser.add_argument(
        "--method",
        choices=names,
        default=names[0],
        metavar="NAME",
        help=f"one of {', '.join(names)}; see below (default: {names[0]})",
    )


def _add_names(group: Any, option: str, known: Sequence[str], usual: Sequence[str]) -> None:
    """Add an option of several names, given with commas between or one after the other."""
    group.add_argument(
        option,
        type=_names(known),
        action=_Extend,
        default=usual,
        metavar="NAME,...",
        help=f"of {', '.join(known)} (default: {','.join(usual)})",
    )


def _methods_help() -> str:
    return _registry_help(
        "methods, with p and q the term's probability within a class and outside it, or of the n "
        "documents\nA in the class with the term, B in others with it, C in the class without it, "
        "D neither;\nn_c = A + C, d_i = A + B, det = AD - BC; l_ic occurrences in the class, l_i "
        "in all:",
        ts.methods(),
    )


def _selectors_help() -> str:
    return _registry_help(
        "methods that choose terms one after the other, each beside those chosen before it:",
        ts.selectors(),
    )


def _registry_help(title: str, methods: Sequence[ts.Method | ts.Selector]) -> str:
    """Describe methods as the registry does, in the lines of a terminal."""
    wrap = partial(textwrap.fill, width=_HELP_WIDTH, subsequent_indent=" " * 20)
    lines = [title]
    for method in methods:
        lines.append(wrap(f"  {method.name:<18}{method.title}"))
        lines.append(wrap(f"{'':20}{method.formula}"))
    return "\n".join(lines) + "\n\n"


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


class _Extend(argparse.Action):
    """Append values to those given before, and to none of the default."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Set the option to what it had and the values."""
        before = getattr(namespace, self.dest)
        setattr(namespace, self.dest, [*(() if before is self.default else before), *values])


def _names(known: Sequence[str]) -> Callable[[str], list[str]]:
    """Give the type of an option that takes names with commas between."""

    def names(text: str) -> list[str]:
        for name in text.split(","):
            if name not in known:
                raise argparse.ArgumentTypeError(
                    f"invalid choice: {name!r} (choose from {', '.join(known)})"
                )
        return text.split(",")

    return names


def _check_auto(args: argparse.Namespace) -> None:
    """Refuse to choose k with what `choose_k` does not know."""
    for option in ("aggregate", "class_prior", "tf", *_method_options()):
        if getattr(args, option) not in (None, "empirical"):  # which is what it knows
            args.usage_error(f"argument --{option.replace('_', '-')}: not with -k {_AUTO}")
    if isinstance(args.alpha, tuple):
        args.usage_error(f"argument --alpha: one number with -k {_AUTO}")


def _k(text: str) -> int | str:
    return text if text == _AUTO else _positive(text)


def _whole(text: str, least: int = 0) -> int:
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a whole number, not {text!r}") from None
    if number < least:
        raise argparse.ArgumentTypeError(f"expected {least} or more, not {number}")
    return number


_positive = partial(_whole, least=1)


def _ks(text: str) -> list[int]:
    return sorted({_positive(part) for part in text.split(",")})


def _above_zero(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number above 0, not {text!r}")
    return number


def _alpha(text: str) -> float | tuple[float, float]:
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2) or not all(0 <= number < math.inf for number in numbers):
        raise argparse.ArgumentTypeError(f"expected A or B1,B2, not negative, not {text!r}")
    return numbers[0] if len(numbers) == 1 else (numbers[0], numbers[1])


# ---------------------------------------------------------------------------- counts and terms


def _counts(args: argparse.Namespace) -> ts.ClassCounts:
    """Read the counts that the input holds, or count the collection that it holds."""
    if _holds_counts(args.input):
        return _saved_counts(args)
    collection = _documents(args)
    _log.info("counting %d documents of %d terms", *collection.X.shape)
    return _count(collection, args.threads, args.tf or "raw")


def _holds_counts(path: str) -> bool:
    return Path(path).suffix.lower() == _COUNTS_FILE


def _documents(args: argparse.Namespace) -> io.Collection:
    """Read the collection that the input holds."""
    _refuse_counts(args)
    _log.info("reading %s", args.input)
    options = {name: getattr(args, name) for name in ("labels", "terms", "text", "label")}
    if args.input != _DEMO:
        return io.read_collection(args.input, **options)
    for name, value in options.items():
        if value is not None:
            raise ValueError(f"{_DEMO}: has labels and terms, for which --{name} means nothing")
    return demo.load()


def _refuse_counts(args: argparse.Namespace) -> None:
    """Refuse an input of which the documents are needed and not there."""
    if _holds_counts(args.input):
        raise ValueError(f"{args.input}: holds counts, and the documents themselves are needed")


def _saved_counts(args: argparse.Namespace) -> ts.ClassCounts:
    for option in ("labels", "text", "label", "tf"):
        if getattr(args, option) is not None:
            raise ValueError(f"{args.input}: holds counts, for which --{option} means nothing")
    counts = ts.load(args.input)
    if args.terms is not None:
        counts.term_names = io.read_names(args.terms)
    return counts


def _count(
    collection: io.Collection, n_threads: int | None, tf: TermFrequency = "raw"
) -> ts.ClassCounts:
    counts = ts.count(
        collection.X, collection.y, classes=collection.classes, tf=tf, n_threads=n_threads
    )
    counts.term_names = collection.term_names
    return counts


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


# Curves by name, and in words and numbers what they are of: the members of the json output.
_Curves: TypeAlias = Mapping[str, ts.Curve]
_About: TypeAlias = dict[str, Any]


def _cross_validated(args: argparse.Namespace) -> tuple[_Curves, _About]:
    collection = _documents(args)
    how = {
        "cv": args.cv or 10,
        "repeats": args.repeats or 1,
        "random_state": args.random_state or 0,
    }
    curves = ts.cross_validate(
        collection.X,
        collection.y,
        args.method,
        _fitting_ks(args, collection),
        models=args.model,
        policies=args.policy,
        naive_bayes=args.naive_bayes,
        alpha=args.alpha,
        n_threads=args.threads,
        **how,
    )
    return curves, {**_about(args, collection), **how}


def _tested(args: argparse.Namespace) -> tuple[_Curves, _About]:
    _refuse_counts(args)
    _log.info("reading %s and %s", args.input, args.test)
    names = ("labels", "test_labels", "terms", "text", "label")
    train, test = io.read_split(
        args.input, args.test, **{name: getattr(args, name) for name in names}
    )
    ks = _fitting_ks(args, train)
    rankers = rankers_of(args.method, args.model, args.policy)
    counts = _count(train, args.threads)
    curves = {}
    with progress("evaluated", len(rankers), "rankings") as report:
        for name, (method, options) in rankers.items():
            ranking = rank_by(
                method,
                counts,
                train.X,
                train.y,
                ks[-1] if ks else None,
                alpha=args.alpha,
                n_threads=args.threads,
                **options,
            )
            curve = ts.selection_curve(
                ranking,
                train.X,
                train.y,
                test.X,
                test.y,
                ks,
                naive_bayes=args.naive_bayes,
                alpha=args.alpha,
                n_threads=args.threads,
            )
            curves[name] = replace(curve, name=name)
            if report is not None:
                report(len(curves))
    _tell_unknown_labels(train, test)
    return curves, {**_about(args, train), "test": test.source, "n_test_docs": test.X.shape[0]}


def _fitting_ks(args: argparse.Namespace, collection: io.Collection) -> list[int] | None:
    """Give the numbers of terms asked for, or the usual ones; None, every one, of few terms."""
    n_terms = collection.X.shape[1]
    ks: list[int] | None = args.ks
    if ks is None:
        return [k for k in _KS if k <= n_terms] or None
    if ks[-1] > n_terms:
        raise ValueError(
            f"-k has {ks[-1]:,}, expected at most {n_terms:,}, the terms of {collection.source}"
        )
    return ks


def _about(args: argparse.Namespace, collection: io.Collection) -> _About:
    n_docs, n_terms = collection.X.shape
    return {
        "input": collection.source,
        "n_docs": n_docs,
        "n_terms": n_terms,
        "naive_bayes": args.naive_bayes,
        "alpha": args.alpha,
        "metric": args.metric,
    }


def _tell_unknown_labels(train: io.Collection, test: io.Collection) -> None:
    known, labels = (cast("npt.NDArray[Any]", part.y).tolist() for part in (train, test))
    unknown = len(labels) - sum(map(set(known).__contains__, labels))
    if unknown:
        _log.warning(
            "%s: %d of %d documents have labels that no training document has, and count as errors",
            test.source,
            unknown,
            len(labels),
        )


def _largest(counts: ts.ClassCounts, n: int) -> list[int]:
    """Return the classes with the most documents, the largest first."""
    order = np.argsort(-np.asarray(counts.class_docs), kind="stable")
    return [int(c) for c in order[:n]]


def _typical_terms(counts: ts.ClassCounts, method: str) -> list[npt.NDArray[np.int64]]:
    """Order each class's terms by its scores, those alone that it uses more than the rest do.

    A score says how far a class and the rest are apart, not which of them has more. Dense in
    classes and terms: for collections as small as the demo's.
    """
    scores = counts.class_scores(method)
    occurrences = counts.term_frequency.toarray()
    share = occurrences / np.maximum(counts.class_tokens, 1)[:, np.newaxis]
    more = share > occurrences.sum(axis=0) / counts.class_tokens.sum()
    orders = np.argsort(-scores, axis=1, kind="stable")
    return [order[more[c][order]] for c, order in enumerate(orders)]


# ---------------------------------------------------------------------------------------- output


def _summary(counts: ts.ClassCounts) -> str:
    tokens = counts.class_tokens.sum()
    return (
        f"{counts.n_docs:,} documents, {counts.n_terms:,} terms, "
        f"{counts.n_classes:,} classes, {tokens:,} tokens"
    )


def _write_ranking_table(out: TextIO, ranking: ts.Ranking, counts: ts.ClassCounts) -> None:
    named = ranking.terms is not None
    table = [("rank", "score", "term" if named else "index")]
    for rank, term, index, score in ranking.rows():
        table.append((str(rank), f"{score:.6g}", _shown(index if term is None else term)))
    _write_table(out, table, ">><" if named else ">>>")
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
        "classes": [_json_label(label) for label in counts.classes],
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


def _write_curves_table(out: TextIO, curves: _Curves, about: _About) -> None:
    out.write(f"{_compared(about)}.\nShares in per cent, the best of each column marked *.\n")
    best_by: Metric = about["metric"]
    metrics = _metrics(best_by)
    width = max(len(TITLES[metric]) for metric in metrics)
    for metric in metrics:
        out.write("\n")
        rows = _metric_rows(curves, metric, f"{TITLES[metric]:<{width}}  k =")
        _write_table(out, rows, "<" + ">" * (len(rows[0]) - 1))
    if "cv" in about:
        out.write("\n")
        _write_table(out, _best_rows(curves, best_by), "<>>>>>")


def _metrics(best_by: Metric) -> list[Metric]:
    """Give the metrics to show."""
    return list(dict.fromkeys(("accuracy", "f1", best_by)))


def _compared(about: _About) -> str:
    """Say what the curves are of."""
    if "cv" in about:
        repeated = f", {about['repeats']} times" if about["repeats"] > 1 else ""
        how = f"{about['cv']}-fold cross-validation{repeated}"
    else:
        how = f"tested on {about['n_test_docs']:,} documents of {about['test']}"
    return (
        f"{about['input']}: {about['n_docs']:,} documents, {about['n_terms']:,} terms; "
        f"{about['naive_bayes']} naive Bayes, {how}"
    )


def _metric_rows(curves: _Curves, metric: Metric, head: str) -> list[list[str]]:
    """Give the table of a metric: a row a method, a column a k."""
    ks = next(iter(curves.values())).ks
    shares = {name: [_percent(x) for x in curve.mean(metric)] for name, curve in curves.items()}
    best = [max(column, key=float) for column in zip(*shares.values(), strict=True)]
    rows = [[head, *(f"{k:,} " for k in ks)]]
    for name, row in shares.items():  # what reads as equal is marked alike
        rows.append([name, *(x + (" ", "*")[x == top] for x, top in zip(row, best, strict=True))])
    return rows


def _best_rows(curves: _Curves, metric: Metric) -> list[list[str]]:
    """Give the table of the k that are best by a metric."""
    rows = [[f"by {TITLES[metric]}", "best k", "%", "s.e.", "smallest k within one s.e.", "%"]]
    for name, curve in curves.items():
        mean = dict(zip(curve.ks.tolist(), curve.mean(metric), strict=True))
        error = dict(zip(curve.ks.tolist(), curve.standard_error(metric), strict=True))
        best, smallest = curve.best_k(metric), curve.smallest_k(metric)
        cells = f"{best:,}", _percent(mean[best]), _percent(error[best])
        rows.append([name, *cells, f"{smallest:,}", _percent(mean[smallest])])
    return rows


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _write_curves_csv(out: TextIO, curves: _Curves, about: _About) -> None:
    writer = csv.writer(out, lineterminator="\n")
    for number, (name, curve) in enumerate(curves.items()):
        columns = curve.columns()
        if number == 0:
            writer.writerow(["method", *columns])
        for row in zip(*(column.tolist() for column in columns.values()), strict=True):
            writer.writerow([name, *row])


def _write_curves_json(out: TextIO, curves: _Curves, about: _About) -> None:
    """Write one JSON object, with a line for each curve."""
    out.write(json.dumps(about)[:-1] + ', "curves": [')
    for number, (name, curve) in enumerate(curves.items()):
        columns = {column: values.tolist() for column, values in curve.columns().items()}
        line: dict[str, Any] = {"method": name}
        if "cv" in about:  # by the documents that one reports on, nothing should be chosen
            metric: Metric = about["metric"]
            line |= {"best_k": curve.best_k(metric), "smallest_k": curve.smallest_k(metric)}
        out.write((",\n" if number else "\n") + json.dumps({**line, **columns}))
    out.write("\n]}\n")


_CURVE_WRITERS = {
    "table": _write_curves_table,
    "csv": _write_curves_csv,
    "json": _write_curves_json,
}


def _json_label(label: Any) -> str | int | float:
    """Return a label as JSON can hold it: numbers as they are, anything else in words."""
    plain = label.item() if isinstance(label, np.generic) else label
    if isinstance(plain, int) or (isinstance(plain, float) and math.isfinite(plain)):
        return plain
    return str(plain)


def _shown(name: object) -> str:
    """Return a name fit for a terminal: nothing in it moves the cursor or ends the line."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(name))


def _write_table(out: TextIO, rows: Sequence[Sequence[str]], align: str) -> None:
    """Write rows of cells in aligned columns; ``align`` has ``<`` or ``>`` for each."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (f"{cell:{a}{w}}" for cell, a, w in zip(row, align, widths, strict=True))
        out.write("  ".join(cells).rstrip() + "\n")


@contextmanager
def _output(path: str | None) -> Iterator[TextIO]:
    """Open the output: standard output, or a file that appears only once it is complete."""
    if path is None:
        yield sys.stdout
        return
    with replacing(path, text=True) as out:
        yield cast("TextIO", out)


# ------------------------------------------------------------------------------ what goes wrong


@contextmanager
def _logging(args: argparse.Namespace) -> Iterator[None]:
    """Send the package's messages to standard error while a command runs."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("termsift: %(message)s"))
    watched = args.run is _demo and sys.stderr.isatty()  # the one command that may seem to hang
    level = logging.DEBUG if args.verbose else logging.INFO if watched else logging.WARNING
    usual = _log.level
    _log.addHandler(handler)
    _log.setLevel(level)
    try:
        yield
    finally:
        _log.removeHandler(handler)
        _log.setLevel(usual)


@contextmanager
def _warnings() -> Iterator[None]:
    """Tell warnings in one line each, without a place in the code."""

    def tell(message: Warning | str, *_: object, **__: object) -> None:
        _log.warning("warning: %s", " ".join(str(message).split()))

    with warnings.catch_warnings():
        warnings.showwarning = tell
        yield


def _one_line(exc: BaseException) -> str:
    if isinstance(exc, MemoryError) and not str(exc):
        return "not enough memory"
    if isinstance(exc, OSError) and exc.strerror:
        return f"{exc.filename}: {exc.strerror}" if exc.filename else exc.strerror
    return " ".join(str(exc).split()) or type(exc).__name__


def _settle_stdout() -> None:
    """Let the interpreter's own last flush have nothing left to fail at."""
    try:
        sys.stdout.flush()
    except OSError:  # the reader is gone, or the disk is full: what is left goes nowhere
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
