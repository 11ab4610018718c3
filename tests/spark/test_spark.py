"""Counting with Spark, in a local session, equals counting the whole collection."""

from __future__ import annotations

import doctest
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import termsift as ts
from wording import raises, warns

pytest.importorskip("pyspark", reason="termsift.spark needs pyspark: pip install 'termsift[spark]'")
pytest.importorskip("pyarrow", reason="termsift.spark needs pyarrow: pip install 'termsift[spark]'")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java", allow_module_level=True)

pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    # PySpark 4.0 leaves sockets open.
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Start a session whose workers find termsift by PYTHONPATH, as if it were installed."""
    from pyspark.sql import SparkSession

    folder = str(Path(ts.__file__).parents[1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")]))
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        session = (
            SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.memory", "1g")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("spark")))
            .getOrCreate()
        )
        session.sparkContext.setLogLevel("ERROR")
        yield session
        session.stop()


def collection(n_docs: int = 120, n_terms: int = 30) -> tuple[Any, list[str]]:
    rng = np.random.default_rng(0)
    # The last class occurs late, so it is absent from the first partitions.
    labels = rng.integers(0, 2 + np.arange(n_docs) * 2 // n_docs, n_docs)
    return sp.csr_array(rng.poisson(0.3, (n_docs, n_terms))), [f"class {c}" for c in labels]


def frame(spark: Any, X: Any, y: Any, weights: Any = None, n_parts: int = 3, dense: int = 0) -> Any:
    """Return a DataFrame of the rows. The rows in ``dense`` become dense vectors."""
    from pyspark.ml.linalg import Vectors

    def vector(row: int) -> Any:
        part = sp.csr_array(X[[row]])
        if dense and row % dense == 0:
            return Vectors.dense(part.toarray().ravel())
        return Vectors.sparse(part.shape[1], part.indices.tolist(), part.data.tolist())

    columns = [[vector(row) for row in range(X.shape[0])], y]
    names = ["features", "label"]
    if weights is not None:
        columns.append(weights)
        names.append("weight")
    rows = spark.sparkContext.parallelize(list(zip(*columns, strict=True)), n_parts)
    return spark.createDataFrame(rows, names)


def test_the_counts_are_those_of_the_whole(spark: Any) -> None:
    X, y = collection()
    whole = ts.count(X, y)
    # The counts of the partitions are merged in a tree. There are more partitions than one task
    # merges. One partition is empty, and some rows are dense.
    df = frame(spark, X, y, n_parts=10, dense=7)
    some = df.union(df.limit(0)).withColumnRenamed("features", "a.vector`s name")
    assert ts.spark.count(some, features="a.vector`s name") == whole
    weights = [row % 3 for row in range(120)]
    weighted = frame(spark, X, y, weights, n_parts=1)
    assert ts.spark.count(weighted, sample_weight="weight", tf="binary") == ts.count(
        X, y, weights, tf="binary"
    )


def test_classes_keep_their_order_and_refuse_other_labels(spark: Any) -> None:
    X, y = collection()
    classes = ["unseen", *sorted(set(y), reverse=True)]
    df = frame(spark, X, y, n_parts=3)
    assert ts.spark.count(df, classes=classes) == ts.count(X, y, classes=classes)
    assert ts.spark.count(df.limit(0), classes=classes).classes == classes
    with raises(ValueError, "a_label_of_a_partition_is_unseen", argument="label"):
        ts.spark.count(df, classes=["unseen"])


def test_fractions_are_summed_in_the_order_of_the_partitions(spark: Any) -> None:
    X, y = collection()
    X = sp.csr_array(X * np.sqrt(2))
    numbers = [float(label[-1]) for label in y]
    got = ts.spark.count(frame(spark, X, numbers))
    assert got == sum(
        (ts.count(X[a : a + 40], numbers[a : a + 40]) for a in (40, 80)),
        start=ts.count(X[:40], numbers[:40]),
    )
    assert got.classes == [0.0, 1.0, 2.0]


def test_several_columns_of_texts(spark: Any) -> None:
    rows = [("one two", "x y", "a"), (None, "eggs", "b"), ("two", "pills", "a")]
    df = spark.createDataFrame(rows, ["title", "body", "label"])
    joined = [f"{title or ''} {body}" for title, body, _ in rows]
    expected = ts.count_texts(joined, ["a", "b", "a"])
    assert ts.spark.count_texts(df, text=["title", "body"]) == expected
    with raises(ValueError, "text_expected_one_column_titel_of_df", argument="text"):
        ts.spark.count_texts(df, text=["titel", "body"])
    with raises(ValueError, "text_must_name_columns", argument="text"):
        ts.spark.count_texts(df, text=[])


def test_nothing_to_count(spark: Any) -> None:
    X, y = collection()
    assert ts.spark.count(frame(spark, X, y).limit(0)) == ts.count(np.empty((0, 0), int), [])


def test_wrong_columns_and_values_are_refused(spark: Any) -> None:
    X, y = collection(6)
    df = frame(spark, X, y, n_parts=2)
    with raises(ValueError, "features_expected_one_column_text_found", argument="features"):
        ts.spark.count(df, features="text")
    with raises(ValueError, "label_expected_one_column_labl_found", argument="label"):
        ts.spark.count(df, label="labl")
    assert ts.spark.count(df, features="FEATURES") == ts.count(X, y)  # Spark ignores the case
    with raises(TypeError, "column_label_is_of_type_string", argument="features"):
        ts.spark.count(df, features="label")
    with raises(TypeError, "column_features_is_of_type_vector", argument="label"):
        ts.spark.count(df, label="features")
    with raises(
        ValueError, "a_sample_weight_of_a_partition_is_no_number", argument="sample_weight"
    ):
        ts.spark.count(df, sample_weight="label")
    with raises(ValueError, "tf_must_be_one_of_raw", argument="tf"):
        ts.spark.count(df, tf="idf")  # type: ignore[arg-type]
    negative = X.copy()
    negative.data[negative.indptr[4]] = -1
    where = f"column {X.indices[X.indptr[4]]},"
    with raises(ValueError, "x_has_in_partition_1", argument="features", at=where):
        ts.spark.count(frame(spark, negative, y, n_parts=2))
    with raises(ValueError, "partition_1_from_row_0_the", argument="label"):
        ts.spark.count(frame(spark, X, [*y[:5], None], n_parts=2))
    wide = frame(spark, sp.csr_array(np.eye(2, 7)), y[:2], n_parts=1)
    with raises(ValueError, "some_partitions_have_vectors_of_30"):
        ts.spark.count(df.union(wide))
    with raises(ValueError, "partition_0_from_row_0_the_2"):
        ts.spark.count(df.union(wide).coalesce(1))
    huge = frame(spark, sp.csr_array([[2.0**62], [2.0**62]]), ["a", "a"], n_parts=2)
    with pytest.raises(ts.CountOverflowError):
        ts.spark.count(huge)


# ---- texts ---------------------------------------------------------------------------------------

WORDS = ["eggs", "bacon", "ÉTÉ", "pills", "Σίσυφος", "日本", "x", "a-b", "don't", "under_score"]
RULES: dict[str, dict[str, Any]] = {
    "words": {},
    "limits": {"min_df": 0.05, "max_df": 0.9, "max_features": 4},
    "pairs": {"ngram_range": (1, 2), "stop_words": ["eggs"], "binary": True, "min_df": 2},
    "vocabulary": {"vocabulary": ["pills", "eggs", "absent"]},
    "hashing": {"hashing": 16},
    "function": {"analyzer": lambda text: text.split()},
}


def texts_and_labels(n_docs: int = 90) -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(3)
    # The last classes and words occur late, so they are absent from the first partitions.
    texts = [
        " ".join(rng.choice(WORDS[: 2 + d * 8 // n_docs], rng.integers(0, 9)))
        for d in range(n_docs)
    ]
    return texts, [f"class {c}" for c in rng.integers(0, 2 + np.arange(n_docs) * 3 // n_docs)]


def text_frame(spark: Any, texts: Any, y: Any, n_parts: int = 10) -> Any:
    rows = spark.sparkContext.parallelize(list(zip(texts, y, strict=True)), n_parts)
    return spark.createDataFrame(rows, ["text", "label"])


@pytest.mark.parametrize("rules", RULES.values(), ids=list(RULES))
def test_texts_are_counted_as_on_one_machine(spark: Any, rules: dict[str, Any]) -> None:
    texts, y = texts_and_labels()
    df = text_frame(spark, texts, y)
    some = df.union(df.limit(0)).withColumnRenamed("text", "a.text`s name")
    # The counts of partitions do not hold the number of empty texts.
    with warns(UserWarning, "13_of_90_texts_are_empty"):
        whole = ts.count_texts(texts, y, **rules)
    assert ts.spark.count_texts(some, text="a.text`s name", **rules) == whole
    assert ts.spark.count_texts(df.coalesce(1), **rules) == whole


def test_texts_and_labels_that_are_null(spark: Any) -> None:
    texts, y = texts_and_labels(9)
    rows = text_frame(spark, [*texts[:8], None], [*y[:7], None, y[8]], 3)
    with raises(ValueError, "partition_2_the_label_of_document", argument="label"):
        ts.spark.count_texts(rows)
    with raises(ValueError, "partition_2_the_text_of_document", argument="text"):
        ts.spark.count_texts(rows.where("label is not null or text is null").fillna("", ["label"]))
    assert ts.spark.count_texts(rows.na.drop()) == ts.count_texts(texts[:7], y[:7])


def test_texts_that_are_refused(spark: Any) -> None:
    texts, y = texts_and_labels(9)
    df = text_frame(spark, texts, y, 2)
    with raises(ValueError, "text_expected_one_column_body_found", argument="text"):
        ts.spark.count_texts(df, text="body")
    lists = df.selectExpr("text", "array(label) AS label")
    with raises(TypeError, "column_label_is_of_type_array", argument="label"):
        ts.spark.count_texts(lists)
    with raises(TypeError, "texts_is_a_dataframe_of_spark", argument="texts"):
        ts.count_texts(df, text="text", label="label")
    with raises(TypeError, "x_is_a_dataframe_of_spark", argument="X"):
        ts.count(df, y)
    numbers = text_frame(spark, [1, 2], y[:2])
    with raises(TypeError, "column_text_of_a_partition_holds_int64", argument="text"):
        ts.spark.count_texts(numbers)
    with raises(ValueError, "a_label_of_a_partition_is_not_in_classes", argument="label"):
        ts.spark.count_texts(df, classes=["class 0"])
    with warns(UserWarning, "no_document_has_a_word_of"):
        assert ts.spark.count_texts(df.limit(0)).n_terms == 0
    with raises(TypeError, "it_needs_raw_counts", argument="max_features"):
        ts.spark.count_texts(df, tf="log", max_features=3)
    assert ts.spark.count_texts(df.limit(0), hashing=8) == ts.count_texts([], [], hashing=8)


def test_docstrings_run(spark: Any) -> None:
    import termsift.spark

    assert doctest.testmod(termsift.spark, extraglobs={"spark": spark, "ts": ts}).failed == 0


def test_max_memory_reads_partitions_twice_and_changes_no_result(spark: Any) -> None:
    texts = [f"often {'sometimes ' * (i % 3)} once{i}" for i in range(200)]
    y = ["ham" if i % 2 else "spam" for i in range(200)]
    df = text_frame(spark, texts, y, 9)
    counts = ts.spark.count_texts(df, min_df=5, max_memory=2**20)
    assert counts == ts.count_texts(texts, y, min_df=5)
    with raises(TypeError, "max_memory_in_a_partition_needs_min_df", argument="max_memory"):
        ts.spark.count_texts(df, max_memory=2**20)
