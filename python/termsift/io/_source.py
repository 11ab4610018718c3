"""What every kind of input has in common: how it is read, and the blocks that it yields."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Collection, Generator, Hashable, Sequence, Set
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from termsift._util.files import check_path
from termsift._util.validation import (
    check_choice,
    check_column,
    check_kind,
    check_n_threads,
)
from termsift.io._labels import read_names
from termsift.io._opening import check_encoding
from termsift.text import TextRules, text_rules
from termsift.text._rules import check_rule_names

COMPLAINTS_KEPT = 5
NAMES_SHOWN = 20
SKIP = "on_error='skip' (--on-error skip) leaves it out"  # the cure of last resort
TEXT_OPTIONS = frozenset({"encoding", "preset", *(rule.name for rule in fields(TextRules))})
NAMED = "name the columns by text and label (--text, --label)"
CHUNK_BYTES = 1 << 28  # of the entries of a chunk of a matrix, at most


def lines_or_rows(n: int) -> str:
    """Return a number of lines or rows, in words."""
    return "1 line or row" if n == 1 else f"{n:,} lines or rows"


def listed(names: Sequence[str]) -> str:
    """Return the first names as a message shows them."""
    more = ", ..." if len(names) > NAMES_SHOWN else ""
    return ", ".join(map(repr, names[:NAMES_SHOWN])) + more or "none"


@dataclass(frozen=True)
class Options:
    """How inputs are read; see `termsift.scan` for the meaning of each.

    Attributes
    ----------
    given : collection of str
        The arguments that the caller gave and that only some kinds of input take.
    names : ndarray of str, or None
        The names of the terms of matrices, from the file ``terms``.
    index_base : int
        The index of the first term of svmlight text.
    """

    given: Collection[str]
    text: tuple[str | int, ...] | None
    label: str | int | None
    delimiter: str | None
    encoding: str
    rules: TextRules
    terms: Path | None = None
    names: NDArray[np.object_] | None = None
    chunk_docs: int | None = None
    index_base: int = 1
    input_format: str | None = None
    skip: bool = False
    n_threads: int = 0


def check_options(
    *,
    terms: str | os.PathLike[str] | None = None,
    text: str | int | Sequence[str | int] | None = None,
    label: str | int | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    preset: str | None = None,
    index_base: int = 1,
    on_error: str = "raise",
    input_format: str | None = None,
    n_threads: int | None = None,
    **rules: Any,
) -> Options:
    """Check the options that `scan` and `read_collection` share."""
    check_rule_names(rules, check_options.__kwdefaults__ or ())
    if terms is not None:
        check_path(terms, "terms")
    texts = _text_columns(text)
    check_column(label, "label")
    codec = "utf-8" if encoding is None else encoding
    check_encoding(codec)
    if delimiter is not None:
        _check_delimiter(delimiter)
    if type(index_base) is not int or index_base not in (0, 1):
        raise ValueError(f"index_base must be 0 or 1, got {index_base!r}")
    check_choice(on_error, ("raise", "skip"), "on_error")
    given = {"terms": terms, "text": text, "label": label, "delimiter": delimiter}
    given |= {"encoding": encoding, "preset": preset}
    return Options(
        [name for name, value in {**given, **rules}.items() if value is not None],
        texts,
        label,
        delimiter,
        codec,
        text_rules(preset, **rules),
        None if terms is None else Path(terms),
        None if terms is None else read_names(terms),
        index_base=index_base,
        input_format=input_format,
        skip=on_error == "skip",
        n_threads=check_n_threads(n_threads),
    )


def _text_columns(text: Any) -> tuple[str | int, ...] | None:
    """Return the columns whose texts are joined, or None for the usual one."""
    if text is None:
        return None
    columns = (text,) if isinstance(text, str) or not isinstance(text, Sequence) else tuple(text)
    if not columns:
        raise ValueError("text names no column, expected one or several")
    for place, column in enumerate(columns):
        check_column(column, "text")
        if column is None or column in columns[:place]:
            what = "a column that is None" if column is None else f"the column {column!r} twice"
            raise ValueError(f"text names {what}")
    return columns


def _check_delimiter(delimiter: object) -> None:
    check_kind(delimiter, str, "delimiter")
    assert isinstance(delimiter, str)
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
        raise ValueError(f"delimiter must be one character such as ',' or ';', got {delimiter!r}")


@dataclass(frozen=True)
class Block:
    """Documents that were read together.

    Attributes
    ----------
    n_bytes : int
        How many bytes of the input have been read.
    n_skipped : int
        How many lines, rows or documents were left out since the last block.
    complaints : list of str
        What was wrong with the first few of them.
    """

    n_bytes: int
    n_skipped: int = 0
    complaints: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class MatrixBlock(Block):
    """Documents of a matrix.

    Attributes
    ----------
    X : csr_array
        Their counts. Columns beyond its width are 0.
    y : ndarray or csr_array
        Their labels, or an indicator matrix.
    classes : list or None
        The labels of the columns of an indicator matrix ``y``.
    """

    X: Any
    y: Any
    classes: list[Hashable] | None = None

    def __len__(self) -> int:
        return int(self.X.shape[0])


MatrixBlocks: TypeAlias = Generator[MatrixBlock, None, None]


def docs_in_chunk(indptr: NDArray[Any], entry_bytes: int, chunk_docs: int | None) -> int:
    """Return how many of some documents, at least 1, are in one chunk."""
    limit = min(int(indptr[0]) + CHUNK_BYTES // entry_bytes, np.iinfo(indptr.dtype).max)
    # A limit of another dtype would let numpy copy the offsets.
    n_docs = int(np.searchsorted(indptr, indptr.dtype.type(limit), side="right")) - 1
    return min(max(n_docs, 1), len(indptr) - 1, chunk_docs or len(indptr))


class Source(ABC):
    """One input, a matrix or a `TextSource`.

    Opening it checks what can be checked without reading it.

    Attributes
    ----------
    path : Path
        The file or folder.
    files : list of path
        The files that are read.
    takes : set of str
        Which of the options that only some kinds of input take it takes, and ``why`` no others.
    labels_are_text : bool
        Whether labels are strings that may stand for whole numbers.
    """

    has_texts: ClassVar[bool] = False
    takes: ClassVar[Set[str]] = {"labels", "terms"}
    why: ClassVar[str] = "a matrix holds no texts"

    def __init__(self, path: Path, labels: Path | None, options: Options) -> None:
        given = [*(["labels"] if labels is not None else []), *options.given]
        if refused := [name for name in given if name not in self.takes]:
            raise ValueError(f"{path}: {self.why}; leave out {' and '.join(refused)}")
        self.path, self.options = path, options
        self.files: list[os.PathLike[str]] = [path]
        self.labels_are_text = self.has_texts

    @abstractmethod
    def blocks(self) -> Generator[Any, None, None]:
        """Yield the documents in order, in blocks of type `MatrixBlock` or `TextBlock`."""

    @property
    def n_bytes(self) -> int:
        """The size of the files on the disk."""
        return sum(os.stat(file).st_size for file in self.files)

    def check_n_labels(self, n_labels: int, n_docs: int) -> None:
        """Check that a file of labels, the last of the files, has one for each document."""
        if n_labels != n_docs:
            raise ValueError(
                f"{self.files[-1]}: {n_labels} labels for the {n_docs} documents of {self.path}"
            )
