"""Counts of texts by class equal the counts of scikit-learn's matrix of the texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import termsift as ts
from counted_texts import RULES, TEXTS, Y, by_matrix, own, vectorizers
from private import put
from wording import raises, warns

# ---- the counts ----------------------------------------------------------------------------------


@pytest.mark.parametrize("n_threads", [1, 2, 3])
@pytest.mark.parametrize("rules", RULES.values(), ids=list(RULES))
@pytest.mark.filterwarnings("ignore:The parameter 'token_pattern' will not be used")
@pytest.mark.filterwarnings("ignore:combining marks cut words")
def test_counts_are_those_of_the_matrix(rules: dict[str, Any], n_threads: int) -> None:
    for tf in ("raw", "binary", "log"):
        expected = by_matrix(TEXTS, Y, tf=tf, **rules)
        counts = ts.count_texts(TEXTS, Y, tf=tf, n_threads=n_threads, **own(rules))
        assert counts == expected
        assert counts.tf == tf
        assert counts.n_docs == len(TEXTS)  # texts without words count too


INDICATOR = np.random.default_rng(0).integers(0, 2, (len(Y), 3))


@pytest.mark.parametrize("rules", ["words", "min_df", "max_features", "vocabulary", "tokenizer"])
@pytest.mark.parametrize("y", [Y, INDICATOR, sp.csr_array(INDICATOR)], ids=["y", "dense", "sparse"])
@pytest.mark.filterwarnings("ignore:The parameter 'token_pattern' will not be used")
def test_indicator_matrices(rules: str, y: Any) -> None:
    for tf in ("raw", "binary", "log"):
        expected = by_matrix(TEXTS, y, tf, **RULES[rules])
        assert ts.count_texts(TEXTS, y, tf=tf, **own(RULES[rules])) == expected


@pytest.mark.parametrize("size", [1, 5, len(TEXTS), 100])
def test_blocks_of_texts_add_up(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch, block_texts=size)
    put(monkeypatch, texts_at_once=size)
    for rules in (RULES["words"], RULES["min_df"], RULES["analyzer"], RULES["vocabulary"]):
        expected = by_matrix(TEXTS, Y, **rules)
        assert ts.count_texts(iter(TEXTS), Y, **rules) == expected


@pytest.mark.parametrize("tf", ["raw", "log"])
@pytest.mark.parametrize("texts", [[], [""], ["a", "b c"]])
def test_texts_without_terms_add_only_their_documents(texts: list[str], tf: Any) -> None:
    y = [0] * len(texts)
    with pytest.raises(ValueError, match="empty vocabulary"):
        vectorizers.CountVectorizer().fit_transform(texts)
    with warns(UserWarning, "no_document_has_a_word_of"):
        nothing = ts.count_texts(texts, y, tf=tf)
    whole = ts.count_texts([*texts, "bacon eggs"], [*y, 1], tf=tf)
    part = ts.count_texts(["bacon eggs"], [1], tf=tf)
    for merged in (ts.merge([nothing, part]), ts.merge([part, ts.load(nothing.to_bytes())])):
        assert merged == whole
        assert len(merged.naive_bayes().predict(["eggs"])) == 1  # the rules are kept


def test_hashed_terms_have_no_names() -> None:
    X = vectorizers.HashingVectorizer(
        n_features=32, alternate_sign=False, norm=None, dtype=np.int64
    ).transform(TEXTS)
    assert ts.count_texts(TEXTS, Y, hashing=32) == ts.count(X, Y)
    assert ts.count_texts([], [], hashing=32).n_terms == 32


def test_an_unknown_rule_names_the_nearest_one() -> None:
    with raises(TypeError, "unknown_argument_ngram_did_you", argument="ngram"):
        ts.count_texts(TEXTS, Y, ngram=(1, 2))


# ---- classes -------------------------------------------------------------------------------------

LABELS: list[list[Any]] = [
    [1, "a", (2, 3), 1.5, True, b"x"],
    [True, 1, 1.0, 0, False, 2],
    list("fedcba"),
    [np.int64(3), 3, np.str_("a"), "a", np.float32(0.1), 0.1],
    [frozenset([1]), frozenset([1, 2]), frozenset([2]), 1, 2, 3],
]


@pytest.mark.parametrize("y", LABELS, ids=repr)
def test_classes_are_named_and_ordered_as_by_count(y: list[Any]) -> None:
    texts = TEXTS[:6]
    for given in (y, np.fromiter(y, dtype=object, count=len(y))):
        counts = ts.count_texts(texts, given)
        assert counts == by_matrix(texts, y)
        assert list(map(repr, counts.classes)) == list(map(repr, by_matrix(texts, y).classes))


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([*Y[:-1], None], None),
        ([*Y[:-1], float("nan")], None),
        ([*Y[:-1], ["ham"]], None),
        ([*Y[:-1], {}], None),
        ([*Y[:-1], (1, None)], None),
        (Y, ["ham", "spam"]),
        (Y, ["ham", "ham"]),
        ("labels", None),
        ({"ham"}, None),
        (np.ones((len(Y), 1)), None),
        (np.full((len(Y), 2), 2), None),
    ],
)
def test_wrong_labels_are_refused_as_by_count(y: Any, classes: Any) -> None:
    X = np.ones((len(TEXTS), 1), dtype=int)
    with pytest.raises((ValueError, TypeError)) as expected:
        ts.count(X, y, classes=classes)
    with pytest.raises(expected.type) as found:
        ts.count_texts(TEXTS, y, classes=classes)
    assert str(found.value) == str(expected.value)
    assert found.value.argument == expected.value.argument  # type: ignore[attr-defined]


@pytest.mark.parametrize("n_labels", [len(TEXTS) - 1, len(TEXTS) + 1])
def test_labels_for_more_or_fewer_texts_than_come_are_refused(n_labels: int) -> None:
    y = (Y * 2)[:n_labels]
    key = "n_labels_for_12_texts" if n_labels > len(TEXTS) else "n_labels_for_12_texts_or_more"
    with raises(ValueError, key, argument="y", at=f"{n_labels} labels"):
        ts.count_texts((text for text in TEXTS), y)
    with raises(ValueError, key, argument="y", at=f"{n_labels} labels"):
        ts.count_texts(TEXTS, y)


def test_a_scan_has_its_labels_and_names(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("label,text\nham,eggs\n")
    for argument, value in (("y", ["ham"]), ("classes", ["ham"]), ("term_names", ["eggs"])):
        at = f"leave out {argument}"
        with raises(TypeError, "a_scan_has_labels_and_names", argument=argument, at=at):
            ts.count(ts.scan(path), **{argument: value})
