"""Ranking -> curve: how many terms to keep, and by which method."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from numbers import Integral
from typing import Any, TypeAlias, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from termsift import _core
from termsift._api.class_counts import ClassCounts, Model
from termsift._api.counting import count_checked
from termsift._counts.table import is_exact
from termsift._evaluate.curve import Curve, Metric, check_metric, curve_of, metrics_of
from termsift._scores.ranking import Ranking
from termsift._scores.registry import (
    MODELS,
    POLICIES,
    Method,
    Policy,
    check_model,
    check_policy,
    find_ranker,
)
from termsift._select.conditional_gain import rank_by
from termsift._util import validation
from termsift._util.extras import require
from termsift._util.log import levels_to_caller
from termsift._util.progress import progress

_Part: TypeAlias = tuple[validation.Csr, validation.Labels, "_core.Count | None"]

# Up to this k every number of terms is looked at, beyond it one in a hundred.
_EVERY_K_TO = 2000
_GROWTH = 1.01


def selection_curve(
    ranking: Ranking | Sequence[int] | NDArray[np.integer],
    X_train: Any,
    y_train: Any,
    X_test: Any,
    y_test: Any,
    ks: Iterable[int] | None = None,
    *,
    naive_bayes: Model = "multinomial",
    alpha: float = 1.0,
    estimator: Any = None,
    n_threads: int | None = None,
) -> Curve:
    """Tell how well naive Bayes does on test documents with the first k terms, for every k.

    Parameters
    ----------
    ranking : Ranking, or array of column indices
        The terms, best first.
    X_train, X_test : CSR or CSC matrix or array, or dense array, of shape (n_docs, n_terms)
        As for `termsift.count`, with the same columns.
    y_train, y_test : sequence of labels
        One class a document. A test document of a class that no training document has is never
        taken for one of it, and counts as an error.
    ks : sequence of int, optional
        Numbers of terms; by default every one from 1 to the length of the ranking, of those beyond
        2,000 each about 1% larger than the one before.
    naive_bayes : {"multinomial", "binary", "bernoulli", "poisson"}
        What the classifier counts, as for `ClassCounts.score`: scikit-learn's MultinomialNB, the
        same of presences, BernoulliNB, and one of Poisson rates.
    alpha : float, default 1.0
        Its smoothing, positive: b1 = alpha, b2 = alpha * k (bernoulli: 2 * alpha, poisson: alpha).
    estimator : scikit-learn classifier, optional
        Fitted and asked to predict for each k, in place of naive Bayes. Needs ks, and scikit-learn.
        Labels that are not all strings or all integers are given to it as numbers from 0 on.
    n_threads : int, optional
        As for `termsift.count`.

    Returns
    -------
    curve : Curve

    Raises
    ------
    ValueError
        If the matrices' columns, the ranking and ks do not fit each other, if there is no test
        document, if a document has several classes or none, and as for `termsift.count`.
    TypeError
        For arguments of another kind.

    Notes
    -----
    At each k the model is the one trained on those k terms alone: for "multinomial"
    log p_ic = log(l_ic + b1) - log(l_c(k) + b2), l_c(k) the occurrences of the k terms in class c.
    The predictions are those of fitting and predicting anew with ``X[:, ranking.indices[:k]]``.
    Classes whose posteriors agree within rounding are equal, and the first is chosen: within 2^-45
    of what is added up for either, such as log(1 + l_ic / b1) for each occurrence, and 2^-53 for
    each term of the document.

    One sweep by rank serves all k: a document is looked at again where it has the next term, and
    where the classes' totals have drifted as far apart as its best two classes are. Memory: 24
    bytes for each k and class.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> X = np.array([[3, 0, 1], [2, 0, 0], [0, 2, 1], [0, 3, 1]])
    >>> y = ["ham", "ham", "spam", "spam"]
    >>> ranking = ts.count(X, y).rank("md")
    >>> curve = ts.selection_curve(ranking, X, y, X, y)
    >>> curve.ks, curve.accuracy
    (array([1, 2, 3]), array([0.5, 1. , 1. ]))
    """
    threads = validation.check_n_threads(n_threads)
    alpha = _check_classifier(naive_bayes, alpha, estimator)
    train = validation.check_matrix(X_train, threads, "X_train")
    test = validation.check_matrix(X_test, threads, "X_test")
    if test.n_terms != train.n_terms:
        raise ValueError(f"X_test has {test.n_terms} columns, X_train {train.n_terms}")
    name = "given"
    if isinstance(ranking, Ranking):
        name = _name(ranking.method, ranking.model, ranking.policy)
    indices = ranking.indices if isinstance(ranking, Ranking) else ranking
    indices = validation.check_indices(indices, train.n_terms, "ranking")
    ks = check_ks(ks, len(indices), estimator)
    y_train, y_test = _one_class(y_train, train, "train"), _one_class(y_test, test, "test")
    validation.check_entries(train, threads, "X_train")  # by their names; the core knows of an X
    validation.check_entries(test, threads, "X_test")
    documents = _Documents.of(test, y_test, y_train.classes)
    if estimator is not None:
        found = _estimate(estimator, train, y_train, None, documents, indices, ks)
    else:
        counts = count_checked(train, y_train, n_threads=threads)
        found = _classify(counts, documents, indices, ks, naive_bayes, alpha, threads)
    return curve_of(name, ks, [found])


def cross_validate(
    X: Any,
    y: Any,
    methods: str | Iterable[str] = ("md",),
    ks: Iterable[int] | None = None,
    cv: Any = 10,
    random_state: Any = 0,
    *,
    models: str | Iterable[str] = ("multinomial",),
    policies: str | Iterable[str] = ("top",),
    repeats: int = 1,
    sample_weight: Any = None,
    naive_bayes: Model = "multinomial",
    alpha: float = 1.0,
    estimator: Any = None,
    n_threads: int | None = None,
) -> dict[str, Curve]:
    """Tell how well a classifier does with the first k terms of several rankings, for every k.

    Each fold's documents are classified after ranking and training on all the others.

    Parameters
    ----------
    X, y
        As for `selection_curve`.
    methods : str or sequence of str
        Names of `termsift.methods` and `termsift.selectors`.
    ks : sequence of int, optional
        As for `selection_curve`, of all terms.
    cv : int, or splitter, or iterable of (train, test) indices, default 10
        Folds; or an object with scikit-learn's ``split(X, y)``. Pairs are taken as they are.
    random_state : int, numpy Generator or None, default 0
        By which the documents are shuffled before they are dealt to the folds.
    models, policies : str or sequence of str
        Of `ClassCounts.rank`. Every method is tried with each of these that it has; one without
        models, or a selector, which has no policy, once.
    repeats : int, default 1
        How many times to deal the documents to the folds.
    sample_weight : array of shape (n_docs,), optional
        A document of weight w counts as w documents: in ranking, in training (the estimator is
        fitted with weights too) and in the metrics.
    naive_bayes, alpha, estimator, n_threads
        As for `selection_curve`. The methods too are smoothed by alpha.

    Returns
    -------
    curves : dict of str to Curve
        In the order of methods, models and policies. The names are those of the method, model and
        policy, without "multinomial" and "top": "md", "md binary round_robin".

    Raises
    ------
    ValueError, TypeError
        As for `selection_curve`; for fewer than 2 folds, or more than any class has documents.

    Warns
    -----
    UserWarning
        If a class has fewer documents than there are folds.

    Notes
    -----
    The documents of each class are shuffled and dealt to the folds in turn, so that folds differ by
    one document at most, in all and of each class. The training counts of a fold are the whole less
    the fold's: every document is counted twice, however many folds there are. Of fractions, whose
    sums round, a fold's training documents are counted anew.

    Folds ignore weights, except that documents of weight 0 are left out first (unless ``cv`` holds
    pairs). A document of weight w counts like w copies of it that every fold keeps together. Copies
    dealt to folds one by one give another result: each is then classified by what was learnt from
    the others. In the metrics, fractional weights are rounded to 2^-62 of their sum.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> X = np.array([[3, 0, 1], [2, 0, 0], [0, 2, 1], [0, 3, 1]])
    >>> y = ["ham", "ham", "spam", "spam"]
    >>> curves = ts.cross_validate(X, y, ["md", "chi2"], ks=[1, 2], cv=2)
    >>> curves["md"].accuracy
    array([0.5, 1. ])
    >>> curves["chi2"].smallest_k()
    2
    """
    threads = validation.check_n_threads(n_threads)
    alpha = _check_classifier(naive_bayes, alpha, estimator)
    matrix = validation.check_matrix(X, threads)
    labels = _one_class(y, matrix, "")
    ks = check_ks(ks, matrix.n_terms, estimator)
    rankers = rankers_of(methods, models, policies)
    weights = validation.check_weights(sample_weight, matrix.n_docs)
    whole = count_checked(matrix, labels, weights, n_threads=threads)  # which checks the matrix
    exact = _leaves_exactly_the_rest(whole, matrix, weights)
    documents, units = _matrix(matrix), _in_whole_units(weights)
    splits = list(_splits(cv, documents, y, labels, weights, repeats, random_state))

    def part(rows: NDArray[np.integer]) -> _Part:
        some = validation.check_matrix(documents[rows], threads)
        codes = validation.Labels(labels.classes, labels.codes[rows], None)
        return some, codes, None if weights is None else weights[rows]

    runs: dict[str, list[Mapping[Metric, NDArray[np.float64]]]] = {name: [] for name in rankers}
    done = 0
    with progress("evaluated", len(splits) * len(rankers), "rankings") as report:
        for train, test in splits:
            left_out = np.ones(matrix.n_docs, dtype=bool)
            left_out[train] = False
            if exact:
                counts = whole - count_checked(*part(np.flatnonzero(left_out)), n_threads=threads)
            else:
                counts = count_checked(*part(train), n_threads=threads)
            counts._warned = done > 0  # of fractions, in every fold the same
            trained_on = None if estimator is None else part(train)
            held, known, _ = part(test)
            held_units = None if units is None else units[test]
            held_out = _Documents(held, known.codes, len(labels.classes), held_units)
            for name, (method, options) in rankers.items():
                ranking = rank_by(
                    method,
                    counts,
                    documents[train] if find_ranker(method).needs == "documents" else None,
                    labels.codes[train],
                    int(ks[-1]),
                    sample_weight=None if weights is None else weights[train],
                    alpha=alpha,
                    n_threads=n_threads,
                    **options,
                )
                if trained_on is None:
                    found = _classify(
                        counts, held_out, ranking.indices, ks, naive_bayes, alpha, threads
                    )
                else:
                    found = _estimate(estimator, *trained_on, held_out, ranking.indices, ks)
                runs[name].append(found)
                done += 1
                if report is not None:
                    report(done)
    # A document may be classified several times, by repeats or by the caller's splits.
    classified = sum(len(test) if units is None else int(units[test].sum()) for _, test in splits)
    times = max(1.0, classified / (matrix.n_docs if units is None else int(units.sum())))
    return {name: curve_of(name, ks, found, times) for name, found in runs.items()}


def choose_k(
    X: Any,
    y: Any,
    method: str = "md",
    *,
    policy: Policy = "top",
    model: Model = "multinomial",
    metric: Metric = "accuracy",
    ks: Iterable[int] | None = None,
    cv: Any = 10,
    random_state: Any = 0,
    sample_weight: Any = None,
    naive_bayes: Model = "multinomial",
    alpha: float = 1.0,
    estimator: Any = None,
    n_threads: int | None = None,
) -> int:
    """Choose how many terms to keep, by cross-validation on the documents given.

    Parameters
    ----------
    X, y, ks, cv, random_state, sample_weight, naive_bayes, alpha, estimator, n_threads
        As for `cross_validate`.
    method, policy, model
        Of `ClassCounts.rank`.
    metric : str, default "accuracy"
        One of those of `Curve`.

    Returns
    -------
    k : int
        The smallest k within one standard error of the best, `Curve.smallest_k`.

    Raises
    ------
    ValueError, TypeError
        As for `cross_validate`, and for a model or policy that the method does not have.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> X = np.array([[3, 0, 1], [2, 0, 0], [0, 2, 1], [0, 3, 1]])
    >>> ts.choose_k(X, ["ham", "ham", "spam", "spam"], cv=2)
    2
    """
    check_metric(metric)
    chosen = find_ranker(method)
    check_model(model, chosen)
    if check_policy(policy) != POLICIES[0] and not isinstance(chosen, Method):
        raise ValueError(f"{method} has no policy {policy!r}")
    curves = cross_validate(
        X,
        y,
        [method],
        ks,
        cv,
        random_state,
        models=[model],
        policies=[policy],
        sample_weight=sample_weight,
        naive_bayes=naive_bayes,
        alpha=alpha,
        estimator=estimator,
        n_threads=n_threads,
    )
    (curve,) = curves.values()
    return curve.smallest_k(metric)


# ---- what is asked -------------------------------------------------------------------------------


def every_k(n_terms: int) -> NDArray[np.int64]:
    """Give every k to 2,000, then each about 1% larger than the one before, and last n_terms."""
    ks = list(range(1, min(n_terms, _EVERY_K_TO) + 1))
    while ks and ks[-1] < n_terms:
        ks.append(min(int(ks[-1] * _GROWTH), n_terms))
    return np.array(ks, dtype=np.int64)


def check_ks(ks: Iterable[int] | None, n_terms: int, estimator: Any = None) -> NDArray[np.int64]:
    """Give distinct numbers of terms, increasing."""
    if ks is None:
        if estimator is not None:
            raise ValueError("an estimator is fitted for each k: say which, ks=[...]")
        if n_terms == 0:
            raise ValueError("there are no terms to choose from")
        return every_k(n_terms)
    listed: list[int] = list(validation.check_iterable(ks, "ks", "integers"))
    for k in listed:
        if isinstance(k, bool) or not isinstance(k, Integral):
            raise TypeError(f"ks must hold integers, got {k!r}")
        if not 1 <= k <= n_terms:
            raise ValueError(f"ks has {k}, expected numbers in [1, {n_terms}], the terms ranked")
    if not listed:
        raise ValueError("ks is empty")
    return np.unique(np.array(listed, dtype=np.int64))


def _check_classifier(naive_bayes: str, alpha: float, estimator: Any) -> float:
    """Check what classifies; return alpha as a float."""
    is_estimator = all(hasattr(estimator, name) for name in ("fit", "predict", "get_params"))
    if estimator is not None and (isinstance(estimator, type) or not is_estimator):
        raise TypeError(f"estimator must be a scikit-learn classifier, got {estimator!r}")
    if not validation.is_one_of(naive_bayes, MODELS):
        raise ValueError(f"naive_bayes must be one of {', '.join(MODELS)}, got {naive_bayes!r}")
    return validation.check_positive(alpha, "alpha")


def rankers_of(
    methods: str | Iterable[str], models: str | Iterable[str], policies: str | Iterable[str]
) -> dict[str, tuple[str, dict[str, Any]]]:
    """Give (method, options of `ClassCounts.rank`) by name, for each method, model and policy."""
    methods, models, policies = (
        validation.check_words(names, name)
        for names, name in ((methods, "methods"), (models, "models"), (policies, "policies"))
    )
    for model in models:
        if not validation.is_one_of(model, MODELS):
            raise ValueError(f"models must be of {', '.join(MODELS)}, got {model!r}")
    for policy in policies:
        check_policy(policy)
    rankers: dict[str, tuple[str, dict[str, Any]]] = {}
    for method in methods:
        chosen = find_ranker(method)
        own_models = [model for model in models if model in chosen.models]
        own_policies = policies if isinstance(chosen, Method) else POLICIES[:1]
        for model in own_models if chosen.models else MODELS[:1]:
            for policy in own_policies:
                options = {"model": model, "policy": policy}
                rankers[_name(method, model, policy)] = (method, options)
    if not rankers:
        raise ValueError("there is nothing to rank by: methods, models or policies are empty")
    return rankers


def _name(method: str, model: str, policy: str) -> str:
    """Give what is not the default of a ranking: "md", "md binary round_robin"."""
    return " ".join(
        [method, *(part for part in (model, policy) if part not in (MODELS[0], POLICIES[0]))]
    )


# ---- documents and folds -------------------------------------------------------------------------


class _Documents:
    """Test documents: codes from n_trained on are of classes that were not trained.

    Weights, if there are any, are in the units of `_in_whole_units`.
    """

    def __init__(
        self,
        matrix: validation.Csr,
        codes: _core.Int32s,
        n_trained: int,
        weights: _core.Int64s | None = None,
    ) -> None:
        if matrix.n_docs == 0:
            raise ValueError("there are no test documents")
        if weights is not None and not weights.any():
            raise ValueError(
                "sample_weight is 0 for all test documents, or below 2^-63 of the sum of all"
            )
        self.matrix, self.codes, self.n_trained = matrix, codes, n_trained
        self.weights = weights

    @classmethod
    def of(
        cls, matrix: validation.Csr, labels: validation.Labels, trained: list[Hashable]
    ) -> _Documents:
        position = {label: code for code, label in enumerate(trained)}
        code_of = [position.setdefault(label, len(position)) for label in labels.classes]
        return cls(matrix, np.array(code_of, dtype=np.int32)[labels.codes], len(trained))

    def support(self) -> NDArray[np.int64]:
        """Documents of each class, those not trained last."""
        return self.count(self.codes)

    def count(self, codes: NDArray[np.integer], of: Any = slice(None)) -> NDArray[np.int64]:
        """Return the weight of each class where ``codes`` are the classes of some documents."""
        counted = np.bincount(codes, minlength=self.n_trained).astype(np.int64)
        if self.weights is not None:
            counted[:] = 0
            np.add.at(counted, codes, self.weights[of])
        return counted


def _one_class(y: Any, matrix: validation.Csr, which: str) -> validation.Labels:
    """Give the labels of documents that have one class each."""
    why = "a document that is taken for one class cannot be right about several"
    return validation.check_one_class(y, matrix.n_docs, why, f"y_{which}" if which else "y")


def _matrix(csr: validation.Csr) -> Any:
    return sp.csr_array((csr.data, csr.indices, csr.indptr), shape=(csr.n_docs, csr.n_terms))


def _leaves_exactly_the_rest(
    whole: ClassCounts, matrix: validation.Csr, weights: _core.Count | None
) -> bool:
    """Whether the counts of some documents, taken from those of all, are those of the others."""
    if is_exact(matrix, weights, whole.tf):
        return True
    is_fractional = np.any(matrix.data[: matrix.indptr[-1]] % 1) or (
        weights is not None and np.any(weights % 1)
    )
    largest = max(whole.class_tokens.max(initial=0), whole.n_docs)
    return not is_fractional and bool(largest <= 2**53)


def _in_whole_units(weights: _core.Count | None) -> _core.Int64s | None:
    """Return weights as whole numbers of one unit, whose sums are the same in any order."""
    if weights is None or weights.dtype.kind == "i":
        return cast("_core.Int64s | None", weights)
    _, exponent = np.frexp(weights.sum())
    units: _core.Int64s = np.rint(np.ldexp(weights, 62 - exponent)).astype(np.int64)
    return units


def _splits(
    cv: Any,
    X: Any,
    y: Any,
    labels: validation.Labels,
    weights: _core.Count | None,
    repeats: int,
    random_state: Any,
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Yield the (train, test) documents of each fold.

    Documents of weight 0 are left out, unless cv holds pairs of indices.
    """
    if isinstance(repeats, bool) or not isinstance(repeats, Integral) or repeats < 1:
        raise ValueError(f"repeats must be a positive integer, got {repeats!r}")
    n_docs = len(labels.codes)
    kept = np.arange(n_docs) if weights is None else np.flatnonzero(weights)
    if isinstance(cv, Integral) and not isinstance(cv, bool):
        weighty = validation.Labels(labels.classes, labels.codes[kept], None)
        for train, test in _stratified(int(cv), weighty, int(repeats), random_state):
            yield kept[train], kept[test]
        return
    if repeats != 1:
        raise ValueError("repeats is of cv=int; another cv says itself how often")
    if hasattr(cv, "split") and not isinstance(cv, (str, bytes, bytearray)):
        if len(kept) < n_docs:
            X, y = X[kept], _as_labels(labels.classes)[labels.codes[kept]]
        pairs = cv.split(X, y)
    else:
        pairs, kept = cv, np.arange(n_docs)
    pairs = validation.check_iterable(pairs, "cv", "pairs of indices, or be a number or splitter")
    n_folds = 0
    for n_folds, pair in enumerate(pairs, start=1):
        try:
            train, test = pair
        except (TypeError, ValueError):
            raise TypeError(f"cv must give pairs (train, test) of indices, got {pair!r}") from None
        where = f"of fold {n_folds - 1}"
        n = len(kept)
        train = validation.check_indices(train, n, f"the training part {where}", "document")
        test = validation.check_indices(test, n, f"the test part {where}", "document")
        yield kept[train], kept[test]
    if n_folds == 0:
        raise ValueError("cv gives no folds")


