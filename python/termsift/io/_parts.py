"""Folders of part files, and patterns of names: several files that are one collection."""

from __future__ import annotations

import glob
import os
from collections.abc import Collection
from pathlib import Path

from termsift._util.faults import concerning, said, wrong_value
from termsift._util.validation import listed
from termsift.io._class_folder import visible
from termsift.io._kinds import kind_of, unpacked
from termsift.io._source import Options

# What the datasets of Hugging Face write beside their .arrow files.
_OF_DATASETS = {"dataset_info.json", "state.json"}


def matches(path: Path) -> list[Path] | None:
    """Return the files that a pattern matches, in order, or None if the path is no pattern.

    The path of an existing file is no pattern. As in the shell, hidden files match only a pattern
    that begins with a dot, and ``**`` stands for folders of any depth.
    """
    name = os.fspath(path)
    if not glob.has_magic(name) or path.exists():
        return None
    found = [Path(each) for each in sorted(glob.glob(name, recursive=True))]
    if not found:
        raise concerning(FileNotFoundError(f"{path}: no file matches this pattern"), "paths")
    return _full(found)


def part_files(folder: Path, options: Options, known: Collection[str]) -> list[Path] | None:
    """Return the files of a folder that are parts of one table, or None if it holds documents.

    The parts have the same known ending, or the caller has named their format. Spark's markers,
    whose names begin with an underscore, and hidden files are left out. Parts may be in sub-folders
    that Hive has named after a value, such as ``year=2020``.
    """
    if splits := _splits(folder):
        name = "train" if "train" in splits else splits[0]
        raise ValueError(
            f"{folder}: holds a dataset for each of its splits, {listed(splits)}; pass one of "
            f"them, as in {os.path.join(folder, name)}, or all, as in "
            f"'{os.path.join(folder, '*', '*.arrow')}'"
        )
    files = _files(folder)
    if not files:
        return None
    if any(kind_of(file) == ".arrow" for file in files):
        files = [file for file in files if file.name not in _OF_DATASETS]
    kinds = sorted({kind_of(file) for file in files})
    if options.input_format is None:
        is_flat, must_choose = files[0].parent == folder, options.has_labels
        if kinds == [".txt"] and is_flat and must_choose:
            raise wrong_value(
                "{path}: holds text files, but no class folders; pass {lines} if each file is a "
                "class and each line a document, {label=False} if each file is a document without "
                "a class, or {txt} if each line is a label, a tab and a text",
                path=folder,
                lines=said("{input_format='lines'}"),
                txt=said("{input_format='txt'}"),
            )
        tables = [kind for kind in kinds if kind in known]
        if len(kinds) > 1 and is_flat and must_choose and tables:
            raise ValueError(
                f"{folder}: holds files of several kinds, {listed([file.name for file in files])}; "
                f"pass those to read, as in {os.path.join(folder, '*' + tables[0])}"
            )
        if len(kinds) > 1 or not tables or kinds == [".txt"]:
            return None
    return _full(files)


def _splits(folder: Path) -> list[str]:
    """Return the names of the sub-folders that are datasets, as in a DatasetDict."""
    folders = [entry for entry in visible(folder) if entry.is_dir()]
    return [
        entry.name
        for entry in folders
        if all(os.path.isfile(os.path.join(entry, name)) for name in _OF_DATASETS)
    ]


def _files(folder: Path) -> list[Path] | None:
    """Return the files in a folder that may be parts, or None if it has folders of classes."""
    entries = [entry for entry in visible(folder) if not entry.name.startswith("_")]
    folders = [entry for entry in entries if entry.is_dir()]
    if not folders:
        return [Path(entry) for entry in entries]
    if len(folders) < len(entries) or not all("=" in entry.name for entry in folders):
        return None
    within = [_files(Path(entry)) for entry in folders]
    if any(files is None for files in within):
        return None
    return [file for files in within for file in files or []]


def _full(files: list[Path]) -> list[Path]:
    """Leave out files without content, as Spark writes them.

    A file beside its compressed form would be counted twice, and is an error.
    """
    plain = dict[Path, Path]()
    for file in files:
        if (other := plain.setdefault(unpacked(file), file)) != file:
            raise ValueError(f"{other} and {file.name}: are the same table; remove one of them")
    full = [file for file in files if not file.is_file() or file.stat().st_size]
    return full or files[:1]
