"""Counts -> scores -> ranking: the registry of methods, class scores, significance."""
