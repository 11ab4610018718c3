"""The rule ``normalize``, which is `unicodedata.normalize`."""

from __future__ import annotations

import random
import re
import sys
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import termsift as ts
from private import _core
from termsift.text import TextRules
from wording import raises, warns

FORMS = "NFC", "NFKC"
LONGEST = 300  # longer than each word of these tests, of which each is a single n-gram
CHARACTERS = [chr(c) for c in range(sys.maxunicode + 1)]
# All characters that may join the character before them.
MARKS = [c for c in CHARACTERS if unicodedata.category(c).startswith("M")]
JOINING = [*MARKS, *map(chr, range(0x1161, 0x1176)), *map(chr, range(0x11A8, 0x11C3))]
DECOMPOSED = [c for c in CHARACTERS if unicodedata.decomposition(c)]
LETTERS = [
    *"aeKA .",
    "\u03a3",
    "\u03c3",
    "\u1100",
    "\uac00",
    "\uac01",
    "\u09c7",
    "\u0dd9",
    "\u1fbf",
    "\U000110a5",
]


def words_of(texts: _core.Texts, **rules: Any) -> set[str]:
    native = TextRules(analyzer="char_wb", ngram_range=(LONGEST, LONGEST), **rules).native
    assert native is not None
    counter = _core.TextCounter(native)
    counter.add(texts, None, 1)
    counter.sort(1)
    return {term.strip(" ") for term in counter.terms()}


def assert_normal(texts: list[str], form: Any, *, as_utf8: bool = False) -> None:
    expected = {word for text in texts for word in unicodedata.normalize(form, text).split()}
    given = (
        _core.Texts.of_bytes([text.encode() for text in texts])
        if as_utf8
        else _core.Texts.of_strings(texts)
    )
    assert words_of(given, lowercase=False, normalize=form) == expected


@pytest.mark.parametrize("form", FORMS)
def test_each_character(form: Any) -> None:
    for first in range(0, len(CHARACTERS), 1 << 14):
        some = CHARACTERS[first : first + (1 << 14)]
        assert_normal(some, form)
        assert_normal(["".join(some[at : at + 16]) for at in range(0, len(some), 16)], form)


@cache
def letters() -> tuple[list[str], list[str]]:
    """Return the characters that take part in a decomposition, and all others."""
    parts = {part for c in DECOMPOSED for part in (c, *unicodedata.normalize("NFKD", c))}
    # Syllables of Hangul decompose by a rule, so those with at most one final letter suffice.
    parts |= {chr(c) for c in range(0xAC00, 0xD7A4) if (c - 0xAC00) % 28 < 2}
    all_letters = [c for c in CHARACTERS if unicodedata.category(c)[0] in "LMNPS"]
    return [c for c in all_letters if c in parts], [c for c in all_letters if c not in parts]


@pytest.mark.full(cases=2)
@pytest.mark.parametrize("rest", range(200))
@pytest.mark.parametrize("form", FORMS)
def test_each_pair_of_character_and_mark(form: Any, rest: int) -> None:
    """Letters and marks of decompositions meet each other. The others, all alike, meet some."""
    known, others = letters()
    for number, mark in enumerate(JOINING[rest::200]):
        step = 1 if mark in known else 8
        some = known[rest % step :: step] + others[rest % 50 :: 50]
        texts = [
            " ".join(letter + mark for letter in some[at : at + 512])
            for at in range(0, len(some), 512)
        ]
        assert_normal(texts, form, as_utf8=number % 2 == 1)


def test_random_strings() -> None:
    choice = random.Random(7)
    pool = [*JOINING, *DECOMPOSED, *200 * LETTERS]
    for number in range(60):
        sizes = (choice.choice([1, 2, 3, 6, 15]) for _ in range(300))
        texts = ["".join(choice.choices(pool, k=size)) for size in sizes]
        assert_normal(texts, FORMS[number % 2], as_utf8=number % 3 == 0)


@given(st.text(st.sampled_from([*LETTERS, *"e\u0301\u0323\u0345\u3099\u11a8\ufb01\ud800İ"])))
def test_rules_apply_to_the_normal_form(text: str) -> None:
    for form in FORMS:
        normal = unicodedata.normalize(form, text)
        for rules in ({}, {"strip_accents": "unicode"}, {"analyzer": "char"}):
            of_rules: Any = rules
            ours = [_core.Texts.of_strings([one]) for one in (text, normal)]
            native = TextRules(normalize=form, **of_rules).native  # type: ignore[arg-type]
            usual = TextRules(**of_rules).native
            assert native is not None
            assert usual is not None
            found = []
            for texts, one in zip(ours, (native, usual), strict=True):
                counter = _core.TextCounter(one)
                counter.add(texts, None, 1)
                counter.sort(1)
                found.append((counter.terms(), counter.term_frequency().tolist()))
            assert found[0] == found[1]


