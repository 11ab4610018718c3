"""Run a command: build its parser, set up its log, and print each error in one line.

Each command has a module with a function ``add``, which adds the command's parser. Methods and
their options come from the registry, :func:`termsift.methods`.
"""

from __future__ import annotations

import argparse
import errno
import importlib
import logging
import os
import re
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Any, NoReturn

import termsift as ts
from termsift._util.faults import Argument, message_of
from termsift._util.messages import logger, printable
from termsift._util.validation import did_you_mean
from termsift.cli import arguments, inputs, interrupts
from termsift.cli.arguments import in_options

COMMANDS = (
    *("rank", "keyness", "context", "count", "merge", "compare", "classify"),
    *("report", "demo", "info"),
)

# The errors of a full disk. EDQUOT is unknown on Windows.
_FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))

# The functions that parse arguments, and what each of them expects.
_KINDS: dict[Any, str] = {int: "a whole number", float: "a number", arguments.number: "a number"}
_KINDS |= {arguments.numbers: "whole numbers such as 1,2"}
_KINDS |= {arguments.ends: "two whole numbers such as 1,2"}
_NUMBER = re.compile(r"-\.?\d")  # the start of a negative number, such as the label -1

_DESCRIPTION = """\
Rank the terms of a labelled text collection by how well they tell its classes apart.
'termsift COMMAND --help' explains a command.
"""

_EXAMPLES = """\
examples:
  termsift demo
  termsift rank reviews.csv --text body --label stars -k 20
  termsift rank train.svm.gz --term-names vocabulary.txt --format csv -o top.csv
  termsift keyness reviews.csv --text body --label stars 5 1
  termsift context reviews.csv --text body --label stars 'free prize'
  termsift count part1.svm.gz part2.svm.gz -o counts.termsift
  termsift compare train.csv --test test.csv --method md,ig,chi2
  termsift report reviews.csv -o report.html
"""


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, and for which -1,0 is a value, as from Python 3.14 on."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._negative_number_matcher = _NUMBER

    def error(self, message: str) -> NoReturn:
        line = f"{self.prog}: error: {printable(message)}\n"
        # argparse of Python 3.11.2 writes to a standard error that is closed, and the exit is 1.
        self.exit(2, line if sys.stderr else None)

    def _match_argument(self, action: argparse.Action, pattern: str) -> int:
        try:
            return super()._match_argument(action, pattern)
        except argparse.ArgumentError as error:
            if action.option_strings and action.nargs is None and action.type in (None, str):
                option = action.option_strings[-1]
                error.message += f"; a value that begins with a dash needs =, as in {option}=-x"
            raise

    def _get_value(self, action: argparse.Action, value: str) -> Any:
        try:
            return super()._get_value(action, value)
        except argparse.ArgumentError as error:
            if action.type in _KINDS:
                error.message = f"expected {_KINDS[action.type]}, got {value!r}"
            raise

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            error.message += did_you_mean(value, map(str, action.choices or ()))
            raise


