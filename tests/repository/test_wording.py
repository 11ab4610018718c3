"""The wording of errors is in one file, whose every message is the message of some test."""

from __future__ import annotations

import ast
from pathlib import Path

import wording

TESTS = Path(__file__).parents[1]


def keys(path: Path) -> list[str]:
    """Return the keys of messages that a file of tests names."""
    calls = [
        node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)
    ]
    raises = [call for call in calls if getattr(call.func, "id", "") == "raises"]
    return [call.args[1].value for call in raises if isinstance(call.args[1], ast.Constant)]


def test_every_message_is_that_of_a_test() -> None:
    files = [
        path
        for path in TESTS.rglob("test_*.py")
        if "from wording import" in path.read_text("utf-8")
    ]
    assert {key for path in files for key in keys(path)} == set(wording.WORDING)


def test_messages_are_in_alphabetical_order() -> None:
    assert list(wording.WORDING) == sorted(wording.WORDING)


def test_a_wording_fits_its_message_alone() -> None:
    assert wording.fits("a.csv, line 2: expected a term", "…a.csv, line 2: expected a term")
    assert wording.fits("/tmp/a.csv: 2 (of 3)", "…a.csv: … (of …)")
    assert not wording.fits(
        "a.csv, line 2: expected a term, found none", "…line 2: expected a term"
    )
    assert not wording.fits("line 2x expected", "line 2. expected")
