"""Check labels and classes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._util import scipy
from termsift._util.extras import is_from
from termsift._util.faults import Message, Name, concerning, named, said, wrong_type, wrong_value
from termsift._util.validation.arrays import (
    as_sequence,
    check_entries,
    check_matrix,
    column_names,
    contiguous,
    widened,
)
from termsift._util.validation.values import did_you_mean, listed, number_of

_SEVERAL = (
    "for several labels per document pass the indicator matrix of "
    "sklearn.preprocessing.MultiLabelBinarizer, and classes=binarizer.classes_"
)

LEAVE_OUT = "leave the document out, as dropna of pandas and drop_nulls of polars do"


@dataclass(frozen=True)
class Labels:
    """The class codes of documents.

    Document d has the code ``codes[d]``. If documents may have several classes, document d has the
    codes ``codes[indptr[d]:indptr[d + 1]]``.
    """

    classes: list[Hashable]
    codes: _core.Int32s
    indptr: _core.Int64s | None

    @property
    def n_docs(self) -> int:
        return len(self.codes) if self.indptr is None else len(self.indptr) - 1

    def of(self, rows: slice) -> Labels:
        """Return the labels of consecutive documents."""
        if self.indptr is None:
            return Labels(self.classes, self.codes[rows], None)
        ends = self.indptr[rows.start : rows.stop + 1]
        return Labels(self.classes, self.codes[ends[0] : ends[-1]], ends - ends[0])

    def at(self, rows: NDArray[np.int64]) -> Labels:
        """Return the labels of some documents, in any order."""
        if self.indptr is None:
            return Labels(self.classes, self.codes[rows], None)
        sizes = np.diff(self.indptr)[rows]
        indptr = np.append(0, np.cumsum(sizes))
        places = np.arange(indptr[-1]) + np.repeat(self.indptr[rows] - indptr[:-1], sizes)
        return Labels(self.classes, self.codes[places], indptr)


# ---- labels --------------------------------------------------------------------------------------


def check_labels(
    y: Any,
    n_docs: int | None,
    classes: Iterable[Hashable] | None,
    indicator_classes: list[Hashable] | None = None,
    name: Name = "y",
) -> Labels:
    """Return the classes of the documents and each document's codes.

    ``y`` is a sequence of labels, or an indicator matrix. An array of one column could hold labels
    or be an indicator matrix, so it is an error unless ``classes`` gives the class of the column.
    Without ``classes``, labels are sorted. The columns of an indicator matrix then have the classes
    that a data frame names, or else ``indicator_classes`` or 0, 1, ...
    """
    given = None if classes is None else check_classes(classes)
    names = column_names(y)
    y = label_sequence(y, name)
    if isinstance(y, list) and y and isinstance(y[0], list):
        with suppress(ValueError):  # lists of different lengths raise an error below
            y = np.asarray(y)
    if scipy.sparse.issparse(y) or (isinstance(y, np.ndarray) and y.ndim != 1):
        shape, dtype = cast(Any, y).shape, cast(Any, y).dtype
        if given is None and shape[1:] == (1,):
            raise wrong_value(
                "{name} is a single column, of shape {shape}, expected labels in one dimension: "
                "pass {name}.ravel(), or np.ravel({name}) if it is a list or a data frame",
                name=named(name),
                shape=shape,
            )
        if dtype.kind in "OSU":
            raise wrong_type(
                "{name} has shape {shape} and dtype {dtype}, expected one label per document: pass "
                "a single column; {several}",
                name=named(name),
                shape=shape,
                dtype=dtype,
                several=_SEVERAL,
            )
        usual = indicator_classes if given is None else given
        if names is None or not _name_classes(names, given, indicator_classes):
            return _indicator_labels(y, n_docs, usual, name)
        labels = _indicator_labels(y, n_docs, list(names), name)
        if given is None:
            return labels
        place = {label: i for i, label in enumerate(given)}
        codes = np.array([place[label] for label in names], dtype=np.int32).take(labels.codes)
        return Labels(given, codes, labels.indptr)
    if n_docs is not None and len(y) != n_docs:
        raise wrong_value(
            "{name} has {labels} for {documents}",
            name=named(name),
            labels=number_of(len(y), "label"),
            documents=number_of(n_docs, "document"),
        )
    coder = LabelCoder(given, name)
    codes, ordered = coder.codes(y), coder.ordered
    if ordered != coder.classes:
        place = {c: i for i, c in enumerate(ordered)}
        numbers = np.array([place[c] for c in coder.classes], dtype=np.int32)
        codes = _core.renumber(codes, numbers)
    return Labels(ordered, codes, None)


def label_sequence(y: Any, name: Name = "y") -> Any:
    """Return labels in a form that `LabelCoder` accepts. An indicator matrix is not changed."""
    if (is_from(y, "pandas") or is_from(y, "polars")) and getattr(y, "shape", ())[1:] == (1,):
        y = y[y.columns[0]]
    if scipy.sparse.issparse(y):
        return y
    if is_from(y, "pandas"):
        if hasattr(y, "dtype") and not isinstance(y.dtype, np.dtype):
            return np.asarray(y, dtype=object)  # a numeric array would turn NA into NaN
    elif is_column_of_arrow(y):
        with suppress(TypeError):
            return texts_of_arrow(y)
        n_nulls = getattr(y, "null_count", 0)  # null_count is a method in polars, else a number
        if n_nulls() if callable(n_nulls) else n_nulls:
            return list(y.to_list() if is_from(y, "polars") else y.to_pylist())
    return as_sequence(y, name, "a label for each document")


def is_column_of_arrow(values: Any) -> bool:
    """Return whether an object is one column of an Arrow library, not a frame."""
    # A column of several chunks has no Arrow interface before pyarrow 16.
    marks = ("__arrow_c_stream__", "__arrow_c_array__", "null_count")
    is_arrow = any(hasattr(values, mark) for mark in marks)
    return is_arrow and len(getattr(values, "shape", (0,))) == 1


def texts_of_arrow(column: Any) -> _core.Texts:
    """Return the strings of a column of an Arrow library. Other columns raise a TypeError."""
    try:
        return _core.Texts.of_arrow(column)
    except RuntimeError:  # before polars 1.34, the stream of categories fails
        if not is_from(column, "polars"):
            raise
        return _core.Texts.of_arrow(column.cast(str))


def class_names(schema: Any, column: str) -> list[str] | None:
    """Return the names of the classes that the integers in a column of Arrow stand for, or None.

    The datasets of Hugging Face store them in the metadata of the schema.
    """
    stored = (schema.metadata or {}).get(b"huggingface")
    if stored is None or not str(schema.field(column).type).startswith(("int", "uint")):
        return None
    import json  # only such columns need it

    try:
        feature = json.loads(stored)["info"]["features"][column]
        names = feature["names"] if feature["_type"] == "ClassLabel" else None
    except (ValueError, LookupError, TypeError, RecursionError):
        return None  # the metadata may be of any version, or forged
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return None
    return names if len(set(names)) == len(names) else None


def named_class(number: int | None, names: list[str]) -> str | None:
    """Return the name of a class, or None for a missing label, which may be -1."""
    return names[number] if number is not None and 0 <= number < len(names) else None


def check_one_class(y: Any, n_docs: int, why: Name, name: Name = "y") -> Labels:
    """Return labels of one class per document; errors about indicator matrices end with ``why``."""
    labels = check_labels(y, n_docs, None, name=name)
    if labels.indptr is None:
        return labels
    n_of = np.diff(labels.indptr)
    other = np.flatnonzero(n_of != 1)
    first = f" (document {other[0]} has {n_of[other[0]]})" if len(other) else ""
    raise wrong_value(
        "{name} is an indicator matrix, expected one label per document{first}: {why}",
        name=named(name),
        first=first,
        why=why,
    )


class LabelCoder:
    """Assigns numbers to classes, in the order of ``given`` or of their first appearance.

    Attributes
    ----------
    listed : list
        The classes in the order of their numbers. The list grows when new classes appear, so that
        the labels of a block cost no copy of all classes.
    """

    def __init__(self, given: list[Hashable] | None, name: Name = "y") -> None:
        self._name = name
        self._is_fixed = given is not None
        self.listed: list[Hashable] = list(given or [])
        self._numbers: dict[Hashable, int] = {c: i for i, c in enumerate(self.listed)}

    @property
    def _arguments(self) -> tuple[str, ...]:
        """The arguments that hold the labels, for errors."""
        return named(self._name).arguments

    @property
    def classes(self) -> list[Hashable]:
        """A copy of `listed`."""
        return list(self.listed)

    @property
    def ordered(self) -> list[Hashable]:
        """The classes in the given order, or sorted if no order was given."""
        return self.classes if self._is_fixed else in_order(self.classes)

    def codes(self, labels: Any, first: int = 0) -> _core.Int32s:
        """Return the class number of each label. ``first`` is the number of the first document."""
        try:
            codes, distinct, at = distinct_labels(labels)
        except TypeError:
            for document, label in enumerate(labels, first):
                of = Message(f"the label of document {document}")
                _require_hashable(label, of, f": {_SEVERAL}", *self._arguments)
            raise
        numbers: list[int] = []
        are_usual = set(map(type, distinct)) <= {str, int, bool}
        for label, document in zip(distinct, at, strict=True):
            where = f"the label of document {first + document} is"
            if not are_usual and _is_missing(label := _plain(label)):
                error = ValueError(f"{where} missing: {label!r}; {LEAVE_OUT}")
                raise concerning(error, *self._arguments)
            if self._is_fixed and label not in self._numbers:
                error = wrong_value(
                    "{where} {label!r}, which is not in {classes}", where=where, label=label
                )
                raise concerning(error, *self._arguments)
            number = self._numbers.setdefault(label, len(self.listed))
            if number == len(self.listed):
                self.listed.append(label)
            numbers.append(number)
        if numbers == list(range(len(numbers))):
            return codes
        return _core.renumber(codes, np.array(numbers, dtype=np.int32))


def distinct_labels(labels: Any) -> tuple[_core.Int32s, list[Any], list[int]]:
    """Return each label's code, and the label and first position of each code.

    Labels that are equal but differ in type or bits, such as 1 and 1.0, have different codes.
    """
    if isinstance(labels, np.ndarray):
        kind, size = labels.dtype.kind, labels.itemsize
        is_known = kind in "OSU" or (kind in "biufmM" and size <= 8)
        labels = contiguous(labels) if is_known else labels.tolist()
    codes, at = _core.number_labels(labels)
    first = at.tolist()
    if not isinstance(labels, np.ndarray):
        return codes, [labels[i] for i in first], first
    return codes, _as_list(labels[at]), first


def _as_list(labels: NDArray[Any]) -> list[Any]:
    # tolist() would turn dates in nanoseconds into integers, and NaT into None.
    return list(labels) if labels.dtype.kind in "mM" else labels.tolist()


def _name_classes(
    names: list[str], given: list[Hashable] | None, known: list[Hashable] | None
) -> bool:
    """Return whether the columns of an indicator frame are classes, and not merely named."""
    if len(set(names)) < len(names):
        return False
    if given is not None:
        return set(names) == set(given)
    return not known or not set(names).isdisjoint(known)


def _indicator_labels(
    y: Any, n_docs: int | None, given: list[Hashable] | None, name: Name
) -> Labels:
    n_docs = y.shape[0] if n_docs is None else n_docs
    if y.ndim != 2 or y.shape[0] != n_docs:
        raise wrong_value(
            "{name} has shape {shape}, expected ({n_docs}, n_classes)",
            name=named(name),
            shape=y.shape,
            n_docs=n_docs,
        )
    if given is not None and len(given) != y.shape[1]:
        error = wrong_value(
            "{name} has {columns} for {known}",
            name=named(name),
            columns=number_of(y.shape[1], "column"),
            known=number_of(len(given), "class"),
        )
        raise concerning(error, *named(name).arguments, "classes")
    csr = check_matrix(y, 1, name)
    # The core checks only the indices, so the code below checks that the values are 0 or 1.
    check_entries(replace(csr, data=np.ones(len(csr.data), dtype=np.int8)), 1, name)
    matrix = widened(csr.to_scipy())  # a copy
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    wrong = np.flatnonzero(matrix.data != 1)
    if len(wrong):
        row = int(np.searchsorted(matrix.indptr, wrong[0], side="right")) - 1
        raise wrong_value(
            "{name} has {value} at row {row}, column {column}, expected an indicator matrix of "
            "zeros and ones",
            name=named(name),
            value=matrix.data[wrong[0]],
            row=row,
            column=matrix.indices[wrong[0]],
        )
    classes: list[Hashable] = list(range(y.shape[1])) if given is None else given
    return Labels(classes, matrix.indices.astype(np.int32), matrix.indptr.astype(np.int64))


# ---- classes -------------------------------------------------------------------------------------


def check_classes(classes: Iterable[Hashable], name: Name = "classes") -> list[Hashable]:
    """Return the classes as a list, after checking that they are distinct and not missing."""
    sequence = as_sequence(classes, name, "labels")
    listed = [_plain(c) for c in (sequence if isinstance(sequence, list) else _as_list(sequence))]
    seen: set[Hashable] = set()
    for label in listed:
        try:
            is_repeated = label in seen
        except TypeError:  # the label has no hash
            _require_hashable(label, said("{name} hold a label that", name=named(name)))
            raise
        if _is_missing(label):
            raise wrong_value(
                "{name} hold {label!r}, which stands for a missing label",
                name=named(name),
                label=label,
            )
        if is_repeated:
            raise wrong_value("{name} hold {label!r} twice", name=named(name), label=label)
        seen.add(label)
    return listed


def in_order(classes: list[Hashable]) -> list[Hashable]:
    """Sort labels, or sort them by type name and repr if they cannot be compared."""
    if not any(isinstance(label, Set) for label in classes):  # the operator < of sets means subset
        with suppress(TypeError):
            return sorted(classes)  # type: ignore[type-var]
    return sorted(classes, key=lambda label: (type(label).__name__, repr(label)))


def unite_classes(
    current: list[Hashable], added: list[Hashable]
) -> tuple[list[Hashable], list[int], list[int]]:
    """Return the union of two lists of classes, and each class's position in both, or -1."""
    if current == added:  # as usual, and the tables below would take half the time of a small sum
        rows = list(range(len(current)))
        return current, rows, rows
    present = set(current)
    late = [c for c in added if c not in present]
    united = current + late
    if late and in_order(current) == current:
        united = in_order(united)
    places = ({c: i for i, c in enumerate(listed)} for listed in (current, added))
    in_current, in_added = ([place.get(c, -1) for c in united] for place in places)
    return united, in_current, in_added


