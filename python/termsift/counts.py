"""Counting: from a matrix and labels to `ClassCounts`, from which every score follows."""

from __future__ import annotations

import inspect
import math
import os
import threading
import warnings
from collections.abc import Callable, Generator, Hashable, Iterable, Sequence
from contextlib import closing
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from termsift import _core, _counts_file, _validation
from termsift._class_tables import ADJUSTMENTS, Adjustment, Scoring, class_columns
from termsift._columns import with_columns
from termsift._log import levels_to_caller, logger
from termsift._progress import progress
from termsift._tables import Library, frame_of
from termsift.methods import (
    MODELS,
    Method,
    Policy,
    Selector,
    check_model,
    check_policy,
    find_aggregate,
    find_method,
    find_ranker,
    find_test,
    selectors,
)
from termsift.ranking import Ranking
from termsift.scanning import Scan
from termsift.significance import Significance, significance_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ClassPrior = Literal["empirical", "uniform"] | Sequence[float] | NDArray[Any] | None
Alpha = float | tuple[float, float]
Model = Literal["multinomial", "binary", "bernoulli", "poisson"]
TermFrequency = Literal["raw", "log", "binary"]


_GREEDY = selectors()[0]
# Models under which terms tell the classes apart each on its own: divergences add up.
_INDEPENDENT = ("bernoulli", "poisson")


def count(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    classes: Iterable[Hashable] | None = None,
    *,
    tf: TermFrequency = "raw",
    n_threads: int | None = None,
    window_bytes: int = _core.default_window_bytes,
) -> ClassCounts:
    """Count the terms of a labelled collection by class.

    Parameters
    ----------
    X : CSR or CSC matrix or array, or dense array, of shape (n_docs, n_terms)
        How often each term occurs in each document: booleans, integers or floats, none negative.
        Repeated entries add up, explicit zeros count nowhere. CSR arrays are read in place; CSC and
        dense input is converted. Or a `Scan` of files, which brings its labels and names.
    y : sequence of n_docs labels, or indicator matrix of shape (n_docs, n_classes)
        Labels of any hashable kind. In an indicator matrix of zeros and ones, a document counts in
        each of its classes.
    sample_weight : array of shape (n_docs,), optional
        A document of weight w counts as w documents.
    classes : sequence of labels, optional
        The classes in the order wanted; a label outside is an error. By default the labels that
        occur, sorted; labels without an order among them by kind and ``repr``. For an indicator
        matrix, the names of its columns (by default 0, 1, ...).
    tf : {"raw", "log", "binary"}
        What counts of a document's x > 0 occurrences of a term: x, log(1 + x) or 1, times the
        document's weight. The counts remember it.
    n_threads : int, optional
        By default what OpenMP would use: OMP_NUM_THREADS and threadpoolctl are respected. Always 1
        in a child forked after its parent counted on several threads.
    window_bytes : int, default 256 MiB
        Memory for copies of entries while counting. Entries that need more are counted in several
        windows, with the same result: some classes at a time, or some documents of one class.

    Returns
    -------
    counts : ClassCounts
        Exact int64 counts if X and the weights hold booleans or integers, else float64. Binary
        ones are exact if the weights are, logarithms always floats.

    Raises
    ------
    ValueError
        For a matrix that is malformed or holds a negative, infinite or NaN value, labels of another
        length, and the like; the message names row, column and value.
    CountOverflowError
        Where an exact count would leave int64; it is an OverflowError and a ValueError.
    TypeError
        For a dtype or kind of input that is not counted.

    Notes
    -----
    O(nnz + n_docs + pairs). The result is the same to the last bit for any number of threads; float
    cells are summed in document order. It takes 12 bytes for each pair of a class and a term it
    contains, 20 in a class whose tokens may exceed 2^32 or are fractions (and as much again for
    each term where documents have several classes).

    Entries are counted in one of several ways, by shape, with the same result; the log ``termsift``
    names it at level DEBUG. Extra memory while counting: ``window_bytes``, or 4 bytes for each
    entry of one document, and 8 bytes for each term and thread, each class and each document. With
    logarithms, weights, stored zeros, fractions, or rows that are unsorted or repeat a column: 28
    bytes for each term and thread and 16 for each label of a document. An update holds the old and
    the added counts beside the new ones, few classes with millions of terms a second copy of the
    added ones; up to 16 MiB are kept for the next call.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> counts = ts.count(np.array([[2, 1, 0], [0, 1, 1], [1, 0, 0]]), ["ham", "spam", "ham"])
    >>> counts.classes
    ['ham', 'spam']
    >>> counts.term_frequency.toarray()
    array([[3, 1, 0],
           [0, 1, 1]])
    """
    tf = _validation.check_tf(tf)  # type: ignore[assignment]
    if isinstance(X, Scan):
        for value, name in ((y, "y"), (sample_weight, "sample_weight"), (classes, "classes")):
            if value is not None:
                raise TypeError(f"a scan has labels of its own: leave out {name}")
        counted = nothing(tf)
        options: dict[str, Any] = {"n_threads": n_threads, "window_bytes": window_bytes}
        for counts in count_chunks(X, counted, **options):
            counted = counts
        return finished(counted, X)
    if y is None:
        raise TypeError("y must hold a label for each document in order, got None")
    threads = _validation.check_n_threads(n_threads)
    window = _validation.check_window_bytes(window_bytes)
    matrix = _validation.check_matrix(X, threads)
    labels = _validation.check_labels(y, matrix.n_docs, classes)
    weights = _validation.check_weights(sample_weight, matrix.n_docs)
    return count_checked(matrix, labels, weights, tf, threads, window)


