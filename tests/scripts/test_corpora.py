"""Accuracies on the paper's corpora, where available, against an independent computation."""

from __future__ import annotations

import pytest

pytest.importorskip("sklearn")

import corpora
from accuracy_at_k import CORPORA, accuracies

# Accuracies in per cent at k = 10, 50, 100, 200, 500, 1000, 2000, from an earlier numpy program.
EXPECTED = {
    ("20 Newsgroups", "md"): [21.7, 45.9, 52.6, 60.3, 68.7, 72.3, 75.5],
    ("Reuters", "md"): [69.4, 90.4, 93.6, 95.6, 95.6, 95.6, 95.9],
    ("Reuters", "md_chi2"): [50.4, 87.2, 93.2, 95.4, 95.9, 95.7, 95.9],
}


@pytest.mark.parametrize(("name", "method"), EXPECTED)
def test_accuracy_agrees(name: str, method: str) -> None:
    if reason := corpora.missing(name):
        pytest.skip(reason)
    found = accuracies(CORPORA[name](), method)
    assert found == pytest.approx(EXPECTED[name, method], abs=0.1)
