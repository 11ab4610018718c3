"""The kinds of input, by the ending of a name."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from termsift._util.validation import check_choice
from termsift.io._arrow_tables import ArrowFile, ParquetFile
from termsift.io._class_folder import ClassFolder
from termsift.io._delimited import DelimitedTable
from termsift.io._json import JsonFile, JsonLines
from termsift.io._matrix_files import MatrixFile, read_matrix_market, read_npz
from termsift.io._opening import COMPRESSED, existing, zipped_name
from termsift.io._source import Options, Source
from termsift.io._svmlight import SvmlightFile
from termsift.io._texts import TextSource

# Each opens an input; the second argument is the file of its labels.
_KINDS: dict[str, Callable[[Path, Path | None, Options], Source]] = {
    **dict.fromkeys((".svm", ".svmlight", ".libsvm"), SvmlightFile),
    ".npz": partial(MatrixFile, read=read_npz),
    ".mtx": partial(MatrixFile, read=read_matrix_market),
    ".csv": partial(DelimitedTable, delimiter=",", quoted=True),
    ".tsv": partial(DelimitedTable, delimiter="\t", quoted=True),
    ".txt": partial(DelimitedTable, delimiter="\t", quoted=False),
    **dict.fromkeys((".jsonl", ".ndjson"), JsonLines),
    ".json": JsonFile,
    ".parquet": ParquetFile,
    **dict.fromkeys((".arrow", ".feather", ".ipc"), ArrowFile),
}

# The formats of files by name.
FORMATS = tuple(ending.removeprefix(".") for ending in _KINDS)

# What to do with files of other kinds.
_CURES = {
    **dict.fromkeys((".xls", ".xlsx", ".xlsm", ".ods"), "save the sheet as .csv; "),
    **dict.fromkeys((".bz2", ".xz", ".7z", ".tar", ".tgz"), "unpack it first; "),
}


def open_source(path: Path, labels: Path | None, options: Options) -> Source:
    """Open a file or folder by its kind; options of other kinds are an error."""
    if path.is_dir():
        return ClassFolder(path, labels, options)
    ending = _ending(existing(path), options.input_format)
    if ending not in _KINDS:
        within = f", {zipped_name(path)}" if path.suffix.lower() == ".zip" else ""
        raise ValueError(
            f"{path}{within}: unknown kind of file; {_CURES.get(ending, '')}the known endings are "
            f"{' '.join(_KINDS)}, and .gz, .zst or .zip after them; for another name pass "
            "input_format (--input-format)"
        )
    return _KINDS[ending](path, labels, options)


def holds_texts(path: str | os.PathLike[str], input_format: str | None = None) -> bool:
    """Return whether an input is a file or folder of texts, as far as name and format tell."""
    path = Path(path)
    if path.is_dir():
        return True
    kind: Any = _KINDS.get(_ending(path, input_format)) if path.is_file() else None
    return kind is not None and issubclass(getattr(kind, "func", kind), TextSource)


def _ending(path: Path, input_format: str | None) -> str:
    """Return the ending that tells what a file holds, without a .gz, .zst or .zip after it."""
    if input_format is not None:
        check_choice(input_format, FORMATS, "input_format")
        return f".{input_format}"
    ending = path.suffix.lower()
    if ending not in COMPRESSED:
        return ending
    within = Path(zipped_name(path)) if ending == ".zip" else path.with_suffix("")
    # A .npz file is an archive already; compressed once more it is not read.
    return ending if within.suffix.lower() == ".npz" else within.suffix.lower()
