"""The kinds of input, by the ending of a name."""

from __future__ import annotations

import os
from pathlib import Path

from termsift._util.validation import check_choice
from termsift.io._arrow_tables import ArrowTable
from termsift.io._class_folder import ClassFolder
from termsift.io._matrix_files import MatrixFile
from termsift.io._opening import COMPRESSED, existing, zipped_name
from termsift.io._source import Options, Source
from termsift.io._svmlight import SvmlightFile
from termsift.io._tables import DelimitedTable, JsonTable

_KINDS: dict[str, type[Source]] = {
    **dict.fromkeys((".svm", ".svmlight", ".libsvm"), SvmlightFile),
    **dict.fromkeys((".npz", ".mtx"), MatrixFile),
    **dict.fromkeys((".csv", ".tsv", ".txt"), DelimitedTable),
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), JsonTable),
    **dict.fromkeys((".parquet", ".arrow", ".feather", ".ipc"), ArrowTable),
}

# The formats of files by name.
FORMATS = tuple(ending.removeprefix(".") for ending in _KINDS)

# What to do with files of other kinds.
_CURES = {
    **dict.fromkeys((".xls", ".xlsx", ".xlsm", ".ods"), "save the sheet as .csv; "),
    **dict.fromkeys((".bz2", ".xz", ".7z", ".tar", ".tgz"), "unpack it first; "),
}


def open_source(path: Path, labels: Path | None, options: Options) -> Source:
    """Open a file or folder by its kind, and refuse options of other kinds."""
    if path.is_dir():
        return ClassFolder(path, options, labels)
    kind = _kind_of(existing(path), options.input_format)
    if kind not in _KINDS:
        within = f", {zipped_name(path)}" if path.suffix.lower() == ".zip" else ""
        raise ValueError(
            f"{path}{within}: unknown kind of file; {_CURES.get(kind, '')}the known endings are "
            f"{' '.join(_KINDS)}, and .gz, .zst or .zip after them; for another name pass "
            "input_format (--input-format)"
        )
    return _KINDS[kind](path, options, kind, labels)


def holds_texts(path: str | os.PathLike[str], input_format: str | None = None) -> bool:
    """Return whether an input is a file or folder of texts, by its name and format alone."""
    path = Path(path)
    if path.is_dir():
        return True
    kind = _KINDS.get(_kind_of(path, input_format)) if path.is_file() else None
    return kind is not None and kind.has_texts


def _kind_of(path: Path, input_format: str | None) -> str:
    """Return the ending that names the format of a file, without a .gz, .zst or .zip after it."""
    if input_format is not None:
        check_choice(input_format, FORMATS, "input_format")
        return f".{input_format}"
    ending = path.suffix.lower()
    if ending not in COMPRESSED:
        return ending
    within = Path(zipped_name(path)) if ending == ".zip" else path.with_suffix("")
    # A .npz file is an archive already; compressed once more it is not read.
    return ending if within.suffix.lower() == ".npz" else within.suffix.lower()
