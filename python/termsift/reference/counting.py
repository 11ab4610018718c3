"""Counting: from documents and labels to what the scores are made of."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Number: TypeAlias = int | float
Document: TypeAlias = list[tuple[int, Number]]

TF = ("raw", "log", "binary")


@dataclass(frozen=True)
class ReferenceCounts:
    """What a collection amounts to once it is counted: class by class, term by term.

    The arrays are int64 where every value and weight is an integer, float64 otherwise.

    Attributes
    ----------
    classes : list
        The labels, in the order of the rows below.
    class_docs : ndarray of shape (N,)
        n_c.
    class_tokens : ndarray of shape (N,)
        l_c, the row sums of ``term_frequency`` taken in term order.
    term_frequency : ndarray of shape (N, M)
        l_ic.
    document_frequency : ndarray of shape (N, M)
        d_ic.
    n_docs : int or float
        n: all documents, each counted once however many classes it has, even none.
    collection_term_frequency, collection_document_frequency : ndarray of shape (M,), or None
        l_i and d_i, with each document counted once. None where every document has exactly one
        class: they are then the sums over the classes.
    tf : {"raw", "log", "binary"}
        What was counted of each entry, see `count`.
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


class SupportsScoring(Protocol):
    """Counts of any make: what every score reads, as dense or sparse arrays.

    Beside it, all methods but "md" and "md_chi2" read ``document_frequency`` and ``n_docs``, and
    those two read ``document_frequency`` by some models. Where documents have several classes or
    none, the methods need ``collection_term_frequency`` and ``collection_document_frequency`` as
    well, as `ReferenceCounts` has them.
    """

    @property
    def class_docs(self) -> Any:
        """Documents of each class, n_c."""

    @property
    def term_frequency(self) -> Any:
        """Occurrences of each term in each class, l_ic."""


def count(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    classes: Iterable[Hashable] | None = None,
    tf: str = "raw",
) -> ReferenceCounts:
    """Count terms and documents, class by class, one document after the other.

    Parameters
    ----------
    X : sparse or dense array of shape (n_docs, n_terms)
        Occurrences of each term in each document, none negative. Duplicate entries of a sparse
        matrix are summed; explicit zeros count nowhere.
    y : sequence of n_docs labels, or array or sparse matrix of shape (n_docs, N)
        One hashable label for each document, or an indicator of zeros and ones by which a document
        counts in each of its classes.
    sample_weight : sequence of n_docs numbers, optional
        A document of weight w counts as w documents; of weight 0, nowhere.
    classes : sequence of labels, optional
        The classes, in the order wanted. By default the labels of ``y``, sorted if they can be
        sorted, else by kind and text; for an indicator 0, ..., N - 1.
    tf : {"raw", "log", "binary"}
        What a document adds for a term that occurs x > 0 times in it: x, log(1 + x) or 1.

    Returns
    -------
    ReferenceCounts
        Exact int64 counts where the values of ``X`` and the weights are of integer (or boolean)
        type; of "binary" where the weights are, of "log" never. Otherwise float64: each cell is the
        sum of value times weight, in document order.

    Raises
    ------
    ValueError
        Lengths differ, a value or weight is negative or not finite, a label is None, NaN or not
        among ``classes``, an indicator holds something other than 0 and 1 or has a single column
        without ``classes``, ``tf`` is unknown.
    OverflowError
        A count exceeds its type.

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
        raise ValueError(f"unknown tf {tf!r}; there are {', '.join(TF)}")
    documents, n_terms, integer_values = _documents(X)
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
        # A product that vanishes, of numbers as small as 1e-200, counts nowhere, like a zero.
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
    """Add one document of weight w to the occurrences and to the documents of its terms."""
    for i, occurrence in occurrences:
        l_i[i] += occurrence
    for i in {i for i, occurrence in occurrences if occurrence}:
        d_i[i] += w


def _transformed(document: Document, tf: str) -> Document:
    """Return one entry a term: the transform of the sum of its entries."""
    values: dict[int, Number] = {}
    for i, value in document:
        values[i] = values.get(i, 0) + value
    return [(i, math.log1p(value) if tf == "log" else 1) for i, value in values.items()]


def _documents(X: Any) -> tuple[list[Document], int, bool]:
    """Return the nonzero entries of each document as stored, M, and whether they are integers."""
    entries: Iterable[tuple[int, int, Number]]
    if hasattr(X, "tocoo"):
        # Every sparse format comes as triplets, each duplicate its own, rows in their stored order.
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


def _memberships(
    y: Any, classes: Iterable[Hashable] | None
) -> tuple[list[Hashable], list[list[int]]]:
    """Return the classes and, for each document, the positions of its own among them."""
    given: list[Any] | None = None if classes is None else list(classes)
    if given is not None and len(set(given)) != len(given):
        raise ValueError("classes names a label twice")

    # A list of tuples is a list of labels, though numpy would take it for a table.
    if hasattr(y, "toarray") or getattr(y, "ndim", 1) == 2:
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

    labels: list[Any] = y.tolist() if hasattr(y, "tolist") else list(y)
    if given is None:
        given = list(dict.fromkeys(labels))
        try:
            given = sorted(given)
        except TypeError:  # no order among them: by kind and text
            given = sorted(given, key=lambda label: (type(label).__name__, repr(label)))
    position = {label: c for c, label in enumerate(given)}
    for d, label in enumerate(labels):
        if _is_missing(label):
            raise ValueError(f"y[{d}] is {label}, which stands for a missing label")
        if label not in position:
            raise ValueError(f"y[{d}] is {label!r}, which is not among classes")
    return given, [[position[label]] for label in labels]


def _is_missing(label: Any) -> bool:
    """Return whether a label is None or NaN, or a tuple or frozenset that holds one of them."""
    if isinstance(label, (tuple, frozenset)):
        return any(_is_missing(part) for part in label)
    return label is None or label != label


def _weights(sample_weight: Any, n_docs: int) -> tuple[list[Number], bool]:
    """Return the weight of each document and whether they are integers."""
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
    """Add left to right; `sum` compensates floats from Python 3.12 on and not before."""
    result: Number = 0
    for value in values:
        result += value
    return result


def _array(values: Any, dtype: type[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Return an array of counts; numpy itself refuses integers beyond int64."""
    array = np.array(values, dtype=dtype).reshape(shape)
    if not np.isfinite(array).all():
        raise OverflowError("a count exceeds the largest float64")
    return array
