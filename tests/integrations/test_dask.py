"""Counting with Dask returns the counts of the whole, and names a wrong chunk."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import reduce
from itertools import pairwise
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import termsift as ts

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
bag = pytest.importorskip("dask.bag")
distributed = pytest.importorskip("distributed")

LABELS: list[Any] = ["ham", ("a", 1), True, 7, 2.5, b"x"]


def collection(n_docs: int = 200, n_terms: int = 40, seed: int = 0) -> tuple[Any, list[Any]]:
    rng = np.random.default_rng(seed)
    X = sp.csr_array(rng.poisson(0.3, (n_docs, n_terms)))
    # The last classes occur late, so they are absent from the first chunks.
    return X, [LABELS[c] for c in rng.integers(0, 2 + np.arange(n_docs) * 4 // n_docs + 1, n_docs)]


def blocked(X: Any, lengths: Any, *, known: bool = True) -> Any:
    """Return a dask array whose blocks are rows of X."""
    ends = np.cumsum(lengths).tolist()
    graph = {("rows", i, 0): X[a:b] for i, (a, b) in enumerate(pairwise([0, *ends]))}
    # da.concatenate would drop empty blocks.
    chunks = (tuple(lengths) if known else (np.nan,) * len(lengths), (X.shape[1],))
    return da.Array(graph, "rows", chunks, meta=sp.csr_array((0, 0), dtype=X.dtype))


def objects(labels: list[Any]) -> Any:
    return np.fromiter(labels, dtype=object, count=len(labels))


LENGTHS = [60, 0, 1, 99, 40]


# ---- where it runs -------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["threads", "processes"])
def client(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    """Workers of either kind; processes find termsift by PYTHONPATH, as if it were installed."""
    folder = str(Path(ts.__file__).parents[1])
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = folder if before is None else os.pathsep.join([folder, before])
    processes = request.param == "processes"
    try:
        with (
            dask.config.set(temporary_directory=str(tmp_path_factory.mktemp("dask"))),
            distributed.LocalCluster(
                n_workers=2 if processes else 1,
                threads_per_worker=1 if processes else 2,
                processes=processes,
                host="127.0.0.1" if processes else None,
                dashboard_address=":0",  # any port: another cluster may run too
            ) as cluster,
            distributed.Client(cluster, set_as_default=False) as client,
        ):
            yield client
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


def test_workers_return_the_counts_of_the_whole(client: Any) -> None:
    X, y = collection()
    whole = ts.count(X, y)
    assert ts.dask.count(blocked(X, LENGTHS), y, client=client, split_every=2) == whole
    chunks = [(X[:80], y[:80]), dask.delayed((X[80:], y[80:]))]
    assert ts.dask.count(chunks, client=client) == whole
    held = client.scatter([(X[:80], y[:80]), (X[80:], y[80:])])
    assert ts.dask.count(held, client=client) == whole
    parts = client.scatter([X, y])
    assert ts.dask.count([tuple(parts)], client=client) == whole


def test_errors_of_workers_reach_the_caller(client: Any) -> None:
    X, y = collection()
    X = X.copy()
    X.data[X.indptr[61]] = -1
    where = re.escape(f"block 3: X has -1 at row 0, column {X.indices[X.indptr[61]]}")
    with pytest.raises(ValueError, match=where):
        ts.dask.count(blocked(X, LENGTHS), y, client=client)
    huge = sp.csr_array([[2**62]])
    with pytest.raises(ts.CountOverflowError):
        ts.dask.count([(huge, ["a"]), (huge, ["a"])], client=client)
    with pytest.raises(ts.CountOverflowError, match="chunk 0: "):
        ts.dask.count([(huge, ["a"], [4])], client=client)


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_the_scheduler_of_dask_itself(scheduler: str) -> None:
    X, y = collection()
    with dask.config.set(scheduler=scheduler):
        assert ts.dask.count(blocked(X, LENGTHS), y) == ts.count(X, y)


# ---- what is counted -----------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def synchronous(request: pytest.FixtureRequest) -> Iterator[None]:
    """The tests below are about chunks, not about where they are counted."""
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.mark.parametrize("split_every", [2, 3, 100])
@pytest.mark.parametrize("lengths", [[200], LENGTHS, [7] * 28 + [4]])
def test_arrays(lengths: list[int], split_every: int) -> None:
    X, y = collection()
    whole = ts.count(X, y)
    array = blocked(X, lengths)
    for labels in (
        y,
        objects(y),
        da.from_array(objects(y), chunks=50),  # cut as X is
        da.from_array(objects(y), chunks=(tuple(lengths),)),
    ):
        assert ts.dask.count(array, labels, split_every=split_every) == whole
    unknown = blocked(X, lengths, known=False)
    labels = da.from_array(objects(y), chunks=(tuple(lengths),))
    assert ts.dask.count(unknown, labels, split_every=split_every) == whole


def test_dense_arrays_and_kinds_of_blocks() -> None:
    X, y = collection()
    whole = ts.count(X, y)
    dense = da.from_array(X.toarray(), chunks=(64, -1))
    assert ts.dask.count(dense, y) == whole
    for kind in (sp.csr_array, sp.csr_matrix, sp.csc_array):
        assert ts.dask.count(dense.map_blocks(kind), da.from_array(objects(y), chunks=64)) == whole


@pytest.mark.parametrize("tf", ["raw", "binary"])
def test_classes_weights_and_indicators(tf: Any) -> None:
    X, y = collection()
    weights = np.arange(200) % 3
    classes = [*LABELS[::-1], "unseen"]
    whole = ts.count(X, y, weights, classes, tf=tf)
    for given in (weights, weights.tolist(), da.from_array(weights, chunks=70)):
        assert (
            ts.dask.count(blocked(X, LENGTHS), y, sample_weight=given, classes=classes, tf=tf)
            == whole
        )
    indicator = np.random.default_rng(1).integers(0, 2, (200, 4))
    several = ts.count(X, indicator, tf=tf)
    for given in (
        indicator,
        indicator.tolist(),
        sp.csr_array(indicator),
        sp.csc_array(indicator),
        da.from_array(indicator, chunks=(70, -1)),
    ):
        assert ts.dask.count(blocked(X, LENGTHS), given, tf=tf) == several


def test_bags_and_lists_of_chunks() -> None:
    X, y = collection()
    whole = ts.count(X, y)
    ends = [0, 60, 60, 61, 160, 200]
    chunks = [(X[a:b], y[a:b]) for a, b in pairwise(ends)]
    assert ts.dask.count(chunks) == whole
    assert ts.dask.count(tuple(chunks)) == whole
    assert ts.dask.count([dask.delayed(chunk, traverse=False) for chunk in chunks]) == whole
    assert ts.dask.count([(dask.delayed(X), dask.delayed(y, traverse=False))]) == whole
    assert ts.dask.count(bag.from_sequence(chunks, npartitions=2)) == whole
    none = bag.from_sequence(chunks, npartitions=3).filter(lambda chunk: chunk[0].shape[0] == 99)
    assert ts.dask.count(none) == ts.count(*chunks[3])  # partitions without a chunk
    weights = np.arange(200)
    weighted = [(X[:30], y[:30], weights[:30]), (X[30:], y[30:], weights[30:])]
    assert ts.dask.count(weighted) == ts.count(X, y, weights)


def test_chunks_of_different_widths_are_added_by_column() -> None:
    chunks = [(np.array([[1, 2]]), ["a"]), (np.array([[0, 0, 3]]), ["b"]), (np.eye(1), ["a"])]
    counts = ts.dask.count(chunks)
    assert counts.term_frequency.toarray().tolist() == [[2, 2, 0], [0, 0, 3]]


def test_labels_that_look_like_tasks_are_labels() -> None:
    # Dask's graphs consist of keys, which are strings and tuples, and of tuples with functions.
    y = [("sum", 1), "x", (max, 3), "block 0"]
    assert ts.dask.count([(np.eye(4, dtype=int), y)]) == ts.count(np.eye(4, dtype=int), y)
    X = da.from_array(np.eye(4, dtype=int), chunks=(2, 4))
    assert ts.dask.count(X, y, classes=y) == ts.count(np.eye(4, dtype=int), y, classes=y)


@pytest.mark.parametrize("tf", ["raw", "log"])
def test_fractions_are_summed_in_the_order_of_the_chunks(tf: Any) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((300, 5)), rng.integers(0, 2, 300)
    array = da.from_array(X, chunks=(11, 5))
    with dask.config.set(scheduler="threads"):
        counts = [ts.dask.count(array, y, tf=tf, split_every=3) for _ in range(3)]
    assert counts[0] == counts[1] == counts[2]
    np.testing.assert_allclose(
        counts[0].term_frequency.toarray(), ts.count(X, y, tf=tf).term_frequency.toarray(), 1e-13
    )
    shards = [ts.count(X[a:b], y[a:b], tf=tf) for a, b in pairwise([*range(0, 300, 11), 300])]
    while len(shards) > 1:
        shards = [reduce(add, shards[i : i + 3]) for i in range(0, len(shards), 3)]
    assert counts[0] == shards[0]


# ---- what is refused -----------------------------------------------------------------------------


X, Y = collection()
ARRAY = blocked(X, LENGTHS)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((ARRAY,), TypeError, "y is missing"),
        ((ARRAY, Y[1:]), ValueError, "y has 199 labels for 200 documents"),
        ((ARRAY, "a"), TypeError, "y must hold labels of the documents in order, got 'a'"),
        ((ARRAY, dask.delayed(Y)), TypeError, "y must hold labels of the documents in order"),
        ((dask.delayed((X, Y)),), TypeError, "a list of chunks .*, which may be delayed, got a D"),
        ((dask.delayed(X), Y), TypeError, "y and sample_weight go with a dask array X"),
        ((ARRAY, da.zeros(150, chunks=50)), ValueError, "y has 150 labels for 200 documents"),
        ((blocked(X, LENGTHS, known=False), Y), ValueError, "of unknown lengths"),
        (
            (blocked(X, LENGTHS, known=False), da.zeros(200, chunks=100)),
            ValueError,
            "y has 2 blocks for the 5 blocks of rows of X",
        ),
        (
            (blocked(X, LENGTHS, known=False), da.zeros(200, chunks=40)),
            ValueError,
            r"block \d: y has 40 labels for \d+ documents",
        ),
        ((da.zeros((4, 6), chunks=(2, 3)), [1] * 4), ValueError, "X has 2 blocks of columns"),
        ((da.zeros(4, chunks=2), [1] * 4), ValueError, "X must have two dimensions"),
        (
            (
                da.zeros((4, 6), chunks=(2, 6)).map_blocks(lambda b: b[:, 1:], chunks=(2, 6)),
                [1] * 4,
            ),
            ValueError,
            r"block \d: it has 5 columns, but X has 6",
        ),
        (([(X, Y)], Y), TypeError, "chunks bring their own"),
        ((X,), TypeError, "X must be a dask array, a dask bag or a list of chunks"),
        (([],), ValueError, "X has no chunks"),
        (([X],), TypeError, "chunk 0: expected .X, y. or .X, y, sample_weight., got a csr_array"),
        (([(X, Y), (X, Y[1:])],), ValueError, "chunk 1: y has 199 labels for 200 documents"),
        (([(X, [[1, 2]] * 200)],), ValueError, "chunk 0: y has 2 at row 0, column 1"),
        (([(X, [set()] * 200)],), TypeError, "chunk 0: the label of document 0 is a set"),
        (
            (bag.from_sequence([(X, Y), (X, Y[1:])], npartitions=1),),
            ValueError,
            "partition 0, element 1: y has 199 labels",
        ),
    ],
)
def test_input_that_does_not_line_up_is_refused(
    arguments: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        ts.dask.count(*arguments)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"tf": "idf"}, ValueError, "tf must be one of"),
        ({"classes": ["a", "a"]}, ValueError, "classes hold 'a' twice"),
        ({"classes": ["ham"]}, ValueError, r"block \d: the label of document .* is not in classes"),
        ({"split_every": 1}, ValueError, "split_every must be at least 2, got 1"),
        ({"split_every": 2.5}, TypeError, "split_every must be an integer"),
        (
            {"sample_weight": -da.ones(200, chunks=200)},
            ValueError,
            r"block \d: sample_weight has -1.0 at row 0",
        ),
        (
            {"sample_weight": dask.delayed([1])},
            ValueError,
            r"sample_weight has shape \(\), expected",
        ),
        ({"sample_weight": [1]}, ValueError, r"sample_weight has shape \(1,\), expected \(200,\)"),
        (
            {"sample_weight": [1] * 160 + [-1] * 40},
            ValueError,
            "sample_weight has -1 at row 160",
        ),
    ],
)
def test_wrong_options_are_refused(options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ts.dask.count(ARRAY, Y, **options)


# ---- imports -------------------------------------------------------------------------------------


@pytest.mark.full
def test_importing_termsift_imports_no_dask() -> None:
    code = (
        "import sys, termsift as ts\n"
        "assert not {'dask', 'distributed', 'pyspark'} & set(sys.modules)\n"
        "assert 'dask' not in dir(ts)\n"  # completing a name would import it
        "sys.modules['dask'] = None\n"
        "try:\n"
        "    ts.dask\n"
        "except ImportError as error:\n"
        "    assert \"needs dask: pip install 'termsift[dask]', or pip\" in str(error)\n"
        "del sys.modules['dask']\n"
        "ts.dask.count\n"
        "assert 'dask' in dir(ts)\n"
        "assert 'distributed' not in sys.modules\n"
    )
    folder = str(Path(ts.__file__).parents[1])
    subprocess.run(
        [sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": folder}
    )
