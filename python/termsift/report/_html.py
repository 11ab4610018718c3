"""HTML as trees, so that no text can be taken for markup: what pages and notebooks show.

Terms, labels and names of files are strangers' text. They become the text of an element here, and
the serialiser of the standard library escapes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, TypeAlias
from xml.etree.ElementTree import Element, tostring

import numpy as np

__all__ = ["clean", "element", "escape", "name", "number", "render", "table"]

Child: TypeAlias = "Element | str | None"

# What HTML has no place for: control characters, halves of surrogate pairs, noncharacters.
_IMPOSSIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
_LONGEST = 120  # letters of a name
_MINUS = "\N{MINUS SIGN}"  # as wide as a digit


def element(tag: str, *children: Child, **attributes: str | bool | None) -> Element:
    """Make an element of text and elements; None is nothing.

    Attributes are written with ``_`` for ``-``, and with one at the end where Python has the word.
    True is an attribute without a value, False and None are none at all.

    Examples
    --------
    >>> render(element("p", "R&D ", element("b", "<now>"), class_="note", aria_hidden="true"))
    '<p class="note" aria-hidden="true">R&amp;D <b>&lt;now&gt;</b></p>'
    """
    made = Element(tag)
    for name, value in attributes.items():
        if value is not None and value is not False:
            known = "" if value is True else clean(value)
            made.set(name.rstrip("_").replace("_", "-"), known)
    for child in children:
        if isinstance(child, Element):
            made.append(child)
        elif child is not None:
            _append_text(made, clean(child))
    return made


def _append_text(parent: Element, text: str) -> None:
    if len(parent):
        parent[-1].tail = (parent[-1].tail or "") + text
    else:
        parent.text = (parent.text or "") + text


def clean(text: object) -> str:
    """Give the text with a mark in place of each character that no page can hold."""
    return _IMPOSSIBLE.sub("\N{REPLACEMENT CHARACTER}", str(text))


def name(text: object) -> Element:
    """Make a stranger's word: its direction of writing is its own, and turns nothing else round.

    Of what is too long to be read, the beginning, and all of it where the pointer rests.
    """
    whole = str(text)
    if len(whole) <= _LONGEST:
        return element("bdi", whole)
    return element("bdi", whole[: _LONGEST - 1] + "\N{HORIZONTAL ELLIPSIS}", title=whole)


def number(value: Any, decimals: int | None = None) -> str:
    """Write a number with commas: whole ones without a point, others with some decimals.

    Examples
    --------
    >>> number(1234567), number(1234.0), number(0.125), number(float("inf")), number(2, 1)
    ('1,234,567', '1,234', '0.12', '∞', '2.0')
    """
    value = value.item() if isinstance(value, np.generic) else value
    if value in (float("inf"), float("-inf")):
        return "∞" if value > 0 else f"{_MINUS}∞"
    if decimals is None:
        decimals = 0 if value == int(value) else 2
    return f"{value:,.{decimals}f}".replace("-", _MINUS)


def table(
    caption: Child,
    columns: Sequence[tuple[str, str]],
    rows: Iterable[Sequence[Child]],
    **attributes: str | bool | None,
) -> Element:
    """Make a table.

    Parameters
    ----------
    caption : str or Element
        What it is a table of.
    columns : sequence of (title, kind)
        Of a kind "text", "number", or "name", which heads its row.
    rows : iterable of sequences of str or Element
        A cell for each column.
    **attributes
        Of the table.

    Returns
    -------
    table : Element
    """
    head = element("tr", *(element("th", t, scope="col", class_=kind) for t, kind in columns))
    body = element("tbody")
    for row in rows:
        line = element("tr")
        for cell, (_, kind) in zip(row, columns, strict=True):
            is_name = kind == "name"
            line.append(
                element(
                    "th" if is_name else "td", cell, scope="row" if is_name else None, class_=kind
                )
            )
        line.tail = "\n"  # for those who read or compare the source
        body.append(line)
    return element("table", element("caption", caption), element("thead", head), body, **attributes)


def render(*elements: Element) -> str:
    """Write elements as HTML."""
    return "\n".join(tostring(made, encoding="unicode", method="html") for made in elements)
