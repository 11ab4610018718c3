"""No byte of a matrix file ends the process, and no part of a line is dropped in silence."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import termsift as ts
from wording import raises

# This program counts a matrix in a child process, because the parser might end the process.
COUNT = """
import sys
import termsift as ts

for path in sys.argv[2:]:
    try:
        counts = ts.count(ts.scan(path, labels=sys.argv[1]))
        print(counts.term_frequency.toarray().tolist())
    except ValueError as error:
        print(error)
"""


def counted(folder: Path, contents: list[bytes], ending: str) -> list[str]:
    """Return what counting each matrix printed: its counts or the error."""
    (folder / "labels").write_text("a\nb\n")
    paths = [folder / f"{number}{ending}" for number in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    command = [sys.executable, "-c", COUNT, "labels", *(path.name for path in paths)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


HEAD = b"%%MatrixMarket matrix coordinate integer general\n2 3 2\n1 1 5\n"


def test_the_last_line_of_a_matrix_market_file(tmp_path: Path) -> None:
    good = [b"2 3 7", b"2 3 7 ", b"2 3 7\r", b"2 3 7\r\n", b"\t2  3\t7 \n\n", b"2 3 7\n \r\n"]
    bad = [
        b"7.0",
        b"5.7\n",
        b"7 x\n",
        b"7 % c",
        b"7\x1a",
        b"7\0",
        b"7e1",
        b"",
        b"0x7",
        b"1_0",
        b"+7",
    ]
    tails = [*good, *(b"2 3 " + end for end in bad), b"2 3 7\n" + b"\0" * 64, b"2 3 7\n% c\n"]
    found = counted(tmp_path, [HEAD + tail for tail in tails], ".mtx")
    assert found[: len(good)] == ["[[5, 0, 0], [0, 0, 7]]"] * len(good)
    for number, message in enumerate(found[len(good) :], len(good)):
        line = 4 if number < len(good) + len(bad) else 5
        assert message.startswith(f"{number}.mtx, line {line}: expected ")
        assert ", found " in message


def test_other_kinds_of_matrix_market_files(tmp_path: Path) -> None:
    market = b"%%MatrixMarket matrix "
    integer = market + b"coordinate integer general\n"
    files = {
        market
        + b"coordinate pattern general\n% c\n\n2 3 2\n1 1\n2 3\n": "[[1.0, 0.0, 0.0], [0.0, 0",
        market + b"coordinate real general\n2 3 2\n1 1 .5\n2 3 7.\n": "[[0.5, 0.0, 0.0], [0.0, 0",
        market + b"array integer general\n2 2\n1\n2\n3\n4\n": "[[1, 3], [2, 4]]",
        b"%%MatrixMarket MATRIX Coordinate Integer Symmetric\n2 2 1\n2 1 4\n": "[[0, 4], [4, 0]]",
        integer + b"2 3 3\n1 1 5\n2 3 7\n": "line 5: expected entry 3 of the 3 entries that line 2",
        integer + b"2 3 2\n1 1 5\n3 3 7\n": "line 4: expected a row from 1 to 2, found '3'",
        market
        + b"array integer general\n2 2\n1 1\n2\n3\n4\n": "line 3: expected the end of the line",
        market + b"coordinate pattern general\n2 3 1\n1 1 1\n": "because line 1 says pattern",
        market + b"coordinate complex general\n2 3 1\n1 1 1 1\n": "expected '%%MatrixMarket",
        market + b"coordinate integer skew-symmetric\n2 2 0\n": "general or symmetric as word 5",
        market + b"array pattern general\n2 2\n": "integer or real as word 4, found 'pattern'",
        integer + b"2 3\x001\n1 1 1\n": "line 2: expected the number of columns, from 0 to ",
        integer
        + b"-2 3 1\n": "line 2: expected the number of rows, from 0 to 2147483647, found '-2'",
        b"": "expected '%%MatrixMarket",
    }
    found = counted(tmp_path, list(files), ".mtx")
    for message, expected in zip(found, files.values(), strict=True):
        assert expected in message


def npz(kind: bytes, shape: Any = (2, 4), **arrays: Any) -> bytes:
    file = io.BytesIO()
    held = {name: np.asarray(array) for name, array in arrays.items()}
    np.savez(file, format=np.array(kind), shape=np.array(shape), **held)
    return file.getvalue()


# scipy writes outside of its memory when it converts some of these.
HOSTILE = [
    *(
        npz(kind, data=np.ones(4, int), indices=np.array([0, 1, 1, 0]), indptr=indptr, shape=shape)
        for kind, shape in ((b"csr", (4, 2)), (b"csc", (2, 4)))
        for indptr in ([0, 2, 4, 2, 0], [0, 4, 0, 0, 0], [0, -1, 1, 2, 4], [0, 2**40, 2, 3, 4])
    ),
    npz(b"csc", data=[1, 1], indices=[0, 2], indptr=[0, 1, 2, 2, 2]),
    npz(b"bsr", data=np.ones((2, 1, 0)), indices=[0, 1], indptr=[0, 1, 2], shape=(2, 2)),
    npz(b"bsr", data=np.ones((2, 2, 3)), indices=[0, 0], indptr=[0, 2], shape=(2, 4)),
    npz(b"bsr", data=np.ones((4, 1, 2)), indices=[0, 1, 0, 1], indptr=[0, 4, 0], shape=(2, 4)),
    npz(b"bsr", data=np.ones((2, 1, 2)), indices=[0, 2], indptr=[0, 1, 2], shape=(2, 4)),
    npz(b"coo", data=[1, 1], row=[0, 2], col=[0, 1]),
    npz(b"coo", data=[1, 1], row=[0, -1], col=[0, 1]),
    npz(b"coo", data=np.zeros(2, "M8[s]"), row=[0, 1], col=[0, 1]),
]


def test_a_hostile_npz_file_is_refused(tmp_path: Path) -> None:
    found = counted(tmp_path, HOSTILE, ".npz")
    assert len(found) == len(HOSTILE)
    for number, message in enumerate(found):
        assert message.startswith(f"{number}.npz: "), message


@pytest.mark.skipif(not hasattr(sparse.coo_array([1]), "coords"), reason="an older scipy")
def test_an_npz_file_of_one_dimension_is_refused(tmp_path: Path) -> None:
    path, labels = tmp_path / "c.npz", tmp_path / "labels"
    sparse.save_npz(path, sparse.coo_array(np.array([1, 0, 2])))
    labels.write_text("a\n")
    with raises(ValueError, "a_matrix_of_one_dimension", at="c.npz: "):
        ts.count(ts.scan(path, labels=labels))
