"""Places of terms in texts: under every rule, the tokens that were counted and no others."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any
from unicodedata import combining

import pytest
from hypothesis import given
from hypothesis import strategies as st

import adversarial_texts
import termsift as ts
from private import ENGLISH_STOP_WORDS, PlaceFinder
from termsift.text import TextRules
from token_patterns import IN_USE, LEFT_TO_PYTHON

_vectorizers = pytest.importorskip("sklearn.feature_extraction.text")

MANY = 10**6
SIGMA = "\N{GREEK SMALL LETTER SIGMA}"
WORDS = [
    *("Bacon", "the", "eggs", "don't", "well-known", "#ham", "@Spam", "a", "x=10", "y=20"),
    *("U.S.A.", "3.14", "bob@example.org", "better", "of", "Café", "cafe\u0301", "NAÏVE", "ﬁne"),
    *("\uff21\uff22", "ΟΔΟΣ", "İstanbul", "हिन्दी", "中文分词", "한국어", "\u1112\u1161\u11ab"),
    *("½", "e\u0323\u0301a", "\U0001d400b"),
]
BLANKS = [" ", " ", " ", "  ", "\n", ", ", "", "-", ".", " \t"]


@st.composite
def texts(draw: st.DrawFn) -> str:
    some = st.sampled_from([*WORDS, *WORDS, *adversarial_texts.SNIPPETS])
    pieces = draw(st.lists(st.tuples(some, st.sampled_from(BLANKS)), max_size=9))
    return "".join(word + blank for word, blank in pieces)


def without_vowels(text: str) -> str:
    return re.sub("[aeiou]", "", text)


def replaced(text: str) -> str:
    return re.sub(r"\s+", " ", text.lower().replace("better", "good")).strip()


PREPARING: list[dict[str, Any]] = [
    {},
    {"lowercase": False},
    {"strip_accents": "ascii"},
    {"strip_accents": "unicode"},
    {"strip_accents": "unicode", "lowercase": False},
    {"strip_accents": without_vowels},
    {"normalize": "NFC"},
    {"normalize": "NFKC"},
    {"normalize": "NFKC", "strip_accents": "unicode"},
    {"preprocessor": str.casefold},
    {"preprocessor": replaced},
]


def same(one: str, other: str) -> bool:
    """Return whether texts are equal but for sigmas, whose form depends on what stands around."""
    return one.replace("ς", SIGMA) == other.replace("ς", SIGMA)


def wide_places(text: str, prepare: Callable[[str], str], spans: set[Any]) -> dict[Any, Any]:
    """Return the smallest part of a text that becomes each part of the prepared text.

    A text may be cut in two where its halves become the halves of the prepared text.
    """
    whole = prepare(text)
    lengths = {}
    for at in range(len(text) + 1):
        first, second = prepare(text[:at]), prepare(text[at:])
        if same(first + second, whole):
            lengths[at] = len(first), len(first)
        elif first and second and same(f"{first} {second}", whole):  # of `replaced`
            lengths[at] = len(first), len(first) + 1
    wide = {}
    for first, last in spans:
        start = max(at for at, (_, after) in lengths.items() if after <= first)
        end = min(at for at, (before, _) in lengths.items() if before >= last)
        wide[first, last] = start, end
    return wide


def prepared_by(rules: dict[str, Any]) -> Callable[[str], str]:
    """Return scikit-learn's function that prepares a text."""
    names = ("lowercase", "strip_accents", "preprocessor")
    those = {name: rules[name] for name in names if name in rules}
    prepare = _vectorizers.CountVectorizer(**those).build_preprocessor()
    if "normalize" not in rules:
        return prepare
    from unicodedata import normalize

    return lambda text: prepare(normalize(rules["normalize"], text))


def counted(text: str, rules: dict[str, Any], longest: int = 3) -> Counter[str]:
    """Return how often scikit-learn finds each term."""
    # An analyzer of "char" and "char_wb" is a method that the rules would not call by itself.
    form = rules.get("normalize")
    those = {name: value for name, value in rules.items() if name != "normalize"}
    if not callable(rules.get("analyzer")):
        those["ngram_range"] = (1, longest)
    cut = _vectorizers.CountVectorizer(**those).build_analyzer()
    if form is not None and "preprocessor" not in rules:
        from unicodedata import normalize

        text = normalize(form, text)
    return Counter(cut(text))


