"""The table of what was counted: how often each term occurs in each class."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable, Iterable
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from termsift import _core
from termsift._counts import file
from termsift._counts.columns import with_columns
from termsift._util import validation
from termsift._util.log import logger


class CountTable:
    """What `ClassCounts` hold, and how they add up; it knows of no score."""

    __slots__ = ("_changing", "_state", "_warned")

    # Counts, classes, names of the terms, tf: changed as one, so that a thread that reads while
    # another updates has all of before or all of after.
    _state: tuple[_core.Counts, list[Hashable], NDArray[np.object_] | None, str]
    _changing: threading.Lock  # held from reading the state to replacing it
    _warned: bool  # of fractions in place of occurrences

    def __init__(self) -> None:
        raise TypeError("use termsift.count or termsift.load")

    @classmethod
    def _of(
        cls,
        counts: _core.Counts,
        classes: list[Hashable],
        term_names: NDArray[np.object_] | None,
        tf: str = "raw",
    ) -> Self:
        self = object.__new__(cls)
        self._state = counts, classes, term_names, tf
        self._changing = threading.Lock()
        self._warned = False
        return self

    @property
    def _counts(self) -> _core.Counts:
        return self._state[0]

    @property
    def _classes(self) -> list[Hashable]:
        return self._state[1]

    @property
    def _term_names(self) -> NDArray[np.object_] | None:
        return self._state[2]

    @property
    def _tf(self) -> str:
        return self._state[3]

    # ---- what was counted ------------------------------------------------------------------------

    @property
    def classes(self) -> list[Hashable]:
        """The labels, in the order of the rows."""
        return list(self._classes)

    @property
    def n_classes(self) -> int:
        """How many classes there are, those without documents included."""
        return len(self._classes)

    @property
    def n_terms(self) -> int:
        """How many terms there are: columns."""
        return self._counts.n_terms

    @property
    def n_docs(self) -> int | float:
        """How many documents were counted."""
        return self._counts.n_docs

    @property
    def class_docs(self) -> _core.Count:
        """Documents of each class, n_c."""
        return self._counts.class_docs

    @property
    def class_tokens(self) -> _core.Count:
        """Occurrences of all terms in each class, l_c."""
        return self._counts.class_tokens

    @property
    def term_frequency(self) -> Any:
        """Occurrences of each term in each class, l_ic."""
        return sp.csr_array(self._counts.term_frequency(), shape=(self.n_classes, self.n_terms))

    @property
    def document_frequency(self) -> Any:
        """Documents of each class that contain each term, d_ic."""
        return sp.csr_array(self._counts.document_frequency(), shape=(self.n_classes, self.n_terms))

    @property
    def tf(self) -> str:
        """What counts of a document's occurrences: "raw", "log" or "binary"."""
        return self._tf

    @property
    def collection_term_frequency(self) -> NDArray[Any]:
        """Occurrences of each term, l_i: those in a document of several classes once."""
        return self._collection(_core.Counts.term_frequency)

    @property
    def collection_document_frequency(self) -> NDArray[Any]:
        """Documents that contain each term, d_i: one of several classes once."""
        return self._collection(_core.Counts.document_frequency)

    def _collection(self, frequency: Callable[[_core.Counts], Any]) -> NDArray[Any]:
        data, terms, _ = frequency(self._counts.as_one_class())
        dense = np.zeros(self.n_terms, dtype=data.dtype)
        dense[terms] = data
        return dense

    @property
    def term_names(self) -> NDArray[np.object_] | None:
        """The names of the terms, or None."""
        return self._term_names

    @term_names.setter
    def term_names(self, names: Iterable[str] | None) -> None:
        with self._changing:
            counts, classes, _, tf = self._state
            self._state = counts, classes, validation.check_term_names(names, counts.n_terms), tf

    def __repr__(self) -> str:
        kind = "exact" if self._counts.exact else "float"
        if self._tf != "raw":
            kind += f", tf={self._tf}"
        return (
            f"<{type(self).__name__} of {self.n_docs:,} documents: {self.n_classes:,} classes x "
            f"{self.n_terms:,} terms, {self._counts.n_pairs:,} pairs, {kind}>"
        )

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same classes, counts (bit for bit), names and ``tf``."""
        if not isinstance(other, CountTable):
            return NotImplemented
        (counts, *about), (other_counts, *about_other) = self._state, other._state
        (classes, names, tf), (other_classes, other_names, other_tf) = about, about_other
        if (tf, classes, counts.exact) != (other_tf, other_classes, other_counts.exact):
            return False
        if not np.array_equal(names, other_names):  # type: ignore[arg-type]
            return False
        mine, theirs = counts.to_arrays(), other_counts.to_arrays()
        # The collection as a whole may be kept in one and be the sum of the classes in the other.
        if mine["has_collection"] != theirs["has_collection"]:
            mine = counts.with_collection().to_arrays()
            theirs = other_counts.with_collection().to_arrays()
        return all(np.array_equal(mine[key], theirs[key]) for key in mine)  # type: ignore[literal-required]

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        counts, *about = self._state
        return self._rebuilt, (counts.to_arrays(), *about)

    # ---- counting on -----------------------------------------------------------------------------

    def update(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        classes: Iterable[Hashable] | None = None,
        n_threads: int | None = None,
        window_bytes: int = _core.default_window_bytes,
    ) -> Self:
        """Count further documents.

        Parameters
        ----------
        X, y, sample_weight, n_threads, window_bytes
            As for `termsift.count`. Classes not seen before join (in order if the present ones
            are, else at the end), and so do terms, as further columns; fewer columns are fine
            too.
        classes : sequence of labels, optional
            As for `termsift.count`. By default the columns of an indicator matrix are the classes
            that there are, or the first of none yet.

        Returns
        -------
        self : ClassCounts

        Raises
        ------
        ValueError, CountOverflowError, TypeError
            As for `termsift.count`; the counts are then as they were.

        Notes
        -----
        What counts is that of the counts, ``tf``. Counting a collection in any chunks gives the
        same bits as counting it at once. Float input turns exact counts into float ones.

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> counts = ts.count(np.array([[2, 1]]), ["ham"])
        >>> counts.update(np.array([[0, 1, 4]]), ["eggs"]).term_frequency.toarray()
        array([[0, 1, 4],
               [2, 1, 0]])
        """
        threads = validation.check_n_threads(n_threads)
        window = validation.check_window_bytes(window_bytes)
        matrix = validation.check_matrix(X, threads)
        weights = validation.check_weights(sample_weight, matrix.n_docs)
        with self._changing:
            before, known, names, tf = self._state
            labels = validation.check_labels(y, matrix.n_docs, classes, known or None)
            if names is not None and matrix.n_terms > before.n_terms:
                raise ValueError(
                    f"X has {matrix.n_terms} terms, but only {before.n_terms} have names: "
                    "set term_names to None first"
                )
            united, in_self, _ = validation.unite_classes(known, labels.classes)
            position = {label: c for c, label in enumerate(united)}
            to_united = np.array([position[label] for label in labels.classes], dtype=np.int32)
            counts = add_documents(
                before.with_classes(in_self),
                matrix,
                validation.Labels(united, to_united[labels.codes], labels.indptr),
                weights,
                tf,
                threads,
                window,
            )
            self._state = counts, united, names, tf
        return self

    def __add__(self, other: Self) -> Self:
        """Unite the counts of two collections: classes by label, terms by index.

        Exact counts add exactly. Float cells are added, which may round differently from counting
        both collections in one.
        """
        if not isinstance(other, CountTable):
            return NotImplemented
        self, other = self._now(), other._now()
        self._require_same_tf(other)
        names = self._common_names(other)
        united, in_self, in_other = validation.unite_classes(self._classes, other._classes)
        counts = self._counts.with_classes(in_self).merge(other._counts.with_classes(in_other))
        return self._of(counts, united, names, self._tf)

    def __sub__(self, other: Self) -> Self:
        """Take the counts of a part from those of the whole, as for a fold of cross-validation.

        The classes stay those of the whole. ValueError if ``other`` cannot be a part: a class or
        count exceeds the whole's, or more documents would have a term than it occurs. In float
        counts, a remainder of fractions within 2^-40 of the whole is rounding and becomes 0, and
        a remainder that rounding has lost is an error.
        """
        if not isinstance(other, CountTable):
            return NotImplemented
        self, other = self._now(), other._now()
        self._require_same_tf(other)
        names = self._common_names(other)
        known = set(self._classes)
        unknown = [c for c in other._classes if c not in known]
        if unknown:
            raise ValueError(
                f"cannot subtract counts that are not part of these: class {unknown[0]!r} is not "
                "among the classes"
            )
        _, _, in_other = validation.unite_classes(self._classes, other._classes)
        counts = self._counts.subtract(other._counts.with_classes(in_other))
        return self._of(counts, list(self._classes), names, self._tf)

    def _now(self) -> Self:
        """Give the counts as they are, whatever is done with these meanwhile."""
        return self._of(*self._state)

    def _require_same_tf(self, other: Self) -> None:
        if self._tf != other._tf:
            raise ValueError(
                f"the counts are of different things: tf={self._tf!r} in one and {other._tf!r} "
                "in the other"
            )

    def _common_names(self, other: Self) -> NDArray[np.object_] | None:
        """Give the names of the united vocabulary; an error where the two disagree."""
        if self._term_names is None or other._term_names is None:
            longer = self if self.n_terms >= other.n_terms else other
            return longer._term_names
        mine, theirs = self._term_names, other._term_names
        shared = min(len(mine), len(theirs))
        differ = np.flatnonzero(mine[:shared] != theirs[:shared])
        if len(differ):
            term = int(differ[0])
            raise ValueError(
                f"the vocabularies differ: term {term} is {mine[term]!r} in one and "
                f"{theirs[term]!r} in the other"
            )
        return mine if len(mine) >= len(theirs) else theirs

    def with_min_df(self, min_df: int) -> Self:
        """Give the counts without the terms of fewer than so many documents.

        Parameters
        ----------
        min_df : int
            Terms in at least so many documents are kept: 2 leaves out, as the paper does, those
            that one document alone has.

        Returns
        -------
        counts : ClassCounts
            Exactly what counting the collection without those terms gives; the documents are all
            there. Terms keep their order and names, and move to the first columns.

        Raises
        ------
        ValueError
            If min_df is less than 1.
        TypeError
            If it is not an integer.

        Notes
        -----
        The documents of a term are ``collection_document_frequency`` (sums of weights), so
        ``np.flatnonzero(counts.collection_document_frequency >= min_df)`` says which terms without
        names are left.

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> counts = ts.count(np.array([[4, 1, 0], [0, 1, 2]]), ["ham", "spam"])
        >>> counts.term_names = ["egg", "the", "jam"]
        >>> list(counts.with_min_df(2).term_names)
        ['the']
        """
        min_df = validation.check_integer(min_df, "min_df")
        kept = self.collection_document_frequency >= min_df
        n_terms = int(kept.sum())
        columns = np.where(kept, np.cumsum(kept) - 1, -1)
        names = None if self._term_names is None else self._term_names[kept]
        return self._with_columns(columns, n_terms, names)

    def _with_columns(
        self, new_column: NDArray[np.int64], n_terms: int, names: NDArray[np.object_] | None
    ) -> Self:
        """Give the counts with each term in its new column, or left out where that is -1."""
        counts = with_columns(self._counts, new_column, n_terms)
        names = validation.check_term_names(names, n_terms)
        return self._of(counts, list(self._classes), names, self._tf)

    def _with_words_sorted(self, words: NDArray[np.object_]) -> Self:
        """Give the counts with their columns in the order of the words that they stand for."""
        order = sorted(range(len(words)), key=words.__getitem__)
        new_column = np.empty(len(words), dtype=np.int64)
        new_column[order] = np.arange(len(words))
        return self._with_columns(new_column, len(words), words[order])

    def _with_classes_renamed(self, labels: list[Hashable]) -> Self:
        """Give the counts with other labels for the classes, in their order."""
        if labels == self._classes:
            return self
        in_order = validation.in_order(labels)
        at = {label: row for row, label in enumerate(labels)}
        counts = self._counts.with_classes([at[label] for label in in_order])
        return self._of(counts, in_order, self._term_names, self._tf)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the counts to a file that `termsift.load` reads.

        Parameters
        ----------
        path : path
            Written atomically: a failure leaves what was there.

        Raises
        ------
        TypeError
            If a label is not None, bool, int, float, str, bytes or a tuple of these.
        """
        file.write_counts(path, *self._state)

    @classmethod
    def _rebuilt(
        cls,
        arrays: _core.CountArrays,
        classes: list[Hashable],
        term_names: NDArray[np.object_] | None,
        tf: str = "raw",
    ) -> Self:
        """Give the counts that were pickled or copied."""
        return cls._of(_core.Counts.from_arrays(**arrays), classes, term_names, tf)


