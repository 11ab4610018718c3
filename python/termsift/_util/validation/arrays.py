"""Check arrays: the matrix of counts, weights, priors, indices and names of terms."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._util import scipy
from termsift._util.extras import is_from
from termsift._util.faults import (
    Name,
    blaming,
    concerning,
    named,
    said,
    wrong_type,
    wrong_value,
)
from termsift._util.validation.values import (
    a_kind,
    check_choice,
    did_you_mean,
    listed,
    naming_classes,
    number_of,
    shown,
)

# A dense matrix becomes sparse in blocks of at most this many cells.
_BLOCK_CELLS = 1 << 24
_UNORDERED = (str, bytes, Set, Mapping)


@dataclass(frozen=True)
class Csr:
    """A CSR matrix, or a CSC matrix if ``by_term``, in contiguous arrays of the core's dtypes.

    The core checks the entries.
    """

    indptr: _core.Index
    indices: _core.Index
    data: _core.Value
    n_docs: int
    n_terms: int
    by_term: bool = False

    @property
    def parts(self) -> tuple[_core.Index, _core.Index, _core.Value, int]:
        """The arguments of the core: indptr, indices, data, and the exclusive limit of indices."""
        end = self.n_docs if self.by_term else self.n_terms
        return self.indptr, self.indices, self.data, end

    def by_document(self, n_threads: int, name: Name = "X") -> Csr:
        """Return the CSR matrix of the same entries."""
        if not self.by_term:
            return self
        # The core checks the indices first, because scipy's conversion does not check them.
        check_entries(self, n_threads, name)
        arrays = self.data, self.indices, self.indptr
        csc = scipy.sparse.csc_array(arrays, shape=(self.n_docs, self.n_terms))
        return _triple(csc.tocsr(), name)

    def to_scipy(self) -> Any:
        """Return the matrix as scipy's csr_array."""
        arrays = self.data, self.indices, self.indptr
        return scipy.sparse.csr_array(arrays, shape=(self.n_docs, self.n_terms))


# ---- the matrix ----------------------------------------------------------------------------------


def check_matrix(X: Any, n_threads: int, name: Name = "X", *, keep_csc: bool = False) -> Csr:
    """Return a CSR, CSC or dense matrix as a `Csr`. Error messages call the matrix ``name``.

    A CSC matrix is converted to CSR unless ``keep_csc``.
    """
    refuse_other_kinds(X, name)
    is_sparse = scipy.sparse.issparse(X)
    matrix: Any = X if is_sparse or _has_rows(X) else as_array(X, name)
    if len(matrix.shape) != 2:
        cure = said(". Reshape your data: {name}.reshape(1, -1) is one document", name=named(name))
        raise wrong_value(
            "{name} must have two dimensions, one row per document, got shape {shape}{cure}",
            name=named(name),
            shape=matrix.shape,
            cure=cure if len(matrix.shape) == 1 else "",
        )
    n_terms = matrix.shape[1]
    if n_terms > _core.max_terms:
        raise wrong_value(
            "{name} has {n_terms} terms, more than the {most} that can be counted",
            name=named(name),
            n_terms=n_terms,
            most=_core.max_terms,
        )
    if not is_sparse:
        matrix = _sparse(matrix, name)
    elif matrix.format not in ("csr", "csc"):
        raise wrong_type(
            "{name} is a sparse {form} matrix, expected CSR or CSC: use tocsr()",
            name=named(name),
            form=matrix.format.upper(),
        )
    csr = _triple(matrix, name)
    return csr if keep_csc else csr.by_document(n_threads, name)


def refuse_other_kinds(X: Any, name: Name = "X") -> None:
    """Raise an error if X holds texts, is masked, or is not a matrix in memory."""
    refuse_engines(X, name, "count")
    if scipy.sparse.issparse(X):
        return
    refuse_masked(X, name)
    is_list = isinstance(X, (list, tuple))
    if not is_list and not hasattr(X, "__array__"):
        cure = ": pass its attribute X" if hasattr(X, "X") else ""  # AnnData has one
        raise wrong_type(
            "{name} is {kind}, expected a CSR, CSC or dense matrix{cure}",
            name=named(name),
            kind=a_kind(X),
            cure=cure,
        )
    if holds_texts(X):
        raise wrong_type(
            "{name} holds texts, expected a matrix of counts: count texts with "
            "termsift.count_texts, and add such counts to others with termsift.merge, or make a "
            "matrix with termsift.text.CountVectorizer",
            name=named(name),
        )


