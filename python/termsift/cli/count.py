"""``termsift count``: count inputs of any size into a file of counts."""

from __future__ import annotations

import argparse
from typing import Any

import termsift as ts
from termsift._util.printable import printable
from termsift.cli import arguments, inputs, output

_MORE = """\
The inputs must be all matrices or all texts, and neither demo nor .termsift files. They are read a
part at a time, except .npz and .mtx, which are read whole.

For a job that may be killed, count each input into a file and put the files together with
'termsift merge': after a kill, only the files that are missing need counting.

"""


def add(commands: Any) -> None:
    """Add the parser of the command."""
    about = "count collections of any size into a file of counts"
    usage = "INPUT ... -o FILE [options]"
    parser = arguments.add_command(commands, "count", _run, about, _MORE, usage)
    arguments.add_input(parser, several=True)
    arguments.add_output_file(parser, f"the counts, FILE{output.COUNTS_FILE}")


def _run(args: argparse.Namespace) -> None:
    output.check_counts_file(args.output)
    inputs.refuse_repeated(args.inputs)
    scan = inputs.scan_of(args, args.inputs)
    counts = ts.count(scan, tf=args.tf or "raw", n_threads=args.threads)
    counts.save(args.output)
    print(f"{printable(args.output)}: {output.summary(counts)}")
    inputs.log_skipped(scan)
