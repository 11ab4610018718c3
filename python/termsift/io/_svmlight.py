"""svmlight text, parsed a block of lines at a time.

A line is a document: ``label[,label...] [qid:number] index:count ... [# comment]``. Blank lines and
comments are ignored, and indices come in any order.
"""

from __future__ import annotations

import codecs
from collections.abc import Generator
from io import BufferedIOBase

import numpy as np

from termsift import _core
from termsift._util import scipy
from termsift.io._labels import integers_if_whole
from termsift.io._opening import opened
from termsift.io._source import SKIP, MatrixBlock, Source

_BLOCK_BYTES = 1 << 24  # of text that is read at once


class SvmlightFile(Source):
    """An svmlight file."""

    takes = frozenset({"terms"})
    why = "an svmlight file has its own labels and no texts"

    def blocks(self) -> Generator[MatrixBlock, None, None]:
        """Parse the file block by block; blocks may have no documents.

        A document may have any number of labels if some document of the file has several, and needs
        one otherwise. Only the end shows this, so the first line without a label is an error there.
        If bad lines are left out, lines without a label always are.
        """
        options, path = self.options, self.path
        base, names, skips = options.index_base, options.names, options.skip
        n_terms = _core.max_terms if names is None else len(names)
        notes = [] if names is None else [f"there are {n_terms} names of terms"]
        notes += ["from 0 with index_base=0 or --index-base 0"] if base == 1 else []
        line, several, unlabelled = 1, False, None
        with opened(path) as (content, raw):
            for text in _whole_lines(content):
                try:
                    parsed = _core.parse_svmlight(
                        text,
                        first_line=line,
                        multilabel=True,
                        unlabelled=not skips,
                        skip=skips,
                        n_threads=options.n_threads,
                        min_index=base,
                        max_index=base + n_terms - 1,
                        index_note=f" ({'; '.join(notes)})" if notes else "",
                        file=str(path),
                    )
                except ValueError as error:
                    if skips or "found '0:" in str(error):  # a file may count from 0
                        raise
                    raise ValueError(f"{error}; {SKIP}") from None
                line += parsed["n_lines"]
                complaints = [f"{path}, line {number}: {why}" for number, why in parsed["skipped"]]
                self.skipped.add(complaints, parsed["n_skipped"])
                unlabelled = unlabelled or parsed["unlabelled"]
                indptr, indices = parsed["indptr"], parsed["indices"]
                width = (
                    n_terms if names is not None else int(indices.max(initial=base - 1)) + 1 - base
                )
                parts = parsed["data"], (indices - base).astype(np.int32), indptr
                X = scipy.sparse.csr_array(parts, shape=(len(indptr) - 1, width))
                ends = parsed["label_indptr"]
                n_labels = None if ends is None or (np.diff(ends) == 1).all() else np.diff(ends)
                several = several or (n_labels is not None and bool((n_labels > 1).any()))
                labels = integers_if_whole(parsed["labels"])
                del text, parsed, indptr, indices, parts
                yield MatrixBlock(X, labels, n_labels, raw.tell())
                del X  # before the next one is parsed
        if unlabelled is not None and not several:
            number, complaint = unlabelled
            raise ValueError(f"{path}, line {number}: {complaint}; {SKIP}")


def _whole_lines(file: BufferedIOBase) -> Generator[bytes, None, None]:
    """Yield the text in blocks that end with a line, without a byte order mark."""
    parts, mark = list[bytes](), codecs.BOM_UTF8
    while piece := file.read(_BLOCK_BYTES):
        end = piece.rfind(b"\n") + 1
        if end:  # else the line is longer than the block
            yield b"".join([*parts, piece[:end]]).removeprefix(mark)
            parts, mark = [], b""
        parts.append(piece[end:])
    if last := b"".join(parts):
        yield last.removeprefix(mark)
