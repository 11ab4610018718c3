"""Class labels as JSON values."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any


def encode_label(label: Hashable) -> Any:
    """Return the JSON value that stands for a label; raise TypeError if there is none."""
    # bool comes before int, its base class. Numbers are hexadecimal: this is exact for floats, can
    # hold an infinity, and is not subject to Python's limit on decimal digits.
    if label is None or isinstance(label, (bool, str)):
        return label
    if type(label) is int:
        return {"int": hex(label)}
    if type(label) is float:
        return {"float": label.hex()}
    if isinstance(label, bytes):
        return {"bytes": label.hex()}
    if type(label) is tuple:
        return {"tuple": [encode_label(part) for part in label]}
    raise TypeError(
        f"cannot save the class {label!r}: labels of a saved file are None, bool, int, float, str, "
        "bytes or tuples of these"
    )


def decode_label(encoded: Any) -> Hashable:
    """Return the label that `encode_label` encoded; raise an error for anything else."""
    if encoded is None or isinstance(encoded, (bool, str)):
        return encoded
    ((kind, value),) = encoded.items()
    match kind:
        case "int":
            return int(value, 16)
        case "float":
            return float.fromhex(value)
        case "bytes":
            return bytes.fromhex(value)
        case "tuple" if isinstance(value, list):
            return tuple(decode_label(part) for part in value)
    raise ValueError(f"unknown kind of label {kind!r}")
