"""The command line: ``termsift rank``, ``termsift demo`` and ``termsift info``.

Methods, their help and their options come from the registry, :func:`termsift.methods`. Each command
is one function of the parsed arguments; :func:`main` alone turns what goes wrong into one line on
standard error and an exit code.
"""

from __future__ import annotations

import argparse
import json
import logging
import math
import os
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO, cast

import numpy as np
import numpy.typing as npt

import termsift as ts
from termsift import _core, demo, io
from termsift._files import replacing
from termsift.counts import TermFrequency
from termsift.methods import MODELS, find_selector

__all__ = ["main", "main_parser"]

_log = logging.getLogger("termsift")

_COUNTS_FILE = ".termsift"
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
  termsift info counts.termsift
"""

_INPUT_FORMATS = """\
input, known by the ending of its name:
  .svm .svmlight .libsvm  label index:count ... a line (needs scikit-learn); --terms names the terms
  .npz .mtx               a matrix of documents x terms (scipy sparse, Matrix Market) with --labels
  .csv .tsv               a table with header, columns 'text' and 'label' or --text and --label
  .txt                    label<TAB>text a line, without header or quoting
  .jsonl .ndjson          a JSON object a line, keys 'text' and 'label' or --text and --label
  .termsift               counts that termsift saved
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
    with _logging(args):
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
        choices=("top", "round_robin"),
        default="top",
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
        "-k", type=_positive, default=1000, metavar="N", help="how many terms (default: 1000)"
    )
    group.add_argument(
        "--format", choices=tuple(_WRITERS), default="table", help="(default: table)"
    )
    group.add_argument(
        "-o", "--output", metavar="FILE", help="write FILE, whole or not at all (default: stdout)"
    )


def _rank(args: argparse.Namespace) -> None:
    options = _scoring(args)
    with _output(args.output) as out:  # opened first: a wrong path is told before the work
        counts = _counts(args)
        _log.info("ranking %d terms of %d classes", counts.n_terms, counts.n_classes)
        ranking = counts.rank(args.method, k=args.k, n_threads=args.threads, **options)
        _WRITERS[args.format](out, ranking, counts)


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


def _add_input(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("input", metavar="INPUT", help="a collection, or counts; see below")
    group = parser.add_argument_group("input")
    group.add_argument("--labels", metavar="FILE", help="labels, one a line, or a .npy array")
    group.add_argument("--terms", metavar="FILE", help="names of the terms, one a line")
    group.add_argument("--text", metavar="COL", help="column of the text")
    group.add_argument("--label", metavar="COL", help="column of the label")
    group.add_argument(
        "--tf",
        choices=tuple(_core.Damping.__members__),
        help="what counts of a term's x occurrences in a document: x, log(1 + x) or 1 "
        "(default: raw)",
    )
    group.add_argument(
        "--threads", type=_positive, metavar="N", help="threads (default: as many as there are)"
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
    wrap = partial(textwrap.fill, width=_HELP_WIDTH, subsequent_indent=" " * 18)
    lines = [title]
    for method in methods:
        lines.append(wrap(f"  {method.name:<16}{method.title}"))
        lines.append(wrap(f"{'':18}{method.formula}"))
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
    names = ("policy", "model", "alpha", "class_prior", "aggregate")
    shared = {name: getattr(args, name) for name in names}
    return {**shared, **given}


def _positive(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a whole number, not {text!r}") from None
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected 1 or more, not {number}")
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
    if Path(args.input).suffix.lower() == _COUNTS_FILE:
        return _saved_counts(args)
    _log.info("reading %s", args.input)
    collection = io.read_collection(
        args.input, labels=args.labels, terms=args.terms, text=args.text, label=args.label
    )
    _log.info("counting %d documents of %d terms", *collection.X.shape)
    return _count(collection, args.threads, args.tf or "raw")


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
