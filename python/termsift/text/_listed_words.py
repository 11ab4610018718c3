"""Apply the rules for texts to the words of a list, such as a frequency list of another corpus."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._util import scipy
from termsift.text._matrices import count_blocks

if TYPE_CHECKING:
    from termsift.text._rules import TextRules


class CutWords(NamedTuple):
    """What the rules make of words."""

    terms: list[str]  # sorted
    contents: scipy.sparse.csr_array  # how often each word (a row) holds each term (a column)
    alien: list[int]  # the words that no text can contain by the rules; they are terms unchanged


def cut_words(words: list[str], rules: TextRules) -> CutWords:
    """Return the terms of distinct words, each of which is cut like a text.

    So the list becomes what counting its corpus by the rules would have given: "The" and "the" are
    one term if texts are lowercased, and "a" is none if words have two letters or more. Words with
    blanks are n-grams. Their parts are listed by themselves, so such a word is one term, or alien.
    """
    rules = replace(rules.cutting, binary=False)
    least, most = map(int, rules.ngram_range)
    of_size: dict[int, list[int]] = {1: [i for i, word in enumerate(words) if " " not in word]}
    if len(of_size[1]) < len(words):
        for i, word in enumerate(words):
            if " " in word:
                of_size.setdefault(max(1, len(word.split())), []).append(i)
    pieces, alien = list[tuple[NDArray[np.int64], Any, list[str]]](), list[int]()
    for size, numbers in sorted(of_size.items()):
        if not least <= size <= most:
            alien += numbers
            continue
        rows = np.array(numbers, dtype=np.int64)
        texts = _core.Texts.of_strings([words[i] for i in numbers])
        if size == 1:
            X, terms = _counted(texts, rules)
        else:
            X, terms = _counted(texts, replace(rules, ngram_range=(size, size)))
            parts, _ = _counted(texts, replace(rules, ngram_range=(1, 1), stop_words=None))
            is_term = (X.sum(axis=1) == 1) & (parts.sum(axis=1) == size)
            alien += rows[~is_term].tolist()
            rows, X = rows[is_term], X[is_term]
        pieces.append((rows, X, terms))
    if alien:
        unchanged = [words[i] for i in alien]
        eye = scipy.sparse.eye_array(len(alien), dtype=np.int64, format="csr")
        pieces.append((np.array(alien, dtype=np.int64), eye, unchanged))
    return _joined(len(words), pieces, sorted(alien))


def _counted(texts: _core.Texts, rules: TextRules) -> tuple[Any, list[str]]:
    X, names = count_blocks([texts], rules, 0)
    assert names is not None
    return X, names.tolist()


def _joined(
    n_words: int, pieces: list[tuple[NDArray[np.int64], Any, list[str]]], alien: list[int]
) -> CutWords:
    if len(pieces) == 1:
        (numbers, X, terms), *_ = pieces
        if len(numbers) == n_words and not alien:
            return CutWords(terms, X, alien)
    terms = sorted({term for _, _, of_piece in pieces for term in of_piece})
    column_of = {term: column for column, term in enumerate(terms)}
    rows, columns, values = (
        [np.empty(0, np.int64)],
        [np.empty(0, np.int64)],
        [np.empty(0, np.int64)],
    )
    for numbers, X, of_piece in pieces:
        new_column = np.array([column_of[term] for term in of_piece], dtype=np.int64)
        rows.append(np.repeat(numbers, np.diff(X.indptr)))
        columns.append(new_column[X.indices])
        values.append(X.data.astype(np.int64))
    places = np.concatenate(rows), np.concatenate(columns)
    shape = n_words, len(terms)
    X = scipy.sparse.csr_array((np.concatenate(values), places), shape=shape)
    return CutWords(terms, X, alien)
