"""Cut texts into terms for the counters of the core, which cut most texts themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from operator import length_hint
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from termsift import _core
from termsift._util.faults import named, said
from termsift._util.messages import printable
from termsift.text._blocks import text_blocks
from termsift.text._documents import of_document

if TYPE_CHECKING:
    from termsift.text._rules import TextRules

# The arguments of `_core.TextRules` for lists of terms, which the core counts as they are.
TOKENS: tuple[Any, ...] = ("tokens", False, None, 1, 1, [])
_MOST_AT_ONCE = 2**16  # the most documents of a piece
_END = object()


class Bounds(NamedTuple):
    """Which terms are counted: those whose counter in a sketch is at least ``least``."""

    sketch: _core.TermSketch
    least: int


class Cutting:
    """How texts become what the counters of the core take.

    If the core can cut by the rules, the counters take the texts themselves. If only a function
    that prepares texts is in the way, the counters take what the function returns. Otherwise a
    Python function cuts the texts, and the counters take its terms, which they count as they are.

    If there are bounds, the counters skip all terms that are too rare. ``sketches`` says that the
    terms are counted in a sketch.

    Attributes
    ----------
    native : _core.TextRules
        The rules for the counters.
    by_core : bool
        Whether the core cuts the texts as they are.
    """

    def __init__(
        self, rules: TextRules, bounds: Bounds | None = None, *, sketches: bool = False
    ) -> None:
        every, self._prepare, self._cut = rules.native, None, None
        is_late = rules.stem is not None and (sketches or bounds is not None)
        if is_late:
            every = None  # a sketch takes terms, but the core stems words after it has cut terms
        self.by_core = every is not None
        if every is None and not is_late and (prepared := rules.prepared) is not None:
            self._prepare, every = prepared
        elif every is None:
            every, self._cut = _core.TextRules(*TOKENS), rules.cutter()
        self.native = every if bounds is None else every.with_sketch(*bounds)
        self._function = named("analyzer" if callable(rules.analyzer) else "tokenizer")

    def pieces(self, texts: _core.Texts) -> Iterator[_core.Texts]:
        """Yield a block of texts for the counters, in pieces whose terms take little memory."""
        if self._prepare is not None:
            prepare = self._prepare
            yield from text_blocks(prepare(texts[row] or "") for row in range(len(texts)))
            return
        if self._cut is None:
            yield texts
            return
        first = 0
        while first < len(texts):
            piece = _core.Texts.of_tokens(texts, self._cut, self._refuse, first)
            first += len(piece)
            yield piece
            del piece  # free the terms before the next texts are cut

    def _refuse(self, value: Any, row: int) -> NoReturn:
        """Raise an error about what the function returned for a text of the block."""
        what = "the {function} returned {value}, expected an iterable of strings"
        value = printable(repr(value), 80)
        raise of_document(said(what, function=self._function, value=value), row)


class TermLists:
    """The terms that a function makes of documents, as blocks of lists for the core.

    scikit-learn counts any terms that a dict can hold, but the core counts strings only. The
    blocks end before the first document with a term that is no string, or that cannot be hashed.

    Attributes
    ----------
    n_docs : int
        The number of documents so far.
    rest : iterator of iterables, or None
        The terms of the documents after the blocks, or None if the blocks hold all documents.
    """

    def __init__(
        self, documents: Iterable[Any], cut: Callable[[Any], Iterable[Any]], hashed: bool = False
    ) -> None:
        self._hint = length_hint(documents, 63)
        self._documents, self._cut, self._hashed = iter(documents), cut, hashed
        self._is_done = False
        self.n_docs = 0
        self.rest: Iterator[Iterable[Any]] | None = None

    def blocks(self) -> Iterator[_core.Texts]:
        """Yield all documents, or those before the first document that the core cannot count."""
        size, empty = 0, None
        while not self._is_done:
            # The core calls `_next` for each text, so there is one more text than documents.
            if size < (size := min(max(self._hint + 1, 2 * size), _MOST_AT_ONCE)) or empty is None:
                empty = _core.Texts.of_strings([""] * size)
            before = self.n_docs
            block = _core.Texts.of_tokens(empty, self._next, unexpected)
            if (n := self.n_docs - before) < len(block):
                block = block.take(np.arange(n))
            yield block
            del block  # free the terms before the next documents are cut

    def _next(self, _: str) -> list[str] | tuple[()]:
        """Return the terms of the next document, or no terms if there is none for the core."""
        if self._is_done or (document := next(self._documents, _END)) is _END:
            self._is_done = True
            return ()
        found: Any = self._cut(document)
        terms = found if type(found) is list else list(found)
        try:
            joined = "".join(terms)  # the fastest check that all terms are strings
            if self._hashed:
                joined.encode()
                if not self.n_docs and isinstance(found, str):
                    raise TypeError("scikit-learn's hasher refuses a first document of one string")
        except (TypeError, UnicodeEncodeError):
            first = found if isinstance(found, str) else terms
            # A StopIteration of the function is an error in a generator, and an end in `map`.
            others = (self._cut(document) for document in self._documents)
            self._is_done, self.rest = True, chain([first], others)
            return ()
        self.n_docs += 1
        return terms


def unexpected(value: Any, row: int) -> NoReturn:
    """Refuse what is no list of strings, where only such lists can come."""
    raise AssertionError(f"{value!r} is no list of strings")  # pragma: no cover - as said above
