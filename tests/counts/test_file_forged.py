"""Damaged and forged files of counts are refused, and do no harm."""

from __future__ import annotations

import io
import json
import math
import os
import pickle
import re
from hashlib import file_digest
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import termsift as ts
from counts_files import ARRAYS, Bomb, payload, refusal, sealed, small


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "c.termsift"


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
            else "the saved counts are damaged or truncated: their checksum does not match"
        )  # fmt: skip
        assert message.startswith(expected)


def test_every_truncation_is_refused(path):
    small().save(path)
    data = path.read_bytes()
    for size in range(len(data)):
        path.write_bytes(data[:size])
        message = refusal(path)
        assert ("truncated" if size >= 8 else "not a file of saved counts") in message


@pytest.mark.parametrize("tail", [b"\0", b"\n", b"termsift", bytes(5000)], ids=len)
def test_appended_bytes_are_refused(tail, path):
    small().save(path)
    with path.open("ab") as file:
        file.write(tail)
    assert "checksum does not match" in refusal(path)


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


@pytest.mark.parametrize("version", [0, 2])
def test_another_version(version, path):
    sealed(path, payload(), version)
    message = f"the saved counts have format version {version}, expected 1; count again with"
    assert refusal(path).startswith(message)


FREQUENCIES = ("term_frequency", "document_frequency")
NARROW_ARRAYS = ARRAYS | {name: ARRAYS[name].astype(np.uint32) for name in FREQUENCIES}
FLOAT_ARRAYS = {
    name: a if name in ("indptr", "terms") else a.astype(float) for name, a in ARRAYS.items()
}


def test_the_forger_knows_the_format(path):
    small().save(path)
    saved = path.read_bytes()
    sealed(path, payload(NARROW_ARRAYS, names=["x", "yz"]))
    assert path.read_bytes() == saved
    sealed(path, payload(names=["x", "yz"]))
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


def described(name: Any = "terms", dtype: Any = "<i4", n: Any = 3) -> Any:
    """Return the header's description of the arrays, with another entry for the terms."""
    good = [[key, a.dtype.str, a.size] for key, a in ARRAYS.items()]
    return [[name, dtype, n] if row[0] == "terms" else row for row in good]


HEADERS = {
    "classes": [
        *(None, 2, [], ["a"], ["a", "b", "c"], ["a", "a"], ["a", None]),
        *([["a"], "b"], [3, "b"], [{}, "b"], [{"int": "1", "str": "b"}, "b"], [{"int": "x"}, "b"]),
        *([{"float": "nan"}, "b"], [{"bytes": "0g"}, "b"], [{"tuple": [[]]}, "b"]),
        *([{"object": "os.system"}, "b"], [{"int": "1"}, {"float": "0x1p+0"}]),
    ],
    "n_terms": [-1, 0, 1, 2**31, 2**200, 2.0, "2", None, True, math.nan],
    "n_docs": [-1, 0, 1, 3, 100, 2.0, 2**63, math.nan, math.inf, True, "x\ny", None, [2]],
    "has_collection": [True, 0, 1, "no", None],
    "arrays": [
        *(None, 3, "abc", {}, [], [[]], ["abc"], [["terms", "<i4"]]),
        *(described()[:-1], [*described(), *described()], described("indptr"), described("other")),
        *(described(name) for name in (None, [], "x\ny", "\ud800", "self", "n_docs")),
        *(described(n=n) for n in (0, 2, 4, -1, 3.0, "3", None, True, math.nan, 2**40, 2**200)),
        *(described(dtype=d) for d in ("<f4", ">i4", "|O", "<U1", "os.system", "i4,i4", "", 3)),
        described(dtype="V0", n=2**60),
    ],
}
RAW = {
    "nothing": b"",
    "no JSON": b"{'classes': []}\n",
    "no UTF-8": b'{"classes": ["\xff"]}\n',
    "deep": b"[" * 100_000,
    "deep label": payload().replace(b'"a"', b'{"tuple": [' * 50_000 + b"1" + b"]}" * 50_000),
    "long number": payload().replace(b'"n_terms": 2', b'"n_terms": ' + b"2" * 5_000),
    **{f"only {value!r}": json.dumps(value).encode() for value in ([1, 2], None, "x")},
    **{
        f"without {key}": payload(without=key)
        for key in ("classes", "n_terms", "n_docs", "has_collection", "arrays")
    },
    "one byte more": payload(tail=b"\0"),
    "one byte less": payload()[:-1],
    **{
        f"{key} {i} {str(value)[-60:]!r}": payload(**{"listed" if key == "arrays" else key: value})
        for key, values in HEADERS.items()
        for i, value in enumerate(values)
    },
}


