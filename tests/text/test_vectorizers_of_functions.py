"""What functions return is counted by the core, and equals scikit-learn's counts of it."""

from __future__ import annotations

import copy
import io
import pickle
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.feature_extraction import text as theirs
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

import termsift as ts
from text_counts import case_of

TEXTS = ["The Bacon, THE eggs", "eggs eggs e\u0301", "", "naïve 東京 x-ray", "\ud800 a\0b the"]
CLEAN = TEXTS[:4]
NEW = ["bacon unheard eggs", "", "THE the The"]


class TheirTfidf(theirs.TfidfVectorizer):  # type: ignore[misc]
    """scikit-learn's, under another name."""


class OurTfidf(theirs.TfidfVectorizer, ts.text.CountVectorizer):  # type: ignore[misc]
    """scikit-learn's, with our counts."""


PAIRS: list[tuple[Any, Any]] = [
    (ts.text.CountVectorizer, theirs.CountVectorizer),
    (ts.text.HashingVectorizer, theirs.HashingVectorizer),
    (OurTfidf, TheirTfidf),
]


def outcome(call: Callable[[], Any]) -> tuple[Any, list[str]]:
    """Return the sorted matrix or the error of a call, and its warnings.

    The last bits of norms depend on the order of a row's entries, which we sort.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            X = call()
            X.sort_indices()
            data = X.data.round(12) if X.data.dtype.kind == "f" else X.data
            found: Any = [type(X).__name__, X.shape]
            found += [(part.dtype, part.tolist()) for part in (data, X.indices, X.indptr)]
        except Exception as error:
            found = type(error).__name__, str(error)
    return found, [str(one.message) for one in caught]


def vocabulary_of(vectorizer: Any) -> Any:
    """Return the vocabulary with its values as int, because scikit-learn's may be numpy's."""
    words = getattr(vectorizer, "vocabulary_", None)
    return words if words is None else {term: int(column) for term, column in words.items()}


def check(rules: dict[str, Any], made: Callable[[], Any], unseen: Callable[[], Any]) -> None:
    """Check that both libraries do the same with all three vectorizers."""
    of_counts = {"min_df", "max_df", "max_features", "vocabulary"}
    for ours, other in PAIRS:
        if ours is ts.text.HashingVectorizer and of_counts & rules.keys():
            continue
        more = {"n_features": 16} if ours is ts.text.HashingVectorizer else {}
        mine, expected = ours(**rules, **more), other(**rules, **more)
        mine.n_threads = 2
        steps = [("transform", unseen), ("fit_transform", made), ("transform", unseen)]
        for name, documents in steps:
            found = outcome(lambda: getattr(mine, name)(documents()))  # noqa: B023
            wanted = outcome(lambda: getattr(expected, name)(documents()))  # noqa: B023
            assert found == wanted, (ours, name)
            assert vocabulary_of(mine) == vocabulary_of(expected)


def blanks(text: str) -> list[str]:
    return text.split()


def lazy(text: str) -> Iterator[str]:
    yield from text.split()


def upper(text: str) -> str:
    return text.upper()


def numbers(text: str) -> list[int]:
    return [len(word) for word in text.split()]


def numbers_later(text: str) -> list[Any]:
    """Return numbers only of later documents."""
    words: list[Any] = text.split()
    return [len(word) for word in words] if "eggs eggs" in text else words


def mixed(text: str) -> list[Any]:
    return [word if len(word) > 3 else (len(word), word) for word in text.split()]


def raising(text: str) -> Iterator[str]:
    yield "a"
    if "eggs eggs" in text:
        raise LookupError("in the middle")


FUNCTIONS: list[dict[str, Any]] = [
    {"tokenizer": blanks},
    {"tokenizer": str.split, "token_pattern": None},
    {"tokenizer": str.split, "token_pattern": None, "lowercase": False},
    {"tokenizer": lazy, "token_pattern": None},
    {"tokenizer": blanks, "ngram_range": (1, 2)},
    {"tokenizer": blanks, "ngram_range": (2, 3), "stop_words": ["the", "Eggs"]},
    {"tokenizer": blanks, "stop_words": ["the", "eggs for"], "strip_accents": "unicode"},
    {"tokenizer": numbers, "token_pattern": None},
    {"tokenizer": numbers_later, "token_pattern": None},
    {"tokenizer": blanks, "analyzer": "char"},
    {"analyzer": blanks},
    {"analyzer": blanks, "ngram_range": (1, 2), "stop_words": ["a"], "preprocessor": upper},
    {"analyzer": lazy},
    {"analyzer": Counter},
    {"analyzer": str},
    {"analyzer": numbers},
    {"analyzer": numbers_later},
    {"analyzer": mixed},
    {"analyzer": lambda text: [""] * len(text)},
    {"analyzer": lambda text: None},
    {"analyzer": lambda text: None if "eggs" in text else ["a"]},
    {"analyzer": lambda text: 5},
    {"analyzer": lambda text: text.encode("utf-8", "replace")},
    {"analyzer": lambda text: [text.encode("utf-8", "replace")]},
    {"analyzer": lambda text: [[text]]},
    {"analyzer": lambda text: np.array(text.split() or ["none"])},
    {"analyzer": lambda text: tuple(text)},
    {"analyzer": raising},
    {"preprocessor": upper},
    {"preprocessor": upper, "stop_words": ["the", "eggs"]},
    {"preprocessor": upper, "ngram_range": (1, 2), "lowercase": False},
    {"preprocessor": upper, "analyzer": "char", "ngram_range": (1, 2)},
    {"preprocessor": upper, "analyzer": "char_wb", "ngram_range": (2, 3)},
    {"preprocessor": upper, "tokenizer": blanks, "strip_accents": "ascii"},
    {"preprocessor": lambda text: text and None},
    {"preprocessor": lambda text: text.encode("utf-8", "replace")},
    {"preprocessor": lambda text: np.str_(text)},
    {"strip_accents": upper},
    {"strip_accents": str.swapcase, "lowercase": False, "ngram_range": (1, 2)},
    {"strip_accents": lambda text: 5},
]
LIMITS: list[dict[str, Any]] = [
    {},
    {"binary": True},
    {"dtype": np.float32},
    {"min_df": 2},
    {"min_df": 9},
    {"max_df": 0.3},
    {"min_df": 3, "max_df": 1},
    {"max_features": 2, "binary": True},
    {"vocabulary": ["eggs", "the", "EGGS", "unheard"]},
    {"vocabulary": {"eggs": 1, "the": 2, "": 0, "THE": 3}, "binary": True},
    {"vocabulary": {4: 0, "eggs": 1}},
]


@pytest.mark.parametrize("cut", FUNCTIONS, ids=case_of)
def test_functions_count_as_in_scikit_learn(cut: dict[str, Any]) -> None:
    for limits in LIMITS:
        rules = {**cut, **limits}
        check(rules, lambda: CLEAN, lambda: NEW)
        if cut.get("analyzer") not in ("char", "char_wb"):  # ours hashes lone surrogates in them
            check(rules, lambda: iter(TEXTS), lambda: tuple(TEXTS))
        check(rules, list, list)


@given(
    documents=st.lists(st.lists(st.sampled_from(["", "a", "b\0", " ", "new york", "é", "東"]))),
    limits=st.sampled_from([limits for limits in LIMITS if "vocabulary" not in limits]),
    odd=st.integers(0, 20),
    term=st.sampled_from([1, None, b"a", ("a",), "\ud800"]),
)
def test_any_terms_count_as_in_scikit_learn(
    documents: list[list[Any]], limits: dict[str, Any], odd: int, term: Any
) -> None:
    if odd < len(documents):
        documents[odd].insert(len(documents[odd]) // 2, term)
    check({"analyzer": list, **limits}, lambda: documents, lambda: documents[::-1])
    check({"analyzer": iter, "vocabulary": ["a", " ", "new york"]}, lambda: documents, list)


def test_documents_that_are_no_strings() -> None:
    check({"analyzer": list}, lambda: [["a", "b"], ("a",), {"c": 1}], lambda: [["c", "a"]])
    check({"analyzer": list}, lambda: [["a", "b"], 5], lambda: [["a"], None, float("nan")])
    check({"analyzer": list}, lambda: [["a", "b"], np.nan], lambda: [["a"]])
    check({"tokenizer": blanks}, lambda: ["a b", 5], lambda: ["a", None])
    check({"preprocessor": str}, lambda: ["a b", 512, None], lambda: [["aa bb"]])
    check({"preprocessor": upper}, lambda: ["a b", np.nan], lambda: ["aa"])


def test_files_and_bytes_are_decoded_before_functions(tmp_path: Path) -> None:
    names = []
    for number, text in enumerate(["größe Eggs", "eggs", ""]):
        names.append(tmp_path / str(number))
        names[-1].write_bytes(text.encode("latin-1"))
    functions: list[dict[str, Any]] = [
        {"tokenizer": blanks, "token_pattern": None},
        {"analyzer": blanks},
        {"analyzer": numbers_later},
        {"analyzer": mixed},
        {"preprocessor": upper},
    ]
    for rules in functions:
        for how in ({}, {"encoding": "latin-1"}, {"decode_error": "replace"}):
            both = {**rules, **how}
            content = [name.read_bytes() for name in names]
            check(both, lambda: content, lambda: content[:1])  # noqa: B023
            check({**both, "input": "filename"}, lambda: names, lambda: iter(names[1:]))
            check({**both, "input": "filename"}, lambda: ["none"], lambda: names)
            check(
                {**both, "input": "file"},
                lambda: map(io.BytesIO, content),  # noqa: B023
                lambda: [io.StringIO("größe ä")],
            )


@pytest.mark.parametrize(
    "method",
    [
        "build_analyzer",
        "build_preprocessor",
        "build_tokenizer",
        "decode",
        "get_stop_words",
        "_word_ngrams",
        "_limit_features",
        "_sort_features",
        "_count_vocab",
    ],
)
def test_methods_that_subclasses_override(method: str) -> None:
    replacements: dict[str, Callable[[Any, Any], Any]] = {
        "build_analyzer": lambda self, usual: lambda text: usual()(text)[:1],
        "build_preprocessor": lambda self, usual: lambda text: usual()(text).replace("e", "a"),
        "build_tokenizer": lambda self, usual: lambda text: [*usual()(text), "more"],
        "decode": lambda self, usual: str.swapcase,
        "get_stop_words": lambda self, usual: frozenset(["eggs"]),
    }

    def derived(kind: Any) -> Any:
        usual = getattr(kind, method, None)
        if usual is None:
            return kind

        def replaced(self: Any, *arguments: Any, **named: Any) -> Any:
            if method in replacements:
                change = replacements[method](self, lambda: usual(self))
                return change(*arguments) if arguments else change
            self.called = True
            return usual(self, *arguments, **named)

        return type(kind.__name__, (kind,), {method: replaced, "__init__": kind.__init__})

    for rules in ({}, {"tokenizer": blanks}, {"preprocessor": upper}, {"analyzer": "char"}):
        for ours, other in PAIRS:
            mine, expected = derived(ours)(**rules), derived(other)(**rules)
            for name, texts in (("fit_transform", CLEAN), ("transform", NEW)):
                found = outcome(lambda: getattr(mine, name)(texts))  # noqa: B023
                wanted = outcome(lambda: getattr(expected, name)(texts))  # noqa: B023
                assert found == wanted, (rules, ours)
            assert vocabulary_of(mine) == vocabulary_of(expected)


def test_a_function_cuts_each_document_once() -> None:
    seen: list[str] = []

    def noted(text: str) -> list[Any]:
        seen.append(text)
        return [1] if text == "d" else [text]

    for kind in (ts.text.CountVectorizer, ts.text.HashingVectorizer):
        for texts in (["a", "b", "c"], ["a", "b", "d", "e"], ["d"], ["f"] * 70_000):
            seen.clear()
            outcome(lambda: kind(analyzer=noted).fit_transform(iter(texts)))  # noqa: B023
            expected = texts
            if kind is ts.text.HashingVectorizer and "d" in texts:  # the hasher refuses numbers
                expected = texts[: texts.index("d") + 1]
            assert seen == expected


def test_a_stop_iteration_of_a_function_ends_nothing_silently() -> None:
    def stops(text: str) -> Any:
        if text == "b":
            raise StopIteration
        return text

    def listed(text: str) -> list[Any]:
        return [1] if text == "one" else [stops(text)]

    for kind in (ts.text.CountVectorizer, ts.text.HashingVectorizer):
        for name, function in (("analyzer", listed), ("preprocessor", stops)):
            for texts in (["aa", "b", "cc"], ["one", "b", "cc"]):
                with pytest.raises((RuntimeError, TypeError)):  # the hasher refuses the number
                    kind(**{name: function}).fit_transform(texts)


def test_large_documents_are_counted_in_several_blocks() -> None:
    def repeat(text: str) -> list[str]:
        return [text * 1000] * 5000

    texts = ["a", "b", "a", "c", "b", "b"] * 2
    X = ts.text.CountVectorizer(analyzer=repeat).fit_transform(texts)
    assert X.toarray().sum(axis=0).tolist() == [20_000, 30_000, 10_000]
    assert X.indices.tolist() == [0, 1, 0, 2, 1, 1] * 2
    many = [str(i % 1000) for i in range(200_000)]
    X = ts.text.CountVectorizer(analyzer=blanks).fit_transform(many)
    other = theirs.CountVectorizer(analyzer=blanks).fit_transform(many)
    assert (X.indices == other.indices).all()


def test_copies_and_searches_with_functions() -> None:
    vectorizer = ts.text.CountVectorizer(tokenizer=blanks, token_pattern=None).fit(CLEAN)
    expected = vectorizer.transform(NEW).toarray().tolist()
    for copied in (
        pickle.loads(pickle.dumps(vectorizer)),
        copy.deepcopy(vectorizer),
        clone(vectorizer).fit(CLEAN),
    ):
        assert copied.transform(NEW).toarray().tolist() == expected
        assert copied.vocabulary_ == vectorizer.vocabulary_
    texts, y = ["a b", "a c", "d e", "d f"] * 4, [0, 0, 1, 1] * 4
    grid: dict[str, list[Any]] = {
        "countvectorizer__tokenizer": [blanks, str.split, list],
        "countvectorizer__min_df": [1, 2],
    }
    found = []
    for kind in (ts.text.CountVectorizer, theirs.CountVectorizer):
        search = GridSearchCV(make_pipeline(kind(token_pattern=None), MultinomialNB()), grid, cv=2)
        found.append(search.fit(texts, y).cv_results_["mean_test_score"].tolist())
    assert found[0] == found[1]


def test_overflow_of_what_a_function_returns() -> None:
    vectorizer = ts.text.CountVectorizer(analyzer=list, dtype=np.uint8)
    with pytest.raises(ts.CountOverflowError):
        vectorizer.fit_transform(["a" * 300])
