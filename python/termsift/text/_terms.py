"""Convert rules for the core or for Python, and select the terms that the rules keep.

``rules`` is a `TextRules` or a ``CountVectorizer``, which have attributes with the same names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from termsift._util.faults import named, wrong_value
from termsift._util.validation import is_integer, number_of

TOKEN_PATTERN = r"(?u)\b\w\w+\b"  # the default of CountVectorizer
Arguments: TypeAlias = tuple[Any, ...]


def native_arguments(rules: Any, stop_words: Collection[str] | None) -> Arguments | None:
    """Return the arguments of `_core.TextRules`, or None if the core cannot cut by these rules."""
    least, most = rules.ngram_range
    is_word = rules.analyzer == "word"
    longest = 1000 if is_word else 2**31  # the core keeps a table for each length of n-grams
    if (
        not isinstance(rules.analyzer, str)
        or rules.preprocessor is not None
        or not (rules.strip_accents is None or isinstance(rules.strip_accents, str))
        or (is_word and rules.tokenizer is not None)
        or not (is_integer(least) and is_integer(most) and 1 <= least <= most < longest)
    ):
        return None
    pattern = None
    if is_word and rules.token_pattern != TOKEN_PATTERN:
        from termsift.text._patterns import translated  # which the default need not load

        # The vectorizers leave it to scikit-learn to refuse what is no string.
        known = translated(rules.token_pattern) if isinstance(rules.token_pattern, str) else None
        if known is None or (most > 1 and known.may_hold_blanks):
            return None
        pattern = known.native
    # Leave out stop words that are not strings, because no word equals them.
    stopped = stop_words if is_word and stop_words is not None else ()
    words = sorted(word for word in stopped if isinstance(word, str))
    cut = rules.analyzer, bool(rules.lowercase), rules.strip_accents
    return *cut, int(least), int(most), words, rules.normalize, pattern


def drops(rules: Any) -> bool:
    """Return whether terms may be dropped. The limit 1 is one document, 1.0 is all documents."""
    everything = is_integer(rules.min_df) and rules.min_df == 1
    everything = everything and not is_integer(rules.max_df) and rules.max_df == 1
    return not everything or rules.max_features is not None


def limits(rules: Any, n_docs: int) -> tuple[float, float]:
    """Return the least and the largest number of documents that may contain a kept term."""
    both: list[Any] = [
        limit if isinstance(limit, Integral) else limit * n_docs
        for limit in (rules.min_df, rules.max_df)
    ]
    return both[0], both[1]


def kept_terms(
    rules: Any, n_docs: int, documents: NDArray[Any], occurrences: NDArray[Any]
) -> NDArray[np.bool_]:
    """Return a mask of the sorted terms that min_df, max_df and max_features keep."""
    low, high = limits(rules, n_docs)
    if n_docs and high < low:
        raise wrong_value(
            "{min_df=} requires {low:g} or more of {documents}, but {max_df=} allows {high:g} or "
            "fewer; lower {least} or raise {most}",
            min_df=rules.min_df,
            max_df=rules.max_df,
            low=float(low),
            high=float(high),
            documents=number_of(n_docs, "document"),
            least=named("min_df"),
            most=named("max_df"),
        )
    kept = (documents <= high) & (documents >= low)
    most = rules.max_features
    if most is not None and kept.sum() > most:
        # numpy's default sort is not stable. To break ties as scikit-learn does, the expression and
        # the dtype of `occurrences` must be the same as in scikit-learn.
        best = np.flatnonzero(kept)[(-occurrences[kept]).argsort()[:most]]
        kept[:] = False
        kept[best] = True
    return kept


def quick(vectorizer: Any, cut: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return what scikit-learn's analyzer ``cut`` does, in fewer calls for each document.

    For short texts, the calls take longer than a tokenizer.
    """
    one_word = tuple(vectorizer.ngram_range) == (1, 1) and vectorizer.stop_words is None
    own = ("preprocessor", "strip_accents", "normalize")  # only our vectorizers have `normalize`
    usual = all(getattr(vectorizer, name, None) is None for name in own)
    if vectorizer.input != "content" or vectorizer.analyzer != "word" or not (one_word and usual):
        return cut
    tokenize = vectorizer.build_tokenizer()
    if vectorizer.lowercase:
        return lambda text: tokenize(text.lower()) if type(text) is str else cut(text)
    return lambda text: tokenize(text) if type(text) is str else cut(text)
