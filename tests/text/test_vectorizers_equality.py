"""Matrices, terms and dtypes equal scikit-learn's, on texts that are easily split wrongly."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("sklearn")

from sklearn.feature_extraction import text

import adversarial_texts
import termsift as ts
from private import _core
from text_counts import (
    assert_equal,
    assert_equal_terms,
    assert_same_counts,
    labels_of,
    learned,
)

# CountVectorizer warns about the many combining marks in these texts, as scikit-learn's does not.
pytestmark = pytest.mark.filterwarnings("ignore:combining marks cut words")

OWN = adversarial_texts.STOP_WORDS
THREADS = (1, 2, 3)

# With these rules, each term is a single word.
WORDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "cased": {"lowercase": False},
    "ascii": {"strip_accents": "ascii"},
    "unaccented": {"strip_accents": "unicode"},
    "unaccented, cased": {"strip_accents": "unicode", "lowercase": False},
    "English stop words": {"stop_words": "english"},
    "own stop words": {"stop_words": OWN},
    "binary": {"binary": True},
    "min_df": {"min_df": 2},
    "max_df": {"max_df": 3},
    "shares": {"min_df": 0.0001, "max_df": 0.01},
    "most frequent, with ties": {"max_features": 50},
    "one": {"max_features": 1},
    "all limits": {"min_df": 2, "max_df": 40, "max_features": 100, "binary": True},
    "one letter": {"token_pattern": r"\w+"},
    "no blanks": {"token_pattern": r"\S+", "lowercase": False},
    "letters only": {"token_pattern": r"(?u)\b[^\W\d_]{2,}\b", "strip_accents": "unicode"},
    "words and signs": {"token_pattern": r"\w+|[^\w\s]", "stop_words": OWN, "min_df": 2},
    "apostrophes": {"token_pattern": r"\w+(?:['-]\w+)*", "strip_accents": "ascii"},
    "tokens with blanks": {"token_pattern": r"[^,.]+", "max_features": 300},
    "a group": {"token_pattern": r"(?i)\b([a-z_]\w+)\b", "binary": True},
    "the last word": {"token_pattern": r"\w+$"},
    "left to Python": {"token_pattern": r"(\w)+x"},
}
# `re` takes minutes for these patterns on a word of 100,000 characters, because it tries each rest
# of the word.
QUADRATIC = {"the last word", "left to Python"}
# With rules for n-grams, texts have many terms, so only some of the texts are used.
NGRAMS: dict[str, dict[str, Any]] = {
    "1-2": {"ngram_range": (1, 2)},
    "2": {"ngram_range": (2, 2)},
    "2-3": {"ngram_range": (2, 3)},
    "1-5": {"ngram_range": (1, 5)},
    "1-2, limits": {"ngram_range": (1, 2), "min_df": 2, "max_features": 300},
    "1-2, stop words": {"ngram_range": (1, 2), "stop_words": OWN, "strip_accents": "unicode"},
    "3-3, binary": {"ngram_range": (3, 3), "binary": True, "min_df": 2},
    "1-2, one letter": {"ngram_range": (1, 2), "token_pattern": r"\w+", "stop_words": OWN},
    "2, hashtags": {"ngram_range": (2, 2), "token_pattern": r"[#@]?\w+", "lowercase": False},
    "1-2, blanks": {"ngram_range": (1, 2), "token_pattern": r"[^,.]+", "min_df": 2},
    # Tabs, ends of lines and zeros within words sort before the blank between words.
    "1-2, control characters": {"ngram_range": (1, 2), "token_pattern": r"[^ ]+"},
    "1-3, zeros": {"ngram_range": (1, 3), "token_pattern": r"\S+", "lowercase": False},
    "char 1": {"analyzer": "char"},
    "char 1, cased, ascii": {"analyzer": "char", "lowercase": False, "strip_accents": "ascii"},
    "char 2-4": {"analyzer": "char", "ngram_range": (2, 4)},
    "char 3": {"analyzer": "char", "ngram_range": (3, 3), "min_df": 2},
    "char 17": {"analyzer": "char", "ngram_range": (17, 17), "strip_accents": "unicode"},
    "char_wb 1": {"analyzer": "char_wb"},
    "char_wb 2-4": {"analyzer": "char_wb", "ngram_range": (2, 4)},
    "char_wb 3, unaccented": {
        "analyzer": "char_wb",
        "ngram_range": (3, 3),
        "strip_accents": "unicode",
        "max_features": 500,
    },
    "char_wb 5-12": {"analyzer": "char_wb", "ngram_range": (5, 12), "lowercase": False},
}
RULES = WORDS | NGRAMS
# The full tier tries two rules about characters on all texts, which takes half a minute, and all
# other rules on some texts.
OF_CHARACTERS = {"plain", "unaccented"}
FIXED: dict[str, dict[str, Any]] = {
    "list": {"vocabulary": ["the", "zz", "ab", "日本語", "two words", "a", "", "x" * 15]},
    "dict": {"vocabulary": {"zz": 1, "ab": 0, "straße": 3, "σς": 2}},
    "pattern": {"vocabulary": ["the", "a", "'", "a_b"], "token_pattern": r"\w+|[^\w\s]"},
    "pattern with blanks": {"vocabulary": ["ab cde", " ab", "ab"], "token_pattern": r"[^,.]+"},
    "pattern, n-grams": {
        "vocabulary": ["a b", "b", "ab cde ab"],
        "token_pattern": r"\w+",
        "ngram_range": (1, 3),
    },
    "upper case": {"vocabulary": ["Ab", "ab", "The"], "lowercase": False},
    "set": {"vocabulary": {"ab", "a_b", "οδυσσευσ", "οδυσσευς"}},
    "n-grams": {"vocabulary": ["ab cde", "ab", "cde ab cde"], "ngram_range": (1, 3)},
    "characters": {"vocabulary": [" a", "ab", "a\ud83d", "\x00"], "analyzer": "char_wb"},
    "lone surrogates": {"vocabulary": ["\ud800", "a\ud800", "ab"]},
}
HASHING: dict[str, dict[str, Any]] = {
    "collisions": {"n_features": 7},
    "one column": {"n_features": 1},
    "many columns": {"n_features": 2**20},
    "signs": {"n_features": 31, "alternate_sign": True},
    "as it comes": {"alternate_sign": True, "norm": "l2"},
    "1-2": {"n_features": 2**18, "ngram_range": (1, 2), "stop_words": OWN},
    "char_wb": {"n_features": 1001, "analyzer": "char_wb", "ngram_range": (2, 4)},
    "pattern": {"n_features": 2**16, "token_pattern": r"\w+|[^\w\s]", "stop_words": OWN},
    "pattern, 1-2": {"n_features": 2**18, "token_pattern": r"\S+", "ngram_range": (1, 2)},
    "char, binary": {"n_features": 100, "analyzer": "char", "binary": True, "norm": "l1"},
}


def texts_for(name: str, is_full: bool) -> list[str]:
    """Return the texts for the tests of rules."""
    if not is_full:
        texts = adversarial_texts.few()
        return (
            texts
            if name in WORDS and name not in QUADRATIC
            else [t for t in texts if len(t) < 5000]
        )
    if name in OF_CHARACTERS:
        return adversarial_texts.many()
    # scikit-learn takes seconds for the many n-grams of characters.
    is_of_characters = RULES.get(name, {}).get("analyzer", "word") != "word"
    return adversarial_texts.some()[:: 3 if is_of_characters else 1]


@pytest.mark.full(cases=len(RULES))
@pytest.mark.parametrize("name", RULES)
def test_matrix_and_terms(name: str, is_full: bool) -> None:
    texts, best = texts_for(name, is_full), _core.simd_target()
    wanted, terms = learned(text, texts, RULES[name])
    wanted.sort_indices()
    ways = [(best, n) for n in THREADS]
    ways += [(target, 2) for target in _core.simd_targets() if target != best]
    for target, n_threads in ways:
        _core.use_simd_target(target)
        try:
            X, names = learned(ts.text, texts, RULES[name], n_threads=n_threads)
        finally:
            _core.use_simd_target(best)
        assert_equal_terms(names, terms)
        assert_equal(X, wanted)


# ---- one text at a time, so that a fault is small ------------------------------------------------


@st.composite
def hard_texts(draw: st.DrawFn) -> list[str]:
    """Draw texts of arbitrary characters, or of snippets that are often split wrongly."""
    snippet = st.one_of(
        st.sampled_from(adversarial_texts.SNIPPETS),
        st.text(st.characters(exclude_categories=()), max_size=5),
        st.builds(str.__mul__, st.sampled_from("a é Σß日\0_"), st.integers(0, 70)),
        st.sampled_from([" ", ".", "\n", "-"]),
    )
    return draw(st.lists(st.lists(snippet, max_size=12).map("".join), min_size=1, max_size=6))


RARE_LIMITS = ({}, {"min_df": 2}, {"max_features": 3}, {"max_df": 1}, {"max_df": 0.5})


@given(
    texts=hard_texts(),
    analyzer=st.sampled_from(["word", "char", "char_wb"]),
    lowercase=st.booleans(),
    strip_accents=st.sampled_from([None, "ascii", "unicode"]),
    ngram_range=st.tuples(st.integers(1, 5), st.integers(0, 3)).map(lambda r: (r[0], r[0] + r[1])),
    stop_words=st.sampled_from([None, OWN]),
    binary=st.booleans(),
    limits=st.sampled_from(RARE_LIMITS),
    n_threads=st.sampled_from(THREADS),
)
def test_any_texts_and_rules(
    texts: list[str], limits: dict[str, Any], n_threads: int, **rules: Any
) -> None:
    if rules["analyzer"] != "word":
        rules["stop_words"] = None
    wanted = learned_or_refused(text, texts, rules | limits)
    found = learned_or_refused(ts.text, texts, rules | limits, n_threads=n_threads)
    if isinstance(wanted, str):  # no term is left
        assert isinstance(found, str)
        assert found[:20] == wanted[:20]
        return
    wanted[0].sort_indices()
    assert_equal_terms(found[1], wanted[1])
    assert_equal(found[0], wanted[0])


def learned_or_refused(module: Any, texts: list[str], rules: dict[str, Any], **own: Any) -> Any:
    """Return the matrix and the terms, or the message of the error."""
    try:
        return learned(module, texts, rules, **own)
    except ValueError as error:
        return str(error)


# ---- known terms ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["plain", "unaccented", "own stop words", "1-2", "char_wb 2-4"])
def test_unseen_texts(name: str, is_full: bool) -> None:
    texts = texts_for("unseen", is_full)
    seen, unseen = texts[::3], texts[1::3]
    theirs = text.CountVectorizer(**RULES[name])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = theirs.fit(seen).transform(unseen)
    wanted.sort_indices()
    for n_threads in THREADS:
        ours = ts.text.CountVectorizer(**RULES[name], n_threads=n_threads).fit(seen)
        assert_equal(ours.transform(unseen), wanted)
        assert ours.transform([]).shape == theirs.transform([]).shape


@pytest.mark.full(cases=len(FIXED))
@pytest.mark.parametrize("name", FIXED)
def test_fixed_vocabulary(name: str, is_full: bool) -> None:
    texts = texts_for("fixed", is_full)
    theirs = text.CountVectorizer(**FIXED[name])
    wanted = theirs.transform(texts)
    wanted.sort_indices()
    for n_threads in THREADS:
        ours = ts.text.CountVectorizer(**FIXED[name], n_threads=n_threads)
        assert_equal(ours.transform(texts), wanted)
        assert_equal(ours.fit_transform(texts), wanted)
        assert_equal_terms(ours.get_feature_names_out(), theirs.get_feature_names_out())


@pytest.mark.full(cases=len(HASHING))
@pytest.mark.parametrize("name", HASHING)
def test_hashing(name: str, is_full: bool) -> None:
    texts = texts_for("hashing", is_full)
    # scikit-learn encodes strictly, so it cannot hash a lone surrogate.
    texts = [t for t in texts if not any("\ud800" <= c <= "\udfff" for c in t)]
    rules = {"alternate_sign": False, "norm": None} | HASHING[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = text.HashingVectorizer(**rules).transform(texts)
    wanted.sum_duplicates()
    for n_threads in THREADS:
        found = ts.text.HashingVectorizer(**rules, n_threads=n_threads).transform(texts)
        if "norm" in HASHING[name]:
            np.testing.assert_allclose(found.data, wanted.data, rtol=1e-14)
            assert (abs(found - wanted) > 1e-14).nnz == 0
        else:
            assert_equal(found, wanted)


# ---- by class ------------------------------------------------------------------------------------


@pytest.mark.full(cases=12)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n_classes", [1, 2, 8, 200, 5000])
@pytest.mark.parametrize(
    "name", ["plain", "binary", "1-2, limits", "2-3", "unaccented", "all limits", "char_wb 2-4"]
)
def test_counts_by_class(name: str, n_classes: int, is_full: bool) -> None:
    texts = texts_for("by class", is_full)
    y = labels_of(texts, n_classes)
    vectorizer = ts.text.CountVectorizer(**RULES[name])
    wanted = ts.count(vectorizer.fit_transform(texts), y)
    wanted.term_names = vectorizer.get_feature_names_out()
    for n_threads in THREADS:
        found = ts.count_texts(texts, y, **RULES[name], n_threads=n_threads)
        assert_same_counts(found, wanted)


# ---- blocks and tables ---------------------------------------------------------------------------


def test_results_do_not_depend_on_the_seed_of_the_hash_tables() -> None:
    code = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
import adversarial_texts, termsift as ts
digest = hashlib.sha256()
for rules in ({}, {"ngram_range": (1, 3)}, {"analyzer": "char_wb", "ngram_range": (2, 3)}):
    vectorizer = ts.text.CountVectorizer(**rules, n_threads=2)
    X = vectorizer.fit_transform(adversarial_texts.few()[:150])
    for array in (X.data, X.indices, X.indptr):
        digest.update(array.tobytes())
    for name in vectorizer.get_feature_names_out():
        digest.update(name.encode("utf-8", "surrogatepass") + b"\\n")
print(digest.hexdigest())
"""
    folder = str(Path(adversarial_texts.__file__).parent)
    command = [sys.executable, "-c", code, folder]
    outputs = {subprocess.run(command, check=True, capture_output=True).stdout for _ in range(2)}
    assert len(outputs) == 1
