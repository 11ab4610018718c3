"""`Ranking`, a sequence of terms, best first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from termsift._util.export import Tabular
from termsift._util.messages import printable
from termsift._util.shown import ROWS, Column, Section
from termsift._util.validation import number_of

_LETTERS = 24  # The largest number of letters of a term in a repr.
SIGNIFICANT = 0.05  # Tables mark terms whose adjusted p-value is larger.

# A function that returns the adjusted p-values of a ranking's terms.
PValues: TypeAlias = "Callable[[], NDArray[np.float64]]"


@dataclass(frozen=True, eq=False)
class Ranking(Tabular):
    """Terms in order, best first, with their scores.

    A ranking is a sequence of pairs (term, score). The term is a name, or a column number if names
    are unknown. A slice of a ranking is a ranking too. ``print`` shows the first terms.

    Attributes
    ----------
    indices : ndarray of shape (k,), int64
        The terms' columns.
    scores : ndarray of shape (k,), float64
        The terms' scores. Divergences are in nats. `ClassCounts.greedy` gives the divergence of the
        terms up to each place, and `conditional_gain` gives the gain of each term.
    terms : ndarray of shape (k,), str objects or int64
        The names of the terms, or their columns if names are unknown.
    method : str
        The name of the method or selector.
    informative : int or None
        If `ClassCounts.greedy` chose the terms, the number of terms that increase the divergence.
        Terms that do not increase the divergence come last, ordered by index.
    policy : str
        How the scores determined the order, "top" or "round_robin".
    model : str
        The event model; "multinomial" for methods without models.
    chosen_by : ndarray of shape (k,), objects, or None
        With round robin, the class in which the term has its best place, or the first such class.
        If the method's scores have no sign, as for chi2, the class may under-represent the term.
    """

    indices: NDArray[np.int64]
    scores: NDArray[np.float64]
    terms: NDArray[Any]
    method: str
    informative: int | None = None
    policy: str = "top"
    model: str = "multinomial"
    chosen_by: NDArray[np.object_] | None = None
    _pvalues: PValues | None = field(default=None, repr=False)

    @property
    def pvalues_adj(self) -> NDArray[np.float64] | None:
        """The adjusted p-values of the terms, or None.

        `termsift.distinctive_terms` says which test gives those of the terms of a class. They are
        computed when they are first read, because the adjustment sorts the p-values of all classes
        and terms. If `ClassCounts.rank` keeps the significant terms, they are those of the test.
        """
        return None if self._pvalues is None else self._pvalues()

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields, with the p-values in place of the function that computes them."""
        values = self.pvalues_adj
        return {**self.__dict__, "_pvalues": None if values is None else partial(np.array, values)}

    @property
    def _names(self) -> NDArray[np.object_] | None:
        """The names of the terms, or None if they are unknown."""
        return self.terms if self.terms.dtype == object else None

    def __len__(self) -> int:
        return len(self.indices)

    def __iter__(self) -> Iterator[tuple[Any, float]]:
        return zip(self.terms.tolist(), self.scores.tolist(), strict=True)

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse conversion, because scikit-learn would mistake the array for scores of columns."""
        raise TypeError(
            "a ranking is not an array: use its indices, scores or terms; to select "
            "columns in scikit-learn, use TermSelector(method) instead of SelectKBest"
        )

    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            informative = None
            if self.informative is not None and (place.step or 1) > 0:
                informative = int(np.sum(np.arange(len(self))[place] < self.informative))
            return replace(terms_at(self, place), informative=informative)
        return self.terms.item(place), self.scores.item(place)

    def _sections(self) -> list[Section]:
        first = self[:ROWS]
        columns = [
            Column("rank", range(1, len(first) + 1), "d"),
            Column("term" if first.terms.dtype == object else "index", first.terms.tolist()),
            Column("score", first.scores.tolist(), ".6g"),
        ]
        if first.chosen_by is not None:
            columns.append(Column("class", first.chosen_by.tolist()))
        if (pvalues := first.pvalues_adj) is not None:
            columns.append(Column("pvalue_adj", pvalues.tolist(), ".2g"))
        return [Section(columns, len(self) - ROWS)]

    def _note(self) -> str:
        values = self[:ROWS].pvalues_adj
        if values is None or not (n := np.count_nonzero(values > SIGNIFICANT)):
            return ""
        return f"Terms whose pvalue_adj is above {SIGNIFICANT}, so not significant: {n}."

    def __repr__(self) -> str:
        names = ", ".join(printable(term, _LETTERS) for term in self.terms[:5])
        return f"<{self._title()}: {names}{', ...' if len(self) > 5 else ''}>"

    def _title(self) -> str:
        size = number_of(len(self), "term")
        if self.informative is not None and self.informative < len(self):
            size += f", {self.informative} informative,"
        how = self.method
        how += f", policy={self.policy}" if self.policy != "top" else ""
        how += f", model={self.model}" if self.model != "multinomial" else ""
        return f"Ranking of {size} by {how}"

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name: rank (from 1), term (null if unnamed), index and score.

        For round robin there is also a column "class", the class that chose the term. If adjusted
        p-values are known, the last column is pvalue_adj.
        """
        names = np.full(len(self), None) if self._names is None else self._names
        columns: dict[str, NDArray[Any]] = {"rank": np.arange(1, len(self) + 1), "term": names}
        columns |= {"index": self.indices, "score": self.scores}
        if self.chosen_by is not None:
            columns["class"] = self.chosen_by
        if (pvalues := self.pvalues_adj) is not None:
            columns["pvalue_adj"] = pvalues
        return columns


def terms_at(ranking: Ranking, places: slice | NDArray[np.int64]) -> Ranking:
    """Return the ranking of the terms at some places of a ranking."""
    chosen_by, pvalues = ranking.chosen_by, ranking._pvalues
    return replace(
        ranking,
        indices=ranking.indices[places],
        scores=ranking.scores[places],
        terms=ranking.terms[places],
        chosen_by=None if chosen_by is None else chosen_by[places],
        _pvalues=None if pvalues is None else partial(part_of, pvalues, places),
    )


def part_of(pvalues: PValues, place: slice | NDArray[np.int64]) -> NDArray[np.float64]:
    """Return some of the p-values."""
    return pvalues()[place]
