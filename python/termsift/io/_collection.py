"""Reading a whole labelled collection by stacking the blocks of a scan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._util import scipy
from termsift._util.faults import excluded, wrong_type
from termsift._util.validation import check_kind, object_array, shown
from termsift.io._scan import Scan, Scanned
from termsift.io._source import integers_if_all_whole, of_one_kind
from termsift.text import TextRules
from termsift.text._advice import about_documents, about_rules, about_words, warn
from termsift.text._matrices import count_blocks


@dataclass(frozen=True, eq=False)
class Collection:
    """A labelled collection: the arguments of `termsift.count`, and a description of the source.

    Attributes
    ----------
    X : csr_array of shape (n_docs, n_terms)
        The number of occurrences of each term in each document.
    y : ndarray of shape (n_docs,), or csr_array of shape (n_docs, n_classes)
        The label of each document, or an indicator matrix if documents may have several labels.
    term_names : ndarray of str of shape (n_terms,), or None
        The names of the terms if known. Hashed terms have no names.
    source : str
        A description of the origin of the collection.
    classes : list or None
        The class of each column of ``y`` if ``y`` is an indicator matrix, otherwise None.
    """

    X: scipy.sparse.csr_array
    y: NDArray[Any] | scipy.sparse.csr_array
    term_names: NDArray[np.object_] | None
    source: str
    classes: list[Any] | None = None


def read_collection(scan: Scan) -> Collection:
    r"""Read all documents of a scan into memory.

    Parameters
    ----------
    scan : Scan
        The result of `termsift.scan`.

    Returns
    -------
    collection : Collection

    Raises
    ------
    ValueError
        If a file has an error in its content, or if there are no documents.

    Examples
    --------
    >>> import tempfile, termsift as ts
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "fruit.csv")
    ...     _ = path.write_text("label,text\nred,cherry cherry plum\nyellow,lemon\n")
    ...     collection = read_collection(ts.scan(path))
    >>> collection.X.toarray()
    array([[2, 0, 1],
           [0, 1, 0]])
    >>> list(collection.term_names), list(collection.y)
    (['cherry', 'lemon', 'plum'], ['red', 'yellow'])
    """
    if not isinstance(scan, Scan):
        raise wrong_type(
            "{scan} must be a Scan, got {given}: pass termsift.scan(path)", given=shown(scan)
        )
    return _texts(scan) if scan.has_texts else _matrix(scan)


def read_split(train: Scan, test: Scan) -> tuple[Collection, Collection]:
    r"""Read training and test documents, with the terms and the rules of ``train`` for both.

    Parameters
    ----------
    train, test : Scan
        The results of `termsift.scan`. Either both hold texts, or both hold matrices.

    Returns
    -------
    train, test : Collection
        The columns of both are the same terms. If the labels of one collection are text, whole
        numbers become text in the other.

    Raises
    ------
    ValueError
        As for `read_collection`, and if the collections have no term or no label in common.

    Examples
    --------
    >>> import tempfile, termsift as ts
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = Path(folder, "train.csv"), Path(folder, "test.csv")
    ...     for path, fruit in zip(paths, ("cherry", "plum cherry cherry")):
    ...         _ = path.write_text(f"label,text\nred,{fruit}\nyellow,lemon\n")
    ...     train, test = read_split(*map(ts.scan, paths))
    >>> list(test.term_names), test.X.toarray().tolist()
    (['cherry', 'lemon'], [[2, 0], [0, 1]])
    """
    for name, scan in (("train", train), ("test", test)):
        check_kind(scan, Scan, name)
    if train.has_texts != test.has_texts:
        raise ValueError(
            f"{train.description} and {test.description}: expected texts in both, or matrices in "
            "both"
        )
    before = read_collection(train)
    if train.has_texts:
        after = _texts(test, replace(train.rules, vocabulary=before.term_names))
    else:
        after = _matrix(test)
    if not after.X.nnz:
        raise ValueError(f"{after.source}: has no term in common with {before.source}")
    if test.sources[0].may_lack_columns:
        X: Any = after.X
        X.resize((X.shape[0], before.X.shape[1]))
    after = replace(after, term_names=before.term_names)
    if before.classes is not None or after.classes is not None:
        return before, after
    labels: list[Any] = [before.y, after.y]
    if (labels[0].dtype.kind in "OU") != (labels[1].dtype.kind in "OU"):
        labels = [object_array(list(map(str, y.tolist()))) for y in labels]
    if not {*labels[0].tolist()} & {*labels[1].tolist()}:
        raise ValueError(f"{after.source}: has no label in common with {before.source}")
    return replace(before, y=labels[0]), replace(after, y=labels[1])


def _texts(scan: Scan, of_train: TextRules | None = None) -> Collection:
    """Count the terms of all texts by the rules ``of_train`` or, by default, the scan's rules."""
    rules, documents = of_train or scan.rules, Scanned(scan)
    codes: list[_core.Int32s] = []

    def texts() -> Iterator[_core.Texts]:
        for block in documents:
            assert block.labels is not None
            codes.append(block.labels.codes)
            yield block.texts
            del block  # free the block before the next block is read

    with documents.placing():
        X, names = count_blocks(texts(), rules, scan.options.n_threads, documents)
    documents.check_read(documents.n_docs)
    if of_train is None and not X.nnz:
        raise ValueError(f"{scan.description}: no document has {rules.what_counts}")
    y = _labels(documents.classes, scan)[np.concatenate(codes)]
    if of_train is None:
        warn(about_rules(rules))
        warn(about_words(rules, documents))
        classes, class_docs = zip(*sorted(Counter(y.tolist()).items()), strict=True)
        is_word = bool(X[[0]].sum() <= 1)
        about = (len(y), documents.first_label, documents.n_empty)
        warn(about_documents(classes, class_docs, *about, first_is_word=is_word))
    return Collection(X, y, names, scan.description)


