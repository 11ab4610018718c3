"""The versions and the build of this installation."""

from __future__ import annotations

import importlib.metadata
import platform
import sys

import numpy as np

from termsift import _core


def build_info() -> dict[str, str]:
    """Return what `show_versions` prints."""
    return {
        "termsift": _core.__version__,
        "python": sys.version.split()[0],
        "numpy": np.__version__,
        "scipy": importlib.metadata.version("scipy"),
        "machine": f"{platform.system()} {platform.machine()}",
        "compiler": _core.compiler(),
        "OpenMP": _core.openmp_version(),
        "threads": str(_core.effective_n_threads(0)),
        "threads set by": _core.what_limits_threads(),
        "SIMD target": f"{_core.simd_target()} (of {', '.join(_core.simd_targets())})",
    }


def show_versions() -> None:
    """Print the versions and the build of this installation, for a bug report.

    Examples
    --------
    >>> import termsift as ts
    >>> ts.show_versions()  # doctest: +ELLIPSIS
    termsift: ...
    """
    for name, value in build_info().items():
        print(f"{name}: {value}")
