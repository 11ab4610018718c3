"""``termsift report``: a page about a collection."""

from __future__ import annotations

import argparse
import shlex
import sys
from io import TextIOWrapper
from typing import Any

import termsift as ts
from termsift._evaluate.folds import USUAL_FOLDS
from termsift._scores.registry import DESCRIBING
from termsift.cli.arguments import (
    add_command,
    add_input,
    add_method,
    add_output_file,
    add_values,
    flag,
    positive,
    values_of,
    whole,
)
from termsift.cli.inputs import (
    FILE_OPTIONS,
    STDIN,
    TEXT_OPTIONS,
    holds_counts,
    read_documents,
    saved_counts,
)
from termsift.cli.output import STDOUT, check_ending, opened
from termsift.report import write_report

PAGE_ENDINGS = (".html", ".htm")
_MEANING = """\
what is on the page:
  The numbers of documents, classes, terms and tokens; the leading terms of each class, with scores
  and counts; the accuracy of naive Bayes by the number of terms, and how many terms are enough; a
  table of the best terms; and the command that makes the page. It is one file that loads nothing,
  and the same input gives the same bytes. Counts (.termsift) hold no documents, so that their page
  shows no accuracy.

"""


def add(commands: Any) -> None:
    """Add the parser of the command."""
    parser = add_command(
        commands,
        "report",
        _run,
        "write a page about a collection: its size, its classes, accuracy by number of terms",
        _MEANING,
        "INPUT -o FILE [options]",
    )
    add_input(parser)
    group = parser.add_argument_group("page")
    add_method(group, ts.methods(), DESCRIBING)
    add_values(
        group,
        ("-k --k", positive, "N", "terms listed per class", 10),
        ("--cv", _folds, "N", "folds of the cross-validation, or 0 for none", USUAL_FOLDS),
        ("--title", str, "TEXT", "title of the page (default: INPUT)"),
    )
    add_output_file(group, "the page, - for stdout", " or ".join(PAGE_ENDINGS))


def _folds(text: str) -> int:
    folds = whole(text)
    if folds == 1:
        raise argparse.ArgumentTypeError("expected 0, for none, or 2 or more, not 1")
    return folds


def _run(args: argparse.Namespace) -> None:
    is_counts = holds_counts(args.input)
    check_ending(args.output, PAGE_ENDINGS, "a page")
    if isinstance(sys.stdout, TextIOWrapper) and args.output == STDOUT:
        sys.stdout.reconfigure(encoding="utf-8")  # the encoding that the page declares
    with opened(args.output) as out:  # first, so that a wrong path is reported before the work
        write_report(
            saved_counts(args) if is_counts else read_documents(args),
            out,
            method=args.method or DESCRIBING,
            k=args.k,
            cv=args.cv,
            title=_title(args) if args.title is None else args.title,
            command=_command(args),
            tf=args.tf or "raw",
            n_threads=args.threads,
        )


def _title(args: argparse.Namespace) -> str | None:
    """Return the title of a page whose source has no name of its own, or None."""
    if args.given == [STDIN]:
        return "standard input"
    return str(args.input) if holds_counts(args.input) else None


def _command(args: argparse.Namespace) -> str:
    """Return the command that makes the page, without options that do not change the page."""
    (source,) = args.given
    words = ["termsift", "report", source]
    if source.startswith("-") and source != STDIN:
        words[-1] = f"./{source}"
    names = (*FILE_OPTIONS, *TEXT_OPTIONS, "tf", "method", "k", "cv", "title")
    for option, value in values_of(args, *names).items():
        if value is None:
            continue
        for one in value if isinstance(value, list) else [value]:
            text = ",".join(map(str, one)) if isinstance(one, tuple) else str(one)
            if isinstance(one, bool):
                words.append(flag(option) if one else flag(f"no_{option}"))
            elif text.startswith("-"):
                words.append(f"{flag(option)}={text}")
            else:
                words += [flag(option), text]
    return shlex.join([*words, "-o", "report.html"])
