"""svmlight text, parsed a block of lines at a time.

A line is a document: ``label[,label...] [qid:number] index:count ... [# comment]``. Blank lines and
comments are ignored, and indices come in any order.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from io import BufferedIOBase
from pathlib import Path
from typing import Any

import numpy as np

from termsift import _core
from termsift._util import scipy
from termsift._util.validation import check_n_threads
from termsift.io._labels import indicator_of, integers_if_whole, is_npy, read_labels
from termsift.io._opening import existing, opened
from termsift.io._source import COMPLAINTS_KEPT, SKIP, MatrixBlock, MatrixBlocks, Options, Source

_BOM = b"\xef\xbb\xbf"  # the byte order mark, which some editors put before the text
_LINES_AT_ONCE = 1 << 19  # on average, where a block of short lines is cut


class SvmlightFile(Source):
    """An svmlight file, with labels of its own or in another file."""

    def __init__(self, path: Path, labels: Path | None, options: Options) -> None:
        super().__init__(path, labels, options)
        self._labels = None if labels is None else existing(labels)
        if self._labels is not None:
            if options.skip:
                raise ValueError(
                    f"{labels}: labels would belong to other lines once {path} has lines left out; "
                    "leave out on_error='skip'"
                )
            self.files = [path, self._labels]
            self.labels_are_text = not is_npy(self._labels)

    def blocks(self) -> MatrixBlocks:
        """Parse the text, and take the labels of each document from it or from their own file."""
        options, n_docs = self.options, 0
        y = None if self._labels is None else read_labels(self._labels)
        base, names = options.index_base, options.names
        n_terms = _core.max_terms if names is None else len(names)
        notes = [] if names is None else [f"there are {n_terms} names of terms"]
        notes += ["from 0 with index_base=0 or --index-base 0"] if base == 1 else []
        with opened(self.path) as (content, raw):
            parsed_blocks = read_blocks(
                content,
                str(self.path),
                multilabel=None if y is None else True,
                skip=options.skip,
                indices=(base, base + n_terms - 1),
                index_note=f" ({'; '.join(notes)})" if notes else "",
                n_threads=options.n_threads or None,
            )
            with closing(parsed_blocks), self._with_cure():
                for parsed in parsed_blocks:
                    indptr, indices = parsed["indptr"], parsed["indices"]
                    width = int(indices.max(initial=base - 1)) - base + 1
                    shape = len(indptr) - 1, width if names is None else len(names)
                    columns = (indices - base).astype(np.int32)
                    X = scipy.sparse.csr_array((parsed["data"], columns, indptr), shape=shape)
                    begin, n_docs = n_docs, n_docs + shape[0]
                    if y is None:
                        labels, classes = _own_labels(parsed)
                    else:
                        self.check_n_labels(y.shape[0], max(y.shape[0], n_docs))
                        labels, classes = y[begin:n_docs], None
                    complaints = [
                        f"{self.path}, line {line}: {what}"
                        for line, what in parsed["skipped"][:COMPLAINTS_KEPT]
                    ]
                    n_skipped = parsed["n_skipped"]
                    del parsed, indices, columns  # before the next block is parsed
                    yield MatrixBlock(
                        raw.tell(), n_skipped, complaints, X=X, y=labels, classes=classes
                    )
                    del X, labels
        if y is not None:
            self.check_n_labels(y.shape[0], n_docs)

    @contextmanager
    def _with_cure(self) -> Iterator[None]:
        """Add to an error of a line how to leave the line out, if it can be."""
        try:
            yield
        except ValueError as error:
            can_skip = self._labels is None and not self.options.skip
            can_skip &= "found '0:" not in str(error)  # a file that counts from 0 is not bad
            if can_skip and str(error).startswith(f"{self.path}, line "):
                raise ValueError(f"{error}; {SKIP}") from None
            raise


def _own_labels(parsed: _core.SvmlightBlock) -> tuple[Any, list[Any] | None]:
    """Return the labels of the lines, or their indicator matrix and its classes."""
    labels, label_indptr = integers_if_whole(parsed["labels"]), parsed["label_indptr"]
    if label_indptr is None:
        return labels, None
    n_labels = np.diff(label_indptr)
    return (labels, None) if (n_labels == 1).all() else indicator_of(labels, n_labels)


def read_blocks(
    file: BufferedIOBase,
    name: str,
    *,
    block_bytes: int = 1 << 24,
    multilabel: bool | None = None,
    skip: bool = False,
    indices: tuple[int, int] = (0, _core.max_terms),
    index_note: str = "",
    n_threads: int | None = None,
) -> Generator[_core.SvmlightBlock, None, None]:
    """Parse a file block by block.

    Yields what `_core.parse_svmlight` returns: the same documents in the same order whatever
    ``block_bytes``, how much is read at a time, and ``n_threads``. Blocks may have no documents.
    Errors call the file ``name``, and add ``index_note`` to the limits of ``indices``.

    If ``multilabel`` is True, a document has any number of labels; if it is False, one. By default
    it may have any number if some document of the file has several, and needs one otherwise. That
    is known at the end of the file, where the first line without a label is an error. With
    ``skip``, bad lines are left out, and lines without a label are bad unless ``multilabel`` is
    True.
    """
    threads = check_n_threads(n_threads)
    min_index, max_index = indices
    line, several, unlabelled = 1, False, None
    with closing(_whole_lines(file, block_bytes)) as texts:
        for text in texts:
            parsed = _core.parse_svmlight(
                text,
                first_line=line,
                multilabel=multilabel is not False,
                unlabelled=multilabel is True or not skip,
                skip=skip,
                n_threads=threads,
                min_index=min_index,
                max_index=max_index,
                index_note=index_note,
                file=name,
            )
            line += parsed["n_lines"]
            unlabelled = unlabelled or parsed["unlabelled"]
            label_indptr = parsed["label_indptr"]
            several = several or (
                label_indptr is not None and bool((np.diff(label_indptr) > 1).any())
            )
            del text, label_indptr
            yield parsed
            del parsed  # before the next block is parsed
    if multilabel is None and unlabelled is not None and not several:
        line, complaint = unlabelled
        raise ValueError(f"{name}, line {line}: {complaint}")


def _whole_lines(file: BufferedIOBase, block_bytes: int) -> Generator[bytes, None, None]:
    """Yield the text in blocks of about this size that end with a line."""
    parts: list[bytes | memoryview] = []
    bom = _BOM
    while piece := file.read(block_bytes):
        end = piece.rfind(b"\n") + 1
        if end == 0:  # the line is longer than the block
            parts.append(piece)
            continue
        text = b"".join([*parts, memoryview(piece)[:end]])
        parts = [piece[end:]]
        yield from _cut(text.removeprefix(bom))
        bom = b""
    if last := b"".join(parts):
        yield from _cut(last.removeprefix(bom))


def _cut(text: bytes) -> Generator[bytes, None, None]:
    """Cut a block of many lines: a document takes memory however short its line is."""
    n_lines = text.count(b"\n")
    if n_lines <= _LINES_AT_ONCE:
        yield text
        return
    step, begin = len(text) * _LINES_AT_ONCE // n_lines, 0
    while begin < len(text):
        end = text.find(b"\n", begin + step) + 1 or len(text)
        yield text[begin:end]
        begin = end
