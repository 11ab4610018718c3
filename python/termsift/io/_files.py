"""Opening and decoding files, plain or compressed, with errors that name the file and the line."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias, cast

from termsift._util.extras import require
from termsift._util.files import check_path

# Called with what is wrong with a line, row or document. It raises an error, or returns to have
# that line, row or document left out.
Complain: TypeAlias = Callable[[str], None]

# The number of a line, its text, and what is wrong with its bytes.
Line: TypeAlias = tuple[int, str, str | None]

NAME_ENCODING = "; give the encoding of the texts (--encoding)"  # the cure of a wrong one
COMPRESSED = (".gz", ".zst")
DAMAGE = (EOFError, gzip.BadGzipFile, zlib.error, zipfile.BadZipFile)

_BUFFER_BYTES = 1 << 17
# Four compressed bytes may stand for 128 KiB, so that such a piece becomes 32 MiB at most.
_ZSTANDARD_PIECE_BYTES = 1 << 10


def existing(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file that exists."""
    check_path(path)
    path = Path(path)
    if path.is_dir():
        raise ValueError(f"{path}: is a folder; expected a file")
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file")
    return path


@contextmanager
def opened(path: Path) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Open a file, and decompress it if its name ends in .gz or .zst.

    Yields
    ------
    content : binary file
        The decompressed content.
    raw : binary file
        The file on the disk. Its position shows how much of the file has been read.
    """
    with _naming_damage(path), open(path, "rb") as raw:
        ending = path.suffix.lower()
        # Both packages take an empty file for empty content, but it lacks the header of its format.
        if ending in COMPRESSED and not raw.peek(1):
            raise EOFError("the file is empty")
        if ending == ".gz":
            with gzip.GzipFile(fileobj=raw) as content:
                yield cast("BinaryIO", content), raw
        elif ending == ".zst":
            with io.BufferedReader(_Zstandard(raw, path), _BUFFER_BYTES) as content:
                yield cast("BinaryIO", content), raw
        else:
            yield raw, raw


@contextmanager
def _naming_damage(path: Path) -> Iterator[None]:
    """Turn what the archive modules raise on a damaged file into an error that names it."""
    try:
        yield
    except DAMAGE as exc:
        raise ValueError(f"{path}: damaged or cut short: {exc}") from None
    except MemoryError as exc:  # a forged file may claim any size
        reason = "not enough memory" if str(exc) in ("", "std::bad_alloc") else exc
        raise MemoryError(f"{path}: {reason}") from None


def with_line_feeds(content: BinaryIO, path: Path) -> BinaryIO:
    """Return the content of a text file, with a line feed for each lone carriage return.

    They end lines in files of old Macs, and in what Excel writes as "CSV (Macintosh)". The first
    line shows it, or as much of it as is in the buffer.

    Raises
    ------
    ValueError
        If the file begins as one that holds no text.
    """
    begin = cast("io.BufferedReader", content).peek(1)
    for magic, what in _OTHERS.items():
        if begin.startswith(magic):
            raise ValueError(f"{path}: {what}")
    if b"\n" in begin or b"\r" not in begin[:-1]:  # the last byte may belong to \r\n
        return content
    return io.BufferedReader(_LineFeeds(content), _BUFFER_BYTES)


class _LineFeeds(io.RawIOBase):
    """Content with a line feed in place of each carriage return, also within quotes."""

    def __init__(self, content: BinaryIO) -> None:
        self._content = content

    def readable(self) -> bool:
        """Return True, as `io.BufferedReader` asks."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with the next bytes, and return how many; 0 at the end."""
        piece = self._content.read(len(buffer))
        buffer[: len(piece)] = piece.replace(b"\r", b"\n")
        return len(piece)


