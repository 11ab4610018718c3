"""Counting: turn documents and labels into the counts that every score uses."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Number: TypeAlias = int | float
Document: TypeAlias = list[tuple[int, Number]]

TF = ("raw", "log", "binary")


@dataclass(frozen=True)
class ReferenceCounts:
    """The counts of a collection, for each class and term.

    The arrays are int64 if all values and weights are integers, and float64 otherwise.

    Attributes
    ----------
    classes : list
        The labels. Row c of each array below has the counts of the c-th label.
    class_docs : ndarray of shape (N,)
        The number of documents of each class, n_c.
    class_tokens : ndarray of shape (N,)
        The number of tokens of each class, l_c. Each number is the sum of a row of
        ``term_frequency``, added in term order.
    term_frequency : ndarray of shape (N, M)
        The term frequencies l_ic.
    document_frequency : ndarray of shape (N, M)
        The document frequencies d_ic.
    n_docs : int or float
        The number of documents n. Every document counts once, whatever the number of its classes.
    collection_term_frequency, collection_document_frequency : ndarray of shape (M,), or None
        The totals l_i and d_i over all documents. If every document has exactly one class, the
        totals are the sums over the classes, and these attributes are None.
    tf : {"raw", "log", "binary"}
        How entries were counted (see `count`).
    """

    classes: list[Hashable]
    class_docs: npt.NDArray[Any]
    class_tokens: npt.NDArray[Any]
    term_frequency: npt.NDArray[Any]
    document_frequency: npt.NDArray[Any]
    n_docs: Number
    collection_term_frequency: npt.NDArray[Any] | None = None
    collection_document_frequency: npt.NDArray[Any] | None = None
    tf: str = "raw"


def count(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    classes: Iterable[Hashable] | None = None,
    tf: str = "raw",
) -> ReferenceCounts:
    """Count the terms and documents of each class, one document after the other.

    Parameters
    ----------
    X : sparse or dense array of shape (n_docs, n_terms)
        The nonnegative numbers of occurrences of each term in each document. Duplicate entries of a
        sparse matrix are summed, and explicit zeros are ignored.
    y : sequence of n_docs labels, or array or sparse matrix of shape (n_docs, N)
        One hashable label for each document, or an indicator matrix of zeros and ones. In an
        indicator matrix a document counts in each of its classes.
    sample_weight : sequence of n_docs numbers, optional
        A document of weight w counts as w documents, and a document of weight 0 is ignored.
    classes : sequence of labels, optional
        The classes in the order of the result. By default, the classes are the labels of ``y`` in
        sorted order. If the labels cannot be compared, they are sorted by type and text. The
        classes of an indicator matrix are 0, ..., N - 1 by default.
    tf : {"raw", "log", "binary"}
        A term that occurs x > 0 times counts x ("raw"), log(1 + x) ("log") or 1 ("binary").

    Returns
    -------
    ReferenceCounts
        Exact int64 counts if ``X`` and the weights have an integer or boolean type. With
        ``tf="binary"`` only the type of the weights matters, and with ``tf="log"`` no count is
        exact. Inexact counts are float64 sums of value times weight in document order.

    Raises
    ------
    ValueError
        If lengths differ, ``tf`` is unknown, a value or weight is negative or not finite, a label
        is None, NaN or not among ``classes``, or an indicator matrix is invalid. An indicator
        matrix must hold only 0 and 1, and must have several columns if ``classes`` is not given.
    OverflowError
        If a count exceeds the range of its type.

    Examples
    --------
    >>> counts = count([[1, 2], [0, 4], [3, 0]], ["b", "a", "b"], sample_weight=[1, 1, 2])
    >>> counts.classes, counts.class_docs, counts.n_docs
    (['a', 'b'], array([1, 3]), 4)
    >>> counts.term_frequency
    array([[0, 4],
           [7, 2]])
    >>> counts.document_frequency
    array([[0, 1],
           [3, 1]])
    >>> count([[1, 2], [0, 4], [3, 0]], ["b", "a", "b"], tf="binary").term_frequency
    array([[0, 1],
           [2, 1]])
    """
    if tf not in TF:
        raise ValueError(f"unknown tf {tf!r}; use one of {', '.join(TF)}")
    documents, n_terms, integer_values = read_documents(X)
    labels, memberships = _memberships(y, classes)
    weights, integer_weights = _weights(sample_weight, len(documents))
    if len(memberships) != len(documents):
        raise ValueError(f"X has {len(documents)} documents, y has {len(memberships)}")

    if tf != "raw":
        documents = [_transformed(document, tf) for document in documents]
        integer_values = tf == "binary"
    exact = integer_values and integer_weights
    number: Callable[[Number], Number] = int if exact else float
    n_docs = number(0)
    n_c = [number(0) for _ in labels]
    l_ic = [[number(0)] * n_terms for _ in labels]
    d_ic = [[number(0)] * n_terms for _ in labels]
    l_i, d_i = [number(0)] * n_terms, [number(0)] * n_terms
    for document, members, weight in zip(documents, memberships, weights, strict=True):
        w = number(weight)
        n_docs += w
        # A product of tiny numbers that underflows to 0 is ignored like any other zero.
        occurrences = [(i, number(value) * w) for i, value in document]
        for c in members:
            n_c[c] += w
            _add(occurrences, w, l_ic[c], d_ic[c])
        _add(occurrences, w, l_i, d_i)

    dtype = np.int64 if exact else np.float64
    one_class_each = all(len(members) == 1 for members in memberships)
    return ReferenceCounts(
        classes=labels,
        class_docs=_array(n_c, dtype, (len(labels),)),
        class_tokens=_array([total(row) for row in l_ic], dtype, (len(labels),)),
        term_frequency=_array(l_ic, dtype, (len(labels), n_terms)),
        document_frequency=_array(d_ic, dtype, (len(labels), n_terms)),
        n_docs=_array(n_docs, dtype, ()).item(),
        collection_term_frequency=None if one_class_each else _array(l_i, dtype, (n_terms,)),
        collection_document_frequency=None if one_class_each else _array(d_i, dtype, (n_terms,)),
        tf=tf,
    )


def _add(
    occurrences: list[tuple[int, Number]], w: Number, l_i: list[Number], d_i: list[Number]
) -> None:
    """Add a document of weight w to the term and document frequencies of its terms."""
    for i, occurrence in occurrences:
        l_i[i] += occurrence
    for i in {i for i, occurrence in occurrences if occurrence}:
        d_i[i] += w


def _transformed(document: Document, tf: str) -> Document:
    """Return one entry for each term: log(1 + x) or 1, where x is the sum of its entries."""
    return [(i, math.log1p(x) if tf == "log" else 1) for i, x in summed(document).items()]


def summed(document: Document) -> dict[int, Number]:
    """Return the occurrences of each term of a document, with duplicate entries summed."""
    values: dict[int, Number] = {}
    for i, value in document:
        values[i] = values.get(i, 0) + value
    return values


def read_documents(X: Any) -> tuple[list[Document], int, bool]:
    """Return each document's nonzero entries, the number of terms, and whether X has integers."""
    entries: Iterable[tuple[int, int, Number]]
    if hasattr(X, "tocoo"):
        # For every sparse format, tocoo() keeps duplicates and the stored order within a row.
        triplets = X.tocoo()
        n_docs, n_terms = X.shape
        values = triplets.data
        entries = zip(triplets.row.tolist(), triplets.col.tolist(), values.tolist(), strict=True)
    else:
        values = np.asarray(X)
        if values.ndim != 2:
            raise ValueError(f"X must have 2 dimensions, not {values.ndim}")
        n_docs, n_terms = values.shape
        entries = ((d, i, x) for d, row in enumerate(values.tolist()) for i, x in enumerate(row))

    documents: list[Document] = [[] for _ in range(n_docs)]
    for d, i, value in entries:
        if not 0 <= value < math.inf:
            raise ValueError(f"X[{d}, {i}] is {value}, not a finite nonnegative number")
        if value != 0:
            documents[d].append((i, value))
    return documents, n_terms, _holds_integers(values)


