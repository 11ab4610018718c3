"""Import parts of scipy when they are first used, because importing scipy takes long."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scipy import sparse as sparse
    from scipy import special as special


def __getattr__(name: str) -> Any:
    if name not in ("sparse", "special"):
        raise AttributeError(name)
    module = globals()[name] = importlib.import_module(f"scipy.{name}")  # for later accesses
    return module
