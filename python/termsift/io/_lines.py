"""A text file of one document a line, whose labels are in another file or in its name."""

from __future__ import annotations

import codecs
import io
import warnings
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from termsift import _core
from termsift._util.faults import excluded, said
from termsift._util.files import existing
from termsift._util.messages import levels_to_caller
from termsift._util.validation import Labels, distinct_labels
from termsift.io._kinds import unpacked
from termsift.io._opening import (
    NAME_ENCODING,
    check_labels,
    check_line_ends,
    one_per_line,
    opened_text,
)
from termsift.io._other_forms import TITLES_OF_LABELS
from termsift.io._source import BLOCK_BYTES, TEXT_OPTIONS, Options, TextSource
from termsift.text._documents import Block

_BUFFER_BYTES = 1 << 18
_LONGEST_LINE = 1 << 26  # A small compressed file may hold a line that is longer than memory.


class Lines(TextSource):
    """A text file of one document a line.

    The label of line i is line i of a second file. Without one, the label of all lines is the
    file's name without its ending, and blank lines are left out.
    """

    takes = TEXT_OPTIONS | {"labels"}
    why = "a text file of one document a line has no columns"

    def __init__(self, path: Path, options: Options, kind: str, labels: Path | None) -> None:
        super().__init__(path, options, kind, labels)
        if labels is not None and not options.has_labels:
            raise excluded("{labels} names a file of labels, so leave out {label=}", label=False)
        self._labels = None if labels is None else existing(labels, "labels")
        self.files = [file for file in (path, self._labels) if file is not None]

    def place(self, row: int) -> str:
        return f"{self.path}, line {row + 1}"

    def blocks(self) -> Generator[Block, None, None]:
        classes, codes = [unpacked(self.path).stem] if self.options.has_labels else [""], None
        listed: list[str] = []
        if self._labels is not None:
            listed = one_per_line(self._labels, "a label", self.options.encoding)
            codes, classes, _ = distinct_labels(listed)
            # The warning at the end, if the files have equally many lines, is enough.
            self.may_begin_with_header = not _has_header(listed)
        n_lines = 0
        with opened_text(self.path, self.options.encoding) as (readinto, raw, encoding):
            content = io.BufferedReader(_Content(self.path, readinto), _BUFFER_BYTES)
            while lines := content.readlines(BLOCK_BYTES):
                if not n_lines:
                    lines[0] = lines[0].removeprefix(codecs.BOM_UTF8)
                    check_line_ends(self.path, lines[0])
                first, n_lines = n_lines, n_lines + len(lines)
                if codes is not None and n_lines > len(codes):
                    continue  # count the other lines for the error below
                texts = [line.removesuffix(b"\n").removesuffix(b"\r") for line in lines]
                good = self._good(texts, first, encoding)
                rows = first + np.array(good, dtype=np.int64)
                of_rows = np.zeros(len(rows), dtype=np.int32) if codes is None else codes[rows]
                used, kept = np.unique(of_rows, return_inverse=True)
                labels = Labels([classes[code] for code in used], kept.astype(np.int32), None)
                held = _core.Texts.of_bytes([texts[i] for i in good])
                yield Block(held, labels, rows, self, raw.tell())
                del lines, texts, held  # free the texts before the next block is read
        if self._labels is not None:
            check_labels(self._labels, listed, n_lines, self.path)
            if _has_header(listed):
                warnings.warn(
                    f"{self._labels}: the first label, {listed[0]!r}, counts as that of a "
                    "document; if it is a header, delete the first lines of this file and of "
                    f"{self.path}",
                    stacklevel=levels_to_caller(),
                )

    def _good(self, texts: list[bytes], first: int, encoding: str) -> Sequence[int]:
        """Return the places of the documents among consecutive lines, and report bad lines.

        A blank line is a document only if a file of labels has a line for it.
        """
        good: Sequence[int] = range(len(texts))
        if self._labels is None:
            good = [place for place in good if texts[place].strip()]
        if _core.Texts.of_bytes([texts[place] for place in good]).is_utf8:
            return good
        bad = dict[int, int]()
        for place in good:
            try:
                texts[place].decode()
            except UnicodeDecodeError as error:
                bad[place] = error.start
        for place, start in bad.items():
            at = f"byte {start}"
            if encoding != "UTF-8":  # the content is recoded
                at = f"character {len(texts[place][:start].decode())}"
            self.complain(
                said(
                    "{place}: {at} is not {encoding}{cure}",
                    place=self.place(first + place),
                    at=at,
                    encoding=encoding,
                    cure=NAME_ENCODING,
                )
            )
        return [place for place in good if place not in bad]


def _has_header(labels: list[str]) -> bool:
    """Return whether the first of several labels looks like a header."""
    return labels[0].strip().lower() in TITLES_OF_LABELS and labels.count(labels[0]) < len(labels)


class _Content(io.RawIOBase):
    """What a function reads, as a file whose lines are not too long."""

    def __init__(self, path: Path, readinto: Callable[[memoryview], int]) -> None:
        self._path, self._readinto = path, readinto
        self._n_read = self._line = 0  # the line begins after so many bytes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        n = self._readinto(memoryview(buffer))
        if end := bytes(buffer[:n]).rfind(b"\n") + 1:
            self._line = self._n_read + end
        self._n_read += n
        if self._n_read - self._line > _LONGEST_LINE:
            raise ValueError(
                f"{self._path}: has a line that is longer than 64 MiB, expected one document a "
                "line; end each document with a line feed"
            )
        return n
