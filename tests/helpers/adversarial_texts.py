"""Texts that a tokeniser is likely to split wrongly; every run makes the same texts."""

# ruff: noqa: RUF001 - letters that look like others are the purpose of this file

from __future__ import annotations

import functools
import random
from collections.abc import Iterator

N_CODE_POINTS = 0x110000
# Tokenisers read vectors of 64 bytes, keep short words in slots of 16 or 32 bytes, and split texts
# into pieces of a few hundred kilobytes.
VECTOR = 64
PIECES = (2**16, 10**5, 2**17, 2**18)

# The snippets have final and other sigmas, letters whose lower case has another length, marks,
# digits of other scripts, underscores, surrogates (low, high, reversed pairs), control characters,
# all kinds of blanks, words about as long as a slot, and ligatures that decompose into letters.
SNIPPETS = (
    *("ΟΔΥΣΣΕΥΣ", "Σ", "σς", "ΑΣ.", "ΑΣ\u0301Β", "ΑΣ\u0301", "ᾼΣ", "AΣ\u200d", "Σ:Σ", "ΑΣ'Β"),
    *("İSTANBUL", "ıI", "İİ", "aİ", "Straße", "STRASSE", "ẞẞ", "ǅ", "ŉŉ", "Ⱥ", "ȺȺ", "K\u212a"),
    *("\u212a", "e\u0301e\u0301", "é", "ÉÉ", "a\u0323\u0301", "ộ", "ﬁ", "ﬁﬁ", "\ufdfa", "한국어"),
    *("\u1112\u1161\u11ab", "日本語", "中", "中文 字", "ｶﾞ", "٣٤٥", "٣", "①②", "½", "_", "__"),
    *("a_b", "_a", "\u0345\u0345", "𝐀𝐁", "𐐀𐐁", "𐐀", "😀", "😀😀", "a😀b", "\u200d", "a\u200db"),
    *("\ud800", "\udfff", "a\ud83db", "\udc00\ud800", "\ud83d\ude00", "x\udc80", "\udfffΣ"),
    *("\x00", "a\x00b", "\x00\x00", "\x7f\x7f", "\ufeffab", "\ufffe", "\U0010ffff", "don't"),
    *("\x1f\x85", "\x1c\x1d", "\xa0", "\u2003", "\u3000", "a\u2028b", "\t\t", "\r\n", "  ", "\v"),
    *("ab", "a", "I", "The", "x" * 15, "y" * 16, "z" * 17, "w" * 31, "W" * 32, "v" * 33, "u" * 64),
    *(
        "t" * 65,
        "é" * 8,
        "é" * 7 + "a",
        "Ы" * 9,
        "ы" * 16,
        "日" * 10,
        "日" * 11,
        "can\u2019t",
        "fi",
    ),
)
STOP_WORDS = ["ab", "straße", "a_b", "日本語", "z" * 17, "the", "w" * 32]


def every_code_point() -> Iterator[str]:
    """Return each code point alone, doubled, between letters, and around a capital sigma."""
    for begin in range(0, N_CODE_POINTS, 97):
        points = [chr(c) for c in range(begin, min(begin + 97, N_CODE_POINTS))]
        yield " ".join(points)
        yield " ".join(c + c for c in points)
        yield "x".join(points)
        yield "".join(points)
        yield " ".join("a" + c for c in points)
        yield " ".join(c + "Σ" for c in points)
        yield " ".join("A" + c + "Σ" + c for c in points)
        yield " ".join("AΣ" + c + "b" for c in points)


def about_a_vector() -> Iterator[str]:
    """Return runs of a character, of words and of blanks, of every length up to a few vectors."""
    for n in range(4 * VECTOR + 4):
        yield "a" * n
        yield "ab " * n
        yield "é" * n
        yield "日" * n + " "
        yield " " * n + "ab"
        yield " " * n + "\ud800" + "Ab" * 2
        yield "ab" + " " * n + "İ" + "a" * n
        yield "x" * n + "Σ" + " " * (n % 3) + "y"


def mixed() -> Iterator[str]:
    """Return texts of randomly chosen snippets and characters, cut off at random places."""
    rng = random.Random(5)
    for n in (1, 2, 5, 20, 60, 63, 64, 65, 127, 128, 129, 1000):
        for _ in range(150):
            text = ""
            while len(text) < n:
                text += rng.choice(SNIPPETS) + rng.choice(["", " ", ".", "\n", "-", "  "])
            yield text[:n]
    scripts = [(0, 128), (0, 0x250), (0x370, 0x600), (0x3000, 0xA000), (0x10000, 0x11000)]
    for _ in range(3000):
        ranges = rng.choices([*scripts, (32, 127)], k=rng.randrange(200))
        yield "".join(chr(rng.randrange(*r)) for r in ranges)


def about_a_piece() -> Iterator[str]:
    """Return documents about as long as one of PIECES, with distinct words at the end."""
    for size in PIECES:
        for n in range(-3, 4):
            yield ("ab cde " * (size // 7 + 1))[: size + n] + "Final Words"
        yield "é" * (size // 2 - 1) + " ÀÀ after"
        yield "word " * (size // 5) + "ΑΣ" + "\u0301" * 40 + " ΟΔΟΣ"
        yield "x" * (size - 1) + "Y" + " " + "z" * size
        yield "日本" * (size // 6) + "\ud800" + "語 " * 9
        yield " " * size + "two words" + "\n" * size + "a b cc"
    rng = random.Random(7)
    yield " ".join(rng.choices(SNIPPETS, k=2 * 10**5))
    yield "a" * 2**20 + " " + "Ж" * 2**19  # words of a megabyte


def shuffled(texts: list[str]) -> list[str]:
    """Return the texts in a random order."""
    random.Random(9).shuffle(texts)
    return texts


@functools.cache
def few() -> list[str]:
    """Return a few hundred texts of every kind except the longest."""
    sources = ((every_code_point, 331), (about_a_vector, 29), (mixed, 11), (about_a_piece, 19))
    thinned = [text for source, step in sources for text in list(source())[::step]]
    return shuffled([*thinned, *SNIPPETS, "", "", "ab ab"])


@functools.cache
def many() -> list[str]:
    """Return all of the hundred thousand texts, with some 38 million characters."""
    sources = (every_code_point, about_a_vector, mixed, about_a_piece)
    return shuffled([text for source in sources for text in source()] + [*SNIPPETS, "", ""])


@functools.cache
def some() -> list[str]:
    """Return a thousand texts, but none of the longest, which have too many n-grams."""
    return [text for text in many() if len(text) < 5000][::97]
