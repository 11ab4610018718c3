"""A function for each method in the registry, such as ``termsift.md(X, y)``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from termsift._api.class_counts import ClassCounts
from termsift._api.counting import count
from termsift._scores.methods import Method
from termsift._scores.registry import check_options, methods
from termsift._util.faults import blaming


def _function(method: Method) -> Callable[..., Any]:
    def score(
        X: Any, y: Any, *, sample_weight: Any = None, n_threads: int | None = None, **scoring: Any
    ) -> Any:
        if not scoring.keys() <= known:
            unknown = {name: scoring[name] for name in scoring if name not in known}
            check_options(score, method.name, unknown)
        counts = count(X, y, sample_weight=sample_weight, n_threads=n_threads)
        with blaming("y", instead_of="counts"):
            scores = counts.score(method.name, n_threads=n_threads, **scoring)
        if not method.is_test:
            return scores
        return scores, counts.significance(method.name, n_threads=n_threads).pvalues

    # Pickle looks up the function in the module `termsift`.
    score.__name__ = score.__qualname__ = method.name
    score.__module__ = "termsift"
    score.__doc__ = _docstring(method)
    of_count = list(inspect.signature(score).parameters.values())[:3]
    of_score = list(inspect.signature(ClassCounts.score).parameters.values())[2:-1]
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=values[0])
        for name, values in method.options.items()
    ]
    parameters = [*of_count, *of_score, *options]
    known = {parameter.name for parameter in parameters}
    score.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return score


def _quoted(value: str | bool) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _docstring(method: Method) -> str:
    options = [
        f"\n{name} : {{{', '.join(map(_quoted, values))}}}, default {_quoted(values[0])}\n"
        "    An option of this method, see the formula below."
        for name, values in method.options.items()
    ]
    names, pvalues = "scores", ""
    if method.is_test:
        names, pvalues = (
            "scores, pvalues",
            """
pvalues : ndarray of shape (n_terms,), float64
    The p-values of `termsift.ClassCounts.significance`. They do not depend on ``aggregate``.""",
        )
    how = method.default_aggregate
    value = f"By default, the {how} over the classes of" if how else "The value for the collection:"
    return f"""{method.title}

Parameters
----------
X, y, sample_weight
    The collection, as for `termsift.count`.
model, alpha, class_prior, aggregate, n_threads
    As for `termsift.ClassCounts.score`.{"".join(options)}

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


SCORE_FUNCTIONS: dict[str, Callable[..., Any]] = {
    method.name: _function(method) for method in methods()
}