def holds_texts(X: Any) -> bool:
    """Return whether the first values of a list, an array or a frame are texts."""
    if isinstance(X, (list, tuple)):
        first: Any = X[:8]
    else:
        first = np.asarray(_rows(X, 0, 8)).ravel() if _has_rows(X) else ()
    return any(isinstance(value, (str, bytes)) for value in first)


def refuse_engines(values: Any, name: Name, function: str) -> None:
    """Raise an error if values are on a cluster. The error names the function that takes them."""
    if hasattr(values, "__dask_graph__"):
        raise wrong_type(
            "{name} is a Dask collection: use termsift.dask.{function}, or compute it",
            name=named(name),
            function=function,
        )
    if is_from(values, "pyspark"):
        raise wrong_type(
            "{name} is {kind} of Spark: use termsift.spark.{function}",
            name=named(name),
            kind=a_kind(values),
            function=function,
        )


def _has_rows(X: Any) -> bool:
    """Return whether an object has a shape and can be cut into blocks of rows."""
    return hasattr(X, "__getitem__") and getattr(X, "shape", ()) != ()


def _rows(X: Any, first: int, stop: int) -> Any:
    return getattr(X, "iloc", X)[first:stop]


def _sparse(X: Any, name: Name) -> Any:
    """Return a dense matrix as CSR. Read X in blocks of rows, because X may be in a file."""
    n_rows, n_terms = X.shape
    step = max(1, _BLOCK_CELLS // max(1, n_terms))
    blocks = []
    for i in range(0, max(1, n_rows), step):
        block = as_numbers(_rows(X, i, i + step), name, i)
        stored = block != 0
        # Reading columns across the rows would take eight times as long, but few cells must be zero
        # for the conversion from CSC to be worth it.
        by_column = block.strides[0] < block.strides[1]
        if by_column and 4 * np.count_nonzero(stored) < stored.size:
            blocks.append(_nonzero(block.T, stored.T).T.tocsr())
        else:
            blocks.append(_nonzero(block, stored))
    return scipy.sparse.vstack(blocks, format="csr")


def _nonzero(matrix: NDArray[Any], stored: NDArray[np.bool_]) -> Any:
    """Return the stored cells of a dense matrix as CSR, reading row by row."""
    n_columns = max(matrix.shape[1], 1)
    cells = np.flatnonzero(stored)  # flatnonzero is three times as fast as scipy's conversion
    columns = cells % n_columns
    is_whole = matrix.flags.c_contiguous or 4 * len(cells) > matrix.size
    data = matrix.ravel()[cells] if is_whole else matrix[cells // n_columns, columns]
    indptr = np.append(0, np.cumsum(np.count_nonzero(stored, axis=1)))
    arrays = data, columns.astype(np.int32), indptr.astype(np.int32)
    return scipy.sparse.csr_array(arrays, shape=matrix.shape)


def check_entries(csr: Csr, n_threads: int, name: Name) -> None:
    """Let the core check the matrix entries. Counting checks the entries by itself."""
    with blaming(name):
        _core.check_csr(*csr.parts, str(name), csr.by_term, n_threads)


def _triple(X: Any, name: Name) -> Csr:
    """Return the arrays of a CSR or CSC matrix."""
    by_term = X.format == "csc"
    n_docs, n_terms = X.shape
    n_lines = n_terms if by_term else n_docs
    indptr = _index_array(X.indptr, name, "indptr")
    indices = _index_array(X.indices, name, "indices")
    if indptr.dtype != indices.dtype:
        indptr, indices = _of_one_dtype(indptr, indices)
    data = np.asarray(X.data)
    if not indptr.ndim == indices.ndim == data.ndim == 1:
        raise wrong_value("{name}.indptr, .indices and .data must be vectors", name=named(name))
    if len(indptr) != n_lines + 1:
        raise wrong_value(
            "{name}.indptr has {n} entries, expected {expected}",
            name=named(name),
            n=len(indptr),
            expected=n_lines + 1,
        )
    if len(indices) != len(data):
        raise wrong_value(
            "{name} has {n} indices but {values}",
            name=named(name),
            n=len(indices),
            values=number_of(len(data), "value"),
        )
    return Csr(indptr, indices, contiguous(exact_dtype(data, name)), n_docs, n_terms, by_term)


def _of_one_dtype(indptr: _core.Index, indices: _core.Index) -> tuple[_core.Index, _core.Index]:
    """Return both as int32 if the offsets fit, because a copy of the indices may be large."""
    if indices.dtype == np.int32:
        narrow = indptr.astype(np.int32)
        if np.array_equal(narrow, indptr):
            return narrow, indices
    return indptr.astype(np.int64), indices.astype(np.int64)


def _index_array(array: Any, name: Name, part: str) -> _core.Index:
    array = np.asarray(array)
    if array.dtype.kind != "i" or array.dtype.itemsize not in (4, 8):
        raise wrong_type(
            "{name}.{part} has dtype {dtype}, expected int32 or int64",
            name=named(name),
            part=part,
            dtype=array.dtype,
        )
    return contiguous(array)


def without_duplicates(matrix: Any) -> Any:
    """Return a CSR matrix without duplicate entries. Duplicates are summed in a copy."""
    if not matrix.has_canonical_format:
        matrix = widened(matrix)
        matrix.sum_duplicates()
    return matrix


def widened(matrix: Any) -> Any:
    """Return a 64-bit copy of a sparse matrix, so that sums of small integers do not overflow."""
    dtype = matrix.dtype
    return matrix.astype(dtype if dtype.itemsize == 8 else np.promote_types(dtype, np.int64))


# ---- weights and priors --------------------------------------------------------------------------


def check_weights(sample_weight: Any, n_docs: int) -> _core.Count | None:
    """Return weights as int64 or float64, or None."""
    if sample_weight is None:
        return None
    weights = _not_negative(sample_weight, n_docs, "sample_weight", "row")
    if weights.dtype.kind == "f":
        return np.ascontiguousarray(weights, dtype=np.float64)
    return np.ascontiguousarray(weights, dtype=np.int64)


def as_float_weights(weights: _core.Count | None) -> _core.Float64s | None:
    """Return float64 weights. Integers above 2^53 are errors, because floats may not hold them."""
    if weights is None:
        return None
    if weights.dtype.kind == "i" and weights.max(initial=0) > 2**53:
        row = int(weights.argmax())
        raise wrong_value(
            "{sample_weight} has {weight} at row {row}, expected at most 2^53 because the counts "
            "are not integers",
            weight=weights[row],
            row=row,
        )
    return weights.astype(np.float64)


def check_class_prior(
    class_prior: Literal["empirical", "uniform"]
    | Sequence[float]
    | Mapping[Any, float]
    | NDArray[Any],
    classes: list[Hashable],
) -> _core.Float64s | None:
    """Return one weight per class, which the core normalises, or None for the empirical prior."""
    if class_prior is None:
        raise wrong_type(
            "{class_prior} must be 'empirical', 'uniform', an array or a dict by label, got None"
        )
    if isinstance(class_prior, str):
        check_choice(class_prior, ("empirical", "uniform"), "class_prior")
        return None if class_prior == "empirical" else np.ones(len(classes))
    if is_from(class_prior, "pandas") and {*classes} == {*getattr(class_prior, "index", ())}:
        class_prior = class_prior.to_dict()  # type: ignore[union-attr]
    if isinstance(class_prior, Mapping):
        class_prior = _in_order_of(classes, dict(class_prior))  # another thread may change it
    with naming_classes(classes):
        return _not_negative(class_prior, len(classes), "class_prior", "class").astype(np.float64)


def _in_order_of(classes: list[Hashable], priors: Mapping[Any, float]) -> list[float]:
    """Return the priors of the classes from a dict by label."""
    known = set(classes)
    for label in priors:
        if label not in known:
            hint = did_you_mean(label, [each for each in classes if isinstance(each, str)])
            raise wrong_value(
                "{class_prior} has {label}, which is not among the classes {known}{hint}",
                label=listed([label]),
                known=listed(classes),
                hint=hint,
            )
    for label in classes:
        if label not in priors:
            raise wrong_value(
                "{class_prior} lacks class {label!r}: give every class a prior, or 0", label=label
            )
    return [priors[label] for label in classes]


def _not_negative(values: Any, n: int, name: Name, place: str) -> NDArray[Any]:
    """Return n finite, nonnegative numbers, one for each ``place``. Integers are below 2^63."""
    array = as_array(values, name)
    if array.shape != (n,):
        raise wrong_value(
            "{name} has shape {shape}, expected ({n},)", name=named(name), shape=array.shape, n=n
        )
    numbers = as_numbers(array, name, line=place)
    if numbers.dtype.kind == "b":  # True counts as 1
        numbers = numbers.astype(np.int64)
    is_right = np.isfinite if numbers.dtype.kind == "f" else lambda integers: integers < 2**63
    wrong = ~((numbers >= 0) & is_right(numbers))
    if wrong.any():
        i = int(np.argmax(wrong))
        raise wrong_value(
            "{name} has {number} at {place}, expected a finite number, not negative and below 2^63",
            name=named(name),
            number=numbers[i],
            place=f"{place} {i}",
        )
    return numbers


# ---- indices and names of terms ------------------------------------------------------------------


def check_indices(indices: Any, n: int, name: Name = "indices", of: str = "term") -> _core.Int64s:
    """Check that indices of columns or rows are distinct and in [0, n); return them as int64."""
    array = as_array(as_sequence(indices, name, "integers"), name)
    if array.ndim != 1:
        raise wrong_value("{name} has {n} dimensions, expected 1", name=named(name), n=array.ndim)
    if len(array) == 0:
        return np.empty(0, dtype=np.int64)
    if array.dtype.kind not in "iu":
        raise wrong_type(
            "{name} must hold integers, got dtype {dtype}", name=named(name), dtype=array.dtype
        )
    wrong = (array < 0) | (array >= n)
    if wrong.any():
        position = int(np.argmax(wrong))
        raise wrong_value(
            "{name} has {index} at position {position}, expected a {of} in [0, {n})",
            name=named(name),
            index=array[position],
            position=position,
            of=of,
            n=n,
        )
    terms = np.ascontiguousarray(array, dtype=np.int64)
    values, n_times = np.unique(terms, return_counts=True)
    if len(values) < len(terms):
        raise wrong_value(
            "{name} has {index} twice, expected each {of} once",
            name=named(name),
            index=values[n_times > 1][0],
            of=of,
        )
    return terms


def column_names(X: Any) -> list[str] | None:
    """Return the column names of a data frame or of an Arrow table, or None if X has none.

    Names that are not all strings do not count, as in scikit-learn.
    """
    # The attribute columns of an Arrow table holds the columns themselves.
    is_table = is_from(X, "pyarrow") and hasattr(X, "schema")  # an array has none
    columns = X.schema.names if is_table else getattr(X, "columns", ())
    names = [] if callable(columns) else list(columns)  # a table of ours has a method
    return names if names and all(isinstance(name, str) for name in names) else None


def check_columns(
    X: Any,
    expected: Sequence[str] | NDArray[np.object_] | None,
    name: Name = "X",
    of: Name = "the counts",
    columns: Iterable[int] | None = None,
) -> None:
    """Check that the names of a frame's columns equal ``expected``, as far as both have names.

    ``columns`` are the columns of the expected names, by default 0, 1, ... The names are those of
    ``of``. Without this check, the columns of a frame in another order would be mistaken for each
    other.
    """
    names = column_names(X)
    if names is None or expected is None:
        return
    if columns is None:
        columns = range(min(len(names), len(expected)))
    for column, wanted in zip(columns, expected, strict=False):
        if names[column] != wanted:
            raise wrong_value(
                "column {column} of {name} is {found!r}, but {wanted!r} in {of}: give the frame "
                "the same columns in the same order",
                column=column,
                name=named(name),
                found=names[column],
                wanted=wanted,
                of=of,
            )


def term_names_of(X: Any, given: Any, n_terms: int) -> NDArray[np.object_] | None:
    """Return the term names that the caller gave, or else the column names of a data frame."""
    columns = column_names(X)
    names = check_term_names(columns if given is None else given, n_terms)
    if names is not None and columns is not None and sorted(names) == sorted(columns):
        check_columns(X, names, of=named("term_names"))  # other names may rename the columns
    return names


def check_term_names(names: Any, n_terms: int) -> NDArray[np.object_] | None:
    """Return the names of the terms as an array of str objects, or None."""
    if names is None:
        return None
    several = list(as_sequence(names, "term_names", "a name for each term"))
    if len(several) != n_terms:
        raise wrong_value(
            "{term_names} has {names} for {terms}",
            names=number_of(len(several), "name"),
            terms=number_of(n_terms, "term"),
        )
    for term, name in enumerate(several):
        if not isinstance(name, str):
            error = wrong_type(
                "the name of term {term} is {name!r}, expected a string", term=term, name=name
            )
            raise concerning(error, "term_names")
    array = object_array(several)
    array.setflags(write=False)  # counts and rankings share the array
    return array


# ---- any array -----------------------------------------------------------------------------------


def as_array(values: Any, name: Name) -> NDArray[Any]:
    """Return the values as an array. Error messages call the argument ``name``."""
    refuse_masked(values, name)
    if is_from(values, "pandas"):
        values = _in_dtypes_of_numpy(values)
    try:
        return np.asarray(values)
    except ValueError:
        raise wrong_value(
            "{name} holds lists of different lengths, expected an array", name=named(name)
        ) from None
    except TypeError as error:  # of an object that refuses to be an array
        concerning(error, *named(name).arguments)
        raise


def refuse_masked(values: Any, name: Name) -> None:
    """Raise an error for a masked array or a list of them, because numpy would drop the masks."""
    several = values if isinstance(values, (list, tuple)) else [values]
    if any(isinstance(one, np.ma.MaskedArray) for one in several):
        raise wrong_type(
            "{name} is a masked array: fill or drop the masked values", name=named(name)
        )


def _in_dtypes_of_numpy(values: Any) -> Any:
    """Return the numbers of nullable or Arrow-backed columns as numpy's, unless one is missing.

    Numpy alone would make them objects. Any other values of pandas are returned as they are.
    """
    dtypes = list(values.dtypes) if hasattr(values, "columns") else [getattr(values, "dtype", None)]
    own = [getattr(dtype, "numpy_dtype", dtype) for dtype in dtypes]
    if own != dtypes and all(getattr(dtype, "kind", "") in "biuf" for dtype in own):
        with suppress(TypeError, ValueError):  # an integer is missing
            return values.to_numpy(dtype=np.result_type(*own))
    return values


def object_array(values: Sequence[Any]) -> NDArray[np.object_]:
    """Return an array of Python objects. An array of str would pad all strings to one length."""
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result


def contiguous(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array, or a copy for the core if it is strided, unaligned or byte-swapped."""
    if array.flags.c_contiguous and array.flags.aligned and array.dtype.isnative:
        return array
    return np.require(array, array.dtype.newbyteorder("="), ["C", "A"])


def as_sequence(values: Any, name: Name, expected: str) -> NDArray[Any] | list[Any]:
    """Return an array as it is, and any other ordered values as a list."""
    array = as_array(values, name) if hasattr(values, "__array__") else None
    if array is not None and array.ndim:
        return array
    if array is None and isinstance(values, Iterable) and not isinstance(values, _UNORDERED):
        return list(values)
    raise wrong_type(
        "{name} must hold {expected} in order, got {shown}",
        name=named(name),
        expected=expected,
        shown=shown(values),
    )


def as_numbers(values: Any, name: Name, first: int = 0, line: str = "row") -> NDArray[Any]:
    """Return dense numbers in a dtype of the core. Errors count each ``line`` from ``first``.

    Numbers that are Python objects, as in a column of decimals, become int64 or float64. A number
    that would change is an error.
    """
    array = as_array(values, name)
    if array.dtype != object:
        return exact_dtype(array, name)
    objects = array.ravel().tolist()
    numbers = [_exact_number(value) for value in objects]
    are_integers = all(type(number) is int for number in numbers)
    if not are_integers:  # a float64 may not hold the integers
        numbers = [None if type(x) is int and float(x) != x else x for x in numbers]
    if None in numbers:
        at = numbers.index(None)
        row, *column = np.unravel_index(at, array.shape)
        place = ", ".join([f"{line} {first + int(row)}", *(f"column {c}" for c in column)])
        raise wrong_value(
            "{name} has {found} at {place}, expected a number that int64 or float64 holds without "
            "rounding: fill or drop missing values, round others to floats",
            name=named(name),
            found=listed([objects[at]]),
            place=place,
        )
    exact = np.array(numbers, dtype=np.int64 if are_integers else np.float64)
    return exact.reshape(array.shape)


def _exact_number(value: Any) -> int | float | None:
    """Return an int64 or a float64 that equals a Python object, or None if there is none."""
    if isinstance(value, float):  # even NaN, which equals nothing
        return float(value)
    for kind in (int, float):
        with suppress(TypeError, ValueError, OverflowError):
            number: int | float = kind(value)
            if number == value and (kind is float or -(2**63) <= number < 2**63):
                return number
    return None


def exact_dtype(values: NDArray[Any], name: Name) -> NDArray[Any]:
    """Return the values in a dtype of the core. A dtype that would lose precision is an error."""
    dtype = values.dtype
    if dtype.kind not in "biuf":
        raise wrong_type(
            "{name} has dtype {dtype}, expected booleans, integers or floats",
            name=named(name),
            dtype=dtype,
        )
    if dtype == np.float16:  # the core has no float16 and no long double
        return values.astype(np.float32)
    if dtype.kind == "f" and dtype.itemsize > 8:
        raise wrong_type(
            "{name} has dtype {dtype}, expected at most 64 bits: use astype(float)",
            name=named(name),
            dtype=dtype,
        )
    return values.astype(dtype.newbyteorder("="), copy=False)
