"""The command line, with commands such as ``termsift rank`` and ``termsift count``."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext

import termsift as ts
from termsift._util.waiting import one_blas_thread
from termsift.cli import interrupts

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments, by default those of the process.

    Returns
    -------
    code : int
        The code is 0 after success (even if the reader of the output stops early), 1 after an error
        and 130 after Ctrl-C. Standard error shows an error in one line. Wrong usage ends the
        process with code 2, and SIGTERM ends it with code 143.
    """
    own_process = argv is None
    if argv is None:
        argv = sys.argv[1:]
        _open_standard_files()
        # If a batch scheduler sends SIGTERM, SystemExit lets cleanup code remove incomplete files.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
        interrupts.note()
    if list(argv) == ["--version"]:  # the version is printed before numpy is imported
        print(f"termsift {ts.__version__}", file=sys.stdout or sys.stderr)
        return 0
    try:
        with one_blas_thread():
            with _imports_are_kept() if own_process else nullcontext():
                from termsift.cli import running  # imports numpy
            return running.run(argv)
    except KeyboardInterrupt:  # Ctrl-C may also come during an import.
        return interrupts.CODE
    except Exception:
        if not interrupts.came():
            raise
        return interrupts.CODE


@contextmanager
def _imports_are_kept() -> Iterator[None]:
    """Leave what is imported to no search for garbage, of which modules have none.

    The searches during the imports, after them and at exit would take a seventh of a short command.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _open_standard_files() -> None:
    """Give numbers 0 to 2 to the null device if they are closed.

    Otherwise the next file that is opened would get such a number, and would hold what libraries
    write to standard error. Python's ``sys.stdout`` and its kin remain None.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:  # os.open returns the lowest free number, which is this one
            os.open(os.devnull, os.O_RDWR)
