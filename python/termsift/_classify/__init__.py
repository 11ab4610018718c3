"""Naive Bayes classifiers that are fitted to counts."""
