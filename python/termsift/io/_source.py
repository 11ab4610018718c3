"""What every kind of input has in common: how it is read, and the blocks that it yields."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Generator, Hashable, Sequence, Set
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar

from numpy.typing import NDArray

from termsift.text import TextRules

NAMES_SHOWN = 20
SKIP = "on_error='skip' (--on-error skip) leaves it out"  # the cure of last resort
NAMED = "name the columns by text and label (--text, --label)"
TEXT_OPTIONS = frozenset({"encoding", "preset", *(rule.name for rule in fields(TextRules))})
_COMPLAINTS_KEPT = 5


def listed(names: Sequence[str]) -> str:
    """Return the first names as a message shows them."""
    more = ", ..." if len(names) > NAMES_SHOWN else ""
    return ", ".join(map(repr, names[:NAMES_SHOWN])) + more or "none"


@dataclass(frozen=True)
class Options:
    """How inputs are read; `termsift.scan` explains each option.

    Attributes
    ----------
    given : collection of str
        The arguments of the caller that only some kinds of input take.
    names : ndarray of str, or None
        The names of the terms of matrices, from the file ``terms``.
    """

    rules: TextRules
    given: Collection[str] = ()
    text: tuple[str | int, ...] | None = None
    label: str | int | None = None
    delimiter: str | None = None
    encoding: str = "utf-8"
    terms: Path | None = None
    names: NDArray[Any] | None = None
    index_base: int = 1
    input_format: str | None = None
    skip: bool = False
    n_threads: int = 0


@dataclass
class Skipped:
    """The lines, rows and documents that were left out: how many, and what was wrong with some."""

    n: int = 0
    complaints: list[str] = field(default_factory=list)

    def add(self, complaints: Sequence[str], n: int = 1) -> None:
        """Count ``n`` more, of which the first have these complaints."""
        self.n += n
        self.complaints = [*self.complaints, *complaints][:_COMPLAINTS_KEPT]

    def __str__(self) -> str:
        return "1 line or row" if self.n == 1 else f"{self.n:,} lines or rows"


@dataclass(frozen=True)
class MatrixBlock:
    """Documents of a matrix that were read together.

    Attributes
    ----------
    X : csr_array
        Their counts. Columns beyond its width are 0.
    y : ndarray or csr_array
        Their labels, or an indicator matrix.
    classes : list or None
        The labels of the columns of an indicator matrix ``y``.
    n_bytes : int
        How many bytes of the input have been read.
    """

    X: Any
    y: Any
    classes: list[Hashable] | None
    n_bytes: int

    def __len__(self) -> int:
        return int(self.X.shape[0])


class Source(ABC):
    """One input, a matrix or a `TextSource`.

    Opening it checks what can be checked without reading it.

    Attributes
    ----------
    path : Path
        The file or folder.
    files : list of Path or DirEntry
        The files that are read.
    takes : set of str
        The arguments that this kind of input takes, of those that only some kinds take.
    why : str
        Why it takes no others.
    labels_are_text : bool
        Whether labels are strings that may stand for whole numbers.
    """

    has_texts: ClassVar[bool] = False
    takes: ClassVar[Set[str]]
    why: ClassVar[str] = "a matrix holds no texts"

    def __init__(self, path: Path, labels: Path | None, options: Options) -> None:
        given = [*(["labels"] if labels is not None else []), *options.given]
        if refused := [name for name in given if name not in self.takes]:
            raise ValueError(f"{path}: {self.why}; leave out {' and '.join(refused)}")
        self.path, self.options = path, options
        self.files: list[Any] = [path]
        self.labels_are_text = self.has_texts
        self.skipped = Skipped()

    @abstractmethod
    def blocks(self) -> Generator[Any, None, None]:
        """Yield the documents in order, in blocks of type `MatrixBlock` or `TextBlock`."""

    @property
    def n_bytes(self) -> int:
        """The size of the files on the disk."""
        return sum(file.stat().st_size for file in self.files)

    def complain(self, complaint: str) -> None:
        """Raise an error about a row or document, or note that it is left out."""
        if not self.options.skip:
            raise ValueError(f"{complaint}; {SKIP}")
        self.skipped.add([complaint])
