"""`distinctive_terms`: what distinguishes each class from all others."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Unpack

from termsift._api.class_counts import ClassCounts, value_of
from termsift._scores import class_terms
from termsift._scores.class_terms import ClassTerms
from termsift._scores.methods import DescriberName, Model
from termsift._scores.registry import DESCRIBING, check_options
from termsift._scores.scoring import Alpha, ClassPrior, MethodOptions, ScoringOptions


def distinctive_terms(
    counts: ClassCounts,
    method: DescriberName = DESCRIBING,
    k: int | None = None,
    classes: Iterable[Hashable] | None = None,
    *,
    max_pvalue: float | None = None,
    model: Model = "multinomial",
    alpha: Alpha = 1.0,
    class_prior: ClassPrior = "empirical",
    n_threads: int | None = None,
    **options: Unpack[MethodOptions],
) -> ClassTerms:
    """Return the terms that are over-represented in each class, best first.

    A class score measures how much a class differs from the others in its use of a term, in either
    direction. A term is over-represented in a class if it occurs there and its direction is 1,
    which for most methods means that its share is larger in the class than in the other classes.

    Parameters
    ----------
    counts : ClassCounts
    method : str
        The name of one of `termsift.methods`, or "key", a measure of evidence times an effect size.
    k : int, optional
        The largest number of terms per class. By default, all terms are returned.
    classes : sequence of labels, optional
        The classes to describe, in this order. By default, all classes are described.
    max_pvalue : float, optional
        Leave out terms whose adjusted p-value is larger (see Notes). By default, no term is left
        out, but ``print`` and notebooks mark the terms with values above 0.05.
    model, alpha, class_prior, n_threads, **options
        As for `termsift.ClassCounts.score`.

    Returns
    -------
    rankings : ClassTerms, a dict of label to Ranking
        The terms of each class with their scores. Terms with equal scores are ordered by index.
        ``print`` and notebooks show the dict as a table.

    Raises
    ------
    ValueError, TypeError
        As for `termsift.ClassCounts.score`, and for a label that is not among the classes.

    Notes
    -----
    A method that is a test is its own test, and g2 is the test of "key". The p-values are those of
    `ClassCounts.significance` per class, adjusted for the tests of all classes and terms by
    Benjamini and Hochberg's method, or by Bonferroni's for more than 2^24 tests.
    `Ranking.pvalues_adj` holds them. Other methods have no p-values, so that no term is marked,
    unless ``max_pvalue`` is given, for which g2 is the test.

    The memory is 32 MiB, plus some 40 bytes (160 for "key") for each pair of a requested class and
    a term that occurs in it, and the time is proportional to the number of pairs.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> X = np.array([[9, 0, 5], [1, 9, 5], [1, 9, 5]])
    >>> counts = ts.count(X, ["ham", "spam", "news"], term_names=["noon", "win", "the"])
    >>> for label, ranking in distinctive_terms(counts, "md").items():
    ...     print(label, *ranking.terms)
    ham noon the
    news win
    spam win
    """
    scoring: ScoringOptions = {"model": model, "alpha": alpha, "class_prior": class_prior}
    scoring["n_threads"] = n_threads
    check_options(distinctive_terms, method, options)
    return class_terms.distinctive_terms(
        value_of(counts), method, k, classes, max_pvalue=max_pvalue, **scoring, **options
    )
