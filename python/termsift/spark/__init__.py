"""Counting and selecting with Spark: partial counts on the workers, united as a tree.

A worker imports termsift, so it must be installed where the executors run.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from termsift._api import counting
from termsift._api.class_counts import ClassCounts
from termsift._api.counting import TermFrequency
from termsift._scores.ranking import Ranking
from termsift._util import validation
from termsift._util.extras import require
from termsift.spark import _partials

if not TYPE_CHECKING:
    require("pyspark.ml", "spark", "termsift.spark")

from pyspark import keyword_only
from pyspark.ml import Estimator, Model
from pyspark.ml.feature import VectorSlicer
from pyspark.ml.linalg import VectorUDT
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import HasFeaturesCol, HasLabelCol, HasOutputCol, HasWeightCol
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable

__all__ = ["TermSelector", "TermSelectorModel", "count"]

_SPLIT_EVERY = 8  # parts that a task of the tree unites
_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double")
_LABELS = (*_NUMBERS, "string", "boolean", "binary")


def count(
    df: Any,
    features: str = "features",
    label: str = "label",
    weight: str | None = None,
    tf: TermFrequency = "raw",
) -> ClassCounts:
    """Count the rows of a DataFrame by class, where they are.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        A row a document.
    features : str, default "features"
        The column of how often each term occurs: Spark ML's vectors, sparse or dense, all of one
        size, such as ``CountVectorizer`` and ``HashingTF`` make of text. None is made dense.
    label : str, default "label"
        The column of classes: strings, numbers, booleans or binary.
    weight : str, optional
        A column of numbers; a document of weight w counts as w documents.
    tf : {"raw", "log", "binary"}
        As for `termsift.count`.

    Returns
    -------
    counts : ClassCounts
        As `termsift.count` gives of all rows. Vectors of Spark hold doubles: where they are whole
        numbers, and so are the weights by their type, counts are exact int64, as of integers.

    Raises
    ------
    ValueError, CountOverflowError
        As `termsift.count`, with the partition and the row from which on it was counted when the
        row within that went wrong; for a null; for vectors of several sizes; for a column that is
        not there.
    TypeError
        For a column of another type.

    Notes
    -----
    Rows go to Python by Arrow as they are, some 64 MiB at a time, and stay on their executor: what
    moves are counts, 20 bytes for each pair of a class and a term it contains. Eight parts at a
    time they are united, until one is left, which comes to the driver: its
    ``spark.driver.maxResultSize`` must allow that. Partial counts are persisted meanwhile, on disk
    where memory is short.

    Integers are exact in any order. Of fractions, the rows of a partition are summed in their order
    and the partitions in theirs: the bits depend on how the rows are cut into partitions alone.

    Examples
    --------
    Of text, by Spark's own transformers:

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
    tf = validation.check_tf(tf)  # type: ignore[assignment]
    columns = [_quoted(df, features, _is_vector, "vectors of pyspark.ml") + " as vector"]
    columns.append(_quoted(df, label, _LABELS.__contains__, ", ".join(_LABELS)) + " as label")
    if weight is not None:
        columns.append(
            _quoted(df, weight, _NUMBERS.__contains__, ", ".join(_NUMBERS)) + " as weight"
        )
    return _count(df.selectExpr(*columns), tf)


def _count(
    documents: Any, tf: TermFrequency, piece_bytes: int = _partials.PIECE_BYTES
) -> ClassCounts:
    """Count documents of (vector, label) or (vector, label, weight)."""
    count_partition = partial(_partials.count_partition, tf=tf, piece_bytes=piece_bytes)
    unite = partial(_partials.unite, piece_bytes=piece_bytes)
    partials = documents.mapInArrow(count_partition, _partials.SCHEMA).persist()
    try:
        # The rows are counted here, once: what follows works on what is persisted.
        rows = partials.where("piece = 0").drop("counts").collect()
        parts = sorted(rows, key=lambda row: row.part)
        _raise_first(parts)
        if not parts:
            return _partials.empty_counts(tf)
        for other in parts[1:]:
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
                .mapInArrow(unite, _partials.SCHEMA)
            )
        pieces = tree.collect()
        _raise_first(pieces)
        return _partials.from_pieces(
            row.counts for row in sorted(pieces, key=lambda row: row.piece)
        )
    finally:
        partials.unpersist()


def _raise_first(rows: Any) -> None:
    for row in rows:
        if row.error is not None:
            raise _partials.ERRORS[row.error](row.message)


def _is_vector(type_name: str) -> bool:
    return bool(type_name == VectorUDT().simpleString())


def _quoted(df: Any, name: str, is_expected: Any, expected: str) -> str:
    """Give the column's name as SQL has it, if its type is as expected."""
    if name not in df.columns:
        raise ValueError(f"the DataFrame has no column {name!r}, it has {', '.join(df.columns)}")
    kind = df.schema[name].dataType
    if not is_expected(kind.simpleString()):
        raise TypeError(f"column {name!r} is of type {kind.simpleString()}, expected {expected}")
    return "`" + name.replace("`", "``") + "`"


# ---- selecting -----------------------------------------------------------------------------------


