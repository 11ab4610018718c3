"""Reading a labelled collection whole: the blocks of one input, stacked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from termsift import _core
from termsift._util.printable import printable, printable_errors
from termsift._util.progress import progress
from termsift._util.tabular import object_array
from termsift.io._kinds import open_source
from termsift.io._labels import indicator_of, integers_if_all_whole
from termsift.io._prefetch import prefetched
from termsift.io._source import (
    COMPLAINTS_KEPT,
    Block,
    MatrixBlock,
    MatrixSource,
    Options,
    Source,
    check_options,
    left_out,
)
from termsift.io._svmlight import SvmlightFile
from termsift.io._texts import TextSource
from termsift.text._counting import count_blocks


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

    X: sp.csr_array
    y: NDArray[Any] | sp.csr_array
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
    terms: str | os.PathLike[str] | None = None,
    text: str | int | None = None,
    label: str | int | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    preset: str | None = None,
    on_error: Literal["raise", "skip"] = "raise",
    n_threads: int | None = None,
    **rules: Any,
) -> Collection:
    r"""Read a labelled collection. The module's table shows the kinds of file.

    Parameters
    ----------
    path : path
        The file or folder to read.
    labels : path, optional
        File with one label per line, or an array saved as ``.npy``. Needed for ``.npz`` and
        ``.mtx``; replaces the labels of an svmlight file; not for texts and folders.
    terms : path, optional
        File with the name of one term per line, in the order of the columns. Not for texts, whose
        terms are their own words. An svmlight file may use fewer columns than there are names.
    text, label : str or int, optional
        The columns of a table: names (``"text"`` and ``"label"`` by default), or numbers from 1 for
        a table without header. For JSON lines, the keys. Not for folders.
    delimiter : str, optional
        The character that divides the fields of a ``.csv``, ``.tsv`` or ``.txt`` file. By default
        a comma or a tab, or, if the header does not name the columns then, the one of comma,
        semicolon, tab and bar by which it does.
    encoding : str, default "utf-8"
        The encoding of texts.
    preset : {"paper"}, optional
        A name for a set of rules, see :func:`termsift.text.text_rules`.
    on_error : {"raise", "skip"}
        What happens to a bad line, row or document, as for `termsift.scan`.
    n_threads : int, optional
        As for `termsift.count`.
    **rules
        How texts are cut and which terms are kept: the rules of
        :class:`termsift.text.TextRules`. They replace those of the preset.

    Returns
    -------
    collection : Collection

    Raises
    ------
    FileNotFoundError
        If a file does not exist.
    ValueError
        If a file is not what its name or the arguments say. The message is one line, with the file
        and the line in it.
    TypeError
        For an unknown rule, or one of a wrong type.
    MissingExtraError
        If the input needs a package that is not installed.

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
    options = check_options(
        terms=terms,
        text=text,
        label=label,
        delimiter=delimiter,
        encoding=encoding,
        preset=preset,
        on_error=on_error,
        n_threads=n_threads,
        rules=rules,
    )
    source = open_source(path, labels, options)
    if isinstance(source, TextSource):
        return _counted(source)
    collection = _stacked(source)
    if isinstance(source, SvmlightFile):
        return _with_columns(collection, _first_index(collection), options)
    return collection


