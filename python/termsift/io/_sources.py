"""Where documents come from: each kind of file as blocks of documents, from any place on.

A block knows where the next one begins. That place is JSON and means something to the source
alone: the row of a matrix or table, the byte and line of an svmlight file.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Generator, Hashable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeAlias
from zlib import crc32

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from termsift import _core
from termsift._util.compression import COMPRESSED, opened
from termsift._util.extras import require
from termsift._util.files import Complain, damage_told, existing
from termsift.io import _read, _svmlight
from termsift.io._arrow_tables import rows_of_columns
from termsift.io._csr_folder import CsrFolder, is_csr_folder
from termsift.io._labelled_texts import TABLES, folder_of_classes, visible
from termsift.io._svmlight import read_blocks
from termsift.text import GrowingRows, TextRules

_BLOCK_BYTES = 1 << 28  # of the entries of a matrix
_TEXT_ENTRIES = 1 << 21  # of a block of texts, which take longer to read than to count
_TOLD = 5  # complaints of a block that are kept
ARROW_ENDINGS = (".parquet", ".arrow", ".feather", ".ipc")


@dataclass(frozen=True)
class Reading:
    """How files are read; see `termsift.scan`."""

    text: str | int | None
    label: str | int | None
    encoding: str
    rules: TextRules  # of texts
    given: Mapping[str, Any]  # what of these was given, and means nothing to a matrix
    chunk_docs: int | None
    index_base: int
    skip: bool
    n_threads: int
    names: NDArray[np.object_] | None


@dataclass(frozen=True)
class Block:
    """Documents that were read together."""

    X: Any
    y: Any
    classes: list[Hashable] | None  # of the columns of an indicator y
    at: Any  # where the next block begins
    n_bytes: int  # of the source, read by now
    where: str  # the file and which of its documents, in words
    n_skipped: int = 0  # lines or rows that were left out
    complaints: list[str] = field(default_factory=list)  # about the first of them

    def rows(self, begin: int, end: int) -> tuple[Any, Any]:
        """Give some of the documents and their labels."""
        if (begin, end) == (0, self.X.shape[0]):
            return self.X, self.y
        return _rows(self.X, begin, end), self.y[begin:end]


Blocks: TypeAlias = Generator[Block, None, None]


class Source(ABC):
    """One input of a scan; it is checked as far as can be without reading it."""

    is_text = False
    labels_are_text = False

    def __init__(self, path: Path, how: Reading) -> None:
        self.path, self.how = path, how

    @property
    def files(self) -> list[Path]:
        """The files that are read."""
        return [self.path]

    @property
    def checked(self) -> list[Path]:
        """Those of which reading on from a place finds out whether anything before has changed."""
        return []

    def is_place(self, at: Any) -> bool:
        """Whether ``at`` may be a place of the source; here, a number of documents."""
        return _is_count(at)

    def within(self, at: Any, following: Any) -> Any:
        """Give the place of a block of which some has been counted; ``following`` is its end."""
        return at

    @property
    def n_bytes(self) -> int:
        """The size on the disk of what the blocks are read from."""
        return self.path.stat().st_size

    @property
    def names(self) -> NDArray[np.object_] | None:
        """The names of the columns of a matrix, where they are known."""
        return self.how.names

    @abstractmethod
    def blocks(self, at: Any, words: dict[str, int]) -> Blocks:
        """Yield the blocks from a place on, None for the beginning; new words join ``words``."""


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _changed(path: Path, what: str) -> ValueError:
    return ValueError(
        f"{path}: {what} are not what they were when they were counted: put the file back as it "
        "was, or count anew"
    )


def open_source(path: Path, labels: Path | None, how: Reading) -> Source:
    """Tell what is at a path, and give what reads it."""
    columns = {"text": how.text, "label": how.label}
    if path.is_dir() and not is_csr_folder(path):
        why = "a folder of class folders has its own labels and terms, and no columns"
        _read.refuse_arguments(path, why, labels=labels, terms=how.names, **columns)
        return _ClassFolder(path, how)
    if path.is_dir():
        why = "a folder of arrays has its own labels, and no texts"
        _read.refuse_arguments(path, why, labels=labels, **columns, **how.given)
        return _Folder(path, how)
    for file in (path, labels):
        if file is not None and existing(file) and not file.is_file():
            raise ValueError(
                f"{file}: is a pipe or device, which can be read once and not from the middle; "
                "expected a file"
            )
    ending = _read.ending_of(path)
    if ending in ARROW_ENDINGS and path.suffix.lower() in COMPRESSED:
        raise ValueError(
            f"{path}: expected the {ending} file itself, which is compressed within: it is not "
            f"read front to back, as what ends in {path.suffix} is"
        )
    if ending in TABLES or ending in ARROW_ENDINGS:
        why = "a table has its own labels and terms"
        _read.refuse_arguments(path, why, labels=labels, terms=how.names)
        return _Rows(path, how) if ending in TABLES else _Arrow(path, how, ending)
    _read.refuse_arguments(path, "a matrix holds no texts", **columns, **how.given)
    if ending in _read.SVMLIGHT:
        return _Svmlight(path, labels, how)
    if ending in _read.MATRICES:
        return _Loaded(path, labels, how, ending)
    known = " ".join([*_read.MATRICES, *TABLES, *ARROW_ENDINGS])
    raise ValueError(f"{path}: unknown kind of file; the known endings are {known}")


# ---- matrices ------------------------------------------------------------------------------------


class _Folder(Source):
    """A folder of arrays: parts of its files are mapped one after the other."""

    def __init__(self, path: Path, how: Reading) -> None:
        super().__init__(path, how)
        self._folder = CsrFolder(path)
        self._names = how.names
        if how.names is None and self._folder.terms_path is not None:
            self._names = _read.read_names(self._folder.terms_path)
        self._n_terms = self._folder.n_terms
        if self._n_terms is None and self._names is not None:
            self._n_terms = len(self._names)
        if self._names is not None and len(self._names) != self._n_terms:
            raise ValueError(f"{path}: {len(self._names)} names for its {self._n_terms} terms")

    @property
    def files(self) -> list[Path]:
        """The arrays, what is said of them, and the names of the terms."""
        return self._folder.files

    @property
    def n_bytes(self) -> int:
        """The size of all of it."""
        return sum(file.stat().st_size for file in self.files)

    @property
    def names(self) -> NDArray[np.object_] | None:
        """Those of the scan, or of the folder."""
        return self._names

    def blocks(self, at: Any, words: dict[str, int]) -> Blocks:
        """Map one part after the other."""
        folder, begin, n_bytes = self._folder, at or 0, self.n_bytes
        if begin > folder.n_docs:
            raise _changed(self.path, f"the first {begin:,} documents")
        while begin < folder.n_docs:
            end = folder.end_of(begin, _BLOCK_BYTES)
            if self.how.chunk_docs is not None:
                end = min(end, begin + self.how.chunk_docs)
            X = folder.matrix(begin, end, self._n_terms)
            y, classes = folder.labels(begin, end)
            where = f"{self.path}, of which document {begin} is row 0 here"
            yield Block(X, y, classes, end, n_bytes * end // folder.n_docs, where)
            del X, y
            begin = end


class _Loaded(Source):
    """A file of a matrix that is read whole, and given a part at a time."""

    def __init__(self, path: Path, labels: Path | None, how: Reading, ending: str) -> None:
        super().__init__(path, how)
        if labels is None:
            raise ValueError(f"{path}: has no labels of its own; give a file with one label a line")
        self._labels, self._read = existing(labels), _read.MATRICES[ending]
        self.labels_are_text = labels.suffix.lower() != ".npy"

    @property
    def files(self) -> list[Path]:
        """The matrix and its labels."""
        return [self.path, self._labels]

    def blocks(self, at: Any, words: dict[str, int]) -> Blocks:
        """Give the rows of the matrix, once it has been read."""
        X = self._read(self.path, self._labels).X
        y, names = _read.read_labels(self._labels, as_written=True), self.how.names
        if names is not None and len(names) != X.shape[1]:
            raise ValueError(f"{self.path}: {len(names)} names for its {X.shape[1]} terms")
        begin, n_docs, n_bytes = at or 0, X.shape[0], self.n_bytes
        if begin > n_docs:
            raise _changed(self.path, f"the first {begin:,} documents")
        while begin < n_docs:
            entry_bytes = X.indices.itemsize + X.data.itemsize
            limit = int(X.indptr[begin]) + _BLOCK_BYTES // entry_bytes
            end = max(int(np.searchsorted(X.indptr, limit, side="right")) - 1, begin + 1)
            part, done = _rows(X, begin, end), n_bytes * end // n_docs
            where = f"{self.path}, of which document {begin} is row 0 here"
            yield Block(part, y[begin:end], None, end, done, where)
            begin = end


def _rows(X: Any, begin: int, end: int) -> Any:
    """Give some rows of a CSR array, which share its memory."""
    first, last = X.indptr[begin], X.indptr[end]
    parts = X.data[first:last], X.indices[first:last], X.indptr[begin : end + 1] - first
    return sp.csr_array(parts, shape=(end - begin, X.shape[1]))


class Place(NamedTuple):
    """A place in the content of an svmlight file, and what was before it."""

    offset: int = 0  # bytes before it
    line: int = 1
    checksum: int = 0  # CRC-32 of the bytes before it
    several: bool = False  # whether a document had several labels
    unlabelled: int | None = None  # the first line of the block where a document had none
    n_docs: int = 0
    size: int = 0  # of the file then, and
    mtime: int = 0  # when it had last changed
    parsed: int = 0  # bytes that had been parsed: up to the end of the block that begins here, if
    checksum_parsed: int = 0  # some of it has been counted, and their CRC-32


class _Svmlight(Source):
    """An svmlight file; its places are those of `Place`."""

    def __init__(self, path: Path, labels: Path | None, how: Reading) -> None:
        super().__init__(path, how)
        self._labels = None if labels is None else existing(labels)
        if labels is not None and how.skip:
            raise ValueError(
                f"{labels}: labels would belong to other lines once {path} has lines left out; "
                "leave out on_error='skip'"
            )
        self.labels_are_text = labels is not None and labels.suffix.lower() != ".npy"

    @property
    def files(self) -> list[Path]:
        """The file, and that of its labels."""
        return [self.path] if self._labels is None else [self.path, self._labels]

    @property
    def checked(self) -> list[Path]:
        """The file: its bytes before a place have a checksum."""
        return [self.path]

    def is_place(self, at: Any) -> bool:
        """Whether it is a `Place`."""
        if not isinstance(at, list) or len(at) != len(Place._fields):
            return False
        place = dict(zip(Place._fields, at, strict=True))
        several, unlabelled = place.pop("several"), place.pop("unlabelled")
        known = type(several) is bool and (unlabelled is None or _is_count(unlabelled))
        return known and all(map(_is_count, place.values()))

    def within(self, at: Any, following: Any) -> Any:
        """Give the place with what will tell whether the block after it is the same one."""
        end = Place(*following)
        place = Place(*at) if at else Place(size=end.size, mtime=end.mtime)
        return list(place._replace(parsed=end.offset, checksum_parsed=end.checksum))

    def blocks(self, at: Any, words: dict[str, int]) -> Blocks:
        """Parse one block of lines after the other."""
        place = Place(*at) if at else Place()
        y = None if self._labels is None else _read.read_labels(self._labels, as_written=True)
        base, names, several = self.how.index_base, self.how.names, place.several
        n_terms = _core.max_terms if names is None else len(names)
        notes = [] if names is None else [f"there are {n_terms} names of terms"]
        notes += ["from 0 with index_base=0"] if base == 1 else []
        with damage_told(self.path), opened(self.path) as (content, raw):
            # The file is what it was, or what was counted of it is.
            status = os.fstat(raw.fileno())
            if place.parsed and (status.st_size, status.st_mtime_ns) != (place.size, place.mtime):
                self._check_parsed(place)
            last = _go_to(content, place.offset, seekable=content is raw)
            # The last line of a file may lack its end, and what is appended then makes it longer.
            if last not in (b"", b"\n") and content.peek(1):  # type: ignore[attr-defined]
                raise _changed(self.path, f"the first {place.line:,} lines")
            place = place._replace(size=status.st_size, mtime=status.st_mtime_ns)
            blocks = read_blocks(
                content,
                str(self.path),
                multilabel=True if y is not None or (several and not self.how.skip) else None,
                on_error="skip" if self.how.skip else "raise",
                indices=(base, base + n_terms - 1),
                index_note=f" ({'; '.join(notes)})" if notes else "",
                n_threads=self.how.n_threads or None,
                at=place[:3],
            )
            with closing(blocks):
                for parsed in blocks:
                    block = self._block(parsed, place, y, raw.tell())
                    place = Place(*block.at)
                    del parsed  # its indices take twice what those of the block do
                    yield block
                    del block
        if place.unlabelled is not None and not place.several and y is None:
            raise ValueError(
                f"{self.path}: a document in the lines from {place.unlabelled} on has no label, "
                "and none has several: expected a label at the beginning of each"
            )
        if y is not None and y.shape[0] != place.n_docs:
            raise ValueError(
                f"{self._labels}: {y.shape[0]} labels for the {place.n_docs} documents of "
                f"{self.path}"
            )

    def _check_parsed(self, place: Place) -> None:
        """Refuse a file of which something has changed that had been parsed."""
        checksum, left = 0, place.parsed
        with opened(self.path) as (content, _):
            while left and (piece := content.read(min(left, 1 << 20))):
                checksum, left = crc32(piece, checksum), left - len(piece)
        if left or checksum != place.checksum_parsed:
            raise _changed(self.path, f"the first {place.parsed:,} bytes of its text")

    def _block(self, parsed: _svmlight.Block, place: Place, y: Any, n_bytes: int) -> Block:
        """Give what was parsed as documents and labels."""
        base, names = self.how.index_base, self.how.names
        n_docs = len(parsed.indptr) - 1
        n_terms = int(parsed.indices.max(initial=base - 1)) - base + 1
        n_terms = n_terms if names is None else len(names)
        indices = (parsed.indices - base).astype(np.int32)
        X = sp.csr_array((parsed.data, indices, parsed.indptr), shape=(n_docs, n_terms))
        n_labels = (
            np.ones(n_docs, np.int64)
            if parsed.label_indptr is None
            else np.diff(parsed.label_indptr)
        )
        unlabelled, classes = place.unlabelled, None
        if unlabelled is None and (n_labels == 0).any():
            unlabelled = place.line
        if y is not None:
            labels = y[place.n_docs : place.n_docs + n_docs]
            if labels.shape[0] < n_docs:
                raise ValueError(
                    f"{self._labels}: {y.shape[0]} labels, and {self.path} has more documents"
                )
        elif (n_labels == 1).all():
            labels = _read.integers_if_exact(parsed.labels)
        else:
            labels, classes = _read.indicator_of(_read.integers_if_exact(parsed.labels), n_labels)
        offset, line, checksum = parsed.next
        following = place._replace(
            offset=offset,
            line=line,
            checksum=checksum,
            parsed=offset,
            checksum_parsed=checksum,
            several=place.several or bool((n_labels > 1).any()),
            unlabelled=unlabelled,
            n_docs=place.n_docs + n_docs,
        )
        complaints = [f"{self.path}, line {line}: {what}" for line, what in parsed.skipped[:_TOLD]]
        where = f"{self.path}, in the lines from {place.line} on"
        return Block(
            X, labels, classes, list(following), n_bytes, where, parsed.n_skipped, complaints
        )


def _go_to(content: BinaryIO, offset: int, *, seekable: bool) -> bytes:
    """Go to a place in the content of a file, and give the byte before it, if there is one.

    What is compressed has to be read on.
    """
    if seekable and offset:
        content.seek(offset - 1)
        return content.read(1)
    last = b""
    while offset and (piece := content.read(min(offset, 1 << 20))):
        offset, last = offset - len(piece), piece[-1:]
    return last


# ---- texts ---------------------------------------------------------------------------------------


class RowPlace(NamedTuple):
    """A place between two rows of texts, and what was before it."""

    n_rows: int = 0  # good ones
    n_left_out: int = 0
    checksum: int = 0  # CRC-32 of the labels and texts of the good ones


class _Texts(Source):
    """A table with a text and a label a row; its places are those of `RowPlace`."""

    is_text = True
    labels_are_text = True

    @property
    def checked(self) -> list[Path]:
        """All files: the rows before a place have a checksum."""
        return self.files

    def is_place(self, at: Any) -> bool:
        """Whether it is a `RowPlace`."""
        return isinstance(at, list) and len(at) == len(RowPlace._fields) and all(map(_is_count, at))

    @abstractmethod
    def pairs(self, complain: Complain) -> Generator[tuple[str, str, int], None, None]:
        """Yield text, label and how many bytes were read by then, of every good row."""

    def blocks(self, at: Any, words: dict[str, int]) -> Blocks:
        """Count the words of the rows; those before the place are read as well."""
        begin = RowPlace(*at) if at else RowPlace()
        n_rows, n_left_out, checksum, n_bytes = 0, 0, 0, 0
        limit = self.how.chunk_docs
        texts, labels = self._nothing(words), list[str]()
        n_told, told = begin.n_left_out, list[str]()

        def complain(complaint: str) -> None:
            nonlocal n_left_out
            n_left_out += 1
            if n_left_out <= begin.n_left_out:
                return
            if not self.how.skip:
                raise ValueError(complaint)
            if len(told) < _TOLD:
                told.append(complaint)

        def block() -> Block:
            y = _read.object_array(labels)
            following = list(RowPlace(n_rows, n_left_out, checksum))
            where = f"{self.path}, in the rows before {n_rows}"
            n_new = n_left_out - n_told
            return Block(texts.matrix(), y, None, following, n_bytes, where, n_new, told)

        with closing(self.pairs(complain)) as pairs:
            for text, label, n_bytes in pairs:  # noqa: B007
                n_rows += 1
                row = f"{label!r}\n{text}\n".encode("utf-8", "surrogatepass")
                checksum = crc32(row, checksum)
                if n_rows < begin.n_rows:
                    continue
                if n_rows == begin.n_rows:
                    if checksum != begin.checksum:
                        break
                    continue
                texts.add(text)
                labels.append(label)
                if texts.n_entries >= _TEXT_ENTRIES or len(labels) == limit:
                    yield block()
                    texts, labels = self._nothing(words), []
                    n_told, told = n_left_out, []
        if n_rows < begin.n_rows or (n_rows == begin.n_rows and checksum != begin.checksum):
            raise _changed(self.path, f"the first {begin.n_rows:,} rows")
        if labels or n_left_out > n_told:
            yield block()

    def _nothing(self, words: dict[str, int]) -> _Cut | _Hashed:
        rules = self.how.rules
        return _Cut(rules, words) if rules.hashing is None else _Hashed(rules)


class _Cut:
    """Texts whose terms have names, counted as they come."""

    def __init__(self, rules: TextRules, words: dict[str, int]) -> None:
        self._cut, self._rows = rules.cutter(), GrowingRows(words)

    @property
    def n_entries(self) -> int:
        return self._rows.n_entries

    def add(self, text: str) -> None:
        self._rows.add(self._cut(text))

    def matrix(self) -> sp.csr_array:
        return self._rows.matrix()


class _Hashed:
    """Texts whose terms are hashed all at once."""

    def __init__(self, rules: TextRules) -> None:
        self._rules, self._texts = rules, list[str]()
        self.n_entries = 0  # at most, more or less

    def add(self, text: str) -> None:
        self._texts.append(text)
        self.n_entries += len(text) // 4

    def matrix(self) -> sp.csr_array:
        return self._rules.hashed(self._texts)


class _ClassFolder(_Texts):
    """A folder of class folders, of a file a document."""

    def __init__(self, path: Path, how: Reading) -> None:
        super().__init__(path, how)
        if not any(entry.is_dir() for entry in visible(path)):
            raise ValueError(
                f"{path}: expected sub-folders, one a class, or arrays; found no indptr.npy"
            )

    @property
    def files(self) -> list[Path]:
        """The documents."""
        folders = [entry for entry in visible(self.path) if entry.is_dir()]
        return [file for folder in folders for file in visible(folder) if file.is_file()]

    @property
    def n_bytes(self) -> int:
        """The size of all of them."""
        return sum(file.stat().st_size for file in self.files)

    def pairs(self, complain: Complain) -> Generator[tuple[str, str, int], None, None]:
        """Yield the documents."""
        n_bytes = 0
        documents = folder_of_classes(self.path, self.how.encoding, shows=False, complain=complain)
        with closing(documents) as pairs:
            for text, label in pairs:
                n_bytes += len(text)
                yield text, label, n_bytes


class _Rows(_Texts):
    """A table in text: CSV, TSV, JSON lines."""

    def pairs(self, complain: Complain) -> Generator[tuple[str, str, int], None, None]:
        """Yield the rows."""
        read, how = TABLES[_read.ending_of(self.path)], self.how
        with opened(self.path) as (content, raw):
            rows = read(
                self.path, how.text, how.label, how.encoding, content=content, complain=complain
            )
            with closing(rows):
                for text, label in rows:
                    yield text, label, raw.tell()


class _Arrow(_Texts):
    """A table of columns: Parquet and Arrow files, read a batch of rows at a time."""

    def __init__(self, path: Path, how: Reading, ending: str) -> None:
        super().__init__(path, how)
        require("pyarrow", "arrow", f"{path}: reading it")
        self._is_parquet = ending == ".parquet"

    def pairs(self, complain: Complain) -> Generator[tuple[str, str, int], None, None]:
        """Yield the rows."""
        how = self.how
        text = "text" if how.text is None else str(how.text)
        label = "label" if how.label is None else str(how.label)
        yield from rows_of_columns(self.path, text, label, self._is_parquet, complain)
