"""Texts in blocks for the core, from whatever holds them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from termsift import _core
from termsift._util.extras import is_from, require
from termsift._util.validation import a_kind, check_iterable, did_you_mean
from termsift._util.validation.distinct import is_column_of_strings

# Texts that are already in memory are one block. Those of iterators and streams are held a block at
# a time, which ends soon after one of these limits.
_BLOCK_TEXTS = 1 << 17
_BLOCK_CHARACTERS = 1 << 25
_TEXTS_AT_ONCE = 64

# Consecutive texts, some perhaps missing, and their labels in a form that `LabelCoder` takes; None
# without a column of labels.
LabelledBlock: TypeAlias = tuple[_core.Texts, Any]


def text_blocks(texts: Any) -> Iterator[_core.Texts]:
    """Yield texts in blocks; a missing text is an error, and a frame must have a single column."""
    row = 0
    for block, _ in labelled_blocks(texts):
        if len(block.missing):
            raise ValueError(
                f"texts has a missing value at {row + block.missing[0]}, expected strings: drop "
                "the missing texts or replace them by ''"
            )
        yield block
        row += len(block)


def labelled_blocks(texts: Any, text: Any = None, label: Any = None) -> Iterator[LabelledBlock]:
    """Yield texts in blocks, with the labels that a frame has for them.

    No text is copied, unless a numpy array or a pandas column holds values that are not Python
    strings.

    Parameters
    ----------
    texts : iterable of str, column or frame
        A list, tuple, generator or other iterable of strings; an array of strings or objects; a
        column of pandas, polars or pyarrow; or a frame of theirs, a stream of record batches, a
        relation of duckdb, or any other object with the Arrow C stream interface. None, NaN, NaT,
        NA and Arrow's nulls are missing texts.
    text, label : name of a column, optional
        The columns of a frame that hold the texts and their labels. The text of a frame with one
        column need not be named.

    Raises
    ------
    TypeError
        For a single string, for texts without an order, and for values that are not strings.
    ValueError
        If a frame has no such column, or several.
    """
    names = check_source(texts, text, label)
    if text is None and names is not None:
        text = names[0]
    if names is not None or (text is not None and hasattr(texts, "__arrow_c_stream__")):
        yield from _frame_blocks(texts, text, label)
    elif text is not None or label is not None:
        raise TypeError(
            f"text and label name columns of a frame, and texts is {a_kind(texts)}: leave them out"
        )
    elif (whole := _whole(texts)) is not None:
        yield whole, None
    else:
        for block in _iterated(check_iterable(texts, "texts", "strings")):
            yield block, None


def check_source(texts: Any, text: Any, label: Any) -> list[Any] | None:
    """Check what can be checked before texts are read; return the names of a frame's columns."""
    if isinstance(texts, (str, bytes, bytearray, os.PathLike)):
        raise TypeError(
            f"texts is a single {type(texts).__name__}, expected a list of strings: for one text "
            "pass [text], for a file use termsift.count(termsift.scan(path))"
        )
    if isinstance(texts, (Mapping, Set)):
        raise TypeError(f"texts must hold strings in order, got {a_kind(texts)}")
    names = column_names(texts)
    if names is None:
        return None
    if text is None and len(names) != 1:
        raise TypeError(
            f"texts is {a_kind(texts)} with the columns {', '.join(map(repr, names)) or 'none'}, "
            "expected one column of texts: name it, as in text='text', or pass it alone"
        )
    check_columns(names, {"text": names[0] if text is None else text, "label": label})
    return names


# ---- columns -------------------------------------------------------------------------------------


def _whole(texts: Any) -> _core.Texts | None:
    """Return the texts of a column in memory, or None for an iterator."""
    if getattr(texts, "ndim", 1) != 1:
        cure = ": pass one column, as in texts[:, 0]" if texts.ndim == 2 else ""
        raise TypeError(f"texts has the shape {texts.shape}, expected one dimension{cure}")
    if isinstance(texts, _core.Texts):
        return texts
    if isinstance(texts, np.ndarray):
        return _of_array(texts)
    if is_from(texts, "pandas") and hasattr(texts, "dtype"):
        return _of_pandas(texts)
    if hasattr(texts, "__arrow_c_stream__") or hasattr(texts, "__arrow_c_array__"):
        return _core.Texts.of_arrow(texts)
    if isinstance(texts, (list, tuple)):
        return _core.Texts.of_strings(texts, allow_missing=True)
    return None


def _of_array(texts: npt.NDArray[Any]) -> _core.Texts:
    if texts.dtype.kind == "f" and np.isnan(texts).all():
        texts = np.full(len(texts), None)  # pandas has this dtype for a column without a value
    if texts.dtype.kind not in "OUT":
        raise TypeError(f"texts has the dtype {texts.dtype}, expected strings")
    return _core.Texts.of_strings(texts.tolist(), allow_missing=True)


