"""The gate: everything that comes from a user is checked here (and in the core's ``check_csr``).

What passes has one form: a CSR triple of exact dtypes, class codes, weights of the counts' type.
Nothing is cast where a value could change, and nothing is trusted before it has been checked: the
arrays of a scipy matrix may have been edited since scipy saw them.
"""

from __future__ import annotations

import difflib
from collections.abc import (
    Callable,
    Collection,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Set,
)
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from numbers import Integral, Real
from typing import Any, Literal, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from termsift import _core
from termsift._util.printable import printable

_NOT_ORDERED = (str, bytes, bytearray, memoryview, Set, Mapping, type)
# Booleans, integers, floats. The core has no float16 and long double: see _exact_dtype.
_COUNTED_KINDS = "biuf"


@dataclass(frozen=True)
class Csr:
    """A matrix ready for the core: contiguous arrays of exact dtypes, not yet checked inside."""

    indptr: _core.Index
    indices: _core.Index
    data: _core.Value
    n_docs: int
    n_terms: int

    @property
    def holds_integers(self) -> bool:
        """Whether the values count exactly."""
        return self.data.dtype.kind != "f"


@dataclass(frozen=True)
class Labels:
    """The classes of each document, as codes into ``classes``.

    Document d has the codes ``codes[indptr[d]:indptr[d + 1]]``; without ``indptr``, ``codes[d]``.
    """

    classes: list[Hashable]
    codes: _core.Int32s
    indptr: _core.Int64s | None


@contextmanager
def naming(place: str) -> Iterator[None]:
    """Say in which part of a collection it was that something was refused."""
    try:
        yield
    except (ValueError, TypeError) as error:
        known = (_core.CountOverflowError, ValueError, TypeError)
        kind = next(kind for kind in known if isinstance(error, kind))
        raise kind(f"{printable(place)}: {error}") from error


# ---- the matrix ----------------------------------------------------------------------------------


def check_matrix(X: Any, n_threads: int, name: str = "X") -> Csr:
    """Give the CSR triple of a CSR, CSC or dense matrix of counts.

    CSR arrays are used in place (copied if strided, unaligned or byte-swapped); CSC and dense
    matrices are converted. ``name`` is what messages call the matrix.
    """
    if not sp.issparse(X):
        dense = _array(X, name)
        if dense.ndim != 2:
            raise ValueError(
                f"{name} must have two dimensions, one row a document, got shape {dense.shape}"
            )
        _check_n_terms(dense.shape[1], name)
        dense = _exact_dtype(dense, lambda flat: divmod(flat, dense.shape[1]), name)
        return _compressed(sp.csr_array(dense), dense.shape[0], dense.shape[1], name)
    X = cast(Any, X)
    if X.ndim != 2:
        raise ValueError(f"{name} must have two dimensions, one row a document, got {X.ndim}")
    _check_n_terms(X.shape[1], name)
    if X.format == "csc":
        # scipy's conversion follows the indices blindly, so they are checked first.
        csc = _compressed(X, X.shape[1], X.shape[0], name)
        check_entries(csc, n_threads, name, transposed=True)
        X = sp.csc_array((csc.data, csc.indices, csc.indptr), shape=X.shape).tocsr()
    elif X.format != "csr":
        raise TypeError(
            f"{name} is a sparse {X.format.upper()} matrix, expected CSR or CSC: use tocsr()"
        )
    return _compressed(X, X.shape[0], X.shape[1], name)


def _array(values: Any, name: str) -> NDArray[Any]:
    """Give the values as an array; errors name the argument."""
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array: fill or drop what is masked")
    try:
        return np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} holds lists of different lengths, expected an array") from None


def _check_n_terms(n_terms: int, name: str) -> None:
    if n_terms > _core.max_terms:
        raise ValueError(
            f"{name} has {n_terms} terms, more than the {_core.max_terms} that can be counted"
        )


