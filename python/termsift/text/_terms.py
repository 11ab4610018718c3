"""What the core needs to know of rules: how it cuts texts, and which terms stay.

``rules`` is a `TextRules` or a ``CountVectorizer``; their attributes have the same names.
"""

from __future__ import annotations

from collections.abc import Collection
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from termsift._util.validation import is_integer, number_of

if TYPE_CHECKING:
    import numpy.typing as npt

TOKEN_PATTERN = r"(?u)\b\w\w+\b"  # CountVectorizer's
Arguments: TypeAlias = tuple[Any, ...]


def native_arguments(rules: Any, stop_words: Collection[str] | None) -> Arguments | None:
    """Return the arguments of `_core.TextRules`, or None if the core cannot cut by these rules."""
    least, most = rules.ngram_range
    is_word = rules.analyzer == "word"
    longest = 1000 if is_word else 2**31  # the core has tables for every length of n-grams of words
    if (
        not isinstance(rules.analyzer, str)
        or rules.preprocessor is not None
        or not (rules.strip_accents is None or isinstance(rules.strip_accents, str))
        or (is_word and (rules.tokenizer is not None or rules.token_pattern != TOKEN_PATTERN))
        or not (is_integer(least) and is_integer(most) and 1 <= least <= most < longest)
    ):
        return None
    # Only strings can be words, so that others stop none.
    stopped = stop_words if is_word and stop_words is not None else ()
    words = sorted(word for word in stopped if isinstance(word, str))
    cut = rules.analyzer, bool(rules.lowercase), rules.strip_accents
    return *cut, int(least), int(most), words


def drops(rules: Any) -> bool:
    """Return whether some terms may be dropped. As min_df and max_df, 1 is one document."""
    everything = is_integer(rules.min_df) and rules.min_df == 1
    everything = everything and not is_integer(rules.max_df) and rules.max_df == 1
    return not everything or rules.max_features is not None


def limits(rules: Any, n_docs: int) -> tuple[float, float]:
    """Return the fewest and the most documents that min_df and max_df allow a term to be in."""
    both: list[Any] = [
        limit if isinstance(limit, Integral) else limit * n_docs
        for limit in (rules.min_df, rules.max_df)
    ]
    return both[0], both[1]


def kept_terms(
    rules: Any, n_docs: int, documents: npt.NDArray[Any], occurrences: npt.NDArray[Any]
) -> npt.NDArray[np.bool_]:
    """Return which of the sorted terms stay, by min_df, max_df and max_features.

    Of each term, ``documents`` and ``occurrences`` are how many documents it is in and how often it
    occurs, which is once in a document if the rules are ``binary``.
    """
    low, high = limits(rules, n_docs)
    if n_docs and high < low:
        raise ValueError(
            f"of {number_of(n_docs, 'document')}, min_df={rules.min_df} asks for terms in "
            f"{float(low):g} or more and max_df={rules.max_df} for terms in {float(high):g} or "
            "fewer; lower min_df (--min-df) or raise max_df (--max-df)"
        )
    kept = (documents <= high) & (documents >= low)
    most = rules.max_features
    if most is not None and kept.sum() > most:
        # numpy's default sort is not stable: only the same expression breaks ties as scikit-learn
        # does. `occurrences` must have the dtype that it has there.
        best = np.flatnonzero(kept)[(-occurrences[kept]).argsort()[:most]]
        kept[:] = False
        kept[best] = True
    return kept
