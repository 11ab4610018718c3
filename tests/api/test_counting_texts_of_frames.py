"""Texts in frames, in streams and in updates are counted like texts in a list."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import termsift as ts
from counted_texts import RULES, TEXTS, Y, by_matrix
from private import put
from wording import raises

# ---- frames --------------------------------------------------------------------------------------

ENCODABLE = [text.replace("\ud800", "?") for text in TEXTS]  # Arrow cannot store a lone surrogate


def arrow_stream(columns: dict[str, Any]) -> Any:
    """Return an Arrow stream of batches of three rows, which can be read only once."""
    pa = pytest.importorskip("pyarrow")
    table = pa.table(columns)
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=3))


FRAMES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": lambda columns: pytest.importorskip("pandas").DataFrame(columns),
    "polars": lambda columns: pytest.importorskip("polars").DataFrame(columns),
    "table": lambda columns: pytest.importorskip("pyarrow").table(columns),
    "stream": arrow_stream,
}


@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize("make", FRAMES.values(), ids=list(FRAMES))
def test_frames(
    make: Callable[[dict[str, Any]], Any], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(monkeypatch, block_texts=size)
    numbers = [label.count("a") * 3 - 2 for label in Y]
    for labels in (Y, numbers, [str(n) for n in numbers]):
        columns = {"body": ENCODABLE, "id": list(range(len(Y))), "stars": labels}
        for rules in (RULES["words"], RULES["shares"], RULES["analyzer"]):
            got = ts.count_texts(make(columns), text="body", label="stars", **rules)
            expected = by_matrix(ENCODABLE, labels, **rules)
            assert got == expected
            assert list(map(type, got.classes)) == list(map(type, expected.classes))
    fixed = ["spam", *sorted(set(Y) - {"spam"}), "unseen"]
    columns["stars"] = Y
    got = ts.count_texts(make(columns), text="body", label="stars", classes=fixed)
    assert got == by_matrix(ENCODABLE, Y, classes=fixed)
    assert ts.count_texts(make(columns), Y, text="body") == by_matrix(ENCODABLE, Y)


@pytest.mark.filterwarnings("ignore:the label of the first document")
def test_columns_of_hugging_face() -> None:
    datasets = pytest.importorskip("datasets")
    dataset = datasets.Dataset.from_dict({"body": ENCODABLE, "stars": Y}).shuffle(seed=0)
    for wrong, key in (
        (dataset.to_iterable_dataset(), "texts_is_an_iterabledataset_of_hugging"),
        (datasets.DatasetDict(train=dataset), "texts_is_a_datasetdict_of_hugging"),
    ):
        with raises(TypeError, key, argument="texts"):
            ts.count_texts(wrong, text="body", label="stars")
    assert ts.count_texts(dataset, text="body", label="stars") == ts.count_texts(ENCODABLE, Y)
    table = dataset.with_format("arrow")[:]
    assert ts.count_texts(table, text="body", label="stars") == ts.count_texts(ENCODABLE, Y)
    assert ts.count_texts(dataset["body"], dataset["stars"]) == by_matrix(ENCODABLE, Y)


@pytest.mark.parametrize("size", [1, 4, 1000])
@pytest.mark.parametrize("make", FRAMES.values(), ids=list(FRAMES))
def test_several_columns_of_texts_are_joined_by_a_blank(
    make: Callable[[dict[str, Any]], Any], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(monkeypatch, block_texts=size)
    titles = [f"title{i % 3} ß天" if i % 2 else None for i in range(len(Y))]
    columns = {"title": titles, "body": ENCODABLE, "stars": Y}
    joined = [f"{title or ''} {body}" for title, body in zip(titles, ENCODABLE, strict=True)]
    for rules in (RULES["words"], RULES["analyzer"], {"analyzer": "char"}):
        expected = ts.count_texts(joined, Y, **rules)
        names = {"text": ["title", "body"]}
        assert ts.count_texts(make(columns), label="stars", **names, **rules) == expected
        assert ts.count_texts(make(columns), Y, **names, **rules) == expected
    limited = {"min_df": 2, "max_memory": 1 << 24}
    if make is not arrow_stream:  # which can be read only once
        counts = ts.count_texts(make(columns), label="stars", text=["title", "body"], **limited)
        assert counts == ts.count_texts(joined, Y, **limited)
    found = ts.find_passages(
        make(columns), queries=["title1"], text=["title", "body"], label="stars"
    )
    first = min(match.document for of_class in found.values() for match in of_class["title1"])
    assert first == 1


def test_texts_of_different_encodings_are_joined() -> None:
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    titles = ["\ud800xx éé", "q", "天气 ab", "plain", "\U0001f600 b"]
    bodies = ["été", "ab", "größe", "xy", "\u0130"]
    frame = pandas.DataFrame({"title": titles, "y": [1, 2, 1, 2, 1]}, dtype=object)
    frame["body"] = pandas.Series(bodies, dtype=pandas.ArrowDtype(pyarrow.string()))
    joined = list(map(" ".join, zip(titles, bodies, strict=True)))
    for analyzer in ("word", "char"):
        counts = ts.count_texts(frame, text=["title", "body"], label="y", analyzer=analyzer)
        assert counts == ts.count_texts(joined, [1, 2, 1, 2, 1], analyzer=analyzer)


@pytest.mark.parametrize("make", FRAMES.values(), ids=list(FRAMES))
def test_wrong_columns_of_texts(make: Callable[[dict[str, Any]], Any]) -> None:
    columns = {"title": ["a b"], "body": ["c d"], "stars": ["x"]}
    with raises(ValueError, "text_expected_one_column_titel", argument="text"):
        ts.count_texts(make(columns), text=["titel", "body"], label="stars")
    with raises(ValueError, "text_must_name_columns", argument="text"):
        ts.count_texts(make(columns), text=[], label="stars")


@pytest.mark.parametrize("size", [1, 4, 1000])
@pytest.mark.parametrize("make", FRAMES.values(), ids=list(FRAMES))
def test_missing_values_of_frames(
    make: Callable[[dict[str, Any]], Any], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(monkeypatch, block_texts=size)
    texts: list[Any] = [*ENCODABLE]
    labels: list[Any] = [*Y]
    texts[4] = texts[11] = labels[7] = None
    columns = {"body": texts, "stars": labels}
    with raises(ValueError, "the_text_of_document_4", at="document 4"):
        ts.count_texts(make({**columns, "stars": Y}), text="body", label="stars")
    with raises(ValueError, "the_label_is_missing", argument="label", at="document 7 is"):
        ts.count_texts(make({**columns, "body": ENCODABLE}), text="body", label="stars")


def test_a_class_outside_of_the_list_is_named_with_its_document() -> None:
    columns = {"body": ENCODABLE, "stars": Y}
    with raises(ValueError, "the_label_of_document_9", argument="label", at="document 9"):
        ts.count_texts(
            arrow_stream(columns),
            text="body",
            label="stars",
            classes=["ham", "none", "far", "odd"],
        )


def test_what_is_no_source_is_told_before_its_labels_are_missed() -> None:
    for texts in ("mail.csv", Path("mail.csv")):
        with raises(TypeError, "for_a_file_use_termsift"):
            ts.count_texts(texts)
    frame = pytest.importorskip("pandas").DataFrame({"body": ["oil"], "stars": [1]})
    for y in (None, [1]):
        with raises(TypeError, "a_dataframe_with_the_columns"):
            ts.count_texts(frame, y)
    with raises(ValueError, "label_expected_one_column_star"):
        ts.count_texts(frame[["body"]], label="star")


def test_labels_come_from_one_place() -> None:
    with raises(TypeError, "pass_either_y_or_label", argument="y"):
        ts.count_texts(TEXTS)
    with raises(TypeError, "texts_is_a_list_and", argument="texts"):
        ts.count_texts(TEXTS, Y, label="label")


def test_a_lazy_frame_is_told_to_collect() -> None:
    frame = pytest.importorskip("polars").LazyFrame({"text": ["Bacon"], "label": ["ham"]})
    for text, label in (("text", "label"), (None, None)):
        with raises(TypeError, "is_a_lazyframe_pass_texts"):
            ts.count_texts(frame, None if label else ["ham"], text=text, label=label)


# ---- chunks --------------------------------------------------------------------------------------


@pytest.mark.parametrize("tf", ["raw", "binary", "log"])
@pytest.mark.parametrize("rules", ["words", "pairs", "vocabulary", "analyzer"])
def test_chunks_add_up_by_word(tf: Any, rules: str) -> None:
    parts = [ts.count_texts(TEXTS[i::3], Y[i::3], tf=tf, **RULES[rules]) for i in range(3)]
    merged, expected = ts.merge(parts), by_matrix(TEXTS, Y, tf=tf, **RULES[rules])
    if tf == "log":  # sums of fractions are rounded in another order
        assert list(merged.term_names) == list(expected.term_names)  # type: ignore[arg-type]
        np.testing.assert_allclose(
            merged.term_frequency.toarray(), expected.term_frequency.toarray(), 1e-14
        )
    else:
        assert merged == expected