def check_numbers(text: str, rules: dict[str, Any], terms: list[str]) -> None:
    """Check that `find_passages` shows each term as often as it was counted."""
    found = ts.find_passages([text], ["x"], terms, n_passages=MANY, **rules)["x"]
    longest = max((max(term.count(" ") + 1, len(term)) for term in terms), default=1)
    expected = counted(text, rules, longest)
    assert {term: len(found[term]) for term in terms} == {term: expected[term] for term in terms}


def some_of(terms: Any, seed: int) -> list[str]:
    ordered = sorted(terms)
    return random.Random(seed).sample(ordered, min(len(ordered), 12))


@pytest.mark.parametrize("how", PREPARING)
@given(
    texts(),
    st.sampled_from([*IN_USE, *(p for p in LEFT_TO_PYTHON if "++" not in p and "(?>" not in p)]),
    st.sampled_from([None, None, "english", ["bacon", "the", "b", "."]]),
    st.integers(0, 99),
)
def test_words_of_patterns(
    how: dict[str, Any], text: str, pattern: str, stop_words: Any, seed: int
) -> None:
    compiled = re.compile(pattern)
    if compiled.groups > 1:
        return
    rules = {**how, "token_pattern": pattern, "stop_words": stop_words}
    prepare = prepared_by(how)
    stopped = ENGLISH_STOP_WORDS if stop_words == "english" else stop_words or ()
    group = 1 if compiled.groups else 0
    tokens = [
        (
            match[group] or "",
            *(match.span(group) if match.start(group) >= 0 else [match.start()] * 2),
        )
        for match in compiled.finditer(prepare(text))
    ]
    kept = [token for token in tokens if token[0] not in stopped]
    places: dict[str, list[Any]] = {}
    for size in (1, 2, 3):
        for i in range(len(kept) - size + 1):
            run = kept[i : i + size]
            term = " ".join(token for token, *_ in run)
            places.setdefault(term, []).append((run[0][1], run[-1][2]))
    assert {term: len(spans) for term, spans in places.items()} == counted(text, rules)
    terms = some_of((term for term in places if term), seed)
    found = PlaceFinder(TextRules(**rules)).find(text, dict.fromkeys(terms, MANY))
    # A blank between words that a preprocessor strips has no place of its own.
    strips = how.get("preprocessor") is replaced
    plain = [term for term in terms if not strips or term == term.strip()]
    spans = {span for term in plain for span in places[term] if span[0] < span[1]}
    wide = wide_places(text, prepare, spans)
    for term in terms:
        assert len(found[term]) >= len(places[term])
        for (start, end), span in zip(found[term], sorted(places[term]), strict=False):
            if span not in wide:
                continue
            wanted_start, wanted_end = wide[span]
            assert start == wanted_start, (term, text[start:end])
            assert wanted_end <= end
            assert all(combining(c) for c in text[wanted_end:end])
    if terms:
        check_numbers(text, rules, terms)


def stems(text: str) -> list[str]:
    return [re.sub("(e|s|ation)$", "", word) for word in re.findall(r"\w+", text.lower())]


def articles(text: str) -> list[str]:
    """Cut some words in two, and join others, as a tokenizer of French does."""
    words = text.lower().replace("the eggs", "the_eggs").split()
    return [token for word in words for token in ({"of": ["o", "f"]}.get(word, [word]))]


def lemmas(text: str) -> list[str]:
    known = {"better": "good", "eggs": "egg"}
    return [known.get(word, word) for word in re.findall(r"[\w#@']{2,}", text)]


TOKENIZERS = [str.split, stems, articles, lemmas, list, re.compile(r"\w|\S+").findall]


@pytest.mark.parametrize("how", PREPARING)
@given(
    texts(),
    st.sampled_from(TOKENIZERS),
    st.sampled_from([None, ["bacon", "the"]]),
    st.integers(0, 99),
)
def test_words_of_functions(
    how: dict[str, Any], text: str, tokenizer: Any, stop_words: Any, seed: int
) -> None:
    rules = {**how, "tokenizer": tokenizer, "token_pattern": None, "stop_words": stop_words}
    terms = some_of(counted(text, rules), seed)
    found = PlaceFinder(TextRules(**rules)).find(text, dict.fromkeys(terms, MANY))
    for term in terms:
        for start, end in found[term]:
            alone = counted(text[start:end], rules)
            is_blank = term.isspace() and text[start].isspace()  # which `replaced` strips
            assert is_blank or any(same(term.strip(), other.strip()) for other in alone), term
    if terms:
        check_numbers(text, rules, terms)