@printable_errors()
def read_split(
    train: str | os.PathLike[str],
    test: str | os.PathLike[str],
    *,
    labels: str | os.PathLike[str] | None = None,
    test_labels: str | os.PathLike[str] | None = None,
    terms: str | os.PathLike[str] | None = None,
    text: str | int | None = None,
    label: str | int | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    preset: str | None = None,
    on_error: Literal["raise", "skip"] = "raise",
    n_threads: int | None = None,
    **rules: Any,
) -> tuple[Collection, Collection]:
    r"""Read training and test documents into the same columns.

    The columns are those of ``train``; other terms of ``test`` are left out. The rules apply to the
    texts of both, and ``train`` alone decides which terms are kept. If either of two svmlight files
    has an index 0, indices of both count from 0. Labels are whole numbers if those of both files
    are.

    Parameters
    ----------
    train, test : path
        Both are texts, or both are matrices.
    labels, test_labels : path, optional
        The labels of each, as for `read_collection`.
    terms, text, label, delimiter, encoding, preset, on_error, n_threads, **rules
        As for `read_collection`, for both.

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
    options = check_options(
        terms=terms,
        text=text,
        label=label,
        delimiter=delimiter,
        encoding=encoding,
        preset=preset,
        on_error=on_error,
        n_threads=n_threads,
        rules=rules,
    )
    first, second = open_source(train, labels, options), open_source(test, test_labels, options)
    if first.has_texts != second.has_texts:
        raise ValueError(
            f"{first.path} and {second.path}: expected texts in both, or matrices in both"
        )
    if isinstance(first, TextSource) and isinstance(second, TextSource):
        known = _counted(first)
        new = _counted(second, known.term_names)
        if not new.X.nnz:
            raise ValueError(f"{second.path}: has no term of {first.path}")
        return _with_like_labels(known, new)
    known = _stacked(first)
    new = _stacked(second)
    bases = [
        _first_index(collection)
        for source, collection in ((first, known), (second, new))
        if isinstance(source, SvmlightFile)
    ]
    if isinstance(first, SvmlightFile):
        known = _with_columns(known, min(bases), options)
    n_columns = known.X.shape[1]
    if isinstance(second, SvmlightFile):  # the format does not tell how many columns there are
        new = _with_columns(new, min(bases), None)
        new = replace(new, X=_resized(new.X, n_columns), term_names=known.term_names)
    elif new.X.shape[1] != n_columns:
        raise ValueError(
            f"{second.path}: has {new.X.shape[1]} columns, expected the {n_columns} of {first.path}"
        )
    return _with_like_labels(known, new)


def _counted(source: TextSource, names: NDArray[np.object_] | None = None) -> Collection:
    """Count the terms of all texts of an input, or those that have ``names``."""
    options, read = source.options, list[Block]()
    labels = list[str]()

    def texts() -> Iterator[_core.Texts]:
        for block in _read_all(source, read):
            labels.extend(block.y)
            yield block.texts

    X, found = count_blocks(texts(), options.rules, names, options.n_threads)
    if not labels:
        raise ValueError(f"{source.path}: holds no documents{left_out(*_skipped(read))}")
    if names is None and not X.nnz:
        raise ValueError(f"{source.path}: no text has {options.rules.what_counts}")
    y = integers_if_all_whole(labels)
    return Collection(X, y, found, str(source.path), None, *_skipped(read))


def _stacked(source: Source) -> Collection:
    """Read all documents of a matrix. Indices of svmlight text are columns as they are."""
    assert isinstance(source, MatrixSource)
    read = list[Block]()
    blocks = [block for block in _read_all(source, read) if block.X.shape[0]]
    if not blocks:
        raise ValueError(f"{source.path}: holds no documents{left_out(*_skipped(read))}")
    X = blocks[0].X
    if len(blocks) > 1:
        n_terms = max(block.X.shape[1] for block in blocks)
        X = sp.csr_array(sp.vstack([_resized(block.X, n_terms) for block in blocks], format="csr"))
    y, classes = _stacked_labels(blocks)
    if source.labels_are_text:
        y = integers_if_all_whole(y.tolist())
    names = None if isinstance(source, SvmlightFile) else source.names
    return Collection(X, y, names, str(source.path), classes, *_skipped(read))


def _read_all(source: Any, read: list[Block]) -> Iterator[Any]:
    """Yield the blocks of an input, with the progress, and add what was left out to ``read``."""
    is_pipe = not (source.path.is_file() or source.path.is_dir())
    with (
        progress("read", source.n_bytes, "bytes", already=0) as report,
        # Ctrl-C does not interrupt another thread that waits for the writer of a pipe.
        closing(source.blocks() if is_pipe else prefetched(source.blocks())) as blocks,
    ):
        for block in blocks:
            read.append(Block(block.n_bytes, block.n_skipped, block.complaints))
            yield block
            if report is not None:
                report(block.n_bytes)
            del block


def _skipped(read: list[Block]) -> tuple[int, list[str]]:
    """Return how many rows were left out, and what was wrong with the first ones."""
    complaints = [printable(complaint) for block in read for complaint in block.complaints]
    return sum(block.n_skipped for block in read), complaints[:COMPLAINTS_KEPT]


def _resized(X: sp.csr_array, n_terms: int) -> sp.csr_array:
    """Return a matrix with more columns, or without the last ones."""
    if X.shape[1] > n_terms:
        X = X[:, :n_terms]
    return sp.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], n_terms))


def _stacked_labels(blocks: list[MatrixBlock]) -> tuple[Any, list[Any] | None]:
    """Return the labels of all blocks, and the classes if they are an indicator matrix."""
    classes = blocks[0].classes
    if all(block.classes == classes for block in blocks):
        if classes is None:
            return np.concatenate([block.y for block in blocks]), None
        return sp.csr_array(sp.vstack([block.y for block in blocks], format="csr")), classes
    several = [
        (block.y, np.ones(len(block.y), dtype=np.int64))
        if block.classes is None
        else (np.asarray(block.classes)[block.y.indices], np.diff(block.y.indptr))
        for block in blocks
    ]
    labels, n_labels = (np.concatenate(parts) for parts in zip(*several, strict=True))
    return indicator_of(labels, n_labels)


def _first_index(collection: Collection) -> int:
    """Return 0 if the index 0 occurs, and 1 otherwise."""
    return int(collection.X.indices.min(initial=1))


def _with_columns(collection: Collection, first_index: int, options: Options | None) -> Collection:
    """Make the first index of svmlight text column 0, and name the columns.

    The text need not use the last columns.
    """
    X = collection.X
    if first_index:
        shape = X.shape[0], max(X.shape[1] - first_index, 0)
        X = sp.csr_array((X.data, X.indices - first_index, X.indptr), shape=shape)
    names = None if options is None else options.names
    if options is None or names is None:
        return replace(collection, X=X)
    if X.shape[1] > len(names):
        raise ValueError(
            f"{options.terms}: {len(names)} names for the {X.shape[1]} terms of {collection.source}"
        )
    return replace(collection, X=_resized(X, len(names)), term_names=names)


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
