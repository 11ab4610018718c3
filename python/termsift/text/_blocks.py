"""Texts in blocks for the core, from whatever holds them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from termsift import _core
from termsift._util.validation import check_iterable

_TEXTS_AT_ONCE = 1 << 16


def text_blocks(texts: Any) -> Iterator[_core.Texts]:
    """Yield the texts of a list, an iterable or a column of Arrow in blocks."""
    if hasattr(texts, "__arrow_c_stream__"):
        yield _core.Texts.of_arrow(texts)
    elif isinstance(texts, (list, tuple)):
        yield _core.Texts.of_strings(texts)
    else:
        rest = iter(check_iterable(texts, "texts", "strings"))
        while block := list(islice(rest, _TEXTS_AT_ONCE)):
            yield _core.Texts.of_strings(block)
