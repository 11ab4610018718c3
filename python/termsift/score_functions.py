"""One function a method, ``termsift.md(X, y)`` and so on, made from the registry."""

from __future__ import annotations

from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from termsift.counts import Alpha, ClassPrior, Model, count
from termsift.methods import Method, find_method


class ScoreFunction(Protocol):
    """Scores the terms of a labelled collection; usable as scikit-learn's ``score_func``."""

    __name__: str

    def __call__(
        self,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        model: Model = "multinomial",
        alpha: Alpha = 1.0,
        class_prior: ClassPrior = None,
        aggregate: Literal["sum", "mean", "max"] | None = None,
        n_threads: int | None = None,
        **options: str,
    ) -> NDArray[np.float64]:
        """Give one score a term."""


def _score_function(method: Method) -> ScoreFunction:
    def score(
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        model: Model = "multinomial",
        alpha: Alpha = 1.0,
        class_prior: ClassPrior = None,
        aggregate: Literal["sum", "mean", "max"] | None = None,
        n_threads: int | None = None,
        **options: str,
    ) -> NDArray[np.float64]:
        counts = count(X, y, sample_weight=sample_weight, n_threads=n_threads)
        return counts.score(
            method.name,
            model=model,
            alpha=alpha,
            class_prior=class_prior,
            aggregate=aggregate,
            n_threads=n_threads,
            **options,
        )

    score.__name__ = score.__qualname__ = method.name
    score.__module__ = "termsift"
    own = "".join(
        f"\n{name} : {{{', '.join(map(repr, values))}}}\n    The first is the default."
        for name, values in method.options.items()
    )
    score.__doc__ = f"""{method.title}

Parameters
----------
X, y, sample_weight
    The collection, as for `termsift.count`.
model, alpha, class_prior, aggregate, n_threads
    As for `termsift.ClassCounts.score`.{own}

Returns
-------
scores : ndarray of shape (n_terms,), float64
    The {method.default_aggregate} over classes, by default, of
    {method.formula}

See Also
--------
termsift.ClassCounts.score : count once and score by many methods

References
----------
{method.source}.

Examples
--------
>>> import numpy as np, termsift as ts
>>> scores = ts.{method.name}(np.array([[4, 1, 0], [0, 1, 2]]), ["ham", "spam"])
>>> int(scores.argmax())
0
"""
    return score


md = _score_function(find_method("md"))
md_chi2 = _score_function(find_method("md_chi2"))
