"""Writing files and folders atomically, and checking paths."""

from __future__ import annotations

import errno
import hashlib
import os
import platform
import re
import secrets
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO, Any, TextIO

from termsift._util.printable import printable
from termsift._util.validation import check_kind

if sys.platform != "win32":
    import fcntl

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
    with _told_as(path), _beside(target, _create_file) as partial:
        with open(partial, **mode, opener=_not_through_links) as file:  # type: ignore[call-overload]
            _copy_mode(target, partial)
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, target)


def check_replaceable(path: str | os.PathLike[str]) -> None:
    """Raise the error that `replacing` would raise, before the work is done, if it is known yet."""
    target = _target(path)
    if descriptor_of(path) is None and not _is_special(target):
        with _told_as(path), _beside(target, _create_file) as partial:
            _copy_mode(target, partial)


def text_output(path: str | os.PathLike[str] | TextIO) -> AbstractContextManager[IO[Any]]:
    """Open a path for text as `replacing` does; write to a file that is open for text."""
    if isinstance(path, (str, os.PathLike)):
        return replacing(path, text=True)
    if isinstance(path, type) or not callable(getattr(path, "write", None)):
        raise TypeError(f"path must be a path or a file open for text, got {path!r}")
    return nullcontext(path)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Make a folder that is renamed to ``path`` when the block ends without an error."""
    with _told_as(path), _beside(str(path.absolute()), os.mkdir) as partial:
        yield Path(partial)
        os.rename(partial, path)


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
def _explained(why: str) -> Iterator[None]:
    """Add an explanation to an error of the system."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror}: {why}", error.filename) from error


@contextmanager
def _beside(target: str, create: Callable[[str], None]) -> Iterator[str]:
    """Create a partial file or folder, which the block renames to ``target``, and yield its name.

    It is removed if the block does not rename it; only a kill leaves it behind. A lock on it marks
    it as in use, so that the next run that writes ``target`` removes only abandoned ones.
    """
    folder, name = os.path.split(target)
    if not os.path.isdir(folder):
        raise FileNotFoundError(printable(f"{folder}: no such folder, to write {name} to"))
    with suppress(FileNotFoundError):
        os.lstat(target)  # raises an error if the name is too long
    # A lock on a network disk may hold on one machine only. The name of the machine is part of the
    # digest, so that the partial files of other machines are not taken for abandoned.
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
            with suppress(OSError):  # without locks, nothing is removed later either
                stack.callback(os.close, _lock(first, wait=True))
            created = os.path.exists(first)  # another run may have removed it before it was locked
        partial = new_name()
        with _explained("files in this folder cannot be renamed, which a whole output needs"):
            os.rename(first, partial)  # tried before there is anything to lose
        yield partial


def _create_file(path: str) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))


def _not_through_links(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)


def _copy_mode(target: str, partial: str) -> None:
    """Copy the permissions of the old file; some mounts cannot change any."""
    if os.path.exists(target):
        old, new = (stat.S_IMODE(os.stat(path).st_mode) for path in (target, partial))
        if old != new:
            with _explained(f"a new file cannot be given its permissions, {old:o}; delete it"):
                os.chmod(partial, old)


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):  # it has been renamed
        shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)


def _lock(path: str, *, wait: bool) -> int:
    """Lock a file or folder until the returned descriptor is closed."""
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
    with suppress(OSError):  # listing the folder may be forbidden
        for name in os.listdir(folder):
            if name.startswith(begins):
                path = os.path.join(folder, name)
                with suppress(OSError), ExitStack() as stack:
                    stack.callback(os.close, _lock(path, wait=False))
                    _remove(path)
