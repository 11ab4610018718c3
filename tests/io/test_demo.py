"""The demo's collection, made from small invented libraries and from the installed one."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import numpy as np
import pytest

import termsift as ts
from termsift.io import Collection, load_demo, scan_demo
from wording import raises

SOURCES = {
    "alpha/__init__.py": '"""Alpha waves and the rest."""\n',
    "alpha/b.py": (
        "class Wave:\n"
        '    """A WAVE of alpha_waves, 2 long."""\n'
        "    def crest(self):\n"
        '        """Crest."""\n'
        "    async def trough(self):\n"
        "        'Trough.'\n"
        "    def bare(self):\n"
        "        pass\n"
        'NOT_A_DOCSTRING = """string"""\n'
    ),
    "alpha/a/deep.py": 'def outer():\n    def inner():\n        """Inner crest."""\n',
    "alpha/broken.py": '"""Broken."""\ndef (\n',
    "alpha/latin.py": b'# coding: latin-1\n"""Caf\xe9 latin."""\n',
    "alpha/not_utf8.py": b'"""Caf\xe9 utf."""\n',
    "alpha/escape.py": '"""Doubtful \\d escape."""\n',
    "alpha/null.py": b'"""Null."""\n\0',
    "alpha/z.py": 'class Eleven:\n    """Eleven."""\n' * 3,
    "alpha/tests/test_b.py": '"""Tested."""\n',
    "alpha/__pycache__/b.py": '"""Cached."""\n',
    "alpha/data.txt": '"""Text."""\n',
    "beta/__init__.py": '"""Beta and alpha."""\n',
    "beta/many.py": 'class Many:\n    """Many."""\n' * 9,
    "few/__init__.py": '"""Few."""\n' + 'class Few:\n    """Few."""\n' * 8,
    "silent/__init__.py": "",
    "module.py": '"""A module that is one file."""\n',
    "folder/module.py": '"""No package."""\n',
    "site-packages/__init__.py": "",
    "site-packages/numpy/__init__.py": '"""Installed."""\n',
    "test/__init__.py": '"""The tests of Python."""\n',
}


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sysconfig, "get_path", {"stdlib": str(tmp_path)}.__getitem__)
    return tmp_path


def test_documents_are_docstrings_in_the_order_of_the_sources(library: Path) -> None:
    for name, source in SOURCES.items():
        path = library / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(source if isinstance(source, bytes) else source.encode())
    collection = load_demo()
    names = collection.term_names
    assert names is not None
    documents = [
        (label, sorted(np.repeat(names, row)))
        for label, row in zip(collection.y, collection.X.toarray(), strict=True)
    ]
    assert documents == [
        ("alpha", ["alpha", "rest", "waves"]),
        ("alpha", ["crest", "inner"]),
        ("alpha", ["alpha", "long", "wave", "waves"]),
        ("alpha", ["crest"]),
        ("alpha", ["trough"]),
        ("alpha", ["doubtful", "escape"]),
        ("alpha", ["caf", "latin"]),
        *[("alpha", ["eleven"])] * 3,
        ("beta", ["alpha", "beta"]),
        *[("beta", ["many"])] * 9,
    ]
    assert list(names) == sorted(names)
    assert collection.classes is None


def test_documents_have_numbers_in_all_packages_together(library: Path) -> None:
    queries = {name: [name] for name in ("alpha", "beta", "gamma")}
    for name in queries:
        (library / name).mkdir()
        source = f'class Many:\n    """Many {name}."""\n' * 10
        (library / name / "__init__.py").write_text(source)
    found = ts.find_passages(scan_demo(), queries=queries, n_passages=99)
    documents = [passage.document for label in found for passage in found[label][label]]
    assert documents == list(range(30))


def test_a_python_without_sources(library: Path) -> None:
    with raises(ValueError, "holds_no_documents") as caught:
        load_demo()
    assert str(library) in str(caught.value)


def test_the_library_that_runs(docstrings: Collection) -> None:
    n_docs, n_terms = docstrings.X.shape
    assert n_docs == len(docstrings.y) > 1000
    assert docstrings.term_names is not None
    assert n_terms == len(docstrings.term_names) > 1000
    assert docstrings.X.dtype == np.int64
    assert {"asyncio", "email", "json", "unittest"} <= set(docstrings.y)
    assert not {"test", "tests", "site-packages"} & set(docstrings.y)
    assert "the" not in docstrings.term_names
    assert docstrings.source.startswith("the docstrings of the standard library of Python 3.")
