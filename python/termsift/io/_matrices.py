"""Read matrices and their labels: svmlight and Matrix Market files, and .npz files of scipy."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Generator, Hashable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._util import scipy
from termsift._util.faults import Message, carrying, concerning, said, wrong_value
from termsift._util.files import existing
from termsift._util.messages import levels_to_caller, logger, printable
from termsift._util.validation import (
    Csr,
    Labels,
    check_matrix,
    distinct_labels,
    naming,
    number_of,
    object_array,
    widened,
)
from termsift.io._opening import (
    NAME_ENCODING,
    check_labels,
    is_damage,
    is_of_system,
    one_per_line,
    opened,
    opened_matrix,
)
from termsift.io._source import MATRIX_BYTES, Options, Source, UnsortedError, with_arguments
from termsift.text._documents import Block, Columns, Consumer

_LONGEST_WORD = 40  # the number of characters of a label in a warning
_FROM_ZERO = said("; if indices count from 0, pass {index_base=0}")
_NOT_UTF8 = re.compile(r": expected a label,.*\\x[89a-f][0-9a-f]")  # a label with an escaped byte
_SKIPPED = "; on_error='skip' leaves it out"  # the end of the core's message about a bad line


def read_names(path: str | os.PathLike[str], *, encoding: str = "utf-8") -> NDArray[np.object_]:
    r"""Read names of terms, one per line.

    Parameters
    ----------
    path : path
        A text file, which may be compressed. An empty line is an error.
    encoding : str, default "utf-8"
        The encoding of the file. A byte order mark of UTF-16 is obeyed in any case.

    Returns
    -------
    names : ndarray of str

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "names.txt")
    ...     _ = path.write_text("cherry\nplum\n")
    ...     list(read_names(path))
    ['cherry', 'plum']
    """
    return names_in(path, "path", encoding)


def names_in(path: str | os.PathLike[str], argument: str, encoding: str) -> NDArray[np.object_]:
    """Return the lines of a file, which is the value of an argument."""
    return object_array(one_per_line(existing(path, argument), "a term", encoding))


class MatrixFile(Source):
    """A matrix whose labels are in a second file."""

    takes = frozenset({"labels", "term_names"})

    def __init__(self, path: Path, options: Options, kind: str, labels: Path | None) -> None:
        super().__init__(path, options, kind, labels)
        if labels is None and options.has_labels:
            raise wrong_value(
                "{path}: has no labels; pass {labels=} with a file of one label per line", path=path
            )
        self._labels = None if labels is None else existing(labels, "labels")
        self.files = [file for file in (path, self._labels) if file is not None]

    def _labels_of(self, n_docs: int, n_terms: int) -> Labels:
        """Return the labels of all documents, after checking the numbers of labels and of names."""
        path, names = self.path, self.options.names
        if names is not None and len(names) != n_terms:
            n, of = number_of(len(names), "name"), number_of(n_terms, "term")
            text = f"{self.options.term_names}: {n} for the {of} of {path}"
            raise concerning(ValueError(text), "term_names")
        if self._labels is None:
            return Labels([""], np.zeros(n_docs, dtype=np.int32), None)
        labels = one_per_line(self._labels, "a label", self.options.encoding)
        check_labels(self._labels, labels, n_docs, path)
        codes, classes, _ = distinct_labels(labels)
        return Labels(classes, codes, None)


class NpzFile(MatrixFile):
    """An .npz file of scipy, which is read as a whole."""

    def blocks(self) -> Generator[Block, None, None]:
        X = _read_npz(self.path)
        if X.ndim != 2:
            raise ValueError(f"{self.path}: expected a matrix of two dimensions, found {X.ndim}")
        labels = self._labels_of(*X.shape)
        with naming(self.name):
            matrix = check_matrix(X, self.options.n_threads)
        yield Block(matrix, labels, range(matrix.n_docs), self, self.n_bytes)


def _read_npz(path: Path) -> Any:
    """Read a sparse matrix that `scipy.sparse.save_npz` wrote."""
    # numpy would not close a damaged archive
    with opened(path, is_text=False) as (file, _):
        try:
            X = scipy.sparse.load_npz(file)
        except Exception as exc:  # reading another archive may raise any exception
            if isinstance(exc, MemoryError) or is_damage(exc) or is_of_system(exc):
                raise
            expected = "a sparse matrix saved by scipy.sparse.save_npz"
            raise ValueError(f"{path}: expected {expected}") from exc
        try:
            return _as_csr(X)
        except (ValueError, TypeError, ArithmeticError, LookupError, RuntimeError) as exc:
            raise ValueError(f"{path}: {exc}") from exc


def _as_csr(X: Any) -> Any:
    """Return a sparse matrix of a file as CSR, after checking all of its arrays.

    scipy does not check them when it converts a matrix, and would write outside of its memory.
    """
    if X.ndim == 2 and hasattr(X, "indptr"):
        blocks = getattr(X, "blocksize", (1, 1))
        if not all(blocks) or any(n % block for n, block in zip(X.shape, blocks, strict=True)):
            raise ValueError(f"a matrix of shape {X.shape} has no blocks of shape {blocks}")
        if (np.diff(X.indptr) < 0).any():  # scipy looks only if the last offset is not 0
            raise ValueError("index pointer values must form a non-decreasing sequence")
        X.check_format(full_check=True)
    if X.format == "coo":
        X = widened(X)  # csr_array() adds up duplicates
    return scipy.sparse.csr_array(X) if X.ndim == 2 else X


class MarketFile(MatrixFile):
    """A Matrix Market file, which the core parses.

    A file whose entries are sorted by row is read in blocks of rows. If they are sorted by column,
    a consumer that takes columns gets blocks of columns. All other files are read as a whole.
    """

    _is_unsorted = False  # whether an entry was found out of order

    def blocks_for(
        self, consumer: Consumer | None, classes: list[Hashable], *, whole: bool, alone: bool
    ) -> Generator[Block, None, None]:
        by_column = consumer is not None and consumer.takes_columns
        # Sums of fractions depend on their order, so columns are not added to other files.
        return self.blocks(whole=whole, by_column=by_column, floats=alone)

    def blocks(
        self, *, whole: bool = False, by_column: bool = False, floats: bool = True
    ) -> Generator[Block, None, None]:
        """Yield blocks of rows or, if allowed and if the file is sorted so, of columns.

        ``floats`` is whether columns of fractions are allowed, too. If ``whole``, yield one block.
        """
        n_threads = self.options.n_threads
        with opened_matrix(self.path) as (readinto, raw):
            file = _core.MarketFile(readinto, self.name, block_bytes=MATRIX_BYTES)
            n_docs, n_terms, exact, kind = file.header()
            labels = self._labels_of(n_docs, n_terms)
            order = "none" if whole or self._is_unsorted else file.order(n_threads)
            in_columns = order == "columns" and by_column and (exact or floats)
            is_whole = order != "rows" and not in_columns
            way = "as a whole" if is_whole else f"in blocks of {order}"
            self.understood = f"Matrix Market, {kind}, {n_docs:,} x {n_terms:,}, read {way}"
            if is_whole:
                if not (whole or self._is_unsorted):  # the caller wants a whole, or was told
                    why = "symmetric" if kind.endswith("symmetric") else "not sorted by row"
                    logger.info("%s is %s: reading it as a whole", self.name, why)
                with naming(self.name):  # a sum of repeated entries may overflow
                    matrix = Csr(*file.whole(n_threads), n_docs, n_terms)
                yield Block(matrix, labels, range(n_docs), self, self.n_bytes)
                return
            while True:
                with naming(self.name):
                    part = file.read(in_columns, n_threads)
                if part is None:
                    return
                if part is False:
                    self._is_unsorted = True
                    raise UnsortedError
                arrays, first = part
                n = len(arrays[0]) - 1
                if in_columns:
                    columns = Columns(Csr(*arrays, n_docs, n, by_term=True), first, n_terms)
                    rows = range(0 if first else n_docs)
                    yield Block(columns, labels, rows, self, raw.tell())
                    del columns
                else:
                    of_rows = labels.of(slice(first, first + n))
                    matrix = Csr(*arrays, n, n_terms)
                    yield Block(matrix, of_rows, range(first, first + n), self, raw.tell())
                    del matrix
                del part, arrays  # free the block before the next block is read


def _distinct_codes(codes: _core.Int32s, n_classes: int) -> tuple[NDArray[Any], _core.Int32s]:
    """Return the distinct codes in increasing order, and the place of each code among them.

    A block lists only its own classes, because the classes so far may be many. Its time depends on
    its own documents only.
    """
    if n_classes > len(codes):
        own_codes, own = np.unique(codes, return_inverse=True)
        return own_codes, own.astype(np.int32)
    used = np.flatnonzero(np.bincount(codes, minlength=n_classes))
    place = np.zeros(n_classes, dtype=np.int32)
    place[used] = np.arange(len(used))
    return used, place[codes]


class SvmlightFile(Source):
    """An svmlight file, or a file of the extreme classification repository."""

    takes = frozenset({"term_names", "encoding"})
    why = "an svmlight file has its own labels and no texts"
    labels_are_text = False
    may_lack_columns = True
    _has_warned = False  # whether labels of two kinds were told

    def blocks(self) -> Generator[Block, None, None]:
        options, names = self.options, self.options.names
        n_names = _core.max_terms if names is None else len(names)
        self._noted, self._has_words, self._has_numbers = (0, 0), False, False
        with opened_matrix(self.path, options.encoding) as (readinto, raw):
            file = _core.SvmlightFile(
                readinto,
                self.name,
                index_base=options.index_base,
                n_terms=n_names,
                skip=options.skip,
                block_bytes=MATRIX_BYTES,
            )
            classes = list[Any]()
            while (block := self._next(file)) is not None:
                (indptr, indices, data), last, first, skipped, ends, codes = block
                n = len(indptr) - 1
                if options.has_labels:
                    classes += self._new_labels(file, len(classes))
                else:
                    classes, codes, ends = [""], np.zeros(n, dtype=np.int32), None
                self._tell(file.n_terms)
                n_terms = n_names if names is not None else max(file.n_terms, last + 1)
                rows: Any = range(first, first + n)
                if len(skipped):
                    rows = first + np.arange(n)
                    rows += np.searchsorted(skipped, np.arange(n), side="right")
                used, own = _distinct_codes(codes, len(classes))
                labels = Labels([classes[i] for i in used.tolist()], own, ends)
                matrix = Csr(indptr, indices, data, n, n_terms)
                yield Block(matrix, labels, rows, self, raw.tell())
                # Free the block before the next block is read.
                del block, matrix, indptr, indices, data, labels, codes

    def _new_labels(self, file: _core.SvmlightFile, n_known: int) -> list[Any]:
        """Return the labels after the known ones. Warn once if only some labels are numbers."""
        labels = file.labels(n_known)
        n_words = sum(isinstance(label, str) for label in labels)
        self._has_words |= n_words > 0
        self._has_numbers |= n_words < len(labels)
        if self._has_words and self._has_numbers and not self._has_warned:
            self._has_warned = True
            word, line = file.first_word()
            message = said(
                "{path}, line {line}: the label '{word}' is a word, and other labels are numbers, "
                "so all labels are read as text; if the line is no document, delete it",
                path=self.path,
                line=line,
                word=printable(word, _LONGEST_WORD),
            )
            warnings.warn(message, stacklevel=levels_to_caller())
        return labels

    def _tell(self, n_declared: int) -> None:
        """Say how the file was understood so far. ``n_declared`` is the number of terms, or -1."""
        base = 0 if n_declared >= 0 else self.options.index_base
        parts = ["svmlight", f"indices from {base}"]
        if n_declared >= 0:
            parts.append(f"{number_of(n_declared, 'term')} by line 1")
        if not self.options.has_labels:
            parts.append("labels left out")
        elif self._has_words:
            parts.append("labels are words" + " and numbers" * self._has_numbers)
        elif self._has_numbers:
            parts.append("labels are numbers")
        self.understood = ", ".join(parts)

    def _next(self, file: _core.SvmlightFile) -> Any:
        try:
            block = file.read(self.options.n_threads)
        except ValueError as error:
            message = self._with_cures(str(error))
            raise carrying(ValueError, message) if message.arguments else error from None
        n, n_told = self._noted
        told = file.skipped
        new = [self._with_cures(fault) for fault in told[n_told:]]
        self.skipped.add(new, file.n_skipped - n)
        self._noted = file.n_skipped, len(told)
        return block

    def _with_cures(self, fault: str) -> Message:
        """Return a complaint of the core with what helps against a wrong index."""
        bare = fault.removesuffix(_SKIPPED)
        cures = list[Message]()
        if ": expected an index from " in bare:
            names = self.options.names
            if self.options.index_base == 1 and ", found '0:" in bare:
                cures.append(_FROM_ZERO)
            elif names is not None:
                cures.append(said("; {term_names} has {n}", n=number_of(len(names), "name")))
        elif _NOT_UTF8.search(bare):
            cures.append(NAME_ENCODING)
        skipped = with_arguments(fault[len(bare) :])
        return Message(bare, *(part for cure in (*cures, skipped) for part in cure.parts))
