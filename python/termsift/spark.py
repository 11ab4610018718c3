"""Count with Spark: each partition on its executor, and the partial counts added up as a tree.

termsift must be installed where the executors run.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import partial, reduce
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

import numpy as np
import scipy.sparse as sp

from termsift import _core
from termsift._counts import counting, file
from termsift._counts.class_counts import ClassCounts
from termsift._counts.texts import check_rules_of_parts
from termsift._util import validation
from termsift._util.adding import TermFrequency
from termsift._util.export import integers_if_whole
from termsift._util.extras import require
from termsift.text import TextRules
from termsift.text._labelled_texts import OnMissing
from termsift.text._rules import check_rules, shows_rules

__all__ = ["count", "count_texts"]

_pa = require("pyarrow", "spark", "termsift.spark")

_SPLIT_EVERY = 8  # partial counts that one task of the tree adds up
_PIECE_BYTES = 1 << 24
_WINDOW_BYTES = 1 << 26
_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double")
_LABELS = (*_NUMBERS, "string", "boolean", "binary")

# Partial counts travel as the bytes of a saved file, cut into pieces because a value of Spark holds
# less than 2 GiB. A row is a piece of the counts of a part, or the error of the part.
_SCHEMA = "part int, piece int, counts binary, error string, message string"
_ROW = _pa.schema(
    [
        ("part", _pa.int32()),
        ("piece", _pa.int32()),
        ("counts", _pa.binary()),
        ("error", _pa.string()),
        ("message", _pa.string()),
    ]
)
_ERRORS = {kind.__name__: kind for kind in (_core.CountOverflowError, ValueError, TypeError)}


def count(
    df: Any,
    features: str = "features",
    label: str = "label",
    weight: str | None = None,
    tf: TermFrequency = "raw",
) -> ClassCounts:
    """Count the rows of a DataFrame by class, on the executors that hold them.

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
    counts = _total(df.selectExpr(*columns), partial(_count_vectors, tf=tf), _added)
    return counting.nothing(tf) if counts is None else counts


