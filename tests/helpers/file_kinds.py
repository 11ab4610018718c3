"""The same small collections in files of every kind that the package reads."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import io as scipy_io
from scipy import sparse

N_DOCS, N_TERMS = 23, 11
WORDS = ["ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen", "ibis", "jay", "kite"]


def random_collection() -> tuple[Any, list[str]]:
    """Return a matrix of counts, and labels that are strings of whole numbers."""
    rng = np.random.default_rng(7)
    dense = rng.poisson(0.4, (N_DOCS, N_TERMS))
    dense[-1, -1] = 1  # an svmlight file does not show an empty last column
    return sparse.csr_array(dense.astype(np.int32)), [
        str(label) for label in rng.choice([3, 10, 200], N_DOCS)
    ]


def texts(X: Any) -> list[str]:
    """Return documents with these words."""
    return [" ".join(np.repeat(WORDS, row)) for row in X.toarray()]


def svmlight(X: Any, labels: list[str]) -> bytes:
    """Return the collection as svmlight text."""
    lines = []
    for d, label in enumerate(labels):
        row = X[[d]].tocoo()
        entries = (f"{c + 1}:{v}" for c, v in zip(row.col, row.data, strict=True))
        lines.append(f"{label} {' '.join(entries)}\n")
    return "".join(lines).encode()


def zstandard(content: bytes) -> bytes:
    """Compress in two frames."""
    half = len(content) // 2
    compress = pytest.importorskip("backports.zstd").compress
    return compress(content[:half]) + compress(content[half:])


def zipped(content: bytes) -> bytes:
    """Return an archive of one file."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("c.csv", content)
    return file.getvalue()


def write(kind: str, folder: Path, X: Any, y: list[str]) -> tuple[Path, dict[str, Any]]:
    """Write the collection as a file of some kind. Return its path and the options to read it."""
    path, options = folder / f"c.{kind}", {}
    rows = list(zip(y, texts(X), strict=True))
    plain = "".join(f"{label}\t{text}\n" for label, text in rows)
    if kind.startswith("svm"):
        content = svmlight(X, y)
        packed = {"": bytes, "gz": gzip.compress, "zst": zstandard}[kind.partition(".")[2]]
        path.write_bytes(packed(content))
    elif kind in ("npz", "mtx"):
        (folder / "labels").write_text("".join(f"{label}\n" for label in y))
        options["labels"] = folder / "labels"
        sparse.save_npz(path, X) if kind == "npz" else scipy_io.mmwrite(path, X)
    elif kind in ("parquet", "feather", "arrow"):
        pyarrow = pytest.importorskip("pyarrow")
        table = pyarrow.table({"label": y, "other": [0] * N_DOCS, "text": texts(X)})
        if kind == "parquet":
            pytest.importorskip("pyarrow.parquet").write_table(table, path, row_group_size=5)
        elif kind == "arrow":  # a stream, as the datasets of Hugging Face write it
            with pytest.importorskip("pyarrow.ipc").new_stream(str(path), table.schema) as stream:
                stream.write_table(table, max_chunksize=5)
        else:
            pytest.importorskip("pyarrow.feather").write_feather(table, path, chunksize=5)
    elif kind.startswith("csv"):
        content = "label,text\n" + "".join(f'{label},"{text}\n"\n' for label, text in rows)
        packed = {"": bytes, "bz2": bz2.compress, "xz": lzma.compress, "zip": zipped}
        path.write_bytes(packed[kind.partition(".")[2]](content.encode()))
    elif kind == "lines.txt":
        (folder / "labels").write_text("".join(f"{label}\n" for label in y))
        options["labels"] = folder / "labels"
        path.write_text("".join(f"{text}\n" for text in texts(X)))
    elif kind.startswith("json"):
        records = [{"text": text, "label": label} for label, text in rows]
        lines = "".join(json.dumps(record) + "\n" for record in records)
        path.write_text(lines if kind == "jsonl" else json.dumps(records))
    else:
        path.write_bytes({"txt": bytes, "txt.gz": gzip.compress}[kind](plain.encode()))
    return path, options


KINDS = [
    "svm", "svm.gz", "svm.zst", "npz", "mtx",
    "csv", "csv.bz2", "csv.xz", "csv.zip", "txt", "txt.gz", "lines.txt", "jsonl", "json",
    "parquet", "feather", "arrow",
]  # fmt: skip

TEXTS = [
    ("The bacon and the eggs", "ham"),
    ("eggs, eggs", "ham"),
    ("Cheap bacon, cheap eggs", "spam"),
    ("and the rest", "spam"),
]


def as_table(folder: Path) -> Path:
    """Write the texts as JSON lines."""
    rows = "".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in TEXTS)
    (folder / "c.jsonl").write_text(rows)
    return folder / "c.jsonl"


def as_folders(folder: Path) -> Path:
    """Write the texts as a folder of class folders."""
    for number, (text, label) in enumerate(TEXTS):
        (folder / "classes" / label).mkdir(parents=True, exist_ok=True)
        (folder / "classes" / label / f"{number}.txt").write_text(text)
    return folder / "classes"
