"""Reading collections of any size: files of all kinds as chunks of documents.

`scan` gives a `Scan`, which reads the next chunk in a thread of its own while the last one is
counted, and always knows its position, so that a job can go on where it stopped.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Hashable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from numbers import Integral
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Literal, TypeAlias, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from termsift._util import validation
from termsift._util.files import check_encoding, check_path
from termsift._util.printable import printable, printable_errors
from termsift.io import _read
from termsift.io._csr_folder import is_csr_folder
from termsift.io._sources import ARROW_ENDINGS, Block, Reading, Source, open_source
from termsift.text import text_rules

Paths: TypeAlias = "str | os.PathLike[str] | Sequence[str | os.PathLike[str]]"

_COMPLAINTS_KEPT = 5
_PLACE = ("at", "docs", "n_skipped", "skipped")


@printable_errors()
def scan(
    paths: Paths,
    *,
    labels: Paths | None = None,
    terms: str | os.PathLike[str] | None = None,
    text: str | int | None = None,
    label: str | int | None = None,
    encoding: str | None = None,
    preset: str | None = None,
    chunk_docs: int | None = None,
    index_base: Literal[0, 1] = 1,
    on_error: Literal["raise", "skip"] = "raise",
    n_threads: int | None = None,
    **rules: Any,
) -> Scan:
    r"""Read labelled collections of any size, a chunk of documents at a time.

    Parameters
    ----------
    paths : path, or sequence of paths
        What to read, in this order: files of the kinds of `termsift.io` (svmlight, ``.npz``,
        ``.mtx``, ``.csv``, ``.tsv``, ``.txt``, ``.jsonl``; all but ``.npz`` also with ``.gz`` or
        ``.zst``), Parquet (``.parquet``) and Arrow (``.arrow``, ``.feather``, ``.ipc``) tables,
        folders of class folders of texts, and folders of arrays as `termsift.save_csr` writes them.
        All are matrices or all are texts.
    labels : path, or sequence of as many paths, optional
        For each path, the file of its labels, one a line or a ``.npy`` array. Needed for ``.npz``
        and ``.mtx``; replaces the labels of svmlight files; not for tables and folders.
    terms : path, optional
        File with the name of one term a line, in the order of the columns; not for tables. Without
        it, either all matrices bring names of their own or none does.
    text, label : str or int, optional
        The columns of a table: names, "text" and "label" by default, or numbers from 1 for a table
        without header.
    encoding, preset, **rules
        How texts are decoded and cut into terms: see `termsift.text.TextRules`. ``min_df``, of
        matrices too, is a number of documents of all files, and means something to `termsift.count`
        alone: chunks do not know of later ones. There is no ``max_df`` here.
    chunk_docs : int, optional
        At most so many documents a chunk. By default as many as have 256 MiB of entries of a
        matrix, 16 MiB of svmlight text, or 2 million different words each of texts.
    index_base : {1, 0}
        The index of the first term in svmlight files. A stream cannot look ahead for an index 0, as
        `termsift.io.read_collection` does, and shards must agree.
    on_error : {"raise", "skip"}
        What becomes of a line of an svmlight file, a row of a table or a file of a class folder
        that is not as expected. What is left out is counted: `termsift.Scan.n_skipped`. A line
        without a label is left out then, also where others have several labels. Of a row of a table
        that a wrong quote spoils, the lines of its text are left out with it, where they can be
        told from rows.
    n_threads : int, optional
        Threads that parse svmlight, as for `termsift.count`.

    Returns
    -------
    scan : Scan
        Iterate over it, or give it to `termsift.count`.

    Raises
    ------
    FileNotFoundError, ValueError, MissingExtraError
        If something cannot be read, or the arguments do not fit; what a file holds is told as it is
        read, with file and line or row.

    Notes
    -----
    Memory is that of three chunks (one counted, one waiting, one being read), whatever the size of
    the files; of folders of arrays it is one, as they are mapped, and take memory once they are
    counted. Beside that the words of texts are kept, some 100 bytes each, and files of labels and
    names. ``.npz`` and ``.mtx`` files are loaded whole: save large ones by `termsift.save_csr`. A
    single document or row is never cut, however large.

    Columns of texts are words in the order in which they first appear, so that the number of
    columns grows; `termsift.count` sorts them at the end, and makes integers of labels that are all
    whole numbers, which is not known earlier: chunks of texts have labels that are strings.

    Examples
    --------
    >>> import tempfile, termsift as ts
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "fruit.csv")
    ...     _ = path.write_text("label,text\nred,plum cherry cherry\nyellow,lemon\n")
    ...     scan = ts.scan(path, chunk_docs=1)
    ...     for X, y in scan:
    ...         print(X.toarray(), y)
    ...     counts = ts.count(scan)
    [[1 2]] ['red']
    [[0 0 1]] ['yellow']
    >>> list(counts.term_names)
    ['cherry', 'lemon', 'plum']
    """
    listed = _paths(paths, "paths")
    label_files = [None] * len(listed) if labels is None else _paths(labels, "labels")
    if len(label_files) != len(listed):
        raise ValueError(f"labels names {len(label_files)} files for {len(listed)} inputs")
    if type(index_base) is not int or index_base not in (0, 1):
        raise ValueError(f"index_base must be 0 or 1, got {index_base!r}")
    if not validation.is_one_of(on_error, ("raise", "skip")):
        raise ValueError(f"on_error must be 'raise' or 'skip', got {on_error!r}")
    if chunk_docs is not None:
        if isinstance(chunk_docs, bool) or not isinstance(chunk_docs, Integral) or chunk_docs < 1:
            raise ValueError(f"chunk_docs must be a positive integer or None, got {chunk_docs!r}")
        chunk_docs = int(chunk_docs)
    for value, name in ((text, "text"), (label, "label")):
        validation.check_column(value, name)
    codec = "utf-8" if encoding is None else encoding
    check_encoding(codec)
    threads = validation.check_n_threads(n_threads)
    names = None if terms is None else _read.read_names(terms)
    by = text_rules(preset, **rules)
    if not isinstance(by.min_df, Integral) or by.max_df != 1 or isinstance(by.max_df, Integral):
        raise ValueError(
            "min_df must be a number of documents, and there is no max_df: how many documents "
            "there are is known at the end, when termsift.ClassCounts.with_min_df helps"
        )
    given = {"encoding": encoding, "preset": preset, **rules}
    given.pop("min_df", None)
    how = Reading(
        text,
        label,
        codec,
        by,
        given,
        chunk_docs,
        index_base,
        on_error == "skip",
        threads,
        names,
    )
    sources = [open_source(path, of, how) for path, of in zip(listed, label_files, strict=True)]
    return Scan(sources, how, [] if terms is None else [Path(terms)])


def _paths(given: Paths, name: str) -> list[Path]:
    """Give one path or several as a list."""
    is_one = isinstance(given, (str, os.PathLike))
    paths: list[Any] = [given] if is_one else list(validation.check_iterable(given, name, "paths"))
    if not paths:
        raise ValueError(f"{name} is empty, expected at least one path")
    for path in paths:
        check_path(path, name)
    return [Path(path) for path in paths]


@dataclass(frozen=True)
class _Chunk:
    """What an iteration gives, and where the scan is then."""

    X: Any
    y: Any
    classes: list[Hashable] | None
    position: dict[str, Any]
    where: str
    n_terms: int


class Scan:
    """Chunks of documents and their labels, read from files; made by `termsift.scan`.

    Iterating gives pairs (X, y): a CSR array of shape (n_docs, n_terms) and its labels, as
    `ClassCounts.update` takes them. Each iteration begins anew, at the beginning or where `resume`
    said.

    Attributes
    ----------
    position : dict
        Where the chunk after the last one given begins; JSON can hold it. For `resume`.
    term_names : ndarray of str, or None
        The names of the terms: of texts, the words so far.
    classes : list of labels, or None
        Where the last chunk's y is an indicator matrix, the labels of its columns.
    where : str
        Where the last chunk came from, in words.
    n_skipped : int
        How many lines or rows were left out, with ``on_error="skip"``.
    skipped : list of str
        What was wrong with the first few of them.
    n_bytes : int
        The size of all files together, on the disk.
    bytes_done : int
        How much of that has been read.
    """

    def __init__(self, sources: list[Source], how: Reading, other_files: list[Path]) -> None:
        self._sources, self._how = sources, how
        self.has_texts = sources[0].is_text
        for source in sources:
            if source.is_text != self.has_texts:
                raise ValueError(
                    f"{sources[0].path} and {source.path}: expected tables of texts or matrices, "
                    "not both"
                )
        self.has_words = self.has_texts and how.rules.hashing is None
        self._names = None if self.has_texts else _agreed_names(sources)
        if not self.has_texts and self._names is None and how.rules.min_df > 1:
            raise ValueError(
                f"{sources[0].path}: its terms have no names, and to drop some would give the "
                "others other indices; give names by terms, or leave out min_df"
            )
        self._words: dict[str, int] = {}
        self.files = [file for source in sources for file in source.files] + other_files
        self._other_files = other_files
        self.n_bytes = sum(source.n_bytes for source in sources)
        self._start: dict[str, Any] = {
            "file": 0, "at": None, "docs": 0, "n_skipped": 0, "skipped": [], "bytes_done": 0
        }  # fmt: skip
        self._start_words: list[str] = []
        self._begin()

    def _begin(self) -> None:
        """Stand where an iteration begins."""
        self._words = {word: column for column, word in enumerate(self._start_words)}
        self._last = _Chunk(None, None, None, self._start, "", len(self._words))

    @property
    def min_df(self) -> int:
        """Terms in fewer documents of all chunks are to be dropped in the end."""
        return int(self._how.rules.min_df)

    @property
    def paths(self) -> list[Path]:
        """What is read, in order."""
        return [source.path for source in self._sources]

    def settled(self, classes: list[Hashable]) -> list[Hashable]:
        """Give the labels of all chunks; as integers, if text wrote them and all are whole."""
        if not all(source.labels_are_text for source in self._sources):
            return classes
        labels: list[Hashable] = _read.labels_array(cast("list[str]", classes)).tolist()
        return labels

    @property
    def position(self) -> dict[str, Any]:
        """Where the chunk after the last one given begins."""
        position = self._last.position
        return {**position, "skipped": list(position["skipped"])}

    @property
    def where(self) -> str:
        """Where the last chunk given came from, in words."""
        return self._last.where

    @property
    def classes(self) -> list[Hashable] | None:
        """The labels of the columns of the last chunk's y, if it is an indicator matrix."""
        return self._last.classes

    @property
    def n_skipped(self) -> int:
        """How many lines or rows were left out."""
        return int(self._last.position["n_skipped"])

    @property
    def skipped(self) -> list[str]:
        """What was wrong with the first few lines or rows that were left out."""
        return list(self._last.position["skipped"])

    @property
    def bytes_done(self) -> int:
        """How much of the files has been read."""
        return int(self._last.position["bytes_done"])

    @property
    def term_names(self) -> NDArray[np.object_] | None:
        """The names of the terms: of texts, the words so far."""
        if not self.has_words:
            return self._names
        # The thread that reads is ahead, with words of chunks that have not been given.
        return _read.object_array(list(self._words)[: self._last.n_terms])

    def resume(self, position: dict[str, Any], term_names: Sequence[str] | None = None) -> Scan:
        """Have every iteration begin at a position of a scan of the same files.

        Parameters
        ----------
        position : dict
            What ``position`` was.
        term_names : sequence of str, optional
            The words so far, in the order of their columns: needed for texts.

        Returns
        -------
        self : Scan

        Raises
        ------
        ValueError
            If it is no position of such a scan.

        Notes
        -----
        Reading on finds out whether the svmlight text, or the labels and texts of rows, before the
        position are still what they were: a checksum (CRC-32) is part of it. Of an svmlight file
        that is not compressed it is asked for where its size or time of last change is another.
        Matrices, labels and names of terms are taken on trust, and so are files that had been read
        to their end.
        """
        if not self._is_position(position):
            raise ValueError(f"expected a position of a scan of these files, got {position!r}")
        words = [] if term_names is None else validation.check_words(term_names, "term_names")
        for word in words:
            validation.check_kind(word, str, "each of term_names")
        if self.has_words and term_names is None:
            raise ValueError("a scan of texts goes on with the words so far: give term_names")
        if len(set(words)) < len(words):
            raise ValueError("term_names holds a word twice, expected the words so far")
        self._start, self._start_words = position, words
        self._begin()
        return self

    def _is_position(self, given: Any) -> bool:
        if not isinstance(given, dict) or set(given) != set(self._start):
            return False
        skipped, at = given["skipped"], given["at"]
        numbers = [given[name] for name in set(given) - {"at", "skipped"}]
        return (
            all(type(number) is int and number >= 0 for number in numbers)
            and given["file"] < len(self._sources)
            and isinstance(skipped, list)
            and all(isinstance(complaint, str) for complaint in skipped)
            and (at is None or self._sources[given["file"]].is_place(at))
        )

    def trusted(self, position: dict[str, Any]) -> list[Path]:
        """Give the files whose content before a position is taken on trust; see `resume`."""
        done, now = self._sources[: position["file"]], self._sources[position["file"]]
        of_sources = [file for source in done for file in source.files]
        return [*of_sources, *(set(now.files) - set(now.checked)), *self._other_files]

    def __iter__(self) -> Generator[tuple[Any, Any], None, None]:
        self._begin()
        with (
            printable_errors(),
            closing(_read_ahead(self._chunks(self._start, self._words))) as chunks,
        ):
            for chunk in chunks:
                self._last = replace(chunk, X=None, y=None)  # which only their user keeps
                if chunk.X.shape[0]:
                    yield chunk.X, chunk.y
                del chunk

    def _chunks(
        self, start: dict[str, Any], words: dict[str, int]
    ) -> Generator[_Chunk, None, None]:
        """Read the chunks from a position on, in the thread that reads."""
        n_skipped, skipped = start["n_skipped"], start["skipped"]
        at, to_drop = start["at"], start["docs"]
        before = sum(source.n_bytes for source in self._sources[: start["file"]])
        for number in range(start["file"], len(self._sources)):
            source = self._sources[number]
            with closing(source.blocks(at, words)) as blocks:
                for block in blocks:
                    known = n_skipped, skipped
                    n_skipped += block.n_skipped
                    skipped = [*skipped, *map(printable, block.complaints)][:_COMPLAINTS_KEPT]
                    for begin, end in self._pieces(block, to_drop):
                        whole = end == block.X.shape[0]
                        # In the middle of a block: it is read again, with its complaints.
                        within = (source.within(at, block.at), end, *known)
                        where = (block.at, 0, n_skipped, skipped) if whole else within
                        position = {"file": number} | dict(zip(_PLACE, where, strict=True))
                        position["bytes_done"] = before + block.n_bytes
                        X, y = block.rows(begin, end)
                        yield _Chunk(X, y, block.classes, position, block.where, X.shape[1])
                        del X, y
                    to_drop = max(to_drop - block.X.shape[0], 0)
                    at = block.at
                    del block  # before the next one is read
            at, to_drop = None, 0
            before += source.n_bytes

    def _pieces(self, block: Block, to_drop: int) -> Iterator[tuple[int, int]]:
        """Cut a block into chunks; one without documents is one, for where it ends."""
        n_docs = block.X.shape[0]
        step = self._how.chunk_docs or max(n_docs, 1)
        if n_docs == 0:
            yield 0, 0
        for begin in range(min(to_drop, n_docs), n_docs, step):
            yield begin, min(begin + step, n_docs)


