"""Texts with their labels, whatever files they come from, a block at a time.

A source yields parts of its texts as they come: lists of strings, Arrow columns or files that the
core has read. Here they become blocks of `_core.Texts`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._util.tabular import object_array
from termsift.io._files import Complain
from termsift.io._source import COMPLAINTS_KEPT, SKIP, TEXT_OPTIONS, Block, Source

BLOCK_BYTES = 1 << 22  # of text that is read at once
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
TextBlocks: TypeAlias = Generator[TextBlock, None, None]


class Complaints:
    """What is wrong with the rows of an input: an error, or what was left out since `taken`."""

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
    """An input of texts with their labels.

    Attributes
    ----------
    bytes_read : callable
        Returns how many bytes `parts` has read; it need not work once all have been read.
    """

    has_texts = True
    takes = TEXT_OPTIONS | {"text", "label"}
    why = "texts have their own labels and terms"
    bytes_read: Callable[[], int]

    @abstractmethod
    def parts(self, complain: Complain) -> Parts:
        """Yield the good rows, some at a time, and report the others."""

    def blocks(self) -> TextBlocks:
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
            codes, none = np.empty(0, np.int32), _core.Texts.of_strings([])
            yield TextBlock(texts=none, codes=codes, labels=[], n_bytes=self.n_bytes, **rest)


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
