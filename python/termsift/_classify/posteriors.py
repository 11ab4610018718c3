"""The log posteriors of naive Bayes, from the counts of its terms."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._scores.methods import DOCUMENTS, EVENT_MODELS, MODELS
from termsift._scores.scoring import smoothing_of
from termsift._util import scipy, validation
from termsift._util.faults import concerning, excluded, wrong_value

BAYES_MODELS = (*MODELS, "complement")
_TIE = 2.0**-44  # Log posteriors tie if they differ from the largest by at most this share.
_DENSE_CELLS = 1 << 24  # Up to this number, the weights are stored as a dense array.
_LINE = 64  # The bytes of a cache line.
_ROUNDING = 2.0**-40  # A difference of at most this share of a float count is set to 0.


class Posteriors:
    """Log posteriors of documents, up to a constant for each document.

    The log posterior of a class is its log prior, plus `_absent` of every term, plus x times
    `_present` of each term that occurs x times. `_absent` and `_present` take the events of the
    term in the class (occurrences, or documents with the term), and the size of the class. The
    model "complement" uses the events and the size of all other classes together. Since most terms
    occur in few classes, the code first treats each term as absent from all classes, and then
    corrects the classes in which the term occurs.

    ``constant`` holds the log posteriors of a document without terms. ``frequency`` holds the
    number of events of each term. ``_table`` holds `_present` of each term and class, or is None if
    the array would be too large. Then ``_pairs`` holds the corrections.
    """

    def __init__(
        self,
        counts: _core.Counts,
        model: str,
        alpha: Any,
        class_prior: Any,
        columns: Any,
        classes: list[Hashable],
    ) -> None:
        self._columns = columns  # the columns of the terms, for error messages
        self._model = validation.check_choice(model, BAYES_MODELS, "model")
        event = EVENT_MODELS.get(model, EVENT_MODELS["multinomial"])
        self._b1, (self._b2, _) = smoothing_of(
            validation.check_number(alpha, "alpha"), counts.n_terms, event.outcomes
        )
        self.of_presence = event.reads == DOCUMENTS
        self._by_documents = event.outcomes is not None
        self._docs = counts.class_docs.astype(np.float64)
        self._prior = self._checked_prior(class_prior, classes)
        read = counts.document_frequency if self.of_presence else counts.term_frequency
        self._seen = scipy.sparse.csr_array(read(), shape=(len(self._docs), counts.n_terms))
        self._seen = self._seen.astype(np.float64)
        self._size = self._docs if self._by_documents else self._seen.sum(axis=1)
        self.frequency: _core.Float64s = self._seen.sum(axis=0)
        self._all = np.zeros(counts.n_terms)
        if model == "complement":
            self._all = self.frequency
            self._size = self._size.sum() - self._size
        rows = np.repeat(np.arange(len(self._docs)), np.diff(self._seen.indptr))
        terms, size = self._seen.indices, self._size[rows]
        events = np.abs(self._all[terms] - self._seen.data)
        beyond = self._present(events, size) - self._present(self._all[terms], size)
        weights = scipy.sparse.csr_array((beyond, terms, self._seen.indptr), shape=self._seen.shape)
        by_term = weights.T.tocsr()
        of_class = self._present(0.0, self._size)
        of_term = self._present(self._all, 1.0) - self._present(0.0, 1.0)
        self.constant = self._prior_of(self._docs) + self._of_all(self._size)
        self._table: _core.Float64s | None = None
        self._pairs: Any = None
        if weights.shape[0] * weights.shape[1] <= _DENSE_CELLS:
            self._table = _table(by_term)
            dense = self._table[:, : len(self._docs)]
            dense += of_class
            dense += of_term[:, np.newaxis]
        else:
            ends, rows = by_term.indptr.astype(np.int64), by_term.indices.astype(np.int32)
            self._pairs = by_term.data, (of_class, of_term, ends, rows)

    @property
    def dense(self) -> _core.Float64s | None:
        """The weights of an occurrence of each term in each class, or None if they are too many."""
        return None if self._table is None else self._table[:, : len(self._docs)]

    def _checked_prior(self, class_prior: Any, classes: list[Hashable]) -> _core.Float64s | None:
        """Return the given prior, or None if numbers of documents determine the prior."""
        prior = validation.check_class_prior(class_prior, classes)
        if self._model == "complement":
            if prior is not None:
                raise excluded("{model='complement'} has no prior, so leave out {class_prior}")
            prior = np.ones(len(self._docs))
        if not (self._docs > 0).any():
            text = (
                "naive Bayes needs a class with documents, and there is none (documents of weight "
                "zero do not count)"
            )
            raise concerning(ValueError(text), "y", "sample_weight")
        if prior is not None and not prior[self._docs > 0].any():
            raise wrong_value("{class_prior} is 0 for every class with documents")
        return prior

    def _prior_of(self, docs: _core.Float64s) -> Any:
        """Return the log prior of classes with ``docs`` documents, or -inf for a prior of 0.

        The priors of all documents add up to 1, except that "complement" has no priors.
        """
        prior = docs if self._prior is None else self._prior
        with np.errstate(divide="ignore"):
            log_prior = np.log(np.where(docs > 0, prior, 0))
        if self._model == "complement":
            return log_prior
        return log_prior - np.log(
            (self._docs if self._prior is None else prior)[self._docs > 0].sum()
        )

    def _present(self, events: Any, size: Any) -> Any:
        if self._model == "complement":
            return np.log(size + self._b2) - np.log(events + self._b1)
        if self._model == "bernoulli":  # the log odds: log p - log(1 - p)
            rest = np.maximum(size - events, 0) + (self._b2 - self._b1)
            return np.log(events + self._b1) - np.log(rest)
        return np.log(events + self._b1) - np.log(size + self._b2)

    def _absent(self, events: Any, size: Any) -> Any:
        if self._model == "poisson":
            return -(events + self._b1) / (size + self._b2)
        if self._model == "bernoulli":
            rest = np.maximum(size - events, 0) + (self._b2 - self._b1)
            return np.log(rest) - np.log(size + self._b2)
        return np.zeros_like(events)

    def _of_all(self, size: _core.Float64s) -> Any:
        """Return the sum of `_absent` over all terms, for classes of the sizes ``size``."""
        least = self._absent(np.zeros_like(size), size)
        ends = zip(self._seen.indptr[:-1], self._seen.indptr[1:], strict=True)
        beyond = [
            (self._absent(self._seen.data[i:j], size[c]) - least[c]).sum()
            for c, (i, j) in enumerate(ends)
        ]
        return len(self._all) * least + np.array(beyond)

    # ---- the learned numbers, with scikit-learn's meaning ----------------------------------------

    @property
    def class_count(self) -> _core.Float64s:
        """The number of documents of each class."""
        return self._docs.copy()

    @property
    def events(self) -> _core.Float64s:
        """The number of events of each term in each class, as an array (n_classes, n_terms)."""
        return np.asarray(self._seen.toarray())

    def log_prior(self) -> Any:
        """Return the log of the prior of each class, or of its share of documents without one."""
        if self._model != "complement":
            return self._prior_of(self._docs)
        with np.errstate(divide="ignore"):
            return np.log(self._docs) - np.log(self._docs.sum())

    def log_probabilities(self) -> Any:
        """Return log p_ic, log r_ic or, for "complement", -log p_ic: (n_classes, n_terms)."""
        events, size = self.events, self._size[:, np.newaxis]
        if self._model == "complement":
            return np.log(size + self._b2) - np.log(np.abs(self._all - events) + self._b1)
        return np.log(events + self._b1) - np.log(size + self._b2)

    # ---- documents -------------------------------------------------------------------------------

    def joint(
        self,
        X: validation.Csr,
        term_of: _core.Int32s | None,
        weight: _core.TermWeight,
        n_threads: int,
    ) -> _core.Float64s:
        """Return the log posteriors of the rows of a matrix.

        ``term_of`` holds the term of each column, or -1, and is None if the columns are the terms.
        ``weight`` transforms the values.
        """
        return _core.log_posteriors(*self._linear(term_of), *X.parts, weight, n_threads)

    def predict(
        self,
        X: validation.Csr,
        term_of: _core.Int32s | None,
        weight: _core.TermWeight,
        n_threads: int,
    ) -> _core.Int32s:
        """Return the position of the most probable class of each row of a matrix."""
        return _core.predict_classes(*self._linear(term_of), *X.parts, weight, _TIE, n_threads)

    def _linear(
        self, term_of: _core.Int32s | None
    ) -> tuple[_core.Float64s, _core.Int32s | None, _core.Float64s, Any]:
        """Return the classifier as the core takes it."""
        weights, pairs = self._pairs if self._table is None else (self._table, None)
        return self.constant, term_of, weights, pairs

    def leave_one_out(self, X: Any, codes: Any, first: int, n_threads: int) -> Any:
        """Return the log posteriors of each row, after its removal from the counts of its class."""
        if self._model == "complement":
            raise wrong_value("{model='complement'} has no leave_one_out: use another {model}")
        documents = np.arange(X.shape[0])
        found = self.joint(validation.check_matrix(X, 1), None, _core.TermWeight.raw, n_threads)
        rows = np.repeat(documents, np.diff(X.indptr))
        x, own, length = X.data, codes[rows], X.sum(axis=1)
        events = x  # without entries, indexing in scipy would return a matrix
        if len(x):
            events = np.asarray(self._seen_by_term[X.indices, own]).ravel()
        rest = events - x
        rest[np.abs(rest) <= _ROUNDING * events] = 0
        self._check_counted(X, rest, codes, rows, first)
        prior = self._prior_of(self._docs - 1)[codes]
        of_all = np.zeros(len(documents))
        size = self._size[codes] - length
        if self._by_documents:
            size = self._size[codes] - 1
            of_all = self._of_all(np.maximum(self._size - 1, 0))[codes]
        size = size[rows]
        gains = (
            self._absent(rest, size) - self._absent(events, size) + x * self._present(rest, size)
        )
        found[documents, codes] = prior + of_all + np.bincount(rows, gains, len(documents))
        return found

    @cached_property
    def _seen_by_term(self) -> Any:
        """The events of each term in each class, with a row for each term."""
        return self._seen.T.tocsr()

    def _check_counted(
        self, X: Any, rest: _core.Float64s, codes: Any, rows: Any, first: int
    ) -> None:
        """Check that no document has more of a term than the counts of its class."""
        cure = "expected documents that were counted with this label"
        if len(wrong := np.flatnonzero(self._docs[codes] < 1)):
            row = wrong[0]
            text = f"the class of row {first + row} has fewer than one document; {cure}"
            raise concerning(ValueError(text), "y")
        if len(wrong := np.flatnonzero(rest < 0)):
            entry = wrong[0]
            x, column = X.data[entry], self._columns[X.indices[entry]]
            raise wrong_value(
                "{X} has {x:g} at row {row}, column {column}, but its class has only {n:g}; {cure}",
                x=x,
                row=first + rows[entry],
                column=column,
                n=rest[entry] + x,
                cure=cure,
            )


def _table(by_term: Any) -> _core.Float64s:
    """Return a sparse matrix as an array whose rows, padded with zeros, fill whole cache lines.

    Several short rows share a line, but no row crosses a line without need.
    """
    n_terms, n = by_term.shape
    stride = 1 << (n - 1).bit_length() if n < _LINE // 8 else -(-n * 8 // _LINE) * _LINE // 8
    memory = np.zeros(n_terms * stride * 8 + _LINE, dtype=np.uint8)
    first = -memory.ctypes.data % _LINE
    table = memory[first : first + n_terms * stride * 8].view(np.float64).reshape(n_terms, stride)
    table[:, :n] = by_term.toarray()
    return table


def best_of(joint: _core.Float64s) -> NDArray[np.int64]:
    """Return the position of the most probable class in each row of log posteriors."""
    best = joint.max(axis=1, keepdims=True)
    codes: NDArray[np.int64] = np.argmax(joint >= best - _TIE * np.abs(best), axis=1)
    return codes
