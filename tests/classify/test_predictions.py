"""Predictions for the documents of files: equal to those of lists, with numbers and accuracy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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


@pytest.mark.parametrize(
    ("texts", "error", "key"),
    [
        ("plum", TypeError, "x_is_a_single_str"),
        (["plum", 3], TypeError, "x_has_an_int_at_1"),
        ([b"plum"], TypeError, "x_has_a_bytes_at_0"),
        (["plum", None], ValueError, "x_has_a_missing_value_at"),
        (iter(["plum", 3]), TypeError, "x_has_an_int_at_1"),
        (np.array([["plum"]]), TypeError, "x_has_the_shape_1_1"),
    ],
)
def test_errors_about_texts_name_the_argument_of_predict(
    texts: Any, error: type[Exception], key: str
) -> None:
    with raises(error, key, argument="X"):
        COUNTS.naive_bayes().predict(texts)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_of_texts_is_no_matrix(library: str) -> None:
    frame = pytest.importorskip(library).DataFrame({"text": TEXTS, "label": LABELS})
    classifier = COUNTS.naive_bayes()
    with raises(TypeError, "x_is_a_frame_of_texts", argument="X"):
        classifier.predict(frame)
    assert classifier.predict(frame[["text"]]).tolist() == classifier.predict(TEXTS).tolist()
