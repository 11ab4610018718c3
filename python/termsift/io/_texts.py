"""Texts with their labels, whatever files they come from, a block at a time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from io import BufferedIOBase
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._util.tabular import object_array
from termsift.io._opening import Complain, check_encoding, opened_text
from termsift.io._source import COMPLAINTS_KEPT, SKIP, TEXT_OPTIONS, Block, Options, Source

BLOCK_BYTES = 1 << 22  # of text that is read at once
_COUNTED_BYTES = 1 << 26  # of a table that is counted between two reports of the progress
_ROW_BYTES = 64  # what a row takes in a list, besides its text


@dataclass(frozen=True, kw_only=True)
class TextBlock(Block):
    """Texts that were read together; ``labels[codes[i]]`` is the label of text i."""

    texts: _core.Texts
    codes: NDArray[np.int32]
    labels: list[str]

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def y(self) -> NDArray[np.object_]:
        """The label of each text."""
        return object_array(self.labels)[self.codes]


# Texts as a list of strings, an Arrow column or what the core has read, and their labels: one for
# each text, or the code of each and what the codes mean.
Labels: TypeAlias = "list[str] | tuple[NDArray[np.int32], list[str]]"
Part: TypeAlias = "tuple[Any, Labels]"
Parts: TypeAlias = Generator[Part, None, None]


class Complaints:
    """What is wrong with the rows of an input: an error, or rows that are left out."""

    def __init__(self, *, skip: bool) -> None:
        self._skip, self._n_skipped, self._first = skip, 0, list[str]()

    def __call__(self, complaint: str) -> None:
        """Raise the complaint, or note that a row is left out."""
        if not self._skip:
            raise ValueError(f"{complaint}; {SKIP}")
        self._n_skipped += 1
        if len(self._first) < COMPLAINTS_KEPT:
            self._first.append(complaint)

    def taken(self) -> dict[str, Any]:
        """Return what has been left out since the last call, as a block has it."""
        taken = {"n_skipped": self._n_skipped, "complaints": self._first}
        self._n_skipped, self._first = 0, []
        return taken


class TextSource(Source):
    """An input of texts with their labels."""

    has_texts = True
    takes = TEXT_OPTIONS | {"text", "label"}
    why = "texts have their own labels and terms"


class PartedTexts(TextSource):
    """Texts that Python reads in parts of any form.

    Attributes
    ----------
    bytes_read : callable
        Returns how many bytes `parts` has read; it need not work once all have been read.
    """

    bytes_read: Callable[[], int]

    @abstractmethod
    def parts(self, complain: Complain) -> Parts:
        """Yield the good rows, some at a time, and report the others."""

    def blocks(self) -> Generator[TextBlock, None, None]:
        """Yield the texts in order."""
        complaints = Complaints(skip=self.options.skip)
        with closing(self.parts(complaints)) as parts:
            for texts, labels in parts:
                codes, values = coded(labels) if isinstance(labels, list) else labels
                yield TextBlock(
                    texts=_as_texts(texts),
                    codes=codes,
                    labels=values,
                    n_bytes=self.bytes_read(),
                    **complaints.taken(),
                )
                del texts, labels, codes  # before the next ones are read
        rest = complaints.taken()
        if rest["n_skipped"]:
            yield _no_texts(n_bytes=self.n_bytes, **rest)


class TableCount(NamedTuple):
    """How the core counts a table whose texts nobody else needs.

    Attributes
    ----------
    labels : list of str
        The labels of the classes so far, by number.
    add : callable
        Counts about so many bytes of a table, whose classes have these numbers.
    """

    labels: list[str]
    add: Callable[[_core.Table, int], None]


class Table(TextSource):
    """A table of rows that the core reads."""

    @abstractmethod
    def opened(self, content: BufferedIOBase, options: dict[str, Any]) -> _core.Table:
        """Return the table of a content, with options of `_core.Table`."""

    def blocks(
        self, count: Callable[[], TableCount] | None = None
    ) -> Generator[TextBlock, None, None]:
        """Yield the texts in order; with ``count``, count them instead, and yield empty blocks."""
        how = None if count is None else count()
        codec = check_encoding(self.options.encoding)
        options = {
            "skip": self.options.skip,
            "encoding": "UTF-8" if codec == "utf-8-sig" else self.options.encoding.upper(),
            "labels": [] if how is None else how.labels,
            "block_bytes": BLOCK_BYTES if how is None else BLOCK_BYTES // 4,
        }
        with opened_text(self.path, self.options.encoding) as (content, raw):
            table = self.opened(content, options)
            labels, n_skipped, n_told = list[str](), 0, 0
            while not table.is_done:
                block = None
                if how is None:
                    block = table.read()
                    labels += table.labels(len(labels))
                else:
                    how.add(table, _COUNTED_BYTES)
                skipped = table.skipped
                about: dict[str, Any] = {
                    "n_bytes": raw.tell(),
                    "n_skipped": table.n_skipped - n_skipped,
                    "complaints": skipped[n_told:],
                }
                n_skipped, n_told = table.n_skipped, len(skipped)
                if block is None:
                    yield _no_texts(**about)
                else:
                    yield TextBlock(texts=block[0], codes=block[1], labels=labels, **about)
                del block  # before the next one is read


def _no_texts(**about: Any) -> TextBlock:
    return TextBlock(
        texts=_core.Texts.of_strings([]), codes=np.empty(0, np.int32), labels=[], **about
    )


def text_and_label(options: Options) -> tuple[list[str], str]:
    """Return the names of the columns of texts and of the labels."""
    texts = ["text"] if options.text is None else [str(name) for name in options.text]
    return texts, "label" if options.label is None else str(options.label)


def in_parts(rows: Iterable[tuple[str, str]]) -> Iterator[Part]:
    """Yield texts and their labels in parts of bounded size; those before an error come first."""
    texts, labels, n_bytes = list[str](), list[str](), 0
    try:
        for text, label in rows:
            texts.append(text)
            labels.append(label)
            n_bytes += len(text) + _ROW_BYTES
            if n_bytes >= BLOCK_BYTES:
                yield texts, labels
                texts, labels, n_bytes = [], [], 0
    except ValueError:
        if texts:
            yield texts, labels
        raise
    if texts:
        yield texts, labels


def coded(labels: Iterable[str]) -> tuple[NDArray[np.int32], list[str]]:
    """Return the code of each label, and what the codes mean."""
    known: dict[str, int] = {}
    codes = [known.setdefault(label, len(known)) for label in labels]
    return np.array(codes, dtype=np.int32), list(known)


def _as_texts(texts: Any) -> _core.Texts:
    if isinstance(texts, _core.Texts):
        return texts
    return _core.Texts.of_strings(texts) if isinstance(texts, list) else _core.Texts.of_arrow(texts)
