"""Segmenters and stemmers that people use work as rules, as on the page "Segmenters and stems"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import termsift as ts


def jieba() -> tuple[Callable[[str], list[str]], str]:
    module = pytest.importorskip("jieba")
    module.setLogLevel(60)
    return module.lcut, "我们去北京大学看书。自然语言处理"


def janome() -> tuple[Callable[[str], list[str]], str]:
    cutter = pytest.importorskip("janome.tokenizer").Tokenizer()
    return lambda text: [word.base_form for word in cutter.tokenize(text)], "東京で会があった"


def pythainlp() -> tuple[Callable[[str], list[str]], str]:
    module = pytest.importorskip("pythainlp.tokenize")
    return module.word_tokenize, "ภาษาไทยเป็นภาษา อากาศดีมาก"


def spacy() -> tuple[Callable[[str], list[str]], str]:
    pipeline = pytest.importorskip("spacy").blank("en")
    return lambda text: [word.text for word in pipeline.make_doc(text)], "Ships don't sail."


@pytest.mark.filterwarnings("ignore:invalid escape sequence")  # of jieba, when it is compiled
@pytest.mark.parametrize("package", [jieba, janome, pythainlp, spacy])
def test_words_of_a_segmenter(package: Callable[[], Any]) -> None:
    pytest.importorskip("sklearn")
    cut, text = package()
    expected = Counter(cut(text.lower()))
    assert len(expected) > 2
    rules: Any = {"tokenizer": cut, "token_pattern": None}
    counts = ts.count_texts([text] * 3, ["a", "b", "a"], **rules)
    found = dict(zip(counts.term_names, counts.collection_term_frequency.tolist(), strict=True))
    assert found == {term: 3 * n for term, n in expected.items()}
    limited = ts.count_texts([text] * 3, ["a", "b", "a"], min_df=2, max_memory=1 << 24, **rules)
    assert limited == counts
    hashed = ts.count_texts([text], ["a"], hashing=1 << 20, **rules)
    assert hashed.collection_term_frequency.sum() == sum(expected.values())
    vectorizer = ts.text.CountVectorizer(**rules)
    assert vectorizer.fit_transform([text]).sum() == sum(expected.values())
    assert set(vectorizer.get_feature_names_out()) == set(expected)


@pytest.mark.parametrize("package", ["snowballstemmer", "Stemmer"])
def test_stems_of_a_stemmer(package: str) -> None:
    module = pytest.importorskip(package)
    stemmer = (module.stemmer if package == "snowballstemmer" else module.Stemmer)("english")
    texts = ["The ships were shipping oil", "Oils are shipped"]
    counts = ts.count_texts(texts, ["a", "b"], stem=stemmer.stemWord)
    assert list(counts.term_names) == ["are", "oil", "ship", "the", "were"]
    assert counts.term_frequency.toarray().tolist() == [[0, 1, 2, 1, 1], [1, 1, 1, 0, 0]]
    assert counts.document_frequency.toarray().tolist() == [[0, 1, 1, 1, 1], [1, 1, 1, 0, 0]]
