"""Check labels and classes."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from termsift import _core
from termsift._util import scipy
from termsift._util.extras import is_from
from termsift._util.log import levels_to_caller
from termsift._util.validation.arrays import (
    Csr,
    as_sequence,
    check_entries,
    check_matrix,
    without_duplicates,
)
from termsift._util.validation.distinct import distinct_labels, is_column_of_strings

_SEVERAL = (
    "for several labels per document pass the indicator matrix of "
    "sklearn.preprocessing.MultiLabelBinarizer, and its classes_ as classes"
)

SKIP_MISSING = (
    "on_missing='skip' of count and count_texts leaves out documents without a text or a label"
)


@dataclass(frozen=True)
class Labels:
    """The classes of each document, as codes into ``classes``.

    Document d has the codes ``codes[indptr[d]:indptr[d + 1]]``, or ``codes[d]`` if ``indptr`` is
    None.
    """

    classes: list[Hashable]
    codes: _core.Int32s
    indptr: _core.Int64s | None


# ---- labels --------------------------------------------------------------------------------------

_MANY_DOCUMENTS = 100  # each of fewer may be a class, such as a novel


def warn_of_swapped_columns(n_classes: int, n_docs: float) -> None:
    """Warn of texts that have nearly as many labels as there are documents."""
    if n_docs >= _MANY_DOCUMENTS and n_classes >= 0.9 * n_docs:
        warnings.warn(
            f"{n_docs:,.0f} documents have {n_classes:,} different labels: texts and labels may be "
            "swapped; name their columns by text and label (--text, --label)",
            stacklevel=levels_to_caller(),
        )


def check_labels(
    y: Any,
    n_docs: int,
    classes: Iterable[Hashable] | None,
    indicator_classes: list[Hashable] | None = None,
    name: str = "y",
    *,
    skip_missing: bool = False,
) -> Labels:
    """Return the classes of the documents and each document's codes.

    ``y`` is a sequence of hashable labels, or an indicator matrix (n_docs, n_classes) of zeros and
    ones. The classes are ``classes`` if given. Otherwise those of labels are sorted by `in_order`,
    and those of an indicator's columns are ``indicator_classes`` or 0, 1, ... A data frame with one
    column holds labels. A single column of an array could be either: it is refused
    unless ``classes`` names its class. Messages call the labels ``name``. With ``skip_missing`` the
    code of a missing label is -1.
    """
    given = None if classes is None else check_classes(classes)
    y = only_column(y)
    if not (scipy.sparse.issparse(y) or is_column_of_strings(y)):
        y = as_sequence(y, name, "a label for each document")
    if isinstance(y, list) and y and isinstance(y[0], list):
        with suppress(ValueError):  # of lists of different lengths, which are refused as labels
            y = np.asarray(y)
    if scipy.sparse.issparse(y) or (isinstance(y, np.ndarray) and y.ndim != 1):
        shape, dtype = cast(Any, y).shape, cast(Any, y).dtype
        if given is None and shape[1:] == (1,):
            raise ValueError(
                f"{name} is a single column, of shape {shape}, expected labels in one dimension: "
                f"pass {name}.ravel(), or np.ravel({name}) of a list or a data frame"
            )
        if dtype.kind in "OSU":
            raise TypeError(
                f"{name} has shape {shape} and dtype {dtype}, expected one label per document: "
                f"pass a single column; {_SEVERAL}"
            )
        columns = indicator_classes if given is None else given
        return _indicator_labels(y, n_docs, columns, name)
    if len(y) != n_docs:
        raise ValueError(f"{name} has {len(y)} labels for {n_docs} documents")
    coder = LabelCoder(given)
    codes, numbers = coder.numbered(y, skip_missing=skip_missing)
    classes, place = coder.ordered()
    return Labels(classes, _renumbered(codes, [-1 if i < 0 else place[i] for i in numbers]), None)


def only_column(y: Any) -> Any:
    """Return the labels of a data frame of one column; anything else as it is."""
    is_frame = is_from(y, "pandas") or is_from(y, "polars")
    if not is_frame or getattr(y, "shape", ())[1:] != (1,):
        return y
    return y[y.columns[0]]


def check_one_class(y: Any, n_docs: int, why: str, name: str = "y") -> Labels:
    """Return labels of one class per document; refuse an indicator matrix and say ``why``."""
    labels = check_labels(y, n_docs, None, name=name)
    if labels.indptr is None:
        return labels
    n_of = np.diff(labels.indptr)
    other = np.flatnonzero(n_of != 1)
    first = f" (document {other[0]} has {n_of[other[0]]})" if len(other) else ""
    raise ValueError(
        f"{name} is an indicator matrix, expected one label per document{first}: {why}"
    )


def labelled_documents(
    matrix: Csr, labels: Labels, weights: _core.Count | None, n_threads: int
) -> tuple[Csr, Labels, _core.Count | None]:
    """Return the documents that have a label: those whose code is not -1."""
    rows = np.flatnonzero(labels.codes >= 0)
    if labels.indptr is not None or len(rows) == matrix.n_docs:
        return matrix, labels, weights
    check_entries(matrix, n_threads, "X")  # now, since errors would name other rows later
    shape = matrix.n_docs, matrix.n_terms
    X = scipy.sparse.csr_array((matrix.data, matrix.indices, matrix.indptr), shape=shape)[rows]
    labels = replace(labels, codes=labels.codes[rows])
    return check_matrix(X, n_threads), labels, None if weights is None else weights[rows]


class LabelCoder:
    """Number the classes of labels that come in blocks, by `check_labels`'s rules.

    Classes are numbered as given, or in the order in which they are met: block by block, and within
    a block of integers by size.
    """

    def __init__(self, given: list[Hashable] | None) -> None:
        self._is_fixed = given is not None
        self._numbers: dict[Hashable, int] = {c: i for i, c in enumerate(given or [])}

    @property
    def classes(self) -> list[Hashable]:
        """The classes by number."""
        return list(self._numbers)

    def ordered(self) -> tuple[list[Hashable], list[int]]:
        """Return the classes in their final order, and the place of each number in it."""
        ordered = self.classes if self._is_fixed else in_order(self.classes)
        place = {c: i for i, c in enumerate(ordered)}
        return ordered, [place[c] for c in self._numbers]

    def codes(self, labels: Any, first: int = 0, *, skip_missing: bool = False) -> _core.Int32s:
        """Return the number of each label's class; messages count documents from ``first``.

        The labels are an array, a list or a column of strings. A missing label is an error, or -1
        if ``skip_missing``.
        """
        return _renumbered(*self.numbered(labels, first, skip_missing=skip_missing))

    def numbered(
        self, labels: Any, first: int = 0, *, skip_missing: bool = False
    ) -> tuple[_core.Int32s, list[int]]:
        """Return codes, and each code's class, so that a caller may renumber only once."""
        try:
            codes, distinct, at = distinct_labels(labels)
        except TypeError:
            for document, label in enumerate(labels, first):
                _require_hashable(label, f"the label of document {document}", f": {_SEVERAL}")
            raise
        plain = distinct
        missing: set[int] = set()
        wrong: set[int] = set()
        if not set(map(type, distinct)) <= {str, int, bool}:
            plain = [_plain(label) for label in distinct]
            missing = {code for code, label in enumerate(plain) if _is_missing(label)}
        if self._is_fixed:
            wrong = {code for code, label in enumerate(plain) if label not in self._numbers}
        if wrong := (wrong - missing) | (set() if skip_missing else missing):
            code = min(wrong, key=at.__getitem__)
            where = f"the label of document {first + at[code]} is"
            if code in missing:
                raise ValueError(f"{where} missing: {plain[code]!r}; {SKIP_MISSING}")
            raise ValueError(f"{where} {plain[code]!r}, which is not in classes")
        return codes, [
            -1 if code in missing else self._numbers.setdefault(label, len(self._numbers))
            for code, label in enumerate(plain)
        ]


