"""Arguments that several commands share, and functions that parse their values.

An option that was not given is None. The library sets the defaults and checks the values.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, get_args

from termsift import typing
from termsift._util.faults import Argument, Message

_INPUT = """\
INPUT is a table of texts and labels (.csv .tsv .txt .jsonl .json .parquet .arrow), a folder with a
sub-folder per class and a file per document, a folder of the parts of a table, a text file of one
document a line (.txt with --labels, or --input-format lines), or a matrix (.svm, or .npz and .mtx
with --labels). All files except .parquet and .arrow may be compressed (.gz .zst .bz2 .xz .zip).
INPUT may also be a pattern in quotes ('data/*.csv'), demo, for the docstrings of Python's standard
library, or - with --input-format, for standard input.
"""


def add_command(
    commands: Any,
    name: str,
    run: Callable[[argparse.Namespace], None],
    about: str,
    more: str = "",
    usage: str = "INPUT [options]",
) -> argparse.ArgumentParser:
    """Add the parser of a command. The command calls ``run`` with the parsed arguments."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        usage=f"%(prog)s {usage}",
        help=about,
        description=f"{about[0].upper()}{about[1:]}.",
        epilog=more,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbose = "log each step, and errors in full"
    parser.add_argument("-v", "--verbose", action="store_true", help=verbose)
    parser.set_defaults(run=run, parser=parser)
    return parser


def given(args: argparse.Namespace, *options: str) -> dict[str, Any]:
    """Return the options that were given, by name."""
    return {name: value for name in options if (value := getattr(args, name, None)) is not None}


def refuse(args: argparse.Namespace, why: str, *options: str) -> None:
    """Raise an error if one of the options was given."""
    for option in given(args, *options):
        raise ValueError(f"{why}, so leave out {written(args, Argument(option))}")


def in_options(message: str, args: argparse.Namespace) -> str:
    """Return a message with the options of the command in place of Python's arguments."""
    show = partial(written, args)
    return message.shown(show) if isinstance(message, Message) else message


def written(args: argparse.Namespace, argument: Argument) -> str:
    """Return an argument as users of the command write it, such as ``--min-df 2``.

    An argument that the command does not have is written as in Python.
    """
    if argument == Argument("label", (False,)):
        if not hasattr(args, "no_labels"):
            return "--no-labels (of keyness, count, info and classify)"
        argument = Argument("no_labels")
    dest = getattr(args, "option_of", {}).get(argument.name, argument.name)
    action = next((action for action in args.parser._actions if action.dest == dest), None)
    if action is None:
        return str(argument)
    option = _name(action)
    if not argument.values:
        return option
    (value,) = argument.values
    if isinstance(action, argparse.BooleanOptionalAction):
        return action.option_strings[0 if value else -1]
    # A flag is the option of one value, such as --binary of binary=True.
    if action.nargs == 0:
        return option
    words = value if isinstance(value, (list, tuple)) else [value]
    return f"{option} {_in_shell(','.join(map(str, words)))}"


def _in_shell(text: str) -> str:
    """Return a text as it is written in a shell."""
    if text == "\t":
        return r"'\t'"
    quoted = shlex.quote(text)
    return f'"{text}"' if text == "'" else quoted


def _name(action: argparse.Action) -> str:
    """Return the name of an option, or what the help calls an argument without one."""
    names = action.option_strings or [str(action.metavar)]
    return next((name for name in names if len(name.strip("-")) > 1), names[0])


def add_values(group: Any, *rows: tuple[str, Callable[[str], Any], str, str]) -> None:
    """Add options that take a value, from rows of (flags, type, metavar, help)."""
    for flags, kind, metavar, about in rows:
        group.add_argument(*flags.split(), type=kind, metavar=metavar, help=about)


def add_choice(group: Any, option: str, names: Sequence[Any], about: str, usual: str = "") -> None:
    """Add an option that takes a name. The default is ``usual`` or the first name."""
    shown = f"{about}: {', '.join(map(str, names))} (default: {usual or names[0]})"
    group.add_argument(option, type=type(names[0]), choices=names, metavar="NAME", help=shown)


def add_flag(group: Any, option: str, about: str) -> None:
    """Add an option without a value."""
    group.add_argument(option, action="store_true", default=None, help=about)


def add_input(
    parser: argparse.ArgumentParser,
    *,
    counts: bool = True,
    several: bool = False,
    unlabelled: str = "",
) -> None:
    """Add the argument INPUT and its options. With ``counts``, INPUT may be a file of counts.

    ``unlabelled`` is the help of the option for texts without labels, if there is one.
    """
    kinds = "collections" if several else "a collection"
    if counts and not several:
        kinds += ", or counts that termsift saved (.termsift)"
    name, number_of = ("inputs", "+") if several else ("input", None)
    parser.add_argument(name, metavar="INPUT", nargs=number_of, help=f"{kinds}; see below")
    parser.epilog = f"{parser.epilog or ''}{_INPUT}"
    group = parser.add_argument_group("input")
    add_values(group, ("--term-names", str, "FILE", "names of the terms, one per line"))
    add_choice(group, "--input-format", get_args(typing.Format), "format of INPUT", "by the ending")
    add_choice(group, "--index-base", (1, 0), "index of the first term in svmlight files")
    labels = "labels, one per line"
    if several:
        labels += "; repeat it for each INPUT"
    group.add_argument("--labels", metavar="FILE", action="append", help=labels)
    joined = "column of the text; repeat --text to join the texts of several columns with a blank"
    group.add_argument("--text", action="append", metavar="COL", help=joined)
    add_values(
        group,
        ("--label", str, "COL", "column of the label; columns of tables may be numbered from 1"),
    )
    if unlabelled:
        add_flag(group, "--no-labels", unlabelled)
    threads = "number of threads (default: all that are available)"
    group.add_argument("--threads", dest="n_threads", type=int, metavar="N", help=threads)
    add_choice(group, "--on-error", ("raise", "skip"), "what to do with bad lines and rows")
    if counts:
        tf = "x occurrences count as x, log(1 + x) or 1"
        add_choice(group, "--tf", get_args(typing.TermFrequency), tf)
    _add_dialect(parser)
    _add_text_rules(parser)


