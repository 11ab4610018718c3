"""Rules for texts give scikit-learn's matrices, whether the core or Python splits the texts."""

from __future__ import annotations

import pickle
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import termsift as ts
from private import (
    ENGLISH_STOP_WORDS,
    FixedColumns,
    GrowingColumns,
    count_blocks,
    text_blocks,
)
from termsift.text import TextRules
from wording import raises

TEXTS = [
    "The Bacon, and the eggs: bacon!",
    "eggs for breakfast; 2 eggs for 1",
    "",
    "Buy pills now, buy the PILLS",
    "naïve größe_1 東京 e\u0301te\u0301 x-ray",
    "the of and",
]
NEW = ["bacon pills bacon unheard", "", "the eggs THE EGGS for breakfast"]


def squeeze(text: str) -> str:
    return text.replace("g", "")


def counted(texts: list[str], **rules: Any) -> Any:
    return count_blocks(text_blocks(texts), TextRules(**rules), 0)


def blanks(text: str) -> list[str]:
    return text.split()


def test_which_rules_need_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.feature_extraction.text", None)
    X, names = counted(TEXTS, min_df=2)
    assert names is not None
    assert list(names) == ["and", "eggs", "the"]
    np.testing.assert_array_equal(X.toarray()[0], [1, 1, 2])
    for rules in (
        {"ngram_range": (1, 2)},
        {"stop_words": ["the"]},
        {"stop_words": "english"},
        {"lowercase": False},
        {"analyzer": "char"},
        {"analyzer": "char", "token_pattern": "unused"},
        {"strip_accents": "unicode"},
        {"normalize": "NFC"},
        {"token_pattern": "a"},
        {"token_pattern": r"\w+", "ngram_range": (1, 2)},
        {"token_pattern": "[^,]+"},
    ):
        assert TextRules(**rules).native is not None
    assert counted(["a b"], analyzer=blanks)[0].shape == (1, 2)
    for rules in ({"preprocessor": squeeze}, {"strip_accents": squeeze}):
        assert counted(["aa bb"], **rules)[0].shape == (1, 2)
    needy: list[tuple[str, dict[str, Any]]] = [
        ("token_pattern", {"token_pattern": "(a)|b"}),
        ("tokenizer", {"tokenizer": blanks, "token_pattern": "a", "min_df": 2}),
        ("tokenizer", {"tokenizer": blanks}),
        ("tokenizer", {"preprocessor": squeeze, "tokenizer": blanks}),
    ]
    for what, rules in needy:
        with pytest.raises(ImportError) as caught:
            counted(TEXTS, **rules)
        cure = "pip install 'termsift[sklearn]', or pip install scikit-learn"
        assert str(caught.value) == f"{what} needs scikit-learn: {cure}"


