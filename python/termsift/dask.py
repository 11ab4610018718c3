"""Counting with Dask: each chunk on a worker, the counts united as a tree.

A worker imports termsift, so it must be installed where the workers run.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
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
from termsift._util.progress import progress

__all__ = ["count"]

_dask = require("dask", "dask", "termsift.dask")
_delayed = require("dask.delayed", "dask", "termsift.dask")
_callbacks = require("dask.callbacks", "dask", "termsift.dask")


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
        An array's blocks are CSR or CSC matrices or dense counts, each of whole rows; their lengths
        may be unknown. A bag holds, and a list consists of, chunks (X, y) or (X, y, sample_weight)
        of anything that `termsift.count` takes; those of a list may be delayed.
    y : dask array or series, or local labels, if X is an array
        Labels of any hashable kind, or an indicator matrix. A dask array is cut as X is, if both
        know the lengths of their blocks; local labels need those of X.
    classes, tf
        As for `termsift.count`.
    sample_weight : as ``y``, optional
        A document of weight w counts as w documents.
    client : distributed.Client, optional
        Whose workers count. By default those of Dask's own default: the current client, else the
        scheduler of the kind of collection.
    split_every : int, default 8
        How many partial counts a task of the tree unites.

    Returns
    -------
    counts : ClassCounts
        As `termsift.count` gives of all chunks, one below the other. Chunks of fewer terms are
        welcome in bags and lists, and so are empty chunks and classes that only some have.

    Raises
    ------
    ValueError, CountOverflowError, TypeError
        As `termsift.count`, with the block, chunk, or partition and element that it was, and the
        row within it; if blocks do not line up, or hold only some of the columns; if there is no
        chunk.

    Notes
    -----
    A chunk is counted on one thread: workers have several, or there are several of them. Integers
    are exact in any order. Of fractions, chunks are summed in document order and then united in the
    order of the chunks, never in that of arrival: the bits depend on the chunks and ``split_every``
    alone, and differ from those of `termsift.count` by rounding.

    Progress is shown on a terminal, other than of a client, who has a dashboard of tasks.

    Examples
    --------
    >>> import dask, dask.array as da, numpy as np, termsift as ts
    >>> X = da.from_array(np.array([[2, 1, 0], [0, 1, 1], [1, 0, 0]]), chunks=(2, 3))
    >>> ts.dask.count(X, ["ham", "spam", "ham"]).term_frequency.toarray()
    array([[3, 1, 0],
           [0, 1, 1]])

    Blocks of CSR matrices, made where they are needed:

    >>> import scipy.sparse as sp
    >>> X.map_blocks(sp.csr_array).compute_chunk_sizes().chunks
    ((2, 1), (3,))
    >>> ts.dask.count(X.map_blocks(sp.csr_array), ["ham", "spam", "ham"]).n_docs
    3

    Chunks that a function reads:

    >>> @dask.delayed
    ... def read(day):
    ...     return sp.csr_array([[day, 1]]), ["ham"]
    >>> ts.dask.count([read(day) for day in range(1, 4)]).term_frequency.toarray()
    array([[6, 3]])
    """
    tf = validation.check_tf(tf)  # type: ignore[assignment]
    listed = None if classes is None else validation.check_classes(classes)
    split_every = _check_split_every(split_every)
    _check_client(client)
    how = _leaf({"classes": listed, "tf": tf})
    if _is_blocked(X):
        partials = _of_blocks(X, y, sample_weight, how)
    else:
        partials = _of_chunks(X, how)
        if y is not None or sample_weight is not None:
            raise TypeError(
                "y and sample_weight go with a dask array X; chunks bring their own, as (X, y) or "
                "(X, y, sample_weight)"
            )
    if not partials:
        raise ValueError("X has no chunks, expected at least one")
    keys = {partial.key for partial in partials}
    tree = _tree(partials, split_every)
    with progress("counted", len(keys), "chunks") as report, _telling(keys, report):
        counts: ClassCounts = tree.compute(**({} if client is None else {"scheduler": client}))
    return counts


