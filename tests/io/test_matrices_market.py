"""Matrix Market files are read as by scipy, in blocks of rows or of columns, or as a whole."""

from __future__ import annotations

import gzip
import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from scipy import io as scipy_io
from scipy import sparse

import termsift as ts
from collection_files import read_files
from file_kinds import zstandard
from private import put
from wording import raises

BANNER = b"%%MatrixMarket matrix "
SIZES = [1, 7, 64, 1 << 20]


@pytest.fixture(params=SIZES)
def folder(request: Any, tmp_path: Path, monkeypatch: Any) -> Path:
    """Return a folder whose files are read in blocks of the parameter's size."""
    put(monkeypatch, block_bytes=request.param)
    return tmp_path


def write(folder: Path, text: bytes, n_docs: int, ending: str = "") -> dict[str, Any]:
    """Write a matrix and labels, and return the arguments of `termsift.scan`."""
    path, labels = folder / f"m.mtx{ending}", folder / "labels"
    packed = {"": bytes, ".gz": gzip.compress, ".zst": zstandard}[ending](text)
    path.write_bytes(packed)
    labels.write_text("".join(f"{'abc'[i % 3]}\n" for i in range(n_docs)))
    return {"paths": path, "labels": labels}


def theirs(text: bytes) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        X = scipy_io.mmread(io.BytesIO(text))
    return sparse.csr_array(X)


def check(folder: Path, text: bytes, **options: Any) -> None:
    """Check that the matrix and its counts are those of scipy's reader."""
    X = theirs(text)
    arguments = write(folder, text, X.shape[0], **options)
    collection = read_files(**arguments)
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(collection.X, name), getattr(X, name))
    assert collection.X.dtype == (np.float64 if X.dtype.kind == "f" else np.int64)
    y = list(collection.y)
    for tf in ("raw", "log", "binary"):
        counts = ts.count(ts.scan(**arguments), tf=tf)
        wanted = ts.count(X, y, tf=tf)
        assert counts == wanted
        assert counts.class_tokens.tolist() == wanted.class_tokens.tolist()


# ---- forms ---------------------------------------------------------------------------------------


@st.composite
def matrices(draw: st.DrawFn) -> bytes:
    """Return the text of a matrix whose entries are in any order, and may be repeated."""
    n_docs, n_terms = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    field = draw(st.sampled_from(["integer", "real", "pattern"]))
    entry = st.tuples(st.integers(1, n_docs), st.integers(1, n_terms), st.integers(0, 2**40))
    # Of repeated fractions, scipy adds up any two first.
    one_each = (lambda e: e[:2]) if field == "real" else None
    entries = draw(st.lists(entry, max_size=20, unique_by=one_each))
    order = draw(st.sampled_from([None, lambda e: e[:2], lambda e: (e[1], e[0])]))
    if order is not None:
        entries.sort(key=order)
    lines = [f"{n_docs} {n_terms} {len(entries)}"]
    for row, column, value in entries:
        shown = {"integer": f" {value}", "real": f" {value / 1024!r}", "pattern": ""}[field]
        lines.append(f"{row} {column}{shown}")
    return b"%s coordinate %s general\n%s\n" % (
        BANNER.strip(),
        field.encode(),
        "\n".join(lines).encode(),
    )


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(matrices())
@example(BANNER + b"coordinate integer general\n2 2 3\n1 1 5\n1 1 7\n2 1 1\n")
@example(BANNER + b"coordinate integer general\n2 3 3\n1 1 5\n2 1 7\n1 2 1\n")
@example(BANNER + b"coordinate integer general\n2 2 3\n2 1 5\n1 2 1\n2 1 7\n")
def test_coordinates_in_any_order(folder: Path, text: bytes) -> None:
    check(folder, text)


@pytest.mark.parametrize("n_rows", [3, 5000])
def test_unsorted_counts_that_are_powers_of_two(folder: Path, n_rows: int) -> None:
    # Entries are sorted in 64 bits each if no count has more bits than their rows leave.
    for power in range(62):
        entries = "".join(f"{row} 1 {1 << power}\n" for row in (n_rows, 1, 2))
        banner = BANNER + b"coordinate integer general\n"
        check(folder, banner + f"{n_rows} 1 3\n{entries}".encode())