def check_entries(csr: Csr, n_threads: int, name: str, *, transposed: bool = False) -> None:
    """Check what the arrays hold, in the core; counting does so itself."""
    _core.check_csr(csr.indptr, csr.indices, csr.data, csr.n_terms, name, transposed, n_threads)


def _compressed(X: Any, n_rows: int, n_columns: int, name: str) -> Csr:
    indptr = _index_array(X.indptr, f"{name}.indptr")
    indices = _index_array(X.indices, f"{name}.indices")
    if indptr.dtype != indices.dtype:
        indptr, indices = indptr.astype(np.int64), indices.astype(np.int64)
    data = np.asarray(X.data)
    for part, array in (("indptr", indptr), ("indices", indices), ("data", data)):
        if array.ndim != 1:
            raise ValueError(f"{name}.{part} must be a vector, got shape {array.shape}")
    if len(indptr) != n_rows + 1:
        raise ValueError(f"{name}.indptr has {len(indptr)} entries, expected {n_rows + 1}")
    if len(indices) != len(data):
        raise ValueError(f"{name} has {len(indices)} indices but {len(data)} values")

    def place(entry: int) -> tuple[int, int]:
        row = int(np.searchsorted(indptr, entry, side="right")) - 1
        column = int(indices[entry])
        return (column, row) if X.format == "csc" else (row, column)

    data = np.require(_exact_dtype(data, place, name), requirements=["C", "A"])
    return Csr(indptr, indices, data, n_rows, n_columns)


def _index_array(array: Any, name: str) -> _core.Index:
    array = np.asarray(array)
    if array.dtype.kind != "i" or array.dtype.itemsize not in (4, 8):
        raise TypeError(f"{name} has dtype {array.dtype}, expected int32 or int64")
    native: _core.Index = array.astype(array.dtype.newbyteorder("="), copy=False)
    return np.require(native, requirements=["C", "A"])


def _exact_dtype(
    values: NDArray[Any], place: Callable[[int], tuple[int, ...]], name: str
) -> NDArray[Any]:
    """Give the values in a dtype that the core counts; an error if one would change.

    ``place`` tells the row and column (or document) of an entry, for the message.
    """
    dtype = values.dtype
    if dtype.kind not in _COUNTED_KINDS:
        raise TypeError(f"{name} has dtype {dtype}, expected booleans, integers or floats")
    if dtype == np.float16:
        return values.astype(np.float32)
    if dtype.kind == "f" and dtype.itemsize > 8:
        with np.errstate(over="ignore", under="ignore"):
            doubles = values.astype(np.float64)
        changed = np.flatnonzero((doubles != values) & ~np.isnan(values))
        if len(changed):
            entry = int(changed[0])
            at = ", ".join(
                f"{what} {i}" for what, i in zip(("row", "column"), place(entry), strict=False)
            )
            raise ValueError(
                f"{name} has {values.ravel()[entry]!s} at {at}, which float64 cannot hold exactly"
            )
        return doubles
    return values.astype(dtype.newbyteorder("="), copy=False)


# ---- labels --------------------------------------------------------------------------------------


def check_labels(
    y: Any,
    n_docs: int,
    classes: Iterable[Hashable] | None,
    indicator_classes: list[Hashable] | None = None,
    name: str = "y",
) -> Labels:
    """Give the classes of the documents and each document's codes.

    ``y`` is a sequence of hashable labels, or an indicator matrix (n_docs, n_classes) of zeros and
    ones. Classes are ``classes`` if given, else in the order of `in_order`;
    the columns of an indicator are ``indicator_classes`` or 0, 1, ... if ``classes`` is not given.
    A single column may be labels as well as an indicator: it is refused unless ``classes`` names
    its class. ``name`` is what messages call the labels.
    """
    given = None if classes is None else check_classes(classes)
    if not sp.issparse(y):
        y = _sequence(y, name, "a label for each document")
    if isinstance(y, list) and y and isinstance(y[0], list):
        y = _array(y, name)
    if sp.issparse(y) or (isinstance(y, np.ndarray) and y.ndim != 1):
        shape = cast(Any, y).shape
        if given is None and shape[1:] == (1,):
            raise ValueError(
                f"{name} is a single column, of shape {shape}, expected labels in one dimension: "
                f"pass {name}.ravel(), or np.ravel({name}) of a list or a data frame"
            )
        columns = indicator_classes if given is None else given
        return _indicator_labels(y, n_docs, columns, name)
    if len(y) != n_docs:
        raise ValueError(f"{name} has {len(y)} labels for {n_docs} documents")
    if isinstance(y, np.ndarray):
        if y.dtype.kind in "iu" and given is None and n_docs:
            by_range = _integer_labels(y)
            if by_range is not None:
                return by_range
        # tolist() would make integers of dates in nanoseconds, and None of NaT.
        y = list(y) if y.dtype.kind in "mM" else y.tolist()
    return _hashable_labels(y, given)


