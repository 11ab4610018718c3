"""Reading collections of any size, a chunk of documents at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Hashable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar, Unpack

import numpy as np

from termsift._util import validation
from termsift._util.faults import (
    Message,
    concerning,
    excluded,
    named,
    said,
    wrong_type,
    wrong_value,
)
from termsift._util.files import check_path, existing
from termsift._util.messages import logger, printable, progress
from termsift._util.validation import LabelCoder, Labels
from termsift.io._checkpoint import Checkpoint
from termsift.io._class_folder import ClassFolder
from termsift.io._matrices import MarketFile, NpzFile, SvmlightFile, UnsortedError, names_in
from termsift.io._opening import COMPRESSED, check_encoding
from termsift.io._source import Options, Skipped, Source
from termsift.io._tables import ArrowTable, DelimitedTable, JsonTable, Table
from termsift.text._documents import Block, Columns, Consumer, Documents
from termsift.text._rules import Rules, rules_of, shows

_Result = TypeVar("_Result")
AnyPath: TypeAlias = "str | os.PathLike[str]"
Paths: TypeAlias = "AnyPath | Sequence[AnyPath]"
Format: TypeAlias = Literal[
    "svm",
    "svmlight",
    "libsvm",
    "npz",
    "mtx",
    "csv",
    "tsv",
    "txt",
    "jsonl",
    "ndjson",
    "json",
    "parquet",
    "arrow",
    "feather",
    "ipc",
]

_KINDS: dict[str, type[Source]] = {
    **dict.fromkeys((".svm", ".svmlight", ".libsvm"), SvmlightFile),
    ".npz": NpzFile,
    ".mtx": MarketFile,
    **dict.fromkeys((".csv", ".tsv", ".txt"), DelimitedTable),
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), JsonTable),
    **dict.fromkeys((".parquet", ".arrow", ".feather", ".ipc"), ArrowTable),
}

FORMATS = tuple(ending.removeprefix(".") for ending in _KINDS)


@shows(Rules)
def scan(
    paths: Paths,
    *,
    labels: Paths | None = None,
    term_names: AnyPath | None = None,
    text: str | int | Sequence[str | int] | None = None,
    label: str | int | Literal[False] | None = None,
    encoding: str | None = None,
    index_base: Literal[0, 1] = 1,
    on_error: Literal["raise", "skip"] = "raise",
    input_format: Format | None = None,
    n_threads: int | None = None,
    max_memory: int | None = None,
    checkpoint: AnyPath | None = None,
    **rules: Unpack[Rules],
) -> Scan:
    r"""Read labelled collections of any size, a chunk of documents at a time.

    Parameters
    ----------
    paths : path, or sequence of paths
        Files and folders to read. Either all files hold matrices, or all files hold texts.
        `termsift.io` lists the kinds of files.
    labels : path, or sequence of paths, optional
        For each ``.npz`` or ``.mtx`` file in ``paths``, a file with one label per line.
    term_names : path, optional
        A file of term names, one per line, in the order of the columns of a matrix. An svmlight
        file may use fewer columns than there are term names.
    text, label : str or int, optional
        The columns of a table, or the keys of JSON objects. By default, the columns are named
        ``"text"`` and ``"label"``. In a table without header, columns are numbered from 1. If
        ``text`` is a list, such as ``["title", "body"]``, the texts of these columns are joined
        with a blank. If ``label=False``, no labels are read, every document gets the label ``""``,
        and a folder holds documents in place of class folders.
    encoding : str, default "utf-8"
        The encoding of texts.
    index_base : {1, 0}
        The index of the first term in svmlight files.
    on_error : {"raise", "skip"}
        "skip" leaves out bad lines of svmlight files, bad rows of tables and bad files of class
        folders. ``Scan.n_skipped`` counts the omissions. Three kinds of errors are always raised: a
        misplaced quote in a table, a broken JSON array, and damaged columns of a Parquet or Arrow
        file.
    input_format : str, optional
        The format of all files, whatever their endings, such as ``"csv"``.
    n_threads : int, optional
        The number of threads that read and parse, as for `termsift.count`.
    max_memory : int, optional
        The approximate number of bytes that counting may take (needs ``min_df``). If all terms
        would take more than ``max_memory``, the files are read twice, and rare terms are skipped.
    checkpoint : path, optional
        A folder that stores the progress of the two passes over the files. Saving the progress
        between files takes at most about a tenth of the time. If the job is killed, the same call
        resumes from the last save. The rules must be the same, and so must the code of functions
        among them. A checkpoint needs ``max_memory``. With a checkpoint, all texts
        are read twice. termsift never deletes the folder.
    **rules
        The rules of :class:`termsift.text.TextRules`: how texts are cut and which terms are kept.
        Rules that drop terms use the counts of all files together. ``min_df`` also applies to
        matrices if their terms have names.

    Returns
    -------
    scan : Scan
        The scan to pass to `termsift.count`.

    Raises
    ------
    FileNotFoundError, ValueError, TypeError, ImportError
        If a file or a package is missing, if a rule or the ending of a name is unknown, or if an
        argument does not suit a file. A file's content is checked when the file is read.

    Notes
    -----
    Memory holds one chunk of 4 MiB of text, or of 16 MiB of a matrix, at a time, and some 100 bytes
    for each distinct word. Only ``.npz`` files, and ``.mtx`` files that are not sorted by row, are
    read as a whole. ``.mtx`` files that are sorted by column are counted in chunks, too.

    Examples
    --------
    >>> import tempfile, termsift as ts
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "fruit.csv")
    ...     _ = path.write_text("label,text\nred,plum cherry cherry\nyellow,lemon\n")
    ...     counts = ts.count(ts.scan(path))
    >>> list(counts.term_names), counts.term_frequency.toarray().tolist()
    (['cherry', 'lemon', 'plum'], [[2, 0, 1], [0, 1, 0]])
    """
    text_rules = rules_of(rules, scan)
    if term_names is not None:
        check_path(term_names, "term_names")
    columns = tuple(text) if isinstance(text, (list, tuple)) else None if text is None else (text,)
    if columns == ():
        raise wrong_value("{text} must name one or several columns")
    for column in (*(columns or ()), *(() if label is None or label is False else (label,))):
        if not (isinstance(column, str) or validation.is_integer(column)):
            error = wrong_type(
                "{text} and {label} must be names or numbers of columns, got {column!r}",
                column=column,
            )
            raise concerning(error, "text" if column in (columns or ()) else "label")
    if not validation.is_integer(index_base) or index_base not in (0, 1):
        raise wrong_value("{index_base} must be 0 or 1, got {given!r}", given=index_base)
    validation.check_choice(on_error, ("raise", "skip"), "on_error")
    given: dict[str, Any] = {"term_names": term_names, "text": text}
    given["label"] = None if label is False else label
    given |= {"encoding": encoding, "max_memory": max_memory, "checkpoint": checkpoint, **rules}
    if checkpoint is not None:
        check_path(checkpoint, "checkpoint")
        if max_memory is None:
            raise excluded(
                "{checkpoint} needs {max_memory}; without it, count and save file by file"
            )
    options = Options(
        rules=text_rules,
        # Every kind of input accepts min_df, because min_df applies to the final counts.
        given=[name for name, value in given.items() if value is not None and name != "min_df"],
        text=columns,
        label=None if label is False else label,
        has_labels=label is not False,
        encoding="utf-8" if encoding is None else encoding,
        term_names=None if term_names is None else Path(term_names),
        names=None if term_names is None else names_in(term_names, "term_names"),
        index_base=index_base,
        input_format=input_format,
        skip=on_error == "skip",
        n_threads=validation.check_n_threads(n_threads),
        max_memory=max_memory,
        checkpoint=None if checkpoint is None else Path(checkpoint),
    )
    check_encoding(options.encoding)
    inputs = _paths(paths, "paths")
    label_files = [None] * len(inputs) if labels is None else _paths(labels, "labels")
    if len(label_files) != len(inputs):
        raise wrong_value(
            "{labels} has {n} files for {n_inputs} inputs",
            n=len(label_files),
            n_inputs=len(inputs),
        )
    pairs = zip(inputs, label_files, strict=True)
    return Scan([_opened(path, file, options) for path, file in pairs], options)


def _paths(given: Paths, name: str) -> list[Path]:
    """Return a list of paths. ``given`` is one path or several paths."""
    is_one = isinstance(given, (str, os.PathLike))
    paths: list[Any] = [given] if is_one else list(validation.check_iterable(given, name, "paths"))
    if not paths:
        raise wrong_value("{name} is empty, expected at least one path", name=named(name))
    for path in paths:
        check_path(path, name)
    return [Path(path) for path in paths]


def _opened(path: Path, labels: Path | None, options: Options) -> Source:
    """Return the `Source` for a path. An option that the `Source` does not support is an error."""
    if path.is_dir():
        return ClassFolder(path, options, labels)
    existing(path, "paths")
    unpacked = path.with_suffix("") if path.suffix.lower() in COMPRESSED else path
    kind = unpacked.suffix.lower()
    if options.input_format is not None:
        kind = "." + validation.check_choice(options.input_format, FORMATS, "input_format")
    if kind not in _KINDS:
        raise wrong_value(
            "{path}: unknown kind of file; the known endings are {known}, and .gz or .zst after "
            "them; if the name has another ending, pass {input_format}",
            path=path,
            known=" ".join(_KINDS),
        )
    return _KINDS[kind](path, options, kind, labels)


class Scan:
    """Labelled files to read: the result of `termsift.scan`, and an input of `termsift.count`."""

    def __init__(self, sources: list[Source], options: Options) -> None:
        self.sources, self.options, self.rules = sources, options, options.rules
        self.has_texts = sources[0].has_texts
        names = [source.name for source in sources[:3]]
        self.description = ", ".join([*names, "..."] if len(sources) > 3 else names)
        if any(source.has_texts != self.has_texts for source in sources):
            raise ValueError(f"{self.description}: expected only texts, or only matrices")
        if not self.has_texts and options.names is None and self.rules.drops:
            text = f"{self.description}: its terms have no names; pass a file of names"
            raise concerning(ValueError(text), "term_names")
        self.labels_are_text = any(source.labels_are_text for source in sources)
        self.n_bytes = sum(source.n_bytes for source in sources)
        self.left_out = Skipped()  # the lines, rows and documents that were left out

    def __repr__(self) -> str:
        kind = "texts" if self.has_texts else "matrices"
        return f"<Scan of {printable(self.description)}: {kind}, {self.n_bytes:,} bytes>"

    @property
    def skipped(self) -> Sequence[str]:
        """The errors in the first few lines, rows or documents that were left out."""
        return self.left_out.complaints

    @property
    def n_skipped(self) -> int:
        """The number of lines, rows or documents that ``on_error="skip"`` left out."""
        return self.left_out.n

    @property
    def files(self) -> list[str] | None:
        """The file of each document of a folder, in the order of their numbers, else None."""
        paths: list[str] | None = None
        if len(self.sources) == 1 and isinstance(self.sources[0], ClassFolder):
            paths = self.sources[0].paths
        return paths


class Scanned(Documents):
    """The documents in the files of a scan, read once.

    A ``checkpoint`` skips files that an earlier run finished, and saves the state of the consumer
    between two files. ``verb`` says in the line of progress what happens to the documents. If
    ``whole``, the consumer keeps all blocks, so a Matrix Market file is better read as one.
    """

    def __init__(
        self,
        scan: Scan,
        verb: str = "read",
        checkpoint: Checkpoint | None = None,
        *,
        whole: bool = False,
    ) -> None:
        super().__init__()
        self._scan, self._verb, self._checkpoint = scan, verb, checkpoint
        self.has_texts = self.one_label_each = scan.has_texts
        self._coder = LabelCoder(None)
        self._consumer: Consumer | None = None
        self._whole = whole

    @property
    def classes(self) -> list[Hashable]:
        return self._coder.classes

    @property
    def ordered(self) -> list[Hashable]:
        return self._coder.ordered

    def feed(self, consumer: Consumer) -> None:
        self._consumer = consumer
        if self._checkpoint is not None:
            self._checkpoint.load(consumer.restore)
        super().feed(consumer)

    def check_read(self, n_docs: float) -> None:
        if not n_docs:
            skipped, why = self._scan.left_out, Message()
            if skipped.n:
                first = skipped.complaints[0]
                why = said("; {skipped} left out, first: {first}", skipped=skipped, first=first)
            source = self._scan.description
            raise wrong_value("{source}: holds no documents{why}", source=source, why=why)

    def _blocks(self) -> Iterator[Block]:
        """Yield the blocks of all files that are not empty, and show progress."""
        scan, checkpoint = self._scan, self._checkpoint
        first = checkpoint.n_done if checkpoint else 0
        scan.left_out = checkpoint.skipped if checkpoint else Skipped()
        bytes_before = sum(source.n_bytes for source in scan.sources[:first])
        with progress(self._verb, scan.n_bytes, "bytes") as report:
            for number, source in enumerate(scan.sources[first:], first + 1):
                source.skipped = scan.left_out
                with closing(self._blocks_of(source)) as blocks:
                    for block in blocks:
                        if report is not None:
                            report(bytes_before + block.n_read)
                        if block.n_docs or isinstance(block.content, Columns):
                            yield self._numbered(block, source)
                        del block  # free the block before the next block is read
                bytes_before += source.n_bytes
                if checkpoint and self._consumer is not None:
                    checkpoint.save(number, scan.left_out, self._consumer.to_bytes)

    def _blocks_of(self, source: Source) -> Generator[Block, None, None]:
        if isinstance(source, Table) and self._consumer is not None:
            counter = self._consumer.table_counter
            if counter is not None:
                return source.counted_by(counter, self.classes)
        if isinstance(source, MarketFile):
            by_column = self._consumer is not None and self._consumer.takes_columns
            # Sums of fractions depend on their order, so columns are not added to other files.
            alone = len(self._scan.sources) == 1
            return source.blocks(whole=self._whole, by_column=by_column, floats=alone)
        return source.blocks()

    def _numbered(self, block: Block, source: Source) -> Block:
        """Return a block whose classes have the same numbers in all files."""
        labels = block.labels
        assert labels is not None
        of_block = labels.classes
        if self._scan.labels_are_text and not source.labels_are_text:
            of_block = list(map(str, of_block))
        numbers = self._coder.codes(of_block)
        codes = numbers[labels.codes]
        if labels.indptr is not None and (np.diff(numbers) < 0).any():
            rows = np.repeat(np.arange(block.n_docs), np.diff(labels.indptr))
            codes = codes[np.lexsort((codes, rows))]
        return block._replace(labels=Labels(self.classes, codes, labels.indptr))


def rereading(read: Callable[[], _Result]) -> _Result:
    """Call ``read`` again if a Matrix Market file proves unsorted, which is then read whole."""
    while True:
        try:
            return read()
        except UnsortedError:
            logger.info("a file is not sorted: reading it again, as a whole")


def job_of(scan: Scan, tf: str) -> dict[str, Any]:
    """Return the files and options on which the counts of texts depend, for a checkpoint."""
    files = [
        (source.name, source.n_bytes, source.path.stat().st_mtime_ns) for source in scan.sources
    ]
    names = ("text", "label", "has_labels", "encoding", "input_format", "skip", "max_memory")
    return {
        "files": files,
        "tf": tf,
        "rules": scan.rules.that_cut.stored,
        "functions": scan.rules.functions,
        "min_df": scan.rules.min_df,
        **{name: getattr(scan.options, name) for name in names},
    }
