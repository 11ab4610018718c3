"""``termsift classify``: documents classified by a file of counts."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import termsift as ts
from collection_files import read_files


@pytest.fixture
def texts(tmp_path: Path, table: Path) -> Path:
    path = tmp_path / "texts.termsift"
    ts.count(ts.scan(table)).save(path)
    return path


def test_a_row_for_each_document_and_the_accuracy(run: Any, table: Path, texts: Path) -> None:
    result = run("classify", table, "--counts", texts, "--model", "complement", "--format", "csv")
    rows = list(csv.DictReader(StringIO(result.out)))
    classifier = ts.load(texts).naive_bayes(model="complement")
    listed = [line.split(",", 1)[1] for line in table.read_text().splitlines()[1:]]
    assert [row["label"] for row in rows] == classifier.predict(listed).tolist()
    expected = classifier.predict_log_proba(listed).max(axis=1)
    assert [float(row["log_probability"]) for row in rows] == expected.tolist()
    assert [row["document"] for row in rows] == list("12345")
    assert f"5 of 5 predictions equal the label in {table}: accuracy 1.0000" in result.err
    shown = run("classify", table, "--counts", texts).out.splitlines()
    assert (shown[0].split(), len(shown)) == (["document", "label", "log_probability"], 6)


def test_matrices_and_json(run: Any, table: Path, saved: Path, tmp_path: Path) -> None:
    collection = read_files(table)
    sparse.save_npz(tmp_path / "m.npz", collection.X)
    (tmp_path / "labels").write_text("\n".join(collection.y) + "\n")
    files = (tmp_path / "m.npz", "--labels", tmp_path / "labels", "--counts", saved)
    answer = json.loads(run("classify", *files, "--format", "json").out)
    expected = ts.load(saved).naive_bayes().predict(collection.X)
    assert [row["label"] for row in answer["documents"]] == expected.tolist()
    assert answer["accuracy"] == np.mean(expected == collection.y)


def test_svmlight_may_have_fewer_columns(run: Any, tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    ts.count([[2, 0, 1], [0, 3, 0]], [7, 8]).save(tmp_path / "c.termsift")
    (tmp_path / "new.svm").write_text("7 1:2\n8 2:1\n7 2:1\n")
    result = run("classify", tmp_path / "new.svm", "--counts", tmp_path / "c.termsift")
    assert [row.split()[1] for row in result.out.splitlines()[1:]] == ["7", "8", "8"]
    assert "2 of 3 predictions" in result.err


def unlabelled(folder: Path, texts: list[str], kind: str) -> Path:
    path = folder / f"new{kind}"
    if kind == ".csv":
        path.write_text("\n".join(["title,text", *(f"new,{text}" for text in texts)]) + "\n")
    elif kind == ".txt":
        path.write_text("\n".join(texts) + "\n")
    elif kind == ".jsonl":
        path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    elif kind == ".parquet":
        pyarrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pyarrow.table({"text": texts}), path)
    else:
        path.mkdir()
        for number, text in enumerate(texts):
            (path / f"{number}.txt").write_text(text)
    return path


@pytest.mark.parametrize("kind", [".csv", ".txt", ".jsonl", ".parquet", ""])
def test_inputs_without_labels(run: Any, texts: Path, tmp_path: Path, kind: str) -> None:
    listed = ["team goal", "ship oil", "ship oil", "price"]
    path = unlabelled(tmp_path, listed, kind)
    result = run("classify", path, "--counts", texts, "--no-labels", "--format", "json")
    answer = json.loads(result.out)
    files = [row.get("file") for row in answer["documents"]]
    assert files == [None if kind else str(path / f"{number}.txt") for number in range(4)]
    classifier = ts.load(texts).naive_bayes()
    assert [row["label"] for row in answer["documents"]] == classifier.predict(listed).tolist()
    assert "accuracy" not in answer
    assert result.err == ""


def test_a_matrix_without_labels(run: Any, table: Path, saved: Path, tmp_path: Path) -> None:
    collection = read_files(table)
    sparse.save_npz(tmp_path / "m.npz", collection.X)
    files = (tmp_path / "m.npz", "--no-labels", "--counts", saved)
    rows = list(csv.DictReader(StringIO(run("classify", *files, "--format", "csv").out)))
    expected = ts.load(saved).naive_bayes().predict(collection.X)
    assert [row["label"] for row in rows] == expected.tolist()


def test_chosen_terms(run: Any, table: Path, texts: Path) -> None:
    options = ["-k", "2", "--method", "ig", "--policy", "round_robin", "--format", "csv"]
    result = run("classify", table, "--counts", texts, *options)
    counts = ts.load(texts)
    classifier = counts.naive_bayes(counts.rank("ig", k=2, policy="round_robin"))
    listed = [line.split(",", 1)[1] for line in table.read_text().splitlines()[1:]]
    expected = classifier.predict_log_proba(listed).max(axis=1)
    rows = csv.DictReader(StringIO(result.out))
    assert [float(row["log_probability"]) for row in rows] == expected.tolist()
    of_two = run("classify", table, "--counts", texts, "-k", "2", "--format", "csv").out
    assert of_two != run("classify", table, "--counts", texts, "--format", "csv").out


@pytest.mark.parametrize(
    ("file", "options", "error"),
    [
        ("texts", ["--min-df", "2"], "stores the rules for texts, so leave out --min-df"),
        ("texts", ["--no-labels", "--label", "label"], "no labels, so leave out --label"),
        ("saved", [], "hold no rules for them"),
        ("texts", ["--alpha", "0"], "--alpha must be positive"),
    ],
)
def test_errors(
    run: Any, table: Path, file: str, options: list[str], error: str, request: Any
) -> None:
    result = run("classify", table, "--counts", request.getfixturevalue(file), *options)
    assert (result.code, result.out) == (1, "")
    assert error in result.err


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("n.csv", "text,lab\nteam,x\n", "line 1: expected one column 'label', found 'text', 'lab'"),
        ("n.txt", "team\n", "line 1: expected at least 2 fields, found 1"),
    ],
)
def test_missing_labels_are_named_with_the_cure(
    run: Any, texts: Path, tmp_path: Path, name: str, text: str, error: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    complaint = run("classify", path, "--counts", texts).complaint
    assert complaint.startswith(f"{path}, {error}")
    assert complaint.endswith("; if there are no labels, add --no-labels")


def test_labels_of_other_classes_are_noted(run: Any, texts: Path, tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text("text,label\nteam,x\ngoal,y\n")
    result = run("classify", path, "--counts", texts)
    assert f"no label in {path} is a class of {texts}" in result.err
    assert "no label in" not in run("classify", tmp_path / "news.csv", "--counts", texts).err


@pytest.mark.parametrize("rules", [{"hashing": 64}, {"token_pattern": r"\w+"}, {"tf": "log"}])
def test_texts_that_become_a_matrix_first(
    rules: dict[str, Any], run: Any, table: Path, tmp_path: Path
) -> None:
    tf = rules.pop("tf", "raw")
    ts.count(ts.scan(table, **rules), tf=tf).save(tmp_path / "c.termsift")
    result = run("classify", table, "--counts", tmp_path / "c.termsift")
    assert "of 5 predictions equal the label" in result.err


@pytest.mark.filterwarnings("error")
def test_the_encoding_of_the_counted_texts_is_kept(run: Any, tmp_path: Path) -> None:
    latin, counts = tmp_path / "latin.csv", tmp_path / "c.termsift"
    text = "text,label\ncafé café,a\nthé,b\n"
    latin.write_bytes(text.encode("latin-1"))
    assert run("count", latin, "--encoding", "latin-1", "-o", counts).code == 0
    assert ts.load(counts).encoding == "iso8859-1"
    assert "encoding of the texts: iso8859-1" in run("info", counts).out
    result = run("classify", latin, "--counts", counts, "--format", "csv")
    assert [row["label"] for row in csv.DictReader(StringIO(result.out))] == ["a", "b"]
    assert f"{latin} is read as iso8859-1, like the texts of {counts}; --encoding" in result.err
    utf8 = tmp_path / "utf8.csv"
    utf8.write_text(text, "utf-8")
    given = run("classify", utf8, "--counts", counts, "--encoding", "utf-8", "--format", "csv")
    assert given.out == result.out
    assert "is read as" not in given.err
    sparse.save_npz(tmp_path / "m.npz", sparse.csr_array([[2, 0], [0, 1]]))
    (tmp_path / "labels").write_text("a\nb\n")
    matrix = ("classify", tmp_path / "m.npz", "--labels", tmp_path / "labels", "--counts", counts)
    assert "is read as" not in run(*matrix).err
