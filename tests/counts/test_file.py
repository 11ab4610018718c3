"""Files of counts: loading returns the saved counts, and refuses any other file."""

from __future__ import annotations

import datetime
import enum
import math
import mmap
import os
import pickle
from collections import namedtuple
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import termsift as ts
from counts_files import COUNTS
from private import core_of, counts_format
from wording import raises


def bits(counts: ts.ClassCounts) -> Any:
    arrays = {
        name: (value.dtype.str, value.tobytes()) if isinstance(value, np.ndarray) else repr(value)
        for name, value in core_of(counts).to_arrays().items()
    }
    names = counts.term_names
    return arrays, core_of(counts).exact, counts.classes, None if names is None else names.tolist()


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
    # Saving again writes the same bytes, because a file depends only on the counts.
    again = path.with_name("again")
    loaded.save(again)
    assert again.read_bytes() == path.read_bytes()


LABELS = {
    "bool": [False, True],
    "int": [-(2**200), -1, 0, 2**63],
    "a very long int": [10**5000],
    "float": [-math.inf, -0.1, 5e-324, 0.1, 1.7976931348623157e308, math.inf],
    "negative zero": [-0.0],
    "str": ["", " ", "\n", "1", "None", "é", "日本語", "\0", "\ud800", "\U0001f600", '"\\'],
    "bytes": [b"", b"\x00", b"\xff\n"],
    "tuples": [(), (1,), (1, "a"), ((), (b"", (2, 1.5)))],
    "mixed": [True, "1", 2, 1.5, b"1", (1,), ("1",), (True, "x")],
    "numpy": [np.int8(3), np.str_("x"), np.float32(0.5), np.bytes_(b"y")],
}


def typed(label: Any) -> Any:
    """Return a label in a form that distinguishes True, 1 and 1.0, and also 0.0 and -0.0."""
    if isinstance(label, tuple):
        return tuple(map(typed, label))
    return type(label), math.copysign(1, label) if label == 0 else label


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_labels(labels, path):
    X = np.ones((len(labels), 1), int)
    counts = ts.count(X, labels)
    counts.save(path)
    loaded = ts.load(path)
    assert loaded == counts
    if labels is not LABELS["numpy"]:
        assert list(map(typed, loaded.classes)) == list(map(typed, counts.classes))


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
    with raises(TypeError, "cannot_save_the_class") as caught:
        ts.count(np.ones((1, 1), int), [label]).save(path)
    inner = label[1][0] if label == (1, (frozenset(), "x")) else label
    assert repr(inner) in str(caught.value)
    assert list(path.parent.iterdir()) == [path] * existed
    assert not existed or path.read_bytes() == b"old"


@pytest.mark.parametrize("error", [OSError, MemoryError, KeyboardInterrupt])
@pytest.mark.parametrize("existed", [True, False], ids=["over a file", "new"])
@pytest.mark.parametrize("step", ["digest", "chmod", "fsync", "replace"])
def test_failure_leaves_what_was_there(step, existed, error, path, monkeypatch):
    if existed:
        COUNTS["float"].save(path)
        before = path.read_bytes()
        path.chmod(0o600)  # saving must keep this mode of the old file
    failed = []

    def fail(*args, **options):
        failed.append(step)
        raise error

    monkeypatch.setattr(*((counts_format, "_new_hash") if step == "digest" else (os, step)), fail)
    if step == "chmod" and not existed:
        COUNTS["names"].save(path)  # without an old file, chmod is not called
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


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
class TestPermissions:
    @pytest.fixture(params=[0o022, 0o077], ids=oct)
    def umask(self, request):
        old = os.umask(request.param)
        yield request.param
        assert os.umask(old) == request.param

    def test_of_a_new_file(self, umask, path):
        COUNTS["exact"].save(path)
        assert path.stat().st_mode & 0o7777 == 0o666 & ~umask

    @pytest.mark.usefixtures("umask")
    @pytest.mark.parametrize("mode", [0o600, 0o664], ids=oct)
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


# ---------------------------------------------------------------------------------- no pickle


def test_no_pickle(path, monkeypatch):
    def refuse(*args, **options):
        raise AssertionError("pickle was used")

    for name in ("dump", "dumps", "load", "loads", "Pickler", "Unpickler"):
        monkeypatch.setattr(pickle, name, refuse)
    for counts in COUNTS.values():
        counts.save(path)
        assert ts.load(path) == counts


def test_bytes_are_those_of_the_file(tmp_path: Path) -> None:
    counts = ts.count(np.array([[2, 1], [0, 3]]), ["ham", ("a", 1)], term_names=["egg", "tea"])
    counts.save(tmp_path / "c.termsift")
    data = counts.to_bytes()
    assert data == (tmp_path / "c.termsift").read_bytes()
    buffers = [data, bytearray(data), memoryview(data), np.frombuffer(data, np.uint8)]
    buffers += [memoryview(np.repeat(np.frombuffer(data, np.uint8), 2))[::2]]  # not contiguous
    assert all(ts.load(buffer) == counts for buffer in buffers)
    with (
        open(tmp_path / "c.termsift", "rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
    ):
        assert ts.load(mapped) == counts
    for other in (3, None, [1, 2], 1.5):
        with raises(TypeError, "source_must_be_a_path", argument="source"):
            ts.load(other)
    with raises(ValueError, "wrong_checksum"):
        ts.load(data[:-1])


def test_counts_keep_the_encoding_of_their_files(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("text,label\ncafé thé,a\nthé,b\n".encode("latin-1"))
    latin = ts.count(ts.scan(path, encoding="latin-1"))
    alias = ts.count(ts.scan(path, encoding="ISO_8859-1"))
    other = ts.count(ts.scan(path, encoding="cp1252"))
    path.write_text("text,label\nthé,a\nthé,b\n", "utf-8")
    utf8 = ts.count(ts.scan(path, encoding="UTF8"))
    listed = ts.counts_from_table({"a": {"thé": 1}})
    assert utf8.encoding is None
    for counts in (latin, alias, latin + alias, ts.merge([latin, listed]), latin.subset(["a"])):
        assert counts.encoding == "iso8859-1"
    for counts in (
        ts.load(latin.to_bytes()),
        pickle.loads(pickle.dumps(latin)),
        ts.merge([listed, latin]),
    ):
        assert counts.encoding == "iso8859-1"
    for counts in (latin + other, ts.merge([utf8, latin])):
        assert counts.encoding is None