def united_labels(current: list[Hashable], labels: Labels) -> tuple[Labels, list[int]]:
    """Return labels of the union of two lists of classes.

    Also return each class's position in the list ``current``, or -1.
    """
    united, in_current, in_labels = unite_classes(current, labels.classes)
    if in_current == in_labels:
        return Labels(united, labels.codes, labels.indptr), in_current
    place = {label: c for c, label in enumerate(united)}
    to_united = np.array([place[label] for label in labels.classes], dtype=np.int32)
    return Labels(united, to_united[labels.codes], labels.indptr), in_current


# ---- one label -----------------------------------------------------------------------------------


def _require_hashable(label: Any, where: Message, cure: str = "", *arguments: str) -> None:
    try:
        hash(label)
    except TypeError:
        kind = type(label).__name__
        error = wrong_type(
            "{where} is a {kind}, expected something hashable{cure}",
            where=where,
            kind=kind,
            cure=cure,
        )
        raise concerning(error, *arguments) from None


def _is_missing(label: Any) -> bool:
    """Return whether a label or a part of it is None, NaN, NaT or NA."""
    if isinstance(label, (tuple, frozenset)):
        return any(map(_is_missing, label))
    try:
        return label is None or bool(label != label)  # NaN and NaT are unequal to themselves.
    except TypeError:  # The NA of pandas has no truth value.
        return True


