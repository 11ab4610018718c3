"""The public names of termsift.text with their types, for editors and type checkers.

At run time, `__init__.py` imports the vectorizers when they are first used. A test compares this
file with the module.
"""

from termsift.text._rules import Rules as Rules
from termsift.text._rules import TextRules as TextRules
from termsift.text._vectorizers import CountVectorizer as CountVectorizer
from termsift.text._vectorizers import HashingVectorizer as HashingVectorizer

__all__ = ["Rules", "TextRules"]