def main_parser(names: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """Return a parser of the named commands, which stores the command's function as ``run``."""
    parser = _Parser(
        "termsift",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"termsift {ts.__version__}")
    parser.set_defaults(run=lambda _: parser.print_help(), parser=parser, verbose=False)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name in names:
        importlib.import_module(f"termsift.cli.{name}").add(commands)
    return parser


def run(argv: Sequence[str]) -> int:
    """Run the command that ``argv`` names; see `termsift.cli.main`."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # Terms may be in any language.
    is_command = bool(argv) and argv[0] in COMMANDS  # A known command needs only its own module.
    parser = main_parser(argv[:1] if is_command else COMMANDS)
    if len(argv) > 1 and argv[1] in COMMANDS and not (is_command or argv[0].startswith("-")):
        parser.error(f"the command comes first: termsift {argv[1]} {argv[0]}")
    args, rest = parser.parse_known_args(argv)
    # Some versions of argparse do not match an optional argument that comes after an option.
    for name in ("target", "reference"):
        is_value = rest and (not rest[0].startswith("-") or _NUMBER.match(rest[0]))
        if is_value and getattr(args, name, "") is None:
            setattr(args, name, rest.pop(0))
    if rest:
        options, first = args.parser._option_string_actions, rest[0].partition("=")[0]
        cure = did_you_mean(first, options)
        if os.path.exists(rest[0]):
            cure = "; several files are one INPUT as a pattern in quotes, such as 'data/*.csv'"
        elif first in options:
            cure = "; options follow the name of the command"
        elif re.match("-[^-]", first) and (hasattr(args, "target") or hasattr(args, "queries")):
            cure = "; if a class or a term begins with a dash, write it last, after --"
        args.parser.error(f"unrecognized arguments: {' '.join(rest)}{cure}")
    with _logging(args):
        try:
            _check_files(args)
            with inputs.standard_input(args):
                args.run(args)
        except BrokenPipeError:
            _discard_output()
        except (ValueError, TypeError, ArithmeticError, OSError, ImportError, MemoryError) as exc:
            if interrupts.came():  # numpy, for one, raises an ImportError in place of Ctrl-C
                raise KeyboardInterrupt from exc
            for line in traceback.format_exc().splitlines():
                logger.debug("%s", line)
            # Users do not know the folder with the copy of standard input, so omit the folder.
            message = _one_line(exc, args).replace(getattr(args, "copied_to", ""), "")
            logger.error("error: %s", message)
            _discard_output()
            return 1
    return 0


# The arguments that name inputs, and those that name what is written.
_READ = (
    *("input", "inputs", "labels", "term_names", "test", "test_labels", "stop_words", "counts"),
    "versus_list",
)
_WRITTEN = ("output", "plot", "latex", "checkpoint")


def _check_files(args: argparse.Namespace) -> None:
    """Raise an error if a path is empty, or if an output is one of the inputs."""
    for name in (*_READ, *_WRITTEN):
        if "" in _paths_of(args, name):
            option = arguments.written(args, Argument(name))
            raise ValueError(f"{option} is empty, expected the name of a file")
    outputs = [path for name in _WRITTEN for path in _paths_of(args, name)]
    places = [os.path.realpath(path) for path in outputs if path != "-"]
    for output in outputs:
        if places.count(os.path.realpath(output)) > 1:
            raise ValueError(f"{output}: is the file of two outputs; name another file for one")
        for path in (path for name in _READ for path in _paths_of(args, name)):
            if os.path.isfile(output) and os.path.exists(path) and os.path.samefile(path, output):
                raise ValueError(f"{output}: is an input too; name another file for the output")


def _paths_of(args: argparse.Namespace, name: str) -> list[str]:
    """Return the paths that an argument names, which is none if the argument was not given."""
    given = getattr(args, name, None)
    return given if isinstance(given, list) else [] if given is None else [given]


def _discard_output() -> None:
    """Flush standard output; if its reader is gone or the disk is full, discard the rest."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:  # unflushed output would fail again when Python exits
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _logging(args: argparse.Namespace) -> Iterator[None]:
    """Send log messages and warnings to standard error, one line each, while a command runs."""

    def form(record: logging.LogRecord) -> str:
        return f"termsift: {record.getMessage()}"

    def show(message: Warning | str, *_: object, **__: object) -> None:
        said = message if isinstance(message, str) else message_of(message)
        logger.warning("warning: %s", " ".join(in_options(said, args).split()))

    handler = logging.StreamHandler()
    handler.format = form  # type: ignore[method-assign]
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel("DEBUG" if args.verbose else "WARNING")
    try:
        with warnings.catch_warnings():
            warnings.showwarning = show
            yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


def _one_line(exc: BaseException, args: argparse.Namespace) -> str:
    """Return the message of an error in one line, with the options of the command."""
    if isinstance(exc, MemoryError) and str(exc) in ("", "std::bad_alloc"):  # from the core
        return "not enough memory"
    if isinstance(exc, OSError) and exc.strerror:
        cure = "; free some space, or write to another disk" if exc.errno in _FULL else ""
        return f"{exc.filename}: {exc.strerror}{cure}" if exc.filename else exc.strerror + cure
    cure = ""
    if getattr(exc, "argument", None) == "label" and getattr(args, "no_labels", True) is None:
        cure = "; if there are no labels, add --no-labels"
    message = in_options(message_of(exc), args)
    if (argument := getattr(exc, "argument", None)) is not None:
        option = arguments.written(args, Argument(argument))
        named = [name for name in message_of(exc).arguments if name != "on_error"]
        if option.startswith("-") and option not in message and not named:
            cure = f" ({option}){cure}"
    return " ".join((message + cure).split()) or type(exc).__name__
