"""One call to count and score."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from termsift.reference.counting import count
from termsift.reference.scoring import score
from termsift.reference.tables import Alpha, ClassPrior


def md(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    classes: Iterable[Hashable] | None = None,
    alpha: Alpha = 1.0,
    class_prior: ClassPrior = None,
    aggregate: str | None = None,
    model: str = "multinomial",
) -> npt.NDArray[np.float64]:
    """Count, then score by maximum discrimination: see `count` and `score`.

    Parameters
    ----------
    X, y, sample_weight, classes
        As for `count`.
    alpha, class_prior, aggregate, model
        As for `score`.

    Returns
    -------
    ndarray of shape (M,)
        Scores in float64.

    Examples
    --------
    >>> md([[3, 0, 1], [0, 3, 1]], ["sport", "trade"]).round(4)
    array([0.8912, 0.8912, 0.    ])
    """
    counts = count(X, y, sample_weight, classes)
    return score(
        counts, "md", alpha=alpha, class_prior=class_prior, aggregate=aggregate, model=model
    )


def md_chi2(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    classes: Iterable[Hashable] | None = None,
    alpha: Alpha = 1.0,
    class_prior: ClassPrior = None,
    aggregate: str | None = None,
    model: str = "multinomial",
    noncentrality: str = "jeffreys",
) -> npt.NDArray[np.float64]:
    """Count, then score by the chi-squared noncentrality of `md`: see `count` and `score`.

    Parameters
    ----------
    X, y, sample_weight, classes
        As for `count`.
    alpha, class_prior, aggregate, model, noncentrality
        As for `score`.

    Returns
    -------
    ndarray of shape (M,)
        Scores in float64.

    Examples
    --------
    >>> md_chi2([[3, 0, 1], [0, 3, 1]], ["sport", "trade"]).round(4)
    array([2.25, 2.25, 0.  ])
    """
    counts = count(X, y, sample_weight, classes)
    return score(
        counts,
        "md_chi2",
        alpha=alpha,
        class_prior=class_prior,
        aggregate=aggregate,
        model=model,
        noncentrality=noncentrality,
    )
