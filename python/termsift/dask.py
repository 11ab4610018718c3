"""Count with Dask: workers count the parts, and a tree of tasks adds up the partial counts.

termsift must be installed where the workers run.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import partial, reduce
from importlib.util import find_spec
from typing import Any, TypeVar, Unpack

import numpy as np

from termsift._api import counting
from termsift._api.class_counts import ClassCounts
from termsift._api.parts import count_parts
from termsift._counts.adding import TermFrequency
from termsift._util import validation
from termsift._util.extras import require
from termsift._util.faults import concerning, named, wrong_type, wrong_value
from termsift.text._blocks import check_named, is_frame
from termsift.text._rules import Rules, rules_of, shows

__all__ = ["count", "count_texts"]

_Part = TypeVar("_Part")

_dask = require("dask", "dask", "termsift.dask")
_base = require("dask.base", "dask", "termsift.dask")
_array = require("dask.array", "dask", "termsift.dask")

_SPLIT_EVERY = 8  # the number of partial counts that each task adds up


def count(
    X: Any, y: Any = None, *, classes: Iterable[Hashable] | None = None, tf: TermFrequency = "raw"
) -> ClassCounts:
    """Count a labelled collection by class, on the Dask workers that hold its chunks.

    Parameters
    ----------
    X : dask array of shape (n_docs, n_terms), or list of chunks
        The blocks of an array are CSR, CSC or dense matrices of whole rows. The lengths of blocks
        may be unknown. The chunks of a list are pairs (X, y) or triples (X, y, sample_weight) of
        anything that `termsift.count` accepts. Each chunk may be delayed, or a future of Dask.
    y : dask array, if X is an array
        Labels of any hashable type, or an indicator matrix. If the lengths of all blocks are known,
        y is rechunked like X.
    classes, tf
        As for `termsift.count`.

    Returns
    -------
    counts : ClassCounts
        The same counts as `termsift.count` returns for the stacked chunks. A chunk in a list may
        have fewer terms than others, no documents, or only some of the classes.

    Raises
    ------
    ValueError, CountOverflowError, TypeError
        As for `termsift.count`. The error message names the block or chunk, and the row within it.

    Notes
    -----
    The workers of the current client, or Dask's scheduler, count each chunk on one thread.
    Fractions are summed in document order within a chunk. The counts of the chunks are added in
    order, eight at a time. The bits of the result depend only on the division of rows into chunks.

    Examples
    --------
    >>> import dask, dask.array as da, numpy as np, termsift as ts
    >>> X = da.from_array(np.array([[2, 1, 0], [0, 1, 1], [1, 0, 0]]), chunks=(2, 3))
    >>> y = da.from_array(np.array(["ham", "spam", "ham"]), chunks=2)
    >>> ts.dask.count(X, y).term_frequency.toarray()
    array([[3, 1, 0],
           [0, 1, 1]])
    """
    validation.check_tf(tf)
    labels = None if classes is None else validation.check_classes(classes)
    count_chunk = partial(_of_matrix, classes=labels, tf=tf)
    if isinstance(X, _array.Array):
        chunks = zip(_blocks(X, X, "X"), _blocks(X, y, "y"), strict=True)
        return _total(chunks, "block", count_chunk, ClassCounts.__add__)
    if not isinstance(X, (list, tuple)) or y is not None:
        cure = "for a matrix in memory, use termsift.count(X, y)"
        if _dask.is_dask_collection(X):
            cure = "make an array with X.to_dask_array(lengths=True), or a list of delayed chunks"
        raise wrong_type(
            "expected a dask array {X} with {y}, or a list of chunks (X, y) or (X, y, "
            "sample_weight), which may be delayed, got {kind}: {cure}",
            kind=_a_kind(X),
            cure=cure,
        )
    return _total(X, "chunk", count_chunk, ClassCounts.__add__)


@shows(Rules)
def count_texts(
    texts: Any,
    *,
    text: str | list[str] = "text",
    label: str = "label",
    classes: Iterable[Hashable] | None = None,
    tf: TermFrequency = "raw",
    max_memory: int | None = None,
    **rules: Unpack[Rules],
) -> ClassCounts:
    """Count the terms of labelled texts by class, on the workers that hold the texts.

    Parameters
    ----------
    texts : dask data frame, or list of parts
        A frame has a column of texts and a column of labels. A part of a list is such a frame or
        Arrow table, or a pair (texts, y) as for `termsift.count_texts`. A part may be delayed, or a
        future of Dask.
    text : str or list of str, default "text"
        The column of texts. The texts of several columns are joined as in `termsift.count_texts`.
    label : str, default "label"
        The column of labels. A pair has its own labels.
    classes, tf
        As for `termsift.count`.
    max_memory, **rules
        As for `termsift.count_texts`, but ``max_memory`` limits only the sketches in a task. With
        ``max_memory``, the parts are read twice.

    Returns
    -------
    counts : ClassCounts
        The counts that `termsift.count_texts` returns for all texts at once.

    Raises
    ------
    ValueError, CountOverflowError, TypeError
        As for `termsift.count_texts`. The error message names the part and the document within the
        part. ValueError is also raised for ``max_features`` unless tf is "raw".

    Notes
    -----
    Each part is split into terms and counted on one thread. Eight partial counts are merged at a
    time, and terms are matched by name. Terms that are too rare or too frequent are dropped only
    after the last merge. A worker needs memory for one part and eight partial counts, and the last
    task needs memory for all terms.

    Examples
    --------
    >>> import termsift as ts
    >>> parts = [(["Bacon and eggs", "Eggs"], ["ham", "ham"]), (["Cheap pills"], ["spam"])]
    >>> counts = ts.dask.count_texts(parts)
    >>> list(counts.term_names), counts.term_frequency.toarray().tolist()
    (['and', 'bacon', 'cheap', 'eggs', 'pills'], [[1, 1, 0, 2, 0], [0, 0, 1, 0, 1]])
    """
    text_rules = rules_of(rules, count_texts)
    if isinstance(texts, (list, tuple)):
        parts: Any = texts
    elif _dask.is_dask_collection(texts) and type(texts).__name__ == "DataFrame":
        columns = list(texts.columns)
        if text is None or label is None:
            raise wrong_type(
                "{texts} has the columns {columns}: name the columns of texts and labels by the "
                "arguments {text} and {label}",
                columns=validation.listed(columns),
            )
        check_named(columns, {"text": text, "label": label})
        wanted = [*(text if isinstance(text, list) else [text]), label]
        parts = texts[wanted].to_delayed()  # some readers can skip unused columns
    else:
        in_memory = "" if _dask.is_dask_collection(texts) else ": use termsift.count_texts"
        raise wrong_type(
            "{texts} must be a dask data frame, whose columns you name by the arguments {text} and "
            "{label}, or a list of parts, got {kind}{in_memory}",
            kind=_a_kind(texts),
            in_memory=in_memory,
        )

    def total(of_part: Any) -> Any:
        return _total(parts, "part", partial(_of_texts, of_part, text, label), of_part.together)

    return count_parts(total, text_rules, tf, classes, max_memory)


def _total(
    chunks: Iterable[Any],
    kind: str,
    count: Callable[[Any], _Part],
    together: Callable[[_Part, _Part], _Part],
) -> _Part:
    """Count chunks, which may be delayed, and combine their results in a tree of tasks."""
    _check_workers()
    shared = _dask.delayed(count, traverse=False)  # Dask sends ``count`` and its sketch only once
    count_chunk = _dask.delayed(_named, pure=False)
    add_up = _dask.delayed(partial(reduce, together), pure=False)
    partials = [
        count_chunk(f"{kind} {i}", shared, _untraversed(chunk)) for i, chunk in enumerate(chunks)
    ]
    if not partials:
        fault = f"there are no {kind}s, expected at least one"
        raise concerning(ValueError(fault), "texts" if kind == "part" else "X")
    while len(partials) > 1:
        starts = range(0, len(partials), _SPLIT_EVERY)
        partials = [add_up(partials[start : start + _SPLIT_EVERY]) for start in starts]
    total: _Part = partials[0].compute()
    return total


def _check_workers() -> None:
    """Raise an error if workers lack termsift, because Dask would wait for them for ever."""
    client = getattr(_base.get_scheduler(), "__self__", None)
    if client is None or client.asynchronous:
        return  # Dask counts in this process or its children, or the caller waits
    found = client.run(find_spec, "termsift", on_error="return")
    if without := [worker for worker, spec in found.items() if spec is None]:
        raise ImportError(
            f"workers lack termsift: {validation.listed(without)}; install it in the environment "
            "of the scheduler and of every worker"
        )


def _named(place: str, count: Callable[[Any], Any], chunk: Any) -> Any:
    """Count a chunk. The messages of errors begin with ``place``."""
    with validation.naming(place):
        return count(chunk)


def _untraversed(chunk: Any) -> Any:
    """Wrap all parts of a chunk that are not delayed, so that Dask does not search in them."""

    def whole(part: Any) -> Any:
        return part if _dask.is_dask_collection(part) else _dask.delayed(part, traverse=False)

    return [whole(part) for part in chunk] if isinstance(chunk, (tuple, list)) else whole(chunk)


def _blocks(X: Any, values: Any, name: str) -> list[Any]:
    """Return X or its labels as delayed blocks. Blocks of labels are as long as the blocks of X."""
    lengths = X.chunks[0]
    if not isinstance(values, _array.Array):
        cure = f"dask.array.from_array({name}, chunks=X.chunks[0])"
        if _dask.is_dask_collection(values):
            cure = f"{name}.to_dask_array(lengths=True)"
        raise wrong_type(
            "{name} is {kind}, expected a dask array, because {X} is one: use {cure}",
            name=named(name),
            kind=_a_kind(values),
            cure=cure,
        )
    if values.ndim == 2 and values.numblocks[1] != 1:
        raise wrong_value(
            "{name} has {n} blocks of columns, expected whole rows: use rechunk({{1: -1}})",
            name=named(name),
            n=values.numblocks[1],
        )
    if not np.isnan([*lengths, *values.chunks[0]]).any():
        if len(values) != sum(lengths):
            raise wrong_value(
                "{name} has {labels} for {documents}",
                name=named(name),
                labels=validation.number_of(len(values), "label"),
                documents=validation.number_of(sum(lengths), "document"),
            )
        values = values.rechunk({0: lengths})
    elif values.numblocks[0] != len(lengths):
        raise wrong_value(
            "{name} has {n} blocks, {X} has {n_blocks}",
            name=named(name),
            n=values.numblocks[0],
            n_blocks=len(lengths),
        )
    return list(values.to_delayed().ravel())


def _of_matrix(chunk: Any, **options: Any) -> ClassCounts:
    _check_parts(chunk, (2, 3), "(X, y) or (X, y, sample_weight)", "X")
    return counting.count(*chunk, **options, n_threads=1)


def _of_texts(count: Callable[..., Any], text: Any, label: Any, part: Any) -> Any:
    """Count a frame with a column of labels, or a pair (texts, y)."""
    if is_frame(part):
        return count(part, None, text=text, label=label)
    expected = "(texts, y), or a frame with a column of texts and a column of labels"
    _check_parts(part, (2,), expected, "texts")
    texts, y = part
    if isinstance(texts, str):
        fault = f"expected {expected}, got {validation.a_kind(part)} of strings"
        raise concerning(TypeError(fault), "texts")
    return count(texts, y, text=text if is_frame(texts) else None)


def _a_kind(values: Any) -> str:
    """Return the type of an object and its library, which many types share."""
    library = type(values).__module__.partition(".")[0]
    return validation.a_kind(values) + ("" if library == "builtins" else f" of {library}")


def _check_parts(values: Any, lengths: tuple[int, ...], expected: str, name: str) -> None:
    if not isinstance(values, (tuple, list)) or len(values) not in lengths:
        fault = f"expected {expected}, got {validation.a_kind(values)}"
        raise concerning(TypeError(fault), name)
