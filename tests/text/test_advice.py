"""Warnings about rules that cannot work and about documents that look like a mistake."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import termsift as ts
from wording import warns

TEXTS, LABELS = ["I don't like the Good film", "the end of a bad film"], ["good", "bad"]


def doors(folder: Path, texts: list[str], labels: list[str], **rules: Any) -> Iterator[Any]:
    """Yield calls that count the same texts."""
    table = folder / "texts.tsv"
    rows = zip(["text", *texts], ["label", *labels], strict=True)
    table.write_text("".join(f"{text}\t{label}\n" for text, label in rows))
    yield lambda: ts.count_texts(texts, labels, **rules)
    yield lambda: ts.count_texts(iter(texts), labels, **rules)
    yield lambda: ts.count(ts.scan(table, **rules))
    yield lambda: ts.io.read_collection(ts.scan(table, **rules))
    if find_spec("dask"):
        yield lambda: ts.dask.count_texts([(texts, labels)], **rules)


def told_once(count: Callable[[], Any], key: str) -> None:
    with warns(UserWarning, key) as told:
        count()
    assert len(told) == 1, [str(one.message) for one in told]
    assert told[0].filename == __file__


RULES: list[tuple[dict[str, Any], str]] = [
    ({"stop_words": ["don't"]}, "stop_words_turn_into_don"),
    ({"stop_words": ["Good", "the"]}, "stop_words_turn_into_good"),
    ({"stop_words": ["bad film"]}, "stop_words_turn_into_bad_film"),
    ({"stop_words": ["Good"], "preprocessor": str.lower}, "stop_words_turn_into_good"),
    ({"stop_words": ["Good"], "stem": str.lower}, "stop_words_turn_into_good"),
    ({"vocabulary": ["Good", "film"]}, "good_of_the_vocabulary_cannot_match"),
    ({"vocabulary": ["film", "bad film"]}, "bad_film_of_the_vocabulary_cannot_match"),
    ({"vocabulary": ["film", "the"], "stop_words": ["the"]}, "the_of_the_vocabulary_cannot_match"),
    ({"analyzer": str.split, "ngram_range": (1, 2)}, "ngram_range_has_no_effect"),
    ({"analyzer": str.split, "preprocessor": str.upper}, "preprocessor_has_no_effect"),
    ({"analyzer": "char", "tokenizer": str.split}, "tokenizer_has_no_effect"),
    ({"analyzer": "char", "token_pattern": r"\w+"}, "token_pattern_has_no_effect"),
    (
        {"tokenizer": str.split, "token_pattern": r"\w+"},
        "token_pattern_has_no_effect_with_a_tokenizer",
    ),
    ({"preprocessor": str.upper, "strip_accents": "ascii"}, "strip_accents_has_no_effect"),
    (
        {"preprocessor": str.upper, "normalize": "NFC"},
        "normalize_has_no_effect_with_a_function",
    ),
    ({"analyzer": str.split, "normalize": "NFC"}, "normalize_has_no_effect_with_an_analyzer"),
    ({"token_pattern": r"\w*"}, "pattern_matches_the_empty_text"),
    ({"token_pattern": r"[a-z]+|"}, "pattern_matches_the_empty_text"),
    ({"token_pattern": r"(\w\w+\s?)+#"}, "pattern_takes_exponential_time"),
]


@pytest.mark.parametrize(("rules", "key"), RULES, ids=lambda x: str(x)[:30])
def test_rules_that_cannot_work_are_told(rules: dict[str, Any], key: str, tmp_path: Path) -> None:
    if {"tokenizer", "preprocessor"} & set(rules) or key.startswith("pattern"):
        pytest.importorskip("sklearn")
    texts = [f"{text} #" for text in TEXTS] if "exponential" in key else TEXTS
    calls = [*doors(tmp_path, texts, LABELS, **rules)]
    if "exponential" in key:
        calls = calls[:4]  # a worker of a cluster tells this before it cuts its part
    for count in calls:
        told_once(count, key)
    if "stop_words" in rules and "vocabulary" not in rules:
        told_once(lambda: ts.sketch_texts(TEXTS, min_df=1, **rules), key)


@pytest.mark.parametrize(
    "rules",
    [
        {},
        *({"stop_words": words} for words in ("english", [], ["a"], ["the", "good"])),
        {"stop_words": ["don't", "don"]},
        {"stop_words": ["Good"], "lowercase": False},
        *({"vocabulary": words} for words in (["film"], {"film": 0, "good": 1})),
        {"vocabulary": ["good film", "film"], "ngram_range": (1, 2)},
        {"vocabulary": ["like film"], "ngram_range": (2, 2), "stop_words": ["the", "good"]},
        {"vocabulary": ["lik", " the"], "analyzer": "char", "ngram_range": (3, 4)},
        {"vocabulary": [" th"], "analyzer": "char_wb", "ngram_range": (3, 3)},
        {"analyzer": str.split, "lowercase": False, "binary": True},
        {"tokenizer": str.split, "token_pattern": None},
        {"tokenizer": str.split, "ngram_range": (1, 2)},
    ],
)  # fmt: skip
def test_rules_that_work_are_not_told(rules: dict[str, Any], tmp_path: Path) -> None:
    if "tokenizer" in rules:
        pytest.importorskip("sklearn")
    for count in doors(tmp_path, TEXTS, LABELS, **rules):
        count()


MANY = [f"text {i} of many" for i in range(40)]
TWO = ["good", "bad"] * 20
SANE: list[tuple[list[str], list[str], str]] = [
    (TWO, MANY, "as_many_labels_as_documents"),
    (TWO[:20], MANY[:20], "as_many_labels_as_20_documents"),  # the least that is no example
    (MANY, ["class", *TWO[1:]], "the_first_label_occurs_nowhere_else"),
    (["message", *MANY[:4]], ["class", *TWO[:4]], "the_first_label_occurs_nowhere_else"),
    (["0", *MANY[:4]], ["1", *TWO[:4]], "the_first_label_1_occurs_nowhere_else"),
    (
        MANY,
        [*TWO[:-1], "Bad"],
        "bad_and_bad_differ_only_in_case",
    ),
    (MANY[:4], ["a b", "a  b", "c", "d"], "a_b_and_a_b_differ_only_in_blanks"),
]


@pytest.mark.parametrize(("texts", "labels", "key"), SANE)
def test_documents_that_look_like_a_mistake_are_told(
    texts: list[str], labels: list[str], key: str, tmp_path: Path
) -> None:
    calls = [*doors(tmp_path, texts, labels)]
    if "first_label" in key:
        del calls[4:]  # the counts of parts do not hold the label of the first document
    for count in calls:
        told_once(count, key)


def test_documents_that_are_right_are_not_told(tmp_path: Path) -> None:
    for texts, labels in (
        (MANY, TWO),
        (MANY[:19], MANY[:19]),  # few documents are an example
        (MANY, ["one", *TWO[1:-1], "other"]),  # other classes are as rare as the first
        (MANY[:5], ["a", "b", "b", "c", "c"]),
        (["word", *MANY[:2]], ["a", "b", "b"]),  # neither does a class of one word tell much
        (["word", *MANY[:4]], ["a", "b", "b", "c", "d"]),
    ):
        for count in doors(tmp_path, texts, labels):
            count()


@pytest.mark.filterwarnings("default")
def test_the_shell_tells_each_warning_once(run: Any, tmp_path: Path) -> None:
    rows = [f"{text},{label}\n" for text, label in zip(MANY, ["class", *TWO[1:]], strict=True)]
    (tmp_path / "mail.csv").write_text("".join(["text,label\n", *rows, ",bad\n"]))
    (tmp_path / "words").write_text("don't\nGood\n")
    for command in (
        *(["rank"], ["rank", "--method", "greedy"], ["compare", "--cv", "2", "--method", "df"]),
        *(["info"], ["keyness"], ["report", "-o", str(tmp_path / "r.html")]),
    ):
        name, *options = command
        options += ["good", "bad"] if name == "keyness" else []
        result = run(name, tmp_path / "mail.csv", "--stop-words", tmp_path / "words", *options)
        assert result.code == 0, result.err
        for message in ("some stop words cannot match", "'class', occurs nowhere", "1 of 41 texts"):
            assert result.err.count(message) == 1, (name, message)


def test_a_grid_search_warns_of_nothing() -> None:
    selection = pytest.importorskip("sklearn.model_selection")
    X, y = np.eye(40, 6, dtype=int), np.array(["good", "Good "] * 20)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ts.cross_validate(X, y, cv=2)
        grid = selection.GridSearchCV(ts.TermSelector(k=2), {"k": [2, 3]}, scoring=lambda *_: 0.0)
        grid.fit(X, y)


DECOMPOSED = ["re\u0301sume\u0301 one", "a cafe\u0301 here"]


def test_words_that_marks_cut_are_told(tmp_path: Path) -> None:
    calls = [*doors(tmp_path, DECOMPOSED, LABELS)]
    for count in calls[:4]:
        told_once(count, "marks_cut_words_and_nfc_joins")
    for count in calls[4:]:
        count()  # the parts on a cluster do not tell how many words are cut
    hindi = ["हिन्दी भाषा", "हिन्दी और"]
    for rules in ({}, {"token_pattern": r"\w+"}, {"token_pattern": r"[^\W_]+|!"}):
        for count in [*doors(tmp_path, hindi, LABELS, normalize="NFC", **rules)][:4]:
            told_once(count, "marks_cut_words_of_letters")


@pytest.mark.parametrize(
    "rules",
    [
        {"normalize": "NFC"},
        {"strip_accents": "unicode"},
        {"analyzer": "char"},
        {"analyzer": str.split},
        {"token_pattern": "[\\w\u0300-\u036f]+"},
        {"token_pattern": r"."},
        {"token_pattern": r"\w+|[^\w\s]"},
    ],
    ids=str,
)
def test_words_that_no_mark_cuts_are_not_told(rules: dict[str, Any], tmp_path: Path) -> None:
    for count in doors(tmp_path, DECOMPOSED, LABELS, **rules):
        count()


def test_one_mark_among_many_words_is_not_told() -> None:
    texts = ["word " * 1500 + "cafe\u0301 ", "other words \u0301 x\u20e3"]
    ts.count_texts(texts, LABELS)
    with warns(UserWarning, "marks_cut_words_and_nfc_joins", at="in 1 place,"):
        ts.count_texts([texts[0][3000:], texts[1]], LABELS)


def test_a_vectorizer_tells_of_many_marks() -> None:
    pytest.importorskip("sklearn")
    ts.text.CountVectorizer().fit_transform(DECOMPOSED)
    told_once(
        lambda: ts.text.CountVectorizer().fit_transform(10 * DECOMPOSED),
        "marks_cut_words_and_nfc_joins",
    )


def test_a_function_that_knows_no_stop_word_gives_no_warning() -> None:
    """What the function makes of stop words is unknown, so they may match."""

    def upper(text: str) -> str:
        if text == "stop":
            raise ValueError("no document")
        return text.upper()

    counts = ts.count_texts(["go stop it"], ["a"], preprocessor=upper, stop_words=["stop"])
    assert counts.term_names.tolist() == ["GO", "IT", "STOP"]
