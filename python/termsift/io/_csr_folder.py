"""Folders of arrays: a CSR matrix and its labels, of any size, read a part at a time.

=================  =============================================================================
file               content
=================  =============================================================================
``indptr.npy``     int32 or int64, shape (n_docs + 1,): where the entries of each document begin
``indices.npy``    int32 or int64, shape (n_entries,): the term of each entry, from 0
``data.npy``       boolean, integer or float, shape (n_entries,): how often it occurs
``y.npy``          shape (n_docs,): the labels; or, if ``csr.json`` lists classes, the positions of
                   the labels in that list
``y_indptr.npy``   optional: if documents have several classes, those of document d are ``y`` from
                   ``y_indptr[d]`` to ``y_indptr[d + 1]``
``terms.txt``      optional: the names of the terms, one per line
``csr.json``       optional: ``{"n_terms": 1000, "classes": ["ham", "spam"]}``; without it,
                   ``terms.txt`` or else the largest index tells how many terms there are
=================  =============================================================================

`save_csr` writes such folders, and ``numpy.save`` can write their arrays.
"""

from __future__ import annotations

import json
import os
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termsift._util import scipy, validation
from termsift._util.files import check_path, new_folder
from termsift._util.labels import decode_label, encode_label
from termsift._util.printable import printable_errors
from termsift.io._labels import read_names
from termsift.io._source import MatrixBlock, MatrixBlocks, Options, Source, docs_in_chunk

_MATRIX = ("indptr", "indices", "data")
_FILES = (*(f"{name}.npy" for name in (*_MATRIX, "y", "y_indptr")), "csr.json", "terms.txt")


@printable_errors()
def save_csr(
    path: str | os.PathLike[str],
    X: Any,
    y: Any,
    *,
    term_names: Iterable[str] | None = None,
    classes: Iterable[Hashable] | None = None,
) -> None:
    """Write a collection as a folder of arrays, which `termsift.scan` reads a part at a time.

    Parameters
    ----------
    path : path
        The folder, which must not exist yet. It appears once it is complete.
    X, y, classes
        As for `termsift.count`.
    term_names : sequence of str, optional
        A name for each term. None may be empty or contain a line break or a lone surrogate.

    Raises
    ------
    FileExistsError
        If ``path`` exists.
    ValueError, TypeError
        As for `termsift.count`, and for labels that are not bool, int, float, str, bytes or tuples
        of these.

    Examples
    --------
    >>> import tempfile, numpy as np, termsift as ts
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ts.save_csr(f"{folder}/train", np.array([[2, 1], [0, 3]]), ["ham", "spam"])
    ...     counts = ts.count(ts.scan(f"{folder}/train"))
    >>> counts.classes, counts.class_tokens
    (['ham', 'spam'], array([3, 3]))
    """
    check_path(path)
    target = Path(path)
    if os.path.lexists(target):
        raise FileExistsError(f"{target}: exists already, expected the name of a new folder")
    matrix = validation.check_matrix(X, 0)
    validation.check_entries(matrix, 0, "X")
    labels = validation.check_labels(y, matrix.n_docs, classes)
    names = validation.check_term_names(term_names, matrix.n_terms)
    arrays = {name: getattr(matrix, name) for name in _MATRIX} | {"y": labels.codes}
    about: dict[str, Any] = {"n_terms": matrix.n_terms}
    if labels.indptr is not None:
        arrays["y_indptr"] = labels.indptr
    elif all(type(label) is int and abs(label) < 2**63 for label in labels.classes):
        arrays["y"] = np.array(labels.classes, dtype=np.int64)[labels.codes]
    if arrays["y"] is labels.codes:
        about["classes"] = [encode_label(label) for label in labels.classes]
    texts = {"csr.json": json.dumps(about) + "\n"}
    if names is not None:
        for term, name in enumerate(names):
            is_utf8 = name.encode(errors="ignore").decode() == name  # no lone surrogate
            if name.splitlines() != [name] or not is_utf8:
                raise ValueError(
                    f"the name of term {term} is {name!r}, expected a line of text that UTF-8 has"
                )
        texts["terms.txt"] = "".join(f"{name}\n" for name in names)
    with new_folder(target) as folder:
        for name, content in {**arrays, **texts}.items():
            is_text = isinstance(content, str)
            with open(folder / (name if is_text else f"{name}.npy"), "wb") as file:
                if is_text:
                    file.write(content.encode())
                else:
                    np.save(file, content, allow_pickle=False)
                file.flush()
                os.fsync(file.fileno())


