"""Reading labelled collections from files.

The ending of a file's name says how it is read; ``.gz`` may follow where the table says so.

========================================  ==========================================  =====
ending                                    content                                     .gz
========================================  ==========================================  =====
``.svm`` ``.svmlight`` ``.libsvm``        ``label index:count ...`` a line            yes
``.npz``                                  a matrix by ``scipy.sparse.save_npz``       no
``.mtx``                                  Matrix Market                               yes
``.csv`` ``.tsv``                         a table with quoting: a text and a label    yes
``.txt``                                  ``label<TAB>text`` a line, never quoted     yes
``.jsonl`` ``.ndjson``                    a JSON object a line: a text and a label    yes
========================================  ==========================================  =====

**Matrices** have a row a document and a column a term. ``.npz`` and ``.mtx`` need a file of labels;
svmlight files bring their own (``1,3 5:2`` gives a document two labels). Indices of an svmlight
file count from 0 if index 0 occurs anywhere in it, and from 1 otherwise, which is what the format
asks for: the lowest possible index becomes column 0, the first name of a file of terms.

Where the table says .gz, .zst is read as well, with the extra ``termsift[zstd]``.

**Tables** name their columns in a header, and ``text`` and ``label`` pick two of them. Given as
numbers, they count columns from 1 and say that the file has no header; that is the default of
``.txt`` (label 1, text 2). Words are cut as by the defaults of scikit-learn's ``CountVectorizer``:
lower case, two or more letters, digits or underscores.

Files are UTF-8. Labels that are all whole numbers become integers. Whatever is wrong with a file is
told in one line with its name and, where there is one, the number of the line.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
import zipfile
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias, cast

import numpy as np
from scipy import io as scipy_io
from scipy import sparse

from termsift import svmlight
from termsift._compression import COMPRESSED, opened
from termsift._extras import MissingExtraError

if TYPE_CHECKING:
    import os

    import numpy.typing as npt

_WORD = re.compile(r"\b\w\w+\b")  # CountVectorizer's token_pattern
_WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")  # as str(int) writes it; fits 64 bits
_LONGEST_FIELD = 2**31 - 1  # of a table, in characters; a C long on every platform

# A generator that is left half-way keeps its file open until it is closed: hence `closing`.
Pairs: TypeAlias = Generator[tuple[str, Any], None, None]
# Told of a row that is not as expected: raises, or has it left out by returning.
Complain: TypeAlias = Callable[[str], None]
_NEVER_COMPRESSED = (".npz",)

__all__ = [
    "Collection",
    "MissingExtraError",
    "count_words",
    "read_collection",
    "read_names",
    "read_split",
]


def _refuse_row(complaint: str) -> None:
    raise ValueError(complaint) from None


@dataclass(frozen=True, eq=False)
class Collection:
    """A labelled collection: what :func:`termsift.count` needs, and where it came from.

    Attributes
    ----------
    X : csr_array of shape (n_docs, n_terms)
        Occurrences of each term in each document.
    y : ndarray of shape (n_docs,), or csr_array of shape (n_docs, n_classes)
        A label a document, or an indicator of its labels where documents may have several.
    term_names : ndarray of str of shape (n_terms,), or None
        Names of the terms, where known.
    source : str
        Where the collection came from, in words.
    classes : list or None
        The labels that the columns of an indicator ``y`` stand for; None for a plain ``y``.
    """

    X: sparse.csr_array
    y: npt.NDArray[Any] | sparse.csr_array
    term_names: npt.NDArray[np.object_] | None
    source: str
    classes: list[Any] | None = None


def read_collection(
    path: str | os.PathLike[str],
    *,
    labels: str | os.PathLike[str] | None = None,
    terms: str | os.PathLike[str] | None = None,
    text: str | int | None = None,
    label: str | int | None = None,
) -> Collection:
    r"""Read a labelled collection; the ending of the name says how (see the table above).

    Parameters
    ----------
    path : path
        The file to read.
    labels : path, optional
        File with one label a line, or an array saved as ``.npy``. Needed for ``.npz`` and ``.mtx``;
        replaces the labels of an svmlight file; not for tables.
    terms : path, optional
        File with the name of one term a line, in the order of the columns. Not for tables, whose
        terms are their own words. A svmlight file may use fewer columns than there are names.
    text, label : str or int, optional
        The columns of a table: names (``"text"`` and ``"label"`` by default), or numbers from 1 for
        a table without header. For JSON lines, the keys.

    Returns
    -------
    collection : Collection

    Raises
    ------
    FileNotFoundError
        If a file does not exist.
    ValueError
        If a file is not what its name or the arguments say; one line, with the file and its line.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "fruit.csv")
    ...     _ = path.write_text("label,text\nred,cherry cherry plum\nyellow,lemon\n")
    ...     collection = read_collection(path)
    >>> collection.X.toarray()
    array([[2, 0, 1],
           [0, 1, 0]])
    >>> list(collection.term_names), list(collection.y)
    (['cherry', 'lemon', 'plum'], ['red', 'yellow'])
    """
    return _read(_existing(path), labels, terms, text, label)


def read_split(
    train: str | os.PathLike[str],
    test: str | os.PathLike[str],
    *,
    labels: str | os.PathLike[str] | None = None,
    test_labels: str | os.PathLike[str] | None = None,
    terms: str | os.PathLike[str] | None = None,
    text: str | int | None = None,
    label: str | int | None = None,
) -> tuple[Collection, Collection]:
    r"""Read documents to learn from and documents to be tested on, in the same columns.

    The columns are those of ``train``: what else ``test`` holds, words of a table or indices of an
    svmlight file, is left out. Two svmlight files count from 0 if either does. Labels are whole
    numbers if those of both files are.

    Parameters
    ----------
    train, test : path
        Two tables or two matrices.
    labels, test_labels : path, optional
        The labels of either, as for `read_collection`.
    terms, text, label
        Of both, as for `read_collection`.

    Returns
    -------
    train, test : Collection

    Raises
    ------
    FileNotFoundError, ValueError
        As for `read_collection`, and if the files have no words or no labels in common.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     train, test = Path(folder, "train.csv"), Path(folder, "test.csv")
    ...     _ = train.write_text("label,text\nred,cherry cherry plum\nyellow,lemon\n")
    ...     _ = test.write_text("label,text\nyellow,lemon lemon banana\n")
    ...     train, test = read_split(train, test)
    >>> test.X.toarray(), list(test.term_names)
    (array([[0, 2, 0]]), ['cherry', 'lemon', 'plum'])
    """
    first, second = _existing(train), _existing(test)
    endings = _ending(first), _ending(second)
    from_zero = all(ending in _SVMLIGHT for ending in endings) and (
        _has_index_zero(first) or _has_index_zero(second)
    )
    known = _read(first, labels, terms, text, label, from_zero=from_zero)
    new = _read(second, test_labels, terms, text, label, from_zero=from_zero)
    if (endings[0] in _TABLES) != (endings[1] in _TABLES):
        raise ValueError(f"{first} and {second}: expected two tables or two matrices")
    if endings[1] in _TABLES:
        new = _in_words_of(known, new)
    elif endings[1] in _SVMLIGHT:  # which does not say how many columns it has
        n_docs, n_columns = new.X.shape[0], known.X.shape[1]
        X = new.X[:, :n_columns]
        X = sparse.csr_array((X.data, X.indices, X.indptr), shape=(n_docs, n_columns))
        new = replace(new, X=X, term_names=known.term_names)
    elif new.X.shape[1] != known.X.shape[1]:
        raise ValueError(
            f"{second}: has {new.X.shape[1]} columns, expected the {known.X.shape[1]} of {first}"
        )
    return _with_like_labels(known, new)


def _read(
    path: Path,
    labels: str | os.PathLike[str] | None,
    terms: str | os.PathLike[str] | None,
    text: str | int | None,
    label: str | int | None,
    *,
    from_zero: bool = False,
) -> Collection:
    """Read one collection; ``from_zero``: svmlight indices count from 0 whatever they are."""
    ending = _ending(path)
    if ending in _TABLES:
        _refuse(path, "a table has its own labels and terms", labels=labels, terms=terms)
        collection = _from_pairs(path, _TABLES[ending](path, text, label))
    elif ending in _MATRICES:
        _refuse(path, "a matrix has no columns of text and labels", text=text, label=label)
        reader = partial(_read_svmlight, from_zero=True) if from_zero else _MATRICES[ending]
        collection = reader(path, labels)
        if terms is not None:
            collection = _with_names(collection, terms, widen=ending in _SVMLIGHT)
    else:
        known = " ".join([*_MATRICES, *_TABLES])
        raise ValueError(f"{path}: unknown kind of file; the known endings are {known}")
    if collection.X.shape[0] == 0:
        raise ValueError(f"{path}: holds no documents")
    return collection


def read_names(path: str | os.PathLike[str]) -> npt.NDArray[np.object_]:
    """Read a file with the name of one term a line.

    Parameters
    ----------
    path : path
        The file, plain or ``.gz``, in UTF-8. Names keep their blanks; none may be empty.

    Returns
    -------
    names : ndarray of str of shape (n_terms,)
    """
    return _object_array(_one_a_line(_existing(path), "a term"))


def count_words(
    documents: Iterable[Iterable[str]],
) -> tuple[sparse.csr_array, npt.NDArray[np.object_]]:
    """Count the words of each document.

    Parameters
    ----------
    documents : iterable of iterables of str
        The words of each document; read once, one document at a time.

    Returns
    -------
    X : csr_array of shape (n_docs, n_terms), int64
        Occurrences, with sorted column indices.
    names : ndarray of str of shape (n_terms,)
        The words, sorted: the names of the columns.

    Examples
    --------
    >>> X, names = count_words([["b", "a", "b"], [], ["c"]])
    >>> X.toarray()
    array([[1, 2, 0],
           [0, 0, 0],
           [0, 0, 1]])
    >>> list(names)
    ['a', 'b', 'c']
    """
    seen: dict[str, int] = {}
    rows = GrowingRows(seen)
    for words in documents:
        rows.add(words)
    words_sorted = sorted(seen)
    column_of = np.empty(len(seen), dtype=np.int64)
    column_of[[seen[word] for word in words_sorted]] = np.arange(len(seen))
    X = rows.matrix()
    X = sparse.csr_array((X.data, column_of[X.indices], X.indptr), shape=X.shape)
    X.sort_indices()
    return X, _object_array(words_sorted)


def words_of(text: str) -> list[str]:
    """Cut a text into its words, in lower case."""
    return _WORD.findall(text.lower())


class GrowingRows:
    """Documents counted into the columns of words as they first appear, in ``seen``."""

    def __init__(self, seen: dict[str, int]) -> None:
        self._seen = seen
        self._columns, self._occurrences = array("q"), array("q")
        self._row_ends = array("q", [0])

    @property
    def n_entries(self) -> int:
        """How many words of documents were counted, each once a document."""
        return len(self._columns)

    def add(self, words: Iterable[str]) -> None:
        """Count the words of one more document."""
        seen, columns, occurrences = self._seen, self._columns, self._occurrences
        for word, times in Counter(words).items():
            columns.append(seen.setdefault(word, len(seen)))
            occurrences.append(times)
        self._row_ends.append(len(columns))

    def matrix(self) -> sparse.csr_array:
        """Give the documents, with unsorted column indices."""
        parts = self._occurrences, self._columns, self._row_ends
        data, indices, indptr = (np.array(part, dtype=np.int64) for part in parts)
        shape = len(self._row_ends) - 1, len(self._seen)
        return sparse.csr_array((data, indices, indptr), shape=shape)


# ------------------------------------------------------------------------------------- matrices


def _read_npz(path: Path, labels: str | os.PathLike[str] | None) -> Collection:
    with _damage_told(path), _open(path) as file:  # numpy leaves a broken archive open
        try:
            X = sparse.load_npz(file)
        # What scipy raises on archives of other content, by what is missing or of another kind.
        except (ValueError, KeyError, TypeError, AttributeError, NotImplementedError):
            raise ValueError(
                f"{path}: expected a sparse matrix saved by scipy.sparse.save_npz"
            ) from None
    if hasattr(X, "check_format"):
        try:
            X.check_format(full_check=True)  # conversion to CSR trusts the indices blindly
        except ValueError as exc:
            raise ValueError(f"{path}: {exc}") from None
    return _with_labels(path, X, labels)


def _read_matrix_market(path: Path, labels: str | os.PathLike[str] | None) -> Collection:
    with _damage_told(path), _open(path) as file:
        try:
            X = scipy_io.mmread(file)
        except (ValueError, OverflowError) as exc:
            raise ValueError(f"{path}: expected a Matrix Market file: {exc}") from None
    return _with_labels(path, X, labels)


def _read_svmlight(
    path: Path, labels: str | os.PathLike[str] | None, *, from_zero: bool = False
) -> Collection:
    # Lines may do without labels where another file has them.
    with closing(_svmlight_blocks(path, multilabel=None if labels is None else True)) as blocks:
        parts = [
            (
                np.diff(block.indptr),
                block.indices.astype(np.int32),
                block.data,
                np.diff(cast("Any", block.label_indptr)),
                block.labels,
            )
            for block in blocks
        ]
    lengths, columns, data, n_labels, own_labels = map(
        np.concatenate, zip(_NO_DOCUMENTS, *parts, strict=True)
    )
    del parts
    n_columns = int(columns.max(initial=-1)) + 1
    if not from_zero and columns.min(initial=1) > 0:
        columns -= 1
        n_columns = max(n_columns - 1, 0)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    X = sparse.csr_array((data, columns, indptr), shape=(len(lengths), n_columns))
    if labels is not None:
        return _with_labels(path, X, labels)
    y = _integers_if_exact(own_labels)
    if (n_labels == 1).all():
        return Collection(X, y, None, str(path))
    indicator, classes = _indicator(y, n_labels)
    return Collection(X, indicator, None, str(path), classes)


def _svmlight_blocks(
    path: Path, *, multilabel: bool | None = None
) -> Generator[svmlight.Block, None, None]:
    with _damage_told(path), _open(path) as file:
        yield from svmlight.read_blocks(file, str(path), multilabel=multilabel)


def _has_index_zero(path: Path) -> bool:
    with closing(_svmlight_blocks(path, multilabel=True)) as blocks:
        return any(bool((block.indices == 0).any()) for block in blocks)


def _indicator(
    labels: npt.NDArray[Any], n_labels: npt.NDArray[np.int64]
) -> tuple[sparse.csr_array, list[Any]]:
    """Give the indicator of documents x classes, and the classes, sorted."""
    classes, columns = np.unique(labels, return_inverse=True)
    rows = np.repeat(np.arange(len(n_labels)), n_labels)
    ones = np.ones(len(rows), dtype=np.int8)
    indicator = sparse.csr_array((ones, (rows, columns)), shape=(len(n_labels), len(classes)))
    indicator.data[:] = 1  # a label written twice is one label
    return indicator, classes.tolist()


def _with_labels(path: Path, X: Any, labels: str | os.PathLike[str] | None) -> Collection:
    """Join a matrix and its file of labels."""
    if labels is None:
        raise ValueError(f"{path}: has no labels of its own; give a file with one label a line")
    if X.ndim != 2:
        raise ValueError(f"{path}: expected a matrix of two dimensions, found {X.ndim}")
    y = _read_labels(_existing(labels))
    if y.shape[0] != X.shape[0]:
        raise ValueError(f"{labels}: {y.shape[0]} labels for the {X.shape[0]} documents of {path}")
    return Collection(sparse.csr_array(X), y, None, str(path))


def _read_labels(path: Path, *, as_written: bool = False) -> npt.NDArray[Any]:
    """Read a file of labels; ``as_written``: of text, as strings even if all are numbers."""
    if path.suffix.lower() != ".npy":
        lines = _one_a_line(path, "a label")
        return _object_array(lines) if as_written else _labels_array(lines)
    with _damage_told(path), open(path, "rb") as file:
        try:
            y = np.load(file, allow_pickle=False)
        except ValueError:
            raise ValueError(f"{path}: expected an array of labels saved by numpy.save") from None
    if y.ndim not in (1, 2):
        raise ValueError(f"{path}: expected labels or an indicator matrix, found {y.ndim}-d")
    return _integers_if_exact(y)


def _with_names(
    collection: Collection, terms: str | os.PathLike[str], *, widen: bool
) -> Collection:
    """Name the columns; ``widen`` the matrix to them, if it may have lost its last columns."""
    names = read_names(terms)
    X = collection.X
    if widen and X.shape[1] < len(names):
        X = sparse.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], len(names)))
    if X.shape[1] != len(names):
        source = collection.source
        raise ValueError(f"{terms}: {len(names)} names for the {X.shape[1]} terms of {source}")
    return replace(collection, X=X, term_names=names)


# --------------------------------------------------------------------------------------- splits


def _in_words_of(known: Collection, new: Collection) -> Collection:
    """Give the new documents in the columns of the known words, without all other words."""
    names, new_names = cast("Any", known.term_names), cast("Any", new.term_names)
    _, columns, own = np.intersect1d(names, new_names, assume_unique=True, return_indices=True)
    if not len(own):
        raise ValueError(f"{new.source}: has no word of {known.source}")
    X = new.X[:, own]
    shape = X.shape[0], known.X.shape[1]
    X = sparse.csr_array((X.data, columns[X.indices], X.indptr), shape=shape)
    return replace(new, X=X, term_names=known.term_names)


def _with_like_labels(known: Collection, new: Collection) -> tuple[Collection, Collection]:
    """Give labels that are numbers in one file and words in the other as words in both."""
    y_known, y_new = cast("Any", known.y), cast("Any", new.y)
    if y_known.ndim != 1 or y_new.ndim != 1:  # several labels a document: not ours to judge
        return known, new
    if (y_known.dtype.kind in "OU") != (y_new.dtype.kind in "OU"):
        y_known, y_new = (_object_array(list(map(str, y.tolist()))) for y in (y_known, y_new))
    if not set(y_known.tolist()) & set(y_new.tolist()):
        raise ValueError(f"{new.source}: has no label of {known.source}")
    return replace(known, y=y_known), replace(new, y=y_new)


# --------------------------------------------------------------------------------------- tables


class _RawTabs(csv.excel_tab):
    """Tabs between fields, and nothing else means anything."""

    quoting = csv.QUOTE_NONE


def _from_pairs(path: Path, pairs: Pairs) -> Collection:
    """Count the words of (text, label) pairs, one document at a time."""
    labels: list[Any] = []

    def documents() -> Iterator[list[str]]:
        for text, label in pairs:
            labels.append(label)
            yield words_of(text)

    with closing(pairs):
        X, names = count_words(documents())
    if labels and not len(names):
        raise ValueError(f"{path}: no text has a word of two or more letters")
    return Collection(X, _labels_array(labels), names, str(path))


def _delimited(
    path: Path,
    text: str | int | None,
    label: str | int | None,
    *,
    dialect: type[csv.Dialect],
    default: tuple[str | int, str | int],
    content: BinaryIO | None = None,
    complain: Complain = _refuse_row,
) -> Pairs:
    """Yield the (text, label) pairs of a table of delimited fields."""
    columns = _column(text, default[0]), _column(label, default[1])
    with closing(_rows(path, dialect, content, complain)) as rows:
        top, first = next(rows, (1, []))
        if not first:
            return
        text_at, label_at = _positions(f"{path}, line {top}", columns, first)
        has_header = not isinstance(columns[0], int)
        for begins, fields in rows if has_header else chain([(top, first)], rows):
            if len(fields) != len(first):
                complain(
                    f"{path}, line {begins}: expected {len(first)} fields, found {len(fields)}"
                )
            elif not fields[label_at]:
                complain(f"{path}, line {begins}: the label is empty")
            else:
                yield fields[text_at], fields[label_at]


def _rows(
    path: Path,
    dialect: type[csv.Dialect],
    content: BinaryIO | None = None,
    complain: Complain = _refuse_row,
) -> Generator[tuple[int, list[str]], None, None]:
    """Yield the rows that are not blank, each with the number of the line that it begins on."""
    # A document is longer than csv's 128 KB sooner or later. The limit is the whole process's:
    # it is put back.
    usual = csv.field_size_limit(_LONGEST_FIELD)
    begins = 1
    try:
        with closing(_lines(path, content, complain)) as lines:
            reader = csv.reader(lines, dialect, strict=True)
            while True:
                try:
                    fields = next(reader, None)
                except csv.Error as exc:
                    complain(f"{path}, line {begins}: {exc}")
                    fields = []
                if fields is None:
                    break
                if fields:
                    yield begins, fields
                begins = reader.line_num + 1
    finally:
        csv.field_size_limit(usual)


def _column(given: str | int | None, usual: str | int) -> str | int:
    """Tell a column's number from its name."""
    column = usual if given is None else given
    return int(column) if isinstance(column, str) and column.isdecimal() else column


