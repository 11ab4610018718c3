"""A collection that needs no download: the docstrings of Python's own standard library.

Each docstring of a module, class or function is a document, and its class is the top-level package
that it stands in (``asyncio``, ``email``, ``json``, ...; modules that are a single file are left
out). The sources are read, never imported. Numbers depend on the Python that runs: they are an
example to look at, not a benchmark.
"""

from __future__ import annotations

import ast
import logging
import re
import sys
import sysconfig
import tokenize
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from termsift.io import Collection
from termsift.text import count_words

__all__ = ["load"]

_log = logging.getLogger("termsift")

_WORD = re.compile(r"[a-z]{2,}")
_SKIPPED = {"site-packages", "dist-packages", "test", "tests", "idle_test", "__pycache__"}
_STOP_WORDS = frozenset(
    _WORD.findall("""
    about after all also an and any are as at be because been before being but by can cannot could
    did do does don each either else for from had has have how if in into is it its itself may might
    more most must no not of on one only or other out over same should since so some such than that
    the their them then there these they this those through thus to too two under until up use used
    uses using very via was we were what when where whether which while who why will with within
    without would you your
    """)
)


def load() -> Collection:
    """Read the docstrings of the standard library of the Python that runs.

    Returns
    -------
    collection : Collection
        A document a docstring in the order of the sources, labelled with its package. Terms are
        lower-case words of two or more letters, without the commonest English ones.

    Raises
    ------
    ValueError
        If this Python keeps no sources of its library (some embedded ones do not).

    Examples
    --------
    >>> collection = load()
    >>> "email" in collection.y and "unittest" in collection.y
    True
    """
    folder = Path(sysconfig.get_path("stdlib"))
    packages: list[str] = []

    def documents() -> Iterator[list[str]]:
        for package in _packages(folder):
            _log.debug("reading the docstrings of %s", package.name)
            for docstring in _docstrings(package):
                packages.append(package.name)
                yield [word for word in _WORD.findall(docstring) if word not in _STOP_WORDS]

    X, names = count_words(documents())
    if not packages:
        raise ValueError(f"{folder}: no sources of the standard library, whose docstrings make it")
    version = ".".join(str(part) for part in sys.version_info[:3])
    source = f"the docstrings of the standard library of Python {version}"
    return Collection(X, np.array(packages, dtype=object), names, source)


def _packages(folder: Path) -> list[Path]:
    return sorted(
        entry
        for entry in folder.iterdir()
        if entry.name not in _SKIPPED and (entry / "__init__.py").is_file()
    )


def _docstrings(package: Path) -> Iterator[str]:
    """Yield the docstrings of a package in lower case, file by file in the order of their names."""
    for path in sorted(package.rglob("*.py")):
        if _SKIPPED.isdisjoint(path.relative_to(package).parts):
            yield from _docstrings_of(path)


def _docstrings_of(path: Path) -> Iterator[str]:
    try:
        with tokenize.open(path) as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a doubtful escape in a source is not ours to report
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return  # some sources are broken on purpose
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node, clean=False)
            if docstring:
                yield docstring.lower()