@pytest.mark.parametrize(
    ("rules", "error", "message"),
    [
        ({"ngram_range": (2, 1)}, ValueError, "ngram_range must be (from, to), the smaller first"),
        ({"ngram_range": 2}, TypeError, "ngram_range must be two integers, got 2"),
        ({"ngram_range": (1, 2, 3)}, TypeError, "ngram_range must be two integers, got"),
        ({"ngram_range": (0, 1)}, ValueError, "each of ngram_range must be in [1, 2147483647]"),
        ({"ngram_range": (1.0, 2)}, TypeError, "each of ngram_range must be an integer"),
        ({"min_df": 0}, ValueError, "min_df must be at least 1, got 0"),
        ({"min_df": 1.5}, ValueError, "min_df as a share must be between 0 and 1, got 1.5"),
        ({"max_df": -0.1}, ValueError, "max_df as a share must be between"),
        ({"max_df": float("nan")}, ValueError, "max_df as a share must be between"),
        ({"max_df": True}, TypeError, "max_df as a share must be a number, got True"),
        ({"max_df": "2"}, TypeError, "max_df as a share must be a number, got '2'"),
        ({"max_features": 0}, ValueError, "max_features must be at least 1, got 0"),
        ({"stop_words": "german"}, ValueError, "stop_words must be 'english' or a list of words"),
        ({"stop_words": 3}, TypeError, "stop_words must be a Collection, got int"),
        ({"stop_words": [3]}, TypeError, "each of stop_words must be a str, got int"),
        ({"stop_words": ["a"], "analyzer": "char"}, TypeError,
         "stop_words needs analyzer='word', got 'char'"),
        ({"lowercase": 1}, TypeError, "lowercase must be True or False, got 1"),
        ({"binary": 1}, TypeError, "binary must be True or False, got 1"),
        ({"analyzer": "words"}, ValueError,
         "analyzer must be one of word, char, char_wb, got 'words'"),
        ({"strip_accents": "asci"}, ValueError,
         "strip_accents must be 'ascii' or 'unicode', got 'asci'; did you mean 'ascii'?"),
        ({"normalize": "nfc"}, ValueError, "normalize must be 'NFC' or 'NFKC', got 'nfc'"),
        ({"normalize": "NFD"}, ValueError, "normalize must be 'NFC' or 'NFKC', got 'NFD'"),
        ({"tokenizer": "a"}, TypeError, "tokenizer must be a function, got 'a'"),
        ({"preprocessor": 1}, TypeError, "preprocessor must be a function, got 1"),
        ({"token_pattern": None}, TypeError, "token_pattern must be a str, got NoneType"),
        ({"token_pattern": ["a"]}, TypeError, "token_pattern must be a str, got list"),
        ({"token_pattern": "["}, ValueError, "token_pattern is not a regular expression: "),
        ({"token_pattern": "\\b\b"}, ValueError,
         "token_pattern has a backspace, which no text has: write r'...'"),
        ({"token_pattern": r"(\w)(?P<b>\w)"}, ValueError,
         "token_pattern has 2 groups, but only one can be the word: write (?:...) in place of"),
        ({"vocabulary": []}, ValueError, "vocabulary must hold terms, got none"),
        ({"vocabulary": [["a"]]}, TypeError, "each of vocabulary must be a str, got list"),
        ({"vocabulary": {1, "a"}}, TypeError, "each of vocabulary must be a str, got int"),
        ({"vocabulary": {"a": "b", "b": 0}}, ValueError, "vocabulary must have the columns 0, 1"),
        ({"vocabulary": {"a": 1}}, ValueError, "vocabulary must have the columns 0, 1, 2"),
        ({"vocabulary": ["a", "b", "a"]}, ValueError, "vocabulary must not hold a term twice"),
        ({"vocabulary": [1]}, TypeError, "each of vocabulary must be a str, got int"),
        ({"hashing": 0}, ValueError, "hashing must be in [1, 2147483647], got 0"),
        ({"hashing": 2**31}, ValueError, "hashing must be in [1, 2147483647], got 2147483648"),
        ({"hashing": 2.0}, TypeError, "hashing must be an integer, got 2.0"),
        ({"hashing": 4, "min_df": 2}, TypeError, "hashing keeps no terms, so leave out min_df"),
        ({"hashing": 4, "max_df": 1}, TypeError, "hashing keeps no terms, so leave out max_df"),
        ({"hashing": 4, "max_features": 3, "vocabulary": ["a"]}, TypeError,
         "hashing keeps no terms, so leave out max_features and vocabulary"),
    ],
)  # fmt: skip
def test_wrong_rules_are_refused(rules: dict[str, Any], error: Any, message: str) -> None:
    with pytest.raises(error) as caught:
        TextRules(**rules)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("more", [{}, {"analyzer": blanks}], ids=["core", "python"])
def test_rules_that_leave_no_room(more: dict[str, Any]) -> None:
    key = "min_df_4_requires_4_or_more"
    with raises(ValueError, key, argument="min_df"):
        counted(TEXTS, min_df=4, max_df=0.5, **more)
    with raises(ValueError, "min_df_7_requires_7", argument="min_df"):
        counted(TEXTS, min_df=7, **more)
    X, names = counted(TEXTS, min_df=6, **more)
    assert names is not None
    assert (X.shape, len(names)) == ((6, 0), 0)


@pytest.mark.parametrize(
    ("name", "meant"),
    [("labl", "label"), ("on_eror", "on_error"), ("encodings", "encoding"), ("min_fd", "min_df")],
)
def test_a_misspelt_option_of_reading_is_told(name: str, meant: str) -> None:
    with raises(TypeError, "unknown_argument_meant", argument=name, at=f"did you mean '{meant}'"):
        ts.scan("c.csv", **{name: "x"})


def test_the_english_stop_words_are_those_of_scikit_learn() -> None:
    theirs = pytest.importorskip("sklearn.feature_extraction.text")
    assert ENGLISH_STOP_WORDS == theirs.ENGLISH_STOP_WORDS


def terms_by_each_door(cut: Any, folder: Path, rule: str) -> Iterator[Callable[[], Any]]:
    """Yield calls that return the terms and their counts for the texts "x x y" and "longer"."""
    texts, labels = ["x x y", "longer"], ["a", "b"]
    rules = {rule: cut}
    table = folder / "texts.csv"
    table.write_text("text,label\nx x y,a\nlonger,b\n")

    def shown(counts: ts.ClassCounts) -> dict[str, int]:
        return dict(zip(counts.term_names, counts.collection_term_frequency.tolist(), strict=True))

    yield lambda: shown(ts.count_texts(texts, labels, **rules))
    yield lambda: shown(ts.count_texts(iter(texts), np.eye(2, dtype=int), **rules))
    yield lambda: shown(ts.count(ts.scan(table, **rules)))
    if find_spec("dask"):
        yield lambda: shown(ts.dask.count_texts([(texts, labels)], **rules))


