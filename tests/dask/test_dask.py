"""Counting by Dask gives the counts of the whole collection, and errors name the faulty part."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import reduce
from itertools import pairwise
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import termsift as ts
from private import put
from wording import raises

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

pytestmark = pytest.mark.filterwarnings("ignore:.* texts are empty")

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
    # A graph is made by hand, because da.concatenate drops empty blocks.
    chunks = (tuple(lengths) if known else (np.nan,) * len(lengths), (X.shape[1],))
    return da.Array(graph, "rows", chunks, meta=sp.csr_array((0, 0), dtype=X.dtype))


def objects(labels: list[Any]) -> Any:
    return np.fromiter(labels, dtype=object, count=len(labels))


LENGTHS = [60, 0, 1, 99, 40]
X, Y = collection()
YS = da.from_array(np.array(Y, dtype=object), chunks=50)
WHOLE = ts.count(X, Y)
ARRAY, UNKNOWN = blocked(X, LENGTHS), blocked(X, LENGTHS, known=False)

WORDS = ["eggs", "bacon", "ÉTÉ", "pills", "Σίσυφος", "日本", "x", "a-b", "don't", "under_score"]
RNG = np.random.default_rng(3)
# The last classes and words occur late, so they are absent from the first parts.
TEXTS = [" ".join(RNG.choice(WORDS[: 2 + d * 8 // 60], RNG.integers(0, 9))) for d in range(60)]
TEXTS[59] += " under_score" * 500  # "under_score" is frequent in few documents
STARS = [f"class {c}" for c in RNG.integers(0, 2 + np.arange(60) * 3 // 60)]
CUTS = [0, 20, 20, 21, 60]  # a part without documents, and one of a single document
PARTS = [(TEXTS[a:b], STARS[a:b]) for a, b in pairwise(CUTS)]


# ---- where it runs -------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["threads", "processes"])
def workers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    """Start workers as threads or processes. Processes find termsift by PYTHONPATH."""
    folder = str(Path(ts.__file__).parents[1])
    processes = request.param == "processes"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")]))
        with (
            dask.config.set(temporary_directory=str(tmp_path_factory.mktemp("dask"))),
            distributed.LocalCluster(
                n_workers=2 if processes else 1,
                threads_per_worker=1 if processes else 2,
                processes=processes,
                host="127.0.0.1" if processes else None,
                dashboard_address=":0",  # any free port, because another cluster may run
            ) as cluster,
            distributed.Client(cluster, set_as_default=False) as client,
        ):
            yield client


@pytest.fixture
def client(workers: Any) -> Iterator[Any]:
    """Connect a client, so that the workers count."""
    with dask.config.set(scheduler=workers):
        yield workers


def test_workers_return_the_counts_of_the_whole(client: Any) -> None:
    assert ts.dask.count(blocked(X, [7] * 28 + [4]), YS) == WHOLE
    chunks = [(X[:80], Y[:80]), dask.delayed((X[80:], Y[80:]))]
    assert ts.dask.count(chunks) == WHOLE
    held = client.scatter([(X[:80], Y[:80]), (X[80:], Y[80:])])
    assert ts.dask.count(held) == WHOLE
    assert ts.dask.count([tuple(client.scatter([X, Y]))]) == WHOLE
    rules: Any = {"ngram_range": (1, 2), "min_df": 2}
    of_texts = ts.count_texts(TEXTS, STARS, **rules)
    for parts in (PARTS, client.scatter(PARTS)):
        assert ts.dask.count_texts(parts, **rules) == of_texts


def test_workers_without_termsift_are_named(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # Dask would wait for ever for such workers.
    put(monkeypatch, search_for_termsift=lambda name: None)
    with raises(ImportError, "workers_lack_termsift_install_it"):
        ts.dask.count_texts(PARTS)


def test_errors_of_workers_reach_the_caller(client: Any) -> None:
    negative = X.copy()
    negative.data[negative.indptr[61]] = -1
    where = f"column {X.indices[X.indptr[61]]},"
    with raises(ValueError, "block_3_x_has", argument="X", at=where):
        ts.dask.count(blocked(negative, LENGTHS), YS)
    huge = sp.csr_array([[2**62]])
    with pytest.raises(ts.CountOverflowError):
        ts.dask.count([(huge, ["a"]), (huge, ["a"])])
    with raises(ts.CountOverflowError, "chunk_overflows", at="chunk 0"):
        ts.dask.count([(huge, ["a"], [4])])
    with raises(ValueError, "part_1_the_label_of", argument="y", at="part 1"):
        ts.dask.count_texts([PARTS[0], (["eggs"], [None])])


@pytest.fixture(autouse=True)
def synchronous(request: pytest.FixtureRequest) -> Iterator[None]:
    """Count in this process, because the tests below are about chunks, not about workers."""
    with dask.config.set(scheduler="synchronous"):
        yield


# ---- matrices ------------------------------------------------------------------------------------


@pytest.mark.parametrize("lengths", [[200], LENGTHS, [7] * 28 + [4]])
def test_arrays(lengths: list[int]) -> None:
    cut_alike = da.from_array(objects(Y), chunks=(tuple(lengths),))
    for labels in (YS, cut_alike):
        assert ts.dask.count(blocked(X, lengths), labels) == WHOLE
    assert ts.dask.count(blocked(X, lengths, known=False), cut_alike) == WHOLE
    dense = da.from_array(X.toarray(), chunks=(64, -1))
    for kind in (np.asarray, sp.csr_matrix, sp.csc_array):
        assert ts.dask.count(dense.map_blocks(kind), da.from_array(objects(Y), chunks=64)) == WHOLE


@pytest.mark.parametrize("tf", ["raw", "binary"])
def test_classes_and_indicators(tf: Any) -> None:
    classes = [*LABELS[::-1], "unseen"]
    whole = ts.count(X, Y, None, classes, tf=tf)
    assert ts.dask.count(ARRAY, YS, classes=classes, tf=tf) == whole
    indicator = np.random.default_rng(1).integers(0, 2, (200, 4))
    several = ts.count(X, indicator, tf=tf)
    assert ts.dask.count(ARRAY, da.from_array(indicator, chunks=(70, -1)), tf=tf) == several


def test_lists_of_chunks() -> None:
    chunks = [(X[a:b], Y[a:b]) for a, b in pairwise([0, 60, 60, 61, 160, 200])]
    assert ts.dask.count(chunks) == WHOLE
    assert ts.dask.count(tuple(dask.delayed(chunk, traverse=False) for chunk in chunks)) == WHOLE
    assert ts.dask.count([(dask.delayed(X), dask.delayed(Y, traverse=False))]) == WHOLE
    weights = np.arange(200)
    weighted = [(X[:30], Y[:30], weights[:30]), (X[30:], Y[30:], weights[30:])]
    assert ts.dask.count(weighted) == ts.count(X, Y, weights)
    # Chunks of different widths are added column by column.
    chunks = [(np.array([[1, 2]]), ["a"]), (np.array([[0, 0, 3]]), ["b"]), (np.eye(1), ["a"])]
    assert ts.dask.count(chunks).term_frequency.toarray().tolist() == [[2, 2, 0], [0, 0, 3]]


def test_labels_that_look_like_tasks_are_labels() -> None:
    # In Dask's graphs, strings and tuples are keys, and tuples with functions are tasks.
    y = [("sum", 1), "x", (max, 3), "block 0"]
    assert ts.dask.count([(np.eye(4, dtype=int), y)]) == ts.count(np.eye(4, dtype=int), y)


@pytest.mark.parametrize("tf", ["raw", "log"])
def test_fractions_are_summed_in_the_order_of_the_chunks(tf: Any) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((300, 5)), rng.integers(0, 2, 300)
    with dask.config.set(scheduler="threads"):
        counts = ts.dask.count(da.from_array(X, chunks=(11, 5)), da.from_array(y, chunks=11), tf=tf)
    shards = [ts.count(X[a:b], y[a:b], tf=tf) for a, b in pairwise([*range(0, 300, 11), 300])]
    while len(shards) > 1:
        shards = [reduce(add, shards[i : i + 8]) for i in range(0, len(shards), 8)]
    assert counts == shards[0]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "key", "argument"),
    [
        ((ARRAY,), {}, TypeError, "y_is_a_nonetype_expected_a", "y"),
        (
            (ARRAY, Y),
            {},
            TypeError,
            "y_is_a_list_expected_a",
            "y",
        ),
        ((dask.delayed(X), Y), {}, TypeError, "expected_a_dask_array_x_with", "X"),
        ((ARRAY, da.zeros(150, chunks=50)), {}, ValueError, "y_has_150_labels_for_200", "y"),
        ((ARRAY, YS[:-1]), {}, ValueError, "y_has_199_labels_for_200", "y"),
        ((ARRAY, list(Y)), {}, TypeError, "y_is_a_list_expected_a", "y"),
        ((X, Y), {}, TypeError, "expected_a_dask_array_x_with_2", "X"),
        ((UNKNOWN, da.zeros(200, chunks=100)), {}, ValueError, "y_has_2_blocks_x_has", "y"),
        ((UNKNOWN, da.zeros(200, chunks=40)), {}, ValueError, "block_1_y_has_40_labels", "y"),
        (
            (da.zeros((4, 6), chunks=(2, 3)), da.ones(4)),
            {},
            ValueError,
            "x_has_2_blocks_of_columns",
            "X",
        ),
        (
            (da.zeros(4, chunks=2), da.ones(4)),
            {},
            ValueError,
            "block_0_x_must_have_two",
            "X",
        ),
        (([(X, Y)], Y), {}, TypeError, "expected_a_dask_array_x_with_3", "X"),
        (([],), {}, ValueError, "there_are_no_chunks_expected_at", "X"),
        (([X],), {}, TypeError, "chunk_0_expected_x_y_or", "X"),
        (([(X, Y), (X, Y[1:])],), {}, ValueError, "chunk_1_y_has_199_labels", "y"),
        (([(X, [set()] * 200)],), {}, TypeError, "chunk_0_the_label_of_document", "y"),
        ((ARRAY, YS), {"tf": "idf"}, ValueError, "tf_must_be_one_of_raw", "tf"),
        ((ARRAY, YS), {"classes": ["ham"]}, ValueError, "block_3_the_label_of_document", "y"),
    ],
)
def test_what_is_refused(
    arguments: Any, options: Any, error: type[Exception], key: str, argument: str | None
) -> None:
    with raises(error, key, argument=argument):
        ts.dask.count(*arguments, **options)


# ---- texts ---------------------------------------------------------------------------------------

RULES: dict[str, dict[str, Any]] = {
    "words": {},
    "shares": {"min_df": 0.2, "max_df": 0.4},
    "most frequent": {"max_features": 4},
    "binary": {"binary": True, "max_features": 4},
    "pairs": {"ngram_range": (1, 2), "stop_words": ["eggs"], "min_df": 3},
    "vocabulary": {"vocabulary": ["pills", "eggs", "absent"]},
    "hashing": {"hashing": 16},
    "tokenizer": {"tokenizer": str.split},
}
COLUMNS = {"text": "body", "label": "stars"}


def frame() -> dict[str, Any]:
    pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"body": TEXTS, "id": range(60), "stars": STARS})
    return {"texts": dask.dataframe.from_pandas(frame, npartitions=13), **COLUMNS}


def delayed_pairs() -> dict[str, Any]:
    lazy = [dask.delayed(part, traverse=False) for part in PARTS]
    return {"texts": [*lazy[:2], tuple(map(dask.delayed, PARTS[2])), PARTS[3]]}


def delayed_tables() -> dict[str, Any]:
    pa = pytest.importorskip("pyarrow")
    make = dask.delayed(lambda part: pa.table({"body": part[0], "stars": part[1]}))
    return {"texts": [make(dask.delayed(p, traverse=False)) for p in PARTS if p[0]], **COLUMNS}


KINDS: list[Callable[[], dict[str, Any]]] = [frame, delayed_pairs, delayed_tables]


@pytest.mark.parametrize("rules", RULES.values(), ids=list(RULES))
def test_the_counts_are_those_of_all_texts(rules: dict[str, Any]) -> None:
    whole = ts.count_texts(TEXTS, STARS, **rules)
    for kind in KINDS:
        assert ts.dask.count_texts(**kind(), **rules) == whole


def test_columns_have_the_names_of_spark_by_default() -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("dask.dataframe")
    in_memory = pandas.DataFrame({"label": STARS, "text": TEXTS})
    whole = ts.count_texts(TEXTS, STARS)
    frames = dask.dataframe.from_pandas(in_memory, npartitions=3)
    assert ts.dask.count_texts(frames) == whole
    assert ts.dask.count_texts([in_memory[:20], in_memory[20:]]) == whole
    assert ts.dask.count_texts([(in_memory[["text"]], STARS)]) == whole
    assert ts.dask.count_texts([(in_memory["text"], STARS)]) == whole


def test_classes_tf_and_what_is_missing() -> None:
    classes = ["unseen", *sorted(set(STARS), reverse=True)]
    whole = ts.count_texts(TEXTS, STARS, classes=classes, tf="binary")
    assert ts.dask.count_texts(PARTS, classes=classes, tf="binary") == whole
    texts, y = [*TEXTS[:9], None], [None, *STARS[1:10]]
    parts = [(texts[:5], y[:5]), (texts[5:], y[5:])]
    with raises(ValueError, "part_0_the_label_of", argument="y", at="part 0"):
        ts.dask.count_texts(parts[:1])
    with raises(ValueError, "part_0_the_text_of", at="part 0"):
        ts.dask.count_texts(parts[1:])
    # merge() would turn number labels of one part into strings if another part has string labels.
    parts = [(["aa bb"], [1]), (["bb cc"], ["1"]), (["aa"], [2])]
    assert ts.dask.count_texts(parts) == ts.count_texts(["aa bb", "bb cc", "aa"], [1, "1", 2])


@pytest.mark.parametrize(
    ("texts", "options", "error", "key", "argument"),
    [
        ([], {}, ValueError, "there_are_no_parts_expected_at", "texts"),
        ([TEXTS], {}, TypeError, "part_0_expected_texts_y_or", "texts"),
        ([(["eggs"], [1]), ([5], [1])], {}, TypeError, "part_1_texts_has_an_int", "texts"),
        ([(["eggs"], [1, 2])], {}, ValueError, "part_0_there_are_2_labels", "y"),
        (TEXTS[0], {}, TypeError, "texts_must_be_a_dask_data_2", "texts"),
        ((["aa", "bb"], ["a", "b"]), {}, TypeError, "part_0_expected_texts_y_or_2", "texts"),
        (TEXTS[:9], COLUMNS, TypeError, "part_expected_texts_y_or_a", "texts"),
        (dask.delayed(PARTS[0]), {}, TypeError, "texts_must_be_a_dask_data", "texts"),
        (PARTS, {"classes": ["class 0"]}, ValueError, "part_3_the_label_of_document", "y"),
        (PARTS, {"max_features": 3, "tf": "log"}, TypeError, "it_needs_raw_counts", "max_features"),
        (PARTS, {"nonsense": 3}, TypeError, "unknown_argument_nonsense", "nonsense"),
        (PARTS, {"min_df": 61}, ValueError, "min_df_61_requires_61_or_more", "min_df"),
    ],
)  # fmt: skip
def test_texts_that_are_refused(
    texts: Any, options: dict[str, Any], error: type[Exception], key: str, argument: str | None
) -> None:
    with raises(error, key, argument=argument):
        ts.dask.count_texts(texts, **options)


def test_several_columns_of_texts() -> None:
    pandas = pytest.importorskip("pandas")
    columns = {"title": ["one two", None, "two"], "body": ["x y", "eggs", "pills"], "y": [1, 2, 1]}
    frame = pandas.DataFrame(columns)
    frames = pytest.importorskip("dask.dataframe").from_pandas(frame, npartitions=2)
    options: Any = {"text": ["title", "body"], "label": "y"}
    assert ts.dask.count_texts(frames, **options) == ts.count_texts(frame, **options)
    assert ts.dask.count_texts([frame[:1], frame[1:]], **options) == ts.count_texts(
        frame, **options
    )
    with raises(ValueError, "text_expected_one_column_titel", argument="text"):
        ts.dask.count_texts(frames, text=["titel", "body"], label="y")


def test_columns_of_frames_that_are_refused() -> None:
    pandas = pytest.importorskip("pandas")
    in_memory = pandas.DataFrame({"body": ["eggs", "pills"], "stars": [1, 2]})
    with raises(TypeError, "got_a_dataframe_of_pandas", argument="texts"):
        ts.dask.count_texts(in_memory, **COLUMNS)
    with raises(TypeError, "matrix_of_pandas_for_dask", argument="X"):
        ts.dask.count(in_memory)
    frames = pytest.importorskip("dask.dataframe").from_pandas(in_memory, npartitions=2)
    with raises(ValueError, "text_expected_one_column_text"):
        ts.dask.count_texts(frames, text="text", label="stars")
    with raises(ValueError, "text_expected_one_column_text"):
        ts.dask.count_texts(frames)
    with raises(TypeError, "texts_has_the_columns_body", argument="texts"):
        ts.dask.count_texts(frames, text=None)  # type: ignore[arg-type]
    with raises(TypeError, "got_a_dataframe_of_dask", argument="X"):
        ts.dask.count(frames)
    with raises(TypeError, "y_is_a_series_of", argument="y"):
        ts.dask.count(ARRAY, frames.stars)
    with raises(TypeError, "texts_is_a_dask_collection", argument="texts"):
        ts.count_texts(frames, **COLUMNS)


def test_max_memory_reads_parts_twice_and_changes_no_result() -> None:
    texts = [f"often {'sometimes ' * (i % 3)} once{i}" for i in range(200)]
    y = ["ham" if i % 2 else "spam" for i in range(200)]
    parts = [(texts[i : i + 20], y[i : i + 20]) for i in range(0, 200, 20)]
    counts = ts.dask.count_texts(parts, min_df=5, max_memory=2**20)
    assert counts == ts.count_texts(texts, y, min_df=5)
    with raises(TypeError, "max_memory_of_parts_needs_min_df", argument="max_memory", at="part "):
        ts.dask.count_texts(parts, max_memory=2**20)
