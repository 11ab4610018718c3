"""Documents as one stream of blocks, whatever they come from and whatever is made of them.

A reader of lists, frames, matrices or files makes a stream, and counting, matrices, passages and
classifiers consume it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise
from types import TracebackType
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._util import validation
from termsift._util.faults import Message, carrying, concerning, said


class Counted(NamedTuple):
    """Documents that the core counted while it read them, so that nobody needs their texts."""

    n_docs: int
    n_empty: int


class Columns(NamedTuple):
    """Consecutive columns of a matrix, which hold all documents.

    ``first`` is the number of the columns before, and ``n_terms`` the number of all columns. The
    first block of a matrix has the numbers of all documents, and its later blocks have none.
    """

    matrix: validation.Csr
    first: int
    n_terms: int


Content: TypeAlias = _core.Texts | validation.Csr | Columns | Counted


class Origin:
    """What documents come from. The documents of a container have only numbers.

    ``may_begin_with_header`` tells whether the first document may be a header by mistake.
    """

    name = ""
    may_begin_with_header = True

    def place(self, row: int) -> str:
        """Return the name of a document in errors."""
        return f"document {row}"


_CONTAINER = Origin()


class Block(NamedTuple):
    """Some documents with their labels, and their places in what they come from.

    Document i of the block has the number ``rows[i]`` in its container or file, where documents
    that were skipped count. ``n_read`` is the number of bytes of a file that were read so far.
    """

    content: Content
    labels: validation.Labels | None
    rows: Sequence[int] | NDArray[np.int64]
    origin: Origin = _CONTAINER
    n_read: int = 0

    @property
    def n_docs(self) -> int:
        """The number of documents."""
        return len(self.rows)

    @property
    def n_empty(self) -> int:
        """The number of texts without a character."""
        if isinstance(self.content, (validation.Csr, Columns)):
            return 0
        return self.content.n_empty

    @property
    def texts(self) -> _core.Texts:
        """The content of a block of texts."""
        assert isinstance(self.content, _core.Texts)
        return self.content

    @property
    def matrix(self) -> validation.Csr:
        """The content of a block of rows of a matrix."""
        assert isinstance(self.content, validation.Csr)
        return self.content

    def labels_of(self) -> list[list[Hashable]]:
        """Return the labels of each document."""
        assert self.labels is not None
        names, codes, indptr = self.labels.classes, self.labels.codes.tolist(), self.labels.indptr
        if indptr is None:
            return [[names[code]] for code in codes]
        ends = indptr.tolist()
        return [[names[code] for code in codes[a:b]] for a, b in pairwise(ends)]


class Consumer(Protocol):
    """What takes the blocks of a stream one by one, and can save its state between two files."""

    @property
    def table_counter(self) -> Any:
        """What counts tables that the core reads, or None if this consumer needs the texts."""

    @property
    def takes_columns(self) -> bool:
        """Whether this consumer takes blocks of `Columns`, too."""

    def add(self, block: Block) -> None:
        """Take the next block."""

    def to_bytes(self) -> bytes:
        """Return the state, for `restore`."""

    def restore(self, data: bytes) -> None:
        """Continue from a saved state."""


class Documents(ABC):
    """A stream of documents, which can be read once.

    The labels of a block list the classes of all documents so far, so the lists of later blocks
    begin with the lists of earlier blocks. It may be one list, which grows with each block.

    Attributes
    ----------
    n_docs, n_empty : int
        The number of documents so far and, of labelled texts, how many have no character.
    n_words, n_before_marks : int
        What `note_words` was told about the texts so far.
    first_label : label or None
        The label of the first document, if every document has one label, and if the document may
        be a header.
    argument : str
        The argument that holds texts in memory, as the caller of a function knows it.
    has_texts : bool
        Whether the blocks hold texts, not rows of a matrix.
    one_label_each : bool
        Whether it is known from the start that every document has one label.
    """

    argument = "texts"
    has_texts = True
    one_label_each = True

    def __init__(self) -> None:
        self.n_docs = self.n_empty = self.n_words = self.n_before_marks = 0
        self.first_label: Hashable = None
        self._at: tuple[Origin, Any] | None = None  # the origin and the rows of the last block

    def __iter__(self) -> Iterator[Block]:
        """Yield the blocks. A consumer frees a block before it asks for the next block."""
        for block in self._blocks():
            if (labels := block.labels) is not None:
                self.n_empty += block.n_empty
                is_first = self.first_label is None and self.one_label_each and block.n_docs
                if is_first and block.origin.may_begin_with_header:
                    # If the core counted the documents, it numbered their classes as they appear.
                    self.first_label = labels.classes[labels.codes[0] if len(labels.codes) else 0]
            self.n_docs += len(block.rows)
            self._at = block.origin, block.rows
            yield block
            self._at = None
            del block

    @abstractmethod
    def _blocks(self) -> Iterator[Block]:
        """Yield the blocks. ``n_docs`` is the number of documents before a block."""

    def texts(self) -> Iterator[_core.Texts]:
        """Yield the texts of the blocks."""
        return (block.texts for block in self)

    def feed(self, consumer: Consumer) -> None:
        """Pass all blocks to a consumer."""
        with self.placing():
            for block in self:
                consumer.add(block)
                del block  # free the block before the next block is read

    def note_words(self, counter: _core.TextCounter) -> None:
        """Add the numbers of words, and of words cut at combining marks, that a counter met."""
        self.n_words += counter.n_words
        self.n_before_marks += counter.n_before_marks

    def check_read(self, n_docs: float) -> None:
        """Raise an error if the stream must hold documents, but had none."""
        return  # a container may be empty

    def placing(self) -> _Placing:
        """Return a context in which errors about the last block say where its documents are."""
        return _Placing(self)


class LabelledDocuments(Documents):
    """A stream of documents with labels, which knows their classes."""

    @property
    @abstractmethod
    def classes(self) -> list[Hashable]:
        """The classes so far, in the order of their numbers."""

    @property
    @abstractmethod
    def ordered(self) -> list[Hashable]:
        """The classes so far, in the order of results."""


class OneBlock(Documents):
    """Texts or the rows of a matrix in memory, with their labels if they have any."""

    def __init__(
        self, content: _core.Texts | validation.Csr, labels: validation.Labels | None = None
    ) -> None:
        super().__init__()
        self._content, self._labels = content, labels
        self.has_texts = isinstance(content, _core.Texts)
        self.one_label_each = labels is None or labels.indptr is None

    def _blocks(self) -> Iterator[Block]:
        content = self._content
        n_docs = len(content) if isinstance(content, _core.Texts) else content.n_docs
        return iter([Block(content, self._labels, range(n_docs))])

    def texts(self) -> Iterator[_core.Texts]:
        assert isinstance(self._content, _core.Texts)
        return iter([self._content])  # the numbers in the only block are those in the container


def of_document(fault: Message, row: int) -> TypeError:
    """Return an error about the text in a row of a block, which a stream names by its place."""
    error: Any = carrying(TypeError, said("document {row}: {fault}", row=row, fault=fault))
    error.document, error.fault = row, fault
    return error  # type: ignore[no-any-return]


# The kinds of errors that termsift raises about documents. Another kind may be that of a user's
# function, and the user may want to catch it.
_OURS = (ValueError, TypeError, _core.CountOverflowError)


class _Placing:
    __slots__ = ("_documents",)

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if self._documents._at is None:  # a reader raised the error, and knows the place
            return
        origin, rows = self._documents._at
        if isinstance(error, _core.BadTextError):
            # The core knows the number of the text in the block.
            error.document = int(rows[error.document])
            place = origin.place(error.document)
            error.args = (f"{place},{str(error).partition(',')[2]}",)
            if not origin.name:
                concerning(error, self._documents.argument)
        elif isinstance(fault := getattr(error, "fault", None), Message):  # from `of_document`
            about: Any = error
            about.document = int(rows[about.document])
            place = origin.place(about.document)
            about.args = (said("{place}: {fault}", place=place, fault=fault),)
        elif origin.name and error is not None and kind in _OURS:
            with validation.naming(origin.name):
                raise error
