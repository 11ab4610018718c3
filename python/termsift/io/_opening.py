"""Opening and decoding files, plain or compressed, with errors that name the file."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from errno import EINVAL
from importlib import import_module
from pathlib import Path
from struct import error
from typing import Any, BinaryIO, cast

from termsift._util.extras import available, require
from termsift._util.faults import Name, concerning, said, wrong_value
from termsift._util.files import named_errors
from termsift._util.validation import grouped, listed, number_of
from termsift.io._kinds import (
    HEAD,
    PACKED,
    compression,
    foreign,
    is_plain,
    marked_encoding,
    table_format,
    unmarked_encoding,
)

NAME_ENCODING = said("; pass {encoding=} with the encoding of the texts")  # if decoding fails
_MOST_UNPACKED = 1 << 30  # the largest size of a compressed list or document
# Exceptions are compared by name, because some of their modules may not be installed.
_DAMAGE = ("BadGzipFile", "zlib.error", "BadZipFile", "IsalError", "ZstdError", "LZMAError")


@contextmanager
def opened(
    path: Path, *, is_text: bool = True, is_table: bool = False, may_be_table: bool = True
) -> Iterator[tuple[Any, BinaryIO]]:
    """Open a file that may be compressed. Yield the decompressed file, and the file on disk.

    The first bytes tell the compression, whatever the name says. A text may also be the only member
    of a zip archive. Content that is no text, such as a Parquet file, is an error if ``is_text``,
    and the cure may be to name the format of a table, or to write it as text.
    """
    with (
        _reporting(path),
        open(path, "rb") as raw,
        _decompressed(path, raw, is_text) as content,
    ):
        if is_text:
            _refuse_foreign(path, content.peek(HEAD)[:HEAD], is_table, may_be_table)
        yield content, raw


@contextmanager
def _reporting(path: Path) -> Iterator[None]:
    """Let errors of reading a compressed file name the file."""
    try:
        with named_errors(path):
            yield
    except MemoryError:  # a forged file may declare any size
        raise MemoryError(f"{path}: not enough memory") from None
    except Exception as exc:
        if not is_damage(exc):
            raise
        raise ValueError(f"{path}: damaged or cut short: {exc}") from None


@contextmanager
def _decompressed(path: Path, raw: io.BufferedReader, is_text: bool) -> Iterator[Any]:
    """Yield a file that decompresses ``raw``, or ``raw`` itself if it is not compressed."""
    ending, head = path.suffix.lower(), raw.peek(HEAD)[:HEAD]
    # The decompressors accept an empty file, although it lacks the header of the format.
    is_named = ending in PACKED
    if is_named and not head:
        raise EOFError("the file is empty")
    form = compression(head)
    if form == ".zip" and not is_text:
        form = None
    if form is None and is_named:
        if is_plain(head):
            cure = f"rename it to {path.with_suffix('').name}"
            raise ValueError(
                f"{path}: is not compressed, although its name ends in {ending}; {cure}"
            )
        form = ending  # an unknown start, of which the decompressor may know more
    if form is None:
        yield raw
        return
    if form == ".zip":
        with _member(path, raw) as (_, content):
            yield content
        return
    with _decompressor(path, form)(raw) as content:
        yield content


def _decompressor(path: Path, form: str) -> Callable[[Any], Any]:
    """Return the class of files that decompress content of a form."""
    if form == ".gz":
        # isal decompresses 113 MB in 0.14 s; zlib takes 0.54 s.
        fast = available("isal.igzip")
        kind = fast.IGzipFile if fast else import_module("gzip").GzipFile
        return lambda raw: kind(fileobj=raw)
    if form == ".zst":
        zstd = available("compression.zstd")
        zstd = zstd or require("backports.zstd", "zstd", f"{path}: reading it")
        return cast("Callable[[Any], Any]", zstd.ZstdFile)
    if form == ".bz2":
        return cast("Callable[[Any], Any]", import_module("bz2").BZ2File)
    return cast("Callable[[Any], Any]", import_module("lzma").LZMAFile)


@contextmanager
def _member(path: Path, raw: io.BufferedReader) -> Iterator[tuple[str, Any]]:
    """Yield the name and the content of the only file in a zip archive."""
    try:
        archive = import_module("zipfile").ZipFile(raw)
        name = _only_member(path, archive)
        content = archive.open(name)
    except (NotImplementedError, RuntimeError, LookupError, UnicodeDecodeError, error) as exc:
        # Reading a forged archive, or one of another program, may raise these errors.
        raise ValueError(f"{path}: damaged, or an archive of an unknown kind: {exc}") from None
    except OSError as exc:  # seeking before the start of the file, as a wrong offset tells
        if exc.errno != EINVAL:
            raise
        raise ValueError(f"{path}: damaged or cut short: a wrong offset") from None
    with archive, content:
        yield name, content


def _only_member(path: Path, archive: Any) -> str:
    """Return the only file in an archive. Folders, and what macOS adds, do not count.

    Office documents and arrays of numpy are archives, too.
    """
    members = {each.filename: each for each in archive.infolist() if not each.is_dir()}
    if min((each.header_offset for each in archive.infolist()), default=0) > 0:
        raise ValueError(
            f"{path}: holds other data before the archive, such as another archive; unpack each "
            "archive by itself"
        )
    if "[Content_Types].xml" in members or "mimetype" in members:
        is_sheet = any(name.startswith("xl/") for name in members)
        kind = "an Excel workbook" if is_sheet else "an Office document"
        cure = "save the sheet as CSV UTF-8" if is_sheet else "save its text as a text file"
        raise ValueError(f"{path}: is {kind}, expected text; {cure}")
    if members and all(name.endswith(".npy") for name in members):
        cure = "give it a name that ends in .npz if it is a sparse matrix of scipy"
        raise ValueError(f"{path}: holds arrays of numpy, expected text; {cure}")
    names = [
        name
        for name in members
        if not name.startswith("__MACOSX/") and not name.rpartition("/")[2].startswith(".")
    ]
    if len(names) != 1:
        found = f"{grouped(len(names))}: {listed(names)}" if names else "none"
        raise ValueError(
            f"{path}: expected an archive of one file, found {found}; unpack it, and pass its "
            "folder or files"
        )
    if members[names[0]].flag_bits & 1:
        raise ValueError(f"{path}: {names[0]} is encrypted; unpack the archive")
    return str(names[0])


def member_name(path: Path) -> str | None:
    """Return the name of the only file in a zip archive, or None if the file is no archive."""
    with _reporting(path), open(path, "rb") as raw:
        if compression(raw.peek(HEAD)[:HEAD]) != ".zip":
            return None
        with _member(path, raw) as (name, _):
            return str(name)


def _refuse_foreign(path: Path, head: bytes, is_table: bool, may_be_table: bool) -> None:
    """Raise an error if content is no text."""
    if (kind := foreign(head)) is None:
        return
    cure: Name = kind[1]
    if is_table and (form := table_format(head)) is not None:
        cure = said("{cure}, or pass {input_format=}", cure=cure, input_format=form)
    elif not may_be_table and table_format(head) is not None:
        cure = "write it as text, such as CSV"
    raise wrong_value(
        "{path}: is {kind}, expected text; {cure}", path=path, kind=kind[0], cure=cure
    )


def is_damage(error: Exception) -> bool:
    """Return whether an error says that a compressed file is damaged."""
    name = f"{type(error).__module__}.{type(error).__name__}"
    is_bzip2 = type(error) is OSError and error.errno is None  # as bz2 reports a wrong checksum
    return isinstance(error, EOFError) or name.endswith(_DAMAGE) or is_bzip2


def is_of_system(error: Exception) -> bool:
    """Return whether the system could not read a file. A wrong offset in a file is EINVAL."""
    return isinstance(error, OSError) and error.errno not in (None, EINVAL)


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


def _codec(path: Path, head: bytes, encoding: str) -> str:
    """Return the codec of content. A mark of UTF-8, UTF-16 or UTF-32 overrides other encodings.

    No text in another encoding begins with such a mark, and one encoding may be given for several
    files. If UTF-8 has no mark, but zero bytes, an error names the encoding.
    """
    codec = check_encoding(encoding)
    if codec.startswith(("utf-16", "utf-32")):
        return codec
    if (marked := marked_encoding(head)) is not None:
        return marked
    if head.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if codec != "utf-8-sig":
        return codec
    if (found := unmarked_encoding(head)) is not None:
        name = found[:6].upper()
        raise wrong_value(
            "{path}: is {name} without a mark of the order of bytes, expected UTF-8; pass "
            "{encoding=}",
            path=path,
            name=name,
            encoding=found,
        )
    return codec


def _name_of(codec: str, encoding: str) -> str:
    """Return what messages call an encoding: as it was given, unless a mark overrides it."""
    return encoding if check_encoding(encoding) == codec else codec.upper()


@contextmanager
def opened_text(
    path: Path, encoding: str
) -> Iterator[tuple[Callable[[memoryview], int], BinaryIO, str]]:
    """Open a text file.

    Yield a function that fills a buffer with UTF-8 text, the file on disk, and the encoding for
    messages.
    """
    check_encoding(encoding)
    with opened(path, is_table=True) as (content, raw):
        codec = _codec(path, content.peek(HEAD)[:HEAD], encoding)
        if codec == "utf-8-sig":
            yield content.readinto, raw, "UTF-8"
            return
        name = _name_of(codec, encoding)
        with _refusing(path, name):
            yield _recoded(content, codec), raw, name.upper()


@contextmanager
def _refusing(path: Path, codec: str) -> Iterator[None]:
    """Name the file in an error about its encoding."""
    try:
        yield
    except UnicodeError as error:
        raise wrong_value(
            "{path}: is not {codec}: {error}{cure}",
            path=path,
            codec=codec,
            error=error,
            cure=NAME_ENCODING,
        ) from None


@contextmanager
def opened_matrix(
    path: Path, encoding: str | None = None
) -> Iterator[tuple[Callable[[memoryview], int], BinaryIO]]:
    """Open a matrix in a text file. No argument names its encoding if ``encoding`` is None.

    Yield a function that fills a buffer with UTF-8 text, and the file on disk.
    """
    with opened(path) as (content, raw):
        head = content.peek(HEAD)[:HEAD]
        if encoding is not None:
            codec = _codec(path, head, encoding)
        elif (marked := marked_encoding(head)) is not None:
            codec = marked
        elif (found := unmarked_encoding(head)) is None:
            codec = "utf-8-sig"
        else:
            fault = f"is {found[:6].upper()} without a mark of the order of bytes, expected UTF-8"
            raise ValueError(f"{path}: {fault}; convert it to UTF-8")
        with _refusing(path, codec):
            first = head if codec == "utf-8-sig" else head.decode(codec, "ignore").encode()
        check_line_ends(path, first[: first.find(b"\n") + 1] or first)
        if codec == "utf-8-sig":
            yield content.readinto, raw
            return
        with _refusing(path, codec):
            yield _recoded(content, codec), raw


def check_line_ends(path: Path, line: bytes) -> None:
    """Check the first line, which is the whole file if only carriage returns end lines."""
    if not line.endswith(b"\n") and b"\r" in line.rstrip(b"\r"):
        cure = "carriage returns end the lines of this file; replace them by line feeds"
        raise ValueError(f"{path}, line 1: {cure}")


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
    """Return the text of a file. A byte order mark overrides the encoding."""
    with opened(path, may_be_table=False) as (content, raw):
        is_packed = content is not raw
        # A small compressed file may hold more than fits in memory.
        data: bytes = content.read(_MOST_UNPACKED + 1 if is_packed else -1)
    if is_packed and len(data) > _MOST_UNPACKED:
        raise ValueError(f"{path}: is longer than 1 GiB when decompressed; decompress it first")
    codec = _codec(path, data[:HEAD], encoding)
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        fault = f"byte {error.start} is not {_name_of(codec, encoding).upper()}"
        raise wrong_value(
            "{path}, line {line}: {fault}{cure}",
            path=path,
            line=line,
            fault=fault,
            cure=NAME_ENCODING,
        ) from None


def plain_lines(text: str) -> str:
    """Return a text without a byte order mark, whose lines end in line feeds."""
    text = text.removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def check_labels(path: Path, labels: Sequence[str], n_docs: int, of_path: Path) -> None:
    """Check that a file has a label for each document of another file."""
    if len(labels) == n_docs:
        return
    n, of = number_of(len(labels), "label"), number_of(n_docs, "document")
    cure = ""
    if len(labels) == n_docs + 1 and labels.count(labels[0]) == 1:
        cure = f"; if its first line, {labels[0]!r}, is a header, delete this line"
    text = f"{path}: {n} for the {of} of {of_path}{cure}"
    raise concerning(ValueError(text), "labels")


def one_per_line(path: Path, what: str, encoding: str = "utf-8") -> list[str]:
    """Return the lines of a text, which may end as on any system. An empty line is an error."""
    values = plain_lines(decoded_text(path, encoding)).removesuffix("\n").split("\n")
    # A blank label is a mistake in a file, as in the column of a table. A blank may be a term.
    nothing = [not (value.strip() if what == "a label" else value) for value in values]
    if any(nothing):
        raise ValueError(f"{path}, line {nothing.index(True) + 1}: expected {what}, found nothing")
    return values
