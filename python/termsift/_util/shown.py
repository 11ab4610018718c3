"""The first rows of a result, as `print` and notebooks show them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import chain, cycle
from typing import TYPE_CHECKING, Any, NamedTuple

from termsift._util.messages import aligned, printable

if TYPE_CHECKING:
    from termsift._util.html import Child

ROWS = 10  # The number of rows that are shown of a long table.
_LETTERS = 24  # The largest number of letters of a name in printed text.


class Column(NamedTuple):
    """A column of a table. Numbers have a format, and text has the format ""."""

    title: str
    values: Sequence[Any]
    form: str = ""
    longest: int | None = _LETTERS  # The largest number of letters of a printed text.
    right: bool = False  # Whether text is aligned to the right, as numbers are.

    def text(self, value: Any) -> str:
        """Return a value of the column as printed text."""
        if not self.form:
            return printable(value, self.longest)
        return "-" if value is None or value != value else format(value, self.form)

    def cell(self, value: Any) -> Child:
        """Return a value of the column for a table of HTML."""
        from termsift._util import html  # is slow to import, and only notebooks show HTML

        if self.form:
            return self.text(value)
        return html.element("bdi", value) if self.longest is None else html.name(value)


def lines_of(columns: Sequence[Column]) -> list[str]:
    """Return the lines of a printed table."""
    table = [[column.title, *map(column.text, column.values)] for column in columns]
    sides = "".join(">" if column.form or column.right else "<" for column in columns)
    return aligned(list(zip(*table, strict=True)), sides)


class Section(NamedTuple):
    """Some rows of a result, which may have a heading, and the number of rows left out."""

    columns: list[Column]
    n_more: int = 0
    heading: str = ""


class Shown(ABC):
    """The base class of results that `print` and notebooks show as tables of their first rows."""

    __slots__ = ()

    def _title(self) -> str:
        return repr(self).removeprefix("<").removesuffix(">")

    @abstractmethod
    def _sections(self) -> list[Section]:
        """Return the rows to show."""

    def _note(self) -> str:
        """Return a sentence that explains the rows, or no text."""
        return ""

    def __str__(self) -> str:
        lines = [f"<{self._title()}>"]
        for columns, n_more, heading in self._sections():
            lines += [f"{heading}:"] * bool(heading)
            lines += lines_of(columns)
            lines += [f"... {n_more:,} more"] * (n_more > 0)
        note = self._note()
        return "\n".join([*lines, *([note] if note else [])])

    def _repr_html_(self) -> str:
        from termsift._util import html  # is slow to import, and only notebooks show HTML

        parts = []
        sections = self._sections()
        if len(sections) != 1:
            parts.append(html.element("p", self._title()))
        for columns, n_more, heading in sections:
            titles = [(column.title, "number" if column.form else "text") for column in columns]
            cells = ([column.cell(value) for value in column.values] for column in columns)
            made = html.table(heading or self._title(), titles, zip(*cells, strict=True))
            sides = cycle("right" if column.form or column.right else "left" for column in columns)
            # Notebooks would align all cells to the right.
            for cell, side in zip(chain(made.iter("th"), made.iter("td")), sides, strict=False):
                cell.set("style", f"text-align: {side}")
            made[0].set("style", "text-align: left; white-space: nowrap")  # the caption
            parts.append(made)
            if n_more > 0:
                parts.append(html.element("p", f"{n_more:,} more"))
        note = self._note()
        return html.render(html.element("div", *parts, *([html.element("p", note)] * bool(note))))
