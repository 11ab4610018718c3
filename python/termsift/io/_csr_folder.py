"""Folders of arrays: a matrix in CSR form and its labels, of any size, read a part at a time.

=================  =============================================================================
file               content
=================  =============================================================================
``indptr.npy``     int32 or int64, shape (n_docs + 1,): where each document's entries begin
``indices.npy``    int32 or int64, shape (n_entries,): the term of each entry, from 0
``data.npy``       boolean, integer or float, shape (n_entries,): how often it occurs
``y.npy``          shape (n_docs,): the labels; or, where ``csr.json`` lists classes, as for any
                   but integers, the positions of the labels in that list
``y_indptr.npy``   where documents have several classes: those of document d are ``y`` from
                   ``y_indptr[d]`` to ``y_indptr[d + 1]``
``terms.txt``      optional: the names of the terms, one a line
``csr.json``       optional: ``{"n_terms": 1000, "classes": ["ham", "spam"]}``; without it there
                   are as many terms as ``terms.txt`` names, or as the largest index asks for
=================  =============================================================================

`save_csr` writes them, and so does ``numpy.save``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from termsift._counts.file import decode_label, encode_label
from termsift._util import validation
from termsift._util.files import check_path, new_folder
from termsift._util.printable import printable_errors

_MATRIX = ("indptr", "indices", "data")


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
        The folder, which must not exist. It appears once it is complete.
    X, y, classes
        As for `termsift.count`.
    term_names : sequence of str, optional
        A name for each term; none empty, with a line break, or of what UTF-8 does not have.

    Raises
    ------
    FileExistsError
        If there is something at ``path``.
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
            if not name or name.splitlines() != [name] or not _is_utf8(name):
                raise ValueError(
                    f"the name of term {term} is {name!r}, expected a line of text that UTF-8 has"
                )
        texts["terms.txt"] = "".join(f"{name}\n" for name in names)
    with new_folder(target) as folder:
        for name, array in arrays.items():
            with open(folder / f"{name}.npy", "wb") as file:
                np.save(file, array, allow_pickle=False)
                _to_disk(file)
        for name, text in texts.items():
            with open(folder / name, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                _to_disk(file)


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return False
    return True


def _to_disk(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())


class _Array:
    """A vector in a .npy file, of which parts are mapped one at a time.

    A map of the whole would stay resident as it is read: each part is a map of its own, which goes
    with the part.
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
        except Exception as error:  # whatever a forged header provokes
            raise ValueError(f"{path}: expected an array saved by numpy.save: {error}") from None
        if whole.ndim != 1 or whole.dtype.kind not in kinds:
            raise ValueError(
                f"{path}: expected a vector of dtype kind {' or '.join(kinds)}, found "
                f"{whole.dtype} of shape {whole.shape}"
            )
        self.path, self.dtype, self.size = path, whole.dtype, len(whole)
        self._begin = getattr(whole, "offset", 0)  # an empty array is not mapped

    def part(self, begin: int, end: int) -> NDArray[Any]:
        """Map some of the values."""
        if begin == end:
            return np.empty(0, self.dtype)
        # To use a part of a map that the file no longer reaches would end the process. What changes
        # after this check cannot be refused: see SECURITY.md.
        if _state(self.path) != self._state:
            raise ValueError(
                f"{self.path}: the file has changed since it was opened; scan the folder again "
                "once no other program writes to it"
            )
        offset = self._begin + begin * self.dtype.itemsize
        return np.memmap(self.path, self.dtype, "r", offset, (end - begin,)).view(np.ndarray)


def _state(path: Path) -> tuple[int, int, int]:
    """Return what differs once a file has been changed or replaced."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns, status.st_ino


def is_csr_folder(path: Path) -> bool:
    """Whether a folder is one of arrays, and not of class folders."""
    return (path / "indptr.npy").exists()


class CsrFolder:
    """A folder of arrays, as `save_csr` writes it; the arrays' sizes are checked at once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._indptr = _Array(path / "indptr.npy", "i")
        self._indices = _Array(path / "indices.npy", "i")
        self._data = _Array(path / "data.npy", "biuf")
        self._y = _Array(path / "y.npy", "biufUS")
        ends = path / "y_indptr.npy"
        self._y_indptr = _Array(ends, "i") if ends.exists() else None
        self.n_docs = self._indptr.size - 1
        n_entries = self._indices.size
        if self.n_docs < 0 or self._data.size != n_entries:
            raise ValueError(
                f"{path}: {self._data.size} values in data.npy for {n_entries} indices in "
                f"indices.npy and {self._indptr.size} offsets in indptr.npy"
            )
        _check_ends(self._indptr, n_entries)
        per_doc = self._y if self._y_indptr is None else self._y_indptr
        if per_doc.size - (per_doc is not self._y) != self.n_docs:
            raise ValueError(
                f"{per_doc.path}: {per_doc.size} values for the {self.n_docs} documents"
            )
        if self._y_indptr is not None:
            _check_ends(self._y_indptr, self._y.size)
        self.n_terms, self._classes = self._about()
        if self._classes is None and self._y_indptr is not None:
            raise ValueError(f"{ends}: expected csr.json beside it to list the classes")
        if self._classes is not None and self._y.dtype.kind not in "iu":
            raise ValueError(f"{self._y.path}: expected positions of the classes in csr.json")

    def _about(self) -> tuple[int | None, list[Hashable] | None]:
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

    @property
    def files(self) -> list[Path]:
        """What is read of the folder; others' files may lie beside it."""
        arrays = ("indptr", "indices", "data", "y", "y_indptr")
        names = [*(f"{name}.npy" for name in arrays), "csr.json", "terms.txt"]
        return [path for path in (self.path / name for name in names) if path.exists()]

    @property
    def terms_path(self) -> Path | None:
        """The file of the names of the terms, if there is one."""
        path = self.path / "terms.txt"
        return path if path.exists() else None

    def end_of(self, begin: int, n_bytes: int) -> int:
        """Find the end of the documents whose entries fill so much, from ``begin`` on."""
        entry_bytes = self._indices.dtype.itemsize + self._data.dtype.itemsize
        limit = int(self._indptr.part(begin, begin + 1)[0]) + n_bytes // entry_bytes
        low, high = begin + 1, self.n_docs
        while low < high:  # a step reads one offset, where a search of the whole would map it all
            middle = (low + high + 1) // 2
            if self._indptr.part(middle, middle + 1)[0] <= limit:
                low = middle
            else:
                high = middle - 1
        return low

    def matrix(self, begin: int, end: int, n_terms: int | None) -> Any:
        """Give the documents from ``begin`` to ``end`` as a CSR array on the files' own memory."""
        indptr = _offsets(self._indptr, begin, end, self._indices.size)
        first, last = int(indptr[0]), int(indptr[-1])
        indices, data = self._indices.part(first, last), self._data.part(first, last)
        if n_terms is None:
            n_terms = int(indices.max()) + 1 if len(indices) else 0
        return sp.csr_array((data, indices, indptr - first), shape=(end - begin, n_terms))

    def labels(self, begin: int, end: int) -> tuple[Any, list[Hashable] | None]:
        """Give labels, or an indicator matrix and the classes of its columns."""
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
        return sp.csr_array((ones, codes, ends - first), shape=shape), self._classes


def _offsets(array: _Array, begin: int, end: int, n: int) -> NDArray[Any]:
    """Return the offsets of some documents, which lead to ``n`` values."""
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
