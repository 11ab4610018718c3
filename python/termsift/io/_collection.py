"""Reading a whole labelled collection by stacking the blocks of a scan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._util import scipy
from termsift._util.faults import wrong_type, wrong_value
from termsift._util.validation import object_array, shown
from termsift.io._matrices import SvmlightFile, integers_if_all_whole
from termsift.io._scan import Scan
from termsift.io._source import TextBlock, labelled
from termsift.text import TextRules
from termsift.text._advice import about_documents, about_rules, warn
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
    """Read training and test documents, and use the terms and rules of ``train`` for both."""
    if train.has_texts != test.has_texts:
        raise ValueError(
            f"{train._source} and {test._source}: expected texts in both, or matrices in both"
        )
    before = read_collection(train)
    if train.has_texts:
        after = _texts(test, replace(train.rules, vocabulary=before.term_names))
    else:
        after = _matrix(test)
    if not after.X.nnz:
        raise ValueError(f"{after.source}: has no term in common with {before.source}")
    if isinstance(test._sources[0], SvmlightFile):  # the test file may have fewer columns
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
    rules, labels, n_empty = of_train or scan.rules, list[str](), 0

    def texts() -> Iterator[_core.Texts]:
        nonlocal n_empty
        with closing(scan._blocks()) as blocks:
            for block in blocks:
                assert isinstance(block, TextBlock)
                labels.extend(block.y)
                n_empty += block.texts.n_empty
                yield block.texts
                del block  # free the block before the next block is read

    X, names = count_blocks(texts(), rules, scan._options.n_threads)
    scan._check_read(len(labels))
    if of_train is None and not X.nnz:
        raise ValueError(f"{scan._source}: no document has {rules.what_counts}")
    y = integers_if_all_whole(labels)
    if of_train is None:
        warn(about_rules(rules))
        classes, class_docs = zip(*sorted(Counter(y.tolist()).items()), strict=True)
        is_word = bool(X[[0]].sum() <= 1)
        about = (len(y), y[0], n_empty)
        warn(about_documents(classes, class_docs, *about, first_is_word=is_word))
    return Collection(X, y, names, scan._source)


def _matrix(scan: Scan) -> Collection:
    """Stack the blocks of a matrix."""
    if scan.rules.drops:
        raise wrong_value(
            "{source}: a matrix is read with all its terms; leave out {min_df}",
            source=scan._source,
        )
    blocks: list[Any] = [block for block in scan._blocks() if len(block)]
    scan._check_read(len(blocks))
    X = blocks[0].X
    if len(blocks) > 1:
        n_terms = max(block.X.shape[1] for block in blocks)
        for block in blocks:
            block.X.resize(len(block), n_terms)
        X = scipy.sparse.csr_array(scipy.sparse.vstack([block.X for block in blocks], format="csr"))
    y, classes = labelled(
        np.concatenate([block.labels for block in blocks]),
        np.concatenate([block.n_labels for block in blocks]),
    )
    if scan._labels_are_text:
        y = integers_if_all_whole(y.tolist())
    return Collection(X, y, scan._options.names, scan._source, classes)
