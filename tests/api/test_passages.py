"""Passages in the files of a scan, which has its own labels and rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import termsift as ts
from wording import raises

TEXTS = ["Bacon and eggs", "Free pills", "bacon, Bacon and bacon"]
LABELS = ["ham", "spam", "ham"]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = zip(LABELS, TEXTS, strict=True)
    path = tmp_path / "mail.csv"
    path.write_text("label,text\n" + "".join(f'{label},"{text}"\n' for label, text in rows))
    return path


@pytest.mark.parametrize("rules", [{}, {"lowercase": False}])
def test_a_scan_gives_what_its_texts_give(table: Path, rules: dict[str, Any]) -> None:
    queries = ["bacon", "free"]
    found = ts.find_passages(ts.scan(table, **rules), queries=queries)
    assert found == ts.find_passages(TEXTS, LABELS, queries, **rules)


def test_one_passage_of_a_document(table: Path) -> None:
    documents = [[0, 2, 2], [0, 2]]
    for one, expected in zip((False, True), documents, strict=True):
        for texts in ((TEXTS, LABELS), (ts.scan(table),)):
            found = ts.find_passages(*texts, queries="bacon", one_per_document=one)
            assert [passage.document for passage in found["ham"]["bacon"]] == expected


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({"y": LABELS}, "y"),
        ({"label": "label"}, "label"),
        ({"lowercase": False}, "lowercase"),
    ],
)
def test_a_scan_has_labels_and_rules(table: Path, arguments: dict[str, Any], argument: str) -> None:
    with raises(
        TypeError, "a_scan_has_labels_and_rules", argument=argument, at=f"leave out {argument}"
    ):
        ts.find_passages(ts.scan(table), queries="bacon", **arguments)


def test_scans_without_texts_are_refused(table: Path) -> None:
    table.write_text("label,text\n")
    with raises(ValueError, "holds_no_documents"):
        ts.find_passages(ts.scan(table), queries="bacon")
    matrix = table.with_name("mail.svm")
    matrix.write_text("1 1:1\n")
    with raises(ValueError, "texts_is_a_scan_of_matrices", argument="texts"):
        ts.find_passages(ts.scan(matrix), queries="bacon")