# ---- what is counted -----------------------------------------------------------------------------


def _of_blocks(X: Any, y: Any, sample_weight: Any, how: Any) -> list[Any]:
    """Give the delayed counts of the blocks of an array."""
    if y is None:
        raise TypeError("y is missing: a dask array X needs labels")
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions, one row a document, got {X.ndim}")
    n_terms = None if _is_frame(X) or np.isnan(X.shape[1]) else int(X.shape[1])
    blocks = _rows_of(X, "X")
    labels = _cut_as(X, y, "y", "labels")
    if sample_weight is None:
        weights = [None] * len(blocks)
    else:
        weights = _cut_as(X, sample_weight, "sample_weight", "weights")
    count_block = _dask.delayed(_count_block, pure=False)
    return [
        count_block(f"block {i}", *block, n_terms, how)
        for i, block in enumerate(zip(blocks, labels, weights, strict=True))
    ]


def _of_chunks(X: Any, how: Any) -> list[Any]:
    """Give the delayed counts of the chunks of a list, or of the partitions of a bag."""
    if _is_delayed(X):
        raise TypeError(
            "X is delayed, and of what kind it will be is not known: give delayed chunks (X, y) as "
            "a list, of one if need be"
        )
    if hasattr(X, "to_delayed"):
        count_partition = _dask.delayed(_count_partition, pure=False)
        return [count_partition(i, part, how) for i, part in enumerate(X.to_delayed())]
    if not isinstance(X, (list, tuple)):
        raise TypeError(
            "X must be a dask array, a dask bag or a list of chunks (X, y), got a "
            f"{type(X).__name__}: termsift.count counts what is in memory"
        )
    count_chunk = _dask.delayed(_count_chunk, pure=False)
    return [count_chunk(f"chunk {i}", _leaves(chunk), how) for i, chunk in enumerate(X)]


def _leaf(value: Any) -> Any:
    """Give what Dask is to pass on as it is: it would search every list of labels for tasks."""
    return value if _dask.is_dask_collection(value) else _dask.delayed(value, traverse=False)


def _leaves(chunk: Any) -> Any:
    """Give a chunk any of whose parts, or the whole of which, may be delayed."""
    return [_leaf(part) for part in chunk] if isinstance(chunk, (tuple, list)) else _leaf(chunk)


def _is_blocked(values: Any) -> bool:
    """Whether it has blocks of rows; something delayed seems to have every attribute."""
    if _is_delayed(values):
        return False
    return _is_frame(values) or (hasattr(values, "chunks") and hasattr(values, "to_delayed"))


def _is_delayed(values: Any) -> bool:
    return isinstance(values, _delayed.Delayed)


def _is_frame(values: Any) -> bool:
    """Whether it is a series or data frame of Dask, whose partitions are blocks."""
    return hasattr(values, "to_dask_array")


def _lengths_of(values: Any) -> tuple[float, ...]:
    """Give the lengths of the blocks, NaN where unknown."""
    return (np.nan,) * values.npartitions if _is_frame(values) else tuple(values.chunks[0])


def _rows_of(values: Any, name: str) -> list[Any]:
    """Give the delayed blocks of rows."""
    if _is_frame(values):
        return list(values.to_delayed())
    if values.ndim == 2 and values.numblocks[1] != 1:
        raise ValueError(
            f"{name} has {values.numblocks[1]} blocks of columns, expected whole rows: use "
            "rechunk({1: -1})"
        )
    return list(values.to_delayed().ravel())


