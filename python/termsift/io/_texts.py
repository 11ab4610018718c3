"""Texts with their labels, whatever files they come from, counted a batch at a time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator
from contextlib import closing
from typing import TypeAlias

import scipy.sparse as sp

from termsift.io._files import Complain
from termsift.io._labels import object_array
from termsift.io._source import COMPLAINTS_KEPT, TEXT_OPTIONS, Block, Blocks, Source
from termsift.text import GrowingRows, TextRules

_BATCH_ENTRIES = 1 << 21  # terms of documents; reading texts takes longer than counting them

Rows: TypeAlias = Generator[tuple[str, str], None, None]  # texts and their labels


class TextSource(Source):
    """An input of texts with their labels.

    Attributes
    ----------
    bytes_read : callable
        Returns how many bytes `rows` has read; it need not work once all have been read.
    """

    has_texts = True
    takes = TEXT_OPTIONS | {"text", "label"}
    why = "texts have their own labels and terms"
    bytes_read: Callable[[], int]

    @abstractmethod
    def rows(self, complain: Complain) -> Rows:
        """Yield every good row, and report the others."""

    def blocks(self, words: dict[str, int]) -> Blocks:
        """Count the words of the rows, batch by batch."""
        options = self.options
        n_skipped, complaints = 0, list[str]()

        def complain(complaint: str) -> None:
            nonlocal n_skipped
            if not options.skip:
                raise ValueError(complaint)
            n_skipped += 1
            if len(complaints) < COMPLAINTS_KEPT:
                complaints.append(complaint)

        batch, labels = self._batch(words), list[str]()
        with closing(self.rows(complain)) as rows:
            for text, label in rows:
                batch.add(text)
                labels.append(label)
                if batch.n_entries >= _BATCH_ENTRIES or len(labels) == options.chunk_docs:
                    X, y = batch.matrix(), object_array(labels)
                    yield Block(X, y, self.bytes_read(), None, n_skipped, complaints)
                    del X, y
                    batch, labels = self._batch(words), []
                    n_skipped, complaints = 0, []
        if labels or n_skipped:
            yield Block(
                batch.matrix(), object_array(labels), self.n_bytes, None, n_skipped, complaints
            )

    def _batch(self, words: dict[str, int]) -> _WordBatch | _HashedBatch:
        rules = self.options.rules
        if rules.hashing is None:
            return _WordBatch(rules, words, self.options.grows)
        return _HashedBatch(rules)


class _WordBatch:
    """Texts whose terms have names, counted as they come."""

    def __init__(self, rules: TextRules, words: dict[str, int], grows: bool) -> None:
        self._cut, self._rows = rules.cutter(), GrowingRows(words, grows=grows)

    @property
    def n_entries(self) -> int:
        return self._rows.n_entries

    def add(self, text: str) -> None:
        self._rows.add(self._cut(text))

    def matrix(self) -> sp.csr_array:
        return self._rows.matrix()


class _HashedBatch:
    """Texts whose terms are hashed, all at once."""

    def __init__(self, rules: TextRules) -> None:
        self._rules, self._texts = rules, list[str]()
        self.n_entries = 0  # an estimate

    def add(self, text: str) -> None:
        self._texts.append(text)
        self.n_entries += len(text) // 4

    def matrix(self) -> sp.csr_array:
        return self._rules.count(self._texts)[0]
