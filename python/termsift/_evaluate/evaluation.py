"""Evaluation curves of rankings, on test documents or by cross-validation."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from termsift._counts.adding import is_exact
from termsift._evaluate.classifiers import Ranked, as_classifier
from termsift._evaluate.curve import Curve, curve_of
from termsift._evaluate.curves import Curves
from termsift._evaluate.rankers import AnyMethod, Ranker, rank_by, rankers_of
from termsift._evaluate.split import ONE_CLASS, LabelledRows, Metrics, Split
from termsift._rank import name_of
from termsift._scores.ranking import Ranking
from termsift._scores.registry import find_ranker
from termsift._scores.scoring import Alpha
from termsift._util import validation
from termsift._util.faults import Message, blaming, concerning, named, said, wrong_value
from termsift._util.messages import levels_to_caller, progress

# By default every k up to _EVERY_K_TO is evaluated. Larger values of k grow by 1% per step.
_EVERY_K_TO = 2000
_GROWTH = 1.01
USUAL_FOLDS = 10
Fold: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp]]  # the training and the test rows


def selection_curve(
    ranking: Ranking | Sequence[int] | NDArray[np.integer],
    X_train: Any,
    y_train: Any,
    X_test: Any,
    y_test: Any,
    ks: Iterable[int] | None = None,
    *,
    classifier: Any = "multinomial",
    classifier_alpha: float = 1.0,
    n_threads: int | None = None,
) -> Curve:
    """Return how well a classifier does on test documents with the first k terms, for every k.

    Parameters
    ----------
    ranking : Ranking, or array of column indices
        The terms, best first.
    X_train, X_test : CSR or CSC matrix or array, or dense array, of shape (n_docs, n_terms)
        As for `termsift.count`. X_train and X_test must have the same columns, and data frames
        must name them alike.
    y_train, y_test : sequence of labels
        One class per document. If a class has no training documents, its test documents are
        always classified wrongly.
    ks : sequence of int, optional
        Numbers of terms. The default is every number from 1 to 2,000, followed by numbers that grow
        by about 1%, up to the length of the ranking.
    classifier : {"multinomial", "binary", "bernoulli", "poisson"} or estimator
        The model of naive Bayes, as for `termsift.NaiveBayes`, which one pass over the ranking
        tests at every k. Any classifier with the interface of scikit-learn, such as
        ``LinearSVC()``, is fitted anew for each k; give a few ks.
    classifier_alpha : float, default 1.0
        The smoothing of naive Bayes, above 0 and no pair, as for `termsift.NaiveBayes`: for each k,
        b2 follows from the number of terms.
    n_threads : int, optional
        The number of threads, by default one per processor (see `termsift.count`). An estimator is
        fitted in as many processes.

    Returns
    -------
    curve : Curve

    Raises
    ------
    ValueError, TypeError
        As for `termsift.count`, and if the matrices have different columns, if the ranking or ks
        do not fit the matrices, if there are no test documents, or if y is an indicator matrix.

    Notes
    -----
    At each k, the predictions equal those of a model fitted to ``X[:, ranking.indices[:k]]``. If
    several classes have the same log posterior within 2^-45 of the magnitudes of its summands, the
    first is predicted. One pass over the ranking evaluates all k, and needs 24 bytes for each k and
    class, with the number of classes rounded up to a multiple of four.

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
    tested = as_classifier(classifier, classifier_alpha, n_threads)
    threads = validation.check_n_threads(n_threads)
    train = _documents(X_train, y_train, threads, "_train")
    test = _documents(X_test, y_test, threads, "_test")
    if test.matrix.n_terms != train.matrix.n_terms:
        raise wrong_value(
            "{X_test} has {columns}, {X_train} {n_train}",
            columns=validation.number_of(test.matrix.n_terms, "column"),
            n_train=train.matrix.n_terms,
        )
    validation.check_columns(X_test, validation.column_names(X_train), "X_test", named("X_train"))
    split = Split(train, None, test)
    name, indices, terms = "given", ranking, None
    if isinstance(ranking, Ranking):
        name = name_of(ranking.method, ranking.model, ranking.policy)
        indices, terms = ranking.indices, ranking._names
    indices = validation.check_indices(indices, train.matrix.n_terms, "ranking")
    for X, which in ((X_train, "X_train"), (X_test, "X_test")):
        validation.check_columns(X, terms, which, said("the {ranking}"), indices)
    with blaming("ranking", instead_of="X"):
        ks = check_ks(ks, len(indices))
    with blaming("y_train", instead_of="counts"), blaming("X_test", instead_of="X"):
        (metrics,) = tested.metrics([(split, indices)], ks)
    return curve_of(name, ks, [metrics])


