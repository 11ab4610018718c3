"""Classes for all kinds of input: options, blocks of documents, and base classes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Generator, Hashable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._util import scipy
from termsift._util.faults import Message, all_named, concerning, said, wrong_value
from termsift._util.messages import printable
from termsift._util.validation import listed, object_array
from termsift.io._opening import NAME_ENCODING
from termsift.text import TextRules

SKIP = said("{on_error='skip'} leaves it out")  # the end of messages that can be skipped
NAMED = said("name the columns by {text=} and {label=}")
# The ends of the core's messages about tables.
_SKIPPED, _COLUMNS = said("; {skip}", skip=SKIP), said(" columns by {text=} and {label=}")
TEXT_OPTIONS = frozenset(
    {"encoding", "max_memory", "checkpoint", *(rule.name for rule in fields(TextRules))}
)
BLOCK_BYTES = 1 << 22  # the number of bytes of text that are read at once
_COMPLAINTS_KEPT = 5


@dataclass(frozen=True)
class Options:
    """The options of `termsift.scan`, which determine how inputs are read."""

    rules: TextRules
    given: Collection[str] = ()  # options of the caller that some kinds of input refuse
    text: tuple[str | int, ...] | None = None
    label: str | int | Literal[False] | None = None
    encoding: str = "utf-8"
    term_names: Path | None = None
    names: NDArray[Any] | None = None  # the names in the file ``term_names``
    index_base: int = 1
    input_format: str | None = None
    skip: bool = False
    n_threads: int = 0
    max_memory: int | None = None
    checkpoint: Path | None = None


def with_arguments(complaint: str) -> Message:
    """Return a complaint of the core, whose cures name arguments, as a message."""
    parts: list[Any] = []
    for cure in (_SKIPPED, _COLUMNS, NAME_ENCODING):  # in the order from the end
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


@dataclass(frozen=True)
class MatrixBlock:
    """Some documents of a matrix. Document d has ``n_labels[d]`` labels.

    ``rows`` has the numbers of the documents in their file, from 0. Skipped documents count.
    """

    X: Any
    labels: NDArray[Any]
    n_labels: NDArray[np.int64]
    rows: NDArray[np.int64]
    n_bytes: int

    def __len__(self) -> int:
        return int(self.X.shape[0])


def labelled(
    labels: NDArray[Any], n_labels: NDArray[np.int64]
) -> tuple[Any, list[Hashable] | None]:
    """Return the label of each document, or an indicator matrix and the labels of its columns."""
    if (n_labels == 1).all():
        return labels, None
    classes, columns = np.unique(labels, return_inverse=True)
    rows = np.repeat(np.arange(len(n_labels)), n_labels)
    ones = np.ones(len(rows), dtype=np.int8)
    indicator = scipy.sparse.csr_array((ones, (rows, columns)), shape=(len(n_labels), len(classes)))
    indicator.data[:] = 1  # a document may repeat a label
    return indicator, classes.tolist()


@dataclass(frozen=True)
class TextBlock:
    """Some texts of an input. The label of text i is ``labels[codes[i]]``.

    ``rows`` has the numbers of the texts in their table or folder, from 0. Skipped texts count.
    """

    texts: _core.Texts
    codes: NDArray[np.int32]
    labels: Sequence[str]
    rows: NDArray[np.int64]
    n_bytes: int

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def y(self) -> NDArray[np.object_]:
        """The label of each text."""
        return object_array(list(self.labels))[self.codes]


class Source(ABC):
    """A file or folder to read. ``kind`` is the file format. ``files`` lists the files to read."""

    has_texts: ClassVar[bool] = False
    labels_are_text: ClassVar[bool] = True  # Text labels become integers if all are whole numbers.
    takes: ClassVar[Set[str]]  # Accepted arguments that other kinds of input may refuse.
    why: ClassVar[str] = "a matrix holds no texts"  # The reason to refuse an argument.

    def __init__(
        self, path: Path, options: Options, kind: str = "", labels: Path | None = None
    ) -> None:
        given = [*(["labels"] if labels is not None else []), *options.given]
        if refused := [name for name in given if name not in self.takes]:
            raise wrong_value(
                "{path}: {why}; leave out {refused}",
                path=path,
                why=self.why,
                refused=all_named(refused),
            )
        self.path, self.options, self.kind = path, options, kind
        self.files: list[Any] = [path]
        self.skipped = Skipped()

    @abstractmethod
    def blocks(self) -> Generator[Any, None, None]:
        """Yield the documents in order, in blocks of type `MatrixBlock` or `TextBlock`."""

    @property
    def n_bytes(self) -> int:
        """The size of the files on the disk."""
        return sum(file.stat().st_size for file in self.files)

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
        text, label = self.options.text or ("text",), self.options.label
        *texts, label = self.distinct([*text, "label" if label is None else label], str)
        return texts, label

    def distinct(self, names: list[Any], named: Callable[[Any], Any]) -> list[Any]:
        """Return the text columns, followed by the label column.

        Without labels, the first text column takes the place of the label column.
        """
        columns = [named(name) for name in names if name is not False]
        if len(set(columns)) < len(columns):
            raise wrong_value(
                "{path}: {text} and {label} name the same column: {columns}",
                path=self.path,
                columns=listed(columns),
            )
        return columns + columns[:1] * (self.options.label is False)
