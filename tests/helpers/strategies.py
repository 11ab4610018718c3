"""Hypothesis strategies for collections like those of users.

Unlike ``scipy.sparse.random``, these strategies also draw duplicate entries, explicit zeros,
unsorted rows, empty classes and 64-bit indices.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

VALUE_DTYPES = (
    *(np.bool_, np.int8, np.int16, np.int32, np.int64),
    *(np.uint8, np.uint16, np.uint32, np.uint64, np.float32, np.float64),
)
INTEGER_DTYPES = VALUE_DTYPES[:-2]
INDEX_DTYPES = (np.int32, np.int64)
CONTAINERS = (sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.csc_matrix)

MAX_WEIGHT = 7
# If all values of a matrix sum to at most MAX_TOTAL, the sum times any weight fits in int64.
MAX_TOTAL = 2**62 // (MAX_WEIGHT + 1)

# Labels to draw from. Some pools can be sorted, and some cannot. Python and numpy may sort a pool
# differently.
LABEL_POOLS = (
    (0, 1, 2, 3),
    (-5, 7, -1, 2**40),
    ("b", "a", "", "Z", "é"),
    ((0, 1), (0,), (1, "x"), (2, 0)),
    (1, "1", b"1", (2, 3), -7, 0.5),
)
# numpy stores the labels of the first three pools with a numeric or string dtype, not as objects.
NUMPY_POOLS = LABEL_POOLS[:3]


def shapes() -> st.SearchStrategy[tuple[int, int]]:
    """Draw shapes so small that values collide, and sometimes a long, wide or empty shape."""
    small = st.tuples(st.integers(0, 8), st.integers(1, 10))
    rare = st.sampled_from([(0, 0), (3, 0), (1, 300), (40, 3)])
    return st.integers(0, 15).flatmap(lambda i: rare if i == 0 else small)


def values(dtype: Any) -> st.SearchStrategy[float]:
    """Draw nonnegative values of one dtype, mostly zeros and small counts."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return st.booleans()
    if dtype.kind in "iu":
        largest = min(int(np.iinfo(dtype).max), MAX_TOTAL)
        return st.one_of(
            st.integers(0, 3),
            st.integers(0, min(largest, 1000)),
            st.integers(largest - 3, largest),
        )
    width = 8 * dtype.itemsize
    return st.one_of(
        st.sampled_from([0.0, -0.0, 1.0, 2.0, 0.5]),
        st.floats(0, 1e6, width=width),  # subnormal numbers and long mantissas included
    )


@st.composite
def csr_matrices(
    draw: st.DrawFn,
    shape: st.SearchStrategy[tuple[int, int]] | tuple[int, int] | None = None,
    dtypes: tuple[Any, ...] = VALUE_DTYPES,
    index_dtypes: tuple[Any, ...] = INDEX_DTYPES,
    containers: tuple[Any, ...] = CONTAINERS,
) -> Any:
    """Draw a CSR or CSC matrix in any valid form.

    Rows may be empty or unsorted, and may hold duplicates and explicit zeros. The arrays may be
    read-only, and the indices may have 64 bits. No value is negative, and the sum is at most
    MAX_TOTAL.
    """
    if shape is None:
        shape = shapes()
    n_rows, n_cols = shape if isinstance(shape, tuple) else draw(shape)
    container = draw(st.sampled_from(containers))
    dtype = draw(st.sampled_from(dtypes))
    index_dtype = draw(st.sampled_from(index_dtypes))
    by_row = container in (sparse.csr_array, sparse.csr_matrix)
    n_lines, length = (n_rows, n_cols) if by_row else (n_cols, n_rows)

    # Indices are drawn independently, so some are repeated and most are unsorted.
    entry = st.tuples(st.integers(0, max(length - 1, 0)), values(dtype))
    line = st.lists(entry, max_size=min(2 * length, 12))
    lines = draw(st.lists(line, min_size=n_lines, max_size=n_lines))

    indices, data, indptr = [], [], [0]
    remaining = MAX_TOTAL
    for entries in lines:
        for index, value in entries:
            kept = value if value <= remaining else 0
            remaining -= kept
            indices.append(index)
            data.append(kept)
        indptr.append(len(indices))

    # scipy's constructors narrow indices and copy read-only arrays, so the arrays are set later.
    matrix = container((n_rows, n_cols), dtype=dtype)
    matrix.data = np.array(data, dtype=dtype)
    matrix.indices = np.array(indices, dtype=index_dtype)
    matrix.indptr = np.array(indptr, dtype=index_dtype)
    if draw(st.booleans()):
        for array in (matrix.data, matrix.indices, matrix.indptr):
            array.setflags(write=False)
    return matrix


