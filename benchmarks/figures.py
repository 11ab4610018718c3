"""Plots as small SVG files, where every method has the same style in all panels."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

# Colour-blind people can distinguish these colours of Okabe and Ito. The methods also differ in
# dashes and markers.
STYLES: list[dict[str, Any]] = [
    {"color": "#0072B2", "ls": "-", "marker": "o"},
    {"color": "#D55E00", "ls": "--", "marker": "s"},
    {"color": "#000000", "ls": ":", "marker": "v"},
    {"color": "#009E73", "ls": "-.", "marker": "D"},
    {"color": "#E69F00", "ls": (0, (5, 1)), "marker": "^"},
    {"color": "#CC79A7", "ls": (0, (3, 1, 1, 1)), "marker": "P"},
    {"color": "#56B4E9", "ls": (0, (1, 1)), "marker": "X"},
]


@dataclass(frozen=True)
class Panel:
    """A plot of lines, given as (x, y) by name. ``limits`` are the limits of the y axis."""

    title: str
    y_label: str
    lines: Mapping[str, tuple[ArrayLike, ArrayLike]]
    x_label: str = "terms"
    limits: tuple[float, float] | None = None


def plot(path: Path, panels: Sequence[Sequence[Panel]]) -> None:
    """Write rows of panels with a logarithmic x axis, and one legend."""
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullLocator, StrMethodFormatter

    n_rows, n_columns = len(panels), max(map(len, panels))
    names = list(dict.fromkeys(name for row in panels for panel in row for name in panel.lines))
    handles = {}
    # matplotlib hashes ids in the SVG with this salt, so equal numbers give equal files.
    with mpl.rc_context({"svg.hashsalt": "termsift", "svg.fonttype": "none", "font.size": 8}):
        figure = Figure(figsize=(0.4 + 3.3 * n_columns, 0.5 + 2.5 * n_rows), layout="constrained")
        grid = figure.add_gridspec(n_rows, n_columns)
        for i, row in enumerate(panels):
            for j, panel in enumerate(row):
                ax = figure.add_subplot(grid[i, j])
                for name, (x, y) in panel.lines.items():
                    style = STYLES[names.index(name)]
                    (handles[name],) = ax.semilogx(x, y, ms=3, lw=1.1, markevery=2, **style)
                ax.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)
                ax.set_ylim(*panel.limits or (None, None))
                ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
                ax.xaxis.set_minor_locator(NullLocator())
                ax.grid(color="0.9")
        n_columns = min(len(names), 3 * n_columns)
        figure.legend(handles.values(), handles, loc="outside lower center", ncols=n_columns)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    path.write_text(small(text.getvalue()), "utf-8")


def small(svg: str) -> str:
    """Make an SVG smaller: keep one decimal per coordinate and one font, and drop group ids."""
    svg = svg.replace("<svg ", '<svg font-family="sans-serif" ', 1)
    superfluous = r"(?s)<metadata>.*?</metadata>|<!-- .*? -->|font-family: [^;\"]*;? ?"
    svg = re.sub(rf"{superfluous}|(?<=<g) id=\"\w+\"| transform=\"rotate\(-0 [^\"]*\"", "", svg)

    def rounded(part: re.Match[str]) -> str:
        short = re.sub(r"-?\d+\.\d+", lambda x: f"{float(x[0]):.1f}".removesuffix(".0"), part[0])
        return " ".join(short.split())

    coordinates = r'\b(?:d|x|y)="[^"]*"|translate\([^)]*\)|rotate\([^)]*\)'
    svg = re.sub(coordinates, rounded, svg)
    return re.sub(r"\s*\n\s*", "\n", re.sub(r"(</?g>)\s+(?=<[/gu])", r"\1", svg))
