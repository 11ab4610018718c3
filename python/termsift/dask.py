"""Count with Dask: each chunk on a worker, and the partial counts added up as a tree.

termsift must be installed where the workers run.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import reduce
from itertools import accumulate, pairwise
from operator import add
from typing import Any

import numpy as np
import scipy.sparse as sp

from termsift._counts import counting, parts
from termsift._counts.class_counts import ClassCounts
from termsift._counts.parts import united
from termsift._counts.texts import check_rules_of_parts
from termsift._util import validation
from termsift._util.adding import TermFrequency
from termsift._util.extras import require
from termsift.text import TextRules
from termsift.text._labelled_texts import OnMissing
from termsift.text._rules import check_rules, shows_rules

__all__ = ["count", "count_texts"]

_dask = require("dask", "dask", "termsift.dask")
_array = require("dask.array", "dask", "termsift.dask")
_bag = require("dask.bag", "dask", "termsift.dask")


def count(
    X: Any,
    y: Any = None,
    *,
    classes: Iterable[Hashable] | None = None,
    tf: TermFrequency = "raw",
    sample_weight: Any = None,
    client: Any = None,
    split_every: int = 8,
) -> ClassCounts:
    """Count a labelled collection of chunks by class, where the chunks are.

    Parameters
    ----------
    X : dask array of shape (n_docs, n_terms), dask bag, or list of chunks
        The blocks of an array hold whole rows: CSR or CSC matrices or dense counts. Their lengths
        may be unknown. A bag or list holds chunks (X, y) or (X, y, sample_weight), of anything
        that `termsift.count` takes. The chunks of a list may be delayed or futures.
    y : dask array or local labels, if X is an array
        Labels of any hashable kind, or an indicator matrix. A dask array is rechunked like X if
        the lengths of all blocks are known; local labels need those of X.
    classes, tf
        As for `termsift.count`.
    sample_weight : as ``y``, optional
        A document of weight w counts as w documents.
    client : distributed.Client, optional
        The client whose workers count. By default Dask chooses the scheduler.
    split_every : int, default 8
        Number of partial counts that one task of the tree adds up.

    Returns
    -------
    counts : ClassCounts
        The counts that `termsift.count` returns for all chunks, stacked. In bags and lists, chunks
        may have fewer terms than others, no documents, or only some of the classes.

    Raises
    ------
    ValueError, CountOverflowError, TypeError
        As `termsift.count`; the message names the block, the chunk, or the partition and element,
        and the row within it. Also if blocks do not line up or hold only some of the columns, and
        if there is no chunk.

    Notes
    -----
    Each chunk is counted on one thread, so give a worker several threads or use several workers.
    Integers are exact in any order. Fractions are summed in document order within a chunk, and the
    chunks in their order, so the bits depend only on the chunks and ``split_every``.

    Examples
    --------
    >>> import dask, dask.array as da, numpy as np, termsift as ts
    >>> X = da.from_array(np.array([[2, 1, 0], [0, 1, 1], [1, 0, 0]]), chunks=(2, 3))
    >>> ts.dask.count(X, ["ham", "spam", "ham"]).term_frequency.toarray()
    array([[3, 1, 0],
           [0, 1, 1]])

    Chunks that a function reads:

    >>> import scipy.sparse as sp
    >>> @dask.delayed
    ... def read(day):
    ...     return sp.csr_array([[day, 1]]), ["ham"]
    >>> ts.dask.count([read(day) for day in range(1, 4)]).term_frequency.toarray()
    array([[6, 3]])
    """
    validation.check_tf(tf)
    listed = None if classes is None else validation.check_classes(classes)
    split_every = validation.check_integer(split_every, "split_every", least=2)
    options = _untraversed({"classes": listed, "tf": tf})
    if isinstance(X, _array.Array):
        partials = _count_blocks(X, y, sample_weight, options)
    elif y is not None or sample_weight is not None:
        raise TypeError(
            "y and sample_weight go with a dask array X; chunks bring their own, as (X, y) or "
            "(X, y, sample_weight)"
        )
    else:
        partials = _count_chunks(X, options)
    if not partials:
        raise ValueError("X has no chunks, expected at least one")
    return _total(partials, add, client, split_every)


@shows_rules
def count_texts(
    texts: Any,
    y: Any = None,
    *,
    text: Any = None,
    label: Any = None,
    classes: Iterable[Hashable] | None = None,
    tf: TermFrequency = "raw",
    rules: TextRules | None = None,
    on_missing: OnMissing = "raise",
    client: Any = None,
    split_every: int = 8,
    **keywords: Any,
) -> ClassCounts:
    """Count the terms of labelled texts by class, where the texts are.

    Parameters
    ----------
    texts : dask data frame, series or bag, or list of parts
        A frame has the columns ``text`` and ``label``. The elements of a bag are pairs (text,
        label), or records that have ``text`` and ``label``, such as the objects of JSON lines. A
        part of a list is a pair (texts, y) of what `termsift.count_texts` takes, or a frame or
        Arrow table with the columns ``text`` and ``label``; it may be delayed or a future.
    y : dask series or bag, optional
        The labels of a series or bag of texts, in as many partitions.
    text, label : str, optional
        Names of the columns, or of the entries of records.
    classes, tf, rules, on_missing, **keywords
        As for `termsift.count_texts`.
    client, split_every
        As for `count`.

    Returns
    -------
    counts : ClassCounts
        The counts that `termsift.count_texts` returns for all texts at once.

    Raises
    ------
    ValueError, CountOverflowError, TypeError
        As `termsift.count_texts`; the message names the part or partition, and the document within
        it. Also if there is no part, and for ``max_features`` unless tf is "raw".

    Notes
    -----
    Each part is cut and counted on one thread. Counts travel with their words and are united by
    word, ``split_every`` at a time; only then are terms dropped that are too rare or too frequent.
    So a worker needs the memory of a part and of ``split_every`` partial counts, and one of them,
    at last, that of all words.

    Examples
    --------
    >>> import dask.bag, termsift as ts
    >>> lines = [("Bacon and eggs", "ham"), ("Eggs", "ham"), ("Cheap pills", "spam")]
    >>> counts = ts.dask.count_texts(dask.bag.from_sequence(lines, npartitions=2))
    >>> list(counts.term_names), counts.term_frequency.toarray().tolist()
    (['and', 'bacon', 'cheap', 'eggs', 'pills'], [[1, 1, 0, 2, 0], [0, 0, 1, 0, 1]])
    """
    rules = check_rules(rules, keywords, count_texts)
    check_rules_of_parts(rules, tf)
    split_every = validation.check_integer(split_every, "split_every", least=2)
    listed = None if classes is None else validation.check_classes(classes)
    options = {"text": text, "label": label, "classes": listed, "tf": tf, "rules": rules}
    options = _untraversed({**options, "on_missing": on_missing})
    columns = list(getattr(texts, "columns", ())) if _dask.is_dask_collection(texts) else []
    if text in columns and label in columns:
        texts = texts[[text, label]]  # so that readers of columns leave out the others
    partials = _count_parts_of_texts(texts, y, options)
    if not partials:
        raise ValueError("texts has no parts, expected at least one")
    return parts.finished(_total(partials, united, client, split_every), rules)


def _total(
    partials: list[Any],
    together: Callable[[ClassCounts, ClassCounts], ClassCounts],
    client: Any,
    split_every: int,
) -> ClassCounts:
    """Return delayed counts, put together as a tree."""
    add_up = _dask.delayed(_add_up, pure=False)
    while len(partials) > 1:
        starts = range(0, len(partials), split_every)
        partials = [add_up(partials[start : start + split_every], together) for start in starts]
    counts: ClassCounts = partials[0].compute(**({} if client is None else {"scheduler": client}))
    return counts


# ---- delayed counts ------------------------------------------------------------------------------


def _count_blocks(X: Any, y: Any, sample_weight: Any, options: Any) -> list[Any]:
    """Return the delayed counts of the blocks of an array."""
    if y is None:
        raise TypeError("y is missing: a dask array X needs labels")
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions, one row per document, got {X.ndim}")
    n_terms = None if np.isnan(X.shape[1]) else int(X.shape[1])
    parts = [_blocks_of_rows(X, "X"), _aligned(X, y, "y", "labels")]
    if sample_weight is not None:
        parts.append(_aligned(X, sample_weight, "sample_weight", "weights"))
    count_chunk = _dask.delayed(_count_chunk, pure=False)
    return [
        count_chunk(f"block {i}", list(block), options, n_terms)
        for i, block in enumerate(zip(*parts, strict=True))
    ]


def _count_chunks(X: Any, options: Any) -> list[Any]:
    """Return the delayed counts of the chunks of a list, or of the partitions of a bag."""
    if isinstance(X, _bag.Bag):
        count_partition = _dask.delayed(_count_partition, pure=False)
        return [count_partition(i, part, options) for i, part in enumerate(X.to_delayed())]
    if not isinstance(X, (list, tuple)):
        raise TypeError(
            "X must be a dask array, a dask bag or a list of chunks (X, y), which may be delayed, "
            f"got {validation.a_kind(X)}"
        )
    count_chunk = _dask.delayed(_count_chunk, pure=False)
    return [
        count_chunk(f"chunk {i}", _each_untraversed(chunk), options) for i, chunk in enumerate(X)
    ]


def _count_parts_of_texts(texts: Any, y: Any, options: Any) -> list[Any]:
    """Return the delayed counts of the partitions of a collection, or of the parts of a list."""
    count_texts = _dask.delayed(_count_texts, pure=False)
    if isinstance(texts, (list, tuple)):
        if y is not None:
            raise TypeError(
                "y goes with a dask series or bag; parts bring their own, as (texts, y)"
            )
        return [
            count_texts(f"part {i}", _each_untraversed(part), options)
            for i, part in enumerate(texts)
        ]
    if not _dask.is_dask_collection(texts) or not hasattr(texts, "npartitions"):
        raise TypeError(
            "texts must be a dask data frame, series or bag, or a list of parts, which may be "
            f"delayed, got {validation.a_kind(texts)}"
        )
    parts, labels = texts.to_delayed(), [None] * texts.npartitions
    if y is not None:
        if not hasattr(y, "npartitions") or y.npartitions != texts.npartitions:
            raise ValueError(
                f"y must be a dask collection of {texts.npartitions} partitions, like texts, got "
                f"{getattr(y, 'npartitions', 'a ' + type(y).__name__)}"
            )
        labels = y.to_delayed()
    if isinstance(texts, _bag.Bag):
        count_elements = _dask.delayed(_count_elements, pure=False)
        return [
            count_elements(f"partition {i}", *part, options)
            for i, part in enumerate(zip(parts, labels, strict=True))
        ]
    return [
        count_texts(f"partition {i}", part if of_part is None else [part, of_part], options)
        for i, (part, of_part) in enumerate(zip(parts, labels, strict=True))
    ]


def _each_untraversed(chunk: Any) -> Any:
    """Return a chunk whose parts, each of which may be delayed, are passed on as they are."""
    parts = isinstance(chunk, (tuple, list))
    return [_untraversed(part) for part in chunk] if parts else _untraversed(chunk)


def _untraversed(value: Any) -> Any:
    """Return a value that Dask passes on as it is; it would search a list of labels for tasks."""
    return value if _dask.is_dask_collection(value) else _dask.delayed(value, traverse=False)


def _aligned(X: Any, values: Any, name: str, what: str) -> list[Any]:
    """Return labels or weights in parts that line up with the blocks of X."""
    lengths = X.chunks[0]
    known = not any(np.isnan(lengths))
    if isinstance(values, _array.Array):
        theirs = values.chunks[0]
        if known and not any(np.isnan(theirs)):
            _check_length(sum(theirs), sum(lengths), name, what)
            values = values.rechunk({0: lengths})
        elif len(theirs) != len(lengths):
            raise ValueError(
                f"{name} has {len(theirs)} blocks for the {len(lengths)} blocks of rows of X"
            )
        return _blocks_of_rows(values, name)
    if name == "y" and _dask.is_dask_collection(values):
        raise TypeError(f"{name} must hold {what} of the documents in order, got {values!r}")
    if not known:
        raise ValueError(
            f"the blocks of X are of unknown lengths, which cannot cut a local {name}: use "
            f"X.compute_chunk_sizes() or pass {name} as a dask array of as many blocks"
        )
    n_docs = int(sum(lengths))
    if name == "sample_weight":
        values = validation.check_weights(values, n_docs)  # all at once, to get parts of one dtype
    elif sp.issparse(values):
        values = values.tocsr()  # type: ignore[attr-defined]
    else:
        values = validation.as_sequence(values, name, f"{what} of the documents")
    _check_length(values.shape[0] if hasattr(values, "shape") else len(values), n_docs, name, what)
    ends = accumulate(lengths, initial=0)
    return [_untraversed(values[start:stop]) for start, stop in pairwise(ends)]


def _check_length(n_rows: float, n_docs: float, name: str, what: str) -> None:
    if n_rows != n_docs:
        raise ValueError(f"{name} has {n_rows} {what} for {n_docs} documents")


def _blocks_of_rows(values: Any, name: str) -> list[Any]:
    """Return the delayed blocks of rows."""
    if values.ndim == 2 and values.numblocks[1] != 1:
        raise ValueError(
            f"{name} has {values.numblocks[1]} blocks of columns, expected whole rows: use "
            "rechunk({1: -1})"
        )
    return list(values.to_delayed().ravel())


# ---- on the workers ------------------------------------------------------------------------------


def _count_chunk(
    place: str, chunk: Any, options: dict[str, Any], n_terms: int | None = None
) -> ClassCounts:
    with validation.naming(place):
        if not isinstance(chunk, (tuple, list)) or len(chunk) not in (2, 3):
            raise TypeError(
                f"expected (X, y) or (X, y, sample_weight), got {validation.a_kind(chunk)}"
            )
        counts = counting.count(*chunk, **options, n_threads=1)
        if n_terms is not None and counts.n_terms != n_terms:
            raise ValueError(f"it has {counts.n_terms} columns, but X has {n_terms}")
        return counts


def _count_partition(i: int, chunks: Iterable[Any], options: dict[str, Any]) -> ClassCounts:
    counts = _count_chunk(f"partition {i}", (np.empty((0, 0), np.int64), []), options)
    for element, chunk in enumerate(chunks):
        counts += _count_chunk(f"partition {i}, element {element}", chunk, options)
    return counts


def _count_texts(place: str, part: Any, options: dict[str, Any]) -> ClassCounts:
    """Count a part of a list: a pair (texts, y), or a frame with a column of labels."""
    with validation.naming(place):
        if options["label"] is not None:
            return parts.count_part(part, None, **options)
        if not isinstance(part, (tuple, list)) or len(part) != 2:
            raise TypeError(
                "expected (texts, y), or a frame whose columns are named by text and label, got "
                f"{validation.a_kind(part)}"
            )
        return parts.count_part(*part, **options)


def _count_elements(
    place: str, elements: Iterable[Any], labels: Iterable[Any] | None, options: dict[str, Any]
) -> ClassCounts:
    """Count a partition of a bag: texts with their labels apart, pairs, or records."""
    held = list(elements)
    by_name = {name: options[name] for name in ("text", "label")}
    options = {**options, "text": None, "label": None}
    with validation.naming(place):
        if labels is not None:
            return parts.count_part(held, list(labels), **options)
        if by_name["label"] is not None:
            _check_elements(held, Mapping, "a record")
            texts, labels = ([record.get(n) for record in held] for n in by_name.values())
        else:
            _check_elements(held, (tuple, list), "a pair (text, label)")
            texts, labels = ([pair[i] for pair in held] for i in (0, 1))
        return parts.count_part(texts, labels, **options)


def _check_elements(elements: list[Any], kind: Any, expected: str) -> None:
    for number, element in enumerate(elements):
        if not isinstance(element, kind) or (kind is not Mapping and len(element) != 2):
            raise TypeError(
                f"element {number} is {validation.a_kind(element)}, expected {expected}"
            )


def _add_up(partials: list[ClassCounts], together: Any) -> ClassCounts:
    return reduce(together, partials)
