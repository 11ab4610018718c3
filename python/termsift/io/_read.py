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
a folder                                  a sub-folder a class, a file a document     yes
========================================  ==========================================  =====

**Matrices** have a row a document and a column a term. ``.npz`` and ``.mtx`` need a file of labels;
svmlight files bring their own (``1,3 5:2`` gives a document two labels). Indices of an svmlight
file count from 0 if index 0 occurs anywhere in it, and from 1 otherwise, which is what the format
asks for: the lowest possible index becomes column 0, the first name of a file of terms.

Where the table says .gz, .zst is read as well, with the extra ``termsift[zstd]``.

**Tables** name their columns in a header, and ``text`` and ``label`` pick two of them. Given as
numbers, they count columns from 1 and say that the file has no header; that is the default of
``.txt`` (label 1, text 2).

**Folders** are laid out as scikit-learn's ``load_files`` has them. Classes and documents come in
the order of their names; files beside the class folders, and whatever is hidden, are not read.

**Texts**, of tables and of folders, are read one at a time. Words are cut as by the defaults of
scikit-learn's ``CountVectorizer``: lower case, two or more letters, digits or underscores. Other
rules are those of :class:`termsift.text.TextRules`.

Files are UTF-8, those of texts what ``encoding`` says. **Labels** of texts and of files of labels
are text, so that they mean the same in every format: JSON's ``1`` and ``"1"`` are one label, and
its ``true`` is ``"true"``. If all labels of a collection are whole numbers, written as Python
writes them and with at most 18 digits, they become integers in the end; longer ones stay text and
keep all digits.

Whatever is wrong with a file is told in one line with its name and, where there is one, the number
of the line.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from scipy import sparse

from termsift import _core
from termsift._util.compression import COMPRESSED
from termsift._util.extras import MissingExtraError
from termsift._util.files import (
    DAMAGE,
    check_encoding,
    check_path,
    damage_told,
    existing,
    one_a_line,
    open_file,
)
from termsift._util.printable import printable_errors
from termsift._util.validation import check_column
from termsift.io import _svmlight
from termsift.io._labelled_texts import TABLES, Pairs, folder_of_classes
from termsift.text import TextRules, count_words, text_rules

if TYPE_CHECKING:
    import numpy.typing as npt

_NEVER_COMPRESSED = (".npz",)
_WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")  # as str(int) writes it; fits 64 bits

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
        Names of the terms, where known; hashed terms have none.
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


@printable_errors()
def read_collection(
    path: str | os.PathLike[str],
    *,
    labels: str | os.PathLike[str] | None = None,
    terms: str | os.PathLike[str] | None = None,
    text: str | int | None = None,
    label: str | int | None = None,
    encoding: str | None = None,
    preset: str | None = None,
    **rules: Any,
) -> Collection:
    r"""Read a labelled collection; the ending of the name says how (see the table above).

    Parameters
    ----------
    path : path
        The file or folder to read.
    labels : path, optional
        File with one label a line, or an array saved as ``.npy``. Needed for ``.npz`` and ``.mtx``;
        replaces the labels of an svmlight file; not for texts.
    terms : path, optional
        File with the name of one term a line, in the order of the columns. Not for texts, whose
        terms are their own words. A svmlight file may use fewer columns than there are names.
    text, label : str or int, optional
        The columns of a table: names (``"text"`` and ``"label"`` by default), or numbers from 1 for
        a table without header. For JSON lines, the keys. Not for folders.
    encoding : str, default "utf-8"
        That of texts.
    preset : {"paper"}, optional
        Rules of texts by one name, see :func:`termsift.text.text_rules`.
    **rules
        How texts are cut and which terms are kept: ``ngram_range``, ``min_df``, ``max_df``,
        ``stop_words``, ``lowercase``, ``analyzer``, ``hashing`` of
        :class:`termsift.text.TextRules`. Those of a preset may be replaced.

    Returns
    -------
    collection : Collection

    Raises
    ------
    FileNotFoundError
        If a file does not exist.
    ValueError
        If a file is not what its name or the arguments say; one line, with the file and its line.
    TypeError
        For a rule that is not there or not of the right type.
    MissingExtraError
        If texts are to be cut by rules other than the plain ones, and scikit-learn is not
        installed.

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
    names = _Names(labels, terms, text, label, encoding)
    return _read(_input(path), names, {"preset": preset, **rules})


@printable_errors()
def read_split(
    train: str | os.PathLike[str],
    test: str | os.PathLike[str],
    *,
    labels: str | os.PathLike[str] | None = None,
    test_labels: str | os.PathLike[str] | None = None,
    terms: str | os.PathLike[str] | None = None,
    text: str | int | None = None,
    label: str | int | None = None,
    encoding: str | None = None,
    preset: str | None = None,
    **rules: Any,
) -> tuple[Collection, Collection]:
    r"""Read documents to learn from and documents to be tested on, in the same columns.

    The columns are those of ``train``: what else ``test`` holds, terms of its texts or indices of
    an svmlight file, is left out. Texts of both are cut by the same rules, and those of ``train``
    alone decide which terms are kept. Two svmlight files count from 0 if either does. Labels are
    whole numbers if those of both files are.

    Parameters
    ----------
    train, test : path
        Texts both, tables or folders, or matrices both.
    labels, test_labels : path, optional
        The labels of either, as for `read_collection`.
    terms, text, label, encoding, preset, **rules
        Of both, as for `read_collection`.

    Returns
    -------
    train, test : Collection

    Raises
    ------
    FileNotFoundError, ValueError, TypeError, MissingExtraError
        As for `read_collection`, and if the files have no terms or no labels in common.

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
    first, second = _input(train), _input(test)
    endings = ending_of(first), ending_of(second)
    from_zero = all(ending in SVMLIGHT for ending in endings) and (
        _has_index_zero(first) or _has_index_zero(second)
    )
    by = {"preset": preset, **rules}
    known = _read(first, _Names(labels, terms, text, label, encoding), by, from_zero=from_zero)
    if _is_text(first) != _is_text(second):
        raise ValueError(f"{first} and {second}: expected texts in both, or matrices")
    names = _Names(test_labels, terms, text, label, encoding)
    new = _read(second, names, by, known.term_names, from_zero=from_zero)
    if _is_text(second):
        if not new.X.nnz:
            raise ValueError(f"{second}: has no term of {first}")
    elif endings[1] in SVMLIGHT:  # which does not say how many columns it has
        n_docs, n_columns = new.X.shape[0], known.X.shape[1]
        X = new.X[:, :n_columns]
        X = sparse.csr_array((X.data, X.indices, X.indptr), shape=(n_docs, n_columns))
        new = replace(new, X=X, term_names=known.term_names)
    elif new.X.shape[1] != known.X.shape[1]:
        raise ValueError(
            f"{second}: has {new.X.shape[1]} columns, expected the {known.X.shape[1]} of {first}"
        )
    return _with_like_labels(known, new)


