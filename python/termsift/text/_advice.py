"""Warnings about rules that cannot work, and about documents that look like a mistake.

Each warning is given once for a collection, after counting, and says what to do. Only functions
that read a whole collection warn, so a grid search or a cross-validation does not.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from termsift import _core
from termsift._util.faults import Message, all_named, named, said
from termsift._util.messages import levels_to_caller
from termsift._util.validation import grouped, listed, number_of
from termsift.text._cutting import Cutting
from termsift.text._matrices import counter_of

if TYPE_CHECKING:
    from termsift.text._rules import TextRules

ENOUGH = 20  # Smaller collections are examples, in which every class may have one document.
_SHARE = 0.9  # With so many classes per document, labels are no classes.
_SHOWN = 5
_FEW = 1000  # One stray mark in so many words is no reason to warn.


def warn(messages: Iterable[Message]) -> None:
    """Give each warning at the line that called the package."""
    for message in messages:
        warnings.warn(message, stacklevel=levels_to_caller())


def about_rules(rules: TextRules) -> Iterator[Message]:
    """Yield a message for each kind of rule that has no effect, or that cannot match."""
    if unused := rules.unused:
        by = next(n for n in ("analyzer", "tokenizer", "preprocessor") if n in rules.changed)
        has, it = ("has", "it") if len(unused) == 1 else ("have", "them")
        function = not isinstance(getattr(rules, by), str)
        yield said(
            "{unused} {has} no effect with this {by}: leave {it} out{or_else}",
            or_else=f", or let the function apply {it}" if function else "",
            unused=all_named(unused),
            has=has,
            by=named(by),
            it=it,
        )
    if rules.cuts_by_pattern:
        from termsift.text._patterns import may_be_empty  # which the default need not load

        if may_be_empty(str(rules.token_pattern)):
            yield said(
                "{token_pattern} matches the empty text, so that '' is counted as a word: write + "
                "in place of *, so that a word has a character"
            )
    if rules.stop_words is None and rules.vocabulary is None:
        return
    plain = rules.for_words
    if plain.native is None and plain.prepared is None:
        return  # a function or scikit-learn, which warns itself, cuts the stop words
    if rules.stop_words is not None and not isinstance(rules.stop_words, str):
        words = sorted(set(rules.stop_words))
        found = _terms_of(words, rules.for_words)
        if missing := sorted(found.difference(words)):
            yield said(
                "some stop words cannot match, because these rules turn them into {words}{more}: "
                "add these words to {stop_words}",
                words=listed(missing[:_SHOWN]),
                more=_more(missing),
            )
    if rules.vocabulary is not None and rules.stem is None:
        terms = list(rules.vocabulary)
        found = _terms_of(terms, replace(rules, vocabulary=None))
        if missing := [term for term in terms if term not in found]:
            yield said(
                "{n:,} of {n_terms:,} terms of the {vocabulary} cannot match by these rules: "
                "{words}{more}; write terms as the rules cut texts (see {lowercase}, "
                "{ngram_range} and {stop_words})",
                n=len(missing),
                n_terms=len(terms),
                words=listed(missing[:_SHOWN]),
                more=_more(missing),
            )


def _terms_of(texts: list[str], rules: TextRules) -> set[str]:
    """Return the terms of texts, or the texts if a function fails, which may know no stop words."""
    cutting = Cutting(rules)
    try:
        pieces = cutting.pieces(_core.Texts.of_strings(texts))
        counter, _ = counter_of(pieces, cutting.native, 1)
    except Exception:
        return set(texts)
    return set(counter.terms())


def _more(some: Sequence[Any]) -> str:
    return f" and {len(some) - _SHOWN:,} more" * (len(some) > _SHOWN)


def about_words(rules: Any, counted: Any, least: int = 1) -> Iterator[Message]:
    """Yield a message if many words are cut at combining marks, which are no letters.

    There is no message if fewer than ``least`` are cut. ``counted`` has the attributes ``n_words``
    and ``n_before_marks`` of `_core.TextCounter`, and ``rules`` may be a vectorizer.
    """
    n = counted.n_before_marks
    if n < least or n * _FEW < counted.n_words:
        return
    accents = (
        '{normalize="NFC"} joins accents with their letters, and '
        if rules.normalize is None
        else ""
    )
    yield said(
        "combining marks cut words in {places}, as in {pieces}, because marks are not letters: "
        + accents
        + "a {token_pattern} with marks, as on the page Scripts of the documentation, keeps words "
        "of scripts such as Hindi whole",
        places=number_of(n, "place"),
        pieces="'re\u0301sume\u0301', of which 're' and 'sume' are left",
    )


def about_documents(
    classes: Sequence[Hashable],
    class_docs: Sequence[float],
    n_docs: float,
    first_label: Hashable = None,
    n_empty: int = 0,
    *,
    first_is_word: bool = False,
) -> Iterator[Message]:
    """Yield a message for each sign that texts or labels are not what they should be.

    The time is O(classes). ``first_label`` is the label of the first document, if it is known, and
    ``first_is_word`` says that this document has at most one word if no other has its label. Then a
    header is likely, even in an example.
    """
    docs_of = {c: n for c, n in zip(classes, class_docs, strict=True) if n}
    others = [n for c, n in docs_of.items() if c != first_label]
    is_large, shown = n_docs >= ENOUGH, grouped(n_docs)
    if is_large and len(docs_of) > _SHARE * n_docs:
        yield said(
            "{n_docs} documents have {n:,} different labels: if texts and labels are swapped, pass "
            "the texts first, or name the columns by {text=} and {label=}",
            n_docs=shown,
            n=len(docs_of),
        )
    elif (
        (is_large or first_is_word)
        and isinstance(first_label, str)
        and docs_of.get(first_label) == 1
        and len(others) > 1
        and min(others) > 1
    ):
        yield said(
            "the label of the first document, {first!r}, occurs nowhere else: if the first row is "
            "a header, leave it out, or name the columns by {text=} and {label=}",
            first=first_label,
        )
    by_key: dict[str, list[str]] = {}
    for label in docs_of:
        if isinstance(label, str):
            by_key.setdefault(" ".join(label.split()).casefold(), []).append(label)
    if alike := [labels for labels in by_key.values() if len(labels) > 1]:
        yield said(
            "the classes {labels} differ only in blanks or case{others}: if they are one class, "
            "make their labels equal, or merge them with ClassCounts.subset",
            labels=" and ".join(map(repr, alike[0])),
            others=f" (and so do {len(alike) - 1:,} other groups)" if len(alike) > 1 else "",
        )
    if is_large and n_empty:
        yield said(
            "{n_empty:,} of {n_docs} texts {are} empty, and counted as documents without terms: if "
            "texts are missing, leave out their documents",
            n_empty=n_empty,
            n_docs=shown,
            are="is" if n_empty == 1 else "are",
        )
