"""A missing text or label is an error that names its row, and an empty text is a document.

The rule is the same for every container, file format and engine.

Guards: _util/validation, text/_blocks.py, io, dask.py and the command line.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import termsift as ts
from wording import raises, warns

Count = Callable[[], ts.ClassCounts]


def of_list(texts: list[Any], labels: list[Any], folder: Path) -> Count:
    return lambda: ts.count_texts(texts, labels)


def of_generators(texts: list[Any], labels: list[Any], folder: Path) -> Count:
    return lambda: ts.count_texts(iter(texts), iter(labels))


def of_arrays(texts: list[Any], labels: list[Any], folder: Path) -> Count:
    columns = np.array(texts, dtype=object), np.array(labels, dtype=object)
    return lambda: ts.count_texts(*columns)


def of_functions(texts: list[Any], labels: list[Any], folder: Path) -> Count:
    return lambda: ts.count_texts(texts, labels, analyzer=str.split)


def of_pandas(texts: list[Any], labels: list[Any], folder: Path) -> Count:
    frame = pytest.importorskip("pandas").DataFrame({"text": texts, "label": labels})
    return lambda: ts.count_texts(frame, text="text", label="label")


def of_pandas_strings(texts: list[Any], labels: list[Any], folder: Path) -> Count:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": texts, "label": labels}, dtype="string")
    return lambda: ts.count_texts(frame, text="text", label="label")


def of_polars(texts: list[Any], labels: list[Any], folder: Path) -> Count:
    frame = pytest.importorskip("polars").DataFrame({"text": texts, "label": labels})
    return lambda: ts.count_texts(frame, text="text", label="label")


def table_of(texts: list[Any], labels: list[Any]) -> Any:
    pyarrow = pytest.importorskip("pyarrow")
    columns = [pyarrow.array(values, pyarrow.string()) for values in (texts, labels)]
    return pyarrow.table(columns, names=["text", "label"])


def of_arrow(texts: list[Any], labels: list[Any], folder: Path) -> Count:
    table = table_of(texts, labels)
    return lambda: ts.count_texts(table, text="text", label="label")


def of_parquet(texts: list[Any], labels: list[Any], folder: Path) -> Count:
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(table_of(texts, labels), folder / "mail.parquet")
    return lambda: ts.count(ts.scan(folder / "mail.parquet"))


def of_feather(texts: list[Any], labels: list[Any], folder: Path) -> Count:
    feather = pytest.importorskip("pyarrow.feather")
    feather.write_feather(table_of(texts, labels), folder / "mail.feather")
    return lambda: ts.count(ts.scan(folder / "mail.feather"))


def of_json_lines(texts: list[Any], labels: list[Any], folder: Path) -> Count:
    rows = [{"text": text, "label": label} for text, label in zip(texts, labels, strict=True)]
    (folder / "mail.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return lambda: ts.count(ts.scan(folder / "mail.jsonl"))


def of_json_without_keys(texts: list[Any], labels: list[Any], folder: Path) -> Count:
    rows = [{"text": text, "label": label} for text, label in zip(texts, labels, strict=True)]
    some = [{key: value for key, value in row.items() if value is not None} for row in rows]
    (folder / "mail.json").write_text("[" + ",\n".join(map(json.dumps, some)) + "]")
    return lambda: ts.count(ts.scan(folder / "mail.json"))


def of_delimited(delimiter: str, ending: str) -> Callable[..., Count]:
    def count(texts: list[Any], labels: list[Any], folder: Path) -> Count:
        rows = zip(["text", *texts], ["label", *labels], strict=True)
        lines = (f"{text}{delimiter}{label or ''}\n" for text, label in rows)
        (folder / f"mail{ending}").write_text("".join(lines))
        return lambda: ts.count(ts.scan(folder / f"mail{ending}"))

    return count


def of_dask(texts: list[Any], labels: list[Any], folder: Path) -> Count:
    pytest.importorskip("dask")
    return lambda: ts.dask.count_texts([(texts, labels)])


FILES = [of_parquet, of_feather, of_json_lines, of_json_without_keys]
DELIMITED = [of_delimited(",", ".csv"), of_delimited("\t", ".tsv")]
CONTAINERS = [
    *(of_list, of_generators, of_arrays, of_functions),
    *(of_pandas, of_pandas_strings, of_polars, of_arrow, of_dask),
]
WAYS = [*CONTAINERS, *FILES, *DELIMITED]
# The errors of a missing text and of a missing label. Each names the document in a container, or
# the line or row of a file.
ERRORS = {
    **dict.fromkeys(CONTAINERS, ("no_text_of_document_1", "no_label_of_document_1")),
    of_parquet: ("no_text_in_row_2", "no_label_in_row_2"),
    of_feather: ("no_text_in_row_2", "no_label_in_row_2"),
    of_json_lines: ("null_as_text_in_line_2", "null_as_label_in_line_2"),
    of_json_without_keys: ("no_key_text_in_line_2", "no_key_label_in_line_2"),
    **dict.fromkeys(DELIMITED, ("", "the_label_in_line_3_is_empty")),
}


def ids(way: Any) -> str:
    return str(getattr(way, "__name__", way))


@pytest.mark.parametrize("way", [*CONTAINERS, *FILES], ids=ids)
def test_a_missing_text_is_refused_by_its_row(way: Any, tmp_path: Path) -> None:
    with raises(ValueError, ERRORS[way][0]):
        way(["bacon eggs", None, "cheap pills"], ["ham", "ham", "spam"], tmp_path)()


@pytest.mark.parametrize("missing", [float("nan"), "NA", "NaT"])
def test_missing_values_of_other_kinds(missing: Any) -> None:
    if isinstance(missing, str):
        missing = getattr(pytest.importorskip("pandas"), missing)
    with raises(ValueError, "the_text_of_document_1", at="document 1"):
        ts.count_texts(["bacon", missing], ["ham", "spam"])
    with raises(ValueError, "the_label_of_document_1_2", argument="y", at="document 1"):
        ts.count_texts(["bacon", "pills"], ["ham", missing])


@pytest.mark.parametrize("way", WAYS, ids=ids)
def test_a_missing_label_is_refused_by_its_row(way: Any, tmp_path: Path) -> None:
    with raises(ValueError, ERRORS[way][1]):
        way(["bacon eggs", "pills", "cheap"], ["ham", None, "spam"], tmp_path)()


@pytest.mark.parametrize("way", WAYS, ids=ids)
def test_an_empty_text_is_a_document_without_terms(way: Any, tmp_path: Path) -> None:
    counts = way(["bacon eggs", "", "cheap pills"], ["ham", "ham", "spam"], tmp_path)()
    assert counts.class_docs.tolist() == [2, 1]
    assert counts.class_tokens.tolist() == [2, 2]


@pytest.mark.parametrize("way", WAYS, ids=ids)
def test_many_texts_of_which_some_are_empty_are_told_once(way: Any, tmp_path: Path) -> None:
    labels = ["ham", "spam"] * 600
    count = way(["", "bacon eggs", "pills"] * 400, labels, tmp_path)
    if way is of_dask:  # the counts of parts do not hold the number of empty texts
        count()
        return
    with warns(UserWarning, "400_of_1_200_texts_are") as told:
        count()
    assert len(told) == 1


@pytest.mark.parametrize("way", WAYS, ids=ids)
def test_no_word_at_all_gives_counts_without_terms_and_a_warning(way: Any, tmp_path: Path) -> None:
    count = way(["", "x", "!"], ["ham", "ham", "spam"], tmp_path)
    if way is of_functions:
        assert count().n_terms == 2
        return
    with warns(UserWarning, "no_document_has_a_word_of") as told:
        counts = count()
    assert len(told) == 1
    assert (counts.n_terms, counts.class_docs.tolist()) == (0, [2, 1])


@pytest.mark.filterwarnings("default")
def test_the_shell_counts_texts_without_words(run: Any, tmp_path: Path) -> None:
    (tmp_path / "mail.csv").write_text("text,label\nx,ham\n!,spam\n")
    result = run("rank", tmp_path / "mail.csv")
    assert result.code == 0
    assert result.err.count("no document has a word") == 1
    assert result.out.count("\n") == 1  # the header