def is_exact(matrix: validation.Csr, weights: _core.Count | None, tf: str) -> bool:
    """Whether what is counted of these documents is an integer."""
    integers = tf == "binary" or (tf == "raw" and matrix.holds_integers)
    return integers and (weights is None or weights.dtype.kind == "i")


def add_documents(
    counts: _core.Counts,
    matrix: validation.Csr,
    labels: validation.Labels,
    weights: _core.Count | None,
    tf: str,
    n_threads: int,
    window_bytes: int,
) -> _core.Counts:
    """Add documents to counts whose classes are ``labels.classes``; gives the sum."""
    exact = counts.exact and is_exact(matrix, weights, tf)
    try:
        added, path = counts.updated(
            matrix.indptr,
            matrix.indices,
            matrix.data,
            matrix.n_terms,
            labels.indptr,
            labels.codes,
            weights if exact else validation.as_float_weights(weights),
            _core.TermWeight.__members__[tf],
            n_threads,
            window_bytes,
        )
    except MemoryError:
        raise MemoryError(
            f"not enough memory to count documents of {matrix.n_terms:,} terms: that takes up to "
            "12 bytes for each term and thread, or 28 for fractions, beside the counts; fewer "
            "terms (of hashing), fewer threads or a smaller window take less"
        ) from None
    logger.debug(
        "counted %d documents, %d terms, %d classes, %d entries by %s",
        matrix.n_docs,
        matrix.n_terms,
        len(labels.classes),
        len(matrix.data),
        path,
    )
    return added