def _agreed_names(sources: list[Source]) -> NDArray[np.object_] | None:
    """Give the names of the terms of all matrices: those of the widest, if they agree."""
    agreed, of = None, None
    named = [source.path for source in sources if source.names is not None]
    unnamed = [source.path for source in sources if source.names is None]
    if named and unnamed:
        raise ValueError(
            f"{named[0]} and {unnamed[0]}: the terms have names in the first and none in the "
            "second, and may be others: give the names of all by terms, or count both apart"
        )
    for source in sources:
        names = source.names
        if names is None:
            return None  # as in all
        if agreed is None or len(names) > len(agreed):
            (agreed, of), (names, other) = (names, source.path), (agreed, of)
        else:
            other = source.path
        if names is not None:
            differ = np.flatnonzero(names != agreed[: len(names)])
            if len(differ):
                term = int(differ[0])
                raise ValueError(
                    f"{of} and {other}: the vocabularies differ: term {term} is {agreed[term]!r} "
                    f"in one and {names[term]!r} in the other"
                )
    return agreed


def _read_ahead(items: Generator[_Chunk, None, None]) -> Generator[_Chunk, None, None]:
    """Yield what a generator yields, which runs one item ahead in a thread of its own."""
    # A Ctrl-C may come between any two steps in Python, and would leave a Queue or an Event locked:
    # hence only what takes its steps in C.
    queue: SimpleQueue[_Chunk | BaseException | None] = SimpleQueue()
    room = threading.Lock()  # held while an item waits
    left: list[bool] = []  # whether whoever takes the items has gone

    def run() -> None:
        end: BaseException | None = None
        try:
            with closing(items):
                for item in items:
                    room.acquire()
                    if left:
                        return
                    queue.put(item)
                    del item  # the one who takes it decides how long it lives
        except BaseException as error:
            end = error
        queue.put(end)

    thread = threading.Thread(target=run, name="termsift-reader", daemon=True)
    thread.start()
    try:
        while (item := queue.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            room.release()
            yield item
            del item
    finally:
        left.append(True)
        while thread.is_alive():  # it may be waiting for room
            with suppress(RuntimeError):
                room.release()
            thread.join(0.05)


@printable_errors()
def read_whole(path: str | os.PathLike[str], **options: Any) -> _read.Collection:
    """Read what only a scan reads, for whoever needs the documents themselves.

    The terms, labels and columns are those that `termsift.count` gives the same scan.
    """
    scanned = scan(path, **options)
    parts, labels = [], []
    for X, y in scanned:
        parts.append(X)
        labels.append(y)
    if not parts:
        raise ValueError(f"{path}: holds no documents")
    n_terms, classes = max(X.shape[1] for X in parts), scanned.classes
    for X in parts:
        X.resize(X.shape[0], n_terms)
    X, names = sp.csr_array(sp.vstack(parts, format="csr")), scanned.term_names
    if scanned.has_words and names is not None:
        kept = np.flatnonzero(np.bincount(X.indices, minlength=n_terms) >= scanned.min_df)
        order = kept[sorted(range(len(kept)), key=names[kept].__getitem__)]
        X, names = sp.csr_array(X[:, order]), names[order]
    if classes is not None:
        return _read.Collection(X, sp.csr_array(sp.vstack(labels)), names, str(path), classes)
    y = np.concatenate(labels)
    return _read.Collection(
        X, _read.labels_array(y.tolist()) if scanned.has_texts else y, names, str(path)
    )


def only_scanned(path: str | os.PathLike[str]) -> bool:
    """Whether a path is of a kind that `termsift.io.read_collection` does not read."""
    path = Path(path)
    return _read.ending_of(path) in ARROW_ENDINGS or (path.is_dir() and is_csr_folder(path))
