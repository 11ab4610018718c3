"""`NaiveBayes`: a classifier with scikit-learn's interface, fitted to counts alone."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import KW_ONLY, dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._classify.posteriors import Posteriors
from termsift._scores.methods import Model
from termsift._scores.ranking import Ranking
from termsift._scores.scoring import ClassPrior
from termsift._util import scipy, validation
from termsift._util.adding import add_documents
from termsift.text import TextRules
from termsift.text._blocks import LabelledTexts, naming_rows, text_blocks
from termsift.text._matrices import BlockCounter

if TYPE_CHECKING:
    from termsift._counts.class_counts import ClassCounts

Terms: TypeAlias = Ranking | Iterable[int] | Iterable[str] | None
BayesModel: TypeAlias = Model | Literal["complement"]

_CELLS = 1 << 21  # The number of (entry, class) pairs that one step computes.
_MADE = ("_counter", "_lookup")  # The caches, which fit drops and a pickle leaves out.
_TIE = 2.0**-44  # Log posteriors tie if they differ from the largest by at most this share.


def naive_bayes(
    counts: ClassCounts,
    terms: Terms = None,
    *,
    model: BayesModel = "multinomial",
    alpha: float = 1.0,
    class_prior: ClassPrior = "empirical",
    n_threads: int | None = None,
) -> NaiveBayes:
    """Return a naive Bayes classifier, fitted to the counts without reading the documents again.

    Parameters
    ----------
    terms, model, alpha, class_prior, n_threads
        As for `termsift.NaiveBayes`.

    Returns
    -------
    classifier : NaiveBayes
        The classifier that scikit-learn would fit to the chosen columns of the documents. A matrix
        to classify must have the same columns as the counts. The classifier also accepts texts if
        `termsift.count_texts` or a `termsift.scan` made the counts and no text rule is a function.

    Raises
    ------
    ValueError, TypeError
        If a term or the model is unknown, if alpha is not positive, if no class has documents, if
        the number of documents of a class is unknown, or if the counts leave out terms.

    Examples
    --------
    >>> import termsift as ts
    >>> texts = ["Bacon and eggs", "Eggs, eggs!", "Cheap pills"]
    >>> counts = ts.count_texts(texts, ["ham", "ham", "spam"])
    >>> classifier = counts.naive_bayes(counts.rank("md", k=3))
    >>> classifier.predict(["Two eggs", "More pills"])
    array(['ham', 'spam'], dtype='<U4')
    """
    counts = counts._snapshot()
    counts._require_documents("naive_bayes")
    counts._require_every_term("naive_bayes")
    options: dict[str, Any] = {"alpha": alpha, "class_prior": class_prior, "n_threads": n_threads}
    return NaiveBayes(terms, model=model, **options)._learn(*counts._state[:5])


@dataclass(eq=False)
class NaiveBayes:
    """A naive Bayes classifier on chosen terms, with scikit-learn's interface.

    `ClassCounts.naive_bayes` fits a classifier to counts, and `fit` fits it to a matrix. Only
    pipelines, grid searches and some text rules need scikit-learn.

    Parameters
    ----------
    terms : Ranking, sequence of int or of str, or None
        The terms of the model, given by column or by name. By default, the model has all terms.
    model : {"multinomial", "binary", "bernoulli", "poisson", "complement"}
        "multinomial", "bernoulli" and "complement" are scikit-learn's MultinomialNB, BernoulliNB
        and ComplementNB. The model "binary" is MultinomialNB on 0 and 1, and "poisson" has Poisson
        rates.
    alpha : float, default 1.0
        The smoothing, above 0, which is added to the count of each term in each class.
    class_prior : {"empirical", "uniform"}, array of shape (n_classes,), or dict
        The class priors, as an array in the order of ``classes_`` or as a dict by label. The model
        "complement" has no priors.
    n_threads : int, optional
        The number of threads that count texts, as for `termsift.count`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_features_in_ : int
        The number of columns in the counts, and in a matrix for `predict`.

    Notes
    -----
    Let class c have n_c documents, d_ic of them with term i, and let term i occur l_ic times in c.
    With k terms and priors pi_c, a document of counts x_i has, up to a constant, the log posteriors

    - multinomial: log pi_c + sum_i x_i log p_ic, p_ic = (l_ic + alpha) / (sum_i l_ic + k alpha);
    - binary: as multinomial, with d_ic instead of l_ic, and 1 instead of each x_i > 0;
    - bernoulli: log pi_c + the sum of log p_ic over present and of log(1 - p_ic) over absent terms,
      with p_ic = (d_ic + alpha) / (n_c + 2 alpha);
    - poisson: log pi_c + sum_i (x_i log r_ic - r_ic), with r_ic = (l_ic + alpha) / (n_c + alpha);
    - complement (Rennie et al. 2003, "Tackling the poor assumptions of naive Bayes text
      classifiers"): -sum_i x_i log p_ic, with the counts of all other classes in p_ic.

    The transformation ``tf`` of the counts also applies to the documents to classify. A class
    without documents has probability 0. If several classes have the same log posterior within a
    relative 2^-44, the first is predicted. The result for a document is the same to the last bit,
    whatever other documents are in the call. In addition to the results, classifying needs 100 MiB
    of memory plus 32 bytes for each pair of a class and a term that occurs in the class. If the
    model has at most 2^24 pairs of a class and a term, a dense array of weights takes up to 128 MiB
    more, or 256 MiB for texts. Models with more pairs, and `leave_one_out`, also need memory for
    the matrix of a block of texts.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> counts = ts.count(np.array([[4, 1, 0], [0, 1, 2]]), ["ham", "spam"])
    >>> counts.naive_bayes(model="complement").predict_proba(np.array([[1, 0, 1]])).round(3)
    array([[0.484, 0.516]])
    """

    terms: Terms = None
    _: KW_ONLY
    model: BayesModel = "multinomial"
    alpha: float = 1.0
    class_prior: ClassPrior = "empirical"
    n_threads: int | None = None

    # ---- fitting ---------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count a matrix, and fit the classifier to its counts.

        Parameters
        ----------
        X, y, sample_weight
            As for `termsift.count`.

        Returns
        -------
        self : NaiveBayes
        """
        threads = validation.check_n_threads(self.n_threads)
        matrix = validation.check_matrix(X, threads)
        labels = validation.check_labels(y, matrix.n_docs, None)
        weights = validation.check_weights(sample_weight, matrix.n_docs)
        counts = add_documents(None, matrix, labels, weights, "raw", threads)
        names = validation.term_names_of(X, None, matrix.n_terms)
        return self._learn(counts, labels.classes, names, "raw", None)

    def _learn(
        self,
        counts: _core.Counts,
        classes: list[Hashable],
        names: NDArray[np.object_] | None,
        tf: str,
        rules: TextRules | None,
    ) -> Self:
        threads = validation.check_n_threads(self.n_threads)
        columns = _columns_of(self.terms, names, counts.n_terms)
        chosen = counts.of_terms(columns, threads)
        posteriors = Posteriors(chosen, self.model, self.alpha, self.class_prior, columns, classes)
        self.classes_, self.n_features_in_ = _as_array(classes), counts.n_terms
        self._posteriors, self._columns, self._tf = posteriors, columns, tf
        self._names, self._rules = None if names is None else names[columns], rules
        self._binary = posteriors.of_presence or tf == "binary"
        for name in _MADE:
            self.__dict__.pop(name, None)
        return self

    # ---- classifying -----------------------------------------------------------------------------

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each document.

        Parameters
        ----------
        X : matrix or texts
            Either a matrix as for `termsift.count`, or texts as for `termsift.count_texts`. A
            matrix must have all columns of the counts, from which the classifier selects its terms.
            Texts are read in blocks.

        Returns
        -------
        labels : ndarray of shape (n_docs,)
        """
        codes = [np.empty(0, dtype=np.int64), *map(best_of, self._joint(X))]
        return self.classes_[np.concatenate(codes)]

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return log probabilities of shape (n_docs, n_classes). ``X`` is as for `predict`."""
        return self._normalised(self._joint(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return probabilities of shape (n_docs, n_classes). ``X`` is as for `predict`."""
        return np.exp(self.predict_log_proba(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of documents classified correctly. ``X`` is as for `predict`."""
        predicted = self.predict(X)
        labels = validation.check_one_class(y, len(predicted), "a prediction is one class")
        true = validation.object_array(labels.classes)[labels.codes]
        is_right = true == validation.object_array(predicted.tolist())
        weights = validation.check_weights(sample_weight, len(predicted))
        if not (len(predicted) if weights is None else weights.any()):
            raise ValueError("there are no documents, expected some to classify")
        return float(np.average(is_right, weights=weights))

    def leave_one_out(self, X: Any, y: Any) -> NDArray[np.float64]:
        """Return the log probabilities of each document after fitting to all other documents.

        Before a document is classified, its counts are subtracted from the counts of its class.

        Parameters
        ----------
        X : matrix or texts
            The documents that were counted, each with the weight 1, as for `predict`.
        y : sequence of labels
            The labels with which the documents were counted.

        Returns
        -------
        log_proba : ndarray of shape (n_docs, n_classes)
            The value for a document's class is -inf if no other document belongs to that class.

        Raises
        ------
        ValueError
            If a term occurs more often in a document than in the counts of its class, or if the
            model is "complement".

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> X, y = np.array([[3, 0], [2, 1], [1, 3], [0, 3]]), ["ham", "ham", "spam", "spam"]
        >>> ts.count(X, y).naive_bayes().leave_one_out(X, y).argmax(axis=1)
        array([0, 0, 1, 1])
        """
        leave = self._fitted.leave_one_out
        with np.errstate(invalid="ignore"):  # with one document, every log posterior is -inf
            log_proba = self._normalised(leave(*part) for part in self._parts(X, y))
        if np.isnan(log_proba).any():
            raise ValueError("leave_one_out needs two documents or more")
        return log_proba

    # ---- documents -------------------------------------------------------------------------------

    def _joint(self, X: Any) -> Iterator[_core.Float64s]:
        """Yield the log posteriors of blocks of documents, up to a constant for each document."""
        fitted = self._fitted
        lookup = None if _is_matrix(X) else self._lookup
        if lookup is None:
            for part, _, row in self._parts(X):
                yield fitted.joint(part, row)
            return
        index, weights, binary = lookup
        threads = validation.check_n_threads(self.n_threads)
        for texts in text_blocks(X):
            yield index.sums(texts, weights, binary, threads) + fitted.constant

    @property
    def _fitted(self) -> Posteriors:
        if not hasattr(self, "classes_"):
            raise AttributeError(
                "the classifier is not fitted: call fit, or use counts.naive_bayes()"
            )
        return self._posteriors

    def _normalised(self, parts: Iterable[_core.Float64s]) -> _core.Float64s:
        """Return all log posteriors, normalised to log probabilities."""
        stacked = np.concatenate([np.empty((0, len(self.classes_))), *parts])
        stacked -= stacked.max(axis=1, keepdims=True)
        stacked -= np.log(np.exp(stacked).sum(axis=1, keepdims=True))
        return stacked

    def _parts(self, X: Any, y: Any = None) -> Iterator[tuple[Any, Any, int]]:
        """Yield the matrix, the class codes and the first row number of each block of documents."""
        row = 0
        for matrix, labels in self._blocks(X, y):
            if labels is not None and labels.indptr is not None:
                raise ValueError("y is an indicator matrix, expected one label per document")
            if matrix.shape[1] != len(self._columns):
                matrix = matrix[:, self._columns]
            cells = len(self.classes_) * (1 + matrix.nnz // max(matrix.shape[0], 1))
            step = max(1, _CELLS // cells)
            for first in range(0, matrix.shape[0], step):
                part = validation.without_duplicates(matrix[first : first + step])
                part = part.astype(np.float64)
                if self._binary:
                    part.data = (part.data > 0).astype(np.float64)
                elif self._tf == "log":
                    part.data = np.log1p(part.data)
                yield part, labels and labels.codes[first : first + step], row
                row += part.shape[0]

    def _blocks(self, X: Any, y: Any) -> Iterator[tuple[Any, validation.Labels | None]]:
        """Yield the documents in blocks: a matrix of counts, and the labels if they were given."""
        labels: validation.Labels | None = None
        if _is_matrix(X):
            threads = validation.check_n_threads(self.n_threads)
            matrix = validation.check_matrix(X, threads)
            if matrix.n_terms != self.n_features_in_:
                raise ValueError(
                    f"X has {validation.number_of(matrix.n_terms, 'column')}, expected the "
                    f"{self.n_features_in_:,} that were counted: the classifier itself selects the "
                    f"columns of its {validation.number_of(len(self._columns), 'term')}"
                )
            validation.check_entries(matrix, threads, "X")
            if y is not None:
                labels = validation.check_labels(y, matrix.n_docs, self.classes_.tolist())
            yield matrix.to_scipy(), labels
        elif y is None:
            for texts in text_blocks(X):
                yield self._counter.count(texts), None
        else:
            documents = LabelledTexts(X, y, classes=self.classes_.tolist())
            for texts, labels in documents:
                with naming_rows(documents.first):
                    block = self._counter.count(texts)
                yield block, labels

    @cached_property
    def _counter(self) -> BlockCounter:
        """The counter for new texts, which uses the text rules of the training counts."""
        return BlockCounter(self._rules_of_terms, validation.check_n_threads(self.n_threads))

    @cached_property
    def _lookup(self) -> tuple[_core.TextIndex, _core.Float64s, bool] | None:
        """The index of the terms, their weights, and whether a term counts once per document.

        `_lookup` is None if texts must be converted to matrices first.
        """
        rules, fitted = self._rules_of_terms, self._posteriors
        if fitted.dense is None or self._tf == "log" or not (rules.native and rules.vocabulary):
            return None
        order = np.argsort(-fitted.frequency, kind="stable")  # frequent terms come first, for speed
        terms = validation.object_array(list(rules.vocabulary))[order].tolist()
        index = _core.TextIndex(rules.native, terms)
        return index, fitted.dense[order], self._binary or rules.binary

    @property
    def _rules_of_terms(self) -> TextRules:
        """The text rules of the counts, with the terms of the model as the vocabulary."""
        rules, names = self._rules, self._names
        unnamed = rules is not None and rules.hashing is None and names is None
        if rules is None or rules.names_functions or unnamed:
            raise ValueError(
                "X holds texts, but the counts hold no rules for them: only count_texts and scan "
                "keep rules, if no rule is a function; pass a matrix of the counted columns"
            )
        if rules.hashing is None and names is not None:
            rules = replace(rules, vocabulary=names.tolist())
        return rules

    # ---- in scikit-learn -------------------------------------------------------------------------

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def set_params(self, **params: Any) -> Self:
        """Set parameters for the next `fit`."""
        for name in params:
            validation.check_choice(name, self.get_params(), "a parameter of NaiveBayes")
        self.__dict__.update(params)
        return self

    def __sklearn_tags__(self) -> Any:
        """Declare that the classifier accepts sparse and dense matrices without negative values."""
        from sklearn import utils

        return utils.Tags(
            estimator_type="classifier",
            target_tags=utils.TargetTags(required=True),
            classifier_tags=utils.ClassifierTags(),
            input_tags=utils.InputTags(sparse=True, positive_only=True),
        )

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the caches, which cannot be pickled and are rebuilt for the next texts."""
        return {name: value for name, value in self.__dict__.items() if name not in _MADE}


def best_of(joint: _core.Float64s) -> NDArray[np.int64]:
    """Return the position of the most probable class in each row of log posteriors."""
    best = joint.max(axis=1, keepdims=True)
    codes: NDArray[np.int64] = np.argmax(joint >= best - _TIE * np.abs(best), axis=1)
    return codes


def _columns_of(terms: Any, names: NDArray[np.object_] | None, n_terms: int) -> _core.Int64s:
    """Return the columns of the chosen terms, in order."""
    if terms is None:
        listed: Any = np.arange(n_terms)
    elif isinstance(terms, Ranking):  # match names, because the columns of other counts may differ
        listed = terms.indices if names is None or terms.terms is None else terms.terms
    else:
        listed = validation.as_sequence(terms, "terms", "columns or names")
    if len(listed) and isinstance(listed[0], str):
        if names is None:
            raise ValueError("terms holds names, but the counts have none: pass column numbers")
        column_of = {name: column for column, name in enumerate(names)}
        for name in listed:
            if not isinstance(name, str) or name not in column_of:
                hint = validation.did_you_mean(name, column_of)
                raise ValueError(f"terms has {name!r}, which is no term of the counts{hint}")
        listed = [column_of[name] for name in listed]
    columns = validation.check_indices(listed, n_terms, "terms")
    if not len(columns):
        raise ValueError("there are no terms, expected at least one")
    return np.sort(columns)


def _is_matrix(X: Any) -> bool:
    """Return whether documents are given as a matrix and not as texts."""
    if isinstance(X, (list, tuple)):
        return len(X) > 0 and not isinstance(X[0], (str, type(None)))
    return len(getattr(X, "shape", ())) > 1 or scipy.sparse.issparse(X)


def _as_array(labels: list[Hashable]) -> NDArray[Any]:
    """Return labels as an array of their common type, or of objects if their types differ."""
    if len(set(map(type, labels))) == 1 and isinstance(labels[0], (str, int, float)):
        array = np.array(labels)
        if array.tolist() == labels:  # numpy would drop a null character at the end of a label
            return array
    return validation.object_array(labels)
