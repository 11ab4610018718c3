"""Checkpoints: the counts of the first inputs of a job, in a file beside its output.

The file is one JSON line, which lists what has been counted, and the counts. Both are replaced at
once, so that a kill at any moment leaves counts that belong to that line.
"""

from __future__ import annotations

import json
import os
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from termsift._counts.file import read_from, write_to
from termsift._counts.held import Held
from termsift._counts.scan_counting import ScanCounting
from termsift._util.files import replacing
from termsift._util.log import logger
from termsift.io._scan import Scan
from termsift.io._source import Skipped


class Checkpoint:
    """The checkpoint of one job, in a file that may not exist yet.

    Parameters
    ----------
    path : path
        The file.
    scan : Scan
        What the job reads.
    options : dict
        What else the counts depend on; JSON values.
    """

    def __init__(self, path: Path, scan: Scan, options: dict[str, Any]) -> None:
        self.path, self._scan = path, scan
        self._options = json.loads(json.dumps(options))  # as it will be read: tuples become lists
        self._size, self._bytes_done = 0, 0  # of the last checkpoint

    def restore(self) -> Held | None:
        """Return the counts of the checkpoint, and let the scan go on after them.

        Return None if there is no checkpoint. Raise ValueError if it is damaged, or if its inputs
        or options are not those of this job.
        """
        if not self.path.exists():
            return None
        damaged = ValueError(f"{self.path}: the checkpoint is damaged; delete it to count anew")
        with open(self.path, "rb") as file:
            try:
                job = json.loads(file.readline())
                files, n_inputs, options = job["files"], job["n_inputs"], job["options"]
                skipped = Skipped(job["n_skipped"], job["skipped"])
            except (ValueError, TypeError, KeyError):
                raise damaged from None
            self._check_same_job(files, n_inputs, options)
            held = read_from(file, str(self.path))
            self._size = file.tell()
        self._scan._begin_after(n_inputs, skipped)
        self._bytes_done = self._scan.bytes_done
        return held

    def write_if_due(self, counting: ScanCounting) -> None:
        """Write the counts if as much was read since the last checkpoint as it has bytes."""
        if self._scan.bytes_done - self._bytes_done >= self._size:
            self.write(counting.counts())

    def write(self, counts: Held) -> None:
        """Replace the checkpoint by the counts of all inputs that the scan has read.

        If writing fails, on a full disk for example, the job goes on without it.
        """
        scan = self._scan
        job = {
            "n_inputs": scan.inputs_done,
            "files": _identities(scan._files(scan.inputs_done)),
            "options": self._options,
            "n_skipped": scan.n_skipped,
            "skipped": scan.skipped,
        }
        try:
            with replacing(self.path) as file:
                file.write(json.dumps(job).encode() + b"\n")
                write_to(file, counts)
                self._size = file.seek(0, os.SEEK_END)
            self._bytes_done = scan.bytes_done
        except OSError as error:
            logger.warning(
                "warning: %s: could not be written, and is what it was before: %s",
                self.path,
                error.strerror or error,
            )

    def _check_same_job(self, files: list[str], n_inputs: int, options: dict[str, Any]) -> None:
        """Check that a checkpoint is of a job with these options, whose first inputs are these."""
        differences = [
            f"it was made with {option}={options.get(option)!r}, this one has "
            f"{option}={self._options.get(option)!r}"
            for option in sorted({*options, *self._options})
            if options.get(option) != self._options.get(option)
        ]
        differences += [
            f"it has counted {theirs}, this one reads {ours}"
            for theirs, ours in zip_longest(
                files, _identities(self._scan._files(n_inputs)), fillvalue="nothing"
            )
            if theirs != ours
        ]
        if differences:
            raise ValueError(
                f"{self.path}: is the checkpoint of another count: {differences[0]}; delete it to "
                "count anew"
            )


def _identities(files: list[os.PathLike[str]]) -> list[str]:
    """Return what identifies files without reading them: name, size and time of last change."""
    states = [(os.path.abspath(file), os.stat(file)) for file in files]
    return [
        f"{path} ({state.st_size} bytes, last changed {np.datetime64(state.st_mtime_ns, 'ns')})"
        for path, state in states
    ]
