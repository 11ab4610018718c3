"""At home in scikit-learn: a transformer that keeps the best terms."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from termsift._api import counting
from termsift._api.class_counts import Alpha, ClassCounts, ClassPrior, Model
from termsift._api.counting import TermFrequency
from termsift._evaluate import evaluation
from termsift._scores.ranking import Ranking
from termsift._scores.registry import Method, Policy, find_ranker
from termsift._evaluate.rankers import rank_by
from termsift._util import validation
from termsift._util.extras import require

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator, clone
    from sklearn.feature_selection import SelectorMixin
else:
    BaseEstimator = require("sklearn.base", "sklearn", "TermSelector").BaseEstimator
    clone = require("sklearn.base", "sklearn", "TermSelector").clone
    SelectorMixin = require("sklearn.feature_selection", "sklearn", "TermSelector").SelectorMixin

from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data


_ROUNDING = 1e-9  # a share of a sum of fractions below which a difference is nothing


def _counts_suffice(selector: TermSelector) -> bool:
    """Whether nothing looks at the documents themselves; else partial_fit is not there."""
    if selector.k == "auto" or find_ranker(selector.method).needs == "documents":
        raise AttributeError(selector._needs_all())
    return True


class TermSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Keep the columns of the best terms.

    A scikit-learn transformer: it works in pipelines, grid searches and column transformers, learns
    from chunks by `partial_fit`, and everything that it learns is in its counts.

    Parameters
    ----------
    method : str, default "md"
        A name of `termsift.methods` or `termsift.selectors`.
    k : int, float, "all", "auto", "fdr" or "fwe", default 1000
        How many terms: a number (all, if there are fewer); a share of them between 0 and 1; "auto",
        as many as cross-validation of naive Bayes asks for (`termsift.choose_k`); or, if the method
        is a test, those that are significant at ``level``, adjusted for the number of terms: by
        Benjamini and Hochberg ("fdr"), so that of those kept the expected share of false
        discoveries is at most that, or by Bonferroni ("fwe"), so that the chance of even one is.
        Those of `chi2` and `g2`, which are of the strongest class, are multiplied by the number of
        classes before.
    policy, model, alpha, class_prior, aggregate
        As for `ClassCounts.rank`.
    tf : {"raw", "log", "binary"}
        As for `termsift.count`. The transformed matrix keeps what it holds.
    level : float, default 0.05
        For k="fdr" and k="fwe".
    cv, random_state
        For k="auto": the folds, and by what the documents are dealt to them, as for
        `termsift.cross_validate`. None means 10 folds, or as many as the largest class has
        documents if they are fewer. A document of weight 0 is ignored, and one of weight w counts
        like w copies of it that every fold keeps together.
    n_threads : int, optional
        As for `termsift.count`.

    Attributes
    ----------
    counts_ : ClassCounts
        What was counted.
    classes_ : ndarray of shape (n_classes,)
    ranking_ : Ranking
        All terms that are kept, best first.
    scores_ : ndarray of shape (n_features,), float64
        The score of each term, if the method has one of each.
    pvalues_ : ndarray of shape (n_features,), float64
        The p-values, if the method is a test.
    class_count_ : ndarray of shape (n_classes,)
        Documents of each class.
    feature_count_ : csr_array of shape (n_classes, n_features)
        Occurrences of each term in each class.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Where X had names that are all strings.

    See Also
    --------
    ClassCounts.rank : The ranking itself.
    termsift.conditional_gain : The selector that looks at the documents.

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
    """

    def __init__(
        self,
        method: str = "md",
        *,
        k: int | float | Literal["all", "auto", "fdr", "fwe"] = 1000,
        policy: Policy = "top",
        model: Model = "multinomial",
        alpha: Alpha = 1.0,
        class_prior: ClassPrior = None,
        aggregate: Literal["sum", "mean", "max"] | None = None,
        tf: TermFrequency = "raw",
        level: float = 0.05,
        cv: Any = None,
        random_state: Any = 0,
        n_threads: int | None = None,
    ) -> None:
        self.method = method
        self.k = k
        self.policy = policy
        self.model = model
        self.alpha = alpha
        self.class_prior = class_prior
        self.aggregate = aggregate
        self.tf = tf
        self.level = level
        self.cv = cv
        self.random_state = random_state
        self.n_threads = n_threads

    def __sklearn_tags__(self) -> Any:
        """Say that X may be sparse and must not be negative, and that y is needed."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.target_tags.required = True
        return tags

    # ---- learning --------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> TermSelector:
        """Count the documents and rank the terms.

        Parameters
        ----------
        X : matrix of shape (n_docs, n_terms)
            CSR, CSC or dense counts.
        y : labels, or indicator matrix of shape (n_docs, n_classes)
        sample_weight : array of shape (n_docs,), optional
            A document of weight w counts as w documents.

        Returns
        -------
        self : TermSelector

        Raises
        ------
        ValueError, TypeError
            As `termsift.count` and `ClassCounts.rank`, and for a k that is not as above.
        """
        with self._as_it_was_on_failure():
            X, y = self._validated(X, y, first=True)
            counts = counting.count(X, y, sample_weight, tf=self.tf, n_threads=self.n_threads)
            n_present = np.count_nonzero(counts.class_docs)
            if n_present == 0:
                raise ValueError(
                    "the sample weights are all zero: there is no document to learn from"
                )
            if n_present == 1:
                raise ValueError(
                    "y holds one class, expected at least two that a term could tell apart"
                )
            self._learn(counts, X, y, sample_weight)
        return self

    @available_if(_counts_suffice)  # type: ignore[untyped-decorator]
    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> TermSelector:
        """Count further documents; the terms are ranked when they are asked for.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`, with the same columns each time.
        classes : sequence of labels, optional
            All labels there may be in this chunk, or the names of an indicator's columns; a label
            outside is an error. They join those known, also where no document has them: late ones
            are welcome. By default the labels that occur, and for an indicator the classes known.

        Returns
        -------
        self : TermSelector

        Raises
        ------
        ValueError, TypeError
            As `fit`. What was counted before stays.
        AttributeError
            If the method or k looks at the documents themselves.
        """
        first = not hasattr(self, "counts_")
        with self._as_it_was_on_failure():
            X, y = self._validated(X, y, first=first)
            if first:
                counts = counting.count(
                    X, y, sample_weight, classes, tf=self.tf, n_threads=self.n_threads
                )
            else:
                so_far = self.counts_ + counting.nothing(self.tf)  # what was counted before stays
                counts = so_far.update(
                    X, y, sample_weight, classes=classes, n_threads=self.n_threads
                )
            self._learn(counts)
        return self

    @contextmanager
    def _as_it_was_on_failure(self) -> Iterator[None]:
        """Have columns of a fit that failed and a ranking of one before in no one selector."""
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _validated(self, X: Any, y: Any, *, first: bool) -> tuple[Any, Any]:
        X, y = validate_data(
            self,
            X,
            y,
            reset=first,
            accept_sparse=["csr", "csc"],
            multi_output=True,
            y_numeric=False,
        )
        check_classification_targets(y)
        values = X if isinstance(X, np.ndarray) else X.data
        if values.size and values.min() < 0:
            raise ValueError(f"Negative values in data passed to TermSelector: {self._negative(X)}")
        return X, y

    @staticmethod
    def _negative(X: Any) -> str:
        rows = X.tocoo() if hasattr(X, "tocoo") else None
        if rows is None:
            row, column = np.argwhere(X < 0)[0]
            value = X[row, column]
        else:
            entry = int(np.argmax(rows.data < 0))
            row, column, value = rows.row[entry], rows.col[entry], rows.data[entry]
        return f"X has {value} at row {row}, column {column}, expected a count"

    def _learn(self, counts: ClassCounts, *documents: Any) -> None:
        """Keep the counts, and the ranking if the documents (X, y, sample_weight) are given."""
        names = getattr(self, "feature_names_in_", None)
        if names is not None:
            counts.term_names = [str(name) for name in names]
        ranking = self._rank(counts, *documents) if documents else None
        # What is asked for later is by the parameters of now, whatever set_params does meanwhile.
        self.counts_, self._ranking = counts, ranking
        self._as_fitted = type(self)(**self.get_params(deep=False))

    # ---- what was learnt -------------------------------------------------------------------------

    @property
    def ranking_(self) -> Ranking:
        """The terms that are kept, best first."""
        self._require_counts("ranking_")
        if self._ranking is None:
            self._ranking = self._as_fitted._rank(self.counts_)
        return self._ranking

    @property
    def scores_(self) -> NDArray[np.float64]:
        """The score of each term."""
        self._require_counts("scores_")
        fitted = self._as_fitted
        if not isinstance(find_ranker(fitted.method), Method):
            raise AttributeError(f"{fitted.method} gives no score to each term, see ranking_")
        return self.counts_.score(
            fitted.method,
            model=fitted.model,
            alpha=fitted.alpha,
            class_prior=fitted.class_prior,
            aggregate=fitted.aggregate,
            n_threads=fitted.n_threads,
        )

    @property
    def pvalues_(self) -> NDArray[np.float64]:
        """The p-value of each term; of `chi2` and `g2`, in the class of the largest statistic."""
        self._require_counts("pvalues_")
        fitted = self._as_fitted
        ranker = find_ranker(fitted.method)
        if not (isinstance(ranker, Method) and ranker.is_test):
            raise AttributeError(f"{fitted.method} is no test and has no p-values")
        return self.counts_.significance(fitted.method, n_threads=fitted.n_threads).pvalues

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels."""
        self._require_counts("classes_")
        return np.array(self.counts_.classes)

    @property
    def class_count_(self) -> NDArray[Any]:
        """Documents of each class."""
        self._require_counts("class_count_")
        return self.counts_.class_docs

    @property
    def feature_count_(self) -> Any:
        """Occurrences of each term in each class, as a csr_array."""
        self._require_counts("feature_count_")
        return self.counts_.term_frequency

    def _require_counts(self, name: str) -> None:
        if "counts_" not in vars(self):  # hasattr must say no before fit
            raise AttributeError(f"TermSelector has no {name} before it is fitted")

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "counts_")
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.ranking_.indices] = True
        return mask

    # ---- choosing --------------------------------------------------------------------------------

    def _rank(self, counts: ClassCounts, *documents: Any) -> Ranking:
        k = self._how_many(counts, *documents)
        of_documents = find_ranker(self.method).needs == "documents"
        if of_documents and not documents:
            raise ValueError(self._needs_all())
        if of_documents:
            self._refuse(f"method={self.method!r}", "alpha", "tf")
        X, y, weights = documents or (None, None, None)
        return rank_by(
            self.method,
            counts,
            X,
            y,
            k,
            sample_weight=weights,
            policy=self.policy,
            model=self.model,
            alpha=self.alpha,
            class_prior=self.class_prior,
            aggregate=self.aggregate,
            n_threads=self.n_threads,
        )

    def _how_many(self, counts: ClassCounts, *documents: Any) -> int:
        k, n_terms = self.k, counts.n_terms
        if isinstance(k, str):
            if k == "all":
                return n_terms
            if k in ("fdr", "fwe"):
                return self._n_significant(counts)
            if k == "auto":
                return self._as_cross_validated(*documents)
        elif isinstance(k, Integral) and not isinstance(k, bool):
            if k >= 0:
                return min(int(k), n_terms)
        elif isinstance(k, Real) and not isinstance(k, bool) and 0 < k <= 1:
            return max(1, round(float(k) * n_terms))
        raise ValueError(
            "k must be a number of terms, a share in (0, 1], 'all', 'auto', 'fdr' or 'fwe', "
            f"got {k!r}"
        )

    def _n_significant(self, counts: ClassCounts) -> int:
        if not isinstance(self.level, Real) or isinstance(self.level, bool):
            raise TypeError(f"level must be a number in (0, 1), got {self.level!r}")
        if not 0 < self.level < 1:
            raise ValueError(f"level must be in (0, 1), got {self.level!r}")
        if self.policy != "top" or self.aggregate is not None:
            raise ValueError(
                f"k={self.k!r} keeps what is significant: it has no policy and no aggregate"
            )
        how: Literal["bh", "bonferroni"] = "bh" if self.k == "fdr" else "bonferroni"
        found = counts.significance(self.method, n_threads=self.n_threads)
        n_present = np.count_nonzero(counts.class_docs)
        if self.method != "chi2_counts" and not (n_present == 2 and _is_partition(counts)):
            # The largest of several classes' statistics exceeds any of them by chance. (Two classes
            # of which each document has one have one and the same.)
            logs = np.minimum(found.log_pvalues + np.log(n_present), 0)
            found = replace(found, log_pvalues=logs)
        # p-values fall as the scores rise: the significant terms are the first of the ranking.
        return int(np.count_nonzero(found.adjusted(how) <= self.level))

    def _as_cross_validated(self, *documents: Any) -> int:
        if not documents:
            raise ValueError(self._needs_all())
        X, y, weights = documents
        self._refuse("k='auto'", "tf", "class_prior", "aggregate")
        if not isinstance(self.alpha, Real):
            raise ValueError(f"k='auto' takes one number for alpha, got {self.alpha!r}")
        return evaluation.choose_k(
            X,
            y,
            self.method,
            policy=self.policy,
            model=self.model,
            alpha=self.alpha,
            cv=_folds_for(X.shape[0], y, weights) if self.cv is None else self.cv,
            random_state=self.random_state,
            sample_weight=weights,
            n_threads=self.n_threads,
        )

    def _refuse(self, what: str, *names: str) -> None:
        """Refuse parameters that mean nothing here, unless they are as usual."""
        usual = {"alpha": 1.0, "tf": "raw", "class_prior": None, "aggregate": None}
        for name in names:
            value = getattr(self, name)
            # Anything else than a word or number, such as an array, may not compare at all.
            comparable = value is None or isinstance(value, (str, Real))
            if not comparable or value not in (usual[name], "empirical"):
                raise ValueError(f"{what} takes no {name}, got {value!r}")

    def _needs_all(self) -> str:
        return f"method={self.method!r}, k={self.k!r} looks at all documents at once: use fit"


def _folds_for(n_docs: int, y: Any, weights: Any) -> int:
    """Return the usual number of folds, or fewer if no class has as many documents."""
    labels = validation.check_labels(y, n_docs, None)
    if labels.indptr is not None:  # documents of several classes, which cross-validation refuses
        return 10
    codes = labels.codes if weights is None else labels.codes[np.asarray(weights) > 0]
    return max(2, min(10, int(np.bincount(codes).max(initial=0))))


def _is_partition(counts: ClassCounts) -> bool:
    """Whether every document, of each term too, is of one class.

    Sums of fractions are equal within rounding only: == would ask which weights they are.
    """
    in_classes = counts.document_frequency.sum(axis=0)
    return bool(
        np.isclose(counts.class_docs.sum(), counts.n_docs, rtol=_ROUNDING, atol=0)
        and np.allclose(in_classes, counts.collection_document_frequency, rtol=_ROUNDING, atol=0)
    )
