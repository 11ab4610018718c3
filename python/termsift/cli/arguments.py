"""Arguments that several commands share, types of values, and common help texts."""

from __future__ import annotations

import argparse
import math
import textwrap
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, get_args

import termsift as ts
from termsift import _core
from termsift._evaluate.folds import USUAL_FOLDS
from termsift._util.validation import did_you_mean
from termsift.text import PRESETS
from termsift.text._rules import Accents, Analyzer

INPUT_FORMATS = """\
input, recognised by the ending of its name:
  .svm .svmlight .libsvm  lines of label index:count ...; --terms names the terms
  .npz .mtx               a matrix of documents x terms (scipy sparse, Matrix Market) with --labels
  .csv .tsv               a table with header, columns 'text' and 'label' or --text and --label
  .txt                    lines of label<TAB>text, without header or quoting
  .jsonl .ndjson          lines of JSON objects, keys 'text' and 'label' or --text and --label
  .parquet .arrow .feather  a table with the same columns (needs pyarrow)
  a folder                one sub-folder per class, one file per document; or the arrays that
                          termsift.save_csr writes in Python
  .termsift               counts that termsift saved, but not for compare
or the word demo: the docstrings of Python's standard library, as termsift demo shows them.
Files of text and .mtx may also end in .gz, or in .zst (needs zstandard). Files are UTF-8, texts
are in --encoding. Numbers such as --text 2 --label 1 are columns of a table without header. The
indices of an svmlight file count from 0 if it has an index 0, else from 1.
"""


class AsWritten(argparse.RawDescriptionHelpFormatter):
    """Help that keeps the lines of descriptions, with a wide column for the options."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28)


def add_command(
    commands: Any,
    name: str,
    run: Callable[[argparse.Namespace], None],
    about: str,
    more: str,
) -> argparse.ArgumentParser:
    """Add the parser of a command, which calls ``run``."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=about,
        description=f"{about[0].upper()}{about[1:]}.",
        epilog=more,
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
    """Add options that take a value, from rows of (flags, kind, metavar, help[, default]).

    The kind is a type, or a tuple of the values to choose from.
    """
    for flags, kind, metavar, about, *default in rows:
        if default:
            about += f" (default: {default[0]})"
        of = {"choices": kind} if isinstance(kind, tuple) else {"type": kind}
        usual = default[0] if default else None
        group.add_argument(*flags.split(), **of, metavar=metavar, help=about, default=usual)


def add_choice(
    group: Any, option: str, known: Sequence[str], about: str, metavar: str | None = None
) -> None:
    """Add an option that takes a name, by default the first; errors suggest the nearest."""
    group.add_argument(
        option,
        type=one_of(known),
        choices=known,
        default=known[0],
        metavar=metavar,
        help=f"{about} (default: {known[0]})",
    )


