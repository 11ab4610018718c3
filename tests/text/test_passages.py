"""Terms in context: their positions, their documents, and the requested number of passages."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import termsift as ts
from private import put
from wording import raises

TEXTS = ["Bacon and eggs at noon", "Lunch at noon? Bacon!", "Free pills", "A free prize, free!"]
LABELS = ["ham", "ham", "spam", "spam"]


def stems(text: str) -> list[str]:
    return [re.sub("(e|ation)$", "", word) for word in re.findall(r"\w+", text.lower())]


def better(text: str) -> str:
    return text.lower().replace("better", "good")


def only(text: str, term: str, **options: Any) -> ts.Passage:
    """Return the passage of a term in one text."""
    (passage,) = ts.find_passages([text], ["x"], term, **options)["x"][term]
    return passage


def test_passages_by_hand() -> None:
    found = ts.find_passages(TEXTS, LABELS, ["noon", "free"])
    assert found == {
        "ham": {
            "noon": [
                ts.Passage("Bacon and eggs at ", "noon", "", 0),
                ts.Passage("Lunch at ", "noon", "? Bacon!", 1),
            ],
            "free": [],
        },
        "spam": {
            "noon": [],
            "free": [
                ts.Passage("", "Free", " pills", 2),
                ts.Passage("A ", "free", " prize, free!", 3),
                ts.Passage("A free prize, ", "free", "!", 3),
            ],
        },
    }


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_terms_of_each_class_and_their_number(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch, block_texts=size)
    put(monkeypatch, texts_at_once=size)
    found = ts.find_passages(iter(TEXTS * 50), LABELS * 50, {"spam": ["free"]}, n_passages=5)
    assert list(found) == ["spam"]
    assert [passage.document for passage in found["spam"]["free"]] == [2, 3, 3, 6, 7]


def test_passages_do_not_depend_on_threads() -> None:
    queries = ["free", "noon"]
    one, two, seven = (
        ts.find_passages(TEXTS * 50, LABELS * 50, queries, n_threads=n) for n in (1, 2, 7)
    )
    assert one == two == seven


def test_each_list_of_a_document_with_several_labels_has_its_own_length() -> None:
    y = np.array([[1, 0], [1, 1]])
    found = ts.find_passages(["eggs", "eggs and eggs"], y, "eggs", n_passages=2)
    documents = [[passage.document for passage in of["eggs"]] for of in found.values()]
    assert documents == [[0, 1], [1, 1]]


def test_it_stops_reading_when_every_list_is_full() -> None:
    def texts() -> Any:
        yield from TEXTS
        for _ in range(1 << 18):  # two blocks
            yield "some words"
        raise AssertionError("it read on")

    labels = itertools.chain(LABELS, itertools.repeat("ham", 1 << 18))
    found = ts.find_passages(texts(), list(labels), {"spam": "free"}, n_passages=1)
    assert len(found["spam"]["free"]) == 1


@pytest.mark.parametrize(
    ("text", "term", "rules", "match"),
    [
        ("Eggs and Bacon", "bacon", {}, "Bacon"),
        ("Café au lait", "cafe", {"strip_accents": "unicode"}, "Café"),
        ("a cafe\u0301 there", "cafe", {"strip_accents": "unicode"}, "cafe\u0301"),
        ("İstanbul is large", "large", {}, "large"),
        (
            "free the prize",
            "free prize",
            {"ngram_range": (2, 2), "stop_words": ["the"]},
            "free the prize",
        ),
        ("one two one two", "two one", {"ngram_range": (1, 2)}, "two one"),
        ("C++ is a language", "c++", {"token_pattern": r"[\w+]+"}, "C++"),
        ("x=10; y=20", "20", {"token_pattern": r"y=(\d+)"}, "20"),
        ("Rome,New York", "new york", {"token_pattern": "[^,]+"}, "New York"),
        ("and Bacon", "ACO", {"analyzer": "char", "ngram_range": (3, 3)}, "aco"),
        ("eggs, bacon", " b", {"analyzer": "char", "ngram_range": (2, 2)}, " b"),
        ("BACON", "BACON", {"lowercase": False}, "BACON"),
        ("our Free prize, now", "Free Prize!", {}, "Free prize"),
        ("a free to win", "the free win", {"stop_words": ["the", "to"]}, "free to win"),
        ("one café", "CAFÉ", {"strip_accents": "unicode"}, "café"),
        ("Be free because we use it", "us", {"analyzer": stems}, "use"),
        (
            "I like cooperation",
            "cooper",
            {"tokenizer": stems, "token_pattern": None},
            "cooperation",
        ),
        ("of Better cats", "good cats", {"preprocessor": better}, "Better cats"),
        (
            "我喜欢自由软件",
            "自由",
            {"analyzer": re.compile("自由|软件|.").findall},
            "自由",
        ),
        ("at noon? No", "noon?", {"analyzer": str.split}, "noon?"),
    ],
)
def test_where_a_term_stands(text: str, term: str, rules: dict[str, Any], match: str) -> None:
    if {"preprocessor", "token_pattern"} & set(rules):
        pytest.importorskip("sklearn")
    passage = only(text, term, **rules)
    assert passage.match == match
    assert passage.before + passage.match + passage.after == text


def test_a_term_of_no_word_has_no_passage() -> None:
    found = ts.find_passages(["one two"], ["x"], "7", analyzer=lambda text: [str(len(text))])
    assert found == {"x": {"7": []}}


def test_width_is_the_number_of_characters_on_either_side() -> None:
    text = "one two three  four\n five six seven"
    assert only(text, "four", width=10) == ts.Passage("…wo three ", "four", " five six…", 0)
    assert only(text, "one", width=4) == ts.Passage("", "one", " two…", 0)
    assert only("one two", "two", width=4) == ts.Passage("one ", "two", "", 0)
    assert only(text, "seven", width=100).before == "one two three four five six "


words = st.lists(st.sampled_from(["aa", "bb", "Cc", "dd,", "ee\n", "ÀA"]), max_size=8)


@given(st.lists(words, min_size=1, max_size=6), st.integers(1, 40), st.integers(1, 3))
def test_every_counted_term_is_found_and_no_other(
    texts: list[list[str]], width: int, n_passages: int
) -> None:
    joined = [" ".join(text) for text in texts]
    labels = [i % 2 for i in range(len(joined))]
    vocabulary = ["aa", "bb", "cc", "àa", "aa bb", "zz"]
    rules: Any = {"ngram_range": (1, 2), "vocabulary": vocabulary}
    counts = ts.count_texts(joined, labels, classes=[0, 1], **rules)
    terms = list(counts.term_names)
    found = ts.find_passages(joined, labels, terms, **rules, width=width, n_passages=n_passages)
    occurrences = counts.term_frequency.toarray()
    for label in set(labels):
        for column, term in enumerate(terms):
            passages = found[label][term]
            assert len(passages) == min(n_passages, occurrences[label, column])
            for passage in passages:
                assert " ".join(passage.match.lower().replace(",", " ").split()) == term
                assert labels[passage.document] == label
                assert max(len(passage.before), len(passage.after)) <= width + 1


def test_a_document_of_several_classes_is_in_each() -> None:
    found = ts.find_passages(TEXTS[:2], np.array([[1, 1], [0, 1]]), ["noon"])
    assert [len(found[label]["noon"]) for label in (0, 1)] == [1, 2]


@pytest.mark.parametrize(
    ("arguments", "error", "key", "argument"),
    [
        ({"queries": []}, ValueError, "queries_must_hold_at_least_one", "queries"),
        ({"queries": [3]}, TypeError, "each_of_queries_must_be_a", "queries"),
        ({"queries": "a", "width": 0}, ValueError, "width_must_be_at_least_1", "width"),
        (
            {"queries": "a", "n_passages": 0},
            ValueError,
            "n_passages_must_be_at_least_1",
            "n_passages",
        ),
        ({"queries": "a", "n_threads": 0}, ValueError, "n_threads_must_be_in_1_4096", "n_threads"),
        ({"queries": "a", "hashing": 64}, TypeError, "hashed_terms_have_no_names_to", "hashing"),
        ({"queries": "a", "widht": 4}, TypeError, "unknown_argument_widht", "widht"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], error: type, key: str, argument: str) -> None:
    with raises(error, key, argument=argument):
        ts.find_passages(TEXTS, LABELS, **arguments)