def _stratified(
    n_folds: int, labels: validation.Labels, repeats: int, random_state: Any
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    class_docs = np.bincount(labels.codes, minlength=len(labels.classes))
    if n_folds < 2:
        raise ValueError(f"cv must be at least 2, got {n_folds}")
    if n_folds > class_docs.max(initial=0):
        raise ValueError(
            f"cv = {n_folds} folds are more than the {class_docs.max(initial=0)} documents of the "
            "largest class"
        )
    least = int(np.argmin(np.where(class_docs > 0, class_docs, len(labels.codes))))
    if class_docs[least] < n_folds:
        warnings.warn(
            f"class {labels.classes[least]!r} has {class_docs[least]} documents, fewer than the "
            f"{n_folds} folds: some folds are without it",
            stacklevel=levels_to_caller(),
        )
    rng = validation.check_random_state(random_state)
    n_docs = len(labels.codes)
    for _ in range(repeats):
        shuffled = rng.permutation(n_docs)
        by_class = shuffled[np.argsort(labels.codes[shuffled], kind="stable")]
        fold_of = np.empty(n_docs, dtype=np.intp)
        fold_of[by_class] = np.arange(n_docs) % n_folds
        for fold in range(n_folds):
            yield np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)


# ---- classifiers ---------------------------------------------------------------------------------


