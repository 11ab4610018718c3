"""``termsift report``: a page about a collection."""

from __future__ import annotations

import argparse
import logging
import shlex
import sys
from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import partial
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
    DEMO,
    FILE_OPTIONS,
    STDIN,
    TEXT_OPTIONS,
    holds_counts,
    labelled_texts,
    read_documents,
    saved_counts,
    scan_of,
)
from termsift.cli.output import STDOUT, check_ending, opened, tell_written
from termsift.io import Collection
from termsift.io._kinds import holds_texts
from termsift.report import FindPassages, write_report
from termsift.text._passages import Passages, passages_of

_log = logging.getLogger("termsift")

PASSAGES = 3  # of a term in a class, unless asked otherwise
_WIDTH = 50
PAGE_ENDINGS = (".html", ".htm")
_MEANING = """\
what is on the page:
  The numbers of documents, classes, terms and tokens; the leading terms of each class, with scores,
  counts and passages of the texts; the frequencies of terms in two classes, in a chart; the terms
  that classes share; the accuracy of naive Bayes by the number of terms, how many terms are enough,
  and which classes are confused; a table of the best terms; and the command that makes the page. It
  is one file that loads nothing, and the same input gives the same bytes. Counts (.termsift) hold
  no documents, so that their page shows neither accuracy nor passages.

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
        ("--passages", whole, "N", f"passages of a term, or 0 for none (default: {PASSAGES})"),
        ("--title", str, "TEXT", "heading of the page"),
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
        source = saved_counts(args) if is_counts else read_documents(args)
        if args.given == [STDIN] and isinstance(source, Collection):
            source = replace(source, source="standard input")  # and not the path of a copy
        write_report(
            source,
            out,
            method=args.method or DESCRIBING,
            k=args.k,
            cv=args.cv,
            passages=_passages(args, is_counts),
            title=args.title,
            command=_command(args),
            tf=args.tf or "raw",
            n_threads=args.threads,
        )
    tell_written(args.output)


def _passages(args: argparse.Namespace, is_counts: bool) -> FindPassages | None:
    """Return how to find passages in the input, or None if it has none or none are wanted."""
    is_demo = args.input == DEMO
    has_texts = is_demo or (not is_counts and holds_texts(args.input, args.input_format))
    if args.passages and not has_texts:
        raise ValueError(f"{args.input}: holds no texts, so leave out --passages")
    n_passages = PASSAGES if args.passages is None else args.passages
    if not has_texts or n_passages == 0 or args.hashing is not None:
        return None
    return partial(passages_in, lambda: scan_of(args), n_passages)


def passages_in(
    scan: Callable[[], ts.Scan],
    n_passages: int,
    terms: dict[Hashable, list[str]],
) -> Passages:
    """Find passages of the terms of each class in texts that are read again."""
    _log.info("looking for passages in the texts")
    blocks, rules = labelled_texts(scan())
    # The labels of files are text; a collection has whole numbers if all are.
    wanted = {str(label): own for label, own in terms.items()}
    options: dict[str, Any] = {"n_passages": n_passages, "width": _WIDTH}
    found = passages_of(blocks, wanted, rules, **options, one_per_document=True)
    return {label: found[str(label)] for label in terms}


def _command(args: argparse.Namespace) -> str:
    """Return the command that makes the page, without options that do not change the page."""
    (source,) = args.given
    words = ["termsift", "report", source]
    if source.startswith("-") and source != STDIN:
        words[-1] = f"./{source}"
    names = (*FILE_OPTIONS, *TEXT_OPTIONS, "tf", "method", "k", "cv", "passages", "title")
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
