"""Every result is a table: columns, to_frame and to_csv in one form, and they can be read back."""

from __future__ import annotations

import csv
import math
import pickle
import tempfile
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import termsift as ts

TEXTS = ["Bacon, eggs and tea", "Eggs, tea", "Free pills, free tea", 'Pills "now", bacon'] * 5
LABELS = ["ham", "ham", "spam", "spam\n,"] * 5
LIBRARIES = ("pandas", "polars", "pyarrow")


def counts() -> ts.ClassCounts:
    return ts.count_texts(TEXTS, LABELS)


def unnamed() -> ts.ClassCounts:
    made = counts()
    made.term_names = None
    return made


def predictions(**reading: Any) -> ts.Predictions:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "mail.csv")
        path.write_text("label,text\nham,bacon\nham,free pills\n")
        return counts().naive_bayes().classify(ts.scan(path, **reading))


def matrix() -> tuple[Any, Any]:
    X = np.random.default_rng(0).poisson(0.8, (30, 6))
    return X, ["a", "b", "c"] * 10


RESULTS: dict[str, Callable[[], Any]] = {
    "ranking": lambda: counts().rank("md"),
    "ranking without names": lambda: unnamed().rank("md", 3),
    "round robin": lambda: counts().rank("chi2", policy="round_robin"),
    "greedy": lambda: counts().greedy(3),
    "no terms": lambda: counts().rank("md", 0),
    "keyness": lambda: counts().keyness("ham"),
    "keyness without names": lambda: unnamed().keyness("ham"),
    "curve": lambda: ts.cross_validate(*matrix(), "md", cv=3)["md"],
    "curves": lambda: ts.cross_validate(*matrix(), ["md", "chi2"], ks=[1, 3], cv=3),
    "no curves": lambda: type(ts.cross_validate(*matrix(), cv=2))(),
    "tests": lambda: counts().significance("g2"),
    "tests without names": lambda: unnamed().significance("chi2"),
    "tests per class": lambda: counts().significance("g2", per_class=True),
    "stability": lambda: ts.stability(*matrix(), n_samples=3),
    "stability with infinite ranks": lambda: ts.stability(
        np.eye(1200, dtype=int)[::-1], ["a", "b"] * 600, "g2", k=3, n_samples=3
    ),
    "classes": lambda: ts.distinctive_terms(counts(), k=2),
    "classes without tests": lambda: ts.distinctive_terms(counts(), "md", classes=["ham"]),
    "no classes": lambda: type(ts.distinctive_terms(counts()))(),
    "passages": lambda: ts.find_passages(TEXTS, LABELS, ["bacon", "free"]),
    "predictions": predictions,
    "predictions without labels": lambda: predictions(label=False),
    "no passages": lambda: ts.find_passages(TEXTS, LABELS, {"ham": "zebra"}),
}
each_result = pytest.mark.parametrize("name", RESULTS)