def cross_validate(
    X: Any,
    y: Any,
    methods: AnyMethod | Iterable[AnyMethod] | Mapping[str, AnyMethod] = ("md",),
    ks: Iterable[int] | None = None,
    cv: Any = USUAL_FOLDS,
    random_state: Any = 0,
    *,
    models: str | Iterable[str] = ("multinomial",),
    policies: str | Iterable[str] = ("top",),
    alpha: Alpha = 1.0,
    classifier: Any = "multinomial",
    classifier_alpha: float = 1.0,
    n_threads: int | None = None,
) -> Curves:
    """Return how well a classifier does with the first k terms of several rankings.

    For each fold, terms are ranked and the classifier is trained on the documents outside the fold.
    The classifier then predicts the classes of the documents in the fold.

    Parameters
    ----------
    X, y
        As for `termsift.count`, with one class per document.
    methods : method, sequence of methods, or dict of str to method
        A method is the name of one of `termsift.methods` or `termsift.selectors`, a function of
        your own, or either with options (see `termsift.method`). A dict gives them other names.
    ks : sequence of int, optional
        As for `selection_curve`, with a ranking of all terms.
    cv : int, splitter of scikit-learn, or iterable of (train, test) indices, default 10
        The number of folds, or the folds themselves, which are used as they are.
    random_state : int, numpy Generator or None, default 0
        The seed of the shuffle that precedes the assignment of documents to folds.
    models, policies : str or sequence of str
        The models are those of `ClassCounts.score`, and the policies those of `ClassCounts.rank`.
        Each method that is only a name is tried with each of the models and policies that it
        supports. Methods without models are tried once per policy. Selectors have no policy.
    alpha : float or pair of floats
        The smoothing of the methods, as for `ClassCounts.score`, unless a method has its own.
    classifier, classifier_alpha, n_threads
        As for `selection_curve`.

    Returns
    -------
    curves : Curves, a dict of str to Curve
        The curves, in the order of methods, models and policies. The name of a curve consists of
        the method, the model and the policy, except that "multinomial" and "top" are left out.
        Examples of names are "md" and "md binary round_robin".

    Raises
    ------
    ValueError, TypeError
        As for `selection_curve`, and if there are fewer than 2 folds, or more folds than the
        largest class has documents, or if no method is left.

    Warns
    -----
    UserWarning
        If a class has fewer documents than there are folds. If a function fails in a fold, or
        returns what is neither scores nor a ranking, it is left out, and the warning names it.

    Notes
    -----
    The documents of each class are shuffled and dealt to the folds in turn. Each document is
    counted only twice, whatever the number of folds. If X holds fractions, each training set is
    counted separately, because sums of fractions may round.

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
    return evaluated(
        X,
        y,
        methods,
        ks,
        cv,
        random_state,
        models=models,
        policies=policies,
        alpha=alpha,
        classifier=classifier,
        classifier_alpha=classifier_alpha,
        n_threads=n_threads,
    )


def evaluated(
    X: Any,
    y: Any,
    methods: Any,
    ks: Iterable[int] | None,
    cv: Any,
    random_state: Any,
    *,
    models: str | Iterable[str],
    policies: str | Iterable[str],
    alpha: Any,
    classifier: Any,
    classifier_alpha: Any,
    n_threads: int | None,
    place: str = "",
) -> Curves:
    """Return what `cross_validate` returns. Warnings of failures begin with ``place``."""
    tested = as_classifier(classifier, classifier_alpha, n_threads)
    documents = _documents(X, y, validation.check_n_threads(n_threads))
    ks = check_ks(ks, documents.matrix.n_terms)
    rankers = rankers_of(methods, models, policies)
    validation.check_alpha(alpha)
    folds = list(folds_of(cv, documents.X, documents.labels, random_state))
    _check_training_classes(folds, documents.labels.codes, rankers)
    # With a splitter or pairs of indices, a document may be tested several times.
    n_docs, n_tested = documents.matrix.n_docs, sum(len(test) for _, test in folds)
    repeats = max(1.0, n_tested / max(n_docs, 1))
    ratio = float(np.mean([len(test) / max(len(train), 1) for train, test in folds]))
    runs = {name: list[Metrics]() for name in rankers}
    names: list[str] = []  # the rankers of the rankings so far
    failed: dict[str, tuple[int, Exception]] = {}  # the fold in which a function failed

    def ranked() -> Iterator[Ranked]:
        for number, split in enumerate(_splits_of(documents, folds)):
            for name in rankers:
                if name in failed:
                    continue
                try:
                    ranking = _ranked(split, rankers[name], int(ks[-1]), alpha, n_threads)
                except Exception as error:
                    if not rankers[name].is_function or isinstance(error, MemoryError):
                        raise
                    failed[name] = number, error
                    continue
                names.append(name)
                yield split, ranking.indices

    with progress("evaluated", len(folds) * len(rankers), "rankings") as report:
        for done, metrics in enumerate(tested.metrics(ranked(), ks)):
            runs[names[done]].append(metrics)
            if report is not None:
                report(done + 1)
    _warn_of_failures(failed, len(rankers), place)
    return Curves(
        {
            name: curve_of(name, ks, found, repeats, ratio)
            for name, found in runs.items()
            if name not in failed
        }
    )


def _ranked(split: Split, ranker: Ranker, k: int, alpha: Any, n_threads: int | None) -> Ranking:
    """Rank the terms by the split's training documents or counts.

    No caller may keep the training documents, or those of two folds would take memory.
    """
    train = split.train if ranker.reads_documents else None
    y = train and (train.y if ranker.is_function else train.labels.codes)
    usual = {} if ranker.is_function else {"alpha": alpha}
    with blaming("y", instead_of="counts"):
        X = train and train.X
        ranking = rank_by(ranker, split.counts, X, y, k, n_threads=n_threads, **usual)
    if len(ranking) < k:
        raise wrong_value(
            "{name} ranked {n}, too few for the largest of {ks}, {k:,}",
            name=ranker.name,
            n=validation.number_of(len(ranking), "term"),
            k=k,
        )
    return ranking


def _check_training_classes(folds: list[Fold], codes: Any, rankers: dict[str, Ranker]) -> None:
    """Refuse a fold whose training documents are all of one class, before anything is computed."""
    comparing = [name for name, ranker in rankers.items() if _compares_classes(ranker)]
    if not comparing or not np.any(codes != codes[:1]):
        return
    for number, (train, _) in enumerate(folds):
        if len(train) and np.all(codes[train] == codes[train[0]]):
            raise wrong_value(
                "the training documents of fold {number} of {cv} are all of one class, and {name} "
                "compares classes: pass other folds",
                number=number,
                name=comparing[0],
            )


def _compares_classes(ranker: Ranker) -> bool:
    """Return whether a ranking needs two classes. A function, df and tfidf may need one."""
    entry = None if ranker.is_function else find_ranker(ranker.method)
    return entry is not None and getattr(entry, "default_aggregate", "") is not None


def _warn_of_failures(failed: dict[str, tuple[int, Exception]], n_rankers: int, place: str) -> None:
    """Name the functions that failed, or raise the error of the first if no method is left."""
    for name, (fold, error) in failed.items():
        if len(failed) == n_rankers:
            error.add_note(f"termsift called {name} in fold {fold} of the cross-validation.")
            raise error
        what = f"{type(error).__name__}: {error}"
        warnings.warn(
            f"{place}{name} is left out, because it failed in fold {fold}: {what}",
            stacklevel=levels_to_caller(),
        )


def _documents(X: Any, y: Any, n_threads: int, suffix: str = "") -> LabelledRows:
    """Check documents with one class each. Errors add ``suffix`` to the names X and y."""
    matrix = validation.check_matrix(X, n_threads, f"X{suffix}")
    labels = validation.check_one_class(y, matrix.n_docs, ONE_CLASS, f"y{suffix}")
    validation.check_entries(matrix, n_threads, f"X{suffix}")
    return LabelledRows(matrix, labels, n_threads)


def _splits_of(documents: LabelledRows, folds: Iterable[Fold]) -> Iterator[Split]:
    """Yield the split of each fold, with training counts by subtraction if that is exact."""
    whole, matrix = documents.counts(), documents.matrix
    is_small = whole.class_tokens.max(initial=0) <= 2**53
    subtract = is_exact(matrix, None, whole.tf) or (
        is_small and not np.any(matrix.data[: matrix.indptr[-1]] % 1)
    )
    for train, test in folds:
        with blaming("cv", instead_of="X_test"):
            split = Split(documents, train, documents.part(test))
        if subtract:
            others = np.ones(matrix.n_docs, dtype=bool)
            others[train] = False
            rest = np.flatnonzero(others)
            left_out = split.test if np.array_equal(rest, test) else documents.part(rest)
            split.counts = whole.minus(left_out.counts())
        else:  # only the first fold may warn about fractions
            split.counts = replace(split.counts, warned=whole.warned)
        yield split


def folds_of(cv: Any, X: Any, labels: validation.Labels, random_state: Any) -> Iterator[Fold]:
    """Yield the folds that ``cv`` defines (see `termsift.cross_validate`)."""
    if validation.is_integer(cv):
        n_folds = validation.check_integer(cv, "cv", least=2)
        yield from _dealt(n_folds, labels, random_state)
        return
    has_split = hasattr(cv, "split") and not isinstance(cv, (str, bytes))
    pairs = cv.split(X, labels.codes) if has_split else cv
    expected = "pairs (train, test) of indices, unless it is an integer or a splitter"
    number = -1
    for number, pair in enumerate(validation.check_iterable(pairs, "cv", expected)):
        part = f"part of fold {number}"
        n_docs = len(labels.codes)
        with blaming("cv"):
            train, test = pair
            train = validation.check_indices(
                train, n_docs, Message(f"the training {part}"), "document"
            )
            test = validation.check_indices(test, n_docs, Message(f"the test {part}"), "document")
        yield train, test
    if number < 0:
        raise wrong_value("{cv} holds no folds")


def _dealt(n_folds: int, labels: validation.Labels, random_state: Any) -> Iterator[Fold]:
    """Shuffle the documents of each class, and assign them to the folds in turn."""
    codes = labels.codes
    class_docs = np.bincount(codes, minlength=len(labels.classes))
    if n_folds > class_docs.max(initial=0):
        most = class_docs.max(initial=0)
        cure = (
            said("pass at most {cv=}", cv=int(most)) if most > 1 else "no class has two documents"
        )
        raise wrong_value(
            "{cv=} makes more folds than the largest class has documents; {cure}",
            cv=n_folds,
            cure=cure,
        )
    smallest = int(np.argmin(np.where(class_docs > 0, class_docs, len(codes))))
    if class_docs[smallest] < n_folds:
        warnings.warn(
            f"class {labels.classes[smallest]!r} has "
            f"{validation.number_of(class_docs[smallest], 'document')}, fewer than the {n_folds} "
            "folds: some folds have no document of this class",
            stacklevel=levels_to_caller(),
        )
    with validation.naming(named("random_state")):
        shuffled = np.random.default_rng(random_state).permutation(len(codes))
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    fold_of = np.empty(len(codes), dtype=np.intp)
    fold_of[by_class] = np.arange(len(codes)) % n_folds
    for fold in range(n_folds):
        yield np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)


def check_ks(ks: Iterable[int] | None, n_terms: int) -> NDArray[np.int64]:
    """Return distinct numbers of terms, increasing. `selection_curve` describes the default."""
    if ks is None:
        if n_terms == 0:
            raise concerning(ValueError("there are no terms to choose from"), "X")
        listed = list(range(1, min(n_terms, _EVERY_K_TO) + 1))
        while listed[-1] < n_terms:
            listed.append(min(int(listed[-1] * _GROWTH), n_terms))
    else:
        numbers = validation.check_iterable(ks, "ks", "integers")
        listed = [validation.check_integer(k, said("each of {ks}"), 1, n_terms) for k in numbers]
    if not listed:
        raise wrong_value("{ks} is empty")
    return np.unique(np.array(listed, dtype=np.int64))
