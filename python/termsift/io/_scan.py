"""Reading collections of any size, a chunk of documents at a time.

`scan` makes a `Scan`, which yields chunks, or is counted by `termsift.count`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Hashable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from termsift._util import scipy, validation
from termsift._util.files import check_path
from termsift._util.printable import printable, printable_errors
from termsift._util.tabular import object_array
from termsift.io._kinds import open_source
from termsift.io._labels import integers_if_all_whole
from termsift.io._source import (
    COMPLAINTS_KEPT,
    MatrixBlock,
    Options,
    Source,
    check_options,
    docs_in_chunk,
    lines_or_rows,
)
from termsift.io._texts import Table, TableCount, TextBlock
from termsift.text import TextRules
from termsift.text._matrices import BlockCounter

Paths: TypeAlias = "str | os.PathLike[str] | Sequence[str | os.PathLike[str]]"


@printable_errors()
def scan(
    paths: Paths,
    *,
    labels: Paths | None = None,
    terms: str | os.PathLike[str] | None = None,
    text: str | int | None = None,
    label: str | int | None = None,
    delimiter: str | None = None,
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
        The files and folders to read, in this order, of the kinds that `termsift.io` reads. All are
        matrices or all are texts.
    labels : path, or sequence of as many paths, optional
        A file with one label per line, or an array saved as ``.npy``, for each path. Needed for
        ``.npz`` and ``.mtx``; replaces the labels of an svmlight file; not for texts and folders.
    terms : path, optional
        File with the name of one term per line, in the order of the columns. Not for texts, whose
        terms are their own words. An svmlight file may use fewer columns than there are names.
        Without it, either all matrices have names of their own or none does.
    text, label : str or int, optional
        The columns of a table: names (``"text"`` and ``"label"`` by default), or numbers from 1 for
        a table without header. For JSON objects, the keys. Not for folders. The texts of several
        columns, as in ``text=["title", "body"]``, are joined with a blank.
    delimiter : str, optional
        The character that divides the fields of a ``.csv``, ``.tsv`` or ``.txt`` file. By default
        a comma or a tab, or, if the header does not name the columns then, the one of comma,
        semicolon, tab and bar by which it does.
    encoding : str, default "utf-8"
        The encoding of texts.
    preset : {"paper"}, optional
        A name for a set of rules, see :func:`termsift.text.text_rules`.
    chunk_docs : int, optional
        The largest number of documents in a chunk. By default a chunk has 256 MiB of entries of a
        matrix, 16 MiB of svmlight text, or 4 MiB of texts.
    index_base : {1, 0}
        The index of the first term in svmlight files.
    on_error : {"raise", "skip"}
        What happens to a bad line of an svmlight file, row of a table or file of a class folder:
        an error, or it is left out and counted in ``Scan.n_skipped``. With "skip", an
        svmlight line without a label is always left out. A wrong quote in a table with quoting is
        always an error, since it hides where the next row begins, and so is a broken JSON array.
    input_format : str, optional
        The ending, without its dot, of files that are read as such whatever their names, as in
        ``input_format="csv"``.
    n_threads : int, optional
        Threads that parse svmlight text and count texts, as for `termsift.count`.
    **rules
        How texts are cut and which terms are kept: the rules of
        :class:`termsift.text.TextRules`, which replace those of the preset. The rules that drop
        terms count the documents of all files, and are applied at the end: the chunks hold all
        terms. Matrices with names take ``min_df`` too.

    Returns
    -------
    scan : Scan
        Iterate over it, or pass it to `termsift.count`.

    Raises
    ------
    FileNotFoundError
        If a file does not exist.
    ValueError
        If a file is not what its name or the arguments say. The message is one line, with the file
        and the line in it. Errors in the content of a file are raised as it is read.
    TypeError
        For an unknown rule, or one of a wrong type.
    MissingExtraError
        If the input needs a package that is not installed.

    Notes
    -----
    Memory holds one chunk, whatever the size of the files. The words of texts (some 100 bytes each)
    and files of labels and names are kept as well. ``.npz`` and ``.mtx`` files are read whole.

    Columns of texts are words; the new words of each 4 MiB or so get the next columns, sorted.
    `termsift.count` needs no such matrix. It returns all words sorted, and makes integers of text
    labels if all of them are whole numbers.

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
    [[2 0 1]] ['red']
    [[0 1 0]] ['yellow']
    >>> list(counts.term_names)
    ['cherry', 'lemon', 'plum']
    """
    listed = _paths(paths, "paths")
    label_files: Sequence[Path | None] = [None] * len(listed)
    if labels is not None:
        label_files = _paths(labels, "labels")
    if len(label_files) != len(listed):
        raise ValueError(f"labels names {len(label_files)} files for {len(listed)} inputs")
    if chunk_docs is not None:
        chunk_docs = validation.check_integer(chunk_docs, "chunk_docs")
    options = check_options(
        terms=terms,
        text=text,
        label=label,
        delimiter=delimiter,
        encoding=encoding,
        preset=preset,
        index_base=index_base,
        on_error=on_error,
        n_threads=n_threads,
        **rules,
    )
    options = replace(
        options,
        given=[name for name in options.given if name != "min_df"],
        chunk_docs=chunk_docs,
    )
    for path in (*listed, *label_files):
        if path is not None and path.exists() and not (path.is_file() or path.is_dir()):
            raise ValueError(
                f"{path}: is a pipe or device, which can be read only once; expected a file"
            )
    sources = [open_source(path, of, options) for path, of in zip(listed, label_files, strict=True)]
    return Scan(sources, options)


