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
    assert spark._matrix(vectors(sparse(2), sparse(2)), None).shape == (2, 2)


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


def test_the_gate_refuses_an_index_outside_the_matrix() -> None:
    X = spark._matrix(vectors(sparse(3, _0=1), sparse(3, _7=1)), None)
    with pytest.raises(ValueError, match=r"X has .*7.* row 1"):
        ts.count(X, ["a", "a"])


def test_columns() -> None:
    assert spark._values(pa.array([1, 2]), "label").tolist() == [1, 2]
    assert spark._values(pa.array(["a", "b"]), "label") == ["a", "b"]
    assert spark._values(pa.array([True, False]), "label") == [True, False]
    with pytest.raises(ValueError, match="the weight of row 1 is null"):
        spark._values(pa.array([1.0, None]), "weight")


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


# ---- counts in pieces ----------------------------------------------------------------------------


def shards(n: int) -> list[ts.ClassCounts]:
    rng = np.random.default_rng(n)
    return [
        ts.count(sp.csr_array(rng.poisson(0.4, (9, 20))), [f"class {part % 3}"] * 9)
        for part in range(n)
    ]


def with_nodes(rows: list[Any], node_of: dict[int, int]) -> list[Any]:
    return [
        row.append_column("node", pa.array([node_of[row["part"][0].as_py()]], pa.int32()))
        for row in rows
    ]


def test_pieces_of_several_nodes_are_added_up_in_any_order_of_arrival() -> None:
    counts = shards(5)
    rows = [row for part, shard in enumerate(counts) for row in spark._pieces(part, shard, 70)]
    assert len(rows) > 20
    shuffled = [rows[i] for i in np.random.default_rng(0).permutation(len(rows))]
    united: dict[int, list[Any]] = {}
    for row in spark._add_up(with_nodes(shuffled, {0: 0, 1: 0, 2: 0, 3: 1, 4: 1}), piece_bytes=90):
        (piece,) = row.to_pylist()
        assert piece["error"] is None
        assert piece["n_terms"] == 20
        united.setdefault(piece["part"], []).append(piece)
    for node, expected in ((0, counts[0] + counts[1] + counts[2]), (1, counts[3] + counts[4])):
        assert [piece["piece"] for piece in united[node]] == list(range(len(united[node])))
        assert spark._from_pieces(piece["counts"] for piece in united[node]) == expected
    assert list(spark._add_up([], piece_bytes=90)) == []


def test_counts_that_cannot_be_added_become_a_row_with_the_error() -> None:
    huge = ts.count(sp.csr_array([[2**62]]), ["a"])
    rows = [*spark._pieces(0, huge, 1 << 20), *spark._pieces(1, huge, 1 << 20)]
    (refusal,) = spark._add_up(with_nodes(rows, {0: 0, 1: 0}), piece_bytes=90)
    assert refusal.to_pylist()[0]["error"] == "CountOverflowError"
    missing = list(spark._pieces(0, shards(1)[0], 70))[:-1]
    (refusal,) = spark._add_up(with_nodes(missing, {0: 0}), piece_bytes=90)
    assert refusal.to_pylist()[0]["error"] == "ValueError"
    assert "partial counts: the saved counts are truncated" in refusal.to_pylist()[0]["message"]