@pytest.mark.parametrize(
    "cut",
    [
        lambda text: Counter(text.split()),
        lambda text: dict.fromkeys(text.split()),
        lambda text: (word for word in dict.fromkeys(text.split())),
        lambda text: np.array(sorted(set(text.split()))),
        lambda text: {*text.split()},
    ],
)
def test_an_analyzer_may_return_any_iterable_of_strings(cut: Any, tmp_path: Path) -> None:
    for found in terms_by_each_door(cut, tmp_path, "analyzer"):
        assert found() == {"longer": 1, "x": 1, "y": 1}  # keys count once, as by scikit-learn
        assert all(type(term) is str for term in found())


def test_an_analyzer_that_returns_a_string_returns_characters(tmp_path: Path) -> None:
    for found in terms_by_each_door(lambda text: text[:3], tmp_path, "analyzer"):
        assert found() == {" ": 1, "l": 1, "n": 1, "o": 1, "x": 2}


@pytest.mark.parametrize(
    ("cut", "what"),
    [
        (lambda text: text.split() if len(text) < 6 else None, "None"),
        (lambda text: [None] if len(text) > 5 else [text], "None"),
        (lambda text: [7] if len(text) > 5 else [text], "7"),
        (lambda text: 7 if len(text) > 5 else [text], "7"),
    ],
)
@pytest.mark.parametrize("rule", ["analyzer", "tokenizer"])
def test_what_is_no_list_of_strings_is_refused_by_document(
    cut: Any, what: str, rule: str, tmp_path: Path
) -> None:
    for found in terms_by_each_door(cut, tmp_path, rule):
        with raises(TypeError, "returned_no_strings", argument=rule, at=what) as caught:
            found()
        assert any(f"{place}: " in str(caught.value) for place in ("document 1", ".csv, row 2"))


def test_words_may_form_terms_of_any_length() -> None:
    pytest.importorskip("sklearn")
    for most in (999, 1000, 10**6):
        assert ts.count_texts(["aa bb"], [0], ngram_range=(1, most)).n_terms == 3


def test_rules_that_are_equal_have_one_hash() -> None:
    rules = ts.count_texts(TEXTS, [0] * len(TEXTS), tokenizer=lambda text: text.split()).rules
    without_code = pickle.loads(pickle.dumps(rules))
    assert without_code == rules
    assert {rules: "found"}[without_code] == "found"


def test_rules_are_pickled() -> None:
    rules = TextRules(stop_words=["the"], analyzer="word", vocabulary={"a": 0})
    assert rules.native is not None
    assert pickle.loads(pickle.dumps(rules)) == rules


def test_counts_from_a_file_cannot_cut_by_a_function(tmp_path: Path) -> None:
    """The file has only the name of the function."""
    counts = ts.count_texts(["aa bb"] * 2, ["x"] * 2, analyzer=blanks)
    counts.save(tmp_path / "c.termsift")
    loaded, again = ts.load(tmp_path / "c.termsift").rules, counts.rules
    assert loaded is not None
    assert again is not None
    job: dict[str, Any] = {"min_df": 2, "max_memory": 2**20, "checkpoint": tmp_path / "saved"}
    (tmp_path / "a.csv").write_text("label,text\n" + "x,aa bb\n" * 2)
    for rules in (again.changed, {"analyzer": blanks}, again.changed):  # the same job
        assert ts.count(ts.scan(tmp_path / "a.csv", **rules, **job)) == counts
    with raises(ValueError, "counts_keep_only_the_name"):
        ts.count_texts(["aa bb"], ["x"], **loaded.changed)


@pytest.mark.parametrize("cut", [{}, {"analyzer": blanks}], ids=["core", "python"])
def test_words_of_later_blocks_get_the_next_columns(cut: dict[str, Any]) -> None:
    counter = GrowingColumns(TextRules(**cut))
    (first,) = text_blocks(["oil ship oil", "", "ball"])
    (second,) = text_blocks(["ship art zoo ship"])
    X = counter.count(first).toarray()
    names = counter.names.tolist()
    assert sorted(names) == ["ball", "oil", "ship"]
    order = [names.index(name) for name in sorted(names)]
    assert X[:, order].tolist() == [[0, 2, 1], [0, 0, 0], [1, 0, 0]]
    X = counter.count(second).toarray()
    assert counter.names[:3].tolist() == names
    assert dict(zip(counter.names, X[0].tolist(), strict=True)) == {
        **{"ball": 0, "oil": 0, "ship": 2},
        **{"art": 1, "zoo": 1},
    }
    fixed = FixedColumns(TextRules(**cut, vocabulary=["ball", "oil", "ship", "art", "zoo"]))
    (third,) = text_blocks(["zoo new ball"])
    assert fixed.count(third).toarray().tolist() == [[1, 0, 0, 0, 1]]
    assert fixed.n_columns == 5
