"""The command line: ``termsift rank``, ``count``, ``compare`` and so on."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence

import termsift as ts

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments. By default, the arguments of the process.

    Returns
    -------
    code : int
        The code is 0 for success, even if the reader of the output closes it early. It is 1 for an
        error, which is reported in one line on standard error, and 130 after Ctrl-C. The process
        exits with 2 if the usage is wrong, and with 143 after SIGTERM.
    """
    if argv is None:
        argv = sys.argv[1:]
        # Batch schedulers send SIGTERM. SystemExit lets cleanup code remove incomplete files.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    if list(argv) == ["--version"]:  # answered before numpy is imported
        print(f"termsift {ts.__version__}")
        return 0
    try:
        from termsift.cli import running

        return running.run(argv)
    except KeyboardInterrupt:  # Ctrl-C may also come during an import
        return 130  # the code that a shell reports
