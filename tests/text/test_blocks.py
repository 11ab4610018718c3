"""Texts from every kind of source give the same documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import termsift as ts
from private import _core, labelled_parts, put, text_blocks
from wording import raises

Texts = _core.Texts

# Characters of one, two and four bytes, a text longer than the 12 bytes of Arrow's views, and NUL.
DOCUMENTS = ["a", "b\xe9", "", "a longer text than twelve bytes", "日本 €", "😀 z", "x\0y"]
LABELS = ["p", "q", "p", "q", "p", "q", "p"]
MISSING = [None if document == "" else document for document in DOCUMENTS]


def read(texts: Any, text: Any = None, label: Any = None) -> tuple[list[str | None], list[Any]]:
    """Return all texts and labels of the blocks."""
    documents: list[str | None] = []
    labels: list[Any] = []
    for block, of_block in labelled_parts(texts, text, label):
        documents += list(block)
        if hasattr(of_block, "to_pylist"):  # a column of Arrow
            of_block = of_block.to_pylist()
        labels += [] if of_block is None else list(of_block)
    return documents, labels


def string_dtype(**options: Any) -> Any:
    if not hasattr(np.dtypes, "StringDType"):
        pytest.skip("numpy 2 has StringDType")
    return np.dtypes.StringDType(**options)


def pandas_series(dtype: Any) -> Callable[[list[Any]], Any]:
    def series(values: list[Any]) -> Any:
        pandas = pytest.importorskip("pandas")
        if "pyarrow" in str(dtype):
            pytest.importorskip("pyarrow")
        return pandas.Series(values, dtype=dtype)

    return series


def pandas_arrow(values: list[Any]) -> Any:
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    return pandas.Series(values, dtype=pandas.ArrowDtype(pyarrow.large_string()))


def polars_series(dtype: str) -> Callable[[list[Any]], Any]:
    def series(values: list[Any]) -> Any:
        polars = pytest.importorskip("polars")
        return polars.Series(values, dtype=getattr(polars, dtype))

    return series


def arrow_array(kind: str) -> Callable[[list[Any]], Any]:
    def array(values: list[Any]) -> Any:
        pyarrow = pytest.importorskip("pyarrow")
        return pyarrow.array(values, type=getattr(pyarrow, kind)())

    return array


def arrow_dictionary(values: list[Any]) -> Any:
    return pytest.importorskip("pyarrow").array(values).dictionary_encode()


def arrow_chunks(values: list[Any]) -> Any:
    pyarrow = pytest.importorskip("pyarrow")
    parts = [values[:2], [], values[2:]]
    return pyarrow.chunked_array([pyarrow.array(part, pyarrow.string()) for part in parts])


def arrow_slice(values: list[Any]) -> Any:
    return pytest.importorskip("pyarrow").array(["before", *values, None]).slice(1, len(values))


class Stream:
    """An Arrow stream of a library that termsift does not know."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return self._data.__arrow_c_stream__(requested_schema)


COLUMNS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "generator": lambda values: (value for value in values),
    "numpy object": lambda values: np.array(values, dtype=object),
    "numpy object, strided": lambda values: np.repeat(np.array(values, dtype=object), 2)[::2],
    "pandas object": pandas_series(object),
    "pandas, by default": pandas_series(None),
    "pandas python": pandas_series("string[python]"),
    "pandas pyarrow": pandas_series("string[pyarrow]"),
    "pandas category": pandas_series("category"),
    "pandas ArrowDtype": pandas_arrow,
    "polars": polars_series("String"),
    "polars Categorical": polars_series("Categorical"),
    "pyarrow string": arrow_array("string"),
    "pyarrow large_string": arrow_array("large_string"),
    "pyarrow string_view": arrow_array("string_view"),
    "pyarrow dictionary": arrow_dictionary,
    "pyarrow chunks": arrow_chunks,
    "pyarrow slice": arrow_slice,
    "another stream": lambda values: Stream(arrow_chunks(values)),
}
WITHOUT_MISSING: dict[str, Callable[[list[Any]], Any]] = {
    "str subclass": lambda values: [np.str_(value) for value in values],
    "numpy U": lambda values: np.array(values),
    "numpy StringDType": lambda values: np.array(values, dtype=string_dtype()),
    "Texts": Texts.of_strings,
}


@pytest.mark.parametrize("kind", [*COLUMNS, *WITHOUT_MISSING])
def test_every_kind_of_column_gives_the_same_documents(kind: str) -> None:
    column = {**COLUMNS, **WITHOUT_MISSING}[kind]
    assert read(column(DOCUMENTS)) == (DOCUMENTS, [])
    assert [text for block in text_blocks(column(DOCUMENTS)) for text in block] == DOCUMENTS


