"""The rule ``stem`` counts stems in place of words, at every door."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import termsift as ts
from private import _core, core_of
from wording import raises

WORDS = [
    "ships",
    "ship",
    "Ships",
    "oils",
    "oil",
    "the",
    "s",
    "naïves",
    "größes",
    "東京s",
    "-",
    "xs",
]
TEXTS = ["The ships and oils", "oil ship ships", "eggs egg bacon", "bacons egg eggs"]
LABELS = ["a", "a", "b", "b"]


def stem(word: str) -> str:
    return word.removesuffix("s")


def outcome(texts: Any, y: Any, **how: Any) -> Any:
    """Return everything that counts hold, or the message of the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a collection may have no terms
        try:
            counts = ts.count_texts(texts, y, classes=[0, 1], **how)
        except ValueError as error:
            return str(error)
    names = None if counts.term_names is None else counts.term_names.tolist()
    arrays = core_of(counts).to_arrays().items()
    return names, {name: np.asarray(v).tolist() for name, v in arrays}


@given(
    st.lists(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join), max_size=7),
    st.sampled_from([(1, 1), (1, 2), (2, 3)]),
    st.sampled_from(
        [
            {},
            {"stop_words": ["the", "ships"]},
            {"lowercase": False},
            {"preprocessor": str.upper},
            {"tokenizer": str.split, "token_pattern": None},
            {"strip_accents": "unicode"},
        ]
    ),
    st.sampled_from(
        [
            {},
            {"binary": True},
            {"min_df": 2},
            {"max_df": 0.5},
            {"max_features": 3},
            {"hashing": 7},
            {"vocabulary": ["ship", "oil", "ship oil", "unheard", "ships"]},
            {"vocabulary": {"oil": 1, "SHIPS": 0}, "binary": True},
        ]
    ),
    st.sampled_from(["raw", "log", "binary"]),
    st.integers(1, 3),
)
def test_stems_count_as_what_a_function_cuts(
    texts: list[str], size: Any, cut: Any, kept: Any, tf: Any, n_threads: int
) -> None:
    sklearn_text = pytest.importorskip("sklearn.feature_extraction.text")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        words = sklearn_text.CountVectorizer(**cut).build_analyzer()

    def grams(text: str) -> list[str]:
        stems = [stem(word) for word in words(text)]
        sizes = range(size[0], size[1] + 1)
        return [" ".join(stems[i : i + n]) for n in sizes for i in range(len(stems) - n + 1)]

    y = [len(text) % 2 for text in texts]
    how: dict[str, Any] = {"tf": tf, "n_threads": n_threads, **kept}
    expected = outcome(texts, y, analyzer=grams, **how)
    assert outcome(texts, y, stem=stem, ngram_range=size, **cut, **how) == expected


def test_a_distinct_word_is_stemmed_once() -> None:
    seen: Counter[str] = Counter()

    def noted(word: str) -> str:
        seen[word] += 1
        return stem(word)

    counts = ts.count_texts(TEXTS * 5, LABELS * 5, stem=noted)
    assert set(seen.values()) == {1}
    assert {"ships", "ship"} <= set(seen)
    assert list(counts.term_names) == ["and", "bacon", "egg", "oil", "ship", "the"]


