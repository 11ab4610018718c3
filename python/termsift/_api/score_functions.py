"""One function per method, such as ``termsift.md(X, y)``, made from the registry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termsift._api.class_counts import Aggregate
from termsift._api.counting import count
from termsift._scores.methods import Method, Model
from termsift._scores.registry import methods
from termsift._scores.scoring import Alpha, ClassPrior

Scores = NDArray[np.float64]


def _score_function(method: Method) -> Callable[..., Scores]:
    def score(
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        model: Model = "multinomial",
        alpha: Alpha = 1.0,
        class_prior: ClassPrior = None,
        aggregate: Aggregate | None = None,
        n_threads: int | None = None,
        **options: str,
    ) -> Scores:
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

    return score


def _test_function(method: Method) -> Callable[..., tuple[Scores, Scores]]:
    def score(
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        class_prior: ClassPrior = None,
        aggregate: Aggregate | None = None,
        n_threads: int | None = None,
    ) -> tuple[Scores, Scores]:
        counts = count(X, y, sample_weight=sample_weight, n_threads=n_threads)
        scores = counts.score(
            method.name, class_prior=class_prior, aggregate=aggregate, n_threads=n_threads
        )
        return scores, counts.significance(method.name, n_threads=n_threads).pvalues

    return score


def _docstring(method: Method) -> str:
    own = [
        f"``{name}`` is one of {', '.join(map(repr, values))}; the first is the default."
        for name, values in method.options.items()
    ]
    parameters, names = "model, alpha, class_prior, aggregate, n_threads", "scores"
    options = f"\n**options : str\n    {' '.join(own) or 'This method has none.'}"
    pvalues = ""
    if method.is_test:
        parameters, names = "class_prior, aggregate, n_threads", "scores, pvalues"
        options = ""
        pvalues = """
pvalues : ndarray of shape (n_terms,), float64
    The p-values of `termsift.ClassCounts.significance`, whatever the aggregate."""
    how = method.default_aggregate
    value = f"The {how} over classes, by default, of" if how else "By default, the collection's"
    return f"""{method.title}

Parameters
----------
X, y, sample_weight
    The collection, as for `termsift.count`.
{parameters}
    As for `termsift.ClassCounts.score`.{options}

Returns
-------
scores : ndarray of shape (n_terms,), float64
    {value}
    ``{method.formula}``.{pvalues}

See Also
--------
termsift.ClassCounts.score : Count once and score by many methods.

References
----------
{method.source}.

Examples
--------
>>> import numpy as np, termsift as ts
>>> {names} = ts.{method.name}(np.array([[4, 1, 0], [0, 1, 2]]), ["ham", "spam"])
>>> scores.shape
(3,)
"""


def _function(method: Method) -> Callable[..., Any]:
    function = _test_function(method) if method.is_test else _score_function(method)
    # Attributes of the module `termsift`, so that pickle finds them there.
    function.__name__ = function.__qualname__ = method.name
    function.__module__ = "termsift"
    function.__doc__ = _docstring(method)
    return function


SCORE_FUNCTIONS = {method.name: _function(method) for method in methods()}
