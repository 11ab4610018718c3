"""Texts with their labels, whatever files they come from, a block at a time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._util.tabular import object_array
from termsift.io._opening import check_encoding, opened_text
from termsift.io._source import COMPLAINTS_KEPT, SKIP, TEXT_OPTIONS, Block, Options, Source

BLOCK_BYTES = 1 << 22  # of text that is read at once
_COUNTED_BYTES = 1 << 26  # of a table that is counted between two reports of the progress


@dataclass(frozen=True, kw_only=True)
class TextBlock(Block):
    """Texts that were read together; ``labels[codes[i]]`` is the label of text i."""

    texts: _core.Texts
    codes: NDArray[np.int32]
    labels: Sequence[str]

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def y(self) -> NDArray[np.object_]:
        """The label of each text."""
        return object_array(list(self.labels))[self.codes]


class TextSource(Source):
    """An input of texts with their labels."""

    has_texts = True
    takes = TEXT_OPTIONS | {"text", "label"}
    why = "texts have their own labels and terms"

    def __init__(self, path: Path, labels: Path | None, options: Options) -> None:
        super().__init__(path, labels, options)
        self._n_skipped, self._complaints = 0, list[str]()  # since the last block

    def complain(self, complaint: str) -> None:
        """Raise what is wrong with a row or document, or note that it is left out."""
        if not self.options.skip:
            raise ValueError(f"{complaint}; {SKIP}")
        self._n_skipped += 1
        if len(self._complaints) < COMPLAINTS_KEPT:
            self._complaints.append(complaint)

    def block(
        self, n_bytes: int, texts: _core.Texts | None, codes: Any = (), labels: Sequence[str] = ()
    ) -> TextBlock:
        """Return a block of texts, with what has been left out since the last one."""
        block = TextBlock(
            n_bytes,
            self._n_skipped,
            self._complaints,
            texts=_core.Texts.of_strings([]) if texts is None else texts,
            codes=np.asarray(codes, dtype=np.int32),
            labels=labels,
        )
        self._n_skipped, self._complaints = 0, []
        return block


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
                texts, codes = None, np.empty(0, np.int32)
                if how is not None:
                    how.add(table, _COUNTED_BYTES)
                elif block := table.read():
                    texts, codes = block
                    labels += table.labels(len(labels))
                self._n_skipped, n_skipped = table.n_skipped - n_skipped, table.n_skipped
                self._complaints = table.skipped[n_told:]
                n_told += len(self._complaints)
                yield self.block(raw.tell(), texts, codes, labels)
                texts = block = None  # before the next one is read


def text_and_label(options: Options) -> tuple[list[str], str]:
    """Return the names of the columns of texts and of the labels."""
    texts = ["text"] if options.text is None else [str(name) for name in options.text]
    return texts, "label" if options.label is None else str(options.label)


def coded(labels: Iterable[str]) -> tuple[NDArray[np.int32], list[str]]:
    """Return the code of each label, and what the codes mean."""
    known: dict[str, int] = {}
    codes = [known.setdefault(label, len(known)) for label in labels]
    return np.array(codes, dtype=np.int32), list(known)
