"""What commands take: the arguments that several share, the types of values, the common help."""

from __future__ import annotations

import argparse
import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, get_args

import termsift as ts
from termsift import _core
from termsift._util.frames import FORMAT_OF
from termsift._util.validation import did_you_mean
from termsift.text import PRESETS, Analyzer

_HELP_WIDTH = 98


INPUT_FORMATS = """\
input, known by the ending of its name:
  .svm .svmlight .libsvm  label index:count ... a line; --terms names the terms
  .npz .mtx               a matrix of documents x terms (scipy sparse, Matrix Market) with --labels
  .csv .tsv               a table with header, columns 'text' and 'label' or --text and --label
  .txt                    label<TAB>text a line, without header or quoting
  .jsonl .ndjson          a JSON object a line, keys 'text' and 'label' or --text and --label
  .parquet .arrow .feather  a table of such columns (needs pyarrow)
  a folder                of a sub-folder a class, in which each file is a document; or of arrays,
                          as termsift.save_csr writes them in Python
  .termsift               counts that termsift saved, but not for compare
or the word demo: what termsift demo shows, the docstrings of Python's standard library.
Files of text and .mtx may end in .gz, or .zst (needs zstandard). Files are UTF-8, texts of
--encoding. --text 2 --label 1 (numbers) count the columns of a table without header. An svmlight
file without an index 0 counts its indices from 1.
"""


class AsWritten(argparse.RawDescriptionHelpFormatter):
    """Help whose descriptions keep their lines, in a column wide enough for our options."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28)


def add_command(
    commands: Any,
    name: str,
    run: Callable[[argparse.Namespace], None],
    about: str,
    more: str,
) -> argparse.ArgumentParser:
    """Add the parser of a command that ``run`` does, told in ``about`` and ``more``."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=about,
        description=f"{about[0].upper()}{about[1:]}.",
        epilog=more,
        formatter_class=AsWritten,
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="tell what is done, and errors in full"
    )
    parser.set_defaults(run=run, usage_error=parser.error, watched=False)
    return parser


def add_input(
    parser: argparse.ArgumentParser, *, counts: bool = True, several: bool = False
) -> None:
    """Add what is read; ``counts``: whether nothing but its counts is needed.

    With ``several``, inputs of collections alone, and a file of labels for each.
    """
    kinds = "a collection, or counts" if counts else "a collection"
    group = parser.add_argument_group("input")
    if several:
        parser.add_argument(
            "inputs", metavar="INPUT", nargs="+", type=_input, help="collections; see below"
        )
        group.add_argument(
            "--labels",
            metavar="FILE",
            action="append",
            help="labels, one a line, or a .npy array; once for each INPUT",
        )
    else:
        parser.add_argument("input", metavar="INPUT", type=_input, help=f"{kinds}; see below")
        group.add_argument("--labels", metavar="FILE", help="labels, one a line, or a .npy array")
    group.add_argument("--terms", metavar="FILE", help="names of the terms, one a line")
    group.add_argument("--text", metavar="COL", help="column of the text")
    group.add_argument("--label", metavar="COL", help="column of the label")
    if counts:
        group.add_argument(
            "--tf",
            choices=tuple(_core.TermWeight.__members__),
            help="what counts of a term's x occurrences in a document: x, log(1 + x) or 1 "
            "(default: raw)",
        )
    group.add_argument(
        "--threads", type=positive, metavar="N", help="threads (default: as many as there are)"
    )
    _add_text_rules(parser, several=several)


def _add_text_rules(parser: argparse.ArgumentParser, *, several: bool) -> None:
    """Add how texts are cut into terms; None stands for what was not given.

    With ``several``, which are read a part at a time, without what asks for all documents first.
    """
    group = parser.add_argument_group("texts, of tables and folders")
    needs = "; needs scikit-learn"
    group.add_argument(
        "--preset",
        choices=tuple(PRESETS),
        help=f"several of these at once: 'paper' is --stop-words english --min-df 2{needs}",
    )
    group.add_argument(
        "--ngram-range",
        type=_ngram_range,
        metavar="A,B",
        help=f"terms of A to B words (default: 1,1){needs}",
    )
    if several:
        add_min_df(group)
        parser.set_defaults(max_df=None)
    else:
        for option, usual in (("--min-df", "1"), ("--max-df", "1.0")):
            fewer = "fewer" if option == "--min-df" else "more"
            group.add_argument(
                option,
                type=_number_or_share,
                metavar="N",
                help=f"drop terms in {fewer} than N documents; of an N with a point or exponent, "
                f"0.01 or 1e-2, in {fewer} than that share of them (default: {usual})",
            )
    group.add_argument(
        "--stop-words",
        metavar="FILE",
        help="words that are no terms, one a line, or the word english: scikit-learn's list"
        + needs,
    )
    group.add_argument(
        "--lowercase",
        action=argparse.BooleanOptionalAction,
        help=f"whether Bacon and bacon are one word (default: they are){needs} where they are not",
    )
    group.add_argument(
        "--analyzer",
        choices=get_args(Analyzer),
        help="make terms of words, characters, or characters within words (default: word); "
        "characters need scikit-learn",
    )
    group.add_argument(
        "--hashing",
        type=positive,
        metavar="N",
        help=f"put terms in N columns by a hash of their names, which are then forgotten{needs}",
    )
    group.add_argument("--encoding", metavar="NAME", help="of the texts (default: utf-8)")


