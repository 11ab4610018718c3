"""Read matrices and their labels from .npz files of scipy, Matrix Market and svmlight files.

Each line of an svmlight file is a document: ``label[,label...] [qid:number] index:count ...``.
Blank lines, and comments after ``#``, are ignored. Indices must increase within a line. The lines
are parsed by scikit-learn.
"""

from __future__ import annotations

import codecs
import os
import re
import warnings
from collections.abc import Generator, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._util import scipy
from termsift._util.export import integers_if_whole
from termsift._util.extras import require
from termsift._util.faults import concerning, said, wrong_value
from termsift._util.files import existing
from termsift._util.validation import (
    Labels,
    check_matrix,
    distinct_labels,
    naming,
    number_of,
    object_array,
    widened,
)
from termsift.io._opening import is_damage, one_per_line, opened
from termsift.io._source import BLOCK_BYTES, Options, Source
from termsift.text._documents import Block

_EXACT = 2**53  # Every whole number below this number is exact in a double.
_WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")  # At most 18 digits, no leading zeros.

# The parts of Matrix Market files. The quantifiers that end with + never try a shorter match.
_MARKET_HEAD = re.compile(
    rb"%%MatrixMarket[ \t]++matrix[ \t]++(coordinate|array)[ \t]++"
    rb"(integer|unsigned-integer|real|double|pattern)[ \t]++"
    rb"(?:general|symmetric|skew-symmetric|hermitian)[ \t]*+\r?+\n"
    rb"(?:[ \t]*+(?:%[^\n]*+)?\r?+\n)*+"
    rb"[ \t]*+\d++[ \t]++\d++(?:[ \t]++\d++)?+[ \t]*+\r?+\n",
    re.IGNORECASE,
)
_WHOLE = rb"-?+\d++"
_REAL = rb"[+-]?+(?:(?:\d++\.?+\d*+|\.\d++)(?:e[+-]?+\d++)?+|nan|inf(?:inity)?+)"


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


def integers_if_all_whole(labels: Sequence[Any]) -> NDArray[Any]:
    """Return text labels as integers if all are whole numbers, else unchanged."""
    if all(map(_WHOLE_NUMBER.fullmatch, labels)):
        return np.array([int(label) for label in labels], dtype=np.int64)
    return object_array(labels)


class MatrixFile(Source):
    """An .npz or .mtx file, which is read as a whole. A second file holds the labels."""

    takes = frozenset({"labels", "term_names"})

    def __init__(self, path: Path, options: Options, kind: str, labels: Path | None) -> None:
        super().__init__(path, options, kind, labels)
        if labels is None and options.has_labels:
            raise wrong_value(
                "{path}: has no labels; pass {labels=} with a file of one label per line", path=path
            )
        self._labels = None if labels is None else existing(labels, "labels")
        self.files = [file for file in (path, self._labels) if file is not None]

    def blocks(self) -> Generator[Block, None, None]:
        path, names = self.path, self.options.names
        X = _read_npz(path) if self.kind == ".npz" else _read_matrix_market(path)
        if X.ndim != 2:
            raise ValueError(f"{path}: expected a matrix of two dimensions, found {X.ndim}")
        n_docs, n_terms = X.shape
        labels = [""] * n_docs
        if self._labels is not None:
            labels = one_per_line(self._labels, "a label", self.options.encoding)
        if len(labels) != n_docs:
            n, of = number_of(len(labels), "label"), number_of(n_docs, "document")
            text = f"{self._labels}: {n} for the {of} of {path}"
            raise concerning(ValueError(text), "labels")
        if names is not None and len(names) != n_terms:
            n, of = number_of(len(names), "name"), number_of(n_terms, "term")
            text = f"{self.options.term_names}: {n} for the {of} of {path}"
            raise concerning(ValueError(text), "term_names")
        codes, classes, _ = distinct_labels(labels)
        with naming(self.name):
            matrix = check_matrix(X, self.options.n_threads)
        yield Block(matrix, Labels(classes, codes, None), range(n_docs), self, self.n_bytes)


