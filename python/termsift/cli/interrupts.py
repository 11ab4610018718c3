"""Ctrl-C, which other libraries may turn into errors of their own while they are imported."""

from __future__ import annotations

import signal
from types import FrameType

CODE = 130  # Shells report this code after Ctrl-C.
_came = False


def note() -> None:
    """Note from now on that Ctrl-C came, unless the process ignores or handles it already."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)


def came() -> bool:
    """Return whether Ctrl-C came, so that an error may be its consequence."""
    return _came


def _interrupt(number: int, frame: FrameType | None) -> None:
    global _came
    _came = True
    signal.default_int_handler(number, frame)
