"""Files: read so that an error names its place, written whole or not at all."""

from __future__ import annotations

import codecs
import errno
import gzip
import os
import re
import secrets
import shutil
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, TypeAlias

from termsift._compression import opened
from termsift._progress import progress
from termsift._validation import check_kind

_LINES_A_REPORT = 256
_MEGABYTE = 10**6
# Told of a line or row that is not as expected: raises, or has it left out by returning.
Complain: TypeAlias = Callable[[str], None]
_PARTIAL = ".termsift-"  # how the names of files begin that are not complete
_MOST_LINKS = 40  # from one to the next, as Linux
_BINARY = getattr(os, "O_BINARY", 0)  # Windows would rewrite line ends


@contextmanager
def replacing(path: str | os.PathLike[str], *, text: bool = False) -> Iterator[IO[Any]]:
    """Open a new file that takes the place of ``path`` when the block ends without an error.

    It is written beside ``path``, flushed to the disk and renamed, so that at every moment ``path``
    is the old file or the whole new one. Text is UTF-8 and keeps its line ends. Devices, pipes and
    what is open already, ``/dev/stdout`` say, are written to as they are.
    """
    check_path(path)
    mode = {"mode": "w", "encoding": "utf-8", "newline": ""} if text else {"mode": "wb"}
    already_open = descriptor_of(path)
    target = os.path.realpath(path)  # a link stays one
    is_other = os.path.exists(target) and not os.path.isfile(target)  # a device or pipe
    if is_other or already_open is not None:  # there is nothing to keep
        with _told_as(path):
            at = target if already_open is None else os.dup(already_open)
            with open(at, **mode) as file:  # type: ignore[call-overload]
                yield file
        return
    partial = _partial_name(target)
    with _told_as(path):
        descriptor, has_name = _new_file(partial)
    try:
        with _told_as(path), open(descriptor, **mode) as file:  # type: ignore[call-overload]
            yield file
            file.flush()
            os.fsync(file.fileno())
            if not has_name:
                _give_name(file.fileno(), partial)
        if os.path.exists(target):
            shutil.copymode(target, partial)
        os.replace(partial, target)
    except BaseException:
        with suppress(FileNotFoundError):  # Ctrl-C just after the renaming: it must not be lost
            os.unlink(partial)
        raise


def descriptor_of(path: str | os.PathLike[str]) -> int | None:
    """Give the number of the open file that a path such as ``/dev/stdout`` stands for, if it does.

    Its real path is of a pipe, which is nowhere, or of a file that the shell has begun to write,
    which another one must not replace.
    """
    link = os.fspath(path)
    for _ in range(_MOST_LINKS):
        folder, name = os.path.split(os.path.abspath(link))
        if re.fullmatch(r"/proc/\d+/fd|/dev/fd", os.path.realpath(folder)) and name.isdecimal():
            return int(name)
        if not os.path.islink(link):
            return None
        link = os.path.join(folder, os.readlink(link))
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), os.fspath(path))


@contextmanager
def _told_as(path: str | os.PathLike[str]) -> Iterator[None]:
    """Have errors name the file that is to be written, not the one that takes its place."""
    try:
        yield
    except OSError as error:
        if error.errno is None:  # with a file, one without a number would print as None
            raise
        if error.filename is None or os.path.basename(str(error.filename)).startswith(_PARTIAL):
            error.filename = os.fspath(path)  # a full disk names no file
        raise


def _partial_name(target: str) -> str:
    folder, name = os.path.split(target)
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"{folder}: no such folder, to write {name} to")
    return os.path.join(folder, f"{_PARTIAL}{secrets.token_hex(8)}.partial")


def _new_file(path: str) -> tuple[int, bool]:
    """Open a new file that is to get this name, and say whether it has it already.

    Where the system can, it gets none before it is complete: what has no name goes with a process
    that is killed, and would else lie there for ever.
    """
    if hasattr(os, "O_TMPFILE"):
        with suppress(
            OSError
        ):  # not on every kind of disk; if it is something else, below it is told
            descriptor = os.open(os.path.dirname(path), os.O_WRONLY | os.O_TMPFILE, 0o666)
            if os.path.exists(_by_descriptor(descriptor)):
                return descriptor, False
            os.close(descriptor)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666), True


def _by_descriptor(descriptor: int) -> str:
    return f"/proc/self/fd/{descriptor}"


def _give_name(descriptor: int, path: str) -> None:
    folder, name = os.path.split(path)
    at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:  # with a descriptor of the folder: without one os.link does not follow links
        os.link(_by_descriptor(descriptor), name, dst_dir_fd=at, follow_symlinks=True)
    finally:
        os.close(at)


