"""Helpers for every stage: argument checks, messages, file handling and progress reports."""
