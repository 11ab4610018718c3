"""The command line: ``termsift rank``, ``count``, ``compare`` and so on."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import termsift as ts
from termsift._util.waiting import one_blas_thread

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; those of the process by default.

    Returns
    -------
    code : int
        0 if all went well, or if the reader of the output closed it; 1 if the data, a file or an
        option does not fit, with one line on standard error; 130 after Ctrl-C and 143 after
        SIGTERM. argparse exits with 2 if the usage is wrong.
    """
    arguments = sys.argv[1:] if argv is None else list(argv)
    if arguments == ["--version"]:  # at once, without numpy
        print(f"termsift {ts.__version__}")
        return 0
    with one_blas_thread():
        from termsift.cli import running
    return running.run(arguments)
