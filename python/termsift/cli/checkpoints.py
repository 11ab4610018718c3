"""Checkpoints: the counts of the first inputs of a job, in a file beside its output.

The file is one JSON line, which lists what has been counted, and the counts. Both are replaced at
once, so that a kill at any moment leaves counts that belong to that line.
"""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any

from termsift._api.class_counts import ClassCounts
from termsift._counts.file import read_from, write_to
from termsift._util.files import replacing
from termsift.io._scan import Scan


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

    def restore(self) -> ClassCounts | None:
        """Return the counts of the checkpoint, and let the scan go on after them.

        Return None if there is no checkpoint. Raise ValueError if it is damaged, or if its inputs
        or options are not those of this job.
        """
        if not self.exists():
            return None
        with open(self.path, "rb") as file:
            line = file.readline()
            try:
                job = json.loads(line)
                files, n_inputs = job["files"], job["n_inputs"]
                n_skipped, skipped, options = job["n_skipped"], job["skipped"], dict(job["options"])
                files = [(str(name), int(size), int(mtime)) for name, size, mtime in files]
                numbers = all(type(n) is int and n >= 0 for n in (n_inputs, n_skipped))
                if not numbers or [*map(str, skipped)] != skipped:
                    raise ValueError
            except (ValueError, TypeError, KeyError, RecursionError):
                raise self._damaged() from None
            difference = self._difference(n_inputs, files, options)
            if difference is not None:
                raise ValueError(
                    f"{self.path}: is the checkpoint of another count: {difference}; delete it to "
                    "count anew"
                )
            counts, classes, names, tf = read_from(file, str(self.path))
            self._size = file.tell()
        words = [] if names is None else names.tolist()
        if self._scan.has_words and (len(words) != counts.n_terms or len({*words}) < len(words)):
            raise self._damaged()
        self._scan._resume(n_inputs, words, n_skipped, skipped)
        self._bytes_done = self._scan.bytes_done
        return ClassCounts._of(counts, classes, None, tf)

    def is_due(self) -> bool:
        """Return whether more has been read since the last checkpoint than a new one may write."""
        return self._scan.bytes_done - self._bytes_done >= self._size

    def write(self, counts: ClassCounts) -> None:
        """Replace the checkpoint by the counts of all inputs that the scan has read."""
        scan, n_inputs = self._scan, self._scan.inputs_done
        job = {
            "n_inputs": n_inputs,
            "files": _identities(scan._files(n_inputs)),
            "options": self._options,
            "n_skipped": scan.n_skipped,
            "skipped": scan.skipped,
        }
        names = scan.term_names if scan.has_words else None
        state = counts._counts, counts.classes, names, counts.tf
        with replacing(self.path) as file:
            file.write(json.dumps(job).encode() + b"\n")
            write_to(file, state)
            self._size = file.seek(0, os.SEEK_END)
        self._bytes_done = scan.bytes_done

    def exists(self) -> bool:
        """Return whether there is a checkpoint to go on from."""
        return self.path.exists()

    def remove(self) -> None:
        """Remove the file, once the job is done."""
        self.path.unlink(missing_ok=True)

    def _damaged(self) -> ValueError:
        return ValueError(f"{self.path}: the checkpoint is damaged; delete it to count anew")

    def _difference(
        self, n_inputs: int, files: list[tuple[str, int, int]], options: dict[str, Any]
    ) -> str | None:
        """Return how another job differs from this one, or None."""
        for option in sorted({*options, *self._options}):
            before, now = options.get(option), self._options.get(option)
            if before != now:
                return f"it was made with {option}={before!r}, this one has {option}={now!r}"
        if n_inputs > len(self._scan.paths):
            return f"it has counted {n_inputs} inputs, and this one has {len(self._scan.paths)}"
        ours = _identities(self._scan._files(n_inputs))
        for theirs, our in zip(files, ours, strict=False):
            if theirs[0] != our[0]:
                return f"it has counted {theirs[0]} where this one reads {our[0]}"
            if theirs != our:
                return (
                    f"{our[0]}, which it has counted, had {_looks(theirs)}, and now has "
                    f"{_looks(our)}"
                )
        if len(files) != len(ours):
            return f"it has counted {len(files)} files where this one reads {len(ours)}"
        return None


def _identities(files: list[Path]) -> list[tuple[str, int, int]]:
    """Return what identifies files without reading them: name, size and time of last change."""
    states = [(file, file.stat()) for file in files]
    return [(os.path.abspath(file), state.st_size, state.st_mtime_ns) for file, state in states]


def _looks(file: tuple[str, int, int]) -> str:
    changed = datetime.fromtimestamp(file[2] / 1e9).isoformat(" ", "milliseconds")
    return f"{file[1]:,} bytes, last changed {changed}"