def test_every_door(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")  # a sketch needs the words of each text
    rules: Any = {"stem": stem}
    counts = ts.count_texts(TEXTS, LABELS, **rules)
    table = tmp_path / "t.csv"
    table.write_text("label,text\n" + "".join(map("{},{}\n".format, LABELS, TEXTS)))
    assert ts.count(ts.scan(table, **rules)) == counts
    parts = [ts.count_texts(TEXTS[i : i + 2], LABELS[i : i + 2], **rules) for i in (0, 2)]
    assert ts.merge(parts) == counts
    least: Any = {"min_df": 2, **rules}
    kept = ts.count_texts(TEXTS, LABELS, **least)
    assert list(kept.term_names) == ["bacon", "egg", "oil", "ship"]
    assert ts.count_texts(TEXTS, LABELS, max_memory=1 << 20, **least) == kept
    sketch = ts.sketch_texts(TEXTS, min_df=2, n_bytes=1 << 12, **rules)
    assert ts.count_texts(TEXTS, LABELS, sketch=sketch).with_min_df(2) == kept
    found = ts.find_passages(TEXTS, LABELS, ["ships"], **rules)
    assert [p.match for p in found["a"]["ships"]] == ["ships", "ship", "ships"]
    model = counts.naive_bayes()
    assert list(model.predict(["shipss SHIP", "eggs"])) == ["a", "b"]
    listed = ts.counts_from_table({"x": {"ships": 3, "Ship": 2}}, rules=counts.rules)
    assert dict(zip(listed.term_names, listed.collection_term_frequency, strict=True)) == {
        "ship": 5
    }
    counts.save(tmp_path / "counts.npz")
    loaded = ts.load(tmp_path / "counts.npz")
    assert loaded + counts == counts + counts
    assert str(loaded.rules) == "TextRules(stem=stem)"
    other = ts.count_texts(TEXTS, LABELS)
    with raises(ValueError, "stem_is_none_in_one", argument="stem"):
        other + counts


def test_new_words_are_asked_for_together() -> None:
    asked: list[list[str]] = []

    def stems(words: list[str]) -> list[str]:
        asked.append(words)
        return [word[:2] for word in words]

    rules = _core.TextRules("word", True, None, 1, 1, ["x03"], stem=stems)
    counter = _core.TextCounter(rules)
    for start in (0, 30, 45):  # The second and the third call begin after many new words.
        words = [f"{letter}{i:02}" for letter in "xy" for i in range(start, start + 30)]
        counter.add(_core.Texts.of_strings([" ".join(words + words)]), n_threads=1)
    assert sum(map(len, asked)) == len({word for words in asked for word in words})  # each once
    assert max(map(len, asked)) >= 30
    counter.sort()
    found = dict(zip(counter.terms(), counter.term_frequency().tolist(), strict=True))
    words = [f"{letter}{i:02}" for letter in "xy" for i in [*range(60), *range(45, 75)]]
    expected = Counter(word[:2] for word in words if word != "x03")
    assert found == {term: 2 * n for term, n in expected.items()}


def test_wrong_stems_are_refused() -> None:
    with raises(TypeError, "stem_returned_3_for_the_text", argument="stem"):
        ts.count_texts(["oil"], ["a"], stem=lambda word: 3)  # type: ignore[arg-type, return-value]
    with raises(TypeError, "stem_must_be_a_function_got", argument="stem"):
        ts.count_texts(["oil"], ["a"], stem="english")  # type: ignore[arg-type]
    with raises(TypeError, "stem_needs_analyzer_word", argument="stem"):
        ts.count_texts(["oil"], ["a"], stem=stem, analyzer="char")


def test_counts_keep_the_functions_in_this_process() -> None:
    """Files and pickles keep only their names."""
    for rules in (
        {"analyzer": str.split},
        {"preprocessor": str.upper},
        {"strip_accents": str.upper},
        {"stem": stem},
        {"analyzer": str.split, "hashing": 64},
    ):
        counts = ts.count_texts(TEXTS, LABELS, **rules)  # type: ignore[arg-type]
        assert list(counts.naive_bayes().predict(TEXTS)) == LABELS
        assert list(copy.deepcopy(counts).naive_bayes().predict(TEXTS)) == LABELS
        copied = pickle.loads(pickle.dumps(counts))
        assert copied == counts
        assert copied.rules == counts.rules
        with raises(ValueError, "hold_no_rules_for_them", argument="X"):
            copied.naive_bayes().predict(TEXTS)


def test_a_stem_with_a_blank_is_refused_in_n_grams() -> None:
    def stem_of(word: str) -> str:
        return "new york" if word == "nyc" else word

    texts = ["nyc oil", "oil nyc"]
    assert "new york" in ts.count_texts(texts, ["a", "b"], stem=stem_of).term_names
    words = {"vocabulary": ["oil", "new york"]}
    assert ts.count_texts(texts, ["a", "b"], stem=stem_of, **words).class_tokens.sum() == 4
    for rules in ({}, words):
        with raises(ValueError, "stem_has_a_blank", argument="stem"):
            ts.count_texts(texts, ["a", "b"], stem=stem_of, ngram_range=(1, 2), **rules)
