"""Texts with their labels, whatever files they come from, a block at a time.

A source yields parts of its texts as they come: lists of strings, Arrow columns or files that the
core has read. Here they become blocks of `_core.Texts`, and blocks become matrices.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from termsift import _core
from termsift.io._files import Complain
from termsift.io._labels import object_array
from termsift.io._source import COMPLAINTS_KEPT, TEXT_OPTIONS, Block, Source
from termsift.text import TextRules

BLOCK_BYTES = 1 << 23  # of text that is read at once
_ROW_BYTES = 64  # what a row takes in a list, besides its text


@dataclass(frozen=True, kw_only=True)
class TextBlock(Block):
    """Texts that were read together; ``labels[codes[i]]`` is the label of text i."""

    texts: _core.Texts
    codes: NDArray[np.int32]
    labels: list[str]

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
            raise ValueError(complaint)
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


# ---- matrices of blocks --------------------------------------------------------------------------


class GrowingMatrices:
    """Makes matrices of blocks of texts. New words of a block get the next columns, sorted."""

    def __init__(self, rules: TextRules, words: Iterable[str], n_threads: int) -> None:
        self._rules, self._n_threads = rules, n_threads
        self.columns = {word: column for column, word in enumerate(words)}

    def matrix(self, texts: _core.Texts) -> sp.csr_array:
        """Count the terms of each text."""
        if self._rules.hashing is not None:
            return hashed(self._rules, texts, self._n_threads)
        X, names = _matrix(self._rules, texts, self._n_threads)
        known = self.columns
        columns = np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int32)
        return sp.csr_array((X.data, columns[X.indices], X.indptr), shape=(len(texts), len(known)))


class WholeMatrix:
    """Makes one matrix of all blocks, in the columns of ``names`` or of the words that occur."""

    def __init__(
        self, rules: TextRules, names: NDArray[np.object_] | None, n_threads: int
    ) -> None:
        self._rules, self._names, self._n_threads = rules, names, n_threads
        self._blocks, self._n_docs = list[sp.csr_array](), 0
        native = native_rules(rules)
        self._counter = _core.TextCounter(native) if names is None else None
        self._index = None if names is None else _core.TextIndex(native, names.tolist())

    def add(self, texts: _core.Texts) -> None:
        """Add the texts of a block."""
        self._n_docs += len(texts)
        if self._rules.hashing is not None:
            self._blocks.append(hashed(self._rules, texts, self._n_threads))
        elif self._index is not None:
            assert self._names is not None
            found = self._index.matrix(texts, self._n_threads)
            self._blocks.append(_csr(found, len(texts), len(self._names)))
        else:
            assert self._counter is not None
            self._counter.add(texts, n_threads=self._n_threads)

    def finished(self) -> tuple[sp.csr_array, NDArray[np.object_] | None]:
        """Return the matrix and the names of its columns, without terms that the rules drop."""
        if self._blocks:
            X = self._blocks[0]
            if len(self._blocks) > 1:
                X = sp.csr_array(sp.vstack(self._blocks, format="csr"))
            return X, self._names
        assert self._counter is not None
        counter, threads = self._counter, self._n_threads
        counter.sort(threads)
        kept = self._rules.kept(counter.document_frequency(threads), self._n_docs)
        columns = None
        if kept is not None:
            columns = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
        names = object_array(counter.terms(columns))
        return _csr(counter.matrix(columns, threads), self._n_docs, len(names)), names


def hashed(rules: TextRules, texts: _core.Texts, n_threads: int) -> sp.csr_array:
    """Count the hashes of the terms of each text."""
    n_columns = rules.hashing
    assert n_columns is not None
    found = _core.hashed_matrix(native_rules(rules), texts, n_columns, False, n_threads)
    return _csr(found, len(texts), n_columns)


def _matrix(rules: TextRules, texts: _core.Texts, n_threads: int) -> tuple[Any, list[str]]:
    """Return the counts of some texts, and their terms, sorted."""
    counter = _core.TextCounter(native_rules(rules))
    counter.add(texts, n_threads=n_threads)
    counter.sort(n_threads)
    names = counter.terms()
    return _csr(counter.matrix(n_threads=n_threads), len(texts), len(names)), names


def _csr(parts: tuple[Any, Any, Any], n_docs: int, n_terms: int) -> sp.csr_array:
    return sp.csr_array(parts, shape=(n_docs, n_terms))
