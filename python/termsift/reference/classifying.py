"""Naive Bayes on the first k terms of a ranking, and its accuracy."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from termsift.reference.counting import Number, as_list, count, read_documents, summed
from termsift.reference.formulas import log
from termsift.reference.ranking import rank, round_robin
from termsift.reference.scoring import class_scores, score
from termsift.reference.tables import class_docs, events, present_classes, smoothing

METRICS = (
    *("accuracy", "precision", "recall", "f1"),
    *("macro_precision", "macro_recall", "macro_f1"),
)

_TIE = 2.0**-45  # Log posteriors with a smaller relative difference are equal.

Curve: TypeAlias = dict[str, list[Any]]


def log_posteriors(
    counts: Any,
    document: dict[int, Number],
    terms: Sequence[int],
    *,
    model: str = "multinomial",
    alpha: float = 1.0,
) -> list[tuple[float, float]]:
    r"""Return the log posterior of each class, up to a constant that all classes share.

    Parameters
    ----------
    counts : ReferenceCounts or similar
        Counts of the training documents.
    document : dict of int to number
        The number of occurrences of each term in the document.
    terms : sequence of int
        The k terms on which the model is trained.
    model : {"multinomial", "binary", "bernoulli", "poisson", "complement"}
        The model (see Notes).
    alpha : float, default 1
        The smoothing: b1 = alpha and b2 = alpha * k, but b2 = 2 * alpha for the model
        "bernoulli" and b2 = alpha for "poisson".

    Returns
    -------
    list of pairs of floats
        For each class, the log posterior and the sum of the absolute values of its summands. The
        log posterior of a class without documents is -inf.

    Notes
    -----
    Let p_ic = (x_ic + b1) / (X_c + b2), and let x_i be the occurrences of term i in the document.
    All sums run over the k terms of the model::

        "multinomial"   log n_c + sum_i x_i log p_ic                  x_ic = l_ic, X_c = sum_i l_ic
        "binary"        the same with x_i = 1                         x_ic = d_ic, X_c = sum_i d_ic
        "bernoulli"     log n_c + sum_{i in document} log p_ic
                                + sum_{i not in it} log(1 - p_ic)     x_ic = d_ic, X_c = n_c
        "poisson"       log n_c + sum_i [x_i log p_ic - p_ic]         x_ic = l_ic, X_c = n_c
        "complement"    - sum_i x_i log p_ic      x_ic = sum_{k != c} l_ik, X_c = sum_i x_ic

    Examples
    --------
    Term 1 is absent from class 0, which has three quarters of the documents.

    >>> counts = count([[2, 0], [1, 0], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> posteriors = log_posteriors(counts, {0: 1, 1: 1}, [0, 1])
    >>> [round(log, 4) for log, _ in posteriors]
    [-0.8755, -1.3863]
    """
    is_complement = model == "complement"
    x_ic, X_c = events(counts, "multinomial" if is_complement else model)
    if is_complement:
        others = ([row for k, row in enumerate(x_ic) if k != c] for c in range(len(x_ic)))
        x_ic = [[sum(row[i] for row in rows) for i in range(len(x_ic[0]))] for rows in others]
    b1, b2 = smoothing(alpha, len(terms), model)
    of_presence = model in ("binary", "bernoulli")
    posteriors = []
    for c, n_c in enumerate(class_docs(counts)):
        if n_c == 0:
            posteriors.append((-math.inf, 0.0))
            continue
        size = Fraction(X_c[c])
        if model in ("multinomial", "binary", "complement"):
            size = sum((Fraction(x_ic[c][i]) for i in terms), Fraction(0))
        parts = [] if is_complement else [math.log(n_c)]
        for i in terms:
            p = (Fraction(x_ic[c][i]) + b1) / (size + b2)
            x = document.get(i, 0)
            if of_presence:
                x = int(x > 0)
            if x > 0:
                parts.append(-x * log(p) if is_complement else x * log(p))
            elif model == "bernoulli":
                parts.append(log(1 - p))
            if model == "poisson":
                parts.append(-float(p))
        posteriors.append((math.fsum(parts), math.fsum(map(abs, parts))))
    return posteriors


def predict(
    counts: Any,
    X: Any,
    terms: Sequence[int],
    *,
    model: str = "multinomial",
    alpha: float = 1.0,
) -> list[int]:
    """Return the predicted class of each document, as the index of its row in the counts.

    Parameters
    ----------
    counts, terms, model, alpha
        As for `log_posteriors`.
    X : sparse or dense array of shape (n_docs, n_terms)
        The documents. Duplicate entries of a sparse matrix are summed.

    Returns
    -------
    list of int
        For each document, the first class whose log posterior equals the largest log posterior. Two
        log posteriors are equal if they differ by at most 2^-45 times the sum of the absolute
        values of their summands.

    Examples
    --------
    >>> counts = count([[2, 0], [1, 0], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> predict(counts, [[1, 1], [0, 2]], [0, 1])
    [0, 1]
    """
    found = []
    for document in map(summed, read_documents(X)[0]):
        posteriors = log_posteriors(counts, document, terms, model=model, alpha=alpha)
        best, size = max(posteriors, key=lambda posterior: posterior[0])
        equal = (log >= best - _TIE * (size + own) for log, own in posteriors)
        found.append(list(equal).index(True))
    return found


def leave_one_out(
    X: Sequence[Sequence[Number]],
    y: Sequence[Hashable],
    terms: Sequence[int],
    *,
    model: str = "multinomial",
    alpha: float = 1.0,
) -> list[list[float]]:
    """Return the log posteriors of each document after training on all other documents.

    Parameters
    ----------
    X, y
        The documents as rows of numbers, and one label for each document.
    terms, model, alpha
        As for `log_posteriors`.

    Returns
    -------
    list of lists of float
        One row for each document. Each row has one log posterior per class, in the order of
        ``count(X, y).classes``.

    Examples
    --------
    >>> X, y = [[2, 0], [1, 0], [0, 2], [0, 1]], ["ham", "ham", "spam", "spam"]
    >>> [round(log, 4) for log in leave_one_out(X, y, [0, 1])[1]]
    [-0.2877, -0.9163]
    """
    found = []
    for d, row in enumerate(X):
        others = [label for other, label in enumerate(y) if other != d]
        counts = count([*X[:d], *X[d + 1 :]], others, classes=count(X, y).classes)
        document = {i: x for i, x in enumerate(row) if x > 0}
        pairs = log_posteriors(counts, document, terms, model=model, alpha=alpha)
        found.append([log for log, _ in pairs])
    return found


def selection_curve(
    ranking: Iterable[int],
    X_train: Any,
    y_train: Any,
    X_test: Any,
    y_test: Any,
    ks: Iterable[int] | None = None,
    *,
    classifier: str = "multinomial",
    alpha: float = 1.0,
) -> Curve:
    """Train and test naive Bayes on the first k terms of a ranking, for several k.

    Parameters
    ----------
    ranking : sequence of int
        Terms, best first.
    X_train, y_train, X_test, y_test
        Documents as for `count`, and one label for each document.
    ks : sequence of int, optional
        The numbers k of terms, by default all numbers from 1 to the length of the ranking.
    classifier, alpha
        The model and the smoothing, as for `log_posteriors`.

    Returns
    -------
    dict of str to list
        The key "k" has the numbers of terms, and "predictions" has the predicted labels of the test
        documents for each k. The other keys are ``METRICS``, with one number for each k.

    Examples
    --------
    >>> X, y = [[3, 0, 1], [2, 0, 0], [0, 2, 1], [0, 3, 1]], ["ham", "ham", "spam", "spam"]
    >>> curve = selection_curve([0, 1], X, y, [[0, 1, 0]], ["spam"])
    >>> curve["predictions"], curve["accuracy"]
    ([['ham'], ['spam']], [0.0, 1.0])
    """
    counts = count(X_train, y_train)
    terms = [int(i) for i in ranking]
    curve: Curve = {name: [] for name in ("k", "predictions", *METRICS)}
    for k in range(1, len(terms) + 1) if ks is None else ks:
        codes = predict(counts, X_test, terms[:k], model=classifier, alpha=alpha)
        labels = [counts.classes[code] for code in codes]
        curve["k"].append(int(k))
        curve["predictions"].append(labels)
        for name, value in metrics(as_list(y_test), labels).items():
            curve[name].append(value)
    return curve


def cross_validate(
    X: Any,
    y: Sequence[Hashable],
    folds: Iterable[tuple[Sequence[int], Sequence[int]]],
    method: str = "md",
    ks: Iterable[int] | None = None,
    *,
    model: str = "multinomial",
    policy: str = "top",
    classifier: str = "multinomial",
    alpha: float = 1.0,
) -> list[Curve]:
    """Rank terms by the training documents of a fold, and test naive Bayes on its test documents.

    Parameters
    ----------
    X, y
        The documents as a list of rows or an array, and one label for each document.
    folds : sequence of pairs of sequences of int
        The training and the test documents of each fold.
    method, model : str
        As for `score`. The scores and the classifier use the same alpha.
    policy : {"top", "round_robin"}
        The policy "top" ranks terms with the function `rank`, and the policy "round_robin" uses the
        function `round_robin`.
    ks, classifier, alpha
        As for `selection_curve`.

    Returns
    -------
    list of dict
        The result of `selection_curve` for each fold.

    Examples
    --------
    >>> X, y = [[3, 0], [0, 2], [2, 0], [0, 3]], ["ham", "spam", "ham", "spam"]
    >>> [curve] = cross_validate(X, y, [([0, 1], [2, 3])])
    >>> curve["accuracy"]
    [0.5, 1.0]
    """
    rows = X if hasattr(X, "tocoo") else np.asarray(X)
    ks = None if ks is None else list(ks)
    curves = []
    for train, test in folds:
        y_train, y_test = ([y[d] for d in part] for part in (train, test))
        counts = count(rows[train], y_train)
        if policy == "top":
            ranking = rank(score(counts, method, model=model, alpha=alpha))
        else:
            by_class = class_scores(counts, method, model=model, alpha=alpha)
            ranking, _ = round_robin(by_class[present_classes(counts)])
        curves.append(
            selection_curve(
                *(ranking, rows[train], y_train, rows[test], y_test, ks),
                classifier=classifier,
                alpha=alpha,
            )
        )
    return curves


def metrics(known: Sequence[Hashable], predicted: Sequence[Hashable]) -> dict[str, float]:
    """Compute each of ``METRICS`` from the true and the predicted labels.

    Suppose that a class has T documents, that a classifier assigns P documents to the class, and
    that H of these P documents belong to the class. The precision of the class is H/P, its recall
    is H/T, and its F1 is 2H/(P + T), where 0/0 is 0. The metrics are means over all classes among
    the true and predicted labels. Metrics whose names begin with "macro" are unweighted means. All
    other metrics are means weighted by the number T of documents of each class.

    Examples
    --------
    >>> found = metrics(["a", "a", "b"], ["a", "b", "b"])
    >>> [round(found[name], 4) for name in METRICS[:4]]
    [0.6667, 0.8333, 0.6667, 0.6667]
    """
    H, P, T = {}, {}, {}
    classes = list(dict.fromkeys([*known, *predicted]))
    for c in classes:
        H[c] = sum(1 for a, b in zip(known, predicted, strict=True) if a == b == c)
        P[c], T[c] = (sum(1 for label in labels if label == c) for labels in (predicted, known))
    of_class = {
        "precision": {c: H[c] / P[c] if P[c] else 0.0 for c in classes},
        "recall": {c: H[c] / T[c] if T[c] else 0.0 for c in classes},
        "f1": {c: 2 * H[c] / (P[c] + T[c]) for c in classes},
    }
    found = {"accuracy": sum(H.values()) / len(known)}
    for name, values in of_class.items():
        found[name] = math.fsum(values[c] * T[c] for c in classes) / len(known)
        found[f"macro_{name}"] = math.fsum(values.values()) / len(classes)
    return {name: found[name] for name in METRICS}