def _classify(
    counts: ClassCounts,
    documents: _Documents,
    indices: NDArray[np.int64],
    ks: NDArray[np.int64],
    naive_bayes: str,
    alpha: float,
    n_threads: int,
) -> dict[Metric, NDArray[np.float64]]:
    """Give the metrics of naive Bayes at each k."""
    n = documents.n_trained
    matrix = documents.matrix
    hits, predicted = _core.classify_by_prefixes(
        counts._counts,
        _core.EventModel.__members__[naive_bayes],
        alpha,
        indices,
        ks,
        matrix.indptr,
        matrix.indices,
        matrix.data,
        matrix.n_terms,
        np.where(documents.codes < n, documents.codes, -1).astype(np.int32),
        _core.TermWeight.__members__[counts.tf],
        documents.weights,
        n_threads,
    )
    return metrics_of(hits, predicted, documents.support())


def _estimate(
    estimator: Any,
    train: validation.Csr,
    y_train: validation.Labels,
    weights: _core.Count | None,
    documents: _Documents,
    indices: NDArray[np.int64],
    ks: NDArray[np.int64],
) -> dict[Metric, NDArray[np.float64]]:
    """Give the metrics of a scikit-learn classifier at each k."""
    clone = require("sklearn.base", "sklearn", "estimator=").clone
    names = _as_labels(y_train.classes)
    code_of = {name: code for code, name in enumerate(names.tolist())}
    X_train, X_test = _summed(train), _summed(documents.matrix)
    weighted = {} if weights is None else {"sample_weight": weights}
    n = documents.n_trained
    hits = np.zeros((len(ks), n), dtype=np.int64)
    predicted = np.zeros((len(ks), n), dtype=np.int64)
    for step, k in enumerate(ks):
        terms = indices[:k]
        fitted = clone(estimator).fit(X_train[:, terms], names[y_train.codes], **weighted)
        found = np.asarray(fitted.predict(X_test[:, terms])).tolist()
        for name in found:
            if not isinstance(name, Hashable) or name not in code_of:
                raise ValueError(f"the estimator predicts {name!r}, which is no label given to it")
        codes = np.array([code_of[name] for name in found])
        right = codes == documents.codes
        predicted[step] = documents.count(codes)
        hits[step] = documents.count(codes[right], right)
    return metrics_of(hits, predicted, documents.support())


def _as_labels(classes: list[Hashable]) -> NDArray[Any]:
    """Give the labels as scikit-learn takes them, all strings or all integers; else their codes."""
    if {type(label) for label in classes} in ({str}, {int}, {bool}):
        names = np.array(classes)
        # A string's last zeros are lost in an array, and integers beyond 64 bits become floats.
        if names.dtype.kind in "Uiub" and names.tolist() == classes:
            return names
    return np.arange(len(classes))


def _summed(csr: validation.Csr) -> Any:
    """Give the matrix with one entry for each document and term: estimators do not add them up."""
    X = _matrix(csr)
    if not X.has_canonical_format:
        # A copy, the user's arrays stay as they are; in 64 bits, since small integers would wrap.
        X = X.astype(X.dtype if X.dtype.itemsize == 8 else np.promote_types(X.dtype, np.int64))
        X.sum_duplicates()
    return X
