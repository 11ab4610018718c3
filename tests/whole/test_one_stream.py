"""Documents are one stream: equal documents have equal results, and errors say where they are.

The same documents are given in every container and file format, and counted, put in a matrix,
searched and classified.

Guards: text/_documents.py, its readers in text and io, and what counts, stacks, searches and
classifies blocks.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import termsift as ts
from private import passages_in, predictions_of, put
from termsift.io import read_collection

# A folder of classes sorts documents by class, so the documents are in this order everywhere.
LABELS = ["ham"] * 3 + ["spam"] * 4
TEXTS = [
    "Bacon and eggs",
    "",
    "Eggs, eggs at noon",
    "A free prize",
    "pills",
    "Größe, pills",
    "free",
]
RULES: dict[str, Any] = {"ngram_range": (1, 2), "min_df": 2}
QUERIES = ["eggs", "free", "pills"]
COUNTS = ts.count_texts(TEXTS, LABELS, **RULES)
CLASSIFIER = ts.count_texts(TEXTS, LABELS).naive_bayes()
BAD = 5  # the document with a fault


def frame(library: str, texts: list[Any], labels: list[Any]) -> Any:
    module = pytest.importorskip(library)
    columns = {"text": texts, "label": labels}
    return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)


CONTAINERS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "generator": iter,
    "tuple": tuple,
    "numpy": lambda texts: np.array(texts, dtype=object),
    "numpy strings": np.array,
    "pandas": lambda texts: pytest.importorskip("pandas").Series(texts),
    "polars": lambda texts: pytest.importorskip("polars").Series(texts),
    "arrow": lambda texts: pytest.importorskip("pyarrow").chunked_array([texts[:3], texts[3:]]),
}
FRAMES = ["pandas", "polars", "pyarrow"]
FILES = ["csv", "tsv", "txt", "jsonl", "json", "parquet", "arrow", "folder", "csv.gz", "two files"]


def write(kind: str, folder: Path, texts: list[Any], labels: list[Any]) -> list[Path]:
    """Write documents to files, and return their paths."""
    if kind == "two files":
        first = write("jsonl", folder / "1", texts[:4], labels[:4])
        return first + write("parquet", folder / "2", texts[4:], labels[4:])
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"documents.{kind}"
    rows = list(zip(labels, texts, strict=True))
    if kind == "folder":
        for number, (label, text) in enumerate(rows):
            (path / label).mkdir(parents=True, exist_ok=True)
            (path / label / f"{number}.txt").write_bytes(as_bytes(text))
    elif kind in ("csv", "tsv", "txt", "csv.gz"):
        quote = b"" if kind == "txt" else b'"'
        between = b"," if "csv" in kind else b"\t"
        lines = [b"label" + between + b"text"] * (kind != "txt")
        lines += [label.encode() + between + quote + as_bytes(text) + quote for label, text in rows]
        content = b"\n".join(lines) + b"\n"
        if kind == "csv.gz":
            import gzip

            content = gzip.compress(content)
        path.write_bytes(content)
    elif kind in ("jsonl", "json"):
        objects = [
            b'{"label": ' + json.dumps(label).encode() + b', "text": ' + in_json(text) + b"}"
            for label, text in rows
        ]
        array = b"[" + b",\n".join(objects) + b"]"
        path.write_bytes(array if kind == "json" else b"\n".join(objects))
    else:
        pyarrow = pytest.importorskip("pyarrow")
        column = pyarrow.array([None if t is None else as_bytes(t) for t in texts])
        column = column.cast(pyarrow.binary()).view(pyarrow.string())
        table = pyarrow.table({"text": column, "label": labels})
        if kind == "parquet":
            pytest.importorskip("pyarrow.parquet").write_table(table, path)
        else:
            with pytest.importorskip("pyarrow.ipc").new_file(path, table.schema) as file:
                file.write_table(table)
    return [path]


def as_bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


def in_json(text: Any) -> bytes:
    return b'"' + text + b'"' if isinstance(text, bytes) else json.dumps(text).encode()


# ---- equal results -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", CONTAINERS)
def test_containers_have_equal_results(kind: str) -> None:
    texts = CONTAINERS[kind]
    assert ts.count_texts(texts(TEXTS), LABELS, **RULES) == COUNTS
    expected = ts.find_passages(TEXTS, LABELS, QUERIES)
    assert ts.find_passages(texts(TEXTS), LABELS, QUERIES) == expected
    predicted = CLASSIFIER.predict(TEXTS).tolist()
    assert CLASSIFIER.predict(texts(TEXTS)).tolist() == predicted
    log_proba = CLASSIFIER.leave_one_out(TEXTS, LABELS)
    np.testing.assert_array_equal(CLASSIFIER.leave_one_out(texts(TEXTS), LABELS), log_proba)
    sketch = ts.sketch_texts(TEXTS, min_df=2, n_bytes=1000)
    assert ts.sketch_texts(texts(TEXTS), min_df=2, n_bytes=1000).to_bytes() == sketch.to_bytes()


@pytest.mark.parametrize("kind", ["list", "numpy", "pandas", "polars", "arrow"])
def test_containers_have_equal_matrices(kind: str) -> None:
    pytest.importorskip("sklearn")
    X = ts.text.CountVectorizer(**RULES).fit_transform(CONTAINERS[kind](TEXTS))
    assert ts.count(X, LABELS, term_names=COUNTS.term_names) == COUNTS


@pytest.mark.parametrize("library", FRAMES)
def test_frames_have_equal_results(library: str) -> None:
    of_columns = {"text": "text", "label": "label"}
    data = frame(library, TEXTS, LABELS)
    assert ts.count_texts(data, **of_columns, **RULES) == COUNTS
    found = ts.find_passages(data, queries=QUERIES, **of_columns)
    assert found == ts.find_passages(TEXTS, LABELS, QUERIES)


@pytest.mark.parametrize("kind", FILES)
def test_files_have_equal_results(kind: str, tmp_path: Path) -> None:
    scan = ts.scan(write(kind, tmp_path, TEXTS, LABELS), **RULES)
    assert ts.count(scan) == COUNTS
    collection = read_collection(scan)
    assert ts.count(collection.X, collection.y, term_names=collection.term_names) == COUNTS
    assert collection.y.tolist() == LABELS
    predicted = [label for of_block, _ in predictions_of(CLASSIFIER, scan) for label in of_block]
    assert predicted == CLASSIFIER.predict(TEXTS).tolist()
    if kind != "two files":  # rows are numbered in each file
        found = passages_in(scan, QUERIES)
        assert found == ts.find_passages(TEXTS, LABELS, QUERIES, **RULES)


@pytest.mark.parametrize("kind", ["list", "pandas", "arrow"])
def test_parts_have_equal_counts(kind: str) -> None:
    pytest.importorskip("dask")
    texts = CONTAINERS[kind]
    parts = [(texts(TEXTS[:4]), LABELS[:4]), (texts(TEXTS[4:]), LABELS[4:])]
    assert ts.dask.count_texts(parts, **RULES) == COUNTS


@pytest.mark.parametrize("kind", ["npz", "mtx", "svm"])
def test_matrices_in_files_have_equal_results(kind: str, tmp_path: Path) -> None:
    X, y = sp.csr_array(np.array([[2, 0, 1], [0, 1, 0], [1, 1, 3]])), [1, 2, 1]
    scan = ts.scan(**write_matrix(kind, tmp_path, X, y))
    counts = ts.count(X, y)
    assert ts.count(scan) == counts
    collection = read_collection(scan)
    assert (collection.X != X).nnz == 0
    assert collection.y.tolist() == y
    classifier = counts.naive_bayes()
    (found,) = [labels for labels, _ in predictions_of(classifier, scan)]
    assert found == classifier.predict(X).tolist()


def write_matrix(kind: str, folder: Path, X: Any, y: list[int]) -> dict[str, Any]:
    """Write a matrix, and return the arguments of `termsift.scan`."""
    path, labels = folder / f"matrix.{kind}", folder / "labels.txt"
    labels.write_text("".join(f"{label}\n" for label in y))
    if kind == "svm":
        rows = [
            " ".join([str(label), *(f"{c + 1}:{row[c]}" for c in np.flatnonzero(row))])
            for label, row in zip(y, X.toarray(), strict=True)
        ]
        path.write_text("\n".join(rows) + "\n")
        return {"paths": path}
    if kind == "npz":
        sp.save_npz(path, X)
    else:
        pytest.importorskip("scipy.io").mmwrite(path, X.tocoo())
    return {"paths": path, "labels": labels}


# ---- faults --------------------------------------------------------------------------------------


def message(call: Callable[[], Any]) -> str:
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    return str(caught.value)


def changed(values: list[Any], value: Any) -> list[Any]:
    return [value if place == BAD else old for place, old in enumerate(values)]


USES: dict[str, Callable[[Any, list[Any]], Any]] = {
    "count": lambda texts, y: ts.count_texts(texts, y),
    "count in little memory": lambda texts, y: ts.count_texts(
        texts, y, min_df=2, max_memory=1 << 20
    ),
    "passages": lambda texts, y: ts.find_passages(texts, y, QUERIES),
    "leave one out": lambda texts, y: CLASSIFIER.leave_one_out(texts, y),
}


@pytest.mark.parametrize("kind", ["list", "tuple", "numpy", "polars", "arrow"])
@pytest.mark.parametrize("use", USES)
def test_containers_name_a_missing_text_or_label(kind: str, use: str) -> None:
    missing = CONTAINERS[kind](changed(TEXTS, None))
    assert f"the text of document {BAD} is missing" in message(lambda: USES[use](missing, LABELS))
    labels = changed(LABELS, None)
    texts = CONTAINERS[kind](TEXTS)
    assert f"the label of document {BAD} is missing" in message(lambda: USES[use](texts, labels))


@pytest.mark.parametrize("use", USES)
def test_arrow_names_a_text_that_is_not_utf8(use: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    column = pyarrow.array([as_bytes(text) for text in changed(TEXTS, b"ok \xff")])
    texts = column.cast(pyarrow.binary()).view(pyarrow.string())
    assert f"document {BAD}, byte 3: expected UTF-8" in message(lambda: USES[use](texts, LABELS))


@pytest.mark.parametrize("use", ["predict", "sketch", "vectorize", "transform", "hash"])
def test_unlabelled_texts_are_named_across_blocks(
    use: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    put(monkeypatch, block_texts=2)
    column = pyarrow.array([as_bytes(text) for text in changed(TEXTS, b"ok \xff")])
    table = pyarrow.table({"text": column.cast(pyarrow.binary()).view(pyarrow.string())})

    def call() -> Any:
        reader = table.to_reader(max_chunksize=2)
        if use == "predict":
            return CLASSIFIER.predict(reader)
        if use in ("vectorize", "transform", "hash"):
            pytest.importorskip("sklearn")
            vectorizer = ts.text.CountVectorizer()
            if use == "vectorize":
                return vectorizer.fit_transform(reader)
            if use == "transform":
                return vectorizer.fit(TEXTS).transform(reader)
            return ts.text.HashingVectorizer().transform(reader)
        return ts.sketch_texts(reader, min_df=2, n_bytes=1000)

    assert f"document {BAD}, byte 3: expected UTF-8" in message(call)


# How each kind of file names its row BAD, counted from 0.
PLACES = {
    "csv": f"documents.csv, line {BAD + 2}",
    "tsv": f"documents.tsv, line {BAD + 2}",
    "txt": f"documents.txt, line {BAD + 1}",
    "jsonl": f"documents.jsonl, line {BAD + 1}",
    "json": f"documents.json, line {BAD + 1}",
    "parquet": f"documents.parquet, row {BAD + 1}",
    "arrow": f"documents.arrow, row {BAD + 1}",
    "folder": f"{BAD}.txt",
    "csv.gz": f"documents.csv.gz, line {BAD + 2}",
    "two files": f"documents.parquet, row {BAD - 4 + 1}",
}
SCANS: dict[str, Callable[[ts.Scan], Any]] = {
    "count": ts.count,
    "matrix": read_collection,
    "passages": lambda scan: passages_in(scan, QUERIES),
    "predict": lambda scan: list(predictions_of(CLASSIFIER, scan)),
}


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("use", SCANS)
def test_files_name_a_text_that_is_not_utf8(kind: str, use: str, tmp_path: Path) -> None:
    paths = write(kind, tmp_path, changed(TEXTS, b"ok \xff"), LABELS)
    assert PLACES[kind] in message(lambda: SCANS[use](ts.scan(paths)))


@pytest.mark.parametrize("kind", ["jsonl", "json", "parquet", "arrow", "two files"])
@pytest.mark.parametrize("use", SCANS)
def test_files_name_a_missing_text_or_label(kind: str, use: str, tmp_path: Path) -> None:
    paths = write(kind, tmp_path / "texts", changed(TEXTS, None), LABELS)
    assert PLACES[kind] in message(lambda: SCANS[use](ts.scan(paths)))
    paths = write(kind, tmp_path / "labels", TEXTS, changed(LABELS, None))
    assert PLACES[kind] in message(lambda: SCANS[use](ts.scan(paths)))


@pytest.mark.parametrize("kind", ["csv", "tsv", "txt", "csv.gz"])
def test_tables_name_an_empty_label(kind: str, tmp_path: Path) -> None:
    paths = write(kind, tmp_path, TEXTS, changed(LABELS, ""))
    for use in SCANS.values():
        assert PLACES[kind] in message(lambda use=use: use(ts.scan(paths)))


def test_matrices_name_a_negative_count(tmp_path: Path) -> None:
    X, y = np.array([[1, 0], [2, 1], [0, -1], [1, 1]]), [1, 1, 2, 2]
    place = "X has -1 at row 2, column 1"
    classifier = ts.count(np.abs(X), y).naive_bayes()
    for matrix in (X, sp.csr_array(X), sp.csc_array(X)):
        assert message(lambda matrix=matrix: ts.count(matrix, y)).startswith(place)
        assert place in message(lambda matrix=matrix: classifier.predict(matrix))
        assert place in message(lambda matrix=matrix: classifier.leave_one_out(matrix, y))
    for kind in ("npz", "mtx"):
        arguments = write_matrix(kind, tmp_path, sp.csr_array(X), y)
        for use in (ts.count, lambda scan: list(predictions_of(classifier, scan))):
            found = message(lambda use=use, arguments=arguments: use(ts.scan(**arguments)))
            assert found.startswith(str(arguments["paths"]))
            # The core parses Matrix Market text, so it knows the line.
            assert (place if kind == "npz" else "matrix.mtx, line 7: expected ") in found
    arguments = write_matrix("svm", tmp_path, sp.csr_array(X), y)
    assert "matrix.svm, line 3" in message(lambda: ts.count(ts.scan(**arguments)))


def test_parts_name_the_part_and_the_document() -> None:
    pytest.importorskip("dask")
    parts = [(TEXTS, LABELS), (changed(TEXTS, None), LABELS)]
    found = message(lambda: ts.dask.count_texts(parts))
    assert found.startswith(f"part 1: the text of document {BAD} is missing")
    X = np.array([[1, 0], [-1, 1]])
    found = message(lambda: ts.dask.count([(np.abs(X), [1, 2]), (X, [1, 2])]))
    assert found.startswith("chunk 1: X has -1 at row 1, column 0")
