"""Where documents come from: each kind of file as blocks of documents, from any place on.

A block knows where the next one begins. That place is JSON and means something to the source
alone: the row of a matrix or table, the byte and line of an svmlight file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Hashable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from termsift import io, svmlight
from termsift._compression import opened
from termsift._extras import require
from termsift._files import Complain, damage_told, existing
from termsift._labelled_texts import TABLES, folder_of_classes, listed
from termsift.csr_folder import CsrFolder, is_csr_folder
from termsift.svmlight import read_blocks
from termsift.text import GrowingRows, TextRules

_BLOCK_BYTES = 1 << 28  # of the entries of a matrix
_TEXT_ENTRIES = 1 << 21  # of a block of texts, which take longer to read than to count
_ROWS_AT_ONCE = 1 << 12  # of a Parquet file
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


def open_source(path: Path, labels: Path | None, how: Reading) -> Source:
    """Tell what is at a path, and give what reads it."""
    columns = {"text": how.text, "label": how.label}
    if path.is_dir() and not is_csr_folder(path):
        why = "a folder of class folders has its own labels and terms, and no columns"
        io.refuse_arguments(path, why, labels=labels, terms=how.names, **columns)
        return _ClassFolder(path, how)
    if path.is_dir():
        why = "a folder of arrays has its own labels, and no texts"
        io.refuse_arguments(path, why, labels=labels, **columns, **how.given)
        return _Folder(path, how)
    existing(path)
    ending = path.suffix.lower()
    ending = ending if ending in ARROW_ENDINGS else io.ending_of(path)
    if ending in TABLES or ending in ARROW_ENDINGS:
        why = "a table has its own labels and terms"
        io.refuse_arguments(path, why, labels=labels, terms=how.names)
        return _Rows(path, how) if ending in TABLES else _Arrow(path, how, ending)
    io.refuse_arguments(path, "a matrix holds no texts", **columns, **how.given)
    if ending in io.SVMLIGHT:
        return _Svmlight(path, labels, how)
    if ending in io.MATRICES:
        return _Loaded(path, labels, how, ending)
    known = " ".join([*io.MATRICES, *TABLES, *ARROW_ENDINGS])
    raise ValueError(f"{path}: unknown kind of file; the known endings are {known}")


# ---- matrices ------------------------------------------------------------------------------------


class _Folder(Source):
    """A folder of arrays: parts of its files are mapped one after the other."""

    def __init__(self, path: Path, how: Reading) -> None:
        super().__init__(path, how)
        self._folder = CsrFolder(path)
        self._names = how.names
        if how.names is None and self._folder.terms_path is not None:
            self._names = io.read_names(self._folder.terms_path)
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
        self._labels, self._read = existing(labels), io.MATRICES[ending]
        self.labels_are_text = labels.suffix.lower() != ".npy"

    @property
    def files(self) -> list[Path]:
        """The matrix and its labels."""
        return [self.path, self._labels]

    def blocks(self, at: Any, words: dict[str, int]) -> Blocks:
        """Give the rows of the matrix, once it has been read."""
        X = self._read(self.path, self._labels).X
        y, names = io.read_labels(self._labels, as_written=True), self.how.names
        if names is not None and len(names) != X.shape[1]:
            raise ValueError(f"{self.path}: {len(names)} names for its {X.shape[1]} terms")
        begin, n_docs, n_bytes = at or 0, X.shape[0], self.n_bytes
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
    several: bool = False  # whether a document had several labels
    unlabelled: int | None = None  # the first line of the block where a document had none
    n_docs: int = 0


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

    def blocks(self, at: Any, words: dict[str, int]) -> Blocks:
        """Parse one block of lines after the other."""
        place = Place(*at) if at else Place()
        y = None if self._labels is None else io.read_labels(self._labels, as_written=True)
        with damage_told(self.path), opened(self.path) as (content, raw):
            _go_to(content, place.offset, seekable=content is raw)
            blocks = read_blocks(
                content,
                str(self.path),
                multilabel=True if place.several or y is not None else None,
                on_error="skip" if self.how.skip else "raise",
                n_threads=self.how.n_threads or None,
                at=(place.offset, place.line),
            )
            with closing(blocks):
                for parsed in blocks:
                    block = self._block(parsed, place, y, raw.tell())
                    place = Place(*block.at)
                    yield block
                    del block, parsed
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

    def _block(self, parsed: svmlight.Block, place: Place, y: Any, n_bytes: int) -> Block:
        """Give what was parsed as documents and labels."""
        base, names = self.how.index_base, self.how.names
        n_docs = len(parsed.indptr) - 1
        low, high = (
            (parsed.indices.min(), parsed.indices.max())
            if len(parsed.indices)
            else (base, base - 1)
        )
        n_terms = int(high) - base + 1 if names is None else len(names)
        if low < base or high - base >= n_terms:
            self._refuse_index(place, n_terms)
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
            labels = io.integers_if_exact(parsed.labels)
        else:
            labels, classes = io.indicator_of(io.integers_if_exact(parsed.labels), n_labels)
        following = Place(
            *parsed.next,
            place.several or bool((n_labels > 1).any()),
            unlabelled,
            place.n_docs + n_docs,
        )
        complaints = [f"{self.path}, line {line}: {what}" for line, what in parsed.skipped[:_TOLD]]
        where = f"{self.path}, in the lines from {place.line} on"
        return Block(
            X, labels, classes, list(following), n_bytes, where, parsed.n_skipped, complaints
        )

    def _refuse_index(self, place: Place, n_terms: int) -> NoReturn:
        """Find the line of an index below the base or beyond the names, and refuse it."""
        base = self.how.index_base
        with opened(self.path) as (content, raw):
            _go_to(content, place.offset, seekable=content is raw)
            for number, line in enumerate(content, place.line):
                for token in line.partition(b"#")[0].split():
                    index = token.partition(b":")[0]
                    if not index.isdigit() or b":" not in token:
                        continue
                    if int(index) < base:
                        raise ValueError(
                            f"{self.path}, line {number}: has index 0, expected indices from 1 on; "
                            "if they count from 0, say so by index_base=0"
                        )
                    if self.how.names is not None and int(index) - base >= n_terms:
                        raise ValueError(
                            f"{self.path}, line {number}: has index {int(index)}, expected at most "
                            f"{n_terms - 1 + base} for {n_terms} names of terms"
                        )
        raise ValueError(f"{self.path}: changed while it was read")


def _go_to(content: BinaryIO, offset: int, *, seekable: bool) -> None:
    """Go to a place in the content of a file; what is compressed has to be read on."""
    if seekable:
        content.seek(offset)
        return
    while offset:
        piece = content.read(min(offset, 1 << 20))
        if not piece:
            raise EOFError("it ends before the place to go on from")
        offset -= len(piece)


# ---- texts ---------------------------------------------------------------------------------------


class _Texts(Source):
    """A table with a text and a label a row; a place is the number of good rows before it."""

    is_text = True
    labels_are_text = True

    @abstractmethod
    def pairs(
        self, n_before: int, complain: Complain
    ) -> Generator[tuple[str, Any, int], None, None]:
        """Yield text, label and how many bytes were read by then, after so many good rows."""

    def blocks(self, at: Any, words: dict[str, int]) -> Blocks:
        """Count the words of the rows."""
        n_rows, n_bytes, complaints = at or 0, 0, list[str]()
        limit = self.how.chunk_docs
        texts, labels = self._nothing(words), list[Any]()

        def block() -> Block:
            y = io.object_array(labels)
            where = f"{self.path}, in the rows before {n_rows}"
            n_skipped, told = len(complaints), complaints[:_TOLD]
            return Block(texts.matrix(), y, None, n_rows, n_bytes, where, n_skipped, told)

        def complain(complaint: str) -> None:
            if not self.how.skip:
                raise ValueError(complaint)
            complaints.append(complaint)

        with closing(self.pairs(n_rows, complain)) as pairs:
            for text, label, n_bytes in pairs:  # noqa: B007
                texts.add(text)
                labels.append(label)
                n_rows += 1
                if texts.n_entries >= _TEXT_ENTRIES or len(labels) == limit:
                    yield block()
                    texts, labels, complaints = self._nothing(words), [], []
        if labels or complaints:
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
        if not any(entry.is_dir() for entry in path.iterdir()):
            raise ValueError(
                f"{path}: expected sub-folders, one a class, or arrays; found no indptr.npy"
            )

    @property
    def files(self) -> list[Path]:
        """The documents."""
        return sorted(file for file in self.path.glob("*/*") if file.is_file())

    @property
    def n_bytes(self) -> int:
        """The size of all of them."""
        return sum(file.stat().st_size for file in self.files)

    def pairs(
        self, n_before: int, complain: Complain
    ) -> Generator[tuple[str, Any, int], None, None]:
        """Yield the documents; those before are read as well."""
        n_bytes = 0
        with closing(folder_of_classes(self.path, self.how.encoding, shows=False)) as pairs:
            for n, (text, label) in enumerate(pairs):
                n_bytes += len(text)
                if n >= n_before:
                    yield text, label, n_bytes


class _Rows(_Texts):
    """A table in text: CSV, TSV, JSON lines."""

    def pairs(
        self, n_before: int, complain: Complain
    ) -> Generator[tuple[str, Any, int], None, None]:
        """Yield the rows; those before are read as well, and not complained about again."""
        n = 0

        def later(complaint: str) -> None:
            if n >= n_before:
                complain(complaint)

        read = TABLES[io.ending_of(self.path)]
        with opened(self.path) as (content, raw):
            how = self.how
            rows = read(
                self.path, how.text, how.label, how.encoding, content=content, complain=later
            )
            with closing(rows):
                for text, label in rows:
                    n += 1
                    if n > n_before:
                        yield text, label, raw.tell()


class _Arrow(_Texts):
    """A table of columns: Parquet and Arrow files, read a batch of rows at a time."""

    def __init__(self, path: Path, how: Reading, ending: str) -> None:
        super().__init__(path, how)
        require("pyarrow", "arrow", f"{path}: reading it")
        self._is_parquet = ending == ".parquet"

    def pairs(
        self, n_before: int, complain: Complain
    ) -> Generator[tuple[str, Any, int], None, None]:
        """Yield the rows."""
        pyarrow = require("pyarrow", "arrow", f"{self.path}: reading it")
        columns = [
            "text" if self.how.text is None else str(self.how.text),
            "label" if self.how.label is None else str(self.how.label),
        ]
        n_bytes, n_good = self.n_bytes, 0
        try:
            n_rows, batches = self._batches(columns)
            row = 0
            for batch in batches:
                for text, label in zip(*(column.to_pylist() for column in batch), strict=True):
                    row += 1
                    complaint = _row_complaint(text, label)
                    if complaint is not None:
                        if n_good >= n_before:
                            complain(f"{self.path}, row {row}: {complaint}")
                        continue
                    n_good += 1
                    if n_good > n_before:
                        if isinstance(label, bool):  # True would equal the label 1
                            label = str(label).lower()
                        yield text, label, n_bytes * row // n_rows
        except (pyarrow.ArrowException, OSError) as error:
            text = " ".join(str(error).split())
            raise ValueError(f"{self.path}: damaged or no such table: {text}") from None

    def _batches(self, columns: list[str]) -> tuple[int, Any]:
        """Give the number of rows, and batches of them as the two columns."""
        path = str(self.path)
        if self._is_parquet:
            file = require("pyarrow.parquet", "arrow", f"{path}: reading it").ParquetFile(path)
            names = file.schema_arrow.names
            batches = file.iter_batches(_ROWS_AT_ONCE, columns=columns)
            n_rows = file.metadata.num_rows
        else:
            ipc = require("pyarrow.ipc", "arrow", f"{path}: reading it")
            memory = require("pyarrow", "arrow", f"{path}: reading it").memory_map(path)
            file = ipc.open_file(memory)
            names = file.schema.names
            batches = (
                batch.slice(row, _ROWS_AT_ONCE)  # a batch may be the whole file
                for batch in map(file.get_batch, range(file.num_record_batches))
                for row in range(0, batch.num_rows, _ROWS_AT_ONCE)
            )
            n_rows = sum(file.get_batch(i).num_rows for i in range(file.num_record_batches))
        for column in columns:
            if names.count(column) != 1:
                raise ValueError(f"{path}: expected one column {column!r}, found {listed(names)}")
        return n_rows, ([batch.column(name) for name in columns] for batch in batches)


def _row_complaint(text: Any, label: Any) -> str | None:
    """Say what is wrong with the values of a row."""
    if not isinstance(text, str):
        return f"the text is {type(text).__name__}, expected a string"
    if not isinstance(label, str | int) or label == "":
        return f"the label is {label!r}, expected a string or a whole number"
    return None
