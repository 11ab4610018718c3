"""The file of counts: loading returns what was saved, and refuses everything else."""

from __future__ import annotations

import datetime
import enum
import errno
import io
import itertools
import json
import math
import os
import pickle
import re
import subprocess
import sys
import tracemalloc
from collections import namedtuple
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse as sp

import termsift as ts
from termsift._counts import file

DENSE = np.array([[3, 0, 1, 0], [0, 2, 0, 0], [1, 1, 0, 4]])
Y = ["ham", "spam", "ham"]
HEADER_SIZE = 8 + 4 + 8 + 32


def named(counts: ts.ClassCounts, names: Any) -> ts.ClassCounts:
    counts.term_names = names
    return counts


COUNTS = {
    "exact": ts.count(DENSE, Y),
    "float": ts.count(DENSE / 3, Y),
    "weighted": ts.count(DENSE, Y, sample_weight=[3, 0, 2]),
    "float weights": ts.count(DENSE, Y, sample_weight=[0.1, 1e-300, 1e300]),
    "largest": ts.count(np.array([[2**63 - 2], [1]]), ["a", "b"]),
    "several labels": ts.count(DENSE, np.array([[1, 0], [1, 1], [0, 1]]), classes=["a", "b"]),
    "unlabelled documents": ts.count(DENSE, np.array([[1, 0], [0, 0], [0, 1]])),
    "float, unlabelled": ts.count(DENSE / 3, np.array([[1, 1], [0, 0], [0, 1]])),
    "one label each": ts.count(DENSE, np.array([[1, 0], [1, 0], [0, 1]])),
    "names": named(ts.count(DENSE, Y), ["a", "b", "c", "d"]),
    "odd names": named(
        ts.count(DENSE, Y), ["", "é\n\0", "\ud800\udc80 \udcff", "日本語\U0001f600"]
    ),
    "empty names": named(ts.count(DENSE, Y), [""] * 4),
    "no classes": ts.count(DENSE[:0], []),
    "empty classes": ts.count(DENSE[:0], [], classes=["b", "a"]),
    "no terms": ts.count(DENSE[:, :0], Y),
    "no terms, named": named(ts.count(DENSE[:, :0], Y), []),
    "no documents, no terms": ts.count(np.zeros((0, 0)), []),
    "no pairs": ts.count(np.zeros((3, 4), int), Y),
    "wide": ts.count(sp.csr_array(([1], [2**31 - 2], [0, 1]), shape=(1, 2**31 - 1)), ["a"]),
}


def bits(counts: ts.ClassCounts) -> Any:
    arrays = {
        name: (value.dtype.str, value.tobytes()) if isinstance(value, np.ndarray) else repr(value)
        for name, value in counts._counts.to_arrays().items()
    }
    names = counts.term_names
    return arrays, counts._counts.exact, counts.classes, None if names is None else names.tolist()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "c.termsift"


# -------------------------------------------------------------------------------- round trips


@pytest.mark.parametrize("counts", COUNTS.values(), ids=COUNTS)
def test_round_trip(counts, path):
    counts.save(path)
    loaded = ts.load(path)
    assert loaded == counts
    assert bits(loaded) == bits(counts)
    assert type(loaded.n_docs) is type(counts.n_docs)
    # The bytes are the same again: a file depends only on the counts.
    again = path.with_name("again")
    loaded.save(again)
    assert again.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("key", ["exact", "float", "unlabelled documents", "names"])
def test_loaded_counts_count_on(key, path):
    counts = COUNTS[key]
    counts.save(path)
    loaded = ts.load(path)
    more = (DENSE[:2], counts.classes)
    expected = counts + ts.count(*more)
    assert loaded.update(*more).term_frequency.toarray().tolist() == (
        expected.term_frequency.toarray().tolist()
    )
    assert loaded.n_docs == expected.n_docs
    assert ts.load(path).score("md").tolist() == counts.score("md").tolist()