def add_names(group: Any, option: str, known: Sequence[str], usual: Sequence[str]) -> None:
    """Add an option that takes names, with commas between them or one after the other."""
    name = one_of(known)
    group.add_argument(
        option,
        type=lambda text: [name(part) for part in text.split(",")],
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
    skip = "skip: leave out bad lines, rows and documents, and print how many (default: raise)"
    add_values(
        group,
        ("--terms", str, "FILE", "names of the terms, one per line"),
        ("--text", str, "COL", "column of the text"),
        ("--label", str, "COL", "column of the label"),
        ("--delimiter", _delimiter, "CHAR", "what divides fields (default: as the header shows)"),
        ("--on-error", ("raise", "skip"), None, skip),
        ("--threads", positive, "N", "threads (default: all that are available)"),
    )
    if counts:
        about = "how x occurrences in a document count: x, log(1 + x) or 1 (default: raw)"
        add_values(group, ("--tf", tuple(_core.TermWeight.__members__), None, about))
    _add_text_rules(parser)


def _add_text_rules(parser: argparse.ArgumentParser) -> None:
    """Add how texts are cut into terms; None stands for an option that was not given."""
    group = parser.add_argument_group("texts, of tables and folders")
    paper = (
        "several of these at once: 'paper' is --stop-words english --min-df 2; needs scikit-learn"
    )
    drop = "drop terms in {} than N of all documents; 0.01 and 1e-2 are shares of them"
    english = (
        "words to leave out, one per line, or the word english for the list of scikit-learn, which "
        "must be installed"
    )
    hashing = "put terms in N columns by a hash of their names, which are then forgotten"
    pattern = (
        r"what a word is, as in '\w+' for words of one letter too (default: two or more letters, "
        "digits or underscores); needs scikit-learn and its time"
    )
    accents = "remove accents; ascii drops all other characters that are not ASCII too"
    analyzer = "make terms of words, characters, or characters within words (default: word)"
    add_values(
        group,
        ("--preset", tuple(PRESETS), None, paper),
        ("--min-df", _number_or_share, "N", drop.format("fewer") + " (default: 1)"),
        ("--max-df", _number_or_share, "N", drop.format("more") + " (default: 1.0)"),
        ("--max-features", positive, "N", "keep only the N terms that occur most"),
        ("--ngram-range", _ngram_range, "A,B", "terms of A to B words (default: 1,1)"),
        ("--stop-words", str, "FILE", english),
        ("--hashing", positive, "N", hashing),
        ("--encoding", str, "NAME", "encoding of the texts (default: utf-8)"),
        ("--analyzer", get_args(Analyzer), None, analyzer),
        ("--token-pattern", str, "REGEX", pattern),
        ("--strip-accents", get_args(Accents), None, accents),
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


def add_method(parser: Any, methods: Sequence[ts.Method | ts.Selector]) -> None:
    """Add the choice of a method."""
    names = [method.name for method in methods]
    add_choice(parser, "--method", names, f"one of {', '.join(names)}; see below", "NAME")


def add_folds(group: Any, when: str = "") -> None:
    """Add how a cross-validation deals the documents to its folds."""
    add_values(
        group,
        ("--cv", partial(whole, least=2), "N", f"{when}number of folds", USUAL_FOLDS),
        ("--random-state", whole, "N", f"{when}seed for dealing documents to folds", 0),
    )


_METHODS = """\
methods; p and q are the term's probability within a class and outside it; of the n documents,
A are in the class with the term, B in others with it, C in the class without it, D neither;
n_c = A + C, d_i = A + B, det = AD - BC; the term has l_ic occurrences in the class, l_i in all:
"""
_SELECTORS = "methods that choose one term after the other, given those chosen before it:\n"


def methods_help(*, selectors: bool = False) -> str:
    """Describe the methods, and the selectors if asked, as help."""
    return _listed(_METHODS, ts.methods()) + selectors * _listed(_SELECTORS, ts.selectors())


def _listed(title: str, methods: Sequence[ts.Method | ts.Selector]) -> str:
    wrap = partial(textwrap.fill, width=98, subsequent_indent=" " * 20, break_on_hyphens=False)
    lines = (
        wrap(f"  {method.name:<18}{method.title}") + "\n" + wrap(f"{'':20}{method.formula}")
        for method in methods
    )
    return title + "\n".join(lines) + "\n\n"


# ---- types of values -----------------------------------------------------------------------------


def one_of(known: Sequence[str]) -> Callable[[str], str]:
    """Return the type of an option that takes a name; its error suggests the nearest name."""

    def name(text: str) -> str:
        if text not in known:
            hint = did_you_mean(text, known)
            raise argparse.ArgumentTypeError(
                f"invalid choice: {text!r} (choose from {', '.join(known)}){hint}"
            )
        return text

    return name


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
    if text in ("", "-"):
        what = "no name"
        if text == "-":
            what = (
                "standard input has no name that tells its kind; write it to a file such as x.csv"
            )
        raise argparse.ArgumentTypeError(f"expected a file or folder, not {text!r}: {what}")
    return text
