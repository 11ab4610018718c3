"""Calls of greedy selection: errors, interrupts, progress and the log."""

from __future__ import annotations

import io
import logging
import re
import sys
from typing import Any

import numpy as np
import pytest

import termsift as ts
from counts_of_table import counts_of
from private import put
from signals import interrupting, needs_timers
from wording import raises

# ---- errors --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def collection() -> ts.ClassCounts:
    return ts.count(np.random.default_rng(0).poisson(1.0, (20, 500)), np.arange(20) % 3)


X = np.array([[4, 1, 0], [0, 1, 2]])


@pytest.mark.parametrize(
    ("options", "error", "key", "argument"),
    [
        ({"k": -1}, ValueError, "k_must_be_at_least", "k"),
        ({"k": 1.5}, TypeError, "k_must_be_an_integer_got_3", "k"),
        ({"k": True}, TypeError, "k_must_be_an_integer_got_2", "k"),
        ({"alpha": 0}, ValueError, "term_2_has_probability_0_in", None),
        ({"alpha": -1}, ValueError, "alpha_must_be_finite_and_not", "alpha"),
        ({"alpha": (1, 2)}, ValueError, "the_probabilities_of_a_class_must", None),
        (
            {"class_prior": [1, 1, 1]},
            ValueError,
            "class_prior_has_shape_3_expected_2",
            "class_prior",
        ),
        ({"class_prior": [1, 0]}, ValueError, "class_0_has_all_the_prior", None),
        ({"n_threads": 0}, ValueError, "n_threads_must_be_in_1_4096", "n_threads"),
    ],
)
def test_what_is_refused(
    options: dict[str, Any], error: type[Exception], key: str, argument: str | None
) -> None:
    counts = ts.count(X, ["ham", "spam"])
    with raises(error, key, argument=argument):
        counts.greedy(**options)


@pytest.mark.parametrize("classes", [["ham"], []])
def test_fewer_than_two_classes_are_refused(classes: list[str]) -> None:
    counts = ts.count(X[: len(classes)], classes)
    with raises(ValueError, "two_classes_with_documents"):
        counts.greedy()


def test_a_selector_has_no_scores_of_single_terms() -> None:
    counts = ts.count(X, ["ham", "spam"])
    with raises(ValueError, "one_after_another", argument="method"):
        counts.score("greedy")
    with raises(TypeError, "greedy_has_no_policy", argument="policy"):
        counts.rank("greedy", policy="round_robin")
    with raises(TypeError, "greedy_has_no_aggregate", argument="aggregate"):
        counts.rank("greedy", aggregate="max")
    with raises(TypeError, "greedy_has_no_option", argument="noncentrality"):
        counts.rank("greedy", noncentrality="pearson")
    with raises(TypeError, "greedy_has_no_option", argument="exhaustive"):
        counts.rank("greedy", exhaustive=True)  # type: ignore[call-arg]


# ---- long work -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hard() -> ts.ClassCounts:
    """Return counts for which the plain search takes minutes."""
    return counts_of(np.random.default_rng(0).integers(0, 2**20, (5, 60_000)), [3, 1, 4, 1, 5])


@needs_timers
@pytest.mark.parametrize("n_threads", [1, 2])
def test_ctrl_c_stops_it(hard: ts.ClassCounts, n_threads: int) -> None:
    with pytest.raises(KeyboardInterrupt), interrupting(0.3):
        hard.greedy(exhaustive=True, n_threads=n_threads)


class Terminal(io.StringIO):
    """A terminal whose user presses Ctrl-C after a few lines of output."""

    lines = 0

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if text.startswith("\rtermsift: "):
            self.lines += 1
            if self.lines == 3:
                raise KeyboardInterrupt
        return super().write(text)


def test_progress_is_shown_on_a_terminal(
    hard: ts.ClassCounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    put(monkeypatch, patience=0.0)
    with pytest.raises(KeyboardInterrupt):
        hard.greedy(exhaustive=True)
    shown = terminal.getvalue()
    assert re.match(r"\rtermsift: chosen [\d,]+ of 60,000 terms", shown)
    assert re.search(r"\r +\r$", shown)  # wiped out


def test_the_log_reports_how_much_was_done(
    collection: ts.ClassCounts, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "termsift")
    collection.greedy(100)
    assert caplog.messages[-1].startswith("chose 100 terms in ")
    fast = int(caplog.messages[-1].split()[4])
    collection.greedy(100, exhaustive=True)
    assert fast < int(caplog.messages[-1].split()[4])