def i4(*values: int) -> Any:
    return np.array(values, np.int32)


WRONG = {
    "class_docs": [[1], [1, 1, 1], [], [-1, 1], [0, 1], [3, 1], [1.0, 1.0], i4(1, 1)],
    "indptr": [
        *([1, 2, 3], [0, 2, 2], [0, 4, 3], [0, -1, 3], [0, 2, 4], [0, 2**60, 3], [2**60, 2, 3]),
        *([0, 3], [0, 2, 3, 3], [], i4(0, 2, 3), [0.0, 2.0, 3.0]),
    ],
    "terms": [
        *(i4(1, 0, 1), i4(0, 0, 1), i4(0, 2, 1), i4(-1, 1, 1), i4(0, 1, 2**31 - 1)),
        *(i4(0, 1), i4(0, 1, 1, 1), [0, 1, 1], np.array([0, 1, 1], np.float32)),
    ],
    "term_frequency": [
        *([3, 0, 2], [3, -1, 2], [2**63 - 1, 1, 2], [3, 1], [3, 1, 2, 4], i4(3, 1, 2)),
        *([3.0, 1.0, 2.0], ["3", "1", "2"]),
    ],
    "document_frequency": [
        *([1, 0, 1], [1, -1, 1], [1, 2, 1], [2, 1, 1], [1, 1], [1.0, 1.0, 1.0]),
        np.zeros(3, "M8[D]"),
    ],
}
NAMES: list[Any] = [["xyz"], [], ["x", "y", "z"], ["x", 2], ["x", None], "xy", {"x": 1, "y": 2}, 2]
FORGED = {
    **RAW,
    **{
        f"{key} {i} {np.asarray(value).tolist()}": payload(ARRAYS | {key: value})
        for key, values in WRONG.items()
        for i, value in enumerate(values)
    },
    **{f"names {names}": payload(names=names) for names in NAMES},
    "a frequency above its class's": payload(
        ARRAYS | {"class_docs": [2, 1], "document_frequency": [3, 1, 1]}, n_docs=3
    ),
    "fewer documents than in a class": payload(ARRAYS | {"class_docs": [2, 1]}, n_docs=1),
    "float, fewer documents than in a class": payload(FLOAT_ARRAYS, n_docs=0.5),
    **{
        f"float {key} {value}": payload(
            FLOAT_ARRAYS | {key: [value, *FLOAT_ARRAYS[key][1:]]}, n_docs=2.0
        )
        for key in ("class_docs", "term_frequency", "document_frequency")
        for value in (-1.0, math.nan, math.inf)
    },
    **{
        f"float n_docs {x}": payload(FLOAT_ARRAYS, n_docs=x)
        for x in (-1.0, math.nan, math.inf, 0.0, 1.5, 1.99999, 2.00001, 100.0, True, "2")
    },
    "float, a term in more documents than there are": payload(
        FLOAT_ARRAYS | {"document_frequency": [1.0, 1e308, 1.0]}, n_docs=2.0
    ),
    "tf of exact counts": payload(tf="log"),
    **{f"tf {tf}": payload(FLOAT_ARRAYS, n_docs=2.0, tf=tf) for tf in ("\ud800", "RAW", 1, None)},
    **{
        f"rules {rules}": payload(rules=rules)
        for rules in (3, [], "lowercase", {"\ud800": 1}, {"lowercase": 1}, {"tokenizer": "print"})
    },
    **{
        f"part {part}": payload(part=part)
        for part in (
            *(3, [], [2, [0]], [2, [0], False], [2, [2], False, None], [0, [], False, None]),
            *([2, [0], 0, None], [2, [0], True, -1], [2, [0], True, 2**63], [2, [0], True, 1.0]),
            *([2, [0], True, True], [2, [0], False, 1], [2, "0", True, 1], [2, [0, 0], True, 1]),
        )
    },
    **{
        f"narrow {name}": payload(NARROW_ARRAYS | {name: array})
        for name, array in {
            "term_frequency": np.array([3, 0, 2], np.uint32),
            "document_frequency": np.array([1, 1, 7], np.uint32),
            "class_docs": np.array([1.0, 1.0]),
        }.items()
    },
    "one wide": payload(NARROW_ARRAYS | {"term_frequency": np.array([3, 1, 2])}),
}


