"""The work of Spark's executors, without Spark: vectors in Arrow's form, and counts in pieces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import termsift as ts

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
    ("rows", "n_terms", "message"),
    [
        ([sparse(3), None], None, "the vector of row 1 is null"),
        ([sparse(3), dense(1, 2)], None, "the vector of row 1 has 2 terms, others have 3"),
        ([sparse(3)], 4, "the vector of row 0 has 3 terms, others have 4"),
    ],
)
def test_invalid_vectors_are_refused(rows: Any, n_terms: int | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        spark._matrix(vectors(*rows), n_terms)


@pytest.mark.parametrize("window_bytes", [1, 300, 1 << 26])
def test_windows_hold_every_row_once(monkeypatch: pytest.MonkeyPatch, window_bytes: int) -> None:
    monkeypatch.setattr(spark, "_WINDOW_BYTES", window_bytes)
    batches = [
        pa.RecordBatch.from_arrays([pa.array(range(start, stop))], ["row"])
        for start, stop in ((0, 10), (10, 10), (10, 45), (45, 100))
    ]
    windows = [row for (rows,) in spark._windows(batches) for row in rows.to_pylist()]
    assert windows == list(range(100))
    assert len(list(spark._windows(batches))) == {1: 3, 300: 2, 1 << 26: 1}[window_bytes]


def node_of(tables: list[Any]) -> Any:
    """Return the rows of one node of the tree, in another order."""
    rows = pa.concat_tables(tables)
    order = np.random.default_rng(0).permutation(rows.num_rows)
    return rows.take(order).append_column("node", pa.array([7] * rows.num_rows, pa.int32()))


def test_pieces_are_added_up_in_any_order_of_arrival(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark, "_PIECE_BYTES", 70)
    X = np.random.default_rng(5).random((27, 20))
    counts = [ts.count(X[i : i + 9], [f"class {i % 2}"] * 9) for i in (0, 9, 18)]
    tables = [spark._pieces(part, lambda part=part: counts[part]) for part in range(3)]
    assert sum(table.num_rows for table in tables) > 20
    total = spark._add_up(spark._added, node_of(tables))
    assert total["error"].null_count == total.num_rows
    assert set(total["part"].to_pylist()) == {7}
    assert total["piece"].to_pylist() == list(range(total.num_rows))
    assert spark._from_pieces(total["counts"].to_pylist()) == counts[0] + counts[1] + counts[2]
    assert spark._pieces(0, lambda: None).num_rows == 0
    refusal = spark._add_up(spark._added, node_of([tables[0], tables[1][:-1]]))
    assert refusal["error"].to_pylist() == ["ValueError"]
    assert "partial counts: the saved counts are truncated" in refusal["message"][0].as_py()


def test_counts_that_cannot_be_added_become_a_row_with_the_error() -> None:
    huge = ts.count(sp.csr_array([[2**62]]), ["a"])
    tables = [spark._pieces(part, lambda: huge) for part in range(2)]
    refusal = spark._add_up(spark._added, node_of(tables))
    assert refusal["error"].to_pylist() == ["CountOverflowError"]
