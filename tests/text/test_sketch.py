"""A sketch leaves out rare terms, and does not change the counts of any other term."""

from __future__ import annotations

import itertools
import os
import pickle
import re
import sys
from collections import Counter
from pathlib import Path
from subprocess import PIPE
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import termsift as ts
from private import put, sealed
from signals import LIMIT, start_hearing
from wording import raises

pytestmark = pytest.mark.filterwarnings("ignore:.* texts are empty")

WORDS = [f"w{i}" for i in range(40)] + ["a_word_of_more_than_sixteen_bytes", "naïve", "的话", "x\0"]
RULES: list[dict[str, Any]] = [
    {},
    {"ngram_range": (2, 3)},
    {"ngram_range": (1, 2)},
    {"ngram_range": (1, 3), "stop_words": ["w0", "w1", "naïve"]},
    {"analyzer": "char", "ngram_range": (2, 4)},
    {"analyzer": "char_wb", "ngram_range": (3, 3), "strip_accents": "unicode"},
    {"binary": True, "lowercase": False},
]


def collection(seed: int, n_docs: int = 300) -> tuple[list[str], list[str]]:
    random = np.random.default_rng(seed)
    share = 1 / np.arange(1, len(WORDS) + 1)
    lengths = random.integers(0, 30, n_docs)
    texts = [" ".join(random.choice(WORDS, n, p=share / share.sum())) for n in lengths]
    return texts, random.choice(["ham", "news", "spam"], n_docs).tolist()


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("n_bytes", [2000, 2**16])
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_counts_of_frequent_terms_are_those_of_all(
    rules: dict[str, Any], n_bytes: int, n_threads: int
) -> None:
    texts, y = collection(0)
    sketch = ts.sketch_texts(texts, min_df=60, n_bytes=n_bytes, n_threads=n_threads, **rules)
    counts = ts.count_texts(texts, y, sketch=sketch, n_threads=n_threads)
    everything = ts.count_texts(texts, y, **rules)
    assert 0 < counts.n_terms < everything.n_terms
    assert counts.with_min_df(60) == everything.with_min_df(60)


def test_terms_are_left_out_and_none_of_the_frequent_ones() -> None:
    texts, y = collection(1)
    rules = {"ngram_range": (1, 3)}
    everything = ts.count_texts(texts, y, **rules)
    sketch = ts.sketch_texts(texts, min_df=5, n_bytes=2**20, **rules)
    counts = ts.count_texts(texts, y, sketch=sketch)
    # A sketch of 2^20 counters hardly keeps rare terms, because few terms share a counter.
    assert counts.n_terms < 1.01 * everything.with_min_df(5).n_terms < everything.n_terms
    assert set(counts.term_names) >= set(everything.with_min_df(5).term_names)


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=12), min_size=1, max_size=30), st.data())
def test_a_sketch_of_parts_is_that_of_the_whole(documents: list[list[str]], data: Any) -> None:
    texts = [" ".join(words) for words in documents]
    cut = data.draw(st.integers(0, len(texts)))
    options = {"min_df": 2, "n_bytes": 64, "ngram_range": (1, 2)}
    whole = ts.sketch_texts(texts, **options).to_bytes()
    first, second = (ts.sketch_texts(part, **options) for part in (texts[:cut], texts[cut:]))
    assert (first + second).to_bytes() == (second + first).to_bytes() == whole
    assert first.update(texts[cut:], n_threads=2).to_bytes() == whole
    assert ts.TermSketch.from_bytes(whole).to_bytes() == whole
    assert pickle.loads(pickle.dumps(second)).to_bytes() == second.to_bytes()


def test_counters_bound_document_frequencies_and_stop_at_255() -> None:
    texts = ["common rare"] + ["common other"] * 300
    sketch = ts.sketch_texts(texts, n_bytes=2**20)
    # A document counts once for a term, however often the term occurs in the document.
    assert Counter(sketch._sketch.counters.tolist())[255] == 2
    assert ts.sketch_texts(["twice twice"], n_bytes=2**20)._sketch.counters.sum() == 1
    assert (sketch + sketch)._sketch.counters.max() == 255


