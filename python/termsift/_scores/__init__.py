"""Scores from counts, and rankings from scores: methods, class scores, significance tests."""
