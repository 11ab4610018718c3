"""Turn texts into counts: cut each text into terms, and count the terms of each document.

The rules have the names and meanings of the parameters of scikit-learn's vectorizers. The compiled
core cuts and counts the texts. `CountVectorizer` and `HashingVectorizer` are subclasses of
scikit-learn's classes, and also use the core.
"""

import importlib.util

from termsift.text._rules import Rules, TextRules

__all__ = ["Rules", "TextRules"]

# The vectorizers are not in __all__, because scikit-learn is optional and slow to import.
_VECTORIZERS = ("CountVectorizer", "HashingVectorizer")


def __getattr__(name: str) -> object:
    if name in _VECTORIZERS:
        from termsift.text import _vectorizers

        return getattr(_vectorizers, name)
    raise AttributeError(f"module 'termsift.text' has no attribute {name!r}")


def __dir__() -> list[str]:
    # Tab completion looks up every name, so a name whose import would fail is left out.
    has_sklearn = importlib.util.find_spec("sklearn") is not None
    return sorted([*__all__, *(_VECTORIZERS if has_sklearn else ())])