@pytest.mark.parametrize("pieces", [1, 7])
def test_a_long_document_counts_once(pieces: int) -> None:
    # The core splits a document of more than 64 KiB into pieces.
    text = " ".join(" ".join(WORDS) for _ in range(3000))
    sketch = ts.sketch_texts([text] * pieces, min_df=2, n_bytes=2**20, ngram_range=(1, 2))
    assert sketch._sketch.counters.max() == pieces


def test_merged_parts_equal_the_whole() -> None:
    texts, y = collection(2, 400)
    sketch = ts.sketch_texts(texts, min_df=30, n_bytes=500, ngram_range=(1, 2))
    parts = [
        ts.count_texts(texts[part], y[part], sketch=sketch)
        for part in itertools.starmap(slice, [(0, 100), (100, 101), (101, 400)])
    ]
    expected = ts.count_texts(texts, y, ngram_range=(1, 2)).with_min_df(30)
    merged = ts.merge(parts).with_min_df(30)
    assert merged == expected


def test_threads_that_share_their_terms_give_the_same_counts() -> None:
    random = np.random.default_rng(5)
    texts = [" ".join(f"w{n}" for n in row) for row in random.integers(0, 3000, (2000, 100))]
    y = random.choice(["ham", "news", "spam"], len(texts))
    sketch = ts.sketch_texts(texts, min_df=20, n_bytes=2**18, ngram_range=(1, 2))
    counts = [
        ts.count_texts(texts, y, sketch=sketch, n_threads=n).to_bytes() for n in (1, 2, 8, 16)
    ]
    order = random.permutation(len(texts))
    shuffled = ts.count_texts([texts[i] for i in order], y[order], sketch=sketch, n_threads=8)
    assert {*counts, shuffled.to_bytes()} == {counts[0]}
    expected = ts.count_texts(texts, y, ngram_range=(1, 2)).with_min_df(20)
    assert shuffled.with_min_df(20) == expected


@pytest.mark.parametrize("tf", ["log", "binary"])
def test_counting_by_document_takes_a_sketch_too(tf: Any) -> None:
    texts, y = collection(3)
    sketch = ts.sketch_texts(texts, min_df=40, n_bytes=400)
    counts = ts.count_texts(texts, y, sketch=sketch, tf=tf).with_min_df(40)
    expected = ts.count_texts(texts, y, tf=tf).with_min_df(40)
    assert list(counts.term_names) == list(expected.term_names)
    assert (counts.term_frequency != expected.term_frequency).nnz == 0


def test_a_full_sketch_names_the_size_that_would_do() -> None:
    texts, y = collection(4)
    rules: dict[str, Any] = {"ngram_range": (1, 3)}
    sketch = ts.sketch_texts(texts, min_df=3, n_bytes=16, **rules)
    with raises(ValueError, "sketch_of_bytes_is_full", argument="min_df") as error:
        ts.count_texts(texts, y, sketch=sketch)
    enough = int(re.findall(r"n_bytes=(\d+)", str(error.value))[0])
    larger = ts.sketch_texts(texts, min_df=3, n_bytes=enough, **rules)
    assert ts.count_texts(texts, y, sketch=larger).with_min_df(3).n_terms > 0


def test_no_changed_byte_of_a_sketch_passes() -> None:
    """A changed min_df or rule would leave out other terms in silence."""
    data = ts.sketch_texts(["a text"], n_bytes=8, min_df=20, lowercase=False).to_bytes()
    for place in range(len(data)):
        damaged = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        with raises(ValueError, "the_bytes_are_no_sketch", argument="data"):
            ts.TermSketch.from_bytes(damaged)


def test_a_forged_sketch_is_refused() -> None:
    counters = bytes(8)
    good: dict[str, Any] = {"hash": 1, "min_df": 20, "rules": {"lowercase": False}}
    data = sealed(good, counters) + counters
    assert data == ts.sketch_texts([], n_bytes=8, lowercase=False).to_bytes()
    wrong: dict[str, list[Any]] = {
        "hash": [0, 2, "1", None, [1]],
        "min_df": [0, -1, True, 1.5, "2", None, [2]],
        "rules": [
            *(None, [], "lowercase", 3, {"unknown": 1}, {"\ud800": 1}, {"tokenizer": "print"}),
            *({"lowercase": 1}, {"ngram_range": [1]}, {"ngram_range": 3}, {"hashing": 8}),
            *({"min_df": 2}, {"vocabulary": {"a": 1}}, {"vocabulary": ["a"]}, {"stop_words": [1]}),
            *({"analyzer": "\ud800"}, {"token_pattern": "("}, {"token_pattern": "(" * 9999}),
            *({"strip_accents": []}, {"max_features": 2**200}),
        ],
    }
    forged = [{**good, key: value} for key, values in wrong.items() for value in values]
    forged += [{k: v for k, v in good.items() if k != key} for key in good]
    deep: Any = []
    for _ in range(300):
        deep = [deep]
    lines = [sealed(about, counters) for about in [*forged, {"rules": deep}, [], None, 3]]
    lines += [b"[" * 100_000 + b"\n", b"\n", b""]
    for line in lines:
        with raises(ValueError, "the_bytes_are_no_sketch_because", argument="data"):
            ts.TermSketch.from_bytes(line + counters)
    with raises(ValueError, "no_bytes_for_a_sketch", argument="data"):
        ts.TermSketch.from_bytes(sealed(good))


