"""Files: read so that an error names its place, written whole or not at all."""

from __future__ import annotations

import codecs
import errno
import gzip
import hashlib
import os
import platform
import re
import secrets
import shutil
import stat
import sys
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, TextIO, TypeAlias

from termsift._util.compression import opened
from termsift._util.printable import printable
from termsift._util.progress import progress
from termsift._util.validation import check_kind

if sys.platform != "win32":
    import fcntl

_LINES_A_REPORT = 256
_MEGABYTE = 10**6
# Told of a line or row that is not as expected: raises, or has it left out by returning.
Complain: TypeAlias = Callable[[str], None]
_PARTIAL = ".termsift-"  # how the names of files begin that are not complete
_MOST_LINKS = 40  # from one to the next, as Linux


@contextmanager
def replacing(path: str | os.PathLike[str], *, text: bool = False) -> Iterator[IO[Any]]:
    """Open a new file that takes the place of ``path`` when the block ends without an error.

    The file is written beside ``path``, flushed to the disk and renamed. At every moment ``path``
    is the old file or the whole new one. Text is UTF-8 and keeps its line ends. Devices, pipes and
    open descriptors such as ``/dev/stdout`` are written to directly.
    """
    mode = {"mode": "w", "encoding": "utf-8", "newline": ""} if text else {"mode": "wb"}
    target = _target(path)
    already_open = descriptor_of(path)
    if already_open is not None or _is_special(target):  # there is nothing to keep
        with _told_as(path):
            at = target if already_open is None else os.dup(already_open)
            with open(at, **mode) as file:  # type: ignore[call-overload]
                yield file
        return
    with _told_as(path), _beside(target, _create_file) as partial:
        with open(partial, **mode, opener=_not_through_links) as file:  # type: ignore[call-overload]
            _copy_mode(target, partial)
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, target)


def check_replaceable(path: str | os.PathLike[str]) -> None:
    """Raise the error of `replacing` before the work, as far as it can be known by then."""
    target = _target(path)
    if descriptor_of(path) is None and not _is_special(target):
        with _told_as(path), _beside(target, _create_file) as partial:
            _copy_mode(target, partial)


def text_output(path: str | os.PathLike[str] | TextIO) -> AbstractContextManager[IO[Any]]:
    """Open a path for text as `replacing` does; a file that is open for text is written to."""
    if isinstance(path, (str, os.PathLike)):
        return replacing(path, text=True)
    if isinstance(path, type) or not callable(getattr(path, "write", None)):
        raise TypeError(f"path must be a path or a file open for text, got {path!r}")
    return nullcontext(path)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Make a folder that gets the name ``path`` when the block ends without an error."""
    with _told_as(path), _beside(str(path.absolute()), os.mkdir) as partial:
        yield Path(partial)
        os.rename(partial, path)


def check_path(path: object, name: str = "path") -> None:
    """Check that an argument is a path: `open` would take a number for an open file's."""
    check_kind(path, (str, os.PathLike), name)
    text = os.fspath(path)  # type: ignore[call-overload]
    check_kind(text, str, name)
    if "\0" in text:
        raise ValueError(f"{name} holds a NUL character, which no path does: {path!r}")


def descriptor_of(path: str | os.PathLike[str]) -> int | None:
    """Return the number of the open file that a path such as ``/dev/stdout`` stands for, or None.

    The real path of such a path is that of a pipe, which does not exist, or of a file that the
    shell has begun to write and that must not be replaced.
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


def _target(path: str | os.PathLike[str]) -> str:
    """Return the real path of an output: one that is a link stays a link."""
    check_path(path)
    target = os.path.realpath(path)
    if os.path.isdir(target):
        raise IsADirectoryError(printable(f"{path}: is a folder, expected the name of a file"))
    return target


def _is_special(target: str) -> bool:
    """Return whether there is a device or pipe, which is written to and not replaced."""
    return os.path.exists(target) and not os.path.isfile(target)


@contextmanager
def _told_as(path: str | os.PathLike[str]) -> Iterator[None]:
    """Make errors name the file that is to be written and not the partial one."""
    try:
        yield
    except OSError as error:
        if error.errno is None:  # with a file, an error without a number would print as None
            raise
        name = error.filename  # None if the disk is full
        if name is None or os.path.basename(str(name)).startswith(_PARTIAL):
            raise OSError(error.errno, error.strerror, os.fspath(path)) from error
        raise


@contextmanager
def _explained(why: str) -> Iterator[None]:
    """Add to an error of the system what it means here."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror}: {why}", error.filename) from error


