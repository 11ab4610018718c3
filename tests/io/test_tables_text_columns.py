"""The texts of several columns are joined with a space, in every kind of table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import termsift as ts
from collection_files import read_files
from termsift.io import read_split
from wording import raises

TITLES = ["Bacon", "Cheap, pills", "", "Eggs"]
BODIES = ["and eggs", 'a "free" offer', "pills", "at noon\nor later"]
LABELS = ["ham", "spam", "spam", "ham"]
JOINED = [f"{title} {body}" for title, body in zip(TITLES, BODIES, strict=True)]


def quoted(field: str) -> str:
    return '"' + field.replace('"', '""') + '"'


def write_csv(path: Path) -> Path:
    rows = [["title", "stars", "body", "kind"]]
    rows += [[t, "5", b, y] for t, b, y in zip(TITLES, BODIES, LABELS, strict=True)]
    path.write_text("".join(",".join(map(quoted, row)) + "\n" for row in rows), "utf-8")
    return path


def write_jsonl(path: Path) -> Path:
    rows = zip(TITLES, BODIES, LABELS, strict=True)
    records = [json.dumps({"title": t, "body": b, "kind": y}) for t, b, y in rows]
    path.write_text("\n".join(records) + "\n", "utf-8")
    return path


def write_parquet(path: Path) -> Path:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table({"kind": LABELS, "body": BODIES, "title": TITLES}), path)
    return path


WRITERS = {".csv": write_csv, ".jsonl": write_jsonl, ".parquet": write_parquet}


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("order", [["title", "body"], ["body", "title"]])
def test_the_texts_are_joined(tmp_path: Path, ending: str, order: list[str]) -> None:
    path = WRITERS[ending](tmp_path / f"mail{ending}")
    joined = [f"{a} {b}" for a, b in zip(TITLES, BODIES, strict=True)]
    if order[0] == "body":
        joined = [f"{b} {a}" for a, b in zip(TITLES, BODIES, strict=True)]
    rules: dict[str, Any] = {"ngram_range": (1, 2)}  # 2-grams show the order of columns
    counts = ts.count(ts.scan(path, text=order, label="kind", **rules))
    assert counts == ts.count_texts(joined, LABELS, **rules)
    collection = read_files(path, text=tuple(order), label="kind", **rules)
    assert list(collection.y) == LABELS
    assert collection.X.sum() == counts.class_tokens.sum()


def test_numbers_of_columns(tmp_path: Path) -> None:
    path = tmp_path / "mail.txt"
    path.write_text("ham\tbacon\teggs\nspam\tpills\tfree\n")
    counts = ts.count(ts.scan(path, text=[2, 3], label=1))
    assert counts == ts.count_texts(["bacon eggs", "pills free"], ["ham", "spam"])
    path.write_text("kind\ta\tb\n" + path.read_text())
    assert ts.count(ts.scan(path, text=["a", 3], label=1)) == counts


def test_a_missing_text_is_named_or_skipped(tmp_path: Path) -> None:
    path = tmp_path / "mail.jsonl"
    lines = [{"a": "one", "b": "two", "label": "x"}, {"a": None, "b": None, "label": "x"}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with raises(ValueError, "line_2_expected_a_string", argument="on_error", at="line 2"):
        read_files(path, text=["a", "b"])
    scan = ts.scan(path, text=["b", "a"], on_error="skip")
    assert (ts.count(scan).n_docs, scan.n_skipped) == (1, 1)


def test_a_key_of_a_text_that_no_object_has_is_misspelt(tmp_path: Path) -> None:
    path = tmp_path / "mail.jsonl"
    lines = [{"title": "one", "body": "two", "label": "x"}, {"body": "two", "label": "x"}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert ts.count(ts.scan(path, text=["title", "body"])).n_docs == 2
    for on_error in ("raise", "skip"):
        with raises(ValueError, "no_object_has_the_key", argument="text", at="line 3"):
            ts.count(ts.scan(path, text=["titel", "body"], on_error=on_error))


def test_a_text_that_is_missing_is_no_label_of_an_unlabelled_table(tmp_path: Path) -> None:
    path = tmp_path / "mail.jsonl"
    path.write_text('{"title": null, "body": "two"}\n')
    counts = ts.count(ts.scan(path, text=["title", "body"], label=False))
    assert (counts.classes, list(counts.term_names)) == ([""], ["two"])


def test_both_tables_of_a_split(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "mail.csv")
    train, test = read_split(*[ts.scan(path, text=["title", "body"], label="kind")] * 2)
    assert (train.X != test.X).nnz == 0


@pytest.mark.parametrize(
    ("text", "error", "key"),
    [
        ([], ValueError, "text_must_name_columns"),
        (["body", None], TypeError, "text_and_label_must_be_names"),
        (["body", 1.5], TypeError, "text_and_label_must_be_names_2"),
        (["body", "titel"], ValueError, "mail_line_1_expected_one_column"),
    ],
)
def test_wrong_columns(tmp_path: Path, text: Any, error: type, key: str) -> None:
    path = write_csv(tmp_path / "mail.csv")
    with raises(error, key, argument="text"):
        read_files(path, text=text, label="kind")


def test_the_command_line_takes_text_again_and_again(run: Any, tmp_path: Path) -> None:
    path = write_csv(tmp_path / "mail.csv")
    options = ("--text", "title", "--text", "body", "--label", "kind")
    result = run("rank", path, *options, "--format", "csv")
    assert result.code == 0
    terms = ts.count_texts(JOINED, LABELS).rank("md").terms
    assert terms is not None
    assert [line.split(",")[1] for line in result.out.splitlines()[1:]] == terms.tolist()
    page = tmp_path / "mail.html"
    assert run("report", path, *options, "-o", page).code == 0
    assert "mail.csv" in page.read_text("utf-8")