def is_indicator(y: Any) -> bool:
    """Return whether y is an indicator matrix. In a list of tuples, each tuple is a label."""
    return hasattr(y, "toarray") or getattr(y, "ndim", 1) == 2


def as_list(values: Any) -> list[Any]:
    """Return the elements of an array or sequence as a list of Python objects."""
    return list(values.tolist() if hasattr(values, "tolist") else values)


def _memberships(
    y: Any, classes: Iterable[Hashable] | None
) -> tuple[list[Hashable], list[list[int]]]:
    """Return the classes, and for each document the positions of its classes in the list."""
    given: list[Any] | None = None if classes is None else list(classes)
    if given is not None and len(set(given)) != len(given):
        raise ValueError("classes contains a label twice")

    if is_indicator(y):
        indicator = y.toarray() if hasattr(y, "toarray") else np.asarray(y)
        n_classes = indicator.shape[1]
        if given is None and n_classes == 1:
            raise ValueError("y is a single column: pass y.ravel()")
        if given is not None and len(given) != n_classes:
            raise ValueError(f"y has {n_classes} columns, classes has {len(given)} labels")
        rows = indicator.tolist()
        for d, row in enumerate(rows):
            for c, value in enumerate(row):
                if value not in (0, 1):
                    raise ValueError(f"y[{d}, {c}] is {value}, neither 0 nor 1")
        members = [[c for c, value in enumerate(row) if value] for row in rows]
        return list(range(n_classes)) if given is None else given, members

    labels = as_list(y)
    if given is None:
        given = list(dict.fromkeys(labels))
        try:
            given = sorted(given)
        except TypeError:  # The labels cannot be compared.
            given = sorted(given, key=lambda label: (type(label).__name__, repr(label)))
    position = {label: c for c, label in enumerate(given)}
    for d, label in enumerate(labels):
        if _is_missing(label):
            raise ValueError(f"y[{d}] is {label}, which stands for a missing label")
        if label not in position:
            raise ValueError(f"y[{d}] is {label!r}, which is not in classes")
    return given, [[position[label]] for label in labels]


