"""``termsift count``: count inputs of any size into a file of counts."""

from __future__ import annotations

import argparse
from typing import Any

import termsift as ts
from termsift.cli import arguments, inputs, output

_MORE = """\
The inputs must be either all matrices or all texts. .termsift files and demo are not allowed.
Inputs are read in parts, except .npz files, and .mtx files that are unsorted, symmetric or, with
--tf log, sorted by column, which are read whole.

"""


def add(commands: Any) -> None:
    """Add the parser of the command."""
    about = "count collections of any size into a file of counts"
    usage = "INPUT ... -o FILE [options]"
    parser = arguments.add_command(commands, "count", _run, about, _MORE, usage)
    arguments.add_input(parser, several=True, unlabelled=arguments.ONE_CLASS)
    about = "memory for counting texts, such as 2GB; needs --min-df, and may read texts twice"
    names = "--max-memory", "--memory"
    parser.add_argument(*names, type=arguments.size, metavar="SIZE", help=about)
    about = "folder to save the progress in; the same command resumes from it if it was killed"
    parser.add_argument("--checkpoint", metavar="FOLDER", help=f"{about}; needs --max-memory")
    arguments.add_output_file(parser, f"the counts, FILE{output.COUNTS_FILE}")


def _run(args: argparse.Namespace) -> None:
    output.check_counts_file(args.output)
    inputs.refuse_repeated(args.inputs)
    scan = inputs.scan_of(args, args.inputs)
    counts = ts.count(scan, tf=args.tf or "raw", n_threads=args.n_threads)
    counts.save(args.output)
    output.tell(args.output, counts)
    inputs.log_read(args, scan)
