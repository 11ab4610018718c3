"""Build HTML as trees, so that no text can become markup.

The standard library escapes untrusted text, such as terms, labels and the names of files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, TypeAlias
from xml.etree.ElementTree import Element, tostring

import numpy as np

Child: TypeAlias = "Element | str"

# Characters that HTML cannot hold: control characters, lone surrogates and noncharacters.
_IMPOSSIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
_LONGEST = 120  # A name with more characters is cut.
_MINUS = "\N{MINUS SIGN}"  # The minus sign is as wide as a digit, unlike the hyphen.


def element(tag: str, *children: Child, **attributes: str | None) -> Element:
    """Return an element that holds text and other elements.

    In the names of attributes ``_`` stands for ``-``, and a trailing ``_`` is dropped. Attributes
    that are None are left out.
    """
    made = Element(tag)
    for name, value in attributes.items():
        if value is not None:
            made.set(name.rstrip("_").replace("_", "-"), clean(value))
    for child in children:
        if isinstance(child, Element):
            made.append(child)
        elif len(made):
            made[-1].tail = (made[-1].tail or "") + clean(child)
        else:
            made.text = (made.text or "") + clean(child)
    return made


def clean(text: object) -> str:
    """Return the text with a replacement character for each character that HTML cannot hold."""
    return _IMPOSSIBLE.sub("\N{REPLACEMENT CHARACTER}", str(text))


def name(text: object) -> Element:
    """Wrap untrusted text in ``<bdi>``, which isolates its writing direction. Long text is cut."""
    whole = str(text)
    return element("bdi", cut(whole), title=whole if len(whole) > _LONGEST else None)


def cut(text: str) -> str:
    """Return the text. An ellipsis replaces the end of a long text."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "\N{HORIZONTAL ELLIPSIS}"


def number(value: Any, form: str | None = None) -> str:
    """Format a number, by default with commas, and with two decimals unless it is whole."""
    value = value.item() if isinstance(value, np.generic) else value
    if value in (float("inf"), float("-inf")):
        return "∞" if value > 0 else f"{_MINUS}∞"
    if form is None:
        form = ",.0f" if value == int(value) else ",.2f"
    return f"{value:{form}}".replace("-", _MINUS)


def table(
    caption: Child, columns: Sequence[tuple[Child, str]], rows: Iterable[Sequence[Child]]
) -> Element:
    """Return a table. ``columns`` has titles and "text", "number", or "name" for row headers."""
    head = element("tr", *(element("th", t, scope="col", class_=kind) for t, kind in columns))
    body = element("tbody")
    for row in rows:
        line = element("tr")
        for cell, (_, kind) in zip(row, columns, strict=True):
            tag, scope = ("th", "row") if kind == "name" else ("td", None)
            line.append(element(tag, cell, scope=scope, class_=kind))
        line.tail = "\n"  # line breaks make the HTML source readable
        body.append(line)
    return element("table", element("caption", caption), element("thead", head), body)


def render(made: Child) -> str:
    """Return an element or text as HTML."""
    if isinstance(made, Element):
        return tostring(made, encoding="unicode", method="html")
    return escape(clean(made))