def _renumbered(codes: _core.Int32s, numbers: list[int]) -> _core.Int32s:
    """Return the number of each code."""
    if numbers == list(range(len(numbers))):
        return codes
    return np.array(numbers, dtype=np.int32).take(codes)


def _indicator_labels(y: Any, n_docs: int, given: list[Hashable] | None, name: str) -> Labels:
    if y.ndim != 2 or y.shape[0] != n_docs:
        raise ValueError(f"{name} has shape {y.shape}, expected ({n_docs}, n_classes)")
    if given is not None and len(given) != y.shape[1]:
        raise ValueError(f"{name} has {y.shape[1]} columns for {len(given)} classes")
    csr = check_matrix(y, 1, name)
    # The values are checked below, since a count other than 0 and 1 is wrong here.
    ones = np.ones(len(csr.data), dtype=np.int8)
    check_entries(replace(csr, data=ones), 1, name)
    matrix = scipy.sparse.csr_array((csr.data, csr.indices, csr.indptr), shape=y.shape)
    matrix = without_duplicates(matrix).copy()
    matrix.eliminate_zeros()
    wrong = np.flatnonzero(matrix.data != 1)
    if len(wrong):
        row = int(np.searchsorted(matrix.indptr, wrong[0], side="right")) - 1
        raise ValueError(
            f"{name} has {matrix.data[wrong[0]]} at row {row}, column {matrix.indices[wrong[0]]}, "
            "expected an indicator matrix of zeros and ones"
        )
    classes: list[Hashable] = list(range(y.shape[1])) if given is None else given
    return Labels(classes, matrix.indices.astype(np.int32), matrix.indptr.astype(np.int64))


