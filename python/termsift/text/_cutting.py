"""Cut texts into terms for the counters of the core, which cut most texts themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from termsift import _core
from termsift._util.faults import named, said
from termsift._util.messages import printable
from termsift.text._documents import of_document

if TYPE_CHECKING:
    from termsift.text._rules import TextRules


class Bounds(NamedTuple):
    """Which terms are counted: those whose counter in a sketch is at least ``least``."""

    sketch: _core.TermSketch
    least: int


class Cutting:
    """How texts become what the counters of the core take.

    If the core can cut by the rules, the counters take the texts themselves. Otherwise a Python
    function cuts the texts, and the counters take its terms, which they count as they are.

    If there are bounds, the counters skip all terms that are too rare.

    Attributes
    ----------
    native : _core.TextRules
        The rules for the counters.
    by_core : bool
        Whether the core cuts the texts.
    """

    def __init__(self, rules: TextRules, bounds: Bounds | None = None) -> None:
        native = rules.native
        self.by_core = native is not None
        every = rules.for_tokens if native is None else native
        self.native = every if bounds is None else every.with_sketch(*bounds)
        self._cut = rules.cutter() if native is None else None
        self._function = named("analyzer" if callable(rules.analyzer) else "tokenizer")

    def pieces(self, texts: _core.Texts) -> Iterator[_core.Texts]:
        """Yield a block of texts for the counters, in pieces whose terms take little memory."""
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
