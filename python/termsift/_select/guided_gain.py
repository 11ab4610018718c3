"""Guided gain: conditional gain, guided by what linear machines make of each term."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from termsift._scores.ranking import Ranking
from termsift._select.conditional_gain import choose_by_gain
from termsift._util import validation

_EPOCHS = 3  # more change the chosen terms little


def guided_gain(
    X: Any,
    y: Any,
    k: int | None = None,
    *,
    cost: float = 0.3,
    shape: float | Literal["empirical_bayes"] = "empirical_bayes",
    temper: float = 0.15,
    step: float = 0.5,
    balance: float = 0.0,
    sample_weight: Any = None,
    term_names: Iterable[str] | None = None,
    n_threads: int | None = None,
) -> Ranking:
    """Choose each term for what it adds to those before it, as far as a classifier would use it.

    This method is termsift's own. It is `termsift.conditional_gain` in which a document's loss
    counts by the weight that a linear support vector machine of its class gives the term.

    Parameters
    ----------
    X, y, term_names, n_threads
        As for `termsift.count`, with one class per document. The machines see how often a document
        has a term; all else depends on whether it has it.
    k : int, optional
        How many terms; all if None or more than there are. The first k are the same for any larger
        one. `termsift.choose_k` finds a number.
    cost : float, default 0.3
        C of the machines: the larger it is, the closer they follow the documents.
    shape, temper, step, balance, sample_weight
        As for `termsift.conditional_gain`.

    Returns
    -------
    ranking : Ranking
        Its scores are the guided gains: nats, times a factor of at most 1 for each class.

    Raises
    ------
    ValueError
        As for `termsift.conditional_gain`; if cost is not positive.
    TypeError
        As for `termsift.count`.

    Notes
    -----
    One machine for each class tells its documents from all others: squared hinge loss, the vectors
    log(1 + x) of the documents scaled to length 1, three epochs of dual coordinate descent in a
    fixed order. Let w_tc be the weight of term t for class c. The losses of the documents of class
    y that have t count u_ty times, where ::

        u_tc = max(0.1, (|w_tc| + max_k |w_tk|) / (2 max |w|))^0.75.

    The log lift of each class that has the term grows by z/2 times the difference of w_tc from the
    mean weight of t for the classes that do not have it, where z is the mean entry of the vectors.
    The page Methods of the documentation says where this helps and where it does not.

    Time: that of `termsift.conditional_gain`, and O(entries * n_classes) for the machines. Memory:
    8 bytes for each entry and 20 for each class that has a term more, and for each thread 64 for
    each term that a document has and 68 for each document. The result has the same bits for any
    number of threads.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> X = np.array([[1, 1, 0, 0], [1, 1, 0, 1], [0, 0, 1, 0], [0, 0, 1, 1]])
    >>> ts.guided_gain(X, ["ham", "ham", "spam", "spam"], shape=1.0).indices
    array([2, 0, 1, 3])
    """
    return choose_by_gain(
        "guided_gain",
        X,
        y,
        k,
        shape=shape,
        temper=temper,
        step=step,
        balance=balance,
        sample_weight=sample_weight,
        term_names=term_names,
        n_threads=n_threads,
        cost=validation.check_positive(cost, "cost"),
        epochs=_EPOCHS,
    )
