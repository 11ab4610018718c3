"""`TermSelector`, a scikit-learn transformer that keeps the best terms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from termsift._api import counting
from termsift._api.class_counts import ClassCounts, value_of
from termsift._counts.adding import TermFrequency
from termsift._counts.counts import Counts
from termsift._evaluate.rankers import AnyMethod, as_ranker, rank_by
from termsift._evaluate.split import LabelledRows
from termsift._rank import rank_significant
from termsift._scores.methods import Method, Model
from termsift._scores.ranking import Ranking
from termsift._scores.registry import Policy, find_ranker
from termsift._scores.scoring import Aggregate, Alpha, ClassPrior, score
from termsift._util import validation
from termsift._util.estimator import refuse_continuous, replaced_at_once, snapshot
from termsift._util.extras import require
from termsift._util.faults import all_named, blaming, excluded, named, wrong_value

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator
    from sklearn.feature_selection import SelectorMixin
else:
    BaseEstimator = require("sklearn.base", "sklearn", "TermSelector").BaseEstimator
    SelectorMixin = require("sklearn.feature_selection", "sklearn", "TermSelector").SelectorMixin

from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

_K = 1000  # The number of terms to keep by default.
_RATES = ("fdr", "fwe", "fpr")
_SCORING = ("model", "alpha", "class_prior", "aggregate", "n_threads")


def _counts_suffice(selector: TermSelector) -> bool:
    """Return True if partial_fit is possible, or raise an error that tells the reason."""
    if as_ranker(selector.method).reads_documents:
        raise AttributeError(f"method={selector.method!r} reads all documents at once: use fit")
    return True


def _own_documents(X: Any, y: Any) -> tuple[Any, Any]:
    """Return the documents as a csr_array, and the labels as an array, for a function."""
    matrix = validation.check_matrix(X, 0)
    why = "a function of X and y gets one label for each document"
    rows = LabelledRows(matrix, validation.check_one_class(y, matrix.n_docs, why))
    return rows.X, rows.y


class TermSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Keep the columns of the best terms.

    To choose terms for a classifier, use the method "conditional_gain", which reads all documents.
    In chunks, for `partial_fit`, use "md" with ``model="binary"`` and ``policy="round_robin"``. The
    default is the paper's method.

    Parameters
    ----------
    method : str or callable, default "md"
        The name of one of `termsift.methods` or `termsift.selectors`, a function of your own, or
        either with options (see `termsift.method`).
    k : int or "all", optional
        The number of terms to keep. If there are fewer than k terms, all are kept. If k is None,
        fdr, fwe or fpr decides how many terms are kept, or 1000 are kept if these are None too.
    fdr, fwe, fpr : float, optional
        An error rate, for a method that is a test. At most one of k, fdr, fwe and fpr is given.
        The rate is that of false discoveries (fdr), of any false discovery (fwe), or of false
        positives (fpr). The terms are those of scikit-learn's SelectFdr, SelectFwe and SelectFpr
        with ``termsift.<method>`` (see Notes).
    policy
        As for `ClassCounts.rank`.
    model, alpha, class_prior, aggregate
        As for `ClassCounts.score`.
    tf : {"raw", "log", "binary"}
        As for `termsift.count`. The transformed matrix keeps the values of X.
    n_threads : int, optional
        As for `termsift.count`.

    Attributes
    ----------
    counts_ : ClassCounts
        The counts of all documents that the selector has read. If they are updated, the ranking
        and the scores follow them.
    n_features_in_ : int
        The number of terms.
    feature_names_in_ : ndarray of shape (n_features,)
        The names of the terms, if all column names of X are strings.

    Notes
    -----
    The p-values p_i of the m terms are those of `ClassCounts.significance`, whatever the policy and
    the aggregate. fdr keeps a term if its p-value, adjusted by Benjamini and Hochberg's method, is
    at most the rate, fwe if p_i < fwe / m (Bonferroni), and fpr if p_i < fpr. If no term is kept,
    `transform` warns and returns no columns.

    See Also
    --------
    ClassCounts.rank : Rank the terms of counts.
    termsift.conditional_gain : A selector that reads the documents.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from sklearn.naive_bayes import MultinomialNB
    >>> from sklearn.pipeline import make_pipeline
    >>> import termsift as ts
    >>> documents = ["bacon and eggs", "eggs for breakfast", "buy pills", "cheap pills now"]
    >>> model = make_pipeline(CountVectorizer(), ts.TermSelector(k=2), MultinomialNB())
    >>> _ = model.fit(documents, ["ham", "ham", "spam", "spam"])
    >>> model[:-1].get_feature_names_out()
    array(['eggs', 'pills'], dtype=object)
    >>> model.predict(["more pills"])
    array(['spam'], dtype='<U4')
    >>> X = model[0].transform(documents * 5)
    >>> selector = ts.TermSelector("chi2", fdr=0.001).fit(X, ["ham", "ham", "spam", "spam"] * 5)
    >>> model[0].get_feature_names_out()[selector.ranking_.indices]
    array(['eggs', 'pills'], dtype=object)
    """

    _ranked: tuple[Counts, Ranking | None]  # The ranking of this state of the counts, see `_learn`.

    def __init__(
        self,
        method: AnyMethod = "md",
        *,
        k: int | Literal["all"] | None = None,
        fdr: float | None = None,
        fwe: float | None = None,
        fpr: float | None = None,
        policy: Policy = "top",
        model: Model = "multinomial",
        alpha: Alpha = 1.0,
        class_prior: ClassPrior = "empirical",
        aggregate: Aggregate | None = None,
        tf: TermFrequency = "raw",
        n_threads: int | None = None,
    ) -> None:
        self.method = method
        self.k = k
        self.fdr = fdr
        self.fwe = fwe
        self.fpr = fpr
        self.policy = policy
        self.model = model
        self.alpha = alpha
        self.class_prior = class_prior
        self.aggregate = aggregate
        self.tf = tf
        self.n_threads = n_threads

    def __sklearn_tags__(self) -> Any:
        """Declare that X may be sparse, X must not be negative, and y is required."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.target_tags.required = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> TermSelector:
        """Count the documents and rank the terms.

        Parameters
        ----------
        X, y, sample_weight
            As for `termsift.count`.

        Returns
        -------
        self : TermSelector

        Raises
        ------
        ValueError, TypeError
            As for `termsift.count` and `ClassCounts.rank`, for an invalid k or error rate, and for
            an error rate with a method that is not a test.
        """
        with replaced_at_once(self) as new:
            X, y = new._validated(X, y, reset=True)
            counts = counting.count(X, y, sample_weight, tf=new.tf, n_threads=new.n_threads)
            if np.count_nonzero(counts.class_docs) < 2:
                raise wrong_value(
                    "{y} has documents of at most one class (documents of weight zero do not "
                    "count), expected two classes or more"
                )
            new._learn(counts, X, y, sample_weight)
        return self

    @available_if(_counts_suffice)  # type: ignore[untyped-decorator]
    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> TermSelector:
        """Count more documents. The ranking is computed when it is first needed.

        After an error, the earlier counts are unchanged. The attribute ``partial_fit`` is missing
        if the selector's ``method`` reads all documents at once.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`, with the same columns each time.
        classes : sequence of labels, optional
            As for `ClassCounts.update`.

        Returns
        -------
        self : TermSelector
        """
        with replaced_at_once(self) as new:
            before = getattr(new, "counts_", None)
            X, y = new._validated(X, y, reset=before is None)
            shared: dict[str, Any] = {"classes": classes, "n_threads": new.n_threads}
            if before is None:
                counts = counting.count(X, y, sample_weight, tf=new.tf, **shared)
            else:
                # An error must not change counts_, and the sum is an error if tf has changed.
                copy = before + counting.nothing(new.tf)
                counts = copy.update(X, y, sample_weight, **shared)
            new._learn(counts)
        return self

    def transform(self, X: Any) -> Any:
        """Return the columns of the terms that are kept.

        Parameters
        ----------
        X : matrix
            A matrix with the columns of the matrix that was fitted, as for `fit`.

        Returns
        -------
        X : matrix
            The same documents with fewer columns, in the order of the columns of X.
        """
        validation.refuse_masked(X, "X")  # scikit-learn would drop the mask
        return super(TermSelector, snapshot(self)).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the terms that are kept, in the order of the columns.

        Parameters
        ----------
        input_features : array-like of str or None
            The names of all columns, by default those of the matrix that was fitted.

        Returns
        -------
        names : ndarray of object
            The names.
        """
        now: Any = super(TermSelector, snapshot(self))
        return now.get_feature_names_out(input_features)  # type: ignore[no-any-return]

    def _validated(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
        validation.refuse_other_kinds(X)
        if y is None:
            raise wrong_value("TermSelector requires {y} to be passed, but the target {y} is None")
        y = list(y) if isinstance(y, Iterator) else y
        if isinstance(X, (sparse.coo_array, sparse.coo_matrix)):  # sums of duplicates may overflow
            X = validation.widened(X)
        with blaming("X"):
            checked = validate_data(self, X, reset=reset, accept_sparse=["csr", "csc"])
        # Labels do not pass through scikit-learn, because numpy would make 1 and "1" one class.
        refuse_continuous(validation.check_labels(y, checked.shape[0], None).classes)
        values = checked if isinstance(checked, np.ndarray) else checked.data
        with blaming("X"):
            is_negative = values.size and values.min() < 0
        if is_negative:
            with validation.naming("Negative values in data passed to TermSelector"):
                counting.count(checked, y)  # raises an error that names the row and the column
        # Of a frame, scikit-learn may make floats of large integers.
        return (X if hasattr(X, "columns") else checked), y

    def _learn(self, counts: ClassCounts, *documents: Any) -> None:
        """Store the counts. If the documents (X, y, sample_weight) are given, rank the terms."""
        if hasattr(self, "feature_names_in_"):
            counts.term_names = [str(name) for name in self.feature_names_in_]
        value = value_of(counts)
        ranking = self._rank(value, *documents) if documents else None
        # Later computations use the parameters of this fit, even if set_params changes them.
        fitted = type(self)(**self.get_params(deep=False))
        # A ranking and the state of the counts that was ranked. It is kept beside the parameters,
        # so that a thread that ranks the counts of an earlier fit does not replace it.
        fitted._ranked = value, ranking
        self.counts_, self._as_fitted = counts, fitted

    @property
    def ranking_(self) -> Ranking:
        """The terms that are kept, best first."""
        now = snapshot(self)
        counts, fitted = value_of(now.counts_), now._as_fitted
        ranked, ranking = fitted._ranked
        if ranking is None or counts is not ranked:
            ranker = as_ranker(fitted.method)
            if ranker.reads_documents:
                raise ValueError(
                    f"counts_ changed after fit, but {ranker.name} needs the documents: fit again"
                )
            ranking = fitted._rank(counts)
            fitted._ranked = counts, ranking
        return ranking

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes, with the ranking if it is one of the present counts."""
        state = dict(super().__getstate__())
        state.pop("_ranked", None)
        if "counts_" in state:
            ranked, ranking = state["_as_fitted"]._ranked
            state["_ranking"] = ranking if ranked is value_of(state["counts_"]) else None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "counts_" in state:
            self._as_fitted._ranked = value_of(self.counts_), self.__dict__.pop("_ranking")

    @property
    def scores_(self) -> NDArray[np.float64]:
        """The score of each term, of shape (n_features,), if ``method`` is not a selector.

        With a function of X and y, see `ranking_`.
        """
        now = snapshot(self)
        counts, fitted = value_of(now.counts_), now._as_fitted
        ranker = as_ranker(fitted.method)
        is_method = not ranker.is_function and isinstance(find_ranker(ranker.method), Method)
        if not is_method and (not ranker.is_function or ranker.reads_documents):
            raise AttributeError(f"{ranker.name} does not score each term: see ranking_")
        if not is_method:
            ranking = rank_by(ranker, counts, None, None, n_threads=now.n_threads)
            scores = np.full(counts.n_terms, -np.inf)
            scores[ranking.indices] = ranking.scores
            return scores
        scoring = {**fitted._scoring_of(counts), **ranker.options}
        scoring.pop("policy", None)
        return score(counts, ranker.method, scoring.pop("aggregate"), **scoring)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        now = snapshot(self)
        check_is_fitted(now, "counts_")
        mask = np.zeros(now.n_features_in_, dtype=bool)
        mask[now.ranking_.indices] = True
        return mask

    def _rank(self, counts: Counts, X: Any = None, y: Any = None, weights: Any = None) -> Ranking:
        """Return the terms to keep. Methods that read the documents need X and y."""
        rates = {name: rate for name in _RATES if (rate := getattr(self, name)) is not None}
        if len(given := [*["k"] * (self.k is not None), *rates]) > 1:
            raise excluded(
                "{names} exclude each other: leave out all but one, or set them to None",
                names=all_named(given),
            )
        k: Any = _K if self.k is None else self.k
        k = counts.n_terms if validation.is_one_of(k, ["all"]) else k
        if not validation.is_integer(k) or k < 0:
            raise wrong_value("{k} must be a number of terms or 'all', got {given!r}", given=k)
        ranker = as_ranker(self.method)
        if ranker.reads_documents:
            for name, default in (("alpha", 1.0), ("tf", "raw")):
                if (value := getattr(self, name)) != default:
                    raise wrong_value(
                        "{method=} takes no {name}, got {value!r}",
                        method=ranker.name,
                        name=named(name),
                        value=value,
                    )
        if X is not None and ranker.is_function and ranker.reads_documents:
            X, y = _own_documents(X, y)
        options = {"policy": self.policy, **self._scoring_of(counts)}
        with blaming("y", instead_of="counts"):
            if rates:
                ((kind, rate),) = rates.items()
                how = {**options, **ranker.options}
                return rank_significant(counts, ranker.method, rate, kind, **how)
            return rank_by(ranker, counts, X, y, int(k), sample_weight=weights, **options)

    def _scoring_of(self, counts: Counts) -> dict[str, Any]:
        """Return the options of the score, without a prior that has no effect.

        In a grid search over methods, some methods use the prior, so there is nothing to warn of.
        """
        options = {name: getattr(self, name) for name in _SCORING}
        if self.aggregate is not None:
            validation.check_kind(self.aggregate, str, "aggregate")
        ranker = as_ranker(self.method)
        entry = None if ranker.is_function else find_ranker(ranker.method)
        if isinstance(entry, Method):
            validation.check_class_prior(self.class_prior, counts.classes)
            aggregate = ranker.options.get("aggregate", self.aggregate) or entry.default_aggregate
            if not entry.uses_prior(aggregate):
                options["class_prior"] = "empirical"
        return options
