"""The rules by which texts become terms: how they are cut, and which terms are kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, fields
from itertools import chain, islice
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from scipy import sparse

from termsift._util.extras import require
from termsift._util.validation import (
    check_choice,
    check_flag,
    check_integer,
    check_iterable,
    did_you_mean,
    is_integer,
)
from termsift.text._counting import count_words

if TYPE_CHECKING:
    import numpy.typing as npt

_WORD = re.compile(r"\b\w\w+\b")  # CountVectorizer's token_pattern
Analyzer: TypeAlias = Literal["word", "char", "char_wb"]
_MOST_HASHED = 2**31 - 1  # scikit-learn's hasher keeps columns in 32 bits

# Rules by name. "paper": "we ignore those words in a stoplist, and discard those words that appear
# in less than 2 documents" (Tang, Kay and He 2016, Section 5.1). The paper does not name its list,
# so this is scikit-learn's.
PRESETS: dict[str, dict[str, Any]] = {"paper": {"stop_words": "english", "min_df": 2}}


@dataclass(frozen=True)
class TextRules:
    """How texts are cut into terms, and which terms are kept.

    Rules, matrix and vocabulary are those of scikit-learn's ``CountVectorizer``. A word is two or
    more letters, digits or underscores.

    Attributes
    ----------
    ngram_range : (int, int), default (1, 1)
        The least and the largest number of words (or of characters) in a term.
    min_df, max_df : int or float, default 1 and 1.0
        Terms in fewer or in more documents are dropped. An integer is a number of documents, a
        float a share of them. Test documents do not count.
    stop_words : "english", collection of str, or None
        Words that are left out of all terms: scikit-learn's English list, or your own.
    lowercase : bool, default True
        Whether "Bacon" and "bacon" are the same word.
    analyzer : {"word", "char", "char_wb"}
        Whether terms consist of words, of characters, or of characters within words, which are
        padded with a blank at both ends.
    hashing : int, optional
        Number of columns that terms are hashed into, as by ``HashingVectorizer`` with
        ``alternate_sign=False, norm=None``. No names are kept, so the memory is that of the matrix.
        Terms with the same hash are counted as one.

    Examples
    --------
    >>> X, names = TextRules().count(["Bacon and eggs", "eggs, eggs"])
    >>> list(names), X.toarray()
    (['and', 'bacon', 'eggs'], array([[1, 1, 1],
           [0, 0, 2]]))
    """

    ngram_range: tuple[int, int] = (1, 1)
    min_df: int | float = 1
    max_df: int | float = 1.0
    stop_words: Literal["english"] | Collection[str] | None = None
    lowercase: bool = True
    analyzer: Analyzer = "word"
    hashing: int | None = None

    def __post_init__(self) -> None:
        """Check each rule, and the rules that depend on each other."""
        _check_ngram_range(self.ngram_range)
        for name in ("min_df", "max_df"):
            _check_df(name, getattr(self, name))
        _check_stop_words(self.stop_words)
        check_flag(self.lowercase, "lowercase")
        check_choice(self.analyzer, get_args(Analyzer), "analyzer")
        if self.stop_words is not None and self.analyzer != "word":
            raise ValueError(f"stop_words needs analyzer='word', got {self.analyzer!r}")
        if self.hashing is not None:
            check_integer(self.hashing, "hashing", 1, _MOST_HASHED)
            if self._drops:
                raise ValueError("hashing keeps no terms: not with min_df or max_df")

    def count(
        self, texts: Iterable[str], names: npt.NDArray[np.object_] | None = None
    ) -> tuple[sparse.csr_array, npt.NDArray[np.object_] | None]:
        """Count the terms of each text.

        Parameters
        ----------
        texts : iterable of str
            Texts, which are read once and one at a time.
        names : ndarray of str, optional
            The only terms to count, from an earlier call; none is dropped.

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
        """Return the function that cuts a text into terms."""
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
        """The least that a text must hold, for messages."""
        plain = self._cuts == TextRules()._cuts and not self._drops and self.hashing is None
        return "a word of two or more letters" if plain else "a term by these rules"

    @property
    def _drops(self) -> bool:
        """Whether min_df or max_df drops terms; 1 is one document and 1.0 all documents."""
        all_kept = is_integer(self.min_df) and not is_integer(self.max_df)
        return not (all_kept and self.min_df == 1 and self.max_df == 1)

    @property
    def _cuts(self) -> dict[str, Any]:
        """The rules by which a text is cut, as scikit-learn takes them."""
        own = self.stop_words is None or isinstance(self.stop_words, str)
        stop_words: Any = self.stop_words if own else sorted(self.stop_words)  # type: ignore[arg-type]
        return {
            "ngram_range": tuple(self.ngram_range),
            "stop_words": stop_words,
            "lowercase": self.lowercase,
            "analyzer": self.analyzer,
        }

    def _asks(self) -> str:
        """Return the name of the first rule that needs scikit-learn."""
        if self.hashing is not None:
            return "hashing"
        plain = TextRules()._cuts
        return next(rule for rule, value in self._cuts.items() if value != plain[rule])

    def _kept(self, X: sparse.csr_array) -> npt.NDArray[np.intp]:
        """Return the columns of the terms in at least min_df and at most max_df documents."""
        n_docs, n_terms = X.shape
        at_least, at_most = (
            limit if is_integer(limit) else limit * n_docs for limit in (self.min_df, self.max_df)
        )
        if n_docs and at_most < at_least:
            raise ValueError(
                f"min_df={self.min_df} asks for more documents than max_df={self.max_df} allows, "
                f"of {n_docs}"
            )
        docs = np.bincount(X.indices, minlength=n_terms)
        return np.flatnonzero((docs >= at_least) & (docs <= at_most))


def text_rules(preset: str | None = None, **rules: Any) -> TextRules:
    """Return the rules of a preset, with some of them replaced or added.

    Parameters
    ----------
    preset : {"paper"}, optional
        "paper" stands for the rules of Tang, Kay and He: words of a stop list and words in fewer
        than two documents are left out.
    **rules
        Rules of `TextRules`.

    Examples
    --------
    >>> text_rules("paper", min_df=5).stop_words, text_rules("paper", min_df=5).min_df
    ('english', 5)
    """
    if preset is not None:
        check_choice(preset, PRESETS, "preset")
    known = [field.name for field in fields(TextRules)]
    for name in rules:
        if name not in known:
            hint = did_you_mean(name, known)
            raise TypeError(
                f"texts have no rule {name!r}, expected one of {', '.join(known)}{hint}"
            )
    return TextRules(**{**PRESETS.get(preset or "", {}), **rules})


# ---- checks ----------------------------------------------------------------------------------


def _checked(texts: Iterable[str]) -> Iterator[str]:
    """Iterate over texts; refuse what is not a string."""
    for number, text in enumerate(check_iterable(texts, "texts", "strings")):
        if not isinstance(text, str):
            raise TypeError(f"texts has a {type(text).__name__} at {number}, expected strings")
        yield text


def _check_ngram_range(given: object) -> None:
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise TypeError(f"ngram_range must be two integers, got {given!r}")
    for number in given:
        check_integer(number, "each of ngram_range")
    if given[0] > given[1]:
        raise ValueError(f"ngram_range must be (from, to), got {tuple(given)}")


def _check_df(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number of documents or a share, got {value!r}")
    if is_integer(value):
        if value < 1:
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
