"""Read texts and their labels from any container, in blocks for the core."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._util import validation
from termsift._util.extras import is_from, require
from termsift._util.faults import (
    all_named,
    blaming,
    concerning,
    excluded,
    named,
    renaming,
    said,
    wrong_type,
    wrong_value,
)
from termsift.text._documents import Block, Documents, LabelledDocuments

# Texts that are already in memory form one block. Iterators and streams are read one block at a
# time, until the block has 2^17 texts or 2^25 characters.
_BLOCK_TEXTS = 1 << 17
_BLOCK_CHARACTERS = 1 << 25
_TEXTS_AT_ONCE = 64
_DATASET_ROWS = 1 << 13

# Consecutive texts, some of which may be missing, and their labels. The labels are in a form that
# `LabelCoder` accepts, or None if there is no label column.
_Part: TypeAlias = tuple[_core.Texts, Any]


def text_blocks(texts: Any, argument: str = "texts") -> Iterator[_core.Texts]:
    """Yield texts in blocks. A missing text is an error, which gives the argument this name."""
    return UnlabelledTexts(texts, argument=argument).texts()


def labelled_parts(
    texts: Any, text: Any = None, label: Any = None, *, has_text: bool = True
) -> Iterator[_Part]:
    """Return an iterator over texts, a part at a time, with a frame's label column if named.

    ``has_text`` says whether the caller has an argument ``text``, which names a column. None, NaN,
    NaT, NA and Arrow's nulls are missing texts.
    """
    # Most texts come in a list. The checks below take a fifth of the time of classifying two texts.
    if text is None and label is None and isinstance(texts, (list, tuple)):
        return iter([(_strings(texts), None)])
    if isinstance(texts, (str, bytes, bytearray, os.PathLike)):
        raise wrong_type(
            "{texts} is a single {kind}, expected a list of strings: for one text pass [text], for "
            "a file use termsift.count(termsift.scan(path))",
            kind=type(texts).__name__,
        )
    validation.refuse_engines(texts, "texts", "count_texts")
    _refuse_datasets(texts)
    if isinstance(texts, (Mapping, Set)):
        kind = validation.a_kind(texts)
        raise wrong_type("{texts} must hold strings in order, got {kind}", kind=kind)
    if type(texts).__name__ == "LazyFrame":
        raise wrong_type(
            "{texts} is a LazyFrame: pass {texts}.collect(), or merge counts of batches"
        )
    if text is None and label is None and not is_frame(texts):
        whole = _whole(texts)
        return _iterated(texts) if whole is None else iter([(whole, None)])
    if is_frame(texts) and (is_from(texts, "pandas") or is_from(texts, "polars")):
        columns = _text_columns(texts, list(texts.columns), text, label, has_text)
        return _of_frame(texts, columns, label)
    if not (hasattr(texts, "__arrow_c_stream__") or _is_dataset(texts)):
        raise excluded(
            "{texts} is {kind} and has no columns: leave out the arguments {text} and {label}, "
            "which name columns of a frame",
            kind=validation.a_kind(texts),
        )
    # pyarrow streams tables and record batches without copying them.
    pyarrow = require("pyarrow", "arrow", f"reading the columns of a {type(texts).__name__}")
    if _is_dataset(texts):
        schema, batches = texts.features.arrow_schema, _batches_of_dataset(texts)
    else:
        batches = pyarrow.RecordBatchReader.from_stream(texts)
        schema = batches.schema
    columns = _text_columns(texts, schema.names, text, label, has_text)
    return _of_batches(pyarrow, schema, batches, columns, label)


def _of_frame(frame: Any, columns: list[Any], label: Any) -> Iterator[_Part]:
    """Yield the texts and labels of a frame of pandas or polars, in one part if not joined."""
    parts = []
    for column in columns:
        with validation.naming(f"column {column!r}"), blaming("text"):
            parts.append(_whole(frame[column]))
    of_columns = [part for part in parts if part is not None]
    assert len(of_columns) == len(parts)  # a column of a frame is in memory
    labels = None if label is None else validation.label_sequence(frame[label], "label")
    if len(columns) == 1:
        return iter([(of_columns[0], labels)])
    return _joined_parts(of_columns, labels)


def _joined_parts(columns: list[_core.Texts], labels: Any) -> Iterator[_Part]:
    """Yield joined texts, which are copies, in blocks."""
    n_docs = len(columns[0])
    for first in range(0, n_docs, _BLOCK_TEXTS) or [0]:
        rows = np.arange(first, min(first + _BLOCK_TEXTS, n_docs))
        yield _core.Texts.joined([column.take(rows) for column in columns]), _at(labels, rows)


def _whole(texts: Any) -> _core.Texts | None:
    """Return the texts of a column in memory, or None for an iterator."""
    with blaming("texts"):
        return _texts_of(texts)


def _texts_of(texts: Any) -> _core.Texts | None:
    if getattr(texts, "ndim", 1) != 1:
        cure = said(": pass one column, as in {texts}[:, 0]") if texts.ndim == 2 else ""
        raise wrong_type(
            "{texts} has the shape {shape}, expected one dimension{cure}",
            shape=texts.shape,
            cure=cure,
        )
    if isinstance(texts, _core.Texts):
        return texts
    if is_from(texts, "pandas") and hasattr(texts, "dtype"):
        dtype = texts.dtype
        if hasattr(dtype, "pyarrow_dtype") or getattr(dtype, "storage", None) == "pyarrow":
            return _core.Texts.of_arrow(texts.array.__arrow_array__())
        # The Arrow interface would copy strings that pyarrow does not store.
        texts = np.asarray(texts, dtype=object if dtype.kind == "O" else None)
    if isinstance(texts, np.ndarray):
        if texts.dtype.kind == "f" and np.isnan(texts).all():
            texts = np.full(len(texts), None)  # pandas gives an empty column the dtype float
        if texts.dtype.kind not in "OUT":
            raise wrong_type("{texts} has the dtype {dtype}, expected strings", dtype=texts.dtype)
        texts = texts.tolist()
    if isinstance(texts, (list, tuple)):
        return _strings(texts)
    return validation.texts_of_arrow(texts) if validation.is_column_of_arrow(texts) else None


def _is_dataset(texts: Any) -> bool:
    """Return whether texts are a dataset of Hugging Face that is on the disk or in memory."""
    return is_from(texts, "datasets") and hasattr(texts, "with_format") and hasattr(texts, "select")


def _batches_of_dataset(dataset: Any) -> Iterator[Any]:
    """Yield the record batches of a dataset, in the order of its rows."""
    for table in dataset.with_format("arrow").iter(batch_size=_DATASET_ROWS):
        yield from table.to_batches()


def _refuse_datasets(texts: Any) -> None:
    """Raise an error if texts are a stream of Hugging Face, or several datasets."""
    cures = {
        "IterableDataset": said(
            "merge the counts of {texts}.with_format('arrow').iter(batch_size=10_000)"
        ),
        "DatasetDict": said("pass one of its splits, as in {texts}['train']"),
        "IterableDatasetDict": said("pass one of its splits, as in {texts}['train']"),
    }
    kind = type(texts).__name__
    if is_from(texts, "datasets") and kind in cures:
        raise wrong_type(
            "{texts} is {kind} of Hugging Face: {cure}",
            kind=validation.a_kind(texts),
            cure=cures[kind],
        )


def _iterated(texts: Iterable[Any]) -> Iterator[_Part]:
    """Yield the texts of an iterable, in blocks of a bounded size."""
    rest, row = iter(validation.check_iterable(texts, "texts", "strings")), 0
    block: list[Any] = []
    n_characters = 0
    while more := list(islice(rest, _TEXTS_AT_ONCE)):
        block += more
        try:
            n_characters += sum(map(len, more))
        except TypeError:  # a text is missing or is not a string
            n_characters += sum(len(text) for text in more if isinstance(text, str))
        if len(block) >= _BLOCK_TEXTS or n_characters >= _BLOCK_CHARACTERS:
            yield _strings(block, row), None
            row += len(block)
            block, n_characters = [], 0
    if block:
        yield _strings(block, row), None


def _strings(block: Sequence[Any], first: int = 0) -> _core.Texts:
    with blaming("texts"):
        return _core.Texts.of_strings(block, allow_missing=True, first_row=first)


def is_frame(texts: Any) -> bool:
    """Return whether an object has columns. A Series has one dimension, so it has no columns."""
    names = ("columns", "column_names", "schema")
    return getattr(texts, "ndim", 2) == 2 and any(hasattr(texts, name) for name in names)


def _of_batches(
    pyarrow: Any, schema: Any, reader: Iterable[Any], columns: list[Any], label: Any
) -> Iterator[_Part]:
    """Yield the texts and labels of record batches, in blocks of a bounded size."""
    batches: list[Any] = []
    n_rows = n_bytes = 0
    names = None if label is None else validation.class_names(schema, label)

    def block() -> _Part:
        table = pyarrow.Table.from_batches(batches)
        labels = None if label is None else table.column(label)
        if names is not None and labels is not None:
            labels = [validation.named_class(number, names) for number in labels.to_pylist()]
        elif labels is not None:
            labels = validation.label_sequence(labels, "label")
        with blaming("text"):
            return _joined([_core.Texts.of_arrow(table, column) for column in columns]), labels

    for batch in reader:
        batches.append(batch)
        n_rows += batch.num_rows
        n_bytes += sum(batch.column(column).nbytes for column in columns)
        if n_rows >= _BLOCK_TEXTS or n_bytes >= _BLOCK_CHARACTERS:
            yield block()
            batches.clear()
            n_rows = n_bytes = 0
    if batches:
        yield block()


def _joined(columns: list[_core.Texts]) -> _core.Texts:
    """Return the texts of one or several columns, which are joined by a blank."""
    return columns[0] if len(columns) == 1 else _core.Texts.joined(columns)


def _text_columns(frame: Any, names: list[Any], text: Any, label: Any, has_text: bool) -> list[Any]:
    """Return the text columns. Check that each text column and the label column occur once."""
    columns = text if isinstance(text, list) else [text]
    if not columns:
        raise wrong_value("{text} must name one or several columns")
    if text is None:
        if len(names) != 1:
            raise wrong_type(
                "{texts} is {kind} with the columns {columns}, expected one column of texts: "
                "{cure}",
                cure=said("name it, as in {text='text'}, or pass it alone")
                if has_text
                else "pass it alone",
                kind=validation.a_kind(frame),
                columns=validation.listed(names),
            )
        columns = names
    check_named(names, {"text": columns, "label": label})
    return list(columns)


def only_column(frame: Any, argument: str) -> Any:
    """Return the column of a frame that has only one. Errors give the argument this name."""
    is_arrow = is_from(frame, "pyarrow")
    names = frame.schema.names if is_arrow else list(frame.columns)
    with renaming("texts", argument):
        (name,) = _text_columns(frame, names, None, None, False)
    return frame.column(name) if is_arrow else frame[name]


def check_named(names: list[Any], wanted: Mapping[str, Any]) -> None:
    """Check that a frame has exactly one column of each name in ``wanted``.

    A value may be a list of several names.
    """
    for parameter, value in wanted.items():
        for name in _several(value):
            if name is not None:
                cure = "name a column of the frame"
                with blaming(parameter):
                    validation.check_one_column(named(parameter), name, names, cure)
    for parameter, value in wanted.items():
        if len(set(_several(value))) < len(_several(value)):
            raise wrong_value(
                "{parameter} names a column twice: {columns}",
                parameter=named(parameter),
                columns=validation.listed(value),
            )
    chosen = [name for value in wanted.values() for name in _several(value) if name is not None]
    if len(set(chosen)) < len(chosen):
        raise wrong_value(
            "{names} name the same column: {columns}",
            names=all_named([name for name, value in wanted.items() if value is not None]),
            columns=validation.listed(chosen),
        )


def _several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _at(labels: Any, rows: NDArray[np.int64]) -> Any:
    """Return the labels of consecutive documents, in any form that `label_sequence` returns."""
    if labels is None or isinstance(labels, _core.Texts):
        return labels if labels is None else labels.take(rows)
    return labels[rows[0] : rows[-1] + 1] if len(rows) else labels[:0]


def _split(parts: Iterator[_Part], n_bytes: int) -> Iterator[_Part]:
    """Split large parts, so that the memory limit is checked often enough."""
    for texts, column in parts:
        n_rows = max(1, len(texts) * n_bytes // max(texts.n_bytes, 1))
        for first in range(0, len(texts), n_rows):
            rows = np.arange(first, min(first + n_rows, len(texts)))
            yield texts.take(rows), _at(column, rows)


class UnlabelledTexts(Documents):
    """Texts in a container, without labels."""

    def __init__(self, texts: Any, text: Any = None, argument: str = "texts") -> None:
        super().__init__()
        self.argument = argument
        with renaming("texts", argument):
            self._parts = labelled_parts(texts, text, has_text=argument == "texts")

    def _blocks(self) -> Iterator[Block]:
        with renaming("texts", self.argument):
            for texts, _ in self._parts:
                first = self.n_docs
                if len(texts.missing):
                    raise wrong_value(
                        "{texts} has a missing value at {row}, expected strings: drop the missing "
                        "texts or replace them by ''",
                        row=first + texts.missing[0],
                    )
                yield Block(texts, None, range(first, first + len(texts)))
                del texts  # free them before the next part is read


class LabelledTexts(LabelledDocuments):
    """Texts in a container, with the labels of the documents from ``y`` or from a column."""

    def __init__(
        self,
        texts: Any,
        y: Any,
        *,
        text: Any = None,
        label: Any = None,
        classes: Iterable[Hashable] | None = None,
        part_bytes: int | None = None,
        argument: str = "texts",
    ) -> None:
        super().__init__()
        self.argument = argument
        with renaming("texts", argument):
            parts = labelled_parts(texts, text, label, has_text=argument == "texts")
        self._parts = parts if part_bytes is None else _split(parts, part_bytes)
        self._argument = argument if text is None else "text"
        if (y is None) == (label is None):
            raise excluded(
                "expected labels: pass either {y}, with one label per document in order, or "
                "{label}, the name of the label column"
            )
        given = None if classes is None else validation.check_classes(classes)
        # The labels of a column are numbered as they appear.
        self._coder = validation.LabelCoder(given, "label") if y is None else None
        self._labels = None if y is None else validation.check_labels(y, None, given)
        self.one_label_each = self._labels is None or self._labels.indptr is None

    @property
    def classes(self) -> list[Hashable]:
        source: Any = self._coder or self._labels
        return list(source.classes)

    @property
    def ordered(self) -> list[Hashable]:
        return self.classes if self._coder is None else self._coder.ordered

    def _blocks(self) -> Iterator[Block]:
        n = None if self._labels is None else self._labels.n_docs
        with renaming("texts", self.argument):
            for texts, column in self._parts:
                first, stop = self.n_docs, self.n_docs + len(texts)
                if n is not None and stop > n:
                    raise self._other_number(n, f"{validation.number_of(stop, 'text')} or more")
                if self._labels is not None:
                    labels = self._labels.of(slice(first, stop))
                else:
                    assert self._coder is not None
                    codes = self._coder.codes(column, first)
                    labels = validation.Labels(self._coder.listed, codes, None)
                if len(texts.missing):
                    place = first + texts.missing[0]
                    fault = f"the text of document {place} is missing: {validation.LEAVE_OUT}"
                    raise concerning(ValueError(fault), self._argument)
                yield Block(texts, labels, range(first, stop))
                del texts, column  # free them before the next part is read
        if n is not None and self.n_docs < n:
            raise self._other_number(n, validation.number_of(self.n_docs, "text"))

    def _other_number(self, n: int, texts: str) -> ValueError:
        """Return the error for n labels of another number of texts."""
        labels = validation.number_of(n, "label")
        error = wrong_value("{y} has {labels} for {of_texts}", labels=labels, of_texts=texts)
        return concerning(error, "y", self.argument)
