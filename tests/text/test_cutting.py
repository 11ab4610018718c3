"""Texts that a Python function cuts are counted by the core, as if the core had cut them."""

from __future__ import annotations

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

import termsift as ts
from private import _core, core_of, put
from signals import interrupting, needs_timers
from wording import raises

WORDS = ["oil", "ship", "Ball", "größe", "naïve", "東京都", "x_1", "a", "-", "\ud800\udfff", "12"]
LABELS = ["ham", "spam", "eggs"]


def arrays_of(counts: ts.ClassCounts) -> dict[str, Any]:
    """Return everything that counts hold, as values that == compares bit by bit."""
    held = {name: np.asarray(v).tolist() for name, v in core_of(counts).to_arrays().items()}
    names = None if counts.term_names is None else counts.term_names.tolist()
    return {**held, "names": names, "classes": counts.classes}


def outcome(texts: Any, y: Any, **how: Any) -> Any:
    """Return the counts, or the message of the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a collection may have no terms
        try:
            return arrays_of(ts.count_texts(texts, y, **how))
        except ValueError as error:
            return str(error)


@st.composite
def collections(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    texts = draw(st.lists(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join), max_size=9))
    several = st.lists(st.sampled_from(LABELS), max_size=3, unique=True)
    return texts, [draw(several) for _ in texts]


def as_indicators(labels: list[list[str]]) -> Any:
    return np.array([[label in some for label in LABELS] for some in labels], int).reshape(-1, 3)


@given(
    collections(),
    st.booleans(),
    st.sampled_from(["raw", "log", "binary"]),
    st.sampled_from(
        [
            {},
            {"binary": True},
            {"min_df": 2},
            {"max_df": 0.5},
            {"max_features": 3},
            {"hashing": 7},
            {"vocabulary": ["ship", "oil", "ship oil", "東京都", "unheard"]},
            {"vocabulary": {"ball": 1, "größe": 0}, "binary": True},
        ]
    ),
    st.integers(1, 4),
)
def test_terms_of_a_function_are_counted_as_those_of_the_core(
    collection: Any, has_several: bool, tf: Any, rules: dict[str, Any], n_threads: int
) -> None:
    sklearn_text = pytest.importorskip("sklearn.feature_extraction.text")
    cut = sklearn_text.CountVectorizer(ngram_range=(1, 2)).build_analyzer()
    texts, labels = collection
    how: dict[str, Any] = {"tf": tf, "n_threads": n_threads, "classes": LABELS, **rules}
    y = as_indicators(labels) if has_several else [(some or LABELS)[0] for some in labels]
    assert outcome(texts, y, analyzer=cut, **how) == outcome(texts, y, ngram_range=(1, 2), **how)


@given(st.lists(st.lists(st.sampled_from(["", "a", "b\0", "\0", "x" * 17, "new york", "é"]))))
def test_hashes_of_a_function_are_those_of_scikit_learn(documents: list[list[str]]) -> None:
    sklearn_text = pytest.importorskip("sklearn.feature_extraction.text")
    texts, y = [str(i) for i in range(len(documents))], np.zeros(len(documents), int)

    def cut(text: str) -> list[str]:
        return documents[int(text)]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a collection may have no terms
        counts = ts.count_texts(texts, y, classes=[0], analyzer=cut, hashing=11)
    theirs = sklearn_text.HashingVectorizer(
        n_features=11, analyzer=cut, alternate_sign=False, norm=None
    )
    expected = theirs.transform(texts).sum(axis=0) if texts else np.zeros(11)
    np.testing.assert_array_equal(
        counts.term_frequency.toarray().ravel(), np.asarray(expected).ravel()
    )


def test_terms_may_be_any_strings() -> None:
    terms = [
        "",
        "\0",
        "a\0",
        "a",
        " ",
        "new york",
        "\ud800",
        "\ud800\udc00",
        "\U00010000",
        "x" * 40,
    ]
    documents = [terms, terms[::-1] * 2, terms[:3]]

    def cut(text: str) -> list[str]:
        return documents[int(text)]

    counts = ts.count_texts(["0", "1", "2"], ["a", "b", "a"], analyzer=cut)
    assert list(counts.term_names) == sorted(terms)
    at = dict(zip(counts.term_names, counts.term_frequency.toarray().T.tolist(), strict=True))
    assert at == {t: [2 if t in terms[:3] else 1, 2] for t in terms}


class Word(str):
    """A string that claims to be equal to no string and prints as another."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return False

    def __str__(self) -> str:
        return "other"


def test_a_string_of_another_class_counts_by_its_characters() -> None:
    def cut(text: str) -> list[str]:
        return [np.str_("oil"), Word("oil"), "oil"]

    counts = ts.count_texts(["x"], ["a"], analyzer=cut)
    assert list(counts.term_names) == ["oil"]
    assert type(counts.term_names[0]) is str
    assert counts.collection_term_frequency.tolist() == [3]


def lists(text: str) -> list[str]:
    return text.split()


