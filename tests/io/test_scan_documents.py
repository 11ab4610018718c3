"""The numbers of documents in several files, of which rows are left out.

Guards: `Scanned` of io/_scan.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import termsift as ts
from wording import raises

# A good row, a bad row, and the header if there is one, by the ending of the file.
ROWS = {
    ".csv": ("bacon,ham\n", "bacon,ham,x\n", "text,label\n"),
    ".txt": ("ham\tbacon\n", "ham\tbacon\tx\n", ""),
    ".jsonl": ('{"text": "bacon", "label": "ham"}\n', '{"text": "bacon", "label": 0.5}\n', ""),
    ".svm": ("1 1:1\n", "1 1:x\n", ""),
}


@pytest.mark.parametrize("ending", ROWS)
@pytest.mark.parametrize("left_out", [[2], [0], [0, 2], [1], []])
def test_rows_that_are_left_out_count_before_the_next_file(
    tmp_path: Path, ending: str, left_out: list[int]
) -> None:
    good, bad, header = ROWS[ending]
    paths = [tmp_path / f"a{ending}", tmp_path / f"b{ending}"]
    paths[0].write_text(header + "".join(bad if i in left_out else good for i in range(3)))
    paths[1].write_text(header + good + good.replace("ham", "eggs").replace("1 ", "2 ", 1))
    counts = ts.count(ts.scan(paths, on_error="skip"))
    scan = ts.scan(paths, on_error="skip")
    found = counts.naive_bayes().classify(scan)
    wanted = [i for i in range(3) if i not in left_out]
    assert found.documents.tolist() == [*wanted, 3, 4]
    assert scan.places(found.documents)[-1].startswith(str(paths[1]))


def test_the_last_document_that_was_read_has_a_place(tmp_path: Path) -> None:
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path in paths:
        path.write_text("text,label\nbacon,ham\npills,spam\n")
    scan = ts.scan(paths)
    # Reading stops when the list is full.
    found = ts.find_passages(scan, queries={"spam": "pills"}, n_passages=1)
    (passage,) = found["spam"]["pills"]
    assert scan.places([passage.document]) == [f"{paths[0]}, row 2"]


def test_places_of_documents_that_were_not_read(tmp_path: Path) -> None:
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path in paths:
        path.write_text("text,label\nbacon,ham\n")
    scan = ts.scan(paths)
    with raises(ValueError, "documents_are_not_read", argument="documents", at="0 documents"):
        scan.places([0])
    ts.count(scan)
    assert scan.places([1]) == [f"{paths[1]}, row 1"]
    for wrong in (-1, 2):
        with raises(ValueError, "documents_are_not_read", argument="documents", at="2 documents"):
            scan.places([wrong])
