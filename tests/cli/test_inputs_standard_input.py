"""Standard input as ``-``, and files whose names do not show their format."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import termsift as ts
from private import FORMATS
from wording import raises

MAIL = "text,label\nbacon eggs,ham\nfree pills,spam\nfree eggs,ham\n"


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Let a test set the bytes of standard input, and put temporary files into its own folder."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))

    def give(content: bytes) -> Path:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
        return folder

    return give


@pytest.mark.parametrize("command", ["rank", "info"])
def test_it_is_read_like_a_file(run: Any, given: Any, tmp_path: Path, command: str) -> None:
    path = tmp_path / "mail.csv"
    path.write_text(MAIL)
    folder = given(MAIL.encode())
    result = run(command, "-", "--input-format", "csv")
    assert (result.code, result.err) == (0, "")
    assert result.out == run(command, path).out.replace(str(path), "standard input")
    assert list(folder.iterdir()) == []  # nothing is left behind


def test_every_command_that_reads(run: Any, given: Any, tmp_path: Path) -> None:
    given(MAIL.encode())
    counts = tmp_path / "mail.termsift"
    assert run("count", "-", "--input-format", "csv", "-o", counts).code == 0
    assert ts.load(counts).n_docs == 3
    given(MAIL.encode())
    page = tmp_path / "mail.html"
    assert run("report", "-", "--input-format", "csv", "-o", page).code == 0
    text = page.read_text("utf-8")
    assert "<bdi>standard input</bdi>" in text
    given(MAIL.encode())
    assert run("keyness", "-", "ham", "--input-format", "csv").code == 0


def test_a_matrix(run: Any, given: Any, tmp_path: Path) -> None:
    content = io.BytesIO()
    sparse.save_npz(content, sparse.csr_array(np.array([[1, 2], [3, 0]])))
    labels = tmp_path / "labels.txt"
    labels.write_text("a\nb\n")
    given(content.getvalue())
    result = run("info", "-", "--input-format", "npz", "--labels", labels)
    assert result.out.startswith("standard input: 2 documents, 2 terms")


def test_errors_say_standard_input_and_leave_nothing_behind(run: Any, given: Any) -> None:
    for content, options, message in (
        (b"text,label\na b,c\nd\n", ["--input-format", "csv"], "standard input, line 3: expected"),
        (MAIL.encode(), [], "the format of standard input is unknown"),
    ):
        folder = given(content)
        assert run("rank", "-", *options).complaint.startswith(message)
        assert os.listdir(folder) == []
    given(MAIL.encode())
    counting = ("count", "-", "-", "--input-format", "csv", "-o", "x.termsift")
    assert "is given twice" in run(*counting).complaint


def test_a_format_for_a_file_of_another_name(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "mail.dat"
    path.write_text(MAIL)
    assert "--input-format" in run("rank", path).complaint
    assert run("rank", path, "--input-format", "csv").code == 0
    counts = ts.count(ts.scan(path, input_format="csv"))
    texts = [line.split(",") for line in MAIL.splitlines()[1:]]
    assert counts == ts.count_texts([text for text, _ in texts], [label for _, label in texts])
    with raises(ValueError, "input_format_must_be_one_of_got", argument="input_format"):
        ts.scan(path, input_format="excel")
    assert set(FORMATS) >= {"csv", "tsv", "txt", "jsonl", "svm", "npz", "mtx", "parquet"}