def _read_npz(path: Path) -> Any:
    """Read a sparse matrix that `scipy.sparse.save_npz` wrote."""
    # numpy would not close a damaged archive
    with opened(path, is_text=False) as (file, _):
        try:
            X = scipy.sparse.load_npz(file)
        except Exception as exc:  # reading another archive may raise any exception
            if isinstance(exc, MemoryError) or is_damage(exc):
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


def _read_matrix_market(path: Path) -> Any:
    """Read a Matrix Market file, after checking each line.

    scipy drops the end of a line that it does not expect, and reads outside of its memory if the
    file ends there.
    """
    from scipy.io import mmread

    with opened(path) as (file, _), warnings.catch_warnings():
        # Ignore the warning of scipy 1.18 that `mmread` will return another class of matrix.
        warnings.simplefilter("ignore", DeprecationWarning)
        data = file.read()
        data += b"" if data.endswith(b"\n") else b"\n"
        _check_lines(path, data)
        try:
            X = mmread(BytesIO(data))
            return scipy.sparse.csr_array(X if isinstance(X, np.ndarray) else widened(X))
        except (ValueError, OverflowError) as exc:  # for example, if a row index is out of bounds
            raise ValueError(f"{path}: {exc}") from None


def _check_lines(path: Path, data: bytes) -> None:
    """Check the form of each line of a Matrix Market file that ends with a line break."""
    head = _MARKET_HEAD.match(data)
    if head is None:
        raise ValueError(
            f"{path}: expected '%%MatrixMarket matrix coordinate integer general' or the like, a "
            f"line of sizes, and whole or real numbers; found {data[:80]!r}"
        )
    kind, field = head[1].lower().decode(), head[2].lower().decode()
    value = {"integer": _WHOLE, "unsigned-integer": _WHOLE, "pattern": b""}.get(field, _REAL)
    entry = value if kind == "array" else rb"\d++[ \t]++\d++" + (value and rb"[ \t]++" + value)
    n_blanks = 0
    if kind == "coordinate":  # a row, a column and, unless the field is pattern, a value
        n_blanks = 1 if field == "pattern" else 2
    if value != _REAL and _is_plain(data[head.end() :], n_blanks):
        return
    form = rb"(?:[ \t]*+(?:" + entry + rb"[ \t]*+)?\r?+\n)*+"
    end = cast("re.Match[bytes]", re.compile(form, re.IGNORECASE).match(data, head.end())).end()
    if end < len(data):
        line, found = data.count(b"\n", 0, end) + 1, data[end : data.index(b"\n", end)]
        expected = f"a number of the kind {field!r}" if value else "nothing more"
        place = "" if kind == "array" else "the numbers of a row and a column, and "
        raise ValueError(f"{path}, line {line}: expected {place}{expected}, found {found[:80]!r}")


def _is_plain(text: bytes, n_blanks: int) -> bool:
    """Return whether all lines consist of whole numbers with single blanks between them.

    Most files do, and this check takes less than a third of the time of the regular expression.
    """
    marks = np.frombuffer(text, np.uint8)
    between = marks < ord("0")
    if (marks > ord("9")).any() or between[:1].any() or (between[1:] & between[:-1]).any():
        return False
    marks = marks[between]
    lines = np.frombuffer(b" " * n_blanks + b"\n", np.uint8)
    return len(marks) % len(lines) == 0 and bool((marks.reshape(-1, len(lines)) == lines).all())


