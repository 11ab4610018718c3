"""The parts of scipy, each imported when it is first used: all of them take longer than numpy."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scipy import sparse as sparse
    from scipy import special as special


def __getattr__(name: str) -> Any:
    if name not in ("sparse", "special"):
        raise AttributeError(name)
    module = globals()[name] = importlib.import_module(f"scipy.{name}")  # found at once next time
    return module
