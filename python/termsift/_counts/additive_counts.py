"""The counts of a collection by class, and the addition of counts."""

from __future__ import annotations

import io
import os
import threading
import warnings
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._counts import file
from termsift._counts.held import Held, of_classes, of_collection
from termsift._util import scipy, validation
from termsift._util.adding import add_documents, restored
from termsift._util.files import replacing
from termsift._util.messages import levels_to_caller


class AdditiveCounts:
    """The base of `ClassCounts`: counts, and methods that extend, add, subtract and save them."""

    __slots__ = ("_changing", "_state", "_warned")

    # Counts, classes, term names and tf are replaced together, so a thread that reads during an
    # update sees either the old state or the new state. A method that reads the state more than
    # once begins with a snapshot.
    _state: Held
    _changing: threading.Lock  # A thread holds the lock while it replaces the state.
    _warned: set[str]  # The warnings that were given, because each is given only once.

    def __init__(self) -> None:
        raise TypeError("use termsift.count or termsift.load")

    @classmethod
    def _of(cls, state: Held) -> Self:
        self = object.__new__(cls)
        self._hold(state)
        return self

    def _hold(self, state: Held) -> None:
        """Fill a new object."""
        self._state = state
        self._changing = threading.Lock()
        self._warned = set()

    def _snapshot(self) -> Self:
        """Return counts that keep the present state, even if another thread updates these."""
        snapshot = self._of(self._state)
        snapshot._warned = self._warned
        return snapshot

    @property
    def _counts(self) -> _core.Counts:
        return self._state.counts

    # ---- the counts ------------------------------------------------------------------------------

    @property
    def classes(self) -> list[Hashable]:
        """The labels of the classes, in the order of the rows of the counts."""
        return list(self._state.classes)

    @property
    def n_classes(self) -> int:
        """The number of classes, including classes without documents."""
        return len(self._state.classes)

    @property
    def n_terms(self) -> int:
        """The number of terms, which is the number of columns of the counts."""
        return self._counts.n_terms

    @property
    def n_docs(self) -> int | float:
        """The number of documents, or the sum of their weights. Each document counts once."""
        self._require_documents("n_docs")
        return self._counts.n_docs

    @property
    def class_docs(self) -> _core.Count:
        """The number of documents of each class, n_c, or the sum of their weights.

        The shape is (n_classes,). If the number of documents is unknown, as for a frequency list,
        `class_docs`, the document frequencies, and all methods that count documents raise
        ValueError.
        """
        self._require_documents("class_docs")
        return self._counts.class_docs

    @property
    def class_tokens(self) -> _core.Count:
        """The number of occurrences of all terms in each class, l_c, of shape (n_classes,).

        Terms that a frequency list leaves out are counted, too (see `termsift.counts_from_table`).
        """
        return self._counts.class_tokens

    @property
    def term_frequency(self) -> Any:
        """How often a term occurs in a class, l_ic: a csr_array (n_classes, n_terms)."""
        self = self._snapshot()
        shape = self.n_classes, self.n_terms
        return scipy.sparse.csr_array(self._counts.term_frequency(), shape=shape)

    @property
    def document_frequency(self) -> Any:
        """How many documents of a class have a term, d_ic: a csr_array (n_classes, n_terms)."""
        self = self._snapshot()
        self._require_documents("document_frequency")
        shape = self.n_classes, self.n_terms
        return scipy.sparse.csr_array(self._counts.document_frequency(), shape=shape)

    @property
    def tf(self) -> str:
        """How `termsift.count` counted each entry of X, as "raw", "log" or "binary"."""
        return self._state.tf

    @property
    def collection_term_frequency(self) -> NDArray[Any]:
        """How often each term occurs, l_i. A document of several classes counts once."""
        return of_collection(self._counts, "term_frequency")

    @property
    def collection_document_frequency(self) -> NDArray[Any]:
        """How many documents have each term, d_i. A document of several classes counts once."""
        self._require_documents("document_frequency")
        return of_collection(self._counts, "document_frequency")

    @property
    def term_names(self) -> NDArray[np.object_] | None:
        """The names of the terms, which rankings show, or None."""
        return self._state.names

    @term_names.setter
    def term_names(self, names: Iterable[str] | None) -> None:
        with self._changing:
            names = validation.check_term_names(names, self.n_terms)
            self._state = self._state._replace(names=names)

    def __repr__(self) -> str:
        self = self._snapshot()
        rules = self._state.rules
        kind = "exact" if self._counts.exact else "float"
        if self.tf != "raw":
            kind += f", tf={self.tf}"
        n_docs = "unknown documents"
        if not self._counts.undocumented.any():
            n_docs = validation.number_of(self.n_docs, "document")
        return (
            f"<{type(self).__name__} of {n_docs}: "
            f"{validation.number_of(self.n_classes, 'class')} x "
            f"{validation.number_of(self.n_terms, 'term')}, "
            f"{validation.number_of(self._counts.n_pairs, 'pair')}, {kind}"
            f"{f', {rules.shown}' if rules and rules.changed else ''}>"
        )

    def __eq__(self, other: object) -> bool:
        """Return whether classes, names, ``tf`` and, bit for bit, counts are equal."""
        if not isinstance(other, AdditiveCounts):
            return NotImplemented
        counts, classes, names, tf, _ = self._state
        other_counts, other_classes, other_names, other_tf, _ = other._state
        if (tf, classes, counts.exact) != (other_tf, other_classes, other_counts.exact):
            return False
        if not np.array_equal(names, other_names):  # type: ignore[arg-type]
            return False
        mine, theirs = counts.to_arrays(), other_counts.to_arrays()
        # The totals of the collection may overflow, so they are computed only if exactly one of the
        # two objects stores them.
        if mine["has_collection"] != theirs["has_collection"]:
            mine = counts.with_collection().to_arrays()
            theirs = other_counts.with_collection().to_arrays()
        return all(np.array_equal(mine[key], theirs[key]) for key in mine)  # type: ignore[literal-required]

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        """Return the state as arrays and plain values, for pickle, copy and skops."""
        state = self._state._asdict()
        return {**state, "counts": state["counts"].to_arrays()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._hold(Held(**{**state, "counts": restored(state["counts"])}))

    @property
    def _present(self) -> NDArray[np.bool_]:
        """Whether each class has documents or tokens; scores ignore all other classes."""
        present: NDArray[np.bool_] = (self._counts.class_docs > 0) | (self.class_tokens > 0)
        return present

    def _require_documents(
        self, what: str, cure: str = "pass documents and class_docs to counts_from_table"
    ) -> None:
        """Check that the number of documents is known for every class."""
        for c in np.flatnonzero(self._counts.undocumented):
            label = self._state.classes[c]
            raise ValueError(
                f"{what} needs the documents of class {label!r}, which are unknown: its table has "
                f"only occurrences; {cure}, or leave out the class with subset"
            )

    def _require_every_term(self, what: str) -> None:
        """Check that no class comes from a frequency list that leaves out terms."""
        for c in np.flatnonzero(self._counts.unlisted_tokens):
            raise ValueError(
                f"{what} needs every term of class {self._state.classes[c]!r}, but its table "
                f"left out {self._counts.unlisted_tokens[c]:,} tokens: pass the whole table"
            )

    def _names_of(self, terms: NDArray[np.int64]) -> NDArray[np.object_] | None:
        names = self.term_names
        return None if names is None else names[terms]

    def _terms_at(self, columns: NDArray[np.int64]) -> NDArray[Any]:
        """Return the names of the terms in these columns, or the columns if names are unknown."""
        names = self._names_of(columns)
        return columns if names is None else names

    def _warn_if_fractional(self, method: str) -> None:
        """Warn once if a method that needs occurrences reads unweighted counts with fractions."""
        counts, classes, _, tf, *_ = self._state
        if "fractions" in self._warned or counts.exact or tf != "raw":
            return
        docs = counts.class_docs
        if np.any(docs != np.floor(docs)):  # weights cause the fractions
            return
        self._warned.add("fractions")
        if fraction := counts.first_fraction():
            c, term, value = fraction
            warnings.warn(
                f"{method} needs occurrences, but X holds fractions, such as tf-idf (in class "
                f"{classes[c]!r}, term {term} occurs {value:g} times): use CountVectorizer instead "
                "of TfidfVectorizer; tf='log' damps its counts",
                stacklevel=levels_to_caller(),
            )

    # ---- adding and subtracting ------------------------------------------------------------------

    def update(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        classes: Iterable[Hashable] | None = None,
        n_threads: int | None = None,
    ) -> Self:
        """Count further documents.

        Parameters
        ----------
        X, y, sample_weight, classes, n_threads
            As for `termsift.count`. New classes are inserted in sorted order if the earlier classes
            are sorted, and appended if not. New terms become further columns. X may also have fewer
            columns than the counts. If the terms have names, the columns of a data frame must have
            the same names in the same order. By default, the columns of an indicator matrix stand
            for the earlier classes.

        Returns
        -------
        self : ClassCounts

        Raises
        ------
        ValueError, CountOverflowError, TypeError
            As for `termsift.count`. After an error, the counts are unchanged.

        Notes
        -----
        Counting a collection in chunks or at once yields the same counts, bit for bit. Float input
        turns exact counts into float counts.

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> counts = ts.count(np.array([[2, 1]]), ["ham"])
        >>> counts.update(np.array([[0, 1, 4]]), ["eggs"]).term_frequency.toarray()
        array([[0, 1, 4],
               [2, 1, 0]])
        """
        threads = validation.check_n_threads(n_threads)
        matrix = validation.check_matrix(X, threads, keep_csc=True)
        weights = validation.check_weights(sample_weight, matrix.n_docs)
        with self._changing:
            before, listed, names, tf, *_ = self._state
            labels = validation.check_labels(y, matrix.n_docs, classes, listed or None)
            validation.check_columns(X, names)
            if names is not None and matrix.n_terms > before.n_terms:
                if validation.column_names(X) is None:
                    raise ValueError(
                        f"X has {matrix.n_terms} terms, but only {before.n_terms} have names: "
                        "set term_names to None first"
                    )
                names = validation.term_names_of(X, None, matrix.n_terms)
            labels, in_self = validation.united_labels(listed, labels)
            present = before.with_classes(in_self)
            counts = add_documents(present, matrix, labels, weights, tf, threads)
            self._state = Held(counts, labels.classes, names, tf, self._state.rules)
        return self

    def __add__(self, other: Self) -> Self:
        """Return the counts of both collections together, with classes matched by label.

        Terms are matched by index. Exact counts are added exactly. A sum of float counts may differ
        by rounding from a count of both collections at once. ValueError is raised if both know the
        rules that cut their texts, and the rules differ.
        """
        if not isinstance(other, AdditiveCounts):
            return NotImplemented
        return self._of(self._state.plus(other._state))

    def __sub__(self, other: Self) -> Self:
        """Return these counts minus the counts of a part, such as a fold of cross-validation.

        The result keeps all classes. ValueError is raised if ``other`` has an unknown class or a
        larger count, or if a term of the result would have more documents than occurrences. If
        subtraction leaves at most 2^-40 of a float count, the rest is set to 0.
        """
        if not isinstance(other, AdditiveCounts):
            return NotImplemented
        return self._of(self._state.minus(other._state))

    def with_min_df(self, min_df: int) -> Self:
        """Return the counts without terms that occur in few documents.

        Parameters
        ----------
        min_df : int
            Terms in fewer than ``min_df`` documents are dropped. Tang, Kay and He use 2.

        Returns
        -------
        counts : ClassCounts
            The counts of all documents, with only the terms
            ``np.flatnonzero(counts.collection_document_frequency >= min_df)``.

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> X = np.array([[4, 1, 0], [0, 1, 2]])
        >>> counts = ts.count(X, ["ham", "spam"], term_names=["egg", "the", "jam"])
        >>> list(counts.with_min_df(2).term_names)
        ['the']
        """
        self = self._snapshot()
        min_df = validation.check_integer(min_df, "min_df")
        kept = self.collection_document_frequency >= min_df
        columns = np.where(kept, np.cumsum(kept) - 1, -1)
        names = self._names_of(np.flatnonzero(kept))
        return self._of(self._state.in_columns(columns, int(kept.sum()), names))

    def subset(self, classes: Iterable[Hashable] | Mapping[Any, Any]) -> Self:
        """Return the counts of some classes, and merge classes if requested.

        Parameters
        ----------
        classes : sequence of labels, or mapping
            The classes to keep, in this order. The keys of a mapping are new labels, and each value
            is an old label or a list of old labels to merge. No class may occur twice.

        Returns
        -------
        counts : ClassCounts
            The counts of the documents in these classes. All terms keep their columns, even terms
            that no longer occur.

        Raises
        ------
        ValueError
            If a class is unknown or occurs twice, if no class is given, or if documents have
            several classes. Counts do not record which documents two classes share.

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> X = np.array([[4, 1, 0], [0, 1, 2], [1, 0, 0], [0, 0, 3]])
        >>> counts = ts.count(X, ["ham", "spam", "eggs", "spam"])
        >>> counts.subset({"food": ["ham", "eggs"], "spam": "spam"}).term_frequency.toarray()
        array([[5, 1, 0],
               [0, 1, 5]])
        """
        self = self._snapshot()
        groups = validation.check_groups(classes, self._state.classes)
        counts = of_classes(self._counts, list(groups.values()))
        return self._of(self._state._replace(counts=counts, classes=list(groups)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the counts to a file that `termsift.load` reads.

        Parameters
        ----------
        path : path
            The file is written atomically. If writing fails, an existing file stays unchanged.

        Raises
        ------
        TypeError
            If a label is not None, bool, int, float, str, bytes or a tuple of these.
        """
        with replacing(path) as output:
            file.write_to(output, self._state)

    def to_bytes(self) -> bytes:
        """Return the bytes that `save` writes and `termsift.load` reads.

        The bytes can be stored or sent as one value, for example in a row of a database.

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> counts = ts.count(np.array([[2, 1]]), ["ham"])
        >>> ts.load(counts.to_bytes()) == counts
        True
        """
        data = io.BytesIO()
        file.write_to(data, self._state)
        return data.getvalue()
