"""`Ranking`, a sequence of terms, best first."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NoReturn, TextIO

import numpy as np
from numpy.typing import NDArray

from termsift._util.export import Tabular, write_csv
from termsift._util.files import text_output
from termsift._util.messages import aligned, printable

_LETTERS = 24  # The largest number of letters of a term that are shown.
_PRINTED = 10  # The number of terms that print() shows.


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
    terms : ndarray of shape (k,), str objects, or None
        The names of the terms, or None if the counts have no names.
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
    terms: NDArray[np.object_] | None
    method: str
    informative: int | None = None
    policy: str = "top"
    model: str = "multinomial"
    chosen_by: NDArray[np.object_] | None = None

    @property
    def _terms(self) -> NDArray[Any]:
        return self.indices if self.terms is None else self.terms

    def __len__(self) -> int:
        return len(self.indices)

    def __iter__(self) -> Iterator[tuple[Any, float]]:
        return zip(self._terms.tolist(), self.scores.tolist(), strict=True)

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse conversion, because scikit-learn would mistake the array for scores of columns."""
        raise TypeError(
            "a ranking is not an array: use its indices, scores or terms; to select "
            "columns in scikit-learn, use TermSelector(method) instead of SelectKBest"
        )

    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            names = None if self.terms is None else self.terms[place]
            informative = None
            if self.informative is not None and (place.step or 1) > 0:
                informative = int(np.sum(np.arange(len(self))[place] < self.informative))
            return replace(
                self,
                indices=self.indices[place],
                scores=self.scores[place],
                terms=names,
                informative=informative,
                chosen_by=None if self.chosen_by is None else self.chosen_by[place],
            )
        return self._terms.item(place), self.scores.item(place)

    def __str__(self) -> str:
        shown = self[:_PRINTED]
        classes = [""] * len(shown) if shown.chosen_by is None else shown.chosen_by
        rows = [
            (str(rank), printable(term, _LETTERS), f"{score:.6g}", printable(label, _LETTERS))
            for rank, ((term, score), label) in enumerate(zip(shown, classes, strict=True), start=1)
        ]
        more = len(self) - _PRINTED
        return "\n".join(
            [repr(self), *aligned(rows, "><><"), *([f"... {more} more"] if more > 0 else [])]
        )

    def __repr__(self) -> str:
        names = ", ".join(printable(name, _LETTERS) for name in self._terms[:5])
        names += ", ..." if len(self) > 5 else ""
        size = f"{len(self)} terms"
        if self.informative is not None and self.informative < len(self):
            size += f", {self.informative} informative,"
        how = self.method
        how += f", policy={self.policy}" if self.policy != "top" else ""
        how += f", model={self.model}" if self.model != "multinomial" else ""
        return f"<Ranking of {size} by {how}: {names}>"

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name: rank (from 1), term (null if unnamed), index and score.

        For round robin there is also a column "class", the class that chose the term.
        """
        terms = np.full(len(self), None) if self.terms is None else self.terms
        columns: dict[str, NDArray[Any]] = {"rank": np.arange(1, len(self) + 1), "term": terms}
        columns |= {"index": self.indices, "score": self.scores}
        return columns if self.chosen_by is None else {**columns, "class": self.chosen_by}

    def to_csv(self, path: str | os.PathLike[str] | TextIO) -> None:
        """Write the columns of `to_frame` as CSV. A score that is read back is the same float64.

        Parameters
        ----------
        path : path or text file
            If a path is given, the file is written atomically.
        """
        with text_output(path) as file:
            write_csv(file, self.columns())
