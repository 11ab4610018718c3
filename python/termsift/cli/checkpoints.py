"""Checkpoints: what a long count has counted and where it stands, in one file.

Both are written together and replace the file at once, so that no moment, not that of a power cut,
leaves counts of one place with the position of another.
"""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any

from termsift._api.class_counts import ClassCounts
from termsift._counts import file
from termsift.io._scan import Scan

_UNRECORDED = {"on_error": "raise"}  # what is taken for the options that older checkpoints lack


class Checkpoint:
    """The checkpoint of one job, in a file that may not be there yet.

    Parameters
    ----------
    path : path
        The file.
    scan : Scan
        What the job reads.
    options : dict
        What else the counts depend on; JSON.
    """

    def __init__(self, path: Path, scan: Scan, options: dict[str, Any]) -> None:
        self.path = path
        self._scan = scan
        self._position: dict[str, Any] | None = None  # of what the file holds
        job = {"files": [_identity(file) for file in scan.files], "options": options}
        self._job = json.loads(json.dumps(job))  # as it will be read: tuples are lists there

    def restore(self) -> ClassCounts | None:
        """Give the counts of the checkpoint and send the scan to its place; None without one.

        ValueError if it is of other files or options, or damaged, or if a file that the scan takes
        on trust has changed. Of the others, reading on finds out.
        """
        if not self.path.exists():
            return None
        held, checkpoint = file.read_checkpoint(self.path)
        counts = ClassCounts._of(*held)
        try:
            job, position = checkpoint["job"], checkpoint["position"]
            difference = _difference(job, self._job)
            if difference is None:
                names = counts.term_names
                self._scan.resume(position, None if names is None else names.tolist())
                trusted = {os.path.abspath(file) for file in self._scan.trusted(position)}
                difference = _change(job, self._job, trusted)
                self._position = position
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(f"{self.path}: the checkpoint is damaged: {error}") from None
        if difference is not None:
            raise ValueError(
                f"{self.path}: is the checkpoint of another count: {difference} delete it to count "
                "anew"
            )
        return counts

    def write(self, counts: ClassCounts, position: dict[str, Any]) -> None:
        """Replace the checkpoint by what was counted before ``position``, unless it is that."""
        if position == self._position:
            return
        # Those of the scan may be of a later chunk, where counting that was cut short.
        words = self._scan.term_names if self._scan.has_words else None
        names = None if words is None else words[: counts.n_terms]
        checkpoint = {"job": self._job, "position": position}
        file.write_counts(self.path, counts._counts, counts.classes, names, counts.tf, checkpoint)
        self._position = position

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
        return f"it had read {a} where this one reads {b};"
    for option in sorted({*its["options"], *ours["options"]}):
        a, b = ({**_UNRECORDED, **job["options"]}.get(option) for job in (its, ours))
        if a != b:
            return f"it was made with {option}={a!r}, this one is with {option}={b!r};"
    return None


def _change(its: dict[str, Any], ours: dict[str, Any], trusted: set[str]) -> str | None:
    """Say which of some files has changed since, and how."""
    for one, other in zip(its["files"], ours["files"], strict=True):
        if one["file"] in trusted and one != other:
            return (
                f"{one['file']}, whose counts are in it, had {_looks(one)}, and now has "
                f"{_looks(other)}; put the file back as it was, its time as well, or"
            )
    return None


def _looks(file: dict[str, Any]) -> str:
    changed = datetime.fromtimestamp(file["mtime"] / 1e9).isoformat(" ", "milliseconds")
    return f"{file['size']:,} bytes, last changed {changed}"
