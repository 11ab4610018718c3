"""Strangers' words, fit for one line."""

from __future__ import annotations


def printable(word: object, longest: int | None = None) -> str:
    r"""Give a word of which nothing moves a cursor or ends a line, cut to so many letters.

    Examples
    --------
    >>> printable("a\nb"), printable("disestablishment", 8)
    ('a\\nb', 'disesta…')
    """
    text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(word))
    return text if longest is None or len(text) <= longest else text[: longest - 1] + "…"