def test_too_little_memory_is_no_damage(tmp_path: Path, monkeypatch: Any) -> None:
    """A sketch may be larger than the memory of the computer that reads it."""

    def too_large(_: Any) -> Any:
        raise MemoryError

    path = tmp_path / "a.csv"
    path.write_text("label,text\n" + "ham,egg jam\n" * 2)
    job: dict[str, Any] = {"min_df": 2, "max_memory": 2**20, "checkpoint": tmp_path / "saved"}
    sketch = ts.sketch_texts(["a text"], n_bytes=8)
    ts.count(ts.scan(path, **job))
    put(monkeypatch, rules_of_a_sketch=too_large)
    with pytest.raises(MemoryError):
        ts.TermSketch.from_bytes(sketch.to_bytes())
    (tmp_path / "saved" / "counts").unlink()
    with pytest.raises(MemoryError):
        ts.count(ts.scan(path, **job))


def test_a_sketch_is_read_from_any_buffer() -> None:
    sketch = ts.sketch_texts(["a text"], n_bytes=8)
    data = sketch.to_bytes()
    for buffer in (bytearray(data), memoryview(data), np.frombuffer(data, np.uint8)):
        assert ts.TermSketch.from_bytes(buffer).to_bytes() == data
    for other in ("text", 3, None, [1, 2]):
        with raises(TypeError, "data_must_be_bytes_got", argument="data"):
            ts.TermSketch.from_bytes(other)  # type: ignore[arg-type]


def test_what_a_sketch_refuses() -> None:
    sketch = ts.sketch_texts(["a text"], n_bytes=8)
    assert repr(sketch) == "<TermSketch of 8 bytes: min_df=20>"
    with raises(TypeError, "a_sketch_drops_terms_only", argument="min_df"):
        ts.sketch_texts(["a text"], max_df=0.5)
    with raises(ValueError, "the_sketches_differ_in_n", argument="other"):
        sketch + ts.sketch_texts(["a text"], n_bytes=9)
    with raises(ValueError, "the_sketches_differ_in_min", argument="other"):
        sketch + ts.sketch_texts(["a text"], n_bytes=8, min_df=3)
    with raises(ValueError, "the_bytes_are_no_sketch", argument="data"):
        ts.TermSketch.from_bytes(b"{}\n")
    for damaged in (sketch.to_bytes()[:-1], sketch.to_bytes()[:-1] + b"\x07"):
        with raises(ValueError, "the_bytes_are_no_sketch", argument="data"):
            ts.TermSketch.from_bytes(damaged)
    with raises(TypeError, "a_sketch_has_its_own", argument="sketch"):
        ts.count_texts(["a text"], ["ham"], sketch=sketch, lowercase=False)
    with raises(ValueError, "texts_has_a_missing_value"):
        ts.sketch_texts(["a text", None])


# ---- max_memory ------------------------------------------------------------------------------


def many_words(n_docs: int) -> tuple[list[str], list[str]]:
    """Return texts of a few frequent words and of words that occur once."""
    rare = [[f"once{i}x{j}" for j in range(40)] for i in range(n_docs)]
    texts = [" ".join([*WORDS[: i % 9], *words]) for i, words in enumerate(rare)]
    return texts, ["ham" if i % 3 else "spam" for i in range(n_docs)]


