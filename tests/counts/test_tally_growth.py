"""A stream with ever new labels takes time in proportion to its documents, whatever its format.

What a block allocates tells its work: if each block copied something of every class so far, later
blocks would allocate more than earlier ones.
"""

from __future__ import annotations

import statistics
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import termsift as ts
from private import _core, matrices, tally

N_DOCS = 6_000


def lines(n: int, form: str) -> str:
    return "".join(form.format(i=i, j=i // 2, word=i % 9) for i in range(n))


@pytest.mark.filterwarnings("ignore:6,000 documents have 6,000 different labels")
@pytest.mark.parametrize(
    ("name", "head", "form", "options"),
    [
        ("a.svm", "", "{i} 1:1 {word}2:3\n", {}),
        ("a.svm", "", "word{i} 1:1\n", {}),
        ("a.svm", "", "a{i},b{j} 1:1\n", {}),
        ("a.svm", "6000 99 6000\n", "{i} 1:1\n", {}),
        ("a.csv", "label,text\n", "l{i},some words\n", {"vocabulary": ["some", "words"]}),
    ],
)
def test_a_block_allocates_nothing_for_the_classes_before(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    name: str,
    head: str,
    form: str,
    options: dict[str, Any],
) -> None:
    monkeypatch.setattr(matrices, "MATRIX_BYTES", 1 << 10)
    path = tmp_path / name
    path.write_text(head + lines(N_DOCS, form))
    peaks = list[int]()
    lists = list[int]()
    add = tally.add_block

    def watched(counts: Any, matrix: Any, labels: Any, tf: str, n_threads: int) -> None:
        peaks.append(tracemalloc.get_traced_memory()[1] - tracemalloc.get_traced_memory()[0])
        lists.append(id(labels.classes))
        add(counts, matrix, labels, tf, n_threads)
        tracemalloc.reset_peak()

    monkeypatch.setattr(tally, "add_block", watched)
    scan = ts.scan(path, **options)
    tracemalloc.start()
    try:
        counts = ts.count(scan)
    finally:
        tracemalloc.stop()
    assert counts.n_docs == N_DOCS
    assert len(set(lists)) == 1  # no block copies the list of the classes so far
    if name == "a.svm":
        assert len(peaks) > 50
        # The list of the classes grows in steps, so single blocks may allocate more.
        first, last = peaks[5:25], peaks[-20:]
        assert statistics.median(last) < 2 * statistics.median(first)


def test_classes_that_appear_later_have_no_counts_before() -> None:
    nothing = _core.Counts(0, exact=True)
    growing = _core.GrowingCounts(nothing)
    one = np.array([0, 1], dtype=np.int32), np.array([0], dtype=np.int32), np.array([3])
    raw, bytes_ = _core.TermWeight.__members__["raw"], _core.default_window_bytes
    for code in range(3):
        codes = np.array([code], dtype=np.int32)
        growing.add(*one, 2, None, codes, code + 1, raw, 1, bytes_)
    assert growing.counts(4).class_docs.tolist() == [1, 1, 1, 0]
    assert growing.counts(4).class_tokens.tolist() == [3, 3, 3, 0]
    assert nothing.class_docs.tolist() == []
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (compared below)
        growing.add(*one, 2, None, np.array([9], dtype=np.int32), 4, raw, 1, bytes_)
    assert "class code 9" in str(caught.value)
    assert growing.counts(0).class_docs.tolist() == [1, 1, 1, 0]
