"""Blocks of whole rows: where they end, and how pyarrow parses one at once.

The functions that parse return None for a block in which anything is unusual. The caller then
parses it row by row, so that texts, labels and errors do not depend on whether pyarrow is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from termsift._util.extras import available, require
from termsift.io._labels import label_text
from termsift.io._texts import BLOCK_BYTES, Part

_QUOTE, _LINE_END, _RETURN = b'"'[0], b"\n"[0], b"\r"[0]
_LONGEST = 2**31 - 2  # bytes of a block that pyarrow parses


def whole_rows(content: BinaryIO, delimiter: str | None) -> Iterator[tuple[bytes, bool]]:
    """Yield the content in blocks that end with a row, and whether their quotes are right.

    Fields are quoted if there is a ``delimiter``. Once quotes are wrong, nobody knows where rows
    end, and all further blocks end with a line.
    """
    rest, is_sound = b"", True
    # A row may be longer than a block. Doubling keeps the time linear in its length.
    while piece := content.read(max(BLOCK_BYTES, len(rest))):
        block = rest + piece
        end = _last_row_end(block, delimiter) if is_sound else None
        if end is None:
            end, is_sound = block.rfind(b"\n") + 1, False
        rest = block[end:]
        if end:
            yield block[:end], is_sound
        del block, piece
    if rest:
        yield rest, is_sound and _last_row_end(rest + b"\n", delimiter) == len(rest) + 1


def _last_row_end(block: bytes, delimiter: str | None) -> int | None:
    """Return where the last whole row ends, 0 for nowhere, or None if quotes are not as written.

    Quotes open and close a field in turns: a quote that opens one follows a delimiter, a line end
    or, as the second of two that stand for one, a quote. Where one closes a field, the same follow.
    """
    if delimiter is None or b'"' not in block:
        return block.rfind(b"\n") + 1
    text = np.frombuffer(block, dtype=np.uint8)
    quotes = np.flatnonzero(text == _QUOTE)
    end, n_quotes = 0, len(quotes) // 2 * 2
    while True:  # from the last stretch outside of quotes to the first
        begin = int(quotes[n_quotes - 1]) if n_quotes else 0
        stop = int(quotes[n_quotes]) if n_quotes < len(quotes) else len(block)
        end = block.rfind(b"\n", begin, stop) + 1
        if end or not n_quotes:
            break
        n_quotes -= 2
    if not end:
        n_quotes = (len(quotes) - 1) // 2 * 2  # what follows the last quote may be still to come
    opening, closing = quotes[:n_quotes:2], quotes[1:n_quotes:2]
    beside = np.zeros(256, dtype=bool)
    beside[[_QUOTE, _LINE_END, *delimiter.encode()]] = True
    before = beside[text[opening - 1]] | (opening == 0)
    beside[_RETURN] = True  # others than those of \r\n are looked for elsewhere
    return end if before.all() and beside[text[closing + 1]].all() else None


def parsed_fields(
    block: bytes, delimiter: str, positions: list[int], n_fields: int, *, quoted: bool
) -> Part | None:
    """Parse rows of UTF-8, and return the texts and the labels at some positions.

    The last position is that of the label. Texts of several are joined with a blank.
    """
    arrow, arrow_csv = available("pyarrow"), available("pyarrow.csv")
    if (
        arrow is None
        or arrow_csv is None
        or len(block) > _LONGEST
        or positions[-1] in positions[:-1]
    ):
        return None
    # pyarrow ends lines at any carriage return.
    if b"\r" in block and block.count(b"\r") != block.count(b"\r\n"):
        return None
    names = [str(position) for position in range(n_fields)]
    *texts, label = (names[position] for position in positions)
    codes = arrow.dictionary(arrow.int32(), arrow.large_string())
    try:
        _check_utf8(arrow, block)
        table = arrow_csv.read_csv(
            arrow.BufferReader(block),
            arrow_csv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=names),
            arrow_csv.ParseOptions(
                delimiter=delimiter, quote_char='"' if quoted else False, newlines_in_values=True
            ),
            arrow_csv.ConvertOptions(
                check_utf8=False,
                include_columns=[*texts, label],
                column_types={**dict.fromkeys(texts, arrow.large_string()), label: codes},
            ),
        )
    except arrow.ArrowInvalid:
        return None
    return arrow_part(table.columns[:-1], table.columns[-1])


def parsed_json(block: bytes, texts: list[str], label: str) -> Part | None:
    """Parse lines of JSON objects, and return the texts and labels of some keys."""
    arrow, arrow_json = available("pyarrow"), available("pyarrow.json")
    if arrow is None or arrow_json is None or len(block) > _LONGEST or label in texts:
        return None
    block = block.replace(b"\r\n", b"\n").removesuffix(b"\n")
    # Lines that begin and end so hold whole objects. pyarrow takes several in one line.
    n_lines = block.count(b"\n") + 1
    if not (block.startswith(b"{") and block.endswith(b"}")):
        return None
    if block.count(b"}\n{") != n_lines - 1:
        return None
    for kind in (arrow.large_string(), arrow.int64()):
        columns = [(text, arrow.large_string()) for text in texts]
        schema = arrow.schema([*columns, (label, kind)])
        try:
            _check_utf8(arrow, block)
            table = arrow_json.read_json(
                arrow.BufferReader(block),
                arrow_json.ReadOptions(use_threads=False, block_size=len(block) + 1),
                arrow_json.ParseOptions(
                    explicit_schema=schema,
                    newlines_in_values=False,
                    unexpected_field_behavior="ignore",
                ),
            )
        except arrow.ArrowInvalid:
            continue
        if table.num_rows == n_lines:
            return arrow_part([table.column(text) for text in texts], table.column(label))
    return None


def arrow_part(columns: list[Any], labels: Any) -> Part | None:
    """Return columns of texts, joined, and one of labels as a part; None if a value is missing."""
    arrow = available("pyarrow")
    assert arrow is not None
    if labels.null_count or any(column.null_count for column in columns):
        return None
    texts = columns[0]
    if len(columns) > 1:
        # Offsets of 64 bits: the joined texts may exceed 2 GiB where no column does.
        wide = [column.cast(arrow.large_string()) for column in columns]
        compute = require("pyarrow.compute", "text", "joining columns of texts")
        texts = compute.binary_join_element_wise(*wide, arrow.scalar(" ", arrow.large_string()))
    if not arrow.types.is_dictionary(labels.type):
        labels = labels.dictionary_encode()
    if isinstance(labels, arrow.ChunkedArray):
        labels = labels.unify_dictionaries().combine_chunks()
        if isinstance(labels, arrow.ChunkedArray):  # as older versions of pyarrow return it
            if labels.num_chunks != 1:
                return None
            labels = labels.chunk(0)
    known = [label_text(value) for value in labels.dictionary.to_pylist()]
    codes = labels.indices
    # to_numpy would import pandas.
    at, dtype = codes.offset, np.dtype(str(codes.type))
    codes = np.frombuffer(codes.buffers()[1], dtype=dtype)[at : at + len(codes)]
    used, codes = np.unique(codes, return_inverse=True)
    names = [known[code] for code in used]
    # An empty label is missing too.
    return (texts, (codes.astype(np.int32), names)) if all(names) else None


def _check_utf8(arrow: Any, block: bytes) -> None:
    """Raise ArrowInvalid if a block is not UTF-8, also in columns that are not read."""
    offsets = np.array([0, len(block)], dtype=np.int64)
    buffers = [None, arrow.py_buffer(offsets), arrow.py_buffer(block)]
    arrow.Array.from_buffers(arrow.large_string(), 1, buffers).validate(full=True)