class _Array:
    """A vector in a .npy file, mapped a part at a time.

    A map of the whole file would stay in memory once it has been read. Each part is a map of its
    own, which is freed with the part.
    """

    def __init__(self, path: Path, kinds: str) -> None:
        try:
            self._state = _state(path)
        except FileNotFoundError:
            raise FileNotFoundError(
                f"{path.parent}: expected a folder of arrays, found no {path.name}"
            ) from None
        try:
            whole = np.load(path, mmap_mode="r", allow_pickle=False)
        except OSError:
            raise
        except Exception as error:  # a forged header may raise anything
            raise ValueError(f"{path}: expected an array saved by numpy.save: {error}") from None
        if whole.ndim != 1 or whole.dtype.kind not in kinds:
            raise ValueError(
                f"{path}: expected a vector of dtype kind {' or '.join(kinds)}, found "
                f"{whole.dtype} of shape {whole.shape}"
            )
        self.path, self.dtype, self.size = path, whole.dtype, len(whole)
        self._begin = getattr(whole, "offset", 0)  # an empty array has none

    def part(self, begin: int, end: int) -> NDArray[Any]:
        """Map some of the values."""
        if begin == end:
            return np.empty(0, self.dtype)
        # Reading a map beyond the end of its file would kill the process. A file that is cut short
        # after this check still does: see SECURITY.md.
        if _state(self.path) != self._state:
            raise ValueError(
                f"{self.path}: the file has changed since it was opened; scan the folder again "
                "once no other program writes to it"
            )
        offset = self._begin + begin * self.dtype.itemsize
        return np.memmap(self.path, self.dtype, "r", offset, (end - begin,)).view(np.ndarray)