def _add_dialect(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("tables (.csv .tsv .txt)")
    add_values(
        group,
        ("--delimiter", character, "C", r"character between fields, such as ';' or '\t'"),
        (
            "--quote",
            character,
            "C",
            "character around fields, or '' for none (default: a double quote)",
        ),
        ("--escape", character, "C", r"character, such as '\', that makes the next one text"),
    )
    about = "whether the first row names the columns (default: if --text or --label is a name)"
    group.add_argument("--header", action=argparse.BooleanOptionalAction, help=about)
    add_values(
        group,
        ("--skip-lines", int, "N", "skip N lines before the table"),
        ("--comment", character, "C", "leave out lines that begin with C, such as '#'"),
    )


def _add_text_rules(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("texts (a value marked * needs scikit-learn)")
    drop = "drop terms in {} than N documents; N may be a share of all, such as 0.01"
    add_values(
        group,
        ("--min-df", number, "N", drop.format("fewer")),
        ("--max-df", number, "N", drop.format("more")),
        ("--max-features", int, "N", "keep only the N most frequent terms"),
        ("--ngram-range", ends, "A,B", "terms of A to B words (default: 1,1)"),
        (
            "--stop-words",
            str,
            "FILE",
            "words to leave out: one per line, a table with a column word, or the word english",
        ),
        ("--hashing", int, "N", "hash terms into N columns, which have no names"),
        ("--encoding", str, "NAME", "encoding of all text files (default: utf-8)"),
        ("--token-pattern", str, "REGEX", r"pattern of a word, such as '\w+' * (default: \w\w+)"),
    )
    add_choice(group, "--analyzer", get_args(typing.Analyzer), "kind of terms")
    accents = "drop accents; ascii also drops all characters that are not ASCII"
    add_choice(group, "--strip-accents", get_args(typing.Accents), accents, "keep them")
    form = "normal form of Unicode to which texts are brought first"
    add_choice(group, "--normalize", get_args(typing.NormalForm), form, "none")
    add_flag(group, "--binary", "count each term at most once per document")
    case = "whether Bacon and bacon are one word (default: they are)"
    group.add_argument("--lowercase", action=argparse.BooleanOptionalAction, help=case)


def add_stability(parser: argparse.ArgumentParser, about: str) -> None:
    """Add the options of `termsift.stability`, of which ``about`` says what --stability does."""
    group = parser.add_argument_group("stability")
    add_flag(group, "--stability", f"{about}; all documents must fit in memory")
    add_values(
        group,
        ("--n-samples", int, "N", "number of samples (default: 100)"),
        ("--random-state", int, "N", "seed of the samples (default: 0)"),
    )


def check_stability(args: argparse.Namespace) -> None:
    """Refuse the options of samples without --stability."""
    if not args.stability:
        refuse(args, "there is no --stability", "random_state", "n_samples")


def add_output_file(group: Any, what: str) -> None:
    """Add the option --output to a command that writes one kind of file."""
    about = f"{what}, written atomically"
    group.add_argument("-o", "--output", metavar="FILE", required=True, help=about)


def character(text: str) -> str:
    r"""Return a character, which may be a tab written as the two characters of ``\t``."""
    return "\t" if text == r"\t" else text


def number(text: str) -> int | float:
    """Parse a number: "2" becomes an integer, and "2.0" a float."""
    try:
        return int(text)
    except ValueError:
        return float(text)


ONE_CLASS = "texts have no labels and are one class, and a folder holds documents"
METHOD = "method that scores the terms"
MODELS = get_args(typing.Model)  # the default comes first, as in the next line
POLICIES = get_args(typing.Policy)
KEY = "key"  # the default method that orders the terms of a class
# The smoothing option, as a row for `add_values`.
ALPHA = "--alpha", number, "A", "smoothing: add A to each count (default: 1)"
_DROP = "leave out terms with an adjusted p-value above P (a class's terms above .05 are marked)"
MAX_PVALUE = "--max-pvalue", float, "P", _DROP


def numbers(text: str) -> tuple[int, ...]:
    """Parse whole numbers that are separated by commas."""
    return tuple(map(int, text.split(",")))


def ends(text: str) -> tuple[int, ...]:
    """Parse two whole numbers, such as 1,2."""
    found = numbers(text)
    if len(found) != 2:
        raise ValueError
    return found


def size(text: str) -> int:
    """Parse a number of bytes, such as 2GB, 500M or 1GiB."""
    unit = text.lstrip("0123456789.")
    letter = unit.upper().removesuffix("B").removesuffix("I")
    base = 1024 if "I" in unit.upper() else 1000
    try:
        return int(float(text.removesuffix(unit)) * base ** ["", "K", "M", "G", "T"].index(letter))
    except (ValueError, OverflowError):  # a number of 400 digits is infinite
        raise argparse.ArgumentTypeError(f"expected bytes such as 2GB, got {text!r}") from None
