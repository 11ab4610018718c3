"""The one place where a stage of the package calls a later one."""

from __future__ import annotations

import importlib
from typing import Any


def call_later_stage(module: str, function: str, /, *args: Any, **kwargs: Any) -> Any:
    """Import a module of the package and return what one of its functions returns.

    Imports run from later stages to earlier ones. The exception is the ``_repr_html_`` of results:
    notebooks call it as a method, and what makes the HTML stands in a later stage. Methods call it
    through this function, so that no module imports upward.

    Examples
    --------
    >>> call_later_stage("_util.printable", "printable", "disestablishment", 8)
    'disesta…'
    """
    return getattr(importlib.import_module(f"termsift.{module}"), function)(*args, **kwargs)
