"""Make counts of the core, from documents or from the arrays of earlier counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias, cast

from termsift import _core
from termsift._util import validation
from termsift._util.faults import carrying, concerning, said
from termsift._util.messages import logger

TermFrequency: TypeAlias = Literal["raw", "log", "binary"]

# The arguments of `_core.Counts.from_arrays`, which are also the keys of its `to_arrays`.
_SIZES = "n_terms", "n_docs", "has_collection"
_ARRAYS = "class_docs", "indptr", "terms", "term_frequency", "document_frequency", "unlisted_tokens"


def restored(arrays: Mapping[str, Any]) -> _core.Counts:
    """Return the counts whose `to_arrays` a pickle or skops has stored."""
    # Arguments by position, because a forged name may end the process in pybind11.
    return _core.Counts.from_arrays(*(arrays[name] for name in (*_SIZES, *_ARRAYS)))


def is_exact(matrix: validation.Csr, weights: _core.Count | None, tf: str) -> bool:
    """Return whether the counts of these documents are integers."""
    integers = tf == "binary" or (tf == "raw" and matrix.data.dtype.kind != "f")
    return integers and (weights is None or weights.dtype.kind == "i")


def add_documents(
    counts: _core.Counts | None,
    matrix: validation.Csr,
    labels: validation.Labels,
    weights: _core.Count | None,
    tf: str,
    n_threads: int,
) -> _core.Counts:
    """Add documents to counts of the same classes (or to None), and return the sum."""
    if counts is None:
        counts = _core.Counts(len(labels.classes), is_exact(matrix, weights, tf))
    exact = counts.exact and is_exact(matrix, weights, tf)
    # The core cannot add documents to the counts of a frequency list, so the documents are counted
    # separately, and both counts are merged.
    has_lists = counts.undocumented.any() or counts.unlisted_tokens.any()
    base = _core.Counts(len(labels.classes), counts.exact) if has_lists else counts

    def updated(csr: validation.Csr) -> tuple[_core.Counts, str] | None:
        return base.updated(
            *csr.parts,
            csr.by_term,
            labels.indptr,
            labels.codes,
            weights if exact else validation.as_float_weights(weights),
            _core.TermWeight.__members__[tf],
            n_threads,
            _core.default_window_bytes,
        )

    with _explaining(matrix, weights), validation.naming_classes(labels.classes):
        found = updated(matrix) if weights is None else None
        added, path = found or cast(
            tuple[_core.Counts, str], updated(matrix.by_document(n_threads))
        )
    _log(matrix, labels, path)
    return counts.merge(added) if has_lists else added


def add_block(
    counts: _core.GrowingCounts,
    matrix: validation.Csr,
    labels: validation.Labels,
    tf: str,
    n_threads: int,
) -> None:
    """Add the documents of a block to counts in place. The block's classes begin with theirs."""
    with _explaining(matrix, None), validation.naming_classes(labels.classes):
        path = counts.add(
            *matrix.parts,
            labels.indptr,
            labels.codes,
            len(labels.classes),
            _core.TermWeight.__members__[tf],
            n_threads,
            _core.default_window_bytes,
        )
    _log(matrix, labels, path)


@contextmanager
def _explaining(matrix: validation.Csr, weights: _core.Count | None) -> Iterator[None]:
    """Say which arguments an error of the core is about, or what helps if memory is short."""
    try:
        yield
    except ValueError as error:
        if not hasattr(error, "argument"):  # the error of a count is the core's
            concerning(error, "X", *(() if weights is None else ("sample_weight",)))
        raise
    except MemoryError:
        message = said(
            "not enough memory to count documents of {n_terms:,} terms: in addition to the counts, "
            "each thread needs up to 12 bytes for each term, or 28 bytes if the counts are not "
            "integers; use fewer terms ({hashing}) or fewer threads",
            n_terms=matrix.n_terms,
        )
        raise carrying(MemoryError, message) from None


def _log(matrix: validation.Csr, labels: validation.Labels, path: str) -> None:
    """Log what was counted."""
    sizes = matrix.n_docs, matrix.n_terms, len(labels.classes), len(matrix.data)
    logger.debug("counted %d documents, %d terms, %d classes, %d entries by %s", *sizes, path)