@contextmanager
def _beside(target: str, create: Callable[[str], None]) -> Iterator[str]:
    """Create a file or folder that is to be renamed to ``target``, and yield its name.

    If the block does not rename it, it is removed. Only a kill leaves it. It is locked as long as
    it is in use, so that the next run that writes ``target`` can tell it from one that a killed
    process has left, and removes the latter.
    """
    folder, name = os.path.split(target)
    if not os.path.isdir(folder):
        raise FileNotFoundError(printable(f"{folder}: no such folder, to write {name} to"))
    with suppress(FileNotFoundError):
        os.lstat(target)  # raises an error if the name is too long
    # A lock may hold on one machine only, as on network disks: the name of the machine keeps the
    # partial files of others from being taken for abandoned.
    owner = os.fsencode(name) + b"\0" + os.fsencode(platform.node())
    digest = hashlib.blake2b(owner, digest_size=8).hexdigest()
    begins = f"{_PARTIAL}{digest}-"
    _remove_abandoned(folder, begins)
    with ExitStack() as stack:

        def new_name() -> str:
            path = os.path.join(folder, f"{begins}{secrets.token_hex(8)}.partial")
            stack.callback(_remove, path)
            return path

        created = False
        while not created:
            first = new_name()
            create(first)
            with suppress(OSError):  # a disk without locks: then nothing is removed later either
                stack.callback(os.close, _lock(first, wait=True))
            created = os.path.exists(first)  # another run may have removed it before the lock
        partial = new_name()
        with _explained("files in this folder cannot be renamed, which a whole output needs"):
            os.rename(first, partial)  # tried now, before there is anything to lose
        yield partial


def _create_file(path: str) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))


def _not_through_links(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)


def _copy_mode(target: str, partial: str) -> None:
    """Give a new file the permissions of the old one; a mount may refuse to change any."""
    if os.path.exists(target):
        old, new = (stat.S_IMODE(os.stat(path).st_mode) for path in (target, partial))
        if old != new:
            with _explained(f"a new file cannot be given its permissions, {old:o}; delete it"):
                os.chmod(partial, old)


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):  # it has been renamed
        shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)


def _lock(path: str, *, wait: bool) -> int:
    """Lock a file or folder until the descriptor that is returned is closed."""
    if sys.platform != "win32":
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor
    raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP), path)


def _remove_abandoned(folder: str, begins: str) -> None:
    """Remove the partial files and folders that no process holds a lock on."""
    with suppress(OSError):  # the folder may not be listed, a file not ours
        for name in os.listdir(folder):
            if name.startswith(begins):
                path = os.path.join(folder, name)
                with suppress(OSError), ExitStack() as stack:
                    stack.callback(os.close, _lock(path, wait=False))
                    _remove(path)


# ---- reading ---------------------------------------------------------------------------------


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
def open_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file for its bytes, those that were compressed if its name says so."""
    with opened(path) as (content, _):
        yield content


DAMAGE = (EOFError, gzip.BadGzipFile, zlib.error, zipfile.BadZipFile)


@contextmanager
def damage_told(path: Path) -> Iterator[None]:
    """Turn what the archive modules raise on a damaged file into one line."""
    try:
        yield
    except DAMAGE as exc:
        raise ValueError(f"{path}: damaged or cut short: {exc}") from None
    except MemoryError as exc:  # a file may claim to hold more than there can be
        told = "not enough memory" if str(exc) in ("", "std::bad_alloc") else exc
        raise MemoryError(f"{path}: {told}") from None


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
