"""One function a method, ``termsift.md(X, y)`` and so on, made from the registry."""

from __future__ import annotations

from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from termsift._api.class_counts import Alpha, ClassPrior, Model
from termsift._api.counting import count
from termsift._scores.registry import Method, find_method, find_test


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


class TestFunction(Protocol):
    """The same for a test of significance."""

    __name__: str

    def __call__(
        self,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        class_prior: ClassPrior = None,
        aggregate: Literal["sum", "mean", "max"] | None = None,
        n_threads: int | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Give one score and one p-value a term."""


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

    _describe(score, method, "model, alpha, class_prior, aggregate, n_threads", "")
    return score


def _test_function(method: Method) -> TestFunction:
    def score(
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        class_prior: ClassPrior = None,
        aggregate: Literal["sum", "mean", "max"] | None = None,
        n_threads: int | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        counts = count(X, y, sample_weight=sample_weight, n_threads=n_threads)
        scores = counts.score(
            method.name, class_prior=class_prior, aggregate=aggregate, n_threads=n_threads
        )
        return scores, counts.significance(method.name, n_threads=n_threads).pvalues

    pvalues = """
pvalues : ndarray of shape (n_terms,), float64
    Those of `termsift.ClassCounts.significance`, whatever the aggregate."""
    _describe(score, method, "class_prior, aggregate, n_threads", pvalues)
    return score


def _describe(function: Any, method: Method, arguments: str, more_results: str) -> None:
    """Give a function the method's name and its documentation."""
    function.__name__ = function.__qualname__ = method.name
    function.__module__ = "termsift"
    own = "".join(
        f"\n{name} : {{{', '.join(map(repr, values))}}}\n    The first is the default."
        for name, values in method.options.items()
    )
    how = method.default_aggregate
    value = f"The {how} over classes, by default, of" if how else "By default, the collection's"
    names = "scores, pvalues" if more_results else "scores"
    function.__doc__ = f"""{method.title}

Parameters
----------
X, y, sample_weight
    The collection, as for `termsift.count`.
{arguments}
    As for `termsift.ClassCounts.score`.{own}

Returns
-------
scores : ndarray of shape (n_terms,), float64
    {value}
    ``{method.formula}``{more_results}

See Also
--------
termsift.ClassCounts.score : count once and score by many methods

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


md = _score_function(find_method("md"))
md_chi2 = _score_function(find_method("md_chi2"))
df = _score_function(find_method("df"))
tfidf = _score_function(find_method("tfidf"))
mi = _score_function(find_method("mi"))
cet = _score_function(find_method("cet"))
ig = _score_function(find_method("ig"))
chi2 = _test_function(find_test("chi2"))
chi2_printed = _score_function(find_method("chi2_printed"))
gss = _score_function(find_method("gss"))
odds_ratio = _score_function(find_method("odds_ratio"))
relevancy = _score_function(find_method("relevancy"))
ngl = _score_function(find_method("ngl"))
g2 = _test_function(find_test("g2"))
bns = _score_function(find_method("bns"))
log_odds = _score_function(find_method("log_odds"))
jlh = _score_function(find_method("jlh"))
chi2_counts = _test_function(find_test("chi2_counts"))
