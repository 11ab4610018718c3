"""Texts to counts: how a text is cut into terms, and how often each document has each.

Plain words, the default, are cut and counted here. Whatever else `TextRules` can say is cut by
scikit-learn's vectorizers, so that a rule has their name and their meaning; what is cut is counted
here too, or hashed there.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, fields
from itertools import chain, islice
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from scipy import sparse

from termsift._util.extras import require
from termsift._util.validation import (
    check_iterable,
    check_kind,
    check_words,
    did_you_mean,
    is_one_of,
)

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["PRESETS", "TextRules", "count_words", "text_rules"]

_WORD = re.compile(r"\b\w\w+\b")  # CountVectorizer's token_pattern
Analyzer: TypeAlias = Literal["word", "char", "char_wb"]
_MOST_HASHED = 2**31 - 1  # scikit-learn's hasher keeps columns in 32 bits

# What can be asked for by one name. "paper": "we ignore those words in a stoplist, and discard
# those words that appear in less than 2 documents" (Tang, Kay and He 2016, Section 5.1). It does
# not say which list; ours is scikit-learn's.
PRESETS: dict[str, dict[str, Any]] = {"paper": {"stop_words": "english", "min_df": 2}}


@dataclass(frozen=True)
class TextRules:
    """How texts are cut into terms, and which terms are kept.

    The names and meanings are those of scikit-learn's ``CountVectorizer``, and so are the matrix
    and the vocabulary. Words are two or more letters, digits or underscores.

    Attributes
    ----------
    ngram_range : (int, int), default (1, 1)
        Terms are of so many words, from and to; of characters, if those are analyzed.
    min_df, max_df : int or float, default 1 and 1.0
        Terms in fewer, or in more, documents are dropped: a number of documents, or as a float a
        share of them. Documents to be tested on do not count.
    stop_words : "english", collection of str, or None
        Words that are no terms, nor parts of terms: scikit-learn's English list, or your own.
    lowercase : bool, default True
        Whether "Bacon" and "bacon" are one word.
    analyzer : {"word", "char", "char_wb"}
        What terms are made of: words; characters; or characters within words, which are padded
        with a blank at both ends.
    hashing : int, optional
        Put the terms in this many columns by a hash of their names, as ``HashingVectorizer`` does
        with ``alternate_sign=False, norm=None``. Nothing is kept of their names, so that memory is
        that of the matrix; terms of one column are counted as one.

    Raises
    ------
    ValueError, TypeError
        For a value that is not as above, and for rules that do not go together.

    Examples
    --------
    >>> X, names = TextRules().count(["Bacon and eggs", "eggs, eggs"])
    >>> list(names), X.toarray()
    (['and', 'bacon', 'eggs'], array([[1, 1, 1],
           [0, 0, 2]]))
    >>> X, names = TextRules(ngram_range=(1, 2), min_df=2).count(["two eggs", "the two eggs"])
    >>> list(names)
    ['eggs', 'two', 'two eggs']
    """

    ngram_range: tuple[int, int] = (1, 1)
    min_df: int | float = 1
    max_df: int | float = 1.0
    stop_words: Literal["english"] | Collection[str] | None = None
    lowercase: bool = True
    analyzer: Analyzer = "word"
    hashing: int | None = None

    def __post_init__(self) -> None:
        """Check the rules, each alone and those that depend on each other."""
        _check_ngram_range(self.ngram_range)
        for name in ("min_df", "max_df"):
            _check_df(name, getattr(self, name))
        _check_stop_words(self.stop_words)
        if not isinstance(self.lowercase, bool):
            raise TypeError(f"lowercase must be True or False, got {self.lowercase!r}")
        if not is_one_of(self.analyzer, get_args(Analyzer)):
            hint = did_you_mean(self.analyzer, get_args(Analyzer))
            raise ValueError(
                f"analyzer must be one of {', '.join(get_args(Analyzer))}, "
                f"got {self.analyzer!r}{hint}"
            )
        if self.stop_words is not None and self.analyzer != "word":
            raise ValueError(f"stop_words are words: not with analyzer={self.analyzer!r}")
        if self.hashing is not None:
            _check_whole("hashing", self.hashing, _MOST_HASHED)
            if self._drops:
                raise ValueError("hashing forgets the terms: not with min_df or max_df")

    def count(
        self, texts: Iterable[str], names: npt.NDArray[np.object_] | None = None
    ) -> tuple[sparse.csr_array, npt.NDArray[np.object_] | None]:
        """Count the terms of each text.

        Parameters
        ----------
        texts : iterable of str
            Read once, one after the other.
        names : ndarray of str, optional
            The terms to count, as an earlier call gave them: no others are, and none is dropped.
            By default all that occur, but for those that the rules drop.

        Returns
        -------
        X : csr_array of shape (n_texts, n_terms), int64
            Occurrences, with sorted column indices.
        names : ndarray of str of shape (n_terms,), or None
            The terms, sorted; None if they are hashed.

        Raises
        ------
        MissingExtraError
            For rules other than the plain ones, if scikit-learn is not installed.
        ValueError
            If min_df asks for more documents than max_df allows.
        """
        if self.hashing is not None:
            return self.hashed(texts), None
        X, found = count_words(map(self.cutter(), _checked(texts)), names)
        if names is not None or not self._drops:
            return X, found
        kept = self._kept(X)
        return X[:, kept], found[kept]

    def cutter(self) -> Callable[[str], Iterable[str]]:
        """Give the function that cuts a text into terms."""
        if self._cuts == TextRules()._cuts:
            return lambda text: _WORD.findall(text.lower())
        vectorizers = require("sklearn.feature_extraction.text", "sklearn", self._asks())
        cut: Callable[[str], list[str]] = vectorizers.CountVectorizer(**self._cuts).build_analyzer()
        return cut

    def hashed(self, texts: Iterable[str]) -> sparse.csr_array:
        """Count the hashes of the terms of each text."""
        if self.hashing is None:
            raise ValueError("hashing is None, expected the number of columns to hash texts into")
        vectorizers = require("sklearn.feature_extraction.text", "sklearn", self._asks())
        hasher = vectorizers.HashingVectorizer(
            n_features=self.hashing, alternate_sign=False, norm=None, dtype=np.int64, **self._cuts
        )
        texts = _checked(texts)
        first = list(islice(texts, 1))
        X = hasher.transform(chain(first or [""], texts))  # it refuses to hash nothing at all
        X.sort_indices()
        return sparse.csr_array(X[: None if first else 0])

    @property
    def what_counts(self) -> str:
        """What a text must have, for messages."""
        plain = self._cuts == TextRules()._cuts and not self._drops and self.hashing is None
        return "a word of two or more letters" if plain else "a term by these rules"

    @property
    def _drops(self) -> bool:
        """Whether terms are dropped for their documents: 1 is a number of them and 1.0 all."""
        all_kept = isinstance(self.min_df, Integral) and not isinstance(self.max_df, Integral)
        return not (all_kept and self.min_df == 1 and self.max_df == 1)

    @property
    def _cuts(self) -> dict[str, Any]:
        """The rules that say how a text is cut, as scikit-learn takes them."""
        own = self.stop_words is None or isinstance(self.stop_words, str)
        stop_words: Any = self.stop_words if own else sorted(self.stop_words)  # type: ignore[arg-type]
        return {
            "ngram_range": tuple(self.ngram_range),
            "stop_words": stop_words,
            "lowercase": self.lowercase,
            "analyzer": self.analyzer,
        }

    def _asks(self) -> str:
        """Name the first rule for which our own words do not do."""
        if self.hashing is not None:
            return "hashing"
        plain = TextRules()._cuts
        return next(rule for rule, value in self._cuts.items() if value != plain[rule])

    def _kept(self, X: sparse.csr_array) -> npt.NDArray[np.intp]:
        """Give the columns of the terms that are in enough documents, and in not too many."""
        n_docs, n_terms = X.shape
        at_least, at_most = (
            limit if isinstance(limit, Integral) else limit * n_docs
            for limit in (self.min_df, self.max_df)
        )
        if n_docs and at_most < at_least:
            raise ValueError(
                f"min_df={self.min_df} asks for more documents than max_df={self.max_df} allows, "
                f"of {n_docs}"
            )
        docs = np.bincount(X.indices, minlength=n_terms)
        return np.flatnonzero((docs >= at_least) & (docs <= at_most))


def text_rules(preset: str | None = None, **rules: Any) -> TextRules:
    """Give the rules of that name, with others in place of or beside its own.

    Parameters
    ----------
    preset : {"paper"}, optional
        "paper" is how Tang, Kay and He prepare their texts: the words of a stop list are left out,
        and so are those in fewer than two documents. (The list is scikit-learn's: theirs is not
        named.)
    **rules
        Those of `TextRules`.

    Raises
    ------
    ValueError, TypeError
        For a preset or a rule that is not there, and as `TextRules`.

    Examples
    --------
    >>> text_rules("paper", min_df=5).stop_words, text_rules("paper", min_df=5).min_df
    ('english', 5)
    """
    if preset is not None and not is_one_of(preset, PRESETS):
        hint = did_you_mean(preset, PRESETS)
        raise ValueError(f"preset must be one of {', '.join(PRESETS)}, got {preset!r}{hint}")
    known = [field.name for field in fields(TextRules)]
    for name in rules:
        if name not in known:
            hint = did_you_mean(name, known)
            raise TypeError(f"no rule {name!r} of texts, expected {', '.join(known)}{hint}")
    return TextRules(**{**PRESETS.get(preset or "", {}), **rules})


def count_words(
    documents: Iterable[Iterable[str]], names: npt.NDArray[np.object_] | None = None
) -> tuple[sparse.csr_array, npt.NDArray[np.object_]]:
    """Count the words of each document.

    Parameters
    ----------
    documents : iterable of iterables of str
        The words of each document; read once, one document at a time.
    names : ndarray of str of shape (n_terms,), optional
        Words to count in these columns, and no others. By default all words, sorted.

    Returns
    -------
    X : csr_array of shape (n_docs, n_terms), int64
        Occurrences, with sorted column indices.
    names : ndarray of str of shape (n_terms,)
        The words: the names of the columns.

    Examples
    --------
    >>> X, names = count_words([["b", "a", "b"], [], ["c"]])
    >>> X.toarray()
    array([[1, 2, 0],
           [0, 0, 0],
           [0, 0, 1]])
    >>> list(names)
    ['a', 'b', 'c']
    >>> count_words([["c", "d"]], names)[0].toarray()
    array([[0, 0, 1]])
    """
    # word -> column: as given, or in the order of first appearance
    seen: dict[str, int] = {}
    if names is not None:
        for column, name in enumerate(check_words(names, "names")):
            check_kind(name, str, "each of names")
            seen[name] = column
    rows = GrowingRows(seen, grows=names is None)
    expected = "an iterable of words for each document"
    for number, words in enumerate(check_iterable(documents, "documents", expected)):
        try:
            rows.add(words)
        except TypeError:
            raise TypeError(
                f"documents has {words!r} at {number}, expected an iterable of words"
            ) from None
    X = rows.matrix()
    if names is None:
        names = np.empty(len(seen), dtype=object)
        names[:] = sorted(seen)
        column_of = np.empty(len(seen), dtype=np.int64)
        column_of[[seen[word] for word in names]] = np.arange(len(seen))
        X = sparse.csr_array((X.data, column_of[X.indices], X.indptr), shape=X.shape)
    X.sort_indices()
    return X, names


class GrowingRows:
    """Documents counted into the columns of ``seen``, which new words join if it ``grows``."""

    def __init__(self, seen: dict[str, int], *, grows: bool = True) -> None:
        self._seen, self._grows = seen, grows
        self._columns, self._occurrences = array("q"), array("q")
        self._row_ends = array("q", [0])

    @property
    def n_entries(self) -> int:
        """How many words of documents were counted, each once a document."""
        return len(self._columns)

    def add(self, words: Iterable[str]) -> None:
        """Count the words of one more document."""
        seen, columns, occurrences = self._seen, self._columns, self._occurrences
        for word, times in Counter(words).items():
            if self._grows:
                columns.append(seen.setdefault(word, len(seen)))
            elif word in seen:
                columns.append(seen[word])
            else:
                continue
            occurrences.append(times)
        self._row_ends.append(len(columns))

    def matrix(self) -> sparse.csr_array:
        """Give the documents, with unsorted column indices."""
        parts = self._occurrences, self._columns, self._row_ends
        data, indices, indptr = (np.array(part, dtype=np.int64) for part in parts)
        shape = len(self._row_ends) - 1, len(self._seen)
        return sparse.csr_array((data, indices, indptr), shape=shape)


# ---- checks ----------------------------------------------------------------------------------


def _checked(texts: Iterable[str]) -> Iterator[str]:
    """Iterate over texts; TypeError for what is none."""
    for number, text in enumerate(check_iterable(texts, "texts", "strings")):
        if not isinstance(text, str):
            raise TypeError(f"texts has a {type(text).__name__} at {number}, expected strings")
        yield text


def _check_whole(name: str, value: object, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number, got {value!r}")
    if not 1 <= int(value) <= most:
        raise ValueError(f"{name} must be in [1, {most}], got {value}")


def _check_ngram_range(given: object) -> None:
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise TypeError(f"ngram_range must be two whole numbers, got {given!r}")
    for number in given:
        _check_whole("each of ngram_range", number, _MOST_HASHED)
    if given[0] > given[1]:
        raise ValueError(f"ngram_range must be (from, to), got {tuple(given)}")


def _check_df(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number of documents or a share, got {value!r}")
    if isinstance(value, Integral):
        if int(value) < 1:
            raise ValueError(f"{name} must be at least 1 document, got {value}")
    elif not 0 <= float(value) <= 1:
        raise ValueError(f"{name} must be a share of the documents in [0, 1], got {value}")


def _check_stop_words(given: object) -> None:
    if isinstance(given, str):
        if given != "english":
            raise ValueError(f"stop_words must be 'english' or a list of words, got {given!r}")
    elif given is not None:
        if not isinstance(given, Collection):
            raise TypeError(f"stop_words must be 'english' or a list of words, got {given!r}")
        for word in check_iterable(given, "stop_words", "words"):
            if not isinstance(word, str):
                raise TypeError(f"stop_words must hold words, got {word!r}")
