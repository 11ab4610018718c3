"""What Spark's executors do, tested without Spark: vectors in Arrow format, and partial counts."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import termsift as ts
from wording import raises

pa = pytest.importorskip("pyarrow")
spark = pytest.importorskip("termsift.spark")

VECTOR = pa.struct(
    [
        ("type", pa.int8()),
        ("size", pa.int32()),
        ("indices", pa.list_(pa.int32())),
        ("values", pa.list_(pa.float64())),
    ]
)


def sparse(size: int, **entries: float) -> dict[str, Any]:
    indices = [int(name[1:]) for name in entries]
    return {"type": 0, "size": size, "indices": indices, "values": list(entries.values())}


def dense(*values: float) -> dict[str, Any]:
    return {"type": 1, "size": None, "indices": None, "values": list(values)}


def vectors(*rows: Any) -> Any:
    return pa.array(rows, VECTOR)


def test_sparse_and_dense_vectors() -> None:
    rows = vectors(
        dense(1, 0, 2), sparse(3, _2=5), sparse(3), dense(0, 3, 0), sparse(3, _0=1, _1=2)
    )
    X = spark._matrix(rows, None)
    assert X.toarray().tolist() == [[1, 0, 2], [0, 0, 5], [0, 0, 0], [0, 3, 0], [1, 2, 0]]
    assert X.indices.max() < 3
    assert X.dtype == np.int64
    assert X.indices.dtype == X.indptr.dtype == np.int32
    part = pa.concat_arrays([rows.slice(1, 2), rows.slice(4)])
    assert spark._matrix(part, 3).toarray().tolist() == [[0, 0, 5], [0, 0, 0], [1, 2, 0]]


@pytest.mark.parametrize("value", [0.5, np.nan, np.inf, 2.0**63, -(2.0**70)])
def test_vectors_with_fractions_stay_doubles(value: float) -> None:
    X = spark._matrix(vectors(sparse(2, _0=1, _1=value)), None)
    assert X.dtype == np.float64
    np.testing.assert_array_equal(X.toarray(), [[1, value]])


@pytest.mark.parametrize(
    ("rows", "n_terms", "key"),
    [
        ([sparse(3), None], None, "the_vector_of_row_1_is"),
        ([sparse(3), dense(1, 2)], None, "the_vector_of_row_1_has"),
        ([sparse(3)], 4, "the_vector_of_row_0_has"),
    ],
)
def test_invalid_vectors_are_refused(rows: Any, n_terms: int | None, key: str) -> None:
    with raises(ValueError, key):
        spark._matrix(vectors(*rows), n_terms)


@pytest.mark.parametrize("data", ["text", ["text"], {"text": ["text"], "label": [1]}, None])
def test_only_a_frame_of_spark_is_counted(data: Any) -> None:
    with raises(TypeError, "df_is_an_expected_a", argument="df"):
        spark.count_texts(data)


@pytest.mark.parametrize("classes", [None, ["spam", "unseen", "ham"]])
def test_a_partition_has_the_given_classes(classes: Any) -> None:
    rows = [vectors(dense(1, 0, 2), sparse(3, _2=5)), vectors(sparse(3))]
    labels = [["ham", "spam"], ["ham"]]
    batches = [
        pa.record_batch([of_rows, pa.array(of_labels)], ["vector", "label"])
        for of_rows, of_labels in zip(rows, labels, strict=True)
    ]
    X, y = np.array([[1, 0, 2], [0, 0, 5], [0, 0, 0]]), ["ham", "spam", "ham"]
    assert spark._of_vectors(classes, "raw", 0, iter(batches)) == ts.count(X, y, classes=classes)
    assert spark._of_vectors(classes, "raw", 0, iter([])).classes == (classes or [])
    with raises(ValueError, "partition_0_from_row_0", argument="label", at="partition 0"):
        spark._of_vectors(["spam"], "raw", 0, iter(batches))


def node_of(tables: list[Any]) -> Any:
    """Return the rows for one node of the merging tree, in another order."""
    rows = pa.concat_tables(tables[::-1])
    return rows.append_column("node", pa.array([7] * rows.num_rows, pa.int32()))


def test_counts_are_added_up_in_any_order_of_arrival() -> None:
    X = np.random.default_rng(5).random((27, 20))
    counts = [ts.count(X[i : i + 9], ["ham"] * 9) for i in (0, 9, 18)]
    tables = [spark._row(part, lambda part=part: counts[part]) for part in range(3)]
    (total,) = spark._add_up(spark._added, ts.load, node_of(tables)).to_pylist()
    assert (total["part"], total["error"]) == (7, None)
    assert ts.load(total["counts"]) == counts[0] + counts[1] + counts[2]
    # The last node of an odd number of parts has one part.
    (alone,) = spark._add_up(spark._added, ts.load, node_of(tables[:1])).to_pylist()
    assert (alone["part"], alone["error"], ts.load(alone["counts"])) == (7, None, counts[0])


def test_counts_that_cannot_be_added_become_a_row_with_the_error() -> None:
    huge = ts.count(sp.csr_array([[2**62]]), ["a"])
    refusal = spark._add_up(
        spark._added, ts.load, node_of([spark._row(p, lambda: huge) for p in range(2)])
    )
    refusal = spark._add_up(spark._added, ts.load, node_of([refusal, spark._row(1, lambda: huge)]))
    with pytest.raises(ts.CountOverflowError):
        spark._loaded(ts.load, refusal.to_pylist()[0])


def test_an_error_of_an_executor_keeps_its_arguments_on_its_way_to_the_driver() -> None:
    batch = pa.record_batch({"text": ["bad"], "label": ["a"]})
    count = partial(ts.count_texts, analyzer=lambda text: [7])
    failed = spark._row(0, lambda: spark._of_texts(count, 0, iter([batch])))
    counted = spark._row(1, lambda: ts.count_texts(["good"], ["a"]))
    total = spark._add_up(spark._added, ts.load, node_of([failed, counted]))
    with raises(TypeError, "partition_0_document_0_the_analyzer", argument="analyzer") as error:
        spark._loaded(ts.load, total.to_pylist()[0])
    assert error.value.arguments == ("analyzer",)  # type: ignore[attr-defined]
    plain = spark._row(0, lambda: int("x"))
    with pytest.raises(ValueError, match="invalid literal") as error_of_python:
        spark._loaded(ts.load, plain.to_pylist()[0])
    assert not hasattr(error_of_python.value, "argument")