def _positions(where: str, columns: Sequence[str | int], first: list[str]) -> list[int]:
    """Find the columns in the first row: a header of names, unless they are given by number."""
    if len({isinstance(column, int) for column in columns}) > 1:
        both = " and ".join(repr(column) for column in columns)
        raise ValueError(f"text and label are two names of columns or two numbers, not {both}")
    return [
        _numbered(where, column, first) if isinstance(column, int) else _named(where, column, first)
        for column in columns
    ]


def _numbered(where: str, column: int, first: list[str]) -> int:
    if column < 1:
        raise ValueError(f"columns are numbered from 1, not {column}")
    if column > len(first):
        raise ValueError(f"{where}: expected at least {column} fields, found {len(first)}")
    return column - 1


def _named(where: str, column: str, header: list[str]) -> int:
    if header.count(column) != 1:
        raise ValueError(f"{where}: expected one column {column!r}, found {_listed(header)}")
    return header.index(column)


def _json_lines(
    path: Path,
    text: str | int | None,
    label: str | int | None,
    content: BinaryIO | None = None,
    complain: Complain = _refuse_row,
) -> Pairs:
    """Yield the (text, label) pairs of a JSON object a line."""
    text_key = "text" if text is None else str(text)
    label_key = "label" if label is None else str(label)
    with closing(_lines(path, content, complain)) as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                try:
                    pair = _json_pair(f"{path}, line {number}", line, text_key, label_key)
                except ValueError as exc:
                    complain(str(exc))
                else:
                    yield pair