def read_back(text: str, columns: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the columns of a CSV file, with values of the kinds of ``columns``."""
    head, *rows = csv.reader(StringIO(text, newline=""), strict=True)
    assert head == list(columns)
    found = {}
    for place, (name, values) in enumerate(columns.items()):
        cells = [row[place] for row in rows]
        if values.dtype == object:
            kinds = [type(value) for value in values.tolist()]
            found[name] = [
                None if kind is type(None) else kind(cell)
                for kind, cell in zip(kinds, cells, strict=True)
            ]
        else:
            is_flag = values.dtype.kind == "b"  # bool("False") is True
            read = (
                (lambda cell: {"True": True, "False": False}[cell])
                if is_flag
                else values.dtype.type
            )
            found[name] = [np.asarray(read(cell)).item() for cell in cells]
    return found


def same(a: list[Any], b: list[Any]) -> bool:
    """Return whether values are equal; NaN is equal to NaN and to a missing value."""

    def is_nan(value: Any) -> bool:
        return value is None or (isinstance(value, float) and math.isnan(value))

    return len(a) == len(b) and all(
        (is_nan(x) and is_nan(y)) or x == y for x, y in zip(a, b, strict=True)
    )


@each_result
def test_columns_have_one_length(name: str) -> None:
    columns = RESULTS[name]().columns()
    assert len({len(values) for values in columns.values()}) == 1
    assert all(isinstance(values, np.ndarray) and values.ndim == 1 for values in columns.values())
    assert all(isinstance(column, str) for column in columns)


@each_result
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_frame_of_each_library_holds_the_columns(name: str, library: Any) -> None:
    pytest.importorskip(library)
    result = RESULTS[name]()
    columns, frame = result.columns(), result.to_frame(library)
    names = frame.column_names if library == "pyarrow" else list(frame.columns)
    assert names == list(columns)
    for column, values in columns.items():
        found = frame[column].to_pylist() if library == "pyarrow" else frame[column].to_list()
        assert same(found, values.tolist()), column


@each_result
def test_a_csv_file_is_read_back(name: str, tmp_path: Path) -> None:
    result, path = RESULTS[name](), tmp_path / "result.csv"
    columns = result.columns()
    result.to_csv(path)
    text = path.read_bytes().decode()
    found = read_back(text, columns)
    assert all(same(found[column], values.tolist()) for column, values in columns.items())
    result.to_csv(file := StringIO())
    assert file.getvalue() == text


@pytest.mark.parametrize("mark", ["\r", "\n", "\r\n", ",", '"'])
def test_a_mark_of_csv_in_a_name_ends_no_field(mark: str) -> None:
    ranking = ts.count([[2, 1]], ["ham"], term_names=[f"a{mark}b", "c"]).rank("df")
    ranking.to_csv(file := StringIO(newline=""))
    found = read_back(file.getvalue(), ranking.columns())
    assert found["term"] == ranking.terms.tolist()


@each_result
def test_a_notebook_and_print_show_a_table(name: str) -> None:
    result = RESULTS[name]()
    assert str(result).startswith("<")
    assert result._repr_html_().startswith("<div>")


@each_result
def test_a_pickled_result_has_the_same_columns(name: str) -> None:
    result = RESULTS[name]()
    again = pickle.loads(pickle.dumps(result)).columns()
    for column, values in result.columns().items():
        assert same(again[column].tolist(), values.tolist())


# ---- what the columns are ------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["key", "g2", "md"])
def test_the_terms_of_classes_are_columns_of_the_counts_table(method: Any) -> None:
    pytest.importorskip("pandas")
    found = ts.distinctive_terms(counts(), method).to_frame()
    of_counts = counts().to_frame(method)
    assert [name for name in of_counts.columns if name in found.columns] == list(found.columns)
    assert found.equals(of_counts[list(found.columns)])


def test_the_class_of_a_test_is_its_label() -> None:
    per_class = counts().significance("g2", per_class=True).columns()
    n_terms = counts().n_terms
    assert per_class["class"].tolist() == [c for c in counts().classes for _ in range(n_terms)]
    assert per_class["index"].tolist() == list(range(n_terms)) * 3
    assert per_class["term"].tolist() == counts().term_names.tolist() * 3  # type: ignore[union-attr]
    found = counts().significance("g2")
    strongest = np.reshape(per_class["statistic"], (3, n_terms)).argmax(axis=0)
    assert found.columns()["class"].tolist() == [counts().classes[row] for row in strongest]
    assert found.chosen_by is not None
    assert found.chosen_by.tolist() == found.columns()["class"].tolist()


def test_passages_name_their_class_query_and_document() -> None:
    found = ts.find_passages(TEXTS, LABELS, ["BACON", "tea"], n_passages=1).columns()
    rows = list(zip(*(found[name].tolist() for name in found), strict=True))
    assert list(found) == ["class", "query", "document", "before", "match", "after"]
    assert rows[0] == ("ham", "BACON", 0, "", "Bacon", ", eggs and tea")
    assert ("spam\n,", "BACON", 3, 'Pills "now", ', "bacon", "") in rows


def test_curves_come_one_below_the_other() -> None:
    curves = ts.cross_validate(*matrix(), ["md", "chi2"], ks=[1, 3], cv=3)
    columns = curves.columns()
    assert columns["ranking"].tolist() == ["md", "md", "chi2", "chi2"]
    assert columns["k"].tolist() == [1, 3, 1, 3]
    for name, values in curves["chi2"].columns().items():
        assert columns[name][2:].tolist() == values.tolist()
    X, y = matrix()
    curves["tested"] = ts.selection_curve([0, 1, 2], X, y, X, y, [2])  # one run, so no deviation
    assert np.isnan(curves.columns()["accuracy_std"]).tolist() == [False] * 4 + [True]


# ---- iteration -----------------------------------------------------------------------------------


def test_a_list_of_terms_yields_what_it_was_sorted_by() -> None:
    ranking = counts().rank("g2")
    assert list(ranking) == list(zip(ranking.terms, ranking.scores, strict=True))
    documents = np.array([[2, 0, 1], [1, 1, 4], [0, 3, 2], [1, 5, 2]])
    both = ts.count(documents, list("aabb"))
    for sort in ("g2", "log_ratio", "lrc", "zeta", "simple_maths", "rank_sum"):
        dispersion = (documents, list("aabb"))
        found = both.keyness("a", sort=sort, dispersion=dispersion)  # type: ignore[arg-type]
        assert found.sort == sort
        assert list(found) == list(zip(found.terms, found.table[sort], strict=True))
    for term, n in both.keyness("a", sort="count"):
        assert n == max(both.term_frequency.toarray()[:, term])
    similar = both.keyness("a", similar=True)
    assert similar.sort == "log_ratio_most"
    assert list(similar) == list(zip(similar.terms, similar.table[similar.sort], strict=True))
