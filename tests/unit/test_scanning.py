"""Chunks from files of every kind: the same counts as reading at once, from any place on."""

from __future__ import annotations

import gzip
import json
import os
import threading
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import io as scipy_io
from scipy import sparse

import termsift as ts
from termsift import io
from termsift.io import _scan, _sources

N_DOCS, N_TERMS = 23, 11
WORDS = ["ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen", "ibis", "jay", "kite"]


@pytest.fixture(scope="module")
def collection() -> tuple[Any, list[str]]:
    rng = np.random.default_rng(7)
    dense = rng.poisson(0.4, (N_DOCS, N_TERMS))
    dense[-1, -1] = 1  # or the last column would be unknown to svmlight
    return sparse.csr_array(dense.astype(np.int32)), [
        str(label) for label in rng.choice([3, 10, 200], N_DOCS)
    ]


def texts(X: Any) -> list[str]:
    """Give documents that have these words."""
    return [" ".join(np.repeat(WORDS, row)) for row in X.toarray()]


def svmlight(X: Any, labels: list[str]) -> bytes:
    lines = []
    for d, label in enumerate(labels):
        row = X[[d]].tocoo()
        entries = (f"{c + 1}:{v}" for c, v in zip(row.coords[1], row.data, strict=True))
        lines.append(f"{label} {' '.join(entries)}\n")
    return "".join(lines).encode()


def zstandard(content: bytes) -> bytes:
    half = len(content) // 2
    compress = pytest.importorskip("zstandard").compress
    return compress(content[:half]) + compress(content[half:])  # two frames


def write(kind: str, folder: Path, X: Any, y: list[str]) -> tuple[Path, dict[str, Any]]:
    """Write the collection as a file of some kind; gives it and how to scan it."""
    path, options = folder / f"c.{kind}", {}
    rows = list(zip(y, texts(X), strict=True))
    plain = "".join(f"{label}\t{text}\n" for label, text in rows)
    if kind.startswith("svm"):
        content = svmlight(X, y)
        packed = {"": bytes, "gz": gzip.compress, "zst": zstandard}[kind.partition(".")[2]]
        path.write_bytes(packed(content))
    elif kind == "csr":
        ts.save_csr(path, X, np.array(y, dtype=np.int64))
    elif kind in ("npz", "mtx"):
        (folder / "labels").write_text("".join(f"{label}\n" for label in y))
        options["labels"] = folder / "labels"
        sparse.save_npz(path, X) if kind == "npz" else scipy_io.mmwrite(path, X)
    elif kind in ("parquet", "feather"):
        pyarrow = pytest.importorskip("pyarrow")
        table = pyarrow.table({"label": y, "other": [0] * N_DOCS, "text": texts(X)})
        if kind == "parquet":
            pytest.importorskip("pyarrow.parquet").write_table(table, path, row_group_size=5)
        else:
            pytest.importorskip("pyarrow.feather").write_feather(table, path, chunksize=5)
    elif kind == "csv":
        path.write_text("label,text\n" + "".join(f'{label},"{text}\n"\n' for label, text in rows))
    elif kind == "jsonl":
        path.write_text("".join(json.dumps({"text": t, "label": n}) + "\n" for n, t in rows))
    else:
        path.write_bytes({"txt": bytes, "txt.gz": gzip.compress}[kind](plain.encode()))
    return path, options


KINDS = [
    "svm", "svm.gz", "svm.zst", "csr", "npz", "mtx",
    "csv", "txt", "txt.gz", "jsonl", "parquet", "feather",
]  # fmt: skip
CHUNKS = [None, 1, 4, 100]


@pytest.fixture(params=KINDS)
def written(request: Any, tmp_path: Path, collection: Any) -> tuple[Path, dict[str, Any]]:
    return write(request.param, tmp_path, *collection)


def expected(collection: Any, path: Path) -> ts.ClassCounts:
    X, y = collection
    counts = ts.count(X, [int(label) for label in y])
    if ts.scan(path, **({"labels": path} if path.suffix in (".npz", ".mtx") else {})).has_texts:
        counts.term_names = WORDS
        counts = counts.with_min_df(1)  # a word that never occurs is none
    return counts


@pytest.mark.parametrize("chunk_docs", CHUNKS)
def test_counts_are_those_of_the_whole(written: Any, collection: Any, chunk_docs: Any) -> None:
    path, options = written
    counts = ts.count(ts.scan(path, chunk_docs=chunk_docs, **options))
    assert counts == expected(collection, path)


def test_chunks_are_as_large_as_asked(written: Any) -> None:
    path, options = written
    sizes = [X.shape[0] for X, y in ts.scan(path, chunk_docs=5, **options)]
    assert sum(sizes) == N_DOCS
    assert max(sizes) <= 5


def test_every_iteration_begins_anew(written: Any) -> None:
    path, options = written
    scan = ts.scan(path, chunk_docs=4, **options)
    assert ts.count(scan) == ts.count(scan)