def check_replaceable(path: str | os.PathLike[str]) -> None:
    """Raise what `replacing` would, as far as can be told before there is anything to write."""
    target = os.path.realpath(path)
    if os.path.isdir(target):
        raise IsADirectoryError(f"{path}: is a folder, expected the name of a file")
    with suppress(FileNotFoundError):
        os.lstat(target)  # a name that is too long, for one
    if os.path.exists(target) and not os.path.isfile(target):
        return
    partial = _partial_name(target)
    with _told_as(path):
        descriptor, has_name = _new_file(partial)
        try:
            if not has_name:
                _give_name(descriptor, partial)
            os.unlink(partial)
        finally:
            os.close(descriptor)


def check_path(path: object, name: str = "path") -> None:
    """Check that an argument is the path of a file: a number would be an open file's."""
    check_kind(path, (str, os.PathLike), name)
    if "\0" in str(path):
        raise ValueError(f"{name} holds a NUL character, which no path does: {path!r}")


# ---- reading ---------------------------------------------------------------------------------


def existing(path: str | os.PathLike[str]) -> Path:
    """Give the path of a file that is there."""
    check_path(path)
    path = Path(path)
    if path.is_dir():
        raise ValueError(f"{path}: is a folder; expected a file")
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file")
    return path


@contextmanager
def open_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file for its bytes, those that were compressed if its name says so."""
    with opened(path) as (content, _):
        yield content


@contextmanager
def damage_told(path: Path) -> Iterator[None]:
    """Turn what the archive modules raise on a damaged file into one line."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error, zipfile.BadZipFile) as exc:
        raise ValueError(f"{path}: damaged or cut short: {exc}") from None


def check_encoding(encoding: str) -> str:
    """Give the codec of an encoding of text; a mark of the byte order may begin UTF-8."""
    try:
        name = codecs.lookup(encoding).name
        "\n".encode(name)  # some codecs are not of text
    except (LookupError, TypeError, ValueError):
        raise ValueError(f"no encoding {encoding!r}, expected one such as 'utf-8'") from None
    return "utf-8-sig" if name == "utf-8" else name


def refuse(complaint: str) -> None:
    """Raise what is complained of."""
    raise ValueError(complaint)


def lines(
    path: Path,
    encoding: str = "utf-8",
    content: BinaryIO | None = None,
    complain: Complain = refuse,
) -> Generator[str, None, None]:
    """Yield the lines of a text file; decoded one by one, so that errors know their line.

    ``content`` is the file where it is open already, by somebody who tells the progress. A line
    that is complained of and not refused comes next, with a sign in place of what is no text.
    """
    codec = check_encoding(encoding)
    if "\n".encode(codec).removeprefix(codecs.BOM_UTF8) != b"\n":
        raise ValueError(f"{path}: {encoding} ends lines by other bytes; expected a kind of ASCII")
    if content is not None:
        yield from _decoded(path, encoding, codec, content, complain)
        return
    total = path.stat().st_size // _MEGABYTE
    with opened(path) as (file, raw), progress("read", total, "MB") as report:
        for number, line in enumerate(_decoded(path, encoding, codec, file, complain), 1):
            yield line
            if report is not None and number % _LINES_A_REPORT == 0:
                report(raw.tell() // _MEGABYTE)  # of what is compressed, as its size counts


def _decoded(
    path: Path, encoding: str, codec: str, file: BinaryIO, complain: Complain
) -> Iterator[str]:
    with damage_told(path):
        for number, line in enumerate(file, 1):
            line_codec = codec if number == 1 else codec.removesuffix("-sig")
            try:
                text = line.decode(line_codec)
            except UnicodeDecodeError:
                complain(f"{path}, line {number}: expected {encoding.upper()}")
                text = line.decode(line_codec, "replace")
            yield text


def whole_text(path: Path, encoding: str = "utf-8") -> str:
    """Read a text file whole."""
    codec = check_encoding(encoding)
    with damage_told(path), open_file(path) as file:
        content = file.read()
    try:
        return content.decode(codec)
    except UnicodeDecodeError as exc:
        raise ValueError(
            f"{path}: byte {exc.start} is not {encoding.upper()}; expected text in {encoding}"
        ) from None


def one_a_line(path: Path, what: str) -> list[str]:
    """Read a file of UTF-8 that has one value a line, none of them empty."""
    values = [line.rstrip("\r\n") for line in lines(path)]
    if "" in values:
        raise ValueError(f"{path}, line {values.index('') + 1}: expected {what}, found nothing")
    return values