def count_checked(
    matrix: _validation.Csr,
    labels: _validation.Labels,
    weights: _core.Count | None = None,
    tf: str = "raw",
    n_threads: int = 0,
    window_bytes: int = _core.default_window_bytes,
) -> ClassCounts:
    """Count what has passed the gate."""
    empty = _core.Counts(len(labels.classes), _is_exact(matrix, weights, tf))
    added = _add(empty, matrix, labels, weights, tf, n_threads, window_bytes)
    return ClassCounts._of(added, labels.classes, None, tf)


def nothing(tf: str) -> ClassCounts:
    """Give the counts of no documents."""
    return ClassCounts._of(_core.Counts(0, True), [], None, tf)


def count_chunks(
    scan: Scan,
    counts: ClassCounts,
    *,
    n_threads: int | None = None,
    window_bytes: int = _core.default_window_bytes,
) -> Generator[ClassCounts, None, None]:
    """Yield the counts after each chunk of a scan, on top of ``counts``.

    What is yielded stays as it is: whoever is interrupted holds the counts of whole chunks, and
    those before `Scan.position` if that is read before the next chunk is asked for.
    """
    with closing(iter(scan)) as chunks:
        for X, y in chunks:
            counts = ClassCounts._of(counts._counts, counts._classes, None, counts._tf)
            try:
                counts.update(
                    X, y, classes=scan.classes, n_threads=n_threads, window_bytes=window_bytes
                )
            except ValueError as error:
                kind = _core.CountOverflowError if isinstance(error, OverflowError) else ValueError
                raise kind(f"{scan.where}: {error}") from None
            del X, y  # their memory goes before the next chunk comes
            yield counts


def finished(counts: ClassCounts, scan: Scan) -> ClassCounts:
    """Give the counts of a whole scan their names, and the order they have when read at once."""
    where = ", ".join(map(str, scan.paths[:3])) + (", ..." if len(scan.paths) > 3 else "")
    if counts.n_docs == 0:
        raise ValueError(f"{where}: holds no documents{_left_out(scan)}")
    if scan.has_texts and counts.n_terms == 0:
        raise ValueError(f"{where}: no text has a word of two or more letters")
    names = scan.term_names
    if scan.has_words:
        assert names is not None
        counts = counts._with_words_sorted(names)
    elif names is not None:
        counts.term_names = names
    if scan.min_df > 1:
        counts = counts.with_min_df(scan.min_df)
    return counts._with_classes_renamed(scan.settled(counts.classes))


def _left_out(scan: Scan) -> str:
    """Say what the scan has left out, if it has."""
    if not scan.n_skipped:
        return ""
    return f"; {scan.n_skipped} lines or rows were left out, first: {scan.skipped[0]}"


def _is_exact(matrix: _validation.Csr, weights: _core.Count | None, tf: str) -> bool:
    """Whether what is counted of these documents is an integer."""
    integers = tf == "binary" or (tf == "raw" and matrix.holds_integers)
    return integers and (weights is None or weights.dtype.kind == "i")


