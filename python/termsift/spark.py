"""Count with Spark: executors count partitions, and a tree of tasks adds up the partial counts.

termsift must be installed where the executors run.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import partial, reduce
from itertools import chain, islice
from operator import itemgetter
from typing import Any, Unpack

import numpy as np
import scipy.sparse as sp

from termsift import _core
from termsift._api import counting
from termsift._api.class_counts import ClassCounts
from termsift._api.parts import count_parts
from termsift._counts.adding import TermFrequency
from termsift._util import validation
from termsift._util.export import integers_if_whole
from termsift._util.extras import is_from, require
from termsift._util.faults import blaming, concerning, said, wrong_type, wrong_value
from termsift.text._rules import Rules, rules_of, shows

__all__ = ["count", "count_texts"]

_pa = require("pyarrow", "spark", "termsift.spark")

_SPLIT_EVERY = 8  # The number of partial counts that one task adds up.
# By default a batch has 10,000 rows. Each update passes over all counts, so one update counts
# several batches.
_BATCHES_AT_ONCE = 16

# Each row holds partial counts as bytes, or an error with the names of its arguments, separated by
# blanks. A task returns its error instead of raising it, because Spark would repeat a failed task.
_TEXTS = ("error", "message", "arguments")
_SCHEMA = f"part int, counts binary, {', '.join(f'{name} string' for name in _TEXTS)}"
_ROW = _pa.schema([("part", "int32"), ("counts", "binary"), *((name, "string") for name in _TEXTS)])
_ERRORS = {kind.__name__: kind for kind in (_core.CountOverflowError, ValueError, TypeError)}


def count(
    df: Any,
    features: str = "features",
    label: str = "label",
    sample_weight: str | None = None,
    classes: Iterable[Hashable] | None = None,
    *,
    tf: TermFrequency = "raw",
) -> ClassCounts:
    """Count the rows of a DataFrame by class, on the executors that hold the rows.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        One row per document.
    features : str, default "features"
        The column of term counts, which are vectors of Spark ML, sparse or dense, of equal size.
    label : str, default "label"
        The column of classes.
    sample_weight : str, optional
        A column of numbers. A document of weight w counts as w documents.
    classes, tf
        As for `termsift.count`.

    Returns
    -------
    counts : ClassCounts
        The counts that `termsift.count` returns for all rows. The counts are exact int64 if all
        values are whole numbers and the weights, if any, are of an integer type.

    Raises
    ------
    ValueError, CountOverflowError, TypeError
        As for `termsift.count`. An error message names the partition, and the first row of the
        batches that were counted together. Errors are also raised for null values, for vectors of
        different sizes, and for features that are not vectors.
    ImportError
        If pyspark or pyarrow is not installed.

    Notes
    -----
    Each executor passes its rows to Python with Arrow, sixteen batches at a time. Only counts leave
    the executor, as the bytes of `termsift.ClassCounts.to_bytes`. Spark limits each partial count
    to 2 GiB. Tasks add up eight partial counts at a time, until a single sum is left. The final sum
    is sent to the driver and must not exceed ``spark.driver.maxResultSize``.

    Fractions are summed in row order within a partition, and the counts of partitions are added in
    the order of partitions. The bits of the result depend only on how the rows are partitioned.

    Examples
    --------
    Spark's own transformers make vectors from text:

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
    labels = None if classes is None else validation.check_classes(classes)
    weights = {} if sample_weight is None else {"sample_weight": sample_weight}
    rows = _columns(df, vector=features, label=label, **weights)
    kind = rows.schema["vector"].dataType
    if kind != vector:
        error = wrong_type(
            "column {name!r} is of type {kind}, expected vectors of pyspark.ml",
            name=features,
            kind=kind.simpleString(),
        )
        raise concerning(error, "features")
    counts = _total(rows, partial(_of_vectors, labels, tf), _added, counting.load)
    return _nothing(labels, tf) if counts is None else counts


