"""``termsift count``: counts of files of any size, in a file, by a job that loses nothing."""

from __future__ import annotations

import argparse
import logging
import time
from pathlib import Path
from typing import Any, TypeAlias

import termsift as ts
from termsift._api.counting import count_chunks, finished, nothing
from termsift._util.files import check_replaceable
from termsift._util.progress import progress
from termsift.cli.arguments import above_zero, add_command, add_input, positive
from termsift.cli.checkpoints import Checkpoint
from termsift.cli.inputs import reading_options, refuse_repeated
from termsift.cli.output import check_writable, print_written, tell

_log = logging.getLogger("termsift")

# What has been counted, and the position of the scan after it.
_State: TypeAlias = tuple[ts.ClassCounts, dict[str, Any]]

_EVERY = 120.0  # seconds between checkpoints

_FORMATS = """\
inputs, of any size, known by the ending of the name; all are matrices or all are texts:
  .svm .svmlight .libsvm  label index:count ... a line; --terms names the terms
  a folder                of a sub-folder a class, in which each file is a document; or of arrays:
                          indptr.npy, indices.npy, data.npy, y.npy (termsift.save_csr in Python)
  .npz .mtx               a matrix with --labels; loaded whole
  .csv .tsv               a table with header, columns 'text' and 'label' or --text and --label
  .txt                    label<TAB>text a line, without header or quoting
  .jsonl .ndjson          a JSON object a line, keys 'text' and 'label' or --text and --label
  .parquet .arrow .feather  a table with the same columns (needs pyarrow)
Files of text and .mtx may end in .gz or .zst (needs zstandard) as well. They are read a part at a
time, the next one while the last is counted.

checkpoints:
  With --checkpoint, what has been counted is kept in OUTPUT.checkpoint every two minutes and when
  the job is interrupted or fails. The same command goes on from it, and ends with the same counts
  to the last bit as if nothing had happened. It is removed when OUTPUT has been written, and
  refused if the inputs or options have changed.

The exit code is 130 where Ctrl-C interrupted, 143 where SIGTERM did, as schedulers of batch jobs
send it, and 1 where something is wrong.
"""


def add(commands: Any) -> None:
    """Add the parser of the command."""
    parser = add_command(
        commands, "count", _run, "count collections of any size into a file of counts", _FORMATS
    )
    add_input(parser, several=True)
    parser.add_argument(
        "--index-base",
        type=int,
        choices=(0, 1),
        default=1,
        help="the index of the first term in svmlight files (default: 1)",
    )
    parser.add_argument(
        "--chunk-docs",
        type=positive,
        metavar="N",
        help="documents read at a time, at most (default: as many as have 256 MiB of entries of a "
        "matrix, 16 MiB of svmlight text or 2 million different words each of texts)",
    )
    parser.add_argument(
        "--on-error",
        choices=("raise", "skip"),
        default="raise",
        help="skip: leave out lines and rows that are not as expected, and say how many "
        "(default: raise)",
    )
    group = parser.add_argument_group("output")
    group.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        required=True,
        help="the counts, written atomically; its name ends in .termsift or has no ending",
    )
    group.add_argument(
        "--checkpoint", action="store_true", help="keep what has been counted; see below"
    )
    group.add_argument(
        "--checkpoint-every",
        type=above_zero,
        metavar="SECONDS",
        help=f"with --checkpoint, how often (default: {_EVERY:.0f})",
    )


def _run(args: argparse.Namespace) -> None:
    check_writable(args.output)
    refuse_repeated(args.inputs)
    scan = ts.scan(
        args.inputs,
        **reading_options(args),
        chunk_docs=args.chunk_docs,
        index_base=args.index_base,
        on_error=args.on_error,
        n_threads=args.threads,
    )
    checkpoint = _checkpoint(args, scan)
    state = _counted(args, scan, checkpoint)
    try:
        counts = finished(state[0], scan)
        counts.save(args.output)
    except BaseException as error:
        _keep(args, checkpoint, state, error)
        raise
    if checkpoint:
        checkpoint.remove()
    print_written(args.output, counts)
    if scan.n_skipped:
        _tell_skipped(scan)


def _tell_skipped(scan: ts.Scan) -> None:
    """Say what was left out."""
    _log.warning("left out %d lines or rows that were not as expected:", scan.n_skipped)
    for complaint in scan.skipped:
        _log.warning("  %s", complaint)
    if scan.n_skipped > len(scan.skipped):
        _log.warning("  and %d more", scan.n_skipped - len(scan.skipped))


def _checkpoint(args: argparse.Namespace, scan: ts.Scan) -> Checkpoint | None:
    """Give the checkpoint of the job, if it is to have one."""
    path = Path(f"{args.output}.checkpoint")
    if args.checkpoint:
        check_replaceable(path)
    else:
        if args.checkpoint_every is not None:
            args.usage_error("argument --checkpoint-every: only with --checkpoint")
        if path.exists():
            raise ValueError(
                f"{path}: a count to {args.output} was not finished: go on from there with "
                "--checkpoint, or delete it"
            )
        return None
    options = {
        "index_base": args.index_base,
        "on_error": args.on_error,
        "tf": args.tf or "raw",
        **reading_options(args),
    }
    return Checkpoint(path, scan, options)


def _counted(args: argparse.Namespace, scan: ts.Scan, checkpoint: Checkpoint | None) -> _State:
    """Count the chunks of the scan, with a checkpoint every so often and at an untimely end."""
    tf = args.tf or "raw"
    counts = checkpoint.restore() if checkpoint else None
    if counts is None:
        counts = nothing(tf)
    else:
        tell(f"going on from {args.output}.checkpoint, after {counts.n_docs:,.0f} documents")
    # What has been counted and where that ends, set in one step, which no Ctrl-C can cut in two.
    state = counts, scan.position
    every, written = args.checkpoint_every or _EVERY, time.monotonic()
    chunks = count_chunks(scan, counts, n_threads=args.threads)
    try:
        with progress("counted", scan.n_bytes, "bytes", already=scan.bytes_done) as report:
            for counts in chunks:
                state = counts, scan.position
                if report is not None:
                    report(scan.bytes_done)
                if checkpoint and time.monotonic() - written >= every:
                    _write(checkpoint, *state)
                    written = time.monotonic()
    except BaseException as error:
        chunks.close()
        _keep(args, checkpoint, state, error)
        raise
    return state


def _keep(
    args: argparse.Namespace, checkpoint: Checkpoint | None, state: _State, error: BaseException
) -> None:
    """Keep what has been counted by a job that ends untimely."""
    if checkpoint and _write(checkpoint, *state):
        why = "interrupted" if isinstance(error, KeyboardInterrupt) else "stopped"
        tell(f"{why}; the same command goes on from {args.output}.checkpoint")


def _write(checkpoint: Checkpoint, counts: ts.ClassCounts, position: dict[str, Any]) -> bool:
    """Write a checkpoint, and say whether that worked: a full disk is no reason to stop."""
    try:
        checkpoint.write(counts, position)
    except OSError as error:
        _log.warning(
            "warning: %s: could not be written, and is what it was before: %s",
            checkpoint.path,
            error.strerror or error,
        )
        return False
    return True
