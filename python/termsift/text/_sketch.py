"""Sketches: bounds on document frequencies, for vocabularies that are larger than memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from termsift import _core
from termsift._util.faults import carrying, concerning, excluded, named, said, wrong_value
from termsift._util.sealing import sealed, unsealed
from termsift._util.validation import check_bytes, check_integer, check_kind, check_n_threads
from termsift.text._advice import about_rules, warn
from termsift.text._blocks import UnlabelledTexts
from termsift.text._cutting import Bounds, Cutting
from termsift.text._rules import (
    CuttingRules,
    NamedFunction,
    TextRules,
    check_same_rules,
    read_rules,
    rules_of,
    shows,
)

if TYPE_CHECKING:
    from typing_extensions import Buffer

MOST_BYTES = 2**63 - 1  # The core takes sizes as int64.
_MOST = 255  # The largest value of a counter.
_HASH = 1  # The version of the hash of terms.
_ADDED_BYTES = 1 << 20  # The number of counters that are added at once, to fit in the cache.
_MOST_FULL = 0.5  # The largest share of counters that may reach min_df.


class TermSketch:
    """Upper bounds on the document frequency of every term, in counters of one byte.

    `sketch_texts` makes a sketch, and `count_texts` accepts it as ``sketch``. Terms with the same
    hash share a counter. A counter counts up to 255 documents that contain any of its terms. Hashes
    are equal on all machines, so sketches of parts add up to the sketch of all parts.

    Attributes
    ----------
    rules : TextRules
        The rules that cut the texts.
    min_df : int
        The least document frequency of the terms to count.
    """

    def __init__(self, rules: TextRules, min_df: int = 20, n_bytes: int = 2**28) -> None:
        check_kind(rules, TextRules, "rules")
        check_integer(min_df, "min_df", 1)
        check_integer(n_bytes, "n_bytes", 1, MOST_BYTES)
        if rules.drops or rules.hashing is not None or rules.vocabulary is not None:
            raise excluded(
                "a sketch drops terms only by {min_df}: leave out {max_df}, {max_features}, "
                "{hashing} and {vocabulary}"
            )
        self.rules, self.min_df = rules.that_cut, min_df
        self._cutting = rules.cutting  # with the functions themselves
        try:
            self._sketch = _core.TermSketch(n_bytes)
        except MemoryError:
            message = said(
                "a sketch of {size:,} bytes does not fit in memory: lower {n_bytes} or "
                "{max_memory}",
                size=n_bytes,
            )
            raise carrying(MemoryError, message) from None

    @property
    def n_bytes(self) -> int:
        """The number of counters. Each counter takes one byte."""
        return len(self._sketch.counters)

    def __repr__(self) -> str:
        return f"<TermSketch of {self.n_bytes:,} bytes: min_df={self.min_df}>"

    def update(self, texts: Any, *, text: Any = None, n_threads: int | None = None) -> TermSketch:
        """Add further documents.

        Parameters
        ----------
        texts, text, n_threads
            As for `sketch_texts`.

        Returns
        -------
        self : TermSketch

        Raises
        ------
        ValueError, TypeError
            If a text is missing or is not a string. After an error, the sketch holds the texts
            before the error, so make a new sketch.
        """
        threads, cutting = (
            check_n_threads(n_threads),
            Cutting(self._rules_that_can_cut(), sketches=True),
        )
        documents = UnlabelledTexts(texts, text)
        with documents.placing():
            for block in documents:
                for piece in cutting.pieces(block.texts):
                    self._sketch.add(cutting.native, piece, threads)
                    del piece  # free the terms before the next texts are cut
                del block  # free the block before the next block is read
        return self

    def cut_by(self, rules: TextRules) -> TermSketch:
        """Cut further texts by the functions of these rules, of which bytes keep only the names."""
        check_same_rules(self.rules, rules.that_cut, "the sketch", "the rules")
        self._cutting = rules.cutting
        return self

    def _rules_that_can_cut(self) -> TextRules:
        """Return the rules with their functions; raise an error if only their names are known."""
        for rule, function in vars(self._cutting).items():
            if isinstance(function, NamedFunction) and function.function is None:
                raise wrong_value(
                    "{sketch} was read from bytes, which keep only the name of the function "
                    "{function} ({rule}): make the sketch and count the texts in one process",
                    function=function.name,
                    rule=named(rule),
                )
        return self._cutting

    def __add__(self, other: TermSketch) -> TermSketch:
        """Return the sketch of all documents of two sketches."""
        check_kind(other, TermSketch, "other")
        for name in ("rules", "min_df", "n_bytes"):
            if (mine := getattr(self, name)) != (theirs := getattr(other, name)):
                error = ValueError(f"the sketches differ in {name}: {mine} and {theirs}")
                raise concerning(error, "other")
        known = other if self._cutting.names_functions else self
        total = TermSketch(known._cutting, self.min_df, self.n_bytes)
        a, b, out = (sketch._sketch.counters for sketch in (self, other, total))
        for first in range(0, self.n_bytes, _ADDED_BYTES):
            part = slice(first, first + _ADDED_BYTES)
            np.add(a[part], np.minimum(b[part], _MOST - a[part]), out=out[part])
        return total

    def to_bytes(self) -> bytes:
        """Return the sketch as bytes, for `from_bytes`."""
        counters = self._sketch.counters.tobytes()
        about = {"hash": _HASH, "min_df": self.min_df, "rules": self.rules.stored}
        return sealed(about, counters) + counters

    @classmethod
    def from_bytes(cls, data: Buffer) -> TermSketch:
        """Return the sketch that `to_bytes` wrote, from bytes in any object with a buffer.

        No code in the bytes is executed.
        """
        data = check_bytes(data, "data")
        try:
            line, _, rest = data.partition(b"\n")
            counters = np.frombuffer(rest, np.uint8)
            about = unsealed(line, counters)
            if about["hash"] != _HASH:
                raise ValueError("from another version of termsift; make the sketch again")
            sketch = cls(read_rules(about["rules"]), about["min_df"], len(counters))
        except (OSError, MemoryError):
            raise
        except Exception as error:  # reading forged bytes may raise any error
            raise concerning(ValueError(f"the bytes are no sketch: {error}"), "data") from error
        sketch._sketch.counters[:] = counters
        return sketch

    def __getstate__(self) -> dict[str, Any]:
        """Return the sketch as bytes, for pickle, copy and skops."""
        return {"data": self.to_bytes()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(vars(TermSketch.from_bytes(state["data"])))

    @property
    def bounds(self) -> Bounds:
        """What tells the core which terms may be frequent enough."""
        return Bounds(self._sketch, min(self.min_df, _MOST))

    def counting_rules(self) -> TextRules:
        """Return the rules by which the texts are to be cut again, to count the terms.

        Raise ValueError if more than half of the counters reach min_df.
        """
        least = self.bounds.least
        full = float(np.count_nonzero(self._sketch.counters >= least)) / self.n_bytes
        if full > _MOST_FULL:
            mean = float(self._sketch.counters.mean())
            enough = 2 ** int(np.ceil(np.log2(self.n_bytes * 4 * max(mean / least, 1))))
            raise wrong_value(
                "{full:.0%} of the sketch's counters reach {min_df=}, so the sketch would keep too "
                "many terms: make one with {n_bytes=} or more, or pass {max_memory=}",
                full=full,
                min_df=self.min_df,
                n_bytes=enough,
                max_memory=3 * enough,
            )
        return self._rules_that_can_cut()


@shows(CuttingRules)
def sketch_texts(
    texts: Any,
    *,
    text: Any = None,
    min_df: int = 20,
    n_bytes: int = 2**28,
    n_threads: int | None = None,
    **rules: Unpack[CuttingRules],
) -> TermSketch:
    """Bound the document frequency of each term, so that rare terms need not be counted.

    A collection with more terms than memory can hold is read twice: once for the sketch, and once
    to count the terms that may be in ``min_df`` documents or more.

    Parameters
    ----------
    texts : iterable of str, or frame
        The documents, as for `termsift.count_texts`.
    text : str or list of str, optional
        The columns of texts, if ``texts`` is a frame, as for `termsift.count_texts`.
    min_df : int, default 20
        The least number of documents that must contain a term. Counters stop at 255, so every
        ``min_df`` of 255 or more leaves out the same terms.
    n_bytes : int, default 2**28
        The size of the sketch in bytes. One byte for every four distinct terms is usually enough.
    n_threads : int, optional
        The number of threads, by default one per processor (see `termsift.count`).
    **rules
        How texts are cut into terms, as for `termsift.count_texts`.

    Returns
    -------
    sketch : TermSketch
        The sketch to pass to ``count_texts(texts, y, sketch=sketch)``.

    Raises
    ------
    ValueError, TypeError
        If a text is missing or is not a string, or if a rule other than ``min_df`` drops terms.

    Notes
    -----
    A counter below 255 is at least the document frequency of each of its terms. A counter below
    ``min_df`` proves that its terms are rare. A rare term that shares a counter with other terms
    may be counted at first, but `ClassCounts.with_min_df` drops it. The final counts are exact.

    Examples
    --------
    >>> import termsift as ts
    >>> texts, y = ["Bacon and eggs", "Eggs, eggs!", "Cheap pills"], ["ham", "ham", "spam"]
    >>> sketch = ts.sketch_texts(texts, min_df=2, n_bytes=1000)
    >>> counts = ts.count_texts(texts, y, sketch=sketch).with_min_df(2)
    >>> list(counts.term_names), counts.term_frequency.toarray().tolist()
    (['eggs'], [[3], [0]])
    """
    text_rules = rules_of(rules, sketch_texts)
    sketch = TermSketch(text_rules, min_df, n_bytes)
    sketch.update(texts, text=text, n_threads=n_threads)
    warn(about_rules(text_rules))
    return sketch