@st.composite
def streamable_matrices(draw: st.DrawFn) -> sparse.csr_array:
    """Draw matrices for the counting path by streams, which other strategies rarely draw.

    Rows have distinct, sorted columns, and values are positive integers, of which some do not fit
    in 16 bits. But streams cannot count a few of the matrices, which have a fraction, a zero or too
    many large values. Numbers of terms near 64 and 4096 are drawn often."""
    n_cols = draw(st.sampled_from([1, 2, 5, 63, 64, 65, 130, 4096, 4097, 70_000]))
    edges = [c for c in (0, 1, 62, 63, 64, 65, 4095, 4096, n_cols - 2, n_cols - 1) if c < n_cols]
    columns = st.one_of(st.sampled_from(edges), st.integers(0, n_cols - 1)).filter(lambda c: c >= 0)
    rows = draw(st.lists(st.sets(columns, max_size=12), max_size=20))
    dtype = np.dtype(draw(st.sampled_from(VALUE_DTYPES)))
    largest = 1 if dtype.kind == "b" else 127 if dtype.itemsize == 1 else 2**15 - 1
    common = st.integers(1, min(largest, 9))
    if dtype.itemsize >= 4:
        largest = 2**24 if dtype.itemsize == 4 else 2**33
        rare = st.sampled_from([8190, 8191, 8192, 65534, 65535, 65536, largest])
    else:
        rare = st.just(largest)
    n = sum(map(len, rows))
    data = draw(st.lists(common, min_size=n, max_size=n))
    for place in draw(st.lists(st.integers(0, max(n - 1, 0)), max_size=max(n // 8, 1) if n else 0)):
        data[place] = draw(rare)
    odd = draw(st.sampled_from([None] * 9 + [0, 0.5]))
    if n and odd is not None and (dtype.kind == "f" or odd == 0):
        data[draw(st.integers(0, n - 1))] = odd
    index_dtype = draw(st.sampled_from(INDEX_DTYPES))
    matrix = sparse.csr_array((len(rows), n_cols), dtype=dtype)
    matrix.data = np.array(data, dtype=dtype)
    matrix.indices = np.array([c for row in rows for c in sorted(row)], dtype=index_dtype)
    matrix.indptr = np.cumsum([0, *map(len, rows)]).astype(index_dtype)
    return matrix


@st.composite
def labels(draw: st.DrawFn, n: int) -> Any:
    """Draw a label for each of n documents, in a list or, if possible, in an array."""
    pool = draw(st.sampled_from(LABEL_POOLS))
    drawn = draw(st.lists(st.sampled_from(pool), min_size=n, max_size=n))
    if pool in NUMPY_POOLS and draw(st.booleans()):
        return np.array(drawn, dtype=np.array(pool).dtype)
    return drawn


@st.composite
def indicators(draw: st.DrawFn, n: int) -> Any:
    """Draw a dense or sparse indicator of n documents, each with any number of classes."""
    n_classes = draw(st.integers(2, 4))  # an indicator with a single column is refused
    row = st.lists(st.integers(0, 1), min_size=n_classes, max_size=n_classes)
    rows = draw(st.lists(row, min_size=n, max_size=n))
    dtype = draw(st.sampled_from([np.bool_, np.int8, np.int64, np.float64]))
    dense = np.array(rows, dtype=dtype).reshape(n, n_classes)
    kind = draw(st.sampled_from(["dense", "fortran", "sparse", "explicit zeros"]))
    if kind == "dense":
        return dense
    if kind == "fortran":
        return np.asfortranarray(dense)
    container = draw(st.sampled_from(CONTAINERS))
    if kind == "sparse":
        return container(dense)
    full = container(np.ones_like(dense))  # store all cells, also those that become 0
    full.data = (dense if full.format == "csr" else dense.T).ravel().copy()
    return full


def weights(n: int) -> st.SearchStrategy[Any]:
    """Draw None or weights of n documents: integers or exact binary fractions, some of them 0."""
    integers = st.lists(st.integers(0, MAX_WEIGHT), min_size=n, max_size=n)
    fractions = st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.25, 7.0]), min_size=n, max_size=n)
    return st.one_of(
        st.none(),
        integers.map(lambda w: np.array(w, dtype=np.int64)),
        integers.map(lambda w: np.array(w, dtype=np.uint8)),
        fractions.map(lambda w: np.array(w, dtype=np.float64)),
    )


@st.composite
def collections(draw: st.DrawFn, **matrix_options: Any) -> tuple[Any, Any, Any]:
    """Draw a collection (X, y, sample_weight) with the options of `csr_matrices`."""
    return draw(labelled(csr_matrices(**matrix_options)))


@st.composite
def labelled(draw: st.DrawFn, matrices: st.SearchStrategy[Any]) -> tuple[Any, Any, Any]:
    """Draw a matrix, labels and weights, as a tuple (X, y, sample_weight)."""
    X = draw(matrices)
    n = X.shape[0]
    y = draw(st.one_of(labels(n), labels(n), indicators(n)))
    return X, y, draw(weights(n))


def fits_float_counts(X: Any, sample_weight: Any) -> bool:
    """Return False for int64 values that are no exact doubles, if the weights are floats."""
    if X.dtype.kind not in "iu" or sample_weight is None or sample_weight.dtype.kind != "f":
        return True
    return bool((X.data.astype(np.float64).astype(X.dtype) == X.data).all())


# Dtypes with values of moderate size. The reference evaluates the formulas as written, so 1 - p
# loses all digits if a term is nearly all of a class. tests/scores/test_scoring_accuracy.py tests
# large counts.
MODERATE = (np.bool_, np.int8, np.uint8, np.int16, np.float32)
