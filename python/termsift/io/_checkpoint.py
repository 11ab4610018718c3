"""Save the state of a scan between two files, so that a killed job can resume."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from operator import methodcaller
from pathlib import Path
from typing import Any, TypeVar

from termsift._util.faults import all_named, concerning, wrong_value
from termsift._util.files import check_replaceable, existing, named_errors, replacing
from termsift._util.sealing import sealed, unsealed
from termsift._util.validation import check_integer, check_kind
from termsift.io._source import Skipped, with_arguments

_State = TypeVar("_State")
_SHARE = 0.1  # the largest share of the time that may be spent on saving


class Checkpoint:
    """The state of a pass over files after the first ``n_done`` files, saved in a folder.

    ``job`` holds everything on which the state depends.
    """

    def __init__(self, folder: Path, name: str, job: Mapping[str, Any]) -> None:
        self.n_done, self.skipped = 0, Skipped()
        self._path = folder / name
        if folder.exists() and not folder.is_dir():
            raise NotADirectoryError(f"{folder}: is a file, expected a folder for a checkpoint")
        os.makedirs(folder, exist_ok=True)
        check_replaceable(self._path)  # report an unwritable folder before work begins
        self._job = json.loads(json.dumps(job, default=methodcaller("item")))
        self._next = 0.0  # the earliest time of the next save

    def load(self, read: Callable[[bytes], _State]) -> _State | None:
        """Return the saved state, or None. Raise an error if another job saved the state."""
        if not self._path.exists():
            return None
        with named_errors(self._path), open(existing(self._path), "rb") as file:
            try:
                about = unsealed(file.readline())
                differs = [name for name, value in self._job.items() if about["job"][name] != value]
                if not differs:
                    n_done, (n_skipped, complaints) = about["n_done"], about["skipped"]
                    check_integer(n_done, "n_done", 0, len(self._job["files"]))
                    check_integer(n_skipped, "n_skipped", 0)
                    check_kind(complaints, list, "complaints")
                    for complaint in complaints:
                        check_kind(complaint, str, "a complaint")
                    state = read(file.read())
            except (OSError, MemoryError):
                raise
            except Exception as error:  # reading a forged file may raise any error
                raise ValueError(
                    f"{self._path}: is damaged, or is no checkpoint of this version of termsift; "
                    "delete the file to start the pass again, or the folder to start both again"
                ) from error
        if differs:
            other = wrong_value(
                "{path}: is the checkpoint of another job, which differs in {differs}; name "
                "another folder",
                path=self._path,
                differs=all_named(differs),
            )
            raise concerning(other, "checkpoint")
        self.n_done, self.skipped = n_done, Skipped(n_skipped, [*map(with_arguments, complaints)])
        return state

    def save(self, n_done: int, skipped: Skipped, state: Callable[[], bytes]) -> None:
        """Save the state after ``n_done`` files, unless the last save was too recent."""
        began = time.monotonic()
        if began < self._next and n_done < len(self._job["files"]):
            return
        about = {"n_done": n_done, "skipped": [skipped.n, skipped.complaints], "job": self._job}
        with replacing(self._path) as file:
            file.write(sealed(about))  # the state has a checksum of its own
            file.write(state())
        ended = time.monotonic()
        self._next = ended + (ended - began) / _SHARE
