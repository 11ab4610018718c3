"""A ranking that begins with terms that are common in all classes leads to one warning."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import termsift as ts
from termsift._scores import scoring

pytestmark = pytest.mark.filterwarnings("error")

_COMMON, _TERMS = 20, 1200


@pytest.fixture(autouse=True)
def nothing_has_warned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "_warned", False)


def documents(n_terms: int = _TERMS, n_short: int = 5) -> tuple[Any, list[str]]:
    """Return documents that all hold the first terms, and each some of the others."""
    X = (np.random.default_rng(0).random((300 + n_short, n_terms)) < 0.02).astype(int)
    X[:, :_COMMON] = 1
    return X, ["long"] * 300 + ["short"] * n_short


def test_the_warning_names_the_evidence_the_line_and_the_cures() -> None:
    counts = ts.count(*documents())
    counts.term_names = [f"word{i}" for i in range(_TERMS)]
    with pytest.warns(UserWarning, match="10 of the first 10 terms, such as 'word0', ") as caught:
        ranking = counts.rank("md")
    (warning,) = caught
    assert warning.filename == __file__
    assert max(ranking.indices[:10]) < _COMMON
    for cure in ("g2", "ig", "alpha=0.01", "round_robin", "conditional_gain"):
        assert re.search(rf"\b{cure}\b", str(warning.message))
    counts.rank("md")  # once
    ts.count(*documents()).rank("md_chi2")  # a process


@pytest.mark.parametrize(
    "arguments", [{"policy": "round_robin"}, {"alpha": 0.01}, {"method": "g2"}, {"k": 9}]
)
def test_no_warning_where_other_terms_lead_or_few_are_ranked(arguments: dict[str, Any]) -> None:
    ts.count(*documents(n_short=30)).rank(**{"method": "md", **arguments})


def test_no_warning_where_classes_are_told_apart_under_strong_smoothing() -> None:
    demo = ts.io.load_demo()
    counts = ts.count(demo.X, demo.y)
    assert np.median(counts.class_tokens) < counts.n_terms
    counts.rank()


def test_no_warning_of_terms_that_are_common_in_all_classes_but_one() -> None:
    y = np.repeat(np.arange(120), 60)
    probability = np.where(np.arange(_TERMS) // 10 == y[:, None], 0.9, 0.2)
    ts.count(np.random.default_rng(0).random(probability.shape) < probability, y).rank()


def test_classes_without_documents_take_no_part() -> None:
    X, y = documents()
    with pytest.warns(UserWarning, match="10 of the first 10 terms"):
        ts.count(X, y, classes=["long", "short", "a", "b", "c"]).rank("md")


def test_no_warning_where_nobody_reads_the_ranking() -> None:
    X, y = documents()
    ts.cross_validate(X, y, "md", cv=5, ks=[10])
    pytest.importorskip("sklearn")
    assert len(ts.TermSelector(k=10).fit(X, y).ranking_)
    assert len(ts.TermSelector(k=10).partial_fit(X, y).ranking_)