LABELS = {
    "None": [None],
    "bool": [False, True],
    "int": [-(2**200), -1, 0, 2**63],
    "a very long int": [10**5000],
    "float": [-math.inf, -0.1, 5e-324, 0.1, 1.7976931348623157e308, math.inf],
    "negative zero": [-0.0],
    "str": ["", " ", "\n", "1", "None", "é", "日本語", "\0", "\ud800", "\U0001f600", '"\\'],
    "bytes": [b"", b"\x00", b"\xff\n"],
    "tuples": [(), (1,), (1, "a"), ((), (b"", (2, 1.5)))],
    "mixed": [None, "1", 1, 1.5, b"1", (1,), ("1",), (True, None)],
    "numpy": [np.int8(3), np.str_("x"), np.float32(0.5), np.bytes_(b"y")],
}


def typed(label: Any) -> Any:
    """Tell True from 1 from 1.0, and -0.0 from 0.0, also inside tuples."""
    if isinstance(label, tuple):
        return tuple(map(typed, label))
    return type(label), math.copysign(1, label) if label == 0 else label


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_labels(labels, path):
    X = np.ones((len(labels), 1), int)
    if None in labels:  # no label to count any more, but one in files of before
        counts = ts.ClassCounts._of(ts.count(X, range(len(X)))._counts, labels, None, "raw")
    else:
        counts = ts.count(X, labels)
    counts.save(path)
    loaded = ts.load(path)
    assert loaded == counts
    if labels is not LABELS["numpy"]:
        assert list(map(typed, loaded.classes)) == list(map(typed, counts.classes))


@pytest.mark.parametrize("given", [str, Path], ids=["str", "PathLike"])
def test_paths(given, path):
    COUNTS["exact"].save(given(path))
    assert ts.load(given(path)) == COUNTS["exact"]


def test_no_such_file(path):
    with pytest.raises(FileNotFoundError):
        ts.load(path)
    with pytest.raises(FileNotFoundError):
        COUNTS["exact"].save(path / "in no folder")


# ----------------------------------------------------------------------- failures while saving

Point = namedtuple("Point", "x y")
Colour = enum.Enum("Colour", "red")
Number = enum.IntEnum("Number", "one")
UNSUPPORTED = [
    *(frozenset({1}), 1j, Decimal(1), datetime.date(2020, 1, 1), Colour.red, Number.one),
    *(Point(1, 2), (1, (frozenset(), "x")), object, ...),
]


@pytest.mark.parametrize("label", UNSUPPORTED, ids=repr)
@pytest.mark.parametrize("existed", [True, False], ids=["over a file", "new"])
def test_unsupported_label(label, existed, path):
    if existed:
        path.write_bytes(b"old")
    with pytest.raises(TypeError, match=r"^cannot save the class ") as caught:
        ts.count(np.ones((1, 1), int), [label]).save(path)
    inner = label[1][0] if label == (1, (frozenset(), "x")) else label
    assert repr(inner) in str(caught.value)
    assert list(path.parent.iterdir()) == [path] * existed
    assert not existed or path.read_bytes() == b"old"


@pytest.mark.parametrize("error", [OSError, MemoryError, KeyboardInterrupt])
@pytest.mark.parametrize("existed", [True, False], ids=["over a file", "new"])
@pytest.mark.parametrize(
    "step", ["line", "array", "last", "digest", "rename", "chmod", "fsync", "replace"]
)
def test_failure_leaves_what_was_there(step, existed, error, path, monkeypatch):
    if existed:
        COUNTS["float"].save(path)
        before = path.read_bytes()
        path.chmod(0o600)  # a new file has another mode, and is given this one
    failed = []

    def fail(*args, **options):
        failed.append(step)
        raise error

    if step in ("line", "array", "last"):
        new_hash, calls = file._new_hash, {"line": 0, "array": 3, "last": 7}[step]

        class Failing:
            def __init__(self):
                self.hash, self.n = new_hash(), itertools.count()

            def update(self, part):
                (fail if next(self.n) == calls else self.hash.update)(part)

            def digest(self):
                return self.hash.digest()

        monkeypatch.setattr(file, "_new_hash", Failing)
    else:
        module = {"digest": file}.get(step, os)
        monkeypatch.setattr(module, "_digest" if step == "digest" else step, fail)
    if step == "chmod" and not existed:
        COUNTS["names"].save(path)  # a new file has the mode that it was created with
        assert not failed
        return
    with pytest.raises(error):
        COUNTS["names"].save(path)
    monkeypatch.undo()
    assert failed == [step]
    assert list(path.parent.iterdir()) == [path] * existed
    if existed:
        assert path.read_bytes() == before
        assert ts.load(path) == COUNTS["float"]


