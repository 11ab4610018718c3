"""The implementations that the same tests check: they score a collection of documents and
labels."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

import termsift as ts
from termsift import reference

Floats = npt.NDArray[np.float64]


class Implementation(Protocol):
    """The scores of a collection; options are those of `reference.score`, and ``tf``."""

    def class_scores(self, X: Any, y: Any, method: str, **options: Any) -> Floats:
        """Return the value of every term (columns) for every class (rows)."""

    def score(self, X: Any, y: Any, method: str, **options: Any) -> Floats:
        """Return the score of every term."""

    def rank(self, X: Any, y: Any, method: str, **options: Any) -> tuple[list[int], list[float]]:
        """Return the ranked terms with scores; options are also k and policy."""

    def greedy(self, X: Any, y: Any, **options: Any) -> tuple[list[int], list[float]]:
        """Return the terms in the order of their choice, with the divergences."""

    def divergence(self, X: Any, y: Any, indices: list[int], **options: Any) -> float:
        """Return the divergence of some terms."""

    def significance(self, X: Any, y: Any, method: str, per_class: bool = False) -> Any:
        """Return an object with all that `reference.Significance` has."""


class Reference:
    """The reference, which is the specification."""

    def class_scores(self, X: Any, y: Any, method: str, tf: str = "raw", **options: Any) -> Floats:
        return reference.class_scores(reference.count(X, y, tf=tf), method, **options)

    def score(self, X: Any, y: Any, method: str, tf: str = "raw", **options: Any) -> Floats:
        return reference.score(reference.count(X, y, tf=tf), method, **options)

    def rank(
        self,
        X: Any,
        y: Any,
        method: str,
        k: int | None = None,
        policy: str = "top",
        **options: Any,
    ) -> tuple[list[int], list[float]]:
        counts = reference.count(X, y)
        if policy == "round_robin":
            by_class = reference.class_scores(counts, method, **options)
            indices, scores = reference.round_robin(by_class[counts.class_docs > 0], k)
            return indices.tolist(), scores.tolist()
        scores = reference.score(counts, method, **options)
        indices = reference.rank(scores, k)
        return indices.tolist(), scores[indices].tolist()

    def greedy(self, X: Any, y: Any, **options: Any) -> tuple[list[int], list[float]]:
        indices, divergences = reference.greedy(reference.count(X, y), **options)
        return indices.tolist(), divergences.tolist()

    def divergence(self, X: Any, y: Any, indices: list[int], **options: Any) -> float:
        return reference.divergence(reference.count(X, y), indices, **options)

    def significance(self, X: Any, y: Any, method: str, per_class: bool = False) -> Any:
        return reference.significance(reference.count(X, y), method, per_class)


class Compiled:
    """The package."""

    def class_scores(self, X: Any, y: Any, method: str, tf: Any = "raw", **options: Any) -> Floats:
        return ts.count(X, y, tf=tf).class_scores(method, **options)

    def score(self, X: Any, y: Any, method: str, tf: Any = "raw", **options: Any) -> Floats:
        return ts.count(X, y, tf=tf).score(method, **options)

    def rank(self, X: Any, y: Any, method: str, **options: Any) -> tuple[list[int], list[float]]:
        ranking = ts.count(X, y).rank(method, **options)
        return ranking.indices.tolist(), ranking.scores.tolist()

    def greedy(self, X: Any, y: Any, **options: Any) -> tuple[list[int], list[float]]:
        ranking = ts.count(X, y).greedy(**options)
        return ranking.indices.tolist(), ranking.scores.tolist()

    def divergence(self, X: Any, y: Any, indices: list[int], **options: Any) -> float:
        return ts.divergence(ts.count(X, y), indices, **options)

    def significance(self, X: Any, y: Any, method: str, per_class: bool = False) -> Any:
        return ts.count(X, y).significance(method, per_class=per_class)


IMPLEMENTATIONS: dict[str, Implementation] = {"reference": Reference(), "compiled": Compiled()}
