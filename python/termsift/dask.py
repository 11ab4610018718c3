"""Count with Dask: each chunk on a worker, and the partial counts added up as a tree.

termsift must be installed where the workers run.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import reduce
from itertools import accumulate, pairwise
from operator import add
from typing import Any

import numpy as np
import scipy.sparse as sp

from termsift._api import counting
from termsift._api.class_counts import ClassCounts
from termsift._api.counting import TermFrequency
from termsift._util import validation
from termsift._util.extras import require

__all__ = ["count"]

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
    add_up = _dask.delayed(_add_up, pure=False)
    while len(partials) > 1:
        starts = range(0, len(partials), split_every)
        partials = [add_up(partials[start : start + split_every]) for start in starts]
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
            f"got a {type(X).__name__}"
        )
    count_chunk = _dask.delayed(_count_chunk, pure=False)
    counted = []
    for i, chunk in enumerate(X):
        parts = isinstance(chunk, (tuple, list))  # each of them may be delayed
        given = [_untraversed(part) for part in chunk] if parts else _untraversed(chunk)
        counted.append(count_chunk(f"chunk {i}", given, options))
    return counted


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
                f"expected (X, y) or (X, y, sample_weight), got a {type(chunk).__name__}"
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


def _add_up(partials: list[ClassCounts]) -> ClassCounts:
    return reduce(add, partials)