def test_the_old_file_is_there_until_the_new_one_is_whole(path, monkeypatch):
    COUNTS["float"].save(path)
    fsync, seen = os.fsync, []
    monkeypatch.setattr(os, "fsync", lambda fd: (seen.append(ts.load(path)), fsync(fd))[1])
    COUNTS["exact"].save(path)
    assert seen == [COUNTS["float"]]
    assert ts.load(path) == COUNTS["exact"]


def test_folder_in_the_way(path):
    path.mkdir()
    with pytest.raises(OSError):  # noqa: PT011 (its kind depends on the system)
        COUNTS["exact"].save(path)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
class TestPermissions:
    @pytest.fixture(params=[0o022, 0o077, 0o002, 0o000], ids=oct)
    def umask(self, request):
        old = os.umask(request.param)
        yield request.param
        assert os.umask(old) == request.param

    def test_of_a_new_file(self, umask, path):
        COUNTS["exact"].save(path)
        assert path.stat().st_mode & 0o7777 == 0o666 & ~umask

    @pytest.mark.usefixtures("umask")
    @pytest.mark.parametrize("mode", [0o600, 0o640, 0o664], ids=oct)
    def test_of_an_old_file_are_kept(self, mode, path):
        path.write_bytes(b"old")
        path.chmod(mode)
        COUNTS["exact"].save(path)
        assert path.stat().st_mode & 0o7777 == mode

    @pytest.mark.parametrize("existed", [True, False], ids=["over a file", "dangling"])
    def test_a_link_stays_one(self, existed, path):
        target = path.parent / "folder" / "target"
        target.parent.mkdir()
        if existed:
            target.write_bytes(b"old")
        path.symlink_to(target)
        COUNTS["exact"].save(path)
        assert path.is_symlink()
        assert ts.load(target) == COUNTS["exact"]
        assert list(target.parent.iterdir()) == [target]

    def test_links_that_lead_back_are_told(self, path):
        path.symlink_to(path)
        with pytest.raises(OSError, match=re.escape(str(path))) as error:
            COUNTS["exact"].save(path)
        assert error.value.errno == errno.ELOOP
        assert list(path.parent.iterdir()) == [path]


# ---------------------------------------------------------------------------------- no pickle


def test_no_pickle(path, monkeypatch):
    def refuse(*args, **options):
        raise AssertionError("pickle was used")

    for name in ("dump", "dumps", "load", "loads", "Pickler", "Unpickler"):
        monkeypatch.setattr(pickle, name, refuse)
    for counts in COUNTS.values():
        counts.save(path)
        assert ts.load(path) == counts


class Bomb:
    def __reduce__(self):
        return pytest.fail, ("unpickled",)


# ------------------------------------------------------------------------------ damaged files


def small() -> ts.ClassCounts:
    return named(ts.count(np.array([[3, 1], [0, 2]]), ["a", "b"]), ["x", "yz"])