@pytest.mark.parametrize(
    "cut",
    [
        lists,
        lambda text: tuple(text.split()),
        lambda text: (word for word in text.split()),
        lambda text: map(str, text.split()),
        lambda text: np.array(text.split()),
    ],
)
def test_repeated_terms_count(cut: Any) -> None:
    counts = ts.count_texts(["x x y", "x"], ["a", "b"], analyzer=cut)
    assert counts.term_frequency.toarray().tolist() == [[2, 1], [1, 0]]


def test_keys_count_once() -> None:
    counts = ts.count_texts(["x x y"], ["a"], analyzer=lambda text: Counter(text.split()))
    assert counts.term_frequency.toarray().tolist() == [[1, 1]]


def raising(text: str) -> Iterator[str]:
    yield "a"
    if text == "bad":
        raise LookupError("in the middle")


@pytest.mark.parametrize(
    "rules",
    [{}, {"hashing": 8}, {"vocabulary": ["a"]}, {"min_df": 2}],
    ids=["terms", "hashing", "vocabulary", "min_df"],
)
def test_an_error_of_a_function_is_passed_on(rules: dict[str, Any]) -> None:
    for tf in ("raw", "log"):
        with pytest.raises(LookupError, match="in the middle"):
            ts.count_texts(["a", "bad"], ["x", "y"], analyzer=raising, tf=tf, **rules)
    with raises(TypeError, "returned_no_strings", argument="analyzer", at="document 1: "):
        ts.count_texts(["a", "b"], ["x", "y"], analyzer=lambda t: b"a" if t == "b" else [t])


def test_what_is_returned_is_refused_at_any_place_by_its_number() -> None:
    def cut(text: str) -> Any:
        return ["y" * 3000, 7] if text == "bad" else ["x" * 3000] * 900

    texts = ["good"] * 40 + ["bad"]  # more than the terms that are held at once
    key = "returned_no_strings"
    for y in (["a"] * 41, np.ones((41, 1), int)):
        with raises(TypeError, key, argument="analyzer"):
            ts.count_texts(texts, y, classes=["a"], analyzer=cut)
    counts = ts.count_texts(texts[:-1], ["a"] * 40, analyzer=cut)
    assert counts.term_frequency.toarray().tolist() == [[36_000]]


def test_what_is_returned_in_a_later_block_has_the_number_of_its_document() -> None:
    """Texts of an iterator are read in blocks of 2^25 characters."""
    texts = ["x" * 2**25, *["good"] * 63, "bad"]
    key = "returned_no_strings"
    with raises(TypeError, key, argument="analyzer"):
        ts.count_texts(iter(texts), ["a"] * 65, analyzer=lambda t: [7] if t == "bad" else ["x"])


def seven(text: str) -> Any:
    return [7] if text == "bad" else text.split()


def test_what_is_returned_is_refused_by_its_row_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("label,text\n" + "a,good\n" * 4)
    (tmp_path / "two.csv").write_text("label,text\na,good\nb,bad\n")
    files = [tmp_path / "one.csv", tmp_path / "two.csv"]
    limits = {"min_df": 2, "max_memory": 2**22, "checkpoint": tmp_path / "saved"}
    # The second run with a checkpoint begins after the first file.
    for options in ({}, {"vocabulary": ["good"]}, limits, limits):
        scan = ts.scan(files, analyzer=seven, **options)
        with raises(TypeError, "returned_no_strings", argument="analyzer", at="two.csv, row 2: "):
            ts.count(scan)


