"""Packages that are imported where they are used: most users need none of them."""

from __future__ import annotations

import importlib
from typing import Any

_NAMES = {"sklearn": "scikit-learn"}  # what pip calls them, where that differs


class MissingExtraError(ImportError):
    """Something needs a package that comes with one of termsift's extras."""


def require(module: str, extra: str, what: str) -> Any:
    """Import a module that ``what`` needs, or say which extra installs it.

    Examples
    --------
    >>> require("math", "pandas", "Ranking.to_frame").floor(2.5)
    2
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingExtraError(
            f"{what} needs {_NAMES.get(package, package)}: pip install 'termsift[{extra}]'"
        ) from error
