"""The kinds of input, by the ending of a name, and the options that each kind takes."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import TypeAlias

from termsift._util.files import check_path
from termsift.io._arrow_tables import ArrowTable
from termsift.io._class_folder import ClassFolder
from termsift.io._csr_folder import CsrFolder, is_csr_folder
from termsift.io._files import COMPRESSED, existing
from termsift.io._matrix_files import MatrixFile, read_matrix_market, read_npz
from termsift.io._source import Options, Source
from termsift.io._svmlight import SvmlightFile
from termsift.io._tables import DelimitedTable, JsonLines
from termsift.text import TextRules

# Opens an input; the second argument is the file of its labels.
_Open: TypeAlias = Callable[[Path, Path | None, Options], Source]

_RULES = frozenset({"encoding", "preset", *(field.name for field in fields(TextRules))})
_COLUMNS = frozenset({"text", "label"})


@dataclass(frozen=True)
class _Kind:
    open: _Open
    takes: frozenset[str]  # of the options that only some kinds take
    why: str  # it does not take the others


def _matrix(read: _Open) -> _Kind:
    return _Kind(read, frozenset({"labels", "terms"}), "a matrix holds no texts")


def _table(read: _Open) -> _Kind:
    return _Kind(read, _RULES | _COLUMNS, "texts have their own labels and terms")


_SVMLIGHT = _matrix(SvmlightFile)
_CSV = _table(partial(DelimitedTable, dialect=csv.excel, default=("text", "label")))
_TSV = _table(partial(DelimitedTable, dialect=csv.excel_tab, default=("text", "label")))
_ARROW = _table(partial(ArrowTable, is_parquet=False))
_KINDS = {
    ".svm": _SVMLIGHT,
    ".svmlight": _SVMLIGHT,
    ".libsvm": _SVMLIGHT,
    ".npz": _matrix(partial(MatrixFile, read=read_npz)),
    ".mtx": _matrix(partial(MatrixFile, read=read_matrix_market)),
    ".csv": _CSV,
    ".tsv": _TSV,
    ".txt": _table(partial(DelimitedTable, dialect=None, default=(2, 1))),
    ".jsonl": _table(JsonLines),
    ".ndjson": _table(JsonLines),
    ".parquet": _table(partial(ArrowTable, is_parquet=True)),
    ".arrow": _ARROW,
    ".feather": _ARROW,
    ".ipc": _ARROW,
}
_CLASS_FOLDER = _Kind(
    ClassFolder, _RULES, "a folder of class folders has its own labels and terms, and no columns"
)
_CSR_FOLDER = _Kind(
    CsrFolder, frozenset({"terms"}), "a folder of arrays has its own labels, and no texts"
)


def open_source(
    path: str | os.PathLike[str], labels: str | os.PathLike[str] | None, options: Options
) -> Source:
    """Open a file or folder by what it is, and refuse options that its kind does not take."""
    check_path(path)
    path = Path(path)
    if path.is_dir():
        kind = _CSR_FOLDER if is_csr_folder(path) else _CLASS_FOLDER
    else:
        ending = _ending(existing(path))
        if ending not in _KINDS:
            known = " ".join(_KINDS)
            raise ValueError(f"{path}: unknown kind of file; the known endings are {known}")
        kind = _KINDS[ending]
    given = [*(["labels"] if labels is not None else []), *options.given]
    refused = [name for name in given if name not in kind.takes]
    if refused:
        raise ValueError(f"{path}: {kind.why}; leave out {' and '.join(refused)}")
    return kind.open(path, None if labels is None else Path(labels), options)


def _ending(path: Path) -> str:
    """Return the ending that tells what a file holds, without a .gz or .zst after it."""
    endings = ["", *(suffix.lower() for suffix in path.suffixes[-2:])]
    # A .npz file is an archive already; compressed once more it is not read.
    if endings[-1] in COMPRESSED and endings[-2] != ".npz":
        return endings[-2]
    return endings[-1]