def _cut_as(X: Any, values: Any, name: str, what: str) -> list[Any]:
    """Give labels or weights in parts that line up with the blocks of X."""
    lengths = _lengths_of(X)
    known = not any(np.isnan(lengths))
    if _is_blocked(values):
        theirs = _lengths_of(values)
        if known and not any(np.isnan(theirs)):
            _check_length(sum(theirs), sum(lengths), name, what)
            if theirs != lengths:
                values = values.rechunk({0: lengths})
        elif len(theirs) != len(lengths):
            raise ValueError(
                f"{name} has {len(theirs)} blocks for the {len(lengths)} blocks of rows of X"
            )
        return _rows_of(values, name)
    if _is_delayed(values):
        raise TypeError(
            f"{name} is delayed, and cannot be cut as X is before it is known: give it as a dask "
            "array, or give chunks (X, y) that are delayed as a list"
        )
    if not known:
        raise ValueError(
            f"the blocks of X are of unknown lengths, which cannot cut a local {name}: use "
            f"X.compute_chunk_sizes() or give {name} as a dask array of as many blocks"
        )
    n_docs = int(sum(lengths))
    if name == "sample_weight":
        values = validation.check_weights(values, n_docs)  # all, for parts of one dtype
    elif sp.issparse(values):
        values = values.tocsr()  # type: ignore[attr-defined]
    else:
        values = validation.as_sequence(values, name, f"{what} of the documents")
    _check_length(values.shape[0] if hasattr(values, "shape") else len(values), n_docs, name, what)
    return [_leaf(values[start:stop]) for start, stop in pairwise(accumulate(lengths, initial=0))]


def _check_length(n_rows: float, n_docs: float, name: str, what: str) -> None:
    if n_rows != n_docs:
        raise ValueError(f"{name} has {n_rows} {what} for {n_docs} documents")


def _check_split_every(split_every: int) -> int:
    if isinstance(split_every, bool) or not isinstance(split_every, int) or split_every < 2:
        raise ValueError(f"split_every must be an integer of at least 2, got {split_every!r}")
    return split_every


def _check_client(client: Any) -> None:
    if client is None:
        return
    distributed = require("distributed", "dask", "termsift.dask.count(client=...)")
    if not isinstance(client, distributed.Client) or client.asynchronous:
        raise TypeError(f"client must be a synchronous distributed.Client, got {client!r}")


# ---- on the workers ------------------------------------------------------------------------------


def _count_block(
    place: str, X: Any, y: Any, sample_weight: Any, n_terms: int | None, how: dict[str, Any]
) -> ClassCounts:
    with validation.naming(place):
        counts = counting.count(X, y, sample_weight, **how, n_threads=1)
        if n_terms is not None and counts.n_terms != n_terms:
            raise ValueError(f"it has {counts.n_terms} columns, but X has {n_terms}")
        return counts


def _count_chunk(place: str, chunk: Any, how: dict[str, Any]) -> ClassCounts:
    with validation.naming(place):
        if not isinstance(chunk, (tuple, list)) or len(chunk) not in (2, 3):
            raise TypeError(
                f"expected (X, y) or (X, y, sample_weight), got a {type(chunk).__name__}"
            )
        return counting.count(*chunk, **how, n_threads=1)


def _count_partition(i: int, chunks: Iterable[Any], how: dict[str, Any]) -> ClassCounts:
    counts = _count_chunk(f"partition {i}", (np.empty((0, 0), np.int64), []), how)
    for element, chunk in enumerate(chunks):
        counts += _count_chunk(f"partition {i}, element {element}", chunk, how)
    return counts


def _unite(partials: list[ClassCounts]) -> ClassCounts:
    return reduce(add, partials)


# ---- the tree ------------------------------------------------------------------------------------


def _tree(partials: list[Any], split_every: int) -> Any:
    """Give the delayed sum of delayed counts, neighbours first."""
    unite = _dask.delayed(_unite, pure=False)
    while len(partials) > 1:
        partials = [
            unite(partials[i : i + split_every]) for i in range(0, len(partials), split_every)
        ]
    return partials[0]


@contextmanager
def _telling(keys: set[str], report: Any) -> Iterator[None]:
    """Report how many of the keys are done, where a scheduler of this process does them."""
    if report is None:
        yield
        return
    done = 0

    def posttask(key: Any, *_: Any) -> None:
        nonlocal done
        if key in keys:
            done += 1
            report(done)

    with _callbacks.Callback(posttask=posttask):
        yield
