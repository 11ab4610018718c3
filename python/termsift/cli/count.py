"""``termsift count``: count inputs of any size into a file of counts."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import termsift as ts
from termsift._util.files import check_replaceable
from termsift._util.log import logger
from termsift._util.printable import printable
from termsift.cli import arguments, inputs, output
from termsift.cli.checkpoints import Checkpoint

_MORE = """\
Here the word demo and .termsift files are no inputs. Several inputs are all matrices or all texts.
Inputs are read a part at a time, except .npz and .mtx, which are read whole.

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
    parser = arguments.add_command(
        commands, "count", _run, about, _MORE, "INPUT ... -o FILE [options]"
    )
    arguments.add_input(parser, several=True)
    group = parser.add_argument_group("output")
    arguments.add_output_file(group, "the counts", output.COUNTS_FILE)
    keep = "keep the counts of the inputs that have been read; see below"
    arguments.add_flag(group, "--checkpoint", keep)


def _run(args: argparse.Namespace) -> None:
    output.check_writable(args.output)
    inputs.refuse_repeated(args.inputs)
    scan = inputs.scan_of(args, args.inputs)
    checkpoint = _checkpoint(args, scan)
    restored = checkpoint.restore() if checkpoint else None
    if restored is not None:
        n_docs = f"{restored.counts.n_docs:,.0f}"
        logger.warning("going on from %s.checkpoint, after %s documents", args.output, n_docs)
    try:
        counts = inputs.counted(
            args, scan, restored, checkpoint.write_if_due if checkpoint else None
        )
        counts.save(args.output)
    except BaseException:
        if checkpoint and checkpoint.path.exists():
            logger.warning("stopped; the same command goes on from %s.checkpoint", args.output)
        raise
    if checkpoint:
        checkpoint.path.unlink(missing_ok=True)
    print(f"{printable(args.output)}: {output.summary(counts)}")
    inputs.tell_skipped(scan)


def _checkpoint(args: argparse.Namespace, scan: ts.Scan) -> Checkpoint | None:
    """Return the checkpoint of the job, or None if it has none."""
    path = Path(f"{args.output}.checkpoint")
    if args.checkpoint:
        check_replaceable(path)
        options = inputs.reading_options(args) | {"tf": args.tf or "raw"}
        for name in ("labels", "terms"):  # their files are among those of the inputs
            options.pop(name, None)
        return Checkpoint(path, scan, options)
    if path.exists():
        raise ValueError(
            f"{path}: a count to {args.output} was not finished; go on with --checkpoint, or "
            "delete it"
        )
    return None
