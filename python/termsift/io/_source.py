"""Classes for all kinds of input: options, what was left out, and base classes."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Generator, Hashable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from termsift._util.faults import Message, Name, all_named, concerning, said, wrong_value
from termsift._util.messages import printable
from termsift._util.validation import listed, object_array
from termsift.io._dialect import CHECKS as OF_DIALECTS
from termsift.io._dialect import Dialect
from termsift.io._opening import NAME_ENCODING
from termsift.text import TextRules
from termsift.text._documents import Block, Consumer, Origin

SKIP = said("{on_error='skip'} leaves it out")  # the end of messages that can be skipped
NAMED = said("name the columns by {text=} and {label=}")
# The ends of the core's messages about tables, from the last.
_CURES = (
    said("; {skip}", skip=SKIP),
    said("pass {quote=}", quote=""),
    said("pass {quote=}", quote="'"),
    said("pass {escape=}", escape="\\"),
    NAMED,
    NAME_ENCODING,
)
TEXT_OPTIONS = frozenset(
    {"encoding", "max_memory", "checkpoint", *(rule.name for rule in fields(TextRules))}
)
_WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")  # At most 18 digits, no leading zeros.
BLOCK_BYTES = 1 << 22  # the number of bytes of text that are read at once
MATRIX_BYTES = 1 << 24  # the number of bytes of a matrix that are read at once
_COMPLAINTS_KEPT = 5


class UnsortedError(Exception):
    """A Matrix Market file that seemed to be sorted is not. Reading it again reads it whole."""


class SameColumns:
    """Checks that all files of a folder or pattern have the columns of the first one."""

    def __init__(self) -> None:
        self._first: tuple[Path, Sequence[str] | int] | None = None

    def check(self, path: Path, columns: Sequence[str] | int, *, by_number: bool = False) -> None:
        """Check the names of the columns or, without a header, their number.

        The names may be in another order, unless columns were chosen ``by_number``.
        """
        if self._first is None:
            self._first = path, columns
        first, expected = self._first
        is_same = columns == expected
        if not by_number and not isinstance(columns, int) and not isinstance(expected, int):
            is_same = sorted(columns) == sorted(expected)
        if not is_same:
            found, wanted = (
                f"{v} columns" if isinstance(v, int) else f"the columns {listed(v)}"
                for v in (columns, expected)
            )
            raise ValueError(f"{path}: has {found}, expected {wanted}, as {first} has")


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of `termsift.scan`, which determine how inputs are read."""

    rules: TextRules
    given: Collection[str] = ()  # options of the caller that some kinds of input refuse
    text: tuple[str | int, ...] | None = None
    label: str | int | None = None
    has_labels: bool = True  # without labels, every document gets the label ""
    encoding: str = "utf-8"
    dialect: Dialect = field(default_factory=Dialect)
    term_names: Path | None = None
    names: NDArray[Any] | None = None  # the names in the file ``term_names``
    index_base: int = 1
    input_format: str | None = None
    skip: bool = False
    n_threads: int = 0
    max_memory: int | None = None
    checkpoint: Path | None = None
    alike: SameColumns | None = None  # for the files of a folder or pattern


def with_arguments(complaint: str) -> Message:
    """Return a complaint of the core, whose cures name arguments, as a message."""
    parts: list[Any] = []
    for cure in _CURES:
        if complaint.endswith(cure):
            complaint, parts = complaint.removesuffix(cure), [*cure.parts, *parts]
    return Message(complaint, *parts)


@contextmanager
def complaining() -> Iterator[None]:
    """Let errors of the core about a table carry the arguments that their cures name."""
    try:
        yield
    except ValueError as error:
        message = with_arguments(str(error))
        if type(error) is ValueError and message.arguments:
            error.args = (message,)
            concerning(error, *message.arguments)
        raise


@dataclass
class Skipped:
    """The number of lines, rows and documents that were left out, and the first few errors."""

    n: int = 0
    complaints: list[Message] = field(default_factory=list)

    def add(self, complaints: Sequence[Message], n: int = 1) -> None:
        """Count ``n`` more omissions, and keep the first few complaints."""
        self.n += n
        new = [complaint.mapped(printable) for complaint in complaints]
        self.complaints = [*self.complaints, *new][:_COMPLAINTS_KEPT]

    def __str__(self) -> str:
        return "1 line, row or file" if self.n == 1 else f"{self.n:,} lines, rows or files"


