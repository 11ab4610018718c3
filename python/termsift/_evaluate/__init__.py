"""Evaluation of rankings: naive Bayes on the first k terms."""