def _json_pair(where: str, line: str, text_key: str, label_key: str) -> tuple[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as exc:
        raise ValueError(f"{where}: expected a JSON object: {exc}") from None
    if not isinstance(record, dict):
        raise ValueError(f"{where}: expected a JSON object, found {type(record).__name__}")
    for key in (text_key, label_key):
        if key not in record:
            raise ValueError(f"{where}: expected a key {key!r}, found {_listed(record)}")
    document, its_label = record[text_key], record[label_key]
    if not isinstance(document, str):
        raise ValueError(f"{where}: expected a string as {text_key!r}")
    if not isinstance(its_label, str | int) or its_label == "":
        raise ValueError(f"{where}: expected a label, a string or a whole number")
    if isinstance(its_label, bool):  # as JSON writes it: True would equal the label 1
        its_label = json.dumps(its_label)
    return document, its_label


# ---------------------------------------------------------------------- what the readers share


def _existing(path: str | os.PathLike[str]) -> Path:
    path = Path(path)
    if path.is_dir():
        raise ValueError(f"{path}: is a folder; expected a file")
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file")
    return path


def _ending(path: Path) -> str:
    """Return the ending that says what a file holds, without ``.gz`` or ``.zst`` after it."""
    endings = [suffix.lower() for suffix in path.suffixes[-2:]]
    if endings[-1:] and endings[-1] in COMPRESSED and endings[0] not in _NEVER_COMPRESSED:
        return endings[0]
    return endings[-1] if endings else ""


def _refuse(path: Path, why: str, **arguments: object) -> None:
    given = [name for name, value in arguments.items() if value is not None]
    if given:
        raise ValueError(f"{path}: {why}; leave out {' and '.join(given)}")


@contextmanager
def _open(path: Path) -> Iterator[BinaryIO]:
    with opened(path) as (content, _):
        yield content


@contextmanager
def _damage_told(path: Path) -> Iterator[None]:
    """Turn what the archive modules raise on a damaged file into one line."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error, zipfile.BadZipFile) as exc:
        raise ValueError(f"{path}: damaged or cut short: {exc}") from None


def _lines(
    path: Path, content: BinaryIO | None = None, complain: Complain = _refuse_row
) -> Generator[str, None, None]:
    """Yield the lines of a text file; decoded one by one, so that errors know their line.

    ``content`` is the file where it is open already.
    """
    with _damage_told(path), nullcontext(content) if content else _open(path) as file:
        for number, line in enumerate(file, 1):
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError:
                complain(f"{path}, line {number}: expected UTF-8")
                continue
            yield text


def _one_a_line(path: Path, what: str) -> list[str]:
    values = [line.rstrip("\r\n") for line in _lines(path)]
    if "" in values:
        raise ValueError(f"{path}, line {values.index('') + 1}: expected {what}, found nothing")
    return values


def _labels_array(labels: list[Any]) -> npt.NDArray[Any]:
    """Return labels as integers if all are whole numbers, and as they are otherwise."""
    if all(isinstance(label, str) and _WHOLE_NUMBER.fullmatch(label) for label in labels):
        labels = [int(label) for label in labels]
    if all(type(label) is int and abs(label) < 2**63 for label in labels):
        return np.array(labels, dtype=np.int64)
    return _object_array(labels)


def _object_array(values: Sequence[Any]) -> npt.NDArray[np.object_]:
    """Return the values themselves: numpy's str arrays pad each one to the longest."""
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result


def _integers_if_exact(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return floats that are all whole numbers as int64: text knows no types, counts are exact."""
    if values.dtype.kind != "f":
        return values
    with np.errstate(invalid="ignore"):
        whole = np.all((np.abs(values) <= 2**53) & (values == np.floor(values)))
    return values.astype(np.int64) if whole else values


def _listed(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in names) or "none"


_SVMLIGHT = (".svm", ".svmlight", ".libsvm")
_PART_TYPES = (np.int64, np.int32, np.int64, np.int64, np.float64)
_NO_DOCUMENTS = tuple(np.empty(0, dtype) for dtype in _PART_TYPES)

_MATRICES: dict[str, Callable[[Path, str | os.PathLike[str] | None], Collection]] = {
    **dict.fromkeys(_SVMLIGHT, _read_svmlight),
    ".npz": _read_npz,
    ".mtx": _read_matrix_market,
}

_NAMED = ("text", "label")
_TABLES: dict[str, Callable[..., Pairs]] = {
    ".csv": partial(_delimited, dialect=csv.excel, default=_NAMED),
    ".tsv": partial(_delimited, dialect=csv.excel_tab, default=_NAMED),
    ".txt": partial(_delimited, dialect=_RawTabs, default=(2, 1)),
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
}
