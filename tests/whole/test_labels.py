"""Labels have the same meaning in every container, format and reader.

Guards: _util/validation/labels.py, and the readers of labels in text and io.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import termsift as ts
from collection_files import read_files
from private import check_labels
from wording import raises

# ---- containers ----------------------------------------------------------------------------------


def containers(labels: list[Any]) -> dict[str, Any]:
    """Return the labels in every container that keeps labels unchanged."""
    as_objects = np.empty(len(labels), dtype=object)
    as_objects[:] = labels
    held: dict[str, Any] = {
        "list": list(labels),
        "tuple": tuple(labels),
        "generator": iter(labels),
        "chain": itertools.chain(labels[:1], labels[1:]),
        "dict values": dict(enumerate(labels)).values(),
        "objects": as_objects,
        "every second": np.repeat(as_objects, 2)[::2],
        "numpy scalars": [np.array([label])[0] for label in labels]
        if all(type(label) in (bool, int, float) for label in labels)
        else labels,
    }
    kinds = {type(label) for label in labels}
    if kinds == {int}:
        for code in "bhilqBHILQ":
            if all(np.iinfo(code).min <= label <= np.iinfo(code).max for label in labels):
                held[f"numpy {code}"] = np.array(labels, code)
                held[f"swapped {code}"] = held[f"numpy {code}"].astype(
                    np.dtype(code).newbyteorder()
                )
    elif kinds in ({float}, {bool}):
        held["numpy"] = np.array(labels)
    elif kinds == {str} and not any(label.endswith("\0") for label in labels):  # numpy drops it
        held["numpy"] = np.array(labels)
        if hasattr(np.dtypes, "StringDType"):  # since numpy 2
            held["numpy strings"] = np.array(labels, np.dtypes.StringDType())
    return in_frames(labels, kinds, held)


def in_frames(labels: list[Any], kinds: set[type], held: dict[str, Any]) -> dict[str, Any]:
    held = dict(held)
    try:
        import pandas
        import polars
        import pyarrow
    except ImportError:
        return held
    held["pandas objects"] = pandas.Series(labels, dtype=object)
    # Without a dtype, pandas makes tuples a MultiIndex, in which "" and "\0" are the same label.
    held["Index"] = pandas.Index(labels, dtype=object, tupleize_cols=False)
    # pandas may treat "" and "\0" as one category.
    if not any(isinstance(label, tuple) or "\0" in str(label) for label in labels):
        held["Categorical"] = pandas.Categorical(labels)
        held["categories"] = pandas.Series(labels).astype("category")
    nullable = {bool: "boolean", int: "Int64", float: "Float64", str: "string"}
    if len(kinds) == 1 and kinds <= set(nullable):
        (kind,) = kinds
        if kind is not int or all(-(2**63) <= label < 2**63 for label in labels):
            held["nullable"] = pandas.Series(labels, dtype=nullable[kind])
            if kind is not str or "numpy" in held:  # polars passes string labels as numpy strings
                held["polars"] = polars.Series(labels)
            held["pyarrow"] = pyarrow.array(labels)
            held["pyarrow chunks"] = pyarrow.chunked_array([labels[:1], labels[1:]])
    return held


whole_numbers = st.one_of(
    st.integers(-3, 3), st.integers(-(2**63), 2**64 - 1), st.sampled_from([2**53 + 1, 10**18, -1])
)
words = st.text(st.characters(exclude_categories=("Cs",)), max_size=5)
KINDS: list[st.SearchStrategy[Hashable]] = [
    st.booleans(),
    whole_numbers,
    st.floats(allow_nan=False),
    words,
    st.tuples(whole_numbers, words),
    st.one_of(st.booleans(), whole_numbers, words, st.binary(max_size=2), st.tuples(words)),
]


@given(st.sampled_from(KINDS).flatmap(lambda kind: st.lists(kind, min_size=1, max_size=9)))
def test_the_container_of_labels_changes_nothing(labels: list[Any]) -> None:
    X = np.arange(1, len(labels) + 1)[:, None]
    expected = ts.count(X, list(labels))
    of_reference = ts.reference.count(X, list(labels))
    assert expected.classes == of_reference.classes
    assert expected.class_docs.tolist() == of_reference.class_docs.tolist()
    for name, y in containers(labels).items():
        counts = ts.count(X, y)
        assert counts == expected, name
        if name != "numpy scalars":
            types = [type(label) for label in expected.classes]
            assert [type(label) for label in counts.classes] == types, name


@pytest.mark.parametrize("name", ["pandas", "polars", "pyarrow"])
def test_missing_labels_of_columns(name: str) -> None:
    library = pytest.importorskip(name)
    words = ["ham", None, "spam", None, "ham"]
    columns = {
        "pandas": lambda: [
            library.Categorical(words),
            library.Series(words, index=list("vwxyz"), dtype="category"),
            library.Series(words, index=list("vwxyz"), dtype="string"),
            library.Index(words, dtype="str"),
        ],
        "polars": lambda: [library.Series(words, dtype=library.Categorical), library.Series(words)],
        "pyarrow": lambda: [
            library.array(words),
            library.array(words).dictionary_encode(),
            library.chunked_array([words[:1], words[1:]]).dictionary_encode(),
        ],
    }[name]()
    for y in columns:
        with raises(ValueError, "the_label_of_document_1_2", argument="y", at="document 1"):
            check_labels(y, 5, None)


# ---- formats and readers -------------------------------------------------------------------------

HOSTILE = [
    *("1", "01", "-0", "-1", "+1", "1.0", "1e3", "٣", "²", "1_000", "0x1", " 1", "1 "),
    *("true", "True", "null", "NaN", "inf", "None", '"', '""', "'", "a,b", "a\tb", "\\", "\\n"),
    *("\ufeff", "\u2028", "\x85", "\x1b[31m", "\x7f", "é", "e\u0301", "\U0001f600", "=1+1", "#"),
    *("9" * 18, "9" * 19, "-" + "9" * 18, str(2**63), str(2**64), "9" * 400, "x" * 3000),
]
any_label = st.one_of(
    st.sampled_from(HOSTILE), st.integers(-3, 12).map(str), words.filter(lambda label: label != "")
)
label_lists = st.one_of(
    st.lists(any_label.filter(str.strip), min_size=1, max_size=7),
    st.lists(st.integers(-12, 12).map(str), min_size=1, max_size=7),
    st.lists(st.integers(10**17, 10**19).map(str), min_size=1, max_size=3),
    st.lists(st.sampled_from(["true", "false"]), min_size=1, max_size=3),
)


def as_table(labels: list[Any], ending: str) -> str:
    file = io.StringIO(newline="")
    # All fields are quoted, because a label may contain a line break.
    writer = csv.writer(file, "excel" if ending == ".csv" else "excel-tab", quoting=csv.QUOTE_ALL)
    writer.writerow(["text", "label"])
    writer.writerows([f"word{i} both", label] for i, label in enumerate(labels))
    return file.getvalue()


def as_json(labels: list[Any]) -> str:
    return "".join(
        json.dumps({"text": f"word{i} both", "label": label}) + "\n"
        for i, label in enumerate(labels)
    )


def write_all(folder: Path, labels: list[str]) -> list[Path]:
    """Write the same collection in every text format that can hold its labels."""
    texts = {
        ".csv": as_table(labels, ".csv"),
        ".tsv": as_table(labels, ".tsv"),
        ".jsonl": as_json(labels),
        ".ndjson": as_json([_as_json_number(label) for label in labels]),
    }
    # Readers skip a byte order mark at the beginning of a file, so the first label must have none.
    if not any(set(label) & set("\t\r\n") for label in labels) and labels[0][0] != "\ufeff":
        texts[".txt"] = "".join(f"{label}\tword{i} both\n" for i, label in enumerate(labels))
    paths = [folder / f"file{ending}" for ending in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text, encoding="utf-8", newline="")
    try:
        import pyarrow as pa
        from pyarrow import feather, parquet
    except ImportError:
        return paths
    words = [f"word{i} both" for i in range(len(labels))]
    table = pa.table({"text": words, "label": labels})
    paths += [folder / "file.parquet", folder / "file.feather"]
    parquet.write_table(table, paths[-2])
    feather.write_feather(table, paths[-1], compression="uncompressed")
    numbers = [_as_json_number(label) for label in labels]
    if all(type(number) is bool for number in numbers) or all(
        type(number) is int and abs(number) < 2**63 for number in numbers
    ):
        paths.append(folder / "numbers.parquet")
        parquet.write_table(pa.table({"text": words, "label": numbers}), paths[-1])
    return paths


def _as_json_number(label: str) -> Any:
    """Return the JSON integer or bool that is written like the label, or else the label."""
    try:
        value = json.loads(label)
    except ValueError:
        return label
    is_same = isinstance(value, (bool, int)) and json.dumps(value) == label
    return value if is_same else label


@pytest.mark.filterwarnings("ignore:.*quotes seem to enclose fields")
@pytest.mark.filterwarnings("ignore:the (label of the first document|classes .* differ only in)")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(labels=['""'])
@given(labels=label_lists)
def test_every_text_format_and_reader_returns_the_same_classes(
    tmp_path: Path, labels: list[str]
) -> None:
    first = None
    for path in write_all(tmp_path, labels):
        collection = read_files(path)
        whole = ts.count(collection.X, collection.y)
        whole.term_names = collection.term_names
        scanned = ts.count(ts.scan(path))
        assert scanned == whole, path.name
        assert list(map(type, scanned.classes)) == list(map(type, whole.classes)), path.name
        first = first or whole
        assert whole == first, path.name
        assert list(map(str, collection.y)) == labels, path.name  # no character is lost


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([1, "1"], [1]),
        ([1, "a"], ["1", "a"]),
        ([True, "true", 1], ["1", "true"]),
        ([False, 0, "0"], ["0", "false"]),
        ([-0, "0"], [0]),
        ([1.0, 1, "1", 2.0], [1, 2]),
        ([-0.0, 0, 1e3, -20.0], [-20, 0, 1000]),
        ([1.0, "1.0"], ["1", "1.0"]),
        ([1e22, 10**22], [str(10**22)]),
        ([10**18 - 1, 1], [1, 10**18 - 1]),
        ([10**18, 1], ["1", str(10**18)]),
        ([10**30, str(10**30), 10**30 + 1], [str(10**30), str(10**30 + 1)]),
    ],
    ids=str,
)
def test_labels_of_json_are_text(tmp_path: Path, labels: list[Any], classes: list[Any]) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text(as_json(labels))
    collection = read_files(path)
    assert ts.count(collection.X, collection.y).classes == classes
    assert ts.count(ts.scan(path)).classes == classes


@pytest.mark.parametrize(
    "written", ["1.0", "10e-1", "0.01e2", "1E0", "1.000000000000000000000", "1"]
)
def test_a_whole_number_of_json_is_one_label_however_it_is_written(
    tmp_path: Path, written: str
) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text(f'{{"label": {written}, "text": "one word"}}\n{{"label": 1, "text": "a"}}\n')
    assert ts.count(ts.scan(path)).classes == [1]
    assert read_files(path).y.tolist() == [1, 1]


@pytest.mark.parametrize(
    "written", ["1.5", "1e-1", "0.10", "1e310", "-1e999999999999", f"{'7' * 400}.0", "NaN"]
)
def test_a_number_of_json_with_a_fraction_is_no_label(tmp_path: Path, written: str) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text(f'{{"label": 1, "text": "a"}}\n{{"label": {written}, "text": "one word"}}\n')
    with raises(ValueError, "line_2_expected_a_string_2", argument="on_error", at="line 2"):
        ts.count(ts.scan(path))


@pytest.mark.parametrize("ending", ["parquet", "feather"])
@pytest.mark.parametrize("kind", ["float32", "float64", "decimal", "dictionary"])
def test_whole_numbers_of_any_arrow_type_are_labels(tmp_path: Path, ending: str, kind: str) -> None:
    pa = pytest.importorskip("pyarrow")

    def classes(*labels: float) -> list[Any]:
        column = pa.array(labels, pa.float64())
        if kind == "float32":
            column = column.cast(pa.float32())
        elif kind == "decimal":
            column = column.cast(pa.decimal128(20, 1))
        elif kind == "dictionary":
            column = column.dictionary_encode()
        table = pa.table({"label": column, "text": [f"word{i} both" for i in range(len(labels))]})
        path = tmp_path / f"file.{ending}"
        if ending == "parquet":
            pytest.importorskip("pyarrow.parquet").write_table(table, path)
        else:
            feather = pytest.importorskip("pyarrow.feather")
            feather.write_feather(table, path, compression="uncompressed")
        counts = ts.count(ts.scan(path))
        assert counts.classes == sorted({*read_files(path).y.tolist()})
        return counts.classes

    assert classes(0.0, 1.0, 2000.0) == [0, 1, 2000]
    assert classes(-0.0, 0.0) == [0]
    with raises(ValueError, "row_2_the_label_is", argument="on_error", at="row 2"):
        classes(1.0, 1.5)