@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_files_of_scipy(folder: Path, form: str, dtype: Any, ending: str) -> None:
    dense = np.random.default_rng(3).poisson(0.3, (60, 40)).astype(dtype)
    dense[5], dense[-1], dense[:, 7], dense[:, -1] = 0, 0, 0, 0
    if dtype == np.float64:
        dense /= 3
    file = io.BytesIO()
    scipy_io.mmwrite(file, sparse.csr_array(dense).asformat(form), precision=17)
    check(folder, file.getvalue(), ending=ending)


@pytest.mark.parametrize(
    "text",
    [
        b"array integer general\n2 3\n1\n0\n3\n\n4\n5\n6\n",
        b"array real general\n3 2\n1.5\n0\n3\n4e-3\n.5\n6.\n",
        b"array integer symmetric\n3 3\n1\n0\n3\n4\n0\n6\n",
        b"coordinate integer symmetric\n3 3 4\n1 1 1\n2 1 5\n3 2 4\n3 3 0\n",
        b"coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n",
        b"Coordinate Real Hermitian\n2 2 1\n2 1 2.5\n",
        b"coordinate unsigned-integer general\r\n% c\r\n\r\n 2  3\t1 \r\n 2\t2   4 \r\n\r\n",
        b"coordinate integer general\n3 3 0\n",
        b"coordinate integer general\n5 0 0\n",
        b"coordinate integer general\n3 3 1\n3 3 9223372036854775807\n",
    ],
)
def test_other_forms(folder: Path, text: bytes) -> None:
    check(folder, BANNER + text)


def test_an_array_without_columns_has_documents(folder: Path) -> None:
    for form in (b"array integer general\n5 0\n", b"array real general\n5 0\n"):
        counts = ts.count(ts.scan(**write(folder, BANNER + form, 5)))
        assert (counts.n_docs, counts.n_terms, counts.classes) == (5, 0, ["a", "b", "c"])


# ---- order ---------------------------------------------------------------------------------------


def entries(rows: list[tuple[int, int]]) -> bytes:
    lines = "".join(f"{row} {column} {i % 7 + 1}\n" for i, (row, column) in enumerate(rows))
    return BANNER + f"coordinate integer general\n40 30 {len(rows)}\n{lines}".encode()


BY_ROW = [(row, column) for row in range(1, 41) for column in range(1 + row % 3, 31, 3)]


def test_sorted_files_are_read_in_blocks(tmp_path: Path, monkeypatch: Any) -> None:
    put(monkeypatch, block_bytes=64)
    by_column = sorted(BY_ROW, key=lambda entry: entry[::-1])
    for rows, n in ((BY_ROW, 40), (by_column, 1)):  # a classifier needs the rows
        arguments = write(tmp_path, entries(rows), 40)
        (source,) = ts.scan(**arguments).sources
        blocks = list(source.blocks())
        assert len(blocks) > 10 if n > 1 else len(blocks) == 1
        assert sum(block.n_docs for block in blocks) == 40
    assert len(list(source.blocks(by_column=True))) > 10


@pytest.mark.parametrize("by_column", [False, True])
def test_an_entry_out_of_order_makes_the_file_be_read_again(
    tmp_path: Path, monkeypatch: Any, by_column: bool
) -> None:
    put(monkeypatch, block_bytes=64)
    rows = sorted(BY_ROW, key=lambda entry: entry[::-1]) if by_column else list(BY_ROW)
    rows.append(rows.pop(3))
    text = entries(rows)
    check(tmp_path, text)
    arguments = write(tmp_path, text, 40)
    classifier = ts.count(ts.scan(**arguments)).naive_bayes()
    found = classifier.classify(ts.scan(**arguments))
    assert found.labels.tolist() == classifier.predict(theirs(text)).tolist()