def _state(path: Path) -> tuple[int, int, int]:
    """Return what tells whether a file has been changed or replaced."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns, status.st_ino


def is_csr_folder(path: Path) -> bool:
    """Return whether a folder holds arrays instead of class folders."""
    return (path / "indptr.npy").exists()


class CsrFolder(Source):
    """A folder of arrays; their sizes are checked when it is opened."""

    takes = frozenset({"terms"})
    why = "a folder of arrays has its own labels, and no texts"

    def __init__(self, path: Path, labels: Path | None, options: Options) -> None:
        super().__init__(path, labels, options)
        self.files = [path / name for name in _FILES if (path / name).exists()]
        self._indptr = _Array(path / "indptr.npy", "i")
        self._indices = _Array(path / "indices.npy", "i")
        self._data = _Array(path / "data.npy", "biuf")
        self._y = _Array(path / "y.npy", "biufUS")
        ends = path / "y_indptr.npy"
        self._y_indptr = _Array(ends, "i") if ends.exists() else None
        self._n_docs = self._indptr.size - 1
        n_entries = self._indices.size
        if self._n_docs < 0 or self._data.size != n_entries:
            raise ValueError(
                f"{path}: {self._data.size} values in data.npy for {n_entries} indices in "
                f"indices.npy and {self._indptr.size} offsets in indptr.npy"
            )
        _check_ends(self._indptr, n_entries)
        per_doc = self._y if self._y_indptr is None else self._y_indptr
        if per_doc.size - (per_doc is not self._y) != self._n_docs:
            raise ValueError(
                f"{per_doc.path}: {per_doc.size} values for the {self._n_docs} documents"
            )
        if self._y_indptr is not None:
            _check_ends(self._y_indptr, self._y.size)
        self._n_terms, self._classes = self._about()
        if self._classes is None and self._y_indptr is not None:
            raise ValueError(f"{ends}: expected csr.json beside it to list the classes")
        if self._classes is not None and self._y.dtype.kind not in "iu":
            raise ValueError(f"{self._y.path}: expected positions of the classes in csr.json")
        if self.names is None and (path / "terms.txt").exists():
            self.names = read_names(path / "terms.txt")
        if self.names is not None:
            self._n_terms = len(self.names) if self._n_terms is None else self._n_terms
            if len(self.names) != self._n_terms:
                raise ValueError(f"{path}: {len(self.names)} names for its {self._n_terms} terms")

    def _about(self) -> tuple[int | None, list[Hashable] | None]:
        """Return the number of terms and the classes that csr.json holds."""
        path = self.path / "csr.json"
        if not path.exists():
            return None, None
        try:
            about = json.loads(path.read_text("utf-8"))
            n_terms, classes = about.get("n_terms"), about.get("classes")
            if n_terms is not None and (type(n_terms) is not int or n_terms < 0):
                raise ValueError(f"{n_terms!r} terms")
            if classes is not None:
                classes = validation.check_classes([decode_label(label) for label in classes])
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"{path}: expected what termsift.save_csr writes: {error}") from None
        return n_terms, classes

    def blocks(self) -> MatrixBlocks:
        """Map one part of the documents after another."""
        begin, n_bytes = 0, self.n_bytes
        entry_bytes = self._indices.dtype.itemsize + self._data.dtype.itemsize
        while begin < self._n_docs:
            indptr = self._indptr.part(begin, self._n_docs + 1)  # a bisection reads few pages
            end = begin + docs_in_chunk(indptr, entry_bytes, self.options.chunk_docs)
            X = self._matrix(begin, end)
            y, classes = self._labels(begin, end)
            yield MatrixBlock(n_bytes * end // self._n_docs, X=X, y=y, classes=classes)
            del X, y, indptr
            begin = end

    def _matrix(self, begin: int, end: int) -> Any:
        """Return documents as a CSR array on the memory of the files."""
        indptr = _offsets(self._indptr, begin, end, self._indices.size)
        first, last = int(indptr[0]), int(indptr[-1])
        indices, data = self._indices.part(first, last), self._data.part(first, last)
        n_terms = self._n_terms
        if n_terms is None:
            n_terms = int(indices.max(initial=-1)) + 1
        return scipy.sparse.csr_array((data, indices, indptr - first), shape=(end - begin, n_terms))

    def _labels(self, begin: int, end: int) -> tuple[Any, list[Hashable] | None]:
        """Return the labels of documents, or their indicator matrix and its classes."""
        if self._classes is None:
            return self._y.part(begin, end), None
        ends = None
        if self._y_indptr is not None:
            ends = _offsets(self._y_indptr, begin, end, self._y.size)
        first, last = (begin, end) if ends is None else (int(ends[0]), int(ends[-1]))
        codes = self._y.part(first, last)
        wrong = np.flatnonzero((codes < 0) | (codes >= len(self._classes)))
        if len(wrong):
            raise ValueError(
                f"{self._y.path}: has {codes[wrong[0]]} at {first + int(wrong[0])}, expected a "
                f"position of the {len(self._classes)} classes in csr.json"
            )
        if ends is None:
            classes = np.empty(len(self._classes), dtype=object)
            classes[:] = self._classes
            return classes[codes], None
        ones = np.ones(len(codes), dtype=np.int8)
        shape = end - begin, len(self._classes)
        return scipy.sparse.csr_array((ones, codes, ends - first), shape=shape), self._classes


def _offsets(array: _Array, begin: int, end: int, n: int) -> NDArray[Any]:
    """Return the offsets of documents, checked to lie in an array of ``n`` values."""
    offsets = array.part(begin, end + 1)
    decrease = np.flatnonzero(offsets[1:] < offsets[:-1])
    if len(decrease) or not 0 <= offsets[0] <= offsets[-1] <= n:
        at = int(decrease[0]) if len(decrease) else 0
        raise ValueError(
            f"{array.path}: has {offsets[at + 1]} after {offsets[at]} at document {begin + at}, "
            f"expected offsets from 0 to {n} that do not decrease"
        )
    return offsets


def _check_ends(offsets: _Array, n: int) -> None:
    first, last = (int(offsets.part(at, at + 1)[0]) for at in (0, offsets.size - 1))
    if first != 0 or last != n:
        raise ValueError(f"{offsets.path}: from {first} to {last}, expected offsets from 0 to {n}")