def _parameter(name: str, doc: str, converter: str) -> Any:
    convert = getattr(TypeConverters, converter)
    return Param(Params._dummy(), name, doc, typeConverter=convert)


class _SelectorParams(HasFeaturesCol, HasLabelCol, HasWeightCol, HasOutputCol):
    """What the estimator is told and its model remembers."""

    method = _parameter("method", "a name of termsift.methods", "toString")
    k = _parameter("k", "how many terms; all, if there are fewer", "toInt")
    policy = _parameter("policy", "top or round_robin", "toString")
    model = _parameter("model", "what is counted: multinomial, binary, ...", "toString")
    alpha = _parameter("alpha", "smoothing", "toFloat")
    tf = _parameter("tf", "what counts of occurrences: raw, log or binary", "toString")

    def __init__(self) -> None:
        super().__init__()
        self._setDefault(
            method="md", k=1000, policy="top", model="multinomial", alpha=1.0, tf="raw"
        )


class TermSelector(_SelectorParams, Estimator, DefaultParamsReadable, DefaultParamsWritable):
    """Keep the columns of the best terms: an estimator for Spark ML's pipelines.

    Parameters
    ----------
    featuresCol, labelCol, weightCol, outputCol : str
        Columns as for `count`, "features" and "label" by default, no weights, and the column to
        add. All are keywords.
    method : str, default "md"
        A name of `termsift.methods`, or "greedy".
    k : int, default 1000
        How many terms; all, if there are fewer.
    policy, model, alpha
        As for `termsift.ClassCounts.rank`; alpha is one number.
    tf : {"raw", "log", "binary"}
        As for `termsift.count`. The vectors that are made keep what they hold.

    See Also
    --------
    termsift.TermSelector : The same for scikit-learn.

    Examples
    --------
    >>> from pyspark.ml.linalg import Vectors
    >>> rows = [(Vectors.sparse(3, {0: 4, 1: 1}), "ham"), (Vectors.sparse(3, {1: 1, 2: 2}), "spam")]
    >>> df = spark.createDataFrame(rows, ["features", "label"]).coalesce(1)
    >>> model = ts.spark.TermSelector(k=2, outputCol="best").fit(df)
    >>> model.selectedFeatures
    [0, 2]
    >>> model.transform(df).head().best
    SparseVector(2, {0: 4.0})
    """

    @keyword_only  # type: ignore[untyped-decorator]
    def __init__(
        self,
        *,
        featuresCol: str = "features",
        labelCol: str = "label",
        weightCol: str | None = None,
        outputCol: str | None = None,
        method: str = "md",
        k: int = 1000,
        policy: str = "top",
        model: str = "multinomial",
        alpha: float = 1.0,
        tf: str = "raw",
    ) -> None:
        super().__init__()
        self.setParams(**self._input_kwargs)

    @keyword_only  # type: ignore[untyped-decorator]
    def setParams(
        self,
        *,
        featuresCol: str | None = None,
        labelCol: str | None = None,
        weightCol: str | None = None,
        outputCol: str | None = None,
        method: str | None = None,
        k: int | None = None,
        policy: str | None = None,
        model: str | None = None,
        alpha: float | None = None,
        tf: str | None = None,
    ) -> TermSelector:
        """Set some of the parameters."""
        self._set(**self._input_kwargs)
        return self

    def _fit(self, dataset: Any) -> TermSelectorModel:
        of = self.getOrDefault
        k = of("k")
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k}")
        how = {name: of(name) for name in ("method", "policy", "model", "alpha")}
        # What cannot be ranked so is refused here, of two documents, and not after hours.
        counting.count(np.eye(2, dtype=int), [0, 1]).rank(k=k, **how)
        weight = of("weightCol") if self.isDefined("weightCol") else None
        counts = count(dataset, of("featuresCol"), of("labelCol"), weight, of("tf"))
        ranking = counts.rank(k=k, **how)
        fitted = TermSelectorModel()
        fitted._set(indices=sorted(ranking.indices.tolist()))
        fitted.counts, fitted.ranking = counts, ranking
        return self._copyValues(fitted)  # type: ignore[no-any-return]


class TermSelectorModel(_SelectorParams, Model, DefaultParamsReadable, DefaultParamsWritable):
    """The columns that `TermSelector` chose.

    It is saved and loaded as Spark ML's own models are, as a line of JSON: the parameters of its
    estimator, and ``indices``, the columns in increasing order. Spark's ``VectorSlicer`` does the
    work.

    Attributes
    ----------
    counts : ClassCounts or None
        What was counted; None once loaded.
    ranking : Ranking or None
        The terms that are kept, best first; None once loaded.
    """

    indices = _parameter("indices", "the columns to keep, in increasing order", "toListInt")
    counts: ClassCounts | None = None
    ranking: Ranking | None = None

    @property
    def selectedFeatures(self) -> list[int]:
        """The columns to keep, in increasing order, by the name that Spark's selectors have."""
        return list(self.getOrDefault("indices"))

    def _transform(self, dataset: Any) -> Any:
        of = self.getOrDefault
        slicer = VectorSlicer(
            inputCol=of("featuresCol"), outputCol=of("outputCol"), indices=of("indices")
        )
        return slicer.transform(dataset)