def check_one_class(y: Any, n_docs: int, why: str, name: str = "y") -> Labels:
    """Give labels of one class a document; an indicator matrix is refused, and `why`."""
    labels = check_labels(y, n_docs, None, name=name)
    if labels.indptr is None:
        return labels
    n_of = np.diff(labels.indptr)
    other = np.flatnonzero(n_of != 1)
    first = f" (document {other[0]} has {n_of[other[0]]})" if len(other) else ""
    raise ValueError(f"{name} is an indicator matrix, expected one label a document{first}: {why}")


def _sequence(values: Any, name: str, expected: str) -> NDArray[Any] | list[Any]:
    """Give an array as it is, any other ordered values as a list."""
    if hasattr(values, "__array__"):
        array = _array(values, name)
        if array.ndim:
            return array
    elif isinstance(values, Iterable) and not isinstance(values, _NOT_ORDERED):
        try:
            return list(values)
        except TypeError:  # a class, or an object with __array__ alone
            pass
    raise TypeError(f"{name} must hold {expected} in order, got {values!r}")


def check_iterable(values: Any, name: str, expected: str) -> Iterable[Any]:
    """Return what can be iterated over as it is, a generator too: nothing of it is read."""
    is_word = isinstance(values, (str, bytes, bytearray, type))
    if is_word or not isinstance(values, Iterable) or getattr(values, "shape", 1) == ():
        raise TypeError(f"{name} must hold {expected}, got {values!r}")
    return values


def check_words(names: Any, name: str) -> list[Any]:
    """Return one word or several as a list."""
    return [names] if isinstance(names, str) else list(check_iterable(names, name, "words"))


def check_classes(classes: Iterable[Hashable]) -> list[Hashable]:
    """Give the classes as a list of distinct labels, none of them missing."""
    listed = distinct_labels(classes)
    for label in listed:
        if _is_missing(label):
            raise ValueError(f"classes hold {label!r}, which stands for a missing label")
    return listed


def distinct_labels(classes: Iterable[Hashable]) -> list[Hashable]:
    """Return the classes as `check_classes`; saved counts may hold None, which was a label once."""
    sequence = _sequence(classes, "classes", "labels")
    listed = [_plain(c) for c in (sequence if isinstance(sequence, list) else sequence.tolist())]
    seen: set[Hashable] = set()
    for label in listed:
        _require_hashable(label, "classes hold a label that")
        if any(part is not None and _is_missing(part) for part in _parts(label)):
            raise ValueError(f"classes hold {label!r}, which equals no label")
        if label in seen:
            raise ValueError(f"classes hold {label!r} twice")
        seen.add(label)
    return listed


def _require_hashable(label: Any, where: str) -> None:
    try:
        hash(label)
    except TypeError:
        raise TypeError(
            f"{where} is a {type(label).__name__}, expected something hashable"
        ) from None


def _is_missing(label: Any) -> bool:
    """Whether the label, or a part of it, is None or does not equal itself: NaN, NaT, pandas' NA.

    Python takes a tuple for equal to itself even if it holds a NaN, but no two such tuples.
    """
    try:
        return any(part is None or not bool(part == part) for part in _parts(label))
    except TypeError:  # the truth value of NA is not defined
        return True


