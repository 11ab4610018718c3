"""The words of a list are cut by the rules for texts, as if their corpus had been counted."""

from __future__ import annotations

import random
import warnings
from typing import Any

import pytest

import termsift as ts
from private import cut_words
from termsift.text import TextRules


def held(words: list[str], **rules: Any) -> tuple[dict[str, dict[str, int]], list[str]]:
    """Return the terms in each word, and the words that cannot match."""
    cut = cut_words(words, TextRules(**rules))
    assert cut.terms == sorted(set(cut.terms))
    assert cut.contents.shape == (len(words), len(cut.terms))
    rows = cut.contents.toarray().tolist()
    found = {
        word: {term: n for term, n in zip(cut.terms, row, strict=True) if n}
        for word, row in zip(words, rows, strict=True)
    }
    return found, [words[i] for i in cut.alien]


def test_words_become_what_texts_give() -> None:
    words = ["The", "the", "a", "don't", "well-known", "la-la", "café", "...", ""]
    found, alien = held(words)
    assert found == {
        "The": {"the": 1},
        "the": {"the": 1},
        "a": {},
        "don't": {"don": 1},
        "well-known": {"known": 1, "well": 1},
        "la-la": {"la": 2},
        "café": {"café": 1},
        "...": {},
        "": {},
    }
    assert alien == []
    assert held(["The"], lowercase=False)[0] == {"The": {"The": 1}}
    assert held(["Café"], strip_accents="unicode")[0] == {"Café": {"cafe": 1}}
    assert held(["the", "ship"], stop_words=["the"])[0] == {"the": {}, "ship": {"ship": 1}}
    assert held(["la-la"], ngram_range=(1, 2), binary=True)[0] == {"la-la": {"la": 2, "la la": 1}}


def test_words_with_blanks_are_ngrams() -> None:
    words = ["New York", "york", "state of mind", "don't stop"]
    found, alien = held(words, ngram_range=(1, 2))
    assert found["New York"] == {"new york": 1}
    assert found["york"] == {"york": 1}
    assert found["don't stop"] == {"don stop": 1}
    assert alien == ["state of mind"]
    _, alien = held([*words, "well-known man"], ngram_range=(2, 3))
    assert alien == ["york", "well-known man"]  # which has two terms of two words
    _, alien = held(["end of it", "state mind"], ngram_range=(1, 3), stop_words=["of"])
    assert alien == ["end of it"]
    found, alien = held(words)
    assert alien == ["New York", "state of mind", "don't stop"]
    assert found["New York"] == {"New York": 1}


def test_rules_that_drop_terms_do_not_cut() -> None:
    rules: dict[str, Any] = {"min_df": 5, "max_df": 0.1, "max_features": 1, "vocabulary": ["no"]}
    assert held(["ab", "cd"], **rules)[0] == {"ab": {"ab": 1}, "cd": {"cd": 1}}


def test_functions_cut_too() -> None:
    pytest.importorskip("sklearn")
    found, alien = held(["a_b", "c"], tokenizer=lambda text: text.split("_"), token_pattern=None)
    assert found == {"a_b": {"a": 1, "b": 1}, "c": {"c": 1}}
    assert alien == []


@pytest.mark.full(cases=5)
@pytest.mark.parametrize("seed", range(30))
def test_a_list_of_the_words_of_texts_gives_the_counts_of_the_texts(seed: int) -> None:
    draw = random.Random(seed)
    letters = "aAbBß é-'9_İσΣς"
    texts = ["".join(draw.choices(letters, k=30)) for _ in range(20)]
    rules: dict[str, Any] = {
        "lowercase": draw.random() < 0.7,
        "strip_accents": draw.choice([None, "ascii", "unicode"]),
        "stop_words": draw.choice([None, ["ab", "aa"]]),
    }
    words = [word for text in texts for word in text.split()]
    n_of = {word: words.count(word) for word in words}
    table = {"term": list(n_of), "count": list(n_of.values()), "label": ["x"] * len(n_of)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # combining marks cut some of the words
        counted = ts.count_texts(texts, ["x"] * 20, **rules)
    found = ts.counts_from_table(table, rules=counted.rules)
    assert list(found.term_names) == list(counted.term_names)
    assert found.class_tokens.tolist() == counted.class_tokens.tolist()
    assert found.term_frequency.toarray().tolist() == counted.term_frequency.toarray().tolist()