@pytest.mark.parametrize("kind", COLUMNS)
def test_missing_texts_of_every_kind_of_column(kind: str) -> None:
    assert read(COLUMNS[kind](MISSING)) == (MISSING, [])
    with raises(ValueError, "missing_value_at_2_expected"):
        list(text_blocks(COLUMNS[kind](MISSING)))


def missing_values() -> list[Any]:
    values = [None, math.nan, np.float64("nan"), np.datetime64("NaT", "s")]
    try:
        import pandas
    except ImportError:
        return values
    return [*values, pandas.NA, pandas.NaT]


def test_every_missing_value_is_missing() -> None:
    values = missing_values()
    assert read(["a", *values, "b"])[0] == ["a", *[None] * len(values), "b"]
    na = np.array(["a", np.nan], dtype=string_dtype(na_object=np.nan))
    assert read(na)[0] == ["a", None]


# ---- frames --------------------------------------------------------------------------------------


def frame_columns() -> dict[str, Any]:
    return {"t": DOCUMENTS, "y": LABELS, "n": list(range(7))}


def pandas_frame() -> Any:
    return pytest.importorskip("pandas").DataFrame(frame_columns(), index=range(7, 14))


def polars_frame() -> Any:
    return pytest.importorskip("polars").DataFrame(frame_columns())


def arrow_table() -> Any:
    return pytest.importorskip("pyarrow").table(frame_columns())


def duckdb_relation() -> Any:
    return pytest.importorskip("duckdb").connect().from_arrow(arrow_table())


FRAMES: dict[str, Callable[[], Any]] = {
    "pandas": pandas_frame,
    "pandas categories": lambda: pandas_frame().astype({"y": "category", "t": "category"}),
    "polars": polars_frame,
    "pyarrow table": arrow_table,
    "pyarrow slice": lambda: (
        pytest.importorskip("pyarrow").concat_tables([arrow_table()] * 2).slice(7)
    ),
    "pyarrow batch": lambda: arrow_table().to_batches()[0],
    "pyarrow reader": lambda: arrow_table().to_reader(max_chunksize=2),
    "another stream": lambda: Stream(arrow_table()),
    "duckdb": duckdb_relation,
}


@pytest.mark.parametrize("kind", FRAMES)
def test_every_kind_of_frame_gives_the_same_documents(kind: str) -> None:
    assert read(FRAMES[kind](), "t") == (DOCUMENTS, [])
    assert read(FRAMES[kind](), "t", "y") == (DOCUMENTS, LABELS)
    texts, numbers = read(FRAMES[kind](), "t", "n")
    assert (texts, numbers) == (DOCUMENTS, list(range(7)))
    if kind != "another stream":
        with raises(TypeError, "columns_t_y_n_as"):
            read(FRAMES[kind]())
    for text, label in (("x", None), ("t", "x")):
        with raises(ValueError, "expected_one_column_x_found"):
            read(FRAMES[kind](), text, label)
    with raises(TypeError, "column_n_int64_expected_strings"):
        read(FRAMES[kind](), "n")


def test_the_only_column_of_a_frame_need_not_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "frame_columns", lambda: {"t": DOCUMENTS})
    for frame in (pandas_frame, polars_frame, arrow_table, duckdb_relation):
        assert [text for block in text_blocks(frame()) for text in block] == DOCUMENTS
        assert read(frame()) == (DOCUMENTS, [])


def test_a_column_that_is_there_twice_is_refused() -> None:
    frame = pytest.importorskip("pandas").DataFrame([["a", "b"]], columns=["t", "t"])
    with raises(ValueError, "text_expected_one_column_t"):
        read(frame, "t")


# ---- blocks --------------------------------------------------------------------------------------


def test_iterators_are_held_a_block_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch, block_characters=1000)
    put(monkeypatch, block_texts=200)
    taken = 0

    def texts(text: str) -> Iterator[str]:
        nonlocal taken
        for taken in range(1, 1001):  # noqa: B007
            yield text

    sizes = []
    for block in text_blocks(texts("ab")):
        sizes.append(len(block))
        assert taken == sum(sizes)
    assert sizes == [256, 256, 256, 232]  # by number
    assert [len(block) for block in text_blocks(texts("a" * 20))] == [64] * 15 + [40]  # by length
    rows = arrow_table().to_reader(max_chunksize=2)
    put(monkeypatch, block_texts=3)
    assert [len(block) for block, _ in labelled_parts(rows, "t")] == [4, 3]


def test_messages_count_rows_from_the_first_block(monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch, block_texts=64)
    texts: list[Any] = ["a"] * 200
    texts[150] = None
    with raises(ValueError, "missing_value_at_150"):
        list(text_blocks(iter(texts)))
    texts[150] = 3
    with raises(TypeError, "texts_has_an_int_at"):
        list(text_blocks(iter(texts)))