def test_sigmas_around_a_blank_that_a_function_strips() -> None:
    text = "ᾼΣ Σ:Σ "
    rules = TextRules(preprocessor=replaced, tokenizer=list, token_pattern=None)
    found = PlaceFinder(rules).find(text, dict.fromkeys(["ς", f"ς   {SIGMA}", " ", SIGMA], MANY))
    assert found == {
        "ς": [(1, 2), (5, 6)],
        f"ς   {SIGMA}": [(1, 4)],
        " ": [(2, 3)],
        SIGMA: [(3, 4)],
    }


def test_what_a_function_inserts_between_words_is_shown_with_its_neighbours() -> None:
    def with_and(text: str) -> str:
        return text.strip().replace(" ", "-and-")

    found = PlaceFinder(TextRules(preprocessor=with_and)).find("ab cd", {"and": 1, "cd": 1})
    assert found == {"and": [(1, 4)], "cd": [(1, 5)]}  # "b c" becomes "b-and-c"


def test_sigmas_within_words_of_ngrams() -> None:
    def pairs(text: str) -> list[str]:
        words = text.replace("-", "").lower().split()
        return [*words, *(" ".join(pair) for pair in pairwise(words))]

    text = "A-Σ Σ, A-Σ Σ"
    found = PlaceFinder(TextRules(analyzer=pairs)).find(text, dict.fromkeys(pairs(text), MANY))
    assert {term: [text[a:b] for a, b in places] for term, places in found.items()} == {
        "aς": ["A-Σ", "A-Σ"],
        f"{SIGMA},": ["Σ,"],
        SIGMA: ["Σ"],
        f"aς {SIGMA},": ["A-Σ Σ,"],
        f"{SIGMA}, aς": ["Σ, A-Σ"],
        f"aς {SIGMA}": ["A-Σ Σ"],
    }


@given(texts(), st.sampled_from(TOKENIZERS), st.integers(0, 99))
def test_terms_of_analyzers(text: str, analyzer: Any, seed: int) -> None:
    terms = some_of(counted(text, {"analyzer": analyzer}), seed)
    found = PlaceFinder(TextRules(analyzer=analyzer)).find(text, dict.fromkeys(terms, MANY))
    for term in terms:
        for start, end in found[term]:
            alone = analyzer(text[start:end])
            assert any(same(term, other) for other in alone), (term, text[start:end])
    if terms:
        check_numbers(text, {"analyzer": analyzer}, terms)


@pytest.mark.parametrize("how", PREPARING)
@given(texts(), st.sampled_from(["char", "char_wb"]), st.integers(0, 99))
def test_characters(how: dict[str, Any], text: str, analyzer: str, seed: int) -> None:
    rules = {**how, "analyzer": analyzer}
    terms = some_of(counted(text, rules), seed)
    prepare = prepared_by(how)
    found = PlaceFinder(TextRules(**rules)).find(text, dict.fromkeys(terms, MANY))

    def plain(part: str) -> str:
        # A blank of a term may be any white space, or none that the text has.
        return re.sub(r"\s+", " ", part).replace("ς", SIGMA).strip()

    for term in terms:
        for start, end in found[term]:
            assert plain(term) in plain(prepare(text[start:end])), (term, text[start:end])
    if terms:
        check_numbers(text, rules, terms)


def ngrams(text: str) -> list[str]:
    words = [word for word in re.findall(r"\w+", text.lower()) if word != "the"]
    return words + [f"{one} {two}" for one, two in pairwise(words)]


def of_json(text: str) -> list[str]:
    words: list[str] = json.loads(text)["words"]
    return words


@pytest.mark.parametrize(
    ("text", "term", "analyzer", "matches"),
    [
        ("Eggs, bacon. Bacon and Eggs, bacon", "eggs bacon", ngrams, ["Eggs, bacon"] * 2),
        ("Eggs, bacon. Bacon and eggs, bacon", "bacon", ngrams, ["bacon", "Bacon", "bacon"]),
        ("eat the free the prize now", "free prize", ngrams, ["free the prize"]),
        ("free prize", "free prize", ngrams, ["free prize"]),
        ("win a (free prize), now", "free prize", ngrams, ["free prize"]),
        ("x " * 200 + "Free prize", "free prize", ngrams, ["Free prize"]),
        ('{"words": ["ham", "eggs"]}', "ham", of_json, []),
        ("one two", "2", lambda text: [str(len(text.split()))], []),
        ("was here", "be", lambda text: text.replace("was", "be").split(), ["was"]),
        ("a begging", "egg", lambda text: ["egg"] * text.count("egg"), ["begging"]),
        ("New York is", "New_York", lambda t: t.replace("w Y", "w_Y").split(), ["New York"]),
    ],
)
def test_analyzers_by_hand(text: str, term: str, analyzer: Any, matches: list[str]) -> None:
    found = ts.find_passages([text], ["x"], term, n_passages=MANY, analyzer=analyzer)
    assert [passage.match for passage in found["x"][term]] == matches