@shows(Rules)
def count_texts(
    df: Any,
    text: str | list[str] = "text",
    label: str = "label",
    *,
    classes: Iterable[Hashable] | None = None,
    tf: TermFrequency = "raw",
    max_memory: int | None = None,
    **rules: Unpack[Rules],
) -> ClassCounts:
    """Count the terms of texts in a DataFrame by class, on the executors that hold the texts.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        One row per document.
    text : str or list of str, default "text"
        The column of texts, of type string. The texts of several columns are joined as in
        `termsift.count_texts`.
    label : str, default "label"
        The column of classes, as for `count`.
    classes, tf
        As for `termsift.count`.
    max_memory, **rules
        As for `termsift.count_texts`, but ``max_memory`` limits only the sketches in a task. With
        ``max_memory``, the rows are read twice.

    Returns
    -------
    counts : ClassCounts
        The counts that `termsift.count_texts` returns for all rows.

    Raises
    ------
    ValueError, CountOverflowError, TypeError
        As for `termsift.count_texts`, and if ``max_features`` is given, but tf is not "raw". An
        error message names the partition and the row within the partition.

    Notes
    -----
    The notes of `count` apply. Partial counts hold all words, and additions match terms by word. A
    task holds at most eight partial counts. The driver holds all words, and drops terms after the
    last addition.

    Examples
    --------
    >>> rows = [("Bacon and eggs", "ham"), ("Eggs", "ham"), ("Cheap pills", "spam")]
    >>> counts = ts.spark.count_texts(spark.createDataFrame(rows, ["text", "label"]))
    >>> list(counts.term_names), counts.term_frequency.toarray().tolist()
    (['and', 'bacon', 'cheap', 'eggs', 'pills'], [[1, 1, 0, 2, 0], [0, 0, 1, 0, 1]])
    """
    text_rules = rules_of(rules, count_texts)
    texts = text if isinstance(text, list) else [text]
    if not texts:
        raise wrong_value("{text} must name one or several columns")
    columns = {f"text{i or ''}": name for i, name in enumerate(texts)}
    rows = _columns(df, **columns, label=label)

    def total(of_part: Any) -> Any:
        counts = _total(rows, partial(_of_texts, of_part), of_part.together, of_part.load)
        return of_part.nothing() if counts is None else counts

    return count_parts(total, text_rules, tf, classes, max_memory)


def _columns(df: Any, **columns: str) -> Any:
    """Return some columns of a DataFrame under other names."""
    if not (is_from(df, "pyspark") and hasattr(df, "mapInArrow")):
        raise wrong_type(
            "{df} is {kind}, expected a DataFrame of Spark: call spark.createDataFrame, or count "
            "data in memory with termsift.count or count_texts",
            kind=validation.a_kind(df),
        )
    names = [name.lower() for name in df.columns]  # Spark ignores the case of names
    for parameter, name in columns.items():
        shown = "features" if parameter == "vector" else parameter.rstrip("0123456789")
        validation.check_kind(name, str, shown)
        if name.lower() not in names:
            validation.check_one_column(
                shown, name, df.columns, said("name a column of {df}"), shown
            )
    quoted = {new: "`" + name.replace("`", "``") + "`" for new, name in columns.items()}
    rows = df.select(*(df[name].alias(new) for new, name in quoted.items()))
    of_label = rows.schema["label"].dataType
    if not isinstance(of_label, require("pyspark.sql.types", "spark", "termsift.spark").AtomicType):
        error = wrong_type(
            "column {name!r} is of type {kind}, expected one class per document: "
            "pyspark.sql.functions.explode makes a row of each element of an array",
            name=columns["label"],
            kind=of_label.simpleString(),
        )
        raise concerning(error, "label")
    return rows


def _total(
    rows: Any,
    count_partition: Callable[[int, Iterator[Any]], Any],
    together: Callable[[Any, Any], Any],
    load: Callable[[bytes], Any],
) -> Any:
    """Count the partitions, and add up the counts in a tree. Return None if there are no rows."""
    level = require("pyspark", "spark", "termsift.spark").StorageLevel.DISK_ONLY
    tree = partials = rows.mapInArrow(partial(_count_rows, count_partition), _SCHEMA).persist(level)
    add_up = partial(_add_up, together, load)
    try:
        # This statement counts the rows. The counts are persisted, so the tree reuses the counts.
        last = partials.agg({"part": "max"}).first()[0]
        while last:
            last //= _SPLIT_EVERY
            nodes = tree.selectExpr("*", f"cast(part div {_SPLIT_EVERY} as int) as node")
            # The lambda hides type hints, which would change how Spark calls the function.
            tree = nodes.groupBy("node").applyInArrow(lambda table: add_up(table), _SCHEMA)
        total = tree.first()
        return None if total is None else _loaded(load, total)
    finally:
        partials.unpersist()


# ---- on the executors ----------------------------------------------------------------------------


def _loaded(load: Callable[[bytes], Any], row: Any) -> Any:
    """Return the counts of a row, or raise the row's error."""
    if row["error"] is not None:
        raise concerning(_ERRORS[row["error"]](row["message"]), *row["arguments"].split())
    return load(row["counts"])


def _add_up(together: Callable[[Any, Any], Any], load: Callable[[bytes], Any], table: Any) -> Any:
    """Add up the counts of one node of the tree, in the order of their parts."""
    rows = sorted(table.to_pylist(), key=itemgetter("part"))
    return _row(rows[0]["node"], lambda: reduce(together, map(partial(_loaded, load), rows)))


