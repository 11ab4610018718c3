"""Counts after many updates, merges, differences, saves and failures, compared with a plain list.

This is a Hypothesis state machine. After any sequence of operations, every ClassCounts must equal
the counts that the reference computes from the plain list of documents.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, rule
from scipy import sparse

import termsift as ts
from termsift import reference
from wording import raises

LABELS = ["b", "a", "", ("x", 1), 7]
Document = tuple[list[int], Any]  # how often each term occurs, and the label
Documents = list[Document]
Held = tuple[ts.ClassCounts, Documents]

documents = st.lists(
    st.tuples(st.lists(st.integers(0, 3), max_size=6), st.sampled_from(LABELS)), max_size=6
)


def matrix(docs: Documents) -> sparse.csr_array:
    """Return a matrix of documents, which has as many columns as the longest document."""
    width = max((len(row) for row, _ in docs), default=0)
    dense = np.zeros((len(docs), width), dtype=np.int64)
    for d, (row, _) in enumerate(docs):
        dense[d, : len(row)] = row
    return sparse.csr_array(dense)


def labels(docs: Documents) -> list[Any]:
    return [label for _, label in docs]


def table(counts: Any) -> dict[Any, Any]:
    """Return the counts by label and index, without the order of classes or empty columns."""
    tf, df = (
        m.toarray() if hasattr(m, "toarray") else m
        for m in (counts.term_frequency, counts.document_frequency)
    )
    table = {}
    for c, label in enumerate(counts.classes):
        if counts.class_docs[c]:
            cells = {t: (int(tf[c, t]), int(df[c, t])) for t in np.flatnonzero(tf[c]).tolist()}
            table[label] = (int(counts.class_docs[c]), int(counts.class_tokens[c]), cells)
    return table


def assert_holds(held: Held) -> None:
    counts, docs = held
    assert table(counts) == table(reference.count(matrix(docs), labels(docs)))
    assert counts.n_docs == len(docs)
    assert counts.term_frequency.dtype == np.int64


class LifeOfCounts(RuleBasedStateMachine):
    """Several ClassCounts, each with the list of the documents that it counts."""

    held = Bundle("held")

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()

    def teardown(self) -> None:
        self.folder.cleanup()

    @initialize(target=held)
    def nothing(self) -> Held:
        return ts.count(matrix([]), []), []

    @rule(target=held, docs=documents, n_threads=st.sampled_from([1, 2]))
    def count(self, docs: Documents, n_threads: int) -> Held:
        held = ts.count(matrix(docs), labels(docs), n_threads=n_threads), docs
        assert_holds(held)
        return held

    @rule(target=held, held=consumes(held), docs=documents)
    def update(self, held: Held, docs: Documents) -> Held:
        counts, before = held
        assert counts.update(matrix(docs), labels(docs)) is counts
        held = counts, before + docs
        assert_holds(held)
        return held

    @rule(target=held, a=held, b=held)
    def add(self, a: Held, b: Held) -> Held:
        total = a[0] + b[0], a[1] + b[1]
        for held in (a, b, total):
            assert_holds(held)
        return total

    @rule(target=held, whole=held, docs=documents)
    def take_away_what_was_added(self, whole: Held, docs: Documents) -> Held:
        part = ts.count(matrix(docs), labels(docs))
        rest = (whole[0] + part) - part, whole[1]
        assert_holds(rest)
        return rest

    @rule(target=held, held=held)
    def save_and_load(self, held: Held) -> Held:
        path = Path(self.folder.name) / "saved.termsift"
        held[0].save(path)
        loaded = ts.load(path), held[1]
        assert loaded[0] == held[0]
        assert_holds(loaded)
        return loaded

    @rule(held=held, docs=documents, wrong=st.sampled_from(["negative", "nan", "column", "labels"]))
    def fail(self, held: Held, docs: Documents, wrong: str) -> None:
        docs = [*docs, ([1, 2], "new")]
        X, y = matrix(docs), labels(docs)
        key, argument = "x_has_what_is_no_count", "X"
        if wrong == "negative":
            X.data[-1] = -1
        elif wrong == "nan":
            X = X.astype(np.float64)
            X.data[-1] = np.nan
        elif wrong == "column":
            X.indices[-1] = 99
            key = "x_has_the_index_99"
        else:
            y = y[1:]
            key, argument = "y_has_n_labels", "y"
        with raises(ValueError, key, argument=argument):
            held[0].update(X, y)
        assert_holds(held)


TestLifeOfCounts = LifeOfCounts.TestCase
TestLifeOfCounts.settings = settings(stateful_step_count=25)
