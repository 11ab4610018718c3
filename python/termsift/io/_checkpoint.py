"""Save the state of a scan between two files, so that a killed job can resume."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from operator import methodcaller
from pathlib import Path
from typing import Any, TypeVar

from termsift._util.files import check_replaceable, replacing
from termsift.io._source import Skipped

_State = TypeVar("_State")
_SHARE = 0.1  # the largest share of the time that may be spent on saving


class Checkpoint:
    """The state of a pass over files after the first ``n_done`` files, saved in a folder.

    Without a folder, nothing is saved. ``job`` holds everything on which the state depends.
    """

    def __init__(self, folder: Path | None, name: str, job: Mapping[str, Any]) -> None:
        self.n_done, self.skipped = 0, Skipped()
        self._path = None if folder is None else folder / name
        if folder is not None:
            if folder.exists() and not folder.is_dir():
                raise NotADirectoryError(f"{folder}: is a file, expected a folder for a checkpoint")
            os.makedirs(folder, exist_ok=True)
            check_replaceable(folder / name)  # report an unwritable folder before work begins
        self._job = json.loads(json.dumps(job, default=methodcaller("item")))
        self._next = 0.0  # the earliest time of the next save

    def load(self, read: Callable[[bytes], _State]) -> _State | None:
        """Return the saved state, or None. Raise an error if another job saved the state."""
        if self._path is None or not self._path.exists():
            return None
        with open(self._path, "rb") as file:
            try:
                about = json.loads(file.readline())
                self.n_done, self.skipped = about["n_done"], Skipped(*about["skipped"])
                differs = [name for name, value in self._job.items() if about["job"][name] != value]
                state = None if differs else read(file.read())
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(
                    f"{self._path}: is no checkpoint, or is damaged; delete the file to start the "
                    "pass again"
                ) from error
        if differs:
            raise ValueError(
                f"{self._path}: is the checkpoint of another job, which differs in "
                f"{' and '.join(differs)}; name another folder"
            )
        return state

    def save(self, n_done: int, skipped: Skipped, state: Callable[[], bytes]) -> None:
        """Save the state after ``n_done`` files, unless the last save was too recent."""
        began = time.monotonic()
        if self._path is None or (began < self._next and n_done < len(self._job["files"])):
            return
        about = {"n_done": n_done, "skipped": [skipped.n, skipped.complaints], "job": self._job}
        with replacing(self._path) as file:
            file.write(json.dumps(about).encode() + b"\n")
            file.write(state())
        ended = time.monotonic()
        self._next = ended + (ended - began) / _SHARE