def _matrix(scan: Scan) -> Collection:
    """Stack the blocks of a matrix."""
    if scan.rules.drops:
        raise excluded(
            "{source}: a matrix is read with all its terms; leave out {min_df}",
            source=scan.description,
        )
    documents = Scanned(scan, whole=True)
    blocks = list(documents)
    documents.check_read(documents.n_docs)
    n_terms = max(block.matrix.n_terms for block in blocks)
    parts = [replace(block.matrix, n_terms=n_terms).to_scipy() for block in blocks]
    X = parts[0] if len(parts) == 1 else scipy.sparse.vstack(parts, format="csr")
    classes = _labels(documents.classes, scan)
    labels: list[Any] = [block.labels for block in blocks]
    codes = np.concatenate([of_block.codes for of_block in labels])
    if all(of_block.indptr is None for of_block in labels):
        y = classes[codes]
    else:
        classes, columns = np.unique(classes, return_inverse=True)
        n_labels = [
            np.diff(of_block.indptr)
            if of_block.indptr is not None
            else np.ones(of_block.n_docs, dtype=np.int64)
            for of_block in labels
        ]
        rows = np.repeat(np.arange(documents.n_docs), np.concatenate(n_labels))
        ones = np.ones(len(rows), dtype=np.int8)
        shape = documents.n_docs, len(classes)
        y = scipy.sparse.csr_array((ones, (rows, columns[codes])), shape=shape)
        return Collection(X, y, scan.options.names, scan.description, classes.tolist())
    return Collection(scipy.sparse.csr_array(X), y, scan.options.names, scan.description)


def _labels(classes: list[Hashable], scan: Scan) -> NDArray[Any]:
    """Return the classes as an array, as integers if the text of all is a whole number."""
    return integers_if_all_whole(classes) if scan.labels_are_text else of_one_kind(classes)
