"""`NaiveBayes`: a classifier with scikit-learn's interface, fitted to counts alone."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, replace
from itertools import chain
from typing import Any, ClassVar, Literal, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._classify.posteriors import Posteriors
from termsift._classify.posteriors import best_of as best_of
from termsift._classify.predictions import Predictions
from termsift._counts.adding import add_documents, restored
from termsift._counts.counts import Counts
from termsift._scores.methods import Model
from termsift._scores.ranking import Ranking
from termsift._scores.scoring import ClassPrior
from termsift._util import scipy, validation
from termsift._util.estimator import (
    Estimator,
    check_feature_names,
    raise_not_fitted,
    refuse_continuous,
    replaced_at_once,
    snapshot,
    without_column,
)
from termsift._util.faults import blaming, concerning, wrong_type, wrong_value
from termsift.io._scan import Scan, Scanned, rereading
from termsift.text import TextRules
from termsift.text._blocks import LabelledTexts, UnlabelledTexts
from termsift.text._documents import Block, Documents, OneBlock
from termsift.text._matrices import FixedColumns

Terms: TypeAlias = Ranking | Iterable[int] | Iterable[str] | None
BayesModel: TypeAlias = Literal[Model, "complement"]
_Result = TypeVar("_Result")

_CELLS = 1 << 21  # The number of (entry, class) pairs that one step computes.


@dataclass(eq=False)
class NaiveBayes(Estimator):
    """A naive Bayes classifier on chosen terms, with scikit-learn's interface.

    `ClassCounts.naive_bayes` fits a classifier to counts, and `fit` and `partial_fit` fit it to
    matrices. Only pipelines, grid searches and some text rules need scikit-learn.

    Parameters
    ----------
    terms : Ranking, sequence of int or of str, or None
        The terms of the model, given by column or by name. By default, the model has all terms.
    model : {"multinomial", "binary", "bernoulli", "poisson", "complement"}
        "multinomial", "bernoulli" and "complement" are scikit-learn's MultinomialNB, BernoulliNB
        and ComplementNB. The model "binary" is MultinomialNB on 0 and 1, and "poisson" has Poisson
        rates.
    alpha : float, default 1.0
        The smoothing, above 0, which is added to the count of each term in each class. It is one
        number and no pair, because the size of a class grows by the sum of what its terms get.
    class_prior : {"empirical", "uniform"}, array of shape (n_classes,), or dict
        The class priors, as an array in the order of ``classes_`` or as a dict by label. The model
        "complement" has no priors.
    n_threads : int, optional
        The number of threads, as for `termsift.count`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_features_in_ : int
        The number of columns in the counts, and in a matrix for `predict`.
    feature_names_in_ : ndarray of shape (n_features,)
        The names of the columns, if they have names. A data frame for `predict` must have the same
        columns in the same order.
    class_count_ : ndarray of shape (n_classes,)
        The number of documents of each class, n_c.
    feature_count_ : ndarray of shape (n_classes, n_terms)
        The counts of the model's terms in each class: l_ic, or d_ic for "binary" and "bernoulli".
    class_log_prior_ : ndarray of shape (n_classes,)
        The logarithm of each class's prior. The model "complement" does not use it.
    feature_log_prob_ : ndarray of shape (n_classes, n_terms)
        The logarithm of each p_ic of the model's terms, or of each rate r_ic for "poisson". As in
        scikit-learn, the values of "complement" are -log p_ic.

    Notes
    -----
    Let class c have n_c documents, d_ic of them with term i, and let term i occur l_ic times in c.
    With k terms and priors pi_c, a document of counts x_i has, up to a constant, the log posteriors
    (the result of `predict_joint_log_proba`)

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
    whatever other documents are in the call. If the model has at most 2^24 pairs of a class and a
    term, it holds a dense array of weights, of up to 256 MiB, and 128 MiB more to classify texts. A
    larger model takes 12 bytes for each pair of a class and a term that occurs in the
    class. Then texts, as always in `leave_one_out`, also need memory for the matrix of a block.

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

    _weighted: ClassVar = ("fit", "partial_fit", "score")

    # ---- fitting ---------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count a matrix, and fit the classifier to its counts.

        Parameters
        ----------
        X, y, sample_weight
            As for `termsift.count`. X may have any sparse format.

        Returns
        -------
        self : NaiveBayes
        """
        with replaced_at_once(self) as new:
            new._fit(X, y, None, sample_weight)
        return self

    def partial_fit(
        self, X: Any, y: Any, classes: Iterable[Hashable] | None = None, sample_weight: Any = None
    ) -> Self:
        """Count further documents, and fit the classifier to the counts of all documents.

        The result is that of one `fit` to all documents, bit for bit. The terms remain those of the
        first call or of the counts. After an error, the classifier is unchanged.

        Parameters
        ----------
        X, y, sample_weight
            As for `termsift.count`, with the same columns each time. X may have any sparse format.
        classes : sequence of labels, optional
            As for `termsift.count`. Unlike in scikit-learn, the first call does not need the
            classes, and later calls may add classes.

        Returns
        -------
        self : NaiveBayes

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> classifier = ts.NaiveBayes().partial_fit(np.array([[3, 0]]), ["ham"])
        >>> classifier.partial_fit(np.array([[0, 2]]), ["spam"]).predict(np.array([[1, 4]]))
        array(['spam'], dtype='<U4')
        """
        with replaced_at_once(self) as new:
            if not hasattr(new, "classes_"):
                new._fit(X, y, classes, sample_weight)
            else:
                new._add(X, y, classes, sample_weight)
        return self

    def _add(self, X: Any, y: Any, classes: Iterable[Hashable] | None, sample_weight: Any) -> None:
        threads = validation.check_n_threads(self.n_threads)
        matrix = self._matrix(X, threads)
        labels = _labels_of(y, matrix.n_docs, classes, self._classes)
        weights = validation.check_weights(sample_weight, matrix.n_docs)
        labels, in_self = validation.united_labels(self._classes, labels)
        before = self._counts.with_classes(in_self)
        with self._naming_fault(matrix):
            if matrix.n_terms != before.n_terms:
                validation.check_entries(matrix, threads, "X")
                matrix = validation.check_matrix(matrix.to_scipy()[:, self._columns], threads)
            counts = add_documents(before, matrix, labels, weights, self._tf, threads)
        self._hold(counts, labels.classes, self._columns)

    def _fit(self, X: Any, y: Any, classes: Iterable[Hashable] | None, sample_weight: Any) -> None:
        threads = validation.check_n_threads(self.n_threads)
        matrix = validation.check_matrix(_numbers(X), threads)
        if not matrix.n_terms:
            raise wrong_value(
                "{X} has 0 feature(s) (shape=({n_docs}, 0)) while a minimum of 1 is required.",
                n_docs=matrix.n_docs,
            )
        labels = _labels_of(y, matrix.n_docs, classes)
        weights = validation.check_weights(sample_weight, matrix.n_docs)
        with self._naming_fault(matrix):
            core = add_documents(None, matrix, labels, weights, "raw", threads)
        names = validation.term_names_of(X, None, matrix.n_terms)
        self._learn(Counts(core, labels.classes, names, "raw"))
        if names is not None:
            self.feature_names_in_ = names

    def _learn(self, counts: Counts) -> Self:
        threads = validation.check_n_threads(self.n_threads)
        columns = _columns_of(self.terms, counts.term_names, counts.n_terms)
        self._hold(counts.core.of_terms(columns, threads), counts.classes, columns)
        self.n_features_in_ = counts.n_terms
        self._columns, self._tf, self._rules = columns, counts.tf, counts.rules
        self._names = counts.names_of(columns)
        self.__dict__.pop("feature_names_in_", None)
        return self

    def _hold(self, counts: _core.Counts, classes: list[Hashable], columns: _core.Int64s) -> None:
        """Learn from the counts of the model's terms, and keep them for `partial_fit`."""
        posteriors = Posteriors(counts, self.model, self.alpha, self.class_prior, columns, classes)
        self._posteriors, self._counts, self._classes = posteriors, counts, classes
        self.classes_ = _as_array(classes)
        self._made = dict[str, Any]()  # What `_once` has made of this fit. A pickle leaves it out.

    # ---- what it has learned ---------------------------------------------------------------------

    @property
    def class_count_(self) -> NDArray[np.float64]:
        """The number of documents of each class."""
        return self._fitted.class_count

    @property
    def feature_count_(self) -> NDArray[np.float64]:
        """The counts of the model's terms in each class."""
        return self._fitted.events

    @property
    def class_log_prior_(self) -> NDArray[np.float64]:
        """The logarithm of each class's prior."""
        return np.asarray(self._fitted.log_prior())

    @property
    def feature_log_prob_(self) -> NDArray[np.float64]:
        """The logarithm of the probability of each of the model's terms in each class."""
        return np.asarray(self._fitted.log_probabilities())

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
        now = snapshot(self)
        of_matrix = now._fitted.predict
        found = now._classified(now._documents(X), of_matrix, best_of)
        every: list[Any] = [codes for _, codes in found]
        first, *others = every or [np.empty(0, dtype=np.int64)]
        labels: NDArray[Any] = now.classes_[np.concatenate([first, *others]) if others else first]
        return labels

    def classify(self, scan: Scan) -> Predictions:
        r"""Predict the classes of documents in files of any size, which are read in blocks.

        Parameters
        ----------
        scan : Scan
            The result of `termsift.scan`. Texts are cut by the rules of the counts, not of the
            scan.

        Returns
        -------
        predictions : Predictions
            A table of the documents. Its ``accuracy`` compares the predictions with the labels in
            the files. ``termsift.scan(paths, label=False)`` reads documents without labels.

        Raises
        ------
        ValueError, TypeError
            As for `predict` and for errors in the files, which are named, and if the files hold no
            documents.

        Examples
        --------
        >>> import tempfile, termsift as ts
        >>> from pathlib import Path
        >>> classifier = ts.count_texts(["ripe red plum", "sour lemon"], [1, 2]).naive_bayes()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder, "fruit.csv")
        ...     _ = path.write_text("label,text\n1,red plum\n1,a ripe plum\n2,sour lemon\n")
        ...     found = classifier.classify(ts.scan(path))
        >>> found.labels.tolist(), found.accuracy
        ([1, 1, 2], 1.0)
        """
        now = snapshot(self)
        now._check_fitted()
        validation.check_kind(scan, Scan, "scan")
        return rereading(lambda: now._predictions_for(scan))

    def _predictions_for(self, scan: Scan) -> Predictions:
        """Return the predictions for a scan, which may have to be read again."""
        documents = Scanned(scan, "classified")
        numbers, labels, logs, is_right = [], list[Any](), [], list[bool]()
        known = dict[Hashable, None]()
        for block, predicted, log_probabilities in predictions(self, documents):
            own = block.labels_of()
            is_right += [
                str(label) in map(str, of_document)
                for label, of_document in zip(predicted, own, strict=True)
            ]
            known |= dict.fromkeys(chain.from_iterable(own))
            labels += predicted
            logs.append(log_probabilities)
            numbers.append(np.array(block.rows, dtype=np.int64))
            del block  # free the block before the next block is read
        documents.check_read(documents.n_docs)
        has_labels = scan.options.has_labels
        return Predictions(
            np.concatenate(numbers),
            validation.object_array(labels),
            np.concatenate(logs),
            np.array(is_right) if has_labels else None,
            list(known) if has_labels else [],
        )

    def predict_joint_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the log posteriors before they are normalised, of shape (n_docs, n_classes).

        ``X`` is as for `predict`. As in scikit-learn, the sum for a class is its log prior plus the
        logarithms of the probabilities of the document's terms.
        """
        now = snapshot(self)
        return now._stacked(now._joint(X))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return log probabilities of shape (n_docs, n_classes). ``X`` is as for `predict`."""
        now = snapshot(self)
        return now._normalised(now._joint(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return probabilities of shape (n_docs, n_classes). ``X`` is as for `predict`."""
        return np.exp(self.predict_log_proba(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of documents classified correctly. ``X`` is as for `predict`."""
        predicted = self.predict(X)
        labels = validation.check_one_class(y, len(predicted), "a prediction is one class")
        # Labels are compared as keys, because numpy compares tuples and dates element by element.
        code_of = {label: code for code, label in enumerate(labels.classes)}
        codes = [code_of.get(label, -1) for label in predicted.tolist()]
        is_right = labels.codes == np.array(codes, dtype=np.int64)
        weights = validation.check_weights(sample_weight, len(predicted))
        if not (len(predicted) if weights is None else weights.any()):
            raise concerning(ValueError("there are no documents, expected some to classify"), "X")
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
        now = snapshot(self)
        leave, threads = now._fitted.leave_one_out, validation.check_n_threads(now.n_threads)
        with np.errstate(invalid="ignore"):  # with one document, every log posterior is -inf
            log_proba = now._normalised(leave(*part, threads) for part in now._parts(X, y))
        if np.isnan(log_proba).any():
            raise concerning(ValueError("leave_one_out needs two documents or more"), "X")
        return log_proba

    # ---- documents -------------------------------------------------------------------------------

    def _joint(self, X: Any) -> Iterator[_core.Float64s]:
        """Yield the log posteriors of blocks of documents, up to a constant for each document."""
        self._check_fitted()
        return (joint for _, joint in self._joint_of(self._documents(X)))

    def _joint_of(self, documents: Documents) -> Iterator[tuple[Block, _core.Float64s]]:
        """Yield each block of a stream with its log posteriors."""
        return self._classified(documents, self._fitted.joint, lambda joint: joint)

    def _classified(
        self,
        documents: Documents,
        of_matrix: Callable[..., _Result],
        of_joint: Callable[[_core.Float64s], _Result],
    ) -> Iterator[tuple[Block, _Result]]:
        """Yield each block with a result: of a matrix, or of the log posteriors of texts."""
        threads = validation.check_n_threads(self.n_threads)
        lookup = self._once(self._new_lookup) if documents.has_texts else None
        with documents.placing():
            for block in documents:
                if lookup is None:
                    matrix = self._matrix_of(block, threads)
                    try:
                        result = of_matrix(matrix, self._terms_of(matrix), self._weight, threads)
                    except ValueError:
                        with self._naming_fault(matrix):
                            raise
                else:
                    index, weights, binary = lookup
                    sums = index.sums(block.texts, weights, binary, threads)
                    result = of_joint(sums + self._posteriors.constant)
                yield block, result
                del block  # free the block before the next block is read

    @property
    def _fitted(self) -> Posteriors:
        self._check_fitted()
        return self._posteriors

    def _check_fitted(self) -> None:
        if not hasattr(self, "classes_"):
            raise_not_fitted("the classifier is not fitted: call fit, or use counts.naive_bayes()")

    @property
    def _weight(self) -> _core.TermWeight:
        """How the values of a matrix are transformed."""
        is_binary = self._posteriors.of_presence
        weight: _core.TermWeight = getattr(_core.TermWeight, "binary" if is_binary else self._tf)
        return weight

    def _terms_of(self, matrix: validation.Csr) -> _core.Int32s | None:
        """Return the model's term of each column of a matrix, or -1, or None for these terms."""
        if matrix.n_terms == len(self._columns):
            return None
        term_of = np.full(matrix.n_terms, -1, dtype=np.int32)
        term_of[self._columns] = np.arange(len(self._columns))
        return term_of

    def _stacked(self, parts: Iterable[_core.Float64s]) -> _core.Float64s:
        first, *others = parts if (parts := list(parts)) else [np.empty((0, len(self.classes_)))]
        return np.concatenate([first, *others]) if others else first

    def _normalised(self, parts: Iterable[_core.Float64s]) -> _core.Float64s:
        """Return all log posteriors, normalised to log probabilities."""
        stacked = self._stacked(parts)
        stacked -= stacked.max(axis=1, keepdims=True)
        stacked -= np.log(np.exp(stacked).sum(axis=1, keepdims=True))
        return stacked

    def _parts(self, X: Any, y: Any) -> Iterator[tuple[Any, Any, int]]:
        """Yield the matrix, the class codes and the first row number of each block of documents."""
        row, weight = 0, self._weight
        documents, threads = self._documents(X, y), validation.check_n_threads(self.n_threads)
        for block in documents:
            labels = block.labels
            if labels is None:
                raise wrong_type("{y} must hold a label for each document in order, got None")
            if labels.indptr is not None:
                raise wrong_value("{y} is an indicator matrix, expected one label per document")
            with documents.placing():
                matrix = self._matrix_of(block, threads).to_scipy()
            if matrix.shape[1] != len(self._columns):
                matrix = matrix[:, self._columns]
            cells = len(self.classes_) * (1 + matrix.nnz // max(matrix.shape[0], 1))
            step = max(1, _CELLS // cells)
            for first in range(0, matrix.shape[0], step):
                part = validation.without_duplicates(matrix[first : first + step])
                part = part.astype(np.float64)
                if weight is _core.TermWeight.binary:
                    part.data = (part.data > 0).astype(np.float64)
                elif weight is _core.TermWeight.log:
                    part.data = np.log1p(part.data)
                yield part, labels.codes[first : first + step], row
                row += part.shape[0]

    def _documents(self, X: Any, y: Any = None) -> Documents:
        """Return documents as a stream, with labels if they were given."""
        if not self._is_matrix(X):
            if y is None:
                return UnlabelledTexts(X, argument="X")
            return LabelledTexts(X, y, classes=self._classes, argument="X")
        threads = validation.check_n_threads(self.n_threads)
        matrix = self._matrix(X, threads)
        if y is None:
            return OneBlock(matrix)
        labels = validation.check_labels(y, matrix.n_docs, self._classes)
        with self._naming_fault(matrix):
            validation.check_entries(matrix, threads, "X")
        return OneBlock(matrix, labels)

    def _matrix_of(self, block: Block, threads: int) -> validation.Csr:
        """Return the matrix of a block, which must have the columns of the fitted matrix."""
        if isinstance(block.content, _core.Texts):
            counter = self._once(self._new_counter)
            return validation.check_matrix(counter.count(block.content), threads)
        matrix = block.matrix
        if matrix.n_terms < self.n_features_in_:  # an svmlight file may lack the last columns
            matrix = replace(matrix, n_terms=self.n_features_in_)
        self._check_width(matrix)
        return matrix

    def _matrix(self, X: Any, threads: int) -> validation.Csr:
        """Return a matrix of documents, which must have the columns of the fitted matrix."""
        if (names := getattr(self, "feature_names_in_", None)) is not None:
            check_feature_names(X, names)
        matrix = validation.check_matrix(_numbers(X), threads)
        self._check_width(matrix)
        if names is None:
            validation.check_columns(X, self._names, columns=self._columns)
        return matrix

    def _check_width(self, matrix: validation.Csr) -> None:
        """Check that a matrix has the columns of the fitted matrix."""
        if matrix.n_terms != self.n_features_in_:
            selected = validation.number_of(len(self._columns), "term")
            raise wrong_value(
                "{X} has {n} features, but {kind} is expecting {expected} features as input: pass "
                "all columns that were counted, since the classifier itself selects those of its "
                "{selected}",
                n=matrix.n_terms,
                kind=type(self).__name__,
                expected=self.n_features_in_,
                selected=selected,
            )

    def _is_matrix(self, X: Any) -> bool:
        """Return whether documents are given as numbers and not as texts."""
        if isinstance(X, (list, tuple)):
            for first in X:
                return not isinstance(first, (str, bytes, type(None)))
            return self._rules is None
        if scipy.sparse.issparse(X):
            return True
        if len(getattr(X, "shape", ())) > 1:
            return not validation.holds_texts(X)
        if hasattr(X, "dtype"):
            return getattr(X.dtype, "kind", "O") in "biufc"
        return hasattr(X, "__array__") and not validation.is_column_of_arrow(X)

    @contextmanager
    def _naming_fault(self, matrix: validation.Csr) -> Iterator[None]:
        """Begin the message about a wrong count with scikit-learn's words for it."""
        try:
            yield
        except ValueError:
            data = matrix.data
            if np.isnan(data).any():
                fault = "Input X contains NaN"
            elif np.isinf(data).any():
                fault = "Input X contains infinity"
            elif data.min(initial=0) < 0:
                fault = f"Negative values in data passed to {type(self).__name__}"
            else:
                raise
            with blaming("X"), validation.naming(fault):
                raise

    def _once(self, make: Callable[[], _Result]) -> _Result:
        """Return what a method makes for new texts, which is made once for each fit."""
        made: dict[str, _Result] = self._made
        name = make.__name__
        return made[name] if name in made else made.setdefault(name, make())

    def _new_counter(self) -> FixedColumns:
        """Return a counter for new texts, which uses the text rules of the training counts."""
        return FixedColumns(self._rules_of_terms, validation.check_n_threads(self.n_threads))

    def _new_lookup(self) -> tuple[_core.TextIndex, _core.Float64s, bool] | None:
        """Return an index of the terms, their weights, and whether a term counts once per document.

        The result is None if texts must be converted to matrices first.
        """
        rules, fitted = self._rules_of_terms, self._posteriors
        if fitted.dense is None or self._tf == "log" or not (rules.native and rules.vocabulary):
            return None
        order = np.argsort(-fitted.frequency, kind="stable")  # frequent terms come first, for speed
        terms = validation.object_array(list(rules.vocabulary))[order].tolist()
        index = _core.TextIndex(rules.native, terms)
        binary = self._weight is _core.TermWeight.binary
        return index, fitted.dense[order], binary or rules.binary

    @property
    def _rules_of_terms(self) -> TextRules:
        """The text rules of the counts, with the terms of the model as the vocabulary."""
        rules, names = self._rules, self._names
        unnamed = rules is not None and rules.hashing is None and names is None
        if rules is None or rules.names_functions or unnamed:
            raise wrong_value(
                "{X} holds texts, but the counts hold no rules for them: only count_texts and scan "
                "keep rules, and files keep no functions; pass a matrix of the counted columns"
            )
        if rules.hashing is None and names is not None:
            rules = replace(rules, vocabulary=names.tolist())
        return rules

    # ---- in scikit-learn -------------------------------------------------------------------------

    def __sklearn_tags__(self) -> Any:
        """Declare that X may be sparse and must not be negative, as for MultinomialNB."""
        from sklearn import utils

        return utils.Tags(
            estimator_type="classifier",
            target_tags=utils.TargetTags(required=True),
            classifier_tags=utils.ClassifierTags(poor_score=True),
            input_tags=utils.InputTags(sparse=True, positive_only=True),
        )

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is made again for the next texts. Counts become arrays."""
        state = dict(self.__dict__)
        state.pop("_made", None)
        if "_counts" in state:
            state["_counts"] = state["_counts"].to_arrays()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_counts" in state:
            self._counts, self._made = restored(state["_counts"]), {}


def naive_bayes(counts: Counts, terms: Terms, **parameters: Any) -> NaiveBayes:
    """Return a classifier fitted to counts; see `ClassCounts.naive_bayes`."""
    counts.require_documents("naive_bayes")
    counts.require_every_term("naive_bayes")
    return NaiveBayes(terms, **parameters)._learn(counts)


def predictions(
    classifier: NaiveBayes, documents: Documents
) -> Iterator[tuple[Block, list[Any], _core.Float64s]]:
    """Yield each block of a stream with the predicted labels and their log probabilities."""
    for block, joint in classifier._joint_of(documents):
        labels = classifier.classes_[best_of(joint)].tolist()
        yield block, labels, classifier._normalised([joint]).max(axis=1)
        del block  # free the block before the next block is read


def _columns_of(terms: Any, names: NDArray[np.object_] | None, n_terms: int) -> _core.Int64s:
    """Return the columns of the chosen terms, in order."""
    if terms is None:
        listed: Any = np.arange(n_terms)
    elif isinstance(terms, Ranking):  # match names, because the columns of other counts may differ
        listed = terms.indices if names is None else terms.terms
    else:
        listed = validation.as_sequence(terms, "terms", "columns or names")
    if len(listed) and isinstance(listed[0], str):
        if names is None:
            raise wrong_value("{terms} holds names, but the counts have none: pass column numbers")
        column_of = {name: column for column, name in enumerate(names)}
        for name in listed:
            if not isinstance(name, str) or name not in column_of:
                hint = validation.did_you_mean(name, column_of)
                raise wrong_value(
                    "{terms} has {name!r}, which is no term of the counts{hint}",
                    name=name,
                    hint=hint,
                )
        listed = [column_of[name] for name in listed]
    columns = validation.check_indices(listed, n_terms, "terms")
    if not len(columns):
        raise concerning(ValueError("there are no terms, expected at least one"), "terms")
    return np.sort(columns)


def _numbers(X: Any) -> Any:
    """Return a matrix in a form that `check_matrix` takes, where scikit-learn converts it too."""
    is_sparse: bool = scipy.sparse.issparse(X)
    if is_sparse:
        is_kept = X.format in ("csr", "csc") or len(X.shape) != 2
        return X if is_kept else validation.widened(X).tocsr()
    if hasattr(X, "__array__") and not hasattr(X, "shape"):
        X = validation.as_array(X, "X")
    dtype = getattr(X, "dtype", None)
    if getattr(dtype, "kind", None) == "c":
        raise wrong_value(
            "Complex data not supported: {X} has dtype {dtype}, expected counts", dtype=dtype
        )
    if isinstance(X, np.ndarray) and X.dtype.hasobject:
        validation.refuse_other_kinds(X)
        X.astype(np.float64)  # what is no number is a TypeError, as in scikit-learn
    return X


def _labels_of(
    y: Any,
    n_docs: int,
    classes: Iterable[Hashable] | None,
    indicator_classes: list[Hashable] | None = None,
) -> validation.Labels:
    """Return the labels of a classifier, which are one column and not measurements."""
    if y is None:
        raise wrong_value("NaiveBayes requires {y} to be passed, but the target {y} is None")
    labels = validation.check_labels(without_column(y), n_docs, classes, indicator_classes)
    refuse_continuous(labels.classes)
    return labels


def _as_array(labels: list[Hashable]) -> NDArray[Any]:
    """Return labels as an array of their common type, or of objects if their types differ."""
    if len(set(map(type, labels))) == 1 and isinstance(labels[0], (str, int, float)):
        array = np.array(labels)
        if array.tolist() == labels:  # numpy would drop a null character at the end of a label
            return array
    return validation.object_array(labels)
