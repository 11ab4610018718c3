"""Writing files atomically, and checking paths."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import IO, Any, TextIO

from termsift._util.printable import printable
from termsift._util.validation import check_kind

_PARTIAL = ".termsift-"  # begins the names of incomplete files
_MOST_LINKS = 40  # that are followed, as Linux does


@contextmanager
def replacing(path: str | os.PathLike[str], *, text: bool = False) -> Iterator[IO[Any]]:
    """Open a new file that replaces ``path`` when the block ends without an error.

    The file is written beside ``path``, flushed to the disk and renamed. At every moment ``path``
    is the old file or the complete new one. Text is UTF-8 and keeps its line ends. Devices, pipes
    and open descriptors such as ``/dev/stdout`` are written to directly.
    """
    mode = {"mode": "w", "encoding": "utf-8", "newline": ""} if text else {"mode": "wb"}
    target = _target(path)
    already_open = descriptor_of(path)
    if already_open is not None or _is_special(target):  # nothing would be lost
        with _told_as(path):
            at = target if already_open is None else os.dup(already_open)
            with open(at, **mode) as file:  # type: ignore[call-overload]
                yield file
        return
    with _told_as(path), _partial_file(target) as partial:
        with open(partial, **mode) as file:  # type: ignore[call-overload]
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, target)


def check_replaceable(path: str | os.PathLike[str]) -> None:
    """Raise the error that `replacing` would raise, before the work is done, if it is known yet."""
    target = _target(path)
    if descriptor_of(path) is None and not _is_special(target):
        with _told_as(path), _partial_file(target):
            pass


def text_output(path: str | os.PathLike[str] | TextIO) -> AbstractContextManager[IO[Any]]:
    """Open a path for text as `replacing` does; write to a file that is open for text."""
    if isinstance(path, (str, os.PathLike)):
        return replacing(path, text=True)
    if isinstance(path, type) or not callable(getattr(path, "write", None)):
        raise TypeError(f"path must be a path or a file open for text, got {path!r}")
    return nullcontext(path)


def check_path(path: object, name: str = "path") -> None:
    """Check that an argument is a path; `open` would also take the number of an open file."""
    check_kind(path, (str, os.PathLike), name)
    text = os.fspath(path)  # type: ignore[call-overload]
    check_kind(text, str, name)
    if "\0" in text:
        raise ValueError(f"{name} must not contain a NUL character, got {path!r}")
    # A scheme of one letter would be a drive.
    is_url = re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", text)
    if is_url and not os.path.exists(os.path.dirname(text)):
        raise ValueError(f"{text}: is a URL, expected a path on this machine")


def descriptor_of(path: str | os.PathLike[str]) -> int | None:
    """Return the number of the open file that a path such as ``/dev/stdout`` means, or None.

    The real path of such a path cannot be used: it is a pipe, which has no path, or a file that
    the shell has begun to write and that must not be replaced.
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
    """Return the real path of an output, so that a link stays a link."""
    check_path(path)
    target = os.path.realpath(path)
    if os.path.isdir(target):
        raise IsADirectoryError(printable(f"{path}: is a folder, expected the name of a file"))
    return target


def _is_special(target: str) -> bool:
    """Return whether the target is a device or pipe, which is not replaced."""
    return os.path.exists(target) and not os.path.isfile(target)


@contextmanager
def _told_as(path: str | os.PathLike[str]) -> Iterator[None]:
    """Make errors name the output instead of its partial file."""
    try:
        yield
    except OSError as error:
        if error.errno is None:  # it would print as None
            raise
        name = error.filename  # None if the disk is full
        if name is None or os.path.basename(str(name)).startswith(_PARTIAL):
            raise OSError(error.errno, error.strerror, os.fspath(path)) from error
        raise


@contextmanager
def _partial_file(target: str) -> Iterator[str]:
    """Create a file beside the target, with its permissions, and yield its path.

    The file is removed if the block does not rename it. A kill leaves it behind.
    """
    folder, name = os.path.split(target)
    if not os.path.isdir(folder):
        raise FileNotFoundError(printable(f"{folder}: no such folder, to write {name} to"))
    with suppress(FileNotFoundError):
        mode = stat.S_IMODE(os.lstat(target).st_mode)  # raises an error if the name is too long
    partial = os.path.join(folder, f"{_PARTIAL}{secrets.token_hex(8)}.partial")
    os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    try:
        if os.path.exists(target) and stat.S_IMODE(os.stat(partial).st_mode) != mode:
            os.chmod(partial, mode)
        yield partial
    finally:
        with suppress(FileNotFoundError):  # it has been renamed
            os.unlink(partial)
