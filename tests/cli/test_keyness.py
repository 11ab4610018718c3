"""``termsift keyness``: the key terms of one corpus compared with another."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import termsift as ts

TEXTS = ["bacon eggs bacon", "bacon and eggs", "free pills", "free prize and pills", "and news"]
LABELS = ["ham", "ham", "spam", "spam", "news"]


@pytest.fixture
def mail(tmp_path: Path) -> Path:
    path = tmp_path / "mail.csv"
    rows = [f"{text},{label}" for text, label in zip(TEXTS, LABELS, strict=True)]
    path.write_text("\n".join(["text,label", *rows]) + "\n")
    return path


def records(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(text)))


def test_the_table_has_both_directions(run: Any, mail: Path) -> None:
    result = run("keyness", mail, "ham", "spam")
    assert (result.code, result.err) == (0, "")
    first, head, *rows = result.out.splitlines()
    assert first == "more in ham:"
    assert head.split()[:6] == ["term", "n_target", "n_reference", "log_ratio", "g2", "pvalue_adj"]
    cut = rows.index("")
    assert [row.split()[0] for row in rows[:cut]] == ["bacon", "eggs"]
    assert rows[cut + 1] == "more in spam:"
    assert {row.split()[0] for row in rows[cut + 3 :]} == {"free", "pills", "prize"}


def test_other_formats_have_every_column_of_python(run: Any, mail: Path, tmp_path: Path) -> None:
    found = ts.count_texts(TEXTS, LABELS).keyness("ham", ["spam", "news"], sort="log_ratio")
    arguments = ("keyness", mail, "ham", "spam,news", "--sort", "log_ratio")
    rows = records(run(*arguments, "--format", "csv").out)
    assert [row["term"] for row in rows] == found.table["term"].tolist()
    assert list(rows[0]) == list(found.columns())
    assert [float(row["g2"]) for row in rows] == found.table["g2"].tolist()
    path = tmp_path / "key.json"
    assert run(*arguments, "-o", path).code == 0
    answer = json.loads(path.read_text())
    assert (answer["target"], answer["reference"]) == (["ham"], ["news", "spam"][::-1])
    assert [term["term"] for term in answer["terms"]] == found.table["term"].tolist()
    assert answer["terms"][0]["relative_risk"] is None  # JSON has no infinity


def test_the_reference_is_all_others_by_default(run: Any, mail: Path) -> None:
    alone = run("keyness", mail, "ham", "--format", "csv").out
    assert alone == run("keyness", mail, "ham", "news,spam", "--format", "csv").out
    assert run("keyness", mail, "ham", "-k", 1, "--format", "csv").out.count("\n") == 3


def test_dispersion_and_filters(run: Any, mail: Path) -> None:
    arguments = ("keyness", mail, "ham", "--format", "csv")
    rows = records(run(*arguments, "--dispersion").out)
    X, _ = ts.text.TextRules().count(TEXTS)
    expected = ts.count(X, LABELS).keyness("ham", dispersion=(X, LABELS))
    assert [float(row["dp_target"]) for row in rows[:2]] == expected.table["dp_target"][:2].tolist()
    kept = records(run(*arguments, "--min-count", 3, "--direction", "over").out)
    assert [row["term"] for row in kept] == ["bacon"]


def test_counts_will_do_but_not_for_dispersion(run: Any, mail: Path, tmp_path: Path) -> None:
    saved = tmp_path / "mail.termsift"
    ts.count_texts(TEXTS, LABELS).save(saved)
    plain = run("keyness", mail, "ham", "spam", "--format", "csv").out
    assert run("keyness", saved, "ham", "spam", "--format", "csv").out == plain
    assert "documents" in run("keyness", saved, "ham", "--dispersion").complaint


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["hem"], "no class 'hem', expected one of 'ham', 'news', 'spam'; did you mean 'ham'?"),
        (["ham", "ham"], "class 'ham' is in both target and reference"),
        (["ham,spam,news"], "target has all classes"),
    ],
)
def test_wrong_classes(run: Any, mail: Path, arguments: list[str], complaint: str) -> None:
    assert complaint in run("keyness", mail, *arguments).complaint


def test_a_pvalue_that_rounds_to_0_is_below_the_smallest_number(run: Any, tmp_path: Path) -> None:
    counts = ts.count(np.array([[9000, 1], [1, 9000]]), ["a", "b"], term_names=["ax", "bee"])
    counts.save(tmp_path / "a.termsift")
    result = run("keyness", tmp_path / "a.termsift", "a", "b")
    assert result.out.count("<5e-324") == 2