def test_what_is_returned_is_refused_by_its_number_in_any_block(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put(monkeypatch, block_texts=2, texts_at_once=2)
    texts, y = ["good"] * 4 + ["bad"], ["a"] * 5
    for call in (
        lambda: ts.count_texts(iter(texts), y, analyzer=seven),
        lambda: ts.find_passages(iter(texts), y, ["good"], analyzer=seven),
        lambda: ts.sketch_texts(iter(texts), analyzer=seven),
    ):
        with raises(TypeError, "returned_no_strings", argument="analyzer", at="document 4: "):
            call()


def test_pieces_of_a_block_keep_their_labels() -> None:
    def cut(text: str) -> list[str]:
        return [text * 1000] * 5000

    texts = ["a", "b", "c", "d", "e"]
    several = np.array([[1, 0], [0, 1], [1, 1], [0, 0], [0, 1]])
    small = [[5000, 0, 5000, 0, 0], [0, 5000, 5000, 0, 5000]]
    counts = ts.count_texts(texts, several, analyzer=cut)
    assert counts.term_frequency.toarray().tolist() == small
    assert counts.collection_term_frequency.tolist() == [5000] * 5
    assert (counts.n_docs, counts.class_docs.tolist()) == (5, [2, 3])
    counts = ts.count_texts(texts, ["x", "y", "x", "y", "x"], analyzer=cut)
    assert counts.document_frequency.toarray().tolist() == [[1, 0, 1, 0, 1], [0, 1, 0, 1, 0]]


def test_a_function_may_count_texts_itself() -> None:
    def cut(text: str) -> list[str]:
        return list(ts.count_texts([text], ["a"]).term_names)

    counts = ts.count_texts(["oil and ship", "oil"], ["a", "b"], analyzer=cut)
    assert counts.term_frequency.toarray().tolist() == [[1, 1, 1], [0, 1, 0]]


@needs_timers
@pytest.mark.parametrize("cut", [str.split, lambda text: text.split()], ids=["C", "Python"])
def test_counting_is_interrupted_in_a_function(cut: Callable[[str], list[str]]) -> None:
    def forever() -> None:
        while True:  # until the signal interrupts a call
            ts.count_texts(["a few short words"] * 10**6, ["a"] * 10**6, analyzer=cut)

    with pytest.raises(KeyboardInterrupt), interrupting(0.2):
        forever()


@pytest.mark.parametrize("n", [1, 3])
def test_a_sketch_of_a_function(n: int) -> None:
    texts, y = ["oil ship oil", "ship", "ball ship oil"] * 4, ["a", "b", "a"] * 4
    rules: dict[str, Any] = {"tokenizer": str.split, "token_pattern": None, "ngram_range": (1, n)}
    pytest.importorskip("sklearn")
    sketch = ts.sketch_texts(texts, min_df=5, n_bytes=1 << 16, **rules)
    counts = ts.count_texts(texts, y, sketch=sketch).with_min_df(5)
    assert arrays_of(counts) == arrays_of(ts.count_texts(texts, y, min_df=5, **rules))
    total = sketch + ts.sketch_texts(texts, min_df=5, n_bytes=1 << 16, **rules)
    assert list(ts.count_texts(texts, y, sketch=total).with_min_df(5).term_names) == list(
        counts.term_names
    )


def test_a_loaded_sketch_names_the_function_that_it_lacks() -> None:
    sketch = ts.sketch_texts(["oil ship"], min_df=1, n_bytes=100, analyzer=lists)
    for loaded in (
        ts.TermSketch.from_bytes(sketch.to_bytes()),
        pickle.loads(pickle.dumps(sketch)),
    ):
        with raises(ValueError, "sketch_was_read_from_bytes_which", argument="sketch"):
            loaded.update(["more"])
        with raises(ValueError, "sketch_was_read_from_bytes_which", argument="sketch"):
            ts.count_texts(["oil"], ["a"], sketch=loaded)
        assert (loaded + sketch).update(["more"]).rules == sketch.rules


def test_a_memory_limit_with_a_function(tmp_path: Path) -> None:
    words = [f"rare{i}" for i in range(40_000)]
    texts = [f"oil ship {' '.join(words[i * 100 : i * 100 + 100])}" for i in range(400)]
    y = ["a", "b"] * 200
    rules: dict[str, Any] = {"analyzer": lists, "min_df": 2}
    counts = ts.count_texts(texts, y, max_memory=1 << 21, **rules)
    assert list(counts.term_names) == ["oil", "ship"]
    table = tmp_path / "texts.csv"
    table.write_text("text,label\n" + "".join(f"{t},{c}\n" for t, c in zip(texts, y, strict=True)))
    of_file = ts.count(ts.scan(table, max_memory=1 << 21, **rules))
    assert arrays_of(of_file) == arrays_of(counts)
    folder = tmp_path / "checkpoint"
    again = ts.count(ts.scan(table, max_memory=1 << 21, checkpoint=folder, **rules))
    assert arrays_of(again) == arrays_of(counts)


def test_lists_of_tokens_of_the_core() -> None:
    texts = _core.Texts.of_strings(["a b", "c"])

    def refuse(value: Any, row: int) -> Any:
        raise AssertionError(value, row)

    tokens = _core.Texts.of_tokens(texts, str.split, refuse)
    assert (len(tokens), len(tokens.missing), tokens.is_utf8) == (2, 0, True)
    assert len(_core.Texts.of_tokens(texts, str.split, refuse, 1)) == 1
    assert len(_core.Texts.of_tokens(texts, str.split, refuse, 0, 1)) == 1
    assert len(_core.Texts.of_tokens(texts, str.split, refuse, 2)) == 0
    with raises(TypeError, "a_list_of_tokens_is_no"):
        tokens[0]
    words = _core.TextRules("word", True, None, 1, 1, [])
    with raises(ValueError, "the_analyzer_tokens_counts_lists_of"):
        _core.TextCounter(words).add(tokens)


def test_counts_that_a_function_cut_for_hashes_keep_the_rule_of_hashing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        a, b = (
            ts.count_texts(["aa bb", "cc"], [1, 2], analyzer=str.split, hashing=n) for n in (8, 16)
        )
    assert a.rules is not None
    assert a.rules.hashing == 8
    with raises(ValueError, "the_texts_were_cut_by_different", argument="hashing"):
        a + b


def test_an_error_of_a_function_keeps_its_kind(tmp_path: Path) -> None:
    class OwnError(ValueError):
        def __init__(self, a: int, b: int) -> None:
            super().__init__(a, b)

    def cut(text: str) -> list[str]:
        raise OwnError(1, 2)

    path = tmp_path / "a.csv"
    path.write_text("label,text\nham,egg\n")
    with pytest.raises(OwnError):
        ts.count(ts.scan(path, analyzer=cut))
    with pytest.raises(OwnError):
        ts.count_texts(["egg"], ["ham"], analyzer=cut)