def test_a_function_that_refuses_a_part_of_a_text() -> None:
    """Then it is unknown whether the rules ignore the marks after a place."""

    def without_marks(text: str) -> str:
        return "".join(character for character in text if not combining(character))

    def of_longer_texts(text: str) -> str:
        if text == "ab":
            raise ValueError
        return without_marks(text)

    for function, place in ((without_marks, (4, 7)), (of_longer_texts, (4, 6))):
        finder = PlaceFinder(TextRules(preprocessor=function))
        assert finder.find("say ab\u0301 now", {"ab": 1}) == {"ab": [place]}


@pytest.mark.parametrize(
    ("text", "query", "rules", "matches"),
    [
        ("Bacon, #bacon, @Bacon", "Bacon", {"token_pattern": r"[#@]?\w+"}, ["Bacon"]),
        ("Bacon, #bacon, @Bacon", "#Bacon", {"token_pattern": r"[#@]?\w+"}, ["#bacon"]),
        ("we don't, DON'T", "don't", {"token_pattern": r"[#@]?\w+"}, ["don't", "DON'T"]),
        ("we don't, DON'T", "don't", {"token_pattern": r"[\w']+"}, ["don't", "DON'T"]),
        ("we don't, DON'T", "don't", {}, ["don", "DON"]),
        ("bacon #Bacon", "Bacon", {"token_pattern": r"#(\w+)"}, ["Bacon"]),
        ("bacon #Bacon", "#Bacon", {"token_pattern": r"#(\w+)"}, ["Bacon"]),
        ("bacon #Bacon", "Bacon", {"token_pattern": r"(?<=#)\w+"}, ["Bacon"]),
        ("Free prize free prize", "free prize", {"token_pattern": r"\S+(?=\s)"}, ["Free prize"]),
        ("abacon Bacon", "bacon", {"token_pattern": r"\b[a-z]+"}, ["Bacon"]),
        ("Bacon BACON", "acon", {"token_pattern": "[a-z]+", "lowercase": False}, ["acon"]),
        ("\U0001d400b ab", "Ab", {"strip_accents": "unicode"}, ["\U0001d400b"]),
        ("Ab ab", "Ab", {"strip_accents": "unicode"}, ["Ab", "ab"]),
        ("My Cooperation", "cooperation", {"tokenizer": stems}, ["Cooperation"]),
        ("It is BETTER", "Better", {"preprocessor": replaced}, ["BETTER"]),
        ("Eggs  and\tham", "S A", {"analyzer": "char"}, ["s a"]),
    ],
)
def test_queries_follow_the_rules(
    text: str, query: str, rules: dict[str, Any], matches: list[str]
) -> None:
    found = ts.find_passages([text], ["x"], query, n_passages=MANY, **rules)
    assert [passage.match for passage in found["x"][query]] == matches


def test_a_query_that_is_a_term_has_no_other_meaning() -> None:
    # The first text has only what the rules would make of the query.
    texts, rules = ["free of", "the free prize is"], {"token_pattern": r"\S+(?=\s)"}
    found = ts.find_passages(texts, ["x", "y"], {"x": "free prize", "y": "free prize"}, **rules)
    assert found["x"]["free prize"] == []
    assert [passage.match for passage in found["y"]["free prize"]] == ["free prize"]


ADVERSARIAL: list[dict[str, Any]] = [
    {},
    {"strip_accents": "unicode", "token_pattern": r"[#@]?\w+"},
    {"normalize": "NFKC", "token_pattern": r"(?<=\w)\w+|\W"},
    {"strip_accents": "ascii", "normalize": "NFC", "token_pattern": r"\w+(?:['-]\w+)*"},
    {"preprocessor": replaced, "stop_words": ["ab"]},
    {"tokenizer": stems, "token_pattern": None},
    {"analyzer": "char", "strip_accents": "unicode"},
    {"analyzer": "char_wb", "normalize": "NFKC"},
]


@pytest.mark.full(cases=2)
@pytest.mark.parametrize("rules", ADVERSARIAL)
def test_adversarial_texts(rules: dict[str, Any]) -> None:
    for number, text in enumerate(adversarial_texts.few()):
        if len(text) < 5000 and (terms := some_of(counted(text, rules, 2), number)):
            check_numbers(text, rules, terms[:6])
