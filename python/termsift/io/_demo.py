"""A collection that needs no download: the docstrings of Python's standard library."""

from __future__ import annotations

import platform
import re
import warnings
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from termsift import _core
from termsift._util.validation import Labels
from termsift.io._collection import Collection, read_collection
from termsift.io._scan import Scan
from termsift.io._source import Options, TextSource
from termsift.text import TextRules
from termsift.text._documents import Block

_WORD = re.compile(r"[a-z]{2,}")
_SKIPPED = {"site-packages", "dist-packages", "test", "tests", "idle_test", "__pycache__"}
_FEWEST = 10  # the least number of docstrings in a package, for ten-fold cross-validation
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


def load_demo() -> Collection:
    """Read the docstrings of the standard library of the running Python.

    Each docstring of a module, class or function is a document. The label of a document is its
    top-level package (``asyncio``, ``email``, ``json``, ...). Single-file modules and packages of
    fewer than ten docstrings are left out. The source files are read, and no module is imported.
    The collection depends on the version of Python, so it is an example and not a benchmark.

    Returns
    -------
    collection : Collection
        The documents in the order of the source files. Terms are lower-case words of two or more
        letters, without the most common English words.

    Examples
    --------
    >>> collection = load_demo()
    >>> "email" in collection.y and "unittest" in collection.y
    True
    """
    source = f"the docstrings of the standard library of Python {platform.python_version()}"
    return replace(read_collection(scan_demo()), source=source)


def scan_demo() -> Scan:
    """Return a scan of the docstrings that `load_demo` reads.

    Returns
    -------
    scan : Scan
        The scan to pass to `termsift.count`, which reads the source files.

    Examples
    --------
    >>> import termsift as ts
    >>> counts = ts.count(scan_demo())
    >>> "email" in counts.classes and "unittest" in counts.classes
    True
    """
    source = Docstrings()
    return Scan([source], source.options)


class Docstrings(TextSource):
    """The docstrings in the source files of the standard library, by package."""

    def __init__(self) -> None:
        import sysconfig

        library = Path(sysconfig.get_path("stdlib"))
        super().__init__(library, Options(rules=TextRules(analyzer=_words_of)))
        self._files_of: dict[str, list[Path]] = {}
        for package in sorted(entry.parent for entry in library.glob("*/__init__.py")):
            paths = sorted(package.rglob("*.py"))
            paths = [p for p in paths if _SKIPPED.isdisjoint(p.relative_to(library).parts)]
            self._files_of[package.name] = paths
        self.files = [path for paths in self._files_of.values() for path in paths]

    def blocks(self) -> Generator[Block, None, None]:
        """Yield the docstrings, a package at a time."""
        n_bytes = n_before = 0
        for package, paths in self._files_of.items():
            docstrings = [docstring for path in paths for docstring in _docstrings_of(path)]
            n_bytes += sum(path.stat().st_size for path in paths)
            if len(docstrings) >= _FEWEST:
                labels = Labels([package], np.zeros(len(docstrings), dtype=np.int32), None)
                rows = range(n_before, n_before + len(docstrings))
                yield Block(_core.Texts.of_strings(docstrings), labels, rows, self, n_bytes)
                n_before += len(docstrings)


def _words_of(docstring: str) -> list[str]:
    return [word for word in _WORD.findall(docstring.lower()) if word not in _STOP_WORDS]


def _docstrings_of(path: Path) -> Iterator[str]:
    import ast
    import tokenize

    try:
        with tokenize.open(path) as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `ast.parse` may warn about invalid escapes
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return  # some source files contain errors on purpose
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node, clean=False)
            if docstring:
                yield docstring
