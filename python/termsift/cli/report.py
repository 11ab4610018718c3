"""``termsift report``: a collection on one page that needs no network."""

from __future__ import annotations

import argparse
import shlex
import sys
from io import TextIOWrapper
from typing import Any

import termsift as ts
from termsift.cli.arguments import (
    INPUT_FORMATS,
    add_command,
    add_input,
    add_method,
    methods_help,
    positive,
    whole,
)
from termsift.cli.inputs import (
    FILE_OPTIONS,
    TEXT_OPTIONS,
    holds_counts,
    read_documents,
    saved_counts,
)
from termsift.cli.output import STDOUT, check_ending, opened
from termsift.report import write_report

_MEANING = """\
what is on the page:
  Documents, classes, terms and tokens; the leading terms of each class, with their scores and
  counts; the accuracy of naive Bayes by the number of terms, and how many are enough; a table of
  the best terms; and how to write the page again. It is one file that loads nothing, and the same
  input gives the same bytes. Counts (.termsift) hold no documents, and their page has no accuracy.

"""


def add(commands: Any) -> None:
    """Add the parser of the command."""
    parser = add_command(
        commands,
        "report",
        _run,
        "write a page on a collection: its figures, its classes' terms, the accuracy by terms kept",
        _MEANING + methods_help() + INPUT_FORMATS,
    )
    add_input(parser)
    group = parser.add_argument_group("page")
    add_method(group, ts.methods())
    group.add_argument(
        "-k",
        "--k",
        type=positive,
        default=10,
        metavar="N",
        help="terms listed for each class (default: 10)",
    )
    group.add_argument(
        "--cv",
        type=_folds,
        default=10,
        metavar="N",
        help="folds of the cross-validation; 0 leaves it out (default: 10)",
    )
    group.add_argument("--title", metavar="TEXT", help="above all (default: INPUT)")
    group.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        required=True,
        help="the page, written atomically; its name ends in .html or .htm or has no ending; - is "
        "stdout",
    )


def _folds(text: str) -> int:
    folds = whole(text)
    if folds == 1:
        raise argparse.ArgumentTypeError("expected 0, for none, or 2 or more, not 1")
    return folds


def _run(args: argparse.Namespace) -> None:
    is_counts = holds_counts(args.input)
    check_ending(args.output, [".html", ".htm"], "a page")
    if isinstance(sys.stdout, TextIOWrapper) and args.output == STDOUT:
        sys.stdout.reconfigure(encoding="utf-8")  # as the page says it is
    with opened(args.output) as out:  # first: a wrong path is told before the work
        write_report(
            saved_counts(args) if is_counts else read_documents(args),
            out,
            method=args.method,
            k=args.k,
            cv=args.cv,
            title=args.input if is_counts and args.title is None else args.title,
            command=_command(args),
            tf=args.tf or "raw",
            n_threads=args.threads,
        )


def _command(args: argparse.Namespace) -> str:
    """Write the line that makes the page again; threads and the file's name change nothing."""
    source = str(args.input)
    words = ["termsift", "report", f"./{source}" if source.startswith("-") else source]
    own = ("tf", "method", "k", "cv", "title")
    for option in (*FILE_OPTIONS, *TEXT_OPTIONS, *own):
        value, flag = getattr(args, option), option.replace("_", "-")
        if isinstance(value, bool):
            words += [f"--{flag}" if value else f"--no-{flag}"]
        elif isinstance(value, tuple):
            words += [f"--{flag}", ",".join(map(str, value))]
        elif value is not None:
            words += (
                [f"--{flag}={value}"] if str(value).startswith("-") else [f"--{flag}", str(value)]
            )
    return shlex.join([*words, "-o", "report.html"])