def _paths(given: Paths, name: str) -> list[Path]:
    """Return one path or several as a list."""
    if hasattr(given, "columns"):
        raise TypeError(
            f"{name} is {validation.a_kind(given)}, expected paths: count the texts of a frame by "
            "termsift.count_texts"
        )
    is_one = isinstance(given, (str, os.PathLike))
    paths: list[Any] = [given] if is_one else list(validation.check_iterable(given, name, "paths"))
    if not paths:
        raise ValueError(f"{name} is empty, expected at least one path")
    for path in paths:
        check_path(path, name)
    return [Path(path) for path in paths]


class Scan:
    """Chunks of documents and their labels, read from files; made by `termsift.scan`.

    Iterating yields pairs (X, y): a CSR array of shape (n_docs, n_terms) and its labels, as
    `ClassCounts.update` takes them. Each iteration reads the files anew.

    Attributes
    ----------
    term_names : ndarray of str, or None
        The names of the terms; for texts, the words so far.
    classes : list of labels, or None
        The labels of the columns of the last chunk's y, if that is an indicator matrix.
    where : str
        Where the last chunk came from, in words.
    n_skipped : int
        How many lines, rows or documents were left out, with ``on_error="skip"``.
    skipped : list of str
        What was wrong with the first few of them.
    n_bytes : int
        The size of all files on the disk.
    bytes_done : int
        How much of that has been read.
    """

    def __init__(self, sources: list[Source], options: Options) -> None:
        self._sources, self._options = sources, options
        self.has_texts = sources[0].has_texts
        for source in sources:
            if source.has_texts != self.has_texts:
                raise ValueError(
                    f"{sources[0].path} and {source.path}: expected tables of texts or matrices, "
                    "not both"
                )
        self.has_columns = all("label" in source.takes for source in sources)
        self.has_words = self.has_texts and options.rules.hashing is None
        self._names = options.names
        if not self.has_texts and self._names is None and options.rules.drops:
            raise ValueError(
                f"{sources[0].path}: its terms have no names, and dropping some would change the "
                "indices of the others; give names by terms, or leave out min_df"
            )
        self._labels_are_text = all(source.labels_are_text for source in sources)
        self.n_bytes = sum(source.n_bytes for source in sources)
        self._resume(0, 0, [])

    def __repr__(self) -> str:
        kind = "texts" if self.has_texts else "matrices"
        return f"<Scan of {printable(self._source)}: {kind}, {self.n_bytes:,} bytes>"

    def _resume(self, inputs_done: int, n_skipped: int, skipped: list[str]) -> None:
        """Make every iteration begin after some inputs, of which some rows were left out."""
        self._start = inputs_done, n_skipped, skipped
        self._begin()

    def _begin(self) -> None:
        self._words = self.rules.columns() or {}
        self.classes: list[Hashable] | None = None
        self.where = ""
        self._found: NDArray[np.object_] | None = None  # by a count without chunks
        self._rewind()

    def _rewind(self) -> None:
        self.inputs_done, self.n_skipped, self.skipped = self._start
        self.bytes_done = sum(source.n_bytes for source in self._sources[: self.inputs_done])

    @property
    def rules(self) -> TextRules:
        """How texts are cut into terms, and which terms are kept at the end."""
        return self._options.rules

    @property
    def paths(self) -> list[Path]:
        """The inputs, in order."""
        return [source.path for source in self._sources]

    def _files(self, n_inputs: int) -> list[os.PathLike[str]]:
        """Return the files that are read for the first inputs."""
        files = [file for source in self._sources[:n_inputs] for file in source.files]
        return files if self._options.terms is None else [*files, self._options.terms]

    @property
    def _source(self) -> str:
        """Where the documents come from, in words."""
        return ", ".join(map(str, self.paths[:3])) + (", ..." if len(self.paths) > 3 else "")

    def _check_read(self, n_docs: float) -> None:
        """Check, at the end, that the inputs held documents."""
        if not n_docs:
            left_out = ""
            if self.n_skipped:
                left_out = f"; {lines_or_rows(self.n_skipped)} left out, first: {self.skipped[0]}"
            raise ValueError(f"{self._source}: holds no documents{left_out}")

    def settled(self, classes: list[Hashable]) -> list[Hashable]:
        """Return the labels of all chunks, as integers if text wrote them and all are whole."""
        if not self._labels_are_text:
            return classes
        labels: list[Hashable] = integers_if_all_whole(cast("list[str]", classes)).tolist()
        return labels

    @property
    def term_names(self) -> NDArray[np.object_] | None:
        """The names of the terms; for texts, the words so far."""
        if not self.has_words:
            return self._names
        if self._found is not None:
            return self._found
        return object_array(sorted(self._words, key=self._words.__getitem__))

    def __iter__(self) -> Generator[tuple[Any, Any], None, None]:
        with closing(self._steps()) as steps:
            for X, y in steps:
                if X is not None:
                    yield X, y
                del X, y

    def _steps(self) -> Generator[tuple[Any, Any], None, None]:
        """Yield the chunks, and (None, None) at the end of each input."""
        self._begin()
        count = None
        if self.has_texts:
            grows, threads = self.rules.vocabulary is None, self._options.n_threads
            count = BlockCounter(self.rules, self._words, grows=grows, n_threads=threads).count
        with closing(self._blocks()) as blocks:
            for block, n_docs in blocks:
                if block is None:
                    yield None, None
                    continue
                path = self._sources[self.inputs_done].path
                if isinstance(block, MatrixBlock):
                    X, y, self.classes = block.X, block.y, block.classes
                else:
                    assert count is not None
                    X, y = count(block.texts), block.y
                del block  # before the next one is read
                for begin, end in self._chunks(X):
                    self.where = f"{path}, where row 0 is document {n_docs + begin}"
                    if end - begin == X.shape[0]:
                        yield X, y
                    else:
                        yield _rows(X, begin, end), y[begin:end]
                del X, y

    def _blocks(
        self, count: Callable[[], TableCount] | None = None
    ) -> Generator[tuple[MatrixBlock | TextBlock | None, int], None, None]:
        """Yield the blocks, and None at the end of each input.

        Beside a block stands how many documents of its input come before it. With ``count``, tables
        are counted by the core, and their blocks have no texts.
        """
        self._rewind()
        for source in self._sources[self.inputs_done :]:
            n_docs, bytes_before = 0, self.bytes_done
            reading = source.blocks(count) if isinstance(source, Table) else source.blocks()
            with printable_errors(), closing(reading) as blocks:
                for block in blocks:
                    complaints = [*self.skipped, *map(printable, block.complaints)]
                    self.n_skipped += block.n_skipped
                    self.skipped = complaints[:COMPLAINTS_KEPT]
                    self.bytes_done = bytes_before + block.n_bytes
                    yield block, n_docs
                    n_docs += len(block)
                    del block  # before the next one is read
            self.inputs_done += 1
            self.bytes_done = bytes_before + source.n_bytes
            yield None, n_docs

    def _chunks(self, X: scipy.sparse.csr_array) -> Iterator[tuple[int, int]]:
        """Divide the documents of a block into chunks."""
        begin, n_docs = 0, X.shape[0]
        entry_bytes = X.indices.itemsize + X.data.itemsize
        while begin < n_docs:
            end = begin + docs_in_chunk(X.indptr[begin:], entry_bytes, self._options.chunk_docs)
            yield begin, end
            begin = end


def _rows(X: scipy.sparse.csr_array, begin: int, end: int) -> scipy.sparse.csr_array:
    """Return some documents, which share the memory of X."""
    first, last = X.indptr[begin], X.indptr[end]
    parts = X.data[first:last], X.indices[first:last], X.indptr[begin : end + 1] - first
    return scipy.sparse.csr_array(parts, shape=(end - begin, X.shape[1]))
