"""Opening files that may be compressed: ``.gz`` by Python itself, ``.zst`` with an extra."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from termsift._util.extras import require

COMPRESSED = (".gz", ".zst")
_PIECE = 1 << 17
# Of compressed bytes: 4 may stand for 128 KiB, so that a piece becomes 32 MiB at most.
_ZSTANDARD_PIECE = 1 << 10


@contextmanager
def opened(path: Path) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Open a file by the ending of its name: its content, and the file on the disk itself.

    Where the second stands tells how much of the file has been read, of which the first knows
    nothing: its positions are those of the content.
    """
    with open(path, "rb") as raw:
        ending = path.suffix.lower()
        # What compresses nothing has a beginning and an end too; both packages take it for nothing.
        if ending in COMPRESSED and not raw.peek(1):
            raise ValueError(f"{path}: damaged or cut short: the file is empty")
        if ending == ".gz":
            with gzip.GzipFile(fileobj=raw) as content:
                yield cast("BinaryIO", content), raw
        elif ending == ".zst":
            with io.BufferedReader(_Zstandard(raw, path), _PIECE) as content:
                yield cast("BinaryIO", content), raw
        else:
            yield raw, raw


class _Zstandard(io.RawIOBase):
    """The content of a .zst file of any number of frames.

    The package's own reader takes the end of a file in the middle of a frame for the end of the
    content, which would lose documents without a word.
    """

    def __init__(self, raw: BinaryIO, path: Path) -> None:
        self._package = require("zstandard", "zstd", f"{path}: reading it")
        self._raw, self._frame, self._rest, self._ready = raw, None, b"", memoryview(b"")

    def readable(self) -> bool:
        """Whether it can be read: always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with the next bytes; 0 at the end."""
        while not self._ready:
            piece = self._rest or self._raw.read(_ZSTANDARD_PIECE)
            self._rest = b""
            if not piece:
                if self._frame is not None:
                    raise EOFError("the compressed content ends before its end was marked")
                return 0
            self._ready = memoryview(self._decompressed(piece))
        n = min(len(buffer), len(self._ready))
        buffer[:n] = self._ready[:n]
        self._ready = self._ready[n:]
        return n

    def _decompressed(self, piece: bytes) -> bytes:
        if self._frame is None:
            self._frame = self._package.ZstdDecompressor().decompressobj()
        frame: Any = self._frame
        try:
            content: bytes = frame.decompress(piece)
        except self._package.ZstdError as error:
            raise EOFError(str(error)) from None
        if frame.eof:
            self._rest, self._frame = frame.unused_data, None
        return content
