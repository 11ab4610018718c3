"""The wording of our messages is in one file, whose every message is the message of some test."""

from __future__ import annotations

import ast
from pathlib import Path

import wording

TESTS = Path(__file__).parents[1]


# What `match=` of `pytest.raises` and `pytest.warns` may ask for: the words of others, and why.
WORDS_OF_OTHERS = {
    "'n_features' .* in the range \\[1, 2147483647\\)": "scikit-learn checks the parameter",
    "No features were selected": "of scikit-learn's selectors",
    "are passed but are not explicitly set": "scikit-learn routes the metadata",
    "empty vocabulary": "of scikit-learn's CountVectorizer",
    "features as input": "scikit-learn counts the columns",
    "same order": "of scikit-learn, also where partial_fit repeats it",
    "is out of bounds": "of numpy",
    "read-only": "of numpy",
    "codec can't decode": "of Python",
    "Errno": "of the system",
    "File too large": "of the system",
    "directory|denied": "of the system",
    "embedded null": "of Python",
    "invalid literal": "of Python",
    "not safe": "of Python",
    "released": "of Python",
    "surrogates not allowed": "of Python",
    "zip": "of Python",
    "in the middle": "raised by the test itself",
    "the disk is gone": "raised by the test itself",
    "Python cuts a text": "raised by the test itself",
    "^f: k is wrong$": "raised by the test itself",
    "-1 at row 0, column 1": "test_minimal.py runs beside a wheel, without the other tests",
}


def trees() -> dict[Path, ast.Module]:
    """Return the syntax trees of the tests and of what helps them, but for the wording itself."""
    paths = [path for path in TESTS.rglob("*.py") if path != Path(wording.__file__)]
    return {path: ast.parse(path.read_text("utf-8")) for path in paths}


def test_every_message_is_that_of_a_test() -> None:
    texts = {
        node.value
        for path, tree in trees().items()
        if "from wording import" in path.read_text("utf-8")
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert set(wording.WORDING) - texts == set()


def test_our_messages_are_worded_in_one_file() -> None:
    asked = {
        (ast.literal_eval(word.value) if isinstance(word.value, ast.Constant) else path.name)
        for path, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("raises", "warns")
        for word in node.keywords
        if word.arg == "match"
    }
    assert asked == set(WORDS_OF_OTHERS)


def test_messages_are_in_alphabetical_order() -> None:
    assert list(wording.WORDING) == sorted(wording.WORDING)


def test_a_wording_fits_its_message_alone() -> None:
    assert wording.fits("a.csv, line 2: expected a term", "…a.csv, line 2: expected a term")
    assert wording.fits("/tmp/a.csv: 2 (of 3)", "…a.csv: … (of …)")
    assert not wording.fits(
        "a.csv, line 2: expected a term, found none", "…line 2: expected a term"
    )
    assert not wording.fits("line 2x expected", "line 2. expected")
