"""Labels of documents and names of terms, as files hold them."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termsift._util.printable import printable_errors
from termsift._util.tabular import object_array
from termsift.io._opening import existing, one_per_line, opened

_WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")  # as str(int) writes it; fits in 64 bits


@printable_errors()
def read_names(path: str | os.PathLike[str]) -> NDArray[np.object_]:
    """Read a file with the name of one term per line.

    Parameters
    ----------
    path : path
        The file, in UTF-8; it may be compressed. Names keep their blanks; none may be empty.

    Returns
    -------
    names : ndarray of str of shape (n_terms,)
    """
    return object_array(one_per_line(existing(path), "a term"))


def read_labels(path: Path) -> NDArray[Any]:
    """Read a file of labels: strings, one per line, or an array saved as .npy."""
    if not is_npy(path):
        return object_array(one_per_line(path, "a label"))
    with opened(path) as (file, _):
        try:
            labels = np.load(file, allow_pickle=False)
        except (OSError, MemoryError, EOFError):
            raise
        except Exception:  # a forged header may raise anything
            raise ValueError(f"{path}: expected an array of labels saved by numpy.save") from None
    if labels.ndim != 1:
        raise ValueError(f"{path}: expected a label for each document, found {labels.ndim}-d")
    return integers_if_whole(labels)


def is_npy(path: Path) -> bool:
    """Return whether a file of labels holds an array instead of text."""
    return path.suffix.lower() == ".npy"


def integers_if_all_whole(labels: Sequence[Any]) -> NDArray[Any]:
    """Return labels of text as integers if all are whole numbers, else as they are."""
    if all(map(_WHOLE_NUMBER.fullmatch, labels)):
        return np.array([int(label) for label in labels], dtype=np.int64)
    return object_array(labels)


def integers_if_whole(values: NDArray[Any]) -> NDArray[Any]:
    """Return floats as int64 if all are whole numbers that a float holds exactly."""
    if values.dtype.kind != "f":
        return values
    with np.errstate(invalid="ignore"):
        whole = np.all((np.abs(values) <= 2**53) & (values == np.floor(values)))
    return values.astype(np.int64) if whole else values
