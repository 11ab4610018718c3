from __future__ import annotations

from pathlib import Path

import pytest
from scipy import sparse

import termsift as ts
from collection_files import read_files

TABLE = """\
label,text
sport,goal ball ball team
sport,team ball goal goal
trade,oil price price
trade,price oil ship
trade,ship ball price
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "news.csv"
    path.write_text(TABLE)
    return path


@pytest.fixture
def matrix(tmp_path: Path) -> tuple[Path, Path]:
    """Return a matrix without names, and its labels."""
    sparse.save_npz(tmp_path / "c.npz", sparse.csr_array([[2, 0, 1], [0, 1, 0], [0, 1, 3]]))
    (tmp_path / "labels").write_text("7\n8\n8\n")
    return tmp_path / "c.npz", tmp_path / "labels"


@pytest.fixture
def counts(table: Path) -> ts.ClassCounts:
    collection = read_files(table)
    counts = ts.count(collection.X, collection.y)
    counts.term_names = collection.term_names
    return counts


@pytest.fixture
def saved(tmp_path: Path, counts: ts.ClassCounts) -> Path:
    path = tmp_path / "news.termsift"
    counts.save(path)
    return path