@shows_rules
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
    """Count the terms of texts in a DataFrame by class, on the executors that hold them.

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
    rules = check_rules(rules, keywords, count_texts)
    check_rules_of_parts(rules, tf)
    columns = [
        _column_sql(df, text, ("string",), "strings") + " as text",
        _column_sql(df, label, _LABELS, ", ".join(_LABELS)) + " as label",
    ]
    labels = None if classes is None else validation.check_classes(classes)
    count_part = partial(
        counting.count_part, classes=labels, tf=tf, rules=rules, on_missing=on_missing
    )
    of_no_rows = count_part([], [], text=None, label=None)
    count_partition = partial(_count_texts, count_part=count_part)
    counts = _total(df.selectExpr(*columns), count_partition, counting.united)
    return counting.finished_parts(of_no_rows if counts is None else counts, rules)


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
    count_partition: Callable[[int, Iterator[Any]], ClassCounts | None],
    together: Callable[[ClassCounts, ClassCounts], ClassCounts],
) -> ClassCounts | None:
    """Count the partitions and put their counts together, as a tree; None if there are no rows."""
    count_rows = partial(_count_rows, count_partition)
    tree = partials = documents.mapInArrow(count_rows, _SCHEMA).persist()
    try:
        # This counts the rows, once: the tree below starts from the persisted counts.
        of_parts = _checked(partials.where("piece = 0").drop("counts").collect())
        if not of_parts:
            return None
        n_parts = max(row.part for row in of_parts) + 1
        while n_parts > 1:
            n_parts = -(-n_parts // _SPLIT_EVERY)
            nodes = tree.selectExpr("*", f"cast(part div {_SPLIT_EVERY} as int) as node")
            # Spark chooses how to call a function by its type hints, which a partial has not.
            add_up = lambda pieces: _add_up(together, pieces)  # noqa: E731
            tree = nodes.groupBy("node").applyInArrow(add_up, _SCHEMA)
        return _from_pieces(row.counts for row in _checked(tree.collect()))
    finally:
        partials.unpersist()


def _checked(rows: list[Any]) -> list[Any]:
    """Return rows in order, or raise the first error that one of them holds."""
    rows = sorted(rows, key=lambda row: (row.part, row.piece))
    for row in rows:
        if row.error is not None:
            raise _ERRORS[row.error](row.message)
    return rows


# ---- on the executors ----------------------------------------------------------------------------


def _count_rows(
    count_partition: Callable[[int, Iterator[Any]], ClassCounts | None], batches: Iterator[Any]
) -> Iterator[Any]:
    """Yield the counts of a partition in pieces, or its error; nothing if it has no rows."""
    task: Any = require("pyspark", "spark", "termsift.spark").TaskContext.get()
    part = task.partitionId()
    yield from _pieces(part, lambda: count_partition(part, batches)).to_batches(max_chunksize=1)


def _count_vectors(part: int, batches: Iterator[Any], *, tf: Any) -> ClassCounts | None:
    """Count the rows (vector, label and perhaps weight) of a partition; return None for none."""
    counts = counting.nothing(tf)
    start = 0
    for vectors, labels, *weights in _windows(batches):
        with validation.naming(f"partition {part}, from row {start}"):
            X = _matrix(vectors, counts.n_terms if start else None)
            counts.update(X, _values(labels), *map(_values, weights), n_threads=1)
        start += len(vectors)
    return counts if start else None


def _count_texts(part: int, batches: Iterator[Any], *, count_part: Any) -> ClassCounts | None:
    """Count the rows (text, label) of a partition; return None for none."""
    if (first := next(batches, None)) is None:
        return None
    rows = _pa.RecordBatchReader.from_batches(first.schema, chain([first], batches))
    with validation.naming(f"partition {part}"):
        counts: ClassCounts = count_part(rows, None, text="text", label="label")
        return counts


def _added(a: ClassCounts, b: ClassCounts) -> ClassCounts:
    """Return the sum of counts of vectors, whose terms are matched by index."""
    if a.n_terms != b.n_terms:
        raise ValueError(
            f"some partitions have vectors of {a.n_terms} terms, others of {b.n_terms}"
        )
    return a + b


def _add_up(together: Callable[[ClassCounts, ClassCounts], ClassCounts], pieces: Any) -> Any:
    """Return the sum of the counts of the parts of one node, in their order."""
    pieces = pieces.sort_by([("part", "ascending"), ("piece", "ascending")])
    rows = zip(pieces["part"].to_pylist(), pieces["counts"], strict=True)
    of_parts = (
        _from_pieces(data.as_py() for _, data in of_part)
        for _, of_part in groupby(rows, itemgetter(0))
    )
    return _pieces(pieces["node"][0].as_py(), lambda: reduce(together, of_parts))


def _from_pieces(pieces: Iterable[bytes]) -> ClassCounts:
    """Return the counts whose bytes were cut into these pieces."""
    return ClassCounts._of(file.counts_from_bytes(b"".join(pieces), "partial counts"))


def _pieces(part: int, count: Callable[[], ClassCounts | None]) -> Any:
    """Return counts as a table of pieces, or an error as a row: Spark would retry a task."""
    rows: list[dict[str, Any]] = []
    try:
        if (counts := count()) is not None:
            data = file.counts_to_bytes(counts._state)
            pieces = (data[i : i + _PIECE_BYTES] for i in range(0, len(data), _PIECE_BYTES))
            rows = [{"part": part, "piece": i, "counts": piece} for i, piece in enumerate(pieces)]
    except (ValueError, TypeError) as error:
        kind = next(name for name, kind in _ERRORS.items() if isinstance(error, kind))
        rows = [{"part": part, "piece": 0, "counts": b"", "error": kind, "message": str(error)}]
    return _pa.Table.from_pylist(rows, _ROW)


# ---- from Arrow to matrices and labels -----------------------------------------------------------


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
    if vectors.null_count:
        null = int(np.argmax(vectors.is_null().to_numpy(zero_copy_only=False)))
        raise ValueError(f"the vector of row {null} is null")
    is_sparse = vectors.field("type").to_numpy(zero_copy_only=False) == 0
    indices, values = vectors.field("indices"), vectors.field("values")
    lengths = np.asarray(values.value_lengths().to_numpy(), dtype=np.int64)
    sizes = np.where(is_sparse, vectors.field("size").fill_null(0).to_numpy(), lengths)
    expected = sizes[0] if n_terms is None else n_terms
    if (sizes != expected).any():
        row = int(np.argmax(sizes != expected))
        raise ValueError(f"the vector of row {row} has {sizes[row]} terms, others have {expected}")
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    columns = indices.flatten().to_numpy()
    if not is_sparse.all():
        every = np.arange(indptr[-1]) - np.repeat(indptr[:-1], lengths)  # as if all were dense
        every[np.repeat(is_sparse, lengths)] = columns
        columns = every.astype(np.int32)
    data = integers_if_whole(values.flatten().to_numpy())  # Spark's vectors hold doubles
    return sp.csr_array((data, columns, indptr.astype(np.int32)), shape=(len(sizes), sizes[0]))


def _values(column: Any) -> Any:
    """Return labels or weights as a numpy array, or as a list if they are not numbers."""
    is_number = _pa.types.is_integer(column.type) or _pa.types.is_floating(column.type)
    return column.to_numpy() if is_number and not column.null_count else column.to_pylist()
