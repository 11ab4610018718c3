"""The lower case of texts, which is that of `str.lower`, with its rule for final sigmas."""

from __future__ import annotations

import itertools
import random
import sys
import unicodedata
from typing import Any

import pytest

from private import _core
from termsift.text import TextRules

SIGMA = "\u03a3"
LETTERS = [
    SIGMA,
    "\u0391",
    "\u03c3",
    "\u03c2",
    "a",
    "1",
    " ",
    "'",
    "\u0301",
    "\u0345",
    "\u0130",
    "\u00aa",
]


def assert_lower(texts: list[str]) -> None:
    """Check n-grams that are longer than each text, so each text is a single n-gram."""
    native = TextRules(analyzer="char_wb", ngram_range=(400, 400)).native
    assert native is not None
    expected = {word for text in texts for word in text.lower().split()}
    as_utf8: Any = [text.encode("utf-8", "replace") for text in texts]
    for given in (_core.Texts.of_strings(texts), _core.Texts.of_bytes(as_utf8)):
        counter = _core.TextCounter(native)
        counter.add(given, None, 1)
        counter.sort(1)
        assert {term.strip(" ") for term in counter.terms()} == expected


def test_sigma_between_all_short_strings() -> None:
    sides = ["".join(side) for n in range(3) for side in itertools.product(LETTERS, repeat=n)]
    for before in sides:
        assert_lower([before + SIGMA + after for after in sides])


@pytest.mark.parametrize("other", ["\u0391", "1", ""], ids=ascii)
def test_sigma_beside_each_character(other: str) -> None:
    # Letters without case ("Lo") and unknown characters are alike, so some of them suffice.
    characters = [
        chr(c)
        for c in range(sys.maxunicode + 1)
        if unicodedata.category(chr(c)) not in ("Cs", "Lo", "Cn", "Co") or c % 61 == 0
        if not 0xD800 <= c < 0xE000
    ]
    texts = [
        text
        for c in characters
        for text in (f"{other}{c}{SIGMA}", f"\u0391{SIGMA}{c}{other}", f"{c}{SIGMA}{c}")
        if not c.isspace()
    ]
    for first in range(0, len(texts), 100_000):
        assert_lower(texts[first : first + 100_000])


def test_sigmas_in_blocks_of_64() -> None:
    choice = random.Random(3)
    for alphabet in (LETTERS[:4], LETTERS, [*LETTERS, "\u4e2d", "\U0001d6ba", "\u03f9"]):
        texts = ["".join(choice.choices(alphabet, k=choice.randrange(300))) for _ in range(2000)]
        assert_lower(texts)
