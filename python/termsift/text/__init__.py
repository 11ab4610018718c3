"""Turn texts into counts: cut each text into terms, and count the terms of each document.

Rules have the names and the meaning that scikit-learn's vectorizers give them.
"""

from termsift.text._counting import GrowingRows, count_words
from termsift.text._rules import PRESETS, Analyzer, TextRules, text_rules

__all__ = ["PRESETS", "Analyzer", "GrowingRows", "TextRules", "count_words", "text_rules"]
