"""Parquet tables with texts and labels of every kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import termsift as ts
from termsift.io._source import NAMED, SKIP

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

CURE = f"convert it, or {NAMED}"


def complaint(path: Path, **options: Any) -> str:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        ts.count(ts.scan(path, **options))
    assert caught.type is ValueError
    message = str(caught.value)
    assert message.startswith(f"{path}")
    assert "\n" not in message
    return message.removeprefix(str(path)).removesuffix(f"; {SKIP}")


def test_texts_that_are_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "c.parquet"
    texts = [f"text{i}".encode() for i in range(5000)]
    texts[4500] = b"\xff\xfe"
    column = pyarrow.array(texts, pyarrow.binary()).view(pyarrow.string())
    table = pyarrow.table({"text": column, "label": ["a", "b"] * 2500})
    parquet.write_table(table, path)
    for on_error in ("raise", "skip"):
        message = complaint(path, on_error=on_error)
        assert message.startswith(", rows 4097 to 5000: damaged: Invalid UTF8")


LIST = "list<element: int64>"


@pytest.mark.parametrize(
    ("column", "array", "message"),
    [
        ("text", [1, 2], f": expected strings in column 'text', found 'int64'; {CURE}"),
        ("text", [b"a", b"b"], ": expected strings in column 'text', found 'binary'; " + CURE),
        ("text", [None, None], ": expected strings in column 'text', found 'null'; " + CURE),
        ("label", [1.0, 2.0],
         f": expected strings or whole numbers in column 'label', found 'double'; {CURE}"),
        ("label", [[1], [2]],
         f": expected strings or whole numbers in column 'label', found {LIST!r}; {CURE}"),
    ],
)  # fmt: skip
def test_columns_of_other_kinds(tmp_path: Path, column: str, array: Any, message: str) -> None:
    path = tmp_path / "c.parquet"
    parquet.write_table(
        pyarrow.table({"text": ["a", "b"], "label": ["x", "y"], column: array}), path
    )
    assert complaint(path) == message


@pytest.mark.parametrize("kind", ["string", "large_string", "dictionary"])
def test_every_kind_of_text(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "c.parquet"
    texts, labels = pyarrow.array(["ant bee", "bee"]), pyarrow.array([True, False])
    texts = texts.dictionary_encode() if kind == "dictionary" else texts.cast(kind)
    table = pyarrow.table({"label": labels, "n": [1, 2], "text": texts})
    parquet.write_table(table, path)
    counts = ts.count(ts.scan(path))
    assert counts.classes == ["false", "true"]
    assert counts.term_frequency.toarray().tolist() == [[0, 1], [1, 1]]
    assert list(counts.term_names) == ["ant", "bee"]