def add_min_df(group: Any) -> None:
    """Add the pruning of terms once all documents are counted."""
    group.add_argument(
        "--min-df",
        type=positive,
        metavar="N",
        help="drop terms in fewer than N documents of all, at the end (default: 1)",
    )


def _ngram_range(text: str) -> tuple[int, int]:
    first, comma, last = text.partition(",")
    return positive(first), positive(last if comma else first)


def _number_or_share(text: str) -> int | float:
    for kind in (int, float):
        try:
            number: float = kind(text)
        except ValueError:
            continue
        if math.isfinite(number):
            return number
    raise argparse.ArgumentTypeError(
        f"expected a number of documents or a share of them, not {text!r}"
    )


def _input(text: str) -> str:
    if text in ("", "-"):
        what = "no name" if text == "" else "standard input, whose kind no name tells"
        raise argparse.ArgumentTypeError(f"expected a file or folder, not {text!r}: {what}")
    return text


def add_output(group: Any, writers: Mapping[str, object]) -> None:
    """Add where the answer goes, and in which of the forms that ``writers`` write."""
    endings = " ".join(FORMAT_OF)
    group.add_argument(
        "--format",
        choices=tuple(writers),
        help=f"(default: by the ending of FILE, one of {endings}; table without an ending)",
    )
    group.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write FILE atomically; - is stdout (default: stdout)",
    )


# How the documents are dealt to the folds, unless the command line says otherwise.
FOLDS = {"cv": 10, "random_state": 0}


def add_folds(group: Any, when: str = "") -> None:
    """Add how a cross-validation deals the documents to its folds; None is what was not given."""
    group.add_argument(
        "--cv", type=folds, metavar="N", help=f"{when}folds (default: {FOLDS['cv']})"
    )
    group.add_argument(
        "--random-state",
        type=whole,
        metavar="N",
        help=f"{when}by which documents are dealt to them (default: {FOLDS['random_state']})",
    )


def folds_of(args: argparse.Namespace) -> dict[str, int]:
    """Give what `add_folds` added, with what is usual where it was not given."""
    given = {name: getattr(args, name) for name in FOLDS}
    return {**FOLDS, **{name: value for name, value in given.items() if value is not None}}


def add_method(parser: Any, methods: Sequence[ts.Method | ts.Selector]) -> None:
    """Add the choice of a method."""
    names = [method.name for method in methods]
    parser.add_argument(
        "--method",
        type=one_of(names),
        choices=names,
        default=names[0],
        metavar="NAME",
        help=f"one of {', '.join(names)}; see below (default: {names[0]})",
    )


def add_names(group: Any, option: str, known: Sequence[str], usual: Sequence[str]) -> None:
    """Add an option of several names, given with commas between or one after the other."""
    group.add_argument(
        option,
        type=_names(known),
        action=_Extend,
        default=usual,
        metavar="NAME,...",
        help=f"of {', '.join(known)} (default: {','.join(usual)})",
    )


def methods_help() -> str:
    """Describe the methods that score, as help."""
    return _registry_help(
        "methods, with p and q the term's probability within a class and outside it, or of the n "
        "documents\nA in the class with the term, B in others with it, C in the class without it, "
        "D neither;\nn_c = A + C, d_i = A + B, det = AD - BC; l_ic occurrences in the class, l_i "
        "in all:",
        ts.methods(),
    )


def selectors_help() -> str:
    """Describe the methods that choose terms one after the other, as help."""
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


def one_of(known: Sequence[str]) -> Callable[[str], str]:
    """Give the type of an option that takes a name: its complaint tells the nearest one."""

    def name(text: str) -> str:
        if text not in known:
            hint = did_you_mean(text, known)
            raise argparse.ArgumentTypeError(
                f"invalid choice: {text!r} (choose from {', '.join(known)}){hint}"
            )
        return text

    return name


def _names(known: Sequence[str]) -> Callable[[str], list[str]]:
    """Give the type of an option that takes names with commas between."""
    name = one_of(known)
    return lambda text: [name(part) for part in text.split(",")]


def whole(text: str, least: int = 0) -> int:
    """Read a whole number, of ``least`` or more."""
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a whole number, not {text!r}") from None
    if number < least:
        raise argparse.ArgumentTypeError(f"expected {least} or more, not {number}")
    return number


positive = partial(whole, least=1)
folds = partial(whole, least=2)


def above_zero(text: str) -> float:
    """Read a number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number above 0, not {text!r}")
    return number
