"""Number labels by their distinct ones, whatever holds them."""

from __future__ import annotations

from typing import Any

import numpy as np

from termsift import _core
from termsift._util.extras import is_from
from termsift._util.validation.arrays import contiguous


def distinct_labels(labels: Any) -> tuple[_core.Int32s, list[Any], list[int]]:
    """Return a code for each label, and each code's label and first position.

    The labels are an array, a list or what `is_column_of_strings` is. Labels that are equal may
    have several codes if their types or bits differ, as 1, 1.0 and -0.0, 0.0 do. Raises TypeError
    if one is not hashable.
    """
    if isinstance(labels, np.ndarray):
        if (labels.dtype.kind in "biufmM" and labels.itemsize <= 8) or labels.dtype.kind in "OSU":
            labels = contiguous(labels)
        else:
            labels = labels.tolist()
    held = _in_core(labels)
    codes, at = _core.number_labels(held)
    first = at.tolist()
    if isinstance(labels, np.ndarray):
        held = labels[at]
    elif not isinstance(labels, list) and is_from(labels, "pandas"):
        held = np.asarray(labels.take(at))  # pandas has missing labels of several kinds
    else:
        return codes, [held[i] for i in first], first
    # tolist() would turn dates in nanoseconds into integers, and NaT into None.
    return codes, list(held) if held.dtype.kind in "mM" else held.tolist(), first


def is_column_of_strings(labels: Any) -> bool:
    """Return whether labels are a column whose strings, or codes of categories, the core reads."""
    if isinstance(labels, (np.ndarray, list)) or len(getattr(labels, "shape", "1")) != 1:
        return False
    if is_from(labels, "pandas"):
        dtype: Any = getattr(labels, "dtype", None)
        return is_from(dtype, "pandas") and (dtype.name == "category" or _is_in_arrow(dtype))
    if is_from(labels, "polars"):
        kind = str(getattr(labels, "dtype", "")).partition("(")[0]
        return kind in ("String", "Categorical", "Enum") and hasattr(labels, "__arrow_c_stream__")
    if is_from(labels, "pyarrow") and hasattr(labels, "type"):
        is_dictionary = str(labels.type).startswith("dictionary")
        kind = str(labels.type.value_type if is_dictionary else labels.type)
        return kind in ("string", "large_string", "string_view")
    return False


def _in_core(labels: Any) -> Any:
    """Return labels in a form that the core numbers."""
    if isinstance(labels, (np.ndarray, list)):
        return labels
    if is_from(labels, "pandas"):
        if labels.dtype.name == "category":
            return np.ascontiguousarray(getattr(labels, "cat", labels).codes)
        labels = getattr(labels, "array", labels).__arrow_array__()
    return _core.Texts.of_arrow(labels)


def _is_in_arrow(dtype: Any) -> bool:
    """Return whether pandas keeps a column of this type as strings of Arrow."""
    if hasattr(dtype, "pyarrow_dtype"):
        return str(dtype.pyarrow_dtype) in ("string", "large_string")
    return getattr(dtype, "storage", None) == "pyarrow"