def _parts(label: Any) -> Iterator[Any]:
    """Iterate over what a label consists of: itself, or the parts of a tuple or frozenset."""
    waiting = [label]
    while waiting:
        part = waiting.pop()
        if isinstance(part, (tuple, frozenset)):
            waiting.extend(part)
        else:
            yield part


def _plain(label: Any) -> Any:
    """Give a numpy scalar as the Python value it equals, so that labels print and save as such."""
    return (
        label.item() if isinstance(label, (np.bool_, np.integer, np.floating, np.str_)) else label
    )


def _integer_labels(y: NDArray[Any]) -> Labels | None:
    """Give integer labels by a table, in a fraction of the time of sorting them.

    None if their range is too wide for one.
    """
    low, high = int(y.min()), int(y.max())
    if high - low > min(max(4 * len(y), 1 << 16), np.iinfo(np.int32).max - 1):
        return None
    offsets = y
    if low != 0:
        # In 64 bits: int8 labels from -100 to 100 differ by more than an int8 holds.
        wide = y.astype(np.uint64 if y.dtype.kind == "u" else np.int64, copy=False)
        offsets = wide - wide.dtype.type(low)
    codes = np.ascontiguousarray(offsets, dtype=np.int32)
    present = np.bincount(codes) > 0
    classes: list[Hashable] = [low + int(i) for i in np.flatnonzero(present)]
    if not present.all():
        number = np.cumsum(present, dtype=np.int32) - np.int32(1)
        codes = number[codes]
    return Labels(classes, codes, None)


def _hashable_labels(y: Sequence[Any], given: list[Hashable] | None) -> Labels:
    numbers: dict[Hashable, int] = {c: i for i, c in enumerate(given or [])}
    codes = np.empty(len(y), dtype=np.int32)
    for document, label in enumerate(y):
        label = _plain(label)
        try:
            number = numbers.get(label)
        except TypeError:
            _require_hashable(label, f"the label of document {document}")
            raise
        if number is None:
            if _is_missing(label):
                raise ValueError(f"the label of document {document} is missing: {label!r}")
            if given is not None:
                raise ValueError(
                    f"the label of document {document} is {label!r}, which is not in classes"
                )
            number = numbers[label] = len(numbers)
        codes[document] = number
    if given is not None:
        return Labels(given, codes, None)
    appeared = list(numbers)
    ordered = in_order(appeared)
    position = {c: i for i, c in enumerate(ordered)}
    renumber = np.array([position[c] for c in appeared], dtype=np.int32)
    return Labels(ordered, renumber[codes], None)


def in_order(classes: list[Hashable]) -> list[Hashable]:
    """Sort labels; those that have no order among them by the name of their kind and by repr.

    Not by appearance, which would make the order depend on how a collection is cut into chunks.
    """
    # The < of sets means subset and orders nothing.
    if not any(isinstance(c, Set) for c in classes):
        try:
            return sorted(classes)  # type: ignore[type-var]
        except TypeError:
            pass
    return sorted(classes, key=lambda label: (type(label).__name__, repr(label)))


def unite_classes(
    current: list[Hashable], added: list[Hashable]
) -> tuple[list[Hashable], list[int], list[int]]:
    """Unite two lists of classes.

    The union is in order if ``current`` is; otherwise the late ones follow in the order of
    ``added``. Also gives, for each class of the union, its position in either list (-1: absent).
    """
    present = set(current)
    late = [c for c in added if c not in present]
    united = current + late
    if not late:
        united = current
    elif in_order(current) == current:
        united = in_order(united)
    places = ({c: i for i, c in enumerate(listed)} for listed in (current, added))
    in_current, in_added = ([place.get(c, -1) for c in united] for place in places)
    return united, in_current, in_added


