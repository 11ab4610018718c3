"""Texts with their labels, whatever files they come from, a block at a time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from io import BufferedIOBase
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._util.tabular import object_array
from termsift.io._opening import check_encoding, opened_text
from termsift.io._source import TEXT_OPTIONS, Source

BLOCK_BYTES = 1 << 22  # of text that is read at once
_COUNTED_BYTES = 1 << 26  # of a table that is counted between two reports of the progress


@dataclass(frozen=True)
class TextBlock:
    """Texts that were read together; ``labels[codes[i]]`` is the label of text i."""

    texts: _core.Texts
    codes: NDArray[np.int32]
    labels: Sequence[str]
    n_bytes: int

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

    @property
    def columns(self) -> tuple[list[str], str]:
        """The names of the columns of texts and of the labels."""
        text, label = self.options.text, self.options.label
        texts = ["text"] if text is None else [str(name) for name in text]
        return texts, "label" if label is None else str(label)


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
        codec, nothing = check_encoding(self.options.encoding), _core.Texts.of_strings([])
        options = {
            "skip": self.options.skip,
            "encoding": "UTF-8" if codec == "utf-8-sig" else self.options.encoding.upper(),
            "labels": [] if how is None else how.labels,
            "block_bytes": BLOCK_BYTES if how is None else BLOCK_BYTES // 4,
        }
        with opened_text(self.path, self.options.encoding) as (content, raw):
            table, labels = self.opened(content, options), list[str]()
            while not table.is_done:
                texts, codes = nothing, np.empty(0, np.int32)
                if how is not None:
                    how.add(table, _COUNTED_BYTES)
                elif block := table.read():
                    texts, codes = block
                    labels += table.labels(len(labels))
                self.skipped.n, self.skipped.complaints = table.n_skipped, table.skipped
                yield TextBlock(texts, codes, labels, raw.tell())
                del texts, codes  # before the next ones are read
                block = None


def coded(labels: Iterable[str]) -> tuple[NDArray[np.int32], list[str]]:
    """Return the code of each label, and what the codes mean."""
    code_of: dict[str, int] = {}
    codes = [code_of.setdefault(label, len(code_of)) for label in labels]
    return np.array(codes, dtype=np.int32), list(code_of)
