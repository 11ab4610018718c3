"""Turn texts into counts: cut each text into terms, and count the terms of each document.

The rules have the names and meanings of the parameters of scikit-learn's vectorizers. The compiled
core cuts and counts the texts. `CountVectorizer` and `HashingVectorizer` are subclasses of
scikit-learn's classes, and also use the core.
"""

from typing import TYPE_CHECKING, Any

from termsift.text._rules import TextRules

if TYPE_CHECKING:
    from termsift.text._vectorizers import CountVectorizer as CountVectorizer
    from termsift.text._vectorizers import HashingVectorizer as HashingVectorizer

__all__ = ["TextRules"]


def __getattr__(name: str) -> Any:
    # The vectorizers are not in __all__, because scikit-learn is optional and slow to import.
    if name in ("CountVectorizer", "HashingVectorizer"):
        from termsift.text import _vectorizers

        return getattr(_vectorizers, name)
    raise AttributeError(f"module 'termsift.text' has no attribute {name!r}")