# ---- classes -------------------------------------------------------------------------------------


def check_classes(classes: Iterable[Hashable]) -> list[Hashable]:
    """Return the classes as a list of distinct labels, none of them missing."""
    sequence = as_sequence(classes, "classes", "labels")
    listed = [_plain(c) for c in (sequence if isinstance(sequence, list) else sequence.tolist())]
    seen: set[Hashable] = set()
    for label in listed:
        _require_hashable(label, "classes hold a label that")
        if _is_missing(label):
            raise ValueError(f"classes hold {label!r}, which stands for a missing label")
        if label in seen:
            raise ValueError(f"classes hold {label!r} twice")
        seen.add(label)
    return listed


def in_order(classes: list[Hashable]) -> list[Hashable]:
    """Sort labels, or sort them by type name and repr if they cannot be compared.

    The order of appearance would depend on how a collection is cut into chunks.
    """
    if not any(isinstance(label, Set) for label in classes):  # whose < means subset
        with suppress(TypeError):
            return sorted(classes)  # type: ignore[type-var]
    return sorted(classes, key=lambda label: (type(label).__name__, repr(label)))


def unite_classes(
    current: list[Hashable], added: list[Hashable]
) -> tuple[list[Hashable], list[int], list[int]]:
    """Return the union of two lists of classes, and each class's position in either (-1: absent).

    The union is sorted if ``current`` is. Otherwise new classes follow in the order of ``added``.
    """
    present = set(current)
    late = [c for c in added if c not in present]
    united = current + late
    if late and in_order(current) == current:
        united = in_order(united)
    places = ({c: i for i, c in enumerate(listed)} for listed in (current, added))
    in_current, in_added = ([place.get(c, -1) for c in united] for place in places)
    return united, in_current, in_added


# ---- one label -----------------------------------------------------------------------------------


def _require_hashable(label: Any, where: str, cure: str = "") -> None:
    try:
        hash(label)
    except TypeError:
        kind = type(label).__name__
        raise TypeError(f"{where} is a {kind}, expected something hashable{cure}") from None


def _is_missing(label: Any) -> bool:
    """Return whether a label or a part of it is None, NaN, NaT or NA."""
    if isinstance(label, (tuple, frozenset)):
        return any(map(_is_missing, label))
    try:
        return label is None or bool(label != label)  # NaN and NaT are unequal to themselves
    except TypeError:  # pandas' NA has no truth value
        return True


def _plain(label: Any) -> Any:
    """Return a numpy scalar as the equal Python value, so that labels print and save as such."""
    return (
        label.item() if isinstance(label, (np.bool_, np.integer, np.floating, np.str_)) else label
    )


def check_groups(
    classes: Iterable[Hashable] | Mapping[Hashable, Any], known: list[Hashable]
) -> dict[Hashable, list[int]]:
    """Return the positions of the classes of each group by its new label."""
    groups: dict[Hashable, Any]
    if isinstance(classes, Mapping):
        groups = {new: old if isinstance(old, list) else [old] for new, old in classes.items()}
    else:
        groups = {label: [label] for label in check_classes(classes)}
    if not check_classes(list(groups)) or not all(groups.values()):
        raise ValueError("classes is empty or has an empty group, expected at least one class each")
    old_labels = check_classes(old for group in groups.values() for old in group)
    position = {label: row for row, label in enumerate(known)}
    if absent := [label for label in old_labels if label not in position]:
        raise ValueError(f"class {absent[0]!r} is not among the classes")
    return {new: [position[old] for old in group] for new, group in groups.items()}