@pytest.mark.parametrize("chunk_docs", CHUNKS)
def test_going_on_from_every_position(written: Any, chunk_docs: Any) -> None:
    path, options = written
    paths: Any = [path, path]
    if options:
        options = {"labels": [options["labels"]] * 2}
    whole = ts.count(ts.scan(paths, **options))
    scan = ts.scan(paths, chunk_docs=chunk_docs, **options)
    before = ts._api.counting.nothing("raw")
    for counts in ts._api.counting.count_chunks(scan, before):
        position = json.loads(json.dumps(scan.position))
        names = scan.term_names
        rest = ts.scan(paths, chunk_docs=3, **options)  # cut otherwise: the documents are the same
        rest.resume(position, None if names is None else names.tolist())
        [after] = [counts, *ts._api.counting.count_chunks(rest, counts)][-1:]
        assert ts._api.counting.finished(after, rest) == whole
        assert counts.n_docs < whole.n_docs or rest.position["file"] == 1


def test_fractions_and_logarithms_have_the_same_bits(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    X = sparse.csr_array(rng.random((40, 9)) * rng.integers(0, 3, (40, 9)))
    y = rng.integers(0, 3, 40)
    ts.save_csr(tmp_path / "c", X, y)
    for tf in ("raw", "log"):
        whole = ts.count(X, y, tf=tf)
        for chunk_docs in (1, 7, None):
            assert ts.count(ts.scan(tmp_path / "c", chunk_docs=chunk_docs), tf=tf) == whole


def test_progress_in_bytes(written: Any) -> None:
    path, options = written
    scan = ts.scan(path, chunk_docs=4, **options)
    done = [scan.bytes_done for _ in scan]
    assert done == sorted(done)
    assert 0 < done[-1] <= scan.n_bytes


def test_several_files_in_order(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("label,text\nx,bee ant\n")
    (tmp_path / "b.jsonl").write_text('{"text": "cow bee", "label": "w"}\n')
    counts = ts.count(ts.scan([tmp_path / "a.csv", tmp_path / "b.jsonl"]))
    assert counts.classes == ["w", "x"]
    assert list(counts.term_names) == ["ant", "bee", "cow"]
    assert counts.term_frequency.toarray().tolist() == [[0, 1, 1], [1, 1, 0]]


def test_wide_hashed_columns(tmp_path: Path) -> None:
    n_terms = 1 << 24
    X = sparse.csr_array(([1, 2, 3], ([0, 1, 2], [0, n_terms - 1, 5])), shape=(3, n_terms))
    ts.save_csr(tmp_path / "c", X, ["a", "b", "a"])
    assert ts.count(ts.scan(tmp_path / "c", chunk_docs=1)) == ts.count(X, ["a", "b", "a"])


def test_documents_of_several_classes(tmp_path: Path) -> None:
    path = tmp_path / "c.svm"
    path.write_text("1,3 1:2 2:1\n2 2:1\n 1:1\n3,1,3 3:4\n")
    X = np.array([[2, 1, 0], [0, 1, 0], [1, 0, 0], [0, 0, 4]])
    Y = np.array([[1, 0, 1], [0, 1, 0], [0, 0, 0], [1, 0, 1]])
    whole = ts.count(X, Y, classes=[1, 2, 3])
    for chunk_docs in (None, 1, 2, 3):
        scan = ts.scan(path, chunk_docs=chunk_docs)
        assert ts.count(scan) == whole
    ts.save_csr(tmp_path / "csr", X, Y, classes=[1, 2, 3])
    assert ts.count(ts.scan(tmp_path / "csr", chunk_docs=1)) == whole


def test_labels_that_text_wrote_are_settled_at_the_end(tmp_path: Path) -> None:
    numbers, words = tmp_path / "n.txt", tmp_path / "w.txt"
    numbers.write_text("10\tant\n2\tbee\n")
    words.write_text("2\tant\nsix\tbee\n")
    assert ts.count(ts.scan(numbers)).classes == [2, 10]
    assert ts.count(ts.scan([numbers, words])).classes == ["10", "2", "six"]


def test_a_label_is_one_in_tables_of_every_kind(tmp_path: Path) -> None:
    table, lines, columns = (tmp_path / name for name in ("a.csv", "b.jsonl", "c.parquet"))
    table.write_text("label,text\n1,ant bee\n2,bee\n")
    lines.write_text('{"label": 1, "text": "ant"}\n')
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table({"label": [2], "text": ["cow"]}), columns)
    paths = [table, lines, columns]
    counts = ts.count(ts.scan(paths))
    assert counts.classes == [1, 2]
    assert counts.term_frequency.toarray().tolist() == [[2, 1, 0], [0, 1, 1]]
    assert ts.merge(ts.count(ts.scan(path)) for path in paths) == counts
    assert {label for _, y in ts.scan(paths) for label in y} == {"1", "2"}
    lines.write_text('{"label": "x", "text": "ant"}\n')
    counts = ts.count(ts.scan(paths))
    assert counts.classes == ["1", "2", "x"]
    assert ts.merge(ts.count(ts.scan(path)) for path in paths) == counts


def test_names_of_terms(tmp_path: Path) -> None:
    (tmp_path / "c.svm").write_text("1 1:2\n2 2:1\n")
    (tmp_path / "terms").write_text("ant\nbee\ncow\n")
    counts = ts.count(ts.scan(tmp_path / "c.svm", terms=tmp_path / "terms"))
    assert list(counts.term_names) == ["ant", "bee", "cow"]
    assert counts.n_terms == 3


# ---- what is wrong ---------------------------------------------------------------------------


def refused(path: Any, **options: Any) -> str:
    """Count a scan that has to fail, and give the message."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (callers look at the message)
        ts.count(ts.scan(path, **options))
    assert "\n" not in str(caught.value)
    return str(caught.value)


BAD_LINES = {
    "index 0": (
        "2 0:1",
        "an index from 1 to 2147483647 before the colon (from 0 with index_base=0)",
    ),
    "negative index": ("2 -1:1", "'-1:1'"),
    "index beyond 2^63": ("2 9223372036854775808:1", "'9223372036854775808:1'"),
    "NaN": ("2 1:nan", "'1:nan'"),
    "infinite": ("2 1:inf", "'1:inf'"),
    "negative count": ("2 1:-3", "'1:-3'"),
    "label with blanks": ("two words 1:1", "'two'"),
    "label that is no number": ("spam 1:1", "'spam'"),
}


@pytest.mark.parametrize(("line", "complaint"), BAD_LINES.values(), ids=BAD_LINES)
def test_bad_lines_of_svmlight(tmp_path: Path, line: str, complaint: str) -> None:
    path = tmp_path / "c.svm"
    path.write_text(f"1 1:1\n# nothing\n\n{line}\n1 1:1\n")
    message = refused(path)
    assert message.startswith(f"{path}, line 4: ")
    assert complaint in message


@pytest.mark.parametrize("line", [line for line, _ in BAD_LINES.values()])
@pytest.mark.parametrize("chunk_docs", [None, 1])
def test_bad_lines_are_skipped(tmp_path: Path, line: str, chunk_docs: Any) -> None:
    path = tmp_path / "c.svm"
    path.write_text(f"1 1:1\n{line}\n2 2:2\n{line}\n")
    scan = ts.scan(path, on_error="skip", chunk_docs=chunk_docs)
    assert ts.count(scan) == ts.count(np.array([[1, 0], [0, 2]]), [1, 2])
    assert scan.n_skipped == 2
    assert [message.partition(": ")[0] for message in scan.skipped] == [
        f"{path}, line 2",
        f"{path}, line 4",
    ]


@pytest.mark.parametrize("chunk_docs", [None, 1])
def test_lines_without_labels_or_with_indices_beyond_the_names_are_skipped(
    tmp_path: Path, chunk_docs: Any
) -> None:
    path, terms = tmp_path / "c.svm", tmp_path / "terms"
    terms.write_text("bee\ncow\n")
    path.write_text("1 1:1\n2:5\n2 3:1\n2 1:1 0:4\n2 2:2\n")
    scan = ts.scan(path, terms=terms, on_error="skip", chunk_docs=chunk_docs)
    counts = ts.count(scan)
    assert (counts.classes, counts.n_docs) == ([1, 2], 2)
    assert counts.term_frequency.toarray().tolist() == [[1, 0], [0, 2]]
    assert scan.n_skipped == 3
    assert [complaint.partition(":")[0][-1] for complaint in scan.skipped] == list("234")
    assert "from 1 to 2 before the colon (there are 2 names of terms; from 0" in scan.skipped[1]


def test_a_line_that_is_longer_than_a_block(tmp_path: Path) -> None:
    path = tmp_path / "c.svm"
    path.write_text("1 " + "1:1 " * 5_000_000 + "\n2 2:1\n")
    assert ts.count(ts.scan(path)).term_frequency.toarray().tolist() == [[5_000_000, 0], [0, 1]]


BAD_ROWS = {
    "csv": ("label,text\nx,bee\n", "x,bee,cow\n", "line 3: expected 2 fields, found 3"),
    "txt": ("x\tbee\n", "\tbee\n", "line 2: the label is empty"),
    "jsonl": ('{"label": "x", "text": "bee"}\n', "[1]\n", "line 2: expected a JSON object"),
}


@pytest.mark.parametrize("kind", BAD_ROWS)
def test_bad_rows_of_tables(tmp_path: Path, kind: str) -> None:
    good, bad, complaint = BAD_ROWS[kind]
    path = tmp_path / f"c.{kind}"
    last = good.splitlines(keepends=True)[-1]
    path.write_text(good + bad + last + bad * 7)
    assert complaint in refused(path)
    for chunk_docs in (None, 1):
        scan = ts.scan(path, on_error="skip", chunk_docs=chunk_docs)
        counts = ts.count(scan)
        assert (counts.n_docs, scan.n_skipped, len(scan.skipped)) == (2, 8, 5)
        assert complaint in scan.skipped[0]


HEADER = b"label,text\nx,bee\n"
MANGLED = {
    "quotes in a quoted text": (b'y,"first "bad" line\nsecond, line"\n', "lines 3 to 4"),
    "quotes in its second line": (b'y,"one\ntwo "bad" two\nthree, four"\n', "lines 3 to 5"),
    "a field too many": (b'y,"one\ntwo, three",four\n', "lines 3 to 4"),
    "a field after it": (b'"y","one "bad"\ntwo, three","four"\n', "lines 3 to 4"),
    "bytes in its first line": (b'y,"caf\xe9\nsecond, line"\n', "lines 3 to 4"),
    "bytes in its second line": (b'y,"cafe\nsecond, lin\xe9"\n', "lines 3 to 4"),
    "bytes in a line": (b"y,caf\xe9\n", "line 3"),
    "an inch": (b'y,"a 5" pipe"\n', "line 3"),
    "no closing quote": (b'y,"cut short\n', "line 3"),
    "no closing quotes twice": (b'y,"cut short\ny,"cut short\n', "line 3"),
    "no label": (b',"one\ntwo, three"\n', "lines 3 to 4"),
}
NEIGHBOURS = [b"z,cow\nz,dog\n", b'z,"cow"\nz,"dog\nand ""fox"", hen"\n', b'"z","cow"\n' * 3, b""]


@pytest.mark.parametrize("after", NEIGHBOURS)
@pytest.mark.parametrize(("row", "place"), MANGLED.values(), ids=MANGLED)
@pytest.mark.parametrize("chunk_docs", [None, 1])
def test_a_mangled_row_is_left_out_and_its_neighbours_stay(
    tmp_path: Path, row: bytes, place: str, after: bytes, chunk_docs: Any
) -> None:
    path, clean = tmp_path / "c.csv", tmp_path / "clean.csv"
    path.write_bytes(HEADER + row + after)
    clean.write_bytes(HEADER + after)
    scan = ts.scan(path, on_error="skip", chunk_docs=chunk_docs)
    assert ts.count(scan) == ts.count(ts.scan(clean))
    assert scan.n_skipped == 1 + (b'\ny,"cut' in row)
    assert scan.skipped[0].startswith(f"{path}, {place}: ")
    assert refused(path).startswith(f"{path}, {place}: ")


def test_a_text_without_its_end_is_not_looked_for_in_all_of_a_table(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_bytes(HEADER + b'y,"cut short\n' + b"z,cow\n" * 3000 + b'z,"fox"\nfox, hen"\n')
    scan = ts.scan(path, on_error="skip")
    assert ts.count(scan).n_docs == 3003  # the last line is one that csv allows
    assert scan.n_skipped == 1


def test_documents_of_a_folder_are_left_out(tmp_path: Path) -> None:
    folder = as_folders(tmp_path)
    (folder / "ham" / "wrong").write_bytes(b"\xff\xfe")
    assert "ham/wrong: byte 0 is not UTF-8" in refused(folder)
    scan = ts.scan(folder, on_error="skip")
    assert ts.count(scan).n_docs == len(TEXTS)
    assert (scan.n_skipped, len(scan.skipped)) == (1, 1)


def test_what_is_no_document_of_a_folder_is_left_out(tmp_path: Path) -> None:
    folder = as_folders(tmp_path)
    (folder / "ham" / "1a").mkdir()
    (folder / "ham" / "link").symlink_to(tmp_path / "nothing")
    odd = ["1a", "link"]
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "ham" / "pipe")
        odd.append("pipe")
    assert refused(folder) == f"{folder}/ham/1a: expected a file, a document of the class 'ham'"
    for chunk_docs in (None, 1):
        scan = ts.scan(folder, on_error="skip", chunk_docs=chunk_docs)
        assert ts.count(scan).n_docs == len(TEXTS)
        assert [message.partition(": ")[0] for message in scan.skipped] == [
            f"{folder}/ham/{name}" for name in odd
        ]


@pytest.mark.parametrize("kind", BAD_ROWS)
@pytest.mark.parametrize("chunk_docs", [None, 1, 2])
def test_what_was_left_out_is_told_once(tmp_path: Path, kind: str, chunk_docs: Any) -> None:
    good, bad, _ = BAD_ROWS[kind]
    path = tmp_path / f"c.{kind}"
    last = good.splitlines(keepends=True)[-1]
    path.write_text(good + bad * 2 + last * 3 + bad * 7)
    scan = ts.scan(path, on_error="skip", chunk_docs=chunk_docs)
    places = [(scan.position, scan.term_names)]
    places += [(scan.position, scan.term_names) for _ in scan]
    assert scan.n_skipped == 9
    for position, names in [*places, (scan.position, scan.term_names)]:
        rest = ts.scan(path, on_error="skip", chunk_docs=chunk_docs)
        rest.resume(position, [] if names is None else list(names))
        for _ in rest:
            pass
        assert rest.n_skipped == 9
        assert rest.skipped == scan.skipped


def test_text_that_is_not_utf8_is_skipped_by_the_line(tmp_path: Path) -> None:
    path = tmp_path / "c.txt"
    path.write_bytes(b"x\tbee\nx\t\xff\xfe\ny\tcow\n")
    assert refused(path) == f"{path}, line 2: expected UTF-8"
    scan = ts.scan(path, on_error="skip")
    assert (ts.count(scan).n_docs, scan.n_skipped) == (2, 1)


@pytest.mark.parametrize("kind", ["svm.gz", "svm.zst", "txt.gz"])
@pytest.mark.parametrize("cut", [1, 5, 20])
def test_compressed_files_that_are_cut_short(
    tmp_path: Path, collection: Any, kind: str, cut: int
) -> None:
    path, _ = write(kind, tmp_path, *collection)
    path.write_bytes(path.read_bytes()[:-cut])
    assert refused(path).startswith(f"{path}: damaged or cut short: ")


@pytest.mark.parametrize("ending", ["svm.gz", "txt.gz", "csv.gz", "svm.zst", "jsonl.zst"])
@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_compressed_files_of_nothing_at_all(tmp_path: Path, ending: str, on_error: str) -> None:
    good, cut = tmp_path / f"good.{ending}", tmp_path / f"cut.{ending}"
    kind, _, packed = ending.partition(".")
    pack = gzip.compress if packed == "gz" else zstandard
    lines = {"csv": "label,text\nx,bee\n"} | {name: first for name, (first, *_) in LINES.items()}
    good.write_bytes(pack(lines[kind].encode()))
    cut.write_bytes(b"")
    message = f"{cut}: damaged or cut short: the file is empty"
    assert refused([good, cut], on_error=on_error) == message
    if kind != "csv":  # which has a header
        cut.write_bytes(pack(b""))
        assert ts.count(ts.scan([good, cut], on_error=on_error)).n_docs == 1  # type: ignore[arg-type]


@pytest.mark.parametrize("content", ["", "\n\n"])
@pytest.mark.parametrize("kind", ["csv", "tsv"])
def test_a_table_without_its_header(tmp_path: Path, kind: str, content: str) -> None:
    good, empty = tmp_path / "good.txt", tmp_path / f"c.{kind}"
    good.write_text("x\tbee\n")
    empty.write_text(content)
    message = f"{empty}: expected a header with the columns 'text' and 'label', found none"
    assert refused([good, empty]) == refused([good, empty], on_error="skip") == message
    assert ts.count(ts.scan([good, empty], text=2, label=1)).n_docs == 1


def test_damaged_zstandard(tmp_path: Path) -> None:
    pytest.importorskip("zstandard")
    (tmp_path / "c.svm.zst").write_bytes(b"1 1:1\n")
    assert "damaged or cut short" in refused(tmp_path / "c.svm.zst")


def test_tables_of_columns_that_are_wrong(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "c.parquet"
    parquet.write_table(pyarrow.table({"text": ["bee", None, "cow"], "n": [1, 2, 2]}), path)
    assert refused(path) == f"{path}: expected one column 'label', found 'text', 'n'"
    message = refused(path, label="n")
    assert message == f"{path}, row 2: the text is NoneType, expected a string"
    scan = ts.scan(path, label="n", on_error="skip", chunk_docs=1)
    assert (ts.count(scan).classes, scan.n_skipped) == ([1, 2], 1)
    path.write_bytes(path.read_bytes()[:-3])
    assert refused(path).startswith(f"{path}: damaged or no such table: ")


@pytest.mark.parametrize("ending", _sources.ARROW_ENDINGS)
def test_tables_of_columns_are_not_compressed_again(run: Any, tmp_path: Path, ending: str) -> None:
    for packed in (".gz", ".zst"):
        path = tmp_path / f"c{ending}{packed}"
        path.write_bytes(b"anything")
        message = f"{path}: expected the {ending} file itself, which is compressed within: it is "
        assert refused(path).startswith(message)
        assert run("rank", path).complaint.startswith(message)


def test_values_that_are_not_counted_are_told_with_their_file(run: Any, tmp_path: Path) -> None:
    path, labels = tmp_path / "c.npz", tmp_path / "labels"
    sparse.save_npz(path, sparse.csr_array([[1j, 2]]))
    labels.write_text("1\n")
    with pytest.raises(TypeError, match="X has dtype complex128") as caught:
        ts.count(ts.scan(path, labels=labels))
    assert str(caught.value).startswith(f"{path}, of which document 0 is row 0 here: ")
    result = run("count", path, "--labels", labels, "-o", tmp_path / "c.termsift")
    assert result.complaint == str(caught.value)


def test_matrices_and_texts_do_not_mix(tmp_path: Path) -> None:
    (tmp_path / "a.svm").write_text("1 1:1\n")
    (tmp_path / "b.txt").write_text("1\tbee\n")
    assert "expected tables of texts or matrices, not both" in refused(
        [tmp_path / "a.svm", tmp_path / "b.txt"]
    )


def test_vocabularies_that_differ(tmp_path: Path) -> None:
    for name, terms in (("a", ["bee", "cow"]), ("b", ["bee", "dog"])):
        ts.save_csr(tmp_path / name, np.ones((2, 2), int), [0, 1], term_names=terms)
    message = refused([tmp_path / "a", tmp_path / "b"])
    assert "the vocabularies differ: term 1 is 'cow' in one and 'dog' in the other" in message
    assert str(tmp_path / "a") in message
    assert str(tmp_path / "b") in message


@pytest.mark.parametrize("empty_first", [True, False])
def test_names_of_terms_that_a_folder_without_documents_has(
    tmp_path: Path, empty_first: bool
) -> None:
    ts.save_csr(tmp_path / "a", np.eye(2, dtype=int), ["x", "y"], term_names=["ant", "bee"])
    ts.save_csr(tmp_path / "b", np.ones((0, 3), int), [], term_names=["ant", "bee", "cow"])
    paths = [tmp_path / "b", tmp_path / "a"] if empty_first else [tmp_path / "a", tmp_path / "b"]
    counts = ts.count(ts.scan(paths))
    assert list(counts.term_names) == ["ant", "bee", "cow"]
    assert counts.term_frequency.toarray().tolist() == [[1, 0, 0], [0, 1, 0]]
    assert "holds no documents" in refused(tmp_path / "b")


@pytest.mark.parametrize("other", ["csr", "svm"])
@pytest.mark.parametrize("named_first", [True, False])
def test_terms_with_and_without_names(tmp_path: Path, other: str, named_first: bool) -> None:
    X = sparse.csr_array(np.eye(2, N_TERMS, N_TERMS - 2, dtype=int))
    named = tmp_path / "named"
    ts.save_csr(named, X, [1, 2], term_names=WORDS)
    unnamed, _ = write(other, tmp_path, X, ["1", "2"])
    paths = [named, unnamed] if named_first else [unnamed, named]
    message = refused(paths)
    assert message.startswith(f"{named} and {unnamed}: the terms have names in the first and none")
    (tmp_path / "terms").write_text("\n".join(WORDS))
    counts = ts.count(ts.scan(paths, terms=tmp_path / "terms"))
    assert list(counts.term_names) == WORDS
    assert counts.term_frequency.toarray().tolist() == (2 * X).toarray().tolist()


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("1 1:1\n 2:1\n", "line 2: expected a label before the first index:count"),
        ("# nothing\n", "holds no documents"),
        ("1 7:1\n", "line 1: expected an index from 1 to 2 before the colon (there are 2 names"),
    ],
)
def test_files_that_are_wrong_as_a_whole(tmp_path: Path, content: str, complaint: str) -> None:
    (tmp_path / "c.svm").write_text(content)
    (tmp_path / "terms").write_text("bee\ncow\n")
    assert complaint in refused(tmp_path / "c.svm", terms=tmp_path / "terms")


@pytest.mark.parametrize("n_labels", [1, 3])
def test_labels_of_another_length(tmp_path: Path, n_labels: int) -> None:
    (tmp_path / "c.svm").write_text("0 1:1\n0 1:1\n")
    (tmp_path / "labels").write_text("x\n" * n_labels)
    assert f"{n_labels} labels" in refused(tmp_path / "c.svm", labels=tmp_path / "labels")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"chunk_docs": 0}, "chunk_docs must be a positive integer"),
        ({"chunk_docs": True}, "chunk_docs must be a positive integer"),
        ({"chunk_docs": 1.0}, "chunk_docs must be a positive integer"),
        ({"index_base": 2}, "index_base must be 0 or 1"),
        ({"on_error": "ignore"}, "on_error must be 'raise' or 'skip'"),
        ({"text": "body"}, "a matrix holds no texts; leave out text"),
        ({"labels": ["a", "b"]}, "labels names 2 files for 1 inputs"),
    ],
)
def test_arguments_that_do_not_fit(tmp_path: Path, options: Any, complaint: str) -> None:
    (tmp_path / "c.svm").write_text("1 1:1\n")
    assert complaint in refused(tmp_path / "c.svm", **options)


def test_a_scan_brings_its_labels(tmp_path: Path) -> None:
    (tmp_path / "c.svm").write_text("1 1:1\n")
    with pytest.raises(TypeError, match="leave out y"):
        ts.count(ts.scan(tmp_path / "c.svm"), [1])
    with pytest.raises(TypeError, match="y must hold a label for each document"):
        ts.count(np.eye(2))


def test_positions_of_other_scans_are_refused(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("x\tbee\n")
    scan = ts.scan(tmp_path / "c.txt")
    for position in ({}, None, {**scan.position, "file": 1}):
        with pytest.raises(ValueError, match="expected a position of a scan of these files"):
            scan.resume(position)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="give term_names"):
        scan.resume(scan.position)


def test_a_block_of_which_some_is_counted_may_not_change(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(_sources, "read_blocks", partial(_sources.read_blocks, block_bytes=16))
    path = tmp_path / "c.svm"
    path.write_text("1 1:1\n2 2:1\n" * 3)
    # In the middle of the first block, of two documents, and of the second, of three.
    for n_chunks, n_bytes in ((1, 12), (3, 30)):
        message = f"the first {n_bytes} bytes of its text are not what they were"
        changed = "1 1:1\n2 2:1\n" * 3
        changed = changed[: n_bytes - 2] + "9" + changed[n_bytes - 1 :]
        with pytest.raises(ValueError, match=message):
            changed_after(path, n_chunks, lambda path, to=changed: path.write_text(to))
        path.write_text("1 1:1\n2 2:1\n" * 3)
        counts = changed_after(path, n_chunks, lambda path: path.write_text("1 1:1\n2 2:1\n" * 4))
        assert counts.n_docs == 8
        path.write_text("1 1:1\n2 2:1\n" * 3)


def test_numpy_counts_documents_of_a_chunk(tmp_path: Path) -> None:
    (tmp_path / "c.svm").write_text("1 1:1\n" * 5)
    scan = ts.scan(tmp_path / "c.svm", chunk_docs=np.int64(2))  # type: ignore[arg-type]
    assert [X.shape[0] for X, _ in scan] == [2, 2, 1]
    assert json.loads(json.dumps(scan.position)) == scan.position


def test_nothing_to_read(tmp_path: Path) -> None:
    assert refused([]) == "paths is empty, expected at least one path"
    (tmp_path / "c.svm").write_text("1 1:1\n")
    assert refused(tmp_path / "c.svm", labels=[]) == "labels is empty, expected at least one path"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_pipes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "c.svm").write_text("1 1:1\n")
    os.mkfifo(tmp_path / "pipe.svm")
    message = f"{tmp_path / 'pipe.svm'}: is a pipe or device, which can be read once"
    assert message in refused(tmp_path / "pipe.svm")
    assert message in refused(tmp_path / "c.svm", labels=tmp_path / "pipe.svm")


# What may stand at `at`, by kind, and what may not.
@pytest.mark.parametrize(
    "at", [-1, 1.5, "1", True, [], {}, [0], [0, 1, 2, False, None, 0, 0, -1], [-1, 0, 0], 10**6]
)
def test_places_that_are_none(written: Any, at: Any) -> None:
    path, options = written
    scan = ts.scan(path, **options)
    names = None if scan.term_names is None else list(scan.term_names)
    with pytest.raises(ValueError, match=r"a position of a scan|are not what they were"):
        list(scan.resume({**scan.position, "at": at}, names))


def test_words_so_far_are_each_one(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("x\tbee\n")
    scan = ts.scan(tmp_path / "c.txt")
    with pytest.raises(ValueError, match="holds a word twice"):
        scan.resume(scan.position, ["bee", "bee"])


def changed_after(path: Path, n_chunks: int, change: Any, **options: Any) -> ts.ClassCounts:
    """Count some chunks of a file, change it, and go on."""
    scan = ts.scan(path, chunk_docs=1, **options)
    with closing(ts._api.counting.count_chunks(scan, ts._api.counting.nothing("raw"))) as chunks:
        *_, counts = (next(chunks) for _ in range(n_chunks))
    position, names = scan.position, scan.term_names
    change(path)
    rest = ts.scan(path, chunk_docs=1, **options)
    rest.resume(position, None if names is None else list(names))
    [counts] = [counts, *ts._api.counting.count_chunks(rest, counts)][-1:]
    return ts._api.counting.finished(counts, rest)


LINES = {
    "svm": ["1 1:1\n", "2 2:1\n", "1 3:1\n", "2 1:4\n"],
    "txt": ["x\tbee\n", "y\tcow\n", "x\tdog bee\n", "y\tfox\n"],
    "jsonl": [f'{{"label": "{label}", "text": "{text}"}}\n' for label, text in
              [("x", "bee"), ("y", "cow"), ("x", "dog bee"), ("y", "fox")]],
}  # fmt: skip


@pytest.mark.parametrize("kind", LINES)
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_what_is_behind_a_position_may_change(
    tmp_path: Path, monkeypatch: Any, kind: str, packed: str
) -> None:
    monkeypatch.setattr(_sources, "read_blocks", partial(_sources.read_blocks, block_bytes=8))
    path, lines = tmp_path / f"c.{kind}{packed}", LINES[kind]

    def write(*lines: str) -> None:
        content = "".join(lines).encode()
        path.write_bytes(gzip.compress(content) if packed else content)

    write(*lines, lines[0])
    repaired = ts.count(ts.scan(path))
    write(*lines[:2], "wrong\n", *lines[2:])
    assert changed_after(path, 2, lambda _: write(*lines, lines[0])) == repaired
    assert changed_after(path, 2, lambda path: os.utime(path, ns=(1, 1))) == repaired
    write(*lines[:2], "wrong\n")
    for first in ([lines[1], lines[0]], [lines[0], lines[3]], lines[:1]):
        with pytest.raises(ValueError, match="are not what they were when they were counted"):
            changed_after(path, 2, lambda _, first=first: write(*first))
        write(*lines[:2], "wrong\n")


@pytest.mark.parametrize("kind", [*LINES, "csv"])
@pytest.mark.parametrize("packed", ["", ".gz", ".zst"])
def test_a_last_line_that_was_counted_may_not_grow(tmp_path: Path, kind: str, packed: str) -> None:
    lines = {**LINES, "csv": ["text,label\n", "bee,x\n", "cow,y\n", "fox,z\n"]}[kind]
    header, first, last, appended = lines if kind == "csv" else ["", *lines[:3]]
    path, pack = tmp_path / f"c.{kind}{packed}", {"": bytes, ".gz": gzip.compress}
    pack[".zst"] = zstandard

    def write(content: str) -> None:
        path.write_bytes(pack[packed](content.encode()))

    unended = header + first + last.removesuffix("\n")
    write(unended)
    assert changed_after(path, 2, lambda path: os.utime(path, ns=(1, 1))).n_docs == 2
    # Where the longer line is one that cannot be read, that is the complaint.
    complaint = "the first 2 lines are not what they were" if kind == "svm" else "line|were"
    with pytest.raises(ValueError, match=complaint):
        changed_after(path, 2, lambda _: write(unended + appended))
    write(header + first + last)
    assert changed_after(path, 2, lambda _: write(header + first + last + appended)).n_docs == 3


def test_names_are_those_of_the_chunks_given(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("x\tbee ant\nx\tcow\n")
    scan = ts.scan(tmp_path / "c.txt", chunk_docs=1)
    names = [scan.term_names.tolist() for _ in scan]  # type: ignore[union-attr]
    assert names == [["bee", "ant"], ["bee", "ant", "cow"]]


def test_whoever_leaves_early_leaves_no_thread(tmp_path: Path) -> None:
    (tmp_path / "c.svm").write_text("1 1:1\n" * 100)
    before = threading.active_count()
    chunks = iter(ts.scan(tmp_path / "c.svm", chunk_docs=1))
    next(chunks)
    assert threading.active_count() > before
    chunks.close()
    assert threading.active_count() == before


def test_what_the_reader_holds_is_bounded(tmp_path: Path, monkeypatch: Any) -> None:
    # One chunk is counted, one waits, one is being handed over: the reader is not further ahead.
    ts.save_csr(tmp_path / "c", np.ones((50, 2), int), [0] * 50)
    read: list[int] = []
    rows = _sources.Block.rows
    monkeypatch.setattr(_sources.Block, "rows", lambda *a: (read.append(a[1]), rows(*a))[1])
    for number, _ in enumerate(ts.scan(tmp_path / "c", chunk_docs=1)):
        assert len(read) <= number + 3
    assert len(read) == 50


def test_words_are_those_of_the_readers_of_tables(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text('label,text\na,"The cat, the DOG; x 3d"\nb,"naïve\ncafé"\n')
    known, counts = io.read_collection(path), ts.count(ts.scan(path, chunk_docs=1))
    assert list(counts.term_names) == list(known.term_names)
    assert counts.term_frequency.toarray().tolist() == known.X.toarray().tolist()


# ---- how texts are cut ---------------------------------------------------------------------------

TEXTS = [
    ("The bacon and the eggs", "ham"),
    ("eggs, eggs", "ham"),
    ("Cheap bacon, cheap eggs", "spam"),
    ("and the rest", "spam"),
]
RULES: list[dict[str, Any]] = [
    {},
    {"preset": "paper"},
    {"ngram_range": (1, 2), "min_df": 2},
    {"analyzer": "char", "ngram_range": (2, 2), "lowercase": False},
    {"stop_words": ["eggs"]},
    {"hashing": 64},
]


def as_table(folder: Path) -> Path:
    rows = "".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in TEXTS)
    (folder / "c.jsonl").write_text(rows)
    return folder / "c.jsonl"


def as_folders(folder: Path) -> Path:
    for number, (text, label) in enumerate(TEXTS):
        (folder / "classes" / label).mkdir(parents=True, exist_ok=True)
        (folder / "classes" / label / f"{number}.txt").write_text(text)
    return folder / "classes"


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("written_as", [as_table, as_folders])
@pytest.mark.parametrize("chunk_docs", [None, 1, 3])
def test_texts_are_cut_as_when_read_whole(
    tmp_path: Path, rules: Any, written_as: Any, chunk_docs: Any
) -> None:
    path = written_as(tmp_path)
    whole = io.read_collection(path, **rules)
    expected = ts.count(whole.X, whole.y)
    expected.term_names = whole.term_names
    scan = ts.scan(path, chunk_docs=chunk_docs, **rules)
    assert ts.count(scan) == expected
    # From every position on, with the words so far.
    positions = []
    for _ in scan:
        names = scan.term_names
        positions.append((scan.position, None if names is None else list(names)))
    for n, (position, names) in enumerate(positions):
        rest = sum(
            X.shape[0]
            for X, _ in ts.scan(path, chunk_docs=chunk_docs, **rules).resume(position, names)
        )
        assert rest == len(TEXTS) - min((n + 1) * (chunk_docs or len(TEXTS)), len(TEXTS))


def test_rules_that_a_scan_cannot_keep(tmp_path: Path) -> None:
    path = as_table(tmp_path)
    for rules in ({"min_df": 0.5}, {"max_df": 0.5}, {"max_df": 3}):
        assert "there is no max_df" in refused(path, **rules)
    (tmp_path / "c.svm").write_text("1 1:1 3:2\n2 3:1\n")
    assert refused(tmp_path / "c.svm", preset="paper").endswith("leave out preset")
    assert "its terms have no names" in refused(tmp_path / "c.svm", min_df=2)
    (tmp_path / "terms").write_text("egg\ntea\njam\n")
    counts = ts.count(ts.scan(tmp_path / "c.svm", terms=tmp_path / "terms", min_df=2))
    assert list(counts.term_names) == ["jam"]
    assert counts.term_frequency.toarray().tolist() == [[2], [1]]


@pytest.mark.parametrize("rules", [{}, {"preset": "paper"}, {"hashing": 64}], ids=str)
@pytest.mark.parametrize("command", [["rank", "-k", "5"], ["info"]], ids=lambda command: command[0])
def test_commands_read_what_only_a_scan_reads(
    run: Any, tmp_path: Path, command: list[str], rules: Any
) -> None:
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = {"text": [text for text, _ in TEXTS], "label": [label for _, label in TEXTS]}
    parquet.write_table(pyarrow.table(columns), tmp_path / "c.parquet")
    options = [f"--{name}={value}" for name, value in rules.items()]
    name, *more = command
    results = [
        run(name, path, *more, *options) for path in (tmp_path / "c.parquet", as_table(tmp_path))
    ]
    assert [result.code for result in results] == [0, 0]
    columns, rows = (result.out.replace(".parquet", ".jsonl") for result in results)
    assert columns == rows


def test_documents_of_what_only_a_scan_reads(tmp_path: Path, run: Any) -> None:
    X = sparse.csr_array([[1, 0, 2], [0, 3, 0], [1, 1, 0], [2, 0, 1]])
    ts.save_csr(tmp_path / "one", X, ["ham", "spam", "spam", "ham"], term_names=["a", "b", "c"])
    whole = _scan.read_whole(tmp_path / "one", chunk_docs=1)
    assert whole.X.toarray().tolist() == X.toarray().tolist()
    assert whole.y.tolist() == ["ham", "spam", "spam", "ham"]
    assert run("rank", tmp_path / "one", "--method", "conditional_gain", "-k", 2).code == 0
    several = np.array([[1, 0], [1, 1], [0, 1], [0, 0]])
    ts.save_csr(tmp_path / "several", X, several)
    whole = _scan.read_whole(tmp_path / "several", chunk_docs=2)
    assert whole.y.toarray().tolist() == several.tolist()
    counts = ts.count(whole.X, whole.y, classes=whole.classes)
    assert counts == ts.count(ts.scan(tmp_path / "several"))
