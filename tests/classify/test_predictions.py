"""Predictions for the documents of files: equal to those of lists, with numbers and accuracy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import termsift as ts
from wording import raises

TEXTS = ["Bacon and eggs", "Free pills", "bacon at noon", "free free prize"]
LABELS = ["1", "2", "1", "2"]
COUNTS = ts.count_texts(TEXTS, [1, 2, 1, 2])


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = zip([*LABELS[:3], "1"], TEXTS, strict=True)
    path = tmp_path / "mail.csv"
    path.write_text("label,text\n" + "".join(f"{label},{text}\n" for label, text in rows))
    return path


def test_files_are_classified_like_lists(table: Path) -> None:
    classifier = COUNTS.naive_bayes()
    found = classifier.classify(ts.scan(table))
    assert found.labels.tolist() == classifier.predict(TEXTS).tolist() == [1, 2, 1, 2]
    expected = classifier.predict_log_proba(TEXTS).max(axis=1)
    assert found.log_probabilities.tolist() == expected.tolist()
    assert found.documents.tolist() == [0, 1, 2, 3]
    assert found.is_right is not None
    assert found.is_right.tolist() == [True, True, True, False]
    assert (found.accuracy, found.known, len(found)) == (0.75, ["1", "2"], 4)
    assert list(found.columns()) == ["document", "label", "log_probability", "is_right"]
    assert "Predictions of 4 documents, accuracy 0.7500" in str(found)


def test_documents_without_labels(table: Path) -> None:
    found = COUNTS.naive_bayes().classify(ts.scan(table, label=False))
    assert (found.accuracy, found.is_right, found.known) == (None, None, [])
    assert list(found.columns()) == ["document", "label", "log_probability"]
    assert str(found).startswith("<Predictions of 4 documents>\n")


def test_rows_that_are_left_out_have_numbers(table: Path) -> None:
    table.write_text("label,text\n1,bacon\n2\n2,free\n")
    found = COUNTS.naive_bayes().classify(ts.scan(table, on_error="skip"))
    assert found.documents.tolist() == [0, 2]


def test_a_document_of_several_classes_is_right_in_each(tmp_path: Path) -> None:
    path = tmp_path / "two.svm"
    path.write_text("1,2 1:3\n3 2:1\n")
    classifier = ts.count(np.array([[3, 0], [0, 2]]), [1, 2]).naive_bayes()
    found = classifier.classify(ts.scan(path, label=None))
    assert found.labels.tolist() == [1, 2]
    assert found.is_right is not None
    assert found.is_right.tolist() == [True, False]


def test_what_is_no_scan_is_refused(table: Path) -> None:
    with raises(TypeError, "scan_must_be_a_scan_got", argument="scan"):
        COUNTS.naive_bayes().classify(str(table))  # type: ignore[arg-type]
    table.write_text("label,text\n")
    with raises(ValueError, "holds_no_documents"):
        COUNTS.naive_bayes().classify(ts.scan(table))
