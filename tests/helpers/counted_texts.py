"""Texts of every kind, rules for splitting texts, and counts that scikit-learn computes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

import termsift as ts

vectorizers = pytest.importorskip("sklearn.feature_extraction.text")

TEXTS = [
    "Bacon and eggs",
    "eggs, eggs! EGGS",
    "",
    "a b c 1 2 3",  # this text has no word of two characters
    "naïve façade ÜNÏ ΣΊΣΥΦΟΣ İstanbul",
    "don't snake_case 42 x2 日本語 日本 привет",
    "nul\0inside word\ud800surrogate",
    "and " * 70 + "bacon",
    "x" * 300 + " y" * 3,
    "eggs",
    "  \t\n",
    "Ready-to-eat bacon; ready, eggs",
]
Y = ["ham", "ham", "none", "none", "far", "far", "odd", "ham", "odd", "spam", "none", "ham"]
RULES: dict[str, dict[str, Any]] = {
    "words": {},
    "cased": {"lowercase": False},
    "pairs": {"ngram_range": (1, 2)},
    "triples": {"ngram_range": (2, 3)},
    "characters": {"analyzer": "char", "ngram_range": (1, 3)},
    "characters in words": {"analyzer": "char_wb", "ngram_range": (2, 4)},
    "stop words": {"stop_words": ["and", "eggs"]},
    "accents": {"strip_accents": "unicode"},
    "ASCII": {"strip_accents": "ascii"},
    "binary": {"binary": True},
    "min_df": {"min_df": 2},
    "shares": {"min_df": 0.1, "max_df": 0.3},
    "max_features": {"max_features": 5},
    "binary max_features": {"binary": True, "max_features": 5},
    "vocabulary": {"vocabulary": ["eggs", "bacon", "absent"]},
    "tokenizer": {"tokenizer": str.split, "token_pattern": None},
    "pattern": {"token_pattern": r"[a-z']+"},
    "preprocessor": {"preprocessor": str.upper},
    "analyzer": {"analyzer": lambda text: text.split("e")},
    "most documents": {"min_df": 2, "max_df": 3},
    "one document": {"analyzer": str.split, "max_df": 1},
    "ties": {"min_df": 2, "max_features": 3},
    "set": {"vocabulary": {"eggs", "bacon", "xx"}, "binary": True},
    "mapping": {"vocabulary": {"eggs": 1, "and bacon": 0}, "ngram_range": (1, 2)},
}


def own(rules: dict[str, Any]) -> dict[str, Any]:
    """Return the rules that are not None, as arguments of `TextRules`."""
    return {name: rule for name, rule in rules.items() if rule is not None}


def by_matrix(
    texts: Iterable[str],
    y: Any,
    tf: Any = "raw",
    classes: Any = None,
    **rules: Any,
) -> ts.ClassCounts:
    """Count the matrix of scikit-learn's vectorizer."""
    vectorizer = vectorizers.CountVectorizer(**rules)
    X = vectorizer.fit_transform(texts)
    counts = ts.count(X, y, None, classes, tf=tf)
    counts.term_names = vectorizer.get_feature_names_out()
    return counts