def refusal(path: Path) -> str:
    """Load what must be refused, and give the message without the folder: a single line."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (callers look at the message)
        ts.load(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message.removeprefix(f"{path}: ")


@pytest.mark.parametrize("flip", [*(1 << bit for bit in range(8)), 0xFF], ids=hex)
def test_every_flipped_byte_is_refused(flip, path):
    small().save(path)
    data = path.read_bytes()
    for place in range(len(data)):
        damaged = bytearray(data)
        damaged[place] ^= flip
        path.write_bytes(damaged)
        message = refusal(path)
        expected = (
            "not a file of saved counts" if place < 8
            else "the saved counts have format version " if place < 12
            else "the saved counts are " if place < 20
            else "the saved counts are damaged: their checksum does not match"
        )  # fmt: skip
        assert message.startswith(expected)


def test_every_truncation_is_refused(path):
    small().save(path)
    data = path.read_bytes()
    for size in range(len(data)):
        path.write_bytes(data[:size])
        kind = "the saved counts are truncated" if size >= 8 else "not a file of saved counts"
        assert refusal(path).startswith(kind)


@pytest.mark.parametrize("tail", [b"\0", b"\n", b"termsift", bytes(5000)], ids=len)
def test_appended_bytes_are_refused(tail, path):
    small().save(path)
    size = path.stat().st_size - HEADER_SIZE
    with path.open("ab") as file:
        file.write(tail)
    expected = f"the saved counts are damaged: {size + len(tail)} bytes, expected {size}"
    assert refusal(path) == expected


def test_swapped_arrays_are_refused(path):
    small().save(path)
    data = bytearray(path.read_bytes())
    data[-8:-4], data[-4:] = data[-4:], data[-8:-4]
    path.write_bytes(data)
    assert "checksum" in refusal(path)


def npz() -> bytes:
    file = io.BytesIO()
    np.savez(file, a=np.ones(3))
    return file.getvalue()


FOREIGN = {
    "empty": b"",
    "one byte": b"t",
    "text": b"label,text\nham,hello\n",
    "zeros": bytes(1000),
    "npz": npz(),
    "pickle": pickle.dumps([1, 2]),
    "pickled bomb": pickle.dumps(Bomb()),
    "JSON": b'{"classes": []}',
    "other case": b"TERMSIFT" + bytes(100),
}


@pytest.mark.parametrize("data", FOREIGN.values(), ids=FOREIGN)
def test_foreign_file(data, path):
    path.write_bytes(data)
    assert refusal(path) == "not a file of saved counts"


@pytest.mark.parametrize("version", [0, 2, 3, 2**32 - 1])
def test_other_version(version, path):
    small().save(path)
    data = path.read_bytes()
    path.write_bytes(data[:8] + version.to_bytes(4, "little") + data[12:])
    assert refusal(path) == (
        f"the saved counts have format version {version}, expected 1; count again with this "
        "version of termsift"
    )


@pytest.mark.parametrize("length", [0, 1, 2**60, 2**64 - 1])
def test_claimed_length(length, path):
    small().save(path)
    data = path.read_bytes()
    path.write_bytes(data[:12] + length.to_bytes(8, "little") + data[20:])
    assert f" bytes, expected {length}" in refusal(path)


# ------------------------------------------------------ wrong contents under a right checksum


def sealed(path: Path, payload: bytes, version: int = 1) -> Path:
    """Write a payload with the length and checksum that belong to it."""
    payload_hash = file._new_hash()
    payload_hash.update(payload)
    digest = file._digest(payload_hash, version, len(payload))
    head = file._HEADER.pack(file.MAGIC, version, len(payload), digest)
    path.write_bytes(head + payload)
    return path


ARRAYS = {
    "class_docs": np.array([1, 1]),
    "indptr": np.array([0, 2, 3]),
    "terms": np.array([0, 1, 1], np.int32),
    "term_frequency": np.array([3, 1, 2]),
    "document_frequency": np.array([1, 1, 1]),
}
FREQUENCIES = ("term_frequency", "document_frequency")
NARROW_ARRAYS = ARRAYS | {name: ARRAYS[name].astype(np.uint32) for name in FREQUENCIES}
FLOAT_ARRAYS = {
    name: a if name in ("indptr", "terms") else a.astype(float) for name, a in ARRAYS.items()
}


def names(lengths: Any, text: bytes) -> dict[str, Any]:
    return {"name_lengths": np.array(lengths), "names": np.frombuffer(text, np.uint8)}


def payload(arrays: Any = ARRAYS, tail: bytes = b"", without: str = "", **header: Any) -> bytes:
    """Return a forged file: by default the counts of `small`, without the names."""
    held = {name: np.asarray(array) for name, array in arrays.items()}
    head = {
        "classes": ["a", "b"],
        "n_terms": 2,
        "n_docs": 2,
        "has_collection": False,
        "arrays": [[name, a.dtype.str, a.size] for name, a in held.items()],
    }
    if "listed" in header:
        header["arrays"] = header.pop("listed")
    assert header.keys() <= head.keys()
    head |= header
    head.pop(without, None)
    return json.dumps(head).encode() + b"\n" + b"".join(a.tobytes() for a in held.values()) + tail


def test_the_forger_knows_the_format(path):
    small().save(path)
    saved = path.read_bytes()
    sealed(path, payload(NARROW_ARRAYS | names([1, 2], b"xyz")))
    assert path.read_bytes() == saved
    sealed(path, payload(ARRAYS | names([1, 2], b"xyz")))
    assert ts.load(path) == small()
    sealed(path, payload(FLOAT_ARRAYS, n_docs=2.0))
    assert ts.load(path).class_docs.dtype == float


@pytest.mark.parametrize("large", [1, 2**32 - 1, 2**32, 2**62])
def test_frequencies_take_four_bytes_where_they_fit(path: Path, large: int) -> None:
    counts = ts.count(np.array([[1] * 1000, [large] + [1] * 999]), ["a", "b"])
    counts.save(path)
    assert ts.load(path) == counts
    n_bytes = 12 if large < 2**32 else 20
    assert 2000 * n_bytes < path.stat().st_size < 2000 * n_bytes + 600


@pytest.mark.parametrize(
    "arrays",
    [
        {"term_frequency": np.array([3, 0, 2], np.uint32)},
        {"document_frequency": np.array([1, 1, 7], np.uint32)},
        {"term_frequency": np.array([3, 1, 2])},
        {"document_frequency": np.array([1, 1, 1])},
        {"class_docs": np.array([1.0, 1.0])},
    ],
    ids=["nothing", "more documents", "one wide", "the other wide", "floats"],
)
def test_narrow_frequencies_that_are_wrong(path: Path, arrays: Any) -> None:
    sealed(path, payload(NARROW_ARRAYS | arrays))
    with pytest.raises(ValueError, match="the saved counts are damaged"):
        ts.load(path)


def listing(name: Any = "terms", dtype: Any = "<i4", n: Any = 3) -> Any:
    """Return a list of arrays with other facts about the terms."""
    good = [[key, a.dtype.str, a.size] for key, a in ARRAYS.items()]
    return [[name, dtype, n] if row[0] == "terms" else row for row in good]


BYTES = sum(a.nbytes for a in ARRAYS.values())
LISTED = [["x", "|u1", BYTES]]
HEADERS = {
    "classes": [
        *(None, 2, "ab", {"a": 1, "b": 2}, [], ["a"], ["a", "b", "c"], ["a", "a"]),
        *([["a"], "b"], [3, "b"], [1.5, "b"], [{}, "b"], [{"int": "1", "str": "b"}, "b"]),
        *([{"int": "x"}, "b"], [{"int": [1]}, "b"], [{"int": None}, "b"], [{"int": 1}, "b"]),
        *([{"int": "1" * 5000 + "x"}, "b"], [{"float": "x"}, "b"], [{"float": 1}, "b"]),
        *([{"float": "nan"}, "b"], [{"float": "0x1p9999"}, "b"], [{"bytes": "0g"}, "b"]),
        *([{"bytes": 3}, "b"], [{"tuple": 3}, "b"], [{"tuple": [[]]}, "b"]),
        *([{"object": "os.system"}, "b"], [{"x\ny": 1}, "b"], [{"int": "1"}, True]),
        [{"int": "1"}, {"float": "0x1p+0"}],
    ],
    "n_terms": [-1, 0, 1, 2**31, 2**63, 2**200, 2.0, 2.5, "2", None, [2], True, math.nan],
    "n_docs": [
        *(-1, 0, 2.0, 2.5, 2**63, -(2**200), math.nan, math.inf, -math.inf),
        *("x\ny", None, [2], True),
    ],
    "has_collection": [True, 1, 0, "no", None, []],
    "arrays": [
        *(None, 3, "abc", {}, [], [[]], ["abc"], [None], [["terms", "<i4"]], LISTED),
        *(listing()[:-1], [*listing(), *listing()], listing("indptr"), listing("other")),
        *(listing(name) for name in (None, 3, [], {}, "x\ny")),
        *(listing(n=n) for n in (0, 2, 4, -1, -3, 3.0, "3", None, [3], True, math.nan)),
        *(listing(n=n) for n in (2**40, 2**60, 2**62, 2**200)),
        *(listing(dtype=d) for d in ("<f4", ">i4", "|O", "<U1", "V4", "os.system", "i4,i4", "")),
        *(listing(dtype=d) for d in (3, None, [], [["a", "<i4"]], {"a": ["<i4", 0]})),
        *(listing(dtype=d, n=2**60) for d in ("V0", "<U0", "|S0")),
    ],
}
RAW = {
    "nothing": b"",
    "no JSON": b"{'classes': []}\n",
    "no UTF-8": b'{"classes": ["\xff"]}\n',
    "deep": b"[" * 100_000,
    "deep label": payload().replace(b'"a"', b'{"tuple": [' * 50_000 + b"1" + b"]}" * 50_000),
    "long number": payload().replace(b'"n_terms": 2', b'"n_terms": ' + b"2" * 5_000),
    "deep dtype": payload().replace(b'"<i4"', b"[" * 900 + b"]" * 900),
    **{f"only {value!r}": json.dumps(value).encode() for value in ([], [1, 2], 3, None, "x", True)},
    **{
        f"without {key}": payload(without=key)
        for key in ("classes", "n_terms", "n_docs", "has_collection", "arrays")
    },
    **{f"{len(tail)} more": payload(tail=tail) for tail in (b"\0", bytes(8), bytes(10_000))},
    "one byte less": payload()[:-1],
    **{
        f"{key} {i} {str(value)[-60:]!r}": payload(**{"listed" if key == "arrays" else key: value})
        for key, values in HEADERS.items()
        for i, value in enumerate(values)
    },
}  # fmt: skip


def i4(*values: int) -> Any:
    return np.array(values, np.int32)


WRONG = {
    "class_docs": [
        *([1], [1, 1, 1], [], [-1, 1], [-(2**63), 1], [0, 1], [3, 1]),
        *([1.0, 1.0], i4(1, 1), np.array([1, 1], np.uint8)),
    ],
    "indptr": [
        *([1, 2, 3], [0, 2, 2], [0, 4, 3], [0, -1, 3], [0, 2, 4], [0, 2**60, 3], [2**60, 2, 3]),
        *([0, 2**63 - 1, 3], [0, -(2**63), 3], [0, 3], [0, 2, 3, 3], []),
        *(i4(0, 2, 3), [0.0, 2.0, 3.0]),
    ],
    "terms": [
        *(i4(1, 0, 1), i4(0, 0, 1), i4(1, 1, 1), i4(0, 2, 1), i4(-1, 1, 1), i4(0, 1, 2**31 - 1)),
        *(i4(0, 1), i4(0, 1, -(2**31)), i4(0, 1, 1, 1), [0, 1, 1]),
        *(np.array([0, 1, 1], np.uint32), np.array([0, 1, 1], np.float32)),
    ],
    "term_frequency": [
        *([3, 0, 2], [3, -1, 2], [3, -(2**63), 2], [2**63 - 1, 1, 2], [3, 1], [3, 1, 2, 4]),
        *(i4(3, 1, 2), [3.0, 1.0, 2.0], np.array([3, 1, 2], np.uint64), ["3", "1", "2"]),
    ],
    "document_frequency": [
        *([1, 0, 1], [1, -1, 1], [1, 2, 1], [2, 1, 1], [1, 1], [1, 1, 1, 1], [1.0, 1.0, 1.0]),
        *(np.zeros(3, "i8,i8"), np.zeros(3, "M8[D]")),
    ],
}
NAMES = {
    "too few": names([3], b"xyz"),
    "too many": names([1, 1, 1], b"xyz"),
    "none": names(np.array([], "i8"), b""),
    "text too short": names([1, 2], b"xy"),
    "text too long": names([1, 2], b"wxyz"),
    "negative length": names([4, -1], b"wxy"),
    "huge length": names([2**63 - 1, 2**63 - 1], b"xyz"),
    "lengths that wrap": names([2**63 - 1, -(2**63) + 4], b"xyz"),
    "lengths of floats": names([1.0, 2.0], b"xyz"),
    "no UTF-8": names([1, 2], b"x\xff\xfe"),
    "split character": names([1, 1], "é".encode()),
    "no text": {"name_lengths": np.array([1, 2])},
    "no lengths": {"names": np.frombuffer(b"xyz", np.uint8)},
    "text of integers": {"name_lengths": np.array([1, 0]), "names": np.array([120])},
}
FORGED = {
    **RAW,
    **{
        f"{key} {i} {np.asarray(value).tolist()}": payload(ARRAYS | {key: value})
        for key, values in WRONG.items()
        for i, value in enumerate(values)
    },
    **{f"names: {id}": payload(ARRAYS | added) for id, added in NAMES.items()},
    "a frequency above its class's": payload(
        ARRAYS | {"class_docs": [2, 1], "document_frequency": [3, 1, 1]}, n_docs=3
    ),
    "fewer documents than in a class": payload(ARRAYS | {"class_docs": [2, 1]}, n_docs=1),
    "float, fewer documents than in a class": payload(FLOAT_ARRAYS, n_docs=0.5),
    "float, but n_docs": payload(FLOAT_ARRAYS, n_docs=2),
    **{
        f"float {key} {value}": payload(
            FLOAT_ARRAYS | {key: [value, *FLOAT_ARRAYS[key][1:]]}, n_docs=2.0
        )
        for key in ("class_docs", "term_frequency", "document_frequency")
        for value in (-1.0, math.nan, math.inf, -math.inf)
    },
    **{
        f"float n_docs {value}": payload(FLOAT_ARRAYS, n_docs=value)
        for value in (-1.0, math.nan, math.inf, -math.inf)
    },
}


@pytest.mark.parametrize("forgery", FORGED.values(), ids=FORGED)
def test_forged(forgery, path):
    assert refusal(sealed(path, forgery)).startswith("the saved counts are damaged: ")


def test_forged_sizes_allocate_nothing(path):
    sealed(path, payload(listed=listing(dtype="V100000000", n="ab")))
    tracemalloc.start()
    refusal(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10_000_000


def hunt(folder: Path) -> None:
    """Change every byte of payloads under a right checksum: refused, or counts that work."""
    os.fsync = lambda _: None  # thousands of saves: the disk is no part of this
    path = folder / "c.termsift"
    for counts in (small(), COUNTS["unlabelled documents"], COUNTS["float"]):
        counts.save(path)
        held = path.read_bytes()[HEADER_SIZE:]
        for place, flip in itertools.product(range(len(held)), (0x01, 0x10, 0x80, 0xFF)):
            changed = bytearray(held)
            changed[place] ^= flip
            sealed(path, bytes(changed))
            try:
                loaded = ts.load(path)
                if loaded.n_terms > 1000:
                    continue
                for use in (
                    loaded.score,
                    loaded.class_scores,
                    loaded.rank,
                    lambda: loaded.update(np.eye(3, dtype=int), ["a", "b", "c"]),  # noqa: B023
                    lambda: loaded + loaded,  # noqa: B023
                    lambda: loaded - loaded,  # noqa: B023
                    lambda: loaded.save(folder / "again"),  # noqa: B023
                ):
                    try:
                        result = use()
                    except ValueError:
                        continue
                    assert not isinstance(result, np.ndarray) or not np.isnan(result).any()
            except ValueError:
                continue
            except BaseException as error:
                raise AssertionError((place, flip, bytes(changed))) from error


def test_no_forged_byte_crashes(tmp_path):
    run = subprocess.run(
        [sys.executable, "-X", "faulthandler", Path(__file__).resolve(), tmp_path],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert run.returncode == 0, run.stderr


if __name__ == "__main__":
    hunt(Path(sys.argv[1]))
