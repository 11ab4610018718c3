"""Checkpoints: what a long count has counted and where it stands, in one file.

Both are written together and replace the file at once, so that no moment, not that of a power cut,
leaves counts of one place with the position of another.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from termsift import _counts_file
from termsift.counts import ClassCounts
from termsift.scanning import Scan


class Checkpoint:
    """The checkpoint of one job, in a file that may not be there yet.

    Parameters
    ----------
    path : path
        The file.
    scan : Scan
        What the job reads: files that have changed since are refused.
    options : dict
        What else the counts depend on; JSON.
    """

    def __init__(self, path: Path, scan: Scan, options: dict[str, Any]) -> None:
        self.path = path
        self._scan = scan
        job = {"files": [_identity(file) for file in scan.files], "options": options}
        self._job = json.loads(json.dumps(job))  # as it will be read: tuples are lists there

    def restore(self) -> ClassCounts | None:
        """Give the counts of the checkpoint and send the scan to its place; None without one.

        ValueError if it is of other files or options, or damaged.
        """
        if not self.path.exists():
            return None
        held, checkpoint = _counts_file.read_checkpoint(self.path)
        counts = ClassCounts._of(*held)
        try:
            job, position = checkpoint["job"], checkpoint["position"]
            difference = _difference(job, self._job)
            if difference is None:
                names = counts.term_names
                self._scan.resume(position, None if names is None else names.tolist())
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{self.path}: the checkpoint is damaged: {error}") from None
        if difference is not None:
            raise ValueError(
                f"{self.path}: is the checkpoint of another count: {difference}; delete it to "
                "count anew"
            )
        return counts

    def write(self, counts: ClassCounts, position: dict[str, Any]) -> None:
        """Replace the checkpoint by what has been counted before ``position``."""
        # Those of the scan may be of a later chunk, where counting that was cut short.
        words = self._scan.term_names if self._scan.has_words else None
        names = None if words is None else words[: counts.n_terms]
        checkpoint = {"job": self._job, "position": position}
        _counts_file.write_counts(
            self.path, counts._counts, counts.classes, names, counts.tf, checkpoint
        )

    def remove(self) -> None:
        """Remove the file, once the job is done."""
        self.path.unlink(missing_ok=True)


def _identity(file: Path) -> dict[str, Any]:
    """Say which file this is, as far as can be told without reading it."""
    status = file.stat()
    return {"file": os.path.abspath(file), "size": status.st_size, "mtime": status.st_mtime_ns}


def _difference(its: dict[str, Any], ours: dict[str, Any]) -> str | None:
    """Say in what two jobs differ, naming both sides."""
    before, now = ([file["file"] for file in job["files"]] for job in (its, ours))
    if before != now:
        where = next(
            (i for i, (a, b) in enumerate(zip(before, now, strict=False)) if a != b),
            min(len(before), len(now)),
        )
        a, b = (files[where] if where < len(files) else "nothing more" for files in (before, now))
        return f"it had read {a} where this one reads {b}"
    for file, other in zip(its["files"], ours["files"], strict=True):
        for key, what in (("size", "bytes"), ("mtime", "ns of its last change")):
            if file[key] != other[key]:
                return f"{file['file']} had {file[key]} {what} and now has {other[key]}"
    for option in sorted({*its["options"], *ours["options"]}):
        a, b = (job["options"].get(option) for job in (its, ours))
        if a != b:
            return f"it was made with {option}={a!r}, this one is with {option}={b!r}"
    return None