@pytest.mark.parametrize("n_docs", [100, 4000])  # 100 texts fit, 4000 do not
@pytest.mark.parametrize("source", ["list", "table", "frame", "csv"])
def test_max_memory_changes_no_result(
    source: str, n_docs: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    texts, y = many_words(n_docs)
    expected = ts.count_texts(texts, y, min_df=5)
    limits = {"min_df": 5, "max_memory": 2**22}
    caplog.set_level("INFO", "termsift")
    if source == "list":
        counts = ts.count_texts(texts, y, **limits)
    elif source in ("table", "frame"):
        columns = {"text": texts, "label": y}
        if source == "table":
            frame = pytest.importorskip("pyarrow").table(columns)
        else:
            frame = pytest.importorskip("pandas").DataFrame(columns)
        counts = ts.count_texts(frame, text="text", label="label", **limits)
    else:
        path = tmp_path / "texts.csv"
        path.write_text("\n".join(["label,text", *map(",".join, zip(y, texts, strict=True))]))
        counts = ts.count(ts.scan(path, **limits))
    assert counts == expected
    assert ("reading twice" in caplog.text) == (n_docs == 4000)


# This program is killed, or gets Ctrl-C, before it counts file 3 of 5 in a pass.
DISTURBED = """
import os, signal, sys
from termsift.cli import main
from termsift._util.sealing import sealed
from termsift.io import _checkpoint
from termsift.io._scan import Scanned

_checkpoint._SHARE = float("inf")  # saves after every file
usual = Scanned._blocks

def blocks(documents):
    for block in usual(documents):
        verb, name = documents._verb, os.path.basename(block.origin.name)
        print(verb, name)
        if verb == sys.argv[1] and name == "3.csv":
            sys.stdout.flush()
            os.kill(os.getpid(), getattr(signal, sys.argv[2]))
        yield block

Scanned._blocks = blocks
sys.exit(main(sys.argv[3:]))
"""


@pytest.mark.skipif(os.name != "posix", reason="kills of POSIX")
@pytest.mark.parametrize("name", ["SIGKILL", "SIGINT"])
def test_a_kill_in_either_pass_loses_no_file(name: str, tmp_path: Path) -> None:
    texts, y = many_words(500)
    names = [f"{number}.csv" for number in range(1, 6)]
    for number, file in enumerate(names):
        rows = map(",".join, zip(y[number::5], texts[number::5], strict=True))
        bad = ["a row of one field"] * (number == 0)
        (tmp_path / file).write_text("\n".join(["label,text", *rows, *bad]))
    rules = ["--min-df", "5", "--on-error", "skip"]
    rules += ["--max-memory", "2MiB", "--checkpoint", "saved"]
    options = [*names, *rules, "-o", "out.termsift"]

    def run(verb: str) -> tuple[list[str], int, str]:
        command = [sys.executable, "-c", DISTURBED, verb, name, "count", *options]
        job = start_hearing(command, cwd=tmp_path, stdout=PIPE, stderr=PIPE)
        printed, errors = job.communicate(timeout=LIMIT)
        read = [line for line in printed.splitlines() if line.endswith(".csv")]
        return list(dict.fromkeys(read)), job.returncode, errors

    sketched, counted = ([f"{verb} {file}" for file in names] for verb in ("sketched", "counted"))
    read, code, _ = run("sketched")
    assert (read, code != 0) == (sketched[:3], True)
    read, code, _ = run("counted")
    assert (read, code != 0) == (sketched[2:] + counted[:3], True)
    read, code, errors = run("neither")
    assert (read, code) == (counted[2:], 0), errors
    assert "left out 1 line, row or file" in errors
    assert ts.load(tmp_path / "out.termsift") == ts.count_texts(texts, y, min_df=5)


def test_a_checkpoint_of_another_job_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("label,text\nham,egg egg\nham,egg\nspam,pills\n")
    options: dict[str, Any] = {"max_memory": 2**20, "checkpoint": tmp_path / "saved"}
    counts = ts.count(ts.scan(path, min_df=2, **options))
    assert list(counts.term_names) == ["egg"]
    with raises(ValueError, "another_job_which_differs_in", argument="checkpoint"):
        ts.count(ts.scan(path, min_df=3, ngram_range=(1, 2), **options))
    for name in ("counts", "sketch"):
        saved = tmp_path / "saved" / name
        for damaged in (saved.read_bytes()[:-1], b"{}\n", b""):
            saved.write_bytes(damaged)
            with raises(ValueError, "is_no_checkpoint", at=f"{name}: "):
                ts.count(ts.scan(path, min_df=2, **options))
        saved.unlink()
    assert ts.count(ts.scan(path, min_df=2, **options)) == counts
    path.write_text("label,text\nham,egg egg\n")
    with raises(ValueError, "another_job_which_differs_in_2", argument="checkpoint"):
        ts.count(ts.scan(path, min_df=2, **options))
    with raises(NotADirectoryError, "a_is_a_file_expected_a"):
        ts.count(ts.scan(path, min_df=2, max_memory=2**20, checkpoint=path))
    with raises(TypeError, "checkpoint_needs_max_memory", argument="checkpoint"):
        ts.scan(path, checkpoint=tmp_path)


def test_the_terms_of_earlier_files_take_memory_too(tmp_path: Path, monkeypatch: Any) -> None:
    put(monkeypatch, share_of_saving=float("inf"))  # saves after every file
    paths = [tmp_path / f"{number}.csv" for number in range(6)]
    for number, path in enumerate(paths):
        text = " ".join(f"word{number}x{i}" for i in range(1000))
        path.write_text(f"label,text\nham,{text}\nspam,{text}\n")
    options: dict[str, Any] = {"min_df": 2, "max_memory": 2**21, "checkpoint": tmp_path / "saved"}
    assert ts.count(ts.scan(paths[:2], **options)).n_terms == 2000
    options["checkpoint"] = tmp_path / "other"
    with raises(ValueError, "do_not_fit_in_max", argument="min_df"):
        ts.count(ts.scan(paths, **options))


def test_the_end_of_a_pass_is_always_saved(tmp_path: Path, monkeypatch: Any) -> None:
    put(monkeypatch, share_of_saving=1e-9)  # no second save within a pass
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path in paths:
        path.write_text("label,text\nham,egg\nspam,egg\n")
    saved = tmp_path / "saved"
    ts.count(ts.scan(paths, min_df=2, max_memory=2**20, checkpoint=saved))
    for name in ("sketch", "counts"):
        assert b'{"n_done": 2, ' in (saved / name).read_bytes()


def test_max_memory_takes_iterators_of_labels_and_names_rows() -> None:
    texts, y = many_words(2000)
    expected = ts.count_texts(texts, y, min_df=5)
    classes = iter(sorted(set(y)))
    counts = ts.count_texts(texts, iter(y), classes=classes, min_df=5, max_memory=2**21)
    assert counts == expected
    pa = pytest.importorskip("pyarrow")
    bad = pa.array([b"fine", b"\xff"], pa.binary()).cast(pa.string(), safe=False)
    batches = [
        pa.record_batch([pa.array(["fine"] * 3)], ["text"]),
        pa.record_batch([bad], ["text"]),
    ]
    stream = pa.RecordBatchReader.from_batches(batches[0].schema, batches)
    with raises(ValueError, "not_utf_8", at="document 4, byte 0"):
        ts.sketch_texts(stream, text="text", n_bytes=8)


def test_what_max_memory_refuses() -> None:
    texts, y = many_words(20_000)
    with raises(TypeError, "max_memory_needs_min_df", argument="max_memory"):
        ts.count_texts(texts, y, max_memory=2**22)
    with raises(TypeError, "an_iterator_can_be_read", argument="max_memory"):
        ts.count_texts(iter(texts), y, max_memory=2**22, min_df=2)
    with raises(ValueError, "sketch_is_full", argument="min_df"):
        ts.count_texts([*texts, *texts], [*y, *y], max_memory=2**20, min_df=2)


def test_max_memory_changes_no_logarithm() -> None:
    # Logarithms are added in the order of the documents, by another way of counting.
    texts, y = many_words(1000)
    expected = ts.count_texts(texts, y, min_df=5, tf="log")
    assert ts.count_texts(texts, y, min_df=5, tf="log", max_memory=2**20) == expected


@pytest.mark.parametrize(
    ("rules", "argument"), [({"hashing": 50}, "hashing"), ({"vocabulary": ["a"]}, "hashing")]
)
def test_rules_that_limit_the_terms_need_no_max_memory(
    rules: dict[str, Any], argument: str
) -> None:
    with raises(TypeError, "max_memory_beside_rules_that_limit", argument=argument):
        ts.count_texts(["some words"], ["a"], max_memory=2**22, **rules)
