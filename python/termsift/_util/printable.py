"""Make untrusted text safe to print on one line of a terminal."""

from __future__ import annotations

from collections.abc import Sequence


def printable(word: object, longest: int | None = None) -> str:
    """Return text with control characters and line ends escaped, cut to ``longest`` characters."""
    text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(word))
    return text if longest is None or len(text) <= longest else text[: longest - 1] + "…"


def aligned(rows: Sequence[Sequence[str]], align: str) -> list[str]:
    """Return rows of cells as aligned lines. ``align`` has one ``<`` or ``>`` for each column."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    forms = [f"{side}{width}" for side, width in zip(align, widths, strict=bool(rows))]
    return ["  ".join(map(format, row, forms)).rstrip() for row in rows]
