"""A missing text or label is an error that names its row, and an empty text is a document.

The rule is the same for every container, file format and engine.

Guards: _util/validation, text/_blocks.py, io, dask.py and the command line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


def two_columns(make: Callable[..., Any]) -> Callable[..., Count]:
    """Return a way to count texts in the columns title and body of a frame or a file."""

    def count(titles: list[Any], bodies: list[Any], labels: list[Any], folder: Path) -> Count:
        return make({"title": titles, "body": bodies, "label": labels}, folder)

    count.__name__ = make.__name__
    return count


def of_frame(frame: Any) -> Count:
    return lambda: ts.count_texts(frame, text=["title", "body"], label="label")


def of_file(path: Path) -> Count:
    return lambda: ts.count(ts.scan(path, text=["title", "body"]))


def titles_in_pandas(columns: dict[str, list[Any]], folder: Path) -> Count:
    return of_frame(pytest.importorskip("pandas").DataFrame(columns))


def titles_in_pandas_strings(columns: dict[str, list[Any]], folder: Path) -> Count:
    return of_frame(pytest.importorskip("pandas").DataFrame(columns, dtype="string"))


def titles_in_polars(columns: dict[str, list[Any]], folder: Path) -> Count:
    return of_frame(pytest.importorskip("polars").DataFrame(columns))


def arrow_of(columns: dict[str, list[Any]]) -> Any:
    pyarrow = pytest.importorskip("pyarrow")
    arrays = [pyarrow.array(values, pyarrow.string()) for values in columns.values()]
    return pyarrow.table(arrays, names=list(columns))


def titles_in_arrow(columns: dict[str, list[Any]], folder: Path) -> Count:
    return of_frame(arrow_of(columns))


def titles_in_dask(columns: dict[str, list[Any]], folder: Path) -> Count:
    frame = pytest.importorskip("pandas").DataFrame(columns)
    frames = pytest.importorskip("dask.dataframe").from_pandas(frame, npartitions=1)
    return lambda: ts.dask.count_texts(frames, text=["title", "body"], label="label")


def titles_in_parquet(columns: dict[str, list[Any]], folder: Path) -> Count:
    pytest.importorskip("pyarrow.parquet").write_table(arrow_of(columns), folder / "mail.parquet")
    return of_file(folder / "mail.parquet")


def titles_in_a_stream(columns: dict[str, list[Any]], folder: Path) -> Count:
    table, path = arrow_of(columns), folder / "mail.arrow"
    with pytest.importorskip("pyarrow.ipc").new_stream(str(path), table.schema) as writer:
        writer.write_table(table)
    return of_file(path)


def rows_of(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def titles_in_json_lines(columns: dict[str, list[Any]], folder: Path) -> Count:
    (folder / "mail.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows_of(columns)))
    return of_file(folder / "mail.jsonl")


def titles_in_json_without_keys(columns: dict[str, list[Any]], folder: Path) -> Count:
    rows = [{k: v for k, v in row.items() if v is not None} for row in rows_of(columns)]
    (folder / "mail.json").write_text("[" + ",\n".join(map(json.dumps, rows)) + "]")
    return of_file(folder / "mail.json")


def titles_in_csv(columns: dict[str, list[Any]], folder: Path) -> Count:
    lines = [",".join(columns), *(",".join(v or "" for v in r.values()) for r in rows_of(columns))]
    (folder / "mail.csv").write_text("".join(f"{line}\n" for line in lines))
    return of_file(folder / "mail.csv")


@contextmanager
def place_is_named() -> Iterator[None]:
    """Expect an error that names document 1 by its container or its file."""
    with pytest.raises((ValueError, TypeError)) as caught:
        yield
    assert re.search(r"document 1 |mail\.\w+, (line|row) [23]: ", str(caught.value))


NULLABLE = [
    *(titles_in_pandas, titles_in_pandas_strings, titles_in_polars, titles_in_arrow),
    *(titles_in_dask, titles_in_parquet, titles_in_a_stream),
    *(titles_in_json_lines, titles_in_json_without_keys),
]
TITLED = [two_columns(make) for make in (*NULLABLE, titles_in_csv)]
TITLED_NULLABLE = TITLED[:-1]


@pytest.mark.parametrize("way", TITLED, ids=ids)
def test_a_missing_title_is_an_empty_text(way: Any, tmp_path: Path) -> None:
    columns = ["a title", None, "two"], ["bacon eggs", "pills", None], ["ham", "spam", "ham"]
    counts = way(*columns, tmp_path)()
    joined = ["a title bacon eggs", " pills", "two "]
    assert counts == ts.count_texts(joined, columns[2])


@pytest.mark.parametrize("way", TITLED_NULLABLE, ids=ids)
def test_a_text_is_missing_if_all_its_columns_are(way: Any, tmp_path: Path) -> None:
    with place_is_named():
        way(["a", None, "b"], ["bacon", None, "eggs"], ["ham", "spam", "ham"], tmp_path)()


@pytest.mark.parametrize("way", TITLED, ids=ids)
def test_a_missing_label_is_refused_beside_titles(way: Any, tmp_path: Path) -> None:
    with place_is_named():
        way(["a", "c", "b"], ["bacon", "x", "eggs"], ["ham", None, "ham"], tmp_path)()


@pytest.mark.parametrize("way", [*FILES, *DELIMITED], ids=ids)
def test_rows_that_are_left_out_are_named_by_their_own_numbers(way: Any, tmp_path: Path) -> None:
    texts: list[Any] = ["bacon eggs", None, "cheap pills", "x"]
    if way in DELIMITED:
        texts[1] = "pills"
    count = way(texts, ["ham", None, "spam", None], tmp_path)
    argument = "text" if way is of_json_without_keys else "on_error"
    with raises(ValueError, ERRORS[way][way in DELIMITED], argument=argument):
        count()
    path = next(path for path in tmp_path.iterdir() if path.name.startswith("mail."))
    scan = ts.scan(path, on_error="skip")
    assert ts.count(scan).class_docs.tolist() == [1, 1]
    assert scan.n_skipped == 2
    shift = {".parquet": 0, ".feather": 0, ".jsonl": 0, ".json": 0}.get(path.suffix, 1)
    unit = "row" if path.suffix in (".parquet", ".feather") else "line"
    wanted = [f"{path}, {unit} {row + shift}" for row in (2, 4)]
    assert [message.partition(": ")[0] for message in scan.skipped] == wanted


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


def test_one_text_of_many_is_empty() -> None:
    with warns(UserWarning, "1_of_1_200_texts_is"):
        ts.count_texts(["", *["bacon eggs"] * 1199], ["ham", "spam"] * 600)


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