def test_a_text_that_is_not_utf8_is_named_by_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    put(monkeypatch, block_texts=4)
    good = pyarrow.array(["ham"] * 10)
    buffers = [None, pyarrow.py_buffer(np.array([0, 4, 9], np.int32)), None]
    buffers[2] = pyarrow.py_buffer(b"spameg\xffgs")
    bad = pyarrow.Array.from_buffers(pyarrow.string(), 2, buffers)
    batches = [pyarrow.record_batch({"t": array, "y": ["a"] * len(array)}) for array in (good, bad)]
    reader = pyarrow.RecordBatchReader.from_batches(batches[0].schema, batches)
    with raises(_core.BadTextError, "document_is_not_utf_8", at="document 11, byte 2") as raised:
        ts.count_texts(reader, text="t", label="y")
    assert (raised.value.document, raised.value.byte) == (11, 2)


def test_texts_outlive_what_they_came_from() -> None:
    strings = ["".join(["x", str(i)]) * 50 for i in range(100)]
    expected = [text.encode() for text in strings]
    texts = Texts.of_strings(strings)
    some = texts.take(np.array([5, 1, 5]))
    del strings[:], texts
    strings += ["y" * 300 for _ in range(1000)]  # reuses the memory if it was freed
    assert [some[i] for i in range(3)] == [expected[i].decode() for i in (5, 1, 5)]
    array = pytest.importorskip("pyarrow").array([text.decode() * 9 for text in expected])
    texts = Texts.of_arrow(array)
    del array
    assert list(texts) == [text.decode() * 9 for text in expected]


# ---- what is refused -----------------------------------------------------------------------------


REFUSED: dict[str, tuple[Any, str]] = {
    "str": ("abc", "for_a_file_use_termsift"),
    "bytes": (b"abc", "for_a_file_use_termsift"),
    "path": (Path("x.csv"), "for_a_file_use_termsift"),
    "dict": ({"a": "b"}, "texts_must_hold_strings_in_order"),
    "set": ({"a"}, "texts_must_hold_strings_in_order_2"),
    "number": (3, "texts_must_hold_strings_got_3"),
    "None": (None, "texts_must_hold_strings_got_none"),
    "numbers": ([1], "texts_has_an_int_at_0"),
    "list of bytes": ([b"a"], "texts_has_a_bytes_at_0"),
    "array of numbers": (np.array([1]), "texts_has_the_dtype_int64_expected"),
    "array of bytes": (np.array([b"a"]), "texts_has_the_dtype_s1_expected"),
    "two dimensions": (np.array([["a"]]), "texts_has_the_shape_1_1"),
    "no dimension": (np.array("a"), "texts_has_the_shape_expected_one"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_sequence_of_texts_is_refused(kind: str) -> None:
    texts, key = REFUSED[kind]
    with raises(TypeError, key, argument="texts"):
        list(text_blocks(texts))


def test_columns_that_hold_no_strings_are_refused() -> None:
    with raises(TypeError, "texts_has_the_dtype_float64"):
        list(text_blocks(np.array([np.nan, 1.0])))
    pyarrow = pytest.importorskip("pyarrow")
    for column in (pyarrow.array([1]), pyarrow.array([b"a"]), pyarrow.array([["a"]])):
        with raises(TypeError, "the_arrow_array_holds_expected"):
            list(text_blocks(column))
    with raises(TypeError, "texts_is_a_list_and"):
        read(DOCUMENTS, "t")
    with raises(TypeError, "found_a_table_its_columns"):
        Texts.of_arrow(pyarrow.table({"t": ["a"]}))


def test_a_column_is_chosen_once() -> None:
    """Its words would count twice, or be their own labels."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"title": ["plum"], "stars": ["5"]})
    with raises(ValueError, "a_column_of_text_twice", argument="text"):
        ts.count_texts(frame, text=["title", "title"], label="stars")
    with raises(ValueError, "a_column_of_a_frame_is_chosen_twice"):
        ts.count_texts(frame, text="title", label="title")


def test_a_stream_that_fails_says_why() -> None:
    pyarrow = pytest.importorskip("pyarrow")

    def batches() -> Iterator[Any]:
        yield pyarrow.record_batch({"t": ["a"]})
        raise OSError("the disk is on fire")

    reader = pyarrow.RecordBatchReader.from_batches(pyarrow.schema({"t": "string"}), batches())
    with raises(RuntimeError, "the_arrow_stream_failed"):
        Texts.of_arrow(reader, "t")


def test_an_array_of_nothing_but_nan_holds_missing_texts() -> None:
    """An array of missing texts alone has the dtype of numbers."""
    with raises(ValueError, "the_text_of_document_0", argument="texts"):
        ts.count_texts(np.array([math.nan, math.nan]), ["a", "b"])
    with raises(TypeError, "texts_has_the_dtype_float64", argument="texts"):
        ts.count_texts(np.array([math.nan, 1.0]), ["a", "b"])
