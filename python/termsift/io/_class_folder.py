"""A folder with one sub-folder per class and one file per document."""

from __future__ import annotations

import os
import warnings
from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

import numpy as np

from termsift import _core
from termsift._util.faults import message_of, said, wrong_value
from termsift._util.messages import levels_to_caller, logger
from termsift._util.validation import Labels, distinct_labels, number_of
from termsift.io._kinds import PACKED, kind_of
from termsift.io._opening import check_encoding, decoded_text
from termsift.io._source import BLOCK_BYTES, TEXT_OPTIONS, Options, TextSource
from termsift.text._documents import Block

_TABLES = {".csv", ".tsv", ".jsonl", ".ndjson", ".json"}  # what is text, but no text of a document
_NOT_PLAIN = (*PACKED, ".rtf")  # what the core would read as it is
_MARKUP = {".html", ".htm", ".xhtml", ".xml"}
_OF_SYSTEMS = {"__macosx", "thumbs.db", "desktop.ini"}  # what macOS and Windows add to folders
_Document: TypeAlias = "tuple[str, os.DirEntry[str]]"  # a document's class and its file


class ClassFolder(TextSource):
    """A folder with a sub-folder per class."""

    is_folder = True
    takes = TEXT_OPTIONS
    why = "a folder of class folders has its own labels and terms, and no columns"

    def __init__(self, path: Path, options: Options, labels: Path | None = None) -> None:
        super().__init__(path, options, labels=labels)
        self._documents = list[_Document]()
        folders = [entry for entry in visible(path) if entry.is_dir()]
        if not options.has_labels:
            folders = []
            self._documents = [("", file) for file in visible(path)]
        elif not folders:
            raise wrong_value(
                "{path}: expected one sub-folder per class with one file per document, found none; "
                "for a table, pass its file; for parts of a table whose names do not tell its "
                "format, pass {input_format}, such as 'txt'; for documents without classes, pass "
                "{label=False}",
                path=path,
            )
        for folder in folders:
            documents = visible(folder)
            self._documents += [(folder.name, document) for document in documents]
            if not documents:
                logger.warning("%s: a class without documents is left out", os.fspath(folder))
        self.files = [file for _, file in self._documents if file.is_file()]

    def blocks(self) -> Generator[Block, None, None]:
        """Yield the documents, sorted by the names of their classes and files."""
        self._warn_of_forms()
        is_utf8, row = check_encoding(self.options.encoding) == "utf-8-sig", 0
        for documents, done in self._groups():
            files, texts = [file for _, file in documents], None
            good = list(range(len(documents)))  # the places of the documents that can be read
            # The core reads only regular files, because reading a pipe may block.
            if is_utf8 and all(
                f.is_file() and not f.name.lower().endswith(_NOT_PLAIN) for f in files
            ):
                with suppress(OSError):
                    texts = _core.Texts.of_files(files, self.options.n_threads)
            if texts is None or not texts.is_utf8 or texts.has_zero_bytes:  # as UTF-16 has
                texts, good = self._one_by_one(documents)
            codes, classes, _ = distinct_labels([documents[place][0] for place in good])
            rows = row + np.array(good, dtype=np.int64)
            yield Block(texts, Labels(classes, codes, None), rows, self, done)
            row += len(documents)
            del texts  # free the texts before the next block is read

    def place(self, row: int) -> str:
        return self._documents[row][1].path

    def _warn_of_forms(self) -> None:
        """Warn if files are tables or pages by their names, because all of each counts as text."""
        endings = {os.path.splitext(file.name)[1].lower() for file in self.files}
        if endings.isdisjoint({*_MARKUP, *_TABLES, *PACKED}):
            return  # as of nearly all folders, whose files may be many
        pages = [file for file in self.files if kind_of(Path(file)) in _MARKUP]
        if pages:
            first = Path(pages[0]).relative_to(self.path)
            warnings.warn(
                f"{self.path}: the tags in {number_of(len(pages), 'file')}, such as {first}, count "
                "as words; save the pages as plain text",
                stacklevel=levels_to_caller(),
            )
        tables = [file for file in self.files if kind_of(Path(file)) in _TABLES]
        if not tables:
            return
        first = Path(tables[0])
        pattern = Path(self.path, "*" if self.options.has_labels else "", f"*{first.suffix}")
        warnings.warn(
            said(
                "{path}: {n}, such as {first}, {is_text}, with all columns and marks; for tables "
                "with a column of labels, pass {pattern!r}, {text} and {label}; tables whose label "
                "is the name of the folder must get it as a column first",
                path=self.path,
                n=number_of(len(tables), "file"),
                first=first.relative_to(self.path),
                is_text="is read as one text" if len(tables) == 1 else "are each read as one text",
                pattern=str(pattern),
            ),
            stacklevel=levels_to_caller(),
        )

    def _groups(self) -> Iterator[tuple[list[_Document], int]]:
        """Yield groups of documents to read together, and the total size of the files so far."""
        group, done, end = list[_Document](), 0, BLOCK_BYTES
        for label, file in self._documents:
            group.append((label, file))
            done += file.stat().st_size if file.is_file() else 0
            if done >= end:
                yield group, done
                group, end = [], done + BLOCK_BYTES
        yield group, done

    def _one_by_one(self, documents: list[_Document]) -> tuple[_core.Texts, list[int]]:
        """Return the texts that can be read, and their places. Report documents with errors."""
        texts, good = list[str](), list[int]()
        for place, (label, file) in enumerate(documents):
            try:
                if not file.is_file():  # the document is a folder, a pipe or a broken link
                    folder = os.path.dirname(file)
                    cure = f"; if it is a class, pass {folder}" if file.is_dir() and label else ""
                    raise ValueError(
                        f"{file.path}: expected a file with a document of the class {label!r}{cure}"
                    )
                texts.append(decoded_text(Path(file), self.options.encoding))
                good.append(place)
            except ValueError as error:
                self.complain(message_of(error))
        return _core.Texts.of_strings(texts), good


def visible(folder: str | os.PathLike[str]) -> list[os.DirEntry[str]]:
    """List the entries of a folder, sorted by name, without hidden ones and those of systems."""
    with os.scandir(folder) as entries:
        shown = [
            entry
            for entry in entries
            if not entry.name.startswith(".") and entry.name.lower() not in _OF_SYSTEMS
        ]
    return sorted(shown, key=lambda entry: entry.name)
