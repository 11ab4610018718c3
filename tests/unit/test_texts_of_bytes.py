"""Bytes as texts of the core."""

from __future__ import annotations

import numpy as np
import pytest

from termsift import _core

Texts = _core.Texts
DOCUMENTS = ["a", "b\xe9", "", "日本 €", "😀 z", "x\0y"]


def test_bytes_are_utf8() -> None:
    texts = Texts.of_bytes([text.encode() for text in DOCUMENTS])
    assert list(texts) == DOCUMENTS
    assert texts.n_bytes == sum(len(text.encode()) for text in DOCUMENTS)
    assert texts.is_utf8
    assert not Texts.of_bytes([b"a", b"b\xff"]).is_utf8
    with pytest.raises(TypeError, match="texts has a str at 1, expected bytes"):
        Texts.of_bytes([b"a", "b"])  # type: ignore[list-item]


def test_positions_are_checked() -> None:
    texts = Texts.of_strings(["a", "b"])
    for position in (-1, 2):
        with pytest.raises(IndexError, match=f"no text {position} among 2"):
            texts[position]
        with pytest.raises(IndexError, match=f"no text {position} among 2"):
            texts.take(np.array([position]))
