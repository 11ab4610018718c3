"""Import optional packages only where they are used, since most users need none of them."""

from __future__ import annotations

import importlib
import sys
from typing import Any


def require(module: str, extra: str, what: str) -> Any:
    """Import a module that ``what`` needs, or raise an error that says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module if module == "backports.zstd" else module.partition(".")[0]
        package = package.replace("sklearn", "scikit-learn")
        raise ImportError(  # without an installed termsift, only the second pip command works
            f"{what} needs {package}: pip install 'termsift[{extra}]', or pip install {package}"
        ) from error


def available(module: str) -> Any | None:
    """Import a module that speeds something up, or return None if it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


def is_from(value: object, library: str) -> bool:
    """Return whether the class of an object, or one of its base classes, is from a library."""
    return library in sys.modules and any(  # the cheap check of sys.modules comes first
        base.__module__.partition(".")[0] == library for base in type(value).__mro__
    )
