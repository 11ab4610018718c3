"""Count with Dask: each chunk on a worker, and the partial counts added up as a tree.

termsift must be installed where the workers run.
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
        The blocks of an array hold whole rows: CSR or CSC matrices or dense counts. Their lengths
        may be unknown. A bag or list holds chunks (X, y) or (X, y, sample_weight), of anything
        that `termsift.count` takes. The chunks of a list may be delayed.
    y : dask array or series, or local labels, if X is an array
        Labels of any hashable kind, or an indicator matrix. A dask array is rechunked like X if
        the lengths of all blocks are known; local labels need those of X.
    classes, tf
        As for `termsift.count`.
    sample_weight : as ``y``, optional
        A document of weight w counts as w documents.
    client : distributed.Client, optional
        The client whose workers count. By default Dask decides: the current client, else the
        scheduler for this kind of collection.
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
    chunks in their order, never in order of arrival. The bits depend only on the chunks and
    ``split_every``, and differ from those of `termsift.count` by rounding.

    A terminal shows the progress, except with a client, which has a dashboard.

    Examples
    --------
    >>> import dask, dask.array as da, numpy as np, termsift as ts
    >>> X = da.from_array(np.array([[2, 1, 0], [0, 1, 1], [1, 0, 0]]), chunks=(2, 3))
    >>> ts.dask.count(X, ["ham", "spam", "ham"]).term_frequency.toarray()
    array([[3, 1, 0],
           [0, 1, 1]])

    Blocks of CSR matrices, made on the workers:

    >>> import scipy.sparse as sp
    >>> ts.dask.count(X.map_blocks(sp.csr_array), ["ham", "spam", "ham"]).n_docs
    3

    Chunks that a function reads:

    >>> @dask.delayed
    ... def read(day):
    ...     return sp.csr_array([[day, 1]]), ["ham"]
    >>> ts.dask.count([read(day) for day in range(1, 4)]).term_frequency.toarray()
    array([[6, 3]])
    """
    validation.check_tf(tf)
    listed = None if classes is None else validation.check_classes(classes)
    split_every = validation.check_integer(split_every, "split_every", least=2)
    _check_client(client)
    options = _untraversed({"classes": listed, "tf": tf})
    if _is_blocked(X):
        partials = _count_blocks(X, y, sample_weight, options)
    else:
        partials = _count_chunks(X, options)
        if y is not None or sample_weight is not None:
            raise TypeError(
                "y and sample_weight go with a dask array X; chunks bring their own, as (X, y) or "
                "(X, y, sample_weight)"
            )
    if not partials:
        raise ValueError("X has no chunks, expected at least one")
    keys = {partial.key for partial in partials}
    tree = _tree(partials, split_every)
    with progress("counted", len(keys), "chunks") as report, _reporting(keys, report):
        counts: ClassCounts = tree.compute(**({} if client is None else {"scheduler": client}))
    return counts


def _check_client(client: Any) -> None:
    if client is None:
        return
    distributed = require("distributed", "dask", "termsift.dask.count(client=...)")
    if not isinstance(client, distributed.Client) or client.asynchronous:
        raise TypeError(f"client must be a synchronous distributed.Client, got {client!r}")


# ---- delayed counts ------------------------------------------------------------------------------


def _count_blocks(X: Any, y: Any, sample_weight: Any, options: Any) -> list[Any]:
    """Return the delayed counts of the blocks of an array."""
    if y is None:
        raise TypeError("y is missing: a dask array X needs labels")
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions, one row per document, got {X.ndim}")
    n_terms = None if _is_frame(X) or np.isnan(X.shape[1]) else int(X.shape[1])
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
    if _is_delayed(X):
        raise TypeError(
            "X is delayed, so its kind is unknown: pass delayed chunks (X, y) as a list, even if "
            "there is only one"
        )
    if hasattr(X, "to_delayed"):
        count_partition = _dask.delayed(_count_partition, pure=False)
        return [count_partition(i, part, options) for i, part in enumerate(X.to_delayed())]
    if not isinstance(X, (list, tuple)):
        raise TypeError(
            "X must be a dask array, a dask bag or a list of chunks (X, y), got a "
            f"{type(X).__name__}: termsift.count counts what is in memory"
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
    lengths = _lengths_of_blocks(X)
    known = not any(np.isnan(lengths))
    if _is_blocked(values):
        theirs = _lengths_of_blocks(values)
        if known and not any(np.isnan(theirs)):
            _check_length(sum(theirs), sum(lengths), name, what)
            if theirs != lengths:
                values = values.rechunk({0: lengths})
        elif len(theirs) != len(lengths):
            raise ValueError(
                f"{name} has {len(theirs)} blocks for the {len(lengths)} blocks of rows of X"
            )
        return _blocks_of_rows(values, name)
    if _is_delayed(values):
        raise TypeError(
            f"{name} is delayed, so it cannot be cut like X: pass a dask array, or delayed chunks "
            "(X, y) as a list"
        )
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


# ---- kinds of collections ------------------------------------------------------------------------


def _is_delayed(values: Any) -> bool:
    return isinstance(values, _delayed.Delayed)


def _is_frame(values: Any) -> bool:
    """Return whether the blocks are the partitions of a series or data frame."""
    return hasattr(values, "to_dask_array")


def _is_blocked(values: Any) -> bool:
    """Return whether the values have blocks; a delayed object seems to have every attribute."""
    is_array = hasattr(values, "chunks") and hasattr(values, "to_delayed")
    return not _is_delayed(values) and (_is_frame(values) or is_array)


def _lengths_of_blocks(values: Any) -> tuple[float, ...]:
    """Return the number of rows in each block, NaN where it is unknown."""
    return (np.nan,) * values.npartitions if _is_frame(values) else tuple(values.chunks[0])


def _blocks_of_rows(values: Any, name: str) -> list[Any]:
    """Return the delayed blocks of rows."""
    if not _is_frame(values) and values.ndim == 2 and values.numblocks[1] != 1:
        raise ValueError(
            f"{name} has {values.numblocks[1]} blocks of columns, expected whole rows: use "
            "rechunk({1: -1})"
        )
    blocks = values.to_delayed()
    return list(blocks if _is_frame(values) else blocks.ravel())


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


# ---- the tree ------------------------------------------------------------------------------------


def _tree(partials: list[Any], split_every: int) -> Any:
    """Return the delayed sum of delayed counts; each task adds up neighbours."""
    add_up = _dask.delayed(_add_up, pure=False)
    while len(partials) > 1:
        starts = range(0, len(partials), split_every)
        partials = [add_up(partials[start : start + split_every]) for start in starts]
    return partials[0]


@contextmanager
def _reporting(keys: set[str], report: Any) -> Iterator[None]:
    """Report how many of the keys are done, if a scheduler in this process computes them."""
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
