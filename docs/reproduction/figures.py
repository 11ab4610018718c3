"""Plots as SVG: the same methods in the same colours, lines and marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator, StrMethodFormatter
from numpy.typing import ArrayLike

# Okabe and Ito's colours, which the colour-blind tell apart; lines and marks tell them in grey.
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
    """Lines by name, x and y of each; y between ``limits`` if given."""

    title: str
    y_label: str
    lines: Mapping[str, tuple[ArrayLike, ArrayLike]]
    x_label: str = "terms"
    limits: tuple[float, float] | None = None


def plot(path: Path, panels: Sequence[Sequence[Panel]]) -> None:
    """Write rows of panels with logarithmic x, and one legend."""
    n_rows, n_columns = len(panels), max(map(len, panels))
    names = list(dict.fromkeys(name for row in panels for panel in row for name in panel.lines))
    handles = {}
    # The same numbers give the same file.
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
        figure.savefig(path, metadata={"Date": None})