class _Zstandard(io.RawIOBase):
    """The content of a .zst file of any number of frames.

    The reader of the zstandard package takes a file that is cut within a frame for complete, which
    would lose documents silently.
    """

    def __init__(self, raw: BinaryIO, path: Path) -> None:
        self._pieces = self._decompressed(raw, require("zstandard", "zstd", f"{path}: reading it"))
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        """Return True, as `io.BufferedReader` asks."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with the next bytes, and return how many; 0 at the end."""
        while not self._ready:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._ready = memoryview(piece)
        n = min(len(buffer), len(self._ready))
        buffer[:n] = self._ready[:n]
        self._ready = self._ready[n:]
        return n

    @staticmethod
    def _decompressed(raw: BinaryIO, package: Any) -> Iterator[bytes]:
        frame, rest = None, b""
        while piece := rest or raw.read(_ZSTANDARD_PIECE_BYTES):
            frame = frame or package.ZstdDecompressor().decompressobj()
            try:
                yield frame.decompress(piece)
            except package.ZstdError as error:
                raise EOFError(str(error)) from None
            rest, frame = (frame.unused_data, None) if frame.eof else (b"", frame)
        if frame is not None:
            raise EOFError("the compressed content ends before its end was marked")


def check_encoding(encoding: str) -> str:
    """Return the codec of a text encoding; that of UTF-8 skips a byte order mark."""
    try:
        name = codecs.lookup(encoding).name
        "\n".encode(name)  # fails for codecs that do not encode text
    except (LookupError, TypeError, ValueError):
        raise ValueError(f"no encoding {encoding!r}, expected one such as 'utf-8'") from None
    return "utf-8-sig" if name == "utf-8" else name


# How files of other kinds begin, and what to do with them.
_OTHERS = {
    b"\x1f\x8b": "is compressed by gzip; let its name end in .gz",
    b"\x28\xb5\x2f\xfd": "is compressed by zstd; let its name end in .zst",
    b"PAR1\x15": "is a Parquet table; let its name end in .parquet",
    b"ARROW1\0\0": "is an Arrow table; let its name end in .arrow",
    b"PK\x03\x04": "is a zip archive or a spreadsheet; unpack it, or save it as .csv",
    codecs.BOM_UTF16_LE: "is UTF-16; convert it to UTF-8",
    codecs.BOM_UTF16_BE: "is UTF-16; convert it to UTF-8",
}


def check_line_ends(path: Path, encoding: str) -> None:
    """Check that lines of an encoding can be found before they are decoded."""
    if "\n".encode(check_encoding(encoding)).removeprefix(codecs.BOM_UTF8) != b"\n":
        raise ValueError(f"{path}: {encoding} ends lines by other bytes; convert it to UTF-8")


def decoded_lines(lines: Iterable[bytes], encoding: str, first: int = 1) -> Iterator[Line]:
    """Decode the lines of a file, of which the first one has the number ``first``.

    A line that cannot be decoded has replacement characters, so that the caller's count of lines
    stays right.
    """
    codec = check_encoding(encoding)
    for number, line in enumerate(lines, first):
        line_codec = codec if number == 1 else codec.removesuffix("-sig")
        try:
            yield number, line.decode(line_codec), None
        except UnicodeDecodeError as error:
            yield number, line.decode(line_codec, "replace"), _fault(error, encoding)


def _fault(error: UnicodeDecodeError, encoding: str) -> str:
    return f"byte {error.start} is not {encoding.upper()}"


def decoded_text(path: Path, encoding: str = "utf-8") -> str:
    """Read a text file whole."""
    with opened(path) as (content, _):
        data = content.read()
    try:
        return data.decode(check_encoding(encoding))
    except UnicodeDecodeError as exc:
        raise ValueError(f"{path}: {_fault(exc, encoding)}{NAME_ENCODING}") from None


def one_per_line(path: Path, what: str) -> list[str]:
    """Read a UTF-8 file with one value per line, none of them empty."""
    with opened(path) as (content, _):
        lines = list(decoded_lines(content, "utf-8"))
    for number, line, fault in lines:
        if fault is None and not line.rstrip("\r\n"):
            fault = f"expected {what}, found nothing"
        if fault is not None:
            raise ValueError(f"{path}, line {number}: {fault}")
    return [line.rstrip("\r\n") for _, line, _ in lines]
