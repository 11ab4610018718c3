"""Reading collections of any size, a chunk of documents at a time."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import closing
from copy import copy
from dataclasses import dataclass, field, replace
from importlib import import_module
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, Unpack

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
from termsift.io._dialect import CHECKS as _OF_DIALECTS
from termsift.io._dialect import Dialect
from termsift.io._kinds import COMPRESSED, TABLES_OF_PYARROW, kind_of
from termsift.io._opening import check_encoding, member_name, opened
from termsift.io._source import Options, SameColumns, Skipped, Source, UnsortedError
from termsift.text._blocks import is_frame
from termsift.text._documents import Block, Columns, Consumer, LabelledDocuments, Origin
from termsift.text._rules import Rules, rules_of, shows

if TYPE_CHECKING:
    from termsift.io._checkpoint import Checkpoint

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
    "lines",
]

# The module and the class for each kind of file. A module is imported when it is first used.
_KINDS: dict[str, tuple[str, str]] = {
    **dict.fromkeys((".svm", ".svmlight", ".libsvm"), ("_matrices", "SvmlightFile")),
    ".npz": ("_matrices", "NpzFile"),
    ".mtx": ("_matrices", "MarketFile"),
    **dict.fromkeys((".csv", ".tsv", ".txt"), ("_tables", "DelimitedTable")),
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), ("_tables", "JsonTable")),
    **dict.fromkeys(TABLES_OF_PYARROW, ("_tables", "ArrowTable")),
}

_MAGIC = {*"*?["}  # A path with such a character may be a pattern.
_LINES = "lines"  # a format that no ending tells
FORMATS = *(ending.removeprefix(".") for ending in _KINDS), _LINES


def _check_columns(columns: Any, name: str) -> None:
    several = columns if isinstance(columns, (list, tuple)) and name == "text" else [columns]
    if not several:
        raise wrong_value("{text} must name one or several columns")
    for column in several:
        if not (isinstance(column, str) or validation.is_integer(column)):
            error = wrong_type(
                "{text} and {label} must be names or numbers of columns, got {column!r}",
                column=column,
            )
            raise concerning(error, name)


def _check_index_base(base: Any, name: str) -> None:
    if not validation.is_integer(base) or base not in (0, 1):
        raise wrong_value("{name} must be 0 or 1, got {base!r}", name=named(name), base=base)


# The check of each option of `scan` by itself, if it is given.
_CHECKS: dict[str, Callable[[Any, str], Any]] = {
    "term_names": check_path,
    "text": _check_columns,
    "label": lambda column, name: None if column is False else _check_columns(column, name),
    "encoding": lambda encoding, name: check_encoding(encoding),
    **_OF_DIALECTS,
    "index_base": _check_index_base,
    "on_error": lambda what, name: validation.check_choice(what, ("raise", "skip"), name),
    "input_format": lambda ending, name: validation.check_choice(ending, FORMATS, name),
    "n_threads": lambda n, name: validation.check_n_threads(n),
    "checkpoint": check_path,
}


@shows(Rules)
def scan(
    paths: Paths,
    *,
    labels: Paths | None = None,
    term_names: AnyPath | None = None,
    text: str | int | Sequence[str | int] | None = None,
    label: str | int | Literal[False] | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    escape: str | None = None,
    header: bool | None = None,
    skip_lines: int = 0,
    comment: str | None = None,
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
        Files and folders to read, and patterns such as ``"data/*.csv"``, whose files are read in
        order of their names. Either all files hold matrices, or all files hold texts. `termsift.io`
        lists the kinds of files and folders.
    labels : path, or sequence of paths, optional
        For each ``.npz``, ``.mtx`` or ``.txt`` file in ``paths``, a file with one label per line.
        With labels, each line of a ``.txt`` file is a document.
    term_names : path, optional
        A file of term names, one per line, in the order of the columns of a matrix. An svmlight
        file may use fewer columns than there are term names.
    text, label : str or int, optional
        The columns of a table, or the keys of JSON objects. By default, the columns are named
        ``"text"`` and ``"label"``. The columns of a delimited table may also be numbered from 1. If
        ``text`` is a list, such as ``["title", "body"]``, the texts of these columns are joined
        with a blank. If ``label=False``, no labels are read, every document gets the label ``""``,
        and a folder holds documents in place of class folders.
    encoding : str, default "utf-8"
        The encoding of texts, of svmlight files, and of the files of labels and of names.
    delimiter : str, optional
        The character between the fields of a ``.csv``, ``.tsv`` or ``.txt`` file. By default, it is
        the one among comma, semicolon, tab and vertical bar that splits the header into the columns
        or, if columns are numbers, the first rows into equally many fields. A first line such as
        ``sep=;`` names it, too.
    quote : str, optional
        The character that quotes fields. By default, it is ``'"'``, and the fields of ``.txt``
        files are never quoted. With ``quote=""``, quotes are part of the text in every table.
    escape : str, optional
        A character, such as a backslash, that makes the next character part of the text.
    header : bool, optional
        Whether the first row names the columns. By default, it does if a column is named, and does
        not if all columns are numbers.
    skip_lines : int, default 0
        The number of lines to skip before the table begins.
    comment : str, optional
        A character, such as ``"#"``. Lines that begin with it are left out.
    index_base : {1, 0}
        The index of the first term in svmlight files.
    on_error : {"raise", "skip"}
        "skip" leaves out bad lines of svmlight files, bad rows of tables and bad files of class
        folders. ``Scan.n_skipped`` counts the omissions. Four kinds of errors are always raised: a
        misplaced quote in a table, a broken JSON array, damaged columns of a Parquet or Arrow file,
        and bad entries of a ``.mtx`` file.
    input_format : str, optional
        The format of all files, whatever their endings, such as ``"csv"``. With ``"lines"``, each
        line of a text file is a document, whose class is the name of the file without its ending.
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
    for each distinct word. Only ``.npz`` files, and ``.mtx`` files that are symmetric or not sorted
    by row, are read as a whole. Those that are sorted by column are counted in chunks, too.

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
    arguments = locals()
    text_rules = rules_of(rules, scan)
    for name, check in _CHECKS.items():
        if arguments[name] is not None:
            check(arguments[name], name)
    columns = tuple(text) if isinstance(text, (list, tuple)) else None if text is None else (text,)
    dialect = Dialect(**{name: arguments[name] for name in _OF_DIALECTS})
    given: dict[str, Any] = {"term_names": term_names, "text": text}
    given["label"] = None if label is False else label
    # Files of names and labels have an encoding, even if the matrix beside them holds no words.
    given["encoding"] = encoding if term_names is None and labels is None else None
    given |= {"max_memory": max_memory, "checkpoint": checkpoint, **rules, **dialect.given}
    if checkpoint is not None and max_memory is None:
        raise excluded("{checkpoint} needs {max_memory}; without it, count and save file by file")
    encoding = "utf-8" if encoding is None else encoding
    names = None
    if term_names is not None:
        from termsift.io._matrices import names_in

        names = names_in(term_names, "term_names", encoding)
    options = Options(
        rules=text_rules,
        # Every kind of input accepts min_df, because min_df applies to the final counts.
        given=[name for name, value in given.items() if value is not None and name != "min_df"],
        text=columns,
        label=None if label is False else label,
        has_labels=label is not False,
        encoding=encoding,
        dialect=dialect,
        term_names=None if term_names is None else Path(term_names),
        names=names,
        index_base=index_base,
        input_format=input_format,
        skip=on_error == "skip",
        n_threads=validation.check_n_threads(n_threads),
        max_memory=max_memory,
        checkpoint=None if checkpoint is None else Path(checkpoint),
    )
    inputs = _expanded(_paths(paths, "paths"), options)
    label_files = [None] * len(inputs) if labels is None else _paths(labels, "labels")
    if len(label_files) != len(inputs):
        raise wrong_value(
            "{labels} has {files} for {inputs}",
            files=validation.number_of(len(label_files), "file"),
            inputs=validation.number_of(len(inputs), "input"),
        )
    pairs = zip(inputs, label_files, strict=True)
    sources = [_opened(path, file, of_path) for (path, of_path), file in pairs]
    return Scan([source for several in sources for source in several], options)


def _paths(given: Paths, name: str) -> list[Path]:
    """Return a list of paths. ``given`` is one path or several paths."""
    if is_frame(given):
        raise wrong_type(
            "{name} is {kind}, expected paths: count the texts of a frame with "
            "termsift.count_texts(frame, text=..., label=...)",
            name=named(name),
            kind=validation.a_kind(given),
        )
    is_one = isinstance(given, (str, os.PathLike))
    paths: list[Any] = [given] if is_one else list(validation.check_iterable(given, name, "paths"))
    if not paths:
        raise wrong_value("{name} is empty, expected at least one path", name=named(name))
    for path in paths:
        check_path(path, name)
    return [Path(path) for path in paths]


def _expanded(paths: list[Path], options: Options) -> list[tuple[Path, Options]]:
    """Return each path with its options. A pattern such as data/*.csv becomes its matches."""
    inputs = list[tuple[Path, Options]]()
    if any(map(_MAGIC.intersection, map(os.fspath, paths))):
        from termsift.io._parts import matches
    else:
        return [(path, options) for path in paths]
    for path in paths:
        if (found := matches(path)) is None:
            inputs.append((path, options))
        else:
            of_pattern = replace(options, alike=SameColumns())
            inputs += [(each, of_pattern) for each in found]
    return inputs


def _opened(path: Path, labels: Path | None, options: Options) -> list[Source]:
    """Return the sources of a path. An option that a `Source` does not support is an error."""
    if path.is_dir():
        from termsift.io._class_folder import ClassFolder
        from termsift.io._parts import part_files

        parts = part_files(path, options, _KINDS)
        if parts is None:
            return [ClassFolder(path, options, labels)]
        if labels is not None:
            raise wrong_value(
                "{path}: a folder of files has no single file of {labels}; pass the files, each "
                "with its own",
                path=path,
            )
        of_parts = options if options.alike else replace(options, alike=SameColumns())
        return [source for part in parts for source in _opened(part, None, of_parts)]
    existing(path, "paths")
    kind = kind_of(path)
    if options.input_format is not None:
        kind = "." + options.input_format
    elif path.suffix.lower() == ".zip" and kind not in _KINDS:
        kind = kind_of(Path(member_name(path) or path))
    if kind == f".{_LINES}" or (kind == ".txt" and labels is not None):
        from termsift.io._lines import Lines

        return [Lines(path, options, kind, labels)]
    if kind not in _KINDS:
        with opened(path):  # content that is no text tells what it is
            pass
        raise wrong_value(
            "{path}: unknown kind of file; the known endings are {known}, and {packed} or .zip "
            "after them; if the name has another ending, pass {cure}",
            path=path,
            cure=said(
                "{input_format}, such as {lines} if each line is a document",
                lines=said("{input_format='lines'}"),
            ),
            known=" ".join(_KINDS),
            packed=" ".join(COMPRESSED),
        )
    module, name = _KINDS[kind]
    source: type[Source] = getattr(import_module(f"termsift.io.{module}"), name)
    return [source(path, options, kind, labels)]


@dataclass
class _Reading:
    """What is known of the files that were read, or so far of the files that are being read."""

    sources: list[Source]
    left_out: Skipped = field(default_factory=Skipped)  # the omitted lines, rows and documents
    firsts: list[tuple[int, Source]] = field(default_factory=list)  # the first number of each
    n_rows: int = 0  # the number of documents so far, with those that were left out
    n_empty: int = 0  # the number of texts without a character


class Scan:
    """Labelled files to read: the result of `termsift.scan`, and an input of `termsift.count`."""

    def __init__(self, sources: list[Source], options: Options) -> None:
        self.reading = _Reading(sources)  # the one that began last
        self.options, self.rules = options, options.rules
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

    def __repr__(self) -> str:
        kind = "texts" if self.has_texts else "matrices"
        return f"<Scan of {printable(self.description)}: {kind}, {self.n_bytes:,} bytes>"

    @property
    def sources(self) -> list[Source]:
        """The files and folders."""
        return self.reading.sources

    @property
    def left_out(self) -> Skipped:
        """The lines, rows and documents that were left out."""
        return self.reading.left_out

    @property
    def n_empty(self) -> int:
        """The number of texts without a character."""
        return self.reading.n_empty

    @property
    def skipped(self) -> Sequence[str]:
        """The errors in the first few lines, rows or documents that were left out."""
        return self.left_out.complaints

    @property
    def n_skipped(self) -> int:
        """The number of lines, rows or documents that ``on_error="skip"`` left out."""
        return self.left_out.n

    def places(self, documents: Iterable[int]) -> list[str] | None:
        """Return the places of documents that were read, by their numbers in the scan.

        The places are files of a folder, or rows of several files. A single file has no places,
        because the number of a document is that of its row.
        """
        reading = self.reading
        if len(reading.sources) == 1 and not reading.sources[0].is_folder:
            return None
        places = []
        for document in documents:
            if not 0 <= document < reading.n_rows:
                raise wrong_value(
                    "{documents} has {document}, but the scan has read {n}",
                    document=document,
                    n=validation.number_of(reading.n_rows, "document"),
                )
            after = bisect_right(reading.firsts, document, key=itemgetter(0))
            first, source = reading.firsts[after - 1]
            places.append(source.place(document - first))
        return places

    @property
    def understood(self) -> Sequence[str]:
        """How each table or matrix was understood that was read, such as its header and columns."""
        sources = self.sources
        is_one = len(sources) == 1
        of_each = [(source.name, source.understood) for source in sources]
        return [what if is_one else f"{name}: {what}" for name, what in of_each if what]


class _Numbered(Origin):
    """What documents come from, if the numbers of its documents begin with ``first``."""

    def __init__(self, origin: Origin, first: int) -> None:
        self.name, self._origin, self._first = origin.name, origin, first

    def place(self, row: int) -> str:
        return self._origin.place(row - self._first)


class Scanned(LabelledDocuments):
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
        self._reading = scan.reading
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
            skipped, why = self._reading.left_out, Message()
            if skipped.n:
                first = skipped.complaints[0]
                why = said("; {skipped} left out, first: {first}", skipped=skipped, first=first)
            source = self._scan.description
            raise wrong_value("{source}: holds no documents{why}", source=source, why=why)

    def _blocks(self) -> Iterator[Block]:
        """Yield the blocks of all files that are not empty, and show progress."""
        scan, checkpoint = self._scan, self._checkpoint
        first = checkpoint.n_done if checkpoint else 0
        # Another thread may read the scan at the same time, so each reading has its own sources.
        reading = _Reading([copy(source) for source in scan.sources])
        if checkpoint:
            reading.left_out = checkpoint.skipped
        scan.reading = self._reading = reading
        bytes_before = sum(source.n_bytes for source in reading.sources[:first])
        with progress(self._verb, scan.n_bytes, "bytes") as report:
            for number, source in enumerate(reading.sources[first:], first + 1):
                source.skipped = reading.left_out
                n_before, n_docs = reading.n_rows, 0
                n_skipped = reading.left_out.n
                reading.firsts.append((n_before, source))
                alone = len(reading.sources) == 1
                of_source = source.blocks_for(
                    self._consumer, self.classes, whole=self._whole, alone=alone
                )
                with closing(of_source) as blocks:
                    for block in blocks:
                        if report is not None:
                            report(bytes_before + block.n_read)
                        reading.n_empty += block.n_empty
                        if block.n_docs:
                            n_docs += block.n_docs
                            last = n_before + int(block.rows[-1])
                            reading.n_rows = max(reading.n_rows, last + 1)
                        if block.n_docs or isinstance(block.content, Columns):
                            yield self._numbered(block, source, n_before)
                        del block  # free the block before the next block is read
                # The last rows of a file may have been left out, and have numbers too.
                n_documents = n_docs + reading.left_out.n - n_skipped
                reading.n_rows = max(reading.n_rows, n_before + n_documents)
                bytes_before += source.n_bytes
                if checkpoint and self._consumer is not None:
                    checkpoint.save(number, reading.left_out, self._consumer.to_bytes)

    def _numbered(self, block: Block, source: Source, first: int) -> Block:
        """Return a block whose classes and documents have numbers in all files together."""
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
        block = block._replace(labels=Labels(self._coder.listed, codes, labels.indptr))
        if not first:
            return block
        rows = np.array(block.rows, dtype=np.int64) + first
        return block._replace(rows=rows, origin=_Numbered(block.origin, first))


def rereading(read: Callable[[], _Result]) -> _Result:
    """Call ``read`` again if a Matrix Market file proves unsorted, which is then read whole."""
    while True:
        try:
            return read()
        except UnsortedError:
            logger.info("a file is not sorted: reading it again, as a whole")


def job_of(scan: Scan, tf: str) -> dict[str, Any]:
    """Return the files and options on which the counts of texts depend, for a checkpoint."""
    files = [(*source.named, source.n_bytes, source.changed_ns) for source in scan.sources]
    names = ("text", "label", "has_labels", "encoding", "input_format", "skip", "max_memory")
    return {
        "files": files,
        "tf": tf,
        "rules": scan.rules.that_cut.stored,
        "functions": scan.rules.functions,
        "min_df": scan.rules.min_df,
        **{name: getattr(scan.options, name) for name in names},
        **vars(scan.options.dialect),
    }
