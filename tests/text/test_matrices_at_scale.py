"""Texts of long words, long documents or many words: counts, memory, and interruption by Ctrl-C."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import termsift as ts
from signals import interrupting, needs_timers

MB = 10**6


def counts_of(texts: list[str], **rules: Any) -> tuple[sp.csr_matrix, list[str]]:
    """Return the matrix of counts of the texts, and its terms."""
    vectorizer = ts.text.CountVectorizer(**rules)
    X = vectorizer.fit_transform(texts)
    return X, vectorizer.get_feature_names_out().tolist()


@pytest.mark.parametrize("letter", ["x", "É", "日", "\U00010400", "\ud800x"])
@pytest.mark.parametrize("size", [MB, pytest.param(64 * MB, marks=pytest.mark.full)])
def test_a_word_of_megabytes(letter: str, size: int) -> None:
    word = letter * (size // len(letter.encode("utf-8", "surrogatepass")))
    X, names = counts_of([f"a short {word}", f"{word} {word[:-1]} short"])
    is_word = letter != "\ud800x"  # surrogates are no word characters
    assert names == (sorted({"short", word.lower(), word[:-1].lower()}) if is_word else ["short"])
    assert X.toarray().sum(axis=0).tolist() == ([2, 1, 2] if is_word else [2])


@pytest.mark.full
@pytest.mark.parametrize("n_threads", [1, 2, 3])
@pytest.mark.parametrize("tail", ["", " ΟΔΥΣΣΕΥΣ İİ"])
def test_a_document_of_200_megabytes(n_threads: int, tail: str) -> None:
    words = [f"word{i}" for i in range(1000)]
    repeats = 200 * MB // len(" ".join(words))
    document = " ".join(words * repeats) + tail
    X, names = counts_of([document, "word7 word7", "", document[:1000]], n_threads=n_threads)
    assert names == sorted(words) + ([] if not tail else ["i̇i̇", "οδυσσευς"][1:])
    counts = X.toarray()
    assert (counts[0, :1000] == repeats).all()
    assert counts[1].sum() == 2
    assert counts[1, names.index("word7")] == 2


MEASURED = """
import sys
from pathlib import Path
import termsift as ts

def peak():
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))

letters, n_words, repeats = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
text = " ".join(f"{letters}{i}" for i in range(n_words)) if n_words > 1 else letters * 2**25
text = " ".join([text] * repeats)
ts.text.CountVectorizer().fit_transform(["some words"])
Path("/proc/self/clear_refs").write_text("5")
before = peak()
X = ts.text.CountVectorizer(n_threads=2).fit_transform([text])
assert X.sum() == n_words * repeats, X.sum()
print((peak() - before) / 1000)
"""


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
@pytest.mark.parametrize(
    ("letters", "n_words", "repeats", "megabytes"),
    [
        ("abc", 1000, 20_000, 60),
        ("абв", 1000, 20_000, 60),
        ("é", 1, 1, 3 * 67),
        ("日", 1, 1, 3 * 101),
    ],
)
def test_long_texts_need_little_memory(
    letters: str, n_words: int, repeats: int, megabytes: float
) -> None:
    command = [sys.executable, "-c", MEASURED, letters, str(n_words), str(repeats)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert float(done.stdout) < megabytes


@pytest.mark.full
@pytest.mark.parametrize("n_threads", [1, 3])
def test_a_million_distinct_words(n_threads: int) -> None:
    n = MB
    rng = np.random.default_rng(0)
    words = [f"{i:x}_{'é' * (i % 5)}" for i in range(16, n + 16)]
    order = rng.permutation(n)
    texts = [
        " ".join([words[i] for i in part])
        for part in np.array_split(np.r_[order, order[::3]], 5000)
    ]
    X, names = counts_of(texts, n_threads=n_threads)
    assert names == sorted(words)
    once = np.zeros(n, dtype=np.int64)
    np.add.at(once, np.r_[order, order[::3]], 1)
    rank = np.empty(n, dtype=np.int64)
    rank[sorted(range(n), key=words.__getitem__)] = np.arange(n)
    np.testing.assert_array_equal(np.asarray(X.sum(axis=0)).ravel()[rank], once)
    assert X.shape == (5000, n)


# ---- Ctrl-C --------------------------------------------------------------------------------------


def assert_interruptible(call: Callable[[], object]) -> None:
    """Assert that an interruption stops an endless loop of calls."""

    def forever() -> None:
        while True:
            call()

    with pytest.raises(KeyboardInterrupt), interrupting(0.1):
        forever()


@functools.cache
def many_texts() -> list[str]:
    """Return texts whose counting takes some tenths of a second or more."""
    rng = np.random.default_rng(0)
    words = [f"w{i:x}" for i in range(50_000)]
    some = [" ".join(rng.choice(words, 200)) for _ in range(500)]
    return some * 400


@needs_timers
@pytest.mark.full(cases=4)
@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize(
    "rules", [{}, {"ngram_range": (1, 3)}, {"analyzer": "char_wb", "ngram_range": (2, 4)}], ids=str
)
def test_ctrl_c_stops_within_a_call(rules: dict[str, Any], n_threads: int) -> None:
    texts = many_texts()
    vectorizer = ts.text.CountVectorizer(**rules, n_threads=n_threads)
    assert_interruptible(lambda: vectorizer.fit_transform(texts))
    hashing = ts.text.HashingVectorizer(**rules, n_threads=n_threads)
    assert_interruptible(lambda: hashing.transform(texts))


@needs_timers
@pytest.mark.parametrize("n_threads", [1, 2])
def test_ctrl_c_stops_in_one_long_document(n_threads: int) -> None:
    document = " ".join(many_texts()[:20_000])
    vectorizer = ts.text.CountVectorizer(n_threads=n_threads)
    assert_interruptible(lambda: vectorizer.fit_transform([document]))


@needs_timers
def test_a_counter_works_after_ctrl_c() -> None:
    texts, y = many_texts(), np.arange(200_000) % 3
    assert_interruptible(lambda: ts.count_texts(texts, y))
    vectorizer = ts.text.CountVectorizer()
    wanted = ts.count(vectorizer.fit_transform(texts[:500]), y[:500])
    wanted.term_names = vectorizer.get_feature_names_out()
    assert ts.count_texts(texts[:500], y[:500]) == wanted