def _plain(label: Any) -> Any:
    """Return a numpy scalar as a Python value, which prints plainly and can be saved."""
    return (
        label.item() if isinstance(label, (np.bool_, np.integer, np.floating, np.str_)) else label
    )


def check_groups(
    classes: Iterable[Hashable] | Mapping[Hashable, Any],
    known: list[Hashable],
    name: Name = "classes",
) -> dict[Hashable, list[int]]:
    """Return a dict from the new label of each group to the positions of its classes."""
    groups: dict[Hashable, Any]
    if isinstance(classes, Mapping):
        # Copies, because another thread may change the dict and its lists.
        groups = {
            new: list(old) if isinstance(old, list) else [old] for new, old in dict(classes).items()
        }
    else:
        groups = {label: [label] for label in check_classes(classes, name)}
    if not check_classes(list(groups), name) or not all(groups.values()):
        raise wrong_value(
            "{name} and each of its groups must hold at least one class", name=named(name)
        )
    old_labels = check_classes((old for group in groups.values() for old in group), name)
    position = {label: row for row, label in enumerate(known)}
    if absent := [label for label in old_labels if label not in position]:
        some = f", expected one of {listed(known)}" if len(known) <= 10 else ""
        hint = did_you_mean(absent[0], [label for label in known if isinstance(label, str)])
        error = wrong_value(
            "there is no class {label!r}{some}{hint}", label=absent[0], some=some, hint=hint
        )
        raise concerning(error, *named(name).arguments)
    return {new: [position[old] for old in group] for new, group in groups.items()}