class Source(Origin, ABC):
    """A file or folder to read. ``kind`` is the file format. ``files`` lists the files to read."""

    has_texts: ClassVar[bool] = False
    may_lack_columns: ClassVar[bool] = False  # whether a matrix may have fewer columns than terms
    is_folder: ClassVar[bool] = False  # whether each document is a file
    labels_are_text: ClassVar[bool] = True  # Text labels become integers if all are whole numbers.
    takes: ClassVar[Set[str]]  # Accepted arguments that other kinds of input may refuse.
    why: ClassVar[str] = "a matrix holds no texts"  # The reason to refuse an argument.

    def __init__(
        self, path: Path, options: Options, kind: str = "", labels: Path | None = None
    ) -> None:
        given = [*(["labels"] if labels is not None else []), *options.given]
        if refused := [name for name in given if name not in self.takes]:
            is_dialect = self.has_texts and OF_DIALECTS.keys() >= set(refused)
            cure: Name = said("leave out {refused}", refused=all_named(refused))
            if kind == ".txt" and "term_names" in refused:
                cure = said(
                    "{cure}, or for a file of svmlight, pass {input_format='svm'}", cure=cure
                )
            raise wrong_value(
                "{path}: {why}; {cure}",
                path=path,
                why="only .csv, .tsv and .txt tables have a dialect" if is_dialect else self.why,
                cure=cure,
            )
        self.path, self.options, self.kind = path, options, kind
        self.name = str(path)
        self.named = [self.name] if labels is None else [self.name, str(labels)]
        self.files: list[Any] = [path]
        self.skipped = Skipped()
        self.understood = ""  # how the file was understood, once it is opened

    @abstractmethod
    def blocks(self) -> Generator[Block, None, None]:
        """Yield the documents in order. The classes of a block need no order."""

    def blocks_for(
        self, consumer: Consumer | None, classes: list[Hashable], *, whole: bool, alone: bool
    ) -> Generator[Block, None, None]:
        """Yield the documents as a consumer takes them best.

        The labels of earlier inputs are ``classes``. The consumer keeps all blocks if ``whole``,
        and the input is the only one if ``alone``.
        """
        return self.blocks()

    def place(self, row: int) -> str:
        return f"{self.path}, row {row + 1}"

    @property
    def n_bytes(self) -> int:
        """The size of the files on the disk."""
        return sum(file.stat().st_size for file in self.files)

    @property
    def changed_ns(self) -> int:
        """The time of the last change of the files."""
        return int(max(file.stat().st_mtime_ns for file in [self.path, *self.files]))

    def complain(self, complaint: Message) -> None:
        """Raise an error about a row or document, or count the row or document as skipped."""
        if not self.options.skip:
            raise wrong_value("{complaint}; {cure}", complaint=complaint, cure=SKIP)
        self.skipped.add([complaint])


class TextSource(Source):
    """An input of texts with their labels."""

    has_texts = True
    takes = TEXT_OPTIONS | {"text", "label"}
    why = "texts have their own labels and terms"

    @property
    def columns(self) -> tuple[list[str], str]:
        """The names of the text columns, and the name of the label column."""
        *texts, label = self.distinct(self.options.text or ("text",), "label", str)
        return texts, label

    def distinct(
        self, texts: Sequence[Any], usual_label: Any, named: Callable[[Any], Any]
    ) -> list[Any]:
        """Return the text columns, followed by the label column.

        Without labels, the first text column takes the place of the label column.
        """
        columns = list(map(named, texts))
        if len(set(columns)) < len(columns):
            raise wrong_value(
                "{path}: {text} names a column twice: {columns}",
                path=self.path,
                columns=listed(columns),
            )
        if self.options.has_labels:
            label = self.options.label
            columns.append(named(usual_label if label is None else label))
        if len(set(columns)) < len(columns):
            raise wrong_value(
                "{path}: {text} and {label} name the same column: {columns}",
                path=self.path,
                columns=listed(columns),
            )
        return columns if self.options.has_labels else [*columns, columns[0]]


def integers_if_all_whole(labels: Sequence[Any]) -> NDArray[Any]:
    """Return text labels as integers if all are whole numbers, else unchanged."""
    if all(map(_WHOLE_NUMBER.fullmatch, labels)):
        return np.array([int(label) for label in labels], dtype=np.int64)
    return object_array(labels)


def of_one_kind(labels: Sequence[Any]) -> NDArray[Any]:
    """Return labels that are numbers or words as numbers, or as text if one of them is a word."""
    if any(isinstance(label, str) for label in labels):
        return object_array(list(map(str, labels)))
    return np.array(labels)