def _add(
    counts: _core.Counts,
    matrix: _validation.Csr,
    labels: _validation.Labels,
    weights: _core.Count | None,
    tf: str,
    n_threads: int,
    window_bytes: int,
) -> _core.Counts:
    """Add documents to counts whose classes are ``labels.classes``; gives the sum."""
    exact = counts.exact and _is_exact(matrix, weights, tf)
    try:
        added, path = counts.updated(
            matrix.indptr,
            matrix.indices,
            matrix.data,
            matrix.n_terms,
            labels.indptr,
            labels.codes,
            weights if exact else _validation.as_float_weights(weights),
            _core.Damping.__members__[tf],
            n_threads,
            window_bytes,
        )
    except MemoryError:
        raise MemoryError(
            f"not enough memory to count documents of {matrix.n_terms:,} terms: that takes 8 bytes "
            "for each term and thread, or 28 for fractions, beside the counts; fewer terms (of "
            "hashing), fewer threads or a smaller window take less"
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


def load(path: str | os.PathLike[str]) -> ClassCounts:
    """Load counts that `ClassCounts.save` wrote.

    Parameters
    ----------
    path : path
        The file; nothing in it is executed.

    Returns
    -------
    counts : ClassCounts

    Raises
    ------
    ValueError
        If the file is damaged, truncated, of another version or not one of saved counts.
    """
    return ClassCounts._of(*_counts_file.read_counts(path))


def _rebuild(
    arrays: _core.CountArrays,
    classes: list[Hashable],
    term_names: NDArray[np.object_] | None,
    tf: str = "raw",
) -> ClassCounts:
    """Give the counts that were pickled or copied."""
    return ClassCounts._of(_core.Counts.from_arrays(**arrays), classes, term_names, tf)


def divergence(
    counts: ClassCounts,
    indices: Any,
    *,
    model: Model = "multinomial",
    alpha: Alpha = 1.0,
    class_prior: ClassPrior = None,
) -> float:
    """Tell how well some terms together tell the classes apart, all others being one.

    Parameters
    ----------
    counts : ClassCounts
    indices : array of integers
        The terms' columns, each once, in any order.
    model, alpha, class_prior
        As for `ClassCounts.greedy`.

    Returns
    -------
    divergence : float
        The JMH divergence of the classes in nats; 0 for no terms.

    Raises
    ------
    ValueError
        For an index outside the vocabulary or given twice, and as for `ClassCounts.greedy`.
    TypeError
        If the indices are not integers.

    Notes
    -----
    The variables are the given terms and the pool of all others, of probability
    1 - sum of the terms' p; the divergence is the sum over classes and variables of p log(p/q).
    More terms never make it less. Of a single term it is the score `md`. Under the models
    "bernoulli" and "poisson" the terms are independent, and it is the sum of their `md`.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> counts = ts.count(np.array([[4, 1, 0], [0, 1, 2]]), ["ham", "spam"])
    >>> round(ts.divergence(counts, [0]), 4)
    0.9718
    >>> round(ts.divergence(counts, [0, 2]), 4)
    1.1496
    """
    check_model(model, _GREEDY)
    terms = _validation.check_indices(indices, counts.n_terms)
    if model in _INDEPENDENT:
        scores = counts.score("md", model=model, alpha=alpha, class_prior=class_prior)
        return math.fsum(scores[terms])
    b1, b2 = _validation.check_smoothing(alpha, counts.n_terms, model)
    prior = _validation.check_class_prior(class_prior, counts.n_classes)
    return _core.divergence(counts._counted_by(model), b1, b2, prior, terms)


class ClassCounts:
    """How often each term occurs in each class, and in how many of its documents.

    Made by `termsift.count` and `termsift.load`. Counts of shards add (``a + b``) and counts of
    parts subtract (``whole - fold``); every score follows from them without another look at the
    documents.

    Attributes
    ----------
    classes : list of labels
    class_docs : ndarray of shape (n_classes,)
        Documents of each class, n_c (sums of their weights).
    class_tokens : ndarray of shape (n_classes,)
        Occurrences of all terms in each class, l_c.
    term_frequency : csr_array of shape (n_classes, n_terms)
        Occurrences of each term in each class, l_ic.
    document_frequency : csr_array of shape (n_classes, n_terms)
        Documents of each class that contain each term, d_ic.
    n_docs : int or float
        Documents, each once, whatever the number of its classes (the sum of their weights).
    n_terms, n_classes : int
    term_names : ndarray of shape (n_terms,), str objects, or None
        May be set; a ranking then knows its terms by name.
    tf : str
        What counts of a document's occurrences, "raw", "log" or "binary": see `termsift.count`.
        Then l_ic are sums of that.

    Notes
    -----
    Every count is int64 for integer input, float64 otherwise. Only pairs of a class and a term that
    occurs in it are kept: memory is 12 bytes a pair, 20 in a class whose tokens may exceed 2^32 or
    are fractions.
    """

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
    ) -> ClassCounts:
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
            self._state = counts, classes, _validation.check_term_names(names, counts.n_terms), tf

    def __repr__(self) -> str:
        kind = "exact" if self._counts.exact else "float"
        if self._tf != "raw":
            kind += f", tf={self._tf}"
        return (
            f"<ClassCounts of {self.n_docs:,} documents: {self.n_classes:,} classes x "
            f"{self.n_terms:,} terms, {self._counts.n_pairs:,} pairs, {kind}>"
        )

    def _repr_html_(self) -> str:
        from termsift._notebook import show_counts  # a later stage

        return show_counts(self)

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same classes, counts (bit for bit), names and ``tf``."""
        if not isinstance(other, ClassCounts):
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
        return _rebuild, (counts.to_arrays(), *about)

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
    ) -> ClassCounts:
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
        threads = _validation.check_n_threads(n_threads)
        window = _validation.check_window_bytes(window_bytes)
        matrix = _validation.check_matrix(X, threads)
        weights = _validation.check_weights(sample_weight, matrix.n_docs)
        with self._changing:
            before, known, names, tf = self._state
            labels = _validation.check_labels(y, matrix.n_docs, classes, known or None)
            if names is not None and matrix.n_terms > before.n_terms:
                raise ValueError(
                    f"X has {matrix.n_terms} terms, but only {before.n_terms} have names: "
                    "set term_names to None first"
                )
            united, in_self, _ = _validation.unite_classes(known, labels.classes)
            position = {label: c for c, label in enumerate(united)}
            to_united = np.array([position[label] for label in labels.classes], dtype=np.int32)
            counts = _add(
                before.with_classes(in_self),
                matrix,
                _validation.Labels(united, to_united[labels.codes], labels.indptr),
                weights,
                tf,
                threads,
                window,
            )
            self._state = counts, united, names, tf
        return self

    def __add__(self, other: ClassCounts) -> ClassCounts:
        """Unite the counts of two collections: classes by label, terms by index.

        Exact counts add exactly. Float cells are added, which may round differently from counting
        both collections in one.
        """
        if not isinstance(other, ClassCounts):
            return NotImplemented
        self, other = self._now(), other._now()
        self._require_same_tf(other)
        names = self._common_names(other)
        united, in_self, in_other = _validation.unite_classes(self._classes, other._classes)
        counts = self._counts.with_classes(in_self).merge(other._counts.with_classes(in_other))
        return ClassCounts._of(counts, united, names, self._tf)

    def __sub__(self, other: ClassCounts) -> ClassCounts:
        """Take the counts of a part from those of the whole, as for a fold of cross-validation.

        The classes stay those of the whole. ValueError if ``other`` cannot be a part: a class or
        count exceeds the whole's, or more documents would have a term than it occurs. In float
        counts, a remainder of fractions within 2^-40 of the whole is rounding and becomes 0, and
        a remainder that rounding has lost is an error.
        """
        if not isinstance(other, ClassCounts):
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
        _, _, in_other = _validation.unite_classes(self._classes, other._classes)
        counts = self._counts.subtract(other._counts.with_classes(in_other))
        return ClassCounts._of(counts, list(self._classes), names, self._tf)

    def _now(self) -> ClassCounts:
        """Give the counts as they are, whatever is done with these meanwhile."""
        return ClassCounts._of(*self._state)

    def _require_same_tf(self, other: ClassCounts) -> None:
        if self._tf != other._tf:
            raise ValueError(
                f"the counts are of different things: tf={self._tf!r} in one and {other._tf!r} "
                "in the other"
            )

    def _common_names(self, other: ClassCounts) -> NDArray[np.object_] | None:
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

    def with_min_df(self, min_df: int) -> ClassCounts:
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
        if isinstance(min_df, bool) or not isinstance(min_df, Integral):
            raise TypeError(f"min_df must be an integer, got {min_df!r}")
        if min_df < 1:
            raise ValueError(f"min_df must be at least 1, got {min_df}")
        kept = self.collection_document_frequency >= min_df
        n_terms = int(kept.sum())
        columns = np.where(kept, np.cumsum(kept) - 1, -1)
        names = None if self._term_names is None else self._term_names[kept]
        return self._with_columns(columns, n_terms, names)

    def _with_columns(
        self, new_column: NDArray[np.int64], n_terms: int, names: NDArray[np.object_] | None
    ) -> ClassCounts:
        """Give the counts with each term in its new column, or left out where that is -1."""
        counts = with_columns(self._counts, new_column, n_terms)
        names = _validation.check_term_names(names, n_terms)
        return ClassCounts._of(counts, list(self._classes), names, self._tf)

    def _with_words_sorted(self, words: NDArray[np.object_]) -> ClassCounts:
        """Give the counts with their columns in the order of the words that they stand for."""
        order = sorted(range(len(words)), key=words.__getitem__)
        new_column = np.empty(len(words), dtype=np.int64)
        new_column[order] = np.arange(len(words))
        return self._with_columns(new_column, len(words), words[order])

    def _with_classes_renamed(self, labels: list[Hashable]) -> ClassCounts:
        """Give the counts with other labels for the classes, in their order."""
        if labels == self._classes:
            return self
        in_order = _validation.in_order(labels)
        at = {label: row for row, label in enumerate(labels)}
        counts = self._counts.with_classes([at[label] for label in in_order])
        return ClassCounts._of(counts, in_order, self._term_names, self._tf)

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
        _counts_file.write_counts(path, *self._state)

    # ---- scores ----------------------------------------------------------------------------------

    def class_scores(
        self,
        method: str = "md",
        *,
        model: Model = "multinomial",
        alpha: Alpha = 1.0,
        class_prior: ClassPrior = None,
        n_threads: int | None = None,
        **options: str,
    ) -> NDArray[np.float64]:
        """Score every term for every class.

        Parameters
        ----------
        method, model, alpha, class_prior, n_threads, **options
            As for `score`.

        Returns
        -------
        class_scores : ndarray of shape (n_classes, n_terms), float64
            The value of each class before they are aggregated; 0 for classes without documents.
        """
        counts, scoring = self._class_scoring(
            method, model, alpha, class_prior, n_threads, **options
        )
        return scoring(counts)

    def _class_scoring(
        self,
        method: str,
        model: Model = "multinomial",
        alpha: Alpha = 1.0,
        class_prior: ClassPrior = None,
        n_threads: int | None = None,
        **options: str,
    ) -> tuple[_core.Counts, Scoring]:
        """Give what is scored by class, of which some terms may be scored alone, and how."""
        chosen = find_method(method)
        measure = chosen.measure(options, check_model(model, chosen))
        self._check_whole(chosen, model)
        b1, b2 = _validation.check_smoothing(alpha, self.n_terms, model)
        prior = _validation.check_class_prior(class_prior, self.n_classes)
        threads = _validation.check_n_threads(n_threads)

        # What divides by documents is told of these by the counts of any terms; else the tokens
        # of all terms are divided by, which counts of some must be given.
        event = _core.EventModel.__members__[model] if model in _INDEPENDENT else None

        def scoring(counts: _core.Counts) -> NDArray[np.float64]:
            counted = counts if event is None else counts.as_counted_by(event, threads)
            return _core.class_scores(counted, measure, b1, b2, prior, threads)

        return self._counts if event else self._counted_by(model, threads), scoring

    def score(
        self,
        method: str = "md",
        *,
        model: Model = "multinomial",
        alpha: Alpha = 1.0,
        class_prior: ClassPrior = None,
        aggregate: Literal["sum", "mean", "max"] | None = None,
        n_threads: int | None = None,
        **options: str,
    ) -> NDArray[np.float64]:
        """Score every term by how well it tells the classes apart.

        Parameters
        ----------
        method : str
            A name of `termsift.methods`.
        model : {"multinomial", "binary", "bernoulli", "poisson"}
            What is counted, for methods whose ``models`` name it; see Notes.
        alpha : float or (b1, b2)
            Smoothing, p_ic = (l_ic + b1) / (l_c + b2). One number means b1 = alpha,
            b2 = alpha * n_terms; 1 is Laplace's. Of `log_odds`, b2 is the mass of the prior.
            Needs 0 <= b1 <= b2. The model "bernoulli" takes
            one number as (alpha, 2 alpha), "poisson" as (alpha, alpha); its b1 may exceed b2.
        class_prior : {"empirical", "uniform"}, array of shape (n_classes,), or None
            The class priors pi_c; an array is normalised to sum to 1. None means empirical, the
            class's share of the documents.
        aggregate : {"sum", "mean", "max"}, optional
            How the classes' values become one, "mean" weighted by pi_c. By default the method's
            own.
        n_threads : int, optional
            As for `termsift.count`.
        **options
            The method's own options, e.g. ``noncentrality="pearson"`` of md_chi2.

        Returns
        -------
        scores : ndarray of shape (n_terms,), float64
            In nats for divergences. Never NaN. Infinite where `termsift.methods` says so of empty
            cells, and without smoothing for a term that some classes have and others lack.

        Raises
        ------
        ValueError
            If fewer than two classes have documents, or an argument is not as above.

        Notes
        -----
        q_ic = sum_{k != c} pi_k p_ik / (1 - pi_c) is the mixture of the other classes. Classes
        without documents take no part. 0 log 0 = 0, x log(x/0) = inf, 0/0 = 0. Accurate to 4 ulp
        in ordinary cases, and to a relative 1e-14 unless p and q agree to more than 16 digits.
        O(pairs of a class and a term it contains), but O(n_classes * n_terms) for `md` and
        `md_chi2` of few classes or by the largest value. The sum or mean of `g2`, `bns`,
        `relevancy` or `log_odds` takes O(n_classes) more for each distinct total of a term; whole
        counts have at most sqrt(2 * occurrences) of them.

        Models: "multinomial" is as above. "binary" counts documents in place of occurrences,
        p_ic = (d_ic + b1) / (sum_i d_ic + b2). "bernoulli" tosses a coin for each document,
        p_ic = (d_ic + b1) / (n_c + b2). "poisson" has rates in place of probabilities,
        p_ic = (l_ic + b1) / (n_c + b2), at most 2^64, and formulas without complement: `md` is
        p log(p/q) - p + q, `md_chi2` is 1/2 [(p-q)^2/q + (p-q)^2/p] or (p-q)^2/q.

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> counts = ts.count(np.array([[4, 1, 0], [0, 1, 2]]), ["ham", "spam"])
        >>> counts.score("md").round(4)
        array([0.9718, 0.0338, 0.7297])
        """
        chosen = find_method(method)
        measure, how = (
            chosen.measure(options, check_model(model, chosen)),
            find_aggregate(aggregate, chosen),
        )
        self._check_whole(chosen, model)
        b1, b2 = _validation.check_smoothing(alpha, self.n_terms, model)
        prior = _validation.check_class_prior(class_prior, self.n_classes)
        threads = _validation.check_n_threads(n_threads)
        if how is None:
            return _core.collection_scores(self._counts, measure, threads)
        counts = self._counted_by(model, threads)
        return _core.score(counts, measure, how, b1, b2, prior, threads)

    def significance(
        self,
        method: str = "chi2",
        *,
        per_class: bool = False,
        n_threads: int | None = None,
    ) -> Significance:
        """Test whether terms and classes are related more than by chance.

        Parameters
        ----------
        method : {"chi2", "g2", "chi2_counts"}
            The statistic. chi2 and g2 test the presence of a term in documents of a class, against
            the other documents, with one degree of freedom. chi2_counts is scikit-learn's chi2.
        per_class : bool, default False
            Test each class against the others. Otherwise chi2 and g2 give the class in which they
            are largest, and chi2_counts the sum over all classes, with one degree of freedom less
            than there are classes with documents.
        n_threads : int, optional
            As for `termsift.count`.

        Returns
        -------
        significance : Significance
            Statistics, p-values, their logarithms and signs, to be adjusted for the number of
            tests. Classes without documents and terms that no document has: statistic 0, sign 0.

        Raises
        ------
        ValueError
            If fewer than two classes have documents, or the method is no test.

        Notes
        -----
        Of one class, scikit-learn's statistic is that of the class against the rest,
        (l_ic - E)^2 / E / (1 - n_c/n) with E = l_i n_c / n. O(pairs) in time and memory;
        O(n_classes * n_terms) per class.

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> X = np.array([[1, 1], [1, 0], [0, 1], [0, 1]])
        >>> found = ts.count(X, ["ham", "ham", "spam", "spam"]).significance("chi2")
        >>> found.statistics.round(4), found.pvalues.round(4), found.signs
        (array([4.    , 1.3333]), array([0.0455, 0.2482]), array([ 1, -1], dtype=int8))
        """
        chosen = find_test(method)
        measure = chosen.measure({})
        self._check_whole(chosen)
        threads = _validation.check_n_threads(n_threads)
        n_c = np.asarray(self.class_docs, dtype=np.float64)
        present = n_c > 0
        if present.sum() < 2:
            raise ValueError(
                "a test compares classes: at least two with documents are needed, got "
                f"{present.sum()}"
            )
        names = (self.classes, self._term_names)
        if per_class:
            statistics, signs = _core.class_scores_and_signs(self._counts, measure, threads)
            if method == "chi2_counts":
                rest = (1 - n_c / self.n_docs)[:, None]
                np.divide(statistics, rest, out=statistics, where=rest > 0)
            return significance_of(method, statistics, 1, signs, None, *names)
        statistics, classes, signs = _core.strongest_class(self._counts, measure, threads)
        if method != "chi2_counts":
            return significance_of(method, statistics, 1, signs, classes, *names)
        sums = self.score(method, n_threads=n_threads)
        return significance_of(method, sums, int(present.sum()) - 1, signs, classes, *names)

    def _check_whole(self, method: Method | Selector, model: str = "multinomial") -> None:
        """Warn once if a method of occurrences is given fractions that no weight explains."""
        of_documents = "term frequency" not in method.needs or model in ("binary", "bernoulli")
        if self._warned or self._counts.exact or self._tf != "raw" or of_documents:
            return
        docs = self._counts.class_docs
        if np.any(docs != np.floor(docs)):
            return
        self._warned = True  # or looked at, which is not worth a second time
        found = self._counts.first_fraction()
        if found is None:
            return
        c, term, value = found
        warnings.warn(
            f"{method.name} is of occurrences, but X holds fractions, such as tf-idf (class "
            f"{self._classes[c]!r} has term {term} {value:g} times): count occurrences, or damp "
            "them by tf='log'",
            stacklevel=levels_to_caller(),
        )

    def _counted_by(self, model: str, n_threads: int = 0) -> _core.Counts:
        """Give the counts as the event model counts them."""
        if model == "multinomial":
            return self._counts
        return self._counts.as_counted_by(_core.EventModel.__members__[model], n_threads)

    def rank(
        self,
        method: str = "md",
        k: int | None = None,
        *,
        policy: Policy = "top",
        model: Model = "multinomial",
        alpha: Alpha = 1.0,
        class_prior: ClassPrior = None,
        aggregate: Literal["sum", "mean", "max"] | None = None,
        n_threads: int | None = None,
        **options: str,
    ) -> Ranking:
        """Rank the terms by their score, best first.

        Parameters
        ----------
        method : str
            A name of `termsift.methods` or `termsift.selectors`.
        model, alpha, class_prior, aggregate, n_threads, **options
            As for `score`; selectors have no aggregate and no options.
        k : int, optional
            How many terms; all if None or more than there are. A small k is selected without
            sorting the rest.
        policy : {"top", "round_robin"}, default "top"
            "top" takes the terms of the highest scores. "round_robin" lets the classes take turns:
            each lists the terms by its own value, and a term has the best place that any list gives
            it, so that classes of few documents get their share; terms of one place come by index.
            It has no aggregate.

        Returns
        -------
        ranking : Ranking
            Ties go to the lowest index. By round robin its scores are the class values that earned
            the terms their places.

        Raises
        ------
        ValueError, TypeError
            As `score`, and for a policy or an option that is not as above.

        Notes
        -----
        By round robin O(n_classes * n_terms) in time, and up to 160 MiB of memory.

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> counts = ts.count(np.array([[4, 1, 0], [0, 1, 2]]), ["ham", "spam"])
        >>> counts.term_names = ["bacon", "and", "viagra"]
        >>> counts.rank("md", k=2).terms
        array(['bacon', 'viagra'], dtype=object)
        """
        check_policy(policy)
        if policy == "round_robin" and aggregate is not None:
            raise TypeError("round_robin ranks by the classes' own values and has no aggregate")
        chosen = find_ranker(method)
        if isinstance(chosen, Selector):
            if chosen.needs == "documents":
                raise ValueError(
                    f"{method} looks at the documents, which counts no longer have: use "
                    f"termsift.{method}(X, y, k)"
                )
            choose = {"greedy": self.greedy}[chosen.name]
            shared = {"aggregate": aggregate is not None, "policy": policy != "top"}
            given = (*options, *(option for option, is_given in shared.items() if is_given))
            if given:
                takes = inspect.signature(choose).parameters
                own = [f"{option}=..." for option in given if option in takes]
                hint = f"; use counts.{chosen.name}({', '.join(own)})" if own else ""
                raise TypeError(f"{method} has no option {', '.join(given)} in a ranking{hint}")
            return choose(k, model=model, alpha=alpha, class_prior=class_prior, n_threads=n_threads)
        k = _validation.check_k(k, self.n_terms)
        if policy == "round_robin":
            measure = chosen.measure(options, check_model(model, chosen))
            self._check_whole(chosen, model)
            b1, b2 = _validation.check_smoothing(alpha, self.n_terms, model)
            prior = _validation.check_class_prior(class_prior, self.n_classes)
            threads = _validation.check_n_threads(n_threads)
            counts = self._counted_by(model, threads)
            indices, values = _core.round_robin(counts, measure, b1, b2, prior, k, threads)
            return self._ranking(indices, values, method, policy=policy, model=model)
        scores = self.score(
            method,
            model=model,
            alpha=alpha,
            class_prior=class_prior,
            aggregate=aggregate,
            n_threads=n_threads,
            **options,
        )
        indices = _core.top_k(scores, k)
        return self._ranking(indices, scores[indices], method, model=model)

    def plot_classes(
        self,
        method: str = "md",
        k: int = 10,
        classes: Iterable[Hashable] | None = None,
        *,
        path: str | os.PathLike[str] | None = None,
        title: str | None = None,
        n_threads: int | None = None,
    ) -> Figure:
        """Draw the leading terms of each class: see `termsift.plots.plot_classes`.

        Returns
        -------
        figure : matplotlib.figure.Figure
        """
        from termsift.plots import plot_classes  # a later stage

        return plot_classes(
            self, path, method=method, k=k, classes=classes, title=title, n_threads=n_threads
        )

    def greedy(
        self,
        k: int | None = None,
        *,
        model: Model = "multinomial",
        alpha: Alpha = 1.0,
        class_prior: ClassPrior = None,
        exhaustive: bool = False,
        n_threads: int | None = None,
    ) -> Ranking:
        """Choose terms one after the other, each the best beside those chosen before it.

        Parameters
        ----------
        k : int, optional
            How many terms; all if None or more than there are. A small k takes less time.
        model : {"multinomial", "binary", "bernoulli", "poisson"}
            As for `score`. Under "bernoulli" and "poisson" the terms are independent: the order is
            that of `md`, the scores are its running sums, and alpha is as for `score`.
        alpha : float or (b1, b2)
            As for `score`, but no term may have probability 0 in a class, and those of a class may
            not exceed 1 in sum: b1 * n_terms <= b2. Simple fractions are taken for what they are
            written as: 0.1 is 1/10.
        class_prior
            As for `score`.
        exhaustive : bool, default False
            Evaluate every term left at every step, as the algorithm is written: n_terms^2 / 2
            evaluations. By default bounds spare most of them; the ranking is the same.
        n_threads : int, optional
            As for `termsift.count`.

        Returns
        -------
        ranking : Ranking
            Its scores are the divergences after each step, in nats, of which none is less than the
            one before. Equally good terms come in the order of their indices. From
            ``ranking.informative`` on no term adds anything.

        Raises
        ------
        ValueError
            If fewer than two classes have documents, or an argument is not as above; if b1, or what
            a term has in a class, is less than a 2^40th of a class's tokens, unless counts and b1,
            times a common denominator, are whole and below 2^52 in sum.

        Notes
        -----
        Algorithm 1 of Tang, Kay and He. Step k looks at k + 1 variables for each term i left: the
        chosen terms, i, and the pool of all the rest, of probability 1 - p_ic - sum_s p_sc. It
        chooses the i with the largest sum over classes and variables of p log(p/q), which for two
        classes is the J-divergence. For more classes the paper leaves the algorithm open, and JMH
        in place of J is ours.

        `md` is the divergence after the first step: both begin with the same term, but for ties.
        Later ones may differ, since `md` takes no account of what the terms before it have already
        told.

        The order is that of gains from probabilities that are exact for whole counts with simple
        smoothing, else rounded at 2^-52 of their class (2^-42 of one much smaller than others).
        Gains that rounding could decide, or that agree in 14 digits, may come in either order, and
        ``informative`` may count a gain that is rounding. Scores are of the probabilities
        unrounded, within 1e-12 of their value. Memory: O(n_terms + terms of each class).

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> counts = ts.count(np.array([[9, 4, 3, 0], [2, 4, 3, 9]]), ["ham", "spam"])
        >>> ranking = counts.greedy()
        >>> ranking.indices
        array([3, 0, 1, 2])
        >>> ranking.scores.round(4)
        array([1.1174, 1.3693, 1.3693, 1.3693])
        >>> ranking.informative
        2
        """
        check_model(model, _GREEDY)
        self._check_whole(_GREEDY, model)
        k = _validation.check_k(k, self.n_terms)
        if model in _INDEPENDENT:
            ranking = self.rank(
                "md", k, model=model, alpha=alpha, class_prior=class_prior, n_threads=n_threads
            )
            informative = int(np.count_nonzero(ranking.scores))
            sums = _core.running_sums(ranking.scores)
            return self._ranking(ranking.indices, sums, "greedy", informative, model=model)
        b1, b2 = _validation.check_smoothing(alpha, self.n_terms, model)
        prior = _validation.check_class_prior(class_prior, self.n_classes)
        threads = _validation.check_n_threads(n_threads)
        with progress("chosen", k, "terms") as report:
            indices, divergences, informative, evaluations = _core.greedy(
                self._counted_by(model, threads),
                b1,
                b2,
                prior,
                k,
                bool(exhaustive),
                threads,
                report,
            )
        logger.debug("chose %d terms in %d evaluations", k, evaluations)
        return self._ranking(indices, divergences, "greedy", informative, model=model)

    def to_frame(
        self,
        method: str = "md",
        k: int | None = None,
        *,
        per_class: bool = True,
        library: Library = "pandas",
        adjust: Adjustment = "bh",
        **scoring: Any,
    ) -> Any:
        """Give a table of each class's best terms, or of the collection's.

        Parameters
        ----------
        method : str
            A name of `termsift.methods`, and if not per class of `termsift.selectors`.
        k : int, optional
            How many terms of each class; all if None or more than there are.
        per_class : bool, default True
            Rows are the best terms of each class, by `class_scores`. Otherwise rows are the terms
            of one ranking, by `rank`.
        library : {"pandas", "polars", "pyarrow"}
            Whose table.
        adjust : {"bh", "bonferroni"}
            For methods that are tests: how p-values are adjusted for all tests that there are, a
            test each class and term, or each term, as by `Significance.adjusted`.
        **scoring
            As for `class_scores`, or if not per class for `rank`.

        Returns
        -------
        frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
            Per class, classes in their order, those without documents left out, and each class's
            terms best first:

            - class: the label.
            - term: the name, or null.
            - index: the column.
            - rank: from 1, of the class; of equal scores the lowest index first.
            - score: the class's value.
            - sign: 1 where the term is over-represented in the class, -1 under-represented, 0
              neither. A score may be large for either. What is compared with the whole collection
              is the term's share of the class's tokens, or of its documents where documents are
              what the method or the model counts or divides by, as tests do.
            - n_class, n_rest: its occurrences in the class, and in documents outside it.
            - df_class, df_rest: documents with it, likewise.
            - log_pvalue, pvalue, pvalue_adj: of tests, those of `significance` per class.

            If not per class: rank, term (if names are known), index, score, and of tests
            log_pvalue, pvalue, pvalue_adj, those of `significance`, which for `chi2` and `g2` are
            of a term's strongest class.

        Raises
        ------
        ValueError, TypeError
            As `class_scores` and `rank`, and for an argument that is not as above. polars and
            pyarrow take labels of one kind only.
        ImportError
            If the library is not installed.

        Notes
        -----
        Per class O(n_classes * n_terms) in time and, beyond the table, 64 MiB of memory. Where
        class scores take more than 32 MiB, some terms are scored at a time, which takes 80 bytes
        for each pair of a class and a term it contains; scores of fractional counts may then differ
        from `class_scores` in the last digit. But "bh" depends on the order of all tests and takes
        50 bytes for each class and term; "bonferroni" does not.

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> counts = ts.count(np.array([[4, 1, 0], [0, 1, 2]]), ["ham", "spam"])
        >>> counts.term_names = ["bacon", "and", "viagra"]
        >>> counts.to_frame("md", k=1)[["class", "term", "rank", "sign", "n_class", "n_rest"]]
          class   term  rank  sign  n_class  n_rest
        0   ham  bacon     1     1        4       0
        1  spam  bacon     1    -1        0       4
        """
        columns = self.columns(method, k, per_class=per_class, adjust=adjust, **scoring)
        return frame_of(columns, library, "ClassCounts.to_frame")

    def columns(
        self,
        method: str = "md",
        k: int | None = None,
        *,
        per_class: bool = True,
        adjust: Adjustment = "bh",
        **scoring: Any,
    ) -> dict[str, NDArray[Any]]:
        """Give the columns of `to_frame` by name."""
        if adjust not in ADJUSTMENTS:
            raise ValueError(f"adjust must be 'bh' or 'bonferroni', got {adjust!r}")
        if per_class:
            k = _validation.check_k(k, self.n_terms)
            counted, scores = self._class_scoring(method, **scoring)
            model = scoring.get("model", MODELS[0])
            return class_columns(self, method, k, scores, counted, model, adjust)
        ranking = self.rank(method, k, **scoring)
        columns = ranking.columns()
        if isinstance(chosen := find_ranker(method), Method) and chosen.is_test:
            found = self.significance(method, n_threads=scoring.get("n_threads"))
            columns |= {
                "log_pvalue": found.log_pvalues[ranking.indices],
                "pvalue": found.pvalues[ranking.indices],
                "pvalue_adj": found.adjusted(adjust)[ranking.indices],
            }
        return columns

    def _ranking(
        self,
        indices: NDArray[np.int64],
        scores: NDArray[np.float64],
        method: str,
        informative: int | None = None,
        *,
        policy: str = "top",
        model: str,
    ) -> Ranking:
        terms = None if self._term_names is None else self._term_names[indices]
        return Ranking(indices, scores, terms, method, informative, policy, model)
