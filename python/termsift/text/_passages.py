"""Terms in context: a few passages of each term, from documents of each class."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from itertools import chain, product
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from termsift._util import validation
from termsift._util.export import Tabular
from termsift._util.faults import excluded, said, wrong_value
from termsift._util.shown import Column, Section
from termsift.text import TextRules
from termsift.text._documents import Documents
from termsift.text._matrices import count_blocks
from termsift.text._places import PlaceFinder

_BLANKS = re.compile(r"\s+")
_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"

_SHOWN = 50  # The largest number of passages that a table shows.

# Maps each class to a dict from terms to their passages.
Passages: TypeAlias = "dict[Hashable, dict[str, list[Passage]]]"


class Passage(NamedTuple):
    """A match of a query in its context in a document.

    Attributes
    ----------
    before, match, after : str
        The text before the match, the words that match the query as the document writes them, and
        the text after the match. Runs of white space become one blank, and an ellipsis marks
        omitted text.
    document : int
        The number of the document in the order of reading, from 0.
    """

    before: str
    match: str
    after: str
    document: int


class FoundPassages(dict[Hashable, "dict[str, list[Passage]]"], Tabular):
    """The passages of each class: a dict with the methods of a table."""

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name: class, query, document, before, match and after."""
        rows = [
            (label, query, passage)
            for label, of_class in self.items()
            for query, of_query in of_class.items()
            for passage in of_query
        ]
        documents = np.array([passage.document for *_, passage in rows], dtype=np.int64)
        columns = {
            "class": validation.object_array([label for label, *_ in rows]),
            "query": validation.object_array([query for _, query, _ in rows]),
            "document": documents,
        }
        for name in ("before", "match", "after"):
            texts = [getattr(passage, name) for *_, passage in rows]
            columns[name] = validation.object_array(texts)
        return columns

    def _title(self) -> str:
        n = sum(len(of_term) for of_class in self.values() for of_term in of_class.values())
        return f"{validation.number_of(n, 'passage')} in {validation.number_of(len(self), 'class')}"

    def _sections(self) -> list[Section]:
        found = [
            (label, passage)
            for label, of_class in self.items()
            for of_term in of_class.values()
            for passage in of_term
        ]
        some = found[:_SHOWN]
        columns = [
            Column("class", [label for label, _ in some]),
            Column("document", [passage.document for _, passage in some], "d"),
            Column("before", [passage.before for _, passage in some], longest=None, right=True),
            Column("match", [passage.match for _, passage in some]),
            Column("after", [passage.after for _, passage in some], longest=None),
        ]
        return [Section(columns, len(found) - len(some))]


def passages_of(
    documents: Documents,
    queries: str | Iterable[str] | Mapping[Any, str | Iterable[str]],
    rules: TextRules,
    *,
    n_passages: int = 3,
    width: int = 60,
    one_per_document: bool = False,
    n_threads: int | None = None,
) -> Passages:
    """Find passages in a stream of texts; see `termsift.find_passages`."""
    n_passages = validation.check_integer(n_passages, "n_passages")
    width = validation.check_integer(width, "width")
    threads = validation.check_n_threads(n_threads)
    if rules.hashing is not None:
        raise excluded("hashed terms have no names to look for: leave out {hashing}")
    by_class = _wanted(queries)
    rules = replace(rules, min_df=1, max_df=1.0, max_features=None, vocabulary=None)
    finder = PlaceFinder(rules)
    asked = dict.fromkeys(chain.from_iterable(by_class.values()))
    terms_of = {query: finder.terms_of(query) for query in asked}
    vocabulary = list(dict.fromkeys(chain.from_iterable(terms_of.values())))
    is_words = rules.analyzer not in ("char", "char_wb")
    longest = max(term.count(" ") + 1 if is_words else len(term) or 1 for term in vocabulary)
    cutting = replace(rules, ngram_range=(1, longest), vocabulary=vocabulary)
    everywhere = by_class.pop(None, None)
    found: dict[Any, dict[str, list[Passage]]] = {}  # the passages of each class and term
    for label, of_class in by_class.items():
        found[label] = {term: [] for query in of_class for term in terms_of[query]}
    with documents.placing():
        for block in documents:
            labels = block.labels_of()
            if everywhere is not None:
                for label in chain.from_iterable(labels):
                    if label not in by_class:
                        by_class[label] = everywhere
                        found[label] = {term: [] for term in vocabulary}
            X, _ = count_blocks([block.texts], cutting, threads)
            for document in np.flatnonzero(np.diff(X.indptr)).tolist():
                columns = X.indices[X.indptr[document] : X.indptr[document + 1]].tolist()
                lists = [
                    (term, of_term)
                    for label, column in product(labels[document], columns)
                    if (of_term := found.get(label, {}).get(term := vocabulary[column])) is not None
                    and len(of_term) < n_passages
                ]
                if not lists:
                    continue
                wanted: dict[str, int] = {}
                for term, of_term in lists:
                    n_more = 1 if one_per_document else n_passages - len(of_term)
                    wanted[term] = max(wanted.get(term, 0), n_more)
                content, number = block.texts[document] or "", int(block.rows[document])
                places = finder.find(content, wanted)
                for term, of_term in lists:
                    for place in places.get(term, [])[: n_passages - len(of_term)]:
                        of_term.append(_passage(content, *place, width, number))
            # If all classes are searched, a later text may have a new class, so reading goes on.
            if everywhere is None and all(
                len(found[label][terms_of[query][0]]) == n_passages
                for label, of_class in by_class.items()
                for query in of_class
            ):
                break
            del block  # free the block before the next block is read
    meant: dict[str, str] = {}  # the first term of a query that is found anywhere, or the last
    for query, terms in terms_of.items():
        searched = [found[label] for label, of_class in by_class.items() if query in of_class]
        present = (term for term in terms if any(lists[term] for lists in searched))
        meant[query] = next(present, terms[-1])
    return {
        label: {query: list(found[label][meant[query]]) for query in of_class}
        for label, of_class in by_class.items()
    }


def _wanted(queries: Any) -> dict[Any, list[str]]:
    """Return the queries of each class. The key None stands for all classes."""
    by_class = dict(queries) if isinstance(queries, Mapping) else {None: queries}
    wanted = {label: validation.check_words(some, "queries") for label, some in by_class.items()}
    for query in chain.from_iterable(wanted.values()):
        validation.check_kind(query, str, said("each of {queries}"))
    if not any(wanted.values()):
        raise wrong_value("{queries} must hold at least one word or phrase")
    return wanted


def _passage(text: str, start: int, end: int, width: int, document: int) -> Passage:
    """Return the passage around the characters from ``start`` to ``end`` of a text."""
    before = _ELLIPSIS * (start > width) + text[max(0, start - width) : start].lstrip()
    after = text[end : end + width].rstrip() + _ELLIPSIS * (end + width < len(text))
    before, match, after = (_BLANKS.sub(" ", part) for part in (before, text[start:end], after))
    return Passage(before, match, after, document)
