"""The parser of svmlight text: scikit-learn's numbers, every error, any number of threads, any
blocks."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import textwrap
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import termsift as ts
from signals import LIMIT, interrupting, needs_timers, start_deaf
from termsift import _core
from termsift.io import _matrices

THREADS = (1, 2, 3, 7)
FIELDS = ("indptr", "indices", "data", "labels", "label_indptr")


def parse(text: bytes, **options: Any) -> _core.SvmlightBlock:
    usual = {"first_line": 1, "skip": False, "n_threads": 1, "file": "f.svm"}
    return _core.parse_svmlight(text, **{**usual, **options})


def complaint(text: bytes, **options: Any) -> str:
    with pytest.raises(ValueError, match=r"^f\.svm, line ") as caught:
        parse(text, **options)
    return str(caught.value)


def assert_same(a: Any, b: Any) -> None:
    for field in FIELDS:
        np.testing.assert_array_equal(a[field], b[field], strict=a[field] is not None)
    assert (a["n_lines"], a["n_skipped"], a["skipped"], a["unlabelled"]) == (
        (b["n_lines"], b["n_skipped"], b["skipped"], b["unlabelled"])
    )


# ------------------------------------------------------------------------------ scikit-learn's

whole_counts = st.integers(0, 2**53).map(str)
fractions = st.floats(0, allow_infinity=False).map(repr)
decimals = st.from_regex(r"[0-9]{1,25}(\.[0-9]{0,25})?([eE][+-]?[0-9]{1,2})?", fullmatch=True)
indices = st.lists(st.integers(0, 2**31 - 2), unique=True, max_size=8).map(sorted)
labels = st.integers(-3, 40).map(str) | st.sampled_from(["+1", "1e1", "-0.25", "7.", ".5"])
blanks = st.sampled_from([" ", "  ", "\t", " \t"])
comments = st.sampled_from(["", "", "", " # a:1 comment", "#", "\r"])


@st.composite
def svmlight_lines(draw: st.DrawFn) -> str:
    line = draw(labels)
    if draw(st.booleans()):
        line += f"{draw(blanks)}qid:{draw(st.integers(0, 9))}"
    for index in draw(indices):
        line += f"{draw(blanks)}{index}:{draw(whole_counts | fractions | decimals)}"
    return line + draw(comments)


texts = st.lists(svmlight_lines() | st.sampled_from(["", "# comment", " \t"]), max_size=12)


@given(texts, st.booleans())
@example(["1 2:4.9e-324 4:1.7976931348623157e308"], False)
@example(["0 0:10000000.0000000001"], False)
@example(["1 1:9007199254740993.5 2:0.1", "-0 3:123456789012345678901234567890"], True)
def test_the_numbers_are_scikit_learns(lines: list[str], final_newline: bool) -> None:
    datasets = pytest.importorskip("sklearn.datasets")
    text = ("\n".join(lines) + "\n" * final_newline).encode()
    X, y = datasets.load_svmlight_file(io.BytesIO(text), zero_based=True)
    found = parse(text)
    np.testing.assert_array_equal(found["indptr"], X.indptr)
    np.testing.assert_array_equal(found["indices"], X.indices)
    np.testing.assert_array_equal(found["data"].astype(float), X.data)
    np.testing.assert_array_equal(found["labels"], y)
    counts = [
        token.partition(":")[2]
        for line in lines
        for token in line.partition("#")[0].split()
        if ":" in token and not token.startswith("qid")
    ]
    whole = all(
        int(count) < 2**63
        if count.isdecimal()
        else float(count).is_integer() and float(count) < 2**63
        for count in counts
    )
    assert (found["data"].dtype == np.int64) == whole


@given(st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=3), min_size=1))
def test_lists_of_labels_are_scikit_learns(labels_of: list[list[int]]) -> None:
    datasets = pytest.importorskip("sklearn.datasets")
    text = "".join(f"{','.join(map(str, own))} 1:1\n" for own in labels_of).encode()
    _, y = datasets.load_svmlight_file(io.BytesIO(text), multilabel=True)
    found = parse(text)
    parts = np.split(found["labels"], np.asarray(found["label_indptr"])[1:-1])
    assert [tuple(sorted(part)) for part in parts] == y


# ------------------------------------------------------------------------------------- threads


@pytest.fixture(scope="module")
def large() -> bytes:
    """Some twelve pieces of text, with fractions and comments now and then."""
    rng = np.random.default_rng(5)
    lines = []
    for d in range(15_000):
        columns = rng.integers(0, 10**6, rng.integers(0, 40)).tolist()
        line = f"{d % 7} " + " ".join(f"{column}:{1 + column % 5}" for column in columns)
        lines.append(line + " # a comment: 1:2" * (d % 900 == 0))
    return ("\n".join(lines) + "\n").encode()


@pytest.mark.parametrize("n_threads", THREADS)
def test_threads_change_nothing(large: bytes, n_threads: int) -> None:
    assert len(large) > 7 << 18  # fewer are not worth seven threads
    assert_same(parse(large, n_threads=n_threads), parse(large, n_threads=1))
    with_fraction = large + b"1 1:0.5\n"
    found = parse(with_fraction, n_threads=n_threads)
    assert found["data"].dtype == np.float64
    assert_same(found, parse(with_fraction))


@pytest.mark.parametrize("n_threads", THREADS)
def test_the_first_bad_line_is_reported(large: bytes, n_threads: int) -> None:
    lines = large.split(b"\n")
    for at in (14_000, 9_001, 9_000, 4_321):
        lines[at] = b"1 1:x"
        expected = f"f.svm, line {at + 1}: expected a finite count of 0 or more after the colon"
        for _ in range(5):
            assert complaint(b"\n".join(lines), n_threads=n_threads).startswith(expected)
    found = parse(b"\n".join(lines), n_threads=n_threads, skip=True)
    assert found["n_skipped"] == 4
    assert [line for line, _ in found["skipped"]] == [4_322, 9_001, 9_002, 14_001]
    assert_same(found, parse(b"\n".join(lines), skip=True))


# -------------------------------------------------------------------------------------- errors

LABEL = "a label, a number below 2^53, or several with commas between them"
INDEX = "an index from 0 to 9223372036854775807 before the colon"
COUNT = "a finite count of 0 or more after the colon"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"abc 1:1", f"{LABEL}, found 'abc'"),
        (b"inf 1:1", f"{LABEL}, found 'inf'"),
        (b"0x1 1:1", f"{LABEL}, found '0x1'"),
        (b"+-1", f"{LABEL}, found '+-1'"),
        (b"a class 1:1", f"{LABEL}, found 'a'"),
        ("größe".encode(), f"{LABEL}, found 'größe'"),
        (b"\xff", rf"{LABEL}, found '\\xff'"),
        (b"1,", f"{LABEL}, found '1,'"),
        (b",1", f"{LABEL}, found ',1'"),
        (b"1,x", f"{LABEL}, found '1,x'"),
        (b"1 2", "index:count, found '2'"),
        (b"1 :", f"{INDEX}, found ':'"),
        (b"1 1 : 2", "index:count, found '1'"),
        (b"1 -1:2", f"{INDEX}, found '-1:2'"),
        (b"1 -0:2", f"{INDEX}, found '-0:2'"),
        (b"1 1.0:2", f"{INDEX}, found '1.0:2'"),
        (b"1 9223372036854775808:1", f"{INDEX}, found '9223372036854775808:1'"),
        (b"1 1:", f"{COUNT}, found '1:'"),
        (b"1 1:x", f"{COUNT}, found '1:x'"),
        (b"1 1:1:1", f"{COUNT}, found '1:1:1'"),
        (b"1 1:1_0", f"{COUNT}, found '1:1_0'"),
        (b"1 1:nan", f"{COUNT}, found '1:nan'"),
        (b"1 1:inf", f"{COUNT}, found '1:inf'"),
        (b"1 1:1e309", f"{COUNT}, found '1:1e309'"),
        (b"1 1:-1", f"{COUNT}, found '1:-1'"),
        (b"1 1:1e", f"{COUNT}, found '1:1e'"),
        (b"1 qid:", "a whole number after qid:, found 'qid:'"),
        (b"1 qid:-1", "a whole number after qid:, found 'qid:-1'"),
        (b"1 \x00\x1b[31m", r"index:count, found '\x00\x1b[31m'"),
        (b"1 " + b"7" * 99, f"index:count, found '{'7' * 40}'..."),
    ],
)
def test_errors_name_line_and_token(line: bytes, message: str) -> None:
    text = b"1 1:1\n# comment\n\n" + line + b"\r\n1 1:x\n"
    found = complaint(text, first_line=11)
    assert found == f"f.svm, line 14: expected {message}"
    skipped = parse(text, first_line=11, skip=True)
    assert skipped["skipped"][0] == (14, f"expected {message}")
    assert skipped["n_skipped"] == 2
    assert skipped["labels"].tolist() == [1]


def test_the_largest_numbers() -> None:
    found = parse(f"1 {2**63 - 1}:{2**63 - 1} 0:1e18\n".encode())
    assert found["indices"].tolist() == [2**63 - 1, 0]
    assert found["data"].tolist() == [2**63 - 1, 10**18]
    found = parse(f"1 1:{2**63}\n-{2**53 - 1} 2:1".encode())
    assert found["data"].tolist() == [2.0**63, 1.0]
    assert found["labels"].tolist() == [1, 1 - 2**53]


def test_a_line_of_many_tokens_in_little_memory() -> None:
    resource = pytest.importorskip("resource")
    # It runs in its own process, because a limit on the memory of this one would stay.
    code = """
    import resource
    from termsift import _core
    text = b"1" + b" 1:1" * 5_000_000
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    options = dict(file="", first_line=1, skip=False, n_threads=2)
    resource.setrlimit(resource.RLIMIT_AS, (used + 50_000_000, -1))
    try:
        _core.parse_svmlight(text, **options)
    except MemoryError:
        print("told")
    resource.setrlimit(resource.RLIMIT_AS, (used + 500_000_000, -1))
    print(len(_core.parse_svmlight(text, **options)["indices"]))
    """
    assert resource
    if not os.path.exists("/proc/self/statm"):
        pytest.skip("memory is limited and measured on Linux alone")
    assert run(code) == "told\n5000000"


def run(code: str) -> str:
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


@needs_timers
@pytest.mark.parametrize("n_threads", [1, 2])
def test_ctrl_c_stops_it(n_threads: int) -> None:
    text = b"1" + b" 1:1" * 20_000_000

    def forever() -> None:
        while True:  # until the signal, which finds a call at work, on its one line
            parse(text, n_threads=n_threads)

    with pytest.raises(KeyboardInterrupt), interrupting(0.05):
        forever()


@pytest.mark.skipif(os.name != "posix", reason="only a POSIX shell has SIGINT ignored")
def test_the_test_of_ctrl_c_ends_where_sigint_is_ignored() -> None:
    test = f"{__file__}::test_ctrl_c_stops_it"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test]
    with start_deaf(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as process:
        try:
            out, _ = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    assert process.returncode == 0, out


# -------------------------------------------------------------------------------------- blocks


BLOCK_BYTES = [1, 2, 3, 7, 64, 1 << 20]
TEXT = b"\xef\xbb\xbf1 1:2\n# c\n2,3 30:4444444444 5:1.5\r\n\n 7:1\n4" + b" 1:1" * 40


@pytest.fixture(params=BLOCK_BYTES)
def read(request: Any, tmp_path: Path, monkeypatch: Any) -> Any:
    """Return a function that reads text in blocks of some size."""
    monkeypatch.setattr(_matrices, "_BLOCK_BYTES", request.param)

    def read_text(text: bytes, ending: str = "", **options: Any) -> ts.io.Collection:
        path = tmp_path / f"f.svm{ending}"
        path.write_bytes(gzip.compress(text) if ending else text)
        return ts.io.read_collection(path, **options)

    return read_text


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_blocks_of_any_size_hold_the_same(read: Any, ending: str) -> None:
    collection = read(TEXT, ending)
    X = collection.X
    entries = [(X.indices[a:b] + 1, X.data[a:b]) for a, b in pairwise(X.indptr)]
    assert [[part.tolist() for part in entry] for entry in entries] == [
        [[1], [2]],
        [[30, 5], [4444444444, 1.5]],
        [[7], [1]],
        [[1] * 40, [1] * 40],
    ]
    assert collection.classes == [1, 2, 3, 4]
    assert collection.y.nonzero()[1].tolist() == [0, 1, 2, 3]
    assert collection.y.sum(axis=1).tolist() == [1, 2, 0, 1]


def test_errors_in_later_blocks_name_their_line(read: Any) -> None:
    with pytest.raises(ValueError, match=r"f\.svm, line 7: expected "):
        read(TEXT + b"\n1 1:x\n")


def test_a_document_without_a_label_where_none_has_several(read: Any) -> None:
    message = r"f\.svm, line 3: expected a label before the first index:count, found '2:1'; "
    with pytest.raises(ValueError, match=message):
        read(b"1 1:1\n# c\n2:1\n3:1\n2 1:1\n")


def test_documents_without_a_label_are_skipped(read: Any) -> None:
    for text in (b"1 1:1\n2:1\n3:1\n2 1:1\n", b"1 1:1\n2:1\n3:1\n2,3 1:1\n"):
        collection = read(text, on_error="skip")
        assert (collection.X.shape[0], collection.n_skipped) == (2, 2)
        assert ["line 2" in collection.skipped[0], "line 3" in collection.skipped[1]] == [True] * 2


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts)
def test_blocks_are_the_text(read: Any, lines: list[str]) -> None:
    text = "\n".join(lines).encode()
    whole = parse(text)
    if len(whole["labels"]):
        collection = read(text, index_base=0)
        assert collection.X.indices.tolist() == whole["indices"].tolist()
        assert collection.y.tolist() == whole["labels"].tolist()
