"""``termsift count``: count inputs of any size into a file of counts."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import termsift as ts
from termsift._util.files import check_replaceable
from termsift.cli.arguments import (
    add_command,
    add_input,
    add_output_file,
)
from termsift.cli.checkpoints import Checkpoint
from termsift.cli.inputs import counted, reading_options, refuse_repeated, tell_skipped
from termsift.cli.output import COUNTS_FILE, check_writable, print_written, tell

_MORE = """\
Here the word demo and .termsift files are no inputs. Several inputs are all matrices or all texts.
Inputs are read a part at a time, except .npz and .mtx, which are read whole. While a part is
counted, the next one is read.

checkpoints:
  With --checkpoint, the counts of the inputs that have been read are kept in OUTPUT.checkpoint. If
  the job is killed or fails, the same command goes on with the next input, and the result is the
  same to the last bit. The checkpoint is removed when OUTPUT has been written. It is refused if an
  input that it counted has another size or time of last change, or if the options have changed.
  An input is counted again from its beginning, so divide a very large collection into many files.

The exit code is 130 after Ctrl-C, 143 after SIGTERM, which schedulers of batch jobs send, and 1
after an error.
"""


def add(commands: Any) -> None:
    """Add the parser of the command."""
    about = "count collections of any size into a file of counts"
    parser = add_command(commands, "count", _run, about, _MORE, "INPUT ... -o FILE [options]")
    add_input(parser, several=True)
    group = parser.add_argument_group("output")
    add_output_file(group, "the counts", COUNTS_FILE)
    keep = "keep the counts of the inputs that have been read; see below"
    group.add_argument("--checkpoint", action="store_true", help=keep)


def _run(args: argparse.Namespace) -> None:
    check_writable(args.output)
    refuse_repeated(args.inputs)
    scan = ts.scan(args.inputs, **reading_options(args), n_threads=args.threads)
    checkpoint = _checkpoint(args, scan)
    restored = checkpoint.restore() if checkpoint else None
    if restored is not None:
        tell(
            f"going on from {args.output}.checkpoint, after {restored.counts.n_docs:,.0f} documents"
        )
    try:
        counts = counted(args, scan, restored, checkpoint.write_if_due if checkpoint else None)
        counts.save(args.output)
    except BaseException:
        if checkpoint and checkpoint.path.exists():
            tell(f"stopped; the same command goes on from {args.output}.checkpoint")
        raise
    if checkpoint:
        checkpoint.path.unlink(missing_ok=True)
    print_written(args.output, counts)
    tell_skipped(scan)


def _checkpoint(args: argparse.Namespace, scan: ts.Scan) -> Checkpoint | None:
    """Return the checkpoint of the job, or None if it has none."""
    path = Path(f"{args.output}.checkpoint")
    if not args.checkpoint:
        if path.exists():
            raise ValueError(
                f"{path}: a count to {args.output} was not finished; go on with --checkpoint, or "
                "delete it"
            )
        return None
    check_replaceable(path)
    options = reading_options(args)
    options["tf"] = args.tf or "raw"
    for name in ("labels", "terms"):  # their files are among those of the inputs
        options.pop(name, None)
    return Checkpoint(path, scan, options)
