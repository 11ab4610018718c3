"""A collection to report, and the parts of a written page."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import numpy as np
from scipy import sparse

import termsift as ts
from private import count_collection
from termsift.io import Collection
from termsift.report import write_report

HOSTILE = [
    "<script>alert(1)</script>",
    "</title><img src=x onerror=alert(2)>",
    "\"quoted\" 'twice' & &amp; <!-- -->",
    "שלום עולם",
    "\u202etfel ot thgir",
    "x" * 120,
    "👩‍👩‍👧 €$x$ ${title} $$",
    "bell\x07, nul\x00, half \ud800",
]


class Page(HTMLParser):
    """Parser for a page's elements, texts, and tables by caption, which checks that tags match."""

    VOID = ("meta", "input", "br", "img", "link")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.source = text
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.tables: dict[str, list[list[str]]] = {}
        self._open: list[str] = []
        self._caption = ""
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self._open.append(tag)
        if tag == "table":
            self._caption, self._rows = "", []
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th"):
            self._rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag
        if tag == "table":
            self.tables[self._caption] = self._rows

    def handle_data(self, data: str) -> None:
        self.texts.append((self._open[-1] if self._open else "", data))
        if "caption" in self._open:
            self._caption += data
        elif "td" in self._open or "th" in self._open:
            self._rows[-1][-1] += data

    def text(self) -> str:
        return " ".join(
            "".join(t for tag, t in self.texts if tag not in ("style", "script")).split()
        )

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def letters(n_classes: int = 3, n_terms: int = 30, n_docs: int = 60) -> Collection:
    rng = np.random.default_rng(0)
    labels = np.arange(n_docs) % n_classes
    X = rng.poisson(0.4, (n_docs, n_terms)) + 2 * (np.arange(n_terms) == labels[:, None])
    y = np.array([f"class {c}" for c in labels], dtype=object)
    names = np.array([f"term {i}" for i in range(n_terms)], dtype=object)
    return Collection(sparse.csr_array(X), y, names, "made-up letters")


BEST = "The best terms, by score"


def write(
    source: Collection | ts.ClassCounts, path: Any, *, tf: Any = "raw", **options: Any
) -> None:
    """Write the page of a collection, or of counts."""
    if isinstance(source, Collection):
        options["source"] = source.source
        source = count_collection(source, tf)
    write_report(source, path, **options)
