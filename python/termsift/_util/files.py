"""Write files atomically, and check paths."""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, TextIO, cast

from termsift._util.faults import Name, concerning, named, wrong_value
from termsift._util.messages import printable
from termsift._util.validation import check_kind

fcntl: Any
try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None

_PARTIAL = ".partial"  # the end of the names of incomplete files


@contextmanager
def replacing(path: str | os.PathLike[str], *, text: bool = False) -> Iterator[Any]:
    """Open a new file that replaces ``path`` when the block ends without an error.

    Output to a device or a pipe is written directly. Text is written as UTF-8. Names of classes
    may come from names of files that are not UTF-8, whose bytes are written as escapes.
    """
    as_text = {"encoding": "utf-8", "newline": "", "errors": "backslashreplace"}
    mode = {"mode": "w", **as_text} if text else {"mode": "wb"}
    check_path(path)
    if _is_special(path):  # a device or pipe has no old content to lose
        with named_errors(path), open(path, **mode) as file:  # type: ignore[call-overload]
            yield file
        return
    with _partial_file(path) as (partial, target):
        with open(partial, **mode) as file:  # type: ignore[call-overload]
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, target)


def check_replaceable(path: str | os.PathLike[str]) -> None:
    """Raise the errors of `replacing` that can be detected before the output is computed."""
    check_path(path)
    if not _is_special(path):
        with _partial_file(path):
            pass


def text_output(path: Any) -> AbstractContextManager[TextIO]:
    """Open a path for text as `replacing` does. A file that is already open is used directly."""
    return nullcontext(path) if hasattr(path, "write") else replacing(path, text=True)


def check_path(path: object, name: Name = "path") -> None:
    """Check that an argument is a path and not a file number, which `open` would also accept.

    An empty path would be the folder in which the program runs.
    """
    check_kind(path, (str, os.PathLike), name)
    words = os.fspath(cast("str | os.PathLike[str]", path))
    if not words or "\0" in words:
        raise wrong_value(
            "{name} must be the path of a file or folder, got {words!r}",
            name=named(name),
            words=words,
        )


@contextmanager
def named_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Add the name of a file to errors of the system that lack it, such as that of a full disk."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


def existing(path: str | os.PathLike[str], name: str = "path") -> Path:
    """Check that a path is an existing file, and return it as a `Path`."""
    check_path(path, name)
    path = Path(path)
    if not path.exists():
        raise concerning(FileNotFoundError(f"{path}: no such file"), name)
    if not path.is_file():  # a pipe could be read only once
        text = f"{path}: expected a file, found a folder, pipe or device"
        raise concerning(ValueError(text), name)
    return path


def _is_special(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a device or a pipe, which is written to and not replaced."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


@contextmanager
def _partial_file(path: str | os.PathLike[str]) -> Iterator[tuple[str, str]]:
    """Create a temporary file beside the target of ``path``, and yield both paths."""
    target = os.path.realpath(path)  # realpath follows a symbolic link, so that the link is kept
    folder, name = os.path.split(target)
    if os.path.isdir(target):
        text = printable(f"{path}: is a folder, expected the name of a file")
        raise concerning(IsADirectoryError(text), "path")
    if not os.path.isdir(folder):
        text = printable(f"{folder}: no such folder; cannot write {name}")
        raise concerning(FileNotFoundError(text), "path")
    # The start of the name depends on the target, and fits into the longest name of a file.
    start = f".termsift-{zlib.crc32(os.fsencode(name)):08x}-"
    _remove_orphans(folder, start)
    partial, lock = "", None
    try:
        while lock is None:
            partial = os.path.join(folder, f"{start}{os.urandom(8).hex()}{_PARTIAL}")
            lock = _created(partial)
        if os.path.exists(target):
            os.chmod(partial, stat.S_IMODE(os.stat(target).st_mode))
        yield partial, target
    except OSError as error:  # the error names the partial file, or no file if the disk is full
        if error.errno is None or error.filename not in (None, partial):
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error
    finally:
        with suppress(FileNotFoundError):  # the file is gone if the caller has renamed it
            os.unlink(partial)
        if lock is not None and lock >= 0:
            os.close(lock)


def _created(path: str) -> int | None:
    """Create a file, and lock it until the returned number of the open file is closed.

    Return None if another process took the new file for an orphan before it was locked, and -1 if
    the system has no locks.
    """
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    is_taken = False
    if fcntl is not None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_taken = os.fstat(file).st_nlink == 0
        except BlockingIOError:
            is_taken = True
        except OSError:  # a file system without locks, where no file is taken for an orphan
            pass
        if not is_taken:
            return file
    os.close(file)
    return None if is_taken else -1


def _remove_orphans(folder: str, start: str) -> None:
    """Remove incomplete files whose names begin with ``start``, if their writers were killed.

    A process that is writing such a file holds its lock.
    """
    if fcntl is None:
        return
    orphans: list[str] = []
    with suppress(OSError), os.scandir(folder) as entries:
        orphans += [e.path for e in entries if e.name.startswith(start)]
    for path in orphans:
        with suppress(OSError):  # the file is locked, or belongs to another user
            file = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if stat.S_ISREG(os.fstat(file).st_mode):
                    os.unlink(path)
            finally:
                os.close(file)
