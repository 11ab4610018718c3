"""Write files atomically, and check paths."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any, TextIO, cast

from termsift._util.messages import printable
from termsift._util.validation import check_kind

_PARTIAL = ".termsift-"  # the start of the names of incomplete files


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


def check_path(path: object, name: str = "path") -> None:
    """Check that an argument is a path and not a file number, which `open` would also accept.

    An empty path would be the folder in which the program runs.
    """
    check_kind(path, (str, os.PathLike), name)
    if os.fspath(cast("str | os.PathLike[str]", path)) == "":
        raise ValueError(f"{name} must be the path of a file or folder, got ''")


@contextmanager
def named_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Add the name of a file to errors of the system that lack it, such as that of a full disk."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


def _is_special(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a device or a pipe, which is written to and not replaced."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


@contextmanager
def _partial_file(path: str | os.PathLike[str]) -> Iterator[tuple[str, str]]:
    """Create a temporary file beside the target of ``path``, and yield both paths."""
    target = os.path.realpath(path)  # realpath follows a symbolic link, so that the link is kept
    folder, name = os.path.split(target)
    if os.path.isdir(target):
        raise IsADirectoryError(printable(f"{path}: is a folder, expected the name of a file"))
    if not os.path.isdir(folder):
        raise FileNotFoundError(printable(f"{folder}: no such folder; cannot write {name}"))
    partial = os.path.join(folder, f"{_PARTIAL}{os.urandom(8).hex()}.partial")
    try:
        os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
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
