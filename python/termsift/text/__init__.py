"""Turn texts into counts: cut each text into terms, and count the terms of each document.

The rules have the names and meanings of the parameters of scikit-learn's vectorizers. The compiled
core cuts and counts the texts. `CountVectorizer` and `HashingVectorizer` also use the core. They
are subclasses of scikit-learn's classes.
"""

from typing import TYPE_CHECKING, Any

from termsift.text._rules import TextRules

if TYPE_CHECKING:
    from termsift.text._vectorizers import CountVectorizer as CountVectorizer
    from termsift.text._vectorizers import HashingVectorizer as HashingVectorizer

__all__ = ["TextRules"]


# These names are not in __all__, because scikit-learn is optional and takes a second to import.
_VECTORIZERS = ("CountVectorizer", "HashingVectorizer")


def __getattr__(name: str) -> Any:
    if name in _VECTORIZERS:
        from termsift.text import _vectorizers

        return getattr(_vectorizers, name)
    raise AttributeError(f"module 'termsift.text' has no attribute {name!r}")
