"""``termsift count``: count inputs of any size into a file of counts."""

from __future__ import annotations

import argparse
import json
import os
from itertools import zip_longest
from pathlib import Path
from typing import Any

import termsift as ts
from termsift._counts.file import read_from, write_to
from termsift._counts.held import Held
from termsift._counts.scan_counting import ScanCounting
from termsift._util.files import check_replaceable, replacing
from termsift._util.log import logger
from termsift._util.printable import printable
from termsift.cli import arguments, inputs, output
from termsift.io._source import Skipped

_MORE = """\
The inputs must be all matrices or all texts, and neither demo nor .termsift files. They are read a
part at a time, except .npz and .mtx, which are read whole.

With --checkpoint, the counts of the inputs that have been read are kept in OUTPUT.checkpoint. If
the job is killed or fails, the same command resumes with the next input, and the result has the
same bits. An input is counted again from its beginning, so divide a very large collection into many
files. The checkpoint is refused if the options, or inputs that it has counted, have changed.

"""


def add(commands: Any) -> None:
    """Add the parser of the command."""
    about = "count collections of any size into a file of counts"
    usage = "INPUT ... -o FILE [options]"
    parser = arguments.add_command(commands, "count", _run, about, _MORE, usage)
    arguments.add_input(parser, several=True)
    group = parser.add_argument_group("output")
    arguments.add_output_file(group, f"the counts, FILE{output.COUNTS_FILE}")
    keep = "keep the counts of the inputs that have been read; see below"
    arguments.add_flag(group, "--checkpoint", keep)


def _run(args: argparse.Namespace) -> None:
    output.check_counts_file(args.output)
    inputs.refuse_repeated(args.inputs)
    scan = inputs.scan_of(args, args.inputs)
    checkpoint = _Checkpoint(args, scan)
    if not args.checkpoint:
        if checkpoint.path.exists():
            raise ValueError(
                f"{checkpoint.path}: a count to {args.output} was not finished; resume it with "
                "--checkpoint, or delete the file"
            )
        counts = inputs.counted(args, scan)
        counts.save(args.output)
    else:
        before = checkpoint.restore()
        try:
            counts = inputs.counted(args, scan, before, checkpoint.write_if_due)
            counts.save(args.output)
        except BaseException:
            if checkpoint.path.exists():
                logger.warning("stopped; the same command resumes from %s", checkpoint.path)
            raise
        checkpoint.path.unlink(missing_ok=True)
    print(f"{printable(args.output)}: {output.summary(counts)}")
    inputs.log_skipped(scan)


class _Checkpoint:
    """The counts of the first inputs of a job, in a file beside its output.

    The file is one JSON line, which says what has been counted, and the counts. Both are replaced
    at once, so that a kill at any moment leaves counts that belong to that line.
    """

    def __init__(self, args: argparse.Namespace, scan: ts.Scan) -> None:
        self.path = Path(f"{args.output}.checkpoint")
        self._scan = scan
        # The files of labels and terms are among those of the inputs.
        names = [name for name in (*inputs.READING, "tf") if name not in ("labels", "terms")]
        self._options = [f"{name}={getattr(args, name)!r}" for name in names]
        self._size, self._bytes_done = 0, 0  # of the last checkpoint

    def restore(self) -> Held | None:
        """Return the counts of the checkpoint, and let the scan go on after them.

        Return None if there is no checkpoint. Raise ValueError if it is damaged, or if its inputs
        or options are not those of this job.
        """
        check_replaceable(self.path)
        if not self.path.exists():
            return None
        with open(self.path, "rb") as file:
            try:
                n_inputs, job, n_skipped, skipped = json.loads(file.readline())
            except (ValueError, TypeError):
                raise ValueError(f"{self.path}: is damaged; delete it to count anew") from None
            for theirs, ours in zip_longest(job, self._job(n_inputs), fillvalue="nothing"):
                if theirs != ours:
                    raise ValueError(
                        f"{self.path}: is the checkpoint of another count: it has {theirs}, this "
                        f"one has {ours}; delete it to count anew"
                    )
            held = read_from(file, str(self.path))
            self._size = file.tell()
        self._scan._begin_after(n_inputs, Skipped(n_skipped, skipped))
        self._bytes_done = self._scan.bytes_done
        n_docs = f"{held.counts.n_docs:,.0f}"
        logger.warning("resuming from %s, after %s documents", self.path, n_docs)
        return held

    def write_if_due(self, counting: ScanCounting) -> None:
        """Write the counts if as much was read since the last checkpoint as it has bytes."""
        scan = self._scan
        if scan.bytes_done - self._bytes_done < self._size:
            return
        job = [scan.inputs_done, self._job(scan.inputs_done), scan.n_skipped, scan.skipped]
        with replacing(self.path) as file:
            file.write(json.dumps(job).encode() + b"\n")
            write_to(file, counting.counts())
            self._size = file.seek(0, os.SEEK_END)
        self._bytes_done = scan.bytes_done

    def _job(self, n_inputs: int) -> list[str]:
        """Return the options, and the name, size and time of change of each file of some inputs."""
        states = [(os.path.abspath(file), os.stat(file)) for file in self._scan._files(n_inputs)]
        return self._options + [
            f"{path} ({state.st_size} bytes, changed at {state.st_mtime_ns} ns)"
            for path, state in states
        ]
