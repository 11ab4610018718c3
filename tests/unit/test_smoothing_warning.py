"""A ranking under smoothing that outweighs some classes leads to one warning."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest

import termsift as ts

_TERMS = 1200


@pytest.fixture(autouse=True)
def nothing_is_ignored() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def some_counts(n_terms: int = _TERMS) -> ts.ClassCounts:
    """Return counts of a class of as many tokens as there are terms, and of one of fewer."""
    X = np.ones((3, n_terms), dtype=int)
    X[2, 5:] = 0
    return ts.count(X, ["long", "long", "short"])


def test_the_warning_names_the_class_the_line_and_the_cures() -> None:
    counts = some_counts()
    with pytest.warns(UserWarning, match="smoothing adds 1,200 occurrences") as caught:
        counts.rank("md", 5)
    (warning,) = caught
    assert warning.filename == __file__
    text = str(warning.message)
    assert "more than 1 of 2 classes hold (class 'short' has 5)" in text
    for cure in ("round_robin", "smaller alpha", "g2", "conditional_gain"):
        assert re.search(rf"\b{cure}\b", text)
    counts.rank("md", 5)  # once
    counts.rank("md_chi2", 5)


@pytest.mark.parametrize(
    "arguments",
    [
        {"policy": "round_robin"},
        {"alpha": 5 / _TERMS},
        {"alpha": 0},
        {"method": "g2"},
        {"method": "log_odds"},
        {"model": "bernoulli"},
        {"model": "poisson"},
    ],
)
def test_no_warning_where_a_cure_was_taken(arguments: dict[str, Any]) -> None:
    some_counts().rank(**{"method": "md", "k": 5, **arguments})


def test_no_warning_of_a_small_vocabulary() -> None:
    some_counts(999).rank("md", 5)


def test_documents_are_compared_where_documents_are_counted() -> None:
    X = np.zeros((30, _TERMS), dtype=int)
    X[:, :50] = 100  # 3,000 occurrences a document, and 50 pairs of a document and a term
    counts = ts.count(X, np.arange(30) % 2)
    counts.rank("md", 5)
    with pytest.warns(UserWarning, match="more than 2 of 2 classes hold .class 0 has 750"):
        counts.rank("md", 5, model="binary")


def test_an_empty_class_is_not_outweighed() -> None:
    X = np.ones((2, _TERMS), dtype=int)
    ts.count(X, ["a", "b"], classes=["a", "b", "empty"]).rank("md", 5)


def test_cross_validation_warns_once() -> None:
    rng = np.random.default_rng(0)
    X = (rng.random((40, _TERMS)) < 0.01).astype(int)
    with pytest.warns(UserWarning, match="smoothing adds") as caught:
        ts.cross_validate(X, np.arange(40) % 2, "md", cv=4, ks=[10])
    assert len(caught) == 1


def test_the_command_line_says_it_in_one_line(run: Any, tmp_path: Any) -> None:
    path = tmp_path / "texts.csv"
    words = " ".join(f"word{i}" for i in range(_TERMS))
    path.write_text(f"text,label\n{words},long\nword1 word2,short\n")
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        result = run("rank", path)
    assert result.code == 0
    (line,) = result.err.splitlines()
    assert line.startswith("termsift: warning: smoothing adds 1,200 occurrences")
