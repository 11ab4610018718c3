"""Our vectorizers pass the tests of the installed scikit-learn for its own vectorizers."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("sklearn")
from sklearn.feature_extraction import text as sklearn_text

from termsift.text import CountVectorizer, HashingVectorizer


class TfidfVectorizer(sklearn_text.TfidfVectorizer, CountVectorizer):  # type: ignore[misc]
    """scikit-learn's TfidfVectorizer, which gets its counts from our CountVectorizer."""


NAME = "sklearn.feature_extraction.tests.test_text"


def their_tests() -> ModuleType:
    """Import scikit-learn's tests again, with our vectorizers instead of scikit-learn's."""
    spec = importlib.util.find_spec(NAME)
    if spec is None or spec.origin is None:
        pytest.skip("scikit-learn was installed without its tests", allow_module_level=True)
    spec = importlib.util.spec_from_file_location("their_tests_of_text", spec.origin)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module  # pickle finds functions by their module's name
    ours = CountVectorizer, HashingVectorizer, TfidfVectorizer
    theirs = {one.__name__: getattr(sklearn_text, one.__name__) for one in ours}
    try:
        for one in ours:
            setattr(sklearn_text, one.__name__, one)
        spec.loader.exec_module(module)
    finally:
        for name, one in theirs.items():
            setattr(sklearn_text, name, one)
    assert all(getattr(module, one.__name__) is one for one in ours)
    return module


def collected(module: ModuleType) -> dict[str, Any]:
    """Return scikit-learn's tests by name. Pytest finds them as globals of this module."""
    found = {name: one for name, one in vars(module).items() if name.startswith("test_")}
    for test in found.values():
        marks = getattr(test, "pytestmark", [])
        for number, mark in enumerate(marks):
            if mark.name == "parametrize":  # pytest needs lists, and scikit-learn has iterators
                names, values = mark.args
                marks[number] = pytest.mark.parametrize(names, [*values], **mark.kwargs).mark
    return found


pytestmark = pytest.mark.filterwarnings("default")
globals().update(collected(their_tests()))