@dataclass(frozen=True)
class _Names:
    """What a caller says of a file besides its path."""

    labels: str | os.PathLike[str] | None
    terms: str | os.PathLike[str] | None
    text: str | int | None
    label: str | int | None
    encoding: str | None

    def __post_init__(self) -> None:
        for name in ("labels", "terms"):
            if getattr(self, name) is not None:
                check_path(getattr(self, name), name)
        for name in ("text", "label"):
            check_column(getattr(self, name), name)


def _read(
    path: Path,
    names: _Names,
    rules: Mapping[str, Any],
    known: npt.NDArray[np.object_] | None = None,
    *,
    from_zero: bool = False,
) -> Collection:
    """Read one collection.

    ``known``: the terms of texts to count, and no others; ``from_zero``: svmlight indices count
    from 0 whatever they are.
    """
    ending = ending_of(path)
    if _is_text(path):
        refuse_arguments(
            path, "texts have their own labels and terms", labels=names.labels, terms=names.terms
        )
        by = text_rules(**rules)
        encoding = "utf-8" if names.encoding is None else names.encoding
        check_encoding(encoding)
        if path.is_dir():
            refuse_arguments(path, "a folder has no columns", text=names.text, label=names.label)
            pairs = folder_of_classes(path, encoding)
        else:
            pairs = TABLES[ending](path, names.text, names.label, encoding)
        collection = _from_pairs(path, pairs, by, known)
    elif ending in MATRICES:
        refuse_arguments(
            path, "a matrix has no columns of text and labels", text=names.text, label=names.label
        )
        refuse_arguments(path, "a matrix holds no texts", encoding=names.encoding, **rules)
        reader = partial(_read_svmlight, from_zero=True) if from_zero else MATRICES[ending]
        collection = reader(path, names.labels)
        if names.terms is not None:
            collection = _with_names(collection, names.terms, widen=ending in SVMLIGHT)
    else:
        known_endings = " ".join([*MATRICES, *TABLES])
        raise ValueError(f"{path}: unknown kind of file; the known endings are {known_endings}")
    if collection.X.shape[0] == 0:
        raise ValueError(f"{path}: holds no documents")
    return collection


def _from_pairs(
    path: Path, pairs: Pairs, rules: TextRules, known: npt.NDArray[np.object_] | None
) -> Collection:
    """Count the terms of (text, label) pairs, one document at a time."""
    labels: list[str] = []

    def texts() -> Iterator[str]:
        for text, label in pairs:
            labels.append(label)
            yield text

    with closing(pairs):
        X, names = rules.count(texts(), known)
    if labels and known is None and not X.nnz:
        raise ValueError(f"{path}: no text has {rules.what_counts}")
    return Collection(X, labels_array(labels), names, str(path))


@printable_errors()
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
    return object_array(one_a_line(existing(path), "a term"))


# ------------------------------------------------------------------------------------- matrices