def _indicator_labels(y: Any, n_docs: int, given: list[Hashable] | None, name: str) -> Labels:
    if y.ndim != 2 or y.shape[0] != n_docs:
        raise ValueError(f"{name} has shape {y.shape}, expected ({n_docs}, n_classes)")
    if given is not None and len(given) != y.shape[1]:
        raise ValueError(f"{name} has {y.shape[1]} columns for {len(given)} classes")
    csr = check_matrix(y, 1, name)
    # The structure first; ones for values, since here not every count will do.
    ones = np.ones(len(csr.data), dtype=np.int8)
    check_entries(replace(csr, data=ones), 1, name)
    matrix = sp.csr_array((csr.data, csr.indices, csr.indptr), shape=y.shape, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    wrong = np.flatnonzero(matrix.data != 1)
    if len(wrong):
        row = int(np.searchsorted(matrix.indptr, wrong[0], side="right")) - 1
        raise ValueError(
            f"{name} has {matrix.data[wrong[0]]} at row {row}, column {matrix.indices[wrong[0]]}, "
            "expected an indicator matrix of zeros and ones"
        )
    classes: list[Hashable] = list(range(y.shape[1])) if given is None else given
    return Labels(classes, matrix.indices.astype(np.int32), matrix.indptr.astype(np.int64))


# ---- everything else -----------------------------------------------------------------------------


def check_weights(sample_weight: Any, n_docs: int) -> _core.Count | None:
    """Give weights as int64 or float64, or None."""
    if sample_weight is None:
        return None
    weights = _array(sample_weight, "sample_weight")
    if weights.shape != (n_docs,):
        raise ValueError(f"sample_weight has shape {weights.shape}, expected ({n_docs},)")
    weights = _exact_dtype(weights, lambda document: (document,), "sample_weight")
    if weights.dtype.kind == "u" and (weights > np.iinfo(np.int64).max).any():
        document = int(np.argmax(weights))
        raise _core.CountOverflowError(
            f"sample_weight has {weights[document]} at row {document}, expected less than 2^63"
        )
    wrong = ~(weights >= 0) | ~np.isfinite(weights)
    if wrong.any():
        document = int(np.argmax(wrong))
        raise ValueError(
            f"sample_weight has {weights[document]} at row {document}, "
            "expected a finite weight that is not negative"
        )
    if weights.dtype.kind == "f":
        return np.ascontiguousarray(weights, dtype=np.float64)
    return np.ascontiguousarray(weights, dtype=np.int64)


def as_float_weights(weights: _core.Count | None) -> _core.Float64s | None:
    """Give weights as float64; an error if an integer is too large to be one."""
    if weights is None:
        return None
    floats = weights.astype(np.float64)
    if weights.dtype.kind == "i":
        # 2^63 is what the largest integers round to, and overflows on the way back.
        changed = (floats >= 2.0**63) | (
            np.where(floats < 2.0**63, floats, 0).astype(np.int64) != weights
        )
        if changed.any():
            document = int(np.argmax(changed))
            raise ValueError(
                f"sample_weight has {weights[document]} at row {document}, "
                "which float64 cannot hold exactly"
            )
    return floats


def check_kind(value: object, kind: type | tuple[type, ...], name: str) -> None:
    """Check that an argument is an object of one of some classes."""
    if not isinstance(value, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        expected = " or ".join(one.__name__ for one in kinds)
        raise TypeError(f"{name} must be a {expected}, got {type(value).__name__}")


def check_flag(value: object, name: str) -> bool:
    """Return an argument that is true or false as a bool."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def is_integer(value: object) -> bool:
    """Return whether a value is a whole number; a bool is a flag, not a number."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def check_integer(value: Any, name: str, least: int | None = 1, most: int | None = None) -> int:
    """Return a whole number in [least, most] as an int."""
    if not is_integer(value):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    too_small = least is not None and value < least
    if too_small or (most is not None and value > most):
        wanted = f"at least {least}" if most is None else f"in [{least}, {most}]"
        raise ValueError(f"{name} must be {wanted}, got {value}")
    return int(value)


def check_choice(value: object, known: Collection[str], name: str) -> str:
    """Return a value that is one of some words; the error suggests the nearest word."""
    if not is_one_of(value, known):
        expected = " or ".join(map(repr, known)) if len(known) < 3 else f"one of {', '.join(known)}"
        raise ValueError(f"{name} must be {expected}, got {value!r}{did_you_mean(value, known)}")
    return cast(str, value)


def check_column(column: object, name: str) -> None:
    """Check that an argument says which column of a table is meant, by name or number."""
    if column is not None and not isinstance(column, str) and not is_integer(column):
        raise TypeError(f"{name} must be the name or number of a column, got {column!r}")


def is_one_of(value: object, known: Collection[str]) -> bool:
    """Return whether a value is one of some words; arrays have no single truth to compare by."""
    return isinstance(value, str) and value in known


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Give the end of a complaint: the known name nearest to one that is not, if any is near."""
    if not isinstance(name, str):
        return ""
    plain = name.lower().replace("-", "_")
    near = difflib.get_close_matches(plain, list(known), n=1, cutoff=0.5)
    return f"; did you mean {near[0]!r}?" if near else ""


def check_n_threads(n_threads: int | None) -> int:
    """Give the number of threads to ask the core for; 0 means its default."""
    if n_threads is None:
        return 0
    return check_integer(n_threads, "n_threads", 1, 4096)


def check_window_bytes(window_bytes: int) -> int:
    """Give the memory for a window of entries."""
    return check_integer(window_bytes, "window_bytes", 1, 2**62 - 1)


def check_tf(tf: str) -> str:
    """Give the name of what is counted of an entry."""
    return check_choice(tf, _core.TermWeight.__members__, "tf")


def check_k(k: Any, n_terms: int) -> int:
    """Give the number of terms to rank: ``k``, or all if it is None or larger."""
    if k is None:
        return n_terms
    if is_one_of(k, ["auto"]):
        raise TypeError("k='auto' needs the documents: choose a number with termsift.choose_k")
    return min(check_integer(k, "k", least=0), n_terms)


def check_positive(number: float, name: str) -> float:
    """Give a positive, finite number as a float."""
    value = check_not_negative(number, name, "positive")
    if value == 0:
        raise ValueError(f"{name} must be positive and finite, got {number!r}")
    return value


def check_not_negative(number: float, name: str, wanted: str = "not negative") -> float:
    """Give a finite number that is not negative as a float."""
    if isinstance(number, bool) or not isinstance(number, Real):
        raise TypeError(f"{name} must be a number, got {number!r}")
    try:
        value = float(number)
    except OverflowError:  # an integer beyond every float
        value = np.inf
    if not 0 <= value < np.inf:
        raise ValueError(f"{name} must be {wanted} and finite, got {number!r}")
    return value


def check_smoothing(
    alpha: float | tuple[float, float], n_terms: int, model: str = "multinomial"
) -> tuple[float, tuple[float, float]]:
    """Give b1, and b2 with what it rounds off.

    ``alpha`` is (b1, b2), or one number that stands for (alpha, alpha * outcomes): the terms, the
    two sides of a coin, or one for a rate. That product is seldom a double, and small differences
    of probabilities would show it.
    """
    numbers = list(alpha) if isinstance(alpha, (tuple, list)) else [alpha, alpha]
    if len(numbers) != 2 or any(isinstance(b, bool) or not isinstance(b, Real) for b in numbers):
        raise TypeError(f"alpha must be a number or a pair (b1, b2), got {alpha!r}")
    try:
        b1, b2 = float(numbers[0]), float(numbers[1])
    except OverflowError:  # an integer beyond every float
        b1 = b2 = np.inf
    rest = 0.0
    if not isinstance(alpha, (tuple, list)) and np.isfinite(b1):
        outcomes = {"bernoulli": 2, "poisson": 1}.get(model, n_terms)
        exact = Fraction(b1) * outcomes
        b2 = b1 * outcomes
        rest = float(exact - Fraction(b2)) if np.isfinite(b2) else 0.0
    if not 0 <= b1 < np.inf or not 0 <= b2 < np.inf:
        raise ValueError(f"alpha must be finite and not negative, got {alpha!r}")
    if model == "poisson":  # rates may exceed 1
        return b1, (b2, rest)
    if b1 > b2 and n_terms:
        raise ValueError(f"alpha = (b1, b2) must satisfy b1 <= b2, got {alpha!r}")
    return b1, (max(b1, b2), rest)


def check_indices(indices: Any, n: int, name: str = "indices", of: str = "term") -> _core.Int64s:
    """Give distinct positions among n, of columns or rows, as int64."""
    array = _array(_sequence(indices, name, "integers"), name)
    if array.ndim != 1:
        raise ValueError(f"{name} has {array.ndim} dimensions, expected 1")
    if len(array) == 0:
        return np.empty(0, dtype=np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold integers, got dtype {array.dtype}")
    wrong = (array < 0) | (array >= n)
    if wrong.any():
        position = int(np.argmax(wrong))
        raise ValueError(
            f"{name} has {array[position]} at position {position}, expected a {of} in [0, {n})"
        )
    terms = np.ascontiguousarray(array, dtype=np.int64)
    order = np.argsort(terms, kind="stable")
    again = np.flatnonzero(np.diff(terms[order]) == 0)
    if len(again):
        first, second = order[again[0]], order[again[0] + 1]
        raise ValueError(
            f"{name} has {terms[first]} at positions {first} and {second}, expected each {of} once"
        )
    return terms


def check_random_state(random_state: Any) -> np.random.Generator:
    """Return the generator of random numbers that a seed or generator stands for."""
    random = np.random
    sources = random.Generator, random.BitGenerator, random.SeedSequence, random.RandomState
    if random_state is None or isinstance(random_state, sources):
        return random.default_rng(random_state)
    if not is_integer(random_state):
        raise TypeError(
            f"random_state must be an integer, a numpy Generator or None, got {random_state!r}"
        )
    return random.default_rng(check_integer(random_state, "random_state", least=0))


def check_class_prior(
    class_prior: Literal["empirical", "uniform"] | Sequence[float] | NDArray[Any] | None,
    n_classes: int,
) -> _core.Float64s | None:
    """Give one weight a class, or None for the empirical prior; the core normalises them."""
    if class_prior is None or (isinstance(class_prior, str) and class_prior == "empirical"):
        return None
    if isinstance(class_prior, str):
        if class_prior == "uniform":
            return np.ones(n_classes)
        raise ValueError(
            f"class_prior must be 'empirical', 'uniform' or an array, got {class_prior!r}"
        )
    prior = _array(class_prior, "class_prior")
    if prior.dtype.kind not in "iuf":
        raise TypeError(f"class_prior must hold numbers, got dtype {prior.dtype}")
    prior = prior.astype(np.float64)
    if prior.shape != (n_classes,):
        raise ValueError(f"class_prior has shape {prior.shape}, expected ({n_classes},)")
    wrong = ~(prior >= 0) | ~np.isfinite(prior)
    if wrong.any():
        c = int(np.argmax(wrong))
        raise ValueError(
            f"class_prior is {prior[c]} for class {c}, expected a finite number, not negative"
        )
    return prior


def check_term_names(names: Any, n_terms: int) -> NDArray[np.object_] | None:
    """Give the names of the terms as an array of str objects, or None."""
    if names is None:
        return None
    listed = list(_sequence(names, "term_names", "a name for each term"))
    if len(listed) != n_terms:
        raise ValueError(f"term_names has {len(listed)} names for {n_terms} terms")
    array = np.empty(n_terms, dtype=object)
    for term, name in enumerate(listed):
        if not isinstance(name, str):
            raise TypeError(f"the name of term {term} is {name!r}, expected a string")
        array[term] = str(name)
    array.setflags(write=False)  # shared between counts and rankings
    return array
