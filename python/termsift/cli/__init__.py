"""The command line: ``termsift rank``, ``count``, ``compare`` and so on.

Each command is a module of its own with ``add``, which adds its parser, and one function of the
parsed arguments. Methods, their help and their options come from the registry,
:func:`termsift.methods`. :func:`main` alone turns what goes wrong into one line on standard error
and an exit code.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import StringIO, TextIOWrapper
from typing import Any, NoReturn

import termsift as ts
from termsift._util.extras import require
from termsift._util.printable import printable
from termsift.cli import compare, count, demo, info, merge, rank, report
from termsift.cli.arguments import AsWritten
from termsift.cli.output import tell

__all__ = ["main", "main_parser"]

_log = logging.getLogger("termsift")

_DESCRIPTION = """\
Ranks the terms of a labelled text collection by how well they tell its classes apart.
Counts the collection once, gives every term a score by the method you choose, and lists the best.
"""


_EXAMPLES = """\
examples:
  termsift demo
  termsift rank reviews.csv --text body --label stars -k 20
  termsift rank train.svm.gz --terms vocabulary.txt --format csv -o top.csv
  termsift count part1.svm.gz part2.svm.gz -o counts.termsift --checkpoint
  termsift compare train.csv --test test.csv --method md,ig,chi2
  termsift report reviews.csv -o report.html
  termsift info counts.termsift
"""


def main_parser() -> argparse.ArgumentParser:
    """Build the parser of the command line.

    Returns
    -------
    parser : argparse.ArgumentParser
        Parsed arguments carry the command as ``run``, a function of them.
    """
    parser = _Parser(
        "termsift", description=_DESCRIPTION, epilog=_EXAMPLES, formatter_class=AsWritten
    )
    parser.add_argument("--version", action="version", version=f"termsift {ts.__version__}")
    parser.add_argument(
        "--print-completion",
        action=_PrintCompletion,
        choices=("bash", "zsh"),
        help="print what makes this shell complete our options (needs shtab), and exit",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in (rank, count, merge, compare, report, demo, info):
        command.add(commands)
    return parser


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints show control characters of names as escapes."""

    def error(self, message: str) -> NoReturn:
        """Print the usage and the message, and exit."""
        super().error(printable(message))


class _PrintCompletion(argparse.Action):
    """Print the completion of a shell, as ``--version`` prints the version."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Print it and exit."""
        try:
            shtab = require("shtab", "completion", "--print-completion")
        except ImportError as missing:
            parser.error(str(missing))
        print(shtab.complete(_with_files(parser, shtab.FILE), values))
        parser.exit()


def _with_files(parser: argparse.ArgumentParser, complete: Any) -> argparse.ArgumentParser:
    """Have the arguments that are files completed as such, in the commands too."""
    for action in parser._actions:  # argparse has no other list of them
        if action.metavar in ("FILE", "INPUT"):
            action.complete = complete  # type: ignore[attr-defined]
        elif isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                _with_files(command, complete)
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
        does not fit, told in one line on standard error; 130: interrupted by Ctrl-C; 143: asked to
        end (SIGTERM), which does the same. Wrong usage exits with 2 in argparse.
    """
    _hold_standard_descriptors()
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # terms are of any language
    args = main_parser().parse_args(argv)
    with _logging(args), _warnings(), _terminated_as_interrupted():
        try:
            _refuse_to_overwrite(args)
            args.run(args)
            if sys.stdout is not None:
                sys.stdout.flush()
        except BrokenPipeError:
            _settle_stdout()
        except KeyboardInterrupt as exc:
            number = signal.SIGTERM if isinstance(exc, _Terminated) else signal.SIGINT
            return 128 + number  # as a shell reports it
        except (ValueError, TypeError, ArithmeticError, OSError, ImportError, MemoryError) as exc:
            _log.debug("the error in full:", exc_info=True)
            tell(f"error: {_one_line(exc)}")
            _settle_stdout()
            return 1
    return 0


def _hold_standard_descriptors() -> None:
    """Open the null device in place of standard streams that are closed.

    Else a file that is opened later gets the number of such a stream, and whatever a library prints
    goes into it. Writing to standard output fails as before, and messages go nowhere.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:  # `open` gives the lowest number that is free: this one
            os.open(os.devnull, os.O_WRONLY if number == 2 else os.O_RDONLY)
    if sys.stderr is None:  # `print` would take standard output in its place
        sys.stderr = StringIO()


def _refuse_to_overwrite(args: argparse.Namespace) -> None:
    """Refuse an output that is one of the inputs: it would be gone."""
    output = getattr(args, "output", None)
    if output is None or not os.path.isfile(output):
        return
    for name in ("input", "inputs", "labels", "terms", "test", "test_labels", "stop_words"):
        given = getattr(args, name, None)
        for path in given if isinstance(given, list) else [given]:
            if path is not None and os.path.exists(path) and os.path.samefile(path, output):
                raise ValueError(f"{output}: is read, and cannot be the output; name another file")


class _Terminated(KeyboardInterrupt):
    """The end that SIGTERM asks for, as the schedulers of batch jobs do."""


@contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """Have SIGTERM end a command as Ctrl-C does: what is being written is tidied up or kept."""

    def terminate(*_: object) -> None:
        raise _Terminated

    is_main = threading.current_thread() is threading.main_thread()  # which alone gets signals
    if not is_main or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


class _Formatter(logging.Formatter):
    """Shows control characters in the lines of a traceback as escapes."""

    def formatException(self, ei: Any) -> str:
        """Format a traceback; the messages in it may quote a file."""
        return "\n".join(map(printable, super().formatException(ei).split("\n")))


@contextmanager
def _logging(args: argparse.Namespace) -> Iterator[None]:
    """Send the package's messages to standard error while a command runs."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Formatter("termsift: %(message)s"))
    watched = args.watched and sys.stderr.isatty()
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
    if isinstance(exc, MemoryError) and str(exc) in ("", "std::bad_alloc"):  # the core's
        return "not enough memory"
    if isinstance(exc, OSError) and exc.strerror:
        return f"{exc.filename}: {exc.strerror}" if exc.filename else exc.strerror
    return " ".join(str(exc).split()) or type(exc).__name__


def _settle_stdout() -> None:
    """Let the interpreter's own last flush have nothing left to fail at."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except OSError:  # the reader is gone, or the disk is full: what is left goes nowhere
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