def _of_pandas(texts: Any) -> _core.Texts:
    """Return the texts of a Series or an Index of pandas."""
    dtype = texts.dtype
    if hasattr(dtype, "pyarrow_dtype") or getattr(dtype, "storage", None) == "pyarrow":
        return _core.Texts.of_arrow(texts.array.__arrow_array__())
    # Not by the Arrow interface, which would copy the strings of other dtypes.
    return _of_array(np.asarray(texts, dtype=object if dtype.kind == "O" else None))


def _iterated(texts: Iterable[Any]) -> Iterator[_core.Texts]:
    """Yield the texts of an iterable, in blocks of a bounded size."""
    rest, row = iter(texts), 0
    block: list[Any] = []
    n_characters = 0
    while more := list(islice(rest, _TEXTS_AT_ONCE)):
        block += more
        try:
            n_characters += sum(map(len, more))
        except TypeError:  # one is missing, or no string
            n_characters += sum(len(text) for text in more if isinstance(text, str))
        if len(block) >= _BLOCK_TEXTS or n_characters >= _BLOCK_CHARACTERS:
            yield _core.Texts.of_strings(block, allow_missing=True, first_row=row)
            row += len(block)
            block, n_characters = [], 0
    if block:
        yield _core.Texts.of_strings(block, allow_missing=True, first_row=row)


# ---- frames --------------------------------------------------------------------------------------


def _frame_blocks(frame: Any, text: Any, label: Any) -> Iterator[LabelledBlock]:
    if is_from(frame, "pandas") or is_from(frame, "polars"):
        labels = None if label is None else column_values(frame[label])
        try:
            texts = _whole(frame[text])
        except TypeError as error:
            raise TypeError(f"column {text!r}: {error}") from None
        assert texts is not None  # a column is in memory
        yield texts, labels
        return
    # pyarrow streams tables and record batches too, without a copy.
    pyarrow = require("pyarrow", "arrow", f"reading the columns of a {type(frame).__name__}")
    # A table or a record batch is in memory already.
    is_whole = hasattr(frame, "num_rows")
    batches: list[Any] = []
    n_rows = n_bytes = 0
    reader = pyarrow.RecordBatchReader.from_stream(frame)
    check_columns(reader.schema.names, {"text": text, "label": label})
    for batch in reader:
        batches.append(batch)
        n_rows += batch.num_rows
        n_bytes += batch.column(text).nbytes
        if not is_whole and (n_rows >= _BLOCK_TEXTS or n_bytes >= _BLOCK_CHARACTERS):
            yield _of_batches(pyarrow, batches, text, label)
            batches, n_rows, n_bytes = [], 0, 0
    if batches:
        yield _of_batches(pyarrow, batches, text, label)


def _of_batches(pyarrow: Any, batches: list[Any], text: str, label: str | None) -> LabelledBlock:
    table = pyarrow.Table.from_batches(batches)
    labels = None if label is None else column_values(table.column(label))
    return _core.Texts.of_arrow(table, text), labels


def column_values(column: Any) -> Any:
    """Return values as a column for the core, as an array, or as a list if they have nulls."""
    if is_column_of_strings(column):
        return column
    if is_from(column, "polars"):
        return list(column.to_list()) if column.null_count() else np.asarray(column.to_numpy())
    if is_from(column, "pyarrow"):
        is_object = str(column.type) in ("string", "large_string")
        if column.null_count and not is_object:
            return list(column.to_pylist())
        return np.asarray(column.to_numpy())
    dtype = getattr(column, "dtype", None)  # of pandas; an array of numbers would turn NA into NaN
    return np.asarray(column, dtype=None if isinstance(dtype, np.dtype) else object)


def column_names(texts: Any) -> list[Any] | None:
    """Return the names of the columns of a frame, or None for any other object."""
    if getattr(texts, "ndim", 2) != 2:  # a Series has its rows as attributes
        return None
    schema = getattr(texts, "schema", None)
    for names in (
        getattr(texts, "column_names", None),  # pyarrow
        getattr(texts, "columns", None),  # pandas, polars, duckdb
        getattr(schema, "names", None),  # streams
    ):
        if names is not None and not callable(names):
            return list(names)
    return None


def check_columns(names: list[Any], wanted: Mapping[str, Any]) -> None:
    """Check that a frame has the columns that parameters name, each once."""
    columns = ", ".join(map(repr, names))
    for parameter, name in wanted.items():
        if name is None:
            continue
        n_columns = names.count(name)
        if n_columns == 0:
            raise ValueError(
                f"{parameter}={name!r} is no column of the frame, which has the columns "
                f"{columns}{did_you_mean(name, [n for n in names if isinstance(n, str)])}"
            )
        if n_columns > 1:
            raise ValueError(
                f"{parameter}={name!r} is the name of {n_columns} columns of the frame"
            )