class SvmlightFile(Source):
    """An svmlight file, which scikit-learn parses in blocks of lines."""

    takes = frozenset({"term_names"})
    why = "an svmlight file has its own labels and no texts"
    labels_are_text = False

    def __init__(self, path: Path, options: Options, kind: str, labels: Path | None) -> None:
        super().__init__(path, options, kind, labels)
        datasets = require("sklearn.datasets", "sklearn", f"{path}: reading it")
        self._load = datasets.load_svmlight_file
        self._n_terms = _core.max_terms if options.names is None else len(options.names)

    def blocks(self) -> Generator[Block, None, None]:
        first_line, row = 1, 0
        with opened(self.path) as (content, raw):
            while lines := content.readlines(BLOCK_BYTES):
                if first_line == 1:
                    lines[0] = lines[0].removeprefix(codecs.BOM_UTF8)
                for X, labels, n_labels in self._parsed(lines, first_line):
                    if X is not None:
                        matrix = check_matrix(X, self.options.n_threads)
                        rows = range(row, row + len(n_labels))
                        yield Block(matrix, _labels(labels, n_labels), rows, self, raw.tell())
                        del matrix
                    row += len(n_labels)
                    del X  # free the block before the next block is parsed
                first_line += len(lines)

    def _parsed(self, lines: list[bytes], first_line: int) -> Iterator[tuple[Any, Any, Any]]:
        """Parse lines. After an error, halve the lines until the line with the error is found.

        A line that is skipped is yielded as a document without a matrix.
        """
        try:
            yield self._checked(b"".join(lines))
        except (ValueError, OverflowError) as error:
            if len(lines) > 1:
                half = len(lines) // 2
                yield from self._parsed(lines[:half], first_line)
                yield from self._parsed(lines[half:], first_line + half)
                return
            base, n_terms = self.options.index_base, self._n_terms
            of_names = said(" ({term_names} has {names})", names=number_of(n_terms, "name"))
            self.complain(
                said(
                    "{path}, line {line}: expected a label and index:count, with rising indices "
                    "from {first} to {last}{of_names}{of_base}: {error}",
                    path=self.path,
                    line=first_line,
                    first=base,
                    last=base + n_terms - 1,
                    of_names="" if self.options.names is None else of_names,
                    of_base=said(" (from 0 with {index_base=0})") if base == 1 else "",
                    error=error,
                )
            )
            yield None, None, [0]

    def _checked(self, text: bytes) -> tuple[Any, NDArray[Any], NDArray[np.int64]]:
        """Return the matrix of the lines, the labels, and the number of labels of each line."""
        one_based = self.options.index_base == 1
        X, labels_of = self._load(BytesIO(text), multilabel=True, zero_based=not one_based)
        n_labels = np.array([len(labels) for labels in labels_of], dtype=np.int64)
        if not n_labels.all():
            raise ValueError("a document has no label")
        labels = np.array([label for labels in labels_of for label in labels], dtype=np.float64)
        if wrong := labels[~(np.abs(labels) < _EXACT)].tolist():
            raise ValueError(f"label {wrong[0]:g}, expected a number below 2^53")
        if wrong := X.data[~((X.data >= 0) & (X.data < _EXACT))].tolist():
            raise ValueError(f"count {wrong[0]:g}, expected a number from 0 to 2^53")
        width = int(X.indices.max(initial=-1)) + 1
        if width > self._n_terms:
            raise ValueError(f"index {width - 1 + one_based}")
        width = width if self.options.names is None else self._n_terms
        parts = integers_if_whole(X.data), X.indices.astype(np.int32), X.indptr
        X = scipy.sparse.csr_array(parts, shape=(len(n_labels), width))
        return X, integers_if_whole(labels), n_labels


def _labels(labels: NDArray[Any], n_labels: NDArray[np.int64]) -> Labels:
    """Return labels as classes and codes. Document d has ``n_labels[d]`` of the labels."""
    classes, codes = np.unique(labels, return_inverse=True)
    if (n_labels == 1).all():
        return Labels(classes.tolist(), codes.astype(np.int32), None)
    rows = np.repeat(np.arange(len(n_labels)), n_labels)
    # A document may repeat a label, but is in each class once.
    of_document = np.unique(np.stack([rows, codes.ravel()]), axis=1)
    indptr = np.append(0, np.cumsum(np.bincount(of_document[0], minlength=len(n_labels))))
    return Labels(classes.tolist(), of_document[1].astype(np.int32), indptr.astype(np.int64))
