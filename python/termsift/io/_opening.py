"""Opening and decoding files, plain or compressed, with errors that name the file."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, cast

from termsift._util.extras import available, require
from termsift._util.faults import said, wrong_value
from termsift._util.files import named_errors

NAME_ENCODING = said("; pass {encoding=} with the encoding of the texts")  # if decoding fails
COMPRESSED = (".gz", ".zst")
_MOST_UNPACKED = 1 << 30  # the largest size of a compressed list or document
# Exceptions are compared by name, because some of their modules may not be installed.
_DAMAGE = ("BadGzipFile", "zlib.error", "BadZipFile", "IsalError", "ZstdError")


@contextmanager
def opened(path: Path) -> Iterator[tuple[io.BufferedIOBase, BinaryIO]]:
    """Open a file that may be compressed. Yield the decompressed file, and the file on disk."""
    try:
        with named_errors(path), open(path, "rb") as raw, _decompressed(path, raw) as content:
            yield content, raw
    except MemoryError:  # a forged file may declare any size
        raise MemoryError(f"{path}: not enough memory") from None
    except Exception as exc:
        if not is_damage(exc):
            raise
        raise ValueError(f"{path}: damaged or cut short: {exc}") from None


def _decompressed(path: Path, raw: io.BufferedReader) -> Any:
    """Return a file that decompresses ``raw``, or ``raw`` itself if the file is not compressed."""
    ending = path.suffix.lower()
    # The decompressors accept an empty file, although it lacks the header of the format.
    if ending in COMPRESSED and not raw.peek(1):
        raise EOFError("the file is empty")
    if ending == ".gz":
        # isal decompresses 113 MB in 0.14 s; zlib takes 0.54 s.
        fast = available("isal.igzip")
        return (fast.IGzipFile if fast else import_module("gzip").GzipFile)(fileobj=raw)
    if ending == ".zst":
        zstd = available("compression.zstd")
        zstd = zstd or require("backports.zstd", "zstd", f"{path}: reading it")
        return zstd.ZstdFile(raw)
    return raw


def is_damage(error: Exception) -> bool:
    """Return whether an error says that a compressed file is damaged."""
    name = f"{type(error).__module__}.{type(error).__name__}"
    return isinstance(error, EOFError) or name.endswith(_DAMAGE)


_UNDECODED = "termsift.undecoded"  # the name of an error handler for codecs


# Replace a wrong byte by a lone surrogate, so that the table reader reports the row.
codecs.register_error(_UNDECODED, lambda error: ("\udcff", cast("UnicodeDecodeError", error).end))


def check_encoding(encoding: str) -> str:
    """Return the name of an encoding's codec. The codec for UTF-8 skips a byte order mark."""
    try:
        name = codecs.lookup(encoding).name
        "\n".encode(name)  # raise an error if the codec does not encode text
    except (LookupError, TypeError, ValueError):
        raise wrong_value(
            "unknown {encoding} {given!r}, expected one such as 'utf-8'", given=encoding
        ) from None
    return "utf-8-sig" if name == "utf-8" else name


@contextmanager
def opened_text(
    path: Path, encoding: str
) -> Iterator[tuple[Callable[[memoryview], int], BinaryIO]]:
    """Open a text file. Yield a function that fills a buffer with UTF-8 text, and the raw file."""
    codec = check_encoding(encoding)
    with opened(path) as (content, raw):
        if codec == "utf-8-sig":
            yield content.readinto, raw
            return
        try:
            yield _recoded(content, codec), raw
        except UnicodeError as error:
            raise wrong_value(
                "{path}: is not {codec}: {error}{cure}",
                path=path,
                codec=encoding,
                error=error,
                cure=NAME_ENCODING,
            ) from None


def _recoded(content: Any, codec: str) -> Callable[[memoryview], int]:
    """Return a function that decodes the content, and writes it as UTF-8 to a buffer."""
    text, ready = io.TextIOWrapper(content, codec, _UNDECODED, newline=""), io.BytesIO()

    def readinto(buffer: memoryview) -> int:
        nonlocal ready
        if not (n := ready.readinto(buffer)):
            ready = io.BytesIO(text.read(1 << 16).encode("utf-8", "surrogatepass"))
            n = ready.readinto(buffer)
        return n

    return readinto


def decoded_text(path: Path, encoding: str = "utf-8") -> str:
    """Return the text of a file. A byte order mark of UTF-16 goes before the encoding UTF-8."""
    is_packed = path.suffix.lower() in COMPRESSED
    with opened(path) as (content, _):
        # A small compressed file may hold more than fits in memory.
        data = content.read(_MOST_UNPACKED + 1 if is_packed else -1)
    if is_packed and len(data) > _MOST_UNPACKED:
        raise ValueError(f"{path}: is longer than 1 GiB when decompressed; decompress it first")
    codec = check_encoding(encoding)
    if codec == "utf-8-sig" and data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        codec = encoding = "utf-16"  # no text in UTF-8 begins with these bytes
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        fault = f"byte {error.start} is not {encoding.upper()}"
        raise wrong_value(
            "{path}, line {line}: {fault}{cure}",
            path=path,
            line=line,
            fault=fault,
            cure=NAME_ENCODING,
        ) from None


def one_per_line(path: Path, what: str, encoding: str = "utf-8") -> list[str]:
    """Return the lines of a text file. An empty line is an error."""
    lines = decoded_text(path, encoding).removesuffix("\n").split("\n")
    values = [line.removesuffix("\r") for line in lines]
    if "" in values:
        raise ValueError(f"{path}, line {values.index('') + 1}: expected {what}, found nothing")
    return values