def count_table(
    rows: Iterable[tuple[str, Any, int, int]], class_docs: dict[Any, int]
) -> tuple[list[str], ReferenceCounts]:
    """Return the sorted terms and the counts of rows (term, label, count, documents).

    The counts of rows with the same term and label are added. ``class_docs`` maps labels to n_c.

    Examples
    --------
    >>> terms, counts = count_table([("egg", "ham", 3, 2), ("egg", "ham", 1, 1)], {"ham": 3})
    >>> terms, counts.term_frequency.tolist(), counts.document_frequency.tolist()
    (['egg'], [[4]], [[3]])
    """
    listed = list(rows)
    terms, labels = sorted({row[0] for row in listed}), sorted(class_docs)
    l_ic, d_ic = ([[0] * len(terms) for _ in labels] for _ in range(2))
    for term, label, occurrences, documents in listed:
        l_ic[labels.index(label)][terms.index(term)] += occurrences
        d_ic[labels.index(label)][terms.index(term)] += documents
    shape = len(labels), len(terms)
    return terms, ReferenceCounts(
        classes=labels,
        class_docs=_array([class_docs[label] for label in labels], np.int64, shape[:1]),
        class_tokens=_array([sum(row) for row in l_ic], np.int64, shape[:1]),
        term_frequency=_array(l_ic, np.int64, shape),
        document_frequency=_array(d_ic, np.int64, shape),
        n_docs=sum(class_docs.values()),
    )


def _is_missing(label: Any) -> bool:
    """Return whether a label is None or NaN, or a tuple or frozenset that contains None or NaN."""
    if isinstance(label, (tuple, frozenset)):
        return any(_is_missing(part) for part in label)
    return label is None or label != label


def _weights(sample_weight: Any, n_docs: int) -> tuple[list[Number], bool]:
    """Return the weight of each document, and whether the weights are integers."""
    if sample_weight is None:
        return [1] * n_docs, True
    weights = np.asarray(sample_weight)
    if weights.shape != (n_docs,):
        raise ValueError(f"sample_weight has shape {weights.shape}, X has {n_docs} documents")
    for d, weight in enumerate(weights.tolist()):
        if not 0 <= weight < math.inf:
            raise ValueError(f"sample_weight[{d}] is {weight}, not a finite nonnegative number")
    return weights.tolist(), _holds_integers(weights)


def _holds_integers(values: npt.NDArray[Any]) -> bool:
    return values.dtype.kind in "bui"


def total(values: Iterable[Number]) -> Number:
    """Return the sum, added from left to right.

    Python's `sum` cannot be used, because since version 3.12 it corrects rounding errors of floats.
    """
    result: Number = 0
    for value in values:
        result += value
    return result


def _array(values: Any, dtype: type[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Return an array of counts. numpy raises an error for integers beyond int64."""
    array = np.array(values, dtype=dtype).reshape(shape)
    if not np.isfinite(array).all():
        raise OverflowError("a count exceeds the largest float64")
    return array
