"""Reading svmlight text a block at a time: as much of a file as memory should hold.

A line is a document: ``label[,label...] [qid:number] index:count ... [# comment]``. Blank lines and
comments mean nothing, indices come in any order, and what is wrong is told with its line and token.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from typing import BinaryIO, Literal, NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt

from termsift import _core
from termsift._util.validation import check_n_threads

_BOM = b"\xef\xbb\xbf"  # which some editors put before the text

__all__ = ["Block", "Place", "read_blocks"]


class Place(NamedTuple):
    """A place between two lines of a text.

    Attributes
    ----------
    offset : int
        The bytes before it.
    line : int
        The number of the line after it.
    checksum : int
        The CRC-32 of the bytes before it.
    """

    offset: int
    line: int
    checksum: int


_LINES_AT_ONCE = 1 << 19  # on average, where blocks are cut for having more

_START = Place(0, 1, 0)


@dataclass(frozen=True, eq=False)
class Block:
    """Documents of an svmlight file, as they are written.

    Attributes
    ----------
    indptr : ndarray of shape (n_docs + 1,), int64
        Where the entries of each document begin and end.
    indices : ndarray of shape (n_entries,), int64
        Indices from 0 up to `max_terms`, in the order of the file, repeated ones included.
    data : ndarray of shape (n_entries,), int64 or float64
        The counts: int64 if all of this block are whole numbers that int64 holds.
    labels : ndarray of shape (n_labels,), float64
        The labels of the documents, one after the other.
    label_indptr : ndarray of shape (n_docs + 1,), int64, or None
        Where the labels of each document begin and end; None where each has one.
    next : Place
        Where the next block begins, in the uncompressed text.
    n_skipped : int
        How many lines were skipped.
    skipped : list of (int, str)
        The number of each skipped line and what is wrong with it, for the first hundred.
    """

    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int64]
    data: npt.NDArray[np.int64] | npt.NDArray[np.float64]
    labels: npt.NDArray[np.float64]
    label_indptr: npt.NDArray[np.int64] | None
    next: Place
    n_skipped: int
    skipped: list[tuple[int, str]]


def read_blocks(
    file: BinaryIO,
    name: str,
    *,
    block_bytes: int = 1 << 24,
    multilabel: bool | None = None,
    on_error: Literal["raise", "skip"] = "raise",
    indices: tuple[int, int] = (0, _core.max_terms),
    index_note: str = "",
    n_threads: int | None = None,
    at: tuple[int, int, int] = _START,
) -> Generator[Block, None, None]:
    r"""Parse a file block by block, while the next block is read.

    Parameters
    ----------
    file : binary file
        The uncompressed text, read from where it stands.
    name : str
        What errors call the file.
    block_bytes : int, default 2^24
        How much is read at a time. A line that is longer is read whole.
    multilabel : bool, optional
        True: a document has any number of labels. False: it has one. By default any number if a
        document of the file has several, and one otherwise: that one without a label was an error
        is told at the end of the file, where it is known.
    on_error : "raise" or "skip"
        Whether a line that is wrong is an error or is skipped. Where `multilabel` is not given, a
        line without a label is wrong if such are skipped: what the file has is not known yet.
    indices : (int, int)
        The lowest and the highest index; another is wrong.
    index_note : str, optional
        What is told of these beside, where an index is wrong.
    n_threads : int, optional
        How many threads parse a block; by default as many as there are.
    at : (int, int, int), default (0, 1, 0)
        Where the file stands, as `Place`.

    Yields
    ------
    block : Block
        The same documents in the same order whatever `block_bytes` and `n_threads`. A block without
        documents tells of lines that were skipped or say nothing.

    Raises
    ------
    ValueError
        For the first line that is wrong, which it names with the token and what was expected.

    Notes
    -----
    It takes 3 * `block_bytes` of memory for text, 16 bytes for each entry of a block, and 16 or 24
    for each document. A block of more than 500,000 lines is cut in parts of about so many.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO(b"1 3:2 7:1\n# no document\n-1 2:0.5\n")
    >>> [block] = read_blocks(file, "example", multilabel=False)
    >>> block.indptr, block.indices, block.data
    (array([0, 2, 3]), array([3, 7, 2]), array([2. , 1. , 0.5]))
    >>> block.labels, block.next
    (array([ 1., -1.]), Place(offset=33, line=4, checksum=2111030422))
    """
    skip, threads = on_error == "skip", check_n_threads(n_threads)
    min_index, max_index = indices
    place = Place(*at)
    several, unlabelled = False, None
    with closing(_read_ahead(_whole_lines(file, block_bytes), place.checksum)) as texts:
        for text, checksum in texts:
            marked = place.offset == 0 and text.startswith(_BOM)
            parsed = _core.parse_svmlight(
                memoryview(text)[len(_BOM) :] if marked else text,
                first_line=place.line,
                multilabel=multilabel is not False,
                unlabelled=multilabel is True or not skip,
                skip=skip,
                n_threads=threads,
                min_index=min_index,
                max_index=max_index,
                index_note=index_note,
                file=name,
            )
            place = Place(place.offset + len(text), place.line + parsed["n_lines"], checksum)
            unlabelled = unlabelled or parsed["unlabelled"]
            label_indptr = parsed["label_indptr"]
            several = several or (
                label_indptr is not None and bool((np.diff(label_indptr) > 1).any())
            )
            block = Block(
                parsed["indptr"],
                parsed["indices"],
                parsed["data"],
                parsed["labels"],
                label_indptr,
                place,
                parsed["n_skipped"],
                parsed["skipped"],
            )
            del text, parsed, label_indptr  # whoever takes the block decides how long it lives
            yield block
            del block
    if multilabel is None and unlabelled is not None and not several:
        line, complaint = unlabelled
        raise ValueError(f"{name}, line {line}: {complaint}")


def _whole_lines(file: BinaryIO, block_bytes: int) -> Iterator[bytes]:
    """Yield the text in blocks that end with a line, each as large as it may be."""
    parts: list[bytes | memoryview] = []
    while piece := file.read(block_bytes):
        end = piece.rfind(b"\n") + 1
        if end == 0:  # a line that is longer
            parts.append(piece)
            continue
        text = b"".join([*parts, memoryview(piece)[:end]])
        parts = [piece[end:]]
        yield from _cut(text)
    if last := b"".join(parts):
        yield from _cut(last)


def _cut(text: bytes) -> Iterator[bytes]:
    """Yield lines that are many in parts: a document takes memory however short its line is."""
    n_lines = text.count(b"\n")
    if n_lines <= _LINES_AT_ONCE:
        yield text
        return
    step, begin = len(text) * _LINES_AT_ONCE // n_lines, 0
    while begin < len(text):
        end = text.find(b"\n", begin + step) + 1 or len(text)
        yield text[begin:end]
        begin = end


def _read_ahead(texts: Iterator[bytes], checksum: int) -> Generator[tuple[bytes, int], None, None]:
    """Yield the texts and the checksum with each, while another thread does so with the next."""

    def following(checksum: int) -> tuple[bytes, int] | None:
        text = next(texts, None)
        return None if text is None else (text, crc32(text, checksum))

    with ThreadPoolExecutor(1, "termsift-reader") as reader:
        text = reader.submit(following, checksum)
        while (this := text.result()) is not None:
            text = reader.submit(following, this[1])
            yield this
            del this
