"""A small collection of three documents, files that hold it, and the errors of faulty files."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import termsift as ts
from private import SKIP
from termsift.io import Collection, read_collection, read_split

COUNTS = np.array([[2, 0, 1], [0, 1, 0], [1, 1, 0]])
LABELS = ["sport", "trade", "sport"]


def write(path: Path, text: str | bytes) -> Path:
    """Write a file, compressed if its name says so."""
    data = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def read_files(paths: Any, **options: Any) -> Collection:
    """Read a whole collection."""
    return read_collection(ts.scan(paths, **options))


def read_splits(train: Path, test: Path, **options: Any) -> tuple[Collection, Collection]:
    """Read training and test documents."""
    return read_split(ts.scan(train, **options), ts.scan(test))


def complaint(path: Path, **arguments: Any) -> str:
    """Read a faulty file, and return the error message, which must be a single line.

    The folder's path and the advice after an error of a row are removed from the message.
    """
    with pytest.raises((ValueError, FileNotFoundError)) as caught:
        read_files(path, **arguments)
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(f"{path.parent}{os.sep}", "").removesuffix(f"; {SKIP}")


def write_labels(folder: Path) -> Path:
    """Write the labels, one per line."""
    return write(folder / "labels.txt", "".join(f"{label}\n" for label in LABELS))
