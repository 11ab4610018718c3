"""Naive Bayes from counts alone."""