@pytest.mark.filterwarnings("ignore:combining marks cut words")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n_before", [0, 65_534, 65_536, 70_001, 200_000])
def test_long_texts(form: Any, n_before: int) -> None:
    odd = "e\u0301" + 5000 * "\u0323\u0302" + "\u1100\u1161\u11a8 \ufb01\u0301"
    for letter in "a", "é", "Ж", "中", "\U0001d400", "か\u3099":
        text = letter * n_before + odd + letter * 100_000 + " " + odd
        rules: Any = {"normalize": form, "analyzer": "word"}
        counts = ts.count_texts([text, text.encode().decode()], [0, 1], **rules)
        normal = unicodedata.normalize(form, text)
        expected = ts.count_texts([normal, normal], [0, 1])
        assert list(counts.term_names) == list(expected.term_names)
        assert (counts.term_frequency != expected.term_frequency).nnz == 0


@pytest.mark.parametrize("form", FORMS)
def test_each_character_that_changes_is_found_in_a_block_that_does_not(
    form: Any, tmp_path: Path
) -> None:
    """Blocks of 64 bytes whose characters are all in the normal form are skipped."""
    changed = [
        c
        for c in CHARACTERS[0x80:]
        if unicodedata.category(c) not in ("Cn", "Co", "Cs")
        and (unicodedata.normalize(form, c) != c or unicodedata.combining(c))
        and not re.search(r"\s", unicodedata.normalize(form, c))
    ]
    texts = ["a" * 100 + c + "b" * 100 for c in changed]
    expected = sorted({unicodedata.normalize(form, text) for text in texts})
    rules: dict[str, Any] = {"normalize": form, "token_pattern": "[^ ]+", "lowercase": False}
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(texts), "utf-8")
    of_file = ts.count(ts.scan(path, input_format="lines", label=False, **rules))
    for counts in (of_file, ts.count_texts(texts, ["a"] * len(texts), **rules)):
        assert counts.term_names is not None
        assert counts.term_names.tolist() == expected


def test_python_cuts_the_normal_form_too() -> None:
    pytest.importorskip("sklearn")
    text = "Re\u0301sume\u0301 \ufb01n"
    for rules in (
        {"token_pattern": r"\w+"},
        {"tokenizer": str.split, "token_pattern": None},
        {"strip_accents": str.swapcase},
        {"ngram_range": (1, 1000)},
    ):
        of_rules: Any = rules
        counts = ts.count_texts([text], ["a"], normalize="NFKC", **of_rules)
        expected = ts.count_texts([unicodedata.normalize("NFKC", text)], ["a"], **of_rules)
        assert list(counts.term_names) == list(expected.term_names)


def test_vectorizers_normalise() -> None:
    theirs = pytest.importorskip("sklearn.feature_extraction.text")
    texts = ["re\u0301sume\u0301 \ufb01n", "résumé a\u0308"]
    normal = [unicodedata.normalize("NFC", text) for text in texts]
    for rules in ({}, {"token_pattern": r"\w+"}, {"analyzer": "char"}, {"vocabulary": ["résumé"]}):
        of_rules: Any = rules
        ours = ts.text.CountVectorizer(normalize="NFC", **of_rules)
        other = theirs.CountVectorizer(**of_rules)
        found, expected = ours.fit_transform(texts), other.fit_transform(normal)
        assert (found != expected).nnz == 0
        assert list(ours.get_feature_names_out()) == list(other.get_feature_names_out())
        assert (ours.transform(texts) != other.transform(normal)).nnz == 0
    for rules in ({}, {"token_pattern": r"\w+"}):
        of_rules = rules
        ours = ts.text.HashingVectorizer(n_features=64, normalize="NFC", **of_rules)
        found = ours.transform(texts)
        assert (
            found != theirs.HashingVectorizer(n_features=64, **of_rules).transform(normal)
        ).nnz == 0
    with raises(ValueError, "normalize_must_be_nfc", argument="normalize"):
        ts.text.CountVectorizer(normalize="NFD").fit(texts)


def test_counts_keep_the_form() -> None:
    texts = ["re\u0301sume\u0301", "résumé"]
    counts = ts.count_texts(texts, [0, 1], normalize="NFC")
    again = ts.load(counts.to_bytes())
    assert again == counts
    assert "normalize='NFC'" in str(again)
    assert again.naive_bayes().predict(["resume", texts[0]]).tolist()
    with raises(ValueError, "normalize_is_nfc_in_one", argument="normalize"):
        counts + ts.count_texts(["a word"], [0])
    sketch = ts.sketch_texts([*texts, *texts], min_df=2, n_bytes=1 << 16, normalize="NFC")
    kept = ts.count_texts([*texts, *texts], [0, 1, 0, 1], sketch=sketch)
    assert list(kept.term_names) == ["résumé"]
    found = ts.find_passages(texts, [0, 1], ["re\u0301sume\u0301"], normalize="NFC")
    assert [len(of_class["re\u0301sume\u0301"]) for of_class in found.values()] == [1, 1]


def test_stop_words_in_another_form_are_told() -> None:
    with warns(UserWarning, "stop_words_turn_into_another_form"):
        ts.count_texts(["en été"], ["a"], normalize="NFC", stop_words=["e\u0301te\u0301"])
    with warns(UserWarning, "a_term_in_another_form_cannot_match"):
        ts.count_texts(["en été"], ["a"], normalize="NFC", vocabulary=["en", "e\u0301te\u0301"])
