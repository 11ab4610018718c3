"""Arguments that several commands share, types of values, and common help texts."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, get_args

import termsift as ts
from termsift import _core
from termsift._evaluate.folds import USUAL_FOLDS
from termsift.io._kinds import FORMATS
from termsift.text import PRESETS
from termsift.text._rules import Accents, Analyzer

_SEE = """\
'termsift help input' lists the kinds of INPUT, 'termsift help methods' the methods, and
'termsift help output' explains scores, columns and formats.
"""


class AsWritten(argparse.RawDescriptionHelpFormatter):
    """Help that keeps the lines of descriptions, with a wide column for the options."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=24)


def add_command(
    commands: Any,
    name: str,
    run: Callable[[argparse.Namespace], None],
    about: str,
    more: str = "",
    usage: str = "INPUT [options]",
) -> argparse.ArgumentParser:
    """Add the parser of a command, which calls ``run``."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        usage=f"%(prog)s {usage}",
        help=about,
        description=f"{about[0].upper()}{about[1:]}.",
        epilog=more + _SEE,
        formatter_class=AsWritten,
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="log what is done, and errors in full"
    )
    parser.set_defaults(
        run=run, usage_error=parser.error, default_of=parser.get_default, watched=False
    )
    return parser


def refuse(args: argparse.Namespace, why: str, *options: str) -> None:
    """Exit with a usage error if one of the options differs from its default."""
    for option in options:
        if getattr(args, option) != args.default_of(option):
            args.usage_error(f"argument {flag(option)}: {why}")


def values_of(args: argparse.Namespace, *options: str) -> dict[str, Any]:
    """Return some options by name."""
    return {option: getattr(args, option) for option in options}


def flag(option: str) -> str:
    """Return an option as it is written on the command line: --class-prior for class_prior."""
    return f"--{option.replace('_', '-')}"


# ---- kinds of options ----------------------------------------------------------------------------


def add_values(group: Any, *rows: tuple[Any, ...]) -> None:
    """Add options that take a value, from rows of (flags, kind, metavar, help[, default[, shown]]).

    The kind is a type, or a tuple of the values to choose from. A default of None, which tells that
    an option was not given, may be shown as what it stands for.
    """
    for flags, kind, metavar, about, *default in rows:
        usual = default[0] if default else None
        of: dict[str, Any] = {"type": kind}
        if isinstance(kind, tuple):
            of, metavar = {"type": type(kind[0]), "choices": kind}, metavar or "NAME"
            about += f": {', '.join(map(str, kind))}"
        if default:
            about += f" (default: {default[-1]})"
        group.add_argument(*flags.split(), **of, metavar=metavar, help=about, default=usual)


def add_choice(group: Any, option: str, known: Sequence[str], about: str) -> None:
    """Add an option that takes a name, by default the first."""
    group.add_argument(
        option,
        choices=known,
        default=known[0],
        metavar="NAME",
        help=f"{about}: {', '.join(known)} (default: {known[0]})",
    )


def add_names(group: Any, option: str, known: Sequence[str], usual: Sequence[str]) -> None:
    """Add an option that takes names, with commas between them or one after the other."""
    group.add_argument(
        option,
        type=lambda text: text.split(","),
        choices=known,
        action="extend",
        metavar="NAME,...",
        help=f"any of {', '.join(known)} (default: {','.join(usual)})",
    )


# ---- input ---------------------------------------------------------------------------------------


def add_input(
    parser: argparse.ArgumentParser, *, counts: bool = True, several: bool = False
) -> None:
    """Add what is read.

    ``counts`` says that counts are enough, so that a file of counts will do. With ``several`` there
    may be any number of collections, each with its own file of labels.
    """
    kinds = "collections" if several else "a collection, or counts" if counts else "a collection"
    parser.add_argument(
        "inputs" if several else "input",
        metavar="INPUT",
        nargs="+" if several else None,
        type=_input,
        help=f"{kinds}; see below",
    )
    group = parser.add_argument_group("input")
    group.add_argument(
        "--labels",
        metavar="FILE",
        action="append" if several else "store",
        help="labels, one per line, or a .npy array" + ("; once for each INPUT" * several),
    )
    joined = "column of the text; given again, the texts are joined with a blank"
    add_values(
        group,
        ("--terms", str, "FILE", "names of the terms, one per line"),
        ("--input-format", FORMATS, None, "format of INPUT, which may be - for standard input"),
        ("--index-base", (0, 1), "N", "index of the first term in svmlight files", None, 1),
    )
    group.add_argument("--text", action="append", metavar="COL", help=joined)
    add_values(
        group,
        ("--label", str, "COL", "column of the label"),
        ("--delimiter", _delimiter, "CHAR", "what divides fields (default: as the header shows)"),
        (
            "--on-error",
            ("raise", "skip"),
            None,
            "what to do with bad lines and rows",
            None,
            "raise",
        ),
        ("--threads", positive, "N", "number of threads (default: all that are available)"),
    )
    if counts:
        about = "x occurrences count as x, log(1 + x) or 1"
        add_values(group, ("--tf", tuple(_core.TermWeight.__members__), None, about, None, "raw"))
    _add_text_rules(parser)


def _add_text_rules(parser: argparse.ArgumentParser) -> None:
    """Add how texts are cut into terms; None stands for an option that was not given."""
    group = parser.add_argument_group("texts (a * marks what needs scikit-learn)")
    drop = "drop terms in {} than N of all documents, or than a share such as 0.01"
    add_values(
        group,
        ("--preset", tuple(PRESETS), None, "as --stop-words english --min-df 2 *"),
        ("--min-df", _number_or_share, "N", drop.format("fewer")),
        ("--max-df", _number_or_share, "N", drop.format("more")),
        ("--max-features", positive, "N", "keep only the N terms that occur most"),
        ("--ngram-range", _ngram_range, "A,B", "terms of A to B words (default: 1,1)"),
        ("--stop-words", str, "FILE", "words to leave out, one per line, or the word english *"),
        ("--hashing", positive, "N", "put terms in N columns by a hash; names are forgotten"),
        ("--encoding", str, "NAME", "encoding of the texts (default: utf-8)"),
        ("--analyzer", get_args(Analyzer), None, "what terms are made of", None, "word"),
        ("--token-pattern", str, "REGEX", r"what a word is, such as '\w+' * (default: \w\w+)"),
        ("--strip-accents", get_args(Accents), None, "ascii drops all that is not ASCII too"),
    )
    once = "count a term once in a document, however often it occurs there"
    group.add_argument("--binary", action="store_true", default=None, help=once)
    group.add_argument(
        "--lowercase",
        action=argparse.BooleanOptionalAction,
        help="whether Bacon and bacon are one word (default: they are)",
    )


def add_output_file(group: Any, what: str, endings: str) -> None:
    """Add the output of a command that writes one kind of file."""
    about = f"{what}, written atomically; its name ends in {endings} or has no ending"
    group.add_argument("-o", "--output", metavar="FILE", required=True, help=about)


# ---- methods and folds ---------------------------------------------------------------------------


def add_method(parser: Any, rankers: Sequence[ts.Method | ts.Selector], usual: str) -> None:
    """Add the choice of a method; ``usual`` says what is used where none is named."""
    names = [ranker.name for ranker in rankers]
    about = f"a name that 'termsift help methods' lists (default: {usual})"
    parser.add_argument("--method", choices=names, metavar="NAME", help=about)


def add_folds(group: Any, when: str = "") -> None:
    """Add how a cross-validation deals the documents to its folds."""
    add_values(
        group,
        ("--cv", partial(whole, least=2), "N", f"{when}number of folds", USUAL_FOLDS),
        ("--random-state", whole, "N", f"{when}seed for dealing documents to folds", 0),
    )


# ---- types of values -----------------------------------------------------------------------------


def whole(text: str, least: int = 0) -> int:
    """Read a whole number that is at least ``least``."""
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a whole number, not {text!r}") from None
    if number < least:
        raise argparse.ArgumentTypeError(f"expected {least} or more, not {number}")
    return number


positive = partial(whole, least=1)


def above_zero(text: str) -> float:
    """Read a number above 0."""
    number = _finite(text)
    if number is None or number <= 0:
        raise argparse.ArgumentTypeError(f"expected a number above 0, not {text!r}")
    return number


def share(text: str) -> float:
    """Read a number from 0 to 1."""
    number = _finite(text)
    if number is None or not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to 1, not {text!r}")
    return number


def smoothing(text: str) -> float | tuple[float, float]:
    """Read the smoothing A, or B1,B2."""
    numbers = [_finite(part) for part in text.split(",")]
    known = [number for number in numbers if number is not None and number >= 0]
    if len(known) != len(numbers) or len(known) > 2:
        raise argparse.ArgumentTypeError(f"expected A or B1,B2, not negative, not {text!r}")
    return known[0] if len(known) == 1 else (known[0], known[1])


def _number_or_share(text: str) -> int | float:
    number = _finite(text)
    if number is None:
        expected = "expected a number of documents or a share of them"
        raise argparse.ArgumentTypeError(f"{expected}, not {text!r}")
    try:
        return int(text)
    except ValueError:
        return number


def _finite(text: str) -> float | None:
    """Read a number; None if the text is no finite number."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _ngram_range(text: str) -> tuple[int, int]:
    first, comma, last = text.partition(",")
    return positive(first), positive(last if comma else first)


def _delimiter(text: str) -> str:
    return {"\\t": "\t", "tab": "\t"}.get(text, text)


def _input(text: str) -> str:
    if text == "":
        raise argparse.ArgumentTypeError("expected a file or folder, not '': no name")
    return text
