"""What Spark's workers do: count the rows of a partition, unite the counts of several.

Workers import this and no more of Spark than the task they are in. Counts travel as the bytes of a
saved file, in pieces, since a value and a batch of Spark hold less than 2 GiB.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import pairwise
from operator import add
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from termsift import _core
from termsift._api import counting
from termsift._api.class_counts import ClassCounts
from termsift._counts import file
from termsift._util import validation
from termsift._util.extras import require

pa = require("pyarrow", "spark", "termsift.spark")
pc = require("pyarrow.compute", "spark", "termsift.spark")

# A row is a piece of the counts of a part of the collection, or what was wrong with it.
SCHEMA = "part int, piece int, n_terms long, counts binary, error string, message string"
PIECE_BYTES = 1 << 24
WINDOW_BYTES = 1 << 26
ERRORS = {kind.__name__: kind for kind in (_core.CountOverflowError, ValueError, TypeError)}


def empty_counts(tf: Any) -> ClassCounts:
    """Give the counts of nothing, of no terms."""
    return counting.count(np.empty((0, 0), np.int64), [], tf=tf)


def count_partition(
    batches: Iterable[Any], *, tf: Any, piece_bytes: int = PIECE_BYTES
) -> Iterator[Any]:
    """Count the rows (vector, label and perhaps weight) of a partition; none of an empty one."""
    task: Any = require("pyspark", "spark", "termsift.spark").TaskContext.get()
    part, counts = task.partitionId(), empty_counts(tf)
    start = 0
    try:
        for vectors, labels, *weights in _windows(batches):
            with validation.naming(f"partition {part}, from row {start}"):
                counts.update(
                    _matrix(vectors, counts.n_terms if start else None),
                    _column(labels, "label"),
                    _column(weights[0], "weight") if weights else None,
                    n_threads=1,
                )
            start += len(vectors)
    except (ValueError, TypeError) as error:
        yield _refusal(part, error)
        return
    if start:
        yield from _pieces(part, counts, piece_bytes)


def unite(batches: Iterable[Any], *, piece_bytes: int = PIECE_BYTES) -> Iterator[Any]:
    """Add up the counts of the parts of each node, in their order."""
    rows = list(batches)
    if not rows:
        return
    table = pa.Table.from_batches(rows)
    table = table.sort_by([(name, "ascending") for name in ("node", "part", "piece")])
    data = table["counts"]
    nodes, parts = (table[name].to_numpy() for name in ("node", "part"))
    for start, stop in _runs(nodes):
        node = int(nodes[start])
        of_parts = (
            from_pieces(data[start + a : start + b].to_pylist())
            for a, b in _runs(parts[start:stop])
        )
        try:
            yield from _pieces(node, reduce(add, of_parts), piece_bytes)
        except (ValueError, TypeError) as error:
            yield _refusal(node, error)


def _runs(sorted_values: NDArray[Any]) -> Iterator[tuple[int, int]]:
    """Give where equal values begin and end."""
    changes = (np.flatnonzero(np.diff(sorted_values)) + 1).tolist()
    return pairwise([0, *changes, len(sorted_values)])


def from_pieces(pieces: Iterable[bytes]) -> ClassCounts:
    """Give the counts whose bytes, cut into pieces, these are."""
    return ClassCounts._of(*file.counts_from_bytes(b"".join(pieces), "partial counts"))


def _pieces(part: int, counts: ClassCounts, piece_bytes: int) -> Iterator[Any]:
    data = file.counts_to_bytes(counts._counts, counts.classes, counts.term_names, counts.tf)
    for piece, start in enumerate(range(0, len(data), piece_bytes)):
        yield _row(part, piece, counts.n_terms, data[start : start + piece_bytes], None, None)


def _refusal(part: int, error: Exception) -> Any:
    """Give the row that says what is wrong; raised, it would be tried again, and buried in logs."""
    kind = next(name for name, kind in ERRORS.items() if isinstance(error, kind))
    return _row(part, 0, 0, b"", kind, str(error))


def _row(
    part: int, piece: int, n_terms: int, counts: Any, error: str | None, message: str | None
) -> Any:
    types = (pa.int32(), pa.int32(), pa.int64(), pa.binary(), pa.string(), pa.string())
    names = [column.split()[0] for column in SCHEMA.split(", ")]
    values = (part, piece, n_terms, bytes(counts), error, message)
    arrays = [pa.array([value], kind) for value, kind in zip(values, types, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, names)


# ---- from Arrow to what is counted ---------------------------------------------------------------


def _windows(batches: Iterable[Any]) -> Iterator[list[Any]]:
    """Give the columns of many batches at a time: each update takes the time of all its counts."""
    held: list[Any] = []
    size = 0
    for batch in batches:
        if batch.num_rows:
            held.append(batch)
            size += batch.nbytes
        if size >= WINDOW_BYTES:
            yield [pa.concat_arrays(parts) for parts in zip(*held, strict=True)]
            held, size = [], 0
    if held:
        yield [pa.concat_arrays(parts) for parts in zip(*held, strict=True)]


def _matrix(vectors: Any, n_terms: int | None) -> Any:
    """Give vectors, sparse or dense, structs of (type, size, indices, values), as a CSR matrix."""
    _refuse_null(vectors, "vector")
    sparse = vectors.field("type").to_numpy(zero_copy_only=False) == 0
    indices, values = vectors.field("indices"), vectors.field("values")
    lengths = _lengths(values)
    sizes = np.where(sparse, vectors.field("size").fill_null(0).to_numpy(), lengths)
    _refuse_first(
        sizes != (sizes[0] if n_terms is None else n_terms),
        lambda row: (
            f"the vector of row {row} has {sizes[row]} terms, others have "
            f"{sizes[0] if n_terms is None else n_terms}"
        ),
    )
    _refuse_first(
        sparse & (_lengths(indices) != lengths),
        lambda row: f"the vector of row {row} has {lengths[row]} values, but not as many indices",
    )
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    columns = indices.flatten().to_numpy()
    if not sparse.all():
        every = np.arange(indptr[-1]) - np.repeat(indptr[:-1], lengths)  # as if all were dense
        every[np.repeat(sparse, lengths)] = columns
        columns = every.astype(np.int32)
    data = _whole(values.flatten().to_numpy())
    return sp.csr_array((data, columns, indptr.astype(np.int32)), shape=(len(sizes), sizes[0]))


def _lengths(lists: Any) -> NDArray[np.int64]:
    return np.asarray(lists.value_lengths().fill_null(0).to_numpy(), dtype=np.int64)


def _whole(values: NDArray[np.float64]) -> NDArray[Any]:
    """Give whole values as integers: a vector of Spark holds doubles, whatever it counts."""
    with np.errstate(invalid="ignore"):
        integers = values.astype(np.int64)
    return integers if np.array_equal(integers, values) else values


def _column(values: Any, what: str) -> Any:
    """Give labels or weights as what Python has for them."""
    _refuse_null(values, what)
    if pa.types.is_integer(values.type) or pa.types.is_floating(values.type):
        return values.to_numpy()
    return values.to_pylist()


def _refuse_null(values: Any, what: str) -> None:
    if values.null_count:
        absent = pc.is_null(values).to_numpy(zero_copy_only=False)
        _refuse_first(absent, lambda row: f"the {what} of row {row} is null")


def _refuse_first(wrong: NDArray[np.bool_], message: Any) -> None:
    if wrong.any():
        raise ValueError(message(int(np.argmax(wrong))))
