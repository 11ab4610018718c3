"""Terms in context: a few passages of each term, from documents of each class."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import compress, pairwise
from typing import Any, NamedTuple, TypeAlias

from termsift import _core
from termsift._api.labelled_texts import LabelledTexts
from termsift._api.text_counting import check_rules
from termsift._util import validation
from termsift._util.printable import printable_errors
from termsift.text import TextRules
from termsift.text._counting import count_blocks

_BLANKS = re.compile(r"\s+")
_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
_OPTIONS = ("text", "label", "n_passages", "width", "rules")

# The passages of each class by term.
Passages: TypeAlias = "dict[Hashable, dict[str, list[Passage]]]"
# Texts, and the label or labels of each.
Blocks: TypeAlias = Iterable[tuple[_core.Texts, list[list[Hashable]]]]


class Passage(NamedTuple):
    """A term as it stands in a document.

    Attributes
    ----------
    before, term, after : str
        The text before the term, the term as it is written there, and the text after it, which
        together are the passage. White space is one blank, and an ellipsis stands where the text
        goes on.
    document : int
        The place of the document among all that were read, from 0.
    """

    before: str
    term: str
    after: str
    document: int


@printable_errors()
def find_passages(
    texts: Any,
    y: Any = None,
    terms: str | Iterable[str] | Mapping[Any, str | Iterable[str]] = (),
    *,
    text: Any = None,
    label: Any = None,
    n_passages: int = 3,
    width: int = 60,
    rules: TextRules | None = None,
    **keywords: Any,
) -> Passages:
    """Find a few passages of each term in documents of each class.

    Parameters
    ----------
    texts, y, text, label
        As for `termsift.count_texts`.
    terms : str, sequence of str, or mapping
        The terms, as they are named in counts. A mapping has the terms that are wanted for each
        class; otherwise they are wanted for all classes.
    n_passages : int, default 3
        How many passages of a term in a class, each from another document: the first ones.
    width : int, default 60
        How many characters to show before the term, and after it.
    rules, **keywords
        As for `termsift.count_texts`: the rules by which the terms were counted.

    Returns
    -------
    passages : dict
        The passages of each class by term. A term that no document of the class contains has none.

    Raises
    ------
    ValueError, TypeError
        As for `termsift.count_texts`, and for rules that hash terms, which then have no names.

    Notes
    -----
    A document has a term if counting finds it there. Reading ends when every list is full, and
    memory is bounded by the passages, however many texts there are.

    Examples
    --------
    >>> import termsift as ts
    >>> texts = ["Bacon and eggs at noon", "Lunch at noon? Bacon!", "Free pills", "A free prize"]
    >>> found = ts.find_passages(texts, ["ham", "ham", "spam", "spam"], ["noon", "free"], width=9)
    >>> for passage in found["ham"]["noon"]:
    ...     print(f"{passage.before:>9}[{passage.term}]{passage.after}")
    …eggs at [noon]
    Lunch at [noon]? Bacon!
    >>> found["spam"]["noon"]
    []
    """
    rules = check_rules(rules, keywords, _OPTIONS)
    documents = LabelledTexts(texts, y, text=text, label=label)

    def blocks() -> Iterator[tuple[_core.Texts, list[list[Hashable]]]]:
        for block, labels, _ in documents:
            codes = labels.codes.tolist()
            if labels.indptr is None:
                yield block, [[labels.classes[code]] for code in codes]
            else:
                ends = labels.indptr.tolist()
                of_each = (codes[a:b] for a, b in pairwise(ends))
                yield block, [[labels.classes[code] for code in own] for own in of_each]

    return passages_of(blocks(), terms, rules, n_passages=n_passages, width=width)


def passages_of(
    blocks: Blocks,
    terms: str | Iterable[str] | Mapping[Any, str | Iterable[str]],
    rules: TextRules,
    *,
    n_passages: int = 3,
    width: int = 60,
) -> Passages:
    """Find passages in blocks of texts with their labels; see `find_passages`."""
    n_passages = validation.check_integer(n_passages, "n_passages")
    width = validation.check_integer(width, "width")
    if rules.hashing is not None:
        raise ValueError("hashed terms have no names to look for: leave out hashing (--hashing)")
    by_class = _wanted(terms)
    listed = list(dict.fromkeys(term for own in by_class.values() for term in own))
    found: Passages = {label: {term: [] for term in own} for label, own in by_class.items()}
    everywhere = found.pop(None, None)
    n_before = 0
    cutting = replace(rules, vocabulary=listed, min_df=1, max_df=1.0, max_features=None)
    for texts, labels in blocks:
        if everywhere is not None:
            for own in labels:
                for label in own:
                    found.setdefault(label, {term: [] for term in everywhere})
        X, _ = count_blocks([texts], cutting, 0)
        for document, own in enumerate(labels):
            columns = X.indices[X.indptr[document] : X.indptr[document + 1]].tolist()
            for label in own if columns else ():
                lists = found.get(label, {})
                for column in columns:
                    passages = lists.get(listed[column])
                    if passages is not None and len(passages) < n_passages:
                        content = texts[document] or ""
                        passages.append(
                            _passage(content, listed[column], rules, width, n_before + document)
                        )
        n_before += len(labels)
        # A class that is still to come may hold terms that are wanted everywhere.
        if everywhere is None and all(
            len(passages) == n_passages for own in found.values() for passages in own.values()
        ):
            break
    return found


def _wanted(terms: Any) -> dict[Any, list[str]]:
    """Return the terms of each class; None stands for all classes."""
    by_class = terms if isinstance(terms, Mapping) else {None: terms}
    wanted = {label: validation.check_words(own, "terms") for label, own in by_class.items()}
    for own in wanted.values():
        for term in own:
            validation.check_kind(term, str, "each of terms")
    if not any(wanted.values()):
        raise ValueError("terms names no term")
    return wanted


# ---- where a term stands ---------------------------------------------------------------------


def _passage(text: str, term: str, rules: TextRules, width: int, document: int) -> Passage:
    start, end = _place(text, term, rules)
    while 0 < end < len(text) and unicodedata.combining(text[end]):
        end += 1  # an accent that the rules remove
    before, after = text[max(0, start - width) : start], text[end : end + width]
    if start > width:
        between = text[start - width - 1].isspace() or before[0].isspace()
        before = _ELLIPSIS + (before.lstrip() if between else _whole(before, 1))
    if end + width < len(text):
        between = text[end + width].isspace() or after[-1].isspace()
        after = (after.rstrip() if between else _whole(after, 0)) + _ELLIPSIS
    before, term, after = (
        _BLANKS.sub(" ", part) for part in (before.lstrip(), text[start:end], after.rstrip())
    )
    return Passage(before, term, after, document)


def _whole(part: str, which: int) -> str:
    """Leave out the piece of a word at the beginning (1) or at the end (0) of a part."""
    pieces = part.split(maxsplit=1) if which else part.rsplit(maxsplit=1)
    return pieces[which] if len(pieces) == 2 else part


def _place(text: str, term: str, rules: TextRules) -> tuple[int, int]:
    """Return where a term stands in a text that has it, or the text's beginning if it is unknown.

    The text is cut as scikit-learn does: normalised, and then searched for words. Each character
    of the normalised text comes from one of the text.
    """
    normal, origin = _normalised(text, rules)
    words: list[tuple[str, int, int]] = []
    if rules.analyzer == "word" and rules.tokenizer is None:
        pattern = re.compile(rules.token_pattern or "")
        group = 1 if pattern.groups == 1 else 0
        words = [(m[group], *m.span(group)) for m in pattern.finditer(normal)]
        stopped = _stop_words(rules)
        words = [word for word in words if word[0] not in stopped]
    n = term.count(" ") + 1
    for i in range(len(words) - n + 1):
        if " ".join(word for word, _, _ in words[i : i + n]) == term:
            return origin[words[i][1]], origin[words[i + n - 1][2] - 1] + 1
    wanted = re.escape(term.strip())
    # A word by itself, if there is one, or a part of a word.
    by_itself = re.compile(rf"(?<![^\W_]){wanted}(?![^\W_])")
    at = by_itself.search(normal) or re.compile(wanted).search(normal)
    if at is None or not wanted:
        return 0, 0
    return origin[at.start()], origin[at.end() - 1] + 1


def _stop_words(rules: TextRules) -> frozenset[str]:
    if isinstance(rules.stop_words, str):
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # the rules needed it too

        return frozenset(ENGLISH_STOP_WORDS)
    return frozenset(rules.stop_words or ())


def _normalised(text: str, rules: TextRules) -> tuple[str, list[int] | range]:
    """Return a text without case and accents, and the place that each character comes from."""
    if rules.preprocessor is not None or callable(rules.strip_accents):
        return text, range(len(text))
    lower = text.lower() if rules.lowercase else text
    if rules.strip_accents is None and len(lower) == len(text):
        return lower, range(len(text))
    pieces, origin = [], list[int]()
    for place, character in enumerate(text):
        piece = character.lower() if rules.lowercase else character
        if rules.strip_accents is not None:
            piece = unicodedata.normalize("NFKD", piece)
            is_ascii = rules.strip_accents == "ascii"
            kept = (x.isascii() if is_ascii else not unicodedata.combining(x) for x in piece)
            piece = "".join(compress(piece, kept))
        pieces.append(piece)
        origin += [place] * len(piece)
    return "".join(pieces), origin