# Counts with a row of the collection: document 0 has both classes, and document 1 has none.
WHOLE = {
    "class_docs": np.array([1, 1, 2]),
    "indptr": np.array([0, 1, 2, 4]),
    "terms": np.array([0, 0, 0, 1], np.int32),
    "term_frequency": np.array([3, 3, 3, 5]),
    "document_frequency": np.array([1, 1, 1, 1]),
}


def whole(n_docs: Any = 2, **arrays: Any) -> bytes:
    return payload(WHOLE | arrays, n_docs=n_docs, has_collection=True)


FORGED |= {
    **{f"{n} documents in all": whole(n_docs=n) for n in (0, 1, 3, 2**62)},
    **{f"{docs} documents": whole(class_docs=docs) for docs in ([3, 1, 2], [1, 1, 1], [1, 1, 3])},
    "a larger count than in the collection": whole(term_frequency=[4, 3, 3, 5]),
    "more documents of a term than in the collection": whole(
        class_docs=[2, 1, 2], document_frequency=[2, 1, 1, 1]
    ),
    "a term that the collection lacks": whole(terms=np.array([0, 0, 1, 2], np.int32), n_terms=3),
    "more unlisted tokens than the collection": whole(unlisted_tokens=[1, 0, 0]),
}


def test_the_forger_knows_the_row_of_the_collection(path):
    labels = np.array([[1, 1], [0, 0]])
    counts = ts.count(np.array([[3, 0], [0, 5]]), labels, classes=["a", "b"])
    assert ts.load(sealed(path, whole())) == counts


ONE = {
    "class_docs": [1],
    "indptr": [0, 1],
    "terms": np.zeros(1, np.int32),
    "term_frequency": [1],
    "document_frequency": [1],
}


def test_true_is_no_number(path):
    # In Python, True equals 1. Therefore every number of this file is 1.
    good = payload(ONE, classes=["a"], n_terms=1, n_docs=1)
    assert ts.load(sealed(path, good)) == ts.count(np.array([[1]]), ["a"])
    places = [match.start() for match in re.finditer(rb"\b1\b", good.partition(b"\n")[0])]
    assert len(places) == 6  # n_terms, n_docs and the lengths of four arrays
    for place in places:
        forged = good[:place] + b"true" + good[place + 1 :]
        assert refusal(sealed(path, forged)).startswith("the saved counts are damaged: ")


@pytest.mark.parametrize("forgery", FORGED.values(), ids=FORGED)
def test_forged(forgery, path):
    assert refusal(sealed(path, forgery)).startswith("the saved counts are damaged: ")


def test_every_kind_of_forgery_is_refused_in_the_quick_tier_too(path):
    for names in NAMES:
        assert refusal(sealed(path, payload(names=names))).startswith("the saved counts are d")
    for n_docs in HEADERS["n_docs"]:
        assert refusal(sealed(path, payload(n_docs=n_docs))).startswith("the saved counts are d")
    for name in ("\ud800", "self", "n_docs"):  # the first of them once ended the process
        forgery = payload(listed=described(name))
        assert refusal(sealed(path, forgery)).startswith("the saved counts are damaged: an array")


def test_forged_state_of_a_pickle_or_of_skops_does_not_end_the_process():
    state = small().__getstate__()
    with pytest.raises((KeyError, TypeError, ValueError)):
        object.__new__(ts.ClassCounts).__setstate__({**state, "counts": {"\ud800": 1}})
    classifier = small().naive_bayes().__getstate__()
    with pytest.raises((KeyError, TypeError, ValueError)):
        object.__new__(ts.NaiveBayes).__setstate__({**classifier, "_counts": {"\ud800": 1}})


@pytest.mark.parametrize("large", [1e5, 1e17, 1e300])
def test_counts_with_fractional_weights_stay_loadable_after_a_difference(large):
    """The number of documents was rounded below the number of a class, and loading refused it."""
    X, y, weights = np.ones((3, 1), int), ["a", "a", "b"], [large / 3, large, 1e-8]
    counts = ts.count(X, y, weights)
    rest = counts - ts.count(X[:2], y[:2], weights[:2])
    assert ts.load(rest.to_bytes()) == rest
    assert ts.load((counts + rest).to_bytes()) == counts + rest
    assert rest.n_docs == pytest.approx(rest.class_docs.sum())


def test_a_file_that_changes_after_its_check_is_refused(path, monkeypatch):
    ts.count(np.ones((2, 100_000), int), ["a", "b"]).save(path)

    def shrinking(*args):
        digest = file_digest(*args)
        os.truncate(path, 100_000)
        return digest

    monkeypatch.setattr("hashlib.file_digest", shrinking)
    assert refusal(path) == "the saved counts are damaged: an array is truncated"
