"""``termsift context``: show terms in their context, in the texts of each class."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

import termsift as ts

TEXTS = ["Bacon and eggs at noon", "Lunch at noon? Bacon!", "Free pills", "A free prize, free!"]
LABELS = ["ham", "ham", "spam", "spam"]


@pytest.fixture
def mail(tmp_path: Path) -> Path:
    path = tmp_path / "mail.txt"
    rows = [f"{label}\t{text}\n" for text, label in zip(TEXTS, LABELS, strict=True)]
    path.write_text("".join(rows))
    return path


def test_the_lines_are_aligned_at_the_term(run: Any, mail: Path) -> None:
    result = run("context", mail, "noon", "free")
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines() == [
        "ham:",
        "1  Bacon and eggs at  noon",
        "2           Lunch at  noon  ? Bacon!",
        "",
        "spam:",
        "3                 Free  pills",
        "4              A  free  prize, free!",
        "4  A free prize,  free  !",
    ]


def test_other_formats_have_the_passages_of_python(run: Any, mail: Path) -> None:
    found = ts.find_passages(TEXTS, LABELS, ["free"], n_passages=1, width=30)["spam"]["free"]
    result = run("context", mail, "free", "-k", 1, "--format", "csv")
    (row,) = csv.DictReader(StringIO(result.out))
    assert row == {
        "class": "spam",
        "query": "free",
        "document": str(found[0].document + 1),
        "before": found[0].before,
        "match": found[0].match,
        "after": found[0].after,
    }
    answer = json.loads(run("context", mail, "free", "-k", 1, "--format", "json").out)
    assert answer["queries"] == ["free"]
    assert [passage["match"] for passage in answer["passages"]] == ["Free"]


def test_a_class_is_chosen(run: Any, mail: Path) -> None:
    result = run("context", mail, "bacon", "free", "--class", "spam")
    assert result.out.startswith("spam:")
    assert "no document of spam contains 'bacon'" in result.err
    wrong = run("context", mail, "bacon", "--class", "span")
    assert "no class 'span', expected one of 'ham', 'spam'; did you mean 'spam'?" in wrong.complaint


def test_a_phrase_in_files(run: Any, tmp_path: Path) -> None:
    files = [tmp_path / "mail" / name for name in ("ham/1.txt", "spam/0.txt", "spam/1.txt")]
    for file, text in zip(files, (b"Bacon and eggs", b"caf\xe9", b"a free prize"), strict=True):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text)
    result = run("context", tmp_path / "mail", "Free prize", "--on-error", "skip")
    assert result.out == f"spam:\n{files[2]}  a  free prize\n"
    assert "left out 1 line, row or file" in result.err


def test_a_term_that_is_nowhere(run: Any, mail: Path) -> None:
    result = run("context", mail, "zebra", "pills", "the")
    assert (result.code, result.out) == (0, "spam:\n3  Free  pills\n")
    assert "with these rules, no document contains 'zebra' or 'the'" in result.err
    mail.write_text("")
    assert run("context", mail, "zebra").complaint == f"{mail}: holds no documents"


def test_matrices_and_counts_hold_no_passages(run: Any, tmp_path: Path) -> None:
    svm = tmp_path / "mail.svm"
    svm.write_text("1 1:2\n0 2:1\n")
    counts = tmp_path / "mail.termsift"
    ts.count_texts(TEXTS, LABELS).save(counts)
    for path in (svm, counts, "demo"):
        assert "expected a table or a folder of texts" in run("context", path, "x").complaint
