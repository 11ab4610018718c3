"""A small collection of three documents, files of it, and the errors of files."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from termsift.io import read_collection
from termsift.io._source import SKIP

COUNTS = np.array([[2, 0, 1], [0, 1, 0], [1, 1, 0]])
LABELS = ["sport", "trade", "sport"]


def write(path: Path, text: str | bytes) -> Path:
    """Write a file, compressed if its name says so."""
    data = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def complaint(path: Path, **arguments: Any) -> str:
    """Read what cannot be read, and return the message: a single line.

    It is without the folder, and without the cure that every fault of a row ends with.
    """
    with pytest.raises((ValueError, FileNotFoundError)) as caught:
        read_collection(path, **arguments)
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(f"{path.parent}{os.sep}", "").removesuffix(f"; {SKIP}")


def write_labels(folder: Path) -> Path:
    """Write the labels, one per line."""
    return write(folder / "labels.txt", "".join(f"{label}\n" for label in LABELS))
