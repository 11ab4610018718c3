"""Reading a labelled collection whole: the blocks of one input, stacked."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._util import scipy
from termsift._util.printable import printable_errors
from termsift._util.progress import progress
from termsift._util.tabular import object_array
from termsift._util.validation import warn_of_swapped_columns
from termsift.io._class_folder import ClassFolder
from termsift.io._kinds import open_source
from termsift.io._labels import indicator_of, integers_if_all_whole
from termsift.io._scan import Scan
from termsift.io._source import MatrixBlock, check_options
from termsift.io._svmlight import SvmlightFile
from termsift.text._matrices import count_blocks


@dataclass(frozen=True, eq=False)
class Collection:
    """A labelled collection: what `termsift.count` needs, and where it came from.

    Attributes
    ----------
    X : csr_array of shape (n_docs, n_terms)
        Occurrences of each term in each document.
    y : ndarray of shape (n_docs,), or csr_array of shape (n_docs, n_classes)
        The label of each document, or an indicator matrix if documents may have several.
    term_names : ndarray of str of shape (n_terms,), or None
        The names of the terms, where they are known; hashed terms have none.
    source : str
        Where the collection came from, in words.
    classes : list or None
        The labels of the columns of an indicator matrix ``y``; None for plain labels.
    n_skipped : int
        How many lines, rows or documents were left out, with ``on_error="skip"``.
    skipped : list of str
        What was wrong with the first few of them.
    """

    X: scipy.sparse.csr_array
    y: NDArray[Any] | scipy.sparse.csr_array
    term_names: NDArray[np.object_] | None
    source: str
    classes: list[Any] | None = None
    n_skipped: int = 0
    skipped: list[str] = field(default_factory=list)


@printable_errors()
def read_collection(
    path: str | os.PathLike[str],
    *,
    labels: str | os.PathLike[str] | None = None,
    **reading: Any,
) -> Collection:
    r"""Read a labelled collection whole. The module's table shows the kinds of file.

    Parameters
    ----------
    path : path
        The file or folder to read.
    labels : path, optional
        The file of its labels, as for `termsift.scan`.
    **reading
        terms, text, label, delimiter, encoding, preset, index_base, on_error, n_threads and the
        rules of texts, as for `termsift.scan`. Only texts take ``min_df``.

    Returns
    -------
    collection : Collection

    Raises
    ------
    FileNotFoundError, ValueError, TypeError, MissingExtraError
        As for `termsift.scan`, and for errors in the content of the file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "fruit.csv")
    ...     _ = path.write_text("label,text\nred,cherry cherry plum\nyellow,lemon\n")
    ...     collection = read_collection(path)
    >>> collection.X.toarray()
    array([[2, 0, 1],
           [0, 1, 0]])
    >>> list(collection.term_names), list(collection.y)
    (['cherry', 'lemon', 'plum'], ['red', 'yellow'])
    """
    checked = check_options(**reading)
    scan = Scan([open_source(path, labels, checked)], checked)
    return _counted(scan) if scan.has_texts else _stacked(scan)


def read_corpora(folders: Sequence[Path], **reading: Any) -> Collection:
    """Read folders of documents, which are classes named by their paths."""
    checked = check_options(**reading)
    return _counted(Scan([ClassFolder(folders[0], None, checked, folders)], checked))


@printable_errors()
def read_split(
    train: str | os.PathLike[str],
    test: str | os.PathLike[str],
    *,
    labels: str | os.PathLike[str] | None = None,
    test_labels: str | os.PathLike[str] | None = None,
    **reading: Any,
) -> tuple[Collection, Collection]:
    r"""Read training and test documents into the same columns.

    The columns are those of ``train``; other terms of ``test`` are left out. The rules apply to the
    texts of both, and ``train`` alone decides which terms are kept. Labels are whole numbers if
    those of both files are.

    Parameters
    ----------
    train, test : path
        Both are texts, or both are matrices.
    labels, test_labels : path, optional
        The labels of each, as for `read_collection`.
    **reading
        terms, text, label, delimiter, encoding, preset, index_base, on_error, n_threads and the
        rules of texts, as for `read_collection`, for both.

    Returns
    -------
    train, test : Collection

    Raises
    ------
    FileNotFoundError, ValueError, TypeError, MissingExtraError
        As for `read_collection`, and if the files have no term or no label in common.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     train, test = Path(folder, "train.csv"), Path(folder, "test.csv")
    ...     _ = train.write_text("label,text\nred,cherry cherry plum\nyellow,lemon\n")
    ...     _ = test.write_text("label,text\nyellow,lemon lemon banana\n")
    ...     train, test = read_split(train, test)
    >>> test.X.toarray(), list(test.term_names)
    (array([[0, 2, 0]]), ['cherry', 'lemon', 'plum'])
    """
    shared = check_options(**reading)
    first, second = (
        Scan([open_source(path, of_path, shared)], shared)
        for path, of_path in ((train, labels), (test, test_labels))
    )
    if first.has_texts != second.has_texts:
        raise ValueError(f"{train} and {test}: expected texts in both, or matrices in both")
    if first.has_texts:
        known = _counted(first)
        new = _counted(second, known.term_names)
        if not new.X.nnz:
            raise ValueError(f"{test}: has no term of {train}")
        return _with_like_labels(known, new)
    known, new = _stacked(first), _stacked(second)
    n_columns = known.X.shape[1]
    if isinstance(second._sources[0], SvmlightFile):  # which need not use the last columns
        new = replace(new, X=_resized(new.X, n_columns), term_names=known.term_names)
    elif new.X.shape[1] != n_columns:
        raise ValueError(
            f"{test}: has {new.X.shape[1]} columns, expected the {n_columns} of {train}"
        )
    return _with_like_labels(known, new)


def _counted(scan: Scan, names: NDArray[np.object_] | None = None) -> Collection:
    """Count the terms of all texts of a scan, or those that have ``names``."""
    rules, labels = scan.rules, list[str]()
    if names is not None:
        rules = replace(rules, vocabulary=names)

    def texts() -> Iterator[_core.Texts]:
        for block in _all_blocks(scan):
            labels.extend(block.y)
            yield block.texts

    X, found = count_blocks(texts(), rules, scan._options.n_threads)
    scan._check_read(len(labels))
    if names is None and not X.nnz:
        raise ValueError(f"{scan._source}: no text has {rules.what_counts}")
    if names is None and scan.has_columns:
        warn_of_swapped_columns(len(set(labels)), len(labels))
    y = integers_if_all_whole(labels)
    names = found if names is None else names
    return Collection(X, y, names, scan._source, None, scan.n_skipped, scan.skipped)


def _stacked(scan: Scan) -> Collection:
    """Read all documents of a matrix."""
    blocks = [block for block in _all_blocks(scan) if len(block)]
    scan._check_read(len(blocks))
    X = blocks[0].X
    if len(blocks) > 1:
        n_terms = max(block.X.shape[1] for block in blocks)
        X = scipy.sparse.csr_array(
            scipy.sparse.vstack([_resized(block.X, n_terms) for block in blocks], format="csr")
        )
    y, classes = _stacked_labels(blocks)
    if scan._labels_are_text:
        y = integers_if_all_whole(y.tolist())
    return Collection(X, y, scan.term_names, scan._source, classes, scan.n_skipped, scan.skipped)


def _all_blocks(scan: Scan) -> Iterator[Any]:
    """Yield the blocks of a scan, and show the progress."""
    with (
        progress("read", scan.n_bytes, "bytes", already=0) as report,
        closing(scan._blocks()) as blocks,
    ):
        for block, _ in blocks:
            if block is not None:
                yield block
            if report is not None:
                report(scan.bytes_done)
            del block


def _resized(X: scipy.sparse.csr_array, n_terms: int) -> scipy.sparse.csr_array:
    """Return a matrix with more columns, or without the last ones."""
    if X.shape[1] > n_terms:
        X = X[:, :n_terms]
    return scipy.sparse.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], n_terms))


def _stacked_labels(blocks: list[MatrixBlock]) -> tuple[Any, list[Any] | None]:
    """Return the labels of all blocks, and the classes if they are an indicator matrix."""
    classes = blocks[0].classes
    if all(block.classes == classes for block in blocks):
        if classes is None:
            return np.concatenate([block.y for block in blocks]), None
        return scipy.sparse.csr_array(
            scipy.sparse.vstack([block.y for block in blocks], format="csr")
        ), classes
    several = [
        (block.y, np.ones(len(block.y), dtype=np.int64))
        if block.classes is None
        else (np.asarray(block.classes)[block.y.indices], np.diff(block.y.indptr))
        for block in blocks
    ]
    labels, n_labels = (np.concatenate(parts) for parts in zip(*several, strict=True))
    return indicator_of(labels, n_labels)


def _with_like_labels(known: Collection, new: Collection) -> tuple[Collection, Collection]:
    """Make the labels of both strings, if those of one are numbers and of the other strings."""
    y_known: Any = known.y
    y_new: Any = new.y
    if y_known.ndim != 1 or y_new.ndim != 1:  # documents have several labels
        return known, new
    if (y_known.dtype.kind in "OU") != (y_new.dtype.kind in "OU"):
        y_known, y_new = (object_array(list(map(str, y.tolist()))) for y in (y_known, y_new))
    if not set(y_known.tolist()) & set(y_new.tolist()):
        raise ValueError(f"{new.source}: has no label of {known.source}")
    return replace(known, y=y_known), replace(new, y=y_new)