def _read_npz(path: Path, labels: str | os.PathLike[str] | None) -> Collection:
    with damage_told(path), open_file(path) as file:  # numpy leaves a broken archive open
        try:
            X = sparse.load_npz(file)
        except (MemoryError, *DAMAGE):
            raise
        except Exception as exc:  # whatever an archive of other content provokes
            # An archive that points before its own beginning is damaged, not the disk.
            if isinstance(exc, OSError) and exc.errno != errno.EINVAL:
                raise
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
    with damage_told(path), open_file(path) as file:
        parsed = _core.parse_matrix_market(file.read(), n_threads=0, file=str(path))
    data, rows, columns, shape = parsed
    return _with_labels(path, sparse.coo_array((data, (rows, columns)), shape=shape), labels)


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
    y = integers_if_exact(own_labels)
    if (n_labels == 1).all():
        return Collection(X, y, None, str(path))
    indicator, classes = indicator_of(y, n_labels)
    return Collection(X, indicator, None, str(path), classes)


def _svmlight_blocks(
    path: Path, *, multilabel: bool | None = None
) -> Generator[_svmlight.Block, None, None]:
    with damage_told(path), open_file(path) as file:
        yield from _svmlight.read_blocks(file, str(path), multilabel=multilabel)


def _has_index_zero(path: Path) -> bool:
    with closing(_svmlight_blocks(path, multilabel=True)) as blocks:
        return any(bool((block.indices == 0).any()) for block in blocks)


def indicator_of(
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
    y = read_labels(existing(labels))
    if y.shape[0] != X.shape[0]:
        raise ValueError(f"{labels}: {y.shape[0]} labels for the {X.shape[0]} documents of {path}")
    return Collection(sparse.csr_array(X), y, None, str(path))


def read_labels(path: Path, *, as_written: bool = False) -> npt.NDArray[Any]:
    """Read a file of labels; ``as_written``: of text, as strings even if all are numbers."""
    if path.suffix.lower() != ".npy":
        lines = one_a_line(path, "a label")
        return object_array(lines) if as_written else labels_array(lines)
    with damage_told(path), open(path, "rb") as file:
        try:
            y = np.load(file, allow_pickle=False)
        except (OSError, MemoryError, EOFError):
            raise
        except Exception:  # whatever a forged header provokes
            raise ValueError(f"{path}: expected an array of labels saved by numpy.save") from None
    if y.ndim not in (1, 2):
        raise ValueError(f"{path}: expected labels or an indicator matrix, found {y.ndim}-d")
    return integers_if_exact(y)


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


def _with_like_labels(known: Collection, new: Collection) -> tuple[Collection, Collection]:
    """Give labels that are numbers in one file and words in the other as words in both."""
    y_known, y_new = cast("Any", known.y), cast("Any", new.y)
    if y_known.ndim != 1 or y_new.ndim != 1:  # several labels a document: not ours to judge
        return known, new
    if (y_known.dtype.kind in "OU") != (y_new.dtype.kind in "OU"):
        y_known, y_new = (object_array(list(map(str, y.tolist()))) for y in (y_known, y_new))
    if not set(y_known.tolist()) & set(y_new.tolist()):
        raise ValueError(f"{new.source}: has no label of {known.source}")
    return replace(known, y=y_known), replace(new, y=y_new)


# ---------------------------------------------------------------------- what the readers share


def _input(path: str | os.PathLike[str]) -> Path:
    """Give the path of a file or folder that is there."""
    check_path(path)
    return Path(path) if Path(path).is_dir() else existing(path)


def _is_text(path: Path) -> bool:
    return path.is_dir() or ending_of(path) in TABLES


def ending_of(path: Path) -> str:
    """Return the ending that says what a file holds, without ``.gz`` or ``.zst`` after it."""
    endings = [suffix.lower() for suffix in path.suffixes[-2:]]
    if endings[-1:] and endings[-1] in COMPRESSED and endings[0] not in _NEVER_COMPRESSED:
        return endings[0]
    return endings[-1] if endings else ""


def refuse_arguments(path: Path, why: str, **arguments: object) -> None:
    given = [name for name, value in arguments.items() if value is not None]
    if given:
        raise ValueError(f"{path}: {why}; leave out {' and '.join(given)}")


def labels_array(labels: Sequence[str]) -> npt.NDArray[Any]:
    """Return labels as integers if all are whole numbers, and as they are otherwise."""
    if all(map(_WHOLE_NUMBER.fullmatch, labels)):
        return np.array([int(label) for label in labels], dtype=np.int64)
    return object_array(labels)


def object_array(values: Sequence[Any]) -> npt.NDArray[np.object_]:
    """Return the values themselves: numpy's str arrays pad each one to the longest."""
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result


def integers_if_exact(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return floats that are all whole numbers as int64: text knows no types, counts are exact."""
    if values.dtype.kind != "f":
        return values
    with np.errstate(invalid="ignore"):
        whole = np.all((np.abs(values) <= 2**53) & (values == np.floor(values)))
    return values.astype(np.int64) if whole else values


SVMLIGHT = (".svm", ".svmlight", ".libsvm")
_PART_TYPES = (np.int64, np.int32, np.int64, np.int64, np.float64)
_NO_DOCUMENTS = tuple(np.empty(0, dtype) for dtype in _PART_TYPES)

MATRICES: dict[str, Callable[[Path, str | os.PathLike[str] | None], Collection]] = {
    **dict.fromkeys(SVMLIGHT, _read_svmlight),
    ".npz": _read_npz,
    ".mtx": _read_matrix_market,
}
