"""The measure `key`, which describes classes by evidence times certain effect."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termsift._scores.effects import certain_ratios
from termsift._scores.registry import KEY, find_describer
from termsift._scores.scoring import Scoring
from termsift._util import scipy

if TYPE_CHECKING:
    from termsift._counts.class_counts import ClassCounts

_LEVEL = 0.95


def scoring_of(counts: ClassCounts, name: str, **scoring: Any) -> Scoring:
    """Return the scoring of a method or of key. The directions of key are those of g2."""
    if find_describer(name) is not KEY:
        return Scoring.of(counts, name, **scoring)
    g2 = Scoring.of(counts, "g2", **scoring)
    n_seen = int(np.count_nonzero(counts.collection_document_frequency))
    return _KeyScoring(**vars(g2), n_seen=n_seen)


@dataclass(frozen=True, eq=False)
class _KeyScoring(Scoring):
    """The scoring of g2, with key's class scores; ``n_seen`` terms occur in the collection."""

    n_seen: int

    @cached_property
    def _documents(self) -> tuple[Any, NDArray[Any]]:
        """The number of documents with each term in each class, and in the collection."""
        shape = len(self.counts.class_docs), self.counts.n_terms
        of_class = scipy.sparse.csr_array(self.counts.document_frequency(), shape=shape)
        whole = self.counts.as_one_class().document_frequency()
        return of_class.tocsc(), scipy.sparse.csr_array(whole, shape=(1, shape[1])).toarray()[0]

    def class_scores(self, first: int = 0, last: int | None = None) -> NDArray[np.float64]:
        g2 = super().class_scores(first, last)
        of_class, of_all = self._documents
        cells = of_class[:, first:last].tocoo()
        rows, columns = cells.coords
        scores = np.zeros_like(g2)
        b = of_all[first:last][columns] - cells.data
        scores[rows, columns] = self._of_cells(g2[rows, columns], cells.data, b, rows)
        return scores

    def best_of_classes(self, k: int) -> None:
        """Return None: the core does not know key."""

    def of_pairs(
        self, starts: NDArray[np.int64], terms: NDArray[np.int32], *, with_scores: bool
    ) -> tuple[NDArray[np.int8], Any]:
        signs, g2 = super().of_pairs(starts, terms, with_scores=with_scores)
        if not with_scores:
            return signs, g2
        of_class, of_all = self._documents
        rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        a = scipy.cells(of_class.T, terms, rows)
        return signs, np.where(a > 0, self._of_cells(g2, a, of_all[terms] - a, rows), 0)

    def _of_cells(
        self, g2: NDArray[Any], a: NDArray[Any], b: NDArray[Any], rows: NDArray[Any]
    ) -> NDArray[np.float64]:
        """Return key for ``a`` documents with the term in the classes ``rows``, ``b`` in others."""
        n_c = np.asarray(self.counts.class_docs, dtype=np.float64)[rows]
        docs = np.stack([n_c, self.counts.n_docs - n_c])
        a, b = a.astype(np.float64), b.astype(np.float64)
        least, _ = certain_ratios(a, b, docs, _LEVEL, self.n_seen)
        scores: NDArray[np.float64] = np.sqrt(g2) * np.logaddexp2(0, least)
        return scores