def _row(part: int, count: Callable[[], Any]) -> Any:
    """Return the counts, or the error of counting, as a table of one row."""
    row: dict[str, Any] = {"part": part}
    try:
        row["counts"] = count().to_bytes()
    except (ValueError, TypeError) as error:
        row["error"] = next(name for name, kind in _ERRORS.items() if isinstance(error, kind))
        row["message"], row["arguments"] = str(error), " ".join(getattr(error, "arguments", ()))
    return _pa.Table.from_pylist([row], _ROW)


def _count_rows(
    count_partition: Callable[[int, Iterator[Any]], Any], batches: Iterator[Any]
) -> Iterator[Any]:
    """Yield a row with the counts or error of a partition, or nothing if the partition is empty."""
    task: Any = require("pyspark", "spark", "termsift.spark").TaskContext.get()
    part = task.partitionId()
    full = (batch for batch in batches if batch.num_rows)
    if (first := next(full, None)) is not None:
        batches = chain([first], full)
        yield from _row(part, lambda: count_partition(part, batches)).to_batches()


def _added(a: ClassCounts, b: ClassCounts) -> ClassCounts:
    """Add counts of vectors, with terms matched by index."""
    if a.n_terms != b.n_terms:
        raise ValueError(
            f"some partitions have vectors of {validation.number_of(a.n_terms, 'term')}, others "
            f"have vectors of {b.n_terms}"
        )
    return a + b


def _nothing(classes: list[Hashable] | None, tf: Any) -> ClassCounts:
    """Return counts of no documents, which have the given classes."""
    if classes is None:
        return counting.nothing(tf)
    return counting.count(np.empty((0, 0), dtype=np.int64), [], classes=classes, tf=tf)


def _of_vectors(
    classes: list[Hashable] | None, tf: Any, part: int, batches: Iterator[Any]
) -> ClassCounts:
    """Count the rows (vector, label and perhaps sample_weight) of a partition."""
    counts, start = _nothing(classes, tf), 0
    while held := list(islice(batches, _BATCHES_AT_ONCE)):
        vectors, labels, *weights = map(_pa.concat_arrays, zip(*held, strict=True))
        with (
            blaming("label", instead_of="y"),
            blaming("features", instead_of="X"),
            validation.naming(f"partition {part}, from row {start}"),
        ):
            X = _matrix(vectors, counts.n_terms if start else None)
            counts.update(X, labels, *weights, classes=classes, n_threads=1)
        start += len(vectors)
    return counts


def _of_texts(count: Callable[..., Any], part: int, batches: Iterator[Any]) -> Any:
    """Count the rows (text, label) of a partition."""
    first = next(batches)
    reader = _pa.RecordBatchReader.from_batches(first.schema, chain([first], batches))
    texts = [name for name in first.schema.names if name.startswith("text")]
    with validation.naming(f"partition {part}"):
        return count(reader, None, text=texts, label="label")


# ---- from Arrow to matrices and labels -----------------------------------------------------------


def _matrix(vectors: Any, n_terms: int | None) -> Any:
    """Return vectors, which are structs of (type, size, indices, values), as a CSR matrix."""
    if vectors.null_count:
        null = int(np.argmax(vectors.is_null().to_numpy(zero_copy_only=False)))
        raise concerning(ValueError(f"the vector of row {null} is null"), "X")
    is_sparse = vectors.field("type").to_numpy(zero_copy_only=False) == 0
    indices, values = vectors.field("indices"), vectors.field("values")
    lengths = np.asarray(values.value_lengths().to_numpy(), dtype=np.int64)
    sizes = np.where(is_sparse, vectors.field("size").fill_null(0).to_numpy(), lengths)
    expected = sizes[0] if n_terms is None else n_terms
    if (sizes != expected).any():
        row = int(np.argmax(sizes != expected))
        size = validation.number_of(sizes[row], "term")
        fault = f"the vector of row {row} has {size}, others have {expected}"
        raise concerning(ValueError(fault), "X")
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    columns = indices.flatten().to_numpy()
    if not is_sparse.all():
        every = np.arange(indptr[-1]) - np.repeat(indptr[:-1], lengths)  # columns of dense vectors
        every[np.repeat(is_sparse, lengths)] = columns
        columns = every.astype(np.int32)
    data = integers_if_whole(values.flatten().to_numpy())  # Spark's vectors hold doubles
    return sp.csr_array((data, columns, indptr.astype(np.int32)), shape=(len(sizes), sizes[0]))
