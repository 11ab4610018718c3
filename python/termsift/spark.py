"""Count with Spark: each partition on its executor, and the partial counts added up as a tree.

termsift must be installed where the executors run.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import partial, reduce
from itertools import chain, pairwise
from operator import add
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from termsift import _core
from termsift._counts import file, parts
from termsift._counts.class_counts import ClassCounts
from termsift._counts.parts import nothing, united
from termsift._counts.texts import check_rules_of_parts
from termsift._util import validation
from termsift._util.adding import TermFrequency
from termsift._util.export import integers_if_whole
from termsift._util.extras import require
from termsift.text import TextRules
from termsift.text._labelled_texts import OnMissing

__all__ = ["count", "count_texts"]

_pa = require("pyarrow", "spark", "termsift.spark")

_SPLIT_EVERY = 8  # partial counts that one task of the tree adds up
_PIECE_BYTES = 1 << 24
_WINDOW_BYTES = 1 << 26
_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double")
_LABELS = (*_NUMBERS, "string", "boolean", "binary")

# Partial counts travel as the bytes of a saved file, cut into pieces because a value and a batch of
# Spark hold less than 2 GiB. A row is a piece of the counts of a part, or the error of the part.
_SCHEMA = "part int, piece int, n_terms long, counts binary, error string, message string"
_ERRORS = {kind.__name__: kind for kind in (_core.CountOverflowError, ValueError, TypeError)}


def count(
    df: Any,
    features: str = "features",
    label: str = "label",
    weight: str | None = None,
    tf: TermFrequency = "raw",
) -> ClassCounts:
    """Count the rows of a DataFrame by class, where the rows are.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        One row per document.
    features : str, default "features"
        The column of term counts: Spark ML's vectors, sparse or dense, all of the same size.
    label : str, default "label"
        The column of classes: strings, numbers, booleans or binary.
    weight : str, optional
        A column of numbers; a document of weight w counts as w documents.
    tf : {"raw", "log", "binary"}
        As for `termsift.count`.

    Returns
    -------
    counts : ClassCounts
        The counts that `termsift.count` returns for all rows. They are exact int64 if all values
        are whole numbers and the weights, if any, are of an integer type.

    Raises
    ------
    ValueError, CountOverflowError
        As `termsift.count`; the message names the partition and the row that its batch began with.
        Also for a null, for vectors of different sizes, and for a missing column.
    TypeError
        For a column of another type.
    ImportError
        If pyspark or pyarrow is not installed.

    Notes
    -----
    Rows go to Python by Arrow, some 64 MiB at a time, and stay on their executor. Only counts move.
    Each task adds up eight partial counts until one is left. It comes to the driver, whose
    ``spark.driver.maxResultSize`` must allow that.

    Fractions are summed in row order within a partition, and the partitions in their order, so the
    bits depend only on how the rows are partitioned.

    Examples
    --------
    From text, with Spark's own transformers:

    >>> from pyspark.ml.feature import CountVectorizer, Tokenizer
    >>> rows = [("bacon and eggs", "ham"), ("eggs", "ham"), ("cheap pills", "spam")]
    >>> df = spark.createDataFrame(rows, ["text", "label"]).coalesce(1)
    >>> words = Tokenizer(inputCol="text", outputCol="words").transform(df)
    >>> vectorizer = CountVectorizer(inputCol="words", outputCol="features").fit(words)
    >>> counts = ts.spark.count(vectorizer.transform(words))
    >>> counts.term_names = vectorizer.vocabulary
    >>> counts.rank("md", k=1).terms
    array(['eggs'], dtype=object)
    """
    vector = require("pyspark.ml.linalg", "spark", "termsift.spark.count").VectorUDT()
    validation.check_tf(tf)
    columns = [
        _column_sql(df, features, (vector.simpleString(),), "vectors of pyspark.ml") + " as vector",
        _column_sql(df, label, _LABELS, ", ".join(_LABELS)) + " as label",
    ]
    if weight is not None:
        columns.append(_column_sql(df, weight, _NUMBERS, ", ".join(_NUMBERS)) + " as weight")
    counts = _total(df.selectExpr(*columns), partial(_count_partition, tf=tf), add)
    return nothing(tf) if counts is None else counts


def count_texts(
    df: Any,
    text: str = "text",
    label: str = "label",
    *,
    classes: Iterable[Hashable] | None = None,
    tf: TermFrequency = "raw",
    rules: TextRules | None = None,
    on_missing: OnMissing = "raise",
    **keywords: Any,
) -> ClassCounts:
    """Count the terms of the texts of a DataFrame by class, where the rows are.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        One row per document.
    text : str, default "text"
        The column of texts, which are strings.
    label : str, default "label"
        The column of classes, as for `count`.
    classes, tf, rules, on_missing, **keywords
        As for `termsift.count_texts`.

    Returns
    -------
    counts : ClassCounts
        The counts that `termsift.count_texts` returns for all rows.

    Raises
    ------
    ValueError, CountOverflowError, TypeError
        As `termsift.count_texts`; the message names the partition and the row within it. Also for a
        column that is missing or of another type, and for ``max_features`` unless tf is "raw".

    Notes
    -----
    Rows go to Python by Arrow, a batch at a time, and the core cuts and counts them there. Only
    counts move, with their words, by which each task of the tree unites eight partial counts. So a
    task needs the memory of eight, and the driver that of all words; it drops terms at the end.

    Examples
    --------
    >>> rows = [("Bacon and eggs", "ham"), ("Eggs", "ham"), ("Cheap pills", "spam")]
    >>> counts = ts.spark.count_texts(spark.createDataFrame(rows, ["text", "label"]))
    >>> list(counts.term_names), counts.term_frequency.toarray().tolist()
    (['and', 'bacon', 'cheap', 'eggs', 'pills'], [[1, 1, 0, 2, 0], [0, 0, 1, 0, 1]])
    """
    rules = check_rules_of_parts(rules, keywords, tf)
    columns = [
        _column_sql(df, text, ("string",), "strings") + " as text",
        _column_sql(df, label, _LABELS, ", ".join(_LABELS)) + " as label",
    ]
    listed = None if classes is None else validation.check_classes(classes)
    count_part = partial(
        parts.count_part, classes=listed, tf=tf, rules=rules, on_missing=on_missing
    )
    of_no_rows = count_part([], [], text=None, label=None)
    counts = _total(df.selectExpr(*columns), partial(_count_texts, count_part=count_part), united)
    return parts.finished(of_no_rows if counts is None else counts, rules)


def _column_sql(df: Any, name: str, types: Iterable[str], expected: str) -> str:
    """Return a column's name in SQL, if it has one of the types."""
    if name not in df.columns:
        raise ValueError(f"the DataFrame has no column {name!r}, it has {', '.join(df.columns)}")
    kind = df.schema[name].dataType.simpleString()
    if kind not in types:
        raise TypeError(f"column {name!r} is of type {kind}, expected {expected}")
    return "`" + name.replace("`", "``") + "`"


