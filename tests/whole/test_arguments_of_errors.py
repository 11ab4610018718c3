"""Errors that only the core can raise name the argument, whichever door it came through.

Guards: `WrongArgument` of cpp/include/termsift/types.hpp, `blaming` of _util/faults.py, and the
option that a command names.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import termsift as ts

X = np.array([[1, 0, 2], [0, 1, 0], [1, 1, 0], [0, 2, 1]])
Y = ["a", "b", "a", "b"]
ONE = ["a"] * 4
COUNTS = ts.count(X, Y)
OF_ONE_CLASS = ts.count(X, ONE)
HUGE = X * 1e300
LARGE = ts.count(np.array([[1e300, 1.0], [1.0, 1.0]]), ["a", "b"])


def selector(y: list[str] = Y, **options: Any) -> Any:
    pytest.importorskip("sklearn")
    return ts.TermSelector(k=2, **options).fit(X, y)


# The name of an argument, and calls whose errors are about it.
CALLS: list[tuple[str, Callable[[], object]]] = [
    # The smoothing is too small for the counts.
    ("alpha", lambda: COUNTS.score("md", alpha=1e-300)),
    ("alpha", lambda: COUNTS.class_scores("md", alpha=1e-300)),
    ("alpha", lambda: COUNTS.rank("md", policy="round_robin", alpha=1e-300)),
    ("alpha", lambda: COUNTS.rank("log_odds", alpha=1e-300)),
    ("alpha", lambda: COUNTS.greedy(alpha=1e-17)),
    ("alpha", lambda: COUNTS.rank("greedy", alpha=0)),
    ("alpha", lambda: COUNTS.columns("md", alpha=1e-300)),
    ("alpha", lambda: ts.distinctive_terms(COUNTS, "md", alpha=1e-300)),
    ("alpha", lambda: ts.md(X, Y, alpha=1e-300)),
    ("alpha", lambda: ts.log_odds(X, Y, alpha=1e-300)),
    ("alpha", lambda: selector(method="md", alpha=1e-300)),
    ("alpha", lambda: ts.cross_validate(X, Y, "md", cv=2, alpha=1e-300)),
    # It is too large, no number, or leaves too much for the terms that are not chosen.
    ("alpha", lambda: COUNTS.score("log_odds", alpha=(1e200, 1e200))),
    ("alpha", lambda: COUNTS.greedy(alpha=(1, 1))),
    ("alpha", lambda: COUNTS.greedy(alpha=1e290)),
    ("alpha", lambda: COUNTS.score("md", model="poisson", alpha=(1e30, 1))),
    *(
        ("alpha", lambda call=call, alpha=alpha: call(alpha=alpha))
        for alpha in (float("nan"), float("inf"), -1, 1e308)
        for call in (
            COUNTS.rank,
            COUNTS.greedy,
            selector,
            lambda alpha: ts.md(X, Y, alpha=alpha),
            lambda alpha: ts.NaiveBayes(alpha=alpha).fit(X, Y),
            lambda alpha: COUNTS.naive_bayes(alpha=alpha),
        )
    ),
    # The prior has no mass, or all of it on one class.
    ("class_prior", lambda: COUNTS.score("md", class_prior=[1, 0])),
    ("class_prior", lambda: COUNTS.score("md", class_prior=[1, 1e-300])),
    # One class.
    ("counts", lambda: OF_ONE_CLASS.score("md")),
    ("counts", lambda: OF_ONE_CLASS.rank("chi2")),
    ("counts", lambda: OF_ONE_CLASS.greedy()),
    ("counts", lambda: OF_ONE_CLASS.significance()),
    ("counts", lambda: OF_ONE_CLASS.columns()),
    ("counts", lambda: ts.distinctive_terms(OF_ONE_CLASS)),
    ("y", lambda: ts.md(X, ONE)),
    ("y", lambda: ts.chi2(X, ONE)),
    ("y", lambda: ts.conditional_gain(X, ONE)),
    ("y", lambda: ts.guided_gain(X, ONE)),
    ("y", lambda: ts.cross_validate(X, ONE, "md", cv=2)),
    ("y", lambda: selector(ONE)),
    ("y_train", lambda: ts.selection_curve([0], X[:0], [], X, Y)),
    ("cv", lambda: ts.cross_validate(X, Y, "md", cv=[([0, 1], [])])),
    # Values that are too large for sums of logarithms.
    ("X_test", lambda: ts.selection_curve([0], X, Y, X * 1e300, Y)),
    ("X", lambda: ts.cross_validate(HUGE, Y, "chi2", cv=2, alpha=1e280)),
    # A rate of more than 2^64 occurrences in a document.
    ("X", lambda: LARGE.score("md", model="poisson")),
    ("step", lambda: ts.conditional_gain(X, Y, step=1e300)),
    ("texts", lambda: ts.count_texts([["some", "words"]], ["a"])),
    ("preprocessor", lambda: ts.count_texts(["a b"], ["a"], preprocessor=lambda text: 3)),
    ("stem", lambda: ts.count_texts(["aa b"], ["a"], stem=lambda word: 3)),
    ("strip_accents", lambda: ts.count_texts(["a b"], ["a"], strip_accents=lambda text: None)),
]


def test_errors_carry_the_argument() -> None:  # in one test, because the quick tier drops cases
    for argument, call in CALLS:
        with pytest.raises((ValueError, TypeError)) as caught:
            call()
        error: Any = caught.value
        assert getattr(error, "argument", None) == argument, str(error)
        assert error.arguments == (argument,)
        assert "\n" not in str(error)


def test_a_command_names_the_option(run: Callable[..., Any], tmp_path: Path) -> None:
    table = tmp_path / "c.csv"
    table.write_text("text,label\nham eggs,a\nspam eggs,b\n")
    for alpha in ("1e-300", "nan", "inf", "-1"):
        assert "--alpha" in run("rank", table, f"--alpha={alpha}").complaint


def test_texts_that_are_cut_already_are_counted_as_the_error_says() -> None:
    words = [["Eggs", "and", "a"], ["a", "don't"]]
    counts = ts.count_texts(map(" ".join, words), ["x", "y"], analyzer=str.split)
    assert counts.term_names is not None
    assert list(counts.term_names) == sorted({word for text in words for word in text})


def test_a_vocabulary_may_be_an_iterator() -> None:
    texts, y = ["eggs and ham", "ham"], ["x", "y"]
    expected = ts.count_texts(texts, y, vocabulary=["ham", "eggs"])
    assert ts.count_texts(texts, y, vocabulary=iter(["ham", "eggs"])) == expected


def test_weighted_counts_equal_all_their_classes() -> None:
    rng = np.random.default_rng(1)
    for n_classes in (2, 5, 300):
        y = rng.integers(0, n_classes, 2000)
        counts = ts.count(np.ones((2000, 1)), y, sample_weight=rng.random(2000))
        assert counts.subset(counts.classes) == counts
        one = counts.subset({"all": counts.classes})
        assert one.n_docs == counts.n_docs