@pytest.mark.parametrize(
    ("text", "tf", "way", "why"),
    [
        (entries(BY_ROW), "log", "in blocks of rows", None),
        (entries(BY_ROW[::-1]), "raw", "as a whole", "not sorted by row"),
        (entries([entry[::-1] for entry in BY_ROW[:9]]), "raw", "in blocks of columns", None),
        (entries([entry[::-1] for entry in BY_ROW[:9]]), "log", "as a whole", "not sorted by row"),
        (
            BANNER + b"coordinate pattern symmetric\n40 40 1\n2 1\n",
            "raw",
            "as a whole",
            "symmetric",
        ),
    ],
)
def test_how_a_file_is_read_is_told(
    tmp_path: Path, caplog: Any, text: bytes, tf: Any, way: str, why: str | None
) -> None:
    scan = ts.scan(**write(tmp_path, text, 40))
    with caplog.at_level("INFO", "termsift"):
        ts.count(scan, tf=tf)
    told = [record.message for record in caplog.records if "as a whole" in record.message]
    path = tmp_path / "m.mtx"
    assert told == ([] if why is None else [f"{path} is {why}: reading it as a whole"])
    kind, n = ("pattern symmetric", 40) if why == "symmetric" else ("integer general", 30)
    assert list(scan.understood) == [f"Matrix Market, coordinate {kind}, 40 x {n}, read {way}"]


def test_columns_of_several_files_are_added(tmp_path: Path, monkeypatch: Any) -> None:
    put(monkeypatch, block_bytes=64)
    rng = np.random.default_rng(4)
    X = [sparse.csc_array(rng.poisson(0.4, (30 + i, 20))) for i in range(3)]
    matrices = [*X, X[0] / 8]
    (tmp_path / "a").mkdir()
    paths, labels, y = [], [], []
    for i, matrix in enumerate(matrices):
        paths.append(tmp_path / f"{i}.mtx")
        scipy_io.mmwrite(paths[-1], matrix, precision=17)
        labels.append(tmp_path / f"{i}.txt")
        of_file = [str(label) for label in rng.choice(["x", "y", f"only {i}"], matrix.shape[0])]
        labels[-1].write_text("\n".join(of_file))
        y += of_file
    for n in (3, 4):
        counts = ts.count(ts.scan(paths[:n], labels=labels[:n]))
        stacked = sparse.vstack(matrices[:n]).tocsr()
        assert counts == ts.count(stacked, y[: stacked.shape[0]])


def test_columns_and_labels_are_checked_before_the_entries(tmp_path: Path) -> None:
    arguments = write(tmp_path, entries([(1, 1), (99, 1)]), 39)
    with raises(ValueError, "labels_for_the_documents_of_a_matrix", argument="labels"):
        ts.count(ts.scan(**arguments))


def test_documents_without_labels(tmp_path: Path) -> None:
    path = write(tmp_path, entries(BY_ROW), 0)["paths"]
    counts = ts.count(ts.scan(path, label=False))
    assert (counts.classes, counts.n_docs) == ([""], 40)


def test_a_sum_that_overflows_names_the_file(tmp_path: Path) -> None:
    text = BANNER + b"coordinate integer general\n1 1 2\n1 1 9223372036854775807\n1 1 1\n"
    with raises(OverflowError, "the_sum_of_repeated_entries"):
        read_files(**write(tmp_path, text, 1))


@pytest.mark.parametrize("symmetry", [b"general", b"symmetric"])
def test_many_unsorted_entries_on_several_threads(tmp_path: Path, symmetry: bytes) -> None:
    rng = np.random.default_rng(5)
    cells = rng.choice(700 * 700, 150_000, replace=False)
    rows, columns = np.sort(np.divmod(cells, 700), axis=0)[::-1] + 1  # below the diagonal
    if symmetry == b"general":
        columns = rng.permutation(columns)
    lines = "".join(f"{r} {c} {r % 9}\n" for r, c in zip(rows, columns, strict=True))
    banner = BANNER + b"coordinate integer " + symmetry
    text = banner + f"\n700 700 {len(rows)}\n{lines}".encode()
    X = theirs(text)
    arguments = write(tmp_path, text, 700)
    for n_threads in (1, 2, 5):
        found = read_files(**arguments, n_threads=n_threads).X
        for name in ("indptr", "indices", "data"):
            np.testing.assert_array_equal(getattr(found, name), getattr(X, name))