def _total(
    documents: Any,
    count_partition: Callable[..., Iterator[Any]],
    together: Callable[[ClassCounts, ClassCounts], ClassCounts],
    piece_bytes: int = _PIECE_BYTES,
) -> ClassCounts | None:
    """Count the partitions and put their counts together, as a tree; None if there are no rows."""
    count_partition = partial(count_partition, piece_bytes=piece_bytes)
    add_up = partial(_add_up, together=together, piece_bytes=piece_bytes)
    partials = documents.mapInArrow(count_partition, _SCHEMA).persist()
    try:
        # This counts the rows, once; the tree below works on what is persisted.
        parts = sorted(
            partials.where("piece = 0").drop("counts").collect(), key=lambda row: row.part
        )
        _raise_first_error(parts)
        if not parts:
            return None
        for other in parts[1:] if together is add else []:  # vectors have no words
            if other.n_terms != parts[0].n_terms:
                raise ValueError(
                    f"partition {other.part} has vectors of {other.n_terms} terms, partition "
                    f"{parts[0].part} of {parts[0].n_terms}"
                )
        tree, n_parts = partials, parts[-1].part + 1
        while n_parts > 1:
            n_parts = -(-n_parts // _SPLIT_EVERY)
            tree = (
                tree.selectExpr("*", f"cast(part div {_SPLIT_EVERY} as int) as node")
                .repartition(n_parts, "node")
                .mapInArrow(add_up, _SCHEMA)
            )
        pieces = sorted(tree.collect(), key=lambda row: row.piece)
        _raise_first_error(pieces)
        return _from_pieces(row.counts for row in pieces)
    finally:
        partials.unpersist()


def _raise_first_error(rows: Iterable[Any]) -> None:
    for row in rows:
        if row.error is not None:
            raise _ERRORS[row.error](row.message)


# ---- on the executors ----------------------------------------------------------------------------


def _count_partition(batches: Iterable[Any], *, tf: Any, piece_bytes: int) -> Iterator[Any]:
    """Count the rows (vector, label and perhaps weight) of a partition; yield nothing for none."""
    task: Any = require("pyspark", "spark", "termsift.spark").TaskContext.get()
    part, counts = task.partitionId(), nothing(tf)
    start = 0
    try:
        for vectors, labels, *weights in _windows(batches):
            with validation.naming(f"partition {part}, from row {start}"):
                counts.update(
                    _matrix(vectors, counts.n_terms if start else None),
                    _values(labels, "label"),
                    _values(weights[0], "weight") if weights else None,
                    n_threads=1,
                )
            start += len(vectors)
    except (ValueError, TypeError) as error:
        yield _error_row(part, error)
        return
    if start:
        yield from _pieces(part, counts, piece_bytes)


def _count_texts(batches: Iterable[Any], *, count_part: Any, piece_bytes: int) -> Iterator[Any]:
    """Count the rows (text, label) of a partition; yield nothing for none."""
    task: Any = require("pyspark", "spark", "termsift.spark").TaskContext.get()
    part, batches = task.partitionId(), iter(batches)
    if (first := next(batches, None)) is None:
        return
    rows = _pa.RecordBatchReader.from_batches(first.schema, chain([first], batches))
    try:
        with validation.naming(f"partition {part}"):
            counts = count_part(rows, None, text="text", label="label")
    except (ValueError, TypeError) as error:
        yield _error_row(part, error)
    else:
        yield from _pieces(part, counts, piece_bytes)


def _add_up(batches: Iterable[Any], *, together: Any = add, piece_bytes: int) -> Iterator[Any]:
    """Add up the counts of the parts of each node, in their order."""
    rows = list(batches)
    if not rows:
        return
    sums = _pa.Table.from_batches(rows)
    sums = sums.sort_by([(name, "ascending") for name in ("node", "part", "piece")])
    data = sums["counts"]
    nodes, parts = (sums[name].to_numpy() for name in ("node", "part"))
    for start, stop in _spans_of_equals(nodes):
        node = int(nodes[start])
        of_parts = (
            _from_pieces(data[start + first : start + last].to_pylist())
            for first, last in _spans_of_equals(parts[start:stop])
        )
        try:
            yield from _pieces(node, reduce(together, of_parts), piece_bytes)
        except (ValueError, TypeError) as error:
            yield _error_row(node, error)


def _spans_of_equals(sorted_values: NDArray[Any]) -> Iterator[tuple[int, int]]:
    """Iterate over the first and last positions (exclusive) of equal values."""
    changes = (np.flatnonzero(np.diff(sorted_values)) + 1).tolist()
    return pairwise([0, *changes, len(sorted_values)])


def _from_pieces(pieces: Iterable[bytes]) -> ClassCounts:
    """Return the counts whose bytes were cut into these pieces."""
    return ClassCounts._of(file.counts_from_bytes(b"".join(pieces), "partial counts"))


def _pieces(part: int, counts: ClassCounts, piece_bytes: int) -> Iterator[Any]:
    data = file.counts_to_bytes(counts._state)
    for piece, start in enumerate(range(0, len(data), piece_bytes)):
        piece_of_data = bytes(data[start : start + piece_bytes])
        yield _row(part, piece, counts.n_terms, piece_of_data, None, None)


def _error_row(part: int, error: Exception) -> Any:
    """Return the row for an error; Spark would retry a task that raises, and bury it in logs."""
    kind = next(name for name, kind in _ERRORS.items() if isinstance(error, kind))
    return _row(part, 0, 0, b"", kind, str(error))


def _row(*values: Any) -> Any:
    types = (_pa.int32(), _pa.int32(), _pa.int64(), _pa.binary(), _pa.string(), _pa.string())
    names = [column.split()[0] for column in _SCHEMA.split(", ")]
    arrays = [_pa.array([value], kind) for value, kind in zip(values, types, strict=True)]
    return _pa.RecordBatch.from_arrays(arrays, names)


# ---- from Arrow to what is counted ---------------------------------------------------------------


def _windows(batches: Iterable[Any]) -> Iterator[list[Any]]:
    """Iterate over the columns of many batches at a time: an update passes over all counts."""
    held: list[Any] = []
    size = 0
    for batch in batches:
        if batch.num_rows:
            held.append(batch)
            size += batch.nbytes
        if size >= _WINDOW_BYTES:
            yield [_pa.concat_arrays(parts) for parts in zip(*held, strict=True)]
            held, size = [], 0
    if held:
        yield [_pa.concat_arrays(parts) for parts in zip(*held, strict=True)]


def _matrix(vectors: Any, n_terms: int | None) -> Any:
    """Return vectors, which are structs of (type, size, indices, values), as a CSR matrix."""
    _refuse_null(vectors, "vector")
    sparse = vectors.field("type").to_numpy(zero_copy_only=False) == 0
    indices, values = vectors.field("indices"), vectors.field("values")
    lengths = _lengths(values)
    sizes = np.where(sparse, vectors.field("size").fill_null(0).to_numpy(), lengths)
    expected = sizes[0] if n_terms is None else n_terms
    _refuse_first(
        sizes != expected,
        lambda row: f"the vector of row {row} has {sizes[row]} terms, others have {expected}",
    )
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    columns = indices.flatten().to_numpy()
    if not sparse.all():
        every = np.arange(indptr[-1]) - np.repeat(indptr[:-1], lengths)  # as if all were dense
        every[np.repeat(sparse, lengths)] = columns
        columns = every.astype(np.int32)
    data = integers_if_whole(values.flatten().to_numpy())  # Spark's vectors hold doubles
    return sp.csr_array((data, columns, indptr.astype(np.int32)), shape=(len(sizes), sizes[0]))


def _lengths(lists: Any) -> NDArray[np.int64]:
    return np.asarray(lists.value_lengths().fill_null(0).to_numpy(), dtype=np.int64)


def _values(column: Any, what: str) -> Any:
    """Return labels or weights as a numpy array or a list."""
    _refuse_null(column, what)
    if _pa.types.is_integer(column.type) or _pa.types.is_floating(column.type):
        return column.to_numpy()
    return column.to_pylist()


def _refuse_null(values: Any, what: str) -> None:
    if values.null_count:
        is_null = values.is_null().to_numpy(zero_copy_only=False)
        _refuse_first(is_null, lambda row: f"the {what} of row {row} is null")


def _refuse_first(wrong: NDArray[np.bool_], message: Callable[[int], str]) -> None:
    if wrong.any():
        raise ValueError(message(int(np.argmax(wrong))))
