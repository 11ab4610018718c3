"""Frequency lists: columns by name or by place, separators, and rows that are no numbers."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import termsift as ts
from wording import raises


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("list.csv", "count,pos,term\n9,NN,news\n2,NN,bacon\n"),
        ("list.tsv", "word\tn\nnews\t9\nbacon\t2\n"),
        ("list.csv", "news;9\n\nbacon;2\n"),
        ("list.txt", "news|9\nbacon|2\n"),
    ],
)
def test_a_list_has_terms_and_counts(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    table = ts.io.read_frequency_list(path)
    assert table == {"term": ["news", "bacon"], "count": [9, 2]}
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert ts.io.read_frequency_list(str(packed)) == table
    counts = ts.counts_from_table({**table, "label": ["papers"] * 2})
    assert counts.class_tokens.tolist() == [11]


def test_faults_are_named(tmp_path: Path) -> None:
    path = tmp_path / "list.tsv"
    path.write_text("news\t9\nbacon\tx\n")
    with raises(ValueError, "list_tsv_line_2_expected_a"):
        ts.io.read_frequency_list(path)
    with raises(FileNotFoundError, "other_tsv_no_such_file", argument="path"):
        ts.io.read_frequency_list(tmp_path / "other.tsv")
    path.write_bytes(b"caf\xe9\t1\n")
    with raises(ValueError, "list_tsv_line_1_byte_3"):
        ts.io.read_frequency_list(path)
